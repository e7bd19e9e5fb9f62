// SPDX-License-Identifier: MIT
// XXH3: short data, then stripes in a portable and an AVX2 form, then the two public forms.
#include "base/xxh3.h"

#define SHORT_MAX     240u
#define BLOCK_STRIPES 16u

// Constants of the algorithm.
#define PRIME32_1 UINT64_C(0x9E3779B1)
#define PRIME32_2 UINT64_C(0x85EBCA77)
#define PRIME32_3 UINT64_C(0xC2B2AE3D)
#define PRIME64_1 UINT64_C(0x9E3779B185EBCA87)
#define PRIME64_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME64_3 UINT64_C(0x165667B19E3779F9)
#define PRIME64_4 UINT64_C(0x85EBCA77C2B2AE63)
#define PRIME64_5 UINT64_C(0x27D4EB2F165667C5)
#define PRIME_MX1 UINT64_C(0x165667919E3779F9)
#define PRIME_MX2 UINT64_C(0x9FB21C651E98DF25)

// clang-format off
static const uint8_t secret[192] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};
// clang-format on

// Offsets in the secret.
#define SCRAMBLE_KEY 128u // for scrambling
#define LAST_KEY     121u // for the last stripe
#define END_KEY      11u  // for the end, where the eight columns become one number

// --- numbers ---------------------------------------------------------------------------------

static inline uint32_t swap_bytes32(uint32_t number)
{
    number = (number & 0x00ff00ffu) << 8 | (number >> 8 & 0x00ff00ffu);
    return number << 16 | number >> 16;
}

static inline uint64_t swap_bytes64(uint64_t number)
{
    return (uint64_t)swap_bytes32((uint32_t)number) << 32 | swap_bytes32((uint32_t)(number >> 32));
}

// Numbers in the data and in the secret are little-endian.
static inline uint32_t little32(const uint8_t *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return KITH_IS_LITTLE ? number : swap_bytes32(number);
}

static inline uint64_t little64(const uint8_t *bytes)
{
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return KITH_IS_LITTLE ? number : swap_bytes64(number);
}

static inline uint64_t rotate_left(uint64_t number, unsigned bits)
{
    return number << bits | number >> (64 - bits);
}

static inline uint64_t low_half(uint64_t number)
{
    return number & UINT32_MAX;
}

// Multiplies to 128 bits and returns the xor of both halves.
static inline uint64_t fold_product(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low    = low_half(a) * low_half(b);
    uint64_t cross  = (a >> 32) * low_half(b) + (low >> 32); // cannot overflow
    uint64_t across = low_half(a) * (b >> 32) + low_half(cross);
    uint64_t high   = (a >> 32) * (b >> 32) + (cross >> 32) + (across >> 32);
    return high ^ (across << 32 | low_half(low));
#endif
}

static inline uint64_t avalanche(uint64_t number)
{
    number = (number ^ number >> 37) * PRIME_MX1;
    return number ^ number >> 32;
}

static inline uint64_t avalanche_short(uint64_t number)
{
    number = (number ^ number >> 33) * PRIME64_2;
    number = (number ^ number >> 29) * PRIME64_3;
    return number ^ number >> 32;
}

// --- up to 240 bytes -------------------------------------------------------------------------

static uint64_t sum_up_to_3(const uint8_t *bytes, size_t size)
{
    uint32_t all = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[size / 2] << 24 |
                   (uint32_t)bytes[size - 1] | (uint32_t)size << 8;
    return avalanche_short((uint64_t)(little32(secret) ^ little32(secret + 4)) ^ all);
}

static uint64_t sum_up_to_8(const uint8_t *bytes, size_t size)
{
    uint64_t both   = (uint64_t)little32(bytes) << 32 | little32(bytes + size - 4);
    uint64_t number = little64(secret + 8) ^ little64(secret + 16) ^ both;
    number ^= rotate_left(number, 49) ^ rotate_left(number, 24);
    number *= PRIME_MX2;
    number ^= (number >> 35) + size;
    number *= PRIME_MX2;
    return number ^ number >> 28;
}

static uint64_t sum_up_to_16(const uint8_t *bytes, size_t size)
{
    uint64_t low  = little64(secret + 24) ^ little64(secret + 32) ^ little64(bytes);
    uint64_t high = little64(secret + 40) ^ little64(secret + 48) ^ little64(bytes + size - 8);
    return avalanche(size + swap_bytes64(low) + high + fold_product(low, high));
}

// Mixes 16 bytes of data with 16 bytes of the secret.
static inline uint64_t mix_16(const uint8_t *bytes, const uint8_t *key)
{
    return fold_product(little64(bytes) ^ little64(key), little64(bytes + 8) ^ little64(key + 8));
}

// Walks from both ends to the middle, where the two may overlap.
static uint64_t sum_up_to_128(const uint8_t *bytes, size_t size)
{
    uint64_t sum = size * PRIME64_1;
    for (size_t from = 0; 2 * from < size; from += 16) {
        sum += mix_16(bytes + from, secret + 2 * from);
        sum += mix_16(bytes + size - 16 - from, secret + 2 * from + 16);
    }
    return avalanche(sum);
}

