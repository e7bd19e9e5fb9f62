// SPDX-License-Identifier: MIT
// Hints: handles that the caller asks for exactly, one or many, and what it gets when one is taken.
#include "kith_test.h"

#define ALL_ONES    UINT64_MAX
#define RETIRED     (KITH_NO_INDEX - 1)
#define MAX_VERSION UINT32_MAX

// --- hints -----------------------------------------------------------------------------------

static void a_hint_on_an_empty_world_is_met_exactly(void **state)
{
    test_fixture *f = *state;

    assert_int_equal(kith_entity_create_hint(f->world, handle(0, 9)), handle(0, 9));
    assert_int_equal(kith_entity_create_hint(f->world, handle(1, 1)), handle(1, 1));
    assert_true(kith_entity_alive(f->world, handle(0, 9)));
    assert_false(kith_entity_alive(f->world, handle(0, 1)));
    assert_int_equal(kith_entity_count(f->world), 2);
}

static void a_null_hint_asks_for_a_fresh_entity(void **state)
{
    test_fixture *f = *state;

    assert_int_equal(kith_entity_create_hint(f->world, KITH_NULL), handle(0, 1));
    assert_int_equal(f->memory.errors, 0);
}

static void a_hint_without_a_version_gives_a_fresh_entity(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 3);
    test_destroy_index(f->world, 1);

    assert_int_equal(kith_entity_create_hint(f->world, handle(2, 0)), handle(1, 2));
    assert_int_equal(kith_entity_create_hint(f->world, handle(7, 0)), handle(3, 1));
    assert_int_equal(f->memory.errors, 0);
}

static void a_hint_for_a_living_slot_gives_a_fresh_entity(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 2);

    assert_int_equal(kith_entity_create_hint(f->world, handle(1, 1)), handle(2, 1));
    assert_int_equal(kith_entity_create_hint(f->world, handle(1, 9)), handle(3, 1));
    assert_int_equal(version_of_slot(f->world, handle(1, 1)), 1);
}

static void a_hint_for_a_destroyed_entity_never_brings_it_back(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world = test_remake(f, (kith_world_desc){ .free_order = test_free_orders[i] });
        test_create_many(world, 2);
        test_destroy_index(world, 1);
        assert_int_equal(kith_entity_create_hint(world, handle(1, 1)), handle(1, 2));
        assert_false(kith_entity_alive(world, handle(1, 1)));
    }
}

static void a_hint_for_the_version_that_comes_next_is_met(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world =
            test_world_with_free_slots(f, (kith_world_desc){ .free_order = test_free_orders[i] });
        assert_int_equal(kith_entity_create_hint(world, handle(0, 2)), handle(0, 2));
        assert_int_equal(kith_world_stats(world).free, 2);
        assert_world_valid(world);
    }
}

static void a_hint_for_a_newer_version_of_a_free_slot_is_met(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world =
            test_world_with_free_slots(f, (kith_world_desc){ .free_order = test_free_orders[i] });
        assert_int_equal(kith_entity_create_hint(world, handle(3, 8)), handle(3, 8));
        assert_true(kith_entity_destroy(world, handle(3, 8)));
        assert_int_equal(version_of_slot(world, handle(3, 1)), 9);
    }
}

static void a_hint_takes_its_slot_out_of_the_middle_of_the_free_list(void **state)
{
    test_fixture *f = *state;
    const struct {
        kith_free_order order;
        uint32_t        first, second;
    } cases[] = { { KITH_FREE_LIFO, 2, 3 }, { KITH_FREE_FIFO, 3, 2 }, { KITH_FREE_LOWEST, 2, 3 } };

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world =
            test_world_with_free_slots(f, (kith_world_desc){ .free_order = cases[i].order });
        assert_int_equal(kith_entity_create_hint(world, handle(0, 2)), handle(0, 2));
        assert_next_indices(world, cases[i].first, cases[i].second, 5);
    }
}

static void a_hint_may_take_the_end_of_the_free_list(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        for (uint32_t index = 2; index <= 3; index++) {
            kith_world *world = test_world_with_free_slots(
                f, (kith_world_desc){ .free_order = test_free_orders[i] });
            assert_int_equal(kith_entity_create_hint(world, handle(index, 2)), handle(index, 2));
            assert_world_valid(world);
            test_destroy_index(world, 1);
            test_create_many(world, 3);
            assert_next_indices(world, 5);
        }
    }
}

