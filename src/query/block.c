// SPDX-License-Identifier: MIT
// Finding the next block of a loop. In this order, the first that works makes the block:
//
//     members  a group covers the query, owns all its pools, and no member joined or left: a run
//     list     the cache of a stored query lists the next places
//     run      the packed indices of the pools agree (run.c)
//     gather   examine the next places one by one: collect, filter, find rows, addresses
//
// After a change inside the block, the loop examines few places, then twice as many for each block.
#include "query/block.h"
#include "query/query.h"
#include "world/membership.h"

#define AHEAD_MOST   65536u            // places that a block examines; the first may examine more
#define CACHED_BYTES ((size_t)1 << 20) // of values: the caches hold as many

// --- memory ----------------------------------------------------------------------------------

KITH_COLD bool kith_block_reserve(kith_world *world, kith_loop *loop, uint32_t terms)
{
    if (loop->block != NULL && loop->block->room >= terms) {
        return true;
    }
    uint32_t    room  = (terms + 3) & ~3u;
    size_t      bytes = sizeof(kith_block) + room * sizeof(kith_column_);
    kith_block *block = kith_alloc(&world->memory, bytes, KITH_CACHE_LINE);
    if (block == NULL) {
        return false;
    }
    kith_loop_free_block(world, loop);
    for (uint32_t i = 0; i < KITH_KNOWN_PLANS; i++) {
        ((kith_known_plan *)(void *)block->known[i])->registrations = UINT64_MAX;
    }
    block->room       = room;
    loop->block       = block;
    loop->block_bytes = bytes;
    return true;
}

// --- gathering: collect places ---------------------------------------------------------------

// Collects the next `count` rows of the lead, without holes and excluded disabled rows.
static uint32_t collect_rows(const kith_loop *loop, const uint32_t *packed, uint32_t count)
{
    const kith_plan_term *lead   = &loop->plan->terms[loop->lead];
    const kith_pool      *pool   = &lead->storage->pool;
    uint32_t             *places = kith_block_places(loop);
    bool                  masked = kith_plan_term_has_disabled(lead);
    uint32_t              kept   = 0;
    for (uint32_t i = 0; i < count; i++) {
        loop->block->indices[kept] = packed[i];
        places[kept]               = loop->place + i;
        kept += (packed[i] & KITH_HOLE) == 0 &&
                !(masked && kith_pool_is_disabled(pool, loop->place + i));
    }
    return kept;
}

// Collects the living entities of the table that are older than the loop.
static uint32_t collect_entities(const kith_world *world, const kith_loop *loop, uint32_t count)
{
    const kith_entity_page *page  = kith_entity_page_of(&world->entities, loop->place);
    kith_block             *block = loop->block;
    uint32_t                kept  = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index       = loop->place + i;
        block->indices[kept] = index;
        kept += kith_loop_may_visit(loop, page, index);
    }
    return kept;
}

// --- gathering: filter -----------------------------------------------------------------------

// Moves an entity of the block from `from` to `to`, with its rows of terms 0 .. `last`.
static inline void move_entity(const kith_loop *loop, uint32_t from, uint32_t to, uint32_t last)
{
    uint32_t *indices = loop->block->indices;
    uint32_t *places  = kith_block_places(loop);
    indices[to]       = indices[from];
    places[to]        = places[from];
    for (uint32_t term = 0; term <= last; term++) {
        uint32_t *rows = kith_block_column(loop, term)->rows_;
        rows[to]       = rows[from];
    }
}

// Removes the entities without a row in the pool of term `last`, the last one looked up.
static uint32_t keep_found(const kith_loop *loop, uint32_t count, uint32_t last)
{
    const uint32_t *rows = kith_block_column(loop, last)->rows_;
    uint32_t        kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool keep = rows[i] != KITH_NO_ROW;
        move_entity(loop, i, kept, last);
        kept += keep;
    }
    return kept;
}

