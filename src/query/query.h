// SPDX-License-Identifier: MIT
// Stored queries, the cache that makes their next loop cheaper, and readers.
//
// The cache keeps what a loop found, so that the next loop over unchanged pools need not search:
//
//     run   rows from .. until - 1 of the lead are one run; it starts at `start` in each pool
//     list  the entities among rows first .. seen - 1 of the lead, as a list of rows for each pool:
//
//               lead    [ 0 | 3 | 4 | 9 | ... ]    ascending
//               other   [ 7 | 2 | 5 | 1 | ... ]
//
//           An empty list says that no entity among those rows matches: behind the run of pools
//           that are arranged.
//
// When it is valid:
//
//     run   no row of a pool of the query was removed or moved (`moves` counts that)
//     list  no component of the query was added, removed or moved, except for new rows at the end
//           of the lead; no flag of the query changed; the query excludes no disabled rows
//
// The list costs 4 bytes for each entity and pool. A loop allocates it when nothing has changed
// since the loop before it, so loops over pools that change all the time pay nothing.
#ifndef KITH_QUERY_QUERY_H
#define KITH_QUERY_QUERY_H

#include "query/block.h"

// Two equal states: the rows, or the values of a flag, are the same as before.
typedef struct kith_pool_state {
    uint64_t moves;
    uint32_t rows;
} kith_pool_state;

struct kith_query_cache {
    uint32_t lead;
    // the run
    uint32_t from;
    uint32_t until;
    uint32_t start[KITH_QUERY_TERMS_MAX];
    uint64_t moves[KITH_QUERY_TERMS_MAX];
    // the list
    uint32_t       *rows; // `room` rows for each pool; NULL: none
    uint32_t        list_lead;
    uint32_t        pools;
    uint32_t        room;
    uint32_t        count;
    uint32_t        first;
    uint32_t        seen;
    kith_pool_state states[KITH_QUERY_TERMS_MAX]; // of pools, flags, nones and anys
};

// Called when a loop begins. If nothing has changed since the loop before it, allocates a list for
// the `found` entities of that loop.
KITH_INTERNAL void kith_query_cache_begin(kith_query_cache *cache, const kith_allocator *memory,
                                          const kith_loop *loop, uint64_t found);
KITH_INTERNAL void kith_query_cache_free(kith_query_cache *cache, const kith_allocator *memory);

// The cached run at the loop's row, at most `most` rows of it; returns false when there is none.
KITH_INTERNAL bool kith_query_cache_find_run(kith_query_cache *cache, const kith_loop *loop,
                                             uint32_t most, kith_run *run);
KITH_INTERNAL void kith_query_cache_record_run(kith_query_cache *cache, const kith_loop *loop,
                                               const kith_run *run);

// Copies the listed rows of the next `*most` places into the block: `*count` entities, at most
// `room`. `*most` becomes the number of places that they cover. Returns false without a valid list.
KITH_INTERNAL bool kith_query_cache_find_list(const kith_query_cache *cache, const kith_loop *loop,
                                              uint32_t room, uint32_t *most, uint32_t *count);

// Appends the loop's present block, which covers the places up to `loop->place`, to the list.
KITH_INTERNAL void kith_query_cache_record_list(kith_query_cache *cache, const kith_loop *loop);

static inline size_t kith_query_cache_bytes(const kith_query_cache *cache)
{
    return (size_t)cache->room * cache->pools * sizeof *cache->rows;
}

// --- stored queries --------------------------------------------------------------------------

// A list in the world. The next call that creates or destroys a query frees the destroyed ones
// without open loops.
struct kith_query {
    kith_object      object;
    kith_query      *next;
    kith_query_desc  desc;      // owns its name and terms
    const char      *owner;     // "the world" or the name of a system; NULL: the program
    bool             destroyed; // by the program, while a loop over it is open
    kith_loop_stats  stats;
    kith_plan        plan;
    kith_query_cache cache;
};

// Makes the query's next loop look for changes since `tick`, that tick included.
KITH_INTERNAL void kith_query_start_since(kith_query *query, uint64_t tick);

// --- readers ---------------------------------------------------------------------------------
//
// Cursors that open no loop, so that many threads can walk a world that does not change. reader.c
// explains how they work without a block.

KITH_INTERNAL bool kith_step_is_reader(const kith_step_ *step);

KITH_INTERNAL kith_entity kith_reader_next(kith_step_ *step, void **values);
KITH_INTERNAL kith_entity kith_reader_next_chunk(kith_step_ *step, void **values, uint32_t *count);

// Entity `i` of the reader's present stretch.
KITH_INTERNAL kith_entity kith_reader_entity(const kith_step_ *step, uint32_t i);

#endif
