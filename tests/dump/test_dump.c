// SPDX-License-Identifier: MIT
// Dumps: their exact text, and that they change nothing, allocate nothing and stop when told.
#if !defined(_WIN32)
    #define _POSIX_C_SOURCE 200809L // dup, dup2
#endif
#include "kith_test.h"

#include "json_test.h"
#include "kith/dump.h"
#include "kith/name.h"

#include <stdio.h>
#if !defined(_WIN32)
    #include <unistd.h>
#endif

typedef struct fixture {
    test_memory memory;
    kith_world *world;
    kith_bytes  text;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->world   = test_world_with(&f->memory, (kith_world_desc){ .name = "town" });
    assert_non_null(f->world);
    assert_true(json_register(f->world));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    test_world_end(f->world, &f->memory);
    kith_bytes_free(&f->text);
    free(f);
    return 0;
}

// --- collecting ------------------------------------------------------------------------------

// The world may not allocate, report or change while it is dumped.
typedef struct before {
    uint32_t        allocations;
    uint32_t        errors;
    kith_error_code code;
    uint64_t        now;
} before;

static before begin(fixture *f)
{
    f->text.size       = 0;
    f->memory.fail_all = true;
    return (before){ f->memory.allocations, f->memory.errors, kith_world_error(f->world).code,
                     kith_world_now(f->world) };
}

static const char *end(fixture *f, const before *was, bool dumped)
{
    f->memory.fail_all = false;
    assert_true(dumped);
    assert_int_equal(f->memory.allocations, was->allocations);
    assert_int_equal(f->memory.errors, was->errors);
    assert_error(f->world, was->code);
    assert_true(kith_world_now(f->world) == was->now);
    assert_world_valid(f->world);
    return (const char *)f->text.data;
}

static const char *entity_text(fixture *f, kith_entity entity)
{
    before was = begin(f);
    return end(f, &was, kith_entity_dump(f->world, entity, kith_bytes_write, &f->text));
}

static const char *rows_text(fixture *f, kith_component component, uint32_t rows)
{
    before was = begin(f);
    return end(f, &was, kith_component_dump(f->world, component, rows, kith_bytes_write, &f->text));
}

static const char *world_text(fixture *f)
{
    before was = begin(f);
    return end(f, &was, kith_world_dump(f->world, kith_bytes_write, &f->text));
}

static script make_script(const char *text)
{
    script s = { NULL, 0 };
    assert_true(script_take(&s, text, strlen(text)));
    return s;
}

// --- entities --------------------------------------------------------------------------------

static void an_entity_is_its_components_with_their_values(void **state)
{
    fixture    *f      = *state;
    kith_entity e      = kith_entity_create(f->world);
    kith_entity ship   = kith_entity_create(f->world);
    script      s      = make_script("print");
    const crew  member = { .ready = true,
                           .u64   = UINT64_MAX,
                           .i8    = -128,
                           .f32   = 0.1f,
                           .ship  = ship,
                           .name  = "ad\"a",
                           .mood  = ANGRY,
                           .at    = { 1.5f, -0.0f, -3 } };
    kith_component_set(f->world, e, SPOT, &(spot){ 1.5f, 2, -3 });
    kith_component_set(f->world, e, CREW, &member);
    kith_component_set(f->world, e, HEAT, &(uint32_t[3]){ 1, 2, 3 });
    kith_component_set(f->world, e, SCRIPT, &s);
    kith_component_set(f->world, e, MESH, &(uint32_t){ 7 });
    kith_component_add(f->world, e, ASLEEP, NULL);
    kith_component_add(f->world, e, LOUD, NULL);
    kith_component_enable(f->world, e, SPOT, false);
    kith_component_enable(f->world, e, ASLEEP, false);
    script_destruct(&s, NULL);

    const char *text = entity_text(f, e);

    assert_string_equal(
        text,
        "entity 0v1\n"
        "  crew: {ready: true, u8: 0, u16: 0, u32: 0, u64: 18446744073709551615, i8: -128, i16: 0, "
        "i32: 0, i64: 0, f32: 0.1, f64: 0, ship: 1v1, name: \"ad\\\"a\", mood: \"ANGRY\", "
        "at: {x: 1.5, y: -0.0, floor: -3}, seen: [{x: 0, y: 0, floor: 0}, {x: 0, y: 0, floor: 0}], "
        "doors: [false, false, false], mates: [null, null]}\n"
        "  spot: {x: 1.5, y: 2, floor: -3} (disabled)\n"
        "  heat: [1, 2, 3]\n"
        "  script: 7072696e74\n"
        "  mesh: 4 bytes\n"
        "  asleep (disabled)\n"
        "  loud\n");
}

