// SPDX-License-Identifier: MIT
// Reactive sets, in a list from the oldest to the newest, and what they watch.
//
//     column --> watch --> watch --> ...   of each set that has a condition on the component
//                  |
//                  set: conditions, filter, who was collected
//
// A set hears of adding, setting and removing as a listener. It never allocates then: whoever has a
// component that it watches has room in it, made before the component comes. So room is for those
// that are in the set or have such a component; of all that count twice, or live, the fewest.
#ifndef KITH_WORLD_REACTIVE_ROOM_H
#define KITH_WORLD_REACTIVE_ROOM_H

#include "store/entity_set.h"
#include "world/world.h"

#define KITH_WATCH_EVENTS 3 // add, set, remove

typedef struct kith_watch {
    kith_reactive     *set;
    kith_column       *column;
    struct kith_watch *next; // of the same column
    kith_listener      listeners[KITH_WATCH_EVENTS];
} kith_watch;

struct kith_reactive {
    kith_world        *world;
    kith_reactive     *next;
    kith_reactive_desc desc; // names, conditions and terms are the set's own
    kith_plan          filter;
    kith_gather        gather;
    uint32_t           systems;   // that wait for members
    uint64_t           since;     // pages written from this tick on are news
    kith_watch         watches[]; // one a condition; conditions, terms and names follow
};

// Those for whom the set's room is lost when they die, or NULL.
static inline const kith_entity_table *kith_reactive_living(const kith_reactive *set)
{
    return set->desc.keep_dead ? NULL : &set->world->entities;
}

// Brings the set up to date for a system that waits for its members and wrote in the tick `own`: if
// it waits alone, without what it wrote; if not, that is news for the others, but by itself none
// for it.
KITH_INTERNAL void kith_reactive_update_for(kith_reactive *set, uint64_t own);

// How many entities have what the set watches; one that has several counts several times.
KITH_INTERNAL uint64_t kith_reactive_watched(const kith_reactive *set);

// Makes room in a set for all who may come, and so many more entities that are about to get a
// component which it watches. False when memory runs out.
KITH_INTERNAL bool kith_reactive_secure(kith_reactive *set, uint64_t more);

// The same in all sets that watch the column.
KITH_INTERNAL bool kith_watches_secure(const kith_column *column, uint64_t more);

static inline bool kith_watch_secure(const kith_column *column, uint64_t more)
{
    return KITH_LIKELY_(column->watches == NULL) || kith_watches_secure(column, more);
}

// Makes room there for so many entities, whoever they will be.
KITH_INTERNAL bool kith_watch_reserve(const kith_column *column, uint32_t entities);

#endif
