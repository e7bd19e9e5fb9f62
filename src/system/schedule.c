// SPDX-License-Identifier: MIT
// The schedule: runs systems in order, finds ambiguous pairs, and describes itself as text.
#include "event/event.h"
#include "system/system.h"

#include <inttypes.h>

// --- configuring -----------------------------------------------------------------------------

bool kith_schedule_configure(kith_world *world, const kith_schedule_desc *desc)
{
    kith_schedule *schedule =
        kith_require_no_turn(world, __func__) ? kith_world_schedule(world, __func__) : NULL;
    if (schedule == NULL) {
        return false;
    }
    if (desc->checked && schedule->access == NULL) {
        kith_access_check *access =
            kith_alloc_zeroed(&world->memory, sizeof *access, KITH_CACHE_LINE);
        if (access == NULL) {
            return kith_world_refuse(world, KITH_ERROR_MEMORY, __func__, 0, KITH_NULL);
        }
        for (kith_component id = 0; id <= KITH_COMPONENT_MAX; id++) {
            access->pools[id] = kith_world_no_pool();
        }
        schedule->access = access;
    }
    schedule->desc = *desc;
    return true;
}

// --- running ---------------------------------------------------------------------------------

// Adds `dt` to the waited time, and sets `steps` to the number of intervals that are over.
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

// Returns the end of the systems from `place` on with the same phase and interval: they alternate.
static uint32_t interval_end(const kith_graph *graph, uint32_t place)
{
    const kith_system_desc *first = &graph->order[place]->desc;
    uint32_t                end   = place + 1;
    while (end < graph->count && graph->order[end]->desc.interval == first->interval &&
           graph->order[end]->desc.phase == first->phase) {
        end++;
    }
    return end;
}

static bool must_run(const kith_system *system)
{
    const kith_system_desc *desc  = &system->desc;
    uint64_t                place = 0;
    if (!system->enabled || !desc->on_demand) {
        return system->enabled;
    }
    if (desc->on_set != NULL) {
        kith_reactive_update_for(desc->on_set, system->tick);
    }
    return system->requested || kith_queue_count(desc->on_events) != 0 ||
           (desc->on_set != NULL && kith_reactive_next(desc->on_set, &place) != KITH_NULL);
}

static uint32_t known_stage_end(const kith_graph *graph, uint32_t place)
{
    kith_world *world = graph->order[place]->world;
    kith_graph_refresh(&world->schedule->graph, world);
    return graph->order[place]->stage_end;
}

// Gives a turn to the systems place..end-1, one stage: with an interval to those that have steps
// left, otherwise to those that must run. Adds the turns to `*turns`. Returns false if one failed.
static bool run_stage(const kith_graph *graph, uint32_t place, uint32_t end, double dt,
                      uint32_t *turns, const char *call)
{
    double   interval = graph->order[place]->desc.interval;
    uint32_t count    = 0;
    for (uint32_t i = place; i < end; i++) {
        kith_system *system = graph->order[i];
        if (interval > 0 ? system->steps != 0 && system->enabled : must_run(system)) {
            system->steps -= interval > 0;
            graph->stage[count++] = system;
        }
    }
    if (count == 0) {
        return true;
    }
    *turns += count;
    uint64_t tick = graph->stage[0]->world->tick;
    bool     all  = count > 1 ? kith_systems_take_turns(graph->stage, count, dt, call)
                              : kith_system_take_turn(graph->stage[0], dt, call);
    for (uint32_t i = 0; i < count && !all; i++) {
        graph->stage[i]->dropped += graph->stage[i]->tick == tick + i ? 0 : interval;
    }
    return all;
}

// Runs the systems place..end-1 in turn, until each has done its steps.
static bool run_interval(const kith_graph *graph, uint32_t place, uint32_t end, double dt,
                         const char *call)
{
    bool all = true;
    for (uint32_t i = place; i < end; i++) {
        add_time(graph->order[i], dt);
    }
    for (uint32_t turns = 1; turns != 0;) {
        turns = 0;
        for (uint32_t i = place, next = place; i < end; i = next) {
            next = known_stage_end(graph, i);
            all  = run_stage(graph, i, next, graph->order[i]->desc.interval, &turns, call) && all;
        }
    }
    for (uint32_t i = place; i < end; i++) { // systems disabled during the run
        graph->order[i]->dropped += graph->order[i]->steps * graph->order[i]->desc.interval;
    }
    return all;
}

