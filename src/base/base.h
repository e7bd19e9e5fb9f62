// SPDX-License-Identifier: MIT
// What every source file of kith starts from: the public header, the linkage of functions shared
// between files, and the few things that compilers do differently.
#ifndef KITH_BASE_BASE_H
#define KITH_BASE_BASE_H

#include "kith/kith.h"

#include <assert.h>
#include <string.h>

// Empty here, `static` in the single-file build, which then exports the public functions alone.
#ifndef KITH_INTERNAL
    #define KITH_INTERNAL
#endif

// Keeps a slow path out of the quick one's registers.
#if defined(__GNUC__)
    #define KITH_NOINLINE __attribute__((noinline))
#else
    #define KITH_NOINLINE
#endif

// For code that is written once and made several times, each with other constants.
#if defined(__GNUC__)
    #define KITH_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
    #define KITH_ALWAYS_INLINE static inline
#endif

static inline uint32_t kith_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Copies a value whose size is mostly one of a few: a call of memcpy costs more than these.
static inline void kith_copy_bytes(void *value, const void *source, size_t size)
{
    switch (size) {
    case 4:
        memcpy(value, source, 4);
        break;
    case 8:
        memcpy(value, source, 8);
        break;
    case 12:
        memcpy(value, source, 12);
        break;
    case 16:
        memcpy(value, source, 16);
        break;
    default:
        memcpy(value, source, size);
    }
}

// Asks for a cache line ahead of its use. Any address will do.
#if defined(__GNUC__)
    #define KITH_PREFETCH(ADDRESS) __builtin_prefetch(ADDRESS)
#else
    #define KITH_PREFETCH(ADDRESS) ((void)(ADDRESS))
#endif

// Entities are looked up in pages of this many, in the entity table and in every pool.
#define KITH_PAGE_SLOTS (KITH_PAGE_MASK_ + 1u)

// Whether numbers in memory begin with their lowest byte.
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define KITH_IS_LITTLE false
#else
    #define KITH_IS_LITTLE true
#endif

// The number of the lowest bit that is set; `word` is not 0.
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

// The number of bits that are set.
static inline uint32_t kith_bit_count(uint64_t word)
{
    uint32_t count = 0;
    for (; word != 0; word &= word - 1) {
        count++;
    }
    return count;
}

#endif
