// SPDX-License-Identifier: MIT
// Making a plan: checks the terms of a description, then sorts them into sections.
#include "world/query_plan.h"

#include "world/world.h"

// Sets of roles, a bit each. A modifier modifies the component's other term; alone it means `with`.
#define WRITING    (1u << KITH_ROLE_WRITE | 1u << KITH_ROLE_OWN | 1u << KITH_ROLE_OPTIONAL_WRITE)
#define VALUED     (1u << KITH_ROLE_READ | WRITING) // only of components with values
#define OF_CHANGES (1u << KITH_ROLE_CHANGED | 1u << KITH_ROLE_ADDED)
#define MODIFYING  (1u << KITH_ROLE_DISABLED | 1u << KITH_ROLE_LEAD | OF_CHANGES)
#define UNREQUIRED (1u << KITH_ROLE_OPTIONAL | 1u << KITH_ROLE_OPTIONAL_WRITE | 1u << KITH_ROLE_ANY)

static bool is_one_of(kith_role role, unsigned roles)
{
    return (roles >> role & 1) != 0;
}

// One call of kith_plan_make.
typedef struct making {
    kith_plan             *plan;
    const kith_world      *world;
    const kith_query_desc *desc;
    kith_error            *error;
    kith_storage         **storages; // of the terms of the description
    bool                   leads;    // a term has the role `lead`
} making;

static bool wrong(making *make, kith_error_code code, kith_component component, const char *subject)
{
    make->error->code      = code;
    make->error->component = component;
    make->error->subject   = subject;
    make->error->other     = make->desc->name;
    return false;
}

// The roles that the terms before `end` give the component.
KITH_NOINLINE static unsigned roles_before(const making *make, uint32_t end,
                                           kith_component component)
{
    unsigned roles = 0;
    for (uint32_t i = 0; i < end; i++) {
        const kith_term *term  = &make->desc->terms[i];
        bool             known = (unsigned)term->role <= KITH_ROLE_ADDED;
        roles |= term->component == component && known ? 1u << term->role : 0;
    }
    return roles;
}

static unsigned roles_of(const making *make, kith_component component)
{
    return roles_before(make, make->desc->term_count, component);
}

// --- check -----------------------------------------------------------------------------------

// The roles that components of a kind cannot have.
static const unsigned unfit_roles[] = {
    [KITH_KIND_VALUE]     = 0,
    [KITH_KIND_TAG]       = VALUED,
    [KITH_KIND_FLAG]      = VALUED | MODIFYING,
    [KITH_KIND_SINGLETON] = ~0u,
    [KITH_ACCESS_LINK]    = WRITING,
    [KITH_ACCESS_LIST]    = WRITING,
};

static const char any_reads[]   = "any only reads, and is the component's only term: to write it "
                                  "take optional_write";
static const char any_changes[] = "any cannot ask for changes: take a query for each component";

// Returns what is wrong with a term beside those before it, or NULL.
static const char *term_mistake(const making *make, uint32_t number)
{
    const kith_term *term   = &make->desc->terms[number];
    unsigned         before = roles_before(make, number, term->component);
    if (term->any_list != 0 && is_one_of(term->role, WRITING | OF_CHANGES)) {
        return is_one_of(term->role, WRITING) ? any_reads : any_changes;
    }
    if (term->role == KITH_ROLE_ADDED &&
        !kith_sparse_set_has_ticks(&make->storages[number]->pool.set)) {
        return "added needs a component with row ticks";
    }
    if (term->role == KITH_ROLE_LEAD) {
        return make->leads ? "a query can have one lead only" : NULL;
    }
    if (is_one_of(term->role, MODIFYING)) {
        return is_one_of(term->role, before) ? "the component has this term twice" : NULL;
    }
    return (before & ~MODIFYING) == 0 ? NULL
           : is_one_of(KITH_ROLE_ANY, roles_of(make, term->component))
               ? any_reads
               : "a component has two terms that contradict each other";
}

