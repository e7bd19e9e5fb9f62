// SPDX-License-Identifier: MIT
// The components of one entity: add, set, get, patch, remove, enable and disable.
#include "world/component.h"

#include "world/membership.h"

// --- finding ---------------------------------------------------------------------------------

// The entity's value, kith_empty_value() for a flag that it has, or NULL.
static void *find_value(const kith_world *world, const kith_storage *storage, kith_entity entity)
{
    if (KITH_UNLIKELY_(storage->desc.kind == KITH_KIND_FLAG)) {
        bool flagged = kith_entity_table_alive(&world->entities, entity) &&
                       kith_entity_bit(&world->entities, kith_entity_index(entity), storage->bit);
        return flagged ? kith_empty_value() : NULL;
    }
    uint32_t row = kith_row_(&storage->pool.set.head, entity);
    return row == KITH_NO_ROW ? NULL : kith_pool_value(&storage->pool, row);
}

// Stamps the entity's row, if it has one.
KITH_NOINLINE static void stamp(kith_storage *storage, kith_entity entity)
{
    uint32_t row = kith_sparse_set_row(&storage->pool.set, entity);
    if (row != KITH_NO_ROW) {
        kith_sparse_set_stamp(&storage->pool.set, row, 1);
    }
}

// --- adding ----------------------------------------------------------------------------------
//
// The order makes failures simple: memory first, then hooks, which may return false, then the steps
// that cannot fail. A failure destructs the values that were constructed and undoes nothing else,
// because no structure has changed yet.

bool kith_observers_reserve(kith_world *world, const kith_storage *storage, uint32_t index,
                            uint32_t rows)
{
    uint32_t count = kith_storage_count(storage);
    return (storage->groups_with.count == 0 || world->membership->reserve(storage, index, rows)) &&
           kith_watch_reserve_more(storage, rows > count ? rows - count : 1);
}

bool kith_groups_reserve_page(kith_world *world, kith_storage *storage, uint32_t index)
{
    return kith_plane_reserve(&world->entities, &world->memory, index, storage->bit) &&
           (storage->desc.kind == KITH_KIND_FLAG ||
            (kith_sparse_set_reserve_page(&storage->pool.set, index >> KITH_PAGE_SHIFT_) &&
             kith_groups_reserve(world, storage, index)));
}

// Reserves the memory for adding the storage to the entity at `index`. Returns KITH_OK, or the
// reason why that is impossible.
static kith_error_code reserve_add(kith_world *world, kith_storage *storage, uint32_t index)
{
    kith_pool *pool = &storage->pool;
    if (!pool->rowless && !kith_sparse_set_below_limit(&pool->set)) {
        return KITH_ERROR_LIMIT;
    }
    bool reserved = kith_plane_reserve(&world->entities, &world->memory, index, storage->bit) &&
                    (pool->rowless || kith_pool_reserve(pool, index)) &&
                    kith_groups_reserve(world, storage, index);
    return reserved ? KITH_OK : KITH_ERROR_MEMORY;
}

// Adding a component with all that it requires. The steps are the required storages and, last, the
// storage itself.
typedef struct addition {
    kith_world    *world;
    kith_entity    entity;
    kith_storage  *storage;
    const void    *value;
    const char    *call;
    kith_signature missing; // the steps to do; when they are done, those still to be announced
} addition;

KITH_NOINLINE static kith_storage *step_storage(const addition *add, uint32_t step)
{
    kith_storage *storage = add->storage;
    return step < storage->required_count ? storage->required[step] : storage;
}

// The storage of a step, or NULL when the step is not missing.
static kith_storage *missing_step(const addition *add, uint32_t step)
{
    kith_storage *storage = step_storage(add, step);
    bool          missing = (add->missing.words[storage->bit >> 6] >> (storage->bit & 63) & 1) != 0;
    return missing ? storage : NULL;
}

