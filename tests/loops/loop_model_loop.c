// SPDX-License-Identifier: MIT
// The model's loops: which entities each visits, in which order, at every step.
#include "loop_model_internal.h"

static bool counts_disabled(const loop_shape *shape, kith_component component)
{
    for (uint32_t i = 0; i < shape->term_count; i++) {
        if (shape->terms[i].component == component && shape->terms[i].role == KITH_ROLE_DISABLED) {
            return true;
        }
    }
    return false;
}

// Whether the entity has the component as the query sees it.
static bool is_visible(const loop_model *m, const loop_shape *shape, uint32_t entity,
                       kith_component component)
{
    bool disabled = (m->entities[entity].disabled & LOOP_BIT(component)) != 0;
    return model_has(m, entity, component) && (!disabled || counts_disabled(shape, component));
}

static bool is_included(const kith_term *term)
{
    return term->role != KITH_ROLE_OPTIONAL && term->role != KITH_ROLE_OPTIONAL_WRITE &&
           term->role != KITH_ROLE_ANY && term->role != KITH_ROLE_WITHOUT;
}

static bool has_one_of(const loop_model *m, const loop_shape *shape, uint32_t entity,
                       uint32_t group)
{
    for (uint32_t i = 0; i < shape->term_count; i++) {
        const kith_term *term = &shape->terms[i];
        if (term->role == KITH_ROLE_ANY && term->any_list == group &&
            is_visible(m, shape, entity, term->component)) {
            return true;
        }
    }
    return false;
}

// The included components that have rows.
static uint32_t included_rows(const loop_shape *shape)
{
    uint32_t included = 0;
    for (uint32_t i = 0; i < shape->term_count; i++) {
        if (is_included(&shape->terms[i]) && !model_is_flag(shape->terms[i].component)) {
            included |= LOOP_BIT(shape->terms[i].component);
        }
    }
    return included;
}

// What must have been there since the loop began.
static uint32_t required_bits(const loop_model *m, const model_loop *loop)
{
    uint32_t included = included_rows(loop->shape);
    if (m->fault == LOOP_FAULT_SIGNATURE) {
        return 0;
    }
    if (m->fault == LOOP_FAULT_LOOKED_UP && loop->lead != 0) {
        return LOOP_BIT(loop->lead);
    }
    return included | (m->fault == LOOP_FAULT_BIRTH ? 0 : MODEL_KEPT_ALIVE);
}

bool loop_model_left(const loop_model *m, const model_loop *loop, uint32_t entity)
{
    uint32_t all = required_bits(m, loop);
    return (loop->kept[entity] & all) != all;
}

// Whether what the entity has changed, or was added, in the present tick.
static bool is_new(const loop_model *m, uint32_t entity, const kith_term *term)
{
    uint32_t row = loop_model_row(m, entity, term->component);
    return term->role == KITH_ROLE_ADDED ? m->pools[term->component - 1].rows[row].added == m->tick
                                         : loop_model_changed(m, term->component, row) == m->tick;
}

static bool is_term_met(const loop_model *m, const loop_shape *shape, uint32_t entity,
                        const kith_term *term)
{
    switch (term->role) {
    case KITH_ROLE_OPTIONAL:
    case KITH_ROLE_OPTIONAL_WRITE:
        return true;
    case KITH_ROLE_ANY:
        return has_one_of(m, shape, entity, term->any_list);
    case KITH_ROLE_WITHOUT:
        return m->fault == LOOP_FAULT_DISABLED ? !model_has(m, entity, term->component)
                                               : !is_visible(m, shape, entity, term->component);
    case KITH_ROLE_CHANGED:
    case KITH_ROLE_ADDED:
        return is_visible(m, shape, entity, term->component) && is_new(m, entity, term);
    default:
        return is_visible(m, shape, entity, term->component);
    }
}

static bool is_met(const loop_model *m, const model_loop *loop, uint32_t entity)
{
    for (uint32_t i = 0; i < loop->shape->term_count; i++) {
        if (!is_term_met(m, loop->shape, entity, &loop->shape->terms[i])) {
            return false;
        }
    }
    return !loop_model_left(m, loop, entity);
}

