// SPDX-License-Identifier: MIT
// The staged state of a load: begins empty, is made ready, is swapped with the world's (see
// load.h).
#include "snapshot/load.h"

#include "group/group.h"

// --- begin and end ---------------------------------------------------------------------------

// Adds one to the list. Before there is memory, counts it, and what is written to it is dropped.
KITH_NOINLINE static kith_staged_other *stage_other(kith_loader *l, uint32_t tag, void *object,
                                                    const char *name)
{
    kith_staged_other *other = l->others == NULL ? &l->dropped : &l->others[l->other_count];
    l->other_count++;
    other->tag    = tag;
    other->object = object;
    other->name   = name;
    return other;
}

static void list_others(kith_loader *l, const kith_world *world)
{
    l->other_count = 0;
    for (kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        kith_staged_other *other = stage_other(l, KITH_TAG_SET, set, set->desc.name);
        other->members.newest    = set->members.newest;
        other->since             = set->since;
    }
    for (kith_query *query = world->queries; query != NULL; query = query->next) {
        stage_other(l, KITH_TAG_QUERY, query, query->desc.name);
    }
    for (kith_queue *queue = world->queues; queue != NULL; queue = queue->next_queue) {
        stage_other(l, KITH_TAG_EVENTS, queue, queue->desc.name);
    }
    for (uint32_t i = 0; world->schedule != NULL && i < world->schedule->graph.count; i++) {
        kith_system       *system = world->schedule->graph.systems[i];
        kith_staged_other *other  = stage_other(l, KITH_TAG_SYSTEM, system, system->desc.name);
        other->waited             = system->waited;
        other->requested          = system->requested;
        other->enabled            = system->enabled;
    }
}

static size_t staged_bytes(const kith_loader *l)
{
    return l->storage_count * sizeof *l->storages + l->group_count * sizeof *l->groups +
           l->other_count * sizeof *l->others;
}

static void begin_components(kith_loader *l, const kith_world *world)
{
    for (uint32_t i = 0; i < l->storage_count; i++) {
        kith_staged_component *target = &l->storages[i];
        kith_storage          *live   = world->storages[i];
        target->storage               = live;
        target->pool                  = kith_pool_empty_like(&live->pool);
        target->parked                = live->single != NULL ? 1 : live->pool.set.head.rows_;
    }
    for (uint32_t i = 0; i < l->group_count; i++) {
        kith_staged_group *target = &l->groups[i];
        target->group             = world->groups.groups[i];
        target->index             = kith_pool_empty_like(&target->group->list.pool);
        target->ordered           = KITH_NO_ROW;
    }
}

bool kith_staging_begin(kith_loader *l, kith_world *world)
{
    assert(world->shared.held == 0);
    *l = (kith_loader){
        .reader.unpacked.allocator = world->memory,
        .world                     = world,
        .memory                    = &world->memory,
        .entities                  = kith_entity_table_empty_like(&world->entities),
        .tick                      = world->tick,
        .storage_count             = world->storage_count,
        .group_count               = world->groups.count,
    };
    list_others(l, world);
    size_t bytes = staged_bytes(l);
    l->storages  = bytes == 0 ? NULL : kith_alloc_zeroed(l->memory, bytes, KITH_CACHE_LINE);
    if (l->storages == NULL) {
        return bytes == 0;
    }
    l->groups = (kith_staged_group *)(void *)(l->storages + l->storage_count);
    l->others = (kith_staged_other *)(void *)(l->groups + l->group_count);
    begin_components(l, world);
    list_others(l, world);
    return true;
}

static void end_values(const kith_staged_component *target)
{
    const kith_pool *pool = &target->pool;
    for (uint32_t row = 0; row < target->built && pool->hooks.destruct != NULL; row++) {
        if (target->single != NULL) {
            kith_pool_destruct(pool, target->single);
        } else if (!kith_pool_is_hole(pool, row)) {
            kith_pool_destruct(pool, kith_pool_value(pool, row));
        }
    }
}

