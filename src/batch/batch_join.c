// SPDX-License-Identifier: MIT
#include "batch/batch.h"

#include "world/group.h"

// --- flags -----------------------------------------------------------------------------------

static const kith_gift *gift_of(const kith_give *give, const kith_storage *storage)
{
    const kith_gift *gift = give->gifts;
    while (gift->storage != storage || gift->owner != NULL) {
        gift++;
    }
    return gift;
}

// Whether a flag comes to the entity, now that all rows have come: its owner's among them.
static bool flag_comes_to(const kith_give *give, const kith_gift *gift, kith_entity entity)
{
    if (gift->owner == NULL || gift->owner->desc.kind == KITH_KIND_FLAG) {
        return kith_gift_comes_to(give, gift, entity);
    }
    return kith_gift_lacks(give, gift->storage, entity) &&
           kith_gift_gave_row(gift_of(give, gift->owner), entity);
}

// Sets the flag of the i-th member. Returns whether it came.
static bool set_flag(kith_give *give, kith_gift *gift, uint32_t i)
{
    kith_entity entity = kith_crowd_member(&give->crowd, i);
    uint32_t    index  = kith_entity_index(entity);
    if (!kith_entity_table_alive(&give->world->entities, entity) ||
        !kith_gift_is_for(give, gift, i) || !flag_comes_to(give, gift, entity)) {
        return false;
    }
    kith_entity_bit_set(&give->world->entities, index, gift->storage->bit);
    gift->storage->pool.set.head.flags_set_++;
    gift->added++;
    if (gift->news != NULL) {
        gift->news[i / 64] |= UINT64_C(1) << i % 64;
    }
    kith_loop_notify(give->world, gift->storage->add_watch, index);
    return true;
}

static void set_flags(kith_give *give)
{
    for (uint32_t g = 0; g < give->count; g++) {
        for (uint32_t i = 0; i < give->crowd.count && kith_gift_is_flag(&give->gifts[g]); i++) {
            set_flag(give, &give->gifts[g], i);
        }
    }
}

// --- member by member ------------------------------------------------------------------------

// Takes the bits of new rows away for a while, so that groups see one component after the other
// come.
static void hide_bits(kith_give *give)
{
    for (uint32_t i = 0; i < give->count; i++) {
        const kith_gift *gift = &give->gifts[i];
        for (uint32_t n = 0; n < gift->added && !kith_gift_is_flag(gift); n++) {
            uint32_t index = *kith_sparse_set_packed(&gift->storage->pool.set, gift->base + n);
            kith_entity_bit_clear(&give->world->entities, index, gift->storage->bit);
        }
    }
}

// Shows the bit of a new row again. Returns whether it counts: disabled rows do for no group.
static bool show_bit(kith_give *give, const kith_gift *gift, kith_entity entity)
{
    uint32_t index = kith_entity_index(entity);
    bool     came  = kith_gift_gave_row(gift, entity);
    if (came) {
        kith_entity_bit_set(&give->world->entities, index, gift->storage->bit);
    }
    return came && (!gift->hides || kith_storage_enabled_at(gift->storage, index));
}

// What one component, and what it requires, is to the i-th member.
static void show_member(kith_give *give, kith_gift *first, const kith_gift *last, uint32_t i)
{
    kith_entity entity = kith_crowd_member(&give->crowd, i);
    for (kith_gift *gift = first; gift <= last; gift++) {
        if (kith_gift_is_flag(gift) ? set_flag(give, gift, i) : show_bit(give, gift, entity)) {
            kith_members_gained(give->world, gift->storage, kith_entity_index(entity));
        }
    }
}

// Of the only gift no bit has to be hidden from the groups.
static void admit_singly(kith_give *give)
{
    kith_gift             *first = give->gifts;
    const kith_sparse_set *set   = &first->storage->pool.set;
    if (give->count == 1 && !kith_gift_is_flag(first) && !first->hides) {
        for (uint32_t row = first->base; row < first->base + first->added; row++) {
            kith_members_gained(give->world, first->storage, *kith_sparse_set_packed(set, row));
        }
        return;
    }
    hide_bits(give);
    for (kith_gift *last = first; last < give->gifts + give->count; last++) {
        if (last->owner != NULL) {
            continue;
        }
        for (uint32_t i = 0; i < give->crowd.count; i++) {
            show_member(give, first, last, i);
        }
        first = last + 1;
    }
}

// --- all at once -----------------------------------------------------------------------------

// Whether nobody looks before the world settles, and nothing happened since it was held.
static bool is_unseen(const kith_give *give)
{
    const kith_world *world = give->world;
    return world->shared.held == 1 && !give->heard && !give->continues && !world->unsettled_any;
}

