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
#ifndef KITH_WORLD_QUEUE_H
#define KITH_WORLD_QUEUE_H

#include "store/field.h"
#include "store/listener_list.h"

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
KITH_INTERNAL bool kith_queue_take_buffer(const kith_queue *queue, kith_buffer *buffer,
                                          uint32_t capacity);
KITH_INTERNAL void kith_queue_give_buffer(const kith_queue *queue, kith_buffer *buffer);

// The most events that may wait.
static inline uint32_t kith_queue_most(const kith_queue *queue)
{
    return queue->desc.limit == 0 ? UINT32_MAX : queue->desc.limit;
}

// Makes the queues of another world in one that has none, without handlers; false, with an error,
// when memory runs out.
KITH_INTERNAL bool kith_world_copy_queues(kith_world *world, const kith_world *from);

// Gives every queue back; gives back what those without events keep; the bytes of all.
KITH_INTERNAL void   kith_world_give_queues(kith_world *world);
KITH_INTERNAL void   kith_world_shrink_queues(kith_world *world);
KITH_INTERNAL size_t kith_world_queue_bytes(const kith_world *world);

#endif