#ifdef KITH_DEBUG
static void notice_unknown(const kith_system *system, const char *const *names, uint32_t count,
                           const char *word)
{
    for (uint32_t i = 0; i < count; i++) {
        char       text[200];
        kith_print out = kith_print_start(text, sizeof text);
        if (kith_system_find(system->world, names[i]) == NULL) {
            kith_print_format(&out, "system \"%s\" must run %s \"%s\", which does not exist",
                              system->desc.name, word, names[i]);
            kith_print_end(&out);
            kith_world_notice(system->world, "kith_schedule_run", text);
        }
    }
}

// Notices the names that no system has, once for each system: in the first run after its creation.
static void notice_names(kith_world *world, const kith_graph *graph)
{
    uint64_t newest = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        const kith_system *system = graph->order[i];
        newest                    = system->made > newest ? system->made : newest;
        if (system->made > world->schedule->checked_names) {
            notice_unknown(system, system->desc.before, system->desc.before_count, "before");
            notice_unknown(system, system->desc.after, system->desc.after_count, "after");
        }
    }
    if (newest != 0) {
        world->schedule->checked_names = newest;
    }
}
#else
    #define notice_names(WORLD, GRAPH) ((void)0)
#endif

bool kith_schedule_run(kith_world *world, double dt)
{
    const kith_graph *graph = kith_world_graph(world);
    bool              all   = true;
    uint32_t          turns = 0;
    if (!kith_schedule_can_run(world, dt, __func__)) {
        return false;
    }
    notice_names(world, graph);
    kith_world_enter(world, 1);
    for (uint32_t place = 0; place < graph->count;) {
        kith_system *system = graph->order[place];
        uint32_t     end    = place + 1;
        if (system->desc.interval > 0) {
            end = interval_end(graph, place);
            all = run_interval(graph, place, end, dt, __func__) && all;
        } else if (system->in_parts && known_stage_end(graph, place) > end) {
            end = system->stage_end;
            all = run_stage(graph, place, end, dt, &turns, __func__) && all;
        } else if (must_run(system)) {
            all = kith_system_take_turn(system, dt, __func__) && all;
        }
        place = end;
    }
    kith_world_enter(world, -1);
    return all;
}

// --- ambiguous pairs -------------------------------------------------------------------------

// A walk over the ambiguous pairs, in run order.
typedef struct pair_walk {
    kith_ambiguity pair;
    uint32_t       first; // places in the order
    uint32_t       second;
} pair_walk;

static bool next_pair(const kith_world *world, pair_walk *walk)
{
    const kith_graph *graph = kith_world_graph(world);
    for (; walk->first < graph->count; walk->first++, walk->second = walk->first) {
        while (++walk->second < graph->count) {
            kith_system *a = graph->order[walk->first];
            kith_system *b = graph->order[walk->second];
            walk->pair     = (kith_ambiguity){ .first = a, .second = b };
            if (!kith_graph_precedes(graph, a->number, b->number) &&
                kith_systems_conflict(world, a, b, &walk->pair.component)) {
                return true;
            }
        }
    }
    return false;
}

uint32_t kith_schedule_ambiguities(const kith_world *world, kith_ambiguity *pairs,
                                   uint32_t capacity)
{
    pair_walk walk  = { 0 };
    uint32_t  count = 0;
    for (; next_pair(world, &walk); count++) {
        if (pairs != NULL && count < capacity) {
            pairs[count] = walk.pair;
        }
    }
    return count;
}

// --- text ------------------------------------------------------------------------------------

