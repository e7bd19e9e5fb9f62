// SPDX-License-Identifier: MIT
// Tests error messages: each names the call, the cause and the remedy.
#include "kith_test.h"

#include <stdio.h>

enum { ANCHOR = 20, TRACKED, ENGINE, CALENDAR, UNKNOWN = 77 };

// What was reported last to the error hook.
typedef struct reported {
    uint32_t          calls;
    const kith_world *world;
    kith_error        error;
    char              text[256];
} reported;

static void record_error(const kith_world *world, const kith_error *error, void *context)
{
    reported *h = context;
    h->calls++;
    h->world = world;
    h->error = *error;
    kith_error_text(world, error, h->text, sizeof h->text);
}

// A hook that can refuse, and that can call the world, which it may not.
typedef struct intruder {
    bool refuse;
    void (*call)(void *fixture);
    void *fixture;
} intruder;

static bool intrude(const intruder *in)
{
    if (in->call != NULL) {
        in->call(in->fixture);
    }
    return !in->refuse;
}

static bool construct_tracked(void *value, void *context)
{
    *(int *)value = 5;
    return intrude(context);
}

static bool copy_tracked(void *value, const void *source, void *context)
{
    *(int *)value = *(const int *)source;
    return intrude(context);
}

static void destruct_tracked(void *value, void *context)
{
    (void)value;
    intrude(context);
}

static void move_tracked(void *value, void *source, void *context)
{
    *(int *)value = *(int *)source;
    intrude(context);
}

typedef struct fixture {
    test_memory memory;
    reported    reported;
    intruder    intruder;
    kith_world *world;
    kith_entity ship;
    uint32_t    wrongly_done; // calls from a hook that were not refused as busy
    kith_group *group;        // that hooks try to drop
    kith_path  *path;         // the same
} fixture;

static kith_world *listened_world(fixture *f, kith_world_desc desc)
{
    desc.allocator     = test_allocator(&f->memory);
    desc.on_error      = record_error;
    desc.error_context = &f->reported;
    return kith_world_create(&desc);
}

static void register_components(fixture *f)
{
    const kith_component tracked = TRACKED;
    const kith_hooks     hooks = { construct_tracked, copy_tracked, destruct_tracked, move_tracked,
                                   &f->intruder };
    const kith_component_desc descs[] = {
        { .name   = "anchor",
          .id     = ANCHOR,
          .size   = 4,
          .traits = { .policy = KITH_POLICY_STABLE, .page_rows = 64 } },
        { .name = "tracked", .id = TRACKED, .size = sizeof(int), .traits = { .hooks = hooks } },
        { .name   = "engine",
          .id     = ENGINE,
          .size   = 4,
          .traits = { .required = &tracked, .required_count = 1 } },
        { .name = "calendar", .id = CALENDAR, .kind = KITH_KIND_SINGLETON, .size = 4 },
    };
    assert_true(game_register(f->world));
    assert_true(kith_component_register_many(f->world, descs, 4));
}

static void return_world(fixture *f, kith_world_desc desc)
{
    f->world = listened_world(f, desc);
    assert_non_null(f->world);
    register_components(f);
    f->ship = kith_entity_create(f->world);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    return_world(f, (kith_world_desc){ 0 });
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f  = *state;
    f->intruder = (intruder){ 0 };
    test_world_end(f->world, &f->memory);
    free(f);
    return 0;
}

// The fixture's world is replaced by one as described.
static void remake(fixture *f, kith_world_desc desc)
{
    test_world_end(f->world, &f->memory);
    return_world(f, desc);
}

// The call fails, and the hook and the record say this.
#define assert_says(F, CALL, CODE, TEXT)                                                           \
    do {                                                                                           \
        uint32_t calls_ = (F)->reported.calls;                                                     \
        kith_world_error_clear((F)->world);                                                        \
        assert_true(!(CALL));                                                                      \
        assert_int_equal((F)->reported.calls, calls_ + 1);                                         \
        assert_int_equal((F)->reported.error.code, (CODE));                                        \
        assert_ptr_equal((F)->reported.world, (F)->world);                                         \
        assert_string_equal((F)->reported.text, (TEXT));                                           \
        assert_error((F)->world, (CODE));                                                          \
        assert_error_text((F)->world, (TEXT));                                                     \
    } while (0)

// The same for a question: reported to the hook, not recorded.
#define assert_reports(F, CALL, CODE, TEXT)                                                        \
    do {                                                                                           \
        uint32_t calls_ = (F)->reported.calls;                                                     \
        kith_world_error_clear((F)->world);                                                        \
        assert_true(CALL);                                                                         \
        assert_int_equal((F)->reported.calls, calls_ + 1);                                         \
        assert_int_equal((F)->reported.error.code, (CODE));                                        \
        assert_string_equal((F)->reported.text, (TEXT));                                           \
        assert_error((F)->world, KITH_OK);                                                         \
    } while (0)

// --- one test a message ----------------------------------------------------------------------

static void a_world_without_errors_says_so(void **state)
{
    fixture *f = *state;

    assert_error(f->world, KITH_OK);
    assert_error_text(f->world, "no error");
}

static void out_of_memory_names_the_call(void **state)
{
    fixture *f         = *state;
    f->memory.fail_all = true;

    assert_says(f, position_set(f->world, f->ship, (vec2){ 0, 0 }), KITH_ERROR_MEMORY,
                "position_set: out of memory");
    assert_says(f, kith_entity_reserve(f->world, 5000), KITH_ERROR_MEMORY,
                "kith_entity_reserve: out of memory");
    assert_says(f, kith_entity_create_hint(f->world, handle(5000, 1)), KITH_ERROR_MEMORY,
                "kith_entity_create_hint: out of memory");
    assert_says(f, kith_singleton_add(f->world, CALENDAR), KITH_ERROR_MEMORY,
                "calendar_add: out of memory");
    assert_says(f, test_register_tag(f->world, "new", 0), KITH_ERROR_MEMORY,
                "kith_component_register: out of memory");
}

static void a_full_world_gives_its_limit(void **state)
{
    fixture *f = *state;
    remake(f, (kith_world_desc){ .max_entities = 1 });

    assert_says(f, kith_entity_create(f->world), KITH_ERROR_LIMIT,
                "kith_entity_create: the number of entities is limited to 1");
    assert_says(f, kith_entity_create_hint(f->world, KITH_NULL), KITH_ERROR_LIMIT,
                "kith_entity_create_hint: the number of entities is limited to 1");
}

