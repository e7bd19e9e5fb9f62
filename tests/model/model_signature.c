// SPDX-License-Identifier: MIT
// The model of signatures, as lists of components.
#include "model_internal.h"

static bool is_in(const model_signature *signature, kith_component component)
{
    for (uint32_t i = 0; i < signature->count; i++) {
        if (signature->ids[i] == component) {
            return true;
        }
    }
    return false;
}

static void leave_out(model_signature *signature, kith_component component)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < signature->count; i++) {
        if (signature->ids[i] != component) {
            signature->ids[kept++] = signature->ids[i];
        }
    }
    signature->count = kept;
}

model_signature model_entity_signature(const model *m, kith_entity entity)
{
    model_signature signature = { .count = 0 };
    for (uint32_t i = 0; i < m->component_count; i++) {
        if (model_has(&m->components[i], entity)) {
            signature.ids[signature.count++] = m->components[i].desc.id;
        }
    }
    return signature;
}

uint32_t model_entity_components(const model *m, kith_entity entity, kith_component *components,
                                 uint32_t capacity)
{
    model_signature signature = model_entity_signature(m, entity);
    for (uint32_t i = 0; i < signature.count && i < capacity; i++) {
        components[i] = signature.ids[i];
    }
    return signature.count;
}

bool model_signature_add(model *m, model_signature *signature, kith_component component)
{
    if (model_named(m, MODEL_ASKS, component, MODEL_HAD) == NULL) {
        return false;
    }
    leave_out(signature, component);
    signature->ids[signature->count++] = component;
    return true;
}

bool model_signature_remove(model *m, model_signature *signature, kith_component component)
{
    if (model_named(m, MODEL_ASKS, component, MODEL_HAD) == NULL) {
        return false;
    }
    leave_out(signature, component);
    return true;
}

bool model_signature_has(model *m, const model_signature *signature, kith_component component)
{
    return model_named(m, MODEL_ASKS, component, MODEL_HAD) != NULL && is_in(signature, component);
}

bool model_signature_contains(const model_signature *signature, const model_signature *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        if (!is_in(signature, part->ids[i])) {
            return false;
        }
    }
    return true;
}

bool model_signature_intersects(const model_signature *signature, const model_signature *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        if (is_in(signature, part->ids[i])) {
            return true;
        }
    }
    return false;
}

uint32_t model_signature_count(const model_signature *signature)
{
    return signature->count;
}

// Whether the component is in the set, or required by one that is.
static bool is_part(model *m, const model_signature *signature, kith_component component)
{
    bool part = is_in(signature, component);
    for (uint32_t i = 0; i < m->component_count && !part; i++) {
        const model_component *one = &m->components[i];
        for (uint32_t r = 0; r < one->desc.traits.required_count && !part; r++) {
            part = one->required[r] == component && is_part(m, signature, one->desc.id);
        }
    }
    return part;
}

static bool needs(model *m, const model_signature *signature, const model_component *component)
{
    return model_has_rows(component) && is_part(m, signature, component->desc.id);
}

// The components with rows of the set and all that it requires, one after the other.
static model_component *next_part(model *m, const model_signature *signature, uint32_t *at)
{
    while (*at < m->component_count) {
        model_component *one = &m->components[(*at)++];
        if (needs(m, signature, one)) {
            return one;
        }
    }
    return NULL;
}

bool model_signature_reserve(model *m, const model_signature *signature, uint32_t rows)
{
    model_component *one;
    if (model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    for (uint32_t at = 0; (one = next_part(m, signature, &at)) != NULL;) {
        if (rows > one->limit || rows > m->limit) {
            return model_fail(m, KITH_ERROR_LIMIT, one->desc.id, KITH_NULL);
        }
    }
    for (uint32_t at = 0; (one = next_part(m, signature, &at)) != NULL;) {
        model_record_room(one, rows);
    }
    return true;
}
