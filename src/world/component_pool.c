// SPDX-License-Identifier: MIT
// The rows of one component: enable, and as a whole count, reserve, swap, clear, and what changed
// since a tick.
// The names of enums that no call needs are here too: a program that counts nothing links none of
// it.
#include "world/component.h"
#include "world/membership.h"

KITH_NAMES(
    kith_error_code,
    "ok\0memory\0limit\0null_entity\0dead_entity\0unregistered\0conflict\0kind\0policy\0hook\0"
    "argument\0busy\0dying\0closed\0undeclared\0format\0unsaved\0io\0held\0notice\0")
KITH_NAMES(kith_field_type,
           "bool\0u8\0u16\0u32\0u64\0i8\0i16\0i32\0i64\0f32\0f64\0entity\0chars\0enum\0"
           "struct\0skip\0")
KITH_NAMES(kith_form, "none\0fields\0plain\0functions\0transient\0")
KITH_NAMES(kith_free_order, "default\0lifo\0fifo\0lowest\0")

uint32_t kith_component_count(const kith_world *world, kith_component component)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_ON_ENTITY, __func__);
    return storage == NULL ? 0 : kith_storage_count(storage);
}

// The entity's row, or KITH_NO_ROW; reports an error for a component without rows.
KITH_NOINLINE static uint32_t find_row(const kith_world *world, kith_entity entity,
                                       kith_component component, const char *call,
                                       const kith_storage **storage)
{
    *storage = kith_storage_for_read(world, component, KITH_WITH_ROWS, call);
    return *storage == NULL ? KITH_NO_ROW : kith_sparse_set_row(&(*storage)->pool.set, entity);
}

uint32_t kith_component_row(const kith_world *world, kith_entity entity, kith_component component)
{
    const kith_storage *storage;
    return find_row(world, entity, component, __func__, &storage);
}

static bool row_in_use(const kith_storage *storage, uint32_t row)
{
    return storage != NULL && row < storage->pool.set.head.rows_ &&
           !kith_pool_is_hole(&storage->pool, row);
}

static kith_entity entity_in(const kith_world *world, const kith_storage *storage, uint32_t row)
{
    return *kith_entity_slot_of(&world->entities, *kith_sparse_set_packed(&storage->pool.set, row));
}

kith_entity kith_component_entity(const kith_world *world, kith_component component, uint32_t row)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_WITH_ROWS, __func__);
    return row_in_use(storage, row) ? entity_in(world, storage, row) : KITH_NULL;
}

const void *kith_component_value(const kith_world *world, kith_component component, uint32_t row)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_WITH_ROWS, __func__);
    return row_in_use(storage, row) ? kith_pool_value(&storage->pool, row) : NULL;
}

kith_entity kith_component_owner(const kith_world *world, kith_component component,
                                 const void *address)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_WITH_ROWS, __func__);
    uint32_t row = storage == NULL ? KITH_NO_ROW : kith_pool_find_row(&storage->pool, address);
    return row == KITH_NO_ROW ? KITH_NULL : entity_in(world, storage, row);
}

bool kith_storage_allows(kith_world *world, const kith_storage *storage, uint32_t rows,
                         const char *call)
{
    uint32_t most = kith_min(kith_sparse_set_max(&storage->pool.set), world->entities.index_end);
    if (rows <= most) {
        return true;
    }
    bool       limited = most == storage->pool.set.limit;
    kith_error error   = { .code      = KITH_ERROR_LIMIT,
                           .call      = call,
                           .component = storage->desc.id,
                           .subject   = limited ? NULL : "the number of entities",
                           .have      = most,
                           .want      = rows,
                           .other     = limited ? storage->desc.name : NULL };
    return kith_world_fail(world, &error);
}

bool kith_component_reserve(kith_world *world, kith_component component, uint32_t rows)
{
    kith_storage *storage =
        kith_storage_for_write(world, component, KITH_NULL, KITH_WITH_ROWS, __func__);
    if (storage == NULL || !kith_storage_allows(world, storage, rows, __func__)) {
        return false;
    }
    return kith_pool_reserve_rows(&storage->pool, rows) ||
           kith_world_refuse(world, KITH_ERROR_MEMORY, __func__, component, KITH_NULL);
}

kith_pool_stats kith_component_stats(const kith_world *world, kith_component component)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_WITH_ROWS, __func__);
    if (storage == NULL) {
        return (kith_pool_stats){ 0 };
    }
    const kith_sparse_set *set = &storage->pool.set;
    return (kith_pool_stats){ kith_storage_count(storage), set->head.rows_, set->head.capacity_,
                              set->limit };
}

