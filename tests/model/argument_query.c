// SPDX-License-Identifier: MIT
// Makes the queries, groups and listeners that a call names.
#include "argument_internal.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Queries
// ---------------------------------------------------------------------------------------------

// A term is a number: its role, and then which component. With the highest of these nothing is
// mended, so that contradictions, wrong kinds and roles come about.
enum { ROLES = 12, FAVOURED_TERMS = 16, UNMENDED = 18, OF_SINGLETON, WITHOUT_ROLE, OF_NONE };

static const kith_component_desc *known_desc(stage *s, kith_component component)
{
    const model_component *found = model_component_lookup(&s->model, component);
    return found == NULL ? NULL : &found->desc;
}

static bool is_modifier(kith_role role)
{
    return role == KITH_ROLE_DISABLED || role == KITH_ROLE_LEAD || role == KITH_ROLE_CHANGED ||
           role == KITH_ROLE_ADDED;
}

// The role, or `with` where the component's kind does not have it.
static kith_role mended_role(stage *s, kith_role role, kith_component component)
{
    const kith_component_desc *desc = known_desc(s, component);
    bool needs_value = role == KITH_ROLE_READ || role == KITH_ROLE_WRITE || role == KITH_ROLE_OWN ||
                       role == KITH_ROLE_OPTIONAL_WRITE;
    if (role == KITH_ROLE_ADDED && desc != NULL && !desc->traits.row_ticks) {
        role = KITH_ROLE_CHANGED;
    }
    bool only_read = (component >= TIED && component <= BARRED) || catalog_is_name(component);
    if (only_read && needs_value) {
        return KITH_ROLE_READ;
    }
    if (desc == NULL || desc->kind == KITH_KIND_VALUE ||
        (desc->kind == KITH_KIND_TAG && !needs_value)) {
        return role;
    }
    return needs_value || is_modifier(role) ? KITH_ROLE_WITH : role;
}

static bool is_named(const argument *a, uint32_t count, kith_component component)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a->terms[i].component == component && !is_modifier(a->terms[i].role)) {
            return true;
        }
    }
    return false;
}

static kith_term make_term(const argument *a, stage *s, uint32_t place, uint32_t number)
{
    static const kith_role roles[ROLES] = {
        KITH_ROLE_CHANGED, KITH_ROLE_READ,           KITH_ROLE_WITH, KITH_ROLE_WRITE,
        KITH_ROLE_OWN,     KITH_ROLE_OPTIONAL,       KITH_ROLE_ANY,  KITH_ROLE_ADDED,
        KITH_ROLE_WITHOUT, KITH_ROLE_OPTIONAL_WRITE, KITH_ROLE_LEAD, KITH_ROLE_DISABLED,
    };
    uint32_t  which = number / ROLES;
    kith_term term  = { .role = roles[number % ROLES], .any_list = number / ROLES % 2 };
    uint32_t  other = which == OF_NONE ? 253 : 145 + number % ROLES;
    term.component =
        argument_component(s, which < FAVOURED_TERMS ? which : other, which == OF_SINGLETON);
    if (s->model.tree_count != 0 && number % 11 == 7) {
        term.component = argument_tree(s, number);
    }
    if (s->model.holding_count != 0 && number % 13 == 7 && which < UNMENDED) {
        term.component = s->model.holdings[number / 13 % s->model.holding_count].id;
    }
    if (known_desc(s, LABEL) != NULL && number % 13 == 3 && which < UNMENDED) {
        term.component = LABEL;
    }
    if (which >= UNMENDED) {
        term.role = which == WITHOUT_ROLE ? (kith_role)12 : term.role;
        return term;
    }
    bool beside = term.role == KITH_ROLE_CHANGED || term.role == KITH_ROLE_ADDED;
    for (uint32_t i = 0;
         !beside && is_named(a, place, term.component) && i < 16 && term.component != 0; i++) {
        term.component = argument_component(s, 160 + i, false);
    }
    term.role     = mended_role(s, term.role, term.component);
    term.any_list = term.role == KITH_ROLE_ANY ? term.any_list : 0;
    return term;
}

enum {
    NULL_TERMS        = 255,
    TOO_MANY_TERMS    = 254,
    MANY_TERMS_FROM   = 240,
    GROUPS_TERMS_FROM = 176, // if there are groups
    FEW_TERMS         = 5
};

