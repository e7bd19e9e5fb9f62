// SPDX-License-Identifier: MIT
// Open loops: what they visit whatever happens meanwhile, what is legal while one is open, and how
// loops and their cursors end.
#include "query_test.h"

// --- the contract ----------------------------------------------------------------------------

static void visited_once(small_world *w, bool stable)
{
    (void)stable;
    populate(w, "ab ab ab ab");
    kith_cursor c = kith_view_begin(w->world, QUERY(WRITE(A), READ(B)));

    assert_next(&c, w, 0);
    take(w, 0, A);
    add_letters(w, w->e[0], "a");
    assert_next(&c, w, 1);
    kith_entity_destroy(w->world, w->e[2]);
    spawn(w, "ab");

    assert_walk(&c, "3");
}

static void an_entity_is_visited_at_most_once(void **state)
{
    for_both_policies(*state, visited_once);
}

static void a_component_that_came_back_is_a_break(small_world *w, bool stable)
{
    (void)stable;
    populate(w, "ab ab");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), READ(B)));

    take(w, 0, A);
    add_letters(w, w->e[0], "a");
    take(w, 1, B);
    add_letters(w, w->e[1], "b");

    assert_walk(&c, "");
}

static void a_break_in_any_included_component_is_skipped(void **state)
{
    for_both_policies(*state, a_component_that_came_back_is_a_break);
}

static void an_entity_in_the_old_ones_slot_is_not_visited(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), READ(B)));

    kith_entity_destroy(w->world, w->e[0]);
    assert_int_equal(spawn(w, "ab"), handle(0, 2));

    assert_walk(&c, "1");
    assert_visits(w, "0 1", READ(A), READ(B));
}

static void an_inner_loop_counts_from_its_own_begin(void **state)
{
    small_world *w = *state;
    populate(w, "ab");
    kith_cursor outer = kith_view_begin(w->world, QUERY(READ(A), READ(B)));
    take(w, 0, A);
    add_letters(w, w->e[0], "a");

    kith_cursor inner = kith_view_begin(w->world, QUERY(READ(A), READ(B)));

    assert_next(&inner, w, 0);
    assert_false(kith_cursor_next(&inner));
    assert_false(kith_cursor_next(&outer));
}

static void an_excluded_component_counts_when_the_turn_comes(void **state)
{
    small_world *w = *state;
    populate(w, "abc ab");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), READ(B), WITHOUT(C)));

    take(w, 0, C);
    add_letters(w, w->e[1], "c");

    assert_walk(&c, "0");
}

static void a_component_added_after_begin_is_no_continuity(void **state)
{
    small_world *w = *state;
    populate(w, "b a");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), READ(B)));

    add_letters(w, w->e[0], "a");
    add_letters(w, w->e[1], "b");

    assert_walk(&c, "");
}

static void alternatives_count_when_the_turn_comes(void **state)
{
    small_world *w = *state;
    populate(w, "ab ac a a");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), ANY(B, 0), ANY(C, 0)));

    take(w, 0, B);
    add_letters(w, w->e[2], "c");
    take(w, 1, C);
    add_letters(w, w->e[1], "b");

    assert_walk(&c, "1 2");
}

static void flags_count_when_the_turn_comes(void **state)
{
    small_world *w = *state;
    populate(w, "af a af");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), WITH(F)));

    take(w, 0, F);
    add_letters(w, w->e[0], "f"); // a flag has no row: a break in it is not seen
    add_letters(w, w->e[1], "f");
    take(w, 2, F);

    assert_walk(&c, "0 1");
}

static void disabling_counts_when_the_turn_comes(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab ab");
    kith_component_enable(w->world, w->e[2], B, false);
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), READ(B)));

    assert_next(&c, w, 0);
    kith_component_enable(w->world, w->e[1], A, false);
    kith_component_enable(w->world, w->e[2], B, true);

    assert_walk(&c, "2");
    assert_visits(w, "0 2", READ(A));
}

static void a_change_behind_the_cursor_or_in_another_pool_disturbs_nothing(void **state)
{
    small_world *w = *state;
    populate_many(w, 12, "a");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));
    for (uint32_t i = 0; i < 12; i++) {
        assert_next(&c, w, i);

        take(w, i, A);
        spawn(w, "b");
    }

    assert_false(kith_cursor_next(&c));
    assert_rows(w, A, "");
}