static void a_reserve_beyond_the_limit_gives_both_numbers(void **state)
{
    fixture *f = *state;
    remake(f, (kith_world_desc){ .max_entities = 100 });

    assert_says(
        f, kith_entity_reserve(f->world, 101), KITH_ERROR_LIMIT,
        "kith_entity_reserve: the number of entities is limited to 100, the call asks for 101");
}

static void a_hint_beyond_the_limits_is_named(void **state)
{
    fixture          *f        = *state;
    const kith_entity hints[2] = { handle(1, 1), handle(3000000, 2) };
    kith_entity       out[2];

    assert_says(f, kith_entity_create_hint(f->world, handle(3000000, 1)), KITH_ERROR_LIMIT,
                "kith_entity_create_hint: entity 3000000v1 is more than 2^20 beyond the "
                "entity table; reserve first");
    assert_says(f, kith_entity_create_hint(f->world, handle(UINT32_MAX, 1)), KITH_ERROR_LIMIT,
                "kith_entity_create_hint: entity 4294967295v1 is beyond the world's limits");
    assert_says(f, kith_entity_create_hints(f->world, hints, 2, out), KITH_ERROR_LIMIT,
                "kith_entity_create_hints: entity 3000000v2 is more than 2^20 beyond the "
                "entity table; reserve first");
}

static void a_full_pool_gives_its_limit(void **state)
{
    fixture *f = *state;
    position_limit_set(f->world, 0);
    kith_component_limit_set(f->world, TRACKED, 0);

    assert_says(f, position_add(f->world, f->ship), KITH_ERROR_LIMIT,
                "position_add: the pool of \"position\" is limited to 0 rows");
    assert_says(
        f, position_reserve(f->world, 7), KITH_ERROR_LIMIT,
        "position_reserve: the pool of \"position\" is limited to 0 rows, the call asks for 7");
    assert_says(f, kith_component_add(f->world, f->ship, ENGINE, NULL), KITH_ERROR_LIMIT,
                "engine_add: the pool of \"tracked\" is limited to 0 rows");
}

static void the_null_entity_is_named_as_such(void **state)
{
    fixture *f = *state;

    assert_says(f, position_set(f->world, KITH_NULL, (vec2){ 0, 0 }), KITH_ERROR_NULL_ENTITY,
                "position_set: the entity is KITH_NULL; create it first");
    assert_says(f, hidden_add(f->world, KITH_NULL), KITH_ERROR_NULL_ENTITY,
                "hidden_add: the entity is KITH_NULL; create it first");
}

static void a_destroyed_entity_is_named_with_both_versions(void **state)
{
    fixture *f = *state;
    for (uint32_t index = 1; index <= 12; index++) {
        kith_entity_create(f->world);
    }
    kith_entity_destroy(f->world, handle(12, 1));
    kith_entity_create_hint(f->world, handle(12, 4));
    kith_entity_destroy(f->world, handle(12, 4));

    assert_says(f, position_set(f->world, handle(12, 3), (vec2){ 0, 0 }), KITH_ERROR_DEAD_ENTITY,
                "position_set: entity 12v3 was destroyed (the slot is at version 5)");
    assert_int_equal(f->reported.error.entity, handle(12, 3));
    assert_int_equal(f->reported.error.component, POSITION);
}

static void an_entity_that_never_was_is_named(void **state)
{
    fixture *f = *state;

    assert_says(f, health_add(f->world, handle(900, 1)), KITH_ERROR_DEAD_ENTITY,
                "health_add: entity 900v1 was never created in this world");
    assert_says(f, frozen_add(f->world, UINT64_MAX), KITH_ERROR_DEAD_ENTITY,
                "frozen_add: entity 4294967295v4294967295 was never created in this world");
}

static void an_entity_of_the_future_is_named(void **state)
{
    fixture *f = *state;

    assert_says(f, hidden_add(f->world, handle(0, 9)), KITH_ERROR_DEAD_ENTITY,
                "hidden_add: entity 0v9 is not alive (the slot is at version 1); is it from "
                "another world?");
}

static void a_retired_slot_is_named(void **state)
{
    (void)state;
    test_memory memory = { 0 };
    kith_world *world  = test_world_with(&memory, (kith_world_desc){ .version_bits = 1 });
    char        text[128];
    game_register(world);
    kith_entity ship = kith_entity_create(world);
    kith_entity_destroy(world, ship);

    assert_null(position_add(world, ship));

    kith_error error = kith_world_error(world);
    kith_error_text(world, &error, text, sizeof text);
    assert_string_equal(text, "position_add: entity 0v1 " TEST_DESTROYED("1", "retired"));
    kith_world_destroy(world);
}

static void a_handle_without_a_version_is_named(void **state)
{
    fixture *f = *state;
    kith_entity_create(f->world);

    assert_says(f, position_add(f->world, handle(1, 0)), KITH_ERROR_DEAD_ENTITY,
                "position_add: entity 1v0 was never created in this world");
}

static void an_unregistered_component_is_named_by_its_id(void **state)
{
    fixture *f = *state;

    assert_says(f, kith_component_add(f->world, f->ship, UNKNOWN, NULL), KITH_ERROR_UNREGISTERED,
                "kith_component_add: component 77 is not registered in this world; is it "
                "missing in KITH_MODULE?");
    assert_reports(f, kith_component_get(f->world, f->ship, UNKNOWN) == NULL,
                   KITH_ERROR_UNREGISTERED,
                   "kith_component_get: component 77 is not registered in this world; is it "
                   "missing in KITH_MODULE?");
    assert_reports(f, kith_world_memory(f->world, UNKNOWN).total == 0, KITH_ERROR_UNREGISTERED,
                   "kith_world_memory: component 77 is not registered in this world; is it "
                   "missing in KITH_MODULE?");
}

// Registers a description that differs from a known one.
static kith_component register_desc(fixture *f, kith_component_desc desc)
{
    return kith_component_register(f->world, &desc);
}

static void a_conflict_of_names_gives_both(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = position_desc();
    desc.name                = "place";

    assert_says(f, register_desc(f, desc), KITH_ERROR_CONFLICT,
                "kith_component_register: component id 1 is taken by \"position\"; give "
                "\"place\" another id");
}

static void a_conflict_of_kinds_gives_both(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = frozen_desc();
    desc.kind                = KITH_KIND_FLAG;
    assert_says(f, register_desc(f, desc), KITH_ERROR_CONFLICT,
                "kith_component_register: \"frozen\" is registered with kind tag, not flag");

    desc      = position_desc();
    desc.kind = KITH_KIND_SINGLETON;
    assert_says(
        f, register_desc(f, desc), KITH_ERROR_CONFLICT,
        "kith_component_register: \"position\" is registered with kind value, not singleton");
}

