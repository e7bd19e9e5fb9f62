// SPDX-License-Identifier: MIT
// The array loops, then those of kith_simd in a portable and an AVX2 form.
#include "base/simd.h"

// --- array loops -----------------------------------------------------------------------------

void kith_array_number(uint64_t *array, uint64_t first, uint32_t count)
{
#pragma GCC unroll 2
    for (uint32_t i = 0; i < count; i++) {
        array[i] = first + i;
    }
}

void kith_array_number32(uint32_t *array, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        array[i] = first + i;
    }
}

void kith_array_fill(uint64_t *array, uint64_t number, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        array[i] = number;
    }
}

uint64_t kith_array_or(const uint64_t *array, uint32_t count)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < count; i++) {
        any |= array[i];
    }
    return any;
}

// Compares numbers by the top bit of their difference: SSE2 cannot compare 64-bit numbers.
#define COMPARED_AT_ONCE 16u
#define TOP_BIT          (UINT64_C(1) << 63)

static bool all_below(const uint64_t *array, uint64_t least)
{
    uint64_t borrowed = TOP_BIT;
    for (uint32_t i = 0; i < COMPARED_AT_ONCE; i++) {
        borrowed &= array[i] - least;
    }
    return borrowed != 0;
}

uint32_t kith_array_run_below(const uint64_t *array, uint64_t least, uint32_t count)
{
    uint32_t i = 0;
    least      = least < TOP_BIT ? least : TOP_BIT;
    while (count - i >= COMPARED_AT_ONCE && all_below(array + i, least)) {
        i += COMPARED_AT_ONCE;
    }
    while (i < count && array[i] < least) {
        i++;
    }
    return i;
}

uint32_t kith_array_run_from(const uint64_t *array, uint64_t least, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && array[i] >= least) {
        i++;
    }
    return i;
}

// --- matching and selecting -------------------------------------------------------------------

#define SLOT_SHIFT 10 // entities in a page of slots, as a power of two
#define SLOT_MASK  1023u
#define EMPTY_BIT  0x80000000u

KITH_NOINLINE static uint32_t match_portable(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        uint32_t differ =
            (a[i] ^ b[i]) | (a[i + 1] ^ b[i + 1]) | (a[i + 2] ^ b[i + 2]) | (a[i + 3] ^ b[i + 3]);
        uint32_t holes = (a[i] | a[i + 1] | a[i + 2] | a[i + 3]) & EMPTY_BIT;
        if ((differ | holes) != 0) {
            break;
        }
    }
    while (i < count && a[i] == b[i] && (a[i] & EMPTY_BIT) == 0) {
        i++;
    }
    return i;
}

KITH_NOINLINE static uint32_t pick_portable(uint64_t *const *pages, uint64_t mask, uint64_t want,
                                            const uint32_t *indices, uint32_t first, uint32_t count,
                                            uint32_t *picked, uint32_t *places)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word = pages[indices[i] >> SLOT_SHIFT][SLOT_MASK + 1 + (indices[i] & SLOT_MASK)];
        picked[kept]  = indices[i];
        places[kept]  = first + i;
        kept += (word & mask) == want;
    }
    return kept;
}

KITH_NOINLINE static bool look_up_portable(uint64_t *const *slots, uint32_t pages,
                                           const uint32_t *indices, uint32_t count, uint32_t *rows)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t page = indices[i] >> SLOT_SHIFT;
        rows[i]       = page < pages ? (uint32_t)slots[page][indices[i] & SLOT_MASK] : UINT32_MAX;
        all |= rows[i];
    }
    return (all & EMPTY_BIT) != 0;
}

KITH_NOINLINE static bool address_portable(uint8_t *const *pages, const uint32_t *rows,
                                           uint32_t count, uint32_t shift, uint32_t size, void **at)
{
    uint32_t mask   = (1u << shift) - 1;
    uint32_t differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        differ |= rows[i] ^ rows[0];
        at[i] = pages[rows[i] >> shift] + (size_t)(rows[i] & mask) * size;
    }
    return differ >> shift == 0;
}

KITH_NOINLINE static bool join_portable(void *const *at, uint32_t count, uint32_t size,
                                        uint32_t *joined)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t step = (uintptr_t)at[i + 1] - (uintptr_t)at[i];
        joined[i] &= step == size || step == 0 ? UINT32_MAX : 0;
        any |= joined[i];
    }
    return any != 0;
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

    #include <immintrin.h>

    #define AVX2 __attribute__((target("avx2,popcnt")))

AVX2 static inline __m256i load(const void *at)
{
    return _mm256_loadu_si256(at);
}

