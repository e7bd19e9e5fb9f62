// SPDX-License-Identifier: MIT
// Runs every program of a size, or random ones, and collects those in which world and model differ.
#include "loop_search.h"

#include "model/crash.h"

#include <stdlib.h>
#include <string.h>

enum { PROGRAMS_A_WORLD = 4096, DEEP_EVERY = 512, REPEAT_EVERY = 64, ALL_WALKS_EVERY = 128 };

// --- stages ----------------------------------------------------------------------------------

loop_stage *loop_search_stage(loop_search *search, loop_kind kind)
{
    uint32_t    number = kind.flavour * 4 + kind.listening * 2u + kind.disables;
    loop_stage *stage  = search->stages[number];
    if (stage == NULL) {
        stage                  = calloc(1, sizeof *stage);
        search->stages[number] = stage;
    }
    if (stage == NULL) {
        abort();
    }
    // A world that has seen much and a new one both have their surprises.
    bool worn = search->uses[number] >= PROGRAMS_A_WORLD && search->fresh == 0;
    if (stage->world == NULL || worn) {
        loop_stage_end(stage);
        loop_stage_begin(stage, &loop_flavours[kind.flavour], kind.listening);
        search->uses[number] = 0;
    }
    search->uses[number]++;
    loop_stage_restart(stage, kind.setting);
    stage->model.fault = search->fault;
    search->present    = stage;
    return stage;
}

bool loop_search_differ(loop_search *search, const loop_stage *stage, const char *sentence)
{
    search->failed   = stage;
    search->sentence = sentence;
    return false;
}

// What crash_guard takes: a function of one pointer that answers nothing.
typedef struct guarded {
    loop_search *search;
    loop_body_fn body;
    void        *context;
    bool         same;
} guarded;

static void run_guarded(void *context)
{
    guarded *g = context;
    g->same    = g->body(g->search, g->context);
}

bool loop_search_guard(loop_search *search, loop_body_fn body, void *context)
{
    guarded g = { search, body, context, false };
    if (crash_guard(run_guarded, &g) != 0) {
        search->crashed = true;
        return loop_search_differ(search, search->present, "the library crashed");
    }
    return g.same;
}

void loop_search_write(const loop_search *search, text *out)
{
    if (search->failed != NULL) {
        loop_stage_write(search->failed, out);
        text_add(out, "    // %s\n", search->sentence);
    }
}

void loop_search_end(loop_search *search)
{
    for (uint32_t i = 0; i < LOOP_STAGES; i++) {
        if (search->stages[i] != NULL && !search->crashed) {
            loop_stage_end(search->stages[i]);
        }
        free(search->stages[i]);
        search->stages[i] = NULL;
    }
}

bool loop_search_is_full(loop_search *search)
{
    search->cut = search->most != 0 && search->cases >= search->most;
    return search->cut;
}

bool loop_search_finish(loop_search *search, loop_stage *stage)
{
    for (uint32_t i = 0; i < stage->cursor_count; i++) {
        loop_step again = { .call = { .verb = LOOP_NEXT, .subject = i } };
        loop_step end   = { .call = { .verb = LOOP_END, .subject = i } };
        bool      loop  = stage->model.loops[i].shape != NULL;
        if (loop && !stage->model.loops[i].open &&
            (!loop_stage_step(stage, &again, LOOP_LOOK_AWAY) ||
             !loop_stage_step(stage, &end, LOOP_LOOK_AWAY))) {
            return loop_search_differ(search, stage, "at a closed cursor");
        }
    }
    // Walks cost more than programs: one shape each time, all of them now and then.
    search->cases++;
    uint32_t first = (uint32_t)(search->cases % LOOP_SHAPES);
    uint32_t walks = search->cases % ALL_WALKS_EVERY == 0 ? LOOP_SHAPES : 1;
    return loop_stage_finish(stage, first, walks, search->cases % DEEP_EVERY == 0) ||
           loop_search_differ(search, stage, "after settling");
}

