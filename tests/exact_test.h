// SPDX-License-Identifier: MIT
// The town of snapshot_test.h with all that is exact: row ticks, journals, queries for changes,
// reactive sets, queues and systems. Whatever it answers goes into one number.
#ifndef KITH_TESTS_EXACT_TEST_H
#define KITH_TESTS_EXACT_TEST_H

#include "snapshot_test.h"

#include "kith/frames.h"

enum { SCAR = 40, GLOW };

typedef struct hit {
    kith_entity target;
    bool        hard; // padding follows
    float       damage;
} hit;

typedef struct note {
    uint32_t length;
    char     text[12];
} note;

KITH_FIELDS(hit, entity(target), boolean(hard), f32(damage));

static size_t write_note(const void *value, void *bytes, size_t room, void *context)
{
    const note *n = value;
    (void)context;
    if (n->length <= room && n->length != 0) {
        memcpy(bytes, n->text, n->length);
    }
    return n->length;
}

static bool read_note(void *value, const void *bytes, size_t size, void *context)
{
    note *n = value;
    (void)context;
    if (size > sizeof n->text) {
        return false;
    }
    n->length = (uint32_t)size;
    memcpy(n->text, bytes, size);
    return true;
}

static const kith_saver  note_saver  = { write_note, read_note, NULL };
static const kith_traits scar_traits = { .policy    = KITH_POLICY_STABLE,
                                         .page_rows = 16,
                                         .row_ticks = true,
                                         .journal   = 8,
                                         .saved     = KITH_AS(plain(4)) };
static const kith_traits glow_traits = { .page_rows = 32,
                                         .journal   = 3,
                                         .saved     = KITH_AS(plain(8)) };

KITH_COMPONENT_WITH(scar, int32_t, SCAR, scar_traits);
KITH_COMPONENT_WITH(glow, uint64_t, GLOW, glow_traits);
KITH_EVENT_AS(hit, hit, fields(hit));
KITH_EVENT_AS(note, note, through(&note_saver));
KITH_QUERY(freshly, changed(spot), read(pace));
KITH_QUERY(newly, added(scar), read(scar));

typedef struct town {
    test_memory    memory;
    kith_world    *world;
    uint64_t       log; // of all answers
    kith_query    *fresh;
    kith_query    *brand;
    kith_reactive *sets[3];
    hit_queue      hits;
    note_queue     notes;
    kith_queue    *bells;
    kith_removals  walk;
    uint64_t       at; // in the first set
} town;

static void note_answer(town *t, uint64_t answer)
{
    t->log = (t->log ^ answer) * UINT64_C(0x9e3779b97f4a7c15);
    t->log ^= t->log >> 29;
}

static void handle_hit(kith_world *world, const hit *event, void *context)
{
    (void)world;
    note_answer(context, event->target ^ (uint64_t)event->damage ^ event->hard);
}

static void handle_note(kith_world *world, const note *event, void *context)
{
    (void)world;
    note_answer(context, event->length + (uint64_t)event->text[0]);
}

static void handle_bell(kith_world *world, const void *event, void *context)
{
    (void)world, (void)event;
    note_answer(context, 1);
}

static void heal(const kith_turn *turn, const kith_cursor *cursor)
{
    int32_t *depth = cursor->columns[1];
    *depth /= 2;
    note_answer(turn->context, cursor->entity ^ turn->since);
}

static void strike_clock(const kith_turn *turn)
{
    note_answer(turn->context, (uint64_t)(turn->dt * 8) ^ turn->since);
    kith_queue_enqueue(kith_queue_find(turn->world, "bell"), NULL);
}

static void make_sets(town *t)
{
    static const kith_condition any[]   = { { PLACE, KITH_ON_ADD | KITH_ON_REMOVE },
                                            { MARK, KITH_ON_ADD } };
    static const kith_condition seen[]  = { { SPEED, KITH_ON_CHANGED }, { SCAR, KITH_ON_CHANGED } };
    const kith_reactive_desc    descs[] = {
           { .name = "any", .conditions = any, .condition_count = 2 },
           { .conditions = seen, .condition_count = 2 },
           { .name = "any", .conditions = any, .condition_count = 2, .keep_dead = true },
    };
    for (uint32_t i = 0; i < 3; i++) {
        t->sets[i] = kith_reactive_create(t->world, &descs[i]);
        assert_non_null(t->sets[i]);
    }
}

static void make_systems(town *t)
{
    static const kith_term terms[] = { { SCAR, KITH_ROLE_CHANGED, 0 },
                                       { SCAR, KITH_ROLE_WRITE, 0 } };
    const kith_query_desc  hurt    = { "hurt", terms, 2, 0 };
    const kith_system_desc healer  = { .name      = "healer",
                                       .each      = heal,
                                       .context   = t,
                                       .query     = &hurt,
                                       .on_demand = true,
                                       .on_set    = t->sets[1] };
    const kith_system_desc clock   = {
          .name = "clock", .run = strike_clock, .context = t, .interval = 2.5, .max_steps = 2
    };
    assert_non_null(kith_system_create(t->world, &healer));
    assert_non_null(kith_system_create(t->world, &clock));
}

// A world with the same setup, whatever the old one was. Answers go on in the same number.
static void make_town(town *t, kith_world_desc desc)
{
    const kith_queue_desc   bell = { .name = "bell", .limit = 50 };
    const kith_handler_desc ring = { .call = handle_bell, .context = t };
    t->world                     = make_world(&t->memory, desc);
    assert_true(scar_register(t->world) && glow_register(t->world));
    t->fresh = freshly_query(t->world);
    t->brand = newly_query(t->world);
    t->hits  = hit_of(t->world, 100);
    t->notes = note_of(t->world, 0);
    t->bells = kith_queue_of(t->world, &bell);
    hit_connect(t->hits, handle_hit, t, 0);
    note_connect(t->notes, handle_note, t, 0);
    kith_queue_connect(t->bells, &ring);
    make_sets(t);
    make_systems(t);
}

