// SPDX-License-Identifier: MIT
// NAME_next_pair: each pair of a query once, whatever the body changes.
#include "kith_test.h"

#include "kith/random.h"

enum { SLOTS = 64 };

KITH_QUERY(movers, write(position), read(velocity), without(frozen));
KITH_QUERY(placed, read(position));

// How often a pair was handed out, by the indices of its entities.
static uint8_t times[SLOTS][SLOTS];

static kith_entity spawn_mover(kith_world *world)
{
    kith_entity e = kith_entity_create(world);
    float       x = (float)kith_entity_index(e);
    assert_non_null(position_set(world, e, (vec2){ x, 0 }));
    assert_non_null(velocity_set(world, e, (vec2){ 0, x }));
    return e;
}

// The values that the cursor shows are those of its entity.
static void assert_shows(const movers *c)
{
    assert_int_equal((uint32_t)c->position->x, kith_entity_index(c->entity));
    assert_int_equal((uint32_t)c->velocity->y, kith_entity_index(c->entity));
}

static uint32_t count_pairs(kith_world *world)
{
    uint32_t count = 0;
    movers   a     = { 0 };
    movers   b     = { 0 };
    memset(times, 0, sizeof times);
    while (movers_next_pair(world, &a, &b)) {
        assert_shows(&a);
        assert_shows(&b);
        times[kith_entity_index(a.entity)][kith_entity_index(b.entity)]++;
        count++;
    }
    assert_false(a.failed);
    return count;
}

static void the_pairs_are_those_of_two_nested_loops(void **state)
{
    test_fixture *f = *state;
    kith_entity   all[SLOTS];
    for (uint32_t i = 0; i < 40; i++) {
        all[i] = spawn_mover(f->world);
        if (i % 5 == 0) {
            assert_true(frozen_add(f->world, all[i]));
        }
    }
    velocity_remove(f->world, all[7]);
    velocity_set(f->world, all[7], (vec2){ 0, 7 }); // pools in different orders
    uint32_t expected = 0;
    uint32_t count    = count_pairs(f->world);
    for (uint32_t i = 0; i < 40; i++) {
        for (uint32_t j = 0; j < 40; j++) {
            bool pair = i < j && i % 5 != 0 && j % 5 != 0;
            assert_int_equal(times[i][j], pair);
            expected += pair;
        }
    }
    assert_int_equal(count, expected);
}

static void fewer_than_two_entities_have_no_pair(void **state)
{
    test_fixture *f = *state;
    assert_int_equal(count_pairs(f->world), 0);
    spawn_mover(f->world);
    assert_int_equal(count_pairs(f->world), 0);
    spawn_mover(f->world);
    assert_int_equal(count_pairs(f->world), 1);
}

static void the_loops_are_closed_at_the_end_and_by_end(void **state)
{
    test_fixture *f = *state;
    movers        a = { 0 };
    movers        b = { 0 };
    for (uint32_t i = 0; i < 4; i++) {
        spawn_mover(f->world);
    }
    count_pairs(f->world);
    assert_int_not_equal(kith_world_advance(f->world), 0); // refused while a loop is open

    assert_true(movers_next_pair(f->world, &a, &b));
    assert_int_equal(kith_world_advance(f->world), 0);
    movers_end(&a);
    assert_int_not_equal(kith_world_advance(f->world), 0);
}

static void without_room_for_two_loops_the_first_cursor_has_failed(void **state)
{
    test_fixture *f = *state;
    movers        a = { 0 };
    movers        b = { 0 };
    placed        outer[KITH_LOOP_DEPTH_MAX];
    spawn_mover(f->world);
    spawn_mover(f->world);
    for (uint32_t i = 0; i + 1 < KITH_LOOP_DEPTH_MAX; i++) {
        outer[i] = placed_begin(f->world);
        assert_true(placed_next(&outer[i]));
    }
    assert_false(movers_next_pair(f->world, &a, &b));
    assert_true(a.failed);
    assert_error(f->world, KITH_ERROR_LIMIT);
    placed_end(&outer[0]);
    assert_int_equal(count_pairs(f->world), 1);
}

// --- changes in the body ---------------------------------------------------------------------

// What one walk has done so far. An entity is whole while it has been there since the begin.
typedef struct walk {
    kith_world *world;
    uint64_t    state; // of the random numbers
    kith_entity first[SLOTS];
    uint32_t    count;
    bool        whole[SLOTS];
} walk;

static uint32_t below(walk *w, uint32_t bound)
{
    w->state = kith_random(w->state, 1, 1, 1);
    return (uint32_t)kith_random_below(w->state, bound);
}

static void change_something(walk *w)
{
    uint32_t    i = below(w, w->count);
    kith_entity e = w->first[i];
    switch (below(w, 12)) {
    case 0:
        w->whole[i] = !kith_entity_destroy(w->world, e) && w->whole[i];
        break;
    case 1:
        if (velocity_remove(w->world, e)) {
            w->whole[i] = false;
        }
        break;
    case 2: // it comes back, which is a break
        if (position_remove(w->world, e)) {
            w->whole[i] = false;
            position_set(w->world, e, (vec2){ (float)kith_entity_index(e), 0 });
        }
        break;
    case 3:
        if (kith_world_stats(w->world).slots < SLOTS) {
            spawn_mover(w->world);
        }
        break;
    default:
        break;
    }
}

static void walk_with_changes(kith_world *world, uint64_t seed)
{
    walk w  = { .world = world, .state = seed };
    w.count = 2 + below(&w, 20);
    for (uint32_t i = 0; i < w.count; i++) {
        w.first[i] = spawn_mover(world);
        w.whole[i] = true;
    }
    movers a = { 0 };
    movers b = { 0 };
    memset(times, 0, sizeof times);
    while (movers_next_pair(world, &a, &b)) {
        uint32_t i = kith_entity_index(a.entity);
        uint32_t j = kith_entity_index(b.entity);
        assert_shows(&a);
        assert_shows(&b);
        assert_true(i < j && kith_entity_alive(world, a.entity) &&
                    kith_entity_alive(world, b.entity));
        assert_true(i < w.count && w.first[i] == a.entity && w.whole[i]);
        if (j < w.count && w.first[j] == b.entity) {
            assert_int_equal(++times[i][j], 1);
        }
        change_something(&w);
    }
    for (uint32_t i = 0; i < w.count; i++) {
        for (uint32_t j = i + 1; j < w.count && w.whole[i]; j++) {
            assert_true(!w.whole[j] || times[i][j] == 1);
        }
    }
    assert_world_valid(world);
    kith_world_clear(world);
}

static void each_pair_comes_once_whatever_the_body_changes(void **state)
{
    test_fixture *f     = *state;
    uint64_t      seed  = test_seed();
    uint32_t      steps = test_thinned(2000);
    for (uint32_t i = 0; i < steps; i++) {
        f->world = test_remake(f, (kith_world_desc){ 0 });
        walk_with_changes(f->world, seed + i);
    }
}

int main(void)
{
#define CASE(NAME) cmocka_unit_test_setup_teardown(NAME, test_setup, test_teardown)
    const struct CMUnitTest tests[] = {
        CASE(the_pairs_are_those_of_two_nested_loops),
        CASE(fewer_than_two_entities_have_no_pair),
        CASE(the_loops_are_closed_at_the_end_and_by_end),
        CASE(without_room_for_two_loops_the_first_cursor_has_failed),
        CASE(each_pair_comes_once_whatever_the_body_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
