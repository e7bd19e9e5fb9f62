// SPDX-License-Identifier: MIT
// The order of systems: edges from phases and constraints, their closure, and cycles.
#include "system/system.h"

// --- memory ----------------------------------------------------------------------------------

size_t kith_graph_bytes(const kith_graph *graph)
{
    size_t rows  = graph->capacity;
    size_t words = (rows + 63) / 64;
    return kith_size_add(3 * rows * sizeof(kith_system *), rows + 1, words * sizeof(uint64_t));
}

void kith_graph_free(kith_graph *graph, const kith_allocator *memory)
{
    kith_free(memory, graph->predecessors, kith_graph_bytes(graph), KITH_CACHE_LINE);
    *graph = (kith_graph){ 0 };
}

bool kith_graph_reserve(kith_graph *graph, const kith_allocator *memory)
{
    if (graph->count < graph->capacity) {
        return true;
    }
    kith_graph grown   = { .capacity = graph->capacity == 0 ? 8 : 2 * graph->capacity };
    grown.predecessors = kith_alloc(memory, kith_graph_bytes(&grown), KITH_CACHE_LINE);
    if (grown.predecessors == NULL) {
        return false;
    }
    grown.count    = graph->count;
    grown.words    = (grown.capacity + 63) / 64;
    grown.unplaced = grown.predecessors + (size_t)grown.capacity * grown.words;
    grown.systems  = (kith_system **)(void *)(grown.unplaced + grown.words);
    grown.order    = grown.systems + grown.capacity;
    grown.stage    = grown.order + grown.capacity;
    for (uint32_t i = 0; i < graph->count; i++) {
        grown.systems[i] = graph->systems[i];
    }
    kith_graph_free(graph, memory);
    *graph = grown;
    return true;
}

// --- edges and order -------------------------------------------------------------------------

static uint64_t *bits_of(const kith_graph *graph, uint32_t i)
{
    return graph->predecessors + (size_t)i * graph->words;
}

static bool is_named(const char *const *names, uint32_t count, const char *name)
{
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        found = strcmp(names[i], name) == 0;
    }
    return found;
}

bool kith_graph_has_edge(const kith_graph *graph, uint32_t a, uint32_t b)
{
    const kith_system_desc *first = &graph->systems[a]->desc;
    const kith_system_desc *next  = &graph->systems[b]->desc;
    return first->phase < next->phase || is_named(first->before, first->before_count, next->name) ||
           is_named(next->after, next->after_count, first->name);
}

// Numbers the systems, and writes the transitive closure of the edges (Warshall): predecessors of a
// predecessor are predecessors too.
static void link_systems(kith_graph *graph)
{
    memset(graph->predecessors, 0, (size_t)graph->count * graph->words * sizeof(uint64_t));
    for (uint32_t i = 0; i < graph->count; i++) {
        graph->systems[i]->number = i;
        for (uint32_t k = 0; k < graph->count; k++) {
            if (kith_graph_has_edge(graph, k, i)) {
                kith_ids_put(bits_of(graph, i), k);
            }
        }
    }
    for (uint32_t via = 0; via < graph->count; via++) {
        for (uint32_t i = 0; i < graph->count; i++) {
            uint64_t *bits = bits_of(graph, i);
            for (uint32_t word = 0; kith_ids_have(bits, via) && word < graph->words; word++) {
                bits[word] |= bits_of(graph, via)[word];
            }
        }
    }
}

static bool is_ready_to_run(const kith_graph *graph, uint32_t i)
{
    const uint64_t *bits  = bits_of(graph, i);
    bool            ready = kith_ids_have(graph->unplaced, i);
    for (uint32_t word = 0; word < graph->words && ready; word++) {
        ready = (bits[word] & graph->unplaced[word]) == 0;
    }
    return ready;
}

