// SPDX-License-Identifier: MIT
// Memory: every allocation of kith goes through these functions. The owner of a block stores its
// size and alignment and passes both to kith_free, so an allocator needs no headers of its own.
#pragma once

#include "base/simd.h"

// The alignment of blocks that loops walk.
#define KITH_CACHE_LINE 64u

// Returns `given`, or the heap of the C library when `given` is all zero.
kith_allocator kith_allocator_or_heap(kith_allocator given);

// Returns a block, or NULL when memory runs out. Returns NULL too when `size` >= SIZE_MAX / 2: such
// a size is a sum that overflowed (kith_size_add). The second function fills the block with zeros.
void *kith_alloc(const kith_allocator *from, size_t size, size_t align);
void *kith_alloc_zeroed(const kith_allocator *from, size_t size, size_t alignment);

// Returns a block with a copy of the bytes at `source`, which is not NULL; NULL when memory runs
// out.
void *kith_alloc_copy(const kith_allocator *from, const void *source, size_t size,
                      size_t alignment);

// Builds with KITH_DEBUG mark bytes that hold nothing. `poison` fills them with 0xdd; under ASan an
// access is an error then, until `unpoison`.
#ifdef KITH_DEBUG
void kith_poison(void *memory, size_t size);
void kith_unpoison(const void *memory, size_t size);
#else
    #define kith_poison(MEMORY, SIZE)   ((void)(MEMORY), (void)(SIZE))
    #define kith_unpoison(MEMORY, SIZE) ((void)(MEMORY), (void)(SIZE))
#endif

// Frees a block. `memory` may be NULL.
void kith_free(const kith_allocator *to, void *memory, size_t size, size_t alignment);

// Makes room for `needed` elements of `size` bytes, which is their alignment too. `array` is the
// address of the pointer to them. An array that grows gets at least twice its capacity, and zeros
// behind the old elements. Returns false and changes nothing when memory runs out.
bool kith_alloc_more(const kith_allocator *from, void *array, uint32_t *capacity, uint32_t needed,
                     size_t size);

// The same for an array of pointers, which begins with four.
bool kith_alloc_grow(const kith_allocator *from, void *array, uint32_t *capacity, uint32_t needed);
void kith_free_array(const kith_allocator *to, void *array, uint32_t capacity);

// Copies a structure with all that it points to into one block. The same walk counts the bytes and
// makes the copy: without memory the copier only counts, and its functions return NULL.
typedef struct kith_copier {
    uint8_t *memory; // aligned to 8
    size_t   used;
} kith_copier;

// Takes `size` bytes of the block, aligned to 8, and copies `bytes` there, unless that is NULL. The
// second function copies a text, which may be NULL.
void       *kith_copier_put(kith_copier *to, const void *bytes, size_t size);
const char *kith_copier_text(kith_copier *to, const char *text);