// Prints the components that the two systems of a pair conflict in, each between two `mark`s.
static void print_common(kith_print *out, const kith_ambiguity *pair, const char *mark)
{
    const kith_world *world = pair->first->world;
    kith_component    id    = pair->component;
    const char       *comma = "";
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

static void print_pair(kith_print *out, const kith_ambiguity *pair)
{
    kith_print_format(out, "\"%s\" and \"%s\" are ambiguous: both touch ", pair->first->desc.name,
                      pair->second->desc.name);
    print_common(out, pair, pair->component == 0 ? "" : "\"");
    kith_print_format(out, "\n");
}

// Prints the components in `ids` that are not in `but`.
static void print_ids(kith_print *out, const kith_system *system, const uint64_t *ids,
                      const uint64_t *but, const char *verb)
{
    const kith_world *world = system->world;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_component id = world->storages[i]->desc.id;
        if (kith_ids_have(ids, id) && (but == NULL || !kith_ids_have(but, id))) {
            kith_print_format(out, "%s \"%s\"", verb, world->storages[i]->desc.name);
            verb = ",";
        }
    }
}

static void print_names(kith_print *out, const char *const *names, uint32_t count, const char *word)
{
    for (uint32_t i = 0; i < count; i++) {
        kith_print_format(out, "%s \"%s\"", i == 0 ? word : ",", names[i]);
    }
}

static void print_when(kith_print *out, const kith_system *system)
{
    if (system->desc.interval > 0) {
        kith_print_format(out, ", every %g", system->desc.interval);
    }
    kith_print_format(out, system->desc.on_demand ? ", on demand" : "");
    if (system->desc.on_events != NULL) {
        kith_print_format(out, ", on events \"%s\"",
                          kith_queue_describe(system->desc.on_events)->name);
    }
    if (system->desc.on_set != NULL) {
        const char *name = kith_reactive_describe(system->desc.on_set)->name;
        kith_print_format(out, ", on members of \"%s\"", name == NULL ? "" : name);
    }
    kith_print_format(out, system->enabled ? "" : ", disabled");
}

static void print_system(kith_print *out, const kith_system *system)
{
    const kith_system_desc *desc = &system->desc;
    kith_print_format(out, "  \"%s\"", desc->name);
    print_when(out, system);
    kith_print_format(out, system->accesses_all ? ", touches everything" : "");
    print_ids(out, system, system->writes, NULL, ", writes");
    print_ids(out, system, system->reads, system->writes, ", reads");
    print_names(out, desc->before, desc->before_count, ", before");
    print_names(out, desc->after, desc->after_count, ", after");
    kith_print_format(out, "\n");
}

// Prints the names in `before` or `after` that no system has.
static void print_unknown(kith_print *out, const kith_system *system, const char *const *names,
                          uint32_t count, const char *word)
{
    for (uint32_t i = 0; i < count; i++) {
        if (kith_system_find(system->world, names[i]) == NULL) {
            kith_print_format(out, "\"%s\" must run %s \"%s\", which does not exist\n",
                              system->desc.name, word, names[i]);
        }
    }
}

// Prints why the next system does not join the stage place..end-1, unless that is plain to see.
static void print_border(kith_print *out, const kith_graph *graph, uint32_t place, uint32_t end)
{
    kith_ambiguity pair;
    if (kith_graph_joins(graph, place, end, &pair) || pair.first == NULL) {
        return;
    }
    const char *first = pair.first->desc.name;
    const char *next  = pair.second->desc.name;
    if (kith_graph_precedes(graph, pair.first->number, pair.second->number)) {
        kith_print_format(out, "; \"%s\" must run after \"%s\"", next, first);
        return;
    }
    kith_print_format(out, "; \"%s\" and \"%s\" both touch ", first, next);
    print_common(out, &pair, "\"");
}

