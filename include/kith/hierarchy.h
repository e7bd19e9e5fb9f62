// SPDX-License-Identifier: MIT
// Hierarchies: entities with a parent and ordered children. Optional; include it beside kith.h.
//
//     enum { SCENE = 7 };
//     KITH_COMPONENT(scene, kith_node, SCENE);                // for queries; not needed otherwise
//
//     kith_hierarchy_register(world, &(kith_hierarchy_desc){ .name = "scene", .id = SCENE });
//     kith_hierarchy_append(world, SCENE, tank, turret);      // as the tank's last child
//
//     kith_entity e = tank;                                   // the tank and all nodes below it
//     for (; e != KITH_NULL; e = kith_hierarchy_next(world, SCENE, tank, e)) {
//         ...
//     }
//
// Threads     Any number of threads may call functions that take a `const kith_world *`, while no
//             thread changes the world. All others belong to the world's thread.
#ifndef KITH_HIERARCHY_H
#define KITH_HIERARCHY_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Hierarchies
//
// A hierarchy is a component whose values are only links. An entity that has the component is a
// node; a node may be alone. A world may have several hierarchies, each with its own component. The
// parameter `hierarchy` of the calls below is the id of that component.
//
// Values      The program may read the values: by get, in loops, and on several threads, as for any
//             component. A new value is always a node alone, whatever bytes it is set to; so is
//             each copy of a prefab. Setting the value of an existing node (set, batches, commands)
//             changes nothing, announces nothing and stamps nothing, as for a tag.
//             Only the calls below may write links. After any other write (patch, mut, a column for
//             writing) kith_hierarchy_validate returns false. Calls that read then ignore a link
//             that the other node does not return. Calls that change links refuse to change broken
//             ones, with KITH_ERROR_ARGUMENT.
// Removing    A node that is removed, by whatever call, leaves its parent, and its children become
//             roots. When the entity of a node is destroyed, `children` decides: the children
//             become roots, or all nodes below are destroyed too. They go in batches, the lowest
//             first, from the last child to the first.
//             When other listeners get the remove event, the node is alone already. Listeners with
//             `many` get a batch before that.
// Events      A call that makes an entity a node announces that add. A call that links a node
//             elsewhere then announces set, for that node alone: insert, append, insert_at and
//             detach for the child, sort_children for the parent. Links of other nodes change with
//             it, and children of a removed node become roots: that announces nothing.
// Changes     Changing a link stamps the page, as kith_component_mut does. With `row_ticks`, of the
//             rows only the node of the set event counts as changed, and each child of a removed
//             node. So `changed(scene)` finds one moved node as one.
// Errors      Calls that write fail for a null, dead or dying entity as kith_component_add does.
//             They fail with KITH_ERROR_BUSY from inside a hook, and for a node whose add event is
//             still to be announced. Every call fails with KITH_ERROR_ARGUMENT for a component that
//             is no hierarchy. For calls that read, an entity that is no node is never an error:
//             they return NULL, 0, false or KITH_NULL.
// Cost        O(1) unless the comment says otherwise. No call recurses. Only calls that make an
//             entity a node allocate.
// ---------------------------------------------------------------------------------------------

/// What happens to the children of an entity that is destroyed.
typedef enum kith_children {
    KITH_CHILDREN_ORPHAN  = 0, // they become roots
    KITH_CHILDREN_DESTROY = 1  // they and all nodes below them are destroyed; they only become
                               // roots when listeners are nested too deep for that, or when a
                               // link keeps them alive (KITH_TARGET_REFUSE)
} kith_children;

/// Returns the word of the enumerator, such as "orphan"; "?" for any other number. The text is
/// static. O(1).
KITH_API const char *kith_children_name(kith_children children);

/// How to register a hierarchy.
typedef struct kith_hierarchy_desc {
    const char    *name; // of the component
    kith_component id;   // of the component; 0: the next run-time id
    kith_children  children;
    bool           row_ticks; // the trait of that name: see "Changes"
} kith_hierarchy_desc;

/// The links of a node: the value of the component. All zero: a node alone.
typedef struct kith_node {
    kith_entity parent;   // KITH_NULL: a root, which has no siblings
    kith_entity first;    // child
    kith_entity last;     // child
    kith_entity previous; // sibling
    kith_entity next;     // sibling
    uint32_t    count;    // of children
    uint32_t    unused;   // 0
} kith_node;

/// How links are saved and hashed, unless the component was registered before with another form.
KITH_FIELDS(kith_node, entity(parent), entity(first), entity(last), entity(previous), entity(next),
            u32(count), kith_skip(unused));

/// Registers a component as a hierarchy and returns its id. Registering it again with the same
/// description is allowed. The component may be registered already, by KITH_COMPONENT without
/// traits, and may have values with valid links. From then on it keeps kith's hooks, also when it
/// is registered again.
///
/// Returns 0 and records an error as kith_component_register does. In addition it records:
/// - KITH_ERROR_ARGUMENT when links are invalid;
/// - KITH_ERROR_ARGUMENT when a listener for the component's add or remove has the highest possible
///   priority: it could destroy entities before kith knows that their links go;
/// - KITH_ERROR_CONFLICT when the hierarchy is registered with another `children`.
///
/// O(listeners + rows).
KITH_API kith_component kith_hierarchy_register(kith_world *world, const kith_hierarchy_desc *desc);

