// SPDX-License-Identifier: MIT
// Making a plan: checks the terms of a description, then sorts them into sections.
#include "world/query_plan.h"

#include "world/world.h"

// A set of components, by signature bit.
typedef struct bit_set {
    uint64_t words[KITH_SIGNATURE_WORDS];
} bit_set;

static bool in_set(const bit_set *set, uint32_t bit)
{
    return (set->words[bit >> 6] >> (bit & 63) & 1) != 0;
}

// Adds a bit; returns false if it was in the set.
static bool put_bit(bit_set *set, uint32_t bit)
{
    bool added = !in_set(set, bit);
    set->words[bit >> 6] |= UINT64_C(1) << (bit & 63);
    return added;
}

// One call of kith_plan_make.
typedef struct making {
    kith_plan             *plan;
    const kith_world      *world;
    const kith_query_desc *desc;
    kith_error            *error;
    bit_set                main;     // components with a term of their own
    bit_set                disabled; // and with the term `disabled`
    bit_set                changed;  // and with `changed`
    bit_set                added;    // and with `added`
    kith_storage          *lead;
} making;

static bool wrong(making *make, kith_error_code code, kith_component component, const char *subject)
{
    make->error->code      = code;
    make->error->component = component;
    make->error->subject   = subject;
    make->error->other     = make->desc->name;
    return false;
}

// --- check -----------------------------------------------------------------------------------

// Whether the role modifies the component's other term. Alone it means `with`.
static bool is_modifier(kith_role role)
{
    return role == KITH_ROLE_DISABLED || role == KITH_ROLE_LEAD || role == KITH_ROLE_CHANGED ||
           role == KITH_ROLE_ADDED;
}

// The set that records the terms of a modifier; NULL: the role has none.
static bit_set *modifier_set(making *make, kith_role role)
{
    return role == KITH_ROLE_DISABLED  ? &make->disabled
           : role == KITH_ROLE_CHANGED ? &make->changed
           : role == KITH_ROLE_ADDED   ? &make->added
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
    switch (storage->desc.kind) {
    case KITH_KIND_VALUE:
        return true;
    case KITH_KIND_TAG:
        return !needs_value(role);
    case KITH_KIND_FLAG:
        return !needs_value(role) && !is_modifier(role);
    default:
        return false;
    }
}

static const char any_reads[]   = "any only reads, and is the component's only term: to write it "
                                  "take optional_write";
static const char any_changes[] = "any cannot ask for changes: take a query for each component";

// Whether a term of `any` names the component.
static bool is_alternative(const making *make, kith_component component)
{
    const kith_term *term = make->desc->terms;
    const kith_term *end  = term + make->desc->term_count;
    while (term < end && (term->component != component || term->role != KITH_ROLE_ANY)) {
        term++;
    }
    return term < end;
}

// Records the term in the sets; returns what is wrong with it, or NULL.
static const char *record_term(making *make, const kith_term *term, kith_storage *storage)
{
    bit_set *modifiers = modifier_set(make, term->role);
    // the roles from KITH_ROLE_CHANGED on ask for changes
    if (term->any_list != 0 && (role_writes(term->role) || term->role >= KITH_ROLE_CHANGED)) {
        return role_writes(term->role) ? any_reads : any_changes;
    }
    if (term->role == KITH_ROLE_ADDED && !kith_sparse_set_has_ticks(&storage->pool.set)) {
        return "added needs a component with row ticks";
    }
    if (modifiers != NULL) {
        return put_bit(modifiers, storage->bit) ? NULL : "the component has this term twice";
    }
    if (term->role == KITH_ROLE_LEAD) {
        bool second = make->lead != NULL;
        make->lead  = storage;
        return second ? "a query can have one lead only" : NULL;
    }
    return put_bit(&make->main, storage->bit) ? NULL
           : is_alternative(make, term->component)
               ? any_reads
               : "a component has two terms that contradict each other";
}

static bool check_term(making *make, const kith_term *term)
{
    kith_storage *storage = kith_world_storage(make->world, term->component);
    if ((unsigned)term->role > KITH_ROLE_ADDED) {
        return wrong(make, KITH_ERROR_ARGUMENT, term->component, "there is no such term role");
    }
    if (storage == NULL) {
        return wrong(make, KITH_ERROR_UNREGISTERED, term->component, NULL);
    }
    if (!kind_fits(storage, term->role)) {
        make->error->have = storage->desc.kind;
        return wrong(make, KITH_ERROR_KIND, term->component, NULL);
    }
    const char *mistake = record_term(make, term, storage);
    return mistake == NULL || wrong(make, KITH_ERROR_ARGUMENT, term->component, mistake);
}

