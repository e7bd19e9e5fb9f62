// SPDX-License-Identifier: MIT
// A staging as a whole: begin, groups, journals, ready, swap, end (see staging.h).
#include "snapshot/staging.h"
#include "event/event.h"
#include "group/group.h"

// --- queries, systems, events ----------------------------------------------------------------

static const kith_graph *graph_of(const kith_world *world)
{
    return world->schedule == NULL ? NULL : &world->schedule->graph;
}

static size_t runtime_bytes(const kith_staging_runtime *runtime)
{
    return runtime->query_count * sizeof *runtime->queries +
           runtime->system_count * sizeof *runtime->systems +
           runtime->queue_count * sizeof *runtime->queues;
}

static void count_staged(kith_staging_runtime *runtime, kith_world *world)
{
    const kith_graph *graph = graph_of(world);
    *runtime =
        (kith_staging_runtime){ .world = world, .system_count = graph == NULL ? 0 : graph->count };
    for (const kith_query *query = world->queries; query != NULL; query = query->next) {
        runtime->query_count++;
    }
    for (const kith_queue *queue = world->queues; queue != NULL; queue = queue->next_queue) {
        runtime->queue_count++;
    }
}

static bool runtime_begin(kith_staging_runtime *runtime, kith_world *world)
{
    count_staged(runtime, world);
    size_t bytes = runtime_bytes(runtime);
    if (bytes == 0) {
        return true;
    }
    runtime->queries = kith_alloc_zeroed(&world->memory, bytes, KITH_CACHE_LINE);
    if (runtime->queries == NULL) {
        return false;
    }
    runtime->systems = (kith_staged_system *)(void *)(runtime->queries + runtime->query_count);
    runtime->queues  = (kith_staged_queue *)(void *)(runtime->systems + runtime->system_count);
    for (uint32_t i = 0; i < runtime->system_count; i++) {
        const kith_system *system     = graph_of(world)->systems[i];
        runtime->systems[i].waited    = system->waited;
        runtime->systems[i].requested = system->requested;
        runtime->systems[i].enabled   = system->enabled;
    }
    return true;
}

static void runtime_end(kith_staging_runtime *runtime)
{
    const kith_queue *queue = runtime->world->queues;
    for (uint32_t i = 0; i < runtime->queue_count; i++, queue = queue->next_queue) {
        kith_queue_free_buffer(queue, &runtime->queues[i].waiting);
    }
    kith_free(&runtime->world->memory, runtime->queries, runtime_bytes(runtime), KITH_CACHE_LINE);
}

static void swap_system(kith_staged_system *staged, kith_system *system)
{
    const kith_staged_system before = { .tick      = system->tick,
                                        .waited    = system->waited,
                                        .requested = system->requested,
                                        .enabled   = system->enabled,
                                        .given     = staged->given };
    system->tick                    = staged->tick;
    system->waited                  = staged->waited;
    system->requested               = staged->requested;
    system->enabled                 = staged->enabled;
    *staged                         = before;
}

static void runtime_swap(kith_staging_runtime *runtime, bool events)
{
    kith_query *query = runtime->world->queries;
    kith_queue *queue = runtime->world->queues;
    for (uint32_t i = 0; i < runtime->query_count; i++, query = query->next) {
        uint64_t since = query->desc.since;
        kith_query_start_since(query, runtime->queries[i].since);
        runtime->queries[i].since = since;
    }
    for (uint32_t i = 0; i < runtime->system_count; i++) {
        swap_system(&runtime->systems[i], graph_of(runtime->world)->systems[i]);
    }
    for (uint32_t i = 0; i < runtime->queue_count && events; i++, queue = queue->next_queue) {
        kith_buffer waiting        = queue->waiting;
        queue->waiting             = runtime->queues[i].waiting;
        runtime->queues[i].waiting = waiting;
    }
}

// --- begin and end ---------------------------------------------------------------------------

static uint32_t count_sets(const kith_world *world)
{
    uint32_t count = 0;
    for (const kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        count++;
    }
    return count;
}

static size_t stage_bytes(const kith_staging *staging)
{
    return staging->storage_count * sizeof *staging->storages +
           staging->set_count * sizeof *staging->sets +
           staging->group_count * sizeof *staging->groups;
}

