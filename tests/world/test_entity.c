// SPDX-License-Identifier: MIT
// Tests entities: creating, destroying, hints, versions, orders of reuse and limits.
#include "kith_test.h"

#define ALL_ONES    UINT64_MAX
#define RETIRED     (KITH_NO_INDEX - 1)
#define MAX_VERSION UINT32_MAX

// --- create, destroy, alive ------------------------------------------------------------------

static void the_first_entities_have_ascending_indices_and_version_one(void **state)
{
    test_fixture *f = *state;

    for (uint32_t index = 0; index < 3000; index++) {
        assert_int_equal(kith_entity_create(f->world), handle(index, 1));
    }

    assert_int_equal(kith_entity_count(f->world), 3000);
}

static void destroy_says_whether_the_entity_was_alive(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    assert_true(kith_entity_destroy(f->world, ship));
    assert_false(kith_entity_destroy(f->world, ship));
    assert_false(kith_entity_destroy(f->world, KITH_NULL));
    assert_false(kith_entity_destroy(f->world, handle(0, 0)));
    assert_false(kith_entity_destroy(f->world, handle(0, MAX_VERSION)));
    assert_false(kith_entity_destroy(f->world, handle(77, 1)));
    assert_false(kith_entity_destroy(f->world, ALL_ONES));

    assert_int_equal(f->memory.errors, 0);
    assert_int_equal(kith_entity_count(f->world), 0);
}

static void a_destroyed_entity_is_dead_and_its_slot_lives_on_with_the_next_version(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    kith_entity_destroy(f->world, ship);
    kith_entity heir = kith_entity_create(f->world);

    assert_int_equal(heir, handle(0, 2));
    assert_false(kith_entity_alive(f->world, ship));
    assert_true(kith_entity_alive(f->world, heir));
}

static void destroy_takes_everything_away_without_allocating(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    position_set(f->world, ship, (vec2){ 1, 2 });
    health_set(f->world, ship, 3);
    frozen_add(f->world, ship);
    hidden_add(f->world, ship);
    f->memory.fail_all = true;

    assert_true(kith_entity_destroy(f->world, ship));

    assert_int_equal(f->memory.failed, 0);
    assert_int_equal(position_count(f->world), 0);
    assert_int_equal(health_count(f->world), 0);
    assert_int_equal(frozen_count(f->world), 0);
    assert_int_equal(hidden_count(f->world), 0);
}

static void a_reused_slot_inherits_no_components(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    position_set(f->world, ship, (vec2){ 1, 2 });
    hidden_add(f->world, ship);

    kith_entity_destroy(f->world, ship);
    kith_entity heir = kith_entity_create(f->world);

    assert_false(position_has(f->world, heir));
    assert_false(hidden_has(f->world, heir));
}

static void only_the_exact_handle_of_a_living_entity_is_alive(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 2);
    test_destroy_index(f->world, 1);

    for (uint32_t index = 0; index < 3; index++) {
        assert_false(kith_entity_alive(f->world, handle(index, 0)));
        assert_false(kith_entity_alive(f->world, handle(index, 2)));
        assert_false(kith_entity_alive(f->world, handle(index, MAX_VERSION)));
    }
    assert_true(kith_entity_alive(f->world, handle(0, 1)));
    assert_false(kith_entity_alive(f->world, handle(1, 1)));
    assert_false(kith_entity_alive(f->world, KITH_NULL));
    assert_false(kith_entity_alive(f->world, ALL_ONES));
    assert_false(kith_entity_alive(f->world, handle(KITH_NO_INDEX, 1)));
    assert_false(kith_entity_alive(f->world, handle(RETIRED, 1)));
}

static void what_a_slot_stores_is_never_alive_unless_it_lives(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 3);
    test_destroy_index(f->world, 0);
    test_destroy_index(f->world, 2);

    assert_false(kith_entity_alive(f->world, kith_entity_slot(f->world, 0)));
    assert_true(kith_entity_alive(f->world, kith_entity_slot(f->world, 1)));
    assert_false(kith_entity_alive(f->world, kith_entity_slot(f->world, 2)));
    assert_false(kith_entity_alive(f->world, kith_entity_slot(f->world, 3)));
}

