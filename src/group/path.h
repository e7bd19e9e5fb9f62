// SPDX-License-Identifier: MIT
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
#ifndef KITH_GROUP_PATH_H
#define KITH_GROUP_PATH_H

#include "world/world.h"

typedef struct kith_arrangement {
    const kith_entity_table *entities;
    uint32_t                 count;
    kith_column             *columns[KITH_PATH_COMPONENTS_MAX]; // by the order in which they lead
    uint32_t                 fixed[KITH_PATH_COMPONENTS_MAX];   // rows at the front that stay
    uint32_t                 led[KITH_PATH_COMPONENTS_MAX];     // the first row that it leads
    uint32_t                 budget;                            // exchanges that may still be made
    bool                     stopped;                           // one was needed and not made
} kith_arrangement;

// The columns of these components, if they can be arranged; if not it is an error.
KITH_INTERNAL bool kith_arrange_columns(kith_world *world, const kith_component *components,
                                        uint32_t count, kith_column **columns, const char *call);

// What there is to do. Columns that belong to another path than this one, if there is one, stay as
// they are and lead before the others; then come those that groups own.
KITH_INTERNAL void kith_arrangement_make(kith_arrangement *arrangement, const kith_world *world,
                                         kith_column *const *columns, uint32_t count,
                                         const struct kith_path *path);

// Does it, as far as the budget lets it. Returns the number of exchanges.
KITH_INTERNAL uint32_t kith_arrangement_run(kith_arrangement *arrangement, uint32_t budget);

// --- path ------------------------------------------------------------
//
// Paths: arrangements that a world remembers, in a list from the oldest to the newest. A column
// belongs to the oldest path that has it; to the others it is given, and their columns follow it.
//
// After arranging a path notes what its pools were like. As long as they are, there is nothing to
// do.

// A column as it was: a row that came, went or moved, and a group's members, show in it.
typedef struct kith_path_state {
    const kith_column *column;
    uint64_t           moves;
    uint32_t           rows;
    uint32_t           fixed;
} kith_path_state;

struct kith_path {
    kith_world     *world;
    kith_path      *next;
    kith_path_desc  desc;   // name and components are the path's own
    uint64_t        owners; // creates without their destroy
    kith_column    *columns[KITH_PATH_COMPONENTS_MAX];
    kith_path_state states[KITH_PATH_COMPONENTS_MAX]; // by the order in which they lead
    bool            arranged;                         // when they were like that
};

KITH_INTERNAL bool kith_path_has(const kith_path *path, const kith_column *column);

// Whether nothing is left to do.
KITH_INTERNAL bool kith_path_arranged(const kith_path *path);

// Makes the paths of another world in one with the same components, owned by nobody; false, with an
// error, when memory runs out.
KITH_INTERNAL bool kith_world_copy_paths(kith_world *world, const kith_world *from);

// Gives every path back; the bytes of all.
KITH_INTERNAL void   kith_world_give_paths(kith_world *world);
KITH_INTERNAL size_t kith_world_path_bytes(const kith_world *world);

#endif
