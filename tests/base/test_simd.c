// SPDX-License-Identifier: MIT
// The SIMD loops: with every instruction set they return what plain loops return, for each length,
// each place of the first difference, empty rows, and addresses of any alignment.
#include "base/simd.h"

#include "component_test.h"

#define HOLE  0x80000000u
#define WORDS 80u

static const char *const level_names[] = { "portable", "AVX2" };

static void assert_matches(unsigned path, const uint32_t *a, const uint32_t *b, uint32_t count,
                           uint32_t expected)
{
    uint32_t agreed = kith_match_prefix_for(path)(a, b, count);
    if (agreed != expected) {
        fail_msg("%s: %u of %u match, not %u", level_names[path], agreed, count, expected);
    }
}

// Runs the test for each instruction set that this processor has.
static void for_each_path(void (*test)(unsigned path))
{
    for (unsigned path = KITH_SIMD_NONE; path <= kith_simd_level(); path++) {
        test(path);
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
        assert_matches(path, a, b, count, count);
        assert_matches(path, a, a, count, count);
    }
}

static void equal_words_match_to_the_end(void **state)
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
                assert_matches(path, a, b, count, at < count ? at : count);
            }
            b[at] ^= 1u << bit;
        }
    }
}

static void the_first_difference_ends_the_match(void **state)
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
        assert_matches(path, a, b, WORDS, at);
        assert_matches(path, b, a, WORDS, at);
        assert_matches(path, a, a, WORDS, at);
        a[at] &= ~HOLE;
    }
}

static void a_hole_ends_the_match(void **state)
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
        assert_matches(path, a + shift, b, WORDS - shift, 20);
    }
}

static void stretches_may_begin_anywhere(void **state)
{
    (void)state;
    for_each_path(check_alignment);
}

// --- selecting -------------------------------------------------------------------------------

static uint32_t select_plainly(const uint64_t *words, uint64_t mask, uint64_t want, uint32_t first,
                               uint32_t count, uint32_t *out)
{
    uint32_t selected = 0;
    for (uint32_t i = 0; i < count; i++) {
        if ((words[i] & mask) == want) {
            out[selected++] = first + i;
        }
    }
    return selected;
}

static void assert_selects(const uint64_t *words, uint64_t mask, uint64_t want, uint32_t count)
{
    uint32_t expected[WORDS];
    uint32_t known = select_plainly(words, mask, want, 1000, count, expected);
    for (unsigned path = KITH_SIMD_NONE; path <= kith_simd_level(); path++) {
        uint32_t             found[WORDS + 1];
        kith_select_words_fn select = kith_select_words_for(path);
        found[count]                = 77;
        assert_int_equal(select(words, mask, want, 1000, count, found), known);
        assert_memory_equal(found, expected, known * sizeof *expected);
        assert_int_equal(found[count], 77);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 20;
}

static void random_words_are_selected_alike(void **state)
{
    uint64_t random = 1;
    uint64_t words[WORDS];
    (void)state;
    for (uint32_t round = 0; round < 200; round++) {
        for (uint32_t i = 0; i < WORDS; i++) {
            words[i] = next_random(&random) & 3;
        }
        for (uint32_t count = 0; count <= WORDS; count++) {
            assert_selects(words, 3, round & 3, count);
        }
    }
}

static void all_words_no_words_and_the_top_bit_are_selected(void **state)
{
    uint64_t words[WORDS];
    (void)state;
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = UINT64_C(1) << 63 | i;
    }
    assert_selects(words, UINT64_C(1) << 63, UINT64_C(1) << 63, WORDS);
    assert_selects(words, UINT64_C(1) << 63, 0, WORDS);
    assert_selects(words, UINT64_MAX, words[13], WORDS);
    assert_selects(words, 0, 0, WORDS);
}

// --- copies and numbers ----------------------------------------------------------------------

#define ROOM 1024u

static void copies_are_equal_wherever_they_begin(void **state)
{
    (void)state;
    uint8_t from[ROOM];
    uint8_t to[ROOM];
    for (uint32_t i = 0; i < ROOM; i++) {
        from[i] = (uint8_t)(i * 7 + 1);
    }
    for (size_t at = 0; at <= 64; at++) {
        for (size_t size = 0; size <= 300; size++) {
            memset(to, 0, sizeof to);
            kith_stream_copy(to + at, from + size % 5, size);
            assert_memory_equal(to + at, from + size % 5, size);
            assert_true(at == 0 || to[at - 1] == 0);
            assert_int_equal(to[at + size], 0);
        }
    }
}

static void check_numbers(size_t at, uint32_t count, uint64_t step)
{
    const uint64_t first = UINT64_C(0x100000000) - 5; // and over into the upper half
    uint64_t       numbers[WORDS];
    memset(numbers, 0, sizeof numbers);
    (step == 0 ? kith_array_fill : kith_array_number)(numbers + at, first, count);
    for (size_t i = 0; i < WORDS; i++) {
        bool     inside   = i >= at && i < at + count;
        uint64_t expected = inside ? first + step * (i - at) : 0;
        assert_true(numbers[i] == expected);
    }
}

static void numbers_are_equal_wherever_they_begin(void **state)
{
    (void)state;
    for (size_t at = 0; at <= 9; at++) {
        for (uint32_t count = 0; count <= 50; count++) {
            check_numbers(at, count, 0);
            check_numbers(at, count, 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_words_match_to_the_end),
        cmocka_unit_test(the_first_difference_ends_the_match),
        cmocka_unit_test(a_hole_ends_the_match),
        cmocka_unit_test(stretches_may_begin_anywhere),
        cmocka_unit_test(random_words_are_selected_alike),
        cmocka_unit_test(all_words_no_words_and_the_top_bit_are_selected),
        cmocka_unit_test(copies_are_equal_wherever_they_begin),
        cmocka_unit_test(numbers_are_equal_wherever_they_begin),
    };
    return cmocka_run_group_tests_name("simd", tests, NULL, NULL);
}
