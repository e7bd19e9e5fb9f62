// SPDX-License-Identifier: MIT
#include "world/component.h"

#include "world/group.h"

// --- looking ---------------------------------------------------------------------------------

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

// The entity's value, or NULL.
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
// Memory first, then hooks, which may say no, then the steps that cannot fail: a failure undoes
// nothing but the values that were constructed, because no structure has changed yet.

// What stands in the way of adding the storage to the entity at `index`: KITH_OK if nothing.
static kith_error_code secure(kith_world *world, kith_storage *storage, uint32_t index)
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

// One adding of a component with all it requires. `steps` are the storages that it requires and,
// last, itself; those that the entity has already are passed over.
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
    return step < storage->need_count ? storage->needs[step] : storage;
}

static bool step_is_open(const addition *add, uint32_t step)
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

static const char holes_count[] = "holes count until the last loop closes";

static bool secure_steps(const addition *add)
{
    for (uint32_t step = 0; step <= add->storage->need_count; step++) {
        if (step_is_open(add, step)) {
            kith_storage   *storage = step_storage(add, step);
            kith_error_code code    = secure(add->world, storage, kith_entity_index(add->entity));
            bool            held    = code == KITH_ERROR_LIMIT && storage->pool.set.holes != 0;
            if (code != KITH_OK) {
                return fail_step(add, code, storage, held ? holes_count : NULL);
            }
        }
    }
    return true;
}

// Where the next value of the storage will be; NULL for storages without values.
static void *next_value(const kith_storage *storage)
{
    if (storage->desc.size == 0) {
        return NULL;
    }
    return kith_pool_value(&storage->pool, kith_sparse_set_next_row(&storage->pool.set));
}

static void destruct_steps(const addition *add, uint32_t end)
{
    while (end-- > 0) {
        if (step_is_open(add, end) && next_value(step_storage(add, end)) != NULL) {
            kith_pool_destruct(&step_storage(add, end)->pool, next_value(step_storage(add, end)));
        }
    }
}

