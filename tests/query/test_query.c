// SPDX-License-Identifier: MIT
// Queries without types: every role, which component leads, chunks, reading walks, memory, and what
// is refused.
#include "query_test.h"

// --- roles -----------------------------------------------------------------------------------

static void included_components_must_be_there(void **state)
{
    small_world *w = *state;
    populate(w, "a ab abc b c -");

    assert_visits(w, "0 1 2", WITH(A));
    assert_visits(w, "0 1 2", READ(A));
    assert_visits(w, "0 1 2", WRITE(A));
    assert_visits(w, "1 2", READ(A), WRITE(B));
    assert_visits(w, "2", WITH(C), READ(B), WRITE(A));
}

static void columns_give_the_values_of_the_present_entity(void **state)
{
    small_world *w = *state;
    populate(w, "ab a abc b");
    kith_cursor c = kith_view_begin(w->world, QUERY(WITH(T), READ(A), WRITE(B), OPTIONAL(C)));
    assert_walk(&c, "");

    c = kith_view_begin(w->world, QUERY(READ(B), WRITE(A), OPTIONAL(C)));
    for (uint32_t i = 0; i <= 2; i += 2) {
        assert_next(&c, w, i);
        assert_ptr_equal(c.columns[0], kith_component_get(w->world, w->e[i], B));
        assert_ptr_equal(c.columns[1], kith_component_get(w->world, w->e[i], A));
        assert_ptr_equal(c.columns[2], kith_component_get(w->world, w->e[i], C));
    }
    assert_false(kith_cursor_next(&c));
}

static void excluded_components_must_be_absent(void **state)
{
    small_world *w = *state;
    populate(w, "a ab abc at af");

    assert_visits(w, "0 3 4", READ(A), WITHOUT(B));
    assert_visits(w, "0 1 2 4", READ(A), WITHOUT(T));
    assert_visits(w, "0 1 2 3", READ(A), WITHOUT(F));
    assert_visits(w, "0", READ(A), WITHOUT(B), WITHOUT(T), WITHOUT(F));
}

static void optional_components_decide_nothing(void **state)
{
    small_world *w = *state;
    populate(w, "a ab b at af");

    assert_visits(w, "0 1 3 4", READ(A), OPTIONAL(B));
    assert_visits(w, "0 1 3 4", READ(A), OPTIONAL_WRITE(B));
    assert_visits(w, "0 1 3 4", READ(A), OPTIONAL(T), OPTIONAL(F));
    assert_visits(w, "0 1 2 3 4", OPTIONAL(A));

    kith_cursor c = kith_view_begin(w->world, QUERY(OPTIONAL(T), OPTIONAL(F), READ(A)));
    for (uint32_t i = 0; i < 5; i++) {
        if (i != 2) {
            assert_next(&c, w, i);
            assert_int_equal(c.columns[0] != NULL, i == 3); // nothing to read, but there
            assert_int_equal(c.columns[1] != NULL, i == 4);
        }
    }
    kith_cursor_end(&c);
}

static void one_alternative_of_each_group_must_be_there(void **state)
{
    small_world *w = *state;
    populate(w, "a ab ac abc abt act af -");

    assert_visits(w, "1 2 3 4 5", READ(A), ANY(B, 1), ANY(C, 1));
    assert_visits(w, "4 5", READ(A), ANY(B, 1), ANY(T, 2), ANY(C, 1));
    assert_visits(w, "4 5 6", READ(A), ANY(T, 0), ANY(F, 0));
    assert_visits(w, "3", READ(A), ANY(B, 7), ANY(C, 0));
    assert_visits(w, "1 2 3 4 5 6", ANY(B, 3), ANY(C, 3), ANY(F, 3));
    assert_visits(w, "1 3 4", ANY(B, 0));
}

static void alternatives_have_columns_as_optional_ones(void **state)
{
    small_world *w = *state;
    populate(w, "ab ac abc");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), ANY(B, 0), ANY(C, 0)));
    for (uint32_t i = 0; i < 3; i++) {
        assert_next(&c, w, i);
        assert_ptr_equal(c.columns[1], kith_component_get(w->world, w->e[i], B));
        assert_ptr_equal(c.columns[2], kith_component_get(w->world, w->e[i], C));
    }
    kith_cursor_end(&c);
}

static void more_groups_of_alternatives_than_a_word_has_room_for(void **state)
{
    small_world *w = *state;
    kith_term    terms[24];
    for (uint32_t i = 0; i < 24; i++) {
        kith_component id = test_register_tag(w->world, (char[]){ 'x', (char)('a' + i), 0 }, 0);
        terms[i]          = (kith_term)ANY(id, i / 2);
    }
    populate(w, "- -");
    for (uint32_t i = 0; i < 24; i++) { // the first has the odd ones, the second lacks a group
        kith_component_add(w->world, w->e[i % 2 == 0 && i != 4], terms[i].component, NULL);
    }

    check_query(w->world, &(kith_query_desc){ "groups", terms, 24, 0 }, "0");
}

static void tags_can_be_asked_for_in_every_role_without_a_value(void **state)
{
    small_world *w = *state;
    populate(w, "t at a bt");
    kith_component_enable(w->world, w->e[3], T, false);

    assert_visits(w, "0 1", WITH(T));
    assert_visits(w, "1", WITH(T), READ(A));
    assert_visits(w, "2", READ(A), WITHOUT(T));
    assert_visits(w, "0 1", LEAD(T));
    assert_visits(w, "0 1 3", DISABLED(T));
    assert_visits(w, "0 1 3", LEAD(T), DISABLED(T), WITH(T));
}

static void flags_can_be_asked_for_with_without_optional_and_any(void **state)
{
    small_world *w = *state;
    populate(w, "f af a -");

    assert_visits(w, "0 1", WITH(F));
    assert_visits(w, "1", WITH(F), READ(A));
    assert_visits(w, "2 3", WITHOUT(F));
    assert_visits(w, "2", WITHOUT(F), WITH(A));
    assert_visits(w, "0 1 2 3", OPTIONAL(F));
    assert_visits(w, "0 1 2", ANY(F, 0), ANY(A, 0));
}

static void queries_without_a_component_that_has_rows_walk_all_entities(void **state)
{
    small_world *w = *state;
    populate(w, "a - b - a");
    kith_entity_destroy(w->world, w->e[3]);

    assert_visits(w, "1 2", WITHOUT(A));
    assert_visits(w, "1", WITHOUT(A), WITHOUT(B));
    check_query(w->world, ALL_ENTITIES, "0 1 2 4");
    kith_world_clear(w->world);
    check_query(w->world, ALL_ENTITIES, "");
    assert_visits(w, "", WITH(F));
}

