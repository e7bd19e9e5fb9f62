// SPDX-License-Identifier: MIT
// Makes the staged state ready for the swap: order of groups, journals, ticks, sets (see load.h).
#include "event/event.h"
#include "group/group.h"
#include "snapshot/load.h"

// --- the state as a world reads it -----------------------------------------------------------

// Writes the late signatures, so that the staged state reads like a world's, and swaps it in.
static void swap_unready(kith_loader *l)
{
    for (uint32_t i = 0; i < l->entities.page_count; i++) {
        kith_staging_write_signatures(kith_entity_page_of(&l->entities, i << KITH_PAGE_SHIFT_));
    }
    kith_staging_swap_state(l);
}

// --- groups ----------------------------------------------------------------------------------

// Adds the members in order. The world has the staged state meanwhile.
static bool order_members(kith_loader *l, kith_group *group, uint32_t count)
{
    const kith_world *world = l->world;
    kith_sparse_set  *set   = &group->list.pool.set;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = kith_source_u32(&l->reader.body);
        if (index >= world->entities.count || !kith_entity_index_alive(&world->entities, index) ||
            !kith_group_matches(world, group, index)) {
            return kith_reader_malformed(
                &l->reader, "a group has a member that does not belong to it", group->desc.name);
        }
        if (kith_sparse_set_row_at(set, index) != KITH_NO_ROW) {
            return kith_reader_malformed(&l->reader, "a group has a member twice",
                                         group->desc.name);
        }
        if (!kith_sparse_set_reserve_slot(set, l->memory, index)) {
            return kith_reader_no_memory(&l->reader);
        }
        kith_sparse_set_insert(set, *kith_entity_slot_of(&world->entities, index));
    }
    group->members = count;
    group->count   = count;
    return true;
}

KITH_INTERNAL bool kith_staging_order(kith_loader *l, kith_staged_group *target, uint32_t count)
{
    kith_group *group = target->group;
    if (group->owned != 0 || target->ordered != KITH_NO_ROW) {
        return kith_reader_malformed(
            &l->reader, "the group owns pools, or its order is already set", group->desc.name);
    }
    swap_unready(l);
    bool good = order_members(l, group, count);
    kith_staging_swap_state(l);
    target->ordered = count;
    return good;
}

// Whether the row has the same entity in every owned pool, and it is a member.
static bool row_is_member(const kith_group *group, uint32_t row)
{
    const kith_plan_term *own   = group->plan.terms;
    uint32_t              index = *kith_sparse_set_packed(&own[0].storage->pool.set, row);
    for (uint32_t i = 1; i < group->owned; i++) {
        const kith_sparse_set *set = &own[i].storage->pool.set;
        if (row >= set->head.rows_ || *kith_sparse_set_packed(set, row) != index) {
            return false;
        }
    }
    return kith_group_matches(group->object.world, group, index);
}

// Returns the number of members of an owning group if they are the first rows of each owned pool;
// otherwise 0: then the group is filled like a new one.
static uint32_t members_in_front(const kith_group *group)
{
    const kith_sparse_set *set   = &group->plan.terms[0].storage->pool.set;
    uint32_t               rows  = set->head.rows_;
    uint32_t               front = 0;
    while (front < rows && row_is_member(group, front)) {
        front++;
    }
    for (uint32_t row = front; row < rows; row++) {
        if (kith_group_matches(group->object.world, group, *kith_sparse_set_packed(set, row))) {
            return 0;
        }
    }
    return front;
}

static bool ready_group(kith_loader *l, const kith_staged_group *target)
{
    kith_group *group = target->group;
    if (!kith_group_reserve_list(group)) {
        return kith_reader_no_memory(&l->reader);
    }
    if (group->owned != 0) {
        group->members = members_in_front(group);
        group->count   = group->members;
    }
    if (group->members == 0 || group->owned == 0) {
        kith_group_fill(l->world, group);
    }
    return target->ordered == KITH_NO_ROW || target->ordered == group->members ||
           kith_reader_malformed(&l->reader, "a group lacks a member", NULL);
}

// --- making ready ----------------------------------------------------------------------------

// Copies the old journal and records the removal of all old rows. Where the new state is older,
// ticks after `tick` become `tick`.
static void record_old_rows(kith_journal *journal, const kith_pool *old, uint64_t tick)
{
    kith_removal *entries = journal->entries;
    memcpy(entries, old->journal.entries, journal->capacity * sizeof *entries);
    *journal         = old->journal;
    journal->entries = entries;
    journal->lost    = journal->lost < tick ? journal->lost : tick;
    for (uint64_t i = kith_journal_oldest(journal); i < journal->written; i++) {
        kith_removal *entry = &entries[i % journal->capacity];
        entry->tick         = entry->tick < tick ? entry->tick : tick;
    }
    for (uint32_t row = 0; row < old->set.head.rows_; row++) {
        uint32_t index = *kith_sparse_set_packed(&old->set, row);
        if ((index & KITH_HOLE) == 0) {
            uint64_t version = *kith_sparse_set_slot(&old->set, index) & ~(uint64_t)UINT32_MAX;
            kith_journal_record(journal, tick, version | index);
        }
    }
}

