// SPDX-License-Identifier: MIT
// The model of calls on the component of one entity, and of calls on a pool.
#include "model_internal.h"

#include <string.h>

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

bool model_replaces(const model_component *component)
{
    return component->desc.size != 0 && !component->is_tree && !component->is_list;
}

uint8_t model_number_of(const model_component *component, const void *value)
{
    if (!model_replaces(component)) {
        return 0;
    }
    if (value != NULL) {
        return *(const uint8_t *)value;
    }
    return component->desc.traits.hooks.construct != NULL ? MODEL_CONSTRUCTED : 0;
}

// A hook of the program runs: the first one of a step may meddle with the world.
void model_run_hook(model *m)
{
    m->hook_calls++;
    if (m->meddle != NULL && m->hook_calls == 1) {
        m->busy = true;
        m->meddle(m->meddler);
        m->busy = false;
    }
}

bool model_make_value(model *m, const model_component *component, const void *value,
                      kith_component called, kith_entity entity)
{
    const kith_hooks *hooks  = &component->desc.traits.hooks;
    bool              hooked = value != NULL ? hooks->copy != NULL : hooks->construct != NULL;
    if (!hooked || component->desc.size == 0) {
        return true;
    }
    log_life(m, value != NULL ? 'y' : 'c', model_number_of(component, value), hooks->context);
    model_run_hook(m);
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

// The values made so far, when a later one could not be made.
static void unmake_values(model *m, const plan *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        model_destruct(m, p->components[i], model_number_of(p->components[i], NULL));
    }
}

// Room is secured first, then hooks may say no, then everything is added.
static bool carry_out(model *m, const plan *p, kith_entity entity, const void *value,
                      kith_component called)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (!model_has_room(m, p->components[i])) {
            return model_fail(m, KITH_ERROR_LIMIT, called, entity);
        }
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (!model_make_value(m, p->components[i], i + 1 == p->count ? value : NULL, called,
                              entity)) {
            unmake_values(m, p, i);
            return false;
        }
    }
    for (uint32_t i = 0; i < p->count; i++) {
        const void *given = i + 1 == p->count ? value : NULL;
        model_append_row(m, p->components[i], entity, model_number_of(p->components[i], given));
    }
    return true;
}

static bool plan_is_reported(const model *m, const plan *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (model_has_listeners(m, KITH_EVENT_ADD, p->components[i]->desc.id)) {
            return true;
        }
    }
    return false;
}

// What a listener took away meanwhile is not announced any more.
static void announce_plan(model *m, const plan *p, kith_entity entity)
{
    model_announce_begin(m);
    for (uint32_t i = 0; i < p->count; i++) {
        model_record_unreported(m, p->components[i]->desc.id, entity);
    }
    for (uint32_t i = 0; i < p->count; i++) {
        bool unreported = model_is_unreported(m, p->components[i]->desc.id, entity);
        model_forget_unreported(m, p->components[i]->desc.id, entity);
        if (unreported && model_has(p->components[i], entity)) {
            model_announce(m, KITH_EVENT_ADD, p->components[i]->desc.id, entity);
        }
    }
    model_announce_end(m);
}

static uint32_t answer(const model_component *component, uint32_t row)
{
    return row == KITH_NO_ROW ? 0 : 1u + component->rows[row].number;
}

static uint32_t add_new(model *m, model_component *component, kith_entity entity, const void *value)
{
    plan p = { .count = 0 };
    plan_add(m, &p, component, entity);
    bool reported = plan_is_reported(m, &p);
    if ((reported && model_too_deep(m, component->desc.id)) ||
        !carry_out(m, &p, entity, value, component->desc.id)) {
        return 0;
    }
    if (reported) {
        announce_plan(m, &p, entity);
    }
    return answer(component, model_row_of(component, entity));
}

// Announces that a value was replaced or changed.
void model_announce_set(model *m, const model_component *component, kith_entity entity)
{
    if (model_has_listeners(m, KITH_EVENT_SET, component->desc.id) &&
        !model_is_unreported(m, component->desc.id, entity)) {
        model_announce_begin(m);
        model_announce(m, KITH_EVENT_SET, component->desc.id, entity);
        model_announce_end(m);
    }
}

// Whether the change can be announced, if it has listeners.
bool model_may_announce(model *m, kith_event event, const model_component *component)
{
    return !model_has_listeners(m, event, component->desc.id) ||
           !model_too_deep(m, component->desc.id);
}

