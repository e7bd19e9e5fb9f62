// SPDX-License-Identifier: MIT
// A naive forest, the journal of a component A that its nodes have, and one loop over them: what
// the headers promise, in lists. Entities are numbers, never used again.
#ifndef KITH_FOREST_H
#define KITH_FOREST_H

#include "kith/hierarchy.h"

enum {
    FOREST_TREE    = 1, // the components
    FOREST_A       = 2,
    FOREST_START   = 4, // nodes to begin with
    FOREST_NUMBERS = 8,
    FOREST_LOOPS   = 5
};

typedef enum tree_verb {
    APPEND,
    INSERT_FIRST,
    DETACH,
    DESTROY,
    REMOVE_NODE,
    REMOVE_A,
    ADD_A,
    SORT_CHILDREN,
    SORT,
    CREATE_BELOW
} tree_verb;

typedef struct tree_call {
    tree_verb verb;
    uint32_t  subject; // of entities the number
    uint32_t  child;
} tree_call;

// A rule that the model gets wrong on purpose, to see that the test notices.
typedef enum tree_fault {
    FAULT_NONE,
    FAULT_INHERITED, // children of a removed node get its parent
    FAULT_ORDER,     // those below are destroyed from the first child to the last
    FAULT_RETURNED,  // an entity that is made a node again is visited
    FAULT_REMOVED,   // children of a removed node are destroyed with those of a destroyed one
    FAULT_FORGOTTEN, // the journal keeps one removal less
    FAULT_BEHIND,    // a new first child comes last
    FAULTS
} tree_fault;

typedef struct forest {
    tree_fault      fault;
    kith_children   children; // what happens to them
    kith_error_code error;
    uint32_t        count; // of numbers
    bool            alive[FOREST_NUMBERS];
    bool            node[FOREST_NUMBERS];
    bool            has[FOREST_NUMBERS]; // A
    uint32_t        link_count;
    struct {
        uint32_t parent;
        uint32_t child;
    } links[FOREST_NUMBERS]; // siblings in their order
    uint32_t gone_count;
    uint32_t gone[2 * FOREST_NUMBERS]; // whose A went, oldest first
    // the loop
    uint32_t row_count;
    uint32_t rows[FOREST_NUMBERS]; // of the lead, when it began
    uint32_t row;
    bool     kept_node[FOREST_NUMBERS]; // since it began
    bool     kept_a[FOREST_NUMBERS];
} forest;

/// Its parent, FOREST_NUMBERS for a root; its children in order, and how many they are.
uint32_t forest_parent(const forest *f, uint32_t child);
uint32_t forest_children(const forest *f, uint32_t parent, uint32_t *list);

/// A new entity; a node of one.
void forest_create(forest *f);
void forest_make_node(forest *f, uint32_t number);

/// Makes the call, sets `error` and answers what it returns.
bool forest_call(forest *f, const tree_call *call);

/// The terms of the loops, and their names.
extern const kith_query_desc forest_loops[FOREST_LOOPS];

/// Begins a loop over nodes that were made by ascending numbers, and got A by descending ones.
void forest_begin(forest *f, uint32_t loop);

/// The entity that is visited next, or FOREST_NUMBERS at the end.
uint32_t forest_next(forest *f, uint32_t loop);

#endif
