// SPDX-License-Identifier: MIT
// Events: listeners are called at once, queues keep events until an update, reactive sets collect
// entities. Part of kith.h.
//
//     typedef struct hit { kith_entity target; float damage; } hit;
//     KITH_EVENT(hit, hit);                              // hit_enqueue, hit_connect, ...
//
//     hit_queue hits = hit_of(world, 0);
//     hit_connect(hits, hurt, NULL, 0);                  // void hurt(world, const hit *, context)
//     hit_enqueue(hits, (hit){ ship, 10 });
//     kith_queue_update_all(world);                      // calls hurt
//
// Threads     Any number of threads may call functions that take a const world, queue or set, while
//             no thread changes the world. Any thread may call kith_event_name and kith_on_name.
//             All others belong to the world's thread: it calls listeners and handlers, too.
#ifndef KITH_EVENT_H
#define KITH_EVENT_H

#include "fields.h"
#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Listeners: functions that are called when a component or an entity comes, changes or goes, and
// when the whole world is replaced
//
// When        add and set are announced after the pool and the signature are up to date. remove and
//             destroy are announced while everything is still there.
//             A set that adds the component announces only add. A required component is announced
//             before the component that requires it. A change through mut, or through a column for
//             writing, is not announced.
// Destroying  Destroying an entity announces the removal of each component, in registration order,
//             and then the entity. Then everything is removed at once.
// Removing    A listener may remove what its event is about. Then the later listeners are not
//             called, and the call that caused the event returns NULL, without an error.
//             If a listener for add removes the component and adds it again, that is a new add. All
//             listeners get the new add; the later ones do not get the old one. If a listener for
//             set does the same, the later listeners still get the set event.
// Loops       A listener can close only loops that were begun since it was called.
// Batches     A listener with `many` gets a batch at once: before the other listeners get each
//             entity, and before anything is removed. What it changes then is legal; an entity that
//             lost the component by the time of its own turn is skipped. The entities come in one
//             call if kith has them in one array, otherwise in calls of up to 256.
// Replacing   A load and a restored frame announce only `replaced`, once, when they are done. What
//             the program has computed from the world before is out of date then.
// ---------------------------------------------------------------------------------------------

/// The events of components, of entities and of the world.
typedef enum kith_event {
    KITH_EVENT_ADD      = 0, // a component was added: its value is complete
    KITH_EVENT_SET      = 1, // an existing value was replaced by set, or changed by patch
    KITH_EVENT_REMOVE   = 2, // a component is about to be removed: its value is still there
    KITH_EVENT_CREATE   = 3, // an entity was created
    KITH_EVENT_DESTROY  = 4, // an entity is about to be destroyed: its components are still there
    KITH_EVENT_REPLACED = 5  // kith_world_load or kith_frames_restore replaced all of the world
} kith_event;

/// Returns the word of the enumerator, such as "add"; "?" for any other number. The text is static.
/// O(1).
KITH_API const char *kith_event_name(kith_event event);

/// What happened to which entity.
typedef struct kith_notice {
    kith_event     event;
    kith_component component; // 0: create, destroy and replaced
    kith_entity    entity;    // KITH_NULL: a singleton, and replaced
    uint64_t       tick;      // replaced: of the restored frame, or of the loaded world; else 0
} kith_notice;

/// A listener, called for one event. May do to the world what the body of a loop may do.
typedef void (*kith_listener_fn)(kith_world *world, const kith_notice *notice, void *context);

/// A listener, called once for the same event of several entities. `notice` names the first of
/// them. Otherwise as kith_listener_fn.
typedef void (*kith_listener_many_fn)(kith_world *world, const kith_notice *notice,
                                      const kith_entity *entities, uint32_t count, void *context);

/// A listener to connect: an event, and `call`, `many` or both.
typedef struct kith_listener_desc {
    kith_event            event;
    kith_component        component; // 0 for create, destroy and replaced
    kith_listener_fn      call;
    void                 *context;
    int32_t               priority; // the highest is called first; of equals the first connected
    kith_listener_many_fn many;     // for batches; also for single events if `call` is NULL; never
                                    // for replaced
} kith_listener_desc;

/// The number of a connection; 0 is none. Numbers are not used again. They contain bits of their
/// world, so that another world refuses them. They differ from run to run: do not save them.
typedef uint64_t kith_listener;

/// Connects a listener, which is called from the next event on. Returns 0 and records an error when
/// the component is not registered, the description is invalid, or memory runs out. The same
/// happens when the event does not exist for the component's kind: tags and flags have no set.
/// O(listeners of that event).
KITH_API kith_listener kith_listener_connect(kith_world *world, const kith_listener_desc *desc);

