// SPDX-License-Identifier: MIT
// Tests singletons: adding, setting, aliases, removing, hooks and refusals.
#include "kith_test.h"

typedef struct season {
    int day;
    int year;
} season;

typedef vec2       *vec2_pointer;
typedef const vec2 *vec2_view;

enum { CALENDAR = 10, CAMERA, SETTINGS, TRACKED };

KITH_SINGLETON(calendar, season, CALENDAR);
KITH_SINGLETON(camera, vec2_pointer, CAMERA);
KITH_SINGLETON(settings, vec2_view, SETTINGS);
KITH_MODULE(context, calendar, camera, settings);

static int setup(void **state)
{
    test_setup(state);
    test_fixture *f = *state;
    assert_true(context_register(f->world));
    return 0;
}

static int teardown(void **state)
{
    return test_teardown(state);
}

// --- set, add, get, remove -------------------------------------------------------------------

static void a_registered_singleton_has_no_value_yet(void **state)
{
    test_fixture *f = *state;

    assert_false(calendar_has(f->world));
    assert_null(calendar_get(f->world));
    assert_null(calendar_mut(f->world));
    assert_false(calendar_remove(f->world));
    assert_int_equal(f->memory.errors, 0);
}

static void add_gives_the_default_value(void **state)
{
    test_fixture *f = *state;

    season *added = calendar_add(f->world);

    assert_int_equal(added->day, 0);
    assert_int_equal(added->year, 0);
    assert_true(calendar_has(f->world));
}

static void add_keeps_a_value_that_is_there(void **state)
{
    test_fixture *f     = *state;
    season       *first = calendar_set(f->world, (season){ 12, 1969 });

    season *again = calendar_add(f->world);

    assert_ptr_equal(again, first);
    assert_int_equal(again->day, 12);
    assert_int_equal(again->year, 1969);
}

static void set_replaces_the_value_at_its_address(void **state)
{
    test_fixture *f     = *state;
    season       *first = calendar_set(f->world, (season){ 12, 1969 });

    season *second = calendar_set(f->world, (season){ 1, 2024 });

    assert_ptr_equal(second, first);
    assert_int_equal(calendar_get(f->world)->day, 1);
    assert_int_equal(calendar_get(f->world)->year, 2024);
}

static void set_without_a_value_gives_the_default(void **state)
{
    test_fixture *f = *state;
    calendar_set(f->world, (season){ 12, 1969 });

    assert_non_null(kith_singleton_set(f->world, CALENDAR, NULL));

    assert_int_equal(calendar_get(f->world)->day, 0);
    assert_int_equal(calendar_get(f->world)->year, 0);
}

static void set_copies_so_the_source_may_change(void **state)
{
    test_fixture *f      = *state;
    season        source = { 5, 6 };
    kith_singleton_set(f->world, CALENDAR, &source);

    source.day = 99;

    assert_int_equal(calendar_get(f->world)->day, 5);
}

static void mut_changes_what_get_reads(void **state)
{
    test_fixture *f = *state;
    calendar_add(f->world);

    calendar_mut(f->world)->year = 7;

    assert_int_equal(calendar_get(f->world)->year, 7);
    assert_ptr_equal(calendar_get(f->world), calendar_mut(f->world));
}

static void the_address_is_fixed_while_the_world_changes(void **state)
{
    test_fixture *f    = *state;
    const season *kept = calendar_set(f->world, (season){ 1, 2 });

    for (uint32_t i = 0; i < 5000; i++) {
        position_set(f->world, kith_entity_create(f->world), (vec2){ 0, 0 });
    }
    camera_add(f->world);
    kith_world_clear(f->world);
    kith_world_shrink(f->world);

    assert_ptr_equal(calendar_get(f->world), kept);
    assert_int_equal(kept->day, 1);
    assert_int_equal(kept->year, 2);
}

static void remove_frees_the_memory_and_returns_whether_there_was_a_value(void **state)
{
    test_fixture *f      = *state;
    size_t        before = f->memory.live_bytes;
    calendar_add(f->world);
    f->memory.fail_all = true;

    assert_true(calendar_remove(f->world));
    assert_false(calendar_remove(f->world));

    assert_false(calendar_has(f->world));
    assert_null(calendar_get(f->world));
    assert_int_equal(f->memory.live_bytes, before);
    assert_int_equal(f->memory.failed, 0);
}

