// SPDX-License-Identifier: MIT
// Groups, and the order of rows: sorting, arranging, paths. Part of kith.h.
#ifndef KITH_GROUP_H
#define KITH_GROUP_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A group; made by kith_group_create and owned by its world.
typedef struct kith_group kith_group;

/// What kind of number a key field is.
typedef enum kith_key_type {
    KITH_KEY_U8  = 0,
    KITH_KEY_U16 = 1,
    KITH_KEY_U32 = 2,
    KITH_KEY_U64 = 3,
    KITH_KEY_I8  = 4,
    KITH_KEY_I16 = 5,
    KITH_KEY_I32 = 6,
    KITH_KEY_I64 = 7,
    KITH_KEY_F32 = 8,
    KITH_KEY_F64 = 9
} kith_key_type;

/// The field of a value to sort by. KITH_KEY in typed.h makes it from the type and the field.
typedef struct kith_sort_key {
    uint32_t      offset; // in the value, in bytes
    kith_key_type type;
    bool          descending;
} kith_sort_key;

/// Compares two values, or two entities: below 0 when `a` comes before `b`, above 0 when after it,
/// 0 when either may.
typedef int (*kith_compare_fn)(const void *a, const void *b, void *context);
typedef int (*kith_compare_entities_fn)(kith_entity a, kith_entity b, void *context);

#define KITH_PATH_COMPONENTS_MAX 8u

/// Components whose pools are to be in one order, the most important first. Copied.
typedef struct kith_path_desc {
    const char           *name; // for messages; may be NULL
    const kith_component *components;
    uint32_t              component_count; // 1 to KITH_PATH_COMPONENTS_MAX
} kith_path_desc;

/// A path; made by kith_path_create and owned by its world.
typedef struct kith_path kith_path;

// ---------------------------------------------------------------------------------------------
// Groups: entities that are kept together
//
// A group has the terms of a query: own, write, read, with, without. Its members are whom such a
// query would visit, at every moment.
// Owning      The members are the first rows of each component that the group owns, in the same
//             order: a loop gets whole pages as plain arrays, without looking anything up. A
//             component that cannot move (stable) can be asked for and not owned.
// Not owning  Without an own term the group keeps a list of its members and moves no row.
// Loops       A query with the terms of a group walks the group. The order of its terms, their
//             access and further optional terms do not matter. So making or destroying the group
//             changes the order of its loops. A query with a lead, or with changed, added or
//             disabled terms of these components, does not walk the group.
// Order       A member joins behind the others; the last one takes the place of one that leaves.
//             Making a group lets everyone in by the order of the smallest component, after the
//             members of a group that is inside it.
// Nested      Groups that own a common component must be one inside the other: the inner one has
//             all terms of the outer, and owns all that it owns.
// Loops open  Nothing moves: a loop over a group that changed visits the members that still are,
//             then those that have become, by the order of their changes; kith_group_count is right
//             at once. Settling closes the gaps: of removed rows that it owns from the highest
//             down, then of who else left by the order of the changes; then lets in who joined.
// ---------------------------------------------------------------------------------------------

/// Makes a group of these terms, or finds it. NULL and an error for other roles, for no component
/// with rows, for the terms of a group that owns something else, for a group that shares an owned
/// component with another and is not nested with it (the message names both), without memory, and
/// while a loop is open. O(smallest component x terms); joining and leaving cost O(owned).
KITH_API kith_group *kith_group_create(kith_world *world, const kith_query_desc *desc);

/// Undoes one create; with the last one the group is gone and rows stay where they are. False and
/// an error while a loop is open, and for the create of a system. O(terms + groups).
KITH_API bool kith_group_destroy(kith_group *group);

/// How many members there are, and whether an entity is one. O(1), O(terms).
KITH_API uint32_t kith_group_count(const kith_group *group);
KITH_API bool     kith_group_contains(const kith_group *group, kith_entity entity);

/// Sort the members as the calls under "Order" sort the rows of a pool, with the same rules: by the
/// values of one of the components that every member has (owned or not, stable ones too), by
/// entities, by a number in such values, as the rows of any component are. What the group owns
/// moves, all of it alike; a group that owns nothing sorts its list and moves no row. The members
/// of a group inside this one stay in front: they are sorted by themselves and the others by
/// themselves, and sorting the inner group sorts those of this one with it. Errors as there, and a
/// component that the members need not have (KITH_ERROR_ARGUMENT).
KITH_API bool kith_group_sort(kith_group *group, kith_component component, kith_compare_fn compare,
                              void *context);
KITH_API bool kith_group_sort_entities(kith_group *group, kith_compare_entities_fn compare,
                                       void *context);
KITH_API bool kith_group_sort_by(kith_group *group, kith_component component,
                                 const kith_sort_key *key);
KITH_API bool kith_group_sort_as(kith_group *group, kith_component other);

/// The group's description, for loops over its members, and its world. O(1).
KITH_API const kith_query_desc *kith_group_describe(const kith_group *group);
KITH_API kith_world            *kith_group_world(const kith_group *group);

