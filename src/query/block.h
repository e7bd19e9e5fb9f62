// SPDX-License-Identifier: MIT
// Blocks: the entities that a loop has found ahead of its cursor.
//
//     run       the rows of every pool are consecutive: a base address in each column, and a count
//     gathered  a list of entities, with a list of rows and addresses for each column
//
// Which of the two a block is changes its speed, never which entities it has or their order. A run
// is found by comparing packed indices; where that fails a few times, it is not tried for a while.
// No block crosses a page of the lead, so the lead's page is stamped once a block.
#ifndef KITH_QUERY_BLOCK_H
#define KITH_QUERY_BLOCK_H

#include "world/world.h"

// What a loop of some depth works with; kept from loop to loop.
struct kith_block {
    kith_plan    plan;                         // of a view
    uint32_t     limits[KITH_QUERY_TERMS_MAX]; // rows of each pool term when the loop began
    uint32_t     start[KITH_QUERY_TERMS_MAX];  // of a run: its first row in each pool term
    void        *values[KITH_QUERY_TERMS_MAX]; // of an untyped cursor, one a term
    uint32_t     index[KITH_BLOCK_ROWS];
    uint32_t     places[KITH_BLOCK_ROWS]; // rows of the lead, or indices
    uint32_t     room;                    // columns that fit
    kith_column_ columns[];               // one a term; the lead's rows are the places
};

// Makes sure that the loop's block has room for `terms` terms; false when memory runs out.
KITH_INTERNAL bool kith_block_reserve(kith_world *world, kith_loop *loop, uint32_t terms);

// Gives back what loops keep between their runs; the bytes of that.
KITH_INTERNAL void   kith_world_free_loops(kith_world *world);
KITH_INTERNAL size_t kith_world_loop_bytes(const kith_world *world);

// Finds the next entities; false when there are none.
KITH_INTERNAL bool kith_block_resolve(kith_world *world, kith_loop *loop);

// Whether the slot of the table holds an entity that is older than the loop.
static inline bool kith_loop_knows(const kith_loop *loop, const kith_entity_page *page,
                                   uint32_t index)
{
    uint32_t slot = index & KITH_PAGE_MASK_;
    return kith_entity_index(page->slots[slot]) == index && page->births[slot] <= loop->births;
}

// What is known of a term's values in a gathered block.
static inline kith_column_ *kith_block_column(const kith_loop *loop, uint32_t term)
{
    return &loop->block->columns[loop->plan->terms[term].buffer];
}

// How many entities from place `at` of the block on are a plain array in every column.
KITH_INTERNAL uint32_t kith_block_stretch(const kith_loop *loop, uint32_t at);

// The place of an entity of the block in the walk.
KITH_INTERNAL uint32_t kith_block_place(const kith_loop *loop, uint32_t at);

// The row of an entity of the block in the pool of a term.
static inline uint32_t kith_block_row(const kith_loop *loop, uint32_t term, uint32_t at)
{
    if (loop->run) {
        return loop->block->start[term] + at;
    }
    return term == loop->lead ? loop->block->places[at] : kith_block_column(loop, term)->rows_[at];
}

// The values of the entity at place `at` of the block, and the stamps of those for writing: `count`
// entities are handed out, whose values are plain arrays.
KITH_INTERNAL void kith_block_hand_out(const kith_loop *loop, uint32_t at, uint32_t count,
                                       void **values);

// What a term without bytes hands out where it is present.
KITH_INTERNAL void *kith_plan_term_value(const kith_plan_term    *term,
                                         const kith_entity_table *entities, uint32_t index,
                                         uint32_t *row);

// --- run ------------------------------------------------------------
//
// Runs: stretches of rows that are consecutive in every pool of a plan. They are found by comparing
// packed indices; where that fails a few times, it is not tried for a while.

#define KITH_RUN_SHORT 16u // a run below this length is not worth its comparing
#define KITH_RUN_TRIES 3u  // short ones in a row before giving up

// A stretch of rows of the lead that are one run in every pool of a plan.
typedef struct kith_run {
    uint32_t length; // 0: the first row is a hole, or not in all pools below their limits
    uint32_t most;   // what pages and limits would allow
    bool     staged; // by a stored query
    uint32_t rows[KITH_QUERY_TERMS_MAX]; // where it starts, a term each
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
KITH_INTERNAL bool kith_run_seek_changed(kith_loop *loop);

// Whether no pool has rows that must be asked whether they are disabled.
KITH_INTERNAL bool kith_plan_is_enabled(const kith_plan *plan);

// The places that a block may have next.
static inline uint32_t kith_loop_next_places(const kith_loop *loop)
{
    return kith_min(loop->ahead, (loop->plan->wants_changes ? loop->fresh : loop->end) - loop->row);
}

static inline uint64_t kith_world_first_word(const kith_world *world, uint32_t index)
{
    return world->entities
        .pages[index >> KITH_PAGE_SHIFT_][KITH_PAGE_SLOTS + (index & KITH_PAGE_MASK_)];
}

#endif
