// SPDX-License-Identifier: MIT
// What a build with KITH_DEBUG finds: pointers to rows that are gone, typed code that is not
// registered as it is declared, names of systems that do not exist, loops that see changes twice.
#include "kith/frames.h"
#include "kith_test.h"

#include <pthread.h>
#include <stdio.h>

KITH_QUERY(moved, read(position), changed(position));

typedef struct wide {
    uint64_t bytes[4];
} wide;

static const kith_traits stable_traits = { .policy = KITH_POLICY_STABLE, .page_rows = 4 };
KITH_COMPONENT(swapped, wide, 30);
KITH_COMPONENT_WITH(kept, wide, 31, stable_traits);

// Declared, never registered.
KITH_COMPONENT(forgotten, vec2, 40);
KITH_TAG(forgotten_tag, 41);
KITH_FLAG(forgotten_flag, 42);
KITH_SINGLETON(forgotten_single, int, 43);

// What the world reported.
typedef struct reports {
    uint32_t        count;
    kith_error_code code;
    char            text[512];
} reports;

static void note(const kith_world *world, const kith_error *error, void *context)
{
    reports *to = context;
    to->count++;
    to->code = error->code;
    kith_error_text(world, error, to->text, sizeof to->text);
}

typedef struct setting {
    kith_world *world;
    reports     seen;
} setting;

static int set_up(void **state)
{
    setting *s = calloc(1, sizeof *s);
    s->world = kith_world_create(&(kith_world_desc){ .on_error = note, .error_context = &s->seen });
    bool registered =
        game_register(s->world) && swapped_register(s->world) && kept_register(s->world);
    *state = s;
    return registered ? 0 : 1;
}

static int tear_down(void **state)
{
    setting *s = *state;
    assert_world_valid(s->world);
    kith_world_destroy(s->world);
    free(s);
    return 0;
}

static void assert_reported(const setting *s, uint32_t count, kith_error_code code,
                            const char *part)
{
    assert_int_equal(s->seen.count, count);
    assert_int_equal(s->seen.code, code);
    if (strstr(s->seen.text, part) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", s->seen.text, part);
    }
}

// --- rows without a value --------------------------------------------------------------------

#if defined(__SANITIZE_ADDRESS__)
    #define WITH_ASAN 1
#elif defined(__has_feature)
    #if __has_feature(address_sanitizer)
        #define WITH_ASAN 1
    #endif
#endif

// Whether a read through the pointer is found: under ASan an error, otherwise bytes of a pattern.
#ifdef WITH_ASAN
int __asan_address_is_poisoned(void const volatile *address);

static bool is_poisoned(const wide *value)
{
    return __asan_address_is_poisoned(value) != 0 &&
           __asan_address_is_poisoned((const uint8_t *)(value + 1) - 1) != 0;
}
#else
static bool is_poisoned(const wide *value)
{
    bool all = true;
    for (size_t i = 0; i < sizeof *value; i++) {
        all = all && ((const uint8_t *)value)[i] == 0xdd;
    }
    return all;
}
#endif

static wide wide_of(uint64_t number)
{
    return (wide){ { number, number + 1, number + 2, number + 3 } };
}

static bool is_wide_of(const wide *value, uint64_t number)
{
    wide expected = wide_of(number);
    return memcmp(value, &expected, sizeof expected) == 0;
}

static void a_pointer_kept_across_a_removal_is_found(void **state)
{
    setting    *s    = *state;
    kith_entity only = kith_entity_create(s->world);
    const wide *gone = swapped_set(s->world, only, wide_of(7));
    assert_false(is_poisoned(gone));

    assert_true(swapped_remove(s->world, only));

    assert_true(is_poisoned(gone));
    assert_ptr_equal(swapped_set(s->world, only, wide_of(8)), gone); // the same row again
    assert_false(is_poisoned(gone));
    assert_true(is_wide_of(gone, 8));
}

static void the_last_row_is_poisoned_when_it_moves_into_a_gap(void **state)
{
    setting    *s     = *state;
    kith_entity a     = kith_entity_create(s->world);
    kith_entity b     = kith_entity_create(s->world);
    const wide *first = swapped_set(s->world, a, wide_of(1));
    const wide *last  = swapped_set(s->world, b, wide_of(2));

    assert_true(kith_entity_destroy(s->world, a));

    assert_true(is_poisoned(last));
    assert_false(is_poisoned(first));
    assert_true(is_wide_of(first, 2));
}

