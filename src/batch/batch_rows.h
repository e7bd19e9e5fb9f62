// SPDX-License-Identifier: MIT
// Placing: the rows of gifts, with their values, or nothing at all.
#ifndef KITH_BATCH_BATCH_ROWS_H
#define KITH_BATCH_BATCH_ROWS_H

#include "batch/batch_item.h"

// Secures all memory, makes all values, and adds the rows; counts the living. False when something
// is in the way: why is in `error`, and kith_place_undo follows.
KITH_INTERNAL bool kith_place_all(kith_give *give);
KITH_INTERNAL void kith_place_undo(kith_give *give);

#endif
