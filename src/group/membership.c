// SPDX-License-Identifier: MIT
// Entities join and leave groups when their components change, at once or when the world settles.
// world/membership.h says when each function of the table is called.
#include "group/group.h"

static kith_sparse_set *term_set(const kith_group *group, uint32_t i)
{
    return &group->plan.terms[i].storage->pool.set;
}

KITH_INTERNAL bool kith_group_has_member(const kith_group *group, uint32_t index)
{
    if (group->owned == 0) {
        return kith_sparse_set_row_at(&group->list.pool.set, index) != KITH_NO_ROW;
    }
    return kith_plan_term_row(&group->plan.terms[0], index) < group->members;
}

// Whether the first signature word alone decides: no row of the group's components is disabled.
static bool word_is_enough(const kith_world *world, const kith_group *group)
{
    bool enough = group->plan.in_first_word;
    for (uint32_t i = 0; i < group->plan.count && enough && world->shared.disabled != 0; i++) {
        enough = group->plan.terms[i].storage->pool.disabled_count == 0;
    }
    return enough;
}

// Whether the entity matches all terms but that of the component `but`, which may be NULL.
static bool terms_match(const kith_world *world, const kith_plan *plan, uint32_t index,
                        const kith_storage *but)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        const kith_plan_term *term = &plan->terms[i];
        // the bit decides, as in matches_but: a batch adds the row before it sets the bit
        bool present = kith_entity_bit(&world->entities, index, term->storage->bit) &&
                       kith_plan_term_present(term, &world->entities, index);
        if (term->storage != but && present != (i < plan->flag_end)) {
            return false;
        }
    }
    return true;
}

static inline bool matches_but(const kith_world *world, const kith_group *group, uint32_t index,
                               const kith_storage *but)
{
    if (KITH_LIKELY_(word_is_enough(world, group))) {
        uint64_t word = kith_entity_signature_word(&world->entities, index, 0);
        uint64_t mask = but == NULL ? group->mask : group->mask & ~(UINT64_C(1) << but->bit);
        return (word & mask) == group->want;
    }
    return terms_match(world, &group->plan, index, but);
}

KITH_INTERNAL bool kith_group_matches(const kith_world *world, const kith_group *group,
                                      uint32_t index)
{
    return matches_but(world, group, index, NULL);
}

// --- joining and leaving ---------------------------------------------------------------------

// Moves the entity's rows to the border. `unwritten` is the storage whose value the caller stores
// later, or NULL: the entity's row there is the last, so the row at the border moves into it,
// without a swap. Returns the entity's row in that storage.
static inline uint32_t join_owned(const kith_group *group, uint32_t index,
                                  const kith_storage *unwritten, uint32_t row)
{
    uint32_t border = group->members;
    for (uint32_t i = 0; i < group->owned; i++) {
        const kith_plan_term *term = &group->plan.terms[i];
        kith_pool            *pool = &term->storage->pool;
        if (unwritten == NULL || term->storage != unwritten) {
            kith_pool_swap(pool, kith_plan_term_row(term, index), border);
        } else if (row != border) {
            kith_pool_move_row(pool, border, row);
            kith_slot_set_row(&pool->set, index, border);
            *kith_sparse_set_packed(&pool->set, border) = index;
            row                                         = border;
            kith_sparse_set_stamp_added(&pool->set, row, 1);
        }
    }
    return row;
}

static inline uint32_t join(kith_world *world, kith_group *group, uint32_t index,
                            kith_storage *unwritten, uint32_t row)
{
    if (group->owned == 0) {
        kith_sparse_set_insert(&group->list.pool.set,
                               *kith_entity_slot_of(&world->entities, index));
    } else {
        row = join_owned(group, index, unwritten, row);
    }
    group->members++;
    return row;
}

static void leave(kith_group *group, uint32_t index)
{
    group->members--;
    if (group->owned == 0) {
        group->list.pool.remove(&group->list.pool, index);
    }
    for (uint32_t i = 0; i < group->owned; i++) {
        kith_pool *pool = &group->plan.terms[i].storage->pool;
        kith_pool_swap(pool, kith_plan_term_row(&group->plan.terms[i], index), group->members);
    }
}

// Records that the entity joins or leaves when the world settles.
static void link_until_settled(kith_world *world, kith_group *group, uint32_t index)
{
    group->unsettled     = true;
    world->unsettled_any = true;
    kith_entity_link(&world->entities, index);
}