void kith_staging_end(kith_loader *l)
{
    kith_world_lock(l->world);
    kith_load_end_objects(l);
    for (uint32_t i = 0; i < l->storage_count; i++) {
        kith_staged_component *target = &l->storages[i];
        end_values(target);
        if (target->single != NULL) {
            kith_storage_free_single(target->storage, target->single);
        }
        kith_pool_free(&target->pool);
        kith_migration_destroy(target->migration, l->memory);
    }
    kith_world_unlock(l->world);
    for (uint32_t i = 0; i < l->group_count; i++) {
        kith_pool_free(&l->groups[i].index);
    }
    for (uint32_t i = 0; i < l->other_count; i++) {
        kith_staged_other *target = &l->others[i];
        kith_entity_set_free(&target->members, l->memory);
        if (target->tag == KITH_TAG_EVENTS) {
            kith_queue_free_buffer(target->queue, &target->waiting);
        }
    }
    kith_entity_table_free(&l->entities, l->memory);
    kith_free(l->memory, l->storages, staged_bytes(l), KITH_CACHE_LINE);
    kith_free(l->memory, l->components, (l->component_count + 1) * sizeof(void *), sizeof(void *));
    kith_bytes_free(&l->reader.unpacked);
}

// --- swapping --------------------------------------------------------------------------------

KITH_NOINLINE void kith_swap_memory(void *a, void *b, size_t size)
{
    uint8_t *one   = a;
    uint8_t *other = b;
    uint64_t kept;
    while (size >= sizeof kept) {
        size -= sizeof kept;
        memcpy(&kept, one + size, sizeof kept);
        memcpy(one + size, other + size, sizeof kept);
        memcpy(other + size, &kept, sizeof kept);
    }
    while (size-- != 0) {
        uint8_t byte = one[size];
        one[size]    = other[size];
        other[size]  = byte;
    }
}

static void swap_component(kith_staged_component *target, uint64_t tick)
{
    kith_storage *storage = target->storage;
    kith_swap_memory(&storage->pool, &target->pool, sizeof storage->pool);
    kith_swap_memory(&storage->single, &target->single, sizeof storage->single);
    kith_swap_memory(&target->parked, &target->built, sizeof target->built);
    storage->pool.set.head.tick_ = tick;
}

static void swap_group(kith_staged_group *target, uint64_t tick)
{
    kith_group      *group = target->group;
    kith_sparse_set *set   = &group->list.pool.set;
    kith_swap_memory(&group->list.pool, &target->index, sizeof target->index);
    kith_swap_memory(&group->members, &target->members, sizeof target->members);
    kith_swap_memory(&group->count, &target->count, sizeof target->count);
    // the order of members counts as written now
    set->head.tick_ = tick;
    kith_array_fill(set->head.stamps_, tick, set->page_count);
}

static void swap_other(const kith_loader *l, kith_staged_other *target)
{
    uint64_t since = target->since;
    switch (target->tag) {
    case KITH_TAG_SET:
        kith_swap_memory(&target->set->members, &target->members, sizeof target->members);
        kith_swap_memory(&target->set->since, &target->since, sizeof since);
        return;
    case KITH_TAG_QUERY:
        target->since = target->query->desc.since;
        kith_query_start_since(target->query, since);
        return;
    case KITH_TAG_SYSTEM:
        kith_swap_memory(&target->system->tick, &target->since, sizeof since);
        kith_swap_memory(&target->system->waited, &target->waited, sizeof target->waited);
        kith_swap_memory(&target->system->requested, &target->requested, sizeof target->requested);
        kith_swap_memory(&target->system->enabled, &target->enabled, sizeof target->enabled);
        return;
    default:
        if (l->exact) {
            kith_swap_memory(&target->queue->waiting, &target->waiting, sizeof target->waiting);
        }
    }
}

static void swap_state(kith_loader *l)
{
    kith_world *world = l->world;
    kith_swap_memory(&world->entities, &l->entities, sizeof l->entities);
    kith_swap_memory(&world->tick, &l->tick, sizeof l->tick);
    kith_swap_memory(&world->shared.disabled, &l->disabled, sizeof l->disabled);
    for (uint32_t i = 0; i < l->storage_count; i++) {
        swap_component(&l->storages[i], world->tick);
    }
    for (uint32_t i = 0; i < l->group_count; i++) {
        swap_group(&l->groups[i], world->tick);
    }
    for (uint32_t i = 0; i < l->other_count; i++) {
        swap_other(l, &l->others[i]);
    }
    kith_load_swap_objects(l);
    kith_world_update_head(world);
}

