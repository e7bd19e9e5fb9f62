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
    uint32_t agreed = kith_simd_for(path)->match_prefix(a, b, count);
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

// --- picking, looking up, joining ------------------------------------------------------------

#define PAGES      3u
#define PAGE_SLOTS 1024u

// Pages of an entity table and of a pool's slots. The pool has no third page.
typedef struct tables {
    uint64_t  entities[PAGES][2 * PAGE_SLOTS];
    uint64_t  slots[PAGES - 1][PAGE_SLOTS];
    uint64_t *entity_pages[PAGES];
    uint64_t *slot_pages[PAGES - 1];
    uint32_t  indices[WORDS];
} tables;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 20;
}

static tables *make_tables(uint64_t *random)
{
    static tables t;
    for (uint32_t page = 0; page < PAGES; page++) {
        t.entity_pages[page] = t.entities[page];
        for (uint32_t i = 0; i < PAGE_SLOTS; i++) {
            t.entities[page][PAGE_SLOTS + i] = next_random(random) % 4 | UINT64_C(1) << (i % 64);
        }
    }
    for (uint32_t page = 0; page + 1 < PAGES; page++) {
        t.slot_pages[page] = t.slots[page];
        for (uint32_t i = 0; i < PAGE_SLOTS; i++) {
            bool present = next_random(random) % 8 != 0;
            t.slots[page][i] =
                (next_random(random) & 0xff) << 32 |
                (present ? (uint32_t)next_random(random) % 5000 : UINT32_MAX - i % 2);
        }
    }
    return &t;
}

// Entities one after the other, with gaps, or in any order, in the first `pages` pages.
static void choose_indices(tables *t, uint64_t *random, uint32_t pages)
{
    uint32_t way  = (uint32_t)next_random(random) % 3;
    uint32_t most = pages * PAGE_SLOTS;
    uint32_t from = (uint32_t)next_random(random) % most;
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t index = way == 0   ? from + i
                         : way == 1 ? from + 7 * i
                                    : (uint32_t)next_random(random);
        t->indices[i]  = index % most;
    }
}

static void assert_picks(tables *t, uint64_t mask, uint64_t want, uint32_t count)
{
    uint32_t expected[2][WORDS];
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = t->indices[i];
        if ((t->entities[index / PAGE_SLOTS][PAGE_SLOTS + index % PAGE_SLOTS] & mask) == want) {
            expected[0][known]   = index;
            expected[1][known++] = 1000 + i;
        }
    }
    for (unsigned path = KITH_SIMD_NONE; path <= kith_simd_level(); path++) {
        uint32_t found[2][WORDS + 1];
        found[0][count] = found[1][count] = 77;
        assert_int_equal(kith_simd_for(path)->pick(t->entity_pages, mask, want, t->indices, 1000,
                                                   count, found[0], found[1]),
                         known);
        assert_memory_equal(found[0], expected[0], known * sizeof **expected);
        assert_memory_equal(found[1], expected[1], known * sizeof **expected);
        assert_int_equal(found[0][count], 77);
        assert_int_equal(found[1][count], 77);
    }
}

static void entities_are_picked_by_their_words(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        tables *t = make_tables(&random);
        choose_indices(t, &random, PAGES);
        for (uint32_t count = 0; count <= WORDS; count++) {
            assert_picks(t, 3, round & 3, count);
        }
        assert_picks(t, UINT64_C(1) << 63, UINT64_C(1) << 63, WORDS);
        assert_picks(t, UINT64_C(1) << 40, 0, WORDS);
        assert_picks(t, 0, 0, WORDS);
    }
}

static void assert_looks_up(const tables *t, uint32_t count)
{
    uint32_t expected[WORDS];
    bool     lacked = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t page = t->indices[i] / PAGE_SLOTS;
        uint64_t slot = page < PAGES - 1 ? t->slots[page][t->indices[i] % PAGE_SLOTS] : UINT64_MAX;
        expected[i]   = (uint32_t)slot;
        lacked        = lacked || expected[i] >= HOLE;
    }
    for (unsigned path = KITH_SIMD_NONE; path <= kith_simd_level(); path++) {
        uint32_t found[WORDS + 1];
        found[count] = 77;
        assert_int_equal(
            kith_simd_for(path)->look_up(t->slot_pages, PAGES - 1, t->indices, count, found),
            lacked);
        assert_memory_equal(found, expected, count * sizeof *expected);
        assert_int_equal(found[count], 77);
    }
}

// Also where the pool has no page of slots, and where one entity of many has no row.
static void rows_are_looked_up(void **state)
{
    uint64_t random = 2;
    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        tables *t = make_tables(&random);
        choose_indices(t, &random, 2 + round % 2);
        for (uint32_t i = 0; i < WORDS && round % 4 != 0; i++) {
            uint32_t page = t->indices[i] / PAGE_SLOTS;
            if (page < PAGES - 1 && i != round % WORDS) {
                t->slots[page][t->indices[i] % PAGE_SLOTS] &= 0xff00000fff;
            }
        }
        for (uint32_t count = 0; count <= WORDS; count++) {
            assert_looks_up(t, count);
        }
    }
}

