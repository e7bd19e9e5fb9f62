// SPDX-License-Identifier: MIT
// An arena: one block of an allocator. A world with an arena allocates everything from it.
//
//     [ arena | lines of 64 bytes                                  | edges ]
//               [ used | free | used | used | free | used | top ... ]
//
// An allocation is a number of whole lines. The caller passes the size again when it frees them, so
// used lines need no header. A stretch is a run of free lines. It stores its length in its first
// and in its last line, and `edges` has a bit for each of these two lines. Freeing lines looks at
// the bits of both neighbours and joins free ones. Invariant: no two stretches touch.
//
// Stretches are in lists by length, eight lists for each power of two, so lengths in a list differ
// by less than an eighth. An allocation tries three places, each in O(1):
//   1. a few stretches of the list for its own length, where some are long enough;
//   2. the next list that is not empty, where all are long enough;
//   3. the lines from `top` on, which are in no list.
//
// The top comes last, so the choice of lines does not depend on the size of the arena. Therefore
// the highest top tells which size would have been enough for the same calls.
#pragma once

#include "base/alloc.h"

#define KITH_ARENA_LISTS 240u

typedef struct kith_arena {
    kith_allocator source; // allocated the block
    size_t         size;   // of the block
    uint8_t       *base;   // the first line
    uint64_t      *edges;
    uint32_t       lines;
    uint32_t       used;
    uint32_t       top;   // all lines from here on are free
    uint32_t       peak;  // the highest value that `top` has had
    size_t         asked; // bytes that the newest allocation asked for, if it failed; otherwise 0
    bool           spills;
    uint64_t       filled[(KITH_ARENA_LISTS + 63) / 64]; // bit i: list i is not empty
    uint32_t       lists[KITH_ARENA_LISTS];              // the first line of the first stretch
} kith_arena;

// Returns sum + count * size, or SIZE_MAX / 2 when that is larger: kith_alloc refuses this size.
size_t kith_size_add(size_t sum, size_t count, size_t size);

// Returns the size of a block whose arena has room for one allocation of `bytes`; SIZE_MAX when no
// arena is that large.
size_t kith_arena_size_for(size_t bytes);

// Creates an arena in a block of `size` bytes, which is at least kith_arena_size_for(1). Returns
// NULL when memory runs out. If `spills`, an arena that is full allocates from its source.
kith_arena *kith_arena_create(const kith_allocator *source, size_t size, bool spills);
void        kith_arena_destroy(kith_arena *arena); // NULL: nothing to do

// Returns the arena as an allocator.
kith_allocator kith_arena_allocator(kith_arena *arena);

// Whether `memory` points into the lines of the arena.
bool kith_arena_contains(const kith_arena *arena, const void *memory);

// Returns the smallest size with which all allocations so far would have succeeded.
size_t kith_arena_peak(const kith_arena *arena);

// Checks the invariants. Returns NULL, or a sentence that says what is wrong.
const char *kith_arena_fault(const kith_arena *arena);
