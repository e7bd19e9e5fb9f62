// SPDX-License-Identifier: MIT
// The model of systems and their schedule.
#include "model_internal.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Making
// ---------------------------------------------------------------------------------------------

model_system model_system_form(uint32_t place, uint8_t form)
{
    return (model_system){ .place    = place,
                           .phase    = form % 2,
                           .before   = form / 2 % 2 ? (place + 1) % MODEL_SYSTEMS : MODEL_NO_SYSTEM,
                           .after    = form / 4 % 2 ? (place + 2) % MODEL_SYSTEMS : MODEL_NO_SYSTEM,
                           .interval = form / 8 % 4 == 1 ? 0.5 : 0,
                           .on_demand = form / 8 % 4 == 2,
                           .enabled   = form / 32 % 4 != 0,
                           .parts     = form / 32 % 4 == 3,
                           .bare      = form / 128 != 0 };
}

model_system *model_system_at(model *m, uint32_t place)
{
    for (uint32_t i = 0; i < m->system_count; i++) {
        if (m->systems[i].place == place) {
            return &m->systems[i];
        }
    }
    return NULL;
}

static bool comes_before(const model_system *a, const model_system *b)
{
    return a->phase < b->phase || a->before == b->place || b->after == a->place;
}

// Whether some way leads from one to the other; there are so few that any longer one is a circle.
static bool leads_to(const model *m, const model_system *a, const model_system *b, uint32_t steps)
{
    if (comes_before(a, b)) {
        return true;
    }
    for (uint32_t i = 0; i < m->system_count && steps != 0; i++) {
        if (comes_before(a, &m->systems[i]) && leads_to(m, &m->systems[i], b, steps - 1)) {
            return true;
        }
    }
    return false;
}

static bool owns_something(const kith_query_desc *desc)
{
    bool owns = false;
    for (uint32_t i = 0; i < desc->term_count && desc->terms != NULL; i++) {
        owns = owns || desc->terms[i].role == KITH_ROLE_OWN;
    }
    return owns;
}

static bool may_be_made(model *m, const model_system *form, const kith_query_desc *desc)
{
    if (model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    if (form->tracked && owns_something(desc)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
    }
    return !form->tracked || !model_blocked(m, 0, KITH_NULL);
}

static bool are_named(model *m, const model_system *form)
{
    for (uint32_t i = 0; i < form->id_count; i++) {
        if (model_named(m, MODEL_REACHES, form->ids[i], MODEL_ALL) == NULL) {
            return false;
        }
    }
    return true;
}

static bool is_named(const model_system *system, kith_component id)
{
    bool found = false;
    for (uint32_t i = 0; i < system->id_count; i++) {
        found = found || system->ids[i] == id;
    }
    return found;
}

uint32_t model_system_terms(model *m, const model_system *form, const model_signature *signature,
                            kith_term *terms)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const kith_component_desc *desc   = &m->components[i].desc;
        const model_signature      one    = { .count = 1, .ids = { desc->id } };
        kith_role                  column = form->writes ? KITH_ROLE_WRITE : KITH_ROLE_READ;
        bool valued = desc->kind == KITH_KIND_VALUE && is_named(form, desc->id);
        if (model_signature_contains(signature, &one)) {
            terms[count++] = (kith_term){ desc->id, valued ? column : KITH_ROLE_WITH, 0 };
        }
    }
    return count;
}

static void end_system(model *m, const model_system *system)
{
    if (system->group != 0) {
        model_group_untrack(m, system->group);
    }
    model_query_destroy(m, system->query);
}

bool model_system_create(model *m, const model_system *form, const kith_query_desc *desc)
{
    model_system *made = &m->systems[m->system_count];
    if (!may_be_made(m, form, desc) || !are_named(m, form)) {
        return false;
    }
    *made       = *form;
    made->made  = ++m->last_made;
    made->query = form->bare ? 0 : model_query_create(m, desc);
    if (!form->bare && made->query == 0) {
        return false;
    }
    made->group = form->tracked ? model_group_track(m, desc) : 0;
    if (form->tracked && made->group == 0) {
        end_system(m, made);
        return false;
    }
    m->system_count++;
    if (leads_to(m, made, made, MODEL_SYSTEMS)) {
        end_system(m, made);
        m->system_count--;
        return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
    }
    return true;
}

static void report_leaving(model *m, model_system *system, bool all, model_visit_fn visit,
                           void *context)
{
    for (uint32_t i = system->reported_count; i-- > 0;) {
        kith_entity entity = system->reported[i];
        if (all || !model_group_contains(m, system->group, entity)) {
            system->reported[i] = system->reported[--system->reported_count];
            visit(context, ~entity);
        }
    }
}

