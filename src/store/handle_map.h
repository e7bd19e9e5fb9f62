// SPDX-License-Identifier: MIT
// A map from handles to their places in an array. The handles are members of structs of any type;
// `order` lists the places sorted by handle, so a binary search finds each.
//
//     array    d | a | c | b
//     order    1 | 3 | 2 | 0           places, by ascending index, then version, then place
#pragma once

#include "base/base.h"

typedef struct kith_handle_map {
    const void *handles; // the first handle
    size_t      stride;  // bytes from one handle to the next
    uint32_t   *order;   // memory of the caller
    uint32_t    count;
} kith_handle_map;

// Fills `order`, in place. O(n log n) for every input, because handles may come from a file.
void kith_handle_map_sort(const kith_handle_map *map);

// Returns the first place of the handle, or KITH_NO_INDEX.
uint32_t kith_handle_map_find(const kith_handle_map *map, kith_entity entity);

// Looks for two handles with the same index, other than KITH_NULL. Returns the place of the later
// one in the order, for the lowest such index; KITH_NO_INDEX when there are none.
uint32_t kith_handle_map_clash(const kith_handle_map *map);

static inline kith_entity kith_handle_map_at(const kith_handle_map *map, uint32_t i)
{
    kith_entity entity;
    memcpy(&entity, (const uint8_t *)map->handles + i * map->stride, sizeof entity);
    return entity;
}
