// SPDX-License-Identifier: MIT
// Random programs through commands, and the same calls made at once on a twin: the two worlds must
// be the same after every apply, and so must be the events reported and the calls refused.
#include "component_test.h"

enum { NEEDY = 11, STONE, KNOWN = 64, FEW = 6, PROGRAM = 60 };

static const kith_component drawn[] = { POSITION, VELOCITY, HEALTH, FROZEN, HIDDEN, NEEDY, STONE };

// One of the two worlds. `known` has the same entities in both, at the same places; in the world
// that is changed by commands those of the present program are placeholders.
typedef struct side {
    test_memory memory;
    kith_world *world;
    kith_entity known[KNOWN];
    uint64_t    reported;
} side;

typedef struct twins {
    side           later;
    side           direct;
    kith_commands *commands;
    uint64_t       seed;
    uint32_t       dead;  // calls of this program for dead entities
    uint32_t       calls; // that did something
} twins;

static void record_notice(kith_world *world, const kith_notice *notice, void *context)
{
    side *s = context;
    s->reported =
        (s->reported ^ ((uint64_t)notice->event << 8 | notice->component)) * 31 + notice->entity;
    s->reported = s->reported * 31 + kith_entity_count(world);
}

// A listener that changes the entity of its notice.
static void thaw(kith_world *world, const kith_notice *notice, void *context)
{
    record_notice(world, notice, context);
    hidden_remove(world, notice->entity);
    kith_component_remove(world, notice->entity, STONE);
}

static void listen(side *s)
{
    for (uint32_t i = 0; i < 3; i++) {
        const kith_listener_desc desc = { (kith_event)i, POSITION, record_notice, s, 0, NULL };
        assert_int_not_equal(kith_listener_connect(s->world, &desc), 0);
    }
    const kith_listener_desc born = { KITH_EVENT_CREATE, 0, record_notice, s, 0, NULL };
    const kith_listener_desc gone = { KITH_EVENT_DESTROY, 0, record_notice, s, 0, NULL };
    assert_int_not_equal(kith_listener_connect(s->world, &born), 0);
    assert_int_not_equal(kith_listener_connect(s->world, &gone), 0);
    assert_int_not_equal(frozen_on_add(s->world, thaw, s), 0);
}

static void open_side(side *s, bool reported)
{
    static const kith_component needs[] = { HEALTH, FROZEN };
    const kith_component_desc   needy   = { .name                  = "needy",
                                            .id                    = NEEDY,
                                            .size                  = 24,
                                            .alignment             = 8,
                                            .traits.required       = needs,
                                            .traits.required_count = 2 };
    const kith_component_desc   stone   = {
            .name          = "stone",
            .id            = STONE,
            .size          = 4,
            .alignment     = 4,
            .traits.policy = KITH_POLICY_STABLE,
    };
    s->world = test_world(&s->memory);
    game_register(s->world);
    register_one(s->world, needy);
    register_one(s->world, stone);
    assert_true(kith_component_limit_set(s->world, VELOCITY, 20));
    if (reported) {
        listen(s);
    }
}

// --- one call, both ways ---------------------------------------------------------------------

static kith_component draw_component(twins *t)
{
    return drawn[test_random_below(&t->seed, COUNT_OF(drawn))];
}

// Sets of up to three components, no two the same.
static uint32_t draw_sets(twins *t, kith_values *sets, const uint8_t *bytes)
{
    uint32_t first = test_random_below(&t->seed, COUNT_OF(drawn));
    uint32_t count = 1 + test_random_below(&t->seed, 3);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t chance = test_random_below(&t->seed, 3);
        sets[i] = (kith_values){ drawn[(first + i) % COUNT_OF(drawn)], chance == 0 ? NULL : bytes,
                                 chance == 1 ? 0 : 24 };
    }
    return count;
}

// Whatever the call on the twin answered: what it did is compared later.
static void direct_answer(twins *t, bool answer)
{
    t->calls += answer;
}

