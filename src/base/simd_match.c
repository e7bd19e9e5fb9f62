// SPDX-License-Identifier: MIT
#include "base/simd_match.h"

#define EMPTY_BIT 0x80000000u

static uint32_t agree_portable(const uint32_t *a, const uint32_t *b, uint32_t count)
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

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

    #include <immintrin.h>

// Words that are equal and not negative: a hole is negative.
__attribute__((target("sse2"))) static uint32_t agree_sse2(const uint32_t *a, const uint32_t *b,
                                                           uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        __m128i in_a = _mm_loadu_si128((const __m128i *)(const void *)(a + i));
        __m128i in_b = _mm_loadu_si128((const __m128i *)(const void *)(b + i));
        __m128i good = _mm_andnot_si128(in_a, _mm_cmpeq_epi32(in_a, in_b));
        if (_mm_movemask_ps(_mm_castsi128_ps(good)) != 0xf) {
            break;
        }
    }
    return i + agree_portable(a + i, b + i, count - i);
}

    #define AGREE_AVX2 __attribute__((target("avx2")))

// All bits set where eight words are equal and no holes; only the top bit of each counts.
AGREE_AVX2 static inline __m256i good_words(const uint32_t *a, const uint32_t *b)
{
    __m256i in_a = _mm256_loadu_si256((const __m256i *)(const void *)a);
    __m256i in_b = _mm256_loadu_si256((const __m256i *)(const void *)b);
    return _mm256_andnot_si256(in_a, _mm256_cmpeq_epi32(in_a, in_b));
}

AGREE_AVX2 static inline bool all_good(__m256i words)
{
    return _mm256_movemask_ps(_mm256_castsi256_ps(words)) == 0xff;
}

AGREE_AVX2 static uint32_t agree_avx2(const uint32_t *a, const uint32_t *b, uint32_t count)
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
    return i + agree_portable(a + i, b + i, count - i);
}

#endif

KITH_INTERNAL kith_agree_fn kith_agree_path(unsigned path)
{
#if defined(AGREE_AVX2)
    __builtin_cpu_init();
    if (path == 1) {
        return __builtin_cpu_supports("sse2") ? agree_sse2 : NULL;
    }
    if (path == 2) {
        return __builtin_cpu_supports("avx2") ? agree_avx2 : NULL;
    }
#endif
    return path == 0 ? agree_portable : NULL;
}

KITH_INTERNAL kith_agree_fn kith_agree_best(void)
{
    unsigned path = KITH_AGREE_PATHS - 1;
    while (kith_agree_path(path) == NULL) {
        path--;
    }
    return kith_agree_path(path);
}