// Reports an error about `storage`, a step. Returns NULL.
KITH_NOINLINE static void *fail_step(const addition *add, kith_error_code code,
                                     const kith_storage *storage)
{
    const void *source  = storage == add->storage ? add->value : NULL;
    const char *subject = source != NULL ? "copy" : "construct";
    if (code != KITH_ERROR_HOOK) {
        bool held = code == KITH_ERROR_LIMIT && storage->pool.set.holes != 0;
        subject   = held ? "removed rows count in an open loop" : NULL;
    }
    kith_error error = { .code      = code,
                         .call      = add->call,
                         .component = add->storage->desc.id,
                         .entity    = add->entity,
                         .subject   = subject,
                         .have      = kith_sparse_set_max(&storage->pool.set),
                         .other     = storage->desc.name };
    kith_world_fail(add->world, &error);
    return NULL;
}

// Finds the missing steps and reserves their memory. Returns false, with an error, when that is
// impossible. Sets `observed` when listeners are to hear of one of them.
static bool reserve_missing(addition *add, bool *observed)
{
    for (uint32_t step = 0; step <= add->storage->required_count; step++) {
        kith_storage *storage = step_storage(add, step);
        if (find_value(add->world, storage, add->entity) != NULL) {
            continue;
        }
        kith_error_code code = reserve_add(add->world, storage, kith_entity_index(add->entity));
        if (code != KITH_OK) {
            fail_step(add, code, storage);
            return false;
        }
        add->missing.words[storage->bit >> 6] |= UINT64_C(1) << (storage->bit & 63);
        *observed = *observed || storage->events[KITH_EVENT_ADD].count != 0;
    }
    return true;
}

// The address of the value that a missing step adds; NULL for other steps and without values.
static void *next_value(const addition *add, uint32_t step)
{
    const kith_storage *storage = missing_step(add, step);
    if (storage == NULL || storage->pool.size == 0) {
        return NULL;
    }
    return kith_pool_value(&storage->pool, kith_sparse_set_next_row(&storage->pool.set));
}

// Constructs the values of all missing steps. Returns NULL, or the storage whose hook returned
// false; then it destructs the others again.
static const kith_storage *construct_steps(const addition *add)
{
    for (uint32_t step = 0; step <= add->storage->required_count; step++) {
        const kith_storage *storage = step_storage(add, step);
        void               *place   = next_value(add, step);
        const void         *source  = storage == add->storage ? add->value : NULL;
        if (place != NULL && !kith_pool_construct(&storage->pool, place, source)) {
            while (step-- > 0) {
                place = next_value(add, step);
                if (place != NULL) {
                    kith_pool_destruct(&step_storage(add, step)->pool, place);
                }
            }
            return storage;
        }
    }
    return NULL;
}

static void attach_steps(const addition *add)
{
    kith_world *world = add->world;
    uint32_t    index = kith_entity_index(add->entity);
    for (uint32_t step = 0; step <= add->storage->required_count; step++) {
        kith_storage *storage = missing_step(add, step);
        if (storage == NULL) {
            continue;
        }
        if (storage->pool.rowless) {
            storage->pool.set.head.flags_set_++;
        } else {
            kith_sparse_set_insert(&storage->pool.set, add->entity);
        }
        kith_entity_bit_set(&world->entities, index, storage->bit);
        kith_loop_notify(world, storage->add_watch, index);
        kith_groups_after_add(world, storage, index);
    }
}

// Announces each added component, unless a listener has removed it meanwhile.
static void announce_steps(addition *add)
{
    kith_world *world = add->world;
    kith_world_begin_event(world, add->entity, NULL);
    world->frames[world->nested - 1].unreported = &add->missing;
    for (uint32_t step = 0; step <= add->storage->required_count; step++) {
        const kith_storage *storage = missing_step(add, step);
        if (storage != NULL) {
            add->missing.words[storage->bit >> 6] &= ~(UINT64_C(1) << (storage->bit & 63));
            if (find_value(world, storage, add->entity) != NULL) {
                kith_world_announce(world, &storage->events[KITH_EVENT_ADD], KITH_EVENT_ADD,
                                    storage->desc.id, add->entity);
            }
        }
    }
    kith_world_end_event(world);
}

static void *add_all(addition *add)
{
    bool observed = false;
    if (!reserve_missing(add, &observed) ||
        (observed && !kith_require_nestable(add->world, add->call, add->storage->desc.id))) {
        return NULL;
    }
    kith_world_lock(add->world);
    const kith_storage *refused = construct_steps(add);
    kith_world_unlock(add->world);
    if (refused != NULL) {
        return fail_step(add, KITH_ERROR_HOOK, refused);
    }
    attach_steps(add);
    if (observed) {
        announce_steps(add);
    }
    return find_value(add->world, add->storage, add->entity);
}

