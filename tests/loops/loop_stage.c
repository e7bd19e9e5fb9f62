// SPDX-License-Identifier: MIT
// Runs each step of a program in a world and in the model, and logs what both do.
#include "loop_stage_internal.h"

#include "world/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWAP   KITH_POLICY_SWAP
#define STABLE KITH_POLICY_STABLE

const loop_flavour loop_flavours[LOOP_FLAVOURS] = {
    { "swap", { SWAP, SWAP, SWAP }, 0, true, false, { LOOP_A, LOOP_B, LOOP_C, LOOP_F }, false },
    { "stable",
      { STABLE, STABLE, STABLE },
      0,
      true,
      false,
      { LOOP_A, LOOP_B, LOOP_C, LOOP_F },
      false },
    { "swap, plain, pages of 1",
      { SWAP, SWAP, SWAP },
      1,
      false,
      false,
      { LOOP_F, LOOP_C, LOOP_B, LOOP_A },
      false },
    { "stable, pages of 2, C a tag",
      { STABLE, STABLE, STABLE },
      2,
      true,
      true,
      { LOOP_B, LOOP_A, LOOP_F, LOOP_C },
      false },
    { "A stable, pages of 2",
      { STABLE, SWAP, SWAP },
      2,
      true,
      false,
      { LOOP_C, LOOP_A, LOOP_B, LOOP_F },
      false },
    { "B and C stable, plain, pages of 4, C a tag",
      { SWAP, STABLE, STABLE },
      4,
      false,
      true,
      { LOOP_A, LOOP_B, LOOP_C, LOOP_F },
      false },
    { "swap, row ticks, pages of 2",
      { SWAP, SWAP, SWAP },
      2,
      true,
      false,
      { LOOP_B, LOOP_A, LOOP_C, LOOP_F },
      true },
    { "B stable, plain, row ticks, C a tag",
      { SWAP, STABLE, SWAP },
      0,
      false,
      true,
      { LOOP_A, LOOP_B, LOOP_C, LOOP_F },
      true },
};

uint32_t loop_flavour_ownable(const loop_flavour *flavour)
{
    uint32_t ownable = 0;
    for (kith_component c = LOOP_A; c <= LOOP_C; c++) {
        bool has_value = c != LOOP_C || !flavour->tag;
        ownable |= has_value && flavour->policy[c - 1] == SWAP ? LOOP_BIT(c) : 0;
    }
    return ownable;
}

bool loop_flavour_fits(const loop_flavour *flavour, const loop_shape *shape)
{
    return !(flavour->tag && loop_shape_reads(shape, LOOP_C)) &&
           (flavour->row_ticks || !loop_shape_asks_for_added(shape));
}

// --- settings --------------------------------------------------------------------------------

static const uint32_t block_sizes[LOOP_BLOCK_SIZES] = { 256, 1, 2, 7 };

static uint32_t paths(void)
{
    return kith_simd_level() + 1;
}

uint32_t loop_setting_count(void)
{
    return paths() * LOOP_BLOCK_SIZES;
}

loop_setting loop_setting_at(uint32_t i)
{
    return (loop_setting){ i / LOOP_BLOCK_SIZES % paths(), block_sizes[i % LOOP_BLOCK_SIZES] };
}

// --- what the world reports ------------------------------------------------------------------

static void record_error(const kith_world *world, const kith_error *error, void *context)
{
    loop_stage *s = context;
    (void)world;
    (void)error;
    s->reported++;
}

static void destruct(void *value, void *context)
{
    const loop_end *end = context;
    uint32_t        number;
    memcpy(&number, value, sizeof number);
    loop_log_add(&end->stage->log, LOOP_LOG_DESTRUCT, end->component, number);
}

uint32_t loop_stage_number(const loop_stage *s, kith_entity entity)
{
    uint32_t index = kith_entity_index(entity);
    uint32_t owner = entity == KITH_NULL || index >= LOOP_ENTITIES ? LOOP_NONE : s->owner[index];
    return owner != LOOP_NONE && s->handles[owner] == entity ? owner : LOOP_NONE;
}

void loop_stage_next_number(loop_stage *s, kith_entity entity)
{
    s->owner[kith_entity_index(entity)] = s->entity_count;
    s->handles[s->entity_count++]       = entity;
}