bool kith_component_limit_set(kith_world *world, kith_component component, uint32_t rows)
{
    kith_storage *storage =
        kith_storage_for_write(world, component, KITH_NULL, KITH_WITH_ROWS, __func__);
    if (storage == NULL) {
        return false;
    }
    if (rows < storage->pool.set.head.rows_) {
        return kith_world_refuse_numbers(world, KITH_ERROR_ARGUMENT, __func__, component,
                                         "the limit must not be below the number of rows",
                                         storage->pool.set.head.rows_, rows);
    }
    kith_sparse_set_set_limit(&storage->pool.set, rows);
    return true;
}

// The storage for a call that moves rows of the component, or NULL and an error.
KITH_NOINLINE static kith_storage *rows_to_move(kith_world *world, kith_component component,
                                                const char *call)
{
    kith_storage *storage =
        kith_storage_for_write(world, component, KITH_NULL, KITH_WITH_ROWS, call);
    return storage != NULL && kith_require_movable(world, call, component) ? storage : NULL;
}

bool kith_component_shrink(kith_world *world, kith_component component)
{
    kith_storage *storage = rows_to_move(world, component, __func__);
    if (storage == NULL) {
        return false;
    }
    kith_pool_shrink(&storage->pool);
    return true;
}

bool kith_component_compact(kith_world *world, kith_component component)
{
    kith_storage *storage = rows_to_move(world, component, __func__);
    if (storage == NULL) {
        return false;
    }
    kith_world_lock(world);
    kith_pool_compact(&storage->pool);
    kith_world_unlock(world);
    return true;
}

bool kith_require_unowned(kith_world *world, const kith_storage *storage, const char *call)
{
    for (uint32_t i = 0; i < storage->groups_with.count; i++) {
        const kith_group *group = storage->groups_with.groups[i];
        for (uint32_t k = 0; k < group->owned; k++) {
            if (group->plan.terms[k].storage == storage) {
                return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, storage->desc.id,
                                                 "a group owns its rows; call kith_group_sort",
                                                 group->desc.name);
            }
        }
    }
    return true;
}

bool kith_component_swap(kith_world *world, kith_component component, kith_entity a, kith_entity b)
{
    kith_storage *storage = kith_storage_for_entity(world, a, component, KITH_WITH_ROWS, __func__);
    if (storage == NULL ||
        kith_storage_for_entity(world, b, component, KITH_WITH_ROWS, __func__) == NULL ||
        !kith_require_movable(world, __func__, component)) {
        return false;
    }
    if (storage->desc.traits.policy == KITH_POLICY_STABLE) {
        return kith_world_refuse(world, KITH_ERROR_POLICY, __func__, component, a);
    }
    if (!kith_require_unowned(world, storage, __func__)) {
        return false;
    }
    uint32_t row_a = kith_sparse_set_row(&storage->pool.set, a);
    uint32_t row_b = kith_sparse_set_row(&storage->pool.set, b);
    if (row_a == KITH_NO_ROW || row_b == KITH_NO_ROW) {
        return false;
    }
    kith_world_lock(world);
    kith_pool_swap(&storage->pool, row_a, row_b);
    kith_world_unlock(world);
    return true;
}

static const char call_clear[] = "kith_component_clear";

static void clear_flag(kith_world *world, kith_storage *storage)
{
    for (kith_entity entity = kith_entity_next(world, KITH_NULL); entity != KITH_NULL;
         entity             = kith_entity_next(world, entity)) {
        if (kith_entity_bit(&world->entities, kith_entity_index(entity), storage->bit)) {
            kith_component_remove_from(world, storage, entity, call_clear);
        }
    }
}

// Removes row by row: the component has listeners or groups, or the world is held. Rows that
// listeners add meanwhile stay.
static void remove_singly(kith_world *world, kith_storage *storage)
{
    uint32_t rows = storage->pool.set.head.rows_;
    for (uint32_t row = 0; row < rows; row++) {
        if (!kith_pool_is_hole(&storage->pool, row)) {
            kith_component_remove_from(world, storage, entity_in(world, storage, row), call_clear);
        }
    }
}

static void clear_rows(kith_world *world, kith_storage *storage)
{
    for (uint32_t row = 0; row < storage->pool.set.head.rows_; row++) {
        uint32_t index = *kith_sparse_set_packed(&storage->pool.set, row);
        if ((index & KITH_HOLE) == 0) {
            kith_entity_bit_clear(&world->entities, index, storage->bit);
        }
    }
    kith_world_lock(world);
    kith_pool_clear(&storage->pool);
    kith_world_unlock(world);
}

