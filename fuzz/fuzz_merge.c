// SPDX-License-Identifier: MIT
// libFuzzer: any bytes as a snapshot that is merged into a living world, before and after one that
// makes sense. What is refused changes nothing; all else leaves a valid world.
#include "town.h"

#include "kith/merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool merge_and_look(kith_world *world, kith_merge *merge, const kith_load_desc *desc,
                           const kith_bytes *file)
{
    uint64_t    before = hash_of(world);
    kith_result result = kith_merge_apply(merge, desc, file->data, file->size);
    bool        bad    = result.code == KITH_ERROR_FORMAT || result.code == KITH_ERROR_CONFLICT;
    demand(result.offset <= file->size, "the offset is outside of the file");
    demand(!bad || hash_of(world) == before, "what was refused changed something");
    demand_valid(world);
    return result.code == KITH_OK;
}

static void merge_all(kith_world *world, const kith_load_desc *desc, const kith_bytes *file,
                      const kith_bytes *town)
{
    kith_merge *merge = kith_merge_create(world);
    kith_entity_create(world);
    if (!merge_and_look(world, merge, desc, file)) {
        return;
    }
    demand(merge_and_look(world, merge, desc, town), "what makes sense is refused");
    kith_entity_destroy(world, kith_entity_next(world, kith_entity_next(world, KITH_NULL)));
    demand(merge_and_look(world, merge, desc, file), "the same bytes are refused");
    uint64_t hash = hash_of(world);
    demand(merge_and_look(world, merge, desc, file), "the same bytes are refused");
    demand(hash_of(world) == hash, "what is not new changed something");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static kith_bytes town;
    kith_load_desc    desc;
    if (size == 0) {
        return 0;
    }
    if (town.data == NULL) {
        kith_world *far = make_world();
        settle_town(far);
        town = snapshot_of(far);
        kith_world_destroy(far);
    }
    kith_world *world = make_world();
    kith_bytes  file  = file_of(data, size, &desc);
    merge_all(world, &desc, &file, &town);
    kith_bytes_free(&file);
    kith_world_destroy(world);
    return 0;
}