// Announces that the value was set. Returns its address afterwards, because a listener may move it.
static void *announce_set(kith_world *world, kith_storage *storage, kith_entity entity, void *value)
{
    bool unreported =
        world->nested != 0 && kith_world_add_unreported(world, storage, entity, false);
    return unreported ? value : kith_value_announce(world, entity, storage, value, KITH_EVENT_SET);
}

static void *replace_value(const addition *add, void *value)
{
    kith_world   *world   = add->world;
    kith_storage *storage = add->storage;
    if (!kith_require_event(world, &storage->events[KITH_EVENT_SET], add->call, storage->desc.id)) {
        return NULL;
    }
    kith_world_lock(world);
    bool replaced = kith_pool_replace(&storage->pool, value, add->value);
    kith_world_unlock(world);
    if (!replaced) {
        return fail_step(add, KITH_ERROR_HOOK, storage);
    }
    stamp(storage, add->entity);
    return announce_set(world, storage, add->entity, value);
}

// Adds the component with its value. If the entity has it already, replaces the value when
// `replace` is set.
static void *put(kith_world *world, kith_entity entity, kith_component component, const void *value,
                 bool replace, const char *call)
{
    kith_storage *storage = kith_storage_for_entity(world, entity, component, KITH_SETTABLE, call);
    if (storage == NULL) {
        return NULL;
    }
    if (KITH_UNLIKELY_(storage->link.ops != NULL)) {
        return storage->link.ops->set(world, entity, storage, value, replace, call);
    }
    void *found = find_value(world, storage, entity);
    if (found != NULL && !(replace && kith_storage_can_replace(storage))) {
        return found;
    }
    addition add = { world, entity, storage, value, call, { { 0 } } };
    return found == NULL ? add_all(&add) : replace_value(&add, found);
}

// Adds a row of plain bytes to a living entity whose slot is empty, with or without listeners,
// loops and groups: the steps of put without those that do nothing (bench M1).
KITH_NOINLINE static void *add_bytes(kith_world *world, kith_entity entity, kith_storage *storage,
                                     const void *source)
{
    static const char call[] = "kith_component_set";
    kith_sparse_set  *set    = &storage->pool.set;
    uint32_t          index  = kith_entity_index(entity);
    uint32_t          row    = set->head.rows_;
    if (KITH_UNLIKELY_(row == set->head.capacity_)) {
        return put(world, entity, storage->desc.id, source, true, call);
    }
    if (KITH_UNLIKELY_(!kith_groups_reserve(world, storage, index))) {
        kith_world_refuse(world, KITH_ERROR_MEMORY, call, storage->desc.id, entity);
        return NULL;
    }
    kith_pool_unpoison(&storage->pool, row, 1);
    set->head.rows_ = row + 1;
    kith_sparse_set_put(set, row, entity);
    kith_entity_bit_set(&world->entities, index, storage->bit);
    void *value = kith_copy_bytes(kith_pool_value(&storage->pool, row), source, storage->pool.size);
    kith_loop_notify(world, storage->add_watch, index);
    return kith_value_announce(world, entity, storage, value, KITH_EVENT_ADD);
}

KITH_NOINLINE static void *replace_with_listeners(kith_world *world, kith_entity entity,
                                                  kith_storage *storage, const void *source,
                                                  void *place)
{
    memmove(place, source, storage->pool.size);
    return kith_value_announce(world, entity, storage, place, KITH_EVENT_SET);
}