static void a_walk_over_entities_skips_those_born_after_begin(void **state)
{
    small_world *w = *state;
    populate(w, "- - - - -");
    kith_entity_destroy(w->world, w->e[1]); // their slots are free, and below the table's end
    kith_entity_destroy(w->world, w->e[2]);
    kith_cursor c    = kith_view_begin(w->world, QUERY(WITHOUT(A)));
    kith_entity hint = handle(1, 5);
    assert_next(&c, w, 0);

    assert_true(kith_entity_create_hints(w->world, &hint, 1, &hint));
    assert_int_equal(hint, handle(1, 5));
    assert_int_equal(spawn(w, "-"), handle(2, 2));
    assert_int_equal(spawn(w, "-"), handle(5, 1));
    kith_entity_destroy(w->world, w->e[4]); // so that what comes is looked at anew

    assert_walk(&c, "3");
    assert_visits(w, "0 1 2 3 5", WITHOUT(A)); // the marks of birth are gone with the loop
}

static void births_in_a_loop_over_rows_are_visited_by_the_next_walk_over_entities(void **state)
{
    small_world *w = *state;
    populate(w, "a");
    kith_cursor c     = kith_view_begin(w->world, QUERY(READ(A)));
    kith_entity early = spawn(w, "-");
    kith_cursor inner = kith_view_begin(w->world, ALL_ENTITIES);
    spawn(w, "-");

    assert_next(&inner, w, 0);
    assert_true(kith_cursor_next(&inner));
    assert_int_equal(inner.entity, early);
    assert_false(kith_cursor_next(&inner));

    kith_cursor_end(&c);
    check_query(w->world, ALL_ENTITIES, "0 1 2");
}

static void an_entity_reborn_in_a_visited_slot_is_not_visited(void **state)
{
    small_world *w = *state;
    populate(w, "- - -");
    kith_cursor c = kith_view_begin(w->world, ALL_ENTITIES);
    assert_next(&c, w, 0);

    kith_entity_destroy(w->world, w->e[2]);
    assert_int_equal(spawn(w, "-"), handle(2, 2));

    assert_walk(&c, "1");
}

static void clearing_the_world_is_safe_for_a_walk_over_entities_in_every_free_order(void **state)
{
    small_world *w = *state;
    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        const kith_world_desc desc = { .free_order = test_free_orders[i], .max_entities = 40 };
        reopen_small_world(w, KITH_POLICY_SWAP, desc);
        populate(w, "a a a");
        kith_cursor c = kith_view_begin(w->world, ALL_ENTITIES);
        assert_next(&c, w, 0);

        kith_world_clear(w->world);
        populate_many(w, 6, "a");

        assert_walk(&c, "");
        assert_int_equal(kith_view_count(w->world, ALL_ENTITIES), 6);
        assert_world_valid(w->world);
    }
}

static void a_walk_over_entities_passes_retired_slots(void **state)
{
    small_world *w = *state;
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ .version_bits = 1 });
    populate(w, "- - -");
    kith_cursor c = kith_view_begin(w->world, ALL_ENTITIES);
    assert_next(&c, w, 0);

    kith_entity_destroy(w->world, w->e[1]); // for good
    assert_int_equal(spawn(w, "-"), handle(3, 1));

    assert_walk(&c, "2");
}

// The signatures get a second word while the loop reads the first.
static void components_may_be_registered_by_the_hundred(void **state)
{
    small_world   *w    = *state;
    kith_component last = 0;
    populate(w, "a af a a af a");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A), WITHOUT(F)));
    assert_next(&c, w, 0);

    for (uint32_t i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "late %u", i);
        last = test_register_tag(w->world, name, 0);
        assert_non_null(kith_component_add(w->world, w->e[3], last, NULL));
    }
    take(w, 1, F);
    add_letters(w, w->e[2], "f");

    assert_walk(&c, "1 3 5");
    assert_visits(w, "3", READ(A), WITH(last));
}

static void the_lead_is_fixed_when_the_loop_begins(void **state)
{
    small_world *w = *state;
    populate(w, "ab b ab");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(B), READ(A)));

    kith_component_swap(w->world, A, w->e[0], w->e[2]); // busy: rows do not move
    assert_error(w->world, KITH_ERROR_BUSY);
    for (int i = 0; i < 5; i++) {
        spawn(w, "a");
    }

    assert_walk(&c, "0 2");
}

