// SPDX-License-Identifier: MIT
// A cursor of another query.
// expect: incompatible pointer type
#include "components.h"

KITH_QUERY(movers, write(position), read(mass), with(frozen));

KITH_QUERY(heavy, read(mass));

bool wrong(kith_world *world)
{
    movers m = movers_begin(world);
    return heavy_next(&m); // error here
}
