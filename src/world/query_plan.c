// SPDX-License-Identifier: MIT
// Checks the terms of a query, and resolves them to a plan.
#include "world/query_plan.h"

#include "world/world.h"

static bool in_set(const kith_signature *set, uint32_t bit)
{
    return (set->words[bit >> 6] >> (bit & 63) & 1) != 0;
}

// Sets the bit. Returns false when it was set already.
static bool put_bit(kith_signature *set, uint32_t bit)
{
    bool fresh = !in_set(set, bit);
    set->words[bit >> 6] |= UINT64_C(1) << (bit & 63);
    return fresh;
}

// The state while a plan is made.
typedef struct planner {
    kith_plan             *plan;
    const kith_world      *world;
    const kith_query_desc *desc;
    kith_error            *error;
    kith_signature         main;     // components with a term that is not a modifier
    kith_signature         disabled; // components with the modifier `disabled`
    kith_signature         changed;  // with `changed`
    kith_signature         added;    // with `added`
    kith_storage          *lead;
} planner;

static bool wrong(planner *p, kith_error_code code, kith_component component, const char *subject)
{
    p->error->code      = code;
    p->error->component = component;
    p->error->subject   = subject;
    p->error->other     = p->desc->name;
    return false;
}

// --- checking --------------------------------------------------------------------------------

static bool is_modifier(kith_role role)
{
    return role == KITH_ROLE_DISABLED || role == KITH_ROLE_LEAD || role == KITH_ROLE_CHANGED ||
           role == KITH_ROLE_ADDED;
}

// The set that records the components with this modifier, or NULL.
static kith_signature *modifier_set(planner *p, kith_role role)
{
    return role == KITH_ROLE_DISABLED  ? &p->disabled
           : role == KITH_ROLE_CHANGED ? &p->changed
           : role == KITH_ROLE_ADDED   ? &p->added
                                       : NULL;
}

static bool role_writes(kith_role role)
{
    return role == KITH_ROLE_WRITE || role == KITH_ROLE_OWN || role == KITH_ROLE_OPTIONAL_WRITE;
}

static bool needs_value(kith_role role)
{
    return role == KITH_ROLE_READ || role_writes(role);
}

static bool kind_fits(const kith_storage *storage, kith_role role)
{
    kith_kind kind = storage->desc.kind;
    return kind == KITH_KIND_VALUE || (kind == KITH_KIND_TAG && !needs_value(role)) ||
           (kind == KITH_KIND_FLAG && !needs_value(role) && !is_modifier(role));
}

static const char any_reads[]   = "any only reads, and is the component's only term: to write it "
                                  "take optional_write";
static const char any_changes[] = "any cannot ask for changes: take a query for each component, or "
                                  "kith_component_changed_at in the loop";

// Whether a term of `any` names the component.
static bool is_alternative(const planner *p, kith_component component)
{
    const kith_term *term = p->desc->terms;
    const kith_term *end  = term + p->desc->term_count;
    while (term < end && (term->component != component || term->role != KITH_ROLE_ANY)) {
        term++;
    }
    return term < end;
}

// Returns what is wrong with a term, or NULL after recording it.
static const char *record_term(planner *p, const kith_term *term, kith_storage *storage)
{
    kith_signature *noted = modifier_set(p, term->role);
    if (term->group != 0 && (role_writes(term->role) || term->role >= KITH_ROLE_CHANGED)) {
        return role_writes(term->role) ? any_reads : any_changes;
    }
    if (term->role == KITH_ROLE_ADDED && !kith_sparse_set_has_ticks(&storage->pool.set)) {
        return "added needs a component that is registered with row_ticks";
    }
    if (noted != NULL) {
        return put_bit(noted, storage->bit) ? NULL : "a term is given twice";
    }
    if (term->role == KITH_ROLE_LEAD) {
        bool second = p->lead != NULL;
        p->lead     = storage;
        return second ? "a query has at most one lead" : NULL;
    }
    return put_bit(&p->main, storage->bit) ? NULL
           : is_alternative(p, term->component)
               ? any_reads
               : "a component has two terms that contradict or repeat each other";
}

