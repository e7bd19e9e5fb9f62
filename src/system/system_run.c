// SPDX-License-Identifier: MIT
// A turn of a system: the calls of enter, leave, run and each, access checks, and measured times.
#include "base/platform.h"
#include "system/system.h"
#include "world/membership.h"

#include <stdio.h>

// --- turns -----------------------------------------------------------------------------------

static kith_turn begin_turn(kith_system *system, double dt)
{
    return (kith_turn){ .world   = system->world,
                        .system  = system,
                        .query   = system->query,
                        .context = system->desc.context,
                        .dt      = dt,
                        .since   = system->tick };
}

// Closes loops deeper than `depth` that the system did not close, and reports an error.
static void close_left_open(const kith_system *system, uint32_t depth, const char *call)
{
    kith_world *world = system->world;
    if (KITH_LIKELY_(world->depth <= depth)) {
        return;
    }
    char names[sizeof world->latest.other];
    snprintf(names, sizeof names, "%.180s\": \"%.40s", system->desc.name, world->loops[depth].name);
    kith_loop_close(world, &world->loops[depth]);
    kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0, "a system left a loop open", names);
}

// --- tracked entities ------------------------------------------------------------------------

// Calls `leave` for the entities that left the group, or for all.
static void notify_leave(kith_system *system, const kith_turn *turn, bool all, const char *call)
{
    for (uint32_t row = system->tracked_entities.head.rows_; row-- != 0;) {
        uint32_t    index  = *kith_sparse_set_packed(&system->tracked_entities, row);
        uint64_t    slot   = *kith_sparse_set_slot(&system->tracked_entities, index);
        kith_entity entity = kith_entity_make(index, kith_entity_version(slot));
        if (!all && kith_group_contains(system->group, entity)) {
            continue;
        }
        kith_sparse_set_remove(&system->tracked_entities, row);
        if (system->desc.leave != NULL) {
            system->desc.leave(turn, entity);
            close_left_open(system, 0, call); // an open loop would keep the row of the next entity
        }
    }
}

// Begins a loop over the members that hands out no columns: written columns would count as changed.
static kith_cursor begin_members(const kith_system *system)
{
    kith_query_desc desc = system->query->desc;
    kith_term       terms[KITH_QUERY_TERMS_MAX];
    for (uint32_t i = 0; i < desc.term_count; i++) {
        bool without  = desc.terms[i].role == KITH_ROLE_WITHOUT;
        terms[i]      = desc.terms[i];
        terms[i].role = without ? KITH_ROLE_WITHOUT : KITH_ROLE_WITH;
    }
    desc.terms = terms;
    return kith_view_begin(system->world, &desc);
}

// Calls `enter` for new members. A member waits for the next turn while its index still has a
// tracked entity of an older version: `leave` comes first.
static bool notify_enter(kith_system *system, const kith_turn *turn, const char *call)
{
    kith_sparse_set *tracked = &system->tracked_entities;
    kith_cursor      cursor  = begin_members(system);
    bool             enough  = !cursor.failed;
    while (enough && kith_cursor_next(&cursor)) {
        uint32_t index = kith_entity_index(cursor.entity);
        if (kith_sparse_set_row_at(tracked, index) != KITH_NO_ROW) {
            continue;
        }
        enough = kith_sparse_set_reserve_slot(tracked, &system->world->memory, index);
        if (enough) {
            kith_sparse_set_insert(tracked, cursor.entity);
        }
        if (enough && system->desc.enter != NULL) {
            system->desc.enter(turn, cursor.entity);
            close_left_open(system, 1, call);
        }
    }
    if (!enough && !cursor.failed) {
        kith_cursor_end(&cursor);
        kith_world_refuse(system->world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
    }
    return enough;
}

KITH_NOINLINE static bool has_callbacks(const kith_system *system)
{
    return system->group != NULL && (system->desc.enter != NULL || system->desc.leave != NULL);
}

// Calls `leave` and `enter` for the changes since the previous turn, if there are any.
static bool notify_changes(kith_system *system, const kith_turn *turn, const char *call)
{
    if (!has_callbacks(system)) {
        return true;
    }
    const kith_sparse_set *present = &system->group->list.pool.set;
    uint64_t               moves   = present->moves;
    uint32_t               rows    = present->head.rows_;
    if (system->notified_moves == moves && system->notified_rows == rows) {
        return true;
    }
    notify_leave(system, turn, false, call);
    if (!notify_enter(system, turn, call)) {
        return false;
    }
    system->notified_moves = moves;
    system->notified_rows  = rows;
    return true;
}

bool kith_world_reserve_tracked(kith_world *world)
{
    const kith_graph *graph  = kith_world_graph(world);
    bool              enough = true;
    for (uint32_t i = 0; i < graph->count && enough; i++) {
        kith_sparse_set *tracked = &graph->systems[i]->tracked_entities;
        if (!has_callbacks(graph->systems[i])) {
            continue;
        }
        enough = kith_sparse_set_reserve_rows(tracked, &world->memory, world->entities.room);
        for (uint32_t page = 0; page < world->entities.page_count && enough; page++) {
            enough = kith_sparse_set_reserve_page(tracked, &world->memory, page);
        }
    }
    return enough;
}

void kith_system_leave_all(kith_system *system, const char *call)
{
    kith_schedule *schedule = system->world->schedule;
    kith_turn      turn     = begin_turn(system, 0);
    schedule->running       = system;
    notify_leave(system, &turn, true, call);
    schedule->running = NULL;
}

// --- access checks ---------------------------------------------------------------------------

// Hides from the world's directory all pools that a checked system may not write. Inline functions
// then take the slow path, which reports undeclared access.
static void restrict_access(kith_world *world, const kith_system *system)
{
    kith_access_check *access = world->schedule->access;
    if (!world->schedule->desc.checked || system->accesses_all) {
        return;
    }
    access->system      = system->desc.name;
    access->reads       = system->reads;
    access->writes      = system->writes;
    world->access_check = access;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_storage  *storage = world->storages[i];
        kith_component id      = storage->desc.id;
        access->pools[id]      = &storage->pool.set.head;
        if (!kith_ids_have(system->writes, id)) {
            world->head.pools_[id] = kith_world_no_pool();
        }
    }
}