// Keeps the entities that pass all flags, nones and anys; `by_word`: the first signature word is
// enough.
static uint32_t filter_each(const kith_world *world, const kith_loop *loop, uint32_t count,
                            bool by_word)
{
    uint32_t *indices = loop->block->indices;
    uint32_t *places  = kith_block_places(loop);
    uint32_t  kept    = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = indices[i];
        places[kept]   = places[i];
        indices[kept]  = index;
        kept += kith_plan_passes(loop->plan, world, index, by_word);
    }
    return kept;
}

// Collects and filters the next `count` places.
static uint32_t find_places(const kith_world *world, const kith_loop *loop, uint32_t count)
{
    const kith_plan *plan    = loop->plan;
    kith_block      *block   = loop->block;
    bool             by_word = kith_plan_word_filters(plan);
    bool             each    = plan->any_end != plan->pool_end;
    uint64_t         want    = (by_word ? plan->want : 0) | (loop->picks ? plan->pools : 0);
    uint64_t         mask    = (by_word ? plan->none : 0) | want;
    if (loop->lead == KITH_NO_TERM) {
        count = collect_entities(world, loop, count);
    } else {
        const kith_plan_term *lead = &plan->terms[loop->lead];
        const uint32_t *packed     = kith_sparse_set_packed(&lead->storage->pool.set, loop->place);
        if (lead->storage->pool.set.holes != 0 || kith_plan_term_has_disabled(lead)) {
            count = collect_rows(loop, packed, count);
        } else if (mask != 0) {
            count = world->simd->pick(world->entities.pages, mask, want, packed, loop->place, count,
                                      block->indices, kith_block_places(loop));
            each  = each && (!by_word || plan->any_lists != 0);
        } else {
            memcpy(block->indices, packed, count * sizeof *packed);
            kith_array_number32(kith_block_places(loop), loop->place, count);
        }
    }
    return each ? filter_each(world, loop, count, by_word) : count;
}

// --- gathering: rows of the other pools ------------------------------------------------------

// Replaces rows >= `limit`, and disabled rows if the term excludes them, by KITH_NO_ROW. Returns
// whether there was one.
static bool drop_rows(const kith_plan_term *term, uint32_t *rows, uint32_t count, uint32_t limit)
{
    bool     masked = kith_plan_term_has_disabled(term);
    uint32_t none   = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool drop =
            rows[i] >= limit || (masked && kith_pool_is_disabled(&term->storage->pool, rows[i]));
        rows[i] = drop ? KITH_NO_ROW : rows[i];
        none |= drop;
    }
    return none != 0;
}

// Looks up the rows of the entities in the term's pool, which is not empty. A row >= `limit`, or
// disabled and excluded, becomes KITH_NO_ROW. Returns whether an entity has no row.
static bool look_up(const kith_world *world, const kith_loop *loop, uint32_t term, uint32_t count,
                    uint32_t limit)
{
    const kith_plan_term  *given = &loop->plan->terms[term];
    const kith_pool_head_ *head  = &given->storage->pool.set.head;
    uint32_t              *rows  = kith_block_column(loop, term)->rows_;
    bool lacked = world->simd->look_up(head->sparse_, head->sparse_pages_, loop->block->entities,
                                       count, rows);
    return (lacked || limit < head->rows_ || kith_plan_term_has_disabled(given)) &&
           drop_rows(given, rows, count, limit);
}