// The usual case, bytes that replace bytes, makes no call (bench U1, E2).
void *kith_component_set(kith_world *world, kith_entity entity, kith_component component,
                         const void *value)
{
    // a pool whose lookup has pages belongs to a storage: it is not the pool of unregistered ids
    kith_pool_head_ *head    = world->head.pools_[component & KITH_COMPONENT_MAX];
    kith_storage    *storage = (kith_storage *)(void *)head;
    uint32_t         page    = kith_entity_index(entity) >> KITH_PAGE_SHIFT_;
    uint32_t         i       = kith_entity_index(entity) & KITH_PAGE_MASK_;
#ifdef KITH_DEBUG
    if (!kith_require_thread(world, "kith_component_set")) {
        return NULL;
    }
#endif
    if (KITH_UNLIKELY_(component > KITH_COMPONENT_MAX || page >= head->sparse_pages_ ||
                       !storage->is_bytes || world->head.busy_ != 0 || value == NULL ||
                       world->head.entities_[page][i] != entity)) {
        return put(world, entity, component, value, true, "kith_component_set");
    }
    uint64_t slot = head->sparse_[page][i];
    if (slot == KITH_EMPTY) {
        return add_bytes(world, entity, storage, value);
    }
    if (KITH_UNLIKELY_(slot == KITH_ABSENT_ ||
                       storage->pool.size == 0)) { // a page to allocate, or a tag
        return put(world, entity, component, value, true, "kith_component_set");
    }
    uint32_t row   = (uint32_t)slot;
    void    *place = kith_pool_value(&storage->pool, row);
    kith_tick_row_(head, row, KITH_ANY_SHIFT_, false);
    kith_sparse_set_stamp_page(&storage->pool.set, row);
    if (KITH_UNLIKELY_(head->listeners_ != 0)) {
        return replace_with_listeners(world, entity, storage, value, place);
    }
    return kith_copy_bytes(place, value, storage->pool.size);
}

bool kith_component_set_if_changed(kith_world *world, kith_entity entity, kith_component component,
                                   const void *value)
{
    kith_storage *storage =
        kith_storage_for_entity(world, entity, component, KITH_SETTABLE, __func__);
    if (storage == NULL) {
        return false;
    }
    size_t size = storage->link.ops != NULL ? sizeof(kith_entity) : storage->desc.size; // target
    if (value == NULL && size != 0) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, __func__, component,
                                         "the value to compare with is NULL", NULL);
    }
    const void *found = find_value(world, storage, entity);
    bool        same =
        found != NULL && (!kith_storage_can_replace(storage) || memcmp(found, value, size) == 0);
    return !same && put(world, entity, component, value, true, __func__) != NULL;
}

void *kith_component_add(kith_world *world, kith_entity entity, kith_component component,
                         const void *value)
{
    return put(world, entity, component, value, false, "kith_component_add");
}

// --- reading ---------------------------------------------------------------------------------

// All cases: flags, ids that are not registered or hidden, and entities whose page the pool lacks.
KITH_NOINLINE static void *find_any_case(const kith_world *world, kith_entity entity,
                                         kith_component component, const char *call)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_ON_ENTITY, call);
    return storage == NULL ? NULL : find_value(world, storage, entity);
}

// Whether the pool of the component has the entity's page in its lookup.
static inline bool has_lookup_page(const kith_world *world, kith_entity entity,
                                   kith_component component)
{
    return KITH_LIKELY_(component <= KITH_COMPONENT_MAX &&
                        kith_entity_index(entity) >> KITH_PAGE_SHIFT_ <
                            world->head.pools_[component]->sparse_pages_);
}

const void *kith_component_get(const kith_world *world, kith_entity entity,
                               kith_component component)
{
    if (!has_lookup_page(world, entity, component)) {
        return find_any_case(world, entity, component, "kith_component_get");
    }
    const kith_pool_head_ *head = world->head.pools_[component];
    return kith_find_(head, entity, ((const kith_pool *)(const void *)head)->size, KITH_ANY_SHIFT_);
}

void *kith_component_mut(kith_world *world, kith_entity entity, kith_component component)
{
    kith_storage *storage =
        kith_storage_for_mut(world, component, entity, KITH_WRITABLE, "kith_component_mut");
    if (storage == NULL) {
        return NULL;
    }
    stamp(storage, entity);
    return find_value(world, storage, entity);
}

bool kith_component_has(const kith_world *world, kith_entity entity, kith_component component)
{
    return has_lookup_page(world, entity, component)
               ? kith_has_row_(world->head.pools_[component], entity)
               : find_any_case(world, entity, component, "kith_component_has") != NULL;
}

bool kith_component_enabled(const kith_world *world, kith_entity entity, kith_component component)
{
    if (find_any_case(world, entity, component, "kith_component_enabled") == NULL) {
        return false;
    }
    const kith_pool *pool = &kith_world_storage(world, component)->pool;
    return !kith_pool_is_disabled(pool, kith_sparse_set_row(&pool->set, entity));
}

