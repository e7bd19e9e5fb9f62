// SPDX-License-Identifier: MIT
// Commands: what recording keeps, what applying does, and what is reported of it.
#include "component_test.h"

enum { BODY = 11, WIDE, BLIND, SEASON, BOND, PACT, BROAD };

// Handles as a field and as an array.
typedef struct bond {
    uint32_t    strength;
    kith_entity to;
    kith_entity others[3];
} bond;

KITH_FIELDS(bond, u32(strength), entity(to), entity(others));

typedef struct fixture {
    test_memory    memory;
    kith_world    *world;
    kith_commands *commands;
    journal        journal;
    tracker        body;
    kith_entity    ship, buoy, gull;
} fixture;

// A copy hook that minds where it copies to.
static bool copy_wide(void *value, const void *source, void *context)
{
    (void)context;
    assert_int_equal((uintptr_t)value % 256, 0);
    memcpy(value, source, 512);
    return true;
}

static bool copy_bond(void *value, const void *source, void *context)
{
    (void)context;
    memcpy(value, source, sizeof(bond));
    return true;
}

static void register_all(fixture *f, kith_world *world)
{
    game_register(world);
    register_one(world, tracked_desc(BODY, &f->body));
    kith_component_desc wide = bytes_desc(WIDE, 512, 256);
    wide.name                = "wide";
    wide.traits.hooks.copy   = copy_wide;
    register_one(world, wide);
    kith_component_desc blind = tracked_desc(BLIND, &f->body);
    blind.name                = "blind";
    blind.traits.hooks.copy   = NULL;
    register_one(world, blind);
    const kith_component_desc season = {
        .name = "season", .id = SEASON, .kind = KITH_KIND_SINGLETON, .size = 1
    };
    register_one(world, season);
    kith_component_desc links = { .name      = "bond",
                                  .id        = BOND,
                                  .size      = sizeof(bond),
                                  .alignment = _Alignof(bond),
                                  .traits    = { .saved = KITH_AS(fields(bond)) } };
    register_one(world, links);
    kith_component_desc broad = bytes_desc(BROAD, 64, 32);
    broad.name                = "broad";
    register_one(world, broad);
    links.name              = "pact";
    links.id                = PACT;
    links.traits.hooks.copy = copy_bond;
    register_one(world, links);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->body    = (tracker){ .journal = &f->journal, .name = "body" };
    f->world   = test_world(&f->memory);
    f->ship    = kith_entity_create(f->world);
    f->buoy    = kith_entity_create(f->world);
    f->gull    = kith_entity_create(f->world);
    register_all(f, f->world);
    f->commands = kith_commands_create(f->world, &(kith_commands_desc){ .name = "orders" });
    assert_non_null(f->commands);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    test_world_end(f->world, &f->memory);
    assert_int_equal(f->journal.living, 0);
    text_free(&f->journal.text);
    free(f);
    return 0;
}

// The commands are applied, and it went like this.
static void assert_applied(fixture *f, uint32_t applied, uint32_t skipped, uint32_t failed)
{
    assert_true(kith_commands_apply(f->commands, f->world));
    kith_commands_report report = kith_commands_report_of(f->commands);
    assert_int_equal(report.applied, applied);
    assert_int_equal(report.skipped, skipped);
    assert_int_equal(report.failed, failed);
    assert_int_equal(report.left, 0);
    assert_world_valid(f->world);
}

// The call is refused with this code, and nothing is recorded.
#define assert_not_recorded(F, CODE, CALL)                                                         \
    do {                                                                                           \
        uint32_t count_   = kith_commands_report_of((F)->commands).recorded;                       \
        uint32_t refused_ = kith_commands_report_of((F)->commands).refused;                        \
        assert_true(!(CALL));                                                                      \
        assert_int_equal((int)kith_commands_report_of((F)->commands).refusal.code, (int)(CODE));   \
        assert_int_equal(kith_commands_report_of((F)->commands).recorded, count_);                 \
        assert_int_equal(kith_commands_report_of((F)->commands).refused, refused_ + 1);            \
        assert_world_valid((F)->world);                                                            \
    } while (0)

// --- handles in values -----------------------------------------------------------------------

// The value as it is in a world where these two were created.
static void assert_bond(const kith_world *world, kith_entity entity, kith_component component,
                        bond should)
{
    const bond *is = kith_component_get(world, entity, component);
    assert_non_null(is);
    assert_int_equal(is->strength, should.strength);
    assert_int_equal(is->to, should.to);
    assert_memory_equal(is->others, should.others, sizeof is->others);
}

static void assert_bonds(fixture *f, const kith_world *world, const kith_entity *placeholders)
{
    kith_entity first  = kith_commands_resolve(f->commands, placeholders[0]);
    kith_entity second = kith_commands_resolve(f->commands, placeholders[1]);
    kith_entity third  = kith_commands_resolve(f->commands, placeholders[2]);
    assert_true(kith_entity_alive(world, third));
    for (kith_component id = BOND; id <= PACT; id++) {
        assert_bond(world, first, id, (bond){ 1, second, { f->ship, first, KITH_NULL } });
        assert_bond(world, second, id, (bond){ 2, third, { third, second, first } });
        assert_bond(world, third, id, (bond){ 3, first, { KITH_NULL } });
        assert_bond(world, f->ship, id, (bond){ 1, second, { f->ship, first, KITH_NULL } });
        assert_bond(world, f->buoy, id, (bond){ 2, third, { third, second, first } });
    }
}

// Values of single calls, of a batch with values of its own for each, and with one for all.
static void record_bonds(fixture *f, kith_entity made[3])
{
    assert_true(kith_entity_create_many_later(f->commands, made, 2, NULL, 0));
    made[2]                    = kith_entity_create_later(f->commands);
    const bond        all      = { 3, made[0], { KITH_NULL } };
    const bond        values[] = { { 1, made[1], { f->ship, made[0], KITH_NULL } },
                                   { 2, made[2], { made[2], made[1], made[0] } } };
    const kith_entity two[]    = { f->ship, f->buoy };
    for (kith_component id = BOND; id <= PACT; id++) {
        const kith_values each = { id, values, sizeof(bond) };
        const kith_values same = { id, &all, 0 };
        assert_true(kith_component_set_later(f->commands, made[0], id, &values[0]));
        assert_true(kith_component_set_later(f->commands, made[1], id, &values[1]));
        assert_true(
            kith_entity_set_many_later(f->commands, kith_entities_of(&made[2], 1), &same, 1));
        assert_true(kith_entity_set_many_later(f->commands, kith_entities_of(two, 2), &each, 1));
    }
}

static void placeholders_in_values_become_the_entities(void **state)
{
    fixture    *f = *state;
    kith_entity made[3];
    record_bonds(f, made);
    assert_applied(f, 10, 0, 0);
    assert_bonds(f, f->world, made);
}

// The commands keep the placeholders: the next time they are other entities.
static void placeholders_in_values_are_replaced_each_time(void **state)
{
    fixture    *f      = *state;
    test_memory memory = { 0 };
    kith_world *other  = test_world(&memory);
    kith_entity made[3];
    register_all(f, other);
    test_create_many(other, 5);
    record_bonds(f, made);
    assert_applied(f, 10, 0, 0);
    kith_entity before = kith_commands_resolve(f->commands, made[0]);
    assert_applied(f, 10, 0, 0);
    assert_int_not_equal(kith_commands_resolve(f->commands, made[0]), before);
    assert_bonds(f, f->world, made);
    assert_true(kith_commands_apply(f->commands, other));
    assert_bonds(f, other, made);
    test_world_end(other, &memory);
}

static void expect_bond(kith_world *world, const kith_notice *notice, void *context)
{
    const bond *is = kith_component_get(world, notice->entity, notice->component);
    assert_true(kith_entity_alive(world, is->to));
    ++*(uint32_t *)context;
}

static void listeners_see_the_entities(void **state)
{
    fixture    *f      = *state;
    uint32_t    events = 0;
    kith_entity made[3];
    for (kith_component id = BOND; id <= PACT; id++) {
        const kith_listener_desc desc = { KITH_EVENT_ADD, id, expect_bond, &events, 0, NULL };
        assert_true(kith_listener_connect(f->world, &desc) != 0);
    }
    record_bonds(f, made);
    assert_applied(f, 10, 0, 0);
    assert_int_equal(events, 10);
}

static void a_placeholder_without_an_entity_becomes_null(void **state)
{
    fixture       *f       = *state;
    kith_commands *others  = kith_commands_create(f->world, NULL);
    kith_entity    foreign = kith_entity_create_later(others);
    kith_entity    none    = kith_entity_create_later(f->commands);
    const bond     value   = { 4, none, { foreign, f->gull, none } };
    kith_component_set_later(f->commands, f->ship, BOND, &value);
    assert_applied(f, 2, 0, 0);
    none = kith_commands_resolve(f->commands, none);
    assert_bond(f->world, f->ship, BOND, (bond){ 4, none, { KITH_NULL, f->gull, none } });
    assert_true(kith_commands_destroy(others));
}

// --- recording -------------------------------------------------------------------------------

