// SPDX-License-Identifier: MIT
// Workers: the systems of a world on several threads, with one result.
//
//     static void move(const kith_part *part)
//     {
//         KITH_EACH_PART(movers, m, part) {
//             m.position->x += m.velocity->x * (float)part->turn->dt;
//         }
//     }
//
//     kith_workers *workers = kith_workers_create(&(kith_workers_desc){ 0 });
//     kith_world_use_workers(world, workers);
//     kith_system_create(world, &(kith_system_desc){
//         .name = "move", .part = move, .query = movers_desc() });
//     kith_schedule_run(world, dt);                // calls `move` for each chunk, on all threads
//
// Chunks      A system with `part` is called for each chunk of its query: 4,096 rows of the pool,
//             group or entity table that a loop over the query walks, whether they match or not.
//             NAME_begin_part and kith_part_begin loop over the chunk, as every loop does: next and
//             next_chunk, columns to read and to write. A part may begin its loop again; that
//             closes the loop before.
// Stages      Systems with `part`, and those with `run` and `shared`, may run beside each other. A
//             stage is a sequence of such systems in the order of the schedule that have the same
//             phase and interval, and none of which accesses what another one writes. All other
//             systems run alone, on the thread of the schedule. kith_schedule_explain shows the
//             stages, and why a system runs alone. These systems are a stage of their own:
//             - those that declare no component;
//             - those with `on_demand`, `enter` or `leave`;
//             - those that `before` or `after` puts before or behind another system of the stage.
// Allowed     A part, and a shared `run`, may:
//             - read and write values through its loop over the system's query;
//             - read everything that no system of its stage writes: by get and has, by loops of
//               begin_read, by functions that take a const world. Not by those that look at the
//               whole world: clone, save, hash, diff, kith_world_memory, kith_world_validate;
//             - record changes in part->commands. The system declares in `writes` each component
//               that its commands add, set or remove: otherwise another system of the stage, with
//               `changed`, may miss the change.
//             Everything else that changes the world is refused with KITH_ERROR_BUSY; so are `mut`
//             and `set`. Not refused, and wrong: kith_world_user_set, kith_world_error_clear.
//             A shared `run` finds its kith_part in turn->part.
//             A part must not read values of other entities that its system writes: whether they
//             are written already, depends on the threads.
// End         When the parts of a stage have run, the thread of the schedule ends one system after
//             the other, in the order of the schedule, each in the tick of that system: it reports
//             the errors of its chunks, calls `combine`, and applies the commands, by chunk and
//             order of recording. `combine` and commands may do what a `run` may do, but for
//             running the schedule and kith_query_parallel.
// One result  Chunks, ticks, placeholders, and the order of commands, sums and errors come from the
//             schedule, never from threads. So entities, rows, values, ticks, events and hashes are
//             the same for every number of workers, and without workers. What may differ: `worker`,
//             and the order in which chunks run.
// Sums        part->sum has `sum_size` zeroed bytes for each chunk. `combine` is called with all of
//             them, in the order of the chunks. So sums of floating-point numbers do not depend on
//             threads either.
// Serial      The chunks of a system run in their order, one after the other, where they could
//             disturb each other:
//             - a term `changed` or `added` names a component that the query writes;
//             - the system writes a component with hooks and without `thread_safe_hooks`.
//             Also, a stage runs on the calling thread alone when it has one chunk, or when its
//             latest run took less than waking threads costs. In a checked schedule chunks run
//             beside each other, systems do not.
// Errors      Errors that calls in parts cause are reported when the system ends, by chunk and
//             order; of each chunk the first 8. Of the calls that part->commands refused, the
//             latest of each chunk is reported, before its commands are applied.
// Times       Each system of a stage has the time of the stage, without its commands; a system
//             alone in its stage has the time of its turn. Profiler functions are called for all
//             systems of a stage before the parts run, and for all of them at the end.
// Memory      What the threads need is allocated before the stage begins, but for memory of
//             commands: that is allocated under a lock by the world's allocator. When memory runs
//             out for commands, all commands of the stage are dropped, and the call fails with
//             KITH_ERROR_MEMORY; values that parts wrote stay.
// Worlds      Several worlds may use the same workers. While the stage of one world runs on them,
//             stages of the others run on their own calling threads.
// Threads     Any thread may create workers and read their number. kith_part_begin, cursors of
//             parts and part->commands belong to the thread that runs the part. Any thread may
//             destroy workers that no world uses. All other functions belong to the world's thread.
// Nested      In a part, kith_query_parallel is refused for the same world: each chunk would write
//             the rows of all inner chunks, beside the other threads. A part may loop over other
//             rows by begin_read, and run stages of another world. These run serially while the
//             workers are in use.
// By hand     Without a schedule, kith_query_parallel calls a part for each chunk of one query.
//             Without kith's threads, any thread may loop by begin_read while no thread changes the
//             world, and chunks of a loop may be given to threads: see "Threads" in the guide.
#ifndef KITH_WORKERS_H
#define KITH_WORKERS_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The most workers.
#define KITH_WORKERS_MAX 64u

