// SPDX-License-Identifier: MIT
// What the wrong programs in C++ are written against.
#ifndef COMPONENTS_HPP
#define COMPONENTS_HPP

#include "kith/kith.hpp"

#include <memory>

// A type with all that a component can lack.
struct stone {
    float x, y;
};
struct wings {
};
struct year {
    int number;
};
struct engine {
    std::unique_ptr<int> power;
};
struct fixed {
    fixed(const fixed &) = delete;
    ~fixed()
    {
    }
};
struct loud {
    loud() = default;
    loud(loud &&)
    {
    }
};
struct sealed {
    explicit sealed(int number_) : number(number_)
    {
    }
    int number;
};
struct unknown {
};

#define COMPONENT(TYPE, ID)                                                                        \
    template <> struct kith::component<TYPE> {                                                     \
        static constexpr kith_component id   = ID;                                                 \
        static constexpr const char    *name = #TYPE;                                              \
    }
COMPONENT(stone, 1);
COMPONENT(wings, 2);
COMPONENT(engine, 4);
COMPONENT(fixed, 5);
COMPONENT(loud, 6);
COMPONENT(sealed, 7);

template <> struct kith::component<year> {
    static constexpr kith_component id   = 3;
    static constexpr const char    *name = "year";
    static constexpr kith_kind      kind = KITH_KIND_SINGLETON;
};

#endif
