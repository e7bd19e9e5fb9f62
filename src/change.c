// SPDX-License-Identifier: MIT
// What has changed, and when.
#include "world.h"

// The row of the entity, or KITH_NO_ROW; an error that is told where there are no rows.
static uint32_t row_of(const kith_world *world, kith_entity entity, kith_component component,
                       const char *call, const kith_column **column)
{
    *column = kith_world_ask(world, component, KITH_WITH_ROWS, call);
    return *column == NULL ? KITH_NO_ROW : kith_sparse_set_row(&(*column)->pool.set, entity);
}

KITH_API uint64_t kith_component_changed_at(const kith_world *world, kith_entity entity,
                                            kith_component component)
{
    const kith_column *column;
    uint32_t           row = row_of(world, entity, component, "kith_component_changed_at", &column);
    return row == KITH_NO_ROW ? 0 : kith_sparse_set_changed(&column->pool.set, row);
}

KITH_API uint64_t kith_component_added_at(const kith_world *world, kith_entity entity,
                                          kith_component component)
{
    const kith_column *column;
    uint32_t           row = row_of(world, entity, component, "kith_component_added_at", &column);
    if (column != NULL && !kith_sparse_set_ticked(&column->pool.set)) {
        kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                             .call      = "kith_component_added_at",
                             .component = component,
                             .subject   = "the component was registered without row ticks" };
        kith_world_tell(world, &error);
        return 0;
    }
    return row == KITH_NO_ROW ? 0 : *kith_sparse_set_added(&column->pool.set, row);
}
