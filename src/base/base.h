// SPDX-License-Identifier: MIT
// Every source file of kith includes this: the public header, and macros for what compilers do
// differently.
#pragma once

#include "kith/kith.h"

#include <assert.h>
#include <string.h>

// Keeps a slow path from costing registers in the fast path that calls it, and cold code from being
// copied into each of its callers.
#if defined(__GNUC__)
    #define KITH_NOINLINE __attribute__((noinline))
    #define KITH_COLD     __attribute__((noinline, cold)) // rarely called: small, not fast
#else
    #define KITH_NOINLINE
    #define KITH_COLD
#endif

// For code that is written once and compiled several times, each with other constants.
#if defined(__GNUC__)
    #define KITH_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
    #define KITH_ALWAYS_INLINE static inline
#endif

static inline uint32_t kith_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Copies a value. The usual sizes, 4 to 16, need no call: their first and their last bytes, which
// may overlap, go through registers. The value may be its own source. Returns `value`.
static inline void *kith_copy_bytes(void *value, const void *source, size_t size)
{
    if (size >= 8 && size <= 16) {
        uint64_t first, last;
        memcpy(&first, source, 8);
        memcpy(&last, (const uint8_t *)source + size - 8, 8);
        memcpy(value, &first, 8);
        memcpy((uint8_t *)value + size - 8, &last, 8);
    } else if (size == 4) {
        memcpy(value, source, 4);
    } else {
        return memmove(value, source, size);
    }
    return value;
}

// Prefetches a cache line. Any address is allowed.
#if defined(__GNUC__)
    #define KITH_PREFETCH(ADDRESS) __builtin_prefetch(ADDRESS)
#else
    #define KITH_PREFETCH(ADDRESS) ((void)(ADDRESS))
#endif

// Slots in a page: the entity table and the lookup of every pool are paged by entity index.
#define KITH_PAGE_SLOTS (KITH_PAGE_MASK_ + 1u)

// Whether the machine is little-endian.
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define KITH_IS_LITTLE false
#else
    #define KITH_IS_LITTLE true
#endif

// Returns the number of the lowest bit that is set. `word` is not 0.
static inline uint32_t kith_lowest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(word);
#else
    uint32_t bit = 0;
    while ((word & 1) == 0) {
        word >>= 1;
        bit++;
    }
    return bit;
#endif
}

// Returns how many bits are set.
static inline uint32_t kith_bit_count(uint64_t word)
{
    uint32_t count = 0;
    for (; word != 0; word &= word - 1) {
        count++;
    }
    return count;
}
