// SPDX-License-Identifier: MIT
// Names: finding is a search of all rows for the lowest index. The number of a value stands for its
// text.
#include "catalog.h"
#include "model_internal.h"

static size_t never_written(const void *value, void *bytes, size_t room, void *context)
{
    (void)value, (void)bytes, (void)room, (void)context;
    return 0;
}

static bool never_read(void *value, const void *bytes, size_t size, void *context)
{
    (void)value, (void)bytes, (void)size, (void)context;
    return false;
}

// What a copy or a destructor does is not seen: names have no hooks here.
kith_component model_name_register(model *m, const kith_name_desc *desc)
{
    static const kith_saver   saver = { never_written, never_read, NULL };
    const kith_component_desc names = {
        .name              = desc->name,
        .id                = desc->id,
        .size              = sizeof(kith_text),
        .alignment         = _Alignof(kith_text),
        .traits.not_cloned = desc->unique,
        .traits.saved = { .form = KITH_FORM_FUNCTIONS, .unit = KITH_UNIT_TEXT, .functions = &saver }
    };
    return model_component_register(m, &names);
}

bool model_name_is_indexed(const model *m, kith_component component)
{
    bool is = false;
    for (uint32_t i = 0; i < m->listener_count; i++) {
        is = is || (m->listeners[i].is_name && m->listeners[i].desc.component == component);
    }
    return is;
}

static void never_called_for_names(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world, (void)notice, (void)context;
}

// The first search begins to listen, which others notice: with a listener a row is announced.
static void begin_to_listen(model *m, kith_component component)
{
    for (kith_event event = KITH_EVENT_ADD; event <= KITH_EVENT_SET; event++) {
        model_listener ear                = { .number = ++m->last_listener, .is_name = true };
        ear.desc.event                    = event;
        ear.desc.component                = component;
        ear.desc.call                     = never_called_for_names;
        ear.desc.priority                 = INT32_MAX;
        m->listeners[m->listener_count++] = ear;
    }
}

kith_entity model_name_lowest(const model_component *names, uint32_t number)
{
    kith_entity lowest = KITH_NULL;
    for (uint32_t row = 0; row < names->row_count && number != 0; row++) {
        const model_row *one = &names->rows[row];
        if (one->entity != KITH_NULL && one->number == number &&
            (lowest == KITH_NULL || model_entity_index(one->entity) < model_entity_index(lowest))) {
            lowest = one->entity;
        }
    }
    return lowest;
}

kith_entity model_name_find(model *m, kith_component component, uint32_t number)
{
    const model_component *names = model_named(m, MODEL_ASKS, component, MODEL_ALL);
    if (names == NULL) {
        return KITH_NULL;
    }
    if (number != 0 && !m->busy && !model_name_is_indexed(m, component)) {
        begin_to_listen(m, component);
    }
    return model_name_lowest(names, number);
}

bool model_name_claim(model *m, kith_entity entity, kith_component component, uint32_t number)
{
    uint8_t     value  = (uint8_t)number;
    kith_entity holder = model_name_find(m, component, number);
    if (model_component_lookup(m, component) == NULL) {
        return false;
    }
    return holder == KITH_NULL || holder == entity
               ? model_component_set(m, entity, component, &value) != 0
               : model_fail(m, KITH_ERROR_ARGUMENT, component, holder);
}
