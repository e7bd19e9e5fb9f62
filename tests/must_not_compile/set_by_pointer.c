// SPDX-License-Identifier: MIT
// The address of a value where the value belongs.
// expect: incompatible type
#include "components.h"

void wrong(kith_world *world, kith_entity entity)
{
    vec2 value = { 1, 2 };
    position_set(world, entity, &value); // error here
}