// The steps end with the settling that the finish brings itself.
bool loop_search_repeat(loop_search *search, loop_stage *stage, loop_setting setting)
{
    static loop_step steps[LOOP_STEPS];
    uint32_t         count = stage->step_count - 1;
    uint64_t         said  = stage->transcript;
    memcpy(steps, stage->steps, count * sizeof steps[0]);
    loop_stage_restart(stage, setting);
    for (uint32_t i = 0; i < count; i++) {
        if (!loop_stage_step(stage, &steps[i], LOOP_LOOK_AWAY)) {
            return loop_search_differ(search, stage, "when the program ran again");
        }
    }
    search->repeats++;
    if (!loop_stage_finish(stage, 0, 0, false)) {
        return loop_search_differ(search, stage, "after settling, when the program ran again");
    }
    return stage->transcript == said || stage->chunked ||
           loop_search_differ(search, stage, "the same program did something else before");
}

// --- the tree --------------------------------------------------------------------------------

// One of `limit` ways to go on: as before, or the first where no program has been yet.
static uint32_t choose(loop_search *search, const loop_stage *stage, uint32_t limit)
{
    if (search->at == LOOP_CHOICES) {
        abort();
    }
    if (search->at == search->known) {
        search->chosen[search->known]  = 0;
        search->limits[search->known]  = limit;
        search->steps[search->known++] = stage->step_count;
    }
    return search->chosen[search->at++];
}

// Makes the next program differ from this one as late as possible. False: there is none.
static bool advance(loop_search *search)
{
    while (search->known != 0) {
        uint32_t last = search->known - 1;
        if (++search->chosen[last] < search->limits[last]) {
            search->fresh = search->steps[last];
            return true;
        }
        search->known--;
    }
    return false;
}

// --- jobs ------------------------------------------------------------------------------------

typedef struct job {
    loop_bounds     bounds;
    const loop_run *run;
    loop_kind       kind;
    uint32_t        variant;
    uint32_t        signatures; // of three entities, the relevant components of each
    uint32_t        groups;     // the number of the set of groups
} job;

enum {
    START_ENTITIES = 3,
    // how rows are ordered and what else is there when the loop begins
    PLAIN_VARIANT    = 0,
    MIXED_VARIANT    = 1, // pools in different orders
    DISABLED_VARIANT = 2, // others, and a row is disabled
    HOLES_VARIANT    = 3, // an entity that is gone left holes in stable pools, and a free index
    LAST_VARIANT     = 4  // the same, and rows can be disabled
};

enum { Q_A = 0, Q_AB = 1, Q_ABC = 2, Q_A_NOT_C = 3, Q_AB_NOT_C = 4, Q_A_F = 8, Q_A_NOT_F = 13 };
enum { OWN_A = 1, OWN_B = 2, OWN_C = 4 };

// Groups that a program has. A flavour that cannot have a component owned has it asked for.
typedef struct group_set {
    bool     before; // made before the entities have anything
    uint32_t count;
    struct {
        uint8_t shape;
        uint8_t owned;
    } groups[3];
} group_set;

static const group_set group_sets[LOOP_GROUP_SETS] = {
    { false, 0, { { 0, 0 } } },
    { false, 1, { { Q_AB, OWN_A | OWN_B } } },
    { false, 1, { { Q_AB, OWN_A } } },
    { false, 1, { { Q_AB, 0 } } },
    { false, 1, { { Q_AB_NOT_C, OWN_A | OWN_B } } },
    { false, 2, { { Q_AB, OWN_A | OWN_B }, { Q_ABC, OWN_A | OWN_B | OWN_C } } },
    { false, 1, { { Q_A_F, OWN_A } } },
    { true, 3, { { Q_AB, OWN_A | OWN_B }, { Q_AB_NOT_C, OWN_A | OWN_B }, { Q_A_F, 0 } } },
    { false, 2, { { Q_ABC, OWN_A | OWN_B | OWN_C }, { Q_AB, OWN_A | OWN_B } } },
    { true, 2, { { Q_A_NOT_F, OWN_A }, { Q_AB, 0 } } },
    { false, 3, { { Q_A_NOT_C, OWN_A }, { Q_A, OWN_A }, { Q_ABC, 0 } } },
};

static uint32_t bits_in(uint32_t word)
{
    uint32_t count = 0;
    for (; word != 0; word &= word - 1) {
        count++;
    }
    return count;
}

