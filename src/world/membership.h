// SPDX-License-Identifier: MIT
// A group keeps the entities that match its terms together in memory.
//
//     owning      [ members | others ]    the first rows of every owned pool, in one order
//     not owning  an index: a pool without values whose rows are the members
//
// Groups that own a common pool are nested. The inner group has all terms of the outer group and
// owns all pools that the outer group owns. The rows of a pool that both own:
//
//     [ members of the inner group | other members of the outer | others ]
//
// An entity is a member exactly when a query with the same terms would visit it. An entity that
// joins or leaves swaps its rows with the rows at the border. While the world is held no row moves:
// `count` changes at once, and the entity is linked in the entity table until the world settles.
#pragma once

#include "world/world.h"

struct kith_group {
    kith_object     object;
    kith_query_desc desc;        // the group owns name and terms
    uint32_t        trackers;    // tracked systems that use it
    bool            by_program;  // kith_group_of was called for it: it outlives the systems
    bool            has_pointer; // the program has a pointer to it
    bool            dropped;     // it has no members, and no storage knows it
    kith_plan       plan;        // pools, flags and nones; the pools that it owns come first
    uint32_t        members;     // rows at the front of the owned pools, or of the index
    uint32_t        owned;
    uint32_t        count;     // entities that match the terms now
    bool            unsettled; // an entity joined or left since the world settled
    uint64_t     want; // bits of the first signature word that must be set, if plan.in_first_word
    uint64_t     mask; // bits of that word that are compared
    kith_storage list; // of a group that owns nothing: only its pool is used
};

// --- members ---------------------------------------------------------------------------------
//
// Changing a component of an entity can make it join and leave groups. The functions that do it are
// in group/membership.c, and the world calls them through a table, which the first group sets: a
// program without groups does not link them. The inline functions below return at once for a
// storage without groups.

struct kith_membership {
    // Reserves room for members: all rows of a component that gets `rows` rows, and the entity at
    // `index` among them if it is not KITH_NO_INDEX. Returns false when memory runs out.
    bool (*reserve)(const kith_storage *storage, uint32_t index, uint32_t rows);
    // The entity at `index` got the component, or is about to lose it. Its rows may move.
    // `announce` also calls the listeners, and it is for values that were set, too. `before_remove`
    // returns whether the entity must join `groups_without` when it has lost the component.
    void (*after_add)(const kith_storage *storage, uint32_t index);
    void (*announce)(kith_world *world, const kith_storage *storage, kith_event event,
                     kith_entity entity);
    bool (*before_remove)(const kith_storage *storage, uint32_t index);
    // The entity at `index` joins the groups of a list that it matches; leaves those that it
    // matches.
    void (*join)(const kith_group_list *list, uint32_t index);
    void (*leave)(const kith_group_list *list, uint32_t index);
    // Two steps of settling. The first closes the gaps of entities that left, innermost groups
    // first; it runs after the removed values are destructed and before the pools close their
    // holes. The second adds the entities that joined.
    void (*close_gaps)(kith_world *world);
    void (*join_pending)(kith_world *world);
    // The group whose members a loop with this plan walks, or NULL. If the plan has more terms,
    // then of the groups that own rows and have every entity that the loop can visit, this one has
    // the fewest members, fewer than the lead has rows.
    kith_group *(*of_plan)(const kith_world *world, const kith_plan *plan);
    // The term of the plan whose first rows are the members: the owned one with the fewest rows, or
    // the list.
    uint32_t (*lead_term)(const kith_group *group, const kith_plan *plan);
};

// Returns true = go on: no group owns the rows of the component, so a call may sort them. Otherwise
// reports an error (component_pool.c).
bool kith_require_unowned(kith_world *world, const kith_storage *storage, const char *call);

// Reserves memory for what observes the storage, when `reservers` is not 0: groups, as above, and
// reactive sets. Returns false when memory runs out (component.c).
bool kith_observers_reserve(kith_world *world, const kith_storage *storage, uint32_t index,
                            uint32_t rows);

// Reserves memory so that the entity can join groups and reactive sets when it gets the component.
static inline bool kith_groups_reserve(kith_world *world, const kith_storage *storage,
                                       uint32_t index)
{
    return KITH_LIKELY_(storage->reservers == 0) ||
           kith_observers_reserve(world, storage, index, storage->pool.set.head.rows_ + 1);
}

// The same for a batch, after which the component has `rows` rows.
static inline bool kith_groups_reserve_rows(kith_world *world, const kith_storage *storage,
                                            uint32_t rows)
{
    return KITH_LIKELY_(storage->reservers == 0) ||
           kith_observers_reserve(world, storage, KITH_NO_INDEX, rows);
}

// Reserves lookups, signatures and groups so that all entities on the page of `index` can get the
// component. Returns false when memory runs out (component.c).
bool kith_groups_reserve_page(kith_world *world, kith_storage *storage, uint32_t index);

// The entity at `index` got the component. Enabling a row counts as adding it.
static inline void kith_groups_after_add(kith_world *world, const kith_storage *storage,
                                         uint32_t index)
{
    if (KITH_UNLIKELY_(kith_storage_in_group(storage))) {
        world->membership->after_add(storage, index);
    }
}

static inline void kith_groups_before_destroy(kith_world *world, uint32_t index)
{
    if (world->groups.count != 0) {
        world->membership->leave(&world->groups, index);
    }
}

static inline kith_group *kith_plan_group(const kith_world *world, const kith_plan *plan)
{
    return world->groups.count == 0 ? NULL : world->membership->of_plan(world, plan);
}

// Whether a loop that walks the group, which may be NULL, visits all its members.
static inline bool kith_plan_visits_all(const kith_plan *plan, const kith_group *group)
{
    return group != NULL && plan->any_end == group->plan.count;
}

// The tick of the world becomes `tick`, also in its pools, where inline code reads it.
static inline void kith_world_set_tick(kith_world *world, uint64_t tick)
{
    world->tick = tick;
    for (uint32_t i = 0; i < world->storage_count; i++) {
        world->storages[i]->pool.set.head.tick_ = tick;
    }
    for (uint32_t i = 0; i < world->groups.count; i++) {
        world->groups.groups[i]->list.pool.set.head.tick_ = tick;
    }
}
