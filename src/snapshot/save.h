// SPDX-License-Identifier: MIT
// What saving and loading share.
#ifndef KITH_SNAPSHOT_SAVE_H
#define KITH_SNAPSHOT_SAVE_H

#include "snapshot/chunk.h"
#include "world/world.h"

// Why the world cannot be saved or loaded now, static text; NULL: it can.
KITH_INTERNAL const char *kith_world_busy_reason(const kith_world *world);

// Saves the world, whatever the description says of entities. The turns of queries and systems are
// those of `turns`, which may be another world.
KITH_INTERNAL kith_result kith_save(const kith_world *world, const kith_world *turns,
                                    const kith_save_desc *desc, kith_writer writer);

// Whether the component is in a list of them.
static inline bool kith_component_listed(const kith_component *list, uint32_t count,
                                         kith_component component)
{
    bool listed = false;
    for (uint32_t i = 0; i < count && !listed; i++) {
        listed = list[i] == component;
    }
    return listed;
}

// --- save_exact ------------------------------------------------------------
//
// The chunks of exact state, in the order of docs/format.md.

// NULL, or the name of a queue whose events cannot be saved.
KITH_INTERNAL const char *kith_exact_unsavable_queue(const kith_world *world);

// Stamps, row ticks and the journal of a component, which has this number in the file.
KITH_INTERNAL void kith_exact_write_storage(kith_writer *writer, const kith_storage *storage,
                                            uint32_t number);

// Sets and events of the world; queries and systems.
KITH_INTERNAL void kith_exact_write_events(kith_writer *writer, const kith_world *world);
KITH_INTERNAL void kith_exact_write_systems(kith_writer *writer, const kith_world *world);

// A value through functions: how many bytes, and the bytes.
KITH_INTERNAL void kith_writer_blob(kith_writer *writer, const kith_saver *by, const void *value);

#endif