static void lift_restrictions(kith_world *world)
{
    for (uint32_t i = 0; i < world->storage_count && world->access_check != NULL; i++) {
        world->head.pools_[world->storages[i]->desc.id] = &world->storages[i]->pool.set.head;
    }
    world->access_check = NULL;
}

// --- a turn ----------------------------------------------------------------------------------

static uint64_t read_clock(const kith_schedule *schedule)
{
    return schedule->desc.clock != NULL ? schedule->desc.clock(schedule->desc.clock_context)
                                        : kith_platform_clock();
}

static void call_profiler(const kith_system *system, kith_profiler_fn hook)
{
    if (KITH_UNLIKELY_(hook != NULL)) {
        kith_world_lock(system->world);
        hook(system, system->world->schedule->desc.profiler_context);
        kith_world_unlock(system->world);
    }
}

// A clock that went backwards counts as 0.
static void record_time(kith_system *system, uint64_t start, uint64_t end)
{
    uint64_t time = end > start ? end - start : 0;
    system->times[system->turns++ % KITH_SYSTEM_TIMES] =
        time < UINT32_MAX ? (uint32_t)time : UINT32_MAX;
    system->total += time;
}

// Returns how many entities the latest loop over the query found, or 0 without a loop in this turn.
static uint64_t entities_found(const kith_system *system, uint64_t loop_before)
{
    const kith_loop_stats *stats = system->query == NULL ? NULL : &system->query->stats;
    return stats == NULL || stats->latest == loop_before
               ? 0
               : stats->report.in_runs + stats->report.gathered + stats->report.listed;
}

// Makes the query's `changed` terms count from the end of the previous turn, even if other code has
// used the query since. In the first turn they count from `since` of the description.
static void count_changes_from(kith_system *system, uint64_t turn_before)
{
    const kith_query_desc *desc = system->desc.query;
    if (system->query != NULL) {
        uint64_t first = desc == NULL ? 0 : desc->since;
        kith_query_start_since(system->query, turn_before == 0 ? first : turn_before + 1);
    }
}

static bool perform(kith_system *system, const kith_turn *turn, const char *call)
{
    count_changes_from(system, turn->since);
    if (!notify_changes(system, turn, call)) {
        return false;
    }
    uint64_t loop = system->query == NULL ? 0 : system->query->stats.latest;
    bool     done = true;
    if (system->desc.run != NULL) {
        system->desc.run(turn);
    } else {
        kith_cursor cursor = kith_query_begin(system->query);
        while (!cursor.failed && kith_cursor_next(&cursor)) {
            system->desc.each(turn, &cursor);
            close_left_open(system, 1, call);
        }
        done = !cursor.failed;
    }
    close_left_open(system, 0, call);
    system->entities = entities_found(system, loop);
    return done;
}

bool kith_system_take_turn(kith_system *system, double dt, const char *call)
{
    kith_world    *world    = system->world;
    kith_schedule *schedule = world->schedule;
    kith_turn      turn     = begin_turn(system, dt);
    assert(world->shared.held == 0);
    schedule->running = system;
    system->requested = false;
    call_profiler(system, schedule->desc.begin);
    uint64_t start = read_clock(schedule);
    restrict_access(world, system);
    bool done = perform(system, &turn, call);
    lift_restrictions(world);
    if (done) {
        record_time(system, start, read_clock(schedule));
        system->tick = world->tick;
    } else {
        system->requested = system->desc.on_demand; // the request for this turn stays
    }
    call_profiler(system, schedule->desc.end);
    schedule->running = NULL;
    kith_world_advance(world);
    return done;
}
