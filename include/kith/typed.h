// SPDX-License-Identifier: MIT
// Typed functions for the components of a program, with names of its own. Part of kith.h.
//
//     enum { POSITION = 1, VELOCITY, FROZEN };
//     KITH_COMPONENT(position, vec2, POSITION);      // position_set, position_get, ...
//     KITH_TAG(frozen, FROZEN);                      // frozen_add, frozen_has, ...
//     KITH_MODULE(game, position, frozen);           // bool game_register(world)
//
// The macros add types; the untyped functions do the work: position_set(world, e, v) is
// kith_component_set(world, e, POSITION, &v). Only the functions in the section "Inline code" do
// more than forward. Each of them has a measured reason, and an exported twin. What they
// read of the library's data is ABI.
//
// The typed functions do not check the registration. The program must register the component by
// this declaration (position_register, or a module), not by another one with the same id. With
// KITH_DEBUG, for the library and the program, they do check it.
//
// Threads     A typed function follows the rule of its untyped function. Any number of threads may
//             call those that take a const world, while no thread changes the world. All others
//             belong to the world's thread.
#ifndef KITH_TYPED_H
#define KITH_TYPED_H

#if defined(__GNUC__) && !defined(KITH_HEADER_WARNINGS)
    #pragma GCC system_header // see macro.h
#endif

#include "command.h"
#include "fields.h"
#include "system.h"

#ifdef __cplusplus
    #define KITH_HEAD_(X) reinterpret_cast<const kith_world_head_ *>(X)
#else
    #define KITH_HEAD_(X) ((const kith_world_head_ *)(X))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Inline code
// ---------------------------------------------------------------------------------------------

// The entity table and the lookup of every pool have pages of 1024 entities.
#define KITH_PAGE_SHIFT_ 10
#define KITH_PAGE_MASK_  1023u

// The default number of rows in a page, as a power of two: about 64 KB of values. Such pages are
// long enough that a loop does not notice the step from page to page, and short enough that a pool
// of three entities stays small. The library uses the same numbers, so typed code need not ask it.
// clang-format off
#define KITH_SHIFT_(SIZE) \
    ((SIZE) <= 16 ? 12u : (SIZE) <= 32 ? 11u : (SIZE) <= 64 ? 10u : (SIZE) <= 128 ? 9u : \
     (SIZE) <= 256 ? 8u : (SIZE) <= 512 ? 7u : (SIZE) <= 1024 ? 6u : (SIZE) <= 2048 ? 5u : \
     (SIZE) <= 4096 ? 4u : (SIZE) <= 8192 ? 3u : (SIZE) <= 16384 ? 2u : (SIZE) <= 32768 ? 1u : 0u)
// clang-format on
#define KITH_ANY_SHIFT_ 32u

// The sparse slot of an index without a row. KITH_ABSENT_: the page of the slot is not allocated.
#define KITH_EMPTY_  UINT64_C(0xffffffff)
#define KITH_ABSENT_ UINT64_MAX

// In `listeners_`: adding the component calls the library, because a group requires or excludes it.
#define KITH_IN_GROUP_ 0x80000000u

// The part of a pool that inline code reads. A sparse slot is version << 32 | row, and its lower
// half is KITH_NO_ROW where the entity does not have the component. An id that is not registered
// has an empty pool with id 0, so lookups need no check for it.
typedef struct kith_pool_head_ {
    uint64_t **sparse_; // entity index -> slot, in pages; never NULL below sparse_pages_
    uint32_t   sparse_pages_;
    uint32_t   shift_;      // rows in a page, as a power of two
    uint8_t  **pages_;      // row -> value, in pages
    size_t     packed_at_;  // offset of the packed entity indices in a page, in bytes
    uint32_t   rows_;       // holes included
    uint32_t   capacity_;   // rows that fit into the memory and the limit
    uint64_t   inline_bit_; // in the signature word; 0: add and remove by the full call
    uint64_t  *stamps_;     // the tick at which each page was last written
    uint64_t   tick_;       // the tick of the world
    uint64_t   flags_set_;  // how often the flag was set; minus flags_cleared_: the count
    uint64_t   flags_cleared_;
    uint16_t   id_;
    uint16_t   word_;      // the signature word that has the bit
    uint32_t   listeners_; // number of listeners for add and set; with KITH_IN_GROUP_
    size_t     ticks_at_;  // offset of the change ticks in a page, in bytes; 0: no row ticks
    uint32_t   disabled_;  // number of disabled rows
} kith_pool_head_;

// The part of an entity page that inline code reads.
typedef struct kith_entity_page_ {
    uint64_t  handles_[KITH_PAGE_MASK_ + 1];
    uint64_t  signature_[KITH_PAGE_MASK_ + 1];   // the first word of each entity
    uint16_t *more_;                             // bit w - 1: planes_[w - 1] has bits of the entity
    uint64_t *planes_[KITH_SIGNATURE_WORDS - 1]; // the words from the second on; NULL: all are 0
} kith_entity_page_;

// The part of a world that inline code reads. The pages are kith_entity_page_.
typedef struct kith_world_head_ {
    uint64_t *const *entities_;
    uint32_t         entity_pages_;
    uint32_t         busy_; // not 0: hooks or listeners run, so adds and removes take the full call
    kith_pool_head_ *pools_[KITH_COMPONENT_MAX + 1];
    kith_pool_head_ *writable_[KITH_COMPONENT_MAX + 1]; // the same, but none while parts run
} kith_world_head_;

// The type that the field of a tag or flag points to: there is nothing to read.
typedef struct kith_no_value_ {
    uint8_t none_;
} kith_no_value_;

// Whether a slot has a row of this handle, whose index has 31 bits: the version is the same, and
// bit 31 is 0. One comparison is right for every such handle, also for null, (i, 0) and (i, all
// ones).
KITH_INLINE_ bool kith_slot_of_(uint64_t slot, kith_entity entity)
{
    return (slot ^ entity) < 0x80000000u;
}

// Returns the entity's row, or KITH_NO_ROW. A page below sparse_pages_ has an index of 31 bits.
KITH_INLINE_ uint32_t kith_row_(const kith_pool_head_ *pool, kith_entity entity)
{
    uint32_t page = KITH_CAST_(uint32_t, entity) >> KITH_PAGE_SHIFT_;
    if (KITH_UNLIKELY_(page >= pool->sparse_pages_)) {
        return KITH_NO_ROW;
    }
    uint64_t slot = pool->sparse_[page][entity & KITH_PAGE_MASK_];
    uint32_t row  = KITH_CAST_(uint32_t, slot);
    if (!kith_slot_of_(slot, entity)) {
        return KITH_NO_ROW;
    }
    KITH_NEVER_(row == KITH_NO_ROW); // callers test the result once
    return row;
}

// Whether the entity has a row. It does not branch on the result, because that branch cannot be
// predicted.
KITH_INLINE_ bool kith_has_row_(const kith_pool_head_ *pool, kith_entity entity)
{
    uint64_t **sparse = pool->sparse_; // before the branch: a loop can then load it once
    uint32_t   page   = KITH_CAST_(uint32_t, entity) >> KITH_PAGE_SHIFT_;
    return KITH_LIKELY_(page < pool->sparse_pages_) &&
           kith_slot_of_(sparse[page][entity & KITH_PAGE_MASK_], entity);
}