// Bits of the first word of signatures that came with the gifts.
static uint64_t given_bits(const kith_give *give)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < give->count; i++) {
        bits |= (uint64_t)(give->gifts[i].added != 0) << give->gifts[i].storage->bit % 64;
    }
    return bits;
}

static uint64_t word_of(const kith_give *give, uint32_t i)
{
    return kith_entity_signature_word(&give->world->entities,
                                      kith_entity_index(kith_crowd_member(&give->crowd, i)), 0);
}

// Whether each gift came as rows to all members or to none.
static bool came_to_all(const kith_give *give)
{
    bool all = give->crowd.whole;
    for (uint32_t i = 0; i < give->count; i++) {
        const kith_gift *gift = &give->gifts[i];
        all                   = all && !kith_gift_is_flag(gift) &&
              (gift->added == 0 || gift->added == give->crowd.count);
    }
    return all;
}

// Whether all members have the same components, and got the same: what is true of the first is true
// of all. Disabled rows would tell them apart.
static bool is_uniform(const kith_give *give)
{
    const kith_world *world = give->world;
    if (give->crowd.fresh && give->originals == NULL) {
        return true;
    }
    bool same = world->bit_count <= 64 && world->shared.disabled == 0 && came_to_all(give);
    for (uint32_t i = 1; i < give->crowd.count && same; i++) {
        same = word_of(give, i) == word_of(give, 0);
    }
    return same;
}

// What the batch does to a group: 1 when all join it, -1 when all leave it.
static int32_t change_of(const kith_give *give, const kith_group *group)
{
    bool     fresh  = give->crowd.fresh;
    uint32_t index  = kith_entity_index(kith_crowd_member(&give->crowd, 0));
    uint64_t before = word_of(give, 0) & ~given_bits(give);
    bool     met    = !fresh && (before & group->mask) == group->want;
    return kith_group_meets(give->world, group, index) - met;
}

static uint32_t row_of(const kith_pool *pool, const kith_crowd *crowd, uint32_t i)
{
    return kith_sparse_set_row_at(&pool->set, kith_entity_index(kith_crowd_member(crowd, i)));
}

// Brings the rows of all to the border, in the batch's order.
static void take_into_pool(kith_pool *pool, const kith_crowd *crowd, uint32_t border)
{
    uint32_t first = row_of(pool, crowd, 0);
    uint32_t run   = 1;
    while (run < crowd->count && row_of(pool, crowd, run) == first + run) {
        run++;
    }
    kith_pool_bring(pool, border, first, run);
    for (uint32_t i = run; i < crowd->count; i++) {
        kith_pool_swap(pool, row_of(pool, crowd, i), border + i);
    }
}

static void take_in(kith_group *group, const kith_crowd *crowd)
{
    for (uint32_t i = 0; i < group->owned; i++) {
        take_into_pool(&group->plan.terms[i].storage->pool, crowd, group->members);
    }
    for (uint32_t i = 0; i < crowd->count && group->owned == 0; i++) {
        kith_sparse_set_insert(&group->index.pool.set, kith_crowd_member(crowd, i));
    }
    group->members += crowd->count;
}

// Whether somebody leaves a group: the gaps are closed when the world settles.
static bool leaves_some(const kith_give *give)
{
    bool leaves = false;
    for (uint32_t i = 0; i < give->world->groups.count; i++) {
        leaves = leaves || change_of(give, give->world->groups.groups[i]) < 0;
    }
    return leaves;
}

// Each group takes all in, from the outermost to the innermost: the swaps of one and those of the
// next concern other rows, so the order is that of taking in one member after the other. All counts
// are right before a row moves, as move hooks may ask for them.
static void admit_together(kith_give *give)
{
    const kith_group_list *list = &give->world->groups;
    for (uint32_t i = 0; i < list->count; i++) {
        list->groups[i]->count += change_of(give, list->groups[i]) > 0 ? give->crowd.count : 0;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (change_of(give, list->groups[i]) > 0) {
            take_in(list->groups[i], &give->crowd);
        }
    }
}

// --- all of it -------------------------------------------------------------------------------

static bool is_grouped(const kith_give *give)
{
    bool grouped = false;
    for (uint32_t i = 0; i < give->count; i++) {
        grouped = grouped || kith_storage_grouped(give->gifts[i].storage);
    }
    return grouped;
}

KITH_INTERNAL void kith_admit_all(kith_give *give)
{
    bool grouped = give->crowd.count != 0 && is_grouped(give);
    bool uniform = grouped && is_unseen(give) && is_uniform(give) && !leaves_some(give);
    if (!grouped || uniform) {
        set_flags(give);
    }
    if (uniform) {
        admit_together(give);
    } else if (grouped) {
        admit_singly(give);
    }
}
