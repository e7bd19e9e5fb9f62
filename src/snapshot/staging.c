// SPDX-License-Identifier: MIT
#include "snapshot/staging.h"

// --- begin and end ---------------------------------------------------------------------------

static uint32_t count_sets(const kith_world *world)
{
    uint32_t count = 0;
    for (const kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        count++;
    }
    return count;
}

static size_t stage_bytes(const kith_stage *stage)
{
    return stage->storage_count * sizeof *stage->storages + stage->set_count * sizeof *stage->sets +
           stage->group_count * sizeof *stage->groups;
}

static void begin_parts(kith_stage *stage)
{
    const kith_world    *world = stage->world;
    const kith_reactive *set   = world->reactives;
    for (uint32_t i = 0; i < stage->storage_count; i++) {
        const kith_storage *storage = world->storages[i];
        bool                single  = storage->single != NULL;
        stage->storages[i]          = (kith_stage_storage){
                     .pool   = kith_pool_alike(&storage->pool),
                     .parked = single ? 1 : storage->pool.set.head.rows_,
        };
    }
    for (uint32_t i = 0; i < stage->group_count; i++) {
        stage->groups[i] = (kith_stage_group){
            .index   = kith_pool_alike(&world->groups.groups[i]->index.pool),
            .ordered = KITH_NO_ROW,
        };
    }
    for (uint32_t i = 0; i < stage->set_count; i++, set = set->next) {
        stage->sets[i] =
            (kith_stage_set){ .gather = { .newest = set->gather.newest }, .since = set->since };
    }
}

KITH_INTERNAL bool kith_stage_begin(kith_stage *stage, kith_world *world)
{
    assert(world->shared.held == 0);
    *stage = (kith_stage){
        .world         = world,
        .entities      = kith_entity_table_alike(&world->entities),
        .storage_count = world->storage_count,
        .group_count   = world->groups.count,
        .set_count     = count_sets(world),
        .tick          = world->tick,
    };
    size_t bytes = stage_bytes(stage);
    if (!kith_recall_begin(&stage->recall, world)) {
        return false;
    }
    if (bytes == 0) {
        return true;
    }
    stage->storages = kith_alloc(kith_stage_memory(stage), bytes, KITH_CACHE_LINE);
    if (stage->storages == NULL) {
        kith_recall_end(&stage->recall);
        return false;
    }
    stage->groups = (kith_stage_group *)(void *)(stage->storages + stage->storage_count);
    stage->sets   = (kith_stage_set *)(void *)(stage->groups + stage->group_count);
    begin_parts(stage);
    return true;
}

static void end_values(const kith_stage_storage *staging)
{
    const kith_pool *pool = &staging->pool;
    for (uint32_t row = 0; row < staging->built && pool->hooks.destruct != NULL; row++) {
        if (staging->single == NULL && !kith_pool_hole(pool, row)) {
            kith_pool_destruct(pool, kith_pool_value(pool, row));
        }
    }
    if (staging->single != NULL && staging->built != 0) {
        kith_pool_destruct(pool, staging->single);
    }
}

KITH_INTERNAL void kith_stage_end(kith_stage *stage)
{
    const kith_allocator *memory = kith_stage_memory(stage);
    kith_world_enter(stage->world);
    for (uint32_t i = 0; i < stage->storage_count; i++) {
        kith_stage_storage *staging = &stage->storages[i];
        end_values(staging);
        if (staging->single != NULL) {
            kith_storage_free_single(stage->world->storages[i], memory, staging->single);
        }
        kith_pool_release(&staging->pool, memory);
    }
    kith_world_leave(stage->world);
    for (uint32_t i = 0; i < stage->group_count; i++) {
        kith_pool_release(&stage->groups[i].index, memory);
    }
    for (uint32_t i = 0; i < stage->set_count; i++) {
        kith_gather_release(&stage->sets[i].gather, memory);
    }
    kith_recall_end(&stage->recall);
    kith_entity_table_release(&stage->entities, memory);
    kith_free(memory, stage->storages, stage_bytes(stage), KITH_CACHE_LINE);
}

