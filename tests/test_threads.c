// SPDX-License-Identifier: MIT
// Worlds share nothing, and a world that no thread changes can be read from any thread. The thread
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

typedef struct population {
    kith_world *world;
    kith_entity recent[RECENT];
    uint64_t    seed;
} population;

static void change_components(population *c, kith_entity entity)
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

static void change_world(population *c)
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
    population  population;
    test_memory memory;
    uint64_t    digest;
    bool        valid;
} run;

static void open_run(run *r)
{
    r->population.world = test_world(&r->memory);
    game_register(r->population.world);
}

static void *take_steps(void *context)
{
    run *r = context;
    for (uint32_t step = 0; step < STEPS; step++) {
        change_world(&r->population);
    }
    r->digest = digest_of(r->population.world);
    r->valid  = kith_world_validate(r->population.world, NULL);
    return NULL;
}

static void *whole_run(void *context)
{
    run *r = context;
    open_run(r);
    take_steps(r);
    kith_world_destroy(r->population.world);
    return NULL;
}

static run new_run(uint64_t seed)
{
    return (run){ .population = { .seed = seed } };
}

static run run_alone(uint64_t seed)
{
    run r = new_run(seed);
    whole_run(&r);
    return r;
}

#define THREADS 4u

// Runs `work` on a thread of its own for each of the contexts, up to THREADS.
static void run_on_threads(void *(*work)(void *), void *const *contexts, uint32_t count)
{
    pthread_t threads[THREADS];
    assert_true(count <= THREADS);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, contexts[i]), 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
}

static void run_on_two_threads(void *(*work)(void *), void *first, void *second)
{
    run_on_threads(work, (void *const[]){ first, second }, 2);
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

    kith_world_destroy(first.population.world);
    kith_world_destroy(second.population.world);
    assert_same_run(&first, &first_alone);
    assert_same_run(&second, &second_alone);
}

// --- one world read by two threads -----------------------------------------------------------

typedef struct reader {
    const kith_world *world;
    uint64_t          digest;
} reader;

static uint64_t digest_of_clone(const kith_world *world)
{
    const kith_world_desc desc   = { .on_error = kith_error_ignore };
    kith_world           *clone  = kith_world_clone(world, &desc);
    uint64_t              digest = clone == NULL ? 0 : digest_of(clone);
    kith_world_destroy(clone);
    return digest;
}

