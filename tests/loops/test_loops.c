// SPDX-License-Identifier: MIT
// The loop contract: a share of the programs that loops/ enumerates, and proof that it would see
// what is wrong. The whole of it is build/release/tests/loops/kith_loops, which make fuzz runs.
#include "kith_test.h"
#include "loop_search.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    ALL_FLAVOURS = 0xFF,
    ALL_VARIANTS = 0x1F,
    NO_GROUPS    = 0x1,
    GROUPS       = (1 << LOOP_GROUP_SETS) - 2,
    NOW          = 1 << LOOP_NOW,
    LATER        = 1 << LOOP_RECORDED | 1 << LOOP_ENQUEUED
};

static loop_search search;

// Slow tools (valgrind, sanitizers) look at one program in KITH_THIN.
static unsigned thinned(void)
{
    const char *value = getenv("KITH_THIN");
    int         thin  = value == NULL ? 1 : atoi(value);
    return thin < 1 ? 1 : (unsigned)thin;
}

static int begin(void **state)
{
    (void)state;
    memset(&search, 0, sizeof search);
    return 0;
}

static int end(void **state)
{
    (void)state;
    loop_search_end(&search);
    return 0;
}

static void assert_same(bool same)
{
    if (!same) {
        text program = { .data = NULL };
        loop_search_shrink(&search);
        loop_search_write(&search, &program);
        fputs(program.data, stderr); // cmocka would print its first 1,000 characters
        text_end(&program);
        fail_msg("the world and the model of loops differ");
    }
    print_message("%llu programs, %llu calls, %llu repeats\n", (unsigned long long)search.cases,
                  (unsigned long long)search.calls, (unsigned long long)search.repeats);
}

// One job in `every`, a prime: jobs of a kind are a multiple of the kinds apart.
static void assert_share(const loop_run *run, uint64_t every)
{
    every *= thinned();
    assert_same(loop_search_run(&search, run, every / 2, every));
}

static void one_change_at_any_step_matches_the_model(void **state)
{
    loop_run run = { "", 1, 3, false, false, 1, ALL_FLAVOURS, ALL_VARIANTS, NO_GROUPS, NOW };
    (void)state;
    assert_share(&run, 31);
}

static void one_change_at_any_chunk_matches_the_model(void **state)
{
    loop_run run = { "", 1, 3, false, true, 1, ALL_FLAVOURS, ALL_VARIANTS, NO_GROUPS, NOW };
    (void)state;
    assert_share(&run, 31);
}

static void two_changes_at_any_steps_match_the_model(void **state)
{
    loop_run run = { "", 2, 3, false, false, 1, ALL_FLAVOURS, ALL_VARIANTS, NO_GROUPS, NOW };
    (void)state;
    assert_share(&run, 1201);
}

static void a_change_and_one_by_a_listener_match_the_model(void **state)
{
    loop_run run = { "", 2, 3, true, false, 1, ALL_FLAVOURS, ALL_VARIANTS, NO_GROUPS, NOW };
    (void)state;
    assert_share(&run, 601);
}

static void one_queued_change_matches_the_model(void **state)
{
    loop_run run = { "", 1, 3, false, false, 1, ALL_FLAVOURS, ALL_VARIANTS, NO_GROUPS, LATER };
    (void)state;
    assert_share(&run, 211);
}

static void two_queued_changes_match_the_model(void **state)
{
    loop_run run = { "", 2, 3, false, false, 0, ALL_FLAVOURS, ALL_VARIANTS, NO_GROUPS, LATER };
    (void)state;
    assert_share(&run, 8009);
}

static void a_queued_change_and_one_by_a_listener_match_the_model(void **state)
{
    loop_run run = { "", 2, 3, true, false, 0, ALL_FLAVOURS, ALL_VARIANTS, NO_GROUPS, LATER };
    (void)state;
    assert_share(&run, 8009);
}

static void one_queued_change_among_groups_matches_the_model(void **state)
{
    loop_run run = { "", 1, 3, false, false, 0, ALL_FLAVOURS, ALL_VARIANTS, GROUPS, LATER };
    (void)state;
    assert_share(&run, 8009);
}

static void one_change_among_groups_matches_the_model(void **state)
{
    loop_run run = { "", 1, 3, false, false, 1, ALL_FLAVOURS, ALL_VARIANTS, GROUPS, NOW };
    (void)state;
    assert_share(&run, 1009);
}

static void one_change_among_groups_at_any_chunk_matches_the_model(void **state)
{
    loop_run run = { "", 1, 3, false, true, 1, ALL_FLAVOURS, ALL_VARIANTS, GROUPS, NOW };
    (void)state;
    assert_share(&run, 2003);
}