// Whether the twin's entity can be asked for something.
static bool is_there(twins *t, kith_entity entity)
{
    bool alive = kith_entity_alive(t->direct.world, entity);
    t->dead += !alive;
    return alive;
}

static void single_call(twins *t, uint32_t place, uint32_t which, const uint8_t *bytes)
{
    kith_world    *world     = t->direct.world;
    kith_commands *c         = t->commands;
    kith_entity    later     = t->later.known[place];
    kith_entity    entity    = t->direct.known[place];
    kith_component component = draw_component(t);
    bool           rows      = component != HIDDEN || (which != 3 && which != 4);
    if (later == KITH_NULL) {
        return;
    }
    bool alive = rows && is_there(t, entity);
    switch (which) {
    case 0:
        assert_true(kith_entity_destroy_later(c, later));
        direct_answer(t, alive && kith_entity_destroy(world, entity));
        break;
    case 1:
        assert_true(kith_component_add_later(c, later, component));
        direct_answer(t, alive && kith_component_add(world, entity, component, NULL) != NULL);
        break;
    case 2:
        assert_true(kith_component_remove_later(c, later, component));
        direct_answer(t, alive && kith_component_remove(world, entity, component));
        break;
    case 3:
        assert_int_equal(kith_component_enable_later(c, later, component, false), rows);
        direct_answer(t, alive && kith_component_enable(world, entity, component, false));
        break;
    case 4:
        assert_int_equal(kith_component_enable_later(c, later, component, true), rows);
        direct_answer(t, alive && kith_component_enable(world, entity, component, true));
        break;
    default:
        bytes = which == 5 ? NULL : bytes;
        assert_true(kith_component_set_later(c, later, component, bytes));
        direct_answer(t, alive && kith_component_set(world, entity, component, bytes) != NULL);
    }
}

static void create_call(twins *t, uint32_t place, const uint8_t *bytes)
{
    kith_values sets[3];
    uint32_t    count     = 1 + test_random_below(&t->seed, FEW);
    uint32_t    set_count = draw_sets(t, sets, bytes);
    place                 = place + count > KNOWN ? KNOWN - count : place;
    kith_entity *later    = t->later.known + place;
    kith_entity *direct   = t->direct.known + place;
    bool         made     = true;
    switch (test_random_below(&t->seed, 3)) {
    case 0:
        count   = 1;
        *later  = kith_entity_create_later(t->commands);
        *direct = kith_entity_create(t->direct.world);
        break;
    case 1:
        assert_true(kith_entity_create_many_later(t->commands, later, count, NULL, 0));
        made = kith_entity_create_many(t->direct.world, direct, count, NULL, 0);
        break;
    default:
        assert_true(kith_entity_create_many_later(t->commands, later, count, sets, set_count));
        made = kith_entity_create_many(t->direct.world, direct, count, sets, set_count);
    }
    for (uint32_t i = 0; i < count && !made; i++) {
        direct[i] = KITH_NULL;
    }
    t->calls++;
}

// Creates entities one by one, each with the same calls behind it: these are applied as a batch
// where they can be. One entity may get another component. `step` 0 sets one component again.
static void create_run(twins *t, uint32_t place, const uint8_t *bytes)
{
    uint32_t count = 1 + test_random_below(&t->seed, 20);
    uint32_t adds  = test_random_below(&t->seed, 4);
    uint32_t odd   = test_random_below(&t->seed, 2 * count);
    uint32_t first = test_random_below(&t->seed, COUNT_OF(drawn));
    uint32_t step  = test_random_below(&t->seed, 4);
    uint32_t calls = test_random_below(&t->seed, 27);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t    at      = (place + i) % KNOWN;
        kith_entity later   = kith_entity_create_later(t->commands);
        kith_entity entity  = kith_entity_create(t->direct.world);
        uint32_t    how     = calls;
        t->later.known[at]  = later;
        t->direct.known[at] = entity;
        for (uint32_t a = 0; a < adds; a++, how /= 3) {
            const void    *value = how % 3 == 0 ? NULL : bytes + 24 * (i % FEW);
            kith_component id    = drawn[(first + a * step + (i == odd)) % COUNT_OF(drawn)];
            bool           alive = is_there(t, entity);
            if (how % 3 == 1) {
                assert_true(kith_component_add_later(t->commands, later, id));
                direct_answer(t, alive && kith_component_add(t->direct.world, entity, id, NULL));
            } else {
                assert_true(kith_component_set_later(t->commands, later, id, value));
                direct_answer(t, alive && kith_component_set(t->direct.world, entity, id, value));
            }
        }
    }
}

