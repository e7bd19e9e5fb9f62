// SPDX-License-Identifier: MIT
// Stands in for cmocka where tests are compiled for a machine that has none: what the tests use of
// it, with the same names. The first assertion that fails ends the program.
#ifndef KITH_CMOCKA_STAND_IN_H
#define KITH_CMOCKA_STAND_IN_H

#include <inttypes.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    int (*setup)(void **state);
    int (*teardown)(void **state);
};

#define cmocka_unit_test(RUN)                                                                      \
    {                                                                                              \
        #RUN, RUN, NULL, NULL                                                                      \
    }
#define cmocka_unit_test_setup_teardown(RUN, SETUP, TEARDOWN)                                      \
    {                                                                                              \
        #RUN, RUN, SETUP, TEARDOWN                                                                 \
    }

#define print_message printf

#define fail_msg(...)                                                                              \
    (printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), printf("\n"), exit(EXIT_FAILURE))

// --- assertions ------------------------------------------------------------------------------

// Ends the program with a sentence unless the numbers compare as they should.
static inline void check_numbers_(bool right, uintmax_t a, uintmax_t b, const char *text,
                                  const char *file, int line)
{
    if (!right) {
        printf("%s:%d: %s, with %" PRIuMAX " and %" PRIuMAX "\n", file, line, text, a, b);
        exit(EXIT_FAILURE);
    }
}

static inline void check_equal_(uintmax_t a, uintmax_t b, const char *text, const char *file,
                                int line)
{
    check_numbers_(a == b, a, b, text, file, line);
}

static inline void check_different_(uintmax_t a, uintmax_t b, const char *text, const char *file,
                                    int line)
{
    check_numbers_(a != b, a, b, text, file, line);
}

static inline void check_string_(const char *a, const char *b, bool equal, const char *file,
                                 int line)
{
    if ((strcmp(a, b) == 0) != equal) {
        printf("%s:%d: \"%s\" and \"%s\" are %s\n", file, line, a, b,
               equal ? "different" : "equal");
        exit(EXIT_FAILURE);
    }
}

static inline void check_memory_(const void *a, const void *b, size_t size, const char *file,
                                 int line)
{
    const unsigned char *left = a, *right = b;
    for (size_t i = 0; i < size; i++) {
        check_numbers_(left[i] == right[i], left[i], right[i], "bytes differ", file, line);
    }
}

static inline void check_close_(double a, double b, double by, const char *file, int line)
{
    double difference = a < b ? b - a : a - b;
    if (!(difference <= by)) {
        printf("%s:%d: %g and %g differ by more than %g\n", file, line, a, b, by);
        exit(EXIT_FAILURE);
    }
}

#define KITH_NUMBER_(X)  ((uintmax_t)(X))
#define KITH_ADDRESS_(X) ((uintmax_t)(uintptr_t)(X))
#define KITH_HERE_       __FILE__, __LINE__

#define assert_true(X)  check_numbers_(!!(X), 0, 1, #X, KITH_HERE_)
#define assert_false(X) check_numbers_(!(X), 1, 0, "not " #X, KITH_HERE_)
#define assert_int_equal(A, B)                                                                     \
    check_equal_(KITH_NUMBER_(A), KITH_NUMBER_(B), #A " == " #B, KITH_HERE_)
#define assert_int_not_equal(A, B)                                                                 \
    check_different_(KITH_NUMBER_(A), KITH_NUMBER_(B), #A " != " #B, KITH_HERE_)
#define assert_ptr_equal(A, B)                                                                     \
    check_equal_(KITH_ADDRESS_(A), KITH_ADDRESS_(B), #A " == " #B, KITH_HERE_)
#define assert_ptr_not_equal(A, B)                                                                 \
    check_different_(KITH_ADDRESS_(A), KITH_ADDRESS_(B), #A " != " #B, KITH_HERE_)
#define assert_null(X)     check_equal_(KITH_ADDRESS_(X), 0, #X " == NULL", KITH_HERE_)
#define assert_non_null(X) check_different_(KITH_ADDRESS_(X), 0, #X " != NULL", KITH_HERE_)
#define assert_in_range(X, LEAST, MOST)                                                            \
    check_range_(KITH_NUMBER_(X), KITH_NUMBER_(LEAST), KITH_NUMBER_(MOST), #X, KITH_HERE_)
#define assert_string_equal(A, B)       check_string_((A), (B), true, KITH_HERE_)
#define assert_string_not_equal(A, B)   check_string_((A), (B), false, KITH_HERE_)
#define assert_memory_equal(A, B, SIZE) check_memory_((A), (B), (SIZE), KITH_HERE_)
#define assert_float_equal(A, B, BY)    check_close_((A), (B), (BY), KITH_HERE_)

static inline void check_range_(uintmax_t x, uintmax_t least, uintmax_t most, const char *text,
                                const char *file, int line)
{
    check_numbers_(x >= least, x, least, text, file, line);
    check_numbers_(x <= most, x, most, text, file, line);
}

// --- running ---------------------------------------------------------------------------------

// Where a test that skips itself goes on.
static inline jmp_buf *after_test_(void)
{
    static jmp_buf place;
    return &place;
}

#define skip() longjmp(*after_test_(), 1)

// Runs one test between its setup and teardown.
static inline void run_test_(const struct CMUnitTest *test)
{
    static void *state; // which a jump leaves as it is
    state = NULL;
    if (test->setup != NULL && test->setup(&state) != 0) {
        fail_msg("the setup of %s failed", test->name);
    }
    if (setjmp(*after_test_()) == 0) {
        test->run(&state);
    }
    if (test->teardown != NULL && test->teardown(&state) != 0) {
        fail_msg("the teardown of %s failed", test->name);
    }
}

static inline int run_tests_(const char *name, const struct CMUnitTest *tests, size_t count,
                             int (*setup)(void **state), int (*teardown)(void **state))
{
    void *state = NULL;
    if (setup != NULL && setup(&state) != 0) {
        fail_msg("the setup of %s failed", name);
    }
    for (size_t i = 0; i < count; i++) {
        run_test_(&tests[i]);
    }
    printf("%s: %u tests\n", name, (unsigned)count);
    return teardown != NULL ? teardown(&state) : 0;
}

#define cmocka_run_group_tests_name(NAME, TESTS, SETUP, TEARDOWN)                                  \
    run_tests_((NAME), (TESTS), sizeof(TESTS) / sizeof *(TESTS), (SETUP), (TEARDOWN))

#endif