/// Threads that run parts of systems.
typedef struct kith_workers kith_workers;

/// How to create workers. All zero: a thread for each processor that the program may use.
typedef struct kith_workers_desc {
    uint32_t count; // workers, the calling thread included; 0: as many as processors
    // A job system of the program, instead of threads of kith. `enqueue` makes it call run(task)
    // once, on any thread, and returns a handle. NULL: it has called run already. `finish` returns
    // when the task of the handle has run. Give both or none.
    void *(*enqueue)(void (*run)(void *task), void *task, void *context);
    void (*finish)(void *handle, void *context);
    void *context;
    bool  eager; // use all workers for every stage with two chunks, also where that does not pay
} kith_workers_desc;

/// Creates workers. Returns NULL when memory runs out, when a thread cannot be started, and for a
/// description with only one of enqueue and finish or more than KITH_WORKERS_MAX workers. In a
/// library without threads (KITH_THREADS=OFF) there is one worker.
/// Any thread may call it. O(count).
KITH_API kith_workers *kith_workers_create(const kith_workers_desc *desc);

/// Ends the threads and destroys the workers. Returns true for NULL. Returns false while a world
/// uses them; that world records KITH_ERROR_BUSY, with its name. No stage may run meanwhile.
/// O(count).
KITH_API bool kith_workers_destroy(kith_workers *workers);

/// Returns the number of workers, the calling thread included. Any thread may call it. O(1).
KITH_API uint32_t kith_workers_count(const kith_workers *workers);

/// Makes the world use the workers for its stages; NULL: none. Destroying the world ends the use.
/// Returns false and records KITH_ERROR_BUSY from hooks, loops and parts, KITH_ERROR_MEMORY when
/// memory runs out. The world's thread may call it, while no other thread uses `workers` in a call
/// of this kind. O(1).
KITH_API bool kith_world_use_workers(kith_world *world, kith_workers *workers);

/// Begins a loop over the part's chunk, for untyped code. Any cursor of the part before it is
/// closed. Fails outside of a part, and in a system without a query (KITH_ERROR_ARGUMENT). Only the
/// thread of the part may call it. O(terms).
KITH_API kith_cursor kith_part_begin(const kith_part *part);

/// What kith_query_parallel calls.
typedef struct kith_parallel_desc {
    kith_part_fn    part;
    void           *context;  // turn->context
    size_t          sum_size; // of part->sum
    kith_combine_fn combine;  // may be NULL
} kith_parallel_desc;

/// Calls `part` for each chunk of the query, on the world's workers, then `combine` for each chunk,
/// and applies the commands. The tick does not advance. part->turn has the world, the query and the
/// context. Returns false and records:
/// - KITH_ERROR_ARGUMENT without a query or without `part`;
/// - KITH_ERROR_BUSY from hooks, listeners and parts, and while a loop is open;
/// - KITH_ERROR_MEMORY when memory runs out.
///
/// The world's thread may call it. Costs what a loop costs, divided by the workers, plus O(chunks).
KITH_API bool kith_query_parallel(kith_query *query, const kith_parallel_desc *desc);

#ifdef __cplusplus
}
#endif

#endif