static bool replace(model *m, model_component *component, kith_entity entity, uint8_t *number,
                    const void *value)
{
    if (!model_may_announce(m, KITH_EVENT_SET, component) ||
        !model_make_value(m, component, value, component->desc.id, entity)) {
        return false;
    }
    model_destruct(m, component, *number);
    *number = model_number_of(component, value);
    return true;
}

uint32_t model_component_set(model *m, kith_entity entity, kith_component component,
                             const void *value)
{
    model_component *found = model_demanded(m, MODEL_CHANGES, component, entity, MODEL_HAD);
    if (found == NULL) {
        return 0;
    }
    uint32_t row = model_row_of(found, entity);
    if (row == KITH_NO_ROW) {
        return add_new(m, found, entity, value);
    }
    if (!model_replaces(found)) {
        return answer(found, row);
    }
    if (!replace(m, found, entity, &found->rows[row].number, value)) {
        return 0;
    }
    model_touch(m, found, row);
    model_announce_set(m, found, entity);
    return answer(found, model_row_of(found, entity));
}

// What has a destructor has a token in its bytes: it always differs.
bool model_component_set_if_changed(model *m, kith_entity entity, kith_component component,
                                    const void *value)
{
    model_component *found = model_demanded(m, MODEL_CHANGES, component, entity, MODEL_HAD);
    if (found == NULL) {
        return false;
    }
    if (value == NULL && found->desc.size != 0) {
        return model_fail(m, KITH_ERROR_ARGUMENT, component, KITH_NULL);
    }
    uint32_t row = model_row_of(found, entity);
    bool     same =
        row != KITH_NO_ROW && found->desc.traits.hooks.destruct == NULL &&
        (!model_replaces(found) || found->rows[row].number == model_number_of(found, value));
    return !same && model_component_set(m, entity, component, value) != 0;
}

uint32_t model_component_add(model *m, kith_entity entity, kith_component component,
                             const void *value)
{
    model_component *found = model_demanded(m, MODEL_CHANGES, component, entity, MODEL_HAD);
    if (found == NULL) {
        return 0;
    }
    uint32_t row = model_row_of(found, entity);
    if (found->is_link && row == KITH_NO_ROW) {
        return model_link_set(m, entity, component, KITH_NULL); // no verb adds one with a value
    }
    return row == KITH_NO_ROW ? add_new(m, found, entity, value) : answer(found, row);
}

uint32_t model_component_get(model *m, kith_entity entity, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_HAD);
    return found == NULL ? 0 : answer(found, model_row_of(found, entity));
}

void model_write_number(model_component *component, uint32_t row, uint8_t number)
{
    if (row != KITH_NO_ROW && model_replaces(component)) {
        component->rows[row].number = number;
    }
}

uint32_t model_component_mut(model *m, kith_entity entity, kith_component component, uint8_t number)
{
    model_component *found = model_named_for(m, MODEL_REACHES, component, MODEL_HAD, entity);
    if (found == NULL) {
        return 0;
    }
    uint32_t row    = model_row_of(found, entity);
    uint32_t before = answer(found, row);
    model_write_number(found, row, number);
    if (row != KITH_NO_ROW) {
        model_touch(m, found, row);
    }
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
    model_component *found = model_demanded(m, MODEL_CHANGES, component, entity, MODEL_HAD);
    if (found == NULL || !model_has(found, entity) ||
        !model_may_announce(m, KITH_EVENT_SET, found)) {
        return 0;
    }
    model_run_hook(m);
    model_write_number(found, model_row_of(found, entity), number);
    model_touch(m, found, model_row_of(found, entity));
    model_announce_set(m, found, entity);
    return answer(found, model_row_of(found, entity));
}

// Announces the removal, while which the component can be read and not changed.
static void announce_remove(model *m, const model_component *component, kith_entity entity)
{
    if (!model_is_deaf(m) || model_is_own(component)) {
        model_depart_begin(m, component->desc.id, entity);
        model_announce(m, KITH_EVENT_REMOVE, component->desc.id, entity);
        model_depart_end(m);
    }
}

// The entity may be destroyed meanwhile, and then the component is gone already.
static void remove_and_report(model *m, model_component *component, kith_entity entity)
{
    model_announce_begin(m);
    announce_remove(m, component, entity);
    uint32_t row = model_row_of(component, entity);
    if (row != KITH_NO_ROW) {
        model_remove_row(m, component, row);
    }
    model_announce_end(m);
}

