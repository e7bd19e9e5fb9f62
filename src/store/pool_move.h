// SPDX-License-Identifier: MIT
// The rows of a pool in other places: two exchanged, runs brought forward or closed up, or all of
// them in another order. Values, lookups and disable bits go with their rows; pages that change are
// stamped.
#ifndef KITH_STORE_POOL_MOVE_H
#define KITH_STORE_POOL_MOVE_H

#include "store/pool.h"

// Exchanges two rows.
KITH_INTERNAL void kith_pool_swap(kith_pool *pool, uint32_t a, uint32_t b);

// Moves a row to `to`, where there is nothing, as now in `from`.
KITH_INTERNAL void kith_pool_pass_on(kith_pool *pool, uint32_t from, uint32_t to);

// Exchanges two rows of which `a` may be a hole; `b` then is one, in no list of holes.
KITH_INTERNAL void kith_pool_exchange(kith_pool *pool, uint32_t a, uint32_t b);

// Takes out `count` rows of a simple pool, from `first` on, whose slots are empty already: the last
// rows close the gap, as if the rows had been left and the holes closed.
KITH_INTERNAL void kith_pool_cut(kith_pool *pool, uint32_t first, uint32_t count);

// The rows from `first` on are gone, as above. Their places are filled from the highest to the
// lowest, each time with the last row before `end`, so that the rows before `end` are free instead:
//
//     [ .. | gone | tail | .. ]    ->    [ .. | tail | gone | .. ]
//
// The first says whether that can be done: whether so many of the tail can wait for their places.
KITH_INTERNAL bool kith_pool_can_retire(const kith_pool *pool, uint32_t count, uint32_t tail);
KITH_INTERNAL void kith_pool_retire(kith_pool *pool, uint32_t first, uint32_t count, uint32_t end);

// Swaps `count` rows from `from` on with those from `to` on, one after the other; `to` is not
// higher. Few rows between the two are passed in one go.
KITH_INTERNAL void kith_pool_bring(kith_pool *pool, uint32_t to, uint32_t from, uint32_t count);

// Makes all moves at once, and there are some: by ascending `to`, none of a row to itself, each row
// that is left is taken too. `buffer` has as many bytes as the first says, aligned for ticks.
KITH_INTERNAL size_t kith_pool_rearrange_bytes(const kith_pool *pool, uint32_t count);
KITH_INTERNAL void   kith_pool_rearrange(kith_pool *pool, kith_move *moves, uint32_t count,
                                         void *buffer);

#endif
