// SPDX-License-Identifier: MIT
// The entity set: a hash table with linear probing that leads to entries in the order of adding.
#include "event/entity_set.h"

#include "base/arena.h"

#define NO_SLOT      UINT32_MAX
#define LEAST_ROOM   16u
#define LARGEST_ROOM 0x60000000u // the slots, a power of two above it, fit 32 bits

// --- slots -----------------------------------------------------------------------------------

static uint32_t home_of(const kith_entity_set *set, kith_entity entity)
{
    return (uint32_t)(entity * UINT64_C(0x9e3779b97f4a7c15) >> set->slot_shift);
}

static uint32_t slot_holding(const kith_entity_set *set, kith_entity entity)
{
    if (set->count == 0 || entity == KITH_NULL) {
        return NO_SLOT;
    }
    uint32_t slot = home_of(set, entity);
    while (set->slots[slot] != 0) {
        if (set->entries[set->slots[slot] - 1].entity == entity) {
            return slot;
        }
        slot = (slot + 1) & set->slot_mask;
    }
    return NO_SLOT;
}

static void link_entry(kith_entity_set *set, uint32_t place)
{
    uint32_t slot = home_of(set, set->entries[place].entity);
    while (set->slots[slot] != 0) {
        slot = (slot + 1) & set->slot_mask;
    }
    set->slots[slot] = place + 1;
}

// Empties the slot and moves later entries of the probe sequence into the gap.
static void unlink_slot(kith_entity_set *set, uint32_t gap)
{
    uint32_t mask = set->slot_mask;
    uint32_t slot = (gap + 1) & mask;
    for (; set->slots[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t home = home_of(set, set->entries[set->slots[slot] - 1].entity);
        if (((slot - home) & mask) >= ((slot - gap) & mask)) {
            set->slots[gap] = set->slots[slot];
            gap             = slot;
        }
    }
    set->slots[gap] = 0;
}

static void empty_slots(kith_entity_set *set)
{
    if (set->capacity != 0) {
        memset(set->slots, 0, ((size_t)set->slot_mask + 1) * sizeof *set->slots);
    }
}

// --- room ------------------------------------------------------------------------------------

// Returns the power of two for the slots: at most three of four slots are used.
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
    size_t slots = kith_size_add(0, (size_t)1 << bits_for(capacity), sizeof(uint32_t));
    return kith_size_add(slots, capacity, sizeof(kith_entity_set_member));
}

// Copies entries without holes and without dead entities. The slots of `to` are empty.
static void copy_members(kith_entity_set *to, const kith_entity_set *from,
                         const kith_entity_table *living)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < from->end; i++) {
        kith_entity_set_member entry = from->entries[i];
        if (entry.entity != KITH_NULL &&
            (living == NULL || kith_entity_table_alive(living, entry.entity))) {
            to->entries[end] = entry;
            link_entry(to, end++);
        }
    }
    to->end   = end;
    to->count = end;
}

static bool resize(kith_entity_set *set, const kith_allocator *memory, uint32_t capacity,
                   const kith_entity_table *living)
{
    kith_entity_set         grown   = { .capacity = capacity, .newest = set->newest };
    uint32_t                bits    = bits_for(capacity);
    kith_entity_set_member *entries = kith_alloc(memory, room_bytes(capacity), KITH_CACHE_LINE);
    if (entries == NULL) {
        return false;
    }
    grown.entries    = entries;
    grown.slots      = (uint32_t *)(void *)(entries + capacity);
    grown.slot_shift = 64 - bits;
    grown.slot_mask  = (uint32_t)((UINT64_C(1) << bits) - 1);
    empty_slots(&grown);
    copy_members(&grown, set, living);
    kith_entity_set_free(set, memory);
    *set = grown;
    return true;
}

KITH_INTERNAL bool kith_entity_set_reserve(kith_entity_set *set, const kith_allocator *memory,
                                           uint64_t members, const kith_entity_table *living)
{
    if (kith_entity_set_fits(set, members)) {
        return true;
    }
    uint64_t capacity = members + members / 4 + LEAST_ROOM;
    uint64_t half     = (uint64_t)set->capacity + set->capacity / 2;
    capacity          = capacity < half ? half : capacity;
    return capacity <= LARGEST_ROOM && resize(set, memory, (uint32_t)capacity, living);
}

