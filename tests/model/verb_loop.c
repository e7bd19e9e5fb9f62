// SPDX-License-Identifier: MIT
// Verbs of cursors, queries, groups and listeners.
#include "model_internal.h"
#include "scene.h"
#include "verb_pair.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Holding, ticks, stamps
// ---------------------------------------------------------------------------------------------

ALONE(world_hold)
ALONE(world_release)
ALONE(world_settle)
ALONE(world_advance)
ALONE(world_now)
CALL(component_stamp, a->component, a->count)
CALL(component_changed_at, a->entity, a->component)
CALL(component_added_at, a->entity, a->component)

static void see_number(verb_answer *answer, uint64_t number)
{
    answer->list[0] = verb_mix(answer->list[0], number);
    answer->length  = 1;
    answer->result++;
}

static void real_changes(stage *s, const argument *a, verb_answer *answer)
{
    kith_changes spans = kith_changes_begin(s->world, a->component, argument_since(s, a->number));
    while (kith_changes_next(s->world, &spans)) {
        see_number(answer, (uint64_t)spans.row << 32 | spans.count);
    }
}

static void naive_changes(stage *s, const argument *a, verb_answer *answer)
{
    kith_changes spans = { .component = a->component, .since = argument_since(s, a->number) };
    if (model_changes_begin(&s->model, a->component) == NULL) {
        return;
    }
    while (model_changes_next(&s->model, &spans)) {
        see_number(answer, (uint64_t)spans.row << 32 | spans.count);
    }
}

static void real_removals(stage *s, const argument *a, verb_answer *answer)
{
    kith_removals walk = kith_removals_begin(s->world, a->component, argument_since(s, a->number));
    kith_removal  removal;
    see_number(answer, walk.component);
    see_number(answer, walk.lost);
    while (kith_removals_next(s->world, &walk, &removal)) {
        see_number(answer, verb_mix(removal.entity, removal.tick));
    }
}

static void naive_removals(stage *s, const argument *a, verb_answer *answer)
{
    const model_component *found = model_removals_begin(&s->model, a->component);
    uint64_t               since = argument_since(s, a->number);
    see_number(answer, found == NULL ? 0 : found->desc.id);
    see_number(answer, found != NULL && found->lost != 0 && found->lost >= since);
    for (uint32_t i = 0; found != NULL && i < found->removal_count; i++) {
        if (found->removals[i].tick >= since) {
            see_number(answer, verb_mix(found->removals[i].entity, found->removals[i].tick));
        }
    }
}

// Opens as many as asked for; answers how many it were.
#define HOLD_MANY(CALL)                                                                            \
    for (uint32_t i = 0; i < a->number % (KITH_LOOP_DEPTH_MAX + 2); i++) {                         \
        answer->result += CALL;                                                                    \
    }

static void real_hold_many(stage *s, const argument *a, verb_answer *answer)
{
    HOLD_MANY(kith_world_hold(s->world))
}

static void naive_hold_many(stage *s, const argument *a, verb_answer *answer)
{
    HOLD_MANY(model_world_hold(&s->model))
}

static void real_component_get_many(stage *s, const argument *a, verb_answer *answer)
{
    const void *values[MODEL_HINTS];
    answer->result =
        kith_component_get_many(s->world, a->component, a->hints, a->hint_count, values);
    for (uint32_t i = 0; i < a->hint_count; i++) {
        answer->list[answer->length++] = stage_see(s, a->component, values[i]);
    }
}

static void naive_component_get_many(stage *s, const argument *a, verb_answer *answer)
{
    answer->length = a->hint_count;
    answer->result =
        model_component_get_many(&s->model, a->component, a->hints, a->hint_count, answer->list);
}

// ---------------------------------------------------------------------------------------------
// Views
// ---------------------------------------------------------------------------------------------

CALL(view_first, &a->query)
CALL(view_count, &a->query)
CALL(view_contains, &a->query, a->entity)
CALL(view_size_hint, &a->query)

uint64_t verb_mix(uint64_t sum, uint64_t number)
{
    return (sum ^ number) * UINT64_C(0x100000001b3) + (sum >> 29);
}

static uint32_t size_of(stage *s, kith_component component)
{
    const kith_component_desc *desc = kith_component_describe(s->world, component);
    return desc == NULL ? 0 : desc->size;
}

// Whether the column holds what the entity has: its value, nothing where it is absent to the query.
static uint64_t see_column(stage *s, const kith_term *term, const void *column, kith_entity entity)
{
    if (!model_term_reads(term)) {
        return 0;
    }
    const void *value = kith_component_get(s->world, entity, term->component);
    if (column != NULL && size_of(s, term->component) != 0 && column != value) {
        stage_fault(s, "a column is not the entity's value");
        return UINT64_MAX;
    }
    return stage_see(s, term->component, column);
}

