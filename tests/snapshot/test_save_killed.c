// SPDX-License-Identifier: MIT
// A program that is killed while it saves: whenever that happens, the file is the old one or the
// new one, whole. Each system call of the saving process is a moment at which it is killed.
#if !defined(_GNU_SOURCE)
    #define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier)
#endif

#include "killed_test.h"
#include "snapshot_test.h"

#if defined(KITH_CAN_KILL)
    #include <sys/stat.h>

typedef struct attempt {
    const kith_world *world;
    const char       *path;
} attempt;

static bool save_to_file(void *context)
{
    const attempt *a = context;
    return kith_world_save_file(a->world, NULL, a->path).code == KITH_OK;
}

static uint64_t hash_of_file(scene *reader, const char *path)
{
    uint64_t    hash   = 0;
    kith_result result = kith_world_load_file(reader->world, NULL, path);
    assert_string_equal(result.message, "");
    assert_true(kith_world_hash_full(reader->world, KITH_ALL, &hash));
    return hash;
}

static void put_bytes(const char *path, const kith_bytes *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes->data, 1, bytes->size, file), bytes->size);
    fclose(file);
}

static void remove_all(char *path, const char *folder)
{
    remove(path);
    strcat(path, ".new");
    remove(path);
    rmdir(folder);
}

static void the_file_is_the_old_one_or_the_new_one(void **state)
{
    scene   *s          = *state;
    scene    reader     = { .world = NULL };
    char     folder[32] = "killed_XXXXXX";
    char     path[64];
    uint64_t hashes[2] = { 0, 0 };
    uint32_t seen[2]   = { 0, 0 };
    bool     killed    = true;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/town.kith", folder);
    reader.world = make_world(&reader.memory, (kith_world_desc){ 0 });
    act_often(s->world, 71, 200);
    kith_bytes old = saved(s->world);
    load(reader.world, &old);
    kith_bytes same = saved(reader.world);
    assert_same_bytes(&old, &same);
    assert_true(kith_world_hash_full(reader.world, KITH_ALL, &hashes[0]));
    act_often(s->world, 72, 200);
    assert_true(kith_world_hash_full(s->world, KITH_ALL, &hashes[1]) && hashes[0] != hashes[1]);
    bool     all  = test_thinned(1000) == 1000;
    uint32_t step = all ? 1 : 23;
    for (uint32_t moments = 0; killed; moments += step) {
        put_bytes(path, &old);
        killed        = killed_while(save_to_file, &(attempt){ s->world, path }, moments);
        uint64_t hash = hash_of_file(&reader, path);
        assert_true(hash == hashes[1] || (killed && hash == hashes[0]));
        seen[hash == hashes[1]]++;
    }
    assert_true(all ? seen[0] > 10 && seen[1] > 2 : seen[0] != 0 && seen[1] != 0);
    remove_all(path, folder);
    kith_bytes_free(&old);
    kith_bytes_free(&same);
    test_world_end(reader.world, &reader.memory);
}

// What the name beside the file stood for before is not the saver's to remove.
static void a_directory_with_the_name_of_the_new_file_stays(void **state)
{
    scene      *s          = *state;
    char        folder[32] = "way_XXXXXX";
    char        path[64];
    char        beside[64];
    struct stat found;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/town.kith", folder);
    snprintf(beside, sizeof beside, "%s/town.kith.new", folder);
    assert_int_equal(mkdir(beside, 0700), 0);
    assert_int_equal(kith_world_save_file(s->world, NULL, path).code, KITH_ERROR_IO);
    assert_int_equal(stat(beside, &found), 0);
    assert_int_equal(kith_world_load_file(s->world, NULL, beside).code, KITH_ERROR_IO);
    remove_all(path, folder);
}
#else
static void a_directory_with_the_name_of_the_new_file_stays(void **state)
{
    (void)state;
    skip();
}

static void the_file_is_the_old_one_or_the_new_one(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_file_is_the_old_one_or_the_new_one),
        TEST(a_directory_with_the_name_of_the_new_file_stays),
    };
    return cmocka_run_group_tests_name("save_killed", tests, NULL, NULL);
}
