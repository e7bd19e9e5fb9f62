// SPDX-License-Identifier: MIT
// Memory: the one way to the allocator. Whoever takes a block remembers its size and alignment and
// says them again when giving it back, so an allocator needs no headers of its own.
#ifndef KITH_MEMORY_H
#define KITH_MEMORY_H

#include "array.h"

// Blocks that are walked start on a cache line.
#define KITH_CACHE_LINE 64u

// The given allocator, or the C library's heap where it is all zero.
KITH_INTERNAL kith_allocator kith_memory_source(kith_allocator given);

// A block, or NULL, also for SIZE_MAX / 2 bytes and more, which a sum of sizes that is too large is
// (kith_arena_sum); the second form is filled with zeros.
KITH_INTERNAL void *kith_memory_take(const kith_allocator *from, size_t size, size_t alignment);
KITH_INTERNAL void *kith_memory_take_zeroed(const kith_allocator *from, size_t size,
                                            size_t alignment);

// A block with the bytes of another, which is not NULL; or NULL.
KITH_INTERNAL void *kith_memory_take_copy(const kith_allocator *from, const void *source,
                                          size_t size, size_t alignment);

// Gives a block back. NULL is fine.
KITH_INTERNAL void kith_memory_give(const kith_allocator *to, void *memory, size_t size,
                                    size_t alignment);

// What is taken from an allocator and not given back, as long as that stays within a limit.
typedef struct kith_budget {
    kith_allocator source;
    size_t         limit;
    size_t         taken;
    size_t         asked; // what the newest refusal would have made of `taken`; 0: there was none
} kith_budget;

// Lets the allocator count in the budget, until `source` is put in its place again.
KITH_INTERNAL void kith_budget_begin(kith_budget *budget, kith_allocator *memory, size_t limit);

// The limit for loading so many bytes, if a caller wants this one.
static inline size_t kith_budget_limit(size_t wanted, size_t bytes)
{
    const size_t least = (size_t)1 << 30;
    const size_t often = bytes > SIZE_MAX / 64 ? SIZE_MAX : bytes * 64;
    return wanted != 0 ? wanted : often > least ? often : least;
}

// An array of pointers with room for at least `needed`, at least doubled: returns the new array
// with the old pointers in it and the old array given back, or NULL, leaving the old one as it was.
KITH_INTERNAL void *kith_memory_grow(const kith_allocator *from, void *array, uint32_t *capacity,
                                     uint32_t needed);
KITH_INTERNAL void kith_memory_give_array(const kith_allocator *to, void *array, uint32_t capacity);

#endif
