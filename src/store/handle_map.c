// SPDX-License-Identifier: MIT
// Handles as numbers of other widths; sorting the places of handles, and finding them.
#include "store/handle_map.h"

// Returns a number that orders handles by index, then by version.
static uint64_t handle_rank(kith_entity entity)
{
    return entity << 32 | entity >> 32;
}

static uint64_t rank_at(const kith_handle_map *map, uint32_t place)
{
    return handle_rank(kith_handle_map_at(map, place));
}

// Whether the handle at place `a` comes before the one at place `b`.
static bool comes_before(const kith_handle_map *map, uint32_t a, uint32_t b)
{
    uint64_t of_a = rank_at(map, a);
    uint64_t of_b = rank_at(map, b);
    return of_a != of_b ? of_a < of_b : a < b;
}

// Sinks the place at `root` to where it belongs in a heap with the largest handle on top.
static void sink(const kith_handle_map *map, uint32_t root, uint32_t count)
{
    uint32_t *order = map->order;
    while (root < count / 2) {
        uint32_t child = 2 * root + 1;
        if (child + 1 < count && comes_before(map, order[child], order[child + 1])) {
            child++;
        }
        if (!comes_before(map, order[root], order[child])) {
            return;
        }
        uint32_t moved = order[root];
        order[root]    = order[child];
        order[child]   = moved;
        root           = child;
    }
}

static bool is_sorted(const kith_handle_map *map)
{
    uint32_t i = 1;
    while (i < map->count && comes_before(map, i - 1, i)) {
        i++;
    }
    return i >= map->count;
}

void kith_handle_map_sort(const kith_handle_map *map)
{
    uint32_t *order = map->order;
    for (uint32_t i = 0; i < map->count; i++) {
        order[i] = i;
    }
    if (is_sorted(map)) {
        return;
    }
    for (uint32_t i = map->count / 2; i-- > 0;) {
        sink(map, i, map->count);
    }
    for (uint32_t end = map->count; end-- > 1;) {
        uint32_t last = order[end];
        order[end]    = order[0];
        order[0]      = last;
        sink(map, 0, end);
    }
}

uint32_t kith_handle_map_find(const kith_handle_map *map, kith_entity entity)
{
    uint32_t low  = 0;
    uint32_t high = map->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rank_at(map, map->order[middle]) < handle_rank(entity)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < map->count && kith_handle_map_at(map, map->order[low]) == entity;
    return found ? map->order[low] : KITH_NO_INDEX;
}

uint32_t kith_handle_map_clash(const kith_handle_map *map)
{
    for (uint32_t i = 1; i < map->count; i++) {
        kith_entity before = kith_handle_map_at(map, map->order[i - 1]);
        kith_entity here   = kith_handle_map_at(map, map->order[i]);
        if (before != KITH_NULL && kith_entity_index(before) == kith_entity_index(here)) {
            return map->order[i];
        }
    }
    return KITH_NO_INDEX;
}

// --- handles as numbers ----------------------------------------------------------------------

// The exported twins of the inline functions in kith.h.
extern inline kith_entity   kith_entity_make(uint32_t index, uint32_t version);
extern inline uint32_t      kith_entity_index(kith_entity entity);
extern inline uint32_t      kith_entity_version(kith_entity entity);
extern inline kith_entities kith_entities_of(const kith_entity *array, uint32_t count);
extern inline kith_entity   kith_entities_at(kith_entities entities, uint32_t i);

uint64_t kith_entity_pack(kith_entity entity, uint32_t index_bits)
{
    uint64_t index   = kith_entity_index(entity);
    uint64_t version = kith_entity_version(entity);
    if (index_bits < 1 || index_bits > 32 || index >> index_bits != 0 || version == 0) {
        return 0;
    }
    return version << index_bits | index;
}

kith_entity kith_entity_unpack(uint64_t packed, uint32_t index_bits)
{
    if (index_bits < 1 || index_bits > 32) {
        return KITH_NULL;
    }
    uint64_t version = packed >> index_bits;
    uint64_t index   = packed & ((UINT64_C(1) << index_bits) - 1);
    if (version == 0 || version > UINT32_MAX) {
        return KITH_NULL;
    }
    return kith_entity_make((uint32_t)index, (uint32_t)version);
}

double kith_entity_to_double(kith_entity entity)
{
    return entity >> 53 == 0 ? (double)entity : -1.0;
}

kith_entity kith_entity_from_double(double number)
{
    // NaN fails the first comparison
    if (!(number >= 0.0 && number < 9007199254740992.0)) {
        return KITH_NULL;
    }
    kith_entity entity = (kith_entity)number;
    return (double)entity == number ? entity : KITH_NULL;
}
