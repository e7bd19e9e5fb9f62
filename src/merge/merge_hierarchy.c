// SPDX-License-Identifier: MIT
#include "merge/merge.h"

static const kith_storage *tree_there(const kith_graft *graft)
{
    return graft->there->storages[graft->storage];
}

static kith_component tree_here(const kith_graft *graft)
{
    return graft->merge->world->storages[graft->storage]->desc.id;
}

static kith_merge_storage *remembered(const kith_graft *graft)
{
    return &graft->merge->storages[graft->storage];
}

KITH_INTERNAL const kith_node *kith_graft_node(const kith_graft *graft, uint32_t index)
{
    const kith_storage *tree = tree_there(graft);
    return kith_entity_bit(&graft->there->entities, index, tree->bit)
               ? kith_pool_value(&tree->pool, kith_sparse_set_row_at(&tree->pool.set, index))
               : NULL;
}

static const kith_node *node_here(const kith_graft *graft, kith_entity entity)
{
    return kith_component_get(graft->merge->world, entity, tree_here(graft));
}

// --- sums ------------------------------------------------------------------------------------

KITH_INTERNAL uint64_t kith_graft_place(const kith_graft *graft, uint32_t index)
{
    const kith_node *node = kith_graft_node(graft, index);
    return kith_merge_sum(kith_sum_numbers(&node->parent, 1),
                          !kith_storage_enabled_at(tree_there(graft), index));
}

KITH_INTERNAL uint64_t kith_graft_children(const kith_graft *graft, uint32_t index)
{
    kith_entity child = kith_graft_node(graft, index)->first;
    uint64_t    sum   = 0;
    while (child != KITH_NULL) {
        sum   = kith_sum_numbers((uint64_t[]){ sum, child }, 2);
        child = kith_graft_node(graft, kith_entity_index(child))->next;
    }
    return kith_merge_sum(sum, false);
}

// Whether a node has another parent there than it had, or is new here.
static bool has_moved(const kith_graft *graft, uint32_t index)
{
    uint64_t then = kith_ledger_at(&remembered(graft)->values, index);
    return then >> 1 != kith_graft_place(graft, index) >> 1;
}

// --- links -----------------------------------------------------------------------------------

// Takes a node that has moved from its parent here, unless that is the right one.
static void leave_parent(const kith_graft *graft, uint32_t index, kith_entity here)
{
    const kith_node *node   = node_here(graft, here);
    kith_entity      parent = kith_graft_node(graft, index)->parent;
    if (node != NULL && node->parent != KITH_NULL &&
        node->parent != kith_merge_follow(graft->merge, parent)) {
        kith_hierarchy_detach(graft->merge->world, tree_here(graft), here);
    }
}

// Whether a node may stand below another one here: not who is that one, or above it.
static bool may_stand_below(const kith_graft *graft, kith_entity child, kith_entity parent)
{
    return child != parent &&
           !kith_hierarchy_is_below(graft->merge->world, tree_here(graft), parent, child);
}

// Puts a child behind another one of the same parent, or in front of all if that is KITH_NULL.
// Returns whether it is a child of that parent then.
static bool put_behind(const kith_graft *graft, kith_entity parent, kith_entity child,
                       kith_entity previous)
{
    kith_entity before =
        previous == KITH_NULL ? node_here(graft, parent)->first : node_here(graft, previous)->next;
    if (before != child) {
        kith_hierarchy_insert(graft->merge->world, tree_here(graft), parent, child, before);
    }
    return node_here(graft, child)->parent == parent;
}

static bool has_new_children(const kith_graft *graft, uint32_t index)
{
    uint64_t then = kith_ledger_at(&remembered(graft)->children, index);
    bool     news = then != kith_graft_children(graft, index);
    for (kith_entity child = kith_graft_node(graft, index)->first; child != KITH_NULL && !news;) {
        news  = has_moved(graft, kith_entity_index(child));
        child = kith_graft_node(graft, kith_entity_index(child))->next;
    }
    return news;
}

// Brings the children of a node into the order that they have there. To a node that is new here all
// of them come.
static void order_children(const kith_graft *graft, uint32_t index, kith_entity parent)
{
    bool        all      = kith_ledger_at(&remembered(graft)->children, index) == 0;
    kith_entity previous = KITH_NULL;
    kith_entity child    = kith_graft_node(graft, index)->first;
    for (uint32_t there; child != KITH_NULL; child = kith_graft_node(graft, there)->next) {
        there                  = kith_entity_index(child);
        kith_entity      here  = kith_merge_follow(graft->merge, child);
        const kith_node *node  = node_here(graft, here);
        bool             comes = node != NULL && (all || has_moved(graft, there));
        if (node == NULL ||
            (node->parent != parent && !(comes && may_stand_below(graft, here, parent)))) {
            continue;
        }
        previous = put_behind(graft, parent, here, previous) ? here : previous;
    }
}

// --- all of it -------------------------------------------------------------------------------

typedef void (*graft_fn)(const kith_graft *graft, uint32_t index, kith_entity here);

static void leave_if_moved(const kith_graft *graft, uint32_t index, kith_entity here)
{
    if (has_moved(graft, index)) {
        leave_parent(graft, index, here);
    }
}

static void order_if_new(const kith_graft *graft, uint32_t index, kith_entity here)
{
    if (node_here(graft, here) != NULL && has_new_children(graft, index)) {
        order_children(graft, index, here);
    }
}

static void remember_links(const kith_graft *graft, uint32_t index, kith_entity here)
{
    (void)here;
    kith_ledger_put(&remembered(graft)->values, index, kith_graft_place(graft, index));
    kith_ledger_put(&remembered(graft)->children, index, kith_graft_children(graft, index));
}

static void for_each_node(const kith_graft *graft, graft_fn call)
{
    const kith_entity_table *table = &graft->there->entities;
    for (uint32_t index = 0; index < table->count; index++) {
        if (kith_entity_table_lives(table, index) && kith_graft_node(graft, index) != NULL) {
            call(graft, index, kith_merge_follow(graft->merge, *kith_entity_slot_of(table, index)));
        }
    }
}

KITH_INTERNAL void kith_graft_all(const kith_graft *graft)
{
    for_each_node(graft, leave_if_moved);
    for_each_node(graft, order_if_new);
    for_each_node(graft, remember_links);
}
