// SPDX-License-Identifier: MIT
// Nodes: walking from one to the next, and their links: adding, removing, sorting, and checking
// that they agree. What is hot in a hierarchy is here; hierarchy.c is compiled for size.
#include "hierarchy/node.h"

KITH_NOINLINE kith_place kith_place_of(const kith_storage *tree, kith_entity entity)
{
    const kith_node *node = kith_node_of(tree, entity);
    return (kith_place){ node == NULL ? KITH_NULL : entity, node };
}

// --- walking ---------------------------------------------------------------------------------

// Returns the node after the subtree of `at`, below `top`, in depth-first order; KITH_NULL: none.
static kith_entity next_after_subtree(const kith_storage *tree, kith_entity top, kith_place at)
{
    uint32_t limit = tree->pool.set.head.rows_;
    for (; at.node != NULL && at.entity != top && limit != 0; limit--) {
        kith_place next = kith_next_sibling(tree, at, KITH_FORWARD);
        if (next.node != NULL) {
            return next.entity == top ? KITH_NULL : next.entity;
        }
        at = (kith_place){ at.node->parent, kith_node_of(tree, at.node->parent) };
    }
    return KITH_NULL;
}

// Returns the node after `entity` in depth-first order; for KITH_NULL the first one, `top`.
static kith_entity next_in_subtree(const kith_storage *tree, kith_entity top, kith_entity entity)
{
    kith_place at = { entity, kith_node_of(tree, entity) };
    if (at.node == NULL) {
        return entity == KITH_NULL ? kith_place_of(tree, top).entity : KITH_NULL;
    }
    kith_entity first = kith_begin_children(tree, at, KITH_FORWARD).entity;
    return first != KITH_NULL && first != top ? first : next_after_subtree(tree, top, at);
}

uint32_t kith_node_count_from(const kith_storage *tree, kith_entity top)
{
    uint32_t count = 0;
    for (kith_entity at = top; at != KITH_NULL; at = next_in_subtree(tree, top, at)) {
        count++;
    }
    return count;
}

uint32_t kith_node_climb(const kith_storage *tree, kith_place *at, kith_entity ancestor)
{
    uint32_t steps = 0;
    while (at->node->parent != ancestor && steps < tree->pool.set.head.rows_) {
        kith_place above = { at->node->parent, kith_node_of(tree, at->node->parent) };
        if (above.node == NULL) {
            break;
        }
        *at = above;
        steps++;
    }
    return steps;
}

bool kith_node_is_below(const kith_storage *tree, kith_place at, kith_place ancestor)
{
    if (at.node == NULL || ancestor.node == NULL ||
        kith_begin_children(tree, ancestor, KITH_FORWARD).node == NULL) {
        return false;
    }
    kith_node_climb(tree, &at, ancestor.entity);
    return at.node->parent == ancestor.entity;
}

kith_entity kith_hierarchy_next(const kith_world *world, kith_component hierarchy, kith_entity top,
                                kith_entity entity)
{
    const kith_storage *tree = kith_world_visible_storage(world, hierarchy);
    if (KITH_UNLIKELY_(tree == NULL || !tree->is_hierarchy)) {
        tree = kith_hierarchy_for_read(world, hierarchy, "kith_hierarchy_next");
    }
    return tree == NULL ? KITH_NULL : next_in_subtree(tree, top, entity);
}

kith_entity kith_hierarchy_skip(const kith_world *world, kith_component hierarchy, kith_entity top,
                                kith_entity entity)
{
    const kith_storage *tree = kith_hierarchy_for_read(world, hierarchy, "kith_hierarchy_skip");
    return tree == NULL ? KITH_NULL : next_after_subtree(tree, top, kith_place_of(tree, entity));
}

// A breadth-first walk; the output array is the queue.
uint32_t kith_hierarchy_levels(const kith_world *world, kith_component hierarchy, kith_entity top,
                               kith_entity *entities, uint32_t capacity)
{
    const kith_storage *tree  = kith_hierarchy_for_read(world, hierarchy, "kith_hierarchy_levels");
    uint32_t            count = 0;
    if (tree == NULL || kith_place_of(tree, top).node == NULL) {
        return 0;
    }
    if (capacity != 0) {
        entities[count++] = top;
    }
    for (uint32_t i = 0; i < count; i++) {
        kith_place parent = { entities[i], kith_node_of(tree, entities[i]) };
        kith_place child  = kith_begin_children(tree, parent, KITH_FORWARD);
        for (; child.node != NULL; child = kith_next_sibling(tree, child, KITH_FORWARD)) {
            if (count == capacity) {
                return kith_node_count_from(tree, top);
            }
            entities[count++] = child.entity;
        }
    }
    return count != 0 ? count : kith_node_count_from(tree, top);
}

