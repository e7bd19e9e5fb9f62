// SPDX-License-Identifier: MIT
// Limits: a world with memory of its own asks its allocator once, whatever is done in it.
#include "kith/event.h"
#include "kith/hierarchy.h"
#include "kith/name.h"
#include "kith_test.h"

#include <stdio.h>

enum { LIFE = HIDDEN + 1, NAMED, WEATHER, ANCHOR, PULSE, SCENE, LABEL, FILLER };
enum { PARTICLES = 5000, MOST = 65536, TICKS = 20, FILLERS = 60 };

typedef struct name {
    uint32_t number;
    uint32_t check; // the number's complement
} name;

static bool name_construct(void *value, void *context)
{
    (void)context;
    *(name *)value = (name){ 0, UINT32_MAX };
    return true;
}

static bool name_copy(void *value, const void *source, void *context)
{
    (void)context;
    memcpy(value, source, sizeof(name));
    return true;
}

static void name_destruct(void *value, void *context)
{
    const name *ended = value;
    (void)context;
    assert_int_equal(ended->number, ~ended->check);
}

static const kith_traits name_traits = {
    .hooks = { .construct = name_construct, .copy = name_copy, .destruct = name_destruct }
};
static const kith_traits stable = { .policy = KITH_POLICY_STABLE };
static const kith_traits noted  = { .row_ticks = true, .journal = 256 };

KITH_COMPONENT(life, kith_lifetime, LIFE);
KITH_COMPONENT_WITH(named, name, NAMED, name_traits);
KITH_SINGLETON(weather, float, WEATHER);
KITH_COMPONENT_WITH(anchor, uint64_t, ANCHOR, stable);
KITH_COMPONENT_WITH(pulse, uint32_t, PULSE, noted);
KITH_MODULE(sky, life, named, weather, anchor, pulse);

KITH_QUERY(movers, write(position), read(velocity));
KITH_QUERY(seen, read(position), without(hidden), any(velocity, health));
KITH_QUERY(beating, write(pulse));
KITH_QUERY(beaten, read(pulse), changed(pulse));
KITH_QUERY(pulsing, read(pulse), added(pulse));
KITH_QUERY(tracked, read(pulse), without(frozen));
KITH_GROUP(pairs, own(position), own(velocity));
KITH_GROUP(called, read(named), without(frozen));

typedef struct hit {
    kith_entity target;
    uint32_t    damage;
} hit;

KITH_EVENT(hit, hit);

// --- a program that does a little of everything -----------------------------------------------

// What happened, so that the tests know that it did.
typedef struct tally {
    uint32_t hits;
    uint32_t entered;
    uint32_t left;
    uint32_t beaten;
    uint32_t born;
    uint32_t removed;
    uint32_t collected;
    uint32_t made; // by commands
    uint32_t called;
} tally;

typedef struct program {
    test_memory    memory;
    kith_world    *world;
    kith_query    *movers;
    kith_query    *seen;
    kith_query    *beaten;
    kith_query    *born;
    hit_queue      hits;
    kith_reactive *changed_set; // named, or no longer
    kith_reactive *gone;        // had a pulse, alive or dead
    kith_commands *orders;
    kith_entity    entities[MOST];
    vec2           values[MOST];
    kith_lifetime  lives[MOST];
    uint64_t       seed;
    uint64_t       now;
    uint32_t       reported;
    tally          tally;
} program;

static void record_notice(kith_world *world, const kith_notice *notice, void *context)
{
    program *p = context;
    p->reported++;
    if (notice->event == KITH_EVENT_ADD && p->reported % 7 == 0) {
        hidden_add(world, notice->entity);
    }
}

static void record_many(kith_world *world, const kith_notice *notice, const kith_entity *entities,
                        uint32_t count, void *context)
{
    (void)notice;
    for (uint32_t i = 0; i < count; i += 11) {
        frozen_add(world, entities[i]);
    }
    ((program *)context)->reported += count;
}

// --- what is made for changes, events, commands and systems ---

static void hurt(kith_world *world, const hit *event, void *context)
{
    program *p = context;
    p->tally.hits++;
    if (kith_entity_alive(world, event->target)) {
        assert_non_null(health_set(world, event->target, (int)event->damage));
    }
}

static void deliver_hits(const kith_turn *turn)
{
    const program *p = turn->context;
    assert_int_not_equal(hit_update(p->hits), 0);
}

static void beat(const kith_turn *turn, const kith_cursor *cursor)
{
    uint32_t *value = cursor->columns[0];
    (void)turn;
    *value += 1;
}

static void enter(const kith_turn *turn, kith_entity entity)
{
    program *p = turn->context;
    p->tally.entered += kith_entity_alive(turn->world, entity);
}

static void leave(const kith_turn *turn, kith_entity entity)
{
    program *p = turn->context;
    (void)entity;
    p->tally.left++;
}

// Every member of the two sets is hit, or counted.
static void read_changed(const kith_turn *turn)
{
    program *p     = turn->context;
    uint64_t place = 0;
    for (kith_entity e = kith_reactive_next(p->changed_set, &place); e != KITH_NULL;
         e             = kith_reactive_next(p->changed_set, &place)) {
        assert_true(hit_enqueue(p->hits, (hit){ e, 2 }));
        p->tally.collected++;
    }
    p->tally.collected += kith_reactive_count(p->gone);
    kith_reactive_clear(p->changed_set);
    kith_reactive_clear(p->gone);
}

static void nothing(const kith_turn *turn)
{
    (void)turn;
}

static void make_sets(program *p)
{
    static const kith_condition named_or_not[] = { { NAMED, KITH_ON_ADD | KITH_ON_REMOVE },
                                                   { HEALTH, KITH_ON_CHANGED } };
    static const kith_condition pulse_ends[]   = { { PULSE, KITH_ON_REMOVE } };
    static const kith_term      in_the_open[]  = { { HIDDEN, KITH_ROLE_WITHOUT, 0 } };
    const kith_reactive_desc    changed_set    = { .name            = "changed",
                                                   .conditions      = named_or_not,
                                                   .condition_count = 2,
                                                   .filter          = { NULL, in_the_open, 1, 0 } };
    const kith_reactive_desc    gone           = { .conditions      = pulse_ends,
                                                   .condition_count = 1,
                                                   .keep_dead       = true };
    p->changed_set                             = kith_reactive_create(p->world, &changed_set);
    p->gone                                    = kith_reactive_create(p->world, &gone);
    assert_true(p->changed_set != NULL && p->gone != NULL);
}