// Every kind of call that takes a const world, those with errors included.
static void *read_everything(void *context)
{
    reader *r = context;
    for (unsigned round = 0; round < 20; round++) {
        r->digest = mix(r->digest, digest_of(r->world));
        r->digest = mix(r->digest, digest_of_clone(r->world) == digest_of(r->world));
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
    population  c      = { .world = quiet_world(&memory), .seed = test_seed() };
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

// --- one world walked by four threads --------------------------------------------------------

KITH_QUERY(places, read(position), without(frozen));
KITH_QUERY(movers, read(position), read(velocity), optional(health));
KITH_QUERY(marked, read(position), any(frozen, hidden));
KITH_QUERY(bare, without(position), without(velocity));

static uint64_t digest_of_movers(const kith_world *world, uint64_t digest)
{
    movers m = movers_begin_read(world);
    while (movers_next(&m)) {
        digest = mix(digest, m.entity);
        digest = mix(digest, (uint64_t)m.position->x);
        digest = mix(digest, m.health == NULL ? 7 : (uint64_t)*m.health);
        digest = mix(digest, position_get(world, m.entity) == m.position);
        digest = mix(digest, velocity_has(world, m.entity));
    }
    return digest;
}

static uint64_t digest_of_places(const kith_world *world, uint64_t digest)
{
    places c = places_begin_read(world);
    while (places_next_chunk(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            kith_entity entity = places_entity(&c, i);
            digest             = mix(digest, entity ^ (uint64_t)c.position[i].x);
            digest             = mix(digest, marked_contains(world, entity));
        }
    }
    return digest;
}

static const kith_query_desc misspelt = { "misspelt", NULL, 1, 0 };

static uint64_t digest_of_untyped(const kith_world *world, uint64_t digest)
{
    void       *columns[2];
    kith_cursor c = kith_view_begin_read(world, bare_desc(), columns);
    while (kith_cursor_next(&c)) {
        digest = mix(digest, c.entity);
    }
    return mix(digest, kith_view_begin_read(world, &misspelt, columns).failed);
}

static void *walk_everything(void *context)
{
    reader *r = context;
    for (unsigned round = 0; round < 20; round++) {
        r->digest = digest_of_movers(r->world, r->digest);
        r->digest = digest_of_places(r->world, r->digest);
        r->digest = digest_of_untyped(r->world, r->digest);
        r->digest = mix(r->digest, movers_count(r->world));
        r->digest = mix(r->digest, marked_first(r->world));
        r->digest = mix(r->digest, bare_size_hint(r->world));
        r->digest = mix(r->digest, position_stamp(r->world, 0));
        r->digest = mix(r->digest, kith_world_now(r->world));
    }
    return NULL;
}

static void one_world_is_walked_by_four_threads_at_once(void **state)
{
    (void)state;
    test_memory memory = { 0 };
    population  c      = { .world = quiet_world(&memory), .seed = test_seed() };
    for (uint32_t step = 0; step < 8000; step++) {
        change_world(&c);
    }
    assert_true(movers_count(c.world) > 10);
    reader readers[THREADS];
    void  *contexts[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        readers[i]  = (reader){ .world = c.world };
        contexts[i] = &readers[i];
    }
    reader alone = { .world = c.world };
    walk_everything(&alone);

    run_on_threads(walk_everything, contexts, THREADS);

    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(readers[i].digest, alone.digest);
    }
    test_world_end(c.world, &memory);
}

typedef struct stored_reader {
    const kith_query *movers;
    const kith_query *places;
    const kith_query *marked;
    uint64_t          digest;
} stored_reader;

static uint64_t digest_of_stored_marked(const kith_query *query, uint64_t digest)
{
    void       *columns[3];
    kith_cursor c = kith_query_begin_read(query, columns);
    while (kith_cursor_next(&c)) {
        digest = mix(digest, c.entity);
        digest = mix(digest, (uint64_t)((const vec2 *)columns[0])->x);
        digest = mix(digest, columns[1] == NULL);
    }
    return mix(digest, kith_query_report_of(query).examined);
}

static void *walk_stored(void *context)
{
    stored_reader *r = context;
    for (unsigned round = 0; round < 20; round++) {
        movers m = movers_begin_read_stored(r->movers);
        while (movers_next(&m)) {
            r->digest = mix(r->digest, m.entity ^ (uint64_t)m.position->x);
            r->digest = mix(r->digest, m.health == NULL ? 7 : (uint64_t)*m.health);
        }
        places p = places_begin_read_stored(r->places);
        while (places_next_chunk(&p)) {
            for (uint32_t i = 0; i < p.count; i++) {
                r->digest = mix(r->digest, places_entity(&p, i) ^ (uint64_t)p.position[i].x);
            }
        }
        r->digest = digest_of_stored_marked(r->marked, r->digest);
        r->digest = mix(r->digest, places_begin_read_stored(r->movers).failed);
    }
    return NULL;
}

static void one_stored_query_is_read_by_four_threads_at_once(void **state)
{
    (void)state;
    test_memory memory = { 0 };
    population  c      = { .world = quiet_world(&memory), .seed = test_seed() };
    for (uint32_t step = 0; step < 8000; step++) {
        change_world(&c);
    }
    const stored_reader fresh = { .movers = movers_query(c.world),
                                  .places = places_query(c.world),
                                  .marked = marked_query(c.world) };
    stored_reader       readers[THREADS];
    void               *contexts[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        readers[i]  = fresh;
        contexts[i] = &readers[i];
    }
    stored_reader alone = fresh;
    walk_stored(&alone);

    run_on_threads(walk_stored, contexts, THREADS);

    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(readers[i].digest, alone.digest);
    }
    test_world_end(c.world, &memory);
}