static void recording_changes_nothing_of_the_world(void **state)
{
    fixture *f      = *state;
    text     before = dump_world(f->world);

    kith_entity spark = kith_entity_create_later(f->commands);
    assert_true(position_set_later(f->commands, spark, (vec2){ 1, 2 }));
    assert_true(kith_entity_destroy_later(f->commands, f->ship));
    assert_true(frozen_add_later(f->commands, f->buoy));

    assert_unchanged(f->world, before);
    assert_int_equal(kith_commands_report_of(f->commands).recorded, 4);
    assert_int_equal(f->memory.errors, 0);
}

static void a_placeholder_is_dead_for_every_world(void **state)
{
    fixture    *f     = *state;
    kith_entity spark = kith_entity_create_later(f->commands);

    assert_true(kith_entity_pending(spark));
    assert_false(kith_entity_pending(f->ship));
    assert_false(kith_entity_pending(KITH_NULL));
    assert_false(kith_entity_alive(f->world, spark));
    assert_null(position_set(f->world, spark, (vec2){ 0, 0 }));
    assert_error(f->world, KITH_ERROR_DEAD_ENTITY);
    assert_false(frozen_add(f->world, spark));
    assert_false(hidden_add(f->world, spark));
    assert_false(hidden_has(f->world, spark));
    assert_null(position_get(f->world, spark));
    assert_false(kith_entity_destroy(f->world, spark));
    assert_false(kith_entity_destroy_many(f->world, kith_entities_of(&spark, 1)));
    assert_int_equal(kith_entity_create_hint(f->world, spark), KITH_NULL);
    assert_int_equal(kith_entities_alive(f->world, (kith_entities){ NULL, spark, 5, 0 }), 0);
}

static void a_placeholder_is_used_in_later_commands(void **state)
{
    fixture    *f     = *state;
    kith_entity spark = kith_entity_create_later(f->commands);
    kith_entity flame = kith_entity_create_later(f->commands);
    assert_int_not_equal(spark, flame);
    position_set_later(f->commands, flame, (vec2){ 3, 4 });
    position_set_later(f->commands, spark, (vec2){ 1, 2 });
    frozen_add_later(f->commands, spark);
    assert_int_equal(kith_commands_resolve(f->commands, spark), KITH_NULL);

    assert_applied(f, 5, 0, 0);

    spark = kith_commands_resolve(f->commands, spark);
    flame = kith_commands_resolve(f->commands, flame);
    assert_int_equal(spark, handle(3, 1));
    assert_int_equal(flame, handle(4, 1));
    assert_float_equal(position_get(f->world, spark)->x, 1, 0);
    assert_int_equal(position_row(f->world, flame), 0);
    assert_true(frozen_has(f->world, spark));
    assert_int_equal(kith_commands_resolve(f->commands, f->ship), f->ship);
}

static void placeholders_end_with_clear(void **state)
{
    fixture    *f     = *state;
    kith_entity spark = kith_entity_create_later(f->commands);
    assert_applied(f, 1, 0, 0);
    assert_true(kith_commands_clear(f->commands));

    assert_int_equal(kith_commands_resolve(f->commands, spark), KITH_NULL);
    assert_int_not_equal(kith_entity_create_later(f->commands), spark);
    assert_not_recorded(f, KITH_ERROR_ARGUMENT, frozen_add_later(f->commands, spark));
}

static void placeholders_of_other_commands_are_refused(void **state)
{
    fixture       *f     = *state;
    kith_commands *other = kith_commands_create(f->world, NULL);
    kith_entity    spark = kith_entity_create_later(other);
    kith_entity_create_later(f->commands);

    assert_not_recorded(f, KITH_ERROR_ARGUMENT,
                        position_set_later(f->commands, spark, (vec2){ 0, 0 }));
    assert_not_recorded(f, KITH_ERROR_ARGUMENT,
                        kith_entity_destroy_many_later(f->commands, kith_entities_of(&spark, 1)));
    assert_not_recorded(f, KITH_ERROR_ARGUMENT, kith_entity_destroy_later(f->commands, spark + 1));
    assert_int_equal(kith_commands_resolve(f->commands, spark), KITH_NULL);
}

static void invalid_commands_are_refused(void **state)
{
    fixture          *f      = *state;
    kith_commands    *c      = f->commands;
    const vec2        value  = { 1, 2 };
    const kith_values thin   = { POSITION, &value, 4 };
    const kith_entity pair[] = { f->ship, KITH_NULL };
    kith_entity       made[1];

    assert_not_recorded(f, KITH_ERROR_UNREGISTERED, kith_component_add_later(c, f->ship, 99));
    assert_not_recorded(f, KITH_ERROR_UNREGISTERED,
                        kith_component_set_later(c, f->ship, 5000, &value));
    assert_not_recorded(f, KITH_ERROR_KIND, kith_component_set_later(c, f->ship, SEASON, &value));
    assert_not_recorded(f, KITH_ERROR_KIND, kith_component_enable_later(c, f->ship, HIDDEN, true));
    assert_not_recorded(f, KITH_ERROR_KIND, kith_component_enable_later(c, f->ship, HIDDEN, false));
    assert_not_recorded(f, KITH_ERROR_NULL_ENTITY, position_set_later(c, KITH_NULL, value));
    assert_not_recorded(f, KITH_ERROR_NULL_ENTITY, position_add_later(c, KITH_NULL));
    assert_not_recorded(f, KITH_ERROR_NULL_ENTITY,
                        kith_entity_destroy_many_later(c, kith_entities_of(pair, 2)));
    assert_not_recorded(f, KITH_ERROR_NULL_ENTITY,
                        kith_entity_set_components_later(
                            c, kith_entities_of(&(kith_entity){ KITH_NULL }, 1), NULL, 0));
    assert_not_recorded(f, KITH_ERROR_ARGUMENT,
                        kith_entity_destroy_many_later(c, kith_entities_of(NULL, 2)));
    assert_not_recorded(f, KITH_ERROR_ARGUMENT, kith_entity_create_many_later(c, NULL, 2, NULL, 0));
    assert_not_recorded(f, KITH_ERROR_ARGUMENT,
                        kith_entity_set_many_later(c, kith_entities_of(pair, 1), NULL, 1));
    assert_not_recorded(f, KITH_ERROR_ARGUMENT,
                        kith_entity_remove_many_later(c, kith_entities_of(pair, 1), NULL, 1));
    assert_not_recorded(f, KITH_ERROR_ARGUMENT,
                        kith_entity_set_many_later(c, kith_entities_of(pair, 1), &thin, 1));
    assert_not_recorded(f, KITH_ERROR_ARGUMENT,
                        kith_entity_create_many_later(c, made, 1, &thin, 1));
    assert_not_recorded(f, KITH_ERROR_ARGUMENT, kith_entity_create_many_later(c, made, 1, NULL, 1));
    assert_not_recorded(f, KITH_ERROR_ARGUMENT, kith_world_call_later(c, NULL, NULL, 0));
    assert_int_equal(f->memory.errors, 0);
    assert_applied(f, 0, 0, 0);
    assert_int_equal(f->memory.errors, 1);
    assert_error_text(f->world, "kith_world_call_later: call is NULL");
    assert_applied(f, 0, 0, 0);
    assert_int_equal(f->memory.errors, 1);
}

static void calls_that_return_false_without_an_error_do_so_later_too(void **state)
{
    fixture *f = *state;

    assert_false(kith_entity_destroy_later(f->commands, KITH_NULL));
    assert_false(position_remove_later(f->commands, KITH_NULL));
    assert_false(position_set_later(NULL, f->ship, (vec2){ 0, 0 }));
    assert_int_equal(kith_entity_create_later(NULL), KITH_NULL);
    assert_false(kith_commands_apply(NULL, f->world));
    assert_false(kith_commands_resume(NULL, f->world));
    assert_false(kith_commands_clear(NULL));
    assert_true(kith_commands_destroy(NULL));

    assert_int_equal((int)kith_commands_report_of(f->commands).refusal.code, (int)KITH_OK);
    assert_int_equal(f->memory.errors, 0);
}

static void the_error_names_call_and_component(void **state)
{
    fixture *f = *state;
    char     sentence[256];
    position_set_later(f->commands, KITH_NULL, (vec2){ 0, 0 });

    kith_error error = kith_commands_report_of(f->commands).refusal;
    kith_error_text(f->world, &error, sentence, sizeof sentence);

    assert_string_equal(sentence, "position_set_later: the entity is KITH_NULL; create it first");
    assert_true(kith_commands_apply(f->commands, f->world)); // tells the world, and keeps it
    kith_commands_report report = kith_commands_report_of(f->commands);
    assert_int_equal((int)report.refusal.code, (int)KITH_ERROR_NULL_ENTITY);
    assert_int_equal((int)report.error.code, (int)KITH_OK);
    kith_commands_clear(f->commands);
    assert_int_equal((int)kith_commands_report_of(f->commands).refusal.code, (int)KITH_OK);
    assert_int_equal(kith_commands_report_of(f->commands).refused, 0);
}

// --- values ----------------------------------------------------------------------------------

static void values_are_copied_when_they_are_recorded(void **state)
{
    fixture *f     = *state;
    tracked  value = { .number = 7 };
    assert_true(kith_component_set_later(f->commands, f->ship, BODY, &value));
    assert_journal(&f->journal, "body copy 7");
    value.number = 8;

    assert_applied(f, 1, 0, 0);

    assert_journal(&f->journal, "body copy 7");
    const tracked *stored = kith_component_get(f->world, f->ship, BODY);
    assert_int_equal(stored->number, 7);
    kith_commands_clear(f->commands);
    assert_journal(&f->journal, "body destruct 7");
}

