// SPDX-License-Identifier: MIT
// Holes: what removing leaves while a loop is open, and how the world settles when it closes.
#include "query_test.h"

// --- holes -----------------------------------------------------------------------------------

static void a_removal_leaves_a_hole(small_world *w, bool stable)
{
    (void)stable;
    populate(w, "a a a");
    const void *value = kith_component_get(w->world, w->e[1], A);
    kith_world_hold(w->world);

    assert_true(take(w, 1, A));

    assert_rows(w, A, "0 - 2");
    assert_int_equal(kith_component_count(w->world, A), 2);
    assert_int_equal(kith_component_row(w->world, w->e[1], A), KITH_NO_ROW);
    assert_false(kith_component_has(w->world, w->e[1], A));
    assert_null(kith_component_get(w->world, w->e[1], A));
    assert_null(kith_component_value(w->world, A, 1));
    assert_int_equal(kith_component_owner(w->world, A, value), KITH_NULL);
    assert_world_valid(w->world);
    assert_true(kith_world_release(w->world));
}

static void removing_while_a_loop_is_open_leaves_a_hole(void **state)
{
    for_both_policies(*state, a_removal_leaves_a_hole);
}

static void the_value_waits(small_world *w, bool stable)
{
    populate(w, "a a a");
    const tracked *value = kith_component_get(w->world, w->e[0], A);
    kith_world_hold(w->world);

    take(w, 0, A);

    assert_int_equal(value->number, 0);
    assert_journal(&w->journal, "");
    kith_world_release(w->world);
    assert_journal(&w->journal, stable ? "a destruct 0" : "a destruct 0, a move 2");
}

static void a_removed_value_is_untouched_until_the_loop_closes(void **state)
{
    for_both_policies(*state, the_value_waits);
}

static void adds_append(small_world *w, bool stable)
{
    populate(w, "a a a -");
    take(w, 1, A);
    kith_world_hold(w->world);

    add_letters(w, w->e[3], "a");

    assert_rows(w, A, stable ? "0 - 2 3" : "0 2 3");
    take(w, 0, A);
    add_letters(w, w->e[0], "a");
    assert_rows(w, A, stable ? "- - 2 3 0" : "- 2 3 0");
    kith_world_release(w->world);
    assert_rows(w, A, stable ? "- - 2 3 0" : "0 2 3");
}

static void adding_while_a_loop_is_open_appends(void **state)
{
    for_both_policies(*state, adds_append);
}

static void nothing_moved(small_world *w, bool stable)
{
    const void *before[8];
    (void)stable;
    populate_many(w, 8, "ab");
    for (uint32_t i = 0; i < 8; i++) {
        before[i] = kith_component_get(w->world, w->e[i], A);
    }
    kith_cursor outer = kith_view_begin(w->world, QUERY(READ(A), READ(B)));
    kith_cursor inner = kith_view_begin(w->world, QUERY(READ(A)));

    kith_entity_destroy(w->world, w->e[1]);
    take(w, 3, A);
    for (int i = 0; i < 10; i++) {
        spawn(w, "ab");
    }
    kith_cursor_end(&inner);

    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(((const tracked *)before[i])->number, i);
        if (i != 1 && i != 3) {
            assert_ptr_equal(kith_component_get(w->world, w->e[i], A), before[i]);
        }
    }
    kith_cursor_end(&outer);
}

static void pointers_are_good_until_the_outermost_loop_closes(void **state)
{
    for_both_policies(*state, nothing_moved);
}

static void destroying_leaves_a_hole_in_every_pool(void **state)
{
    small_world *w = *state;
    populate(w, "abt a abt bt");
    kith_world_hold(w->world);

    kith_entity_destroy(w->world, w->e[0]);

    assert_rows(w, A, "- 1 2");
    assert_rows(w, B, "- 2 3");
    assert_rows(w, T, "- 2 3");
    assert_false(kith_entity_alive(w->world, w->e[0]));
    assert_journal(&w->journal, "");
    kith_world_release(w->world);
    assert_journal(&w->journal, "a destruct 0, b destruct 0, a move 2, b move 3");
    assert_rows(w, T, "3 2");
}

static void replacing_a_value_ends_the_old_one_at_once(void **state)
{
    small_world *w = *state;
    populate(w, "a");
    kith_world_hold(w->world);

    set_tracked(w->world, w->e[0], A, 70);

    assert_journal(&w->journal, "a copy 70, a destruct 0, a move 70");
    kith_world_release(w->world);
    assert_journal(&w->journal, "");
}

