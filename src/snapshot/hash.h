// SPDX-License-Identifier: MIT
// What of a world is its state: hashes and differences look at nothing else. See docs/hash.md.
//
//     state        entities and free indices; components that are not transient; the order of
//                  groups that own no pool; paths
//     not state    transient components, ticks, journals, reactive sets, queries, systems, events
#pragma once

#include "world/membership.h"

#include "kith/snapshot.h"

// Whether the component has values but no save form: then they can be neither hashed nor compared.
bool kith_storage_is_unsavable(const kith_storage *storage);

// Whether the component is not transient and has rows or values.
bool kith_storage_is_state(const kith_storage *storage);

// Lists the storages that are state, sorted by name. Returns their count.
uint32_t kith_world_state_storages(const kith_world *world,
                                   kith_storage     *sorted[KITH_COMPONENT_MAX]);

// Whether all state can be hashed or compared: the running system may read it, and every component
// has a save form. If not, fills `error`. Looks at the components of a selection if `only` is set.
bool kith_world_may_read_state(const kith_world *world, const kith_save_desc *only,
                               const char *call, kith_error *error);

// Whether the group's order is state: it owns no pool, and none of its terms is transient.
bool kith_group_is_state(const kith_group *group);

// Lists the components that members must have, or with `excluded` must not have, sorted by name.
// Returns their count.
uint32_t kith_group_terms(const kith_group *group, bool excluded,
                          kith_storage *sorted[KITH_QUERY_TERMS_MAX]);

// Goes to the next path with components that are not transient, and lists these. Returns their
// count; 0: there is no such path.
uint32_t kith_path_list(const kith_path **next, kith_storage *storages[KITH_PATH_COMPONENTS_MAX]);

// The name of a row: the handle of its entity; for a hole, 1 + the row of the next older hole. A
// handle is always larger than UINT32_MAX.
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

// Hashes one value in its saved form. Returns false and reports an error of `call` when its write
// function fails or memory runs out.
bool kith_value_hash(const kith_world *world, const kith_storage *storage, const void *value,
                     uint64_t *hash, const char *call);

// Whether every cached hash that counts as valid equals a fresh one. Returns true without a check
// while the world is held or a hook runs.
bool kith_world_hashes_agree(const kith_world *world);

// kith_world_hash_full, with the name of another call for errors.
bool kith_world_hash_for(const kith_world *world, uint64_t *hash, const char *call);

// --- content (content.c) ---------------------------------------------------------------------
//
// Content is what the entities have, without rows and orders of rows. Its hash is a sum of terms: a
// change of one component changes one term.

// The content of a world, or a part of it.
typedef struct kith_content {
    const kith_world     *world;
    const kith_save_desc *selection; // its components and entities count
    const char           *call;      // for errors
    bool                 *listed;    // by index: the entity is selected; NULL: all are
} kith_content;

// Sums of a component of one entity. `value` is 0 if the entity does not have it; its lowest bit
// says whether the row is disabled. `children` is 0 unless the component is a hierarchy.
typedef struct kith_content_sums {
    uint64_t value;
    uint64_t children;
} kith_content_sums;

// Sums a component of an entity; KITH_NULL stands for a singleton. Returns false and reports an
// error like kith_value_hash.
bool kith_content_sum(const kith_content *c, const kith_storage *storage, kith_entity entity,
                      kith_content_sums *sums);

// Sum a node, which is selected: its parent with the disabled bit; its children and their order.
uint64_t kith_content_sum_parent(const kith_content *c, const kith_storage *tree,
                                 kith_entity entity);
uint64_t kith_content_sum_children(const kith_content *c, const kith_storage *tree,
                                   kith_entity entity);
