// SPDX-License-Identifier: MIT
// Announcing events to listeners, and which entities and components are going meanwhile.
#ifndef KITH_WORLD_ANNOUNCE_H
#define KITH_WORLD_ANNOUNCE_H

#include "store/storage.h"

// Whether one more event can be announced; if not it is an error. For calls that would.
KITH_INTERNAL bool kith_require_nestable(kith_world *world, const char *call,
                                         kith_component component);

// Begins and ends the announcing of what concerns one entity. `storage` is leaving it, or NULL.
KITH_INTERNAL void kith_world_begin_event(kith_world *world, kith_entity entity,
                                          const kith_storage *storage, bool dying);
KITH_INTERNAL void kith_world_end_event(kith_world *world);

// Connects a listener to a list, which is `storage`'s if that is not NULL; the description makes
// sense. Returns 0 when memory runs out. `call` names the program's call for the error. NULL: the
// listener is the library's own, and only kith_world_disconnect takes its number.
KITH_INTERNAL kith_listener kith_world_connect(kith_world *world, kith_event_list *list,
                                               kith_storage             *storage,
                                               const kith_listener_desc *desc, const char *call);

// Disconnects an own listener, or one of the program by its number without the bits of the world;
// false: it is not connected.
KITH_INTERNAL bool kith_world_disconnect(kith_world *world, kith_event_list *list,
                                         kith_storage *storage, kith_event event,
                                         kith_listener number);

// Tells the listeners. Between the two calls above; the second form makes them itself, for events
// that take nothing away.
KITH_INTERNAL void kith_world_announce(kith_world *world, const kith_event_list *listeners,
                                       kith_event event, kith_component component,
                                       kith_entity entity);

KITH_INTERNAL void kith_world_announce_one(kith_world *world, const kith_event_list *listeners,
                                           kith_event event, kith_component component,
                                           kith_entity entity);

// Whom an event of a batch may be about: an array, or, if that is NULL, a range. `is` says whether
// it is about the i-th of them, now.
typedef struct kith_batch_event {
    const kith_entity *entities;
    kith_entity        first;
    uint32_t           count;
    bool (*is)(const void *event, uint32_t i);
    const void *event;
} kith_batch_event;

// Tells the listeners that hear of many at once.
KITH_INTERNAL void kith_world_announce_many(kith_world *world, const kith_event_list *listeners,
                                            kith_event event, kith_component component,
                                            const kith_batch_event *who);

// An error, only recorded, if the entity is being destroyed or the component (if not NULL) is being
// taken from it.
KITH_INTERNAL bool kith_require_living(kith_world *world, const kith_storage *storage,
                                       kith_entity entity, const char *call);

// Whether the end of the entity is being announced.
KITH_INTERNAL bool kith_world_is_dying(const kith_world *world, kith_entity entity);

// Whether the removal of this component from this entity is being announced.
KITH_INTERNAL bool kith_world_is_removing(const kith_world *world, const kith_storage *storage,
                                          kith_entity entity);

// Whether the entity got the component and nobody has been told so far, because other news come
// first: then nobody hears that it is set or goes. `forget`: it goes, so nobody will be told
// either.
KITH_INTERNAL bool kith_world_add_unreported(kith_world *world, const kith_storage *storage,
                                             kith_entity entity, bool forget);

#endif
