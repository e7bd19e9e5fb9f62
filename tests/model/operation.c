// SPDX-License-Identifier: MIT
// One operation of a sequence: drawn from bytes, run in world and model, written as C.
#include "operation.h"

#include "scene.h"

#include <string.h>

// The low bits of `trouble` say what goes wrong, the others when or how. Most values say: nothing.
enum { TROUBLE_NONE_BELOW = 160, TROUBLE_KINDS = 3, TROUBLE_LATEST = 4 };

typedef enum trouble { NO_TROUBLE, HOOK_FAILS, MEMORY_REFUSED, HOOK_MEDDLES } trouble;

operation operation_decode(const uint8_t bytes[OPERATION_BYTES])
{
    operation op = { .verb = (uint16_t)(bytes[0] + 256 * bytes[1]), .trouble = bytes[2] };
    memcpy(op.numbers, bytes + 3, sizeof op.numbers);
    return op;
}

static trouble kind_of_trouble(const operation *op)
{
    uint32_t traits = verb_drawn(op->verb)->traits;
    trouble  kind   = (trouble)(1 + op->trouble % TROUBLE_KINDS);
    bool     quiet  = (traits & VERB_CONST) != 0 && kind == HOOK_MEDDLES;
    if ((traits & VERB_SMOOTH) != 0 || op->trouble < TROUBLE_NONE_BELOW || quiet) {
        return NO_TROUBLE;
    }
    return kind;
}

bool operation_calm(operation *op)
{
    bool troubled = kind_of_trouble(op) != NO_TROUBLE;
    op->trouble   = 0;
    return troubled;
}

static uint32_t time_of_trouble(const operation *op)
{
    return 1u + op->trouble / TROUBLE_KINDS % TROUBLE_LATEST;
}

// The last number is the one that the fewest calls use.
static const verb *meddled(const operation *op)
{
    return verb_refused(op->numbers[ARGUMENT_NUMBERS - 1]);
}

// ---------------------------------------------------------------------------------------------
// Meddling: a call from inside a hook
// ---------------------------------------------------------------------------------------------

typedef struct meddling {
    stage      *stage;
    const verb *verb;
    argument    arguments;
    verb_answer real;
    verb_answer naive;
} meddling;

static void meddle_real(void *meddler)
{
    meddling *m = meddler;
    m->verb->real(m->stage, &m->arguments, &m->real);
}

static void meddle_naive(void *meddler)
{
    meddling *m    = meddler;
    m->naive.given = m->real.given;
    m->verb->naive(m->stage, &m->arguments, &m->naive);
}

// False when the call is not possible now.
static bool resolve_meddling(stage *s, const operation *op, meddling *m)
{
    *m = (meddling){ .stage = s, .verb = meddled(op) };
    argument_resolve(&m->arguments, s, m->verb->call, op->numbers);
    m->arguments.acting = true;
    return !scene_forbids(s, m->verb, &m->arguments);
}

// ---------------------------------------------------------------------------------------------
// Applying
// ---------------------------------------------------------------------------------------------

// What is done: the operation's call, or, when a pool has grown out of all proportion because rows
// are not used twice while loops are open, what makes it smaller.
typedef struct deed {
    const verb *verb;
    argument    arguments;
    bool        left_out;
} deed;

enum { ROWS_MOST = 240 };

static const model_component *find_overgrown(const model *m)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        if (component->row_count > ROWS_MOST && component->desc.kind != KITH_KIND_FLAG) {
            return component;
        }
    }
    return NULL;
}

static void choose_deed(stage *s, const operation *op, deed *d)
{
    const model_component *overgrown = find_overgrown(&s->model);
    d->verb                          = verb_drawn(op->verb);
    if (overgrown != NULL) {
        uint32_t number =
            verb_number(s->model.loop_count > 0 ? "kith_world_settle(world)"
                                                : "kith_component_compact(world, %c)");
        d->verb = verb_drawn(number);
    }
    argument_resolve(&d->arguments, s, d->verb->call, op->numbers);
    if (overgrown != NULL) {
        d->arguments.component = overgrown->desc.id;
    }
    d->left_out = scene_forbids(s, d->verb, &d->arguments);
}

