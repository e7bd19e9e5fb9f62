// SPDX-License-Identifier: MIT
// Stored queries, the cache that makes their next loop cheaper, and readers.
//
// The cache keeps what a loop found, so that the next loop over unchanged pools need not search:
//
//     run   rows from .. until - 1 of the lead are one run; it starts at `start` in each pool
//     list  the entities among rows first .. seen - 1 of the lead, as a list of rows for each pool
//           of indices, and of lengths of chunks once a loop by chunks measured them:
//
//               lead    [ 0 | 3 | 4 | 9 | ... ]    ascending
//               other   [ 7 | 2 | 3 | 1 | ... ]
//               index   [ 8 | 1 | 4 | 2 | ... ]
//               length  [ 1 | 2 | 1 | 1 | ... ]
//
//           An empty list says that no entity matches in rows first .. seen - 1. Arranged pools
//           have such rows behind their run.
//
// When it is valid, compared with the states that `begin` recorded:
//
//     run   no row of a pool of the query was removed or moved (`moves` counts that)
//     list  no component of the query was added, removed or moved, except for new rows at the end
//           of the lead; no flag of the query changed; the query excludes no disabled rows
//
// The list costs 4 bytes for each entity and pool, and 8 for each entity. A loop allocates it when
// nothing has changed since the loop before it, so loops over pools that change all the time pay
// nothing.
//
// Blocks and cursors point into the list. While a loop over the query is open, a list with entities
// only grows at its end, within its memory: a loop that finds it stale has no cache.
#pragma once

#include "query/block.h"

// If two states of a pool are equal, its rows, or its flags, did not change between them.
typedef struct kith_pool_state {
    uint64_t moves;
    uint32_t rows;
} kith_pool_state;

// What a loop asks of the cache. It asks through a table: a program without stored queries does not
// link the functions.
typedef struct kith_query_cache_ops {
    // The cached run at the loop's row, at most `most` rows of it; returns false when there is
    // none. The second function adds a run that the loop found.
    bool (*find_run)(kith_query_cache *cache, const kith_loop *loop, uint32_t most, kith_run *run);
    void (*record_run)(kith_query_cache *cache, const kith_loop *loop, const kith_run *run);
    // Points the block to the listed rows and indices of the next `*most` places: `*count`
    // entities, at most `room`. `*most` becomes the number of places that they cover. Returns false
    // without a valid list.
    bool (*find_list)(kith_query_cache *cache, const kith_loop *loop, uint32_t room, uint32_t *most,
                      uint32_t *count);
    // Appends the loop's present block, which covers the places up to `loop->place`, to the list.
    void (*record_list)(kith_query_cache *cache, const kith_loop *loop);
} kith_query_cache_ops;

extern const kith_query_cache_ops kith_query_cache_functions;

struct kith_query_cache {
    const kith_query_cache_ops *ops;
    uint32_t                    lead;
    kith_pool_state             states[KITH_QUERY_TERMS_MAX]; // of pools, flags, nones and anys
    // the run
    uint32_t from;
    uint32_t until;
    uint32_t start[KITH_QUERY_TERMS_MAX];
    // the list
    uint32_t *rows; // `room` rows for each pool, indices, lengths of chunks; NULL: none
    uint32_t  pools;
    uint32_t  room;
    uint32_t  count;
    uint32_t  at;       // where the latest block ended
    uint32_t  measured; // up to there the lengths of chunks are known
    uint32_t  first;
    uint32_t  seen;
};

// Empties what is no longer valid for the loop, which is open and the only one over the query.
// `listed`: the loop may use the list.
void kith_query_begin_cache(kith_query *query, const kith_loop *loop, bool listed);

void kith_query_cache_free(kith_query_cache *cache, const kith_allocator *memory);

static inline size_t kith_query_cache_bytes(const kith_query_cache *cache)
{
    return (size_t)cache->room * (cache->pools + 2) * sizeof *cache->rows;
}

// --- stored queries --------------------------------------------------------------------------

// A list in the world. The next call that creates or destroys a query frees the destroyed ones
// without open loops.
struct kith_query {
    kith_object      object;
    kith_query      *next;
    kith_query_desc  desc;      // owns its name and terms
    const char      *owner;     // "the world" or the name of a system; NULL: the program
    bool             destroyed; // by the program; freed when no loop over it is open
    kith_loop_stats  stats;
    uint64_t         part_time; // nanoseconds of the latest kith_query_parallel; 0: not known
    kith_plan        plan;
    kith_query_cache cache;
#ifdef KITH_DEBUG
    uint64_t looped; // the tick in which its latest loop began, for kith_query_notice_again
    bool     noticed;
#endif
};