// Answers the storage whose value could not be made, and none is; NULL: all are.
static const kith_storage *construct_steps(const addition *add)
{
    for (uint32_t step = 0; step <= add->storage->need_count; step++) {
        kith_storage *storage = step_storage(add, step);
        void         *place   = step_is_open(add, step) ? next_value(storage) : NULL;
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
    for (uint32_t step = 0; step <= add->storage->need_count; step++) {
        if (step_is_open(add, step)) {
            attach(add->world, step_storage(add, step), add->entity);
        }
    }
}

static bool add_has_listeners(const addition *add)
{
    bool heard = false;
    for (uint32_t step = 0; step <= add->storage->need_count; step++) {
        heard = heard || (step_storage(add, step)->events[KITH_EVENT_ADD].count != 0 &&
                          step_is_open(add, step));
    }
    return heard;
}

// Which steps the entity does not have yet.
static kith_signature open_steps(const addition *add)
{
    kith_signature open = { { 0 } };
    for (uint32_t step = 0; step <= add->storage->need_count; step++) {
        uint32_t bit = step_storage(add, step)->bit;
        open.words[bit >> 6] |= step_is_open(add, step) ? UINT64_C(1) << (bit & 63) : 0;
    }
    return open;
}

// Announces what the entity got, one after the other, as long as it has it.
static void announce_steps(const addition *add, kith_signature *unreported)
{
    kith_world *world = add->world;
    kith_world_begin_event(world, add->entity, NULL, false);
    world->frames[world->nested - 1].unreported = unreported;
    for (uint32_t step = 0; step <= add->storage->need_count; step++) {
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
    bool heard = add_has_listeners(add);
    if ((heard && !kith_require_nestable(add->world, add->call, add->storage->desc.id)) ||
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
    if (!heard) {
        attach_steps(add);
        return find_value(add->world, add->storage, add->entity);
    }
    kith_signature unreported = open_steps(add);
    attach_steps(add);
    announce_steps(add, &unreported);
    return find_value(add->world, add->storage, add->entity);
}

// Announces that the value was set, and looks it up again.
static void *announce_set(kith_world *world, const kith_storage *storage, kith_entity entity,
                          void *value)
{
    const kith_event_list *listeners = &storage->events[KITH_EVENT_SET];
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
    kith_sparse_set_touch(&storage->pool.set, kith_sparse_set_row(&storage->pool.set, entity), 1);
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

// Adds the component with its value, or, where it is present, leaves or replaces it.
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

// A value of a grouped component is put aside while rows make room for it.
#define MEMBER_BYTES 64

// Whether the entity, which lives, can have a new row of bytes without memory.
static inline bool is_ready(const kith_storage *storage, uint32_t index)
{
    const kith_pool_head_ *head = &storage->pool.set.head;
    uint32_t               page = index >> KITH_PAGE_SHIFT_;
    return page < head->sparse_pages_ &&
           head->sparse_[page][index & KITH_PAGE_MASK_] == KITH_EMPTY &&
           head->rows_ < head->capacity_ &&
           (storage->pool.size <= MEMBER_BYTES || !kith_storage_in_group(storage));
}

// put for a component that is plain, or was until someone listened or a loop watched: the same
// steps without those that do nothing (bench S2).
static void *add_bytes(kith_world *world, kith_storage *storage, kith_entity entity,
                       const void *source)
{
    kith_sparse_set *set              = &storage->pool.set;
    uint32_t         index            = kith_entity_index(entity);
    uint32_t         row              = set->head.rows_++;
    *kith_sparse_set_packed(set, row) = index;
    *kith_sparse_set_slot(set, index) = ((entity >> 31 | 1) << 31) | row;
    *kith_signature_word_(world->head.entities_[index >> KITH_PAGE_SHIFT_], entity) |=
        storage->plain_bit;
    kith_sparse_set_touch_added(set, row, 1);
    kith_loop_notify(world, storage->add_watch, index);
    uint8_t copy[MEMBER_BYTES];
    if (KITH_UNLIKELY_(kith_storage_in_group(storage))) {
        kith_copy_bytes(copy, source, storage->pool.size); // the source may be a row that moves
        source = copy;
        row    = kith_grouped_after_add(world, storage, index, row);
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

// The same for one that has the row already.
static void *replace_bytes(kith_world *world, kith_storage *storage, kith_entity entity,
                           uint32_t row, const void *source)
{
    kith_sparse_set *set   = &storage->pool.set;
    uint64_t         moves = set->moves;
    void            *value = kith_pool_value(&storage->pool, row);
    kith_pool_replace(&storage->pool, value, source);
    kith_sparse_set_touch(set, row, 1);
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

KITH_API void *kith_component_add(kith_world *world, kith_entity entity, kith_component component)
{
    return put(world, entity, component, NULL, false, "kith_component_add");
}

KITH_API void *kith_component_get_or_add(kith_world *world, kith_entity entity,
                                         kith_component component, const void *value)
{
    return put(world, entity, component, value, false, "kith_component_get_or_add");
}

// --- asking ----------------------------------------------------------------------------------

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
        kith_storage_for_setup(world, component, entity, KITH_ON_ENTITY, "kith_component_mut");
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

// Removes what the entity has, and tells of it before. Returns false when it cannot be told.
static bool remove_aloud(kith_world *world, kith_storage *storage, kith_entity entity,
                         const char *call)
{
    if (!kith_require_nestable(world, call, storage->desc.id)) {
        return false;
    }
    kith_world_begin_event(world, entity, storage, false);
    kith_world_announce(world, &storage->events[KITH_EVENT_REMOVE], KITH_EVENT_REMOVE,
                        storage->desc.id, entity);
    if (has(world, storage, entity)) { // a listener may have destroyed the entity
        kith_world_detach(world, storage, kith_entity_index(entity));
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
        return remove_aloud(world, storage, entity, call);
    }
    kith_world_detach(world, storage, kith_entity_index(entity));
    return true;
}

// Every case: flags, hooks, components beyond the first 64, loops, listeners, and all that is
// wrong.
KITH_NOINLINE static bool remove_otherwise(kith_world *world, kith_entity entity,
                                           kith_component component)
{
    kith_storage *storage =
        kith_storage_for_write(world, component, entity, KITH_ON_ENTITY, "kith_component_remove");
    return storage != NULL && has(world, storage, entity) &&
           kith_component_remove_from(world, storage, entity, "kith_component_remove");
}

// The usual case without calls but the last one: bench M2.
KITH_API bool kith_component_remove(kith_world *world, kith_entity entity, kith_component component)
{
    kith_component   known = component > KITH_COMPONENT_MAX ? 0 : component;
    kith_pool_head_ *head  = world->head.pools_[known];
    uint64_t         quick = head->inline_bit_;
    if (KITH_UNLIKELY_(quick == 0 || kith_row_(head, entity) == KITH_NO_ROW ||
                       (world->head.busy_ | world->shared.held) != 0)) {
        return remove_otherwise(world, entity, component);
    }
    kith_pool *pool = &((kith_storage *)(void *)head)->pool;
    *kith_signature_word_(world->head.entities_[kith_entity_index(entity) >> KITH_PAGE_SHIFT_],
                          entity) &= ~quick;
    return pool->remove(pool, kith_entity_index(entity));
}

KITH_API bool kith_component_disable(kith_world *world, kith_entity entity,
                                     kith_component component)
{
    kith_storage *storage =
        kith_storage_for_entity(world, entity, component, KITH_WITH_ROWS, "kith_component_disable");
    if (storage == NULL || !has(world, storage, entity)) {
        return false;
    }
    uint32_t index = kith_entity_index(entity);
    if (!kith_pool_reserve_disabled(&storage->pool, &world->memory)) {
        return kith_world_refuse(world, KITH_ERROR_MEMORY, "kith_component_disable", component,
                                 entity);
    }
    if (!kith_pool_is_disabled(&storage->pool, kith_sparse_set_row_at(&storage->pool.set, index))) {
        kith_groups_before_remove(world, storage, index);
        kith_pool_disable(&storage->pool, kith_sparse_set_row_at(&storage->pool.set, index));
        kith_groups_after_remove(world, storage, index);
    }
    kith_loop_notify(world, storage->drop_watch, index);
    return true;
}

KITH_API bool kith_component_enable(kith_world *world, kith_entity entity, kith_component component)
{
    kith_storage *storage =
        kith_storage_for_entity(world, entity, component, KITH_WITH_ROWS, "kith_component_enable");
    if (storage == NULL || !has(world, storage, entity)) {
        return false;
    }
    uint32_t index = kith_entity_index(entity);
    uint32_t row   = kith_sparse_set_row_at(&storage->pool.set, index);
    if (kith_pool_is_disabled(&storage->pool, row)) {
        kith_pool_enable(&storage->pool, row);
        kith_groups_after_add(world, storage, index);
    }
    kith_loop_notify(world, storage->drop_watch, index);
    return true;
}

// --- many at once ----------------------------------------------------------------------------

// Entities that are looked up together. While those of one group are resolved, the slots of the
// next are on their way from memory, and so are the values for the caller.
#define TOGETHER 32u

static void fetch_slots(const kith_pool_head_ *head, const kith_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t page = kith_entity_index(entities[i]) >> KITH_PAGE_SHIFT_;
        if (KITH_LIKELY_(page < head->sparse_pages_)) {
            KITH_PREFETCH(&head->sparse_[page][entities[i] & KITH_PAGE_MASK_]);
        }
    }
}

static uint32_t find_values(const kith_pool *pool, const kith_entity *entities, uint32_t count,
                            const void **values)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = kith_row_(&pool->set.head, entities[i]);
        values[i]    = row == KITH_NO_ROW ? NULL : kith_pool_value(pool, row);
        found += row != KITH_NO_ROW;
        KITH_PREFETCH(values[i]);
    }
    return found;
}

KITH_API uint32_t kith_component_get_many(const kith_world *world, kith_component component,
                                          const kith_entity *entities, uint32_t count,
                                          const void **values)
{
    const kith_storage *storage =
        kith_storage_for_read(world, component, KITH_WITH_ROWS, "kith_component_get_many");
    uint32_t found = 0;
    for (uint32_t i = 0; i < count && storage == NULL; i++) {
        values[i] = NULL;
    }
    if (storage == NULL) {
        return 0;
    }
    fetch_slots(&storage->pool.set.head, entities, kith_min(count, TOGETHER));
    for (uint32_t done = 0, part; done < count; done += part) {
        part          = kith_min(count - done, TOGETHER);
        uint32_t rest = kith_min(count - done - part, TOGETHER);
        fetch_slots(&storage->pool.set.head, entities + done + part, rest);
        found += find_values(&storage->pool, entities + done, part, values + done);
    }
    return found;
}
