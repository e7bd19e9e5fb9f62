// SPDX-License-Identifier: MIT
// Deltas of content: a merge that gets deltas does what a merge that gets whole snapshots does.
#include "exact_test.h"

#include "kith/frames.h"
#include "kith/merge.h"

#define FRAMES 12u

// A world with entities of its own, and what it merged.
typedef struct client {
    test_memory memory;
    kith_world *world;
    kith_merge *merge;
    uint32_t    notified;
} client;

static void count_notice(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world, (void)notice;
    ((client *)context)->notified++;
}

static void make_client(client *c)
{
    static const kith_event events[] = { KITH_EVENT_ADD, KITH_EVENT_SET, KITH_EVENT_REMOVE };
    *c                               = (client){ 0 };
    c->world                         = make_world(&c->memory, (kith_world_desc){ 0 });
    assert_true(scar_register(c->world) && glow_register(c->world));
    for (uint32_t i = 0; i < 3; i++) {
        scar_set(c->world, kith_entity_create(c->world), 7);
    }
    for (uint32_t i = 0; i < 3; i++) {
        const kith_listener_desc desc = {
            .event = events[i], .component = SCAR, .call = count_notice, .context = c
        };
        assert_int_not_equal(kith_listener_connect(c->world, &desc), 0);
    }
    c->merge = kith_merge_create(c->world);
}

static void end_client(client *c)
{
    test_world_end(c->world, &c->memory);
}

static uint64_t full_hash(const kith_world *world)
{
    uint64_t hash = 0;
    assert_true(kith_world_hash_full(world, KITH_ALL, &hash));
    return hash;
}

static kith_bytes content_delta(kith_frames *frames, uint64_t from, uint64_t to,
                                kith_delta_desc desc)
{
    kith_bytes bytes   = { .data = NULL };
    desc.content       = true;
    kith_result result = kith_frames_delta(frames, from, to, &desc, kith_bytes_write, &bytes);
    assert_string_equal(result.message, "");
    return bytes;
}

static void merge_bytes(client *c, const kith_bytes *bytes)
{
    kith_result result = kith_merge_apply(c->merge, NULL, bytes->data, bytes->size);
    assert_string_equal(result.message, "");
    assert_world_valid(c->world);
}

static void assert_alike(const client *by_delta, const client *by_snapshot)
{
    assert_true(full_hash(by_delta->world) == full_hash(by_snapshot->world));
    assert_int_equal(by_delta->notified, by_snapshot->notified);
}

// Plays frames in a town; one client gets deltas, another one whole snapshots.
static void run_clients(uint64_t seed, const kith_delta_desc *desc)
{
    static town  server;
    client       a;
    client       b;
    uint64_t     known = 0; // the frame that the clients have
    kith_frames *frames;
    server = (town){ 0 };
    make_town(&server, (kith_world_desc){ 0 });
    make_client(&a);
    make_client(&b);
    frames = kith_frames_create(server.world, NULL);
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        act_in_town_often(&server, seed + frame, frame % 3 == 0 ? 2 : 60);
        assert_int_equal(kith_frames_save(frames), frame);
        if (test_random_below(&seed, 3) == 0) {
            continue; // the next delta leads over two frames
        }
        const kith_save_desc only  = { .components      = desc->components,
                                       .component_count = desc->component_count };
        kith_bytes           delta = content_delta(frames, known, frame, *desc);
        kith_bytes           whole = { .data = NULL };
        assert_int_equal(
            kith_world_save_memory(kith_frames_world(frames, frame), &only, &whole).code, KITH_OK);
        merge_bytes(&a, &delta);
        merge_bytes(&b, &whole);
        assert_alike(&a, &b);
        known = frame;
        kith_bytes_free(&delta);
        kith_bytes_free(&whole);
    }
    end_client(&a);
    end_client(&b);
    end_town(&server);
}

static void deltas_do_what_whole_snapshots_do(void **state)
{
    static const kith_component few[] = { SCAR, PLACE };
    (void)state;
    for (uint64_t seed = 1; seed < 12; seed++) {
        run_clients(100 * seed, &(kith_delta_desc){ .content = true });
        run_clients(100 * seed,
                    &(kith_delta_desc){ .content = true, .components = few, .component_count = 2 });
    }
}

// --- a chain ---------------------------------------------------------------------------------

// A town with three frames, and the deltas between them.
static void make_chain(town *t, kith_bytes chain[3])
{
    kith_frames *frames = kith_frames_create(t->world, NULL);
    for (uint64_t frame = 1; frame <= 3; frame++) {
        act_in_town_often(t, frame, 40);
        assert_int_equal(kith_frames_save(frames), frame);
        chain[frame - 1] = content_delta(frames, frame - 1, frame, (kith_delta_desc){ 0 });
    }
}

