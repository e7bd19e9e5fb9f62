// SPDX-License-Identifier: MIT
// What a staging knows of a world beside its entities and pools: from when on changes count for
// stored queries, which turns systems had, which events wait.
//
// Unless the caller says otherwise, everything is new to queries and systems. Events are those that
// the caller gives, or, where the state is not exact, those that wait already.
#ifndef KITH_SNAPSHOT_STAGING_H
#define KITH_SNAPSHOT_STAGING_H

#include "system/system.h"
#include "world/event.h"
#include "world/group.h"

typedef struct kith_staged_query {
    uint64_t since;
    bool     given; // by the caller
} kith_staged_query;

typedef struct kith_staged_system {
    uint64_t tick;
    double   waited;
    bool     due;
    bool     enabled;
    bool     given;
} kith_staged_system;

typedef struct kith_staged_queue {
    kith_buffer waiting;
    bool        given;
} kith_staged_queue;

typedef struct kith_staging_runtime {
    kith_world         *world;
    kith_staged_query  *queries; // as the world lists them; one block with the others
    kith_staged_system *systems; // by creation
    kith_staged_queue  *queues;  // as the world lists them
    uint32_t            query_count;
    uint32_t            system_count;
    uint32_t            queue_count;
} kith_staging_runtime;

// False when memory runs out, with nothing to end.
KITH_INTERNAL bool kith_staging_runtime_begin(kith_staging_runtime *runtime, kith_world *world);
KITH_INTERNAL void kith_staging_runtime_end(kith_staging_runtime *runtime);

// Exchanges what is here with what the world has, `events` included or not.
KITH_INTERNAL void kith_staging_runtime_swap(kith_staging_runtime *runtime, bool events);

// --- staging ------------------------------------------------------------
//
// A staging: a whole state made beside a world's own, to take its place in one step, or not at all.
//
//     world   storages, groups, sets  --- trade --->  their contents, exchanged with those of
//     staging   tables, pools, indices <-------------  the staging; addresses of storages stay
//
// The order of calls: begin; slots, each slot written, check_slots; for each component rows, packed
// indices and values written, link; flags and singletons; orders of groups; ready; trade; end.
// Whatever comes from outside is checked, and after any refusal there is only `end`. The world is
// not held meanwhile, and nobody changes it.
//
// Each call that can be refused returns NULL, or the words for what is wrong; `*memory` is true
// when it is memory that was lacking.
//
// After the trade stored queries have forgotten what they remembered, and nobody has heard of
// anything. Unless the caller gave them, every page and row is written at the present tick,
// journals say that all rows of before went, sets that keep the dead have their members and others
// none. What was reserved is to be reserved again, but for singletons and disable bits.

typedef struct kith_staging_storage {
    kith_pool pool;
    void     *single;
    uint32_t  built;  // rows from the first on whose values live, holes apart; or the singleton:
                      // the caller says so, and `end` destructs them
    uint32_t parked;  // the same of the world's state
    uint32_t stamped; // pages and rows of which a file said the stamps and ticks
    uint32_t ticked;
    uint32_t reached; // rows from the first on that their entities find
    uint32_t holes;   // among those
    bool     linked;
    bool     staged; // the caller gave the journal
} kith_staging_storage;

typedef struct kith_staging_group {
    kith_pool index;
    uint32_t  members;
    uint32_t  count;
    uint32_t  ordered; // members of which the caller said the order, KITH_NO_ROW: none
} kith_staging_group;

typedef struct kith_staging_set {
    kith_entity_set members;
    uint64_t        since;
    bool            given; // by the caller
} kith_staging_set;

typedef struct kith_staging {
    kith_world           *world;
    kith_entity_table     entities;
    kith_staging_storage *storages; // by registration; one block with groups and sets
    kith_staging_group   *groups;   // as the world lists them
    kith_staging_set     *sets;     // the same
    uint32_t              storage_count;
    uint32_t              group_count;
    kith_staging_runtime  runtime;
    uint32_t              set_count;
    uint32_t              disabled; // rows
    uint32_t              living; // slots from the first on that are known to be of living entities
    uint64_t              tick;
    bool                  exact; // the caller writes stamps and row ticks, and gives events
    bool                  large; // there is so much of it that it is written past the caches
} kith_staging;

// Like kith_array_number, past the caches where much follows.
static inline void kith_staging_number(uint64_t *array, uint64_t first, uint32_t count, bool large)
{
    (large ? kith_stream_number : kith_array_number)(array, first, count);
}