static void record_notice(kith_world *world, const kith_notice *notice, void *context)
{
    loop_stage      *s    = context;
    const loop_step *step = s->step;
    (void)world;
    if (notice->event == KITH_EVENT_CREATE) {
        loop_stage_next_number(s, notice->entity);
    }
    loop_log_add(&s->log, LOOP_LOG_EVENT, (uint32_t)notice->event << 8 | notice->component,
                 loop_stage_number(s, notice->entity));
    s->nested++;
    if (s->nested == 1 && step != NULL && step->reacts && s->events++ == step->at_event) {
        s->step = NULL;
        loop_stage_perform(s, &step->reaction);
    }
    s->nested--;
}

// --- beginning and ending --------------------------------------------------------------------

static void stop(const loop_stage *s, const char *what)
{
    char       sentence[256];
    kith_error error = kith_world_error(s->world);
    kith_error_text(s->world, &error, sentence, sizeof sentence);
    fprintf(stderr, "the loop tests cannot %s: %s\n", what, sentence);
    abort();
}

static void register_component(loop_stage *s, kith_component component)
{
    static const char *const names[] = { "A", "B", "C", "F" };
    uint32_t                 i       = component - LOOP_A;
    bool                     tag     = component == LOOP_C && s->flavour->tag;
    bool                     bare    = tag || component == LOOP_F;
    kith_component_desc      desc    = { .name = names[i], .id = component };
    desc.kind      = component == LOOP_F ? KITH_KIND_FLAG : tag ? KITH_KIND_TAG : KITH_KIND_VALUE;
    desc.size      = bare ? 0 : loop_value_size[i];
    desc.alignment = bare ? 0 : 4;
    s->ends[i]     = (loop_end){ s, component };
    if (component != LOOP_F) {
        desc.traits.policy    = s->flavour->policy[i];
        desc.traits.page_rows = s->flavour->page_rows;
        desc.traits.row_ticks = s->flavour->row_ticks;
    }
    if (s->flavour->hooks && !bare) {
        desc.traits.hooks.destruct = destruct;
        desc.traits.hooks.context  = &s->ends[i];
    }
    if (kith_component_register(s->world, &desc) == 0) {
        stop(s, "register a component");
    }
}

static void connect(loop_stage *s, kith_event event, kith_component component)
{
    kith_listener_desc desc = {
        .event = event, .component = component, .call = record_notice, .context = s
    };
    if (kith_listener_connect(s->world, &desc) == 0) {
        stop(s, "connect a listener");
    }
}

static void connect_all(loop_stage *s)
{
    for (kith_component c = LOOP_A; c <= LOOP_F; c++) {
        connect(s, KITH_EVENT_ADD, c);
        connect(s, KITH_EVENT_REMOVE, c);
        bool has_value = c != LOOP_F && !(c == LOOP_C && s->flavour->tag);
        if (has_value) {
            connect(s, KITH_EVENT_SET, c);
        }
    }
    connect(s, KITH_EVENT_CREATE, 0);
    connect(s, KITH_EVENT_DESTROY, 0);
}

void loop_stage_begin(loop_stage *s, const loop_flavour *flavour, bool listening)
{
    kith_world_desc desc = { .on_error = record_error, .error_context = s };
    memset(s->stored, 0, sizeof s->stored);
    memset(s->addresses, 0, sizeof s->addresses);
    s->flavour      = flavour;
    s->listening    = listening;
    s->nested       = 0;
    s->step         = NULL;
    s->cursor_count = 0;
    s->group_calls  = 0;
    s->world        = kith_world_create(&desc);
    if (s->world == NULL) {
        abort();
    }
    for (uint32_t i = 0; i < LOOP_COMPONENTS; i++) {
        register_component(s, flavour->order[i]);
    }
    if (!loop_stage_begin_later(s) || !loop_stage_begin_react(s)) {
        stop(s, "make commands, a queue, a reactive set and a system");
    }
    if (listening) {
        connect_all(s);
    }
    loop_model_init(&s->model, flavour, listening);
}

void loop_stage_end(loop_stage *s)
{
    if (s->world != NULL) {
        kith_world_settle(s->world);
        kith_world_destroy(s->world);
        s->world = NULL;
    }
}

