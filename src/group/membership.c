// SPDX-License-Identifier: MIT
// Entities join and leave groups when their components change, at once or when the world settles.
// world/membership.h says when each function of the table is called.
#include "group/group.h"

static kith_sparse_set *term_set(const kith_group *group, uint32_t i)
{
    return &group->plan.terms[i].storage->pool.set;
}

KITH_NOINLINE bool kith_group_has_member(const kith_group *group, uint32_t index)
{
    const kith_storage *first = group->owned == 0 ? &group->list : group->plan.terms[0].storage;
    return kith_sparse_set_row_at(&first->pool.set, index) < group->members;
}

// The bit decides whether the entity has a component: a batch adds the row before it sets the bit.
KITH_NOINLINE static bool terms_match(const kith_world *world, const kith_plan *plan,
                                      uint32_t index, const kith_storage *but)
{
    bool matches = true;
    for (uint32_t i = 0; i < plan->count && matches; i++) {
        const kith_plan_term *term = &plan->terms[i];
        bool present               = kith_entity_bit(&world->entities, index, term->storage->bit) &&
                       kith_plan_term_present(term, &world->entities, index);
        matches = term->storage == but || present == (i < plan->flag_end);
    }
    return matches;
}

// If no row of the world is disabled, the first signature word can decide alone.
bool kith_group_matches(const kith_group *group, uint32_t index, const kith_storage *but)
{
    const kith_world *world = group->object.world;
    if (!group->plan.in_first_word || world->shared.disabled != 0) {
        return terms_match(world, &group->plan, index, but);
    }
    uint64_t mask = but == NULL ? group->mask : group->mask & ~(UINT64_C(1) << but->bit);
    return (kith_entity_signature_word(&world->entities, index, 0) & mask) == group->want;
}

// --- joining and leaving ---------------------------------------------------------------------

// Swaps the entity's row in every owned pool with `row`.
KITH_NOINLINE static void swap_rows(const kith_group *group, uint32_t index, uint32_t row)
{
    const kith_plan_term *term = group->plan.terms;
    do {
        kith_pool_swap_entity(&term->storage->pool, index, row);
    } while (!term++->owned_last);
}

#define JOINS  1u
#define LEAVES UINT32_MAX

// The entity becomes the last member, or the last member takes its place. `more` is added to the
// count: JOINS, LEAVES, or 0 for an entity that joins and is counted.
KITH_ALWAYS_INLINE void move_member(kith_group *group, uint32_t index, uint32_t more)
{
    uint32_t row = more == LEAVES ? --group->members : group->members++;
    group->count += more;
    if (KITH_LIKELY_(group->owned != 0)) {
        swap_rows(group, index, row);
    } else if (more == LEAVES) {
        group->list.pool.remove(&group->list.pool, index);
    } else {
        const kith_entity_table *table = &group->object.world->entities;
        kith_sparse_set_insert(&group->list.pool.set, *kith_entity_slot_of(table, index));
    }
}

// The entity joins the group if it matches, or leaves it if it matched until now: at once, or when
// the world settles. `but` is the excluded component that it just got; NULL: there is none.
KITH_NOINLINE static void change_any_case(kith_group *group, uint32_t index,
                                          const kith_storage *but, uint32_t more)
{
    kith_world *world   = group->object.world;
    bool        matches = kith_group_matches(group, index, but);
    if (matches && world->shared.held == 0) {
        move_member(group, index, more);
    } else if (matches) {
        group->count += more;
        group->unsettled     = true;
        world->unsettled_any = true;
        kith_entity_link(&world->entities, index);
    }
}

// The same without `but`. It is short in a world that is not held and has no disabled row, for
// components in the first word. For others the mask of the group is 0, so no word matches.
KITH_ALWAYS_INLINE void change_group(kith_group *group, uint32_t index, uint32_t more)
{
    const kith_world *world = group->object.world;
    bool              rests = (world->shared.held | world->shared.disabled) == 0;
    if (KITH_LIKELY_(rests && (kith_entity_signature_word(&world->entities, index, 0) &
                               group->mask) == group->want)) {
        move_member(group, index, more);
    } else if (!rests || !group->plan.in_first_word) {
        change_any_case(group, index, NULL, more);
    }
}

KITH_NOINLINE static void join_group(kith_group *group, uint32_t index)
{
    change_group(group, index, JOINS);
}

KITH_NOINLINE static void leave_group(kith_group *group, uint32_t index)
{
    change_group(group, index, LEAVES);
}

