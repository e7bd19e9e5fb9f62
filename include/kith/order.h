// SPDX-License-Identifier: MIT
// The order of rows: sorting a pool, arranging several alike, and paths that the world remembers.
// Part of kith.h.
#ifndef KITH_ORDER_H
#define KITH_ORDER_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

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
