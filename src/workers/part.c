// SPDX-License-Identifier: MIT
// Parts: how a thread runs units of a stage, its loops over chunks, and its errors.
#include "base/platform.h"
#include "workers/stage.h"

#include <stdio.h>

#define ERRORS_KEPT 8u // of each chunk

// Returns the lane whose units this thread is running; NULL: none of this stage.
static kith_lane *find_lane(const kith_stage *stage)
{
    uintptr_t self = kith_thread_self();
    for (uint32_t i = 0; stage != NULL && i < stage->lane_count; i++) {
        if (atomic_load_explicit(&stage->lanes[i]->thread, memory_order_relaxed) == self) {
            return stage->lanes[i];
        }
    }
    return NULL;
}

static void set_thread(kith_lane *lane, uintptr_t thread)
{
    if (lane != NULL) {
        atomic_store_explicit(&lane->thread, thread, memory_order_relaxed);
    }
}

// --- units -----------------------------------------------------------------------------------

// Ends the loop of the part, if there is one, and adds what it found to the report of the query.
static void close_chunk(kith_lane *lane)
{
    kith_stage *stage = lane->stage;
    lane->form.ticket++;
    if (lane->walk == NULL) {
        return;
    }
    const kith_query_report *counts = &lane->walk->counts;
    kith_query_report       *report = &lane->task->query->stats.report;
    lane->walk                      = NULL;
    if (stage->parallel) {
        kith_spin_lock(&stage->lock);
    }
    report->runs += counts->runs;
    report->in_runs += counts->in_runs;
    report->remembered += counts->remembered;
    report->listed += counts->listed;
    report->gathered += counts->gathered;
    report->rejected += counts->rejected;
    if (stage->parallel) {
        kith_spin_unlock(&stage->lock);
    }
    stage->chunks[lane->chunk].from  = lane->cache.from;
    stage->chunks[lane->chunk].until = lane->cache.until;
}

static void run_chunk(kith_lane *lane, uint32_t chunk)
{
    kith_stage *stage = lane->stage;
    kith_task  *task  = lane->task;
    kith_turn   turn  = task->turn;
    lane->chunk       = task->first_chunk + chunk;
    lane->errors      = 0;
    lane->form.ticket++;
    lane->part.turn     = &turn;
    lane->part.commands = stage->chunks[lane->chunk].commands;
    lane->part.chunk    = chunk;
    lane->part.sum =
        task->sum_size == 0 ? NULL : stage->sums + task->sums_at + chunk * task->sum_size;
    if (task->part != NULL) {
        task->part(&lane->part);
    } else {
        turn.part = &lane->part;
        task->run(&turn);
    }
    lane->part.turn = &task->turn; // for a program that kept the part
    close_chunk(lane);
}

// Runs chunks of a task, and measures them if need be.
static void run_chunks(kith_lane *lane, kith_task *task, uint32_t chunk, uint32_t end)
{
    kith_stage *stage = lane->stage;
    uint64_t    start = stage->timed ? kith_platform_clock() : 0;
    lane->task        = task;
    for (; chunk < end; chunk++) {
        run_chunk(lane, chunk);
    }
    if (stage->timed) {
        uint64_t now = kith_platform_clock();
        kith_spin_lock(&stage->lock);
        task->time += now > start ? now - start : 0;
        kith_spin_unlock(&stage->lock);
    }
}

void kith_part_run_tasks(kith_stage *stage, uint32_t first, uint32_t end)
{
    kith_lane *lane = stage->lanes[0];
    set_thread(lane, kith_thread_self());
    for (uint32_t i = first; i < end; i++) {
        run_chunks(lane, stage->tasks[i], 0, stage->tasks[i]->chunks);
    }
    set_thread(lane, 0);
}

void kith_part_run_units(void *context, uint32_t worker)
{
    kith_stage *stage = context;
    kith_lane  *lane  = stage->lanes[worker];
    kith_lane  *outer = find_lane(stage); // of a part that waits in a job system for this one
    set_thread(outer, 0);
    set_thread(lane, kith_thread_self());
    for (uint32_t unit; (unit = atomic_fetch_add_explicit(
                             &stage->next_unit, 1, memory_order_relaxed)) < stage->unit_end;) {
        uint32_t i = stage->first_task;
        while (unit >= stage->tasks[i]->units) {
            unit -= stage->tasks[i++]->units;
        }
        kith_task *task = stage->tasks[i];
        run_chunks(lane, task, unit, task->in_order ? task->chunks : unit + 1);
    }
    set_thread(lane, 0);
    set_thread(outer, kith_thread_self());
}

