// SPDX-License-Identifier: MIT
// What a stored query remembers of its pools, so that a loop over unchanged ones need not find it
// again:
//
//     run      lead rows from .. until - 1 are one run in every pool, which starts at `start`
//     members  the entities among lead rows first .. seen - 1, as a list of rows for each pool:
//
//              lead    [ 0 | 3 | 4 | 9 | ... ]    ascending
//              other   [ 7 | 2 | 5 | 1 | ... ]
//
// Where the list is empty it still says that nobody is among those rows: behind the run, in pools
// that are arranged.
//
// The run stands as long as no row of these pools went or moved, the list as long as nothing came
// to or went from any component that the query asks for; rows at the end of the lead may come. The
// list costs 4 bytes for each entity and pool, and is made when a loop finds everything as the loop
// before it left it.
#ifndef KITH_QUERY_QUERY_H
#define KITH_QUERY_QUERY_H

#include "query/block.h"

// What tells whether a component's rows, or flags, are as they were.
typedef struct kith_state {
    uint64_t moves;
    uint32_t rows;
} kith_state;

struct kith_query_cache {
    uint32_t lead;
    // the run
    uint32_t from;
    uint32_t until;
    uint32_t start[KITH_QUERY_TERMS_MAX];
    uint64_t moves[KITH_QUERY_TERMS_MAX];
    // the list
    uint32_t  *rows; // a term of `room` for each pool; NULL: none
    uint32_t   list_lead;
    uint32_t   pools;
    uint32_t   room;
    uint32_t   count;
    uint32_t   first;
    uint32_t   seen;
    kith_state states[KITH_QUERY_TERMS_MAX]; // of the terms that decide
};

// Comes at the begin of a loop. If nothing has changed since the loop before it, room is made for
// the `found` entities of that.
KITH_INTERNAL void kith_query_cache_begin(kith_query_cache *cache, const kith_allocator *memory,
                                          const kith_loop *loop, uint64_t found);
KITH_INTERNAL void kith_query_cache_end(kith_query_cache *cache, const kith_allocator *memory);

// The run at the loop's row, of at most `most` rows; false: none is remembered.
KITH_INTERNAL bool kith_query_cache_find_run(kith_query_cache *cache, const kith_loop *loop,
                                             uint32_t most, kith_run *run);
KITH_INTERNAL void kith_query_cache_record_run(kith_query_cache *cache, const kith_loop *loop,
                                               const kith_run *run);

// The entities among the next `most` rows of the lead, at most `room`: their rows, into the block.
// `*most` becomes the number of lead rows that these are. False: not remembered.
KITH_INTERNAL bool kith_query_cache_find(const kith_query_cache *cache, const kith_loop *loop,
                                         uint32_t room, uint32_t *most, uint32_t *count);

// Remembers the loop's present block, which examined the lead rows up to `loop->row`.
KITH_INTERNAL void kith_query_cache_record(kith_query_cache *cache, const kith_loop *loop);

// Bytes taken from the allocator.
static inline size_t kith_query_cache_bytes(const kith_query_cache *cache)
{
    return (size_t)cache->room * cache->pools * sizeof *cache->rows;
}

// --- query ------------------------------------------------------------
//
// Stored queries: a list in the world. A query that nobody asks for any more, and no loop uses,
// goes with the next call that makes or drops one.

struct kith_query {
    kith_world      *world;
    kith_query      *next;
    kith_query_desc  desc;   // name and terms are the query's own
    uint64_t         owners; // creates without their destroy
    kith_system_refs system_refs;
    kith_tally       tally;
    kith_plan        plan;
    kith_query_cache cache;
};

// From now on changes count that are not older than that tick.
KITH_INTERNAL void kith_query_record_since(kith_query *query, uint64_t tick);

// Gives every query back. No loop is open.
KITH_INTERNAL void kith_world_free_queries(kith_world *world);

// Gives back the lists that queries made.
KITH_INTERNAL void kith_world_free_lists(kith_world *world);

// Bytes taken from the allocator.
KITH_INTERNAL size_t kith_world_query_bytes(const kith_world *world);

// --- reader ------------------------------------------------------------
//
// Readers: cursors that open no loop, so that many threads can walk a world that nobody changes.
// Nothing is kept but the cursor's own next place, which rows are walked and how they are asked.
// Each stretch is found anew with the plan of a stored query, or with one that is made each time
// from the description: as long as a page where the rows of all components are in the same order,
// one entity where they are not.

// Whether the cursor is a reader.
KITH_INTERNAL bool kith_reader_owns(const kith_step_ *step);

KITH_INTERNAL kith_entity kith_reader_next(kith_step_ *step, void **values);
KITH_INTERNAL kith_entity kith_reader_next_chunk(kith_step_ *step, void **values, uint32_t *count);

// The entity at place `i` of the stretch.
KITH_INTERNAL kith_entity kith_reader_entity(const kith_step_ *step, uint32_t i);

#endif