static void make_systems(program *p)
{
    const kith_component   healths = HEALTH;
    const kith_system_desc descs[] = {
        { .name = "beat", .each = beat, .query = beating_desc() },
        { .name      = "changed",
          .run       = read_changed,
          .context   = p,
          .reads     = &healths,
          .on_demand = true,
          .on_set    = p->changed_set },
        { .name      = "hits",
          .run       = deliver_hits,
          .context   = p,
          .on_demand = true,
          .on_events = p->hits.queue },
        { .name    = "track",
          .run     = nothing,
          .context = p,
          .query   = tracked_desc(),
          .tracked = true,
          .enter   = enter,
          .leave   = leave },
    };
    for (size_t i = 0; i < sizeof descs / sizeof descs[0]; i++) {
        assert_non_null(kith_system_create(p->world, &descs[i]));
    }
    assert_true(kith_schedule_configure(p->world, &(kith_schedule_desc){ .checked = true }));
}

static void make_frame(program *p)
{
    const kith_commands_desc orders = { .name = "orders", .bytes = 65536, .creates = 64 };
    p->beaten                       = beaten_query(p->world);
    p->born                         = pulsing_query(p->world);
    p->hits                         = hit_of(p->world, 0);
    p->orders                       = kith_commands_create(p->world, &orders);
    assert_true(p->beaten != NULL && p->born != NULL && p->orders != NULL);
    assert_int_not_equal(hit_connect(p->hits, hurt, p, 0), 0);
    make_sets(p);
    make_systems(p);
}

// Everything that a program makes before it begins: components, queries, groups, listeners.
static void make_all(program *p)
{
    const kith_hierarchy_desc scene = { .name = "scene", .id = SCENE };
    const kith_listener_desc  added = { KITH_EVENT_ADD, NAMED, record_notice, p, 0, NULL };
    const kith_listener_desc  ended = { .event   = KITH_EVENT_DESTROY,
                                        .call    = record_notice,
                                        .context = p };
    const kith_listener_desc  moved = { KITH_EVENT_ADD, POSITION, NULL, p, 0, record_many };
    assert_true(game_register(p->world) && sky_register(p->world));
    for (kith_component id = FILLER; id < FILLER + FILLERS; id++) {
        char text[16];
        snprintf(text, sizeof text, "filler %u", id);
        test_register_tag(p->world, text, id);
    }
    assert_int_equal(kith_hierarchy_register(p->world, &scene), SCENE);
    p->movers = movers_query(p->world);
    p->seen   = seen_query(p->world);
    assert_true(p->movers != NULL && p->seen != NULL);
    assert_non_null(pairs_group(p->world));
    assert_non_null(called_group(p->world));
    assert_int_not_equal(kith_listener_connect(p->world, &added), 0);
    assert_int_not_equal(kith_listener_connect(p->world, &ended), 0);
    assert_int_not_equal(kith_listener_connect(p->world, &moved), 0);
    make_frame(p);
}

static void create_particles(program *p, uint32_t count, uint64_t now)
{
    const kith_values sets[] = { { POSITION, p->values, sizeof p->values[0] },
                                 { VELOCITY, p->values, sizeof p->values[0] },
                                 { LIFE, p->lives, sizeof p->lives[0] } };
    for (uint32_t i = 0; i < count; i++) {
        p->values[i] = (vec2){ (float)test_random_below(&p->seed, 1000), 1 };
        p->lives[i]  = (kith_lifetime){ now + 1 + test_random_below(&p->seed, 10) };
    }
    assert_true(kith_entity_create_many(p->world, p->entities, count, sets, 3));
}

static void name_some(program *p)
{
    seen s = seen_begin(p->world);
    for (uint32_t i = 0; i < 20 && seen_next(&s); i++) {
        assert_non_null(named_set(p->world, s.entity, (name){ i, ~i }));
    }
    seen_end(&s);
}

// Nested loops in which entities come, go and change.
static void run_loops(program *p, uint64_t now)
{
    uint32_t at = 0;
    for (movers m = movers_begin_stored(p->movers); movers_next(&m); at++) {
        m.position->x += m.velocity->x;
        if (at % 500 == 0) {
            name_some(p);
        }
        if (at % 97 == 0) {
            kith_entity_destroy(p->world, m.entity);
            kith_entity born = kith_entity_create(p->world);
            assert_non_null(life_set(p->world, born, (kith_lifetime){ now + 2 }));
            assert_non_null(anchor_set(p->world, born, at));
            assert_non_null(kith_component_add(p->world, born, FILLER + at % FILLERS, NULL));
        }
    }
    kith_world_settle(p->world);
    const kith_query_desc all = { "all", NULL, 0, 0 };
    kith_cursor           c   = kith_view_begin(p->world, &all);
    assert_false(c.failed);
    assert_true(kith_cursor_next(&c));
    kith_cursor_end(&c);
}

// Writes at most `most` living entities to `entities`, from the lowest index on; returns how many.
static uint32_t take_some(program *p, uint32_t most)
{
    uint32_t count = 0;
    for (kith_entity e = kith_entity_next(p->world, KITH_NULL); e != KITH_NULL && count < most;
         e             = kith_entity_next(p->world, e)) {
        p->entities[count++] = e;
    }
    return count;
}

static void run_batches(program *p)
{
    uint32_t count = take_some(p, 100);
    assert_true(named_fill_many(p->world, p->entities, count, (name){ 9, ~9u }));
    assert_true(health_fill_many(p->world, p->entities, count, 3));
    assert_true(kith_entity_remove_many(p->world, kith_entities_of(p->entities, count / 2),
                                        &(kith_component){ NAMED }, 1));
    assert_true(position_disable(p->world, p->entities[0]) || position_count(p->world) == 0 ||
                !position_has(p->world, p->entities[0]));
    assert_true(health_disable(p->world, p->entities[1]));
    assert_true(health_enable(p->world, p->entities[1]));
    kith_entity first = p->entities[0];
    assert_true(kith_entity_clone_many(p->world, first, p->entities, 10));
    assert_true(kith_entity_destroy_many(p->world, kith_entities_of(p->entities, 10)));
}

