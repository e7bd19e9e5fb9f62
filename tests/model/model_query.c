// SPDX-License-Identifier: MIT
// The model of queries: which descriptions are valid, and which entities match.
#include "model_internal.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Terms
// ---------------------------------------------------------------------------------------------

static bool asks_for_changes(const kith_term *term)
{
    return term->role == KITH_ROLE_CHANGED || term->role == KITH_ROLE_ADDED;
}

static bool is_modifier(const kith_term *term)
{
    return term->role == KITH_ROLE_DISABLED || term->role == KITH_ROLE_LEAD ||
           asks_for_changes(term);
}

bool model_query_asks_for_changes(const model_query *query)
{
    bool asks = false;
    for (uint32_t i = 0; i < query->term_count; i++) {
        asks = asks || asks_for_changes(&query->terms[i]);
    }
    return asks;
}

bool model_term_writes(const kith_term *term)
{
    return term->role == KITH_ROLE_WRITE || term->role == KITH_ROLE_OWN ||
           term->role == KITH_ROLE_OPTIONAL_WRITE;
}

bool model_term_reads(const kith_term *term)
{
    return model_term_writes(term) || term->role == KITH_ROLE_READ ||
           term->role == KITH_ROLE_OPTIONAL || term->role == KITH_ROLE_ANY;
}

static const kith_term *main_term(const kith_term *terms, uint32_t count, kith_component component)
{
    for (uint32_t i = 0; i < count; i++) {
        if (terms[i].component == component && !is_modifier(&terms[i])) {
            return &terms[i];
        }
    }
    return NULL;
}

static bool has_term(const model_query *query, kith_component component, kith_role role)
{
    for (uint32_t i = 0; i < query->term_count; i++) {
        if (query->terms[i].component == component && query->terms[i].role == role) {
            return true;
        }
    }
    return false;
}

// What is asked of a component: a modifier alone asks that it is there.
static kith_role role_of(const kith_term *terms, uint32_t count, kith_component component)
{
    const kith_term *term = main_term(terms, count, component);
    return term == NULL ? KITH_ROLE_WITH : term->role;
}

static bool is_including(kith_role role)
{
    return role == KITH_ROLE_WITH || role == KITH_ROLE_READ || role == KITH_ROLE_WRITE ||
           role == KITH_ROLE_OWN;
}

