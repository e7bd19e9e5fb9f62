// SPDX-License-Identifier: MIT
// Hierarchies: entities with a parent and ordered children. Optional; include it beside kith.h.
//
//     enum { SCENE = 7 };
//     KITH_COMPONENT(scene, kith_node, SCENE);                // for queries; not needed otherwise
//
//     kith_hierarchy_register(world, &(kith_hierarchy_desc){ .name = "scene", .id = SCENE });
//     kith_hierarchy_append(world, SCENE, tank, turret);      // as the tank's last child
//
//     kith_entity e = tank;                                   // the tank and all that is below it
//     for (; e != KITH_NULL; e = kith_hierarchy_next(world, SCENE, tank, e)) {
//         ...
//     }
#ifndef KITH_HIERARCHY_H
#define KITH_HIERARCHY_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// A hierarchy is a component whose values are links, and nothing else: who has it is a node, which
// may be alone. A world may have several, each with a component of its own: `hierarchy` in the
// calls below is its id.
//
// Values      Are to be read: get, loops, threads that read as for any component. A value that is
//             new is a node alone, whatever bytes it came with: so is each copy of a prefab. A
//             value for a node that is there (set, batches, commands) changes nothing, is not
//             announced, and stamps nothing, as for a tag. Only the calls below may write; who
//             does it otherwise (patch, mut, a column for writing) makes kith_hierarchy_validate
//             answer false. A link that is not returned then counts as none for the questions; the
//             calls that change refuse what is broken (KITH_ERROR_ARGUMENT).
// Removing    A node that is removed, by whatever call, leaves its parent, and its children become
//             roots. A node whose entity is destroyed does the same, or takes everybody below it
//             along, as `children` says: the lowest first, from the last child to the first, in
//             batches. When other listeners hear of the removal the node is alone already, but
//             those with `many` hear of a batch before.
// Events      A call that makes an entity a node announces that add. Links announce nothing; they
//             stamp pages as kith_component_mut does.
// Errors      A null, dead or dying entity as for kith_component_add, a component that is no
//             hierarchy (KITH_ERROR_ARGUMENT), calls that write from inside a hook. That an entity
//             is no node is never an error for a question: NULL, 0, false, KITH_NULL.
// Cost        O(1) where nothing else is said. No call recurses, and only those that make an entity
//             a node need memory.
// ---------------------------------------------------------------------------------------------

/// What happens to the children of an entity that is destroyed.
typedef enum kith_children {
    KITH_CHILDREN_ORPHAN  = 0, // they become roots
    KITH_CHILDREN_DESTROY = 1  // they are destroyed too, and all below them; where listeners are
                               // nested too deep for that they have no parent any more
} kith_children;

/// How to make a hierarchy.
typedef struct kith_hierarchy_desc {
    const char    *name; // of the component
    kith_component id;   // of the component; 0: take the next run-time id
    kith_children  children;
} kith_hierarchy_desc;

/// An entity's place in a hierarchy: the component's value. All zero: a node alone.
typedef struct kith_node {
    kith_entity parent; // KITH_NULL: a root, which has no siblings
    kith_entity first;  // child
    kith_entity last;   // child
    kith_entity previous;
    kith_entity next;   // sibling
    uint32_t    count;  // of children
    uint32_t    unused; // 0
} kith_node;

/// How links are saved and hashed, unless the component was registered in another form before.
KITH_FIELDS(kith_node, entity(parent), entity(first), entity(last), entity(previous), entity(next),
            u32(count), kith_skip(unused));

/// Registers a component as a hierarchy and returns its id; telling it again in the same words is
/// fine. The component may be registered already, by KITH_COMPONENT without traits, and have values
/// whose links are valid; its hooks are kith's from now on, whoever registers it again. 0 and an
/// error as for kith_component_register, for invalid links, for the other policy, and when a
/// listener of the component's adds or removals has the highest priority there is (it could end
/// entities before their links are known to go). O(listeners + rows).
KITH_API kith_component kith_hierarchy_register(kith_world *world, const kith_hierarchy_desc *desc);

// --- changing --------------------------------------------------------------------------------

