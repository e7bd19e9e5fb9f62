// SPDX-License-Identifier: MIT
// Page stamps: which calls mark a page as written in the present tick, and which do not.
#include "query_test.h"

// --- stamps as text --------------------------------------------------------------------------

// "1 3": the stamp of each page in use.
static walk_text stamps_of(const kith_world *world, kith_component component, uint32_t page_rows)
{
    walk_text out  = { "" };
    uint32_t  rows = kith_component_stats(world, component).rows;
    for (uint32_t row = 0; row < rows; row += page_rows) {
        uint64_t stamp = kith_component_stamp(world, component, row);
        for (uint32_t i = row; i < row + page_rows && i < rows; i++) {
            assert_int_equal(kith_component_stamp(world, component, i), stamp);
        }
        walk_add(&out, row == 0 ? "%u" : " %u", (uint32_t)stamp);
    }
    assert_int_equal(kith_component_stamp(world, component, rows), 0);
    return out;
}

#define assert_stamps(W, COMPONENT, EXPECTED)                                                      \
    assert_string_equal(stamps_of((W)->world, (COMPONENT), PAGE_ROWS).bytes, (EXPECTED))

// Three pages of a and b, stamped in tick 1; the present tick is 2.
static void three_pages(small_world *w)
{
    populate_many(w, 12, "ab");
    assert_stamps(w, A, "1 1 1");
    assert_int_equal(kith_world_advance(w->world), 2);
}

// --- reading ---------------------------------------------------------------------------------

static void reading_stamps_nothing(void **state)
{
    small_world *w = *state;
    const void  *values[12];
    three_pages(w);

    kith_component_get(w->world, w->e[0], A);
    kith_component_has(w->world, w->e[0], A);
    kith_component_value(w->world, A, 4);
    kith_component_entity(w->world, A, 4);
    kith_component_owner(w->world, A, kith_component_value(w->world, A, 4));
    kith_component_get_many(w->world, A, w->e, 12, values);
    kith_component_add(w->world, w->e[5], A, NULL);
    kith_component_add(w->world, w->e[5], A, NULL);
    kith_component_reserve(w->world, A, 40);
    check_reading(w->world, QUERY(READ(A), OPTIONAL(B)), "0 1 2 3 4 5 6 7 8 9 10 11");
    assert_int_equal(kith_view_count(w->world, QUERY(WRITE(A), WRITE(B))), 12);
    kith_view_first(w->world, QUERY(WRITE(A)));
    assert_visits(w, "0 1 2 3 4 5 6 7 8 9 10 11", READ(A), WITH(B));

    assert_stamps(w, A, "1 1 1");
    assert_stamps(w, B, "1 1 1");
}

static void hiding_rows_stamps_nothing(void **state)
{
    small_world *w = *state;
    three_pages(w);

    kith_component_enable(w->world, w->e[0], A, false);
    kith_component_enable(w->world, w->e[0], A, true);

    assert_stamps(w, A, "1 1 1");
}

// --- single calls ----------------------------------------------------------------------------

static void set_patch_and_mut_stamp_the_page_of_the_row(void **state)
{
    small_world *w = *state;
    three_pages(w);

    set_tracked(w->world, w->e[4], A, 4);
    assert_stamps(w, A, "1 2 1");
    kith_world_advance(w->world);
    kith_component_patch(w->world, w->e[0], A, change_nothing, NULL);
    assert_stamps(w, A, "3 2 1");
    kith_world_advance(w->world);
    kith_component_mut(w->world, w->e[11], A);
    assert_stamps(w, A, "3 2 4");
    assert_stamps(w, B, "1 1 1");
}

static void a_call_that_fails_stamps_nothing(void **state)
{
    small_world *w = *state;
    three_pages(w);

    w->journal.fail_copy = 1;
    assert_null(set_tracked(w->world, w->e[0], A, 1));
    assert_null(kith_component_mut(w->world, KITH_NULL, A));
    assert_null(kith_component_patch(w->world, handle(90, 1), A, change_nothing, NULL));

    assert_stamps(w, A, "1 1 1");
}

static void adding_stamps_the_page_of_the_new_row(void **state)
{
    small_world *w = *state;
    three_pages(w);

    spawn(w, "a");
    assert_stamps(w, A, "1 1 1 2");
    kith_world_advance(w->world);
    kith_component_add(w->world, spawn(w, "-"), A, NULL);
    kith_component_add(w->world, spawn(w, "-"), B, NULL);
    assert_stamps(w, A, "1 1 1 3");
    assert_stamps(w, B, "1 1 1 3");
}

static void tags_have_stamps_too(void **state)
{
    small_world *w = *state;
    populate(w, "t t");
    kith_world_advance(w->world);
    assert_int_equal(kith_component_stamp(w->world, T, 0), 1);

    add_letters(w, spawn(w, "-"), "t");

    assert_int_equal(kith_component_stamp(w->world, T, 0), 2);
}

