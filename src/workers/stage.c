// SPDX-License-Identifier: MIT
// Stages: what the calling thread does before and behind the parts.
#include "workers/stage.h"

#define LEAST_TIME UINT64_C(20000) // nanoseconds: below, waking threads costs more than it gains

// --- the object ------------------------------------------------------------------------------

KITH_COLD static void destroy_stage(kith_object *object)
{
    kith_stage           *stage  = (kith_stage *)object;
    kith_world           *world  = object->world;
    const kith_allocator *memory = &world->memory;
    if (world->workers != NULL) {
        kith_workers_leave(world->workers, world);
    }
    for (uint32_t i = 0; i < stage->lane_count; i++) {
        kith_loop_free_block(world, &stage->lanes[i]->loop);
        kith_free(memory, stage->lanes[i], sizeof **stage->lanes, KITH_CACHE_LINE);
    }
    for (uint32_t i = 0; i < stage->tasks_made; i++) {
        kith_free(memory, stage->tasks[i], sizeof **stage->tasks, KITH_CACHE_LINE);
    }
    kith_free_array(memory, stage->lanes, stage->lane_capacity);
    kith_free_array(memory, stage->tasks, stage->task_capacity);
    kith_free(memory, stage->chunks, stage->chunk_capacity * sizeof *stage->chunks,
              sizeof *stage->chunks);
    kith_free(memory, stage->sums, stage->sum_bytes, KITH_CACHE_LINE);
    kith_free(memory, stage, sizeof *stage, KITH_CACHE_LINE);
}

KITH_COLD static size_t bytes_of_stage(const kith_object *object)
{
    const kith_stage *stage = (const kith_stage *)object;
    size_t bytes = sizeof *stage + stage->sum_bytes + stage->lane_count * sizeof **stage->lanes +
                   stage->tasks_made * sizeof **stage->tasks +
                   ((size_t)stage->lane_capacity + stage->task_capacity) * sizeof(void *) +
                   stage->chunk_capacity * sizeof *stage->chunks;
    for (uint32_t i = 0; i < stage->lane_count; i++) {
        bytes += stage->lanes[i]->loop.block_bytes;
    }
    return bytes;
}

static const char *stage_is_busy(const kith_object *object, const char **name)
{
    (void)name;
    return ((const kith_stage *)object)->in_use ? "parts of systems are running" : NULL;
}

static const kith_object_ops stage_ops = { .destroy = destroy_stage,
                                           .bytes   = bytes_of_stage,
                                           .busy    = stage_is_busy };

static void *allocate_locked(void *context, size_t size, size_t alignment)
{
    kith_stage *stage = context;
    kith_spin_lock(&stage->lock);
    void *memory = kith_alloc(&stage->object.world->memory, size, alignment);
    kith_spin_unlock(&stage->lock);
    return memory;
}

static void release_locked(void *context, void *memory, size_t size, size_t alignment)
{
    kith_stage *stage = context;
    kith_spin_lock(&stage->lock);
    kith_free(&stage->object.world->memory, memory, size, alignment);
    kith_spin_unlock(&stage->lock);
}

KITH_COLD bool kith_world_reserve_stage(kith_world *world, const char *call)
{
    if (world->stage != NULL) {
        return true;
    }
    kith_stage *stage = kith_alloc_zeroed(&world->memory, sizeof *stage, KITH_CACHE_LINE);
    if (stage == NULL) {
        return kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
    }
    stage->memory = (kith_allocator){ allocate_locked, release_locked, stage };
    for (uint32_t id = 0; id < KITH_COMPONENT_MAX; id++) {
        stage->hidden[id] = kith_world_no_pool();
    }
    atomic_flag_clear(&stage->lock);
    kith_object_link(world, &stage->object, &stage_ops);
    world->stage = stage;
    return true;
}

bool kith_stage_require_free(kith_world *world, const char *call)
{
    return world->stage == NULL || !world->stage->in_use ||
           kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0,
                                     "parts of systems are running", NULL);
}

kith_stage *kith_stage_begin(kith_world *world, const char *call)
{
    if (!kith_stage_require_free(world, call) ||
        (world->stage == NULL && !kith_world_reserve_stage(world, call))) {
        return NULL;
    }
    kith_stage *stage  = world->stage;
    stage->in_use      = true;
    stage->task_count  = 0;
    stage->chunk_count = 0;
    return stage;
}

