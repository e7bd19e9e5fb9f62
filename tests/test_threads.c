// SPDX-License-Identifier: MIT
// Worlds share nothing, and a world that nobody changes can be read from anywhere. The thread
// sanitizer watches these tests.
#include "kith_test.h"

#include <pthread.h>

#define STEPS 40000u

// Assertions leave a test by a jump, which only its own thread may do, so what runs on other
// threads returns what it saw.

static uint64_t mix(uint64_t digest, uint64_t number)
{
    return (digest ^ number) * UINT64_C(0x100000001b3);
}

// --- two worlds on two threads ---------------------------------------------------------------

// One of the last entities made, dead or alive.
#define RECENT 512u

typedef struct crowd {
    kith_world *world;
    kith_entity recent[RECENT];
    uint64_t    seed;
} crowd;

static void change_components(crowd *c, kith_entity entity)
{
    switch (test_random_below(&c->seed, 8)) {
    case 0:
        position_set(c->world, entity, (vec2){ (float)test_random_below(&c->seed, 1000), 1 });
        break;
    case 1:
        velocity_add(c->world, entity);
        break;
    case 2:
        frozen_add(c->world, entity);
        break;
    case 3:
        hidden_add(c->world, entity);
        break;
    case 4:
        position_remove(c->world, entity);
        break;
    case 5:
        frozen_disable(c->world, entity);
        break;
    case 6:
        hidden_remove(c->world, entity);
        break;
    default:
        health_set(c->world, entity, (int)test_random_below(&c->seed, 100));
        break;
    }
}

static void change_world(crowd *c)
{
    kith_entity *slot   = &c->recent[test_random_below(&c->seed, RECENT)];
    uint32_t     chance = test_random_below(&c->seed, 100);
    if (chance < 25) {
        *slot = kith_entity_create(c->world);
    } else if (chance < 40) {
        kith_entity_destroy(c->world, *slot);
    } else if (chance < 41) {
        kith_world_shrink(c->world);
    } else {
        change_components(c, *slot);
    }
}

static uint64_t digest_of(const kith_world *world)
{
    uint64_t    digest = UINT64_C(0xcbf29ce484222325);
    kith_entity entity = KITH_NULL;
    while ((entity = kith_entity_next(world, entity)) != KITH_NULL) {
        const vec2 *position = position_get(world, entity);
        const int  *health   = health_get(world, entity);
        digest               = mix(digest, entity);
        digest               = mix(digest, kith_entity_signature(world, entity).words[0]);
        digest               = mix(digest, position == NULL ? 7 : (uint64_t)position->x);
        digest               = mix(digest, health == NULL ? 7 : (uint64_t)*health);
        digest               = mix(digest, frozen_row(world, entity));
        digest               = mix(digest, frozen_enabled(world, entity));
    }
    return digest;
}

typedef struct run {
    crowd       crowd;
    test_memory memory;
    uint64_t    digest;
    bool        valid;
} run;

static void open_run(run *r)
{
    r->crowd.world = test_world(&r->memory);
    game_register(r->crowd.world);
}

static void *take_steps(void *context)
{
    run *r = context;
    for (uint32_t step = 0; step < STEPS; step++) {
        change_world(&r->crowd);
    }
    r->digest = digest_of(r->crowd.world);
    r->valid  = kith_world_validate(r->crowd.world, NULL);
    return NULL;
}

static void *whole_run(void *context)
{
    run *r = context;
    open_run(r);
    take_steps(r);
    kith_world_destroy(r->crowd.world);
    return NULL;
}

static run new_run(uint64_t seed)
{
    return (run){ .crowd = { .seed = seed } };
}

static run run_alone(uint64_t seed)
{
    run r = new_run(seed);
    whole_run(&r);
    return r;
}

