// SPDX-License-Identifier: MIT
// Readers: cursors that open no loop, so that many threads can walk a world that does not change.
//
// A reader writes to its own step only. It has no block: each call finds one stretch, the entities
// from the step's next place on that have consecutive rows in every pool. A stretch is as long as a
// page when all pools have the same order, and one entity long when they have not.
//
//     step: ticket_   points into `forms`, to the form of the walk
//           serial_   1, which is what every ticket holds: inline code goes through a stretch
//           columns_  the storage that leads; NULL: the entity table
//           source_   the description, inside a kith_query when the form has READ_STORED
//           row_      the next place
//
// A stored query has a plan. A view makes its plan again for each stretch, a short one if it can.
#include "group/group.h"
#include "query/query.h"

#define AHEAD_FILTERED 64u // the longest stretch when a filter decides on each entity
#define AHEAD_VALUES   16u // prefetch the values of the entity this many places ahead
#define AHEAD_ROWS     32u // prefetch its rows

// The form of a walk. It stays the same while the world does not change.
enum {
    READ_STORED = 1, // the plan is that of a stored query
    READ_PLAIN  = 2, // an entity matches when it has a row in every pool
    READ_WORD   = 4, // the first signature word answers the other terms, and no row is disabled
    READ_RUNS   = 8, // stretches can be longer than one entity
    READ_FORMS  = 16
};

static const kith_reader_ops reader_ops;

#define FORM(BITS)                                                                                 \
    {                                                                                              \
        1, &reader_ops, BITS                                                                       \
    }

static const kith_reader_form forms[READ_FORMS] = {
    FORM(0), FORM(1), FORM(2),  FORM(3),  FORM(4),  FORM(5),  FORM(6),  FORM(7),
    FORM(8), FORM(9), FORM(10), FORM(11), FORM(12), FORM(13), FORM(14), FORM(15),
};

// --- begin -----------------------------------------------------------------------------------

// Whether stretches can be longer than one entity, and a short plan will do: the plan has no anys,
// no optionals, and no `without` for which disabled rows count.
static bool has_runs(const kith_plan *plan)
{
    bool runs = plan->pool_end != 0 && plan->count == plan->none_end;
    for (uint32_t i = plan->flag_end; i < plan->none_end; i++) {
        runs = runs && !plan->terms[i].disabled_too;
    }
    return runs;
}

static unsigned form_of(const kith_plan *plan)
{
    unsigned form = plan->pool_end != 0 && kith_plan_rows_suffice(plan) ? READ_PLAIN : 0;
    bool     word = kith_plan_word_filters(plan) && kith_plan_none_disabled(plan);
    form |= word && !plan->wants_changes ? READ_WORD : 0;
    return form != 0 && has_runs(plan) ? form | READ_RUNS : form;
}

// The storage with the rows to walk; NULL: the entity table.
static const kith_storage *find_lead(const kith_plan *plan, const kith_group *group)
{
    uint32_t lead = kith_plan_lead(plan);
    if (group != NULL) {
        return kith_group_lead(group);
    }
    return lead == KITH_NO_TERM ? NULL : plan->terms[lead].storage;
}

// A step before its first place. When `error` or a write term stands against it, reports the error
// and returns a failed step.
static kith_step_ begin_reader(const kith_world *world, const kith_query_desc *desc,
                               const kith_plan *plan, unsigned stored, kith_error *error)
{
    if (error->code == KITH_OK && plan->writes) {
        error->code    = KITH_ERROR_ARGUMENT;
        error->subject = "reading needs a query without write terms";
        error->other   = desc->name;
    }
    if (error->code != KITH_OK) {
        kith_world_report_error(world, error);
        return (kith_step_){ 0 };
    }
    const kith_group *group = kith_plan_group(world, plan);
    unsigned          form  = form_of(plan) | stored;
    group = group != NULL && !group->unsettled ? group : NULL; // touched: members are out of place
    if (group != NULL && group->owned == 0) {
        form &= ~(unsigned)READ_RUNS; // an index has no rows beside others
    }
    return (kith_step_){ .world_   = (kith_world *)(uintptr_t)world,
                         .ticket_  = &forms[form].ticket,
                         .serial_  = forms[form].ticket,
                         .columns_ = (const void *)find_lead(plan, group),
                         .source_  = desc };
}

