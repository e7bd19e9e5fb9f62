// SPDX-License-Identifier: MIT
// What a snapshot says of the world for which it was made: taken over by one that knows less.
#ifndef KITH_ADOPT_H
#define KITH_ADOPT_H

#include "world.h"

// Registers the components of a snapshot that the world does not have. On failure some may be
// registered: who calls drops them.
KITH_INTERNAL kith_result kith_world_adopt(kith_world *world, const void *bytes, size_t size);

// As kith_snapshot_world_desc. A world takes memory for indices that are reserved, or queue from
// the start, when it is made: `most` bytes, as in kith_load_desc.
KITH_INTERNAL kith_result kith_snapshot_settings(const void *bytes, size_t size, size_t most,
                                                 kith_world_desc *desc);

// The column whose name the snapshot has, or NULL.
KITH_INTERNAL kith_column *kith_world_named(const kith_world *world, const char *name,
                                            uint32_t length);

#endif
