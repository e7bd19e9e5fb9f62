// SPDX-License-Identifier: MIT
// The model of loops: which entities a cursor visits while the world changes.
#include "model_internal.h"

#include <string.h>

bool model_held(const model *m)
{
    return m->loop_count > 0 || m->announcing > 0 || m->holds > 0;
}

bool model_blocked(model *m, kith_component component, kith_entity entity)
{
    return (m->busy || model_held(m)) && !model_fail(m, KITH_ERROR_BUSY, component, entity);
}

void model_settle_if_free(model *m)
{
    if (!model_held(m)) {
        model_close_all_holes(m);
    }
}

// ---------------------------------------------------------------------------------------------
// Opening and closing
// ---------------------------------------------------------------------------------------------

static model_loop *open_loop(model *m)
{
    if (model_busy(m, 0, KITH_NULL)) {
        return NULL;
    }
    if (m->loop_count == MODEL_LOOPS) {
        model_fail(m, KITH_ERROR_LIMIT, 0, KITH_NULL);
        return NULL;
    }
    model_loop *loop = &m->loops[m->loop_count++];
    *loop            = (model_loop){ .serial = ++m->last_serial };
    return loop;
}

static model_loop *find_loop(model *m, uint64_t serial)
{
    for (uint32_t i = 0; i < m->loop_count; i++) {
        if (m->loops[i].serial == serial) {
            return &m->loops[i];
        }
    }
    return NULL;
}

// Closes it and those begun after it; not from a listener that was called after it began.
static bool close_loop(model *m, const model_loop *loop)
{
    if (model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    if (loop->serial <= m->called_at) {
        return model_fail(m, KITH_ERROR_BUSY, 0, KITH_NULL);
    }
    m->loop_count = (uint32_t)(loop - m->loops);
    model_settle_if_free(m);
    return true;
}

static bool begin_loop(model *m, const kith_query_desc *desc, model_cursor *cursor)
{
    memset(cursor, 0, sizeof *cursor);
    cursor->failed   = true;
    model_loop *loop = open_loop(m);
    if (loop == NULL) {
        return false;
    }
    if (!model_query_check(m, MODEL_CHANGES, desc)) {
        m->loop_count--;
        return false;
    }
    loop->query    = model_query_copy(desc);
    cursor->query  = loop->query;
    cursor->loop   = loop->serial;
    cursor->failed = false;
    return true;
}

// ---------------------------------------------------------------------------------------------
// The list of those to visit
// ---------------------------------------------------------------------------------------------

static bool is_in(const kith_entity *list, uint32_t count, kith_entity entity)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == entity) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const model_loop *loop, kith_entity entity)
{
    return is_in(loop->places, loop->place_count, entity) ||
           is_in(loop->others, loop->other_count, entity);
}

static bool has_what_is_included(model *m, const model_query *query, kith_entity entity)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        if (model_has_rows(component) && model_query_includes(query, component->desc.id) &&
            !model_has(component, entity)) {
            return false;
        }
    }
    return true;
}

// The members, which come first, and the entities that could join.
static void write_group_list(model *m, model_loop *loop, const model_group *group)
{
    kith_entity e  = KITH_NULL;
    loop->joinable = true;
    for (uint32_t i = 0; i < group->members; i++) {
        e = model_group_at(m, group, i);
        if (e != KITH_NULL && has_what_is_included(m, &loop->query, e)) {
            loop->places[loop->place_count++] = e;
        }
    }
    e = KITH_NULL;
    while ((e = model_entity_next(m, e)) != KITH_NULL) {
        if (has_what_is_included(m, &loop->query, e) && !is_listed(loop, e)) {
            loop->others[loop->other_count++] = e;
        }
    }
}