static bool check_term(making *make, uint32_t number)
{
    const kith_term *term    = &make->desc->terms[number];
    kith_storage    *storage = kith_world_storage(make->world, term->component);
    if ((unsigned)term->role > KITH_ROLE_ADDED) {
        return wrong(make, KITH_ERROR_ARGUMENT, term->component, "there is no such term role");
    }
    if (storage == NULL) {
        return wrong(make, KITH_ERROR_UNREGISTERED, term->component, NULL);
    }
    if (is_one_of(term->role, unfit_roles[storage->access])) {
        make->error->have = storage->access;
        return wrong(make, KITH_ERROR_KIND, term->component, NULL);
    }
    make->storages[number] = storage;
    const char *mistake    = term_mistake(make, number);
    make->leads |= term->role == KITH_ROLE_LEAD;
    return mistake == NULL || wrong(make, KITH_ERROR_ARGUMENT, term->component, mistake);
}

// Whether the terms with one of the roles name only components that the query requires; otherwise
// fills the error.
static bool check_required(making *make, unsigned roles, const char *mistake)
{
    for (uint32_t i = 0; i < make->desc->term_count; i++) {
        const kith_term *term = &make->desc->terms[i];
        unsigned         all  = is_one_of(term->role, roles) ? roles_of(make, term->component) : 0;
        if ((all & (UNREQUIRED | 1u << KITH_ROLE_WITHOUT)) != 0) {
            bool any = roles == OF_CHANGES && is_one_of(KITH_ROLE_ANY, all);
            return wrong(make, KITH_ERROR_ARGUMENT, term->component, any ? any_changes : mistake);
        }
    }
    return true;
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
        good = check_term(make, i);
    }
    return good &&
           check_required(make, 1u << KITH_ROLE_LEAD,
                          "only a component that the query requires can lead") &&
           check_required(make, OF_CHANGES, "changed and added need a required component");
}

// --- sections --------------------------------------------------------------------------------

typedef enum section { POOLS, FLAGS, NONES, ANYS, OPTIONALS, NO_SECTION } section;

// NO_SECTION: the term is a modifier, and an earlier modifier or another term stands for it.
static section section_of(const making *make, uint32_t number)
{
    const kith_term *term = &make->desc->terms[number];
    if (is_one_of(term->role, MODIFYING) && (roles_before(make, number, term->component) != 0 ||
                                             (roles_of(make, term->component) & ~MODIFYING) != 0)) {
        return NO_SECTION;
    }
    switch (term->role) {
    case KITH_ROLE_WITHOUT:
        return NONES;
    case KITH_ROLE_ANY:
        return ANYS;
    case KITH_ROLE_OPTIONAL:
    case KITH_ROLE_OPTIONAL_WRITE:
        return OPTIONALS;
    default:
        return make->storages[number]->desc.kind == KITH_KIND_FLAG ? FLAGS : POOLS;
    }
}

// The number of the first term with the same any-list.
static uint32_t first_of_list(const making *make, uint32_t number)
{
    const kith_term *terms = make->desc->terms;
    uint32_t         i     = 0;
    while (terms[i].role != KITH_ROLE_ANY || terms[i].any_list != terms[number].any_list) {
        i++;
    }
    return i;
}

// Sorts the terms: by section, by the first term of the any-list, by number. A key has these three.
static void sort_terms(const making *make, uint32_t *keys)
{
    kith_plan     *plan                   = make->plan;
    const uint32_t most                   = KITH_QUERY_TERMS_MAX;
    uint32_t       counts[NO_SECTION + 1] = { 0 };
    for (uint32_t i = 0; i < make->desc->term_count; i++) {
        section  in    = section_of(make, i);
        uint32_t first = in == ANYS ? first_of_list(make, i) : 0;
        uint32_t key   = ((uint32_t)in * most + first) * most + i;
        uint32_t place = i;
        for (; place > 0 && keys[place - 1] > key; place--) {
            keys[place] = keys[place - 1];
        }
        keys[place] = key;
        counts[in]++;
    }
    plan->pool_end = counts[POOLS];
    plan->flag_end = plan->pool_end + counts[FLAGS];
    plan->none_end = plan->flag_end + counts[NONES];
    plan->any_end  = plan->none_end + counts[ANYS];
    plan->count    = plan->any_end + counts[OPTIONALS];
}

