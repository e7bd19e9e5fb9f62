// SPDX-License-Identifier: MIT
// The compiler knows better: did you mean position_set?
// expect: implicit declaration of function .positon_set.
#include "components.h"

void wrong(kith_world *world, kith_entity entity)
{
    positon_set(world, entity, (vec2){ 1, 2 }); // error here
}
