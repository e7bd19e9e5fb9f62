// SPDX-License-Identifier: MIT
// Every order that a program can see is a function of its calls: the table "What decides an order"
// in docs/guide.md, row by row.
#include "query_test.h"

// --- rows ------------------------------------------------------------------------------------

static void rows_of_a_pool_are_in_the_order_of_adding(void **state)
{
    small_world *w = *state;
    populate(w, "a a a a");

    take(w, 1, A);
    assert_rows(w, A, "0 3 2");
    add_letters(w, w->e[1], "a");
    assert_rows(w, A, "0 3 2 1");
    swap_rows(w, A, 0, 2);
    assert_rows(w, A, "2 3 0 1");
    kith_entity_destroy(w->world, w->e[3]);
    assert_rows(w, A, "2 1 0");
}

static void a_stable_pool_fills_its_newest_hole_first(void **state)
{
    small_world *w = stable_world(*state);
    populate(w, "a a a a a a");
    take(w, 1, A);
    take(w, 3, A);
    take(w, 0, A);
    assert_rows(w, A, "- - 2 - 4 5");

    add_letters(w, w->e[1], "a"); // the newest hole first
    add_letters(w, w->e[3], "a");
    assert_rows(w, A, "1 - 2 3 4 5");
    take(w, 2, A);
    assert_true(kith_component_compact(w->world, A));
    assert_rows(w, A, "1 4 5 3");
    kith_world_hold(w->world);
    take(w, 1, A);
    add_letters(w, w->e[0], "a"); // not into a hole
    assert_rows(w, A, "- 4 5 3 0");
    kith_world_release(w->world);
    assert_rows(w, A, "- 4 5 3 0");
}

static void holes_of_a_loop_are_closed_in_ascending_order(void **state)
{
    static const char *const in_order[] = { "a destruct 0", "a destruct 2", "a destruct 3",
                                            "b destruct 0" };
    small_world             *w          = *state;
    populate(w, "ab ab ab a a a a");
    kith_world_hold(w->world);
    take(w, 2, A);
    take(w, 0, B);
    take(w, 0, A);
    take(w, 3, A);
    spawn(w, "a");
    assert_rows(w, A, "- 1 - - 4 5 6 7");
    text_free(&w->journal.text);

    kith_world_release(w->world);

    assert_rows(w, A, "5 1 6 7 4");
    const char *at = w->journal.text.bytes == NULL ? "" : w->journal.text.bytes;
    for (uint32_t i = 0; i < COUNT_OF(in_order); i++) {
        at = strstr(at, in_order[i]);
        assert_non_null(at);
    }
    text_free(&w->journal.text);
}

// --- groups ----------------------------------------------------------------------------------

static void check_members(small_world *w, bool owning)
{
    populate(w, "a b ab ab a ab");
    swap_rows(w, B, 2, 5); // B: 1 5 3 2
    assert_non_null(
        kith_group_of(w->world, owning ? QUERY(OWN(A), OWN(B)) : QUERY(READ(A), READ(B))));
    assert_visits(w, "5 3 2", READ(A), READ(B)); // by the smallest
    add_letters(w, w->e[0], "b");
    assert_visits(w, "5 3 2 0", READ(A), READ(B));
    take(w, 5, A);
    assert_visits(w, "0 3 2", READ(A), READ(B));
}

static void members_of_a_group_are_in_the_order_of_joining(void **state)
{
    small_world *w = *state;
    check_members(w, true);
    assert_rows(w, A, "0 3 2 4");
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
    check_members(w, false);
    assert_rows(w, A, "0 2 3 4");
    assert_rows(w, B, "1 5 3 2 0");
}

static void a_group_that_changes_in_a_hold_closes_its_gaps_then_appends(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab a ab a ab ab");
    assert_non_null(kith_group_of(w->world, QUERY(OWN(A), OWN(B))));
    kith_world_hold(w->world);
    add_letters(w, w->e[4], "b");
    take(w, 0, B);
    take(w, 1, B);
    add_letters(w, w->e[2], "b");

    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), READ(B)));

    assert_walk(&c, "3 5 6 4 2");
    kith_world_release(w->world);
    assert_visits(w, "5 6 3 4 2", READ(A), READ(B)); // the higher gap was closed first
}

// The first one that leaves is replaced by the last member, whichever row it has.
static void the_last_member_replaces_one_that_leaves_with_its_rows(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab a ab a ab ab");
    assert_non_null(kith_group_of(w->world, QUERY(OWN(A), OWN(B), WITHOUT(F))));
    assert_non_null(kith_group_of(w->world, QUERY(READ(A), READ(B), WITHOUT(C))));
    kith_world_hold(w->world);
    add_letters(w, w->e[0], "fc");
    add_letters(w, w->e[1], "fc");
    kith_world_release(w->world);
    assert_visits(w, "6 5 3", READ(A), READ(B), WITHOUT(F));
    assert_visits(w, "6 5 3", READ(A), READ(B), WITHOUT(C));
}

// --- loops and walks -------------------------------------------------------------------------