static void an_empty_query_may_have_terms_that_point_anywhere(void **state)
{
    small_world    *w    = *state;
    const kith_term term = READ(A);
    populate(w, "- a");

    check_query(w->world, &(kith_query_desc){ NULL, &term, 0, 0 }, "0 1");
}

static void all_entities_are_visited_beyond_one_page(void **state)
{
    small_world *w = *state;
    test_create_many(w->world, 3000);
    for (uint32_t i = 0; i < 3000; i += 3) {
        test_destroy_index(w->world, i);
    }
    kith_cursor c       = kith_view_begin(w->world, ALL_ENTITIES);
    uint32_t    visited = 0;
    uint32_t    last    = 0;

    while (kith_cursor_next(&c)) {
        assert_true(kith_entity_index(c.entity) > last || visited == 0);
        last = kith_entity_index(c.entity);
        visited++;
    }

    assert_int_equal(visited, 2000);
    assert_int_equal(kith_view_count(w->world, ALL_ENTITIES), 2000);
}

// --- disabled --------------------------------------------------------------------------------

static void to_a_query_a_disabled_component_is_absent(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab ab b a");
    kith_component_enable(w->world, w->e[0], A, false);
    kith_component_enable(w->world, w->e[1], B, false);

    assert_visits(w, "1 2 4", READ(A));
    assert_visits(w, "2", READ(A), READ(B));
    assert_visits(w, "0 3", READ(B), WITHOUT(A));
    assert_visits(w, "0 2 3", OPTIONAL(A), READ(B));
    assert_visits(w, "0 1 2 3 4", ANY(A, 0), ANY(B, 0));
    kith_component_enable(w->world, w->e[4], A, false);
    assert_visits(w, "0 1 2 3", ANY(A, 0), ANY(B, 0));
    assert_visits(w, "0 3 4", WITHOUT(A));
}

static void a_disabled_optional_column_is_null(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab");
    kith_component_enable(w->world, w->e[0], B, false);
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), OPTIONAL(B)));

    assert_next(&c, w, 0);
    assert_null(c.columns[1]);
    assert_next(&c, w, 1);
    assert_non_null(c.columns[1]);

    kith_cursor_end(&c);
}

static void the_term_disabled_makes_it_count(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab ab");
    kith_component_enable(w->world, w->e[0], A, false);
    kith_component_enable(w->world, w->e[1], B, false);

    assert_visits(w, "0 1 2", DISABLED(A));
    assert_visits(w, "0 1 2", LEAD(A), DISABLED(A)); // alone both mean `with`
    assert_visits(w, "0 2", READ(A), DISABLED(A), READ(B));
    assert_visits(w, "0 1 2", READ(A), DISABLED(A), READ(B), DISABLED(B));
    assert_visits(w, "1", READ(A), WITHOUT(B));
    assert_visits(w, "", READ(A), WITHOUT(B), DISABLED(B));
    assert_visits(w, "1 2", READ(A), OPTIONAL(B), DISABLED(B));
    kith_cursor c = kith_view_begin(w->world, QUERY(OPTIONAL(B), DISABLED(B), READ(A)));
    assert_next(&c, w, 1);
    assert_non_null(c.columns[0]);
    kith_cursor_end(&c);
}

// --- the lead --------------------------------------------------------------------------------

static void the_component_with_the_fewest_rows_leads(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab b b");
    swap_rows(w, A, 0, 1);

    assert_visits(w, "1 0", READ(A), READ(B));
    assert_visits(w, "1 0", READ(B), READ(A));
    add_letters(w, w->e[2], "a");
    add_letters(w, w->e[3], "a");
    kith_entity_destroy(w->world, spawn(w, "-"));
    assert_visits(w, "1 0 2 3", READ(B), READ(A)); // equal: the first registered
    add_letters(w, spawn(w, "-"), "a");
    assert_visits(w, "0 1 2 3", READ(A), READ(B));
}

static void holes_count_as_rows(void **state)
{
    small_world *w = stable_world(*state);
    populate(w, "ab ab ab b a a"); // a: 5 rows, b: 4
    take(w, 4, A);
    take(w, 5, A);

    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B)));
    kith_cursor c     = kith_query_begin(query);
    assert_walk(&c, "0 1 2");

    assert_int_equal(kith_query_report_of(query).lead, B);
    assert_int_equal(kith_query_report_of(query).rows, 4);
}

static void the_term_lead_names_the_rows_to_walk(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab ab b");
    swap_rows(w, B, 0, 2);

    assert_visits(w, "0 1 2", READ(A), READ(B));
    assert_visits(w, "2 1 0", READ(A), READ(B), LEAD(B));
    assert_visits(w, "2 1 0 3", LEAD(B));
    assert_visits(w, "2 1 0", LEAD(B), WITH(A));
    assert_visits(w, "", LEAD(B), READ(A), READ(C)); // no entity has c
    kith_component_enable(w->world, w->e[1], B, false);
    assert_visits(w, "2 0", LEAD(B), READ(A));
    assert_visits(w, "2 1 0", LEAD(B), READ(A), DISABLED(B));
}

// --- many components -------------------------------------------------------------------------

#define MANY 130u

static void register_many(small_world *w, kith_component *ids)
{
    for (uint32_t i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "many %u", i);
        kith_component_desc desc = bytes_desc(0, sizeof(uint32_t), sizeof(uint32_t));
        desc.name                = name;
        desc.kind                = i % 3 == 1 ? KITH_KIND_TAG : KITH_KIND_VALUE;
        desc.kind                = i % 3 == 2 ? KITH_KIND_FLAG : desc.kind;
        desc.size                = desc.kind == KITH_KIND_VALUE ? desc.size : 0;
        desc.alignment           = desc.kind == KITH_KIND_VALUE ? desc.alignment : 0;
        ids[i]                   = kith_component_register(w->world, &desc);
        assert_int_not_equal(ids[i], 0);
    }
}