// What the columns show of the entity at place `i` of a chunk.
static uint64_t see_columns(stage *s, const model_query *query, void *const *columns, uint32_t i,
                            kith_entity entity)
{
    uint64_t sum = entity;
    for (uint32_t n = 0; n < query->term_count; n++) {
        const kith_term *term  = &query->terms[n];
        const uint8_t   *first = columns[n];
        size_t           byte  = (size_t)i * size_of(s, term->component);
        sum = verb_mix(sum, see_column(s, term, first == NULL ? NULL : first + byte, entity));
    }
    return sum;
}

static uint64_t see_columns_naively(stage *s, const model_query *query, kith_entity entity)
{
    uint64_t sum = entity;
    for (uint32_t n = 0; n < query->term_count; n++) {
        sum = verb_mix(sum, model_query_column(&s->model, query, n, entity));
    }
    return sum;
}

// A walk without a loop, by entities, by chunks or by turns, and one call too many. Answers with
// the number of visits and what they add up to.
static void see_reading(stage *s, const argument *a, const model_query *query, kith_cursor c,
                        verb_answer *answer)
{
    bool chunked = a->number % 2 != 0;
    while (chunked ? kith_cursor_next_chunk(&c) : kith_cursor_next(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            kith_entity entity = kith_cursor_entity(&c, i);
            answer->list[0] =
                verb_mix(answer->list[0], see_columns(s, query, c.columns, i, entity));
            answer->result++;
        }
        if (kith_cursor_entity(&c, c.count + a->number) != KITH_NULL) {
            stage_fault(s, "there is an entity beyond the chunk");
        }
        chunked = chunked != (a->number % 4 >= 2);
    }
    kith_cursor_next(&c);
    kith_cursor_end(&c);
    answer->length = 1;
}

static void see_reading_naively(stage *s, const model_query *query, const kith_query_desc *desc,
                                verb_answer *answer)
{
    kith_entity list[MODEL_ROWS];
    answer->result = model_view_begin_read(&s->model, desc, list);
    answer->length = 1;
    for (uint32_t n = 0; n < answer->result; n++) {
        answer->list[0] = verb_mix(answer->list[0], see_columns_naively(s, query, list[n]));
    }
}

static model_query query_of_terms(const kith_term *terms, uint32_t count)
{
    model_query query = { .term_count = count };
    memcpy(query.terms, terms, count * sizeof *terms);
    return query;
}

static void real_view_begin_read(stage *s, const argument *a, verb_answer *answer)
{
    void       *columns[ARGUMENT_TERMS];
    model_query query = query_of_terms(a->terms, a->query.term_count % ARGUMENT_TERMS);
    see_reading(s, a, &query, kith_view_begin_read(s->world, &a->query, columns), answer);
}

static void naive_view_begin_read(stage *s, const argument *a, verb_answer *answer)
{
    model_query query = query_of_terms(a->terms, a->query.term_count % ARGUMENT_TERMS);
    see_reading_naively(s, &query, &a->query, answer);
}

static void real_query_begin_read(stage *s, const argument *a, verb_answer *answer)
{
    void                  *columns[ARGUMENT_TERMS];
    const kith_query      *stored = s->queries[a->stored];
    const kith_query_desc *desc   = kith_query_describe(stored);
    model_query            query  = query_of_terms(desc->terms, desc->term_count);
    see_reading(s, a, &query, kith_query_begin_read(stored, columns), answer);
}

static void naive_query_begin_read(stage *s, const argument *a, verb_answer *answer)
{
    const model_query *query = &model_query_describe(&s->model, s->model_queries[a->stored])->query;
    const kith_query_desc desc = { query->name, query->terms, query->term_count, query->since };
    see_reading_naively(s, query, &desc, answer);
}

// ---------------------------------------------------------------------------------------------
// Beginning
// ---------------------------------------------------------------------------------------------

// A loop that got no memory leaves the cursor of before in its place, because the model is not
// asked then.
static void put_cursor(stage *s, uint32_t place, const kith_cursor *c, const kith_query_desc *desc,
                       uint32_t refused_before)
{
    if (c->failed && s->memory.refused != refused_before) {
        return;
    }
    s->cursors[place]                   = *c;
    s->cursor_queries[place].term_count = c->failed ? 0 : desc->term_count;
    for (uint32_t i = 0; i < s->cursor_queries[place].term_count; i++) {
        s->cursor_queries[place].terms[i] = desc->terms[i];
    }
}

// The description is the caller's again as soon as the loop has begun.
static void real_view_begin(stage *s, const argument *a, verb_answer *answer)
{
    kith_term       terms[ARGUMENT_TERMS];
    kith_query_desc desc    = a->query;
    uint32_t        refused = s->memory.refused;
    memcpy(terms, a->terms, sizeof terms);
    desc.terms    = desc.terms == NULL ? NULL : terms;
    kith_cursor c = kith_view_begin(s->world, &desc);
    memset(terms, 0xa5, sizeof terms);
    answer->result = !c.failed;
    put_cursor(s, a->cursor, &c, &a->query, refused);
}

