// SPDX-License-Identifier: MIT
// A plan: the terms of a query, resolved to the storages of a world and sorted by what they
// require.
//
//     terms   [ pools | flags | nones | anys | optionals ]
//
//     pools       the entity has a row; a loop walks the rows of one pool, its lead
//     flags       the entity has the flag
//     nones       the entity lacks the component
//     anys        the entity has at least one component of each any-list
//     optionals   the entity may have the component
//
// Terms with values have a column each. Columns are numbered in the order of the description.
#pragma once

#include "store/entity_table.h"
#include "store/storage.h"

#define KITH_NO_COLUMN UINT32_MAX
#define KITH_NO_TERM   UINT32_MAX
#define KITH_ANY_LISTS 8 // any-lists that `any` below has masks for

typedef struct kith_plan_term {
    kith_storage *storage;
    uint32_t      number;       // in the description
    uint32_t      column;       // KITH_NO_COLUMN: no values
    uint32_t      buffer;       // where a block keeps its rows: the column, or behind the columns
    uint32_t      any_list;     // number of its any-list; 0: none
    bool          disabled_too; // disabled rows match
    bool          written;      // the column is for writing
    bool          changed;      // only rows that changed since `since` match
    bool          added;        // only rows that were added since `since` match
    bool          owned_last;   // of a group: the last of the terms that it owns
} kith_plan_term;

typedef struct kith_plan {
    uint32_t pool_end; // where each section of terms ends
    uint32_t flag_end;
    uint32_t none_end;
    uint32_t any_end;
    uint32_t count;
    uint32_t desc_terms; // of the description
    uint32_t columns;
    uint32_t lead;          // the pool term that the query names, or KITH_NO_TERM
    bool     in_first_word; // flags, nones and anys are all in the first signature word
    bool     writes;
    bool     wants_changes; // a pool term has `changed` or `added`
    bool     may_run;       // blocks may be runs: some pools, no anys or optionals, in_first_word
    bool     plain;         // all terms are pools, and none asks for changes
    uint64_t since;         // the first tick of changes that match
    uint64_t pools;         // bits of the first signature word: those of the pools that it has
    uint32_t any_lists;
    // bits of the other terms in that word, when in_first_word
    uint64_t       want;                // flags: all must be set
    uint64_t       none;                // nones: none may be set
    uint64_t       any[KITH_ANY_LISTS]; // one of each must be set
    kith_plan_term terms[KITH_QUERY_TERMS_MAX];
} kith_plan;

// Names of queries, groups, paths and reactive sets: NULL, or a copy behind the object. The first
// counts the 0 at the end, the second copies to memory with room for it.
static inline size_t kith_name_bytes(const char *name)
{
    return name == NULL ? 0 : strlen(name) + 1;
}

static inline const char *kith_name_copy(void *to, const char *name)
{
    return name == NULL ? NULL : strcpy(to, name);
}

// The bytes of a description's terms and name; a description with copies of them, at `to`.
static inline size_t kith_terms_bytes(const kith_query_desc *desc)
{
    return desc->term_count * sizeof *desc->terms + kith_name_bytes(desc->name);
}

static inline kith_query_desc kith_terms_copy(void *to, const kith_query_desc *desc)
{
    kith_query_desc copy  = *desc;
    kith_term      *terms = to;
    for (uint32_t i = 0; i < desc->term_count; i++) {
        terms[i] = desc->terms[i];
    }
    copy.terms = terms;
    copy.name  = kith_name_copy(terms + desc->term_count, desc->name);
    return copy;
}

static inline const char *kith_name_shown(const char *name)
{
    return name == NULL ? "" : name;
}

// Resolves the terms of a description. Returns KITH_OK, or fills `error` and returns its code.
kith_error_code kith_plan_make(kith_plan *plan, const kith_world *world,
                               const kith_query_desc *desc, kith_error *error);

// Whether the running system declared the components of the plan; fills `error` when it did not.
bool kith_plan_declared(const kith_plan *plan, const kith_world *world, kith_error *error);

// Whether two descriptions have the same terms.
bool kith_plan_same_terms(const kith_query_desc *a, const kith_query_desc *b);

// The pool term to walk: the named lead, or the pool with the fewest rows. KITH_NO_TERM: the plan
// has no pool, walk the entity table.
uint32_t kith_plan_lead(const kith_plan *plan);

// The pool with the lowest rank leads: it has the fewest rows, and of those it is the oldest.
static inline uint64_t kith_storage_rank(const kith_storage *storage)
{
    return (uint64_t)storage->pool.set.head.rows_ << 32 | storage->order;
}

// Whether a living entity has the term's component, and not in a disabled row that does not match.
bool kith_plan_term_present(const kith_plan_term *term, const kith_entity_table *entities,
                            uint32_t index);

// Whether a living entity matches flags, nones and anys; the second checks the pools, too.
bool kith_plan_filter(const kith_plan *plan, const kith_entity_table *entities, uint32_t index);
bool kith_plan_matches(const kith_plan *plan, const kith_entity_table *entities, uint32_t index);

// Whether a term with this role has a column.
static inline bool kith_role_has_column(kith_role role)
{
    return role == KITH_ROLE_READ || role == KITH_ROLE_WRITE || role == KITH_ROLE_OWN ||
           role == KITH_ROLE_OPTIONAL || role == KITH_ROLE_OPTIONAL_WRITE || role == KITH_ROLE_ANY;
}

// Whether only new rows match the term.
static inline bool kith_plan_term_wants_new(const kith_plan_term *term)
{
    return term->changed || term->added;
}

// Whether the row, which is no hole, was changed, or added if the term says so, since that tick.
static inline bool kith_plan_term_is_new(const kith_plan_term *term, uint32_t row, uint64_t since)
{
    const kith_sparse_set *set = &term->storage->pool.set;
    return term->added ? *kith_sparse_set_added_tick(set, row) >= since
                       : kith_sparse_set_changed_tick(set, row) >= since;
}

// How many rows from `row` on are old for certain: all to the end of its page, or 0.
static inline uint32_t kith_plan_term_old_rows(const kith_plan_term *term, uint32_t row,
                                               uint64_t since)
{
    const kith_sparse_set *set = &term->storage->pool.set;
    bool old = kith_plan_term_wants_new(term) && set->head.stamps_[row >> set->head.shift_] < since;
    return old ? kith_sparse_set_rest_of_page(set, row) : 0;
}

// Whether the term's pool has disabled rows that do not match.
static inline bool kith_plan_term_has_disabled(const kith_plan_term *term)
{
    return term->storage->pool.set.head.disabled_ != 0 && !term->disabled_too;
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
