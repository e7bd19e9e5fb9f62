// SPDX-License-Identifier: MIT
// A number where the component is a struct.
// expect: incompatible type
#include "components.h"

void wrong(kith_world *world, kith_entity entity)
{
    position_set(world, entity, 3); // error here
}
