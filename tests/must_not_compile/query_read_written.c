// SPDX-License-Identifier: MIT
// A column to read, written to.
// expect: read-only|const-qualified
#include "components.h"

KITH_QUERY(movers, write(position), read(mass), with(frozen));

void wrong(kith_world *world)
{
    movers m = movers_begin(world);
    while (movers_next(&m)) {
        *m.mass = 1; // error here
    }
}
