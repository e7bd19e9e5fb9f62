// SPDX-License-Identifier: MIT
// The rows of one component as a whole: counted, reserved, moved, emptied.
#include "world/component_pool.h"

#include "store/pool_move.h"
#include "world/component.h"
#include "world/membership.h"

KITH_API uint32_t kith_component_count(const kith_world *world, kith_component component)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_ON_ENTITY, "kith_component_count");
    return column == NULL ? 0 : kith_column_count(column);
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

KITH_INTERNAL bool kith_column_allows(kith_world *world, const kith_column *column, uint32_t rows,
                                      const char *call)
{
    uint32_t most = kith_least(kith_sparse_set_most(&column->pool.set), world->entities.index_end);
    if (rows <= most) {
        return true;
    }
    kith_error error = { .code      = KITH_ERROR_LIMIT,
                         .call      = call,
                         .component = column->desc.id,
                         .subject   = "the number of entities",
                         .have      = most,
                         .want      = rows };
    if (most == column->pool.set.limit) {
        error.other   = column->desc.name;
        error.subject = NULL;
    }
    return kith_world_fail(world, &error);
}

KITH_API bool kith_component_reserve(kith_world *world, kith_component component, uint32_t rows)
{
    static const char call[] = "kith_component_reserve";
    kith_column      *column = kith_world_open(world, component, KITH_NULL, KITH_WITH_ROWS, call);
    if (column == NULL || !kith_column_allows(world, column, rows, call)) {
        return false;
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

KITH_INTERNAL bool kith_column_fail_limit(kith_world *world, const kith_column *column,
                                          uint32_t rows, const char *call)
{
    return kith_world_refuse_numbers(world, KITH_ERROR_ARGUMENT, call, column->desc.id,
                                     "the limit must not be below the number of rows",
                                     column->pool.set.head.rows_, rows);
}

KITH_API bool kith_component_limit_set(kith_world *world, kith_component component, uint32_t rows)
{
    static const char call[] = "kith_component_limit_set";
    kith_column      *column = kith_world_open(world, component, KITH_NULL, KITH_WITH_ROWS, call);
    if (column == NULL) {
        return false;
    }
    if (rows < column->pool.set.head.rows_) {
        return kith_column_fail_limit(world, column, rows, call);
    }
    kith_sparse_set_limit(&column->pool.set, rows);
    return true;
}

KITH_API bool kith_component_shrink(kith_world *world, kith_component component)
{
    kith_column *column =
        kith_world_open(world, component, KITH_NULL, KITH_WITH_ROWS, "kith_component_shrink");
    if (column == NULL || kith_world_moving(world, "kith_component_shrink", component)) {
        return false;
    }
    kith_pool_shrink(&column->pool, &world->memory);
    return true;
}

KITH_API bool kith_component_compact(kith_world *world, kith_component component)
{
    kith_column *column =
        kith_world_open(world, component, KITH_NULL, KITH_WITH_ROWS, "kith_component_compact");
    if (column == NULL || kith_world_moving(world, "kith_component_compact", component)) {
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
    kith_column *column =
        kith_world_open_for(world, a, component, KITH_WITH_ROWS, "kith_component_swap");
    if (column == NULL ||
        kith_world_open_for(world, b, component, KITH_WITH_ROWS, "kith_component_swap") == NULL ||
        kith_world_moving(world, "kith_component_swap", component)) {
        return false;
    }
    if (column->desc.traits.policy == KITH_POLICY_STABLE) {
        return kith_world_refuse(world, KITH_ERROR_POLICY, "kith_component_swap", component, a);
    }
    if (kith_world_owned(world, column, "kith_component_swap")) {
        return false;
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

static const char call_clear[] = "kith_component_clear";

static void clear_flag(kith_world *world, kith_column *column)
{
    for (kith_entity entity = kith_entity_next(world, KITH_NULL); entity != KITH_NULL;
         entity             = kith_entity_next(world, entity)) {
        if (kith_entity_bit(&world->entities, kith_entity_index(entity), column->bit)) {
            kith_component_take(world, column, entity, call_clear);
        }
    }
}

// One by one, where someone hears of it or nothing may move. Rows that are added meanwhile stay.
static void remove_singly(kith_world *world, kith_column *column)
{
    uint32_t rows = column->pool.set.head.rows_;
    for (uint32_t row = 0; row < rows; row++) {
        if (!kith_pool_hole(&column->pool, row)) {
            kith_component_take(world, column, entity_in(world, column, row), call_clear);
        }
    }
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
    kith_column *column = kith_world_open(world, component, KITH_NULL, KITH_ON_ENTITY, call_clear);
    if (column == NULL) {
        return false;
    }
    bool heard  = column->events[KITH_EVENT_REMOVE].count != 0;
    bool singly = heard || world->shared.held != 0 || kith_column_grouped(column);
    if (heard && !kith_world_nestable(world, call_clear, component)) {
        return false;
    }
    kith_world_pause(world);
    if (column->desc.kind == KITH_KIND_FLAG) {
        clear_flag(world, column);
    } else if (singly) {
        remove_singly(world, column);
    } else {
        clear_rows(world, column);
    }
    kith_world_resume(world);
    return true;
}

KITH_API uint64_t kith_component_stamp(const kith_world *world, kith_component component,
                                       uint32_t row)
{
    const kith_column *column =
        kith_world_ask(world, component, KITH_WITH_ROWS, "kith_component_stamp");
    if (column == NULL || row >= column->pool.set.head.rows_) {
        return 0;
    }
    return column->pool.set.head.stamps_[row >> column->pool.set.head.shift_];
}
