// SPDX-License-Identifier: MIT
// Systems: what they are for, when they have a turn, and what is refused.
#include "kith_test.h"

#include <kith/event.h>

#include <math.h>
#include <stdio.h>

KITH_QUERY(movers, write(position), read(velocity), without(frozen));
KITH_QUERY(placed, read(position));
KITH_QUERY(written, write(position));
KITH_QUERY(pushed, write(position), changed(position));
KITH_QUERY(wounded, read(health), changed(health));

typedef struct diary {
    char        text[1024];
    uint64_t    clock;
    uint64_t    step; // by which the clock goes on when it is read
    uint32_t    begun;
    uint32_t    ended;
    kith_world *world; // of the systems that the profiler hears of
} diary;

typedef struct fixture {
    test_memory memory;
    kith_world *world;
    diary       diary;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->world   = test_world(&f->memory);
    assert_true(game_register(f->world));
    kith_world_user_set(f->world, &f->diary);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    test_world_end(f->world, &f->memory);
    free(f);
    return 0;
}

static diary *diary_of(const kith_world *world)
{
    return kith_world_user(world);
}

static void note(const kith_world *world, const char *word, uint32_t number)
{
    size_t length = strlen(diary_of(world)->text);
    snprintf(diary_of(world)->text + length, sizeof diary_of(world)->text - length, "%s%s%u",
             length == 0 ? "" : " ", word, (unsigned)number);
}

#define assert_diary(F, TEXT)                                                                      \
    do {                                                                                           \
        assert_string_equal((F)->diary.text, (TEXT));                                              \
        (F)->diary.text[0] = '\0';                                                                 \
    } while (0)

#define IDS(...)                                                                                   \
    (const kith_component[]){ __VA_ARGS__ },                                                       \
        sizeof((kith_component[]){ __VA_ARGS__ }) / sizeof(kith_component)

// --- things that systems do ------------------------------------------------------------------

static void idle(const kith_turn *turn)
{
    (void)turn;
}

static void note_turn(const kith_turn *turn)
{
    note(turn->world, kith_system_describe(turn->system)->name, (uint32_t)(turn->dt * 100 + 0.5));
}

static void note_entity(const kith_turn *turn, const kith_cursor *cursor)
{
    note(turn->world, "e", kith_entity_index(cursor->entity));
}

static void note_enter(const kith_turn *turn, kith_entity entity)
{
    note(turn->world, "+", kith_entity_index(entity));
}

static void note_leave(const kith_turn *turn, kith_entity entity)
{
    note(turn->world, "-", kith_entity_index(entity));
}

static void move(const kith_turn *turn)
{
    KITH_EACH_STORED(movers, m, turn->query)
    {
        m.position->x += m.velocity->x * (float)turn->dt;
    }
}

static kith_system *make(fixture *f, kith_system_desc desc)
{
    kith_system *system = kith_system_create(f->world, &desc);
    assert_non_null(system);
    assert_world_valid(f->world);
    return system;
}

static kith_entity place(fixture *f, float x)
{
    kith_entity entity = kith_entity_create(f->world);
    position_set(f->world, entity, (vec2){ x, 0 });
    return entity;
}

static kith_signature set_of(fixture *f, const kith_component *ids, size_t count)
{
    kith_signature set = { { 0 } };
    for (size_t i = 0; i < count; i++) {
        assert_true(kith_signature_add(f->world, &set, ids[i]));
    }
    return set;
}

// --- entities --------------------------------------------------------------------------------

static void a_system_walks_its_query(void **state)
{
    fixture    *f = *state;
    kith_entity e = place(f, 1);
    velocity_set(f->world, e, (vec2){ 4, 0 });
    make(f, (kith_system_desc){ .name = "move", .run = move, .query = movers_desc() });

    assert_true(kith_system_run(f->world, "move", 0.5));

    assert_float_equal(position_get(f->world, e)->x, 3, 0);
}

static void each_gets_every_entity_that_has_the_whole_signature(void **state)
{
    fixture       *f   = *state;
    kith_signature set = set_of(f, IDS(POSITION, VELOCITY, HIDDEN));
    kith_entity    a = place(f, 0), b = place(f, 0), c = place(f, 0);
    velocity_add(f->world, a);
    hidden_add(f->world, a);
    velocity_add(f->world, b);
    velocity_add(f->world, c);
    hidden_add(f->world, c);
    frozen_add(f->world, c);
    make(f, (kith_system_desc){ .name = "s", .each = note_entity, .signature = &set });

    assert_true(kith_system_run(f->world, "s", 0));

    assert_diary(f, "e0 e2");
}

static void add_speed(const kith_turn *turn, const kith_cursor *cursor)
{
    vec2       *at    = cursor->columns[0];
    const vec2 *speed = cursor->columns[1];
    at->x += speed->x * (float)turn->dt;
    assert_null(cursor->columns[2]);
}

static void columns_of_a_signature_follow_registration_and_access(void **state)
{
    fixture       *f   = *state;
    kith_signature set = set_of(f, IDS(HEALTH, VELOCITY, POSITION));
    kith_entity    e   = place(f, 1);
    velocity_set(f->world, e, (vec2){ 2, 0 });
    health_set(f->world, e, 1);
    kith_component         writes[] = { POSITION };
    kith_system           *system   = make(f, (kith_system_desc){ .name        = "s",
                                                                  .each        = add_speed,
                                                                  .signature   = &set,
                                                                  .reads       = IDS(VELOCITY),
                                                                  .writes      = writes,
                                                                  .write_count = 1 });
    const kith_query_desc *query    = kith_system_describe(system)->query;

    assert_true(kith_system_run(f->world, "s", 1));

    assert_float_equal(position_get(f->world, e)->x, 3, 0);
    assert_int_equal(query->term_count, 3);
    assert_int_equal(query->terms[0].role, KITH_ROLE_WRITE);
    assert_int_equal(query->terms[1].role, KITH_ROLE_READ);
    assert_int_equal(query->terms[2].role, KITH_ROLE_WITH);
}

static void an_empty_signature_is_every_entity(void **state)
{
    fixture       *f   = *state;
    kith_signature set = { { 0 } };
    test_create_many(f->world, 2);
    make(f, (kith_system_desc){ .name = "s", .each = note_entity, .signature = &set });
    assert_true(kith_system_run(f->world, "s", 0));
    assert_diary(f, "e0 e1");
}

