// SPDX-License-Identifier: MIT
// Groups, and the order of rows: sorting, arranging, paths. Part of kith.h.
//
// Threads     Any number of threads may call functions that take a const group or a const path,
//             while no thread changes the world. All others belong to the world's thread.
#ifndef KITH_GROUP_H
#define KITH_GROUP_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A group; kith_group_of makes it. The pointer stays valid as long as the world, also after
/// kith_group_drop.
typedef struct kith_group kith_group;

/// The field of a value to sort by. KITH_KEY in typed.h makes it from the type and the field.
typedef struct kith_sort_key {
    uint32_t        offset; // in the value, in bytes; aligned for the type
    kith_field_type type;   // a number: KITH_TYPE_U8 to KITH_TYPE_F64
    bool            descending;
} kith_sort_key;

/// Compare two values, or two entities. Return a number below 0 when `a` comes before `b`, above 0
/// when `a` comes after `b`, and 0 when both are equal.
typedef int (*kith_compare_fn)(const void *a, const void *b, void *context);
typedef int (*kith_compare_entities_fn)(kith_entity a, kith_entity b, void *context);

/// The order of a sort. Exactly one of key, compare, compare_entities and as is set.
typedef struct kith_sort_desc {
    const kith_sort_key     *key;              // by a number in the values
    kith_compare_fn          compare;          // by values
    kith_compare_entities_fn compare_entities; // by entities
    void                    *context;          // for the function
    kith_component           as;               // in the order of this component's rows
} kith_sort_desc;

#define KITH_PATH_COMPONENTS_MAX 8u

/// Components whose pools a path brings into one order, the most important first. Copied.
typedef struct kith_path_desc {
    const char           *name; // for messages; may be NULL
    const kith_component *components;
    uint32_t              component_count; // 1 to KITH_PATH_COMPONENTS_MAX
} kith_path_desc;

/// A path; kith_path_of makes it. The pointer stays valid as long as the world, also after
/// kith_path_drop.
typedef struct kith_path kith_path;

// ---------------------------------------------------------------------------------------------
// Groups: entities that are kept together
//
// A group has the terms of a query: own, write, read, with, without. At every moment its members
// are the entities that such a query would visit.
// Owning      The members are the first rows of each component that the group owns, in the same
//             order. A loop gets whole pages as plain arrays and looks nothing up. A group may
//             include tags, flags and stable components, but cannot own them.
// Not owning  Without an own term the group keeps a list of its members and moves no row.
// Loops       A query with the terms of a group walks the group. The order of its terms, their
//             access and additional optional terms do not matter. So making or dropping the group
//             changes the order of such loops. A query does not walk the group if it has a
//             lead, an any term, or changed, added or disabled terms of these components.
//             A query with more terms walks the members, too, if they are fewer than the rows of
//             each component of the query, and if the group owns rows and requires nothing but
//             components with rows. It walks rows as without the group if it has a lead, changed
//             or added terms, while a row of the world is disabled, and while entities wait for
//             settling to join or leave a group. Of several groups, the one with the fewest
//             members counts; if equal, the one with fewer terms, then the older one.
// Order       A new member comes last. The last member takes the place of one that leaves. A new
//             group takes its members in the row order of its smallest component, after the
//             members of a group nested inside it.
// Nested      If two groups own the same component, one must be inside the other: the inner group
//             has all terms of the outer one and owns all components that the outer one owns.
// Open loops  While a loop is open, no row moves, and kith_group_count is right at once. A loop
//             over a group that changed visits the remaining members. Then it visits the new
//             members, in the order of their changes.
// Settling    Settling first closes the gaps of removed rows that the group owns, from the highest
//             row down. Then it closes the gaps of other members that left, in the order of the
//             changes. Then the new members join.
// ---------------------------------------------------------------------------------------------