static void write_list(model *m, model_loop *loop)
{
    const model_group *group = model_query_group(m, &loop->query);
    if (group != NULL) {
        write_group_list(m, loop, group);
        return;
    }
    uint32_t               rows;
    const model_component *lead = model_query_walked(m, &loop->query, &rows);
    kith_entity            e    = KITH_NULL;
    if (lead == NULL) {
        while ((e = model_entity_next(m, e)) != KITH_NULL) {
            loop->places[loop->place_count++] = e;
        }
        return;
    }
    for (uint32_t row = 0; row < lead->row_count; row++) {
        e = lead->rows[row].entity;
        if (e != KITH_NULL && has_what_is_included(m, &loop->query, e)) {
            loop->places[loop->place_count++] = e;
        }
    }
}

static void strike_from(kith_entity *list, uint32_t count, kith_entity entity)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == entity) {
            list[i] = KITH_NULL;
        }
    }
}

void model_strike(model *m, kith_component component, kith_entity entity)
{
    for (uint32_t i = 0; i < m->loop_count; i++) {
        bool concerned = component == 0 || model_query_includes(&m->loops[i].query, component);
        if (concerned && m->fault != MODEL_FAULT_BREAK) {
            strike_from(m->loops[i].places, m->loops[i].place_count, entity);
            strike_from(m->loops[i].others, m->loops[i].other_count, entity);
        }
    }
}

void model_view_begin(model *m, const kith_query_desc *desc, model_cursor *cursor)
{
    if (begin_loop(m, desc, cursor)) {
        write_list(m, find_loop(m, cursor->loop));
    }
}

void model_query_begin(model *m, uint32_t query, model_cursor *cursor)
{
    model_stored          *stored = model_query_describe(m, query);
    const model_group     *group  = model_query_group(m, &stored->query);
    uint32_t               rows;
    const model_component *lead = model_query_walked(m, &stored->query, &rows);
    lead                        = group != NULL ? model_group_lead(m, group) : lead;
    rows                        = group != NULL ? group->members : rows;
    kith_query_desc desc        = { .name       = stored->query.name,
                                    .terms      = stored->query.terms,
                                    .term_count = stored->query.term_count,
                                    .since      = stored->query.since };
    model_view_begin(m, &desc, cursor);
    if (!cursor->failed && model_query_asks_for_changes(&stored->query)) {
        stored->query.since = model_world_now(m);
    }
    if (!cursor->failed) {
        find_loop(m, cursor->loop)->stored = query;

        stored->lead = lead == NULL ? 0 : lead->desc.id;
        stored->rows = rows;
    }
}

void model_query_begin_as(model *m, uint32_t query, const kith_query_desc *desc,
                          model_cursor *cursor)
{
    if (model_query_same(&model_query_describe(m, query)->query, desc)) {
        model_query_begin(m, query, cursor);
        return;
    }
    memset(cursor, 0, sizeof *cursor);
    cursor->failed = true;
    model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
}

// ---------------------------------------------------------------------------------------------
// Going on
// ---------------------------------------------------------------------------------------------

// The cursor's loop, if it is open.
static model_loop *loop_of(model *m, const model_cursor *cursor)
{
    return cursor->loop == 0 ? NULL : find_loop(m, cursor->loop);
}

bool model_cursor_open(model *m, const model_cursor *cursor)
{
    return loop_of(m, cursor) != NULL;
}

static bool is_met(model *m, const model_loop *loop, kith_entity entity)
{
    return entity != KITH_NULL && model_entity_alive(m, entity) &&
           model_query_meets(m, &loop->query, entity);
}

static kith_entity visit_joiner(model *m, model_loop *loop)
{
    while (loop->link < m->link_count) {
        kith_entity entity = model_changed_at(m, loop->link++);
        if (is_met(m, loop, entity) && is_in(loop->others, loop->other_count, entity)) {
            return entity;
        }
    }
    return KITH_NULL;
}

static kith_entity visit_next(model *m, model_loop *loop)
{
    while (loop->at < loop->place_count) {
        kith_entity entity = loop->places[loop->at++];
        if (is_met(m, loop, entity)) {
            return entity;
        }
    }
    kith_entity joiner = loop->joinable && !loop->over ? visit_joiner(m, loop) : KITH_NULL;
    loop->over         = joiner == KITH_NULL;
    return joiner;
}

