// SPDX-License-Identifier: MIT
// The components of one entity: add, set, get, patch, remove, enable and disable.
#include "world/component.h"

#include "world/membership.h"

// --- finding ---------------------------------------------------------------------------------

static bool has_flag(const kith_world *world, const kith_storage *storage, kith_entity entity)
{
    return kith_entity_table_alive(&world->entities, entity) &&
           kith_entity_bit(&world->entities, kith_entity_index(entity), storage->bit);
}

static inline bool has(const kith_world *world, const kith_storage *storage, kith_entity entity)
{
    return storage->desc.kind == KITH_KIND_FLAG
               ? has_flag(world, storage, entity)
               : kith_sparse_set_row(&storage->pool.set, entity) != KITH_NO_ROW;
}

// The entity's value, kith_empty_value() for a flag that it has, or NULL.
static inline void *find_value(const kith_world *world, const kith_storage *storage,
                               kith_entity entity)
{
    if (KITH_UNLIKELY_(storage->desc.kind == KITH_KIND_FLAG)) {
        return has_flag(world, storage, entity) ? kith_empty_value() : NULL;
    }
    uint32_t row = kith_sparse_set_row(&storage->pool.set, entity);
    return row == KITH_NO_ROW ? NULL : kith_pool_value(&storage->pool, row);
}

// --- adding ----------------------------------------------------------------------------------
//
// The order makes failures simple: memory first, then hooks, which may return false, then the steps
// that cannot fail. A failure destructs the values that were constructed and undoes nothing else,
// because no structure has changed yet.

KITH_INTERNAL bool kith_observers_reserve(kith_world *world, const kith_storage *storage,
                                          uint32_t index, uint32_t rows)
{
    uint32_t count = kith_storage_count(storage);
    return (storage->groups_with.count == 0 ||
            world->membership->reserve(world, storage, index, rows)) &&
           kith_watch_reserve_more(storage, rows > count ? rows - count : 1);
}

KITH_INTERNAL bool kith_groups_reserve_page(kith_world *world, kith_storage *storage,
                                            uint32_t index)
{
    const kith_allocator *memory = &world->memory;
    return kith_plane_reserve(&world->entities, memory, index, storage->bit) &&
           (storage->desc.kind == KITH_KIND_FLAG ||
            (kith_sparse_set_reserve_page(&storage->pool.set, memory, index >> KITH_PAGE_SHIFT_) &&
             kith_groups_reserve(world, storage, index)));
}

// Reserves the memory for adding the storage to the entity at `index`. Returns KITH_OK, or the
// reason why that is impossible.
static kith_error_code reserve_add(kith_world *world, kith_storage *storage, uint32_t index)
{
    if (!kith_plane_reserve(&world->entities, &world->memory, index, storage->bit)) {
        return KITH_ERROR_MEMORY;
    }
    if (storage->desc.kind == KITH_KIND_FLAG) {
        return kith_groups_reserve(world, storage, index) ? KITH_OK : KITH_ERROR_MEMORY;
    }
    if (!kith_sparse_set_below_limit(&storage->pool.set)) {
        return KITH_ERROR_LIMIT;
    }
    return kith_pool_reserve(&storage->pool, &world->memory, index) &&
                   kith_groups_reserve(world, storage, index)
               ? KITH_OK
               : KITH_ERROR_MEMORY;
}

// Adding a component with all that it requires. The steps are the required storages and, last, the
// storage itself. A step is missing when the entity does not have that component yet.
typedef struct addition {
    kith_world   *world;
    kith_entity   entity;
    kith_storage *storage;
    const void   *value;
    const char   *call;
} addition;

static kith_storage *step_storage(const addition *add, uint32_t step)
{
    kith_storage *storage = add->storage;
    return step < storage->required_count ? storage->required[step] : storage;
}

static bool step_is_missing(const addition *add, uint32_t step)
{
    return !has(add->world, step_storage(add, step), add->entity);
}

static bool fail_step(const addition *add, kith_error_code code, const kith_storage *storage,
                      const char *subject)
{
    kith_error error = { .code      = code,
                         .call      = add->call,
                         .component = add->storage->desc.id,
                         .entity    = add->entity,
                         .subject   = subject,
                         .have      = kith_sparse_set_max(&storage->pool.set),
                         .other     = storage->desc.name };
    return kith_world_fail(add->world, &error);
}