static void end_town(town *t)
{
    test_world_end(t->world, &t->memory);
    t->memory = (test_memory){ 0 };
}

static int set_up_town(void **state)
{
    town *t = calloc(1, sizeof *t);
    make_town(t, (kith_world_desc){ 0 });
    *state = t;
    return 0;
}

static int end_up_town(void **state)
{
    end_town(*state);
    free(*state);
    return 0;
}

#define IN_TOWN(NAME) cmocka_unit_test_setup_teardown(NAME, set_up_town, end_up_town)

// --- random calls ----------------------------------------------------------------------------

static void walk_queries(town *t)
{
    freshly fresh = freshly_begin_stored(t->fresh);
    while (freshly_next(&fresh)) {
        note_answer(t, fresh.entity);
    }
    newly brand = newly_begin_stored(t->brand);
    while (newly_next(&brand)) {
        note_answer(t, brand.entity);
    }
}

static void walk_set(town *t, uint32_t n)
{
    kith_reactive *set   = t->sets[n % 3];
    uint64_t       start = 0;
    uint64_t      *at    = n % 3 == 0 ? &t->at : &start;
    note_answer(t, kith_reactive_update(set));
    kith_entity e = kith_reactive_next(set, at);
    for (; e != KITH_NULL; e = kith_reactive_next(set, at)) {
        note_answer(t, e ^ *at);
    }
    note_answer(t, kith_reactive_count(set));
}

static void change_set(town *t, uint32_t n)
{
    kith_reactive *set = t->sets[n % 3];
    uint64_t       at  = 0;
    if (n % 20 == 0) {
        kith_reactive_clear(set);
    } else {
        kith_reactive_remove(set, kith_reactive_next(set, &at));
    }
}

static void walk_removals(town *t)
{
    kith_removal gone;
    t->walk = t->walk.component == 0 ? kith_removals_begin(t->world, SCAR, 0) : t->walk;
    while (kith_removals_next(t->world, &t->walk, &gone)) {
        note_answer(t, gone.entity ^ gone.tick ^ t->walk.lost);
    }
    kith_removals again = kith_removals_begin(t->world, GLOW, kith_world_now(t->world) / 2);
    while (kith_removals_next(t->world, &again, &gone)) {
        note_answer(t, gone.entity ^ gone.tick ^ again.lost);
    }
}

static void enqueue_some(town *t, kith_entity e, uint32_t n)
{
    note text = { .length = n % 12 };
    memset(text.text, 'a' + (int)(n % 26), text.length);
    switch (n % 3) {
    case 0:
        hit_enqueue(t->hits, (hit){ e, n % 2 == 0, (float)n });
        break;
    case 1:
        note_enqueue(t->notes, text);
        break;
    default:
        kith_queue_enqueue(t->bells, NULL);
    }
}

static void act_in_town(town *t, uint64_t *seed)
{
    kith_world *w = t->world;
    kith_entity e = any_entity(w, seed);
    uint32_t    n = test_random_below(seed, 1000);
    switch (test_random_below(seed, 16)) {
    case 0:
        kith_entity_alive(w, e) ? (void)scar_set(w, e, (int32_t)n) : (void)0;
        break;
    case 1:
        kith_entity_alive(w, e) ? (void)glow_set(w, e, n) : (void)0;
        break;
    case 2:
        scar_remove(w, e);
        glow_remove(w, e);
        break;
    case 3:
        if (scar_has(w, e)) {
            ++*scar_mut(w, e);
            note_answer(t, kith_component_added_at(w, e, SCAR));
        }
        break;
    case 4:
        walk_queries(t);
        break;
    case 5:
        walk_set(t, n);
        break;
    case 6:
        change_set(t, n);
        break;
    case 7:
        walk_removals(t);
        break;
    case 8:
        enqueue_some(t, e, n);
        break;
    case 9:
        note_answer(t, n % 3 == 0 ? kith_queue_update_all(w) : kith_queue_count(t->bells));
        break;
    case 10:
        kith_schedule_run(w, n / 500.0);
        break;
    case 11:
        kith_system_enable(kith_system_find(w, n % 2 == 0 ? "clock" : "healer"), n % 5 != 0);
        break;
    case 12:
        kith_system_request(kith_system_find(w, "healer"));
        kith_query_since_set(t->fresh, n % 4 == 0 ? n : kith_query_describe(t->fresh)->since);
        break;
    default:
        act(w, seed);
    }
}

static void act_in_town_often(town *t, uint64_t seed, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        act_in_town(t, &seed);
    }
}

// --- saving ----------------------------------------------------------------------------------

static kith_bytes saved_exactly(const kith_world *world)
{
    const kith_save_desc exact  = { .exact = true };
    kith_bytes           bytes  = { .data = NULL };
    kith_result          result = kith_world_save_memory(world, &exact, &bytes);
    assert_string_equal(result.message, "");
    assert_int_equal(result.code, KITH_OK);
    return bytes;
}

// A town with two frames, in the state of the second.
static inline kith_frames *two_frames(town *t)
{
    kith_frames *frames = kith_frames_create(t->world, NULL);
    act_in_town_often(t, 7, 60);
    assert_int_equal(kith_frames_save(frames), 1);
    act_in_town_often(t, 8, 30);
    assert_int_equal(kith_frames_save(frames), 2);
    return frames;
}

#endif