static void a_conflict_of_numbers_gives_both(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = position_desc();
    desc.id                  = 30;
    assert_says(f, register_desc(f, desc), KITH_ERROR_CONFLICT,
                "kith_component_register: \"position\" is registered with id 1, not 30");

    desc      = position_desc();
    desc.size = 12;
    assert_says(f, register_desc(f, desc), KITH_ERROR_CONFLICT,
                "kith_component_register: \"position\" is registered with size 8, not 12");

    desc           = position_desc();
    desc.alignment = 8;
    assert_says(f, register_desc(f, desc), KITH_ERROR_CONFLICT,
                "kith_component_register: \"position\" is registered with alignment 4, not 8");

    desc                  = *kith_component_describe(f->world, ANCHOR);
    desc.traits.page_rows = 16;
    assert_says(f, register_desc(f, desc), KITH_ERROR_CONFLICT,
                "kith_component_register: \"anchor\" is registered with page rows 64, not 16");

    desc               = *kith_component_describe(f->world, ANCHOR);
    desc.traits.policy = KITH_POLICY_SWAP;
    assert_says(f, register_desc(f, desc), KITH_ERROR_CONFLICT,
                "kith_component_register: \"anchor\" is registered with policy stable, not swap");

    const kith_component position = POSITION;
    desc                          = *kith_component_describe(f->world, ANCHOR);
    desc.traits.required          = &position;
    desc.traits.required_count    = 1;
    assert_says(f, register_desc(f, desc), KITH_ERROR_CONFLICT,
                "kith_component_register: \"anchor\" is registered with required component none, "
                "not 1");
}

static void a_call_for_the_wrong_kind_names_the_kind(void **state)
{
    fixture *f = *state;

    assert_says(f, kith_component_reserve(f->world, HIDDEN, 5), KITH_ERROR_KIND,
                "kith_component_reserve: \"hidden\" is a flag and cannot be used this way");
    assert_reports(f, kith_component_stats(f->world, CALENDAR).rows == 0, KITH_ERROR_KIND,
                   "kith_component_stats: \"calendar\" is a singleton and cannot be used this way");
}

static void moving_rows_of_a_stable_pool_is_named(void **state)
{
    fixture    *f    = *state;
    kith_entity buoy = kith_entity_create(f->world);
    kith_component_add(f->world, f->ship, ANCHOR, NULL);
    kith_component_add(f->world, buoy, ANCHOR, NULL);

    assert_says(f, kith_component_swap(f->world, ANCHOR, f->ship, buoy), KITH_ERROR_POLICY,
                "anchor_swap: the rows of a stable pool do not move");
}

static void a_hook_that_refuses_is_named(void **state)
{
    fixture *f         = *state;
    int      value     = 1;
    f->intruder.refuse = true;

    assert_says(f, kith_component_add(f->world, f->ship, TRACKED, NULL), KITH_ERROR_HOOK,
                "tracked_add: the construct hook of \"tracked\" returned false");
    assert_says(f, kith_component_set(f->world, f->ship, TRACKED, &value), KITH_ERROR_HOOK,
                "tracked_set: the copy hook of \"tracked\" returned false");
    assert_says(f, kith_component_add(f->world, f->ship, ENGINE, NULL), KITH_ERROR_HOOK,
                "engine_add: the construct hook of \"tracked\" returned false");
}

static void an_invalid_argument_is_explained(void **state)
{
    fixture *f = *state;
    position_add(f->world, f->ship);

    assert_says(f, position_limit_set(f->world, 0), KITH_ERROR_ARGUMENT,
                "position_limit_set: the limit must not be below the number of rows (1), got 0");
    assert_says(f, kith_component_patch(f->world, f->ship, POSITION, NULL, NULL),
                KITH_ERROR_ARGUMENT, "position_patch: there is no function to call");
}

static void an_invalid_component_is_explained(void **state)
{
    fixture *f = *state;
    const struct {
        kith_component_desc desc;
        const char         *text;
    } wrong[] = {
        { { .name = NULL }, "a component needs a name" },
        { { .name = "x", .id = 1024 }, "component ids are 1 to 1023, got 1024 (\"x\")" },
        { { .name = "x", .kind = (kith_kind)4 },
          "the kind must be value, tag, flag or singleton, got 4 (\"x\")" },
        { { .name = "x" }, "a value needs a size (\"x\")" },
        { { .name = "x", .kind = KITH_KIND_TAG, .size = 4 },
          "tags and flags have size 0, got 4 (\"x\")" },
        { { .name = "x", .size = 12, .alignment = 8 },
          "the alignment must be a power of two up to 4096 that divides the size, got 8 (\"x\")" },
        { { .name = "x", .size = 24, .alignment = 3, .traits = { .alignment = 8 } },
          "the alignment must be a power of two up to 4096 that divides the size, got 3 (\"x\")" },
        { { .name = "x", .size = 24, .alignment = 8, .traits = { .alignment = 3 } },
          "the alignment must be a power of two up to 4096 that divides the size, got 3 (\"x\")" },
        { { .name = "x", .size = 4, .traits = { .policy = (kith_policy)2 } },
          "the policy must be swap or stable, got 2 (\"x\")" },
        { { .name = "x", .size = 4, .traits = { .page_rows = 100 } },
          "page rows must be a power of two up to 65536, got 100 (\"x\")" },
        { { .name = "x", .size = 4, .traits = { .required_count = 1 } },
          "required_count is above 0 and required is NULL (\"x\")" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "kith_component_register: %s", wrong[i].text);
        assert_says(f, register_desc(f, wrong[i].desc), KITH_ERROR_ARGUMENT, text);
    }
}

static void a_requirement_that_cannot_be_is_explained(void **state)
{
    fixture             *f          = *state;
    const kith_component required[] = { UNKNOWN, CALENDAR };
    const char          *texts[]    = {
                    "kith_component_register: required components must be registered first, "
                                "and not be "
                                "singletons or links, got 77 (\"x\")",
                    "kith_component_register: required components must be registered first, "
                                "and not be "
                                "singletons or links, got 23 (\"x\")",
    };

    for (size_t i = 0; i < 2; i++) {
        const kith_component_desc desc = {
            .name = "x", .size = 4, .traits = { .required = &required[i], .required_count = 1 }
        };
        assert_says(f, register_desc(f, desc), KITH_ERROR_ARGUMENT, texts[i]);
    }
}

