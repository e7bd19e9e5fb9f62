// SPDX-License-Identifier: MIT
// Nodes of a hierarchy: their links, read and written. What is called `tree` is the component.
//
//     parent --> first child <--> next <--> ... <--> last child, each with its parent
//
// A link is mutual: who is named names back. The values of a batch are in place before the add of
// each is heard, so until then a copied value has links that nobody returns; they count as none.
// So do links that somebody wrote through a pointer: a walk that only follows links which are
// returned, from a first child without siblings before it, meets nobody twice but the top.
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

// Whether those whom the entity names as its parent, or as the sibling before it, name it too.
static inline bool kith_node_is_listed(const kith_storage *tree, kith_entity entity,
                                       const kith_node *node)
{
    bool             leads = node->previous == KITH_NULL;
    const kith_node *names = kith_node_of(tree, leads ? node->parent : node->previous);
    return names != NULL && (leads ? names->first : names->next) == entity;
}

static inline kith_entity kith_node_first(const kith_storage *tree, kith_entity entity,
                                          const kith_node *node)
{
    const kith_node *first = kith_node_of(tree, node->first);
    return first != NULL && first->parent == entity && first->previous == KITH_NULL ? node->first
                                                                                    : KITH_NULL;
}

static inline kith_entity kith_node_last(const kith_storage *tree, kith_entity entity,
                                         const kith_node *node)
{
    const kith_node *last = kith_node_of(tree, node->last);
    return last != NULL && last->parent == entity && last->next == KITH_NULL ? node->last
                                                                             : KITH_NULL;
}

static inline kith_entity kith_node_next(const kith_storage *tree, kith_entity entity,
                                         const kith_node *node)
{
    const kith_node *next = kith_node_of(tree, node->next);
    return next != NULL && next->previous == entity && next->parent == node->parent ? node->next
                                                                                    : KITH_NULL;
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

// Makes links that nobody returns none. Writes, and so stamps, only where there is one.
KITH_INTERNAL void kith_node_clear_stale_links(kith_world *world, const kith_storage *tree,
                                               kith_entity entity);

KITH_INTERNAL void kith_node_unlink(kith_world *world, const kith_storage *tree,
                                    kith_entity entity);

// In front of the sibling `next_one`, or at the end.
KITH_INTERNAL void kith_node_link(kith_world *world, const kith_storage *tree,
                                  kith_entity parent_one, kith_entity entity, kith_entity next_one);

// Makes its children roots.
KITH_INTERNAL void kith_node_orphan_children(kith_world *world, kith_storage *tree,
                                             kith_entity entity);

// --- doubting --------------------------------------------------------------------------------

// Why the entity's links to its siblings and its parent contradict theirs, or NULL; the same of its
// children.
KITH_INTERNAL const char *kith_node_check_place(const kith_storage *tree, kith_entity entity,
                                                const kith_node *node);
KITH_INTERNAL const char *kith_node_check_children(const kith_storage *tree, kith_entity entity,
                                                   const kith_node *node);

// --- what calls of hierarchies share (hierarchy.c) -------------------------------------------

// The hierarchy for a call that writes, or NULL and an error.
KITH_INTERNAL kith_storage *kith_hierarchy_for_write(kith_world *world, kith_component component,
                                                     const char *call);

// Whether the entity lives, is not about to go, and, if it is a node, known as one; if not it is an
// error.
KITH_INTERNAL bool kith_require_linkable(kith_world *world, kith_storage *tree, kith_entity entity,
                                         const char *call);

// Why the links contradict each other, or NULL.
KITH_INTERNAL const char *kith_hierarchy_check_links(const kith_world   *world,
                                                     const kith_storage *tree);

// Whether the component is a hierarchy: its links are bytes, and its copy hook forgets them. Lets a
// component with the same id be a hierarchy as it is one elsewhere; false, with an error, when
// memory runs out.
KITH_INTERNAL bool kith_storage_is_hierarchy(const kith_storage *storage);
KITH_INTERNAL bool kith_hierarchy_register_like(kith_world *world, const kith_storage *from);

// Clones of nodes, and whom they are clones of.
typedef struct kith_cloned_nodes {
    const kith_storage    *from; // the originals' hierarchy
    const kith_handle_map *originals;
    const kith_entity     *clones;
    bool                  *alone; // room for one each: the clone has no links yet
} kith_cloned_nodes;

// Gives clones that are nodes alone the links that their originals have among each other, in the
// same order.
KITH_INTERNAL void kith_hierarchy_link_clones(kith_world *world, kith_storage *tree,
                                              const kith_cloned_nodes *kin);

#endif
