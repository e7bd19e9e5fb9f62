// SPDX-License-Identifier: MIT
// Stores past the caches write what ordinary ones write, wherever they begin, and nothing else.
#include "base/stream.h"
#include "kith_test.h"

#define ROOM  1024u
#define WORDS 64u

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
    (step == 0 ? kith_stream_fill : kith_stream_number)(numbers + at, first, count);
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
        cmocka_unit_test(copies_are_equal_wherever_they_begin),
        cmocka_unit_test(numbers_are_equal_wherever_they_begin),
    };
    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