static inline uint32_t join_or_defer(kith_world *world, kith_group *group, uint32_t index,
                                     kith_storage *unwritten, uint32_t row)
{
    group->count++;
    if (world->shared.held != 0) {
        link_until_settled(world, group, index);
    } else {
        kith_world_lock(world);
        row = join(world, group, index, unwritten, row);
        kith_world_unlock(world);
    }
    return row;
}

static void leave_or_defer(kith_world *world, kith_group *group, uint32_t index)
{
    group->count--;
    if (world->shared.held != 0) {
        link_until_settled(world, group, index);
    } else {
        kith_world_lock(world);
        leave(group, index);
        kith_world_unlock(world);
    }
}

// The lists of groups are ordered from outer to inner. An entity joins in that order and leaves in
// the reverse order, so that each swap stays inside the rows of the outer group.

static uint32_t after_add(kith_world *world, kith_storage *storage, uint32_t index, uint32_t row)
{
    kith_storage *unwritten = row == KITH_NO_ROW ? NULL : storage;
    for (uint32_t i = storage->groups_without.count; i-- > 0;) {
        kith_group *group = storage->groups_without.groups[i];
        if (matches_but(world, group, index, storage)) {
            leave_or_defer(world, group, index);
        }
    }
    for (uint32_t i = 0; i < storage->groups_with.count; i++) {
        kith_group *group = storage->groups_with.groups[i];
        if (matches_but(world, group, index, NULL)) {
            row = join_or_defer(world, group, index, unwritten, row);
        }
    }
    return row;
}

static void before_remove(kith_world *world, const kith_storage *storage, uint32_t index)
{
    for (uint32_t i = storage->groups_with.count; i-- > 0;) {
        if (kith_group_matches(world, storage->groups_with.groups[i], index)) {
            leave_or_defer(world, storage->groups_with.groups[i], index);
        }
    }
}

static void after_remove(kith_world *world, const kith_storage *storage, uint32_t index)
{
    for (uint32_t i = 0; i < storage->groups_without.count; i++) {
        if (kith_group_matches(world, storage->groups_without.groups[i], index)) {
            join_or_defer(world, storage->groups_without.groups[i], index, NULL, KITH_NO_ROW);
        }
    }
}

static void before_destroy(kith_world *world, uint32_t index)
{
    for (uint32_t i = world->groups.count; i-- > 0;) {
        if (kith_group_matches(world, world->groups.groups[i], index)) {
            leave_or_defer(world, world->groups.groups[i], index);
        }
    }
}

KITH_INTERNAL void kith_group_fill(kith_world *world, kith_group *group)
{
    const kith_sparse_set *set  = term_set(group, kith_plan_lead(&group->plan));
    uint32_t               rows = set->head.rows_;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t index = *kith_sparse_set_packed(set, row);
        if ((index & KITH_HOLE) == 0 && !kith_group_has_member(group, index) &&
            kith_group_matches(world, group, index)) {
            join_or_defer(world, group, index, NULL, KITH_NO_ROW);
        }
    }
}

// The index of a group that owns nothing has room for every entity with its first component.
// Therefore only adding that component can fail; removing an excluded component cannot.
static bool reserve(kith_world *world, const kith_storage *storage, uint32_t index, uint32_t rows)
{
    bool enough = true;
    for (uint32_t i = 0; i < storage->groups_with.count && enough; i++) {
        kith_group      *group = storage->groups_with.groups[i];
        kith_sparse_set *list  = &group->list.pool.set;
        if (group->owned == 0 && group->plan.terms[0].storage == storage) {
            enough = (index == KITH_NO_INDEX ||
                      kith_sparse_set_reserve_slot(list, &world->memory, index)) &&
                     kith_sparse_set_reserve_rows(list, &world->memory, rows);
        }
    }
    return enough;
}

// --- settling --------------------------------------------------------------------------------

// Whether the entity in this row no longer matches.
static bool has_left(const kith_world *world, const kith_group *group, uint32_t row)
{
    for (uint32_t i = 0; i < group->owned; i++) {
        if ((*kith_sparse_set_packed(term_set(group, i), row) & KITH_HOLE) != 0) {
            return true;
        }
    }
    return !kith_group_matches(world, group, *kith_sparse_set_packed(term_set(group, 0), row));
}