// A loop is open on the owner's thread, which waits: readers see the holes that it left.
static void readers_walk_while_the_owners_loop_is_open(void **state)
{
    (void)state;
    test_memory memory = { 0 };
    population  c      = { .world = quiet_world(&memory), .seed = test_seed() };
    for (uint32_t step = 0; step < 8000; step++) {
        change_world(&c);
    }
    kith_world_hold(c.world);
    for (uint32_t row = 0; row < position_rows(c.world); row += 3) {
        kith_entity_destroy(c.world, position_entity(c.world, row));
    }
    reader readers[2] = { { .world = c.world }, { .world = c.world } };
    reader alone      = { .world = c.world };
    walk_everything(&alone);

    run_on_two_threads(walk_everything, &readers[0], &readers[1]);

    assert_int_equal(readers[0].digest, alone.digest);
    assert_int_equal(readers[1].digest, alone.digest);
    kith_world_release(c.world);
    test_world_end(c.world, &memory);
}

// --- chunks of one loop, written by threads --------------------------------------------------

KITH_QUERY(pushed, write(position), read(velocity), without(frozen));
KITH_QUERY(speeds, read(velocity), optional(health));

#define PIECES 64u

// The columns of one chunk. A thread needs nothing else.
typedef struct piece {
    vec2       *position;
    const vec2 *velocity;
    uint32_t    count;
} piece;

static void *push_piece(void *context)
{
    const piece *p = context;
    for (uint32_t i = 0; i < p->count; i++) {
        p->position[i].x += p->velocity[i].x;
        p->position[i].y = (float)i;
    }
    return NULL;
}

// Reads what no thread writes.
static void *walk_speeds(void *context)
{
    reader *r = context;
    speeds  s = speeds_begin_read(r->world);
    while (speeds_next(&s)) {
        r->digest = mix(r->digest, s.entity ^ (uint64_t)s.velocity->x);
        r->digest = mix(r->digest, s.health == NULL ? 7 : (uint64_t)*s.health);
        r->digest = mix(r->digest, frozen_has(r->world, s.entity));
    }
    return NULL;
}

static kith_world *pushing_world(test_memory *memory)
{
    kith_world *world = quiet_world(memory);
    for (uint32_t i = 0; i < 30000; i++) {
        kith_entity entity = kith_entity_create(world);
        position_set(world, entity, (vec2){ (float)i, 0 });
        velocity_set(world, entity, (vec2){ (float)(i % 7), 1 });
        if (i % 3 == 0) {
            health_set(world, entity, (int)i);
        }
        if (i > 20000 && i % 1000 == 0) {
            frozen_add(world, entity); // chunks end here
        }
    }
    return world;
}

static uint32_t push_alone(kith_world *world)
{
    uint32_t pieces = 0;
    pushed   p      = pushed_begin(world);
    while (pushed_next_chunk(&p)) {
        piece whole = { p.position, p.velocity, p.count };
        push_piece(&whole);
        pieces++;
    }
    return pieces;
}

// Each chunk goes to a thread, which writes while the loop hands out the next ones. Then, while the
// world's thread waits, other threads read.
static uint32_t push_on_threads(kith_world *world, reader *readers)
{
    piece     pieces[PIECES];
    pthread_t threads[PIECES];
    uint32_t  count = 0;
    pushed    p     = pushed_begin(world);
    while (pushed_next_chunk(&p)) {
        assert_true(count < PIECES);
        pieces[count] = (piece){ p.position, p.velocity, p.count };
        assert_int_equal(pthread_create(&threads[count], NULL, push_piece, &pieces[count]), 0);
        count++;
    }
    run_on_two_threads(walk_speeds, &readers[0], &readers[1]);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    return count;
}

static void chunks_of_one_loop_are_written_by_threads(void **state)
{
    (void)state;
    test_memory memory[2] = { { 0 }, { 0 } };
    kith_world *world     = pushing_world(&memory[0]);
    kith_world *alone     = pushing_world(&memory[1]);
    reader      readers[] = { { .world = world }, { .world = world } };
    reader      serial    = { .world = alone };
    kith_world_advance(world);
    kith_world_advance(alone);

    uint32_t pieces = push_on_threads(world, readers);

    assert_true(pieces > 3);
    assert_int_equal(push_alone(alone), pieces);
    walk_speeds(&serial);
    assert_int_equal(readers[0].digest, serial.digest);
    assert_int_equal(readers[1].digest, serial.digest);
    assert_int_equal(digest_of(world), digest_of(alone));
    for (uint32_t row = 0; row < position_rows(alone); row++) {
        assert_int_equal(position_stamp(world, row), position_stamp(alone, row));
    }
    assert_world_valid(world);
    test_world_end(world, &memory[0]);
    test_world_end(alone, &memory[1]);
}

