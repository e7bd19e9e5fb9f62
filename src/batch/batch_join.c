// SPDX-License-Identifier: MIT
// Flags and groups of a batch: members join and leave groups one by one or as a block.
#include "batch/batch.h"

#include "world/group.h"

// --- flags -----------------------------------------------------------------------------------

static const kith_batch_item *item_of(const kith_batch *batch, const kith_storage *storage)
{
    const kith_batch_item *item = batch->items;
    while (item->storage != storage || item->owner != NULL) {
        item++;
    }
    return item;
}

// Returns whether the item sets its flag for the entity. The rows of its owner are added already.
static bool sets_flag(const kith_batch *batch, const kith_batch_item *item, kith_entity entity)
{
    if (item->owner == NULL || item->owner->desc.kind == KITH_KIND_FLAG) {
        return kith_batch_item_applies_to(batch, item, entity);
    }
    return kith_batch_item_lacks(batch, item->storage, entity) &&
           kith_batch_item_added_row(item_of(batch, item->owner), entity);
}

// Sets the flag of member `i`. Returns whether it was not set before.
static bool set_flag(kith_batch *batch, kith_batch_item *item, uint32_t i)
{
    kith_entity entity = kith_entity_list_member(&batch->list, i);
    uint32_t    index  = kith_entity_index(entity);
    if (!kith_entity_table_alive(&batch->world->entities, entity) ||
        !kith_batch_item_is_for(batch, item, i) || !sets_flag(batch, item, entity)) {
        return false;
    }
    kith_entity_bit_set(&batch->world->entities, index, item->storage->bit);
    item->storage->pool.set.head.flags_set_++;
    item->added++;
    if (item->gained != NULL) {
        item->gained[i / 64] |= UINT64_C(1) << i % 64;
    }
    kith_loop_notify(batch->world, item->storage->add_watch, index);
    return true;
}

static void set_flags(kith_batch *batch)
{
    for (uint32_t g = 0; g < batch->count; g++) {
        for (uint32_t i = 0; i < batch->list.count && kith_batch_item_is_flag(&batch->items[g]);
             i++) {
            set_flag(batch, &batch->items[g], i);
        }
    }
}

// --- member by member ------------------------------------------------------------------------

// Clears the bits of new rows for a while, so that groups see one component after the other.
static void hide_bits(kith_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const kith_batch_item *item = &batch->items[i];
        for (uint32_t n = 0; n < item->added && !kith_batch_item_is_flag(item); n++) {
            uint32_t index = *kith_sparse_set_packed(&item->storage->pool.set, item->base + n);
            kith_entity_bit_clear(&batch->world->entities, index, item->storage->bit);
        }
    }
}

// Sets the bit of a new row again. Returns whether it is enabled: groups ignore disabled rows.
static bool show_bit(kith_batch *batch, const kith_batch_item *item, kith_entity entity)
{
    uint32_t index = kith_entity_index(entity);
    bool     added = kith_batch_item_added_row(item, entity);
    if (added) {
        kith_entity_bit_set(&batch->world->entities, index, item->storage->bit);
    }
    return added && (!item->disabled || kith_storage_enabled_at(item->storage, index));
}

// Shows one component and its required ones of member `i` to the groups.
static void show_member(kith_batch *batch, kith_batch_item *first, const kith_batch_item *last,
                        uint32_t i)
{
    kith_entity entity = kith_entity_list_member(&batch->list, i);
    for (kith_batch_item *item = first; item <= last; item++) {
        if (kith_batch_item_is_flag(item) ? set_flag(batch, item, i)
                                          : show_bit(batch, item, entity)) {
            kith_groups_after_add(batch->world, item->storage, kith_entity_index(entity));
        }
    }
}

// With only one item groups need not see components one after the other, so no bit is hidden.
static void join_singly(kith_batch *batch)
{
    kith_batch_item       *first = batch->items;
    const kith_sparse_set *set   = &first->storage->pool.set;
    if (batch->count == 1 && !kith_batch_item_is_flag(first) && !first->disabled) {
        for (uint32_t row = first->base; row < first->base + first->added; row++) {
            kith_groups_after_add(batch->world, first->storage, *kith_sparse_set_packed(set, row));
        }
        return;
    }
    hide_bits(batch);
    for (kith_batch_item *last = first; last < batch->items + batch->count; last++) {
        if (last->owner != NULL) {
            continue;
        }
        for (uint32_t i = 0; i < batch->list.count; i++) {
            show_member(batch, first, last, i);
        }
        first = last + 1;
    }
}

// --- as a block ------------------------------------------------------------------------------

// Returns whether no other code runs before the world settles, and nothing changed while held.
static bool is_unseen(const kith_batch *batch)
{
    const kith_world *world = batch->world;
    return world->shared.held == 1 && !batch->has_listeners && !batch->continues &&
           !world->unsettled_any;
}