static void loops_visit_in_the_row_order_of_their_lead(void **state)
{
    small_world *w = *state;
    populate(w, "a abt abt ab b");
    swap_rows(w, A, 0, 3); // A: 3 1 2 0
    swap_rows(w, B, 1, 4); // B: 4 2 3 1

    assert_visits(w, "3 1 2", READ(A), READ(B)); // as many rows: the first registered leads
    assert_visits(w, "2 3 1", READ(A), READ(B), LEAD(B));
    assert_visits(w, "1 2", READ(A), READ(B), WITH(T));
    assert_visits(w, "0 3 4", WITHOUT(T));
    kith_entity_destroy(w->world, w->e[0]);
    assert_visits(w, "3 1 2", READ(A), READ(B));
    populate(w, "a a");
    assert_visits(w, "2 3 1", READ(A), READ(B)); // B has fewer now
}

// Optional terms do not keep a query from walking the group, so its order is the group's as long
// as there is one. A lead, alternatives and changes do.
static void loops_over_the_terms_of_a_group_visit_in_its_order(void **state)
{
    small_world *w = *state;
    populate(w, "ab abc ab b");
    swap_rows(w, A, 0, 2); // A: 2 1 0
    assert_visits(w, "2 1 0", READ(A), WRITE(B), OPTIONAL(C));

    kith_group *group = kith_group_of(w->world, QUERY(READ(A), READ(B)));
    take(w, 2, B);
    add_letters(w, w->e[2], "b"); // leaves, and joins behind the others
    assert_rows(w, A, "2 1 0");
    assert_visits(w, "0 1 2", READ(A), READ(B));
    assert_visits(w, "0 1 2", READ(A), WRITE(B), OPTIONAL(C));
    assert_visits(w, "0 1 2", OPTIONAL_WRITE(C), WITH(B), OPTIONAL(T), WITH(A));
    assert_visits(w, "2 1 0", READ(A), WRITE(B), OPTIONAL(C), LEAD(A));
    assert_visits(w, "2 1 0", READ(A), WRITE(B), WITHOUT(T));
    assert_visits(w, "2 1 0", READ(A), WRITE(B), CHANGED(A));

    assert_true(kith_group_drop(group));
    assert_visits(w, "2 1 0", READ(A), WRITE(B), OPTIONAL(C));
}

static void entities_are_walked_by_index_and_components_by_registration(void **state)
{
    small_world   *w = *state;
    kith_component ids[8];
    walk_text      out = { "" };
    populate(w, "- tba - -");
    kith_entity_destroy(w->world, w->e[0]);
    kith_entity_destroy(w->world, w->e[2]);
    spawn(w, "-");
    for (kith_entity e = KITH_NULL; (e = kith_entity_next(w->world, e)) != KITH_NULL;) {
        walk_entity(&out, e);
    }
    assert_string_equal(out.bytes, "1 2 3");
    assert_int_equal(kith_entity_components(w->world, w->e[1], ids, 8), 3);
    assert_true(ids[0] == A && ids[1] == B && ids[2] == T);
}

// Frees 1, 3 and 2, in this order, and makes four: the first one by one, then a batch.
static void check_handles(small_world *w, kith_free_order order, const char *expected)
{
    kith_entity made[4];
    walk_text   out = { "" };
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ .free_order = order });
    populate(w, "- - - -");
    kith_entity_destroy(w->world, w->e[1]);
    kith_entity_destroy(w->world, w->e[3]);
    kith_entity_destroy(w->world, w->e[2]);
    made[0] = kith_entity_create(w->world);
    assert_true(kith_entity_create_many(w->world, made + 1, 3, NULL, 0));
    for (uint32_t i = 0; i < COUNT_OF(made); i++) {
        walk_entity(&out, made[i]);
    }
    assert_string_equal(out.bytes, expected);
}

static void new_handles_follow_the_free_order(void **state)
{
    small_world *w = *state;
    check_handles(w, KITH_FREE_LIFO, "2 3 1 4");
    check_handles(w, KITH_FREE_FIFO, "1 3 2 4");
    check_handles(w, KITH_FREE_LOWEST, "1 2 3 4");
    check_handles(w, KITH_FREE_DEFAULT, "2 3 1 4");
    kith_entity_destroy(w->world, w->e[0]);
    assert_int_equal(kith_entity_index(kith_entity_create_range(w->world, 3).first), 5);
    kith_world_clear(w->world);
    for (uint32_t i = 1; i <= 8; i++) { // 0 was free before
        assert_int_equal(kith_entity_index(kith_entity_create(w->world)), i % 8);
    }
}

// --- events and batches ----------------------------------------------------------------------

static void write_letter(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    const char **letter = context;
    text_add(&((small_world *)(void *)(uintptr_t)letter[1])->reported, "%s", letter[0]);
}

static void listeners_are_called_by_priority_then_by_age(void **state)
{
    static const char *const names[]      = { "1", "2", "3", "4" };
    static const int32_t     priorities[] = { 0, 5, 0, -1 };
    small_world             *w            = *state;
    const char              *letters[4][2];
    for (uint32_t i = 0; i < 4; i++) {
        letters[i][0]                 = names[i];
        letters[i][1]                 = (const char *)w;
        const kith_listener_desc desc = { .event     = KITH_EVENT_ADD,
                                          .component = A,
                                          .call      = write_letter,
                                          .context   = (void *)letters[i],
                                          .priority  = priorities[i] };
        assert_int_not_equal(kith_listener_connect(w->world, &desc), 0);
    }
    populate(w, "a");
    assert_reported(w, "2134");
}

