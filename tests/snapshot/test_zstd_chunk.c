// SPDX-License-Identifier: MIT
// Snapshots that zstd made smaller, and libraries without it.
#include "chunk_test.h"
#include "snapshot/chunk.h"
#include "snapshot_test.h"

static kith_bytes packed_file(const kith_world *world, uint32_t level)
{
    kith_save_desc desc   = { .zstd_level = level };
    kith_bytes     bytes  = { .data = NULL };
    kith_result    result = kith_world_save_memory(world, &desc, &bytes);
    assert_string_equal(result.message, "");
    return bytes;
}

static void packed_snapshots_are_smaller_and_say_the_same(void **state)
{
    scene *s = *state;
    act_often(s->world, 51, 600);
    kith_bytes plain = saved(s->world);
    for (uint32_t level = 1; level <= 19; level += 6) {
        kith_bytes packed = packed_file(s->world, level);
        assert_true(packed.size < plain.size);
        kith_world_clear(s->world);
        load(s->world, &packed);
        kith_bytes again = saved(s->world);
        assert_same_bytes(&plain, &again);
        kith_bytes_free(&again);
        kith_bytes_free(&packed);
    }
    kith_bytes_free(&plain);
}

// A reader knows from the length of a file how much it can hold, so that what packs too well is
// made longer again.
static void nothing_is_packed_beyond_the_ratio(void **state)
{
    scene *s = *state;
    for (uint32_t i = 0; i < 100000; i++) {
        spot_set(s->world, kith_entity_create(s->world), (place){ 0, 0, 0 });
    }
    kith_bytes  packed = packed_file(s->world, 19);
    kith_reader reader = { .file = { .bytes = packed.data, .size = packed.size } };
    assert_true(kith_reader_file(&reader));
    size_t most = 0;
    while (reader.file.at < reader.file.size) {
        size_t at = reader.file.at;
        assert_true(kith_reader_chunk(&reader));
        size_t ratio = reader.body.size / (reader.file.at - at - KITH_CHUNK_HEAD);
        most         = ratio > most ? ratio : most;
    }
    assert_in_range(most, 900, KITH_PACK_RATIO);
    load(s->world, &packed);
    kith_bytes_free(&reader.unpacked);
    kith_bytes_free(&packed);
}