static void run_order(program *p)
{
    kith_sort_key by_number = KITH_KEY(name, number);
    kith_sort_key by_expiry = KITH_KEY(kith_lifetime, expires);
    assert_true(kith_component_sort(p->world, NAMED, &(kith_sort_desc){ .key = &by_number }));
    assert_true(kith_component_sort(p->world, LIFE, &(kith_sort_desc){ .key = &by_expiry }));
    assert_true(kith_component_sort(p->world, HEALTH, &(kith_sort_desc){ .as = LIFE }));
}

static void run_hold(program *p)
{
    assert_true(kith_world_hold(p->world));
    assert_true(kith_component_clear(p->world, HEALTH));
    assert_non_null(weather_set(p->world, 2));
    assert_true(weather_remove(p->world));
    assert_true(kith_world_release(p->world));
}

static void run_changes(program *p)
{
    uint32_t count = take_some(p, 200);
    for (uint32_t i = 0; i < count; i++) {
        if (test_random_below(&p->seed, 4) == 0) {
            pulse_remove(p->world, p->entities[i]);
        } else {
            assert_non_null(pulse_set(p->world, p->entities[i], i));
            pulse_set_if_changed(p->world, p->entities[i], i / 2);
        }
    }
    for (beaten b = beaten_begin_stored(p->beaten); beaten_next(&b);) {
        p->tally.beaten++;
    }
    for (pulsing b = pulsing_begin_stored(p->born); pulsing_next(&b);) {
        p->tally.born++;
    }
    kith_removals removals = pulse_removals(p->world, kith_world_now(p->world));
    kith_removal  removal;
    while (kith_removals_next(p->world, &removals, &removal)) {
        p->tally.removed++;
    }
}

static void count_call(kith_world *world, const kith_commands *commands, const void *payload)
{
    program *const *p = payload;
    (void)world;
    (void)commands;
    (*p)->tally.called++;
}

static void record(program *p, uint32_t count)
{
    kith_entity       made[16];
    const kith_values beats[] = { { PULSE, &p->tally.made, 0 } };
    const kith_values named[] = { { NAMED, &(name){ 3, ~3u }, 0 } };
    assert_true(kith_entity_create_many_later(p->orders, made, 16, beats, 1));
    for (uint32_t i = 0; i < count; i++) {
        kith_entity e = p->entities[i];
        assert_true(i % 2 == 0 ? named_set_later(p->orders, e, (name){ i, ~i })
                               : kith_entity_destroy_later(p->orders, e));
        assert_true(kith_component_remove_later(p->orders, e, HEALTH));
    }
    assert_true(kith_entity_set_many_later(p->orders, kith_entities_of(made, 8), named, 1));
    assert_true(kith_entity_destroy_many_later(p->orders, kith_entities_of(made + 4, 12)));
    assert_true(kith_world_call_later(p->orders, count_call, &p, sizeof p));
}

// What is recorded is applied while a loop is open, or not.
static void run_commands(program *p)
{
    bool in_loop = test_random_below(&p->seed, 2) == 0;
    record(p, take_some(p, 40));
    movers m = movers_begin(p->world);
    if (!in_loop) {
        movers_end(&m);
    }
    assert_true(kith_commands_apply(p->orders, p->world));
    kith_world_settle(p->world);
    kith_commands_report report = kith_commands_report_of(p->orders);
    assert_int_equal(report.failed + report.left + report.refused, 0);
    p->tally.made += 16;
    assert_true(kith_commands_clear(p->orders));
}

// Every node is below an earlier node.
static void run_scene(program *p)
{
    uint32_t count = take_some(p, 50);
    for (uint32_t i = 1; i < count; i++) {
        kith_entity parent = p->entities[test_random_below(&p->seed, i)];
        if (!kith_hierarchy_is_below(p->world, SCENE, parent, p->entities[i])) {
            assert_true(kith_hierarchy_append(p->world, SCENE, parent, p->entities[i]));
        }
    }
    kith_hierarchy_detach(p->world, SCENE, p->entities[count / 2]);
    assert_true(kith_hierarchy_sort(p->world, SCENE));
    assert_true(kith_hierarchy_validate(p->world, SCENE, NULL));
}

static void run_frame(program *p)
{
    run_changes(p);
    run_commands(p);
    run_scene(p);
    assert_true(kith_schedule_run(p->world, 1));
}

static void run_tick(program *p)
{
    kith_world_advance(p->world);
    uint64_t now   = ++p->now;
    uint32_t ended = kith_world_expire(p->world, LIFE, now);
    create_particles(p, ended < PARTICLES ? ended : PARTICLES, now);
    run_loops(p, now);
    run_batches(p);
    run_order(p);
    run_hold(p);
    run_frame(p);
}

static void assert_all_happened(const tally *t)
{
    assert_true(t->hits != 0 && t->entered != 0 && t->left != 0 && t->called == TICKS);
    assert_true(t->beaten != 0 && t->born != 0 && t->removed != 0 && t->collected != 0);
}

static void run_program(program *p)
{
    create_particles(p, PARTICLES, 0);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        run_tick(p);
    }
    assert_world_valid(p->world);
    assert_int_not_equal(p->reported, 0);
    assert_int_equal(p->memory.errors, 0);
    assert_all_happened(&p->tally);
}

static size_t peak_within(size_t size)
{
    program *p = calloc(1, sizeof *p);
    p->seed    = 1;
    p->world   = test_world_with(&p->memory, (kith_world_desc){ .memory = size });
    make_all(p);
    run_program(p);
    kith_memory memory = kith_world_memory(p->world, KITH_ALL);
    assert_int_equal(p->memory.allocations, 1);
    assert_int_equal(p->memory.live_bytes, size);
    assert_int_equal(memory.size, size);
    assert_true(memory.total <= memory.peak && memory.peak <= size);
    test_world_end(p->world, &p->memory);
    free(p);
    return memory.peak;
}

static void a_world_with_memory_of_its_own_allocates_once(void **state)
{
    (void)state;

    peak_within((size_t)1 << 23);
}

static void the_memory_that_a_world_needs_can_be_measured(void **state)
{
    (void)state;
    size_t peak = peak_within((size_t)1 << 23);

    assert_int_equal(peak_within(peak), peak);
}

