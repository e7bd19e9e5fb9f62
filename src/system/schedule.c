// SPDX-License-Identifier: MIT
#include "base/print.h"
#include "system/system.h"
#include "world/event.h"

#include <inttypes.h>

// --- setting up ------------------------------------------------------------------------------

static kith_access_check *alloc_access_check(kith_world *world)
{
    kith_access_check *access = kith_alloc_zeroed(&world->memory, sizeof *access, KITH_CACHE_LINE);
    for (kith_component id = 0; access != NULL && id <= KITH_COMPONENT_MAX; id++) {
        access->pools[id] = kith_world_no_pool();
    }
    return access;
}

KITH_API bool kith_schedule_configure(kith_world *world, const kith_schedule_desc *desc)
{
    static const char call[] = "kith_schedule_configure";
    if (!kith_require_unlocked(world, call) || !kith_require_no_turn(world, call)) {
        return false;
    }
    kith_schedule *schedule = kith_world_schedule(world, call);
    if (schedule == NULL) {
        return false;
    }
    if (desc->checked && schedule->access == NULL) {
        schedule->access = alloc_access_check(world);
        if (schedule->access == NULL) {
            return kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
        }
    }
    schedule->desc = *desc;
    return true;
}

// --- running ---------------------------------------------------------------------------------

// Adds the time of this run and finds out how many turns it makes.
static void add_time(kith_system *system, double dt)
{
    double interval = system->desc.interval;
    system->steps   = 0;
    if (!system->enabled) {
        return;
    }
    system->waited += dt;
    while (system->waited >= interval && system->steps < system->desc.max_steps) {
        system->waited -= interval;
        system->steps++;
    }
    if (system->waited >= interval) {
        system->dropped += system->waited;
        system->waited = 0;
    }
}

// The end of the systems that take turns with the one at `place`.
static uint32_t stretch_end(const kith_graph *graph, uint32_t place)
{
    const kith_system_desc *first = &graph->order[place]->desc;
    uint32_t                end   = place + 1;
    while (end < graph->count && first->interval > 0 &&
           graph->order[end]->desc.interval == first->interval &&
           graph->order[end]->desc.phase == first->phase) {
        end++;
    }
    return end;
}

static bool run_stretch(kith_graph *graph, uint32_t place, uint32_t end, double dt,
                        const char *call)
{
    bool all  = true;
    bool more = true;
    for (uint32_t i = place; i < end; i++) {
        add_time(graph->order[i], dt);
    }
    while (more) {
        more = false;
        for (uint32_t i = place; i < end; i++) {
            kith_system *system = graph->order[i];
            if (system->steps != 0 && system->enabled) {
                system->steps--;
                more      = true;
                bool done = kith_system_take_turn(system, system->desc.interval, call);
                system->dropped += done ? 0 : system->desc.interval;
                all = all && done;
            }
        }
    }
    for (uint32_t i = place; i < end; i++) { // of those that were disabled meanwhile
        graph->order[i]->dropped += graph->order[i]->steps * graph->order[i]->desc.interval;
    }
    return all;
}

static bool finds_members(const kith_system *system)
{
    kith_reactive *set   = system->desc.on_set;
    uint64_t       place = 0;
    kith_reactive_update_for(set, system->tick);
    return kith_reactive_next(set, &place) != KITH_NULL;
}

static bool is_to_run(const kith_system *system)
{
    const kith_system_desc *desc = &system->desc;
    if (!system->enabled || !desc->on_demand) {
        return system->enabled;
    }
    bool asked = desc->on_set != NULL && finds_members(system);
    return system->due || asked || kith_queue_count(desc->on_events) != 0;
}

KITH_API bool kith_schedule_run(kith_world *world, double dt)
{
    static const char call[]   = "kith_schedule_run";
    kith_schedule    *schedule = world->schedule;
    bool              all      = true;
    if (!kith_schedule_can_run(world, dt, call)) {
        return false;
    }
    if (schedule == NULL) {
        return true;
    }
    for (uint32_t place = 0; place < schedule->graph.count;) {
        kith_system *system = schedule->graph.order[place];
        uint32_t     end    = stretch_end(&schedule->graph, place);
        if (system->desc.interval > 0) {
            all = run_stretch(&schedule->graph, place, end, dt, call) && all;
        } else if (is_to_run(system)) {
            all = kith_system_take_turn(system, dt, call) && all;
        }
        place = end;
    }
    return all;
}

// --- ambiguous pairs -------------------------------------------------------------------------

