// SPDX-License-Identifier: MIT
// The model's pools: rows, holes, stamps, and what settling does to them.
#include "loop_model_internal.h"

#include <string.h>

// --- rows ------------------------------------------------------------------------------------

static bool is_stable(const loop_model *m, kith_component component)
{
    return m->flavour->policy[component - 1] == KITH_POLICY_STABLE;
}

bool loop_model_open(const loop_model *m)
{
    for (uint32_t i = 0; i < m->loop_count; i++) {
        if (m->loops[i].open) {
            return true;
        }
    }
    return false;
}

bool model_is_held(const loop_model *m)
{
    return m->held != 0 || loop_model_open(m);
}

static uint32_t page_of(const loop_model *m, uint32_t row)
{
    return m->flavour->page_rows == 0 ? 0 : row / m->flavour->page_rows;
}

void model_stamp(loop_model *m, kith_component component, uint32_t row)
{
    model_pool_of(m, component)->stamps[page_of(m, row)] = m->tick;
}

void model_touch(loop_model *m, kith_component component, uint32_t row)
{
    model_pool_of(m, component)->rows[row].changed = m->tick;
    model_stamp(m, component, row);
}

uint64_t loop_model_changed(const loop_model *m, kith_component component, uint32_t row)
{
    return m->flavour->row_ticks && m->fault != LOOP_FAULT_PAGES
               ? m->pools[component - 1].rows[row].changed
               : loop_model_stamp(m, component, row);
}

uint64_t loop_model_stamp(const loop_model *m, kith_component component, uint32_t row)
{
    return m->pools[component - 1].stamps[page_of(m, row)];
}

uint32_t loop_model_row(const loop_model *m, uint32_t entity, kith_component component)
{
    const model_pool *pool = &m->pools[component - 1];
    uint32_t          row  = 0;
    while (row < pool->row_count && pool->rows[row].entity != entity) {
        row++;
    }
    return row;
}

uint32_t loop_model_count(const loop_model *m, kith_component component)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->entity_count; i++) {
        count += m->entities[i].alive && (m->entities[i].has & LOOP_BIT(component)) != 0;
    }
    return count;
}

void model_destruct(loop_model *m, kith_component component, model_row *row)
{
    if (m->flavour->hooks && model_has_bytes(m, component)) {
        loop_log_add(&m->log, LOOP_LOG_DESTRUCT, component, row->number);
    }
    row->waits = false;
}

static uint32_t take_reused(loop_model *m, model_pool *pool)
{
    if (m->fault == LOOP_FAULT_REUSE_ORDER) {
        uint32_t oldest = pool->reuse[0];
        memmove(pool->reuse, pool->reuse + 1, --pool->reuse_count * sizeof *pool->reuse);
        return oldest;
    }
    return pool->reuse[--pool->reuse_count];
}

static uint32_t choose_row(loop_model *m, model_pool *pool)
{
    bool may_reuse = !model_is_held(m) || m->fault == LOOP_FAULT_REUSE;
    if (pool->reuse_count != 0 && may_reuse) {
        return take_reused(m, pool);
    }
    return pool->row_count++;
}

void model_add_row(loop_model *m, uint32_t entity, kith_component component, uint32_t number)
{
    model_pool *pool = model_pool_of(m, component);
    uint32_t    row  = choose_row(m, pool);
    pool->rows[row]  = (model_row){ entity, number, false, m->tick, m->tick };
    model_stamp(m, component, row);
}

static void leave_hole(loop_model *m, kith_component component, uint32_t row)
{
    model_pool *pool       = model_pool_of(m, component);
    pool->rows[row].entity = LOOP_NONE;
    pool->rows[row].waits  = true;
    m->stale               = true;
    if (is_stable(m, component)) {
        pool->reuse[pool->reuse_count++] = row;
    }
    model_stamp(m, component, row);
}

void model_remove_row(loop_model *m, uint32_t entity, kith_component component)
{
    model_pool *pool = model_pool_of(m, component);
    uint32_t    row  = loop_model_row(m, entity, component);
    if (model_is_held(m)) {
        leave_hole(m, component, row);
        if (m->fault == LOOP_FAULT_EARLY_END) {
            model_destruct(m, component, &pool->rows[row]);
        }
        return;
    }
    model_destruct(m, component, &pool->rows[row]);
    if (is_stable(m, component)) {
        leave_hole(m, component, row);
        pool->rows[row].waits = false;
    } else if (row != --pool->row_count) {
        pool->rows[row] = pool->rows[pool->row_count];
        model_stamp(m, component, row);
    }
}

// --- settling --------------------------------------------------------------------------------

static void end_values(loop_model *m, kith_component component)
{
    model_pool *pool = model_pool_of(m, component);
    for (uint32_t i = 0; i < pool->row_count; i++) {
        uint32_t row = m->fault == LOOP_FAULT_END_ORDER ? pool->row_count - 1 - i : i;
        if (pool->rows[row].waits) {
            model_destruct(m, component, &pool->rows[row]);
        }
    }
}

// A row at or above `end` that is no hole.
static uint32_t find_survivor(const loop_model *m, const model_pool *pool, uint32_t end)
{
    bool     backwards = m->fault == LOOP_FAULT_FILLING;
    uint32_t row       = backwards ? pool->row_count - 1 : end;
    while (pool->rows[row].entity == LOOP_NONE) {
        row += backwards ? UINT32_MAX : 1;
    }
    return row;
}

static void fill_holes(loop_model *m, kith_component component)
{
    model_pool *pool = model_pool_of(m, component);
    uint32_t    end  = loop_model_count(m, component);
    for (uint32_t hole = 0; hole < end; hole++) {
        if (pool->rows[hole].entity == LOOP_NONE) {
            uint32_t from           = find_survivor(m, pool, end);
            pool->rows[hole]        = pool->rows[from];
            pool->rows[from].entity = LOOP_NONE;
            model_stamp(m, component, hole);
        }
    }
    pool->row_count = end;
}

void model_settle(loop_model *m)
{
    for (uint32_t i = 0; i < LOOP_COMPONENTS; i++) {
        if (!model_is_flag(m->flavour->order[i])) {
            end_values(m, m->flavour->order[i]);
        }
    }
    model_close_groups(m);
    for (kith_component component = LOOP_A; component <= LOOP_C; component++) {
        if (!is_stable(m, component)) {
            fill_holes(m, component);
        }
    }
    model_fill_groups(m);
    m->stale = false;
}

void model_settle_unless_held(loop_model *m)
{
    if (m->stale && !model_is_held(m)) {
        model_settle(m);
    }
}
