// SPDX-License-Identifier: MIT
// The model of groups: members, their rows, and sorting.
#include "model_internal.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Terms
// ---------------------------------------------------------------------------------------------

static kith_role role_in(const model_query *query, kith_component component)
{
    for (uint32_t i = 0; i < query->term_count; i++) {
        if (query->terms[i].component == component) {
            return query->terms[i].role;
        }
    }
    return KITH_ROLE_OPTIONAL;
}

static bool owns(const model_group *group, const model_component *component)
{
    return role_in(&group->query, component->desc.id) == KITH_ROLE_OWN;
}

static bool owns_nothing(const model_group *group)
{
    bool nothing = true;
    for (uint32_t i = 0; i < group->query.term_count; i++) {
        nothing = nothing && group->query.terms[i].role != KITH_ROLE_OWN;
    }
    return nothing;
}

// What a group asks of the component: 1 to have it, 2 not to, 0 nothing.
static int demand(const model_query *query, kith_component component)
{
    if (model_query_includes(query, component)) {
        return 1;
    }
    bool without = false; // `disabled` may stand beside it
    for (uint32_t i = 0; i < query->term_count; i++) {
        const kith_term *term = &query->terms[i];
        without |= term->component == component && term->role == KITH_ROLE_WITHOUT;
    }
    return without ? 2 : 0;
}

// Whether all that `outer` demands is demanded by `inner`.
static bool demands_as_much(const model_query *inner, const model_query *outer)
{
    for (uint32_t i = 0; i < outer->term_count; i++) {
        kith_component component = outer->terms[i].component;
        int            demanded  = demand(outer, component);
        if (demanded != 0 && demand(inner, component) != demanded) {
            return false;
        }
    }
    return true;
}

static bool owns_as_much(const model_group *inner, const model_group *outer)
{
    for (uint32_t i = 0; i < outer->query.term_count; i++) {
        const kith_term *term = &outer->query.terms[i];
        if (term->role == KITH_ROLE_OWN &&
            role_in(&inner->query, term->component) != KITH_ROLE_OWN) {
            return false;
        }
    }
    return true;
}

static bool is_inside(const model_group *inner, const model_group *outer)
{
    return demands_as_much(&inner->query, &outer->query) && owns_as_much(inner, outer);
}

static bool same_demands(const model_query *a, const model_query *b)
{
    return demands_as_much(a, b) && demands_as_much(b, a);
}

// Whether a loop could walk a group: it chooses no lead, and takes disabled rows and alternatives
// for nothing that decides.
static bool may_walk_group(const model_query *query)
{
    for (uint32_t i = 0; i < query->term_count; i++) {
        const kith_term *term = &query->terms[i];
        if (term->role == KITH_ROLE_LEAD || term->role == KITH_ROLE_ANY ||
            term->role == KITH_ROLE_CHANGED || term->role == KITH_ROLE_ADDED ||
            (term->role == KITH_ROLE_DISABLED && demand(query, term->component) != 0)) {
            return false;
        }
    }
    return true;
}

static uint32_t components_of(const model_query *query)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < query->term_count; i++) {
        count += query->terms[i].role != KITH_ROLE_DISABLED;
    }
    return count;
}

model_group *model_query_group(model *m, const model_query *query)
{
    for (uint32_t i = 0; i < m->group_count; i++) {
        model_group *group = &m->groups[i];
        bool         full  = owns_nothing(group) && components_of(query) == KITH_QUERY_TERMS_MAX;
        if (may_walk_group(query) && same_demands(&group->query, query) && !full) {
            return group;
        }
    }
    return NULL;
}

// Whether the group demands only components with rows, all of which the query demands too.
static bool goes_round(model *m, const model_group *group, const model_query *query)
{
    bool round = !owns_nothing(group) && demands_as_much(query, &group->query);
    for (uint32_t i = 0; i < group->query.term_count; i++) {
        const kith_term *term = &group->query.terms[i];
        round                 = round && term->role != KITH_ROLE_WITHOUT &&
                model_has_rows(model_component_lookup(m, term->component));
    }
    for (uint32_t i = 0; i < query->term_count; i++) {
        const kith_term *term = &query->terms[i];
        round                 = round &&
                (term->role != KITH_ROLE_DISABLED || demand(&group->query, term->component) == 0);
    }
    return round;
}