/// Makes `child` a child of `parent`, and both of them nodes where they are not: in front of the
/// sibling `before`, or as the last one if that is KITH_NULL. A child that had a place leaves it
/// and takes along what is below it. False and an error when `parent` is `child` or below it (the
/// message names both), when `before` is no other child of `parent`, without memory; false also
/// when a listener that heard of a new node took it away. O(depth of `parent`).
KITH_API bool kith_hierarchy_insert(kith_world *world, kith_component hierarchy, kith_entity parent,
                                    kith_entity child, kith_entity before);

/// The same as the last child.
KITH_API bool kith_hierarchy_append(kith_world *world, kith_component hierarchy, kith_entity parent,
                                    kith_entity child);

/// The same as the child at `place`, counted from 0 among the other children; as the last one when
/// there are not so many. O(depth of `parent` + place).
KITH_API bool kith_hierarchy_insert_at(kith_world *world, kith_component hierarchy,
                                       kith_entity parent, kith_entity child, uint32_t place);

/// Makes the entity a root, with all that is below it. Returns whether it had a parent.
KITH_API bool kith_hierarchy_detach(kith_world *world, kith_component hierarchy,
                                    kith_entity entity);

/// Sorts the children of an entity. Stable. `compare` may ask the world and not change it; the
/// links between these children are open meanwhile. False and an error for no function.
/// O(n log n) comparisons for n children.
KITH_API bool kith_hierarchy_sort_children(kith_world *world, kith_component hierarchy,
                                           kith_entity parent, kith_compare_entities_fn compare,
                                           void *context);

/// Puts the component's rows in breadth-first order: the roots as their rows are, then their
/// children, parent by parent, and so on. Then a loop that walks these rows comes to each parent
/// before its children, and kith_component_sort_as puts other components into the same order.
/// Lasts, as any sorting, until rows come and go or links change. Errors as for
/// kith_component_sort, and where kith_hierarchy_validate answers false. O(rows), without memory;
/// only rows that are elsewhere move.
KITH_API bool kith_hierarchy_sort(kith_world *world, kith_component hierarchy);

// --- asking ----------------------------------------------------------------------------------

/// The entity's links, or NULL where it is no node.
KITH_API const kith_node *kith_hierarchy_get(const kith_world *world, kith_component hierarchy,
                                             kith_entity entity);

/// The topmost of those above the entity, itself if it is a root. KITH_NULL: no node. O(depth).
KITH_API kith_entity kith_hierarchy_root(const kith_world *world, kith_component hierarchy,
                                         kith_entity entity);

/// How many are above the entity: 0 for a root. O(depth).
KITH_API uint32_t kith_hierarchy_depth(const kith_world *world, kith_component hierarchy,
                                       kith_entity entity);

/// Whether `entity` is below `ancestor`, at any depth. Nobody is below itself. O(depth).
KITH_API bool kith_hierarchy_is_below(const kith_world *world, kith_component hierarchy,
                                      kith_entity entity, kith_entity ancestor);

/// Walks `top` and all below it depth-first, parents before their children: KITH_NULL gives `top`,
/// each answer gives the next, KITH_NULL is the end. There is nothing to close: the answer follows
/// from the links as they are when it is asked for. So any change is legal on the way that leaves
/// `entity` below `top`; to take it away, ask for the next one first. From elsewhere a walk never
/// comes to `top`, and ends. A whole walk is O(nodes).
KITH_API kith_entity kith_hierarchy_next(const kith_world *world, kith_component hierarchy,
                                         kith_entity top, kith_entity entity);

/// The same without entering what is below `entity`.
KITH_API kith_entity kith_hierarchy_skip(const kith_world *world, kith_component hierarchy,
                                         kith_entity top, kith_entity entity);

/// Writes `top` and all below it breadth-first, level by level, at most `capacity` of them; returns
/// how many there are. O(nodes).
KITH_API uint32_t kith_hierarchy_levels(const kith_world *world, kith_component hierarchy,
                                        kith_entity top, kith_entity *entities, uint32_t capacity);

/// Proves that all links agree with each other and that nobody is below itself. Returns false and
/// points `reason` (if not NULL) to a static sentence when not: somebody wrote the values, or it is
/// a bug in kith. O(rows).
KITH_API bool kith_hierarchy_validate(const kith_world *world, kith_component hierarchy,
                                      const char **reason);

#ifdef __cplusplus
}
#endif

#endif