static void an_entity_without_components_is_one_line(void **state)
{
    fixture *f = *state;

    assert_string_equal(entity_text(f, kith_entity_create(f->world)), "entity 0v1\n");
}

static void a_dead_entity_says_why(void **state)
{
    fixture    *f = *state;
    kith_entity e = kith_entity_create(f->world);
    kith_entity_destroy(f->world, e);

    assert_string_equal(entity_text(f, e),
                        "kith_entity_dump: entity 0v1 " TEST_DESTROYED("1", "at version 2") "\n");
    assert_string_equal(entity_text(f, KITH_NULL),
                        "kith_entity_dump: the entity is KITH_NULL; create it first\n");
    assert_string_equal(entity_text(f, handle(7, 1)),
                        "kith_entity_dump: entity 7v1 was never created in this world\n");
}

static void names_are_printed_as_texts(void **state)
{
    enum { LABEL = 900 };
    fixture             *f    = *state;
    const kith_name_desc desc = { .name = "label", .id = LABEL };
    const kith_text      name = kith_text_of("the \"orc\"");
    const kith_text      none = kith_text_of("");
    kith_entity          e    = kith_entity_create(f->world);
    assert_int_equal(kith_name_register(f->world, &desc), LABEL);
    kith_component_set(f->world, e, LABEL, &name);
    assert_string_equal(entity_text(f, e), "entity 0v1\n  label: \"the \\\"orc\\\"\"\n");
    kith_component_set(f->world, e, LABEL, &none);
    assert_string_equal(entity_text(f, e), "entity 0v1\n  label: \"\"\n");
}

static void bytes_of_functions_are_digits_up_to_256(void **state)
{
    fixture    *f = *state;
    kith_entity e = kith_entity_create(f->world);
    char        long_text[258];
    char        expected[600] = "entity 0v1\n  script: ";
    memset(long_text, 'a', sizeof long_text);
    for (uint32_t i = 0; i < 256; i++) {
        strcat(expected, "61");
    }
    strcat(expected, "\n");

    long_text[256] = '\0';
    script s       = make_script(long_text);
    kith_component_set(f->world, e, SCRIPT, &s);
    script_destruct(&s, NULL);
    assert_string_equal(entity_text(f, e), expected);

    long_text[256] = 'a';
    long_text[257] = '\0';
    s              = make_script(long_text);
    kith_component_set(f->world, e, SCRIPT, &s);
    script_destruct(&s, NULL);
    assert_string_equal(entity_text(f, e), "entity 0v1\n  script: 257 bytes\n");

    kith_component_set(f->world, e, SCRIPT, NULL);
    assert_string_equal(entity_text(f, e), "entity 0v1\n  script: 0 bytes\n");
}

// --- lines -----------------------------------------------------------------------------------

// The bytes of each piece that `write` got.
typedef struct pieces {
    uint32_t count;
    uint32_t most; // the call with this number returns false; 0: none
    size_t   sizes[64];
    char     text[8192];
    size_t   size;
} pieces;

static bool collect(const void *bytes, size_t size, void *context)
{
    pieces *p = context;
    assert_true(p->count < 64 && p->size + size < sizeof p->text);
    assert_true(p->most == 0 || p->count < p->most); // not called again after false
    p->sizes[p->count++] = size;
    memcpy(p->text + p->size, bytes, size);
    p->size += size;
    return p->count != p->most;
}

static kith_component register_numbers(kith_world *world, uint32_t count)
{
    const kith_component_desc desc = {
        .name = "numbers", .size = count, .alignment = 1, .traits = { .saved = KITH_AS(plain(1)) }
    };
    return kith_component_register(world, &desc);
}

// All lengths around the most that a line has.
static void a_line_of_more_than_1024_bytes_ends_in_dots(void **state)
{
    (void)state;
    uint8_t nines[400];
    memset(nines, 9, sizeof nines);
    for (uint32_t count = 330; count < 350; count++) {
        kith_world    *world = kith_world_create(NULL);
        kith_component id    = register_numbers(world, count);
        kith_entity    e     = kith_entity_create(world);
        pieces         p     = { 0 };
        size_t         full  = strlen("  numbers: []\n") + 3 * (size_t)count - 2; // each is "9, "
        kith_component_set(world, e, id, nines);

        assert_true(kith_entity_dump(world, e, collect, &p));

        assert_int_equal(p.count, 2);
        assert_int_equal(p.sizes[1], full < 1024 ? full : 1024);
        const char *last = full <= 1024 ? " 9]\n" : "...\n";
        assert_memory_equal(p.text + p.size - 4, last, 4);
        kith_world_destroy(world);
    }
}