static void components_beyond_the_first_word_work_in_every_role(void **state)
{
    small_world   *w = *state;
    kith_component x[MANY];
    register_many(w, x);
    populate(w, "a a a a -");
    const kith_component value = x[90], tag = x[100], flag = x[119], late = x[126];
    for (uint32_t i = 0; i < 4; i++) {
        kith_component_add(w->world, w->e[i], i < 3 ? value : late, NULL);
        kith_component_add(w->world, w->e[i], i % 2 == 0 ? tag : flag, NULL);
    }

    assert_visits(w, "0 1 2", READ(value));
    assert_visits(w, "0 2", READ(A), WITH(tag));
    assert_visits(w, "1 3", READ(A), WITH(flag));
    assert_visits(w, "0 2", READ(A), WITHOUT(flag));
    assert_visits(w, "3", READ(A), WITHOUT(value));
    assert_visits(w, "0 2 3", READ(A), ANY(tag, 0), ANY(late, 0));
    assert_visits(w, "0 1 2 3", READ(A), OPTIONAL(value), OPTIONAL(flag));
    assert_visits(w, "4", WITHOUT(value), WITHOUT(late));
    assert_visits(w, "1", WITH(flag), READ(value), WITHOUT(tag), WITHOUT(x[127]));
    kith_component_enable(w->world, w->e[2], value, false);
    assert_visits(w, "2 3", READ(A), WITHOUT(value));
}

static void a_query_has_up_to_64_terms(void **state)
{
    small_world   *w = *state;
    kith_component x[MANY];
    kith_term      terms[KITH_QUERY_TERMS_MAX];
    register_many(w, x);
    populate(w, "- - -");
    for (uint32_t i = 0; i < KITH_QUERY_TERMS_MAX; i++) {
        bool value = kith_component_describe(w->world, x[i])->kind == KITH_KIND_VALUE;
        terms[i]   = value ? (kith_term)READ(x[i]) : (kith_term)WITH(x[i]);
        kith_component_add(w->world, w->e[0], x[i], NULL);
        kith_component_add(w->world, w->e[2], x[i], NULL);
        if (i != 63) {
            kith_component_add(w->world, w->e[1], x[i], NULL);
        }
    }

    check_query(w->world, &(kith_query_desc){ "long", terms, KITH_QUERY_TERMS_MAX, 0 }, "0 2");
}

// --- asking without a loop -------------------------------------------------------------------

static void contains_answers_for_any_handle(void **state)
{
    small_world *w = *state;
    kith_entity  strangers[STRANGERS];
    populate(w, "ab a ab");
    kith_entity_destroy(w->world, w->e[2]);
    make_strangers(0, strangers);

    assert_true(kith_view_contains(w->world, QUERY(READ(A), READ(B)), w->e[0]));
    assert_false(kith_view_contains(w->world, QUERY(READ(A), READ(B)), w->e[1]));
    assert_false(kith_view_contains(w->world, QUERY(READ(A), READ(B)), w->e[2]));
    assert_false(kith_view_contains(w->world, ALL_ENTITIES, w->e[2]));
    for (size_t i = 0; i < STRANGERS; i++) {
        assert_false(kith_view_contains(w->world, QUERY(READ(A)), strangers[i]));
        assert_false(kith_view_contains(w->world, ALL_ENTITIES, strangers[i]));
        assert_false(kith_view_contains(w->world, QUERY(WITHOUT(C)), strangers[i]));
    }
    assert_int_equal(w->memory.errors, 0);
}

static void the_size_hint_is_the_smallest_included_component(void **state)
{
    small_world *w = *state;
    populate(w, "abt ab b b -");

    assert_int_equal(kith_view_size_hint(w->world, QUERY(READ(A), READ(B))), 2);
    assert_int_equal(kith_view_size_hint(w->world, QUERY(READ(B))), 4);
    assert_int_equal(kith_view_size_hint(w->world, QUERY(READ(B), WITH(T))), 1);
    assert_int_equal(kith_view_size_hint(w->world, QUERY(READ(B), LEAD(B), READ(A))), 2);
    assert_int_equal(kith_view_size_hint(w->world, ALL_ENTITIES), 5);
    assert_int_equal(kith_view_size_hint(w->world, QUERY(WITHOUT(A))), 5);
}

static void asking_in_a_loop_sees_the_present(void **state)
{
    small_world *w = *state;
    populate(w, "a a a");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));
    take(w, 0, A);
    spawn(w, "a");

    assert_int_equal(kith_view_count(w->world, QUERY(READ(A))), 3);
    assert_int_equal(kith_view_first(w->world, QUERY(READ(A))), w->e[1]);
    assert_true(kith_view_contains(w->world, QUERY(READ(A)), w->e[3]));
    assert_int_equal(kith_view_size_hint(w->world, QUERY(READ(A))), 3);
    check_reading(w->world, QUERY(READ(A)), "1 2 3");
    check_reading(w->world, QUERY(READ(A), WITHOUT(B)), "1 2 3");

    kith_cursor_end(&c);
}

// --- chunks ----------------------------------------------------------------------------------

#define assert_chunks(W, EXPECTED, ...)                                                            \
    do {                                                                                           \
        kith_cursor chunks_ = kith_view_begin((W)->world, QUERY(__VA_ARGS__));                     \
        assert_string_equal(walk_chunks(&chunks_).bytes, (EXPECTED));                              \
    } while (0)

static void chunks_end_with_their_pages(void **state)
{
    small_world *w = *state;
    populate_many(w, 10, "ab");

    assert_chunks(w, "0 1 2 3|4 5 6 7|8 9", READ(A));
    assert_chunks(w, "0 1 2 3|4 5 6 7|8 9", READ(A), WRITE(B));
}

static void chunks_of_pools_that_are_shifted_end_at_both_pages(void **state)
{
    small_world *w = *state;
    populate(w, "b ab ab ab ab ab ab");

    assert_chunks(w, "1 2 3|4|5 6", READ(A), READ(B));
}

static void chunks_split_where_the_order_differs(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab ab ab");
    swap_rows(w, B, 1, 2);
    kith_cursor c     = kith_view_begin(w->world, QUERY(READ(A), READ(B)));
    walk_text   found = { "" };

    while (kith_cursor_next_chunk(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            kith_entity entity = kith_cursor_entity(&c, i);
            walk_entity(&found, entity);
            assert_ptr_equal((tracked *)c.columns[0] + i, kith_component_get(w->world, entity, A));
            assert_ptr_equal((tracked *)c.columns[1] + i, kith_component_get(w->world, entity, B));
        }
    }

    assert_string_equal(found.bytes, "0 1 2 3");
}

static void chunks_split_where_an_optional_component_comes_or_goes(void **state)
{
    small_world *w = *state;
    populate(w, "a a ab ab a");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), OPTIONAL(B)));

    for (uint32_t seen = 0; kith_cursor_next_chunk(&c); seen += c.count) {
        for (uint32_t i = 0; i < c.count; i++) {
            const tracked *b = kith_component_get(w->world, w->e[seen + i], B);
            assert_int_equal(kith_cursor_entity(&c, i), w->e[seen + i]);
            assert_ptr_equal(c.columns[1] == NULL ? NULL : (tracked *)c.columns[1] + i, b);
        }
    }
}