static bool is_shape_in(const loop_run *run, uint32_t shape)
{
    return bits_in(loop_shape_relevant(&loop_shapes[shape])) <= run->components;
}

// A query for all entities still has something that can come and go.
static uint32_t relevant(uint32_t shape)
{
    uint32_t components = loop_shape_relevant(&loop_shapes[shape]);
    return components == 0 ? LOOP_BIT(LOOP_A) : components;
}

static uint64_t signatures_of(uint32_t shape)
{
    return UINT64_C(1) << START_ENTITIES * bits_in(relevant(shape));
}

static uint64_t kinds_of(const loop_run *run)
{
    return (uint64_t)bits_in(run->flavours) * bits_in(run->variants) * bits_in(run->groups) *
           bits_in(run->ways);
}

uint64_t loop_run_jobs(const loop_run *run)
{
    uint64_t count = 0;
    for (uint32_t shape = 0; shape < LOOP_SHAPES; shape++) {
        count += is_shape_in(run, shape) ? signatures_of(shape) * kinds_of(run) : 0;
    }
    return count;
}

// The n-th bit that is set.
static uint32_t bit_at(uint32_t word, uint32_t n)
{
    uint32_t bit = 0;
    for (;; bit++) {
        if ((word >> bit & 1) != 0 && n-- == 0) {
            return bit;
        }
    }
}

static job job_at(const loop_run *run, uint64_t number)
{
    uint32_t shape = 0;
    uint64_t rest  = number;
    for (;; shape++) {
        uint64_t count = is_shape_in(run, shape) ? signatures_of(shape) * kinds_of(run) : 0;
        if (rest < count) {
            break;
        }
        rest -= count;
    }
    uint64_t flavours = bits_in(run->flavours);
    uint64_t variants = bits_in(run->variants);
    uint64_t groups   = bits_in(run->groups);
    uint64_t mixed    = number * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    job      j        = { .run = run };
    j.variant         = bit_at(run->variants, (uint32_t)(rest / flavours % variants));
    j.groups          = bit_at(run->groups, (uint32_t)(rest / flavours / variants % groups));
    uint64_t kind     = rest / flavours / variants / groups;
    j.signatures      = (uint32_t)(kind / bits_in(run->ways));
    j.kind            = (loop_kind){
                   .flavour   = bit_at(run->flavours, (uint32_t)(rest % flavours)),
                   .listening = run->listening,
                   .disables  = j.variant == DISABLED_VARIANT || j.variant == LAST_VARIANT,
                   .setting   = loop_setting_at((uint32_t)mixed % loop_setting_count()),
    };
    loop_way way = (loop_way)bit_at(run->ways, (uint32_t)(kind % bits_in(run->ways)));
    j.bounds     = (loop_bounds){ .components = relevant(shape),
                                  .shape      = shape,
                                  .other      = (uint32_t)(mixed >> 8) % LOOP_SHAPES,
                                  .form       = (loop_form)((mixed >> 16) % LOOP_FORMS),
                                  .chunks     = run->chunks,
                                  .inner      = run->inner,
                                  .disables   = j.kind.disables,
                                  .way        = way };
    return j;
}

// A tag cannot be read, and not every flavour has C as a value, or row ticks.
static bool is_job_possible(job *j)
{
    const loop_flavour *flavour = &loop_flavours[j->kind.flavour];
    if (!loop_flavour_fits(flavour, &loop_shapes[j->bounds.other])) {
        j->bounds.other = j->bounds.shape;
    }
    return loop_flavour_fits(flavour, &loop_shapes[j->bounds.shape]);
}

// --- how a program begins --------------------------------------------------------------------

static bool play_start_call(loop_search *search, loop_stage *stage, loop_call call, loop_look look)
{
    loop_step step = { .call = call };
    return loop_stage_step(stage, &step, look) ||
           loop_search_differ(search, stage, "before the loop");
}

static bool play(loop_search *search, loop_stage *stage, loop_call call)
{
    return play_start_call(search, stage, call, LOOP_LOOK_AWAY);
}

static bool is_in_signature(const job *j, uint32_t entity, kith_component component)
{
    uint32_t count = bits_in(j->bounds.components);
    uint32_t place = bits_in(j->bounds.components & (LOOP_BIT(component) - 1));
    return (j->bounds.components & LOOP_BIT(component)) != 0 &&
           (j->signatures >> (entity * count + place) & 1) != 0;
}

