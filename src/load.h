// SPDX-License-Identifier: MIT
// Loading a file that is in memory.
#ifndef KITH_LOAD_H
#define KITH_LOAD_H

#include "format.h"
#include "world.h"

// Loads a file, all or nothing, whatever the description says of entities. `whole`: the file from
// which it was made by choosing entities, which has the turns of queries and systems; or nothing.
// Says whether its state is exact. The world rests.
KITH_INTERNAL kith_result kith_load(kith_world *world, const kith_load_desc *desc, kith_source file,
                                    kith_source whole, bool *exact);

#endif