static void the_description_is_the_systems_own(void **state)
{
    fixture         *f        = *state;
    char             name[]   = "first";
    char             other[]  = "second";
    const char      *before[] = { other };
    const char      *after[]  = { "third", "fourth" };
    kith_component   reads[]  = { HEALTH };
    kith_signature   set      = set_of(f, IDS(POSITION));
    kith_system_desc desc     = { .name         = name,
                                  .run          = idle,
                                  .context      = f,
                                  .signature    = &set,
                                  .reads        = reads,
                                  .read_count   = 1,
                                  .before       = before,
                                  .before_count = 1,
                                  .after        = after,
                                  .after_count  = 2,
                                  .phase        = -3 };
    kith_system     *system   = make(f, desc);
    memset(name, 'x', sizeof name - 1);
    memset(other, 'x', sizeof other - 1);
    memset(reads, 0, sizeof reads);
    memset(&set, 0, sizeof set);
    memset(after, 0, sizeof after);

    const kith_system_desc *own = kith_system_describe(system);

    assert_string_equal(own->name, "first");
    assert_string_equal(own->before[0], "second");
    assert_string_equal(own->after[0], "third");
    assert_string_equal(own->after[1], "fourth");
    assert_int_equal(own->reads[0], HEALTH);
    assert_true(kith_signature_has(f->world, own->signature, POSITION));
    assert_int_equal(own->phase, -3);
    assert_int_equal(own->max_steps, 8);
    assert_ptr_equal(own->context, f);
    assert_ptr_equal(kith_query_describe(kith_system_query(system)), own->query);
}

static void systems_are_found_and_walked(void **state)
{
    fixture *f = *state;
    assert_null(kith_system_find(f->world, "a"));
    assert_null(kith_system_next(f->world, NULL));
    kith_system *b = make(f, (kith_system_desc){ .name = "b", .run = idle, .phase = 1 });
    kith_system *a = make(f, (kith_system_desc){ .name = "a", .run = idle });

    assert_ptr_equal(kith_system_find(f->world, "a"), a);
    assert_null(kith_system_find(f->world, "c"));
    assert_null(kith_system_find(f->world, NULL));
    assert_ptr_equal(kith_system_next(f->world, NULL), a);
    assert_ptr_equal(kith_system_next(f->world, a), b);
    assert_null(kith_system_next(f->world, b));

    assert_true(kith_system_destroy(a));
    assert_null(kith_system_find(f->world, "a"));
    assert_ptr_equal(kith_system_next(f->world, NULL), b);
    assert_true(kith_system_destroy(NULL));
}

// --- turns -----------------------------------------------------------------------------------

static void a_disabled_system_runs_only_alone(void **state)
{
    fixture     *f = *state;
    kith_system *s = make(f, (kith_system_desc){ .name = "s", .run = note_turn, .disabled = true });
    assert_false(kith_system_report_of(s).enabled);
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "");
    assert_true(kith_system_run(f->world, "s", 2));
    assert_diary(f, "s200");
    assert_false(kith_system_enable(s, true));
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "s100");
    assert_true(kith_system_enable(s, false));
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "");
}

static void on_demand_is_once_for_each_demand(void **state)
{
    fixture     *f = *state;
    kith_system *s =
        make(f, (kith_system_desc){ .name = "s", .run = note_turn, .on_demand = true });
    kith_system *t = make(f, (kith_system_desc){ .name = "t", .run = idle });
    assert_false(kith_system_request(t));
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "");

    assert_true(kith_system_request(s));
    assert_false(kith_system_request(s));
    assert_true(kith_schedule_run(f->world, 1));
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "s100");
}

static void demand_again(const kith_turn *turn)
{
    note(turn->world, "d", 0);
    kith_system_request(turn->system);
}

static void a_demand_in_a_turn_is_for_the_next(void **state)
{
    fixture     *f = *state;
    kith_system *s =
        make(f, (kith_system_desc){ .name = "s", .run = demand_again, .on_demand = true });
    kith_system_request(s);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "d0");
    kith_schedule_run(f->world, 1);
    assert_diary(f, "d0");
}

static void request(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    kith_system_request(context);
}

static void a_listener_can_request_a_system(void **state)
{
    fixture     *f = *state;
    kith_system *s =
        make(f, (kith_system_desc){ .name = "s", .run = note_turn, .on_demand = true });
    kith_listener_connect(f->world, &(kith_listener_desc){ .event     = KITH_EVENT_ADD,
                                                           .component = HEALTH,
                                                           .call      = request,
                                                           .context   = s });
    kith_schedule_run(f->world, 1);
    assert_diary(f, "");
    health_add(f->world, kith_entity_create(f->world));
    kith_schedule_run(f->world, 1);
    assert_diary(f, "s100");
}

static void deliver(const kith_turn *turn)
{
    note(turn->world, "d", kith_queue_update(turn->context));
}

static void queued_events_request_a_system(void **state)
{
    fixture    *f     = *state;
    kith_queue *queue = kith_queue_of(f->world, &(kith_queue_desc){ .name = "bells" });
    make(
        f,
        (kith_system_desc){
            .name = "s", .run = deliver, .context = queue, .on_demand = true, .on_events = queue });
    kith_schedule_run(f->world, 1);
    assert_diary(f, "");
    assert_true(kith_queue_enqueue(queue, NULL) && kith_queue_enqueue(queue, NULL));
    kith_schedule_run(f->world, 1);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "d2");
    char plan[256];
    kith_schedule_explain(f->world, plan, sizeof plan);
    assert_non_null(strstr(plan, "on demand, on events \"bells\""));
}

static void clear_set(const kith_turn *turn)
{
    note(turn->world, "c", kith_reactive_count(turn->context));
    kith_reactive_clear(turn->context);
}

static void members_of_a_reactive_set_request_a_system(void **state)
{
    fixture                 *f     = *state;
    const kith_condition     on    = { HEALTH, KITH_ON_ADD | KITH_ON_CHANGED };
    const kith_reactive_desc desc  = { .name = "hurt", .conditions = &on, .condition_count = 1 };
    kith_reactive           *set   = kith_reactive_create(f->world, &desc);
    const kith_system_desc   clear = {
          .name = "s", .run = clear_set, .context = set, .on_demand = true, .on_set = set
    };
    kith_system *s = make(f, clear);
    kith_entity  e = kith_entity_create(f->world);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "");
    health_add(f->world, e);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "c1");
    kith_schedule_run(f->world, 1);
    assert_diary(f, "");
    *health_mut(f->world, e) = 3; // found by the update
    kith_schedule_run(f->world, 1);
    assert_diary(f, "c1");

    char plan[256];
    kith_schedule_explain(f->world, plan, sizeof plan);
    assert_non_null(strstr(plan, "on demand, on members of \"hurt\""));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_reactive_destroy(set));
    assert_true(kith_system_destroy(s));
    assert_true(kith_reactive_destroy(set));
}

static void write_and_clear(const kith_turn *turn)
{
    uint64_t place = 0;
    note(turn->world, "w", kith_reactive_count(turn->context));
    for (kith_entity e; (e = kith_reactive_next(turn->context, &place)) != KITH_NULL;) {
        *health_mut(turn->world, e) += 1;
    }
    kith_reactive_clear(turn->context);
}

