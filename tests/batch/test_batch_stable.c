// SPDX-License-Identifier: MIT
// Batches on stable pools: outside of loops they fill holes, newest first, as single calls do; in a
// loop they append.
#include "component_test.h"

enum { STAKE = HIDDEN + 1, PEG, GUEST, HOST, KINDS = 4, MANY = 1000, ROUNDS = 1000 };

static const kith_component kinds[KINDS] = { STAKE, PEG, GUEST, HOST };

typedef struct side {
    test_fixture *fixture;
    kith_world   *world;
    int           living;  // guests
    int           fail_in; // the n-th copy from now fails; 0: none
    text          reported;
} side;

static bool copy_guest(void *value, const void *source, void *context)
{
    side *of = context;
    if (of->fail_in != 0 && --of->fail_in == 0) {
        return false;
    }
    of->living++;
    memcpy(value, source, sizeof(int));
    return true;
}

static bool construct_guest(void *value, void *context)
{
    return copy_guest(value, &(int){ 7 }, context);
}

static void destruct_guest(void *value, void *context)
{
    assert_int_not_equal(*(int *)value, -1);
    *(int *)value = -1;
    ((side *)context)->living--;
}

// A stake is plain, a peg has no value, a guest has hooks. A host requires a stake and a guest.
static void register_kinds(side *of)
{
    static const kith_component needs[] = { STAKE, GUEST };
    const kith_component_desc   descs[] = {
          { .name   = "stake",
            .id     = STAKE,
            .size   = sizeof(int),
            .traits = { .policy = KITH_POLICY_STABLE, .page_rows = 4, .row_ticks = true } },
          { .name   = "peg",
            .id     = PEG,
            .kind   = KITH_KIND_TAG,
            .traits = { .policy = KITH_POLICY_STABLE } },
          { .name   = "guest",
            .id     = GUEST,
            .size   = sizeof(int),
            .traits = { .policy = KITH_POLICY_STABLE,
                        .hooks  = { .construct = construct_guest,
                                    .copy      = copy_guest,
                                    .destruct  = destruct_guest,
                                    .context   = of } } },
          { .name   = "host",
            .id     = HOST,
            .size   = sizeof(int),
            .traits = { .policy = KITH_POLICY_STABLE, .required = needs, .required_count = 2 } },
    };
    assert_true(kith_component_register_many(of->world, descs, COUNT_OF(descs)));
}

static uint32_t rows_of(const side *of, kith_component component)
{
    return kith_component_stats(of->world, component).rows;
}

// --- ST: creating and destroying many, again and again ---------------------------------------

static void ignore(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (void)context;
}

static void create_and_destroy(kith_world_desc desc, bool listening)
{
    static kith_entity all[MANY];
    static int         values[MANY];
    side               of     = { .world = kith_world_create(&desc) };
    const kith_values  sets[] = { { STAKE, values, sizeof(int) },
                                  { PEG, NULL, 0 },
                                  { GUEST, values, sizeof(int) } };
    assert_non_null(of.world);
    register_kinds(&of);
    for (uint32_t i = 0; i < KINDS && listening; i++) {
        assert_true(kith_listener_connect(of.world, &(kith_listener_desc){ .event = KITH_EVENT_ADD,
                                                                           .component = kinds[i],
                                                                           .call = ignore }) != 0);
    }
    assert_true(
        kith_world_reserve(of.world, &(kith_reserve_desc){ .entities = MANY, .batch = MANY }));
    for (uint32_t round = 0; round < test_thinned(ROUNDS); round++) {
        uint32_t count = round % 3 == 1 ? MANY / 2 : MANY;
        for (uint32_t i = 0; i < count; i++) {
            values[i] = (int)(round * MANY + i);
        }
        assert_true(kith_entity_create_many(of.world, all, count, sets, COUNT_OF(sets)));
        for (uint32_t i = 0; i < count; i += 97) {
            assert_int_equal(*(const int *)kith_component_get(of.world, all[i], STAKE), values[i]);
            assert_int_equal(*(const int *)kith_component_get(of.world, all[i], GUEST), values[i]);
        }
        assert_true(kith_entity_destroy_many(of.world, kith_entities_of(all, count)));
    }
    for (uint32_t i = 0; i < KINDS; i++) {
        assert_in_range(rows_of(&of, kinds[i]), 0, MANY);
    }
    assert_world_valid(of.world);
    assert_true(kith_world_destroy(of.world));
    assert_int_equal(of.living, 0);
}

