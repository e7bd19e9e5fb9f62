// SPDX-License-Identifier: MIT
// Many entities in one call, and lifetimes. Part of kith.h.
#ifndef KITH_BATCH_H
#define KITH_BATCH_H

#include "component.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Entities with consecutive indices and one version, made by kith_entity_create_range: 16 bytes
/// for as many entities as you like. Some of them may be dead. All zero: nobody.
typedef struct kith_range {
    kith_entity first;
    uint32_t    count;
    uint32_t    unused; // 0
} kith_range;

/// A component and its values for the entities of a batch.
typedef struct kith_values {
    kith_component component;
    const void    *values; // NULL: default values; ignored for tags and flags
    size_t         stride; // from one entity's value to the next, in bytes; 0: one value for all
} kith_values;

/// What a component begins with whose entities end at a tick; see kith_world_expire.
typedef struct kith_lifetime {
    uint64_t expires; // the first tick at which the entity is to be gone
} kith_lifetime;

// ---------------------------------------------------------------------------------------------
// Batches: many entities in one call
//
//     kith_range sparks = kith_entity_create_range(world, 10000);
//     position_fill_range(world, sparks, (vec2){ 1, 2 });
//     velocity_set_range(world, sparks, speeds);              // an array of 10000
//     kith_entity_destroy_range(world, sparks);
//
// Meaning     A batch is its single calls, one entity after the other, between kith_world_hold and
//             kith_world_release: that says which rows, stamps and events come out. A batch of
//             several components is one batch after the other, in registration order. One thing is
//             different: what was added or set is announced when the whole batch is in place.
// Arrays      An array with a null, dead or repeated entity is an error, and nobody is changed.
//             Neither may a listener change the array meanwhile.
// Ranges      Members that died are passed over. Calls on a range return how many were alive.
// All or none A batch that fails, for memory, a limit or a hook, has changed nobody.
// Listeners   Who lost what a batch gave before its turn to be announced came is passed over, also
//             if it has got it back since, but for flags. The loss is heard of all the same.
// Cost        O(count) for each component, at the speed of memory where values have no hooks,
//             nobody listens and nothing holds the world; else what the single calls cost. New
//             entities join groups as a block, as do others that all have the same components and
//             get no flag, in worlds of up to 64 components without disabled rows; else they join
//             one by one, as they do by become. Array calls that get their entities in the order of
//             their indices, or handles that follow on each other, are the fastest.
// ---------------------------------------------------------------------------------------------

/// Makes `count` entities: the handles of so many kith_entity_create. False when memory runs out or
/// the world has no room for all; the array may then hold anything. Where a listener ended one its
/// place has KITH_NULL. O(count).
KITH_API bool kith_entity_create_many(kith_world *world, kith_entity *entities, uint32_t count);

/// The same with components: kith_entity_create_many and kith_entity_add_many in one call, all or
/// nothing, and faster than both.
KITH_API bool kith_entity_create_with(kith_world *world, kith_entity *entities, uint32_t count,
                                      const kith_values *sets, uint32_t set_count);

/// Makes `count` entities with consecutive indices that were never used before. An empty range, of
/// count 0, as for kith_entity_create_many; always where FIFO order and max_entities together have
/// queued all indices from the start. O(count).
KITH_API kith_range kith_entity_create_range(kith_world *world, uint32_t count);

/// The i-th member of a range, dead or alive; KITH_NULL beyond its end. O(1).
KITH_API inline kith_entity kith_range_entity(kith_range range, uint32_t i)
{
    return i < range.count ? range.first + i : KITH_NULL;
}

/// Destroys the entities. Never allocates.
KITH_API bool     kith_entity_destroy_many(kith_world *world, const kith_entity *entities,
                                           uint32_t count);
KITH_API uint32_t kith_entity_destroy_range(kith_world *world, kith_range range);

/// kith_component_set for each entity, with the values that `values` and `stride` tell: see
/// kith_values. Values of a range belong to its members, the dead ones among them.
KITH_API bool     kith_component_set_many(kith_world *world, kith_component component,
                                          const kith_entity *entities, uint32_t count,
                                          const void *values, size_t stride);
KITH_API uint32_t kith_component_set_range(kith_world *world, kith_component component,
                                           kith_range range, const void *values, size_t stride);

/// kith_component_remove for each entity. Who lacks the component is passed over. Never allocates.
KITH_API bool     kith_component_remove_many(kith_world *world, kith_component component,
                                             const kith_entity *entities, uint32_t count);
KITH_API uint32_t kith_component_remove_range(kith_world *world, kith_component component,
                                              kith_range range);

/// kith_component_set_many and _range for several components, no two of them the same.
KITH_API bool kith_entity_add_many(kith_world *world, const kith_entity *entities, uint32_t count,
                                   const kith_values *sets, uint32_t set_count);
KITH_API uint32_t kith_entity_add_range(kith_world *world, kith_range range,
                                        const kith_values *sets, uint32_t set_count);

/// kith_component_remove_many and _range for several components. Never allocates.
KITH_API bool     kith_entity_remove_many(kith_world *world, const kith_entity *entities,
                                          uint32_t count, const kith_component *components,
                                          uint32_t component_count);
KITH_API uint32_t kith_entity_remove_range(kith_world *world, kith_range range,
                                           const kith_component *components,
                                           uint32_t              component_count);

/// Lets the entities have exactly these components, and what they require: those are given as by
/// kith_entity_add_many, but a present value stays where none is given (`values` NULL); then all
/// others are taken away, in registration order. O(count) for each component that comes or goes.
KITH_API bool kith_entity_set_components(kith_world *world, kith_entity entity,
                                         const kith_values *sets, uint32_t set_count);
KITH_API bool kith_entity_set_components_many(kith_world *world, const kith_entity *entities,
                                              uint32_t count, const kith_values *sets,
                                              uint32_t set_count);

/// The same for a range.
KITH_API uint32_t kith_entity_set_components_range(kith_world *world, kith_range range,
                                                   const kith_values *sets, uint32_t set_count);

/// Makes `count` entities that have what `prefab` has: copies of its values, made by copy hooks
/// where there are any, its tags and flags, and disabled what it has disabled. Required components
/// that it lacks are not added. An error, besides those of kith_entity_create_with, where a value
/// has a destruct or move hook and no copy hook. O(count) for each component.
KITH_API bool kith_entity_clone_many(kith_world *world, kith_entity prefab, kith_entity *entities,
                                     uint32_t count);

/// Destroys, as a batch and in row order, every entity whose value of `component` begins with a
/// kith_lifetime that `tick` has reached: a component of yours, of kith_lifetime itself or of a
/// type with that as its first member. Who has it disabled does not expire. Returns how many ended.
/// Never allocates. Looks through all rows: O(rows), at the speed of memory.
KITH_API uint32_t kith_world_expire(kith_world *world, kith_component component, uint64_t tick);

#ifdef __cplusplus
}
#endif

#endif