static void begin_parts(kith_staging *staging)
{
    const kith_world    *world = staging->world;
    const kith_reactive *set   = world->reactives;
    for (uint32_t i = 0; i < staging->storage_count; i++) {
        const kith_storage *storage = world->storages[i];
        bool                single  = storage->single != NULL;
        staging->storages[i]        = (kith_staging_storage){
                   .pool   = kith_pool_empty_like(&storage->pool),
                   .parked = single ? 1 : storage->pool.set.head.rows_,
        };
    }
    for (uint32_t i = 0; i < staging->group_count; i++) {
        staging->groups[i] = (kith_staging_group){
            .index   = kith_pool_empty_like(&world->groups.groups[i]->list.pool),
            .ordered = KITH_NO_ROW,
        };
    }
    for (uint32_t i = 0; i < staging->set_count; i++, set = set->next) {
        staging->sets[i] =
            (kith_staging_set){ .members = { .newest = set->members.newest }, .since = set->since };
    }
}

KITH_INTERNAL bool kith_staging_begin(kith_staging *staging, kith_world *world)
{
    assert(world->shared.held == 0);
    *staging = (kith_staging){
        .world         = world,
        .entities      = kith_entity_table_empty_like(&world->entities),
        .storage_count = world->storage_count,
        .group_count   = world->groups.count,
        .set_count     = count_sets(world),
        .tick          = world->tick,
    };
    size_t bytes = stage_bytes(staging);
    if (!runtime_begin(&staging->runtime, world)) {
        return false;
    }
    if (bytes == 0) {
        return true;
    }
    staging->storages = kith_alloc(kith_staging_memory(staging), bytes, KITH_CACHE_LINE);
    if (staging->storages == NULL) {
        runtime_end(&staging->runtime);
        return false;
    }
    staging->groups = (kith_staging_group *)(void *)(staging->storages + staging->storage_count);
    staging->sets   = (kith_staging_set *)(void *)(staging->groups + staging->group_count);
    begin_parts(staging);
    return true;
}

static void end_values(const kith_staging_storage *target)
{
    const kith_pool *pool = &target->pool;
    for (uint32_t row = 0; row < target->built && pool->hooks.destruct != NULL; row++) {
        if (target->single == NULL && !kith_pool_is_hole(pool, row)) {
            kith_pool_destruct(pool, kith_pool_value(pool, row));
        }
    }
    if (target->single != NULL && target->built != 0) {
        kith_pool_destruct(pool, target->single);
    }
}

KITH_INTERNAL void kith_staging_end(kith_staging *staging)
{
    const kith_allocator *memory = kith_staging_memory(staging);
    kith_world_lock(staging->world);
    for (uint32_t i = 0; i < staging->storage_count; i++) {
        kith_staging_storage *target = &staging->storages[i];
        end_values(target);
        if (target->single != NULL) {
            kith_storage_free_single(staging->world->storages[i], memory, target->single);
        }
        kith_pool_free(&target->pool, memory);
    }
    kith_world_unlock(staging->world);
    for (uint32_t i = 0; i < staging->group_count; i++) {
        kith_pool_free(&staging->groups[i].index, memory);
    }
    for (uint32_t i = 0; i < staging->set_count; i++) {
        kith_entity_set_free(&staging->sets[i].members, memory);
    }
    runtime_end(&staging->runtime);
    kith_entity_table_free(&staging->entities, memory);
    kith_free(memory, staging->storages, stage_bytes(staging), KITH_CACHE_LINE);
}

// --- swapping --------------------------------------------------------------------------------

static void swap_storage(kith_staging_storage *target, kith_storage *storage, uint64_t tick)
{
    kith_pool pool        = storage->pool;
    void     *single      = storage->single;
    uint32_t  built       = target->built;
    storage->pool         = target->pool;
    storage->single       = target->single;
    target->built         = target->parked;
    target->pool          = pool;
    target->single        = single;
    target->parked        = built;
    kith_pool_head_ *head = &storage->pool.set.head;
    head->tick_           = tick;
}

static void swap_group(kith_staging_group *target, kith_group *group, uint64_t tick)
{
    kith_staging_group live = {
        .index   = group->list.pool,
        .members = group->members,
        .count   = group->count,
        .ordered = target->ordered,
    };
    group->list.pool = target->index;
    group->members   = target->members;
    group->count     = target->count;
    *target          = live;
    // the order of members counts as written now
    kith_sparse_set *set = &group->list.pool.set;
    set->head.tick_      = tick;
    kith_array_fill(set->head.stamps_, tick, set->page_count);
}

static void swap_set(kith_staging_set *target, kith_reactive *set)
{
    kith_entity_set members = set->members;
    uint64_t        since   = set->since;
    set->members            = target->members;
    set->since              = target->since;
    target->members         = members;
    target->since           = since;
}