static bool check_term(planner *p, const kith_term *term)
{
    kith_storage *storage = kith_world_storage(p->world, term->component);
    if ((unsigned)term->role > KITH_ROLE_ADDED) {
        return wrong(p, KITH_ERROR_ARGUMENT, term->component, "the role must be one of kith_role");
    }
    if (storage == NULL) {
        return wrong(p, KITH_ERROR_UNREGISTERED, term->component, NULL);
    }
    if (!kind_fits(storage, term->role)) {
        p->error->have = storage->desc.kind;
        return wrong(p, KITH_ERROR_KIND, term->component, NULL);
    }
    const char *fault = record_term(p, term, storage);
    return fault == NULL || wrong(p, KITH_ERROR_ARGUMENT, term->component, fault);
}

static bool check_terms(planner *p)
{
    const kith_query_desc *desc = p->desc;
    if (desc->term_count > KITH_QUERY_TERMS_MAX) {
        p->error->want = desc->term_count;
        return wrong(p, KITH_ERROR_ARGUMENT, 0, "a query has at most 64 terms");
    }
    if (desc->terms == NULL && desc->term_count != 0) {
        return wrong(p, KITH_ERROR_ARGUMENT, 0, "term_count is above 0 and terms is NULL");
    }
    bool good = true;
    for (uint32_t i = 0; i < desc->term_count && good; i++) {
        good = check_term(p, &desc->terms[i]);
    }
    return good;
}

// --- planner ----------------------------------------------------------------------------------

static void add_resolved(planner *p, uint32_t term, kith_role role)
{
    kith_plan       *plan     = p->plan;
    const kith_term *given    = &p->desc->terms[term];
    kith_storage    *storage  = kith_world_storage(p->world, given->component);
    kith_plan_term  *resolved = &plan->terms[plan->count++];
    resolved->storage         = storage;
    resolved->number          = term;
    resolved->column          = KITH_NO_COLUMN;
    resolved->group           = role == KITH_ROLE_ANY ? given->group : 0;
    resolved->disabled_too    = in_set(&p->disabled, storage->bit);
    resolved->changed         = in_set(&p->changed, storage->bit);
    resolved->added           = in_set(&p->added, storage->bit);
    resolved->written         = role_writes(role);
    plan->writes |= resolved->written;
    plan->wants_changes |= kith_plan_term_is_changed(resolved);
}

// The section of the plan for a term: 0 pools ... 4 optionals, or 5 for none.
static unsigned section_of(const planner *p, const kith_term *term)
{
    const kith_storage *storage = kith_world_storage(p->world, term->component);
    switch (term->role) {
    case KITH_ROLE_WITH:
    case KITH_ROLE_READ:
    case KITH_ROLE_WRITE:
    case KITH_ROLE_OWN:
        return storage->desc.kind == KITH_KIND_FLAG ? 1 : 0;
    case KITH_ROLE_WITHOUT:
        return 2;
    case KITH_ROLE_ANY:
        return 3;
    case KITH_ROLE_OPTIONAL:
    case KITH_ROLE_OPTIONAL_WRITE:
        return 4;
    default: // a modifier without another term means `with`
        return in_set(&p->main, storage->bit) ? 5 : 0;
    }
}

// Adds all alternatives of the any-term at `term`, unless an earlier alternative did.
static void add_group(planner *p, uint32_t term)
{
    const kith_term *terms = p->desc->terms;
    for (uint32_t i = 0; i < term; i++) {
        if (terms[i].role == KITH_ROLE_ANY && terms[i].group == terms[term].group) {
            return;
        }
    }
    for (uint32_t i = term; i < p->desc->term_count; i++) {
        if (terms[i].role == KITH_ROLE_ANY && terms[i].group == terms[term].group) {
            add_resolved(p, i, KITH_ROLE_ANY);
        }
    }
}

