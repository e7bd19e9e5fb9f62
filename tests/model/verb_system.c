// SPDX-License-Identifier: MIT
// Verbs of systems and of the schedule. A system's place in the stage is its name; its form, a
// byte, says when it runs and what it stands before and after.
#include "verb_pair.h"

#include "kith/workers.h"

static const char *const system_names[STAGE_SYSTEMS] = { "s0", "s1", "s2", "s3" };

static void visit_for_system(const kith_turn *turn, const kith_cursor *cursor)
{
    stage *s         = turn->context;
    s->system_visits = verb_mix(s->system_visits, cursor->entity);
}

// There are fewer entities than a chunk has rows, and no workers: parts run one after the other.
static void visit_in_part(const kith_part *part)
{
    stage      *s      = part->turn->context;
    kith_cursor cursor = kith_part_begin(part);
    while (kith_cursor_next(&cursor)) {
        s->system_visits = verb_mix(s->system_visits, cursor.entity);
    }
}

static void only_have_a_turn(const kith_turn *turn)
{
    stage *s         = turn->context;
    s->system_visits = verb_mix(s->system_visits, turn->dt > 0);
}

static void visit_entering(const kith_turn *turn, kith_entity entity)
{
    stage *s         = turn->context;
    s->system_visits = verb_mix(s->system_visits, entity | UINT64_C(1) << 63);
}

static void visit_leaving(const kith_turn *turn, kith_entity entity)
{
    stage *s         = turn->context;
    s->system_visits = verb_mix(s->system_visits, ~entity);
}

static void create_for_real(stage *s, const argument *a, const model_system *asked,
                            const kith_query_desc *query, const kith_signature *signature,
                            verb_answer *answer)
{
    model_system     form   = *asked;
    uint32_t         thing  = form.place % STAGE_PATHS; // its queue and its set in the stage
    const char      *before = system_names[form.before % STAGE_SYSTEMS];
    const char      *after  = system_names[form.after % STAGE_SYSTEMS];
    kith_system_desc desc   = { .name         = system_names[a->system],
                                .run          = form.bare ? only_have_a_turn : NULL,
                                .shared       = form.bare && form.parts,
                                .each         = form.bare || form.parts ? NULL : visit_for_system,
                                .part         = form.parts && !form.bare ? visit_in_part : NULL,
                                .context      = s,
                                .query        = form.bare ? NULL : query,
                                .signature    = signature,
                                .reads        = form.writes ? NULL : form.ids,
                                .read_count   = form.writes ? 0 : form.id_count,
                                .writes       = form.writes ? form.ids : NULL,
                                .write_count  = form.writes ? form.id_count : 0,
                                .tracked      = form.tracked,
                                .enter        = form.tracked ? visit_entering : NULL,
                                .leave        = form.tracked ? visit_leaving : NULL,
                                .phase        = form.phase,
                                .before       = &before,
                                .before_count = form.before != MODEL_NO_SYSTEM,
                                .after        = &after,
                                .after_count  = form.after != MODEL_NO_SYSTEM,
                                .disabled     = !form.enabled,
                                .on_demand    = form.on_demand,
                                .on_events    = form.on_demand ? s->queues_of_events[thing] : NULL,
                                .on_set       = form.on_demand ? s->sets[thing] : NULL,
                                .interval     = form.interval,
                                .max_steps    = 2 };
    kith_system     *made   = kith_system_create(s->world, &desc);
    answer->result          = made != NULL;
    s->systems[a->system]   = made != NULL ? made : s->systems[a->system];
}

static bool create_for_model(stage *s, const model_system *asked, const kith_query_desc *query)
{
    model_system form = *asked;
    if (form.on_demand) {
        form.events = s->model_queues_of_events[form.place % STAGE_PATHS];
        form.set    = s->model_sets[form.place % STAGE_PATHS];
    }
    return model_system_create(&s->model, &form, query);
}

