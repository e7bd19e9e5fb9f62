// SPDX-License-Identifier: MIT
// Calls that wait: recorded in commands, or in a queue whose handler makes them. To let a call wait
// changes nothing; when it is made it does what it would have done then.
#include "loop_model_internal.h"

// A value is copied when it is recorded. One that has hooks is not: the default value comes later.
static uint32_t number_of_next(loop_model *m, uint32_t values)
{
    uint32_t first = m->number + 1;
    if (m->flavour->hooks) {
        return 0;
    }
    m->number += values;
    return first;
}

static uint32_t values_in(const loop_call *call)
{
    return call->verb == LOOP_SET ? 1 : call->verb == LOOP_CREATE_ALL ? LOOP_COMPONENTS : 0;
}

uint32_t model_defer(loop_model *m, const loop_call *call)
{
    model_waiting *waiting = &m->waiting[call->way];
    bool           all     = call->way == LOOP_RECORDED && call->verb == LOOP_CREATE_ALL;
    if (waiting->count == LOOP_WAITING) {
        return 0;
    }
    if (call->way == LOOP_RECORDED) {
        waiting->numbers[waiting->count] = number_of_next(m, values_in(call));
    }
    waiting->calls[waiting->count]       = *call;
    waiting->calls[waiting->count++].way = LOOP_NOW;
    return all ? 1 + LOOP_COMPONENTS : 1;
}

// --- commands --------------------------------------------------------------------------------

typedef struct outcomes {
    uint32_t applied;
    uint32_t skipped;
    uint32_t failed;
} outcomes;

static void count_outcome(const loop_model *m, outcomes *o, bool answer, uint32_t failures)
{
    bool failed = !answer && m->failures != failures;
    o->failed += failed;
    o->applied += !failed;
}

static void apply_set(loop_model *m, outcomes *o, uint32_t entity, kith_component component,
                      uint32_t number)
{
    uint32_t failures = m->failures;
    if (m->entities[entity].alive) {
        count_outcome(m, o, model_set(m, entity, component, number), failures);
    } else {
        o->skipped++;
    }
}

static void apply_create(loop_model *m, outcomes *o, bool all, uint32_t number)
{
    uint32_t entity   = m->entity_count;
    uint32_t failures = m->failures;
    count_outcome(m, o, model_create(m) != LOOP_NONE, failures);
    for (kith_component c = LOOP_A; c <= LOOP_F && all; c++) {
        apply_set(m, o, entity, c, number == 0 ? 0 : number + c - LOOP_A);
    }
}

static void apply_one(loop_model *m, outcomes *o, const loop_call *call, uint32_t number)
{
    uint32_t failures = m->failures;
    if (call->verb == LOOP_CREATE || call->verb == LOOP_CREATE_ALL) {
        apply_create(m, o, call->verb == LOOP_CREATE_ALL, number);
    } else if (call->verb == LOOP_SET) {
        apply_set(m, o, call->subject, call->component, number);
    } else if (m->entities[call->subject].alive) {
        count_outcome(m, o, model_answer(m, call) != 0, failures);
    } else {
        o->skipped++;
    }
}

uint32_t model_apply(loop_model *m)
{
    model_waiting *waiting = &m->waiting[LOOP_RECORDED];
    outcomes       o       = { 0, 0, 0 };
    for (uint32_t i = 0; i < waiting->count; i++) {
        apply_one(m, &o, &waiting->calls[i], waiting->numbers[i]);
        if (o.skipped != 0 && m->fault == LOOP_FAULT_SKIPPING) {
            break;
        }
    }
    waiting->count = 0;
    return o.applied | o.skipped << 10 | o.failed << 20;
}

// --- events ----------------------------------------------------------------------------------

// A handler is as a listener: nothing moves, and loops that are open are not its to close.
static void deliver(loop_model *m, const loop_call *call)
{
    uint32_t floor = m->floor;
    m->floor       = m->loop_count;
    model_perform(m, call);
    m->floor = floor;
    if (m->fault == LOOP_FAULT_DELIVERY) {
        m->held--;
        model_settle_unless_held(m);
        m->held++;
    }
}

uint32_t model_update(loop_model *m)
{
    model_waiting *waiting = &m->waiting[LOOP_ENQUEUED];
    uint32_t       count   = waiting->count;
    m->held++;
    m->depth++;
    for (uint32_t i = 0; i < count; i++) {
        deliver(m, &waiting->calls[i]);
    }
    waiting->count = 0;
    m->depth--;
    m->held--;
    model_settle_unless_held(m);
    return count;
}