bool model_query_includes(const model_query *query, kith_component component)
{
    for (uint32_t i = 0; i < query->term_count; i++) {
        if (query->terms[i].component == component) {
            return is_including(role_of(query->terms, query->term_count, component));
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Descriptions
// ---------------------------------------------------------------------------------------------

// Which kinds of components a role is for. No column for writing has links.
static unsigned kinds_of(kith_role role, const model_component *component)
{
    bool writes =
        role == KITH_ROLE_WRITE || role == KITH_ROLE_OWN || role == KITH_ROLE_OPTIONAL_WRITE;
    if (writes && component != NULL && (component->is_link || component->is_list)) {
        return 0;
    }
    switch (role) {
    case KITH_ROLE_READ:
    case KITH_ROLE_WRITE:
    case KITH_ROLE_OWN:
    case KITH_ROLE_OPTIONAL_WRITE:
        return 1u << KITH_KIND_VALUE;
    case KITH_ROLE_DISABLED:
    case KITH_ROLE_LEAD:
    case KITH_ROLE_CHANGED:
    case KITH_ROLE_ADDED:
        return MODEL_POOLS;
    default:
        return MODEL_HAD;
    }
}

static bool is_named_twice(const kith_query_desc *desc, uint32_t place)
{
    const kith_term *term = &desc->terms[place];
    for (uint32_t i = 0; i < place; i++) {
        const kith_term *earlier = &desc->terms[i];
        bool             leads   = term->role == KITH_ROLE_LEAD && earlier->role == KITH_ROLE_LEAD;
        bool             same    = term->component == earlier->component &&
                    (term->role == earlier->role || (!is_modifier(term) && !is_modifier(earlier)));
        if (leads || same) {
            return true;
        }
    }
    return false;
}

static bool complain(model *m, model_manner how, kith_error_code code, kith_component component)
{
    if (how == MODEL_ASKS) {
        model_report(m, code, component, KITH_NULL);
    } else {
        model_fail(m, code, component, KITH_NULL);
    }
    return false;
}

static bool check_term(model *m, model_manner how, const kith_query_desc *desc, uint32_t place)
{
    const kith_term *term = &desc->terms[place];
    if ((int)term->role < 0 || term->role > KITH_ROLE_ADDED) {
        return complain(m, how, KITH_ERROR_ARGUMENT, term->component);
    }
    const model_component *named = model_component_lookup(m, term->component);
    named = model_named(m, how, term->component, kinds_of(term->role, named));
    if (named == NULL) {
        return false;
    }
    if (term->role == KITH_ROLE_ADDED && !named->desc.traits.row_ticks) {
        return complain(m, how, KITH_ERROR_ARGUMENT, term->component);
    }
    return !is_named_twice(desc, place) || complain(m, how, KITH_ERROR_ARGUMENT, term->component);
}

// The lead, and what is asked for changes, must be included.
static bool check_included(model *m, model_manner how, const kith_query_desc *desc, bool changes)
{
    for (uint32_t i = 0; i < desc->term_count; i++) {
        const kith_term *term = &desc->terms[i];
        if ((changes ? asks_for_changes(term) : term->role == KITH_ROLE_LEAD) &&
            !is_including(role_of(desc->terms, desc->term_count, term->component))) {
            return complain(m, how, KITH_ERROR_ARGUMENT, term->component);
        }
    }
    return true;
}

bool model_query_check(model *m, model_manner how, const kith_query_desc *desc)
{
    if (desc->term_count > MODEL_TERMS || (desc->terms == NULL && desc->term_count > 0)) {
        return complain(m, how, KITH_ERROR_ARGUMENT, 0);
    }
    for (uint32_t i = 0; i < desc->term_count; i++) {
        if (!check_term(m, how, desc, i)) {
            return false;
        }
    }
    return check_included(m, how, desc, false) && check_included(m, how, desc, true);
}

model_query model_query_copy(const kith_query_desc *desc)
{
    model_query query = { .term_count = desc->term_count,
                          .name       = desc->name,
                          .since      = desc->since };
    for (uint32_t i = 0; i < desc->term_count; i++) {
        query.terms[i] = desc->terms[i];
    }
    return query;
}

// ---------------------------------------------------------------------------------------------
// Entities
// ---------------------------------------------------------------------------------------------

// To a query a disabled component is absent, unless it asks for disabled ones.
static bool is_there(model *m, const model_query *query, kith_component component,
                     kith_entity entity)
{
    const model_component *found = model_component_lookup(m, component);
    uint32_t               row   = model_row_of(found, entity);
    return row != KITH_NO_ROW &&
           (!found->rows[row].disabled || has_term(query, component, KITH_ROLE_DISABLED));
}

static bool has_one_of_group(model *m, const model_query *query, uint32_t group, kith_entity entity)
{
    for (uint32_t i = 0; i < query->term_count; i++) {
        const kith_term *term = &query->terms[i];
        if (term->role == KITH_ROLE_ANY && term->any_list == group &&
            is_there(m, query, term->component, entity)) {
            return true;
        }
    }
    return false;
}

static bool is_new(model *m, const model_query *query, const kith_term *term, kith_entity entity)
{
    uint64_t tick = term->role == KITH_ROLE_ADDED
                        ? model_component_added_at(m, entity, term->component)
                        : model_component_changed_at(m, entity, term->component);
    return tick >= query->since;
}

static bool meets_term(model *m, const model_query *query, const kith_term *term,
                       kith_entity entity)
{
    kith_role role = role_of(query->terms, query->term_count, term->component);
    if (is_including(role)) {
        return is_there(m, query, term->component, entity) &&
               (!asks_for_changes(term) || is_new(m, query, term, entity));
    }
    if (role == KITH_ROLE_WITHOUT) {
        return !is_there(m, query, term->component, entity);
    }
    return term->role != KITH_ROLE_ANY || has_one_of_group(m, query, term->any_list, entity);
}

bool model_query_meets(model *m, const model_query *query, kith_entity entity)
{
    for (uint32_t i = 0; i < query->term_count; i++) {
        if (!meets_term(m, query, &query->terms[i], entity)) {
            return false;
        }
    }
    return true;
}

uint32_t model_query_column(model *m, const model_query *query, uint32_t term, kith_entity entity)
{
    const kith_term *asked = &query->terms[term];
    if (!model_term_reads(asked) || !is_there(m, query, asked->component, entity)) {
        return 0;
    }
    const model_component *found = model_component_lookup(m, asked->component);
    return 1u + found->rows[model_row_of(found, entity)].number;
}

model_component *model_query_lead(model *m, const model_query *query)
{
    model_component *lead = NULL;
    for (uint32_t i = 0; i < m->component_count; i++) {
        model_component *component = &m->components[i];
        if (!model_has_rows(component) || !model_query_includes(query, component->desc.id)) {
            continue;
        }
        if (has_term(query, component->desc.id, KITH_ROLE_LEAD)) {
            return component;
        }
        if (lead == NULL || component->row_count < lead->row_count) {
            lead = component;
        }
    }
    return lead;
}

// ---------------------------------------------------------------------------------------------
// Views
// ---------------------------------------------------------------------------------------------

static uint32_t list_visits(model *m, const model_query *query, kith_entity *list)
{
    uint32_t               rows;
    const model_component *lead  = model_query_walked(m, query, &rows);
    uint32_t               count = 0;
    if (lead == NULL) {
        kith_entity e = KITH_NULL;
        while ((e = model_entity_next(m, e)) != KITH_NULL) {
            if (model_query_meets(m, query, e)) {
                list[count++] = e;
            }
        }
        return count;
    }
    for (uint32_t row = 0; row < lead->row_count; row++) {
        kith_entity e = lead->rows[row].entity;
        if (e != KITH_NULL && model_query_meets(m, query, e)) {
            list[count++] = e;
        }
    }
    return count;
}

static bool check_unwritten(model *m, const kith_query_desc *desc)
{
    for (uint32_t i = 0; i < desc->term_count; i++) {
        if (model_term_writes(&desc->terms[i])) {
            return complain(m, MODEL_ASKS, KITH_ERROR_ARGUMENT, 0);
        }
    }
    return true;
}

// Those that a loop over a group visits: the members, then those that joined.
static uint32_t list_group(model *m, const model_group *group, kith_entity *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->members + m->link_count; i++) {
        kith_entity e    = i < group->members ? model_group_at(m, group, i)
                                              : model_changed_at(m, i - group->members);
        bool        meet = e != KITH_NULL && model_query_meets(m, &group->query, e);
        for (uint32_t k = 0; k < count; k++) {
            meet = meet && list[k] != e;
        }
        if (meet) {
            list[count++] = e;
        }
    }
    return count;
}

// A walk that reads goes by the group only while no entity waits to join or leave.
uint32_t model_view_begin_read(model *m, const kith_query_desc *desc, kith_entity *list)
{
    if (!model_query_check(m, MODEL_ASKS, desc) || !check_unwritten(m, desc)) {
        return 0;
    }
    model_query        query = model_query_copy(desc);
    const model_group *group = model_query_group(m, &query);
    bool               whole = group != NULL && !group->changed;
    uint32_t           count = whole ? list_group(m, group, list) : list_visits(m, &query, list);
    model_report(m, KITH_ERROR_CLOSED, 0, KITH_NULL);
    return count;
}

static uint32_t view_list(model *m, const kith_query_desc *desc, kith_entity *list)
{
    if (!model_query_check(m, MODEL_ASKS, desc)) {
        return 0;
    }
    model_query        query = model_query_copy(desc);
    const model_group *group = model_query_group(m, &query);
    return group != NULL ? list_group(m, group, list) : list_visits(m, &query, list);
}

kith_entity model_view_first(model *m, const kith_query_desc *desc)
{
    kith_entity list[MODEL_ROWS];
    return view_list(m, desc, list) == 0 ? KITH_NULL : list[0];
}

uint32_t model_view_count(model *m, const kith_query_desc *desc)
{
    kith_entity list[MODEL_ROWS];
    return view_list(m, desc, list);
}

bool model_view_contains(model *m, const kith_query_desc *desc, kith_entity entity)
{
    kith_entity list[MODEL_ROWS];
    uint32_t    count = view_list(m, desc, list);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == entity) {
            return true;
        }
    }
    return false;
}