// --- writing ---------------------------------------------------------------------------------

// Stamps the node of an entity and returns it, or NULL. Out of line: many functions write links.
KITH_NOINLINE static kith_node *node_for_write(const kith_storage *tree, kith_entity entity)
{
    const kith_pool_head_ *pool = &tree->pool.set.head;
    uint32_t               row  = kith_row_(pool, entity);
    return row == KITH_NO_ROW
               ? NULL
               : kith_mut_row_(pool, row, sizeof(kith_node), KITH_SHIFT_(sizeof(kith_node)));
}

// Returns whether the previous sibling, or the parent of a first child, links back to the entity;
// if `after`, the next sibling, or the parent of a last child.
static inline bool is_listed(const kith_storage *tree, kith_place at, const kith_node *parent,
                             bool after)
{
    kith_entity      sibling = after ? at.node->next : at.node->previous;
    bool             none    = sibling == KITH_NULL;
    const kith_node *other   = none ? parent : kith_place_of(tree, sibling).node;
    return other != NULL && at.entity == (after ? (none ? other->last : other->previous)
                                                : (none ? other->first : other->next));
}

void kith_node_clear_stale_links(const kith_storage *tree, kith_entity entity)
{
    kith_place at = kith_place_of(tree, entity);
    if (at.node == NULL) {
        return;
    }
    kith_entity      above  = at.node->parent | at.node->previous | at.node->next;
    kith_entity      below  = at.node->first | at.node->last | at.node->count;
    const kith_node *parent = kith_place_of(tree, at.node->parent).node;
    if (above != KITH_NULL && !is_listed(tree, at, parent, false)) {
        kith_node *stale = node_for_write(tree, entity);
        stale->parent = stale->previous = stale->next = KITH_NULL;
    }
    const kith_node *child = below == KITH_NULL ? NULL : kith_place_of(tree, at.node->first).node;
    if (below != KITH_NULL && (child == NULL || child->parent != entity)) {
        kith_node *stale = node_for_write(tree, entity);
        stale->first = stale->last = KITH_NULL;
        stale->count               = 0;
    }
}

void kith_node_unlink(const kith_storage *tree, kith_entity entity)
{
    kith_node *node   = node_for_write(tree, entity);
    kith_node *parent = node_for_write(tree, node->parent);
    if (parent == NULL) {
        return;
    }
    kith_node *previous                                    = node_for_write(tree, node->previous);
    kith_node *next                                        = node_for_write(tree, node->next);
    *(previous == NULL ? &parent->first : &previous->next) = node->next;
    *(next == NULL ? &parent->last : &next->previous)      = node->previous;
    parent->count--;
    node->parent = node->previous = node->next = KITH_NULL;
}

void kith_node_link(const kith_storage *tree, kith_entity parent_one, kith_entity entity,
                    kith_entity next_one)
{
    kith_node *node     = node_for_write(tree, entity);
    kith_node *parent   = node_for_write(tree, parent_one);
    kith_node *next     = node_for_write(tree, next_one);
    node->parent        = parent_one;
    node->next          = next_one;
    node->previous      = next == NULL ? parent->last : next->previous;
    kith_node *previous = node_for_write(tree, node->previous);
    *(previous == NULL ? &parent->first : &previous->next) = entity;
    *(next == NULL ? &parent->last : &next->previous)      = entity;
    parent->count++;
}

void kith_node_isolate(kith_storage *tree, kith_entity entity)
{
    kith_node_clear_stale_links(tree, entity);
    kith_node *node   = node_for_write(tree, entity);
    kith_node *orphan = node_for_write(tree, node->first);
    tree->relinked += orphan != NULL;
    while (orphan != NULL && orphan->parent == entity) {
        kith_entity next = orphan->next;
        orphan->parent = orphan->previous = orphan->next = KITH_NULL;
        orphan                                           = node_for_write(tree, next);
    }
    node->first = node->last = KITH_NULL;
    node->count              = 0;
    kith_node_unlink(tree, entity);
}

// --- sorting ---------------------------------------------------------------------------------

typedef struct sibling_order {
    const kith_storage      *tree;
    kith_compare_entities_fn compare;
    void                    *context;
} sibling_order;