static void changes_by_the_body_never_lose_the_rest_of_a_block(void **state)
{
    small_world *w = *state;
    populate(w, "a a a a a a");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));

    assert_next(&c, w, 0);
    take(w, 0, A);
    assert_next(&c, w, 1);
    take(w, 3, A);
    assert_next(&c, w, 2);

    assert_walk(&c, "4 5");
}

// --- what is legal while a loop is open ------------------------------------------------------

typedef struct legal {
    const char *name;
    bool (*call)(small_world *w);
} legal;

#define LEGAL(NAME, EXPRESSION)                                                                    \
    static bool legal_##NAME(small_world *w)                                                       \
    {                                                                                              \
        return (EXPRESSION);                                                                       \
    }

static void ignore_notice(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (void)context;
}

static const kith_listener_desc idle_listener = { .event = KITH_EVENT_CREATE,
                                                  .call  = ignore_notice };

static bool legal_create_hints(small_world *w)
{
    kith_entity hints[2] = { handle(9, 1), KITH_NULL };
    return kith_entity_create_hints(w->world, hints, 2, hints);
}

static bool legal_clear_world(small_world *w)
{
    kith_world_clear(w->world);
    return kith_entity_count(w->world) == 0;
}

static bool legal_nest(small_world *w)
{
    kith_cursor inner = kith_view_begin(w->world, QUERY(WRITE(B)));
    return !inner.failed && kith_cursor_next(&inner) && !kith_cursor_next(&inner);
}

static bool legal_register(small_world *w)
{
    kith_component_desc desc = bytes_desc(50, 8, 8);
    return kith_component_register(w->world, &desc) == 50 &&
           kith_component_add(w->world, w->e[0], 50, NULL) != NULL;
}

static bool legal_query(small_world *w)
{
    kith_query *query = kith_query_create(w->world, QUERY(READ(A)));
    kith_query_destroy(query);
    return query != NULL;
}

static bool legal_connect(small_world *w)
{
    return kith_listener_disconnect(w->world, kith_listener_connect(w->world, &idle_listener));
}

static bool legal_user(small_world *w)
{
    kith_world_user_set(w->world, w);
    return kith_world_user(w->world) == w;
}

static bool legal_get_many(small_world *w)
{
    const void *values[2];
    return kith_component_get_many(w->world, A, w->e, 2, values) == 2;
}

static bool legal_hold(small_world *w)
{
    return kith_world_hold(w->world) && kith_world_release(w->world);
}

LEGAL(create, kith_entity_create(w->world) != KITH_NULL)
LEGAL(create_hint, kith_entity_create_hint(w->world, handle(7, 3)) == handle(7, 3))
LEGAL(destroy, kith_entity_destroy(w->world, w->e[1]))
LEGAL(reserve_entities, kith_entity_reserve(w->world, 5000))
LEGAL(limit_entities, kith_entity_limit_set(w->world, 5000))
LEGAL(reserve_set, kith_signature_reserve(w->world, &(kith_signature){ { 1 } }, 40))
LEGAL(pool_stats, kith_component_stats(w->world, A).limit == UINT32_MAX)
LEGAL(next_entity, kith_entity_next(w->world, KITH_NULL) == w->e[0])
LEGAL(set, kith_component_set(w->world, w->e[1], C, NULL) != NULL)
LEGAL(add, kith_component_add(w->world, w->e[1], T, NULL) != NULL)
LEGAL(add_flag, kith_component_add(w->world, w->e[1], F, NULL) != NULL)
LEGAL(add_value, kith_component_add(w->world, w->e[1], C, NULL) != NULL)
LEGAL(get, kith_component_get(w->world, w->e[1], A) != NULL)
LEGAL(mut, kith_component_mut(w->world, w->e[1], A) != NULL)
LEGAL(has, kith_component_has(w->world, w->e[1], A))
LEGAL(patch, kith_component_patch(w->world, w->e[1], A, change_nothing, NULL) != NULL)
LEGAL(remove, kith_component_remove(w->world, w->e[1], A))
LEGAL(remove_flag, kith_component_remove(w->world, w->e[0], F))
LEGAL(disable, kith_component_enable(w->world, w->e[1], A, false))
LEGAL(enable, kith_component_enable(w->world, w->e[1], A, true))
LEGAL(count, kith_component_count(w->world, A) == 2)
LEGAL(reserve, kith_component_reserve(w->world, A, 40))
LEGAL(limit, kith_component_limit_set(w->world, A, 40))
LEGAL(clear_pool, kith_component_clear(w->world, A))
LEGAL(single_set, kith_singleton_set(w->world, S, NULL) != NULL)
LEGAL(single_remove, !kith_singleton_remove(w->world, S))
LEGAL(first, kith_view_first(w->world, QUERY(READ(A))) == w->e[0])
LEGAL(view_count, kith_view_count(w->world, QUERY(READ(A))) == 2)
LEGAL(contains, kith_view_contains(w->world, QUERY(READ(A)), w->e[1]))
LEGAL(stamp, kith_component_stamp(w->world, A, 0) == 1)
LEGAL(memory, kith_world_memory(w->world, KITH_ALL).total == w->memory.live_bytes)
LEGAL(validate, kith_world_validate(w->world, NULL))