// Signatures are written once, as late as possible: a component that a whole page of entities has
// is a bit of the page's for the time being. Whoever wants to see or to change them one by one
// calls this before.
static inline void kith_staging_write_signatures(kith_entity_page *page, bool large)
{
    if (page->bare) {
        (large ? kith_stream_fill : kith_array_fill)(page->signature, page->common,
                                                     KITH_PAGE_SLOTS);
        page->bare = false;
    }
}

// What is said of the entities beside their slots.
typedef struct kith_staging_entities {
    uint32_t slots;
    uint32_t head; // of the free list, KITH_SLOT_END: it is empty
    uint32_t tail;
    uint32_t free;
    uint32_t retired;
} kith_staging_entities;

static inline kith_staging_storage *kith_staging_storage_of(const kith_staging *staging,
                                                            const kith_storage *storage)
{
    return &staging->storages[storage->order];
}

static inline const kith_allocator *kith_staging_memory(const kith_staging *staging)
{
    return &staging->world->memory;
}

// What is said when memory runs out.
static inline const char *kith_staging_no_memory(bool *memory)
{
    *memory = true;
    return "memory ran out";
}

// An empty staging; false when memory runs out, with nothing to end.
KITH_INTERNAL bool kith_staging_begin(kith_staging *staging, kith_world *world);

// Says what the slots will be. Then makes room for the first of them, more and more (false when
// memory runs out), which the caller writes in the staging's entities. Then checks every one of
// them and all that was said, whatever it is. O(slots).
KITH_INTERNAL const char *kith_staging_slots(kith_staging                *staging,
                                             const kith_staging_entities *facts);
KITH_INTERNAL bool        kith_staging_reserve_slots(kith_staging *staging, uint32_t count);
KITH_INTERNAL const char *kith_staging_check_slots(kith_staging *staging);

// Writes slots of living entities that all have one version, that of `slot`, which is the first's;
// what is right with them need not be checked again.
KITH_INTERNAL void kith_staging_living_slots(kith_staging *staging, uint32_t first, uint32_t count,
                                             uint64_t slot);

// Gives the pool of a component rows, of which the caller writes the packed index, or KITH_HOLE,
// then the value.
KITH_INTERNAL const char *kith_staging_rows(kith_staging *staging, const kith_storage *storage,
                                            uint32_t rows, bool *memory);
KITH_INTERNAL kith_pool  *kith_staging_pool(kith_staging *staging, const kith_storage *storage);

// Lets the entities find the rows that have their index so far; slots are checked. What follows
// does that, too: those who do not wait find the indices still at hand. `run`: what is new are the
// rows of entities that follow each other, which need not be looked at.
KITH_INTERNAL const char *kith_staging_link_rows(kith_staging *staging, const kith_storage *storage,
                                                 bool run, bool *memory);

// Lets the entities find their rows. `holes`: the rows without an index, the newest first.
// `disabled`: a bit a row, or NULL.
KITH_INTERNAL const char *kith_staging_link(kith_staging *staging, const kith_storage *storage,
                                            const uint32_t *holes, uint32_t hole_count,
                                            const uint64_t *disabled, bool *memory);

// Sets a flag, which nobody has so far.
KITH_INTERNAL const char *kith_staging_flag(kith_staging *staging, const kith_storage *storage,
                                            const uint32_t *indices, uint32_t count, bool *memory);

// Raw memory for a singleton's value; NULL when there is none.
KITH_INTERNAL void *kith_staging_single(kith_staging *staging, kith_storage *storage);

// The order of the members of a group that owns nothing; without it, it is as if the group were
// made now. All rows are linked and all flags set.
KITH_INTERNAL const char *kith_staging_order(kith_staging *staging, kith_group *group,
                                             const uint32_t *indices, uint32_t count, bool *memory);

// An empty journal for the caller to fill, NULL when memory runs out; the members of a set, to be
// given room and filled, with the tick from which on changes are news.
KITH_INTERNAL kith_journal     *kith_staging_journal(kith_staging       *staging,
                                                     const kith_storage *storage);
KITH_INTERNAL kith_staging_set *kith_staging_members(kith_staging        *staging,
                                                     const kith_reactive *set);

// Takes all memory that is still needed and brings the rows that groups own to the front, where
// they are not yet. All values are built.
KITH_INTERNAL const char *kith_staging_ready(kith_staging *staging, bool *memory);

// Exchanges the world's state and the staging's, and back again.
KITH_INTERNAL void kith_staging_swap(kith_staging *staging);

// Destructs and gives back what the staging holds now.
KITH_INTERNAL void kith_staging_end(kith_staging *staging);

#endif