// --- particles ----------------------------------------------------------------------------------

static void particle_tick(program *p)
{
    uint64_t now = kith_world_advance(p->world);
    for (movers m = movers_begin_stored(p->movers); movers_next_chunk(&m);) {
        for (uint32_t i = 0; i < m.count; i++) {
            m.position[i].x += m.velocity[i].x;
        }
    }
    create_particles(p, kith_world_expire(p->world, LIFE, now), now);
}

// As many are created as expire. Returns how often memory was asked for in the first tick and
// before; later it never is.
static uint32_t run_particles(kith_world_desc desc, uint32_t count, bool grouped)
{
    program *p = calloc(1, sizeof *p);
    p->seed    = 1;
    p->world   = test_world_with(&p->memory, desc);
    assert_true(game_register(p->world) && sky_register(p->world));
    p->movers = movers_query(p->world);
    assert_true(!grouped || pairs_group(p->world) != NULL);
    create_particles(p, count, 1);
    particle_tick(p);
    uint32_t allocations = p->memory.allocations;

    for (uint32_t tick = 1; tick < TICKS; tick++) {
        particle_tick(p);
        assert_int_equal(position_count(p->world), count);
    }

    assert_int_equal(p->memory.allocations, allocations);
    test_world_end(p->world, &p->memory);
    free(p);
    return allocations;
}

static void particles_allocate_in_the_first_tick_alone(void **state)
{
    (void)state;
    assert_true(run_particles((kith_world_desc){ .user = NULL }, test_thinned(MOST), false) > 1);
    assert_true(run_particles((kith_world_desc){ .user = NULL }, PARTICLES, true) > 1);
}

static void particles_in_a_block_of_the_worlds_own_allocate_once(void **state)
{
    (void)state;
    kith_world_desc desc = { .memory = (size_t)1 << 24 };
    assert_int_equal(run_particles(desc, test_thinned(MOST), false), 1);
    assert_int_equal(run_particles(desc, test_thinned(MOST), true), 1);
}

// --- room that is made ahead --------------------------------------------------------------------

static const kith_reserve_desc everything = {
    .entities = 8192, .loops = 4, .terms = 4, .batch = 8192, .disabling = true
};

static void after_reserving_nothing_is_asked_for(void **state)
{
    (void)state;
    program *p = calloc(1, sizeof *p);
    p->seed    = 1;
    p->world   = test_world(&p->memory);
    make_all(p);
    assert_true(kith_world_reserve(p->world, &everything));
    assert_true(hit_reserve(p->hits, 1000));
    p->memory.fail_all = true;

    run_program(p);

    assert_int_equal(kith_world_memory(p->world, KITH_ALL).total, p->memory.live_bytes);
    test_world_end(p->world, &p->memory);
    free(p);
}

// Things to do, each of which takes memory when it is done for the first time.

static bool do_create(program *p)
{
    return kith_entity_create(p->world) != KITH_NULL;
}

static bool do_set(program *p)
{
    return velocity_set(p->world, p->entities[0], (vec2){ 1, 2 }) != NULL;
}

static bool do_join_a_group(program *p)
{
    return named_set(p->world, p->entities[1], (name){ 1, ~1u }) != NULL;
}

static bool do_add_a_late_component(program *p)
{
    return kith_component_add(p->world, p->entities[0], FILLER + FILLERS - 1, NULL) != NULL;
}

static bool do_disable(program *p)
{
    return frozen_disable(p->world, p->entities[0]);
}

static bool do_set_a_singleton(program *p)
{
    return weather_set(p->world, 1) != NULL;
}

static bool do_loop(program *p)
{
    movers m = movers_begin(p->world);
    movers_end(&m);
    return !m.failed;
}

static bool do_loop_over_all(program *p)
{
    const kith_query_desc all = { "all", NULL, 0, 0 };
    kith_cursor           c   = kith_view_begin(p->world, &all);
    bool                  ok  = !c.failed;
    kith_cursor_end(&c);
    return ok;
}

static bool do_sort(program *p)
{
    kith_sort_key key = KITH_KEY(kith_lifetime, expires);
    return kith_component_sort(p->world, LIFE, &(kith_sort_desc){ .key = &key });
}

static bool do_replace_many(program *p)
{
    return named_fill_many(p->world, p->entities, 1, (name){ 2, ~2u });
}

static bool do_add_many_kinds(program *p)
{
    kith_values sets[20] = { { 0 } };
    for (uint32_t i = 0; i < 20; i++) {
        sets[i].component = FILLER + i;
    }
    return kith_entity_set_many(p->world, kith_entities_of(p->entities, 1), sets, 20);
}

static bool do_take_a_turn(program *p)
{
    return kith_system_run(p->world, "track", 0);
}

static bool do_hang_up(program *p)
{
    return kith_hierarchy_append(p->world, SCENE, p->entities[0], p->entities[1]);
}

static bool do_apply(program *p)
{
    assert_true(velocity_set_later(p->orders, p->entities[0], (vec2){ 1, 2 }));
    return kith_commands_apply(p->orders, p->world);
}

typedef bool (*deed)(program *p);

static const deed deeds[] = { do_create,         do_set,
                              do_join_a_group,   do_add_a_late_component,
                              do_disable,        do_set_a_singleton,
                              do_loop,           do_loop_over_all,
                              do_sort,           do_replace_many,
                              do_add_many_kinds, do_take_a_turn,
                              do_hang_up,        do_apply };

static program *open_before_deeds(void)
{
    program *p = calloc(1, sizeof *p);
    p->world   = test_world(&p->memory);
    make_all(p);
    test_create_many(p->world, 1024); // the page is full: the next one takes another
    for (uint32_t i = 0; i < 4; i++) {
        p->entities[i] = kith_entity_make(i, 1);
        life_set(p->world, p->entities[i], (kith_lifetime){ 4 - i });
    }
    frozen_add(p->world, p->entities[0]);
    pulse_set(p->world, p->entities[1], 1);
    named_set(p->world, p->entities[0], (name){ 5, ~5u });
    assert_true(kith_world_shrink(p->world));
    return p;
}

static void close_after_deeds(program *p)
{
    test_world_end(p->world, &p->memory);
    free(p);
}