uint32_t model_view_size_hint(model *m, const kith_query_desc *desc)
{
    if (!model_query_check(m, MODEL_ASKS, desc)) {
        return 0;
    }
    model_query query = model_query_copy(desc);
    uint32_t    least = model_entity_count(m);
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        if (model_query_includes(&query, component->desc.id) && model_members(component) < least) {
            least = model_members(component);
        }
    }
    return least;
}

// ---------------------------------------------------------------------------------------------
// Stored queries
// ---------------------------------------------------------------------------------------------

bool model_query_same(const model_query *query, const kith_query_desc *desc)
{
    bool same = query->term_count == desc->term_count;
    for (uint32_t i = 0; same && i < desc->term_count; i++) {
        same = query->terms[i].component == desc->terms[i].component &&
               query->terms[i].role == desc->terms[i].role &&
               query->terms[i].any_list == desc->terms[i].any_list;
    }
    return same;
}

// A query stays until it is destroyed and no loop uses it.
static bool is_in_use(const model *m, uint32_t place)
{
    bool used = m->stored[place].in_use;
    for (uint32_t i = 0; i < m->loop_count; i++) {
        used = used || m->loops[i].stored == place + 1;
    }
    return used;
}

uint32_t model_query_create(model *m, const kith_query_desc *desc)
{
    uint32_t place = 0;
    if (model_busy(m, 0, KITH_NULL) || !model_query_check(m, MODEL_CHANGES, desc)) {
        return 0;
    }
    while (is_in_use(m, place)) {
        place++;
    }
    m->stored[place] =
        (model_stored){ .query = model_query_copy(desc), .made = ++m->last_made, .in_use = true };
    return 1 + place;
}