// Calls `found` for each ambiguous pair, by the order in which they run. Returns how many there
// are.
static uint32_t for_ambiguous(const kith_world *world,
                              void (*found)(const kith_world *world, const kith_ambiguity *pair,
                                            uint32_t number, void *context),
                              void *context)
{
    const kith_schedule *schedule = world->schedule;
    uint32_t             pairs    = 0;
    for (uint32_t i = 0; schedule != NULL && i < schedule->graph.count; i++) {
        kith_ambiguity pair = { .first = schedule->graph.order[i] };
        for (uint32_t k = i + 1; k < schedule->graph.count; k++) {
            pair.second    = schedule->graph.order[k];
            pair.component = 0;
            if (!kith_graph_precedes(&schedule->graph, pair.first->number, pair.second->number) &&
                kith_systems_conflict(world, pair.first, pair.second, &pair.component)) {
                found(world, &pair, pairs++, context);
            }
        }
    }
    return pairs;
}

typedef struct pair_list {
    kith_ambiguity *pairs;
    uint32_t        capacity;
} pair_list;

static void list_pair(const kith_world *world, const kith_ambiguity *pair, uint32_t number,
                      void *context)
{
    const pair_list *list = context;
    (void)world;
    if (number < list->capacity) {
        list->pairs[number] = *pair;
    }
}

KITH_API uint32_t kith_schedule_ambiguities(const kith_world *world, kith_ambiguity *pairs,
                                            uint32_t capacity)
{
    pair_list list = { pairs, pairs == NULL ? 0 : capacity };
    return for_ambiguous(world, list_pair, &list);
}

// --- words -----------------------------------------------------------------------------------

// The components in which two systems conflict, between marks that the text needs.
static void say_common(kith_print *out, const kith_world *world, const kith_ambiguity *pair,
                       const char *mark)
{
    kith_component id    = pair->component;
    const char    *comma = "";
    if (id == 0) {
        kith_print_format(out, "%severything%s", mark, mark);
        return;
    }
    do {
        kith_print_format(out, "%s%s%s%s", comma, mark, kith_world_storage(world, id)->desc.name,
                          mark);
        comma = ", ";
    } while (kith_systems_conflict(world, pair->first, pair->second, &id));
}

static void say_pair(const kith_world *world, const kith_ambiguity *pair, uint32_t number,
                     void *context)
{
    (void)number;
    kith_print_format(context, "\"%s\" and \"%s\" are ambiguous: both touch ",
                      pair->first->desc.name, pair->second->desc.name);
    say_common(context, world, pair, pair->component == 0 ? "" : "\"");
    kith_print_format(context, "\n");
}

static void say_ids(kith_print *out, const kith_system *system, const uint64_t *ids,
                    const uint64_t *but, const char *verb)
{
    const kith_world *world = system->world;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_component id   = world->storages[i]->desc.id;
        uint64_t       bits = ids[id >> 6] & ~(but == NULL ? 0 : but[id >> 6]);
        if ((bits >> (id & 63) & 1) != 0) {
            kith_print_format(out, "%s \"%s\"", verb, world->storages[i]->desc.name);
            verb = ",";
        }
    }
}

static void say_names(kith_print *out, const char *const *names, uint32_t count, const char *word)
{
    for (uint32_t i = 0; i < count; i++) {
        kith_print_format(out, "%s \"%s\"", i == 0 ? word : ",", names[i]);
    }
}

static void say_when(kith_print *out, const kith_system *system)
{
    if (system->desc.interval > 0) {
        kith_print_format(out, ", every %g", system->desc.interval);
    }
    if (system->desc.on_demand) {
        kith_print_format(out, ", on demand");
    }
    if (system->desc.on_events != NULL) {
        kith_print_format(out, ", on events \"%s\"",
                          kith_queue_describe(system->desc.on_events)->name);
    }
    if (system->desc.on_set != NULL) {
        const char *name = kith_reactive_describe(system->desc.on_set)->name;
        kith_print_format(out, ", on members of \"%s\"", name == NULL ? "" : name);
    }
    if (!system->enabled) {
        kith_print_format(out, ", disabled");
    }
}

static void say_system(kith_print *out, const kith_system *system)
{
    const kith_system_desc *desc = &system->desc;
    kith_print_format(out, "  \"%s\"", desc->name);
    say_when(out, system);
    if (system->touches_all) {
        kith_print_format(out, ", touches everything");
    }
    say_ids(out, system, system->writes, NULL, ", writes");
    say_ids(out, system, system->reads, system->writes, ", reads");
    say_names(out, desc->before, desc->before_count, ", before");
    say_names(out, desc->after, desc->after_count, ", after");
    kith_print_format(out, "\n");
}

