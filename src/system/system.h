// SPDX-License-Identifier: MIT
// Systems, and the graph that says which system must run before which.
//
//     systems[i]        in order of creation; i is the number of the system
//     predecessors[i]   one bit per system: phases and constraints put it before system i,
//                       directly or through other systems
//     order             the order of a run: of the systems with all predecessors placed, the one
//                       created first comes next
//
// Invariant: the graph has no cycle. kith_graph_add refuses a system that would close one. All
// arrays are one block with room for `capacity` systems, so removing a system needs no memory.
#pragma once

#include "base/platform.h"
#include "query/query.h"

#define KITH_NO_SYSTEM UINT32_MAX

struct kith_system {
    kith_world      *world;
    kith_system_desc desc;   // what it points to follows this struct in the same block
    size_t           bytes;  // size of that block
    uint32_t         number; // index in graph.systems
    uint64_t         made;   // no other system or object of the world has this number
    kith_query      *query;
    kith_group      *group;
    uint64_t         reads[KITH_SIGNATURE_WORDS]; // one bit per component id
    uint64_t         writes[KITH_SIGNATURE_WORDS];
    bool             accesses_all;
    bool             in_parts;     // it has `part` or `shared`: it runs in a stage
    kith_system_fn   run;          // desc.run; NULL: it has `each`, or it runs in a stage
    bool             unsafe_hooks; // of what it writes; see kith_graph_refresh
    uint32_t         stage_end;    // of the stage that begins with it; the same
    bool             enabled;
    bool             requested;
    double           waited; // time since the last turn of a system with an interval
    uint32_t         steps;  // remaining turns in this run of the schedule
    uint64_t         tick;   // world tick of the latest turn
    // tracked systems: the entities passed to `enter`, and the state of the group at that time
    kith_sparse_set tracked_entities;
    uint64_t        notified_moves;
    uint32_t        notified_rows;
    // for kith_system_report_of
    uint64_t turns;
    uint64_t part_time; // nanoseconds of the latest turn on one thread; 0: not known
    uint64_t total;     // nanoseconds of all turns
    uint64_t entities;
    double   dropped;
    uint32_t times[KITH_SYSTEM_TIMES]; // turn n is at n % KITH_SYSTEM_TIMES
};

typedef struct kith_graph {
    kith_system **systems;
    kith_system **order;
    kith_system **stage;        // scratch: those of a stage that have a turn
    uint64_t     *predecessors; // the block begins here
    uint64_t     *unplaced;     // scratch bits of order_systems
    uint32_t      words;        // 64-bit words per row of predecessors
    uint32_t      count;
    uint32_t      capacity;
    uint64_t      known; // registrations of the world, plus 1, at the latest kith_graph_refresh
} kith_graph;

typedef struct kith_schedule {
    kith_object        object;
    kith_schedule_desc desc;
    kith_graph         graph;
    kith_system       *running; // NULL: no system is running
    kith_access_check *access;  // NULL: `desc.checked` was never set
#ifdef KITH_DEBUG
    uint64_t checked_names; // `made` of the newest system whose `before` and `after` were checked
#endif
} kith_schedule;

// Sets the running system, or none.
static inline void kith_schedule_set_running(kith_schedule *schedule, kith_system *system)
{
    schedule->running = system;
    kith_world_name_running(schedule->object.world, system == NULL ? NULL : system->desc.name);
}

// --- graph (system_graph.c) ------------------------------------------------------------------

// Allocates space for one more system. Returns false when memory runs out.
bool   kith_graph_reserve(kith_graph *graph, const kith_allocator *memory);
void   kith_graph_free(kith_graph *graph, const kith_allocator *memory);
size_t kith_graph_bytes(const kith_graph *graph);

// Adds a system after kith_graph_reserve. Returns false when it closes a cycle, and writes the
// cycle to `cycle`. Removing cannot fail.
bool kith_graph_add(kith_graph *graph, kith_system *system, char *cycle, size_t size);
void kith_graph_remove(kith_graph *graph, const kith_system *system);

// Returns whether system `a` must run before system `b`: has_edge directly, precedes also through
// other systems. `a` and `b` are numbers.
bool kith_graph_has_edge(const kith_graph *graph, uint32_t a, uint32_t b);

static inline bool kith_graph_precedes(const kith_graph *graph, uint32_t a, uint32_t b)
{
    return kith_ids_have(graph->predecessors + (size_t)b * graph->words, a);
}

// Adds a component or the number of a system to a set of bits, which kith_ids_have reads.
static inline void kith_ids_put(uint64_t *bits, uint32_t id)
{
    bits[id >> 6] |= UINT64_C(1) << (id & 63);
}

// Returns whether the two systems cannot run at the same time. `*component` becomes the conflicting
// component registered next after `*component` (0: the first one), or 0 if one touches everything.
bool kith_systems_conflict(const kith_world *world, const kith_system *a, const kith_system *b,
                           kith_component *component);

