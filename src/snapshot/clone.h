// SPDX-License-Identifier: MIT
// Worlds made after another one.
#ifndef KITH_SNAPSHOT_CLONE_H
#define KITH_SNAPSHOT_CLONE_H

#include "world/world.h"

#include "kith/snapshot.h"

// A world of the same setup in which nobody lives, and which tells nobody of its errors; NULL when
// memory runs out.
KITH_INTERNAL kith_world *kith_world_empty_copy(const kith_world *world);

// The same with what of them is a hierarchy.
KITH_INTERNAL bool kith_world_copy_components(kith_world *world, const kith_world *from);

#endif