// Reports the errors of the chunks below `end`.
KITH_NOINLINE static void report_errors(kith_stage *stage, uint32_t end)
{
    kith_world *world = stage->object.world;
    while (stage->errors != NULL && stage->errors->chunk < end) {
        kith_part_error *error = stage->errors;
        stage->errors          = error->next;
        kith_world_fail(world, &error->error);
        kith_free(&world->memory, error, sizeof *error, KITH_CACHE_LINE);
    }
}

// Closes the loop of a single part, if it is open. The stage reports what it found.
static void close_walk(kith_stage *stage)
{
    if (stage->walk != NULL) {
        stage->walk->stats = NULL;
        kith_loop_close(stage->object.world, stage->walk);
        stage->walk = NULL;
    }
}

void kith_stage_end(kith_stage *stage)
{
    if (stage == NULL) {
        return;
    }
    close_walk(stage); // of a part that did not run, because memory ran out
    report_errors(stage, UINT32_MAX);
    stage->in_use = false;
}

KITH_NOINLINE void kith_spin_lock(atomic_flag *flag)
{
    for (unsigned tries = 1; atomic_flag_test_and_set_explicit(flag, memory_order_acquire);
         tries++) {
        if (tries % 64 == 0) {
            kith_thread_yield(); // the owner may not be running
        }
    }
}

KITH_COLD void kith_workers_leave(kith_workers *workers, kith_world *world)
{
    kith_spin_lock(&workers->lock);
    kith_world **place = &workers->users;
    while (*place != world) {
        place = &(*place)->next_user;
    }
    *place = world->next_user;
    kith_spin_unlock(&workers->lock);
    world->workers = NULL;
}

// --- before the parts ------------------------------------------------------------------------

KITH_COLD static bool lacks_memory(const kith_stage *stage, const char *call)
{
    return kith_world_refuse(stage->object.world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
}

// Adds a block of zeros, of `size` bytes, to a list of pointers; `list` is the address of the list.
// Returns the block, or NULL, with an error, when memory runs out.
KITH_COLD static void *add_block(kith_stage *stage, void *list, uint32_t *count, uint32_t *capacity,
                                 size_t size, const char *call)
{
    const kith_allocator *memory = &stage->object.world->memory;
    void                 *block  = kith_alloc_grow(memory, list, capacity, *count + 1)
                                       ? kith_alloc_zeroed(memory, size, KITH_CACHE_LINE)
                                       : NULL;
    if (block == NULL) {
        lacks_memory(stage, call);
    } else {
        memcpy(*(uint8_t **)list + *count * sizeof block, &block, sizeof block);
        ++*count;
    }
    return block;
}

kith_task *kith_stage_add(kith_stage *stage, const char *call)
{
    if (stage->task_count == stage->tasks_made &&
        add_block(stage, &stage->tasks, &stage->tasks_made, &stage->task_capacity,
                  sizeof **stage->tasks, call) == NULL) {
        return NULL;
    }
    kith_task *task = stage->tasks[stage->task_count++];
    task->time = task->entities = 0;
    return task;
}

// Whether a loop with this plan looks for changes of what it writes: then its chunks may not run
// beside each other.
static bool finds_own_changes(const kith_plan *plan)
{
    bool finds = false;
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        finds = finds || (plan->terms[i].written && kith_plan_term_wants_new(&plan->terms[i]));
    }
    return finds;
}

// Keeps a copy of the open loop, in the task, and closes the loop.
static void copy_walk(kith_stage *stage, kith_task *task)
{
    memcpy(&task->loop, task->walk, offsetof(kith_loop, counts));
    memcpy(task->limits, task->loop.block->limits,
           task->loop.plan->pool_end * sizeof *task->limits);
    close_walk(stage);
    task->walk = &task->loop;
}

