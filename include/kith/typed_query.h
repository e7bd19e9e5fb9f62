// SPDX-License-Identifier: MIT
// Typed queries: the fields of a typed cursor are the values. Part of kith.h.
//
//     KITH_QUERY(movers, write(position), read(velocity), without(frozen));
//
//     movers m = movers_begin(world);                  // one entity at a time
//     while (movers_next(&m)) {
//         m.position->x += m.velocity->x;              // m.entity is the handle
//     }
//
//     movers c = movers_begin(world);                  // plain arrays
//     while (movers_next_chunk(&c)) {
//         for (uint32_t i = 0; i < c.count; i++) {
//             c.position[i].x += c.velocity[i].x;      // movers_entity(&c, i) is the handle
//         }
//     }
//
//     KITH_EACH(movers, m, world) { ... }              // also closes its loop on break and return
//     KITH_EACH_STORED(movers, m, query) { ... }       // the same over a stored query
//
// Stepping within a block is inline code; the rest is in the library. A cursor that stays in one
// function can live in registers, because the slow path gets a copy of its step and its address
// never escapes. The compiler drops what the body does not use, such as the handle.
//
// Threads     Any number of threads may call NAME_begin_read, NAME_first and all others that take a
//             const world or query, while no thread changes the world. NAME_begin_part belongs to
//             the thread of the part. All others belong to the world's thread.
#ifndef KITH_TYPED_QUERY_H
#define KITH_TYPED_QUERY_H

#if defined(__GNUC__) && !defined(KITH_HEADER_WARNINGS)
    #pragma GCC system_header // see macro.h
#endif

#include "typed.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Inline code
// ---------------------------------------------------------------------------------------------

// The number of entities that a loop looks up at once.
#define KITH_BLOCK_ROWS_ 256u

// A column of a gathered block: the row and the address of each value; NULL: it is absent.
typedef struct kith_column_ {
    void            *at_[KITH_BLOCK_ROWS_];
    uint32_t         rows_[KITH_BLOCK_ROWS_]; // inline code reads them with `stamped_` only
    kith_pool_head_ *stamped_; // the pool whose pages are stamped row by row; in a window NULL
    uint64_t        *ticks_;   // of a run for writing: the ticks of its rows; NULL: no row ticks
    uint64_t         tick_;    // the current tick
    const uint32_t  *found_;   // the rows: `rows_`, or in the list of a stored query
} kith_column_;

// A loop that has begun, small enough for two registers; ticket_ is NULL if beginning failed.
typedef struct kith_begun_ {
    kith_world     *world_;
    const uint64_t *ticket_;
} kith_begun_;

/// The functions behind typed cursors and kith_cursor. `values` gets a value, or NULL, for each
/// column, in the order of the terms. At the end `values` does not change. next and next_chunk
/// return the entity, the first of a chunk, or KITH_NULL at the end.
KITH_API kith_begun_ kith_step_begin_(kith_world *world, const kith_query_desc *desc);
KITH_API kith_begun_ kith_step_begin_stored_(kith_query *query, const kith_query_desc *desc);
KITH_API kith_begun_ kith_step_begin_part_(const kith_part *part, const kith_query_desc *desc);
KITH_API kith_step_  kith_step_begin_read_(const kith_world *world, const kith_query_desc *desc);
KITH_API kith_step_  kith_step_begin_read_stored_(const kith_query      *query,
                                                  const kith_query_desc *desc);
KITH_API kith_entity kith_step_next_(kith_step_ *step, void **values);
KITH_API kith_entity kith_step_next_chunk_(kith_step_ *step, void **values, uint32_t *count);
KITH_API kith_entity kith_step_entity_(const kith_step_ *step, uint32_t i);
KITH_API void        kith_step_end_(kith_step_ *step);

// Returns the value of an optional term of the description, or NULL.
KITH_INLINE_ const void *kith_get_optional_(const kith_world *world, const kith_query_desc *desc,
                                            kith_entity entity, kith_component component)
{
    bool shown = kith_component_enabled(world, entity, component);
    for (uint32_t i = 0; i < desc->term_count && !shown; i++) {
        shown = desc->terms[i].component == component && desc->terms[i].role == KITH_ROLE_DISABLED;
    }
    return shown ? kith_component_get(world, entity, component) : NULL;
}

// Returns the step before the first entity of a loop.
KITH_INLINE_ kith_step_ kith_step_of_(kith_begun_ begun)
{
    kith_step_ step = KITH_ZERO_;
    step.world_     = begun.world_;
    step.ticket_    = begun.ticket_;
    step.serial_    = begun.ticket_ == NULL ? 0 : *begun.ticket_;
    return step;
}

// Takes what the library changed in a copy of the step, but for what only next or only next_chunk
// reads. What the library never changes, a cursor in registers keeps there.
KITH_INLINE_ void kith_step_take_(kith_step_ *step, const kith_step_ *copy)
{
    step->at_      = copy->at_;
    step->serial_  = copy->serial_;
    step->columns_ = copy->columns_;
    step->indices_ = copy->indices_;
    step->row_     = copy->row_;
}

// Whether the next entity is in the block, whose last one is at `last`, and the block is still
// valid.
KITH_INLINE_ bool kith_step_within_(const kith_step_ *step, uint32_t last)
{
    return KITH_LIKELY_(step->at_ < last && *step->ticket_ == step->serial_);
}

// Whether the current entity lives and still has what the loop includes, without a break.
KITH_INLINE_ bool kith_step_stands_(const kith_step_ *step)
{
    return KITH_LIKELY_(*step->ticket_ == step->serial_) || kith_step_entity_(step, 0) != KITH_NULL;
}

// Whether the next chunk begins in the block, which has the end `end`, and the block is still
// valid.
KITH_INLINE_ bool kith_step_has_chunk_(const kith_step_ *step, uint32_t end)
{
    return KITH_LIKELY_(step->at_ + step->count_ < end && *step->ticket_ == step->serial_);
}

// Goes to the next chunk of the block, and returns its length.
KITH_INLINE_ uint32_t kith_step_to_chunk_(kith_step_ *step)
{
    step->at_ += step->count_;
    step->count_ = KITH_CAST_(const uint32_t *, step->source_)[step->at_];
    KITH_NEVER_(step->count_ == 0); // spares a test in the program's loop over the chunk
    return step->count_;
}