static void a_stable_pool_does_not_grow_with_the_number_of_batches(void **state)
{
    (void)state;
    create_and_destroy((kith_world_desc){ .user = NULL }, false);
    create_and_destroy((kith_world_desc){ .user = NULL }, true);
}

static void a_world_of_fixed_memory_has_room_for_every_batch(void **state)
{
    (void)state;
    create_and_destroy((kith_world_desc){ .memory = 512u << 10, .max_entities = MANY }, false);
    create_and_destroy((kith_world_desc){ .memory = 512u << 10, .max_entities = MANY }, true);
}

// --- rows ------------------------------------------------------------------------------------

// Five entities with stakes; those in rows 3 and 1 lost them, in this order.
static void leave_two_holes(side *of, kith_entity *some)
{
    const int values[] = { 0, 10, 20, 30, 40 };
    register_kinds(of);
    assert_true(kith_entity_create_many(of->world, some, 5,
                                        &(kith_values){ STAKE, values, sizeof(int) }, 1));
    assert_true(kith_component_remove(of->world, some[3], STAKE));
    assert_true(kith_component_remove(of->world, some[1], STAKE));
}

static void assert_row(const side *of, uint32_t row, kith_entity entity, int value)
{
    assert_int_equal(kith_component_entity(of->world, STAKE, row), entity);
    assert_int_equal(*(const int *)kith_component_get(of->world, entity, STAKE), value);
}

static void a_batch_fills_the_newest_hole_first_and_appends_the_rest(void **state)
{
    side        of       = { .fixture = *state, .world = ((test_fixture *)*state)->world };
    const int   values[] = { 50, 60, 70, 80 };
    kith_entity some[5];
    kith_entity more[4];
    leave_two_holes(&of, some);
    assert_true(kith_entity_create_many(of.world, more, 4,
                                        &(kith_values){ STAKE, values, sizeof(int) }, 1));
    assert_int_equal(rows_of(&of, STAKE), 7);
    assert_row(&of, 1, more[0], 50);
    assert_row(&of, 3, more[1], 60);
    assert_row(&of, 5, more[2], 70);
    assert_row(&of, 6, more[3], 80);
    assert_row(&of, 4, some[4], 40);
}

static void a_batch_that_needs_fewer_rows_leaves_the_oldest_hole(void **state)
{
    side          of    = { .fixture = *state, .world = ((test_fixture *)*state)->world };
    kith_entities range = { 0 };
    kith_entity   some[5];
    leave_two_holes(&of, some);
    range = kith_entity_create_range(of.world, 1);
    assert_true(kith_entity_set_many(of.world, range, &(kith_values){ STAKE, &(int){ 9 }, 0 }, 1));
    assert_int_equal(rows_of(&of, STAKE), 5);
    assert_row(&of, 1, range.first, 9);
    assert_int_equal(kith_component_entity(of.world, STAKE, 3), KITH_NULL);
    assert_non_null(kith_component_add(of.world, some[1], STAKE, NULL));
    assert_row(&of, 3, some[1], 0);
}

static void a_batch_in_a_hold_appends(void **state)
{
    side        of = { .fixture = *state, .world = ((test_fixture *)*state)->world };
    kith_entity some[5];
    kith_entity more[2];
    leave_two_holes(&of, some);
    assert_true(kith_world_hold(of.world));
    assert_true(
        kith_entity_create_many(of.world, more, 2, &(kith_values){ STAKE, &(int){ 9 }, 0 }, 1));
    assert_true(kith_world_release(of.world));
    assert_int_equal(rows_of(&of, STAKE), 7);
    assert_row(&of, 5, more[0], 9);
    assert_row(&of, 6, more[1], 9);
}

static void add_in_listener(kith_world *world, const kith_notice *notice, void *context)
{
    const kith_entity some = notice->entity;
    (void)context;
    assert_true(kith_entity_set_many(world, kith_entities_of(&some, 1),
                                     &(kith_values){ STAKE, &(int){ 3 }, 0 }, 1));
}