static void allocating_calls_do_not_allocate_after_a_reserve(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        program *p = open_before_deeds();
        assert_true(kith_world_reserve(p->world, &everything));
        p->memory.fail_all = true;

        if (!deeds[i](p)) {
            fail_msg("deed %zu failed though all was reserved", i);
        }

        assert_int_equal(p->memory.errors, 0);
        assert_int_equal(p->memory.failed, 0);
        close_after_deeds(p);
    }
}

// What the test above tests is worth testing: these fail.
static void allocating_calls_fail_without_a_reserve(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        program *p         = open_before_deeds();
        p->memory.fail_all = true;
        bool joins         = deeds[i] == do_join_a_group; // there is room for one more

        if (deeds[i](p) != joins) {
            fail_msg("deed %zu did not ask for memory", i);
        }

        close_after_deeds(p);
    }
}

// --- names --------------------------------------------------------------------------------------

KITH_NAME(label, LABEL);

enum { LABELS = 1000, SHORT = 63 };

#define LONG_NAME "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// As many bytes as lie in a row, and others for each entity and round.
static const char *short_name(uint32_t place, uint32_t round)
{
    static char text[SHORT + 1];
    snprintf(text, sizeof text, "%062u", (unsigned)place);
    text[SHORT - 1] = (char)('a' + round);
    return text;
}

static void name_all(kith_world *world, const kith_entity *entities, uint32_t round)
{
    for (uint32_t i = 0; i < LABELS; i++) {
        assert_true(label_set(world, entities[i], short_name(i, round)));
    }
}

static void assert_all_named(kith_world *world, const kith_entity *entities, uint32_t round)
{
    for (uint32_t i = 0; i < LABELS; i += 7) {
        assert_int_equal(label_find(world, short_name(i, round)), entities[i]);
    }
    assert_int_equal(label_find(world, short_name(0, round + 1)), KITH_NULL);
}

static void short_names_allocate_nothing_but_the_index(void **state)
{
    (void)state;
    static kith_entity entities[LABELS];
    test_memory        memory = { 0 };
    kith_world        *world  = test_world(&memory);
    assert_true(label_register(world));
    assert_true(kith_entity_create_many(world, entities, LABELS, NULL, 0));
    assert_true(label_reserve(world, LABELS));
    assert_true(kith_world_reserve(world, &everything));

    memory.fail_all = true;
    name_all(world, entities, 0);
    assert_int_equal(memory.failed, 0);
    memory.fail_all = false;
    assert_all_named(world, entities, 0);
    assert_int_equal(kith_world_memory(world, KITH_ALL).total, memory.live_bytes);

    uint32_t allocations = memory.allocations;
    assert_all_named(world, entities, 0);
    assert_int_equal(memory.allocations, allocations);
    test_world_end(world, &memory);
}

// The index needs memory when it is full. Without it names are compared one by one.
static void names_are_found_when_the_index_cannot_grow(void **state)
{
    (void)state;
    static kith_entity entities[LABELS];
    test_memory        memory = { 0 };
    kith_world        *world  = test_world(&memory);
    assert_true(label_register(world));
    assert_true(kith_entity_create_many(world, entities, LABELS, NULL, 0));
    assert_true(kith_world_reserve(world, &everything));
    name_all(world, entities, 0);
    assert_all_named(world, entities, 0);

    memory.fail_all = true;
    name_all(world, entities, 1);
    name_all(world, entities, 2);
    assert_int_not_equal(memory.failed, 0);
    assert_all_named(world, entities, 2);
    assert_int_equal(memory.errors, 0);

    assert_true(label_set(world, entities[0], short_name(LABELS, 0)));
    assert_false(label_set(world, entities[0], LONG_NAME));
    assert_int_equal(kith_world_error(world).code, KITH_ERROR_HOOK);
    assert_string_equal(label_text(world, entities[0]), short_name(LABELS, 0));
    test_world_end(world, &memory);
}

static void names_in_a_block_of_the_worlds_own_allocate_once(void **state)
{
    (void)state;
    static kith_entity entities[LABELS];
    test_memory        memory = { 0 };
    kith_world *world = test_world_with(&memory, (kith_world_desc){ .memory = (size_t)1 << 20 });
    assert_true(label_register(world));
    assert_true(kith_entity_create_many(world, entities, LABELS, NULL, 0));
    for (uint32_t round = 0; round < 6; round++) {
        name_all(world, entities, round);
        assert_all_named(world, entities, round);
    }
    assert_int_equal(memory.allocations, 1);
    test_world_end(world, &memory);
}

// Without components nothing but the list of the originals takes memory.
static void clones_of_entities_without_components_take_no_memory(void **state)
{
    enum { MANY = 3000 };
    static kith_entity entities[MANY];
    test_memory        memory = { 0 };
    kith_world        *world  = test_world(&memory);
    (void)state;
    assert_true(
        kith_world_reserve(world, &(kith_reserve_desc){ .entities = 2 * MANY, .batch = MANY }));
    memory.fail_all = true;

    assert_true(kith_entity_create_many(world, entities, MANY, NULL, 0));
    assert_true(kith_entities_clone(world, world, entities, MANY, entities));

    assert_int_equal(memory.failed, 0);
    test_world_end(world, &memory);
}

static void shrinking_frees_what_was_reserved(void **state)
{
    (void)state;
    program *p     = open_before_deeds();
    size_t   bytes = p->memory.live_bytes;
    assert_true(kith_world_reserve(p->world, &everything));
    assert_true(p->memory.live_bytes > 2 * bytes);
    assert_int_equal(kith_world_memory(p->world, KITH_ALL).total, p->memory.live_bytes);

    assert_true(kith_world_shrink(p->world));

    // directories keep their size, and so do the list of a group and the room of a reactive set
    // with a component that an entity has
    assert_true(p->memory.live_bytes < bytes + 98304 + 96 * (size_t)everything.entities);
    assert_int_equal(kith_world_memory(p->world, KITH_ALL).total, p->memory.live_bytes);
    close_after_deeds(p);
}

