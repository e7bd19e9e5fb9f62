// SPDX-License-Identifier: MIT
// Loading a file that is in memory.
#ifndef KITH_SNAPSHOT_LOAD_H
#define KITH_SNAPSHOT_LOAD_H

#include "snapshot/chunk.h"
#include "world/world.h"

// A file to be loaded.
typedef struct kith_loadable {
    kith_source file;
    kith_source whole; // from which it was made by choosing entities, for the turns of queries and
                       // systems; or nothing
    bool exact;        // whether its state is, once it is loaded
} kith_loadable;

// Loads it, all or nothing, whatever the description says of entities. The world rests.
KITH_INTERNAL kith_result kith_load(kith_world *world, const kith_load_desc *desc,
                                    kith_loadable *from);

#endif
