// SPDX-License-Identifier: MIT
// Systems: their descriptions, creation, destruction and reports.
#include "system/system.h"
#include "event/event.h"
#include "group/group.h"
#include "workers/stage.h"

#include "world/membership.h"

// --- checking descriptions -------------------------------------------------------------------

static const char call_create_system[] = "kith_system_create";

static bool has_all_names(const char *const *names, uint32_t count)
{
    bool all = names != NULL || count == 0;
    for (uint32_t i = 0; i < count && all; i++) {
        all = names[i] != NULL;
    }
    return all;
}

static bool owns_a_component(const kith_query_desc *desc)
{
    bool owns = false;
    for (uint32_t i = 0; desc != NULL && desc->terms != NULL && i < desc->term_count; i++) {
        owns = owns || desc->terms[i].role == KITH_ROLE_OWN;
    }
    return owns;
}

// Returns the first mistake of the description, or NULL.
static const char *system_mistake(const kith_world *world, const kith_system_desc *desc)
{
    bool selects = desc->query != NULL || desc->signature != NULL;
    bool waits   = desc->on_events != NULL || desc->on_set != NULL;
    bool calls   = desc->enter != NULL || desc->leave != NULL;
    bool lists   = (desc->reads != NULL || desc->read_count == 0) &&
                 (desc->writes != NULL || desc->write_count == 0);
    bool foreign = (desc->on_events != NULL && desc->on_events->object.world != world) ||
                   (desc->on_set != NULL && desc->on_set->object.world != world);
    bool names = has_all_names(desc->before, desc->before_count) &&
                 has_all_names(desc->after, desc->after_count);
    return desc->name == NULL || desc->name[0] == '\0' ? "the system has no name"
           : (desc->run != NULL) + (desc->each != NULL) + (desc->part != NULL) != 1
               ? "a system needs one of run, each and part"
           : desc->shared && desc->run == NULL ? "shared needs run"
           : desc->part == NULL && (desc->combine != NULL || desc->sum_size != 0)
               ? "combine and sum_size need part"
           : desc->query != NULL && desc->signature != NULL
               ? "a system takes a query or a signature, not both"
           : desc->run == NULL && !selects ? "each and part need a query or a signature"
           : !(desc->interval >= 0 && desc->interval <= 1e300)
               ? "the interval must be finite and not negative"
           : desc->on_demand && desc->interval > 0 ? "a system on demand takes no interval"
           : !desc->on_demand && waits             ? "on_events and on_set need on_demand"
           : !lists                                ? "reads or writes is NULL"
           : !names                                ? "before or after has a NULL name"
           : !desc->tracked && calls               ? "enter and leave need tracked"
           : desc->tracked && !selects             ? "tracked needs a query or a signature"
           : desc->tracked && owns_a_component(desc->query)
               ? "a tracked system cannot own a component"
           : kith_system_find(world, desc->name) != NULL
               ? "the world already has a system with this name"
           : foreign ? "on_events or on_set belongs to another world"
                     : NULL;
}

// --- reads and writes ------------------------------------------------------------------------

static bool put_ids(kith_world *world, uint64_t *bits, const kith_component *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (kith_storage_for_mut(world, ids[i], KITH_NULL, KITH_ANY_KIND | KITH_ASIDE,
                                 call_create_system) == NULL) {
            return false;
        }
        kith_ids_put(bits, ids[i]);
    }
    return true;
}

// Returns the term for a component of a signature: read or written if the description says so.
static kith_term signature_term(const kith_system *system, const kith_storage *storage)
{
    kith_component id     = storage->desc.id;
    bool           valued = storage->desc.kind == KITH_KIND_VALUE;
    kith_role role = valued && kith_ids_have(system->reads, id) ? KITH_ROLE_READ : KITH_ROLE_WITH;
    role           = valued && kith_ids_have(system->writes, id) ? KITH_ROLE_WRITE : role;
    return (kith_term){ .component = id, .role = role };
}

// Turns the signature into terms. `*count` may exceed KITH_QUERY_TERMS_MAX; no term is written
// beyond it. Returns false when a bit of the signature belongs to no component.
static bool list_terms(const kith_system *system, kith_term *terms, uint32_t *count)
{
    const kith_world     *world = system->world;
    const kith_signature *set   = system->desc.signature;
    *count                      = 0;
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        if (kith_ids_have(set->words, bit)) {
            if (*count < KITH_QUERY_TERMS_MAX) {
                terms[*count] = signature_term(system, world->by_bit[bit]);
            }
            ++*count;
        }
    }
    return *count == kith_signature_count(set);
}

