// SPDX-License-Identifier: MIT
// Blocks: a loop finds entities ahead of its cursor, many at a time.
//
// A loop walks *places*: the rows of one pool, its lead, or the slots of the entity table when the
// query requires no pool. kith_block_find_next examines the next places and keeps the entities that
// match. These are the block; the cursor then hands them out one by one without a further search:
//
//     places    0 ............ first ............ last ............ end
//               handed out    | the present block | not examined   | rows newer than the loop
//
// A block is a run or gathered. That changes its speed, never its entities or their order:
//
//     run       the entities have consecutive rows in every pool: one start row for each pool
//                   rows in position  40  41  42  43     start 40
//                   rows in velocity   7   8   9  10     start 7
//     gathered  the rows are scattered: a list of rows for each pool
//                   rows in position  40  43  44  51     the lead: rows ascend
//                   rows in velocity   7   2  19   3
//               If the rows lie in one page of each pool for writing, the block is a *window*:
//               these pages are stamped once, not row by row.
//
// Comparing the packed indices of the pools finds a run. When a few comparisons in a row find short
// runs only, the loop stops trying for a number of blocks.
//
// A block never crosses a page of the lead, so one stamp marks the lead's page as written.
// loop_stack.h tells what happens when a listener or the loop body changes an entity of the block.
#pragma once

#include "world/world.h"

#define KITH_KNOWN_TERMS 8u

// A plan with few terms that a view of this depth made. It stands for descriptions with the same
// terms at the same address, until a component is registered.
typedef struct kith_known_plan {
    const kith_term *address;
    uint64_t         registrations; // of the world; UINT64_MAX: there is no plan
    uint32_t         count;         // of terms
    kith_term        terms[KITH_KNOWN_TERMS];
    kith_plan        plan; // last: a block has memory for the first terms alone, so copy only these
} kith_known_plan;

#define KITH_KNOWN_PLANS 8u
#define KITH_KNOWN_WORDS                                                                           \
    ((offsetof(kith_known_plan, plan.terms) + KITH_KNOWN_TERMS * sizeof(kith_plan_term) + 7) / 8)

// A column of an untyped cursor in a run or window: how to go to the value of the next entity.
typedef struct kith_stride {
    void       **column; // in kith_block.values
    uint8_t     *first;  // of a run
    void *const *at;     // of a window
    size_t       size;
} kith_stride;

// The buffers of a loop. Each depth of the loop stack keeps one and uses it for every loop there.
struct kith_block {
    // how the columns of an untyped cursor go on; first, which spares kith_cursor_next an addition
    kith_stride     strides[KITH_QUERY_TERMS_MAX];
    kith_stride    *strides_end;                               // of those in use
    uint64_t        known[KITH_KNOWN_PLANS][KITH_KNOWN_WORDS]; // by address
    kith_plan       plan; // of a view with more terms, or a loop that changed its plan
    uint32_t        limits[KITH_QUERY_TERMS_MAX]; // rows of each pool term when the loop began
    uint32_t        start[KITH_QUERY_TERMS_MAX];  // of a run: its first row in each pool term
    void           *values[KITH_QUERY_TERMS_MAX]; // the columns of an untyped cursor
    uint32_t        indices[KITH_BLOCK_ROWS]; // of a gathered block, unless `entities` is elsewhere
    uint32_t        lengths[KITH_BLOCK_ROWS]; // of the chunks that begin with each of its entities
    bool            measured;                 // the lengths are known
    const uint32_t *entities;  // their indices: `indices`, packed, or in a stored query's list
    uint32_t        room;      // length of `columns`
    kith_column_    columns[]; // by kith_plan_term.buffer
};

// Reserves a block with room for `terms` terms; returns false when memory runs out.
bool kith_block_reserve(kith_world *world, kith_loop *loop, uint32_t terms);

// Makes the next block that has entities; returns false when the walk is over. The caller gives the
// block a serial.
bool kith_block_find_next(const kith_world *world, kith_loop *loop);

// Makes the first block of a loop without a group, if it is a run: what kith_block_find_next does
// then, in fewer steps, because loops over few entities have no other block (bench B0).
bool kith_block_find_first_run(kith_world *world, kith_loop *loop);

// Whether the slot `index` of the entity table holds an entity that is older than the loop.
static inline bool kith_loop_may_visit(const kith_loop *loop, const kith_entity_page *page,
                                       uint32_t index)
{
    uint32_t slot = index & KITH_PAGE_MASK_;
    return kith_entity_index(page->slots[slot]) == index && page->births[slot] <= loop->births;
}

// The rows and addresses of a term in a gathered block.
static inline kith_column_ *kith_block_column(const kith_loop *loop, uint32_t term)
{
    return &loop->block->columns[loop->plan->terms[term].buffer];
}

// The places of the entities while a block is gathered.
static inline uint32_t *kith_block_places(const kith_loop *loop)
{
    return loop->lead == KITH_NO_TERM ? loop->block->indices
                                      : kith_block_column(loop, loop->lead)->rows_;
}

// Gives the block a new serial: it is valid for the step that gets it, and for no copy.
static inline void kith_block_renew(kith_world *world, kith_loop *loop)
{
    loop->changed_end = 0;
    loop->ticket = loop->serial = ++world->serial;
}

// The row of the block's entity at `at` in the pool of a term.
static inline uint32_t kith_block_row(const kith_loop *loop, uint32_t term, uint32_t at)
{
    return loop->run ? loop->block->start[term] + at : kith_block_column(loop, term)->found_[at];
}

// Writes the addresses of the values of the entity at `at` to `values`, one for each column. Stamps
// the columns for writing as changed, for this entity and the `count` - 1 behind it, which must be
// contiguous.
void kith_block_values(const kith_loop *loop, uint32_t at, uint32_t count, void **values);

