// SPDX-License-Identifier: MIT
// Walks that open no loop: readers, and the answers first, count, contains.
//
// Readers are cursors for many threads, which walk a world that does not change.
// A reader writes to its own step only. It has no block: each call finds one stretch, the entities
// from the step's next place on that have consecutive rows in every pool. A stretch is as long as a
// page when all pools have the same order, and one entity long when they have not.
//
//     step: ticket_   points into `forms`, to the form of the walk
//           serial_   1, which is what every ticket holds: inline code goes through a stretch
//           columns_  the rows of the lead; NULL: the entity table
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
    READ_RUNS   = 2  // stretches can be longer than one entity, and a short plan will do
};

static kith_entity reader_next(kith_step_ *step, void **values, uint32_t *count);

static const kith_reader_form forms[] = {
    { 1, 0, reader_next, NULL, NULL },
    { 1, READ_STORED, reader_next, NULL, NULL },
    { 1, READ_RUNS, reader_next, NULL, NULL },
    { 1, READ_STORED | READ_RUNS, reader_next, NULL, NULL },
};

// --- begin -----------------------------------------------------------------------------------

// READ_RUNS when an entity matches if it has a row in every pool and its first signature word
// passes; otherwise 0. A short plan cannot tell a `without` for which disabled rows count.
static unsigned form_of(const kith_plan *plan)
{
    bool runs = plan->pool_end != 0 && plan->count == plan->none_end && !plan->wants_changes &&
                plan->in_first_word && kith_plan_none_disabled(plan, 0, plan->any_end);
    for (uint32_t i = plan->flag_end; i < plan->none_end; i++) {
        runs = runs && !plan->terms[i].disabled_too;
    }
    return runs ? READ_RUNS : 0;
}

// The rows to walk; NULL: the entity table.
KITH_NOINLINE static const kith_sparse_set *
find_lead(const kith_world *world, const kith_plan *plan, const kith_group *group)
{
    uint32_t lead = kith_plan_lead(plan);
    if (group != NULL && !group->unsettled) { // unsettled: members are out of place
        if (group->owned == 0) {
            return &group->list.pool.set;
        }
        lead = world->membership->lead_term(group, plan);
    }
    return lead == KITH_NO_TERM ? NULL : kith_plan_set(plan, lead);
}

// Reports an error; returns false.
static bool refuse_read(const kith_world *world, kith_error_code code, const char *call,
                        const char *subject, const char *name)
{
    kith_error error = { .code = code, .call = call, .subject = subject, .other = name };
    return kith_world_report_error(world, &error);
}

// Makes the plan of a description; returns false, with an error, when the description is wrong.
KITH_NOINLINE static bool make_plan(const kith_world *world, const kith_query_desc *desc,
                                    kith_plan *plan, const char *call)
{
    kith_error error = { .call = call };
    return kith_plan_make(plan, world, desc, &error) == KITH_OK ||
           kith_world_report_error(world, &error);
}

// A step before its first place. When the plan has write terms, reports an error and returns a
// failed step.
static kith_step_ begin_reader(const kith_world *world, const kith_query_desc *desc,
                               const kith_plan *plan, unsigned stored, const char *call)
{
    const kith_reader_form *form = &forms[form_of(plan) | stored];
    if (plan->writes) {
        refuse_read(world, KITH_ERROR_ARGUMENT, call, "reading needs a query without write terms",
                    desc->name);
        return (kith_step_){ 0 };
    }
    return (kith_step_){ .world_  = (kith_world *)(uintptr_t)world,
                         .ticket_ = &form->ticket,
                         .serial_ = form->ticket,
                         .columns_ =
                             (const void *)find_lead(world, plan, kith_plan_group(world, plan)),
                         .source_ = desc };
}

kith_step_ kith_step_begin_read_(const kith_world *world, const kith_query_desc *desc)
{
    static const char call[] = "kith_view_begin_read";
    kith_plan         plan;
    return make_plan(world, desc, &plan, call) ? begin_reader(world, desc, &plan, 0, call)
                                               : (kith_step_){ 0 };
}

