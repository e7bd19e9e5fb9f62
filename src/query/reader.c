// SPDX-License-Identifier: MIT
#include "query/query.h"

#include "world/group.h"

#define AHEAD_FILTERED 64u // entities looked at for a stretch where any may be passed over
#define AHEAD_VALUES   16u // places from where values are fetched to where they are wanted
#define AHEAD_ROWS     32u // the same for rows

// How a walk goes, as far as that stays as it is while nobody changes the world.
enum {
    READ_STORED = 1, // the plan is a stored query's; otherwise it is made for each stretch
    READ_PLAIN  = 2, // who has rows in all pools is visited
    READ_NEAR   = 4, // the first signature word decides that, and no rows are disabled
    READ_RUNS   = 8, // stretches can be longer than one entity
    READ_FORMS  = 16
};

// A reader's ticket never changes. Which of these it is says how the walk goes.
static const uint64_t tickets[READ_FORMS] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

KITH_INTERNAL bool kith_reader_owns(const kith_step_ *step)
{
    return (uintptr_t)step->ticket_ - (uintptr_t)tickets < sizeof tickets;
}

// --- beginning -------------------------------------------------------------------------------

// Whether the first signature word decides on flags, nones and anys, and no rows are disabled.
static bool word_decides(const kith_plan *plan)
{
    bool near = plan->in_first_word;
    for (uint32_t i = 0; i < plan->anys; i++) {
        near = near && !kith_plan_term_masked(&plan->terms[i]);
    }
    return near;
}

// Whether stretches may be longer than one entity, and a view's plan be made quickly: every term
// asks for rows or for a bit, and none to be without a component whose disabled rows count.
static bool has_runs(const kith_plan *plan)
{
    bool runs = plan->pools != 0 && plan->count == plan->nones;
    for (uint32_t i = plan->flags; i < plan->nones; i++) {
        runs = runs && !plan->terms[i].disabled_too;
    }
    return runs;
}

static unsigned form_of(const kith_plan *plan)
{
    unsigned form = plan->pools != 0 && kith_plan_is_plain(plan) ? READ_PLAIN : 0;
    form |= word_decides(plan) && !plan->wants_changes ? READ_NEAR : 0;
    return form != 0 && has_runs(plan) ? form | READ_RUNS : form;
}

// The column whose rows are walked; NULL: the entity table is walked. It stands where other cursors
// have their columns.
static const kith_storage *find_lead(const kith_plan *plan, const kith_group *group)
{
    uint32_t lead = kith_plan_lead(plan);
    if (group != NULL) {
        return kith_group_lead(group);
    }
    return lead == KITH_NO_TERM ? NULL : plan->terms[lead].storage;
}