// The same for the groups of a list, which are ordered from outer to inner. An entity joins in that
// order and leaves in the reverse order, so that each swap stays inside the rows of the outer
// group.

static void join_groups(const kith_group_list *list, uint32_t index)
{
    for (uint32_t i = 0; i < list->count; i++) {
        join_group(list->groups[i], index);
    }
}

static void leave_groups(const kith_group_list *list, uint32_t index)
{
    for (uint32_t i = list->count; i-- > 0;) {
        leave_group(list->groups[i], index);
    }
}

KITH_NOINLINE static void leave_and_join(const kith_storage *storage, uint32_t index)
{
    for (uint32_t i = storage->groups_without.count; i-- > 0;) {
        change_any_case(storage->groups_without.groups[i], index, storage, LEAVES);
    }
    join_groups(&storage->groups_with, index);
}

static void after_add(const kith_storage *storage, uint32_t index)
{
    if (KITH_LIKELY_(storage->sole_group != NULL)) {
        join_group(storage->sole_group, index);
    } else {
        leave_and_join(storage, index);
    }
}

KITH_NOINLINE static void join_and_announce(kith_world *world, const kith_storage *storage,
                                            kith_event event, kith_entity entity)
{
    if (event == KITH_EVENT_ADD) {
        leave_and_join(storage, kith_entity_index(entity));
    }
    kith_world_announce_one(world, &storage->events[event], event, storage->desc.id, entity);
}

static void announce(kith_world *world, const kith_storage *storage, kith_event event,
                     kith_entity entity)
{
    if (KITH_UNLIKELY_(storage->pool.set.head.listeners_ != KITH_IN_GROUP_)) {
        join_and_announce(world, storage, event, entity);
    } else if (event == KITH_EVENT_ADD) {
        after_add(storage, kith_entity_index(entity));
    }
}

// An entity with a disabled row is in no group that requires the component, and in those that
// exclude it already.
static bool before_remove(const kith_storage *storage, uint32_t index)
{
    if (KITH_LIKELY_(storage->sole_group != NULL)) {
        leave_group(storage->sole_group, index);
        return false;
    }
    leave_groups(&storage->groups_with, index);
    return storage->groups_without.count != 0 && kith_storage_enabled_at(storage, index);
}

void kith_group_fill(kith_group *group)
{
    const kith_sparse_set *set    = term_set(group, kith_plan_lead(&group->plan));
    bool                   nested = group->members != 0; // members of an inner group come first
    assert(group->object.world->shared.held == 0);
    for (uint32_t row = 0; row < set->head.rows_; row++) {
        uint32_t index = *kith_sparse_set_packed(set, row);
        if ((index & KITH_HOLE) == 0 && !(nested && kith_group_has_member(group, index))) {
            join_group(group, index);
        }
    }
}

// The list of a group that owns nothing has room for every entity with its first component.
// Therefore only adding that component can fail; removing an excluded component cannot.
static bool reserve(const kith_storage *storage, uint32_t index, uint32_t rows)
{
    bool enough = true;
    for (uint32_t i = 0; i < storage->groups_with.count && enough; i++) {
        kith_group      *group = storage->groups_with.groups[i];
        kith_sparse_set *list  = &group->list.pool.set;
        if (group->owned == 0 && group->plan.terms[0].storage == storage) {
            enough = (index == KITH_NO_INDEX || kith_sparse_set_reserve_slot(list, index)) &&
                     kith_sparse_set_reserve_rows(list, rows);
        }
    }
    return enough;
}

// --- settling --------------------------------------------------------------------------------

// Whether the entity in this row no longer matches.
static bool has_left(const kith_group *group, uint32_t row)
{
    for (uint32_t i = 0; i < group->owned; i++) {
        if ((*kith_sparse_set_packed(term_set(group, i), row) & KITH_HOLE) != 0) {
            return true;
        }
    }
    return !kith_group_matches(group, *kith_sparse_set_packed(term_set(group, 0), row), NULL);
}

// Moves the last member to a row whose entity left, in every owned pool.
static void close_row(kith_group *group, uint32_t row)
{
    while (group->members != 0 && has_left(group, group->members - 1)) {
        group->members--;
    }
    if (row < group->members && has_left(group, row)) {
        group->members--;
        for (uint32_t i = 0; i < group->owned; i++) {
            kith_pool_swap_or_fill(&group->plan.terms[i].storage->pool, row, group->members);
        }
    }
}