// Takes the rows of the entities in the term's pool from their places: if the pool has the entities
// of the lead in the same order, at the next `examined` places. Returns false if it has not.
static bool rows_beside_lead(const kith_world *world, const kith_loop *loop, uint32_t term,
                             uint32_t examined, uint32_t count)
{
    const kith_sparse_set *set = kith_plan_set(loop->plan, term);
    const uint32_t        *packed =
        kith_sparse_set_packed(kith_plan_set(loop->plan, loop->lead), loop->place);
    uint32_t row =
        (packed[0] & KITH_HOLE) != 0 ? KITH_NO_ROW : kith_sparse_set_row_at(set, packed[0]);
    if (row >= loop->block->limits[term] || loop->block->limits[term] - row < examined ||
        kith_sparse_set_rest_of_page(set, row) < examined ||
        kith_plan_term_has_disabled(&loop->plan->terms[term]) ||
        world->simd->match_prefix(packed, kith_sparse_set_packed(set, row), examined) != examined) {
        return false;
    }
    uint32_t *restrict rows = kith_block_column(loop, term)->rows_;
    const uint32_t *places  = kith_block_places(loop);
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = places[i] - loop->place + row;
    }
    return true;
}

// Finds the rows in all other pools. Keeps the entities that have a row in each, and returns how
// many remain.
static uint32_t find_rows(const kith_world *world, kith_loop *loop, uint32_t examined,
                          uint32_t count)
{
    for (uint32_t term = 0; term < loop->plan->pool_end && count != 0; term++) {
        uint32_t limit                        = loop->block->limits[term];
        kith_block_column(loop, term)->found_ = kith_block_column(loop, term)->rows_;
        if (limit == 0) {
            return 0;
        }
        if (term == loop->lead || rows_beside_lead(world, loop, term, examined, count)) {
            continue;
        }
        if (look_up(world, loop, term, count, limit)) {
            count = keep_found(loop, count, term);
        }
    }
    return count;
}

// --- gathering: changes ----------------------------------------------------------------------

// Whether the entity at `at` changed as the query asks, in the pools that do not lead.
KITH_NOINLINE static bool is_new_at(const kith_loop *loop, uint32_t at)
{
    for (uint32_t i = 0; i < loop->plan->pool_end; i++) {
        if (i != loop->lead &&
            kith_plan_term_new_rows(&loop->plan->terms[i], kith_block_column(loop, i)->rows_[at], 1,
                                    loop->plan->since) == 0) {
            return false;
        }
    }
    return true;
}

// Keeps the first unbroken sequence of entities that are new, and returns its length. `*examined`
// shrinks to the places before the first old entity behind them; run.c tells why the block ends
// there.
static uint32_t keep_changed(const kith_loop *loop, uint32_t count, uint32_t *examined)
{
    uint32_t kept = 0;
    for (uint32_t at = 0; at < count; at++) {
        bool is_new = is_new_at(loop, at);
        if (!is_new && kept != 0) {
            *examined = kith_block_places(loop)[at] - loop->place;
            break;
        }
        move_entity(loop, at, kept, loop->plan->pool_end - 1);
        kept += is_new;
    }
    return kept;
}

// --- gathering: addresses --------------------------------------------------------------------

void *kith_plan_term_value(const kith_plan_term *term, const kith_entity_table *entities,
                           uint32_t index, uint32_t *row)
{
    *row = KITH_NO_ROW;
    if (!kith_plan_term_present(term, entities, index)) {
        return NULL;
    }
    if (term->storage->desc.kind != KITH_KIND_VALUE) {
        return kith_empty_value();
    }
    *row = kith_plan_term_row(term, index);
    return kith_pool_value(&term->storage->pool, *row);
}

// Values of optionals and anys, NULL when an entity lacks them.
static void address_optional(const kith_world *world, const kith_loop *loop, uint32_t term,
                             uint32_t count)
{
    const kith_plan_term *given = &loop->plan->terms[term];
    kith_column_         *found = kith_block_column(loop, term);
    bool                  rows =
        given->storage->desc.kind == KITH_KIND_VALUE && given->storage->pool.set.head.rows_ != 0;
    found->found_ = found->rows_;
    if (rows) {
        look_up(world, loop, term, count, KITH_HOLE);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!rows) {
            found->at_[i] = kith_plan_term_value(given, &world->entities, loop->block->entities[i],
                                                 &found->rows_[i]);
        } else {
            uint32_t row  = found->rows_[i];
            found->at_[i] = row == KITH_NO_ROW ? NULL : kith_pool_value(&given->storage->pool, row);
        }
    }
}