#define CALL(NAME)                                                                                 \
    {                                                                                              \
        #NAME, legal_##NAME                                                                        \
    }

static const legal legal_calls[] = {
    CALL(create),        CALL(create_hint), CALL(create_hints),
    CALL(destroy),       CALL(clear_world), CALL(reserve_entities),
    CALL(next_entity),   CALL(set),         CALL(add),
    CALL(add_flag),      CALL(add_value),   CALL(get),
    CALL(mut),           CALL(has),         CALL(patch),
    CALL(remove),        CALL(remove_flag), CALL(disable),
    CALL(enable),        CALL(count),       CALL(reserve),
    CALL(limit),         CALL(clear_pool),  CALL(single_set),
    CALL(single_remove), CALL(first),       CALL(view_count),
    CALL(contains),      CALL(stamp),       CALL(memory),
    CALL(validate),      CALL(nest),        CALL(register),
    CALL(query),         CALL(connect),     CALL(user),
    CALL(get_many),      CALL(hold),        CALL(limit_entities),
    CALL(reserve_set),   CALL(pool_stats),
};

static void legal_in_a_loop(small_world *w, bool stable)
{
    for (size_t i = 0; i < COUNT_OF(legal_calls); i++) {
        kith_policy policy = stable ? KITH_POLICY_STABLE : KITH_POLICY_SWAP;
        reopen_small_world(w, policy, (kith_world_desc){ 0 });
        populate(w, "abf a");
        kith_cursor c = kith_view_begin(w->world, QUERY(WRITE(A)));
        assert_next(&c, w, 0);

        if (!legal_calls[i].call(w) || kith_world_error(w->world).code != KITH_OK) {
            fail_msg("%s is refused in a loop", legal_calls[i].name);
        }

        assert_world_valid(w->world);
        kith_cursor_end(&c);
        assert_world_valid(w->world);
    }
}

static void everything_that_moves_nothing_is_legal_in_a_loop(void **state)
{
    for_both_policies(*state, legal_in_a_loop);
}

static bool busy_swap(small_world *w)
{
    return kith_component_swap(w->world, A, w->e[0], w->e[1]);
}

static bool busy_compact(small_world *w)
{
    return kith_component_compact(w->world, A);
}

static bool busy_shrink(small_world *w)
{
    return kith_component_shrink(w->world, A);
}

static bool busy_shrink_world(small_world *w)
{
    return kith_world_shrink(w->world);
}

static bool busy_tick(small_world *w)
{
    return kith_world_advance(w->world) != 0;
}

static bool busy_destroy_world(small_world *w)
{
    return kith_world_destroy(w->world);
}

static const legal busy_calls[] = {
    { "swap", busy_swap },     { "compact", busy_compact },
    { "shrink", busy_shrink }, { "shrink world", busy_shrink_world },
    { "tick", busy_tick },     { "destroy world", busy_destroy_world },
};

static void calls_that_move_rows_are_busy_in_a_loop(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab ab");
    kith_cursor c = kith_view_begin(w->world, QUERY(WRITE(A)));
    assert_next(&c, w, 0);
    for (size_t i = 0; i < COUNT_OF(busy_calls); i++) {
        assert_refused_unchanged(&w->memory, w->world, KITH_ERROR_BUSY, busy_calls[i].call(w));
        assert_error_says(w->world, KITH_ERROR_BUSY, "letters");
    }

    assert_walk(&c, "1 2");

    for (size_t i = 0; i + 1 < COUNT_OF(busy_calls); i++) {
        assert_true(busy_calls[i].call(w));
    }
    assert_int_equal(kith_world_now(w->world), 2);
}

// --- depth -----------------------------------------------------------------------------------