// The value of the entity at `index`, or NULL when it lacks the term's component. A tag or a flag
// has an address without bytes. `*row` becomes the row of the value, or KITH_NO_ROW.
void *kith_plan_term_value(const kith_plan_term *term, const kith_entity_table *entities,
                           uint32_t index, uint32_t *row);

// --- runs ------------------------------------------------------------------------------------

#define KITH_RUN_SHORT 16u // gathering is as fast as comparing for a run below this length
#define KITH_RUN_TRIES 3u  // short runs in a row before the loop stops trying

typedef struct kith_run {
    const uint32_t *packed; // the indices of its entities, and of those behind it
    uint32_t       *rows;   // the first row in each pool term; for a loop in its block
    uint32_t        length; // 0: the first row is a hole, or a pool lacks the entity
    uint32_t        most;   // the length that pages and limits allow
    bool            cached; // from the cache of a stored query
} kith_run;

// The first 64 bits of the signature of the entity at `index`.
static inline uint64_t kith_world_first_word(const kith_world *world, uint32_t index)
{
    return world->entities
        .pages[index >> KITH_PAGE_SHIFT_][KITH_PAGE_SLOTS + (index & KITH_PAGE_MASK_)];
}

// Finds the run that starts in `row` of `lead`, a pool of the plan or the list of a group. The run
// has at most `most` rows, which the lead has, all below `limits`; NULL: as many rows as the other
// pools have. A hole differs from all indices, also from itself: a lead with holes is compared with
// itself.
static inline void kith_run_find(kith_run *run, const kith_world *world, const kith_plan *plan,
                                 const kith_sparse_set *lead, const uint32_t *limits, uint32_t row,
                                 uint32_t most)
{
    const uint32_t *packed = kith_sparse_set_packed(lead, row);
    uint32_t        index  = *packed;
    uint32_t       *rows   = run->rows;
    run->packed            = packed;
    run->length            = 0;
    assert(rows != NULL && most <= lead->head.rows_ - row);
    if ((index & KITH_HOLE) != 0) {
        return;
    }
    // two pools are not compared in vain; of three the last may lack the entity. A reader has no
    // mask
    if (limits != NULL && plan->pool_end > 2 &&
        (kith_world_first_word(world, index) & plan->pools) != plan->pools) {
        return;
    }
    most            = kith_min(most, kith_sparse_set_rest_of_page(lead, row));
    uint32_t length = lead->holes == 0 ? most : world->simd->match_prefix(packed, packed, most);
    for (uint32_t i = 0, pools = plan->pool_end; i < pools; i++) {
        const kith_sparse_set *set = kith_plan_set(plan, i);
        rows[i]                    = row;
        if (set == lead) {
            continue;
        }
        uint32_t start = kith_sparse_set_row_at(set, index);
        uint32_t limit = limits == NULL ? set->head.rows_ : limits[i];
        if (start >= limit) {
            return;
        }
        rows[i] = start;
        most    = kith_min(most, limit - start);
        most    = kith_min(most, kith_sparse_set_rest_of_page(set, start));
        length  = kith_min(length, most);
        // where orders differ, the row of the second entity tells it without a cache miss
        if (length >= KITH_RUN_SHORT && kith_sparse_set_row_at(set, packed[1]) != start + 1) {
            length = 1;
        } else if (length > 1) {
            length = world->simd->match_prefix(packed, kith_sparse_set_packed(set, start), length);
        }
    }
    run->most   = most;
    run->length = length;
}

// Whether no flag and no none of the plan can reject an entity.
bool kith_plan_unfiltered(const kith_plan *plan);

// Makes a block of the run at the loop's row; returns false when the run is too short to pay.
bool kith_block_find_run(const kith_world *world, kith_loop *loop);

// Makes `run` the loop's block.
static inline void kith_block_set_run(kith_loop *loop, const kith_run *run)
{
    loop->block->entities = run->packed;
    loop->run             = true;
    loop->window          = false;
    loop->block_first     = loop->place;
    loop->place += run->length;
    loop->count = run->length;
    if (loop->stats != NULL) {
        loop->counts.runs++;
        loop->counts.in_runs += run->length;
        loop->counts.remembered += run->cached ? run->length : 0;
    }
}

// How many rows, from `row` on and at most `most`, changed as the term asks. All are in one page.
uint32_t kith_plan_term_new_rows(const kith_plan_term *term, uint32_t row, uint32_t most,
                                 uint64_t since);

// Advances the loop to the next row of the lead that changed as the query asks, and sets `new_end`.
// Returns false when there is none.
bool kith_loop_seek_changed(kith_loop *loop);

// Whether none of the terms `first` .. `end` - 1 has disabled rows that the query excludes.
bool kith_plan_none_disabled(const kith_plan *plan, uint32_t first, uint32_t end);

// Whether the first word of a signature answers all terms behind the pools: no other word is
// needed, and the query excludes no disabled rows of their components.
static inline bool kith_plan_word_filters(const kith_plan *plan)
{
    return plan->in_first_word && kith_plan_none_disabled(plan, plan->pool_end, plan->any_end);
}

// Whether the entity at `index` passes all flags, nones and anys. `by_word`: the first word of its
// signature is enough.
bool kith_plan_passes(const kith_plan *plan, const kith_world *world, uint32_t index, bool by_word);

// The most places that the next block may examine.
static inline uint32_t kith_loop_next_places(const kith_loop *loop)
{
    return kith_min(loop->ahead,
                    (loop->plan->wants_changes ? loop->new_end : loop->end) - loop->place);
}