static void rows_that_were_never_used_are_poisoned(void **state)
{
    setting    *s     = *state;
    const wide *first = swapped_set(s->world, kith_entity_create(s->world), wide_of(1));
    assert_true(is_poisoned(first + 1));
    assert_true(swapped_reserve(s->world, 100));
    assert_true(is_poisoned(first + 1));
}

static void holes_of_a_stable_pool_are_poisoned(void **state)
{
    setting    *s = *state;
    kith_entity entities[3];
    assert_true(kith_entity_create_many(s->world, entities, 3, NULL, 0));
    const wide *values[3];
    for (uint32_t i = 0; i < 3; i++) {
        values[i] = kept_set(s->world, entities[i], wide_of(i));
    }
    assert_true(kept_remove(s->world, entities[1]));
    assert_true(is_poisoned(values[1]));
    assert_false(is_poisoned(values[0]));
    assert_false(is_poisoned(values[2]));
    assert_true(kept_compact(s->world));
    assert_true(is_poisoned(values[2]));
    assert_true(is_wide_of(values[1], 2));
}

static void removed_rows_stay_readable_until_the_world_settles(void **state)
{
    setting    *s      = *state;
    kith_entity a      = kith_entity_create(s->world);
    const wide *swap   = swapped_set(s->world, a, wide_of(5));
    const wide *stable = kept_set(s->world, a, wide_of(6));
    assert_true(kith_world_hold(s->world));
    assert_true(swapped_remove(s->world, a));
    assert_true(kept_remove(s->world, a));
    assert_true(is_wide_of(swap, 5));
    assert_true(is_wide_of(stable, 6));

    assert_true(kith_world_release(s->world));

    assert_true(is_poisoned(swap));
    assert_true(is_poisoned(stable));
}

static void clearing_poisons_all_rows(void **state)
{
    setting    *s   = *state;
    const wide *one = swapped_set(s->world, kith_entity_create(s->world), wide_of(5));
    const wide *two = kept_set(s->world, kith_entity_create(s->world), wide_of(5));
    assert_true(swapped_clear(s->world));
    assert_true(is_poisoned(one));
    kith_world_clear(s->world);
    assert_true(is_poisoned(two));
}

enum { COUNT = 300 };

static void remove_from_every_third(kith_world *world, const kith_entity *entities, uint32_t first)
{
    for (uint32_t i = first; i < COUNT; i += 3) {
        assert_true(swapped_remove(world, entities[i]));
        assert_true(kept_remove(world, entities[i]));
    }
}

static void assert_all_there(const kith_world *world, const kith_entity *entities)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(is_wide_of(swapped_get(world, entities[i]), i));
        assert_true(is_wide_of(kept_get(world, entities[i]), i));
    }
}

static void batches_frames_and_clones_use_rows_again(void **state)
{
    setting     *s = *state;
    kith_entity  entities[COUNT];
    wide         values[COUNT];
    kith_frames *frames = kith_frames_create(s->world, &(kith_frames_desc){ .capacity = 4 });
    assert_non_null(frames);
    assert_true(kith_entity_create_many(s->world, entities, COUNT, NULL, 0));
    for (uint32_t i = 0; i < COUNT; i++) {
        values[i] = wide_of(i);
    }
    assert_true(swapped_set_many(s->world, entities, COUNT, values));
    assert_true(kept_set_many(s->world, entities, COUNT, values));
    uint64_t frame = kith_frames_save(frames);
    assert_int_not_equal(frame, 0);

    kith_world_advance(s->world);
    remove_from_every_third(s->world, entities, 0);
    kith_world *clone = kith_world_clone(s->world, NULL);
    assert_non_null(clone);
    uint64_t later = kith_frames_save(frames);
    assert_int_not_equal(later, 0);
    assert_true(kith_frames_restore(frames, frame));
    assert_all_there(s->world, entities);
    assert_true(kith_frames_restore(frames, later));

    assert_true(swapped_set_many(s->world, entities, COUNT, values));
    assert_true(kept_set_many(s->world, entities, COUNT, values));
    assert_all_there(s->world, entities);
    assert_true(swapped_set_many(clone, entities, COUNT, values));
    assert_true(kept_set_many(clone, entities, COUNT, values));
    assert_all_there(clone, entities);
    assert_world_valid(clone);
    kith_world_destroy(clone);
    assert_true(kith_frames_destroy(frames));
}