static void components_registered_later_start_in_the_present_tick(void **state)
{
    small_world *w = *state;
    populate(w, "-");
    kith_world_advance(w->world);
    kith_world_advance(w->world);
    register_one(w->world, bytes_desc(50, 8, 8));

    kith_component_add(w->world, w->e[0], 50, NULL);

    assert_int_equal(kith_component_stamp(w->world, 50, 0), 3);
}

// --- rows that go and move -------------------------------------------------------------------

static void removing_the_last_row_stamps_nothing(void **state)
{
    small_world *w = *state;
    three_pages(w);

    take(w, 11, A);

    assert_stamps(w, A, "1 1 1");
}

static void a_row_that_fills_a_gap_stamps_the_page_of_the_gap(void **state)
{
    small_world *w = *state;
    three_pages(w);

    take(w, 1, A);
    assert_stamps(w, A, "2 1 1");
    kith_world_advance(w->world);
    kith_entity_destroy(w->world, w->e[5]);
    assert_stamps(w, A, "2 3 1");
    assert_stamps(w, B, "1 3 1");
}

static void a_hole_is_stamped_when_it_is_made(small_world *w, bool stable)
{
    (void)stable;
    three_pages(w);
    kith_world_hold(w->world);

    take(w, 5, A);
    assert_stamps(w, A, "1 2 1");
    kith_entity_destroy(w->world, w->e[11]);
    assert_stamps(w, A, "1 2 2");
    assert_stamps(w, B, "1 1 2");

    kith_world_release(w->world);
    assert_stamps(w, A, "1 2 2");
}

static void holes_stamp_their_page(void **state)
{
    for_both_policies(*state, a_hole_is_stamped_when_it_is_made);
}

static void a_stable_pool_stamps_holes_and_what_takes_them(void **state)
{
    small_world *w = stable_world(*state);
    three_pages(w);

    take(w, 0, A);
    assert_stamps(w, A, "2 1 1");
    kith_world_advance(w->world);
    take(w, 11, A);
    assert_stamps(w, A, "2 1 3");
    kith_world_advance(w->world);
    add_letters(w, w->e[0], "a"); // into the newest hole
    assert_stamps(w, A, "2 1 4");
    kith_world_advance(w->world);
    assert_true(kith_component_compact(w->world, A));
    assert_stamps(w, A, "5 1 4"); // the last row moved into the gap of the first page
}

static void exchanging_rows_stamps_both_pages(void **state)
{
    small_world *w = *state;
    three_pages(w);

    kith_component_swap(w->world, A, w->e[0], w->e[9]);

    assert_stamps(w, A, "2 1 2");
}

static void a_cleared_pool_is_stamped_anew(void **state)
{
    small_world *w = *state;
    three_pages(w);
    kith_component_clear(w->world, A);
    assert_stamps(w, A, "");
    kith_world_advance(w->world);

    add_letters(w, w->e[0], "a");
    assert_stamps(w, A, "3");

    kith_component_clear(w->world, A);
    kith_component_shrink(w->world, A);
    kith_world_advance(w->world);
    add_letters(w, w->e[0], "a");
    assert_stamps(w, A, "4");
}

// --- columns for writing ---------------------------------------------------------------------

static void a_row_stamps_its_page_when_it_is_handed_out(void **state)
{
    small_world *w = *state;
    three_pages(w);
    kith_cursor c = kith_view_begin(w->world, QUERY(WRITE(A), READ(B)));
    assert_stamps(w, A, "1 1 1");

    for (uint32_t i = 0; i < 4; i++) {
        assert_next(&c, w, i);
        assert_stamps(w, A, "2 1 1");
    }
    assert_next(&c, w, 4);
    assert_stamps(w, A, "2 2 1");

    kith_cursor_end(&c);
    assert_stamps(w, A, "2 2 1");
    assert_stamps(w, B, "1 1 1");
}

static void a_chunk_stamps_its_pages_when_it_is_handed_out(void **state)
{
    small_world *w = *state;
    three_pages(w);
    kith_cursor c = kith_view_begin(w->world, QUERY(WRITE(A), READ(B)));

    assert_true(kith_cursor_next_chunk(&c));
    assert_stamps(w, A, "2 1 1");
    assert_true(kith_cursor_next_chunk(&c));
    assert_stamps(w, A, "2 2 1");

    kith_cursor_end(&c);
    assert_stamps(w, B, "1 1 1");
}

static void rejected_rows_stamp_nothing(void **state)
{
    small_world *w = *state;
    three_pages(w);
    for (uint32_t i = 4; i < 8; i++) {
        add_letters(w, w->e[i], "f");
    }
    kith_component_enable(w->world, w->e[11], A, false);

    assert_visits(w, "0 1 2 3 8 9 10", WRITE(A), WITHOUT(F));

    assert_stamps(w, A, "2 1 2");
}

