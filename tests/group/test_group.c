// SPDX-License-Identifier: MIT
// Groups: the members, their rows, and what loops over them visit.
#include "query_test.h"

static kith_group *make(small_world *w, const kith_query_desc *desc)
{
    kith_group *group = kith_group_of(w->world, desc);
    assert_non_null(group);
    assert_world_valid(w->world);
    return group;
}

// --- members and rows ------------------------------------------------------------------------

static void a_group_made_after_the_data_brings_its_members_to_the_front(void **state)
{
    small_world *w = *state;
    populate(w, "a ab b ab ba a");

    kith_group *group = make(w, QUERY(OWN(A), OWN(B)));

    assert_int_equal(kith_group_count(group), 3);
    assert_rows(w, A, "1 3 4 0 5");
    assert_rows(w, B, "1 3 4 2");
    assert_visits(w, "1 3 4", WRITE(A), WRITE(B));
}

static void a_group_made_before_the_data_takes_members_as_they_come(void **state)
{
    small_world *w     = *state;
    kith_group  *group = make(w, QUERY(OWN(A), OWN(B)));
    populate(w, "a b ab");
    assert_rows(w, A, "2 0");
    assert_rows(w, B, "2 1");

    add_letters(w, w->e[0], "b");

    assert_rows(w, A, "2 0");
    assert_rows(w, B, "2 0 1");
    assert_int_equal(kith_group_count(group), 2);
    assert_true(kith_group_contains(group, w->e[0]));
    assert_false(kith_group_contains(group, w->e[1]));
    assert_world_valid(w->world);
}

static void the_last_member_takes_the_place_of_one_that_leaves(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab ab a b");
    make(w, QUERY(OWN(A), OWN(B)));

    take(w, 0, B);

    assert_rows(w, A, "2 1 0 3");
    assert_rows(w, B, "2 1 4");
    kith_entity_destroy(w->world, w->e[2]);
    assert_rows(w, A, "1 3 0");
    assert_rows(w, B, "1 4");
    assert_world_valid(w->world);
}

static void values_and_disabled_rows_move_with_their_entities(void **state)
{
    small_world *w = *state;
    populate(w, "a a ab b ab");
    assert_true(kith_component_enable(w->world, w->e[0], A, false));
    make(w, QUERY(OWN(A), OWN(B)));

    for (uint32_t i = 0; i < w->count; i++) {
        const tracked *value = kith_component_get(w->world, w->e[i], A);
        assert_true(value == NULL || value->number == kith_entity_index(w->e[i]));
        assert_int_equal(kith_component_enabled(w->world, w->e[i], A), value != NULL && i != 0);
    }
}

static void excluded_components_decide_membership_too(void **state)
{
    small_world *w     = *state;
    kith_group  *group = make(w, QUERY(OWN(A), READ(B), WITHOUT(C)));
    populate(w, "ab abc ab");
    assert_int_equal(kith_group_count(group), 2);

    add_letters(w, w->e[0], "c");
    assert_rows(w, A, "2 0 1");
    take(w, 1, C);
    assert_rows(w, A, "2 1 0");
    assert_visits(w, "2 1", WRITE(A), READ(B), WITHOUT(C));
    assert_world_valid(w->world);
}

static void flags_and_stable_pools_can_be_asked_for(void **state)
{
    small_world *w = stable_world(*state);
    populate(w, "ab abf af abf");

    kith_group *group = make(w, QUERY(READ(A), READ(B), WITH(F)));

    assert_int_equal(kith_group_count(group), 2);
    take(w, 1, F);
    add_letters(w, w->e[0], "f");
    assert_visits(w, "3 0", READ(A), READ(B), WITH(F));
    assert_rows(w, A, "0 1 2 3");
    assert_refused(&w->memory, w->world, KITH_ERROR_ARGUMENT,
                   kith_group_of(w->world, QUERY(OWN(A))) != NULL);
    assert_error_says(w->world, KITH_ERROR_ARGUMENT, "never move");
}

static void a_disabled_component_is_absent(void **state)
{
    small_world *w     = *state;
    kith_group  *group = make(w, QUERY(OWN(A), OWN(B), WITHOUT(C)));
    populate(w, "ab ab abc");

    kith_component_enable(w->world, w->e[0], A, false);
    kith_component_enable(w->world, w->e[2], C, false);
    assert_int_equal(kith_group_count(group), 2);
    assert_visits(w, "1 2", READ(A), READ(B), WITHOUT(C));
    kith_component_enable(w->world, w->e[2], C, false);
    kith_component_enable(w->world, w->e[0], A, true);
    kith_component_enable(w->world, w->e[0], A, true);
    assert_visits(w, "1 2 0", READ(A), READ(B), WITHOUT(C));
    take(w, 2, C); // it was absent already
    assert_visits(w, "1 2 0", READ(A), READ(B), WITHOUT(C));
    assert_world_valid(w->world);
}