// ---------------------------------------------------------------------------------------------
// Order
//
// Sorting puts the rows of a pool into another order, and with it every loop that this component
// leads. It lasts until rows come and go: an added row comes last, and a removed row's place is
// taken by the last one. Sorting again what is nearly sorted is cheap. A loop with the terms of a
// group, optional ones apart, has the group's order instead. "What decides an order" in
// docs/guide.md lists every order that can be seen, and the calls that decide it.
//
// Stable      What compares equal keeps its order.
// Moves       Only rows whose place changes: their values (through the move hook, if there is one),
//             disable bits and page stamps. A pool that is in order already stays untouched.
// Memory      O(rows), taken before anything moves and given back.
// Errors      A pool whose policy is stable (KITH_ERROR_POLICY), flags, singletons, and tags where
//             values are asked for (KITH_ERROR_KIND); a NULL function, a key that does not lie in
//             the value, a pool that a group owns (KITH_ERROR_ARGUMENT: sort the group instead,
//             see "Groups"); as what moves rows: in loops, listeners, hooks.
// ---------------------------------------------------------------------------------------------

/// Sorts the rows by their values, as `compare` says, which may ask the world and not change it. If
/// its answers contradict each other the order is any. O(rows log rows) comparisons, O(rows) where
/// few rows are out of order.
KITH_API bool kith_component_sort(kith_world *world, kith_component component,
                                  kith_compare_fn compare, void *context);

/// The same by entities: also for tags, and for what other components of the entities say.
KITH_API bool kith_component_sort_entities(kith_world *world, kith_component component,
                                           kith_compare_entities_fn compare, void *context);

/// Sorts the rows by a number in their values. -0 comes before +0, NaN after every number, and all
/// NaN are equal; descending, +0 comes before -0, and NaN is still last. O(rows), and where few
/// rows are out of order little more than reading the keys once.
KITH_API bool kith_component_sort_by(kith_world *world, kith_component component,
                                     const kith_sort_key *key);

/// Puts the rows of entities that have `other`, too, first, in the order of `other`'s rows; the
/// rest keep their order behind them. `other` may be any component with rows, stable ones too.
/// O(rows of both).
KITH_API bool kith_component_sort_as(kith_world *world, kith_component component,
                                     kith_component other);

// ---------------------------------------------------------------------------------------------
// Arranging: several pools in one order
//
// A loop is fast where the rows of its components are in the same order. Arranging A, B and C gives
//
//     pool A   [ ABC | AB | AC | A ]
//     pool B   [ ABC | AB | BC | B ]
//     pool C   [ ABC | AC | BC | C ]
//
// so that loops over any of the three find long runs. An entity's lead is the first listed of the
// components that it has. Every pool has the entities of an earlier lead first, each lead's in the
// order of the lead's pool; then come those that it leads itself, by their sets as shown: who has
// the next component comes before who has not, and so on.
//
// Moves       Rows are exchanged, one pair after the other, and the call stops when `budget` pairs
//             are: the next call goes on where it stopped, and many small calls do what one large
//             one does. Among the entities that a pool leads, the first row in the wrong place is
//             exchanged with the first row that is wrong where its set belongs, until none is.
// Cost        Who came or went since costs a few exchanges where there are two components, or each
//             entity has those before the last that it has. In other cases a set that begins at
//             another row in each pool may have to follow as a whole: up to its entities.
// Groups      The members of a group stay in front of the pools that it owns; the rest is arranged
//             behind them. Components that a group owns lead before the others.
// Errors      As for sorting; no component, more than KITH_PATH_COMPONENTS_MAX or one named twice
//             (KITH_ERROR_ARGUMENT); a component with the trait `keep_order` (KITH_ERROR_POLICY).
// ---------------------------------------------------------------------------------------------

/// Arranges the components' pools, with at most `budget` exchanges of two rows; UINT32_MAX: as many
/// as it takes. Returns how many were made: fewer than `budget` when everything is in order, 0 for
/// an error. Never allocates. Announces nothing. O(rows of all, to find what is wrong + exchanges).
KITH_API uint32_t kith_world_arrange(kith_world *world, const kith_component *components,
                                     uint32_t component_count, uint32_t budget);

// ---------------------------------------------------------------------------------------------
// Paths: arrangements that the world remembers
//
//     KITH_PATH(physics, position, velocity, mass);           // once, at file scope
//
//     physics_path(world);                                    // before or after the data
//     ...
//     kith_path_arrange_all(world, 1000);                     // every frame
//
// A path is a list of components that kith_path_arrange arranges, as kith_world_arrange does, and
// that costs O(components) while their rows are as it left them. Where paths have a component in
// common it is the oldest's: to the others it leads before all their own components, does not move,
// and those follow it. Sorting, or kith_world_arrange, may undo what a path did: it does it again.
// ---------------------------------------------------------------------------------------------

/// Makes a path of these components, or finds the one with the same in the same order. NULL and an
/// error as for kith_world_arrange, or without memory. Moves nothing; legal in loops. O(paths).
KITH_API kith_path *kith_path_create(kith_world *world, const kith_path_desc *desc);

/// Undoes one create; with the last one the path is gone and rows stay where they are. False for
/// NULL, and an error from inside a hook. O(paths).
KITH_API bool kith_path_destroy(kith_path *path);

/// Arranges the path's components, or those of all paths, the oldest first. As kith_world_arrange.
KITH_API uint32_t kith_path_arrange(kith_path *path, uint32_t budget);
KITH_API uint32_t kith_path_arrange_all(kith_world *world, uint32_t budget);

/// The path's description, and its world. O(1).
KITH_API const kith_path_desc *kith_path_describe(const kith_path *path);
KITH_API kith_world           *kith_path_world(const kith_path *path);

/// Whether the path is in order, and what keeps its components from it: older paths, and groups.
/// The text is written as by kith_error_text. O(components x groups).
KITH_API size_t kith_path_explain(const kith_path *path, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