KITH_INTERNAL bool kith_entity_set_copy(kith_entity_set *set, const kith_allocator *memory,
                                        const kith_entity_set *from)
{
    kith_entity_set copy = *from;
    if (from->capacity != 0) {
        copy.entries =
            kith_alloc_copy(memory, from->entries, kith_entity_set_bytes(from), KITH_CACHE_LINE);
        if (copy.entries == NULL) {
            return false;
        }
        copy.slots = (uint32_t *)(void *)(copy.entries + copy.capacity);
    }
    kith_entity_set_free(set, memory);
    *set = copy;
    return true;
}

KITH_INTERNAL void kith_entity_set_free(kith_entity_set *set, const kith_allocator *memory)
{
    kith_free(memory, set->entries, kith_entity_set_bytes(set), KITH_CACHE_LINE);
    *set = (kith_entity_set){ .newest = set->newest };
}

KITH_INTERNAL size_t kith_entity_set_bytes(const kith_entity_set *set)
{
    return set->capacity * sizeof(kith_entity_set_member) +
           (set->slots == NULL ? 0 : ((size_t)set->slot_mask + 1) * sizeof(uint32_t));
}

// --- members ---------------------------------------------------------------------------------

KITH_INTERNAL bool kith_entity_set_has(const kith_entity_set *set, kith_entity entity)
{
    return slot_holding(set, entity) != NO_SLOT;
}

KITH_INTERNAL void kith_entity_set_add(kith_entity_set *set, kith_entity entity,
                                       const kith_entity_table *living)
{
    if (KITH_UNLIKELY_(set->end == set->capacity)) { // close the holes
        kith_entity_set before = *set;
        empty_slots(set);
        copy_members(set, &before, living);
    }
    assert(set->end < set->capacity);
    set->entries[set->end] = (kith_entity_set_member){ entity, ++set->newest };
    link_entry(set, set->end++);
    set->count++;
}

KITH_INTERNAL bool kith_entity_set_remove(kith_entity_set *set, kith_entity entity)
{
    uint32_t slot = slot_holding(set, entity);
    if (slot == NO_SLOT) {
        return false;
    }
    uint32_t place = set->slots[slot] - 1;
    unlink_slot(set, slot);
    set->entries[place].entity = KITH_NULL;
    set->count--;
    return true;
}

KITH_INTERNAL void kith_entity_set_clear(kith_entity_set *set)
{
    // removing few members one by one is faster than clearing many slots
    if (set->end < set->slot_mask / 16) {
        for (uint32_t i = 0; i < set->end; i++) {
            kith_entity_set_remove(set, set->entries[i].entity);
        }
    } else {
        empty_slots(set);
    }
    set->count = 0;
    set->end   = 0;
}

KITH_INTERNAL const kith_entity_set_member *kith_entity_set_after(const kith_entity_set *set,
                                                                  uint64_t               number)
{
    uint32_t low  = 0;
    uint32_t high = set->end;
    if (high != 0 && number >= set->entries[0].number) {
        // as long as no hole was closed, numbers rise by 1 from entry to entry
        uint64_t guess = number - set->entries[0].number;
        if (guess < high && set->entries[guess].number == number) {
            low = high = (uint32_t)guess + 1;
        }
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->entries[middle].number > number) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low < set->end ? &set->entries[low] : NULL;
}

KITH_INTERNAL bool kith_entity_set_sound(const kith_entity_set *set)
{
    uint32_t count = 0;
    uint32_t used  = 0;
    bool     sound = set->end <= set->capacity;
    for (uint32_t i = 0; i < set->end && sound; i++) {
        const kith_entity_set_member *entry = &set->entries[i];
        uint32_t                      slot  = slot_holding(set, entry->entity);
        count += entry->entity != KITH_NULL;
        sound = entry->number <= set->newest && (i == 0 || entry->number > entry[-1].number) &&
                (entry->entity == KITH_NULL || (slot != NO_SLOT && set->slots[slot] == i + 1));
    }
    for (uint32_t slot = 0; set->capacity != 0 && slot <= set->slot_mask; slot++) {
        used += set->slots[slot] != 0;
    }
    return sound && count == set->count && used == count;
}
