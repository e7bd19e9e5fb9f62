// SPDX-License-Identifier: MIT
// What saving and loading share.
#ifndef KITH_SNAPSHOT_SAVE_H
#define KITH_SNAPSHOT_SAVE_H

#include "snapshot/chunk.h"
#include "world/world.h"

// Why the world cannot be saved or loaded now, static text; NULL: it can.
KITH_INTERNAL const char *kith_world_restless(const kith_world *world);

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

#endif
