// SPDX-License-Identifier: MIT
// Ledgers: numbers by index, in pages that are made when they are needed; 0 where nothing was put.
// And what a merge remembers of the other world, which is maps:
//
//     index there --> remote: the handle there     local: the handle here, whoever lives by now
//     index here  --> back: the handle there, for the newest that had the index
//     index there --> a storage's values and children: sums of what came last, 0: it was not there
//
// Who is alive here and local to somebody is back to the same. Who is not remembered has no sums.
#ifndef KITH_STORE_INDEX_MAP_H
#define KITH_STORE_INDEX_MAP_H

#include "store/entity_table.h"

#include "kith/merge.h"

typedef struct kith_index_map {
    uint64_t **pages; // of KITH_PAGE_SLOTS; NULL: all 0
    uint32_t   capacity;
} kith_index_map;

// Makes room for the number at that index; false when memory runs out.
KITH_INTERNAL bool   kith_index_map_reserve(kith_index_map *map, const kith_allocator *memory,
                                            uint32_t index);
KITH_INTERNAL void   kith_index_map_release(kith_index_map *map, const kith_allocator *memory);
KITH_INTERNAL size_t kith_index_map_bytes(const kith_index_map *map);

static inline uint64_t kith_index_map_at(const kith_index_map *map, uint32_t index)
{
    uint32_t page = index >> KITH_PAGE_SHIFT_;
    return page < map->capacity && map->pages[page] != NULL
               ? map->pages[page][index & KITH_PAGE_MASK_]
               : 0;
}

// There is room, or the number is 0.
static inline void kith_index_map_put(kith_index_map *map, uint32_t index, uint64_t number)
{
    if (number != kith_index_map_at(map, index)) {
        map->pages[index >> KITH_PAGE_SHIFT_][index & KITH_PAGE_MASK_] = number;
    }
}

typedef struct kith_merge_storage {
    kith_index_map values;
    kith_index_map children; // of a hierarchy: who they are, in their order
} kith_merge_storage;

struct kith_merge {
    kith_world         *world;
    kith_merge         *next; // of the same world
    bool                applying;
    uint32_t            slots; // who is remembered has a lower index
    kith_index_map      remote;
    kith_index_map      local;
    kith_index_map      back;
    kith_index_map      singles;  // sums, by the place of the storage
    kith_merge_storage *storages; // by their places in registration order
    uint32_t            storage_count;
};

// Room for so many storages; false when memory runs out.
KITH_INTERNAL bool kith_merge_reserve_storages(kith_merge *merge, const kith_allocator *memory,
                                               uint32_t count);

// Forgets whoever has the index there.
KITH_INTERNAL void kith_merge_forget(kith_merge *merge, uint32_t index);

// Gives all merges of a list back; counts their bytes.
KITH_INTERNAL void   kith_merges_release(kith_merge *first, const kith_allocator *memory);
KITH_INTERNAL size_t kith_merges_bytes(const kith_merge *first);

// NULL, or what is wrong with a merge into a world with these entities, static text.
KITH_INTERNAL const char *kith_merge_fault(const kith_merge        *merge,
                                           const kith_entity_table *entities);

#endif
