// SPDX-License-Identifier: MIT
// Loops over stored queries, and the cache of a query; query.h shows what it keeps and when that is
// valid.
//
//     loop 1        loop 2                 loop 3                    a row moves, then loop 4
//     search,       nothing changed:       rows from the list,       states differ: empties the
//     no list       allocates the list,    no search                 list, searches; while another
//                   records its blocks                               loop is open: has no cache
//
// Each call checks the states again, because the loop body may change the pools between two blocks.
#include "query/query.h"

#include <inttypes.h>

// --- the run ---------------------------------------------------------------------------------

// Whether the run is valid: no row of a pool was removed or moved.
KITH_NOINLINE static bool is_run_valid(const kith_query_cache *cache, const kith_loop *loop)
{
    bool same = cache->lead == loop->lead;
    for (uint32_t i = 0; i < loop->plan->pool_end; i++) {
        same = same && cache->states[i].moves == kith_plan_set(loop->plan, i)->moves;
    }
    return same;
}

static bool find_cached_run(kith_query_cache *cache, const kith_loop *loop, uint32_t most,
                            kith_run *run)
{
    if (loop->place < cache->from || loop->place >= cache->until || !is_run_valid(cache, loop)) {
        return false;
    }
    uint32_t past = loop->place - cache->from;
    run->most     = kith_min(most, cache->until - loop->place);
    for (uint32_t i = 0; i < loop->plan->pool_end; i++) {
        run->rows[i] = cache->start[i] + past;
        if (run->rows[i] >= loop->block->limits[i]) {
            return false; // a loop that began later recorded it
        }
        run->most = kith_min(
            run->most, kith_sparse_set_rest_of_page(kith_plan_set(loop->plan, i), run->rows[i]));
        run->most = kith_min(run->most, loop->block->limits[i] - run->rows[i]);
    }
    run->packed = kith_sparse_set_packed(kith_plan_set(loop->plan, loop->lead), loop->place);
    run->length = run->most;
    return true;
}

// Appends the run to the cached one, or replaces that by a longer one, or ignores it.
static void record_run(kith_query_cache *cache, const kith_loop *loop, const kith_run *run)
{
    uint32_t past  = loop->place - cache->from;
    bool     joins = cache->until != cache->from && loop->place == cache->until;
    for (uint32_t i = 0; i < loop->plan->pool_end && joins; i++) {
        joins = run->rows[i] == cache->start[i] + past;
    }
    if (!is_run_valid(cache, loop)) {
        return;
    }
    if (joins) {
        cache->until += run->length;
    } else if (run->length > cache->until - cache->from) {
        cache->from  = loop->place;
        cache->until = loop->place + run->length;
        memcpy(cache->start, run->rows, loop->plan->pool_end * sizeof *run->rows);
    }
}

// --- the list --------------------------------------------------------------------------------

static kith_pool_state state_of(const kith_loop *loop, uint32_t term)
{
    const kith_storage    *storage = loop->plan->terms[term].storage;
    const kith_pool_head_ *head    = &storage->pool.set.head;
    if (storage->desc.kind == KITH_KIND_FLAG) {
        return (kith_pool_state){ head->flags_set_ + head->flags_cleared_, 0 };
    }
    return (kith_pool_state){ storage->pool.set.moves, term == loop->lead ? 0 : head->rows_ };
}

// Whether the list is valid for the loop: no component of the query changed, no disabled rows are
// excluded, and no pool but the lead has rows that are newer than the loop.
static bool is_list_valid(const kith_query_cache *cache, const kith_loop *loop)
{
    for (uint32_t i = 0; i < loop->plan->any_end; i++) {
        kith_pool_state now = state_of(loop, i);
        bool            grown =
            i < loop->plan->pool_end && i != loop->lead && now.rows != loop->block->limits[i];
        if (now.moves != cache->states[i].moves || now.rows != cache->states[i].rows || grown ||
            kith_plan_term_has_disabled(&loop->plan->terms[i])) {
            return false;
        }
    }
    return cache->lead == loop->lead;
}

void kith_query_cache_free(kith_query_cache *cache, const kith_allocator *memory)
{
    kith_free(memory, cache->rows, kith_query_cache_bytes(cache), KITH_CACHE_LINE);
    *cache = (kith_query_cache){ .ops = cache->ops };
}

static uint32_t *member_rows(const kith_query_cache *cache, uint32_t term)
{
    return cache->rows == NULL ? NULL : cache->rows + (size_t)term * cache->room;
}