bool model_system_destroy(model *m, uint32_t place, model_visit_fn visit, void *context)
{
    model_system *system = model_system_at(m, place);
    if (system == NULL || model_busy(m, 0, KITH_NULL) ||
        (system->tracked && model_blocked(m, 0, KITH_NULL))) {
        return false;
    }
    report_leaving(m, system, true, visit, context);
    end_system(m, system);
    uint32_t at = (uint32_t)(system - m->systems);
    memmove(system, system + 1, (--m->system_count - at) * sizeof *system);
    return true;
}

bool model_system_enable(model *m, uint32_t place, bool enabled)
{
    model_system *system = model_system_at(m, place);
    bool          before = system->enabled;
    system->enabled      = enabled;
    return before;
}

bool model_system_request(model *m, uint32_t place)
{
    model_system *system  = model_system_at(m, place);
    bool          request = system->on_demand && !system->due;
    system->due           = system->due || request;
    return request;
}

// ---------------------------------------------------------------------------------------------
// Running
// ---------------------------------------------------------------------------------------------

static bool was_reported(const model_system *system, kith_entity entity)
{
    uint32_t i = 0;
    while (i < system->reported_count && system->reported[i] != entity) {
        i++;
    }
    return i < system->reported_count;
}

// A loop over the matches of the system's query that hands out no value.
static void report_entering(model *m, model_system *system, model_visit_fn visit, void *context)
{
    static model_cursor cursor;
    model_query         query = model_query_describe(m, system->query)->query;
    for (uint32_t i = 0; i < query.term_count; i++) {
        bool without        = query.terms[i].role == KITH_ROLE_WITHOUT;
        query.terms[i].role = without ? KITH_ROLE_WITHOUT : KITH_ROLE_WITH;
    }
    const kith_query_desc desc = { NULL, query.terms, query.term_count, 0 };
    model_view_begin(m, &desc, &cursor);
    while (model_cursor_next(m, &cursor)) {
        if (!was_reported(system, cursor.entity)) {
            system->reported[system->reported_count++] = cursor.entity;
            visit(context, cursor.entity | UINT64_C(1) << 63);
        }
    }
}

static void take_turn(model *m, model_system *system, double dt, model_visit_fn visit,
                      void *context)
{
    static model_cursor cursor;
    system->due     = false;
    system->visited = 0;
    if (system->tracked) {
        report_leaving(m, system, false, visit, context);
        report_entering(m, system, visit, context);
    }
    if (system->bare) {
        visit(context, dt > 0);
    } else {
        if (system->tick != 0) {
            m->stored[system->query - 1].query.since = system->tick + 1;
        }
        model_query_begin(m, system->query, &cursor);
        while (model_cursor_next(m, &cursor)) {
            visit(context, cursor.entity);
            system->visited++;
        }
    }
    system->turns++;
    system->tick = model_world_now(m);
    m->ticks++;
}

// What a system wrote in its turn counts as changed for others alone.
static void update_set(model *m, const model_system *system)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < m->system_count; i++) {
        waiting += m->systems[i].set == system->set;
    }
    if (system->set != 0) {
        model_reactive_update_for(m, system->set, system->tick, waiting == 1);
    }
}

static bool may_run(model *m, double dt)
{
    return !model_blocked(m, 0, KITH_NULL) &&
           (dt >= 0 || model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL));
}

bool model_query_parallel(model *m, uint32_t query, model_visit_fn visit, void *context)
{
    static model_cursor cursor;
    if (model_blocked(m, 0, KITH_NULL)) {
        return false;
    }
    model_query_begin(m, query, &cursor);
    while (model_cursor_next(m, &cursor)) {
        visit(context, cursor.entity);
    }
    return true;
}

bool model_system_run(model *m, uint32_t place, double dt, model_visit_fn visit, void *context)
{
    if (!may_run(m, dt)) {
        return false;
    }
    model_system *system = model_system_at(m, place);
    if (system == NULL) {
        return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
    }
    update_set(m, system);
    take_turn(m, system, dt, visit, context);
    return true;
}

// The systems as they run: of those that nothing left comes before, the oldest.
static void list_order(model *m, model_system **order)
{
    bool listed[MODEL_SYSTEMS] = { false };
    for (uint32_t place = 0; place < m->system_count; place++) {
        uint32_t next = 0;
        for (bool found = false; !found; next += !found) {
            found = !listed[next];
            for (uint32_t k = 0; k < m->system_count; k++) {
                found = found && (listed[k] || !comes_before(&m->systems[k], &m->systems[next]));
            }
        }
        listed[next] = true;
        order[place] = &m->systems[next];
    }
}

