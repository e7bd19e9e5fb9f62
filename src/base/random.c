// SPDX-License-Identifier: MIT
// Random numbers without a state: Threefry-4x64, 12 rounds, of (entity, tick, n, 0) under the key
// (seed, 0, 0, 0). docs/random.md has the definition. For one key the function is a bijection of
// 256 bits, so different arguments never meet on the way.
#include "kith/random.h"
#include "base/base.h"

// Two pairs of words of one round: each pair adds, rotates and combines.
#define MIX(A, B, BITS_AB, C, D, BITS_CD)                                                          \
    (A) += (B);                                                                                    \
    (B) = ((B) << (BITS_AB) | (B) >> (64 - (BITS_AB))) ^ (A);                                      \
    (C) += (D);                                                                                    \
    (D) = ((D) << (BITS_CD) | (D) >> (64 - (BITS_CD))) ^ (C)

// Written out, all words stay in registers: a loop over the rounds takes four times as long. Parts
// of the key that are 0 are left out.
uint64_t kith_random(uint64_t seed, kith_entity entity, uint64_t tick, uint32_t n)
{
    uint64_t parity = seed ^ UINT64_C(0x1bd11bdaa9fc1a22);
    uint64_t a      = entity + seed;
    uint64_t b      = tick;
    uint64_t c      = n;
    uint64_t d      = 0;
    MIX(a, b, 14, c, d, 16);
    MIX(a, d, 52, c, b, 57);
    MIX(a, b, 23, c, d, 40);
    MIX(a, d, 5, c, b, 37);
    d += parity + 1;
    MIX(a, b, 25, c, d, 33);
    MIX(a, d, 46, c, b, 12);
    MIX(a, b, 58, c, d, 22);
    MIX(a, d, 32, c, b, 32);
    c += parity;
    d += seed + 2;
    MIX(a, b, 14, c, d, 16);
    MIX(a, d, 52, c, b, 57);
    MIX(a, b, 23, c, d, 40);
    return a + d; // the twelfth round, as far as it concerns the first word
}

uint64_t kith_random_below(uint64_t number, uint64_t bound)
{
    // The upper 64 of the 128 bits of number x bound, by halves: not every machine has 128 bits.
    uint64_t low   = (number & UINT32_MAX) * (bound & UINT32_MAX);
    uint64_t left  = (number >> 32) * (bound & UINT32_MAX) + (low >> 32);
    uint64_t right = (number & UINT32_MAX) * (bound >> 32) + (left & UINT32_MAX);
    return (number >> 32) * (bound >> 32) + (left >> 32) + (right >> 32);
}

float kith_random_float(uint64_t number)
{
    return (float)(number >> 40) / 16777216.0f;
}

double kith_random_double(uint64_t number)
{
    return (double)(number >> 11) / 9007199254740992.0;
}

// Each step is stored as a float: no compiler joins two of them, or keeps more bits.
float kith_random_between(uint64_t number, float low, float high)
{
    volatile float span = high - low;
    volatile float part = span * kith_random_float(number);
    volatile float sum  = low + part;
    return sum < high ? sum : low;
}
