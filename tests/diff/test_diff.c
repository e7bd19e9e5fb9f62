// SPDX-License-Identifier: MIT
// What two worlds differ in: each kind of difference in words, and that there is one exactly when
// the hashes differ.
#include "hash_scenario.h"
#include "kith_test.h"

#include "kith/hierarchy.h"

enum { LINES = 64 };

typedef struct twins {
    test_memory memory;
    test_memory second_memory;
    kith_world *first;
    kith_world *second;
    uint32_t    line_count;
    char        lines[LINES][sizeof((kith_diff *)0)->text];
} twins;

static kith_world *make_world(test_memory *memory)
{
    kith_world *world = test_world(memory);
    assert_true(scenario_register(world, 0, memory->live_blocks % 2 == 0));
    return world;
}

static int setup(void **state)
{
    twins *t  = calloc(1, sizeof *t);
    t->first  = make_world(&t->memory);
    t->second = make_world(&t->second_memory);
    *state    = t;
    return 0;
}

static int teardown(void **state)
{
    twins *t = *state;
    test_world_end(t->first, &t->memory);
    test_world_end(t->second, &t->second_memory);
    free(t);
    return 0;
}

static void keep_line(const kith_difference *difference, void *context)
{
    twins *t = context;
    if (t->line_count < LINES) {
        strcpy(t->lines[t->line_count], difference->text);
    }
    t->line_count++;
}

// Compares, with every difference in t->lines.
static uint64_t compare(twins *t)
{
    uint64_t  hashes[2] = { 0, 0 };
    kith_diff diff      = { .each = keep_line, .context = t, .text = "old" };
    t->line_count       = 0;
    assert_true(kith_world_diff(t->first, t->second, &diff));
    assert_true(kith_world_hash_full(t->first, KITH_ALL, &hashes[0]));
    assert_true(kith_world_hash_full(t->second, KITH_ALL, &hashes[1]));
    assert_int_equal(diff.count, t->line_count);
    assert_int_equal(diff.count == 0, hashes[0] == hashes[1]);
    assert_string_equal(diff.text, diff.count == 0 ? "" : t->lines[0]);
    return diff.count;
}

#define assert_differs(T, ...)                                                                     \
    assert_lines((T), (const char *const[]){ __VA_ARGS__, NULL }, __LINE__)

static void assert_lines(twins *t, const char *const *lines, int line)
{
    compare(t);
    for (uint32_t i = 0; i < t->line_count; i++) {
        if (lines[i] == NULL || strcmp(lines[i], t->lines[i]) != 0) {
            fail_msg("line %d: \"%s\"", line, t->lines[i]);
        }
    }
    if (lines[t->line_count] != NULL) {
        fail_msg("line %d: no difference says \"%s\"", line, lines[t->line_count]);
    }
}

// An entity in each world, with the same handle.
static kith_entity create_both(twins *t)
{
    kith_entity entity = kith_entity_create(t->first);
    assert_int_equal(kith_entity_create(t->second), entity);
    return entity;
}

static void add_to_both(twins *t, kith_entity entity, kith_component component, const void *value)
{
    assert_non_null(kith_component_set(t->first, entity, component, value));
    assert_non_null(kith_component_set(t->second, entity, component, value));
}

// --- entities --------------------------------------------------------------------------------

static void empty_worlds_do_not_differ(void **state)
{
    assert_int_equal(compare(*state), 0);
}

static void an_entity_that_lives_in_one_world_only_is_named_once(void **state)
{
    twins      *t      = *state;
    kith_entity entity = create_both(t);
    kith_entity other  = kith_entity_create(t->second);
    body        b      = { 0 };
    add_to_both(t, entity, BODY, &b);
    bulk_add(t->second, other);
    asleep_add(t->second, other);
    assert_differs(t, "only the second world has entity 1v1");

    assert_true(kith_entity_destroy(t->second, other));
    assert_true(kith_entity_destroy(t->second, entity));
    assert_differs(t, "only the first world has entity 0v1",
                   "index 1 is unused in the first world and free (for 1v2) in the second",
                   "the next free index is none in the first world and 0 in the second");
}