static void at_most_32_loops_are_open(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    kith_cursor oldest = kith_view_begin(w->world, NAMED_QUERY("the oldest", READ(A)));
    for (uint32_t depth = 1; depth < KITH_LOOP_DEPTH_MAX; depth++) {
        if (depth % 2 == 0) {
            assert_false(kith_view_begin(w->world, QUERY(READ(A))).failed);
        } else {
            assert_true(kith_world_hold(w->world));
        }
    }
    kith_world_error_clear(w->world);

    kith_cursor deeper = kith_view_begin(w->world, QUERY(READ(A)));

    check_failed(w->world, &w->memory, deeper, KITH_ERROR_LIMIT);
    assert_error_says(w->world, KITH_ERROR_LIMIT, "32");
    assert_error_says(w->world, KITH_ERROR_LIMIT, "the oldest");
    assert_error_says(w->world, KITH_ERROR_LIMIT, "break");
    assert_error_says(w->world, KITH_ERROR_LIMIT, "end");
    assert_refused(&w->memory, w->world, KITH_ERROR_LIMIT, kith_world_hold(w->world));
    assert_error_says(w->world, KITH_ERROR_LIMIT, "the oldest");
    assert_walk(&oldest, "0 1");
    assert_int_equal(kith_world_advance(w->world), 2);
}

static void asking_takes_no_depth(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    for (uint32_t depth = 0; depth < KITH_LOOP_DEPTH_MAX; depth++) {
        assert_true(kith_world_hold(w->world));
    }

    assert_int_equal(kith_view_first(w->world, QUERY(READ(A))), w->e[0]);
    assert_int_equal(kith_view_count(w->world, QUERY(READ(A))), 2);
    assert_true(kith_view_contains(w->world, QUERY(READ(A)), w->e[1]));
    check_reading(w->world, QUERY(READ(A)), "0 1");
    assert_int_equal(w->memory.errors, 0);

    for (uint32_t depth = 0; depth < KITH_LOOP_DEPTH_MAX; depth++) {
        assert_true(kith_world_release(w->world));
    }
}

static void every_depth_walks_on_its_own(void **state)
{
    small_world *w = *state;
    kith_cursor  cursors[KITH_LOOP_DEPTH_MAX];
    populate(w, "ab ab ab");
    for (uint32_t i = 0; i < KITH_LOOP_DEPTH_MAX; i++) {
        cursors[i] = kith_view_begin(w->world, QUERY(WRITE(A), READ(B)));
        assert_false(cursors[i].failed);
    }

    for (uint32_t step = 0; step < 3; step++) {
        for (uint32_t i = 0; i < KITH_LOOP_DEPTH_MAX; i++) {
            assert_next(&cursors[i], w, step);
        }
    }

    for (uint32_t i = KITH_LOOP_DEPTH_MAX; i-- > 0;) {
        assert_false(kith_cursor_next(&cursors[i]));
    }
}

// --- hold, release, settle, tick -------------------------------------------------------------

static void there_must_be_a_hold_to_release(void **state)
{
    small_world *w = *state;
    populate(w, "a");

    kith_world_error_clear(w->world);
    assert_false(kith_world_release(w->world));
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));
    assert_false(kith_world_release(w->world)); // that loop is no hold

    assert_walk(&c, "0");
}

static void a_release_closes_the_loops_begun_after_the_hold(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    kith_cursor before = kith_view_begin(w->world, QUERY(READ(A)));
    kith_world_hold(w->world);
    kith_cursor after = kith_view_begin(w->world, QUERY(READ(A)));

    assert_true(kith_world_release(w->world));

    assert_closed(w, &after);
    assert_walk(&before, "0 1");
}

static void holds_nest(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    kith_world_hold(w->world);
    kith_world_hold(w->world);
    take(w, 0, A);

    assert_true(kith_world_release(w->world));
    assert_rows(w, A, "- 1");
    assert_true(kith_world_release(w->world));
    assert_rows(w, A, "1");
}

static void settle_closes_every_loop(void **state)
{
    small_world *w = *state;
    populate(w, "a a a");
    kith_cursor outer = kith_view_begin(w->world, QUERY(READ(A)));
    kith_world_hold(w->world);
    kith_cursor inner = kith_view_begin(w->world, QUERY(READ(A)));
    assert_next(&outer, w, 0);
    take(w, 0, A);

    assert_true(kith_world_settle(w->world));

    assert_rows(w, A, "2 1");
    assert_closed(w, &outer);
    assert_closed(w, &inner);
    assert_false(kith_world_release(w->world));
    assert_true(kith_world_settle(w->world)); // nothing to do is fine
    assert_int_equal(kith_world_advance(w->world), 2);
}