static void removing_one_singleton_leaves_the_others(void **state)
{
    test_fixture *f = *state;
    vec2          eye;
    calendar_set(f->world, (season){ 3, 4 });
    camera_set(f->world, &eye);

    calendar_remove(f->world);

    assert_ptr_equal(*camera_get(f->world), &eye);
    assert_non_null(calendar_set(f->world, (season){ 5, 6 }));
}

static void two_worlds_have_two_values(void **state)
{
    test_fixture *f      = *state;
    test_memory   memory = { 0 };
    kith_world   *other  = test_world(&memory);
    assert_true(context_register(other));

    calendar_set(f->world, (season){ 1, 1 });

    assert_false(calendar_has(other));
    calendar_set(other, (season){ 2, 2 });
    assert_int_equal(calendar_get(f->world)->day, 1);
    test_world_end(other, &memory);
}

// --- aliases ---------------------------------------------------------------------------------

static void an_alias_is_a_pointer_as_the_value(void **state)
{
    test_fixture *f   = *state;
    vec2          eye = { 1, 2 };
    camera_set(f->world, &eye);

    (*camera_mut(f->world))->x = 9;

    assert_float_equal(eye.x, 9, 0);
    assert_ptr_equal(*camera_get(f->world), &eye);
}

static void a_const_alias_leads_to_a_const_value(void **state)
{
    test_fixture *f       = *state;
    const vec2    windows = { 640, 480 };

    settings_set(f->world, &windows);

    const vec2 *read = *settings_get(f->world);
    assert_ptr_equal(read, &windows);
    assert_float_equal(read->y, 480, 0);
}

// --- enumeration -----------------------------------------------------------------------------

static void singletons_are_listed_among_the_components(void **state)
{
    test_fixture  *f = *state;
    kith_component found[8];
    uint32_t       count = 0;

    for (kith_component id = 0; (id = kith_component_next(f->world, id)) != 0;) {
        if (kith_component_describe(f->world, id)->kind == KITH_KIND_SINGLETON) {
            found[count++] = id;
        }
    }

    const kith_component expected[] = { CALENDAR, CAMERA, SETTINGS };
    assert_int_equal(count, 3);
    assert_memory_equal(found, expected, sizeof expected);
}

static void a_singleton_is_found_by_its_name(void **state)
{
    test_fixture *f = *state;

    assert_int_equal(kith_component_find(f->world, "camera"), CAMERA);
    assert_int_equal(kith_component_describe(f->world, CAMERA)->size, sizeof(vec2_pointer));
}

// --- hooks -----------------------------------------------------------------------------------

// Counts what happens to the values; `refuse` lets construct and copy fail.
typedef struct hook_log {
    uint32_t constructed, copied, destructed, moved;
    bool     refuse;
} hook_log;

static bool construct_tracked(void *value, void *context)
{
    hook_log *log = context;
    if (log->refuse) {
        return false;
    }
    *(season *)value = (season){ 1, 1 };
    log->constructed++;
    return true;
}

static bool copy_tracked(void *value, const void *source, void *context)
{
    hook_log *log = context;
    if (log->refuse) {
        return false;
    }
    *(season *)value = *(const season *)source;
    log->copied++;
    return true;
}

static void destruct_tracked(void *value, void *context)
{
    hook_log *log    = context;
    *(season *)value = (season){ -1, -1 };
    log->destructed++;
}

static void move_tracked(void *value, void *source, void *context)
{
    hook_log *log     = context;
    *(season *)value  = *(season *)source;
    *(season *)source = (season){ -2, -2 };
    log->moved++;
}

static void register_tracked(kith_world *world, hook_log *log)
{
    const kith_component_desc desc = {
        .name      = "tracked",
        .id        = TRACKED,
        .kind      = KITH_KIND_SINGLETON,
        .size      = sizeof(season),
        .alignment = _Alignof(season),
        .traits    = { .hooks = { construct_tracked, copy_tracked, destruct_tracked, move_tracked,
                                  log } },
    };
    assert_int_equal(kith_component_register(world, &desc), TRACKED);
}

static const season *tracked_get(const kith_world *world)
{
    return kith_singleton_get(world, TRACKED);
}

static void add_constructs_and_remove_destructs(void **state)
{
    test_fixture *f   = *state;
    hook_log      log = { 0 };
    register_tracked(f->world, &log);

    kith_singleton_add(f->world, TRACKED);
    kith_singleton_add(f->world, TRACKED);
    assert_int_equal(tracked_get(f->world)->day, 1);
    kith_singleton_remove(f->world, TRACKED);

    assert_int_equal(log.constructed, 1);
    assert_int_equal(log.copied, 0);
    assert_int_equal(log.destructed, 1);
}