bool model_component_remove(model *m, kith_entity entity, kith_component component)
{
    model_component *found      = model_named_for(m, MODEL_CHANGES, component, MODEL_HAD, entity);
    bool             unreported = model_is_unreported(m, component, entity);
    if (found == NULL || !model_has(found, entity) || model_departs(m, component, entity) ||
        (!unreported && !model_may_announce(m, KITH_EVENT_REMOVE, found))) {
        return false;
    }
    model_forget_unreported(m, component, entity);
    if (model_has_listeners(m, KITH_EVENT_REMOVE, component) && !unreported) {
        remove_and_report(m, found, entity);
    } else {
        model_remove_row(m, found, model_row_of(found, entity));
    }
    return true;
}

static bool set_disabled(model *m, kith_entity entity, kith_component component, bool disabled)
{
    model_component *found = model_demanded(m, MODEL_CHANGES, component, entity, MODEL_POOLS);
    if (found == NULL || !model_has(found, entity)) {
        return false;
    }
    uint32_t before                                   = model_memberships(m, entity);
    found->rows[model_row_of(found, entity)].disabled = disabled;
    model_change_groups(m, entity, before);
    return true;
}

bool model_component_enable(model *m, kith_entity entity, kith_component component, bool enabled)
{
    return set_disabled(m, entity, component, !enabled && m->fault != MODEL_FAULT_DISABLE);
}

bool model_component_enabled(model *m, kith_entity entity, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_HAD);
    return found != NULL && model_has(found, entity) &&
           !found->rows[model_row_of(found, entity)].disabled;
}

// ---------------------------------------------------------------------------------------------
// Pools
// ---------------------------------------------------------------------------------------------

uint32_t model_component_count(model *m, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_HAD);
    return found == NULL ? 0 : model_members(found);
}