// While one group has the component, changes go to that group directly.
static void a_component_is_in_one_group_in_two_and_in_one_again(void **state)
{
    small_world *w = *state;
    populate(w, "ab a b c");
    kith_group *pairs  = make(w, QUERY(OWN(A), OWN(B)));
    kith_group *single = make(w, QUERY(READ(C), WITHOUT(B)));
    assert_int_equal(kith_group_count(single), 1);

    add_letters(w, w->e[3], "b");
    assert_int_equal(kith_group_count(single), 0);
    add_letters(w, w->e[1], "b");
    assert_int_equal(kith_group_count(pairs), 2);
    take(w, 3, B);
    assert_int_equal(kith_group_count(single), 1);
    assert_world_valid(w->world);
    assert_true(kith_group_drop(single));

    add_letters(w, w->e[2], "a");
    assert_int_equal(kith_group_count(pairs), 3);
    assert_rows(w, A, "0 1 2");
    assert_rows(w, B, "0 1 2");
    take(w, 0, B);
    assert_rows(w, A, "2 1 0");
    assert_rows(w, B, "2 1");
    assert_int_equal(kith_group_count(pairs), 2);
    assert_world_valid(w->world);
}

// The signature words of the members decide, not the bits with the same places in the first word.
static void components_beyond_the_first_64_make_a_group(void **state)
{
    kith_world *world = kith_world_create(NULL);
    kith_entity e[3]  = { 0 };
    (void)state;
    for (kith_component id = 1; id <= 70; id++) {
        char name[16];
        snprintf(name, sizeof name, "x%u", id);
        register_one(world,
                     (kith_component_desc){ .id = id, .name = name, .size = 4, .alignment = 4 });
    }
    create_entities(world, e, 3);
    kith_group *group = kith_group_of(world, QUERY(OWN(69), OWN(70)));
    for (kith_component id = 5; id <= 6; id++) {
        assert_non_null(kith_component_set(world, e[0], id, &(uint32_t){ id }));
    }
    assert_non_null(kith_component_set(world, e[0], 69, &(uint32_t){ 69 }));
    assert_int_equal(kith_group_count(group), 0);

    for (kith_component id = 69; id <= 70; id++) {
        assert_non_null(kith_component_set(world, e[1], id, &(uint32_t){ id }));
        assert_non_null(kith_component_set(world, e[2], id, &(uint32_t){ id }));
    }
    assert_int_equal(kith_group_count(group), 2);
    assert_true(kith_component_remove(world, e[1], 69));
    assert_int_equal(kith_group_count(group), 1);
    assert_int_equal(kith_component_entity(world, 70, 0), e[2]);
    assert_world_valid(world);
    assert_true(kith_entity_destroy(world, e[2]));
    assert_int_equal(kith_group_count(group), 0);
    assert_world_valid(world);
    kith_world_destroy(world);
}

static void a_group_that_owns_nothing_moves_nothing(void **state)
{
    small_world *w = *state;
    populate(w, "a ab b ab");
    make(w, QUERY(READ(B), READ(A)));
    populate(w, "ab");

    take(w, 1, A);

    assert_rows(w, A, "0 4 3");
    assert_rows(w, B, "1 2 3 4");
    assert_visits(w, "4 3", READ(A), READ(B));
    assert_world_valid(w->world);
}

static void nested_groups_share_their_pools(void **state)
{
    small_world *w = *state;
    populate(w, "a ab abc b abc ac");
    kith_group *inner = make(w, QUERY(OWN(A), OWN(B), OWN(C)));
    kith_group *outer = make(w, QUERY(OWN(A), OWN(B)));

    assert_int_equal(kith_group_count(inner), 2);
    assert_int_equal(kith_group_count(outer), 3);
    assert_rows(w, A, "2 4 1 0 5");
    add_letters(w, w->e[1], "c");
    take(w, 2, C);
    assert_rows(w, A, "1 4 2 0 5");
    assert_rows(w, B, "1 4 2 3");
    take(w, 4, B);
    assert_rows(w, A, "1 2 4 0 5");
    assert_world_valid(w->world);
}

static void an_outer_group_leaves_the_members_of_an_inner_one_in_place(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab abc a");
    swap_rows(w, A, 0, 3);
    make(w, QUERY(OWN(A), READ(B), READ(C)));
    assert_rows(w, A, "2 1 3 0");

    make(w, QUERY(OWN(A), READ(B)));

    assert_rows(w, A, "2 0 1 3"); // B alone would say 0 1 2
    assert_visits(w, "2 0 1", READ(A), READ(B));
    assert_visits(w, "2", READ(A), READ(B), READ(C));
    assert_world_valid(w->world);
}

// A value can be copied from a row that makes room for it.
static void copy_into_nested_groups(uint32_t size, uint32_t source)
{
    const char         *given[]  = { "xyz", "xy", "x", "yz" };
    const char         *names[]  = { "x", "y", "z" };
    const char         *rows     = "0312";
    kith_world         *world    = kith_world_create(NULL);
    kith_entity         e[4]     = { 0 };
    uint64_t            wide[32] = { 0 };
    kith_component_desc kind     = { .size = size, .alignment = 8 };
    for (uint32_t i = 0; i < 3; i++) {
        kind.id   = i + 1;
        kind.name = names[i];
        register_one(world, kind);
    }
    create_entities(world, e, 4);
    for (uint32_t i = 0; i < 4; i++) {
        for (const char *letter = given[i]; *letter != 0; letter++) {
            fill_bytes(wide, size, i);
            assert_non_null(
                kith_component_set(world, e[i], (kith_component)(*letter - 'x') + 1, wide));
        }
    }
    assert_non_null(kith_group_of(world, QUERY(OWN(1), OWN(2), OWN(3))));
    assert_non_null(kith_group_of(world, QUERY(OWN(1), OWN(2))));

    const void *from = kith_component_get(world, e[source], 1);
    assert_bytes(kith_component_set(world, e[3], 1, from), size, source);

    for (uint32_t row = 0; row < 4; row++) {
        uint32_t at = (uint32_t)(rows[row] - '0');
        assert_int_equal(kith_component_entity(world, 1, row), e[at]);
        assert_bytes(kith_component_get(world, e[at], 1), size, at == 3 ? source : at);
    }
    assert_world_valid(world);
    kith_world_destroy(world);
}

