// SPDX-License-Identifier: MIT
// Loops over arrays of numbers, which the compiler turns into wide instructions: what batches do to
// slots, packed indices and signatures. The only file besides block.c that is built for speed.
#ifndef KITH_BASE_ARRAY_H
#define KITH_BASE_ARRAY_H

#include "base/base.h"

// Fills with first, first + 1, first + 2, ...
KITH_INTERNAL void kith_array_number(uint64_t *array, uint64_t first, uint32_t count);
KITH_INTERNAL void kith_array_number32(uint32_t *array, uint32_t first, uint32_t count);

// Whether that is in it.
KITH_INTERNAL bool kith_array_is_numbered(const uint64_t *array, uint64_t first, uint32_t count);
KITH_INTERNAL bool kith_array_is_numbered32(const uint32_t *array, uint32_t first, uint32_t count);

// Writes first, first + 1, ... below the upper halves of the slots, and says whether their lower
// halves are index, index + 1, ...: whether all live.
KITH_INTERNAL bool kith_array_name_rows(uint64_t *restrict array, const uint64_t *restrict slots,
                                        uint64_t index, uint64_t first, uint32_t count);

// Fills with one number.
KITH_INTERNAL void kith_array_fill(uint64_t *array, uint64_t number, uint32_t count);

// Clears and sets bits in each word.
KITH_INTERNAL void kith_array_change(uint64_t *array, uint64_t clear, uint64_t set, uint32_t count);

// The bits that some word has; and those in which not all words agree.
KITH_INTERNAL uint64_t kith_array_any(const uint64_t *array, uint32_t count);
KITH_INTERNAL uint64_t kith_array_mixed(const uint64_t *array, uint32_t count);

// How many numbers, from the first on, are below `least`; how many are not. All are below 2^63.
KITH_INTERNAL uint32_t kith_array_below(const uint64_t *array, uint64_t least, uint32_t count);
KITH_INTERNAL uint32_t kith_array_from(const uint64_t *array, uint64_t least, uint32_t count);

#endif
