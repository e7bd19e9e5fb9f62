// SPDX-License-Identifier: MIT
// What a stage knows of a world beside its entities and pools: from when on changes count for
// stored queries, which turns systems had, which events wait.
//
// Unless the caller says otherwise, everything is new to queries and systems. Events are those that
// the caller gives, or, where the state is not exact, those that wait already.
#ifndef KITH_SNAPSHOT_STAGING_RUNTIME_H
#define KITH_SNAPSHOT_STAGING_RUNTIME_H

#include "system/system.h"

typedef struct kith_recalled_query {
    uint64_t since;
    bool     given; // by the caller
} kith_recalled_query;

typedef struct kith_recalled_system {
    uint64_t tick;
    double   waited;
    bool     due;
    bool     enabled;
    bool     given;
} kith_recalled_system;

typedef struct kith_recalled_queue {
    kith_buffer waiting;
    bool        given;
} kith_recalled_queue;

typedef struct kith_recall {
    kith_world           *world;
    kith_recalled_query  *queries; // as the world lists them; one block with the others
    kith_recalled_system *systems; // by creation
    kith_recalled_queue  *queues;  // as the world lists them
    uint32_t              query_count;
    uint32_t              system_count;
    uint32_t              queue_count;
} kith_recall;

// False when memory runs out, with nothing to end.
KITH_INTERNAL bool kith_recall_begin(kith_recall *recall, kith_world *world);
KITH_INTERNAL void kith_recall_end(kith_recall *recall);

// Exchanges what is here with what the world has, `events` included or not.
KITH_INTERNAL void kith_recall_exchange(kith_recall *recall, bool events);

#endif