static void current_is_the_version_of_the_slot_dead_or_alive(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 2);
    test_destroy_index(f->world, 1);

    assert_int_equal(version_of_slot(f->world, handle(0, 1)), 1);
    assert_int_equal(version_of_slot(f->world, handle(0, MAX_VERSION)), 1);
    assert_int_equal(version_of_slot(f->world, KITH_NULL), 1); // its index is 0
    assert_int_equal(version_of_slot(f->world, handle(1, 1)), 2);
    assert_int_equal(version_of_slot(f->world, handle(1, 0)), 2);
    assert_int_equal(version_of_slot(f->world, handle(2, 1)), 0);
    assert_int_equal(version_of_slot(f->world, ALL_ONES), 0);
}

static void in_an_empty_world_nothing_is_alive(void **state)
{
    test_fixture *f = *state;

    assert_false(kith_entity_alive(f->world, KITH_NULL));
    assert_false(kith_entity_alive(f->world, handle(0, 1)));
    assert_false(kith_entity_alive(f->world, ALL_ONES));
    assert_int_equal(version_of_slot(f->world, KITH_NULL), 0);
    assert_int_equal(kith_entity_slot(f->world, 0), 0);
    assert_int_equal(kith_entity_slot(f->world, UINT32_MAX), 0);
    assert_int_equal(kith_entity_next(f->world, KITH_NULL), KITH_NULL);
    assert_int_equal(kith_entity_count(f->world), 0);
}

static void create_fails_without_memory_and_works_again_with_it(void **state)
{
    test_fixture *f      = *state;
    test_picture  before = test_take_picture(f->world);
    f->memory.fail_all   = true;

    assert_refused(&f->memory, f->world, KITH_ERROR_MEMORY, kith_entity_create(f->world));

    assert_entities_unchanged(f->world, &before);
    f->memory.fail_all = false;
    assert_int_equal(kith_entity_create(f->world), handle(0, 1));
}

// --- the free list ---------------------------------------------------------------------------

typedef struct step {
    kith_entity destroyed; // KITH_NULL: the step creates
    kith_entity created;
    uint32_t    head;
    kith_entity slots[4];
} step;

// An id as the walkthrough writes it: its versions start at 0, ours at 1.
static kith_entity walkthrough_id(uint32_t index, uint32_t version)
{
    return handle(index, version + 1);
}

static void assert_step(kith_world *world, const step *expected)
{
    if (expected->destroyed != KITH_NULL) {
        assert_true(kith_entity_destroy(world, expected->destroyed));
    } else {
        assert_int_equal(kith_entity_create(world), expected->created);
    }
    assert_int_equal(kith_world_stats(world).next_free, expected->head);
    for (uint32_t index = 0; index < 4; index++) {
        assert_int_equal(kith_entity_slot(world, index), expected->slots[index]);
    }
    assert_world_valid(world);
}

// The walkthrough "adding/removing entities" of a well-known description of EnTT, step by step.
static void the_free_list_follows_the_walkthrough(void **state)
{
    test_fixture     *f    = *state;
    const kith_entity e0v0 = walkthrough_id(0, 0), e0v1 = walkthrough_id(0, 1);
    const kith_entity e1v0 = walkthrough_id(1, 0), e1v1 = walkthrough_id(1, 1);
    const kith_entity e1v2 = walkthrough_id(1, 2), e2v0 = walkthrough_id(2, 0);
    const kith_entity e2v1 = walkthrough_id(2, 1), e3v0 = walkthrough_id(3, 0);
    const kith_entity end1  = walkthrough_id(KITH_NO_INDEX, 1),
                      end2  = walkthrough_id(KITH_NO_INDEX, 2);
    const kith_entity to0v1 = walkthrough_id(0, 1), to1v1 = walkthrough_id(1, 1);
    const step        steps[] = {
               { 0, e0v0, KITH_NO_INDEX, { e0v0 } },
               { 0, e1v0, KITH_NO_INDEX, { e0v0, e1v0 } },
               { 0, e2v0, KITH_NO_INDEX, { e0v0, e1v0, e2v0 } },
               { e1v0, 0, 1, { e0v0, end1, e2v0 } },
               { 0, e1v1, KITH_NO_INDEX, { e0v0, e1v1, e2v0 } },
               { e1v1, 0, 1, { e0v0, end2, e2v0 } },
               { e0v0, 0, 0, { to1v1, end2, e2v0 } },
               { e2v0, 0, 2, { to1v1, end2, to0v1 } },
               { 0, e2v1, 0, { to1v1, end2, e2v1 } },
               { 0, e0v1, 1, { e0v1, end2, e2v1 } },
               { 0, e1v2, KITH_NO_INDEX, { e0v1, e1v2, e2v1 } },
               { 0, e3v0, KITH_NO_INDEX, { e0v1, e1v2, e2v1, e3v0 } },
    };

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        assert_step(f->world, &steps[i]);
    }
}

