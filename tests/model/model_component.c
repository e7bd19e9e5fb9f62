// SPDX-License-Identifier: MIT
#include "model_internal.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Rows
// ---------------------------------------------------------------------------------------------

static uint32_t row_of(const model_component *component, kith_entity entity)
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
    return row_of(component, entity) != KITH_NO_ROW;
}

static uint32_t count_of(const model_component *component)
{
    return component->row_count - component->hole_count;
}

static void note_room(model_component *component, uint32_t rows)
{
    component->room = component->room < rows ? rows : component->room;
}

void model_forget_room(model_component *component)
{
    component->room = component->row_count;
}

static void append_row(model_component *component, kith_entity entity, uint8_t number)
{
    uint32_t row         = component->hole_count > 0 ? component->holes[--component->hole_count]
                                                     : component->row_count++;
    component->rows[row] = (model_row){ entity, number, false };
    note_room(component, component->row_count);
}

static void close_up(model_component *component, uint32_t row)
{
    for (; row + 1 < component->row_count; row++) {
        component->rows[row] = component->rows[row + 1];
    }
}

static void take_row(model *m, model_component *component, uint32_t row)
{
    model_destruct(m, component, component->rows[row].number);
    if (component->desc.traits.policy == KITH_POLICY_STABLE) {
        component->rows[row]                      = (model_row){ KITH_NULL, 0, false };
        component->holes[component->hole_count++] = row;
        return;
    }
    if (m->fault == MODEL_FAULT_SWAP) {
        close_up(component, row);
    } else {
        component->rows[row] = component->rows[component->row_count - 1];
    }
    component->row_count--;
}

void model_strip(model *m, kith_entity entity)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        uint32_t row = row_of(&m->components[i], entity);
        if (row != KITH_NO_ROW) {
            take_row(m, &m->components[i], row);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Hooks
// ---------------------------------------------------------------------------------------------

static void log_life(model *m, char event, uint8_t number, const void *context)
{
    if (m->life_count < MODEL_LIFE) {
        m->life[m->life_count++] = (model_life){ event, number, context };
    }
}

void model_destruct(model *m, const model_component *component, uint8_t number)
{
    if (component->desc.traits.hooks.destruct != NULL) {
        log_life(m, 'd', number, component->desc.traits.hooks.context);
    }
}

static uint8_t number_of(const model_component *component, const void *value)
{
    if (component->desc.size == 0) {
        return 0;
    }
    if (value != NULL) {
        return *(const uint8_t *)value;
    }
    return component->desc.traits.hooks.construct != NULL ? MODEL_CONSTRUCTED : 0;
}

// A hook of the program runs: the first one of a step may meddle with the world.
static void run_hook(model *m)
{
    m->hook_calls++;
    if (m->meddle != NULL && m->hook_calls == 1) {
        m->busy = true;
        m->meddle(m->meddler);
        m->busy = false;
    }
}

// Whether the hook that makes the value says yes. `called` and `entity` are what the call named.
static bool make_value(model *m, const model_component *component, const void *value,
                       kith_component called, kith_entity entity)
{
    const kith_hooks *hooks  = &component->desc.traits.hooks;
    bool              hooked = value != NULL ? hooks->copy != NULL : hooks->construct != NULL;
    if (!hooked || component->desc.size == 0) {
        return true;
    }
    log_life(m, value != NULL ? 'y' : 'c', number_of(component, value), hooks->context);
    run_hook(m);
    return m->hook_calls != m->fail_at || model_fail(m, KITH_ERROR_HOOK, called, entity);
}

// ---------------------------------------------------------------------------------------------
// Components of an entity
// ---------------------------------------------------------------------------------------------

typedef struct plan {
    model_component *components[MODEL_COMPONENTS];
    uint32_t         count;
} plan;

static bool is_planned(const plan *p, const model_component *component)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->components[i] == component) {
            return true;
        }
    }
    return false;
}