static void a_value_is_copied_from_a_row_that_makes_room(void **state)
{
    (void)state;
    for (uint32_t source = 0; source < 3; source++) {
        copy_into_nested_groups(16, source);
        copy_into_nested_groups(64, source);
        copy_into_nested_groups(72, source);
    }
}

static void a_disabled_row_makes_room_for_a_member_of_nested_groups(void **state)
{
    kith_world *world = kith_world_create(NULL);
    kith_entity e[2]  = { 0 };
    (void)state;
    register_one(world, (kith_component_desc){ .id = 1, .name = "x", .size = 4, .alignment = 4 });
    register_one(world, (kith_component_desc){ .id = 2, .name = "y", .size = 4, .alignment = 4 });
    create_entities(world, e, 2);
    assert_non_null(kith_component_set(world, e[0], 1, &(uint32_t){ 10 }));
    assert_true(kith_component_enable(world, e[0], 1, false));
    kith_group *outer = kith_group_of(world, QUERY(OWN(1)));
    kith_group *inner = kith_group_of(world, QUERY(OWN(1), WITHOUT(2)));

    assert_non_null(kith_component_set(world, e[1], 1, &(uint32_t){ 11 }));

    assert_int_equal(kith_group_count(outer), 1);
    assert_int_equal(kith_group_count(inner), 1);
    assert_int_equal(*(const uint32_t *)kith_component_get(world, e[1], 1), 11);
    assert_world_valid(world);
    kith_world_destroy(world);
}

// --- making and dropping ---------------------------------------------------------------------

static void the_same_terms_give_the_same_group(void **state)
{
    small_world *w     = *state;
    kith_group  *group = make(w, NAMED_QUERY("one", OWN(A), READ(B), WITHOUT(C)));

    assert_ptr_equal(make(w, NAMED_QUERY("two", WITHOUT(C), WITH(B), OWN(A))), group);
    assert_string_equal(kith_group_describe(group)->name, "one");
    populate(w, "ab");
    assert_int_equal(kith_group_count(group), 1);
    assert_ptr_not_equal(make(w, QUERY(READ(A), READ(B))), group);
}

static void a_dropped_group_is_empty_until_it_is_made_again(void **state)
{
    small_world           *w     = *state;
    const kith_query_desc *desc  = NAMED_QUERY("pairs", OWN(A), OWN(B));
    kith_group            *group = make(w, desc);
    kith_group            *inner = make(w, QUERY(OWN(A), OWN(B), WITH(T)));
    populate(w, "b a ab abt abt");

    assert_true(kith_group_drop(group));

    assert_int_equal(kith_group_count(group), 0);
    assert_false(kith_group_contains(group, w->e[2]));
    assert_string_equal(kith_group_describe(group)->name, "pairs");
    walk_text before = rows_of(w->world, A);
    assert_true(kith_group_sort(
        group, A, &(kith_sort_desc){ .key = &(kith_sort_key){ 0, KITH_TYPE_U32, true } }));
    assert_string_equal(rows_of(w->world, A).bytes, before.bytes);
    assert_int_equal(kith_group_count(inner), 2);
    assert_true(kith_group_drop(group)); // once more
    assert_true(kith_group_drop(NULL));
    assert_error(w->world, KITH_OK);
    assert_int_equal(kith_world_memory(w->world, KITH_ALL).total, w->memory.live_bytes);
    assert_world_valid(w->world);

    assert_ptr_equal(make(w, QUERY(OWN(B), OWN(A))), group);
    assert_int_equal(kith_group_count(group), 3);
    assert_true(kith_group_contains(group, w->e[2]));
    assert_visits(w, "3 4 2", OWN(A), OWN(B));
    assert_world_valid(w->world);
}

static void a_group_that_cannot_be_made_again_stays_dropped(void **state)
{
    small_world           *w     = *state;
    const kith_query_desc *desc  = QUERY(READ(A), READ(B));
    kith_group            *group = make(w, desc);
    populate(w, "ab ab");
    assert_true(kith_group_drop(group));
    uint32_t failures = 0;
    for (; failures < 100; failures++) {
        test_fail_after(&w->memory, failures + 1);
        bool made         = kith_group_of(w->world, desc) != NULL;
        w->memory.fail_at = 0;
        if (made) {
            break;
        }
        assert_int_equal(kith_group_count(group), 0);
        assert_world_valid(w->world);
        assert_int_equal(kith_world_memory(w->world, KITH_ALL).total, w->memory.live_bytes);
    }
    assert_in_range(failures, 1, 99);
    assert_int_equal(kith_group_count(group), 2);
    kith_world_error_clear(w->world);
}