typedef struct batch {
    uint32_t       verb;
    kith_values    sets[3];
    uint32_t       set_count;
    kith_component ids[2];
} batch;

static bool batch_later(twins *t, const batch *b, kith_entities entities)
{
    switch (b->verb) {
    case 0:
        return kith_entity_destroy_many_later(t->commands, entities);
    case 1:
        return kith_entity_set_many_later(t->commands, entities, b->sets, b->set_count);
    case 2:
        return kith_entity_remove_many_later(t->commands, entities, b->ids, 2);
    default:
        return kith_entity_set_components_later(t->commands, entities, b->sets, b->set_count);
    }
}

static bool batch_direct(twins *t, const batch *b, kith_entities entities)
{
    kith_world *world = t->direct.world;
    switch (b->verb) {
    case 0:
        return kith_entity_destroy_many(world, entities);
    case 1:
        return kith_entity_set_many(world, entities, b->sets, b->set_count);
    case 2:
        return kith_entity_remove_many(world, entities, b->ids, 2);
    default:
        return kith_entity_set_components(world, entities, b->sets, b->set_count);
    }
}

// The dead are passed over, and the living between them are batches of their own.
static void batch_in_parts(twins *t, const batch *b, const kith_entity *entities, uint32_t count)
{
    for (uint32_t end = 0; end < count;) {
        uint32_t first = end;
        while (first < count && !is_there(t, entities[first])) {
            first++;
        }
        for (end = first; end < count && kith_entity_alive(t->direct.world, entities[end]);) {
            end++;
        }
        batch part = *b;
        for (uint32_t i = 0; i < b->set_count && first != end; i++) {
            const uint8_t *values = b->sets[i].values;
            part.sets[i].values   = values == NULL ? NULL : values + first * b->sets[i].stride;
        }
        if (first != end) {
            direct_answer(t,
                          batch_direct(t, &part, kith_entities_of(entities + first, end - first)));
        }
    }
}

// A range is one batch, also with dead entities in it.
static void range_call(twins *t, const batch *b, kith_entity first)
{
    kith_entities range = { NULL, first, test_random_below(&t->seed, FEW + 1), 0 };
    uint32_t      alive = kith_entities_alive(t->direct.world, range);
    assert_true(batch_later(t, b, range));
    if (alive != 0 || range.count == 0) {
        direct_answer(t, batch_direct(t, b, range));
    }
    t->dead += range.count - alive;
}

static void batch_call(twins *t, uint32_t place, const uint8_t *bytes)
{
    batch b           = { .verb = test_random_below(&t->seed, 5) };
    b.set_count       = draw_sets(t, b.sets, bytes);
    b.ids[0]          = draw_component(t);
    b.ids[1]          = draw_component(t);
    kith_entity known = t->later.known[place];
    if (known != KITH_NULL && !kith_entity_pending(known) && test_random_below(&t->seed, 3) == 0) {
        range_call(t, &b, known);
        return;
    }
    kith_entity later[FEW];
    kith_entity direct[FEW];
    uint32_t    most  = b.verb == 3 ? 1 : FEW;
    uint32_t    step  = 1 + test_random_below(&t->seed, 5);
    uint32_t    count = 0;
    for (uint32_t i = 0; i < most; i++) {
        uint32_t at = (place + i * step) % KNOWN;
        if (t->later.known[at] != KITH_NULL) {
            later[count]    = t->later.known[at];
            direct[count++] = t->direct.known[at];
        }
    }
    if (count == 0) {
        return;
    }
    assert_true(batch_later(t, &b, kith_entities_of(later, count)));
    batch_in_parts(t, &b, direct, count);
}