static void each_value_of_an_entity_that_comes_and_goes_is_ended_once(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    kith_world_hold(w->world);

    take(w, 0, A);
    set_tracked(w->world, w->e[0], A, 50);
    take(w, 0, A);
    set_tracked(w->world, w->e[0], A, 51);

    assert_rows(w, A, "- 1 - 0");
    text_free(&w->journal.text);
    kith_world_release(w->world);
    assert_journal(&w->journal, "a destruct 0, a destruct 50, a move 51");
    assert_rows(w, A, "0 1");
}

static void disable_bits_stay_with_their_rows(void **state)
{
    small_world *w = *state;
    populate(w, "a a a a");
    kith_component_enable(w->world, w->e[1], A, false);
    kith_component_enable(w->world, w->e[3], A, false);
    kith_world_hold(w->world);

    take(w, 1, A);
    add_letters(w, w->e[1], "a");
    assert_true(kith_component_enabled(w->world, w->e[1], A));
    take(w, 0, A);

    kith_world_release(w->world);
    assert_rows(w, A, "3 1 2");
    assert_false(kith_component_enabled(w->world, w->e[3], A));
    assert_true(kith_component_enabled(w->world, w->e[1], A));
    assert_true(kith_component_enabled(w->world, w->e[2], A));
}

static void a_limit_counts_holes_and_says_so(void **state)
{
    small_world *w = *state;
    populate(w, "a a -");
    kith_component_limit_set(w->world, A, 2);
    kith_world_hold(w->world);
    take(w, 0, A);

    assert_refused_unchanged(&w->memory, w->world, KITH_ERROR_LIMIT,
                             kith_component_add(w->world, w->e[2], A, NULL));

    assert_error_says(w->world, KITH_ERROR_LIMIT, "removed rows count");
    kith_world_release(w->world);
    assert_non_null(kith_component_add(w->world, w->e[2], A, NULL));
    assert_refused(&w->memory, w->world, KITH_ERROR_LIMIT,
                   kith_component_add(w->world, w->e[0], A, NULL));
    assert_error_text(w->world, "a_add: the pool of \"a\" is limited to 2 rows");
}

static void clearing_a_pool_in_a_loop_leaves_only_holes(void **state)
{
    small_world *w = *state;
    populate(w, "a af a");
    kith_world_hold(w->world);

    assert_true(kith_component_clear(w->world, A));
    assert_true(kith_component_clear(w->world, F));

    assert_rows(w, A, "- - -");
    assert_int_equal(kith_component_count(w->world, A), 0);
    assert_int_equal(kith_component_count(w->world, F), 0);
    assert_journal(&w->journal, "");
    kith_world_release(w->world);
    assert_rows(w, A, "");
    assert_journal(&w->journal, "a destruct 0, a destruct 1, a destruct 2");
}

static void clearing_the_world_in_a_loop_ends_the_walk(void **state)
{
    small_world *w = *state;
    populate(w, "ab a ab");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));
    assert_next(&c, w, 0);

    kith_world_clear(w->world);

    assert_int_equal(kith_entity_count(w->world), 0);
    assert_journal(&w->journal, "");
    assert_false(kith_cursor_next(&c));
    assert_int_equal(w->journal.living, 0);
    assert_next_indices(w->world, 0, 1, 2);
}

// --- settling --------------------------------------------------------------------------------

static void a_dead_tail_moves_nothing(void **state)
{
    small_world *w = *state;
    populate_many(w, 10, "a");
    kith_world_hold(w->world);

    take(w, 9, A);
    take(w, 7, A);
    take(w, 8, A);

    kith_world_release(w->world);
    assert_rows(w, A, "0 1 2 3 4 5 6");
    assert_journal(&w->journal, "a destruct 7, a destruct 8, a destruct 9");
}

// The rows that the rule demands: gaps below the new end, ascending, from above it, ascending.
static walk_text filled_rows(uint32_t gone, uint32_t rows)
{
    uint32_t  left = 0;
    walk_text out  = { "" };
    for (uint32_t i = 0; i < rows; i++) {
        left += (gone >> i & 1) == 0;
    }
    uint32_t from = left;
    for (uint32_t i = 0; i < left; i++) {
        while ((gone >> i & 1) != 0 && (gone >> from & 1) != 0) {
            from++;
        }
        walk_entity(&out, handle((gone >> i & 1) != 0 ? from++ : i, 1));
    }
    return out;
}

static uint32_t count_of(const char *word, const char *bytes)
{
    uint32_t count = 0;
    for (; bytes != NULL && (bytes = strstr(bytes, word)) != NULL; bytes++) {
        count++;
    }
    return count;
}

