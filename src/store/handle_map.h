// SPDX-License-Identifier: MIT
// A map: handles in an array of whatever structs, and their places in the order of handles, so
// that each is found by halving.
//
//     array    d | a | c | b           as it is
//     order    1 | 3 | 2 | 0           places, by ascending index, then version, then place
#ifndef KITH_STORE_HANDLE_MAP_H
#define KITH_STORE_HANDLE_MAP_H

#include "base/base.h"

typedef struct kith_handle_map {
    const void *handles; // the first of them
    size_t      stride;  // from one to the next, in bytes
    uint32_t   *order;   // the caller's memory
    uint32_t    count;
} kith_handle_map;

// Fills `order`. In place, and never slower than n log n: handles may come from anybody.
KITH_INTERNAL void kith_handle_map_sort(const kith_handle_map *map);

// The first place at which the handle stands, or KITH_NO_INDEX.
KITH_INTERNAL uint32_t kith_handle_map_find(const kith_handle_map *map, kith_entity entity);

// The place of a handle, not KITH_NULL, whose index another one has before it in the order; the
// lowest such index decides. KITH_NO_INDEX: there is none.
KITH_INTERNAL uint32_t kith_handle_map_clash(const kith_handle_map *map);

static inline kith_entity kith_handle_map_at(const kith_handle_map *map, uint32_t i)
{
    kith_entity entity;
    memcpy(&entity, (const uint8_t *)map->handles + i * map->stride, sizeof entity);
    return entity;
}

#endif