static bool secure_steps(const addition *add)
{
    for (uint32_t step = 0; step <= add->storage->required_count; step++) {
        if (step_is_missing(add, step)) {
            kith_storage   *storage = step_storage(add, step);
            kith_error_code code = reserve_add(add->world, storage, kith_entity_index(add->entity));
            bool            held = code == KITH_ERROR_LIMIT && storage->pool.set.holes != 0;
            if (code != KITH_OK) {
                return fail_step(add, code, storage,
                                 held ? "removed rows count in an open loop" : NULL);
            }
        }
    }
    return true;
}

// The address of the value that is added next; NULL for storages without values.
static void *next_value(const kith_storage *storage)
{
    const kith_pool *pool = &storage->pool;
    return pool->size == 0 ? NULL : kith_pool_value(pool, kith_sparse_set_next_row(&pool->set));
}

static void destruct_steps(const addition *add, uint32_t end)
{
    while (end-- > 0) {
        if (step_is_missing(add, end) && next_value(step_storage(add, end)) != NULL) {
            kith_pool_destruct(&step_storage(add, end)->pool, next_value(step_storage(add, end)));
        }
    }
}

// Constructs the values of all open steps. Returns NULL, or the storage whose hook returned false;
// then it destructs the others again.
static const kith_storage *construct_steps(const addition *add)
{
    for (uint32_t step = 0; step <= add->storage->required_count; step++) {
        kith_storage *storage = step_storage(add, step);
        void         *place   = step_is_missing(add, step) ? next_value(storage) : NULL;
        const void   *source  = storage == add->storage ? add->value : NULL;
        if (place != NULL && !kith_pool_construct(&storage->pool, place, source)) {
            destruct_steps(add, step);
            return storage;
        }
    }
    return NULL;
}

static void attach(kith_world *world, kith_storage *storage, kith_entity entity)
{
    uint32_t index = kith_entity_index(entity);
    if (storage->desc.kind == KITH_KIND_FLAG) {
        storage->pool.set.head.flags_set_++;
    } else {
        kith_sparse_set_insert(&storage->pool.set, entity);
    }
    kith_entity_bit_set(&world->entities, index, storage->bit);
    kith_loop_notify(world, storage->add_watch, index);
    kith_groups_after_add(world, storage, index);
}

static void attach_steps(const addition *add)
{
    for (uint32_t step = 0; step <= add->storage->required_count; step++) {
        if (step_is_missing(add, step)) {
            attach(add->world, step_storage(add, step), add->entity);
        }
    }
}

static bool add_has_listeners(const addition *add)
{
    bool observed = false;
    for (uint32_t step = 0; step <= add->storage->required_count; step++) {
        observed = observed || (step_storage(add, step)->events[KITH_EVENT_ADD].count != 0 &&
                                step_is_missing(add, step));
    }
    return observed;
}

// The bits of the open steps.
static kith_signature missing_bits(const addition *add)
{
    kith_signature missing = { { 0 } };
    for (uint32_t step = 0; step <= add->storage->required_count; step++) {
        uint32_t bit = step_storage(add, step)->bit;
        missing.words[bit >> 6] |= step_is_missing(add, step) ? UINT64_C(1) << (bit & 63) : 0;
    }
    return missing;
}

// Announces each added component, unless a listener has removed it meanwhile.
static void announce_steps(const addition *add, kith_signature *unreported)
{
    kith_world *world = add->world;
    kith_world_begin_event(world, add->entity, NULL, false);
    world->frames[world->nested - 1].unreported = unreported;
    for (uint32_t step = 0; step <= add->storage->required_count; step++) {
        const kith_storage *storage = step_storage(add, step);
        uint64_t           *word    = &unreported->words[storage->bit >> 6];
        uint64_t            bit     = *word & UINT64_C(1) << (storage->bit & 63);
        *word &= ~bit;
        if (bit != 0 && has(world, storage, add->entity)) {
            kith_world_announce(world, &storage->events[KITH_EVENT_ADD], KITH_EVENT_ADD,
                                storage->desc.id, add->entity);
        }
    }
    kith_world_end_event(world);
}

static void *add_all(const addition *add)
{
    bool observed = add_has_listeners(add); // before attach_steps, which closes all steps
    if ((observed && !kith_require_nestable(add->world, add->call, add->storage->desc.id)) ||
        !secure_steps(add)) {
        return NULL;
    }
    kith_world_lock(add->world);
    const kith_storage *refused = construct_steps(add);
    kith_world_unlock(add->world);
    if (refused != NULL) {
        bool copied = refused == add->storage && add->value != NULL;
        fail_step(add, KITH_ERROR_HOOK, refused, copied ? "copy" : "construct");
        return NULL;
    }
    if (!observed) {
        attach_steps(add);
        return find_value(add->world, add->storage, add->entity);
    }
    kith_signature unreported = missing_bits(add);
    attach_steps(add);
    announce_steps(add, &unreported);
    return find_value(add->world, add->storage, add->entity);
}

