// SPDX-License-Identifier: MIT
// Snapshots that were made once and are kept in tests/samples: what was saved must load for ever,
// and nothing that happens to a file may do more than make it refused.
//
// usage: test_samples [write DIRECTORY]        write: makes the samples anew, after the format has
//                                              changed, which it may while its version is 0
#include "snapshot_test.h"

#include "snapshot/chunk.h"

typedef struct sample {
    const char *name;
    uint64_t    seed;
    uint32_t    acts;
    uint32_t    level; // of zstd
    uint64_t    hash;  // of the world that was saved
    bool        old;   // packed without a checksum of the packed bytes, as nothing writes any more
} sample;

static const sample samples[] = {
    { "empty.kith", 0, 0, 0, 0xeed0eb9f8966514b, false },
    { "town.kith", 61, 260, 0, 0x68f3a0b70d9b4679, false },
    { "packed.kith", 62, 900, 9, 0x55c8c213d0fbb27b, true },
    { "packed_summed.kith", 63, 60, 9, 0xf248246dd9a7467a, false },
};

#define SAMPLE_COUNT (sizeof samples / sizeof samples[0])

static kith_bytes sample_bytes(const sample *which)
{
    char       path[512];
    kith_bytes bytes = { .data = malloc(1u << 20), .room = 1u << 20 };
    snprintf(path, sizeof path, "%s/%s", KITH_SAMPLES, which->name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    bytes.size = fread(bytes.data, 1, bytes.room, file);
    fclose(file);
    return bytes;
}

static bool is_readable(const sample *which)
{
    return which->level == 0 || kith_pack_available();
}

static void samples_load_and_have_their_hash(void **state)
{
    scene *s = *state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        uint64_t   hash;
        kith_bytes file = sample_bytes(&samples[i]);
        if (is_readable(&samples[i])) {
            load(s->world, &file);
            assert_true(kith_world_hash_full(s->world, KITH_ALL, &hash));
            assert_true(hash == samples[i].hash);
        }
        if (samples[i].level == 0) { // and is saved again as it was
            kith_bytes again = saved(s->world);
            assert_same_bytes(&file, &again);
            kith_bytes_free(&again);
        }
        kith_bytes_free(&file);
    }
}

// A file that is not what it was is refused with a reason and an offset. In an old packed one a bit
// that means nothing to zstd leaves an equal world.
static void assert_file_refused(scene *s, const kith_bytes *file, bool old, uint64_t hash)
{
    uint64_t now;
    s->memory.most_bytes = 0;
    kith_result result   = kith_world_load(s->world, NULL, file->data, file->size);
    assert_true((old && result.code == KITH_OK) ||
                (result.code == KITH_ERROR_FORMAT && result.message[0] != '\0' &&
                 result.offset <= file->size));
    assert_true(kith_world_hash_full(s->world, KITH_ALL, &now));
    assert_true(now == hash);
}

static void each_flip_and_each_truncation_is_refused(void **state)
{
    scene *s    = *state;
    size_t most = 0;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        kith_bytes file = sample_bytes(&samples[i]);
        kith_bytes cut  = file;
        uint64_t   hash;
        // what loading it takes; one that cannot be read takes no more than the one before
        if (is_readable(&samples[i])) {
            s->memory.most_bytes = 0;
            load(s->world, &file);
            most = s->memory.most_bytes;
        }
        assert_true(kith_world_hash_full(s->world, KITH_ALL, &hash));
        size_t step = test_thinned(1000) == 1000 ? 1 : 11;
        for (size_t bit = 0; bit < file.size * 8; bit += step) {
            file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            assert_file_refused(s, &file, samples[i].old, hash);
            file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            assert_true(s->memory.most_bytes <= 2 * most);
        }
        for (cut.size = 0; cut.size < file.size; cut.size++) {
            assert_file_refused(s, &cut, false, hash);
            assert_true(s->memory.most_bytes <= 2 * most);
        }
        assert_world_valid(s->world);
        kith_bytes_free(&file);
    }
}

static int write_samples(const char *folder)
{
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        if (samples[i].old) {
            continue;
        }
        char           path[512];
        uint64_t       hash;
        scene          s    = { .world = NULL };
        kith_save_desc desc = { .zstd_level = samples[i].level };
        s.world             = make_world(&s.memory, (kith_world_desc){ 0 });
        act_often(s.world, samples[i].seed, samples[i].acts);
        snprintf(path, sizeof path, "%s/%s", folder, samples[i].name);
        kith_result result = kith_world_save_file(s.world, &desc, path);
        assert_true(kith_world_hash_full(s.world, KITH_ALL, &hash));
        printf("%s: %s, hash 0x%016llx\n", path, result.code == KITH_OK ? "saved" : result.message,
               (unsigned long long)hash);
        kith_world_destroy(s.world);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(samples_load_and_have_their_hash),
        TEST(each_flip_and_each_truncation_is_refused),
    };
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        return write_samples(argv[2]);
    }
    return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
