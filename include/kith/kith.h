// SPDX-License-Identifier: MIT
// kith: an entity component system in C11. This header has what every program needs. Saving, JSON,
// differences, merging and hierarchies have headers of their own: snapshot.h, json.h, diff.h,
// merge.h, hierarchy.h.
#ifndef KITH_KITH_H
#define KITH_KITH_H

// ---------------------------------------------------------------------------------------------
// Rules that hold for every call
//
// Threads     A world belongs to one thread at a time. Calls that take a `const kith_world *` may
//             run on any number of threads while nobody changes it. Worlds share nothing.
// Failure     A call that fails returns NULL, false or 0 and has changed nothing. Questions (alive,
//             has, get, find ...) answer no without an error. Demands (set, add, patch ...) on a
//             null or dead entity, and calls that use an unregistered component, are errors:
//             recorded in the world and told to its error hook. No call aborts.
// Absent      That an entity lacks the component is never an error: NULL, false, KITH_NO_ROW.
// Pointers    A pointer to a value is good until its row moves: when a row of a swap pool is
//             removed, the pool's last row moves into its place; kith_component_swap, _compact,
//             sorting and arranging move rows; who joins or leaves a group changes places with
//             others in what it owns; nothing else moves. Without groups adding never does. While a
//             loop is open nothing moves at all: a pointer stays good until the outermost loop
//             closes, also one to a value that was removed meanwhile.
// Handles     Any 64-bit number may be passed as an entity: what is not alive is dead or null.
// World       `world` must be a world that was created and not yet destroyed; other pointers may
//             be NULL only where it is said.
// Hooks       Lifecycle hooks, error hooks and the function given to patch may ask the world and
//             not change it: what would change it is KITH_ERROR_BUSY. Of the entity whose value
//             is being made or ended they see a state in between.
// Loops       See "Loops" below: inside one, everything that adds, removes, creates or destroys is
//             legal; what moves rows (swap, compact, shrink, sort, arrange), kith_world_advance and
//             kith_world_destroy are KITH_ERROR_BUSY until it is closed.
// Listeners   May do what a loop's body may do. The entity that is being destroyed, and the
//             component that is being removed, can be read but not changed: KITH_ERROR_DYING,
//             recorded and not told to the hook. Listeners that cause events that are heard nest
//             at most 32 deep; a deeper call is refused before it changes anything.
// Amortised   "O(1)" for calls that add means amortised: a page is allocated now and then.
// ---------------------------------------------------------------------------------------------

#include "base.h"
#include "batch.h"
#include "command.h"
#include "component.h"
#include "event.h"
#include "group.h"
#include "query.h"
#include "system.h"
#include "typed.h"
#include "world.h"

#endif