// Rows come in another order in each pool and variant.
static uint32_t ordered(const job *j, kith_component component, uint32_t i)
{
    switch (j->variant) {
    case MIXED_VARIANT:
        return component == LOOP_A ? 2 - i : component == LOOP_C ? (i + 1) % 3 : i;
    case DISABLED_VARIANT:
        return component == LOOP_B ? 2 - i : i;
    default:
        return i;
    }
}

static bool fill_pool(loop_search *search, loop_stage *stage, const job *j, kith_component c,
                      uint32_t first)
{
    for (uint32_t i = 0; i < START_ENTITIES; i++) {
        uint32_t  entity = ordered(j, c, i);
        loop_call set    = { .verb = LOOP_SET, .component = (uint8_t)c, .subject = first + entity };
        if (is_in_signature(j, entity, c) && !play(search, stage, set)) {
            return false;
        }
    }
    return true;
}

// Disables the first component that an entity has.
static bool disable_one(loop_search *search, loop_stage *stage, const job *j)
{
    for (uint32_t entity = 0; entity < START_ENTITIES; entity++) {
        for (kith_component c = LOOP_A; c <= LOOP_C; c++) {
            loop_call disable = { .verb      = LOOP_DISABLE,
                                  .component = (uint8_t)c,
                                  .subject   = entity };
            if (is_in_signature(j, entity, c)) {
                return play(search, stage, disable);
            }
        }
    }
    return true;
}

static bool play_groups(loop_search *search, loop_stage *stage, const job *j, bool before)
{
    const group_set *set  = &group_sets[j->groups];
    bool             same = true;
    for (uint32_t i = 0; i < set->count && set->before == before && same; i++) {
        uint32_t  owned = set->groups[i].owned & loop_flavour_ownable(stage->flavour);
        loop_call group = { .verb      = LOOP_GROUP,
                            .shape     = set->groups[i].shape,
                            .component = (uint8_t)owned };
        bool      able  = loop_flavour_fits(stage->flavour, &loop_shapes[group.shape]);
        same            = !able || play(search, stage, group);
    }
    return same;
}

// What has changed since the tick began: in A the entity in the middle, in B the last one.
static bool change_some(loop_search *search, loop_stage *stage, uint32_t first)
{
    loop_call a = { .verb = LOOP_MUT, .component = LOOP_A, .subject = first + 1 };
    loop_call b = { .verb = LOOP_MUT, .component = LOOP_B, .subject = first + 2 };
    return play(search, stage, a) && play(search, stage, b);
}

static bool play_start(loop_search *search, loop_stage *stage, const job *j)
{
    uint32_t  first   = j->variant >= HOLES_VARIANT;
    loop_call former  = { .verb = LOOP_CREATE_ALL };
    loop_call create  = { .verb = LOOP_CREATE };
    loop_call destroy = { .verb = LOOP_DESTROY };
    loop_call tick    = { .verb = LOOP_TICK };
    bool      same    = play_groups(search, stage, j, true);
    same              = same && (first == 0 || play(search, stage, former));
    for (uint32_t i = 0; i < START_ENTITIES; i++) {
        same = same && play(search, stage, create);
    }
    for (kith_component c = LOOP_A; c <= LOOP_F; c++) {
        same = same && fill_pool(search, stage, j, c, first);
    }
    same = same && (first == 0 || play(search, stage, destroy));
    same = same && (j->variant != DISABLED_VARIANT || disable_one(search, stage, j));
    same = same && play_groups(search, stage, j, false);
    same = same && (search->fresh != 0 ? play(search, stage, tick)
                                       : play_start_call(search, stage, tick, LOOP_LOOK));
    return same && change_some(search, stage, first);
}

// --- how it goes on --------------------------------------------------------------------------

// Chooses at which of its events a listener does what about the step.
static void choose_reaction(loop_search *search, const loop_stage *stage, const job *j,
                            loop_step *step)
{
    loop_options reactions;
    uint32_t     events = loop_model_events(&stage->model, &step->call);
    reactions.count     = 0;
    loop_options_reactions(&reactions, &stage->model, &j->bounds, &step->call);
    step->reacts   = true;
    step->at_event = (uint8_t)choose(search, stage, events);
    step->reaction = reactions.calls[choose(search, stage, reactions.count)];
}