static void versions_and_the_order_of_free_indices_differ(void **state)
{
    twins      *t = *state;
    kith_entity e[3];
    for (uint32_t i = 0; i < 3; i++) {
        e[i] = create_both(t);
    }
    kith_entity_destroy(t->first, e[0]);
    kith_entity_create(t->first);
    assert_differs(t, "index 0 is entity 0v2 in the first world and entity 0v1 in the second");

    kith_entity_destroy(t->second, e[0]);
    kith_entity_create(t->second);
    assert_int_equal(compare(t), 0);
    kith_entity_destroy(t->first, e[1]);
    kith_entity_destroy(t->first, e[2]);
    kith_entity_destroy(t->second, e[2]);
    kith_entity_destroy(t->second, e[1]);
    assert_differs(t,
                   "index 1 is free (for 1v2) in the first world and free (for 1v2, then index 2) "
                   "in the second",
                   "index 2 is free (for 2v2, then index 1) in the first world and free (for 2v2) "
                   "in the second",
                   "the next free index is 2 in the first world and 1 in the second");
}

static void retired_and_reserved_indices_have_words(void **state)
{
    twins          *t    = *state;
    kith_world_desc desc = { .version_bits = 1, .first_index = 1 };
    test_memory     memory[2];
    kith_world     *worlds[2] = { t->first, t->second };
    memset(memory, 0, sizeof memory);
    t->first           = test_world_with(&memory[0], desc);
    desc.first_index   = 2;
    t->second          = test_world_with(&memory[1], desc);
    kith_entity entity = kith_entity_create(t->first);
    kith_entity_destroy(t->first, entity);
    assert_differs(t,
                   "index 1 is retired in the first world and reserved (version 0) in the second");
    kith_entity_create(t->second);
    assert_differs(t,
                   "index 1 is retired in the first world and reserved (version 0) in the second",
                   "only the second world has entity 2v1");
    test_world_end(t->first, &memory[0]);
    test_world_end(t->second, &memory[1]);
    t->first  = worlds[0];
    t->second = worlds[1];
}

// --- values ----------------------------------------------------------------------------------

static void each_field_that_differs_is_named(void **state)
{
    twins      *t      = *state;
    kith_entity entity = create_both(t);
    body        a;
    body        b;
    memset(&a, 0, sizeof a);
    memset(&b, 255, sizeof b); // padding, and a field that is skipped
    b = (body){ .awake  = true,
                .at     = { 1.5f, 2.25f, 9 },
                .gold   = -5,
                .ship   = entity,
                .scores = { 0, 7, 0 },
                .role   = COOK,
                .name   = { 'a', 'h', 'o', 'y', '!' } };
    kith_component_set(t->first, entity, BODY, &a);
    kith_component_set(t->second, entity, BODY, &b);
    assert_differs(
        t, "entity 0v1: \"body\".awake is false in the first world and true in the second",
        "entity 0v1: \"body\".at.x is 0 in the first world and 1.5 in the second",
        "entity 0v1: \"body\".at.y is 0 in the first world and 2.25 in the second",
        "entity 0v1: \"body\".at.deck is 0 in the first world and 9 in the second",
        "entity 0v1: \"body\".gold is 0 in the first world and -5 in the second",
        "entity 0v1: \"body\".ship is null in the first world and 0v1 in the second",
        "entity 0v1: \"body\".scores[1] is 0 in the first world and 7 in the second",
        "entity 0v1: \"body\".role is \"SAILOR\" in the first world and \"COOK\" in the second",
        "entity 0v1: \"body\".name is \"\" in the first world and \"ahoy!\" in the second");
}

static void padding_and_skipped_fields_do_not_differ(void **state)
{
    twins      *t      = *state;
    kith_entity entity = create_both(t);
    memset(kith_component_add(t->second, entity, BODY, NULL), 255, sizeof(body));
    kith_component_add(t->first, entity, BODY, NULL);
    body *b  = body_mut(t->second, entity);
    b->awake = false;
    b->at.x = b->at.y = 0;
    b->at.deck        = 0;
    b->gold           = 0;
    b->ship           = KITH_NULL;
    b->role           = SAILOR;
    memset(b->scores, 0, sizeof b->scores);
    memset(b->name, 0, sizeof b->name);
    assert_int_equal(compare(t), 0);
    kith_component_add(t->first, entity, CACHE, NULL); // transient
    assert_int_equal(compare(t), 0);
}

