// SPDX-License-Identifier: MIT
// Tables of fields: what the macros make, what registering refuses, and values as packed bytes.
#include "kith_test.h"

#include "store/field.h"

enum { CREW = 101, MASS, MESH, SCRIPT, SEASON };

typedef struct point {
    float x, y;
} point;

typedef enum feeling { CALM, ANGRY = 7 } feeling;

typedef struct crew {
    point       at;
    point       path[2];
    feeling     mood;
    uint8_t     grade;
    kith_entity ship;
    char        name[5];
    bool        awake;
    void       *mesh;
    int16_t     scores[3];
} crew;

KITH_FIELDS(point, f32(x, "m"), f32(y, "m", "height"));
KITH_CHOICES(feeling, CALM, ANGRY);
KITH_FIELDS(crew, nested(at, point), nested(path, point, NULL, "way"), choice(mood, feeling),
            choice(grade, feeling, "steps"), entity(ship), chars(name), boolean(awake),
            kith_skip(mesh), i16(scores));

static size_t write_nothing(const void *value, void *bytes, size_t room, void *context)
{
    (void)value, (void)bytes, (void)room, (void)context;
    return 0;
}

static bool read_nothing(void *value, const void *bytes, size_t size, void *context)
{
    (void)value, (void)bytes, (void)size, (void)context;
    return true;
}

static const kith_saver script_saver = { write_nothing, read_nothing, NULL };

KITH_COMPONENT_AS(member, crew, CREW, fields(crew));
KITH_COMPONENT_AS(bulk, double, MASS, plain(8));
KITH_COMPONENT_AS(mesh, void *, MESH, transient);
KITH_COMPONENT_AS(script, point, SCRIPT, through(&script_saver));
KITH_SINGLETON_AS(season, point, SEASON, fields(point));

static void a_table_says_what_the_struct_is(void **state)
{
    (void)state;
    const kith_field *f = crew_fields.list;
    assert_string_equal(crew_fields.name, "crew");
    assert_int_equal(crew_fields.count, 9);
    assert_int_equal(crew_fields.size, sizeof(crew));
    assert_string_equal(f[1].name, "path");
    assert_string_equal(f[1].was, "way");
    assert_int_equal(f[1].count, 2);
    assert_ptr_equal(f[1].nested, &point_fields);
    assert_string_equal(f[3].unit, "steps");
    assert_int_equal(f[3].size, 1);
    assert_int_equal(f[3].choices->list[1].value, 7);
    assert_string_equal(f[3].choices->list[1].name, "ANGRY");
    assert_int_equal(f[5].type, KITH_TYPE_CHARS);
    assert_int_equal(f[5].count, 5);
    assert_int_equal(f[7].count, sizeof(void *));
    assert_int_equal(f[8].offset, offsetof(crew, scores));
}

// The program's tables may go, with a library that is unloaded, while the world stays.
static void a_world_has_its_own_table(void **state)
{
    test_fixture       *f      = *state;
    kith_component_desc desc   = member_desc();
    char                name[] = "x";
    const kith_field    x      = { name, NULL, NULL, KITH_TYPE_F64, 0, 8, 1, NULL, NULL };
    kith_fields         table  = { "one", 8, 8, &x, 1 };
    desc.traits.saved.fields   = &table;
    desc.size                  = 8;
    assert_int_equal(kith_component_register(f->world, &desc), CREW);
    memset(&table, 0xff, sizeof table);
    name[0]                 = '?';
    const kith_saved *saved = &kith_component_describe(f->world, CREW)->traits.saved;
    assert_string_equal(saved->fields->list[0].name, "x");
    assert_int_equal(saved->fields->list[0].type, KITH_TYPE_F64);
}

static void all_forms_can_be_registered(void **state)
{
    test_fixture *f = *state;
    assert_true(member_register(f->world) && bulk_register(f->world) && mesh_register(f->world) &&
                script_register(f->world) && season_register(f->world));
    assert_true(member_register(f->world)); // the same again
}

static void assert_table_refused(test_fixture *f, const kith_fields *table, const char *sentence,
                                 const char *field)
{
    kith_component_desc desc = member_desc();
    desc.size                = table->size;
    desc.alignment           = 1;
    desc.traits.saved.fields = table;
    assert_int_equal(kith_component_register(f->world, &desc), 0);
    kith_error error = kith_world_error(f->world);
    assert_int_equal(error.code, KITH_ERROR_ARGUMENT);
    assert_string_equal(error.subject, sentence);
    assert_string_equal(error.other, field);
    kith_world_error_clear(f->world);
}

static void tables_that_leave_bytes_out_are_refused(void **state)
{
    test_fixture    *f     = *state;
    const kith_field gap[] = { { "x", NULL, NULL, KITH_TYPE_F32, 0, 4, 1, NULL, NULL },
                               { "z", NULL, NULL, KITH_TYPE_F32, 8, 4, 1, NULL, NULL } };
    const kith_field one[] = { { "x", NULL, NULL, KITH_TYPE_F32, 0, 4, 1, NULL, NULL } };
    const kith_field far[] = { { "x", NULL, NULL, KITH_TYPE_F32, 0, 4, 3, NULL, NULL } };
    assert_table_refused(f, &(kith_fields){ "gap", 12, 4, gap, 2 },
                         "bytes before it belong to no field", "z");
    assert_table_refused(f, &(kith_fields){ "tail", 8, 4, one, 1 },
                         "bytes after it belong to no field", "x");
    assert_table_refused(f, &(kith_fields){ "far", 8, 4, far, 1 },
                         "fields must be in order and end within the struct", "x");
}

