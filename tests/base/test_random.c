// SPDX-License-Identifier: MIT
// Random numbers: each bit of each argument changes half of the bits, neighbours are not related,
// and the forms keep their bounds. All inputs are fixed, so each figure is the same in every run.
// tests/portable/random.c has the test vectors.
#include "kith/random.h"

#include "kith_test.h"

#include <float.h>

enum { WALKS = 4, STEPS = 1 << 16, TRIALS = 2048 };

// The numbers along one argument, and along entities and n at once. They begin as in most programs:
// small seed, first versions, early ticks.
static uint64_t number_of_walk(uint32_t walk, uint32_t i)
{
    const kith_entity first = UINT64_C(1) << 32;
    return walk == 0   ? kith_random(1, first, 1, i)
           : walk == 1 ? kith_random(1, first + i, 1, 0)
           : walk == 2 ? kith_random(1, first, i, 0)
                       : kith_random(1, first + i / 2, 1, i % 2);
}

// Fails unless `sum`, of a chi-squared test with `cells` cells, is within six standard deviations.
static void assert_chi_squared(double sum, uint32_t cells, const char *what, uint32_t which)
{
    double freedom  = cells - 1;
    double distance = sum - freedom;
    if (distance * distance > 36 * 2 * freedom) {
        fail_msg("%s %u: chi-squared is %g with %u cells", what, which, sum, cells);
    }
}

static double chi_squared(const uint32_t *counts, uint32_t cells, uint32_t samples)
{
    double expected = (double)samples / cells;
    double sum      = 0;
    for (uint32_t i = 0; i < cells; i++) {
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    return sum;
}

// --- bits ------------------------------------------------------------------------------------

// The number of arguments that are small, with bit `bit` of all 224 bits flipped; 224: with none.
static uint64_t flipped(uint32_t trial, uint32_t bit)
{
    uint64_t in[4] = { trial % 3, (UINT64_C(1) << 32) + trial, trial / 7, trial % 5 };
    in[bit / 64 & 3] ^= bit < 224 ? UINT64_C(1) << bit % 64 : 0;
    return kith_random(in[0], in[1], in[2], (uint32_t)in[3]);
}

// Of 2,048 trials 1,024 flip, give or take 22.6. Six of these deviations are 136.
static void each_bit_of_each_argument_flips_each_bit_half_the_time(void **state)
{
    (void)state;
    for (uint32_t bit = 0; bit < 224; bit++) {
        uint32_t flips[64] = { 0 };
        for (uint32_t trial = 0; trial < TRIALS; trial++) {
            uint64_t change = flipped(trial, bit) ^ flipped(trial, 224);
            for (uint32_t i = 0; i < 64; i++) {
                flips[i] += (uint32_t)(change >> i & 1);
            }
        }
        for (uint32_t i = 0; i < 64; i++) {
            if (flips[i] < TRIALS / 2 - 136 || flips[i] > TRIALS / 2 + 136) {
                fail_msg("bit %u of the arguments flips bit %u in %u of %u trials", bit, i,
                         flips[i], TRIALS);
            }
        }
    }
}

// --- sequences -------------------------------------------------------------------------------

static void each_byte_has_each_value_equally_often(void **state)
{
    (void)state;
    for (uint32_t which = 0; which < WALKS * 8; which++) {
        uint32_t counts[256] = { 0 };
        for (uint32_t i = 0; i < STEPS; i++) {
            counts[number_of_walk(which / 8, i) >> which % 8 * 8 & 255]++;
        }
        assert_chi_squared(chi_squared(counts, 256, STEPS), 256, "byte", which);
    }
}

// The upper, and the lower, four bits of a number and of the one `lag` steps later: 256 pairs.
static void pairs_of_neighbours_are_equally_frequent(void **state)
{
    static const uint32_t lags[] = { 1, 2, 3, 16, 256, 1024 };
    (void)state;
    for (uint32_t which = 0; which < WALKS * 2 * 6; which++) {
        uint32_t counts[256] = { 0 };
        uint32_t shift       = which % 2 * 60;
        for (uint32_t i = 0; i < STEPS; i++) {
            uint64_t a = number_of_walk(which / 12, i) >> shift & 15;
            uint64_t b = number_of_walk(which / 12, i + lags[which / 2 % 6]) >> shift & 15;
            counts[a << 4 | b]++;
        }
        assert_chi_squared(chi_squared(counts, 256, STEPS), 256, "pair", which);
    }
}

// The correlation of 65,536 pairs is 0, give or take 1/256. Six of these deviations are 0.0234.
static void neighbours_do_not_correlate(void **state)
{
    (void)state;
    for (uint32_t walk = 0; walk < WALKS; walk++) {
        double sum = 0;
        for (uint32_t i = 0; i < STEPS; i++) {
            sum += (kith_random_double(number_of_walk(walk, i)) - 0.5) *
                   (kith_random_double(number_of_walk(walk, i + 1)) - 0.5);
        }
        double correlation = sum / STEPS * 12; // the variance of a number is 1/12
        assert_true(correlation > -0.0234 && correlation < 0.0234);
    }
}

// The same numbers in another argument are another number.
static void arguments_do_not_change_places(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < 1000; i++) {
        uint64_t one = kith_random(i, 0, 0, 0);
        assert_true(one != kith_random(0, i, 0, 0) && one != kith_random(0, 0, i, 0));
        assert_true(one != kith_random(0, 0, 0, i));
        assert_true(kith_random(0, i, 0, 0) != kith_random(0, 0, i, 0));
        assert_true(kith_random(0, i, i + 1, 0) != kith_random(0, i + 1, i, 0));
        assert_true(kith_random(0, 0, i, i + 1) != kith_random(0, 0, i + 1, i));
    }
}