static void assert_addresses(uint8_t *const *pages, const uint32_t *rows, uint32_t count,
                             uint32_t shift, uint32_t size)
{
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        same = same && rows[i] >> shift == rows[0] >> shift;
    }
    for (unsigned path = KITH_SIMD_NONE; path <= kith_simd_level(); path++) {
        void *found[WORDS + 1];
        found[count] = found;
        assert_int_equal(kith_simd_for(path)->address(pages, rows, count, shift, size, found),
                         same);
        for (uint32_t i = 0; i < count; i++) {
            assert_ptr_equal(found[i], pages[rows[i] >> shift] +
                                           (size_t)(rows[i] & ((1u << shift) - 1)) * size);
        }
        assert_ptr_equal(found[count], found);
    }
}

static void rows_have_addresses(void **state)
{
    static uint8_t memory[4][12u << 5];
    uint8_t *const pages[] = { memory[2], memory[0], memory[3], memory[1] };
    uint64_t       random  = 4;
    uint32_t       rows[WORDS];
    (void)state;
    for (uint32_t shift = 0; shift <= 5; shift++) {
        for (uint32_t i = 0; i < WORDS; i++) {
            rows[i] = (uint32_t)next_random(&random) % (4u << shift);
        }
        for (uint32_t count = 0; count <= WORDS; count++) {
            assert_addresses(pages, rows, count, shift, 12);
        }
    }
}

// Also where one row, at any place, is in another page.
static void rows_of_one_page_are_recognised(void **state)
{
    static uint8_t memory[4][12u << 5];
    uint8_t *const pages[] = { memory[2], memory[0], memory[3], memory[1] };
    uint64_t       random  = 3;
    uint32_t       rows[WORDS];
    (void)state;
    for (uint32_t shift = 0; shift <= 5; shift++) {
        uint32_t first = (uint32_t)(next_random(&random) % 3) << shift;
        for (uint32_t i = 0; i < WORDS; i++) {
            rows[i] = first + (uint32_t)next_random(&random) % (1u << shift);
        }
        for (uint32_t count = 1; count <= WORDS; count++) {
            uint32_t *other = &rows[next_random(&random) % count];
            assert_addresses(pages, rows, count, shift, 12);
            *other += 1u << shift;
            assert_addresses(pages, rows, count, shift, 12);
            *other -= 1u << shift;
        }
    }
}

#define SIZE 12u

static void assert_joins(void *const *at, const uint32_t *before, uint32_t count)
{
    uint32_t expected[WORDS];
    bool     any = false;
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t step = (uintptr_t)at[i + 1] - (uintptr_t)at[i];
        expected[i]    = step == SIZE || step == 0 ? before[i] : 0;
        any            = any || expected[i] != 0;
    }
    for (unsigned path = KITH_SIMD_NONE; path <= kith_simd_level(); path++) {
        uint32_t joined[WORDS + 1];
        memcpy(joined, before, count * sizeof *joined);
        joined[count] = 77;
        assert_int_equal(kith_simd_for(path)->join(at, count, SIZE, joined), any);
        assert_memory_equal(joined, expected, count * sizeof *joined);
        assert_int_equal(joined[count], 77);
    }
}

// A step that is wrong: to any value, or one that differs from SIZE in its upper or lower half
// only.
static uintptr_t wrong_step(uint64_t *random)
{
    static const int64_t steps[] = { INT64_C(0x100000000) + SIZE, -INT64_C(0x100000000), SIZE + 1,
                                     -(int64_t)SIZE };
    uint64_t             number  = next_random(random);
    return number % 5 == 4 ? (uintptr_t)(number >> 40) : (uintptr_t)steps[number % 5];
}

// Values that follow each other, absent ones, breaks, and pairs that another column has separated.
static void values_that_follow_each_other_are_joined(void **state)
{
    uint64_t random = 5;
    void    *at[WORDS + 1];
    uint32_t before[WORDS];
    (void)state;
    for (uint32_t round = 0; round < 64; round++) {
        uint32_t  often   = 1 + round % 16;
        uintptr_t address = (uintptr_t)UINT64_C(0x7f0000000000);
        for (uint32_t i = 0; i <= WORDS; i++) {
            bool absent = round % 3 == 0 && next_random(&random) % 4 == 0;
            bool breaks = next_random(&random) % often == 0;
            address += breaks ? wrong_step(&random) : SIZE;
            at[i]                     = absent ? NULL : (void *)address;
            before[i < WORDS ? i : 0] = next_random(&random) % 4 == 0 ? 0 : UINT32_MAX;
        }
        for (uint32_t count = 0; count <= WORDS; count++) {
            assert_joins(at, before, count);
        }
    }
}

// --- copies and numbers ----------------------------------------------------------------------

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
        cmocka_unit_test(entities_are_picked_by_their_words),
        cmocka_unit_test(rows_are_looked_up),
        cmocka_unit_test(rows_of_one_page_are_recognised),
        cmocka_unit_test(values_that_follow_each_other_are_joined),
        cmocka_unit_test(rows_have_addresses),
        cmocka_unit_test(numbers_are_equal_wherever_they_begin),
    };
    return cmocka_run_group_tests_name("simd", tests, NULL, NULL);
}
