// SPDX-License-Identifier: MIT
// What a user of EnTT expects of signals, views and changes while iterating, with kith's answers.
// "There" is EnTT.
#include "conformance_test.h"

// --- 5. signals ------------------------------------------------------------------------------

// Listeners that write one letter each.
typedef struct signals {
    test_fixture *f;
    char          reported[64];
} signals;

typedef struct ear {
    signals      *log;
    char          letter;
    kith_listener cut; // disconnected when it is called
} ear;

static void record_letter(kith_world *world, const kith_notice *notice, void *context)
{
    const ear *one    = context;
    size_t     length = strlen(one->log->reported);
    (void)notice;
    assert_true(length + 1 < sizeof one->log->reported);
    one->log->reported[length] = one->letter;
    kith_listener_disconnect(world, one->cut);
}

static void record_index(kith_world *world, const kith_notice *notice, void *context)
{
    ear one = { context, (char)('0' + kith_entity_index(notice->entity)), 0 };
    record_letter(world, notice, &one);
}

#define assert_signals(LOG, EXPECTED)                                                              \
    do {                                                                                           \
        assert_string_equal((LOG)->reported, (EXPECTED));                                          \
        memset((LOG)->reported, 0, sizeof(LOG)->reported);                                         \
    } while (0)

// There: the newest first.
static void signals_are_delivered_oldest_connection_first(void **state)
{
    signals log    = { .f = *state };
    ear     ears[] = { { &log, 'a', 0 }, { &log, 'b', 0 }, { &log, 'c', 0 } };
    for (size_t i = 0; i < COUNT_OF(ears); i++) {
        position_on_add(log.f->world, record_letter, &ears[i]);
    }

    position_add(log.f->world, kith_entity_create(log.f->world));

    assert_signals(&log, "abc");
}

// There: the last one takes the place of the one that left.
static void signals_keep_their_order_when_one_disconnects(void **state)
{
    signals log    = { .f = *state };
    ear     ears[] = { { &log, 'a', 0 }, { &log, 'b', 0 }, { &log, 'c', 0 }, { &log, 'd', 0 } };
    kith_listener listeners[COUNT_OF(ears)];
    for (size_t i = 0; i < COUNT_OF(ears); i++) {
        listeners[i] = position_on_add(log.f->world, record_letter, &ears[i]);
    }
    ears[1].cut = listeners[1]; // itself
    ears[2].cut = listeners[0]; // another

    position_add(log.f->world, kith_entity_create(log.f->world));
    assert_signals(&log, "abcd");
    position_add(log.f->world, kith_entity_create(log.f->world));
    assert_signals(&log, "cd");
}

// There: single removal, destruction of a range and clear each have an order of their own.
static void signals_of_every_way_to_remove_follow_the_rows(void **state)
{
    signals     log = { .f = *state };
    kith_entity all[3];
    create_many(log.f->world, all, 3);
    for (int i = 2; i >= 0; i--) {
        position_add(log.f->world, all[i]);
    }
    position_on_remove(log.f->world, record_index, &log);

    position_remove(log.f->world, all[2]);
    assert_signals(&log, "2");
    position_add(log.f->world, all[2]);
    position_clear(log.f->world);
    assert_signals(&log, "012"); // rows: 0, 1, and 2 at the end
}

// There: in reverse order of the pools, and the entity's own after its components are gone.
static void signals_of_destroying_come_by_registration_with_everything_there(void **state)
{
    signals     log    = { .f = *state };
    ear         ears[] = { { &log, 'v', 0 }, { &log, 'p', 0 }, { &log, 'd', 0 } };
    kith_entity ship   = kith_entity_create(log.f->world);
    velocity_set(log.f->world, ship, (vec2){ 0, 0 });
    position_set(log.f->world, ship, (vec2){ 0, 0 });
    velocity_on_remove(log.f->world, record_letter, &ears[0]);
    position_on_remove(log.f->world, record_letter, &ears[1]);
    const kith_listener_desc going = { KITH_EVENT_DESTROY, 0, record_letter, &ears[2], 0, NULL };
    kith_listener_connect(log.f->world, &going);

    kith_entity_destroy(log.f->world, ship);

    assert_signals(&log, "pvd");
}

static void remove_the_new_one(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    assert_true(kith_component_remove(world, notice->entity, notice->component));
}

