// SPDX-License-Identifier: MIT
// Snapshots of an older program: fields that came, went, grew or have other names, and versions.
#include "kith_test.h"

#include <stdio.h>

enum { CREW = 1, MASS, NOTE, CLOCK };

// --- the older program -----------------------------------------------------------------------

typedef struct old_spot {
    float x, y;
} old_spot;
typedef enum old_mood { OLD_CALM, OLD_ANGRY, OLD_LOST } old_mood;
typedef struct old_crew {
    uint8_t     flags;
    uint16_t    hp;
    int8_t      depth;
    bool        awake;
    float       speed;
    old_spot    at[2];
    old_mood    mood;
    kith_entity ship;
    char        name[4];
    uint32_t    useless;
    uint16_t    steps[3];
} old_crew;

static const kith_choice  old_moods[]      = { { "CALM", 0 }, { "ANGRY", 1 }, { "LOST", 2 } };
static const kith_choices old_mood_choices = { "mood", old_moods, 3 };
KITH_FIELDS(old_spot, f32(x), f32(y));
KITH_FIELDS(old_crew, u8(flags), u16(hp), i8(depth), boolean(awake), f32(speed),
            nested(at, old_spot), choice(mood, old_mood), entity(ship), chars(name), u32(useless),
            u16(steps));

// --- the newer one ---------------------------------------------------------------------------

typedef struct new_spot {
    double z, y, x;
} new_spot;
typedef struct new_crew {
    kith_entity ship;
    char        name[8];
    int64_t     depth;
    uint8_t     mood;
    uint32_t    health;
    double      speed;
    uint32_t    awake;
    float       flags;
    new_spot    at[3];
    double      steps[5];
    uint64_t    added;
} new_crew;

static const kith_choice new_moods[] = {
    { "LOST", 7 }, { "CALM", 200 }, { "KEEN", 1 }, { "ANGRY", 3 }
};
static const kith_choices uint8_t_choices = { "mood", new_moods, 4 };
KITH_FIELDS(new_spot, f64(z), f64(y), f64(x));
KITH_FIELDS(new_crew, entity(ship), chars(name), i64(depth), choice(mood, uint8_t),
            u32(health, NULL, "hp"), f64(speed), u32(awake), f32(flags), nested(at, new_spot),
            f64(steps), u64(added));

static void assert_says(kith_result result, const char *part)
{
    if (strstr(result.message, part) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", result.message, part);
    }
}

// --- worlds ----------------------------------------------------------------------------------

static kith_component_desc desc_of(const char *name, kith_component id, uint32_t size,
                                   uint32_t alignment, kith_saved saved)
{
    return (kith_component_desc){
        .name = name, .id = id, .size = size, .alignment = alignment, .traits.saved = saved
    };
}

static kith_component_desc fields_desc(const kith_fields *table)
{
    kith_saved saved = { .form = KITH_FORM_FIELDS, .fields = table };
    return desc_of("crew", CREW, table->size, table->alignment, saved);
}

static kith_world *world_with(test_memory *memory, const kith_component_desc *desc)
{
    kith_world *world = test_world_with(memory, (kith_world_desc){ 0 });
    assert_int_equal(kith_component_register(world, desc), desc->id);
    return world;
}

// A snapshot of an entity with that value, in a world that is gone.
static kith_bytes saved_value(const kith_component_desc *desc, const void *value)
{
    test_memory memory = { 0 };
    kith_bytes  bytes  = { .data = NULL };
    kith_world *world  = world_with(&memory, desc);
    kith_entity entity = kith_entity_create(world);
    assert_non_null(kith_component_set(world, entity, desc->id, value));
    assert_int_equal(kith_world_save_memory(world, NULL, &bytes).code, KITH_OK);
    test_world_end(world, &memory);
    return bytes;
}

