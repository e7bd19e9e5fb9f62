// SPDX-License-Identifier: MIT
// The entity set: a hash table with linear probing that leads to entries in the order of adding.
#include "event/event.h"

#include "base/arena.h"

#define LEAST_ROOM   16u
#define LARGEST_ROOM 0x60000000u // the slots, a power of two above it, fit 32 bits

// --- slots -----------------------------------------------------------------------------------

static uint32_t home_of(const kith_entity_set *set, kith_entity entity)
{
    return (uint32_t)(entity * UINT64_C(0x9e3779b97f4a7c15) >> set->slot_shift);
}

// The slot that leads to the entity; if the set lacks it, the empty slot where it belongs. The set
// has slots.
KITH_NOINLINE static uint32_t slot_for(const kith_entity_set *set, kith_entity entity)
{
    uint32_t slot = home_of(set, entity);
    while (set->slots[slot] != 0 && set->entries[set->slots[slot] - 1].entity != entity) {
        slot = (slot + 1) & set->slot_mask;
    }
    return slot;
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

KITH_NOINLINE static void empty_slots(kith_entity_set *set)
{
    if (set->capacity != 0) {
        memset(set->slots, 0, ((size_t)set->slot_mask + 1) * sizeof *set->slots);
    }
}

// --- room ------------------------------------------------------------------------------------

void kith_entity_set_relink(kith_entity_set *set, uint32_t end)
{
    empty_slots(set);
    set->end   = end;
    set->count = 0;
    for (uint32_t i = 0; i < end; i++) {
        if (set->entries[i].entity != KITH_NULL) {
            set->slots[slot_for(set, set->entries[i].entity)] = i + 1;
            set->count++;
        }
    }
}

// Copies entries without holes and without dead entities. `from` may be the same set.
static void copy_members(kith_entity_set *to, const kith_entity_set *from,
                         const kith_entity_table *living)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < from->end; i++) {
        kith_entity_set_member entry = from->entries[i];
        if (entry.entity != KITH_NULL &&
            (living == NULL || kith_entity_table_alive(living, entry.entity))) {
            to->entries[end++] = entry;
        }
    }
    kith_entity_set_relink(to, end);
}

// Gives the set the members of `from`, which may be the set itself, and this capacity. At most
// three of four slots are used.
static bool rebuild(kith_entity_set *set, const kith_allocator *memory, const kith_entity_set *from,
                    uint32_t capacity, const kith_entity_table *living)
{
    kith_entity_set built = { .capacity = capacity, .newest = from->newest };
    uint32_t        bits  = 5;
    while ((UINT64_C(3) << bits) / 4 < capacity) {
        bits++;
    }
    built.slot_shift = 64 - bits;
    built.slot_mask  = (uint32_t)((UINT64_C(1) << bits) - 1);
    built.entries    = kith_alloc(memory, kith_entity_set_bytes(&built), KITH_CACHE_LINE);
    if (built.entries == NULL) {
        return false;
    }
    built.slots = (uint32_t *)(void *)(built.entries + capacity);
    copy_members(&built, from, living);
    kith_entity_set_free(set, memory);
    *set = built;
    return true;
}

bool kith_entity_set_reserve(kith_entity_set *set, const kith_allocator *memory, uint64_t members,
                             const kith_entity_table *living)
{
    if (kith_entity_set_fits(set, members)) {
        return true;
    }
    uint64_t capacity = members + members / 4 + LEAST_ROOM;
    uint64_t half     = (uint64_t)set->capacity + set->capacity / 2;
    capacity          = capacity < half ? half : capacity;
    return capacity <= LARGEST_ROOM && rebuild(set, memory, set, (uint32_t)capacity, living);
}

bool kith_entity_set_copy(kith_entity_set *set, const kith_allocator *memory,
                          const kith_entity_set *from)
{
    if (from->capacity != 0) {
        return rebuild(set, memory, from, from->capacity, NULL);
    }
    kith_entity_set_free(set, memory);
    set->newest = from->newest;
    return true;
}

KITH_NOINLINE void kith_entity_set_free(kith_entity_set *set, const kith_allocator *memory)
{
    kith_free(memory, set->entries, kith_entity_set_bytes(set), KITH_CACHE_LINE);
    *set = (kith_entity_set){ .newest = set->newest };
}

KITH_NOINLINE size_t kith_entity_set_bytes(const kith_entity_set *set)
{
    size_t slots = set->capacity == 0 ? 0 : (size_t)set->slot_mask + 1;
    size_t bytes = kith_size_add(0, slots, sizeof(uint32_t));
    return kith_size_add(bytes, set->capacity, sizeof(kith_entity_set_member));
}

// --- members ---------------------------------------------------------------------------------

bool kith_entity_set_has(const kith_entity_set *set, kith_entity entity)
{
    return set->count != 0 && set->slots[slot_for(set, entity)] != 0;
}

void kith_entity_set_add(kith_entity_set *set, kith_entity entity, const kith_entity_table *living)
{
    if (KITH_UNLIKELY_(set->end == set->capacity)) { // close the holes
        copy_members(set, set, living);
    }
    assert(set->end < set->capacity);
    uint32_t slot            = slot_for(set, entity);
    set->entries[set->end++] = (kith_entity_set_member){ entity, ++set->newest };
    set->slots[slot]         = set->end;
    set->count++;
}

bool kith_entity_set_remove(kith_entity_set *set, kith_entity entity)
{
    uint32_t slot = set->count == 0 ? 0 : slot_for(set, entity);
    if (set->count == 0 || set->slots[slot] == 0) {
        return false;
    }
    set->entries[set->slots[slot] - 1].entity = KITH_NULL;
    unlink_slot(set, slot);
    set->count--;
    return true;
}

void kith_entity_set_clear(kith_entity_set *set)
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

const kith_entity_set_member *kith_entity_set_after(const kith_entity_set *set, uint64_t number)
{
    uint32_t low  = 0;
    uint32_t high = set->end;
    // as long as no hole was closed, numbers rise by 1 from entry to entry
    uint64_t guess = high == 0 ? 0 : number - set->entries[0].number;
    if (guess < high && set->entries[guess].number == number) {
        low = high = (uint32_t)guess + 1;
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

bool kith_entity_set_sound(const kith_entity_set *set)
{
    uint32_t count = 0;
    uint32_t used  = 0;
    bool     sound = set->end <= set->capacity;
    for (uint32_t i = 0; i < set->end && sound; i++) {
        const kith_entity_set_member *entry = &set->entries[i];
        count += entry->entity != KITH_NULL;
        sound = entry->number <= set->newest && (i == 0 || entry->number > entry[-1].number) &&
                (entry->entity == KITH_NULL || set->slots[slot_for(set, entry->entity)] == i + 1);
    }
    for (uint32_t slot = 0; set->capacity != 0 && slot <= set->slot_mask; slot++) {
        used += set->slots[slot] != 0;
    }
    return sound && count == set->count && used == count;
}
