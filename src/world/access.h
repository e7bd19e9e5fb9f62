// SPDX-License-Identifier: MIT
// Finding the storage of the component that a call names, and checking that the call may use it.
//
// The checks: the component is registered, its kind fits the call, the checked system that is
// running declared it, and, for calls that change something, no hook is running.
#pragma once

#include "store/storage.h"

// The empty pool that every unregistered id shares.
kith_pool_head_ *kith_world_no_pool(void);

// The address that calls return for a component without a value (a flag, a tag): not NULL.
void *kith_empty_value(void);

// The kinds of components that a call accepts, a bit each.
// KITH_WITH_VALUES: entities have values.
// KITH_SETTABLE: calls set the component; the library alone adds lists of links.
// KITH_WRITABLE: the values are handed out to be written.
#define KITH_WITH_VALUES (1u << KITH_KIND_VALUE | 1u << KITH_ACCESS_LINK | 1u << KITH_ACCESS_LIST)
#define KITH_WITH_ROWS   (KITH_WITH_VALUES | 1u << KITH_KIND_TAG)
#define KITH_ON_ENTITY   (KITH_WITH_ROWS | 1u << KITH_KIND_FLAG)
#define KITH_SETTABLE    (KITH_ON_ENTITY & ~(1u << KITH_ACCESS_LIST))
#define KITH_WRITABLE    (KITH_SETTABLE & ~(1u << KITH_ACCESS_LINK))
#define KITH_SINGLE      (1u << KITH_KIND_SINGLETON)
#define KITH_ANY_KIND    (KITH_ON_ENTITY | KITH_SINGLE)

// Added to the kinds. KITH_ASIDE: the call does not touch the component, so no system needs to
// declare it. KITH_READS: the call only reads, although it gets its storage for a write.
#define KITH_ASIDE 0x100u
#define KITH_READS 0x200u

// The storage for a call on a const world. Returns NULL on an error, which is reported but not
// recorded.
const kith_storage *kith_storage_for_read(const kith_world *world, kith_component component,
                                          unsigned kinds, const char *call);

// The storage for a call that needs no check for hooks, as mut, or has made it already. Errors are
// reported and recorded. Without KITH_READS a checked system must have declared the component as
// written. `entity` is for the message, and may be KITH_NULL.
kith_storage *kith_storage_for_mut(kith_world *world, kith_component component, kith_entity entity,
                                   unsigned kinds, const char *call);

// The storage for a call that changes something. Returns NULL on an error, also when a hook is
// running.
kith_storage *kith_storage_for_write(kith_world *world, kith_component component,
                                     kith_entity entity, unsigned kinds, const char *call);

// Returns true = go on: `array` is not NULL, or `count` is 0. Otherwise reports an error.
bool kith_require_array(kith_world *world, const void *array, uint32_t count, const char *call);

// Returns true when the running system is checked and did not declare the access. The second
// function makes the error for that case.
bool       kith_access_denied(const kith_world *world, kith_component component, bool written);
kith_error kith_access_error(const kith_world *world, kith_component component, bool written,
                             const char *call);

// --- entities (entity.c, entity_many.c)
// --------------------------------------------------------------

// The storage for a call that changes `entity`, which must be alive. Returns NULL on an error, also
// when the removal of the entity or of the component is being announced.
kith_storage *kith_storage_for_entity(kith_world *world, kith_entity entity,
                                      kith_component component, unsigned kinds, const char *call);

// The error for an entity that is not alive. The second function records and reports it, and
// returns false.
kith_error kith_dead_entity_error(const kith_world *world, kith_component component,
                                  kith_entity entity, const char *call);
bool kith_world_fail_dead_entity(kith_world *world, kith_component component, kith_entity entity,
                                 const char *call);

// The steps of creating entities. `fail` reports that the world's limit is reached. `reserve` makes
// room for slots, or reports that memory runs out. `require` returns true = go on: no hook is
// running, and a create event can be announced; otherwise it reports an error.
bool kith_world_fail_entity_limit(kith_world *world, const char *call, uint32_t want);
bool kith_world_reserve_slots(kith_world *world, uint32_t slots, const char *call);
bool kith_require_birth_nestable(kith_world *world, const char *call);

// Announces a new entity. Returns KITH_NULL when a listener destroyed it. The second function first
// marks it as later than the open loops over the entity table.
kith_entity kith_world_announce_birth(kith_world *world, kith_entity entity);
kith_entity kith_entity_begin_life(kith_world *world, kith_entity entity);

// Creates entities without announcing them; returns false, with an error, when it cannot. Then the
// second function announces them: an entity that a listener destroys becomes KITH_NULL.
bool kith_world_create_entities(kith_world *world, kith_entity *entities, uint32_t count,
                                const char *call);
void kith_world_announce_births(kith_world *world, kith_entity *entities, uint32_t count);

// Returns true when destroying the entity calls a listener: of destroy, or of remove for one of its
// components.
bool kith_world_end_has_listeners(const kith_world *world, kith_entity entity);
