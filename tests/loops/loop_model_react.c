// SPDX-License-Identifier: MIT
// A reactive set, and a system.
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

// --- the system ------------------------------------------------------------------------------

// It is called for everybody that its query finds, writes what that writes, and ends its tick.
bool model_take_turn(loop_model *m)
{
    static uint32_t   entities[LOOP_ENTITIES];
    const loop_shape *shape = &loop_shapes[LOOP_TURN_SHAPE];
    if (model_is_held(m)) {
        model_fail(m, KITH_ERROR_BUSY);
        return false;
    }
    uint32_t count = loop_model_walk(m, shape, entities);
    for (uint32_t i = 0; i < count; i++) {
        loop_log_add(&m->log, LOOP_LOG_TURN, 0, entities[i]);
        model_touch(m, LOOP_A, loop_model_row(m, entities[i], LOOP_A));
    }
    m->tick += m->fault != LOOP_FAULT_TURN;
    return true;
}
