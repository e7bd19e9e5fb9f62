// SPDX-License-Identifier: MIT
// Queues of events and reactive sets: what the world must know of them.
//
// A world lists its queues from the oldest to the newest. Each queue has two buffers:
//
//     waiting    [ e5 e6          ]   kith_queue_enqueue appends here
//     delivered  [ e1 e2 e3 e4    ]   an update hands these to the handlers, `next` comes next
//
// An update swaps the two buffers, so an event does not move while handlers read it and enqueue
// other events. Both buffers keep their memory: a queue that is updated regularly stops allocating.
//
// A handler is a listener node: `call` is the handler's function, and `many` is the function that
// casts and calls it. Delivering an event announces it, so a handler is nested like a listener.
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

// Allocates an empty buffer for `capacity` events, and frees it. Returns false when memory runs
// out.
KITH_INTERNAL bool kith_queue_alloc_buffer(const kith_queue *queue, kith_buffer *buffer,
                                           uint32_t capacity);
KITH_INTERNAL void kith_queue_free_buffer(const kith_queue *queue, kith_buffer *buffer);

// The most events that the queue may have.
static inline uint32_t kith_queue_most(const kith_queue *queue)
{
    return queue->desc.limit == 0 ? UINT32_MAX : queue->desc.limit;
}

// Creates the queues of `from`, without handlers, in a world that has none. Returns false, with an
// error, when memory runs out.
KITH_INTERNAL bool kith_world_copy_queues(kith_world *world, const kith_world *from);

// Frees every queue; frees the buffers of queues without events; returns the bytes of all.
KITH_INTERNAL void   kith_world_free_queues(kith_world *world);
KITH_INTERNAL void   kith_world_shrink_queues(kith_world *world);
KITH_INTERNAL size_t kith_world_queue_bytes(const kith_world *world);

// --- reactive sets ---------------------------------------------------------------------------
//
// A world lists its reactive sets from the oldest to the newest. Each condition of a set is a
// watch:
//
//     storage --> watch --> watch --> ...   one for each condition on the component
//                  |
//                  set: conditions, filter, collected members
//
// A set listens to add, set and remove events, and its listener never allocates. Therefore room for
// an entity is reserved before the entity gets a watched component. The room suffices for the
// smaller of (members + rows of all watched components) and (living entities).

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
    uint32_t           systems;   // the systems that wait for members
    uint64_t           since;     // pages with a stamp >= since have changed
    kith_watch         watches[]; // one per condition; conditions, terms and names follow
};

// The table of living entities when destroyed members leave the set; NULL with keep_dead.
static inline const kith_entity_table *kith_reactive_living(const kith_reactive *set)
{
    return set->desc.keep_dead ? NULL : &set->world->entities;
}

// Updates the set for a system that waits for its members and that wrote in the tick `own`. If no
// other system waits, the system's own writes are skipped. Otherwise they are collected for the
// other systems, but alone they do not make this system due.
KITH_INTERNAL void kith_reactive_update_for(kith_reactive *set, uint64_t own);

// The sum of the rows of all watched components: an entity with two of them counts twice.
KITH_INTERNAL uint64_t kith_reactive_watched(const kith_reactive *set);

// Reserves room in a set for all entities that can become members, plus `more` that are about to
// get a watched component. Returns false when memory runs out.
KITH_INTERNAL bool kith_reactive_secure(kith_reactive *set, uint64_t more);

// The same in all sets that watch the storage.
KITH_INTERNAL bool kith_watches_secure(const kith_storage *storage, uint64_t more);

static inline bool kith_watch_secure(const kith_storage *storage, uint64_t more)
{
    return KITH_LIKELY_(storage->watches == NULL) || kith_watches_secure(storage, more);
}

// Reserves room for `entities` members in all sets that watch the storage. Returns false when
// memory runs out.
KITH_INTERNAL bool kith_watch_reserve(const kith_storage *storage, uint32_t entities);

// Creates the sets of `from`, with the same members, in a world that has none. Returns false, with
// an error, when memory runs out.
KITH_INTERNAL bool kith_world_copy_reactives(kith_world *world, const kith_world *from);

// Frees every set; frees room that no entity can need; returns the bytes of all.
KITH_INTERNAL void   kith_world_free_reactives(kith_world *world);
KITH_INTERNAL void   kith_world_shrink_reactives(kith_world *world);
KITH_INTERNAL size_t kith_world_reactive_bytes(const kith_world *world);

#endif