// Allocates room for `found` entities and half as many on top, since a growing lead goes on
// growing. Without memory the old list stays.
static void grow_list(kith_query_cache *cache, const kith_allocator *memory, uint32_t found)
{
    uint32_t  room = found + found / 2;
    uint32_t *rows =
        kith_alloc(memory, (size_t)room * (cache->pools + 2) * sizeof *rows, KITH_CACHE_LINE);
    if (rows == NULL) {
        return;
    }
    for (uint32_t i = 0; i < cache->pools + 2 && cache->count != 0; i++) {
        memcpy(rows + (size_t)i * room, member_rows(cache, i), cache->count * sizeof *rows);
    }
    kith_free(memory, cache->rows, kith_query_cache_bytes(cache), KITH_CACHE_LINE);
    cache->rows = rows;
    cache->room = room;
}

// Called when a loop begins: empties what is no longer valid. If nothing has changed since the loop
// before it, allocates a list for the `found` entities of that loop.
KITH_ALWAYS_INLINE void begin_cache(kith_query_cache *cache, const kith_allocator *memory,
                                    const kith_loop *loop, uint64_t found)
{
    cache->pools = loop->plan->pool_end;
    if (is_list_valid(cache, loop)) {
        if (loop->lead != KITH_NO_TERM && found > cache->room && found < KITH_ROWS_MAX / 2) {
            grow_list(cache, memory, (uint32_t)found);
        }
        return;
    }
    cache->count = cache->at = cache->measured = cache->first = cache->seen = 0;
    if (!is_run_valid(cache, loop)) {
        cache->from = cache->until = 0;
    }
    cache->lead = loop->lead;
    for (uint32_t i = 0; i < loop->plan->any_end; i++) {
        cache->states[i] = state_of(loop, i);
    }
}