/// Returns the world's group of these terms; the first call, and the first after a drop, makes it.
/// Returns NULL, with KITH_ERROR_ARGUMENT, in these cases:
/// - A term has another role than those above, or owns a stable component.
/// - No term includes a component with rows.
/// - A group with the same terms owns other components.
/// - The group and another one own the same component and are not nested; the message names both.
///
/// Also returns NULL when it would own a tag or a flag (KITH_ERROR_KIND) or memory runs out. Fails
/// with KITH_ERROR_BUSY from inside a hook; making it also while a loop is open or a listener runs.
/// Name, order and access of the terms stay those of the call that made it first, also after a
/// drop. O(smallest component x terms). Joining and leaving cost O(owned).
KITH_API kith_group *kith_group_of(kith_world *world, const kith_query_desc *desc);

/// Ends the group: the world no longer keeps its entities together, and rows stay where they are.
/// Pointers to it stay valid: it has no members until kith_group_of, or a tracked system with these
/// terms, makes it again. Returns true, also for NULL. No declared access is needed. Fails with
/// KITH_ERROR_BUSY while a loop is open or a listener or hook runs, and while a tracked system uses
/// the group. O(terms + groups).
KITH_API bool kith_group_drop(kith_group *group);

/// Return the number of members, O(1), and whether an entity is a member, O(terms).
KITH_API uint32_t kith_group_count(const kith_group *group);
KITH_API bool     kith_group_contains(const kith_group *group, kith_entity entity);

/// Returns the description of the call that made the group first. O(1).
KITH_API const kith_query_desc *kith_group_describe(const kith_group *group);

// ---------------------------------------------------------------------------------------------
// Sorting: the order of the rows of a pool, or of the members of a group
//
// Sorting changes the order of a pool's rows, and so of every loop that this component leads. The
// order lasts until rows are added or removed: an added row comes last, and the last row takes the
// place of a removed one. Sorting rows that are nearly sorted is cheap. A loop with the terms of a
// group, optional ones not counted, follows the order of the group instead. "What decides an order"
// in docs/guide.md lists every visible order and the calls that decide it.
//
// Stable      Rows that compare equal keep their order.
// Moves       Only rows whose place changes move, with their values, disable bits and page stamps.
//             Values move through the move hook, if there is one. A sorted pool is not touched.
// Memory      O(rows), allocated before a row moves, and freed at the end. If memory runs out, no
//             row has moved.
// Errors      KITH_ERROR_POLICY: the pool is stable.
//             KITH_ERROR_KIND: the component is a flag or a singleton, or a tag where values are
//             compared.
//             KITH_ERROR_ARGUMENT: the description sets no order or more than one, the key is not
//             a number inside the value, or a group owns the pool; then sort the group.
//             KITH_ERROR_BUSY: a loop is open, or a listener or a hook runs.
// ---------------------------------------------------------------------------------------------

/// Sorts the rows of a component:
/// - `key`: by a number in their values. -0 comes before +0. NaN comes after every number, and all
///   NaN are equal. Descending, +0 comes before -0, and NaN is still last. O(rows). If few rows are
///   out of order, it costs little more than reading the keys once.
/// - `compare`: by their values. The function may read the world and must not change it. If its
///   answers contradict each other, the order is unspecified. O(rows log rows) comparisons; O(rows)
///   if few rows are out of order.
/// - `compare_entities`: by their entities, as `compare`: for tags, and to compare other components
///   of the entities.
/// - `as`: the rows of entities that also have this component come first, in the order of its rows.
///   The other rows keep their order behind them. It may be any component with rows, also a stable
///   one. O(rows of both).
KITH_API bool kith_component_sort(kith_world *world, kith_component component,
                                  const kith_sort_desc *desc);

/// Sorts the members of a group as kith_component_sort sorts the rows of a pool, with the same
/// rules:
/// - `key` and `compare` take the values of `component`. Every member must have it, owned or not,
///   also a stable one. Another component is KITH_ERROR_ARGUMENT. The other orders ignore it.
/// - All components that the group owns move in the same way. A group that owns nothing sorts its
///   list and moves no row.
/// - The members of a nested inner group stay in front. They are sorted apart from the others. So
///   sorting the inner group also sorts those members in the outer one.
KITH_API bool kith_group_sort(kith_group *group, kith_component component,
                              const kith_sort_desc *desc);