bool kith_component_clear(kith_world *world, kith_component component)
{
    kith_storage *storage =
        kith_storage_for_write(world, component, KITH_NULL, KITH_ON_ENTITY, call_clear);
    if (storage == NULL) {
        return false;
    }
    bool observed = storage->events[KITH_EVENT_REMOVE].count != 0;
    bool singly   = observed || world->shared.held != 0 || kith_storage_in_group(storage);
    if (!kith_require_event(world, &storage->events[KITH_EVENT_REMOVE], call_clear, component)) {
        return false;
    }
    kith_hold(world);
    if (storage->desc.kind == KITH_KIND_FLAG) {
        clear_flag(world, storage);
    } else if (singly) {
        remove_singly(world, storage);
    } else {
        clear_rows(world, storage);
    }
    kith_release(world);
    return true;
}

uint64_t kith_component_stamp(const kith_world *world, kith_component component, uint32_t row)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_WITH_ROWS, __func__);
    if (storage == NULL || row >= storage->pool.set.head.rows_) {
        return 0;
    }
    return storage->pool.set.head.stamps_[row >> storage->pool.set.head.shift_];
}

// --- changes of one row ----------------------------------------------------------------------

KITH_NOINLINE static void report_argument(const kith_world *world, kith_component component,
                                          const char *call, const char *subject)
{
    kith_error error = {
        .code = KITH_ERROR_ARGUMENT, .call = call, .component = component, .subject = subject
    };
    kith_world_report_error(world, &error);
}

uint64_t kith_component_changed_at(const kith_world *world, kith_entity entity,
                                   kith_component component)
{
    const kith_storage *storage;
    uint32_t            row = find_row(world, entity, component, __func__, &storage);
    return row == KITH_NO_ROW ? 0 : kith_sparse_set_changed_tick(&storage->pool.set, row);
}

uint64_t kith_component_added_at(const kith_world *world, kith_entity entity,
                                 kith_component component)
{
    const kith_storage *storage;
    uint32_t            row = find_row(world, entity, component, __func__, &storage);
    if (storage != NULL && !kith_sparse_set_has_ticks(&storage->pool.set)) {
        report_argument(world, component, __func__,
                        "the component has no row ticks; set traits.row_ticks");
        return 0;
    }
    return row == KITH_NO_ROW ? 0 : *kith_sparse_set_added_tick(&storage->pool.set, row);
}

// --- spans of rows ---------------------------------------------------------------------------

kith_changes kith_changes_begin(const kith_world *world, kith_component component, uint64_t since)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_WITH_ROWS, __func__);
    return (kith_changes){ .component = storage == NULL ? 0 : component, .since = since };
}

// The first row at or after `row` that has changed since that tick, or the number of rows.
static uint32_t next_changed(const kith_sparse_set *set, uint32_t row, uint64_t since)
{
    while (row < set->head.rows_) {
        uint32_t left = kith_min(kith_sparse_set_rest_of_page(set, row), set->head.rows_ - row);
        uint32_t old  = kith_sparse_set_old_run(set, row, left, since);
        row += old;
        if (old < left && (*kith_sparse_set_packed(set, row) & KITH_HOLE) == 0) {
            return row;
        }
        row += old < left; // a hole
    }
    return row;
}

// How many of the `count` rows come before the first hole.
static uint32_t before_hole(const kith_sparse_set *set, uint32_t row, uint32_t count)
{
    const uint32_t *packed = kith_sparse_set_packed(set, row);
    uint32_t        i      = set->holes == 0 ? count : 0;
    while (i < count && (packed[i] & KITH_HOLE) == 0) {
        i++;
    }
    return i;
}

bool kith_changes_next(const kith_world *world, kith_changes *changes)
{
    const kith_storage *storage = kith_world_storage(world, changes->component);
    uint32_t            row     = changes->row + changes->count;
    changes->count              = 0;
    if (storage == NULL) {
        return false;
    }
    const kith_sparse_set *set = &storage->pool.set;
    row                        = next_changed(set, row, changes->since);
    changes->row               = row;
    if (row >= set->head.rows_) {
        return false;
    }
    uint32_t left  = kith_min(kith_sparse_set_rest_of_page(set, row), set->head.rows_ - row);
    changes->count = before_hole(set, row, kith_sparse_set_new_run(set, row, left, changes->since));
    return true;
}

// --- journals --------------------------------------------------------------------------------

