// SPDX-License-Identifier: MIT
// The model of registering components.
#include "model_internal.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// What a call may name
// ---------------------------------------------------------------------------------------------

model_component *model_component_lookup(model *m, kith_component component)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        if (m->components[i].desc.id == component) {
            return &m->components[i];
        }
    }
    return NULL;
}

static bool is_of_kind(const model_component *component, unsigned kinds)
{
    return (1u << component->desc.kind & kinds) != 0;
}

model_component *model_named_for(model *m, model_manner how, kith_component id, unsigned kinds,
                                 kith_entity entity)
{
    model_component *found = model_component_lookup(m, id);
    if (found != NULL && is_of_kind(found, kinds)) {
        bool refused = (how == MODEL_CHANGES && model_busy(m, id, entity)) ||
                       (how == MODEL_MOVES && model_blocked(m, id, KITH_NULL));
        return refused ? NULL : found;
    }
    kith_error_code code = found == NULL ? KITH_ERROR_UNREGISTERED : KITH_ERROR_KIND;
    if (how == MODEL_ASKS) {
        model_report(m, code, id, KITH_NULL);
    } else {
        model_fail(m, code, id, entity);
    }
    return NULL;
}

model_component *model_named(model *m, model_manner how, kith_component id, unsigned kinds)
{
    return model_named_for(m, how, id, kinds, KITH_NULL);
}

model_component *model_demanded(model *m, model_manner how, kith_component id, kith_entity entity,
                                unsigned kinds)
{
    model_component *found = model_named_for(m, how, id, kinds, entity);
    if (found == NULL) {
        return NULL;
    }
    if (model_entity_alive(m, entity)) {
        return model_departs(m, id, entity) ? NULL : found;
    }
    bool is_null = entity == KITH_NULL;
    model_fail(m, is_null ? KITH_ERROR_NULL_ENTITY : KITH_ERROR_DEAD_ENTITY, id, entity);
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// Registration
// ---------------------------------------------------------------------------------------------

static bool is_power_of_two(uint32_t number)
{
    for (uint32_t power = 1; power != 0; power *= 2) {
        if (power == number) {
            return true;
        }
    }
    return false;
}

static bool alignment_fits(const kith_component_desc *desc, uint32_t alignment)
{
    return alignment == 0 || (is_power_of_two(alignment) && alignment <= KITH_ALIGNMENT_MAX &&
                              desc->size % alignment == 0);
}

static uint32_t alignment_of(const kith_component_desc *desc)
{
    uint32_t own = desc->alignment == 0 ? 1 : desc->alignment;
    return desc->traits.alignment > own ? desc->traits.alignment : own;
}

static bool has_hooks(const kith_traits *traits)
{
    return traits->hooks.construct != NULL || traits->hooks.copy != NULL ||
           traits->hooks.destruct != NULL || traits->hooks.move != NULL;
}

static bool ticks_make_sense(const kith_component_desc *desc)
{
    bool has_rows = desc->kind == KITH_KIND_VALUE || desc->kind == KITH_KIND_TAG;
    return has_rows || (!desc->traits.row_ticks && desc->traits.journal == 0);
}

// Tables are right but for the size, which is drawn.
static bool form_makes_sense(const kith_component_desc *desc)
{
    const kith_saved *saved = &desc->traits.saved;
    bool              fits  = saved->form == KITH_FORM_FIELDS
                                  ? saved->fields->size == desc->size
                                  : saved->form != KITH_FORM_PLAIN || desc->size % saved->unit == 0;
    return fits && (desc->size != 0 || saved->form == KITH_FORM_NONE);
}

static bool layout_makes_sense(const kith_component_desc *desc)
{
    bool has_bytes = desc->kind == KITH_KIND_VALUE || desc->kind == KITH_KIND_SINGLETON;
    return (desc->size != 0) == has_bytes && alignment_fits(desc, desc->alignment) &&
           alignment_fits(desc, desc->traits.alignment) &&
           (has_bytes || !has_hooks(&desc->traits)) && ticks_make_sense(desc) &&
           form_makes_sense(desc) &&
           (desc->kind != KITH_KIND_SINGLETON || desc->traits.required_count == 0);
}

static bool traits_make_sense(const kith_traits *traits)
{
    uint32_t rows = traits->page_rows;
    return (rows == 0 || (is_power_of_two(rows) && rows <= 65536)) && (int)traits->policy >= 0 &&
           traits->policy <= KITH_POLICY_STABLE;
}

// Requirements are registered, can be had by entities, and are not the component itself.
static bool requirements_make_sense(model *m, const kith_component_desc *desc)
{
    for (uint32_t i = 0; i < desc->traits.required_count; i++) {
        const model_component *required = model_component_lookup(m, desc->traits.required[i]);
        if (required == NULL || !is_of_kind(required, MODEL_HAD) || required->desc.id == desc->id) {
            return false;
        }
    }
    return true;
}

static bool makes_sense(model *m, const kith_component_desc *desc)
{
    return desc->name != NULL && desc->name[0] != '\0' && desc->id <= KITH_COMPONENT_MAX &&
           (int)desc->kind >= 0 && desc->kind <= KITH_KIND_SINGLETON && layout_makes_sense(desc) &&
           traits_make_sense(&desc->traits) && requirements_make_sense(m, desc);
}

// The description with the defaults that component.h documents.
static kith_component_desc filled_in(const kith_component_desc *desc)
{
    kith_component_desc full = *desc;
    full.alignment           = alignment_of(desc);
    full.traits.alignment    = full.alignment;
    return full;
}

static bool requires_the_same(const kith_traits *a, const kith_traits *b)
{
    return a->required_count == b->required_count &&
           (a->required_count == 0 ||
            memcmp(a->required, b->required, a->required_count * sizeof *a->required) == 0);
}

static bool says_the_same(const kith_component_desc *known, const kith_component_desc *desc)
{
    return strcmp(known->name, desc->name) == 0 && (desc->id == 0 || known->id == desc->id) &&
           known->kind == desc->kind && known->size == desc->size &&
           known->alignment == desc->alignment && known->traits.policy == desc->traits.policy &&
           known->traits.keep_order == desc->traits.keep_order &&
           known->traits.not_cloned == desc->traits.not_cloned &&
           known->traits.row_ticks == desc->traits.row_ticks &&
           known->traits.journal == desc->traits.journal &&
           (desc->traits.page_rows == 0 || known->traits.page_rows == desc->traits.page_rows) &&
           known->traits.alignment == desc->traits.alignment &&
           requires_the_same(&known->traits, &desc->traits);
}

static model_component *known_already(model *m, const kith_component_desc *desc)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        const kith_component_desc *known = &m->components[i].desc;
        if ((desc->id != 0 && known->id == desc->id) || strcmp(known->name, desc->name) == 0) {
            return &m->components[i];
        }
    }
    return NULL;
}

