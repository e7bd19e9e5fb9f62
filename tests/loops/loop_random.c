// SPDX-License-Identifier: MIT
// Programs drawn at random. Each runs by every setting, and does the same by each. Only how long a
// chunk is depends on the setting, and so whose turn comes in it: programs with chunks do what the
// model says by every setting, but not the same.
#include "loop_search.h"

enum {
    SMALL_ENTITIES = 6,
    SMALL_CHANGES  = 6,
    LARGE_ENTITIES = 600,
    LARGE_CHANGES  = 12,
    MOST_LOOPS     = 8
};

// What a program is drawn from.
typedef struct dice {
    uint64_t    seed;
    bool        large;
    bool        listening;
    bool        chunks;  // some steps ask for chunks
    bool        grouped; // there are groups
    uint64_t    count;   // of programs
    uint32_t    changes;
    uint32_t    look;  // 1 step of this many is compared in full
    uint32_t    shape; // of the latest loop
    uint32_t    form;
    loop_bounds bounds;
} dice;

static uint32_t below(dice *d, uint32_t limit)
{
    d->seed = d->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((d->seed >> 33) * limit >> 31);
}

static bool chance(dice *d, uint32_t of)
{
    return below(d, of) == 0;
}

static bool play(loop_search *search, loop_stage *stage, const loop_step *step, loop_look look)
{
    search->calls += look != LOOP_LOOK_AWAY;
    return loop_stage_step(stage, step, look) ||
           loop_search_differ(search, stage, "in a program drawn at random");
}

static bool play_call(loop_search *search, loop_stage *stage, loop_call call)
{
    loop_step step = { .call = call };
    return play(search, stage, &step, LOOP_LOOK_AWAY);
}

// --- groups ----------------------------------------------------------------------------------

// What it owns is often all that it can own: then groups are nested, or the same.
static loop_call draw_group(dice *d, const loop_stage *stage)
{
    loop_call group = { .verb = LOOP_GROUP };
    bool      able  = false;
    while (!able) {
        group.shape             = (uint8_t)below(d, LOOP_SHAPES);
        const loop_shape *shape = &loop_shapes[group.shape];
        able = loop_shape_is_group(shape) && loop_flavour_fits(stage->flavour, shape);
    }
    uint32_t owned = loop_shape_with(&loop_shapes[group.shape]);
    owned &= loop_flavour_ownable(stage->flavour);
    group.component = (uint8_t)(chance(d, 3) ? owned & below(d, LOOP_ALL_BITS + 1) : owned);
    return group;
}

// A tracked system is a group that owns nothing.
static loop_call draw_tracked(dice *d, const loop_stage *stage)
{
    loop_call track = draw_group(d, stage);
    track.verb      = LOOP_TRACK;
    track.component = 0;
    return track;
}

static bool may_group(const loop_stage *stage)
{
    return stage->model.group_count < LOOP_GROUPS && stage->group_calls < LOOP_GROUP_CALLS;
}

// Makes a group now and then, or drops one.
static bool group_some(loop_search *search, loop_stage *stage, dice *d)
{
    bool same = true;
    while (same && d->grouped && may_group(stage) && chance(d, 2)) {
        same = play_call(search, stage, draw_group(d, stage));
    }
    if (same && d->grouped && may_group(stage) && chance(d, 4)) {
        same = play_call(search, stage, draw_tracked(d, stage));
    }
    return same;
}

// --- how a program begins --------------------------------------------------------------------

static bool set_some(loop_search *search, loop_stage *stage, dice *d, kith_component component,
                     uint32_t count)
{
    uint32_t share  = chance(d, 2) ? 8 : 1 + below(d, 8); // how many of eight entities have it
    uint32_t offset = chance(d, 3) ? below(d, count) : 0;
    bool     back   = chance(d, 4);
    bool     same   = true;
    for (uint32_t i = 0; same && i < count; i++) {
        uint32_t  entity = (i + offset) % count;
        loop_call set    = { .verb      = LOOP_SET,
                             .component = (uint8_t)component,
                             .subject   = back ? count - 1 - entity : entity };
        same             = below(d, 8) >= share || play_call(search, stage, set);
    }
    return same;
}