kith_step_ kith_step_begin_read_stored_(const kith_query *query, const kith_query_desc *desc)
{
    static const char call[] = "kith_query_begin_read";
    kith_error        error  = { .call = call };
    if (query == NULL) {
        return (kith_step_){ 0 }; // kith_query_create reported the error
    }
    const kith_world *world = query->object.world;
    if (!kith_plan_same_terms(&query->desc, desc)) {
        refuse_read(world, KITH_ERROR_ARGUMENT, call,
                    "the stored query has other terms than the cursor", desc->name);
        return (kith_step_){ 0 };
    }
    if (!kith_plan_declared(&query->plan, world, &error)) {
        kith_world_report_error(world, &error);
        return (kith_step_){ 0 };
    }
    return begin_reader(world, &query->desc, &query->plan, READ_STORED, call);
}

kith_cursor kith_view_begin_read(const kith_world *world, const kith_query_desc *desc,
                                 void **columns)
{
    kith_step_ step = kith_step_begin_read_(world, desc);
    return kith_step_cursor(&step, columns);
}

kith_cursor kith_query_begin_read(const kith_query *query, void **columns)
{
    kith_step_ step = kith_step_begin_read_stored_(query, query == NULL ? NULL : &query->desc);
    return kith_step_cursor(&step, columns);
}

// --- finding a stretch -----------------------------------------------------------------------

// A walk over the rows of `lead`; NULL: over the entity table.
typedef struct reader {
    const kith_world      *world;
    const kith_plan       *plan;
    const kith_sparse_set *lead;
    unsigned               form;
    bool                   values; // the caller reads values: prefetch them
} reader;

// Prefetches for two entities further on: the values of the first, as an earlier call
// prefetched its rows, and the rows of the second. The indices may be those of holes.
KITH_NOINLINE static void look_ahead(const reader *read, uint32_t first, uint32_t second)
{
    for (uint32_t i = 0; i < read->plan->pool_end; i++) {
        const kith_pool *pool = &read->plan->terms[i].storage->pool;
        if (&pool->set == read->lead) {
            continue;
        }
        uint32_t row = kith_sparse_set_row_at(&pool->set, first);
        if (row != KITH_NO_ROW) {
            KITH_PREFETCH(kith_pool_value(pool, row));
        }
        if (second >> KITH_PAGE_SHIFT_ < pool->set.head.sparse_pages_) {
            KITH_PREFETCH(kith_sparse_set_slot(&pool->set, second));
        }
    }
}

// The length of the stretch at `place`, which is `left` places before the end. Returns 0 when no
// entity matches there. With READ_RUNS, `run` gets the rows.
static uint32_t stretch_at(const reader *read, uint32_t place, uint32_t left, kith_run *run)
{
    const kith_plan         *plan  = read->plan;
    const kith_entity_table *table = &read->world->entities;
    if (read->lead == NULL) {
        return kith_entity_index_alive(table, place) && kith_plan_matches(plan, table, place);
    }
    const uint32_t *packed   = kith_sparse_set_packed(read->lead, place);
    bool            filtered = (plan->want | plan->none) != 0;
    left                     = kith_min(left, kith_sparse_set_rest_of_page(read->lead, place));
    if (read->values && left > AHEAD_ROWS) {
        look_ahead(read, packed[AHEAD_VALUES], packed[AHEAD_ROWS]);
    }
    if ((*packed & KITH_HOLE) != 0) {
        return 0;
    }
    if ((read->form & READ_RUNS) == 0) {
        return kith_plan_matches(plan, table, *packed);
    }
    if (filtered && !kith_plan_passes(plan, read->world, *packed, true)) {
        return 0;
    }
    kith_run_find(run, read->world, plan, read->lead, NULL, place,
                  filtered ? kith_min(left, AHEAD_FILTERED) : left);
    uint32_t length = filtered ? kith_min(run->length, 1) : run->length;
    while (length < run->length && kith_plan_passes(plan, read->world, packed[length], true)) {
        length++;
    }
    return length;
}