// Loads a value that `was` described where `is` describes it; the result says how it went.
static kith_result migrate(const kith_component_desc *was, const void *value,
                           const kith_component_desc *is, void *now)
{
    test_memory memory = { 0 };
    kith_bytes  bytes  = saved_value(was, value);
    kith_world *world  = world_with(&memory, is);
    kith_result result = kith_world_load(world, NULL, bytes.data, bytes.size);
    kith_entity entity = kith_entity_slot(world, 0);
    assert_world_valid(world);
    assert_int_equal(kith_world_stats(world).alive, result.code == KITH_OK);
    if (result.code == KITH_OK && now != NULL) {
        memcpy(now, kith_component_get(world, entity, is->id), is->size);
    }
    test_world_end(world, &memory);
    kith_bytes_free(&bytes);
    return result;
}

// The same with fields alone, of the component "crew".
static kith_result migrate_fields(const kith_fields *was, const void *value, const kith_fields *is,
                                  void *now)
{
    kith_component_desc a = fields_desc(was);
    kith_component_desc b = fields_desc(is);
    return migrate(&a, value, &b, now);
}

static const old_crew sailor = { .flags   = 200,
                                 .hp      = 65535,
                                 .depth   = -128,
                                 .awake   = true,
                                 .speed   = 0.1f,
                                 .at      = { { 1.5f, -2.5f }, { 3, 4 } },
                                 .mood    = OLD_ANGRY,
                                 .ship    = 0x100000007,
                                 .name    = { 'i', 'v', 'a', 'n' },
                                 .useless = 99,
                                 .steps   = { 1, 2, 65535 } };

static void fields_are_found_by_name_and_grow(void **state)
{
    new_crew now;
    (void)state;
    kith_result result = migrate_fields(&old_crew_fields, &sailor, &new_crew_fields, &now);
    assert_string_equal(result.message, "");
    assert_true(now.ship == sailor.ship && now.health == 65535 && now.depth == -128);
    assert_memory_equal(now.name, "ivan\0\0\0\0", 8);
    assert_int_equal(now.mood, 3);
    assert_true(now.speed == (double)0.1f && now.awake == 1 && now.flags == 200.0f);
    assert_true(now.at[0].x == 1.5 && now.at[0].y == -2.5 && now.at[0].z == 0);
    assert_true(now.at[1].x == 3 && now.at[1].y == 4 && now.at[2].x == 0);
    assert_true(now.steps[0] == 1 && now.steps[2] == 65535 && now.steps[4] == 0);
    assert_true(now.added == 0);
}

static void numbers_of_an_enum_follow_their_names(void **state)
{
    new_crew now;
    old_crew value = sailor;
    (void)state;
    value.mood = OLD_CALM;
    assert_int_equal(migrate_fields(&old_crew_fields, &value, &new_crew_fields, &now).code,
                     KITH_OK);
    assert_int_equal(now.mood, 200);
    value.mood = (old_mood)40; // had no name, and keeps its number
    assert_int_equal(migrate_fields(&old_crew_fields, &value, &new_crew_fields, &now).code,
                     KITH_OK);
    assert_int_equal(now.mood, 40);
    value.mood         = (old_mood)400; // and there is no room for this one
    kith_result result = migrate_fields(&old_crew_fields, &value, &new_crew_fields, &now);
    assert_says(result, "does not fit");
}

// Choices that are bits, in an enum that became wider.
static void numbers_without_a_name_keep_their_value(void **state)
{
    static const kith_choice bits[]   = { { "A", 1 }, { "B", 2 }, { "C", 128 } };
    static const kith_choice sides[]  = { { "LEFT", -1 }, { "RIGHT", 1 } };
    const kith_choices       named    = { "bits", bits, 3 };
    const kith_choices       lettered = { "sides", sides, 2 };
    uint8_t                  both     = 130;
    int8_t                   below    = -2;
    uint32_t                 now;
    (void)state;
    for (int sign = 0; sign < 2; sign++) {
        const kith_choices *choices = sign != 0 ? &lettered : &named;
        kith_field          narrow = { .name = "n", .type = KITH_TYPE_ENUM, .size = 1, .count = 1 };
        kith_field          wide   = { .name = "n", .type = KITH_TYPE_ENUM, .size = 4, .count = 1 };
        kith_fields         a      = { "box", 1, 1, &narrow, 1 };
        kith_fields         b      = { "box", 4, 4, &wide, 1 };
        narrow.choices = wide.choices = choices;
        const void *value             = sign != 0 ? (const void *)&below : &both;
        assert_int_equal(migrate_fields(&a, value, &b, &now).code, KITH_OK);
        assert_true(now == (sign != 0 ? (uint32_t)-2 : 130));
    }
}