// Builds with KITH_DEBUG notice a loop over a query with `changed` or `added` that begins in the
// tick of the loop before it, once for each query. It finds the same changes again (query_cache.c).
#ifdef KITH_DEBUG
    #define kith_query_forget_loop(QUERY) ((void)((QUERY)->looped = UINT64_MAX))
#else
    #define kith_query_forget_loop(QUERY) ((void)0)
#endif

// kith_query_of for `call`, which errors name.
kith_query *kith_query_provide(kith_world *world, const kith_query_desc *desc, const char *call);

// Makes the query's next loop look for changes since `tick`, that tick included.
static inline void kith_query_start_since(kith_query *query, uint64_t tick)
{
    query->desc.since = tick;
    query->plan.since = tick;
}

// --- beginning a loop (cursor.c) -------------------------------------------------------------

// The loop that can be opened next, with room for `terms` terms in its block; returns NULL, with an
// error, when none can.
kith_loop *kith_loop_make_ready(kith_world *world, uint32_t terms, const char *call);

// The same, mostly without a call.
static inline kith_loop *kith_loop_prepare(kith_world *world, uint32_t terms, const char *call)
{
    kith_loop *loop = &world->loops[world->depth];
    terms += world->groups.count != 0; // the list of a group may join the plan
    bool ready = (world->head.busy_ & KITH_HOOKS_MASK) == 0 &&
                 world->depth != KITH_LOOP_DEPTH_MAX && loop->block != NULL &&
                 loop->block->room >= terms;
#ifdef KITH_DEBUG
    ready = false; // it looks which thread calls
#endif
    return KITH_LIKELY_(ready) ? loop : kith_loop_make_ready(world, terms, call);
}

// Begins that loop. Returns false, with an error, when memory runs out.
bool kith_loop_begin(kith_world *world, kith_loop *loop, const kith_plan *plan, const char *name,
                     const char *call);

// The step's loop, with its next entity at `step->at_`, in a new block if need be. Returns NULL at
// the end and without an open loop.
kith_loop *kith_step_next_block(kith_step_ *step, const char *call);

// Points the step to `length` entities of the loop's block, from `step->at_` on, and returns the
// first. Inline code goes on by itself up to `last`.
kith_entity kith_step_show(kith_step_ *step, const kith_loop *loop, uint32_t length, uint32_t last);

// Points the step to the chunk of the block at `step->at_`, and returns its first entity. `*count`
// becomes its length (chunk_cursor.c).
kith_entity kith_step_show_chunk(kith_step_ *step, const kith_loop *loop, void **values,
                                 uint32_t *count);

// An untyped cursor over a step (chunk_cursor.c). `columns` are the caller's for a reader; NULL:
// those of the block.
kith_cursor kith_step_cursor(const kith_step_ *step, void *const *columns);

// --- readers ---------------------------------------------------------------------------------
//
// Cursors that open no loop, so that many threads can walk a world that does not change. reader.c
// explains how they work without a block. A program without readers does not link it: the step
// leads to its function.

// What `ticket_` of a reader's step points to.
typedef struct kith_reader_form {
    uint64_t ticket; // 1, as `serial_` of the step: inline code goes on
    unsigned bits;   // READ_* in reader.c
    // As kith_step_next_chunk_; with `count` NULL as kith_step_next_.
    kith_entity (*next)(kith_step_ *step, void **values, uint32_t *count);
    // Of a part of a stage: writes the values of the current entity; its description. NULL: it is
    // a reader.
    void (*values)(const kith_step_ *step, void **values);
    const kith_query_desc *desc;
} kith_reader_form;

// The form of a reader's step; NULL: the step has a loop, or failed to begin.
static inline const kith_reader_form *kith_step_reader(const kith_step_ *step)
{
    bool in_world = (uintptr_t)step->ticket_ - (uintptr_t)step->world_ < sizeof *step->world_;
    return in_world || step->ticket_ == NULL
               ? NULL
               : (const kith_reader_form *)(const void *)step->ticket_;
}
