// SPDX-License-Identifier: MIT
// The pool of another component.
// expect: incompatible type
#include "components.h"

const void *wrong(const kith_world *world, kith_entity entity)
{
    return mass_in(position_pool(world), entity); // error here
}
