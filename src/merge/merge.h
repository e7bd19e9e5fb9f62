// SPDX-License-Identifier: MIT
// Grafting: the links of a hierarchy here become what they are there, where they changed there.
//
// Two things are remembered of a node: whose child it is, with its value's sum, and who its
// children are. Where the former changed the node leaves its parent here, all such nodes before any
// is put to its new place: then the links that are left are links there, too, and make no ring.
#ifndef KITH_MERGE_MERGE_H
#define KITH_MERGE_MERGE_H

#include "store/index_map.h"
#include "world/world.h"

#include "kith/hierarchy.h"

#include "kith/merge.h"

typedef struct kith_merge_hierarchy {
    kith_merge       *merge;
    const kith_world *there;
    uint32_t          storage; // its place, in both worlds
} kith_merge_hierarchy;

// The node with that index there, or NULL.
KITH_INTERNAL const kith_node *kith_merge_hierarchy_node(const kith_merge_hierarchy *tree,
                                                         uint32_t                    index);

// Numbers for whose child a node is, with whether its row is disabled, and for who its children
// are. Not 0.
KITH_INTERNAL uint64_t kith_merge_hierarchy_place(const kith_merge_hierarchy *tree, uint32_t index);
KITH_INTERNAL uint64_t kith_merge_hierarchy_children(const kith_merge_hierarchy *tree,
                                                     uint32_t                    index);

// Makes the links of all nodes, and remembers them.
KITH_INTERNAL void kith_merge_hierarchy_all(const kith_merge_hierarchy *tree);

// A sum as it is remembered: of a hash, and whether the row is disabled.
static inline uint64_t kith_merge_sum(uint64_t hash, bool disabled)
{
    uint64_t sum = hash << 1;
    return (sum == 0 ? 2 : sum) | disabled;
}

// Whom an entity there is here; KITH_NULL: nobody who lives.
static inline kith_entity kith_merge_follow(const kith_merge *merge, kith_entity remote)
{
    uint32_t    index = kith_entity_index(remote);
    bool        known = remote != KITH_NULL && kith_index_map_at(&merge->remote, index) == remote;
    kith_entity local = known ? kith_index_map_at(&merge->local, index) : KITH_NULL;
    return kith_entity_table_alive(&merge->world->entities, local) ? local : KITH_NULL;
}

#endif
