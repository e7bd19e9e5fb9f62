// SPDX-License-Identifier: MIT
// Limits: room that is made ahead, for a set of components or for all that a world does.
#ifndef KITH_LIMIT_H
#define KITH_LIMIT_H

#include "world.h"

// Gives back what was reserved for the time of calls; and that for singletons, too.
KITH_INTERNAL void kith_world_give_scratch(kith_world *world);
KITH_INTERNAL void kith_world_give_reserve(kith_world *world);

#endif
