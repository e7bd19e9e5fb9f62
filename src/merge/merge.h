// SPDX-License-Identifier: MIT
// Merging a snapshot into a living world. "Here" is this world, "there" the world of the snapshot.
//
//     snapshot --load--> there --compare with the sums of the last merge--> changes --> here
//
// Hierarchies: a merge keeps two sums of each node there, of its parent and of its children. A node
// with a changed parent sum leaves its parent here. All such nodes leave before one gets its new
// parent: the links that stay exist there too, so no cycle can form.
#ifndef KITH_MERGE_MERGE_H
#define KITH_MERGE_MERGE_H

#include "merge/index_map.h"
#include "world/world.h"

#include "kith/hierarchy.h"

#include "kith/merge.h"

typedef struct kith_merge_hierarchy {
    kith_merge       *merge;
    const kith_world *there;
    uint32_t          storage; // its index in both worlds
} kith_merge_hierarchy;

// Returns the node of an entity there, or NULL.
KITH_INTERNAL const kith_node *kith_merge_hierarchy_node(const kith_merge_hierarchy *tree,
                                                         uint32_t                    index);

// Sums of a node's parent, with the disabled bit of its row, and of its children. Never 0.
KITH_INTERNAL uint64_t kith_merge_hierarchy_place(const kith_merge_hierarchy *tree, uint32_t index);
KITH_INTERNAL uint64_t kith_merge_hierarchy_children(const kith_merge_hierarchy *tree,
                                                     uint32_t                    index);

// Sets the links of all nodes here, and stores their sums.
KITH_INTERNAL void kith_merge_hierarchy_all(const kith_merge_hierarchy *tree);

// A stored sum: the lowest bit says whether the row is disabled. 0 means "not there".
static inline uint64_t kith_merge_sum(uint64_t hash, bool disabled)
{
    uint64_t sum = hash << 1;
    return (sum == 0 ? 2 : sum) | disabled;
}

// Returns the living entity here that `remote` maps to, or KITH_NULL.
static inline kith_entity kith_merge_follow(const kith_merge *merge, kith_entity remote)
{
    uint32_t    index = kith_entity_index(remote);
    bool        known = remote != KITH_NULL && kith_index_map_at(&merge->remote, index) == remote;
    kith_entity local = known ? kith_index_map_at(&merge->local, index) : KITH_NULL;
    return kith_entity_table_alive(&merge->object.world->entities, local) ? local : KITH_NULL;
}

#endif