static void naive_view_begin(stage *s, const argument *a, verb_answer *answer)
{
    model_view_begin(&s->model, &a->query, &s->model_cursors[a->cursor]);
    answer->result = !s->model_cursors[a->cursor].failed;
}

static void real_query_begin(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t    refused = s->memory.refused;
    kith_cursor c       = kith_query_begin(s->queries[a->stored]);
    answer->result      = !c.failed;
    put_cursor(s, a->cursor, &c, kith_query_describe(s->queries[a->stored]), refused);
}

static void naive_query_begin(stage *s, const argument *a, verb_answer *answer)
{
    model_query_begin(&s->model, s->model_queries[a->stored], &s->model_cursors[a->cursor]);
    answer->result = !s->model_cursors[a->cursor].failed;
}

// ---------------------------------------------------------------------------------------------
// Going on
// ---------------------------------------------------------------------------------------------

static void write_columns(stage *s, const model_query *query, void *const *columns, uint8_t number)
{
    for (uint32_t i = 0; i < query->term_count; i++) {
        kith_component component = query->terms[i].component;
        if (model_term_writes(&query->terms[i]) && columns[i] != NULL &&
            !stage_is_tree(s, component)) {
            value_write(kith_component_describe(s->world, component), columns[i], number);
        }
    }
}

void verb_see_step(stage *s, const argument *a, const model_query *query, const verb_sight *sight,
                   verb_answer *answer)
{
    answer->list[0] = sight->entity;
    answer->list[1] = sight->count;
    answer->length  = 3;
    for (uint32_t i = 0; i < sight->count; i++) {
        uint64_t seen   = see_columns(s, query, sight->columns, i, sight->members[i]);
        answer->list[2] = verb_mix(answer->list[2], seen);
    }
    if (sight->count != 0) {
        write_columns(s, query, sight->columns, a->number);
    }
}

void verb_see_step_naively(stage *s, const argument *a, const model_cursor *c, verb_answer *answer)
{
    answer->list[0] = c->entity;
    answer->list[1] = c->count;
    answer->length  = 3;
    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t seen   = see_columns_naively(s, &c->query, c->members[i]);
        answer->list[2] = verb_mix(answer->list[2], seen);
    }
    if (c->count != 0) {
        model_cursor_write(&s->model, c, a->number);
    }
}

// A cursor that goes on leaves its copies behind: they are not used any more. Until now they were
// in the same place of the same loop.
static bool step_cursor(stage *s, uint32_t place, bool (*next)(kith_cursor *cursor))
{
    kith_cursor *c      = &s->cursors[place];
    uint64_t     serial = c->step_.serial_;
    bool         more   = next(c);
    for (uint32_t i = 0; i < STAGE_CURSORS && c->step_.serial_ != 0; i++) {
        if (i != place && s->cursors[i].step_.serial_ == serial) {
            s->cursors[i] = (kith_cursor){ .entity = KITH_NULL };
        }
    }
    return more;
}

static void leave_naive_copies(stage *s, const model_cursor *gone_on)
{
    for (uint32_t i = 0; i < STAGE_CURSORS && model_cursor_open(&s->model, gone_on); i++) {
        model_cursor *c = &s->model_cursors[i];
        if (c != gone_on && c->loop == gone_on->loop) {
            *c = (model_cursor){ .loop = 0 };
        }
    }
}

static void see_cursor(stage *s, const argument *a, verb_answer *answer)
{
    const kith_cursor *c     = &s->cursors[a->cursor];
    verb_sight         sight = { .entity = c->entity, .count = c->count, .columns = c->columns };
    for (uint32_t i = 0; i < c->count && i < MODEL_ROWS; i++) {
        sight.members[i] = kith_cursor_entity(c, i);
    }
    answer->given = c->count;
    verb_see_step(s, a, &s->cursor_queries[a->cursor], &sight, answer);
}

static void real_cursor_next(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = step_cursor(s, a->cursor, kith_cursor_next);
    see_cursor(s, a, answer);
}

static void naive_cursor_next(stage *s, const argument *a, verb_answer *answer)
{
    model_cursor *c = &s->model_cursors[a->cursor];
    answer->result  = model_cursor_next(&s->model, c);
    leave_naive_copies(s, c);
    verb_see_step_naively(s, a, c, answer);
}

static void real_cursor_next_chunk(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = step_cursor(s, a->cursor, kith_cursor_next_chunk);
    see_cursor(s, a, answer);
}

static void naive_cursor_next_chunk(stage *s, const argument *a, verb_answer *answer)
{
    model_cursor *c = &s->model_cursors[a->cursor];
    answer->result  = model_cursor_next_chunk(&s->model, c, answer->given);
    leave_naive_copies(s, c);
    verb_see_step_naively(s, a, c, answer);
}

static void real_cursor_copy(stage *s, const argument *a, verb_answer *answer)
{
    (void)answer;
    s->cursors[a->cursor]        = s->cursors[a->source];
    s->cursor_queries[a->cursor] = s->cursor_queries[a->source];
}