static void swap_state(kith_staging *staging)
{
    kith_world       *world    = staging->world;
    kith_reactive    *set      = world->reactives;
    kith_entity_table entities = world->entities;
    uint64_t          tick     = world->tick;
    uint32_t          disabled = world->shared.disabled;
    world->entities            = staging->entities;
    world->tick                = staging->tick;
    world->shared.disabled     = staging->disabled;
    staging->entities          = entities;
    staging->tick              = tick;
    staging->disabled          = disabled;
    for (uint32_t i = 0; i < staging->storage_count; i++) {
        swap_storage(&staging->storages[i], world->storages[i], world->tick);
    }
    for (uint32_t i = 0; i < staging->group_count; i++) {
        swap_group(&staging->groups[i], world->groups.groups[i], world->tick);
    }
    for (uint32_t i = 0; i < staging->set_count; i++, set = set->next) {
        swap_set(&staging->sets[i], set);
    }
    runtime_swap(&staging->runtime, staging->exact);
    kith_world_update_head(world);
}

KITH_INTERNAL void kith_staging_swap(kith_staging *staging)
{
    swap_state(staging);
    for (kith_query *query = staging->world->queries; query != NULL; query = query->next) {
        query->object.ops->shrink(&query->object);
    }
}

// --- groups ----------------------------------------------------------------------------------

static kith_staging_group *staged_group(const kith_staging *staging, const kith_group *group)
{
    uint32_t place = 0;
    while (staging->world->groups.groups[place] != group) {
        place++;
    }
    return &staging->groups[place];
}

// Adds the members in order. The world has the staged state meanwhile.
static const char *order_members(kith_group *group, const uint32_t *indices, uint32_t count,
                                 bool *oom)
{
    const kith_world *world = group->object.world;
    kith_sparse_set  *set   = &group->list.pool.set;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = indices[i];
        if (index >= world->entities.count || !kith_entity_index_alive(&world->entities, index) ||
            !kith_group_matches(world, group, index)) {
            return "a group has a member that does not belong to it";
        }
        if (kith_sparse_set_row_at(set, index) != KITH_NO_ROW) {
            return "a group has a member twice";
        }
        if (!kith_sparse_set_reserve_slot(set, &world->memory, index)) {
            return kith_staging_no_memory(oom);
        }
        kith_sparse_set_insert(set, *kith_entity_slot_of(&world->entities, index));
    }
    group->members = count;
    group->count   = count;
    return NULL;
}

// Writes the late signatures, so that the staged state reads like a world's.
static void write_all_signatures(kith_staging *staging)
{
    for (uint32_t i = 0; i < staging->entities.page_count; i++) {
        kith_entity_page *page = kith_entity_page_of(&staging->entities, i << KITH_PAGE_SHIFT_);
        kith_staging_write_signatures(page, staging->large);
    }
}

