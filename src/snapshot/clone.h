// SPDX-License-Identifier: MIT
// Makes a world that has the setup of another one.
#ifndef KITH_SNAPSHOT_CLONE_H
#define KITH_SNAPSHOT_CLONE_H

#include "world/world.h"

#include "kith/snapshot.h"

// Creates a world with the same setup and no entities. It reports no errors. Returns NULL when
// memory runs out.
KITH_INTERNAL kith_world *kith_world_empty_copy(const kith_world *world);

// Registers the components of `from`; hierarchies stay hierarchies.
KITH_INTERNAL bool kith_world_copy_components(kith_world *world, const kith_world *from);

#endif
