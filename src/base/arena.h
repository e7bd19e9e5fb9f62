// SPDX-License-Identifier: MIT
// An arena: one block of an allocator, out of which a world takes everything.
//
//     [ arena | lines of 64 bytes                                  | edges ]
//               [ used | free | used | used | free | used | top ... ]
//
// Whoever takes gets whole lines, and says how many when giving them back, so lines in use need no
// header. A free stretch keeps its length in its first and in its last line, and `edges` has a bit
// for each such line: who gives lines back finds the free neighbours by these bits and joins them.
// No two free stretches touch.
//
// Free stretches are in lists by length, eight lists for each power of two: those in a list differ
// by less than an eighth. Taking looks at a few of the list where lengths may just suffice, then
// takes from the next list that has any, where all suffice, then from the lines at the top, which
// are in no list. All that is O(1).
//
// The top comes last, so where lines are taken does not depend on how large the arena is: the
// highest top says which size would have been enough for the same calls.
#ifndef KITH_BASE_ARENA_H
#define KITH_BASE_ARENA_H

#include "base/alloc.h"

#define KITH_ARENA_LISTS 240u

typedef struct kith_arena {
    kith_allocator source; // of the block
    size_t         size;   // of the block
    uint8_t       *base;   // the first line
    uint64_t      *edges;
    uint32_t       lines;
    uint32_t       used;
    uint32_t       top;   // the lines from here on are free
    uint32_t       peak;  // the highest that the top has been
    size_t         asked; // bytes that were not there, if that was the newest call; otherwise 0
    bool           spills;
    uint64_t       filled[(KITH_ARENA_LISTS + 63) / 64]; // which lists have any, a bit each
    uint32_t       lists[KITH_ARENA_LISTS];
} kith_arena;

// `sum` and `count` times `size`; SIZE_MAX / 2, of which no block is, if that is more.
KITH_INTERNAL size_t kith_size_add(size_t sum, size_t count, size_t size);

// The bytes of a block whose arena has room for `bytes` taken at once; SIZE_MAX: there is none.
KITH_INTERNAL size_t kith_arena_size_for(size_t bytes);

// Takes a block of `size` bytes, at least kith_arena_size_for(1). NULL when there is none. An arena
// that `spills` asks its source for what it has no room for.
KITH_INTERNAL kith_arena *kith_arena_create(const kith_allocator *source, size_t size, bool spills);
KITH_INTERNAL void        kith_arena_destroy(kith_arena *arena);

// The arena as an allocator.
KITH_INTERNAL kith_allocator kith_arena_allocator(kith_arena *arena);

// Whether the address is one of the arena's.
KITH_INTERNAL bool kith_arena_contains(const kith_arena *arena, const void *memory);

// The size with which all calls so far would have succeeded, and no smaller one.
KITH_INTERNAL size_t kith_arena_peak(const kith_arena *arena);

// NULL, or the sentence that says what does not hold.
KITH_INTERNAL const char *kith_arena_fault(const kith_arena *arena);

#endif
