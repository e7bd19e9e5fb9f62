// SPDX-License-Identifier: MIT
// What waits until it is asked for: events in queues, and entities in reactive sets.
//
//     typedef struct hit { kith_entity whom; float damage; } hit;
//     KITH_EVENT(hit, hit);                              // hit_enqueue, hit_connect, ...
//
//     hit_queue hits = hit_create(world, 0);
//     hit_connect(hits, hurt, NULL, 0);                  // void hurt(world, const hit *, context)
//     hit_enqueue(hits, (hit){ ship, 10 });
//     kith_queue_update_all(world);                      // calls hurt
#ifndef KITH_REACT_H
#define KITH_REACT_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Queues: events that wait
//
// An event is plain bytes, copied as such; nothing runs when it is gone. A queue belongs to its
// world, is found by its name, and ends with the world.
// Order       Handlers hear an event by priority, higher first, then by age of their connection.
//             Events are delivered in the order in which they were enqueued, queues in the order in
//             which they were made.
// Waiting     An update delivers what waits when it begins, in all queues that it is about. What
//             handlers enqueue meanwhile waits for the next one.
// Handlers    May do what a listener may do: enqueue, trigger, connect, disconnect, clear queues,
//             change the world. While one runs nothing moves, and it counts as a listener against
//             the 32 that may be nested. A handler that is disconnected is never called again, one
//             that is connected hears the next event first.
// ---------------------------------------------------------------------------------------------

/// A queue of events; made by kith_queue_create and owned by its world.
typedef struct kith_queue kith_queue;

/// A queue as the world is told of it. The name is copied.
typedef struct kith_queue_desc {
    const char *name;
    uint32_t    size;      // bytes of an event; 0: that it happened is all
    uint32_t    alignment; // of the type, a power of two up to 4096 that divides size; 0: 1
    uint32_t    limit;     // how many may wait; 0: as many as memory holds
} kith_queue_desc;

/// Hears an event. May do to the world whatever a listener may do. What `event` points to is good
/// until the handler returns.
typedef void (*kith_handler_fn)(kith_world *world, const void *event, void *context);

/// A handler to connect. KITH_EVENT makes `typed_`, which calls `call` with its own type.
typedef struct kith_handler_desc {
    kith_handler_fn call;
    void           *context;
    int32_t         priority; // higher ones hear first; among equals the one connected first
    void (*typed_)(kith_handler_fn call, kith_world *world, const void *event, void *context);
} kith_handler_desc;

/// Makes a queue, or finds the one of that name. NULL and an error for a description that makes no
/// sense, for a name that has another size, alignment or limit (KITH_ERROR_CONFLICT), and when
/// memory runs out. O(queues).
KITH_API kith_queue *kith_queue_create(kith_world *world, const kith_queue_desc *desc);

/// The queue of that name, or NULL. O(queues).
KITH_API kith_queue *kith_queue_find(const kith_world *world, const char *name);

// In all that follows a NULL queue, one that was not made, has no events: NULL, false or 0 without
// an error.

/// Connects a handler; kith_listener_disconnect disconnects it. 0 and an error without a function
/// or without memory. O(handlers).
KITH_API kith_listener kith_queue_connect(kith_queue *queue, const kith_handler_desc *desc);

/// Copies an event into the queue, where it waits. `event` may be NULL where events have no bytes.
/// False and an error when the limit is reached, memory runs out, and from inside a hook. O(1);
/// allocates only when more wait than ever before.
KITH_API bool kith_queue_enqueue(kith_queue *queue, const void *event);

/// Calls the handlers with an event, now; those that wait stay where they are. False and an error
/// when listeners and handlers are nested 32 deep, and from inside a hook. O(handlers).
KITH_API bool kith_queue_trigger(kith_queue *queue, const void *event);

/// Delivers the events that wait. Returns how many; those that a handler
/// clears meanwhile do not count. 0 and an error when the queue is being updated already, at depth
/// 32, and from inside a hook. The second does it for all queues: first it is decided for all of
/// them what is delivered. O(queues + events x handlers); never allocates.
KITH_API uint32_t kith_queue_update(kith_queue *queue);
KITH_API uint32_t kith_queue_update_all(kith_world *world);

