// SPDX-License-Identifier: MIT
// The naive model of a hierarchy under change: nodes, links, journal and loops in flat arrays.
#include "forest.h"

#include <string.h>

static uint32_t link_at(const forest *f, uint32_t child)
{
    uint32_t at = 0;
    while (at < f->link_count && f->links[at].child != child) {
        at++;
    }
    return at;
}

uint32_t forest_parent(const forest *f, uint32_t child)
{
    uint32_t at = link_at(f, child);
    return at < f->link_count ? f->links[at].parent : FOREST_NUMBERS;
}

uint32_t forest_children(const forest *f, uint32_t parent, uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->link_count; i++) {
        if (f->links[i].parent == parent) {
            list[count++] = f->links[i].child;
        }
    }
    return count;
}

static bool is_below_or_same(const forest *f, uint32_t number, uint32_t above)
{
    while (number != above && number != FOREST_NUMBERS) {
        number = forest_parent(f, number);
    }
    return number == above;
}

static void cut_link(forest *f, uint32_t child)
{
    uint32_t at = link_at(f, child);
    if (at < f->link_count) {
        memmove(&f->links[at], &f->links[at + 1], (--f->link_count - at) * sizeof f->links[0]);
    }
}

static void put_link(forest *f, uint32_t parent, uint32_t child, bool first)
{
    uint32_t at = first && f->fault != FAULT_BEHIND ? 0 : f->link_count;
    memmove(&f->links[at + 1], &f->links[at], (f->link_count++ - at) * sizeof f->links[0]);
    f->links[at].parent = parent;
    f->links[at].child  = child;
}

static void remove_a(forest *f, uint32_t number)
{
    if (f->has[number]) {
        f->gone[f->gone_count++] = number;
        f->has[number]           = false;
        f->kept_a[number]        = false;
    }
}

static void remove_node(forest *f, uint32_t number)
{
    uint32_t children[FOREST_NUMBERS];
    uint32_t count  = forest_children(f, number, children);
    uint32_t parent = forest_parent(f, number);
    for (uint32_t i = 0; i < count; i++) {
        cut_link(f, children[i]);
        if (f->fault == FAULT_INHERITED && parent != FOREST_NUMBERS) {
            put_link(f, parent, children[i], false);
        }
    }
    cut_link(f, number);
    f->node[number]      = false;
    f->kept_node[number] = false;
}

static void destroy(forest *f, uint32_t number);

static void destroy_children(forest *f, uint32_t number)
{
    uint32_t children[FOREST_NUMBERS];
    uint32_t count = forest_children(f, number, children);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = f->fault == FAULT_ORDER ? i : count - 1 - i;
        destroy(f, children[at]);
    }
}

static void destroy(forest *f, uint32_t number)
{
    if (f->children == KITH_CHILDREN_DESTROY) {
        destroy_children(f, number);
    }
    remove_node(f, number);
    remove_a(f, number);
    f->alive[number] = false;
}

void forest_make_node(forest *f, uint32_t number)
{
    if (!f->node[number]) {
        f->node[number]      = true;
        f->kept_node[number] = f->fault == FAULT_RETURNED;
    }
}

static bool join(forest *f, const tree_call *call)
{
    if (!f->alive[call->subject] || !f->alive[call->child]) {
        f->error = KITH_ERROR_DEAD_ENTITY;
        return false;
    }
    if (is_below_or_same(f, call->subject, call->child)) {
        f->error = KITH_ERROR_ARGUMENT;
        return false;
    }
    forest_make_node(f, call->subject);
    forest_make_node(f, call->child);
    cut_link(f, call->child);
    put_link(f, call->subject, call->child, call->verb == INSERT_FIRST);
    return true;
}

// By descending numbers.
static void sort_children(forest *f, uint32_t parent)
{
    uint32_t children[FOREST_NUMBERS];
    uint32_t count = forest_children(f, parent, children);
    for (uint32_t number = 0; number < f->count; number++) {
        for (uint32_t i = 0; i < count; i++) {
            if (children[i] == number) {
                cut_link(f, number);
                put_link(f, parent, number, true);
            }
        }
    }
}

