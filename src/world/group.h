// SPDX-License-Identifier: MIT
// A group: entities that are kept together.
//
//     owning      [ members | others ]    the first rows of every owned pool, in one order
//     not owning  a pool of its own, without values, whose rows are the members
//
// Groups that own a common pool are nested: the inner one asks for all that the outer one asks for
// and owns all that it owns. The rows of a pool that both own:
//
//     [ members of the inner group | other members of the outer | others ]
//
// An entity is a member exactly when a query with the same terms would visit it. Joining and
// leaving swap its rows with the first, or last, at the border. While the world is held nothing
// moves: `count` is right at once, and entities that joined or left are linked in the entity table
// until the world settles.
#ifndef KITH_WORLD_GROUP_H
#define KITH_WORLD_GROUP_H

#include "world/world.h"

struct kith_group {
    kith_world      *world;
    kith_query_desc  desc;   // name and terms are the group's own
    uint64_t         owners; // creates without their destroy
    kith_system_refs system_refs;
    kith_plan        plan; // pools, flags and nones; the pools that it owns come first
    uint32_t         owned;
    uint32_t         members; // rows at the front of the owned pools, or of the index
    uint32_t         count;   // entities that meet the terms now
    bool             touched; // some joined or left since the world settled
    uint64_t     want;  // of the first signature word, when plan.in_first_word says that it decides
    uint64_t     mask;  // what of that word matters
    kith_storage index; // of a group that owns nothing: only its pool is used
};

// The group whose members are what a loop with this plan visits, in whatever order; NULL: none.
KITH_INTERNAL kith_group *kith_plan_group(const kith_world *world, const kith_plan *plan);

// Makes room in a group that owns nothing for all who have its first component; false when memory
// runs out.
KITH_INTERNAL bool kith_group_reserve(kith_group *group);

// Whether the group owns the storage's rows.
KITH_INTERNAL bool kith_group_owns(const kith_group *group, const kith_storage *storage);

// Whether the members of a group that owns pools are members of the other too, ahead of the rest.
KITH_INTERNAL bool kith_group_within(const kith_group *group, const kith_group *other);

// The storage whose first rows are the members: the owned one with the fewest rows, or the index.
KITH_INTERNAL const kith_storage *kith_group_lead(const kith_group *group);

// The index of the first entity that a loop visits, or KITH_NO_INDEX.
KITH_INTERNAL uint32_t kith_group_first(const kith_group *group);

// Makes the groups of another world in one where nobody has anything, owned by nobody; then, when
// the pools are copied, gives them its members. False, with an error, when memory runs out.
KITH_INTERNAL bool kith_world_copy_groups(kith_world *world, const kith_world *from);
KITH_INTERNAL bool kith_world_copy_members(kith_world *world, const kith_world *from);

// Gives every group back; what is kept of their hashes; the bytes of all.
KITH_INTERNAL void   kith_world_free_groups(kith_world *world);
KITH_INTERNAL void   kith_world_shrink_groups(kith_world *world);
KITH_INTERNAL size_t kith_world_group_bytes(const kith_world *world);

// --- membership ------------------------------------------------------------
//
// Members: who joins and leaves the groups when an entity changes.

// Whether the entity's rows are among the group's members.
KITH_INTERNAL bool kith_group_has_member(const kith_group *group, uint32_t index);

// Whether a living entity meets the terms.
KITH_INTERNAL bool kith_group_matches(const kith_world *world, const kith_group *group,
                                      uint32_t index);

// Whether a group owns the component's rows; then it is an error to move them.
KITH_INTERNAL bool kith_require_unowned(kith_world *world, const kith_storage *storage,
                                        const char *call);

// Puts everyone who meets the terms and is no member yet into a new group. The world is not held.
KITH_INTERNAL void kith_group_fill(kith_world *world, kith_group *group);

// What the functions below do where the component has groups.
KITH_INTERNAL bool kith_grouped_reserve(kith_world *world, const kith_storage *storage,
                                        uint32_t index);
KITH_INTERNAL bool kith_grouped_reserve_rows(kith_world *world, const kith_storage *storage,
                                             uint32_t rows);
// `row`: the entity's row, the last one, if it has no value yet, else KITH_NO_ROW. Returns the row
// where the value belongs.
KITH_INTERNAL uint32_t kith_grouped_after_add(kith_world *world, kith_storage *storage,
                                              uint32_t index, uint32_t row);
KITH_INTERNAL void     kith_grouped_before_remove(kith_world *world, const kith_storage *storage,
                                                  uint32_t index);
KITH_INTERNAL void     kith_grouped_after_remove(kith_world *world, const kith_storage *storage,
                                                 uint32_t index);

// Makes sure that the entity can join every group for which it gets the storage's component. False
// when memory runs out.
static inline bool kith_groups_reserve(kith_world *world, const kith_storage *storage,
                                       uint32_t index)
{
    return KITH_LIKELY_(storage->anchors == 0) || kith_grouped_reserve(world, storage, index);
}

// The same for a batch, after which the component will have so many rows.
static inline bool kith_groups_reserve_rows(kith_world *world, const kith_storage *storage,
                                            uint32_t rows)
{
    return KITH_LIKELY_(storage->anchors == 0) || kith_grouped_reserve_rows(world, storage, rows);
}

// Makes sure that all entities on the page of `index` can have the storage, as far as lookups,
// signatures and groups are concerned. False when memory runs out.
KITH_INTERNAL bool kith_groups_reserve_page(kith_world *world, kith_storage *storage,
                                            uint32_t index);

// The entity at `index` got the component, is about to lose it, has lost it. To disable a row is to
// lose it, as far as groups are concerned.
static inline void kith_groups_after_add(kith_world *world, kith_storage *storage, uint32_t index)
{
    if (KITH_UNLIKELY_(kith_storage_in_group(storage))) {
        kith_grouped_after_add(world, storage, index, KITH_NO_ROW);
    }
}

static inline void kith_groups_before_remove(kith_world *world, const kith_storage *storage,
                                             uint32_t index)
{
    if (KITH_UNLIKELY_(kith_storage_in_group(storage))) {
        kith_grouped_before_remove(world, storage, index);
    }
}

static inline void kith_groups_after_remove(kith_world *world, const kith_storage *storage,
                                            uint32_t index)
{
    if (KITH_UNLIKELY_(kith_storage_in_group(storage))) {
        kith_grouped_after_remove(world, storage, index);
    }
}

// The entity is about to lose everything.
KITH_INTERNAL void kith_groups_before_destroy(kith_world *world, uint32_t index);

// Settling: closes the gaps of those that left, innermost groups first; comes between the ends of
// the values and the closing of the pools' holes. Then lets those in that joined.
KITH_INTERNAL void kith_groups_close_gaps(kith_world *world);
KITH_INTERNAL void kith_groups_join_pending(kith_world *world);

#endif