static void a_full_registry_gives_its_limit(void **state)
{
    fixture *f     = *state;
    uint32_t known = kith_world_stats(f->world).components;
    for (; known < KITH_COMPONENT_MAX; known++) {
        char name[16];
        snprintf(name, sizeof name, "c%u", (unsigned)known);
        assert_int_not_equal(test_register_tag(f->world, name, 0), 0);
    }

    assert_says(f, test_register_tag(f->world, "straw", 0), KITH_ERROR_LIMIT,
                "kith_component_register: the number of components is limited to 1023");
}

static void an_invalid_world_is_explained(void **state)
{
    fixture *f = *state;
    const struct {
        kith_world_desc desc;
        const char     *text;
    } wrong[] = {
        { { .index_bits = 32 }, "index_bits must be 1 to 31, or 0 for 31" },
        { { .version_bits = 33 }, "version_bits must be 1 to 32, or 0 for 32" },
        { { .free_order = (kith_free_order)9 }, "free_order must be one of kith_free_order" },
        { { .index_bits = 4, .max_entities = 17 }, "max_entities must not be above 2^index_bits" },
        { { .max_entities = 4, .first_index = 4 },
          "first_index must be below max_entities and 2^index_bits" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "kith_world_create: %s", wrong[i].text);
        assert_null(listened_world(f, wrong[i].desc));
        assert_int_equal(f->reported.error.code, KITH_ERROR_ARGUMENT);
        assert_null(f->reported.world);
        assert_string_equal(f->reported.text, text);
    }
}

static void half_an_allocator_is_explained(void **state)
{
    fixture              *f    = *state;
    const kith_world_desc desc = { .allocator     = { .release = test_allocator(NULL).release },
                                   .on_error      = record_error,
                                   .error_context = &f->reported };

    assert_null(kith_world_create(&desc));

    assert_string_equal(f->reported.text,
                        "kith_world_create: an allocator needs both allocate and release");
}

// --- loops, queries and listeners ------------------------------------------------------------

KITH_COMPONENT(stray, int, UNKNOWN);
KITH_QUERY(movers, write(position));
KITH_QUERY(strays, read(stray));

static void an_open_loop_is_named(void **state)
{
    fixture *f = *state;
    position_add(f->world, f->ship);
    movers m = movers_begin(f->world);

    assert_says(
        f, kith_world_advance(f->world) != 0, KITH_ERROR_BUSY,
        "kith_world_advance: a loop is open: \"movers\" (after break, call its end function)");
    assert_says(f, position_swap(f->world, f->ship, f->ship), KITH_ERROR_BUSY,
                "position_swap: a loop is open: \"movers\" (after break, call its end function)");

    movers_end(&m);
}

static void an_open_hold_is_named(void **state)
{
    fixture *f = *state;
    kith_world_hold(f->world);

    assert_says(
        f, kith_world_advance(f->world) != 0, KITH_ERROR_BUSY,
        "kith_world_advance: a loop is open: \"kith_world_hold\" (call kith_world_release)");

    kith_world_release(f->world);
}

static void end_the_loop(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    movers_end(context);
}

static void the_loop_that_a_listener_cannot_close_is_named(void **state)
{
    fixture *f = *state;
    movers   m = movers_begin(f->world);
    position_on_add(f->world, end_the_loop, &m);

    assert_says(f, position_add(f->world, f->ship) == NULL, KITH_ERROR_BUSY,
                "kith_cursor_end: a listener can close only loops that it began: "
                "\"movers\"");

    movers_end(&m);
}

static void a_closed_cursor_is_named(void **state)
{
    fixture *f = *state;
    movers   m = movers_begin(f->world);
    assert_false(movers_next(&m));

    assert_says(f, movers_next(&m), KITH_ERROR_CLOSED,
                "kith_cursor_next: the loop of this cursor is closed; begin a new one");
    assert_says(f, movers_next_chunk(&m), KITH_ERROR_CLOSED,
                "kith_cursor_next_chunk: the loop of this cursor is closed; begin a new one");
}

static void the_oldest_of_too_many_loops_is_named(void **state)
{
    fixture *f = *state;
    movers_begin(f->world);
    for (uint32_t i = 1; i < KITH_LOOP_DEPTH_MAX; i++) {
        kith_world_hold(f->world);
    }

    assert_says(f, !movers_begin(f->world).failed, KITH_ERROR_LIMIT,
                "kith_view_begin: the number of open loops is limited to 32; the oldest is "
                "\"movers\" (after break, call its end function)");

    kith_world_settle(f->world);
}

static void a_hold_that_is_the_oldest_of_too_many_is_named(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < KITH_LOOP_DEPTH_MAX; i++) {
        kith_world_hold(f->world);
    }

    assert_says(f, kith_world_hold(f->world), KITH_ERROR_LIMIT,
                "kith_world_hold: the number of open loops is limited to 32; the oldest is "
                "\"kith_world_hold\" (call kith_world_release)");

    kith_world_settle(f->world);
}

static void holes_that_count_against_a_limit_are_named(void **state)
{
    fixture *f = *state;
    position_add(f->world, f->ship);
    position_limit_set(f->world, 1);
    kith_world_hold(f->world);
    position_remove(f->world, f->ship);

    assert_says(f, position_add(f->world, f->ship) != NULL, KITH_ERROR_LIMIT,
                "position_add: the pool of \"position\" is limited to 1 rows, and removed rows "
                "count in an open loop");

    kith_world_release(f->world);
}

static void a_refused_disable_is_not_called_enable(void **state)
{
    fixture *f = *state;
    kith_entity_destroy(f->world, f->ship);

    assert_says(f, position_disable(f->world, f->ship), KITH_ERROR_DEAD_ENTITY,
                "position_disable: entity 0v1 " TEST_DESTROYED("1", "at version 2"));
    assert_says(f, position_enable(f->world, f->ship), KITH_ERROR_DEAD_ENTITY,
                "position_enable: entity 0v1 " TEST_DESTROYED("1", "at version 2"));
}

static void a_release_without_a_hold_is_explained(void **state)
{
    fixture *f = *state;

    assert_says(f, kith_world_release(f->world), KITH_ERROR_ARGUMENT,
                "kith_world_release: no hold is open; call kith_world_hold first");
}

static void an_invalid_query_is_explained(void **state)
{
    fixture        *f    = *state;
    kith_term       term = { FROZEN, KITH_ROLE_READ, 0 };
    kith_query_desc desc = { "wrong", &term, 1, 0 };

    assert_says(
        f, kith_query_create(f->world, &desc), KITH_ERROR_KIND,
        "kith_query_create: query \"wrong\": \"frozen\" is a tag and cannot be used this way");
    term.component = 99;
    assert_reports(
        f, kith_view_count(f->world, &desc) == 0, KITH_ERROR_UNREGISTERED,
        "kith_view_count: query \"wrong\": component 99 is not registered in this world; is it "
        "missing in KITH_MODULE?");
    desc.name = NULL;
    assert_reports(f, kith_view_count(f->world, &desc) == 0, KITH_ERROR_UNREGISTERED,
                   "kith_view_count: component 99 is not registered in this world; is it "
                   "missing in KITH_MODULE?");
    desc.name       = "wrong";
    desc.term_count = 65;
    assert_says(f, kith_query_create(f->world, &desc), KITH_ERROR_ARGUMENT,
                "kith_query_create: a query has at most 64 terms, got 65 (\"wrong\")");
}