static void lifo_hands_out_the_newest_free_index_first(void **state)
{
    test_fixture *f = *state;
    kith_world   *world =
        test_world_with_free_slots(f, (kith_world_desc){ .free_order = KITH_FREE_LIFO });

    assert_int_equal(kith_world_stats(world).next_free, 2);
    assert_next_indices(world, 2, 0, 3, 5);
}

static void fifo_hands_out_the_oldest_free_index_first(void **state)
{
    test_fixture *f = *state;
    kith_world   *world =
        test_world_with_free_slots(f, (kith_world_desc){ .free_order = KITH_FREE_FIFO });

    assert_int_equal(kith_world_stats(world).next_free, 3);
    assert_next_indices(world, 3, 0, 2, 5);
}

static void lowest_hands_out_the_lowest_free_index_first(void **state)
{
    test_fixture *f = *state;
    kith_world   *world =
        test_world_with_free_slots(f, (kith_world_desc){ .free_order = KITH_FREE_LOWEST });

    assert_int_equal(kith_world_stats(world).next_free, 0);
    assert_next_indices(world, 0, 2, 3, 5);
}

static void the_default_order_is_lifo_with_16_version_bits_or_more(void **state)
{
    test_fixture *f = *state;

    assert_next_indices(test_world_with_free_slots(f, (kith_world_desc){ 0 }), 2, 0, 3, 5);
    assert_next_indices(test_world_with_free_slots(f, (kith_world_desc){ .version_bits = 16 }), 2,
                        0, 3, 5);
}

static void the_default_order_is_fifo_with_fewer_than_16_version_bits(void **state)
{
    test_fixture *f = *state;

    assert_next_indices(test_world_with_free_slots(f, (kith_world_desc){ .version_bits = 15 }), 3,
                        0, 2, 5);
    assert_next_indices(test_world_with_free_slots(f, (kith_world_desc){ .version_bits = 2 }), 3, 0,
                        2, 5);
}

static void a_chosen_order_holds_with_few_version_bits(void **state)
{
    test_fixture *f = *state;

    kith_world *world = test_world_with_free_slots(
        f, (kith_world_desc){ .version_bits = 15, .free_order = KITH_FREE_LIFO });

    assert_next_indices(world, 2, 0, 3, 5);
}

static void fifo_with_a_maximum_queues_every_index_from_the_start(void **state)
{
    test_fixture *f = *state;
    kith_world   *world =
        test_remake(f, (kith_world_desc){ .free_order = KITH_FREE_FIFO, .max_entities = 5 });
    assert_next_indices(world, 0, 1, 2);
    test_destroy_index(world, 0);

    assert_next_indices(world, 3);
    test_destroy_index(world, 3);
    assert_next_indices(world, 4);

    assert_int_equal(kith_entity_create(world), handle(0, 2));
    assert_int_equal(kith_entity_create(world), handle(3, 2));
    assert_refused(&f->memory, world, KITH_ERROR_LIMIT, kith_entity_create(world));
}

static void lowest_first_works_over_three_levels_of_words(void **state)
{
    test_fixture  *f       = *state;
    kith_world    *world   = test_remake(f, (kith_world_desc){ .free_order = KITH_FREE_LOWEST });
    const uint32_t freed[] = { 8191, 63, 4097, 4096, 0, 4095, 64, 8999, 127 };
    test_create_many(world, 9000);

    test_destroy_indices(world, freed, sizeof freed / sizeof freed[0]);

    assert_int_equal(kith_world_stats(world).free, 9);
    assert_next_indices(world, 0, 63, 64, 127, 4095, 4096, 4097, 8191, 8999, 9000);
    assert_int_equal(kith_world_stats(world).next_free, KITH_NO_INDEX);
}

static void stats_count_the_slots_in_every_state(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = test_remake(f, (kith_world_desc){ .version_bits = 1 });
    test_create_many(world, 3);
    test_destroy_index(world, 1);

    kith_stats stats = kith_world_stats(world);

    assert_int_equal(stats.alive, 2);
    assert_int_equal(stats.slots, 3);
    assert_int_equal(stats.free, 0);
    assert_int_equal(stats.retired, 1);
    assert_int_equal(stats.next_free, KITH_NO_INDEX);
    assert_int_equal(stats.components, 5);
}