/// Drops the events that wait, also those that an update under way has not come to. O(1).
KITH_API void kith_queue_clear(kith_queue *queue);

/// How many events wait, those included that an update under way has not come to. O(1).
KITH_API uint32_t kith_queue_count(const kith_queue *queue);

/// Makes room: until kith_world_shrink so many events can wait, and be enqueued again while these
/// are delivered, without allocating. False when memory runs out, the number is above the limit, or
/// the queue is being updated. O(events that wait).
KITH_API bool kith_queue_reserve(kith_queue *queue, uint32_t events);

/// The queue's description and its world; neither for NULL. O(1).
KITH_API const kith_queue_desc *kith_queue_describe(const kith_queue *queue);
KITH_API kith_world            *kith_queue_world(const kith_queue *queue);

#ifdef __cplusplus
}
#endif

// ---------------------------------------------------------------------------------------------
// Macros. clang-format off: it would fold the continuation lines into paragraphs.
// ---------------------------------------------------------------------------------------------

// clang-format off

/// Typed functions for the events of one queue, which is called NAME. Makes the type NAME_queue,
/// whose field `queue` is NULL where there is none, and
///     NAME_create(world, limit)                          make or find it
///     NAME_connect(queue, call, context, priority)       call is (world, TYPE const *, context)
///     NAME_enqueue(queue, event) NAME_trigger(queue, event)
///     NAME_update(queue) NAME_clear(queue) NAME_count(queue) NAME_reserve(queue, events)
#define KITH_EVENT(NAME, TYPE) \
    typedef struct NAME##_queue { \
        kith_queue *queue; \
    } NAME##_queue; \
    typedef void (*NAME##_handler_)(kith_world *world, TYPE const *event, void *context); \
    KITH_INLINE_ NAME##_queue NAME##_create(kith_world *world, uint32_t limit) \
    { \
        kith_queue_desc desc = { #NAME, sizeof(TYPE), KITH_ALIGNOF_(TYPE), limit }; \
        NAME##_queue    made = { kith_queue_create(world, &desc) }; \
        return made; \
    } \
    KITH_INLINE_ void NAME##_hear_(kith_handler_fn call, kith_world *world, const void *event, \
                                   void *context) \
    { \
        KITH_FUNCTION_(NAME##_handler_, call)(world, KITH_CAST_(TYPE const *, event), context); \
    } \
    KITH_INLINE_ kith_listener NAME##_connect(NAME##_queue queue, NAME##_handler_ call, \
                                              void *context, int32_t priority) \
    { \
        kith_handler_desc desc = { KITH_FUNCTION_(kith_handler_fn, call), context, priority, \
                                   NAME##_hear_ }; \
        return kith_queue_connect(queue.queue, &desc); \
    } \
    KITH_INLINE_ bool NAME##_enqueue(NAME##_queue queue, TYPE event) \
    { return kith_queue_enqueue(queue.queue, &event); } \
    KITH_INLINE_ bool NAME##_trigger(NAME##_queue queue, TYPE event) \
    { return kith_queue_trigger(queue.queue, &event); } \
    KITH_INLINE_ uint32_t NAME##_update(NAME##_queue queue) \
    { return kith_queue_update(queue.queue); } \
    KITH_INLINE_ void NAME##_clear(NAME##_queue queue) \
    { kith_queue_clear(queue.queue); } \
    KITH_INLINE_ uint32_t NAME##_count(NAME##_queue queue) \
    { return kith_queue_count(queue.queue); } \
    KITH_INLINE_ bool NAME##_reserve(NAME##_queue queue, uint32_t events) \
    { return kith_queue_reserve(queue.queue, events); } \
    struct NAME##_event_end_

// A function as one of another type, which it must not be called as.
#ifdef __cplusplus
    #define KITH_FUNCTION_(TYPE, CALL) reinterpret_cast<TYPE>(reinterpret_cast<void (*)()>(CALL))
#else
    #define KITH_FUNCTION_(TYPE, CALL) ((TYPE)(void (*)(void))(CALL))
#endif
// clang-format on

#endif
