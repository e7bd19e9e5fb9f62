// SPDX-License-Identifier: MIT
// Components of an entity: what the calls over all rows need of it.
#ifndef KITH_WORLD_COMPONENT_H
#define KITH_WORLD_COMPONENT_H

#include "world/world.h"

// Takes a component that it has from an entity, and tells of it before. False, with an error, when
// it is going already or cannot be told.
KITH_INTERNAL bool kith_component_take(kith_world *world, kith_column *column, kith_entity entity,
                                       const char *call);

#endif