static void replacing_copies_and_destructs_the_old_value(void **state)
{
    test_fixture *f   = *state;
    hook_log      log = { 0 };
    register_tracked(f->world, &log);
    const season *kept = kith_singleton_set(f->world, TRACKED, &(season){ 2, 3 });

    assert_ptr_equal(kith_singleton_set(f->world, TRACKED, &(season){ 4, 5 }), kept);

    assert_int_equal(kept->day, 4);
    assert_int_equal(log.copied, 2);
    assert_int_equal(log.destructed, 1);
    assert_int_equal(log.moved, 1);
    kith_singleton_remove(f->world, TRACKED);
    assert_int_equal(log.destructed, 2);
}

static void a_value_may_be_set_from_itself(void **state)
{
    test_fixture *f   = *state;
    hook_log      log = { 0 };
    register_tracked(f->world, &log);
    const season *kept = kith_singleton_set(f->world, TRACKED, &(season){ 2, 3 });

    assert_ptr_equal(kith_singleton_set(f->world, TRACKED, kept), kept);

    assert_int_equal(kept->day, 2);
    assert_int_equal(kept->year, 3);
    kith_singleton_remove(f->world, TRACKED);
}

static void a_hook_that_refuses_leaves_no_value(void **state)
{
    test_fixture *f   = *state;
    hook_log      log = { .refuse = true };
    register_tracked(f->world, &log);

    assert_refused(&f->memory, f->world, KITH_ERROR_HOOK, kith_singleton_add(f->world, TRACKED));
    assert_refused(&f->memory, f->world, KITH_ERROR_HOOK,
                   kith_singleton_set(f->world, TRACKED, &(season){ 1, 2 }));

    assert_null(kith_singleton_get(f->world, TRACKED));
    assert_int_equal(log.destructed, 0);
}

static void a_hook_that_refuses_leaves_the_old_value(void **state)
{
    test_fixture *f   = *state;
    hook_log      log = { 0 };
    register_tracked(f->world, &log);
    kith_singleton_set(f->world, TRACKED, &(season){ 2, 3 });
    log.refuse = true;

    assert_refused(&f->memory, f->world, KITH_ERROR_HOOK,
                   kith_singleton_set(f->world, TRACKED, &(season){ 8, 9 }));

    assert_int_equal(tracked_get(f->world)->day, 2);
    assert_int_equal(tracked_get(f->world)->year, 3);
    assert_int_equal(log.destructed, 0);
    kith_singleton_remove(f->world, TRACKED);
}

static void the_end_of_the_world_destructs_the_value(void **state)
{
    (void)state;
    test_memory memory = { 0 };
    hook_log    log    = { 0 };
    kith_world *world  = test_world(&memory);
    register_tracked(world, &log);
    kith_singleton_add(world, TRACKED);

    test_world_end(world, &memory);

    assert_int_equal(log.constructed, 1);
    assert_int_equal(log.destructed, 1);
}

// --- errors ----------------------------------------------------------------------------------

static void an_unregistered_singleton_is_an_error_for_every_call(void **state)
{
    test_fixture        *f     = *state;
    const kith_component ids[] = { 0, 77, 1023, 1024, UINT32_MAX };

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        kith_component id = ids[i];
        assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                       kith_singleton_set(f->world, id, NULL));
        assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                       kith_singleton_add(f->world, id));
        assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                       kith_singleton_mut(f->world, id));
        assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                       kith_singleton_remove(f->world, id));
        uint32_t errors = f->memory.errors;
        assert_null(kith_singleton_get(f->world, id));
        assert_null(kith_singleton_get(f->world, id));
        assert_int_equal(f->memory.errors, errors + 2);
    }
}

static void singleton_calls_are_refused_for_other_kinds(void **state)
{
    test_fixture        *f     = *state;
    const kith_component ids[] = { POSITION, FROZEN, HIDDEN };

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        kith_component id = ids[i];
        assert_refused(&f->memory, f->world, KITH_ERROR_KIND,
                       kith_singleton_set(f->world, id, NULL));
        assert_refused(&f->memory, f->world, KITH_ERROR_KIND, kith_singleton_add(f->world, id));
        assert_refused(&f->memory, f->world, KITH_ERROR_KIND, kith_singleton_mut(f->world, id));
        assert_refused(&f->memory, f->world, KITH_ERROR_KIND, kith_singleton_remove(f->world, id));
        uint32_t errors = f->memory.errors;
        assert_null(kith_singleton_get(f->world, id));
        assert_null(kith_singleton_get(f->world, id));
        assert_int_equal(f->memory.errors, errors + 2);
    }
}