// Returns the handle of the current entity.
KITH_INLINE_ kith_entity kith_step_handle_(const kith_step_ *step)
{
    uint32_t index = step->indices_[step->at_];
    return KITH_HEAD_(step->world_)->entities_[index >> KITH_PAGE_SHIFT_][index & KITH_PAGE_MASK_];
}

// Records that the current entity of a run is changed now, if its component has row ticks.
KITH_INLINE_ void kith_column_tick_(const kith_column_ *column, uint32_t i)
{
    if (column->ticks_ != NULL) {
        column->ticks_[i] = column->tick_;
    }
}

// Records that the value at `i` of a gathered block that is no window is changed now: stamps its
// page, and its row if there are row ticks. Only components without a known `shift` can have them.
KITH_INLINE_ void kith_column_stamp_(const kith_column_ *column, uint32_t i, uint32_t shift)
{
    kith_pool_head_ *pool = column->stamped_;
    if (pool != NULL) {
        kith_tick_row_(pool, column->rows_[i], shift, false);
        shift = shift == KITH_ANY_SHIFT_ ? pool->shift_ : shift;
        KITH_STORE_TICK_(pool->stamps_[column->rows_[i] >> shift], pool->tick_);
    }
}

#ifdef __cplusplus
}
#endif

// ---------------------------------------------------------------------------------------------
// Macros. clang-format off: it would fold the continuation lines into paragraphs.
// ---------------------------------------------------------------------------------------------

// clang-format off