static model_system naming(const argument *a)
{
    model_system form = model_system_form(a->system, a->number);
    form.id_count     = a->id_count;
    for (uint32_t i = 0; i < a->id_count; i++) {
        form.ids[i] = a->ids[i];
    }
    return form;
}

static void real_system_create(stage *s, const argument *a, verb_answer *answer)
{
    model_system form = naming(a);
    create_for_real(s, a, &form, &a->query, NULL, answer);
}

static void naive_system_create(stage *s, const argument *a, verb_answer *answer)
{
    model_system form = naming(a);
    answer->result    = create_for_model(s, &form, &a->query);
}

// Systems with a bare signature: that of an entity, so that at least one entity matches.
static model_system signing(const argument *a)
{
    model_system form = naming(a);
    form.bare         = false;
    form.writes       = a->number / 128 != 0;
    form.tracked      = a->number / 32 % 4 == 3;
    return form;
}

static void real_system_sign(stage *s, const argument *a, verb_answer *answer)
{
    model_system   form      = signing(a);
    kith_signature signature = kith_entity_signature(s->world, a->entity);
    create_for_real(s, a, &form, NULL, &signature, answer);
}

static void naive_system_sign(stage *s, const argument *a, verb_answer *answer)
{
    kith_term       terms[MODEL_COMPONENTS];
    model_system    form      = signing(a);
    model_signature signature = model_entity_signature(&s->model, a->entity);
    kith_query_desc query     = { "signature", terms, 0, 0 };
    query.term_count          = model_system_terms(&s->model, &form, &signature, terms);
    answer->result            = create_for_model(s, &form, &query);
}

// Tracked systems are for the terms of a group; few of them want to own something.
typedef struct tracking {
    model_system    form;
    kith_term       terms[ARGUMENT_TERMS];
    kith_query_desc query;
} tracking;

static void make_tracking(const argument *a, tracking *made)
{
    made->form         = model_system_form(a->system, a->number);
    made->form.bare    = false;
    made->form.tracked = true;
    made->query        = a->query;
    for (uint32_t i = 0; i < a->query.term_count && a->query.terms != NULL; i++) {
        bool owns           = a->query.terms[i].role == KITH_ROLE_OWN && a->number % 64 != 0;
        made->terms[i]      = a->query.terms[i];
        made->terms[i].role = owns ? KITH_ROLE_WRITE : made->terms[i].role;
    }
    made->query.terms = a->query.terms == NULL ? NULL : made->terms;
}

static void real_system_track(stage *s, const argument *a, verb_answer *answer)
{
    static tracking made;
    make_tracking(a, &made);
    create_for_real(s, a, &made.form, &made.query, NULL, answer);
}

static void naive_system_track(stage *s, const argument *a, verb_answer *answer)
{
    static tracking made;
    make_tracking(a, &made);
    answer->result = create_for_model(s, &made.form, &made.query);
}

// One that writes what it asks for changes.
static model_system watching(const argument *a, kith_term terms[2])
{
    model_system form = model_system_form(a->system, a->number);
    form.bare         = false;
    terms[0]          = (kith_term){ a->component, KITH_ROLE_WRITE, 0 };
    terms[1]          = (kith_term){ a->component, KITH_ROLE_CHANGED, 0 };
    return form;
}

static void real_system_watch(stage *s, const argument *a, verb_answer *answer)
{
    kith_term             terms[2];
    const model_system    form  = watching(a, terms);
    const kith_query_desc query = { "watch", terms, 2, 0 };
    create_for_real(s, a, &form, &query, NULL, answer);
}

static void naive_system_watch(stage *s, const argument *a, verb_answer *answer)
{
    kith_term             terms[2];
    const model_system    form  = watching(a, terms);
    const kith_query_desc query = { "watch", terms, 2, 0 };
    answer->result              = create_for_model(s, &form, &query);
}