// Prints the stages, if a system runs in parts, and why systems run alone.
static void print_stages(kith_print *out, const kith_graph *graph)
{
    bool any = false;
    for (uint32_t i = 0; i < graph->count; i++) {
        any = any || graph->order[i]->in_parts;
    }
    for (uint32_t place = 0, end = 0; place < graph->count && any; place = end) {
        const kith_system  *first  = graph->order[place];
        const kith_storage *hooked = kith_system_unsafe_hooks(first);
        const char         *alone  = kith_system_alone(first);
        end                        = kith_graph_stage_end(graph, place);
        for (uint32_t i = place; i < end; i++) {
            kith_print_format(out, "%s \"%s\"", i == place ? "stage" : ",",
                              graph->order[i]->desc.name);
        }
        if (alone == NULL) {
            print_border(out, graph, place, end);
        } else if (hooked != NULL && first->in_parts) {
            kith_print_format(out, " alone: %s (\"%s\")", alone, hooked->desc.name);
        } else {
            kith_print_format(out, " alone: %s", alone);
        }
        kith_print_format(out, "\n");
    }
}

static bool begins_phase(const kith_graph *graph, uint32_t place)
{
    return place == 0 || graph->order[place]->desc.phase != graph->order[place - 1]->desc.phase;
}

size_t kith_schedule_explain(const kith_world *world, char *buffer, size_t size)
{
    const kith_graph *graph = kith_world_graph(world);
    pair_walk         walk  = { 0 };
    kith_print        out   = kith_print_start(buffer, size);
    for (uint32_t i = 0; i < graph->count; i++) {
        if (begins_phase(graph, i)) {
            kith_print_format(&out, "phase %" PRId32 "\n", graph->order[i]->desc.phase);
        }
        print_system(&out, graph->order[i]);
    }
    print_stages(&out, graph);
    while (next_pair(world, &walk)) {
        print_pair(&out, &walk.pair);
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        const kith_system *system = graph->order[i];
        print_unknown(&out, system, system->desc.before, system->desc.before_count, "before");
        print_unknown(&out, system, system->desc.after, system->desc.after_count, "after");
    }
    return out.length;
}

// --- Graphviz --------------------------------------------------------------------------------

static void print_quoted(kith_print *out, const char *name)
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
    print_quoted(out, a->desc.name);
    kith_print_format(out, " -> ");
    print_quoted(out, b->desc.name);
}

static void draw_pair(kith_print *out, const kith_ambiguity *pair)
{
    char       names[256];
    kith_print common = kith_print_start(names, sizeof names);
    print_common(&common, pair, "");
    kith_print_end(&common);
    draw_line(out, pair->first, pair->second);
    kith_print_format(out, " [dir=none, style=dotted, label=");
    print_quoted(out, names);
    kith_print_format(out, "]\n");
}

// Draws the constraints within a phase. Phases need no arrows: they are boxes from left to right.
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

size_t kith_schedule_graph(const kith_world *world, char *buffer, size_t size)
{
    const kith_graph *graph = kith_world_graph(world);
    pair_walk         walk  = { 0 };
    kith_print        out   = kith_print_start(buffer, size);
    uint32_t          end   = 0;
    bool              stage = false;
    kith_print_format(&out, "digraph schedule {\n    rankdir=LR\n");
    for (uint32_t i = 0; i < graph->count; i++) {
        if (begins_phase(graph, i)) {
            kith_print_format(
                &out, "    subgraph cluster_%" PRIu32 " {\n        label=\"phase %" PRId32 "\"\n",
                i, graph->order[i]->desc.phase);
        }
        if (i == end) {
            end   = kith_graph_stage_end(graph, i);
            stage = end - i > 1;
            if (stage) {
                kith_print_format(
                    &out, "        subgraph cluster_stage_%" PRIu32 " {\n        label=\"stage\"\n",
                    i);
            }
        }
        kith_print_format(&out, "        ");
        print_quoted(&out, graph->order[i]->desc.name);
        kith_print_format(&out, stage && i + 1 == end ? "\n        }" : "");
        kith_print_format(&out,
                          i + 1 == graph->count || begins_phase(graph, i + 1) ? "\n    }\n" : "\n");
    }
    draw_constraints(&out, graph);
    while (next_pair(world, &walk)) {
        draw_pair(&out, &walk.pair);
    }
    kith_print_format(&out, "}\n");
    return out.length;
}
