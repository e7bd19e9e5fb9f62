// SPDX-License-Identifier: MIT
// A file takes the place of an older one, and what cannot be replaced stays as it was.
#include "kith/kith.h"
#include "kith/snapshot.h"

#include <stdio.h>

#define SAVED   "portable_file.kith"
#define BESIDE  SAVED ".new"
#define NOWHERE "portable_no_folder/file.kith"

KITH_COMPONENT_AS(depth, uint32_t, 1, plain(4));

static bool exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

// Saves a world with one more entity than before, and loads it into another.
static bool comes_back(kith_world *world, kith_world *other, uint32_t count)
{
    depth_set(world, kith_entity_create(world), count);
    kith_result saved  = kith_world_save_file(world, NULL, SAVED);
    kith_result loaded = kith_world_load_file(other, NULL, SAVED);
    if (saved.code != KITH_OK || loaded.code != KITH_OK) {
        printf("%s%s\n", saved.message, loaded.message);
    }
    return kith_entity_count(other) == count && !exists(BESIDE);
}

static bool is_refused(kith_world *world, const char *path, const char *why)
{
    kith_result result = kith_world_save_file(world, NULL, path);
    if (result.code != KITH_ERROR_IO) {
        printf("%s: %s\n", path, why);
    }
    return result.code == KITH_ERROR_IO;
}

int main(void)
{
    kith_world *world = kith_world_create(NULL);
    kith_world *other = kith_world_create(NULL);
    bool good = world != NULL && other != NULL && depth_register(world) && depth_register(other) &&
                comes_back(world, other, 1) && comes_back(world, other, 2);
    if (good) { // a file in a folder that is not there; a folder in the place of the file
        good = is_refused(world, NOWHERE, "saved into no folder") &&
               is_refused(world, ".", "a folder was replaced") && !exists("..new");
    }
    remove(SAVED);
    kith_world_destroy(other);
    kith_world_destroy(world);
    if (!good) {
        printf("files do not take each other's place\n");
    }
    return good ? 0 : 1;
}