// --- forms -----------------------------------------------------------------------------------

static void an_integer_is_below_its_bound(void **state)
{
    static const uint64_t bounds[] = {
        1, 2, 3, 6, 1u << 31, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(3) << 62, UINT64_MAX
    };
    (void)state;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        assert_int_equal(kith_random_below(0, bounds[i]), 0);
        assert_int_equal(kith_random_below(UINT64_MAX, bounds[i]), bounds[i] - 1);
        assert_int_equal(kith_random_below(UINT64_C(1) << 63, bounds[i]), bounds[i] / 2);
    }
    assert_int_equal(kith_random_below(UINT64_MAX, 0), 0);
}

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 wide;

static void an_integer_is_the_upper_half_of_the_product(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < STEPS; i++) {
        uint64_t number = number_of_walk(0, i);
        uint64_t bound  = number_of_walk(1, i) >> i % 64;
        assert_int_equal(kith_random_below(number, bound), (uint64_t)((wide)number * bound >> 64));
    }
}
#endif

static void the_faces_of_a_die_are_equally_frequent(void **state)
{
    (void)state;
    for (uint32_t walk = 0; walk < WALKS; walk++) {
        uint32_t counts[6] = { 0 };
        for (uint32_t i = 0; i < STEPS; i++) {
            counts[kith_random_below(number_of_walk(walk, i), 6)]++;
        }
        assert_chi_squared(chi_squared(counts, 6, STEPS), 6, "die", walk);
    }
}

static void floats_are_from_0_up_to_1(void **state)
{
    (void)state;
    assert_true(kith_random_float(0) == 0 && kith_random_double(0) == 0);
    assert_true(kith_random_float(UINT64_MAX) == 1 - FLT_EPSILON / 2);
    assert_true(kith_random_double(UINT64_MAX) == 1 - DBL_EPSILON / 2);
    assert_true(kith_random_float(UINT64_C(1) << 63) == 0.5f);
    assert_true(kith_random_double(UINT64_C(1) << 63) == 0.5);
    assert_true(kith_random_float(UINT64_C(1) << 40) == FLT_EPSILON / 2);
    assert_true(kith_random_double(UINT64_C(1) << 11) == DBL_EPSILON / 2);
}

static void a_float_between_two_never_is_the_upper_one(void **state)
{
    (void)state;
    assert_true(kith_random_between(0, -2, 6) == -2);
    assert_true(kith_random_between(UINT64_C(1) << 63, -2, 6) == 2);
    assert_true(kith_random_between(UINT64_MAX, -2, 6) < 6);
    assert_true(kith_random_between(UINT64_MAX, 1, 1 + FLT_EPSILON) == 1); // it rounds to the upper
    assert_true(kith_random_between(UINT64_MAX, 4, 4) == 4);
    assert_true(kith_random_between(UINT64_MAX, 6, -2) == 6);
    for (uint32_t i = 0; i < STEPS; i++) {
        float between = kith_random_between(number_of_walk(3, i), 1000, 1001);
        assert_true(between >= 1000 && between < 1001);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bit_of_each_argument_flips_each_bit_half_the_time),
        cmocka_unit_test(each_byte_has_each_value_equally_often),
        cmocka_unit_test(pairs_of_neighbours_are_equally_frequent),
        cmocka_unit_test(neighbours_do_not_correlate),
        cmocka_unit_test(arguments_do_not_change_places),
        cmocka_unit_test(an_integer_is_below_its_bound),
#if defined(__SIZEOF_INT128__)
        cmocka_unit_test(an_integer_is_the_upper_half_of_the_product),
#endif
        cmocka_unit_test(the_faces_of_a_die_are_equally_frequent),
        cmocka_unit_test(floats_are_from_0_up_to_1),
        cmocka_unit_test(a_float_between_two_never_is_the_upper_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