// Opens a loop over the task's query. It stays open while a single part runs.
static bool open_task(kith_stage *stage, kith_task *task, const char *call)
{
    kith_world *world = stage->object.world;
    kith_query *query = task->query;
    kith_loop  *loop  = kith_loop_prepare(world, query->plan.count, call);
    if (loop == NULL || !kith_loop_begin(world, loop, &query->plan, query->desc.name, call)) {
        return false;
    }
    bool single = task->part == NULL || loop->end <= KITH_CHUNK_ROWS;
    if (loop->plan != &query->plan || query->plan.wants_changes) {
        task->plan = *loop->plan;
        loop->plan = &task->plan;
    } else if (loop->group == NULL && loop->end != 0) {
        kith_query_begin_cache(query, loop, single);
        loop->cache = &query->cache;
    }
    loop->stats         = &query->stats; // so that blocks count what they find
    query->stats.report = (kith_query_report){ .rows = loop->end };
    if (loop->lead != KITH_NO_TERM) {
        query->stats.report.lead = loop->plan->terms[loop->lead].storage->desc.id;
    }
    task->walk = stage->walk = loop;
    if (!single || stage->task_count > 1) {
        copy_walk(stage, task);
    }
    return true;
}

// Creates the commands of the next chunk, if there are none, and makes them know all components.
static bool reserve_chunk(kith_stage *stage, uint32_t number, bool in_part, const char *call)
{
    kith_world *world = stage->object.world;
    if (number == stage->chunks_made) {
        const kith_commands_desc desc = { .name = "part->commands" };
        if (!kith_alloc_more(&world->memory, &stage->chunks, &stage->chunk_capacity, number + 1,
                             sizeof *stage->chunks)) {
            return lacks_memory(stage, call);
        }
        kith_commands *commands = kith_commands_create(world, &desc);
        if (commands == NULL) {
            return false;
        }
        commands->memory                             = stage->memory;
        commands->owner                              = "the stage of its world";
        stage->chunks[stage->chunks_made++].commands = commands;
    }
    kith_stage_chunk *chunk  = &stage->chunks[number];
    chunk->commands->in_part = in_part;
    if ((chunk->commands->report.recorded | chunk->commands->report.refused) != 0) {
        kith_commands_clear(chunk->commands); // a program recorded where no part ran
    }
    stage->tag           = stage->tag % 0xfffff + 1;
    chunk->commands->tag = KITH_PART_NUMBER << 20 | stage->tag;
    chunk->from = chunk->until = 0;
    return chunk->commands->registrations == world->registrations ||
           kith_commands_refresh_for(chunk->commands, call);
}

static bool reserve_part_sums(kith_stage *stage, size_t bytes, const char *call)
{
    const kith_allocator *memory = &stage->object.world->memory;
    if (bytes > stage->sum_bytes) {
        void *sums = bytes > SIZE_MAX / 4 ? NULL : kith_alloc(memory, bytes, KITH_CACHE_LINE);
        if (sums == NULL) {
            return lacks_memory(stage, call);
        }
        kith_free(memory, stage->sums, stage->sum_bytes, KITH_CACHE_LINE);
        stage->sums      = sums;
        stage->sum_bytes = bytes;
    }
    if (bytes != 0) {
        memset(stage->sums, 0, bytes);
    }
    return true;
}

// Reserves a lane for each worker that can run, with room for `terms` terms in its block.
static bool reserve_lanes(kith_stage *stage, uint32_t terms, const char *call)
{
    kith_world *world = stage->object.world;
    uint32_t count = world->workers == NULL || stage->chunk_count < 2 ? 1 : world->workers->count;
    while (stage->lane_count < count) {
        kith_lane *lane = add_block(stage, &stage->lanes, &stage->lane_count, &stage->lane_capacity,
                                    sizeof *lane, call);
        if (lane == NULL) {
            return false;
        }
        lane->stage       = stage;
        lane->form        = kith_part_form;
        lane->part.worker = stage->lane_count - 1;
    }
    bool enough = true;
    for (uint32_t i = 0; i < count && enough && terms != 0; i++) {
        enough = kith_block_reserve(world, &stage->lanes[i]->loop, terms);
    }
    return enough || lacks_memory(stage, call);
}