KITH_API kith_step_ kith_step_begin_read_(const kith_world *world, const kith_query_desc *desc)
{
    kith_plan  plan;
    kith_error error = { .call = "kith_view_begin_read" };
    kith_plan_make(&plan, world, desc, &error);
    return begin_reader(world, desc, &plan, 0, &error);
}

KITH_API kith_step_ kith_step_begin_read_stored_(const kith_query      *query,
                                                 const kith_query_desc *desc)
{
    kith_error error = { .call = "kith_query_begin_read" };
    if (query == NULL) {
        return (kith_step_){ 0 }; // kith_query_create reported the error
    }
    if (!kith_plan_same_terms(&query->desc, desc)) {
        error.code    = KITH_ERROR_ARGUMENT;
        error.subject = "the stored query has other terms than the cursor";
        error.other   = desc->name;
    } else {
        kith_plan_declared(&query->plan, query->object.world, &error);
    }
    return begin_reader(query->object.world, &query->desc, &query->plan, READ_STORED, &error);
}

KITH_API kith_cursor kith_view_begin_read(const kith_world *world, const kith_query_desc *desc,
                                          void **columns)
{
    return kith_step_cursor(kith_step_begin_read_(world, desc), columns);
}

KITH_API kith_cursor kith_query_begin_read(const kith_query *query, void **columns)
{
    const kith_query_desc *desc = query == NULL ? NULL : &query->desc;
    return kith_step_cursor(kith_step_begin_read_stored_(query, desc), columns);
}

// --- finding a stretch -----------------------------------------------------------------------

// The state of one call.
typedef struct reader {
    const kith_world   *world;
    const kith_plan    *plan;
    const kith_storage *lead;
    unsigned            form;
    uint32_t            rows[KITH_QUERY_TERMS_MAX]; // of the present entity, in each pool
} reader;

// Whether the first signature word has the flags and anys, and lacks the nones.
static inline bool passes_word(const reader *read, uint32_t index)
{
    const kith_plan *plan   = read->plan;
    uint64_t         word   = kith_entity_signature_word(&read->world->entities, index, 0);
    bool             passes = (word & (plan->want | plan->none)) == plan->want;
    for (uint32_t list = 0; list < plan->any_lists; list++) {
        passes = passes && (word & plan->any[list]) != 0;
    }
    return passes;
}

// Whether the entity matches, provided that it has a row in every pool.
static inline bool passes(const reader *read, uint32_t index)
{
    if ((read->form & READ_PLAIN) != 0) {
        return true;
    }
    return (read->form & READ_WORD) != 0
               ? passes_word(read, index)
               : kith_plan_matches(read->plan, &read->world->entities, index);
}

// Looks up the rows of the entity; returns false when a pool lacks it.
static bool locate(reader *read, uint32_t place, uint32_t index)
{
    const kith_plan_term *terms = read->plan->terms;
    for (uint32_t i = 0; i < read->plan->pool_end; i++) {
        uint32_t row =
            terms[i].storage == read->lead ? place : kith_plan_term_row(&terms[i], index);
        read->rows[i] = row;
        if (row == KITH_NO_ROW) {
            return false;
        }
    }
    return true;
}

// Whether the entity at `index` is in the row behind the present one in every pool but the lead.
static bool follows(const reader *read, uint32_t index)
{
    const kith_plan_term *terms = read->plan->terms;
    for (uint32_t i = 0; i < read->plan->pool_end; i++) {
        if (terms[i].storage != read->lead &&
            kith_plan_term_row(&terms[i], index) != read->rows[i] + 1) {
            return false;
        }
    }
    return true;
}

// The length of the stretch at `place`, which has at least two entities.
static uint32_t run_at(const reader *read, uint32_t place, const uint32_t *packed)
{
    const kith_plan *plan   = read->plan;
    bool             plain  = (read->form & READ_PLAIN) != 0;
    uint32_t         lead   = 0;
    uint32_t         length = 1;
    uint32_t         limits[KITH_QUERY_TERMS_MAX];
    kith_run         run;
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        limits[i] = plan->terms[i].storage->pool.set.head.rows_;
        lead      = plan->terms[i].storage == read->lead ? i : lead;
    }
    kith_run_find(&run, read->world, plan, lead, limits, place,
                  plain ? UINT32_MAX : AHEAD_FILTERED);
    while (!plain && length < run.length && passes_word(read, packed[length])) {
        length++;
    }
    return plain ? run.length : length;
}

