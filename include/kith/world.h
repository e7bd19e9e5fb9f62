// SPDX-License-Identifier: MIT
// Worlds and their entities: creating, destroying, memory, errors, ticks. Part of kith.h.
#ifndef KITH_WORLD_H
#define KITH_WORLD_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Which free index the next entity gets.
typedef enum kith_free_order {
    KITH_FREE_DEFAULT = 0, // LIFO; FIFO when version_bits < 16, so that no slot wears out early
    KITH_FREE_LIFO    = 1, // the newest free index first
    KITH_FREE_FIFO    = 2, // the oldest first; with max_entities all indices queue from the start
    KITH_FREE_LOWEST  = 3  // the lowest index first
} kith_free_order;

/// How to make a world. All zero: the defaults. With `memory` the world asks its allocator once,
/// for one block of so many bytes (aligned to 4096), and never again: itself, components, loops and
/// all else come out of that block. When it is used up, calls fail as when memory runs out.
typedef struct kith_world_desc {
    kith_allocator  allocator;
    kith_error_fn   on_error; // NULL: one line on stderr for the first 16 errors of the world
    void           *error_context;
    void           *user;
    uint32_t        index_bits;   // 1..31; 0: 31
    uint32_t        version_bits; // 1..32; 0: 32
    kith_free_order free_order;
    uint32_t        max_entities; // indices run from 0 to max_entities - 1; 0: 2^index_bits
    uint32_t        first_index;  // lower indices are given only to hints
    size_t          memory;       // bytes; the world never takes more, see below; 0: as it needs
} kith_world_desc;

/// What kith_world_reserve makes room for. All zero: nothing.
typedef struct kith_reserve_desc {
    uint32_t entities;  // slots of the entity table, and rows: see kith_world_reserve
    uint32_t loops;     // that are open at the same time, up to KITH_LOOP_DEPTH_MAX
    uint32_t terms;     // that each of them has, up to KITH_QUERY_TERMS_MAX
    uint32_t batch;     // entities of a batch, rows that are sorted; batches in a batch add up
    bool     disabling; // rows of any component are disabled now and then
} kith_reserve_desc;

/// Numbers about a world's entities, all O(1).
typedef struct kith_stats {
    uint32_t alive;
    uint32_t slots;      // in use, free, retired, reserved or queued
    uint32_t free;       // slots that wait to be used again
    uint32_t retired;    // slots whose versions are used up
    uint32_t next_free;  // the free slot that comes next, or KITH_NO_INDEX
    uint32_t components; // registered, all kinds
} kith_stats;

/// Bytes taken from the allocator, by purpose.
typedef struct kith_memory {
    size_t total;      // the sum of those up to `other`
    size_t entities;   // handles, free list and their directory
    size_t signatures; // which components each entity has
    size_t sparse;     // from entity to row
    size_t packed;     // from row to entity
    size_t values;     // the components' values
    size_t other;      // directories, names, disable bits, row ticks, listeners, queries, loops ...
    size_t size;       // as kith_world_desc has it in `memory`; total is a part of it
    size_t peak;       // the smallest such `memory` with which all calls so far had gone the same
} kith_memory;

// ---------------------------------------------------------------------------------------------
// World
// ---------------------------------------------------------------------------------------------

/// Makes a world; NULL or a zeroed description gives the defaults. Returns NULL when the
/// description makes no sense or memory runs out, and tells `on_error` (with a NULL world) why.
/// O(1), and O(max_entities) where all are queued, O(first_index) where indices are reserved.
KITH_API kith_world *kith_world_create(const kith_world_desc *desc);

/// Destructs every value, in registration order of the components and row order, and gives all
/// memory back. Nothing is announced. NULL is fine. Called from inside a hook or a listener, or
/// while a loop is open, it is an error and does nothing. O(rows of pools with destruct hooks +
/// pages).
KITH_API void kith_world_destroy(kith_world *world);