// Whether a loop could walk a group with a part of its terms: it names no lead and asks for no
// changes, no row is disabled, and no entity waits to join or to leave.
static bool may_go_inside(const model *m, const model_query *query)
{
    bool may = true;
    for (uint32_t i = 0; i < query->term_count; i++) {
        kith_role role = query->terms[i].role;
        may = may && role != KITH_ROLE_LEAD && role != KITH_ROLE_CHANGED && role != KITH_ROLE_ADDED;
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        for (uint32_t row = 0; row < component->row_count; row++) {
            may = may && !component->rows[row].disabled;
        }
    }
    for (uint32_t i = 0; i < m->group_count; i++) {
        may = may && !m->groups[i].changed;
    }
    return may;
}

const model_component *model_query_walked(model *m, const model_query *query, uint32_t *rows)
{
    const model_component *lead = model_query_lead(m, query);
    *rows                       = lead == NULL ? m->slot_count : lead->row_count;
    for (uint32_t i = 0; i < m->group_count && may_go_inside(m, query); i++) {
        const model_group *group = &m->groups[i];
        if (group->members < *rows && goes_round(m, group, query)) {
            lead  = model_group_lead(m, group);
            *rows = group->members;
        }
    }
    return lead;
}

bool model_is_grouped(const model *m, kith_component component)
{
    bool grouped = false;
    for (uint32_t i = 0; i < m->group_count; i++) {
        grouped = grouped || demand(&m->groups[i].query, component) != 0;
    }
    return grouped;
}

bool model_is_owned(const model *m, const model_component *component)
{
    bool owned = false;
    for (uint32_t i = 0; i < m->group_count; i++) {
        owned = owned || owns(&m->groups[i], component);
    }
    return owned;
}

uint32_t model_owned_rows(const model *m, const model_component *component)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < m->group_count; i++) {
        const model_group *group = &m->groups[i];
        most = owns(group, component) && group->members > most ? group->members : most;
    }
    return most;
}

// ---------------------------------------------------------------------------------------------
// Members
// ---------------------------------------------------------------------------------------------

static bool belongs(model *m, const model_group *group, kith_entity entity)
{
    return entity != KITH_NULL && entity != m->ending && model_entity_alive(m, entity) &&
           model_query_meets(m, &group->query, entity);
}

uint32_t model_memberships(model *m, kith_entity entity)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < m->group_count; i++) {
        groups |= (uint32_t)belongs(m, &m->groups[i], entity) << i;
    }
    return groups;
}

static kith_entity living_at(const model *m, uint32_t index)
{
    return m->slots[index].state == MODEL_ALIVE ? model_entity_make(index, m->slots[index].version)
                                                : KITH_NULL;
}

const model_component *model_group_lead(const model *m, const model_group *group)
{
    const model_component *lead = NULL;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        if (owns(group, component) && (lead == NULL || component->row_count < lead->row_count)) {
            lead = component;
        }
    }
    return lead;
}

kith_entity model_group_at(const model *m, const model_group *group, uint32_t place)
{
    const model_component *lead = model_group_lead(m, group);
    if (lead != NULL) {
        return lead->rows[place].entity;
    }
    return living_at(m, model_entity_index(group->list[place])); // which has the index now
}

kith_entity model_changed_at(const model *m, uint32_t place)
{
    return living_at(m, m->links[place]);
}