// Prefetches for two entities further on: the values of the first, as an earlier call
// prefetched its rows, and the rows of the second. The indices may be those of holes.
static void look_ahead(const reader *read, uint32_t first, uint32_t second)
{
    for (uint32_t i = 0; i < read->plan->pool_end; i++) {
        const kith_plan_term  *resolved = &read->plan->terms[i];
        const kith_sparse_set *set      = &resolved->storage->pool.set;
        if (resolved->storage == read->lead) {
            continue;
        }
        uint32_t row = kith_plan_term_row(resolved, first);
        if (row != KITH_NO_ROW) {
            KITH_PREFETCH(kith_pool_value(&resolved->storage->pool, row));
        }
        if (second >> KITH_PAGE_SHIFT_ < set->head.sparse_pages_) {
            KITH_PREFETCH(kith_sparse_set_slot(set, second));
        }
    }
}

// The length of the stretch at `place`, a row of the lead; its page has `left` rows from there on.
// Returns 0 when the entity there does not match.
static uint32_t stretch_at(reader *read, uint32_t place, const uint32_t *packed, uint32_t left)
{
    if (left > AHEAD_ROWS && read->plan->pool_end > 1) {
        look_ahead(read, packed[AHEAD_VALUES], packed[AHEAD_ROWS]);
    }
    if ((*packed & KITH_HOLE) != 0 || !passes(read, *packed) || !locate(read, place, *packed)) {
        return 0;
    }
    bool longer = (read->form & READ_RUNS) != 0 && left > 1 && (packed[1] & KITH_HOLE) == 0 &&
                  passes(read, packed[1]) && follows(read, packed[1]);
    return longer ? run_at(read, place, packed) : 1;
}

// Writes the addresses of the entity's values, one for each column.
static void take_values(const reader *read, uint32_t index, void **values)
{
    const kith_plan *plan = read->plan;
    uint32_t         row;
    for (uint32_t i = 0; i < plan->pool_end; i++) {
        const kith_plan_term *resolved = &plan->terms[i];
        if (resolved->column != KITH_NO_COLUMN) {
            values[resolved->column] = kith_pool_value(&resolved->storage->pool, read->rows[i]);
        }
    }
    for (uint32_t i = plan->none_end; i < plan->count; i++) {
        const kith_plan_term *resolved = &plan->terms[i];
        values[resolved->column] =
            kith_plan_term_value(resolved, &read->world->entities, index, &row);
    }
}

// --- next ------------------------------------------------------------------------------------

// Whether no row from `place` to the end of the lead's page changed as the query asks.
static bool is_old_page(const reader *read, uint32_t place)
{
    for (uint32_t i = 0; i < read->plan->pool_end && read->plan->wants_changes; i++) {
        const kith_plan_term *resolved = &read->plan->terms[i];
        if (resolved->storage == read->lead) {
            return kith_plan_term_old_rows(resolved, place, read->plan->since) != 0;
        }
    }
    return false;
}

// Advances to the next stretch; returns its length, 0 at the end.
static uint32_t find_stretch(reader *read, kith_step_ *step, void **values)
{
    const kith_sparse_set *set       = &read->lead->pool.set;
    uint32_t               page_rows = kith_sparse_set_page_rows(set);
    for (uint32_t place = step->row_; place < set->head.rows_;) {
        const uint32_t *packed = kith_sparse_set_packed(set, place);
        uint32_t left = kith_min(page_rows - (place & (page_rows - 1)), set->head.rows_ - place);
        if (is_old_page(read, place)) {
            place += left;
            continue;
        }
        for (; left != 0; left--, packed++, place++) {
            uint32_t length = stretch_at(read, place, packed, left);
            if (length != 0) {
                take_values(read, *packed, values);
                step->indices_ = packed;
                step->row_     = place + length;
                return length;
            }
        }
    }
    return 0;
}