static void a_batch_in_a_listener_appends(void **state)
{
    side        of = { .fixture = *state, .world = ((test_fixture *)*state)->world };
    kith_entity some[5];
    leave_two_holes(&of, some);
    assert_true(kith_listener_connect(
        of.world, &(kith_listener_desc){ .event = KITH_EVENT_CREATE, .call = add_in_listener }));
    assert_row(&of, 5, kith_entity_create(of.world), 3);
}

static void a_batch_that_fits_into_the_holes_is_within_the_limit(void **state)
{
    side        of = { .fixture = *state, .world = ((test_fixture *)*state)->world };
    kith_entity some[5];
    kith_entity more[3];
    leave_two_holes(&of, some);
    assert_true(kith_component_limit_set(of.world, STAKE, 5));
    const kith_values all = { STAKE, &(int){ 9 }, 0 };
    assert_refused(&of.fixture->memory, of.world, KITH_ERROR_LIMIT,
                   kith_entity_create_many(of.world, more, 3, &all, 1));
    assert_true(kith_world_hold(of.world));
    assert_refused(&of.fixture->memory, of.world, KITH_ERROR_LIMIT,
                   kith_entity_create_many(of.world, more, 2, &all, 1));
    assert_true(kith_world_release(of.world));
    assert_true(kith_entity_create_many(of.world, more, 2, &all, 1));
    assert_int_equal(rows_of(&of, STAKE), 5);
}

// --- hooks that fail -------------------------------------------------------------------------

static void a_hook_that_fails_leaves_the_holes_as_they_were(void **state)
{
    side              of       = { .fixture = *state, .world = ((test_fixture *)*state)->world };
    const int         values[] = { 1, 2, 3, 4, 5, 6 };
    const kith_values sets[]   = { { GUEST, values, sizeof(int) }, { HOST, NULL, 0 } };
    kith_entity       some[6];
    kith_entity       more[6];
    register_kinds(&of);
    assert_true(kith_entity_create_many(of.world, some, 6, sets, 2));
    assert_true(kith_entity_remove_many(of.world, kith_entities_of(some, 3),
                                        (kith_component[]){ STAKE, GUEST }, 2));
    for (int n = 1; n <= 6; n++) {
        of.fail_in = n;
        assert_refused(&of.fixture->memory, of.world, KITH_ERROR_HOOK,
                       kith_entity_create_many(of.world, more, 6, sets, 2));
        assert_int_equal(of.living, 3);
        assert_int_equal(rows_of(&of, GUEST), 6);
        assert_world_valid(of.world);
    }
    assert_true(kith_entity_create_many(of.world, more, 6, sets, 2));
    assert_int_equal(rows_of(&of, GUEST), 9);
    assert_int_equal(rows_of(&of, STAKE), 9);
    assert_int_equal(kith_component_entity(of.world, GUEST, 2), more[0]);
    assert_int_equal(kith_component_entity(of.world, GUEST, 0), more[2]);
    assert_int_equal(kith_component_entity(of.world, GUEST, 6), more[3]);
    assert_true(kith_entity_destroy_many(of.world, kith_entities_of(more, 6)));
    assert_true(kith_entity_destroy_many(of.world, kith_entities_of(some, 6)));
    assert_int_equal(of.living, 0);
}

// --- against single calls outside of a hold --------------------------------------------------

enum { LIST_MOST = 24, STEPS = 3000 };

typedef struct pair {
    side     batch;
    side     single;
    uint64_t seed;
} pair;

static uint32_t chance(pair *two, uint32_t limit)
{
    return test_random_below(&two->seed, limit);
}

static void record(kith_world *world, const kith_notice *notice, void *context)
{
    uint32_t row = kith_component_row(world, notice->entity, notice->component);
    text_add(&((side *)context)->reported, "%d %u %llx in row %u\n", (int)notice->event,
             notice->component, (unsigned long long)notice->entity, row);
}

