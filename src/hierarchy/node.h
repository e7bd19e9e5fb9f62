// SPDX-License-Identifier: MIT
// Nodes of a hierarchy: reading, writing and checking their links. `tree` is the component.
//
//     parent --> first child <--> next <--> ... <--> last child, each with its parent
//
// Invariant: a link is mutual, the linked node links back. Two cases break it for a while: a batch
// writes copied values before it announces each add, and a caller may write links through a
// pointer. A link that is not mutual counts as none. A walk follows mutual links only, from a first
// child without a previous sibling, so it visits no node twice except the top.
#ifndef KITH_HIERARCHY_NODE_H
#define KITH_HIERARCHY_NODE_H

#include "kith/hierarchy.h"

#include "world/world.h"

// --- reading ---------------------------------------------------------------------------------

static inline const kith_node *kith_node_of(const kith_storage *tree, kith_entity entity)
{
    return kith_find_(&tree->pool.set.head, entity, sizeof(kith_node),
                      KITH_SHIFT_(sizeof(kith_node)));
}

// Returns whether the previous sibling, or the parent of a first child, links back to the entity.
static inline bool kith_node_is_listed(const kith_storage *tree, kith_entity entity,
                                       const kith_node *node)
{
    bool             first = node->previous == KITH_NULL;
    const kith_node *other = kith_node_of(tree, first ? node->parent : node->previous);
    return other != NULL && (first ? other->first : other->next) == entity;
}

// The next four functions return KITH_NULL instead of a link that is not mutual.
static inline kith_entity kith_node_first(const kith_storage *tree, kith_entity entity,
                                          const kith_node *node)
{
    const kith_node *first  = kith_node_of(tree, node->first);
    bool             mutual = first != NULL && first->parent == entity;
    return mutual && first->previous == KITH_NULL ? node->first : KITH_NULL;
}

static inline kith_entity kith_node_last(const kith_storage *tree, kith_entity entity,
                                         const kith_node *node)
{
    const kith_node *last   = kith_node_of(tree, node->last);
    bool             mutual = last != NULL && last->parent == entity;
    return mutual && last->next == KITH_NULL ? node->last : KITH_NULL;
}

static inline kith_entity kith_node_next(const kith_storage *tree, kith_entity entity,
                                         const kith_node *node)
{
    const kith_node *next   = kith_node_of(tree, node->next);
    bool             mutual = next != NULL && next->previous == entity;
    return mutual && next->parent == node->parent ? node->next : KITH_NULL;
}

static inline kith_entity kith_node_previous(const kith_storage *tree, kith_entity entity,
                                             const kith_node *node)
{
    const kith_node *previous = kith_node_of(tree, node->previous);
    bool             mutual   = previous != NULL && previous->next == entity;
    return mutual && previous->parent == node->parent ? node->previous : KITH_NULL;
}

// --- writing ---------------------------------------------------------------------------------

KITH_INTERNAL kith_node *kith_node_for_write(kith_world *world, const kith_storage *tree,
                                             kith_entity entity);

// Clears links that are not mutual. Writes, and so marks the node as changed, only if there are
// any.
KITH_INTERNAL void kith_node_clear_stale_links(kith_world *world, const kith_storage *tree,
                                               kith_entity entity);

KITH_INTERNAL void kith_node_unlink(kith_world *world, const kith_storage *tree,
                                    kith_entity entity);

// Makes the entity a child, before the sibling `next_one`, or the last one if that is KITH_NULL.
KITH_INTERNAL void kith_node_link(kith_world *world, const kith_storage *tree,
                                  kith_entity parent_one, kith_entity entity, kith_entity next_one);

// Makes all children of the entity roots.
KITH_INTERNAL void kith_node_orphan_children(kith_world *world, kith_storage *tree,
                                             kith_entity entity);

// --- checking --------------------------------------------------------------------------------

// Return what is wrong, or NULL: with the links to the parent and the siblings, or to the children.
KITH_INTERNAL const char *kith_node_check_place(const kith_storage *tree, kith_entity entity,
                                                const kith_node *node);
KITH_INTERNAL const char *kith_node_check_children(const kith_storage *tree, kith_entity entity,
                                                   const kith_node *node);

// --- hierarchies (hierarchy.c) ---------------------------------------------------------------

// Returns the hierarchy for a call that writes, or NULL and reports an error.
KITH_INTERNAL kith_storage *kith_hierarchy_for_write(kith_world *world, kith_component component,
                                                     const char *call);

// Returns whether links of the entity may change: it is alive, not being destroyed, and a pending
// add event is not about its node. Otherwise reports an error.
KITH_INTERNAL bool kith_require_linkable(kith_world *world, kith_storage *tree, kith_entity entity,
                                         const char *call);

// Returns what is wrong with the links of the whole hierarchy, or NULL.
KITH_INTERNAL const char *kith_hierarchy_check_links(const kith_world   *world,
                                                     const kith_storage *tree);

// Makes the component with the same id in `world` a hierarchy with the policy of `from`. Returns
// false and reports an error when memory runs out.
KITH_INTERNAL bool kith_hierarchy_register_like(kith_world *world, const kith_storage *from);

// Clones of nodes, with their originals: clones[i] is the clone of originals[i].
typedef struct kith_cloned_nodes {
    const kith_storage    *from; // the hierarchy of the originals
    const kith_handle_map *originals;
    const kith_entity     *clones;
    bool                  *alone; // written here: clone i is a node without links
} kith_cloned_nodes;

// Links clones without links as their originals are linked among each other, in the same order.
KITH_INTERNAL void kith_hierarchy_link_clones(kith_world *world, kith_storage *tree,
                                              const kith_cloned_nodes *nodes);

#endif