static bool check_terms(making *make)
{
    const kith_query_desc *desc = make->desc;
    if (desc->term_count > KITH_QUERY_TERMS_MAX) {
        make->error->want = desc->term_count;
        return wrong(make, KITH_ERROR_ARGUMENT, 0, "a query has at most 64 terms");
    }
    if (desc->terms == NULL && desc->term_count != 0) {
        return wrong(make, KITH_ERROR_ARGUMENT, 0, "`terms` is NULL");
    }
    bool good = true;
    for (uint32_t i = 0; i < desc->term_count && good; i++) {
        good = check_term(make, &desc->terms[i]);
    }
    return good;
}

// --- sections --------------------------------------------------------------------------------

static void add_resolved(making *make, uint32_t term, kith_role role)
{
    kith_plan       *plan     = make->plan;
    const kith_term *given    = &make->desc->terms[term];
    kith_storage    *storage  = kith_world_storage(make->world, given->component);
    kith_plan_term  *resolved = &plan->terms[plan->count++];
    resolved->storage         = storage;
    resolved->number          = term;
    resolved->column          = KITH_NO_COLUMN;
    resolved->any_list        = role == KITH_ROLE_ANY ? given->any_list : 0;
    resolved->disabled_too    = in_set(&make->disabled, storage->bit);
    resolved->changed         = in_set(&make->changed, storage->bit);
    resolved->added           = in_set(&make->added, storage->bit);
    resolved->written         = role_writes(role);
    plan->writes |= resolved->written;
    plan->wants_changes |= kith_plan_term_wants_new(resolved);
}

// The section of a term: 0 pools, 1 flags, 2 nones, 3 anys, 4 optionals; 5: it is a modifier.
static unsigned section_of(const making *make, const kith_term *term)
{
    const kith_storage *storage = kith_world_storage(make->world, term->component);
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
    default: // a modifier
        return in_set(&make->main, storage->bit) ? 5 : 0;
    }
}

// Adds all terms of the any-list of term `term`, if that is the first of the list.
static void add_any_list(making *make, uint32_t term)
{
    const kith_term *terms = make->desc->terms;
    for (uint32_t i = 0; i < term; i++) {
        if (terms[i].role == KITH_ROLE_ANY && terms[i].any_list == terms[term].any_list) {
            return;
        }
    }
    for (uint32_t i = term; i < make->desc->term_count; i++) {
        if (terms[i].role == KITH_ROLE_ANY && terms[i].any_list == terms[term].any_list) {
            add_resolved(make, i, KITH_ROLE_ANY);
        }
    }
}

static uint32_t add_section(making *make, unsigned section)
{
    for (uint32_t i = 0; i < make->desc->term_count; i++) {
        const kith_term    *term    = &make->desc->terms[i];
        const kith_storage *storage = kith_world_storage(make->world, term->component);
        if (section_of(make, term) != section) {
            continue;
        }
        if (section == 3) {
            add_any_list(make, i);
            continue;
        }
        if (is_modifier(term->role)) {
            put_bit(&make->main, storage->bit); // a second modifier adds no term
        }
        add_resolved(make, i, term->role);
    }
    return make->plan->count;
}

static void number_columns(making *make)
{
    kith_plan *plan = make->plan;
    uint32_t   column_of[KITH_QUERY_TERMS_MAX];
    for (uint32_t i = 0; i < make->desc->term_count; i++) {
        column_of[i] =
            kith_role_has_column(make->desc->terms[i].role) ? plan->columns++ : KITH_NO_COLUMN;
    }
    for (uint32_t i = 0, behind = plan->columns; i < plan->count; i++) {
        kith_plan_term *resolved = &plan->terms[i];
        resolved->column         = column_of[resolved->number];
        resolved->buffer         = resolved->column != KITH_NO_COLUMN ? resolved->column : behind++;
    }
}

// Makes the masks of the first signature word, if it has all flags, nones and anys.
static void make_masks(kith_plan *plan)
{
    plan->in_first_word = true;
    for (uint32_t i = plan->pool_end; i < plan->any_end; i++) {
        const kith_plan_term *resolved = &plan->terms[i];
        plan->any_lists += // the first term of a list counts it
            i >= plan->none_end &&
            (i == plan->none_end || resolved->any_list != resolved[-1].any_list);
        if (resolved->storage->bit >= 64 || plan->any_lists > KITH_ANY_LISTS) {
            plan->in_first_word = false;
            return;
        }
        uint64_t bit = UINT64_C(1) << resolved->storage->bit;
        if (i < plan->flag_end) {
            plan->want |= bit;
        } else if (i < plan->none_end) {
            plan->none |= bit;
        } else {
            plan->any[plan->any_lists - 1] |= bit;
        }
    }
}