// --- commands from several threads -----------------------------------------------------------

// Records for itself while others record, too, and the owner changes the world.
typedef struct recorder {
    kith_commands *commands;
    test_memory    memory;
    uint64_t       seed;
    uint32_t       slots; // entities that the world may have
} recorder;

static void record_one(recorder *r, kith_entity *spark)
{
    kith_entity old    = handle(test_random_below(&r->seed, r->slots), 1);
    kith_entity target = test_random_below(&r->seed, 2) == 0 ? old : *spark;
    float       number = (float)test_random_below(&r->seed, 1000);
    switch (test_random_below(&r->seed, 6)) {
    case 0:
        *spark = kith_entity_create_later(r->commands);
        break;
    case 1:
        kith_entity_destroy_later(r->commands, old);
        break;
    case 2:
        frozen_add_later(r->commands, target);
        break;
    case 3:
        health_remove_later(r->commands, target);
        break;
    case 4:
        health_set_later(r->commands, target, (int)number);
        break;
    default:
        position_set_later(r->commands, target, (vec2){ number, 1 });
    }
}

static void *record_many(void *context)
{
    recorder   *r     = context;
    kith_entity spark = kith_entity_create_later(r->commands);
    for (uint32_t step = 0; step < 4000; step++) {
        record_one(r, &spark);
    }
    return NULL;
}

static void open_recorder(recorder *r, kith_world *world, uint32_t number)
{
    *r                            = (recorder){ .seed = test_seed() + number, .slots = 500 };
    const kith_commands_desc desc = { .allocator = test_allocator(&r->memory) };
    r->commands                   = kith_commands_create(world, &desc);
    assert_non_null(r->commands);
}

// What the owner does while others record: registering is a part of it.
static void be_the_owner(kith_world *world)
{
    for (uint32_t i = 0; i < 500; i++) {
        kith_entity entity = kith_entity_create(world);
        position_set(world, entity, (vec2){ (float)i, 0 });
        health_set(world, entity, (int)i);
        if (i % 50 == 0) {
            test_register_tag(world, "late", 0);
            position_register(world);
        }
    }
}

static void *be_the_owner_on_a_thread(void *context)
{
    be_the_owner(context);
    return NULL;
}

static uint64_t apply_in_order(recorder *recorders, uint32_t count, kith_world *world)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(kith_commands_apply(recorders[i].commands, world));
        assert_true(kith_commands_report_of(recorders[i].commands).skipped > 0);
    }
    return digest_of(world);
}

static void commands_of_several_threads_are_applied_in_order(void **state)
{
    (void)state;
    test_memory memory[2] = { { 0 }, { 0 } };
    kith_world *world     = quiet_world(&memory[0]);
    kith_world *alone     = quiet_world(&memory[1]);
    recorder    recorders[3];
    recorder    serial[3];
    for (uint32_t i = 0; i < 3; i++) {
        open_recorder(&recorders[i], world, i);
        open_recorder(&serial[i], alone, i);
        record_many(&serial[i]);
    }
    be_the_owner(alone);

    void     *contexts[] = { &recorders[0], &recorders[1], &recorders[2] };
    pthread_t owner;
    assert_int_equal(pthread_create(&owner, NULL, be_the_owner_on_a_thread, world), 0);
    run_on_threads(record_many, contexts, 3);
    assert_int_equal(pthread_join(owner, NULL), 0);

    assert_int_equal(apply_in_order(recorders, 3, world), apply_in_order(serial, 3, alone));
    test_world_end(world, &memory[0]);
    test_world_end(alone, &memory[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_worlds_on_two_threads_do_what_they_do_alone),
        cmocka_unit_test(a_world_may_be_handed_to_another_thread_and_back),
        cmocka_unit_test(one_world_is_read_by_two_threads_at_once),
        cmocka_unit_test(one_world_is_walked_by_four_threads_at_once),
        cmocka_unit_test(one_stored_query_is_read_by_four_threads_at_once),
        cmocka_unit_test(readers_walk_while_the_owners_loop_is_open),
        cmocka_unit_test(chunks_of_one_loop_are_written_by_threads),
        cmocka_unit_test(commands_of_several_threads_are_applied_in_order),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
