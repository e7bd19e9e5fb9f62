// SPDX-License-Identifier: MIT
#include "snapshot/staging_runtime.h"

static const kith_graph *graph_of(const kith_world *world)
{
    return world->schedule == NULL ? NULL : &world->schedule->graph;
}

static size_t recall_bytes(const kith_recall *recall)
{
    return recall->query_count * sizeof *recall->queries +
           recall->system_count * sizeof *recall->systems +
           recall->queue_count * sizeof *recall->queues;
}

static void count_recalled(kith_recall *recall, kith_world *world)
{
    const kith_graph *graph = graph_of(world);
    *recall = (kith_recall){ .world = world, .system_count = graph == NULL ? 0 : graph->count };
    for (const kith_query *query = world->queries; query != NULL; query = query->next) {
        recall->query_count++;
    }
    for (const kith_queue *queue = world->queues; queue != NULL; queue = queue->next_queue) {
        recall->queue_count++;
    }
}

KITH_INTERNAL bool kith_recall_begin(kith_recall *recall, kith_world *world)
{
    count_recalled(recall, world);
    size_t bytes = recall_bytes(recall);
    if (bytes == 0) {
        return true;
    }
    recall->queries = kith_memory_take_zeroed(&world->memory, bytes, KITH_CACHE_LINE);
    if (recall->queries == NULL) {
        return false;
    }
    recall->systems = (kith_recalled_system *)(void *)(recall->queries + recall->query_count);
    recall->queues  = (kith_recalled_queue *)(void *)(recall->systems + recall->system_count);
    for (uint32_t i = 0; i < recall->system_count; i++) {
        const kith_system *system  = graph_of(world)->systems[i];
        recall->systems[i].waited  = system->waited;
        recall->systems[i].due     = system->due;
        recall->systems[i].enabled = system->enabled;
    }
    return true;
}

KITH_INTERNAL void kith_recall_end(kith_recall *recall)
{
    const kith_queue *queue = recall->world->queues;
    for (uint32_t i = 0; i < recall->queue_count; i++, queue = queue->next_queue) {
        kith_queue_give_buffer(queue, &recall->queues[i].waiting);
    }
    kith_memory_give(&recall->world->memory, recall->queries, recall_bytes(recall),
                     KITH_CACHE_LINE);
}

static void exchange_system(kith_recalled_system *recalled, kith_system *system)
{
    const kith_recalled_system before = { .tick    = system->tick,
                                          .waited  = system->waited,
                                          .due     = system->due,
                                          .enabled = system->enabled,
                                          .given   = recalled->given };
    system->tick                      = recalled->tick;
    system->waited                    = recalled->waited;
    system->due                       = recalled->due;
    system->enabled                   = recalled->enabled;
    *recalled                         = before;
}

KITH_INTERNAL void kith_recall_exchange(kith_recall *recall, bool events)
{
    kith_query *query = recall->world->queries;
    kith_queue *queue = recall->world->queues;
    for (uint32_t i = 0; i < recall->query_count; i++, query = query->next) {
        uint64_t since = query->desc.since;
        kith_query_note_since(query, recall->queries[i].since);
        recall->queries[i].since = since;
    }
    for (uint32_t i = 0; i < recall->system_count; i++) {
        exchange_system(&recall->systems[i], graph_of(recall->world)->systems[i]);
    }
    for (uint32_t i = 0; i < recall->queue_count && events; i++, queue = queue->next_queue) {
        kith_buffer waiting       = queue->waiting;
        queue->waiting            = recall->queues[i].waiting;
        recall->queues[i].waiting = waiting;
    }
}