// --- exchanging ------------------------------------------------------------------------------

static void exchange_storage(kith_stage_storage *staging, kith_storage *storage, uint64_t tick)
{
    kith_pool pool        = storage->pool;
    void     *single      = storage->single;
    uint32_t  built       = staging->built;
    storage->pool         = staging->pool;
    storage->single       = staging->single;
    staging->built        = staging->parked;
    staging->pool         = pool;
    staging->single       = single;
    staging->parked       = built;
    kith_pool_head_ *head = &storage->pool.set.head;
    head->tick_           = tick;
}

static void exchange_group(kith_stage_group *staging, kith_group *group, uint64_t tick)
{
    kith_stage_group live = {
        .index   = group->index.pool,
        .members = group->members,
        .count   = group->count,
        .ordered = staging->ordered,
    };
    group->index.pool = staging->index;
    group->members    = staging->members;
    group->count      = staging->count;
    *staging          = live;
    // who is in which place is written now
    kith_sparse_set *set = &group->index.pool.set;
    set->head.tick_      = tick;
    kith_array_fill(set->head.stamps_, tick, set->page_count);
}

static void exchange_set(kith_stage_set *staging, kith_reactive *set)
{
    kith_gather gather = set->gather;
    uint64_t    since  = set->since;
    set->gather        = staging->gather;
    set->since         = staging->since;
    staging->gather    = gather;
    staging->since     = since;
}

static void exchange(kith_stage *stage)
{
    kith_world       *world    = stage->world;
    kith_reactive    *set      = world->reactives;
    kith_entity_table entities = world->entities;
    uint64_t          tick     = world->tick;
    uint32_t          disabled = world->shared.disabled;
    world->entities            = stage->entities;
    world->tick                = stage->tick;
    world->shared.disabled     = stage->disabled;
    stage->entities            = entities;
    stage->tick                = tick;
    stage->disabled            = disabled;
    for (uint32_t i = 0; i < stage->storage_count; i++) {
        exchange_storage(&stage->storages[i], world->storages[i], world->tick);
    }
    for (uint32_t i = 0; i < stage->group_count; i++) {
        exchange_group(&stage->groups[i], world->groups.groups[i], world->tick);
    }
    for (uint32_t i = 0; i < stage->set_count; i++, set = set->next) {
        exchange_set(&stage->sets[i], set);
    }
    kith_recall_exchange(&stage->recall, stage->exact);
    kith_world_mirror(world);
}

KITH_INTERNAL void kith_stage_trade(kith_stage *stage)
{
    exchange(stage);
    kith_world_free_lists(stage->world);
}

// --- groups ----------------------------------------------------------------------------------

static kith_stage_group *staged_group(const kith_stage *stage, const kith_group *group)
{
    uint32_t place = 0;
    while (stage->world->groups.groups[place] != group) {
        place++;
    }
    return &stage->groups[place];
}

// The world has the staged state.
static const char *order_members(kith_group *group, const uint32_t *indices, uint32_t count,
                                 bool *memory)
{
    const kith_world *world = group->world;
    kith_sparse_set  *set   = &group->index.pool.set;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = indices[i];
        if (index >= world->entities.count || !kith_entity_table_lives(&world->entities, index) ||
            !kith_group_meets(world, group, index)) {
            return "a group has a member that does not belong to it";
        }
        if (kith_sparse_set_row_at(set, index) != KITH_NO_ROW) {
            return "a group has a member twice";
        }
        if (!kith_sparse_set_reserve_slot(set, &world->memory, index)) {
            return kith_stage_lacks(memory);
        }
        kith_sparse_set_insert(set, *kith_entity_slot_of(&world->entities, index));
    }
    group->members = count;
    group->count   = count;
    return NULL;
}

