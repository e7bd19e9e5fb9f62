// SPDX-License-Identifier: MIT
// What a file has of one component: rows, holes, values, flags, a singleton, exact ticks.
#ifndef KITH_SNAPSHOT_LOAD_COMPONENT_H
#define KITH_SNAPSHOT_LOAD_COMPONENT_H

#include "snapshot/load_state.h"

// Reads what is left of the present chunk, behind the component's number.
typedef bool (*kith_part_fn)(kith_loading *l, kith_loaded_part *part);

// Who reads chunks with this tag, and of which kinds of components they are, a bit each; NULL: they
// are not of one component.
KITH_INTERNAL kith_part_fn kith_part_reader(uint32_t tag, uint32_t *kinds);

#endif