// Whether it stands among the members, whether it belongs there or not.
static bool stands_in(const model *m, const model_group *group, kith_entity entity)
{
    for (uint32_t i = 0; i < group->members; i++) {
        if (model_group_at(m, group, i) == entity) {
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Joining and leaving
// ---------------------------------------------------------------------------------------------

static void exchange(model *m, const model_group *group, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < m->component_count && a != b; i++) {
        model_component *component = &m->components[i];
        if (owns(group, component)) {
            model_exchange_rows(m, component, a, b);
        }
    }
}

static void bring(model *m, const model_group *group, kith_entity entity, uint32_t row)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        model_component *component = &m->components[i];
        if (owns(group, component) && model_row_of(component, entity) != row) {
            model_exchange_rows(m, component, model_row_of(component, entity), row);
        }
    }
}

static void join(model *m, model_group *group, kith_entity entity)
{
    if (m->fault != MODEL_FAULT_GROUP) {
        bring(m, group, entity, group->members);
    }
    group->list[group->members++] = entity;
}

static void drop_from_list(model_group *group, uint32_t index)
{
    uint32_t at = 0;
    while (model_entity_index(group->list[at]) != index) {
        at++;
    }
    group->list[at] = group->list[group->members];
}

static void leave(model *m, model_group *group, kith_entity entity)
{
    group->members--;
    if (owns_nothing(group)) {
        drop_from_list(group, model_entity_index(entity));
    } else {
        bring(m, group, entity, group->members);
    }
}

// Until the world settles only this is known of it.
static void note_change(model *m, kith_entity entity, uint32_t groups)
{
    uint32_t index = model_entity_index(entity);
    bool     known = groups == 0;
    for (uint32_t i = 0; i < m->group_count; i++) {
        m->groups[i].changed = m->groups[i].changed || (groups >> i & 1) != 0;
    }
    for (uint32_t i = 0; i < m->link_count; i++) {
        known = known || m->links[i] == index;
    }
    if (!known) {
        m->links[m->link_count++] = index;
    }
}

void model_leave_groups(model *m, kith_entity entity, uint32_t groups)
{
    if (model_held(m)) {
        note_change(m, entity, groups);
        return;
    }
    for (uint32_t i = m->group_count; i-- > 0;) {
        if ((groups >> i & 1) != 0) {
            leave(m, &m->groups[i], entity);
        }
    }
}

void model_join_groups(model *m, kith_entity entity, uint32_t groups)
{
    if (model_held(m)) {
        note_change(m, entity, groups);
        return;
    }
    for (uint32_t i = 0; i < m->group_count; i++) {
        if ((groups >> i & 1) != 0) {
            join(m, &m->groups[i], entity);
        }
    }
}

void model_change_groups(model *m, kith_entity entity, uint32_t before)
{
    uint32_t after = model_memberships(m, entity);
    model_leave_groups(m, entity, before & ~after);
    model_join_groups(m, entity, after & ~before);
}

// ---------------------------------------------------------------------------------------------
// Settling
// ---------------------------------------------------------------------------------------------

static bool has_hole(const model *m, const model_group *group, uint32_t row)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        if (owns(group, &m->components[i]) && m->components[i].rows[row].entity == KITH_NULL) {
            return true;
        }
    }
    return false;
}

static bool has_left(model *m, const model_group *group, uint32_t row)
{
    return has_hole(m, group, row) || !belongs(m, group, model_group_at(m, group, row));
}

static void close_row(model *m, model_group *group, uint32_t row)
{
    while (group->members > 0 && has_left(m, group, group->members - 1)) {
        group->members--;
    }
    if (row < group->members && has_left(m, group, row)) {
        exchange(m, group, row, --group->members);
    }
}

// Holes from the highest row down, then those that left without a hole.
static void close_owned(model *m, model_group *group)
{
    bool holes[MODEL_ROWS];
    for (uint32_t row = 0; row < group->members; row++) {
        holes[row] = has_hole(m, group, row);
    }
    for (uint32_t row = group->members; row-- > 0;) {
        if (holes[row]) {
            close_row(m, group, row);
        }
    }
    for (uint32_t i = 0; i < m->link_count; i++) {
        kith_entity entity = model_changed_at(m, i);
        for (uint32_t row = 0; row < group->members && entity != KITH_NULL; row++) {
            if (model_group_at(m, group, row) == entity) {
                close_row(m, group, row);
            }
        }
    }
}

