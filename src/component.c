// SPDX-License-Identifier: MIT
#include "world.h"

// What calls that return an address return for flags: not NULL, that is all.
static const char no_bytes[1];

// --- looking ---------------------------------------------------------------------------------

static bool fail_dead(kith_world *world, const kith_column *column, kith_entity entity,
                      const char *call)
{
    uint64_t   slot  = kith_entity_slot(world, kith_entity_index(entity));
    kith_error error = { .code      = KITH_ERROR_DEAD_ENTITY,
                         .call      = call,
                         .component = column->desc.id,
                         .entity    = entity,
                         .have      = kith_entity_version(slot) };
    if (kith_entity_index(slot) == KITH_SLOT_RETIRED) {
        error.subject = "retired";
    }
    if (entity == KITH_NULL) {
        error.code = KITH_ERROR_NULL_ENTITY;
    }
    return kith_world_fail(world, &error);
}

// The column for a demand on an entity, or NULL and an error.
static kith_column *open_for(kith_world *world, kith_entity entity, kith_component component,
                             unsigned kinds, const char *call)
{
    kith_column *column = kith_world_open(world, component, entity, kinds, call);
    if (column == NULL || KITH_LIKELY_(kith_entity_table_alive(&world->entities, entity))) {
        return column;
    }
    fail_dead(world, column, entity, call);
    return NULL;
}

static bool has(const kith_world *world, const kith_column *column, kith_entity entity)
{
    if (column->desc.kind == KITH_KIND_FLAG) {
        return kith_entity_table_alive(&world->entities, entity) &&
               kith_entity_bit(&world->entities, kith_entity_index(entity), column->bit);
    }
    return kith_sparse_set_row(&column->pool.set, entity) != KITH_NO_ROW;
}

// The entity's value, or NULL.
static void *find_value(const kith_world *world, const kith_column *column, kith_entity entity)
{
    if (!has(world, column, entity)) {
        return NULL;
    }
    if (column->desc.kind == KITH_KIND_FLAG) {
        return (void *)(uintptr_t)no_bytes;
    }
    return kith_pool_value(&column->pool, kith_sparse_set_row(&column->pool.set, entity));
}

// --- adding ----------------------------------------------------------------------------------
//
// Memory first, then hooks, which may say no, then the steps that cannot fail: a failure undoes
// nothing but the values that were constructed, because no structure has changed yet.

// What stands in the way of adding the column to the entity at `index`: KITH_OK if nothing.
static kith_error_code secure(kith_world *world, kith_column *column, uint32_t index)
{
    if (!kith_entity_plane_reserve(&world->entities, &world->memory, index, column->bit)) {
        return KITH_ERROR_MEMORY;
    }
    if (column->desc.kind == KITH_KIND_FLAG) {
        return KITH_OK;
    }
    if (!kith_sparse_set_below_limit(&column->pool.set)) {
        return KITH_ERROR_LIMIT;
    }
    return kith_pool_reserve(&column->pool, &world->memory, index) ? KITH_OK : KITH_ERROR_MEMORY;
}

// One adding of a component with all it requires. `steps` are the columns that it requires and,
// last, itself; those that the entity has already are passed over.
typedef struct addition {
    kith_world  *world;
    kith_entity  entity;
    kith_column *column;
    const void  *value;
    const char  *call;
} addition;

static kith_column *step_column(const addition *add, uint32_t step)
{
    kith_column *column = add->column;
    return step < column->need_count ? column->needs[step] : column;
}

static bool step_is_open(const addition *add, uint32_t step)
{
    return !has(add->world, step_column(add, step), add->entity);
}

static bool fail_step(const addition *add, kith_error_code code, const kith_column *column,
                      const char *subject)
{
    kith_error error = { .code      = code,
                         .call      = add->call,
                         .component = add->column->desc.id,
                         .entity    = add->entity,
                         .subject   = subject,
                         .have      = column->pool.set.limit,
                         .other     = column->desc.name };
    return kith_world_fail(add->world, &error);
}

static bool secure_steps(const addition *add)
{
    for (uint32_t step = 0; step <= add->column->need_count; step++) {
        if (step_is_open(add, step)) {
            kith_column    *column = step_column(add, step);
            kith_error_code code   = secure(add->world, column, kith_entity_index(add->entity));
            if (code != KITH_OK) {
                return fail_step(add, code, column, NULL);
            }
        }
    }
    return true;
}

// Where the next value of the column will be; NULL for columns without values.
static void *next_value(const kith_column *column)
{
    if (column->desc.size == 0) {
        return NULL;
    }
    return kith_pool_value(&column->pool, kith_sparse_set_next_row(&column->pool.set));
}

