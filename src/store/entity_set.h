// SPDX-License-Identifier: MIT
// Entities in the order in which they came, each once: what a reactive set has collected.
//
//     entries  [ e7 #1 | e3 #2 | -- #3 | e9 #4 |          ]   `end` of them are used
//     slots    entity --> hash --> place in entries + 1        0: nobody
//
// Who is taken out leaves a hole, so nobody else's place changes; numbers rise and are never used
// again, so a walk goes on behind the number that it saw last, whatever has happened meanwhile.
// When the entries are used up, the holes are closed. Adding never allocates: a fifth of the room
// that was made is for holes, which is what keeps the cost of closing them constant for each.
#ifndef KITH_STORE_ENTITY_SET_H
#define KITH_STORE_ENTITY_SET_H

#include "store/entity_table.h"

typedef struct kith_entity_set_member {
    kith_entity entity; // KITH_NULL: a hole
    uint64_t    number;
} kith_entity_set_member;

typedef struct kith_entity_set {
    kith_entity_set_member *entries; // one block with the slots
    uint32_t               *slots;
    uint32_t                slot_shift; // a hash, shifted by it, is a slot
    uint32_t                slot_mask;
    uint32_t                capacity;
    uint32_t                end;
    uint32_t                count;  // without holes
    uint64_t                newest; // the last number
} kith_entity_set;

// Makes room for so many, beside the holes; false when memory runs out. `living`: who is not alive
// there may be dropped; NULL: everyone is kept.
KITH_INTERNAL bool kith_entity_set_reserve(kith_entity_set *set, const kith_allocator *memory,
                                           uint64_t members, const kith_entity_table *living);

// The same entries and the same room as another one's; false when memory runs out.
KITH_INTERNAL bool kith_entity_set_copy(kith_entity_set *set, const kith_allocator *memory,
                                        const kith_entity_set *from);
KITH_INTERNAL void kith_entity_set_release(kith_entity_set *set, const kith_allocator *memory);

// Puts an entity in that is not there; there is room.
KITH_INTERNAL void kith_entity_set_add(kith_entity_set *set, kith_entity entity,
                                       const kith_entity_table *living);
KITH_INTERNAL bool kith_entity_set_has(const kith_entity_set *set, kith_entity entity);
KITH_INTERNAL bool kith_entity_set_remove(kith_entity_set *set, kith_entity entity);
KITH_INTERNAL void kith_entity_set_clear(kith_entity_set *set);

// The first entry, a hole or not, with a higher number than this; NULL: none.
KITH_INTERNAL const kith_entity_set_member *kith_entity_set_after(const kith_entity_set *set,
                                                                  uint64_t               number);

// Whether everyone is found where it is, once, and the numbers rise.
KITH_INTERNAL bool kith_entity_set_sound(const kith_entity_set *set);

// Bytes taken from the allocator.
KITH_INTERNAL size_t kith_entity_set_bytes(const kith_entity_set *set);

// Whether there is room for so many.
static inline bool kith_entity_set_fits(const kith_entity_set *set, uint64_t members)
{
    return members * 5 <= (uint64_t)set->capacity * 4;
}

#endif