/// Disconnects a listener, or a handler of a queue. It is never called again, not even for the
/// event that is being announced. Returns whether it was connected. Returns false and records
/// KITH_ERROR_ARGUMENT for a number of another world. Cannot disconnect the listeners of
/// hierarchies and reactive sets. O(listeners).
KITH_API bool kith_listener_disconnect(kith_world *world, kith_listener listener);

// ---------------------------------------------------------------------------------------------
// Queues: the program's own events, which wait until an update
//
// An event is plain bytes. kith copies the bytes, and runs nothing when the event is dropped. A
// queue belongs to its world, has a unique name, and ends with the world.
//
// Order       Handlers are called by priority, the highest first, then in the order of connecting.
//             Events are delivered in the order in which they were enqueued, queues in the order in
//             which they were created.
// Waiting     An update delivers the events that wait when it begins, in all queues that it
//             updates. Events that handlers enqueue during the update wait for the next update.
// Handlers    A handler may do what a listener may do: enqueue, trigger, connect, disconnect, clear
//             queues, change the world. While it runs, no row moves. It counts as a listener
//             against the 32 that may be nested. A disconnected handler is never called again. A
//             newly connected handler is called from the next event on.
// NULL        A NULL queue (its creation failed) has no events. The calls return false or 0 for it,
//             without an error. Only kith_queue_describe needs a queue.
// ---------------------------------------------------------------------------------------------

/// A queue of events. kith_queue_of makes it; it lasts as long as its world.
typedef struct kith_queue kith_queue;

/// How to create a queue. kith copies the name and everything that `saved` points to.
typedef struct kith_queue_desc {
    const char *name;
    uint32_t    size;      // bytes of an event; 0: an event without data
    uint32_t    alignment; // of the type, a power of two up to 4096 that divides size; 0: 1
    uint32_t    limit;     // how many events may wait; 0: no limit but memory
    kith_saved  saved;     // how events are saved, see snapshot.h; all zero: not specified
} kith_queue_desc;

/// A handler, called with an event. May do to the world what a listener may do. `event` is valid
/// until the handler returns.
typedef void (*kith_handler_fn)(kith_world *world, const void *event, void *context);

/// A handler to connect. KITH_EVENT fills in `typed_`, which calls `call` with its own type.
typedef struct kith_handler_desc {
    kith_handler_fn call;
    void           *context;
    int32_t         priority; // the highest is called first; of equals the first connected
    void (*typed_)(kith_handler_fn call, kith_world *world, const void *event, void *context);
} kith_handler_desc;

/// Returns the world's queue of that name; the first call makes it. Returns NULL and records
/// KITH_ERROR_ARGUMENT for an invalid description, KITH_ERROR_CONFLICT when the name has another
/// size, alignment, limit or save form, KITH_ERROR_MEMORY when memory runs out. A later call may
/// specify `saved` when the first did not. O(queues).
KITH_API kith_queue *kith_queue_of(kith_world *world, const kith_queue_desc *desc);

/// Returns the queue of that name, or NULL. O(queues).
KITH_API kith_queue *kith_queue_find(const kith_world *world, const char *name);

/// Connects a handler; kith_listener_disconnect disconnects it. Returns 0 and records
/// KITH_ERROR_ARGUMENT when there is no function, KITH_ERROR_MEMORY when memory runs out.
/// O(handlers).
KITH_API kith_listener kith_queue_connect(kith_queue *queue, const kith_handler_desc *desc);

/// Copies an event into the queue, where it waits. `event` may be NULL when the size of events is
/// 0. Returns false and records KITH_ERROR_LIMIT when the limit is reached, KITH_ERROR_MEMORY when
/// memory runs out, KITH_ERROR_BUSY from inside a hook. O(1); allocates only when more events wait
/// than ever before.
KITH_API bool kith_queue_enqueue(kith_queue *queue, const void *event);

/// Calls the handlers with an event now. Waiting events keep waiting. Returns false and records
/// KITH_ERROR_LIMIT when listeners and handlers are nested 32 deep, KITH_ERROR_BUSY from inside a
/// hook. O(handlers).
KITH_API bool kith_queue_trigger(kith_queue *queue, const void *event);

/// Deliver the waiting events of one queue, or of all queues. Return the number of delivered
/// events; events that a handler clears during the update do not count. update_all first determines
/// for all queues which events it delivers. Return 0 and record KITH_ERROR_BUSY when the queue is
/// being updated already and from inside a hook, KITH_ERROR_LIMIT at depth 32. O(queues + events x
/// handlers); never allocate.
KITH_API uint32_t kith_queue_update(kith_queue *queue);
KITH_API uint32_t kith_queue_update_all(kith_world *world);