// Also bits that mean nothing to zstd, which would unpack the same from them.
static void each_flip_and_each_truncation_of_packed_bytes_is_refused(void **state)
{
    scene *s = *state;
    act_often(s->world, 52, 200);
    kith_bytes before = saved(s->world);
    kith_bytes packed = packed_file(s->world, 3);
    for (size_t bit = 0; bit < packed.size * 8; bit += test_thinned(1000) == 1000 ? 1 : 13) {
        packed.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        kith_result result = kith_world_load(s->world, NULL, packed.data, packed.size);
        assert_int_equal(result.code, KITH_ERROR_FORMAT);
        assert_true(result.offset <= bit / 8 && result.message[0] != '\0');
        packed.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    for (size_t size = 0; size < packed.size; size++) {
        assert_int_not_equal(kith_world_load(s->world, NULL, packed.data, size).code, KITH_OK);
    }
    kith_bytes now = saved(s->world);
    assert_same_bytes(&before, &now);
    kith_bytes_free(&now);
    kith_bytes_free(&before);
    kith_bytes_free(&packed);
}

static void unpacked_bytes_count_as_memory(void **state)
{
    scene *s = *state;
    act_often(s->world, 53, 300);
    kith_bytes packed = packed_file(s->world, 9);
    assert_limit_is_exact(s->world, &s->memory, (kith_load_desc){ .bytes = 0 }, &packed);
    kith_bytes_free(&packed);
}

// Replaces the first chunk, or the second, by one that claims to be `claimed` bytes long unpacked.
static kith_bytes claim_length(const kith_bytes *file, bool first, size_t stored, uint64_t claimed)
{
    chunk_place world = place_of_chunk(file, KITH_FILE_HEAD);
    size_t      at    = first ? world.head : behind(world);
    kith_bytes  made  = { .data = calloc(1, at + KITH_CHUNK_HEAD + stored) };
    made.size         = at + KITH_CHUNK_HEAD + stored;
    made.room         = made.size;
    uint8_t *head     = made.data + at;
    memcpy(made.data, file->data, at);
    memcpy(head, "COMP", 4);
    head[4] = KITH_PACKING_SUMMED;
    put_number(head + 8, stored);
    put_number(head + 16, claimed);
    put_number(head + 32, kith_xxh3(head, 32));
    put_number(head + KITH_CHUNK_HEAD,
               kith_xxh3(head + KITH_CHUNK_HEAD + KITH_PACK_SUM, stored - KITH_PACK_SUM));
    return made;
}

static void assert_claim_refused(scene *s, const kith_bytes *file, size_t claimed, size_t limit)
{
    size_t live          = s->memory.live_bytes;
    s->memory.most_bytes = 0;
    kith_result result   = kith_world_load(s->world, NULL, file->data, file->size);
    size_t      taken    = s->memory.most_bytes - live;
    assert_over_limit(&result, taken + claimed, limit);
    assert_true(taken < 1u << 16);
    assert_int_equal(s->memory.live_bytes, live);
}

// Without a word of the caller: 1 GB, or 64 times the bytes of the file.
static void a_length_that_is_too_large_is_refused_before_it_is_unpacked(void **state)
{
    const size_t    gigabyte = (size_t)1 << 30;
    const size_t    megabyte = (size_t)1 << 20;
    scene          *s        = *state;
    kith_bytes      file     = packed_file(s->world, 3);
    kith_bytes      small    = claim_length(&file, false, 2 * megabyte, gigabyte + 1);
    kith_bytes      large    = claim_length(&file, false, 24 * megabyte, 3 * gigabyte / 2 + 65536);
    kith_bytes      first    = claim_length(&file, true, 2 * megabyte, gigabyte);
    kith_world_desc desc     = { .index_bits = 0 };
    assert_claim_refused(s, &small, gigabyte + 1, gigabyte);
    assert_claim_refused(s, &large, 3 * gigabyte / 2 + 65536, 64 * large.size);
    assert_string_equal(kith_snapshot_world_desc(NULL, first.data, first.size, &desc).message,
                        "a chunk's head makes no sense");
    kith_bytes_free(&first);
    kith_bytes_free(&large);
    kith_bytes_free(&small);
    kith_bytes_free(&file);
}

static void assert_not_packed(const kith_world *world, uint32_t level, const char *reason)
{
    kith_bytes     bytes  = { .data = NULL };
    kith_save_desc desc   = { .zstd_level = level };
    kith_result    result = kith_world_save_memory(world, &desc, &bytes);
    assert_int_equal(result.code, KITH_ERROR_ARGUMENT);
    assert_string_equal(result.message, reason);
}

static void levels_are_one_to_nineteen(void **state)
{
    scene *s = *state;
    assert_not_packed(s->world, 20, "zstd_level must be 0 to 19");
}

static void a_library_without_zstd_says_so(void **state)
{
    scene *s = *state;
    assert_not_packed(s->world, 3, "this library was built without zstd");
    kith_result result = kith_world_load_file(s->world, NULL, KITH_SAMPLES "/packed.kith");
    assert_int_equal(result.code, KITH_ERROR_FORMAT);
    assert_string_equal(result.message, "a chunk is packed with zstd: build kith with KITH_ZSTD");
}

int main(void)
{
    const struct CMUnitTest with[] = {
        TEST(packed_snapshots_are_smaller_and_say_the_same),
        TEST(nothing_is_packed_beyond_the_ratio),
        TEST(each_flip_and_each_truncation_of_packed_bytes_is_refused),
        TEST(unpacked_bytes_count_as_memory),
        TEST(a_length_that_is_too_large_is_refused_before_it_is_unpacked),
        TEST(levels_are_one_to_nineteen),
    };
    const struct CMUnitTest without[] = { TEST(a_library_without_zstd_says_so) };
    return kith_pack_available() ? cmocka_run_group_tests_name("zstd_chunk", with, NULL, NULL)
                                 : cmocka_run_group_tests_name("zstd_chunk", without, NULL, NULL);
}
