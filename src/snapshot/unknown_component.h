// SPDX-License-Identifier: MIT
// What a snapshot says of the world for which it was made: taken over by one that knows less.
#ifndef KITH_SNAPSHOT_UNKNOWN_COMPONENT_H
#define KITH_SNAPSHOT_UNKNOWN_COMPONENT_H

#include "world/world.h"

// Registers the components of a snapshot that the world does not have. On failure some may be
// registered: who calls drops them.
KITH_INTERNAL kith_result kith_world_adopt(kith_world *world, const void *bytes, size_t size);

// The column whose name the snapshot has, or NULL.
KITH_INTERNAL kith_column *kith_world_named(const kith_world *world, const char *name,
                                            uint32_t length);

#endif