static uint64_t sum_up_to_240(const uint8_t *bytes, size_t size)
{
    uint64_t sum = size * PRIME64_1;
    for (size_t from = 0; from < 128; from += 16) {
        sum += mix_16(bytes + from, secret + from);
    }
    sum = avalanche(sum);
    for (size_t from = 128; from + 16 <= size; from += 16) {
        sum += mix_16(bytes + from, secret + (from - 128 + 3));
    }
    return avalanche(sum + mix_16(bytes + size - 16, secret + 119));
}

static uint64_t short_sum(const uint8_t *bytes, size_t size)
{
    return size > 128  ? sum_up_to_240(bytes, size)
           : size > 16 ? sum_up_to_128(bytes, size)
           : size > 8  ? sum_up_to_16(bytes, size)
           : size > 3  ? sum_up_to_8(bytes, size)
           : size > 0  ? sum_up_to_3(bytes, size)
                       : avalanche_short(little64(secret + 56) ^ little64(secret + 64));
}

// --- stripes ---------------------------------------------------------------------------------

static inline void mix_stripe(uint64_t *columns, const uint8_t *bytes, const uint8_t *key)
{
    for (size_t i = 0; i < 8; i++) {
        uint64_t number = little64(bytes + 8 * i);
        uint64_t value  = number ^ little64(key + 8 * i);
        columns[i ^ 1] += number;
        columns[i] += low_half(value) * (value >> 32);
    }
}

static inline void scramble(uint64_t *columns)
{
    for (size_t i = 0; i < 8; i++) {
        uint64_t value = columns[i] ^ columns[i] >> 47 ^ little64(secret + SCRAMBLE_KEY + 8 * i);
        columns[i]     = value * PRIME32_1;
    }
}

static void mix_portable(uint64_t *columns, const uint8_t *bytes, size_t stripes, size_t at,
                         uint8_t *to)
{
    if (to != NULL && stripes > 0) {
        memcpy(to, bytes, stripes * KITH_STRIPE_BYTES);
    }
    for (; stripes > 0; stripes--, bytes += KITH_STRIPE_BYTES) {
        mix_stripe(columns, bytes, secret + 8 * at);
        at = (at + 1) % BLOCK_STRIPES;
        if (at == 0) {
            scramble(columns);
        }
    }
}

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))

    #include <immintrin.h>

    #define STRIPES_AVX2 __attribute__((target("avx2")))

    // A shuffle of 32-bit words that exchanges each two neighbouring 64-bit columns.
    #define SWAP_PAIRS 0x4e

STRIPES_AVX2 static inline __m256i load_4(const void *numbers)
{
    return _mm256_loadu_si256(numbers);
}

STRIPES_AVX2 static inline __m256i mixed_4(__m256i columns, __m256i numbers, const uint8_t *key)
{
    __m256i values  = _mm256_xor_si256(numbers, load_4(key));
    __m256i product = _mm256_mul_epu32(values, _mm256_srli_epi64(values, 32));
    return _mm256_add_epi64(_mm256_add_epi64(columns, _mm256_shuffle_epi32(numbers, SWAP_PAIRS)),
                            product);
}

STRIPES_AVX2 static inline __m256i scrambled_4(__m256i columns, const uint8_t *key)
{
    __m256i prime  = _mm256_set1_epi64x((long long)PRIME32_1);
    __m256i folded = _mm256_xor_si256(columns, _mm256_srli_epi64(columns, 47));
    __m256i values = _mm256_xor_si256(folded, load_4(key));
    __m256i high   = _mm256_mul_epu32(_mm256_srli_epi64(values, 32), prime);
    return _mm256_add_epi64(_mm256_mul_epu32(values, prime), _mm256_slli_epi64(high, 32));
}

// Compiled twice: with a copy, and with `to` a constant NULL and no copy.
STRIPES_AVX2 KITH_ALWAYS_INLINE void loop_avx2(uint64_t *columns, const uint8_t *bytes,
                                               size_t stripes, size_t at, uint8_t *to)
{
    __m256i a = load_4(columns);
    __m256i b = load_4(columns + 4);
    for (; stripes > 0; stripes--, bytes += KITH_STRIPE_BYTES) {
        __m256i front = load_4(bytes);
        __m256i back  = load_4(bytes + 32);
        if (to != NULL) {
            _mm256_storeu_si256((void *)to, front);
            _mm256_storeu_si256((void *)(to + 32), back);
            to += KITH_STRIPE_BYTES;
        }
        a  = mixed_4(a, front, secret + 8 * at);
        b  = mixed_4(b, back, secret + 8 * at + 32);
        at = (at + 1) % BLOCK_STRIPES;
        if (at == 0) {
            a = scrambled_4(a, secret + SCRAMBLE_KEY);
            b = scrambled_4(b, secret + SCRAMBLE_KEY + 32);
        }
    }
    _mm256_storeu_si256((void *)columns, a);
    _mm256_storeu_si256((void *)(columns + 4), b);
}