// Then the staged state can be looked at as if it were the world's.
static void write_all_signatures(kith_stage *stage)
{
    for (uint32_t i = 0; i < stage->entities.page_count; i++) {
        kith_entity_page *page = kith_entity_page_of(&stage->entities, i << KITH_PAGE_SHIFT_);
        kith_stage_write_signatures(page, stage->large);
    }
}

KITH_INTERNAL const char *kith_stage_order(kith_stage *stage, kith_group *group,
                                           const uint32_t *indices, uint32_t count, bool *memory)
{
    kith_stage_group *staging = staged_group(stage, group);
    if (group->owned != 0 || staging->ordered != KITH_NO_ROW) {
        return "a group has its order from the components that it owns, or has it already";
    }
    write_all_signatures(stage);
    exchange(stage);
    const char *wrong = order_members(group, indices, count, memory);
    exchange(stage);
    staging->ordered = count;
    return wrong;
}

// Whether the row is one entity's in every owned pool, and a member's.
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
    return kith_group_meets(group->world, group, index);
}

// The members of a group that owns pools, if they are the first rows of each; otherwise 0, and all
// are to be let in as if the group were made now.
static uint32_t members_in_front(const kith_group *group)
{
    const kith_sparse_set *set   = &group->plan.terms[0].storage->pool.set;
    uint32_t               rows  = set->head.rows_;
    uint32_t               front = 0;
    while (front < rows && row_is_member(group, front)) {
        front++;
    }
    for (uint32_t row = front; row < rows; row++) {
        if (kith_group_meets(group->world, group, *kith_sparse_set_packed(set, row))) {
            return 0;
        }
    }
    return front;
}

static const char *ready_group(kith_world *world, kith_group *group, uint32_t ordered, bool *memory)
{
    if (!kith_group_reserve(group)) {
        return kith_stage_lacks(memory);
    }
    if (group->owned != 0) {
        group->members = members_in_front(group);
        group->count   = group->members;
    }
    if (group->members == 0 || group->owned == 0) {
        kith_group_fill(world, group);
    }
    return ordered == KITH_NO_ROW || ordered == group->members ? NULL : "a group lacks some member";
}

// --- making ready ----------------------------------------------------------------------------

KITH_INTERNAL kith_journal *kith_stage_journal(kith_stage *stage, const kith_storage *storage)
{
    kith_stage_storage *staging  = kith_stage_storage_of(stage, storage);
    kith_journal       *journal  = &staging->pool.journal;
    uint32_t            capacity = storage->desc.traits.journal;
    staging->recalled            = true;
    return kith_journal_make(journal, kith_stage_memory(stage), capacity) ? journal : NULL;
}

KITH_INTERNAL kith_stage_set *kith_stage_members(kith_stage *stage, const kith_reactive *set)
{
    kith_stage_set *staging = stage->sets;
    for (const kith_reactive *other = stage->world->reactives; other != set; other = other->next) {
        staging++;
    }
    staging->given = true;
    return staging;
}

// Nothing of the old journal is lost, and all rows of before go. What would be in the future, where
// the new state is an older one, happens now.
static void note_old_rows(kith_journal *journal, const kith_pool *old, uint64_t tick)
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
            kith_journal_note(journal, tick, version | index);
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

static const char *ready_journal(kith_stage *stage, const kith_storage *storage, bool *memory)
{
    kith_pool *pool = &kith_stage_storage_of(stage, storage)->pool;
    if (storage->pool.journal.entries == NULL) {
        return NULL;
    }
    if (pool->journal.entries == NULL) {
        bool recalled = kith_stage_storage_of(stage, storage)->recalled;
        if (kith_stage_journal(stage, storage) == NULL) {
            return kith_stage_lacks(memory);
        }
        if (!recalled && !stage->exact) {
            note_old_rows(&pool->journal, &storage->pool, stage->tick);
        }
    }
    return journal_holds(&pool->journal, stage->tick) ? NULL : "a journal's ticks do not rise";
}