// The pool term of a component, or KITH_NO_TERM.
static uint32_t pool_term(const kith_plan *plan, kith_component component)
{
    uint32_t i = 0;
    while (i < plan->pool_end && plan->terms[i].storage->desc.id != component) {
        i++;
    }
    return i < plan->pool_end ? i : KITH_NO_TERM;
}

// Finds the term that `lead` names; returns false, with an error, when it is no pool term.
static bool find_named_lead(making *make)
{
    if (make->lead == NULL) {
        return true;
    }
    make->plan->lead = pool_term(make->plan, make->lead->desc.id);
    return make->plan->lead != KITH_NO_TERM ||
           wrong(make, KITH_ERROR_ARGUMENT, make->lead->desc.id,
                 "only a component that the query requires can lead");
}

// Whether all terms `changed` and `added` name a pool term; fills the error when one does not.
static bool check_changes(making *make)
{
    for (uint32_t i = 0; i < make->desc->term_count && make->plan->wants_changes; i++) {
        const kith_term *term    = &make->desc->terms[i];
        bool             changes = term->role == KITH_ROLE_CHANGED || term->role == KITH_ROLE_ADDED;
        if (changes && pool_term(make->plan, term->component) == KITH_NO_TERM) {
            return wrong(make, KITH_ERROR_ARGUMENT, term->component,
                         is_alternative(make, term->component)
                             ? any_changes
                             : "changed and added need a required component");
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
    making make      = { .plan = plan, .world = world, .desc = desc, .error = error };
    plan->desc_terms = desc->term_count;
    plan->lead       = KITH_NO_TERM;
    plan->since      = desc->since;
    plan->count = plan->columns = plan->any_lists = 0;
    plan->writes = plan->wants_changes = false;
    plan->want = plan->none = 0;
    memset(plan->any, 0, sizeof plan->any);
    if (!check_terms(&make)) {
        return error->code;
    }
    plan->pool_end = add_section(&make, 0);
    plan->flag_end = add_section(&make, 1);
    plan->none_end = add_section(&make, 2);
    plan->any_end  = add_section(&make, 3);
    add_section(&make, 4);
    number_columns(&make);
    make_masks(plan);
    return find_named_lead(&make) && check_changes(&make) && kith_plan_declared(plan, world, error)
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
            (x->role == KITH_ROLE_ANY && x->any_list != y->any_list)) {
            return false;
        }
    }
    return true;
}

// --- ask -------------------------------------------------------------------------------------

KITH_INTERNAL bool kith_storage_leads(const kith_storage *a, const kith_storage *b)
{
    uint32_t rows_a = a->pool.set.head.rows_;
    uint32_t rows_b = b->pool.set.head.rows_;
    return rows_a < rows_b || (rows_a == rows_b && a->order < b->order);
}

KITH_INTERNAL uint32_t kith_plan_lead(const kith_plan *plan)
{
    if (plan->lead != KITH_NO_TERM || plan->pool_end == 0) {
        return plan->lead;
    }
    uint32_t lead = 0;
    for (uint32_t i = 1; i < plan->pool_end; i++) {
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
    return row != KITH_NO_ROW && !(kith_plan_term_has_disabled(resolved) &&
                                   kith_pool_is_disabled(&resolved->storage->pool, row));
}

static bool meets_anys(const kith_plan *plan, const kith_entity_table *entities, uint32_t index)
{
    bool met = true;
    for (uint32_t i = plan->none_end; i < plan->any_end && met;) {
        uint32_t list = plan->terms[i].any_list;
        for (met = false; i < plan->any_end && plan->terms[i].any_list == list; i++) {
            met = met || kith_plan_term_present(&plan->terms[i], entities, index);
        }
    }
    return met;
}

KITH_INTERNAL bool kith_plan_filter(const kith_plan *plan, const kith_entity_table *entities,
                                    uint32_t index)
{
    for (uint32_t i = plan->pool_end; i < plan->none_end; i++) {
        if (kith_plan_term_present(&plan->terms[i], entities, index) != (i < plan->flag_end)) {
            return false;
        }
    }
    return meets_anys(plan, entities, index);
}

KITH_INTERNAL bool kith_plan_matches(const kith_plan *plan, const kith_entity_table *entities,
                                     uint32_t index)
{
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        const kith_plan_term *resolved = &plan->terms[i];
        if (!kith_plan_term_present(resolved, entities, index) ||
            (kith_plan_term_wants_new(resolved) &&
             !kith_plan_term_is_new(resolved, kith_plan_term_row(resolved, index), plan->since))) {
            return false;
        }
    }
    return kith_plan_filter(plan, entities, index);
}