static void assert_no_query(fixture *f, kith_term first, kith_term second, const char *text)
{
    const kith_term       terms[] = { { HEALTH, KITH_ROLE_ANY, 1 }, first, second };
    const kith_query_desc desc    = { "wish", terms, 3, 0 };
    assert_says(f, kith_query_create(f->world, &desc), KITH_ERROR_ARGUMENT, text);
}

// What other libraries have and kith has not is refused with the way to do it here.
static void alternatives_that_change_or_are_written_are_explained(void **state)
{
    fixture          *f         = *state;
    static const char changes[] = "kith_query_create: \"position\": any cannot ask for changes: "
                                  "take a query for each component (\"wish\")";
    static const char writes[]  = "kith_query_create: \"position\": any only reads, and is the "
                                  "component's only term: to write it take "
                                  "optional_write (\"wish\")";
    const kith_term   frozen    = { FROZEN, KITH_ROLE_WITH, 0 };
    const kith_term   any       = { POSITION, KITH_ROLE_ANY, 1 };
    for (int role = KITH_ROLE_WITH; role <= KITH_ROLE_ADDED; role++) {
        const kith_term apart    = { POSITION, (kith_role)role, 0 };
        const kith_term together = { POSITION, (kith_role)role, 1 };
        if (role == KITH_ROLE_CHANGED) {
            assert_no_query(f, any, apart, changes);
            assert_no_query(f, apart, any, changes);
            assert_no_query(f, together, frozen, changes);
        } else if (role == KITH_ROLE_ADDED) {
            assert_no_query(f, together, frozen, changes);
        } else if (role == KITH_ROLE_WRITE || role == KITH_ROLE_OPTIONAL_WRITE ||
                   role == KITH_ROLE_OWN) {
            assert_no_query(f, any, apart, writes);
            assert_no_query(f, apart, any, writes);
            assert_no_query(f, together, frozen, writes);
        }
    }
    assert_no_query(f, any, (kith_term){ POSITION, KITH_ROLE_READ, 0 }, writes);
    assert_no_query(f, (kith_term){ POSITION, KITH_ROLE_OPTIONAL, 0 },
                    (kith_term){ POSITION, KITH_ROLE_CHANGED, 0 },
                    "kith_query_create: \"position\": changed and added need a "
                    "required component (\"wish\")");
}

static void a_query_that_cannot_be_read_is_explained(void **state)
{
    fixture              *f       = *state;
    const kith_term       terms[] = { { POSITION, KITH_ROLE_WRITE, 0 } };
    const kith_query_desc desc    = { "moved", terms, 1, 0 };
    const kith_query     *query   = kith_query_create(f->world, &desc);
    void                 *columns[1];

    assert_reports(f, kith_view_begin_read(f->world, &desc, columns).failed, KITH_ERROR_ARGUMENT,
                   "kith_view_begin_read: reading needs a query without write terms (\"moved\")");
    assert_reports(f, kith_query_begin_read(query, columns).failed, KITH_ERROR_ARGUMENT,
                   "kith_query_begin_read: reading needs a query without write terms (\"moved\")");
    assert_reports(f, strays_begin_read_stored(query).failed, KITH_ERROR_ARGUMENT,
                   "kith_query_begin_read: the stored query has other terms than the cursor "
                   "(\"strays\")");
}

// By the name of the query: the calls of typed queries go by the untyped ones' names.
static void a_typed_query_of_an_unregistered_component_is_named(void **state)
{
    fixture *f = *state;

    assert_says(
        f, !strays_begin(f->world).failed, KITH_ERROR_UNREGISTERED,
        "kith_view_begin: query \"strays\": component 77 is not registered in this world; is it "
        "missing in KITH_MODULE?");
    assert_says(
        f, strays_query(f->world) != NULL, KITH_ERROR_UNREGISTERED,
        "kith_query_of: query \"strays\": component 77 is not registered in this world; is it "
        "missing in KITH_MODULE?");
    assert_reports(f, strays_begin_read(f->world).failed, KITH_ERROR_UNREGISTERED,
                   "kith_view_begin_read: query \"strays\": component 77 is not registered in this "
                   "world; is it "
                   "missing in KITH_MODULE?");
}

static void an_invalid_listener_is_explained(void **state)
{
    fixture           *f    = *state;
    kith_listener_desc desc = { .event = KITH_EVENT_CREATE };

    assert_says(f, kith_listener_connect(f->world, &desc), KITH_ERROR_ARGUMENT,
                "kith_listener_connect: there is no function to call");
}

typedef struct objector {
    fixture *f;
    uint32_t called;
} objector;

static void object_to_dying(kith_world *world, const kith_notice *notice, void *context)
{
    objector *self = context;
    self->called++;
    assert_false(position_remove(world, notice->entity));
    assert_error(world, KITH_ERROR_DYING);
    assert_error_text(world, notice->event == KITH_EVENT_DESTROY
                                 ? "position_remove: entity 0v1 is being destroyed"
                                 : "position_remove: \"position\" of entity 0v1 is being "
                                   "removed");
    assert_says(self->f, kith_world_settle(world), KITH_ERROR_BUSY,
                "kith_world_settle: not while a listener is running");
}

static void a_dying_entity_is_named(void **state)
{
    fixture                 *f    = *state;
    objector                 self = { f, 0 };
    const kith_listener_desc desc = { KITH_EVENT_DESTROY, 0, object_to_dying, &self, 0, NULL };
    position_add(f->world, f->ship);
    kith_listener listener = position_on_remove(f->world, object_to_dying, &self);
    position_remove(f->world, f->ship);
    kith_listener_disconnect(f->world, listener);
    kith_listener_connect(f->world, &desc);
    position_add(f->world, f->ship);

    kith_entity_destroy(f->world, f->ship);

    assert_int_equal(self.called, 2);
}

static void create_another(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    (void)context;
    kith_entity_create(world);
}