static void fields_come_to_a_struct_that_saved_none(void **state)
{
    (void)state;
    uint32_t    old   = 5;
    uint32_t    now   = 7;
    kith_field  gone  = { .name = "n", .type = KITH_TYPE_SKIP, .size = 1, .count = 4 };
    kith_field  comes = { .name = "skipped", .type = KITH_TYPE_U32, .size = 4, .count = 1 };
    kith_fields a     = { "box", 4, 4, &gone, 1 };
    kith_fields b     = { "box", 4, 4, &comes, 1 };
    assert_string_equal(migrate_fields(&a, &old, &b, &now).message, "");
    assert_int_equal(now, 0);
}

// --- what is refused -------------------------------------------------------------------------

static kith_field number_field(kith_field_type type, uint32_t size, uint32_t count)
{
    return (kith_field){ .name = "n", .type = type, .size = size, .count = count };
}

static kith_fields table_of(const kith_field *field)
{
    return (kith_fields){ "box", field->size * field->count, field->size, field, 1 };
}

typedef struct number_type {
    kith_field_type type;
    uint32_t        size;
    long double     low, high; // the range in which it has all whole numbers
    bool            whole;
} number_type;

static const number_type number_types[] = {
    { KITH_TYPE_U8, 1, 0, 255.0L, true },
    { KITH_TYPE_U16, 2, 0, 65535.0L, true },
    { KITH_TYPE_U32, 4, 0, 4294967295.0L, true },
    { KITH_TYPE_U64, 8, 0, 18446744073709551615.0L, true },
    { KITH_TYPE_I8, 1, -128.0L, 127.0L, true },
    { KITH_TYPE_I16, 2, -32768.0L, 32767.0L, true },
    { KITH_TYPE_I32, 4, -2147483648.0L, 2147483647.0L, true },
    { KITH_TYPE_I64, 8, -9223372036854775808.0L, 9223372036854775807.0L, true },
    { KITH_TYPE_F32, 4, -16777216.0L, 16777216.0L, false },
    { KITH_TYPE_F64, 8, -9007199254740992.0L, 9007199254740992.0L, false },
};

// Every pair of types: allowed exactly if all numbers of the one are numbers of the other.
static void a_number_becomes_what_holds_all_its_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof number_types / sizeof number_types[0]; i++) {
        for (size_t j = 0; j < sizeof number_types / sizeof number_types[0]; j++) {
            const number_type *from   = &number_types[i];
            const number_type *to     = &number_types[j];
            uint8_t            old[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
            uint8_t            now[8];
            kith_field         a  = number_field(from->type, from->size, 1);
            kith_field         b  = number_field(to->type, to->size, 1);
            kith_fields        ta = table_of(&a);
            kith_fields        tb = table_of(&b);
            bool               right =
                to->low <= from->low && from->high <= to->high && (from->whole || !to->whole);
            kith_result result = migrate_fields(&ta, old, &tb, now);
            assert_int_equal(result.code, right ? KITH_OK : KITH_ERROR_CONFLICT);
            if (!right) {
                assert_says(result, "\"crew.n\": it has a type that does not hold");
            }
        }
    }
}

