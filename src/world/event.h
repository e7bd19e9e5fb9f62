// SPDX-License-Identifier: MIT
// Queues of events, in a list from the oldest to the newest.
//
//     waiting    [ e5 e6          ]   where events are enqueued
//     delivered  [ e1 e2 e3 e4    ]   what an update has taken, `next` is told of next
//
// An update exchanges the two, so an event stays where it is while handlers hear of it and enqueue
// others. Both keep their memory: a queue that is updated now and then stops allocating.
//
// A handler is kept as a listener is: its function in `call`, what calls it with its type in
// `many`, neither as what it is. Delivering is announcing an event, with all that follows from it.
#ifndef KITH_WORLD_EVENT_H
#define KITH_WORLD_EVENT_H

#include "store/entity_set.h"
#include "world/world.h"

typedef struct kith_buffer {
    uint8_t *bytes;
    uint32_t count;
    uint32_t capacity;
} kith_buffer;

struct kith_queue {
    kith_world     *world;
    kith_queue     *next_queue;
    kith_queue_desc desc; // the name is the queue's own
    kith_layout     layout;
    uint32_t        step; // from one event to the next, in bytes
    kith_event_list handlers;
    kith_buffer     waiting;
    kith_buffer     delivered;
    uint32_t        next;
    bool            updating;
};

// An empty buffer of room for so many events, false when memory runs out; gives its memory back.
KITH_INTERNAL bool kith_queue_alloc_buffer(const kith_queue *queue, kith_buffer *buffer,
                                           uint32_t capacity);
KITH_INTERNAL void kith_queue_free_buffer(const kith_queue *queue, kith_buffer *buffer);

// The most events that may wait.
static inline uint32_t kith_queue_most(const kith_queue *queue)
{
    return queue->desc.limit == 0 ? UINT32_MAX : queue->desc.limit;
}

// Makes the queues of another world in one that has none, without handlers; false, with an error,
// when memory runs out.
KITH_INTERNAL bool kith_world_copy_queues(kith_world *world, const kith_world *from);

// Gives every queue back; gives back what those without events keep; the bytes of all.
KITH_INTERNAL void   kith_world_free_queues(kith_world *world);
KITH_INTERNAL void   kith_world_shrink_queues(kith_world *world);
KITH_INTERNAL size_t kith_world_queue_bytes(const kith_world *world);

// --- reactive_room ------------------------------------------------------------
//
// Reactive sets, in a list from the oldest to the newest, and what they watch.
//
//     storage --> watch --> watch --> ...   of each set that has a condition on the component
//                  |
//                  set: conditions, filter, who was collected
//
// A set hears of adding, setting and removing as a listener. It never allocates then: whoever has a
// component that it watches has room in it, made before the component comes. So room is for those
// that are in the set or have such a component; of all that count twice, or live, the fewest.

#define KITH_WATCH_EVENTS 3 // add, set, remove

typedef struct kith_watch {
    kith_reactive     *set;
    kith_storage      *storage;
    struct kith_watch *next; // of the same storage
    kith_listener      listeners[KITH_WATCH_EVENTS];
} kith_watch;

struct kith_reactive {
    kith_world        *world;
    kith_reactive     *next;
    kith_reactive_desc desc; // names, conditions and terms are the set's own
    kith_plan          filter;
    kith_entity_set    members;
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

// The same in all sets that watch the storage.
KITH_INTERNAL bool kith_watches_secure(const kith_storage *storage, uint64_t more);

static inline bool kith_watch_secure(const kith_storage *storage, uint64_t more)
{
    return KITH_LIKELY_(storage->watches == NULL) || kith_watches_secure(storage, more);
}

// Makes room there for so many entities, whoever they will be.
KITH_INTERNAL bool kith_watch_reserve(const kith_storage *storage, uint32_t entities);

// --- event ------------------------------------------------------------
//
// Reactive sets as a whole; watch.h says what they are made of.

// Makes the sets of another world in one that has none, with the same members; false, with an
// error, when memory runs out.
KITH_INTERNAL bool kith_world_copy_reactives(kith_world *world, const kith_world *from);

// Gives every set back; gives back the room of those for whom nobody may come; the bytes of all.
KITH_INTERNAL void   kith_world_free_reactives(kith_world *world);
KITH_INTERNAL void   kith_world_shrink_reactives(kith_world *world);
KITH_INTERNAL size_t kith_world_reactive_bytes(const kith_world *world);

#endif