static void chunks_leave_out_holes_and_the_rejected(small_world *w, bool stable)
{
    (void)stable;
    populate(w, "a a a a a af a a");
    kith_component_enable(w->world, w->e[6], A, false);
    kith_world_hold(w->world);
    take(w, 1, A);

    assert_chunks(w, "0|2 3|4|7", READ(A), WITHOUT(F));

    kith_world_release(w->world);
}

static void chunks_have_no_gaps(void **state)
{
    for_both_policies(*state, chunks_leave_out_holes_and_the_rejected);
}

static void the_entity_of_a_chunk_that_left_is_null(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab ab ab");
    kith_cursor c = kith_view_begin(w->world, QUERY(WRITE(A), READ(B)));
    assert_true(kith_cursor_next_chunk(&c));
    assert_int_equal(c.count, 4);

    kith_entity_destroy(w->world, w->e[1]);
    take(w, 2, B);
    take(w, 3, A);
    add_letters(w, w->e[3], "a"); // has it again, but in another row

    assert_int_equal(kith_cursor_entity(&c, 0), w->e[0]);
    assert_int_equal(kith_cursor_entity(&c, 1), KITH_NULL);
    assert_int_equal(kith_cursor_entity(&c, 2), KITH_NULL);
    assert_int_equal(kith_cursor_entity(&c, 3), KITH_NULL);
    assert_int_equal(((const tracked *)c.columns[0])[1].number, 1); // still to be read
    assert_int_equal(spawn(w, "ab"), handle(1, 2));
    assert_int_equal(kith_cursor_entity(&c, 1), KITH_NULL); // not the one in its slot
    assert_false(kith_cursor_next_chunk(&c));
}

static void the_entity_of_a_chunk_of_all_entities_that_left_is_null(void **state)
{
    small_world *w = *state;
    populate(w, "- a -");
    kith_cursor c = kith_view_begin(w->world, ALL_ENTITIES);
    assert_true(kith_cursor_next_chunk(&c));
    assert_int_equal(c.count, 3);

    kith_entity_destroy(w->world, w->e[1]);
    assert_int_equal(kith_cursor_entity(&c, 1), KITH_NULL);
    assert_int_equal(spawn(w, "-"), handle(1, 2));

    assert_int_equal(kith_cursor_entity(&c, 0), w->e[0]);
    assert_int_equal(kith_cursor_entity(&c, 1), KITH_NULL); // not the one in its slot
    assert_int_equal(kith_cursor_entity(&c, 2), w->e[2]);
    assert_false(kith_cursor_next_chunk(&c));
}

static void a_chunks_turn_is_when_it_is_handed_out(void **state)
{
    small_world *w = *state;
    populate_many(w, 8, "a");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));
    assert_true(kith_cursor_next_chunk(&c));

    take(w, 0, A);
    take(w, 5, A);
    spawn(w, "a");

    walk_text rest = walk_chunks(&c);
    assert_string_equal(rest.bytes, "4|6 7");
}

static void next_and_next_chunk_can_be_mixed(void **state)
{
    small_world *w = *state;
    populate_many(w, 12, "ab");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), READ(B)));

    assert_next(&c, w, 0);
    assert_true(kith_cursor_next_chunk(&c));
    assert_int_equal(c.entity, w->e[1]);
    uint32_t at = 1 + c.count;
    assert_next(&c, w, at);
    assert_ptr_equal(c.columns[0], kith_component_get(w->world, w->e[at], A));
    assert_next(&c, w, at + 1);
    assert_true(kith_cursor_next_chunk(&c));
    assert_int_equal(c.entity, w->e[at + 2]);

    kith_cursor_end(&c);
}

// --- reading ---------------------------------------------------------------------------------

static void reading_opens_no_loop(void **state)
{
    small_world *w = *state;
    void        *columns[2];
    populate(w, "ab a ab");
    kith_cursor c = kith_view_begin_read(w->world, QUERY(READ(A), READ(B)), columns);

    assert_next(&c, w, 0);
    assert_ptr_equal(c.columns[0], kith_component_get(w->world, w->e[0], A));
    assert_ptr_equal(c.columns[1], kith_component_get(w->world, w->e[0], B));
    assert_ptr_equal(c.columns, columns);
    assert_int_equal(kith_world_advance(w->world), 2); // not in the way

    kith_cursor_end(&c);
    assert_int_equal(kith_cursor_entity(&c, 0), KITH_NULL);
}

static void a_reading_walk_that_is_over_stays_so(void **state)
{
    small_world *w = *state;
    void        *columns[1];
    populate(w, "a");
    kith_cursor c = kith_view_begin_read(w->world, QUERY(READ(A)), columns);
    assert_walk(&c, "0");

    assert_false(kith_cursor_next(&c));
    assert_false(kith_cursor_next_chunk(&c));
    assert_int_equal(c.entity, KITH_NULL);
    assert_int_equal(c.count, 0);
    kith_cursor_end(&c);

    assert_error(w->world, KITH_OK); // a const world keeps no record
}

static void reading_leaves_out_holes_of_a_component_with_two_terms(void **state)
{
    small_world *w = *state;
    void        *columns[2];
    populate(w, "a a a a a");
    kith_cursor loop = kith_view_begin(w->world, QUERY(READ(A)));
    assert_next(&loop, w, 0);
    assert_true(kith_component_remove(w->world, w->e[2], A)); // leaves a hole
    const kith_query_desc *readers = QUERY(READ(A), LEAD(A));
    kith_cursor            c       = kith_view_begin_read(w->world, readers, columns);

    assert_walk(&c, "0 1 3 4");
    assert_int_equal(kith_view_count(w->world, readers), 4);

    kith_cursor_end(&loop);
}

static void reading_walks_nest_without_limit(void **state)
{
    small_world *w = *state;
    kith_cursor  cursors[100];
    void        *columns[100][1];
    populate(w, "a a a");
    const kith_query_desc *readers = QUERY(READ(A)); // lives as long as the walks
    for (uint32_t i = 0; i < 100; i++) {
        cursors[i] = kith_view_begin_read(w->world, readers, columns[i]);
    }

    for (uint32_t i = 0; i < 100; i++) {
        assert_walk(&cursors[i], "0 1 2");
    }
}