static void commands_that_end_destruct_their_values(void **state)
{
    fixture          *f         = *state;
    const tracked     values[2] = { { .number = 1 }, { .number = 2 } };
    const kith_values each      = { BODY, values, sizeof *values };
    const kith_entity two[]     = { f->ship, f->buoy };
    assert_true(kith_entity_set_many_later(f->commands, kith_entities_of(two, 2), &each, 1));
    assert_true(kith_component_set_later(f->commands, f->gull, BODY, &values[0]));
    assert_int_equal(f->journal.living, 3);

    assert_true(kith_commands_destroy(f->commands));

    assert_int_equal(f->journal.living, 0);
    f->commands = kith_commands_create(f->world, NULL);
    kith_component_set_later(f->commands, f->gull, BODY, &values[0]); // the world's end ends it
}

static void a_copy_that_fails_is_not_recorded(void **state)
{
    fixture          *f         = *state;
    const tracked     values[3] = { { .number = 1 }, { .number = 2 }, { .number = 3 } };
    const kith_values sets[]    = { { POSITION, NULL, 0 }, { BODY, values, sizeof *values } };
    const kith_entity three[]   = { f->ship, f->buoy, f->gull };
    for (uint32_t at = 1; at <= 3; at++) {
        f->journal.fail_copy = at;
        assert_not_recorded(
            f, KITH_ERROR_HOOK,
            kith_entity_set_many_later(f->commands, kith_entities_of(three, 3), sets, 2));
        assert_int_equal(f->journal.living, 0);
    }
    f->journal.fail_copy = 1;
    assert_not_recorded(f, KITH_ERROR_HOOK,
                        kith_component_set_later(f->commands, f->ship, BODY, values));
    assert_int_equal(kith_commands_report_of(f->commands).refusal.entity, f->ship);
    f->journal.fail_copy = 0;

    assert_true(kith_entity_set_many_later(f->commands, kith_entities_of(three, 3), sets, 2));
    assert_applied(f, 1, 0, 0);
    assert_int_equal(((const tracked *)kith_component_get(f->world, f->gull, BODY))->number, 3);
}

static void values_that_cannot_be_copied_are_refused(void **state)
{
    fixture          *f     = *state;
    const tracked     value = { .number = 1 };
    const kith_values all   = { BLIND, &value, 0 };

    assert_not_recorded(f, KITH_ERROR_ARGUMENT,
                        kith_component_set_later(f->commands, f->ship, BLIND, &value));
    assert_not_recorded(
        f, KITH_ERROR_ARGUMENT,
        kith_entity_set_many_later(f->commands, kith_entities_of(&f->ship, 1), &all, 1));
    assert_true(kith_component_set_later(f->commands, f->ship, BLIND, NULL));
    assert_true(kith_component_add_later(f->commands, f->ship, BLIND));
    kith_commands_clear(f->commands);
}

static void values_keep_their_alignment(void **state)
{
    fixture    *f = *state;
    uint8_t     bytes[512];
    kith_values all = { WIDE, bytes, 0 };
    for (uint32_t i = 0; i < 40; i++) {
        kith_entity spark = kith_entity_create_later(f->commands);
        fill_bytes(bytes, sizeof bytes, i);
        assert_true(kith_component_set_later(f->commands, spark, WIDE, bytes));
        fill_bytes(bytes, sizeof bytes, i + 100);
        assert_true(
            kith_entity_set_many_later(f->commands, kith_entities_of(&f->ship, 1), &all, 1));
    }

    assert_applied(f, 120, 0, 0);

    for (uint32_t i = 0; i < 40; i++) {
        assert_bytes(kith_component_get(f->world, handle(3 + i, 1), WIDE), sizeof bytes, i);
    }
    assert_bytes(kith_component_get(f->world, f->ship, WIDE), sizeof bytes, 139);
}

static void record_from_a_hook(void *commands)
{
    assert_int_equal(kith_entity_create_later(commands), KITH_NULL);
    assert_false(kith_commands_clear(commands));
}

static void hooks_may_not_record_into_the_same_commands(void **state)
{
    fixture      *f     = *state;
    const tracked value = { .number = 1 };
    f->journal.intruder = f->commands;
    f->journal.intrude  = record_from_a_hook;

    assert_true(kith_component_set_later(f->commands, f->ship, BODY, &value));

    f->journal.intrude = NULL;
    assert_int_equal(kith_commands_report_of(f->commands).recorded, 1);
    assert_int_equal((int)kith_commands_report_of(f->commands).refusal.code, (int)KITH_ERROR_BUSY);
    assert_applied(f, 1, 0, 0);
}

// Changes the world, and tries to end what its hook is called for.
static void meddle_from_a_hook(void *context)
{
    fixture *f = context;
    position_set(f->world, f->ship, (vec2){ 7, 8 });
    kith_entity_destroy(f->world, f->buoy);
    f->buoy = kith_entity_create(f->world);
    health_add(f->world, f->buoy);
    kith_component_clear(f->world, BODY);
    assert_false(kith_commands_apply(f->commands, f->world));
    assert_false(kith_commands_refresh(f->commands));
    assert_false(kith_commands_destroy(f->commands));
    kith_world_error_clear(f->world);
    kith_world_destroy(f->world);
    assert_error(f->world, KITH_ERROR_BUSY);
    assert_world_valid(f->world);
}

static void assert_meddled(fixture *f, uint32_t calls)
{
    f->journal.intrude = NULL;
    assert_int_equal(position_get(f->world, f->ship)->x, 7);
    assert_true(health_has(f->world, f->buoy));
    assert_int_equal(kith_entity_version(f->buoy), 1 + calls);
    assert_world_valid(f->world);
}

static void hooks_may_change_the_world_while_commands_are_cleared(void **state)
{
    fixture      *f     = *state;
    const tracked value = { .number = 1 };
    for (int i = 0; i < 3; i++) {
        assert_true(kith_component_set_later(f->commands, f->ship, BODY, &value));
    }
    f->journal.intruder = f;
    f->journal.intrude  = meddle_from_a_hook;

    assert_true(kith_commands_clear(f->commands));

    assert_meddled(f, 3);
    assert_int_equal(kith_commands_report_of(f->commands).recorded, 0);
    assert_true(kith_component_set_later(f->commands, f->ship, BODY, &value));
    assert_applied(f, 1, 0, 0);
}

static void hooks_may_change_the_world_while_commands_are_recorded(void **state)
{
    fixture      *f     = *state;
    const tracked value = { .number = 1 };
    f->journal.intruder = f;
    f->journal.intrude  = meddle_from_a_hook;

    assert_true(kith_component_set_later(f->commands, f->ship, BODY, &value));

    assert_meddled(f, 1);
    assert_applied(f, 1, 0, 0);
    assert_true(kith_component_has(f->world, f->ship, BODY));
}

// --- applying --------------------------------------------------------------------------------

static void commands_for_the_dead_are_skipped_and_counted(void **state)
{
    fixture *f = *state;
    kith_entity_destroy_later(f->commands, f->ship);
    position_set_later(f->commands, f->ship, (vec2){ 1, 1 });
    health_add_later(f->commands, f->ship);
    kith_entity_destroy_later(f->commands, f->ship);
    position_set_later(f->commands, f->buoy, (vec2){ 2, 2 });

    assert_applied(f, 2, 3, 0);

    assert_int_equal(kith_commands_report_of(f->commands).dead, 3);
    assert_int_equal(position_count(f->world), 1);
    assert_int_equal(f->memory.errors, 0);
}

static void a_batch_passes_over_the_dead(void **state)
{
    fixture          *f         = *state;
    kith_entity       spark     = kith_entity_create_later(f->commands);
    const kith_entity four[]    = { f->ship, f->buoy, spark, f->gull };
    const vec2        values[4] = { { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 } };
    const int         life      = 9;
    const kith_values sets[]    = { position_each(values), health_all(&life) };
    assert_true(kith_entity_set_many_later(f->commands, kith_entities_of(four, 4), sets, 2));
    kith_entity_destroy(f->world, f->buoy);

    assert_applied(f, 2, 0, 0);

    spark = kith_commands_resolve(f->commands, spark);
    assert_int_equal(kith_commands_report_of(f->commands).dead, 1);
    assert_float_equal(position_get(f->world, f->ship)->x, 1, 0);
    assert_float_equal(position_get(f->world, spark)->x, 3, 0);
    assert_float_equal(position_get(f->world, f->gull)->x, 4, 0);
    assert_int_equal(*health_get(f->world, f->gull), 9);
    assert_applied(f, 2, 0, 0); // the values are where they were
    assert_float_equal(position_get(f->world, f->gull)->x, 4, 0);
}

static void a_batch_of_the_dead_is_skipped(void **state)
{
    fixture          *f     = *state;
    const kith_entity two[] = { f->ship, f->buoy };
    kith_entity_destroy_many_later(f->commands, kith_entities_of(two, 2));
    kith_entity_destroy_many_later(f->commands, kith_entities_of(two, 2));
    kith_entity_destroy_many_later(f->commands, kith_entities_of(NULL, 0));

    assert_applied(f, 2, 1, 0);

    assert_int_equal(kith_commands_report_of(f->commands).dead, 2);
    assert_int_equal(kith_entity_count(f->world), 1);
}