static void free_chain(kith_bytes chain[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        kith_bytes_free(&chain[i]);
    }
}

static void assert_merge_refuses(client *c, const void *bytes, size_t size, kith_error_code code)
{
    uint64_t    before = full_hash(c->world);
    kith_result result = kith_merge_apply(c->merge, NULL, bytes, size);
    assert_int_not_equal(result.code, KITH_OK);
    assert_true(code == KITH_OK || result.code == code);
    assert_true(full_hash(c->world) == before);
}

static void a_lost_or_repeated_delta_is_noticed(void **state)
{
    kith_bytes chain[3];
    client     c;
    make_chain(*state, chain);
    make_client(&c);
    assert_merge_refuses(&c, chain[1].data, chain[1].size, KITH_ERROR_CONFLICT);
    merge_bytes(&c, &chain[0]);
    assert_merge_refuses(&c, chain[2].data, chain[2].size, KITH_ERROR_CONFLICT);
    merge_bytes(&c, &chain[1]);
    uint64_t second = full_hash(c.world);
    assert_merge_refuses(&c, chain[1].data, chain[1].size, KITH_ERROR_CONFLICT);
    merge_bytes(&c, &chain[0]); // from nothing, at any time
    merge_bytes(&c, &chain[1]);
    merge_bytes(&c, &chain[2]);
    assert_true(full_hash(c.world) != second);
    end_client(&c);
    free_chain(chain);
}

static void a_delta_that_needs_too_much_memory_is_refused(void **state)
{
    const kith_load_desc little = { .bytes = 64 };
    kith_bytes           chain[3];
    client               c;
    make_chain(*state, chain);
    make_client(&c);
    assert_int_equal(kith_merge_apply(c.merge, &little, chain[0].data, chain[0].size).code,
                     KITH_ERROR_LIMIT);
    merge_bytes(&c, &chain[0]);
    end_client(&c);
    free_chain(chain);
}

static void a_world_does_not_load_a_delta_of_content(void **state)
{
    kith_bytes chain[3];
    client     c;
    make_chain(*state, chain);
    make_client(&c);
    assert_int_not_equal(kith_world_load(c.world, NULL, chain[0].data, chain[0].size).code,
                         KITH_OK);
    assert_int_equal(kith_delta_apply(c.world, chain[0].data, chain[0].size).code,
                     KITH_ERROR_CONFLICT);
    end_client(&c);
    free_chain(chain);
}

static void damaged_deltas_of_content_are_refused(void **state)
{
    kith_bytes chain[3];
    client     c;
    make_chain(*state, chain);
    make_client(&c);
    merge_bytes(&c, &chain[0]);
    kith_bytes *delta = &chain[1];
    size_t      step  = 1 + 4000 / test_thinned(4000);
    for (size_t bit = 0; bit < 8 * delta->size; bit += 5 * step) {
        delta->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_merge_refuses(&c, delta->data, delta->size, KITH_OK);
        delta->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t size = 0; size < delta->size; size += step) {
        assert_merge_refuses(&c, delta->data, size, KITH_OK);
    }
    merge_bytes(&c, delta);
    end_client(&c);
    free_chain(chain);
}

// A merge takes exact snapshots, too; a delta from nothing follows.
static void snapshots_and_deltas_can_be_mixed(void **state)
{
    town      *t = *state;
    kith_bytes chain[3];
    client     c;
    make_chain(t, chain);
    kith_queue_clear(t->bells);
    kith_queue_clear(t->hits.queue);
    kith_queue_clear(t->notes.queue);
    kith_bytes whole = saved_exactly(t->world);
    make_client(&c);
    merge_bytes(&c, &chain[0]);
    merge_bytes(&c, &whole);
    assert_merge_refuses(&c, chain[1].data, chain[1].size, KITH_ERROR_CONFLICT);
    merge_bytes(&c, &chain[0]);
    merge_bytes(&c, &chain[1]);
    kith_bytes_free(&whole);
    end_client(&c);
    free_chain(chain);
}

static void chosen_entities_that_die_are_left_out(void **state)
{
    town           *t      = *state;
    kith_frames    *frames = kith_frames_create(t->world, NULL);
    client          c;
    kith_entity     both[] = { kith_entity_create(t->world), kith_entity_create(t->world) };
    kith_delta_desc desc   = { .entities = both, .entity_count = 2 };
    make_client(&c);
    scar_set(t->world, both[0], 1);
    scar_set(t->world, both[1], 2);
    scar_set(t->world, kith_entity_create(t->world), 3);
    kith_frames_save(frames);
    kith_entity_destroy(t->world, both[1]);
    scar_set(t->world, both[0], 5);
    kith_frames_save(frames);
    kith_bytes first  = content_delta(frames, 0, 1, desc);
    kith_bytes second = content_delta(frames, 1, 2, desc);

    merge_bytes(&c, &first);
    assert_int_equal(scar_count(c.world), 5); // three of its own
    merge_bytes(&c, &second);

    assert_int_equal(scar_count(c.world), 4);
    assert_int_equal(*scar_get(c.world, kith_merge_local(c.merge, both[0])), 5);
    assert_true(kith_merge_local(c.merge, both[1]) == KITH_NULL);
    kith_bytes_free(&first);
    kith_bytes_free(&second);
    end_client(&c);
}

