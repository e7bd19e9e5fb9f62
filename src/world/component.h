// SPDX-License-Identifier: MIT
// Components of an entity: what the calls over all rows need of it.
#ifndef KITH_WORLD_COMPONENT_H
#define KITH_WORLD_COMPONENT_H

#include "world/world.h"

// Takes a component that it has from an entity, and tells of it before. False, with an error, when
// it is going already or cannot be told.
KITH_INTERNAL bool kith_component_remove_from(kith_world *world, kith_storage *storage,
                                              kith_entity entity, const char *call);

// --- component_pool ------------------------------------------------------------
//
// Rows: how many a component may have.

// Whether room for so many rows may be made; if not it is an error.
KITH_INTERNAL bool kith_storage_allows(kith_world *world, const kith_storage *storage,
                                       uint32_t rows, const char *call);

// The error of a limit that is below the rows that there are. Returns false.
KITH_INTERNAL bool kith_storage_fail_limit(kith_world *world, const kith_storage *storage,
                                           uint32_t rows, const char *call);

// --- registering -----------------------------------------------------------------------------

// Forgets the components beyond the first `keep`, which were just registered.
KITH_INTERNAL void kith_world_drop_storages(kith_world *world, uint32_t keep);

// Registers the components of another world in one that has none; false, with an error, when memory
// runs out.
KITH_INTERNAL bool kith_world_copy_storages(kith_world *world, const kith_world *from);

// --- opaque_value ------------------------------------------------------------
//
// Values that somebody else's functions wrote: bytes that are kept, copied and written again.

// Gives the description size, hooks and functions of such values, whose bytes come from `memory`
// for as long as there is a component like that.
KITH_INTERNAL void kith_opaque_describe(kith_component_desc *desc, const kith_allocator *memory,
                                        kith_saver *saver);

// Whether the description is of such values.
KITH_INTERNAL bool kith_is_opaque(const kith_component_desc *desc);

#endif
