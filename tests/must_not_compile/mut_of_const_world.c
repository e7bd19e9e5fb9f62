// SPDX-License-Identifier: MIT
// Changing through a world that is only to be read.
// expect: discards
#include "components.h"

void wrong(const kith_world *world, kith_entity entity)
{
    position_mut(world, entity)->x = 1; // error here
}