/// Drops the waiting events, also those that a running update has not delivered yet. O(1).
KITH_API void kith_queue_clear(kith_queue *queue);

/// Returns the number of waiting events, including those that a running update has not delivered
/// yet. O(1).
KITH_API uint32_t kith_queue_count(const kith_queue *queue);

/// Allocates memory for `events` waiting events. Until kith_world_shrink, that many can wait, and
/// as many can be enqueued while these are delivered, without allocating. Returns false and records
/// KITH_ERROR_MEMORY when memory runs out, KITH_ERROR_LIMIT when `events` is above the limit,
/// KITH_ERROR_BUSY when the queue is being updated. O(events that wait).
KITH_API bool kith_queue_reserve(kith_queue *queue, uint32_t events);

/// Returns the queue's description. `queue` must not be NULL. O(1).
KITH_API const kith_queue_desc *kith_queue_describe(const kith_queue *queue);

// ---------------------------------------------------------------------------------------------
// Reactive sets: entities to which something happened
//
// A set collects the entities for which one of its conditions becomes true. Each entity is a member
// once, in the order of joining, until the set is cleared.
//
// Conditions  For add, set and remove, the set is a listener with `many` and with its own priority.
//             `changed` means written through mut, set, patch or a column for writing. This is not
//             announced, so kith_reactive_update finds it: condition by condition, row by row.
//             Changes count from the tick of the previous update, or of creating the set. With the
//             trait `row_ticks`, an entity counts when its row was added or written since then.
//             Without the trait, all entities of a page count when a row of it was written, added
//             or moved since then.
// Filter      The set ignores an entity that does not match the terms of `filter`, or for which
//             `accept` returns false. The set tests this when the condition becomes true, and only
//             for entities that are not members.
//             The terms changed and added use the `since` of the filter, which never moves. The
//             term lead, and the columns of terms, have no effect here.
// Leaving     A member that loses the component stays a member. A member that dies leaves, unless
//             the set keeps the dead. It is alive as long as its end is being announced.
// Memory      The set has room for all entities that have a component of its conditions. The call
//             that adds the component allocates that room, and fails when memory runs out. No other
//             event allocates.
// ---------------------------------------------------------------------------------------------

#define KITH_REACTIVE_CONDITIONS_MAX 64u

/// What must happen to a component; the values can be combined with `|`.
typedef enum kith_on {
    KITH_ON_ADD     = 1, // the component was added
    KITH_ON_SET     = 2, // its value was replaced by set, or changed by patch
    KITH_ON_REMOVE  = 4, // it is about to be removed, also with its entity
    KITH_ON_CHANGED = 8  // it may have been written; see above
} kith_on;

/// Returns the word of the enumerator, such as "add"; "?" for none or several of them. The text is
/// static. O(1).
KITH_API const char *kith_on_name(kith_on on);

/// A component and what must happen to it. Set and changed are for components with values.
typedef struct kith_condition {
    kith_component component;
    uint32_t       on; // values of kith_on, at least one
} kith_condition;

/// Returns whether the set may collect the entity. May read the world but not change it.
typedef bool (*kith_accept_fn)(const kith_world *world, kith_entity entity, void *context);

/// Which entities to collect. kith copies texts, conditions and terms.
typedef struct kith_reactive_desc {
    const char           *name;       // for messages; may be NULL
    const kith_condition *conditions; // at most one for a component; one that is true is enough
    uint32_t              condition_count; // 1 to KITH_REACTIVE_CONDITIONS_MAX
    kith_query_desc       filter;          // no term: every entity
    kith_accept_fn        accept;          // NULL: every entity
    void                 *context;
    int32_t               priority; // as a listener: see kith_listener_desc
    bool                  keep_dead;
} kith_reactive_desc;

/// A reactive set. kith_reactive_create creates it; its world owns it.
typedef struct kith_reactive kith_reactive;

/// Creates a set, which collects from now on. Every call creates a new set. Returns NULL and
/// records an error when:
/// - a component is not registered, or cannot have the condition;
/// - two conditions have the same component;
/// - the filter is no valid query;
/// - memory runs out.
///
/// O(conditions + terms + entities that have a component of the conditions).
KITH_API kith_reactive *kith_reactive_create(kith_world *world, const kith_reactive_desc *desc);

/// Returns the set at `place` of the world's sets, from 0 (the oldest) to the newest; NULL beyond
/// the newest. O(place).
KITH_API kith_reactive *kith_reactive_at(const kith_world *world, uint32_t place);