static void what_a_system_writes_itself_does_not_request_it(void **state)
{
    fixture                 *f    = *state;
    const kith_condition     on   = { HEALTH, KITH_ON_CHANGED };
    const kith_reactive_desc desc = { .name = "hurt", .conditions = &on, .condition_count = 1 };
    kith_reactive           *set  = kith_reactive_create(f->world, &desc);
    const kith_system_desc   heal = {
          .name = "s", .run = write_and_clear, .context = set, .on_demand = true, .on_set = set
    };
    kith_system *s = make(f, heal);
    health_set(f->world, kith_entity_create(f->world), 1);
    for (int i = 0; i < 5; i++) {
        kith_schedule_run(f->world, 1);
    }
    assert_diary(f, "w1");
    *health_mut(f->world, kith_entity_next(f->world, KITH_NULL)) = 3;
    kith_system_request(s); // due already: the set is up to date all the same
    kith_schedule_run(f->world, 1);
    assert_diary(f, "w1");
}

static kith_reactive *watch_health(fixture *f)
{
    const kith_condition     on   = { HEALTH, KITH_ON_CHANGED };
    const kith_reactive_desc desc = { .name = "hurt", .conditions = &on, .condition_count = 1 };
    return kith_reactive_create(f->world, &desc);
}

// What one writes counts as changed for the other, before and after it, and not for itself.
static void systems_that_share_a_set_find_what_the_others_write(void **state)
{
    fixture               *f    = *state;
    kith_reactive         *set  = watch_health(f);
    const kith_system_desc heal = {
        .name = "heal", .run = write_and_clear, .context = set, .on_demand = true, .on_set = set
    };
    kith_system_desc look = heal;
    look.name             = "look";
    look.run              = clear_set;
    make(f, heal);
    kith_system *after = make(f, look);
    health_set(f->world, kith_entity_create(f->world), 1);

    kith_schedule_run(f->world, 1);
    assert_diary(f, "w1 c1");
    kith_schedule_run(f->world, 1);
    assert_diary(f, "");

    kith_system_enable(after, false);
    *health_mut(f->world, kith_entity_next(f->world, KITH_NULL)) = 3;
    kith_schedule_run(f->world, 1);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "w1");
    kith_system_enable(after, true);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "c1");
}

static void a_system_run_alone_finds_its_set_up_to_date(void **state)
{
    fixture       *f   = *state;
    kith_reactive *set = watch_health(f);
    make(f, (kith_system_desc){ .name      = "s",
                                .run       = write_and_clear,
                                .context   = set,
                                .on_demand = true,
                                .on_set    = set });
    health_set(f->world, kith_entity_create(f->world), 1);

    kith_system_run(f->world, "s", 0);
    assert_diary(f, "w1");
    kith_schedule_run(f->world, 1);
    assert_diary(f, "");
    assert_int_equal(kith_reactive_update(set), 0);

    kith_system_run(f->world, "s", 0);
    assert_diary(f, "w0");
    *health_mut(f->world, kith_entity_next(f->world, KITH_NULL)) = 3;
    assert_int_equal(kith_reactive_update(set), 1);
}

static void note_changed(const kith_turn *turn)
{
    uint32_t found = 0;
    KITH_EACH_STORED(wounded, w, turn->query)
    {
        found++;
    }
    note(turn->world, "n", found);
}

static void the_first_turn_finds_what_others_walked_before(void **state)
{
    fixture     *f = *state;
    kith_system *s =
        make(f, (kith_system_desc){ .name = "s", .run = note_changed, .query = wounded_desc() });
    health_set(f->world, kith_entity_create(f->world), 1);
    uint32_t found = 0;
    KITH_EACH_STORED(wounded, w, kith_system_query(s))
    {
        found++;
    }
    assert_int_equal(found, 1);
    kith_world_advance(f->world);
    kith_schedule_run(f->world, 1);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "n1 n0");
}

static void an_interval_collects_time(void **state)
{
    fixture *f = *state;
    make(f, (kith_system_desc){ .name = "s", .run = note_turn, .interval = 0.25 });
    kith_schedule_run(f->world, 0.125);
    assert_diary(f, "");
    kith_schedule_run(f->world, 0.125);
    assert_diary(f, "s25");
    kith_schedule_run(f->world, 0.875);
    assert_diary(f, "s25 s25 s25");
    kith_schedule_run(f->world, 0.125);
    assert_diary(f, "s25");
}

static void too_much_time_is_dropped_and_counted(void **state)
{
    fixture     *f = *state;
    kith_system *s = make(
        f, (kith_system_desc){ .name = "s", .run = note_turn, .interval = 0.25, .max_steps = 2 });
    kith_schedule_run(f->world, 1.125);
    assert_diary(f, "s25 s25");
    assert_float_equal(kith_system_report_of(s).dropped, 0.625, 0);
    kith_schedule_run(f->world, 0.125);
    assert_diary(f, "");
    kith_schedule_run(f->world, 0.125);
    assert_diary(f, "s25");
}

static void disable_itself(const kith_turn *turn)
{
    note_turn(turn);
    kith_system_enable(turn->system, false);
}

static void turns_that_are_lost_to_disabling_are_dropped(void **state)
{
    fixture     *f = *state;
    kith_system *s =
        make(f, (kith_system_desc){ .name = "s", .run = disable_itself, .interval = 0.25 });
    kith_schedule_run(f->world, 1.125);
    assert_diary(f, "s25");
    assert_float_equal(kith_system_report_of(s).dropped, 0.75, 0);
    kith_schedule_run(f->world, 1);
    kith_system_enable(s, true);
    kith_schedule_run(f->world, 0.125);
    assert_diary(f, "s25");
    assert_float_equal(kith_system_report_of(s).dropped, 0.75, 0);
}

static void a_turn_that_could_not_be_had_is_dropped(void **state)
{
    fixture     *f = *state;
    kith_system *s = make(f, (kith_system_desc){ .name     = "s",
                                                 .run      = note_turn,
                                                 .query    = placed_desc(),
                                                 .tracked  = true,
                                                 .enter    = note_enter,
                                                 .interval = 0.25 });
    place(f, 0);
    test_fail_after(&f->memory, 1);
    assert_false(kith_schedule_run(f->world, 0.5));
    assert_diary(f, "+0 s25");
    assert_float_equal(kith_system_report_of(s).dropped, 0.25, 0);
}

static void a_disabled_systems_time_stands_still(void **state)
{
    fixture     *f = *state;
    kith_system *s = make(f, (kith_system_desc){ .name = "s", .run = note_turn, .interval = 1 });
    kith_schedule_run(f->world, 0.5);
    kith_system_enable(s, false);
    kith_schedule_run(f->world, 4);
    kith_system_enable(s, true);
    kith_schedule_run(f->world, 0.25);
    assert_diary(f, "");
    kith_schedule_run(f->world, 0.25);
    assert_diary(f, "s100");
}

