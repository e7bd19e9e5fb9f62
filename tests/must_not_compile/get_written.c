// SPDX-License-Identifier: MIT
// Writing through what get returned.
// expect: read-only|returns a const value
#include "components.h"

void wrong(const kith_world *world, kith_entity entity)
{
    position_get(world, entity)->x = 1; // error here
}