static void a_range_passes_over_the_dead_in_one_call(void **state)
{
    fixture            *f         = *state;
    const vec2          values[3] = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
    const kith_values   sets[]    = { position_each(values) };
    const kith_entities range     = { NULL, f->ship, 3, 0 };
    assert_true(kith_entity_set_many_later(f->commands, range, sets, 1));
    kith_entity_destroy(f->world, f->buoy);
    position_limit_set(f->world, 1);

    assert_applied(f, 0, 0, 1); // as an array the ship would have been a batch of its own
    assert_int_equal(position_count(f->world), 0);
    assert_int_equal(kith_commands_report_of(f->commands).dead, 1);

    position_limit_set(f->world, 2);
    assert_applied(f, 1, 0, 0);
    assert_int_equal(kith_commands_report_of(f->commands).dead, 1);
    assert_float_equal(position_get(f->world, f->ship)->x, 1, 0);
    assert_float_equal(position_get(f->world, f->gull)->x, 3, 0);
}

static void ranges_do_what_they_do_directly(void **state)
{
    fixture             *f       = *state;
    const kith_entities  pair    = { NULL, f->ship, 2, 0 };
    const kith_entities  none    = { NULL, f->ship, 0, 0 };
    const kith_component parts[] = { FROZEN };
    const kith_values    sets[]  = { frozen_all(), hidden_all() };
    assert_true(kith_entity_set_many_later(f->commands, pair, sets, 2));
    assert_true(kith_entity_remove_many_later(f->commands, pair, parts, 1));
    assert_applied(f, 2, 0, 0);
    assert_true(hidden_has(f->world, f->ship) && hidden_has(f->world, f->buoy));
    assert_false(frozen_has(f->world, f->ship) || hidden_has(f->world, f->gull));

    kith_commands_clear(f->commands);
    assert_true(kith_entity_set_components_later(f->commands, pair, sets, 1));
    assert_true(kith_entity_set_components_later(f->commands, none, sets, 1));
    assert_applied(f, 2, 0, 0);
    assert_true(frozen_has(f->world, f->ship) && frozen_has(f->world, f->buoy));
    assert_int_equal(hidden_count(f->world), 0);

    kith_commands_clear(f->commands);
    assert_true(kith_entity_destroy_many_later(f->commands, pair));
    assert_true(kith_entity_destroy_many_later(f->commands, pair));
    assert_applied(f, 1, 1, 0);
    assert_int_equal(kith_commands_report_of(f->commands).dead, 2);
    assert_int_equal(kith_entity_count(f->world), 1);
}

// The record of a range has no array: the first block is enough for the longest one.
static void a_recorded_range_stays_a_range(void **state)
{
    fixture            *f     = *state;
    const kith_entities range = { NULL, f->ship, UINT32_MAX, 0 };
    const kith_values   sets  = frozen_all();
    assert_true(kith_entity_destroy_later(f->commands, f->gull));
    uint64_t allocations = f->memory.allocations;

    assert_true(kith_entity_set_many_later(f->commands, range, &sets, 1));

    assert_int_equal(f->memory.allocations, allocations);
    assert_applied(f, 2, 0, 0);
    assert_int_equal(frozen_count(f->world), 2);
    assert_true(kith_commands_report_of(f->commands).dead == UINT64_C(0xfffffffd));
}

static void placeholders_are_a_range(void **state)
{
    fixture             *f         = *state;
    const vec2           values[3] = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
    const kith_values    sets[]    = { position_each(values), frozen_all() };
    const kith_component parts[]   = { FROZEN };
    kith_entity          made[3];
    assert_true(kith_entity_create_many_later(f->commands, made, 3, NULL, 0));
    const kith_entities all  = { NULL, made[0], 3, 0 };
    const kith_entities last = { NULL, made[1], 2, 0 };
    assert_true(kith_entity_set_many_later(f->commands, all, sets, 2));
    assert_true(kith_entity_destroy_later(f->commands, made[1]));
    assert_true(kith_entity_remove_many_later(f->commands, last, parts, 1));
    for (uint32_t i = 0; i < 60; i++) { // the array of created entities moves meanwhile
        assert_int_not_equal(kith_entity_create_later(f->commands), KITH_NULL);
    }

    assert_applied(f, 64, 0, 0);

    kith_entity third = kith_commands_resolve(f->commands, made[2]);
    assert_int_equal(kith_commands_report_of(f->commands).dead, 1);
    assert_float_equal(position_get(f->world, third)->x, 3, 0);
    assert_false(frozen_has(f->world, third));
    assert_true(frozen_has(f->world, kith_commands_resolve(f->commands, made[0])));
}

static void ranges_that_make_no_sense_are_refused(void **state)
{
    fixture       *f = *state;
    kith_commands *c = f->commands;
    kith_entity    made[2];
    assert_true(kith_entity_create_many_later(c, made, 2, NULL, 0));
    assert_not_recorded(f, KITH_ERROR_ARGUMENT,
                        kith_entity_destroy_many_later(c, (kith_entities){ NULL, made[0], 3, 0 }));
    assert_not_recorded(
        f, KITH_ERROR_ARGUMENT,
        kith_entity_destroy_many_later(c, (kith_entities){ NULL, made[1], UINT32_MAX, 0 }));
    assert_not_recorded(
        f, KITH_ERROR_ARGUMENT,
        kith_entity_destroy_many_later(c, (kith_entities){ NULL, made[1] + 1, 1, 0 }));
    assert_not_recorded(
        f, KITH_ERROR_ARGUMENT,
        kith_entity_destroy_many_later(c, (kith_entities){ NULL, KITH_NULL, 1, 0 }));
    // `first` of an array means nothing
    assert_true(kith_entity_destroy_many_later(c, (kith_entities){ made, made[1] + 9, 2, 0 }));
    kith_commands_clear(c);
    assert_not_recorded(f, KITH_ERROR_ARGUMENT,
                        kith_entity_destroy_many_later(c, (kith_entities){ NULL, made[0], 1, 0 }));
}

static void batches_do_what_they_do_directly(void **state)
{
    fixture             *f      = *state;
    const kith_component two[]  = { POSITION, FROZEN };
    const kith_values    sets[] = { frozen_all(), { POSITION, NULL, 0 }, hidden_all() };
    kith_entity          made[3];
    assert_true(kith_entity_create_many_later(f->commands, made, 3, sets, 3));
    assert_true(kith_entity_remove_many_later(f->commands, kith_entities_of(made + 1, 2), two, 2));
    assert_true(
        kith_entity_set_components_later(f->commands, kith_entities_of(made, 1), sets + 1, 1));
    assert_true(
        kith_entity_set_components_later(f->commands, kith_entities_of(made + 2, 1), sets, 1));
    assert_true(kith_entity_create_many_later(f->commands, made + 1, 1, NULL, 0));

    assert_applied(f, 5, 0, 0);

    kith_entity first = kith_commands_resolve(f->commands, made[0]);
    kith_entity third = kith_commands_resolve(f->commands, made[2]);
    assert_int_equal(kith_commands_resolve(f->commands, made[1]), handle(6, 1));
    assert_true(position_has(f->world, first));
    assert_false(hidden_has(f->world, first));
    assert_false(position_has(f->world, third));
    assert_true(frozen_has(f->world, third));
}

static void single_commands_do_what_they_do_directly(void **state)
{
    fixture *f = *state;
    position_set(f->world, f->ship, (vec2){ 1, 1 });
    frozen_add(f->world, f->buoy);
    position_disable_later(f->commands, f->ship);
    frozen_remove_later(f->commands, f->buoy);
    frozen_remove_later(f->commands, f->gull); // absent: no error
    hidden_add_later(f->commands, f->gull);
    kith_component_set_later(f->commands, f->gull, POSITION, NULL);

    assert_applied(f, 5, 0, 0);

    assert_false(position_enabled(f->world, f->ship));
    assert_false(frozen_has(f->world, f->buoy));
    assert_true(hidden_has(f->world, f->gull));
    assert_float_equal(position_get(f->world, f->gull)->x, 0, 0);
    kith_commands_clear(f->commands);
    position_enable_later(f->commands, f->ship);
    hidden_remove_later(f->commands, f->gull);
    assert_applied(f, 2, 0, 0);
    assert_true(position_enabled(f->world, f->ship));
    assert_false(hidden_has(f->world, f->gull));
}

static void failures_are_counted_and_the_rest_follows(void **state)
{
    fixture          *f       = *state;
    const kith_entity twice[] = { f->ship, f->ship };
    position_limit_set(f->world, 1);
    position_add_later(f->commands, f->ship);
    position_add_later(f->commands, f->buoy);
    kith_entity_destroy_many_later(f->commands, kith_entities_of(twice, 2));
    health_add_later(f->commands, f->buoy);

    assert_applied(f, 2, 0, 2);

    kith_error error = kith_commands_report_of(f->commands).error;
    char       sentence[256];
    kith_error_text(f->world, &error, sentence, sizeof sentence);
    assert_string_equal(sentence, "position_add: the pool of \"position\" is limited to 1 rows");
    assert_int_equal(error.entity, f->buoy);
    assert_int_equal(f->memory.errors, 2);
    assert_true(health_has(f->world, f->buoy));
}