// --- typed code ------------------------------------------------------------------------------

#define ASSERT_NAMED(S, CALL, NAME)                                                                \
    do {                                                                                           \
        (S)->seen.count = 0;                                                                       \
        (void)(CALL);                                                                              \
        assert_reported((S), 1, KITH_ERROR_UNREGISTERED, "\"" NAME "\" is not registered");        \
        assert_non_null(strstr((S)->seen.text, __FILE__ ":"));                                     \
    } while (0)

static void unregistered_components_are_named(void **state)
{
    setting    *s = *state;
    kith_entity e = kith_entity_create(s->world);
    vec2        v = { 1, 2 };
    ASSERT_NAMED(s, forgotten_fill_many(s->world, &e, 1, v), "forgotten");
    ASSERT_NAMED(s, forgotten_set(s->world, e, v), "forgotten");
    ASSERT_NAMED(s, forgotten_get(s->world, e), "forgotten");
    ASSERT_NAMED(s, forgotten_mut(s->world, e), "forgotten");
    ASSERT_NAMED(s, forgotten_has(s->world, e), "forgotten");
    ASSERT_NAMED(s, forgotten_remove(s->world, e), "forgotten");
    ASSERT_NAMED(s, forgotten_pool(s->world), "forgotten");
    ASSERT_NAMED(s, forgotten_tag_add(s->world, e), "forgotten_tag");
    ASSERT_NAMED(s, forgotten_flag_add(s->world, e), "forgotten_flag");
    ASSERT_NAMED(s, forgotten_single_set(s->world, 1), "forgotten_single");
    assert_non_null(strstr(s->seen.text, "is it missing in KITH_MODULE?"));
}

static void another_registration_of_the_id_is_reported(void **state)
{
    setting                  *s    = *state;
    const kith_component_desc thin = { .name = "forgotten", .id = 40, .size = 4, .alignment = 4 };
    const kith_component_desc tag  = { .name = "else", .id = 41, .kind = KITH_KIND_TAG };
    assert_int_equal(kith_component_register(s->world, &thin), 40);
    assert_int_equal(kith_component_register(s->world, &tag), 41);

    forgotten_get(s->world, kith_entity_create(s->world));
    assert_reported(s, 1, KITH_ERROR_CONFLICT, "\"forgotten\" is registered with size 4, not 8");

    forgotten_tag_count(s->world);
    assert_reported(s, 2, KITH_ERROR_CONFLICT, "taken by \"else\"; give \"forgotten_tag\" another");
}

// --- threads ---------------------------------------------------------------------------------

typedef struct stranger {
    kith_world *world;
    kith_entity entity;
    bool        set;
    bool        removed;
    bool        began;
} stranger;

static void *use_the_world(void *context)
{
    stranger *s = context;
    s->set      = position_set(s->world, s->entity, (vec2){ 9, 9 }) != NULL;
    s->removed  = velocity_remove(s->world, s->entity);
    moved m     = moved_begin(s->world);
    s->began    = !m.failed;
    moved_end(&m);
    return NULL;
}

static void run_beside(stranger *s)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, use_the_world, s), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void calls_of_another_thread_are_refused_while_a_loop_is_open(void **state)
{
    setting *s     = *state;
    stranger other = { .world = s->world, .entity = kith_entity_create(s->world) };
    assert_non_null(position_set(s->world, other.entity, (vec2){ 1, 1 }));
    assert_non_null(velocity_set(s->world, other.entity, (vec2){ 1, 1 }));
    moved m = moved_begin(s->world);
    assert_true(moved_next(&m));

    run_beside(&other);

    assert_false(other.set || other.removed || other.began);
    assert_reported(s, 3, KITH_ERROR_BUSY, "another thread uses the world");
    assert_true(m.position->x == 1);
    moved_end(&m);
}