// ---------------------------------------------------------------------------------------------
// Arranging: several pools in one order
//
// A loop is fast where the rows of its components are in the same order. Arranging A, B and C gives
//
//     pool A   [ ABC | AB | AC | A ]
//     pool B   [ ABC | AB | BC | B ]
//     pool C   [ ABC | AC | BC | C ]
//
// Then loops over any of the three find long runs. An entity's lead is the first component in the
// list that it has. Each pool first has the entities of earlier leads, each in the order of the
// lead's pool. Then come the entities that the pool leads, by their sets as shown: an entity with
// the next component comes before one without it, and so on for the other components.
//
// Moves       The call exchanges pairs of rows and stops after `budget` pairs. The next call
//             continues there: several small calls do the same as one large call. Among the
//             entities that a pool leads, the first misplaced row is exchanged with the first
//             misplaced row in the place of its set. This repeats until no row is misplaced.
// Cost        An entity added or removed since the last call costs a few exchanges in two cases:
//             two components are arranged, or each entity has all listed components before the
//             last one that it has. Otherwise a set may begin at a different row in each pool and
//             have to move as a whole: up to one exchange for each of its entities.
// Groups      The members of a group stay in front of the pools that it owns. The other rows are
//             arranged behind them. Components that a group owns lead before the others.
// Errors      As for sorting, except that a group may own the pool. KITH_ERROR_ARGUMENT: no
//             component, more than KITH_PATH_COMPONENTS_MAX, or a component listed twice.
//             KITH_ERROR_POLICY: a component has the trait `keep_order`.
// ---------------------------------------------------------------------------------------------

/// Arranges the components' pools with at most `budget` exchanges of two rows; UINT32_MAX: as many
/// as needed. Returns the number of exchanges: less than `budget` when all is in order, and 0 for
/// an error. Never allocates. Announces nothing. O(rows of all components + exchanges).
KITH_API uint32_t kith_world_arrange(kith_world *world, const kith_component *components,
                                     uint32_t component_count, uint32_t budget);

// ---------------------------------------------------------------------------------------------
// Paths: arrangements that the world stores
//
//     KITH_PATH(physics, position, velocity, mass);           // once, at file scope
//
//     physics_path(world);                                    // before or after entities exist
//     ...
//     kith_path_arrange_all(world, 1000);                     // every frame
//
// A path is a list of components that kith_path_arrange arranges as kith_world_arrange does. While
// their rows are as that call left them, it costs only O(components). A component of several paths
// belongs to the oldest one. In the other paths it leads before their own components, does not
// move, and their components follow it. If sorting or kith_world_arrange undoes the order of a
// path, the next arranging restores it.
// ---------------------------------------------------------------------------------------------

/// Returns the world's path of these components in this order; the first call, and the first after
/// a drop, makes it the youngest path. Returns NULL with the errors of kith_world_arrange, or when
/// memory runs out. Moves nothing, and is legal while a loop is open. O(paths).
KITH_API kith_path *kith_path_of(kith_world *world, const kith_path_desc *desc);

/// Ends the path; rows stay where they are. Pointers to it stay valid: arranging it does nothing
/// until kith_path_of makes it again. Returns true, also for NULL. Fails with KITH_ERROR_BUSY from
/// inside a hook. O(paths).
KITH_API bool kith_path_drop(kith_path *path);

/// Arrange the components of the path, or of all paths, the oldest first. `budget` counts for all
/// paths together. Results and errors are those of kith_world_arrange.
KITH_API uint32_t kith_path_arrange(kith_path *path, uint32_t budget);
KITH_API uint32_t kith_path_arrange_all(kith_world *world, uint32_t budget);

/// Returns the description of the call that made the path first. O(1).
KITH_API const kith_path_desc *kith_path_describe(const kith_path *path);

/// Writes whether the path is in order, and which older paths and groups keep rows of its
/// components in place. Writes the text and returns its length as kith_error_text does.
/// O(components x groups).
KITH_API size_t kith_path_explain(const kith_path *path, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