static void real_system_destroy(stage *s, const argument *a, verb_answer *answer)
{
    answer->result        = kith_system_destroy(s->systems[a->system]);
    s->systems[a->system] = answer->result != 0 ? NULL : s->systems[a->system];
    answer->list[0]       = s->system_visits;
    answer->length        = 1;
}

// The function of a system passes each visited entity to the model's twin of it.
static void note_visit(void *context, uint64_t number)
{
    stage *s               = context;
    s->model_system_visits = verb_mix(s->model_system_visits, number);
}

static void naive_system_destroy(stage *s, const argument *a, verb_answer *answer)
{
    answer->result  = model_system_destroy(&s->model, a->system, note_visit, s);
    answer->list[0] = s->model_system_visits;
    answer->length  = 1;
}

PAIR(system_enable, kith_system_enable(s->systems[a->system], a->number % 2 != 0),
     model_system_enable(&s->model, a->system, a->number % 2 != 0))
PAIR(system_request, kith_system_request(s->systems[a->system]),
     model_system_request(&s->model, a->system))

// What can be asked about one system, all at once.
static void real_system_report_of(stage *s, const argument *a, verb_answer *answer)
{
    kith_system       *system = s->systems[a->system];
    kith_system_report report = kith_system_report_of(system);
    answer->result            = kith_system_find(s->world, system_names[a->system]) == system;
    answer->list[0]           = kith_system_report_of(system).enabled;
    answer->list[1]           = report.turns;
    answer->list[2]           = report.entities;
    answer->list[3]           = kith_system_query(system) != NULL;
    answer->list[4]           = (uint64_t)kith_system_describe(system)->phase;
    answer->list[5]           = kith_system_describe(system)->tracked;
    answer->length            = 6;
}

static void naive_system_report_of(stage *s, const argument *a, verb_answer *answer)
{
    const model_system *system = model_system_at(&s->model, a->system);
    answer->result             = 1;
    answer->list[0]            = system->enabled;
    answer->list[1]            = system->turns;
    answer->list[2]            = system->visited;
    answer->list[3]            = !system->bare;
    answer->list[4]            = (uint64_t)system->phase;
    answer->list[5]            = system->tracked;
    answer->length             = 6;
}

static double length_of(const argument *a)
{
    return a->number % 8 == 7 ? -1 : 0.25 * (a->number % 8);
}

static void real_system_run(stage *s, const argument *a, verb_answer *answer)
{
    answer->result  = kith_system_run(s->world, system_names[a->system], length_of(a));
    answer->list[0] = s->system_visits;
    answer->length  = 1;
}

static void naive_system_run(stage *s, const argument *a, verb_answer *answer)
{
    answer->result  = model_system_run(&s->model, a->system, length_of(a), note_visit, s);
    answer->list[0] = s->model_system_visits;
    answer->length  = 1;
}

static void real_schedule_run(stage *s, const argument *a, verb_answer *answer)
{
    answer->result  = kith_schedule_run(s->world, length_of(a));
    answer->list[0] = s->system_visits;
    answer->length  = 1;
}

static void naive_schedule_run(stage *s, const argument *a, verb_answer *answer)
{
    answer->result  = model_schedule_run(&s->model, length_of(a), note_visit, s);
    answer->list[0] = s->model_system_visits;
    answer->length  = 1;
}

static void real_query_parallel(stage *s, const argument *a, verb_answer *answer)
{
    const kith_parallel_desc desc = { .part = visit_in_part, .context = s };
    answer->result                = kith_query_parallel(s->queries[a->stored], &desc);
    answer->list[0]               = s->system_visits;
    answer->length                = 1;
}

static void naive_query_parallel(stage *s, const argument *a, verb_answer *answer)
{
    answer->result  = model_query_parallel(&s->model, s->model_queries[a->stored], note_visit, s);
    answer->list[0] = s->model_system_visits;
    answer->length  = 1;
}