static void stats_follow_create_and_destroy(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world =
            test_world_with_free_slots(f, (kith_world_desc){ .free_order = test_free_orders[i] });
        kith_stats stats = kith_world_stats(world);
        assert_int_equal(stats.alive, 2);
        assert_int_equal(stats.slots, 5);
        assert_int_equal(stats.free, 3);
        assert_int_equal(stats.retired, 0);
    }
}

// --- retirement and limits -------------------------------------------------------------------

static void a_slot_is_retired_after_its_last_version(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = test_remake(f, (kith_world_desc){ .version_bits = 2 });
    for (uint32_t version = 1; version <= 3; version++) {
        assert_int_equal(kith_entity_create(world), handle(0, version));
        assert_true(kith_entity_destroy(world, handle(0, version)));
    }

    assert_int_equal(kith_world_stats(world).retired, 1);
    assert_int_equal(kith_world_stats(world).free, 0);
    assert_int_equal(kith_entity_slot(world, 0), handle(RETIRED, 3));
    assert_int_equal(version_of_slot(world, handle(0, 1)), 3);
    assert_false(kith_entity_alive(world, handle(0, 3)));
    assert_int_equal(kith_entity_create(world), handle(1, 1));
}

static void even_32_version_bits_end_in_retirement(void **state)
{
    test_fixture *f    = *state;
    kith_entity   last = handle(0, MAX_VERSION);
    assert_int_equal(kith_entity_create_hint(f->world, last), last);

    assert_true(kith_entity_destroy(f->world, last));

    assert_int_equal(kith_world_stats(f->world).retired, 1);
    assert_false(kith_entity_alive(f->world, last));
    assert_int_equal(version_of_slot(f->world, last), MAX_VERSION);
    assert_int_equal(kith_entity_create(f->world), handle(1, 1));
}

static void a_retired_slot_leaves_the_free_list_in_every_order(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world = test_remake(
            f, (kith_world_desc){ .version_bits = 1, .free_order = test_free_orders[i] });
        test_create_many(world, 4);
        test_destroy_indices(world, (const uint32_t[]){ 2, 0 }, 2);
        assert_next_indices(world, 4, 5);
        assert_int_equal(kith_world_stats(world).retired, 2);
    }
}

static void a_full_world_refuses_until_an_entity_goes(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = test_remake(f, (kith_world_desc){ .max_entities = 3 });
    test_create_many(world, 3);
    test_picture before = test_take_picture(world);

    assert_refused(&f->memory, world, KITH_ERROR_LIMIT, kith_entity_create(world));

    assert_entities_unchanged(world, &before);
    test_destroy_index(world, 1);
    assert_int_equal(kith_entity_create(world), handle(1, 2));
    assert_refused(&f->memory, world, KITH_ERROR_LIMIT, kith_entity_create(world));
}

static void index_bits_limit_the_world_to_their_power_of_two(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = test_remake(f, (kith_world_desc){ .index_bits = 3 });

    test_create_many(world, 8);

    assert_refused(&f->memory, world, KITH_ERROR_LIMIT, kith_entity_create(world));
}

static void a_world_of_one_index_bit_and_one_version_bit_makes_two_entities(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world = test_remake(f, (kith_world_desc){ .index_bits   = 1,
                                                              .version_bits = 1,
                                                              .free_order = test_free_orders[i] });
        assert_int_equal(kith_entity_create(world), handle(0, 1));
        assert_int_equal(kith_entity_create(world), handle(1, 1));
        test_destroy_indices(world, (const uint32_t[]){ 0, 1 }, 2);
        assert_refused(&f->memory, world, KITH_ERROR_LIMIT, kith_entity_create(world));
        assert_int_equal(kith_world_stats(world).retired, 2);
    }
}

// Every handle of a world with 4 + 4 bits, as the 8-bit number that pack makes of it.
typedef struct proof {
    kith_world *world;
    uint64_t    seed;
    bool        issued[256];
    uint32_t    issued_count;
    kith_entity living[16];
    uint32_t    living_count;
} proof;

static void prove_new(proof *p, kith_entity entity)
{
    uint64_t number = kith_entity_pack(entity, 4);
    assert_in_range(number, 16, 255);
    assert_false(p->issued[number]);
    assert_true(kith_entity_alive(p->world, entity));
    p->issued[number] = true;
    p->issued_count++;
    p->living[p->living_count++] = entity;
}