static void destroy_and_fail(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    kith_entity_destroy(world, notice->entity);
    assert_null(health_add(world, notice->entity));
}

static void an_error_of_a_listener_is_not_the_commands_error(void **state)
{
    fixture *f = *state;
    position_on_add(f->world, destroy_and_fail, NULL);
    position_add_later(f->commands, f->ship);

    assert_applied(f, 1, 0, 0);

    assert_int_equal((int)kith_commands_report_of(f->commands).error.code, (int)KITH_OK);
    assert_error(f->world, KITH_ERROR_DEAD_ENTITY);
}

static void an_entity_that_was_never_created_counts_as_dead(void **state)
{
    fixture *f = *state;
    kith_entity_limit_set(f->world, 4);
    kith_entity first  = kith_entity_create_later(f->commands);
    kith_entity second = kith_entity_create_later(f->commands);
    kith_entity many[2];
    kith_entity_create_many_later(f->commands, many, 2, NULL, 0);
    frozen_add_later(f->commands, first);
    frozen_add_later(f->commands, second);
    frozen_add_later(f->commands, many[1]);

    assert_applied(f, 2, 2, 2);

    assert_int_equal(kith_commands_resolve(f->commands, first), handle(3, 1));
    assert_int_equal(kith_commands_resolve(f->commands, second), KITH_NULL);
    assert_int_equal(kith_commands_resolve(f->commands, many[0]), KITH_NULL);
    assert_int_equal(frozen_count(f->world), 1);
}

// --- functions -------------------------------------------------------------------------------

typedef struct wish {
    kith_entity  entity;
    kith_entity *seen;
    double       number;
} wish;

static void grant(kith_world *world, const kith_commands *commands, const void *payload)
{
    const wish *w = payload;
    assert_int_equal((uintptr_t)payload % 16, 0);
    *w->seen = kith_commands_resolve(commands, w->entity);
    health_set(world, *w->seen, (int)w->number);
}

static void a_function_is_called_in_its_turn(void **state)
{
    fixture    *f    = *state;
    kith_entity seen = KITH_NULL;
    wish        w    = { kith_entity_create_later(f->commands), &seen, 42 };
    assert_true(kith_world_call_later(f->commands, grant, &w, sizeof w));
    w.number = 0;
    kith_entity_destroy_later(f->commands, w.entity);

    assert_applied(f, 3, 0, 0);

    assert_int_equal(seen, kith_commands_resolve(f->commands, w.entity));
    assert_false(kith_entity_alive(f->world, seen));
}

typedef struct mischief {
    kith_commands *commands;
    kith_world    *owner;
} mischief;

static void misbehave(kith_world *world, const kith_commands *commands, const void *payload)
{
    const mischief *m = payload;
    assert_ptr_equal(m->commands, commands);
    assert_int_equal(kith_entity_create_later(m->commands), KITH_NULL);
    assert_false(kith_commands_clear(m->commands));
    assert_false(kith_commands_apply(m->commands, world));
    assert_error(world, KITH_ERROR_BUSY);
    assert_false(kith_commands_destroy(m->commands));
    assert_false(kith_commands_refresh(m->commands));
    assert_false(kith_world_destroy(world));
    assert_false(kith_world_destroy(m->owner));
}

static void commands_in_use_are_left_alone(void **state)
{
    fixture       *f      = *state;
    test_memory    memory = { 0 };
    kith_world    *clone  = test_world(&memory);
    const mischief m      = { f->commands, f->world };
    assert_true(kith_world_call_later(f->commands, misbehave, &m, sizeof m));
    health_add_later(f->commands, f->ship);

    assert_applied(f, 2, 0, 0);
    assert_error_says(f->world, KITH_ERROR_BUSY, "kith_world_destroy: not while commands are");
    assert_true(health_has(f->world, f->ship));
    assert_true(kith_commands_apply(f->commands, clone));
    kith_commands_clear(f->commands);
    test_world_end(clone, &memory);
}

static void apply_others(kith_world *world, const kith_commands *commands, const void *payload)
{
    kith_commands *other = *(kith_commands *const *)payload;
    (void)commands;
    assert_true(kith_commands_apply(other, world));
}

static void other_commands_can_be_applied_meanwhile(void **state)
{
    fixture       *f     = *state;
    kith_commands *other = kith_commands_create(f->world, NULL);
    frozen_add_later(other, f->ship);
    kith_world_call_later(f->commands, apply_others, &other, sizeof other);
    frozen_add_later(f->commands, f->buoy);

    assert_applied(f, 2, 0, 0);

    assert_int_equal(frozen_row(f->world, f->ship), 0);
    assert_int_equal(frozen_row(f->world, f->buoy), 1);
}

// --- worlds ----------------------------------------------------------------------------------

static void commands_are_applied_again_and_elsewhere(void **state)
{
    fixture    *f      = *state;
    test_memory memory = { 0 };
    kith_world *clone  = test_world(&memory);
    register_all(f, clone);
    test_create_many(clone, 3);
    kith_entity spark = kith_entity_create_later(f->commands);
    position_set_later(f->commands, spark, (vec2){ 5, 5 });
    kith_entity_destroy_later(f->commands, f->ship);

    assert_applied(f, 3, 0, 0);
    assert_true(kith_commands_apply(f->commands, clone));

    assert_same_worlds(f->world, clone);
    assert_int_equal(kith_commands_report_of(f->commands).applied, 3);
    assert_applied(f, 2, 1, 0);
    assert_int_equal(position_count(f->world), 2);
    test_world_end(clone, &memory);
}

static void a_world_with_other_components_is_refused(void **state)
{
    fixture            *f      = *state;
    test_memory         memory = { 0 };
    kith_world         *other  = test_world(&memory);
    kith_component_desc desc   = position_desc();
    desc.size                  = 4;
    desc.alignment             = 4;
    register_one(other, desc);
    kith_entity_create_later(f->commands);

    assert_refused(&memory, other, KITH_ERROR_CONFLICT, kith_commands_apply(f->commands, other));
    assert_error_text(other, "kith_commands_apply: \"position\" is registered with size 4, not 8");
    assert_int_equal(kith_entity_count(other), 0);
    test_world_end(other, &memory);
}

// The copies in the buffer end with it: bytes of them would outlive what they point to.
static void a_world_without_the_hooks_is_refused(void **state)
{
    fixture            *f      = *state;
    test_memory         memory = { 0 };
    kith_world         *other  = test_world(&memory);
    kith_component_desc desc   = tracked_desc(BODY, &f->body);
    desc.traits.hooks          = (kith_hooks){ 0 };
    register_one(other, desc);
    kith_entity_create_later(f->commands);

    assert_refused(&memory, other, KITH_ERROR_ARGUMENT, kith_commands_apply(f->commands, other));
    assert_int_equal(kith_entity_count(other), 0);
    test_world_end(other, &memory);
}

// Also if only some of them are there: what is ended twice, or never, must have been copied alike.
static void a_world_with_other_hooks_is_refused(void **state)
{
    fixture            *f      = *state;
    test_memory         memory = { 0 };
    kith_world         *other  = test_world(&memory);
    kith_component_desc desc   = tracked_desc(BODY, &f->body);
    desc.traits.hooks.copy     = NULL;
    register_one(other, desc);
    kith_entity_create_later(f->commands);

    assert_refused(&memory, other, KITH_ERROR_ARGUMENT, kith_commands_apply(f->commands, other));
    assert_int_equal(kith_entity_count(other), 0);
    test_world_end(other, &memory);
}

static void register_smaller(kith_world *world, const kith_commands *commands, const void *payload)
{
    kith_component_desc desc = position_desc();
    (void)commands;
    (void)payload;
    desc.size             = 4;
    desc.alignment        = 4;
    desc.traits.page_rows = 16;
    register_one(world, desc);
}

// Values for it would be written over those beside them.
static void a_component_that_turns_out_another_fails_its_commands(void **state)
{
    fixture    *f      = *state;
    test_memory memory = { 0 };
    kith_world *other  = test_world(&memory);
    kith_entity sparks[16];
    vec2        values[16] = { { 1, 1 } };
    kith_values set        = { POSITION, values, sizeof *values };
    assert_true(kith_entity_create_many_later(f->commands, sparks, 16, NULL, 0));
    assert_true(kith_world_call_later(f->commands, register_smaller, NULL, 0));
    for (uint32_t i = 0; i < 16; i++) {
        assert_true(position_set_later(f->commands, sparks[i], values[i]));
    }
    assert_true(kith_entity_set_many_later(f->commands, kith_entities_of(sparks, 16), &set, 1));
    assert_true(kith_entity_destroy_later(f->commands, sparks[0]));

    assert_true(kith_commands_apply(f->commands, other));

    assert_int_equal(kith_commands_report_of(f->commands).failed, 17);
    assert_int_equal(kith_commands_report_of(f->commands).error.code, KITH_ERROR_CONFLICT);
    assert_int_equal(kith_commands_report_of(f->commands).applied, 3);
    assert_int_equal(kith_component_count(other, POSITION), 0);
    test_world_end(other, &memory);
}