static void close_list(model *m, model_group *group)
{
    for (uint32_t i = 0; i < m->link_count; i++) {
        for (uint32_t at = 0; at < group->members; at++) {
            if (model_entity_index(group->list[at]) == m->links[i] &&
                !belongs(m, group, group->list[at])) {
                group->list[at] = group->list[--group->members];
                break;
            }
        }
    }
}

void model_close_groups(model *m)
{
    for (uint32_t i = m->group_count; i-- > 0;) {
        if (owns_nothing(&m->groups[i])) {
            close_list(m, &m->groups[i]);
        } else {
            close_owned(m, &m->groups[i]);
        }
    }
}

void model_fill_groups(model *m)
{
    for (uint32_t i = 0; i < m->link_count; i++) {
        kith_entity entity = model_changed_at(m, i);
        for (uint32_t k = 0; k < m->group_count; k++) {
            if (belongs(m, &m->groups[k], entity) && !stands_in(m, &m->groups[k], entity)) {
                join(m, &m->groups[k], entity);
            }
        }
    }
    m->link_count = 0;
    for (uint32_t i = 0; i < m->group_count; i++) {
        m->groups[i].changed = false;
    }
}

// ---------------------------------------------------------------------------------------------
// Making and dropping
// ---------------------------------------------------------------------------------------------

static bool check_role(model *m, const kith_term *term)
{
    const model_component *found = model_component_lookup(m, term->component);
    bool                   fine  = term->role == KITH_ROLE_WITH || term->role == KITH_ROLE_READ ||
                term->role == KITH_ROLE_WRITE || term->role == KITH_ROLE_WITHOUT;
    bool own = term->role == KITH_ROLE_OWN && found->desc.traits.policy == KITH_POLICY_SWAP;
    return fine || own || model_fail(m, KITH_ERROR_ARGUMENT, term->component, KITH_NULL);
}

static bool check_roles(model *m, const model_query *query)
{
    for (uint32_t i = 0; i < query->term_count; i++) {
        if (!check_role(m, &query->terms[i])) {
            return false;
        }
    }
    return model_query_lead(m, query) != NULL || model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
}

// The first component that the one owns and the other does not; 0: none.
static kith_component owned_alone(const model_group *group, const model_group *other)
{
    for (uint32_t i = 0; i < group->query.term_count; i++) {
        const kith_term *term = &group->query.terms[i];
        if (term->role == KITH_ROLE_OWN &&
            role_in(&other->query, term->component) != KITH_ROLE_OWN) {
            return term->component;
        }
    }
    return 0;
}

static bool check_conflict(model *m, const model_group *group, const model_group *other)
{
    if (same_demands(&group->query, &other->query)) {
        kith_component alone = owned_alone(group, other);
        return model_fail(m, KITH_ERROR_ARGUMENT, alone != 0 ? alone : owned_alone(other, group),
                          KITH_NULL);
    }
    if (is_inside(group, other) || is_inside(other, group)) {
        return true;
    }
    for (uint32_t i = 0; i < group->query.term_count; i++) {
        const kith_term *term = &group->query.terms[i];
        if (term->role == KITH_ROLE_OWN &&
            role_in(&other->query, term->component) == KITH_ROLE_OWN) {
            return model_fail(m, KITH_ERROR_ARGUMENT, term->component, KITH_NULL);
        }
    }
    return true;
}

static model_group *find_group(model *m, const model_group *asked)
{
    for (uint32_t i = 0; i < m->group_count; i++) {
        model_group *group = &m->groups[i];
        if (same_demands(&group->query, &asked->query) && owns_as_much(group, asked) &&
            owns_as_much(asked, group)) {
            return group;
        }
    }
    return NULL;
}

