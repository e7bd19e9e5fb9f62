// SPDX-License-Identifier: MIT
// A stage: loops over queries that run beside each other, cut into chunks, with one result.
//
//     tasks   one for each system    [ move: chunks 0 1 2 | steer: chunks 3 4 | count: chunk 5 ]
//     units   what a thread claims     0 1 2                3 4                 5
//     lanes   one for each thread: a loop record with its block, and the part that is running
//
// A chunk is KITH_CHUNK_ROWS places of a loop. Chunks have numbers in the stage: chunk n has the
// commands of chunks[n]. A unit is a chunk, or all chunks of a task that must run in order. Threads
// claim units by a counter; nothing that they write depends on which thread claims which unit.
//
// The calling thread does everything else. Before the stage it opens each loop, keeps a copy of the
// loop record in the task and closes the loop again. A stage of one task and at most one chunk
// needs no copy: its loop stays open until the part has run. Behind the stage the calling thread
// reports errors, combines sums and applies commands. In between the world is locked, so loops stay
// true.
//
// Invariant: while the stage runs, threads write values and stamps through loops, and buffers of
// commands; nothing else of the world changes.
#pragma once

#include "command/command.h"
#include "query/query.h"
#include "workers/workers.h"

#define KITH_CHUNK_ROWS 4096u

typedef struct kith_task {
    // given by the caller
    kith_query     *query; // NULL: none
    kith_turn       turn;
    uint64_t        tick; // of the turn
    kith_part_fn    part; // NULL: `run` is called once
    kith_system_fn  run;
    size_t          sum_size;
    kith_combine_fn combine;
    bool            alone; // its chunks run in order, and no other task: any hook may run
    uint64_t       *cost;  // nanoseconds of its latest run on one thread; 0: not known
    // found by kith_stage_prepare
    bool     in_order; // its chunks may not run beside each other
    uint32_t chunks;
    uint32_t first_chunk; // its number in the stage
    uint32_t units;
    size_t   sums_at; // in the sums of the stage
    // added up by all threads, under the lock, as is the report of the query
    uint64_t time;     // nanoseconds of its units
    uint64_t entities; // that its loops found; known when it has run
    // found by kith_stage_prepare, with a query. `plan` is a copy, where the query's own changes.
    kith_loop *walk; // `loop`, or the world's own, which is open
    kith_loop  loop; // a copy, up to `counts`
    uint32_t   limits[KITH_QUERY_TERMS_MAX];
    kith_plan  plan;
} kith_task;

// What the stage keeps for each chunk.
typedef struct kith_stage_chunk {
    _Alignas(16) kith_commands *commands; // its size is its alignment, on every machine
    uint32_t from; // a run that the cache of the query does not have yet: these places
    uint32_t until;
} kith_stage_chunk;

typedef struct kith_stage kith_stage;

// What a thread has while it runs units. Cursors of parts point to `form`, as those of readers do.
typedef struct kith_lane {
    kith_reader_form     form; // first
    kith_stage          *stage;
    kith_task           *task;
    kith_loop           *walk; // of the part: `loop`, or the open one of the task; NULL: none
    kith_loop            loop;
    kith_query_cache     cache; // of the chunk: a run that the cache of the query does not have
    kith_query_cache_ops cache_ops;
    kith_part            part;
    uint32_t             chunk;  // its number in the stage
    uint32_t             errors; // of the chunk
    atomic_uintptr_t     thread; // that runs units; 0: none
} kith_lane;

// An error of a chunk, until its task ends: a list, by chunk and order.
typedef struct kith_part_error {
    struct kith_part_error *next;
    uint32_t                chunk;
    kith_error              error;
    char                    other[256]; // error.other, when that is not NULL
} kith_part_error;

struct kith_stage {
    kith_object       object; // first
    bool              in_use; // between begin and end
    kith_task       **tasks;
    uint32_t          tag;           // of the latest buffer that was made ready, its lower 20 bits
    uint64_t          registrations; // of the world, as of `highest`
    kith_component    highest;       // id of a component
    uint32_t          task_count;
    uint32_t          tasks_made;
    uint32_t          task_capacity;
    uint32_t          chunk_count;
    kith_stage_chunk *chunks;
    uint32_t          chunks_made;
    uint32_t          chunk_capacity;
    kith_lane       **lanes;
    uint32_t          lane_count;
    uint32_t          lane_capacity;
    uint8_t          *sums;
    size_t            sum_bytes;
    kith_loop        *walk; // of a single part, while it is open; NULL: none
    kith_part_error  *errors;
    kith_error_fn     on_error; // of the world
    void             *error_context;
    // of the tasks that are running
    uint32_t       first_task;
    uint32_t       unit_end;
    bool           timed;
    bool           parallel; // on several threads
    atomic_uint    next_unit;
    atomic_flag    lock;
    kith_allocator memory; // the world's, under the lock
    // what inline code that writes finds while parts run
    kith_pool_head_ *hidden[KITH_COMPONENT_MAX];
};

// Whether no stage is between begin and end. Otherwise reports an error.
bool kith_stage_require_free(kith_world *world, const char *call);

// Returns the world's stage without tasks; NULL, with an error, when it is in use or memory runs
// out. The caller ends it; NULL: nothing to do.
kith_stage *kith_stage_begin(kith_world *world, const char *call);
void        kith_stage_end(kith_stage *stage);

// Adds a task, which the caller fills in. Returns NULL, with an error, when memory runs out.
kith_task *kith_stage_add(kith_stage *stage, const char *call);

// Opens the loops of all tasks and reserves memory for them. Returns false, with an error, when a
// loop cannot begin or memory runs out.
bool kith_stage_prepare(kith_stage *stage, const char *call);

// Runs the tasks first .. end - 1.
void kith_stage_run(kith_stage *stage, uint32_t first, uint32_t end);

// Whether no chunk lacked memory for its commands. Otherwise drops all commands of the stage, and
// reports an error.
bool kith_stage_check_memory(kith_stage *stage, const char *call);

// Runs the stage, which has one task, and ends it. Returns false, with an error, when a loop cannot
// begin or memory runs out.
bool kith_stage_run_single(kith_stage *stage, const char *call);

// Ends a task: reports its errors, combines its sums, applies its commands. Returns false when
// memory runs out.
bool kith_stage_end_task(kith_stage *stage, uint32_t task);

// --- what threads call (part.c) --------------------------------------------------------------

// Runs all chunks of the tasks first .. end - 1, in their order, on the calling thread.
void kith_part_run_tasks(kith_stage *stage, uint32_t first, uint32_t end);

// Claims units of the stage and runs them, until there are none. A kith_worker_fn.
void kith_part_run_units(void *stage, uint32_t worker);

// The error hook of the world while a stage runs: keeps errors of parts. Errors of other threads go
// to the world's own hook.
void kith_part_on_error(const kith_world *world, const kith_error *error, void *stage);

// The form of cursors of parts.
extern const kith_reader_form kith_part_form;