// Whatever the reserve could not get: no pool looks up entities that the table has no page for.
static void a_reserve_that_fails_leaves_a_valid_world(void **state)
{
    test_fixture *f        = *state;
    bool          reserved = false;
    assert_non_null(position_add(f->world, kith_entity_create(f->world)));
    for (uint32_t n = 1; !reserved; n++) {
        test_fail_after(&f->memory, n);
        reserved = kith_world_reserve(f->world, &(kith_reserve_desc){ .entities = 3000 });
        assert_world_valid(f->world);
    }
    assert_error(f->world, KITH_ERROR_MEMORY);
}

static void a_component_gets_as_many_rows_as_its_limit_is(void **state)
{
    (void)state;
    program *p = open_before_deeds();
    assert_true(position_limit_set(p->world, 100) && velocity_limit_set(p->world, 5000));

    assert_true(kith_world_reserve(p->world, &(kith_reserve_desc){ .entities = 3000 }));

    assert_int_equal(position_stats(p->world).capacity, 100);
    assert_int_equal(velocity_stats(p->world).capacity, 5000);
    assert_true(health_stats(p->world).capacity >= 3000 &&
                kith_world_stats(p->world).capacity >= 3000);
    close_after_deeds(p);
}

static void a_singleton_keeps_its_memory_once_it_is_reserved(void **state)
{
    (void)state;
    program *p = open_before_deeds();
    assert_true(kith_world_reserve(p->world, &everything));
    p->memory.fail_all = true;
    for (uint32_t i = 0; i < 3; i++) {
        assert_non_null(weather_set(p->world, 1));
        assert_true(weather_remove(p->world));
    }
    p->memory.fail_all = false;
    assert_true(kith_world_shrink(p->world));
    p->memory.fail_all = true;

    assert_null(weather_set(p->world, 1));

    close_after_deeds(p);
}

static void absurd_numbers_are_not_reserved(void **state)
{
    test_fixture *f = *state;
    assert_true(kith_entity_limit_set(f->world, 1000));

    const kith_reserve_desc wrong[] = {
        { .entities = 1001 }, { .batch = 1001 }, { .loops = 33 }, { .loops = 1, .terms = 65 }
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_refused(&f->memory, f->world, KITH_ERROR_LIMIT,
                       kith_world_reserve(f->world, &wrong[i]));
    }
    assert_error_text(
        f->world, "kith_world_reserve: the number of terms is limited to 64, the call asks for 65");
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_world_reserve(f->world, NULL));
    assert_true(kith_world_hold(f->world));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY,
                   kith_world_reserve(f->world, &(kith_reserve_desc){ .entities = 1 }));
    assert_true(kith_world_release(f->world));
    assert_true(kith_world_reserve(f->world, &(kith_reserve_desc){ 0 }));
    assert_int_equal(kith_world_stats(f->world).capacity, 0);
}

// More than any memory holds; the sums of bytes on the way do not run over.
static void a_reserve_for_a_huge_batch_is_refused(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc huge = { .name = "huge", .id = 77, .size = UINT32_MAX };
    assert_int_not_equal(kith_component_register(f->world, &huge), 0);

    assert_refused(&f->memory, f->world, KITH_ERROR_MEMORY,
                   kith_world_reserve(f->world, &(kith_reserve_desc){ .batch = 1u << 31 }));
}

// --- entities ---------------------------------------------------------------------------------

static void the_number_of_entities_can_be_limited(void **state)
{
    test_fixture *f = *state;
    assert_int_equal(kith_world_stats(f->world).limit, 1u << 31);
    test_create_many(f->world, 3);
    assert_true(kith_entity_limit_set(f->world, 4));
    assert_int_equal(kith_world_stats(f->world).limit, 4);
    assert_int_equal(kith_world_stats(f->world).capacity, 4);
    test_create_many(f->world, 1);

    assert_refused(&f->memory, f->world, KITH_ERROR_LIMIT,
                   kith_entity_create(f->world) != KITH_NULL);
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_entity_limit_set(f->world, 3));
    assert_error_text(f->world, "kith_entity_limit_set: the limit must not be below the number of "
                                "slots (4), got 3");
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_entity_limit_set(f->world, (1u << 31) + 1));

    assert_true(kith_entity_limit_set(f->world, 1u << 31));
    assert_int_not_equal(kith_entity_create(f->world), KITH_NULL);
}

static void indices_that_queue_stay_as_many_as_they_are(void **state)
{
    test_fixture *f = *state;
    test_remake(f, (kith_world_desc){ .free_order = KITH_FREE_FIFO, .max_entities = 10 });

    assert_true(kith_entity_limit_set(f->world, 10));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_entity_limit_set(f->world, 11));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_entity_limit_set(f->world, 9));
    assert_error_says(f->world, KITH_ERROR_ARGUMENT, "fixed number of indices");
}

// --- sets of components -------------------------------------------------------------------------

enum { ROOT = 50, LEAF };

// A leaf requires a root, which requires a health.
static kith_signature leaves(kith_world *world)
{
    static const kith_component health_first[] = { HEALTH };
    static const kith_component root_first[]   = { ROOT };
    kith_component_desc         root           = { .name = "root", .id = ROOT, .size = 16 };
    kith_component_desc         leaf           = { .name = "leaf", .id = LEAF, .size = 4 };
    root.traits.required                       = health_first;
    root.traits.required_count                 = 1;
    leaf.traits.required                       = root_first;
    leaf.traits.required_count                 = 1;
    assert_true(kith_component_register(world, &root) && kith_component_register(world, &leaf));
    kith_signature set = { 0 };
    assert_true(kith_signature_add(world, &set, LEAF) && kith_signature_add(world, &set, HIDDEN));
    return set;
}

static const kith_component leaf_parts[] = { LEAF, ROOT, HEALTH };

static void a_set_is_reserved_with_what_it_requires(void **state)
{
    test_fixture  *f   = *state;
    kith_signature set = leaves(f->world);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(kith_component_stats(f->world, leaf_parts[i]).capacity, 0);
    }

    assert_true(kith_entity_reserve(f->world, 3000));
    assert_true(kith_signature_reserve(f->world, &set, 3000));

    for (size_t i = 0; i < 3; i++) {
        assert_true(kith_component_stats(f->world, leaf_parts[i]).capacity >= 3000);
    }
    assert_int_equal(position_stats(f->world).capacity, 0);
    f->memory.fail_all = true;
    for (uint32_t i = 0; i < 3000; i++) {
        kith_entity entity = kith_entity_create(f->world);
        assert_non_null(kith_component_add(f->world, entity, LEAF, NULL));
        assert_non_null(hidden_add(f->world, entity));
    }
    assert_int_equal(health_count(f->world), 3000);
}

