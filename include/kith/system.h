// SPDX-License-Identifier: MIT
// Systems: functions over entities, and the schedule that runs them. Part of kith.h.
//
// Threads     Any number of threads may call functions that take a const world or a const system,
//             while no thread changes the world. All others belong to the world's thread: it calls
//             systems, too, except for parts (workers.h).
#ifndef KITH_SYSTEM_H
#define KITH_SYSTEM_H

#include "command.h"
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
// A system is a function with a name, the entities that it works on, and what it accesses. The
// world's schedule runs all systems, one after the other. kith_system_run runs one alone.
//
// Entities    The entities of a query, or those that have all components of a signature. `run` is
//             called once a turn and walks turn->query itself. `each` is called for every entity.
//             A signature becomes a query with its components as terms, in registration order. The
//             term is write if `writes` names the component and it has values, read if `reads`
//             names it, otherwise with.
// Access      The terms write, optional_write and own of the query are written; all others are
//             read. `reads` and `writes` name what the system accesses in addition, also
//             singletons. Adding or removing a component counts as writing it. A system that names
//             nothing, neither terms nor components, may access everything.
// Order       By phase, the lowest first. Within a phase, by `before` and `after`, which may name
//             systems that do not exist yet, or never will. Of the systems that could be next, the
//             one that was created first. Creating a system that would close a cycle fails, and the
//             error names the cycle.
// Ambiguous   Two systems are ambiguous when one writes what the other accesses and only the order
//             of creation orders them. kith_schedule_ambiguities lists such pairs.
// Turns       When a turn begins, no loop is open and everything is settled. A loop that a system
//             leaves open is an error that names both. kith closes it after `run`, and after each
//             call of `each`, `enter` and `leave`.
//             Each turn has its own tick, which ends with the turn. Only the first turn of a run
//             shares its tick with what was written before the run. A stamp later than turn->since
//             means: written after the system's previous turn.
//             In the first loop of a turn, the terms changed and added of the system's query count
//             from there. So a system does not find its own changes.
// Intervals   Each kith_schedule_run adds its dt to the waiting time of a system with an interval,
//             while the system is enabled. The system gets a turn with dt == interval for each
//             whole interval. If a whole interval or more remains after `max_steps` turns in one
//             run, all the remaining time is dropped. The time of a turn is dropped too when the
//             turn fails, or when the system was disabled before it. Consecutive systems with the
//             same phase and interval alternate: each has one turn, then each has one more.
// On demand   Such a system has a turn only in these cases:
//             - kith_system_request was called since its latest turn began;
//             - events wait in the queue `on_events`;
//             - the reactive set `on_set` has members; the schedule updates the set first.
//             The system must update the queue and clear the set itself. Its own changes in its
//             turn do not count for `on_set`, unless other systems wait for the same set. Then
//             they count for those systems, and join the set together with the next other change.
//             kith_system_run updates the set, too.
// Tracked     The entities of such a system are a group that owns nothing and is always up to date.
//             The query may have only terms that a group may have. A group with the same terms that
//             owns components excludes it, and vice versa, as for two groups: creating the second
//             one fails with KITH_ERROR_ARGUMENT.
//             When a turn begins, `leave` is called for entities that are no longer members; their
//             handles may be dead. Then `enter` is called for new members, in the order of a loop
//             over them.
//             `leave` walks a list from its end. A new member is appended to the list; the last one
//             takes the place of one that leaves. An entity that came and went between two turns is
//             not reported. Destroying the system calls `leave` for all members; destroying the
//             world does not.
// Parts       A system may give `part` instead of `run` or `each`. It is called for each chunk of
//             the system's query: 4,096 rows of what the loop walks. workers.h tells how chunks,
//             and systems, run beside each other on several threads with one result.
// Busy        While a system has its turn, creating, destroying and running systems, and destroying
//             the world, fail with KITH_ERROR_BUSY.
// ---------------------------------------------------------------------------------------------

/// A system. kith_system_create creates it; its world owns it.
typedef struct kith_system kith_system;

/// One chunk of a turn: see workers.h.
typedef struct kith_part kith_part;

/// One turn of a system.
typedef struct kith_turn {
    kith_world      *world;
    kith_system     *system;
    kith_query      *query;   // the system's entities; NULL: it has neither query nor signature
    void            *context; // of the description
    double           dt;
    uint64_t         since; // the tick of the system's previous turn; 0: this is the first
    const kith_part *part;  // of a system with `run` and `shared`; otherwise NULL
} kith_turn;