// Listeners of batches hear all adds of a component after all rows are there, as here after each.
static void listen(side *of)
{
    for (uint32_t i = 0; i < KINDS; i++) {
        for (kith_event event = KITH_EVENT_ADD; event <= KITH_EVENT_SET; event++) {
            if (event == KITH_EVENT_ADD || kinds[i] != PEG) {
                assert_true(kith_listener_connect(
                                of->world, &(kith_listener_desc){ event, kinds[i], .call = record,
                                                                  .context = of }) != 0);
            }
        }
    }
}

static uint32_t choose_living(pair *two, kith_entity *list)
{
    uint32_t count = 0;
    for (kith_entity e                          = kith_entity_next(two->batch.world, KITH_NULL);
         e != KITH_NULL && count < LIST_MOST; e = kith_entity_next(two->batch.world, e)) {
        if (chance(two, 3) == 0) {
            list[count++] = e;
        }
    }
    return count;
}

static void set_both(pair *two, kith_component component, const int *values)
{
    kith_entity       list[LIST_MOST];
    uint32_t          count = choose_living(two, list);
    const kith_values set   = { component, component == PEG ? NULL : values, sizeof(int) };
    assert_true(kith_entity_set_many(two->batch.world, kith_entities_of(list, count), &set, 1));
    for (uint32_t i = 0; i < count; i++) {
        assert_non_null(kith_component_set(two->single.world, list[i], component,
                                           set.values == NULL ? NULL : &values[i]));
    }
}

static void create_both(pair *two, const int *values)
{
    kith_entity       made[LIST_MOST];
    uint32_t          count  = chance(two, LIST_MOST + 1);
    const kith_values sets[] = { { STAKE, values, sizeof(int) },
                                 { PEG, NULL, 0 },
                                 { HOST, values, sizeof(int) } };
    assert_true(kith_entity_create_many(two->batch.world, made, count, sets, COUNT_OF(sets)));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(kith_entity_create(two->single.world), made[i]);
    }
    for (uint32_t k = 0; k < COUNT_OF(sets); k++) {
        for (uint32_t i = 0; i < count; i++) {
            assert_non_null(kith_component_set(two->single.world, made[i], sets[k].component,
                                               sets[k].values == NULL ? NULL : &values[i]));
        }
    }
}

static void clone_both(pair *two)
{
    kith_entity made[LIST_MOST];
    uint32_t    count  = chance(two, LIST_MOST + 1);
    kith_entity prefab = kith_entity_next(two->batch.world, KITH_NULL);
    if (prefab == KITH_NULL || kith_component_has(two->batch.world, prefab, HOST)) {
        return;
    }
    assert_true(kith_entity_clone_many(two->batch.world, prefab, made, count));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(kith_entity_create(two->single.world), made[i]);
    }
    for (uint32_t k = 0; k < KINDS; k++) {
        for (uint32_t i = 0; i < count && kith_component_has(two->single.world, prefab, kinds[k]);
             i++) {
            const void *value = kith_component_get(two->single.world, prefab, kinds[k]);
            assert_non_null(kith_component_set(two->single.world, made[i], kinds[k],
                                               kinds[k] == PEG ? NULL : value));
        }
    }
}

static void remove_both(pair *two, kith_component component)
{
    kith_entity list[LIST_MOST];
    uint32_t    count = choose_living(two, list);
    bool        ends  = chance(two, 3) == 0 || kith_entity_count(two->batch.world) > 60;
    for (uint32_t i = 0; i < count; i++) {
        if (ends) {
            assert_true(kith_entity_destroy(two->single.world, list[i]));
        } else {
            kith_component_remove(two->single.world, list[i], component);
        }
    }
    assert_true(ends ? kith_entity_destroy_many(two->batch.world, kith_entities_of(list, count))
                     : kith_entity_remove_many(two->batch.world, kith_entities_of(list, count),
                                               &component, 1));
}

static void change_both(pair *two)
{
    int values[LIST_MOST];
    for (uint32_t i = 0; i < LIST_MOST; i++) {
        values[i] = (int)chance(two, 1000);
    }
    switch (chance(two, 6)) {
    case 0:
        create_both(two, values);
        break;
    case 1:
        clone_both(two);
        break;
    case 2:
    case 3:
        set_both(two, kinds[chance(two, KINDS)], values);
        break;
    case 4:
        remove_both(two, kinds[chance(two, KINDS)]);
        break;
    default:
        assert_int_equal(kith_world_advance(two->batch.world),
                         kith_world_advance(two->single.world));
    }
}