static kith_component run_time_id(model *m)
{
    kith_component id = KITH_COMPONENT_MAX;
    while (id > 0 && model_component_lookup(m, id) != NULL) {
        id--;
    }
    return id;
}

static kith_component enter(model *m, const kith_component_desc *desc)
{
    model_component *entry = &m->components[m->component_count];
    memset(entry, 0, sizeof *entry);
    entry->desc                 = *desc;
    entry->desc.name            = strcpy(entry->name, desc->name);
    entry->desc.id              = desc->id == 0 ? run_time_id(m) : desc->id;
    entry->desc.traits.required = desc->traits.required_count == 0 ? NULL : entry->required;
    for (uint32_t i = 0; i < desc->traits.required_count; i++) {
        entry->required[i] = desc->traits.required[i];
    }
    entry->limit = UINT32_MAX;
    m->component_count++;
    return entry->desc.id;
}

// Registers the description or refuses it; returns the component's id or 0.
static kith_component meet(model *m, const kith_component_desc *desc)
{
    if (!makes_sense(m, desc)) {
        model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
        return 0;
    }
    kith_component_desc full  = filled_in(desc);
    model_component    *known = known_already(m, &full);
    if (known == NULL) {
        return enter(m, &full);
    }
    if (!says_the_same(&known->desc, &full)) {
        model_fail(m, KITH_ERROR_CONFLICT, known->desc.id, KITH_NULL);
        return 0;
    }
    known->desc.traits.hooks = desc->traits.hooks;
    return known->desc.id;
}

kith_component model_component_register(model *m, const kith_component_desc *desc)
{
    kith_component id = model_busy(m, 0, KITH_NULL) ? 0 : meet(m, desc);
    return id;
}

bool model_component_register_many(model *m, const kith_component_desc *descs, uint32_t count)
{
    kith_hooks hooks_before[MODEL_COMPONENTS];
    uint32_t   count_before = m->component_count;
    if (model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < count_before; i++) {
        hooks_before[i] = m->components[i].desc.traits.hooks;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (meet(m, &descs[i]) == 0) {
            m->component_count = count_before;
            for (uint32_t j = 0; j < count_before; j++) {
                m->components[j].desc.traits.hooks = hooks_before[j];
            }
            return false;
        }
    }
    return true;
}

kith_component model_component_find(const model *m, const char *name)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        if (strcmp(m->components[i].name, name) == 0) {
            return m->components[i].desc.id;
        }
    }
    return 0;
}

bool model_component_describe(model *m, kith_component component)
{
    return model_component_lookup(m, component) != NULL;
}

kith_component model_component_next(model *m, kith_component previous)
{
    const model_component *found = model_component_lookup(m, previous);
    if (previous != 0 && found == NULL) {
        return 0;
    }
    uint32_t place = previous == 0 ? 0 : (uint32_t)(found - m->components) + 1;
    return place < m->component_count ? m->components[place].desc.id : 0;
}
