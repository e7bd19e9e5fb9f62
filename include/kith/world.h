// SPDX-License-Identifier: MIT
// Worlds and entities: creating and destroying them, memory, errors, ticks. Part of kith.h.
//
// Threads     Any thread may create a world, which then belongs to it. Any number of threads may
//             call functions that take a `const kith_world *`, while no thread changes the world.
//             kith_world_memory and kith_world_validate read commands, too: no thread may record
//             meanwhile. Any thread may call kith_free_order_name. All other functions belong to
//             the world's thread. A library with asserts refuses calls of another thread that
//             change the world while the schedule runs or an event is announced; every library
//             does so while a hook runs (KITH_ERROR_BUSY).
#ifndef KITH_WORLD_H
#define KITH_WORLD_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The order in which free indices are used again.
typedef enum kith_free_order {
    KITH_FREE_DEFAULT = 0, // LIFO; FIFO if version_bits < 16, so that no slot retires early
    KITH_FREE_LIFO    = 1, // the newest free index first
    KITH_FREE_FIFO    = 2, // the oldest first; with max_entities > 0 all indices are free at first
    KITH_FREE_LOWEST  = 3  // the lowest index first
} kith_free_order;

/// Returns the word of the enumerator, such as "lifo"; "?" for any other number. The text is
/// static. O(1).
KITH_API const char *kith_free_order_name(kith_free_order order);

/// How to create a world. All zero: the defaults.
///
/// When `memory > 0`, the world allocates one block of `memory` bytes (aligned to 4096) and nothing
/// else. The world, its components, its loops and all other data use that block. When the block is
/// full, calls fail with KITH_ERROR_MEMORY.
typedef struct kith_world_desc {
    kith_allocator  allocator;
    kith_error_fn   on_error; // NULL: print the first 16 errors of the world on stderr
    void           *error_context;
    void           *user;
    uint32_t        index_bits;   // 1..31; 0: 31
    uint32_t        version_bits; // 1..32; 0: 32
    kith_free_order free_order;
    uint32_t        max_entities; // indices are 0 to max_entities - 1; 0: 2^index_bits
    uint32_t        first_index;  // lower indices are used only for hints
    size_t          memory;       // bytes of the one block, up to 2^37; 0: no block
    const char     *name;         // for messages and tools; not copied; NULL: none
} kith_world_desc;

/// What kith_world_reserve allocates memory for. All zero: nothing.
typedef struct kith_reserve_desc {
    uint32_t entities;  // slots of the entity table, and rows: see kith_world_reserve
    uint32_t loops;     // loops open at the same time, up to KITH_LOOP_DEPTH_MAX
    uint32_t terms;     // terms of each loop, up to KITH_QUERY_TERMS_MAX
    uint32_t batch;     // entities of a batch, rows of a sort; nested batches add up
    bool     disabling; // rows of any component may be disabled
} kith_reserve_desc;

/// Numbers about the entities of a world.
typedef struct kith_stats {
    uint32_t alive;
    uint32_t slots;      // of the table: in use, free, retired or reserved
    uint32_t capacity;   // the number of slots to which the table can grow without allocating
    uint32_t limit;      // the largest number of slots: see kith_entity_limit_set
    uint32_t free;       // slots that can be used again
    uint32_t retired;    // slots that have used all their versions
    uint32_t next_free;  // the free slot that is used next, or KITH_NO_INDEX
    uint32_t components; // registered components of all kinds
} kith_stats;

/// Allocated bytes, by purpose.
typedef struct kith_memory {
    size_t total;      // the sum of the fields up to `other`
    size_t entities;   // handles, free list and their page directory
    size_t signatures; // which components each entity has
    size_t sparse;     // the lookups from entity to row
    size_t packed;     // the lookups from row to entity
    size_t values;     // the components' values
    size_t other;      // directories, names, disable bits, row ticks, listeners, queries, loops ...
    size_t size;       // `memory` of kith_world_desc; includes `total`; 0: no block
    size_t peak;       // the smallest `memory` for which all calls so far had the same result
} kith_memory;

// ---------------------------------------------------------------------------------------------
// World
// ---------------------------------------------------------------------------------------------

/// Creates a world. NULL or an all-zero description gives the defaults. Returns NULL when the
/// description is invalid (KITH_ERROR_ARGUMENT) or memory runs out (KITH_ERROR_MEMORY); then calls
/// `on_error` with a NULL world. O(1); O(max_entities) when all indices are free at first (see
/// KITH_FREE_FIFO); O(first_index) when `first_index > 0`.
KITH_API kith_world *kith_world_create(const kith_world_desc *desc);

/// Destroys the world: destructs every value and frees all memory. Values go by components in
/// registration order, then by rows. Calls no listener. Returns true, also for NULL. Returns false
/// with KITH_ERROR_BUSY, and does nothing, from inside a hook or a listener, in a system's turn,
/// while commands are applied, and while a loop is open. O(rows of pools with destruct hooks +
/// pages).
KITH_API bool kith_world_destroy(kith_world *world);