static void destruct_steps(const addition *add, uint32_t end)
{
    while (end-- > 0) {
        if (step_is_open(add, end) && next_value(step_column(add, end)) != NULL) {
            kith_pool_destruct(&step_column(add, end)->pool, next_value(step_column(add, end)));
        }
    }
}

static bool construct_steps(const addition *add)
{
    for (uint32_t step = 0; step <= add->column->need_count; step++) {
        kith_column *column = step_column(add, step);
        void        *place  = step_is_open(add, step) ? next_value(column) : NULL;
        const void  *source = column == add->column ? add->value : NULL;
        if (place != NULL && !kith_pool_construct(&column->pool, place, source)) {
            destruct_steps(add, step);
            return fail_step(add, KITH_ERROR_HOOK, column, source == NULL ? "construct" : "copy");
        }
    }
    return true;
}

static void attach_steps(const addition *add)
{
    for (uint32_t step = 0; step <= add->column->need_count; step++) {
        if (!step_is_open(add, step)) {
            continue;
        }
        kith_column *column = step_column(add, step);
        if (column->desc.kind == KITH_KIND_FLAG) {
            column->pool.set.head.flag_count_++;
        } else {
            kith_sparse_set_insert(&column->pool.set, add->entity);
        }
        kith_entity_bit_set(&add->world->entities, kith_entity_index(add->entity), column->bit);
    }
}

static void *add_all(const addition *add)
{
    if (!secure_steps(add)) {
        return NULL;
    }
    kith_world_enter(add->world);
    bool constructed = construct_steps(add);
    kith_world_leave(add->world);
    if (!constructed) {
        return NULL;
    }
    attach_steps(add);
    return find_value(add->world, add->column, add->entity);
}

static void *replace_value(const addition *add, void *value)
{
    kith_world_enter(add->world);
    bool replaced = kith_pool_replace(&add->column->pool, value, add->value);
    kith_world_leave(add->world);
    if (!replaced) {
        fail_step(add, KITH_ERROR_HOOK, add->column, add->value == NULL ? "construct" : "copy");
        return NULL;
    }
    return value;
}

// Adds the component with its value, or, where it is present, leaves or replaces it.
static void *put(kith_world *world, kith_entity entity, kith_component component, const void *value,
                 bool replace, const char *call)
{
    kith_column *column = open_for(world, entity, component, KITH_ON_ENTITY, call);
    if (column == NULL) {
        return NULL;
    }
    addition add   = { world, entity, column, value, call };
    void    *found = find_value(world, column, entity);
    if (found == NULL) {
        return add_all(&add);
    }
    return replace && column->desc.size != 0 ? replace_value(&add, found) : found;
}

KITH_API void *kith_component_set(kith_world *world, kith_entity entity, kith_component component,
                                  const void *value)
{
    return put(world, entity, component, value, true, "kith_component_set");
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
    const kith_column *column =
        kith_world_ask(world, component, KITH_ON_ENTITY, "kith_component_get");
    return column == NULL ? NULL : find_value(world, column, entity);
}

KITH_API void *kith_component_mut(kith_world *world, kith_entity entity, kith_component component)
{
    const kith_column *column =
        kith_world_reach(world, component, entity, KITH_ON_ENTITY, "kith_component_mut");
    return column == NULL ? NULL : find_value(world, column, entity);
}

KITH_API bool kith_component_has(const kith_world *world, kith_entity entity,
                                 kith_component component)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_ON_ENTITY, "kith_component_has");
    return column != NULL && has(world, column, entity);
}

KITH_API bool kith_component_enabled(const kith_world *world, kith_entity entity,
                                     kith_component component)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_ON_ENTITY, "kith_component_enabled");
    if (column == NULL || !has(world, column, entity)) {
        return false;
    }
    return column->desc.kind == KITH_KIND_FLAG ||
           !kith_pool_disabled(&column->pool, kith_sparse_set_row(&column->pool.set, entity));
}

// --- changing --------------------------------------------------------------------------------

KITH_API void *kith_component_patch(kith_world *world, kith_entity entity, kith_component component,
                                    void (*change)(void *value, void *context), void *context)
{
    kith_column *column =
        open_for(world, entity, component, KITH_ON_ENTITY, "kith_component_patch");
    if (column == NULL) {
        return NULL;
    }
    if (change == NULL) {
        kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                             .call      = "kith_component_patch",
                             .component = component,
                             .subject   = "there is no function to call" };
        kith_world_fail(world, &error);
        return NULL;
    }
    void *value = find_value(world, column, entity);
    if (value != NULL) {
        kith_world_enter(world);
        change(value, context);
        kith_world_leave(world);
    }
    return value;
}

