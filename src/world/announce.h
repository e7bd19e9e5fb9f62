// SPDX-License-Identifier: MIT
// Announcing events to listeners, and knowing which removals are being announced.
//
// A listener may change the world while an event is announced. world->frames has one frame for each
// event that is being announced, the newest last.
#pragma once

#include "store/storage.h"

// Returns true = go on: one more event can be announced. Otherwise the nesting is too deep, and an
// error is reported.
bool kith_require_nestable(kith_world *world, const char *call, kith_component component);

// The same for an event with these listeners: it can always be announced to none.
bool kith_require_event(kith_world *world, const kith_listeners *listeners, const char *call,
                        kith_component component);

// Pushes and pops the frame of an event. `removed` is the storage of the component that is being
// removed from the entity, the world if the entity is being destroyed, or NULL.
void kith_world_begin_event(kith_world *world, kith_entity entity, const void *removed);
void kith_world_end_event(kith_world *world);

// Frees the nodes of listeners that were disconnected while an event was announced, and calls
// world->after_event. Events call it at their end if world->disconnected is set.
void kith_world_sweep_listeners(kith_world *world);

// Connects a listener to a list (listener.c), which belongs to `storage` if that is not NULL. The
// description is valid. Returns 0 when memory runs out. `call` is the program's call, for the
// error. With `call` NULL the listener is the library's own, and only kith_world_disconnect accepts
// its number.
kith_listener kith_world_connect(kith_world *world, kith_listeners *list, kith_storage *storage,
                                 const kith_listener_desc *desc, const char *call);

// Disconnects a listener of the library, or of the program by its number without the bits of the
// world. Returns false when it is not connected.
bool kith_world_disconnect(kith_world *world, kith_listeners *list, kith_storage *storage,
                           kith_event event, kith_listener number);

// Calls the listeners. The caller has pushed a frame; the second function pushes and pops it
// itself, if there are listeners. The caller of a remove event then holds the world until it has
// removed the component.
void kith_world_announce(kith_world *world, const kith_listeners *listeners, kith_event event,
                         kith_component component, kith_entity entity);

void kith_world_announce_one(kith_world *world, const kith_listeners *listeners, kith_event event,
                             kith_component component, kith_entity entity);

// Announces, if there are listeners, that the value in the entity's row was added or set. Returns
// the address of the value afterwards, because a listener may move it, or NULL.
void *kith_value_announce(kith_world *world, kith_entity entity, kith_storage *storage, void *value,
                          kith_event event);

// Announces that a load or a restore replaced the world (listener.c), which is idle.
void kith_world_announce_replaced(kith_world *world, uint64_t tick);

// The entities of a batch: an array, or, if `entities` is NULL, a range. The event is about the
// i-th entity when applies(context, i) returns true at the time of the call. It is about all of
// them, without asking, while nothing was removed from `gained_by`.
typedef struct kith_batch_event {
    const kith_entity *entities;
    kith_entity        first;
    uint32_t           count;
    bool (*applies)(const void *context, uint32_t i);
    const void            *context;
    const kith_sparse_set *gained_by; // all entities got rows in it; NULL: not so
} kith_batch_event;

// Calls the listeners that take many entities at once (listener.c).
void kith_world_announce_many(kith_world *world, const kith_listeners *listeners, kith_event event,
                              kith_component component, const kith_batch_event *batch);

// Returns true = go on. Returns false, and records an error without reporting it, when the entity
// is being destroyed or `storage` (if not NULL) is being removed from it.
bool kith_require_living(kith_world *world, const kith_storage *storage, kith_entity entity,
                         const char *call);

// Whether the removal of this component from this entity is being announced; if `storage` is NULL,
// the destruction of the entity.
bool kith_world_is_removing(const kith_world *world, const kith_storage *storage,
                            kith_entity entity);

static inline bool kith_world_is_dying(const kith_world *world, kith_entity entity)
{
    return kith_world_is_removing(world, NULL, entity);
}

// Whether the entity has the component and its add event is still to be announced, because events
// of required components come first. Then listeners get no set and no remove event of it either.
// `forget`: the component is being removed, so its add event is cancelled.
bool kith_world_add_unreported(kith_world *world, const kith_storage *storage, kith_entity entity,
                               bool forget);