static void ticks_count_from_1(void **state)
{
    small_world *w = *state;

    assert_int_equal(kith_world_now(w->world), 1);
    assert_int_equal(kith_world_advance(w->world), 2);
    assert_int_equal(kith_world_advance(w->world), 3);
    assert_int_equal(kith_world_now(w->world), 3);
}

static void the_next_tick_names_a_loop_left_by_break(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    kith_cursor c = kith_view_begin(w->world, NAMED_QUERY("forgotten", READ(A)));
    while (kith_cursor_next(&c)) {
        break;
    }

    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY, kith_world_advance(w->world) != 0);

    assert_error_says(w->world, KITH_ERROR_BUSY, "kith_world_advance");
    assert_error_says(w->world, KITH_ERROR_BUSY, "forgotten");
    assert_int_equal(kith_world_now(w->world), 1);
    kith_cursor_end(&c);
    assert_int_equal(kith_world_advance(w->world), 2);
}

static void the_next_tick_names_a_hold_and_a_query_without_a_name(void **state)
{
    small_world *w = *state;
    populate(w, "a a");

    kith_world_hold(w->world);
    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY, kith_world_advance(w->world) != 0);
    assert_error_says(w->world, KITH_ERROR_BUSY, "kith_world_hold");
    kith_world_release(w->world);
    kith_view_begin(w->world, NAMED_QUERY(NULL, READ(A)));
    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY, kith_world_advance(w->world) != 0);
    assert_error_says(w->world, KITH_ERROR_BUSY, "a query");

    assert_true(kith_world_settle(w->world));
}

// The name is the description's, which may be gone when the error is reported.
static void the_name_of_a_stored_query_outlives_its_description(void **state)
{
    small_world *w      = *state;
    char         name[] = "short-lived";
    populate(w, "a");
    kith_query *query = kith_query_create(w->world, NAMED_QUERY(name, READ(A)));
    memset(name, '#', sizeof name - 1);
    kith_query_begin(query);

    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY, kith_world_advance(w->world) != 0);

    assert_error_says(w->world, KITH_ERROR_BUSY, "short-lived");
    kith_world_settle(w->world);
}

// --- closing ---------------------------------------------------------------------------------

static void a_loop_closes_when_it_is_over(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));
    assert_next(&c, w, 0);
    take(w, 0, A);
    assert_next(&c, w, 1);
    assert_rows(w, A, "- 1");

    assert_false(kith_cursor_next(&c));

    assert_rows(w, A, "1");
    assert_closed(w, &c);
}

static void end_closes_a_loop_left_by_break(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));
    assert_next(&c, w, 0);

    kith_cursor_end(&c);

    assert_closed(w, &c);
    assert_int_equal(kith_world_advance(w->world), 2);
}

static void closing_a_loop_closes_those_begun_after_it(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    kith_cursor first  = kith_view_begin(w->world, QUERY(READ(A)));
    kith_cursor second = kith_view_begin(w->world, QUERY(READ(A)));
    kith_cursor third  = kith_view_begin(w->world, QUERY(READ(A)));
    assert_next(&third, w, 0);
    assert_next(&second, w, 0);

    kith_cursor_end(&second);

    assert_closed(w, &second);
    assert_closed(w, &third);
    assert_next(&first, w, 0);
    kith_cursor fourth = kith_view_begin(w->world, QUERY(READ(A)));
    assert_walk(&first, "1");
    assert_closed(w, &fourth);
}

static void next_on_an_outer_loop_leaves_inner_ones_open(void **state)
{
    small_world *w = *state;
    populate(w, "a a a");
    kith_cursor outer = kith_view_begin(w->world, QUERY(READ(A)));
    kith_cursor inner = kith_view_begin(w->world, QUERY(READ(A)));

    assert_next(&inner, w, 0);
    assert_next(&outer, w, 0);
    assert_next(&outer, w, 1);
    assert_next(&inner, w, 1);
    take(w, 2, A);

    assert_false(kith_cursor_next(&inner));
    assert_rows(w, A, "0 1 -");
    assert_false(kith_cursor_next(&outer));
    assert_rows(w, A, "0 1");
}