static void limits_of_numbers_stay_what_they_are(void **state)
{
    (void)state;
    int64_t     wide;
    double      real;
    int32_t     low  = INT32_MIN;
    uint32_t    high = UINT32_MAX;
    kith_field  i32  = number_field(KITH_TYPE_I32, 4, 1);
    kith_field  u32  = number_field(KITH_TYPE_U32, 4, 1);
    kith_field  i64  = number_field(KITH_TYPE_I64, 8, 1);
    kith_field  f64  = number_field(KITH_TYPE_F64, 8, 1);
    kith_fields of[] = { table_of(&i32), table_of(&u32), table_of(&i64), table_of(&f64) };
    assert_int_equal(migrate_fields(&of[0], &low, &of[2], &wide).code, KITH_OK);
    assert_true(wide == INT32_MIN);
    assert_int_equal(migrate_fields(&of[1], &high, &of[2], &wide).code, KITH_OK);
    assert_true(wide == UINT32_MAX);
    assert_int_equal(migrate_fields(&of[0], &low, &of[3], &real).code, KITH_OK);
    assert_true(real == -2147483648.0);
    assert_int_equal(migrate_fields(&of[1], &high, &of[3], &real).code, KITH_OK);
    assert_true(real == 4294967295.0);
}

static void a_migration_that_would_lose_values_is_refused(void **state)
{
    (void)state;
    uint32_t    old[4] = { 1, 2, 3, 4 };
    kith_field  four   = number_field(KITH_TYPE_U32, 4, 4);
    kith_field  three  = number_field(KITH_TYPE_U32, 4, 3);
    kith_field  handle = number_field(KITH_TYPE_ENTITY, 8, 2);
    kith_fields a      = table_of(&four);
    kith_fields b      = table_of(&three);
    kith_fields c      = table_of(&handle);
    assert_says(migrate_fields(&a, old, &b, NULL),
                "\"crew.n\": it has fewer elements than in the snapshot");
    assert_says(migrate_fields(&a, old, &c, NULL), "\"crew.n\": it has fewer elements");
    assert_says(migrate_fields(&c, old, &a, NULL), "\"crew.n\": it has a type");
}

// --- versions --------------------------------------------------------------------------------

typedef struct upgrades {
    uint32_t calls;
    bool     refuse;
} upgrades;

static bool upgrade_crew(void *value, const kith_old *old, void *context)
{
    upgrades       *done = context;
    new_crew       *crew = value;
    const old_crew *was  = old->value;
    done->calls++;
    assert_int_equal(old->version, 3);
    assert_int_equal(old->size, sizeof *was);
    assert_string_equal(old->fields->list[9].name, "useless");
    assert_int_equal(crew->health, 65535); // the tables were there first
    crew->added = was->useless + 1;
    return !done->refuse;
}

static void an_upgrade_sees_the_old_struct(void **state)
{
    (void)state;
    upgrades            done = { 0 };
    const kith_upgrade  by   = { upgrade_crew, &done };
    kith_component_desc a    = fields_desc(&old_crew_fields);
    kith_component_desc b    = fields_desc(&new_crew_fields);
    a.traits.saved.version   = 3;
    b.traits.saved.version   = 4;
    b.traits.saved.upgrade   = &by;
    new_crew now;
    assert_string_equal(migrate(&a, &sailor, &b, &now).message, "");
    assert_true(now.added == 100 && done.calls == 1);
    done.refuse = true;
    assert_says(migrate(&a, &sailor, &b, &now), "\"crew\": its upgrade function refused");
    b.traits.saved.version = 3; // the same: no upgrade is called
    done.calls             = 0;
    assert_string_equal(migrate(&a, &sailor, &b, &now).message, "");
    assert_int_equal(done.calls, 0);
}

typedef struct mixed {
    uint32_t a;
    uint64_t b;
    uint8_t  c;
    double   d;
    uint32_t e;
} mixed;
KITH_FIELDS(mixed, u32(a), u64(b), u8(c), f64(d), u32(e));

static bool upgrade_mixed(void *value, const kith_old *old, void *context)
{
    (void)context;
    assert_int_equal(old->size, sizeof(mixed));
    memcpy(value, old->value, sizeof(mixed));
    return true;
}

// Also where 8 bytes are aligned to 4.
static void an_old_struct_is_as_this_compiler_has_it(void **state)
{
    (void)state;
    const kith_upgrade  by    = { upgrade_mixed, NULL };
    const mixed         value = { 1, 2, 3, 4, 5 };
    mixed               now   = { 0 };
    kith_component_desc a     = fields_desc(&mixed_fields);
    kith_component_desc b     = a;
    b.traits.saved.version    = 1;
    b.traits.saved.upgrade    = &by;
    assert_string_equal(migrate(&a, &value, &b, &now).message, "");
    assert_true(now.a == 1 && now.b == 2 && now.c == 3 && now.d == 4 && now.e == 5);
}

