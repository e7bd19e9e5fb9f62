// SPDX-License-Identifier: MIT
// Events: listeners hear them at once, queues keep them, reactive sets collect the entities. Part
// of kith.h.
//
//     typedef struct hit { kith_entity whom; float damage; } hit;
//     KITH_EVENT(hit, hit);                              // hit_enqueue, hit_connect, ...
//
//     hit_queue hits = hit_create(world, 0);
//     hit_connect(hits, hurt, NULL, 0);                  // void hurt(world, const hit *, context)
//     hit_enqueue(hits, (hit){ ship, 10 });
//     kith_queue_update_all(world);                      // calls hurt
#ifndef KITH_EVENT_H
#define KITH_EVENT_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a listener can hear.
typedef enum kith_event {
    KITH_EVENT_ADD     = 0, // a component was added: its value is complete
    KITH_EVENT_SET     = 1, // a present value was replaced by set, or changed by patch
    KITH_EVENT_REMOVE  = 2, // a component is about to go: its value is still there
    KITH_EVENT_CREATE  = 3, // an entity was created
    KITH_EVENT_DESTROY = 4  // an entity is about to go: everything it has is still there
} kith_event;

/// What happened, to whom.
typedef struct kith_notice {
    kith_event     event;
    kith_component component; // 0: create and destroy
    kith_entity    entity;    // KITH_NULL: a singleton
} kith_notice;

/// Hears an event. May do to the world whatever a loop's body may do.
typedef void (*kith_listener_fn)(kith_world *world, const kith_notice *notice, void *context);

/// Hears an event of several entities at once, each as kith_listener_fn would: `notice` has the
/// first of them.
typedef void (*kith_listener_many_fn)(kith_world *world, const kith_notice *notice,
                                      const kith_entity *entities, uint32_t count, void *context);

/// What to listen to, by `call`, `many` or both.
typedef struct kith_listener_desc {
    kith_event            event;
    kith_component        component; // 0 for create and destroy
    kith_listener_fn      call;
    void                 *context;
    int32_t               priority; // higher ones hear first; among equals the one connected first
    kith_listener_many_fn many;     // hears of batches, and of the rest where `call` is NULL
} kith_listener_desc;

/// A connection; 0 is none. Numbers are not used again. They carry bits of their world, so that
/// another world refuses them, and differ from run to run: keep them out of values that are saved.
typedef uint64_t kith_listener;

// ---------------------------------------------------------------------------------------------
// Listeners
//
// An event is announced when everything is in place: pool and signature are up to date before add
// and set are heard; remove and destroy are heard while everything is still there. A set that adds
// announces add only; a component that is required is announced before the one that requires it.
// Destroying an entity announces the removal of each component, in registration order, then the
// entity; then everything goes at once. What is changed through mut, or through a column for
// writing, is not announced.
//
// A listener that takes away what it hears of ends the telling: the listeners after it do not hear
// of it, and the call that made the event answers NULL, without an error. If it gives a component
// back whose add it hears of, that is a new add, of which all hear, and those after it of no other;
// a set goes on being told. A listener can close only loops that were begun since it was called.
//
// A listener with `many` hears of a batch at once, before the others hear of each entity, and
// before anything goes that is about to go: what it changes then is legal, and who has left when
// its turn comes is passed over. The entities come in one call if kith has them all in an array,
// otherwise in calls of up to 256.
// ---------------------------------------------------------------------------------------------

/// Connects a listener, which hears the next event first; 0 with an error when the component is not
/// registered, the event does not exist for its kind (flags have no set) or memory runs out.
/// O(listeners of that event).
KITH_API kith_listener kith_listener_connect(kith_world *world, const kith_listener_desc *desc);

/// Disconnects it, or a handler of a queue: it is never called again, also not for the event that
/// is being announced. Returns whether it was connected. False and an error for the number of
/// another world; hierarchies and reactive sets listen by numbers that no call takes. O(listeners).
KITH_API bool kith_listener_disconnect(kith_world *world, kith_listener listener);

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

