// SPDX-License-Identifier: MIT
// Only terms with values have fields.
// expect: no member named .frozen.
#include "components.h"

KITH_QUERY(movers, write(position), read(mass), with(frozen));

void wrong(kith_world *world)
{
    movers m = movers_begin(world);
    while (movers_next(&m)) {
        m.position->x = m.frozen != NULL; // error here
    }
}