static void naive_cursor_copy(stage *s, const argument *a, verb_answer *answer)
{
    (void)answer;
    s->model_cursors[a->cursor] = s->model_cursors[a->source];
}

PAIR(cursor_entity, kith_cursor_entity(&s->cursors[a->cursor], a->count),
     model_cursor_entity(&s->model, &s->model_cursors[a->cursor], a->count))
PAIR(cursor_end, (kith_cursor_end(&s->cursors[a->cursor]), 0),
     (model_cursor_end(&s->model, &s->model_cursors[a->cursor]), 0))

// ---------------------------------------------------------------------------------------------
// Stored queries
// ---------------------------------------------------------------------------------------------

// The first place that has the same query identifies it.
static void real_query_create(stage *s, const argument *a, verb_answer *answer)
{
    kith_query *made = kith_query_create(s->world, &a->query);
    if (made != NULL) {
        s->queries[a->stored] = made;
        while (s->queries[answer->result++] != made) {
        }
    }
}

static void naive_query_create(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t made = model_query_create(&s->model, &a->query);
    if (made != 0) {
        s->model_queries[a->stored] = made;
        while (s->model_queries[answer->result++] != made) {
        }
    }
}

// At most one term, so that the queries of the world do not become too many.
static kith_query_desc first_term(const argument *a)
{
    kith_query_desc desc = a->query;
    desc.term_count      = desc.term_count > 1 ? 1 : desc.term_count;
    return desc;
}

static void real_query_of(stage *s, const argument *a, verb_answer *answer)
{
    kith_query_desc desc = first_term(a);
    kith_query     *made = kith_query_of(s->world, &desc);
    if (made != NULL) {
        s->queries[a->stored] = made;
        while (s->queries[answer->result++] != made) {
        }
    }
}

static void naive_query_of(stage *s, const argument *a, verb_answer *answer)
{
    kith_query_desc desc = first_term(a);
    uint32_t        made = model_query_of(&s->model, &desc);
    if (made != 0) {
        s->model_queries[a->stored] = made;
        while (s->model_queries[answer->result++] != made) {
        }
    }
}

// --- as text ---

// The number of the term with which the text of term `i` begins: the first of its list.
static uint32_t first_of_list(const kith_query_desc *desc, uint32_t i)
{
    uint32_t first = 0;
    while (first < i &&
           (desc->terms[i].role != KITH_ROLE_ANY || desc->terms[first].role != KITH_ROLE_ANY ||
            desc->terms[first].any_list != desc->terms[i].any_list)) {
        first++;
    }
    return first;
}

// The terms as their text has them: alternatives side by side, with the number that KITH_QUERY
// gives them.
static kith_query_desc written_terms(const kith_query_desc *desc, kith_term *terms)
{
    kith_query_desc written = { .terms = terms };
    uint32_t        count   = desc->terms == NULL ? 0 : desc->term_count;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i; k < count && first_of_list(desc, i) == i; k++) {
            if (first_of_list(desc, k) == i) {
                kith_role role              = desc->terms[k].role;
                uint32_t  list              = role == KITH_ROLE_ANY ? desc->terms[i].component : 0;
                terms[written.term_count++] = (kith_term){ desc->terms[k].component, role, list };
            }
        }
    }
    return written;
}

// Writes the text. A role or a component that no text can have is a word or a name that is not
// known.
static void write_terms(const stage *s, const kith_query_desc *desc, text *out)
{
    text_add(out, "%s", "");
    for (uint32_t i = 0; i < desc->term_count; i++) {
        const kith_term           *term  = &desc->terms[i];
        const kith_component_desc *named = kith_component_describe(s->world, term->component);
        const char                *name  = named == NULL ? "unknown" : named->name;
        bool                       known = (unsigned)term->role <= KITH_ROLE_ADDED;
        bool more = i > 0 && term->any_list != 0 && term[-1].any_list == term->any_list;
        bool last = i + 1 == desc->term_count || term[1].any_list != term->any_list;
        if (more) {
            text_add(out, ", \"%s\"", name);
        } else {
            text_add(out, "%s%s(\"%s\"", i == 0 ? "" : ", ",
                     known ? kith_role_name(term->role) : "unknown", name);
        }
        text_add(out, "%s", last || term->any_list == 0 ? ")" : "");
    }
}

static void real_query_parse(stage *s, const argument *a, verb_answer *answer)
{
    kith_term       terms[ARGUMENT_TERMS];
    kith_query_desc desc    = first_term(a);
    kith_query_desc written = written_terms(&desc, terms);
    text            own     = { .data = NULL };
    kith_query     *made;
    write_terms(s, &written, &own);
    if (kith_query_parse(s->world, own.data, &made)) {
        s->queries[a->stored] = made;
        while (s->queries[answer->result++] != made) {
        }
    }
    text_end(&own);
}