// The same after a stop: the error names the call that found it.
static void a_component_that_differs_after_a_stop_fails_the_resumed_call(void **state)
{
    fixture    *f      = *state;
    test_memory memory = { 0 };
    kith_world *other  = test_world(&memory);
    kith_entity spark  = kith_entity_create_later(f->commands);
    assert_true(kith_world_call_later(f->commands, register_smaller, NULL, 0));
    assert_true(position_set_later(f->commands, spark, (vec2){ 1, 1 }));
    test_fail_after(&memory, 1);
    assert_false(kith_commands_apply(f->commands, other));
    test_fail_after(&memory, 0);

    assert_true(kith_commands_resume(f->commands, other));

    kith_error error = kith_commands_report_of(f->commands).error;
    assert_int_equal(error.code, KITH_ERROR_CONFLICT);
    assert_string_equal(error.call, "kith_commands_resume");
    test_world_end(other, &memory);
}

static void placeholders_of_many_buffers_differ(void **state)
{
    fixture       *f     = *state;
    kith_entity    spark = kith_entity_create_later(f->commands);
    kith_commands *other = kith_commands_create(f->world, NULL);
    for (uint32_t i = 0; i < 3 * 4096; i++) {
        assert_int_not_equal(kith_entity_create_later(other), spark);
        kith_commands_destroy(other);
        other = kith_commands_create(f->world, NULL);
    }
    kith_entity ours = kith_entity_create_later(other);
    kith_commands_destroy(other);
    for (uint32_t i = 0; i < 4095; i++) {
        kith_commands_destroy(kith_commands_create(f->world, NULL));
    }
    other = kith_commands_create(f->world, NULL);
    assert_int_not_equal(kith_entity_create_later(other), ours);
}

static void a_component_that_a_world_lacks_is_its_error(void **state)
{
    fixture    *f      = *state;
    test_memory memory = { 0 };
    kith_world *other  = test_world(&memory);
    kith_entity spark  = kith_entity_create_later(f->commands);
    position_set_later(f->commands, spark, (vec2){ 1, 1 });

    assert_true(kith_commands_apply(f->commands, other));

    assert_int_equal(kith_commands_report_of(f->commands).failed, 1);
    assert_error(other, KITH_ERROR_UNREGISTERED);
    assert_int_equal(kith_entity_count(other), 1);
    test_world_end(other, &memory);
}

static void components_that_come_later_are_learned(void **state)
{
    fixture       *f    = *state;
    kith_component late = test_register_tag(f->world, "late", 0);
    assert_not_recorded(f, KITH_ERROR_UNREGISTERED,
                        kith_component_add_later(f->commands, f->ship, late));

    assert_true(kith_commands_refresh(f->commands));

    assert_true(kith_component_add_later(f->commands, f->ship, late));
    kith_component later = test_register_tag(f->world, "later", 0);
    assert_applied(f, 1, 0, 0);
    assert_true(kith_component_add_later(f->commands, f->ship, later));
}

// --- listeners and loops ---------------------------------------------------------------------

static void apply_from_listener(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    assert_true(kith_commands_apply(context, world));
}

static void a_listener_may_apply(void **state)
{
    fixture *f = *state;
    health_on_add(f->world, apply_from_listener, f->commands);
    position_set_later(f->commands, f->ship, (vec2){ 1, 1 });
    kith_entity_destroy_later(f->commands, f->buoy);

    health_add(f->world, f->ship);

    assert_true(position_has(f->world, f->ship));
    assert_false(kith_entity_alive(f->world, f->buoy));
}

static void apply_from_hook(void *context)
{
    fixture *f = context;
    assert_false(kith_commands_apply(f->commands, f->world));
    assert_error(f->world, KITH_ERROR_BUSY);
    assert_false(kith_commands_resume(f->commands, f->world));
    assert_false(kith_commands_destroy(f->commands));
    assert_false(kith_commands_refresh(f->commands));
    assert_null(kith_commands_create(f->world, NULL));
    assert_true(health_add_later(f->commands, f->buoy)); // recording is no matter of the world
}

static void failures_in_a_listener_are_counted(void **state)
{
    fixture *f = *state;
    position_limit_set(f->world, 1);
    health_on_add(f->world, apply_from_listener, f->commands);
    position_add_later(f->commands, f->ship);
    position_add_later(f->commands, f->buoy);

    health_add(f->world, f->ship);

    assert_int_equal(kith_commands_report_of(f->commands).applied, 1);
    assert_int_equal(kith_commands_report_of(f->commands).failed, 1);
}

static void a_hook_may_record_and_not_apply(void **state)
{
    fixture *f          = *state;
    f->journal.intruder = f;
    f->journal.intrude  = apply_from_hook;

    set_tracked(f->world, f->ship, BODY, 1);

    f->journal.intrude = NULL;
    assert_false(health_has(f->world, f->buoy));
    assert_applied(f, 1, 0, 0);
    assert_true(health_has(f->world, f->buoy));
}

static void a_loop_may_apply(void **state)
{
    fixture *f = *state;
    position_set(f->world, f->ship, (vec2){ 1, 0 });
    position_set(f->world, f->buoy, (vec2){ 2, 0 });
    const vec2 *kept = position_get(f->world, f->buoy);
    position_remove_later(f->commands, f->ship);

    kith_world_hold(f->world);
    assert_applied(f, 1, 0, 0);
    assert_ptr_equal(position_get(f->world, f->buoy), kept);
    kith_world_release(f->world);

    assert_ptr_not_equal(position_get(f->world, f->buoy), kept);
}

// --- memory ----------------------------------------------------------------------------------

// Needs no memory, which would be its own matter.
static void take_away(kith_world *world, const kith_commands *commands, const void *payload)
{
    const kith_entity *entity = payload;
    position_remove(world, kith_commands_resolve(commands, *entity));
}

static kith_entity record_a_little_of_everything(fixture *f)
{
    const tracked        value      = { .number = 3 };
    const kith_values    sets[]     = { { POSITION, NULL, 0 }, { BODY, &value, 0 } };
    const kith_component parts[]    = { POSITION, BODY };
    uint8_t              bytes[512] = { 0 };
    kith_entity          many[3];
    kith_entity          spark = kith_entity_create_later(f->commands);
    position_set_later(f->commands, spark, (vec2){ 1, 1 });
    kith_component_set_later(f->commands, spark, BODY, &value);
    kith_component_set_later(f->commands, f->ship, WIDE, bytes);
    kith_entity_create_many_later(f->commands, many, 3, sets, 2);
    kith_entity_remove_many_later(f->commands, kith_entities_of(many, 3), parts, 2);
    kith_entity_destroy_later(f->commands, many[1]);
    kith_entity_destroy_many_later(f->commands, kith_entities_of(many, 3));
    kith_world_call_later(f->commands, take_away, &spark, sizeof spark);
    kith_entity_set_many_later(f->commands, kith_entities_of(&f->ship, 1), sets, 2);
    const bond link = { 1, spark, { f->ship, many[0], spark } };
    kith_component_set_later(f->commands, f->buoy, BOND, &link);
    kith_component_set_later(f->commands, f->buoy, PACT, &link);
    return spark;
}

static void steady_recording_allocates_nothing(void **state)
{
    fixture *f = *state;
    for (uint32_t round = 0; round < 10; round++) {
        uint32_t allocations = f->memory.allocations;
        for (uint32_t i = 0; i < 20; i++) {
            record_a_little_of_everything(f);
        }
        assert_true(round == 0 || f->memory.allocations == allocations);
        assert_world_valid(f->world);
        kith_commands_clear(f->commands);
    }
}

static void free_blocks_are_used_before_new_ones_are_taken(void **state)
{
    fixture    *f = *state;
    static char payload[20000];
    kith_world_call_later(f->commands, grant, payload, 100);
    kith_world_call_later(f->commands, grant, payload, sizeof payload);
    kith_world_call_later(f->commands, grant, payload, 3000);
    kith_commands_clear(f->commands);
    uint32_t allocations = f->memory.allocations;

    kith_world_call_later(f->commands, grant, payload, sizeof payload);
    kith_world_call_later(f->commands, grant, payload, 3000);
    kith_world_call_later(f->commands, grant, payload, 100);

    assert_int_equal(f->memory.allocations, allocations);
    assert_int_equal(kith_commands_report_of(f->commands).recorded, 3);
    assert_world_valid(f->world);
    kith_commands_clear(f->commands);
}

static void room_is_taken_ahead(void **state)
{
    fixture                 *f           = *state;
    const kith_commands_desc desc        = { .bytes = 24 * 1000 + 16 * 100, .creates = 100 };
    kith_commands           *c           = kith_commands_create(f->world, &desc);
    uint32_t                 allocations = f->memory.allocations;
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_not_equal(kith_entity_create_later(c), KITH_NULL);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(position_set_later(c, f->ship, (vec2){ 0, 0 }));
    }
    assert_int_equal(f->memory.allocations, allocations);
}