static void calls_for_entities_are_refused_for_singletons(void **state)
{
    test_fixture *f    = *state;
    kith_world   *w    = f->world;
    kith_entity   ship = kith_entity_create(w);

    assert_refused(&f->memory, w, KITH_ERROR_KIND, kith_component_set(w, ship, CALENDAR, NULL));
    assert_refused(&f->memory, w, KITH_ERROR_KIND, kith_component_add(w, ship, CALENDAR, NULL));
    assert_refused(&f->memory, w, KITH_ERROR_KIND, kith_component_remove(w, ship, CALENDAR));
    assert_refused(&f->memory, w, KITH_ERROR_KIND, kith_component_mut(w, ship, CALENDAR));
    assert_refused(&f->memory, w, KITH_ERROR_KIND, kith_component_clear(w, CALENDAR));
    assert_refused(&f->memory, w, KITH_ERROR_KIND, kith_component_reserve(w, CALENDAR, 5));
    uint32_t errors = f->memory.errors;
    assert_null(kith_component_get(w, ship, CALENDAR));
    assert_false(kith_component_has(w, ship, CALENDAR));
    assert_int_equal(kith_component_count(w, CALENDAR), 0);
    assert_int_equal(f->memory.errors, errors + 3);
}

static void without_memory_nothing_is_added(void **state)
{
    test_fixture *f   = *state;
    hook_log      log = { 0 };
    register_tracked(f->world, &log);

    bool added = false;
    for (uint32_t n = 1; !added; n++) {
        test_fail_after(&f->memory, n);
        added = kith_singleton_add(f->world, TRACKED) != NULL;
        assert_int_equal(kith_singleton_get(f->world, TRACKED) != NULL, added);
        assert_int_equal(log.constructed, added);
    }

    assert_true(f->memory.failed > 0);
    assert_error(f->world, KITH_ERROR_MEMORY);
    kith_singleton_remove(f->world, TRACKED);
}

static void a_singleton_may_ask_for_more_alignment(void **state)
{
    test_fixture             *f    = *state;
    const kith_component_desc desc = { .name      = "table",
                                       .kind      = KITH_KIND_SINGLETON,
                                       .size      = 4096,
                                       .alignment = 8,
                                       .traits    = { .alignment = 4096 } };
    kith_component            id   = kith_component_register(f->world, &desc);

    void *value = kith_singleton_add(f->world, id);

    assert_int_equal((uintptr_t)value % 4096, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_registered_singleton_has_no_value_yet),
        TEST(add_gives_the_default_value),
        TEST(add_keeps_a_value_that_is_there),
        TEST(set_replaces_the_value_at_its_address),
        TEST(set_without_a_value_gives_the_default),
        TEST(set_copies_so_the_source_may_change),
        TEST(mut_changes_what_get_reads),
        TEST(the_address_is_fixed_while_the_world_changes),
        TEST(remove_frees_the_memory_and_returns_whether_there_was_a_value),
        TEST(removing_one_singleton_leaves_the_others),
        TEST(two_worlds_have_two_values),
        TEST(an_alias_is_a_pointer_as_the_value),
        TEST(a_const_alias_leads_to_a_const_value),
        TEST(singletons_are_listed_among_the_components),
        TEST(a_singleton_is_found_by_its_name),
        TEST(add_constructs_and_remove_destructs),
        TEST(replacing_copies_and_destructs_the_old_value),
        TEST(a_value_may_be_set_from_itself),
        TEST(a_hook_that_refuses_leaves_no_value),
        TEST(a_hook_that_refuses_leaves_the_old_value),
        cmocka_unit_test(the_end_of_the_world_destructs_the_value),
        TEST(an_unregistered_singleton_is_an_error_for_every_call),
        TEST(singleton_calls_are_refused_for_other_kinds),
        TEST(calls_for_entities_are_refused_for_singletons),
        TEST(without_memory_nothing_is_added),
        TEST(a_singleton_may_ask_for_more_alignment),
    };
    return cmocka_run_group_tests_name("singleton", tests, NULL, NULL);
}