static void plain_values_differ_by_their_numbers(void **state)
{
    twins              *t      = *state;
    kith_entity         entity = create_both(t);
    kith_component_desc desc   = { .name      = "pair",
                                   .id        = 400,
                                   .size      = 8,
                                   .alignment = 4,
                                   .traits    = { .saved = KITH_AS(plain(4)) } };
    const uint32_t      ones[] = { 1, 2 };
    const uint32_t      twos[] = { 1, 3 };
    assert_int_not_equal(kith_component_register(t->first, &desc), 0);
    assert_int_not_equal(kith_component_register(t->second, &desc), 0);
    kith_component_set(t->first, entity, 400, ones);
    kith_component_set(t->second, entity, 400, twos);
    bulk_set(t->first, entity, 70);
    bulk_set(t->second, entity, 71);
    assert_differs(t, "entity 0v1: \"bulk\" is 70 in the first world and 71 in the second",
                   "entity 0v1: \"pair\"[1] is 2 in the first world and 3 in the second");
}

static void set_word(kith_world *world, kith_entity entity, const char *letters)
{
    word w = { .length = (uint8_t)strlen(letters) };
    memcpy(w.letters, letters, w.length);
    assert_non_null(word_set(world, entity, w));
}

static void bytes_that_functions_write_differ_at_a_byte(void **state)
{
    twins      *t      = *state;
    kith_entity entity = create_both(t);
    set_word(t->first, entity, "boat");
    set_word(t->second, entity, "bolt");
    assert_differs(
        t, "entity 0v1: \"word\": byte 2 is 0x61 in the first world and 0x6c in the second");
    set_word(t->second, entity, "boatswain");
    assert_differs(
        t, "entity 0v1: \"word\": byte 4 is missing in the first world and 0x73 in the second");
    set_word(t->first, entity, "boatswain");
    assert_int_equal(compare(t), 0);
}

// The same name with other fields: what is saved of the values is compared.
typedef struct narrow {
    uint16_t a, b;
} narrow;
typedef struct wide {
    uint32_t both;
} wide;
KITH_FIELDS(narrow, u16(a), u16(b));
KITH_FIELDS(wide, u32(both));

static void register_number(kith_world *world, kith_saved saved, uint32_t size)
{
    kith_component_desc desc = {
        .name = "number", .id = 401, .size = size, .alignment = 2, .traits = { .saved = saved }
    };
    assert_int_not_equal(kith_component_register(world, &desc), 0);
}

static void values_with_other_fields_differ_by_bytes(void **state)
{
    twins      *t      = *state;
    kith_entity entity = create_both(t);
    register_number(t->first, (kith_saved)KITH_AS(fields(narrow)), 4);
    register_number(t->second, (kith_saved)KITH_AS(plain(2)), 4);
    kith_component_set(t->first, entity, 401, (const uint16_t[]){ 1, 2 });
    kith_component_set(t->second, entity, 401, (const uint16_t[]){ 1, 2 });
    assert_int_equal(compare(t), 0);
    kith_component_set(t->second, entity, 401, (const uint16_t[]){ 1, 513 });
    assert_differs(
        t, "entity 0v1: \"number\": byte 2 is 0x02 in the first world and 0x01 in the second");
}

static void values_of_another_size_differ_where_one_ends(void **state)
{
    twins      *t      = *state;
    kith_entity entity = create_both(t);
    register_number(t->first, (kith_saved)KITH_AS(plain(2)), 2);
    register_number(t->second, (kith_saved)KITH_AS(plain(2)), 4);
    kith_component_add(t->first, entity, 401, NULL);
    kith_component_add(t->second, entity, 401, NULL);
    assert_differs(
        t, "entity 0v1: \"number\": byte 2 is missing in the first world and 0x00 in the second");
}

static void functions_and_numbers_are_never_the_same(void **state)
{
    twins      *t      = *state;
    kith_entity entity = create_both(t);
    register_number(t->first, (kith_saved)KITH_AS(through(&word_saver)), sizeof(word));
    register_number(t->second, (kith_saved)KITH_AS(plain(2)), 4);
    kith_component_add(t->first, entity, 401, NULL);
    kith_component_add(t->second, entity, 401, NULL);
    assert_differs(t, "entity 0v1: \"number\" is written by a function in the first world and "
                      "numbers in the second");
}

