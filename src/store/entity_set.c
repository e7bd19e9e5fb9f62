// SPDX-License-Identifier: MIT
#include "store/entity_set.h"

#include "base/arena.h"

#define NOBODY       UINT32_MAX
#define LEAST_ROOM   16u
#define LARGEST_ROOM 0x60000000u // so that the slots, a power of two above it, fit 32 bits

// --- slots -----------------------------------------------------------------------------------

static uint32_t home_of(const kith_gather *gather, kith_entity entity)
{
    return (uint32_t)(entity * UINT64_C(0x9e3779b97f4a7c15) >> gather->slot_shift);
}

static uint32_t slot_holding(const kith_gather *gather, kith_entity entity)
{
    if (gather->count == 0 || entity == KITH_NULL) {
        return NOBODY;
    }
    uint32_t slot = home_of(gather, entity);
    while (gather->slots[slot] != 0) {
        if (gather->entries[gather->slots[slot] - 1].entity == entity) {
            return slot;
        }
        slot = (slot + 1) & gather->slot_mask;
    }
    return NOBODY;
}

static void link_entry(kith_gather *gather, uint32_t place)
{
    uint32_t slot = home_of(gather, gather->entries[place].entity);
    while (gather->slots[slot] != 0) {
        slot = (slot + 1) & gather->slot_mask;
    }
    gather->slots[slot] = place + 1;
}

// Empties the slot, and fills the gap with who was put behind it for want of room.
static void unlink_slot(kith_gather *gather, uint32_t gap)
{
    uint32_t mask = gather->slot_mask;
    uint32_t slot = (gap + 1) & mask;
    for (; gather->slots[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t home = home_of(gather, gather->entries[gather->slots[slot] - 1].entity);
        if (((slot - home) & mask) >= ((slot - gap) & mask)) {
            gather->slots[gap] = gather->slots[slot];
            gap                = slot;
        }
    }
    gather->slots[gap] = 0;
}

static void empty_slots(kith_gather *gather)
{
    if (gather->capacity != 0) {
        memset(gather->slots, 0, ((size_t)gather->slot_mask + 1) * sizeof *gather->slots);
    }
}

// --- room ------------------------------------------------------------------------------------

// At most three of four slots are used.
static uint32_t bits_for(uint32_t capacity)
{
    uint32_t bits = 5;
    while ((UINT64_C(3) << bits) / 4 < capacity) {
        bits++;
    }
    return bits;
}

static size_t room_bytes(uint32_t capacity)
{
    size_t slots = kith_arena_sum(0, (size_t)1 << bits_for(capacity), sizeof(uint32_t));
    return kith_arena_sum(slots, capacity, sizeof(kith_gathered));
}

// Copies those that stay, without holes, and finds them in the slots of `to`, which are empty.
static void copy_members(kith_gather *to, const kith_gather *from, const kith_entity_table *living)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < from->end; i++) {
        kith_gathered entry = from->entries[i];
        if (entry.entity != KITH_NULL &&
            (living == NULL || kith_entity_table_alive(living, entry.entity))) {
            to->entries[end] = entry;
            link_entry(to, end++);
        }
    }
    to->end   = end;
    to->count = end;
}

static bool resize(kith_gather *gather, const kith_allocator *memory, uint32_t capacity,
                   const kith_entity_table *living)
{
    kith_gather    grown   = { .capacity = capacity, .newest = gather->newest };
    uint32_t       bits    = bits_for(capacity);
    kith_gathered *entries = kith_alloc(memory, room_bytes(capacity), KITH_CACHE_LINE);
    if (entries == NULL) {
        return false;
    }
    grown.entries    = entries;
    grown.slots      = (uint32_t *)(void *)(entries + capacity);
    grown.slot_shift = 64 - bits;
    grown.slot_mask  = (uint32_t)((UINT64_C(1) << bits) - 1);
    empty_slots(&grown);
    copy_members(&grown, gather, living);
    kith_gather_release(gather, memory);
    *gather = grown;
    return true;
}

KITH_INTERNAL bool kith_gather_reserve(kith_gather *gather, const kith_allocator *memory,
                                       uint64_t members, const kith_entity_table *living)
{
    if (kith_gather_fits(gather, members)) {
        return true;
    }
    uint64_t capacity = members + members / 4 + LEAST_ROOM;
    uint64_t half     = (uint64_t)gather->capacity + gather->capacity / 2;
    capacity          = capacity < half ? half : capacity;
    return capacity <= LARGEST_ROOM && resize(gather, memory, (uint32_t)capacity, living);
}