static bool ticks_hold(const kith_sparse_set *set, uint64_t now)
{
    bool hold = true;
    for (uint32_t row = 0; row < set->head.rows_ && hold; row++) {
        uint64_t stamp = set->head.stamps_[row >> set->head.shift_];
        bool     hole  = (*kith_sparse_set_packed(set, row) & KITH_HOLE) != 0;
        hold           = stamp <= now;
        if (hold && kith_sparse_set_ticked(set) && !hole) {
            uint64_t changed = *kith_row_tick_(&set->head, row);
            hold             = *kith_sparse_set_added(set, row) <= changed && changed <= stamp;
        }
    }
    return hold;
}

// Of components that were adopted nobody gave the ticks.
static const char *ready_ticks(const kith_stage *stage, kith_sparse_set *set, bool adopted)
{
    uint32_t rows = set->head.rows_;
    uint32_t part = kith_sparse_set_page_rows(set);
    if (stage->exact && !adopted) {
        return ticks_hold(set, stage->tick) ? NULL : "a row's ticks are out of order";
    }
    set->head.tick_ = stage->tick;
    for (uint32_t row = 0; row < rows; row += part) {
        part = kith_least(rows - row, part);
        kith_sparse_set_begin(set, row, part);
    }
    return NULL;
}

static const char *ready_storage(kith_stage *stage, kith_storage *storage, bool *memory)
{
    kith_stage_storage   *staging = kith_stage_storage_of(stage, storage);
    kith_pool            *pool    = &staging->pool;
    const kith_allocator *from    = kith_stage_memory(stage);
    bool                  single  = staging->single != NULL || storage->keeps;
    bool                  masked  = storage->pool.disabled != NULL;
    if (pool->set.head.rows_ != 0 && !staging->linked) {
        return "a component's rows are not linked";
    }
    assert(pool->plain || staging->built == (staging->single != NULL ? 1 : pool->set.head.rows_));
    if ((single && !pool->plain && !kith_pool_reserve_spare(pool, from)) ||
        (masked && !kith_pool_reserve_disabled(pool, from))) {
        return kith_stage_lacks(memory);
    }
    const char *wrong = ready_journal(stage, storage, memory);
    return wrong != NULL ? wrong : ready_ticks(stage, &pool->set, storage->adopted);
}

static bool ready_set(const kith_stage *stage, kith_stage_set *staging, const kith_reactive *set)
{
    const kith_gather *old = &set->gather;
    staging->since         = staging->since < stage->tick ? staging->since : stage->tick;
    if (staging->given || stage->exact || !set->desc.keep_dead) {
        return true;
    }
    bool enough = kith_gather_reserve(&staging->gather, kith_stage_memory(stage), old->count, NULL);
    for (uint32_t i = 0; i < old->end && enough; i++) {
        if (old->entries[i].entity != KITH_NULL) {
            kith_gather_add(&staging->gather, old->entries[i].entity, NULL);
        }
    }
    return enough;
}

// The world has the staged state.
static const char *ready_others(kith_stage *stage, bool *memory)
{
    kith_world *world  = stage->world;
    const char *wrong  = NULL;
    bool        enough = true;
    for (kith_reactive *set = world->reactives; set != NULL && enough; set = set->next) {
        enough = kith_reactive_secure(set, 0);
    }
    for (uint32_t i = 0; i < stage->group_count && enough && wrong == NULL; i++) {
        wrong = ready_group(world, world->groups.groups[i], stage->groups[i].ordered, memory);
    }
    return enough ? wrong : kith_stage_lacks(memory);
}

