// SPDX-License-Identifier: MIT
// How far packed indices agree: every way to find out gives what a plain comparison gives, for each
// length, each place of the first difference, holes, and addresses of any alignment.
#include "base/simd_match.h"

#include "component_test.h"

#define HOLE  0x80000000u
#define WORDS 80u

static const char *const path_names[KITH_AGREE_PATHS] = { "portable", "SSE2", "AVX2" };

static void assert_agrees(unsigned path, const uint32_t *a, const uint32_t *b, uint32_t count,
                          uint32_t expected)
{
    uint32_t agreed = kith_agree_path(path)(a, b, count);
    if (agreed != expected) {
        fail_msg("%s: %u of %u agree, not %u", path_names[path], agreed, count, expected);
    }
}

// Runs the test for each way that this processor has; the portable one is always there.
static void for_each_path(void (*test)(unsigned path))
{
    assert_non_null(kith_agree_path(0));
    for (unsigned path = 0; path < KITH_AGREE_PATHS; path++) {
        if (kith_agree_path(path) == NULL) {
            print_message("%s is not to be had here\n", path_names[path]);
        } else {
            test(path);
        }
    }
}

static void fill_words(uint32_t *words)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = i * 2654435761u & ~HOLE;
    }
}

static void check_equal(unsigned path)
{
    uint32_t a[WORDS];
    uint32_t b[WORDS];
    fill_words(a);
    fill_words(b);
    for (uint32_t count = 0; count <= WORDS; count++) {
        assert_agrees(path, a, b, count, count);
        assert_agrees(path, a, a, count, count);
    }
}

static void equal_words_agree_to_the_end(void **state)
{
    (void)state;
    for_each_path(check_equal);
}

static void check_difference(unsigned path)
{
    uint32_t a[WORDS];
    uint32_t b[WORDS];
    fill_words(a);
    fill_words(b);
    for (uint32_t at = 0; at < WORDS; at++) {
        for (uint32_t bit = 0; bit < 31; bit += 6) {
            b[at] ^= 1u << bit;
            for (uint32_t count = 0; count <= WORDS; count += 7) {
                assert_agrees(path, a, b, count, at < count ? at : count);
            }
            b[at] ^= 1u << bit;
        }
    }
}

static void the_first_difference_ends_it(void **state)
{
    (void)state;
    for_each_path(check_difference);
}

// Also when both have the same hole: its word is a link, not an entity.
static void check_holes(unsigned path)
{
    uint32_t a[WORDS];
    uint32_t b[WORDS];
    fill_words(a);
    fill_words(b);
    for (uint32_t at = 0; at < WORDS; at++) {
        a[at] |= HOLE;
        assert_agrees(path, a, b, WORDS, at);
        assert_agrees(path, b, a, WORDS, at);
        assert_agrees(path, a, a, WORDS, at);
        a[at] &= ~HOLE;
    }
}

static void a_hole_ends_it(void **state)
{
    (void)state;
    for_each_path(check_holes);
}

static void check_alignment(unsigned path)
{
    uint32_t a[WORDS];
    uint32_t b[WORDS];
    fill_words(a);
    for (uint32_t shift = 0; shift < 8; shift++) {
        memcpy(b, a + shift, (WORDS - shift) * sizeof *b);
        b[20] ^= 1;
        assert_agrees(path, a + shift, b, WORDS - shift, 20);
    }
}

static void stretches_may_begin_anywhere(void **state)
{
    (void)state;
    for_each_path(check_alignment);
}

static void the_best_way_is_one_of_them(void **state)
{
    bool known = false;
    (void)state;
    for (unsigned path = 0; path < KITH_AGREE_PATHS; path++) {
        known = known || kith_agree_best() == kith_agree_path(path);
    }
    assert_non_null(kith_agree_best());
    assert_true(known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_words_agree_to_the_end),
        cmocka_unit_test(the_first_difference_ends_it),
        cmocka_unit_test(a_hole_ends_it),
        cmocka_unit_test(stretches_may_begin_anywhere),
        cmocka_unit_test(the_best_way_is_one_of_them),
    };
    return cmocka_run_group_tests_name("agree", tests, NULL, NULL);
}
