// SPDX-License-Identifier: MIT
// A turn of a system: the calls of enter, leave, run and each, access checks, and measured times.
#include "system/system.h"
#include "world/membership.h"

#include <stdio.h>

// --- turns -----------------------------------------------------------------------------------

// Closes loops deeper than `depth` that the system did not close, and reports an error.
void kith_system_close_loops(const kith_system *system, uint32_t depth, const char *call)
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
            // an open loop would keep the row of the next entity
            kith_system_close_loops(system, 0, call);
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
        enough = kith_sparse_set_reserve_slot(tracked, index);
        if (enough) {
            kith_sparse_set_insert(tracked, cursor.entity);
        }
        if (enough && system->desc.enter != NULL) {
            system->desc.enter(turn, cursor.entity);
            kith_system_close_loops(system, 1, call);
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
bool kith_system_notify_members(kith_system *system, const kith_turn *turn, const char *call)
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
        enough = kith_sparse_set_reserve_rows(tracked, world->entities.room);
        for (uint32_t page = 0; page < world->entities.page_count && enough; page++) {
            enough = kith_sparse_set_reserve_page(tracked, page);
        }
    }
    return enough;
}

void kith_system_leave_all(kith_system *system, const char *call)
{
    kith_schedule *schedule = system->world->schedule;
    kith_turn      turn     = kith_system_begin_turn(system, 0);
    kith_schedule_set_running(schedule, system);
    notify_leave(system, &turn, true, call);
    kith_schedule_set_running(schedule, NULL);
}

// --- access checks ---------------------------------------------------------------------------

// Hides from the world's directory all pools that a checked system may not write. Inline functions
// then take the slow path, which reports undeclared access.
void kith_system_hide_pools(const kith_system *system)
{
    kith_world        *world  = system->world;
    kith_access_check *access = world->schedule->access;
    kith_pool_head_   *none   = kith_world_no_pool();
    access->system            = system->desc.name;
    access->reads             = system->reads;
    access->writes            = system->writes;
    world->access_check       = access;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_storage  *storage = world->storages[i];
        kith_component id      = storage->desc.id;
        access->pools[id]      = &storage->pool.set.head;
        if (!kith_ids_have(system->writes, id)) {
            world->head.pools_[id] = world->head.writable_[id] = none;
        }
    }
}

void kith_system_show_pools(kith_world *world)
{
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_component id      = world->storages[i]->desc.id;
        world->head.pools_[id] = world->head.writable_[id] = &world->storages[i]->pool.set.head;
    }
    world->access_check = NULL;
}

// --- a turn ----------------------------------------------------------------------------------

// Returns how many entities the latest loop over the query found, or 0 without a loop in this turn.
static uint64_t entities_found(const kith_system *system, uint64_t loop_before)
{
    const kith_loop_stats *stats = system->query == NULL ? NULL : &system->query->stats;
    return stats == NULL || stats->latest == loop_before
               ? 0
               : stats->report.in_runs + stats->report.gathered + stats->report.listed;
}

static bool perform(kith_system *system, const kith_turn *turn, const char *call)
{
    if (!kith_system_notify(system, turn, call)) {
        return false;
    }
    uint64_t loop = system->query == NULL ? 0 : system->query->stats.latest;
    bool     done = true;
    if (system->run != NULL) {
        system->run(turn);
    } else if (system->in_parts) {
        done = kith_system_run_parts(system, turn, call);
    } else {
        kith_cursor cursor = kith_query_begin(system->query);
        while (!cursor.failed && kith_cursor_next(&cursor)) {
            system->desc.each(turn, &cursor);
            kith_system_close_loops(system, 1, call);
        }
        done = !cursor.failed;
    }
    kith_system_close_loops(system, 0, call);
    system->entities = entities_found(system, loop);
    return done;
}

bool kith_system_take_turn(kith_system *system, double dt, const char *call)
{
    kith_world    *world    = system->world;
    kith_schedule *schedule = world->schedule;
    kith_turn      turn     = kith_system_begin_turn(system, dt);
    assert(world->shared.held == 0);
    kith_schedule_set_running(schedule, system);
    system->requested = false;
    kith_system_profile(system, schedule->desc.begin);
    uint64_t start = kith_schedule_clock(schedule);
    kith_system_restrict(system);
    bool done = perform(system, &turn, call);
    kith_system_lift_restrictions(world);
    if (done) {
        kith_system_record_time(system, start, kith_schedule_clock(schedule));
        system->tick = world->tick;
    } else {
        system->requested = system->desc.on_demand; // the request for this turn stays
    }
    kith_system_profile(system, schedule->desc.end);
    kith_schedule_set_running(schedule, NULL);
    kith_world_advance(world);
    return done;
}