// Returns the bits of the first signature word that the items added.
static uint64_t added_bits(const kith_batch *batch)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        bits |= (uint64_t)(batch->items[i].added != 0) << batch->items[i].storage->bit % 64;
    }
    return bits;
}

static uint64_t word_of(const kith_batch *batch, uint32_t i)
{
    return kith_entity_signature_word(
        &batch->world->entities, kith_entity_index(kith_entity_list_member(&batch->list, i)), 0);
}

// Returns whether each item added a row to all members or to none.
static bool is_all_or_none(const kith_batch *batch)
{
    bool all = batch->list.whole;
    for (uint32_t i = 0; i < batch->count; i++) {
        const kith_batch_item *item = &batch->items[i];
        all                         = all && !kith_batch_item_is_flag(item) &&
              (item->added == 0 || item->added == batch->list.count);
    }
    return all;
}

// Returns whether all members have the same components and got the same, so that the first member
// decides for all. Disabled rows could differ, so there may be none.
static bool is_uniform(const kith_batch *batch)
{
    const kith_world *world = batch->world;
    if (batch->list.fresh && batch->originals == NULL) {
        return true;
    }
    bool same = world->bit_count <= 64 && world->shared.disabled == 0 && is_all_or_none(batch);
    for (uint32_t i = 1; i < batch->list.count && same; i++) {
        same = word_of(batch, i) == word_of(batch, 0);
    }
    return same;
}

// Returns 1 when all members join the group, -1 when all leave it, otherwise 0.
static int32_t change_of(const kith_batch *batch, const kith_group *group)
{
    bool     fresh  = batch->list.fresh;
    uint32_t index  = kith_entity_index(kith_entity_list_member(&batch->list, 0));
    uint64_t before = word_of(batch, 0) & ~added_bits(batch);
    bool     met    = !fresh && (before & group->mask) == group->want;
    return kith_group_matches(batch->world, group, index) - met;
}

static uint32_t row_of(const kith_pool *pool, const kith_entity_list *list, uint32_t i)
{
    return kith_sparse_set_row_at(&pool->set, kith_entity_index(kith_entity_list_member(list, i)));
}

// Moves the rows of all members to the border of the group, in the order of the batch.
static void move_to_border(kith_pool *pool, const kith_entity_list *list, uint32_t border)
{
    uint32_t first = row_of(pool, list, 0);
    uint32_t run   = 1;
    while (run < list->count && row_of(pool, list, run) == first + run) {
        run++;
    }
    kith_pool_swap_run(pool, border, first, run);
    for (uint32_t i = run; i < list->count; i++) {
        kith_pool_swap(pool, row_of(pool, list, i), border + i);
    }
}

static void join_block(kith_group *group, const kith_entity_list *list)
{
    for (uint32_t i = 0; i < group->owned; i++) {
        move_to_border(&group->plan.terms[i].storage->pool, list, group->members);
    }
    for (uint32_t i = 0; i < list->count && group->owned == 0; i++) {
        kith_sparse_set_insert(&group->list.pool.set, kith_entity_list_member(list, i));
    }
    group->members += list->count;
}

// Returns whether the members leave a group. Its gaps are closed when the world settles.
static bool leaves_group(const kith_batch *batch)
{
    bool leaves = false;
    for (uint32_t i = 0; i < batch->world->groups.count; i++) {
        leaves = leaves || change_of(batch, batch->world->groups.groups[i]) < 0;
    }
    return leaves;
}

// The members join each group, from the outermost to the innermost. The groups swap different rows,
// so the order is the same as if the members joined one by one. All counts are updated before a row
// moves, because move hooks may read them.
static void join_together(kith_batch *batch)
{
    const kith_group_list *list = &batch->world->groups;
    for (uint32_t i = 0; i < list->count; i++) {
        list->groups[i]->count += change_of(batch, list->groups[i]) > 0 ? batch->list.count : 0;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (change_of(batch, list->groups[i]) > 0) {
            join_block(list->groups[i], &batch->list);
        }
    }
}

// --- joining and leaving groups --------------------------------------------------------------

static bool is_grouped(const kith_batch *batch)
{
    bool grouped = false;
    for (uint32_t i = 0; i < batch->count; i++) {
        grouped = grouped || kith_storage_in_group(batch->items[i].storage);
    }
    return grouped;
}

KITH_INTERNAL void kith_batch_join_groups(kith_batch *batch)
{
    bool grouped = batch->list.count != 0 && is_grouped(batch);
    bool uniform = grouped && is_unseen(batch) && is_uniform(batch) && !leaves_group(batch);
    if (!grouped || uniform) {
        set_flags(batch);
    }
    if (uniform) {
        join_together(batch);
    } else if (grouped) {
        join_singly(batch);
    }
}