// --- errors ----------------------------------------------------------------------------------

// Inserts an error behind those of its chunk and of chunks before it.
static void insert_error(kith_stage *stage, kith_part_error *kept)
{
    kith_spin_lock(&stage->lock);
    kith_part_error **place = &stage->errors;
    while (*place != NULL && (*place)->chunk <= kept->chunk) {
        place = &(*place)->next;
    }
    kept->next = *place;
    *place     = kept;
    kith_spin_unlock(&stage->lock);
}

// Whether the error says that a call may not change the world: the world is locked, or the call
// found no storage in head.writable_, which looks like a wrong kind, though the kind is right.
static bool is_refused_change(const kith_error *error)
{
    bool single    = error->have == KITH_KIND_SINGLETON;
    bool of_single = strncmp(error->call, "kith_singleton_", sizeof "kith_singleton_" - 1) == 0;
    return (error->code == KITH_ERROR_BUSY && error->subject == NULL) ||
           (error->code == KITH_ERROR_KIND && error->other == NULL && single == of_single);
}

KITH_COLD void kith_part_on_error(const kith_world *world, const kith_error *error, void *context)
{
    kith_stage *stage = context;
    kith_lane  *lane  = find_lane(stage);
    if (lane == NULL) {
        if (stage->on_error != NULL) {
            stage->on_error(world, error, stage->error_context);
        }
        return;
    }
    kith_part_error *kept = lane->errors++ < ERRORS_KEPT
                                ? kith_alloc(&stage->memory, sizeof *kept, KITH_CACHE_LINE)
                                : NULL;
    if (kept == NULL) {
        stage->chunks[lane->chunk].commands->lacked_memory |= lane->errors <= ERRORS_KEPT;
        return;
    }
    kept->chunk = lane->chunk;
    kept->error = *error;
    if (error->other != NULL) {
        snprintf(kept->other, sizeof kept->other, "%s", error->other);
        kept->error.other = kept->other;
    }
    if (is_refused_change(error)) {
        kept->error.code    = KITH_ERROR_BUSY;
        kept->error.subject = "parts of systems run; use part->commands";
    }
    insert_error(stage, kept);
}

// --- loops over a chunk ----------------------------------------------------------------------

KITH_COLD static kith_begun_ refuse_in_part(const kith_world *world, kith_error_code code,
                                            const char *call, const char *subject)
{
    const kith_error error = { .code = code, .call = call, .subject = subject };
    kith_world_report_error(world, &error);
    return (kith_begun_){ 0 };
}

// Chunks look for runs in the cache of the query. Each records one that the cache lacks, and no
// list: what is known does not depend on threads.
static bool find_run_in_part(kith_query_cache *cache, const kith_loop *loop, uint32_t most,
                             kith_run *run)
{
    const kith_lane  *lane  = (const void *)((const uint8_t *)cache - offsetof(kith_lane, cache));
    kith_query_cache *known = &lane->task->query->cache;
    return known->ops->find_run(known, loop, most, run);
}

// Copies the loop of the task, from the first place of the chunk on. The chunk has a cache of its
// own, if the query has one and there are more chunks.
static void copy_chunk(kith_lane *lane)
{
    const kith_task        *task  = lane->task;
    const kith_query_cache *known = task->loop.cache;
    kith_loop              *loop  = &lane->loop;
    kith_block             *block = loop->block;
    size_t                  bytes = loop->block_bytes;
    memcpy(loop, &task->loop, offsetof(kith_loop, counts));
    loop->block       = block;
    loop->block_bytes = bytes;
    if (task->part != NULL) {
        loop->place = lane->part.chunk * KITH_CHUNK_ROWS;
        loop->end   = kith_min(task->loop.end, loop->place + KITH_CHUNK_ROWS);
    }
    memcpy(block->limits, task->limits, task->loop.plan->pool_end * sizeof *block->limits);
    lane->cache.from = lane->cache.until = lane->cache.seen = 0;
    if (known != NULL && task->chunks > 1) {
        lane->cache_ops          = kith_query_cache_functions;
        lane->cache_ops.find_run = find_run_in_part;
        lane->cache.ops          = &lane->cache_ops;
        lane->cache.lead         = known->lead;
        memcpy(lane->cache.states, known->states, loop->plan->pool_end * sizeof *known->states);
        loop->cache = &lane->cache;
    }
}