// Compares eight words. The top bit of each result is 1 if the word is equal and no hole: movemask
// reads the top bits.
AVX2 static inline __m256i good_words(const uint32_t *a, const uint32_t *b)
{
    return _mm256_andnot_si256(load(a), _mm256_cmpeq_epi32(load(a), load(b)));
}

AVX2 static inline bool all_good(__m256i words)
{
    return _mm256_movemask_ps(_mm256_castsi256_ps(words)) == 0xff;
}

AVX2 static uint32_t match_avx2(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 32 <= count; i += 32) {
        __m256i low  = _mm256_and_si256(good_words(a + i, b + i), good_words(a + i + 8, b + i + 8));
        __m256i high = _mm256_and_si256(good_words(a + i + 16, b + i + 16),
                                        good_words(a + i + 24, b + i + 24));
        if (!all_good(_mm256_and_si256(low, high))) {
            break;
        }
    }
    while (i + 8 <= count && all_good(good_words(a + i, b + i))) {
        i += 8;
    }
    if (i + 8 > count && count >= 8 && all_good(good_words(a + count - 8, b + count - 8))) {
        i = count;
    }
    _mm256_zeroupper(); // gcc leaves it out before the call: all SSE code after it would be slow
    return i == count ? i : i + match_portable(a + i, b + i, count - i);
}

    // Row n of the table is a byte shuffle: it moves the numbers whose bit is set in n to the
    // front.
    #define NUMBER(N) 4 * (N), 4 * (N) + 1, 4 * (N) + 2, 4 * (N) + 3
    #define NOTHING   -1, -1, -1, -1

static const int8_t to_front[16][16] = {
    { NOTHING, NOTHING, NOTHING, NOTHING },       { NUMBER(0), NOTHING, NOTHING, NOTHING },
    { NUMBER(1), NOTHING, NOTHING, NOTHING },     { NUMBER(0), NUMBER(1), NOTHING, NOTHING },
    { NUMBER(2), NOTHING, NOTHING, NOTHING },     { NUMBER(0), NUMBER(2), NOTHING, NOTHING },
    { NUMBER(1), NUMBER(2), NOTHING, NOTHING },   { NUMBER(0), NUMBER(1), NUMBER(2), NOTHING },
    { NUMBER(3), NOTHING, NOTHING, NOTHING },     { NUMBER(0), NUMBER(3), NOTHING, NOTHING },
    { NUMBER(1), NUMBER(3), NOTHING, NOTHING },   { NUMBER(0), NUMBER(1), NUMBER(3), NOTHING },
    { NUMBER(2), NUMBER(3), NOTHING, NOTHING },   { NUMBER(0), NUMBER(2), NUMBER(3), NOTHING },
    { NUMBER(1), NUMBER(2), NUMBER(3), NOTHING }, { NUMBER(0), NUMBER(1), NUMBER(2), NUMBER(3) },
};

// The addresses of the slots of four entities.
AVX2 static inline __m256i slots_of(uint64_t *const *pages, __m128i four, __m256i wanted)
{
    __m256i page = _mm256_mask_i32gather_epi64(_mm256_setzero_si256(), (const void *)pages,
                                               _mm_srli_epi32(four, SLOT_SHIFT), wanted, 8);
    __m128i slot = _mm_and_si128(four, _mm_set1_epi32(SLOT_MASK));
    return _mm256_add_epi64(page, _mm256_slli_epi64(_mm256_cvtepu32_epi64(slot), 3));
}

// Picks from four entities with these words.
AVX2 static inline void pick_four(uint32_t **indices, uint32_t **rows, __m256i words, __m128i four,
                                  __m128i places, __m256i mask, __m256i want)
{
    __m256i  good  = _mm256_cmpeq_epi64(_mm256_and_si256(words, mask), want);
    unsigned bits  = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(good));
    __m128i  order = _mm_loadu_si128((const __m128i *)(const void *)to_front[bits]);
    _mm_storeu_si128((__m128i *)(void *)*indices, _mm_shuffle_epi8(four, order));
    _mm_storeu_si128((__m128i *)(void *)*rows, _mm_shuffle_epi8(places, order));
    *indices += __builtin_popcount(bits);
    *rows += __builtin_popcount(bits);
}

// The signature words of four entities.
AVX2 static inline __m256i words_of(uint64_t *const *pages, __m128i four)
{
    const __m256i all = _mm256_set1_epi64x(-1);
    return _mm256_mask_i64gather_epi64(all, (const void *)((SLOT_MASK + 1) * sizeof **pages),
                                       slots_of(pages, four, all), all, 1);
}