static bool dump_number(const kith_world *world, uint32_t number, pieces *p)
{
    return number == 0   ? kith_entity_dump(world, handle(0, 1), collect, p)
           : number == 1 ? kith_component_dump(world, SPOT, UINT32_MAX, collect, p)
           : number == 2 ? kith_component_dump(world, LOUD, UINT32_MAX, collect, p)
                         : kith_world_dump(world, collect, p);
}

static void write_gets_lines_and_is_not_called_again_after_false(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 4; i++) {
        kith_entity e = kith_entity_create(f->world);
        kith_component_set(f->world, e, SPOT, NULL);
        kith_component_add(f->world, e, LOUD, NULL);
    }
    kith_world_hold(f->world);
    for (uint32_t number = 0; number < 4; number++) {
        pieces whole = { 0 };
        assert_true(dump_number(f->world, number, &whole));
        assert_true(whole.count >= 3);
        for (uint32_t most = 1; most <= whole.count; most++) {
            pieces cut = { .most = most };

            assert_false(dump_number(f->world, number, &cut));

            assert_int_equal(cut.count, most);
            assert_memory_equal(cut.text, whole.text, cut.size);
            assert_int_equal(cut.text[cut.size - 1], '\n');
        }
    }
    kith_world_release(f->world);
}

#if !defined(_WIN32)
static void without_write_a_dump_prints_on_standard_error(void **state)
{
    fixture    *f = *state;
    char        text[64];
    kith_entity e     = kith_entity_create(f->world);
    FILE       *file  = tmpfile();
    int         saved = dup(STDERR_FILENO);
    assert_non_null(file);
    fflush(stderr);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);

    bool dumped = kith_entity_dump(f->world, e, NULL, NULL);

    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_true(dumped);
    assert_string_equal(text, "entity 0v1\n");
}
#endif

// --- pools -----------------------------------------------------------------------------------

static void a_pool_is_its_counts_and_its_first_rows(void **state)
{
    fixture    *f = *state;
    kith_entity e[5];
    for (uint32_t i = 0; i < 5; i++) {
        e[i] = kith_entity_create(f->world);
        kith_component_set(f->world, e[i], SPOT, &(spot){ (float)i / 2, 1, 0 });
    }
    kith_component_remove(f->world, e[1], SPOT); // a hole: the pool is stable
    kith_component_enable(f->world, e[2], SPOT, false);

    assert_string_equal(rows_text(f, SPOT, UINT32_MAX),
                        "spot (id 2): value of 12 bytes, form fields, 4 rows, 1 hole, 1 disabled\n"
                        "  0v1: {x: 0, y: 1, floor: 0}\n"
                        "  hole\n"
                        "  2v1: {x: 1, y: 1, floor: 0} (disabled)\n"
                        "  3v1: {x: 1.5, y: 1, floor: 0}\n"
                        "  4v1: {x: 2, y: 1, floor: 0}\n");
    assert_string_equal(rows_text(f, SPOT, 2),
                        "spot (id 2): value of 12 bytes, form fields, 4 rows, 1 hole, 1 disabled\n"
                        "  0v1: {x: 0, y: 1, floor: 0}\n"
                        "  hole\n"
                        "  and 3 more\n");
    assert_string_equal(rows_text(f, SPOT, 0),
                        "spot (id 2): value of 12 bytes, form fields, 4 rows, 1 hole, 1 disabled\n"
                        "  and 5 more\n");
}