static void the_limit_of_a_set_is_that_of_what_it_requires(void **state)
{
    test_fixture  *f   = *state;
    kith_signature set = leaves(f->world);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(kith_component_stats(f->world, leaf_parts[i]).limit, UINT32_MAX);
        assert_true(kith_component_limit_set(f->world, leaf_parts[i], i < 2 ? 9 : 2));
    }
    assert_int_equal(health_stats(f->world).limit, 2);
    assert_int_equal(position_stats(f->world).limit, UINT32_MAX);
    test_create_many(f->world, 3);
    assert_non_null(kith_component_add(f->world, handle(0, 1), LEAF, NULL));
    assert_non_null(kith_component_add(f->world, handle(1, 1), LEAF, NULL));

    assert_refused(&f->memory, f->world, KITH_ERROR_LIMIT,
                   kith_component_add(f->world, handle(2, 1), LEAF, NULL));
    assert_refused(&f->memory, f->world, KITH_ERROR_LIMIT,
                   kith_signature_reserve(f->world, &set, 3));
    assert_error_says(f->world, KITH_ERROR_LIMIT, "health");
    for (size_t i = 0; i < 3; i++) {
        assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                       kith_component_limit_set(f->world, leaf_parts[i], 1));
        assert_error_says(f->world, KITH_ERROR_ARGUMENT, "the limit must not be below");
    }
    assert_int_equal(health_stats(f->world).limit, 2);
    assert_true(health_limit_set(f->world, 9) && kith_component_limit_set(f->world, ROOT, 7));
    assert_refused(&f->memory, f->world, KITH_ERROR_LIMIT,
                   kith_signature_reserve(f->world, &set, 8));
    assert_error_says(f->world, KITH_ERROR_LIMIT, "root");
    assert_true(kith_signature_reserve(f->world, &set, 7));
    assert_int_equal(kith_component_stats(f->world, ROOT).capacity, 7);
}

static void a_set_without_rows_is_reserved_without_limit(void **state)
{
    test_fixture  *f   = *state;
    kith_signature set = { 0 };
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kith_signature_reserve(f->world, &set, 100));
        assert_true(kith_signature_add(f->world, &set, HIDDEN));
    }
}

static void a_set_of_another_world_is_an_error(void **state)
{
    test_fixture  *f   = *state;
    kith_signature set = { { 0, 1 } };

    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_signature_reserve(f->world, &set, 1));
    assert_error_says(f->world, KITH_ERROR_ARGUMENT, "unknown component");
}

// --- what is reserved, in numbers ---------------------------------------------------------------

static void assert_pool(kith_pool_stats pool, uint32_t count, uint32_t rows, uint32_t capacity,
                        uint32_t limit)
{
    assert_int_equal(pool.count, count);
    assert_int_equal(pool.rows, rows);
    assert_int_equal(pool.capacity, capacity);
    assert_int_equal(pool.limit, limit);
}

static void the_numbers_of_a_pool_tell_holes_room_and_limit(void **state)
{
    test_fixture       *f   = *state;
    kith_component_desc peg = { .name = "peg", .id = ROOT, .size = 4, .alignment = 4 };
    peg.traits.policy       = KITH_POLICY_STABLE;
    peg.traits.page_rows    = 8;
    assert_int_not_equal(kith_component_register(f->world, &peg), 0);
    assert_pool(kith_component_stats(f->world, ROOT), 0, 0, 0, UINT32_MAX);

    test_create_many(f->world, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_non_null(kith_component_add(f->world, handle(i, 1), ROOT, NULL));
    }
    kith_component_remove(f->world, handle(1, 1), ROOT);
    assert_pool(kith_component_stats(f->world, ROOT), 2, 3, 8, UINT32_MAX);
    assert_true(kith_component_limit_set(f->world, ROOT, 5));
    assert_pool(kith_component_stats(f->world, ROOT), 2, 3, 5, 5);
    assert_int_equal(f->memory.errors, 0);
}

// docs/verbs.md has the errors.
static void what_has_no_pool_has_no_numbers(void **state)
{
    test_fixture       *f   = *state;
    kith_component_desc sun = { .name = "sun", .id = ROOT, .size = 4, .kind = KITH_KIND_SINGLETON };
    assert_int_not_equal(kith_component_register(f->world, &sun), 0);
    assert_non_null(kith_singleton_add(f->world, ROOT));
    test_create_many(f->world, 1);
    assert_non_null(hidden_add(f->world, handle(0, 1)));

    assert_pool(kith_component_stats(f->world, ROOT), 0, 0, 0, 0);
    assert_pool(kith_component_stats(f->world, HIDDEN), 0, 0, 0, 0);
    assert_pool(kith_component_stats(f->world, 77), 0, 0, 0, 0);
    assert_int_equal(f->memory.errors, 3);
}

// --- memory that is too small -----------------------------------------------------------------

typedef struct complaint {
    kith_error error;
    char       text[256];
} complaint;

static void write_down(const kith_world *world, const kith_error *error, void *context)
{
    complaint *c = context;
    c->error     = *error;
    kith_error_text(world, error, c->text, sizeof c->text);
}

static kith_world *create_complaining(complaint *c, kith_world_desc desc)
{
    desc.on_error      = write_down;
    desc.error_context = c;
    return kith_world_create(&desc);
}

static void memory_must_hold_the_world_itself(void **state)
{
    complaint c;
    (void)state;
    assert_null(create_complaining(&c, (kith_world_desc){ .memory = 1 }));
    assert_int_equal((int)c.error.code, KITH_ERROR_ARGUMENT);
    assert_non_null(strstr(c.text, "memory must hold at least the world"));
    size_t least = (size_t)c.error.have;

    assert_null(create_complaining(&c, (kith_world_desc){ .memory = least - 1 }));
    kith_world *world = create_complaining(&c, (kith_world_desc){ .memory = least });

    assert_non_null(world);
    assert_int_equal(kith_world_memory(world, KITH_ALL).peak, least);
    kith_world_destroy(world);
}