static void record_access(kith_system *system)
{
    const kith_plan *plan = system->query == NULL ? NULL : &system->query->plan;
    for (uint32_t i = 0; plan != NULL && i < plan->count; i++) {
        const kith_plan_term *resolved = &plan->terms[i];
        kith_ids_put(resolved->written ? system->writes : system->reads,
                     resolved->storage->desc.id);
    }
    system->accesses_all = (plan == NULL || plan->count == 0) && system->desc.read_count == 0 &&
                           system->desc.write_count == 0;
}

// Creates the query and the group, and records which components the system reads and writes.
static bool choose_entities(kith_system *system)
{
    kith_world     *world = system->world;
    kith_term       terms[KITH_QUERY_TERMS_MAX];
    kith_query_desc made = { .name = system->desc.name, .terms = terms };
    if (!put_ids(world, system->reads, system->desc.reads, system->desc.read_count) ||
        !put_ids(world, system->writes, system->desc.writes, system->desc.write_count)) {
        return false;
    }
    if (system->desc.signature != NULL) {
        if (!list_terms(system, terms, &made.term_count)) {
            return kith_world_mistake(world, call_create_system,
                                      "the signature has an unknown component", system->desc.name);
        }
        system->desc.query = &made;
    }
    if (system->desc.query != NULL) {
        system->query = kith_query_create(world, system->desc.query);
        if (system->query == NULL) {
            return false;
        }
        system->desc.query   = &system->query->desc;
        system->query->owner = system->desc.name;
    }
    record_access(system);
    system->group = system->desc.tracked ? kith_group_take(world, &system->query->desc) : NULL;
    if (system->group != NULL) {
        system->group->trackers++;
    }
    return !system->desc.tracked || system->group != NULL;
}

// --- when systems may run or change ----------------------------------------------------------

bool kith_require_no_turn(kith_world *world, const char *call)
{
    const kith_system *running = world->schedule == NULL ? NULL : world->schedule->running;
    return kith_require_unlocked(world, call) &&
           (running == NULL ||
            kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0, "a system is running",
                                      running->desc.name));
}

// Whether no part is running. Otherwise reports an error.
static bool require_no_part(kith_world *world, const char *call)
{
    return !world->in_stage || kith_world_refuse(world, KITH_ERROR_BUSY, call, 0, KITH_NULL);
}

bool kith_schedule_can_run(kith_world *world, double dt, const char *call)
{
    return kith_require_no_turn(world, call) && kith_require_movable(world, call, 0) &&
           kith_stage_require_free(world, call) &&
           ((dt >= 0 && dt <= 1e300) ||
            kith_world_mistake(world, call, "dt must be finite and not negative", NULL));
}

const kith_graph *kith_world_graph(const kith_world *world)
{
    static const kith_graph empty;
    return world->schedule == NULL ? &empty : &world->schedule->graph;
}

// --- creating and destroying -----------------------------------------------------------------

static const char *const *copy_names(kith_copier *to, const char *const *names, uint32_t count)
{
    const char **copy = kith_copier_put(to, names, count * sizeof *names);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = kith_copier_text(to, names[i]);
        if (copy != NULL) {
            copy[i] = name;
        }
    }
    return copy;
}

// Copies what the description points to.
static void copy_system_desc(kith_copier *to, kith_system_desc *desc)
{
    desc->name      = kith_copier_text(to, desc->name);
    desc->before    = copy_names(to, desc->before, desc->before_count);
    desc->after     = copy_names(to, desc->after, desc->after_count);
    desc->reads     = kith_copier_put(to, desc->reads, desc->read_count * sizeof *desc->reads);
    desc->writes    = kith_copier_put(to, desc->writes, desc->write_count * sizeof *desc->writes);
    desc->max_steps = desc->max_steps == 0 ? 8 : desc->max_steps;
    if (desc->signature != NULL) {
        desc->signature = kith_copier_put(to, desc->signature, sizeof *desc->signature);
    }
}