// Announces that the value was set. Returns its address afterwards, because a listener may move it.
static void *announce_set(kith_world *world, const kith_storage *storage, kith_entity entity,
                          void *value)
{
    const kith_listeners *listeners = &storage->events[KITH_EVENT_SET];
    if (listeners->count == 0 || kith_world_add_unreported(world, storage, entity, false)) {
        return value;
    }
    kith_world_announce_one(world, listeners, KITH_EVENT_SET, storage->desc.id, entity);
    return find_value(world, storage, entity);
}

static bool set_nestable(kith_world *world, const kith_storage *storage, const char *call)
{
    return storage->events[KITH_EVENT_SET].count == 0 ||
           kith_require_nestable(world, call, storage->desc.id);
}

static void stamp(kith_storage *storage, kith_entity entity)
{
    kith_sparse_set_stamp(&storage->pool.set, kith_sparse_set_row(&storage->pool.set, entity), 1);
}

static void *replace_value(const addition *add, void *value)
{
    if (!set_nestable(add->world, add->storage, add->call)) {
        return NULL;
    }
    kith_world_lock(add->world);
    bool replaced = kith_pool_replace(&add->storage->pool, value, add->value);
    kith_world_unlock(add->world);
    if (!replaced) {
        fail_step(add, KITH_ERROR_HOOK, add->storage, add->value == NULL ? "construct" : "copy");
        return NULL;
    }
    stamp(add->storage, add->entity);
    return announce_set(add->world, add->storage, add->entity, value);
}

// Adds the component with its value. If the entity has it already, replaces the value when
// `replace` is set.
static void *put(kith_world *world, kith_entity entity, kith_component component, const void *value,
                 bool replace, const char *call)
{
    kith_storage *storage = kith_storage_for_entity(world, entity, component, KITH_ON_ENTITY, call);
    if (storage == NULL) {
        return NULL;
    }
    addition add   = { world, entity, storage, value, call };
    void    *found = find_value(world, storage, entity);
    if (found == NULL) {
        return add_all(&add);
    }
    return replace && kith_storage_can_replace(storage) ? replace_value(&add, found) : found;
}

// The largest value of a grouped component for the fast path: it is copied to the stack while the
// group moves rows.
#define MEMBER_BYTES 64

// Whether the living entity can get a new row of bytes without allocating.
static inline bool is_ready(const kith_storage *storage, uint32_t index)
{
    const kith_pool_head_ *head = &storage->pool.set.head;
    uint32_t               page = index >> KITH_PAGE_SHIFT_;
    return page < head->sparse_pages_ &&
           head->sparse_[page][index & KITH_PAGE_MASK_] == KITH_EMPTY &&
           head->rows_ < head->capacity_ &&
           (storage->pool.size <= MEMBER_BYTES || !kith_storage_in_group(storage));
}

// The fast path of put for plain bytes, with or without listeners, loops and groups: the same steps
// without those that do nothing (bench S2).
static void *add_bytes(kith_world *world, kith_storage *storage, kith_entity entity,
                       const void *source)
{
    kith_sparse_set *set   = &storage->pool.set;
    uint32_t         index = kith_entity_index(entity);
    uint32_t         row   = set->head.rows_++;
    kith_sparse_set_put(set, row, entity);
    *kith_signature_word_(world->head.entities_[index >> KITH_PAGE_SHIFT_], entity) |=
        storage->plain_bit;
    kith_loop_notify(world, storage->add_watch, index);
    uint8_t copy[MEMBER_BYTES];
    if (KITH_UNLIKELY_(kith_storage_in_group(storage))) {
        kith_copy_bytes(copy, source, storage->pool.size); // the source may be a row that moves
        source = copy;
        row    = world->membership->after_add(world, storage, index, row);
    }
    void *value = kith_pool_value(&storage->pool, row);
    kith_copy_bytes(value, source, storage->pool.size);
    if (storage->events[KITH_EVENT_ADD].count == 0) {
        return value;
    }
    uint64_t moves = set->moves;
    kith_world_announce_one(world, &storage->events[KITH_EVENT_ADD], KITH_EVENT_ADD,
                            storage->desc.id, entity);
    return moves == set->moves ? value : find_value(world, storage, entity);
}