// Every case: flags, hooks, components beyond the first 64, and all that is wrong.
KITH_APART static bool remove_otherwise(kith_world *world, kith_entity entity,
                                        kith_component component)
{
    kith_column *column =
        kith_world_open(world, component, entity, KITH_ON_ENTITY, "kith_component_remove");
    if (column == NULL || !has(world, column, entity)) {
        return false;
    }
    kith_entity_bit_clear(&world->entities, kith_entity_index(entity), column->bit);
    return column->pool.remove(&column->pool, kith_entity_index(entity));
}

// The usual case without calls but the last one: bench M2.
KITH_API bool kith_component_remove(kith_world *world, kith_entity entity, kith_component component)
{
    kith_component   known = component > KITH_COMPONENT_MAX ? 0 : component;
    kith_pool_head_ *head  = world->head.pools_[known];
    uint64_t         quick = head->quick_;
    if (KITH_UNLIKELY_(quick == 0 || kith_row_(head, entity) == KITH_NO_ROW ||
                       world->head.busy_ != 0)) {
        return remove_otherwise(world, entity, component);
    }
    kith_pool *pool = &((kith_column *)(void *)head)->pool;
    *kith_signature_word_(world->head.entities_[kith_entity_index(entity) >> KITH_PAGE_SHIFT_],
                          entity) &= ~quick;
    return pool->remove(pool, kith_entity_index(entity));
}

KITH_API bool kith_component_disable(kith_world *world, kith_entity entity,
                                     kith_component component)
{
    kith_column *column =
        open_for(world, entity, component, KITH_WITH_ROWS, "kith_component_disable");
    if (column == NULL || !has(world, column, entity)) {
        return false;
    }
    uint32_t row = kith_sparse_set_row(&column->pool.set, entity);
    return kith_pool_disable(&column->pool, &world->memory, row) ||
           kith_world_refuse(world, KITH_ERROR_MEMORY, "kith_component_disable", component, entity);
}

KITH_API bool kith_component_enable(kith_world *world, kith_entity entity, kith_component component)
{
    kith_column *column =
        open_for(world, entity, component, KITH_WITH_ROWS, "kith_component_enable");
    if (column == NULL || !has(world, column, entity)) {
        return false;
    }
    kith_pool_enable(&column->pool, kith_sparse_set_row(&column->pool.set, entity));
    return true;
}

// --- pools -----------------------------------------------------------------------------------

KITH_API uint32_t kith_component_count(const kith_world *world, kith_component component)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_ON_ENTITY, "kith_component_count");
    if (column == NULL) {
        return 0;
    }
    const kith_sparse_set *set = &column->pool.set;
    return column->desc.kind == KITH_KIND_FLAG ? set->head.flag_count_ : kith_sparse_set_count(set);
}

KITH_API uint32_t kith_component_rows(const kith_world *world, kith_component component)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_WITH_ROWS, "kith_component_rows");
    return column == NULL ? 0 : column->pool.set.head.rows_;
}

KITH_API uint32_t kith_component_row(const kith_world *world, kith_entity entity,
                                     kith_component component)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_WITH_ROWS, "kith_component_row");
    return column == NULL ? KITH_NO_ROW : kith_sparse_set_row(&column->pool.set, entity);
}

static bool row_in_use(const kith_column *column, uint32_t row)
{
    return column != NULL && row < column->pool.set.head.rows_ &&
           !kith_pool_hole(&column->pool, row);
}

static kith_entity entity_in(const kith_world *world, const kith_column *column, uint32_t row)
{
    return *kith_entity_slot_of(&world->entities, *kith_sparse_set_packed(&column->pool.set, row));
}

KITH_API kith_entity kith_component_entity(const kith_world *world, kith_component component,
                                           uint32_t row)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_WITH_ROWS, "kith_component_entity");
    return row_in_use(column, row) ? entity_in(world, column, row) : KITH_NULL;
}

KITH_API const void *kith_component_value(const kith_world *world, kith_component component,
                                          uint32_t row)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_WITH_ROWS, "kith_component_value");
    return row_in_use(column, row) ? kith_pool_value(&column->pool, row) : NULL;
}

KITH_API kith_entity kith_component_owner(const kith_world *world, kith_component component,
                                          const void *address)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_WITH_ROWS, "kith_component_owner");
    uint32_t row = column == NULL ? KITH_NO_ROW : kith_pool_row_at(&column->pool, address);
    return row == KITH_NO_ROW ? KITH_NULL : entity_in(world, column, row);
}