// What adding the component adds, in this order: first what it requires, directly or not.
static void plan_add(model *m, plan *p, model_component *component, kith_entity entity)
{
    for (uint32_t i = 0; i < component->desc.traits.required_count; i++) {
        plan_add(m, p, model_component_lookup(m, component->required[i]), entity);
    }
    if (!model_has(component, entity) && !is_planned(p, component)) {
        p->components[p->count++] = component;
    }
}

static bool has_room(const model_component *component)
{
    return component->desc.kind == KITH_KIND_FLAG || component->hole_count > 0 ||
           component->row_count < component->limit;
}

// The values made so far, when a later one could not be made.
static void unmake_values(model *m, const plan *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        model_destruct(m, p->components[i], number_of(p->components[i], NULL));
    }
}

// Room is secured first, then hooks may say no, then everything is added.
static bool carry_out(model *m, const plan *p, kith_entity entity, const void *value,
                      kith_component called)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (!has_room(p->components[i])) {
            return model_fail(m, KITH_ERROR_LIMIT, called, entity);
        }
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (!make_value(m, p->components[i], i + 1 == p->count ? value : NULL, called, entity)) {
            unmake_values(m, p, i);
            return false;
        }
    }
    for (uint32_t i = 0; i < p->count; i++) {
        const void *given = i + 1 == p->count ? value : NULL;
        append_row(p->components[i], entity, number_of(p->components[i], given));
    }
    return true;
}

static uint32_t add_new(model *m, model_component *component, kith_entity entity, const void *value)
{
    plan p = { .count = 0 };
    plan_add(m, &p, component, entity);
    bool added = carry_out(m, &p, entity, value, component->desc.id);
    return added ? 1u + number_of(component, value) : 0;
}

static uint32_t replace(model *m, model_component *component, kith_entity entity, uint8_t *number,
                        const void *value)
{
    if (!make_value(m, component, value, component->desc.id, entity)) {
        return 0;
    }
    model_destruct(m, component, *number);
    *number = number_of(component, value);
    return 1u + *number;
}

static uint32_t answer(const model_component *component, uint32_t row)
{
    return row == KITH_NO_ROW ? 0 : 1u + component->rows[row].number;
}

uint32_t model_component_set(model *m, kith_entity entity, kith_component component,
                             const void *value)
{
    model_component *found = model_demanded(m, component, entity, MODEL_HAD);
    if (found == NULL) {
        return 0;
    }
    uint32_t row = row_of(found, entity);
    return row == KITH_NO_ROW ? add_new(m, found, entity, value)
                              : replace(m, found, entity, &found->rows[row].number, value);
}

uint32_t model_component_get_or_add(model *m, kith_entity entity, kith_component component,
                                    const void *value)
{
    model_component *found = model_demanded(m, component, entity, MODEL_HAD);
    if (found == NULL) {
        return 0;
    }
    uint32_t row = row_of(found, entity);
    return row == KITH_NO_ROW ? add_new(m, found, entity, value) : answer(found, row);
}

uint32_t model_component_add(model *m, kith_entity entity, kith_component component)
{
    return model_component_get_or_add(m, entity, component, NULL);
}

uint32_t model_component_get(model *m, kith_entity entity, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_HAD);
    return found == NULL ? 0 : answer(found, row_of(found, entity));
}

static void write_number(model_component *component, uint32_t row, uint8_t number)
{
    if (row != KITH_NO_ROW && component->desc.size != 0) {
        component->rows[row].number = number;
    }
}

uint32_t model_component_mut(model *m, kith_entity entity, kith_component component, uint8_t number)
{
    model_component *found = model_named_for(m, MODEL_REACHES, component, MODEL_HAD, entity);
    if (found == NULL) {
        return 0;
    }
    uint32_t row    = row_of(found, entity);
    uint32_t before = answer(found, row);
    write_number(found, row, number);
    return before;
}

bool model_component_has(model *m, kith_entity entity, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_HAD);
    return found != NULL && model_has(found, entity);
}