static void naive_query_parse(stage *s, const argument *a, verb_answer *answer)
{
    kith_term       terms[ARGUMENT_TERMS];
    kith_query_desc desc    = first_term(a);
    kith_query_desc written = written_terms(&desc, terms);
    written.name  = written.term_count == 0 ? "" : kith_role_name(terms[0].role); // it begins so
    uint32_t made = model_query_parse(&s->model, &written);
    if (made != 0) {
        s->model_queries[a->stored] = made;
        while (s->model_queries[answer->result++] != made) {
        }
    }
}

static void real_query_desc_parse(stage *s, const argument *a, verb_answer *answer)
{
    kith_term       terms[ARGUMENT_TERMS];
    kith_query_desc desc;
    kith_query_desc written = written_terms(&a->query, terms);
    text            own     = { .data = NULL };
    write_terms(s, &written, &own);
    if (kith_query_desc_parse(s->world, own.data, &desc, terms)) {
        answer->result  = 1 + kith_view_count(s->world, &desc);
        answer->list[0] = kith_view_first(s->world, &desc);
        answer->length  = 1;
    }
    text_end(&own);
}

static void naive_query_desc_parse(stage *s, const argument *a, verb_answer *answer)
{
    kith_term       terms[ARGUMENT_TERMS];
    kith_query_desc desc = written_terms(&a->query, terms);
    if (model_query_desc_parse(&s->model, &desc)) {
        answer->result  = 1 + model_view_count(&s->model, &desc);
        answer->list[0] = model_view_first(&s->model, &desc);
        answer->length  = 1;
    }
}

static void real_query_destroy(stage *s, const argument *a, verb_answer *answer)
{
    answer->result        = kith_query_destroy(s->queries[a->stored]);
    s->queries[a->stored] = NULL;
}

static void naive_query_destroy(stage *s, const argument *a, verb_answer *answer)
{
    answer->result              = model_query_destroy(&s->model, s->model_queries[a->stored]);
    s->model_queries[a->stored] = 0;
}

static uint64_t sum_of_terms(const kith_term *terms, uint32_t count)
{
    uint64_t sum = count;
    for (uint32_t i = 0; i < count; i++) {
        sum = verb_mix(verb_mix(verb_mix(sum, terms[i].component), (uint64_t)terms[i].role),
                       terms[i].any_list);
    }
    return sum;
}

static void real_query_describe(stage *s, const argument *a, verb_answer *answer)
{
    const kith_query_desc *desc = kith_query_describe(s->queries[a->stored]);
    answer->result              = sum_of_terms(desc->terms, desc->term_count);
    answer->list[0]             = desc->name == NULL ? 0 : (uint64_t)desc->name[0];
    answer->list[1]             = desc->since;
    answer->length              = 2;
}

static void naive_query_describe(stage *s, const argument *a, verb_answer *answer)
{
    const model_query *query = &model_query_describe(&s->model, s->model_queries[a->stored])->query;
    answer->result           = sum_of_terms(query->terms, query->term_count);
    answer->list[0]          = query->name == NULL ? 0 : (uint64_t)query->name[0];
    answer->list[1]          = query->since;
    answer->length           = 2;
}

PAIR(query_since_set,
     (kith_query_since_set(s->queries[a->stored], argument_since(s, a->number)), 0),
     (model_query_since_set(&s->model, s->model_queries[a->stored], argument_since(s, a->number)),
      0))

// What was examined depends on what the library resolves ahead; only the lead and the sums do not.
static void real_query_report_of(stage *s, const argument *a, verb_answer *answer)
{
    kith_query_report report = kith_query_report_of(s->queries[a->stored]);
    answer->result           = report.lead;
    answer->list[0]          = report.rows;
    answer->list[1] = report.rejected <= report.examined && report.remembered <= report.in_runs &&
                      report.runs <= report.in_runs;
    answer->length = 2;
}

static void naive_query_report_of(stage *s, const argument *a, verb_answer *answer)
{
    const model_stored *stored = model_query_describe(&s->model, s->model_queries[a->stored]);
    answer->result             = stored->lead;
    answer->list[0]            = stored->rows;
    answer->list[1]            = 1;
    answer->length             = 2;
}

static size_t write_explanation(const void *subject, char *buffer, size_t size)
{
    return kith_query_explain(subject, buffer, size);
}

PAIR(query_explain, verb_text_is_cut(write_explanation, s->queries[a->stored], a->number), 1)

// ---------------------------------------------------------------------------------------------
// Groups
// ---------------------------------------------------------------------------------------------

// Groups, like queries, are identified by the first place that has the same one.
static void real_group_of(stage *s, const argument *a, verb_answer *answer)
{
    kith_group *made = kith_group_of(s->world, &a->query);
    if (made != NULL) {
        s->groups[a->group] = made;
        while (s->groups[answer->result++] != made) {
        }
    }
}

static void naive_group_of(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t made = model_group_of(&s->model, &a->query);
    if (made != 0) {
        s->model_groups[a->group] = made;
        while (s->model_groups[answer->result++] != made) {
        }
    }
}

