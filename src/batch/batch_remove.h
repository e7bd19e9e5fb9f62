// SPDX-License-Identifier: MIT
// Dropping: what goes from the entities of a batch, components or everything.
//
// By definition each row leaves a hole and the holes are closed at the end. As long as the rows
// that go from a simple pool follow on each other no hole is made: the pool keeps a stretch of
// rows that are gone, and at the end one cut takes them all out.
//
//     [ kept | gone: first .. end - 1 | kept ]
//
// In what a group owns the members behind the stretch fill it first, all pools alike, and what is
// cut is at the border. Where the pools do not agree the rows become holes, and the group closes
// them when the world settles.
#ifndef KITH_BATCH_BATCH_REMOVE_H
#define KITH_BATCH_BATCH_REMOVE_H

#include "batch/entity_list.h"

typedef struct kith_drop {
    kith_world    *world;
    kith_signature what;    // components that go, and which somebody has
    bool           ends;    // the entities end, and everything goes
    bool           singly;  // someone hears of it, or a loop is open
    bool           grouped; // some leave groups, or join them
    const char    *call;
    uint64_t       asked; // of the first 64 columns: those for which the next is decided
    uint64_t       cuts;  // those whose rows are a stretch so far
    uint32_t       first[64];
    uint32_t       end[64];
} kith_drop;

// Begins to drop components, or entities if `what` is NULL. The world is held until the end.
KITH_INTERNAL void kith_drop_begin(kith_drop *drop, kith_world *world, const kith_signature *what,
                                   const char *call);

// Whether those who hear of it can be told; if not it is an error.
KITH_INTERNAL bool kith_drop_hearable(const kith_drop *drop);

// Whether all can be told that hear of it, and nobody is going already; if not it is an error.
// Comes after kith_drop_begin, and if it is false nothing was dropped.
KITH_INTERNAL bool kith_drop_allowed(const kith_drop *drop, const kith_crowd *crowd);

// Drops from a crowd. Several may follow on each other.
KITH_INTERNAL void kith_drop_from(kith_drop *drop, const kith_crowd *crowd);
KITH_INTERNAL void kith_drop_end(kith_drop *drop);

#endif