uint32_t model_component_patch(model *m, kith_entity entity, kith_component component,
                               uint8_t number)
{
    model_component *found = model_demanded(m, component, entity, MODEL_HAD);
    if (found == NULL || !model_has(found, entity)) {
        return 0;
    }
    run_hook(m);
    write_number(found, row_of(found, entity), number);
    return answer(found, row_of(found, entity));
}

bool model_component_remove(model *m, kith_entity entity, kith_component component)
{
    model_component *found = model_named_for(m, MODEL_CHANGES, component, MODEL_HAD, entity);
    if (found == NULL || !model_has(found, entity)) {
        return false;
    }
    take_row(m, found, row_of(found, entity));
    return true;
}

static bool set_disabled(model *m, kith_entity entity, kith_component component, bool disabled)
{
    model_component *found = model_demanded(m, component, entity, MODEL_POOLS);
    if (found == NULL || !model_has(found, entity)) {
        return false;
    }
    found->rows[row_of(found, entity)].disabled = disabled;
    return true;
}

bool model_component_disable(model *m, kith_entity entity, kith_component component)
{
    return set_disabled(m, entity, component, m->fault != MODEL_FAULT_DISABLE);
}

bool model_component_enable(model *m, kith_entity entity, kith_component component)
{
    return set_disabled(m, entity, component, false);
}

bool model_component_enabled(model *m, kith_entity entity, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_HAD);
    return found != NULL && model_has(found, entity) &&
           !found->rows[row_of(found, entity)].disabled;
}

// ---------------------------------------------------------------------------------------------
// Pools
// ---------------------------------------------------------------------------------------------

uint32_t model_component_count(model *m, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_HAD);
    return found == NULL ? 0 : count_of(found);
}

uint32_t model_component_rows(model *m, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    return found == NULL ? 0 : found->row_count;
}

uint32_t model_component_row(model *m, kith_entity entity, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    return found == NULL ? KITH_NO_ROW : row_of(found, entity);
}

kith_entity model_component_entity(model *m, kith_component component, uint32_t row)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    return found == NULL || row >= found->row_count ? KITH_NULL : found->rows[row].entity;
}

uint32_t model_component_value(model *m, kith_component component, uint32_t row)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    bool there = found != NULL && row < found->row_count && found->rows[row].entity != KITH_NULL;
    return there ? answer(found, row) : 0;
}

bool model_component_reserve(model *m, kith_component component, uint32_t rows)
{
    model_component *found = model_named(m, MODEL_CHANGES, component, MODEL_POOLS);
    if (found == NULL) {
        return false;
    }
    if (rows > found->limit || rows > m->limit) {
        return model_fail(m, KITH_ERROR_LIMIT, component, KITH_NULL);
    }
    note_room(found, rows);
    return true;
}

uint32_t model_component_limit(model *m, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    return found == NULL ? 0 : found->limit;
}

bool model_component_limit_set(model *m, kith_component component, uint32_t rows)
{
    model_component *found = model_named(m, MODEL_CHANGES, component, MODEL_POOLS);
    if (found == NULL) {
        return false;
    }
    if (rows < found->row_count) {
        return model_fail(m, KITH_ERROR_ARGUMENT, component, KITH_NULL);
    }
    found->limit = rows;
    return true;
}

uint32_t model_component_capacity(model *m, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    if (found == NULL) {
        return 0;
    }
    uint32_t page  = found->desc.traits.page_rows;
    uint32_t pages = (found->room + page - 1) / page;
    return pages * page < found->limit ? pages * page : found->limit;
}

kith_entity model_component_owner(model *m, kith_component component, uint32_t row)
{
    return model_component_entity(m, component, row);
}

bool model_component_shrink(model *m, kith_component component)
{
    model_component *found = model_named(m, MODEL_CHANGES, component, MODEL_POOLS);
    if (found == NULL) {
        return false;
    }
    model_forget_room(found);
    return true;
}

// The lowest row at or after `row` that is a hole, or that is none.
static uint32_t next_row(const model_component *component, uint32_t row, bool hole)
{
    while (row < component->row_count && (component->rows[row].entity == KITH_NULL) != hole) {
        row++;
    }
    return row;
}