bool kith_stage_prepare(kith_stage *stage, const char *call)
{
    kith_world *world = stage->object.world;
    size_t      sums  = 0;
    uint32_t    terms = 0;
    if (stage->registrations != world->registrations) {
        stage->registrations = world->registrations;
        for (uint32_t i = 0; i < world->storage_count; i++) {
            kith_component id = world->storages[i]->desc.id;
            stage->highest    = id > stage->highest ? id : stage->highest;
        }
    }
    for (uint32_t i = 0; i < stage->task_count; i++) {
        kith_task *task = stage->tasks[i];
        if (task->query != NULL && !open_task(stage, task, call)) {
            return false;
        }
        uint32_t rows     = task->part == NULL ? 1 : task->walk->end;
        task->chunks      = rows / KITH_CHUNK_ROWS + (rows % KITH_CHUNK_ROWS != 0);
        task->first_chunk = stage->chunk_count;
        task->in_order = task->alone || (task->query != NULL && task->query->plan.wants_changes &&
                                         finds_own_changes(&task->query->plan));
        task->units    = task->in_order ? task->chunks != 0 : task->chunks;
        if (task->sum_size != 0) { // kith_size_add divides
            task->sums_at  = sums;
            task->sum_size = kith_size_add(task->sum_size, 1, KITH_CACHE_LINE - 1) &
                             ~(size_t)(KITH_CACHE_LINE - 1);
            sums = kith_size_add(sums, task->chunks, task->sum_size);
        }
        if (task->query != NULL && task->walk == &task->loop) {
            terms = task->loop.plan->count > terms ? task->loop.plan->count : terms;
        }
        for (uint32_t chunk = 0; chunk < task->chunks; chunk++) {
            if (!reserve_chunk(stage, stage->chunk_count++, !task->alone, call)) {
                return false;
            }
        }
    }
    return reserve_part_sums(stage, sums, call) && reserve_lanes(stage, terms, call);
}

// --- running ---------------------------------------------------------------------------------

// Adds the runs that the chunks of the task found, in their order, to the cache of its query.
static void record_runs(const kith_stage *stage, kith_task *task)
{
    uint32_t         start[KITH_QUERY_TERMS_MAX];
    const kith_plan *plan = task->loop.plan;
    kith_run         run  = { .rows = start };
    for (uint32_t i = 0; i < task->chunks; i++) {
        const kith_stage_chunk *chunk = &stage->chunks[task->first_chunk + i];
        run.length                    = chunk->until - chunk->from;
        if (run.length == 0) {
            continue;
        }
        uint32_t index = *kith_sparse_set_packed(kith_plan_set(plan, task->loop.lead), chunk->from);
        for (uint32_t term = 0; term < plan->pool_end; term++) {
            start[term] = kith_sparse_set_row_at(kith_plan_set(plan, term), index);
        }
        task->loop.place = chunk->from;
        kith_query_cache_functions.record_run(&task->query->cache, &task->loop, &run);
    }
}

// Runs the parts, which took `cost` the latest time. How many workers pay may follow the clock,
// because the result does not depend on it. Meanwhile the world is locked, inline code that writes
// finds no pool, and errors go to the stage.
static void run_parts(kith_stage *stage, uint32_t first, uint32_t end, uint64_t cost)
{
    kith_world   *world   = stage->object.world;
    kith_workers *workers = world->workers;
    size_t        pools   = stage->highest * sizeof(void *); // ids behind it have none
    stage->timed          = stage->unit_end > 1 && workers != NULL && workers->count > 1;
    bool pays             = stage->timed && (workers->desc.eager || cost >= LEAST_TIME);
    kith_world_lock(world);
    memcpy(world->head.writable_ + 1, stage->hidden, pools);
    stage->on_error      = world->on_error;
    stage->error_context = world->error_context;
    world->on_error      = kith_part_on_error;
    world->error_context = stage;
    world->in_stage      = true;
    stage->parallel =
        pays && !atomic_flag_test_and_set_explicit(&workers->busy, memory_order_acquire);
    if (stage->parallel) {
        atomic_store_explicit(&stage->next_unit, 0, memory_order_relaxed);
        workers->run(workers, kith_min(workers->count, stage->unit_end), kith_part_run_units,
                     stage);
        atomic_flag_clear_explicit(&workers->busy, memory_order_release);
    } else {
        kith_part_run_tasks(stage, first, end);
    }
    world->in_stage      = false;
    world->on_error      = stage->on_error;
    world->error_context = stage->error_context;
    memcpy(world->head.writable_ + 1, world->head.pools_ + 1, pools);
    kith_world_unlock(world);
}