// --- programs --------------------------------------------------------------------------------

static void one_call(twins *t)
{
    uint8_t bytes[24 * FEW];
    fill_bytes(bytes, sizeof bytes, (uint32_t)test_random_below(&t->seed, 100));
    uint32_t place  = test_random_below(&t->seed, KNOWN);
    uint32_t chance = test_random_below(&t->seed, 10);
    if (chance == 0 && test_random_below(&t->seed, 3) == 0) {
        create_run(t, place, bytes);
    } else if (chance < 2) {
        create_call(t, place, bytes);
    } else if (chance < 4) {
        batch_call(t, place, bytes);
    } else {
        single_call(t, place, test_random_below(&t->seed, 9), bytes);
    }
}

static void assert_same_sides(twins *t)
{
    assert_same_worlds(t->later.world, t->direct.world);
    assert_int_equal(t->later.reported, t->direct.reported);
    assert_memory_equal(t->later.known, t->direct.known, sizeof t->later.known);
    assert_world_valid(t->later.world);
}

// Applies the program, with memory that runs out now and then if asked.
static void apply_program(twins *t, bool starving)
{
    uint32_t starts = 0;
    test_fail_after(&t->later.memory, starving ? 1 : 0);
    bool done = kith_commands_apply(t->commands, t->later.world);
    while (!done && starts++ < 2000) {
        assert_true(starving);
        assert_world_valid(t->later.world);
        test_fail_after(&t->later.memory, 1 + starts % 16);
        done = kith_commands_resume(t->commands, t->later.world);
    }
    assert_true(done);
    test_fail_after(&t->later.memory, 0);
    for (uint32_t i = 0; i < KNOWN; i++) {
        t->later.known[i] = kith_commands_resolve(t->commands, t->later.known[i]);
    }
}

static void run_program(twins *t, uint32_t calls, bool starving)
{
    uint32_t errors = t->direct.memory.errors;
    t->dead         = 0;
    for (uint32_t i = 0; i < calls; i++) {
        one_call(t);
    }
    uint32_t reported = t->later.memory.errors;
    uint32_t wrong    = kith_commands_report_of(t->commands).refused;
    apply_program(t, starving);
    kith_commands_report report = kith_commands_report_of(t->commands);
    assert_int_equal(report.dead, t->dead);
    assert_int_equal(report.applied + report.skipped + report.failed, report.recorded);
    assert_true(starving || t->later.memory.errors - reported ==
                                t->direct.memory.errors - errors + (wrong != 0));
    assert_same_sides(t);
    assert_true(kith_commands_clear(t->commands));
}

static void run_twins(uint64_t seed, bool reported, bool starving)
{
    twins t = { .seed = seed };
    open_side(&t.later, reported);
    open_side(&t.direct, reported);
    t.commands = kith_commands_create(t.later.world, NULL);
    for (uint32_t i = 0; i < test_thinned(120); i++) {
        run_program(&t, 1 + test_random_below(&t.seed, PROGRAM), starving);
    }
    assert_true(t.calls > 100);
    test_world_end(t.later.world, &t.later.memory);
    test_world_end(t.direct.world, &t.direct.memory);
}

static void commands_do_what_direct_calls_do(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    for (uint32_t i = 0; i < 4; i++) {
        run_twins(seed * 1000 + i, false, false);
    }
}

static void commands_are_reported_as_direct_calls_are(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    for (uint32_t i = 0; i < 4; i++) {
        run_twins(seed * 1000 + i, true, false);
    }
}

// Without listeners: a batch that failed halfway may report the same entities again.
static void commands_go_on_where_memory_ran_out(void **state)
{
    (void)state;
    run_twins(test_seed(), false, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_do_what_direct_calls_do),
        cmocka_unit_test(commands_are_reported_as_direct_calls_are),
        cmocka_unit_test(commands_go_on_where_memory_ran_out),
    };
    return cmocka_run_group_tests_name("command_twin", tests, NULL, NULL);
}