static void destroy_living(proof *p, uint32_t position)
{
    assert_true(kith_entity_destroy(p->world, p->living[position]));
    p->living_count--;
    memmove(&p->living[position], &p->living[position + 1],
            (p->living_count - position) * sizeof p->living[0]);
}

static uint32_t choose_newest(proof *p)
{
    return p->living_count - 1;
}

static uint32_t choose_oldest(proof *p)
{
    (void)p;
    return 0;
}

static uint32_t choose_lowest(proof *p)
{
    uint32_t lowest = 0;
    for (uint32_t i = 1; i < p->living_count; i++) {
        bool lower = kith_entity_index(p->living[i]) < kith_entity_index(p->living[lowest]);
        lowest     = lower ? i : lowest;
    }
    return lowest;
}

static uint32_t choose_any(proof *p)
{
    return test_random_below(&p->seed, p->living_count);
}

typedef uint32_t (*choose_fn)(proof *p);
typedef kith_entity (*make_fn)(proof *p);

static kith_entity make_fresh(proof *p)
{
    return kith_entity_create(p->world);
}

// Any handle at all: never issued, living, dead, retired, or no handle.
static kith_entity make_hinted(proof *p)
{
    kith_entity hint = handle(test_random_below(&p->seed, 16), test_random_below(&p->seed, 16));
    return kith_entity_create_hint(p->world, hint);
}

// Creates, keeping at most `living_most` alive, until the world has no handle left.
static void run_dry(proof *p, make_fn make, choose_fn choose, uint32_t living_most)
{
    for (;;) {
        kith_entity made = make(p);
        if (made != KITH_NULL) {
            prove_new(p, made);
        } else {
            assert_error(p->world, KITH_ERROR_LIMIT);
            if (p->living_count == 0) {
                return;
            }
        }
        if (made == KITH_NULL || p->living_count >= living_most) {
            destroy_living(p, choose(p));
        }
    }
}

static void assert_used_up(const proof *p)
{
    assert_int_equal(kith_world_stats(p->world).retired, 16);
    assert_int_equal(kith_world_stats(p->world).alive, 0);
    for (uint64_t number = 0; number < 256; number++) {
        assert_false(kith_entity_alive(p->world, kith_entity_unpack(number, 4)));
    }
}

static const kith_world_desc tiny_worlds[] = {
    { .index_bits = 4, .version_bits = 4, .free_order = KITH_FREE_LIFO },
    { .index_bits = 4, .version_bits = 4, .free_order = KITH_FREE_FIFO },
    { .index_bits = 4, .version_bits = 4, .free_order = KITH_FREE_LOWEST },
    { .index_bits = 4, .version_bits = 4, .free_order = KITH_FREE_FIFO, .max_entities = 16 },
};

// Runs every tiny world dry under every order of destruction and three numbers of living entities.
static void prove_for_all(test_fixture *f, make_fn make, uint32_t least_issued)
{
    const choose_fn choices[]      = { choose_newest, choose_oldest, choose_lowest, choose_any };
    const uint32_t  living_mosts[] = { 1, 7, 16 };
    uint64_t        seed           = test_seed();

    for (size_t run = 0; run < 4 * 4 * 3; run++) {
        proof p = { .world = test_remake(f, tiny_worlds[run % 4]), .seed = seed++ };
        run_dry(&p, make, choices[run / 4 % 4], living_mosts[run / 16]);
        assert_used_up(&p);
        assert_in_range(p.issued_count, least_issued, 16 * 15);
    }
}

static void no_handle_is_issued_twice_until_every_slot_is_retired(void **state)
{
    prove_for_all(*state, make_fresh, 16 * 15);
}

// A hint may jump over versions, so fewer handles are issued; each slot issues one at least.
static void no_handle_is_issued_twice_whatever_the_hints(void **state)
{
    prove_for_all(*state, make_hinted, 16);
}

static void a_world_with_21_version_bits_has_only_handles_that_fit_a_double(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = test_remake(f, (kith_world_desc){ .version_bits = 21 });
    kith_entity   last  = handle(0, (UINT32_C(1) << 21) - 1);

    assert_int_equal(kith_entity_create_hint(world, last), last);
    assert_int_equal(kith_entity_from_double(kith_entity_to_double(last)), last);
    assert_refused(&f->memory, world, KITH_ERROR_LIMIT,
                   kith_entity_create_hint(world, handle(1, UINT32_C(1) << 21)));
}