// Inline because the call costs as much as the lookup: bench G3.
KITH_INLINE_ bool kith_has_(const kith_world *world, kith_entity entity, kith_component component)
{
    const kith_pool_head_ *pool = KITH_HEAD_(world)->pools_[component];
    uint32_t               page = KITH_CAST_(uint32_t, entity) >> KITH_PAGE_SHIFT_;
    if (KITH_UNLIKELY_(page >= pool->sparse_pages_)) {
        return pool->id_ == 0 && kith_component_has(world, entity, component);
    }
    return kith_has_row_(pool, entity);
}

// Returns the pool of a component, also when the running system may only read it. Pools do not
// move. If the component is not registered or not declared, that is reported, and the pool is the
// empty one. The address of the pool stands before the description.
KITH_INLINE_ const kith_pool_head_ *kith_pool_(const kith_world *world, kith_component component)
{
    const kith_pool_head_ *pool = KITH_HEAD_(world)->pools_[component];
    if (KITH_UNLIKELY_(pool->id_ == 0) && kith_component_stats(world, component).limit != 0) {
        const void *desc = kith_component_describe(world, component);
        pool             = KITH_CAST_(const kith_pool_head_ *const *, desc)[-1];
    }
    return pool;
}

// Returns the address of the value in a row. A page of a known shift has at most 2^16 bytes, or one
// row: its values are counted in words of 32 bits, which the compiler adds in the access of the
// value itself.
KITH_INLINE_ void *kith_value_(const kith_pool_head_ *pool, uint8_t **pages, uint32_t row,
                               size_t size, uint32_t shift)
{
    bool known    = shift != KITH_ANY_SHIFT_;
    shift         = known ? shift : pool->shift_;
    uint8_t *rows = pages[row >> shift];
    uint32_t i    = row & ((1u << shift) - 1);
    KITH_NEVER_(rows == NULL);
    if (known && size % 4 == 0) {
        return KITH_CAST_(uint32_t *, KITH_CAST_(void *, rows)) +
               KITH_CAST_(size_t, i * KITH_CAST_(uint32_t, size / 4));
    }
    return rows + i * size;
}

// Returns the value in the entity's row, or NULL. Inline because `size` is then a constant, and
// `shift` too for components without traits; the call costs as much as the lookup: bench G1.
KITH_INLINE_ void *kith_find_(const kith_pool_head_ *pool, kith_entity entity, size_t size,
                              uint32_t shift)
{
    uint64_t **sparse = pool->sparse_; // before the branches: a loop can then load them once
    uint8_t  **pages  = pool->pages_;
    uint32_t   page   = KITH_CAST_(uint32_t, entity) >> KITH_PAGE_SHIFT_;
    if (KITH_UNLIKELY_(page >= pool->sparse_pages_)) {
        return NULL;
    }
    uint64_t slot = sparse[page][entity & KITH_PAGE_MASK_];
    if (KITH_UNLIKELY_(!kith_slot_of_(slot, entity))) {
        return NULL;
    }
    return kith_value_(pool, pages, KITH_CAST_(uint32_t, slot), size, shift);
}

KITH_INLINE_ const void *kith_get_(const kith_world *world, kith_entity entity,
                                   kith_component component, size_t size, uint32_t shift)
{
    const kith_pool_head_ *pool = KITH_HEAD_(world)->pools_[component];
    uint32_t               page = KITH_CAST_(uint32_t, entity) >> KITH_PAGE_SHIFT_;
    if (KITH_UNLIKELY_(page >= pool->sparse_pages_)) {
        return pool->id_ == 0 ? kith_component_get(world, entity, component) : NULL;
    }
    return kith_find_(pool, entity, size, shift);
}

// Returns the address of the tick in which the row was last changed. The tick in which it was added
// is one page of ticks further. The component must have row ticks.
KITH_INLINE_ uint64_t *kith_row_tick_(const kith_pool_head_ *pool, uint32_t row)
{
    uint8_t *page = pool->pages_[row >> pool->shift_];
    return KITH_CAST_(uint64_t *, KITH_CAST_(void *, page + pool->ticks_at_)) +
           (row & ((1u << pool->shift_) - 1));
}

// Records that the row is changed, or added, now. Only components with traits have row ticks, and
// only their `shift` is not known to the compiler.
KITH_INLINE_ void kith_tick_row_(const kith_pool_head_ *pool, uint32_t row, uint32_t shift,
                                 bool added)
{
    if (shift == KITH_ANY_SHIFT_ && KITH_UNLIKELY_(pool->ticks_at_ != 0)) {
        uint64_t *tick = kith_row_tick_(pool, row);
        *tick          = pool->tick_;
        if (added) {
            tick[KITH_CAST_(size_t, 1) << pool->shift_] = pool->tick_;
        }
    }
}

// Stamps the row and returns the address of its value.
KITH_INLINE_ void *kith_mut_row_(const kith_pool_head_ *pool, uint32_t row, size_t size,
                                 uint32_t shift)
{
    kith_tick_row_(pool, row, shift, false);
    shift                       = shift == KITH_ANY_SHIFT_ ? pool->shift_ : shift;
    pool->stamps_[row >> shift] = pool->tick_;
    return pool->pages_[row >> shift] + (row & ((1u << shift) - 1)) * size;
}

KITH_INLINE_ void *kith_mut_(kith_world *world, kith_entity entity, kith_component component,
                             size_t size, uint32_t shift)
{
    kith_pool_head_ *pool = KITH_HEAD_(world)->writable_[component];
    uint32_t         row  = kith_row_(pool, entity);
    if (KITH_UNLIKELY_(row == KITH_NO_ROW)) {
        return pool->id_ == 0 ? kith_component_mut(world, entity, component) : NULL;
    }
    return kith_mut_row_(pool, row, size, shift);
}

// Sets the bit of a pool whose signature word is not the first. The plane is allocated: the
// entity's page is in the lookup of the pool.
KITH_INLINE_ void kith_set_far_bit_(const kith_world_head_ *head, const kith_pool_head_ *pool,
                                    kith_entity entity)
{
    void                    *at = head->entities_[KITH_CAST_(uint32_t, entity) >> KITH_PAGE_SHIFT_];
    const kith_entity_page_ *page = KITH_CAST_(const kith_entity_page_ *, at);
    uint32_t                 i    = entity & KITH_PAGE_MASK_;
    page->planes_[pool->word_ - 1][i] |= pool->inline_bit_;
    page->more_[i] |= KITH_CAST_(uint16_t, 1u << (pool->word_ - 1));
}