static bool upgrade_mass(void *value, const kith_old *old, void *context)
{
    uint16_t grams[2];
    (void)context;
    assert_true(old->fields == NULL && old->size == sizeof grams && old->version == 0);
    memcpy(grams, old->value, sizeof grams);
    double kilograms = (grams[0] + grams[1]) / 1000.0;
    memcpy(value, &kilograms, sizeof kilograms);
    return true;
}

static void plain_values_change_only_by_an_upgrade(void **state)
{
    (void)state;
    const kith_upgrade  by       = { upgrade_mass, NULL };
    kith_saved          was      = KITH_AS(plain(2));
    kith_saved          is       = KITH_AS(plain(8, 1, NULL));
    const uint16_t      grams[2] = { 1500, 500 };
    double              now;
    kith_component_desc a = desc_of("mass", MASS, 4, 2, was);
    kith_component_desc b = desc_of("mass", MASS, 8, 8, is);
    assert_says(migrate(&a, grams, &b, &now), "\"mass\": its version differs");
    b.traits.saved.version = 0;
    assert_says(migrate(&a, grams, &b, &now), "\"mass\": it has another save form");
    b.traits.saved.version = 1;
    b.traits.saved.upgrade = &by;
    assert_string_equal(migrate(&a, grams, &b, &now).message, "");
    assert_true(now == 2.0);
}

static bool upgrade_not(void *value, const kith_old *old, void *context)
{
    (void)value;
    (void)old;
    (void)context;
    return false;
}

static void another_upgrade_takes_the_place_of_the_first(void **state)
{
    const kith_upgrade  first  = { upgrade_not, NULL };
    const kith_upgrade  second = { upgrade_mass, NULL };
    kith_saved          is     = KITH_AS(plain(8, 1, NULL));
    kith_component_desc desc   = desc_of("mass", MASS, 8, 8, is);
    test_memory         memory = { 0 };
    kith_world         *world  = test_world(&memory);
    (void)state;
    desc.traits.saved.upgrade = &first;
    assert_int_equal(kith_component_register(world, &desc), MASS);
    desc.traits.saved.upgrade = &second;
    assert_int_equal(kith_component_register(world, &desc), MASS);
    assert_true(kith_component_describe(world, MASS)->traits.saved.upgrade->upgrade ==
                upgrade_mass);
    test_world_end(world, &memory);
}

static size_t write_note(const void *value, void *bytes, size_t room, void *context)
{
    (void)context;
    if (room >= 3) {
        memcpy(bytes, value, 3);
    }
    return 3;
}

static bool read_note(void *value, const void *bytes, size_t size, void *context)
{
    (void)context;
    memcpy(value, bytes, size);
    return size == 3;
}

static bool upgrade_note(void *value, const kith_old *old, void *context)
{
    (void)context;
    assert_true(old->fields == NULL && old->size == 3);
    snprintf(value, 8, "%.3s!", (const char *)old->value);
    return true;
}

static bool upgrade_numbers(void *value, const kith_old *old, void *context)
{
    (void)context;
    assert_true(old->fields == NULL && old->size == 3);
    memcpy(value, old->value, 3);
    return true;
}

static void plain_values_go_through_functions_after_an_upgrade(void **state)
{
    (void)state;
    static const kith_saver saver = { write_note, read_note, NULL };
    const kith_upgrade      by    = { upgrade_numbers, NULL };
    kith_saved              was   = KITH_AS(plain(1));
    kith_saved              is    = KITH_AS(through(&saver, 1, &by));
    char                    now[8];
    kith_component_desc     a = desc_of("note", NOTE, 3, 1, was);
    kith_component_desc     b = desc_of("note", NOTE, 8, 1, is);
    assert_string_equal(migrate(&a, "abc", &b, now).message, "");
    assert_memory_equal(now, "abc", 3);
}

