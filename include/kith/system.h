// SPDX-License-Identifier: MIT
// Systems, and the schedule that runs them. Part of kith.h.
#ifndef KITH_SYSTEM_H
#define KITH_SYSTEM_H

#include "event.h"
#include "group.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Systems
//
//     static void integrate(const kith_turn *turn)
//     {
//         KITH_EACH_STORED(movers, m, turn->query) {
//             m.position->x += m.velocity->x * (float)turn->dt;
//         }
//     }
//
//     kith_system_create(world, &(kith_system_desc){
//         .name = "integrate", .run = integrate, .query = movers_desc() });
//     ...
//     kith_schedule_run(world, dt);                           // every frame
//
// A system is a function with a name, the entities that it is for, and what it touches. The world's
// schedule runs all of them, one after the other; kith_system_run runs one alone.
//
// Entities    Those of a query or, with a bare signature, those that have all of its components.
//             `run` is called once a turn and walks turn->query itself; `each` is called for every
//             entity. The terms of a signature are its components in registration order: write
//             where `writes` names a component with values, read where `reads` does, else with.
// Access      A query's terms write, optional_write and own are written, all others read; `reads`
//             and `writes` name what the system touches besides, singletons too. To add or to
//             remove a component is to write it. A system that names nothing, neither terms nor
//             components, may touch everything.
// Order       By phase, lower ones first; within a phase, by `before` and `after`, which may name
//             systems that come later or never; among those that could be next the one that was
//             created first. A system that would close a circle is refused, and the error has it.
// Ambiguous   Two systems of which one writes what the other touches, and that nothing but their
//             creation brings into an order: kith_schedule_ambiguities tells of them.
// Turns       Before a turn no loop is open and everything is settled; a loop that a system leaves
//             open is an error that names both, and is closed: after `run`, and after each call of
//             `each`, `enter` and `leave`. Each turn has a tick of its own, which ends with it, but
//             for the first turn of a run: that shares its tick with what was written before the
//             run. What was stamped after turn->since was written after the system's previous turn.
//             From there the terms changed and added of its query count, in the first loop of a
//             turn: a system does not find what it has changed itself.
// Intervals   With an interval a system gets that as dt, as often as the time that has come
//             together has room for it: each kith_schedule_run adds its dt while the system is
//             enabled. After `max_steps` turns in one run what is left over is dropped, and so is
//             the time of a turn that could not be had, or that was to come when the system was
//             disabled. Systems that follow on each other with the same phase and interval take
//             turns: each once, then each once more.
// On demand   Such a system has a turn only after kith_system_request was called since its last one
//             began, by a listener, another system, the program; while events wait in the queue
//             `on_events`; or while the reactive set `on_set`, which is brought up to date for
//             that, has members. To update the queue and to clear the set is the system's job.
//             What a system changed in its turn is no news for the set that it waits for, unless
//             other systems wait for the same set: for them it is, and it becomes a member with
//             what else is news. kith_system_run brings the set up to date, too.
// Tracked     The entities of such a system are a group that owns nothing, right at every moment;
//             its terms are those that a group may have. A group with the same terms that owns some
//             of them excludes it, and the other way round: whichever comes second is refused with
//             KITH_ERROR_ARGUMENT, as two such groups are. When a turn begins, `leave` hears of
//             those who are no longer among them (a handle may be dead) and `enter` of the new
//             ones, in the order of a loop over them. `leave` goes through a list from its end: who
//             enters is put there, and who is there takes the place of one who leaves. Who came and
//             went in between is not mentioned. Destroying the system tells `leave` of all,
//             destroying the world not.
// Busy        While a system has its turn, systems are neither made nor destroyed nor run, and the
//             world is not destroyed: KITH_ERROR_BUSY.
// ---------------------------------------------------------------------------------------------

/// A system; made by kith_system_create and owned by its world.
typedef struct kith_system kith_system;

/// One turn of a system.
typedef struct kith_turn {
    kith_world  *world;
    kith_system *system;
    kith_query  *query;   // the system's entities; NULL when it has neither query nor signature
    void        *context; // the description's
    double       dt;
    uint64_t     since; // the tick of the system's previous turn; 0: there was none
} kith_turn;

/// What a system does: once a turn, for each entity (the columns as the terms are), or with an
/// entity that came or went.
typedef void (*kith_system_fn)(const kith_turn *turn);
typedef void (*kith_system_each_fn)(const kith_turn *turn, const kith_cursor *cursor);
typedef void (*kith_system_entity_fn)(const kith_turn *turn, kith_entity entity);

/// A system as the world is told of it. Everything that pointers lead to is copied, but for
/// `context`.
typedef struct kith_system_desc {
    const char            *name;
    kith_system_fn         run;  // this or `each`
    kith_system_each_fn    each; // needs a query or a signature
    void                  *context;
    const kith_query_desc *query; // this, a signature, or none
    const kith_signature  *signature;
    const kith_component  *reads;
    uint32_t               read_count;
    const kith_component  *writes;
    uint32_t               write_count;
    const char *const     *before; // names of systems
    uint32_t               before_count;
    const char *const     *after;
    uint32_t               after_count;
    int32_t                phase;
    bool                   disabled; // until kith_system_enable
    bool                   on_demand;
    kith_queue            *on_events; // of a system on demand; may be NULL, as the next
    kith_reactive         *on_set;    // cannot be destroyed before the system
    double                 interval;  // 0: each run, with its dt
    uint32_t               max_steps; // turns in one run; 0: 8
    bool                   tracked;
    kith_system_entity_fn  enter; // of a tracked system; may be NULL
    kith_system_entity_fn  leave;
} kith_system_desc;

