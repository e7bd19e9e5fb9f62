// SPDX-License-Identifier: MIT
// Merges: apply snapshots of another world to a living world, again and again. Include it beside
// kith.h.
//
//     kith_merge *server = kith_merge_create(world);
//     while (receive(&bytes, &size)) {                             // by kith_world_save over there
//         kith_result merged = kith_merge_apply(server, NULL, bytes, size);
//     }
//     kith_entity here = kith_merge_local(server, there);
//
// Threads     Any number of threads may call kith_merge_local and kith_merge_remote while no thread
//             changes the world or the merge. All others belong to the world's thread.
#ifndef KITH_MERGE_H
#define KITH_MERGE_H

#include "snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Merges
//
// A merge remembers which remote entity is which local entity, and a checksum of each value in the
// latest snapshot. This takes 8 bytes for each value, and 24 for each entity. "Remote" means in the
// other world, "local" in this one.
//
// Entities    A new remote entity is created locally. When a remote entity is gone, the local one
//             is destroyed. Before that, nodes below it become roots if they are not gone too, or
//             if no merge created them. A merge never changes entities that it did not create, so
//             several merges can work on one world.
// Values      A remote value that is the same as in the previous snapshot is left alone: your local
//             changes stay. A changed remote value is set locally. A removed remote value is
//             removed locally. The same holds for tags, flags and singletons, and separately for
//             whether a row is disabled. Fields with the type skip keep their local value if the
//             component has no hooks. In a snapshot of only some components or entities, all others
//             count as gone. Components that a component requires are added with it locally, even
//             if they do not exist remotely.
// Your own    What you removed or destroyed locally stays away until it changes remotely. Then it
//             comes back; an entity comes back as a new one with all its remote components. Values
//             that referred to the old entity, and have not changed remotely, do not refer to the
//             new one.
// Handles     A handle in a field (fields.h) becomes the handle of the matching local entity. It
//             becomes KITH_NULL when it refers to no living remote entity, or to one that you
//             destroyed locally. A value also counts as changed when the entity of one of its
//             handles appears in the snapshots or disappears from them. Handles in values that are
//             plain or saved by functions are bytes, and do not change.
// Hierarchies A node whose remote parent changed gets that parent locally. If the remote children
//             of a node or their order changed, those that are its children locally get the remote
//             order, before all other children. A child that you moved stays there until its
//             remote parent changes. A change that would put a node below itself is left out. All
//             links are valid after each call.
// Listeners   Listeners get all changes as from ordinary calls, and nothing else: a value that has
//             the same bytes locally is not set. Listeners may do anything. What they remove counts
//             as removed by you.
// Order       First entities are destroyed, then created, then values change: each by ascending
//             remote index, the components of an entity in local registration order. Then links,
//             then singletons.
// Failing     The bytes are checked as a whole, in a separate world, before anything changes: an
//             error in them changes nothing. If memory runs out later, a limit is reached or a hook
//             fails, the call stops in the middle. The world is valid, and the merge knows what is
//             done: the same call again does the rest.
// Settings    Components are matched by name, as for loading. Unknown components are refused or
//             left out, but never kept. The other world may have other handles, groups and limits.
//             Of exact state, ticks and sets are skipped, and waiting events are refused. Values
//             with a destruct or move hook need a copy hook.
// Deltas      kith_merge_apply also takes deltas of content (frames.h). A delta begins at the state
//             of the latest applied delta, or at frame 0. Applying a snapshot forgets that state.
//             Entities and components that are not in it have not changed. With deltas the merge
//             keeps the bytes of the latest state. A delta that begins at another state is refused
//             (KITH_ERROR_CONFLICT): one was lost, or comes twice. So a server sends the next delta
//             from the frame that the client has confirmed.
// Going back  A merge knows handles, which other entities can have after a load, and after the
//             restore of a frame from before its latest kith_merge_apply. It is refused then
//             (KITH_ERROR_CONFLICT), and knows no entity: create a new merge. A frame that has the
//             latest kith_merge_apply leaves the merge as it is. kith_world_clone does not copy
//             merges.
// ---------------------------------------------------------------------------------------------

/// What came from one other world. kith_merge_create creates it; its world owns it.
typedef struct kith_merge kith_merge;

/// Creates a merge that knows no entity. Returns NULL and records KITH_ERROR_BUSY from inside a
/// hook, KITH_ERROR_MEMORY when memory runs out. O(1).
KITH_API kith_merge *kith_merge_create(kith_world *world);

/// Destroys the merge; entities and values stay. Destroying the world destroys its merges, too.
/// Returns true, also for NULL. Returns false with KITH_ERROR_BUSY, and does nothing, while the
/// merge is applied and from inside a hook. O(entities / 1024 x components).
KITH_API bool kith_merge_destroy(kith_merge *merge);

/// Applies a snapshot or a delta of content to the world, as described above. `desc` is as for
/// kith_world_load. For an error in the bytes, the result has the offset. Returns KITH_ERROR_BUSY
/// while a loop is open, from hooks and listeners, and while commands wait. O(remote entities x
/// components registered + remote values), and O(depth) for each new link. Needs as much memory as
/// the other world during the call.
KITH_API kith_result kith_merge_apply(kith_merge *merge, const kith_load_desc *desc,
                                      const void *bytes, size_t size);

/// Return the local entity for a remote one, and the remote entity for a local one. KITH_NULL: the
/// merge does not know it, or it is not alive locally. O(1).
KITH_API kith_entity kith_merge_local(const kith_merge *merge, kith_entity remote);
KITH_API kith_entity kith_merge_remote(const kith_merge *merge, kith_entity local);

#ifdef __cplusplus
}
#endif

#endif
