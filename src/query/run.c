// SPDX-License-Identifier: MIT

#include "query/query.h"

#define RUN_REST 16u // blocks without trying

// --- runs ------------------------------------------------------------------------------------

KITH_INTERNAL bool kith_plan_is_enabled(const kith_plan *plan)
{
    bool enabled = true;
    for (uint32_t i = 0; i < plan->pools; i++) {
        enabled = enabled && !kith_plan_term_masked(&plan->terms[i]);
    }
    return enabled;
}

// Whether nobody has what an entity must be without.
static bool none_is_there(const kith_plan *plan)
{
    bool there = false;
    for (uint32_t i = plan->flags; i < plan->nones; i++) {
        there = there || kith_storage_count(plan->terms[i].storage) != 0;
    }
    return !there;
}

// Whether packed indices decide who is visited, but for changes.
static bool rows_decide(const kith_plan *plan)
{
    return plan->flags == plan->pools && plan->count == plan->nones && kith_plan_is_enabled(plan) &&
           none_is_there(plan);
}

KITH_INTERNAL bool kith_plan_is_plain(const kith_plan *plan)
{
    return !plan->wants_changes && rows_decide(plan);
}

// How many of the run's entities, from the first on, meet flags and nones.
static uint32_t passing(const kith_world *world, const kith_loop *loop, const kith_run *run)
{
    const kith_plan *plan   = loop->plan;
    const uint32_t  *packed = kith_sparse_set_packed(kith_plan_set(plan, loop->lead), loop->row);
    uint64_t         mask   = plan->want | plan->none;
    uint32_t         length = 0;
    while (length < run->length &&
           (kith_world_first_word(world, packed[length]) & mask) == plan->want) {
        length++;
    }
    return length;
}

// How far the packed indices of the pools agree with the lead's, from the run's rows on.
static uint32_t agreeing(const kith_world *world, const kith_plan *plan, uint32_t lead,
                         const kith_run *run)
{
    const kith_sparse_set *set    = kith_plan_set(plan, lead);
    const uint32_t        *packed = kith_sparse_set_packed(set, run->rows[lead]);
    uint32_t               length = run->most;
    if (plan->pools == 1 && set->holes != 0) {
        return world->match_prefix(packed, packed, length);
    }
    for (uint32_t i = 0; i < plan->pools; i++) {
        if (i != lead) {
            const uint32_t *other = kith_sparse_set_packed(kith_plan_set(plan, i), run->rows[i]);
            length                = world->match_prefix(packed, other, length);
        }
    }
    return length;
}

KITH_INTERNAL void kith_run_find(kith_run *run, const kith_world *world, const kith_plan *plan,
                                 uint32_t lead, const uint32_t *limits, uint32_t row, uint32_t most)
{
    uint32_t index = *kith_sparse_set_packed(kith_plan_set(plan, lead), row);
    run->length    = 0;
    run->most      = most;
    if ((index & KITH_HOLE) != 0) {
        return;
    }
    for (uint32_t i = 0; i < plan->pools; i++) {
        uint32_t start = i == lead ? row : kith_plan_term_row(&plan->terms[i], index);
        if (start >= limits[i]) {
            return;
        }
        run->rows[i] = start;
        run->most    = kith_min(run->most, limits[i] - start);
        run->most =
            kith_min(run->most, kith_sparse_set_rest_of_page(kith_plan_set(plan, i), start));
    }
    run->length = agreeing(world, plan, lead, run);
}

// --- changes ---------------------------------------------------------------------------------
//
// Whether a row has changed is asked in the very call that passes it, since any call in between may
// change it: the first row of a block is new, and a block ends before the first that is not. Nobody
// needs to tell a loop of changes, because what is new stays new.

