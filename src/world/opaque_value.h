// SPDX-License-Identifier: MIT
// Values that somebody else's functions wrote: bytes that are kept, copied and written again.
#ifndef KITH_WORLD_OPAQUE_VALUE_H
#define KITH_WORLD_OPAQUE_VALUE_H

#include "base/alloc.h"

// Gives the description size, hooks and functions of such values, whose bytes come from `memory`
// for as long as there is a component like that.
KITH_INTERNAL void kith_opaque_describe(kith_component_desc *desc, const kith_allocator *memory,
                                        kith_saver *saver);

// Whether the description is of such values.
KITH_INTERNAL bool kith_is_opaque(const kith_component_desc *desc);

#endif
