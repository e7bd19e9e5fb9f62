// SPDX-License-Identifier: MIT
// A set of entities in the order in which they were added: what a reactive set has collected.
//
//     entries  [ e7 #1 | e3 #2 | -- #3 | e9 #4 |          ]   `end` of them are used
//     slots    entity --> hash --> place in entries + 1        0: the slot is empty
//
// Removing an entity leaves a hole, so no other entry moves. Numbers (#) rise and are never used
// again, so a loop continues after the number that it saw last, whatever has changed meanwhile.
//
// When the entries are full, adding closes the holes. Adding never allocates: a fifth of the
// capacity is reserved for holes, so closing them costs O(1) per removal.
#pragma once

#include "store/entity_table.h"

typedef struct kith_entity_set_member {
    kith_entity entity; // KITH_NULL: a hole
    uint64_t    number;
} kith_entity_set_member;

typedef struct kith_entity_set {
    kith_entity_set_member *entries; // one block with the slots
    uint32_t               *slots;
    uint32_t                slot_shift; // hash >> slot_shift is a slot
    uint32_t                slot_mask;
    uint32_t                capacity;
    uint32_t                end;    // entries in use, with holes
    uint32_t                count;  // without holes
    uint64_t                newest; // the last number
} kith_entity_set;

// Makes room for `members` entities beside the holes. Returns false when memory runs out. May drop
// entities that are not alive in `living`, unless `living` is NULL.
bool kith_entity_set_reserve(kith_entity_set *set, const kith_allocator *memory, uint64_t members,
                             const kith_entity_table *living);

// Copies the entries and the capacity of `from`. Returns false when memory runs out.
bool kith_entity_set_copy(kith_entity_set *set, const kith_allocator *memory,
                          const kith_entity_set *from);
void kith_entity_set_free(kith_entity_set *set, const kith_allocator *memory);

// Adds an entity that is not in the set. The caller has reserved room. `living`: see reserve.
void kith_entity_set_add(kith_entity_set *set, kith_entity entity, const kith_entity_table *living);
bool kith_entity_set_has(const kith_entity_set *set, kith_entity entity);
bool kith_entity_set_remove(kith_entity_set *set, kith_entity entity);
void kith_entity_set_clear(kith_entity_set *set);

// Returns the first entry with a higher number, which may be a hole; NULL when there is none.
const kith_entity_set_member *kith_entity_set_after(const kith_entity_set *set, uint64_t number);

// Whether each entity has exactly one slot, which leads to its entry, and the numbers rise.
bool kith_entity_set_sound(const kith_entity_set *set);

// Returns how many bytes the set has allocated.
size_t kith_entity_set_bytes(const kith_entity_set *set);

// Whether the set has room for `members` entities in all.
static inline bool kith_entity_set_fits(const kith_entity_set *set, uint64_t members)
{
    return members * 5 <= (uint64_t)set->capacity * 4;
}
