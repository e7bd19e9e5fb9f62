// SPDX-License-Identifier: MIT
// A term that asks for changes hands out no value: read(position) beside it does.
// expect: no member named .position.
#include "components.h"

KITH_QUERY(moved, read(mass), changed(position));

float wrong(kith_world *world)
{
    moved m = moved_begin_since(world, 1);
    return moved_next(&m) ? m.position->x : 0; // error here
}