static void an_old_cursor_does_not_step_in_the_loop_that_took_its_place(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab ab");
    kith_cursor old = kith_view_begin(w->world, QUERY(WRITE(A), READ(B)));
    assert_next(&old, w, 0);
    kith_cursor copy = old;
    kith_cursor_end(&old);
    kith_cursor young = kith_view_begin(w->world, QUERY(WRITE(A), READ(B)));
    assert_next(&young, w, 0);

    assert_int_equal(kith_cursor_entity(&copy, 0), KITH_NULL);
    assert_closed(w, &old);
    assert_closed(w, &copy);

    assert_walk(&young, "1 2");
    assert_closed(w, &copy);
}

static void an_old_cursor_cannot_end_the_loop_that_took_its_place(void **state)
{
    small_world *w = *state;
    populate(w, "a a");
    kith_cursor old  = kith_view_begin(w->world, QUERY(READ(A)));
    kith_cursor copy = old;
    assert_next(&old, w, 0);
    kith_cursor_end(&old);
    kith_cursor young = kith_view_begin(w->world, QUERY(READ(A)));

    kith_cursor_end(&old);
    kith_cursor_end(&copy);

    assert_walk(&young, "0 1");
}

static void a_zeroed_cursor_is_closed(void **state)
{
    kith_cursor nothing = { 0 };
    (void)state;

    kith_cursor_end(&nothing);

    assert_false(kith_cursor_next(&nothing));
    assert_false(kith_cursor_next_chunk(&nothing));
    assert_int_equal(kith_cursor_entity(&nothing, 0), KITH_NULL);
}

static void a_place_outside_the_chunk_has_no_entity(void **state)
{
    small_world *w = *state;
    populate(w, "a a a");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));
    assert_int_equal(kith_cursor_entity(&c, 0), KITH_NULL);
    assert_true(kith_cursor_next_chunk(&c));

    assert_int_equal(c.count, 3);
    assert_int_equal(kith_cursor_entity(&c, 2), w->e[2]);
    assert_int_equal(kith_cursor_entity(&c, 3), KITH_NULL);
    assert_int_equal(kith_cursor_entity(&c, UINT32_MAX), KITH_NULL);

    kith_cursor_end(&c);
    assert_int_equal(kith_cursor_entity(&c, 0), KITH_NULL);
}

// --- a cursor from an older world ------------------------------------------------------------

// Returns a block of the same size again, the one released last first, and keeps all readable.
typedef struct kept_block {
    struct kept_block *next;
    size_t             size;
    void              *memory;
} kept_block;

typedef struct keeper {
    kept_block *released;
    kept_block *spare; // of the list alone
} keeper;

static void *allocate_kept(void *context, size_t size, size_t alignment)
{
    keeper *k = context;
    for (kept_block **at = &k->released; *at != NULL; at = &(*at)->next) {
        kept_block *found = *at;
        if (found->size == size && (uintptr_t)found->memory % alignment == 0) {
            *at         = found->next;
            found->next = k->spare;
            k->spare    = found;
            return found->memory;
        }
    }
    return aligned_alloc(4096, (size + 4095) / 4096 * 4096);
}

static void release_kept(void *context, void *memory, size_t size, size_t alignment)
{
    keeper     *k    = context;
    kept_block *kept = k->spare;
    (void)alignment;
    if (kept != NULL) {
        k->spare = kept->next;
    } else {
        kept = malloc(sizeof *kept);
    }
    *kept       = (kept_block){ k->released, size, memory };
    k->released = kept;
}

static void free_kept(keeper *k)
{
    while (k->released != NULL) {
        kept_block *next = k->released->next;
        free(k->released->memory);
        free(k->released);
        k->released = next;
    }
    while (k->spare != NULL) {
        kept_block *next = k->spare->next;
        free(k->spare);
        k->spare = next;
    }
}

static kith_world *kept_world(keeper *k)
{
    kith_world_desc desc = { .allocator = { allocate_kept, release_kept, k } };
    desc.on_error        = kith_error_ignore;
    kith_world *world    = kith_world_create(&desc);
    assert_true(game_register(world));
    for (uint32_t i = 0; i < 3; i++) {
        position_set(world, kith_entity_create(world), (vec2){ (float)i, 0 });
    }
    return world;
}

static void assert_closed_in(kith_world *world, kith_cursor *cursor)
{
    kith_world_error_clear(world);
    assert_false(kith_cursor_next(cursor));
    assert_error(world, KITH_ERROR_CLOSED);
    kith_world_error_clear(world);
    assert_false(kith_cursor_next_chunk(cursor));
    assert_error(world, KITH_ERROR_CLOSED);
    kith_cursor_end(cursor);
}