// --- turns (system_run.c) --------------------------------------------------------------------

// Runs the system once. Returns false and reports an error when it could not run.
bool kith_system_take_turn(kith_system *system, double dt, const char *call);

// What a turn consists of: begin, the calls of enter and leave, access checks of a checked
// schedule, its clock and its profiler, closing loops that the system left open.
bool kith_system_notify_members(kith_system *system, const kith_turn *turn, const char *call);
void kith_system_hide_pools(const kith_system *system);
void kith_system_show_pools(kith_world *world);
void kith_system_close_loops(const kith_system *system, uint32_t depth, const char *call);

static inline kith_turn kith_system_begin_turn(const kith_system *system, double dt)
{
    return (kith_turn){ .world   = system->world,
                        .system  = (kith_system *)(uintptr_t)system,
                        .query   = system->query,
                        .context = system->desc.context,
                        .dt      = dt,
                        .since   = system->tick };
}

// Calls `enter` and `leave`. The query's `changed` terms count from the end of the previous turn,
// even if other code has used the query since; in the first turn from `since` of the description.
static inline bool kith_system_notify(kith_system *system, const kith_turn *turn, const char *call)
{
    if (system->query != NULL) {
        const kith_query_desc *desc  = system->desc.query;
        uint64_t               first = desc == NULL ? 0 : desc->since;
        kith_query_start_since(system->query, turn->since == 0 ? first : turn->since + 1);
    }
    return system->group == NULL || kith_system_notify_members(system, turn, call);
}

static inline void kith_system_restrict(const kith_system *system)
{
    if (system->world->schedule->desc.checked && !system->accesses_all) {
        kith_system_hide_pools(system);
    }
}

static inline void kith_system_lift_restrictions(kith_world *world)
{
    if (world->access_check != NULL) {
        kith_system_show_pools(world);
    }
}

static inline void kith_system_profile(const kith_system *system, kith_profiler_fn hook)
{
    if (KITH_UNLIKELY_(hook != NULL)) {
        kith_world_lock(system->world);
        hook(system, system->world->schedule->desc.profiler_context);
        kith_world_unlock(system->world);
    }
}

static inline uint64_t kith_schedule_clock(const kith_schedule *schedule)
{
    return schedule->desc.clock != NULL ? schedule->desc.clock(schedule->desc.clock_context)
                                        : kith_platform_clock();
}

// A clock that went backwards counts as 0.
static inline void kith_system_record_time(kith_system *system, uint64_t start, uint64_t end)
{
    uint64_t time = end > start ? end - start : 0;
    system->times[system->turns++ % KITH_SYSTEM_TIMES] =
        time < UINT32_MAX ? (uint32_t)time : UINT32_MAX;
    system->total += time;
}

// Calls `leave` for every tracked entity.
void kith_system_leave_all(kith_system *system, const char *call);

// Reserve allocates, for all tracked systems, as many rows as there are entities; returns false
// when memory runs out.
bool kith_world_reserve_tracked(kith_world *world);

// --- stages (system_stage.c) -----------------------------------------------------------------

// Returns why the system shares no stage; NULL: it may share one. The second function returns the
// first component that it writes and that has hooks that are not thread-safe, or NULL.
const char         *kith_system_alone(const kith_system *system);
const kith_storage *kith_system_unsafe_hooks(const kith_system *system);

// Whether the system at `end` of the order may run beside those at place..end-1. If not, `why`
// has the one that it may not run beside, or none when it differs in phase, interval or form.
bool kith_graph_joins(const kith_graph *graph, uint32_t place, uint32_t end, kith_ambiguity *why);

// Returns the end of the stage that begins at `place` of the order.
uint32_t kith_graph_stage_end(const kith_graph *graph, uint32_t place);

// Finds the stages again, if a system or a component is new.
void kith_graph_refresh(kith_graph *graph, const kith_world *world);

// Runs the parts of a system with `in_parts`, in a stage of its own. Returns false and reports an
// error when they could not run.
bool kith_system_run_parts(kith_system *system, const kith_turn *turn, const char *call);

// Runs two or more systems of one stage, which have `in_parts`. Returns false and reports errors
// when one could not run.
bool kith_systems_take_turns(kith_system *const *systems, uint32_t count, double dt,
                             const char *call);

// --- systems (system.c) ----------------------------------------------------------------------

// Returns true when the world is not locked and no system is running, otherwise reports an error.
bool kith_require_no_turn(kith_world *world, const char *call);

// Returns whether systems may run now with this `dt`, otherwise reports an error.
bool kith_schedule_can_run(kith_world *world, double dt, const char *call);

// Returns the graph of the schedule, or an empty one.
const kith_graph *kith_world_graph(const kith_world *world);

// Returns the schedule, and creates it at the first call. Returns NULL and reports an error when
// memory runs out.
kith_schedule *kith_world_schedule(kith_world *world, const char *call);
