// SPDX-License-Identifier: MIT
// The entity where the world belongs.
// expect: makes pointer from integer|incompatible integer to pointer
#include "components.h"

void wrong(kith_world *world, kith_entity entity)
{
    position_remove(entity, world); // error here
}
