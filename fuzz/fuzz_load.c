// SPDX-License-Identifier: MIT
// libFuzzer: any bytes as a snapshot. What is refused changes nothing; what is loaded is a valid
// world, which is saved and loaded as itself.
#include "town.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare_twin(const kith_world *world)
{
    kith_load_desc keep  = { .unknown = KITH_UNKNOWN_KEEP };
    kith_world    *twin  = make_world();
    kith_bytes     bytes = snapshot_of(world);
    demand(kith_world_load(twin, &keep, bytes.data, bytes.size).code == KITH_OK,
           "what was saved is not loaded");
    demand(hash_of(twin) == hash_of(world), "what was saved is loaded as something else");
    kith_bytes_free(&bytes);
    kith_world_destroy(twin);
}

static void load_and_look(kith_world *world, const kith_load_desc *desc, const kith_bytes *file,
                          const kith_bytes *town)
{
    uint64_t    before = hash_of(world);
    kith_result result = kith_world_load(world, desc, file->data, file->size);
    demand(result.offset <= file->size, "the offset is outside of the file");
    demand_valid(world);
    if (result.code == KITH_OK) {
        compare_twin(world);
        demand(kith_world_load(world, NULL, town->data, town->size).code == KITH_OK,
               "what was saved is not loaded");
    } else {
        demand(result.message[0] != '\0', "there is no reason");
    }
    demand(hash_of(world) == before, "something was left");
}

// One world for all files, but for those that register components.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static kith_world *world;
    static kith_bytes  town;
    kith_load_desc     desc;
    if (size == 0) {
        return 0;
    }
    if (world == NULL) {
        world = make_world();
        settle_town(world);
        town = snapshot_of(world);
    }
    kith_bytes  file = file_of(data, size, &desc);
    bool        own  = desc.unknown == KITH_UNKNOWN_KEEP;
    kith_world *used = own ? make_world() : world;
    if (own) {
        demand(kith_world_load(used, NULL, town.data, town.size).code == KITH_OK,
               "what was saved is not loaded");
    }
    load_and_look(used, &desc, &file, &town);
    kith_bytes_free(&file);
    if (own) {
        kith_world_destroy(used);
    }
    return 0;
}