static void tags_flags_and_singletons_have_their_own_form(void **state)
{
    fixture    *f = *state;
    kith_entity e[3];
    for (uint32_t i = 0; i < 3; i++) {
        e[i] = kith_entity_create(f->world);
        kith_component_add(f->world, e[i], ASLEEP, NULL);
        kith_component_add(f->world, e[i], LOUD, NULL);
    }
    kith_component_remove(f->world, e[1], LOUD);
    kith_component_remove(f->world, e[0], ASLEEP);

    assert_string_equal(rows_text(f, ASLEEP, 5), "asleep (id 8): tag, 2 rows\n  2v1\n  1v1\n");
    assert_string_equal(rows_text(f, LOUD, 5), "loud (id 9): flag, 2 marks\n  0v1\n  2v1\n");
    assert_string_equal(rows_text(f, LOUD, 1), "loud (id 9): flag, 2 marks\n  0v1\n  and 1 more\n");
    assert_string_equal(rows_text(f, GRAVITY, 5),
                        "gravity (id 10): singleton of 12 bytes, form fields, absent\n");
    kith_singleton_set(f->world, GRAVITY, &(spot){ 0, -9.81f, 0 });
    assert_string_equal(rows_text(f, GRAVITY, 0),
                        "gravity (id 10): singleton of 12 bytes, form fields, present: "
                        "{x: 0, y: -9.81, floor: 0}\n");
}

static void an_unregistered_component_says_so(void **state)
{
    fixture *f = *state;

    assert_string_equal(rows_text(f, 77, 5),
                        "kith_component_dump: component 77 is not registered in this world; is it "
                        "missing in KITH_MODULE?\n");
    assert_string_equal(rows_text(f, 0xffff, 5),
                        "kith_component_dump: component 65535 is not registered in this world; is "
                        "it missing in KITH_MODULE?\n");
}

// --- worlds ----------------------------------------------------------------------------------

static void a_world_without_anything_is_one_line(void **state)
{
    (void)state;
    kith_world *world = kith_world_create(NULL);
    pieces      p     = { 0 };

    assert_true(kith_world_dump(world, collect, &p));

    p.text[p.size] = '\0';
    assert_string_equal(p.text, "world: tick 1, 0 living, 0 free, 0 retired\n");
    kith_world_destroy(world);
}

static void run_and_dump(const kith_turn *turn)
{
    fixture *f = turn->context;
    kith_bytes_write("(", 1, &f->text);
    kith_world_dump(turn->world, kith_bytes_write, &f->text);
}

static void a_world_is_its_components_groups_queries_systems_and_loops(void **state)
{
    fixture        *f       = *state;
    const kith_term awake[] = { { SPOT, KITH_ROLE_READ, 0 }, { ASLEEP, KITH_ROLE_WITHOUT, 0 } };
    const kith_term any[]   = { { HEAT, KITH_ROLE_ANY, 1 }, { CODE, KITH_ROLE_ANY, 1 } };
    const kith_query_desc  group = { .name = "awake", .terms = awake, .term_count = 2 };
    const kith_query_desc  query = { .name = "warm", .terms = any, .term_count = 2 };
    const kith_query_desc  all   = { .name = "all" };
    const kith_system_desc early = {
        .name = "move", .run = run_and_dump, .context = f, .phase = -1
    };
    const kith_system_desc late = { .name = "draw", .run = run_and_dump, .disabled = true };
    char                   expected[4096];
    kith_entity            e = kith_entity_create(f->world);
    kith_component_set(f->world, e, SPOT, NULL);
    kith_component_add(f->world, e, LOUD, NULL);
    kith_entity_destroy(f->world, kith_entity_create(f->world));
    kith_world_advance(f->world);
    assert_non_null(kith_group_of(f->world, &group));
    assert_non_null(kith_query_create(f->world, &query));
    assert_non_null(kith_query_create(f->world, &all));
    assert_true(kith_query_destroy(kith_query_create(f->world, &group)));
    assert_non_null(kith_system_create(f->world, &late));
    assert_non_null(kith_system_create(f->world, &early));
    assert_null(kith_component_set(f->world, KITH_NULL, SPOT, NULL));
    kith_cursor outer = kith_view_begin(f->world, &all);
    assert_true(kith_cursor_next(&outer));
    assert_true(kith_world_hold(f->world));

    snprintf(expected, sizeof expected,
             "world town: tick 2, 1 living, 1 free, 0 retired\n"
             "latest error: spot_set: the entity is KITH_NULL; create it first\n"
             "components\n"
             "  crew (id 1): value of %u bytes, form fields, 0 rows\n"
             "  spot (id 2): value of 12 bytes, form fields, 1 row\n"
             "  heat (id 3): value of 12 bytes, form plain, 0 rows\n"
             "  code (id 4): value of 8 bytes, form plain, 0 rows\n"
             "  a \"grain\" \\ (id 5): value of 3 bytes, form plain, 0 rows\n"
             "  script (id 6): value of %u bytes, form functions, 0 rows\n"
             "  mesh (id 7): value of 4 bytes, form transient, 0 rows\n"
             "  asleep (id 8): tag, 0 rows\n"
             "  loud (id 9): flag, 1 mark\n"
             "  gravity (id 10): singleton of 12 bytes, form fields, absent\n"
             "  clock (id 11): singleton of 8 bytes, form plain, absent\n"
             "  window (id 12): singleton of 4 bytes, form transient, absent\n"
             "groups\n"
             "  awake: read spot, without asleep; 1 member\n"
             "queries\n"
             "  all: every entity\n"
             "  warm: any heat, any code\n"
             "systems\n"
             "  move: phase -1, 0 turns\n"
             "  draw: phase 0, 0 turns, disabled\n"
             "open loops\n"
             "  all\n"
             "  kith_world_hold\n",
             (unsigned)sizeof(crew), (unsigned)sizeof(script));
    assert_string_equal(world_text(f), expected);

    assert_true(kith_world_release(f->world));
    kith_cursor_end(&outer);
    kith_world_error_clear(f->world);
    f->text.size = 0;
    assert_true(kith_schedule_run(f->world, 1));
    assert_non_null(strstr((const char *)f->text.data, "\n  move: phase -1, 0 turns, running\n"));
    assert_non_null(strstr(world_text(f), "\n  move: phase -1, 1 turn\n"));
    assert_null(strstr((const char *)f->text.data, "open loops"));
    assert_null(strstr((const char *)f->text.data, "latest error"));
}