bool loop_stage_differ(loop_stage *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->difference, sizeof s->difference, format, arguments);
    va_end(arguments);
    return false;
}

static void drop_groups(loop_stage *s)
{
    for (uint32_t i = 0; i < s->group_calls; i++) {
        if (s->groups[i] != NULL) {
            kith_group_drop(s->groups[i]);
        }
    }
    s->group_calls = 0;
}

// Empties the world. Every slot is in use before, so that all are given out in ascending order
// again; entities that go one by one leave holes in stable pools, which compact takes away.
static void empty(loop_stage *s)
{
    kith_world_settle(s->world);
    loop_stage_forget_later(s);
    loop_stage_untrack(s);
    drop_groups(s);
    s->entity_count = 0;
    for (uint32_t i = 0; i < s->model.free_count; i++) {
        kith_entity_create(s->world);
    }
    kith_world_clear(s->world);
    for (kith_component c = LOOP_A; c <= LOOP_C; c++) {
        kith_component_compact(s->world, c);
    }
}

void loop_stage_restart(loop_stage *s, loop_setting setting)
{
    s->setting    = setting;
    s->step       = NULL;
    s->log.count  = 0;
    s->step_count = 0;
    empty(s);
    s->first_tick = kith_world_advance(s->world);
    loop_stage_forget_react(s);
    s->world->block_rows = setting.block_rows;
    s->world->simd       = kith_simd_for(setting.path);
    s->entity_count      = 0;
    s->cursor_count      = 0;
    s->number            = 0;
    s->transcript        = 0;
    s->chunked           = false;
    s->difference[0]     = '\0';
    loop_model_restart(&s->model);
    s->model.tick           = s->first_tick;
    s->model.reactive.since = s->first_tick;
}

// --- the world's part of a step --------------------------------------------------------------

static void *set_value(loop_stage *s, kith_entity entity, kith_component component)
{
    uint32_t value[4] = { ++s->number, 0, 0, 0 };
    return kith_component_set(s->world, entity, component, value);
}

static uint32_t create(loop_stage *s)
{
    kith_entity entity = kith_entity_create(s->world);
    if (!s->listening && entity != KITH_NULL) {
        loop_stage_next_number(s, entity);
    }
    return entity == KITH_NULL ? LOOP_NONE : kith_entity_index(entity);
}

static void create_all(loop_stage *s)
{
    uint32_t entity = s->entity_count;
    uint32_t index  = create(s);
    loop_log_add(&s->log, LOOP_LOG_RESULT, LOOP_CREATE, index);
    for (kith_component c = LOOP_A; c <= LOOP_F; c++) {
        if (index != LOOP_NONE) {
            bool done = set_value(s, s->handles[entity], c) != NULL;
            loop_log_add(&s->log, LOOP_LOG_RESULT, LOOP_SET, done);
        }
    }
}

static kith_query *stored_query(loop_stage *s, uint32_t shape)
{
    if (s->stored[shape] == NULL) {
        kith_query_desc desc = loop_shape_desc(&loop_shapes[shape], s->world);
        s->stored[shape]     = kith_query_create(s->world, &desc);
    }
    kith_query_since_set(s->stored[shape], kith_world_now(s->world));
    return s->stored[shape];
}

static bool make_group(loop_stage *s, const loop_call *call)
{
    kith_term       terms[LOOP_TERMS];
    kith_query_desc desc = loop_shape_desc(&loop_shapes[call->shape], s->world);
    for (uint32_t i = 0; i < desc.term_count; i++) {
        bool owned    = (call->component & LOOP_BIT(desc.terms[i].component)) != 0;
        terms[i]      = desc.terms[i];
        terms[i].role = owned ? KITH_ROLE_OWN : desc.terms[i].role;
    }
    desc.terms                  = terms;
    kith_group *group           = kith_group_of(s->world, &desc);
    s->groups[s->group_calls++] = group;
    return group != NULL;
}