void kith_stage_run(kith_stage *stage, uint32_t first, uint32_t end)
{
    stage->first_task = first;
    stage->unit_end   = 0;
    uint64_t cost     = 0;
    for (uint32_t i = first; i < end; i++) {
        uint64_t one = *stage->tasks[i]->cost;
        cost += one == 0 ? LEAST_TIME : one;
        stage->unit_end += stage->tasks[i]->units;
    }
    if (stage->unit_end != 0) {
        run_parts(stage, first, end, cost);
    }
    close_walk(stage);
    for (uint32_t i = first; i < end; i++) {
        kith_task *task = stage->tasks[i];
        *task->cost     = stage->timed ? task->time : *task->cost;
        if (task->query != NULL) {
            kith_query_report *report = &task->query->stats.report;
            report->examined          = report->in_runs + report->gathered + report->rejected;
            task->entities            = report->in_runs + report->gathered + report->listed;
            task->query->stats.latest = ++stage->object.world->serial;
            if (task->query->plan.wants_changes) {
                kith_query_start_since(task->query, task->tick);
            }
            if (task->chunks > 1 && task->walk->cache != NULL) {
                record_runs(stage, task);
            }
        }
    }
}

// --- behind the parts ------------------------------------------------------------------------

bool kith_stage_check_memory(kith_stage *stage, const char *call)
{
    bool enough = true;
    for (uint32_t i = 0; i < stage->chunk_count; i++) {
        enough = enough && !stage->chunks[i].commands->lacked_memory;
    }
    if (enough) {
        return true;
    }
    for (uint32_t i = 0; i < stage->chunk_count; i++) {
        kith_commands_clear(stage->chunks[i].commands);
    }
    report_errors(stage, UINT32_MAX); // the latest error is that of the call
    return lacks_memory(stage, call);
}

bool kith_stage_end_task(kith_stage *stage, uint32_t i)
{
    const kith_task *task = stage->tasks[i];
    bool             all  = true;
    report_errors(stage, task->first_chunk + task->chunks);
    for (uint32_t chunk = 0; chunk < task->chunks && task->combine != NULL; chunk++) {
        size_t at = task->sums_at + chunk * task->sum_size;
        task->combine(&task->turn, task->sum_size == 0 ? NULL : stage->sums + at,
                      task->turn.context);
    }
    for (uint32_t chunk = 0; chunk < task->chunks; chunk++) {
        kith_commands *commands = stage->chunks[task->first_chunk + chunk].commands;
        if (commands->report.recorded != 0 || commands->error_unreported) {
            all = kith_commands_apply(commands, stage->object.world) && all;
            kith_commands_clear(commands);
        }
    }
    return all;
}

bool kith_stage_run_single(kith_stage *stage, const char *call)
{
    bool done = stage != NULL && stage->task_count == 1 && kith_stage_prepare(stage, call);
    if (done) {
        kith_stage_run(stage, 0, 1);
        done = kith_stage_check_memory(stage, call) && kith_stage_end_task(stage, 0);
    }
    kith_stage_end(stage);
    return done;
}

// --- without a schedule ----------------------------------------------------------------------

bool kith_query_parallel(kith_query *query, const kith_parallel_desc *desc)
{
    static const char call[] = "kith_query_parallel";
    if (query == NULL) {
        return false; // kith_query_create reported the error
    }
    kith_world *world = query->object.world;
    kith_error  error = { .call = call };
    if (!kith_require_at_rest(world, call) ||
        (desc->part == NULL && !kith_world_mistake(world, call, "there is no part", NULL)) ||
        (!kith_plan_declared(&query->plan, world, &error) && !kith_world_fail(world, &error))) {
        return false;
    }
    kith_stage *stage = kith_stage_begin(world, call);
    kith_task  *task  = stage == NULL ? NULL : kith_stage_add(stage, call);
    if (task != NULL) {
        task->query    = query;
        task->turn     = (kith_turn){ .world = world, .query = query, .context = desc->context };
        task->tick     = world->tick;
        task->part     = desc->part;
        task->run      = NULL;
        task->sum_size = desc->sum_size;
        task->combine  = desc->combine;
        task->alone    = false;
        task->cost     = &query->part_time;
    }
    return kith_stage_run_single(stage, call);
}
