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

KITH_COLD const kith_storage *kith_system_unsafe_hooks(const kith_system *system)
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

KITH_COLD const char *kith_system_alone(const kith_system *system)
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

KITH_COLD bool kith_graph_joins(const kith_graph *graph, uint32_t place, uint32_t end,
                                kith_ambiguity *why)
{
    const kith_system *first = graph->order[place];
    kith_system       *next  = end < graph->count ? graph->order[end] : NULL;
    bool               joins = next != NULL && next->desc.phase == first->desc.phase &&
                 next->desc.interval == first->desc.interval && kith_system_alone(first) == NULL &&
                 kith_system_alone(next) == NULL;
    *why = (kith_ambiguity){ 0 };
    for (uint32_t i = place; i < end && joins; i++) {
        *why  = (kith_ambiguity){ graph->order[i], next, 0 };
        joins = !kith_graph_precedes(graph, graph->order[i]->number, next->number) &&
                !kith_systems_conflict(next->world, graph->order[i], next, &why->component);
    }
    return joins;
}

KITH_COLD uint32_t kith_graph_stage_end(const kith_graph *graph, uint32_t place)
{
    uint32_t       end = place + 1;
    kith_ambiguity why;
    while (kith_graph_joins(graph, place, end, &why)) {
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

// Adds a task with the turn of the system. Returns NULL, with an error, when memory runs out.
static kith_task *add_system(kith_stage *stage, kith_system *system, const kith_turn *turn,
                             uint64_t tick, const char *call)
{
    const kith_system_desc *desc = &system->desc;
    kith_task              *task = stage == NULL ? NULL : kith_stage_add(stage, call);
    if (task != NULL) {
        task->query    = system->query;
        task->turn     = *turn;
        task->tick     = tick;
        task->part     = desc->part;
        task->run      = desc->run;
        task->sum_size = desc->sum_size;
        task->combine  = desc->combine;
        task->alone    = system->unsafe_hooks;
        task->cost     = &system->part_time;
    }
    return task;
}

bool kith_system_run_parts(kith_system *system, const kith_turn *turn, const char *call)
{
    kith_world *world = system->world;
    kith_graph_refresh(&world->schedule->graph, world);
    kith_stage *stage = kith_stage_begin(world, call);
    add_system(stage, system, turn, world->tick, call);
    return kith_stage_run_single(stage, call);
}

// The world's tick becomes that of system `i`, unless it is higher already. What later systems of
// the stage write has their ticks, while they run and after: stamps never go back.
KITH_NOINLINE static void set_ticks(const kith_stage *stage, uint32_t i)
{
    kith_world *world = stage->object.world;
    uint64_t    tick  = stage->tasks[i]->tick;
    kith_world_set_tick(world, world->tick < tick ? tick : world->tick);
    for (uint32_t s = 0; s < world->storage_count; s++) {
        kith_pool_head_ *head = &world->storages[s]->pool.set.head;
        for (uint32_t k = i + 1; k < stage->task_count; k++) {
            const kith_task *task = stage->tasks[k];
            if (task->tick > head->tick_ &&
                kith_ids_have(task->turn.system->writes, world->storages[s]->desc.id)) {
                head->tick_ = task->tick;
            }
        }
    }
}

// In a checked schedule one system runs after the other: a check knows one system.
static void run_systems(kith_stage *stage)
{
    kith_world *world = stage->object.world;
    bool        each  = world->schedule->desc.checked;
    set_ticks(stage, 0);
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
    uint64_t       last     = first + count - 1;
    kith_stage    *stage    = kith_stage_begin(world, call);
    bool           ready    = stage != NULL;
    bool           all      = true;
    assert(world->shared.held == 0);
    for (uint32_t i = 0; i < count; i++) {
        kith_schedule_set_running(schedule, systems[i]);
        kith_system_profile(systems[i], schedule->desc.begin);
    }
    uint64_t start = kith_schedule_clock(schedule);
    for (uint32_t i = 0; i < count && ready; i++) {
        kith_turn turn = kith_system_begin_turn(systems[i], dt);
        ready          = add_system(stage, systems[i], &turn, first + i, call) != NULL;
        kith_system_notify(systems[i], &turn, call); // none has enter or leave
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
        if (ready) {
            set_ticks(stage, i);
        }
        kith_system_restrict(system);
        bool done = ready && kith_stage_end_task(stage, i);
        kith_system_close_loops(system, 0, call);
        kith_system_lift_restrictions(world);
        if (done) {
            kith_system_record_time(system, start, end);
            system->entities = stage->tasks[i]->entities;
            system->tick     = world->tick;
        }
        all = all && done;
        kith_system_profile(system, schedule->desc.end);
    }
    kith_stage_end(stage);
    kith_schedule_set_running(schedule, NULL);
    world->tick = world->tick < last ? last : world->tick;
    kith_world_advance(world);
    return all;
}
