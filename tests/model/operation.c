// SPDX-License-Identifier: MIT
#include "operation.h"

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
    bool smooth = (verb_drawn(op->verb)->traits & VERB_SMOOTH) != 0;
    if (smooth || op->trouble < TROUBLE_NONE_BELOW) {
        return NO_TROUBLE;
    }
    return (trouble)(1 + op->trouble % TROUBLE_KINDS);
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
    meddling *m = meddler;
    m->verb->naive(m->stage, &m->arguments, &m->naive);
}

// ---------------------------------------------------------------------------------------------
// Applying
// ---------------------------------------------------------------------------------------------

static bool outgrows(const stage *s, const verb *v, uint32_t crowd)
{
    return (v->traits & VERB_MAKES) != 0 && (model_entity_count(&s->model) >= crowd ||
                                             s->model.slot_count + MODEL_HINTS > MODEL_SLOTS);
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
        *m             = (meddling){ .stage = s, .verb = meddled(op) };
        t.meddle_real  = meddle_real;
        t.meddle_naive = meddle_naive;
        t.meddler      = m;
        argument_resolve(&m->arguments, s, m->verb->call, op->numbers);
        break;
    default:
        break;
    }
    return t;
}

static bool compare_answers(stage *s, const char *who, const verb_answer *real,
                            const verb_answer *naive)
{
    if (real->result != naive->result || real->length != naive->length) {
        return stage_differ(s, "%s answered %#llx, not %#llx", who,
                            (unsigned long long)real->result, (unsigned long long)naive->result);
    }
    for (uint32_t i = 0; i < real->length; i++) {
        if (real->list[i] != naive->list[i]) {
            return stage_differ(s, "%s wrote %#llx at %u, not %#llx", who,
                                (unsigned long long)real->list[i], (unsigned)i,
                                (unsigned long long)naive->list[i]);
        }
    }
    return true;
}

// Without memory a call fails and says so; the model is not asked.
static void expect_starved(stage *s, const verb *v)
{
    if (s->heard_count != 0) {
        bool recorded = (v->traits & VERB_OTHER_WORLD) == 0;
        model_step_starved(&s->model, &s->heard[s->heard_count - 1], recorded);
    }
}

static stage_life life_of(const stage *s, const verb *v)
{
    if (s->memory.refused != 0) {
        return STAGE_LIFE_PAIRED;
    }
    return (v->traits & VERB_ORDERLY) != 0 ? STAGE_LIFE_ORDERED : STAGE_LIFE_COUNTED;
}

static bool compare_step(stage *s, const verb *v, const verb_answer *real, const verb_answer *naive)
{
    if ((v->traits & VERB_SPARES) != 0 && s->memory.allocations != 0) {
        return stage_differ(s, "the call allocated");
    }
    if ((v->traits & VERB_FORGETS) != 0) {
        stage_forget_addresses(s);
    }
    stage_learn(s);
    return compare_answers(s, "the call", real, naive) && stage_compare(s, life_of(s, v));
}

void operation_settle(stage *s, operation *op)
{
    argument a;
    argument_resolve(&a, s, verb_drawn(op->verb)->call, op->numbers);
    memcpy(op->numbers, a.settled, sizeof op->numbers);
}

bool operation_apply(stage *s, const operation *op, uint32_t crowd)
{
    const verb *v = verb_drawn(op->verb);
    if (outgrows(s, v, crowd)) {
        return true;
    }
    argument      a;
    meddling      m     = { .stage = NULL };
    verb_answer   real  = { .result = 0 };
    verb_answer   naive = { .result = 0 };
    stage_trouble t     = prepare(s, op, &m);
    argument_resolve(&a, s, v->call, op->numbers);
    stage_step_begin(s, &t);
    v->real(s, &a, &real);
    s->memory.refuse_at = 0;
    if (s->memory.refused != 0) {
        expect_starved(s, v);
    } else {
        v->naive(s, &a, &naive);
    }
    return compare_answers(s, "the hook's call", &m.real, &m.naive) &&
           compare_step(s, v, &real, &naive);
}

// ---------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------

static void write_call(stage *s, const operation *op, const verb *v, const char *frame, text *out)
{
    argument a;
    text     call = { .data = NULL };
    argument_resolve(&a, s, v->call, op->numbers);
    argument_write(&a, s, v->call, &call);
    text_add(out, frame, call.data);
    text_end(&call);
}

void operation_write(stage *s, const operation *op, uint32_t crowd, uint32_t place, text *functions,
                     text *statements)
{
    const verb *v    = verb_drawn(op->verb);
    trouble     kind = kind_of_trouble(op);
    if (outgrows(s, v, crowd)) {
        return;
    }
    if (kind == HOOK_FAILS) {
        text_add(statements, "    fail_at = %u;\n", (unsigned)time_of_trouble(op));
    } else if (kind == MEMORY_REFUSED) {
        text_add(statements, "    refuse_at = %u;\n", (unsigned)time_of_trouble(op));
    } else if (kind == HOOK_MEDDLES) {
        text_add(statements, "    meddle = meddle_%u;\n", (unsigned)place);
        text_add(functions, "static void meddle_%u(void)\n{\n", (unsigned)place);
        write_call(s, op, meddled(op), "    %s;\n}\n\n", functions);
    }
    write_call(s, op, v, "    %s;\n", statements);
    if (kind != NO_TROUBLE) {
        text_add(statements, "    no_trouble();\n");
    }
}
