// SPDX-License-Identifier: MIT
// A loop with a const world: begin_read is the one for reading.
// expect: discards
#include "components.h"

KITH_QUERY(movers, write(position), read(mass), with(frozen));

bool wrong(const kith_world *world)
{
    return movers_begin(world).failed; // error here
}