static void a_hint_for_a_retired_slot_gives_a_fresh_entity(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = test_remake(f, (kith_world_desc){ .version_bits = 1 });
    test_create_many(world, 1);
    test_destroy_index(world, 0);

    assert_int_equal(kith_entity_create_hint(world, handle(0, 1)), handle(1, 1));
    assert_int_equal(f->memory.errors, 0);
}

static void jumped_over_indices_follow_the_free_order(void **state)
{
    test_fixture *f = *state;
    const struct {
        kith_free_order order;
        uint32_t        next[4];
    } cases[] = {
        { KITH_FREE_LIFO, { 3, 4, 5, 1 } },
        { KITH_FREE_FIFO, { 1, 3, 4, 5 } },
        { KITH_FREE_LOWEST, { 1, 3, 4, 5 } },
    };

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world     *world = test_remake(f, (kith_world_desc){ .free_order = cases[i].order });
        const uint32_t *next  = cases[i].next;
        test_create_many(world, 3);
        test_destroy_index(world, 1);
        assert_int_equal(kith_entity_create_hint(world, handle(6, 1)), handle(6, 1));
        assert_int_equal(kith_world_stats(world).free, 4);
        assert_int_equal(kith_world_stats(world).slots, 7);
        assert_world_valid(world);
        assert_next_indices(world, next[0], next[1], next[2], next[3], 7);
    }
}

static void a_hint_leaves_the_queue_of_a_maximum_in_order(void **state)
{
    test_fixture *f = *state;
    kith_world   *world =
        test_remake(f, (kith_world_desc){ .free_order = KITH_FREE_FIFO, .max_entities = 7 });
    test_create_many(world, 2);
    test_destroy_index(world, 0);

    assert_int_equal(kith_entity_create_hint(world, handle(4, 1)), handle(4, 1));

    assert_next_indices(world, 2, 3, 5, 6, 0);
}

static void a_jump_over_several_pages_keeps_every_index(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world = test_remake(f, (kith_world_desc){ .free_order = test_free_orders[i] });
        assert_int_equal(kith_entity_create_hint(world, handle(5000, 3)), handle(5000, 3));
        for (uint32_t index = 0; index < 5000; index++) {
            assert_int_equal(kith_entity_create(world), handle(index, 1));
        }
        assert_int_equal(kith_entity_create(world), handle(5001, 1));
    }
}

static void a_hint_beyond_the_limits_of_the_world_is_refused(void **state)
{
    test_fixture *f = *state;
    kith_world   *world =
        test_remake(f, (kith_world_desc){ .index_bits = 5, .version_bits = 6, .max_entities = 20 });
    const kith_entity hints[] = { handle(20, 1),
                                  handle(31, 1),
                                  handle(32, 1),
                                  handle(0, 64),
                                  handle(0, MAX_VERSION),
                                  ALL_ONES,
                                  handle(KITH_NO_INDEX, 1),
                                  handle(RETIRED, 1) };
    test_create_many(world, 2);
    test_picture before = test_take_picture(world);

    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        assert_refused(&f->memory, world, KITH_ERROR_LIMIT,
                       kith_entity_create_hint(world, hints[i]));
        assert_entities_unchanged(world, &before);
    }
    assert_int_equal(kith_entity_create_hint(world, handle(19, 63)), handle(19, 63));
}

static void a_hint_far_beyond_the_table_needs_a_reserve_first(void **state)
{
    test_fixture  *f      = *state;
    const uint32_t far    = UINT32_C(1) << 20;
    test_picture   before = test_take_picture(f->world);
    assert_refused(&f->memory, f->world, KITH_ERROR_LIMIT,
                   kith_entity_create_hint(f->world, handle(far + 1, 1)));
    assert_entities_unchanged(f->world, &before);

    assert_true(kith_entity_reserve(f->world, far + 2));

    assert_int_equal(kith_entity_create_hint(f->world, handle(far + 1, 1)), handle(far + 1, 1));
    assert_int_equal(kith_world_stats(f->world).free, far + 1);
}

static void a_hint_just_within_reach_of_the_table_is_met(void **state)
{
    test_fixture  *f   = *state;
    const uint32_t far = UINT32_C(1) << 20;

    assert_int_equal(kith_entity_create_hint(f->world, handle(far, 1)), handle(far, 1));
    assert_next_indices(f->world, 0, 1);
}

static void a_hint_in_a_full_world_is_a_limit_error(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = test_remake(f, (kith_world_desc){ .max_entities = 2 });
    test_create_many(world, 2);

    assert_refused(&f->memory, world, KITH_ERROR_LIMIT,
                   kith_entity_create_hint(world, handle(1, 2)));
    assert_refused(&f->memory, world, KITH_ERROR_LIMIT, kith_entity_create_hint(world, KITH_NULL));
}