// Adds the entity's row, or finds it. Returns the address where the caller stores the value.
// Returns NULL when there is more to do than storing bytes, or anything is wrong: then the full
// call decides. Inline because sizes are then constants: storing the value directly is faster than
// copying a run-time number of bytes through a pointer (bench M1).
KITH_INLINE_ void *kith_place_(kith_world *world, kith_entity entity, kith_component component,
                               size_t size, uint32_t shift, bool *added)
{
    const kith_world_head_ *head  = KITH_HEAD_(world);
    kith_pool_head_        *pool  = head->pools_[component];
    uint32_t                index = KITH_CAST_(uint32_t, entity);
    uint32_t                page  = index >> KITH_PAGE_SHIFT_;
    // an entity page exists for every page of the lookup
    if (KITH_UNLIKELY_(page >= pool->sparse_pages_ || pool->inline_bit_ == 0 || head->busy_ != 0)) {
        return NULL;
    }
    uint64_t *entities = head->entities_[page] + (index & KITH_PAGE_MASK_);
    uint64_t *slot     = pool->sparse_[page] + (index & KITH_PAGE_MASK_);
    uint32_t  row      = KITH_CAST_(uint32_t, *slot);
    bool      empty    = row == KITH_NO_ROW;
    if (KITH_UNLIKELY_(*entities != entity ||
                       (empty && (*slot == KITH_ABSENT_ || pool->rows_ == pool->capacity_)))) {
        return NULL;
    }
    row = empty ? pool->rows_ : row;
    kith_tick_row_(pool, row, shift, empty);
    shift         = shift == KITH_ANY_SHIFT_ ? pool->shift_ : shift;
    uint8_t *rows = pool->pages_[row >> shift];
    uint32_t i    = row & ((1u << shift) - 1);
    if (empty || size != 0) {
        pool->stamps_[row >> shift] = pool->tick_;
    }
    *added = empty;
    if (KITH_LIKELY_(empty)) {
        pool->rows_ = row + 1;
        *slot       = (entity - index) | row;
        if (KITH_UNLIKELY_(pool->word_ != 0)) {
            kith_set_far_bit_(head, pool, entity);
        } else {
            entities[KITH_PAGE_MASK_ + 1] |= pool->inline_bit_;
        }
        KITH_CAST_(uint32_t *, KITH_CAST_(void *, rows + pool->packed_at_))[i] = index;
    }
    KITH_NEVER_(rows == NULL);
    return rows + i * size;
}

// An entity that got the component joins and leaves groups. Then calls the listeners to add, or to
// set, if there are any. The pool is that of the component.
KITH_API void kith_component_announce_(kith_world *world, kith_pool_head_ *pool, kith_event event,
                                       kith_entity entity);

// Announces the value at `place`. Returns its address after that, because a group or a listener may
// move it, or NULL. The compiler drops the lookup where the program does not use the address.
KITH_INLINE_ void *kith_announce_(kith_world *world, kith_entity entity, kith_component component,
                                  size_t size, uint32_t shift, void *place, bool added)
{
    kith_pool_head_ *pool = KITH_HEAD_(world)->pools_[component];
    if (KITH_LIKELY_(pool->listeners_ == 0)) {
        return place;
    }
    kith_component_announce_(world, pool, added ? KITH_EVENT_ADD : KITH_EVENT_SET, entity);
    return kith_find_(pool, entity, size, shift);
}

// Begins a patch: returns the address of the entity's value, and locks the world as for a hook.
// Returns NULL when there is no row, or a hook or a listener runs: then the full call decides. The
// second function unlocks the world and announces the value. Inline because the full call looks the
// row up twice, and calls `change` through two pointers (bench P2).
KITH_INLINE_ void *kith_begin_patch_(kith_world *world, kith_entity entity,
                                     kith_component component, size_t size, uint32_t shift)
{
    kith_world_head_ *head = KITH_CAST_(kith_world_head_ *, KITH_CAST_(void *, world));
    kith_pool_head_  *pool = head->pools_[component];
    uint32_t          row  = kith_row_(pool, entity);
    if (KITH_UNLIKELY_(row == KITH_NO_ROW || head->busy_ != 0)) {
        return NULL;
    }
    head->busy_++;
    return kith_mut_row_(pool, row, size, shift);
}

KITH_INLINE_ void *kith_end_patch_(kith_world *world, kith_entity entity, kith_component component,
                                   size_t size, uint32_t shift, void *value)
{
    kith_world_head_ *head = KITH_CAST_(kith_world_head_ *, KITH_CAST_(void *, world));
    head->busy_--;
    return (head->pools_[component]->listeners_ & ~KITH_IN_GROUP_) == 0
               ? value
               : kith_announce_(world, entity, component, size, shift, value, false);
}

#ifdef KITH_DEBUG
// How a program declares a component. `place` says where, for errors. A program and a library, both
// built with KITH_DEBUG, compare it with the registration in each typed call.
typedef struct kith_declared_ {
    const char *name;
    const char *place;
    size_t      size;
    kith_kind   kind;
} kith_declared_;

// Returns the id. Reports KITH_ERROR_CONFLICT when it is registered with another name, kind, size.
KITH_API kith_component kith_declared_id_(const kith_world *world, kith_component id,
                                          const kith_declared_ *as);
#endif

// Returns the page of a living entity. NULL: the entity is dead, or the full call must check.
KITH_INLINE_ uint64_t *kith_quiet_page_(const kith_world_head_ *head, kith_entity entity)
{
    uint32_t page = KITH_CAST_(uint32_t, entity) >> KITH_PAGE_SHIFT_;
    if (KITH_UNLIKELY_(page >= head->entity_pages_ || head->busy_ != 0)) {
        return NULL;
    }
    uint64_t *slots = head->entities_[page];
    return KITH_LIKELY_(slots[entity & KITH_PAGE_MASK_] == entity) ? slots : NULL;
}

// Returns the address of the entity's signature word. `page` is the entity's page.
KITH_INLINE_ uint64_t *kith_signature_word_(uint64_t *page, kith_entity entity)
{
    return page + KITH_PAGE_MASK_ + 1 + (entity & KITH_PAGE_MASK_);
}

KITH_INLINE_ kith_sort_key kith_key_(size_t offset, kith_field_type type, bool descending)
{
    const kith_sort_key key = { KITH_CAST_(uint32_t, offset), type, descending };
    return key;
}

// Flags are inline because a bit needs fewer instructions than a call: bench M3.
KITH_INLINE_ bool kith_flag_has_(const kith_world *world, kith_entity entity,
                                 kith_component component)
{
    const kith_world_head_ *head = KITH_HEAD_(world);
    const kith_pool_head_  *flag = head->pools_[component];
    uint64_t               *page = kith_quiet_page_(head, entity);
    if (KITH_LIKELY_(page != NULL && flag->inline_bit_ != 0)) {
        return (*kith_signature_word_(page, entity) & flag->inline_bit_) != 0;
    }
    return kith_component_has(world, entity, component);
}

KITH_INLINE_ bool kith_flag_add_(kith_world *world, kith_entity entity, kith_component component)
{
    const kith_world_head_ *head = KITH_HEAD_(world);
    kith_pool_head_        *flag = head->pools_[component];
    uint64_t               *page = kith_quiet_page_(head, entity);
    if (KITH_LIKELY_(page != NULL && flag->inline_bit_ != 0)) {
        uint64_t *word = kith_signature_word_(page, entity);
        flag->flags_set_ += (*word & flag->inline_bit_) == 0;
        *word |= flag->inline_bit_;
        return true;
    }
    return kith_component_add(world, entity, component, NULL) != NULL;
}