/// Destroys every entity. Their indices are handed out again in ascending order: before older free
/// ones under LIFO, after them under FIFO. Components, singletons and memory stay. Never allocates.
/// Where listeners hear of it, and while a loop is open, the entities go one by one as by
/// kith_entity_destroy, in descending order of their indices under LIFO, ascending otherwise; one
/// that a listener creates meanwhile goes too if its index is still to come. O(slots + rows).
KITH_API void kith_world_clear(kith_world *world);

/// Gives back pages that no row and no entity uses, of all pools, and what loops, stored queries,
/// tracked systems, queues without events and reactive sets that could have no member keep from one
/// time to the next. O(pages). Returns false, with an error, while a loop is open, from a listener
/// and from inside a hook.
KITH_API bool kith_world_shrink(kith_world *world);

/// Takes ahead, for the components, groups and queries that there are, whatever the world would
/// otherwise take when it is needed: slots for `entities`; in each component with rows as many as
/// its limit is or, without a limit, as `entities`; what singletons, loops, batches and sorting
/// need, what reactive sets collect in, and what tracked systems note. Until kith_world_shrink, and
/// as long as no more is asked for than that, no call fails for memory that adds, removes, creates,
/// destroys, disables, loops, sorts, settles or gives a system its turn. Some take more for as long
/// as they last: what is removed while a loop is open keeps its row, or its singleton's memory,
/// until the world settles, and the dead whom a reactive set keeps have a place there until it is
/// cleared. Queues and commands have room of their own: kith_queue_reserve, kith_commands_desc.
/// False, and capacities as before, when memory runs out, a number is beyond the world's limits,
/// and while a loop is open. O(what is taken).
KITH_API bool kith_world_reserve(kith_world *world, const kith_reserve_desc *desc);

/// The pointer given in the description, or the one set last. O(1).
KITH_API void *kith_world_user(const kith_world *world);
KITH_API void  kith_world_user_set(kith_world *world, void *user);

/// Proves that every structure agrees with every other. Returns false and points `reason` (if not
/// NULL) to a static sentence when one does not: that is a bug in kith, or memory was overwritten.
/// Not from inside a lifecycle hook. O(slots x components + rows).
KITH_API bool kith_world_validate(const kith_world *world, const char **reason);

/// Bytes that the world has taken from its allocator: of one component, or of everything when
/// `component` is 0. Where the description gave the world its memory, `total` is how much of that
/// is in use, and `size` and `peak` tell of the whole. O(pages).
KITH_API kith_memory kith_world_memory(const kith_world *world, kith_component component);

/// Numbers about the world's entities. O(1).
KITH_API kith_stats kith_world_stats(const kith_world *world);

// ---------------------------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------------------------

/// The latest error of a call that could change the world; `code` is KITH_OK when there was none
/// since the world was made or kith_world_error_clear. Success does not clear it. O(1).
KITH_API kith_error kith_world_error(const kith_world *world);
KITH_API void       kith_world_error_clear(kith_world *world);

/// Writes the error as a sentence, such as "position_set: entity 12 version 3 was destroyed (the
/// slot is at version 5)". Returns its length; like snprintf it writes at most `size` bytes, always
/// ends them with a zero, and with size 0 only counts. `world` gives the names and may be NULL.
/// O(length).
KITH_API size_t kith_error_text(const kith_world *world, const kith_error *error, char *buffer,
                                size_t size);

/// Error hooks to put into a description: print every error on stderr and abort, or keep silent.
KITH_API void kith_error_abort(const kith_world *world, const kith_error *error, void *context);
KITH_API void kith_error_ignore(const kith_world *world, const kith_error *error, void *context);

// ---------------------------------------------------------------------------------------------
// Entities
// ---------------------------------------------------------------------------------------------

/// Makes an entity without components. KITH_NULL when memory runs out or the world is full (limit
/// reached, or every slot in use or retired). O(1).
KITH_API kith_entity kith_entity_create(kith_world *world);