static void order_systems(kith_graph *graph)
{
    graph->known = 0;
    memset(graph->unplaced, 0, graph->words * sizeof *graph->unplaced);
    for (uint32_t i = 0; i < graph->count; i++) {
        kith_ids_put(graph->unplaced, i);
    }
    for (uint32_t place = 0; place < graph->count; place++) {
        uint32_t next = 0;
        while (!is_ready_to_run(graph, next)) {
            next++;
        }
        graph->order[place] = graph->systems[next];
        graph->unplaced[next / 64] &= ~(UINT64_C(1) << next % 64);
    }
}

// --- cycles ----------------------------------------------------------------------------------

// Searches breadth-first from a system back along the edges. Returns its successor on the shortest
// cycle through it. `after[i]` becomes the system from which i was found; KITH_NO_SYSTEM: not
// found.
static uint32_t search_cycle(const kith_graph *graph, uint32_t from, uint32_t *after)
{
    uint32_t *queue  = after + graph->capacity;
    uint32_t  queued = 1;
    uint32_t  at     = 0;
    memset(after, 0xff, graph->count * sizeof *after);
    queue[0] = from;
    for (; !kith_graph_has_edge(graph, from, queue[at]); at++) {
        for (uint32_t i = 0; i < graph->count; i++) {
            if (kith_graph_has_edge(graph, i, queue[at]) && after[i] == KITH_NO_SYSTEM) {
                after[i]        = queue[at];
                queue[queued++] = i;
            }
        }
    }
    return queue[at];
}

// Uses the memory of `predecessors`, which is computed again afterwards: that has at least 8 bytes
// per system.
static void write_cycle(const kith_graph *graph, uint32_t from, char *cycle, size_t size)
{
    uint32_t  *after = (uint32_t *)(void *)graph->predecessors;
    kith_print out   = kith_print_start(cycle, size);
    kith_print_format(&out, "\"%s\"", graph->systems[from]->desc.name);
    for (uint32_t at = search_cycle(graph, from, after); at != from; at = after[at]) {
        kith_print_format(&out, " -> \"%s\"", graph->systems[at]->desc.name);
    }
    kith_print_format(&out, " -> \"%s\"", graph->systems[from]->desc.name);
    kith_print_end(&out);
}

// --- adding and removing ---------------------------------------------------------------------

bool kith_graph_add(kith_graph *graph, kith_system *system, char *cycle, size_t size)
{
    uint32_t number        = graph->count++;
    graph->systems[number] = system;
    link_systems(graph);
    bool acyclic = !kith_graph_precedes(graph, number, number);
    if (!acyclic) {
        write_cycle(graph, number, cycle, size);
        graph->count--;
        link_systems(graph);
    }
    order_systems(graph);
    return acyclic;
}

void kith_graph_remove(kith_graph *graph, const kith_system *system)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        graph->systems[kept] = graph->systems[i];
        kept += graph->systems[i] != system;
    }
    graph->count = kept;
    link_systems(graph);
    order_systems(graph);
}

// --- conflicts -------------------------------------------------------------------------------

// Returns whether both access the component and at least one writes it.
static bool both_touch(const kith_system *a, const kith_system *b, kith_component id)
{
    bool a_writes = kith_ids_have(a->writes, id);
    bool b_writes = kith_ids_have(b->writes, id);
    return (a_writes && (b_writes || kith_ids_have(b->reads, id))) ||
           (b_writes && kith_ids_have(a->reads, id));
}

bool kith_systems_conflict(const kith_world *world, const kith_system *a, const kith_system *b,
                           kith_component *component)
{
    const kith_storage *last  = kith_world_storage(world, *component);
    uint32_t            first = last == NULL ? 0 : last->order + 1;
    if (a->accesses_all || b->accesses_all) {
        *component = 0;
        return last == NULL;
    }
    for (uint32_t i = first; i < world->storage_count; i++) {
        *component = world->storages[i]->desc.id;
        if (both_touch(a, b, *component)) {
            return true;
        }
    }
    return false;
}
