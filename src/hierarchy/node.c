// SPDX-License-Identifier: MIT
// Links of one node: adding, removing, and checking that they agree.
#include "hierarchy/node.h"

// Out of line: many functions write links, and only reading is hot.
KITH_NOINLINE KITH_INTERNAL kith_node *
kith_node_for_write(kith_world *world, const kith_storage *tree, kith_entity entity)
{
    return kith_mut_(world, entity, tree->desc.id, sizeof(kith_node),
                     KITH_SHIFT_(sizeof(kith_node)));
}

KITH_INTERNAL void kith_node_clear_stale_links(kith_world *world, const kith_storage *tree,
                                               kith_entity entity)
{
    const kith_node *node  = kith_node_of(tree, entity);
    const kith_node *child = kith_node_of(tree, node->first);
    kith_entity      above = node->parent | node->previous | node->next;
    kith_entity      below = node->first | node->last | node->count;
    if (above != KITH_NULL && !kith_node_is_listed(tree, entity, node)) {
        kith_node *stale = kith_node_for_write(world, tree, entity);
        stale->parent = stale->previous = stale->next = KITH_NULL;
    }
    if (below != KITH_NULL && (child == NULL || child->parent != entity)) {
        kith_node *stale = kith_node_for_write(world, tree, entity);
        stale->first = stale->last = KITH_NULL;
        stale->count               = 0;
    }
}

// --- links -----------------------------------------------------------------------------------

KITH_INTERNAL void kith_node_unlink(kith_world *world, const kith_storage *tree, kith_entity entity)
{
    kith_node *node   = kith_node_for_write(world, tree, entity);
    kith_node *parent = kith_node_for_write(world, tree, node->parent);
    if (parent == NULL) {
        return;
    }
    kith_node *previous = kith_node_for_write(world, tree, node->previous);
    kith_node *next     = kith_node_for_write(world, tree, node->next);
    *(previous == NULL ? &parent->first : &previous->next) = node->next;
    *(next == NULL ? &parent->last : &next->previous)      = node->previous;
    parent->count--;
    node->parent = node->previous = node->next = KITH_NULL;
}

KITH_INTERNAL void kith_node_link(kith_world *world, const kith_storage *tree,
                                  kith_entity parent_one, kith_entity entity, kith_entity next_one)
{
    kith_node *node     = kith_node_for_write(world, tree, entity);
    kith_node *parent   = kith_node_for_write(world, tree, parent_one);
    kith_node *next     = kith_node_for_write(world, tree, next_one);
    node->parent        = parent_one;
    node->next          = next_one;
    node->previous      = next == NULL ? parent->last : next->previous;
    kith_node *previous = kith_node_for_write(world, tree, node->previous);
    *(previous == NULL ? &parent->first : &previous->next) = entity;
    *(next == NULL ? &parent->last : &next->previous)      = entity;
    parent->count++;
}

KITH_INTERNAL void kith_node_orphan_children(kith_world *world, kith_storage *tree,
                                             kith_entity entity)
{
    kith_node *node   = kith_node_for_write(world, tree, entity);
    kith_node *orphan = kith_node_for_write(world, tree, node->first);
    tree->relinked += orphan != NULL;
    while (orphan != NULL && orphan->parent == entity) {
        kith_entity next = orphan->next;
        orphan->parent = orphan->previous = orphan->next = KITH_NULL;
        orphan                                           = kith_node_for_write(world, tree, next);
    }
    node->first = node->last = KITH_NULL;
    node->count              = 0;
}

// --- checking --------------------------------------------------------------------------------

KITH_INTERNAL const char *kith_node_check_place(const kith_storage *tree, kith_entity entity,
                                                const kith_node *node)
{
    const kith_node *parent = kith_node_of(tree, node->parent);
    const kith_node *next   = kith_node_of(tree, node->next);
    if (node->parent == KITH_NULL) {
        return (node->previous | node->next) != KITH_NULL ? "a root has siblings" : NULL;
    }
    if (parent == NULL) {
        return "the parent is not a node";
    }
    if (!kith_node_is_listed(tree, entity, node)) {
        return "the parent or the previous sibling does not link back";
    }
    bool last   = node->next == KITH_NULL && parent->last == entity;
    bool mutual = next != NULL && next->previous == entity;
    return last || mutual ? NULL : "the next sibling does not link back";
}

KITH_INTERNAL const char *kith_node_check_children(const kith_storage *tree, kith_entity entity,
                                                   const kith_node *node)
{
    uint32_t    count = 0;
    kith_entity child = node->first;
    uint32_t    limit = kith_min(node->count, tree->pool.set.head.rows_);
    while (child != KITH_NULL && count < limit) {
        const kith_node *found = kith_node_of(tree, child);
        if (found == NULL || found->parent != entity) {
            return "a child does not link back";
        }
        child = found->next;
        count++;
    }
    return child == KITH_NULL && count == node->count ? NULL : "the count of children is wrong";
}
