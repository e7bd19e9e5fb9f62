// SPDX-License-Identifier: MIT
// Groups of a batch of plain rows: all members join at the border of a group as one block.
#include "batch/batch.h"

#include "group/group.h"

static uint64_t word_of(const kith_batch *batch, uint32_t i)
{
    return kith_entity_signature_word(
        &batch->world->entities, kith_entity_index(kith_entity_list_member(&batch->list, i)), 0);
}

// Returns whether all members have the same components, so that the first member decides for all.
// Disabled rows could differ, so there may be none.
static bool is_uniform(const kith_batch *batch)
{
    const kith_world *world = batch->world;
    bool same = world->bit_count <= 64 && world->shared.disabled == 0 && batch->list.whole;
    for (uint32_t i = 1; i < batch->list.count && same; i++) {
        same = word_of(batch, i) == word_of(batch, 0);
    }
    return same;
}

bool kith_batch_joins_as_block(const kith_batch *batch)
{
    const kith_world *world    = batch->world;
    bool              excluded = false;
    for (uint32_t i = 0; i < batch->count; i++) {
        excluded = excluded || batch->items[i].storage->groups_without.count != 0;
    }
    bool unseen =
        world->shared.held == 1 && !batch->has_listeners && !batch->exact && !world->unsettled_any;
    return unseen && (batch->list.fresh || (!excluded && is_uniform(batch)));
}

// Returns whether the members match the group since they have the components with these bits.
static bool joins_group(const kith_batch *batch, const kith_group *group, uint64_t bits)
{
    uint32_t index  = kith_entity_index(kith_entity_list_member(&batch->list, 0));
    uint64_t before = word_of(batch, 0) & ~bits;
    return kith_group_matches(batch->world, group, index) &&
           (batch->list.fresh || (before & group->mask) != group->want);
}

static uint32_t row_of(const kith_pool *pool, const kith_entity_list *list, uint32_t i)
{
    return kith_sparse_set_row_at(&pool->set, kith_entity_index(kith_entity_list_member(list, i)));
}

// Moves the rows of all members to the border of the group, in the order of the batch. `is_new`:
// the batch added the rows, so they are consecutive (bench C3).
static void move_to_border(kith_pool *pool, const kith_entity_list *list, uint32_t border,
                           bool is_new)
{
    uint32_t first = row_of(pool, list, 0);
    uint32_t run   = is_new ? list->count : 1;
    while (run < list->count && row_of(pool, list, run) == first + run) {
        run++;
    }
    kith_pool_swap_run(pool, border, first, run);
    for (uint32_t i = run; i < list->count; i++) {
        kith_pool_swap(pool, row_of(pool, list, i), border + i);
    }
}

static void join_block(kith_group *group, const kith_entity_list *list, uint64_t bits)
{
    for (uint32_t i = 0; i < group->owned; i++) {
        kith_storage *storage = group->plan.terms[i].storage;
        bool          is_new  = storage->bit < 64 && (bits >> storage->bit & 1) != 0;
        move_to_border(&storage->pool, list, group->members, is_new);
    }
    for (uint32_t i = 0; i < list->count && group->owned == 0; i++) {
        kith_sparse_set_insert(&group->list.pool.set, kith_entity_list_member(list, i));
    }
    group->members += list->count;
}

// The members join each group, from the outermost to the innermost. The groups swap different rows,
// so the order is the same as if the members joined one by one. All counts are updated before a row
// moves, because move hooks may read them.
void kith_batch_join_groups(kith_batch *batch, uint64_t bits)
{
    const kith_group_list *list = &batch->world->groups;
    for (uint32_t i = 0; i < list->count; i++) {
        list->groups[i]->count += joins_group(batch, list->groups[i], bits) ? batch->living : 0;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (joins_group(batch, list->groups[i], bits)) {
            join_block(list->groups[i], &batch->list, bits);
        }
    }
}
