// SPDX-License-Identifier: MIT
// Order in hierarchies: of siblings, and of rows by levels.
#include "member.h"
#include "node.h"
#include "pool_order.h"

typedef struct sibling_order {
    kith_world              *world;
    const kith_column       *tree;
    kith_compare_entities_fn compare;
    void                    *context;
} sibling_order;

// Two lists of siblings become one. Of equals those of `a` come first.
static kith_entity merge_siblings(const sibling_order *by, kith_entity a, kith_entity b)
{
    kith_entity  first = KITH_NULL;
    kith_entity *end   = &first;
    while (a != KITH_NULL && b != KITH_NULL) {
        kith_entity *taken = by->compare(a, b, by->context) > 0 ? &b : &a;
        *end               = *taken;
        end                = &kith_node_to_write(by->world, by->tree, *taken)->next;
        *taken             = *end;
    }
    *end = a != KITH_NULL ? a : b;
    return first;
}

// Runs of 1, 2, 4 ... siblings wait until there are two of the same length.
static kith_entity sort_siblings(const sibling_order *by, kith_entity first)
{
    kith_entity runs[32] = { KITH_NULL };
    kith_entity sorted   = KITH_NULL;
    for (kith_entity child = first; child != KITH_NULL;) {
        kith_node  *node = kith_node_to_write(by->world, by->tree, child);
        kith_entity run  = child;
        uint32_t    i    = 0;
        child            = node->next;
        node->next       = KITH_NULL;
        for (; runs[i] != KITH_NULL; i++) {
            run     = merge_siblings(by, runs[i], run);
            runs[i] = KITH_NULL;
        }
        runs[i] = run;
    }
    for (uint32_t i = 0; i < 32; i++) {
        sorted = merge_siblings(by, runs[i], sorted);
    }
    return sorted;
}

// Sorting leaves only the links forward.
static void link_siblings(const sibling_order *by, kith_entity parent, kith_entity first)
{
    kith_entity previous = KITH_NULL;
    for (kith_entity child = first; child != KITH_NULL;) {
        kith_node *node = kith_node_to_write(by->world, by->tree, child);
        node->previous  = previous;
        previous        = child;
        child           = node->next;
    }
    kith_node *node = kith_node_to_write(by->world, by->tree, parent);
    node->first     = first;
    node->last      = previous;
}

KITH_API bool kith_hierarchy_sort_children(kith_world *world, kith_component hierarchy,
                                           kith_entity parent, kith_compare_entities_fn compare,
                                           void *context)
{
    static const char call[] = "kith_hierarchy_sort_children";
    kith_column      *tree   = kith_world_open_hierarchy(world, hierarchy, call);
    sibling_order     by     = { world, tree, compare, context };
    if (tree == NULL || !kith_world_may_link(world, tree, parent, call)) {
        return false;
    }
    if (compare == NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, hierarchy,
                                         "there is no function to call", NULL);
    }
    const kith_node *node  = kith_node_of(tree, parent);
    const char      *doubt = node == NULL ? NULL : kith_node_doubt_children(tree, parent, node);
    if (doubt != NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, hierarchy, doubt, NULL);
    }
    if (node != NULL) {
        kith_world_enter(world);
        link_siblings(&by, parent, sort_siblings(&by, node->first));
        kith_world_leave(world);
    }
    return node != NULL;
}

// The pool is its own queue: what stands before `end` is in its place, and the children of the
// first one there whose children are not come next.
static void sort_rows_by_levels(kith_pool *pool)
{
    uint32_t rows = pool->set.head.rows_;
    uint32_t end  = 0;
    for (uint32_t row = 0; row < rows; row++) {
        const kith_node *node = kith_pool_value(pool, row);
        if (node->parent == KITH_NULL) {
            kith_pool_swap(pool, row, end++);
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        const kith_node *node = kith_pool_value(pool, row);
        for (kith_entity child = node->first; child != KITH_NULL;) {
            kith_pool_swap(pool, kith_sparse_set_row(&pool->set, child), end);
            node  = kith_pool_value(pool, end++);
            child = node->next;
        }
    }
}

KITH_API bool kith_hierarchy_sort(kith_world *world, kith_component hierarchy)
{
    static const char call[] = "kith_hierarchy_sort";
    kith_column      *tree   = kith_world_open_hierarchy(world, hierarchy, call);
    if (tree == NULL || kith_world_moving(world, call, hierarchy) ||
        kith_world_owned(world, tree, call)) {
        return false;
    }
    const char *doubt = kith_world_doubt_hierarchy(world, tree);
    if (doubt != NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, hierarchy, doubt, NULL);
    }
    kith_world_enter(world);
    sort_rows_by_levels(&tree->pool);
    kith_world_leave(world);
    return true;
}
