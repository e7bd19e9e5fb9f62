// SPDX-License-Identifier: MIT
// Deltas between frames: a replica gets the states of another world, in both directions; damaged
// deltas change nothing.
#include "exact_test.h"
#include "frames/frames_test.h"

static kith_bytes delta_between(kith_frames *frames, uint64_t from, uint64_t to)
{
    kith_bytes  bytes  = { .data = NULL };
    kith_result result = kith_frames_delta(frames, from, to, NULL, kith_bytes_write, &bytes);
    assert_string_equal(result.message, "");
    assert_int_equal(result.code, KITH_OK);
    return bytes;
}

static void apply(kith_world *world, const kith_bytes *delta)
{
    kith_result result = kith_delta_apply(world, delta->data, delta->size);
    assert_string_equal(result.message, "");
    assert_int_equal(result.code, KITH_OK);
    assert_world_valid(world);
}

// --- both directions -------------------------------------------------------------------------

#define FRAMES 10u

static void follow(town *replica, kith_frames *frames, const uint64_t *hashes, uint64_t from,
                   uint64_t to)
{
    kith_bytes delta = delta_between(frames, from, to);
    apply(replica->world, &delta);
    assert_true(exact_hash(replica->world) == hashes[to]);
    if (hashes[from] != hashes[to]) {
        apply(replica->world, &delta); // and back
        assert_true(exact_hash(replica->world) == hashes[from]);
        apply(replica->world, &delta);
    }
    kith_bytes_free(&delta);
}

static void run_replica(kith_world_desc desc, uint64_t seed)
{
    static town  server;
    static town  replica;
    uint64_t     hashes[FRAMES + 1] = { 0 };
    kith_bytes   first              = { .data = NULL };
    uint64_t     at                 = 1;
    kith_frames *frames;
    server  = (town){ 0 };
    replica = (town){ 0 };
    make_town(&server, desc);
    make_town(&replica, desc);
    frames = kith_frames_create(server.world, NULL);
    for (uint32_t i = 1; i <= FRAMES; i++) {
        act_in_town_often(&server, seed + i, i % 3 == 0 ? 1 : 60);
        assert_int_equal(kith_frames_save(frames), i);
        hashes[i] = exact_hash(server.world);
        if (i == 1) {
            first = saved_exactly(server.world);
        }
    }
    load(replica.world, &first);
    for (uint32_t i = 0; i < 8 + test_thinned(40); i++) {
        uint64_t to = i < FRAMES - 1 ? i + 2 : 1 + test_random_below(&seed, FRAMES);
        follow(&replica, frames, hashes, at, to);
        at = to;
    }
    kith_bytes_free(&first);
    end_town(&server);
    end_town(&replica);
}

static void a_replica_follows_in_both_directions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 8; seed++) {
        run_replica((kith_world_desc){ .free_order = test_free_orders[seed % TEST_FREE_ORDERS] },
                    1000 * seed);
    }
}

// --- refusals --------------------------------------------------------------------------------

static void another_state_is_refused(void **state)
{
    town       *t      = *state;
    kith_bytes  delta  = delta_between(two_frames(t), 1, 2);
    kith_entity entity = kith_entity_create(t->world);
    uint64_t    before = exact_hash(t->world);

    kith_result result = kith_delta_apply(t->world, delta.data, delta.size);

    assert_int_equal(result.code, KITH_ERROR_CONFLICT);
    assert_true(exact_hash(t->world) == before && kith_entity_alive(t->world, entity));
    kith_bytes_free(&delta);
}

static void a_compressed_delta_is_applied_or_refused(void **state)
{
    town                 *t      = *state;
    kith_frames          *frames = two_frames(t);
    kith_bytes            bytes  = { .data = NULL };
    const kith_delta_desc wrong  = { .zstd_level = 20 };
    kith_result result = kith_frames_delta(frames, 2, 1, &wrong, kith_bytes_write, &bytes);
    assert_int_equal(result.code, KITH_ERROR_ARGUMENT);
    result = kith_frames_delta(frames, 2, 1, &(kith_delta_desc){ .zstd_level = 3 },
                               kith_bytes_write, &bytes);
    if (result.code == KITH_OK) {
        apply(t->world, &bytes);
        assert_true(exact_hash(t->world) == exact_hash(kith_frames_world(frames, 1)));
    } else {
        assert_string_equal(result.message, "this library was built without zstd");
    }
    kith_bytes_free(&bytes);
}

