// SPDX-License-Identifier: MIT
// Queries and loops over C++ types. Part of kith.hpp.
//
//     kith::view<position, const velocity, kith::without<frozen>> movers(world);
//
//     movers.each([](kith_entity ship, position &p, const velocity &v) { p.x += v.x; });
//     for (auto [ship, p, v] : movers) {                       // the same; break closes the loop
//         p.x += v.x;
//     }
//     for (auto [ships, p, v] : movers.chunks()) {             // plain arrays; ships[i]: the
//     handle
//         for (uint32_t i = 0; i < p.size(); i++) {
//             p[i].x += v[i].x;
//         }
//     }
//
// A view holds nothing open: each(), begin() and chunks() begin a loop. "Loops" in query.h is its
// contract: the body may change anything. A loop is closed at its end, by break, return, and by an
// exception. If beginning fails, the world records the error, and the loop visits nothing.
//
// Cost        Inline as the cursor of KITH_QUERY, and the same instructions.
// Threads     A view of a const world only reads. Any number of threads may loop over such views
//             while no thread changes the world. A view of a part belongs to the part's thread. All
//             others belong to the world's thread.
#ifndef KITH_QUERY_HPP
#define KITH_QUERY_HPP

#include "component.hpp"

#include <tuple>

namespace kith
{

/// The terms of a query, beside T (a value to write) and const T (a value to read).
template <class T> struct with {
};
template <class T> struct without {
};
template <class T> struct optional {
}; // a pointer, NULL when T is absent; const T: to read
template <class T> struct disabled {
}; // disabled rows of T match as well
template <class T> struct lead {
}; // the loop walks the rows of T, in their order
template <class T> struct changed {
}; // T was changed, or added, since a tick: see view::since
template <class T> struct added {
};

/// An array that a chunk hands out. data() is NULL for an optional component that is absent.
template <class T> class span
{
  public:
    /// `size` values from `data` on.
    span(T *data, uint32_t size) : data_(data), size_(size)
    {
    }
    /// The first value.
    T *data() const
    {
        return data_;
    }
    /// The number of values.
    uint32_t size() const
    {
        return size_;
    }
    /// For range-for.
    T *begin() const
    {
        return data_;
    }
    /// For range-for.
    T *end() const
    {
        return data_ + size_;
    }
    /// Value `i`; it is not checked.
    T &operator[](uint32_t i) const
    {
        return data_[i];
    }

  private:
    T       *data_;
    uint32_t size_;
};

/// @cond INTERNAL

namespace internal
{

// A term: its role, and its column if it has one.
template <kith_role Role, class T, bool Column, bool Maybe> struct term_of {
    using type                            = std::remove_const_t<T>;
    using value                           = T;
    using reference                       = std::conditional_t<Maybe, T *, T &>;
    using shared                          = info<type>;
    static constexpr kith_role role       = Role;
    static constexpr bool      maybe      = Maybe;
    static constexpr bool      has_column = Column;
    static constexpr bool      writes     = Column && !std::is_const_v<T>;
    static_assert(!shared::single, "kith: no entity has a singleton; use single<T>()");
    static_assert(!Column || shared::valued,
                  "kith: a tag or a flag has no value to hand out; use kith::with<T>");
    static reference pass(T *at)
    {
        if constexpr (Maybe) {
            return at;
        } else {
            return *at;
        }
    }
};
template <class T>
struct term : term_of<std::is_const_v<T> ? KITH_ROLE_READ : KITH_ROLE_WRITE, T, true, false> {
};
template <class T> struct term<with<T>> : term_of<KITH_ROLE_WITH, T, false, false> {
};
template <class T> struct term<without<T>> : term_of<KITH_ROLE_WITHOUT, T, false, false> {
};
template <class T> struct term<disabled<T>> : term_of<KITH_ROLE_DISABLED, T, false, false> {
};
template <class T> struct term<lead<T>> : term_of<KITH_ROLE_LEAD, T, false, false> {
};
template <class T> struct term<changed<T>> : term_of<KITH_ROLE_CHANGED, T, false, false> {
};
template <class T> struct term<added<T>> : term_of<KITH_ROLE_ADDED, T, false, false> {
};
template <class T>
struct term<optional<T>>
    : term_of<std::is_const_v<T> ? KITH_ROLE_OPTIONAL : KITH_ROLE_OPTIONAL_WRITE, T, true, true> {
};

template <class... Terms> struct description {
    static constexpr kith_term terms[]    = { { term<Terms>::shared::id, term<Terms>::role, 0 }...,
                                              { 0, KITH_ROLE_WITH, 0 } };
    static constexpr kith_query_desc desc = { "kith::view", terms, sizeof...(Terms), 0 };
    static_assert(sizeof...(Terms) <= KITH_QUERY_TERMS_MAX, "kith: a query has at most 64 terms");
};

// The terms with a column, as a list of types.
template <class... Terms>
using columns_of = decltype(std::tuple_cat(
    std::conditional_t<term<Terms>::has_column, std::tuple<term<Terms>>, std::tuple<>>{}...));

// The handles of a chunk: KITH_NULL for an entity that no longer has what the loop requires.
struct handles {
    uint32_t size() const
    {
        return size_;
    }
    kith_entity operator[](uint32_t i) const
    {
        const kith_step_ step = *step_; // a copy: the address of the loop's own must not escape
        return kith_step_entity_(&step, i);
    }
    const kith_step_ *step_;
    uint32_t          size_;
};

struct sentinel {
};

// A loop: the cursor of KITH_QUERY, and an iterator that closes the loop when it goes.
template <bool Chunks, class Columns> class loop;
template <bool Chunks, class... C> class loop<Chunks, std::tuple<C...>>
{
  public:
    explicit loop(const kith_step_ &step) : step_(step)
    {
    }
    ~loop()
    {
        kith_step_ step = step_;
        kith_step_end_(&step);
    }
    loop(const loop &)            = delete;
    loop &operator=(const loop &) = delete;

    // Goes on, before each turn of the body: inlined in one place, the cursor stays in registers.
    KITH_ALWAYS_INLINE_ bool operator!=(sentinel)
    {
        return next(std::index_sequence_for<C...>());
    }
    void operator++()
    {
    } // the comparison did
    KITH_ALWAYS_INLINE_ auto operator*() const
    {
        return row(std::index_sequence_for<C...>());
    }
    template <class F> KITH_ALWAYS_INLINE_ void call(F &body) const
    {
        call(body, std::index_sequence_for<C...>());
    }

  private:
    // Without lambdas: gcc would keep in memory what they capture, and so the cursor.
    template <std::size_t... I> auto row(std::index_sequence<I...>) const
    {
        if constexpr (Chunks) {
            return std::tuple<handles, span<typename C::value>...>(handles{ &step_, count_ },
                                                                   part<C, I>()...);
        } else {
            return std::tuple<kith_entity, typename C::reference...>(entity_,
                                                                     C::pass(std::get<I>(at_))...);
        }
    }
    template <class D, std::size_t I> span<typename D::value> part() const
    {
        typename D::value *first = std::get<I>(at_);
        return span<typename D::value>(first, D::maybe && first == nullptr ? 0 : count_);
    }
    template <class F, std::size_t... I> void call(F &body, std::index_sequence<I...>) const
    {
        constexpr bool bare  = std::is_invocable_v<F &, typename C::reference...>;
        constexpr bool named = std::is_invocable_v<F &, kith_entity, typename C::reference...>;
        static_assert(bare || named,
                      "kith: the body of each() takes the values in the order of the terms: T & to "
                      "write, const T & to read, a pointer for optional; before them, if it wants "
                      "it, a kith_entity");
        if constexpr (named) {
            body(entity_, C::pass(std::get<I>(at_))...);
        } else if constexpr (bare) {
            body(C::pass(std::get<I>(at_))...);
        }
    }

    // typed_query.h explains the forms of blocks; the order of the steps is that of KITH_QUERY.
    template <std::size_t... I> KITH_ALWAYS_INLINE_ bool next(std::index_sequence<I...>)
    {
        if constexpr (Chunks) {
            if (kith_step_has_chunk_(&step_, step_.chunks_)) {
                count_ = kith_step_to_chunk_(&step_);
                (window<C, I>(), ...);
                return arrive();
            }
            if (kith_step_has_chunk_(&step_, step_.stamped_)) {
                count_ = kith_step_to_chunk_(&step_);
                (load<C, I>(), ...);
                for (uint32_t i = 1; i < count_; i++) {
                    (tick<C, I>(i), ...);
                }
                return arrive();
            }
            uint32_t   count                = 0;
            void      *at[sizeof...(C) + 1] = {};
            kith_step_ step                 = step_;
            entity_                         = look_up(&step, at, &count);
            count_                          = count;
            kith_step_take_(&step_, &step);
            step_.source_  = step.source_;
            step_.chunks_  = step.chunks_;
            step_.stamped_ = step.stamped_;
            step_.count_   = count_;
            ((std::get<I>(at_) = static_cast<typename C::value *>(at[I])), ...);
        } else {
            if (kith_step_within_(&step_, step_.last_)) {
                step_.at_++;
                (advance<C, I>(), ...);
                return arrive();
            }
            if (kith_step_within_(&step_, step_.window_)) {
                step_.at_++;
                (window<C, I>(), ...);
                return arrive();
            }
            if (kith_step_within_(&step_, step_.gathered_)) {
                step_.at_++;
                (load<C, I>(), ...);
                return arrive();
            }
            void      *at[sizeof...(C) + 1] = {};
            kith_step_ step                 = step_;
            entity_                         = look_up(&step, at, nullptr);
            kith_step_take_(&step_, &step);
            step_.last_     = step.last_;
            step_.window_   = step.window_;
            step_.gathered_ = step.gathered_;
            step_.count_    = entity_ != KITH_NULL;
            ((std::get<I>(at_) = static_cast<typename C::value *>(at[I])), ...);
        }
        return entity_ != KITH_NULL;
    }
    // C does not throw. A call that may leads to the destructor, and keeps the cursor in memory.
    static kith_entity look_up(kith_step_ *step, void **at, uint32_t *count) noexcept
    {
        if constexpr (Chunks) {
            return kith_step_next_chunk_(step, at, count);
        } else {
            (void)count;
            return kith_step_next_(step, at);
        }
    }
    bool arrive()
    {
        entity_ = kith_step_handle_(&step_);
        return true;
    }
    template <class D, std::size_t I> const kith_column_ &column() const
    {
        return step_.columns_[I];
    }
    template <class D, std::size_t I> void advance()
    {
        if constexpr (!D::maybe) {
            std::get<I>(at_) += 1;
        }
        if constexpr (!D::maybe && D::writes && D::shared::shift == KITH_ANY_SHIFT_) {
            kith_column_tick_(&column<D, I>(), step_.at_);
        }
    }
    template <class D, std::size_t I> void window()
    {
        if constexpr (!(D::maybe && D::writes)) {
            take<D, I>();
        }
    }
    template <class D, std::size_t I> void load()
    {
        take<D, I>();
        if constexpr (D::writes) {
            if (!D::maybe || std::get<I>(at_) != nullptr) {
                kith_column_stamp_(&column<D, I>(), step_.at_, D::shared::shift);
            }
        }
    }
    template <class D, std::size_t I> void tick(uint32_t i)
    {
        if constexpr (D::writes && D::shared::shift == KITH_ANY_SHIFT_) {
            if (std::get<I>(at_) != nullptr) {
                kith_column_stamp_(&column<D, I>(), step_.at_ + i, D::shared::shift);
            }
        }
    }
    template <class D, std::size_t I> void take()
    {
        std::get<I>(at_) = static_cast<typename D::value *>(column<D, I>().at_[step_.at_]);
    }

    kith_step_                         step_;
    std::tuple<typename C::value *...> at_;
    kith_entity                        entity_ = KITH_NULL;
    uint32_t                           count_  = 0;
};

} // namespace internal
/// @endcond

/// What a loop visits, and the values that it hands out. Terms are T, const T, and the words above.
/// It is a plain value: it may be copied, and lives as long as what it was made of.
template <class... Terms> class view
{
    using columns                     = internal::columns_of<Terms...>;
    using definition                  = internal::description<Terms...>;
    template <bool Chunks> using loop = internal::loop<Chunks, columns>;

  public:
    /// Of a world; a world to read; a stored query (kith_query_of, with desc()); a part
    /// (workers.h).
    explicit view(kith_world *world) : read_(world), world_(world)
    {
    }
    /// Of a world to read.
    explicit view(const kith_world *world) : read_(world)
    {
        static_assert(!(false || ... || internal::term<Terms>::writes),
                      "kith: this world is const; ask for const T instead of T");
    }
    /// Of a stored query (kith_query_of) with these terms.
    view(const kith_world *world, kith_query *query) : read_(world), query_(query), stored_(true)
    {
    }
    /// Of a part of a system (workers.h).
    explicit view(const kith_part *part) : read_(part->turn->world), part_(part)
    {
    }

    /// The terms for calls of query.h. The description is static.
    static const kith_query_desc *desc()
    {
        return &definition::desc;
    }

    /// The same view for changes since that tick. A stored query counts by itself.
    view since(uint64_t tick) const
    {
        view later   = *this;
        later.since_ = tick;
        return later;
    }

    /// Calls body(T &, const T &, T * for optional...) for each entity, in the order of the terms;
    /// with a kith_entity in front, if the body takes it.
    template <class F> void each(F &&body) const
    {
        for (loop<false> i(open()); i != internal::sentinel(); ++i) {
            i.call(body);
        }
    }

    /// Loops: std::tuple of the kith_entity and what each() passes; of chunks a tuple of the
    /// handles and a span for each column.
    KITH_ALWAYS_INLINE_ loop<false> begin() const
    {
        return loop<false>(open());
    }
    /// For range-for.
    internal::sentinel end() const
    {
        return internal::sentinel();
    }
    /// The chunks, for range-for: std::tuple of the handles and a span for each column.
    class arrays
    {
      public:
        /// Of a view.
        explicit arrays(const view &view) : view_(view)
        {
        }
        /// Begins a loop.
        KITH_ALWAYS_INLINE_ loop<true> begin() const
        {
            return loop<true>(view_.open());
        }
        /// For range-for.
        internal::sentinel end() const
        {
            return internal::sentinel();
        }

      private:
        view view_;
    };
    /// The chunks of the view.
    arrays chunks() const
    {
        return arrays(*this);
    }

    /// As kith_view_count, without a loop.
    uint32_t count() const
    {
        return with_since(kith_view_count);
    }
    /// As kith_view_first.
    kith_entity first() const
    {
        return with_since(kith_view_first);
    }
    /// As kith_view_contains.
    bool contains(kith_entity entity) const
    {
        return with_since([=](const kith_world *world, const kith_query_desc *desc) {
            return kith_view_contains(world, desc, entity);
        });
    }

  private:
    KITH_ALWAYS_INLINE_ kith_step_ open() const
    {
        if (stored_) {
            return kith_step_of_(kith_step_begin_stored_(query_, desc()));
        }
        if (part_ != nullptr) {
            return kith_step_of_(kith_step_begin_part_(part_, desc()));
        }
        if (world_ == nullptr) {
            return kith_step_begin_read_(read_, desc());
        }
        return with_since([this](const kith_world *, const kith_query_desc *desc) {
            return kith_step_of_(kith_step_begin_(world_, desc));
        });
    }
    template <class F> auto with_since(F call) const
    {
        kith_query_desc later = *desc();
        later.since           = since_;
        return call(read_, &later);
    }

    const kith_world *read_;
    kith_world       *world_  = nullptr;
    kith_query       *query_  = nullptr;
    const kith_part  *part_   = nullptr;
    uint64_t          since_  = 0;
    bool              stored_ = false;
};

} // namespace kith

#endif