// How many rows from `place` on are old for certain: to the end of the lead's page, or 0.
static uint32_t rows_to_skip(const reader *read, uint32_t place)
{
    bool skips = read->plan->wants_changes && read->lead != NULL;
    for (uint32_t i = 0; i < read->plan->pool_end && skips; i++) {
        if (kith_plan_set(read->plan, i) == read->lead) {
            return kith_plan_term_old_rows(&read->plan->terms[i], place, read->plan->since);
        }
    }
    return 0;
}

// Moves `*place` to the next stretch; returns its length, 0 at the end.
static uint32_t find_stretch(const reader *read, uint32_t *place, kith_run *run)
{
    uint32_t end = read->lead == NULL ? read->world->entities.count : read->lead->head.rows_;
    while (*place < end) {
        uint32_t old    = rows_to_skip(read, *place);
        uint32_t length = old != 0 ? 0 : stretch_at(read, *place, end - *place, run);
        if (length != 0) {
            return length;
        }
        *place += old != 0 ? old : 1;
    }
    return 0;
}

// The index of the entity at `place`.
static uint32_t index_at(const reader *read, uint32_t place)
{
    return read->lead == NULL ? place : *kith_sparse_set_packed(read->lead, place);
}

// --- answers without a cursor ----------------------------------------------------------------

kith_entity kith_view_first(const kith_world *world, const kith_query_desc *desc)
{
    kith_plan plan;
    kith_run  run;
    uint32_t  place = 0;
    if (!make_plan(world, desc, &plan, "kith_view_first")) {
        return KITH_NULL;
    }
    const kith_group *group = kith_plan_group(world, &plan);
    bool              all   = kith_plan_visits_all(&plan, group);
    reader   read  = { .world = world, .plan = &plan, .lead = find_lead(world, &plan, group) };
    uint32_t index = all ? kith_group_first(group) : KITH_NO_INDEX;
    if (!all && find_stretch(&read, &place, &run) != 0) {
        index = index_at(&read, place);
    }
    return index == KITH_NO_INDEX ? KITH_NULL : *kith_entity_slot_of(&world->entities, index);
}

uint32_t kith_view_count(const kith_world *world, const kith_query_desc *desc)
{
    kith_plan plan;
    uint32_t  rows[KITH_QUERY_TERMS_MAX];
    kith_run  run   = { .rows = rows };
    uint32_t  place = 0;
    uint32_t  count = 0;
    if (!make_plan(world, desc, &plan, "kith_view_count")) {
        return 0;
    }
    const kith_group *group = kith_plan_group(world, &plan);
    if (kith_plan_visits_all(&plan, group)) {
        return group->count;
    }
    if (plan.pool_end == 1 && plan.count == plan.none_end && !plan.wants_changes &&
        kith_plan_none_disabled(&plan, 0, 1) && kith_plan_unfiltered(&plan)) {
        return kith_storage_count(plan.terms[0].storage);
    }
    reader read = { .world = world, .plan = &plan, .lead = find_lead(world, &plan, group) };
    read.form   = form_of(&plan);
    for (uint32_t length = 1; length != 0; place += length) {
        length = find_stretch(&read, &place, &run);
        count += length;
    }
    return count;
}

bool kith_view_contains(const kith_world *world, const kith_query_desc *desc, kith_entity entity)
{
    kith_plan plan;
    return make_plan(world, desc, &plan, "kith_view_contains") &&
           kith_entity_table_alive(&world->entities, entity) &&
           kith_plan_matches(&plan, &world->entities, kith_entity_index(entity));
}