static void a_cursor_from_an_older_world_is_closed(void **state)
{
    keeper      k     = { 0 };
    kith_world *older = kept_world(&k);
    (void)state;
    kith_cursor ended = kith_view_begin(older, QUERY(WRITE(POSITION)));
    kith_cursor mid   = kith_view_begin(older, QUERY(WRITE(POSITION)));
    assert_true(kith_cursor_next(&mid));
    kith_world_settle(older);
    kith_world_destroy(older);

    kith_world *newer = kept_world(&k);

    assert_ptr_equal(newer, older);
    assert_closed_in(newer, &ended);
    assert_closed_in(newer, &mid);
    kith_cursor first  = kith_view_begin(newer, QUERY(WRITE(POSITION)));
    kith_cursor second = kith_view_begin(newer, QUERY(WRITE(POSITION)));
    assert_true(kith_cursor_next(&second));
    assert_closed_in(newer, &ended);
    assert_closed_in(newer, &mid);
    assert_walk(&second, "1 2");
    assert_walk(&first, "0 1 2");
    kith_world_destroy(newer);
    free_kept(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_SMALL(an_entity_is_visited_at_most_once),
        TEST_SMALL(a_break_in_any_included_component_is_skipped),
        TEST_SMALL(an_entity_in_the_old_ones_slot_is_not_visited),
        TEST_SMALL(an_inner_loop_counts_from_its_own_begin),
        TEST_SMALL(an_excluded_component_counts_when_the_turn_comes),
        TEST_SMALL(a_component_added_after_begin_is_no_continuity),
        TEST_SMALL(alternatives_count_when_the_turn_comes),
        TEST_SMALL(flags_count_when_the_turn_comes),
        TEST_SMALL(disabling_counts_when_the_turn_comes),
        TEST_SMALL(a_change_behind_the_cursor_or_in_another_pool_disturbs_nothing),
        TEST_SMALL(a_walk_over_entities_skips_those_born_after_begin),
        TEST_SMALL(births_in_a_loop_over_rows_are_visited_by_the_next_walk_over_entities),
        TEST_SMALL(an_entity_reborn_in_a_visited_slot_is_not_visited),
        TEST_SMALL(clearing_the_world_is_safe_for_a_walk_over_entities_in_every_free_order),
        TEST_SMALL(a_walk_over_entities_passes_retired_slots),
        TEST_SMALL(components_may_be_registered_by_the_hundred),
        TEST_SMALL(the_lead_is_fixed_when_the_loop_begins),
        TEST_SMALL(changes_by_the_body_never_lose_the_rest_of_a_block),
        TEST_SMALL(everything_that_moves_nothing_is_legal_in_a_loop),
        TEST_SMALL(calls_that_move_rows_are_busy_in_a_loop),
        TEST_SMALL(at_most_32_loops_are_open),
        TEST_SMALL(asking_takes_no_depth),
        TEST_SMALL(every_depth_walks_on_its_own),
        TEST_SMALL(there_must_be_a_hold_to_release),
        TEST_SMALL(a_release_closes_the_loops_begun_after_the_hold),
        TEST_SMALL(holds_nest),
        TEST_SMALL(settle_closes_every_loop),
        TEST_SMALL(ticks_count_from_1),
        TEST_SMALL(the_next_tick_names_a_loop_left_by_break),
        TEST_SMALL(the_next_tick_names_a_hold_and_a_query_without_a_name),
        TEST_SMALL(the_name_of_a_stored_query_outlives_its_description),
        TEST_SMALL(a_loop_closes_when_it_is_over),
        TEST_SMALL(end_closes_a_loop_left_by_break),
        TEST_SMALL(closing_a_loop_closes_those_begun_after_it),
        TEST_SMALL(next_on_an_outer_loop_leaves_inner_ones_open),
        TEST_SMALL(an_old_cursor_does_not_step_in_the_loop_that_took_its_place),
        TEST_SMALL(an_old_cursor_cannot_end_the_loop_that_took_its_place),
        cmocka_unit_test(a_zeroed_cursor_is_closed),
        TEST_SMALL(a_place_outside_the_chunk_has_no_entity),
        cmocka_unit_test(a_cursor_from_an_older_world_is_closed),
    };
    return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
