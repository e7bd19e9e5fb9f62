// SPDX-License-Identifier: MIT
// Runs: stretches of rows that are consecutive in every pool of a plan. They are found by comparing
// packed indices; where that fails a few times, it is not tried for a while.
#ifndef KITH_QUERY_RUN_H
#define KITH_QUERY_RUN_H

#include "query/block.h"

#define KITH_RUN_SHORT 16u // a run below this length is not worth its comparing
#define KITH_RUN_TRIES 3u  // short ones in a row before giving up

// A stretch of rows of the lead that are one run in every pool of a plan.
typedef struct kith_run {
    uint32_t length;   // 0: the first row is a hole, or not in all pools below their limits
    uint32_t most;     // what pages and limits would allow
    bool     recalled; // by a stored query
    uint32_t rows[KITH_QUERY_TERMS_MAX]; // where it starts, a part each
} kith_run;

// The run that starts in `row` of the lead, of at most `most` rows.
KITH_INTERNAL void kith_run_find(kith_run *run, const kith_world *world, const kith_plan *plan,
                                 uint32_t lead, const uint32_t *limits, uint32_t row,
                                 uint32_t most);

// Whether runs can be told from packed indices alone: nothing but pools and components that nobody
// has to be without, and no disabled rows.
KITH_INTERNAL bool kith_plan_is_plain(const kith_plan *plan);

// Makes a block of the run at the loop's row; false where comparing does not pay.
KITH_INTERNAL bool kith_run_resolve(kith_world *world, kith_loop *loop);

// The same with a run that is known.
KITH_INTERNAL void kith_run_show(kith_loop *loop, const kith_run *run);

// Goes to the next row of the lead that is new, and notes how far the rows are; false: none is.
KITH_INTERNAL bool kith_run_seek_news(kith_loop *loop);

// Whether no pool has rows that must be asked whether they are disabled.
KITH_INTERNAL bool kith_plan_is_enabled(const kith_plan *plan);

// The places that a block may have next.
static inline uint32_t kith_loop_next_places(const kith_loop *loop)
{
    return kith_least(loop->ahead, (loop->plan->news ? loop->fresh : loop->end) - loop->row);
}

static inline uint64_t kith_world_first_word(const kith_world *world, uint32_t index)
{
    return world->entities
        .pages[index >> KITH_PAGE_SHIFT_][KITH_PAGE_SLOTS + (index & KITH_PAGE_MASK_)];
}

#endif
