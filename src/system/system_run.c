// SPDX-License-Identifier: MIT
#include "base/platform.h"
#include "system/system.h"
#include "world/event.h"
#include "world/group.h"

#include <stdio.h>

// --- turns -----------------------------------------------------------------------------------

KITH_INTERNAL bool kith_require_no_turn(kith_world *world, const char *call)
{
    if (world->schedule == NULL || world->schedule->running == NULL) {
        return true;
    }
    return kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0, "a system has its turn",
                                     world->schedule->running->desc.name);
}

KITH_INTERNAL bool kith_schedule_can_run(kith_world *world, double dt, const char *call)
{
    if (!kith_require_unlocked(world, call) || !kith_require_no_turn(world, call) ||
        !kith_require_movable(world, call, 0)) {
        return false;
    }
    return (dt >= 0 && dt <= 1e300) ||
           kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, 0,
                                     "dt is a number that is not below 0", NULL);
}

static kith_turn begin_turn(kith_system *system, double dt)
{
    return (kith_turn){ .world   = system->world,
                        .system  = system,
                        .query   = system->query,
                        .context = system->desc.context,
                        .dt      = dt,
                        .since   = system->tick };
}

// Closes the loops deeper than `depth`, which the system left open: an error.
static void close_left_open(const kith_system *system, uint32_t depth, const char *call)
{
    kith_world *world = system->world;
    if (KITH_LIKELY_(world->depth <= depth)) {
        return;
    }
    char names[sizeof world->error_other];
    snprintf(names, sizeof names, "%.180s\": \"%.40s", system->desc.name, world->loops[depth].name);
    kith_loop_close(world, &world->loops[depth]);
    kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0, "a system left a loop open", names);
}

// --- who came and went -----------------------------------------------------------------------

// Tells `leave` of those who left, or of all.
static void tell_leaving(kith_system *system, const kith_turn *turn, bool all, const char *call)
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
            close_left_open(system, 0, call); // which would keep the next one's row
        }
    }
}

// Notes that `enter` hears of the entity; false when memory runs out.
static bool note_told(kith_system *system, kith_entity entity)
{
    kith_world *world = system->world;
    if (!kith_sparse_set_reserve_slot(&system->tracked_entities, &world->memory,
                                      kith_entity_index(entity))) {
        return false;
    }
    kith_sparse_set_insert(&system->tracked_entities, entity);
    return true;
}

// Begins a loop over the system's entities that hands out no values: to be told is no change.
static kith_cursor begin_telling(const kith_system *system)
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

