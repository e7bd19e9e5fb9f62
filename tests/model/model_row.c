// SPDX-License-Identifier: MIT
// The model of rows: appending, removing, holes, stamps, and journals of removals.
#include "model_internal.h"

uint32_t model_row_of(const model_component *component, kith_entity entity)
{
    for (uint32_t row = 0; entity != KITH_NULL && row < component->row_count; row++) {
        if (component->rows[row].entity == entity) {
            return row;
        }
    }
    return KITH_NO_ROW;
}

bool model_has(const model_component *component, kith_entity entity)
{
    return model_row_of(component, entity) != KITH_NO_ROW;
}

uint32_t model_members(const model_component *component)
{
    return component->row_count - component->hole_count;
}

bool model_has_rows(const model_component *component)
{
    return component->desc.kind == KITH_KIND_VALUE || component->desc.kind == KITH_KIND_TAG;
}

bool model_has_room(const model *m, const model_component *component)
{
    return component->desc.kind == KITH_KIND_FLAG ||
           (component->hole_count > 0 && !model_held(m)) || component->row_count < component->limit;
}

void model_record_room(model_component *component, uint32_t rows)
{
    component->room = component->room < rows ? rows : component->room;
}

void model_forget_room(model_component *component)
{
    component->room = component->row_count;
}

// ---------------------------------------------------------------------------------------------
// Stamps
// ---------------------------------------------------------------------------------------------

static uint64_t *stamp_of(model_component *component, uint32_t row)
{
    return &component->stamps[row / component->desc.traits.page_rows];
}

void model_stamp(model *m, model_component *component, uint32_t row)
{
    if (model_has_rows(component)) {
        *stamp_of(component, row) = model_world_now(m);
    }
}

void model_touch(model *m, model_component *component, uint32_t row)
{
    component->rows[row].changed = model_world_now(m);
    model_stamp(m, component, row);
}

uint64_t model_row_changed(model_component *component, uint32_t row)
{
    return component->desc.traits.row_ticks ? component->rows[row].changed
                                            : *stamp_of(component, row);
}

uint64_t model_component_changed_at(model *m, kith_entity entity, kith_component component)
{
    model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    return found == NULL || !model_has(found, entity)
               ? 0
               : model_row_changed(found, model_row_of(found, entity));
}

uint64_t model_component_added_at(model *m, kith_entity entity, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    if (found != NULL && !found->desc.traits.row_ticks) {
        model_report(m, KITH_ERROR_ARGUMENT, component, KITH_NULL);
        return 0;
    }
    return found == NULL || !model_has(found, entity)
               ? 0
               : found->rows[model_row_of(found, entity)].added;
}

const model_component *model_changes_begin(model *m, kith_component component)
{
    return model_named(m, MODEL_ASKS, component, MODEL_POOLS);
}

bool model_changes_next(model *m, kith_changes *changes)
{
    model_component *component = model_component_lookup(m, changes->component);
    uint32_t         page_rows = component->desc.traits.page_rows;
    uint32_t         row       = changes->row + changes->count;
    changes->count             = 0;
    for (; row < component->row_count; row++) {
        bool is_new = component->rows[row].entity != KITH_NULL &&
                      model_row_changed(component, row) >= changes->since;
        if (changes->count != 0 && (!is_new || row % page_rows == 0)) {
            return true;
        }
        changes->row = is_new && changes->count == 0 ? row : changes->row;
        changes->count += is_new;
    }
    return changes->count != 0;
}

const model_component *model_removals_begin(model *m, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    if (found != NULL && found->desc.traits.journal == 0) {
        model_report(m, KITH_ERROR_ARGUMENT, component, KITH_NULL);
        return NULL;
    }
    return found;
}

void model_record_removal(model *m, model_component *component, kith_entity entity)
{
    uint32_t room = component->desc.traits.journal;
    if (room == 0 || !model_has_rows(component) || m->unnoted) {
        return;
    }
    if (component->removal_count == room) {
        component->lost = component->removals[0].tick;
        component->removal_count--;
        for (uint32_t i = 0; i < component->removal_count; i++) {
            component->removals[i] = component->removals[i + 1];
        }
    }
    component->removals[component->removal_count++] =
        (kith_removal){ .entity = entity, .tick = model_world_now(m) };
}

uint64_t model_component_stamp(model *m, kith_component component, uint32_t row)
{
    model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    return found == NULL || row >= found->row_count ? 0 : *stamp_of(found, row);
}

// ---------------------------------------------------------------------------------------------
// Coming and going
// ---------------------------------------------------------------------------------------------

