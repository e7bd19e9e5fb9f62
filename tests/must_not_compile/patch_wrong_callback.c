// SPDX-License-Identifier: MIT
// A patch function for another type.
// expect: incompatible (function )?pointer type
#include "components.h"

static void double_mass(float *mass, void *context)
{
    (void)context;
    *mass *= 2;
}

void wrong(kith_world *world, kith_entity entity)
{
    position_patch(world, entity, double_mass, NULL); // error here
}
