// SPDX-License-Identifier: MIT
// A tag has no value to set.
// expect: implicit declaration of function .frozen_set.
#include "components.h"

void wrong(kith_world *world, kith_entity entity)
{
    frozen_set(world, entity, 1); // error here
}