static void events_that_nest_too_deep_are_named(void **state)
{
    fixture                 *f    = *state;
    const kith_listener_desc desc = { KITH_EVENT_CREATE, 0, create_another, NULL, 0, NULL };
    kith_listener_connect(f->world, &desc);

    kith_entity_create(f->world);

    assert_int_equal(f->reported.calls, 1);
    assert_string_equal(
        f->reported.text,
        "kith_entity_create: the nesting of events inside listeners is limited to 32");
}

// --- the text --------------------------------------------------------------------------------

static void without_a_world_the_text_has_no_names(void **state)
{
    fixture *f = *state;
    char     text[256];
    kith_entity_destroy(f->world, f->ship);
    position_set(f->world, f->ship, (vec2){ 0, 0 });
    kith_error error = kith_world_error(f->world);

    kith_error_text(NULL, &error, text, sizeof text);

    assert_string_equal(text,
                        "kith_component_set: entity 0v1 " TEST_DESTROYED("1", "at version 2"));
}

static void the_text_is_cut_to_the_buffer_and_its_length_is_not(void **state)
{
    fixture *f = *state;
    char     whole[256], part[256];
    position_set(f->world, KITH_NULL, (vec2){ 0, 0 });
    kith_error error  = kith_world_error(f->world);
    size_t     length = kith_error_text(f->world, &error, whole, sizeof whole);
    assert_int_equal(length, strlen(whole));

    for (size_t size = 1; size <= length + 2; size++) {
        memset(part, '#', sizeof part);
        size_t kept = size - 1 < length ? size - 1 : length;
        assert_int_equal(kith_error_text(f->world, &error, part, size), length);
        assert_memory_equal(part, whole, kept);
        assert_int_equal(part[kept], '\0');
        assert_int_equal(part[size], '#');
    }
}

static void without_a_buffer_the_text_is_only_counted(void **state)
{
    fixture *f         = *state;
    char     untouched = '#';
    position_set(f->world, KITH_NULL, (vec2){ 0, 0 });
    kith_error error = kith_world_error(f->world);

    assert_int_equal(kith_error_text(f->world, &error, NULL, 0), strlen(f->reported.text));
    assert_int_equal(kith_error_text(f->world, &error, &untouched, 0), strlen(f->reported.text));

    assert_int_equal(untouched, '#');
}

static void an_error_made_of_anything_has_a_text(void **state)
{
    fixture *f = *state;
    char     text[256];

    for (int code = 0; code <= 13; code++) {
        const kith_error bare = { .code = (kith_error_code)code };
        assert_true(kith_error_text(f->world, &bare, text, sizeof text) > 0);
        assert_null(strstr(text, "(null)"));
        assert_true(kith_error_text(NULL, &bare, text, sizeof text) > 0);
    }
}

// --- the record ------------------------------------------------------------------------------

static void a_later_error_replaces_the_record(void **state)
{
    fixture *f = *state;
    position_set(f->world, KITH_NULL, (vec2){ 0, 0 });
    assert_error(f->world, KITH_ERROR_NULL_ENTITY);

    health_set(f->world, handle(9, 1), 1);

    kith_error error = kith_world_error(f->world);
    assert_int_equal(error.code, KITH_ERROR_DEAD_ENTITY);
    assert_int_equal(error.component, HEALTH);
    assert_int_equal(error.entity, handle(9, 1));
}

static void success_and_questions_leave_the_record(void **state)
{
    fixture *f = *state;
    position_set(f->world, KITH_NULL, (vec2){ 0, 0 });

    position_set(f->world, f->ship, (vec2){ 1, 1 });
    position_get(f->world, handle(9, 1));
    kith_component_get(f->world, f->ship, UNKNOWN);
    position_remove(f->world, handle(9, 1));
    kith_entity_destroy(f->world, KITH_NULL);

    assert_error(f->world, KITH_ERROR_NULL_ENTITY);
}

static void the_record_can_be_cleared(void **state)
{
    fixture *f = *state;
    position_set(f->world, KITH_NULL, (vec2){ 0, 0 });

    kith_world_error_clear(f->world);

    kith_error error = kith_world_error(f->world);
    kith_error none  = { 0 };
    assert_int_equal(error.code, KITH_OK);
    assert_int_equal(error.component, none.component);
    assert_int_equal(error.entity, none.entity);
    assert_null(error.call);
}

static void questions_about_the_dead_are_no_errors(void **state)
{
    fixture          *f      = *state;
    const kith_entity dead[] = { KITH_NULL, handle(0, 0), handle(0, 7), handle(9, 1), UINT64_MAX };

    for (size_t i = 0; i < sizeof dead / sizeof dead[0]; i++) {
        assert_false(kith_entity_alive(f->world, dead[i]));
        assert_false(position_has(f->world, dead[i]));
        assert_false(kith_component_has(f->world, dead[i], HIDDEN));
        assert_null(position_get(f->world, dead[i]));
        assert_null(kith_component_mut(f->world, dead[i], POSITION));
        assert_false(position_remove(f->world, dead[i]));
        assert_false(hidden_remove(f->world, dead[i]));
        assert_false(kith_entity_destroy(f->world, dead[i]));
        assert_int_equal(position_row(f->world, dead[i]), KITH_NO_ROW);
        assert_false(position_enabled(f->world, dead[i]));
    }
    assert_int_equal(f->reported.calls, 0);
}

static void demands_on_the_dead_are_errors(void **state)
{
    fixture          *f      = *state;
    const kith_entity dead[] = { KITH_NULL, handle(0, 7), handle(9, 1), UINT64_MAX };

    for (size_t i = 0; i < sizeof dead / sizeof dead[0]; i++) {
        uint32_t calls = f->reported.calls;
        assert_null(position_set(f->world, dead[i], (vec2){ 0, 0 }));
        assert_null(position_add(f->world, dead[i]));
        assert_null(position_get_or_add(f->world, dead[i], (vec2){ 0, 0 }));
        assert_null(position_patch(f->world, dead[i], NULL, NULL));
        assert_false(position_disable(f->world, dead[i]));
        assert_false(position_enable(f->world, dead[i]));
        assert_false(frozen_add(f->world, dead[i]));
        assert_false(hidden_add(f->world, dead[i]));
        assert_int_equal(f->reported.calls, calls + 8);
    }
}

static void a_name_in_the_record_outlives_its_source(void **state)
{
    fixture            *f      = *state;
    char                name[] = "place";
    kith_component_desc desc   = position_desc();
    desc.name                  = name;
    register_desc(f, desc);

    name[0] = 'X';

    assert_string_equal(kith_world_error(f->world).other, "place");
}