static void memory_that_does_not_hold_the_entities_is_an_error(void **state)
{
    complaint c;
    (void)state;

    assert_null(create_complaining(
        &c, (kith_world_desc){ .memory = 100000, .max_entities = 1u << 20, .free_order = 2 }));

    assert_int_equal((int)c.error.code, KITH_ERROR_MEMORY);
    assert_non_null(
        strstr(c.text, "out of memory: kith_world_desc.memory of 100000 bytes is too small"));
}

static void a_world_whose_block_is_refused_is_an_error(void **state)
{
    complaint   c;
    test_memory memory = { .fail_all = true };
    (void)state;

    assert_null(create_complaining(
        &c, (kith_world_desc){ .allocator = test_allocator(&memory), .memory = 1u << 20 }));
    assert_int_equal((int)c.error.code, KITH_ERROR_MEMORY);
    assert_string_equal(c.text, "kith_world_create: out of memory");

#if SIZE_MAX > UINT32_MAX
    assert_null(create_complaining(&c, (kith_world_desc){ .memory = SIZE_MAX }));
    assert_int_equal((int)c.error.code, KITH_ERROR_ARGUMENT);
    assert_string_equal(c.text, "kith_world_create: memory must not be above 2^37");
    assert_null(create_complaining(&c, (kith_world_desc){ .memory = ((size_t)1 << 37) + 1 }));
    assert_int_equal((int)c.error.code, KITH_ERROR_ARGUMENT);
#endif
}

static void used_up_memory_is_an_error_that_says_how_much(void **state)
{
    test_memory memory = { 0 };
    kith_world *world  = test_world_with(&memory, (kith_world_desc){ .memory = 200000 });
    (void)state;
    assert_true(game_register(world));

    assert_refused(&memory, world, KITH_ERROR_MEMORY, kith_entity_reserve(world, 1u << 20));

    assert_error_says(world, KITH_ERROR_MEMORY, "memory of 200000 bytes is too small");
    assert_true(kith_world_error(world).want != 0);
    assert_non_null(position_add(world, kith_entity_create(world)));
    test_world_end(world, &memory);
}

// --- huge pages ------------------------------------------------------------------------------

// Whether the flags of the mapping with this address have "hg": huge pages are asked for. Says
// nothing of what the kernel grants. Returns -1 where the kernel has no such flags.
static int asks_for_huge_pages(uintptr_t address)
{
    char  line[512];
    int   asked = -1;
    bool  here  = false;
    FILE *offer = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    FILE *maps  = offer == NULL ? NULL : fopen("/proc/self/smaps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        char              *rest;
        unsigned long long first = strtoull(line, &rest, 16);
        if (rest != line && *rest == '-') {
            here = address >= first && address < strtoull(rest + 1, NULL, 16);
        } else if (here && strncmp(line, "VmFlags:", 8) == 0) {
            asked = strstr(line, " hg") != NULL;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    if (offer != NULL) {
        fclose(offer);
    }
    return asked;
}

static int world_asks_for_huge_pages(size_t memory)
{
    kith_world *world = kith_world_create(&(kith_world_desc){ .memory = memory });
    assert_non_null(world);
    assert_true(game_register(world));
    kith_entity entity = kith_entity_create(world);
    assert_non_null(position_add(world, entity));
    int asked = asks_for_huge_pages((uintptr_t)position_get(world, entity));
    kith_world_destroy(world);
    return asked;
}

static void a_large_memory_asks_for_huge_pages_and_a_small_one_does_not(void **state)
{
    (void)state;
    int small = world_asks_for_huge_pages((size_t)24 << 20);
    if (small < 0) {
        skip();
    }

    assert_int_equal(small, 0);
    assert_int_equal(world_asks_for_huge_pages((size_t)32 << 20), 1);
    assert_int_equal(world_asks_for_huge_pages((size_t)64 << 20), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_memory_asks_for_huge_pages_and_a_small_one_does_not),
        cmocka_unit_test(a_world_with_memory_of_its_own_allocates_once),
        cmocka_unit_test(the_memory_that_a_world_needs_can_be_measured),
        cmocka_unit_test(particles_allocate_in_the_first_tick_alone),
        cmocka_unit_test(particles_in_a_block_of_the_worlds_own_allocate_once),
        cmocka_unit_test(after_reserving_nothing_is_asked_for),
        cmocka_unit_test(allocating_calls_do_not_allocate_after_a_reserve),
        cmocka_unit_test(allocating_calls_fail_without_a_reserve),
        cmocka_unit_test(short_names_allocate_nothing_but_the_index),
        cmocka_unit_test(names_are_found_when_the_index_cannot_grow),
        cmocka_unit_test(names_in_a_block_of_the_worlds_own_allocate_once),
        cmocka_unit_test(clones_of_entities_without_components_take_no_memory),
        cmocka_unit_test(shrinking_frees_what_was_reserved),
        cmocka_unit_test(a_component_gets_as_many_rows_as_its_limit_is),
        cmocka_unit_test(a_singleton_keeps_its_memory_once_it_is_reserved),
        TEST_WORLD(a_reserve_that_fails_leaves_a_valid_world),
        TEST_WORLD(absurd_numbers_are_not_reserved),
        TEST_WORLD(a_reserve_for_a_huge_batch_is_refused),
        TEST_WORLD(the_number_of_entities_can_be_limited),
        TEST_WORLD(indices_that_queue_stay_as_many_as_they_are),
        TEST_WORLD(a_set_is_reserved_with_what_it_requires),
        TEST_WORLD(the_limit_of_a_set_is_that_of_what_it_requires),
        TEST_WORLD(a_set_without_rows_is_reserved_without_limit),
        TEST_WORLD(a_set_of_another_world_is_an_error),
        TEST_WORLD(the_numbers_of_a_pool_tell_holes_room_and_limit),
        TEST_WORLD(what_has_no_pool_has_no_numbers),
        cmocka_unit_test(memory_must_hold_the_world_itself),
        cmocka_unit_test(memory_that_does_not_hold_the_entities_is_an_error),
        cmocka_unit_test(a_world_whose_block_is_refused_is_an_error),
        cmocka_unit_test(used_up_memory_is_an_error_that_says_how_much),
    };
    return cmocka_run_group_tests_name("reserve", tests, NULL, NULL);
}