static bool drop_group(loop_stage *s, uint32_t number)
{
    kith_group *group   = s->groups[number];
    bool        systems = s->tracked != NULL && number == s->tracked_call; // not ours to drop
    bool        dropped = !systems && group != NULL && kith_group_drop(group);
    for (uint32_t i = 0; i < s->group_calls && dropped; i++) {
        s->groups[i] = s->groups[i] == group ? NULL : s->groups[i];
    }
    return dropped;
}

static bool begin(loop_stage *s, const loop_call *call)
{
    kith_query  *query  = loop_call_stored(call) ? stored_query(s, call->shape) : NULL;
    loop_cursor *cursor = &s->cursors[s->cursor_count++];
    loop_cursor_begin(cursor, s->world, &loop_shapes[call->shape], query, call->form >= LOOP_TYPED);
    if (query != NULL) {
        // the length of the entity table depends on the programs before
        kith_query_report report = kith_query_report_of(query);
        uint32_t          rows   = report.lead == 0 ? 0 : report.rows;
        loop_log_add(&s->log, LOOP_LOG_LEAD, report.lead, rows);
    }
    return !cursor->failed;
}

// The columns at place `i` of the chunk must be what get would answer.
static uint32_t see_columns(loop_stage *s, const loop_cursor *cursor, uint32_t i,
                            kith_entity entity)
{
    uint32_t columns = loop_shape_columns(cursor->shape);
    uint32_t seen    = 0;
    for (kith_component c = LOOP_A; c <= LOOP_F; c++) {
        const char *value = cursor->values[c - 1];
        bool        bare  = c == LOOP_F || (c == LOOP_C && s->flavour->tag);
        if ((columns & LOOP_BIT(c)) == 0 || value == NULL) {
            continue;
        }
        seen |= LOOP_BIT(c);
        if (!bare && value + i * loop_value_size[c - 1] !=
                         (const char *)kith_component_get(s->world, entity, c)) {
            loop_log_add(&s->log, LOOP_LOG_MISPLACED, c, loop_stage_number(s, entity));
        }
    }
    return seen;
}

static void see(loop_stage *s, uint32_t number, uint32_t i, kith_entity entity)
{
    uint32_t seen = see_columns(s, &s->cursors[number], i, entity);
    loop_log_add(&s->log, LOOP_LOG_VISIT, number, loop_stage_number(s, entity));
    loop_log_add(&s->log, LOOP_LOG_COLUMNS, number, seen);
}

static bool next(loop_stage *s, uint32_t number)
{
    loop_cursor *cursor = &s->cursors[number];
    bool         more   = loop_cursor_next(cursor);
    cursor->chunked     = false;
    if (more) {
        see(s, number, 0, cursor->entity);
    }
    return more;
}

static bool next_chunk(loop_stage *s, uint32_t number)
{
    loop_cursor *cursor = &s->cursors[number];
    bool         more   = loop_cursor_next_chunk(cursor);
    s->chunk_length     = more ? cursor->count : 0;
    cursor->chunked     = true;
    s->chunked          = true;
    for (uint32_t i = 0; i < s->chunk_length; i++) {
        see(s, number, i, loop_cursor_entity(cursor, i));
    }
    return more;
}

