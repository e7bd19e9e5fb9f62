// SPDX-License-Identifier: MIT
// A rule: how two rows of a pool compare, by a key field of their values or by a function.
#ifndef KITH_GROUP_GROUP_H
#define KITH_GROUP_GROUP_H

#include "world/world.h"

// How a key's bits become a number to compare; rule.c explains it.
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
    // whether row `a` comes before row `b` by what they hold
    bool (*less)(const kith_sort_rule *rule, uint32_t a, uint32_t b);
    // the first of the rows from `row` to `end` that comes before the one ahead of it, which for
    // `row` is `last`; `end` when none does
    uint32_t (*next_descent)(const kith_sort_rule *rule, uint32_t last, uint32_t row, uint32_t end);
    // of each row 32 bits of its key, from bit `shift` on, above the row; NULL: there are no keys
    void (*pairs)(const kith_sort_rule *rule, const uint32_t *rows, uint32_t count, uint32_t shift,
                  uint64_t *pairs);
} kith_sort_rule_functions;

struct kith_sort_rule {
    kith_sort_rule_functions call;
    const kith_pool         *pool;
    kith_key_reader          key;
    kith_compare_fn          values;
    kith_compare_entities_fn entities;
    const kith_entity_table *table;
    void                    *context;
};

// `key` lies within the values.
KITH_INTERNAL kith_sort_rule kith_sort_rule_by_key(const kith_pool *pool, const kith_sort_key *key);
KITH_INTERNAL kith_sort_rule kith_sort_rule_by_values(const kith_pool *pool,
                                                      kith_compare_fn compare, void *context);
KITH_INTERNAL kith_sort_rule kith_sort_rule_by_entities(const kith_pool         *pool,
                                                        const kith_entity_table *table,
                                                        kith_compare_entities_fn compare,
                                                        void                    *context);

// How many bytes a key has, and how it must be aligned in a value.
KITH_INTERNAL uint32_t kith_key_bytes(kith_key_type type);
KITH_INTERNAL uint32_t kith_key_alignment(kith_key_type type);

// --- row_sort ------------------------------------------------------------
//
// Sorting a list of rows by a rule, stably: by the digits of their keys, or by merging.

// `scratch` has as many bytes as the first says, aligned for 64 bits.
KITH_INTERNAL size_t kith_sort_bytes(const kith_sort_rule *rule, uint32_t count);
KITH_INTERNAL size_t kith_sort_bytes_most(uint32_t count); // by whatever rule
KITH_INTERNAL void   kith_sort_rows(const kith_sort_rule *rule, uint32_t *rows, uint32_t count,
                                    void *scratch);

// --- permutation ------------------------------------------------------------
//
// A permutation: which rows of a pool change their places, and where to. It is only found here;
// kith_pool_rearrange makes the moves, in as many pools as have the same rows.
//
// What a program sorts was mostly sorted a frame ago. So the rows are first split into those that
// ascend and the displaced ones. Few of these are sorted alone and find their places among the
// others by halving; where there are more, all rows are sorted.

typedef struct kith_permutation {
    kith_move *moves; // by ascending `to`, none of a row to itself
    uint32_t   count;
    void      *memory;
    size_t     bytes;
} kith_permutation;

// The order of the rows from `first` to `end`, among which are no holes. False when memory runs
// out.
KITH_INTERNAL bool kith_permutation_find(const kith_sort_rule *rule, uint32_t first, uint32_t end,
                                         const kith_allocator *memory, kith_permutation *found);

// The same as the members of `other` have it; who is not there comes behind.
KITH_INTERNAL bool kith_permutation_find_as(const kith_sparse_set *set, uint32_t first,
                                            uint32_t end, const kith_sparse_set *other,
                                            const kith_allocator *memory, kith_permutation *found);

// The most bytes that finding takes, by whatever rule, together with what it leaves.
KITH_INTERNAL size_t kith_permutation_bytes(uint32_t count);

KITH_INTERNAL void kith_permutation_forget(kith_permutation *found, const kith_allocator *memory);

// --- path ------------------------------------------------------------
//
// An arrangement: several pools that are brought into one order, an exchange of two rows after the
// other.
//
//     lead 0   [ fixed | led by 0, by sets                          ]
//     lead 1   [ fixed | led by 0, as there | led by 1, by sets     ]
//     lead 2   [ fixed | led by 0, as there | as in lead 1 | by ... ]
//
// An entity's set is a number: of n components the first is bit n - 1, the last bit 0; the first
// that it has leads it. Higher sets come first. The next exchange follows from the rows as they
// are, and each brings at least one row to where it stays: so it does not matter how the work is
// divided among calls.

typedef struct kith_arrangement {
    const kith_entity_table *entities;
    uint32_t                 count;
    kith_storage            *storages[KITH_PATH_COMPONENTS_MAX]; // by the order in which they lead
    uint32_t                 fixed[KITH_PATH_COMPONENTS_MAX];    // rows at the front that stay
    uint32_t                 led[KITH_PATH_COMPONENTS_MAX];      // the first row that it leads
    uint32_t                 budget;                             // exchanges that may still be made
    bool                     stopped;                            // one was needed and not made
} kith_arrangement;

// The storages of these components, if they can be arranged; if not it is an error.
KITH_INTERNAL bool kith_arrange_storages(kith_world *world, const kith_component *components,
                                         uint32_t count, kith_storage **storages, const char *call);

// What there is to do. Columns that belong to another path than this one, if there is one, stay as
// they are and lead before the others; then come those that groups own.
KITH_INTERNAL void kith_arrangement_make(kith_arrangement *arrangement, const kith_world *world,
                                         kith_storage *const *storages, uint32_t count,
                                         const struct kith_path *path);

// Does it, as far as the budget lets it. Returns the number of exchanges.
KITH_INTERNAL uint32_t kith_arrangement_run(kith_arrangement *arrangement, uint32_t budget);

// --- path ------------------------------------------------------------
//
// Paths: arrangements that a world remembers, in a list from the oldest to the newest. A storage
// belongs to the oldest path that has it; to the others it is given, and their storages follow it.
//
// After arranging a path notes what its pools were like. As long as they are, there is nothing to
// do.

// A storage as it was: a row that came, went or moved, and a group's members, show in it.
typedef struct kith_path_state {
    const kith_storage *storage;
    uint64_t            moves;
    uint32_t            rows;
    uint32_t            fixed;
} kith_path_state;

struct kith_path {
    kith_world     *world;
    kith_path      *next;
    kith_path_desc  desc;   // name and components are the path's own
    uint64_t        owners; // creates without their destroy
    kith_storage   *storages[KITH_PATH_COMPONENTS_MAX];
    kith_path_state states[KITH_PATH_COMPONENTS_MAX]; // by the order in which they lead
    bool            arranged;                         // when they were like that
};

KITH_INTERNAL bool kith_path_has(const kith_path *path, const kith_storage *storage);

// Whether nothing is left to do.
KITH_INTERNAL bool kith_path_arranged(const kith_path *path);

// Makes the paths of another world in one with the same components, owned by nobody; false, with an
// error, when memory runs out.
KITH_INTERNAL bool kith_world_copy_paths(kith_world *world, const kith_world *from);

// Gives every path back; the bytes of all.
KITH_INTERNAL void   kith_world_free_paths(kith_world *world);
KITH_INTERNAL size_t kith_world_path_bytes(const kith_world *world);

#endif