static void reading_is_for_queries_without_write_terms(void **state)
{
    small_world *w = *state;
    void        *columns[2];
    populate(w, "ab");
    uint32_t errors = w->memory.errors;

    kith_cursor c = kith_view_begin_read(w->world, QUERY(READ(A), WRITE(B)), columns);
    assert_true(c.failed);
    assert_false(kith_cursor_next(&c));
    c = kith_view_begin_read(w->world, QUERY(READ(A), OPTIONAL_WRITE(B)), columns);
    assert_true(c.failed);
    assert_false(kith_cursor_next_chunk(&c));

    assert_int_equal(w->memory.errors, errors + 2); // reported to the hook
    assert_error(w->world, KITH_OK);                // a const world keeps no record
}

static void reading_chunks_end_with_their_pages_too(void **state)
{
    small_world *w = *state;
    void        *columns[1];
    populate_many(w, 6, "a");
    kith_cursor c = kith_view_begin_read(w->world, QUERY(READ(A)), columns);

    for (uint32_t seen = 0; kith_cursor_next_chunk(&c); seen += c.count) {
        assert_true(c.count <= PAGE_ROWS - seen % PAGE_ROWS);
        for (uint32_t i = 0; i < c.count; i++) {
            assert_int_equal(kith_cursor_entity(&c, i), w->e[seen + i]);
            assert_int_equal(((const tracked *)columns[0])[i].number, seen + i);
        }
    }
}

static void reading_chunks_end_where_an_entity_is_skipped(void **state)
{
    small_world *w = *state;
    void        *columns[4];
    populate(w, "ab ab abt ab ab ab abt ab abf ab");
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B), WITHOUT(T)));

    kith_cursor c = kith_query_begin_read(query, columns);
    assert_string_equal(walk_chunks(&c).bytes, "0 1|3|4 5|7|8 9");
    c = kith_view_begin_read(w->world, QUERY(READ(A), READ(B), WITHOUT(T), WITHOUT(F)), columns);
    assert_string_equal(walk_chunks(&c).bytes, "0 1|3|4 5|7|9");

    kith_query_destroy(query);
}

static void reading_without_what_may_be_disabled(void **state)
{
    small_world *w = *state;
    populate(w, "a ab ab a");
    kith_component_enable(w->world, w->e[2], B, false);

    assert_visits(w, "0 2 3", READ(A), WITHOUT(B));
    assert_visits(w, "0 3", READ(A), WITHOUT(B), DISABLED(B));
    kith_component_enable(w->world, w->e[2], B, true);
    assert_visits(w, "0 3", READ(A), WITHOUT(B), DISABLED(B));
    assert_visits(w, "1 2", READ(A), READ(B), DISABLED(B), LEAD(B));
}

static void a_stored_query_is_read_without_a_loop(void **state)
{
    small_world *w = *state;
    void        *columns[2];
    char         said[200];
    populate(w, "ab a ab");
    kith_query *query       = kith_query_create(w->world, QUERY(READ(A), READ(B)));
    uint32_t    allocations = w->memory.allocations;
    kith_cursor c           = kith_query_begin_read(query, columns);

    assert_next(&c, w, 0);
    assert_ptr_equal(c.columns, columns);
    assert_ptr_equal(columns[0], kith_component_get(w->world, w->e[0], A));
    assert_ptr_equal(columns[1], kith_component_get(w->world, w->e[0], B));
    assert_int_equal(kith_world_advance(w->world), 2); // not in the way
    assert_next(&c, w, 2);
    assert_false(kith_cursor_next(&c));

    assert_int_equal(w->memory.allocations, allocations);
    kith_query_explain(query, said, sizeof said);
    assert_non_null(strstr(said, "no loop yet"));
    kith_query_destroy(query);

    uint32_t errors = w->memory.errors;
    assert_false(kith_cursor_next_chunk(&c)); // over: the query may be gone
    assert_int_equal(w->memory.errors, errors + 1);
}

static void reading_a_query_that_was_not_made_fails_quietly(void **state)
{
    small_world *w = *state;
    void        *columns[1];
    kith_cursor  c = kith_query_begin_read(NULL, columns);

    assert_true(c.failed);
    assert_false(kith_cursor_next(&c));
    assert_false(kith_cursor_next_chunk(&c));
    assert_int_equal(kith_cursor_entity(&c, 0), KITH_NULL);
    kith_cursor_end(&c);
    assert_int_equal(w->memory.errors, 0);
}

// --- memory ----------------------------------------------------------------------------------

static void walk_everything(small_world *w, kith_query *query)
{
    kith_cursor outer = kith_query_begin(query);
    while (kith_cursor_next(&outer)) {
        kith_cursor inner = kith_view_begin(w->world, QUERY(WRITE(A), OPTIONAL(B), WITHOUT(F)));
        while (kith_cursor_next_chunk(&inner)) {
            assert_true(inner.count > 0);
        }
    }
    assert_int_equal(kith_view_count(w->world, QUERY(READ(A), READ(B))), 20);
    assert_int_equal(kith_view_first(w->world, ALL_ENTITIES), w->e[0]);
}

static void a_steady_loop_asks_for_no_memory(void **state)
{
    small_world *w = *state;
    populate_many(w, 20, "ab");
    populate_many(w, 10, "af");
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B)));
    walk_everything(w, query);
    uint32_t allocations = w->memory.allocations;

    for (int i = 0; i < 5; i++) {
        walk_everything(w, query);
        kith_world_advance(w->world);
        swap_rows(w, B, 1, 2);
    }

    assert_int_equal(w->memory.allocations, allocations);
}

static void shrinking_the_world_frees_the_loops_memory(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab");
    size_t before = w->memory.live_bytes;
    check_query(w->world, ALL_ENTITIES, "0 1");
    assert_true(w->memory.live_bytes > before);

    assert_true(kith_world_shrink(w->world));

    assert_true(w->memory.live_bytes <= before);
    assert_int_equal(kith_world_memory(w->world, KITH_ALL).total, w->memory.live_bytes);
    check_query(w->world, ALL_ENTITIES, "0 1");
    assert_visits(w, "0 1", READ(A), READ(B));
}

static void each_depth_asks_for_memory_once(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab");
    uint32_t allocations = 0;
    for (int round = 0; round < 3; round++) {
        for (uint32_t depth = 0; depth < KITH_LOOP_DEPTH_MAX; depth++) {
            assert_false(kith_view_begin(w->world, QUERY(WRITE(A), READ(B))).failed);
        }
        kith_world_settle(w->world);
        assert_true(round == 0 || w->memory.allocations == allocations);
        allocations = w->memory.allocations;
    }
}