static uint64_t place_of(const stage *s, const kith_system *system)
{
    uint64_t place = 0;
    while (s->systems[place] != system) {
        place++;
    }
    return place;
}

// The order, then the ambiguous pairs.
static void real_schedule_ambiguities(stage *s, const argument *a, verb_answer *answer)
{
    kith_ambiguity found[STAGE_SYSTEMS * STAGE_SYSTEMS];
    (void)a;
    for (kith_system *next = kith_system_next(s->world, NULL); next != NULL;
         next              = kith_system_next(s->world, next)) {
        answer->list[answer->length++] = place_of(s, next);
    }
    answer->result = kith_schedule_ambiguities(s->world, found, STAGE_SYSTEMS * STAGE_SYSTEMS);
    for (uint32_t i = 0; i < answer->result; i++) {
        answer->list[answer->length++] = place_of(s, found[i].first);
        answer->list[answer->length++] = place_of(s, found[i].second);
        answer->list[answer->length++] = found[i].component;
    }
}

static void naive_schedule_ambiguities(stage *s, const argument *a, verb_answer *answer)
{
    (void)a;
    answer->result = model_schedule_ambiguities(&s->model, answer->list, &answer->length);
}

static size_t write_plan(const void *subject, char *buffer, size_t size)
{
    return kith_schedule_explain(subject, buffer, size);
}

static size_t write_drawing(const void *subject, char *buffer, size_t size)
{
    return kith_schedule_graph(subject, buffer, size);
}

PAIR(schedule_explain, verb_text_is_cut(write_plan, s->world, a->number), 1)
PAIR(schedule_graph, verb_text_is_cut(write_drawing, s->world, a->number), 1)
PAIR(schedule_configure,
     kith_schedule_configure(s->world, &(kith_schedule_desc){ .checked = a->number % 2 != 0 }),
     model_schedule_configure(&s->model))

enum { TURNS = VERB_SMOOTH | VERB_BUSY, SYSTEM = VERB_SYSTEM | VERB_SPARES };

const verb verb_systems[] = {
    OTHER_ROW(system_create, "make_system(%O, %b, %I, %Q)", 20, CHANGES | VERB_SYSTEMS),
    OTHER_ROW(system_sign, "sign_system(%O, %b, %e, %I)", 20, CHANGES | VERB_SYSTEMS),
    OTHER_ROW(system_track, "track_system(%O, %b, %B)", 40, CHANGES | VERB_SYSTEMS),
    OTHER_ROW(system_watch, "watch_system(%O, %b, %c)", 12, CHANGES | VERB_SYSTEMS),
    OTHER_ROW(system_destroy, "drop_system(%O)", 3, TAKES | VERB_SYSTEM),
    OTHER_ROW(system_enable, "kith_system_enable(systems[%O], %b & 1)", 3, SYSTEM),
    OTHER_ROW(system_request, "kith_system_request(systems[%O])", 3, SYSTEM),
    OTHER_ROW(system_report_of, "kith_system_report_of(systems[%O])", 2, SYSTEM),
    OTHER_ROW(system_run, "run_system(%O, %b)", 20, TURNS),
    OTHER_ROW(query_parallel, "run_parts(queries[%K])", 8, TURNS | VERB_STORED),
    OTHER_ROW(schedule_run, "kith_schedule_run(world, LENGTH(%b))", 40, TURNS),
    OTHER_ROW(schedule_ambiguities, "kith_schedule_ambiguities(world, NULL, 0)", 4, ASKS),
    OTHER_ROW(schedule_explain, "kith_schedule_explain(world, text, %b)", 1, ASKS),
    OTHER_ROW(schedule_graph, "kith_schedule_graph(world, text, %b)", 1, ASKS),
    OTHER_ROW(schedule_configure,
              "kith_schedule_configure(world, &(kith_schedule_desc){ .checked = %b & 1 })", 2,
              CHANGES),
};

const uint32_t verb_system_count = sizeof verb_systems / sizeof *verb_systems;