static void assert_same_sides(pair *two)
{
    assert_same_text(two->batch.reported.bytes == NULL ? "" : two->batch.reported.bytes,
                     two->single.reported.bytes == NULL ? "" : two->single.reported.bytes);
    text_free(&two->batch.reported);
    text_free(&two->single.reported);
    assert_world_valid(two->batch.world);
    assert_same_worlds(two->batch.world, two->single.world);
    assert_int_equal(two->batch.living, two->single.living);
}

static void run_pair(bool listening)
{
    pair two = { .seed = test_seed() };
    for (side *of = &two.batch; of != NULL; of = of == &two.batch ? &two.single : NULL) {
        of->world = kith_world_create(NULL);
        register_kinds(of);
        if (listening) {
            listen(of);
        }
    }
    for (uint32_t step = 0; step < test_thinned(STEPS); step++) {
        change_both(&two);
        assert_same_sides(&two);
    }
    kith_world_destroy(two.batch.world);
    kith_world_destroy(two.single.world);
    assert_int_equal(two.batch.living, 0);
}

static void a_batch_gives_the_rows_of_its_single_calls_outside_of_a_hold(void **state)
{
    (void)state;
    run_pair(false);
    run_pair(true);
}

// --- listeners that change what is announced -------------------------------------------------

// The first event takes the component from the second entity and gives it back: in another row.
static void swap_for_another(kith_world *world, const kith_notice *notice, void *context)
{
    kith_entity *second = context;
    if (*second != KITH_NULL && notice->entity != *second) {
        kith_entity taken = *second;
        *second           = KITH_NULL;
        assert_true(kith_component_remove(world, taken, STAKE));
        assert_non_null(kith_component_add(world, taken, STAKE, NULL));
    }
}

static void count_event(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    ++*(uint32_t *)context;
}

// The single add announces itself; the batch does not announce that row, which it did not add.
static void a_row_that_a_listener_added_is_announced_once(void **state)
{
    side        of     = { .fixture = *state, .world = ((test_fixture *)*state)->world };
    uint32_t    events = 0;
    kith_entity second;
    kith_entity some[5];
    kith_entity list[3];
    leave_two_holes(&of, some);
    assert_true(kith_entity_create_many(of.world, list, 3, NULL, 0));
    second = list[1];
    assert_true(kith_listener_connect(
        of.world,
        &(kith_listener_desc){ KITH_EVENT_ADD, STAKE, .call = count_event, .context = &events }));
    assert_true(kith_listener_connect(of.world, &(kith_listener_desc){ KITH_EVENT_ADD, STAKE,
                                                                       .call    = swap_for_another,
                                                                       .context = &second }));
    assert_true(kith_entity_set_many(of.world, kith_entities_of(list, 3),
                                     &(kith_values){ STAKE, &(int){ 1 }, 0 }, 1));
    assert_int_equal(events, 3);
    assert_row(&of, 1, list[0], 1);
    assert_int_equal(kith_component_row(of.world, list[1], STAKE), 6);
    assert_row(&of, 5, list[2], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stable_pool_does_not_grow_with_the_number_of_batches),
        cmocka_unit_test(a_world_of_fixed_memory_has_room_for_every_batch),
        TEST_WORLD(a_batch_fills_the_newest_hole_first_and_appends_the_rest),
        TEST_WORLD(a_batch_that_needs_fewer_rows_leaves_the_oldest_hole),
        TEST_WORLD(a_batch_in_a_hold_appends),
        TEST_WORLD(a_batch_in_a_listener_appends),
        TEST_WORLD(a_batch_that_fits_into_the_holes_is_within_the_limit),
        TEST_WORLD(a_hook_that_fails_leaves_the_holes_as_they_were),
        cmocka_unit_test(a_batch_gives_the_rows_of_its_single_calls_outside_of_a_hold),
        TEST_WORLD(a_row_that_a_listener_added_is_announced_once),
    };
    return cmocka_run_group_tests_name("batch_stable", tests, NULL, NULL);
}