static void a_dropped_group_leaves_everything_where_it_is(void **state)
{
    small_world *w = *state;
    populate(w, "a ab b");
    size_t      bytes = w->memory.live_bytes;
    kith_group *group = make(w, QUERY(OWN(A), OWN(B)));

    kith_group_drop(group);

    assert_rows(w, A, "1 0");
    add_letters(w, w->e[0], "b");
    assert_rows(w, B, "1 2 0");
    assert_visits(w, "1 0", READ(A), READ(B));
    assert_world_valid(w->world);
    assert_true(bytes <= w->memory.live_bytes);
}

static void refuse(small_world *w, kith_error_code code, const char *words,
                   const kith_query_desc *desc)
{
    walk_text before = rows_of(w->world, A);
    size_t    bytes  = w->memory.live_bytes;
    assert_refused(&w->memory, w->world, code, kith_group_of(w->world, desc) != NULL);
    assert_error_says(w->world, code, words);
    assert_string_equal(rows_of(w->world, A).bytes, before.bytes);
    assert_int_equal(w->memory.live_bytes, bytes);
    assert_world_valid(w->world);
}

static void conflicts_name_both_groups_and_the_pool(void **state)
{
    small_world *w = *state;
    populate(w, "ab abc bc");
    make(w, NAMED_QUERY("pairs", OWN(A), OWN(B)));

    refuse(w, KITH_ERROR_ARGUMENT, "\"b\"", NAMED_QUERY("others", OWN(B), OWN(C)));
    refuse(w, KITH_ERROR_ARGUMENT, "\"others\" and group \"pairs\"",
           NAMED_QUERY("others", OWN(B), OWN(C)));
    refuse(w, KITH_ERROR_ARGUMENT, "these terms", NAMED_QUERY("others", OWN(A), READ(B)));
    assert_int_equal(kith_world_error(w->world).component, B);
    refuse(w, KITH_ERROR_ARGUMENT, "these terms", NAMED_QUERY("others", READ(A), OWN(B)));
    assert_int_equal(kith_world_error(w->world).component, A);
    refuse(w, KITH_ERROR_ARGUMENT, "these terms", NAMED_QUERY("others", READ(B), READ(A)));
    assert_int_equal(kith_world_error(w->world).component, A); // the first that "pairs" owns
    refuse(w, KITH_ERROR_ARGUMENT, "neither is inside",
           NAMED_QUERY("others", OWN(A), READ(B), READ(C)));
    kith_error error = kith_world_error(w->world);
    assert_string_equal(error.subject, "two groups own it, and neither is inside the other");
    assert_string_equal(error.other, "others\" and group \"pairs");
    make(w, QUERY(OWN(C), READ(B)));
}

static void invalid_groups_are_refused(void **state)
{
    small_world *w = *state;
    populate(w, "a");

    refuse(w, KITH_ERROR_ARGUMENT, "at least one", QUERY(WITH(F)));
    refuse(w, KITH_ERROR_ARGUMENT, "at least one", QUERY(WITHOUT(A)));
    refuse(w, KITH_ERROR_ARGUMENT, "at least one", ALL_ENTITIES);
    refuse(w, KITH_ERROR_ARGUMENT, "can only have", QUERY(OWN(A), OPTIONAL(B)));
    refuse(w, KITH_ERROR_ARGUMENT, "can only have", QUERY(OWN(A), ANY(B, 1)));
    refuse(w, KITH_ERROR_ARGUMENT, "can only have", QUERY(OWN(A), LEAD(A)));
    refuse(w, KITH_ERROR_ARGUMENT, "can only have", QUERY(OWN(A), DISABLED(A)));
    refuse(w, KITH_ERROR_ARGUMENT, "contradict", QUERY(OWN(A), WITHOUT(A)));
    refuse(w, KITH_ERROR_UNREGISTERED, "letters", QUERY(OWN(A), OWN(UNKNOWN)));
    refuse(w, KITH_ERROR_KIND, "", QUERY(OWN(A), OWN(F)));
    refuse(w, KITH_ERROR_KIND, "", QUERY(OWN(T)));
    refuse(w, KITH_ERROR_KIND, "", QUERY(OWN(A), WITH(S)));
    kith_world_hold(w->world);
    refuse(w, KITH_ERROR_BUSY, "kith_world_hold", QUERY(OWN(A)));
    kith_world_release(w->world);
    kith_group *group = make(w, QUERY(OWN(A)));
    kith_world_hold(w->world);
    assert_ptr_equal(kith_group_of(w->world, QUERY(OWN(A))), group); // finding moves nothing
    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY, kith_group_drop(group));
    kith_world_release(w->world);
}

static void rows_of_an_owned_pool_are_not_swapped(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab");
    make(w, NAMED_QUERY("pairs", OWN(A), READ(B)));

    assert_refused(&w->memory, w->world, KITH_ERROR_ARGUMENT,
                   kith_component_swap(w->world, A, w->e[0], w->e[1]));
    assert_error_says(w->world, KITH_ERROR_ARGUMENT, "pairs");
    assert_refused(&w->memory, w->world, KITH_ERROR_ARGUMENT,
                   kith_component_sort(w->world, A, &(kith_sort_desc){ .as = B }));
    assert_error_says(w->world, KITH_ERROR_ARGUMENT, "pairs");
    assert_true(kith_component_sort(w->world, B, &(kith_sort_desc){ .as = A }));
    swap_rows(w, B, 0, 1);
    assert_world_valid(w->world);
}