void forest_create(forest *f)
{
    f->alive[f->count++] = true;
}

static bool create_below(forest *f, uint32_t parent)
{
    forest_create(f);
    return join(f, &(tree_call){ APPEND, parent, f->count - 1 });
}

// A demand on the dead is an error.
static bool is_met(forest *f, uint32_t number)
{
    f->error = f->alive[number] ? KITH_OK : KITH_ERROR_DEAD_ENTITY;
    return f->alive[number];
}

bool forest_call(forest *f, const tree_call *call)
{
    uint32_t number = call->subject;
    bool     was    = false;
    f->error        = KITH_OK;
    switch (call->verb) {
    case APPEND:
    case INSERT_FIRST:
        return join(f, call);
    case DETACH:
        was = is_met(f, number) && forest_parent(f, number) != FOREST_NUMBERS;
        cut_link(f, number);
        return was;
    case DESTROY:
        was = f->alive[number];
        destroy(f, number);
        return was;
    case REMOVE_NODE:
        was = f->node[number];
        if (f->fault == FAULT_REMOVED && f->children == KITH_CHILDREN_DESTROY) {
            destroy_children(f, number);
        }
        remove_node(f, number);
        return was;
    case REMOVE_A:
        was = f->has[number];
        remove_a(f, number);
        return was;
    case ADD_A:
        f->has[number] = is_met(f, number);
        return f->has[number];
    case SORT_CHILDREN:
        sort_children(f, number);
        return is_met(f, number) && f->node[number];
    case SORT:
        f->error = KITH_ERROR_BUSY;
        return false;
    default:
        return create_below(f, number);
    }
}

// --- loops -----------------------------------------------------------------------------------

static const kith_term nodes[]         = { { FOREST_TREE, KITH_ROLE_READ, 0 } };
static const kith_term values[]        = { { FOREST_A, KITH_ROLE_READ, 0 } };
static const kith_term both[]          = { { FOREST_TREE, KITH_ROLE_READ, 0 },
                                           { FOREST_A, KITH_ROLE_READ, 0 } };
static const kith_term no_nodes[]      = { { FOREST_A, KITH_ROLE_READ, 0 },
                                           { FOREST_TREE, KITH_ROLE_WITHOUT, 0 } };
static const kith_term all_but_nodes[] = { { FOREST_TREE, KITH_ROLE_WITHOUT, 0 } };

const kith_query_desc forest_loops[FOREST_LOOPS] = {
    { "tree", nodes, 1, 0 },
    { "A", values, 1, 0 },
    { "tree and A", both, 2, 0 },
    { "A without tree", no_nodes, 2, 0 },
    { "all without tree", all_but_nodes, 1, 0 },
};

// Of pools with as many rows the one registered first leads.
void forest_begin(forest *f, uint32_t loop)
{
    for (uint32_t i = 0; i < FOREST_START; i++) {
        bool leads_a    = loop == 1 || loop == 3;
        f->rows[i]      = leads_a ? FOREST_START - 1 - i : i;
        f->kept_node[i] = true;
        f->kept_a[i]    = true;
    }
    f->row_count = FOREST_START;
}

static bool is_visited(const forest *f, uint32_t number, uint32_t loop)
{
    switch (loop) {
    case 0:
        return f->kept_node[number];
    case 1:
        return f->kept_a[number];
    case 2:
        return f->kept_node[number] && f->kept_a[number];
    case 3:
        return f->kept_a[number] && !f->node[number];
    default:
        return f->alive[number] && !f->node[number];
    }
}

// The entity that is visited next, or FOREST_NUMBERS at the end.
uint32_t forest_next(forest *f, uint32_t loop)
{
    while (f->row < f->row_count) {
        uint32_t number = f->rows[f->row++];
        if (is_visited(f, number, loop)) {
            return number;
        }
    }
    return FOREST_NUMBERS;
}