static void a_name_of_any_length_is_recorded_safely(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = position_desc();
    char                name[500];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    desc.name             = name;

    assert_int_equal(register_desc(f, desc), 0);

    assert_error(f->world, KITH_ERROR_CONFLICT);
    assert_memory_equal(kith_world_error(f->world).other, "nnnnnnnn", 8);
}

// --- hooks that call the world ---------------------------------------------------------------

static void expect_busy(fixture *f, bool done)
{
    bool refused = !done && f->reported.error.code == KITH_ERROR_BUSY;
    f->wrongly_done += !refused;
    f->reported.error.code = KITH_OK;
}

static void nothing(void *value, void *context)
{
    (void)value;
    (void)context;
}

static void intrude_on_the_world(void *context)
{
    fixture    *f   = context;
    kith_world *w   = f->world;
    kith_entity out = KITH_NULL;
    expect_busy(f, kith_world_shrink(w));
    kith_world_clear(w);
    expect_busy(f, false);
    kith_world_destroy(w);
    expect_busy(f, false);
    expect_busy(f, kith_entity_create(w) != KITH_NULL);
    expect_busy(f, kith_entity_create_hint(w, handle(40, 1)) != KITH_NULL);
    expect_busy(f, kith_entity_create_hints(w, &out, 1, &out));
    expect_busy(f, kith_entity_reserve(w, 9000));
    expect_busy(f, kith_entity_limit_set(w, 9000));
    expect_busy(f, kith_world_reserve(w, &(kith_reserve_desc){ 0 }));
    expect_busy(f, kith_signature_reserve(w, &(kith_signature){ { 0 } }, 1));
    expect_busy(f, kith_entity_destroy(w, f->ship));
    expect_busy(f, game_register(w));
    expect_busy(f, position_register(w));
}

static void intrude_on_components(void *context)
{
    fixture    *f = context;
    kith_world *w = f->world;
    expect_busy(f, health_set(w, f->ship, 1) != NULL);
    expect_busy(f, kith_component_set(w, f->ship, HEALTH, NULL) != NULL);
    expect_busy(f, health_add(w, f->ship) != NULL);
    expect_busy(f, health_get_or_add(w, f->ship, 4) != NULL);
    expect_busy(f, frozen_add(w, f->ship));
    expect_busy(f, hidden_add(w, f->ship));
    expect_busy(f, position_set(w, f->ship, (vec2){ 9, 9 }) != NULL);
    expect_busy(f, position_remove(w, f->ship));
    expect_busy(f, hidden_remove(w, f->ship));
    expect_busy(f, position_disable(w, f->ship));
    expect_busy(f, position_enable(w, f->ship));
    expect_busy(f, kith_component_patch(w, f->ship, POSITION, nothing, NULL) != NULL);
}

static void intrude_on_pools(void *context)
{
    fixture    *f = context;
    kith_world *w = f->world;
    expect_busy(f, position_reserve(w, 5000));
    expect_busy(f, position_limit_set(w, 3));
    expect_busy(f, position_shrink(w));
    expect_busy(f, position_compact(w));
    expect_busy(f, position_swap(w, f->ship, f->ship));
    expect_busy(f, position_clear(w));
    expect_busy(f, hidden_clear(w));
    expect_busy(f, kith_singleton_set(w, CALENDAR, NULL) != NULL);
    expect_busy(f, kith_singleton_add(w, CALENDAR) != NULL);
    expect_busy(f, kith_singleton_remove(w, CALENDAR));
}

static void ignore_notice(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (void)context;
}

static void intrude_on_loops(void *context)
{
    fixture    *f = context;
    kith_world *w = f->world;
    expect_busy(f, kith_world_hold(w));
    expect_busy(f, kith_world_release(w));
    expect_busy(f, kith_world_settle(w));
    expect_busy(f, kith_world_advance(w) != 0);
    expect_busy(f, !movers_begin(w).failed);
    expect_busy(f, movers_query(w) != NULL);
    expect_busy(f, position_on_add(w, ignore_notice, NULL) != 0);
    expect_busy(f, kith_listener_disconnect(w, 1));
    expect_busy(f, kith_group_of(w, kith_group_describe(f->group)) != NULL);
    expect_busy(f, kith_group_drop(f->group));
    expect_busy(f, kith_path_of(w, kith_path_describe(f->path)) != NULL);
    expect_busy(f, kith_path_drop(f->path));
    expect_busy(f, kith_queue_of(w, &(kith_queue_desc){ .name = "bell" }) != NULL);
}

static void intrude_everywhere(void *context)
{
    intrude_on_loops(context);
    intrude_on_the_world(context);
    intrude_on_components(context);
    intrude_on_pools(context);
}

// What the intruders would have changed.
static void assert_untouched(const fixture *f, const test_picture *before)
{
    assert_entities_unchanged(f->world, before);
    assert_int_equal(f->wrongly_done, 0);
    assert_int_equal(kith_group_count(f->group), 1);
    assert_float_equal(position_get(f->world, f->ship)->x, 1, 0);
    assert_true(position_enabled(f->world, f->ship));
    assert_true(hidden_has(f->world, f->ship));
    assert_false(health_has(f->world, f->ship));
    assert_false(frozen_has(f->world, f->ship));
    assert_null(kith_singleton_get(f->world, CALENDAR));
    assert_int_equal(position_stats(f->world).limit, UINT32_MAX);
}

// Lets the hooks of "tracked" do everything they may not do.
static test_picture let_hooks_intrude(fixture *f)
{
    static const kith_term      placed  = { POSITION, KITH_ROLE_READ, 0 };
    static const kith_component along[] = { POSITION };
    f->group        = kith_group_of(f->world, &(kith_query_desc){ "placed", &placed, 1, 0 });
    f->path         = kith_path_of(f->world, &(kith_path_desc){ "along", along, 1 });
    f->wrongly_done = 0;
    position_set(f->world, f->ship, (vec2){ 1, 1 });
    hidden_add(f->world, f->ship);
    test_picture before = test_take_picture(f->world);
    f->intruder.call    = intrude_everywhere;
    f->intruder.fixture = f;
    return before;
}

static void a_construct_hook_cannot_change_the_world(void **state)
{
    fixture     *f      = *state;
    test_picture before = let_hooks_intrude(f);

    assert_non_null(kith_component_add(f->world, f->ship, TRACKED, NULL));

    assert_untouched(f, &before);
    assert_true(kith_component_has(f->world, f->ship, TRACKED));
}

static void copy_move_and_destruct_hooks_cannot_change_the_world(void **state)
{
    fixture     *f      = *state;
    int          value  = 1;
    test_picture before = let_hooks_intrude(f);

    assert_non_null(kith_component_set(f->world, f->ship, TRACKED, &value));
    assert_non_null(kith_component_set(f->world, f->ship, TRACKED, &value));
    assert_untouched(f, &before);
    assert_true(kith_component_remove(f->world, f->ship, TRACKED));

    assert_untouched(f, &before);
}