// A dropped group has no members.
static void real_group_drop(stage *s, const argument *a, verb_answer *answer)
{
    kith_group *group = s->groups[a->group];
    answer->result    = kith_group_drop(group);
    if (answer->result != 0) {
        answer->list[0] = kith_group_count(group);
        answer->list[1] = kith_group_contains(group, a->entity);
        answer->length  = 2;
        for (uint32_t i = 0; i < STAGE_GROUPS; i++) {
            s->groups[i] = s->groups[i] == group ? NULL : s->groups[i];
        }
    }
}

static void naive_group_drop(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t number = s->model_groups[a->group];
    answer->result  = model_group_drop(&s->model, number);
    if (answer->result != 0) {
        answer->length = 2;
        for (uint32_t i = 0; i < STAGE_GROUPS; i++) {
            s->model_groups[i] = s->model_groups[i] == number ? 0 : s->model_groups[i];
        }
    }
}

// A dropped group that is asked for again is the same one.
static void real_group_renew(stage *s, const argument *a, verb_answer *answer)
{
    kith_group *group = s->groups[a->group];
    answer->result    = kith_group_drop(group);
    if (answer->result != 0) {
        answer->list[0] = kith_group_of(s->world, kith_group_describe(group)) == group;
        answer->length  = 1;
    }
}

static void naive_group_renew(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t    number = s->model_groups[a->group];
    model_query query  = model_group_describe(&s->model, number)->query;
    answer->result     = model_group_drop(&s->model, number);
    if (answer->result != 0) {
        kith_query_desc desc = { query.name, query.terms, query.term_count, 0 };
        uint32_t        made = model_group_of(&s->model, &desc);
        answer->list[0]      = made != 0;
        answer->length       = 1;
        for (uint32_t i = 0; i < STAGE_GROUPS; i++) {
            s->model_groups[i] = s->model_groups[i] == number ? made : s->model_groups[i];
        }
    }
}

static void real_group_describe(stage *s, const argument *a, verb_answer *answer)
{
    const kith_query_desc *desc = kith_group_describe(s->groups[a->group]);
    answer->result              = sum_of_terms(desc->terms, desc->term_count);
    answer->list[0]             = desc->name == NULL ? 0 : (uint64_t)desc->name[0];
    answer->length              = 1;
}

static void naive_group_describe(stage *s, const argument *a, verb_answer *answer)
{
    const model_query *query = &model_group_describe(&s->model, s->model_groups[a->group])->query;
    answer->result           = sum_of_terms(query->terms, query->term_count);
    answer->list[0]          = query->name == NULL ? 0 : (uint64_t)query->name[0];
    answer->length           = 1;
}

PAIR(group_count, kith_group_count(s->groups[a->group]),
     model_group_count(&s->model, s->model_groups[a->group]))
PAIR(group_contains, kith_group_contains(s->groups[a->group], a->entity),
     model_group_contains(&s->model, s->model_groups[a->group], a->entity))

// ---------------------------------------------------------------------------------------------
// A loop that makes a call for each entity
// ---------------------------------------------------------------------------------------------

typedef struct visit {
    scene_script *script;
    model_query   query;
    uint32_t      until; // the visit that is the last; 0: all
    uint32_t      count;
} visit;

static bool goes_on(visit *v)
{
    return ++v->count != v->until;
}

static bool visit_entity(const kith_cursor *cursor, void *context)
{
    visit *v = context;
    stage *s = v->script->stage;
    scene_visit(v->script, cursor->entity,
                see_columns(s, &v->query, cursor->columns, 0, cursor->entity));
    return goes_on(v);
}

// A listener's own walks do nothing but visit.
static scene_script *script_of_each(stage *s, const argument *a)
{
    return &s->scene->scripts[STAGE_LISTENERS + (a->acting ? 1 : 0)];
}

static void real_query_each(stage *s, const argument *a, verb_answer *answer)
{
    const kith_query_desc *desc = kith_query_describe(s->queries[a->stored]);
    visit                  v    = { .script = script_of_each(s, a), .until = a->number % 8 };
    v.query.term_count          = desc->term_count;
    if (desc->term_count != 0) {
        memcpy(v.query.terms, desc->terms, desc->term_count * sizeof *desc->terms);
    }
    kith_cursor cursor = kith_query_begin(s->queries[a->stored]);
    while (!cursor.failed && kith_cursor_next(&cursor)) {
        if (!visit_entity(&cursor, &v)) {
            kith_cursor_end(&cursor);
            break;
        }
    }
    answer->result  = !cursor.failed;
    answer->list[0] = v.count;
    answer->length  = answer->result != 0;
}

static void naive_query_each(stage *s, const argument *a, verb_answer *answer)
{
    model_cursor *c = &s->each_cursor[a->acting];
    visit         v = { .script = script_of_each(s, a), .until = a->number % 8 };
    model_query_begin(&s->model, s->model_queries[a->stored], c);
    answer->result = !c->failed;
    answer->length = answer->result != 0;
    while (model_cursor_next(&s->model, c)) {
        scene_visit_again(v.script, c->entity, see_columns_naively(s, &c->query, c->entity));
        if (!goes_on(&v)) {
            model_cursor_end(&s->model, c);
            break;
        }
    }
    answer->list[0] = v.count;
}