// The same for an entity that already has the row.
static void *replace_bytes(kith_world *world, kith_storage *storage, kith_entity entity,
                           uint32_t row, const void *source)
{
    kith_sparse_set *set   = &storage->pool.set;
    uint64_t         moves = set->moves;
    void            *value = kith_pool_value(&storage->pool, row);
    kith_pool_replace(&storage->pool, value, source);
    kith_sparse_set_stamp(set, row, 1);
    if (storage->events[KITH_EVENT_SET].count != 0) {
        kith_world_announce_one(world, &storage->events[KITH_EVENT_SET], KITH_EVENT_SET,
                                storage->desc.id, entity);
    }
    return moves == set->moves ? value : find_value(world, storage, entity);
}

KITH_API void *kith_component_set(kith_world *world, kith_entity entity, kith_component component,
                                  const void *value)
{
    static const char call[]  = "kith_component_set";
    kith_storage     *storage = kith_world_visible_storage(world, component);
    if (KITH_LIKELY_(storage != NULL && storage->plain_bit != 0 && world->head.busy_ == 0 &&
                     value != NULL && kith_entity_table_alive(&world->entities, entity) &&
                     is_ready(storage, kith_entity_index(entity)))) {
        if (KITH_UNLIKELY_(!kith_groups_reserve(world, storage, kith_entity_index(entity)))) {
            kith_world_refuse(world, KITH_ERROR_MEMORY, call, component, entity);
            return NULL;
        }
        return add_bytes(world, storage, entity, value);
    }
    uint32_t row = storage == NULL ? KITH_NO_ROW : kith_sparse_set_row(&storage->pool.set, entity);
    if (row != KITH_NO_ROW && storage->plain_bit != 0 && storage->desc.size != 0 &&
        world->head.busy_ == 0 && value != NULL) {
        return replace_bytes(world, storage, entity, row, value);
    }
    return put(world, entity, component, value, true, call);
}

KITH_API bool kith_component_set_if_changed(kith_world *world, kith_entity entity,
                                            kith_component component, const void *value)
{
    static const char call[] = "kith_component_set_if_changed";
    kith_storage *storage = kith_storage_for_entity(world, entity, component, KITH_ON_ENTITY, call);
    if (storage == NULL) {
        return false;
    }
    size_t size = storage->desc.size;
    if (value == NULL && size != 0) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, component,
                                         "the value to compare with is NULL", NULL);
    }
    const void *found = find_value(world, storage, entity);
    bool        same =
        found != NULL && (!kith_storage_can_replace(storage) || memcmp(found, value, size) == 0);
    return !same && put(world, entity, component, value, true, call) != NULL;
}

KITH_API void *kith_component_add(kith_world *world, kith_entity entity, kith_component component,
                                  const void *value)
{
    return put(world, entity, component, value, false, "kith_component_add");
}

// --- reading ---------------------------------------------------------------------------------

KITH_API const void *kith_component_get(const kith_world *world, kith_entity entity,
                                        kith_component component)
{
    const kith_storage *storage =
        kith_storage_for_read(world, component, KITH_ON_ENTITY, "kith_component_get");
    return storage == NULL ? NULL : find_value(world, storage, entity);
}

KITH_API void *kith_component_mut(kith_world *world, kith_entity entity, kith_component component)
{
    kith_storage *storage =
        kith_storage_for_mut(world, component, entity, KITH_ON_ENTITY, "kith_component_mut");
    void *value = storage == NULL ? NULL : find_value(world, storage, entity);
    if (value != NULL && storage->desc.kind != KITH_KIND_FLAG) {
        stamp(storage, entity);
    }
    return value;
}

KITH_API bool kith_component_has(const kith_world *world, kith_entity entity,
                                 kith_component component)
{
    const kith_storage *storage =
        kith_storage_for_read(world, component, KITH_ON_ENTITY, "kith_component_has");
    return storage != NULL && has(world, storage, entity);
}

KITH_API bool kith_component_enabled(const kith_world *world, kith_entity entity,
                                     kith_component component)
{
    const kith_storage *storage =
        kith_storage_for_read(world, component, KITH_ON_ENTITY, "kith_component_enabled");
    if (storage == NULL || !has(world, storage, entity)) {
        return false;
    }
    return storage->desc.kind == KITH_KIND_FLAG ||
           !kith_pool_is_disabled(&storage->pool, kith_sparse_set_row(&storage->pool.set, entity));
}

// --- changing --------------------------------------------------------------------------------