// Writes what the connected listener, or the function for each entity, is to do.
static void prepare_script(stage *s, const deed *d)
{
    if ((d->verb->traits & VERB_CONNECTS) != 0) {
        scene_prepare(s->scene, d->arguments.listener, &d->arguments.action);
    } else if ((d->verb->traits & VERB_EACH) != 0) {
        scene_prepare(s->scene, STAGE_LISTENERS, &d->arguments.action);
    }
}

static stage_trouble prepare(stage *s, const operation *op, meddling *m)
{
    stage_trouble t = { .fail_at = 0 };
    switch (kind_of_trouble(op)) {
    case HOOK_FAILS:
        t.fail_at = time_of_trouble(op);
        break;
    case MEMORY_REFUSED:
        t.refuse_at = time_of_trouble(op);
        break;
    case HOOK_MEDDLES:
        if (resolve_meddling(s, op, m)) {
            t.meddle_real  = meddle_real;
            t.meddle_naive = meddle_naive;
            t.meddler      = m;
        }
        break;
    default:
        break;
    }
    return t;
}

// Without memory a call fails and says so; the model is not asked.
static void expect_starved(stage *s, const verb *v)
{
    if (s->reported_count != 0) {
        bool recorded = (v->traits & VERB_OTHER_WORLD) == 0;
        model_step_starved(&s->model, &s->reported[s->reported_count - 1], recorded);
    }
}

static stage_life life_of(const stage *s, const verb *v)
{
    if (stage_starved(s) && !s->scene->starved) {
        return STAGE_LIFE_PAIRED;
    }
    return (v->traits & VERB_ORDERLY) != 0 ? STAGE_LIFE_ORDERED : STAGE_LIFE_COUNTED;
}

static bool compare_step(stage *s, const verb *v, const verb_answer *real, const verb_answer *naive)
{
    if ((v->traits & VERB_SPARES) != 0 && s->memory.allocations != s->scene->allocations) {
        return stage_differ(s, "the call allocated");
    }
    if ((v->traits & VERB_FORGETS) != 0) {
        stage_forget_addresses(s);
    }
    stage_learn(s);
    return scene_compare(s) && verb_compare(s, "the call", real, naive) &&
           stage_compare(s, life_of(s, v));
}

void operation_settle(stage *s, operation *op)
{
    argument a;
    argument_resolve(&a, s, verb_drawn(op->verb)->call, op->numbers);
    memcpy(op->numbers, a.settled, sizeof op->numbers);
}

bool operation_apply(stage *s, const operation *op)
{
    deed d;
    choose_deed(s, op, &d);
    if (d.left_out) {
        return true;
    }
    meddling      m     = { .stage = NULL };
    verb_answer   real  = { .result = 0 };
    verb_answer   naive = { .result = 0 };
    stage_trouble t     = prepare(s, op, &m);
    prepare_script(s, &d);
    scene_step_begin(s->scene);
    stage_step_begin(s, &t);
    d.verb->real(s, &d.arguments, &real);
    s->memory.refuse_at = 0;
    naive.given         = real.given;
    if (stage_starved(s) && !s->scene->starved) {
        expect_starved(s, d.verb);
    } else {
        d.verb->naive(s, &d.arguments, &naive);
    }
    return verb_compare(s, "the hook's call", &m.real, &m.naive) &&
           compare_step(s, d.verb, &real, &naive);
}

// ---------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------

static void write_call(const argument *a, const stage *s, const verb *v, const char *frame,
                       text *out)
{
    text call = { .data = NULL };
    argument_write(a, s, v->call, &call);
    text_add(out, frame, call.data);
    text_end(&call);
}