// ---------------------------------------------------------------------------------------------
// Listeners
// ---------------------------------------------------------------------------------------------

static kith_listener_desc listener_desc(stage *s, const argument *a)
{
    return (kith_listener_desc){ .event     = a->event,
                                 .component = a->component,
                                 .call      = a->deaf || !a->one ? NULL : scene_notify,
                                 .many      = a->deaf || !a->many ? NULL : scene_notify_many,
                                 .context   = &s->scene->scripts[a->listener],
                                 .priority  = a->event_priority };
}

// One that a listener connects only listens.
static void real_listener_connect(stage *s, const argument *a, verb_answer *answer)
{
    kith_listener_desc desc = listener_desc(s, a);
    kith_listener      made = kith_listener_connect(s->world, &desc);
    answer->result          = made != 0;
    if (made != 0) {
        s->listeners[a->listener] = made;
        s->connected[a->listener] = true;
        if (a->acting) {
            s->scene->scripts[a->listener].verb = NULL;
        }
    }
}

static void naive_listener_connect(stage *s, const argument *a, verb_answer *answer)
{
    kith_listener_desc desc = listener_desc(s, a);
    kith_listener      made = model_listener_connect(&s->model, &desc);
    answer->result          = made != 0;
    if (made != 0) {
        s->model_listeners[a->listener] = made;
        s->model_connected[a->listener] = true;
    }
}

// Handles of listeners that are gone, or never were, are tried too.
static void real_listener_disconnect(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = kith_listener_disconnect(s->world, s->listeners[a->listener]);
    if (answer->result != 0) {
        s->connected[a->listener] = false;
    }
}

static void naive_listener_disconnect(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_listener_disconnect(&s->model, s->model_listeners[a->listener]);
    if (answer->result != 0) {
        s->model_connected[a->listener] = false;
    }
}

// Numbers that the program never got: small ones, and those beside one that it got.
static kith_listener guess_number(const stage *s, const argument *a)
{
    kith_listener mine  = s->listeners[a->listener];
    kith_listener guess = a->number % 4 == 0 || mine == 0 ? a->number : mine ^ (a->number / 4);
    for (uint32_t i = 0; i < STAGE_LISTENERS; i++) {
        guess = guess == s->listeners[i] ? 0 : guess;
    }
    return guess;
}

static bool is_of_another_world(const argument *a)
{
    return a->number % 4 == 3;
}

static void ignore_notice(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (void)context;
}

// The other world's listener is there afterwards.
static void real_listener_guess(stage *s, const argument *a, verb_answer *answer)
{
    const kith_listener_desc born  = { .event = KITH_EVENT_CREATE, .call = ignore_notice };
    kith_world              *other = kith_world_create(NULL);
    kith_listener            there = kith_listener_connect(other, &born);
    answer->result =
        kith_listener_disconnect(s->world, is_of_another_world(a) ? there : guess_number(s, a));
    answer->list[0] = kith_listener_disconnect(other, there);
    answer->length  = 1;
    kith_world_destroy(other);
}