// Some of what was set goes again, so that rows are out of order and stable pools have holes.
static bool take_some(loop_search *search, loop_stage *stage, dice *d, uint32_t count)
{
    bool same = true;
    for (uint32_t i = below(d, 4); same && i > 0; i--) {
        loop_call take = { .verb      = (uint8_t)(chance(d, 3) ? LOOP_DESTROY : LOOP_REMOVE),
                           .component = (uint8_t)(LOOP_A + below(d, LOOP_COMPONENTS)),
                           .subject   = below(d, count) };
        loop_call hide = { .verb      = LOOP_DISABLE,
                           .component = (uint8_t)(LOOP_A + below(d, LOOP_POOLS)),
                           .subject   = below(d, count) };
        same           = play_call(search, stage, take) &&
               (!d->bounds.disables || play_call(search, stage, hide));
    }
    return same;
}

static bool play_start(loop_search *search, loop_stage *stage, dice *d)
{
    uint32_t  count  = 1 + below(d, d->large ? LARGE_ENTITIES : SMALL_ENTITIES);
    loop_call create = { .verb = LOOP_CREATE };
    loop_call tick   = { .verb = LOOP_TICK };
    bool      same   = true;
    for (uint32_t i = 0; same && i < count; i++) {
        same = play_call(search, stage, create);
    }
    same = same && group_some(search, stage, d);
    for (kith_component c = LOOP_A; same && c <= LOOP_F; c++) {
        same = set_some(search, stage, d, c, count);
    }
    return same && take_some(search, stage, d, count) && group_some(search, stage, d) &&
           play_call(search, stage, tick);
}

// --- how it goes on --------------------------------------------------------------------------

// Often the query of the loop before: a stored one remembers.
static loop_call draw_begin(dice *d, const loop_stage *stage)
{
    loop_call begin = { .verb = LOOP_BEGIN, .shape = (uint8_t)d->shape, .form = (uint8_t)d->form };
    if (stage->model.loop_count != 0 && chance(d, 2)) {
        return begin;
    }
    do {
        begin.shape = (uint8_t)below(d, LOOP_SHAPES);
    } while (!loop_flavour_fits(stage->flavour, &loop_shapes[begin.shape]));
    begin.form = (uint8_t)below(d, LOOP_FORMS);
    d->shape   = begin.shape;
    d->form    = begin.form;
    return begin;
}

static loop_call draw_from(dice *d, const loop_stage *stage, const loop_options *options)
{
    loop_call call = options->calls[below(d, options->count)];
    bool      stop = call.verb == LOOP_SETTLE || call.verb == LOOP_CLEAR_WORLD;
    if (call.verb == LOOP_BEGIN) {
        return draw_begin(d, stage);
    }
    if (stop && !chance(d, 4)) {
        call.verb = LOOP_CREATE_ALL;
    }
    if (d->grouped && may_group(stage) && chance(d, 16)) {
        return draw_group(d, stage);
    }
    if (stage->group_calls != 0 && chance(d, 32)) {
        return (loop_call){ .verb = LOOP_UNGROUP, .subject = below(d, stage->group_calls) };
    }
    return call;
}

// Some changes wait, and most of what waits is made soon.
static loop_call draw_way(dice *d, const loop_stage *stage, loop_call call)
{
    loop_way     way = (loop_way)below(d, LOOP_WAYS);
    loop_options waiting;
    waiting.count = 0;
    loop_options_waiting(&waiting, &stage->model);
    if (waiting.count != 0 && chance(d, 3)) {
        return waiting.calls[below(d, waiting.count)];
    }
    call.way = (uint8_t)(loop_call_has_way(&call, way) ? way : LOOP_NOW);
    return call;
}

// In a large world the entities around the outer cursor are the ones that matter.
static void draw_focus(dice *d, const loop_stage *stage)
{
    d->bounds.focus_count = 0;
    for (uint32_t i = 0; d->large && stage->entity_count != 0 && i < LOOP_FOCUS; i++) {
        uint32_t close = stage->model.loop_count == 0 ? 0 : stage->model.loops[0].place;
        uint32_t far   = below(d, stage->entity_count);
        uint32_t at    = (i < LOOP_FOCUS / 2 ? close + i : far) % stage->entity_count;
        d->bounds.focus[d->bounds.focus_count++] = at;
    }
}