// Nothing is made that the model has no room for.
static void write_condition(const argument *a, const stage *s, const verb *v, text *out)
{
    text_add(out, "    if (left > 0");
    if ((v->traits & VERB_MAKES) != 0) {
        text_add(out, " && kith_entity_count(world) < %u", (unsigned)s->entities_most);
    }
    if ((v->traits & VERB_STORED) != 0) {
        text_add(out, " && queries[%u] != NULL", (unsigned)a->stored);
    }
    if ((v->traits & (VERB_GROUPS | VERB_GROUPED)) != 0) {
        bool made = (v->traits & VERB_GROUPED) != 0;
        text_add(out, " && groups[%u] %s NULL", (unsigned)a->group, made ? "!=" : "==");
    }
    if ((v->traits & (VERB_PATHS | VERB_PATHED)) != 0) {
        bool made = (v->traits & VERB_PATHED) != 0;
        text_add(out, " && paths[%u] %s NULL", (unsigned)a->path, made ? "!=" : "==");
    }
    if ((v->traits & (VERB_COLLECTS | VERB_COLLECTED)) != 0) {
        bool made = (v->traits & VERB_COLLECTED) != 0;
        text_add(out, " && sets[%u] %s NULL", (unsigned)a->path, made ? "!=" : "==");
    }
    if ((v->traits & (VERB_SYSTEMS | VERB_SYSTEM)) != 0) {
        bool made = (v->traits & VERB_SYSTEM) != 0;
        text_add(out, " && systems[%u] %s NULL", (unsigned)a->system, made ? "!=" : "==");
    }
    text_add(out, ") {\n        left--;\n");
}

static void write_action(stage *s, const argument_action *action, text *out)
{
    argument    a;
    const verb *v = scene_verb(action);
    if (v == NULL) {
        return;
    }
    argument_resolve_action(&a, s, v->call, action->numbers);
    text_add(out, "    static int left = %u;\n", (unsigned)action->quota);
    write_condition(&a, s, v, out);
    write_call(&a, s, v, "        %s;\n    }\n", out);
}

static void write_script(stage *s, const deed *d, text *out)
{
    unsigned place = (unsigned)d->arguments.place;
    if ((d->verb->traits & VERB_CONNECTS) != 0) {
        text_add(out, "static void listen_%u(LISTENS)\n{\n    LISTENING;\n", place);
        write_action(s, &d->arguments.action, out);
        text_add(out, "}\n\n");
        if (d->arguments.many) {
            text_add(out, "static void many_%u(LISTENS_TO_MANY)\n{\n", place);
            text_add(out, "    LISTENING_TO_MANY;\n    listen_%u(w, notice, context);\n}\n\n",
                     place);
        }
    } else if ((d->verb->traits & VERB_EACH) != 0) {
        text_add(out, "static bool each_%u(VISITS)\n{\n    VISITING;\n", place);
        write_action(s, &d->arguments.action, out);
        text_add(out, "    return --*(int *)context != 0;\n}\n\n");
    }
}

static void write_trouble(stage *s, const operation *op, uint32_t place, text *functions,
                          text *statements)
{
    meddling m;
    switch (kind_of_trouble(op)) {
    case HOOK_FAILS:
        text_add(statements, "    fail_at = %u;\n", (unsigned)time_of_trouble(op));
        break;
    case MEMORY_REFUSED:
        text_add(statements, "    refuse_at = %u;\n", (unsigned)time_of_trouble(op));
        break;
    case HOOK_MEDDLES:
        if (resolve_meddling(s, op, &m)) {
            text_add(statements, "    meddle = meddle_%u;\n", (unsigned)place);
            text_add(functions, "static void meddle_%u(void)\n{\n", (unsigned)place);
            write_call(&m.arguments, s, m.verb, "    %s;\n}\n\n", functions);
        }
        break;
    default:
        break;
    }
}

void operation_write(stage *s, const operation *op, uint32_t place, text *functions,
                     text *statements)
{
    deed d;
    choose_deed(s, op, &d);
    if (d.left_out) {
        return;
    }
    d.arguments.place = place;
    write_trouble(s, op, place, functions, statements);
    write_script(s, &d, functions);
    write_call(&d.arguments, s, d.verb, "    %s;\n", statements);
    if (kind_of_trouble(op) != NO_TROUBLE) {
        text_add(statements, "    no_trouble();\n");
    }
}
