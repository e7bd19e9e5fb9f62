// SPDX-License-Identifier: MIT
// Snapshots in worlds that know nothing of the program that saved them.
#include "snapshot_test.h"

static const kith_load_desc keep = { .unknown = KITH_UNKNOWN_KEEP };

static kith_world *stranger(test_memory *memory, const kith_bytes *file)
{
    kith_world_desc desc = { 0 };
    assert_int_equal(kith_snapshot_world_desc(file->data, file->size, &desc).code, KITH_OK);
    return test_world_with(memory, desc);
}

// As in the scene, but without groups: a stranger has none, and their orders would be lost.
static kith_world *town_without_groups(test_memory *memory)
{
    kith_world *world = test_world_with(memory, (kith_world_desc){ 0 });
    assert_true(town_register(world));
    return world;
}

static void load_kept(kith_world *world, const kith_bytes *file)
{
    kith_result result = kith_world_load(world, &keep, file->data, file->size);
    assert_string_equal(result.message, "");
    assert_int_equal(result.code, KITH_OK);
    assert_world_valid(world);
}

// Components that the stranger keeps have ids of their own, so that these bytes may differ.
static void assert_same_hash(const kith_world *a, const kith_world *b)
{
    uint64_t first;
    uint64_t second;
    assert_true(kith_world_hash_full(a, &first) && kith_world_hash_full(b, &second));
    assert_true(first == second);
}

static void a_world_that_knows_nothing_keeps_everything(void **state)
{
    test_memory memories[2] = { { 0 }, { 0 } };
    kith_world *town        = town_without_groups(&memories[0]);
    (void)state;
    act_often(town, 11, 400);
    kith_bytes  file  = saved(town);
    kith_world *other = stranger(&memories[1], &file);
    load_kept(other, &file);
    const kith_component_desc *spot =
        kith_component_describe(other, kith_component_find(other, "spot"));
    assert_int_equal(spot->size, sizeof(place));
    assert_string_equal(spot->traits.saved.fields->list[1].name, "floor");
    assert_same_hash(other, town);
    kith_bytes back = saved(other);
    kith_world_clear(town);
    load(town, &back);
    kith_bytes again = saved(town);
    assert_same_bytes(&file, &again);
    kith_bytes_free(&again);
    kith_bytes_free(&back);
    kith_bytes_free(&file);
    test_world_end(other, &memories[1]);
    test_world_end(town, &memories[0]);
}

static void what_is_kept_is_in_clones_and_hashes(void **state)
{
    scene      *s      = *state;
    test_memory memory = { 0 };
    act_often(s->world, 12, 300);
    kith_bytes  file  = saved(s->world);
    kith_world *other = stranger(&memory, &file);
    load_kept(other, &file);
    kith_world *clone = kith_world_clone(other, NULL);
    assert_non_null(clone);
    kith_bytes a = saved(other);
    kith_world_clear(other); // the clone's bytes are its own
    kith_bytes b = saved(clone);
    assert_same_bytes(&a, &b);
    load_kept(other, &a);
    assert_same_hash(other, clone);
    kith_bytes_free(&a);
    kith_bytes_free(&b);
    kith_bytes_free(&file);
    kith_world_destroy(clone);
    test_world_end(other, &memory);
}

static void a_load_that_fails_registers_nothing(void **state)
{
    scene      *s      = *state;
    test_memory memory = { 0 };
    act_often(s->world, 13, 200);
    kith_bytes  file  = saved(s->world);
    kith_world *other = stranger(&memory, &file);
    uint32_t    most  = kith_world_stats(other).components;
    for (size_t size = 0; size < file.size; size += 97) {
        assert_int_not_equal(kith_world_load(other, &keep, file.data, size).code, KITH_OK);
        assert_int_equal(kith_world_stats(other).components, most);
    }
    load_kept(other, &file);
    kith_bytes_free(&file);
    test_world_end(other, &memory);
}

static void every_allocation_may_fail(void **state)
{
    scene      *s      = *state;
    test_memory memory = { 0 };
    act_often(s->world, 14, 100);
    kith_bytes  file  = saved(s->world);
    kith_world *other = stranger(&memory, &file);
    kith_result result;
    uint32_t    failed = 0;
    do {
        test_fail_after(&memory, ++failed);
        result = kith_world_load(other, &keep, file.data, file.size);
        test_fail_after(&memory, 0);
        assert_true(result.code == KITH_OK || result.code == KITH_ERROR_MEMORY);
        assert_true((kith_world_stats(other).components == 0) == (result.code != KITH_OK));
        assert_world_valid(other);
    } while (result.code != KITH_OK);
    assert_true(failed > 30);
    kith_bytes_free(&file);
    test_world_end(other, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_world_that_knows_nothing_keeps_everything),
        TEST(what_is_kept_is_in_clones_and_hashes),
        TEST(a_load_that_fails_registers_nothing),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("keep", tests, NULL, NULL);
}
