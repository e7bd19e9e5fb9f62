// SPDX-License-Identifier: MIT
// A key field that the type does not have.
// expect: no member named 'z'|has no member named
#include "components.h"

bool wrong(kith_world *world)
{
    return position_sort_by(world, KITH_KEY(vec2, z)); // error here, through a macro
}
