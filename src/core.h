// SPDX-License-Identifier: MIT
// What every source file of kith starts from: the public header, the linkage of functions shared
// between files, and the few things that compilers do differently.
#ifndef KITH_CORE_H
#define KITH_CORE_H

#include "kith/kith.h"

#include <assert.h>

// Empty here, `static` in the single-file build, which then exports the public functions alone.
#ifndef KITH_INTERNAL
    #define KITH_INTERNAL
#endif

// Keeps a slow path out of the quick one's registers.
#if defined(__GNUC__)
    #define KITH_APART __attribute__((noinline))
#else
    #define KITH_APART
#endif

// Entities are looked up in pages of this many, in the entity table and in every pool.
#define KITH_PAGE_SLOTS (KITH_PAGE_MASK_ + 1u)

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