void model_append_row(model *m, model_component *component, kith_entity entity, uint8_t number)
{
    bool     reuses = component->hole_count > 0 && (!model_held(m) || m->fills);
    uint32_t before = model_memberships(m, entity);
    uint32_t row    = reuses ? component->holes[--component->hole_count] : component->row_count++;
    component->rows[row] = (model_row){ .entity  = entity,
                                        .number  = number,
                                        .added   = model_world_now(m),
                                        .changed = model_world_now(m) };
    model_record_room(component, component->row_count);
    model_stamp(m, component, row);
    model_change_groups(m, entity, before);
}

static void close_up(model_component *component, uint32_t row)
{
    for (; row + 1 < component->row_count; row++) {
        component->rows[row] = component->rows[row + 1];
    }
}

static void leave_hole(model *m, model_component *component, uint32_t row, bool waits)
{
    uint8_t number                            = component->rows[row].number;
    component->rows[row]                      = (model_row){ .number = number, .waits = waits };
    component->holes[component->hole_count++] = row;
    model_stamp(m, component, row);
}

static void fill_with_last(model *m, model_component *component, uint32_t row)
{
    uint32_t last = component->row_count - 1;
    if (m->fault == MODEL_FAULT_SWAP) {
        close_up(component, row);
    } else {
        component->rows[row] = component->rows[last];
    }
    if (row != last) {
        model_stamp(m, component, row);
    }
    component->row_count--;
}

static void take_row(model *m, model_component *component, uint32_t row)
{
    bool has_rows = model_has_rows(component);
    model_record_removal(m, component, component->rows[row].entity);
    if (has_rows) {
        model_strike(m, component->desc.id, component->rows[row].entity);
    }
    if (has_rows && model_held(m)) {
        leave_hole(m, component, row, true);
        return;
    }
    model_destruct(m, component, component->rows[row].number);
    if (has_rows && component->desc.traits.policy == KITH_POLICY_STABLE) {
        leave_hole(m, component, row, false);
    } else {
        fill_with_last(m, component, row);
    }
}

void model_exchange_rows(model *m, model_component *component, uint32_t a, uint32_t b)
{
    model_row kept     = component->rows[a];
    component->rows[a] = component->rows[b];
    component->rows[b] = kept;
    model_stamp(m, component, a);
    model_stamp(m, component, b);
}

// What the entity belongs to without the row.
static uint32_t memberships_without(model *m, model_component *component, uint32_t row)
{
    kith_entity entity          = component->rows[row].entity;
    component->rows[row].entity = KITH_NULL;
    uint32_t groups             = model_memberships(m, entity);
    component->rows[row].entity = entity;
    return groups;
}

void model_remove_row(model *m, model_component *component, uint32_t row)
{
    kith_entity entity = component->rows[row].entity;
    uint32_t    before = model_memberships(m, entity);
    uint32_t    after  = memberships_without(m, component, row);
    model_leave_groups(m, entity, before & ~after);
    take_row(m, component, model_row_of(component, entity));
    model_join_groups(m, entity, after & ~before);
}

void model_strip(model *m, kith_entity entity)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        uint32_t row = model_row_of(&m->components[i], entity);
        if (row != KITH_NO_ROW) {
            model_remove_row(m, &m->components[i], row);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Closing holes
// ---------------------------------------------------------------------------------------------

// The lowest row at or after `row` that is a hole, or that is none.
static uint32_t next_row(const model_component *component, uint32_t row, bool hole)
{
    while (row < component->row_count && (component->rows[row].entity == KITH_NULL) != hole) {
        row++;
    }
    return row;
}

void model_close_holes(model *m, model_component *component)
{
    uint32_t end  = model_members(component);
    uint32_t from = next_row(component, end, false);
    for (uint32_t to = next_row(component, 0, true); to < end; to = next_row(component, to, true)) {
        component->rows[to]          = component->rows[from];
        component->rows[from].entity = KITH_NULL;
        from                         = next_row(component, from, false);
        model_stamp(m, component, to);
    }
    component->row_count  = end;
    component->hole_count = 0;
}

static void destruct_waiting(model *m, model_component *component)
{
    for (uint32_t row = 0; row < component->row_count; row++) {
        if (component->rows[row].waits) {
            model_destruct(m, component, component->rows[row].number);
            component->rows[row].waits = false;
        }
    }
    for (uint32_t i = 0; i < component->waiting_count; i++) {
        model_destruct(m, component, component->waiting[i]);
    }
    component->waiting_count = 0;
}

void model_close_all_holes(model *m)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        destruct_waiting(m, &m->components[i]);
    }
    model_close_groups(m);
    for (uint32_t i = 0; i < m->component_count; i++) {
        model_component *component = &m->components[i];
        if (model_has_rows(component) && component->desc.traits.policy == KITH_POLICY_SWAP) {
            model_close_holes(m, component);
        }
    }
    model_fill_groups(m);
}