static void a_hint_fails_without_memory_and_changes_nothing(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world = test_remake(f, (kith_world_desc){ .free_order = test_free_orders[i] });
        test_create_many(world, 3);
        test_picture before = test_take_picture(world);
        bool         met    = false;
        for (uint32_t n = 1; !met; n++) {
            test_fail_after(&f->memory, n);
            met = kith_entity_create_hint(world, handle(9000, 1)) != KITH_NULL;
            if (!met) {
                assert_error(world, KITH_ERROR_MEMORY);
                assert_entities_unchanged(world, &before);
            }
        }
        assert_true(f->memory.failed > 0);
    }
}

// --- many hints ------------------------------------------------------------------------------

static void many_hints_are_met_before_fresh_handles_are_taken(void **state)
{
    test_fixture     *f       = *state;
    const kith_entity hints[] = { KITH_NULL, handle(0, 1), handle(3, 4), KITH_NULL };
    kith_entity       out[4];

    assert_true(kith_entity_create_hints(f->world, hints, 4, out));

    assert_int_equal(out[0], handle(1, 1));
    assert_int_equal(out[1], handle(0, 1));
    assert_int_equal(out[2], handle(3, 4));
    assert_int_equal(out[3], handle(2, 1));
}

static void of_two_hints_with_one_index_the_earlier_is_met(void **state)
{
    test_fixture     *f       = *state;
    const kith_entity hints[] = { handle(2, 1), handle(2, 5), handle(2, 1) };
    kith_entity       out[3];

    assert_true(kith_entity_create_hints(f->world, hints, 3, out));

    assert_int_equal(out[0], handle(2, 1));
    assert_int_equal(out[1], handle(0, 1));
    assert_int_equal(out[2], handle(1, 1));
}

static void a_stale_hint_does_not_stand_in_the_way_of_a_later_one(void **state)
{
    test_fixture     *f       = *state;
    const kith_entity hints[] = { handle(0, 1), handle(0, 5) };
    kith_entity       out[2];
    test_create_many(f->world, 2);
    test_destroy_index(f->world, 0);

    assert_true(kith_entity_create_hints(f->world, hints, 2, out));

    assert_int_equal(out[0], handle(2, 1));
    assert_int_equal(out[1], handle(0, 5));
}

static void many_hints_may_be_overwritten_by_their_answers(void **state)
{
    test_fixture *f       = *state;
    kith_entity   hints[] = { handle(4, 1), handle(4, 1), KITH_NULL, handle(1, 7) };

    assert_true(kith_entity_create_hints(f->world, hints, 4, hints));

    assert_int_equal(hints[0], handle(4, 1));
    assert_int_equal(hints[1], handle(0, 1));
    assert_int_equal(hints[2], handle(2, 1));
    assert_int_equal(hints[3], handle(1, 7));
}

static void many_hints_take_free_slots_from_anywhere(void **state)
{
    test_fixture     *f       = *state;
    const kith_entity hints[] = { handle(3, 2), handle(1, 1), handle(2, 1), handle(6, 1) };
    const struct {
        kith_free_order order;
        uint32_t        next[3]; // 1 lives, 2 is stale
    } cases[] = {
        { KITH_FREE_LIFO, { 5, 2, 0 } },
        { KITH_FREE_FIFO, { 0, 2, 5 } },
        { KITH_FREE_LOWEST, { 0, 2, 5 } },
    };

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world =
            test_world_with_free_slots(f, (kith_world_desc){ .free_order = cases[i].order });
        kith_entity out[4];
        assert_true(kith_entity_create_hints(world, hints, 4, out));
        assert_int_equal(out[0], handle(3, 2));
        assert_int_equal(kith_entity_index(out[1]), cases[i].next[0]);
        assert_int_equal(kith_entity_index(out[2]), cases[i].next[1]);
        assert_int_equal(out[3], handle(6, 1));
        assert_world_valid(world);
        assert_next_indices(world, cases[i].next[2], 7);
    }
}

static void no_hints_at_all_are_fine(void **state)
{
    test_fixture *f = *state;

    assert_true(kith_entity_create_hints(f->world, NULL, 0, NULL));

    assert_int_equal(kith_entity_count(f->world), 0);
}