uint32_t model_query_of(model *m, const kith_query_desc *desc)
{
    bool sane = desc->terms != NULL || desc->term_count == 0;
    for (uint32_t i = 0; i < MODEL_QUERIES && sane; i++) {
        if (m->stored[i].of_world && model_query_same(&m->stored[i].query, desc)) {
            return 1 + i;
        }
    }
    uint32_t made = model_query_create(m, desc);
    if (made != 0) {
        m->stored[made - 1].of_world = true;
    }
    return made;
}

// Every error of a text has the same code, and no component.
static bool check_text(model *m, const kith_query_desc *desc)
{
    uint32_t before   = m->reported_count;
    bool     good     = model_query_check(m, MODEL_ASKS, desc);
    m->reported_count = good ? m->reported_count : before;
    return good;
}

bool model_query_desc_parse(model *m, const kith_query_desc *desc)
{
    return check_text(m, desc) || complain(m, MODEL_ASKS, KITH_ERROR_ARGUMENT, 0);
}

uint32_t model_query_parse(model *m, const kith_query_desc *desc)
{
    if (!check_text(m, desc)) {
        model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
        return 0;
    }
    return model_query_of(m, desc);
}

model_stored *model_query_describe(model *m, uint32_t query)
{
    return &m->stored[query - 1];
}

bool model_query_destroy(model *m, uint32_t query)
{
    if (query == 0 || model_busy(m, 0, KITH_NULL)) {
        return query == 0;
    }
    if (m->stored[query - 1].of_world) {
        return model_fail(m, KITH_ERROR_BUSY, 0, KITH_NULL);
    }
    m->stored[query - 1].in_use = false;
    return true;
}

void model_query_since_set(model *m, uint32_t query, uint64_t tick)
{
    if (!model_busy(m, 0, KITH_NULL)) {
        m->stored[query - 1].query.since = tick;
    }
}