static bool refuse_bytes(const void *bytes, size_t size, void *context)
{
    (void)bytes, (void)size, (void)context;
    return false;
}

static void a_write_function_that_fails_is_reported(void **state)
{
    kith_frames *frames = two_frames(*state);
    assert_int_equal(kith_frames_delta(frames, 1, 2, NULL, refuse_bytes, NULL).code, KITH_ERROR_IO);
    assert_int_equal(kith_frames_delta(frames, 1, 9, NULL, refuse_bytes, NULL).code,
                     KITH_ERROR_ARGUMENT);
}

static void a_delta_and_a_snapshot_are_not_confused(void **state)
{
    town       *t     = *state;
    kith_bytes  delta = delta_between(two_frames(t), 1, 2);
    kith_bytes  whole = saved_exactly(t->world);
    kith_result load  = kith_world_load(t->world, NULL, delta.data, delta.size);
    kith_result apply = kith_delta_apply(t->world, whole.data, whole.size);
    assert_string_equal(load.message, "this is a delta (kith_delta_apply)");
    assert_string_equal(apply.message, "this is a snapshot");
    kith_bytes_free(&delta);
    kith_bytes_free(&whole);
}

// Tries damaged bytes: the world gets the right state, or stays as it is.
static void try_damaged(town *t, const uint8_t *bytes, size_t size, const uint64_t hashes[2])
{
    kith_result result = kith_delta_apply(t->world, bytes, size);
    uint64_t    after  = exact_hash(t->world);
    assert_int_not_equal(result.code, KITH_OK);
    assert_string_not_equal(result.message, "");
    assert_true(after == hashes[1]);
}

static void damaged_deltas_change_nothing(void **state)
{
    town        *t         = *state;
    kith_frames *frames    = two_frames(t);
    kith_bytes   delta     = delta_between(frames, 1, 2);
    uint64_t     hashes[2] = { 0, exact_hash(t->world) };
    uint32_t     step      = 1 + 8000 / test_thinned(8000);
    for (size_t bit = 0; bit < 8 * delta.size; bit += step) {
        delta.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        try_damaged(t, delta.data, delta.size, hashes);
        delta.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t size = 0; size < delta.size; size += step) {
        try_damaged(t, delta.data, size, hashes);
    }
    apply(t->world, &delta);
    kith_bytes_free(&delta);
}

// --- failing allocations ---------------------------------------------------------------------

static void failing_allocations_change_nothing(void **state)
{
    (void)state;
    for (uint32_t n = 1, failed = 1; failed != 0; n += 1 + n / test_thinned(40)) {
        static town t;
        t                = (town){ 0 };
        kith_bytes delta = { .data = NULL };
        make_town(&t, (kith_world_desc){ 0 });
        kith_frames *frames = two_frames(&t);
        uint64_t     now    = exact_hash(t.world);
        test_fail_after(&t.memory, n);
        bool made = kith_frames_delta(frames, 1, 2, NULL, kith_bytes_write, &delta).code == KITH_OK;
        failed    = t.memory.failed;
        test_fail_after(&t.memory, 0);
        assert_world_valid(t.world);
        assert_true(exact_hash(t.world) == now);
        if (!made) {
            kith_bytes_free(&delta);
            delta = delta_between(frames, 1, 2);
        }
        test_fail_after(&t.memory, n);
        bool applied = kith_delta_apply(t.world, delta.data, delta.size).code == KITH_OK;
        failed += t.memory.failed;
        test_fail_after(&t.memory, 0);
        assert_world_valid(t.world);
        assert_true(applied || exact_hash(t.world) == now);
        kith_bytes_free(&delta);
        end_town(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replica_follows_in_both_directions),
        IN_TOWN(another_state_is_refused),
        IN_TOWN(a_compressed_delta_is_applied_or_refused),
        IN_TOWN(a_write_function_that_fails_is_reported),
        IN_TOWN(a_delta_and_a_snapshot_are_not_confused),
        IN_TOWN(damaged_deltas_change_nothing),
        cmocka_unit_test(failing_allocations_change_nothing),
    };
    return cmocka_run_group_tests_name("delta", tests, NULL, NULL);
}