KITH_INTERNAL bool kith_gather_copy(kith_gather *gather, const kith_allocator *memory,
                                    const kith_gather *from)
{
    kith_gather copy = *from;
    if (from->capacity != 0) {
        copy.entries =
            kith_alloc_copy(memory, from->entries, kith_gather_bytes(from), KITH_CACHE_LINE);
        if (copy.entries == NULL) {
            return false;
        }
        copy.slots = (uint32_t *)(void *)(copy.entries + copy.capacity);
    }
    kith_gather_release(gather, memory);
    *gather = copy;
    return true;
}

KITH_INTERNAL void kith_gather_release(kith_gather *gather, const kith_allocator *memory)
{
    kith_free(memory, gather->entries, kith_gather_bytes(gather), KITH_CACHE_LINE);
    *gather = (kith_gather){ .newest = gather->newest };
}

KITH_INTERNAL size_t kith_gather_bytes(const kith_gather *gather)
{
    return gather->capacity * sizeof(kith_gathered) +
           (gather->slots == NULL ? 0 : ((size_t)gather->slot_mask + 1) * sizeof(uint32_t));
}

// --- members ---------------------------------------------------------------------------------

KITH_INTERNAL bool kith_gather_has(const kith_gather *gather, kith_entity entity)
{
    return slot_holding(gather, entity) != NOBODY;
}

KITH_INTERNAL void kith_gather_add(kith_gather *gather, kith_entity entity,
                                   const kith_entity_table *living)
{
    if (KITH_UNLIKELY_(gather->end == gather->capacity)) { // closes holes
        kith_gather before = *gather;
        empty_slots(gather);
        copy_members(gather, &before, living);
    }
    assert(gather->end < gather->capacity);
    gather->entries[gather->end] = (kith_gathered){ entity, ++gather->newest };
    link_entry(gather, gather->end++);
    gather->count++;
}

KITH_INTERNAL bool kith_gather_remove(kith_gather *gather, kith_entity entity)
{
    uint32_t slot = slot_holding(gather, entity);
    if (slot == NOBODY) {
        return false;
    }
    uint32_t place = gather->slots[slot] - 1;
    unlink_slot(gather, slot);
    gather->entries[place].entity = KITH_NULL;
    gather->count--;
    return true;
}

KITH_INTERNAL void kith_gather_clear(kith_gather *gather)
{
    // few members in many slots are taken out one by one
    if (gather->end < gather->slot_mask / 16) {
        for (uint32_t i = 0; i < gather->end; i++) {
            kith_gather_remove(gather, gather->entries[i].entity);
        }
    } else {
        empty_slots(gather);
    }
    gather->count = 0;
    gather->end   = 0;
}

KITH_INTERNAL const kith_gathered *kith_gather_after(const kith_gather *gather, uint64_t number)
{
    uint32_t low  = 0;
    uint32_t high = gather->end;
    if (high != 0 && number >= gather->entries[0].number) {
        // while no hole was closed, numbers are places
        uint64_t guess = number - gather->entries[0].number;
        if (guess < high && gather->entries[guess].number == number) {
            low = high = (uint32_t)guess + 1;
        }
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (gather->entries[middle].number > number) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low < gather->end ? &gather->entries[low] : NULL;
}

KITH_INTERNAL bool kith_gather_sound(const kith_gather *gather)
{
    uint32_t count = 0;
    uint32_t used  = 0;
    bool     sound = gather->end <= gather->capacity;
    for (uint32_t i = 0; i < gather->end && sound; i++) {
        const kith_gathered *entry = &gather->entries[i];
        uint32_t             slot  = slot_holding(gather, entry->entity);
        count += entry->entity != KITH_NULL;
        sound = entry->number <= gather->newest && (i == 0 || entry->number > entry[-1].number) &&
                (entry->entity == KITH_NULL || (slot != NOBODY && gather->slots[slot] == i + 1));
    }
    for (uint32_t slot = 0; gather->capacity != 0 && slot <= gather->slot_mask; slot++) {
        used += gather->slots[slot] != 0;
    }
    return sound && count == gather->count && used == count;
}
