// SPDX-License-Identifier: MIT
// kith: an entity component system in C11. This header includes what every program needs. All else
// has headers of its own: snapshot.h for saving, json.h, dump.h, diff.h, merge.h, frames.h for
// going back, hierarchy.h, link.h, name.h, workers.h for threads, random.h, and object.h.
#ifndef KITH_KITH_H
#define KITH_KITH_H

// ---------------------------------------------------------------------------------------------
// Rules that hold for every call
//
// Threads     A world, and all that belongs to it, is used by one thread at a time: the world's
//             thread. Calls that take a `const kith_world *` may run on any number of threads while
//             no thread changes the world. Worlds share nothing. Each header has a paragraph
//             "Threads" for its functions. workers.h runs systems on several threads.
// Failure     A call that fails returns NULL, false or 0 and changes nothing. Two calls can stop in
//             the middle and be continued: kith_commands_apply and kith_merge_apply. No call
//             aborts. For a dead or null entity, calls that read or take away (alive, has, get,
//             mut, remove, destroy ...) return "no" without an error; calls that put something
//             there (set, add, patch, disable ...) fail with an error. A component that is not
//             registered is an error, except for kith_component_find and kith_component_describe.
//             The world records an error and calls its error hook. A call with a const world only
//             calls the hook.
// Absent      An entity that lacks the component is never an error. The call returns NULL, false
//             or KITH_NO_ROW.
// Pointers    A pointer to a value is valid until the row moves. Rows move only when:
//             - a row of a swap pool is removed: the pool's last row moves into its place. After a
//               loop, the last rows move into the holes;
//             - kith_component_swap, kith_component_compact, sorting or arranging moves them;
//             - an entity joins or leaves a group: rows that the group owns change places.
//             Without groups, adding never moves a row.
//             While a loop is open, no row moves. Every pointer then stays valid until the
//             outermost loop closes, even a pointer to a value that was removed in the meantime.
// Handles     Any 64-bit number may be passed as an entity. A handle that is not alive is dead or
//             null.
// World       `world` must point to a world that was created and not yet destroyed. Other pointers
//             may be NULL only where the comment says so.
// Hooks       Lifecycle hooks, error hooks and the function passed to patch may read the world but
//             not change it: a change fails with KITH_ERROR_BUSY. While a hook constructs or
//             destructs a value, it sees that value's entity in an intermediate state.
// Loops       Inside a loop (query.h), adding, removing, creating and destroying is legal. Calls
//             that move rows (swap, compact, shrink, sort, arrange), kith_world_advance and
//             kith_world_destroy fail with KITH_ERROR_BUSY until the loop is closed.
// Listeners   A listener may do what the body of a loop may do. It can read but not change the
//             entity that is being destroyed and the component that is being removed. A change
//             fails with KITH_ERROR_DYING, which is recorded but not passed to the error hook.
//             Listeners nest at most 32 deep: each event that a listener causes, and that has
//             listeners, is one level. A deeper call fails with KITH_ERROR_LIMIT before it changes
//             anything.
// Amortised   For calls that add, "O(1)" means amortised: from time to time the call allocates a
//             page.
// ---------------------------------------------------------------------------------------------

// In the order in which to read them. clang-format off: it would sort them.
// clang-format off
#include "base.h"
#include "world.h"
#include "component.h"
#include "query.h"
#include "group.h"
#include "event.h"
#include "batch.h"
#include "command.h"
#include "system.h"
#include "typed.h"
#include "typed_query.h"
// clang-format on

#endif