bool model_component_compact(model *m, kith_component component)
{
    model_component *found = model_named(m, MODEL_CHANGES, component, MODEL_POOLS);
    if (found == NULL) {
        return false;
    }
    uint32_t end  = count_of(found);
    uint32_t from = next_row(found, end, false);
    for (uint32_t to = next_row(found, 0, true); to < end; to = next_row(found, to, true)) {
        found->rows[to]          = found->rows[from];
        found->rows[from].entity = KITH_NULL;
        from                     = next_row(found, from, false);
    }
    found->row_count  = end;
    found->hole_count = 0;
    return true;
}

bool model_component_swap(model *m, kith_component component, kith_entity a, kith_entity b)
{
    model_component *found = model_demanded(m, component, a, MODEL_POOLS);
    if (found == NULL || model_demanded(m, component, b, MODEL_POOLS) == NULL) {
        return false;
    }
    if (found->desc.traits.policy == KITH_POLICY_STABLE) {
        return model_fail(m, KITH_ERROR_POLICY, component, a);
    }
    if (!model_has(found, a) || !model_has(found, b)) {
        return false;
    }
    model_row *row_a = &found->rows[row_of(found, a)];
    model_row *row_b = &found->rows[row_of(found, b)];
    model_row  kept  = *row_a;
    *row_a           = *row_b;
    *row_b           = kept;
    return true;
}

bool model_component_clear(model *m, kith_component component)
{
    model_component *found = model_named(m, MODEL_CHANGES, component, MODEL_HAD);
    if (found == NULL) {
        return false;
    }
    for (uint32_t row = 0; row < found->row_count; row++) {
        if (found->rows[row].entity != KITH_NULL) {
            model_destruct(m, found, found->rows[row].number);
        }
    }
    found->row_count  = 0;
    found->hole_count = 0;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Singletons
// ---------------------------------------------------------------------------------------------

static uint32_t add_singleton(model *m, model_component *singleton, const void *value)
{
    if (!make_value(m, singleton, value, singleton->desc.id, KITH_NULL)) {
        return 0;
    }
    singleton->present = true;
    singleton->number  = number_of(singleton, value);
    return 1u + singleton->number;
}

uint32_t model_singleton_set(model *m, kith_component component, const void *value)
{
    model_component *found = model_named(m, MODEL_CHANGES, component, MODEL_SINGLETONS);
    if (found == NULL) {
        return 0;
    }
    return found->present ? replace(m, found, KITH_NULL, &found->number, value)
                          : add_singleton(m, found, value);
}

uint32_t model_singleton_add(model *m, kith_component component)
{
    model_component *found = model_named(m, MODEL_CHANGES, component, MODEL_SINGLETONS);
    if (found == NULL) {
        return 0;
    }
    return found->present ? 1u + found->number : add_singleton(m, found, NULL);
}

static uint32_t singleton_answer(const model_component *singleton)
{
    return singleton != NULL && singleton->present ? 1u + singleton->number : 0;
}

uint32_t model_singleton_get(model *m, kith_component component)
{
    return singleton_answer(model_named(m, MODEL_ASKS, component, MODEL_SINGLETONS));
}

uint32_t model_singleton_mut(model *m, kith_component component, uint8_t number)
{
    model_component *found  = model_named(m, MODEL_REACHES, component, MODEL_SINGLETONS);
    uint32_t         before = singleton_answer(found);
    if (before != 0) {
        found->number = number;
    }
    return before;
}

bool model_singleton_has(model *m, kith_component component)
{
    return singleton_answer(model_named(m, MODEL_ASKS, component, MODEL_SINGLETONS)) != 0;
}

bool model_singleton_remove(model *m, kith_component component)
{
    model_component *found = model_named(m, MODEL_CHANGES, component, MODEL_SINGLETONS);
    if (found == NULL || !found->present) {
        return false;
    }
    model_destruct(m, found, found->number);
    found->present = false;
    return true;
}
