// SPDX-License-Identifier: MIT
// Frames of worlds that use workers: going back and on gives what one thread gives, and parts of
// systems cannot use a ring.
#include "frames/frames_test.h"
#include "workers/workers_test.h"

#include <stdio.h>

#define ENTITIES 9000u // three chunks
#define STEP     0.3
#define PATH     "frames_workers.kith"

typedef struct pair {
    kith_world   *world; // uses workers, and goes back
    kith_world   *alone; // does neither
    kith_workers *workers;
    kith_frames  *frames;
    double        sum;
} pair;

static void create_parts(kith_world *world, double *sum)
{
    const kith_system_desc systems[] = {
        { .name = "move", .part = move_part, .query = movers_desc() },
        { .name = "turn", .part = turn_part, .query = turners_desc() },
        { .name = "age", .part = age_part, .query = agers_desc() },
        { .name = "tick", .part = tick_part, .query = tickers_desc(), .interval = 0.5 },
        { .name = "fresh", .part = fresh_part, .query = fresh_desc() },
        { .name     = "seen",
          .part     = seen_part,
          .query    = seen_desc(),
          .sum_size = sizeof *sum,
          .combine  = add_sum,
          .context  = sum },
        { .name = "light", .part = light_part, .query = everyone_desc() },
        { .name = "lonely", .run = run_lonely, .shared = true, .query = lonely_desc() },
        { .name = "plain", .run = run_plain },
    };
    for (uint32_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        assert_non_null(kith_system_create(world, &systems[i]));
    }
}

static kith_world *create_world(double *sum)
{
    kith_world *world = kith_world_create(&(kith_world_desc){ .on_error = kith_error_ignore });
    assert_true(parts_register(world));
    create_parts(world, sum);
    fill(world, ENTITIES, 11);
    return world;
}

static int set_up_pair(void **state)
{
    pair *p    = calloc(1, sizeof *p);
    p->world   = create_world(&p->sum);
    p->alone   = create_world(&p->sum);
    p->workers = kith_workers_create(&(kith_workers_desc){ .count = 3, .eager = true });
    p->frames  = kith_frames_create(p->world, NULL);
    assert_true(kith_world_use_workers(p->world, p->workers));
    *state = p;
    return 0;
}

static int end_pair(void **state)
{
    pair *p = *state;
    assert_world_valid(p->world);
    kith_world_destroy(p->world);
    kith_world_destroy(p->alone);
    assert_true(kith_workers_destroy(p->workers));
    free(p);
    return 0;
}

static void run_and_save(pair *p, uint64_t frame)
{
    assert_true(kith_schedule_run(p->world, STEP));
    assert_int_equal(kith_frames_save(p->frames), frame);
}

static void workers_go_back_and_on_as_one_thread_does(void **state)
{
    pair    *p          = *state;
    uint64_t hashes[12] = { 0 };
    uint64_t seed       = 5;
    uint64_t newest     = 0;
    for (uint64_t frame = 1; frame < 12; frame++) {
        assert_true(kith_schedule_run(p->alone, STEP));
        assert_true(kith_world_advance(p->alone)); // as a save does
        hashes[frame] = exact_hash(p->alone);
    }
    for (uint32_t i = 0; i < 12 || newest < 11; i++) {
        uint64_t back = newest == 0 ? 0 : test_random_below(&seed, 3);
        if (back != 0 && back < newest && i < 12) {
            newest -= back;
            assert_true(kith_frames_restore(p->frames, newest));
            assert_world_valid(p->world);
            assert_true(exact_hash(p->world) == hashes[newest]);
        }
        if (newest < 11) {
            run_and_save(p, ++newest);
            assert_true(exact_hash(p->world) == hashes[newest]);
        }
    }
}

static void step_on_workers(kith_world *world, uint64_t frame, void *context)
{
    (void)frame, (void)context;
    assert_true(kith_schedule_run(world, STEP));
}

static uint32_t runs; // no frame has it

static void step_and_count(kith_world *world, uint64_t frame, void *context)
{
    step_on_workers(world, frame, context);
    if (++runs == 2) {
        kith_entity entity = kith_entity_create(world);
        life_set(world, entity, 77);
    }
}

static void a_check_runs_steps_on_workers(void **state)
{
    pair *p = *state;
    for (uint64_t frame = 1; frame <= 4; frame++) {
        run_and_save(p, frame);
    }
    uint64_t            hash  = exact_hash(p->world);
    kith_frames_finding found = kith_frames_check(p->frames, 3, step_on_workers, NULL);
    assert_true(found.checked);
    assert_string_equal(found.text, "");
    assert_int_equal(found.frame, 0);
    assert_true(exact_hash(p->world) == hash);
    runs  = 0;
    found = kith_frames_check(p->frames, 3, step_and_count, NULL);
    assert_true(found.checked);
    assert_int_equal(found.frame, 3);
    assert_true(exact_hash(p->world) == hash);
}

