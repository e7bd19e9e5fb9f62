// SPDX-License-Identifier: MIT
// Which words are picked: every way to do it gives what a plain loop gives.
#include "base/simd_filter.h"
#include "kith_test.h"

enum { WORDS = 70 };

static uint32_t pick_plainly(const uint64_t *words, uint64_t mask, uint64_t want, uint32_t first,
                             uint32_t count, uint32_t *out)
{
    uint32_t picked = 0;
    for (uint32_t i = 0; i < count; i++) {
        if ((words[i] & mask) == want) {
            out[picked++] = first + i;
        }
    }
    return picked;
}

static void assert_picks(const uint64_t *words, uint64_t mask, uint64_t want, uint32_t count)
{
    uint32_t expected[WORDS];
    uint32_t known = pick_plainly(words, mask, want, 1000, count, expected);
    for (unsigned path = 0; path < 3; path++) {
        uint32_t     found[WORDS + KITH_PICK_SPARE + 1];
        kith_pick_fn pick = kith_pick_path(path);
        if (pick == NULL) {
            continue;
        }
        found[count + KITH_PICK_SPARE] = 77;
        assert_int_equal(pick(words, mask, want, 1000, count, found), known);
        assert_memory_equal(found, expected, known * sizeof *expected);
        assert_int_equal(found[count + KITH_PICK_SPARE], 77);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 20;
}

static void random_words_are_picked_alike(void **state)
{
    uint64_t random = 1;
    uint64_t words[WORDS];
    (void)state;
    for (uint32_t round = 0; round < 200; round++) {
        for (uint32_t i = 0; i < WORDS; i++) {
            words[i] = next_random(&random) & 3;
        }
        for (uint32_t count = 0; count <= WORDS; count++) {
            assert_picks(words, 3, round & 3, count);
        }
    }
}

static void all_none_and_the_top_bit(void **state)
{
    uint64_t words[WORDS];
    (void)state;
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = UINT64_C(1) << 63 | i;
    }
    assert_picks(words, UINT64_C(1) << 63, UINT64_C(1) << 63, WORDS);
    assert_picks(words, UINT64_C(1) << 63, 0, WORDS);
    assert_picks(words, UINT64_MAX, words[13], WORDS);
    assert_picks(words, 0, 0, WORDS);
}

static void the_best_path_is_one_of_them(void **state)
{
    (void)state;
    assert_non_null(kith_pick_path(0));
    assert_true(kith_pick_best() == kith_pick_path(0) || kith_pick_best() == kith_pick_path(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_words_are_picked_alike),
        cmocka_unit_test(all_none_and_the_top_bit),
        cmocka_unit_test(the_best_path_is_one_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