KITH_INLINE_ bool kith_flag_remove_(kith_world *world, kith_entity entity, kith_component component)
{
    const kith_world_head_ *head = KITH_HEAD_(world);
    kith_pool_head_        *flag = head->pools_[component];
    uint64_t               *page = kith_quiet_page_(head, entity);
    if (KITH_LIKELY_(page != NULL && flag->inline_bit_ != 0)) {
        uint64_t *word = kith_signature_word_(page, entity);
        bool      had  = (*word & flag->inline_bit_) != 0;
        flag->flags_cleared_ += had;
        *word &= ~flag->inline_bit_;
        return had;
    }
    return kith_component_remove(world, entity, component);
}

#ifdef __cplusplus
}
#endif

// The compiler finds the key type of a field. C++ uses overloads without bodies: only the size of
// their result is used.
#ifdef __cplusplus
char (&kith_key_probe_(const bool *))[KITH_TYPE_U8 + 1];
char (&kith_key_probe_(const char *))[('\xff' < 0 ? KITH_TYPE_I8 : KITH_TYPE_U8) + 1];
char (&kith_key_probe_(const signed char *))[KITH_TYPE_I8 + 1];
char (&kith_key_probe_(const unsigned char *))[KITH_TYPE_U8 + 1];
char (&kith_key_probe_(const short *))[KITH_TYPE_I16 + 1];
char (&kith_key_probe_(const unsigned short *))[KITH_TYPE_U16 + 1];
char (&kith_key_probe_(const int *))[KITH_TYPE_I32 + 1];
char (&kith_key_probe_(const unsigned *))[KITH_TYPE_U32 + 1];
char (&kith_key_probe_(const long *))[(sizeof(long) == 8 ? KITH_TYPE_I64 : KITH_TYPE_I32) + 1];
char (&kith_key_probe_(
    const unsigned long *))[(sizeof(long) == 8 ? KITH_TYPE_U64 : KITH_TYPE_U32) + 1];
char (&kith_key_probe_(const long long *))[KITH_TYPE_I64 + 1];
char (&kith_key_probe_(const unsigned long long *))[KITH_TYPE_U64 + 1];
char (&kith_key_probe_(const float *))[KITH_TYPE_F32 + 1];
char (&kith_key_probe_(const double *))[KITH_TYPE_F64 + 1];
#endif

// ---------------------------------------------------------------------------------------------
// Macros. clang-format off: it would fold the continuation lines into paragraphs.
// ---------------------------------------------------------------------------------------------

// clang-format off