static void two_changes_among_groups_match_the_model(void **state)
{
    loop_run run = { "", 2, 3, false, false, 1, ALL_FLAVOURS, ALL_VARIANTS, GROUPS, NOW };
    (void)state;
    assert_share(&run, 30011);
}

static void a_change_among_groups_and_one_by_a_listener_match_the_model(void **state)
{
    loop_run run = { "", 2, 3, true, false, 1, ALL_FLAVOURS, ALL_VARIANTS, GROUPS, NOW };
    (void)state;
    assert_share(&run, 20011);
}

static void random_programs_do_the_same_by_every_setting(void **state)
{
    (void)state;
    assert_same(loop_search_random(&search, test_seed(), 10000 / thinned(), false));
}

static void large_random_programs_do_the_same_by_every_setting(void **state)
{
    (void)state;
    assert_same(loop_search_random(&search, test_seed(), 120 / thinned(), true));
}

// --- what a wrong rule would look like -------------------------------------------------------

// Plants the fault in the model; then a short program must differ.
static void assert_fault_is_seen(loop_fault fault)
{
    search.fault = fault;
    if (loop_search_random(&search, 1, 100000, false)) {
        fail_msg("no check noticed fault %d", (int)fault);
    }
    loop_search_shrink(&search);
    assert_non_null(search.failed);
    assert_in_range(search.failed->step_count, 1, 32);
    loop_search_end(&search);
    memset(&search, 0, sizeof search);
}

static void a_wrong_rule_is_noticed_and_shown_by_a_short_program(void **state)
{
    (void)state;
    for (int fault = LOOP_FAULT_NONE + 1; fault < LOOP_FAULTS && thinned() == 1; fault++) {
        assert_fault_is_seen((loop_fault)fault);
    }
}

// What the enumeration alone must see: one change is enough to distinguish these rules from the
// right ones.
static void one_change_shows_a_wrong_rule(void **state)
{
    static const loop_fault faults[] = { LOOP_FAULT_SIGNATURE, LOOP_FAULT_LOOKED_UP,
                                         LOOP_FAULT_BIRTH,     LOOP_FAULT_REUSE,
                                         LOOP_FAULT_AHEAD,     LOOP_FAULT_EARLY_END,
                                         LOOP_FAULT_TIE,       LOOP_FAULT_HOLES,
                                         LOOP_FAULT_STAMPS,    LOOP_FAULT_DISABLED };
    loop_run run = { "", 1, 3, false, false, 1, ALL_FLAVOURS, ALL_VARIANTS, NO_GROUPS, NOW };
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0] && thinned() == 1; i++) {
        search.fault = faults[i];
        if (loop_search_run(&search, &run, 0, 1)) {
            fail_msg("no check noticed fault %d", (int)faults[i]);
        }
        loop_search_end(&search);
        memset(&search, 0, sizeof search);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_change_at_any_step_matches_the_model, begin, end),
        cmocka_unit_test_setup_teardown(one_change_at_any_chunk_matches_the_model, begin, end),
        cmocka_unit_test_setup_teardown(two_changes_at_any_steps_match_the_model, begin, end),
        cmocka_unit_test_setup_teardown(a_change_and_one_by_a_listener_match_the_model, begin, end),
        cmocka_unit_test_setup_teardown(one_queued_change_matches_the_model, begin, end),
        cmocka_unit_test_setup_teardown(two_queued_changes_match_the_model, begin, end),
        cmocka_unit_test_setup_teardown(a_queued_change_and_one_by_a_listener_match_the_model,
                                        begin, end),
        cmocka_unit_test_setup_teardown(one_queued_change_among_groups_matches_the_model, begin,
                                        end),
        cmocka_unit_test_setup_teardown(one_change_among_groups_matches_the_model, begin, end),
        cmocka_unit_test_setup_teardown(one_change_among_groups_at_any_chunk_matches_the_model,
                                        begin, end),
        cmocka_unit_test_setup_teardown(two_changes_among_groups_match_the_model, begin, end),
        cmocka_unit_test_setup_teardown(a_change_among_groups_and_one_by_a_listener_match_the_model,
                                        begin, end),
        cmocka_unit_test_setup_teardown(random_programs_do_the_same_by_every_setting, begin, end),
        cmocka_unit_test_setup_teardown(large_random_programs_do_the_same_by_every_setting, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_wrong_rule_is_noticed_and_shown_by_a_short_program, begin,
                                        end),
        cmocka_unit_test_setup_teardown(one_change_shows_a_wrong_rule, begin, end),
    };
    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