static void a_loop_that_cannot_get_memory_fails_and_leaves_no_trace(void **state)
{
    small_world   *w        = *state;
    uint32_t       failures = 0;
    kith_term      terms[KITH_QUERY_TERMS_MAX];
    kith_component x[MANY];
    register_many(w, x);
    for (uint32_t i = 0; i < KITH_QUERY_TERMS_MAX; i++) {
        terms[i] = (kith_term)OPTIONAL(x[i]);
    }
    const kith_query_desc wide = { "wide", terms, KITH_QUERY_TERMS_MAX, 0 };
    populate(w, "a a");
    for (uint32_t depth = 0; depth < KITH_LOOP_DEPTH_MAX; depth++) {
        w->memory.fail_all = true;
        kith_world_error_clear(w->world);
        kith_cursor c      = kith_view_begin(w->world, &wide);
        w->memory.fail_all = false;
        if (c.failed) {
            check_failed(w->world, &w->memory, c, KITH_ERROR_MEMORY);
            assert_false(kith_view_begin(w->world, &wide).failed);
            failures++;
        }
    }
    assert_true(failures > 0);

    assert_refused(&w->memory, w->world, KITH_ERROR_LIMIT, kith_world_hold(w->world));
    assert_true(kith_world_settle(w->world));
}

static void a_query_that_cannot_get_memory_is_not_made(void **state)
{
    small_world *w = *state;
    populate(w, "ab");
    for (uint32_t n = 1;; n++) {
        text   before = dump_world(w->world);
        size_t bytes  = w->memory.live_bytes;
        test_fail_after(&w->memory, n);
        kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B)));
        test_fail_after(&w->memory, 0);
        assert_unchanged(w->world, before);
        if (query != NULL) {
            assert_true(n > 1);
            break;
        }
        assert_error(w->world, KITH_ERROR_MEMORY);
        assert_int_equal(w->memory.live_bytes, bytes);
    }
}

// --- bad input -------------------------------------------------------------------------------

// The description is refused wherever a query can be asked, and nothing is half made.
static void check_bad(small_world *w, const kith_query_desc *desc, kith_error_code code,
                      const char *part)
{
    void *columns[2 * KITH_QUERY_TERMS_MAX];
    kith_cursor_end(&(kith_cursor[]){ kith_view_begin(w->world, desc) }[0]); // takes its room
    size_t bytes  = w->memory.live_bytes;
    text   before = dump_world(w->world);
    kith_world_error_clear(w->world);
    uint32_t errors = w->memory.errors;
    check_failed(w->world, &w->memory, kith_view_begin(w->world, desc), code);
    assert_error_says(w->world, code, part);
    assert_int_equal(w->memory.errors, errors + 1);
    assert_refused(&w->memory, w->world, code, kith_query_create(w->world, desc) != NULL);
    assert_error_says(w->world, code, part);

    errors = w->memory.errors;
    assert_true(kith_view_begin_read(w->world, desc, columns).failed);
    assert_int_equal(kith_view_first(w->world, desc), KITH_NULL);
    assert_int_equal(kith_view_count(w->world, desc), 0);
    assert_false(kith_view_contains(w->world, desc, w->e[0]));
    assert_int_equal(kith_view_size_hint(w->world, desc), 0);
    assert_int_equal(w->memory.errors, errors + 5);
    assert_int_equal(w->memory.live_bytes, bytes);
    assert_unchanged(w->world, before);
    assert_int_not_equal(kith_world_advance(w->world), 0); // no loop was left open
}

#define assert_bad(W, CODE, PART, ...) check_bad((W), QUERY(__VA_ARGS__), (CODE), (PART))

static void an_unknown_component_is_refused(void **state)
{
    small_world *w = *state;
    populate(w, "a");

    assert_bad(w, KITH_ERROR_UNREGISTERED, "component 99 is not registered", READ(A),
               WITHOUT(UNKNOWN));
    assert_bad(w, KITH_ERROR_UNREGISTERED, "component 0 is not registered", OPTIONAL(0));
    assert_bad(w, KITH_ERROR_UNREGISTERED, "4294967295", WITH(UINT32_MAX));
}

static void too_many_terms_are_refused(void **state)
{
    small_world *w = *state;
    kith_term    terms[KITH_QUERY_TERMS_MAX + 1];
    populate(w, "a");
    for (uint32_t i = 0; i < COUNT_OF(terms); i++) {
        terms[i] = (kith_term)READ(A);
    }

    check_bad(w, &(kith_query_desc){ "long", terms, COUNT_OF(terms), 0 }, KITH_ERROR_ARGUMENT,
              "64");
    check_bad(w, &(kith_query_desc){ "long", terms, UINT32_MAX, 0 }, KITH_ERROR_ARGUMENT, "long");
    check_bad(w, &(kith_query_desc){ "no terms", NULL, 1, 0 }, KITH_ERROR_ARGUMENT, "no terms");
}

static void the_same_component_twice_is_refused(void **state)
{
    small_world *w = *state;
    populate(w, "a");

    assert_bad(w, KITH_ERROR_ARGUMENT, "\"a\"", READ(A), WRITE(A));
    assert_bad(w, KITH_ERROR_ARGUMENT, "\"a\"", READ(A), READ(B), READ(A));
    assert_bad(w, KITH_ERROR_ARGUMENT, "\"b\"", OPTIONAL(B), READ(A), WITH(B));
    assert_bad(w, KITH_ERROR_ARGUMENT, "\"b\"", ANY(B, 0), ANY(B, 1));
    assert_bad(w, KITH_ERROR_ARGUMENT, "\"a\"", DISABLED(A), DISABLED(A));
    assert_bad(w, KITH_ERROR_ARGUMENT, "\"a\"", READ(A), LEAD(A), LEAD(A));
    assert_bad(w, KITH_ERROR_ARGUMENT, "\"a\"", CHANGED(A), READ(A), CHANGED(A));
}

static void contradicting_terms_are_refused(void **state)
{
    small_world *w = *state;
    populate(w, "a");

    assert_bad(w, KITH_ERROR_ARGUMENT, "\"a\"", READ(A), WITHOUT(A));
    assert_bad(w, KITH_ERROR_ARGUMENT, "\"f\"", WITHOUT(F), WITH(F));
    assert_bad(w, KITH_ERROR_ARGUMENT, "lead", READ(A), LEAD(A), READ(B), LEAD(B));
    assert_bad(w, KITH_ERROR_ARGUMENT, "lead", READ(A), WITHOUT(B), LEAD(B));
    assert_bad(w, KITH_ERROR_ARGUMENT, "lead", READ(A), OPTIONAL(B), LEAD(B));
    assert_bad(w, KITH_ERROR_ARGUMENT, "lead", READ(A), ANY(B, 0), LEAD(B));
    assert_bad(w, KITH_ERROR_ARGUMENT, "a required component", READ(A), WITHOUT(B), CHANGED(B));
    assert_bad(w, KITH_ERROR_ARGUMENT, "a required component", READ(A), OPTIONAL(B), CHANGED(B));
    assert_bad(w, KITH_ERROR_ARGUMENT, "any cannot ask for changes", READ(A), ANY(B, 0),
               CHANGED(B));
    assert_bad(w, KITH_ERROR_ARGUMENT, "any only reads", WRITE(B), ANY(B, 0));
    assert_bad(w, KITH_ERROR_ARGUMENT, "added needs a component with row ticks", READ(A), ADDED(A));
}

