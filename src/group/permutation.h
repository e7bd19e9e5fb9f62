// SPDX-License-Identifier: MIT
// A permutation: which rows of a pool change their places, and where to. It is only found here;
// kith_pool_rearrange makes the moves, in as many pools as have the same rows.
//
// What a program sorts was mostly sorted a frame ago. So the rows are first split into those that
// ascend and the displaced ones. Few of these are sorted alone and find their places among the
// others by halving; where there are more, all rows are sorted.
#ifndef KITH_GROUP_PERMUTATION_H
#define KITH_GROUP_PERMUTATION_H

#include "group/row_sort.h"

typedef struct kith_permutation {
    kith_move *moves; // by ascending `to`, none of a row to itself
    uint32_t   count;
    void      *memory;
    size_t     bytes;
} kith_permutation;

// The order of the rows from `first` to `end`, among which are no holes. False when memory runs
// out.
KITH_INTERNAL bool kith_permutation_find(const kith_rule *rule, uint32_t first, uint32_t end,
                                         const kith_allocator *memory, kith_permutation *found);

// The same as the members of `other` have it; who is not there comes behind.
KITH_INTERNAL bool kith_permutation_find_as(const kith_sparse_set *set, uint32_t first,
                                            uint32_t end, const kith_sparse_set *other,
                                            const kith_allocator *memory, kith_permutation *found);

// The most bytes that finding takes, by whatever rule, together with what it leaves.
KITH_INTERNAL size_t kith_permutation_bytes(uint32_t count);

KITH_INTERNAL void kith_permutation_forget(kith_permutation *found, const kith_allocator *memory);

#endif
