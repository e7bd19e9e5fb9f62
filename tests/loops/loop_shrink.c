// SPDX-License-Identifier: MIT
// Makes a program that differs shorter: steps are left out, many at once and then one by one, as
// long as what is left still differs in a new world.
#include "loop_search.h"

#include <stdlib.h>
#include <string.h>

typedef struct program {
    uint32_t  count;
    loop_step steps[LOOP_STEPS];
} program;

// How a program is tried.
typedef struct trial {
    const loop_stage *model; // whose world, setting and fault to use
    const program    *program;
    loop_stage       *stage;
} trial;

enum { LOOKED_AT = 8 }; // steps at the end after which everything is compared

static bool run_trial(loop_search *search, void *context)
{
    trial         *t     = context;
    const program *p     = t->program;
    loop_stage    *stage = t->stage;
    loop_stage_begin(stage, t->model->flavour, t->model->listening);
    loop_stage_restart(stage, t->model->setting);
    stage->model.fault = t->model->model.fault;
    search->present    = stage;
    for (uint32_t i = 0; i < p->count; i++) {
        loop_look look = i + LOOKED_AT < p->count ? LOOP_LOOK_AWAY : LOOP_LOOK_DEEP;
        if (!loop_stage_step(stage, &p->steps[i], look)) {
            return loop_search_differ(search, stage, "in a new world");
        }
    }
    return loop_stage_finish(stage, 0, LOOP_SHAPES, true) ||
           loop_search_differ(search, stage, "in a new world, after settling");
}

// Whether the program differs. A crash loses the world.
static bool differs(loop_search *search, trial *t)
{
    bool crashed    = search->crashed;
    search->crashed = false;
    bool same       = loop_search_guard(search, run_trial, t);
    if (!search->crashed) {
        loop_stage_end(t->stage);
    }
    search->crashed = crashed;
    return !same;
}

// --- leaving out -----------------------------------------------------------------------------

typedef bool call_test(const loop_call *call);

static bool begins(const loop_call *call)
{
    return call->verb == LOOP_BEGIN || call->verb == LOOP_HOLD;
}

static bool creates(const loop_call *call)
{
    return call->verb == LOOP_CREATE || call->verb == LOOP_CREATE_ALL;
}

static bool groups(const loop_call *call)
{
    return call->verb == LOOP_GROUP || call->verb == LOOP_TRACK;
}

// How many cursors, entities or groups the steps before number `end` make.
static uint32_t made_before(const program *p, uint32_t end, call_test *makes)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < end; i++) {
        count += makes(&p->steps[i].call);
        count += p->steps[i].reacts && makes(&p->steps[i].reaction);
    }
    return count;
}

// What is numbered after the gap moves up. False: the call needs what is missing.
static bool renumber(loop_call *call, call_test *names, uint32_t gap)
{
    if (!names(call)) {
        return true;
    }
    if (call->subject == gap) {
        return false;
    }
    call->subject -= call->subject > gap;
    return true;
}

static bool renumber_after(program *p, uint32_t first, call_test *names, uint32_t gap)
{
    bool able = true;
    for (uint32_t i = first; i < p->count && able; i++) {
        loop_step *step = &p->steps[i];
        able            = renumber(&step->call, names, gap) &&
               (!step->reacts || renumber(&step->reaction, names, gap));
    }
    return able;
}

static bool makes_something(const loop_call *call)
{
    return creates(call) || begins(call) || groups(call);
}

// Leaves the step out of `p`, if no other needs it.
static bool leave_out(program *p, uint32_t at)
{
    const loop_step step = p->steps[at];
    bool            able = !step.reacts || !makes_something(&step.reaction);
    if (able && creates(&step.call)) {
        able = renumber_after(p, at + 1, loop_call_names_entity, made_before(p, at, creates));
    } else if (able && begins(&step.call)) {
        able = renumber_after(p, at + 1, loop_call_names_cursor, made_before(p, at, begins));
    } else if (able && groups(&step.call)) {
        able = renumber_after(p, at + 1, loop_call_names_group, made_before(p, at, groups));
    }
    if (able) {
        memmove(&p->steps[at], &p->steps[at + 1], (p->count - at - 1) * sizeof p->steps[0]);
        p->count--;
    }
    return able;
}

static bool leave_out_range(program *p, uint32_t first, uint32_t length)
{
    static program one;
    bool           any = false;
    for (uint32_t i = first + length; i-- > first;) {
        one = *p;
        if (leave_out(&one, i)) {
            *p  = one;
            any = true;
        }
    }
    return any;
}

static bool drop_reaction(program *p, uint32_t at)
{
    loop_step *step = &p->steps[at];
    if (!step->reacts || makes_something(&step->reaction)) {
        return false;
    }
    step->reacts = false;
    return true;
}

// --- the search for less ---------------------------------------------------------------------

// Keeps `less` if it differs.
static bool keep(loop_search *search, trial *t, program *best, const program *less)
{
    t->program = less;
    if (!differs(search, t)) {
        return false;
    }
    *best = *less;
    return true;
}

static void shrink(loop_search *search, trial *t, program *best)
{
    static program less;
    for (uint32_t length = best->count / 2; length != 0; length /= 2) {
        for (uint32_t at = 0; at + length <= best->count;) {
            less = *best;
            if (!leave_out_range(&less, at, length) || !keep(search, t, best, &less)) {
                at += length;
            }
        }
    }
    for (uint32_t at = 0; at < best->count; at++) {
        less = *best;
        if (drop_reaction(&less, at)) {
            keep(search, t, best, &less);
        }
    }
}

void loop_search_shrink(loop_search *search)
{
    static program    best;
    static loop_stage stage;
    const loop_stage *failed   = search->failed;
    const char       *sentence = search->sentence;
    trial             t        = { failed, &best, &stage };
    best.count                 = failed == NULL ? 0 : failed->step_count;
    if (failed != NULL) {
        memcpy(best.steps, failed->steps, best.count * sizeof best.steps[0]);
    }
    if (failed == NULL || !differs(search, &t)) {
        search->failed   = failed;
        search->sentence = sentence;
        return;
    }
    shrink(search, &t, &best);
    t.program = &best;
    differs(search, &t);
}