struct kith_part {
    const kith_turn *turn;
    kith_commands   *commands; // changes of entities and components: applied when the stage ends
    void            *sum;      // `sum_size` zeroed bytes of this chunk, aligned to 64; or NULL
    uint32_t         chunk;    // from 0
    uint32_t         worker;   // 0: the thread that runs the schedule
};

/// The functions of a system: called once a turn; for each entity, with a column for each term; for
/// an entity that entered or left.
typedef void (*kith_system_fn)(const kith_turn *turn);
typedef void (*kith_system_each_fn)(const kith_turn *turn, const kith_cursor *cursor);
typedef void (*kith_system_entity_fn)(const kith_turn *turn, kith_entity entity);

/// Called for each chunk, and for the sum of each chunk.
typedef void (*kith_part_fn)(const kith_part *part);
typedef void (*kith_combine_fn)(const kith_turn *turn, const void *sum, void *context);

/// How to create a system. kith copies everything that the pointers point to, except `context`,
/// `on_events` and `on_set`.
typedef struct kith_system_desc {
    const char            *name;
    kith_system_fn         run;  // either this, or `each`, or `part`
    kith_system_each_fn    each; // needs a query or a signature
    void                  *context;
    const kith_query_desc *query; // either this, or a signature, or none
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
    kith_queue            *on_events; // for on_demand; may be NULL
    kith_reactive         *on_set;    // the same; cannot be destroyed before the system
    double                 interval;  // 0: one turn in each run, with its dt
    uint32_t               max_steps; // the most turns in one run; 0: 8
    bool                   tracked;
    kith_system_entity_fn  enter;    // for tracked; may be NULL
    kith_system_entity_fn  leave;    // for tracked; may be NULL
    kith_part_fn           part;     // needs a query or a signature
    bool                   shared;   // `run` may run beside other systems: see workers.h
    size_t                 sum_size; // for `part`
    kith_combine_fn        combine;  // for `part`; may be NULL
} kith_system_desc;

#define KITH_SYSTEM_TIMES 128u

/// How long a system takes, in nanoseconds, and how many entities its query handed out.
typedef struct kith_system_report {
    uint64_t turns;
    uint64_t last;     // of the latest turn; at most UINT32_MAX
    uint64_t mean;     // of all turns
    uint64_t p99;      // 99 % of the latest KITH_SYSTEM_TIMES turns took no longer
    uint64_t entities; // in the latest turn; with `run`, of its latest loop over turn->query
    double   dropped;  // dropped time of an interval, in the unit of dt
    bool     enabled;  // for the schedule
} kith_system_report;

/// Creates a system. Returns NULL and records an error that names it when:
/// - there is no name, or another system of the world has it;
/// - not exactly one of `run`, `each` and `part` is set, or other fields contradict each other;
/// - a component is not registered, or the query or group cannot be created;
/// - the system would close a cycle;
/// - memory runs out;
/// - the system is tracked and a loop is open;
/// - a hook runs, or a system has its turn.
///
/// O(systems^2 + constraints x systems), plus creating the group.
KITH_API kith_system *kith_system_create(kith_world *world, const kith_system_desc *desc);

/// Destroys the system. Returns true for NULL. Returns false and records KITH_ERROR_BUSY in hooks,
/// in the turn of a system and, if the system is tracked, while a loop is open. Never allocates.
/// O(systems^2).
KITH_API bool kith_system_destroy(kith_system *system);

/// Returns the system with that name, or NULL. O(systems).
KITH_API kith_system *kith_system_find(const kith_world *world, const char *name);

/// Walks the systems in the order in which they run. NULL gives the first system, each system gives
/// the next one, and NULL is returned at the end. O(systems).
KITH_API kith_system *kith_system_next(const kith_world *world, const kith_system *previous);

/// Return the system's description (the copy; `query` is also set for a signature) and its query,
/// which may be NULL. The query belongs to the system and ends with it; destroying it is an error
/// that names the system. O(1).
KITH_API const kith_system_desc *kith_system_describe(const kith_system *system);
KITH_API kith_query             *kith_system_query(const kith_system *system);

/// Enables or disables the system for the schedule, from its next turn on. Returns whether it was
/// enabled before. O(1).
KITH_API bool kith_system_enable(kith_system *system, bool enabled);