// Rows below the end that are gone are the moves: each survivor moves at most once.
static void assert_moves(small_world *w, uint32_t gone, uint32_t rows)
{
    uint32_t end   = kith_component_stats(w->world, A).rows;
    uint32_t moves = 0;
    for (uint32_t i = 0; i < end; i++) {
        moves += gone >> i & 1;
    }
    assert_int_equal(count_of("move", w->journal.text.bytes), moves);
    assert_int_equal(count_of("destruct", w->journal.text.bytes), rows - end);
    text_free(&w->journal.text);
}

// Seed 003: of n rows with m deletions the first n - m are read, and what fills a gap among them
// comes from the last m.
static void delayed_deletion_fills_the_gaps_from_the_tail(void **state)
{
    small_world *w = *state;
    populate_many(w, 10, "a");
    kith_world_hold(w->world);

    take(w, 8, A);
    take(w, 1, A);
    take(w, 3, A);

    kith_world_release(w->world);
    assert_rows(w, A, "0 7 2 9 4 5 6");
    assert_memory_equal(w->journal.text.bytes, "a destruct 1, a destruct 3, a destruct 8, ", 42);
    assert_moves(w, 1u << 8 | 1u << 1 | 1u << 3, 10);
}

#define RULE_ROWS 9u

// Removes these rows, in steps of `stride`: 1 upwards, 8 downwards, others up and down.
static void remove_rows(small_world *w, uint32_t gone, uint32_t stride)
{
    for (uint32_t i = 0; i < RULE_ROWS; i++) {
        uint32_t row = i * stride % RULE_ROWS;
        if ((gone >> row & 1) != 0) {
            take(w, row, A);
        }
    }
}

static void assert_settled_by_the_rule(small_world *w, uint32_t gone, uint32_t stride)
{
    w->count = 0;
    populate_many(w, RULE_ROWS, "a");
    kith_world_hold(w->world);
    remove_rows(w, gone, stride);

    kith_world_release(w->world);

    assert_rows(w, A, filled_rows(gone, RULE_ROWS).bytes);
    assert_moves(w, gone, RULE_ROWS);
    for (uint32_t i = 0; i < RULE_ROWS; i++) {
        const tracked *value = kith_component_get(w->world, w->e[i], A);
        assert_int_equal(value == NULL, gone >> i & 1);
        assert_true(value == NULL || value->number == i);
    }
    kith_world_clear(w->world);
}

static void every_set_of_removals_settles_by_the_rule(void **state)
{
    const uint32_t strides[] = { 1, 8, 2, 4, 7 };
    for (size_t i = 0; i < COUNT_OF(strides); i++) {
        for (uint32_t gone = 0; gone < 1u << RULE_ROWS; gone++) {
            assert_settled_by_the_rule(*state, gone, strides[i]);
        }
    }
}

// Many holes, made in any order, over many pages.
static void thousands_of_removals_settle_in_ascending_order(void **state)
{
    enum { ROWS = 5000 };
    test_fixture *f    = *state;
    uint64_t      seed = test_seed();
    kith_entity  *all  = calloc(ROWS, sizeof *all);
    create_entities(f->world, all, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        health_set(f->world, all[i], (int)i);
    }
    kith_world_hold(f->world);
    for (uint32_t i = 0; i < ROWS; i++) {
        health_remove(f->world, all[test_random_below(&seed, ROWS)]);
    }
    uint32_t left = health_count(f->world);

    kith_world_release(f->world);

    uint32_t from = left; // the next survivor above the new end
    assert_int_equal(health_rows(f->world), left);
    for (uint32_t row = 0; row < left; row++) {
        bool gap = !health_has(f->world, all[row]);
        while (gap && !health_has(f->world, all[from])) {
            from++;
        }
        kith_entity expected = gap ? all[from++] : all[row];
        assert_int_equal(health_entity(f->world, row), expected);
        assert_int_equal(*health_value(f->world, row), kith_entity_index(expected));
    }
    free(all);
}

static void destructors_run_by_pool_and_row_whatever_the_order_of_removal(void **state)
{
    small_world *w = *state;
    populate(w, "abc abc abc");
    kith_world_hold(w->world);

    take(w, 2, C);
    take(w, 2, A);
    take(w, 1, B);
    take(w, 0, C);
    take(w, 0, A);

    kith_world_release(w->world);
    assert_journal(&w->journal, "a destruct 0, a destruct 2, b destruct 1, c destruct 0, "
                                "c destruct 2, a move 1, b move 2, c move 1");
}