// Writes as many bytes as the value says, and more each time if it says so.
static size_t write_many(const void *value, void *bytes, size_t room, void *context)
{
    size_t size = *(const uint32_t *)value;
    if (context != NULL) {
        size += (*(uint32_t *)context)++;
    }
    if (size <= room) {
        memset(bytes, 7, size);
    }
    return size;
}

static bool read_many(void *value, const void *bytes, size_t size, void *context)
{
    (void)bytes, (void)context;
    *(uint32_t *)value = (uint32_t)size;
    return true;
}

static void large_written_values_need_memory(void **state)
{
    twins           *t      = *state;
    kith_entity      entity = create_both(t);
    const kith_saver saver  = { write_many, read_many, NULL };
    kith_diff        diff   = { .count = 77, .text = "old" };
    register_number(t->first, (kith_saved)KITH_AS(through(&saver)), 4);
    register_number(t->second, (kith_saved)KITH_AS(through(&saver)), 4);
    add_to_both(t, entity, 401, &(uint32_t){ 5000 });
    assert_int_equal(compare(t), 0);
    for (uint32_t side = 0; side < 2; side++) {
        test_memory *memory = side == 0 ? &t->memory : &t->second_memory;
        uint32_t     errors = memory->errors;
        memory->fail_all    = true;
        assert_false(kith_world_diff(t->first, t->second, &diff));
        memory->fail_all = false;
        assert_int_equal(memory->errors, errors + 1);
    }
    assert_int_equal(diff.count, 77);
    assert_string_equal(diff.text, "old");
    kith_component_set(t->first, entity, 401, &(uint32_t){ 4999 });
    assert_differs(
        t,
        "entity 0v1: \"number\": byte 4999 is missing in the first world and 0x07 in the second");
}

static void a_function_that_writes_another_size_each_time_is_refused(void **state)
{
    twins           *t      = *state;
    kith_entity      entity = create_both(t);
    uint32_t         more   = 0;
    const kith_saver saver  = { write_many, read_many, &more };
    kith_diff        diff   = { 0 };
    register_number(t->first, (kith_saved)KITH_AS(plain(4)), 4);
    register_number(t->second, (kith_saved)KITH_AS(through(&saver)), 4);
    add_to_both(t, entity, 401, &(uint32_t){ 5000 });
    kith_world *first = t->first;
    t->first          = t->second;
    uint32_t errors   = t->second_memory.errors;
    assert_false(kith_world_diff(t->first, t->second, &diff));
    assert_int_equal(t->second_memory.errors, errors + 1);
    t->first = first;
}

// --- components of entities ------------------------------------------------------------------

static void components_of_one_world_only_are_named(void **state)
{
    twins      *t     = *state;
    kith_entity a     = create_both(t);
    kith_entity b     = create_both(t);
    body        whole = { 0 };
    body_set(t->first, a, whole);
    bulk_set(t->second, b, 1);
    allied_add(t->second, a);
    asleep_add(t->first, b);
    weather_set(t->second, (weather){ 1, 2 });
    assert_differs(t, "entity 0v1 has \"allied\" only in the second world",
                   "entity 1v1 has \"asleep\" only in the first world",
                   "entity 0v1 has \"body\" only in the first world",
                   "entity 1v1 has \"bulk\" only in the second world",
                   "only the second world has \"weather\"");
}

static void flags_differ_where_both_worlds_have_some(void **state)
{
    twins      *t = *state;
    kith_entity a = create_both(t);
    kith_entity b = create_both(t);
    asleep_add(t->first, a);
    asleep_add(t->second, b);
    assert_differs(t, "entity 0v1 has \"asleep\" only in the first world",
                   "entity 1v1 has \"asleep\" only in the second world");
}

static void singletons_differ_by_their_fields(void **state)
{
    twins *t = *state;
    weather_set(t->first, (weather){ 1.5, 2 });
    weather_set(t->second, (weather){ 1.5, 3 });
    assert_differs(t, "\"weather\".day is 2 in the first world and 3 in the second");
}