STRIPES_AVX2 static void mix_avx2(uint64_t *columns, const uint8_t *bytes, size_t stripes,
                                  size_t at, uint8_t *to)
{
    if (to == NULL) {
        loop_avx2(columns, bytes, stripes, at, NULL);
    } else {
        loop_avx2(columns, bytes, stripes, at, to);
    }
}

#endif

// Needs no __builtin_cpu_init: the compiler's library has called it before main.
kith_stripes_fn kith_stripes_path(unsigned path)
{
#if defined(STRIPES_AVX2)
    if (path == 1) {
        return __builtin_cpu_supports("avx2") ? mix_avx2 : NULL;
    }
#endif
    return path == 0 ? mix_portable : NULL;
}

static const uint64_t first_columns[8] = { PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3,
                                           PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1 };

static uint64_t end_of_stripes(uint64_t *columns, const uint8_t *last_stripe, uint64_t size)
{
    mix_stripe(columns, last_stripe, secret + LAST_KEY);
    uint64_t sum = size * PRIME64_1;
    for (size_t i = 0; i < 8; i += 2) {
        const uint8_t *key = secret + END_KEY + 8 * i;
        sum += fold_product(columns[i] ^ little64(key), columns[i + 1] ^ little64(key + 8));
    }
    return avalanche(sum);
}

// --- data in pieces ---------------------------------------------------------------------------

void kith_xxh3_begin(kith_xxh3_state *state)
{
    kith_stripes_fn wide = kith_stripes_path(1);
    state->mix           = wide != NULL ? wide : mix_portable;
    state->mixed         = 0;
    state->held          = 0;
    memcpy(state->columns, first_columns, sizeof first_columns);
}

static size_t place_in_block(const kith_xxh3_state *state)
{
    return (size_t)(state->mixed / KITH_STRIPE_BYTES % BLOCK_STRIPES);
}

static void mix_and_keep_last(kith_xxh3_state *state, const uint8_t *bytes, size_t stripes,
                              uint8_t *to)
{
    size_t size = stripes * KITH_STRIPE_BYTES;
    state->mix(state->columns, bytes, stripes, place_in_block(state), to);
    memcpy(state->bytes, bytes + size - KITH_STRIPE_BYTES, KITH_STRIPE_BYTES);
    state->mixed += size;
}

static void hold_bytes(kith_xxh3_state *state, uint8_t *to, const uint8_t *bytes, size_t size)
{
    memcpy(state->bytes + KITH_STRIPE_BYTES + state->held, bytes, size);
    if (to != NULL) {
        memcpy(to, bytes, size);
    }
    state->held += (uint32_t)size;
}

void kith_xxh3_copy(kith_xxh3_state *state, void *to, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    uint8_t       *copy = to;
    size_t         room = KITH_HELD_MAX - state->held;
    size_t         done = 0;
    if (size > room && state->held > 0) {
        hold_bytes(state, copy, from, room);
        mix_and_keep_last(state, state->bytes + KITH_STRIPE_BYTES,
                          KITH_HELD_MAX / KITH_STRIPE_BYTES, NULL);
        state->held = 0;
        done        = room;
    }
    if (size - done > KITH_HELD_MAX) {
        size_t stripes = (size - done - 1) / KITH_STRIPE_BYTES;
        mix_and_keep_last(state, from + done, stripes, copy == NULL ? NULL : copy + done);
        done += stripes * KITH_STRIPE_BYTES;
    }
    if (size > done) {
        hold_bytes(state, copy == NULL ? NULL : copy + done, from + done, size - done);
    }
}

void kith_xxh3_feed(kith_xxh3_state *state, const void *bytes, size_t size)
{
    kith_xxh3_copy(state, NULL, bytes, size);
}

uint64_t kith_xxh3_end(const kith_xxh3_state *state)
{
    const uint8_t *held = state->bytes + KITH_STRIPE_BYTES;
    uint64_t       size = state->mixed + state->held;
    if (size <= SHORT_MAX) {
        return short_sum(held, state->held);
    }
    uint64_t columns[8];
    memcpy(columns, state->columns, sizeof columns);
    state->mix(columns, held, (state->held - 1) / KITH_STRIPE_BYTES, place_in_block(state), NULL);
    return end_of_stripes(columns, held + state->held - KITH_STRIPE_BYTES, size);
}

// --- data in one piece ------------------------------------------------------------------------

uint64_t kith_xxh3(const void *bytes, size_t size)
{
    kith_xxh3_state state;
    if (size <= SHORT_MAX) {
        return short_sum(bytes, size);
    }
    kith_xxh3_begin(&state);
    kith_xxh3_feed(&state, bytes, size);
    return kith_xxh3_end(&state);
}
