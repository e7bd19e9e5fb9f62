// SPDX-License-Identifier: MIT
// Loops over arrays of numbers, which the compiler turns into wide instructions: what batches do to
// slots, packed indices and signatures. The only file besides block.c that is built for speed.
#ifndef KITH_BASE_SIMD_H
#define KITH_BASE_SIMD_H

#include "base/base.h"

// Fills with first, first + 1, first + 2, ...
KITH_INTERNAL void kith_array_number(uint64_t *array, uint64_t first, uint32_t count);
KITH_INTERNAL void kith_array_number32(uint32_t *array, uint32_t first, uint32_t count);

// Whether that is in it.
KITH_INTERNAL bool kith_array_is_numbered(const uint64_t *array, uint64_t first, uint32_t count);
KITH_INTERNAL bool kith_array_is_numbered32(const uint32_t *array, uint32_t first, uint32_t count);

// Writes first, first + 1, ... below the upper halves of the slots, and says whether their lower
// halves are index, index + 1, ...: whether all live.
KITH_INTERNAL bool kith_array_make_slots(uint64_t *restrict array, const uint64_t *restrict slots,
                                         uint64_t index, uint64_t first, uint32_t count);

// Fills with one number.
KITH_INTERNAL void kith_array_fill(uint64_t *array, uint64_t number, uint32_t count);

// Clears and sets bits in each word.
KITH_INTERNAL void kith_array_set_bits(uint64_t *array, uint64_t clear, uint64_t set,
                                       uint32_t count);

// The bits that some word has; and those in which not all words agree.
KITH_INTERNAL uint64_t kith_array_or(const uint64_t *array, uint32_t count);
KITH_INTERNAL uint64_t kith_array_differ(const uint64_t *array, uint32_t count);

// How many numbers, from the first on, are below `least`; how many are not. All are below 2^63.
KITH_INTERNAL uint32_t kith_array_run_below(const uint64_t *array, uint64_t least, uint32_t count);
KITH_INTERNAL uint32_t kith_array_run_from(const uint64_t *array, uint64_t least, uint32_t count);

// --- stream ------------------------------------------------------------
//
// Writing past the caches. What is larger than they are, and is not read again soon, need not push
// everything else out of them, nor be fetched before it is overwritten:
//
//     an ordinary store   memory -> cache (the line that is overwritten) ... cache -> memory
//     these               registers -> memory, a whole line at a time
//
// Where the processor has no such stores they are ordinary ones. Other threads see what was written
// when the call is over, as they would otherwise.

// Fewer bytes than that are likely to be read again while some cache has them.
#define KITH_STREAM_LEAST ((size_t)8 << 20)

KITH_INTERNAL void kith_stream_copy(void *to, const void *from, size_t size);

// Like kith_array_number and kith_array_fill; the array is at a multiple of 8.
KITH_INTERNAL void kith_stream_number(uint64_t *array, uint64_t first, uint32_t count);
KITH_INTERNAL void kith_stream_fill(uint64_t *array, uint64_t number, uint32_t count);

// --- matching and selecting, by instruction set ----------------------------------------------

// The instruction sets that there is code for. A processor with one has those before it.
enum { KITH_SIMD_NONE, KITH_SIMD_SSE2, KITH_SIMD_AVX2 };

// The best of them on this processor.
KITH_INTERNAL unsigned kith_simd_level(void);

// The number of leading words, of the first `count`, that are equal in both arrays and below 2^31.
// The arrays are packed indices, in which an empty row has the top bit set.
typedef uint32_t (*kith_match_prefix_fn)(const uint32_t *a, const uint32_t *b, uint32_t count);
KITH_INTERNAL kith_match_prefix_fn kith_match_prefix_for(unsigned level);

// Writes `first` + i, ascending, for each i below `count` with (words[i] & mask) == want; returns
// how many. `out` has room for `count` numbers and KITH_SELECT_SPARE more. The words are entities'
// signatures: this rejects most entities of a query without a branch.
#define KITH_SELECT_SPARE 4
typedef uint32_t (*kith_select_words_fn)(const uint64_t *words, uint64_t mask, uint64_t want,
                                         uint32_t first, uint32_t count, uint32_t *out);
KITH_INTERNAL kith_select_words_fn kith_select_words_for(unsigned level);

#endif
