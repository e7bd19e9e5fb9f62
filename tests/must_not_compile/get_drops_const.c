// SPDX-License-Identifier: MIT
// get gives a value to read; mut is the one to change it.
// expect: discards
#include "components.h"

void wrong(const kith_world *world, kith_entity entity)
{
    vec2 *place = position_get(world, entity); // error here
    place->x    = 1;
}
