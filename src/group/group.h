// SPDX-License-Identifier: MIT
// Groups as a whole, and the order of rows: sorting a pool or the members of a group, and paths,
// which bring several pools into one order. world/group.h has the struct and its members.
//
//     kith_sort_rule  -->  kith_sort_rows  -->  kith_permutation  -->  kith_pool_rearrange
//     compares two rows    sorts a list         which row moves        moves the rows, in every
//                          of rows              where                  pool of a group alike
#ifndef KITH_GROUP_GROUP_H
#define KITH_GROUP_GROUP_H

#include "store/field.h"
#include "world/group.h"

// --- groups (group.c) ------------------------------------------------------------------------

// The group whose members are exactly the entities that a loop with this plan visits, or NULL. The
// order may differ.
KITH_INTERNAL kith_group *kith_plan_group(const kith_world *world, const kith_plan *plan);

// Reserves the index of a group that owns nothing: room for every entity with its first component.
// Returns false when memory runs out.
KITH_INTERNAL bool kith_group_reserve_list(kith_group *group);

// Whether the group owns the storage's rows.
KITH_INTERNAL bool kith_group_owns(const kith_group *group, const kith_storage *storage);

// Whether `group`, which owns pools, is the inner group of `other`.
KITH_INTERNAL bool kith_group_within(const kith_group *group, const kith_group *other);

// The storage whose first rows are the members: the owned one with the fewest rows, or the index.
KITH_INTERNAL const kith_storage *kith_group_lead(const kith_group *group);

// The index of the first entity that a loop visits, or KITH_NO_INDEX.
KITH_INTERNAL uint32_t kith_group_first(const kith_group *group);

// kith_group_of without setting `kept`: for a tracked system, and for clones.
KITH_INTERNAL kith_group *kith_group_take(kith_world *world, const kith_query_desc *desc);

// Drops the group, or frees it if the program has no pointer to it. The world is at rest.
KITH_INTERNAL void kith_group_end(kith_group *group);

// Makes the groups of `from` in a world without components on entities. After
// the pools are copied, the second function copies the members. Both return false, with an error,
// when memory runs out.
KITH_INTERNAL bool kith_world_copy_groups(kith_world *world, const kith_world *from);
KITH_INTERNAL bool kith_world_copy_members(kith_world *world, const kith_world *from);

// --- sort rules ------------------------------------------------------------------------------

// How the bits of a key become an unsigned number to compare; row_sort.c explains it.
typedef struct kith_key_reader {
    uint32_t offset;
    uint32_t bytes;
    bool     real; // a float
    uint64_t all;  // bits
    uint64_t turn;
    uint64_t magnitude; // of floats the bits below the sign
    uint64_t lowest;
    uint64_t nan; // the number of all NaN; no other is higher
} kith_key_reader;

typedef struct kith_sort_rule kith_sort_rule;

typedef struct kith_sort_rule_functions {
    // Whether row `a` must come before row `b`.
    bool (*less)(const kith_sort_rule *rule, uint32_t a, uint32_t b);
    // The first of the rows `row` .. `end` - 1 that must come before its predecessor, or `end`. The
    // predecessor of `row` is `last`.
    uint32_t (*next_descent)(const kith_sort_rule *rule, uint32_t last, uint32_t row, uint32_t end);
    // Writes a pair for each row: 32 bits of its key from bit `shift` on, above the row. NULL: the
    // rule has no keys.
    void (*pairs)(const kith_sort_rule *rule, const uint32_t *rows, uint32_t count, uint32_t shift,
                  uint64_t *pairs);
} kith_sort_rule_functions;

// How two rows of a pool compare: by a key field of their values, or by a function of the caller.
struct kith_sort_rule {
    kith_sort_rule_functions call;
    const kith_pool         *pool;
    kith_key_reader          key;
    const kith_entity_table *table;
    kith_sort_desc           by;
};

// `by` has a key, which lies within the values, or one of the functions.
KITH_INTERNAL kith_sort_rule kith_sort_rule_of(const kith_pool         *pool,
                                               const kith_entity_table *table,
                                               const kith_sort_desc    *by);

// --- sorting a list of rows ------------------------------------------------------------------

// Sorts stably: by the digits of keys, or by merging. `scratch` has kith_sort_bytes() bytes,
// aligned for 64 bits. kith_sort_bytes_max() is enough for every rule.
KITH_INTERNAL size_t kith_sort_bytes(const kith_sort_rule *rule, uint32_t count);
KITH_INTERNAL size_t kith_sort_bytes_max(uint32_t count);
KITH_INTERNAL void   kith_sort_rows(const kith_sort_rule *rule, uint32_t *rows, uint32_t count,
                                    void *scratch);