// How many listed rows of the lead are below `row`; mostly those up to the end of the latest block.
KITH_NOINLINE static uint32_t members_below(const kith_query_cache *cache, const kith_loop *loop,
                                            uint32_t row)
{
    const uint32_t *rows = member_rows(cache, loop->lead);
    uint32_t        low  = cache->at != 0 && rows[cache->at - 1] < row ? cache->at : 0;
    uint32_t        high = low < cache->count && rows[low] >= row ? low : cache->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool find_cached_list(kith_query_cache *cache, const kith_loop *loop, uint32_t room,
                             uint32_t *most, uint32_t *count)
{
    if (loop->place < cache->first || loop->place >= cache->seen || !is_list_valid(cache, loop)) {
        return false;
    }
    uint32_t end = loop->place + kith_min(*most, cache->seen - loop->place);
    uint32_t at  = members_below(cache, loop, loop->place);
    *count       = kith_min(cache->count - at, room);
    if (*count != 0 && member_rows(cache, loop->lead)[at + *count - 1] >= end) {
        *count = members_below(cache, loop, end) - at;
    } else if (*count == room) {
        end = member_rows(cache, loop->lead)[at + room - 1] + 1;
    }
    *most     = end - loop->place;
    cache->at = at + *count;
    for (uint32_t i = 0; i < cache->pools && *count != 0; i++) {
        kith_block_column(loop, i)->found_ = member_rows(cache, i) + at;
        loop->block->entities              = member_rows(cache, cache->pools) + at;
    }
    return true;
}

static void record_list(kith_query_cache *cache, const kith_loop *loop)
{
    bool joins = cache->seen == loop->block_first;
    if (loop->count > cache->room - cache->count || (!joins && cache->count != 0) ||
        !is_list_valid(cache, loop)) {
        return;
    }
    if (loop->count != 0) {
        memcpy(member_rows(cache, cache->pools) + cache->count, loop->block->entities,
               loop->count * sizeof(uint32_t));
        loop->block->entities = member_rows(cache, cache->pools) + cache->count;
    }
    for (uint32_t i = 0; i < cache->pools && loop->count != 0; i++) {
        uint32_t *rows = member_rows(cache, i) + cache->count;
        for (uint32_t at = 0; at < loop->count; at++) {
            rows[at] = kith_block_row(loop, i, at);
        }
    }
    if (loop->run && cache->measured == cache->count) {
        for (uint32_t left = loop->count; left > 0; left--) {
            member_rows(cache, cache->pools + 1)[cache->measured++] = left;
        }
    }
    cache->first = joins ? cache->first : loop->block_first;
    cache->seen  = loop->place;
    cache->count += loop->count;
}

const kith_query_cache_ops kith_query_cache_functions = { find_cached_run, record_run,
                                                          find_cached_list, record_list };

// --- loops over stored queries ---------------------------------------------------------------

static void start_stats(kith_loop *loop, kith_loop_stats *stats)
{
    bool led          = loop->lead != KITH_NO_TERM;
    loop->counts      = (kith_query_report){ .rows = loop->end };
    loop->counts.lead = led ? loop->plan->terms[loop->lead].storage->desc.id : 0;
    loop->stats       = stats;
    stats->latest = loop->number = loop->serial;
    stats->report                = loop->counts;
    stats->open++;
}

// The room that the cache's list needs for the entities of the latest loop. Rows of long runs are
// not listed; rows of short runs between listed rows are, and there are at most as many of them.
static uint64_t list_room(const kith_query_report *report)
{
    uint64_t found = report->gathered + report->listed;
    uint64_t all   = found + report->in_runs;
    return all < 2 * found ? all : 2 * found;
}

void kith_query_begin_cache(kith_query *query, const kith_loop *loop, bool listed)
{
    begin_cache(&query->cache, &query->object.world->memory, loop,
                listed ? list_room(&query->stats.report) : 0);
}

// Whether the cursor has the query's terms, and the running system declared its components.
static bool may_begin(kith_world *world, const kith_query *query, const kith_query_desc *desc,
                      const char *call)
{
    kith_error error = { .call = call };
    return (kith_plan_same_terms(&query->desc, desc) ||
            kith_world_mistake(world, call, "the stored query has other terms than the cursor",
                               desc->name)) &&
           (world->access_check == NULL || kith_plan_declared(&query->plan, world, &error) ||
            kith_world_fail(world, &error));
}

#ifdef KITH_DEBUG
// A system may walk its query twice in one turn: its first loop counts from its latest turn.
static void notice_again(kith_world *world, kith_query *query)
{
    bool of_system = query->owner != NULL && strcmp(query->owner, "the world") != 0;
    if (query->looped == world->tick && !of_system && !query->noticed) {
        char       text[250];
        kith_print out = kith_print_start(text, sizeof text);
        kith_print_format(&out,
                          "query \"%s\" has `changed` or `added` and runs twice in tick %" PRIu64
                          ", so it finds the same changes again; call kith_world_advance between",
                          kith_name_shown(query->desc.name), world->tick);
        kith_print_end(&out);
        query->noticed = true;
        kith_world_notice(world, "kith_query_begin", text);
    }
    query->looped = world->tick;
}
#else
    #define notice_again(WORLD, QUERY) ((void)0)
#endif

static kith_loop *begin_loop(kith_world *world, kith_query *query, const kith_query_desc *desc)
{
    static const char call[] = "kith_query_begin";
    const kith_plan  *plan   = &query->plan;
    kith_loop        *loop   = NULL;
    if (may_begin(world, query, desc, call)) {
        loop = kith_loop_prepare(world, plan->count, call);
    }
    if (loop != NULL && plan->wants_changes) {
        loop->block->plan = *plan; // its own `since`: the query's moves on for the next loop
        plan              = &loop->block->plan;
    }
    if (loop == NULL || !kith_loop_begin(world, loop, plan, query->desc.name, call)) {
        return NULL;
    }
    if (plan->wants_changes) {
        notice_again(world, query);
        kith_query_start_since(query, world->tick);
    } else if (loop->group == NULL && loop->end != 0) { // without rows there is nothing to keep
        // the block of an open loop may be in the list: then it stays as it is
        bool fixed = query->stats.open != 0 && query->cache.count != 0;
        if (!fixed) {
            begin_cache(&query->cache, &world->memory, loop, list_room(&query->stats.report));
        }
        loop->cache = fixed && !is_list_valid(&query->cache, loop) ? NULL : &query->cache;
    }
    start_stats(loop, &query->stats);
    return loop;
}

kith_begun_ kith_step_begin_stored_(kith_query *query, const kith_query_desc *desc)
{
    if (query == NULL) {
        return (kith_begun_){ NULL, NULL }; // kith_query_create reported the error
    }
    kith_world *world = query->object.world;
    kith_loop  *loop  = begin_loop(world, query, desc);
    return (kith_begun_){ world, loop == NULL ? NULL : &loop->ticket };
}