// There: forbidden.
static void signals_may_remove_what_was_just_added(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    position_on_add(f->world, remove_the_new_one, NULL);

    assert_null(position_set(f->world, ship, (vec2){ 1, 1 }));

    assert_false(position_has(f->world, ship));
    assert_error(f->world, KITH_OK);
}

// There: a write through a reference is never reported, and every patch is, changed or not.
static void signals_of_change_come_from_set_and_patch_alone(void **state)
{
    signals     log  = { .f = *state };
    kith_entity ship = kith_entity_create(log.f->world);
    health_set(log.f->world, ship, 1);
    health_on_set(log.f->world, record_index, &log);

    *health_mut(log.f->world, ship) = 2;
    assert_signals(&log, "");
    health_set(log.f->world, ship, 2);
    assert_signals(&log, "0");
    health_patch(log.f->world, ship, double_health, NULL);
    assert_signals(&log, "0");
}

// --- 7. views --------------------------------------------------------------------------------

// Positions on all five, velocities on the last two, in the other order.
static void view_fixture(test_fixture *f, kith_entity *all)
{
    create_many(f->world, all, 5);
    for (uint32_t i = 0; i < 5; i++) {
        position_set(f->world, all[i], (vec2){ (float)i, 0 });
    }
    velocity_set(f->world, all[4], (vec2){ 0, 0 });
    velocity_set(f->world, all[3], (vec2){ 0, 0 });
}

// There: the lead is chosen when the view is made and stays.
static void views_choose_their_lead_at_each_begin(void **state)
{
    test_fixture *f = *state;
    kith_entity   all[5];
    view_fixture(f, all);
    kith_query *query = kith_query_create(f->world, QUERY(READ(POSITION), READ(VELOCITY)));
    kith_cursor c     = kith_query_begin(query);
    assert_walk(&c, "4 3");

    for (uint32_t i = 0; i < 3; i++) {
        velocity_set(f->world, all[i], (vec2){ 0, 0 });
    }
    position_remove(f->world, all[0]); // 4 rows against 5; its last row fills the first

    c = kith_query_begin(query);
    assert_walk(&c, "4 1 2 3");
    assert_int_equal(kith_query_report_of(query).lead, POSITION);
}

static void views_use_the_lead_that_is_named(void **state)
{
    test_fixture *f = *state;
    kith_entity   all[5];
    view_fixture(f, all);

    check_query(f->world, QUERY(READ(POSITION), READ(VELOCITY), LEAD(POSITION)), "3 4");
}

static void views_skip_excluded_components(void **state)
{
    test_fixture *f = *state;
    kith_entity   all[5];
    view_fixture(f, all);

    check_query(f->world, QUERY(READ(POSITION), WITHOUT(VELOCITY)), "0 1 2");
    check_query(f->world, QUERY(WITHOUT(VELOCITY)), "0 1 2"); // over all entities
    check_query(f->world, QUERY(WITHOUT(POSITION), WITHOUT(VELOCITY)), "");
}

// There: a missing pool makes the view empty, or is ignored where it is excluded.
static void views_of_an_unknown_component_are_errors(void **state)
{
    test_fixture *f = *state;

    assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                   !kith_view_begin(f->world, QUERY(READ(NAMED))).failed);
    assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                   !kith_view_begin(f->world, QUERY(READ(POSITION), WITHOUT(NAMED))).failed);
}

static void views_of_the_same_pool_twice_are_errors(void **state)
{
    test_fixture *f = *state;

    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   !kith_view_begin(f->world, QUERY(READ(POSITION), WRITE(POSITION))).failed);
}

static void stable_view(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    kith_component_remove(f->world, entities[1], BYTES);

    check_query(f->world, QUERY(READ(BYTES)), is_stable(f) ? "0 2 3 4" : "0 4 2 3");
}

static void views_never_show_a_hole(void **state)
{
    for_each_policy(*state, stable_view);
}