static void systems_of_one_interval_take_turns(void **state)
{
    fixture *f = *state;
    make(f, (kith_system_desc){ .name = "a", .run = note_turn, .interval = 0.5 });
    make(f, (kith_system_desc){ .name = "b", .run = note_turn, .interval = 0.5 });
    make(f, (kith_system_desc){ .name = "c", .run = note_turn, .interval = 0.25 });
    make(f, (kith_system_desc){ .name = "d", .run = note_turn, .interval = 0.25, .phase = 1 });
    kith_schedule_run(f->world, 1);
    assert_diary(f, "a50 b50 a50 b50 c25 c25 c25 c25 d25 d25 d25 d25");
}

static void disable_other(const kith_turn *turn)
{
    note_turn(turn);
    kith_system_enable(kith_system_find(turn->world, "b"), false);
}

static void a_system_that_is_disabled_meanwhile_has_no_more_turns(void **state)
{
    fixture *f = *state;
    make(f, (kith_system_desc){ .name = "b", .run = note_turn, .interval = 0.5 });
    make(f, (kith_system_desc){ .name = "c", .run = disable_other, .interval = 0.5 });
    kith_schedule_run(f->world, 1);
    assert_diary(f, "b50 c50 c50");
}

// --- ticks -----------------------------------------------------------------------------------

static void note_since(const kith_turn *turn)
{
    note(turn->world, "since", (uint32_t)turn->since);
    note(turn->world, "now", (uint32_t)kith_world_now(turn->world));
}

static void each_turn_has_a_tick_of_its_own(void **state)
{
    fixture *f = *state;
    make(f, (kith_system_desc){ .name = "a", .run = note_since });
    make(f, (kith_system_desc){ .name = "b", .run = note_since });
    kith_schedule_run(f->world, 1);
    assert_diary(f, "since0 now1 since0 now2");
    assert_int_equal(kith_world_now(f->world), 3);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "since1 now3 since2 now4");
}

// --- tracked ---------------------------------------------------------------------------------

static kith_system *make_tracked(fixture *f, const kith_query_desc *query)
{
    return make(f, (kith_system_desc){ .name    = "t",
                                       .run     = idle,
                                       .query   = query,
                                       .tracked = true,
                                       .enter   = note_enter,
                                       .leave   = note_leave });
}

static void a_system_finds_what_changed_since_its_turn_before(void **state)
{
    fixture *f = *state;
    make(f, (kith_system_desc){ .name = "s", .each = note_entity, .query = pushed_desc() });
    kith_entity first = place(f, 1);
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "e0");
    assert_true(kith_schedule_run(f->world, 1)); // its own changes are none
    assert_diary(f, "");
    position_mut(f->world, first)->x = 2;
    assert_true(kith_system_run(f->world, "s", 1));
    assert_diary(f, "e0");
    make(f, (kith_system_desc){ .name = "t", .each = note_entity, .query = pushed_desc() });
    assert_true(kith_schedule_run(f->world, 1)); // t comes later, so that s finds it next time
    assert_diary(f, "e0");
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "e0 e0");
}

static void walking_a_systems_query_takes_nothing_from_it(void **state)
{
    fixture     *f = *state;
    kith_system *s =
        make(f, (kith_system_desc){ .name = "s", .each = note_entity, .query = pushed_desc() });
    kith_entity first = place(f, 1);
    assert_true(kith_schedule_run(f->world, 1));
    position_mut(f->world, first)->x = 2;
    kith_world_advance(f->world);
    kith_cursor cursor = kith_query_begin(kith_system_query(s));
    kith_cursor_end(&cursor);
    kith_world_advance(f->world);
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "e0 e0");
}

static void a_tracked_system_is_notified_of_new_and_lost_matches(void **state)
{
    fixture     *f = *state;
    kith_entity  a = place(f, 0), b = place(f, 0);
    kith_system *s = make_tracked(f, placed_desc());
    assert_int_equal(kith_view_count(f->world, kith_system_describe(s)->query), 2);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "+0 +1");
    kith_schedule_run(f->world, 1);
    assert_diary(f, "");

    place(f, 0);
    kith_entity_destroy(f->world, a);
    position_remove(f->world, b);
    place(f, 0); // has a's index, and another version
    assert_int_equal(kith_view_count(f->world, kith_system_describe(s)->query), 2);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "-1 -0 +2 +0");
    assert_world_valid(f->world);
}

static void to_enter_is_no_change(void **state)
{
    fixture *f = *state;
    place(f, 0);
    make_tracked(f, written_desc());
    uint64_t stamp = position_stamp(f->world, 0);
    kith_world_advance(f->world);
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "+0");
    assert_int_equal(position_stamp(f->world, 0), stamp);
}

static void the_last_tracked_entity_takes_the_place_of_one_that_leaves(void **state)
{
    fixture    *f = *state;
    kith_entity e[4];
    for (int i = 0; i < 4; i++) {
        e[i] = place(f, 0);
    }
    make_tracked(f, placed_desc());
    assert_true(kith_schedule_run(f->world, 1));
    kith_entity_destroy(f->world, e[1]);
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "+0 +1 +2 +3 -1");
    position_clear(f->world);
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "-2 -3 -0");
}

static void a_match_that_came_and_went_in_between_is_not_reported(void **state)
{
    fixture *f = *state;
    make_tracked(f, placed_desc());
    kith_entity_destroy(f->world, place(f, 0));
    kith_entity e = place(f, 0);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "+0");
    position_remove(f->world, e);
    position_add(f->world, e);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "");
}

static void a_disabled_component_leaves(void **state)
{
    fixture    *f = *state;
    kith_entity e = place(f, 0);
    make_tracked(f, placed_desc());
    kith_schedule_run(f->world, 1);
    position_disable(f->world, e);
    kith_schedule_run(f->world, 1);
    position_enable(f->world, e);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "+0 -0 +0");
}

static void an_excluded_component_keeps_out(void **state)
{
    fixture    *f = *state;
    kith_entity e = place(f, 0);
    velocity_add(f->world, e);
    frozen_add(f->world, e);
    make_tracked(f, movers_desc());
    kith_schedule_run(f->world, 1);
    assert_diary(f, "");
    frozen_remove(f->world, e);
    kith_schedule_run(f->world, 1);
    assert_diary(f, "+0");
}

static void destroying_a_tracked_system_reports_all_as_leaving(void **state)
{
    fixture     *f = *state;
    kith_system *s = make_tracked(f, placed_desc());
    place(f, 0);
    place(f, 0);
    kith_schedule_run(f->world, 1);
    place(f, 0);
    assert_true(kith_system_destroy(s));
    assert_diary(f, "+0 +1 -1 -0");
}

// Destroys one that entered before it and lets another have its index.
static void replace_first(const kith_turn *turn, kith_entity entity)
{
    note_leave(turn, entity);
    kith_entity_destroy(turn->world, handle(0, 1));
    position_add(turn->world, kith_entity_create(turn->world));
}

