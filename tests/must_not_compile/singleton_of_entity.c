// SPDX-License-Identifier: MIT
// A singleton belongs to the world, not to an entity.
// expect: too many arguments
#include "components.h"

void wrong(kith_world *world, kith_entity entity)
{
    season_set(world, entity, 3); // error here
}