// --- loops -----------------------------------------------------------------------------------

static void a_loop_over_a_group_gets_pages_as_arrays(void **state)
{
    small_world *w = *state;
    populate_many(w, 6, "ab");
    populate_many(w, 3, "b");
    populate_many(w, 4, "ba");
    make(w, QUERY(OWN(A), OWN(B)));

    kith_cursor c = kith_view_begin(w->world, QUERY(READ(B), WRITE(A)));

    assert_string_equal(walk_chunks(&c).bytes, "0 1 2 3|4 5 9 10|11 12");
}

static void a_loop_visits_members_that_stay_and_then_those_that_join(void **state)
{
    small_world *w = *state;
    populate(w, "abc ab ab ab abc abc");
    make(w, QUERY(OWN(A), OWN(B), WITHOUT(C)));
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), READ(B), WITHOUT(C)));
    assert_next(&c, w, 1);

    add_letters(w, w->e[2], "c");
    take(w, 5, C);
    take(w, 0, C);
    spawn(w, "ab"); // younger than the loop

    assert_int_equal(kith_view_count(w->world, QUERY(READ(A), READ(B), WITHOUT(C))), 5);
    assert_world_valid(w->world);
    assert_walk(&c, "3 5 0");
    assert_world_valid(w->world);
    assert_visits(w, "1 3 5 0 6", READ(A), READ(B), WITHOUT(C));
}

static void a_row_that_was_left_is_not_visited_with_the_old_value(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab");
    make(w, QUERY(OWN(A), OWN(B)));
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), READ(B)));
    take(w, 0, A);
    add_letters(w, w->e[0], "a");

    assert_walk(&c, "1");
    assert_visits(w, "1 0", READ(A), READ(B));
}

// It has had both since the inner loop began, in different rows.
static void an_inner_loop_finds_what_came_back(void **state)
{
    small_world *w = *state;
    populate(w, "ab");
    make(w, QUERY(OWN(A), OWN(B)));
    kith_cursor outer = kith_view_begin(w->world, QUERY(READ(A), READ(B)));
    assert_next(&outer, w, 0);
    take(w, 0, A);
    add_letters(w, w->e[0], "a");

    kith_cursor inner = kith_view_begin(w->world, QUERY(READ(A), READ(B)));
    assert_true(kith_cursor_next(&inner));
    assert_int_equal(inner.entity, w->e[0]);
    assert_ptr_equal(inner.columns[0], kith_component_get(w->world, w->e[0], A));
    assert_ptr_equal(inner.columns[1], kith_component_get(w->world, w->e[0], B));
    kith_world_settle(w->world);
    assert_world_valid(w->world);
}

static void a_loop_over_a_group_can_ask_for_more(void **state)
{
    small_world *w = *state;
    populate(w, "a ab a");
    make(w, QUERY(OWN(A)));
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), OPTIONAL(B)));
    for (uint32_t i = 0; i < w->count; i++) {
        assert_next(&c, w, i);
        assert_ptr_equal(c.columns[0], kith_component_get(w->world, w->e[i], A));
        assert_ptr_equal(c.columns[1], kith_component_get(w->world, w->e[i], B));
    }
    assert_false(kith_cursor_next(&c));
}

static void finish_walk(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    assert_false(kith_cursor_next(context));
}

static void no_entity_joins_a_walk_that_is_over(void **state)
{
    small_world *w = *state;
    populate(w, "a ab");
    make(w, QUERY(OWN(A), WITHOUT(B)));
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), WITHOUT(B)));
    kith_listener_connect(w->world, &(kith_listener_desc){ .event     = KITH_EVENT_REMOVE,
                                                           .component = B,
                                                           .call      = finish_walk,
                                                           .context   = &c });
    assert_next(&c, w, 0);
    take(w, 1, B); // the listener walks to the end before it joins
    assert_walk(&c, "");
    kith_world_error_clear(w->world);
    assert_visits(w, "0 1", READ(A), WITHOUT(B));
}

static void walk_stored(small_world *w, kith_query *query, const char *expected)
{
    for (int round = 0; round < 4; round++) {
        walk_text   out = { "" };
        kith_cursor c   = kith_query_begin(query);
        while (kith_cursor_next(&c)) {
            walk_entity(&out, c.entity);
            assert_ptr_equal(c.columns[0], kith_component_get(w->world, c.entity, A));
            assert_ptr_equal(c.columns[1], kith_component_get(w->world, c.entity, B));
        }
        assert_string_equal(out.bytes, expected);
    }
}

static void a_stored_query_forgets_where_its_group_was(void **state)
{
    small_world *w = *state;
    populate(w, "abf a abf a abf a abf");
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B), WITH(F)));
    walk_stored(w, query, "0 2 4 6");
    kith_group *group = make(w, QUERY(READ(A), READ(B), WITH(F)));
    walk_stored(w, query, "0 2 4 6");
    swap_rows(w, B, 0, 6);
    walk_stored(w, query, "0 2 4 6");

    assert_true(kith_group_drop(group));
    make(w, QUERY(READ(A), READ(B), WITH(F)));

    walk_stored(w, query, "6 2 4 0");
    kith_query_destroy(query);
}