static void disabled_rows_differ(void **state)
{
    twins      *t      = *state;
    kith_entity entity = create_both(t);
    add_to_both(t, entity, BULK, &(uint32_t){ 1 });
    kith_component_enable(t->second, entity, BULK, false);
    assert_differs(t,
                   "entity 0v1: \"bulk\" is enabled in the first world and disabled in the second");
    kith_component_enable(t->first, entity, BULK, false);
    assert_int_equal(compare(t), 0);
    kith_component_enable(t->second, entity, BULK, true);
    assert_differs(t,
                   "entity 0v1: \"bulk\" is disabled in the first world and enabled in the second");
}

static void another_kind_is_one_difference(void **state)
{
    twins              *t      = *state;
    kith_entity         entity = create_both(t);
    kith_component_desc desc   = { .name = "odd", .id = 402, .kind = KITH_KIND_TAG };
    kith_component_register(t->first, &desc);
    desc.kind = KITH_KIND_FLAG;
    kith_component_register(t->second, &desc);
    assert_int_equal(compare(t), 0); // no entity has it
    kith_component_add(t->first, entity, 402, NULL);
    assert_differs(t, "entity 0v1 has \"odd\" only in the first world");
    kith_component_add(t->second, entity, 402, NULL);
    assert_differs(t, "\"odd\": the kind is tag in the first world and flag in the second");
}

// --- order -----------------------------------------------------------------------------------

static void rows_in_another_order_differ(void **state)
{
    twins      *t = *state;
    kith_entity a = create_both(t);
    kith_entity b = create_both(t);
    allied_add(t->first, a);
    allied_add(t->first, b);
    allied_add(t->second, b);
    allied_add(t->second, a);
    assert_differs(
        t, "\"allied\": row 0 is of entity 0v1 in the first world and of entity 1v1 in the second",
        "\"allied\": row 1 is of entity 1v1 in the first world and of entity 0v1 in the second");
}

static void holes_differ_by_row_and_by_order(void **state)
{
    twins      *t = *state;
    kith_entity e[3];
    uint64_t    pin = 0;
    for (uint32_t i = 0; i < 3; i++) {
        e[i] = create_both(t);
        add_to_both(t, e[i], PIN, &pin);
    }
    kith_component_remove(t->first, e[0], PIN);
    assert_differs(t, "entity 0v1 has \"pin\" only in the second world",
                   "\"pin\": row 0 is a hole in the first world and of entity 0v1 in the second",
                   "\"pin\": the next hole to be filled is row 0 in the first world and none in "
                   "the second");
    kith_component_remove(t->first, e[1], PIN);
    kith_component_remove(t->second, e[1], PIN);
    kith_component_remove(t->second, e[0], PIN);
    assert_differs(
        t,
        "\"pin\": row 0 is the last hole to be filled in the first world and a hole that is filled "
        "before row 1 in the second",
        "\"pin\": row 1 is a hole that is filled before row 0 in the first world and the last hole "
        "to be filled in the second",
        "\"pin\": the next hole to be filled is row 1 in the first world and row 0 in the second");
}

static void holes_of_one_world_only_differ(void **state)
{
    twins      *t = *state;
    kith_entity a = create_both(t);
    kith_entity b = create_both(t);
    kith_component_add(t->first, a, PIN, NULL);
    kith_component_add(t->first, b, PIN, NULL);
    kith_component_remove(t->first, b, PIN);
    kith_component_add(t->second, a, PIN, NULL);
    assert_differs(t, "\"pin\": row 1 is a hole in the first world and missing in the second",
                   "\"pin\": the next hole to be filled is row 1 in the first world and none in "
                   "the second");
    kith_component_remove(t->first, a, PIN);
    kith_component_remove(t->second, a, PIN);
    kith_component_compact(t->second, PIN);
    assert_differs(t, "\"pin\": row 0 is a hole in the first world and missing in the second",
                   "\"pin\": row 1 is a hole in the first world and missing in the second");
}

static int by_index_down(kith_entity a, kith_entity b, void *context)
{
    (void)context;
    return kith_entity_index(a) < kith_entity_index(b) ? 1 : -1;
}

static kith_group *make_group(kith_world *world)
{
    const kith_term terms[] = { { PIN, KITH_ROLE_WITH, 0 },
                                { BULK, KITH_ROLE_READ, 0 },
                                { ASLEEP, KITH_ROLE_WITHOUT, 0 } };
    kith_group     *group =
        kith_group_of(world, &(kith_query_desc){ .name = "both", .terms = terms, .term_count = 3 });
    assert_non_null(group);
    return group;
}

