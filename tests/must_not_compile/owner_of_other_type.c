// SPDX-License-Identifier: MIT
// Asking for the owner of a value of another component.
// expect: incompatible pointer type
#include "components.h"

kith_entity wrong(const kith_world *world, const float *value)
{
    return position_owner(world, value); // error here
}