static void one_that_takes_an_index_while_leave_runs_enters_later(void **state)
{
    fixture *f = *state;
    place(f, 0);
    place(f, 0);
    kith_entity last = place(f, 0);
    make(f, (kith_system_desc){ .name    = "t",
                                .run     = idle,
                                .query   = placed_desc(),
                                .tracked = true,
                                .enter   = note_enter,
                                .leave   = replace_first });
    kith_schedule_run(f->world, 1);
    assert_diary(f, "+0 +1 +2");
    kith_entity_destroy(f->world, handle(1, 1));
    position_remove(f->world, last);
    kith_schedule_run(f->world, 1);
    assert_world_valid(f->world);
    // -2 replaces entity 0; its first version leaves when its row comes, the new one enters
    assert_diary(f, "-2 -1 -0 +0 +1 +3");
}

static void enter_and_begin(const kith_turn *turn, kith_entity entity)
{
    note_enter(turn, entity);
    kith_world_hold(turn->world);
}

static void leave_and_begin(const kith_turn *turn, kith_entity entity)
{
    note_leave(turn, entity);
    kith_world_hold(turn->world);
}

// The system "t" left `errors` holds open, each was an error, and none is open any more.
static void assert_left_open(fixture *f, uint32_t errors)
{
    assert_int_equal(f->memory.errors, errors);
    assert_error_text(f->world,
                      "kith_schedule_run: a system left a loop open: \"t\": \"kith_world_hold\"");
    assert_true(kith_world_advance(f->world) != 0);
}

static void loops_that_enter_and_leave_forget_are_closed(void **state)
{
    fixture    *f = *state;
    kith_entity a = place(f, 0), b = place(f, 0);
    make(f, (kith_system_desc){ .name    = "t",
                                .run     = idle,
                                .query   = placed_desc(),
                                .tracked = true,
                                .enter   = enter_and_begin,
                                .leave   = leave_and_begin });
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "+0 +1");
    assert_left_open(f, 2);
    kith_entity_destroy(f->world, a);
    kith_entity_destroy(f->world, b);
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "-1 -0");
    assert_left_open(f, 4);
}

static void hold_on(const kith_turn *turn, const kith_cursor *cursor)
{
    note(turn->world, "e", kith_entity_index(cursor->entity));
    kith_world_hold(turn->world);
}

static void loops_that_each_forgets_are_closed(void **state)
{
    fixture *f = *state;
    place(f, 0);
    place(f, 0);
    make(f, (kith_system_desc){ .name = "t", .each = hold_on, .query = placed_desc() });
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "e0 e1");
    assert_left_open(f, 2);
}

// --- figures ---------------------------------------------------------------------------------

static uint64_t record_time(void *context)
{
    diary *d = context;
    d->clock += d->step;
    return d->clock;
}

static void note_begin(const kith_system *system, void *context)
{
    diary *d = context;
    d->begun++;
    assert_ptr_equal(kith_system_find(d->world, "s"), system);
    assert_false(kith_system_destroy(kith_system_find(d->world, "s")));
}

static void note_end(const kith_system *system, void *context)
{
    diary *d = context;
    (void)system;
    d->ended++;
}

static void turns_are_timed(void **state)
{
    fixture     *f = *state;
    kith_system *s = make(f, (kith_system_desc){ .name = "s", .run = idle });
    assert_true(kith_schedule_configure(
        f->world, &(kith_schedule_desc){ .clock = record_time, .clock_context = &f->diary }));
    assert_int_equal(kith_system_report_of(s).p99, 0);
    for (f->diary.step = 1; f->diary.step <= 200; f->diary.step++) {
        kith_schedule_run(f->world, 1);
    }
    kith_system_report report = kith_system_report_of(s);
    assert_int_equal(report.turns, 200);
    assert_int_equal(report.last, 200);
    assert_int_equal(report.mean, 100);
    assert_int_equal(report.p99, 199); // of 73 to 200: the 127th of 128
}

static void a_clock_that_goes_back_counts_nothing(void **state)
{
    fixture     *f = *state;
    kith_system *s = make(f, (kith_system_desc){ .name = "s", .run = idle });
    kith_schedule_configure(
        f->world, &(kith_schedule_desc){ .clock = record_time, .clock_context = &f->diary });
    f->diary.step = UINT64_MAX;
    kith_schedule_run(f->world, 1);
    assert_int_equal(kith_system_report_of(s).last, 0);
}

static void the_profiler_is_called_for_each_turn(void **state)
{
    fixture *f = *state;
    make(f, (kith_system_desc){ .name = "s", .run = idle });
    f->diary.world = f->world;
    kith_schedule_configure(f->world, &(kith_schedule_desc){ .begin            = note_begin,
                                                             .end              = note_end,
                                                             .profiler_context = &f->diary });
    kith_schedule_run(f->world, 1);
    kith_system_run(f->world, "s", 1);
    assert_int_equal(f->diary.begun, 2);
    assert_int_equal(f->diary.ended, 2);
    assert_error(f->world, KITH_ERROR_BUSY);
    kith_schedule_configure(f->world, &(kith_schedule_desc){ 0 });
    kith_schedule_run(f->world, 1);
    assert_int_equal(f->diary.begun, 2);
}

static void the_report_counts_entities(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 700; i++) {
        kith_entity e = place(f, 0);
        velocity_add(f->world, e);
        if (i % 7 == 0) {
            frozen_add(f->world, e);
        }
    }
    kith_system *m =
        make(f, (kith_system_desc){ .name = "m", .run = move, .query = movers_desc() });
    kith_system *e =
        make(f, (kith_system_desc){ .name = "e", .each = note_entity, .query = placed_desc() });
    kith_system *i =
        make(f, (kith_system_desc){ .name = "i", .run = idle, .query = movers_desc() });
    for (uint32_t turn = 0; turn < 3; turn++) {
        kith_schedule_run(f->world, 1);
        assert_int_equal(kith_system_report_of(m).entities, 600);
        assert_int_equal(kith_system_report_of(e).entities, 700);
        assert_int_equal(kith_system_report_of(i).entities, 0);
    }
}

// --- what belongs to systems -----------------------------------------------------------------

// The query, and the group if there is one, are refused to every caller but the system.
static void assert_kept(fixture *f, const kith_system *system)
{
    char text[128];
    snprintf(text, sizeof text, "kith_query_destroy: its owner destroys it: \"%s\"",
             kith_system_describe(system)->name);
    assert_false(kith_query_destroy(kith_system_query(system)));
    assert_error(f->world, KITH_ERROR_BUSY);
    assert_error_text(f->world, text);
    kith_world_error_clear(f->world);
    if (kith_system_describe(system)->tracked) {
        snprintf(text, sizeof text, "kith_group_drop: a tracked system uses it: \"%s\"",
                 placed_desc()->name);
        assert_false(kith_group_drop(kith_group_of(f->world, kith_system_describe(system)->query)));
        assert_error_text(f->world, text);
        kith_world_error_clear(f->world);
    }
    assert_world_valid(f->world);
}