static uint32_t rows_to_compare(const loop_model *m, kith_component component)
{
    return m->fault == LOOP_FAULT_HOLES ? loop_model_count(m, component)
                                        : m->pools[component - 1].row_count;
}

kith_component model_smallest(const loop_model *m, uint32_t components)
{
    kith_component lead = 0;
    for (uint32_t i = 0; i < LOOP_COMPONENTS; i++) {
        kith_component c = m->flavour->order[i];
        if ((components & LOOP_BIT(c)) == 0) {
            continue;
        }
        uint32_t rows = rows_to_compare(m, c);
        uint32_t best = lead == 0 ? UINT32_MAX : rows_to_compare(m, lead);
        if (rows < best || (rows == best && m->fault == LOOP_FAULT_TIE)) {
            lead = c;
        }
    }
    return lead;
}

static kith_component choose_lead(const loop_model *m, const model_loop *loop)
{
    for (uint32_t i = 0; i < loop->shape->term_count; i++) {
        if (loop->shape->terms[i].role == KITH_ROLE_LEAD) {
            return loop->shape->terms[i].component;
        }
    }
    return model_smallest(m, loop->group != NULL ? loop->group->owned : included_rows(loop->shape));
}

static uint32_t rows_to_walk(const loop_model *m, const model_loop *loop)
{
    if (loop->group != NULL) {
        return loop->group->members;
    }
    return loop->lead == 0 ? 0 : m->pools[loop->lead - 1].row_count;
}

// A group with a part of the terms and fewer members than the lead has rows.
static void go_inside(const loop_model *m, model_loop *loop)
{
    const model_group *around = model_group_around(m, loop->shape, loop->rows);
    if (around != NULL) {
        loop->lead = model_smallest(m, around->owned);
        loop->rows = around->members;
    }
}

bool model_begin(loop_model *m, const loop_shape *shape)
{
    bool        grouped = shape != NULL && m->fault != LOOP_FAULT_UNGROUPED;
    model_loop *loop    = &m->loops[m->loop_count++];
    loop->open          = true;
    loop->over          = false;
    loop->link          = 0;
    loop->group         = grouped ? model_group_for(m, shape) : NULL;
    loop->shape         = shape;
    loop->lead          = shape == NULL ? 0 : choose_lead(m, loop);
    loop->place         = 0;
    loop->rows          = rows_to_walk(m, loop);
    if (grouped && loop->group == NULL) {
        go_inside(m, loop);
    }
    loop->chunk_count  = 0;
    loop->looked_ahead = false;
    for (uint32_t i = 0; i < m->entity_count; i++) {
        const model_entity *e = &m->entities[i];
        loop->kept[i]         = (uint8_t)(e->alive ? e->has | MODEL_KEPT_ALIVE : 0);
    }
    return true;
}

static uint32_t end_of(const loop_model *m, const model_loop *loop)
{
    if (loop->group != NULL) {
        return loop->rows;
    }
    return loop->lead == 0 ? m->slot_count : m->pools[loop->lead - 1].row_count;
}

static uint32_t entity_at(const loop_model *m, const model_loop *loop, uint32_t place)
{
    if (loop->lead != 0) {
        return m->pools[loop->lead - 1].rows[place].entity;
    }
    // the entity that has the index of a member now
    return m->owner[loop->group == NULL ? place : m->entities[loop->group->list[place]].index];
}

// Of those that joined or left some group since, the next one that is no member by its place.
static uint32_t next_joiner(const loop_model *m, model_loop *loop)
{
    while (loop->link < m->link_count) {
        uint32_t entity = m->owner[m->links[loop->link++]];
        if (entity == LOOP_NONE) {
            continue;
        }
        bool placed = loop->lead == 0 ? model_group_lists(m, loop->group, entity)
                                      : loop_model_row(m, entity, loop->lead) < loop->rows;
        if (!placed && is_met(m, loop, entity)) {
            return entity;
        }
    }
    return LOOP_NONE;
}

// The entity whose turn it is, and the place after it; LOOP_NONE at the end.
static uint32_t turn(const loop_model *m, model_loop *loop)
{
    uint32_t end = end_of(m, loop);
    while (loop->place < end) {
        uint32_t entity = entity_at(m, loop, loop->place++);
        if (entity != LOOP_NONE && is_met(m, loop, entity)) {
            return entity;
        }
    }
    return loop->group == NULL || m->fault == LOOP_FAULT_JOINERS ? LOOP_NONE : next_joiner(m, loop);
}