static loop_step draw_change(dice *d, const loop_stage *stage)
{
    loop_options options;
    loop_step    step = { .reacts = false };
    if (!loop_model_open(&stage->model) && chance(d, 3)) {
        bool track = d->grouped && may_group(stage) && chance(d, 4);
        return (loop_step){ .call =
                                track ? draw_tracked(d, stage) : (loop_call){ .verb = LOOP_TURN } };
    }
    options.count = 0;
    draw_focus(d, stage);
    loop_options_changes(&options, &stage->model, &d->bounds);
    step.call       = draw_way(d, stage, draw_from(d, stage, &options));
    uint32_t events = loop_model_events(&stage->model, &step.call);
    if (d->listening && events != 0 && chance(d, 2)) {
        options.count = 0;
        loop_options_reactions(&options, &stage->model, &d->bounds, &step.call);
        step.reacts   = true;
        step.at_event = (uint8_t)below(d, events);
        step.reaction = draw_from(d, stage, &options);
    }
    return step;
}

// The newest loops step most often; one that is never stepped is as if left by break.
static loop_step draw_next(dice *d, const loop_stage *stage)
{
    loop_options options;
    options.count    = 0;
    d->bounds.chunks = d->chunks && chance(d, 2);
    loop_options_steps(&options, &stage->model, &d->bounds);
    if (options.count == 0) {
        return (loop_step){ .call = draw_begin(d, stage) };
    }
    uint32_t newest = options.count - 1;
    return (loop_step){ .call = options.calls[chance(d, 4) ? below(d, options.count) : newest] };
}

static bool is_over(const loop_stage *stage, uint32_t changes)
{
    return (changes == 0 && !loop_model_open(&stage->model)) ||
           stage->model.loop_count >= MOST_LOOPS || stage->step_count + 64 >= LOOP_STEPS ||
           stage->entity_count + 8 >= LOOP_ENTITIES;
}

static bool play_changes(loop_search *search, loop_stage *stage, dice *d)
{
    uint32_t changes = d->changes;
    uint32_t spread  = d->large ? 40 : 3;
    while (!is_over(stage, changes)) {
        bool      change = changes != 0 && chance(d, spread);
        loop_step step   = change ? draw_change(d, stage) : draw_next(d, stage);
        bool      look   = change || chance(d, d->look);
        bool      deep   = look && chance(d, 32);
        changes -= change;
        if (!play(search, stage, &step,
                  deep   ? LOOP_LOOK_DEEP
                  : look ? LOOP_LOOK
                         : LOOP_LOOK_AWAY)) {
            return false;
        }
    }
    return true;
}

static bool play_everywhere(loop_search *search, loop_stage *stage)
{
    for (uint32_t i = 0; i < loop_setting_count(); i++) {
        if (!loop_search_repeat(search, stage, loop_setting_at(i))) {
            return false;
        }
    }
    return true;
}

static bool play_program(loop_search *search, dice *d)
{
    loop_kind kind     = { .flavour   = below(d, LOOP_FLAVOURS),
                           .listening = chance(d, 2),
                           .disables  = chance(d, 2),
                           .setting   = loop_setting_at(below(d, loop_setting_count())) };
    d->listening       = kind.listening;
    d->chunks          = chance(d, 4);
    d->grouped         = !chance(d, 3);
    d->changes         = below(d, 1 + (d->large ? LARGE_CHANGES : SMALL_CHANGES));
    d->look            = d->large ? 64 : 1;
    d->shape           = 0;
    d->form            = LOOP_VIEW;
    d->bounds          = (loop_bounds){ .components = LOOP_ALL_BITS, .rich = true };
    d->bounds.inner    = MOST_LOOPS;
    d->bounds.disables = kind.disables;
    loop_stage *stage  = loop_search_stage(search, kind);
    return play_start(search, stage, d) && play_changes(search, stage, d) &&
           loop_search_finish(search, stage) && play_everywhere(search, stage);
}

static bool play_programs(loop_search *search, void *context)
{
    dice *d = context;
    for (uint64_t i = 0; i < d->count; i++) {
        if (!play_program(search, d)) {
            return false;
        }
    }
    return true;
}

bool loop_search_random(loop_search *search, uint64_t seed, uint64_t count, bool large)
{
    dice d = { .seed = seed, .large = large, .count = count };
    return loop_search_guard(search, play_programs, &d);
}