// Eight entities at a time. The words of consecutive entities in one page are read as they lie
// there.
AVX2 static uint32_t pick_avx2(uint64_t *const *pages, uint64_t mask, uint64_t want,
                               const uint32_t *indices, uint32_t first, uint32_t count,
                               uint32_t *picked, uint32_t *places)
{
    const __m256i masks   = _mm256_set1_epi64x((long long)mask);
    const __m256i wants   = _mm256_set1_epi64x((long long)want);
    const __m256i counted = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i       numbers = _mm256_add_epi32(_mm256_set1_epi32((int)first), counted);
    uint32_t     *to      = picked;
    for (; count >= 8 && sizeof *pages == 8; count -= 8, indices += 8, first += 8) {
        __m256i  here = load(indices);
        __m256i  next = _mm256_add_epi32(_mm256_set1_epi32((int)*indices), counted);
        __m128i  low  = _mm256_castsi256_si128(here);
        __m128i  high = _mm256_extracti128_si256(here, 1);
        uint32_t slot = *indices & SLOT_MASK;
        __m256i  words[2];
        if (slot <= SLOT_MASK - 7 && all_good(_mm256_cmpeq_epi32(here, next))) {
            const uint64_t *at = pages[*indices >> SLOT_SHIFT] + SLOT_MASK + 1 + slot;
            words[0]           = load(at);
            words[1]           = load(at + 4);
        } else {
            words[0] = words_of(pages, low);
            words[1] = words_of(pages, high);
        }
        pick_four(&to, &places, words[0], low, _mm256_castsi256_si128(numbers), masks, wants);
        pick_four(&to, &places, words[1], high, _mm256_extracti128_si256(numbers, 1), masks, wants);
        numbers = _mm256_add_epi32(numbers, _mm256_set1_epi32(8));
    }
    _mm256_zeroupper();
    return (uint32_t)(to - picked) +
           pick_portable(pages, mask, want, indices, first, count, to, places);
}

    // The loops below take eight numbers at a time. If their number is no multiple of eight, the
    // second eight overlap the first.
    #define FIRST_STEP(COUNT) (((COUNT)-1) % 8 + 1)

// The lower halves of four slots of a pool; UINT32_MAX where it has no page of slots.
AVX2 static inline __m128i half_slots_of(uint64_t *const *slots, uint32_t pages, __m128i four)
{
    __m128i has = _mm_cmpgt_epi32(_mm_set1_epi32((int)pages), _mm_srli_epi32(four, SLOT_SHIFT));
    __m256i at  = slots_of(slots, four, _mm256_cvtepi32_epi64(has));
    return _mm256_mask_i64gather_epi32(_mm_set1_epi32(-1), NULL, at, has, 1);
}

// If eight entities are in one page of slots, one gather reads the lower halves of their slots.
AVX2 static bool look_up_avx2(uint64_t *const *slots, uint32_t pages, const uint32_t *indices,
                              uint32_t count, uint32_t *rows)
{
    const __m256i   mask = _mm256_set1_epi32(SLOT_MASK);
    __m256i         all  = _mm256_setzero_si256();
    const uint32_t *end  = indices + count;
    size_t          step = FIRST_STEP(count);
    if (count < 8 || sizeof *slots != 8) {
        return look_up_portable(slots, pages, indices, count, rows);
    }
    for (; indices != end; indices += step, rows += step, step = 8) {
        __m256i  eight  = load(indices);
        __m256i  differ = _mm256_xor_si256(eight, _mm256_set1_epi32((int)*indices));
        uint32_t page   = *indices >> SLOT_SHIFT;
        if (_mm256_testc_si256(mask, differ) && page < pages) {
            eight = _mm256_i32gather_epi32((void *)slots[page], _mm256_and_si256(eight, mask), 8);
        } else {
            __m128i low  = half_slots_of(slots, pages, _mm256_castsi256_si128(eight));
            __m128i high = half_slots_of(slots, pages, _mm256_extracti128_si256(eight, 1));
            eight        = _mm256_set_m128i(high, low);
        }
        all = _mm256_or_si256(all, eight);
        _mm256_storeu_si256((__m256i *)(void *)rows, eight);
    }
    bool lacked = _mm256_movemask_ps(_mm256_castsi256_ps(all)) != 0;
    _mm256_zeroupper();
    return lacked;
}

// Writes the addresses of four rows, given as 64-bit numbers, from the addresses of row 0 on.
AVX2 static inline void address_four(void **at, __m256i four, __m256i size, __m256i row_0)
{
    _mm256_storeu_si256((void *)at, _mm256_add_epi64(row_0, _mm256_mul_epu32(four, size)));
}