// The lists of holes of the owned pools. Each list descends.
typedef struct hole_lists {
    uint32_t next[KITH_QUERY_TERMS_MAX];  // the next hole below the old border
    uint32_t above[KITH_QUERY_TERMS_MAX]; // the lowest hole above it; KITH_NO_ROW: none
} hole_lists;

static void find_lists(hole_lists *lists, const kith_group *group)
{
    for (uint32_t i = 0; i < group->owned; i++) {
        const kith_sparse_set *set = term_set(group, i);
        lists->above[i]            = KITH_NO_ROW;
        lists->next[i]             = set->newest_hole;
        while (lists->next[i] != KITH_NO_ROW && lists->next[i] >= group->members) {
            lists->above[i] = lists->next[i];
            lists->next[i]  = kith_sparse_set_older_hole(set, lists->next[i]);
        }
    }
}

// Returns the highest row that is a hole in any pool, and advances the lists past it. Returns
// KITH_NO_ROW at the end.
static uint32_t take_highest(hole_lists *lists, const kith_group *group)
{
    uint32_t end = 0; // the highest row + 1; KITH_NO_ROW + 1 is 0
    for (uint32_t i = 0; i < group->owned; i++) {
        end = lists->next[i] + 1 > end ? lists->next[i] + 1 : end;
    }
    for (uint32_t i = 0; i < group->owned && end != 0; i++) {
        if (lists->next[i] + 1 == end) {
            lists->next[i] = kith_sparse_set_older_hole(term_set(group, i), end - 1);
        }
    }
    return end - 1;
}

// Whether the list has a row for a destroyed entity, or for one that no longer matches.
static bool is_stale(const kith_world *world, const kith_group *group, uint32_t index)
{
    kith_entity entity = *kith_entity_slot_of(&world->entities, index);
    return kith_entity_index(entity) != index ||
           kith_sparse_set_row(&group->list.pool.set, entity) == KITH_NO_ROW ||
           !kith_group_matches(group, index, NULL);
}

// Ends the membership of linked entities that no longer match.
static void close_linked(const kith_world *world, kith_group *group)
{
    for (uint32_t index                = kith_entity_next_linked(&world->entities, KITH_NO_INDEX);
         index != KITH_NO_INDEX; index = kith_entity_next_linked(&world->entities, index)) {
        bool member = kith_group_has_member(group, index);
        if (member && group->owned != 0) {
            close_row(group, kith_plan_term_row(&group->plan.terms[0], index));
        } else if (member && is_stale(world, group, index)) {
            group->members--;
            group->list.pool.remove(&group->list.pool, index);
        }
    }
}

// Closes from the highest hole down: no row below is touched before its turn, so the lists stay
// valid.
static void close_group(kith_group *group)
{
    hole_lists lists  = { { 0 }, { 0 } };
    uint32_t   border = group->members;
    find_lists(&lists, group);
    for (uint32_t row = take_highest(&lists, group); row != KITH_NO_ROW;
         row          = take_highest(&lists, group)) {
        close_row(group, row);
    }
    close_linked(group->object.world, group);
    for (uint32_t i = 0; i < group->owned; i++) {
        kith_sparse_set_relink_holes(term_set(group, i), lists.above[i], group->members, border);
    }
}

static void close_gaps(kith_world *world)
{
    for (uint32_t i = world->groups.count; i-- > 0;) {
        if (world->groups.groups[i]->unsettled) {
            close_group(world->groups.groups[i]);
        }
    }
}

static void join_pending(kith_world *world)
{
    kith_entity_table *table = &world->entities;
    assert(world->shared.held == 0);
    for (uint32_t index = kith_entity_next_linked(table, KITH_NO_INDEX); index != KITH_NO_INDEX;
         index          = kith_entity_next_linked(table, index)) {
        bool alive = kith_entity_index_alive(table, index);
        for (uint32_t i = 0; i < world->groups.count && alive; i++) {
            kith_group *group = world->groups.groups[i];
            if (group->unsettled && !kith_group_has_member(group, index)) {
                change_any_case(group, index, NULL, 0);
            }
        }
    }
    kith_entity_unlink_all(table);
    for (uint32_t i = 0; i < world->groups.count; i++) {
        world->groups.groups[i]->unsettled = false;
    }
}

const kith_membership kith_group_membership = {
    .reserve       = reserve,
    .after_add     = after_add,
    .announce      = announce,
    .before_remove = before_remove,
    .join          = join_groups,
    .leave         = leave_groups,
    .close_gaps    = close_gaps,
    .join_pending  = join_pending,
    .of_plan       = kith_group_find_plan,
    .lead_term     = kith_group_lead_term,
};