static void commands_can_have_an_allocator_of_their_own(void **state)
{
    fixture           *f      = *state;
    test_memory        own    = { 0 };
    kith_commands_desc desc   = { .allocator = test_allocator(&own), .bytes = 100, .creates = 1 };
    size_t             before = kith_world_memory(f->world, KITH_ALL).total;
    kith_commands     *c      = kith_commands_create(f->world, &desc);
    size_t             head   = kith_world_memory(f->world, KITH_ALL).total - before;

    record_a_little_of_everything(&(fixture){ .commands = c, .ship = f->ship });

    assert_int_equal(kith_world_memory(f->world, KITH_ALL).total, before + head);
    assert_int_equal(kith_world_memory(f->world, KITH_ALL).total, f->memory.live_bytes);
    assert_true(own.live_bytes > 0);
    assert_true(kith_commands_destroy(c));
    assert_int_equal(own.live_bytes, 0);
    desc.allocator.release = NULL;
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_commands_create(f->world, &desc));
}

static void memory_is_accounted_for(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 100; i++) {
        record_a_little_of_everything(f);
        assert_int_equal(kith_world_memory(f->world, KITH_ALL).total, f->memory.live_bytes);
    }
    kith_commands_clear(f->commands);
}

static void without_memory_a_command_is_refused(void **state)
{
    fixture *f = *state;
    record_a_little_of_everything(f);
    f->memory.fail_all = true;
    uint32_t count     = 0;
    while (position_set_later(f->commands, f->ship, (vec2){ 1, 2 })) {
        count++;
    }
    assert_true(count > 0);
    static char payload[5000];
    assert_not_recorded(f, KITH_ERROR_MEMORY,
                        position_set_later(f->commands, f->ship, (vec2){ 1, 2 }));
    assert_not_recorded(f, KITH_ERROR_MEMORY,
                        kith_world_call_later(f->commands, grant, payload, sizeof payload));
    assert_not_recorded(f, KITH_ERROR_MEMORY,
                        kith_world_call_later(f->commands, grant, payload, SIZE_MAX - 8));
    kith_entity many[100];
    assert_not_recorded(f, KITH_ERROR_MEMORY,
                        kith_entity_create_many_later(f->commands, many, 100, NULL, 0));
    assert_int_equal(kith_commands_report_of(f->commands).recorded, 12 + count);
    assert_null(kith_commands_create(f->world, NULL));
    f->memory.fail_all = false;
    assert_true(position_set_later(f->commands, f->ship, (vec2){ 1, 2 }));
    assert_true(kith_commands_clear(f->commands));
}

static void creates_have_an_end(void **state)
{
    fixture *f = *state;
    kith_entity_create_later(f->commands);
    kith_entity one;
    assert_not_recorded(f, KITH_ERROR_LIMIT,
                        kith_entity_create_many_later(f->commands, &one, 0x7fffffff, NULL, 0));
}

// Each allocation of applying fails once, and resuming goes on as if it had not.
static void applying_stops_without_memory_and_goes_on(void **state)
{
    fixture    *f      = *state;
    test_memory memory = { 0 };
    kith_world *twin   = test_world(&memory);
    register_all(f, twin);
    test_create_many(twin, 3);
    kith_entity spark = record_a_little_of_everything(f);
    kith_component_remove_later(f->commands, spark, BODY); // no two of them are the same
    kith_component_remove_later(f->commands, f->ship, BODY);
    assert_true(kith_commands_apply(f->commands, twin));
    uint32_t stops = 0;
    test_fail_after(&f->memory, 1);
    bool done = kith_commands_apply(f->commands, f->world);
    while (!done && stops < 1000) {
        kith_commands_report report = kith_commands_report_of(f->commands);
        stops++;
        assert_int_equal((int)report.error.code, (int)KITH_ERROR_MEMORY);
        assert_true(report.left > 0);
        assert_int_equal(report.applied + report.skipped + report.failed + report.left,
                         report.recorded);
        assert_refused(&memory, twin, KITH_ERROR_ARGUMENT, kith_commands_resume(f->commands, twin));
        assert_world_valid(f->world);
        test_fail_after(&f->memory, 1 + stops % 16);
        done = kith_commands_resume(f->commands, f->world);
    }
    test_fail_after(&f->memory, 0);

    assert_in_range(stops, 3, 999);
    assert_true(kith_commands_resume(f->commands, f->world));
    assert_int_equal(kith_commands_report_of(f->commands).left, 0);
    assert_same_worlds(f->world, twin);
    test_world_end(twin, &memory);
    kith_commands_clear(f->commands);
}

// --- runs of creates -------------------------------------------------------------------------

enum { RUN = 200 }; // several blocks of commands

// Creates an entity with components, later or now.
static kith_entity make_mover(kith_commands *commands, kith_world *world, uint32_t i)
{
    const vec2  at = { (float)i, 2 };
    const vec2  by = { 4, (float)i };
    kith_entity entity =
        commands != NULL ? kith_entity_create_later(commands) : kith_entity_create(world);
    if (commands != NULL) {
        assert_true(position_set_later(commands, entity, at));
        assert_true(velocity_set_later(commands, entity, by));
        assert_true(frozen_add_later(commands, entity));
    } else {
        position_set(world, entity, at);
        velocity_set(world, entity, by);
        frozen_add(world, entity);
    }
    return entity;
}

// A world with free entities, whose pools have rows.
static kith_world *open_run(fixture *f, test_memory *memory)
{
    kith_world *world = test_world(memory);
    register_all(f, world);
    kith_entity made[40];
    for (uint32_t i = 0; i < 40; i++) {
        made[i] = make_mover(NULL, world, i);
    }
    for (uint32_t i = 0; i < 40; i += 3) {
        assert_true(kith_entity_destroy(world, made[i]));
    }
    return world;
}

static void log_event(kith_world *world, const kith_notice *notice, void *context)
{
    uint64_t *log = context;
    *log          = (*log ^ ((uint64_t)notice->event << 8 | notice->component)) * 31;
    *log          = (*log + notice->entity) * 31 + kith_entity_count(world);
}

// What can see the steps of a run.
typedef enum observer { NOTHING, GROUP, BIRTHS, ADDS, LOOP, FEW_ROWS, OBSERVERS } observer;

static void observe(kith_world *world, observer by, uint64_t *log)
{
    if (by == GROUP) {
        const kith_term owned[] = { { POSITION, KITH_ROLE_OWN, 0 },
                                    { VELOCITY, KITH_ROLE_OWN, 0 } };
        assert_non_null(
            kith_group_of(world, &(kith_query_desc){ .terms = owned, .term_count = 2 }));
    } else if (by == BIRTHS || by == ADDS) {
        const kith_listener_desc desc = { by == BIRTHS ? KITH_EVENT_CREATE : KITH_EVENT_ADD,
                                          by == BIRTHS ? 0 : VELOCITY,
                                          log_event,
                                          log,
                                          0,
                                          NULL };
        assert_int_not_equal(kith_listener_connect(world, &desc), 0);
    } else if (by == FEW_ROWS) {
        assert_true(velocity_limit_set(world, RUN / 2));
    }
}

static void a_run_of_creates_does_what_direct_calls_do(void **state)
{
    fixture *f = *state;
    for (observer by = NOTHING; by < OBSERVERS; by++) {
        test_memory    memories[2] = { { 0 }, { 0 } };
        uint64_t       logs[2]     = { 0, 0 };
        kith_world    *later       = open_run(f, &memories[0]);
        kith_world    *direct      = open_run(f, &memories[1]);
        kith_commands *commands    = kith_commands_create(later, NULL);
        kith_entity    placeholders[RUN], made[RUN];
        observe(later, by, &logs[0]);
        observe(direct, by, &logs[1]);
        if (by == LOOP) {
            kith_world_hold(later);
            kith_world_hold(direct);
        }
        for (uint32_t i = 0; i < RUN; i++) {
            placeholders[i] = make_mover(commands, later, i);
            made[i]         = make_mover(NULL, direct, i);
        }

        assert_true(kith_commands_apply(commands, later));

        if (by == LOOP) {
            kith_world_release(later);
            kith_world_release(direct);
        }
        for (uint32_t i = 0; i < RUN; i++) {
            assert_int_equal(kith_commands_resolve(commands, placeholders[i]), made[i]);
        }
        kith_commands_report report = kith_commands_report_of(commands);
        assert_int_equal(report.applied + report.failed, 4 * RUN);
        assert_int_equal(report.failed, memories[1].errors);
        assert_int_equal(memories[0].errors, memories[1].errors);
        assert_int_equal(logs[0], logs[1]);
        assert_world_valid(later);
        assert_same_worlds(later, direct);
        test_world_end(later, &memories[0]);
        test_world_end(direct, &memories[1]);
    }
}

