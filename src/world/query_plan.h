// SPDX-License-Identifier: MIT
// A plan: the terms of a query, resolved to the storages of a world and sorted into sections.
//
//     terms   [ pools | flags | nones | anys | optionals ]
//              has a row        has it not     may have it
//                      has the flag     one of each group
//
// A pool term is a component with rows that an entity must have; one of them leads a loop. Terms
// that hand out values have columns, which are numbered in the order of the description.
#ifndef KITH_WORLD_QUERY_PLAN_H
#define KITH_WORLD_QUERY_PLAN_H

#include "store/entity_table.h"
#include "store/storage.h"

#define KITH_NO_COLUMN  UINT32_MAX
#define KITH_NO_TERM    UINT32_MAX
#define KITH_ANY_GROUPS 8 // the most groups of any-terms that the first signature word can test

typedef struct kith_plan_term {
    kith_storage *storage;
    uint32_t      number; // the term's place in the description
    uint32_t      column; // KITH_NO_COLUMN: hands out no values
    uint32_t      buffer; // where a block stores its rows: the column, or a place after all columns
    uint32_t      group;
    bool          disabled_too; // disabled rows match as well
    bool          written;
    bool          changed; // matches only rows that changed since plan->since
    bool          added;   // matches only rows that were added since plan->since
} kith_plan_term;

typedef struct kith_plan {
    uint32_t       pools; // the end of each section of terms
    uint32_t       flags;
    uint32_t       nones;
    uint32_t       anys;
    uint32_t       count;
    uint32_t       desc_terms; // number of terms in the description
    uint32_t       columns;
    uint32_t       lead;          // the pool term that the query names, or KITH_NO_TERM
    bool           in_first_word; // flags, nones and anys are all in the first signature word
    bool           writes;
    bool           wants_changes; // a pool term has `changed` or `added`
    uint64_t       since;         // the first tick that counts as a change
    uint32_t       groups;        // number of groups of anys, if in_first_word
    uint64_t       want;          // bits of the first signature word that must be set
    uint64_t       none;          // bits that must not be set
    uint64_t       any[KITH_ANY_GROUPS];
    kith_plan_term terms[KITH_QUERY_TERMS_MAX];
} kith_plan;

// The systems that use a query or a group. It cannot be destroyed while one does.
typedef struct kith_system_refs {
    uint64_t    systems;
    const char *name; // of one of these systems
} kith_system_refs;

// Returns true = go on: of `owners`, systems included, one that is not a system may release the
// object. Otherwise reports an error.
KITH_INTERNAL bool kith_require_releasable(const kith_system_refs *refs, uint64_t owners,
                                           kith_world *world, const char *call);

// Resolves the terms. Returns KITH_OK, or the code of the mistake, which `error` describes.
KITH_INTERNAL kith_error_code kith_plan_make(kith_plan *plan, const kith_world *world,
                                             const kith_query_desc *desc, kith_error *error);

// Whether the running system declared all components of the plan; otherwise `error` names one.
KITH_INTERNAL bool kith_plan_declared(const kith_plan *plan, const kith_world *world,
                                      kith_error *error);

// Whether two descriptions have the same terms.
KITH_INTERNAL bool kith_plan_same_terms(const kith_query_desc *a, const kith_query_desc *b);

// The pool term that a loop walks: the lead of the query, or the term with the fewest rows. Returns
// KITH_NO_TERM when there is no pool term: the loop walks the entity table.
KITH_INTERNAL uint32_t kith_plan_lead(const kith_plan *plan);

// Whether a loop prefers to walk `a`: it has fewer rows, or as many and was registered first.
KITH_INTERNAL bool kith_storage_leads(const kith_storage *a, const kith_storage *b);

// Whether a living entity has the term's component, and enabled if the term asks for that.
KITH_INTERNAL bool kith_plan_term_present(const kith_plan_term    *term,
                                          const kith_entity_table *entities, uint32_t index);

// Whether a living entity matches the flags, nones and anys. The second function tests the pools as
// well.
KITH_INTERNAL bool kith_plan_filter(const kith_plan *plan, const kith_entity_table *entities,
                                    uint32_t index);
KITH_INTERNAL bool kith_plan_matches(const kith_plan *plan, const kith_entity_table *entities,
                                     uint32_t index);

// Whether a term with this role has a column.
static inline bool kith_role_hands_out(kith_role role)
{
    return role == KITH_ROLE_READ || role == KITH_ROLE_WRITE || role == KITH_ROLE_OWN ||
           role == KITH_ROLE_OPTIONAL || role == KITH_ROLE_OPTIONAL_WRITE || role == KITH_ROLE_ANY;
}

// Whether the term asks for changes.
static inline bool kith_plan_term_is_changed(const kith_plan_term *term)
{
    return term->changed || term->added;
}

// Whether the row, which is not a hole, changed (or was added, as the term asks) since that tick.
static inline bool kith_plan_term_is_added(const kith_plan_term *term, uint32_t row, uint64_t since)
{
    const kith_sparse_set *set = &term->storage->pool.set;
    return term->added ? *kith_sparse_set_added_tick(set, row) >= since
                       : kith_sparse_set_changed_tick(set, row) >= since;
}

// The number of rows from `row` to the end of its page when the page's stamp shows no change, else
// 0.
static inline uint32_t kith_plan_term_old_rows(const kith_plan_term *term, uint32_t row,
                                               uint64_t since)
{
    const kith_sparse_set *set = &term->storage->pool.set;
    bool                   old =
        kith_plan_term_is_changed(term) && set->head.stamps_[row >> set->head.shift_] < since;
    return old ? kith_sparse_set_rest_of_page(set, row) : 0;
}

// Whether a loop must skip disabled rows of the term's pool.
static inline bool kith_plan_term_masked(const kith_plan_term *term)
{
    return term->storage->pool.disabled_count != 0 && !term->disabled_too;
}

// The row of the entity at `index` in the term's pool, or KITH_NO_ROW.
static inline uint32_t kith_plan_term_row(const kith_plan_term *term, uint32_t index)
{
    return kith_sparse_set_row_at(&term->storage->pool.set, index);
}

static inline const kith_sparse_set *kith_plan_set(const kith_plan *plan, uint32_t term)
{
    return &plan->terms[term].storage->pool.set;
}

#endif