// The entities in the buffers become the loop's block.
static void set_gathered(const kith_world *world, kith_loop *loop, uint32_t examined,
                         uint32_t count)
{
    const kith_plan *plan = loop->plan;
    loop->run             = false;
    loop->window          = true;
    loop->block_first     = loop->place;
    loop->place += examined;
    loop->count = count;
    for (uint32_t term = 0, terms = count == 0 ? 0 : plan->count; term < terms; term++) {
        const kith_plan_term *given  = &plan->terms[term];
        kith_pool            *pool   = &given->storage->pool;
        kith_pool_head_      *head   = &pool->set.head;
        kith_column_         *column = kith_block_column(loop, term);
        bool                  paged  = false;
        if (given->column == KITH_NO_COLUMN) {
            continue;
        }
        if (term < plan->pool_end) {
            paged = world->simd->address(head->pages_, column->found_, count, head->shift_,
                                         (uint32_t)pool->size, column->at_);
        } else {
            address_optional(world, loop, term, count);
        }
        // the processor itself fetches rows that follow each other: these lie in one page
        bool fetched = !paged && (size_t)head->rows_ * pool->size > CACHED_BYTES;
        for (uint32_t i = 0; fetched && i < count; i++) {
            KITH_PREFETCH(column->at_[i]);
        }
        // typed code stamps each entity; one page is stamped with the first of them
        bool stamped     = given->written && (!paged || head->ticks_at_ != 0);
        column->stamped_ = stamped ? head : NULL;
        loop->window     = loop->window && !stamped;
    }
}

// Makes a block of the entities that the cache lists for the next places; returns false when it
// lists none of these places.
static bool take_listed(const kith_world *world, kith_loop *loop)
{
    uint32_t               count;
    const kith_sparse_set *set = kith_plan_set(loop->plan, loop->lead);
    uint32_t               examined =
        kith_min(kith_loop_next_places(loop), kith_sparse_set_rest_of_page(set, loop->place));
    if (!loop->cache->ops->find_list(
            loop->cache, loop, kith_min(world->block_rows, KITH_BLOCK_ROWS), &examined, &count)) {
        return false;
    }
    set_gathered(world, loop, examined, count);
    for (uint32_t term = 0; term < loop->plan->pool_end && count != 0; term++) {
        kith_column_ *column = kith_block_column(loop, term);
        if (!loop->window && loop->plan->terms[term].written) { // typed code stamps these rows
            memcpy(column->rows_, column->found_, count * sizeof *column->rows_);
        }
    }
    loop->counts.listed += count;
    return true;
}

// Examines the next places and makes a block of the entities that match; it may be empty.
static void gather(const kith_world *world, kith_loop *loop)
{
    uint32_t examined = kith_min(world->block_rows, kith_loop_next_places(loop));
    uint32_t count;
    if (loop->short_runs != 0 && loop->short_runs < KITH_RUN_TRIES) {
        examined = kith_min(examined, KITH_RUN_SHORT / 2); // a run may begin after a few rows
    }
    uint32_t rest =
        loop->lead == KITH_NO_TERM
            ? KITH_PAGE_SLOTS - (loop->place & KITH_PAGE_MASK_)
            : kith_sparse_set_rest_of_page(kith_plan_set(loop->plan, loop->lead), loop->place);
    examined = kith_min(examined, rest);
    count    = find_rows(world, loop, examined, find_places(world, loop, examined));
    count    = loop->plan->wants_changes ? keep_changed(loop, count, &examined) : count;
    set_gathered(world, loop, examined, count);
    loop->picks = examined - count > examined / 8;
    loop->counts.gathered += count;
    loop->counts.rejected += examined - count;
    if (loop->cache != NULL) {
        loop->cache->ops->record_list(loop->cache, loop);
    }
}