// Rows in the page of the first one need no look at the table of pages: takes them 32 at a time.
AVX2 static bool address_avx2(uint8_t *const *pages, const uint32_t *rows, uint32_t count,
                              uint32_t shift, uint32_t size, void **at)
{
    const uint32_t *end  = rows + count;
    bool            same = count >= 8;
    if (!same || sizeof *pages != 8) {
        return address_portable(pages, rows, count, shift, size, at);
    }
    const __m128i   bits  = _mm_cvtsi32_si128((int)shift);
    const __m256i   first = _mm256_set1_epi32((int)rows[0]);
    const __m256i   mask  = _mm256_set1_epi32((1 << shift) - 1);
    const __m256i   scale = _mm256_set1_epi64x(size);
    const uintptr_t page  = (uintptr_t)pages[rows[0] >> shift];
    const __m256i   row_0 =
        _mm256_set1_epi64x((long long)(page - (uintptr_t)(rows[0] >> shift << shift) * size));
    for (size_t step = (count - 1) % 32 + 1; count >= 32 && rows != end;
         rows += step, at += step, step = 32) {
        __m256i differ = _mm256_setzero_si256();
        for (uint32_t i = 0; i < 32; i += 8) {
            differ = _mm256_or_si256(differ, _mm256_xor_si256(load(rows + i), first));
        }
        same = _mm256_testc_si256(mask, differ);
        if (!same) {
            break;
        }
        for (uint32_t i = 0; i < 32; i += 4) {
            __m128i four = _mm_loadu_si128((const __m128i *)(const void *)(rows + i));
            address_four(at + i, _mm256_cvtepu32_epi64(four), scale, row_0);
        }
    }
    for (size_t step = FIRST_STEP((uint32_t)(end - rows)); rows != end;
         rows += step, at += step, step = 8) {
        same = same && _mm256_testc_si256(mask, _mm256_xor_si256(load(rows), first));
        for (uint32_t i = 0; i < 8; i += 4) {
            __m128i four = _mm_loadu_si128((const __m128i *)(const void *)(rows + i));
            __m256i from =
                _mm256_i32gather_epi64((const void *)pages, _mm_srl_epi32(four, bits), 8);
            four = _mm_and_si128(four, _mm256_castsi256_si128(mask));
            address_four(at + i, _mm256_cvtepu32_epi64(four), scale, from);
        }
    }
    _mm256_zeroupper();
    return same;
}

// Which of four addresses are `size` bytes before the next one, or equal to it: words of 64 bits.
AVX2 static inline __m256 joined_four(void *const *at, __m256i size)
{
    __m256i step = _mm256_sub_epi64(load(at + 1), load(at));
    __m256i same = _mm256_cmpeq_epi64(step, _mm256_setzero_si256());
    return _mm256_castsi256_ps(_mm256_or_si256(same, _mm256_cmpeq_epi64(step, size)));
}

AVX2 static bool join_avx2(void *const *at, uint32_t count, uint32_t size, uint32_t *joined)
{
    const __m256i bytes = _mm256_set1_epi64x(size);
    __m256i       any   = _mm256_setzero_si256();
    size_t        step  = FIRST_STEP(count);
    if (count < 8 || sizeof *at != 8) {
        return join_portable(at, count, size, joined);
    }
    for (void *const *end = at + count; at != end; at += step, joined += step, step = 8) {
        __m256 halves = _mm256_shuffle_ps(joined_four(at, bytes), joined_four(at + 4, bytes), 0x88);
        __m256i both  = _mm256_permute4x64_epi64(_mm256_castps_si256(halves), 0xd8);
        both          = _mm256_and_si256(both, load(joined));
        any           = _mm256_or_si256(any, both);
        _mm256_storeu_si256((__m256i *)(void *)joined, both);
    }
    bool joins = !_mm256_testz_si256(any, any);
    _mm256_zeroupper();
    return joins;
}

unsigned kith_simd_level(void)
{
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
    return avx2 ? KITH_SIMD_AVX2 : KITH_SIMD_NONE;
}

#else

unsigned kith_simd_level(void)
{
    return KITH_SIMD_NONE;
}

#endif

const kith_simd *kith_simd_for(unsigned level)
{
    static const kith_simd loops[] = {
        { match_portable, pick_portable, look_up_portable, address_portable, join_portable },
#ifdef AVX2
        { match_avx2, pick_avx2, look_up_avx2, address_avx2, join_avx2 },
#endif
    };
    return &loops[level];
}