// One whose index belongs to another that `leave` has not heard of waits for the next turn.
static bool tell_entering(kith_system *system, const kith_turn *turn, const char *call)
{
    kith_cursor cursor = begin_telling(system);
    bool        enough = !cursor.failed;
    while (enough && kith_cursor_next(&cursor)) {
        uint32_t index = kith_entity_index(cursor.entity);
        if (kith_sparse_set_row_at(&system->tracked_entities, index) == KITH_NO_ROW) {
            enough = note_told(system, cursor.entity);
            if (enough && system->desc.enter != NULL) {
                system->desc.enter(turn, cursor.entity);
                close_left_open(system, 1, call);
            }
        }
    }
    if (!enough && !cursor.failed) {
        kith_cursor_end(&cursor);
        kith_world_refuse(system->world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
    }
    return enough;
}

static bool tells(const kith_system *system)
{
    return system->group != NULL && (system->desc.enter != NULL || system->desc.leave != NULL);
}

// Tells of who came and went since the previous turn.
static bool tell_changes(kith_system *system, const kith_turn *turn, const char *call)
{
    if (!tells(system)) {
        return true;
    }
    const kith_sparse_set *present = &system->group->index.pool.set;
    uint64_t               moves   = present->moves;
    uint32_t               rows    = present->head.rows_;
    if (system->notified_moves == moves && system->notified_rows == rows) {
        return true;
    }
    tell_leaving(system, turn, false, call);
    if (!tell_entering(system, turn, call)) {
        return false;
    }
    system->notified_moves = moves;
    system->notified_rows  = rows;
    return true;
}

KITH_INTERNAL bool kith_world_reserve_tracked(kith_world *world)
{
    const kith_graph *graph  = world->schedule == NULL ? NULL : &world->schedule->graph;
    bool              enough = true;
    for (uint32_t i = 0; graph != NULL && i < graph->count && enough; i++) {
        kith_sparse_set *told = &graph->systems[i]->tracked_entities;
        if (!tells(graph->systems[i])) {
            continue;
        }
        enough = kith_sparse_set_reserve_rows(told, &world->memory, world->entities.room);
        for (uint32_t page = 0; page < world->entities.page_count && enough; page++) {
            enough = kith_sparse_set_reserve_page(told, &world->memory, page);
        }
    }
    return enough;
}

KITH_INTERNAL void kith_world_shrink_tracked(kith_world *world)
{
    for (uint32_t i = 0; world->schedule != NULL && i < world->schedule->graph.count; i++) {
        kith_sparse_set_shrink(&world->schedule->graph.systems[i]->tracked_entities,
                               &world->memory);
    }
}

KITH_INTERNAL void kith_system_leave_all(kith_system *system, const char *call)
{
    kith_schedule *schedule = system->world->schedule;
    kith_turn      turn     = begin_turn(system, 0);
    schedule->running       = system;
    tell_leaving(system, &turn, true, call);
    schedule->running = NULL;
}

// --- the access --------------------------------------------------------------------------------

// From now on the directory shows only what the system may write.
static void restrict_access(kith_world *world, const kith_system *system)
{
    kith_access_check *access = world->schedule->access;
    if (!world->schedule->desc.checked || system->touches_all) {
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

// A clock that went backwards measured nothing.
static void note_time(kith_system *system, uint64_t start, uint64_t end)
{
    uint64_t time = end > start ? end - start : 0;
    system->times[system->turns++ % KITH_SYSTEM_TIMES] =
        time < UINT32_MAX ? (uint32_t)time : UINT32_MAX;
    system->total += time;
}

static bool call_each(const kith_system *system, const kith_turn *turn, const char *call)
{
    kith_cursor cursor = kith_query_begin(system->query);
    while (!cursor.failed && kith_cursor_next(&cursor)) {
        system->desc.each(turn, &cursor);
        close_left_open(system, 1, call);
    }
    return !cursor.failed;
}

// What the system's latest loop found, if it made one in this turn.
static uint64_t entities_found(const kith_system *system, uint64_t loop_before)
{
    const kith_tally *tally = system->query == NULL ? NULL : &system->query->tally;
    return tally == NULL || tally->latest == loop_before
               ? 0
               : tally->report.in_runs + tally->report.gathered + tally->report.listed;
}

// Changes count from the end of the previous turn, also when others have walked the query since;
// in the first turn from where the description says.
static void count_changes_from(kith_system *system, uint64_t turn_before)
{
    const kith_query_desc *desc = system->desc.query;
    if (system->query != NULL) {
        uint64_t first = desc == NULL ? 0 : desc->since;
        kith_query_record_since(system->query, turn_before == 0 ? first : turn_before + 1);
    }
}

static bool perform(kith_system *system, const kith_turn *turn, const char *call)
{
    count_changes_from(system, turn->since);
    if (!tell_changes(system, turn, call)) {
        return false;
    }
    uint64_t loop = system->query == NULL ? 0 : system->query->tally.latest;
    bool     done = true;
    if (system->desc.run != NULL) {
        system->desc.run(turn);
    } else {
        done = call_each(system, turn, call);
    }
    close_left_open(system, 0, call);
    system->entities = entities_found(system, loop);
    return done;
}

KITH_INTERNAL bool kith_system_take_turn(kith_system *system, double dt, const char *call)
{
    kith_world    *world    = system->world;
    kith_schedule *schedule = world->schedule;
    kith_turn      turn     = begin_turn(system, dt);
    assert(world->shared.held == 0);
    schedule->running = system;
    system->due       = false;
    call_profiler(system, schedule->desc.begin);
    uint64_t start = read_clock(schedule);
    restrict_access(world, system);
    bool done = perform(system, &turn, call);
    lift_restrictions(world);
    if (done) {
        note_time(system, start, read_clock(schedule));
        system->tick = world->tick;
    } else {
        system->due = system->desc.on_demand; // what asked for the turn is still to be done
    }
    call_profiler(system, schedule->desc.end);
    schedule->running = NULL;
    kith_world_advance(world);
    return done;
}
