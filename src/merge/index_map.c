// SPDX-License-Identifier: MIT
// Index maps, and the memory and the check of merges, which are made of them.
#include "merge/index_map.h"

#define MAP_PAGE_BYTES (KITH_PAGE_SLOTS * sizeof(uint64_t))

// --- index maps ------------------------------------------------------------------------------

bool kith_index_map_reserve(kith_index_map *map, const kith_allocator *memory, uint32_t index)
{
    uint32_t page = index >> KITH_PAGE_SHIFT_;
    if (!kith_alloc_grow(memory, &map->pages, &map->capacity, page + 1)) {
        return false;
    }
    if (map->pages[page] == NULL) {
        map->pages[page] = kith_alloc_zeroed(memory, MAP_PAGE_BYTES, KITH_CACHE_LINE);
    }
    return map->pages[page] != NULL;
}

static void free_map(const kith_index_map *map, const kith_allocator *memory)
{
    for (uint32_t page = 0; page < map->capacity; page++) {
        kith_free(memory, map->pages[page], MAP_PAGE_BYTES, KITH_CACHE_LINE);
    }
    kith_free_array(memory, map->pages, map->capacity);
}

static size_t bytes_of_map(const kith_index_map *map)
{
    size_t bytes = map->capacity * sizeof *map->pages;
    for (uint32_t page = 0; page < map->capacity; page++) {
        bytes += map->pages[page] == NULL ? 0 : MAP_PAGE_BYTES;
    }
    return bytes;
}

// --- merges ----------------------------------------------------------------------------------

void kith_merge_forget(kith_merge *merge, uint32_t index)
{
    uint32_t here = kith_entity_index(kith_index_map_at(&merge->local, index));
    if (kith_index_map_at(&merge->back, here) == kith_index_map_at(&merge->remote, index)) {
        kith_index_map_put(&merge->back, here, 0);
    }
    kith_index_map_put(&merge->remote, index, 0);
    kith_index_map_put(&merge->local, index, 0);
    for (uint32_t i = 0; i < merge->sum_count; i++) {
        kith_index_map_put(&merge->sums[i], index, 0);
    }
}

static void destroy_merge(kith_object *object)
{
    kith_merge           *merge  = (kith_merge *)object;
    const kith_allocator *memory = &object->world->memory;
    free_map(&merge->remote, memory);
    free_map(&merge->local, memory);
    free_map(&merge->back, memory);
    free_map(&merge->singles, memory);
    for (uint32_t i = 0; i < merge->sum_count; i++) {
        free_map(&merge->sums[i], memory);
    }
    kith_free(memory, merge->sums, merge->sum_count * sizeof *merge->sums, sizeof *merge->sums);
    kith_bytes_free(&merge->latest);
    kith_free(memory, merge, sizeof *merge, sizeof(uint64_t));
}

static size_t bytes_of_merge(const kith_object *object)
{
    const kith_merge *merge = (const kith_merge *)object;
    size_t            bytes = sizeof *merge + merge->sum_count * sizeof *merge->sums +
                   bytes_of_map(&merge->remote) + bytes_of_map(&merge->local) +
                   bytes_of_map(&merge->back) + bytes_of_map(&merge->singles) + merge->latest.room;
    for (uint32_t i = 0; i < merge->sum_count; i++) {
        bytes += bytes_of_map(&merge->sums[i]);
    }
    return bytes;
}

// --- checking --------------------------------------------------------------------------------

// Whether a map of a storage has a checksum at an index that has no remote entity.
static bool has_stray_sums(const kith_merge *merge, const kith_index_map *sums)
{
    for (uint32_t index = 0; index < kith_index_map_end(sums); index++) {
        if (kith_index_map_at(sums, index) != 0 && kith_index_map_at(&merge->remote, index) == 0) {
            return true;
        }
    }
    return false;
}

// Whether `remote` and `local` of a remote index agree with each other and with `back`.
static bool is_consistent(const kith_merge *merge, const kith_entity_table *table, uint32_t index)
{
    kith_entity remote = kith_index_map_at(&merge->remote, index);
    kith_entity local  = kith_index_map_at(&merge->local, index);
    bool        back   = !kith_entity_table_alive(table, local) ||
                kith_index_map_at(&merge->back, kith_entity_index(local)) == remote;
    return remote == 0 ? local == 0 : local != 0 && kith_entity_index(remote) == index && back;
}

// Whether `back` of a local index leads to a remote entity that leads to this index.
static bool leads_back(const kith_merge *merge, uint32_t index)
{
    kith_entity remote = kith_index_map_at(&merge->back, index);
    uint32_t    there  = kith_entity_index(remote);
    return remote == 0 || (kith_index_map_at(&merge->remote, there) == remote &&
                           kith_entity_index(kith_index_map_at(&merge->local, there)) == index);
}

static bool validate_merge(const kith_object *object, const char **reason)
{
    const kith_merge *merge = (const kith_merge *)object;
    uint32_t          end   = kith_index_map_end(&merge->remote) + kith_index_map_end(&merge->back);
    bool              lost  = merge->applied > object->world->merged; // entities of another state
    for (uint32_t index = 0; index < end && !lost; index++) {
        bool there = is_consistent(merge, &object->world->entities, index);
        if (!there || !leads_back(merge, index)) {
            *reason = there ? "merge: a local entity is mapped back wrongly"
                            : "merge: a remote entity is mapped wrongly";
            return false;
        }
    }
    for (uint32_t i = 0; i < merge->sum_count; i++) {
        if (has_stray_sums(merge, &merge->sums[i])) {
            *reason = "merge: checksums without an entity";
            return false;
        }
    }
    return true;
}

const kith_object_ops kith_merge_ops = { .destroy  = destroy_merge,
                                         .bytes    = bytes_of_merge,
                                         .validate = validate_merge };