static void bytes_of_functions_become_fields_by_an_upgrade(void **state)
{
    (void)state;
    typedef struct note {
        char text[8];
    } note;
    static const kith_saver saver = { write_note, read_note, NULL };
    const kith_upgrade      by    = { upgrade_note, NULL };
    kith_field          text  = { .name = "text", .type = KITH_TYPE_CHARS, .size = 1, .count = 8 };
    kith_fields         table = { "note", 8, 1, &text, 1 };
    kith_saved          was   = KITH_AS(through(&saver));
    kith_saved          is    = { KITH_FORM_FIELDS, 1, &table, NULL, 2, &by };
    note                value = { "abc" };
    note                now;
    kith_component_desc a = desc_of("note", NOTE, 8, 1, was);
    kith_component_desc b = desc_of("note", NOTE, 8, 1, is);
    assert_string_equal(migrate(&a, &value, &b, &now).message, "");
    assert_string_equal(now.text, "abc!");
}

static void singletons_migrate_too(void **state)
{
    (void)state;
    test_memory         memories[2] = { { 0 }, { 0 } };
    kith_component_desc a           = fields_desc(&old_crew_fields);
    kith_component_desc b           = fields_desc(&new_crew_fields);
    a.kind = b.kind    = KITH_KIND_SINGLETON;
    kith_bytes  bytes  = { .data = NULL };
    kith_world *before = world_with(&memories[0], &a);
    kith_world *after  = world_with(&memories[1], &b);
    assert_non_null(kith_singleton_set(before, CREW, &sailor));
    assert_int_equal(kith_world_save_memory(before, NULL, &bytes).code, KITH_OK);
    assert_string_equal(kith_world_load(after, NULL, bytes.data, bytes.size).message, "");
    const new_crew *now = kith_singleton_get(after, CREW);
    assert_true(now->health == 65535 && now->depth == -128);
    kith_bytes_free(&bytes);
    test_world_end(before, &memories[0]);
    test_world_end(after, &memories[1]);
}

// A component that is transient now was saved once.
static void components_that_are_transient_now_are_left_out(void **state)
{
    (void)state;
    test_memory         memory = { 0 };
    kith_component_desc a      = fields_desc(&old_crew_fields);
    kith_component_desc b      = a;
    b.traits.saved             = (kith_saved){ .form = KITH_FORM_TRANSIENT };
    kith_bytes  bytes          = saved_value(&a, &sailor);
    kith_world *world          = world_with(&memory, &b);
    assert_string_equal(kith_world_load(world, NULL, bytes.data, bytes.size).message, "");
    assert_int_equal(kith_world_stats(world).alive, 1);
    assert_false(kith_component_has(world, kith_entity_slot(world, 0), CREW));
    kith_bytes_free(&bytes);
    test_world_end(world, &memory);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_memory         memory = { 0 };
    kith_component_desc a      = fields_desc(&old_crew_fields);
    kith_component_desc b      = fields_desc(&new_crew_fields);
    kith_bytes          bytes  = saved_value(&a, &sailor);
    kith_world         *world  = world_with(&memory, &b);
    uint32_t            failed = 0;
    kith_result         result;
    do {
        test_fail_after(&memory, ++failed);
        result = kith_world_load(world, NULL, bytes.data, bytes.size);
        test_fail_after(&memory, 0);
        assert_true(result.code == KITH_OK || result.code == KITH_ERROR_MEMORY);
        assert_world_valid(world);
    } while (result.code != KITH_OK);
    assert_true(failed > 8);
    kith_bytes_free(&bytes);
    test_world_end(world, &memory);
}