static uint32_t add_section(planner *p, unsigned section)
{
    for (uint32_t i = 0; i < p->desc->term_count; i++) {
        const kith_term    *term    = &p->desc->terms[i];
        const kith_storage *storage = kith_world_storage(p->world, term->component);
        if (section_of(p, term) != section) {
            continue;
        }
        if (section == 3) {
            add_group(p, i);
            continue;
        }
        if (is_modifier(term->role)) {
            put_bit(&p->main,
                    storage->bit); // so that another modifier of the component adds no term
        }
        add_resolved(p, i, term->role);
    }
    return p->plan->count;
}

static void number_columns(planner *p)
{
    kith_plan *plan = p->plan;
    uint32_t   column_of[KITH_QUERY_TERMS_MAX];
    for (uint32_t i = 0; i < p->desc->term_count; i++) {
        column_of[i] =
            kith_role_hands_out(p->desc->terms[i].role) ? plan->columns++ : KITH_NO_COLUMN;
    }
    for (uint32_t i = 0, behind = plan->columns; i < plan->count; i++) {
        kith_plan_term *resolved = &plan->terms[i];
        resolved->column         = column_of[resolved->number];
        resolved->buffer         = resolved->column != KITH_NO_COLUMN ? resolved->column : behind++;
    }
}

// Makes the masks that test flags, nones and anys with the first signature word, if it has them
// all.
static void make_masks(kith_plan *plan)
{
    plan->in_first_word = true;
    for (uint32_t i = plan->pools; i < plan->anys; i++) {
        const kith_plan_term *resolved = &plan->terms[i];
        bool                  first =
            i >= plan->nones && (i == plan->nones || resolved->group != resolved[-1].group);
        plan->groups += first;
        if (resolved->storage->bit >= 64 || plan->groups > KITH_ANY_GROUPS) {
            plan->in_first_word = false;
            return;
        }
        uint64_t bit = UINT64_C(1) << resolved->storage->bit;
        if (i < plan->flags) {
            plan->want |= bit;
        } else if (i < plan->nones) {
            plan->none |= bit;
        } else {
            plan->any[plan->groups - 1] |= bit;
        }
    }
}

// The pool term of the component, or KITH_NO_TERM.
static uint32_t pool_term_of(const kith_plan *plan, kith_component component)
{
    uint32_t i = 0;
    while (i < plan->pools && plan->terms[i].storage->desc.id != component) {
        i++;
    }
    return i < plan->pools ? i : KITH_NO_TERM;
}

static bool resolve_lead(planner *p)
{
    if (p->lead == NULL) {
        return true;
    }
    p->plan->lead = pool_term_of(p->plan, p->lead->desc.id);
    return p->plan->lead != KITH_NO_TERM || wrong(p, KITH_ERROR_ARGUMENT, p->lead->desc.id,
                                                  "lead needs a component that the query includes");
}

// The modifiers `changed` and `added` need a component that an entity must have.
static bool check_modifiers(planner *p)
{
    for (uint32_t i = 0; i < p->desc->term_count && p->plan->wants_changes; i++) {
        const kith_term *term = &p->desc->terms[i];
        bool modifier         = term->role == KITH_ROLE_CHANGED || term->role == KITH_ROLE_ADDED;
        if (modifier && pool_term_of(p->plan, term->component) == KITH_NO_TERM) {
            return wrong(p, KITH_ERROR_ARGUMENT, term->component,
                         is_alternative(p, term->component)
                             ? any_changes
                             : "changed and added need a component that the query includes");
        }
    }
    return true;
}

KITH_INTERNAL bool kith_plan_declared(const kith_plan *plan, const kith_world *world,
                                      kith_error *error)
{
    for (uint32_t i = 0; i < plan->count && KITH_UNLIKELY_(world->access_check != NULL); i++) {
        kith_component component = plan->terms[i].storage->desc.id;
        if (kith_access_denied(world, component, plan->terms[i].written)) {
            *error = kith_access_error(world, component, plan->terms[i].written, error->call);
            return false;
        }
    }
    return true;
}