// Values with an alignment that records lack, with handles, and the newest of two.
static void a_run_sets_each_value_as_it_was_recorded(void **state)
{
    fixture    *f = *state;
    uint8_t     bytes[64];
    kith_entity made[3][20];
    for (uint32_t i = 0; i < 20; i++) {
        made[0][i] = kith_entity_create_later(f->commands);
        fill_bytes(bytes, sizeof bytes, i);
        frozen_add_later(f->commands, made[0][i]); // all values have 16 bytes before them
        kith_component_set_later(f->commands, made[0][i], BROAD, bytes);
    }
    for (uint32_t i = 0; i < 20; i++) {
        made[1][i] = kith_entity_create_later(f->commands);
        kith_component_set_later(f->commands, made[1][i], BOND, &(bond){ i, made[1][i], { 0 } });
    }
    for (uint32_t i = 0; i < 20; i++) {
        made[2][i] = kith_entity_create_later(f->commands);
        position_set_later(f->commands, made[2][i], (vec2){ 1, 1 });
        position_set_later(f->commands, made[2][i], (vec2){ 2, (float)i });
    }

    assert_applied(f, 20 * 8, 0, 0);

    assert_int_equal(f->memory.errors, 0);
    for (uint32_t i = 0; i < 20; i++) {
        kith_entity wide  = kith_commands_resolve(f->commands, made[0][i]);
        kith_entity bound = kith_commands_resolve(f->commands, made[1][i]);
        kith_entity last  = kith_commands_resolve(f->commands, made[2][i]);
        fill_bytes(bytes, sizeof bytes, i);
        assert_memory_equal(kith_component_get(f->world, wide, BROAD), bytes, sizeof bytes);
        assert_bond(f->world, bound, BOND, (bond){ i, bound, { 0 } });
        assert_int_equal((int)position_get(f->world, last)->x, 2);
        assert_int_equal((int)position_get(f->world, last)->y, (int)i);
    }
}

static void creates_between_sets_of_other_entities_are_no_run(void **state)
{
    fixture    *f = *state;
    kith_entity old[20], made[20];
    for (uint32_t i = 0; i < 20; i++) {
        old[i] = kith_entity_create(f->world);
    }
    for (uint32_t i = 0; i < 20; i++) {
        made[i] = kith_entity_create_later(f->commands);
        position_set_later(f->commands, old[i], (vec2){ 1, (float)i });
    }

    assert_applied(f, 40, 0, 0);

    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal((int)position_get(f->world, old[i])->y, (int)i);
        kith_entity born = kith_commands_resolve(f->commands, made[i]);
        assert_true(kith_entity_alive(f->world, born));
        assert_false(position_has(f->world, born));
    }
}

static void a_run_that_lacks_memory_is_applied_one_by_one(void **state)
{
#ifdef KITH_DEBUG
    skip(); // there are no runs: every add unpoisons its row
#endif
    fixture *f = *state;
    for (uint32_t i = 0; i < RUN; i++) {
        make_mover(f->commands, f->world, i);
    }
    assert_false(kith_component_limit_set(f->world, 999, 1)); // an error from before
    kith_error before = kith_world_error(f->world);
    assert_int_equal(before.code, KITH_ERROR_UNREGISTERED);
    uint32_t errors = f->memory.errors;
    uint32_t failed = f->memory.failed;

    test_fail_after(&f->memory, 2);
    assert_applied(f, 4 * RUN, 0, 0);

    assert_int_equal(f->memory.failed, failed + 1);
    assert_int_equal(f->memory.errors, errors);
    kith_error after = kith_world_error(f->world);
    assert_memory_equal(&after, &before, sizeof before);
}

static void count_event(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    ++*(uint32_t *)context;
}

// Each member of an array has its turn once, also when memory runs out behind a dead one.
static void an_array_goes_on_where_memory_ran_out(void **state)
{
    fixture    *f = *state;
    kith_entity some[200];
    int         values[200] = { 0 };
    uint32_t    sets        = 0;
    assert_true(kith_entity_create_many(f->world, some, 200, NULL, 0));
    const kith_listener_desc reported = {
        .event = KITH_EVENT_SET, .component = HEALTH, .call = count_event, .context = &sets
    };
    assert_int_not_equal(kith_listener_connect(f->world, &reported), 0);
    const kith_values add_letters = { HEALTH, values, sizeof values[0] };
    assert_true(
        kith_entity_set_many_later(f->commands, kith_entities_of(some, 200), &add_letters, 1));
    kith_entity_destroy(f->world, some[10]);
    assert_true(kith_component_clear(f->world, HEALTH) && kith_world_shrink(f->world));
    uint32_t stops = 0;
    test_fail_after(&f->memory, 1);
    for (bool done = kith_commands_apply(f->commands, f->world); !done && stops < 1000; stops++) {
        test_fail_after(&f->memory, 2 + stops);
        done = kith_commands_resume(f->commands, f->world);
    }
    test_fail_after(&f->memory, 0);
    assert_in_range(stops, 1, 999);
    assert_int_equal(sets, 0);
    assert_int_equal(health_count(f->world), 199);
    assert_int_equal(kith_commands_report_of(f->commands).dead, 1);
}

// A range is set as a whole, after any number of stops, and its dead entity is counted once.
static void a_range_goes_on_where_memory_ran_out(void **state)
{
    fixture    *f = *state;
    kith_entity some[200];
    int         values[200] = { 0 };
    assert_true(kith_entity_create_many(f->world, some, 200, NULL, 0));
    const kith_values   give  = { HEALTH, values, sizeof values[0] };
    const kith_entities range = { NULL, some[0], 200, 0 };
    assert_true(kith_entity_set_many_later(f->commands, range, &give, 1));
    kith_entity_destroy(f->world, some[10]);
    assert_true(kith_component_clear(f->world, HEALTH) && kith_world_shrink(f->world));
    uint32_t stops = 0;
    test_fail_after(&f->memory, 1);
    for (bool done = kith_commands_apply(f->commands, f->world); !done && stops < 1000; stops++) {
        assert_int_equal(health_count(f->world), 0);
        assert_int_equal(kith_commands_report_of(f->commands).left, 1);
        test_fail_after(&f->memory, 2 + stops);
        done = kith_commands_resume(f->commands, f->world);
    }
    test_fail_after(&f->memory, 0);
    assert_in_range(stops, 1, 999);
    assert_int_equal(health_count(f->world), 199);
    assert_int_equal(kith_commands_report_of(f->commands).dead, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(recording_changes_nothing_of_the_world),
        TEST(placeholders_in_values_become_the_entities),
        TEST(placeholders_in_values_are_replaced_each_time),
        TEST(listeners_see_the_entities),
        TEST(a_placeholder_without_an_entity_becomes_null),
        TEST(a_placeholder_is_dead_for_every_world),
        TEST(a_placeholder_is_used_in_later_commands),
        TEST(placeholders_end_with_clear),
        TEST(placeholders_of_other_commands_are_refused),
        TEST(invalid_commands_are_refused),
        TEST(calls_that_return_false_without_an_error_do_so_later_too),
        TEST(the_error_names_call_and_component),
        TEST(values_are_copied_when_they_are_recorded),
        TEST(commands_that_end_destruct_their_values),
        TEST(a_copy_that_fails_is_not_recorded),
        TEST(values_that_cannot_be_copied_are_refused),
        TEST(values_keep_their_alignment),
        TEST(hooks_may_not_record_into_the_same_commands),
        TEST(hooks_may_change_the_world_while_commands_are_cleared),
        TEST(hooks_may_change_the_world_while_commands_are_recorded),
        TEST(commands_for_the_dead_are_skipped_and_counted),
        TEST(a_batch_passes_over_the_dead),
        TEST(a_batch_of_the_dead_is_skipped),
        TEST(a_range_passes_over_the_dead_in_one_call),
        TEST(ranges_do_what_they_do_directly),
        TEST(a_recorded_range_stays_a_range),
        TEST(placeholders_are_a_range),
        TEST(ranges_that_make_no_sense_are_refused),
        TEST(batches_do_what_they_do_directly),
        TEST(single_commands_do_what_they_do_directly),
        TEST(failures_are_counted_and_the_rest_follows),
        TEST(an_error_of_a_listener_is_not_the_commands_error),
        TEST(an_entity_that_was_never_created_counts_as_dead),
        TEST(a_function_is_called_in_its_turn),
        TEST(commands_in_use_are_left_alone),
        TEST(other_commands_can_be_applied_meanwhile),
        TEST(commands_are_applied_again_and_elsewhere),
        TEST(a_world_with_other_components_is_refused),
        TEST(a_world_without_the_hooks_is_refused),
        TEST(a_world_with_other_hooks_is_refused),
        TEST(a_component_that_turns_out_another_fails_its_commands),
        TEST(a_component_that_differs_after_a_stop_fails_the_resumed_call),
        TEST(placeholders_of_many_buffers_differ),
        TEST(a_component_that_a_world_lacks_is_its_error),
        TEST(components_that_come_later_are_learned),
        TEST(a_listener_may_apply),
        TEST(failures_in_a_listener_are_counted),
        TEST(a_hook_may_record_and_not_apply),
        TEST(a_loop_may_apply),
        TEST(steady_recording_allocates_nothing),
        TEST(free_blocks_are_used_before_new_ones_are_taken),
        TEST(room_is_taken_ahead),
        TEST(commands_can_have_an_allocator_of_their_own),
        TEST(memory_is_accounted_for),
        TEST(without_memory_a_command_is_refused),
        TEST(creates_have_an_end),
        TEST(applying_stops_without_memory_and_goes_on),
        TEST(a_run_of_creates_does_what_direct_calls_do),
        TEST(a_run_sets_each_value_as_it_was_recorded),
        TEST(creates_between_sets_of_other_entities_are_no_run),
        TEST(a_run_that_lacks_memory_is_applied_one_by_one),
        TEST(an_array_goes_on_where_memory_ran_out),
        TEST(a_range_goes_on_where_memory_ran_out),
    };
    return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