// Moves the last member to a row whose entity left, in every owned pool.
static void close_row(const kith_world *world, kith_group *group, uint32_t row)
{
    while (group->members != 0 && has_left(world, group, group->members - 1)) {
        group->members--;
    }
    if (row < group->members && has_left(world, group, row)) {
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
    uint32_t highest = KITH_NO_ROW;
    for (uint32_t i = 0; i < group->owned; i++) {
        bool higher = highest == KITH_NO_ROW || lists->next[i] > highest;
        highest     = lists->next[i] != KITH_NO_ROW && higher ? lists->next[i] : highest;
    }
    for (uint32_t i = 0; i < group->owned && highest != KITH_NO_ROW; i++) {
        if (lists->next[i] == highest) {
            lists->next[i] = kith_sparse_set_older_hole(term_set(group, i), highest);
        }
    }
    return highest;
}

// Closes from the highest row down: no row below is touched before its turn, so the lists stay
// valid.
static void close_owned(kith_world *world, kith_group *group)
{
    hole_lists lists  = { { 0 }, { 0 } };
    uint32_t   border = group->members;
    find_lists(&lists, group);
    for (uint32_t row = take_highest(&lists, group); row != KITH_NO_ROW;
         row          = take_highest(&lists, group)) {
        close_row(world, group, row);
    }
    for (uint32_t index                = kith_entity_next_linked(&world->entities, KITH_NO_INDEX);
         index != KITH_NO_INDEX; index = kith_entity_next_linked(&world->entities, index)) {
        uint32_t row = kith_plan_term_row(&group->plan.terms[0], index);
        if (row < group->members) {
            close_row(world, group, row);
        }
    }
    for (uint32_t i = 0; i < group->owned; i++) {
        kith_sparse_set_relink_holes(term_set(group, i), lists.above[i], group->members, border);
    }
}

// Whether the index has a row for a destroyed entity, or for one that no longer matches.
static bool is_stale(const kith_world *world, const kith_group *group, uint32_t index)
{
    kith_entity entity = *kith_entity_slot_of(&world->entities, index);
    return kith_entity_index(entity) != index ||
           kith_sparse_set_row(&group->list.pool.set, entity) == KITH_NO_ROW ||
           !kith_group_matches(world, group, index);
}

static void close_index(kith_world *world, kith_group *group)
{
    for (uint32_t index                = kith_entity_next_linked(&world->entities, KITH_NO_INDEX);
         index != KITH_NO_INDEX; index = kith_entity_next_linked(&world->entities, index)) {
        if (kith_group_has_member(group, index) && is_stale(world, group, index)) {
            leave(group, index);
        }
    }
}

static void close_gaps(kith_world *world)
{
    for (uint32_t i = world->groups.count; i-- > 0;) {
        kith_group *group = world->groups.groups[i];
        if (group->unsettled && group->owned != 0) {
            close_owned(world, group);
        } else if (group->unsettled) {
            close_index(world, group);
        }
    }
}

static void join_all(kith_world *world, uint32_t index)
{
    for (uint32_t i = 0; i < world->groups.count; i++) {
        kith_group *group = world->groups.groups[i];
        if (group->unsettled && !kith_group_has_member(group, index) &&
            kith_group_matches(world, group, index)) {
            join(world, group, index, NULL, KITH_NO_ROW);
        }
    }
}

static void join_pending(kith_world *world)
{
    kith_entity_table *table = &world->entities;
    for (uint32_t index = kith_entity_next_linked(table, KITH_NO_INDEX); index != KITH_NO_INDEX;
         index          = kith_entity_next_linked(table, index)) {
        if (kith_entity_index_alive(table, index)) {
            join_all(world, index);
        }
    }
    kith_entity_unlink_all(table);
    for (uint32_t i = 0; i < world->groups.count; i++) {
        world->groups.groups[i]->unsettled = false;
    }
}

KITH_INTERNAL const kith_membership kith_group_membership = {
    .reserve        = reserve,
    .after_add      = after_add,
    .before_remove  = before_remove,
    .after_remove   = after_remove,
    .before_destroy = before_destroy,
    .close_gaps     = close_gaps,
    .join_pending   = join_pending,
    .of_plan        = kith_group_find_plan,
    .lead           = kith_group_find_lead,
};