KITH_API void *kith_component_patch(kith_world *world, kith_entity entity, kith_component component,
                                    void (*change)(void *value, void *context), void *context)
{
    kith_storage *storage =
        kith_storage_for_entity(world, entity, component, KITH_ON_ENTITY, "kith_component_patch");
    if (storage == NULL) {
        return NULL;
    }
    if (change == NULL) {
        kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, "kith_component_patch", component,
                                  "there is no function to call", NULL);
        return NULL;
    }
    void *value = find_value(world, storage, entity);
    if (value == NULL || !set_nestable(world, storage, "kith_component_patch")) {
        return NULL;
    }
    kith_world_lock(world);
    change(value, context);
    kith_world_unlock(world);
    if (storage->desc.kind != KITH_KIND_FLAG) {
        stamp(storage, entity);
    }
    return announce_set(world, storage, entity, value);
}

// Announces the removal, then removes the component. Returns false when the event cannot be
// announced.
static bool announce_and_remove(kith_world *world, kith_storage *storage, kith_entity entity,
                                const char *call)
{
    if (!kith_require_nestable(world, call, storage->desc.id)) {
        return false;
    }
    kith_world_begin_event(world, entity, storage, false);
    kith_world_announce(world, &storage->events[KITH_EVENT_REMOVE], KITH_EVENT_REMOVE,
                        storage->desc.id, entity);
    if (has(world, storage, entity)) { // a listener may have destroyed the entity
        kith_component_detach(world, storage, kith_entity_index(entity));
    }
    kith_world_end_event(world);
    return true;
}

KITH_INTERNAL bool kith_component_remove_from(kith_world *world, kith_storage *storage,
                                              kith_entity entity, const char *call)
{
    if (world->nested != 0 && !kith_require_living(world, storage, entity, call)) {
        return false;
    }
    bool unreported = world->nested != 0 && kith_world_add_unreported(world, storage, entity, true);
    if (storage->events[KITH_EVENT_REMOVE].count != 0 && !unreported) {
        return announce_and_remove(world, storage, entity, call);
    }
    kith_component_detach(world, storage, kith_entity_index(entity));
    return true;
}

// All cases: flags, hooks, components beyond the first 64, loops, listeners and errors.
KITH_NOINLINE static bool remove_any_case(kith_world *world, kith_entity entity,
                                          kith_component component)
{
    kith_storage *storage =
        kith_storage_for_write(world, component, entity, KITH_ON_ENTITY, "kith_component_remove");
    return storage != NULL && has(world, storage, entity) &&
           kith_component_remove_from(world, storage, entity, "kith_component_remove");
}

// The usual case makes no call but the last one (bench M2).
KITH_API bool kith_component_remove(kith_world *world, kith_entity entity, kith_component component)
{
    kith_component   known = component > KITH_COMPONENT_MAX ? 0 : component;
    kith_pool_head_ *head  = world->head.pools_[known];
    uint64_t         bit   = head->inline_bit_;
    if (KITH_UNLIKELY_(bit == 0 || kith_row_(head, entity) == KITH_NO_ROW ||
                       (world->head.busy_ | world->shared.held) != 0)) {
        return remove_any_case(world, entity, component);
    }
    kith_pool *pool = &((kith_storage *)(void *)head)->pool;
    *kith_signature_word_(world->head.entities_[kith_entity_index(entity) >> KITH_PAGE_SHIFT_],
                          entity) &= ~bit;
    return pool->remove(pool, kith_entity_index(entity));
}

KITH_API bool kith_component_enable(kith_world *world, kith_entity entity, kith_component component,
                                    bool enabled)
{
    const char   *call    = enabled ? "kith_component_enable" : "kith_component_disable";
    kith_storage *storage = kith_storage_for_entity(world, entity, component, KITH_WITH_ROWS, call);
    if (storage == NULL || !has(world, storage, entity)) {
        return false;
    }
    kith_pool *pool  = &storage->pool;
    uint32_t   index = kith_entity_index(entity);
    if (!enabled && !kith_pool_reserve_disabled(pool, &world->memory)) {
        return kith_world_refuse(world, KITH_ERROR_MEMORY, call, component, entity);
    }
    uint32_t row     = kith_sparse_set_row_at(&pool->set, index);
    bool     changes = kith_pool_is_disabled(pool, row) == enabled;
    if (changes && enabled) {
        kith_pool_enable(pool, row);
        kith_groups_after_add(world, storage, index);
    } else if (changes) {
        kith_groups_before_remove(world, storage, index); // moves the row
        kith_pool_disable(pool, kith_sparse_set_row_at(&pool->set, index));
        kith_groups_after_remove(world, storage, index);
    }
    kith_loop_notify(world, storage->drop_watch, index);
    return true;
}