static kith_system *make_keeper(fixture *f, const char *name)
{
    return make(f, (kith_system_desc){
                       .name = name, .run = idle, .query = placed_desc(), .tracked = true });
}

static void objects_that_a_system_uses_are_not_destroyed(void **state)
{
    fixture     *f      = *state;
    kith_system *first  = make_keeper(f, "first");
    kith_system *second = make_keeper(f, "second");
    assert_ptr_not_equal(kith_system_query(first), kith_system_query(second));
    assert_ptr_not_equal(kith_system_query(first), placed_query(f->world));

    assert_kept(f, second);
    assert_true(kith_system_destroy(second));
    assert_kept(f, first);
    assert_true(kith_system_destroy(first));
}

static void a_group_ends_with_its_last_system(void **state)
{
    fixture *f    = *state;
    size_t   left = 0;
    for (uint32_t i = 0; i < 2; i++) {
        kith_system *first  = make_keeper(f, "first");
        kith_system *second = make_keeper(f, "second");
        size_t       bytes  = kith_world_memory(f->world, KITH_ALL).total;
        assert_true(kith_system_destroy(first));
        assert_true(kith_system_destroy(second));
        assert_true(kith_world_memory(f->world, KITH_ALL).total < bytes);
        assert_true(i == 0 || kith_world_memory(f->world, KITH_ALL).total == left);
        left = kith_world_memory(f->world, KITH_ALL).total;
        assert_world_valid(f->world);
    }
}

static void a_group_that_the_program_made_outlives_the_systems(void **state)
{
    fixture     *f      = *state;
    kith_system *before = make_keeper(f, "before");
    kith_group  *group  = kith_group_of(f->world, placed_desc());
    kith_system *after  = make_keeper(f, "after");
    place(f, 0);

    assert_true(kith_system_destroy(before));
    assert_true(kith_system_destroy(after));

    assert_int_equal(kith_group_count(group), 1);
    assert_world_valid(f->world);
    assert_true(kith_group_drop(group));
    assert_int_equal(kith_group_count(group), 0);
}

static void a_system_that_was_refused_keeps_nothing(void **state)
{
    fixture         *f    = *state;
    const char      *self = "s";
    kith_system_desc desc = { .name         = "s",
                              .run          = idle,
                              .query        = placed_desc(),
                              .tracked      = true,
                              .before       = &self,
                              .before_count = 1 };
    assert_null(kith_system_create(f->world, &desc));
    size_t bytes = kith_world_memory(f->world, KITH_ALL).total; // with the memory of lists
    assert_null(kith_system_create(f->world, &desc));
    kith_world_error_clear(f->world);

    assert_int_equal(kith_world_memory(f->world, KITH_ALL).total, bytes);
}

// --- loops that are left open ----------------------------------------------------------------

static void forget_to_end(const kith_turn *turn)
{
    movers m = movers_begin_stored(turn->query);
    movers_next(&m);
}

static void a_loop_left_open_is_named_and_closed(void **state)
{
    fixture *f = *state;
    velocity_add(f->world, place(f, 0));
    make(f, (kith_system_desc){ .name = "lazy", .run = forget_to_end, .query = movers_desc() });
    make(f, (kith_system_desc){ .name = "next", .run = note_turn });

    assert_true(kith_schedule_run(f->world, 1));

    assert_error_text(f->world,
                      "kith_schedule_run: a system left a loop open: \"lazy\": \"movers\"");
    assert_diary(f, "next100");
    assert_true(kith_world_advance(f->world) != 0);
}

// --- refusals --------------------------------------------------------------------------------

#define assert_create_refused(F, TEXT, ...)                                                        \
    do {                                                                                           \
        kith_system_desc desc_ = { __VA_ARGS__ };                                                  \
        assert_refused(&(F)->memory, (F)->world, KITH_ERROR_ARGUMENT,                              \
                       kith_system_create((F)->world, &desc_) != NULL);                            \
        assert_error_text((F)->world, "kith_system_create: " TEXT);                                \
        assert_world_valid((F)->world);                                                            \
    } while (0)

static void descriptions_that_contradict_themselves_are_refused(void **state)
{
    fixture        *f       = *state;
    kith_signature  set     = { { 0 } };
    kith_signature  foreign = { { UINT64_C(1) << 60 } };
    const char     *none[]  = { NULL };
    const kith_term own     = { POSITION, KITH_ROLE_OWN, 0 };
    kith_query_desc owner   = { "owner", &own, 1, 0 };
    kith_world     *other   = kith_world_create(NULL);
    kith_queue     *queue   = kith_queue_of(other, &(kith_queue_desc){ .name = "bells" });
    make(f, (kith_system_desc){ .name = "s", .run = idle });

    assert_create_refused(f, "the system has no name", .run = idle);
    assert_create_refused(f, "the system has no name (\"\")", .name = "", .run = idle);
    assert_create_refused(f, "a system needs one of run, each and part (\"x\")", .name = "x");
    assert_create_refused(f, "a system needs one of run, each and part (\"x\")", .name = "x",
                          .run = idle, .each = note_entity, .signature = &set);
    assert_create_refused(f, "a system takes a query or a signature, not both (\"x\")", .name = "x",
                          .run = idle, .signature = &set, .query = movers_desc());
    assert_create_refused(f, "each and part need a query or a signature (\"x\")", .name = "x",
                          .each = note_entity);
    assert_create_refused(f, "the interval must be finite and not negative (\"x\")", .name = "x",
                          .run = idle, .interval = -1);
    assert_create_refused(f, "the interval must be finite and not negative (\"x\")", .name = "x",
                          .run = idle, .interval = (double)NAN);
    assert_create_refused(f, "a system on demand takes no interval (\"x\")", .name = "x",
                          .run = idle, .interval = 1, .on_demand = true);
    assert_create_refused(f, "on_events and on_set need on_demand (\"x\")", .name = "x",
                          .run = idle, .on_events = queue);
    assert_create_refused(f, "on_events or on_set belongs to another world (\"x\")", .name = "x",
                          .run = idle, .on_demand = true, .on_events = queue);
    assert_create_refused(f, "reads or writes is NULL (\"x\")", .name = "x", .run = idle,
                          .read_count = 1);
    assert_create_refused(f, "reads or writes is NULL (\"x\")", .name = "x", .run = idle,
                          .write_count = 1);
    assert_create_refused(f, "before or after has a NULL name (\"x\")", .name = "x", .run = idle,
                          .before = none, .before_count = 1);
    assert_create_refused(f, "before or after has a NULL name (\"x\")", .name = "x", .run = idle,
                          .after_count = 1);
    assert_create_refused(f, "enter and leave need tracked (\"x\")", .name = "x", .run = idle,
                          .query = movers_desc(), .enter = note_enter);
    assert_create_refused(f, "tracked needs a query or a signature (\"x\")", .name = "x",
                          .run = idle, .tracked = true);
    assert_create_refused(f, "a tracked system cannot own a component (\"x\")", .name = "x",
                          .run = idle, .query = &owner, .tracked = true);
    assert_create_refused(f, "the world already has a system with this name (\"s\")", .name = "s",
                          .run = idle);
    assert_create_refused(f, "the signature has an unknown component (\"x\")", .name = "x",
                          .run = idle, .signature = &foreign);
    assert_null(kith_system_find(f->world, "x"));
    kith_world_destroy(other);
}