void kith_staging_swap(kith_loader *l)
{
    swap_state(l);
    l->world->history++;
    l->world->merged = 0;
    for (kith_query *query = l->world->queries; query != NULL; query = query->next) {
        query->object.ops->shrink(&query->object);
    }
}

// --- the state as a world reads it -----------------------------------------------------------

// Writes the late signatures, so that the staged state reads like a world's, and swaps it in.
static void swap_unready(kith_loader *l)
{
    for (uint32_t i = 0; i < l->entities.page_count; i++) {
        kith_staging_write_signatures(kith_entity_page_of(&l->entities, i << KITH_PAGE_SHIFT_));
    }
    swap_state(l);
}

// --- groups ----------------------------------------------------------------------------------

// Adds the members in order. The world has the staged state meanwhile.
static bool order_members(kith_loader *l, kith_group *group, uint32_t count)
{
    const kith_world *world = l->world;
    kith_sparse_set  *set   = &group->list.pool.set;
    const char       *fault = NULL;
    for (uint32_t i = 0; i < count && fault == NULL; i++) {
        uint32_t index = kith_source_u32(&l->reader.body);
        if (index >= world->entities.count || !kith_entity_index_alive(&world->entities, index) ||
            !kith_group_matches(group, index, NULL)) {
            fault = "a group has a member that does not belong to it";
        } else if (kith_sparse_set_row_at(set, index) != KITH_NO_ROW) {
            fault = "a group has a member twice";
        } else if (!kith_sparse_set_reserve_slot(set, index)) {
            return kith_reader_no_memory(&l->reader);
        } else {
            kith_sparse_set_insert(set, *kith_entity_slot_of(&world->entities, index));
        }
    }
    group->members = count;
    group->count   = count;
    return fault == NULL || kith_reader_malformed(&l->reader, fault);
}

bool kith_staging_order(kith_loader *l, kith_staged_group *target, uint32_t count)
{
    kith_group *group = target->group;
    if (group->owned != 0 || target->ordered != KITH_NO_ROW) {
        return kith_reader_malformed(&l->reader,
                                     "the group owns pools, or its order is already set");
    }
    swap_unready(l);
    bool good = order_members(l, group, count);
    swap_state(l);
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
    return kith_group_matches(group, index, NULL);
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
        if (kith_group_matches(group, *kith_sparse_set_packed(set, row), NULL)) {
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
        kith_group_fill(group);
    }
    return target->ordered == KITH_NO_ROW || target->ordered == group->members ||
           kith_reader_malformed(&l->reader, "a group lacks a member");
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
    return kith_journal_fault(journal, l->tick) == NULL ||
           kith_reader_malformed(&l->reader, "a journal's ticks do not rise");
}

// A component that was unknown has no ticks from the file.
static bool ready_ticks(kith_loader *l, kith_staged_component *target)
{
    kith_sparse_set *set  = &target->pool.set;
    uint32_t         rows = set->head.rows_;
    uint32_t         part = kith_sparse_set_page_rows(set);
    if (l->exact && !target->storage->unknown) {
        return kith_sparse_set_ticks_fault(set, l->tick) == NULL ||
               kith_reader_malformed(&l->reader, "a row's ticks are out of order");
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
    if ((single && !pool->plain && !kith_pool_reserve_spare(pool)) ||
        (masked && !kith_pool_reserve_disabled(pool))) {
        return kith_reader_no_memory(&l->reader);
    }
    return ready_journal(l, target) && ready_ticks(l, target);
}

static bool ready_set(kith_loader *l, kith_staged_other *target)
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
    for (kith_reactive *set = l->world->reactives; set != NULL; set = set->next) {
        if (!kith_reactive_reserve_more(set, 0)) {
            return kith_reader_no_memory(&l->reader);
        }
    }
    bool good = true;
    for (uint32_t i = 0; i < l->group_count && good; i++) {
        good = ready_group(l, &l->groups[i]);
    }
    return good;
}

bool kith_staging_ready(kith_loader *l)
{
    bool good = true;
    for (uint32_t i = 0; i < l->storage_count && good; i++) {
        good = ready_component(l, &l->storages[i]);
    }
    for (uint32_t i = 0; i < l->other_count && good; i++) {
        good = l->others[i].tag != KITH_TAG_SET || ready_set(l, &l->others[i]);
    }
    if (good) {
        swap_unready(l);
        good = ready_swapped(l);
        swap_state(l);
    }
    return good;
}