// Lets the group be the one that was dropped, if there was one.
static void identify(model *m, model_group *group)
{
    static model_group old;
    group->made = ++m->last_made;
    for (uint32_t i = 0; i < m->dropped_count && !group->pointed; i++) {
        old.query = m->dropped[i].query;
        if (m->dropped[i].made != 0 && same_demands(&old.query, &group->query) &&
            owns_as_much(&old, group) && owns_as_much(group, &old)) {
            group->made        = m->dropped[i].made;
            group->pointed     = true;
            m->dropped[i].made = 0;
        }
    }
}

static void keep_dropped(model *m, const model_group *group)
{
    if (group->pointed && m->dropped_count < MODEL_DROPPED) {
        m->dropped[m->dropped_count++] = (model_dropped){ group->query, group->made };
    }
}

// Those with fewer terms come first, and of two with as many the older one.
static model_group *insert_group(model *m, const model_group *asked)
{
    uint32_t at = m->group_count++;
    for (; at > 0 && m->groups[at - 1].query.term_count > asked->query.term_count; at--) {
        m->groups[at] = m->groups[at - 1];
    }
    m->groups[at]        = *asked;
    m->groups[at].number = ++m->last_group;
    identify(m, &m->groups[at]);
    return &m->groups[at];
}

// The members of a group inside it are in place already.
static void fill_group(model *m, model_group *group)
{
    kith_entity            order[MODEL_ROWS];
    const model_component *lead = model_query_lead(m, &group->query);
    uint32_t               rows = lead->row_count;
    for (uint32_t row = 0; row < rows; row++) {
        order[row] = lead->rows[row].entity;
    }
    for (uint32_t i = 0; i < m->group_count && !owns_nothing(group); i++) {
        const model_group *inner = &m->groups[i];
        if (inner != group && is_inside(inner, group) && inner->members > group->members) {
            group->members = inner->members;
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        if (belongs(m, group, order[row]) && !stands_in(m, group, order[row])) {
            join(m, group, order[row]);
        }
    }
}

static bool names_transient(const model *m, const model_group *group)
{
    bool found = false;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const kith_component_desc *desc = &m->components[i].desc;
        found = found || (desc->traits.saved.form == KITH_FORM_TRANSIENT &&
                          demand(&group->query, desc->id) != 0);
    }
    return found;
}

void model_remake_groups(model *m)
{
    for (uint32_t i = 0; i < m->group_count; i++) {
        model_group *group = &m->groups[i];
        if (owns_nothing(group) && names_transient(m, group)) {
            group->members = 0;
            fill_group(m, group);
        }
    }
}

static bool requires_transient(const model *m, const model_group *group)
{
    bool found = false;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const kith_component_desc *desc = &m->components[i].desc;
        found = found || (desc->traits.saved.form == KITH_FORM_TRANSIENT &&
                          demand(&group->query, desc->id) == 1);
    }
    return found;
}

bool model_groups_name_transient(const model *m)
{
    bool named = false;
    for (uint32_t i = 0; i < m->group_count; i++) {
        named = named || names_transient(m, &m->groups[i]);
    }
    return named;
}

void model_regroup(model *m)
{
    for (uint32_t i = 0; i < m->group_count; i++) {
        model_group *group = &m->groups[i];
        group->members     = requires_transient(m, group) ? 0 : group->members;
    }
    for (uint32_t i = 0; i < m->group_count; i++) {
        if (names_transient(m, &m->groups[i])) {
            fill_group(m, &m->groups[i]);
        }
    }
}

// The number of the group of these terms, which is made if there is none; 0 after an error.
static uint32_t take_group(model *m, const kith_query_desc *desc)
{
    static model_group asked;
    if (model_busy(m, 0, KITH_NULL) || !model_query_check(m, MODEL_CHANGES, desc)) {
        return 0;
    }
    memset(&asked, 0, sizeof asked);
    asked.query = model_query_copy(desc);
    if (!check_roles(m, &asked.query)) {
        return 0;
    }
    model_group *group = find_group(m, &asked);
    if (group == NULL && model_blocked(m, 0, KITH_NULL)) {
        return 0;
    }
    for (uint32_t i = 0; i < m->group_count && group == NULL; i++) {
        if (!check_conflict(m, &asked, &m->groups[i])) {
            return 0;
        }
    }
    if (group == NULL) {
        group = insert_group(m, &asked);
        fill_group(m, group);
    }
    return group->number;
}

