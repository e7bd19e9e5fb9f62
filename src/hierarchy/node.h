// SPDX-License-Identifier: MIT
// Nodes of a hierarchy: reading, writing and checking their links. `tree` is the component.
//
//     parent --> first child <--> next <--> ... <--> last child, each with its parent
//
// Invariant: a link is mutual, the linked node links back. Two cases break it for a while: a batch
// writes copied values before it announces each add, and a caller may write links through a
// pointer. A link that is not mutual counts as none. A walk follows mutual links only, from a first
// child without a previous sibling, so it visits no node twice except the top.
#pragma once

#include "kith/hierarchy.h"

#include "world/world.h"

// --- reading ---------------------------------------------------------------------------------

// The rows of a page, as a power of two: a hierarchy has no traits that change it.
#define KITH_NODE_SHIFT KITH_SHIFT_(sizeof(kith_node))

static inline kith_node *kith_node_in(const kith_storage *tree, uint32_t row)
{
    kith_node *nodes = (void *)tree->pool.set.head.pages_[row >> KITH_NODE_SHIFT];
    KITH_NEVER_(nodes == NULL);
    return &nodes[row & ((1u << KITH_NODE_SHIFT) - 1)];
}

// Returns the node of an entity, or NULL. Inline for loops; other code calls kith_place_of. The
// shift tests what kith_slot_of_ tests, and needs no constant in a register (bench H1).
static inline const kith_node *kith_node_of(const kith_storage *tree, kith_entity entity)
{
    uint64_t **sparse = tree->pool.set.head.sparse_;
    uint32_t   page   = (uint32_t)entity >> KITH_PAGE_SHIFT_;
    bool       known  = KITH_LIKELY_(page < tree->pool.set.head.sparse_pages_);
    uint64_t   slot   = known ? sparse[page][entity & KITH_PAGE_MASK_] : ~entity;
    return (slot ^ entity) >> 31 != 0 ? NULL : kith_node_in(tree, (uint32_t)slot);
}

// An entity and its node; NULL if it is no node.
typedef struct kith_place {
    kith_entity      entity;
    const kith_node *node;
} kith_place;

// Returns the place of an entity; KITH_NULL and NULL if it is no node.
kith_place kith_place_of(const kith_storage *tree, kith_entity entity);

// The rows of a node, of its parent, of the two nodes that link to it in the list of siblings, and
// of the parent that it joins. `before` is the previous sibling, or the parent of a first child;
// `after` is the next sibling, or the parent of a last child.
typedef struct kith_linked_rows {
    uint32_t own, parent, before, after, joined;
} kith_linked_rows;

// The hierarchy for a call that reads. Returns NULL on an error, which is reported.
const kith_storage *kith_hierarchy_for_read(const kith_world *world, kith_component component,
                                            const char *call);

// --- walking ---------------------------------------------------------------------------------

// KITH_FORWARD: from the first child to the last one.
typedef enum kith_sibling_walk { KITH_FORWARD, KITH_BACKWARD } kith_sibling_walk;

// Returns the child that a walk begins with. This function and the next one return no node instead
// of a link that is not mutual.
static inline kith_place kith_begin_children(const kith_storage *tree, kith_place parent,
                                             kith_sibling_walk walk)
{
    kith_entity      entity = walk == KITH_FORWARD ? parent.node->first : parent.node->last;
    const kith_node *child  = entity == KITH_NULL ? NULL : kith_node_of(tree, entity);
    bool             mutual = child != NULL && child->parent == parent.entity &&
                  (walk == KITH_FORWARD ? child->previous : child->next) == KITH_NULL;
    return mutual ? (kith_place){ entity, child } : (kith_place){ 0 };
}

static inline kith_place kith_next_sibling(const kith_storage *tree, kith_place at,
                                           kith_sibling_walk walk)
{
    kith_entity      entity = walk == KITH_FORWARD ? at.node->next : at.node->previous;
    const kith_node *next   = entity == KITH_NULL ? NULL : kith_node_of(tree, entity);
    bool             mutual = next != NULL && next->parent == at.node->parent &&
                  (walk == KITH_FORWARD ? next->previous : next->next) == at.entity;
    return mutual ? (kith_place){ entity, next } : (kith_place){ 0 };
}

// Counts `top`, which is a node, and all nodes below it.
uint32_t kith_node_count_from(const kith_storage *tree, kith_entity top);

// Climbs to the child of `ancestor` that is `*at` or above it; if there is none, to the root.
// Returns how far. Stops after as many steps as there are nodes: then links form a cycle.
uint32_t kith_node_climb(const kith_storage *tree, kith_place *at, kith_entity ancestor);

// Answers at once if `ancestor` has no children: otherwise building a chain by appending at its end
// would cost the square of its length. Places without a node are below none.
bool kith_node_is_below(const kith_storage *tree, kith_place at, kith_place ancestor);

// --- writing ---------------------------------------------------------------------------------

// Clears links of a node that are not mutual. Writes, and so marks the node as changed, only if
// there are any. Does nothing if the entity is no node.
void kith_node_clear_stale_links(const kith_storage *tree, kith_entity entity);

// Makes the node a child, before the sibling `next_one`, or the last one if that is KITH_NULL. If
// `parent_one` is KITH_NULL, makes the node a root. Checks nothing.
void kith_node_move(const kith_storage *tree, kith_entity entity, kith_entity parent_one,
                    kith_entity next_one);

// Does the same, but first checks that both are nodes, that the parent is neither the child nor
// below it, and that the links that change are mutual. The caller checks the links of `next_one`.
// Returns what is wrong, and changes nothing then, or NULL.
const char *kith_node_join(kith_storage *tree, kith_entity parent_one, kith_entity child_one,
                           kith_entity next_one);

// Makes the entity and all its children roots.
void kith_node_isolate(kith_storage *tree, kith_entity entity);

// Sorts the children, whose links are mutual. Equal children keep their order.
void kith_node_sort_children(const kith_storage *tree, kith_entity parent,
                             kith_compare_entities_fn compare, void *context);

// --- checking --------------------------------------------------------------------------------

// Return what is wrong, or NULL: with the links to the parent and the siblings, or to the children.
// The first function sets the rows of these nodes; KITH_NO_ROW: there is no such node.
const char *kith_node_check_place(const kith_storage *tree, kith_place at, kith_linked_rows *rows);
const char *kith_node_check_children(const kith_storage *tree, kith_place at);

// --- cloning (hierarchy.c) -------------------------------------------------------------------

// Makes the component with the same id in `world` a hierarchy with the policy of `from`. Returns
// false and reports an error when memory runs out.
bool kith_hierarchy_register_like(kith_world *world, const kith_storage *from);

// Clones of nodes, with their originals: clones[i] is the clone of originals[i].
typedef struct kith_cloned_nodes {
    const kith_storage    *from; // the hierarchy of the originals
    const kith_handle_map *originals;
    const kith_entity     *clones;
    bool                  *alone; // written here: clone i is a node without links
} kith_cloned_nodes;

// Links clones without links as their originals are linked among each other, in the same order.
void kith_hierarchy_link_clones(kith_storage *tree, const kith_cloned_nodes *nodes);