static uint32_t answer(loop_stage *s, const loop_call *call)
{
    kith_world    *world     = s->world;
    uint32_t       subject   = call->subject;
    kith_component component = call->component;
    kith_entity    entity    = subject < s->entity_count ? s->handles[subject] : KITH_NULL;
    switch ((loop_verb)call->verb) {
    case LOOP_BEGIN:
        return begin(s, call);
    case LOOP_NEXT:
        return next(s, subject);
    case LOOP_NEXT_CHUNK:
        return next_chunk(s, subject);
    case LOOP_END:
        loop_cursor_end(&s->cursors[subject]);
        return 0;
    case LOOP_HOLD:
        s->cursors[s->cursor_count++].chunked = false;
        return kith_world_hold(world);
    case LOOP_RELEASE:
        return kith_world_release(world);
    case LOOP_SETTLE:
        return kith_world_settle(world);
    case LOOP_TICK:
        return kith_world_advance(world) != 0;
    case LOOP_CREATE:
        return create(s);
    case LOOP_CREATE_ALL:
        create_all(s);
        return 0;
    case LOOP_DESTROY:
        return kith_entity_destroy(world, entity);
    case LOOP_SET:
        return set_value(s, entity, component) != NULL;
    case LOOP_ADD:
        return kith_component_add(world, entity, component, NULL) != NULL;
    case LOOP_MUT:
        return kith_component_mut(world, entity, component) != NULL;
    case LOOP_REMOVE:
        return kith_component_remove(world, entity, component);
    case LOOP_DISABLE:
        return kith_component_enable(world, entity, component, false);
    case LOOP_ENABLE:
        return kith_component_enable(world, entity, component, true);
    case LOOP_CLEAR:
        return kith_component_clear(world, component);
    case LOOP_CLEAR_WORLD:
        kith_world_clear(world);
        return 0;
    case LOOP_GROUP:
        return make_group(s, call);
    case LOOP_UNGROUP:
        return drop_group(s, subject);
    case LOOP_APPLY:
        return loop_stage_apply(s);
    case LOOP_UPDATE:
        return loop_stage_update(s);
    case LOOP_COLLECT:
        return loop_stage_collect(s);
    case LOOP_MEMBER:
        return loop_stage_member(s);
    case LOOP_FORGET:
        loop_stage_forget(s);
        return 0;
    case LOOP_TURN:
        return kith_schedule_run(world, 0);
    case LOOP_TRACK:
        return loop_stage_track(s, &loop_shapes[call->shape]);
    case LOOP_UNTRACK:
        return loop_stage_untrack(s);
    }
    return 0;
}

static uint32_t call_or_defer(loop_stage *s, const loop_call *call)
{
    return call->way == LOOP_NOW ? answer(s, call) : loop_stage_defer(s, call);
}

void loop_stage_perform(loop_stage *s, const loop_call *call)
{
    s->reported = 0;
    kith_world_error_clear(s->world);
    bool     able   = loop_call_has_subject(call, s->cursor_count, s->entity_count, s->group_calls);
    uint32_t result = able ? call_or_defer(s, call) : 0;
    loop_log_add(&s->log, LOOP_LOG_RESULT, call->verb, result);
    loop_log_add(&s->log, LOOP_LOG_ERROR, s->reported, kith_world_error(s->world).code);
}

static void note(loop_stage *s, uint64_t word)
{
    s->transcript = (s->transcript ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    s->transcript ^= s->transcript >> 29;
}

static bool compare_logs(loop_stage *s)
{
    const loop_log *did  = &s->log;
    const loop_log *said = &s->model.log;
    for (uint32_t i = 0; i < did->count; i++) {
        note(s, did->words[i]);
    }
    return (did->count == said->count &&
            memcmp(did->words, said->words, did->count * sizeof did->words[0]) == 0) ||
           loop_stage_differ(s, "the call did something else than the model says");
}

bool loop_stage_step(loop_stage *s, const loop_step *step, loop_look look)
{
    if (s->step_count == LOOP_STEPS) {
        return loop_stage_differ(s, "the program is too long for the tests");
    }
    s->steps[s->step_count++] = *step;
    s->log.count              = 0;
    s->step                   = step;
    s->events                 = 0;
    s->chunk_length           = 0;
    loop_stage_perform(s, &step->call);
    s->step = NULL;
    loop_model_step(&s->model, step, s->chunk_length);
    return compare_logs(s) && loop_stage_compare(s, look);
}

static void note_stamps(loop_stage *s)
{
    for (kith_component c = LOOP_A; c <= LOOP_C; c++) {
        for (uint32_t row = 0; row < s->model.pools[c - 1].row_count; row++) {
            note(s, kith_component_stamp(s->world, c, row) - s->first_tick);
        }
    }
}

bool loop_stage_finish(loop_stage *s, uint32_t first, uint32_t walks, bool deep)
{
    loop_step settle = { .call = { .verb = LOOP_SETTLE } };
    if (!loop_stage_step(s, &settle, LOOP_LOOK)) {
        return false;
    }
    note_stamps(s);
    for (uint32_t i = 0; i < walks; i++) {
        const loop_shape *shape = &loop_shapes[(first + i) % LOOP_SHAPES];
        if (loop_flavour_fits(s->flavour, shape) && !loop_stage_walk(s, shape, walks > 1)) {
            return false;
        }
    }
    return !deep || loop_stage_validate(s);
}