static void a_change_function_cannot_change_the_world(void **state)
{
    fixture     *f      = *state;
    test_picture before = let_hooks_intrude(f);
    f->intruder.call    = NULL;
    kith_component_add(f->world, f->ship, TRACKED, NULL);
    f->intruder.call = intrude_everywhere;

    assert_non_null(
        kith_component_patch(f->world, f->ship, TRACKED, destruct_tracked, &f->intruder));

    f->intruder.call = NULL;
    assert_untouched(f, &before);
}

static void hooks_at_the_end_of_an_entity_cannot_change_the_world(void **state)
{
    fixture    *f    = *state;
    kith_entity buoy = kith_entity_create(f->world);
    kith_component_add(f->world, buoy, TRACKED, NULL);
    let_hooks_intrude(f);

    assert_true(kith_entity_destroy(f->world, buoy));

    assert_int_equal(f->wrongly_done, 0);
    assert_int_equal(kith_entity_count(f->world), 1);
    assert_true(position_has(f->world, f->ship));
}

static void create_an_entity(void *context)
{
    fixture *f = context;
    expect_busy(f, kith_entity_create(f->world) != KITH_NULL);
}

static void hooks_at_the_end_of_the_world_cannot_change_it(void **state)
{
    fixture *f = *state;
    kith_component_add(f->world, f->ship, TRACKED, NULL);
    f->wrongly_done     = 0;
    f->reported.calls   = 0;
    f->intruder.call    = create_an_entity;
    f->intruder.fixture = f;

    kith_world_clear(f->world);
    assert_int_equal(f->reported.calls, 1);
    f->ship          = kith_entity_create(f->world);
    f->intruder.call = NULL;
    kith_component_add(f->world, f->ship, TRACKED, NULL);
    f->intruder.call = create_an_entity;
    kith_world_destroy(f->world);

    assert_int_equal(f->reported.calls, 2);
    assert_int_equal(f->wrongly_done, 0);
    f->intruder.call = NULL;
    return_world(f, (kith_world_desc){ 0 });
}

static void a_refused_call_from_a_hook_is_recorded(void **state)
{
    fixture *f          = *state;
    f->intruder.call    = create_an_entity;
    f->intruder.fixture = f;

    kith_component_add(f->world, f->ship, TRACKED, NULL);

    assert_error(f->world, KITH_ERROR_BUSY);
    assert_error_text(f->world,
                      "kith_entity_create: a hook may not change the world; do it after the call");
}

static void set_a_component(void *context)
{
    fixture *f = context;
    expect_busy(f, health_set(f->world, f->ship, 1) != NULL);
}

static void a_refused_component_call_from_a_hook_is_named(void **state)
{
    fixture *f          = *state;
    f->intruder.call    = set_a_component;
    f->intruder.fixture = f;

    kith_component_add(f->world, f->ship, TRACKED, NULL);

    assert_int_equal(f->wrongly_done, 0);
    assert_error_text(f->world,
                      "health_set: a hook may not change the world; do it after the call");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_world_without_errors_says_so),
        TEST(out_of_memory_names_the_call),
        TEST(a_full_world_gives_its_limit),
        TEST(a_reserve_beyond_the_limit_gives_both_numbers),
        TEST(a_hint_beyond_the_limits_is_named),
        TEST(a_full_pool_gives_its_limit),
        TEST(the_null_entity_is_named_as_such),
        TEST(a_destroyed_entity_is_named_with_both_versions),
        TEST(an_entity_that_never_was_is_named),
        TEST(an_entity_of_the_future_is_named),
        TEST(a_handle_without_a_version_is_named),
        cmocka_unit_test(a_retired_slot_is_named),
        TEST(an_unregistered_component_is_named_by_its_id),
        TEST(a_conflict_of_names_gives_both),
        TEST(a_conflict_of_kinds_gives_both),
        TEST(a_conflict_of_numbers_gives_both),
        TEST(a_call_for_the_wrong_kind_names_the_kind),
        TEST(moving_rows_of_a_stable_pool_is_named),
        TEST(a_hook_that_refuses_is_named),
        TEST(an_invalid_argument_is_explained),
        TEST(an_invalid_component_is_explained),
        TEST(a_requirement_that_cannot_be_is_explained),
        TEST(a_full_registry_gives_its_limit),
        TEST(an_invalid_world_is_explained),
        TEST(half_an_allocator_is_explained),
        TEST(an_open_loop_is_named),
        TEST(an_open_hold_is_named),
        TEST(the_loop_that_a_listener_cannot_close_is_named),
        TEST(a_closed_cursor_is_named),
        TEST(the_oldest_of_too_many_loops_is_named),
        TEST(a_hold_that_is_the_oldest_of_too_many_is_named),
        TEST(holes_that_count_against_a_limit_are_named),
        TEST(a_refused_disable_is_not_called_enable),
        TEST(a_release_without_a_hold_is_explained),
        TEST(an_invalid_query_is_explained),
        TEST(alternatives_that_change_or_are_written_are_explained),
        TEST(a_query_that_cannot_be_read_is_explained),
        TEST(a_typed_query_of_an_unregistered_component_is_named),
        TEST(an_invalid_listener_is_explained),
        TEST(a_dying_entity_is_named),
        TEST(events_that_nest_too_deep_are_named),
        TEST(without_a_world_the_text_has_no_names),
        TEST(the_text_is_cut_to_the_buffer_and_its_length_is_not),
        TEST(without_a_buffer_the_text_is_only_counted),
        TEST(an_error_made_of_anything_has_a_text),
        TEST(a_later_error_replaces_the_record),
        TEST(success_and_questions_leave_the_record),
        TEST(the_record_can_be_cleared),
        TEST(questions_about_the_dead_are_no_errors),
        TEST(demands_on_the_dead_are_errors),
        TEST(a_name_in_the_record_outlives_its_source),
        TEST(a_name_of_any_length_is_recorded_safely),
        TEST(a_construct_hook_cannot_change_the_world),
        TEST(copy_move_and_destruct_hooks_cannot_change_the_world),
        TEST(a_change_function_cannot_change_the_world),
        TEST(hooks_at_the_end_of_an_entity_cannot_change_the_world),
        TEST(hooks_at_the_end_of_the_world_cannot_change_it),
        TEST(a_refused_call_from_a_hook_is_recorded),
        TEST(a_refused_component_call_from_a_hook_is_named),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
