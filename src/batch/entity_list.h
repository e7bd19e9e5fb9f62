// SPDX-License-Identifier: MIT
// A crowd: the entities of a batch.
//
//     array    all of them alive, none of them twice: checked before anything is changed
//     range    handles that follow on each other; the dead among them are passed over
//
// An array whose handles follow on each other is taken for a range: then rows, slots and signatures
// are filled as arrays, not one by one.
#ifndef KITH_BATCH_ENTITY_LIST_H
#define KITH_BATCH_ENTITY_LIST_H

#include "world/world.h"

typedef struct kith_crowd {
    const kith_entity *entities; // NULL: a range
    kith_entity        first;    // of a range
    uint32_t           count;
    bool               whole; // all are known to be alive
    bool               fresh; // and to have nothing
} kith_crowd;

// The crowd of an array. False, with an error, when someone in it is null, dead or there twice.
// `component` is what the call is about, or 0.
KITH_INTERNAL bool kith_crowd_of_array(kith_world *world, const kith_entity *entities,
                                       uint32_t count, kith_component component, const char *call,
                                       kith_crowd *crowd);

// The crowd of entities that were just made.
KITH_INTERNAL kith_crowd kith_crowd_of_new(const kith_entity *entities, uint32_t count);

// The crowd of a range, cut where the entity table ends.
KITH_INTERNAL kith_crowd kith_crowd_of_range(const kith_world *world, kith_range range);

// How many are alive. Notes if all are, which holds until listeners are called.
KITH_INTERNAL uint32_t kith_crowd_living(const kith_world *world, kith_crowd *crowd);

// Goes through the living, block by block: each fits into the cache, and of a range into a page.
// `*at` is where to look, then the place of the block's first member. False when nobody is left.
KITH_INTERNAL bool kith_crowd_next(const kith_world *world, const kith_crowd *crowd, uint32_t *at,
                                   kith_crowd *block);

// How many from place `at` of a range on have their slots in one page.
static inline uint32_t kith_crowd_in_page(const kith_crowd *crowd, uint32_t at)
{
    uint32_t i = kith_entity_index(crowd->first + at) & KITH_PAGE_MASK_;
    return kith_least(crowd->count - at, KITH_PAGE_SLOTS - i);
}

// The first signature words of a block of a range.
static inline uint64_t *kith_crowd_words(const kith_world *world, const kith_crowd *block)
{
    return kith_entity_slot_of(&world->entities, kith_entity_index(block->first)) + KITH_PAGE_SLOTS;
}

static inline kith_entity kith_crowd_member(const kith_crowd *crowd, uint32_t i)
{
    return crowd->entities == NULL ? crowd->first + i : crowd->entities[i];
}

// The members that an event may be about.
static inline kith_concerned kith_crowd_concerned(const kith_crowd *crowd,
                                                  bool (*is)(const void *event, uint32_t i),
                                                  const void *event)
{
    return (kith_concerned){ crowd->entities, crowd->first, crowd->count, is, event };
}

#endif