static void resolve_terms(const making *make, const uint32_t *keys)
{
    kith_plan *plan = make->plan;
    uint32_t   column_of[KITH_QUERY_TERMS_MAX];
    for (uint32_t i = 0; i < make->desc->term_count; i++) {
        column_of[i] =
            kith_role_has_column(make->desc->terms[i].role) ? plan->columns++ : KITH_NO_COLUMN;
    }
    for (uint32_t i = 0, behind = plan->columns; i < plan->count; i++) {
        uint32_t         number   = keys[i] % KITH_QUERY_TERMS_MAX;
        const kith_term *term     = &make->desc->terms[number];
        unsigned         roles    = roles_of(make, term->component);
        kith_plan_term  *resolved = &plan->terms[i];
        resolved->storage         = make->storages[number];
        resolved->number          = number;
        resolved->column          = column_of[number];
        resolved->buffer       = column_of[number] != KITH_NO_COLUMN ? column_of[number] : behind++;
        resolved->any_list     = term->role == KITH_ROLE_ANY ? term->any_list : 0;
        resolved->disabled_too = is_one_of(KITH_ROLE_DISABLED, roles);
        resolved->changed      = is_one_of(KITH_ROLE_CHANGED, roles);
        resolved->added        = is_one_of(KITH_ROLE_ADDED, roles);
        resolved->written      = is_one_of(term->role, WRITING);
        plan->writes |= resolved->written;
        plan->wants_changes |= kith_plan_term_wants_new(resolved);
        plan->lead = is_one_of(KITH_ROLE_LEAD, roles) ? i : plan->lead;
    }
}

// Makes the masks of the first signature word, if it has all flags, nones and anys.
static void make_masks(kith_plan *plan)
{
    plan->in_first_word = true;
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        uint32_t bit = plan->terms[i].storage->bit;
        plan->pools |= bit < 64 ? UINT64_C(1) << bit : 0;
    }
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

bool kith_plan_declared(const kith_plan *plan, const kith_world *world, kith_error *error)
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

kith_error_code kith_plan_make(kith_plan *plan, const kith_world *world,
                               const kith_query_desc *desc, kith_error *error)
{
    kith_storage *storages[KITH_QUERY_TERMS_MAX];
    uint32_t      keys[KITH_QUERY_TERMS_MAX] = { 0 };
    making        make                       = { plan, world, desc, error, storages, false };
    memset(plan, 0, offsetof(kith_plan, terms));
    plan->desc_terms = desc->term_count;
    plan->lead       = KITH_NO_TERM;
    plan->since      = desc->since;
    if (!check_terms(&make)) {
        return error->code;
    }
    sort_terms(&make, keys);
    resolve_terms(&make, keys);
    make_masks(plan);
    plan->may_run = plan->pool_end != 0 && plan->count == plan->none_end && plan->in_first_word;
    plan->plain   = plan->may_run && plan->count == plan->pool_end && !plan->wants_changes;
    return kith_plan_declared(plan, world, error) ? KITH_OK : error->code;
}

bool kith_plan_same_terms(const kith_query_desc *a, const kith_query_desc *b)
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

uint32_t kith_plan_lead(const kith_plan *plan)
{
    uint32_t lead   = KITH_NO_TERM;
    uint64_t lowest = UINT64_MAX;
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        uint64_t rank = kith_storage_rank(plan->terms[i].storage);
        lead          = rank < lowest ? i : lead;
        lowest        = rank < lowest ? rank : lowest;
    }
    return plan->lead != KITH_NO_TERM ? plan->lead : lead;
}

bool kith_plan_term_present(const kith_plan_term *resolved, const kith_entity_table *entities,
                            uint32_t index)
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

bool kith_plan_filter(const kith_plan *plan, const kith_entity_table *entities, uint32_t index)
{
    for (uint32_t i = plan->pool_end; i < plan->none_end; i++) {
        if (kith_plan_term_present(&plan->terms[i], entities, index) != (i < plan->flag_end)) {
            return false;
        }
    }
    return meets_anys(plan, entities, index);
}

bool kith_plan_matches(const kith_plan *plan, const kith_entity_table *entities, uint32_t index)
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
