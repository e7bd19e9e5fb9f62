// SPDX-License-Identifier: MIT
// A reactive set, and systems.
#include "loop_model_internal.h"

// --- the set ---------------------------------------------------------------------------------

static bool passes_filter(const loop_model *m, uint32_t entity)
{
    const model_entity *e = &m->entities[entity];
    return ((uint32_t)e->has & ~(uint32_t)e->disabled & LOOP_BIT(LOOP_C)) == 0;
}

bool loop_model_collected(const loop_model *m, uint32_t i)
{
    uint32_t entity = m->reactive.entities[i];
    return m->entities[entity].alive && (m->fault != LOOP_FAULT_FILTER || passes_filter(m, entity));
}

static bool is_member(const model_reactive *set, uint32_t entity)
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->entities[i] == entity) {
            return true;
        }
    }
    return false;
}

static bool collect(loop_model *m, uint32_t entity)
{
    model_reactive *set = &m->reactive;
    if (is_member(set, entity) || (!passes_filter(m, entity) && m->fault != LOOP_FAULT_FILTER)) {
        return false;
    }
    set->numbers[set->count]    = ++set->newest;
    set->entities[set->count++] = entity;
    return true;
}

void model_collect(loop_model *m, kith_event event, kith_component component, uint32_t entity)
{
    bool of_a = component == LOOP_A && (event == KITH_EVENT_ADD || event == KITH_EVENT_REMOVE);
    bool of_b = component == LOOP_B && event == KITH_EVENT_SET;
    if (of_a || of_b) {
        collect(m, entity);
    }
}

uint32_t model_collect_changed(loop_model *m)
{
    const model_pool *pool = model_pool_of(m, LOOP_A);
    uint32_t          came = 0;
    for (uint32_t row = 0; row < pool->row_count && m->listening; row++) {
        if (pool->rows[row].entity != LOOP_NONE &&
            loop_model_changed(m, LOOP_A, row) >= m->reactive.since) {
            came += collect(m, pool->rows[row].entity);
        }
    }
    m->reactive.since = m->tick;
    return came;
}

uint32_t model_next_member(loop_model *m)
{
    model_reactive *set = &m->reactive;
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->numbers[i] > set->place && loop_model_collected(m, i)) {
            set->place = set->numbers[i];
            return set->entities[i];
        }
    }
    set->place = 0;
    return LOOP_NONE;
}

// --- systems ---------------------------------------------------------------------------------

static void end_turn(loop_model *m)
{
    m->tick += m->fault != LOOP_FAULT_TURN;
}

// It is called for every match of its query, and writes what that writes.
static void take_turn(loop_model *m)
{
    static uint32_t entities[LOOP_ENTITIES];
    uint32_t        count = loop_model_walk(m, &loop_shapes[LOOP_TURN_SHAPE], entities);
    for (uint32_t i = 0; i < count; i++) {
        loop_log_add(&m->log, LOOP_LOG_TURN, 0, entities[i]);
        model_touch(m, LOOP_A, loop_model_row(m, entities[i], LOOP_A));
    }
    end_turn(m);
}

static const model_group *group_of(const loop_model *m)
{
    uint32_t at = 0;
    while (m->groups[at].number != m->made[m->tracked.call]) {
        at++;
    }
    return &m->groups[at];
}

// A dead entity cannot be distinguished from the one that has its index now.
static uint32_t name_of(const loop_model *m, uint32_t entity)
{
    for (uint32_t i = entity + 1; i < m->entity_count; i++) {
        if (m->entities[i].index == m->entities[entity].index) {
            return LOOP_NONE;
        }
    }
    return entity;
}

static bool has_stayed(const loop_model *m, const model_group *group, uint32_t entity)
{
    return loop_model_meets(m, group, entity) && m->fault != LOOP_FAULT_ENTERING;
}

// From the end of the list; `group` NULL: of all.
static void report_leaving(loop_model *m, const model_group *group)
{
    model_tracked *t = &m->tracked;
    for (uint32_t i = t->count; i-- > 0;) {
        uint32_t entity = t->reported[i];
        if (group == NULL || !has_stayed(m, group, entity)) {
            t->reported[i] = t->reported[--t->count];
            loop_log_add(&m->log, LOOP_LOG_TURN, 2, name_of(m, entity));
        }
    }
}

static bool is_reported(const model_tracked *t, uint32_t entity)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->reported[i] == entity) {
            return true;
        }
    }
    return false;
}

static void take_tracked_turn(loop_model *m)
{
    static uint32_t entities[LOOP_ENTITIES];
    model_tracked  *t = &m->tracked;
    report_leaving(m, group_of(m));
    uint32_t count = loop_model_walk(m, t->shape, entities);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_reported(t, entities[i])) {
            t->reported[t->count++] = entities[i];
            loop_log_add(&m->log, LOOP_LOG_TURN, 1, entities[i]);
        }
    }
    end_turn(m);
}

bool model_take_turns(loop_model *m)
{
    if (model_is_held(m)) {
        model_fail(m, KITH_ERROR_BUSY);
        return false;
    }
    take_turn(m);
    if (m->tracked.call != LOOP_NONE) {
        take_tracked_turn(m);
    }
    return true;
}

bool model_track(loop_model *m, const loop_shape *shape)
{
    uint32_t call = m->group_calls;
    if (m->tracked.call != LOOP_NONE || !model_group_of(m, shape, 0, false)) {
        return false;
    }
    m->tracked.call  = call;
    m->tracked.shape = shape;
    m->tracked.count = 0;
    return true;
}

bool model_untrack(loop_model *m)
{
    if (m->tracked.call == LOOP_NONE) {
        return false;
    }
    if (model_is_held(m)) {
        model_fail(m, KITH_ERROR_BUSY);
        return false;
    }
    report_leaving(m, NULL);
    model_group_untrack(m);
    m->tracked.call = LOOP_NONE;
    return true;
}