// A component without a save form has no values, or saving would have failed.
static void a_component_without_a_save_form_may_have_one_now(void **state)
{
    static const kith_upgrade by = { upgrade_mixed, NULL };
    (void)state;
    for (uint32_t way = 0; way < 4; way++) {
        test_memory         memories[2] = { { 0 }, { 0 } };
        kith_bytes          bytes       = { .data = NULL };
        kith_component_desc now         = fields_desc(&mixed_fields);
        kith_component_desc was         = now;
        was.traits.saved                = (kith_saved){ .form = KITH_FORM_NONE };
        was.kind = now.kind = way < 2 ? KITH_KIND_VALUE : KITH_KIND_SINGLETON;
        if (way % 2 != 0) {
            now.traits.saved.version = 1;
            now.traits.saved.upgrade = &by;
        }
        kith_world *worlds[2] = { world_with(&memories[0], &was), world_with(&memories[1], &now) };
        kith_entity_create(worlds[0]);
        assert_int_equal(kith_world_save_memory(worlds[0], NULL, &bytes).code, KITH_OK);
        assert_string_equal(kith_world_load(worlds[1], NULL, bytes.data, bytes.size).message, "");
        assert_int_equal(kith_world_stats(worlds[1]).alive, 1);
        kith_bytes_free(&bytes);
        test_world_end(worlds[0], &memories[0]);
        test_world_end(worlds[1], &memories[1]);
    }
}

// The file has an order of members, and no entity is a member any more.
static void groups_leave_out_components_that_are_transient_now(void **state)
{
    test_memory memories[2] = { { 0 }, { 0 } };
    kith_world *worlds[2];
    kith_saved  forms[2] = { KITH_AS(plain(4)), KITH_AS(transient) };
    kith_bytes  bytes    = { .data = NULL };
    kith_term   terms[2] = { { .component = MASS, .role = KITH_ROLE_READ },
                             { .component = NOTE, .role = KITH_ROLE_READ } };
    uint32_t    value    = 1;
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        kith_component_desc mass = desc_of("mass", MASS, 4, 4, forms[0]);
        kith_component_desc note = desc_of("note", NOTE, 4, 4, forms[i]);
        worlds[i]                = world_with(&memories[i], &mass);
        assert_int_equal(kith_component_register(worlds[i], &note), NOTE);
        kith_query_desc group = { .terms = terms, .term_count = 2 };
        assert_non_null(kith_group_of(worlds[i], &group));
    }
    kith_entity entity = kith_entity_create(worlds[0]);
    kith_component_set(worlds[0], entity, MASS, &value);
    kith_component_set(worlds[0], entity, NOTE, &value);
    assert_int_equal(kith_world_save_memory(worlds[0], NULL, &bytes).code, KITH_OK);
    assert_string_equal(kith_world_load(worlds[1], NULL, bytes.data, bytes.size).message, "");
    assert_true(kith_component_has(worlds[1], entity, MASS));
    assert_false(kith_component_has(worlds[1], entity, NOTE));
    kith_bytes_free(&bytes);
    test_world_end(worlds[0], &memories[0]);
    test_world_end(worlds[1], &memories[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_found_by_name_and_grow),
        cmocka_unit_test(numbers_of_an_enum_follow_their_names),
        cmocka_unit_test(numbers_without_a_name_keep_their_value),
        cmocka_unit_test(fields_come_to_a_struct_that_saved_none),
        cmocka_unit_test(a_number_becomes_what_holds_all_its_values),
        cmocka_unit_test(limits_of_numbers_stay_what_they_are),
        cmocka_unit_test(a_migration_that_would_lose_values_is_refused),
        cmocka_unit_test(an_upgrade_sees_the_old_struct),
        cmocka_unit_test(an_old_struct_is_as_this_compiler_has_it),
        cmocka_unit_test(plain_values_change_only_by_an_upgrade),
        cmocka_unit_test(another_upgrade_takes_the_place_of_the_first),
        cmocka_unit_test(plain_values_go_through_functions_after_an_upgrade),
        cmocka_unit_test(bytes_of_functions_become_fields_by_an_upgrade),
        cmocka_unit_test(singletons_migrate_too),
        cmocka_unit_test(components_that_are_transient_now_are_left_out),
        cmocka_unit_test(groups_leave_out_components_that_are_transient_now),
        cmocka_unit_test(a_component_without_a_save_form_may_have_one_now),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("migrate", tests, NULL, NULL);
}