KITH_API bool kith_component_reserve(kith_world *world, kith_component component, uint32_t rows)
{
    static const char call[] = "kith_component_reserve";
    kith_column      *column = kith_world_open(world, component, KITH_NULL, KITH_WITH_ROWS, call);
    if (column == NULL) {
        return false;
    }
    uint32_t most = column->pool.set.limit < world->entities.index_end ? column->pool.set.limit
                                                                       : world->entities.index_end;
    if (rows > most) {
        kith_error error = { .code      = KITH_ERROR_LIMIT,
                             .call      = call,
                             .component = component,
                             .subject   = "the number of entities",
                             .have      = most,
                             .want      = rows };
        if (most == column->pool.set.limit) {
            error.other = column->desc.name;
        }
        return kith_world_fail(world, &error);
    }
    return kith_pool_reserve_rows(&column->pool, &world->memory, rows) ||
           kith_world_refuse(world, KITH_ERROR_MEMORY, call, component, KITH_NULL);
}

KITH_API uint32_t kith_component_capacity(const kith_world *world, kith_component component)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_WITH_ROWS, "kith_component_capacity");
    return column == NULL ? 0 : column->pool.set.head.capacity_;
}

KITH_API uint32_t kith_component_limit(const kith_world *world, kith_component component)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_WITH_ROWS, "kith_component_limit");
    return column == NULL ? 0 : column->pool.set.limit;
}

KITH_API bool kith_component_limit_set(kith_world *world, kith_component component, uint32_t rows)
{
    kith_column *column =
        kith_world_open(world, component, KITH_NULL, KITH_WITH_ROWS, "kith_component_limit_set");
    if (column == NULL) {
        return false;
    }
    if (rows < column->pool.set.head.rows_) {
        kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                             .call      = "kith_component_limit_set",
                             .component = component,
                             .subject   = "the limit must not be below the number of rows",
                             .have      = column->pool.set.head.rows_,
                             .want      = rows };
        return kith_world_fail(world, &error);
    }
    kith_sparse_set_limit(&column->pool.set, rows);
    return true;
}

KITH_API bool kith_component_shrink(kith_world *world, kith_component component)
{
    kith_column *column =
        kith_world_open(world, component, KITH_NULL, KITH_WITH_ROWS, "kith_component_shrink");
    if (column == NULL) {
        return false;
    }
    kith_pool_shrink(&column->pool, &world->memory);
    return true;
}

KITH_API bool kith_component_compact(kith_world *world, kith_component component)
{
    kith_column *column =
        kith_world_open(world, component, KITH_NULL, KITH_WITH_ROWS, "kith_component_compact");
    if (column == NULL) {
        return false;
    }
    kith_world_enter(world);
    kith_pool_compact(&column->pool);
    kith_world_leave(world);
    return true;
}

KITH_API bool kith_component_swap(kith_world *world, kith_component component, kith_entity a,
                                  kith_entity b)
{
    kith_column *column = open_for(world, a, component, KITH_WITH_ROWS, "kith_component_swap");
    if (column == NULL ||
        open_for(world, b, component, KITH_WITH_ROWS, "kith_component_swap") == NULL) {
        return false;
    }
    if (column->desc.traits.policy == KITH_POLICY_STABLE) {
        return kith_world_refuse(world, KITH_ERROR_POLICY, "kith_component_swap", component, a);
    }
    uint32_t row_a = kith_sparse_set_row(&column->pool.set, a);
    uint32_t row_b = kith_sparse_set_row(&column->pool.set, b);
    if (row_a == KITH_NO_ROW || row_b == KITH_NO_ROW) {
        return false;
    }
    kith_world_enter(world);
    kith_pool_swap(&column->pool, row_a, row_b);
    kith_world_leave(world);
    return true;
}

static void clear_flag(kith_world *world, kith_column *column)
{
    for (kith_entity entity = kith_entity_next(world, KITH_NULL); entity != KITH_NULL;
         entity             = kith_entity_next(world, entity)) {
        if (kith_entity_bit(&world->entities, kith_entity_index(entity), column->bit)) {
            kith_entity_bit_clear(&world->entities, kith_entity_index(entity), column->bit);
        }
    }
    column->pool.set.head.flag_count_ = 0;
}

static void clear_rows(kith_world *world, kith_column *column)
{
    for (uint32_t row = 0; row < column->pool.set.head.rows_; row++) {
        uint32_t index = *kith_sparse_set_packed(&column->pool.set, row);
        if ((index & KITH_HOLE) == 0) {
            kith_entity_bit_clear(&world->entities, index, column->bit);
        }
    }
    kith_world_enter(world);
    kith_pool_clear(&column->pool);
    kith_world_leave(world);
}

KITH_API bool kith_component_clear(kith_world *world, kith_component component)
{
    kith_column *column =
        kith_world_open(world, component, KITH_NULL, KITH_ON_ENTITY, "kith_component_clear");
    if (column == NULL) {
        return false;
    }
    if (column->desc.kind == KITH_KIND_FLAG) {
        clear_flag(world, column);
    } else {
        clear_rows(world, column);
    }
    return true;
}