static void a_stable_pool_reuses_holes_by_order_of_removal(void **state)
{
    small_world *w = stable_world(*state);
    populate_many(w, 6, "a");
    kith_world_hold(w->world);
    take(w, 4, A);
    take(w, 0, A);
    take(w, 2, A);

    kith_world_release(w->world);

    assert_rows(w, A, "- 1 - 3 - 5");
    assert_journal(&w->journal, "a destruct 0, a destruct 2, a destruct 4");
    add_letters(w, w->e[4], "a"); // the newest hole is the one that was removed last
    assert_rows(w, A, "- 1 4 3 - 5");
    add_letters(w, w->e[0], "a");
    assert_rows(w, A, "0 1 4 3 - 5");
    add_letters(w, w->e[2], "a");
    assert_rows(w, A, "0 1 4 3 2 5");
}

static void older_holes_of_a_stable_pool_are_not_ended_twice(small_world *w, bool stable)
{
    populate_many(w, 4, "a");
    take(w, 1, A);
    text_free(&w->journal.text);
    kith_world_hold(w->world);
    take(w, 3, A);

    kith_world_release(w->world);

    assert_rows(w, A, stable ? "0 - 2 -" : "0 2");
    assert_journal(&w->journal, stable ? "a destruct 3" : "a destruct 3, a move 2");
}

static void settling_ends_only_what_left_since_the_last_time(void **state)
{
    for_both_policies(*state, older_holes_of_a_stable_pool_are_not_ended_twice);
}

// What a change alone does, and the same change between hold and release.
typedef struct change {
    const char *name;
    void (*make)(small_world *w, uint32_t i);
} change;

static void change_remove(small_world *w, uint32_t i)
{
    take(w, i, A);
}

static void change_destroy(small_world *w, uint32_t i)
{
    kith_entity_destroy(w->world, w->e[i]);
}

static void change_replace(small_world *w, uint32_t i)
{
    set_tracked(w->world, w->e[i], A, 40);
}

// Clearing many rows at once leaves none of a swap pool; a stable pool has as many holes as it had
// single removals.
static bool keeps_holes(small_world *w)
{
    return kith_component_describe(w->world, B)->traits.policy == KITH_POLICY_STABLE;
}

static void change_clear(small_world *w, uint32_t i)
{
    (void)i;
    if (!keeps_holes(w)) {
        kith_component_clear(w->world, B);
    }
}

static void change_clear_all(small_world *w, uint32_t i)
{
    (void)i;
    if (!keeps_holes(w)) {
        kith_world_clear(w->world);
    }
}

static void change_create(small_world *w, uint32_t i)
{
    (void)i;
    spawn(w, "abctf");
}

static void change_disable(small_world *w, uint32_t i)
{
    kith_component_enable(w->world, w->e[i], A, false);
}

static const change changes[] = {
    { "remove", change_remove },   { "destroy", change_destroy },     { "replace", change_replace },
    { "clear", change_clear },     { "clear all", change_clear_all }, { "create", change_create },
    { "disable", change_disable },
};

static void assert_same_after_holding(const change *one, uint32_t i, kith_policy policy)
{
    small_world *alone  = calloc(1, sizeof *alone);
    small_world *held   = calloc(1, sizeof *held);
    small_world *both[] = { alone, held };
    for (size_t k = 0; k < 2; k++) {
        open_small_world(both[k], policy, (kith_world_desc){ 0 });
        populate(both[k], "abc ab act abf b a");
    }

    one->make(alone, i);
    kith_world_hold(held->world);
    one->make(held, i);
    kith_world_release(held->world);

    for (kith_component x = A; x <= T; x++) {
        assert_string_equal(rows_of(held->world, x).bytes, rows_of(alone->world, x).bytes);
    }
    test_picture alone_picture = test_take_picture(alone->world);
    assert_entities_unchanged(held->world, &alone_picture);
    for (size_t k = 0; k < 2; k++) {
        close_small_world(both[k]);
        free(both[k]);
    }
}

static void one_change_in_a_loop_leaves_what_it_leaves_alone(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(changes); k++) {
        for (uint32_t i = 0; i < 6; i++) {
            if (i != 4) { // which has no a
                assert_same_after_holding(&changes[k], i, KITH_POLICY_SWAP);
                assert_same_after_holding(&changes[k], i, KITH_POLICY_STABLE);
            }
        }
    }
}

static void intrude_on_settling(void *context)
{
    small_world *w = context;
    assert_int_equal(kith_entity_create(w->world), KITH_NULL);
    assert_false(kith_world_hold(w->world));
    assert_true(kith_view_begin(w->world, QUERY(READ(B))).failed);
    assert_error(w->world, KITH_ERROR_BUSY);
}