static void a_group_with_as_many_terms_as_there_can_be(void **state)
{
    enum { FIRST = 100 };
    small_world *w                           = *state;
    kith_term    terms[KITH_QUERY_TERMS_MAX] = { OWN(A), OWN(B) };
    for (uint32_t i = 2; i < KITH_QUERY_TERMS_MAX; i++) {
        char name[8];
        snprintf(name, sizeof name, "no %u", i);
        assert_int_equal(test_register_tag(w->world, name, FIRST + i), FIRST + i);
        terms[i] = (kith_term){ FIRST + i, KITH_ROLE_WITHOUT, 0 };
    }
    populate(w, "ab ab");
    swap_rows(w, A, 0, 1);
    kith_query_desc owning = { "owning", terms, KITH_QUERY_TERMS_MAX, 0 };
    kith_group     *group  = make(w, &owning);
    check_query(w->world, &owning, "1 0");
    kith_group_drop(group);
    terms[0].role = KITH_ROLE_READ;
    terms[1].role = KITH_ROLE_READ;
    make(w, &owning);
    check_query(w->world, &owning, "1 0");
    assert_true(kith_component_swap(w->world, A, w->e[0], w->e[1]));
    check_query(w->world, &owning, "0 1"); // its list has no room beside these many terms
}

static void a_named_lead_keeps_its_own_order(void **state)
{
    small_world *w = *state;
    populate(w, "b ab ab");
    make(w, QUERY(READ(A), READ(B)));
    swap_rows(w, A, 1, 2);

    assert_visits(w, "1 2", READ(A), READ(B), LEAD(B));
    assert_visits(w, "2 1", READ(A), READ(B), LEAD(A));
    assert_visits(w, "1 2", READ(A), READ(B));
}

// The group has two members, C three rows, A and B five. The members are in the order "2 0".
static void populate_part(small_world *w)
{
    populate(w, "abc c abc a a a b b b");
    make(w, NAMED_QUERY("pair", OWN(A), OWN(B)));
    take(w, 0, B);
    add_letters(w, w->e[0], "b");
}

static void a_loop_with_more_terms_walks_a_group_with_few_members(void **state)
{
    small_world *w = *state;
    char         text_[512];
    populate_part(w);
    assert_visits(w, "2 0", READ(A), READ(B), READ(C));
    assert_visits(w, "2 0", READ(B), WITH(A), WRITE(C), OPTIONAL(T));
    assert_true(kith_view_first(w->world, QUERY(READ(A), READ(B), READ(C))) == w->e[2]);
    assert_visits(w, "0 2", READ(A), READ(B), READ(C), LEAD(C));

    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B), READ(C)));
    walk_stored(w, query, "2 0");
    kith_query_report report = kith_query_report_of(query);
    assert_true(report.lead == A && report.rows == 2 && report.examined == 2);
    kith_query_explain(query, text_, sizeof text_);
    assert_non_null(strstr(text_, "walks the group \"pair\", 2 members"));
    take(w, 2, B);
    walk_stored(w, query, "0");
}

static void such_a_loop_walks_rows_where_the_group_may_lack_entities(void **state)
{
    small_world *w = *state;
    populate_part(w);
    kith_component_enable(w->world, w->e[4], A, false);
    assert_visits(w, "0 2", READ(A), READ(B), READ(C)); // a loop could enable the row
    kith_component_enable(w->world, w->e[4], A, true);
    assert_visits(w, "2 0", READ(A), READ(B), READ(C));
    kith_world_hold(w->world);
    take(w, 2, B);
    add_letters(w, w->e[2], "b");
    assert_visits(w, "0 2", READ(A), READ(B), READ(C)); // a member waits to join
    kith_world_release(w->world);
    kith_component_remove(w->world, w->e[1], C);
    assert_visits(w, "0 2", READ(A), READ(B), READ(C)); // C has as few rows as the group members
}

static void record_joining(kith_world *world, const kith_notice *notice, void *context)
{
    kith_group *group = context;
    assert_true(kith_group_contains(group, notice->entity));
    assert_int_equal(kith_group_count(group), kith_component_count(world, B));
    assert_world_valid(world);
}

static void membership_is_up_to_date_before_a_listener_is_called(void **state)
{
    small_world *w     = *state;
    kith_group  *group = make(w, QUERY(OWN(A), OWN(B)));
    kith_listener_connect(w->world, &(kith_listener_desc){ .event     = KITH_EVENT_ADD,
                                                           .component = B,
                                                           .call      = record_joining,
                                                           .context   = group });
    populate(w, "ab ab a ab");
    assert_rows(w, B, "0 1 3");
}