// There: the front is the one inserted last, and an empty view has none.
static void views_have_a_front_and_contain(void **state)
{
    test_fixture *f = *state;
    kith_entity   all[5];
    assert_int_equal(kith_view_first(f->world, QUERY(READ(POSITION))), KITH_NULL);
    view_fixture(f, all);

    assert_int_equal(kith_view_first(f->world, QUERY(READ(POSITION))), all[0]);
    assert_true(kith_view_contains(f->world, QUERY(READ(POSITION)), all[2]));
    assert_false(kith_view_contains(f->world, QUERY(READ(VELOCITY)), all[2]));
    assert_int_equal(kith_view_size_hint(f->world, QUERY(READ(POSITION), READ(VELOCITY))), 2);
}

// There: absent.
static void views_have_optional_and_alternative_components(void **state)
{
    test_fixture *f = *state;
    kith_entity   all[5];
    view_fixture(f, all);
    health_set(f->world, all[0], 1);

    check_query(f->world, QUERY(READ(POSITION), OPTIONAL(VELOCITY)), "0 1 2 3 4");
    check_query(f->world, QUERY(READ(POSITION), ANY(VELOCITY, 0), ANY(HEALTH, 0)), "0 3 4");
}

// --- 9. the iteration matrix -----------------------------------------------------------------

// Walks BYTES and lets `body` act on each entity that is visited.
static void assert_iteration(test_fixture *f, kith_entity *entities,
                             void (*body)(test_fixture *f, kith_entity *entities, kith_entity now),
                             const char *expected)
{
    kith_cursor c       = kith_view_begin(f->world, QUERY(WRITE(BYTES)));
    walk_text   visited = { "" };
    while (kith_cursor_next(&c)) {
        walk_entity(&visited, c.entity);
        assert_int_equal(*(uint32_t *)c.columns[0], kith_entity_index(c.entity));
        body(f, entities, c.entity);
    }
    assert_string_equal(visited.bytes, expected);
    assert_error(f->world, KITH_OK);
    assert_world_valid(f->world);
}

static void add_newcomers(test_fixture *f, kith_entity *entities, kith_entity now)
{
    const uint32_t *before = kith_component_get(f->world, now, BYTES);
    kith_entity     fresh  = kith_entity_create(f->world);
    const uint32_t  value  = kith_entity_index(fresh);
    (void)entities;
    assert_non_null(kith_component_set(f->world, fresh, BYTES, &value));
    assert_ptr_equal(kith_component_get(f->world, now, BYTES), before);
}

static void iterate_adding_newcomers(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    assert_iteration(f, entities, add_newcomers, "0 1 2 3 4");
    assert_int_equal(kith_component_count(f->world, BYTES), 10);
}

static void iteration_does_not_visit_newcomers(void **state)
{
    for_each_policy(*state, iterate_adding_newcomers);
}

// There: in an in_place pool they are visited if they land in a lower hole.
static void iterate_with_a_hole(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    kith_component_remove(f->world, entities[2], BYTES);
    assert_iteration(f, entities, add_newcomers, is_stable(f) ? "0 1 3 4" : "0 1 4 3");
}

static void iteration_does_not_visit_newcomers_in_old_holes(void **state)
{
    for_each_policy(*state, iterate_with_a_hole);
}

static void add_others(test_fixture *f, kith_entity *entities, kith_entity now)
{
    position_set(f->world, now, (vec2){ 0, 0 });
    frozen_add(f->world, entities[4]);
    hidden_add(f->world, now);
}

static void iterate_adding_others(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    assert_iteration(f, entities, add_others, "0 1 2 3 4");
    assert_int_equal(position_count(f->world), 5);
}

static void iteration_may_add_other_components(void **state)
{
    for_each_policy(*state, iterate_adding_others);
}

static void remove_current(test_fixture *f, kith_entity *entities, kith_entity now)
{
    (void)entities;
    assert_true(kith_component_remove(f->world, now, BYTES));
}

static void iterate_removing_current(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    assert_iteration(f, entities, remove_current, "0 1 2 3 4");
    assert_int_equal(kith_component_count(f->world, BYTES), 0);
}

static void iteration_may_remove_the_lead_from_the_current_entity(void **state)
{
    for_each_policy(*state, iterate_removing_current);
}

static void destroy_current(test_fixture *f, kith_entity *entities, kith_entity now)
{
    (void)entities;
    assert_true(kith_entity_destroy(f->world, now));
}

static void iterate_destroying_current(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    assert_iteration(f, entities, destroy_current, "0 1 2 3 4");
    assert_int_equal(kith_entity_count(f->world), 0);
}

