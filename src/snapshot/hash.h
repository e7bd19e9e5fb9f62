// SPDX-License-Identifier: MIT
// What of a world is its state, as hashes and differences see it: docs/hash.md.
#ifndef KITH_SNAPSHOT_HASH_H
#define KITH_SNAPSHOT_HASH_H

#include "world/group.h"

#include "kith/snapshot.h"

// Whether anybody has the component, or the singleton its value.
KITH_INTERNAL bool kith_storage_is_present(const kith_storage *storage);

// Whether what there is of the component is state, though in no form that can be looked at.
KITH_INTERNAL bool kith_storage_is_unsavable(const kith_storage *storage);

// Whether there is something of the component that is state.
KITH_INTERNAL bool kith_storage_is_state(const kith_storage *storage);

// The storages that count, by ascending names. Returns how many there are.
KITH_INTERNAL uint32_t kith_world_state_storages(const kith_world *world,
                                                 kith_storage     *sorted[KITH_COMPONENT_MAX]);

// Whether a checked system that has its turn may read all that; if not, `error` says so.
KITH_INTERNAL bool kith_world_may_read_state(const kith_world *world, const char *call,
                                             kith_error *error);

// Whether the group's order is state: it owns nothing, and no transient component decides who is in
// it.
KITH_INTERNAL bool kith_group_is_state(const kith_group *group);

// The components that members have, or, `barred`, do not have, by ascending names. Returns how many
// there are.
KITH_INTERNAL uint32_t kith_group_terms(const kith_group *group, bool barred,
                                        kith_storage *sorted[KITH_QUERY_TERMS_MAX]);

// A row's handle; of a hole, the row of the hole made before it, plus 1. No handle is that low.
static inline uint64_t kith_row_name(const kith_entity_table *table, const kith_sparse_set *set,
                                     uint32_t row)
{
    uint32_t index = *kith_sparse_set_packed(set, row);
    return (index & KITH_HOLE) != 0 ? kith_sparse_set_older_hole(set, row) + 1u
                                    : *kith_entity_slot_of(table, index);
}

static inline bool kith_name_is_hole(uint64_t name)
{
    return name <= UINT32_MAX;
}

// The hash of one value as it is saved; false, with an error that is told, when its function fails
// or memory runs out.
KITH_INTERNAL bool kith_value_hash(const kith_world *world, const kith_storage *storage,
                                   const void *value, uint64_t *hash);

// Whether every hash that is kept and counts as valid is that of what is there now. True
// while the world is held or a hook runs.
KITH_INTERNAL bool kith_world_hashes_agree(const kith_world *world);

// kith_world_hash_full, for another call.
KITH_INTERNAL bool kith_world_hash_for(const kith_world *world, uint64_t *hash, const char *call);

#endif