/// Makes exactly the entity `hint` if its slot is free and no newer version of it was ever issued,
/// otherwise a fresh one; KITH_NULL as a hint asks for a fresh one. Indices that are jumped over
/// are handed out in ascending order: before older free ones under LIFO, after them under FIFO.
/// Refused with an error: an index or version beyond the world's limits, and an index more than
/// 2^20 beyond the table (reserve first). O(indices jumped over), O(free) inside the free list.
KITH_API kith_entity kith_entity_create_hint(kith_world *world, kith_entity hint);

/// kith_entity_create_hint for many, in one pass over the free list, all or nothing. Every hint
/// that can be met is met first (of two with the same index the earlier one); the others get fresh
/// handles, in order. `out` may be `hints`. The reach is 2^20 + count - 1. All are made before the
/// first is announced: a listener that destroys one of the others lets its end be heard, and its
/// birth not. O(count + free + jumped).
KITH_API bool kith_entity_create_hints(kith_world *world, const kith_entity *hints, uint32_t count,
                                       kith_entity *out);

/// Removes everything from the entity and ends it: no handle of it is ever valid again. Returns
/// whether it was alive. Never allocates. O(components that it has).
KITH_API bool kith_entity_destroy(kith_world *world, kith_entity entity);

/// Whether the handle means a living entity. O(1).
KITH_API bool kith_entity_alive(const kith_world *world, kith_entity entity);

/// The version of the entity's slot, dead or alive: that of the living entity, of the next one when
/// the slot is free, of the last one when it is retired. 0 when the slot was never used. O(1).
KITH_API uint32_t kith_entity_current(const kith_world *world, kith_entity entity);

/// The number of living entities. O(1).
KITH_API uint32_t kith_entity_count(const kith_world *world);

/// Walks the living in ascending order of their indices: KITH_NULL gives the first, each answer
/// gives the next, KITH_NULL is the end. Destroying entities on the way is fine. The walk is
/// O(slots).
KITH_API kith_entity kith_entity_next(const kith_world *world, kith_entity previous);

/// Makes room, so that the table can grow to `slots` slots without allocating.
/// Returns false when memory runs out or `slots` is beyond the world's limits. O(new pages).
KITH_API bool kith_entity_reserve(kith_world *world, uint32_t slots);

/// The slots to which the table can grow without allocating. O(1).
KITH_API uint32_t kith_entity_capacity(const kith_world *world);

/// The most slots that there may be: max_entities, until it is set to something else. To set it
/// below the slots in use, above 2^index_bits, or where all indices queue from the start (FIFO with
/// max_entities) is an error. O(1).
KITH_API uint32_t kith_entity_limit(const kith_world *world);
KITH_API bool     kith_entity_limit_set(kith_world *world, uint32_t slots);

/// A slot of the entity table as it is stored, for tools and tests: a living slot holds its own
/// handle, a free one the next free index (KITH_NO_INDEX at the end, and where the lowest goes
/// first), a retired one KITH_NO_INDEX - 1, a reserved one KITH_NO_INDEX - 2, each with the slot's
/// version. 0 when the slot was never used. O(1).
KITH_API kith_entity kith_entity_slot(const kith_world *world, uint32_t index);

// ---------------------------------------------------------------------------------------------
// Ticks, and holding the world still
// ---------------------------------------------------------------------------------------------

/// Opens a loop without a query, and closes it: removals in between leave holes, so nothing moves,
/// and their destructors wait. Closing it closes the loops begun after it. False at depth 32, or
/// when there is no hold to release. O(1), and settling.
KITH_API bool kith_world_hold(kith_world *world);
KITH_API bool kith_world_release(kith_world *world);

/// Closes every open loop and settles. False from inside a hook or a listener. O(changes).
KITH_API bool kith_world_settle(kith_world *world);

/// Begins the next tick and returns its number; 0 and an error that names the loop when one was
/// left open. Ticks start at 1. O(registered).
KITH_API uint64_t kith_world_advance(kith_world *world);

/// The present tick. O(1).
KITH_API uint64_t kith_world_now(const kith_world *world);

#ifdef __cplusplus
}
#endif

#endif
