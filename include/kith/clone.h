// SPDX-License-Identifier: MIT
// A whole world once more, and entities with the references among them. Part of kith.h.
//
//     kith_world *what_if = kith_world_clone(world, NULL);
//     kith_schedule_run(what_if, dt);                    // needs systems of its own: see below
//     kith_world_destroy(what_if);                       // `world` is as it was
#ifndef KITH_CLONE_H
#define KITH_CLONE_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Clones of worlds
//
// From the clone on, equal calls have equal results in both worlds: handles, rows, orders, ticks.
// The worlds share nothing.
// The same    Entities with their versions, the free indices and their order; components with ids,
//             registration order, traits and limits; values, rows, holes and the order in which
//             they are filled; disabled rows, flags, singletons; the tick, page stamps, row ticks,
//             journals; hierarchies; groups, paths, queues and reactive sets with all that is in
//             them; the room that entities, rows and events have.
// Not there   Listeners and handlers, stored queries, systems and their schedule, command buffers,
//             merges, the record of errors; room that was made for loops, batches and singletons.
// Handles     An entity's is good in both. A group, a path and a queue are found by making them
//             again: in the clone nobody owns them yet, so a group or path stays until all who made
//             it since have destroyed it. Reactive sets have the same place in kith_reactive_at,
//             and their functions the same context. Numbers of listeners differ.
// Values      Those with a copy hook are copied by it, by components in registration order, each by
//             rows; all others as bytes, whole pages at once. Hooks keep their context. They may
//             ask the world and must not change it. A hierarchy's links are kept.
// Threads     Several may clone one world at once, if hooks and the allocator bear it.
// ---------------------------------------------------------------------------------------------

/// Makes a world that is equal to this one, with `desc` for its allocator, error hook, user pointer
/// and memory; the handle layout and limits in it are passed over. NULL: all that as in the old
/// one. Returns NULL, with an error that the old world's hook hears, while a loop is open, from
/// inside a hook, listener or handler (KITH_ERROR_BUSY); when a component has values with a
/// destruct hook and no copy hook (KITH_ERROR_ARGUMENT, with its name); when a copy hook says no;
/// when `desc` makes no sense; when memory runs out. The old world stays as it was. O(bytes).
KITH_API kith_world *kith_world_clone(const kith_world *world, const kith_world_desc *desc);

// ---------------------------------------------------------------------------------------------
// Clones of entities
//
//     kith_entity crew[8], copies[8];                       // who know each other by handles
//     kith_entities_clone(arena, lobby, crew, 8, copies);   // two worlds, or one
//
// One call is a batch (see batch.h): all or nothing, and announced when everything is in place, as
// kith_entity_clone_many does it. Each clone has what its original has, required components that
// it lacks are not added.
// Components  Are found by their names: ids and the order of registering may differ. One that the
//             other world has not (KITH_ERROR_UNREGISTERED), or with another kind, size or form of
//             saving (KITH_ERROR_ARGUMENT), is an error that names it.
// Values      Are copied by the copy hook of the world to which they go; as bytes without one. A
//             value with a destruct or move hook and no copy hook is an error.
// Handles     In fields (see fields.h) those of the originals become those of their clones. Others
//             stay as they are in the same world; in another world they would mean nobody, or
//             somebody else, and become KITH_NULL. Handles in values that are plain or saved
//             through functions are bytes, and stay.
// Hierarchies Clones have the links that their originals have among each other, in the same order,
//             and no others: of a subtree comes a subtree. Links are made last. A clone that a
//             listener has linked by then, or that is no node any more, keeps what it has.
// Rows        What is disabled is disabled in the clone. Rows are in the order of the array.
// ---------------------------------------------------------------------------------------------

/// Makes a clone of each entity of `from` in `to`, which may be the same world; `clones` may be the
/// same array. Where a listener ended one its place has KITH_NULL. False and an error, in `to`,
/// also for a null, dead or repeated entity, when a copy hook says no, when a limit is reached or
/// memory runs out; the clones may then be anything. O(count log count) at worst, O(count) for each
/// component and handle, and for hierarchies O(children of the originals).
KITH_API bool kith_entities_clone(kith_world *to, const kith_world *from,
                                  const kith_entity *entities, uint32_t count, kith_entity *clones);

#ifdef __cplusplus
}
#endif

#endif
