// SPDX-License-Identifier: MIT
// Random numbers that are equal on every machine. Not part of kith.h.
//
//     uint64_t number = kith_random(seed, ship, tick, 0);
//     if (kith_random_below(number, 6) == 0) { ... }       // one of six
//
// A number is a function of its four arguments, and nothing else: there is no generator to seed, to
// save or to restore. So systems get the same numbers in every order, on every number of threads,
// and again after a rollback. docs/random.md defines the function; another language can compute it.
//
// Threads     Any thread may call the functions of this header: they use no world.
#ifndef KITH_RANDOM_H
#define KITH_RANDOM_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns 64 random bits: the same for the same arguments, otherwise unrelated. `entity` and
/// `tick` may be any numbers. `n` tells numbers of one entity in one tick apart: 0, 1, 2 ... Not
/// for secrets. O(1).
KITH_API uint64_t kith_random(uint64_t seed, kith_entity entity, uint64_t tick, uint32_t n);

/// Returns an integer below `bound`, from 64 random bits; 0 if `bound` is 0. The chances of two
/// results differ by at most 2^-64: one part in 2^32 for a `bound` of 2^32, less below it. O(1).
KITH_API uint64_t kith_random_below(uint64_t number, uint64_t bound);

/// Returns a multiple of 2^-24 from 0 up to 1, without 1, from the upper 24 of 64 random bits.
/// O(1).
KITH_API float kith_random_float(uint64_t number);

/// Returns a multiple of 2^-53 from 0 up to 1, without 1, from the upper 53 of 64 random bits.
/// O(1).
KITH_API double kith_random_double(uint64_t number);

/// Returns low + (high - low) x kith_random_float(number), each step rounded to a float. Returns
/// `low` if that is not below `high`. `high` - `low` must be finite. O(1).
KITH_API float kith_random_between(uint64_t number, float low, float high);

#ifdef __cplusplus
}
#endif

#endif