/// Defines a query with 1..16 terms, each a word and a component that is declared before:
///     write(x) read(x)                 has x; the field x is its value, const for read
///     with(x) without(x)               has x, does not have x; no field
///     optional(x) optional_write(x)    the field x is NULL when x is absent
///     any(x, y, ...)                   up to 8; fields as optional(x), at least one is not NULL
///     disabled(x)                      disabled rows of x match as well
///     lead(x)                          the loop walks the rows of x, in their order
///     changed(x) added(x)              has x, and it was changed, added, since a tick; no field
/// kith_write(x), kith_read(x) ... are the same words, for programs in which the short ones are
/// macros. Tags and flags have no value to read or write. Another word, or a 17th term, does not
/// compile.
///
/// Defines the cursor type NAME with the fields of the terms, `entity`, `failed` and `count` (the
/// entities of the chunk after next_chunk, 1 after next, 0 at the end), and these functions:
///     NAME_begin(world) NAME_begin_since(world, tick) NAME_begin_stored(query)
///     NAME_begin_read(world) NAME_begin_read_stored(query) NAME_begin_part(part)
///     NAME_next(&c) NAME_next_chunk(&c) NAME_entity(&c, i) NAME_end(&c)
///     NAME_next_pair(world, &a, &b) NAME_get(world, entity)
///     NAME_first(world) NAME_count(world) NAME_contains(world, entity) NAME_size_hint(world)
///     NAME_query(world) and, without a world, NAME_desc() NAME_since(tick)
/// NAME_get returns a cursor with the values of one entity. Its `entity` is KITH_NULL when a loop
/// would not visit the entity, and after the errors of NAME_contains. It opens no loop, stamps the
/// values of write terms as NAME_mut of their components does, and its values are valid as long as
/// these. O(terms); inline where every term is read, write or own.
/// NAME_next_pair goes to the next pair of two entities, each pair once; `a` has the lower index.
/// It returns false at the end, and for `a.failed`. Both cursors are zeroed before the first call,
/// and by the last one. After break, NAME_end(&a) closes both loops. The body may change what a
/// body of nested loops may. An entity that is no longer there is in no later pair.
/// O(entities^2).
///     movers a = { 0 }, b = { 0 };
///     while (movers_next_pair(world, &a, &b)) { ... }
/// NAME_query is kith_query_of: the world's query with these terms, which lasts as long as the
/// world. NAME_since returns the description with this `since`, for kith_view_count and similar
/// calls.
#define KITH_QUERY(NAME, ...) KITH_QUERY_(KITH_COUNT16_(__VA_ARGS__), NAME, __VA_ARGS__)
#define KITH_QUERY_(COUNT, NAME, ...) \
    KITH_REFUSE_MANY_(COUNT, KITH_QUERY_IS_FULL_, NAME) \
    typedef struct NAME { \
        kith_entity entity; \
        uint32_t    count; \
        bool        failed; \
        KITH_MAP_(COUNT, KITH_FIELD_, NAME, __VA_ARGS__) \
        kith_step_  step_; \
    } NAME; \
    enum { KITH_MAP_(COUNT, KITH_COLUMN_, NAME, __VA_ARGS__) NAME##_columns_ }; \
    KITH_INLINE_ const kith_query_desc *NAME##_desc(void) \
    { \
        static const kith_term terms[] = { KITH_MAP_(COUNT, KITH_TERM_, NAME, __VA_ARGS__) }; \
        static const kith_query_desc desc = { #NAME, terms, sizeof terms / sizeof terms[0], 0 }; \
        return &desc; \
    } \
    KITH_INLINE_ kith_query_desc NAME##_since(uint64_t tick) \
    { \
        kith_query_desc desc = *NAME##_desc(); \
        desc.since = tick; \
        return desc; \
    } \
    KITH_INLINE_ NAME NAME##_start_(kith_step_ step) \
    { \
        NAME cursor = KITH_ZERO_; \
        cursor.step_  = step; \
        cursor.failed = step.serial_ == 0; \
        return cursor; \
    } \
    KITH_INLINE_ void NAME##_take_(NAME *cursor, void **at) \
    { \
        (void)cursor; \
        (void)at; \
        KITH_MAP_(COUNT, KITH_TAKE_, NAME, __VA_ARGS__) \
    } \
    KITH_INLINE_ bool NAME##_next(NAME *cursor) \
    { \
        if (kith_step_within_(&cursor->step_, cursor->step_.last_)) { \
            cursor->step_.at_++; \
            KITH_MAP_(COUNT, KITH_STEP_, NAME, __VA_ARGS__) \
            cursor->entity = kith_step_handle_(&cursor->step_); \
            return true; \
        } \
        if (kith_step_within_(&cursor->step_, cursor->step_.window_)) { \
            cursor->step_.at_++; \
            KITH_MAP_(COUNT, KITH_WINDOW_, NAME, __VA_ARGS__) \
            cursor->entity = kith_step_handle_(&cursor->step_); \
            return true; \
        } \
        if (kith_step_within_(&cursor->step_, cursor->step_.gathered_)) { \
            cursor->step_.at_++; \
            KITH_MAP_(COUNT, KITH_LOAD_, NAME, __VA_ARGS__) \
            cursor->entity = kith_step_handle_(&cursor->step_); \
            return true; \
        } \
        void      *at[NAME##_columns_ + 1] = KITH_ZERO_; \
        kith_step_ step = cursor->step_; \
        cursor->entity  = kith_step_next_(&step, at); \
        cursor->count   = cursor->entity != KITH_NULL; \
        kith_step_take_(&cursor->step_, &step); \
        cursor->step_.last_     = step.last_; \
        cursor->step_.window_   = step.window_; \
        cursor->step_.gathered_ = step.gathered_; \
        cursor->step_.count_    = cursor->count; \
        cursor->step_.chunks_   = cursor->step_.stamped_ = 0; \
        NAME##_take_(cursor, at); \
        return cursor->entity != KITH_NULL; \
    } \
    KITH_INLINE_ bool NAME##_next_chunk(NAME *cursor) \
    { \
        if (kith_step_has_chunk_(&cursor->step_, cursor->step_.chunks_)) { \
            cursor->count = kith_step_to_chunk_(&cursor->step_); \
            KITH_MAP_(COUNT, KITH_WINDOW_, NAME, __VA_ARGS__) \
            cursor->entity = kith_step_handle_(&cursor->step_); \
            return true; \
        } \
        if (kith_step_has_chunk_(&cursor->step_, cursor->step_.stamped_)) { \
            cursor->count = kith_step_to_chunk_(&cursor->step_); \
            KITH_MAP_(COUNT, KITH_LOAD_, NAME, __VA_ARGS__) \
            for (uint32_t i = 1; i < cursor->count; i++) { \
                KITH_MAP_(COUNT, KITH_TICK_, NAME, __VA_ARGS__) \
            } \
            cursor->entity = kith_step_handle_(&cursor->step_); \
            return true; \
        } \
        void      *at[NAME##_columns_ + 1] = KITH_ZERO_; \
        kith_step_ step = cursor->step_; \
        uint32_t   count; \
        cursor->entity  = kith_step_next_chunk_(&step, at, &count); \
        cursor->count   = count; \
        kith_step_take_(&cursor->step_, &step); \
        cursor->step_.source_  = step.source_; \
        cursor->step_.chunks_  = step.chunks_; \
        cursor->step_.stamped_ = step.stamped_; \
        cursor->step_.count_   = count; \
        cursor->step_.last_    = cursor->step_.window_ = cursor->step_.gathered_ = 0; \
        NAME##_take_(cursor, at); \
        return count != 0; \
    } \
    KITH_INLINE_ kith_entity NAME##_entity(const NAME *cursor, uint32_t i) \
    { \
        kith_step_ step = cursor->step_; \
        return kith_step_entity_(&step, i); \
    } \
    KITH_INLINE_ void NAME##_end(NAME *cursor) \
    { \
        kith_step_ step = cursor->step_; \
        kith_step_end_(&step); \
        cursor->step_ = step; \
    } \
    KITH_INLINE_ NAME NAME##_begin(kith_world *world) \
    { return NAME##_start_(kith_step_of_(kith_step_begin_(world, NAME##_desc()))); } \
    KITH_INLINE_ bool NAME##_next_pair(kith_world *world, NAME *a, NAME *b) \
    { \
        bool more = a->step_.world_ != NULL; /* otherwise this is the first call */ \
        if (!more) { \
            *a   = NAME##_begin(world); \
            more = NAME##_next(a); \
            *b   = more ? NAME##_begin(world) : *b; \
        } \
        while (more && !b->failed) { \
            while (kith_step_stands_(&a->step_) && NAME##_next(b)) { \
                if (KITH_CAST_(uint32_t, a->entity) < KITH_CAST_(uint32_t, b->entity)) { \
                    return true; \
                } \
            } \
            NAME##_end(b); \
            more = NAME##_next(a); \
            *b   = more ? NAME##_begin(world) : *b; \
        } \
        const bool failed = a->failed || b->failed; \
        const NAME none   = KITH_ZERO_; \
        NAME##_end(a); \
        *a        = none; \
        *b        = none; \
        a->failed = failed; \
        return false; \
    } \
    KITH_INLINE_ NAME NAME##_begin_since(kith_world *world, uint64_t tick) \
    { \
        const kith_query_desc desc = NAME##_since(tick); \
        return NAME##_start_(kith_step_of_(kith_step_begin_(world, &desc))); \
    } \
    KITH_INLINE_ NAME NAME##_begin_stored(kith_query *query) \
    { return NAME##_start_(kith_step_of_(kith_step_begin_stored_(query, NAME##_desc()))); } \
    KITH_INLINE_ NAME NAME##_begin_read(const kith_world *world) \
    { return NAME##_start_(kith_step_begin_read_(world, NAME##_desc())); } \
    KITH_INLINE_ NAME NAME##_begin_read_stored(const kith_query *query) \
    { return NAME##_start_(kith_step_begin_read_stored_(query, NAME##_desc())); } \
    KITH_INLINE_ NAME NAME##_begin_part(const kith_part *part) \
    { return NAME##_start_(kith_step_of_(kith_step_begin_part_(part, NAME##_desc()))); } \
    KITH_INLINE_ kith_query *NAME##_query(kith_world *world) \
    { return kith_query_of(world, NAME##_desc()); } \
    KITH_INLINE_ kith_entity NAME##_first(const kith_world *world) \
    { return kith_view_first(world, NAME##_desc()); } \
    KITH_INLINE_ uint32_t NAME##_count(const kith_world *world) \
    { return kith_view_count(world, NAME##_desc()); } \
    KITH_INLINE_ bool NAME##_contains(const kith_world *world, kith_entity entity) \
    { return kith_view_contains(world, NAME##_desc(), entity); } \
    KITH_INLINE_ uint32_t NAME##_size_hint(const kith_world *world) \
    { return kith_view_size_hint(world, NAME##_desc()); } \
    KITH_INLINE_ NAME NAME##_get_any_(kith_world *world, kith_entity entity) \
    { \
        NAME cursor = KITH_ZERO_; \
        if (NAME##_contains(world, entity)) { \
            cursor.entity = entity; \
            cursor.count  = 1; \
            KITH_MAP_(COUNT, KITH_GET_, NAME, __VA_ARGS__) \
        } \
        return cursor; \
    } \
    KITH_INLINE_ NAME NAME##_get(kith_world *world, kith_entity entity) \
    { \
        enum { plain = 1 KITH_MAP_(COUNT, KITH_PLAIN_, NAME, __VA_ARGS__) }; \
        NAME                    cursor = KITH_ZERO_; \
        const kith_world_head_ *head   = KITH_HEAD_(world); \
        uint32_t                page   = KITH_CAST_(uint32_t, entity) >> KITH_PAGE_SHIFT_; \
        uint64_t                differ = 0; \
        uint32_t                hidden = 0; \
        (void)head; \
        (void)page; \
        KITH_MAP_(COUNT, KITH_GET_POOL_, NAME, __VA_ARGS__) \
        if (KITH_LIKELY_(plain KITH_MAP_(COUNT, KITH_GET_PAGED_, NAME, __VA_ARGS__))) { \
            KITH_MAP_(COUNT, KITH_GET_SLOT_, NAME, __VA_ARGS__) \
            if (KITH_LIKELY_(differ < 0x80000000u && hidden == 0)) { \
                KITH_NEVER_(entity == KITH_NULL); \
                cursor.entity = entity; \
                cursor.count  = 1; \
                KITH_MAP_(COUNT, KITH_GET_ROW_, NAME, __VA_ARGS__) \
                return cursor; \
            } \
        } \
        return !plain KITH_MAP_(COUNT, KITH_GET_SLOW_, NAME, __VA_ARGS__) \
                   ? NAME##_get_any_(world, entity) \
                   : cursor; \
    } \
    KITH_EACH_SCOPE_(NAME) \
    struct NAME##_query_end_

/// KITH_EACH(movers, m, world) { ... } loops over a typed query, and closes the loop on every exit.
/// KITH_EACH_STORED(movers, m, query) { ... } loops over a stored query with these terms, and
/// KITH_EACH_PART(movers, m, part) { ... } over a chunk of one. All need C++, or the cleanup
/// attribute of gcc and clang.
#if defined(__cplusplus)
    #define KITH_EACH_SCOPE_(NAME) \
        struct NAME##_each_ : NAME { \
            explicit NAME##_each_(const NAME &begun) : NAME(begun) {} \
            ~NAME##_each_() { NAME##_end(this); } \
            NAME##_each_(const NAME##_each_ &) = delete; \
            NAME##_each_ &operator=(const NAME##_each_ &) = delete; \
        };
    #define KITH_EACH_IN_(NAME, CURSOR, BEGIN) \
        for (NAME##_each_ CURSOR(BEGIN); NAME##_next(&CURSOR);)
#else
    #define KITH_EACH_SCOPE_(NAME)
    #define KITH_EACH_IN_(NAME, CURSOR, BEGIN) \
        for (NAME CURSOR __attribute__((cleanup(NAME##_end))) = BEGIN; NAME##_next(&CURSOR);)
#endif
#if defined(__cplusplus) || defined(__GNUC__)
    #define KITH_EACH(NAME, CURSOR, WORLD) KITH_EACH_IN_(NAME, CURSOR, NAME##_begin(WORLD))
    #define KITH_EACH_STORED(NAME, CURSOR, QUERY) \
        KITH_EACH_IN_(NAME, CURSOR, NAME##_begin_stored(QUERY))
    #define KITH_EACH_PART(NAME, CURSOR, PART) \
        KITH_EACH_IN_(NAME, CURSOR, NAME##_begin_part(PART))
#endif

/// Defines a group and the query over its members. own(x) is write(x), and the group owns the rows
/// of x. Defines what KITH_QUERY defines, and NAME_group(world), which is kith_group_of.
/// For each x with a field that is never NULL, it also defines
///     NAME_sort_x(group, compare, context) NAME_sort_by_x(group, key)
/// Loops walk the group after NAME_group has created it. Before that, they are ordinary views.
#define KITH_GROUP(NAME, ...) KITH_GROUP_(KITH_COUNT16_(__VA_ARGS__), NAME, __VA_ARGS__)
#define KITH_GROUP_(COUNT, NAME, ...) \
    KITH_QUERY_(COUNT, NAME, __VA_ARGS__); \
    KITH_MAP_(COUNT, KITH_SORT_, NAME, __VA_ARGS__) \
    KITH_INLINE_ kith_group *NAME##_group(kith_world *world) \
    { return kith_group_of(world, NAME##_desc()); } \
    struct NAME##_group_end_

/// Defines NAME_path(world), which is kith_path_of for a path of 1..8 components.
#define KITH_PATH(NAME, ...) KITH_PATH_(KITH_COUNT8_(__VA_ARGS__), NAME, __VA_ARGS__)
#define KITH_PATH_(COUNT, NAME, ...) \
    KITH_REFUSE_MANY_(COUNT, KITH_PATH_IS_FULL_, NAME) \
    KITH_INLINE_ kith_path *NAME##_path(kith_world *world) \
    { \
        const kith_component components[] = { \
            KITH_MAP_(COUNT, KITH_PATH_ID_, NAME, __VA_ARGS__) }; \
        const kith_path_desc desc = { #NAME, components, sizeof components / sizeof *components }; \
        return kith_path_of(world, &desc); \
    } \
    struct NAME##_path_end_
#define KITH_PATH_ID_(Q, X)       X##_is_a_component_,
#define KITH_PATH_IS_FULL_(NAME)  KITH_WRONG_(path NAME has more than 8 components)

// Each word becomes the class of its column, its role, and its component. CONST and MUT have a
// value, MAYBE and MAYBE_MUT have a value or NULL, BARE has none, ANYOF is a list of alternatives.
// An unknown word stays one argument, so KITH_PICK2_ takes the class that its caller put after it:
// WRONG or BARE.
#define KITH_WORD_read(X)                ~, CONST, KITH_ROLE_READ, X
#define KITH_WORD_write(X)               ~, MUT, KITH_ROLE_WRITE, X
#define KITH_WORD_own(X)                 ~, MUT, KITH_ROLE_OWN, X
#define KITH_WORD_with(X)                ~, BARE, KITH_ROLE_WITH, X
#define KITH_WORD_without(X)             ~, BARE, KITH_ROLE_WITHOUT, X
#define KITH_WORD_optional(X)            ~, MAYBE, KITH_ROLE_OPTIONAL, X
#define KITH_WORD_optional_write(X)      ~, MAYBE_MUT, KITH_ROLE_OPTIONAL_WRITE, X
#define KITH_WORD_disabled(X)            ~, BARE, KITH_ROLE_DISABLED, X
#define KITH_WORD_lead(X)                ~, BARE, KITH_ROLE_LEAD, X
#define KITH_WORD_changed(X)             ~, BARE, KITH_ROLE_CHANGED, X
#define KITH_WORD_added(X)               ~, BARE, KITH_ROLE_ADDED, X
#define KITH_WORD_any(...)               ~, ANYOF, KITH_ROLE_ANY, (__VA_ARGS__)
#define KITH_WORD_kith_read(X)           KITH_WORD_read(X)
#define KITH_WORD_kith_write(X)          KITH_WORD_write(X)
#define KITH_WORD_kith_own(X)            KITH_WORD_own(X)
#define KITH_WORD_kith_with(X)           KITH_WORD_with(X)
#define KITH_WORD_kith_without(X)        KITH_WORD_without(X)
#define KITH_WORD_kith_optional(X)       KITH_WORD_optional(X)
#define KITH_WORD_kith_optional_write(X) KITH_WORD_optional_write(X)
#define KITH_WORD_kith_disabled(X)       KITH_WORD_disabled(X)
#define KITH_WORD_kith_lead(X)           KITH_WORD_lead(X)
#define KITH_WORD_kith_changed(X)        KITH_WORD_changed(X)
#define KITH_WORD_kith_added(X)          KITH_WORD_added(X)
#define KITH_WORD_kith_any(...)          KITH_WORD_any(__VA_ARGS__)

#define KITH_PICK_(M, Q, ...)                     KITH_PICK2_(M, Q, __VA_ARGS__)
#define KITH_PICK2_(M, Q, NONE, CLASS, ROLE, ...) M##CLASS(Q, ROLE, __VA_ARGS__)

// The field of a term, and a check that the component can have it.
#define KITH_FIELD_(Q, TERM)  KITH_PICK_(KITH_FIELD_, Q, KITH_WORD_##TERM, WRONG, TERM, ~)
#define KITH_FIELD_CONST(Q, ROLE, X, ...)     KITH_HAS_VALUE_(Q, X) const X##_type_ *X;
#define KITH_FIELD_MUT(Q, ROLE, X, ...)       KITH_IS_WRITTEN_(Q, X) X##_type_ *X;
#define KITH_FIELD_MAYBE(Q, ROLE, X, ...)     KITH_HAS_ENTITY_(Q, X) const X##_maybe_ *X;
#define KITH_FIELD_MAYBE_MUT(Q, ROLE, X, ...) KITH_IS_WRITTEN_(Q, X) X##_type_ *X;
#define KITH_FIELD_BARE(Q, ROLE, X, ...)      KITH_HAS_ENTITY_(Q, X)
#define KITH_FIELD_ANYOF(Q, ROLE, LIST, ...) \
    KITH_REFUSE_ANY_(KITH_COUNT8_ LIST, KITH_ANY_IS_FULL_, Q) \
    KITH_NAMES_(KITH_FIELD_EITHER_, Q, LIST)
#define KITH_FIELD_EITHER_(Q, ROLE, X, A) \
    KITH_REFUSE_(KITH_REFUSED_##A, Q) KITH_FIELD_MAYBE(Q, ROLE, X, ~)
#define KITH_FIELD_WRONG(Q, TERM, ...) \
    KITH_WRONG_(query Q: TERM is no term; the words of terms are read, write, own, with, without, \
                optional, optional_write, any, disabled, lead, changed, added)
#define KITH_HAS_VALUE_(Q, X) \
    KITH_STATIC_ASSERT_(X##_is_a_component_with_a_value_, \
                        "query " #Q ": " #X " has no value to read or write in an entity: " \
                        "it is a tag, a flag or a singleton");
#define KITH_IS_WRITTEN_(Q, X) \
    KITH_HAS_VALUE_(Q, X) \
    KITH_STATIC_ASSERT_(X##_is_a_component_to_write_, \
                        "query " #Q ": " #X " is a link or name: read it, change it by " #X "_set");
#define KITH_HAS_ENTITY_(Q, X) \
    KITH_STATIC_ASSERT_(X##_is_a_component_of_entities_, \
                        "query " #Q ": " #X " is a singleton, so no entity has it");

#define KITH_QUERY_IS_FULL_(Q)    KITH_WRONG_(query Q has more than 16 terms)
#define KITH_ANY_IS_FULL_(Q)      KITH_WRONG_(query Q: any has more than 8 components)
#define KITH_ANY_CHANGES_(Q) \
    KITH_WRONG_(query Q: any cannot ask for changes; take a query for each component)
#define KITH_ANY_WRITES_(Q) \
    KITH_WRONG_(query Q: any hands out values to read; to write them take optional_write)
#define KITH_ANY_WORDS_(Q) \
    KITH_WRONG_(query Q: any takes the names of components, without a word)
#define KITH_REFUSE_ANY_(...)     KITH_REFUSE_MANY_(__VA_ARGS__)

// The number of the column of a term.
#define KITH_COLUMN_(Q, TERM)   KITH_PICK_(KITH_COLUMN_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_COLUMN_CONST(Q, ROLE, X, ...)      Q##_column_##X##_,
#define KITH_COLUMN_MUT(Q, ROLE, X, ...)        Q##_column_##X##_,
#define KITH_COLUMN_MAYBE(Q, ROLE, X, ...)      Q##_column_##X##_,
#define KITH_COLUMN_MAYBE_MUT(Q, ROLE, X, ...)  Q##_column_##X##_,
#define KITH_COLUMN_BARE(...)
#define KITH_COLUMN_ANYOF(Q, ROLE, LIST, ...)   KITH_NAMES_(KITH_COLUMN_MAYBE, Q, LIST)

// The kith_term. `any_list` of all alternatives is the id of the first one.
#define KITH_TERM_(Q, TERM)   KITH_PICK_(KITH_TERM_, Q, KITH_WORD_##TERM, WRONG, ~, ~)
#define KITH_TERM_CONST(Q, ROLE, X, ...)      { X##_is_a_component_, ROLE, 0 },
#define KITH_TERM_MUT(Q, ROLE, X, ...)        { X##_is_a_component_, ROLE, 0 },
#define KITH_TERM_MAYBE(Q, ROLE, X, ...)      { X##_is_a_component_, ROLE, 0 },
#define KITH_TERM_MAYBE_MUT(Q, ROLE, X, ...)  { X##_is_a_component_, ROLE, 0 },
#define KITH_TERM_BARE(Q, ROLE, X, ...)       { X##_is_a_component_, ROLE, 0 },
#define KITH_TERM_WRONG(...)                  { 0, KITH_ROLE_WITH, 0 },
#define KITH_TERM_ANYOF(Q, ROLE, LIST, ...)   KITH_NAMES_(KITH_TERM_ONE_, KITH_FIRST_ LIST, LIST)
#define KITH_TERM_ONE_(FIRST, ROLE, X, ...)       { X##_is_a_component_, KITH_ROLE_ANY, FIRST },
#define KITH_FIRST_(...)                      KITH_FIRST2_(__VA_ARGS__, ~)
#define KITH_FIRST2_(X, ...)   KITH_FIRST3_(KITH_EITHER2_(KITH_INSIDE_ANY_##X, X, ~))
#define KITH_FIRST3_(X)                       KITH_FIRST4_(X)
#define KITH_FIRST4_(X)                       X##_is_a_component_

// Takes the value that the library returned.
#define KITH_TAKE_(Q, TERM)   KITH_PICK_(KITH_TAKE_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_TAKE_CONST(Q, ROLE, X, ...)      KITH_ASSIGN_(cursor->X, at[Q##_column_##X##_])
#define KITH_TAKE_MUT(...)                    KITH_TAKE_CONST(__VA_ARGS__)
#define KITH_TAKE_MAYBE(...)                  KITH_TAKE_CONST(__VA_ARGS__)
#define KITH_TAKE_MAYBE_MUT(...)              KITH_TAKE_CONST(__VA_ARGS__)
#define KITH_TAKE_BARE(...)
#define KITH_TAKE_ANYOF(Q, ROLE, LIST, ...)   KITH_NAMES_(KITH_TAKE_MAYBE, Q, LIST)
#ifdef __cplusplus
    #define KITH_ASSIGN_(FIELD, VALUE)        FIELD = static_cast<decltype(FIELD)>(VALUE);
#else
    #define KITH_ASSIGN_(FIELD, VALUE)        FIELD = (VALUE);
#endif

// Takes the value of one entity, which matches, by the calls of its component.
#define KITH_GET_(Q, TERM)   KITH_PICK_(KITH_GET_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_GET_CONST(Q, ROLE, X, ...) \
    KITH_ASSIGN_(cursor.X, kith_component_get(world, entity, X##_is_a_component_))
#define KITH_GET_MUT(Q, ROLE, X, ...) \
    KITH_ASSIGN_(cursor.X, kith_component_mut(world, entity, X##_is_a_component_)) \
    cursor.entity = cursor.X == NULL ? KITH_NULL : cursor.entity; /* refused */
#define KITH_GET_MAYBE(Q, ROLE, X, ...) \
    KITH_ASSIGN_(cursor.X, kith_get_optional_(world, Q##_desc(), entity, X##_is_a_component_))
#define KITH_GET_MAYBE_MUT(Q, ROLE, X, ...) \
    if (kith_get_optional_(world, Q##_desc(), entity, X##_is_a_component_) != NULL) { \
        KITH_ASSIGN_(cursor.X, kith_component_mut(world, entity, X##_is_a_component_)) \
    }
#define KITH_GET_BARE(...)
#define KITH_GET_ANYOF(Q, ROLE, LIST, ...)    KITH_NAMES_(KITH_GET_MAYBE, Q, LIST)

// Takes the values of one entity inline, if every term has a value: finds the pools; compares the
// handle with the slots; takes the rows. The calls decide where a pool has disabled rows, or is the
// pool of ids that are not registered or not declared.
#define KITH_PLAIN_(Q, TERM)   KITH_PICK_(KITH_PLAIN_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_PLAIN_CONST(...)
#define KITH_PLAIN_MUT(...)
#define KITH_PLAIN_MAYBE(...)                 & 0
#define KITH_PLAIN_MAYBE_MUT(...)             & 0
#define KITH_PLAIN_BARE(...)                  & 0
#define KITH_PLAIN_ANYOF(...)                 & 0
#define KITH_GET_POOL_(Q, TERM)   KITH_PICK_(KITH_GET_POOL_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_GET_POOL_CONST(Q, ROLE, X, ...) \
    const kith_pool_head_ *X##_pool_ = head->pools_[X##_is_a_component_];
#define KITH_GET_POOL_MUT(Q, ROLE, X, ...) \
    const kith_pool_head_ *X##_pool_ = head->writable_[X##_is_a_component_];
#define KITH_GET_POOL_MAYBE(...)
#define KITH_GET_POOL_MAYBE_MUT(...)
#define KITH_GET_POOL_BARE(...)
#define KITH_GET_POOL_ANYOF(...)
#define KITH_GET_PAGED_(Q, TERM)   KITH_PICK_(KITH_GET_PAGED_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_GET_PAGED_CONST(Q, ROLE, X, ...) && page < X##_pool_->sparse_pages_
#define KITH_GET_PAGED_MUT(...)               KITH_GET_PAGED_CONST(__VA_ARGS__)
#define KITH_GET_PAGED_MAYBE(...)
#define KITH_GET_PAGED_MAYBE_MUT(...)
#define KITH_GET_PAGED_BARE(...)
#define KITH_GET_PAGED_ANYOF(...)
#define KITH_GET_SLOW_(Q, TERM)   KITH_PICK_(KITH_GET_SLOW_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_GET_SLOW_CONST(Q, ROLE, X, ...) \
    || X##_pool_->id_ == 0 || X##_pool_->disabled_ != 0
#define KITH_GET_SLOW_MUT(...)                KITH_GET_SLOW_CONST(__VA_ARGS__)
#define KITH_GET_SLOW_MAYBE(...)
#define KITH_GET_SLOW_MAYBE_MUT(...)
#define KITH_GET_SLOW_BARE(...)
#define KITH_GET_SLOW_ANYOF(...)
#define KITH_GET_SLOT_(Q, TERM)   KITH_PICK_(KITH_GET_SLOT_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_GET_SLOT_CONST(Q, ROLE, X, ...) \
    const uint64_t X##_slot_ = X##_pool_->sparse_[page][entity & KITH_PAGE_MASK_]; \
    differ |= X##_slot_ ^ entity; \
    hidden |= X##_pool_->disabled_;
#define KITH_GET_SLOT_MUT(...)                KITH_GET_SLOT_CONST(__VA_ARGS__)
#define KITH_GET_SLOT_MAYBE(...)
#define KITH_GET_SLOT_MAYBE_MUT(...)
#define KITH_GET_SLOT_BARE(...)
#define KITH_GET_SLOT_ANYOF(...)
#define KITH_GET_ROW_(Q, TERM)   KITH_PICK_(KITH_GET_ROW_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_GET_ROW_CONST(Q, ROLE, X, ...) \
    cursor.X = KITH_CAST_(X##_type_ *, kith_value_(X##_pool_, X##_pool_->pages_, \
                                                   KITH_CAST_(uint32_t, X##_slot_), \
                                                   sizeof(X##_type_), X##_shift_));
#define KITH_GET_ROW_MUT(Q, ROLE, X, ...) \
    cursor.X = KITH_CAST_(X##_type_ *, kith_mut_row_(X##_pool_, KITH_CAST_(uint32_t, X##_slot_), \
                                                     sizeof(X##_type_), X##_shift_));
#define KITH_GET_ROW_MAYBE(...)
#define KITH_GET_ROW_MAYBE_MUT(...)
#define KITH_GET_ROW_BARE(...)
#define KITH_GET_ROW_ANYOF(...)

// Goes to the next value of a run. If a value may be absent, a run has one entity.
#define KITH_STEP_(Q, TERM)   KITH_PICK_(KITH_STEP_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_STEP_CONST(Q, ROLE, X, ...)      cursor->X += 1;
#define KITH_STEP_MUT(Q, ROLE, X, ...) \
    cursor->X += 1; \
    if (X##_shift_ == KITH_ANY_SHIFT_) { \
        kith_column_tick_(&cursor->step_.columns_[Q##_column_##X##_], cursor->step_.at_); \
    }
#define KITH_STEP_MAYBE(...)
#define KITH_STEP_MAYBE_MUT(...)
#define KITH_STEP_BARE(...)
#define KITH_STEP_ANYOF(...)

// Takes the next value of a window.
#define KITH_WINDOW_(Q, TERM)   KITH_PICK_(KITH_WINDOW_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_WINDOW_CONST(Q, ROLE, X, ...) \
    KITH_ASSIGN_(cursor->X, cursor->step_.columns_[Q##_column_##X##_].at_[cursor->step_.at_])
#define KITH_WINDOW_MUT(...)                  KITH_WINDOW_CONST(__VA_ARGS__)
#define KITH_WINDOW_MAYBE(...)                KITH_WINDOW_CONST(__VA_ARGS__)
#define KITH_WINDOW_MAYBE_MUT(...)
#define KITH_WINDOW_BARE(...)
#define KITH_WINDOW_ANYOF(Q, ROLE, LIST, ...) KITH_NAMES_(KITH_WINDOW_MAYBE, Q, LIST)

// Takes the next value of another gathered block, and stamps it.
#define KITH_LOAD_(Q, TERM)   KITH_PICK_(KITH_LOAD_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_LOAD_CONST(...)                  KITH_WINDOW_CONST(__VA_ARGS__)
#define KITH_LOAD_MUT(Q, ROLE, X, ...) \
    KITH_WINDOW_CONST(Q, ROLE, X, ~) \
    KITH_STAMP_(Q, X, cursor->step_.at_)
#define KITH_LOAD_MAYBE(...)                  KITH_WINDOW_CONST(__VA_ARGS__)
#define KITH_LOAD_MAYBE_MUT(Q, ROLE, X, ...) \
    KITH_WINDOW_CONST(Q, ROLE, X, ~) \
    if (cursor->X != NULL) { \
        KITH_STAMP_(Q, X, cursor->step_.at_) \
    }
#define KITH_LOAD_BARE(...)
#define KITH_LOAD_ANYOF(...)                  KITH_WINDOW_ANYOF(__VA_ARGS__)
#define KITH_STAMP_(Q, X, I) \
    kith_column_stamp_(&cursor->step_.columns_[Q##_column_##X##_], I, X##_shift_);

// Stamps the value of the chunk's entity `i`, if its rows have ticks. Its values are all there, or
// none is.
#define KITH_TICK_(Q, TERM)   KITH_PICK_(KITH_TICK_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_TICK_CONST(...)
#define KITH_TICK_MUT(Q, ROLE, X, ...) \
    if (X##_shift_ == KITH_ANY_SHIFT_ && cursor->X != NULL) { \
        KITH_STAMP_(Q, X, cursor->step_.at_ + i) \
    }
#define KITH_TICK_MAYBE(...)
#define KITH_TICK_MAYBE_MUT(...)              KITH_TICK_MUT(__VA_ARGS__)
#define KITH_TICK_BARE(...)
#define KITH_TICK_ANYOF(...)

// The functions that sort a group by the values of a field.
#define KITH_SORT_(Q, TERM)   KITH_PICK_(KITH_SORT_, Q, KITH_WORD_##TERM, BARE, ~, ~)
#define KITH_SORT_CONST(Q, ROLE, X, ...) \
    KITH_INLINE_ bool Q##_sort_##X(kith_group *group, \
                                   int (*compare)(X##_type_ const *a, X##_type_ const *b, \
                                                  void *context), \
                                   void *context) \
    { \
        X##_compare_         typed = { compare, context }; \
        const kith_sort_desc by_   = { NULL, compare == NULL ? NULL : X##_call_compare_, NULL, \
                                       &typed, 0 }; \
        return kith_group_sort(group, X##_is_a_component_, &by_); \
    } \
    KITH_INLINE_ bool Q##_sort_by_##X(kith_group *group, kith_sort_key key) \
    { \
        const kith_sort_desc by_ = { &key, NULL, NULL, NULL, 0 }; \
        return kith_group_sort(group, X##_is_a_component_, &by_); \
    }
#define KITH_SORT_MUT(...)                    KITH_SORT_CONST(__VA_ARGS__)
#define KITH_SORT_MAYBE(...)
#define KITH_SORT_MAYBE_MUT(...)
#define KITH_SORT_BARE(...)
#define KITH_SORT_ANYOF(...)

// The number of terms: 1..16, or MANY. The number of components: 1..8, or MANY.
#define KITH_COUNT16_(...) KITH_FITS_(KITH_COUNT16_PICK_(__VA_ARGS__, (16), (15), (14), (13), \
    (12), (11), (10), (9), (8), (7), (6), (5), (4), (3), (2), (1), ~))
#define KITH_COUNT16_PICK_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
                           N, ...) N
#define KITH_COUNT8_(...) \
    KITH_FITS_(KITH_COUNT8_PICK_(__VA_ARGS__, (8), (7), (6), (5), (4), (3), (2), (1), ~))
#define KITH_COUNT8_PICK_(a1, a2, a3, a4, a5, a6, a7, a8, N, ...) N

// Expands to M(Q, ANY, X, A) for each alternative A of an `any`, where X is its component; for MANY
// only for the first. An alternative with a word of KITH_INSIDE_ANY_ is refused, and then used
// without the word, so that it causes no further errors.
#define KITH_NAMES_(M, Q, LIST) \
    KITH_CALL_(KITH_JOIN_(KITH_NAMES, KITH_COUNT8_ LIST, _), M, Q, KITH_OPEN_ LIST)
#define KITH_CALL_(M, ...) M(__VA_ARGS__)
#define KITH_NAMESMANY_(M, Q, A, ...) KITH_EITHER_(M, Q, A)
#define KITH_NAMES1_(M, Q, A) KITH_EITHER_(M, Q, A)
#define KITH_NAMES2_(M, Q, A, B) KITH_EITHER_(M, Q, A) KITH_EITHER_(M, Q, B)
#define KITH_NAMES3_(M, Q, A, ...) KITH_EITHER_(M, Q, A) KITH_NAMES2_(M, Q, __VA_ARGS__)
#define KITH_NAMES4_(M, Q, A, ...) KITH_EITHER_(M, Q, A) KITH_NAMES3_(M, Q, __VA_ARGS__)
#define KITH_NAMES5_(M, Q, A, ...) KITH_EITHER_(M, Q, A) KITH_NAMES4_(M, Q, __VA_ARGS__)
#define KITH_NAMES6_(M, Q, A, ...) KITH_EITHER_(M, Q, A) KITH_NAMES5_(M, Q, __VA_ARGS__)
#define KITH_NAMES7_(M, Q, A, ...) KITH_EITHER_(M, Q, A) KITH_NAMES6_(M, Q, __VA_ARGS__)
#define KITH_NAMES8_(M, Q, A, ...) KITH_EITHER_(M, Q, A) KITH_NAMES7_(M, Q, __VA_ARGS__)
#define KITH_EITHER_(M, Q, A) \
    KITH_CALL_EITHER_(M, Q, ANY, KITH_EITHER2_(KITH_INSIDE_ANY_##A, A, ~), A)
#define KITH_EITHER2_(...)                KITH_SECOND_(__VA_ARGS__)
#define KITH_CALL_EITHER_(M, ...)         M(__VA_ARGS__)
#define KITH_INSIDE_ANY_changed(X)                 ~, X
#define KITH_INSIDE_ANY_kith_changed(X)            ~, X
#define KITH_INSIDE_ANY_added(X)                   ~, X
#define KITH_INSIDE_ANY_kith_added(X)              ~, X
#define KITH_INSIDE_ANY_write(X)                   ~, X
#define KITH_INSIDE_ANY_kith_write(X)              ~, X
#define KITH_INSIDE_ANY_optional_write(X)          ~, X
#define KITH_INSIDE_ANY_kith_optional_write(X)     ~, X
#define KITH_INSIDE_ANY_own(X)                     ~, X
#define KITH_INSIDE_ANY_kith_own(X)                ~, X
#define KITH_INSIDE_ANY_read(X)                    ~, X
#define KITH_INSIDE_ANY_kith_read(X)               ~, X
#define KITH_INSIDE_ANY_with(X)                    ~, X
#define KITH_INSIDE_ANY_kith_with(X)               ~, X
#define KITH_INSIDE_ANY_without(X)                 ~, X
#define KITH_INSIDE_ANY_kith_without(X)            ~, X
#define KITH_INSIDE_ANY_optional(X)                ~, X
#define KITH_INSIDE_ANY_kith_optional(X)           ~, X
#define KITH_INSIDE_ANY_disabled(X)                ~, X
#define KITH_INSIDE_ANY_kith_disabled(X)           ~, X
#define KITH_INSIDE_ANY_lead(X)                    ~, X
#define KITH_INSIDE_ANY_kith_lead(X)               ~, X
#define KITH_REFUSED_changed(X)                    ~, KITH_ANY_CHANGES_
#define KITH_REFUSED_kith_changed(X)               ~, KITH_ANY_CHANGES_
#define KITH_REFUSED_added(X)                      ~, KITH_ANY_CHANGES_
#define KITH_REFUSED_kith_added(X)                 ~, KITH_ANY_CHANGES_
#define KITH_REFUSED_write(X)                      ~, KITH_ANY_WRITES_
#define KITH_REFUSED_kith_write(X)                 ~, KITH_ANY_WRITES_
#define KITH_REFUSED_optional_write(X)             ~, KITH_ANY_WRITES_
#define KITH_REFUSED_kith_optional_write(X)        ~, KITH_ANY_WRITES_
#define KITH_REFUSED_own(X)                        ~, KITH_ANY_WRITES_
#define KITH_REFUSED_kith_own(X)                   ~, KITH_ANY_WRITES_
#define KITH_REFUSED_read(X)                       ~, KITH_ANY_WORDS_
#define KITH_REFUSED_kith_read(X)                  ~, KITH_ANY_WORDS_
#define KITH_REFUSED_with(X)                       ~, KITH_ANY_WORDS_
#define KITH_REFUSED_kith_with(X)                  ~, KITH_ANY_WORDS_
#define KITH_REFUSED_without(X)                    ~, KITH_ANY_WORDS_
#define KITH_REFUSED_kith_without(X)               ~, KITH_ANY_WORDS_
#define KITH_REFUSED_optional(X)                   ~, KITH_ANY_WORDS_
#define KITH_REFUSED_kith_optional(X)              ~, KITH_ANY_WORDS_
#define KITH_REFUSED_disabled(X)                   ~, KITH_ANY_WORDS_
#define KITH_REFUSED_kith_disabled(X)              ~, KITH_ANY_WORDS_
#define KITH_REFUSED_lead(X)                       ~, KITH_ANY_WORDS_
#define KITH_REFUSED_kith_lead(X)                  ~, KITH_ANY_WORDS_

// clang-format on

#endif