static void explain_says_what_a_group_would_spare(void **state)
{
    small_world *w = *state;
    char         text_[512];
    for (uint32_t i = 0; i < 60; i++) {
        spawn(w, i % 3 == 0 ? "a" : "ab");
    }
    text_free(&w->journal.text);
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B), LEAD(A)));
    kith_query *free  = kith_query_create(w->world, QUERY(WRITE(A), WITHOUT(B)));
    for (int i = 0; i < 2; i++) {
        kith_cursor c = kith_query_begin(i == 0 ? query : free);
        walk(&c);
    }
    kith_query_explain(query, text_, sizeof text_);
    assert_null(strstr(text_, "group")); // it names its lead
    kith_query_explain(free, text_, sizeof text_);
    assert_non_null(strstr(text_, "would save 40 lookups a loop; it could own \"a\""));

    make(w, NAMED_QUERY("lonely", OWN(A), WITHOUT(B)));
    kith_cursor c = kith_query_begin(free);
    walk(&c);
    kith_query_explain(free, text_, sizeof text_);
    assert_non_null(strstr(text_, "walks the group \"lonely\", 20 members"));
    assert_null(strstr(text_, "spare"));
}

static void explain_names_the_group_that_costs_a_loop_its_runs(void **state)
{
    small_world *w = *state;
    char         text_[1024];
    for (uint32_t i = 0; i < 60; i++) {
        spawn(w, i % 2 == 0 ? "ac" : "abc");
    }
    text_free(&w->journal.text);
    kith_query *apart    = kith_query_create(w->world, QUERY(READ(A), READ(C)));
    kith_query *filtered = kith_query_create(w->world, QUERY(READ(A), READ(B), ANY(C, 1)));
    for (int i = 0; i < 4; i++) {
        kith_query *query = i % 2 == 0 ? apart : filtered;
        kith_cursor c     = kith_query_begin(query);
        walk(&c);
        kith_query_explain(query, text_, sizeof text_);
        const char *said = strstr(
            text_, "the group \"pairs\" orders the rows of \"a\", not of \"c\": 60 gathered; "
                   "sort the second as the first, or drop the group");
        assert_int_equal(said != NULL, i == 2); // the group orders all pools of the other query
        text_free(&w->journal.text);
        if (i == 1) {
            make(w, NAMED_QUERY("pairs", OWN(A), OWN(B)));
        }
    }
    assert_true(kith_component_sort(w->world, C, &(kith_sort_desc){ .as = A }));
    kith_cursor c = kith_query_begin(apart);
    walk(&c);
    kith_query_explain(apart, text_, sizeof text_);
    assert_null(strstr(text_, "pairs"));
}

static void explain_advises_no_sort_that_a_group_refuses(void **state)
{
    small_world *w = *state;
    char         text_[1024];
    for (uint32_t i = 0; i < 60; i++) {
        spawn(w, i % 2 == 0 ? "ac" : i % 3 == 0 ? "abct" : "abc");
    }
    make(w, NAMED_QUERY("first", OWN(A), OWN(B)));
    make(w, NAMED_QUERY("second", OWN(C), WITH(T)));
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(C)));
    kith_cursor c     = kith_query_begin(query);
    walk(&c);
    kith_query_explain(query, text_, sizeof text_);
    assert_non_null(strstr(text_, "the group \"first\" orders the rows of \"a\", not of \"c\": "));
    assert_non_null(strstr(text_, " gathered; drop the group"));
    assert_null(strstr(text_, "sort the second"));
}

static void explain_tells_of_a_walk_over_a_list_that_was_dropped(void **state)
{
    small_world *w = *state;
    char         text_[1024];
    for (uint32_t i = 0; i < 60; i++) {
        spawn(w, i % 2 == 0 ? "ab" : "b");
    }
    kith_group *list  = make(w, QUERY(READ(A), READ(B)));
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B)));
    kith_cursor c     = kith_query_begin(query);
    walk(&c);
    assert_int_not_equal(kith_query_report_of(query).gathered, 0);
    assert_true(kith_group_drop(list));
    kith_query_explain(query, text_, sizeof text_);
    assert_non_null(strstr(text_, "30 gathered"));
}

// --- at random -------------------------------------------------------------------------------

#define ENTITIES 40u

// A loop over every group, whatever its state, visits the entities that match the terms.
static void check_walk(small_world *w, const kith_group *group)
{
    const kith_query_desc *desc               = kith_group_describe(group);
    uint32_t               visited            = 0;
    bool                   seen[4 * ENTITIES] = { false };
    kith_cursor            c                  = kith_view_begin(w->world, desc);
    while (kith_cursor_next(&c)) {
        uint32_t index = kith_entity_index(c.entity);
        assert_true(index < COUNT_OF(seen) && !seen[index]);
        seen[index] = true;
        assert_true(kith_view_contains(w->world, desc, c.entity));
        for (uint32_t i = 0; i < desc->term_count; i++) {
            if (c.columns[i] != NULL) {
                assert_ptr_equal(c.columns[i],
                                 kith_component_get(w->world, c.entity, desc->terms[i].component));
            }
        }
        visited++;
    }
    uint32_t contained = 0;
    for (kith_entity e = kith_entity_next(w->world, KITH_NULL); e != KITH_NULL;
         e             = kith_entity_next(w->world, e)) {
        contained += kith_view_contains(w->world, desc, e);
    }
    assert_int_equal(visited, contained);
    assert_int_equal(kith_group_count(group), contained);
}

