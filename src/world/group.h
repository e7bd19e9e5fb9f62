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

#include "world/query_plan.h"

struct kith_group {
    kith_world     *world;
    kith_query_desc desc;   // name and terms are the group's own
    uint64_t        owners; // creates without their destroy
    kith_keep       keep;
    kith_plan       plan; // pools, flags and nones; the pools that it owns come first
    uint32_t        owned;
    uint32_t        members; // rows at the front of the owned pools, or of the index
    uint32_t        count;   // entities that meet the terms now
    bool            touched; // some joined or left since the world settled
    uint64_t        want;    // of the first signature word, when plan.near says that it decides
    uint64_t        mask;    // what of that word matters
    kith_column     index;   // of a group that owns nothing: only its pool is used
};

// The group whose members are what a loop with this plan visits, in whatever order; NULL: none.
KITH_INTERNAL kith_group *kith_plan_group(const kith_world *world, const kith_plan *plan);

// Makes room in a group that owns nothing for all who have its first component; false when memory
// runs out.
KITH_INTERNAL bool kith_group_reserve(kith_group *group);

// Whether the group owns the column's rows.
KITH_INTERNAL bool kith_group_owns(const kith_group *group, const kith_column *column);

// Whether the members of a group that owns pools are members of the other too, ahead of the rest.
KITH_INTERNAL bool kith_group_inside(const kith_group *group, const kith_group *other);

// The column whose first rows are the members: the owned one with the fewest rows, or the index.
KITH_INTERNAL const kith_column *kith_group_lead(const kith_group *group);

// The index of the first entity that a loop visits, or KITH_NO_INDEX.
KITH_INTERNAL uint32_t kith_group_first(const kith_group *group);

// Makes the groups of another world in one where nobody has anything, owned by nobody; then, when
// the pools are copied, gives them its members. False, with an error, when memory runs out.
KITH_INTERNAL bool kith_world_copy_groups(kith_world *world, const kith_world *from);
KITH_INTERNAL bool kith_world_copy_members(kith_world *world, const kith_world *from);

// Gives every group back; what is kept of their hashes; the bytes of all.
KITH_INTERNAL void   kith_world_give_groups(kith_world *world);
KITH_INTERNAL void   kith_world_shrink_groups(kith_world *world);
KITH_INTERNAL size_t kith_world_group_bytes(const kith_world *world);

#endif