static void a_replica_follows_a_world_with_workers(void **state)
{
    pair      *p     = *state;
    kith_bytes delta = { .data = NULL };
    kith_bytes whole = { .data = NULL };
    run_and_save(p, 1);
    const kith_world *first = kith_frames_world(p->frames, 1);
    assert_int_equal(
        kith_world_save(first, &(kith_save_desc){ .exact = true }, kith_bytes_write, &whole).code,
        KITH_OK);
    assert_int_equal(kith_world_load(p->alone, NULL, whole.data, whole.size).code, KITH_OK);
    run_and_save(p, 2);
    kith_result result = kith_frames_delta(p->frames, 1, 2, NULL, kith_bytes_write, &delta);
    assert_string_equal(result.message, "");
    result = kith_delta_apply(p->alone, delta.data, delta.size);
    assert_string_equal(result.message, "");
    assert_true(exact_hash(p->alone) == exact_hash(p->world));
    kith_bytes_free(&delta);
    kith_bytes_free(&whole);
}

// --- what parts cannot do --------------------------------------------------------------------

typedef struct trespass {
    kith_frames    *frames;
    kith_recording *recording;
    uint32_t        parts;
    uint32_t        let_in;
} trespass;

static bool refused_by_result(kith_result result)
{
    return result.code == KITH_ERROR_BUSY && result.message[0] != '\0';
}

static void use_the_ring(const kith_part *part)
{
    trespass   *t     = part->turn->context;
    kith_diff   diff  = { .each = NULL };
    kith_bytes  bytes = { .data = NULL };
    kith_world *world = part->turn->world;
    if (part->chunk != 1) {
        return;
    }
    t->parts++;
    t->let_in += kith_frames_save(t->frames) != 0;
    t->let_in += kith_frames_restore(t->frames, 1);
    t->let_in += kith_frames_world(t->frames, 1) != NULL;
    t->let_in += kith_frames_diff(t->frames, 1, 2, &diff);
    t->let_in += kith_frames_check(t->frames, 1, step_on_workers, NULL).checked;
    t->let_in += kith_frames_destroy(t->frames);
    t->let_in += kith_recording_destroy(t->recording);
    t->let_in += kith_recording_create(world, PATH, NULL) != NULL;
    t->let_in +=
        !refused_by_result(kith_frames_delta(t->frames, 1, 2, NULL, kith_bytes_write, &bytes));
    t->let_in += !refused_by_result(kith_recording_add(t->recording, t->frames, 1));
    t->let_in += !refused_by_result(kith_delta_apply(world, "delta", 5)) || bytes.size != 0;
}

static void parts_cannot_use_a_ring(void **state)
{
    pair                    *p    = *state;
    trespass                 t    = { .frames = p->frames };
    const kith_parallel_desc desc = { .part = use_the_ring, .context = &t };
    t.recording                   = kith_recording_create(p->world, PATH, NULL);
    run_and_save(p, 1);
    run_and_save(p, 2);
    kith_query *query = movers_query(p->world);
    uint64_t    hash  = exact_hash(p->world);
    assert_true(kith_query_parallel(query, &desc));
    assert_int_equal(t.parts, 1);
    assert_int_equal(t.let_in, 0);
    assert_true(exact_hash(p->world) == hash);
    assert_int_equal(kith_recording_add(t.recording, p->frames, 1).code, KITH_OK);
    assert_true(kith_recording_destroy(t.recording));
    remove(PATH);
}

// The commands of the chunks are not applied yet when sums are combined.
static void save_or_restore(const kith_turn *turn, const void *sum, void *context)
{
    trespass *t = context;
    (void)turn, (void)sum;
    t->parts++;
    t->let_in += kith_frames_save(t->frames) != 0;
    t->let_in += kith_frames_restore(t->frames, 1);
}

static void waiting_commands_of_parts_are_refused(void **state)
{
    pair                    *p    = *state;
    trespass                 t    = { .frames = p->frames };
    const kith_parallel_desc desc = { .part = age_part, .combine = save_or_restore, .context = &t };
    run_and_save(p, 1);
    assert_true(kith_query_parallel(agers_query(p->world), &desc));
    assert_int_not_equal(t.parts, 0);
    assert_int_equal(t.let_in, 0);
    assert_int_equal(kith_frames_save(p->frames), 2);
}

#define WITH_PAIR(NAME) cmocka_unit_test_setup_teardown(NAME, set_up_pair, end_pair)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_PAIR(workers_go_back_and_on_as_one_thread_does),
        WITH_PAIR(a_check_runs_steps_on_workers),
        WITH_PAIR(a_replica_follows_a_world_with_workers),
        WITH_PAIR(parts_cannot_use_a_ring),
        WITH_PAIR(waiting_commands_of_parts_are_refused),
    };
    return cmocka_run_group_tests_name("frames_workers", tests, NULL, NULL);
}
