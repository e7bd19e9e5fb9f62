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
    while (at.node != NULL && at.entity != top && limit-- != 0) {
        kith_entity next = kith_next_sibling(tree, at, KITH_FORWARD).entity;
        if (next != KITH_NULL) {
            return next == top ? KITH_NULL : next;
        }
        at = (kith_place){ at.node->parent, kith_node_of(tree, at.node->parent) };
    }
    return KITH_NULL;
}

// Returns the node after `entity` in depth-first order; for KITH_NULL the first one, `top`.
static kith_entity next_in_subtree(const kith_storage *tree, kith_entity top, kith_entity entity)
{
    kith_place at = { entity, kith_node_of(tree, entity) };
    if (KITH_UNLIKELY_(at.node == NULL)) {
        return entity == KITH_NULL ? kith_place_of(tree, top).entity : KITH_NULL;
    }
    kith_entity first = kith_begin_children(tree, at, KITH_FORWARD).entity;
    return first != KITH_NULL && first != top ? first : next_after_subtree(tree, top, at);
}

KITH_NOINLINE uint32_t kith_node_count_from(const kith_storage *tree, kith_entity top)
{
    uint32_t count = 0;
    for (kith_entity at = top; at != KITH_NULL; at = next_in_subtree(tree, top, at)) {
        count++;
    }
    return count;
}

uint32_t kith_node_climb(const kith_storage *tree, kith_place *at, kith_entity ancestor)
{
    kith_place here = *at;
    uint32_t   left = tree->pool.set.head.rows_;
    for (; here.node->parent != ancestor && left != 0; left--) {
        const kith_node *above = kith_node_of(tree, here.node->parent);
        if (above == NULL) {
            break;
        }
        here = (kith_place){ here.node->parent, above };
    }
    *at = here;
    return tree->pool.set.head.rows_ - left;
}

bool kith_node_is_below(const kith_storage *tree, kith_place at, kith_place ancestor)
{
    if (at.node == NULL || ancestor.node == NULL ||
        (ancestor.node->first | ancestor.node->last) == KITH_NULL) {
        return false;
    }
    kith_node_climb(tree, &at, ancestor.entity);
    return at.node->parent == ancestor.entity;
}

kith_entity kith_hierarchy_skip(const kith_world *world, kith_component hierarchy, kith_entity top,
                                kith_entity entity)
{
    const kith_storage *tree = kith_hierarchy_for_read(world, hierarchy, "kith_hierarchy_skip");
    return tree == NULL ? KITH_NULL : next_after_subtree(tree, top, kith_place_of(tree, entity));
}

// A step of a walk through a hierarchy that the access check hides, or an error. A function of its
// own, so that kith_hierarchy_next saves no registers (bench H1).
KITH_COLD static kith_entity next_hidden(const kith_world *world, kith_component hierarchy,
                                         kith_entity top, kith_entity entity)
{
    const kith_storage *tree = kith_hierarchy_for_read(world, hierarchy, "kith_hierarchy_next");
    return tree == NULL ? KITH_NULL : next_in_subtree(tree, top, entity);
}