static void a_merge_without_memory_goes_on_later(void **state)
{
    kith_bytes chain[3];
    client     whole;
    make_chain(*state, chain);
    make_client(&whole);
    merge_bytes(&whole, &chain[0]);
    merge_bytes(&whole, &chain[1]);
    for (uint32_t n = 1, failed = 1; failed != 0; n += 1 + n / test_thinned(60)) {
        client c;
        make_client(&c);
        merge_bytes(&c, &chain[0]);
        test_fail_after(&c.memory, n);
        bool done = kith_merge_apply(c.merge, NULL, chain[1].data, chain[1].size).code == KITH_OK;
        failed    = c.memory.failed;
        test_fail_after(&c.memory, 0);
        assert_world_valid(c.world);
        if (!done) {
            merge_bytes(&c, &chain[1]);
        }
        assert_int_equal(scar_count(c.world), scar_count(whole.world));
        end_client(&c);
    }
    end_client(&whole);
    free_chain(chain);
}

// --- going back ------------------------------------------------------------------------------

static void assert_undone(client *c, const kith_bytes *bytes, kith_entity remote)
{
    uint64_t    before = full_hash(c->world);
    kith_result result = kith_merge_apply(c->merge, NULL, bytes->data, bytes->size);
    assert_int_equal(result.code, KITH_ERROR_CONFLICT);
    assert_string_equal(result.message, "the world went back: create a new merge");
    assert_true(kith_merge_local(c->merge, remote) == KITH_NULL);
    assert_true(full_hash(c->world) == before);
    assert_world_valid(c->world);
}

// A merge knows handles, which other entities can have after a restore.
static void a_merge_that_a_restore_undid_is_refused(void **state)
{
    town        *t      = *state;
    kith_entity  remote = kith_entity_create(t->world);
    kith_frames *frames = kith_frames_create(t->world, NULL);
    for (uint32_t frame = 1; frame < 3; frame++) {
        scar_set(t->world, remote, (int32_t)frame);
        assert_int_equal(kith_frames_save(frames), frame);
    }
    kith_bytes first  = content_delta(frames, 0, 1, (kith_delta_desc){ 0 });
    kith_bytes second = content_delta(frames, 1, 2, (kith_delta_desc){ 0 });
    client     c;
    make_client(&c);
    kith_frames *ring = kith_frames_create(c.world, NULL);
    assert_int_equal(kith_frames_save(ring), 1);
    merge_bytes(&c, &first);
    assert_int_equal(kith_frames_save(ring), 2);
    kith_entity local = kith_merge_local(c.merge, remote);
    assert_true(local != KITH_NULL && kith_frames_restore(ring, 1));
    assert_undone(&c, &second, remote);
    assert_true(kith_frames_restore(ring, 2) && kith_merge_local(c.merge, remote) == local);
    merge_bytes(&c, &second);
    assert_true(kith_frames_restore(ring, 2)); // before the second delta
    assert_undone(&c, &second, remote);
    client other = c;
    other.merge  = kith_merge_create(c.world);
    assert_true(kith_frames_restore(ring, 1));
    merge_bytes(&other, &first); // a merge that the first one does not know
    assert_undone(&c, &second, remote);
    kith_bytes whole = saved_exactly(c.world);
    load(c.world, &whole);
    assert_undone(&other, &second, remote);
    kith_bytes_free(&whole);
    kith_bytes_free(&first);
    kith_bytes_free(&second);
    end_client(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deltas_do_what_whole_snapshots_do),
        IN_TOWN(a_lost_or_repeated_delta_is_noticed),
        IN_TOWN(a_delta_that_needs_too_much_memory_is_refused),
        IN_TOWN(a_world_does_not_load_a_delta_of_content),
        IN_TOWN(damaged_deltas_of_content_are_refused),
        IN_TOWN(snapshots_and_deltas_can_be_mixed),
        IN_TOWN(chosen_entities_that_die_are_left_out),
        IN_TOWN(a_merge_without_memory_goes_on_later),
        IN_TOWN(a_merge_that_a_restore_undid_is_refused),
    };
    return cmocka_run_group_tests_name("content_delta", tests, NULL, NULL);
}
