// SPDX-License-Identifier: MIT
// Nodes of a hierarchy: reading, writing and checking their links. `tree` is the component.
//
//     parent --> first child <--> next <--> ... <--> last child, each with its parent
//
// Invariant: a link is mutual, the linked node links back. Two cases break it for a while: a batch
// writes copied values before it announces each add, and a caller may write links through a
// pointer. A link that is not mutual counts as none. A walk follows mutual links only, from a first
// child without a previous sibling, so it visits no node twice except the top.
#pragma once

#include "kith/hierarchy.h"

#include "world/world.h"

// --- reading ---------------------------------------------------------------------------------

// Returns the node of an entity, or NULL. Inline for loops; other code calls kith_place_of.
static inline const kith_node *kith_node_of(const kith_storage *tree, kith_entity entity)
{
    return kith_find_(&tree->pool.set.head, entity, sizeof(kith_node),
                      KITH_SHIFT_(sizeof(kith_node)));
}

// An entity and its node; NULL if it is no node.
typedef struct kith_place {
    kith_entity      entity;
    const kith_node *node;
} kith_place;

// Returns the place of an entity; KITH_NULL and NULL if it is no node.
kith_place kith_place_of(const kith_storage *tree, kith_entity entity);

// --- writing ---------------------------------------------------------------------------------

// Clears links of a node that are not mutual. Writes, and so marks the node as changed, only if
// there are any. Does nothing if the entity is no node.
void kith_node_clear_stale_links(const kith_storage *tree, kith_entity entity);

void kith_node_unlink(const kith_storage *tree, kith_entity entity);

// Makes the entity a child, before the sibling `next_one`, or the last one if that is KITH_NULL.
void kith_node_link(const kith_storage *tree, kith_entity parent_one, kith_entity entity,
                    kith_entity next_one);

// Makes the entity and all its children roots.
void kith_node_isolate(kith_storage *tree, kith_entity entity);

// Sorts the children, whose links are mutual. Equal children keep their order.
void kith_node_sort_children(const kith_storage *tree, kith_entity parent,
                             kith_compare_entities_fn compare, void *context);

// --- checking --------------------------------------------------------------------------------

// Return what is wrong, or NULL: with the links to the parent and the siblings, or to the children.
const char *kith_node_check_place(const kith_storage *tree, kith_place at);
const char *kith_node_check_children(const kith_storage *tree, kith_place at);

// --- cloning (hierarchy.c) -------------------------------------------------------------------

// Makes the component with the same id in `world` a hierarchy with the policy of `from`. Returns
// false and reports an error when memory runs out.
bool kith_hierarchy_register_like(kith_world *world, const kith_storage *from);

// Clones of nodes, with their originals: clones[i] is the clone of originals[i].
typedef struct kith_cloned_nodes {
    const kith_storage    *from; // the hierarchy of the originals
    const kith_handle_map *originals;
    const kith_entity     *clones;
    bool                  *alone; // written here: clone i is a node without links
} kith_cloned_nodes;

// Links clones without links as their originals are linked among each other, in the same order.
void kith_hierarchy_link_clones(kith_storage *tree, const kith_cloned_nodes *nodes);
