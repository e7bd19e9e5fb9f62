// SPDX-License-Identifier: MIT
// Groups as a whole, and the order of rows: sorting a pool or the members of a group, and paths,
// which bring several pools into one order. world/membership.h has the struct and its members.
//
//     kith_sort_rule  -->  kith_sort_moves  -->  kith_pool_rearrange
//     compares two rows    which row moves       moves the rows, in every pool of a group alike
//                          where
#pragma once

#include "world/membership.h"

// --- groups (group.c, membership.c) -----------------------------------------------------------

// The table for world->membership, and those of its functions that group.c has.
extern const kith_membership kith_group_membership;
kith_group                  *kith_group_find_plan(const kith_world *world, const kith_plan *plan);
uint32_t                     kith_group_lead_term(const kith_group *group, const kith_plan *plan);

// Whether the entity's rows are among the rows of the members. While the world is held this lags
// behind kith_group_matches.
bool kith_group_has_member(const kith_group *group, uint32_t index);

// Whether a living entity matches all terms but that of the component `but`, which may be NULL.
bool kith_group_matches(const kith_group *group, uint32_t index, const kith_storage *but);

// Adds every entity that matches the terms to a new group. The world must not be held.
void kith_group_fill(kith_group *group);

// Reserves the list of a group that owns nothing: room for every entity with its first component.
// Returns false when memory runs out.
bool kith_group_reserve_list(kith_group *group);

// The number of the storage's term; plan->count: the plan has none.
uint32_t kith_plan_term_of(const kith_plan *plan, const kith_storage *storage);

// Whether the group owns the storage's rows.
bool kith_group_owns(const kith_group *group, const kith_storage *storage);

// Whether `group`, which owns pools, is the inner group of `other`.
bool kith_group_within(const kith_group *group, const kith_group *other);

// The index of the first entity that a loop visits, or KITH_NO_INDEX.
uint32_t kith_group_first(const kith_group *group);

// kith_group_of without setting `by_program` and `has_pointer`: for a tracked system, and for
// clones.
kith_group *kith_group_take(kith_world *world, const kith_query_desc *desc);

// Drops the group, or frees it if the program has no pointer to it. The world is at rest.
void kith_group_end(kith_group *group);

// Makes the groups of `from` in a world without components on entities. After
// the pools are copied, the second function copies the members. Both return false, with an error,
// when memory runs out.
bool kith_world_copy_groups(kith_world *world, const kith_world *from);
bool kith_world_copy_members(kith_world *world, const kith_world *from);

// --- sorting rows ----------------------------------------------------------------------------
//
// Sorting finds which rows move where, and moves none. Rows stand in lists of stretches. A stretch
// is rows that follow each other and ascend, so that many rows which keep together cost as one:
//
//     keys        1  2  9  3  4  5  0  6
//     rows        0  1  2  3  4  5  6  7
//     runs       [0  1  2][3  4  5][6  7]       three lists with one stretch each
//     merged     [0  1][3  4  5][2]  [6  7]     the first two
//     merged     [6][0  1][3  4  5][7][2]
//     moves      6 -> 0, 0 -> 1, 1 -> 2, 7 -> 6, 2 -> 7
//
// Invariant: the lists together have each row that was looked at once, whatever the comparisons
// answer. Of two lists the first has the lower rows, so equal rows keep their order.
//
// Programs mostly sort rows that they sorted a frame ago: those make few stretches. Keys that make
// many are sorted by their digits instead.
//
//     kith_run_end      compares each row with the next, up to the first that is out of order
//     kith_sort_moves   by key O(rows), by comparing O(rows log rows); with few rows out of place
//                       little more than one comparison for each row

// How the bits of a key become an unsigned number to compare; row_sort.c explains it.
typedef struct kith_key_reader {
    uint32_t offset;
    uint32_t bytes;
    uint64_t all; // bits
    uint64_t turn;
    uint64_t magnitude; // of floats the bits below the sign
    uint64_t lowest;
    uint64_t nan; // the number of all NaN; no other is higher
} kith_key_reader;

// How two rows of a pool compare: by a key field of their values, or by a function of the caller.
typedef struct kith_sort_rule {
    const kith_pool         *pool;
    const kith_entity_table *table;
    kith_sort_desc           by;
    kith_key_reader          key;
    // Whether row `a` must come before row `b`.
    bool (*less)(const struct kith_sort_rule *rule, uint32_t a, uint32_t b);
} kith_sort_rule;

// `by` has a key, which lies within the values, or one of the functions.
kith_sort_rule kith_sort_rule_of(const kith_pool *pool, const kith_entity_table *table,
                                 const kith_sort_desc *by);

// What kith_pool_rearrange takes.
typedef struct kith_permutation {
    kith_move *moves; // by ascending `to`; no row moves to itself
    uint32_t   count;
} kith_permutation;

// The end of the run that begins at `row`: the first row that must come before its predecessor, or
// `end`. There are no holes, and `row` < `end`.
uint32_t kith_run_end(const kith_sort_rule *rule, uint32_t row, uint32_t end);

// Sorts the rows `first` .. `end` - 1, of which the first run ends at `run`. `scratch` has
// kith_sort_bytes() bytes, aligned for 64 bits. The moves lie in it.
kith_permutation kith_sort_moves(const kith_sort_rule *rule, uint32_t first, uint32_t run,
                                 uint32_t end, void *scratch);
size_t           kith_sort_bytes(uint32_t count);

// The most bytes that a call of the API allocates to sort `count` rows, besides those that
// kith_pool_rearrange needs.
size_t kith_permutation_bytes(uint32_t count);

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
bool kith_arrangement_storages(kith_world *world, const kith_component *components, uint32_t count,
                               kith_storage **storages, const char *call);

// Decides the order of the leads. First come storages that belong to a path other than `path`:
// their rows stay. Then those that a group owns: the members stay. `path` may be NULL.
void kith_arrangement_init(kith_arrangement *job, const kith_world *world,
                           kith_storage *const *storages, uint32_t count,
                           const struct kith_path *path);

// Makes at most `budget` exchanges; returns how many it made.
uint32_t kith_arrangement_run(kith_arrangement *job, uint32_t budget);

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

bool kith_path_has(const kith_path *path, const kith_storage *storage);

// Whether arranging the path would do nothing.
bool kith_path_arranged(const kith_path *path);

// Makes the paths of `from` in a world with the same components. Returns false, with an error, when
// memory runs out.
bool kith_world_copy_paths(kith_world *world, const kith_world *from);