uint32_t kith_view_size_hint(const kith_world *world, const kith_query_desc *desc)
{
    kith_plan plan;
    uint32_t  most = kith_entity_table_count(&world->entities);
    if (!make_plan(world, desc, &plan, "kith_view_size_hint")) {
        return 0;
    }
    for (uint32_t i = 0; i < plan.flag_end; i++) {
        most = kith_min(most, kith_storage_count(plan.terms[i].storage));
    }
    return most;
}

// --- next ------------------------------------------------------------------------------------

// Makes the plan of a view with READ_RUNS. The terms were checked when the reader began, so this
// does a tenth of the work of kith_plan_make. A component with a modifier term beside its own is in
// the plan twice, which does no harm.
static void make_short_plan(const kith_step_ *step, kith_plan *plan)
{
    const kith_query_desc *desc    = step->source_;
    uint32_t               columns = 0;
    plan->wants_changes            = false;
    plan->pool_end = plan->any_lists = 0;
    plan->want = plan->none = 0;
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
    plan->count = plan->pool_end;
}

// Sets `*plan` to the plan of the stored query whose description the step has, or to one made in
// `made`. Returns false, with an error, when the walk is over or a term is no longer right.
static bool find_plan(const kith_step_ *step, unsigned form, kith_plan *made,
                      const kith_plan **plan)
{
    static const char call[] = "kith_cursor_next";
    *plan                    = made;
    if (step->serial_ == 0) {
        return refuse_read(step->world_, KITH_ERROR_CLOSED, call, NULL, NULL);
    }
    if ((form & READ_STORED) != 0) {
        const uint8_t *desc = step->source_;
        *plan = &((const kith_query *)(const void *)(desc - offsetof(kith_query, desc)))->plan;
        return true;
    }
    if ((form & READ_RUNS) != 0) {
        make_short_plan(step, made);
        return true;
    }
    return make_plan(step->world_, step->source_, made, call);
}

// Writes the addresses of the values of the entity at `index`, one for each column. With READ_RUNS,
// `rows` are its rows in the pools, and no other term has a column.
static void take_values(const reader *read, uint32_t index, const uint32_t *rows, void **values)
{
    for (uint32_t i = 0; i < read->plan->count; i++) {
        const kith_plan_term *term = &read->plan->terms[i];
        uint32_t              row;
        if (term->column != KITH_NO_COLUMN) {
            values[term->column] =
                (read->form & READ_RUNS) != 0
                    ? kith_pool_value(&term->storage->pool, rows[i])
                    : kith_plan_term_value(term, &read->world->entities, index, &row);
        }
    }
}

// Shows the next stretch of the walk in the step; returns its length, 0 at the end.
static uint32_t next_stretch(kith_step_ *step, void **values)
{
    kith_plan made;
    uint32_t  rows[KITH_QUERY_TERMS_MAX];
    kith_run  run  = { .rows = rows };
    reader    read = { .world  = step->world_,
                       .lead   = (const void *)step->columns_,
                       .form   = kith_step_reader(step)->bits,
                       .values = true };
    if (!find_plan(step, read.form, &made, &read.plan)) {
        return 0;
    }
    step->row_ -= step->last_ - step->at_; // entities of the stretch not handed out yet
    uint32_t length = find_stretch(&read, &step->row_, &run);
    if (length != 0) {
        step->indices_ = read.lead == NULL ? NULL : kith_sparse_set_packed(read.lead, step->row_);
        take_values(&read, index_at(&read, step->row_), run.rows, values);
        step->row_ += length;
    }
    return length;
}

static kith_entity reader_next(kith_step_ *step, void **values, uint32_t *count)
{
    uint32_t length = next_stretch(step, values);
    step->at_       = 0;
    step->serial_   = length != 0 ? *step->ticket_ : 0;
    step->last_     = count == NULL && length != 0 ? length - 1 : 0;
    step->count_    = count == NULL ? length != 0 : length;
    if (count != NULL) {
        *count = length;
    }
    return kith_step_entity_(step, 0);
}