// The same by a fault that looks one entity ahead: its turn is too early.
static uint32_t turn_ahead(const loop_model *m, model_loop *loop)
{
    uint32_t now       = loop->looked_ahead ? loop->ahead : turn(m, loop);
    loop->ahead        = now == LOOP_NONE ? LOOP_NONE : turn(m, loop);
    loop->looked_ahead = true;
    return now;
}

static uint32_t take_turn(const loop_model *m, model_loop *loop)
{
    return m->fault == LOOP_FAULT_AHEAD ? turn_ahead(m, loop) : turn(m, loop);
}

static void close_loop(loop_model *m, uint32_t number)
{
    uint32_t end = m->fault == LOOP_FAULT_INNER ? number + 1 : m->loop_count;
    for (uint32_t i = number; i < end; i++) {
        m->loops[i].open = false;
    }
    model_settle_unless_held(m);
}

// A listener may not close what was open when it was called.
static bool is_closed(loop_model *m, uint32_t number)
{
    if (number < m->floor) {
        model_fail(m, KITH_ERROR_BUSY);
        return false;
    }
    close_loop(m, number);
    return true;
}

// What the cursor holds: the columns that are there, and their stamps.
static void hand_out(loop_model *m, uint32_t number, uint32_t entity)
{
    const loop_shape *shape   = m->loops[number].shape;
    uint32_t          columns = loop_shape_columns(shape);
    uint32_t          written = loop_shape_written(shape);
    uint32_t          seen    = 0;
    for (kith_component c = LOOP_A; c <= LOOP_F; c++) {
        if ((columns & LOOP_BIT(c)) == 0 || !is_visible(m, shape, entity, c)) {
            continue;
        }
        seen |= LOOP_BIT(c);
        if ((written & LOOP_BIT(c)) != 0 && m->fault != LOOP_FAULT_STAMPS) {
            model_touch(m, c, loop_model_row(m, entity, c));
        }
    }
    loop_log_add(&m->log, LOOP_LOG_VISIT, number, entity);
    loop_log_add(&m->log, LOOP_LOG_COLUMNS, number, seen);
}

bool model_next(loop_model *m, uint32_t number, uint32_t most)
{
    model_loop *loop = &m->loops[number];
    if (!loop->open) {
        model_fail(m, KITH_ERROR_CLOSED);
        return false;
    }
    uint32_t entity = loop->over ? LOOP_NONE : take_turn(m, loop);
    if (entity == LOOP_NONE) {
        loop->over = true;
        is_closed(m, number);
        return false;
    }
    loop->chunk_count = 0;
    do {
        hand_out(m, number, entity);
        loop->chunk[loop->chunk_count++] = entity;
        entity = loop->chunk_count < most ? take_turn(m, loop) : LOOP_NONE;
    } while (entity != LOOP_NONE);
    return true;
}

bool model_end_loop(loop_model *m, uint32_t number)
{
    return !m->loops[number].open || is_closed(m, number);
}

bool model_release(loop_model *m)
{
    for (uint32_t i = m->loop_count; i-- > 0;) {
        if (m->loops[i].open && m->loops[i].shape == NULL) {
            return is_closed(m, i);
        }
    }
    model_fail(m, KITH_ERROR_ARGUMENT);
    return false;
}

bool model_settle_all(loop_model *m)
{
    if (m->depth != 0) {
        model_fail(m, KITH_ERROR_BUSY);
        return false;
    }
    close_loop(m, 0);
    for (uint32_t i = 0; i < m->loop_count; i++) {
        m->loops[i].open = false;
    }
    model_settle(m);
    return true;
}

uint32_t loop_model_walk(loop_model *m, const loop_shape *shape, uint32_t *entities)
{
    uint32_t    count = 0;
    model_loop *loop  = &m->loops[m->loop_count];
    model_begin(m, shape);
    for (uint32_t e = turn(m, loop); e != LOOP_NONE; e = turn(m, loop)) {
        entities[count++] = e;
    }
    m->loop_count--;
    loop->open = false;
    return count;
}