// --- changing --------------------------------------------------------------------------------

void *kith_component_patch(kith_world *world, kith_entity entity, kith_component component,
                           void (*change)(void *value, void *context), void *context)
{
    kith_storage *storage =
        kith_storage_for_entity(world, entity, component, KITH_WRITABLE, __func__);
    if (storage == NULL) {
        return NULL;
    }
    if (change == NULL) {
        kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, __func__, component,
                                  "there is no function to call", NULL);
        return NULL;
    }
    void *value = find_value(world, storage, entity);
    if (value == NULL ||
        !kith_require_event(world, &storage->events[KITH_EVENT_SET], __func__, component)) {
        return NULL;
    }
    stamp(storage, entity);
    kith_world_lock(world);
    change(value, context);
    kith_world_unlock(world);
    return announce_set(world, storage, entity, value);
}

bool kith_component_remove_from(kith_world *world, kith_storage *storage, kith_entity entity,
                                const char *call)
{
    if (world->nested != 0 && !kith_require_living(world, storage, entity, call)) {
        return false;
    }
    bool unreported = world->nested != 0 && kith_world_add_unreported(world, storage, entity, true);
    if (storage->events[KITH_EVENT_REMOVE].count == 0 || unreported) {
        return kith_component_detach(world, storage, kith_entity_index(entity));
    }
    if (!kith_require_nestable(world, call, storage->desc.id)) {
        return false;
    }
    kith_hold(world);
    kith_world_announce_one(world, &storage->events[KITH_EVENT_REMOVE], KITH_EVENT_REMOVE,
                            storage->desc.id, entity);
    if (find_value(world, storage, entity) != NULL) { // a listener may have destroyed the entity
        kith_component_detach(world, storage, kith_entity_index(entity));
    }
    kith_release(world);
    return true;
}

// All cases: flags, hooks, loops, listeners and errors.
KITH_NOINLINE static bool remove_any_case(kith_world *world, kith_entity entity,
                                          kith_component component)
{
    kith_storage *storage =
        kith_storage_for_write(world, component, entity, KITH_ON_ENTITY, "kith_component_remove");
    bool there = storage != NULL && (kith_row_(&storage->pool.set.head, entity) != KITH_NO_ROW ||
                                     find_value(world, storage, entity) != NULL);
    return there && kith_component_remove_from(world, storage, entity, "kith_component_remove");
}

// The usual case for a component whose signature word is not the first.
KITH_NOINLINE static bool remove_in_plane(kith_world *world, kith_storage *storage, uint32_t index)
{
    kith_entity_page *page = kith_entity_page_of(&world->entities, index);
    uint32_t          word = storage->pool.set.head.word_ - 1;
    uint64_t         *bits = &page->planes[word][index & KITH_PAGE_MASK_];
    *bits &= ~storage->pool.set.head.inline_bit_;
    if (*bits == 0) {
        page->more[index & KITH_PAGE_MASK_] &= (uint16_t) ~(1u << word);
    }
    return storage->pool.remove(&storage->pool, index);
}

// The usual case makes no call but the last one (bench M2).
bool kith_component_remove(kith_world *world, kith_entity entity, kith_component component)
{
    kith_pool_head_ *head  = world->head.pools_[component & KITH_COMPONENT_MAX];
    uint32_t         index = kith_entity_index(entity);
    if (KITH_UNLIKELY_(component > KITH_COMPONENT_MAX || head->inline_bit_ == 0 ||
                       (world->head.busy_ | world->shared.held) != 0 ||
                       !kith_has_row_(head, entity))) {
        return remove_any_case(world, entity, component);
    }
    kith_storage *storage = (kith_storage *)(void *)head;
    if (KITH_UNLIKELY_(!storage->is_direct)) {
        bool grouped = (head->listeners_ & KITH_IN_GROUP_) != 0;
        return grouped ? kith_component_detach(world, storage, index)
                       : remove_in_plane(world, storage, index);
    }
    kith_entity_page_of(&world->entities, index)->signature[index & KITH_PAGE_MASK_] &=
        ~head->inline_bit_;
    return storage->pool.remove(&storage->pool, index);
}
