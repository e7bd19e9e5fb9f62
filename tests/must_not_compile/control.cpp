// SPDX-License-Identifier: MIT
// The right uses next to the wrong ones that are compiled as C++: must compile.
#include "components.h"

KITH_QUERY(movers, write(position), read(mass), with(frozen), without(hidden));
KITH_GROUP(bodies, own(position), read(mass), with(frozen), without(hidden));
KITH_QUERY(moved, read(position), changed(position), added(frozen));
KITH_QUERY(marked, optional_write(mass), any(frozen, hidden), disabled(position), lead(position));
KITH_PATH(way, position, mass);

uint32_t right(kith_world *world)
{
    uint32_t count = 0;
    KITH_EACH(movers, m, world)
    {
        m.position->x += *m.mass;
        count += m.count;
    }
    return count;
}
