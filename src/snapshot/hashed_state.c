// SPDX-License-Identifier: MIT
#include "snapshot/hashed_state.h"

KITH_INTERNAL bool kith_column_is_present(const kith_column *column)
{
    return column->desc.kind == KITH_KIND_SINGLETON ? column->single != NULL
                                                    : kith_column_count(column) != 0;
}

KITH_INTERNAL bool kith_column_is_shapeless(const kith_column *column)
{
    return column->desc.size != 0 && column->layout.form == KITH_FORM_NONE &&
           kith_column_is_present(column);
}

KITH_INTERNAL bool kith_column_counts(const kith_column *column)
{
    return column->layout.form != KITH_FORM_TRANSIENT &&
           (kith_column_is_present(column) || column->pool.set.head.rows_ != 0);
}

// Puts a column where its name belongs among `count` that are in order.
static void insert_by_name(kith_column **sorted, uint32_t count, kith_column *column)
{
    uint32_t low  = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        bool     behind = strcmp(sorted[middle]->desc.name, column->desc.name) < 0;
        low             = behind ? middle + 1 : low;
        high            = behind ? high : middle;
    }
    for (uint32_t i = count; i > low; i--) {
        sorted[i] = sorted[i - 1];
    }
    sorted[low] = column;
}

KITH_INTERNAL uint32_t kith_world_counting(const kith_world *world,
                                           kith_column      *sorted[KITH_COMPONENT_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->column_count; i++) {
        if (kith_column_counts(world->columns[i])) {
            insert_by_name(sorted, count++, world->columns[i]);
        }
    }
    return count;
}

KITH_INTERNAL bool kith_world_lets_read(const kith_world *world, const char *call,
                                        kith_error *error)
{
    for (uint32_t i = 0; i < world->column_count; i++) {
        kith_component id = world->columns[i]->desc.id;
        if (kith_column_counts(world->columns[i]) && kith_world_denies(world, id, false)) {
            *error = kith_world_denial(world, id, false, call);
            return false;
        }
    }
    return true;
}

KITH_INTERNAL bool kith_group_counts(const kith_group *group)
{
    bool kept = group->owned == 0 && group->count != 0;
    for (uint32_t i = 0; i < group->plan.count && kept; i++) {
        kept = group->plan.parts[i].column->layout.form != KITH_FORM_TRANSIENT;
    }
    return kept;
}

KITH_INTERNAL uint32_t kith_group_terms(const kith_group *group, bool barred,
                                        kith_column *sorted[KITH_QUERY_TERMS_MAX])
{
    uint32_t from  = barred ? group->plan.flags : 0;
    uint32_t end   = barred ? group->plan.nones : group->plan.flags;
    uint32_t count = 0;
    for (; from < end; from++) {
        insert_by_name(sorted, count++, group->plan.parts[from].column);
    }
    return count;
}