static void naive_listener_guess(stage *s, const argument *a, verb_answer *answer)
{
    bool busy = model_busy(&s->model, 0, KITH_NULL);
    answer->result =
        !busy && is_of_another_world(a) && model_fail(&s->model, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
    answer->list[0] = 1;
    answer->length  = 1;
}

// Removes and adds again, which a single call cannot do.
static void real_renew(stage *s, const argument *a, verb_answer *answer)
{
    const kith_component_desc *desc  = kith_component_describe(s->world, a->component);
    const void                *added = NULL;
    if (desc != NULL && desc->kind == KITH_KIND_SINGLETON) {
        answer->result = kith_singleton_remove(s->world, a->component);
        added          = kith_singleton_add(s->world, a->component);
    } else {
        answer->result = kith_component_remove(s->world, a->entity, a->component);
        added          = kith_component_add(s->world, a->entity, a->component, NULL);
    }
    answer->list[0] = stage_see(s, a->component, added);
    answer->length  = 1;
}

static void naive_renew(stage *s, const argument *a, verb_answer *answer)
{
    model                 *m      = &s->model;
    const model_component *known  = model_component_lookup(m, a->component);
    bool                   single = known != NULL && known->desc.kind == KITH_KIND_SINGLETON;
    answer->result                = single ? model_singleton_remove(m, a->component)
                                           : model_component_remove(m, a->entity, a->component);
    answer->list[0]               = single ? model_singleton_add(m, a->component)
                                           : model_component_add(m, a->entity, a->component, NULL);
    answer->length                = 1;
}

// ---------------------------------------------------------------------------------------------
// The table
// ---------------------------------------------------------------------------------------------

enum {
    CLOSES  = VERB_SPARES | VERB_ORDERLY,
    STORED  = VERB_STORED | VERB_SPARES,
    GROUPED = VERB_GROUPED | VERB_SPARES,
    RENEWS  = VERB_SMOOTH | VERB_RENEWS,
};

const verb verb_loops[] = {
    ROW(world_hold, "world", 8, CHANGES),
    ROW(world_release, "world", 8, TAKES_ALL),
    ROW(world_settle, "world", 14, TAKES_ALL),
    ROW(world_advance, "world", 10, TAKES),
    ROW(world_now, "world", 1, ASKS),
    OTHER_ROW(hold_many, "hold_many(%b)", 1, VERB_SMOOTH),
    ROW(component_stamp, "world, %c, %n", 2, ASKS),
    ROW(component_changed_at, "world, %e, %c", 2, ASKS),
    ROW(component_added_at, "world, %e, %c", 2, ASKS),
    OTHER_ROW(changes, "read_changes(kith_changes_begin(world, %c, since(%b)))", 4, ASKS),
    OTHER_ROW(removals, "read_removals(kith_removals_begin(world, %c, since(%b)))", 4, ASKS),
    ROW(component_get_many, "world, %c, %E, values", 3, ASKS),
    ROW(view_first, "world, %Q", 4, ASKS),
    ROW(view_count, "world, %Q", 6, ASKS),
    ROW(view_contains, "world, %Q, %e", 6, ASKS),
    ROW(view_size_hint, "world, %Q", 3, ASKS),
    OTHER_ROW(view_begin_read, "read_on(%b, kith_view_begin_read(world, %Q, columns))", 10, ASKS),
    OTHER_ROW(query_begin_read, "read_on(%b, kith_query_begin_read(queries[%K], columns))", 8,
              STORED),
    OTHER_ROW(view_begin, "cursors[%k] = kith_view_begin(world, %Q)", 90, CHANGES),
    OTHER_ROW(cursor_next, "step(kith_cursor_next, %k, %b, %M)", 220, CLOSES),
    OTHER_ROW(cursor_next_chunk, "step(kith_cursor_next_chunk, %k, %b, %M)", 80, CLOSES),
    OTHER_ROW(cursor_copy, "cursors[%k] = cursors[%y]", 10, ASKS),
    OTHER_ROW(cursor_entity, "kith_cursor_entity(&cursors[%k], %n)", 4, ASKS),
    OTHER_ROW(cursor_end, "kith_cursor_end(&cursors[%k])", 12, CLOSES),
    OTHER_ROW(query_create, "queries[%K] = kith_query_create(world, %Q)", 8, CHANGES | VERB_STORES),
    OTHER_ROW(query_of, "queries[%K] = query_of(%Q)", 4, CHANGES | VERB_STORES),
    OTHER_ROW(query_parse, "queries[%K] = query_parse(%Q)", 3, CHANGES | VERB_STORES),
    OTHER_ROW(query_desc_parse, "query_desc_parse(%Q)", 4, ASKS),
    OTHER_ROW(query_destroy, "drop_query(%K)", 4, VERB_SPARES | VERB_STORED),
    OTHER_ROW(query_describe, "kith_query_describe(queries[%K])", 1, STORED),
    OTHER_ROW(query_since_set, "kith_query_since_set(queries[%K], since(%b))", 3,
              TAKES | VERB_STORED),
    OTHER_ROW(query_report_of, "kith_query_report_of(queries[%K])", 4, STORED),
    OTHER_ROW(query_explain, "kith_query_explain(queries[%K], text, %b)", 2, STORED),
    OTHER_ROW(query_begin, "cursors[%k] = kith_query_begin(queries[%K])", 24,
              CHANGES | VERB_STORED),
    OTHER_ROW(group_of, "groups[%G] = kith_group_of(world, %B)", 40, CHANGES | VERB_GROUPS),
    OTHER_ROW(group_drop, "drop_group(%G, %e)", 4, CHANGES | GROUPED),
    OTHER_ROW(group_renew, "renew_group(%G)", 2, CHANGES | RENEWS | VERB_GROUPED),
    OTHER_ROW(group_describe, "kith_group_describe(groups[%G])", 1, GROUPED),
    OTHER_ROW(group_count, "kith_group_count(groups[%G])", 1, GROUPED),
    OTHER_ROW(group_contains, "kith_group_contains(groups[%G], %e)", 4, GROUPED),
    OTHER_ROW(query_each, "visit_each(queries[%K], %X)", 10, VERB_STORED | VERB_EACH),
    OTHER_ROW(listener_connect,
              "listeners[%L] = kith_listener_connect(world, &(kith_listener_desc){ %T })", 26,
              CHANGES | VERB_CONNECTS),
    ROW(listener_disconnect, "world, listeners[%L]", 8, TAKES),
    OTHER_ROW(listener_guess, "guess_listener(%L, %b)", 4, TAKES),
    OTHER_ROW(renew, "renew(%e, %C)", 90, RENEWS),
};

const uint32_t verb_loop_count = sizeof verb_loops / sizeof *verb_loops;