uint32_t model_component_row(model *m, kith_entity entity, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    return found == NULL ? KITH_NO_ROW : model_row_of(found, entity);
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
    model_record_room(found, rows);
    return true;
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

kith_pool_stats model_component_stats(model *m, kith_component component)
{
    const model_component *found = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    if (found == NULL) {
        return (kith_pool_stats){ 0 };
    }
    uint32_t page = found->desc.traits.page_rows;
    uint32_t rows = (found->room + page - 1) / page * page;
    return (kith_pool_stats){ .count    = model_members(found),
                              .rows     = found->row_count,
                              .capacity = rows < found->limit ? rows : found->limit,
                              .limit    = found->limit };
}

kith_entity model_component_owner(model *m, kith_component component, uint32_t row)
{
    return model_component_entity(m, component, row);
}

bool model_component_shrink(model *m, kith_component component)
{
    model_component *found = model_named(m, MODEL_MOVES, component, MODEL_POOLS);
    if (found == NULL) {
        return false;
    }
    model_forget_room(found);
    return true;
}

bool model_component_compact(model *m, kith_component component)
{
    model_component *found = model_named(m, MODEL_MOVES, component, MODEL_POOLS);
    if (found == NULL) {
        return false;
    }
    model_close_holes(m, found);
    return true;
}

bool model_component_swap(model *m, kith_component component, kith_entity a, kith_entity b)
{
    model_component *found = model_demanded(m, MODEL_CHANGES, component, a, MODEL_POOLS);
    if (found == NULL || model_demanded(m, MODEL_CHANGES, component, b, MODEL_POOLS) == NULL ||
        model_blocked(m, component, KITH_NULL)) {
        return false;
    }
    if (found->desc.traits.policy == KITH_POLICY_STABLE) {
        return model_fail(m, KITH_ERROR_POLICY, component, a);
    }
    if (model_is_owned(m, found)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, component, KITH_NULL);
    }
    if (!model_has(found, a) || !model_has(found, b)) {
        return false;
    }
    if (a != b) {
        model_exchange_rows(m, found, model_row_of(found, a), model_row_of(found, b));
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Order
// ---------------------------------------------------------------------------------------------

static model_component *sortable(model *m, kith_component component, unsigned kinds)
{
    model_component *found = model_named(m, MODEL_MOVES, component, kinds);
    if (found != NULL && found->desc.traits.policy == KITH_POLICY_STABLE) {
        model_fail(m, KITH_ERROR_POLICY, component, KITH_NULL);
        return NULL;
    }
    if (found != NULL && model_is_owned(m, found)) {
        model_fail(m, KITH_ERROR_ARGUMENT, component, KITH_NULL);
        return NULL;
    }
    return found;
}

// Each row goes before those in front of it that have a higher rank; where that changed a row its
// page is stamped.
static void sort_by_ranks(model *m, model_component *component, int64_t *ranks)
{
    kith_entity before[MODEL_ROWS];
    for (uint32_t i = 0; i < component->row_count; i++) {
        before[i] = component->rows[i].entity;
        for (uint32_t at = i; at > 0 && ranks[at] < ranks[at - 1]; at--) {
            int64_t   rank          = ranks[at];
            model_row row           = component->rows[at];
            ranks[at]               = ranks[at - 1];
            ranks[at - 1]           = rank;
            component->rows[at]     = component->rows[at - 1];
            component->rows[at - 1] = row;
        }
    }
    for (uint32_t i = 0; i < component->row_count; i++) {
        if (component->rows[i].entity != before[i]) {
            model_stamp(m, component, i);
        }
    }
}

bool model_component_sort(model *m, kith_component component, uint32_t mask)
{
    model_component *found = sortable(m, component, 1 << KITH_KIND_VALUE);
    int64_t          ranks[MODEL_ROWS];
    for (uint32_t i = 0; found != NULL && i < found->row_count; i++) {
        ranks[i] = found->rows[i].number & mask;
    }
    if (found != NULL && found->row_count > 1) {
        model_run_hook(m);
        sort_by_ranks(m, found, ranks);
    }
    return found != NULL;
}

bool model_component_sort_entities(model *m, kith_component component, uint32_t mask)
{
    model_component *found = sortable(m, component, MODEL_POOLS);
    int64_t          ranks[MODEL_ROWS];
    for (uint32_t i = 0; found != NULL && i < found->row_count; i++) {
        ranks[i] = model_entity_index(found->rows[i].entity) & mask;
    }
    if (found != NULL && found->row_count > 1) {
        model_run_hook(m);
        sort_by_ranks(m, found, ranks);
    }
    return found != NULL;
}

bool model_key_fits(const kith_sort_key *key)
{
    return key->offset == 0 && (key->type == KITH_TYPE_U8 || key->type == KITH_TYPE_I8);
}

int64_t model_key_rank(const kith_sort_key *key, uint8_t number)
{
    int64_t rank = key->type == KITH_TYPE_I8 && number > INT8_MAX ? number - 256 : number;
    return key->descending ? -rank : rank;
}

bool model_component_sort_by(model *m, kith_component component, const kith_sort_key *key)
{
    model_component *found = sortable(m, component, 1 << KITH_KIND_VALUE);
    int64_t          ranks[MODEL_ROWS];
    if (found == NULL) {
        return false;
    }
    if (!model_key_fits(key)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, component, KITH_NULL);
    }
    for (uint32_t i = 0; i < found->row_count; i++) {
        ranks[i] = model_key_rank(key, found->rows[i].number);
    }
    sort_by_ranks(m, found, ranks);
    return true;
}

bool model_sort_wrong(model *m, kith_component component)
{
    return model_fail(m, KITH_ERROR_ARGUMENT, component, KITH_NULL);
}

bool model_component_sort_as(model *m, kith_component component, kith_component other)
{
    if (other == 0) {
        return model_sort_wrong(m, component);
    }
    model_component *found = sortable(m, component, MODEL_POOLS);
    model_component *example =
        found == NULL ? NULL : model_named(m, MODEL_REACHES, other, MODEL_POOLS);
    int64_t ranks[MODEL_ROWS];
    if (example == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < found->row_count; i++) {
        ranks[i] = model_row_of(example, found->rows[i].entity); // KITH_NO_ROW is the highest
    }
    sort_by_ranks(m, found, ranks);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Emptying
// ---------------------------------------------------------------------------------------------

// Flags have no rows: an entity that gets one behind the walk keeps it.
static void clear_flags_singly(model *m, const model_component *flag)
{
    kith_entity e = KITH_NULL;
    while ((e = model_entity_next(m, e)) != KITH_NULL) {
        if (model_has(flag, e)) {
            model_component_remove(m, e, flag->desc.id);
        }
    }
}

// Rows that are added meanwhile stay, also those of entities whose turn was still to come.
static void clear_rows_singly(model *m, const model_component *component)
{
    uint32_t count = component->row_count;
    for (uint32_t row = 0; row < count; row++) {
        if (component->rows[row].entity != KITH_NULL) {
            model_component_remove(m, component->rows[row].entity, component->desc.id);
        }
    }
}

bool model_component_clear(model *m, kith_component component)
{
    model_component *found = model_named(m, MODEL_CHANGES, component, MODEL_HAD);
    if (found == NULL) {
        return false;
    }
    if (!model_may_announce(m, KITH_EVENT_REMOVE, found)) {
        return false;
    }
    if (model_held(m) || model_has_listeners(m, KITH_EVENT_REMOVE, component) ||
        model_is_grouped(m, component)) {
        model_hold(m);
        if (model_has_rows(found)) {
            clear_rows_singly(m, found);
        } else {
            clear_flags_singly(m, found);
        }
        model_release(m);
        return true;
    }
    for (uint32_t row = 0; row < found->row_count; row++) {
        if (found->rows[row].entity != KITH_NULL) {
            model_record_removal(m, found, found->rows[row].entity);
            model_destruct(m, found, found->rows[row].number);
        }
    }
    found->row_count  = 0;
    found->hole_count = 0;
    return true;
}

uint32_t model_component_get_many(model *m, kith_component component, const kith_entity *entities,
                                  uint32_t count, uint64_t *values)
{
    const model_component *found   = model_named(m, MODEL_ASKS, component, MODEL_POOLS);
    uint32_t               present = 0;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = found == NULL ? 0 : answer(found, model_row_of(found, entities[i]));
        present += values[i] != 0;
    }
    return present;
}

// ---------------------------------------------------------------------------------------------
// Singletons
// ---------------------------------------------------------------------------------------------

static uint32_t singleton_answer(const model_component *singleton)
{
    return singleton != NULL && singleton->present ? 1u + singleton->number : 0;
}

static uint32_t add_singleton(model *m, model_component *singleton, const void *value)
{
    if (!model_may_announce(m, KITH_EVENT_ADD, singleton) ||
        !model_make_value(m, singleton, value, singleton->desc.id, KITH_NULL)) {
        return 0;
    }
    singleton->present = true;
    singleton->additions++;
    singleton->number = model_number_of(singleton, value);
    if (model_has_listeners(m, KITH_EVENT_ADD, singleton->desc.id)) {
        model_announce_begin(m);
        model_announce(m, KITH_EVENT_ADD, singleton->desc.id, KITH_NULL);
        model_announce_end(m);
    }
    return singleton_answer(singleton);
}

// The singleton, unless it is being removed.
static model_component *demand_singleton(model *m, kith_component component)
{
    model_component *found = model_named(m, MODEL_CHANGES, component, MODEL_SINGLETONS);
    return found == NULL || model_departs(m, component, KITH_NULL) ? NULL : found;
}

uint32_t model_singleton_set(model *m, kith_component component, const void *value)
{
    model_component *found = demand_singleton(m, component);
    if (found == NULL) {
        return 0;
    }
    if (!found->present) {
        return add_singleton(m, found, value);
    }
    if (!replace(m, found, KITH_NULL, &found->number, value)) {
        return 0;
    }
    model_announce_set(m, found, KITH_NULL);
    return singleton_answer(found);
}

uint32_t model_singleton_add(model *m, kith_component component)
{
    model_component *found = demand_singleton(m, component);
    if (found == NULL) {
        return 0;
    }
    return found->present ? 1u + found->number : add_singleton(m, found, NULL);
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

// It is destructed when the world settles.
static void end_singleton(model_component *singleton)
{
    singleton->present                             = false;
    singleton->waiting[singleton->waiting_count++] = singleton->number;
}

bool model_singleton_remove(model *m, kith_component component)
{
    model_component *found = demand_singleton(m, component);
    if (found == NULL || !found->present || !model_may_announce(m, KITH_EVENT_REMOVE, found)) {
        return false;
    }
    if (model_has_listeners(m, KITH_EVENT_REMOVE, component)) {
        model_announce_begin(m);
        announce_remove(m, found, KITH_NULL);
        end_singleton(found);
        model_announce_end(m);
        return true;
    }
    end_singleton(found);
    model_settle_if_free(m);
    return true;
}