static void members_of_groups_differ_by_their_order(void **state)
{
    twins *t = *state;
    for (uint32_t i = 0; i < 2; i++) {
        kith_entity entity = create_both(t);
        add_to_both(t, entity, BULK, &i);
        add_to_both(t, entity, PIN, &(uint64_t){ i });
    }
    kith_group *group = make_group(t->first);
    assert_differs(t, "only the first world has the group of \"bulk\", \"pin\" without \"asleep\"");
    make_group(t->second);
    assert_int_equal(compare(t), 0);
    kith_group_sort(group, 0, &(kith_sort_desc){ .compare_entities = by_index_down });
    assert_differs(
        t,
        "the group of \"bulk\", \"pin\" without \"asleep\": member 0 is 1v1 in the first "
        "world and 0v1 in the second",
        "the group of \"bulk\", \"pin\" without \"asleep\": member 1 is 0v1 in the first "
        "world and 1v1 in the second");
    asleep_add(t->second, handle(0, 1));
    assert_differs(
        t, "entity 0v1 has \"asleep\" only in the second world",
        "the group of \"bulk\", \"pin\" without \"asleep\": member 1 is 0v1 in the first "
        "world and missing in the second");
    kith_group_drop(group);
    assert_differs(t, "entity 0v1 has \"asleep\" only in the second world",
                   "only the second world has the group of \"bulk\", \"pin\" without \"asleep\"");
}

static void paths_differ_by_their_components(void **state)
{
    twins               *t       = *state;
    const kith_component along[] = { CACHE, BODY, WORD };
    kith_path           *only    = kith_path_of(t->first, &(kith_path_desc){ NULL, along, 1 });
    assert_non_null(only);
    assert_int_equal(compare(t), 0); // of transient components
    kith_path_of(t->first, &(kith_path_desc){ NULL, along, 2 });
    assert_differs(t, "only the first world has path 0");
    kith_path_of(t->second, &(kith_path_desc){ NULL, along + 1, 2 });
    assert_differs(t, "path 0 is of \"body\" in the first world and of \"body\", \"word\" in the "
                      "second");
    kith_path_of(t->second, &(kith_path_desc){ NULL, along + 2, 1 });
    assert_differs(t,
                   "path 0 is of \"body\" in the first world and of \"body\", \"word\" in the "
                   "second",
                   "only the second world has path 1");
}

static void links_of_a_hierarchy_differ(void **state)
{
    twins *t = *state;
    kith_hierarchy_register(t->first, &(kith_hierarchy_desc){ .name = "parts", .id = 410 });
    kith_hierarchy_register(t->second, &(kith_hierarchy_desc){ .name = "parts", .id = 410 });
    kith_entity parent = create_both(t);
    kith_entity child  = create_both(t);
    add_to_both(t, parent, 410, NULL);
    add_to_both(t, child, 410, NULL);
    assert_int_equal(compare(t), 0);
    assert_true(kith_hierarchy_append(t->first, 410, parent, child));
    assert_differs(t,
                   "entity 0v1: \"parts\".first is 1v1 in the first world and null in the second",
                   "entity 0v1: \"parts\".last is 1v1 in the first world and null in the second",
                   "entity 0v1: \"parts\".count is 1 in the first world and 0 in the second",
                   "entity 1v1: \"parts\".parent is 0v1 in the first world and null in the second");
}

// --- the parts -------------------------------------------------------------------------------

static void see_parts(const kith_difference *it, void *context)
{
    uint32_t *seen = context;
    (*seen)++;
    if (it->kind == KITH_DIFFERENCE_VALUE) {
        assert_int_equal(it->entity, handle(0, 1));
        assert_string_equal(it->component, "body");
        assert_string_equal(it->part, "at.x");
        assert_string_equal(it->first, "0");
        assert_string_equal(it->second, "2.5");
    } else if (it->kind == KITH_DIFFERENCE_COMPONENT) {
        assert_string_equal(it->component, "weather");
        assert_int_equal(it->entity, KITH_NULL);
        assert_null(it->part);
        assert_null(it->first);
        assert_non_null(it->second);
    } else {
        assert_int_equal(it->kind, KITH_DIFFERENCE_ENTITY);
        assert_int_equal(it->entity, handle(1, 1));
        assert_null(it->component);
        assert_null(it->second);
    }
}

