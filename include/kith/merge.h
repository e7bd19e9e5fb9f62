// SPDX-License-Identifier: MIT
// Snapshots of another world, brought into a living one again and again. Include it beside kith.h.
//
//     kith_merge *server = kith_merge_create(world);
//     while (receive(&bytes, &size)) {                             // by kith_world_save over there
//         kith_result merged = kith_merge_apply(server, NULL, bytes, size);
//     }
//     kith_entity here = kith_merge_local(server, there);
#ifndef KITH_MERGE_H
#define KITH_MERGE_H

#include "snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Merges
//
// A merge remembers who is whom, and a sum of each value that came last: 8 bytes a value, and 24 an
// entity. "There" is the other world, "here" this one.
//
// Entities    Who is new there is made here. Who is gone there is destroyed here; nodes below it
//             that are not gone too, or that no merge brought, become roots before. Entities that
//             the merge did not bring are never touched, so that several merges can work on one
//             world.
// Values      What is there as it was when it came last is left alone: what you changed here stays.
//             What has changed there is set here; what is gone there is removed here. The same goes
//             for tags, flags, singletons, and by itself for whether a row is disabled. Fields
//             that are skipped keep what they have here, where values have no hooks. A snapshot of
//             some components or entities says of the others that they are gone. What a component
//             requires comes with it here, also where it is not there.
// Your own    What you removed or destroyed here stays away until it changes there. Then it comes
//             back, an entity as a new one with all that it has there; values that meant the old
//             one and have not changed there do not mean the new one.
// Handles     In fields (see fields.h) they mean here whom they meant there; one that means nobody
//             there, or somebody you destroyed here, becomes KITH_NULL. A value whose handle begins
//             or ends to mean somebody in the snapshots has changed there. Handles in values that
//             are plain or saved through functions are bytes, and stay.
// Hierarchies A node whose parent has changed there gets that parent here. Where the children of a
//             node, or their order, have changed there, those that are its children here stand in
//             the order that they have there, before all others. A child that you moved stays where
//             you put it until its parent changes there. What would put a node below itself here is
//             left out. All links are valid after each call.
// Listeners   Hear all of it as ordinary calls, and nothing else: what has the same bytes here
//             already is not set. They may do what they like; what they took away counts as removed
//             by you.
// Order       Ends, births, then values, each by ascending index there, the components of an entity
//             in registration order here; then links, then singletons.
// Failing     The bytes are looked at as a whole, in a world of their own, before anything changes:
//             what is wrong with them changes nothing. When memory runs out later, a limit is
//             reached or a hook says no, the call ends in the middle, the world is valid and the
//             merge knows how far it came: the same call again does the rest.
// Settings    Components are found by their names, as for loading; what is unknown here is refused
//             or left out, and not kept. The other world may have other handles, groups and limits.
//             Of exact state ticks and sets are passed over, and events that wait are refused.
//             Values with a destruct or move hook need a copy hook.
// Loading     kith_world_load puts other entities under the handles that a merge knows: begin a new
//             one. kith_world_clone does not copy merges.
// ---------------------------------------------------------------------------------------------

/// What came from one other world; made by kith_merge_create and owned by its world.
typedef struct kith_merge kith_merge;

/// Begins a merge that knows nobody. NULL and an error from inside a hook, and without memory.
/// O(1).
KITH_API kith_merge *kith_merge_create(kith_world *world);

/// Forgets all that the merge knows; entities and values stay. NULL is fine. While it is applied
/// that is an error and does nothing. The world's end is its end. O(entities / 1024 x components).
KITH_API void kith_merge_destroy(kith_merge *merge);

/// Brings a snapshot into the world: see above. `desc` as for kith_world_load. An error that the
/// bytes are to blame for has its offset in them. Not while a loop is open, from hooks and
/// listeners, or with commands that wait. O(there x components registered + values there), for each
/// link that is made O(depth), and as much memory as the other world while it lasts.
KITH_API kith_result kith_merge_apply(kith_merge *merge, const kith_load_desc *desc,
                                      const void *bytes, size_t size);

/// Whom an entity of the other world is here, and the other way round; KITH_NULL: the merge does
/// not know it, or it is not alive here. O(1).
KITH_API kith_entity kith_merge_local(const kith_merge *merge, kith_entity remote);
KITH_API kith_entity kith_merge_remote(const kith_merge *merge, kith_entity local);

#ifdef __cplusplus
}
#endif

#endif