// --- reserve ---------------------------------------------------------------------------------

static void after_a_reserve_the_table_grows_without_allocating(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world = test_remake(f, (kith_world_desc){ .free_order = test_free_orders[i] });
        assert_true(kith_entity_reserve(world, 5000));
        f->memory.fail_all = true;
        test_create_many(world, 5000);
        f->memory.fail_all = false;
        assert_int_equal(kith_world_stats(world).slots, 5000);
    }
}

static void a_reserve_makes_no_entity_and_no_slot(void **state)
{
    test_fixture *f      = *state;
    test_picture  before = test_take_picture(f->world);

    assert_true(kith_entity_reserve(f->world, 3000));
    assert_true(kith_entity_reserve(f->world, 0));

    assert_entities_unchanged(f->world, &before);
}

static void a_reserve_beyond_the_limits_is_refused(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = test_remake(f, (kith_world_desc){ .max_entities = 100 });

    assert_true(kith_entity_reserve(world, 100));
    assert_refused(&f->memory, world, KITH_ERROR_LIMIT, kith_entity_reserve(world, 101));
    assert_refused(&f->memory, world, KITH_ERROR_LIMIT, kith_entity_reserve(world, UINT32_MAX));
}

static void a_reserve_fails_without_memory_and_changes_nothing(void **state)
{
    test_fixture *f        = *state;
    bool          reserved = false;
    test_picture  before   = test_take_picture(f->world);

    for (uint32_t n = 1; !reserved; n++) {
        test_fail_after(&f->memory, n);
        reserved = kith_entity_reserve(f->world, 5000);
        assert_entities_unchanged(f->world, &before);
    }

    assert_error(f->world, KITH_ERROR_MEMORY);
    assert_true(f->memory.failed > 0);
}

// --- first_index -----------------------------------------------------------------------------

static void indices_below_the_first_are_not_handed_out(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world = test_remake(
            f, (kith_world_desc){ .first_index = 100, .free_order = test_free_orders[i] });
        assert_next_indices(world, 100, 101);
        test_destroy_index(world, 100);
        assert_next_indices(world, 100, 102);
        assert_int_equal(kith_world_stats(world).slots, 103);
        assert_int_equal(kith_world_stats(world).free, 0);
    }
}

static void hints_below_the_first_index_are_met(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world = test_remake(
            f, (kith_world_desc){ .first_index = 100, .free_order = test_free_orders[i] });
        assert_int_equal(kith_entity_create_hint(world, handle(7, 2)), handle(7, 2));
        assert_int_equal(kith_entity_create_hint(world, handle(0, 1)), handle(0, 1));
        assert_next_indices(world, 100, 101);
    }
}

static void a_destroyed_reserved_index_waits_for_its_hint(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world = test_remake(
            f, (kith_world_desc){ .first_index = 100, .free_order = test_free_orders[i] });
        kith_entity_create_hint(world, handle(7, 1));
        test_destroy_index(world, 7);
        assert_next_indices(world, 100, 101);
        assert_int_equal(kith_entity_create_hint(world, handle(7, 1)), handle(102, 1));
        assert_int_equal(kith_entity_create_hint(world, handle(7, 2)), handle(7, 2));
        kith_world_clear(world);
        assert_next_indices(world, 100, 101, 102, 103);
    }
}

static void a_reserved_index_counts_as_a_slot_of_its_own(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = test_remake(f, (kith_world_desc){ .first_index = 4, .max_entities = 6 });

    assert_next_indices(world, 4, 5);

    assert_refused(&f->memory, world, KITH_ERROR_LIMIT, kith_entity_create(world));
    assert_int_equal(kith_entity_create_hint(world, handle(3, 1)), handle(3, 1));
    assert_refused(&f->memory, world, KITH_ERROR_LIMIT, kith_entity_create(world));
}

// --- walk ------------------------------------------------------------------------------------

static void the_walk_visits_the_living_in_ascending_order(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 2100);
    for (uint32_t index = 0; index < 2100; index += 3) {
        test_destroy_index(f->world, index);
    }

    uint32_t    expected = 1;
    kith_entity entity   = kith_entity_next(f->world, KITH_NULL);
    for (; entity != KITH_NULL; entity = kith_entity_next(f->world, entity)) {
        assert_int_equal(entity, handle(expected, 1));
        expected += expected % 3 == 1 ? 1 : 2;
    }

    assert_int_equal(expected, 2101);
}