static void destructors_at_settling_cannot_change_the_world(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab");
    kith_world_hold(w->world);
    take(w, 0, A);
    w->journal.intrude  = intrude_on_settling;
    w->journal.intruder = w;

    kith_world_release(w->world);

    w->journal.intrude = NULL;
    assert_journal(&w->journal, "a destruct 0, a move 1");
    assert_int_equal(kith_entity_count(w->world), 2);
}

static void a_removed_singleton_waits_like_the_others(void **state)
{
    small_world        *w      = *state;
    tracker             single = { .journal = &w->journal, .name = "single" };
    tracker             late   = { .journal = &w->journal, .name = "late" };
    kith_component_desc desc   = tracked_desc(21, &single);
    desc.kind                  = KITH_KIND_SINGLETON;
    register_one(w->world, desc);
    register_one(w->world, tracked_desc(22, &late));
    populate(w, "a");
    set_tracked(w->world, w->e[0], 22, 8);
    const tracked *old = kith_singleton_set(w->world, 21, &(tracked){ .number = 7 });
    kith_world_hold(w->world);
    text_free(&w->journal.text);

    kith_component_remove(w->world, w->e[0], 22);
    assert_true(kith_singleton_remove(w->world, 21));
    assert_null(kith_singleton_get(w->world, 21));
    const tracked *young = kith_singleton_set(w->world, 21, &(tracked){ .number = 9 });
    take(w, 0, A);

    assert_ptr_not_equal(young, old);
    assert_int_equal(old->number, 7);
    assert_int_equal(young->number, 9);
    assert_world_valid(w->world);
    text_free(&w->journal.text);
    kith_world_release(w->world);
    assert_journal(&w->journal, "a destruct 0, single destruct 7, late destruct 8");
    assert_ptr_equal(kith_singleton_get(w->world, 21), young);
    kith_singleton_remove(w->world, 21);
    assert_journal(&w->journal, "single destruct 9");
}

static void settling_asks_for_no_memory(void **state)
{
    small_world *w = *state;
    populate_many(w, 40, "abctf");
    kith_world_hold(w->world);
    w->memory.fail_all = true;

    for (uint32_t i = 0; i < 40; i += 3) {
        kith_entity_destroy(w->world, w->e[i]);
        take(w, i + 1 < 40 ? i + 1 : i, B);
    }
    assert_true(kith_world_release(w->world));

    w->memory.fail_all = false;
    assert_int_equal(w->memory.failed, 0);
    assert_int_equal(w->memory.errors, 0);
    assert_int_equal(kith_component_stats(w->world, A).rows, 26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_SMALL(removing_while_a_loop_is_open_leaves_a_hole),
        TEST_SMALL(a_removed_value_is_untouched_until_the_loop_closes),
        TEST_SMALL(adding_while_a_loop_is_open_appends),
        TEST_SMALL(pointers_are_good_until_the_outermost_loop_closes),
        TEST_SMALL(destroying_leaves_a_hole_in_every_pool),
        TEST_SMALL(replacing_a_value_ends_the_old_one_at_once),
        TEST_SMALL(each_value_of_an_entity_that_comes_and_goes_is_ended_once),
        TEST_SMALL(disable_bits_stay_with_their_rows),
        TEST_SMALL(a_limit_counts_holes_and_says_so),
        TEST_SMALL(clearing_a_pool_in_a_loop_leaves_only_holes),
        TEST_SMALL(clearing_the_world_in_a_loop_ends_the_walk),
        TEST_SMALL(delayed_deletion_fills_the_gaps_from_the_tail),
        TEST_SMALL(a_dead_tail_moves_nothing),
        TEST_SMALL(every_set_of_removals_settles_by_the_rule),
        TEST_WORLD(thousands_of_removals_settle_in_ascending_order),
        TEST_SMALL(destructors_run_by_pool_and_row_whatever_the_order_of_removal),
        TEST_SMALL(a_stable_pool_reuses_holes_by_order_of_removal),
        TEST_SMALL(settling_ends_only_what_left_since_the_last_time),
        TEST_SMALL(one_change_in_a_loop_leaves_what_it_leaves_alone),
        TEST_SMALL(destructors_at_settling_cannot_change_the_world),
        TEST_SMALL(a_removed_singleton_waits_like_the_others),
        TEST_SMALL(settling_asks_for_no_memory),
    };
    return cmocka_run_group_tests_name("settle", tests, NULL, NULL);
}
