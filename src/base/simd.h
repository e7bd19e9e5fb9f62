// SPDX-License-Identifier: MIT
// Loops over arrays of numbers, compiled to wide instructions. Three kinds:
//
//     kith_array_*             plain C loops that the compiler vectorises. Batches apply them
//                              to entity slots, packed indices and signatures: simd.c, and
//                              array.c for those that small programs do not call
//     kith_simd                the inner loops of queries, written for each instruction set and
//                              chosen when a world is created
//
// Every function has a portable form, and every form gives the same result.
#pragma once

#include "base/base.h"

// --- array loops -----------------------------------------------------------------------------

// Writes first, first + 1, first + 2, ...
void kith_array_number(uint64_t *array, uint64_t first, uint32_t count);
void kith_array_number32(uint32_t *array, uint32_t first, uint32_t count);

// Whether the array holds first, first + 1, first + 2, ...
bool kith_array_is_numbered(const uint64_t *array, uint64_t first, uint32_t count);
bool kith_array_is_numbered32(const uint32_t *array, uint32_t first, uint32_t count);

// Writes pool slots for entities in consecutive rows: array[i] is the upper half (the version) of
// slots[i] and `first` + i. Returns whether the lower half of each slots[i] is `index` + i: whether
// all these entities are alive.
bool kith_array_make_slots(uint64_t *restrict array, const uint64_t *restrict slots, uint64_t index,
                           uint64_t first, uint32_t count);

// Writes `number` into every element.
void kith_array_fill(uint64_t *array, uint64_t number, uint32_t count);

// Clears the bits `clear` and then sets the bits `set` in every word.
void kith_array_set_bits(uint64_t *array, uint64_t clear, uint64_t set, uint32_t n);

// Returns the bits that at least one word has; the bits that some words have and others lack.
uint64_t kith_array_or(const uint64_t *array, uint32_t count);
uint64_t kith_array_differ(const uint64_t *array, uint32_t count);

// Returns how many leading numbers are below `least`; how many are not. All are below 2^63.
uint32_t kith_array_run_below(const uint64_t *array, uint64_t least, uint32_t count);
uint32_t kith_array_run_from(const uint64_t *array, uint64_t least, uint32_t count);

// --- matching and selecting, by instruction set ----------------------------------------------

// The instruction sets with code of their own.
enum { KITH_SIMD_NONE, KITH_SIMD_AVX2 };

// Returns the best of them that this processor has.
unsigned kith_simd_level(void);

// The inner loops of queries, for one instruction set.
typedef struct kith_simd {
    // Returns how many leading words of the first `count` are equal in both arrays and below 2^31.
    // The arrays are packed indices, where the top bit marks an empty row.
    uint32_t (*match_prefix)(const uint32_t *a, const uint32_t *b, uint32_t count);

    // Picks the entities with (word & mask) == want, where `word` is the first word of the entity's
    // signature: writes their indices, and `first` + their places in the array. Returns how many
    // they are. This rejects entities without a branch. `picked` and `places` have room for `count`
    // numbers. A page has 1024 handles, then 1024 words.
    uint32_t (*pick)(uint64_t *const *pages, uint64_t mask, uint64_t want, const uint32_t *indices,
                     uint32_t first, uint32_t count, uint32_t *picked, uint32_t *places);

    // Looks up the rows of entities in the slots of a pool, which are in pages of 1024 entities.
    // Without a row it gives a number from 2^31 on. Returns whether there is such an entity.
    bool (*look_up)(uint64_t *const *slots, uint32_t pages, const uint32_t *indices, uint32_t count,
                    uint32_t *rows);

    // Writes the addresses of rows of `size` bytes. A page has 1 << `shift` rows. Returns whether
    // all rows are in one page.
    bool (*address)(uint8_t *const *pages, const uint32_t *rows, uint32_t count, uint32_t shift,
                    uint32_t size, void **at);

    // Clears joined[i] unless at[i + 1] is `size` bytes behind at[i], or the same address, for
    // `count` pairs of addresses. Returns whether one of them is not 0.
    bool (*join)(void *const *at, uint32_t count, uint32_t size, uint32_t *joined);
} kith_simd;

// Returns the loops for an instruction set, at most the best that this processor has.
const kith_simd *kith_simd_for(unsigned level);
