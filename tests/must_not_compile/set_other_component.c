// SPDX-License-Identifier: MIT
// A value of another component's type.
// expect: incompatible type
#include "components.h"

void wrong(kith_world *world, kith_entity entity)
{
    mass_set(world, entity, (vec2){ 1, 2 }); // error here
}