static void unknown_components_are_refused(void **state)
{
    fixture             *f       = *state;
    const kith_component ids[]   = { 77 };
    const kith_term      term    = { 78, KITH_ROLE_READ, 0 };
    kith_query_desc      unknown = { "q", &term, 1, 0 };
    assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                   kith_system_create(
                       f->world, &(kith_system_desc){
                                     .name = "x", .run = idle, .reads = ids, .read_count = 1 }));
    assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                   kith_system_create(
                       f->world, &(kith_system_desc){
                                     .name = "x", .run = idle, .writes = ids, .write_count = 1 }));
    assert_error_text(f->world, "kith_system_create: component 77 is not registered in this world; "
                                "is it missing in KITH_MODULE?");
    assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                   kith_system_create(f->world, &(kith_system_desc){
                                                    .name = "x", .run = idle, .query = &unknown }));
}

static void a_run_is_refused_where_it_cannot_be(void **state)
{
    fixture *f = *state;
    make(f, (kith_system_desc){ .name = "s", .run = note_turn });
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_system_run(f->world, "x", 1));
    assert_error_text(f->world, "kith_system_run: no system has this name (\"x\")");
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_system_run(f->world, NULL, 1));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_system_run(f->world, "s", -1));
    assert_error_text(f->world, "kith_system_run: dt must be finite and not negative");
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_schedule_run(f->world, (double)INFINITY));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_schedule_run(f->world, (double)NAN));
    kith_world_hold(f->world);
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_system_run(f->world, "s", 1));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_schedule_run(f->world, 1));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY,
                   kith_system_create(f->world, &(kith_system_desc){ .name    = "t",
                                                                     .run     = idle,
                                                                     .query   = placed_desc(),
                                                                     .tracked = true }));
    kith_world_release(f->world);
    assert_diary(f, "");
}

static void try_everything(const kith_turn *turn)
{
    kith_world *world = turn->world;
    assert_false(kith_system_run(world, "s", 1));
    assert_error_text(world, "kith_system_run: a system is running: \"s\"");
    assert_false(kith_schedule_run(world, 1));
    assert_null(kith_system_create(world, &(kith_system_desc){ .name = "t", .run = idle }));
    assert_false(kith_system_destroy(turn->system));
    assert_false(kith_schedule_configure(world, &(kith_schedule_desc){ 0 }));
    kith_world_error_clear(world);
    assert_false(kith_world_destroy(world));
    assert_error_text(world, "kith_world_destroy: a system is running: \"s\"");
    note(world, "tried", 0);
}

static void a_system_may_not_change_the_schedule(void **state)
{
    fixture *f = *state;
    make(f, (kith_system_desc){ .name = "s", .run = try_everything });
    assert_true(kith_schedule_run(f->world, 1));
    assert_true(kith_system_run(f->world, "s", 1));
    assert_diary(f, "tried0 tried0");
}

// --- memory ----------------------------------------------------------------------------------

// A little of everything that allocates; false when something failed.
static bool scenario(kith_world *world)
{
    static diary     quiet;
    const char      *names[] = { "z" };
    kith_component   ids[]   = { HEALTH };
    kith_system_desc desc    = { .name         = "t",
                                 .run          = idle,
                                 .query        = placed_desc(),
                                 .tracked      = true,
                                 .enter        = note_enter,
                                 .leave        = note_leave,
                                 .reads        = ids,
                                 .read_count   = 1,
                                 .before       = names,
                                 .before_count = 1 };
    kith_world_user_set(world, &quiet);
    quiet.text[0]    = '\0';
    kith_entity late = kith_entity_create(world);
    if (!game_register(world) || late == KITH_NULL || position_add(world, late) == NULL ||
        kith_system_create(world, &desc) == NULL ||
        !kith_schedule_configure(world, &(kith_schedule_desc){ .checked = true })) {
        return false;
    }
    for (char name[] = "a"; name[0] <= 'k'; name[0]++) {
        kith_system_desc more = { .name = name, .run = move, .query = movers_desc() };
        if (kith_system_create(world, &more) == NULL) {
            return false;
        }
    }
    return kith_schedule_run(world, 1);
}

// --- ends of entities ------------------------------------------------------------------------

typedef struct grave {
    kith_entity  dead;
    kith_entity  many[3];
    kith_system *system;
} grave;

static void bury(const kith_turn *turn)
{
    grave *g = turn->context;
    kith_entity_destroy(turn->world, g->dead);
    kith_entity_destroy_many(turn->world, kith_entities_of(g->many, 3));
}

// Fails unless setting a component says this of the entity.
static void assert_ended(fixture *f, kith_entity entity, const char *end)
{
    char text[160];
    assert_null(health_set(f->world, entity, 1));
    snprintf(text, sizeof text, "health_set: entity %uv%u %s", (unsigned)kith_entity_index(entity),
             (unsigned)kith_entity_version(entity), end);
    assert_error_text(f->world, text);
}

static kith_system *make_burial(fixture *f, grave *g, const char *name)
{
    kith_system *made = kith_system_create(
        f->world, &(kith_system_desc){ .name = name, .run = bury, .context = g });
    assert_non_null(made);
    return made;
}

// The name is a copy: it stays when the system has ended.
static void the_error_of_a_dead_handle_names_the_system(void **state)
{
#ifndef KITH_HAS_ASSERTS
    skip();
#endif
    fixture *f = *state;
    grave    g = { .dead = kith_entity_create(f->world) };
    assert_true(kith_entity_create_many(f->world, g.many, 3, NULL, 0));
    kith_world_advance(f->world);
    kith_system *burial = make_burial(f, &g, "bury");
    assert_true(kith_schedule_run(f->world, 1));
    kith_system_destroy(burial);

    assert_ended(f, g.dead, "was destroyed by system \"bury\" at tick 2");
    assert_ended(f, g.many[0], "was destroyed by system \"bury\" at tick 2");
    assert_ended(f, g.many[2], "was destroyed by system \"bury\" at tick 2");
    assert_string_equal(kith_world_error(f->world).other, "bury");
    assert_int_equal(kith_world_error(f->world).want, 2);
}