kith_removals kith_removals_begin(const kith_world *world, kith_component component, uint64_t since)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_WITH_ROWS, __func__);
    kith_removals       removals = { 0 };
    if (storage == NULL) {
        return removals;
    }
    const kith_journal *journal = &storage->pool.journal;
    if (journal->entries == NULL) {
        report_argument(world, component, __func__,
                        "the component has no journal; set traits.journal");
        return removals;
    }
    removals.component = component;
    removals.lost      = kith_journal_oldest(journal) != 0 && journal->lost >= since;
    removals.next_     = kith_journal_since(journal, since);
    return removals;
}

bool kith_removals_next(const kith_world *world, kith_removals *removals, kith_removal *removal)
{
    const kith_storage *storage = kith_world_storage(world, removals->component);
    if (storage == NULL || removals->next_ >= storage->pool.journal.written) {
        return false;
    }
    const kith_journal *journal = &storage->pool.journal;
    if (removals->next_ < kith_journal_oldest(journal)) {
        removals->next_ = kith_journal_oldest(journal);
        removals->lost  = true;
    }
    *removal = *kith_journal_entry(journal, removals->next_++);
    return true;
}

// --- many at once ----------------------------------------------------------------------------

#define SLOTS_AHEAD 32u // the slot of the entity that comes so much later is prefetched

// Always inline: gcc deletes calls of a function that only prefetches.
KITH_ALWAYS_INLINE void fetch_slot(const kith_pool_head_ *head, kith_entity entity)
{
    uint32_t page = kith_entity_index(entity) >> KITH_PAGE_SHIFT_;
    if (KITH_LIKELY_(page < head->sparse_pages_)) {
        KITH_PREFETCH(&head->sparse_[page][entity & KITH_PAGE_MASK_]);
    }
}

uint32_t kith_component_get_many(const kith_world *world, kith_component component,
                                 const kith_entity *entities, uint32_t count, const void **values)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_WITH_ROWS, __func__);
    uint32_t            found   = count;
    if (storage == NULL) {
        for (uint32_t i = 0; i < count; i++) {
            values[i] = NULL;
        }
        return 0;
    }
    const kith_pool_head_ head = storage->pool.set.head; // a copy: stores to `values` do not alias
    size_t                size = storage->pool.size;
    size_t                last = count - kith_min(count, SLOTS_AHEAD);
    for (size_t i = last; i < count; i++) {
        fetch_slot(&head, entities[i - last]);
    }
    for (size_t i = 0; i < count; i++) {
        if (i < last) {
            fetch_slot(&head, entities[i + SLOTS_AHEAD]);
        }
        values[i] = kith_find_(&head, entities[i], size, KITH_ANY_SHIFT_);
        if (KITH_UNLIKELY_(values[i] == NULL)) {
            found--;
        }
        KITH_PREFETCH(values[i]);
    }
    return found;
}

// --- disabled rows ---------------------------------------------------------------------------

// The usual case needs no check: there is a row, and neither a hook nor a listener runs (bench M3).
bool kith_component_enable(kith_world *world, kith_entity entity, kith_component component,
                           bool enabled)
{
    const char      *call    = enabled ? "kith_component_enable" : "kith_component_disable";
    kith_pool_head_ *head    = world->head.pools_[component & KITH_COMPONENT_MAX];
    kith_storage    *storage = (kith_storage *)(void *)head;
    uint32_t         index   = kith_entity_index(entity);
    if (component > KITH_COMPONENT_MAX || world->head.busy_ != 0 || !kith_has_row_(head, entity)) {
        storage = kith_storage_for_entity(world, entity, component, KITH_WITH_ROWS, call);
    }
    if (storage == NULL || !kith_has_row_(&storage->pool.set.head, entity)) {
        return false;
    }
    kith_pool *pool    = &storage->pool;
    bool       grouped = kith_storage_in_group(storage);
    if (!enabled && !kith_pool_reserve_disabled(pool)) {
        return kith_world_refuse(world, KITH_ERROR_MEMORY, call, component, entity);
    }
    if (kith_pool_is_disabled(pool, kith_row_(&pool->set.head, entity)) == enabled) {
        bool joins = grouped && !enabled && world->membership->before_remove(storage, index);
        // a group may have moved the row
        kith_pool_set_disabled(pool, kith_row_(&pool->set.head, entity), !enabled);
        if (joins) {
            world->membership->join(&storage->groups_without, index);
        } else if (grouped && enabled) {
            world->membership->after_add(storage, index);
        }
    }
    kith_loop_notify(world, storage->drop_watch, index);
    return true;
}