// ---------------------------------------------------------------------------------------------
// Changing links
// ---------------------------------------------------------------------------------------------

/// Makes `child` a child of `parent`: in front of the sibling `before`, or as the last child when
/// `before` is KITH_NULL. Makes both entities nodes if they are not. A child that had a parent
/// leaves it, and takes all nodes below along.
///
/// Returns false and records KITH_ERROR_ARGUMENT when `parent` is `child` or below it (the message
/// names both), and when `before` is not another child of `parent`. Records KITH_ERROR_MEMORY when
/// memory runs out. Returns false also when a listener removes a new node. O(depth of `parent`).
KITH_API bool kith_hierarchy_insert(kith_world *world, kith_component hierarchy, kith_entity parent,
                                    kith_entity child, kith_entity before);

/// Makes `child` the last child of `parent`. Otherwise as kith_hierarchy_insert.
KITH_API bool kith_hierarchy_append(kith_world *world, kith_component hierarchy, kith_entity parent,
                                    kith_entity child);

/// Records kith_hierarchy_append: command.h says when a call is refused, and how it is applied.
/// Both entities may be placeholders of the commands. If one of them is dead then, the command is
/// skipped. A component that is no hierarchy then, and a parent below the child, are errors of
/// applying. O(1).
KITH_API bool kith_hierarchy_append_later(kith_commands *commands, kith_component hierarchy,
                                          kith_entity parent, kith_entity child);

/// Makes `child` the child at `place`, counted from 0 among the other children, or the last child
/// when there are fewer. Otherwise as kith_hierarchy_insert. O(depth of `parent` + place).
KITH_API bool kith_hierarchy_insert_at(kith_world *world, kith_component hierarchy,
                                       kith_entity parent, kith_entity child, uint32_t place);

/// Makes the entity a root. It keeps all nodes below it. Returns whether it had a parent.
KITH_API bool kith_hierarchy_detach(kith_world *world, kith_component hierarchy,
                                    kith_entity entity);

/// Sorts the children of an entity. Equal children keep their order. `compare` may read the world
/// but not change it; meanwhile the links between these children are incomplete. Returns false when
/// the entity is no node. Returns false and records KITH_ERROR_ARGUMENT when `compare` is NULL.
/// O(n log n) comparisons for n children.
KITH_API bool kith_hierarchy_sort_children(kith_world *world, kith_component hierarchy,
                                           kith_entity parent, kith_compare_entities_fn compare,
                                           void *context);

/// Sorts the component's rows in breadth-first order: first the roots in the order of their rows,
/// then their children, parent by parent, and so on. A loop over these rows then visits each parent
/// before its children. kith_component_sort with `as` gives other components the same order. As for
/// any sort, the order lasts until rows are added or removed, or links change.
///
/// Returns false with the errors of kith_component_sort, and records KITH_ERROR_ARGUMENT when
/// kith_hierarchy_validate would return false. Moves only rows that are in another place. Allocates
/// nothing. O(rows).
KITH_API bool kith_hierarchy_sort(kith_world *world, kith_component hierarchy);

// ---------------------------------------------------------------------------------------------
// Reading links
//
//     const kith_node *links = kith_component_get(world, entity, SCENE);    // NULL: it is no node
// ---------------------------------------------------------------------------------------------

/// Returns the root above the entity, or the entity itself if it is a root. KITH_NULL: it is no
/// node. O(depth).
KITH_API kith_entity kith_hierarchy_root(const kith_world *world, kith_component hierarchy,
                                         kith_entity entity);

/// Returns the number of nodes above the entity: 0 for a root. O(depth).
KITH_API uint32_t kith_hierarchy_depth(const kith_world *world, kith_component hierarchy,
                                       kith_entity entity);

/// Returns whether `entity` is below `ancestor`, at any depth. No entity is below itself. O(depth).
KITH_API bool kith_hierarchy_is_below(const kith_world *world, kith_component hierarchy,
                                      kith_entity entity, kith_entity ancestor);

/// Walks `top` and all nodes below it depth-first, parents before their children. KITH_NULL gives
/// `top`, each entity gives the next one, and KITH_NULL is returned at the end. The walk has no
/// state and needs no end: each call follows the links of the moment. So any change is legal that
/// leaves `entity` below `top`. To remove `entity`, get the next one first. If `entity` is not
/// below `top`, the walk never reaches `top`, and ends. A whole walk is O(nodes).
KITH_API kith_entity kith_hierarchy_next(const kith_world *world, kith_component hierarchy,
                                         kith_entity top, kith_entity entity);

/// Returns the next entity of the same walk, but skips all nodes below `entity`.
KITH_API kith_entity kith_hierarchy_skip(const kith_world *world, kith_component hierarchy,
                                         kith_entity top, kith_entity entity);

/// Writes `top` and all nodes below it breadth-first, at most `capacity` of them. Returns the
/// number of all of them. O(nodes).
KITH_API uint32_t kith_hierarchy_levels(const kith_world *world, kith_component hierarchy,
                                        kith_entity top, kith_entity *entities, uint32_t capacity);

/// Checks that all links agree with each other and that no node is below itself. Returns false and
/// points `reason` (if not NULL) to a static sentence when they do not: the program wrote the
/// values, or kith has a bug. O(rows).
KITH_API bool kith_hierarchy_validate(const kith_world *world, kith_component hierarchy,
                                      const char **reason);

#ifdef __cplusplus
}
#endif

#endif
