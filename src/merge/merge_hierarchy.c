// SPDX-License-Identifier: MIT
// Merges the links of a hierarchy (see merge.h).
#include "merge/merge.h"

static const kith_storage *tree_there(const kith_merge_hierarchy *tree)
{
    return tree->there->storages[tree->storage];
}

static kith_component tree_here(const kith_merge_hierarchy *tree)
{
    return tree->merge->object.world->storages[tree->storage]->desc.id;
}

static kith_merge_storage *sums_of(const kith_merge_hierarchy *tree)
{
    return &tree->merge->storages[tree->storage];
}

KITH_INTERNAL const kith_node *kith_merge_hierarchy_node(const kith_merge_hierarchy *tree,
                                                         uint32_t                    index)
{
    const kith_storage *storage = tree_there(tree);
    return kith_entity_bit(&tree->there->entities, index, storage->bit)
               ? kith_pool_value(&storage->pool, kith_sparse_set_row_at(&storage->pool.set, index))
               : NULL;
}

static const kith_node *node_here(const kith_merge_hierarchy *tree, kith_entity entity)
{
    return kith_component_get(tree->merge->object.world, entity, tree_here(tree));
}

// --- sums ------------------------------------------------------------------------------------

KITH_INTERNAL uint64_t kith_merge_hierarchy_place(const kith_merge_hierarchy *tree, uint32_t index)
{
    const kith_node *node = kith_merge_hierarchy_node(tree, index);
    return kith_merge_sum(kith_sum_numbers(&node->parent, 1),
                          !kith_storage_enabled_at(tree_there(tree), index));
}

KITH_INTERNAL uint64_t kith_merge_hierarchy_children(const kith_merge_hierarchy *tree,
                                                     uint32_t                    index)
{
    kith_entity child = kith_merge_hierarchy_node(tree, index)->first;
    uint64_t    sum   = 0;
    while (child != KITH_NULL) {
        sum   = kith_sum_numbers((uint64_t[]){ sum, child }, 2);
        child = kith_merge_hierarchy_node(tree, kith_entity_index(child))->next;
    }
    return kith_merge_sum(sum, false);
}

// Whether the parent of a node changed there since the last merge, or the node is new here.
static bool has_moved(const kith_merge_hierarchy *tree, uint32_t index)
{
    uint64_t then = kith_index_map_at(&sums_of(tree)->values, index);
    return then >> 1 != kith_merge_hierarchy_place(tree, index) >> 1;
}

// --- links -----------------------------------------------------------------------------------

// Detaches a moved node from its parent here, unless that is the right parent.
static void leave_parent(const kith_merge_hierarchy *tree, uint32_t index, kith_entity here)
{
    const kith_node *node   = has_moved(tree, index) ? node_here(tree, here) : NULL;
    kith_entity      parent = kith_merge_hierarchy_node(tree, index)->parent;
    if (node != NULL && node->parent != KITH_NULL &&
        node->parent != kith_merge_follow(tree->merge, parent)) {
        kith_hierarchy_detach(tree->merge->object.world, tree_here(tree), here);
    }
}

// Whether `child` may be placed below `parent` here: it is neither `parent` nor above it.
static bool may_stand_below(const kith_merge_hierarchy *tree, kith_entity child, kith_entity parent)
{
    return child != parent &&
           !kith_hierarchy_is_below(tree->merge->object.world, tree_here(tree), parent, child);
}

// Places a child behind its sibling `previous`, or first when that is KITH_NULL. Returns whether it
// is a child of `parent` then.
static bool put_behind(const kith_merge_hierarchy *tree, kith_entity parent, kith_entity child,
                       kith_entity previous)
{
    kith_entity before =
        previous == KITH_NULL ? node_here(tree, parent)->first : node_here(tree, previous)->next;
    if (before != child) {
        kith_hierarchy_insert(tree->merge->object.world, tree_here(tree), parent, child, before);
    }
    return node_here(tree, child)->parent == parent;
}

static bool has_new_children(const kith_merge_hierarchy *tree, uint32_t index)
{
    uint64_t then    = kith_index_map_at(&sums_of(tree)->children, index);
    bool     changed = then != kith_merge_hierarchy_children(tree, index);
    for (kith_entity child = kith_merge_hierarchy_node(tree, index)->first;
         child != KITH_NULL && !changed;) {
        changed = has_moved(tree, kith_entity_index(child));
        child   = kith_merge_hierarchy_node(tree, kith_entity_index(child))->next;
    }
    return changed;
}

// Gives the children of a node the order that they have there. A node that is new here gets all its
// children.
static void order_children(const kith_merge_hierarchy *tree, uint32_t index, kith_entity parent)
{
    bool        all      = kith_index_map_at(&sums_of(tree)->children, index) == 0;
    kith_entity previous = KITH_NULL;
    kith_entity child    = kith_merge_hierarchy_node(tree, index)->first;
    for (uint32_t there; child != KITH_NULL; child = kith_merge_hierarchy_node(tree, there)->next) {
        there                  = kith_entity_index(child);
        kith_entity      here  = kith_merge_follow(tree->merge, child);
        const kith_node *node  = node_here(tree, here);
        bool             comes = node != NULL && (all || has_moved(tree, there));
        if (node == NULL ||
            (node->parent != parent && !(comes && may_stand_below(tree, here, parent)))) {
            continue;
        }
        previous = put_behind(tree, parent, here, previous) ? here : previous;
    }
}

// --- all nodes -------------------------------------------------------------------------------

typedef void (*merge_hierarchy_fn)(const kith_merge_hierarchy *tree, uint32_t index,
                                   kith_entity here);

static void order_if_new(const kith_merge_hierarchy *tree, uint32_t index, kith_entity here)
{
    if (node_here(tree, here) != NULL && has_new_children(tree, index)) {
        order_children(tree, index, here);
    }
}

static void store_links(const kith_merge_hierarchy *tree, uint32_t index, kith_entity here)
{
    (void)here;
    kith_index_map_put(&sums_of(tree)->values, index, kith_merge_hierarchy_place(tree, index));
    kith_index_map_put(&sums_of(tree)->children, index, kith_merge_hierarchy_children(tree, index));
}

static void for_each_node(const kith_merge_hierarchy *tree, merge_hierarchy_fn call)
{
    const kith_entity_table *table = &tree->there->entities;
    for (uint32_t index = 0; index < table->count; index++) {
        if (kith_entity_index_alive(table, index) &&
            kith_merge_hierarchy_node(tree, index) != NULL) {
            call(tree, index, kith_merge_follow(tree->merge, *kith_entity_slot_of(table, index)));
        }
    }
}

KITH_INTERNAL void kith_merge_hierarchy_all(const kith_merge_hierarchy *tree)
{
    for_each_node(tree, leave_parent);
    for_each_node(tree, order_if_new);
    for_each_node(tree, store_links);
}