// The names that no system has.
static void say_unknown(kith_print *out, const kith_graph *graph, const char *name,
                        const char *const *names, uint32_t count, const char *word)
{
    for (uint32_t i = 0; i < count; i++) {
        if (kith_graph_find(graph, names[i]) == KITH_NO_SYSTEM) {
            kith_print_format(out, "\"%s\" is to run %s \"%s\", which is no system\n", name, word,
                              names[i]);
        }
    }
}

static bool begins_phase(const kith_graph *graph, uint32_t place)
{
    return place == 0 || graph->order[place]->desc.phase != graph->order[place - 1]->desc.phase;
}

KITH_API size_t kith_schedule_explain(const kith_world *world, char *buffer, size_t size)
{
    static const kith_graph empty;
    const kith_graph       *graph = world->schedule == NULL ? &empty : &world->schedule->graph;
    kith_print              out   = kith_print_start(buffer, size);
    for (uint32_t i = 0; i < graph->count; i++) {
        if (begins_phase(graph, i)) {
            kith_print_format(&out, "phase %" PRId32 "\n", graph->order[i]->desc.phase);
        }
        say_system(&out, graph->order[i]);
    }
    for_ambiguous(world, say_pair, &out);
    for (uint32_t i = 0; i < graph->count; i++) {
        const kith_system_desc *desc = &graph->order[i]->desc;
        say_unknown(&out, graph, desc->name, desc->before, desc->before_count, "before");
        say_unknown(&out, graph, desc->name, desc->after, desc->after_count, "after");
    }
    return out.length;
}

// --- Graphviz --------------------------------------------------------------------------------

static void say_quoted(kith_print *out, const char *name)
{
    kith_print_format(out, "\"");
    for (; *name != '\0'; name++) {
        bool escaped = *name == '"' || *name == '\\' || *name == '\n';
        kith_print_format(out, escaped ? "\\%c" : "%c", *name == '\n' ? 'n' : *name);
    }
    kith_print_format(out, "\"");
}

static void draw_line(kith_print *out, const kith_system *a, const kith_system *b)
{
    kith_print_format(out, "    ");
    say_quoted(out, a->desc.name);
    kith_print_format(out, " -> ");
    say_quoted(out, b->desc.name);
}

static void draw_pair(const kith_world *world, const kith_ambiguity *pair, uint32_t number,
                      void *context)
{
    char       names[256];
    kith_print common = kith_print_start(names, sizeof names);
    (void)number;
    say_common(&common, world, pair, "");
    kith_print_end(&common);
    draw_line(context, pair->first, pair->second);
    kith_print_format(context, " [dir=none, style=dotted, label=");
    say_quoted(context, names);
    kith_print_format(context, "]\n");
}

// Phases order their systems without arrows: they are boxes from left to right.
static void draw_constraints(kith_print *out, const kith_graph *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        for (uint32_t k = 0; k < graph->count; k++) {
            const kith_system *a = graph->systems[i];
            const kith_system *b = graph->systems[k];
            if (a->desc.phase == b->desc.phase && kith_graph_has_edge(graph, i, k)) {
                draw_line(out, a, b);
                kith_print_format(out, "\n");
            }
        }
    }
}

KITH_API size_t kith_schedule_graph(const kith_world *world, char *buffer, size_t size)
{
    static const kith_graph empty;
    const kith_graph       *graph = world->schedule == NULL ? &empty : &world->schedule->graph;
    kith_print              out   = kith_print_start(buffer, size);
    kith_print_format(&out, "digraph schedule {\n    rankdir=LR\n");
    for (uint32_t i = 0; i < graph->count; i++) {
        if (begins_phase(graph, i)) {
            kith_print_format(
                &out, "    subgraph cluster_%" PRIu32 " {\n        label=\"phase %" PRId32 "\"\n",
                i, graph->order[i]->desc.phase);
        }
        kith_print_format(&out, "        ");
        say_quoted(&out, graph->order[i]->desc.name);
        kith_print_format(&out,
                          i + 1 == graph->count || begins_phase(graph, i + 1) ? "\n    }\n" : "\n");
    }
    draw_constraints(&out, graph);
    for_ambiguous(world, draw_pair, &out);
    kith_print_format(&out, "}\n");
    return out.length;
}