/// Destroys every entity. Components, singletons and memory stay. The freed indices are used again
/// in ascending order: before older free indices under LIFO, after them under FIFO.
///
/// When a listener is called for it, or a loop is open, entities go one by one as by
/// kith_entity_destroy. Their order is by descending index under LIFO, otherwise by ascending
/// index. An entity that a listener creates during the call is destroyed too if its index is still
/// to come. From inside a hook it does nothing and records KITH_ERROR_BUSY. Never allocates. The
/// cost is O(slots + rows).
KITH_API void kith_world_clear(kith_world *world);

/// Frees the memory that is not in use:
/// - pages of all pools that no row and no entity uses;
/// - what loops, stored queries and tracked systems keep for the next time;
/// - the room of queues without events, and of reactive sets that can have no member.
///
/// Returns false and records KITH_ERROR_BUSY while a loop is open, from a listener and from inside
/// a hook. O(pages).
KITH_API bool kith_world_shrink(kith_world *world);

/// Allocates ahead what the world would otherwise allocate when it needs it, for the components,
/// groups and queries that exist now:
/// - slots for `entities`, and the rows of each component: its limit or, without a limit,
///   `entities`;
/// - what singletons, loops, batches, sorting, reactive sets and tracked systems need.
///
/// This lasts until kith_world_shrink. Within these numbers, no call fails for memory that adds,
/// removes, creates, destroys, disables, loops, sorts, settles or gives a system its turn.
///
/// Two things need more memory for a time. A row or singleton that is removed while a loop is open
/// keeps its memory until the world settles. A dead entity in a reactive set that keeps the dead
/// uses a place until the set is cleared. Queues and commands are reserved separately:
/// kith_queue_reserve, kith_commands_desc.
///
/// On failure returns false and leaves the capacities. Records KITH_ERROR_MEMORY when memory runs
/// out, KITH_ERROR_LIMIT when a number is beyond the world's limits, KITH_ERROR_BUSY while a loop
/// is open. O(what is allocated).
KITH_API bool kith_world_reserve(kith_world *world, const kith_reserve_desc *desc);

/// Returns the user pointer: the one of the description, or the one that was set last. O(1).
KITH_API void *kith_world_user(const kith_world *world);
KITH_API void  kith_world_user_set(kith_world *world, void *user);

/// Returns the name of the description: the program's text, or NULL. O(1).
KITH_API const char *kith_world_name(const kith_world *world);

/// Checks that all data structures of the world agree with each other. Returns false and points
/// `reason` (if not NULL) to a static sentence when two do not: kith has a bug, or the program
/// overwrote memory. Must not be called from inside a lifecycle hook. O(slots x components + rows).
KITH_API bool kith_world_validate(const kith_world *world, const char **reason);

/// Returns how many bytes the world has allocated: for one component, or for everything when
/// `component` is KITH_ALL. With `memory > 0` in kith_world_desc, `total` is the part of the block
/// in use; `size` and `peak` are about the block. O(pages).
KITH_API kith_memory kith_world_memory(const kith_world *world, kith_component component);

/// Returns numbers about the world's entities. O(1).
KITH_API kith_stats kith_world_stats(const kith_world *world);

// ---------------------------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------------------------

/// Returns the latest error of a call that could change the world. `code` is KITH_OK when there was
/// none since the world was created or kith_world_error_clear was called. A successful call does
/// not clear it. O(1).
KITH_API kith_error kith_world_error(const kith_world *world);
KITH_API void       kith_world_error_clear(kith_world *world);

/// Writes the error as a sentence, such as "position_set: entity 12v3 was destroyed (the slot is at
/// version 5)". Builds with asserts remember the end of 256 entities, and say "... was destroyed by
/// system "bury" at tick 91". Returns its length. As snprintf does, it writes at most `size` bytes
/// and always ends them with a zero; with `size == 0` it only counts. `world` is for the names of
/// components and may be NULL. O(length).
KITH_API size_t kith_error_text(const kith_world *world, const kith_error *error, char *buffer,
                                size_t size);

/// Two error hooks for `on_error`. kith_error_abort prints every error on stderr and aborts.
/// kith_error_ignore does nothing.
KITH_API void kith_error_abort(const kith_world *world, const kith_error *error, void *context);
KITH_API void kith_error_ignore(const kith_world *world, const kith_error *error, void *context);

// ---------------------------------------------------------------------------------------------
// Entities
// ---------------------------------------------------------------------------------------------

/// Creates an entity without components. Returns KITH_NULL and records KITH_ERROR_MEMORY when
/// memory runs out, KITH_ERROR_LIMIT when the world is full: the limit is reached, or every slot is
/// in use or retired. Returns KITH_NULL without an error when a listener destroys the entity. O(1).
KITH_API kith_entity kith_entity_create(kith_world *world);