static void the_walk_begins_with_index_zero(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 2);

    assert_int_equal(kith_entity_next(f->world, KITH_NULL), handle(0, 1));
    assert_int_equal(kith_entity_next(f->world, handle(0, 1)), handle(1, 1));
    assert_int_equal(kith_entity_next(f->world, handle(1, 1)), KITH_NULL);
}

static void the_walk_goes_on_from_an_entity_that_was_destroyed(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 3000);

    uint32_t    visited = 0;
    kith_entity entity  = KITH_NULL;
    while ((entity = kith_entity_next(f->world, entity)) != KITH_NULL) {
        assert_true(kith_entity_destroy(f->world, entity));
        visited++;
    }

    assert_int_equal(visited, 3000);
    assert_int_equal(kith_entity_count(f->world), 0);
}

static void the_walk_skips_what_was_destroyed_ahead_of_it(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 4);

    kith_entity first = kith_entity_next(f->world, KITH_NULL);
    test_destroy_index(f->world, 1);
    test_destroy_index(f->world, 2);

    assert_int_equal(kith_entity_next(f->world, first), handle(3, 1));
}

static void the_walk_ends_after_the_table_for_any_number(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 2);

    assert_int_equal(kith_entity_next(f->world, ALL_ONES), KITH_NULL);
    assert_int_equal(kith_entity_next(f->world, handle(KITH_NO_INDEX, 1)), KITH_NULL);
    assert_int_equal(kith_entity_next(f->world, handle(5000, 1)), KITH_NULL);
}

// --- clear -----------------------------------------------------------------------------------

static void clear_hands_indices_out_again_as_its_order_says(void **state)
{
    test_fixture *f = *state;
    const struct {
        kith_free_order order;
        uint32_t        next[6];
    } cases[] = {
        { KITH_FREE_LIFO, { 0, 2, 3, 5, 1, 4 } },
        { KITH_FREE_FIFO, { 4, 1, 0, 2, 3, 5 } },
        { KITH_FREE_LOWEST, { 0, 1, 2, 3, 4, 5 } },
    };

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world     *world = test_remake(f, (kith_world_desc){ .free_order = cases[i].order });
        const uint32_t *next  = cases[i].next;
        test_create_many(world, 6);
        test_destroy_indices(world, (const uint32_t[]){ 4, 1 }, 2);
        kith_world_clear(world);
        assert_int_equal(kith_world_stats(world).free, 6);
        assert_int_equal(kith_world_stats(world).next_free, next[0]);
        assert_world_valid(world);
        assert_next_indices(world, next[0], next[1], next[2], next[3], next[4], next[5], 6);
    }
}

static void clear_ends_every_entity_and_its_components_without_allocating(void **state)
{
    test_fixture *f = *state;
    for (uint32_t i = 0; i < 2000; i++) {
        kith_entity entity = kith_entity_create(f->world);
        position_set(f->world, entity, (vec2){ 1, 2 });
        hidden_add(f->world, entity);
    }
    f->memory.fail_all = true;

    kith_world_clear(f->world);

    assert_int_equal(f->memory.failed, 0);
    assert_int_equal(kith_entity_count(f->world), 0);
    assert_int_equal(position_count(f->world), 0);
    assert_int_equal(hidden_count(f->world), 0);
    assert_int_equal(kith_entity_create(f->world), handle(0, 2));
    assert_false(hidden_has(f->world, handle(0, 2)));
}

static void clear_retires_slots_with_their_last_version(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = test_remake(f, (kith_world_desc){ .version_bits = 2 });
    assert_int_equal(kith_entity_create_hint(world, handle(0, 3)), handle(0, 3));
    test_create_many(world, 1);

    kith_world_clear(world);

    assert_int_equal(kith_world_stats(world).retired, 1);
    assert_int_equal(kith_world_stats(world).free, 1);
    assert_int_equal(kith_entity_create(world), handle(1, 2));
}

static void clear_of_a_queue_from_the_start_keeps_unused_indices_first(void **state)
{
    test_fixture *f = *state;
    kith_world   *world =
        test_remake(f, (kith_world_desc){ .free_order = KITH_FREE_FIFO, .max_entities = 5 });
    test_create_many(world, 3);
    test_destroy_index(world, 1);

    kith_world_clear(world);

    assert_next_indices(world, 3, 4, 1, 0, 2);
}

