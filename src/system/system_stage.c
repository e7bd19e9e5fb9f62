// SPDX-License-Identifier: MIT
// Stages of the schedule: which systems run beside each other, and their turns.
//
//     order    [ input | move | steer | fade | collide | draw ]
//     stages     alone   move, steer, fade       collide   alone
//
// Systems join a stage one after the other, until the next one may not: it must run alone, or
// accesses what the stage writes, or writes what the stage accesses, or is ordered by name.
#include "system/system.h"
#include "workers/stage.h"
#include "world/membership.h"

// --- which systems share a stage -------------------------------------------------------------

const kith_storage *kith_system_unsafe_hooks(const kith_system *system)
{
    const kith_world *world = system->world;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        const kith_storage *storage = world->storages[i];
        const kith_traits  *traits  = &storage->desc.traits;
        if (!kith_hooks_empty(&traits->hooks) && !traits->thread_safe_hooks &&
            kith_ids_have(system->writes, storage->desc.id)) {
            return storage;
        }
    }
    return NULL;
}

const char *kith_system_alone(const kith_system *system)
{
    const kith_system_desc *desc = &system->desc;
    return !system->in_parts                            ? "it has neither part nor shared"
           : system->accesses_all                       ? "it declares no component"
           : desc->on_demand                            ? "it runs on demand"
           : desc->enter != NULL || desc->leave != NULL ? "it has enter or leave"
           : kith_system_unsafe_hooks(system) != NULL ? "it writes values with hooks that are not "
                                                        "thread-safe"
                                                      : NULL;
}

// Whether the system at `end` of the order may run beside those at place..end-1.
static bool joins_stage(const kith_graph *graph, uint32_t place, uint32_t end)
{
    const kith_system *first = graph->order[place];
    const kith_system *next  = end < graph->count ? graph->order[end] : NULL;
    bool               joins = next != NULL && next->desc.phase == first->desc.phase &&
                 next->desc.interval == first->desc.interval && kith_system_alone(first) == NULL &&
                 kith_system_alone(next) == NULL;
    for (uint32_t i = place; i < end && joins; i++) {
        kith_component component = 0;
        joins = !kith_graph_precedes(graph, graph->order[i]->number, next->number) &&
                !kith_systems_conflict(next->world, graph->order[i], next, &component);
    }
    return joins;
}

uint32_t kith_graph_stage_end(const kith_graph *graph, uint32_t place)
{
    uint32_t end = place + 1;
    while (joins_stage(graph, place, end)) {
        end++;
    }
    return end;
}

void kith_graph_refresh(kith_graph *graph, const kith_world *world)
{
    if (graph->known == world->registrations + 1) {
        return;
    }
    graph->known = world->registrations + 1;
    for (uint32_t i = 0; i < graph->count; i++) {
        kith_system *system  = graph->order[i];
        system->unsafe_hooks = kith_system_unsafe_hooks(system) != NULL;
        system->stage_end    = kith_graph_stage_end(graph, i);
    }
}

// --- turns -----------------------------------------------------------------------------------

static bool add_system(kith_stage *stage, kith_system *system, double dt, uint64_t tick,
                       const char *call)
{
    const kith_system_desc *desc = &system->desc;
    kith_task              *task = kith_stage_add(stage, call);
    if (task != NULL) {
        task->query    = system->query;
        task->turn     = kith_system_begin_turn(system, dt);
        task->tick     = tick;
        task->part     = desc->part;
        task->run      = desc->run;
        task->sum_size = desc->sum_size;
        task->combine  = desc->combine;
        task->alone    = system->unsafe_hooks;
        task->in_order =
            system->unsafe_hooks ||
            (system->query != NULL && kith_plan_finds_own_changes(&system->query->plan));
        task->cost = &system->part_time;
    }
    kith_system_restrict(system);
    bool added = task != NULL && kith_system_notify(system, &task->turn, call);
    kith_system_lift_restrictions(system->world);
    return added;
}

// What the systems write has their ticks while they run; the first one has the world's.
static void set_ticks(const kith_stage *stage)
{
    kith_world *world = stage->object.world;
    for (uint32_t i = 0; i < world->storage_count && stage->task_count > 1; i++) {
        kith_storage *storage = world->storages[i];
        for (uint32_t k = 1; k < stage->task_count; k++) {
            const kith_task *task = stage->tasks[k];
            if (kith_ids_have(task->turn.system->writes, storage->desc.id)) {
                storage->pool.set.head.tick_ = task->tick;
            }
        }
    }
}

// The world's tick becomes `tick`, unless it is higher already. A pool that a later system of the
// stage wrote keeps the tick of that system: stamps never go back.
static void raise_tick(kith_world *world, uint64_t tick)
{
    tick = world->tick = world->tick < tick ? tick : world->tick;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        uint64_t *own = &world->storages[i]->pool.set.head.tick_;
        *own          = *own < tick ? tick : *own;
    }
    for (uint32_t i = 0; i < world->groups.count; i++) {
        world->groups.groups[i]->list.pool.set.head.tick_ = tick;
    }
}

// In a checked schedule one system runs after the other: a check knows one system.
static void run_systems(kith_stage *stage)
{
    kith_world *world = stage->object.world;
    bool        each  = world->schedule->desc.checked;
    set_ticks(stage);
    for (uint32_t i = 0; i < stage->task_count; i += each ? 1 : stage->task_count) {
        kith_system_restrict(stage->tasks[i]->turn.system);
        kith_stage_run(stage, i, each ? i + 1 : stage->task_count);
        kith_system_lift_restrictions(world);
    }
}

bool kith_systems_take_turns(kith_system *const *systems, uint32_t count, double dt,
                             const char *call)
{
    kith_world    *world    = systems[0]->world;
    kith_schedule *schedule = world->schedule;
    uint64_t       first    = world->tick;
    kith_stage    *stage    = kith_stage_begin(world, call);
    bool           ready    = stage != NULL;
    bool           all      = true;
    uint64_t       start    = 0;
    assert(world->shared.held == 0);
    kith_graph_refresh(&schedule->graph, world);
    for (uint32_t i = 0; i < count; i++) {
        kith_schedule_set_running(schedule, systems[i]);
        systems[i]->requested = false;
        kith_system_profile(systems[i], schedule->desc.begin);
        start = i == 0 ? kith_schedule_clock(schedule) : start;
        ready = ready && add_system(stage, systems[i], dt, first + i, call);
    }
    ready = ready && kith_stage_prepare(stage, call);
    if (ready) {
        run_systems(stage);
        ready = kith_stage_check_memory(stage, call);
    }
    uint64_t end = kith_schedule_clock(schedule);
    for (uint32_t i = 0; i < count; i++) {
        kith_system *system = systems[i];
        kith_schedule_set_running(schedule, system);
        if (i != 0) {
            raise_tick(world, first + i);
        }
        kith_system_restrict(system);
        bool done = ready && kith_stage_end_task(stage, i);
        kith_system_close_loops(system, 0, call);
        kith_system_lift_restrictions(world);
        if (done) {
            kith_system_record_time(system, start, end);
            system->entities = stage->tasks[i]->entities;
            system->tick     = world->tick;
        } else {
            system->requested = system->desc.on_demand;
        }
        all = all && done;
        kith_system_profile(system, schedule->desc.end);
    }
    if (stage != NULL) {
        kith_stage_end(stage);
    }
    kith_schedule_set_running(schedule, NULL);
    raise_tick(world, first + count - 1);
    kith_world_set_tick(world, world->tick + 1);
    return all;
}