static void a_difference_comes_in_parts(void **state)
{
    twins      *t      = *state;
    kith_entity entity = create_both(t);
    uint32_t    seen   = 0;
    kith_diff   diff   = { .each = see_parts, .context = &seen };
    add_to_both(t, entity, BODY, &(body){ 0 });
    body_mut(t->second, entity)->at.x = 2.5f;
    kith_entity_create(t->first);
    weather_set(t->second, (weather){ 0 });
    assert_true(kith_world_diff(t->first, t->second, &diff));
    assert_int_equal(seen, 3);
    assert_int_equal(diff.count, 3);
}

static void long_texts_end_in_dots(void **state)
{
    twins              *t = *state;
    char                name[301];
    kith_component_desc desc = { .name = name, .id = 403, .kind = KITH_KIND_TAG };
    memset(name, 'n', 300);
    name[300]          = '\0';
    kith_entity entity = create_both(t);
    kith_component_register(t->first, &desc);
    kith_component_add(t->first, entity, 403, NULL);
    kith_diff diff = { 0 };
    assert_true(kith_world_diff(t->first, t->second, &diff));
    assert_int_equal(strlen(diff.text), sizeof diff.text - 1);
    assert_string_equal(diff.text + sizeof diff.text - 8, "nnn ...");
}

// --- errors ----------------------------------------------------------------------------------

static kith_error reported;

static void record_error(const kith_world *world, const kith_error *error, void *context)
{
    (void)world;
    reported = *error;
    kith_error_text(world, error, context, 256);
}

static void a_component_without_a_form_is_named(void **state)
{
    twins          *t = *state;
    char            text[256];
    kith_diff       diff  = { .count = 5 };
    kith_world_desc desc  = { .on_error = record_error, .error_context = text };
    kith_world     *third = kith_world_create(&desc);
    position_register(third);
    assert_true(kith_world_diff(t->first, third, &diff)); // no entity has it
    assert_int_equal(diff.count, 0);
    position_add(third, kith_entity_create(third));
    assert_false(kith_world_diff(t->first, third, &diff));
    assert_int_equal(reported.code, KITH_ERROR_UNSAVED);
    assert_int_equal(reported.component, POSITION);
    assert_non_null(strstr(text, "kith_world_diff"));
    assert_non_null(strstr(text, "\"position\""));
    reported = (kith_error){ 0 };
    assert_false(kith_world_diff(third, t->first, &diff));
    assert_int_equal(reported.code, KITH_ERROR_UNSAVED);
    assert_int_equal(diff.count, 0);
    kith_world_destroy(third);
}

static void a_held_world_cannot_be_compared(void **state)
{
    twins    *t      = *state;
    kith_diff diff   = { 0 };
    uint32_t  errors = t->second_memory.errors;
    kith_world_hold(t->second);
    assert_false(kith_world_diff(t->first, t->second, &diff));
    assert_false(kith_world_diff(t->second, t->first, &diff));
    assert_int_equal(t->second_memory.errors, errors + 2);
    kith_world_release(t->second);
    assert_int_equal(compare(t), 0);
}

static void differences_need_a_place(void **state)
{
    twins   *t      = *state;
    uint32_t errors = t->memory.errors;
    assert_false(kith_world_diff(t->first, t->second, NULL));
    assert_int_equal(t->memory.errors, errors + 1);
}

static bool        may_compare;
static kith_world *compared_with;
static kith_diff   compared;

static void compare_in_turn(const kith_turn *turn)
{
    may_compare = kith_world_diff(turn->world, compared_with, &compared);
}