static void change(small_world *w, uint64_t *seed)
{
    static const kith_component all[] = { A, B, C, T, F };
    uint32_t                    i     = test_random_below(seed, ENTITIES);
    kith_component              x     = all[test_random_below(seed, COUNT_OF(all))];
    const tracked               value = { .number = kith_entity_index(w->e[i]) };
    switch (test_random_below(seed, 8)) {
    case 0:
    case 1:
    case 2:
        kith_component_set(w->world, w->e[i], x, x == T || x == F ? NULL : &value);
        break;
    case 3:
    case 4:
        kith_component_remove(w->world, w->e[i], x);
        break;
    case 5:
        kith_entity_destroy(w->world, w->e[i]);
        w->e[i] = kith_entity_create(w->world);
        break;
    case 6:
        x = x == F ? A : x;
        if (!kith_component_enable(w->world, w->e[i], x, false)) {
            kith_component_enable(w->world, w->e[i], x, true);
        }
        break;
    default:
        kith_component_enable(w->world, w->e[i], x == F ? A : x, true);
    }
    kith_world_error_clear(w->world);
}

static void check_all(small_world *w, kith_group *const *groups, uint32_t count)
{
    assert_world_valid(w->world);
    for (uint32_t i = 0; i < count; i++) {
        check_walk(w, groups[i]);
    }
    text_free(&w->journal.text);
}

static void groups_and_views_match_at_every_moment(void **state)
{
    small_world *w    = *state;
    uint64_t     seed = test_seed();
    populate_many(w, ENTITIES, "-");
    kith_group *groups[] = {
        make(w, QUERY(OWN(A), OWN(B))),
        make(w, QUERY(OWN(A), OWN(B), OWN(C))),
        make(w, QUERY(OWN(A), OWN(B), OWN(C), WITHOUT(T))),
        make(w, QUERY(READ(A), WITHOUT(F), WITHOUT(B))),
        make(w, QUERY(READ(C), WITH(F), WITH(T))),
        make(w, QUERY(READ(A), READ(B), WITH(F), WITHOUT(T))),
    };
    for (uint32_t step = 0; step < test_thinned(6000); step++) {
        if (step % 10 == 0 && kith_world_now(w->world) % 2 == 0) {
            kith_world_hold(w->world);
        }
        change(w, &seed);
        check_all(w, groups, COUNT_OF(groups));
        if (step % 10 == 9) {
            kith_world_settle(w->world);
            kith_world_advance(w->world);
            check_all(w, groups, COUNT_OF(groups));
        }
    }
    kith_world_settle(w->world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_SMALL(a_group_made_after_the_data_brings_its_members_to_the_front),
        TEST_SMALL(a_group_made_before_the_data_takes_members_as_they_come),
        TEST_SMALL(the_last_member_takes_the_place_of_one_that_leaves),
        TEST_SMALL(values_and_disabled_rows_move_with_their_entities),
        TEST_SMALL(excluded_components_decide_membership_too),
        TEST_SMALL(flags_and_stable_pools_can_be_asked_for),
        TEST_SMALL(a_disabled_component_is_absent),
        TEST_SMALL(a_component_is_in_one_group_in_two_and_in_one_again),
        cmocka_unit_test(components_beyond_the_first_64_make_a_group),
        TEST_SMALL(a_group_that_owns_nothing_moves_nothing),
        TEST_SMALL(nested_groups_share_their_pools),
        TEST_SMALL(an_outer_group_leaves_the_members_of_an_inner_one_in_place),
        cmocka_unit_test(a_value_is_copied_from_a_row_that_makes_room),
        cmocka_unit_test(a_disabled_row_makes_room_for_a_member_of_nested_groups),
        TEST_SMALL(the_same_terms_give_the_same_group),
        TEST_SMALL(a_dropped_group_is_empty_until_it_is_made_again),
        TEST_SMALL(a_group_that_cannot_be_made_again_stays_dropped),
        TEST_SMALL(a_dropped_group_leaves_everything_where_it_is),
        TEST_SMALL(conflicts_name_both_groups_and_the_pool),
        TEST_SMALL(invalid_groups_are_refused),
        TEST_SMALL(rows_of_an_owned_pool_are_not_swapped),
        TEST_SMALL(a_loop_over_a_group_gets_pages_as_arrays),
        TEST_SMALL(a_loop_visits_members_that_stay_and_then_those_that_join),
        TEST_SMALL(a_row_that_was_left_is_not_visited_with_the_old_value),
        TEST_SMALL(an_inner_loop_finds_what_came_back),
        TEST_SMALL(a_loop_over_a_group_can_ask_for_more),
        TEST_SMALL(no_entity_joins_a_walk_that_is_over),
        TEST_SMALL(a_stored_query_forgets_where_its_group_was),
        TEST_SMALL(a_group_with_as_many_terms_as_there_can_be),
        TEST_SMALL(a_named_lead_keeps_its_own_order),
        TEST_SMALL(membership_is_up_to_date_before_a_listener_is_called),
        TEST_SMALL(a_loop_with_more_terms_walks_a_group_with_few_members),
        TEST_SMALL(such_a_loop_walks_rows_where_the_group_may_lack_entities),
        TEST_SMALL(explain_says_what_a_group_would_spare),
        TEST_SMALL(explain_names_the_group_that_costs_a_loop_its_runs),
        TEST_SMALL(explain_advises_no_sort_that_a_group_refuses),
        TEST_SMALL(explain_tells_of_a_walk_over_a_list_that_was_dropped),
        TEST_SMALL(groups_and_views_match_at_every_moment),
    };
    return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