static void clear_of_an_empty_world_changes_nothing(void **state)
{
    test_fixture *f      = *state;
    test_picture  before = test_take_picture(f->world);

    kith_world_clear(f->world);

    assert_entities_unchanged(f->world, &before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(the_first_entities_have_ascending_indices_and_version_one),
        TEST_WORLD(destroy_says_whether_the_entity_was_alive),
        TEST_WORLD(a_destroyed_entity_is_dead_and_its_slot_lives_on_with_the_next_version),
        TEST_WORLD(destroy_takes_everything_away_without_allocating),
        TEST_WORLD(a_reused_slot_inherits_no_components),
        TEST_WORLD(only_the_exact_handle_of_a_living_entity_is_alive),
        TEST_WORLD(what_a_slot_stores_is_never_alive_unless_it_lives),
        TEST_WORLD(current_is_the_version_of_the_slot_dead_or_alive),
        TEST_WORLD(in_an_empty_world_nothing_is_alive),
        TEST_WORLD(create_fails_without_memory_and_works_again_with_it),
        TEST_WORLD(the_free_list_follows_the_walkthrough),
        TEST_WORLD(lifo_hands_out_the_newest_free_index_first),
        TEST_WORLD(fifo_hands_out_the_oldest_free_index_first),
        TEST_WORLD(lowest_hands_out_the_lowest_free_index_first),
        TEST_WORLD(the_default_order_is_lifo_with_16_version_bits_or_more),
        TEST_WORLD(the_default_order_is_fifo_with_fewer_than_16_version_bits),
        TEST_WORLD(a_chosen_order_holds_with_few_version_bits),
        TEST_WORLD(fifo_with_a_maximum_queues_every_index_from_the_start),
        TEST_WORLD(lowest_first_works_over_three_levels_of_words),
        TEST_WORLD(stats_count_the_slots_in_every_state),
        TEST_WORLD(stats_follow_create_and_destroy),
        TEST_WORLD(a_slot_is_retired_after_its_last_version),
        TEST_WORLD(even_32_version_bits_end_in_retirement),
        TEST_WORLD(a_retired_slot_leaves_the_free_list_in_every_order),
        TEST_WORLD(a_full_world_refuses_until_an_entity_goes),
        TEST_WORLD(index_bits_limit_the_world_to_their_power_of_two),
        TEST_WORLD(a_world_of_one_index_bit_and_one_version_bit_makes_two_entities),
        TEST_WORLD(no_handle_is_issued_twice_until_every_slot_is_retired),
        TEST_WORLD(no_handle_is_issued_twice_whatever_the_hints),
        TEST_WORLD(a_world_with_21_version_bits_has_only_handles_that_fit_a_double),
        TEST_WORLD(after_a_reserve_the_table_grows_without_allocating),
        TEST_WORLD(a_reserve_makes_no_entity_and_no_slot),
        TEST_WORLD(a_reserve_beyond_the_limits_is_refused),
        TEST_WORLD(a_reserve_fails_without_memory_and_changes_nothing),
        TEST_WORLD(indices_below_the_first_are_not_handed_out),
        TEST_WORLD(hints_below_the_first_index_are_met),
        TEST_WORLD(a_destroyed_reserved_index_waits_for_its_hint),
        TEST_WORLD(a_reserved_index_counts_as_a_slot_of_its_own),
        TEST_WORLD(the_walk_visits_the_living_in_ascending_order),
        TEST_WORLD(the_walk_begins_with_index_zero),
        TEST_WORLD(the_walk_goes_on_from_an_entity_that_was_destroyed),
        TEST_WORLD(the_walk_skips_what_was_destroyed_ahead_of_it),
        TEST_WORLD(the_walk_ends_after_the_table_for_any_number),
        TEST_WORLD(clear_hands_indices_out_again_as_its_order_says),
        TEST_WORLD(clear_ends_every_entity_and_its_components_without_allocating),
        TEST_WORLD(clear_retires_slots_with_their_last_version),
        TEST_WORLD(clear_of_a_queue_from_the_start_keeps_unused_indices_first),
        TEST_WORLD(clear_of_an_empty_world_changes_nothing),
    };
    return cmocka_run_group_tests_name("entity", tests, NULL, NULL);
}