// Stamps what is handed out for writing.
static void hand_out(model *m, const model_query *query, kith_entity entity)
{
    for (uint32_t i = 0; i < query->term_count; i++) {
        if (model_term_writes(&query->terms[i]) && model_query_column(m, query, i, entity) != 0) {
            model_component *written = model_component_lookup(m, query->terms[i].component);
            model_touch(m, written, model_row_of(written, entity));
        }
    }
}

void model_cursor_write(model *m, const model_cursor *cursor, uint8_t number)
{
    const model_query *query = &cursor->query;
    for (uint32_t i = 0; i < query->term_count; i++) {
        if (model_term_writes(&query->terms[i]) &&
            model_query_column(m, query, i, cursor->entity) != 0) {
            model_component *written = model_component_lookup(m, query->terms[i].component);
            model_write_number(written, model_row_of(written, cursor->entity), number);
        }
    }
}

static void empty_cursor(model_cursor *cursor)
{
    cursor->entity = KITH_NULL;
    cursor->count  = 0;
}

// The cursor's loop, if it is open; an error unless there never was one.
static model_loop *loop_to_step(model *m, model_cursor *cursor)
{
    model_loop *loop = loop_of(m, cursor);
    empty_cursor(cursor);
    if (loop == NULL && cursor->loop != 0) {
        model_fail(m, KITH_ERROR_CLOSED, 0, KITH_NULL);
    }
    return loop;
}

bool model_cursor_next(model *m, model_cursor *cursor)
{
    model_loop *loop = loop_to_step(m, cursor);
    if (loop == NULL) {
        return false;
    }
    cursor->entity = visit_next(m, loop);
    if (cursor->entity == KITH_NULL) {
        close_loop(m, loop);
        return false;
    }
    cursor->members[0] = cursor->entity;
    cursor->count      = 1;
    hand_out(m, &cursor->query, cursor->entity);
    return true;
}

bool model_cursor_next_chunk(model *m, model_cursor *cursor, uint32_t count)
{
    model_loop *loop = loop_to_step(m, cursor);
    if (loop == NULL) {
        return false;
    }
    uint32_t least = count == 0 ? 1 : count;
    while (cursor->count < least) {
        kith_entity entity = visit_next(m, loop);
        if (entity == KITH_NULL) {
            break;
        }
        cursor->members[cursor->count++] = entity;
        hand_out(m, &cursor->query, entity);
    }
    if (cursor->count == 0) {
        close_loop(m, loop);
        return false;
    }
    cursor->entity = cursor->members[0];
    return true;
}

kith_entity model_cursor_entity(model *m, const model_cursor *cursor, uint32_t i)
{
    const model_loop *loop = loop_of(m, cursor);
    bool there = loop != NULL && i < cursor->count && is_listed(loop, cursor->members[i]);
    return there ? cursor->members[i] : KITH_NULL;
}

void model_cursor_end(model *m, model_cursor *cursor)
{
    model_loop *loop = loop_of(m, cursor);
    if (loop != NULL) {
        close_loop(m, loop);
    }
}

// ---------------------------------------------------------------------------------------------
// Holding, settling, ticking
// ---------------------------------------------------------------------------------------------

bool model_world_hold(model *m)
{
    model_loop *loop = open_loop(m);
    if (loop == NULL) {
        return false;
    }
    loop->is_hold = true;
    return true;
}

bool model_world_release(model *m)
{
    if (model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    for (uint32_t i = m->loop_count; i > 0; i--) {
        if (m->loops[i - 1].is_hold) {
            return close_loop(m, &m->loops[i - 1]);
        }
    }
    return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
}

bool model_world_settle(model *m)
{
    if (model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    if (m->announcing > 0) {
        return model_fail(m, KITH_ERROR_BUSY, 0, KITH_NULL);
    }
    m->loop_count = 0;
    model_settle_if_free(m);
    return true;
}

uint64_t model_world_advance(model *m)
{
    if (model_blocked(m, 0, KITH_NULL)) {
        return 0;
    }
    m->ticks++;
    return model_world_now(m);
}

uint64_t model_world_now(const model *m)
{
    return 1 + m->ticks;
}
