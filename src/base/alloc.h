// SPDX-License-Identifier: MIT
// Memory: the one way to the allocator. Whoever takes a block remembers its size and alignment and
// says them again when giving it back, so an allocator needs no headers of its own.
#ifndef KITH_BASE_ALLOC_H
#define KITH_BASE_ALLOC_H

#include "base/simd.h"

// Blocks that are walked start on a cache line.
#define KITH_CACHE_LINE 64u

// The given allocator, or the C library's heap where it is all zero.
KITH_INTERNAL kith_allocator kith_allocator_or_heap(kith_allocator given);

// Returns a block, or NULL. A size of SIZE_MAX / 2 or more is a sum that overflowed
// (kith_size_add): it gets NULL. The second form fills the block with zeros.
KITH_INTERNAL void *kith_alloc(const kith_allocator *from, size_t size, size_t alignment);
KITH_INTERNAL void *kith_alloc_zeroed(const kith_allocator *from, size_t size, size_t alignment);

// A block with the bytes of another, which is not NULL; or NULL.
KITH_INTERNAL void *kith_alloc_copy(const kith_allocator *from, const void *source, size_t size,
                                    size_t alignment);

// Gives a block back. NULL is fine.
KITH_INTERNAL void kith_free(const kith_allocator *to, void *memory, size_t size, size_t alignment);

// The most bytes of memory that loading a file of `bytes` may take; `wanted` is the caller's
// kith_load_desc.bytes.
static inline size_t kith_budget_limit(size_t wanted, size_t bytes)
{
    const size_t least = (size_t)1 << 30;
    const size_t often = bytes > SIZE_MAX / 64 ? SIZE_MAX : bytes * 64;
    return wanted != 0 ? wanted : often > least ? often : least;
}

// An array of pointers with room for at least `needed`, at least doubled: returns the new array
// with the old pointers in it and the old array given back, or NULL, leaving the old one as it was.
KITH_INTERNAL void *kith_alloc_grow(const kith_allocator *from, void *array, uint32_t *capacity,
                                    uint32_t needed);
KITH_INTERNAL void  kith_free_array(const kith_allocator *to, void *array, uint32_t capacity);

#endif
