// SPDX-License-Identifier: MIT
// Components as C++ types: what a type says about itself, and the hooks made of it. Part of
// kith.hpp.
//
//     struct label { std::string text; };
//     template <> struct kith::component<label> {
//         static constexpr kith_component id   = 3;            // the program's own constant
//         static constexpr const char    *name = "label";
//     };
//
//     kith_component_desc desc = kith::describe<label>();      // for kith_component_register
//
// Rows move. A row is constructed, copied, moved and destructed by the constructors and the
// destructor of its type, wherever kith does that: see kith_hooks in component.h.
//
//     position   trivially copyable                 no hook: rows are bytes
//     label      movable, can be copied             all four hooks
//     engine     movable only (std::unique_ptr)     no copy hook: cloning it is refused
//
// Cost        A type with default member initializers has a construct hook, so adding it calls the
//             library. Setting a value with hooks costs one move more.
// Threads     Any thread may call these functions. Hooks run where the value is changed.
#ifndef KITH_COMPONENT_HPP
#define KITH_COMPONENT_HPP

#include "kith.h"

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
    #error "kith.hpp needs C++17 or newer: compile with -std=c++17"
#endif

#include <new>
#include <type_traits>
#include <utility>

namespace kith
{

/// Makes T a component. The program specializes it, with an `id` and a `name`. It may also have
///     static constexpr kith_kind kind = ...;     KITH_KIND_FLAG, KITH_KIND_SINGLETON
///     static kith_traits traits() { ... }        everything but the hooks, which the header makes
///     static constexpr bool move_only = true;    for a type that says it can be copied, and
///     cannot:
///                                                a std::vector of std::unique_ptr
/// Without `kind`, an empty struct is a tag, and any other type has values.
template <class T> struct component {
    static_assert(sizeof(T *) == 0,
                  "kith: this type is no component; specialize kith::component for it, with "
                  "`static constexpr kith_component id` and `static constexpr const char *name`");
};

/// @cond INTERNAL

namespace internal
{

template <class T, class = void> struct kind_of {
    static constexpr kith_kind value =
        std::is_empty_v<T> && std::is_trivially_copyable_v<T> ? KITH_KIND_TAG : KITH_KIND_VALUE;
};
template <class T> struct kind_of<T, std::void_t<decltype(component<T>::kind)>> {
    static constexpr kith_kind value = component<T>::kind;
};
template <class T, class = void> struct traits_of {
    static constexpr bool exist = false;
    static kith_traits    get()
    {
        return kith_traits{};
    }
};
template <class T> struct traits_of<T, std::void_t<decltype(component<T>::traits())>> {
    static constexpr bool exist = true;
    static kith_traits    get()
    {
        return component<T>::traits();
    }
};
template <class T, class = void> struct copies {
    static constexpr bool value = std::is_copy_constructible_v<T>;
};
template <class T> struct copies<T, std::void_t<decltype(component<T>::move_only)>> {
    static constexpr bool value = !component<T>::move_only && std::is_copy_constructible_v<T>;
};

// For functions that compilers inline only where they are called once, because they are templates.
#if defined(__GNUC__)
    #define KITH_ALWAYS_INLINE_ inline __attribute__((always_inline))
#else
    #define KITH_ALWAYS_INLINE_ inline
#endif

// The object that a running `set` moves into its row: the hooks take it from here, because a hook
// has no argument that says "move".
template <class T> inline thread_local T *moving = nullptr;

template <class F> bool attempt(F make) noexcept
{
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
    try {
        make();
    } catch (...) {
        return false;
    }
#else
    make();
#endif
    return true;
}

template <class T> struct hooks_of {
    static constexpr bool plain = std::is_trivially_copyable_v<T>;
    static_assert(plain || std::is_move_constructible_v<T>,
                  "kith: this type cannot be moved, but rows move; give it a move constructor, or "
                  "make the component a std::unique_ptr of it");
    static_assert(
        plain || !std::is_move_constructible_v<T> || std::is_nothrow_move_constructible_v<T>,
        "kith: moving this type may throw, and rows move where nothing may fail; make its "
        "move constructor noexcept, or the component a std::unique_ptr of it");

    static bool construct(void *value, void *) noexcept
    {
        if constexpr (!plain && !copies<T>::value) {
            if (T *from = std::exchange(moving<T>, nullptr); from != nullptr) {
                ::new (value) T(std::move(*from));
                return true;
            }
        }
        if constexpr (std::is_default_constructible_v<T>) {
            return attempt([value] { ::new (value) T(); });
        }
        return false;
    }
    static bool copy(void *value, const void *source, void *) noexcept
    {
        if (source == moving<T>) {
            ::new (value) T(std::move(*std::exchange(moving<T>, nullptr)));
            return true;
        }
        return attempt([=] { ::new (value) T(*static_cast<const T *>(source)); });
    }
    static void destruct(void *value, void *) noexcept
    {
        static_cast<T *>(value)->~T();
    }
    static void move(void *value, void *source, void *context) noexcept
    {
        ::new (value) T(std::move(*static_cast<T *>(source)));
        destruct(source, context);
    }

    static constexpr kith_hooks get()
    {
        kith_hooks hooks{};
        if constexpr (!plain || !std::is_trivially_default_constructible_v<T>) {
            hooks.construct = construct;
        }
        if constexpr (!plain) {
            hooks.destruct = destruct;
            hooks.move     = move;
        }
        if constexpr (!plain && copies<T>::value) {
            hooks.copy = copy;
        }
        return hooks;
    }
};

// What a component is. `shift` says how long pages are, where no trait can change that.
template <class T> struct info {
    static constexpr kith_component id     = component<T>::id;
    static constexpr kith_kind      kind   = kind_of<T>::value;
    static constexpr bool           single = kind == KITH_KIND_SINGLETON;
    static constexpr bool           valued = kind == KITH_KIND_VALUE || single;
    static constexpr uint32_t       shift =
        traits_of<T>::exist ? KITH_ANY_SHIFT_ : KITH_SHIFT_(sizeof(T));
    static_assert(id >= 1 && id <= KITH_COMPONENT_MAX,
                  "kith: component ids are 1..1023; change the id of kith::component");
    static_assert(alignof(T) <= KITH_ALIGNMENT_MAX,
                  "kith: a component is aligned to at most 4096 bytes");
    static_assert(valued || std::is_empty_v<T>,
                  "kith: a tag or a flag has no values; make its type an empty struct");
};

} // namespace internal
/// @endcond

// --- hooks and descriptions ------------------------------------------------------------------

/// Returns the traits of kith::component, if it has some, with the hooks of T. For
/// KITH_COMPONENT_WITH. T need not be a kith::component.
template <class T> kith_traits traits()
{
    kith_traits traits = internal::traits_of<T>::get();
    traits.hooks       = internal::hooks_of<T>::get();
    return traits;
}

/// Returns the description of the component, for kith_component_register.
template <class T> kith_component_desc describe()
{
    using internal::info;
    kith_component_desc desc{};
    desc.name   = component<T>::name;
    desc.id     = info<T>::id;
    desc.kind   = info<T>::kind;
    desc.traits = internal::traits_of<T>::get();
    if constexpr (info<T>::valued) {
        desc.size         = sizeof(T);
        desc.alignment    = alignof(T);
        desc.traits.hooks = internal::hooks_of<T>::get();
    }
    return desc;
}

/// Returns the values of an array, one for each entity of a batch (batch.h); NULL: default values.
template <class T> kith_values values(const T *array)
{
    static_assert(internal::hooks_of<T>::plain || internal::copies<T>::value,
                  "kith: this type is set by moving; a batch copies. Set it entity by entity");
    return kith_values{ internal::info<T>::id, array, sizeof(T) };
}

} // namespace kith

#endif
