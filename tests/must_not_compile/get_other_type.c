// SPDX-License-Identifier: MIT
// A float pointer to a struct.
// expect: incompatible pointer type
#include "components.h"

float wrong(const kith_world *world, kith_entity entity)
{
    const float *x = position_get(world, entity); // error here
    return *x;
}