// Rows in another order: each is looked up, and only pages of rows handed out are stamped.
static void shuffle_b(small_world *w)
{
    for (uint32_t i = 0; i < 6; i++) {
        kith_component_swap(w->world, B, w->e[i], w->e[11 - i]);
    }
    kith_world_advance(w->world);
}

static void gathered_rows_stamp_the_pages_that_they_are_in(void **state)
{
    small_world *w = *state;
    three_pages(w);
    shuffle_b(w);
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), WRITE(B)));

    assert_stamps(w, B, "2 2 2");
    assert_next(&c, w, 0);
    assert_stamps(w, B, "2 2 3");
    for (uint32_t i = 1; i < 5; i++) {
        assert_next(&c, w, i);
    }
    assert_stamps(w, B, "2 3 3");

    kith_cursor_end(&c);
    assert_stamps(w, A, "1 1 1");
}

static void an_optional_column_for_writing_stamps_where_it_is_present(void **state)
{
    small_world *w = *state;
    three_pages(w);
    take(w, 11, B);
    kith_component_enable(w->world, w->e[0], B, false);
    for (uint32_t i = 1; i < 4; i++) {
        kith_component_enable(w->world, w->e[i], B, false);
    }

    assert_visits(w, "0 1 2 3 4 5 6 7 8 9 10 11", READ(A), OPTIONAL_WRITE(B));

    assert_stamps(w, B, "1 2 2"); // the first page has no row that was there for the query
    assert_stamps(w, A, "1 1 1");
}

static void stored_queries_stamp_each_time(void **state)
{
    small_world *w     = *state;
    kith_query  *query = kith_query_create(w->world, QUERY(WRITE(A), READ(B)));
    three_pages(w);
    for (uint32_t tick = 2; tick < 6; tick++) {
        kith_cursor c = kith_query_begin(query);

        walk_chunks(&c);

        assert_int_equal(kith_component_stamp(w->world, A, 0), tick);
        assert_int_equal(kith_component_stamp(w->world, A, 8), tick);
        kith_world_advance(w->world);
        c = kith_query_begin(query);
        assert_next(&c, w, 0);
        kith_cursor_end(&c);
        assert_int_equal(kith_component_stamp(w->world, A, 0), tick + 1);
        assert_int_equal(kith_component_stamp(w->world, A, 8), tick);
    }
    assert_stamps(w, B, "1 1 1");
}

static void a_block_resolved_ahead_stamps_nothing_ahead(void **state)
{
    small_world *w = *state;
    three_pages(w);
    kith_cursor c = kith_view_begin(w->world, QUERY(WRITE(A), READ(B)));
    assert_next(&c, w, 0);

    for (uint32_t i = 4; i < 12; i++) { // gone before their turn
        take(w, i, B);
    }

    assert_walk(&c, "1 2 3");
    assert_stamps(w, A, "2 1 1");
}

// --- typed code ------------------------------------------------------------------------------

enum { PLACE = 41, SPEED };

static const kith_traits small_pages = { .page_rows = PAGE_ROWS };
KITH_COMPONENT_WITH(place, vec2, PLACE, small_pages);
KITH_COMPONENT_WITH(speed, vec2, SPEED, small_pages);
KITH_QUERY(movers, write(place), read(speed));
KITH_QUERY(pushed, read(place), write(speed));
KITH_QUERY(maybe_pushed, read(place), optional_write(speed));

static void three_typed_pages(small_world *w)
{
    assert_true(place_register(w->world) && speed_register(w->world));
    for (uint32_t i = 0; i < 12; i++) {
        kith_entity entity = spawn(w, "-");
        place_set(w->world, entity, (vec2){ (float)i, 0 });
        speed_set(w->world, entity, (vec2){ 1, 0 });
    }
    assert_stamps(w, PLACE, "1 1 1");
    kith_world_advance(w->world);
}

static void typed_calls_stamp_as_the_others_do(void **state)
{
    small_world *w = *state;
    three_typed_pages(w);

    assert_non_null(place_get(w->world, w->e[0]));
    assert_true(place_has(w->world, w->e[0]));
    assert_stamps(w, PLACE, "1 1 1");
    place_set(w->world, w->e[0], (vec2){ 5, 5 });
    assert_stamps(w, PLACE, "2 1 1");
    place_mut(w->world, w->e[8])->x = 5;
    assert_stamps(w, PLACE, "2 1 2");
    kith_world_advance(w->world);
    kith_entity fresh = spawn(w, "-");
    place_set(w->world, fresh, (vec2){ 0, 0 });
    assert_stamps(w, PLACE, "2 1 2 3");
    assert_int_equal(place_stamp(w->world, 12), 3);
}