/// A queue as the world is told of it. The name is copied, and what `saved` points to.
typedef struct kith_queue_desc {
    const char *name;
    uint32_t    size;      // bytes of an event; 0: that it happened is all
    uint32_t    alignment; // of the type, a power of two up to 4096 that divides size; 0: 1
    uint32_t    limit;     // how many may wait; 0: as many as memory holds
    kith_saved  saved;     // how events are saved, see snapshot.h; all zero: nobody said
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
/// sense, for a name that has another size, alignment, limit or form (KITH_ERROR_CONFLICT), and
/// when memory runs out. How events are saved may be said later than the rest. O(queues).
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

/// Delivers the events that wait. Returns how many; those that a handler clears meanwhile do not
/// count. 0 and an error when the queue is being updated already, at depth 32, and from inside a
/// hook. The second does it for all queues: first it is decided for all of them what is delivered.
/// O(queues + events x handlers); never allocates.
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

// ---------------------------------------------------------------------------------------------
// Reactive sets: entities to which something happened
//
// A set collects the entities for which one of its conditions comes true, each once, in the order
// in which they came, until it is cleared.
// Conditions  Add, set and remove are heard as by a listener of the set's priority, with `many`.
//             Changed means written through mut, set, patch or a column for writing; nobody
//             announces that, so kith_reactive_update finds it: condition by condition, by rows.
//             Where the component has the trait `row_ticks` those count whose row was added or
//             written in the tick of the update before (of the set's making) or later; elsewhere
//             all in a page count in which something was written, came or moved then.
// Filter      An entity that does not meet the terms of `filter`, or that `accept` does not accept,
//             is passed over. That is asked when the condition comes true, of those that are not
//             in the set already. The terms changed and added count from the `since` of the filter,
//             which stays what it is; a lead, and what terms would hand out, mean nothing here.
// Leaving     A member that loses the component stays. A member that dies leaves, unless the set
//             keeps the dead; as long as its end is announced it lives.
// Memory      The set has room for all who have a component that it watches. The call that adds
//             the component makes that room, and fails without memory: no other event allocates.
// ---------------------------------------------------------------------------------------------

#define KITH_REACTIVE_CONDITIONS_MAX 64u

/// When an entity is collected; to be added up.
typedef enum kith_on {
    KITH_ON_ADD     = 1, // the component was added
    KITH_ON_SET     = 2, // its value was replaced by set, or changed by patch
    KITH_ON_REMOVE  = 4, // it is about to go, also with its entity
    KITH_ON_CHANGED = 8  // it may have been written; see above
} kith_on;

/// A component and what must happen to it. Set and changed are for components with values.
typedef struct kith_condition {
    kith_component component;
    uint32_t       on; // of kith_on, at least one
} kith_condition;

/// Whether an entity is to be collected. May ask the world and not change it.
typedef bool (*kith_accept_fn)(const kith_world *world, kith_entity entity, void *context);

/// Whom to collect. Texts, conditions and terms are copied.
typedef struct kith_reactive_desc {
    const char           *name;            // for messages; may be NULL
    const kith_condition *conditions;      // one a component; any of them will do
    uint32_t              condition_count; // 1 to KITH_REACTIVE_CONDITIONS_MAX
    kith_query_desc       filter;          // no term: everybody
    kith_accept_fn        accept;          // NULL: everybody
    void                 *context;
    int32_t               priority; // when it hears of events: see kith_listener_desc
    bool                  keep_dead;
} kith_reactive_desc;

/// A reactive set; made by kith_reactive_create and owned by its world.
typedef struct kith_reactive kith_reactive;

/// Makes a set, which collects from now on: every call makes one of its own. NULL and an error for
/// a component that is not registered or cannot have the condition, for two conditions on one
/// component, for a filter that is no query, and when memory runs out. O(conditions + terms + who
/// has a component of the conditions).
KITH_API kith_reactive *kith_reactive_create(kith_world *world, const kith_reactive_desc *desc);

/// The world's sets from the oldest, 0, to the newest; NULL beyond it. O(place).
KITH_API kith_reactive *kith_reactive_at(const kith_world *world, uint32_t place);

/// Ends the set. False for NULL, and with an error from inside a hook and while a system waits for
/// members of the set. O(conditions x listeners).
KITH_API bool kith_reactive_destroy(kith_reactive *set);

/// Collects those whose condition `changed` has come true since the update before; without such a
/// condition there is nothing to do. Returns how many came. O(pages + rows of written pages).
KITH_API uint32_t kith_reactive_update(kith_reactive *set);

/// Walks the members in the order in which they came: with 0 in `*place` it begins, KITH_NULL is
/// the end. Any change is legal on the way, to the world and to the set: it goes on behind whom it
/// gave last. Who comes meanwhile is visited too. O(1), after removals O(log members).
KITH_API kith_entity kith_reactive_next(const kith_reactive *set, uint64_t *place);

/// How many members there are: O(members), O(1) where the set keeps the dead. Whether the entity is
/// one: O(1).
KITH_API uint32_t kith_reactive_count(const kith_reactive *set);
KITH_API bool     kith_reactive_contains(const kith_reactive *set, kith_entity entity);

/// Takes an entity out, or all. Whoever an event names after that comes again. Nothing is
/// announced. remove returns whether it was there. O(1), O(members); never allocates.
KITH_API bool kith_reactive_remove(kith_reactive *set, kith_entity entity);
KITH_API void kith_reactive_clear(kith_reactive *set);

/// The set's description and its world. O(1).
KITH_API const kith_reactive_desc *kith_reactive_describe(const kith_reactive *set);
KITH_API kith_world               *kith_reactive_world(const kith_reactive *set);

#ifdef __cplusplus
}
#endif

// ---------------------------------------------------------------------------------------------
// Macros. clang-format off: it would fold the continuation lines into paragraphs.
// ---------------------------------------------------------------------------------------------

// clang-format off

/// Typed functions for the events of one queue, which is called NAME. KITH_EVENT_AS also says how
/// events are saved, as KITH_COMPONENT_AS does. Makes the type NAME_queue,
/// whose field `queue` is NULL where there is none, and
///     NAME_create(world, limit)                          make or find it
///     NAME_connect(queue, call, context, priority)       call is (world, TYPE const *, context)
///     NAME_enqueue(queue, event) NAME_trigger(queue, event)
///     NAME_update(queue) NAME_clear(queue) NAME_count(queue) NAME_reserve(queue, events)
#define KITH_EVENT(NAME, TYPE) KITH_EVENT_(NAME, TYPE, KITH_SAVE_LATER_)
#define KITH_EVENT_AS(NAME, TYPE, FORM) \
    KITH_FORM_CHECK_(TYPE, KITH_AS_##FORM) \
    KITH_EVENT_(NAME, TYPE, KITH_AS2_(KITH_AS_##FORM))
#define KITH_SAVE_LATER_ { KITH_FORM_NONE, 0, NULL, NULL, 0, NULL }
#define KITH_EVENT_(NAME, TYPE, ...) \
    typedef struct NAME##_queue { \
        kith_queue *queue; \
    } NAME##_queue; \
    typedef void (*NAME##_handler_)(kith_world *world, TYPE const *event, void *context); \
    KITH_INLINE_ NAME##_queue NAME##_create(kith_world *world, uint32_t limit) \
    { \
        kith_queue_desc desc = { #NAME, sizeof(TYPE), KITH_ALIGNOF_(TYPE), limit, __VA_ARGS__ }; \
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