// The terms of a group, in another order and with another access, and maybe one more.
static void take_group_terms(argument *a, const stage *s, uint32_t form)
{
    static const kith_role accesses[] = { KITH_ROLE_OWN, KITH_ROLE_READ, KITH_ROLE_WRITE,
                                          KITH_ROLE_WITH };
    const model_query     *query      = &s->model.groups[form % s->model.group_count].query;
    uint32_t               count      = query->term_count;
    for (uint32_t i = 0; i < count; i++) {
        kith_term *term = &a->terms[form % 2 == 0 ? i : count - 1 - i];
        *term           = query->terms[i];
        term->role      = term->role == KITH_ROLE_OWN ? accesses[form / 4 % 4] : term->role;
    }
    a->query = (kith_query_desc){ "a group", a->terms, count, 0 };
}

uint64_t argument_since(stage *s, uint32_t number)
{
    uint64_t now = model_world_now(&s->model);
    uint64_t ago = number / 4 % 4;
    return ago == 3 || now < ago ? 0 : now + 1 - ago;
}

void argument_resolve_query(argument *a, stage *s, argument_source *from)
{
    static const char *const names[] = { NULL, "movers", "the rest" };
    uint32_t                 form    = argument_draw(from);
    uint32_t                 count   = form % FEW_TERMS;
    if (form >= MANY_TERMS_FROM) {
        count = form == TOO_MANY_TERMS ? KITH_QUERY_TERMS_MAX + 1 : form - MANY_TERMS_FROM;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number =
            i < FEW_TERMS ? argument_draw(from) : (uint32_t)argument_scatter(form + 256 * i) % 216;
        a->terms[i] = make_term(a, s, i, number);
    }
    a->query = (kith_query_desc){ names[form % 3], form == NULL_TERMS ? NULL : a->terms, count,
                                  argument_since(s, form) };
    if (form >= GROUPS_TERMS_FROM && form < MANY_TERMS_FROM && s->model.group_count != 0) {
        take_group_terms(a, s, form);
    }
}

// --- groups ---

// Owned where it can be, as a rule, so that several groups have something in common.
static kith_role group_role(stage *s, kith_component component, uint32_t number)
{
    static const kith_role     others[] = { KITH_ROLE_READ, KITH_ROLE_WITH, KITH_ROLE_WRITE,
                                            KITH_ROLE_WITHOUT };
    const kith_component_desc *desc     = known_desc(s, component);
    bool                       ownable  = desc != NULL && desc->kind == KITH_KIND_VALUE &&
                   (desc->traits.policy == KITH_POLICY_SWAP || number >= 240);
    return mended_role(s, ownable && number % 4 != 0 ? KITH_ROLE_OWN : others[number / 4 % 4],
                       component);
}

enum { NESTED_FROM = 128, AS_QUERIES_FROM = 224 }; // in a group that is there; with any role

void argument_resolve_group_query(argument *a, stage *s, argument_source *from)
{
    uint32_t form = argument_draw(from);
    if (form >= AS_QUERIES_FROM) {
        argument_resolve_query(a, s, from);
        return;
    }
    uint32_t first = 0;
    uint32_t count = 1 + form % 3;
    if (form >= NESTED_FROM && s->model.group_count != 0) {
        const model_query *outer = &s->model.groups[form % s->model.group_count].query;
        first                    = outer->term_count;
        count                    = first < KITH_QUERY_TERMS_MAX ? first + 1 : first;
        memcpy(a->terms, outer->terms, first * sizeof *a->terms);
    }
    for (uint32_t i = first; i < count; i++) {
        uint32_t number      = argument_draw(from);
        a->terms[i]          = make_term(a, s, i, number / 16 * ROLES);
        a->terms[i].role     = group_role(s, a->terms[i].component, argument_draw(from));
        a->terms[i].any_list = 0;
    }
    a->query = (kith_query_desc){ form % 2 == 0 ? NULL : "together", a->terms, count, 0 };
}

void argument_resolve_group(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->group = argument_draw(from) % STAGE_GROUPS;
}

void argument_write_group(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%u", (unsigned)a->group);
}

static void write_term(const kith_term *term, text *out)
{
    text_add(out, "{ %uu, (kith_role)%d, %uu }, ", (unsigned)term->component, (int)term->role,
             (unsigned)term->any_list);
}

void argument_write_query(const argument *a, const stage *s, text *out)
{
    (void)s;
    if (a->query.name == NULL) {
        text_add(out, "&(kith_query_desc){ NULL, ");
    } else {
        text_add(out, "&(kith_query_desc){ \"%s\", ", a->query.name);
    }
    if (a->query.terms == NULL) {
        text_add(out, "NULL");
    } else {
        text_add(out, "(const kith_term[]){ ");
        for (uint32_t i = 0; i < a->query.term_count; i++) {
            write_term(&a->query.terms[i], out);
        }
        text_add(out, "{ 0 } }");
    }
    text_add(out, ", %uu, %lluu }", (unsigned)a->query.term_count,
             (unsigned long long)a->query.since);
}

