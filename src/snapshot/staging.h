// SPDX-License-Identifier: MIT
// A staging: a whole state built beside a world's own, which takes its place in one step or never.
//
//     world     storages, groups, sets, queries   <-- kith_staging_swap -->   staging
//               (their addresses stay)                (the contents change places)
//
// The order of calls:
//
//     begin                  an empty staging
//     slots                  the counts of the entity table
//     reserve_slots          room; the caller writes each slot
//     check_slots            all slots are valid together
//     rows, link_rows, link  for each component: rows, indices, values, holes
//     flag, single, order    flags, singletons, the order of groups
//     ready                  allocates what is still missing: after it nothing can fail
//     swap                   the world has the new state, the staging the old one
//     end                    destructs and frees what the staging holds now
//
// Input is not trusted: each call checks it. A call that can fail returns NULL, or the fault as
// static text; `*oom` is true when memory ran out. After a fault only `end` may follow. The
// world must not change or be held between begin and swap.
//
// After the swap the caches of stored queries are empty and no listener is notified. Unless the
// caller staged them: every page and row is written at the present tick, journals record that all
// old rows were removed, sets that keep the dead keep their members, other sets are empty. Reserved
// capacity is lost, except for singletons and disable bits.
#ifndef KITH_SNAPSHOT_STAGING_H
#define KITH_SNAPSHOT_STAGING_H

#include "system/system.h"
#include "world/event.h"
#include "world/group.h"

// --- queries, systems, events ----------------------------------------------------------------
//
// Unless the caller stages them, all rows are new to queries and systems. The events are those that
// the caller stages; when the state is not exact, the queued events of the world stay.

typedef struct kith_staged_query {
    uint64_t since;
    bool     given; // staged by the caller
} kith_staged_query;

typedef struct kith_staged_system {
    uint64_t tick;
    double   waited;
    bool     requested;
    bool     enabled;
    bool     given;
} kith_staged_system;

typedef struct kith_staged_queue {
    kith_buffer waiting;
    bool        given;
} kith_staged_queue;

typedef struct kith_staging_runtime {
    kith_world         *world;
    kith_staged_query  *queries; // in the world's order; one allocation with the other two
    kith_staged_system *systems; // in the order of creation
    kith_staged_queue  *queues;  // in the world's order
    uint32_t            query_count;
    uint32_t            system_count;
    uint32_t            queue_count;
} kith_staging_runtime;

// --- the staging -----------------------------------------------------------------------------

typedef struct kith_staging_storage {
    kith_pool pool;
    void     *single;
    uint32_t  built;  // rows 0 to built - 1 have values, holes apart; or 1: the singleton has. The
                      // caller sets it, and `end` destructs these values
    uint32_t parked;  // the same for the world's state
    uint32_t stamped; // pages whose stamps, and rows whose ticks, the file had
    uint32_t ticked;
    uint32_t reached; // rows 0 to reached - 1 are linked to their entities
    uint32_t holes;   // among these rows
    bool     linked;
    bool     staged; // the caller staged the journal
} kith_staging_storage;

typedef struct kith_staging_group {
    kith_pool index;
    uint32_t  members;
    uint32_t  count;
    uint32_t  ordered; // members whose order the caller staged; KITH_NO_ROW: no order
} kith_staging_group;

typedef struct kith_staging_set {
    kith_entity_set members;
    uint64_t        since;
    bool            given; // staged by the caller
} kith_staging_set;

typedef struct kith_staging {
    kith_world           *world;
    kith_entity_table     entities;
    kith_staging_storage *storages; // by registration; one allocation with groups and sets
    kith_staging_group   *groups;   // in the world's order
    kith_staging_set     *sets;     // in the world's order
    uint32_t              storage_count;
    uint32_t              group_count;
    kith_staging_runtime  runtime;
    uint32_t              set_count;
    uint32_t              disabled; // rows
    uint32_t              living;   // slots 0 to living - 1 are known to be valid
    uint64_t              tick;
    bool                  exact; // the caller stages page stamps, row ticks and events
    bool                  large; // larger than the caches: arrays are written past them
} kith_staging;

static inline kith_staging_storage *kith_staging_storage_of(const kith_staging *staging,
                                                            const kith_storage *storage)
{
    return &staging->storages[storage->order];
}

static inline const kith_allocator *kith_staging_memory(const kith_staging *staging)
{
    return &staging->world->memory;
}

static inline const char *kith_staging_no_memory(bool *oom)
{
    *oom = true;
    return "memory ran out";
}