/// Defines a component with values of TYPE: any type that can be assigned (put an array into a
/// struct), in C++ one that is trivially copyable. ID is a constant 1..1023. NAME must not be
/// entity, count, failed or step_, which are fields of every query's cursor. Defines these
/// functions, each with `world` as first parameter:
///     NAME_set(e, value) NAME_add(e) NAME_get_or_add(e, value)      add, set
///     NAME_set_if_changed(e, value)
///     NAME_get(e) NAME_mut(e) NAME_has(e) NAME_enabled(e)           read
///     NAME_patch(e, function, context) NAME_remove(e)               change, remove
///     NAME_disable(e) NAME_enable(e)                                hide from queries, show again
///     NAME_count() NAME_rows() NAME_row(e) NAME_entity(row)         rows
///     NAME_value(row) NAME_owner(address)
///     NAME_reserve(rows) NAME_stats() NAME_limit_set(rows)
///     NAME_shrink() NAME_compact() NAME_swap(e, e) NAME_clear()
///     NAME_sort(compare, context) NAME_sort_by(key)                 sort the rows
///     NAME_sort_entities(compare, context) NAME_sort_as(component)
///     NAME_get_many(entities, count, values)
///     NAME_pool() NAME_in(pool, e) NAME_has_in(pool, e)             get and has, pool found once
///     NAME_stamp(row) NAME_changed_at(e) NAME_added_at(e)           ticks of changes
///     NAME_changes(since) NAME_removals(since)                      walk changes and removals
///     NAME_set_many(entities, count, values) NAME_set_range(range, values)   one value for each
///     NAME_fill_many(entities, count, value) NAME_fill_range(range, value)   one value for all
///     NAME_remove_many(entities, count) NAME_remove_range(range)
///     NAME_each(values) NAME_all(value)                             without a world: kith_values
///     NAME_on_add(call, context) NAME_on_set(..) NAME_on_remove(..) connect listeners
///     NAME_register() and, without a world, NAME_desc()
/// These functions have `commands` as first parameter and record a command (command.h):
///     NAME_set_later(e, value) NAME_add_later(e) NAME_remove_later(e)
///     NAME_disable_later(e) NAME_enable_later(e)
/// The listeners have priority 0; use kith_listener_connect for another priority.
/// NAME_pool returns a NAME_ref, which is valid as long as the world. NAME_in and NAME_has_in take
/// it instead of the world, and a loop without calls loads its addresses once. The component must
/// be registered, and declared by a checked system: otherwise NAME_pool reports the error, and the
/// pool is empty. The lookups check neither.
#define KITH_COMPONENT(NAME, TYPE, ID) \
    KITH_IS_BYTES_(NAME, TYPE, "specialize kith::component of <kith/kith.hpp>, or use " \
                   "KITH_COMPONENT_WITH and kith::traits<" #TYPE ">()") \
    KITH_DESC_(NAME, ID, KITH_KIND_VALUE, sizeof(TYPE), KITH_ALIGNOF_(TYPE), KITH_NO_TRAITS_) \
    KITH_POOL_(NAME, KITH_USED_ID_(NAME, ID)) \
    KITH_VALUES_(NAME, TYPE, KITH_USED_ID_(NAME, ID), KITH_SHIFT_(sizeof(TYPE)))

/// Defines a component as KITH_COMPONENT does, with a `kith_traits` object: policy, page rows,
/// alignment, hooks, required components, row ticks, a journal, not_cloned.
#define KITH_COMPONENT_WITH(NAME, TYPE, ID, TRAITS) \
    KITH_DESC_(NAME, ID, KITH_KIND_VALUE, sizeof(TYPE), KITH_ALIGNOF_(TYPE), \
               desc.traits = (TRAITS);) \
    KITH_POOL_(NAME, KITH_USED_ID_(NAME, ID)) \
    KITH_VALUES_(NAME, TYPE, KITH_USED_ID_(NAME, ID), KITH_ANY_SHIFT_)

/// Defines a component without bytes, as KITH_COMPONENT does, but without NAME_on_set and the
/// functions that take or return values (set, get, mut, in, patch, value, owner, sort ...).
/// For batches it has NAME_add_many(entities, count), NAME_add_range(range) and NAME_all() instead.
#define KITH_TAG(NAME, ID) \
    KITH_DESC_(NAME, ID, KITH_KIND_TAG, 0, 1, KITH_NO_TRAITS_) \
    KITH_POOL_(NAME, KITH_USED_ID_(NAME, ID)) \
    KITH_TAGS_(NAME, KITH_USED_ID_(NAME, ID))

/// Defines a component that is one bit of the signature. Its functions are NAME_add, _has, _remove,
/// _count, _clear, _on_add, _on_remove, _add_later, _remove_later, _register, _desc, and the
/// batches of a tag.
#define KITH_FLAG(NAME, ID) \
    KITH_DESC_(NAME, ID, KITH_KIND_FLAG, 0, 1, KITH_NO_TRAITS_) \
    KITH_FLAGS_(NAME, KITH_USED_ID_(NAME, ID))

/// Defines a flag with a `kith_traits` object: required components, not_cloned.
#define KITH_FLAG_WITH(NAME, ID, TRAITS) \
    KITH_DESC_(NAME, ID, KITH_KIND_FLAG, 0, 1, desc.traits = (TRAITS);) \
    KITH_FLAGS_(NAME, KITH_USED_ID_(NAME, ID))

/// Defines a component with one value, which belongs to the world. Its functions are NAME_set,
/// _add, _get, _mut, _has, _remove, _on_add, _on_set, _on_remove, _register, _desc.
#define KITH_SINGLETON(NAME, TYPE, ID) \
    KITH_IS_BYTES_(NAME, TYPE, "specialize kith::component of <kith/kith.hpp>, with " \
                   "KITH_KIND_SINGLETON as its kind") \
    KITH_DESC_(NAME, ID, KITH_KIND_SINGLETON, sizeof(TYPE), KITH_ALIGNOF_(TYPE), KITH_NO_TRAITS_) \
    KITH_SINGLE_(NAME, TYPE, KITH_USED_ID_(NAME, ID))

/// Define what KITH_COMPONENT and KITH_SINGLETON define, and say how the values are saved. The form
/// is fields(TABLE), plain(UNIT), through(SAVER), text(SAVER) or transient; text is as through, for
/// functions that write text. If the meaning of the values has changed, all but transient take
/// two more arguments: fields(crew, 2, &crew_upgrade). These are a version (0 by default), and a
/// kith_upgrade for values of other versions.
#define KITH_COMPONENT_AS(NAME, TYPE, ID, FORM) \
    KITH_IS_BYTES_(NAME, TYPE, "specialize kith::component of <kith/kith.hpp>, or use " \
                   "KITH_COMPONENT_WITH and kith::traits<" #TYPE ">()") \
    KITH_FORM_CHECK_(TYPE, KITH_AS_##FORM) \
    KITH_DESC_(NAME, ID, KITH_KIND_VALUE, sizeof(TYPE), KITH_ALIGNOF_(TYPE), KITH_SAVE_AS_(FORM)) \
    KITH_POOL_(NAME, KITH_USED_ID_(NAME, ID)) \
    KITH_VALUES_(NAME, TYPE, KITH_USED_ID_(NAME, ID), KITH_SHIFT_(sizeof(TYPE)))

#define KITH_SINGLETON_AS(NAME, TYPE, ID, FORM) \
    KITH_IS_BYTES_(NAME, TYPE, "specialize kith::component of <kith/kith.hpp>, with " \
                   "KITH_KIND_SINGLETON as its kind") \
    KITH_FORM_CHECK_(TYPE, KITH_AS_##FORM) \
    KITH_DESC_(NAME, ID, KITH_KIND_SINGLETON, sizeof(TYPE), KITH_ALIGNOF_(TYPE), \
               KITH_SAVE_AS_(FORM)) \
    KITH_SINGLE_(NAME, TYPE, KITH_USED_ID_(NAME, ID))

/// The key for NAME_sort_by: a field of TYPE that is a number (in C also an enum), ascending or
/// descending. KITH_KEY_OF is for a TYPE that is itself a number.
///     position_sort_by(world, KITH_KEY(vec2, x));
#define KITH_KEY(TYPE, FIELD) \
    kith_key_(offsetof(TYPE, FIELD), KITH_KEY_TYPE_(&KITH_NOWHERE_(TYPE)->FIELD), false)
#define KITH_KEY_DESCENDING(TYPE, FIELD) \
    kith_key_(offsetof(TYPE, FIELD), KITH_KEY_TYPE_(&KITH_NOWHERE_(TYPE)->FIELD), true)
#define KITH_KEY_OF(TYPE) kith_key_(0, KITH_KEY_TYPE_(KITH_NOWHERE_(TYPE)), false)

#ifdef __cplusplus
    #define KITH_NOWHERE_(TYPE) static_cast<TYPE *>(nullptr)
    #define KITH_KEY_TYPE_(ADDRESS) \
        static_cast<kith_field_type>(sizeof(kith_key_probe_(ADDRESS)) - 1)
#else
    #define KITH_NOWHERE_(TYPE) ((TYPE *)0)
    #define KITH_KEY_TYPE_(ADDRESS) \
        _Generic(*(ADDRESS), \
                 bool: KITH_TYPE_U8, \
                 char: '\xff' < 0 ? KITH_TYPE_I8 : KITH_TYPE_U8, \
                 signed char: KITH_TYPE_I8, \
                 unsigned char: KITH_TYPE_U8, \
                 short: KITH_TYPE_I16, \
                 unsigned short: KITH_TYPE_U16, \
                 int: KITH_TYPE_I32, \
                 unsigned: KITH_TYPE_U32, \
                 long: sizeof(long) == 8 ? KITH_TYPE_I64 : KITH_TYPE_I32, \
                 unsigned long: sizeof(long) == 8 ? KITH_TYPE_U64 : KITH_TYPE_U32, \
                 long long: KITH_TYPE_I64, \
                 unsigned long long: KITH_TYPE_U64, \
                 float: KITH_TYPE_F32, \
                 double: KITH_TYPE_F64)
#endif

/// Defines bool NAME_register(world), which registers 1..64 components with different ids, in this
/// order, all or none.
#define KITH_MODULE(NAME, ...) KITH_MODULE_(KITH_COUNT_(__VA_ARGS__), NAME, __VA_ARGS__)
#define KITH_MODULE_(COUNT, NAME, ...) \
    KITH_REFUSE_MANY_(COUNT, KITH_MODULE_IS_FULL_, NAME) \
    KITH_INLINE_ bool NAME##_register(kith_world *world) \
    { \
        enum { KITH_MAP_(COUNT, KITH_MODULE_ID_, NAME, __VA_ARGS__) NAME##_ids_ }; \
        KITH_JOIN_(KITH_IDS, COUNT, _)(NAME, __VA_ARGS__) \
        const kith_component_desc descs[] = { \
            KITH_MAP_(COUNT, KITH_CALL_DESC_, NAME, __VA_ARGS__) }; \
        return kith_component_register_many(world, descs, sizeof descs / sizeof descs[0]); \
    } \
    struct NAME##_module_end_

#define KITH_MODULE_IS_FULL_(NAME) \
    KITH_WRONG_(module NAME has more than 64 components; make two modules of it)
#define KITH_MODULE_ID_(NAME, X)  X##_in_module_ = X##_is_a_component_,
#define KITH_CALL_DESC_(NAME, X)  X##_desc(),
#define KITH_UNLIKE_(A, X)        & (A##_in_module_ != X##_in_module_)
#define KITH_NO_TRAITS_

// The longer macros below are lists of functions that only forward: there is nothing to split.

// The id in functions with a parameter `world`: with KITH_DEBUG it is checked. Functions without a
// world use the constant. KITH_CHECK_ only checks.
#ifdef KITH_DEBUG
    #define KITH_USED_ID_(NAME, ID) NAME##_id_(world)
    #define KITH_CHECK_(NAME)  (void)NAME##_id_(world);
    #define KITH_DECLARE_(NAME, ID, SIZE, KIND) \
        KITH_INLINE_ kith_component NAME##_id_(const kith_world *world) \
        { \
            static const kith_declared_ as = { #NAME, KITH_PLACE_(__FILE__, __LINE__), (SIZE), \
                                               (KIND) }; \
            return kith_declared_id_(world, (ID), &as); \
        }
    #define KITH_PLACE_(FILE, LINE)  KITH_PLACE2_(FILE, LINE)
    #define KITH_PLACE2_(FILE, LINE) "the component of " FILE ":" #LINE
#else
    #define KITH_USED_ID_(NAME, ID) ID
    #define KITH_CHECK_(NAME)
    #define KITH_DECLARE_(NAME, ID, SIZE, KIND)
#endif

// Queries and modules use these constants. If a component is misspelt there, the compiler reports
// an undeclared constant, and the name of the constant says the cause.
#define KITH_DESC_(NAME, ID, KIND, SIZE, ALIGNMENT, TRAITS) \
    KITH_STATIC_ASSERT_((ID) >= 1 && (ID) <= 1023, \
                        #NAME ": " #ID " is no component id; component ids are 1..1023"); \
    enum { \
        NAME##_is_a_component_              = (ID), \
        NAME##_is_a_component_of_entities_  = (KIND) != KITH_KIND_SINGLETON, \
        NAME##_is_a_component_with_a_value_ = (KIND) == KITH_KIND_VALUE \
    }; \
    KITH_DECLARE_(NAME, ID, SIZE, KIND) \
    KITH_INLINE_ kith_component_desc NAME##_desc(void) \
    { \
        kith_component_desc desc = KITH_ZERO_; \
        desc.name      = #NAME; \
        desc.id        = (ID); \
        desc.kind      = (KIND); \
        desc.size      = (SIZE); \
        desc.alignment = (ALIGNMENT); \
        TRAITS \
        return desc; \
    } \
    KITH_INLINE_ bool NAME##_register(kith_world *world) \
    { \
        const kith_component_desc desc = NAME##_desc(); \
        return kith_component_register(world, &desc) != 0; \
    }

#define KITH_ON_(NAME, ID, SUFFIX, EVENT) \
    KITH_INLINE_ kith_listener NAME##_on_##SUFFIX(kith_world *world, kith_listener_fn call, \
                                                  void *context) \
    { \
        const kith_listener_desc desc = { EVENT, (ID), call, context, 0, NULL }; \
        return kith_listener_connect(world, &desc); \
    }

// Tags and flags have a field only if it may be NULL. The type and the shift are for a query that
// is refused because it reads one: without them the compiler would report more errors.
#define KITH_NO_VALUE_(NAME) \
    typedef kith_no_value_ NAME##_maybe_; \
    typedef kith_no_value_ NAME##_type_; \
    enum { NAME##_shift_ = KITH_ANY_SHIFT_, NAME##_size_ = 0 }; \
    enum { NAME##_is_a_component_to_write_ = 1 };

// The cursor of a query has these fields, so a component of entities must not have these names.
#define KITH_NAME_(NAME)        KITH_REFUSE_(KITH_CURSOR_HAS_##NAME, NAME)
#define KITH_CURSOR_HAS_entity  ~, KITH_NAME_TAKEN_
#define KITH_CURSOR_HAS_count   ~, KITH_NAME_TAKEN_
#define KITH_CURSOR_HAS_failed  ~, KITH_NAME_TAKEN_
#define KITH_CURSOR_HAS_step_   ~, KITH_NAME_TAKEN_
#define KITH_NAME_TAKEN_(NAME) \
    KITH_WRONG_(component NAME: the cursor of every query has a field of that name)

#define KITH_LATER_(NAME, ID) \
    KITH_INLINE_ bool NAME##_add_later(kith_commands *commands, kith_entity entity) \
    { return kith_component_add_later(commands, entity, NAME##_is_a_component_); } \
    KITH_INLINE_ bool NAME##_remove_later(kith_commands *commands, kith_entity entity) \
    { return kith_component_remove_later(commands, entity, NAME##_is_a_component_); }

#define KITH_BATCHES_(NAME, ID) \
    KITH_LATER_(NAME, ID) \
    KITH_REMOVE_BATCHES_(NAME, ID)
#define KITH_REMOVE_BATCHES_(NAME, ID) \
    KITH_INLINE_ bool NAME##_remove_many(kith_world *world, const kith_entity *entities, \
                                         uint32_t count) \
    { \
        const kith_component id_ = (ID); \
        return kith_entity_remove_many(world, kith_entities_of(entities, count), &id_, 1); \
    } \
    KITH_INLINE_ bool NAME##_remove_range(kith_world *world, kith_entities range) \
    { const kith_component id_ = (ID); return kith_entity_remove_many(world, range, &id_, 1); }

#define KITH_MARK_BATCHES_(NAME, ID) \
    KITH_INLINE_ kith_values NAME##_all(void) \
    { const kith_values set = { NAME##_is_a_component_, NULL, 0 }; return set; } \
    KITH_INLINE_ bool NAME##_add_many(kith_world *world, const kith_entity *entities, \
                                      uint32_t count) \
    { \
        KITH_CHECK_(NAME) \
        const kith_values set = NAME##_all(); \
        return kith_entity_set_many(world, kith_entities_of(entities, count), &set, 1); \
    } \
    KITH_INLINE_ bool NAME##_add_range(kith_world *world, kith_entities range) \
    { \
        KITH_CHECK_(NAME) \
        const kith_values set = NAME##_all(); \
        return kith_entity_set_many(world, range, &set, 1); \
    }

#define KITH_VALUE_BATCHES_(NAME, TYPE, ID) \
    KITH_INLINE_ kith_values NAME##_each(TYPE const *values) \
    { const kith_values set = { NAME##_is_a_component_, values, sizeof(TYPE) }; return set; } \
    KITH_INLINE_ kith_values NAME##_all(TYPE const *value) \
    { const kith_values set = { NAME##_is_a_component_, value, 0 }; return set; } \
    KITH_INLINE_ bool NAME##_set_many(kith_world *world, const kith_entity *entities, \
                                      uint32_t count, TYPE const *values) \
    { \
        KITH_CHECK_(NAME) \
        const kith_values set = NAME##_each(values); \
        return kith_entity_set_many(world, kith_entities_of(entities, count), &set, 1); \
    } \
    KITH_INLINE_ bool NAME##_fill_many(kith_world *world, const kith_entity *entities, \
                                       uint32_t count, TYPE value) \
    { \
        KITH_CHECK_(NAME) \
        const kith_values set = NAME##_all(&value); \
        return kith_entity_set_many(world, kith_entities_of(entities, count), &set, 1); \
    } \
    KITH_INLINE_ bool NAME##_set_range(kith_world *world, kith_entities range, \
                                           TYPE const *values) \
    { \
        KITH_CHECK_(NAME) \
        const kith_values set = NAME##_each(values); \
        return kith_entity_set_many(world, range, &set, 1); \
    } \
    KITH_INLINE_ bool NAME##_fill_range(kith_world *world, kith_entities range, TYPE value) \
    { \
        KITH_CHECK_(NAME) \
        const kith_values set = NAME##_all(&value); \
        return kith_entity_set_many(world, range, &set, 1); \
    }

#define KITH_POOL_(NAME, ID) \
    KITH_BATCHES_(NAME, ID) \
    KITH_ROWS_(NAME, ID) \
    KITH_INLINE_ bool NAME##_remove(kith_world *world, kith_entity entity) \
    { return kith_component_remove(world, entity, (ID)); } \
    KITH_INLINE_ uint32_t NAME##_count(const kith_world *world) \
    { return kith_component_count(world, (ID)); }

// What links have too.
#define KITH_ROWS_(NAME, ID) \
    KITH_NAME_(NAME) \
    KITH_ON_(NAME, ID, add, KITH_EVENT_ADD) \
    KITH_ON_(NAME, ID, remove, KITH_EVENT_REMOVE) \
    KITH_INLINE_ uint64_t NAME##_stamp(const kith_world *world, uint32_t row) \
    { return kith_component_stamp(world, (ID), row); } \
    KITH_INLINE_ uint64_t NAME##_changed_at(const kith_world *world, kith_entity entity) \
    { return kith_component_changed_at(world, entity, (ID)); } \
    KITH_INLINE_ uint64_t NAME##_added_at(const kith_world *world, kith_entity entity) \
    { return kith_component_added_at(world, entity, (ID)); } \
    KITH_INLINE_ kith_changes NAME##_changes(const kith_world *world, uint64_t since) \
    { return kith_changes_begin(world, (ID), since); } \
    KITH_INLINE_ kith_removals NAME##_removals(const kith_world *world, uint64_t since) \
    { return kith_removals_begin(world, (ID), since); } \
    typedef struct NAME##_ref { const kith_pool_head_ *pool_; } NAME##_ref; \
    KITH_INLINE_ NAME##_ref NAME##_pool(const kith_world *world) \
    { const NAME##_ref ref_ = { kith_pool_(world, (ID)) }; return ref_; } \
    KITH_INLINE_ bool NAME##_has_in(NAME##_ref pool, kith_entity entity) \
    { return kith_has_row_(pool.pool_, entity); } \
    KITH_INLINE_ bool NAME##_has(const kith_world *world, kith_entity entity) \
    { return kith_has_(world, entity, (ID)); } \
    KITH_INLINE_ bool NAME##_disable(kith_world *world, kith_entity entity) \
    { return kith_component_enable(world, entity, (ID), false); } \
    KITH_INLINE_ bool NAME##_enable(kith_world *world, kith_entity entity) \
    { return kith_component_enable(world, entity, (ID), true); } \
    KITH_INLINE_ bool NAME##_disable_later(kith_commands *commands, kith_entity entity) \
    { return kith_component_enable_later(commands, entity, NAME##_is_a_component_, false); } \
    KITH_INLINE_ bool NAME##_enable_later(kith_commands *commands, kith_entity entity) \
    { return kith_component_enable_later(commands, entity, NAME##_is_a_component_, true); } \
    KITH_INLINE_ bool NAME##_enabled(const kith_world *world, kith_entity entity) \
    { return kith_component_enabled(world, entity, (ID)); } \
    KITH_INLINE_ uint32_t NAME##_rows(const kith_world *world) \
    { return kith_component_stats(world, (ID)).rows; } \
    KITH_INLINE_ uint32_t NAME##_row(const kith_world *world, kith_entity entity) \
    { return kith_component_row(world, entity, (ID)); } \
    KITH_INLINE_ kith_entity NAME##_entity(const kith_world *world, uint32_t row) \
    { return kith_component_entity(world, (ID), row); } \
    KITH_INLINE_ bool NAME##_reserve(kith_world *world, uint32_t rows) \
    { return kith_component_reserve(world, (ID), rows); } \
    KITH_INLINE_ kith_pool_stats NAME##_stats(const kith_world *world) \
    { return kith_component_stats(world, (ID)); } \
    KITH_INLINE_ bool NAME##_limit_set(kith_world *world, uint32_t rows) \
    { return kith_component_limit_set(world, (ID), rows); } \
    KITH_INLINE_ bool NAME##_shrink(kith_world *world) \
    { return kith_component_shrink(world, (ID)); } \
    KITH_INLINE_ bool NAME##_compact(kith_world *world) \
    { return kith_component_compact(world, (ID)); } \
    KITH_INLINE_ bool NAME##_swap(kith_world *world, kith_entity a, kith_entity b) \
    { return kith_component_swap(world, (ID), a, b); } \
    KITH_INLINE_ bool NAME##_sort_entities(kith_world *world, kith_compare_entities_fn compare, \
                                           void *context) \
    { \
        const kith_sort_desc by_ = { NULL, NULL, compare, context, 0 }; \
        return kith_component_sort(world, (ID), &by_); \
    } \
    KITH_INLINE_ bool NAME##_sort_as(kith_world *world, kith_component other) \
    { \
        const kith_sort_desc by_ = { NULL, NULL, NULL, NULL, other }; \
        return kith_component_sort(world, (ID), &by_); \
    } \
    KITH_INLINE_ bool NAME##_clear(kith_world *world) \
    { return kith_component_clear(world, (ID)); }

#define KITH_VALUES_(NAME, TYPE, ID, SHIFT) \
    enum { NAME##_is_a_component_to_write_ = 1 }; \
    KITH_READS_(NAME, TYPE, ID, SHIFT) \
    KITH_VALUE_BATCHES_(NAME, TYPE, ID) \
    KITH_INLINE_ TYPE *NAME##_set(kith_world *world, kith_entity entity, TYPE value) \
    { \
        bool  added_; \
        void *place_ = kith_place_(world, entity, (ID), sizeof(TYPE), (SHIFT), &added_); \
        if (KITH_LIKELY_(place_ != NULL)) { \
            *KITH_CAST_(TYPE *, place_) = value; \
            return KITH_CAST_(TYPE *, kith_announce_(world, entity, (ID), sizeof(TYPE), (SHIFT), \
                                                     place_, added_)); \
        } \
        /* a copy: taking the address of `value` would also put it on the stack above */ \
        TYPE copy_ = value; \
        return KITH_CAST_(TYPE *, kith_component_set(world, entity, (ID), &copy_)); \
    } \
    KITH_INLINE_ bool NAME##_set_if_changed(kith_world *world, kith_entity entity, TYPE value) \
    { return kith_component_set_if_changed(world, entity, (ID), &value); } \
    KITH_INLINE_ bool NAME##_set_later(kith_commands *commands, kith_entity entity, TYPE value) \
    { return kith_component_set_later(commands, entity, NAME##_is_a_component_, &value); } \
    KITH_INLINE_ TYPE *NAME##_add(kith_world *world, kith_entity entity) \
    { return KITH_CAST_(TYPE *, kith_component_add(world, entity, (ID), NULL)); } \
    KITH_INLINE_ TYPE *NAME##_get_or_add(kith_world *world, kith_entity entity, TYPE value) \
    { return KITH_CAST_(TYPE *, kith_component_add(world, entity, (ID), &value)); } \
    KITH_INLINE_ TYPE *NAME##_mut(kith_world *world, kith_entity entity) \
    { return KITH_CAST_(TYPE *, kith_mut_(world, entity, (ID), sizeof(TYPE), (SHIFT))); } \
    typedef struct NAME##_change_ { \
        void (*call)(TYPE *value, void *context); \
        void *context; \
    } NAME##_change_; \
    KITH_INLINE_ void NAME##_call_change_(void *value, void *change) \
    { \
        NAME##_change_ *typed = KITH_CAST_(NAME##_change_ *, change); \
        typed->call(KITH_CAST_(TYPE *, value), typed->context); \
    } \
    KITH_INLINE_ TYPE *NAME##_patch(kith_world *world, kith_entity entity, \
                                    void (*change)(TYPE *value, void *context), void *context) \
    { \
        void *value_ = change == NULL ? NULL \
                                      : kith_begin_patch_(world, entity, (ID), sizeof(TYPE), \
                                                          (SHIFT)); \
        if (KITH_LIKELY_(value_ != NULL)) { \
            change(KITH_CAST_(TYPE *, value_), context); \
            return KITH_CAST_(TYPE *, kith_end_patch_(world, entity, (ID), sizeof(TYPE), (SHIFT), \
                                                      value_)); \
        } \
        NAME##_change_ typed = { change, context }; \
        return KITH_CAST_(TYPE *, kith_component_patch(world, entity, (ID), \
                                                       change == NULL ? NULL \
                                                                      : NAME##_call_change_, \
                                                       &typed)); \
    } \
    struct NAME##_component_end_

// What only reads the values: links have it too.
#define KITH_READS_(NAME, TYPE, ID, SHIFT) \
    typedef TYPE NAME##_type_; \
    typedef TYPE NAME##_maybe_; \
    enum { NAME##_shift_ = (SHIFT), NAME##_size_ = sizeof(TYPE) }; \
    KITH_ON_(NAME, ID, set, KITH_EVENT_SET) \
    KITH_INLINE_ uint32_t NAME##_get_many(const kith_world *world, const kith_entity *entities, \
                                          uint32_t count, TYPE const **values) \
    { \
        return kith_component_get_many(world, (ID), entities, count, \
                                       KITH_CAST_(const void **, KITH_CAST_(void *, values))); \
    } \
    KITH_INLINE_ TYPE const *NAME##_in(NAME##_ref pool, kith_entity entity) \
    { return KITH_CAST_(TYPE const *, kith_find_(pool.pool_, entity, sizeof(TYPE), (SHIFT))); } \
    KITH_INLINE_ TYPE const *NAME##_get(const kith_world *world, kith_entity entity) \
    { return KITH_CAST_(TYPE const *, kith_get_(world, entity, (ID), sizeof(TYPE), (SHIFT))); } \
    KITH_INLINE_ TYPE const *NAME##_value(const kith_world *world, uint32_t row) \
    { return KITH_CAST_(TYPE const *, kith_component_value(world, (ID), row)); } \
    KITH_INLINE_ kith_entity NAME##_owner(const kith_world *world, TYPE const *value) \
    { return kith_component_owner(world, (ID), value); } \
    KITH_INLINE_ bool NAME##_sort_by(kith_world *world, kith_sort_key key) \
    { \
        const kith_sort_desc by_ = { &key, NULL, NULL, NULL, 0 }; \
        return kith_component_sort(world, (ID), &by_); \
    } \
    typedef struct NAME##_compare_ { \
        int (*call)(TYPE const *a, TYPE const *b, void *context); \
        void *context; \
    } NAME##_compare_; \
    KITH_INLINE_ int NAME##_call_compare_(const void *a, const void *b, void *compare) \
    { \
        NAME##_compare_ *typed = KITH_CAST_(NAME##_compare_ *, compare); \
        return typed->call(KITH_CAST_(TYPE const *, a), KITH_CAST_(TYPE const *, b), \
                           typed->context); \
    } \
    KITH_INLINE_ bool NAME##_sort(kith_world *world, \
                                  int (*compare)(TYPE const *a, TYPE const *b, void *context), \
                                  void *context) \
    { \
        NAME##_compare_      typed = { compare, context }; \
        const kith_sort_desc by_   = { NULL, compare == NULL ? NULL : NAME##_call_compare_, NULL, \
                                       &typed, 0 }; \
        return kith_component_sort(world, (ID), &by_); \
    }

#define KITH_TAGS_(NAME, ID) \
    KITH_NO_VALUE_(NAME) \
    KITH_MARK_BATCHES_(NAME, ID) \
    KITH_INLINE_ bool NAME##_add(kith_world *world, kith_entity entity) \
    { \
        bool  added_; \
        void *place_ = kith_place_(world, entity, (ID), 0, KITH_SHIFT_(0), &added_); \
        if (KITH_LIKELY_(place_ != NULL)) { \
            return !added_ || kith_announce_(world, entity, (ID), 0, KITH_SHIFT_(0), place_, \
                                             added_) != NULL; \
        } \
        return kith_component_add(world, entity, (ID), NULL) != NULL; \
    } \
    struct NAME##_tag_end_

#define KITH_FLAGS_(NAME, ID) \
    KITH_NAME_(NAME) \
    KITH_NO_VALUE_(NAME) \
    KITH_BATCHES_(NAME, ID) \
    KITH_MARK_BATCHES_(NAME, ID) \
    KITH_ON_(NAME, ID, add, KITH_EVENT_ADD) \
    KITH_ON_(NAME, ID, remove, KITH_EVENT_REMOVE) \
    KITH_INLINE_ bool NAME##_add(kith_world *world, kith_entity entity) \
    { return kith_flag_add_(world, entity, (ID)); } \
    KITH_INLINE_ bool NAME##_remove(kith_world *world, kith_entity entity) \
    { return kith_flag_remove_(world, entity, (ID)); } \
    KITH_INLINE_ bool NAME##_has(const kith_world *world, kith_entity entity) \
    { return kith_flag_has_(world, entity, (ID)); } \
    KITH_INLINE_ uint32_t NAME##_count(const kith_world *world) \
    { return kith_component_count(world, (ID)); } \
    KITH_INLINE_ bool NAME##_clear(kith_world *world) \
    { return kith_component_clear(world, (ID)); } \
    struct NAME##_flag_end_

#define KITH_SINGLE_(NAME, TYPE, ID) \
    KITH_ON_(NAME, ID, add, KITH_EVENT_ADD) \
    KITH_ON_(NAME, ID, set, KITH_EVENT_SET) \
    KITH_ON_(NAME, ID, remove, KITH_EVENT_REMOVE) \
    KITH_INLINE_ TYPE *NAME##_set(kith_world *world, TYPE value) \
    { return KITH_CAST_(TYPE *, kith_singleton_set(world, (ID), &value)); } \
    KITH_INLINE_ TYPE *NAME##_add(kith_world *world) \
    { return KITH_CAST_(TYPE *, kith_singleton_add(world, (ID))); } \
    KITH_INLINE_ TYPE const *NAME##_get(const kith_world *world) \
    { return KITH_CAST_(TYPE const *, kith_singleton_get(world, (ID))); } \
    KITH_INLINE_ TYPE *NAME##_mut(kith_world *world) \
    { return KITH_CAST_(TYPE *, kith_singleton_mut(world, (ID))); } \
    KITH_INLINE_ bool NAME##_has(const kith_world *world) \
    { return kith_singleton_get(world, (ID)) != NULL; } \
    KITH_INLINE_ bool NAME##_remove(kith_world *world) \
    { return kith_singleton_remove(world, (ID)); } \
    struct NAME##_singleton_end_

// clang-format on

#endif