static void a_checked_system_compares_only_what_it_declared(void **state)
{
    twins               *t     = *state;
    kith_entity          e     = create_both(t);
    const kith_component ids[] = { BULK, BODY };
    kith_system_desc     desc  = {
             .name = "some", .run = compare_in_turn, .reads = ids + 1, .read_count = 1
    };
    add_to_both(t, e, BULK, &(uint32_t){ 1 });
    compared_with = t->second;
    assert_non_null(kith_system_create(t->first, &desc));
    desc =
        (kith_system_desc){ .name = "all", .run = compare_in_turn, .reads = ids, .read_count = 1 };
    assert_non_null(kith_system_create(t->first, &desc));
    assert_true(kith_schedule_configure(t->first, &(kith_schedule_desc){ .checked = true }));
    may_compare = true;
    assert_true(kith_system_run(t->first, "some", 1));
    assert_false(may_compare);
    assert_true(kith_system_run(t->first, "all", 1));
    assert_true(may_compare);
}

// --- agreement with the hash -----------------------------------------------------------------

// One change of one thing, which may change nothing.
static void change_something(scenario *s)
{
    kith_entity entity = s->entities[scenario_draw(s, SCENARIO_ENTITIES)];
    uint32_t    places = (uint32_t)kith_component_count(s->world, BODY);
    switch (scenario_draw(s, 8)) {
    case 0:
        scenario_arrange(s, scenario_draw(s, 6));
        break;
    case 1:
        if (places > 1) {
            kith_component_swap(s->world, BODY, kith_component_entity(s->world, BODY, 0),
                                kith_component_entity(s->world, BODY, 1));
        }
        break;
    case 2:
        kith_entity_destroy(s->world, kith_entity_create(s->world));
        break;
    case 3:
        weather_remove(s->world);
        break;
    case 4:
        if (body_mut(s->world, entity) != NULL) {
            body_mut(s->world, entity)->name[4] ^= (char)scenario_draw(s, 2);
        }
        break;
    default:
        scenario_step(s);
    }
}

static void there_is_a_difference_exactly_when_hashes_differ(void **state)
{
    twins    *t        = *state;
    scenario *s        = calloc(1, sizeof *s);
    uint32_t  equal    = 0;
    uint32_t  outcomes = 0;
    s->world           = t->first;
    assert_true(scenario_order(t->first));
    for (uint32_t i = 0; i < 1500; i++) {
        scenario_step(s);
    }
    for (uint32_t i = 0; i < 150; i++) {
        kith_world_destroy(t->second);
        t->second = kith_world_clone(t->first, NULL);
        assert_int_equal(compare(t), 0);
        for (uint32_t j = 0; j < 3; j++, outcomes++) {
            change_something(s);
            equal += compare(t) == 0;
        }
    }
    assert_in_range(equal, 5, outcomes - 50); // both happen
    t->second_memory = (test_memory){ 0 };
    kith_world_destroy(t->second);
    t->second = make_world(&t->second_memory);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(empty_worlds_do_not_differ),
        TEST(an_entity_that_lives_in_one_world_only_is_named_once),
        TEST(versions_and_the_order_of_free_indices_differ),
        TEST(retired_and_reserved_indices_have_words),
        TEST(each_field_that_differs_is_named),
        TEST(padding_and_skipped_fields_do_not_differ),
        TEST(plain_values_differ_by_their_numbers),
        TEST(bytes_that_functions_write_differ_at_a_byte),
        TEST(values_with_other_fields_differ_by_bytes),
        TEST(values_of_another_size_differ_where_one_ends),
        TEST(functions_and_numbers_are_never_the_same),
        TEST(large_written_values_need_memory),
        TEST(a_function_that_writes_another_size_each_time_is_refused),
        TEST(components_of_one_world_only_are_named),
        TEST(flags_differ_where_both_worlds_have_some),
        TEST(singletons_differ_by_their_fields),
        TEST(disabled_rows_differ),
        TEST(another_kind_is_one_difference),
        TEST(rows_in_another_order_differ),
        TEST(holes_differ_by_row_and_by_order),
        TEST(holes_of_one_world_only_differ),
        TEST(members_of_groups_differ_by_their_order),
        TEST(paths_differ_by_their_components),
        TEST(links_of_a_hierarchy_differ),
        TEST(a_difference_comes_in_parts),
        TEST(long_texts_end_in_dots),
        TEST(a_component_without_a_form_is_named),
        TEST(a_held_world_cannot_be_compared),
        TEST(differences_need_a_place),
        TEST(a_checked_system_compares_only_what_it_declared),
        TEST(there_is_a_difference_exactly_when_hashes_differ),
    };
    return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