static void invalid_fields_are_refused(void **state)
{
    test_fixture      *f       = *state;
    const kith_field   twice[] = { { "x", NULL, NULL, KITH_TYPE_F32, 0, 4, 1, NULL, NULL },
                                   { "x", NULL, NULL, KITH_TYPE_F32, 4, 4, 1, NULL, NULL } };
    const kith_field   wide[]  = { { "x", NULL, NULL, KITH_TYPE_F32, 0, 8, 1, NULL, NULL } };
    const kith_field   mute[]  = { { "x", NULL, NULL, KITH_TYPE_ENUM, 0, 4, 1, NULL, NULL } };
    const kith_field   bare[]  = { { "x", NULL, NULL, KITH_TYPE_STRUCT, 0, 4, 1, NULL, NULL } };
    const kith_choice  same[]  = { { "A", 1 }, { "A", 2 } };
    const kith_choices names   = { "names", same, 2 };
    const kith_field   echo[]  = { { "x", NULL, NULL, KITH_TYPE_ENUM, 0, 4, 1, NULL, &names } };
    kith_field         ring[]  = { { "x", NULL, NULL, KITH_TYPE_STRUCT, 0, 4, 1, NULL, NULL } };
    const kith_fields  round   = { "round", 4, 4, ring, 1 };
    ring[0].nested             = &round;
    assert_table_refused(f, &(kith_fields){ "twice", 8, 4, twice, 2 },
                         "each field needs a unique name", "x");
    assert_table_refused(f, &(kith_fields){ "wide", 8, 4, wide, 1 },
                         "the size is not that of the type", "x");
    assert_table_refused(f, &(kith_fields){ "mute", 4, 4, mute, 1 },
                         "an enum needs names for its numbers", "x");
    assert_table_refused(f, &(kith_fields){ "echo", 4, 4, echo, 1 }, "an enum uses a name twice",
                         "x");
    assert_table_refused(f, &(kith_fields){ "bare", 4, 4, bare, 1 },
                         "a nested struct needs a field table of its size", "x");
    assert_table_refused(f, &round, "structs are nested too deep", "x");
}

static void another_table_is_a_conflict(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = season_desc();
    assert_true(season_register(f->world));
    const kith_field other[] = { { "x", NULL, NULL, KITH_TYPE_F32, 0, 4, 1, NULL, NULL },
                                 { "z", NULL, NULL, KITH_TYPE_F32, 4, 4, 1, NULL, NULL } };
    desc.traits.saved.fields = &(kith_fields){ "point", 8, 4, other, 2 };
    assert_int_equal(kith_component_register(f->world, &desc), 0);
    assert_int_equal(kith_world_error(f->world).code, KITH_ERROR_CONFLICT);
    assert_string_equal(kith_world_error(f->world).subject, "schema");
}

// Padding and what is skipped never reach the packed bytes, and come back as 0.
static void values_are_packed_without_padding(void **state)
{
    (void)state;
    static const kith_allocator heap   = { NULL, NULL, NULL };
    kith_allocator              memory = kith_allocator_or_heap(heap);
    kith_saved                  saved  = KITH_AS(fields(crew));
    kith_layout                 layout;
    crew                        two[2];
    crew                        back[2];
    uint8_t                     packed[2 * sizeof(crew)];

    assert_true(kith_layout_init(&layout, &memory, &saved, sizeof(crew)));
    assert_int_equal(layout.packed, 8 + 16 + 4 + 1 + 8 + 5 + 1 + 6);
    assert_int_equal(layout.entity_count, 1);
    assert_int_equal(layout.entities[0].at, offsetof(crew, ship));
    memset(two, 0xee, sizeof two);
    for (int i = 0; i < 2; i++) {
        two[i].at        = (point){ 1, 2 };
        two[i].mood      = ANGRY;
        two[i].grade     = 3;
        two[i].ship      = UINT64_C(0x0102030405060708);
        two[i].awake     = true;
        two[i].scores[2] = 0x1234;
    }
    kith_layout_pack(&layout, packed, two, 2);
    assert_int_equal(packed[24], 7);
    assert_int_equal(packed[28], 3);
    assert_int_equal(packed[29], 8);
    assert_int_equal(packed[36], 1);
    assert_int_equal(packed[47], 0x34);
    assert_int_equal(packed[48], 0x12);
    assert_true(kith_layout_unpack(&layout, back, packed, 2));
    assert_int_equal(back[1].ship, two[1].ship);
    assert_int_equal(back[1].scores[2], 0x1234);
    assert_null(back[1].mesh);
    packed[layout.packed + layout.bools[0].at] = 2;
    assert_false(kith_layout_unpack(&layout, back, packed, 2));
    kith_layout_free(&layout, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(a_table_says_what_the_struct_is),
        TEST_WORLD(a_world_has_its_own_table),
        TEST_WORLD(all_forms_can_be_registered),
        TEST_WORLD(tables_that_leave_bytes_out_are_refused),
        TEST_WORLD(invalid_fields_are_refused),
        TEST_WORLD(another_table_is_a_conflict),
        TEST_WORLD(values_are_packed_without_padding),
    };
    return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