static kith_system *alloc_system(kith_world *world, const kith_system_desc *desc)
{
    enum { TRACKED_SHIFT = 8 }; // small pages: most systems track few entities
    kith_system_desc copy = *desc;
    kith_copier      to   = { NULL, sizeof(kith_system) };
    copy_system_desc(&to, &copy);
    kith_system *system = kith_alloc_zeroed(&world->memory, to.used, KITH_CACHE_LINE);
    if (system == NULL) {
        kith_world_refuse(world, KITH_ERROR_MEMORY, call_create_system, 0, KITH_NULL);
        return NULL;
    }
    system->world    = world;
    system->made     = ++world->made;
    system->bytes    = to.used;
    system->enabled  = !desc->disabled;
    system->in_parts = desc->part != NULL || desc->shared;
    system->run      = system->in_parts ? NULL : desc->run;
    to               = (kith_copier){ (uint8_t *)system, sizeof *system };
    system->desc     = *desc;
    copy_system_desc(&to, &system->desc);
    kith_sparse_set_init(&system->tracked_entities, 0, 1, TRACKED_SHIFT, KITH_POLICY_SWAP,
                         &world->shared);
    return system;
}

static void free_system(kith_system *system)
{
    const kith_allocator *memory = &system->world->memory;
    kith_sparse_set_free(&system->tracked_entities);
    kith_free(memory, system, system->bytes, KITH_CACHE_LINE);
}

// Frees a system that is not in the graph, with its query and its group.
static void end_system(kith_system *system)
{
    if (system->group != NULL && --system->group->trackers == 0 && !system->group->by_program) {
        kith_group_end(system->group);
    }
    if (system->query != NULL) {
        system->query->owner = NULL;
        kith_query_destroy(system->query);
    }
    free_system(system);
}

static void destroy_schedule(kith_object *object)
{
    kith_schedule        *schedule = (kith_schedule *)object;
    const kith_allocator *memory   = &object->world->memory;
    for (uint32_t i = 0; i < schedule->graph.count; i++) {
        free_system(schedule->graph.systems[i]);
    }
    kith_graph_free(&schedule->graph, memory);
    kith_free(memory, schedule->access, sizeof *schedule->access, KITH_CACHE_LINE);
    kith_free(memory, schedule, sizeof *schedule, KITH_CACHE_LINE);
}

static void shrink_schedule(kith_object *object)
{
    kith_graph *graph = &((kith_schedule *)object)->graph;
    for (uint32_t i = 0; i < graph->count; i++) {
        kith_sparse_set_shrink(&graph->systems[i]->tracked_entities);
    }
}

static size_t bytes_of_schedule(const kith_object *object)
{
    const kith_schedule *schedule = (const kith_schedule *)object;
    size_t               bytes    = sizeof *schedule + kith_graph_bytes(&schedule->graph) +
                   (schedule->access == NULL ? 0 : sizeof *schedule->access);
    for (uint32_t i = 0; i < schedule->graph.count; i++) {
        kith_memory tracked = { 0 };
        kith_sparse_set_memory(&schedule->graph.systems[i]->tracked_entities, &tracked);
        bytes += schedule->graph.systems[i]->bytes + tracked.sparse + tracked.packed +
                 tracked.values + tracked.other;
    }
    return bytes;
}

static const char *schedule_is_busy(const kith_object *object, const char **name)
{
    const kith_system *running = ((const kith_schedule *)object)->running;
    *name                      = running == NULL ? NULL : running->desc.name;
    return running == NULL ? NULL : "a system is running";
}

static const kith_object_ops schedule_ops = { .destroy = destroy_schedule,
                                              .bytes   = bytes_of_schedule,
                                              .shrink  = shrink_schedule,
                                              .busy    = schedule_is_busy };

kith_schedule *kith_world_schedule(kith_world *world, const char *call)
{
    if (world->schedule != NULL) {
        return world->schedule;
    }
    kith_schedule *schedule = kith_alloc_zeroed(&world->memory, sizeof *schedule, KITH_CACHE_LINE);
    if (schedule == NULL) {
        kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
    } else {
        kith_object_link(world, &schedule->object, &schedule_ops);
    }
    return world->schedule = schedule;
}

// Adds the system to the graph. Returns false and reports an error when that fails.
static bool add_to_graph(kith_graph *graph, kith_system *system)
{
    char        cycle[sizeof system->world->latest.other];
    kith_world *world = system->world;
    return (kith_graph_reserve(graph, &world->memory) ||
            kith_world_refuse(world, KITH_ERROR_MEMORY, call_create_system, 0, KITH_NULL)) &&
           (kith_graph_add(graph, system, cycle, sizeof cycle) ||
            kith_world_mistake(world, call_create_system, "systems form a cycle", cycle));
}