// Merges two sorted lists of siblings. Of equal siblings those of `a` come first.
static kith_entity merge_siblings(const sibling_order *order, kith_entity a, kith_entity b)
{
    kith_entity  first = KITH_NULL;
    kith_entity *end   = &first;
    while (a != KITH_NULL && b != KITH_NULL) {
        kith_entity *taken = order->compare(a, b, order->context) > 0 ? &b : &a;
        *end               = *taken;
        end                = &node_for_write(order->tree, *taken)->next;
        *taken             = *end;
    }
    *end = a != KITH_NULL ? a : b;
    return first;
}

// A bottom-up merge sort: runs[i] is empty or a sorted list of 2^i siblings. Sorting sets only
// `next`; the other links follow.
void kith_node_sort_children(const kith_storage *tree, kith_entity parent,
                             kith_compare_entities_fn compare, void *context)
{
    const sibling_order order = { tree, compare, context };
    kith_entity         runs[32];
    uint32_t            used     = 0; // the runs that are set
    kith_entity         sorted   = KITH_NULL;
    kith_entity         previous = KITH_NULL;
    for (kith_entity child = kith_node_of(tree, parent)->first; child != KITH_NULL;) {
        kith_node  *node = node_for_write(tree, child);
        kith_entity run  = child;
        uint32_t    i    = 0;
        child            = node->next;
        node->next       = KITH_NULL;
        for (; i < used && runs[i] != KITH_NULL; i++) {
            run     = merge_siblings(&order, runs[i], run);
            runs[i] = KITH_NULL;
        }
        used += i == used;
        runs[i] = run;
    }
    for (uint32_t i = 0; i < used; i++) {
        sorted = merge_siblings(&order, runs[i], sorted);
    }
    for (kith_entity child = sorted; child != KITH_NULL;) {
        kith_node *node = node_for_write(tree, child);
        node->previous  = previous;
        previous        = child;
        child           = node->next;
    }
    kith_node *node = node_for_write(tree, parent);
    node->first     = sorted;
    node->last      = previous;
}

// --- checking --------------------------------------------------------------------------------

const char *kith_node_check_place(const kith_storage *tree, kith_place at)
{
    if (at.node->parent == KITH_NULL) {
        return (at.node->previous | at.node->next) != KITH_NULL ? "a root has siblings" : NULL;
    }
    const kith_node *parent = kith_place_of(tree, at.node->parent).node;
    if (parent == NULL) {
        return "the parent is not a node";
    }
    if (!is_listed(tree, at, parent, false)) {
        return "the parent or the previous sibling does not link back";
    }
    return is_listed(tree, at, parent, true) ? NULL : "the next sibling does not link back";
}

const char *kith_node_check_children(const kith_storage *tree, kith_place at)
{
    uint32_t    count = 0;
    kith_entity child = at.node->first;
    uint32_t    limit = kith_min(at.node->count, tree->pool.set.head.rows_);
    while (child != KITH_NULL && count < limit) {
        const kith_node *node = kith_node_of(tree, child);
        if (node == NULL || node->parent != at.entity) {
            return "a child does not link back";
        }
        child = node->next;
        count++;
    }
    bool right = child == KITH_NULL && count == at.node->count;
    return right ? NULL : "the count of children is wrong";
}

const char *kith_node_check_moved(const kith_storage *tree, kith_place at)
{
    const char *fault = kith_node_check_place(tree, at);
    bool        leaf  = (at.node->first | at.node->last | at.node->count) == 0;
    if (fault == NULL && !leaf &&
        (kith_begin_children(tree, at, KITH_FORWARD).node == NULL ||
         kith_begin_children(tree, at, KITH_BACKWARD).node == NULL)) {
        fault = "a child does not link back";
    }
    return fault;
}

bool kith_node_can_join(const kith_world *world, const kith_storage *tree, kith_entity parent_one,
                        kith_entity child_one)
{
    if (tree == NULL || !tree->is_hierarchy || world->head.busy_ != 0 || parent_one == child_one) {
        return false;
    }
    kith_place parent = { parent_one, kith_node_of(tree, parent_one) };
    kith_place child  = { child_one, kith_node_of(tree, child_one) };
    return parent.node != NULL && kith_node_check_moved(tree, parent) == NULL &&
           child.node != NULL && kith_node_check_moved(tree, child) == NULL &&
           !kith_node_is_below(tree, parent, child);
}