// --- at any time -----------------------------------------------------------------------------

static void dump_all(const kith_world *world, kith_bytes *text)
{
    assert_true(kith_world_dump(world, kith_bytes_write, text));
    for (kith_component id = 0; (id = kith_component_next(world, id)) != 0;) {
        assert_true(kith_component_dump(world, id, UINT32_MAX, kith_bytes_write, text));
    }
    for (kith_entity e = 0; (e = kith_entity_next(world, e)) != KITH_NULL;) {
        assert_true(kith_entity_dump(world, e, kith_bytes_write, text));
    }
}

static void a_dump_leaves_the_state_as_it_is(void **state)
{
    fixture *f = *state;
    uint64_t before_state, before_exact, now;
    for (uint32_t i = 0; i < 300; i++) {
        kith_entity e = kith_entity_create(f->world);
        kith_component_set(f->world, e, CREW, &(crew){ .ship = e });
        kith_component_set(f->world, e, SPOT, NULL);
        kith_component_set(f->world, e, SCRIPT, NULL);
        kith_component_enable(f->world, e, CREW, i % 3 != 0);
        if (i % 5 == 0) {
            kith_entity_destroy(f->world, e);
        }
    }
    assert_true(kith_world_hash_full(f->world, KITH_ALL, &before_state));
    assert_true(kith_world_hash_exact(f->world, &before_exact));
    const before was = begin(f);

    dump_all(f->world, &f->text);

    end(f, &was, true);
    assert_true(kith_world_hash_full(f->world, KITH_ALL, &now));
    assert_true(now == before_state);
    assert_true(kith_world_hash_exact(f->world, &now));
    assert_true(now == before_exact);
}

// Removed rows are holes while a loop is open, and a removed component is not shown.
static void while_a_loop_is_open_removed_rows_are_holes(void **state)
{
    fixture    *f = *state;
    kith_entity e[2];
    for (uint32_t i = 0; i < 2; i++) {
        e[i] = kith_entity_create(f->world);
        kith_component_set(f->world, e[i], HEAT, NULL);
    }
    kith_world_hold(f->world);
    kith_component_remove(f->world, e[0], HEAT);

    assert_string_equal(entity_text(f, e[0]), "entity 0v1\n");
    assert_string_equal(rows_text(f, HEAT, 9),
                        "heat (id 3): value of 12 bytes, form plain, 1 row, 1 hole\n"
                        "  hole\n"
                        "  1v1: [0, 0, 0]\n");
    kith_world_release(f->world);
}

static void dump_on_error(const kith_world *world, const kith_error *error, void *context)
{
    (void)error;
    dump_all(world, context);
}