// The same in the entity table, where a stretch is one entity.
static uint32_t find_entity(const reader *read, kith_step_ *step, void **values)
{
    const kith_entity_table *table = &read->world->entities;
    for (uint32_t index = step->row_; index < table->count; index++) {
        if (kith_entity_index_alive(table, index) && passes(read, index)) {
            take_values(read, index, values);
            step->row_ = index + 1;
            return 1;
        }
    }
    return 0;
}

// Makes the plan of a view with READ_RUNS. The terms were checked when the reader began, so this
// does a tenth of the work of kith_plan_make. A component with a modifier term beside its own is in
// the plan twice, which does no harm.
static void make_short_plan(const kith_step_ *step, kith_plan *plan)
{
    const kith_query_desc *desc    = step->source_;
    uint32_t               columns = 0;
    plan->pool_end                 = 0;
    plan->any_lists                = 0;
    plan->wants_changes            = false;
    plan->want                     = 0;
    plan->none                     = 0;
    for (uint32_t i = 0; i < desc->term_count; i++) {
        const kith_term *term    = &desc->terms[i];
        kith_storage    *storage = kith_world_storage(step->world_, term->component);
        uint64_t         bit     = UINT64_C(1) << (storage->bit & 63);
        if (term->role == KITH_ROLE_WITHOUT) {
            plan->none |= bit;
        } else if (storage->desc.kind == KITH_KIND_FLAG) {
            plan->want |= bit;
        } else {
            kith_plan_term *resolved = &plan->terms[plan->pool_end++];
            resolved->storage        = storage;
            resolved->column = kith_role_has_column(term->role) ? columns++ : KITH_NO_COLUMN;
        }
    }
    plan->none_end = plan->pool_end;
    plan->count    = plan->pool_end;
}

// Makes the plan of any other view. Returns NULL, with an error, when the walk is over.
static const kith_plan *make_full_plan(const kith_step_ *step, kith_plan *plan)
{
    kith_error error = { .call = "kith_cursor_next", .code = KITH_ERROR_CLOSED };
    if (step->serial_ != 0 &&
        kith_plan_make(plan, step->world_, step->source_, &error) == KITH_OK) {
        return plan;
    }
    kith_world_report_error(step->world_, &error);
    return NULL;
}

// The plan of the stored query whose description the step has, or one made in `made`.
static const kith_plan *find_plan(const kith_step_ *step, unsigned form, kith_plan *made)
{
    if (step->serial_ == 0 || (form & (READ_STORED | READ_RUNS)) == 0) {
        return make_full_plan(step, made);
    }
    if ((form & READ_STORED) != 0) {
        const uint8_t *desc = step->source_;
        return &((const kith_query *)(const void *)(desc - offsetof(kith_query, desc)))->plan;
    }
    make_short_plan(step, made);
    return made;
}

static uint32_t next_stretch(kith_step_ *step, void **values)
{
    kith_plan made;
    unsigned  form = kith_step_reader(step)->bits;
    reader    read = { .world = step->world_,
                       .plan  = find_plan(step, form, &made),
                       .lead  = (const void *)step->columns_,
                       .form  = form };
    if (step->end_ != 0) {
        step->row_ -= step->end_ - (step->at_ + 1); // entities of the stretch not handed out yet
    }
    uint32_t length = 0;
    if (read.plan != NULL) {
        length = read.lead == NULL ? find_entity(&read, step, values)
                                   : find_stretch(&read, step, values);
    }
    step->at_     = 0;
    step->serial_ = length != 0 ? *step->ticket_ : 0;
    return length;
}

static kith_entity reader_next(kith_step_ *step, void **values)
{
    step->end_   = next_stretch(step, values);
    step->count_ = step->end_ != 0;
    return kith_reader_entity(step, 0);
}

static kith_entity reader_next_chunk(kith_step_ *step, void **values, uint32_t *count)
{
    *count       = next_stretch(step, values);
    step->end_   = *count != 0;
    step->count_ = *count;
    return kith_reader_entity(step, 0);
}

static const kith_reader_ops reader_ops = { reader_next, reader_next_chunk };