static void run_on_two_threads(void *(*work)(void *), void *first, void *second)
{
    pthread_t threads[2];
    assert_int_equal(pthread_create(&threads[0], NULL, work, first), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, work, second), 0);
    assert_int_equal(pthread_join(threads[0], NULL), 0);
    assert_int_equal(pthread_join(threads[1], NULL), 0);
}

static void assert_same_run(const run *a, const run *b)
{
    assert_true(a->valid);
    assert_int_equal(a->digest, b->digest);
    assert_int_equal(a->memory.allocations, b->memory.allocations);
    assert_int_equal(a->memory.errors, b->memory.errors);
    assert_int_equal(a->memory.live_bytes, 0);
}

static void two_worlds_on_two_threads_do_what_they_do_alone(void **state)
{
    (void)state;
    uint64_t seed         = test_seed();
    run      first        = new_run(seed);
    run      second       = new_run(seed + 1);
    run      first_alone  = run_alone(seed);
    run      second_alone = run_alone(seed + 1);

    run_on_two_threads(whole_run, &first, &second);

    assert_same_run(&first, &first_alone);
    assert_same_run(&second, &second_alone);
    assert_int_not_equal(first.digest, second.digest);
}

static void a_world_may_be_handed_to_another_thread_and_back(void **state)
{
    (void)state;
    uint64_t seed         = test_seed();
    run      first        = new_run(seed);
    run      second       = new_run(seed + 1);
    run      first_alone  = run_alone(seed);
    run      second_alone = run_alone(seed + 1);
    open_run(&first);
    open_run(&second);

    run_on_two_threads(take_steps, &first, &second);

    kith_world_destroy(first.crowd.world);
    kith_world_destroy(second.crowd.world);
    assert_same_run(&first, &first_alone);
    assert_same_run(&second, &second_alone);
}

// --- one world read by two threads -----------------------------------------------------------

typedef struct reader {
    const kith_world *world;
    uint64_t          digest;
} reader;

// Every kind of call that takes a const world, those with errors included.
static void *read_everything(void *context)
{
    reader *r = context;
    for (unsigned round = 0; round < 20; round++) {
        r->digest = mix(r->digest, digest_of(r->world));
        r->digest = mix(r->digest, kith_world_validate(r->world, NULL));
        r->digest = mix(r->digest, kith_world_memory(r->world, POSITION).total);
        r->digest = mix(r->digest, kith_world_stats(r->world).free);
        r->digest = mix(r->digest, kith_component_count(r->world, POSITION));
        r->digest = mix(r->digest, kith_component_get(r->world, handle(1, 1), 77) == NULL);
        r->digest = mix(r->digest, kith_component_has(r->world, UINT64_MAX, POSITION));
        r->digest = mix(r->digest, kith_component_find(r->world, "health"));
    }
    return NULL;
}

static kith_world *quiet_world(test_memory *memory)
{
    const kith_world_desc desc  = { .allocator = test_allocator(memory),
                                    .on_error  = kith_error_ignore };
    kith_world           *world = kith_world_create(&desc);
    assert_non_null(world);
    assert_true(game_register(world));
    return world;
}

static void one_world_is_read_by_two_threads_at_once(void **state)
{
    (void)state;
    test_memory memory = { 0 };
    crowd       c      = { .world = quiet_world(&memory), .seed = test_seed() };
    for (uint32_t step = 0; step < 5000; step++) {
        change_world(&c);
    }
    reader readers[2] = { { .world = c.world }, { .world = c.world } };
    reader alone      = { .world = c.world };
    read_everything(&alone);

    run_on_two_threads(read_everything, &readers[0], &readers[1]);

    assert_int_equal(readers[0].digest, alone.digest);
    assert_int_equal(readers[1].digest, alone.digest);
    test_world_end(c.world, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_worlds_on_two_threads_do_what_they_do_alone),
        cmocka_unit_test(a_world_may_be_handed_to_another_thread_and_back),
        cmocka_unit_test(one_world_is_read_by_two_threads_at_once),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