/// How long a system takes, in nanoseconds, and how many entities its query handed out.
typedef struct kith_system_report {
    uint64_t turns;
    uint64_t last;
    uint64_t mean;     // of all turns
    uint64_t p99;      // of the latest KITH_SYSTEM_TIMES: 99 in 100 took no longer
    uint64_t entities; // in the latest turn; of `run`, those of its latest loop over turn->query
    double   dropped;  // time of an interval that was lost
} kith_system_report;

#define KITH_SYSTEM_TIMES 128u

/// Makes a system. NULL and an error that names it: no name or one that the world has already, not
/// exactly one of `run` and `each`, what else contradicts itself, a component that is not
/// registered, a circle, memory, a query or a group that cannot be made; in loops when it is
/// tracked. O(systems^2 + constraints x systems), and what making the group takes.
KITH_API kith_system *kith_system_create(kith_world *world, const kith_system_desc *desc);

/// Ends the system. False for NULL, and an error in hooks and in a system's turn and, if it is
/// tracked, while a loop is open. Never allocates. O(systems^2).
KITH_API bool kith_system_destroy(kith_system *system);

/// The system with that name, or NULL. O(systems).
KITH_API kith_system *kith_system_find(const kith_world *world, const char *name);

/// Walks the systems in the order in which they run: NULL gives the first, each answer the next,
/// NULL is the end. O(systems).
KITH_API kith_system *kith_system_next(const kith_world *world, const kith_system *previous);

/// The system's description: the copies, `query` also of a signature. Its world; its query, and the
/// group of a tracked one, or NULL: they are the system's and go with it; to destroy them is an
/// error that names the system. O(1).
KITH_API const kith_system_desc *kith_system_describe(const kith_system *system);
KITH_API kith_world             *kith_system_world(const kith_system *system);
KITH_API kith_query             *kith_system_query(const kith_system *system);
KITH_API kith_group             *kith_system_group(const kith_system *system);

/// Lets the schedule run the system or not, from its next turn on; returns what was so before.
/// Whether it does. O(1).
KITH_API bool kith_system_enable(kith_system *system, bool enabled);
KITH_API bool kith_system_enabled(const kith_system *system);

/// Makes a system that runs on demand have a turn when it is next in the order. Returns whether it
/// was not due already; false for other systems, and nothing happens. O(1).
KITH_API bool kith_system_request(kith_system *system);

/// Gives one system a turn, enabled or not, due or not, with this dt whatever its interval is.
/// False and an error when there is none with this name, from hooks, listeners, systems and open
/// loops, for a dt below 0, and without memory. O(systems + registered), and what the system does.
KITH_API bool kith_system_run(kith_world *world, const char *name, double dt);

/// What the system's turns took. O(KITH_SYSTEM_TIMES^2).
KITH_API kith_system_report kith_system_report_of(const kith_system *system);

// ---------------------------------------------------------------------------------------------
// Schedule
// ---------------------------------------------------------------------------------------------

/// Hears that a system's turn begins, or is over. May ask the world, and not change it. While both
/// are NULL a turn pays 5 instructions of 437 for them (docs/benchmarks.md, "Y1").
typedef void (*kith_profiler_fn)(const kith_system *system, void *context);

/// What a schedule does besides running systems. All zero: nothing.
typedef struct kith_schedule_desc {
    uint64_t (*clock)(void *context); // nanoseconds; NULL: a clock of the system
    void            *clock_context;
    kith_profiler_fn begin; // may be NULL, as `end`
    kith_profiler_fn end;
    void            *profiler_context;
    bool             checked; // see kith_schedule_configure
} kith_schedule_desc;

/// Two systems that nothing orders, and what both touch.
typedef struct kith_ambiguity {
    kith_system   *first; // runs before the other, because it was created before it
    kith_system   *second;
    kith_component component; // the first registered of those; 0: all, one may touch everything
} kith_ambiguity;

/// Sets the schedule up, from now on. A checked schedule refuses, with KITH_ERROR_UNDECLARED, each
/// call by which a system touches a component that it did not declare: the error names the system,
/// the component and the call. It sees all calls that name a component, queries, and paths and
/// groups that move rows, also the inline ones of typed code, which take the long way meanwhile
/// (but for what the system writes). It does not see what concerns an entity as a whole (create,
/// destroy, clone, become, signatures) or the world (limits, memory, settling), members of reactive
/// sets, groups that own nothing when their lists are sorted, and pointers that the system kept.
/// Listeners and handlers of events are not the system, also when it causes the event: while they
/// run nothing is checked. Commands are not checked when they are recorded, which other threads may
/// do, but in the system that applies them. False without memory, from hooks and from a system.
/// Switch it on where programs are debugged: a turn then costs O(registered) more.
KITH_API bool kith_schedule_configure(kith_world *world, const kith_schedule_desc *desc);

/// Runs the systems in their order. False and an error, and none has run, from hooks, listeners,
/// systems and open loops and for a dt below 0 or not finite; false when one could not run (the
/// error says why), and the others have. O(systems x registered), and what they do.
KITH_API bool kith_schedule_run(kith_world *world, double dt);

/// Writes the ambiguous pairs, at most `capacity` of them, by the order in which their systems run.
/// Returns how many there are. O(systems^2).
KITH_API uint32_t kith_schedule_ambiguities(const kith_world *world, kith_ambiguity *pairs,
                                            uint32_t capacity);

/// The plan in words: phases, systems in order, what they touch, ambiguous pairs, names in `before`
/// and `after` that no system has. As Graphviz: an arrow for each constraint, a dotted line for
/// each ambiguous pair. Both are written as by kith_error_text. O(systems^2 x registered).
KITH_API size_t kith_schedule_explain(const kith_world *world, char *buffer, size_t size);
KITH_API size_t kith_schedule_graph(const kith_world *world, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