KITH_INTERNAL kith_error_code kith_plan_make(kith_plan *plan, const kith_world *world,
                                             const kith_query_desc *desc, kith_error *error)
{
    planner p = { .plan = plan, .world = world, .desc = desc, .error = error };
    memset(plan, 0, offsetof(kith_plan, terms));
    plan->desc_terms = desc->term_count;
    plan->lead       = KITH_NO_TERM;
    plan->since      = desc->since;
    if (!check_terms(&p)) {
        return error->code;
    }
    plan->pools = add_section(&p, 0);
    plan->flags = add_section(&p, 1);
    plan->nones = add_section(&p, 2);
    plan->anys  = add_section(&p, 3);
    add_section(&p, 4);
    number_columns(&p);
    make_masks(plan);
    return resolve_lead(&p) && check_modifiers(&p) && kith_plan_declared(plan, world, error)
               ? KITH_OK
               : error->code;
}

KITH_INTERNAL bool kith_plan_same_terms(const kith_query_desc *a, const kith_query_desc *b)
{
    if (a->term_count != b->term_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->term_count; i++) {
        const kith_term *x = &a->terms[i];
        const kith_term *y = &b->terms[i];
        if (x->component != y->component || x->role != y->role ||
            (x->role == KITH_ROLE_ANY && x->group != y->group)) {
            return false;
        }
    }
    return true;
}

KITH_INTERNAL bool kith_require_releasable(const kith_system_refs *refs, uint64_t owners,
                                           kith_world *world, const char *call)
{
    return refs->systems == 0 || refs->systems < owners ||
           kith_world_refuse_because(world, KITH_ERROR_BUSY, call, 0, "a system uses it",
                                     refs->name);
}

// --- using a plan ----------------------------------------------------------------------------

KITH_INTERNAL bool kith_storage_leads(const kith_storage *a, const kith_storage *b)
{
    uint32_t rows_a = a->pool.set.head.rows_;
    uint32_t rows_b = b->pool.set.head.rows_;
    return rows_a < rows_b || (rows_a == rows_b && a->order < b->order);
}

KITH_INTERNAL uint32_t kith_plan_lead(const kith_plan *plan)
{
    if (plan->lead != KITH_NO_TERM || plan->pools == 0) {
        return plan->lead;
    }
    uint32_t lead = 0;
    for (uint32_t i = 1; i < plan->pools; i++) {
        lead = kith_storage_leads(plan->terms[i].storage, plan->terms[lead].storage) ? i : lead;
    }
    return lead;
}

KITH_INTERNAL bool kith_plan_term_present(const kith_plan_term    *resolved,
                                          const kith_entity_table *entities, uint32_t index)
{
    if (resolved->storage->desc.kind == KITH_KIND_FLAG) {
        return kith_entity_bit(entities, index, resolved->storage->bit);
    }
    uint32_t row = kith_plan_term_row(resolved, index);
    return row != KITH_NO_ROW && !(kith_plan_term_masked(resolved) &&
                                   kith_pool_is_disabled(&resolved->storage->pool, row));
}

static bool meets_anys(const kith_plan *plan, const kith_entity_table *entities, uint32_t index)
{
    bool met = true;
    for (uint32_t i = plan->nones; i < plan->anys && met;) {
        uint32_t group = plan->terms[i].group;
        for (met = false; i < plan->anys && plan->terms[i].group == group; i++) {
            met = met || kith_plan_term_present(&plan->terms[i], entities, index);
        }
    }
    return met;
}

KITH_INTERNAL bool kith_plan_filter(const kith_plan *plan, const kith_entity_table *entities,
                                    uint32_t index)
{
    for (uint32_t i = plan->pools; i < plan->nones; i++) {
        if (kith_plan_term_present(&plan->terms[i], entities, index) != (i < plan->flags)) {
            return false;
        }
    }
    return meets_anys(plan, entities, index);
}

KITH_INTERNAL bool kith_plan_matches(const kith_plan *plan, const kith_entity_table *entities,
                                     uint32_t index)
{
    for (uint32_t i = 0; i < plan->pools; i++) {
        const kith_plan_term *resolved = &plan->terms[i];
        if (!kith_plan_term_present(resolved, entities, index) ||
            (kith_plan_term_is_changed(resolved) &&
             !kith_plan_term_is_added(resolved, kith_plan_term_row(resolved, index),
                                      plan->since))) {
            return false;
        }
    }
    return kith_plan_filter(plan, entities, index);
}