// ---------------------------------------------------------------------------------------------
// Cursors and stored queries
// ---------------------------------------------------------------------------------------------

void argument_resolve_cursor(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->cursor = argument_draw(from) % STAGE_CURSORS;
}

void argument_resolve_source(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->source = argument_draw(from) % STAGE_CURSORS;
}

void argument_resolve_typed(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->typed = argument_draw(from) % STAGE_TYPED;
}

void argument_resolve_stored(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->stored = argument_draw(from) % STAGE_QUERIES;
}

void argument_write_cursor(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%u", (unsigned)a->cursor);
}

void argument_write_source(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%u", (unsigned)a->source);
}

void argument_write_typed(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%u", (unsigned)a->typed);
}

void argument_write_other_typed(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%u", 1 - (unsigned)a->typed);
}

void argument_write_stored(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%u", (unsigned)a->stored);
}

// A bit for each column that can be written through.
void argument_write_written(const argument *a, const stage *s, text *out)
{
    const model_query *query = &s->cursor_queries[a->cursor];
    uint64_t           mask  = 0;
    for (uint32_t i = 0; i < query->term_count; i++) {
        bool writes =
            model_term_writes(&query->terms[i]) && !stage_is_tree(s, query->terms[i].component);
        mask |= (uint64_t)writes << i;
    }
    text_add(out, "UINT64_C(%#llx)", (unsigned long long)mask);
}

// ---------------------------------------------------------------------------------------------
// Listeners
// ---------------------------------------------------------------------------------------------

void argument_resolve_listener(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->listener = argument_draw(from) % STAGE_LISTENERS;
}

// The rest of the numbers are what the function does when it is called.
static void draw_action(argument *a, argument_source *from, uint32_t quota)
{
    a->action.verb = (uint16_t)(256u * argument_draw(from));
    a->action.verb = (uint16_t)(a->action.verb + argument_draw(from));
    for (uint32_t i = 0; i < ARGUMENT_NUMBERS; i++) {
        a->action.numbers[i] = argument_draw(from);
    }
    a->action.quota = quota;
}

void argument_resolve_event(argument *a, stage *s, argument_source *from)
{
    static const uint8_t  events[]  = { 0, 2, 3, 1, 4, 0, 2, 3, 0, 2, 5, 1, 4, 0, 2, 7 };
    static const uint32_t quotas[4] = { 1, 2, 4, 40 };
    uint32_t              form      = argument_draw(from);
    uint32_t              component = argument_draw(from);
    bool                  of_entity = events[form % 16] >= 3 && events[form % 16] <= 5;
    a->event          = (kith_event)(form == 255 || form % 16 != 15 ? events[form % 16] : 0);
    a->deaf           = form == 254;
    a->one            = component % 5 != 0;
    a->many           = component % 5 <= 1;
    a->event_priority = form / 64 == 3 ? INT32_MAX : (int32_t)(form / 64) - 1;
    a->component =
        of_entity && component < 250 ? 0 : argument_component(s, component, component % 16 == 15);
    if (s->model.tree_count != 0 && !of_entity && component % 8 == 5) {
        a->component = argument_tree(s, component / 8);
    }
    if (s->model.holding_count != 0 && !of_entity && component % 8 == 3) {
        const model_holding *holding = &s->model.holdings[component / 8 % s->model.holding_count];
        a->component                 = component / 8 % 16 == 15 ? holding->lists : holding->id;
    }
    if (known_desc(s, LABEL) != NULL && !of_entity && component % 8 == 1) {
        a->component = LABEL;
    }
    draw_action(a, from, quotas[form / 16 % 4]);
}

void argument_resolve_each(argument *a, stage *s, argument_source *from)
{
    (void)s;
    a->number = argument_draw(from);
    draw_action(a, from, 2);
}

void argument_write_listener(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%u", (unsigned)a->listener);
}

void argument_write_event(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "(kith_event)%d, %uu, ", (int)a->event, (unsigned)a->component);
    if (a->deaf || !a->one) {
        text_add(out, "NULL");
    } else if (a->acting) {
        text_add(out, "listen_only");
    } else {
        text_add(out, "listen_%u", (unsigned)a->place);
    }
    text_add(out, ", NULL, %d, ", (int)a->event_priority);
    if (a->deaf || !a->many) {
        text_add(out, "NULL");
    } else if (a->acting) {
        text_add(out, "many_only");
    } else {
        text_add(out, "many_%u", (unsigned)a->place);
    }
}

void argument_write_each(const argument *a, const stage *s, text *out)
{
    (void)s;
    if (a->acting) {
        text_add(out, "each_only");
    } else {
        text_add(out, "each_%u", (unsigned)a->place);
    }
    text_add(out, ", &(int){ %u }", a->number);
}