static bool journal_holds(const kith_journal *journal, uint64_t now)
{
    uint64_t tick = journal->lost;
    for (uint64_t i = kith_journal_oldest(journal); i < journal->written; i++) {
        if (kith_journal_entry(journal, i)->tick < tick) {
            return false;
        }
        tick = kith_journal_entry(journal, i)->tick;
    }
    return tick <= now;
}

static bool ready_journal(kith_loader *l, kith_staged_component *target)
{
    const kith_pool *old     = &target->storage->pool;
    kith_journal    *journal = &target->pool.journal;
    if (old->journal.entries == NULL) {
        return true;
    }
    if (journal->entries == NULL) {
        if (!kith_journal_init(journal, l->memory, target->storage->desc.traits.journal)) {
            return kith_reader_no_memory(&l->reader);
        }
        if (!l->exact) {
            record_old_rows(journal, old, l->tick);
        }
    }
    return journal_holds(journal, l->tick) ||
           kith_reader_malformed(&l->reader, "a journal's ticks do not rise", NULL);
}

static bool ticks_hold(const kith_sparse_set *set, uint64_t now)
{
    bool hold = true;
    for (uint32_t row = 0; row < set->head.rows_ && hold; row++) {
        uint64_t stamp = set->head.stamps_[row >> set->head.shift_];
        bool     hole  = (*kith_sparse_set_packed(set, row) & KITH_HOLE) != 0;
        hold           = stamp <= now;
        if (hold && kith_sparse_set_has_ticks(set) && !hole) {
            uint64_t changed = *kith_row_tick_(&set->head, row);
            hold             = *kith_sparse_set_added_tick(set, row) <= changed && changed <= stamp;
        }
    }
    return hold;
}

// A component that was unknown has no ticks from the file.
static bool ready_ticks(kith_loader *l, kith_staged_component *target)
{
    kith_sparse_set *set  = &target->pool.set;
    uint32_t         rows = set->head.rows_;
    uint32_t         part = kith_sparse_set_page_rows(set);
    if (l->exact && !target->storage->unknown) {
        return ticks_hold(set, l->tick) ||
               kith_reader_malformed(&l->reader, "a row's ticks are out of order", NULL);
    }
    set->head.tick_ = l->tick;
    for (uint32_t row = 0; row < rows; row += part) {
        part = kith_min(rows - row, part);
        kith_sparse_set_stamp_added(set, row, part);
    }
    return true;
}

static bool ready_component(kith_loader *l, kith_staged_component *target)
{
    kith_pool *pool   = &target->pool;
    bool       single = target->single != NULL || target->storage->keeps;
    bool       masked = target->storage->pool.disabled != NULL;
    assert(pool->plain || target->built == (target->single != NULL ? 1 : pool->set.head.rows_));
    if ((single && !pool->plain && !kith_pool_reserve_spare(pool, l->memory)) ||
        (masked && !kith_pool_reserve_disabled(pool, l->memory))) {
        return kith_reader_no_memory(&l->reader);
    }
    return ready_journal(l, target) && ready_ticks(l, target);
}

static bool ready_set(kith_loader *l, kith_staged_set *target)
{
    const kith_entity_set *old = &target->set->members;
    target->since              = target->since < l->tick ? target->since : l->tick;
    if (target->given || l->exact || !target->set->desc.keep_dead) {
        return true;
    }
    if (!kith_entity_set_reserve(&target->members, l->memory, old->count, NULL)) {
        return kith_reader_no_memory(&l->reader);
    }
    for (uint32_t i = 0; i < old->end; i++) {
        if (old->entries[i].entity != KITH_NULL) {
            kith_entity_set_add(&target->members, old->entries[i].entity, NULL);
        }
    }
    return true;
}

// Makes sets and groups ready. The world has the staged state meanwhile.
static bool ready_swapped(kith_loader *l)
{
    for (uint32_t i = 0; i < l->set_count; i++) {
        if (!kith_reactive_reserve_more(l->sets[i].set, 0)) {
            return kith_reader_no_memory(&l->reader);
        }
    }
    bool good = true;
    for (uint32_t i = 0; i < l->group_count && good; i++) {
        good = ready_group(l, &l->groups[i]);
    }
    return good;
}

KITH_INTERNAL bool kith_staging_ready(kith_loader *l)
{
    bool good = true;
    for (uint32_t i = 0; i < l->storage_count && good; i++) {
        good = ready_component(l, &l->storages[i]);
    }
    for (uint32_t i = 0; i < l->set_count && good; i++) {
        good = ready_set(l, &l->sets[i]);
    }
    if (good) {
        swap_unready(l);
        good = ready_swapped(l);
        kith_staging_swap_state(l);
    }
    return good;
}
