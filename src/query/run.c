// SPDX-License-Identifier: MIT
// Runs: consecutive rows that belong to the same entities in every pool of a plan.
//
//     row         0   1   2   3   4   5   6   7
//     position    a   b   c   d   e   f   g   h      lead
//     velocity    x   c   d   e   f   y   b          the run of c: position 2 .. 5, velocity 1 .. 4
//
// The first row is looked up. From there on, comparing the packed indices of both pools finds where
// they differ, and no other row is looked up: a run reads 4 bytes for each entity and pool.
#include "query/query.h"

#define RUN_REST 16u // blocks without trying, after KITH_RUN_TRIES short runs

// --- filters --------------------------------------------------------------------------------

bool kith_plan_none_disabled(const kith_plan *plan, uint32_t first, uint32_t end)
{
    bool enabled = true;
    for (uint32_t i = first; i < end; i++) {
        enabled = enabled && !kith_plan_term_has_disabled(&plan->terms[i]);
    }
    return enabled;
}

bool kith_plan_unfiltered(const kith_plan *plan)
{
    bool filtered = plan->flag_end != plan->pool_end;
    for (uint32_t i = plan->flag_end; i < plan->none_end; i++) {
        filtered = filtered || kith_storage_count(plan->terms[i].storage) != 0;
    }
    return !filtered;
}

bool kith_plan_passes(const kith_plan *plan, const kith_world *world, uint32_t index, bool by_word)
{
    if (!by_word) {
        return kith_plan_filter(plan, &world->entities, index);
    }
    uint64_t word   = kith_world_first_word(world, index);
    bool     passes = (word & (plan->want | plan->none)) == plan->want;
    for (uint32_t list = 0; list < plan->any_lists; list++) {
        passes = passes && (word & plan->any[list]) != 0;
    }
    return passes;
}

// How many of the run's first entities have the flags and lack the nones.
static uint32_t accepted_prefix(const kith_world *world, const kith_loop *loop, const kith_run *run)
{
    const kith_plan *plan   = loop->plan;
    uint64_t         mask   = plan->want | plan->none;
    uint32_t         length = 0;
    while (length < run->length &&
           (kith_world_first_word(world, run->packed[length]) & mask) == plan->want) {
        length++;
    }
    return length;
}

// --- changes ---------------------------------------------------------------------------------
//
// A query that asks for changes decides on each row in the call that goes past it, because the loop
// body may change the row until then. So a block begins with a new row and ends before the next old
// one. A new row stays new, so loops need no notification of changes.

// How many rows, from `row` on and at most `most`, are old for the term. All are in one page.
static uint32_t old_rows(const kith_plan_term *term, uint32_t row, uint32_t most, uint64_t since)
{
    const kith_sparse_set *set = &term->storage->pool.set;
    uint32_t               old = kith_min(most, kith_plan_term_old_rows(term, row, since));
    if (old != 0 || !kith_plan_term_wants_new(term)) {
        return old;
    }
    return term->added ? kith_array_run_below(kith_sparse_set_added_tick(set, row), since, most)
                       : kith_sparse_set_old_run(set, row, most, since);
}

uint32_t kith_plan_term_new_rows(const kith_plan_term *term, uint32_t row, uint32_t most,
                                 uint64_t since)
{
    const kith_sparse_set *set = &term->storage->pool.set;
    if (!kith_plan_term_wants_new(term)) {
        return most;
    }
    return term->added ? kith_array_run_from(kith_sparse_set_added_tick(set, row), since, most)
                       : kith_sparse_set_new_run(set, row, most, since);
}

bool kith_loop_seek_changed(kith_loop *loop)
{
    const kith_plan_term *lead  = &loop->plan->terms[loop->lead];
    uint64_t              since = loop->plan->since;
    while (loop->place < loop->end) {
        uint32_t left =
            kith_min(kith_sparse_set_rest_of_page(&lead->storage->pool.set, loop->place),
                     loop->end - loop->place);
        uint32_t old = old_rows(lead, loop->place, left, since);
        loop->place += old;
        loop->counts.rejected += old;
        if (old < left) {
            loop->new_end =
                loop->place + kith_plan_term_new_rows(lead, loop->place, left - old, since);
            return true;
        }
    }
    return false;
}

// How many of the run's first entities are new in every pool.
static uint32_t new_in_run(const kith_loop *loop, const kith_run *run)
{
    uint32_t length = run->length;
    for (uint32_t i = 0; i < loop->plan->pool_end; i++) {
        if (i != loop->lead) {
            length = kith_plan_term_new_rows(&loop->plan->terms[i], run->rows[i], length,
                                             loop->plan->since);
        }
    }
    return length;
}

// --- the block -------------------------------------------------------------------------------

bool kith_block_find_run(const kith_world *world, kith_loop *loop)
{
    const kith_plan  *plan  = loop->plan;
    kith_query_cache *cache = loop->cache;
    kith_run          run   = { .rows = loop->block->start };
    uint32_t          most  = kith_loop_next_places(loop);
    run.cached              = cache != NULL && cache->ops->find_run(cache, loop, most, &run);
    if (!run.cached) {
        kith_run_find(&run, world, plan, kith_plan_set(plan, loop->lead), loop->block->limits,
                      loop->place, most);
        if (cache != NULL && run.length != 0) {
            cache->ops->record_run(cache, loop, &run);
        }
    }
    if (run.length != 0 && !plan->plain && !kith_plan_unfiltered(plan)) {
        run.length = accepted_prefix(world, loop, &run);
    }
    if (run.length != 0 && plan->wants_changes) {
        run.length = new_in_run(loop, &run);
    }
    if (run.length == 0 || (run.length < KITH_RUN_SHORT && run.length < run.most)) {
        loop->short_runs = kith_min(loop->short_runs + 1, KITH_RUN_TRIES);
        loop->no_runs    = loop->short_runs < KITH_RUN_TRIES ? 0 : RUN_REST;
        return false;
    }
    loop->short_runs = 0;
    kith_block_set_run(loop, &run);
    return true;
}
