// SPDX-License-Identifier: MIT
// A field has the type of its component.
// expect: incompatible type
#include "components.h"

KITH_QUERY(movers, write(position), read(mass), with(frozen));

void wrong(kith_world *world)
{
    movers m = movers_begin(world);
    while (movers_next(&m)) {
        m.position->x = m.position; // error here
    }
}