static void a_long_name_of_a_system_is_cut(void **state)
{
#ifndef KITH_HAS_ASSERTS
    skip();
#endif
    fixture *f = *state;
    grave    g = { .dead = kith_entity_create(f->world) };
    make_burial(f, &g, "a system with a name of 35 letters.");
    assert_true(kith_schedule_run(f->world, 1));
    assert_ended(f, g.dead, "was destroyed by system \"a system with a name of\" at tick 1");
}

static void what_ends_outside_of_systems_says_so(void **state)
{
    fixture      *f     = *state;
    kith_entities range = kith_entity_create_range(f->world, 4);
    kith_entity   lone  = kith_entity_create(f->world);
    kith_entity   last  = kith_entity_create(f->world);
    assert_true(kith_entity_destroy_many(f->world, range));
    kith_world_advance(f->world);
    kith_world_hold(f->world);
    assert_true(kith_entity_destroy(f->world, lone));
    kith_world_release(f->world);
    kith_world_clear(f->world);

    assert_ended(f, range.first + 3, TEST_DESTROYED("1", "at version 2"));
    assert_ended(f, lone, TEST_DESTROYED("2", "at version 2"));
    assert_ended(f, last, TEST_DESTROYED("2", "at version 2"));
}

// 256 places: an entity takes that of another one. What is not known, is not said; nor is anything
// of handles from before a load.
static void what_is_not_known_is_not_said(void **state)
{
    fixture      *f     = *state;
    kith_entities range = kith_entity_create_range(f->world, 257);
    kith_bytes    bytes = { 0 };
    assert_true(kith_entity_destroy(f->world, range.first));
    assert_true(kith_entity_destroy(f->world, range.first + 1));
    assert_true(kith_entity_destroy(f->world, range.first + 256));
    assert_ended(f, range.first, "was destroyed (the slot is at version 2)");
    assert_ended(f, range.first + 1, TEST_DESTROYED("1", "at version 2"));
    assert_ended(f, range.first + 256, TEST_DESTROYED("1", "at version 2"));
    assert_ended(f, range.first + (UINT64_C(7) << 32),
                 "is not alive (the slot is at version 2); is it from another world?");

    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_OK);
    assert_int_equal(kith_world_load(f->world, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_ended(f, range.first + 256, "was destroyed (the slot is at version 2)");
    assert_true(kith_entity_destroy(f->world, range.first + 2));
    assert_ended(f, range.first + 2, TEST_DESTROYED("1", "at version 2"));
    assert_ended(f, range.first + 256, "was destroyed (the slot is at version 2)");
    kith_bytes_free(&bytes);
}

static void survives_each_failed_allocation(void **state)
{
    (void)state;
    bool finished = false;
    for (uint32_t fail_at = 1; !finished; fail_at++) {
        test_memory memory = { .fail_at = fail_at };
        kith_world *world  = test_world(&memory);
        if (world != NULL) {
            finished = scenario(world);
            assert_true(finished || kith_world_error(world).code == KITH_ERROR_MEMORY);
            assert_world_valid(world);
            kith_memory counted = kith_world_memory(world, KITH_ALL);
            assert_int_equal(counted.total, memory.live_bytes);
            kith_world_destroy(world);
        }
        assert_int_equal(memory.live_bytes, 0);
    }
}

static void an_entity_that_could_not_enter_enters_later(void **state)
{
    fixture *f = *state;
    place(f, 0);
    make_tracked(f, placed_desc());
    f->memory.fail_all = true;
    assert_false(kith_schedule_run(f->world, 1));
    f->memory.fail_all = false;
    assert_error(f->world, KITH_ERROR_MEMORY);
    assert_diary(f, "");
    assert_true(kith_schedule_run(f->world, 1));
    assert_diary(f, "+0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_system_walks_its_query),
        TEST(each_gets_every_entity_that_has_the_whole_signature),
        TEST(columns_of_a_signature_follow_registration_and_access),
        TEST(an_empty_signature_is_every_entity),
        TEST(the_description_is_the_systems_own),
        TEST(systems_are_found_and_walked),
        TEST(a_disabled_system_runs_only_alone),
        TEST(on_demand_is_once_for_each_demand),
        TEST(a_demand_in_a_turn_is_for_the_next),
        TEST(a_listener_can_request_a_system),
        TEST(queued_events_request_a_system),
        TEST(members_of_a_reactive_set_request_a_system),
        TEST(what_a_system_writes_itself_does_not_request_it),
        TEST(systems_that_share_a_set_find_what_the_others_write),
        TEST(a_system_run_alone_finds_its_set_up_to_date),
        TEST(the_first_turn_finds_what_others_walked_before),
        TEST(an_interval_collects_time),
        TEST(too_much_time_is_dropped_and_counted),
        TEST(turns_that_are_lost_to_disabling_are_dropped),
        TEST(a_turn_that_could_not_be_had_is_dropped),
        TEST(a_disabled_systems_time_stands_still),
        TEST(systems_of_one_interval_take_turns),
        TEST(a_system_that_is_disabled_meanwhile_has_no_more_turns),
        TEST(each_turn_has_a_tick_of_its_own),
        TEST(a_system_finds_what_changed_since_its_turn_before),
        TEST(walking_a_systems_query_takes_nothing_from_it),
        TEST(a_tracked_system_is_notified_of_new_and_lost_matches),
        TEST(to_enter_is_no_change),
        TEST(the_last_tracked_entity_takes_the_place_of_one_that_leaves),
        TEST(a_match_that_came_and_went_in_between_is_not_reported),
        TEST(a_disabled_component_leaves),
        TEST(an_excluded_component_keeps_out),
        TEST(destroying_a_tracked_system_reports_all_as_leaving),
        TEST(one_that_takes_an_index_while_leave_runs_enters_later),
        TEST(loops_that_enter_and_leave_forget_are_closed),
        TEST(loops_that_each_forgets_are_closed),
        TEST(turns_are_timed),
        TEST(a_clock_that_goes_back_counts_nothing),
        TEST(the_profiler_is_called_for_each_turn),
        TEST(the_report_counts_entities),
        TEST(objects_that_a_system_uses_are_not_destroyed),
        TEST(a_group_ends_with_its_last_system),
        TEST(a_group_that_the_program_made_outlives_the_systems),
        TEST(a_system_that_was_refused_keeps_nothing),
        TEST(a_loop_left_open_is_named_and_closed),
        TEST(descriptions_that_contradict_themselves_are_refused),
        TEST(unknown_components_are_refused),
        TEST(a_run_is_refused_where_it_cannot_be),
        TEST(a_system_may_not_change_the_schedule),
        TEST(the_error_of_a_dead_handle_names_the_system),
        TEST(a_long_name_of_a_system_is_cut),
        TEST(what_ends_outside_of_systems_says_so),
        TEST(what_is_not_known_is_not_said),
        TEST(survives_each_failed_allocation),
        TEST(an_entity_that_could_not_enter_enters_later),
    };
    return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