// A cursor before its first place, or a failed one if something is wrong.
static kith_step_ begin_reader(const kith_world *world, const kith_query_desc *desc,
                               const kith_plan *plan, unsigned stored, kith_error *error)
{
    static const kith_step_ failed;
    if (error->code == KITH_OK && plan->writes) {
        error->code    = KITH_ERROR_ARGUMENT;
        error->subject = "reading needs a query without write terms";
        error->other   = desc->name;
    }
    if (error->code != KITH_OK) {
        kith_world_report_error(world, error);
        return failed;
    }
    const kith_group *group = kith_plan_group(world, plan);
    unsigned          form  = form_of(plan) | stored;
    group = group != NULL && !group->touched ? group : NULL; // the members are not all in place
    if (group != NULL && group->owned == 0) {
        form &= ~(unsigned)READ_RUNS; // an index has no rows beside others
    }
    return (kith_step_){ .world_   = (kith_world *)(uintptr_t)world,
                         .ticket_  = &tickets[form],
                         .serial_  = tickets[0],
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
    static const kith_step_ failed;
    kith_error              error = { .call = "kith_query_begin_read" };
    if (query == NULL) {
        return failed; // making it was an error already
    }
    if (!kith_plan_same_terms(&query->desc, desc)) {
        error.code    = KITH_ERROR_ARGUMENT;
        error.subject = "the stored query has other terms than the cursor";
        error.other   = desc->name;
    } else {
        kith_plan_declared(&query->plan, query->world, &error);
    }
    return begin_reader(query->world, &query->desc, &query->plan, READ_STORED, &error);
}

// --- finding ---------------------------------------------------------------------------------

// What one call knows.
typedef struct reader {
    const kith_world   *world;
    const kith_plan    *plan;
    const kith_storage *lead;
    unsigned            form;
    uint32_t            rows[KITH_QUERY_TERMS_MAX]; // of the present entity, in each pool resolved
} reader;

// Flags, nones and anys by the first signature word.
static inline bool passes_near(const reader *read, uint32_t index)
{
    const kith_plan *plan   = read->plan;
    uint64_t         word   = kith_entity_signature_word(&read->world->entities, index, 0);
    bool             passes = (word & (plan->want | plan->none)) == plan->want;
    for (uint32_t group = 0; group < plan->groups; group++) {
        passes = passes && (word & plan->any[group]) != 0;
    }
    return passes;
}

static inline bool passes(const reader *read, uint32_t index)
{
    if ((read->form & READ_PLAIN) != 0) {
        return true;
    }
    return (read->form & READ_NEAR) != 0
               ? passes_near(read, index)
               : kith_plan_matches(read->plan, &read->world->entities, index);
}

// The rows of the entity in each pool; false: it is not in all.
static bool locate(reader *read, uint32_t place, uint32_t index)
{
    const kith_plan_term *resolved_terms = read->plan->terms;
    for (uint32_t i = 0; i < read->plan->pools; i++) {
        uint32_t row  = resolved_terms[i].storage == read->lead
                            ? place
                            : kith_plan_term_row(&resolved_terms[i], index);
        read->rows[i] = row;
        if (row == KITH_NO_ROW) {
            return false;
        }
    }
    return true;
}

// Whether the entity of the next place stands behind the present one in every pool.
static bool follows(const reader *read, uint32_t index)
{
    const kith_plan_term *resolved_terms = read->plan->terms;
    for (uint32_t i = 0; i < read->plan->pools; i++) {
        if (resolved_terms[i].storage != read->lead &&
            kith_plan_term_row(&resolved_terms[i], index) != read->rows[i] + 1) {
            return false;
        }
    }
    return true;
}

// The length of a stretch of several.
static uint32_t run_at(const reader *read, uint32_t place, const uint32_t *packed)
{
    const kith_plan *plan   = read->plan;
    bool             plain  = (read->form & READ_PLAIN) != 0;
    uint32_t         lead   = 0;
    uint32_t         length = 1;
    uint32_t         limits[KITH_QUERY_TERMS_MAX];
    kith_run         run;
    for (uint32_t i = 0; i < plan->pools; i++) {
        limits[i] = plan->terms[i].storage->pool.set.head.rows_;
        lead      = plan->terms[i].storage == read->lead ? i : lead;
    }
    kith_run_find(&run, read->world, plan, lead, limits, place,
                  plain ? UINT32_MAX : AHEAD_FILTERED);
    while (!plain && length < run.length && passes_near(read, packed[length])) {
        length++;
    }
    return plain ? run.length : length;
}

// Lets what will be asked of two entities further on come from memory: the rows of the second, and
// the values of the first, whose rows are there by now. They may be holes.
static void look_ahead(const reader *read, uint32_t first, uint32_t second)
{
    for (uint32_t i = 0; i < read->plan->pools; i++) {
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

// The length of the stretch at a row of the lead, whose page has `left` rows from there on; 0:
// nothing to visit there.
static uint32_t stretch_at(reader *read, uint32_t place, const uint32_t *packed, uint32_t left)
{
    if (left > AHEAD_ROWS && read->plan->pools > 1) {
        look_ahead(read, packed[AHEAD_VALUES], packed[AHEAD_ROWS]);
    }
    if ((*packed & KITH_HOLE) != 0 || !passes(read, *packed) || !locate(read, place, *packed)) {
        return 0;
    }
    bool longer = (read->form & READ_RUNS) != 0 && left > 1 && (packed[1] & KITH_HOLE) == 0 &&
                  passes(read, packed[1]) && follows(read, packed[1]);
    return longer ? run_at(read, place, packed) : 1;
}

static void take_values(const reader *read, uint32_t index, void **values)
{
    const kith_plan *plan = read->plan;
    uint32_t         row;
    for (uint32_t i = 0; i < plan->pools; i++) {
        const kith_plan_term *resolved = &plan->terms[i];
        if (resolved->column != KITH_NO_COLUMN) {
            values[resolved->column] = kith_pool_value(&resolved->storage->pool, read->rows[i]);
        }
    }
    for (uint32_t i = plan->nones; i < plan->count; i++) {
        const kith_plan_term *resolved = &plan->terms[i];
        values[resolved->column] =
            kith_plan_term_value(resolved, &read->world->entities, index, &row);
    }
}

// --- going on --------------------------------------------------------------------------------

// Whether no row from this one to the end of the lead's page has changed as the query asks.
static bool is_old_page(const reader *read, uint32_t place)
{
    for (uint32_t i = 0; i < read->plan->pools && read->plan->wants_changes; i++) {
        const kith_plan_term *resolved = &read->plan->terms[i];
        if (resolved->storage == read->lead) {
            return kith_plan_term_old_rows(resolved, place, read->plan->since) != 0;
        }
    }
    return false;
}

// Goes to the next stretch and answers its length, 0 at the end.
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

// The same in the entity table, where stretches have one entity.
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

// The plan of a view where rows and the first signature word decide. That its terms are right is
// known since the beginning, so that a tenth of the work remains. A component with a modifier
// beside its term is there twice, which does no harm.
static void make_quickly(const kith_step_ *step, kith_plan *plan)
{
    const kith_query_desc *desc    = step->source_;
    uint32_t               columns = 0;
    plan->pools                    = 0;
    plan->groups                   = 0;
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
            kith_plan_term *resolved = &plan->terms[plan->pools++];
            resolved->storage        = storage;
            resolved->column         = kith_role_hands_out(term->role) ? columns++ : KITH_NO_COLUMN;
        }
    }
    plan->nones = plan->pools;
    plan->count = plan->pools;
}

// The same in all other cases. NULL, with an error, when the walk is over.
static const kith_plan *make_otherwise(const kith_step_ *step, kith_plan *plan)
{
    kith_error error = { .call = "kith_cursor_next", .code = KITH_ERROR_CLOSED };
    if (step->serial_ != 0 &&
        kith_plan_make(plan, step->world_, step->source_, &error) == KITH_OK) {
        return plan;
    }
    kith_world_report_error(step->world_, &error);
    return NULL;
}

// The plan of the query whose description the cursor has, or one that is made.
static const kith_plan *find_plan(const kith_step_ *step, unsigned form, kith_plan *made)
{
    if (step->serial_ == 0 || (form & (READ_STORED | READ_RUNS)) == 0) {
        return make_otherwise(step, made);
    }
    if ((form & READ_STORED) != 0) {
        const uint8_t *desc = step->source_;
        return &((const kith_query *)(const void *)(desc - offsetof(kith_query, desc)))->plan;
    }
    make_quickly(step, made);
    return made;
}

static uint32_t next_stretch(kith_step_ *step, void **values)
{
    kith_plan made;
    unsigned  form = (unsigned)(step->ticket_ - tickets);
    reader    read = { .world = step->world_,
                       .plan  = find_plan(step, form, &made),
                       .lead  = (const void *)step->columns_,
                       .form  = form };
    if (step->end_ != 0) {
        step->row_ -= step->end_ - (step->at_ + 1); // what next has not come to yet
    }
    uint32_t length = 0;
    if (read.plan != NULL) {
        length = read.lead == NULL ? find_entity(&read, step, values)
                                   : find_stretch(&read, step, values);
    }
    step->at_     = 0;
    step->serial_ = length != 0 ? tickets[0] : 0;
    return length;
}

KITH_INTERNAL kith_entity kith_reader_next(kith_step_ *step, void **values)
{
    step->end_   = next_stretch(step, values);
    step->count_ = step->end_ != 0;
    return kith_reader_entity(step, 0);
}

KITH_INTERNAL kith_entity kith_reader_next_chunk(kith_step_ *step, void **values, uint32_t *count)
{
    *count       = next_stretch(step, values);
    step->end_   = *count != 0;
    step->count_ = *count;
    return kith_reader_entity(step, 0);
}

KITH_INTERNAL kith_entity kith_reader_entity(const kith_step_ *step, uint32_t i)
{
    if (i >= step->count_) {
        return KITH_NULL;
    }
    // a walk over all entities has no packed indices, and stretches of one
    uint32_t index = step->indices_ == NULL ? step->row_ - 1 : step->indices_[step->at_ + i];
    return *kith_entity_slot_of(&step->world_->entities, index);
}
