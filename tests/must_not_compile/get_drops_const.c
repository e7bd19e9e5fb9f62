// SPDX-License-Identifier: MIT
// get returns a value to read; mut returns one to change.
// expect: discards
#include "components.h"

void wrong(const kith_world *world, kith_entity entity)
{
    vec2 *place = position_get(world, entity); // error here
    place->x    = 1;
}
