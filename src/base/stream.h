// SPDX-License-Identifier: MIT
// Writing past the caches. What is larger than they are, and is not read again soon, need not push
// everything else out of them, nor be fetched before it is overwritten:
//
//     an ordinary store   memory -> cache (the line that is overwritten) ... cache -> memory
//     these               registers -> memory, a whole line at a time
//
// Where the processor has no such stores they are ordinary ones. Other threads see what was written
// when the call is over, as they would otherwise.
#ifndef KITH_BASE_STREAM_H
#define KITH_BASE_STREAM_H

#include "base/alloc.h"

// Fewer bytes than that are likely to be read again while some cache has them.
#define KITH_STREAM_LEAST ((size_t)8 << 20)

KITH_INTERNAL void kith_stream_copy(void *to, const void *from, size_t size);

// Like kith_array_number and kith_array_fill; the array is at a multiple of 8.
KITH_INTERNAL void kith_stream_number(uint64_t *array, uint64_t first, uint32_t count);
KITH_INTERNAL void kith_stream_fill(uint64_t *array, uint64_t number, uint32_t count);

#endif