/// Creates exactly the entity `hint` when its slot is free and never had a newer version; otherwise
/// creates an entity with a new handle. KITH_NULL as the hint asks for a new handle. Indices
/// between the end of the table and the hint become free in ascending order: before older free
/// indices under LIFO, after them under FIFO.
///
/// Returns KITH_NULL and records KITH_ERROR_LIMIT when the index or version is beyond the world's
/// limits. The same happens when the index is more than 2^20 beyond the table: then call
/// kith_entity_reserve first. Other failures as for kith_entity_create. O(indices skipped); O(free)
/// when the index is in the free list.
KITH_API kith_entity kith_entity_create_hint(kith_world *world, kith_entity hint);

/// Creates `count` entities as kith_entity_create_hint does, in one pass over the free list, all or
/// none. Every hint that can be met is met first; of two hints with the same index, the earlier
/// one. The other entities get new handles, in order. `out` may be `hints`. An index may be up to
/// 2^20 + count - 1 beyond the table.
///
/// All entities exist before the first create event. When a listener then destroys one of the
/// later entities, listeners get its destroy event but not its create event. O(count + free +
/// skipped).
KITH_API bool kith_entity_create_hints(kith_world *world, const kith_entity *hints, uint32_t count,
                                       kith_entity *out);

/// Destroys the entity and removes all its components. No handle of it is valid again. Returns
/// false for a dead entity, and for one that a link keeps alive (KITH_TARGET_REFUSE). Never
/// allocates. O(components that it has).
KITH_API bool kith_entity_destroy(kith_world *world, kith_entity entity);

/// Returns whether the entity is alive. O(1).
KITH_API bool kith_entity_alive(const kith_world *world, kith_entity entity);

/// Returns the number of living entities. O(1).
KITH_API uint32_t kith_entity_count(const kith_world *world);

/// Walks the living entities in ascending order of indices. KITH_NULL gives the first entity, each
/// entity gives the next one, and KITH_NULL is returned at the end. Entities may be destroyed
/// during the walk. The whole walk is O(slots).
KITH_API kith_entity kith_entity_next(const kith_world *world, kith_entity previous);

/// Allocates the entity table, so that it can grow to `slots` slots without allocating. Returns
/// false and records KITH_ERROR_MEMORY when memory runs out, KITH_ERROR_LIMIT when `slots` is
/// beyond the world's limits. O(new pages).
KITH_API bool kith_entity_reserve(kith_world *world, uint32_t slots);

/// Sets the limit for the number of slots, which is `max_entities` at first; kith_world_stats
/// returns it. Returns false and records KITH_ERROR_ARGUMENT when `slots` is below the number of
/// slots or above 2^index_bits. The same happens when all indices were free at first (FIFO with
/// `max_entities`). O(1).
KITH_API bool kith_entity_limit_set(kith_world *world, uint32_t slots);

/// Returns a slot of the entity table as it is stored. kith_entity_version gives the version of the
/// slot, kith_entity_index what else it stores:
/// - living: the version of the entity, and its index;
/// - free: the version of the next entity here, and the next free index, or KITH_NO_INDEX at the
///   end of the list and under KITH_FREE_LOWEST;
/// - retired: the version of the last entity, and KITH_NO_INDEX - 1;
/// - reserved, once it was used: the version of the next entity, and KITH_NO_INDEX - 2.
///
/// 0: the slot was never used. O(1).
KITH_API kith_entity kith_entity_slot(const kith_world *world, uint32_t index);

// ---------------------------------------------------------------------------------------------
// Holding the world, and ticks
// ---------------------------------------------------------------------------------------------

/// Open a loop without a query, and close it. In between, removing leaves a hole, so no row moves,
/// and the destructors of removed values wait. Releasing also closes the loops that were begun
/// after the hold. Return false and record an error: kith_world_hold KITH_ERROR_LIMIT when 32 loops
/// are open, kith_world_release KITH_ERROR_ARGUMENT when there is no hold. O(1) plus settling.
KITH_API bool kith_world_hold(kith_world *world);
KITH_API bool kith_world_release(kith_world *world);

/// Closes every open loop and settles. Returns false and records KITH_ERROR_BUSY from inside a hook
/// or a listener. O(changes); for a stable pool O(rows behind its lowest new hole), and
/// O(components) when a singleton was removed.
KITH_API bool kith_world_settle(kith_world *world);

/// Begins the next tick and returns its number. Ticks start at 1. Returns 0 and records
/// KITH_ERROR_BUSY while a loop is open (the error names the loop), and from inside a hook or a
/// listener. O(registered).
KITH_API uint64_t kith_world_advance(kith_world *world);

/// Returns the number of the current tick. O(1).
KITH_API uint64_t kith_world_now(const kith_world *world);

#ifdef __cplusplus
}
#endif

#endif
