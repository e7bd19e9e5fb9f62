// SPDX-License-Identifier: MIT
// A whole world once more. Part of kith.h.
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
//             the record of errors; room that was made for loops, batches and singletons.
// Handles     An entity's is good in both. A group, a path and a queue are found by making them
//             again: in the clone nobody owns them yet, so a group or path stays until all who made
//             it since have destroyed it. Reactive sets have the same place in kith_reactive_at,
//             and their functions the same context.
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

#ifdef __cplusplus
}
#endif

#endif
