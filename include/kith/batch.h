// SPDX-License-Identifier: MIT
// Many entities in one call, and lifetimes. Part of kith.h.
//
// Threads     Any thread may call kith_entities_of and kith_entities_at. Any number of threads may
//             call kith_entities_alive, while no thread changes the world. All others belong to the
//             world's thread.
#ifndef KITH_BATCH_H
#define KITH_BATCH_H

#include "component.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The entities of a batch: an array, or, if `array` is NULL, the range of `count` handles from
/// `first` on, all of one version. A range takes 24 bytes, however many entities it has; its
/// entities may be dead. All zero: no entity. A range from KITH_NULL with `count > 0` is
/// KITH_ERROR_ARGUMENT.
typedef struct kith_entities {
    const kith_entity *array;
    kith_entity        first; // of a range
    uint32_t           count;
    uint32_t           unused; // 0
} kith_entities;

/// A component and its values for the entities of a batch.
typedef struct kith_values {
    kith_component component;
    const void    *values; // NULL: default values; ignored for tags and flags
    size_t         stride; // from one entity's value to the next, in bytes; 0: one value for all
} kith_values;

/// The first member of a component that gives its entities a lifetime; see kith_world_expire.
typedef struct kith_lifetime {
    uint64_t expires; // the first tick at which the entity is to be gone
} kith_lifetime;

// ---------------------------------------------------------------------------------------------
// Batches: many entities in one call
//
//     kith_entities sparks = kith_entity_create_range(world, 10000);
//     position_fill_range(world, sparks, (vec2){ 1, 2 });
//     velocity_set_range(world, sparks, speeds);              // an array of 10000
//     kith_entity_destroy_many(world, sparks);
//
// Meaning     A batch does what its single calls do, entity after entity, between kith_world_hold
//             and kith_world_release: the same rows, stamps and events come out. A batch of several
//             components is one batch after the other, in registration order. Three things differ.
//             Hooks construct all values before the first row is added. Added and set components
//             are announced when the whole batch is in place. A batch that begins while the world
//             is not held fills the holes of stable pools, newest first, and appends the rest.
// Arrays      An array with a null, dead or repeated entity is an error (KITH_ERROR_NULL_ENTITY,
//             KITH_ERROR_DEAD_ENTITY, KITH_ERROR_ARGUMENT), and no entity is changed. A listener
//             must not change the array while the batch runs.
// Ranges      A batch skips the dead entities of a range.
// All or none A batch that fails, for memory, a limit or a hook, has changed no entity.
// Listeners   An entity that lost a component of the batch before its add is announced is skipped,
//             also if it got the component back since (except a flag). Its loss is announced.
// Cost        O(count) for each component, at the speed of memory where values have no hooks, no
//             listener is connected, the world is not held and no entity has one of the components
//             yet; otherwise the cost of the single calls. Then new entities also join groups as a
//             block, and so do others that all have the same components, in worlds of up to 64
//             components without disabled rows, if no group excludes what they get. Arrays in the
//             order of the entities' indices are fastest.
// ---------------------------------------------------------------------------------------------

/// The entities of an array, for the calls below. The array is not copied. O(1).
KITH_API inline kith_entities kith_entities_of(const kith_entity *array, uint32_t count)
{
    const kith_entities entities = { array, KITH_NULL, count, 0 };
    return entities;
}

/// The i-th entity, dead or alive; KITH_NULL beyond the end. O(1).
KITH_API inline kith_entity kith_entities_at(kith_entities entities, uint32_t i)
{
    return i >= entities.count      ? KITH_NULL
           : entities.array != NULL ? entities.array[i]
                                    : entities.first + i;
}

/// The number of entities that are alive. O(count).
KITH_API uint32_t kith_entities_alive(const kith_world *world, kith_entities entities);

/// Creates `count` entities, with the handles of that many kith_entity_create, and sets the
/// components of `sets` as kith_entity_set_many does, all or nothing. That is faster than two
/// calls. `sets` may be NULL if `set_count` is 0. Returns false when memory runs out, the world has
/// no room for all, or a set is wrong; the array may then hold anything. If a listener destroys an
/// entity, its place has KITH_NULL. O(count) for the entities and for each component.
KITH_API bool kith_entity_create_many(kith_world *world, kith_entity *entities, uint32_t count,
                                      const kith_values *sets, uint32_t set_count);

/// Creates `count` entities with consecutive indices that were never used before. Returns an empty
/// range, of count 0, when kith_entity_create_many would fail, and always where FIFO order and
/// max_entities together have queued all indices from the start. O(count).
KITH_API kith_entities kith_entity_create_range(kith_world *world, uint32_t count);

/// Destroys the entities. Never allocates.
KITH_API bool kith_entity_destroy_many(kith_world *world, kith_entities entities);

/// Calls kith_component_set for each entity and each component of `sets`, no two of them the same:
/// kith_values says with which values. The values of a range have a place for each entity, also for
/// a dead one.
KITH_API bool kith_entity_set_many(kith_world *world, kith_entities entities,
                                   const kith_values *sets, uint32_t set_count);

/// Calls kith_component_remove for each entity and each of the components; skips what an entity
/// does not have. Never allocates.
KITH_API bool kith_entity_remove_many(kith_world *world, kith_entities entities,
                                      const kith_component *components, uint32_t component_count);

/// Gives the entities exactly these components and the components that these require. Adds them as
/// kith_entity_set_many does, but a present value stays where `values` is NULL; then removes all
/// other components, in registration order. O(count) for each component that comes or goes.
KITH_API bool kith_entity_set_components(kith_world *world, kith_entities entities,
                                         const kith_values *sets, uint32_t set_count);

/// Creates `count` copies of `prefab`: its values, copied by copy hooks where there are any, its
/// tags and flags; rows that it has disabled are disabled. Required components that it lacks are
/// not added. Leaves out components with the trait `not_cloned`, also if another component requires
/// them. So does kith_entities_clone (snapshot.h), and no other call: the clone of a world,
/// snapshots, frames and merges have all that an entity has. Fails as kith_entity_create_many does,
/// and where a value has a destruct or move hook and no copy hook. O(count) for each component.
KITH_API bool kith_entity_clone_many(kith_world *world, kith_entity prefab, kith_entity *entities,
                                     uint32_t count);

/// Destroys, as a batch and in row order, every entity whose value of `component` begins with a
/// kith_lifetime that `tick` has reached. The component's type is kith_lifetime, or a struct with
/// that as its first member. Disabled rows do not expire. An entity that a link with
/// KITH_TARGET_REFUSE holds at its turn stays, and KITH_ERROR_HELD is recorded. Returns the number
/// of destroyed entities. Never allocates. Reads all rows: O(rows), at the speed of memory.
KITH_API uint32_t kith_world_expire(kith_world *world, kith_component component, uint64_t tick);

#ifdef __cplusplus
}
#endif

#endif