static void iteration_may_destroy_the_current_entity(void **state)
{
    for_each_policy(*state, iterate_destroying_current);
}

static void destroy_previous(test_fixture *f, kith_entity *entities, kith_entity now)
{
    if (kith_entity_index(now) > 0) {
        assert_true(kith_entity_destroy(f->world, entities[kith_entity_index(now) - 1]));
    }
}

static void iterate_destroying_previous(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    assert_iteration(f, entities, destroy_previous, "0 1 2 3 4");
}

static void iteration_may_destroy_an_entity_that_was_visited(void **state)
{
    for_each_policy(*state, iterate_destroying_previous);
}

static void destroy_next(test_fixture *f, kith_entity *entities, kith_entity now)
{
    if (kith_entity_index(now) % 2 == 0 && kith_entity_index(now) < 4) {
        assert_true(kith_entity_destroy(f->world, entities[kith_entity_index(now) + 1]));
    }
}

// There: a visited entity is visited twice.
static void iterate_destroying_next(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    assert_iteration(f, entities, destroy_next, "0 2 4");
    assert_int_equal(kith_entity_count(f->world), 3);
}

static void iteration_skips_an_entity_destroyed_before_its_turn(void **state)
{
    for_each_policy(*state, iterate_destroying_next);
}

static void complete_the_terms(test_fixture *f, kith_entity *entities, kith_entity now)
{
    kith_cursor c = kith_view_begin(f->world, QUERY(READ(BYTES), READ(POSITION)));
    (void)entities;
    position_set(f->world, now, (vec2){ 0, 0 });
    while (kith_cursor_next(&c)) {
        assert_true(kith_entity_index(c.entity) < kith_entity_index(now));
    }
}

// There: where a group owns the pool, the walk goes astray.
static void iterate_completing_terms(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    kith_query_create(f->world, QUERY(READ(BYTES), READ(POSITION)));
    assert_iteration(f, entities, complete_the_terms, "0 1 2 3 4");
}

static void iteration_may_complete_the_terms_of_another_query(void **state)
{
    for_each_policy(*state, iterate_completing_terms);
}

static void iterate_exchanging_rows(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    kith_cursor c = kith_view_begin(f->world, QUERY(READ(BYTES)));

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_BUSY,
                             kith_component_swap(f->world, BYTES, entities[0], entities[4]));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_BUSY,
                             kith_component_compact(f->world, BYTES));

    assert_walk(&c, "0 1 2 3 4");
}

// There: undefined.
static void iteration_refuses_what_would_move_rows(void **state)
{
    for_each_policy(*state, iterate_exchanging_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(signals_are_delivered_oldest_connection_first),
        TEST_WORLD(signals_keep_their_order_when_one_disconnects),
        TEST_WORLD(signals_of_every_way_to_remove_follow_the_rows),
        TEST_WORLD(signals_of_destroying_come_by_registration_with_everything_there),
        TEST_WORLD(signals_may_remove_what_was_just_added),
        TEST_WORLD(signals_of_change_come_from_set_and_patch_alone),
        TEST_WORLD(views_choose_their_lead_at_each_begin),
        TEST_WORLD(views_use_the_lead_that_is_named),
        TEST_WORLD(views_skip_excluded_components),
        TEST_WORLD(views_of_an_unknown_component_are_errors),
        TEST_WORLD(views_of_the_same_pool_twice_are_errors),
        TEST_WORLD(views_never_show_a_hole),
        TEST_WORLD(views_have_a_front_and_contain),
        TEST_WORLD(views_have_optional_and_alternative_components),
        TEST_WORLD(iteration_does_not_visit_newcomers),
        TEST_WORLD(iteration_does_not_visit_newcomers_in_old_holes),
        TEST_WORLD(iteration_may_add_other_components),
        TEST_WORLD(iteration_may_remove_the_lead_from_the_current_entity),
        TEST_WORLD(iteration_may_destroy_the_current_entity),
        TEST_WORLD(iteration_may_destroy_an_entity_that_was_visited),
        TEST_WORLD(iteration_skips_an_entity_destroyed_before_its_turn),
        TEST_WORLD(iteration_may_complete_the_terms_of_another_query),
        TEST_WORLD(iteration_refuses_what_would_move_rows),
    };
    return cmocka_run_group_tests_name("conformance_loop", tests, NULL, NULL);
}