// --- permutations ----------------------------------------------------------------------------
//
// Which rows of a pool change places, and where they go. A permutation moves nothing by itself:
// kith_pool_rearrange applies it to every pool with the same rows.
//
// Programs mostly sort pools that they sorted a frame ago. So this first splits the rows into those
// that ascend and the displaced ones between them:
//
//     keys       1  2  9  3  4  5  0  6        ascending  1 2 3 4 5 6      displaced  9 0
//
// When the displaced rows are few, only they are sorted; a binary search then finds their places.
// Otherwise all rows are sorted.

typedef struct kith_permutation {
    kith_move *moves; // by ascending `to`; no row moves to itself
    uint32_t   count;
    void      *memory;
    size_t     bytes;
} kith_permutation;

// Orders the rows `first` .. `end` - 1, which have no holes, by a rule. Returns false when memory
// runs out.
KITH_INTERNAL bool kith_permutation_by_rule(const kith_sort_rule *rule, uint32_t first,
                                            uint32_t end, const kith_allocator *memory,
                                            kith_permutation *found);

// Orders them as the set `other` orders the same entities. Entities that `other` lacks come last.
KITH_INTERNAL bool kith_permutation_by_set(const kith_sparse_set *set, uint32_t first, uint32_t end,
                                           const kith_sparse_set *other,
                                           const kith_allocator *memory, kith_permutation *found);

// The most bytes that both need at once, the permutation included.
KITH_INTERNAL size_t kith_permutation_bytes(uint32_t count);

KITH_INTERNAL void kith_permutation_free(kith_permutation *found, const kith_allocator *memory);

// --- arrangements ----------------------------------------------------------------------------
//
// An arrangement brings several pools into one order by exchanging two rows at a time. The storages
// lead in turn; the rows of each are, from the front:
//
//     lead 0   [ fixed | led by 0, by sets                                      ]
//     lead 1   [ fixed | led by 0, in its order | led by 1, by sets             ]
//     lead 2   [ fixed | led by 0, in its order | led by 1, ... | led by 2, ... ]
//
// The set of an entity is a number: of n components, the first is bit n - 1, the last is bit 0. The
// first component that the entity has leads it. Higher sets come first.
//
// The next exchange follows from the rows alone, and each exchange brings at least one row to its
// final place. So a budget can divide the work among calls in any way.

typedef struct kith_arrangement {
    const kith_entity_table *entities;
    uint32_t                 count;
    kith_storage            *storages[KITH_PATH_COMPONENTS_MAX]; // in the order in which they lead
    uint32_t                 fixed[KITH_PATH_COMPONENTS_MAX];    // rows at the front that stay
    uint32_t                 led[KITH_PATH_COMPONENTS_MAX];      // the first row that it leads
    uint32_t                 budget;                             // exchanges left
    bool                     stopped;                            // the budget ended before the work
} kith_arrangement;

// Finds the storages of the components; returns false, with an error, when one cannot be arranged.
KITH_INTERNAL bool kith_arrangement_storages(kith_world *world, const kith_component *components,
                                             uint32_t count, kith_storage **storages,
                                             const char *call);

// Decides the order of the leads. First come storages that belong to a path other than `path`:
// their rows stay. Then those that a group owns: the members stay. `path` may be NULL.
KITH_INTERNAL void kith_arrangement_init(kith_arrangement *job, const kith_world *world,
                                         kith_storage *const *storages, uint32_t count,
                                         const struct kith_path *path);

// Makes at most `budget` exchanges; returns how many it made.
KITH_INTERNAL uint32_t kith_arrangement_run(kith_arrangement *job, uint32_t budget);

// --- paths -----------------------------------------------------------------------------------
//
// A path is an arrangement that the world keeps, in a list with the oldest first. A storage belongs
// to the oldest path that has it. The other paths with it follow its order.
//
// After arranging, a path records the state of its pools. While that state lasts, there is nothing
// to do.

// Two equal states: no row was added, removed or moved, and no group gained or lost members.
typedef struct kith_path_state {
    const kith_storage *storage;
    uint64_t            moves;
    uint32_t            rows;
    uint32_t            fixed;
} kith_path_state;

struct kith_path {
    kith_object     object;
    kith_path      *next;
    kith_path_desc  desc; // owns its name and components
    kith_storage   *storages[KITH_PATH_COMPONENTS_MAX];
    kith_path_state states[KITH_PATH_COMPONENTS_MAX]; // in the order in which they lead
    bool            arranged;                         // in those states
    bool            dropped;                          // kith_path_of takes it up again
};

KITH_INTERNAL bool kith_path_has(const kith_path *path, const kith_storage *storage);

// Whether arranging the path would do nothing.
KITH_INTERNAL bool kith_path_arranged(const kith_path *path);

// Makes the paths of `from` in a world with the same components. Returns false, with an error, when
// memory runs out.
KITH_INTERNAL bool kith_world_copy_paths(kith_world *world, const kith_world *from);

#endif