// --- members of groups -----------------------------------------------------------------------

// Makes a run of the group's members, which have the same rows in every pool. Returns false when
// the group does not own all pools, an entity joined or left, or the query has optionals or anys.
static bool take_members(kith_loop *loop)
{
    const kith_group *group = loop->group;
    kith_run          run;
    if (group->unsettled || group->owned != loop->plan->pool_end ||
        loop->plan->count != loop->plan->none_end) {
        return false;
    }
    run.cached = false;
    run.packed = kith_sparse_set_packed(kith_plan_set(loop->plan, loop->lead), loop->place);
    run.rows   = loop->block->start;
    run.length = kith_loop_next_places(loop);
    for (uint32_t i = 0; i < loop->plan->pool_end; i++) {
        run.rows[i] = loop->place;
        run.length  = kith_min(
             run.length, kith_sparse_set_rest_of_page(kith_plan_set(loop->plan, i), loop->place));
    }
    kith_block_set_run(loop, &run);
    return true;
}

// Whether the loop visits the entity after the members: it matches now and is not one of them.
// `index` is from the list of entities that joined or left a group while the world is held.
static bool is_joiner(const kith_world *world, const kith_loop *loop, uint32_t index)
{
    const kith_plan *plan = loop->plan;
    bool             owns = loop->group->owned != 0;
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        uint32_t row    = kith_plan_term_row(&plan->terms[i], index);
        bool     member = i == loop->lead && (owns ? row < loop->end : row != KITH_NO_ROW);
        bool     needed = owns || i != loop->lead; // only members have a row in the group's list
        if (member ||
            (needed && (row >= loop->block->limits[i] ||
                        !kith_plan_term_present(&plan->terms[i], &world->entities, index)))) {
            return false;
        }
    }
    return kith_entity_index_alive(&world->entities, index) &&
           kith_plan_filter(plan, &world->entities, index);
}

// Makes a block of one entity that has no place in the walk.
static void show_joiner(const kith_world *world, kith_loop *loop, uint32_t index)
{
    loop->block->indices[0] = index;
    loop->run               = false;
    loop->window            = false;
    loop->block_first       = loop->place;
    loop->block_end         = loop->place;
    loop->count             = 1;
    for (uint32_t i = 0; i < loop->plan->count; i++) {
        const kith_plan_term *term   = &loop->plan->terms[i];
        kith_column_         *column = kith_block_column(loop, i);
        column->found_               = column->rows_;
        if (term->column != KITH_NO_COLUMN) {
            column->at_[0] = kith_plan_term_value(term, &world->entities, index, &column->rows_[0]);
        } else if (i < loop->plan->pool_end) {
            column->rows_[0] = kith_plan_term_row(term, index);
        }
    }
}

// Makes a block of the next entity that joined the group while the world is held.
KITH_COLD static void find_joiner(const kith_world *world, kith_loop *loop)
{
    uint32_t index = kith_entity_next_linked(&world->entities, loop->last_joined);
    for (; index != KITH_NO_INDEX && loop->count == 0;
         index = kith_entity_next_linked(&world->entities, index)) {
        loop->last_joined = index;
        if (is_joiner(world, loop, index)) {
            show_joiner(world, loop, index);
        }
    }
}

// --- the block -------------------------------------------------------------------------------

static bool runs_are_tried(const kith_world *world, kith_loop *loop)
{
    const kith_plan *plan = loop->plan;
    if (!plan->may_run ||
        (world->shared.disabled != 0 && !kith_plan_none_disabled(plan, 0, plan->any_end))) {
        return false;
    }
    if (loop->no_runs != 0) {
        loop->no_runs--;
        return false;
    }
    return true;
}