static void another_thread_may_take_the_world_over(void **state)
{
    setting *s     = *state;
    stranger other = { .world = s->world, .entity = kith_entity_create(s->world) };
    assert_non_null(velocity_set(s->world, other.entity, (vec2){ 1, 1 }));
    moved m = moved_begin(s->world);
    moved_end(&m);

    run_beside(&other);

    assert_true(other.set && other.removed && other.began);
    assert_int_equal(s->seen.count, 0);
}

// --- systems ---------------------------------------------------------------------------------

static void idle(const kith_turn *turn)
{
    (void)turn;
}

static void names_of_no_system_are_reported_by_the_first_run(void **state)
{
    setting    *s      = *state;
    const char *after  = "physcis";
    const char *before = "draw";
    assert_non_null(kith_system_create(
        s->world,
        &(kith_system_desc){ .name = "ai", .run = idle, .after = &after, .after_count = 1 }));
    assert_true(kith_schedule_run(s->world, 1));
    assert_reported(s, 1, KITH_ERROR_NOTICE,
                    "kith_schedule_run: system \"ai\" must run after \"physcis\", which does not "
                    "exist");
    assert_int_equal(kith_world_error(s->world).code, KITH_OK); // no call failed

    assert_true(kith_schedule_run(s->world, 1)); // only once
    assert_int_equal(s->seen.count, 1);

    assert_non_null(kith_system_create(
        s->world,
        &(kith_system_desc){ .name = "input", .run = idle, .before = &before, .before_count = 1 }));
    assert_true(kith_schedule_run(s->world, 1));
    assert_reported(s, 2, KITH_ERROR_NOTICE, "\"input\" must run before \"draw\"");

    assert_non_null(
        kith_system_create(s->world, &(kith_system_desc){ .name = "draw", .run = idle }));
    assert_true(kith_schedule_run(s->world, 1));
    assert_int_equal(s->seen.count, 2);
}

// --- changed ---------------------------------------------------------------------------------

static uint32_t loop(kith_query *query)
{
    uint32_t count = 0;
    moved    m     = moved_begin_stored(query);
    while (moved_next(&m)) {
        count++;
    }
    return count;
}

static void a_changed_query_that_runs_twice_in_a_tick_says_so_once(void **state)
{
    setting    *s     = *state;
    kith_query *query = moved_query(s->world);
    position_set(s->world, kith_entity_create(s->world), (vec2){ 1, 1 });
    assert_int_equal(loop(query), 1);
    kith_world_advance(s->world);
    assert_int_equal(loop(query), 1); // a change in the tick of the loop before may be seen twice
    kith_world_advance(s->world);
    assert_int_equal(loop(query), 0);
    position_set(s->world, kith_entity_create(s->world), (vec2){ 1, 1 });
    assert_int_equal(s->seen.count, 0);

    loop(query);
    assert_reported(s, 1, KITH_ERROR_NOTICE,
                    "query \"moved\" has `changed` or `added` and runs "
                    "twice in tick 3");
    loop(query);
    kith_world_advance(s->world);
    loop(query);
    loop(query);
    assert_int_equal(s->seen.count, 1);
}

static void a_query_that_was_set_back_may_run_again(void **state)
{
    setting    *s     = *state;
    kith_query *query = moved_query(s->world);
    position_set(s->world, kith_entity_create(s->world), (vec2){ 1, 1 });
    loop(query);
    kith_query_since_set(query, 0);
    assert_int_equal(loop(query), 1);
    assert_int_equal(s->seen.count, 0);
}

int main(void)
{
#define CASE(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_pointer_kept_across_a_removal_is_found),
        CASE(the_last_row_is_poisoned_when_it_moves_into_a_gap),
        CASE(rows_that_were_never_used_are_poisoned),
        CASE(holes_of_a_stable_pool_are_poisoned),
        CASE(removed_rows_stay_readable_until_the_world_settles),
        CASE(clearing_poisons_all_rows),
        CASE(batches_frames_and_clones_use_rows_again),
        CASE(unregistered_components_are_named),
        CASE(another_registration_of_the_id_is_reported),
        CASE(calls_of_another_thread_are_refused_while_a_loop_is_open),
        CASE(another_thread_may_take_the_world_over),
        CASE(names_of_no_system_are_reported_by_the_first_run),
        CASE(a_changed_query_that_runs_twice_in_a_tick_says_so_once),
        CASE(a_query_that_was_set_back_may_run_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