static void one_hint_beyond_the_limits_refuses_all(void **state)
{
    test_fixture     *f       = *state;
    kith_world       *world   = test_remake(f, (kith_world_desc){ .index_bits = 5 });
    const kith_entity hints[] = { handle(1, 1), handle(32, 1), KITH_NULL };
    kith_entity       out[3]  = { 7, 7, 7 };
    test_create_many(world, 1);
    test_picture before = test_take_picture(world);

    assert_refused(&f->memory, world, KITH_ERROR_LIMIT,
                   kith_entity_create_hints(world, hints, 3, out));

    assert_entities_unchanged(world, &before);
}

static void more_hints_than_room_refuse_all(void **state)
{
    test_fixture     *f        = *state;
    kith_world       *world    = test_remake(f, (kith_world_desc){ .max_entities = 4 });
    const kith_entity hints[4] = { handle(3, 1), KITH_NULL, KITH_NULL, KITH_NULL };
    kith_entity       out[4];
    test_create_many(world, 1);
    test_picture before = test_take_picture(world);

    assert_refused(&f->memory, world, KITH_ERROR_LIMIT,
                   kith_entity_create_hints(world, hints, 4, out));

    assert_entities_unchanged(world, &before);
    assert_true(kith_entity_create_hints(world, hints, 3, out));
}

enum { MANY = 600 };

// Two of three are met, far apart; the rest is fresh.
static void fill_hints(kith_entity *hints)
{
    for (uint32_t i = 0; i < MANY; i++) {
        hints[i] = i % 3 == 0 ? KITH_NULL : handle(i * 20, i);
    }
}

static void many_hints_fail_without_memory_and_change_nothing(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world = test_remake(f, (kith_world_desc){ .free_order = test_free_orders[i] });
        test_create_many(world, 3);
        test_picture before = test_take_picture(world);
        kith_entity  hints[MANY], asked[MANY];
        bool         met = false;
        fill_hints(hints);
        fill_hints(asked);
        for (uint32_t n = 1; !met; n++) {
            test_fail_after(&f->memory, n);
            met = kith_entity_create_hints(world, hints, MANY, hints);
            if (!met) {
                assert_error(world, KITH_ERROR_MEMORY);
                assert_entities_unchanged(world, &before);
                assert_memory_equal(hints, asked, sizeof hints);
            }
        }
        assert_true(f->memory.failed > 0);
        assert_int_equal(kith_entity_count(world), 3 + MANY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(a_hint_on_an_empty_world_is_met_exactly),
        TEST_WORLD(a_null_hint_asks_for_a_fresh_entity),
        TEST_WORLD(a_hint_without_a_version_gives_a_fresh_entity),
        TEST_WORLD(a_hint_for_a_living_slot_gives_a_fresh_entity),
        TEST_WORLD(a_hint_for_a_destroyed_entity_never_brings_it_back),
        TEST_WORLD(a_hint_for_the_version_that_comes_next_is_met),
        TEST_WORLD(a_hint_for_a_newer_version_of_a_free_slot_is_met),
        TEST_WORLD(a_hint_takes_its_slot_out_of_the_middle_of_the_free_list),
        TEST_WORLD(a_hint_may_take_the_end_of_the_free_list),
        TEST_WORLD(a_hint_for_a_retired_slot_gives_a_fresh_entity),
        TEST_WORLD(jumped_over_indices_follow_the_free_order),
        TEST_WORLD(a_hint_leaves_the_queue_of_a_maximum_in_order),
        TEST_WORLD(a_jump_over_several_pages_keeps_every_index),
        TEST_WORLD(a_hint_beyond_the_limits_of_the_world_is_refused),
        TEST_WORLD(a_hint_far_beyond_the_table_needs_a_reserve_first),
        TEST_WORLD(a_hint_just_within_reach_of_the_table_is_met),
        TEST_WORLD(a_hint_in_a_full_world_is_a_limit_error),
        TEST_WORLD(a_hint_fails_without_memory_and_changes_nothing),
        TEST_WORLD(many_hints_are_met_before_fresh_handles_are_taken),
        TEST_WORLD(of_two_hints_with_one_index_the_earlier_is_met),
        TEST_WORLD(a_stale_hint_does_not_stand_in_the_way_of_a_later_one),
        TEST_WORLD(many_hints_may_be_overwritten_by_their_answers),
        TEST_WORLD(many_hints_take_free_slots_from_anywhere),
        TEST_WORLD(no_hints_at_all_are_fine),
        TEST_WORLD(one_hint_beyond_the_limits_refuses_all),
        TEST_WORLD(more_hints_than_room_refuse_all),
        TEST_WORLD(many_hints_fail_without_memory_and_change_nothing),
    };
    return cmocka_run_group_tests_name("entity_hint", tests, NULL, NULL);
}