// Begins the loop of the lane at the first place of its chunk.
static kith_begun_ open_chunk(kith_lane *lane)
{
    const kith_task *task  = lane->task;
    kith_world      *world = task->turn.world;
    kith_loop       *loop  = task->walk == &task->loop ? &lane->loop : task->walk;
    close_chunk(lane);
    if (loop == &lane->loop) {
        copy_chunk(lane);
    } else { // as it was when it began
        memset(&loop->place, 0, offsetof(kith_loop, lead) - offsetof(kith_loop, place));
        loop->last_joined = KITH_NO_INDEX;
        loop->ahead       = world->block_rows < KITH_BLOCK_ROWS ? world->block_rows : UINT32_MAX;
    }
    lane->walk      = loop;
    loop->counts    = (kith_query_report){ 0 };
    lane->form.desc = &task->query->desc;
    return (kith_begun_){ world, &lane->form.ticket };
}

kith_begun_ kith_step_begin_part_(const kith_part *part, const kith_query_desc *desc)
{
    static const char call[] = "kith_part_begin";
    const kith_world *world  = part->turn->world;
    kith_lane        *lane   = find_lane(world->stage);
    if (lane == NULL || lane->part.turn != part->turn) {
        return refuse_in_part(world, KITH_ERROR_ARGUMENT, call,
                              "this thread does not run the part");
    }
    const kith_query *query = lane->task->query;
    if (query == NULL || (desc != NULL && !kith_plan_same_terms(&query->desc, desc))) {
        return refuse_in_part(world, KITH_ERROR_ARGUMENT, call,
                              query == NULL ? "the system has no query"
                                            : "the system's query has other terms than the cursor");
    }
    return open_chunk(lane);
}

kith_cursor kith_part_begin(const kith_part *part)
{
    kith_begun_      begun = kith_step_begin_part_(part, NULL);
    const kith_lane *lane  = (const kith_lane *)(const void *)begun.ticket_;
    return (kith_cursor){ .step_   = kith_step_of_(begun),
                          .failed  = lane == NULL,
                          .columns = lane == NULL ? NULL : lane->walk->block->values };
}

static kith_entity next_in_chunk(kith_step_ *step, void **values, uint32_t *count)
{
    kith_lane *lane   = (kith_lane *)(uintptr_t)step->ticket_;
    kith_loop *loop   = lane->walk;
    uint32_t   at     = step->at_ + step->count_;
    bool       open   = step->serial_ == lane->form.ticket;
    bool       within = open && at < loop->count;
    if (!open) {
        refuse_in_part(step->world_, KITH_ERROR_CLOSED, "kith_cursor_next", NULL);
    }
    if (count != NULL) {
        *count = 0;
    }
    lane->form.ticket += open && !within; // copies of the step are closed at the end of a block
    if (!within && !(open && loop->place < loop->end && kith_block_find_next(step->world_, loop))) {
        step->serial_ = step->at_ = step->count_ = step->last_ = step->window_ = 0;
        step->gathered_ = step->chunks_ = step->stamped_ = 0;
        return KITH_NULL;
    }
    kith_entity entity = KITH_NULL;
    step->at_          = within ? at : 0;
    if (count != NULL) {
        entity = kith_step_show_chunk(step, loop, values, count);
    } else {
        kith_block_values(loop, step->at_, 1, values);
        entity = kith_step_show(step, loop, 1, loop->count - 1);
    }
    step->serial_ = lane->form.ticket;
    return entity;
}

static void values_in_chunk(const kith_step_ *step, void **values)
{
    const kith_lane *lane = (const kith_lane *)(const void *)step->ticket_;
    kith_block_values(lane->walk, step->at_, 1, values);
}

const kith_reader_form kith_part_form = { .ticket = 1,
                                          .next   = next_in_chunk,
                                          .values = values_in_chunk };