static model_group *numbered(model *m, uint32_t number)
{
    return &m->groups[model_group_describe(m, number) - m->groups];
}

uint32_t model_group_of(model *m, const kith_query_desc *desc)
{
    uint32_t number = take_group(m, desc);
    if (number != 0) {
        numbered(m, number)->kept    = true;
        numbered(m, number)->pointed = true;
    }
    return number;
}

uint32_t model_group_track(model *m, const kith_query_desc *desc)
{
    uint32_t number = take_group(m, desc);
    if (number != 0) {
        numbered(m, number)->trackers++;
    }
    return number;
}

const model_group *model_group_describe(const model *m, uint32_t number)
{
    const model_group *group = m->groups;
    while (group->number != number) {
        group++;
    }
    return group;
}

static void end_group(model *m, uint32_t number)
{
    uint32_t at = (uint32_t)(numbered(m, number) - m->groups);
    keep_dropped(m, &m->groups[at]);
    memmove(&m->groups[at], &m->groups[at + 1], (--m->group_count - at) * sizeof *m->groups);
}

bool model_group_drop(model *m, uint32_t number)
{
    if (model_blocked(m, 0, KITH_NULL)) {
        return false;
    }
    if (numbered(m, number)->trackers != 0) {
        return model_fail(m, KITH_ERROR_BUSY, 0, KITH_NULL);
    }
    end_group(m, number);
    return true;
}

void model_group_point(model *m, uint32_t number)
{
    numbered(m, number)->pointed = true;
}

void model_group_untrack(model *m, uint32_t number)
{
    model_group *group = numbered(m, number);
    if (--group->trackers == 0 && !group->kept) {
        end_group(m, number);
    }
}

uint32_t model_group_count(model *m, uint32_t number)
{
    const model_group *group = model_group_describe(m, number);
    kith_entity        e     = KITH_NULL;
    uint32_t           count = 0;
    while ((e = model_entity_next(m, e)) != KITH_NULL) {
        count += belongs(m, group, e);
    }
    return count;
}

bool model_group_contains(model *m, uint32_t number, kith_entity entity)
{
    return belongs(m, model_group_describe(m, number), entity);
}

// ---------------------------------------------------------------------------------------------
// Order
// ---------------------------------------------------------------------------------------------

// The entities that are to be members, in which order, and the rank that decides it.
typedef struct ranking {
    model_group *group;
    kith_entity  members[MODEL_ROWS];
    int64_t      ranks[MODEL_ROWS];
    uint32_t     segments[MODEL_ROWS]; // of the places, the innermost group's first
} ranking;

static bool is_sorted_with(const model_group *one, const model_group *group)
{
    return one == group || (!owns_nothing(group) && is_inside(one, group));
}

static void begin_ranking(model *m, uint32_t number, ranking *r)
{
    r->group = &m->groups[model_group_describe(m, number) - m->groups];
    for (uint32_t place = 0; place < r->group->members; place++) {
        r->members[place]  = model_group_at(m, r->group, place);
        r->segments[place] = 0;
        for (uint32_t i = 0; i < m->group_count; i++) {
            const model_group *one = &m->groups[i];
            r->segments[place] += is_sorted_with(one, r->group) && one->members <= place;
        }
    }
}

// Whether at least two entities are compared.
static bool compares(const ranking *r)
{
    bool any = false;
    for (uint32_t place = 1; place < r->group->members; place++) {
        any = any || r->segments[place] == r->segments[place - 1];
    }
    return any;
}

static void order_ranking(ranking *r)
{
    for (uint32_t i = 1; i < r->group->members; i++) {
        kith_entity moved = r->members[i];
        int64_t     rank  = r->ranks[i];
        uint32_t    at    = i;
        for (; at > 0 && r->segments[at - 1] == r->segments[i] && rank < r->ranks[at - 1]; at--) {
            r->members[at] = r->members[at - 1];
            r->ranks[at]   = r->ranks[at - 1];
        }
        r->members[at] = moved;
        r->ranks[at]   = rank;
    }
}