// Copies share their columns, so each step must find the values by itself.
static void a_copy_of_a_reading_cursor_gets_its_own_values(void **state)
{
    small_world *w = *state;
    populate_many(w, 6, "ab");
    void       *columns[2];
    kith_cursor c = kith_view_begin_read(w->world, QUERY(READ(A), READ(B)), columns);
    assert_next(&c, w, 0);
    kith_cursor copy = c;
    assert_next(&c, w, 1);
    assert_next(&c, w, 2);

    assert_next(&copy, w, 1);

    assert_ptr_equal(copy.columns[0], kith_component_get(w->world, w->e[1], A));
    assert_ptr_equal(copy.columns[1], kith_component_get(w->world, w->e[1], B));
    assert_next(&c, w, 3);
    assert_ptr_equal(c.columns[0], kith_component_get(w->world, w->e[3], A));
}

static void a_role_that_does_not_exist_is_refused(void **state)
{
    small_world *w = *state;
    populate(w, "a");

    assert_bad(w, KITH_ERROR_ARGUMENT, "role", { A, (kith_role)12, 0 });
    assert_bad(w, KITH_ERROR_ARGUMENT, "role", READ(B), { A, (kith_role)200, 0 });
}

static void values_of_what_has_none_are_refused(void **state)
{
    small_world *w = *state;
    populate(w, "a");

    assert_bad(w, KITH_ERROR_KIND, "\"t\" is a tag", READ(T));
    assert_bad(w, KITH_ERROR_KIND, "\"t\" is a tag", READ(A), WRITE(T));
    assert_bad(w, KITH_ERROR_KIND, "\"t\" is a tag", OPTIONAL_WRITE(T));
    assert_bad(w, KITH_ERROR_KIND, "\"f\" is a flag", READ(F));
    assert_bad(w, KITH_ERROR_KIND, "\"f\" is a flag", WRITE(F));
    assert_bad(w, KITH_ERROR_KIND, "\"f\" is a flag", OPTIONAL_WRITE(F));
    assert_bad(w, KITH_ERROR_KIND, "\"f\" is a flag", LEAD(F));
    assert_bad(w, KITH_ERROR_KIND, "\"f\" is a flag", READ(A), DISABLED(F));
    assert_bad(w, KITH_ERROR_KIND, "\"f\" is a flag", READ(A), CHANGED(F));
    assert_bad(w, KITH_ERROR_KIND, "\"f\" is a flag", ADDED(F));
}

static void a_singleton_has_no_entities_to_visit(void **state)
{
    small_world *w = *state;
    populate(w, "a");
    for (int role = KITH_ROLE_WITH; role <= KITH_ROLE_ADDED; role++) {
        assert_bad(w, KITH_ERROR_KIND, "\"s\" is a singleton", READ(A), { S, (kith_role)role, 0 });
    }
}

static void begin_from_hook(void *context)
{
    small_world *w = context;
    kith_cursor  c = kith_view_begin(w->world, QUERY(READ(B)));
    check_failed(w->world, &w->memory, c, KITH_ERROR_BUSY);
    assert_null(kith_query_create(w->world, QUERY(READ(B))));
    assert_error(w->world, KITH_ERROR_BUSY);
    kith_query_destroy(w->query);
    assert_int_equal(kith_view_count(w->world, QUERY(READ(B))), 1);
}

static void a_hook_cannot_begin_a_loop_but_may_ask(void **state)
{
    small_world *w = *state;
    populate(w, "b");
    w->query            = kith_query_create(w->world, QUERY(READ(A)));
    w->journal.intrude  = begin_from_hook;
    w->journal.intruder = w;

    add_letters(w, w->e[0], "a");

    w->journal.intrude = NULL;
    assert_int_equal(kith_world_advance(w->world), 2);
    kith_cursor c = kith_query_begin(w->query); // which is still there
    assert_walk(&c, "0");
    kith_query_destroy(w->query);
    assert_true(kith_query_destroy(NULL));
}

static void a_stored_query_is_begun_with_its_own_terms(void **state)
{
    small_world *w     = *state;
    kith_query  *query = kith_query_create(w->world, QUERY(READ(A)));
    populate(w, "ab");

    kith_step_ step = kith_step_of_(kith_step_begin_stored_(query, QUERY(READ(A), READ(B))));

    assert_int_equal(step.serial_, 0);
    assert_error(w->world, KITH_ERROR_ARGUMENT);
    step = kith_step_of_(kith_step_begin_stored_(query, QUERY(READ(A))));
    assert_int_not_equal(step.serial_, 0);
    kith_step_end_(&step);
}

// --- remembered plans ------------------------------------------------------------------------

static uint32_t visits_of(kith_world *world, const kith_query_desc *desc)
{
    uint32_t    visits = 0;
    kith_cursor c      = kith_view_begin(world, desc);
    while (kith_cursor_next(&c)) {
        visits++;
    }
    return c.failed ? UINT32_MAX : visits;
}

// The terms change at their address; then more terms than a remembered plan may have.
static void a_remembered_plan_is_for_its_terms_alone(void **state)
{
    small_world    *w        = *state;
    kith_term       terms[9] = { READ(A), READ(B) };
    kith_query_desc desc     = { .terms = terms, .term_count = 2 };
    populate(w, "a ab abc b");
    assert_int_equal(visits_of(w->world, &desc), 2);
    terms[1] = (kith_term)WITHOUT(B);
    assert_int_equal(visits_of(w->world, &desc), 1);
    desc.term_count = 1;
    assert_int_equal(visits_of(w->world, &desc), 3);
    terms[0].component = 99;
    assert_int_equal(visits_of(w->world, &desc), UINT32_MAX);
    register_one(w->world,
                 (kith_component_desc){ .name = "late", .id = 99, .size = 4, .alignment = 4 });
    assert_int_equal(visits_of(w->world, &desc), 0);
    static const kith_term many[] = { READ(A),     DISABLED(A), LEAD(A),
                                      OPTIONAL(B), DISABLED(B), OPTIONAL(C),
                                      DISABLED(C), OPTIONAL(T), OPTIONAL(F) };
    for (uint32_t count = COUNT_OF(many); count > 0; count--) {
        memcpy(terms, many, sizeof many);
        desc.term_count = count;
        assert_int_equal(visits_of(w->world, &desc), 3);
    }
}