// How many turns the time makes, two at most; what is left over then is lost.
static uint32_t count_turns(model_system *system, double dt)
{
    uint32_t turns = 0;
    if (!system->enabled) {
        return 0;
    }
    for (system->waited += dt; system->waited >= system->interval && turns < 2; turns++) {
        system->waited -= system->interval;
    }
    system->waited = system->waited >= system->interval ? 0 : system->waited;
    return turns;
}

// Neighbours of one phase with the interval take turns. Returns the place behind them.
static uint32_t run_neighbours(model *m, model_system **order, uint32_t place, double dt,
                               model_visit_fn visit, void *context)
{
    uint32_t turns[MODEL_SYSTEMS];
    uint32_t end = place;
    for (; end < m->system_count && order[end]->interval > 0 &&
           order[end]->phase == order[place]->phase;
         end++) {
        turns[end] = count_turns(order[end], dt);
    }
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = place; i < end; i++) {
            if (turns[i] > round) {
                take_turn(m, order[i], order[i]->interval, visit, context);
            }
        }
    }
    return end;
}

static bool is_demanded(model *m, const model_system *system)
{
    update_set(m, system);
    bool members = system->set != 0 && model_reactive_count(m, system->set) != 0;
    return system->due || members ||
           (system->events != 0 && model_queue_count(m, system->events) != 0);
}

bool model_schedule_run(model *m, double dt, model_visit_fn visit, void *context)
{
    model_system *order[MODEL_SYSTEMS];
    if (!may_run(m, dt)) {
        return false;
    }
    list_order(m, order);
    for (uint32_t place = 0; place < m->system_count;) {
        model_system *system = order[place];
        if (system->interval > 0) {
            place = run_neighbours(m, order, place, dt, visit, context);
            continue;
        }
        if (system->enabled && (!system->on_demand || is_demanded(m, system))) {
            take_turn(m, system, dt, visit, context);
        }
        place++;
    }
    return true;
}

bool model_schedule_configure(model *m)
{
    return !model_busy(m, 0, KITH_NULL);
}

// ---------------------------------------------------------------------------------------------
// Ambiguous pairs
// ---------------------------------------------------------------------------------------------

static bool role_writes(kith_role role)
{
    return role == KITH_ROLE_WRITE || role == KITH_ROLE_OPTIONAL_WRITE || role == KITH_ROLE_OWN;
}

static bool touches(model *m, const model_system *system, kith_component id, bool *writes)
{
    bool found = is_named(system, id);
    *writes    = *writes || (found && system->writes);
    if (system->bare) {
        return found;
    }
    const model_query *query = &model_query_describe(m, system->query)->query;
    for (uint32_t i = 0; i < query->term_count; i++) {
        found   = found || query->terms[i].component == id;
        *writes = *writes || (query->terms[i].component == id && role_writes(query->terms[i].role));
    }
    return found;
}

static bool touches_everything(model *m, const model_system *system)
{
    return system->id_count == 0 &&
           (system->bare || model_query_describe(m, system->query)->query.term_count == 0);
}

// The first component, by registration, in which they conflict; 0: all, UINT32_MAX: none.
static uint64_t common_component(model *m, const model_system *a, const model_system *b)
{
    if (touches_everything(m, a) || touches_everything(m, b)) {
        return 0;
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        bool writes = false;
        bool first  = touches(m, a, m->components[i].desc.id, &writes);
        bool second = touches(m, b, m->components[i].desc.id, &writes);
        if (first && second && writes) {
            return m->components[i].desc.id;
        }
    }
    return UINT32_MAX;
}

uint32_t model_schedule_ambiguities(model *m, uint64_t *list, uint32_t *length)
{
    model_system *order[MODEL_SYSTEMS];
    uint32_t      pairs = 0;
    list_order(m, order);
    for (uint32_t i = 0; i < m->system_count; i++) {
        list[(*length)++] = order[i]->place;
    }
    for (uint32_t i = 0; i < m->system_count; i++) {
        for (uint32_t k = i + 1; k < m->system_count; k++) {
            uint64_t common = common_component(m, order[i], order[k]);
            if (common != UINT32_MAX && !leads_to(m, order[i], order[k], MODEL_SYSTEMS)) {
                list[(*length)++] = order[i]->place;
                list[(*length)++] = order[k]->place;
                list[(*length)++] = common;
                pairs++;
            }
        }
    }
    return pairs;
}