// Brings the first rows of the component into the order of the members.
static void order_rows(model *m, model_component *component, uint32_t count,
                       const kith_entity *members)
{
    model_row rows[MODEL_ROWS];
    for (uint32_t row = 0; row < count; row++) {
        rows[row] = component->rows[model_row_of(component, members[row])];
    }
    for (uint32_t row = 0; row < count; row++) {
        if (component->rows[row].entity != rows[row].entity) {
            component->rows[row] = rows[row];
            model_stamp(m, component, row);
        }
    }
}

static bool carry_out_ranking(model *m, ranking *r)
{
    order_ranking(r);
    for (uint32_t i = 0; i < m->group_count; i++) {
        const model_group *one = &m->groups[i];
        for (uint32_t k = 0; k < m->component_count && is_sorted_with(one, r->group); k++) {
            if (owns(one, &m->components[k])) {
                order_rows(m, &m->components[k], one->members, r->members);
            }
        }
    }
    for (uint32_t place = 0; place < r->group->members && owns_nothing(r->group); place++) {
        r->group->list[place] = r->members[place];
    }
    return true;
}

// The component whose values every member has, or NULL and an error.
static const model_component *sorted_by(model *m, uint32_t number, kith_component component)
{
    const model_component *found = model_named(m, MODEL_MOVES, component, 1 << KITH_KIND_VALUE);
    if (found != NULL && demand(&model_group_describe(m, number)->query, component) != 1) {
        model_fail(m, KITH_ERROR_ARGUMENT, component, KITH_NULL);
        return NULL;
    }
    return found;
}

static uint8_t number_of(const model_component *component, kith_entity entity)
{
    return component->rows[model_row_of(component, entity)].number;
}

bool model_group_sort(model *m, uint32_t number, kith_component component, uint32_t mask)
{
    const model_component *found = sorted_by(m, number, component);
    ranking                r;
    if (found == NULL) {
        return false;
    }
    begin_ranking(m, number, &r);
    for (uint32_t i = 0; i < r.group->members; i++) {
        r.ranks[i] = number_of(found, r.members[i]) & mask;
    }
    if (compares(&r)) {
        model_run_hook(m);
    }
    return carry_out_ranking(m, &r);
}

bool model_group_sort_entities(model *m, uint32_t number, uint32_t mask)
{
    ranking r;
    if (model_blocked(m, 0, KITH_NULL)) {
        return false;
    }
    begin_ranking(m, number, &r);
    for (uint32_t i = 0; i < r.group->members; i++) {
        r.ranks[i] = model_entity_index(r.members[i]) & mask;
    }
    if (compares(&r)) {
        model_run_hook(m);
    }
    return carry_out_ranking(m, &r);
}

bool model_group_sort_by(model *m, uint32_t number, kith_component component,
                         const kith_sort_key *key)
{
    const model_component *found = sorted_by(m, number, component);
    ranking                r;
    if (found == NULL) {
        return false;
    }
    if (!model_key_fits(key)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, component, KITH_NULL);
    }
    begin_ranking(m, number, &r);
    for (uint32_t i = 0; i < r.group->members; i++) {
        r.ranks[i] = model_key_rank(key, number_of(found, r.members[i]));
    }
    return carry_out_ranking(m, &r);
}

bool model_group_sort_as(model *m, uint32_t number, kith_component component, kith_component other)
{
    if (other == 0) {
        return model_sort_wrong(m, component);
    }
    const model_component *found = model_named(m, MODEL_MOVES, other, MODEL_POOLS);
    ranking                r;
    if (found == NULL) {
        return false;
    }
    begin_ranking(m, number, &r);
    for (uint32_t i = 0; i < r.group->members; i++) {
        r.ranks[i] = model_row_of(found, r.members[i]); // KITH_NO_ROW is the highest
    }
    return carry_out_ranking(m, &r);
}