KITH_INTERNAL const char *kith_stage_ready(kith_stage *stage, bool *memory)
{
    const kith_reactive *set    = stage->world->reactives;
    const char          *wrong  = NULL;
    bool                 enough = true;
    for (uint32_t i = 0; i < stage->storage_count && wrong == NULL; i++) {
        wrong = ready_storage(stage, stage->world->storages[i], memory);
    }
    for (uint32_t i = 0; i < stage->set_count && enough; i++, set = set->next) {
        enough = ready_set(stage, &stage->sets[i], set);
    }
    if (wrong != NULL || !enough) {
        return wrong != NULL ? wrong : kith_stage_lacks(memory);
    }
    write_all_signatures(stage);
    exchange(stage);
    wrong = ready_others(stage, memory);
    exchange(stage);
    return wrong;
}

// --- staging_runtime ---

static const kith_graph *graph_of(const kith_world *world)
{
    return world->schedule == NULL ? NULL : &world->schedule->graph;
}

static size_t recall_bytes(const kith_recall *recall)
{
    return recall->query_count * sizeof *recall->queries +
           recall->system_count * sizeof *recall->systems +
           recall->queue_count * sizeof *recall->queues;
}

static void count_recalled(kith_recall *recall, kith_world *world)
{
    const kith_graph *graph = graph_of(world);
    *recall = (kith_recall){ .world = world, .system_count = graph == NULL ? 0 : graph->count };
    for (const kith_query *query = world->queries; query != NULL; query = query->next) {
        recall->query_count++;
    }
    for (const kith_queue *queue = world->queues; queue != NULL; queue = queue->next_queue) {
        recall->queue_count++;
    }
}

KITH_INTERNAL bool kith_recall_begin(kith_recall *recall, kith_world *world)
{
    count_recalled(recall, world);
    size_t bytes = recall_bytes(recall);
    if (bytes == 0) {
        return true;
    }
    recall->queries = kith_alloc_zeroed(&world->memory, bytes, KITH_CACHE_LINE);
    if (recall->queries == NULL) {
        return false;
    }
    recall->systems = (kith_recalled_system *)(void *)(recall->queries + recall->query_count);
    recall->queues  = (kith_recalled_queue *)(void *)(recall->systems + recall->system_count);
    for (uint32_t i = 0; i < recall->system_count; i++) {
        const kith_system *system  = graph_of(world)->systems[i];
        recall->systems[i].waited  = system->waited;
        recall->systems[i].due     = system->due;
        recall->systems[i].enabled = system->enabled;
    }
    return true;
}

KITH_INTERNAL void kith_recall_end(kith_recall *recall)
{
    const kith_queue *queue = recall->world->queues;
    for (uint32_t i = 0; i < recall->queue_count; i++, queue = queue->next_queue) {
        kith_queue_free_buffer(queue, &recall->queues[i].waiting);
    }
    kith_free(&recall->world->memory, recall->queries, recall_bytes(recall), KITH_CACHE_LINE);
}

static void exchange_system(kith_recalled_system *recalled, kith_system *system)
{
    const kith_recalled_system before = { .tick    = system->tick,
                                          .waited  = system->waited,
                                          .due     = system->due,
                                          .enabled = system->enabled,
                                          .given   = recalled->given };
    system->tick                      = recalled->tick;
    system->waited                    = recalled->waited;
    system->due                       = recalled->due;
    system->enabled                   = recalled->enabled;
    *recalled                         = before;
}

KITH_INTERNAL void kith_recall_exchange(kith_recall *recall, bool events)
{
    kith_query *query = recall->world->queries;
    kith_queue *queue = recall->world->queues;
    for (uint32_t i = 0; i < recall->query_count; i++, query = query->next) {
        uint64_t since = query->desc.since;
        kith_query_note_since(query, recall->queries[i].since);
        recall->queries[i].since = since;
    }
    for (uint32_t i = 0; i < recall->system_count; i++) {
        exchange_system(&recall->systems[i], graph_of(recall->world)->systems[i]);
    }
    for (uint32_t i = 0; i < recall->queue_count && events; i++, queue = queue->next_queue) {
        kith_buffer waiting       = queue->waiting;
        queue->waiting            = recall->queues[i].waiting;
        recall->queues[i].waiting = waiting;
    }
}
