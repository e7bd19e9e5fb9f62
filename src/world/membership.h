// SPDX-License-Identifier: MIT
// Members: who joins and leaves the groups when an entity changes.
#ifndef KITH_WORLD_MEMBERSHIP_H
#define KITH_WORLD_MEMBERSHIP_H

#include "world/group.h"
#include "world/world.h"

// Whether the entity's rows are among the group's members.
KITH_INTERNAL bool kith_group_holds(const kith_group *group, uint32_t index);

// Whether a living entity meets the terms.
KITH_INTERNAL bool kith_group_meets(const kith_world *world, const kith_group *group,
                                    uint32_t index);

// Whether a group owns the component's rows; then it is an error to move them.
KITH_INTERNAL bool kith_world_owned(kith_world *world, const kith_column *column, const char *call);

// Puts everyone who meets the terms and is no member yet into a new group. The world is not held.
KITH_INTERNAL void kith_group_fill(kith_world *world, kith_group *group);

// What the functions below do where the component has groups.
KITH_INTERNAL bool kith_groups_reserve(kith_world *world, const kith_column *column,
                                       uint32_t index);
KITH_INTERNAL bool kith_groups_reserve_rows(kith_world *world, const kith_column *column,
                                            uint32_t rows);
// `row`: the entity's row, the last one, if it has no value yet, else KITH_NO_ROW. Returns the row
// where the value belongs.
KITH_INTERNAL uint32_t kith_groups_gained(kith_world *world, kith_column *column, uint32_t index,
                                          uint32_t row);
KITH_INTERNAL void kith_groups_losing(kith_world *world, const kith_column *column, uint32_t index);
KITH_INTERNAL void kith_groups_lost(kith_world *world, const kith_column *column, uint32_t index);

// Makes sure that the entity can join every group for which it gets the column's component. False
// when memory runs out.
static inline bool kith_members_reserve(kith_world *world, const kith_column *column,
                                        uint32_t index)
{
    return KITH_LIKELY_(column->anchors == 0) || kith_groups_reserve(world, column, index);
}

// The same for a batch, after which the component will have so many rows.
static inline bool kith_members_reserve_rows(kith_world *world, const kith_column *column,
                                             uint32_t rows)
{
    return KITH_LIKELY_(column->anchors == 0) || kith_groups_reserve_rows(world, column, rows);
}

// Makes sure that all entities on the page of `index` can have the column, as far as lookups,
// signatures and groups are concerned. False when memory runs out.
KITH_INTERNAL bool kith_members_reserve_page(kith_world *world, kith_column *column,
                                             uint32_t index);

// The entity at `index` got the component, is about to lose it, has lost it. To disable a row is to
// lose it, as far as groups are concerned.
static inline void kith_members_gained(kith_world *world, kith_column *column, uint32_t index)
{
    if (KITH_UNLIKELY_(kith_column_grouped(column))) {
        kith_groups_gained(world, column, index, KITH_NO_ROW);
    }
}

static inline void kith_members_losing(kith_world *world, const kith_column *column, uint32_t index)
{
    if (KITH_UNLIKELY_(kith_column_grouped(column))) {
        kith_groups_losing(world, column, index);
    }
}

static inline void kith_members_lost(kith_world *world, const kith_column *column, uint32_t index)
{
    if (KITH_UNLIKELY_(kith_column_grouped(column))) {
        kith_groups_lost(world, column, index);
    }
}

// The entity is about to lose everything.
KITH_INTERNAL void kith_members_end(kith_world *world, uint32_t index);

// Settling: closes the gaps of those that left, innermost groups first; comes between the ends of
// the values and the closing of the pools' holes. Then lets those in that joined.
KITH_INTERNAL void kith_members_close(kith_world *world);
KITH_INTERNAL void kith_members_join(kith_world *world);

#endif