kith_system *kith_system_create(kith_world *world, const kith_system_desc *desc)
{
    if (!kith_require_no_turn(world, call_create_system)) {
        return NULL;
    }
    const char *mistake = system_mistake(world, desc);
    if ((mistake != NULL && !kith_world_mistake(world, call_create_system, mistake, desc->name)) ||
        (desc->tracked && !kith_require_movable(world, call_create_system, 0))) {
        return NULL;
    }
    kith_schedule *schedule = kith_world_schedule(world, call_create_system);
    kith_system   *system   = schedule == NULL ? NULL : alloc_system(world, desc);
    if (system != NULL && (!choose_entities(system) || !add_to_graph(&schedule->graph, system))) {
        end_system(system);
        return NULL;
    }
    if (system != NULL && desc->on_set != NULL) {
        desc->on_set->systems++;
    }
    return system;
}

bool kith_system_destroy(kith_system *system)
{
    if (system == NULL || !kith_require_no_turn(system->world, __func__) ||
        (system->desc.tracked && !kith_require_movable(system->world, __func__, 0))) {
        return system == NULL;
    }
    kith_system_leave_all(system, __func__);
    kith_graph_remove(&system->world->schedule->graph, system);
    if (system->desc.on_set != NULL) {
        system->desc.on_set->systems--;
    }
    end_system(system);
    return true;
}

// --- queries and reports ---------------------------------------------------------------------

kith_system *kith_system_find(const kith_world *world, const char *name)
{
    const kith_graph *graph = kith_world_graph(world);
    for (uint32_t i = 0; i < graph->count && name != NULL; i++) {
        if (strcmp(graph->systems[i]->desc.name, name) == 0) {
            return graph->systems[i];
        }
    }
    return NULL;
}

kith_system *kith_system_next(const kith_world *world, const kith_system *previous)
{
    const kith_graph *graph = kith_world_graph(world);
    uint32_t          place = 0;
    while (previous != NULL && place < graph->count && graph->order[place] != previous) {
        place++;
    }
    place += previous != NULL;
    return place < graph->count ? graph->order[place] : NULL;
}

const kith_system_desc *kith_system_describe(const kith_system *system)
{
    return &system->desc;
}

kith_query *kith_system_query(const kith_system *system)
{
    return system->query;
}

bool kith_system_enable(kith_system *system, bool enabled)
{
    bool before = system->enabled;
    if (require_no_part(system->world, __func__)) {
        system->enabled = enabled;
    }
    return before;
}

bool kith_system_request(kith_system *system)
{
    if (!system->desc.on_demand || !require_no_part(system->world, __func__) || system->requested) {
        return false;
    }
    system->requested = true;
    return true;
}

static void sort_times(uint32_t *times, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t time = times[i];
        uint32_t at   = i;
        for (; at > 0 && times[at - 1] > time; at--) {
            times[at] = times[at - 1];
        }
        times[at] = time;
    }
}

kith_system_report kith_system_report_of(const kith_system *system)
{
    kith_system_report report = { .turns    = system->turns,
                                  .entities = system->entities,
                                  .dropped  = system->dropped,
                                  .enabled  = system->enabled };
    uint32_t           times[KITH_SYSTEM_TIMES];
    uint32_t           count =
        system->turns < KITH_SYSTEM_TIMES ? (uint32_t)system->turns : KITH_SYSTEM_TIMES;
    if (count != 0) {
        memcpy(times, system->times, sizeof times);
        sort_times(times, count);
        report.p99  = times[(99 * count + 99) / 100 - 1];
        report.last = system->times[(system->turns - 1) % KITH_SYSTEM_TIMES];
        report.mean = system->total / system->turns;
    }
    return report;
}

bool kith_system_run(kith_world *world, const char *name, double dt)
{
    if (!kith_schedule_can_run(world, dt, __func__)) {
        return false;
    }
    kith_system *system = kith_system_find(world, name);
    if (system == NULL) {
        return kith_world_mistake(world, __func__, "no system has this name", name);
    }
    if (system->desc.on_set != NULL) {
        kith_reactive_update_for(system->desc.on_set, system->tick);
    }
    return kith_system_take_turn(system, dt, __func__);
}
