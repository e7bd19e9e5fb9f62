// SPDX-License-Identifier: MIT
// The component that a call names, and whether the call may use it: registered, of a kind that the
// call is for, declared by the checked system that runs, not from inside a hook.
#ifndef KITH_WORLD_ACCESS_H
#define KITH_WORLD_ACCESS_H

#include "store/storage.h"

// The pool that stands for every id that is not registered.
KITH_INTERNAL kith_pool_head_ *kith_world_no_pool(void);

// What calls that return an address return where there is no value: not NULL, that is all.
KITH_INTERNAL void *kith_empty_value(void);

// Which kinds of components a call is for.
#define KITH_WITH_ROWS (1u << KITH_KIND_VALUE | 1u << KITH_KIND_TAG)
#define KITH_ON_ENTITY (KITH_WITH_ROWS | 1u << KITH_KIND_FLAG)
#define KITH_SINGLE    (1u << KITH_KIND_SINGLETON)
#define KITH_ANY_KIND  (KITH_ON_ENTITY | KITH_SINGLE)

// Beside the kinds: the call does not touch the component, or only reads it where calls of its sort
// write.
#define KITH_ASIDE 0x100u
#define KITH_READS 0x200u

// The storage for a question, or NULL and an error that is told but not recorded.
KITH_INTERNAL const kith_storage *kith_storage_for_read(const kith_world *world,
                                                        kith_component component, unsigned kinds,
                                                        const char *call);

// The same with an error that is recorded. `entity` is whom the call is about, or KITH_NULL.
KITH_INTERNAL kith_storage *kith_storage_for_setup(kith_world *world, kith_component component,
                                                   kith_entity entity, unsigned kinds,
                                                   const char *call);

// The storage for a call that changes something, or NULL and an error: also from inside a hook.
KITH_INTERNAL kith_storage *kith_storage_for_write(kith_world *world, kith_component component,
                                                   kith_entity entity, unsigned kinds,
                                                   const char *call);

// Whether there is an array where one is needed; if not it is an error.
KITH_INTERNAL bool kith_require_array(kith_world *world, const void *array, uint32_t count,
                                      const char *call);

// Whether the system that has its turn is checked and did not declare this. The second is the error
// of it.
KITH_INTERNAL bool       kith_access_denied(const kith_world *world, kith_component component,
                                            bool written);
KITH_INTERNAL kith_error kith_access_error(const kith_world *world, kith_component component,
                                           bool written, const char *call);

// --- entity ------------------------------------------------------------
//
// Entities: creating them, and what a call on one of them needs to know.

// The same for a demand on an entity, which must live and not be about to go.
KITH_INTERNAL kith_storage *kith_storage_for_entity(kith_world *world, kith_entity entity,
                                                    kith_component component, unsigned kinds,
                                                    const char *call);

// The error of a demand on an entity that is not alive. The second records and tells it, and
// returns false.
KITH_INTERNAL kith_error kith_dead_entity_error(const kith_world *world, kith_component component,
                                                kith_entity entity, const char *call);
KITH_INTERNAL bool       kith_world_fail_dead_entity(kith_world *world, kith_component component,
                                                     kith_entity entity, const char *call);

// Makes entities, of whom nobody has heard yet; then tells of them: one that a listener ended
// becomes KITH_NULL. False, with an error, when they cannot be made.
KITH_INTERNAL bool kith_world_create_entities(kith_world *world, kith_entity *entities,
                                              uint32_t count, const char *call);
KITH_INTERNAL void kith_world_announce_births(kith_world *world, kith_entity *entities,
                                              uint32_t count);

// Whether someone would hear that the entity, or a component of it, goes.
KITH_INTERNAL bool kith_world_end_has_listeners(const kith_world *world, kith_entity entity);

#endif