static void an_error_hook_may_dump_the_world(void **state)
{
    (void)state;
    kith_bytes            text  = { 0 };
    const kith_world_desc desc  = { .on_error = dump_on_error, .error_context = &text };
    kith_world           *world = kith_world_create(&desc);
    assert_true(json_register(world));
    kith_component_set(world, kith_entity_create(world), SPOT, NULL);

    assert_null(kith_component_set(world, KITH_NULL, SPOT, NULL));

    assert_non_null(strstr((const char *)text.data, "\nlatest error: spot_set: the entity is "));
    assert_non_null(
        strstr((const char *)text.data, "\nentity 0v1\n  spot: {x: 0, y: 0, floor: 0}\n"));
    kith_bytes_free(&text);
    kith_world_destroy(world);
}

// What a value's hooks see of the world.
typedef struct witness {
    kith_world *world;
    kith_bytes  text;
} witness;

// A value is an address of a byte, which a dump reads.
static bool construct_and_dump(void *value, void *context)
{
    witness *w    = context;
    char    *byte = malloc(1);
    assert_non_null(byte);
    *byte = 'b';
    memcpy(value, &byte, sizeof byte);
    dump_all(w->world, &w->text);
    return true;
}

static void destruct_and_dump(void *value, void *context)
{
    witness *w = context;
    free(*(char **)value);
    dump_all(w->world, &w->text);
}

static size_t write_byte(const void *value, void *bytes, size_t room, void *context)
{
    (void)context;
    if (room != 0) {
        memcpy(bytes, *(char *const *)value, 1);
    }
    return 1;
}

static bool read_byte(void *value, const void *bytes, size_t size, void *context)
{
    (void)context;
    memcpy(*(char **)value, bytes, size);
    return size == 1;
}

static void on_event(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    dump_all(world, context);
}

static void hooks_and_listeners_may_dump_the_world(void **state)
{
    (void)state;
    const kith_saver          saver = { write_byte, read_byte, NULL };
    witness                   w     = { .world = kith_world_create(NULL) };
    const kith_component_desc desc  = {
         .name      = "byte",
         .id        = 1,
         .size      = sizeof(char *),
         .alignment = sizeof(char *),
         .traits    = { .hooks = { construct_and_dump, NULL, destruct_and_dump, NULL, &w },
                        .saved = KITH_AS(through(&saver)) },
    };
    assert_int_equal(kith_component_register(w.world, &desc), 1);
    for (uint32_t i = 0; i < 2; i++) {
        const kith_listener_desc listener = {
            .event     = i == 0 ? KITH_EVENT_ADD : KITH_EVENT_REMOVE,
            .component = 1,
            .call      = on_event,
            .context   = &w.text,
        };
        assert_true(kith_listener_connect(w.world, &listener) != 0);
    }
    for (uint32_t round = 0; round < 4; round++) {
        kith_entity e[3];
        for (uint32_t i = 0; i < 3; i++) {
            e[i] = kith_entity_create(w.world);
            assert_non_null(kith_component_add(w.world, e[i], 1, NULL));
        }
        assert_non_null(strstr((const char *)w.text.data, "\n  byte: 62\n"));
        assert_true(kith_component_remove(w.world, e[0], 1));
        assert_true(kith_entity_destroy(w.world, e[1]));
        if (round == 1) {
            assert_true(kith_component_clear(w.world, 1));
        } else if (round == 2) {
            kith_world_clear(w.world);
        }
    }
    assert_world_valid(w.world);
    assert_true(kith_world_destroy(w.world));
    kith_bytes_free(&w.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_entity_is_its_components_with_their_values),
        TEST(an_entity_without_components_is_one_line),
        TEST(a_dead_entity_says_why),
        TEST(names_are_printed_as_texts),
        TEST(bytes_of_functions_are_digits_up_to_256),
        TEST(a_line_of_more_than_1024_bytes_ends_in_dots),
        TEST(write_gets_lines_and_is_not_called_again_after_false),
#if !defined(_WIN32)
        TEST(without_write_a_dump_prints_on_standard_error),
#endif
        TEST(a_pool_is_its_counts_and_its_first_rows),
        TEST(tags_flags_and_singletons_have_their_own_form),
        TEST(an_unregistered_component_says_so),
        TEST(a_world_without_anything_is_one_line),
        TEST(a_world_is_its_components_groups_queries_systems_and_loops),
        TEST(a_dump_leaves_the_state_as_it_is),
        TEST(while_a_loop_is_open_removed_rows_are_holes),
        TEST(an_error_hook_may_dump_the_world),
        TEST(hooks_and_listeners_may_dump_the_world),
    };
    return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
