// SPDX-License-Identifier: MIT
#include "base/simd_filter.h"

static uint32_t pick_portable(const uint64_t *words, uint64_t mask, uint64_t want, uint32_t first,
                              uint32_t count, uint32_t *out)
{
    uint32_t picked = 0;
    for (uint32_t i = 0; i < count; i++) {
        out[picked] = first + i;
        picked += (words[i] & mask) == want;
    }
    return picked;
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

    #include <immintrin.h>

    #define PICK_AVX2 __attribute__((target("avx2,popcnt")))

    // The bytes of those of four numbers whose bit is set, moved to the front.
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

PICK_AVX2 static uint32_t pick_avx2(const uint64_t *words, uint64_t mask, uint64_t want,
                                    uint32_t first, uint32_t count, uint32_t *out)
{
    __m256i  masks   = _mm256_set1_epi64x((long long)mask);
    __m256i  wanted  = _mm256_set1_epi64x((long long)want);
    __m128i  numbers = _mm_add_epi32(_mm_set1_epi32((int)first), _mm_setr_epi32(0, 1, 2, 3));
    uint32_t picked  = 0;
    uint32_t i       = 0;
    for (; i + 4 <= count; i += 4) {
        __m256i  in    = _mm256_loadu_si256((const __m256i *)(const void *)(words + i));
        __m256i  good  = _mm256_cmpeq_epi64(_mm256_and_si256(in, masks), wanted);
        unsigned bits  = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(good));
        __m128i  order = _mm_loadu_si128((const __m128i *)(const void *)to_front[bits]);
        _mm_storeu_si128((__m128i *)(void *)(out + picked), _mm_shuffle_epi8(numbers, order));
        picked += (uint32_t)__builtin_popcount(bits);
        numbers = _mm_add_epi32(numbers, _mm_set1_epi32(4));
    }
    return picked + pick_portable(words + i, mask, want, first + i, count - i, out + picked);
}

#endif

KITH_INTERNAL kith_pick_fn kith_pick_path(unsigned path)
{
#if defined(PICK_AVX2)
    __builtin_cpu_init();
    if (path == 2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) {
        return pick_avx2;
    }
#endif
    return path == 2 ? NULL : pick_portable;
}

KITH_INTERNAL kith_pick_fn kith_pick_best(void)
{
    kith_pick_fn best = kith_pick_path(2);
    return best != NULL ? best : kith_pick_path(0);
}
