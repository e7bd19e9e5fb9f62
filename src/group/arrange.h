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
#ifndef KITH_GROUP_ARRANGE_H
#define KITH_GROUP_ARRANGE_H

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

#endif