/// Requests a turn for a system on demand: the schedule runs it when it is next in the order.
/// Returns false when a turn was requested already. Returns false and does nothing for a system
/// that is not on demand. O(1).
KITH_API bool kith_system_request(kith_system *system);

/// Gives one system a turn with this dt, even if it is disabled or not requested, and whatever its
/// interval is. Returns false and records:
/// - KITH_ERROR_ARGUMENT when no system has the name;
/// - KITH_ERROR_ARGUMENT when dt is below 0, above 1e300 or not a number;
/// - KITH_ERROR_BUSY from hooks, listeners, systems and open loops;
/// - KITH_ERROR_MEMORY when memory runs out.
///
/// O(systems + registered), plus what the system does.
KITH_API bool kith_system_run(kith_world *world, const char *name, double dt);

/// Returns how long the system's turns took. O(KITH_SYSTEM_TIMES^2).
KITH_API kith_system_report kith_system_report_of(const kith_system *system);

// ---------------------------------------------------------------------------------------------
// Schedule
// ---------------------------------------------------------------------------------------------

/// A profiler function, called when a system's turn begins or ends. May read the world but not
/// change it. Without profiler functions a turn pays 5 instructions for them.
typedef void (*kith_profiler_fn)(const kith_system *system, void *context);

/// What a schedule does in addition to running systems. All zero: nothing.
typedef struct kith_schedule_desc {
    uint64_t (*clock)(void *context); // nanoseconds; NULL: a clock of the platform
    void            *clock_context;
    kith_profiler_fn begin; // may be NULL
    kith_profiler_fn end;   // may be NULL
    void            *profiler_context;
    bool             checked; // see kith_schedule_configure
} kith_schedule_desc;

/// Two systems without an order between them, and a component that both access.
typedef struct kith_ambiguity {
    kith_system   *first; // runs first, because it was created first
    kith_system   *second;
    kith_component component; // the first registered of those; 0: one may access everything
} kith_ambiguity;

/// Configures the schedule, from now on. Returns false and records KITH_ERROR_MEMORY when memory
/// runs out, KITH_ERROR_BUSY from hooks and systems.
///
/// A checked schedule refuses each call by which a system accesses a component that it did not
/// declare. The call fails with KITH_ERROR_UNDECLARED; the error names the system, the component
/// and the call. Use it while debugging: a turn then costs O(registered) more.
/// - Checked are all calls that name a component, queries, and paths and groups that move rows. The
///   inline functions of typed code are checked too: they take the full call meanwhile, except for
///   components that the system writes.
/// - Not checked are calls about an entity as a whole (create, destroy, clone, set_components,
///   signatures) or about the world (limits, memory, settling).
/// - Not checked are dropping groups and paths, members of reactive sets, sorting the list of a
/// group that owns nothing, and
///   pointers that the system kept.
/// - Not checked are listeners and handlers of events, also when the system causes the event.
/// - Commands are checked in the system that applies them, not when they are recorded, which other
///   threads may do.
KITH_API bool kith_schedule_configure(kith_world *world, const kith_schedule_desc *desc);

/// Runs the systems in their order. Returns false and runs no system in two cases: from hooks,
/// listeners, systems and open loops (KITH_ERROR_BUSY); when dt is below 0, above 1e300 or not a
/// number (KITH_ERROR_ARGUMENT). Returns false also when a system could not run; the error says
/// why, and the others have run. O(systems x registered), plus what the systems do.
KITH_API bool kith_schedule_run(kith_world *world, double dt);

/// Writes at most `capacity` ambiguous pairs, in the order in which their systems run. Returns the
/// number of all ambiguous pairs. O(systems^2).
KITH_API uint32_t kith_schedule_ambiguities(const kith_world *world, kith_ambiguity *pairs,
                                            uint32_t capacity);

/// Write the schedule as text, or as a Graphviz graph. The text lists phases, systems in order,
/// what they access, ambiguous pairs, and names in `before` and `after` that no system has. The
/// graph has an arrow for each constraint and a dotted line for each ambiguous pair. Both are
/// written as by kith_error_text. O(systems^2 x registered).
KITH_API size_t kith_schedule_explain(const kith_world *world, char *buffer, size_t size);
KITH_API size_t kith_schedule_graph(const kith_world *world, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