// How many rows from this one on, of `most` in its page, are old for the term, and how many new.
static uint32_t old_rows(const kith_plan_term *term, uint32_t row, uint32_t most, uint64_t since)
{
    const kith_sparse_set *set = &term->storage->pool.set;
    uint32_t               old = kith_min(most, kith_plan_term_old_rows(term, row, since));
    if (old != 0 || !kith_plan_term_is_changed(term)) {
        return old;
    }
    return term->added ? kith_array_run_below(kith_sparse_set_added_tick(set, row), since, most)
                       : kith_sparse_set_old_run(set, row, most, since);
}

static uint32_t new_rows(const kith_plan_term *term, uint32_t row, uint32_t most, uint64_t since)
{
    const kith_sparse_set *set = &term->storage->pool.set;
    if (!kith_plan_term_is_changed(term)) {
        return most;
    }
    return term->added ? kith_array_run_from(kith_sparse_set_added_tick(set, row), since, most)
                       : kith_sparse_set_new_run(set, row, most, since);
}

KITH_INTERNAL bool kith_run_seek_changed(kith_loop *loop)
{
    const kith_plan_term *lead  = &loop->plan->terms[loop->lead];
    uint64_t              since = loop->plan->since;
    while (loop->row < loop->end) {
        uint32_t left = kith_min(kith_sparse_set_rest_of_page(&lead->storage->pool.set, loop->row),
                                 loop->end - loop->row);
        uint32_t old  = old_rows(lead, loop->row, left, since);
        loop->row += old;
        loop->counts.examined += old;
        loop->counts.rejected += old;
        if (old < left) {
            loop->fresh = loop->row + new_rows(lead, loop->row, left - old, since);
            return true;
        }
    }
    return false;
}

// How many of the run's entities, from the first on, are new in every pool.
static uint32_t new_in_run(const kith_loop *loop, const kith_run *run)
{
    uint32_t length = run->length;
    for (uint32_t i = 0; i < loop->plan->pools; i++) {
        const kith_plan_term *term = &loop->plan->terms[i];
        if (i != loop->lead && kith_plan_term_is_changed(term)) {
            length = new_rows(term, run->rows[i], length, loop->plan->since);
        }
    }
    return length;
}

// --- the block -------------------------------------------------------------------------------

static void find_run(kith_world *world, kith_loop *loop, kith_run *run)
{
    uint32_t most = kith_loop_next_places(loop);
    run->staged   = loop->cache != NULL && kith_query_cache_find_run(loop->cache, loop, most, run);
    if (run->staged) {
        return;
    }
    kith_run_find(run, world, loop->plan, loop->lead, loop->block->limits, loop->row, most);
    if (loop->cache != NULL && run->length != 0) {
        kith_query_cache_record_run(loop->cache, loop, run);
    }
}

KITH_INTERNAL void kith_run_show(kith_loop *loop, const kith_run *run)
{
    memcpy(loop->block->start, run->rows, loop->plan->pools * sizeof *run->rows);
    loop->run   = true;
    loop->first = loop->row;
    loop->row += run->length;
    loop->count = run->length;
    loop->counts.runs++;
    loop->counts.in_runs += run->length;
    loop->counts.remembered += run->staged ? run->length : 0;
    loop->counts.examined += run->length;
}

KITH_INTERNAL bool kith_run_resolve(kith_world *world, kith_loop *loop)
{
    kith_run run;
    find_run(world, loop, &run);
    if (run.length != 0 && !rows_decide(loop->plan)) {
        run.length = passing(world, loop, &run);
    }
    if (run.length != 0 && loop->plan->wants_changes) {
        run.length = new_in_run(loop, &run);
    }
    if (run.length == 0 || (run.length < KITH_RUN_SHORT && run.length < run.most)) {
        loop->short_runs = kith_min(loop->short_runs + 1, KITH_RUN_TRIES);
        loop->no_runs    = loop->short_runs < KITH_RUN_TRIES ? 0 : RUN_REST;
        return false;
    }
    loop->short_runs = 0;
    kith_run_show(loop, &run);
    if (loop->cache != NULL && run.length < KITH_BLOCK_ROWS) {
        kith_query_cache_record(loop->cache, loop);
    }
    return true;
}
