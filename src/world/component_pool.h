// SPDX-License-Identifier: MIT
// Rows: how many a component may have.
#ifndef KITH_WORLD_COMPONENT_POOL_H
#define KITH_WORLD_COMPONENT_POOL_H

#include "world/world.h"

// Whether room for so many rows may be made; if not it is an error.
KITH_INTERNAL bool kith_column_allows(kith_world *world, const kith_column *column, uint32_t rows,
                                      const char *call);

// The error of a limit that is below the rows that there are. Returns false.
KITH_INTERNAL bool kith_column_fail_limit(kith_world *world, const kith_column *column,
                                          uint32_t rows, const char *call);

#endif