// Makes a block of a run; the list of a stored query gets short ones.
static bool find_run(const kith_world *world, kith_loop *loop)
{
    bool found = kith_block_find_run(world, loop);
    if (found && loop->cache != NULL && loop->cache->room != 0 && loop->count < KITH_BLOCK_ROWS) {
        loop->cache->ops->record_list(loop->cache, loop);
    }
    return found;
}

bool kith_block_find_next(const kith_world *world, kith_loop *loop)
{
    bool     cached       = loop->cache != NULL && loop->lead != KITH_NO_TERM;
    uint32_t most         = world->block_rows < KITH_BLOCK_ROWS ? world->block_rows : AHEAD_MOST;
    loop->count           = 0;
    loop->block->entities = loop->block->indices;
    loop->block->measured = false;
    while (loop->count == 0 && loop->place < loop->end &&
           (!loop->plan->wants_changes || kith_loop_seek_changed(loop))) {
        if (!(loop->group != NULL && take_members(loop)) && !(cached && take_listed(world, loop)) &&
            !(runs_are_tried(world, loop) && find_run(world, loop))) {
            gather(world, loop);
        }
        loop->block_end = loop->place;
        loop->ahead     = loop->ahead >= most / 2 ? most : 2 * loop->ahead;
    }
    if (loop->count == 0 && loop->group != NULL && loop->group->unsettled) {
        find_joiner(world, loop);
    }
    return loop->count != 0;
}

bool kith_block_find_first_run(kith_world *world, kith_loop *loop)
{
    if (loop->place != 0 || !loop->plan->plain || world->shared.disabled != 0 ||
        (loop->cache != NULL && loop->cache->seen != 0)) {
        return false;
    }
    if (!kith_block_find_run(world, loop)) {
        loop->no_runs = 1; // kith_block_find_next does not try the run again
        return false;
    }
    kith_block_renew(world, loop);
    loop->block_end = loop->place;
    loop->ahead     = kith_min(loop->ahead, AHEAD_MOST);
    return true;
}

// Stamps `count` rows with ticks as changed, from `row` on. In a run, sets up the column so that
// typed code stamps the rows after them.
KITH_NOINLINE static void tick_rows(const kith_loop *loop, uint32_t term, uint32_t row,
                                    uint32_t count)
{
    kith_sparse_set *set    = &loop->plan->terms[term].storage->pool.set;
    kith_column_    *column = kith_block_column(loop, term);
    if (loop->run) {
        column->ticks_ = kith_row_tick_(&set->head, loop->block->start[term]);
        column->tick_  = set->head.tick_;
    }
    KITH_STORE_TICK_(set->head.stamps_[row >> set->head.shift_], set->head.tick_);
    kith_sparse_set_stamp_ticks(set, row, count, false);
}

void kith_block_values(const kith_loop *loop, uint32_t at, uint32_t count, void **values)
{
    const kith_plan *plan  = loop->plan;
    kith_block      *block = loop->block;
    bool             run   = loop->run;
    for (uint32_t i = 0, terms = plan->count; i < terms; i++) {
        const kith_plan_term  *term = &plan->terms[i];
        const kith_pool       *pool = &term->storage->pool;
        const kith_pool_head_ *head = &pool->set.head;
        if (term->column == KITH_NO_COLUMN) {
            continue;
        }
        kith_column_ *column = &block->columns[term->buffer];
        uint32_t      row    = run ? block->start[i] + at : column->found_[at];
        void         *value  = run ? kith_pool_value(pool, row) : column->at_[at];
        values[term->column] = value;
        if (!term->written || value == NULL) {
            continue;
        }
        column->ticks_ = NULL;
        if (KITH_UNLIKELY_(head->ticks_at_ != 0)) {
            tick_rows(loop, i, row, count);
        } else {
            // contiguous rows are in one page
            KITH_STORE_TICK_(head->stamps_[row >> head->shift_], head->tick_);
        }
    }
}
