// SPDX-License-Identifier: MIT
// A world that is saved and loaded again in its own place.
#include "catalog.h"
#include "model_internal.h"

kith_error_code model_world_save(const model *m, bool exact)
{
    if (m->busy || model_held(m)) {
        return KITH_ERROR_BUSY;
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        bool                   there     = component->present || model_members(component) != 0;
        if (there && component->desc.size != 0 && !component->is_tree &&
            component->desc.traits.saved.form == KITH_FORM_NONE) {
            return KITH_ERROR_UNSAVED;
        }
    }
    for (uint32_t i = 0; i < m->queue_count && exact; i++) {
        if (m->queues[i].count != 0 && m->queues[i].desc.saved.form == KITH_FORM_NONE) {
            return KITH_ERROR_UNSAVED;
        }
    }
    return KITH_OK;
}

// New values are constructed before they get what was saved, and then the old ones go.
static void renew_values(model *m)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        for (uint32_t row = 0; row < component->row_count; row++) {
            if (component->rows[row].entity != KITH_NULL) {
                model_make_value(m, component, NULL, 0, KITH_NULL);
            }
        }
        if (component->present) {
            model_make_value(m, component, NULL, 0, KITH_NULL);
        }
    }
    model_world_destroy(m);
}

// Of some values functions write nothing.
static void forget_numbers(model_component *component)
{
    if (component->desc.traits.saved.form != KITH_FORM_FUNCTIONS || model_is_name(component)) {
        return;
    }
    for (uint32_t row = 0; row < component->row_count; row++) {
        uint8_t *number = &component->rows[row].number;
        *number         = *number % CATALOG_WRITTEN == 0 ? 0 : *number;
    }
}

static void renew_component(model *m, model_component *component)
{
    for (uint32_t row = 0; row < component->row_count; row++) {
        model_row *one = &component->rows[row];
        if (one->entity != KITH_NULL) {
            model_record_removal(m, component, one->entity);
        }
        one->added = model_world_now(m);
        model_touch(m, component, row);
    }
}

// The entities that a set keeps come once more.
static void renew_set(model_reactive *set)
{
    set->count = set->keep_dead ? set->count : 0;
    for (uint32_t i = 0; i < set->count; i++) {
        set->numbers[i] = ++set->came;
    }
}

void model_world_load(model *m, bool exact)
{
    renew_values(m);
    for (uint32_t i = 0; i < m->component_count; i++) {
        model_forget_room(&m->components[i]);
        forget_numbers(&m->components[i]);
        if (!exact) {
            renew_component(m, &m->components[i]);
        }
    }
    model_remake_groups(m);
    for (uint32_t i = 0; i < m->reactive_count && !exact; i++) {
        renew_set(&m->reactives[i]);
    }
    for (uint32_t i = 0; i < MODEL_QUERIES && !exact; i++) {
        m->stored[i].query.since = 0;
    }
    for (uint32_t i = 0; i < m->system_count && !exact; i++) {
        m->systems[i].tick = 0;
    }
    model_announce_replaced(m, model_world_now(m));
}
