// SPDX-License-Identifier: MIT
// Index maps: numbers by index, in pages that are allocated when they are needed; 0 by default. And
// the state of a merge, which is index maps between the remote world and the local one:
//
//     remote index --> `remote`: the remote handle    `local`: the local handle, alive or not
//     local index  --> `back`: the remote handle of the newest entity at that index
//     remote index --> `values`, `children` of a storage: checksums of what was applied last,
//                      0: the component was absent. Only hierarchies have `children`: which
//                      entities they are, and their order
//
// Invariant: if `local` of a remote entity is alive, `back` of it is that remote entity.
//            An index has a `remote` if and only if it has a `local`; only then it has checksums.
#pragma once

#include "world/world.h"

#include "kith/merge.h"

typedef struct kith_index_map {
    uint64_t **pages; // of KITH_PAGE_SLOTS numbers; NULL: all are 0
    uint32_t   capacity;
} kith_index_map;

// Makes room for a number at `index`. Returns false when memory runs out.
bool kith_index_map_reserve(kith_index_map *map, const kith_allocator *memory, uint32_t index);

static inline uint64_t kith_index_map_at(const kith_index_map *map, uint32_t index)
{
    uint32_t page = index >> KITH_PAGE_SHIFT_;
    return page < map->capacity && map->pages[page] != NULL
               ? map->pages[page][index & KITH_PAGE_MASK_]
               : 0;
}

// The caller has reserved room, or `number` is 0.
static inline void kith_index_map_put(kith_index_map *map, uint32_t index, uint64_t number)
{
    if (number != kith_index_map_at(map, index)) {
        map->pages[index >> KITH_PAGE_SHIFT_][index & KITH_PAGE_MASK_] = number;
    }
}

// Every index whose number is not 0 is below it.
static inline uint32_t kith_index_map_end(const kith_index_map *map)
{
    return map->capacity << KITH_PAGE_SHIFT_;
}

struct kith_merge {
    kith_object     object;
    bool            applying;
    uint64_t        applied; // number of its latest merge; above world->merged: a restore undid it
    kith_index_map  remote;
    kith_index_map  local;
    kith_index_map  back;
    kith_index_map  singles; // checksums of singletons, by the place of the storage
    kith_index_map *sums;    // two for each storage, by its place: `values` and `children`
    uint32_t        sum_count;
    kith_bytes      latest; // the snapshot to which the latest delta led; empty: none
};

// Forgets the entity at a remote index.
void kith_merge_forget(kith_merge *merge, uint32_t index);

// The kind of merges.
extern const kith_object_ops kith_merge_ops;