kith_entity kith_hierarchy_next(const kith_world *world, kith_component hierarchy, kith_entity top,
                                kith_entity entity)
{
    const kith_storage *tree  = kith_pools_storage(world->head.pools_, hierarchy);
    bool                found = tree != NULL && tree->is_hierarchy;
    return found ? next_in_subtree(tree, top, entity) : next_hidden(world, hierarchy, top, entity);
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
        uint32_t   row    = kith_row_(&tree->pool.set.head, entities[i]);
        kith_place parent = { entities[i], kith_node_in(tree, row) };
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

// Stamps the node in a row and returns it.
static inline kith_node *write_row(const kith_storage *tree, uint32_t row)
{
    return kith_mut_row_(&tree->pool.set.head, row, sizeof(kith_node), KITH_NODE_SHIFT);
}

// The same for the node of an entity, or NULL. Out of line: many functions write links.
KITH_NOINLINE static kith_node *node_for_write(const kith_storage *tree, kith_entity entity)
{
    uint32_t row = kith_row_(&tree->pool.set.head, entity);
    return row == KITH_NO_ROW ? NULL : write_row(tree, row);
}

KITH_COLD void kith_node_clear_stale_links(const kith_storage *tree, kith_entity entity)
{
    kith_place at = kith_place_of(tree, entity);
    if (at.node == NULL) {
        return;
    }
    kith_entity above = at.node->parent | at.node->previous | at.node->next;
    kith_entity below = at.node->first | at.node->last | at.node->count;
    bool        first = at.node->previous == KITH_NULL;
    kith_place  by    = kith_place_of(tree, first ? at.node->parent : at.node->previous);
    bool        lists = by.node != NULL && entity == (first ? by.node->first : by.node->next);
    if (above != KITH_NULL && !lists) {
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

// Does what kith_node_move says. `rows` saves a second look-up of the nodes that were checked.
static void move_row(const kith_storage *tree, const kith_linked_rows *rows, kith_entity entity,
                     kith_entity parent_one, kith_entity next_one)
{
    kith_node *node = write_row(tree, rows->own);
    if (rows->parent != KITH_NO_ROW) { // a sibling that is no node counts as none
        kith_node *parent = write_row(tree, rows->parent);
        bool       first  = node->previous == KITH_NULL || rows->before == KITH_NO_ROW;
        bool       last   = node->next == KITH_NULL || rows->after == KITH_NO_ROW;
        *(first ? &parent->first : &write_row(tree, rows->before)->next)  = node->next;
        *(last ? &parent->last : &write_row(tree, rows->after)->previous) = node->previous;
        parent->count--;
    }
    node->parent   = parent_one;
    node->previous = KITH_NULL;
    node->next     = next_one;
    if (parent_one != KITH_NULL) {
        kith_node   *parent   = write_row(tree, rows->joined);
        kith_node   *next     = next_one == KITH_NULL ? NULL : node_for_write(tree, next_one);
        kith_entity *back     = next == NULL ? &parent->last : &next->previous;
        uint32_t     previous = kith_row_(&tree->pool.set.head, *back);
        node->previous        = *back;
        *back                 = entity;
        *(previous == KITH_NO_ROW ? &parent->first : &write_row(tree, previous)->next) = entity;
        parent->count++;
    }
}

void kith_node_move(const kith_storage *tree, kith_entity entity, kith_entity parent_one,
                    kith_entity next_one)
{
    kith_linked_rows rows = { .own    = kith_sparse_set_row(&tree->pool.set, entity),
                              .joined = kith_sparse_set_row(&tree->pool.set, parent_one) };
    kith_node_check_place(tree, (kith_place){ entity, kith_node_in(tree, rows.own) }, &rows);
    move_row(tree, &rows, entity, parent_one, next_one);
}

const char *kith_node_join(kith_storage *tree, kith_entity parent_one, kith_entity child_one,
                           kith_entity next_one)
{
    static const char below[] = "the parent is the child or below it";
    uint32_t          own     = kith_row_(&tree->pool.set.head, child_one);
    uint32_t          joined  = kith_row_(&tree->pool.set.head, parent_one);
    if (own == KITH_NO_ROW || joined == KITH_NO_ROW || parent_one == child_one) {
        return below;
    }
    kith_linked_rows rows   = { .own = own, .joined = joined };
    kith_place       child  = { child_one, kith_node_in(tree, own) };
    kith_place       parent = { parent_one, kith_node_in(tree, joined) };
    if ((parent.node->first | parent.node->last | parent.node->count) != 0 &&
        kith_begin_children(tree, parent, KITH_BACKWARD).node == NULL) {
        return "a child does not link back";
    }
    const char *fault = kith_node_check_place(tree, child, &rows);
    if (fault != NULL || kith_node_is_below(tree, parent, child)) {
        return fault != NULL ? fault : below;
    }
    tree->relinked++;
    move_row(tree, &rows, child_one, parent_one, next_one);
    return NULL;
}

void kith_node_isolate(kith_storage *tree, kith_entity entity)
{
    kith_node_clear_stale_links(tree, entity);
    kith_node  *node   = node_for_write(tree, entity);
    kith_entity child  = node->first;
    kith_node  *orphan = node_for_write(tree, child);
    tree->relinked += orphan != NULL;
    while (orphan != NULL && orphan->parent == entity) {
        kith_entity next = orphan->next;
        orphan->parent = orphan->previous = orphan->next = KITH_NULL;
        kith_tick_row_(&tree->pool.set.head, kith_row_(&tree->pool.set.head, child),
                       KITH_ANY_SHIFT_, false);
        child  = next;
        orphan = node_for_write(tree, next);
    }
    node->first = node->last = KITH_NULL;
    node->count              = 0;
    kith_node_move(tree, entity, KITH_NULL, KITH_NULL);
}

// --- sorting ---------------------------------------------------------------------------------

// Merges two sorted lists of siblings. Of equal siblings those of `a` come first.
static kith_entity merge_siblings(const kith_storage *tree, kith_compare_entities_fn compare,
                                  void *context, kith_entity a, kith_entity b)
{
    kith_entity  first = KITH_NULL;
    kith_entity *end   = &first;
    while (a != KITH_NULL && b != KITH_NULL) {
        kith_entity *taken = compare(a, b, context) > 0 ? &b : &a;
        *end               = *taken;
        end                = &node_for_write(tree, *taken)->next;
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
    kith_entity runs[32];
    uint32_t    used   = 0; // the runs that are set
    kith_entity sorted = KITH_NULL, previous = KITH_NULL;
    for (kith_entity child = kith_node_of(tree, parent)->first; child != KITH_NULL;) {
        kith_node  *node = node_for_write(tree, child);
        kith_entity run  = child;
        uint32_t    i    = 0;
        child            = node->next;
        node->next       = KITH_NULL;
        for (; i < used && runs[i] != KITH_NULL; i++) {
            run     = merge_siblings(tree, compare, context, runs[i], run);
            runs[i] = KITH_NULL;
        }
        used += i == used;
        runs[i] = run;
    }
    for (uint32_t i = 0; i < used; i++) {
        sorted = merge_siblings(tree, compare, context, runs[i], sorted);
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

const char *kith_node_check_place(const kith_storage *tree, kith_place at, kith_linked_rows *rows)
{
    bool first   = at.node->previous == KITH_NULL;
    bool last    = at.node->next == KITH_NULL;
    rows->parent = kith_row_(&tree->pool.set.head, at.node->parent);
    if (at.node->parent == KITH_NULL) {
        return first && last ? NULL : "a root has siblings";
    }
    if (rows->parent == KITH_NO_ROW) {
        return "the parent is not a node";
    }
    rows->before = first ? rows->parent : kith_row_(&tree->pool.set.head, at.node->previous);
    rows->after  = last ? rows->parent : kith_row_(&tree->pool.set.head, at.node->next);
    if (rows->before == KITH_NO_ROW ||
        at.entity != (first ? kith_node_in(tree, rows->before)->first
                            : kith_node_in(tree, rows->before)->next)) {
        return "the parent or the previous sibling does not link back";
    }
    bool back = rows->after != KITH_NO_ROW &&
                at.entity == (last ? kith_node_in(tree, rows->after)->last
                                   : kith_node_in(tree, rows->after)->previous);
    return back ? NULL : "the next sibling does not link back";
}

KITH_COLD const char *kith_node_check_children(const kith_storage *tree, kith_place at)
{
    uint32_t    count = 0;
    kith_entity child = at.node->first;
    uint32_t    limit = kith_min(at.node->count, tree->pool.set.head.rows_);
    for (; child != KITH_NULL && count < limit; count++) {
        const kith_node *node = kith_node_of(tree, child);
        if (node == NULL || node->parent != at.entity) {
            return "a child does not link back";
        }
        child = node->next;
    }
    bool right = child == KITH_NULL && count == at.node->count;
    return right ? NULL : "the count of children is wrong";
}