/// Destroys the set. Returns true for NULL. Returns false and records KITH_ERROR_BUSY from inside
/// a hook, KITH_ERROR_ARGUMENT while a system waits for members of the set. O(conditions x
/// listeners).
KITH_API bool kith_reactive_destroy(kith_reactive *set);

/// Collects the entities for which the condition `changed` became true since the previous update.
/// Does nothing without such a condition. Returns the number of new members. O(pages + rows of
/// written pages).
KITH_API uint32_t kith_reactive_update(kith_reactive *set);

/// Returns the next member in the order of joining, or KITH_NULL at the end. `*place` is 0 at the
/// beginning. The world and the set may be changed during the walk: it continues after the member
/// that it returned last, and visits new members too. O(1); O(log members) after removals.
KITH_API kith_entity kith_reactive_next(const kith_reactive *set, uint64_t *place);

/// Return the number of members, and whether the entity is a member. count is O(members), and O(1)
/// when the set keeps the dead. contains is O(1).
KITH_API uint32_t kith_reactive_count(const kith_reactive *set);
KITH_API bool     kith_reactive_contains(const kith_reactive *set, kith_entity entity);

/// Remove one entity, or all entities, from the set. A later event can make them members again.
/// Nothing is announced. remove returns whether the entity was a member. remove is O(1), clear is
/// O(members); they never allocate.
KITH_API bool kith_reactive_remove(kith_reactive *set, kith_entity entity);
KITH_API void kith_reactive_clear(kith_reactive *set);

/// Returns the set's description. O(1).
KITH_API const kith_reactive_desc *kith_reactive_describe(const kith_reactive *set);

#ifdef __cplusplus
}
#endif

// ---------------------------------------------------------------------------------------------
// Typed events. clang-format off: it would fold the continuation lines into paragraphs.
// ---------------------------------------------------------------------------------------------

// clang-format off

/// Defines typed functions for the queue "NAME" with events of TYPE. KITH_EVENT_AS also says how
/// events are saved, as KITH_COMPONENT_AS does. Defines the type NAME_queue, with the field `queue`
/// (NULL when creating it failed), and the functions
///     NAME_of(world, limit)                              the world's queue NAME
///     NAME_connect(queue, call, context, priority)       call is (world, TYPE const *, context)
///     NAME_enqueue(queue, event) NAME_trigger(queue, event)
///     NAME_update(queue) NAME_clear(queue) NAME_count(queue) NAME_reserve(queue, events)
#define KITH_EVENT(NAME, TYPE) KITH_EVENT_(NAME, TYPE, KITH_SAVE_LATER_)
#define KITH_EVENT_AS(NAME, TYPE, FORM) \
    KITH_FORM_CHECK_(TYPE, KITH_AS_##FORM) \
    KITH_EVENT_(NAME, TYPE, KITH_AS2_(KITH_AS_##FORM))
#define KITH_SAVE_LATER_ { KITH_FORM_NONE, 0, NULL, NULL, 0, NULL }
#define KITH_EVENT_(NAME, TYPE, ...) \
    KITH_IS_BYTES_(NAME, TYPE, "an event is bytes: enqueue a number or a pointer") \
    typedef struct NAME##_queue { \
        kith_queue *queue; \
    } NAME##_queue; \
    typedef void (*NAME##_handler_)(kith_world *world, TYPE const *event, void *context); \
    KITH_INLINE_ NAME##_queue NAME##_of(kith_world *world, uint32_t limit) \
    { \
        kith_queue_desc desc = { #NAME, sizeof(TYPE), KITH_ALIGNOF_(TYPE), limit, __VA_ARGS__ }; \
        NAME##_queue    made = { kith_queue_of(world, &desc) }; \
        return made; \
    } \
    KITH_INLINE_ void NAME##_call_(kith_handler_fn call, kith_world *world, const void *event, \
                                   void *context) \
    { \
        KITH_FUNCTION_(NAME##_handler_, call)(world, KITH_CAST_(TYPE const *, event), context); \
    } \
    KITH_INLINE_ kith_listener NAME##_connect(NAME##_queue queue, NAME##_handler_ call, \
                                              void *context, int32_t priority) \
    { \
        kith_handler_desc desc = { KITH_FUNCTION_(kith_handler_fn, call), context, priority, \
                                   NAME##_call_ }; \
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

// Casts a function pointer to another type. It must be cast back before it is called.
#ifdef __cplusplus
    #define KITH_FUNCTION_(TYPE, CALL) reinterpret_cast<TYPE>(reinterpret_cast<void (*)()>(CALL))
#else
    #define KITH_FUNCTION_(TYPE, CALL) ((TYPE)(void (*)(void))(CALL))
#endif
// clang-format on

#endif