// Keeps the changes from `first` on that are reported to a listener, now or later.
static void keep_reported(const loop_model *m, loop_options *options, uint32_t first)
{
    uint32_t kept = first;
    for (uint32_t i = first; i < options->count; i++) {
        if (options->calls[i].way != LOOP_NOW || loop_model_events(m, &options->calls[i]) != 0) {
            options->calls[kept++] = options->calls[i];
        }
    }
    options->count = kept;
}

static loop_step choose_step(loop_search *search, const loop_stage *stage, const job *j,
                             uint32_t *budget)
{
    loop_options options;
    options.count = 0;
    loop_options_steps(&options, &stage->model, &j->bounds);
    uint32_t nexts = options.count;
    loop_options_waiting(&options, &stage->model);
    uint32_t steps = options.count;
    if (*budget != 0) {
        loop_options_changes(&options, &stage->model, &j->bounds);
    }
    if (j->run->listening) {
        keep_reported(&stage->model, &options, steps);
    }
    uint32_t  chosen = choose(search, stage, options.count);
    loop_step step   = { .call = options.calls[chosen] };
    *budget -= chosen >= steps;
    if (chosen >= nexts && j->run->listening && *budget != 0 &&
        loop_model_events(&stage->model, &step.call) != 0) {
        choose_reaction(search, stage, j, &step);
    }
    *budget -= step.reacts;
    return step;
}

static bool play_loop(loop_search *search, loop_stage *stage, const job *j)
{
    uint32_t  budget = j->run->changes;
    loop_call begin  = { .verb  = LOOP_BEGIN,
                         .shape = (uint8_t)j->bounds.shape,
                         .form  = (uint8_t)j->bounds.form };
    if (!play(search, stage, begin)) {
        return false;
    }
    while (stage->model.loops[0].open) {
        loop_step step = choose_step(search, stage, j, &budget);
        loop_look look = LOOP_LOOK_AWAY;
        if (stage->step_count >= search->fresh) {
            look = ++search->calls % DEEP_EVERY == 0 ? LOOP_LOOK_DEEP : LOOP_LOOK;
        }
        if (!loop_stage_step(stage, &step, look)) {
            return loop_search_differ(search, stage, "in the loop");
        }
    }
    return true;
}

static bool play_job(loop_search *search, const job *j)
{
    search->known = 0;
    search->fresh = 0;
    do {
        search->at        = 0;
        loop_stage *stage = loop_search_stage(search, j->kind);
        if (!play_start(search, stage, j) || !play_loop(search, stage, j) ||
            !loop_search_finish(search, stage)) {
            return false;
        }
        if (search->cases % REPEAT_EVERY == 0 &&
            !loop_search_repeat(search, stage, j->kind.setting)) {
            return false;
        }
        if (loop_search_is_full(search)) {
            return true;
        }
    } while (advance(search));
    return true;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a             = b;
        b             = rest;
    }
    return a;
}

// A step through the jobs that reaches each once and leaves neighbours far apart, so that a
// search that ends early has seen all kinds.
static uint64_t stride_through(uint64_t count)
{
    uint64_t stride = count * 618 / 1000 + 1;
    while (common_divisor(stride, count) != 1) {
        stride++;
    }
    return stride;
}

// The jobs that a caller wants.
typedef struct share {
    const loop_run *run;
    uint64_t        first;
    uint64_t        every;
} share;

static bool run_share(loop_search *search, void *context)
{
    const share *portion = context;
    uint64_t     count   = loop_run_jobs(portion->run);
    uint64_t     stride  = stride_through(count);
    for (uint64_t i = portion->first; i < count && !loop_search_is_full(search);
         i += portion->every) {
        job j = job_at(portion->run, i * stride % count);
        if (is_job_possible(&j) && !play_job(search, &j)) {
            return false;
        }
        search->jobs++;
    }
    return true;
}

bool loop_search_run(loop_search *search, const loop_run *run, uint64_t first, uint64_t every)
{
    share portion = { run, first, every };
    return loop_search_guard(search, run_share, &portion);
}