KITH_INTERNAL const char *kith_staging_order(kith_staging *staging, kith_group *group,
                                             const uint32_t *indices, uint32_t count, bool *oom)
{
    kith_staging_group *target = staged_group(staging, group);
    if (group->owned != 0 || target->ordered != KITH_NO_ROW) {
        return "the group owns pools, or its order is already set";
    }
    write_all_signatures(staging);
    swap_state(staging);
    const char *wrong = order_members(group, indices, count, oom);
    swap_state(staging);
    target->ordered = count;
    return wrong;
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

static const char *ready_group(kith_world *world, kith_group *group, uint32_t ordered, bool *oom)
{
    if (!kith_group_reserve_list(group)) {
        return kith_staging_no_memory(oom);
    }
    if (group->owned != 0) {
        group->members = members_in_front(group);
        group->count   = group->members;
    }
    if (group->members == 0 || group->owned == 0) {
        kith_group_fill(world, group);
    }
    return ordered == KITH_NO_ROW || ordered == group->members ? NULL : "a group lacks a member";
}

// --- making ready ----------------------------------------------------------------------------

KITH_INTERNAL kith_journal *kith_staging_journal(kith_staging *staging, const kith_storage *storage)
{
    kith_staging_storage *target   = kith_staging_storage_of(staging, storage);
    kith_journal         *journal  = &target->pool.journal;
    uint32_t              capacity = storage->desc.traits.journal;
    target->staged                 = true;
    return kith_journal_init(journal, kith_staging_memory(staging), capacity) ? journal : NULL;
}

KITH_INTERNAL kith_staging_set *kith_staging_members(kith_staging        *staging,
                                                     const kith_reactive *set)
{
    kith_staging_set *target = staging->sets;
    for (const kith_reactive *other = staging->world->reactives; other != set;
         other                      = other->next) {
        target++;
    }
    target->given = true;
    return target;
}

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

static const char *ready_journal(kith_staging *staging, const kith_storage *storage, bool *oom)
{
    kith_pool *pool = &kith_staging_storage_of(staging, storage)->pool;
    if (storage->pool.journal.entries == NULL) {
        return NULL;
    }
    if (pool->journal.entries == NULL) {
        bool staged = kith_staging_storage_of(staging, storage)->staged;
        if (kith_staging_journal(staging, storage) == NULL) {
            return kith_staging_no_memory(oom);
        }
        if (!staged && !staging->exact) {
            record_old_rows(&pool->journal, &storage->pool, staging->tick);
        }
    }
    return journal_holds(&pool->journal, staging->tick) ? NULL : "a journal's ticks do not rise";
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
static const char *ready_ticks(const kith_staging *staging, kith_sparse_set *set, bool unknown)
{
    uint32_t rows = set->head.rows_;
    uint32_t part = kith_sparse_set_page_rows(set);
    if (staging->exact && !unknown) {
        return ticks_hold(set, staging->tick) ? NULL : "a row's ticks are out of order";
    }
    set->head.tick_ = staging->tick;
    for (uint32_t row = 0; row < rows; row += part) {
        part = kith_min(rows - row, part);
        kith_sparse_set_stamp_added(set, row, part);
    }
    return NULL;
}

static const char *ready_storage(kith_staging *staging, kith_storage *storage, bool *oom)
{
    kith_staging_storage *target = kith_staging_storage_of(staging, storage);
    kith_pool            *pool   = &target->pool;
    const kith_allocator *from   = kith_staging_memory(staging);
    bool                  single = target->single != NULL || storage->keeps;
    bool                  masked = storage->pool.disabled != NULL;
    if (pool->set.head.rows_ != 0 && !target->linked) {
        return "a component's rows are not linked";
    }
    assert(pool->plain || target->built == (target->single != NULL ? 1 : pool->set.head.rows_));
    if ((single && !pool->plain && !kith_pool_reserve_spare(pool, from)) ||
        (masked && !kith_pool_reserve_disabled(pool, from))) {
        return kith_staging_no_memory(oom);
    }
    const char *wrong = ready_journal(staging, storage, oom);
    return wrong != NULL ? wrong : ready_ticks(staging, &pool->set, storage->unknown);
}

static bool ready_set(const kith_staging *staging, kith_staging_set *target,
                      const kith_reactive *set)
{
    const kith_entity_set *old = &set->members;
    target->since              = target->since < staging->tick ? target->since : staging->tick;
    if (target->given || staging->exact || !set->desc.keep_dead) {
        return true;
    }
    bool enough =
        kith_entity_set_reserve(&target->members, kith_staging_memory(staging), old->count, NULL);
    for (uint32_t i = 0; i < old->end && enough; i++) {
        if (old->entries[i].entity != KITH_NULL) {
            kith_entity_set_add(&target->members, old->entries[i].entity, NULL);
        }
    }
    return enough;
}

// Makes sets and groups ready. The world has the staged state meanwhile.
static const char *ready_others(kith_staging *staging, bool *oom)
{
    kith_world *world  = staging->world;
    const char *wrong  = NULL;
    bool        enough = true;
    for (kith_reactive *set = world->reactives; set != NULL && enough; set = set->next) {
        enough = kith_reactive_reserve_more(set, 0);
    }
    for (uint32_t i = 0; i < staging->group_count && enough && wrong == NULL; i++) {
        wrong = ready_group(world, world->groups.groups[i], staging->groups[i].ordered, oom);
    }
    return enough ? wrong : kith_staging_no_memory(oom);
}

KITH_INTERNAL const char *kith_staging_ready(kith_staging *staging, bool *oom)
{
    const kith_reactive *set    = staging->world->reactives;
    const char          *wrong  = NULL;
    bool                 enough = true;
    for (uint32_t i = 0; i < staging->storage_count && wrong == NULL; i++) {
        wrong = ready_storage(staging, staging->world->storages[i], oom);
    }
    for (uint32_t i = 0; i < staging->set_count && enough; i++, set = set->next) {
        enough = ready_set(staging, &staging->sets[i], set);
    }
    if (wrong != NULL || !enough) {
        return wrong != NULL ? wrong : kith_staging_no_memory(oom);
    }
    write_all_signatures(staging);
    swap_state(staging);
    wrong = ready_others(staging, oom);
    swap_state(staging);
    return wrong;
}