static const kith_term       both[]    = { READ(A), READ(B) };
static const kith_query_desc both_desc = { .terms = both, .term_count = 2 };

static void visit_both(const kith_turn *turn)
{
    *(uint32_t *)turn->context = visits_of(turn->world, &both_desc);
}

// The plan was made before: the access of the running system counts.
static void a_remembered_plan_needs_declared_components(void **state)
{
    small_world     *w       = *state;
    uint32_t         visits  = 7;
    kith_component   reads[] = { A, B };
    kith_system_desc desc    = {
           .name = "s", .run = visit_both, .context = &visits, .reads = reads, .read_count = 1
    };
    populate(w, "a ab abc b");
    assert_int_equal(visits_of(w->world, &both_desc), 2);
    assert_true(kith_schedule_configure(w->world, &(kith_schedule_desc){ .checked = true }));
    kith_system *system = kith_system_create(w->world, &desc);
    assert_true(kith_schedule_run(w->world, 1));
    assert_int_equal(visits, UINT32_MAX);
    assert_true(kith_system_destroy(system));
    desc.read_count = 2;
    assert_non_null(kith_system_create(w->world, &desc));
    assert_true(kith_schedule_run(w->world, 1));
    assert_int_equal(visits, 2);
}

static void the_name_of_a_view_may_go_while_its_loop_is_open(void **state)
{
    small_world    *w      = *state;
    char            name[] = "mine";
    kith_query_desc desc   = { .name = name, .terms = both, .term_count = 2 };
    populate(w, "ab");
    kith_cursor c = kith_view_begin(w->world, &desc);
    memset(name, '?', sizeof name - 1);
    assert_false(kith_component_compact(w->world, A));
    assert_non_null(strstr(kith_world_error(w->world).other, "mine"));
    kith_cursor_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_SMALL(included_components_must_be_there),
        TEST_SMALL(columns_give_the_values_of_the_present_entity),
        TEST_SMALL(excluded_components_must_be_absent),
        TEST_SMALL(optional_components_decide_nothing),
        TEST_SMALL(one_alternative_of_each_group_must_be_there),
        TEST_SMALL(alternatives_have_columns_as_optional_ones),
        TEST_SMALL(more_groups_of_alternatives_than_a_word_has_room_for),
        TEST_SMALL(tags_can_be_asked_for_in_every_role_without_a_value),
        TEST_SMALL(flags_can_be_asked_for_with_without_optional_and_any),
        TEST_SMALL(queries_without_a_component_that_has_rows_walk_all_entities),
        TEST_SMALL(an_empty_query_may_have_terms_that_point_anywhere),
        TEST_SMALL(all_entities_are_visited_beyond_one_page),
        TEST_SMALL(to_a_query_a_disabled_component_is_absent),
        TEST_SMALL(a_disabled_optional_column_is_null),
        TEST_SMALL(the_term_disabled_makes_it_count),
        TEST_SMALL(the_component_with_the_fewest_rows_leads),
        TEST_SMALL(holes_count_as_rows),
        TEST_SMALL(the_term_lead_names_the_rows_to_walk),
        TEST_SMALL(components_beyond_the_first_word_work_in_every_role),
        TEST_SMALL(a_query_has_up_to_64_terms),
        TEST_SMALL(contains_answers_for_any_handle),
        TEST_SMALL(the_size_hint_is_the_smallest_included_component),
        TEST_SMALL(asking_in_a_loop_sees_the_present),
        TEST_SMALL(chunks_end_with_their_pages),
        TEST_SMALL(chunks_of_pools_that_are_shifted_end_at_both_pages),
        TEST_SMALL(chunks_split_where_the_order_differs),
        TEST_SMALL(chunks_split_where_an_optional_component_comes_or_goes),
        TEST_SMALL(chunks_have_no_gaps),
        TEST_SMALL(the_entity_of_a_chunk_that_left_is_null),
        TEST_SMALL(the_entity_of_a_chunk_of_all_entities_that_left_is_null),
        TEST_SMALL(a_chunks_turn_is_when_it_is_handed_out),
        TEST_SMALL(next_and_next_chunk_can_be_mixed),
        TEST_SMALL(reading_opens_no_loop),
        TEST_SMALL(a_reading_walk_that_is_over_stays_so),
        TEST_SMALL(reading_leaves_out_holes_of_a_component_with_two_terms),
        TEST_SMALL(reading_walks_nest_without_limit),
        TEST_SMALL(reading_is_for_queries_without_write_terms),
        TEST_SMALL(reading_chunks_end_with_their_pages_too),
        TEST_SMALL(reading_chunks_end_where_an_entity_is_skipped),
        TEST_SMALL(reading_without_what_may_be_disabled),
        TEST_SMALL(a_stored_query_is_read_without_a_loop),
        TEST_SMALL(reading_a_query_that_was_not_made_fails_quietly),
        TEST_SMALL(a_steady_loop_asks_for_no_memory),
        TEST_SMALL(shrinking_the_world_frees_the_loops_memory),
        TEST_SMALL(each_depth_asks_for_memory_once),
        TEST_SMALL(a_loop_that_cannot_get_memory_fails_and_leaves_no_trace),
        TEST_SMALL(a_query_that_cannot_get_memory_is_not_made),
        TEST_SMALL(an_unknown_component_is_refused),
        TEST_SMALL(too_many_terms_are_refused),
        TEST_SMALL(the_same_component_twice_is_refused),
        TEST_SMALL(contradicting_terms_are_refused),
        TEST_SMALL(a_copy_of_a_reading_cursor_gets_its_own_values),
        TEST_SMALL(a_role_that_does_not_exist_is_refused),
        TEST_SMALL(values_of_what_has_none_are_refused),
        TEST_SMALL(a_singleton_has_no_entities_to_visit),
        TEST_SMALL(a_hook_cannot_begin_a_loop_but_may_ask),
        TEST_SMALL(a_stored_query_is_begun_with_its_own_terms),
        TEST_SMALL(a_remembered_plan_is_for_its_terms_alone),
        TEST_SMALL(a_remembered_plan_needs_declared_components),
        TEST_SMALL(the_name_of_a_view_may_go_while_its_loop_is_open),
    };
    return cmocka_run_group_tests_name("query", tests, NULL, NULL);
}