// Makes an empty staging. Returns false when memory runs out; then there is nothing to end.
KITH_INTERNAL bool kith_staging_begin(kith_staging *staging, kith_world *world);

// --- slots -----------------------------------------------------------------------------------

// The counts of an entity table and the ends of its free list.
typedef struct kith_staging_entities {
    uint32_t slots;
    uint32_t head; // of the free list; KITH_SLOT_END: it is empty
    uint32_t tail;
    uint32_t free;
    uint32_t retired;
} kith_staging_entities;

// Sets the counts; makes room for slots 0 to count - 1, which the caller writes in `entities`
// (false when memory runs out); checks all slots against the counts, in O(slots).
KITH_INTERNAL const char *kith_staging_slots(kith_staging                *staging,
                                             const kith_staging_entities *facts);
KITH_INTERNAL bool        kith_staging_reserve_slots(kith_staging *staging, uint32_t count);
KITH_INTERNAL const char *kith_staging_check_slots(kith_staging *staging);

// Writes slots of living entities that have one version; `slot` is the first one's. check_slots
// skips them when they are valid.
KITH_INTERNAL void kith_staging_living_slots(kith_staging *staging, uint32_t first, uint32_t count,
                                             uint64_t slot);

// --- rows ------------------------------------------------------------------------------------

// Sets the number of rows of a pool. The caller writes each row's packed index, or KITH_HOLE, then
// its value.
KITH_INTERNAL const char *kith_staging_rows(kith_staging *staging, const kith_storage *storage,
                                            uint32_t rows, bool *oom);
KITH_INTERNAL kith_pool  *kith_staging_pool(kith_staging *staging, const kith_storage *storage);

// Links the rows so far to their entities, while the indices are still in a cache. Slots are
// checked. `run`: the new rows are of consecutive entities, so they are not compared again.
KITH_INTERNAL const char *kith_staging_link_rows(kith_staging *staging, const kith_storage *storage,
                                                 bool run, bool *oom);

// Links the remaining rows, the holes (newest first) and the disabled rows (one bit a row, or
// NULL).
KITH_INTERNAL const char *kith_staging_link(kith_staging *staging, const kith_storage *storage,
                                            const uint32_t *holes, uint32_t hole_count,
                                            const uint64_t *disabled, bool *oom);

// Sets a flag that no entity has so far.
KITH_INTERNAL const char *kith_staging_flag(kith_staging *staging, const kith_storage *storage,
                                            const uint32_t *indices, uint32_t count, bool *oom);

// Returns raw memory for a singleton's value; NULL when memory runs out.
KITH_INTERNAL void *kith_staging_single(kith_staging *staging, kith_storage *storage);

// --- groups, journals, sets ------------------------------------------------------------------

// Sets the order of the members of a group that owns no pool. All rows are linked and all flags
// set. Without this call the order is that of a group created now.
KITH_INTERNAL const char *kith_staging_order(kith_staging *staging, kith_group *group,
                                             const uint32_t *indices, uint32_t count, bool *oom);

// Return an empty journal, or NULL when memory runs out; the members of a set and the tick after
// which it records changes. The caller fills them.
KITH_INTERNAL kith_journal     *kith_staging_journal(kith_staging       *staging,
                                                     const kith_storage *storage);
KITH_INTERNAL kith_staging_set *kith_staging_members(kith_staging        *staging,
                                                     const kith_reactive *set);

// --- the end ---------------------------------------------------------------------------------

// Allocates all memory that is still needed, and moves the rows that groups own to the front. All
// values are built.
KITH_INTERNAL const char *kith_staging_ready(kith_staging *staging, bool *oom);

// Swaps the world's state and the staged one. A second call swaps them back.
KITH_INTERNAL void kith_staging_swap(kith_staging *staging);

// Destructs and frees what the staging holds now.
KITH_INTERNAL void kith_staging_end(kith_staging *staging);

// --- writing arrays --------------------------------------------------------------------------

// Writes first, first + 1, ... past the caches when `large`.
static inline void kith_staging_number(uint64_t *array, uint64_t first, uint32_t count, bool large)
{
    (large ? kith_stream_number : kith_array_number)(array, first, count);
}

// Signatures are written once and late: while `page->bare`, `page->common` stands for the signature
// of every entity of the page. Call this before a single signature is read or changed.
static inline void kith_staging_write_signatures(kith_entity_page *page, bool large)
{
    if (page->bare) {
        (large ? kith_stream_fill : kith_array_fill)(page->signature, page->common,
                                                     KITH_PAGE_SLOTS);
        page->bare = false;
    }
}

#endif