static void destroying_reports_components_by_registration_then_the_entity(void **state)
{
    small_world *w = *state;
    populate(w, "ftcba");
    listen_to_all(w);
    kith_entity_destroy(w->world, w->e[0]);
    assert_reported(w, "remove a 0, remove b 0, remove c 0, remove t 0, remove f 0, destroy 0");
}

static void batches_go_component_by_component_in_the_order_of_the_list(void **state)
{
    small_world *w = *state;
    populate(w, "- - - b");
    const kith_entity some[] = { w->e[2], w->e[0], w->e[3] };
    const kith_values sets[] = { { B, NULL, 0 }, { A, NULL, 0 } };
    listen_to_all(w);

    assert_true(kith_entity_set_many(w->world, kith_entities_of(some, 3), sets, 2));

    assert_rows(w, A, "2 0 3");
    assert_rows(w, B, "3 2 0");
    assert_reported(w, "add a 2, add a 0, add a 3, add b 2, add b 0, set b 3");
}

static void expiring_and_clearing_go_in_row_order(void **state)
{
    enum { LIFE = 30 };
    small_world        *w    = *state;
    kith_component_desc desc = { .name      = "life",
                                 .id        = LIFE,
                                 .size      = sizeof(kith_lifetime),
                                 .alignment = _Alignof(kith_lifetime) };
    register_one(w->world, desc);
    populate(w, "f af f af");
    for (uint32_t i = 4; i-- > 1;) {
        kith_component_set(w->world, w->e[i], LIFE, &(kith_lifetime){ 7 });
    }
    listen(w, KITH_EVENT_DESTROY, 0, write_down, w);
    listen(w, KITH_EVENT_REMOVE, A, write_down, w);
    listen(w, KITH_EVENT_REMOVE, F, write_down, w);
    swap_rows(w, A, 1, 3);

    assert_true(kith_component_clear(w->world, A));
    assert_reported(w, "remove a 3, remove a 1");
    assert_true(kith_component_clear(w->world, F));
    assert_reported(w, "remove f 0, remove f 1, remove f 2, remove f 3");
    assert_int_equal(kith_world_expire(w->world, LIFE, 7), 3);
    assert_reported(w, "destroy 3, destroy 2, destroy 1");
}

// --- what decides nothing --------------------------------------------------------------------

static walk_text run_at_random(small_world *w, uint32_t page_rows, bool by_rows)
{
    uint64_t seed = 5;
    w->page_rows  = page_rows;
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
    populate_many(w, 60, "ab");
    kith_group *group = kith_group_of(w->world, QUERY(OWN(A), WITH(B), WITHOUT(T)));
    assert_non_null(group);
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t drawn = test_random_below(&seed, w->count);
        switch (test_random_below(&seed, 4)) {
        case 0:
            take(w, drawn, A);
            break;
        case 1:
            add_letters(w, w->e[drawn], "t");
            break;
        case 2:
            take(w, drawn, T);
            break;
        default:
            add_letters(w, w->e[drawn], "a");
        }
    }
    assert_true(kith_group_sort(group, 0, &(kith_sort_desc){ .as = T }));
    text_free(&w->journal.text);
    if (by_rows) {
        return rows_of(w->world, A);
    }
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(B), READ(A), WITHOUT(T)));
    return walk(&c);
}

static void page_sizes_decide_no_order(void **state)
{
    small_world *w = *state;
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        walk_text small = run_at_random(w, 4, by_rows);
        walk_text large = run_at_random(w, 1024, by_rows);
        assert_string_equal(small.bytes, large.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_SMALL(rows_of_a_pool_are_in_the_order_of_adding),
        TEST_SMALL(a_stable_pool_fills_its_newest_hole_first),
        TEST_SMALL(holes_of_a_loop_are_closed_in_ascending_order),
        TEST_SMALL(members_of_a_group_are_in_the_order_of_joining),
        TEST_SMALL(a_group_that_changes_in_a_hold_closes_its_gaps_then_appends),
        TEST_SMALL(the_last_member_replaces_one_that_leaves_with_its_rows),
        TEST_SMALL(loops_visit_in_the_row_order_of_their_lead),
        TEST_SMALL(loops_over_the_terms_of_a_group_visit_in_its_order),
        TEST_SMALL(entities_are_walked_by_index_and_components_by_registration),
        TEST_SMALL(new_handles_follow_the_free_order),
        TEST_SMALL(listeners_are_called_by_priority_then_by_age),
        TEST_SMALL(destroying_reports_components_by_registration_then_the_entity),
        TEST_SMALL(batches_go_component_by_component_in_the_order_of_the_list),
        TEST_SMALL(expiring_and_clearing_go_in_row_order),
        TEST_SMALL(page_sizes_decide_no_order),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
