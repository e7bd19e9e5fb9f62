// SPDX-License-Identifier: MIT
// The array loops, then match_prefix and select_words in a portable and an AVX2 form.
#include "base/simd.h"

// --- array loops -----------------------------------------------------------------------------

void kith_array_number(uint64_t *array, uint64_t first, uint32_t count)
{
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

bool kith_array_is_numbered(const uint64_t *array, uint64_t first, uint32_t count)
{
    uint64_t differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        differ |= array[i] ^ (first + i);
    }
    return differ == 0;
}

bool kith_array_make_slots(uint64_t *restrict array, const uint64_t *restrict slots, uint64_t index,
                           uint64_t first, uint32_t count)
{
    uint64_t differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        differ |= slots[i] ^ (index + i);
        array[i] = (slots[i] & ~(uint64_t)UINT32_MAX) | (first + i);
    }
    return (uint32_t)differ == 0;
}

bool kith_array_is_numbered32(const uint32_t *array, uint32_t first, uint32_t count)
{
    uint32_t differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        differ |= array[i] ^ (first + i);
    }
    return differ == 0;
}

void kith_array_fill(uint64_t *array, uint64_t number, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        array[i] = number;
    }
}

void kith_array_set_bits(uint64_t *array, uint64_t clear, uint64_t set, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        array[i] = (array[i] & ~clear) | set;
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

uint64_t kith_array_differ(const uint64_t *array, uint32_t count)
{
    uint64_t differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        differ |= array[i] ^ array[0];
    }
    return differ;
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

#define EMPTY_BIT 0x80000000u

static uint32_t match_portable(const uint32_t *a, const uint32_t *b, uint32_t count)
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

static uint32_t select_portable(const uint64_t *words, uint64_t mask, uint64_t want, uint32_t first,
                                uint32_t count, uint32_t *out)
{
    uint32_t selected = 0;
    for (uint32_t i = 0; i < count; i++) {
        out[selected] = first + i;
        selected += (words[i] & mask) == want;
    }
    return selected;
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

    #include <immintrin.h>

    #define AVX2 __attribute__((target("avx2,popcnt")))

// Compares eight words. The top bit of each result is 1 if the word is equal and no hole: movemask
// reads the top bits.
AVX2 static inline __m256i good_words(const uint32_t *a, const uint32_t *b)
{
    __m256i in_a = _mm256_loadu_si256((const __m256i *)(const void *)a);
    __m256i in_b = _mm256_loadu_si256((const __m256i *)(const void *)b);
    return _mm256_andnot_si256(in_a, _mm256_cmpeq_epi32(in_a, in_b));
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
    _mm256_zeroupper(); // gcc leaves it out before the call: all SSE code after it would be slow
    return i + match_portable(a + i, b + i, count - i);
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

AVX2 static uint32_t select_avx2(const uint64_t *words, uint64_t mask, uint64_t want,
                                 uint32_t first, uint32_t count, uint32_t *out)
{
    __m256i  masks    = _mm256_set1_epi64x((long long)mask);
    __m256i  wants    = _mm256_set1_epi64x((long long)want);
    __m128i  numbers  = _mm_add_epi32(_mm_set1_epi32((int)first), _mm_setr_epi32(0, 1, 2, 3));
    uint32_t selected = 0;
    uint32_t i        = 0;
    for (; i + 4 <= count; i += 4) {
        __m256i  in    = _mm256_loadu_si256((const __m256i *)(const void *)(words + i));
        __m256i  good  = _mm256_cmpeq_epi64(_mm256_and_si256(in, masks), wants);
        unsigned bits  = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(good));
        __m128i  order = _mm_loadu_si128((const __m128i *)(const void *)to_front[bits]);
        _mm_storeu_si128((__m128i *)(void *)(out + selected), _mm_shuffle_epi8(numbers, order));
        selected += (uint32_t)__builtin_popcount(bits);
        numbers = _mm_add_epi32(numbers, _mm_set1_epi32(4));
    }
    return selected + select_portable(words + i, mask, want, first + i, count - i, out + selected);
}

unsigned kith_simd_level(void)
{
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
    return avx2 ? KITH_SIMD_AVX2 : KITH_SIMD_NONE;
}

#else

    #define match_avx2  match_portable
    #define select_avx2 select_portable

unsigned kith_simd_level(void)
{
    return KITH_SIMD_NONE;
}

#endif

kith_match_prefix_fn kith_match_prefix_for(unsigned level)
{
    return level == KITH_SIMD_AVX2 ? match_avx2 : match_portable;
}

kith_select_words_fn kith_select_words_for(unsigned level)
{
    return level == KITH_SIMD_AVX2 ? select_avx2 : select_portable;
}