static void typed_cursors_stamp_as_the_others_do(void **state)
{
    small_world *w = *state;
    three_typed_pages(w);
    movers m = movers_begin(w->world);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(movers_next(&m));
        assert_stamps(w, PLACE, "2 1 1");
    }
    assert_true(movers_next(&m));
    assert_stamps(w, PLACE, "2 2 1");
    movers_end(&m);

    kith_world_advance(w->world);
    movers c = movers_begin(w->world);
    assert_true(movers_next_chunk(&c));
    assert_stamps(w, PLACE, "3 2 1");
    movers_end(&c);
    assert_stamps(w, SPEED, "1 1 1");
}

static void typed_cursors_stamp_gathered_rows(void **state)
{
    small_world *w = *state;
    three_typed_pages(w);
    for (uint32_t i = 0; i < 6; i++) {
        speed_swap(w->world, w->e[i], w->e[11 - i]);
    }
    kith_world_advance(w->world);
    pushed p = pushed_begin(w->world);

    assert_true(pushed_next(&p));
    assert_stamps(w, SPEED, "2 2 3");
    for (uint32_t i = 1; i < 5; i++) {
        assert_true(pushed_next(&p));
        assert_ptr_equal(p.speed, speed_get(w->world, w->e[i]));
    }
    assert_stamps(w, SPEED, "2 3 3");
    pushed_end(&p);

    kith_world_advance(w->world);
    speed_remove(w->world, w->e[11]); // the last row, of the last entity, fills the first
    kith_world_advance(w->world);
    maybe_pushed o = maybe_pushed_begin(w->world);
    while (maybe_pushed_next(&o)) {
        assert_ptr_equal(o.speed, speed_get(w->world, o.entity));
    }
    assert_stamps(w, SPEED, "5 5 5");
}

static void adding_a_tag_that_is_there_stamps_nothing(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    frozen_add(f->world, ship);
    kith_world_advance(f->world);

    frozen_add(f->world, ship);
    kith_component_add(f->world, ship, FROZEN, NULL);

    assert_int_equal(frozen_stamp(f->world, 0), 1);
}

// --- bad input -------------------------------------------------------------------------------

static void components_without_pages_have_no_stamp(void **state)
{
    small_world *w = *state;
    populate(w, "atf");
    uint32_t errors = w->memory.errors;

    assert_int_equal(kith_component_stamp(w->world, F, 0), 0);
    assert_int_equal(kith_component_stamp(w->world, S, 0), 0);
    assert_int_equal(kith_component_stamp(w->world, UNKNOWN, 0), 0);

    assert_int_equal(w->memory.errors, errors + 3);
    assert_error(w->world, KITH_OK);
    assert_int_equal(kith_component_stamp(w->world, A, 1), 0);
    assert_int_equal(kith_component_stamp(w->world, A, UINT32_MAX), 0);
    assert_int_equal(w->memory.errors, errors + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_SMALL(reading_stamps_nothing),
        TEST_SMALL(hiding_rows_stamps_nothing),
        TEST_SMALL(set_patch_and_mut_stamp_the_page_of_the_row),
        TEST_SMALL(a_call_that_fails_stamps_nothing),
        TEST_SMALL(adding_stamps_the_page_of_the_new_row),
        TEST_SMALL(tags_have_stamps_too),
        TEST_SMALL(components_registered_later_start_in_the_present_tick),
        TEST_SMALL(removing_the_last_row_stamps_nothing),
        TEST_SMALL(a_row_that_fills_a_gap_stamps_the_page_of_the_gap),
        TEST_SMALL(holes_stamp_their_page),
        TEST_SMALL(a_stable_pool_stamps_holes_and_what_takes_them),
        TEST_SMALL(exchanging_rows_stamps_both_pages),
        TEST_SMALL(a_cleared_pool_is_stamped_anew),
        TEST_SMALL(a_row_stamps_its_page_when_it_is_handed_out),
        TEST_SMALL(a_chunk_stamps_its_pages_when_it_is_handed_out),
        TEST_SMALL(rejected_rows_stamp_nothing),
        TEST_SMALL(gathered_rows_stamp_the_pages_that_they_are_in),
        TEST_SMALL(an_optional_column_for_writing_stamps_where_it_is_present),
        TEST_SMALL(stored_queries_stamp_each_time),
        TEST_SMALL(a_block_resolved_ahead_stamps_nothing_ahead),
        TEST_SMALL(typed_calls_stamp_as_the_others_do),
        TEST_SMALL(typed_cursors_stamp_as_the_others_do),
        TEST_SMALL(typed_cursors_stamp_gathered_rows),
        TEST_WORLD(adding_a_tag_that_is_there_stamps_nothing),
        TEST_SMALL(components_without_pages_have_no_stamp),
    };
    return cmocka_run_group_tests_name("page_stamp", tests, NULL, NULL);
}
