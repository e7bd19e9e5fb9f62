// SPDX-License-Identifier: MIT
// JSON: what is written, that it comes back bit for bit, and what is refused, with its place.
#define _POSIX_C_SOURCE 200112L // setenv
#include "kith_test.h"

#include "base/print.h"
#include "json_test.h"
#include "kith/hierarchy.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

// Given by the build; a test that is built by hand is run from the root of the repository.
#ifndef KITH_SOURCE_DIR
    #define KITH_SOURCE_DIR "."
#endif

#define COUNT_OF(ARRAY) (sizeof(ARRAY) / sizeof(ARRAY)[0])

typedef struct fixture {
    test_memory memory;
    kith_world *world;
    test_memory other_memory;
    kith_world *other; // as empty as the first was
    test_memory text_memory;
    kith_bytes  text;
} fixture;

static kith_world *make_world(test_memory *memory)
{
    kith_world *world = test_world(memory);
    assert_non_null(world);
    assert_true(json_register(world));
    return world;
}

static int setup(void **state)
{
    fixture *f        = calloc(1, sizeof *f);
    f->world          = make_world(&f->memory);
    f->other          = make_world(&f->other_memory);
    f->text.allocator = test_allocator(&f->text_memory);
    *state            = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    test_world_end(f->world, &f->memory);
    test_world_end(f->other, &f->other_memory);
    kith_bytes_free(&f->text);
    assert_int_equal(f->text_memory.live_blocks, 0);
    free(f);
    return 0;
}

static const char *text_of_entity(fixture *f, kith_entity entity)
{
    kith_bytes_free(&f->text);
    assert_true(kith_json_write_entity(f->world, entity, kith_bytes_write, &f->text));
    assert_int_equal(strlen((const char *)f->text.data), f->text.size);
    return (const char *)f->text.data;
}

static const char *text_of_world(fixture *f, const kith_world *world)
{
    kith_bytes_free(&f->text);
    assert_true(kith_json_write_world(world, kith_bytes_write, &f->text));
    return (const char *)f->text.data;
}

static kith_entity read_entity(kith_world *world, const char *text)
{
    kith_entity entity = KITH_NULL;
    kith_result result = kith_json_read_entity(world, text, strlen(text), NULL, &entity);
    if (result.code != KITH_OK) {
        fail_msg("byte %u: %s", (unsigned)result.offset, result.message);
    }
    assert_int_equal(result.offset, strlen(text));
    return entity;
}

static void read_world(kith_world *world, const char *text)
{
    kith_result result = kith_json_read_world(world, text, strlen(text), NULL);
    if (result.code != KITH_OK) {
        fail_msg("byte %u: %s", (unsigned)result.offset, result.message);
    }
}

static crew zero_crew(void)
{
    crew value;
    memset(&value, 0, sizeof value);
    return value;
}

// --- shapes ----------------------------------------------------------------------------------

static void an_entity_is_an_object(void **state)
{
    fixture    *f    = *state;
    kith_entity e    = kith_entity_create(f->world);
    spot        here = { 1.5f, 2, -3 };
    kith_component_set(f->world, e, SPOT, &here);
    kith_component_add(f->world, e, ASLEEP, NULL);
    kith_component_add(f->world, e, LOUD, NULL);
    kith_component_enable(f->world, e, SPOT, false);

    assert_string_equal(text_of_entity(f, e),
                        "{\"entity\": \"0:1\", \"components\": {\"spot\": {\"x\": 1.5, \"y\": 2, "
                        "\"floor\": -3}, \"asleep\": true, \"loud\": true}, "
                        "\"disabled\": [\"spot\"]}");
}

static void a_world_is_an_entity_a_line(void **state)
{
    fixture *f = *state;
    assert_string_equal(text_of_world(f, f->world),
                        "{\"kith\": 0, \"entities\": [\n], \"singletons\": {}}\n");
    kith_entity a = kith_entity_create(f->world);
    kith_entity b = kith_entity_create(f->world);
    kith_component_add(f->world, b, ASLEEP, NULL);
    kith_component_add(f->world, a, MESH, NULL); // transient
    kith_singleton_set(f->world, CLOCK, &(uint64_t){ UINT64_MAX });
    kith_singleton_add(f->world, WINDOW); // transient

    assert_string_equal(text_of_world(f, f->world),
                        "{\"kith\": 0, \"entities\": [\n"
                        "{\"entity\": \"0:1\", \"components\": {}},\n"
                        "{\"entity\": \"1:1\", \"components\": {\"asleep\": true}}\n"
                        "], \"singletons\": {\"clock\": [18446744073709551615]}}\n");
}

static void every_type_has_its_form(void **state)
{
    fixture    *f     = *state;
    kith_entity e     = kith_entity_create(f->world);
    crew        value = zero_crew();
    value             = (crew){ .ready = true,
                                .u8    = UINT8_MAX,
                                .u16   = UINT16_MAX,
                                .u32   = UINT32_MAX,
                                .u64   = UINT64_MAX,
                                .i8    = INT8_MIN,
                                .i16   = INT16_MIN,
                                .i32   = INT32_MIN,
                                .i64   = INT64_MIN,
                                .f32   = 0.1f,
                                .f64   = 0.1,
                                .ship  = handle(7, 2),
                                .name  = "a\"b\\\n",
                                .mood  = ANGRY,
                                .doors = { true, false, true },
                                .mates = { KITH_NULL, handle(5, 0) } };
    kith_component_set(f->world, e, CREW, &value);

    assert_string_equal(
        text_of_entity(f, e),
        "{\"entity\": \"0:1\", \"components\": {\"crew\": {\"ready\": true, \"u8\": 255, "
        "\"u16\": 65535, \"u32\": 4294967295, \"u64\": 18446744073709551615, \"i8\": -128, "
        "\"i16\": -32768, \"i32\": -2147483648, \"i64\": -9223372036854775808, \"f32\": 0.1, "
        "\"f64\": 0.1, \"ship\": \"7:2\", \"name\": \"a\\\"b\\\\\\u000a\", \"mood\": \"ANGRY\", "
        "\"at\": {\"x\": 0, \"y\": 0, \"floor\": 0}, \"seen\": [{\"x\": 0, \"y\": 0, "
        "\"floor\": 0}, {\"x\": 0, \"y\": 0, \"floor\": 0}], \"doors\": [true, false, true], "
        "\"mates\": [null, \"5:0\"]}}}");
}

static void other_forms_are_numbers_and_hexadecimal(void **state)
{
    fixture       *f       = *state;
    kith_entity    e       = kith_entity_create(f->world);
    const uint32_t heat[3] = { 1, 0, UINT32_MAX };
    const uint8_t  grain[] = { 1, 2, 255 };
    script         s       = { "a\xff", 2 };
    kith_component_set(f->world, e, HEAT, heat);
    kith_component_set(f->world, e, GRAIN, grain);
    kith_component_set(f->world, e, SCRIPT, &s);

    assert_string_equal(text_of_entity(f, e),
                        "{\"entity\": \"0:1\", \"components\": {\"heat\": [1, 0, 4294967295], "
                        "\"a \\\"grain\\\" \\\\\": [1, 2, 255], \"script\": \"61ff\"}}");
}

// --- coming back -----------------------------------------------------------------------------

static crew back_and_forth(fixture *f, const crew *value)
{
    kith_entity e = kith_entity_create(f->world);
    kith_component_set(f->world, e, CREW, value);
    kith_entity read = read_entity(f->other, text_of_entity(f, e));
    assert_int_equal(read, e);
    crew back;
    memcpy(&back, kith_component_get(f->other, read, CREW), sizeof back);
    kith_entity_destroy(f->world, e);
    kith_entity_destroy(f->other, read);
    return back;
}

static void check_float(fixture *f, uint32_t bits)
{
    crew value = zero_crew();
    memcpy(&value.f32, &bits, sizeof bits);
    crew back = back_and_forth(f, &value);
    assert_memory_equal(&back, &value, sizeof value);
}

static void check_double(fixture *f, uint64_t bits)
{
    crew value = zero_crew();
    memcpy(&value.f64, &bits, sizeof bits);
    crew back = back_and_forth(f, &value);
    assert_memory_equal(&back, &value, sizeof value);
}

static void floats_come_back_bit_for_bit(void **state)
{
    fixture              *f        = *state;
    static const uint32_t floats[] = {
        0,          0x80000000, 1,          0x80000001, 0x007fffff,
        0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
        0xffc00000, 0x7f800001, 0x7fffffff, 0x3dcccccd, 0x4b800001,
    };
    static const uint64_t doubles[] = { 0,
                                        UINT64_C(0x8000000000000000),
                                        1,
                                        UINT64_C(0x000fffffffffffff),
                                        UINT64_C(0x0010000000000000),
                                        UINT64_C(0x7fefffffffffffff),
                                        UINT64_C(0x7ff0000000000000),
                                        UINT64_C(0xfff0000000000000),
                                        UINT64_C(0x7ff8000000000000),
                                        UINT64_C(0xfff8000000000000),
                                        UINT64_C(0x7ff0000000000001),
                                        UINT64_C(0xffffffffffffffff),
                                        UINT64_C(0x3fb999999999999a),
                                        UINT64_C(0x4340000000000001) };
    uint64_t              seed      = test_seed();
    for (size_t i = 0; i < COUNT_OF(floats); i++) {
        check_float(f, floats[i]);
    }
    for (size_t i = 0; i < COUNT_OF(doubles); i++) {
        check_double(f, doubles[i]);
    }
    for (uint32_t i = 0; i < test_thinned(2000); i++) {
        check_float(f, (uint32_t)test_random(&seed));
        check_double(f, test_random(&seed));
    }
}

static void check_digits(double value, const char *expected)
{
    char        text[KITH_NUMBER_ROOM + 1] = { 0 };
    kith_number number                     = { 0, true };
    memcpy(&number.bits, &value, sizeof value);
    kith_number_write(number, text);
    assert_string_equal(text, expected);
}

static void floats_are_as_short_as_can_be(void **state)
{
    (void)state;
    check_digits(1, "1");
    check_digits(-0.0, "-0.0");
    check_digits(0.5, "0.5");
    check_digits(100, "100");
    check_digits(1e16, "10000000000000000");
    check_digits(1e17, "1e+17");
    check_digits(1e-5, "0.00001");
    check_digits(1e-6, "1e-6");
    check_digits(5e-324, "5e-324");
    check_digits(DBL_MAX, "1.7976931348623157e+308");
    check_digits(0.1 + 0.2, "0.30000000000000004");
    check_digits((double)0.1f, "0.10000000149011612");
}

static void check_words(const char *text, uint64_t bits)
{
    kith_number number = { 0, true };
    bool        word   = *text == 'n' || *text == 'i';
    assert_true(word ? kith_number_read_word(text, strlen(text), &number)
                     : kith_number_read(text, strlen(text), &number));
    assert_true(number.bits == bits);
}

static void numbers_are_read_however_long(void **state)
{
    (void)state;
    char long_text[2000];
    check_words("0.0e999999999999999999999999", 0);
    check_words("-0", UINT64_C(0x8000000000000000));
    check_words("1e-999999999999999999999999", 0);
    check_words("0.00015E+4", UINT64_C(0x3ff8000000000000));
    // 1 + 2^-53 is half way to the next double: a digit behind it, however far, decides
    int begin = snprintf(long_text, sizeof long_text,
                         "1.00000000000000011102230246251565404236316680908203125");
    check_words(long_text, UINT64_C(0x3ff0000000000000));
    memset(long_text + begin, '0', sizeof long_text - (size_t)begin);
    long_text[1900] = '1';
    long_text[1901] = '\0';
    check_words(long_text, UINT64_C(0x3ff0000000000001));
    // and as many digits in front of the point
    memset(long_text, '0', sizeof long_text);
    long_text[0] = '1';
    memcpy(long_text + 1000, "e-1000", 7);
    check_words(long_text, UINT64_C(0x3fb999999999999a));
    kith_number number = { 0, false };
    assert_false(kith_number_read("1e39", 4, &number));
    assert_false(kith_number_read_word("nan(0x7f800000)", 15, &number)); // an infinity
    assert_false(kith_number_read_word("nan(0x7ff800000)", 16, &number));
    assert_false(kith_number_read_word("nan(0x)", 7, &number));
    assert_false(kith_number_read_word("nan(0xg)", 8, &number));
}

static void texts_come_back_byte_for_byte(void **state)
{
    static const char names[][8] = {
        "",                         // nothing
        "12345678",                 // full, without a 0
        "a\0b",                     // bytes behind the end
        "\0\0\0\0\0\0\0\x01",       //
        "\xc3\xa9\xe2\x82\xac",     // UTF-8
        "\xf0\x9f\x92\x80\xf0\x9f", // cut short
        "\xff\xfe\x80",             // none at all
        "\xed\xb2\x80",             // half of a pair
        "\xc0\x80\xf5\xe0\x80\x80", // too long, too large
        "\x01\x1f\x7f\"\\/\n",      // controls
        "\xf4\x8f\xbf\xbf\xf4\x90", // the last character there is, and one beyond
    };
    fixture *f     = *state;
    uint64_t seed  = test_seed();
    crew     value = zero_crew();
    for (size_t i = 0; i < COUNT_OF(names) + test_thinned(1000); i++) {
        uint64_t random = test_random(&seed);
        memcpy(value.name, i < COUNT_OF(names) ? names[i] : (const char *)&random, 8);
        crew back = back_and_forth(f, &value);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

static void bytes_that_are_no_text_are_escaped(void **state)
{
    fixture    *f     = *state;
    kith_entity e     = kith_entity_create(f->world);
    crew        value = zero_crew();
    memcpy(value.name, "\xc3\xa9\xff\x80", 4);
    kith_component_set(f->world, e, CREW, &value);

    const char *name = strstr(text_of_entity(f, e), "\"name\"");

    assert_memory_equal(name, "\"name\": \"\xc3\xa9\\udcff\\udc80\"", 24);
}

static void escapes_are_read(void **state)
{
    fixture    *f = *state;
    kith_entity e =
        read_entity(f->world, "{\"components\": {\"crew\": {\"n\\u0061me\": \"\\/\\u00E9\\ud83d"
                              "\\udc80\\t\", \"\\u0075\\u0038\": 3}}}");
    const crew *value = kith_component_get(f->world, e, CREW);

    assert_memory_equal(value->name, "/\xc3\xa9\xf0\x9f\x92\x80\t", 8);
    assert_int_equal(value->u8, 3);
}

static void enums_are_names_or_numbers(void **state)
{
    fixture             *f       = *state;
    static const int32_t moods[] = { CALM, ANGRY, GONE, 3, -3, INT32_MAX, INT32_MIN };
    crew                 value   = zero_crew();
    for (size_t i = 0; i < COUNT_OF(moods); i++) {
        memcpy(&value.mood, &moods[i], sizeof value.mood);
        crew back = back_and_forth(f, &value);
        assert_memory_equal(&back, &value, sizeof value);
    }
    kith_entity e = kith_entity_create(f->world);
    kith_component_set(f->world, e, CREW, &value);
    assert_non_null(strstr(text_of_entity(f, e), "\"mood\": -2147483648"));
    e = read_entity(f->world, "{\"components\": {\"crew\": {\"mood\": 4294967294}}}");
    assert_int_equal(((const crew *)kith_component_get(f->world, e, CREW))->mood, GONE);
}

static void absent_members_are_0_and_older_names_are_known(void **state)
{
    fixture    *f = *state;
    kith_entity e = read_entity(f->world, "{\"components\": {\"spot\": {\"height\": 4}}}");
    const spot *s = kith_component_get(f->world, e, SPOT);

    assert_true(s->x == 0 && s->y == 4 && s->floor == 0);
}

static void long_scripts_need_memory_and_come_back(void **state)
{
    fixture    *f = *state;
    kith_entity e = kith_entity_create(f->world);
    char        text[5000];
    memset(text, 'x', sizeof text);
    script s = { text, sizeof text };
    kith_component_set(f->world, e, SCRIPT, &s);

    read_entity(f->other, text_of_entity(f, e));

    const script *back = kith_component_get(f->other, e, SCRIPT);
    assert_int_equal(back->size, sizeof text);
    assert_memory_equal(back->text, text, sizeof text);
}

// The first locale with a decimal comma that can be set; one is made if the machine has none.
static bool set_comma(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "german" };
    for (size_t i = 0; i < 2 * COUNT_OF(names); i++) {
        if (i == COUNT_OF(names)) {
            setenv("LOCPATH", "json_locales", 1);
            if (system("mkdir -p json_locales && localedef -i de_DE -f UTF-8 "
                       "json_locales/de_DE.UTF-8 >json_locale.log 2>&1") != 0) {
                return false;
            }
        }
        if (setlocale(LC_ALL, names[i % COUNT_OF(names)]) != NULL) {
            return strcmp(localeconv()->decimal_point, ",") == 0;
        }
    }
    return false;
}

static void the_locale_does_not_matter(void **state)
{
    fixture    *f = *state;
    kith_entity e = kith_entity_create(f->world);
    kith_component_set(f->world, e, SPOT, &(spot){ 1.5f, 1e-30f, 0 });
    if (!set_comma()) {
        print_message("no locale with a decimal comma and none can be made: skipped\n");
        skip();
    }
    const char *text = text_of_entity(f, e);
    kith_entity read = read_entity(f->other, text);
    setlocale(LC_ALL, "C");

    assert_non_null(strstr(text, "{\"x\": 1.5, \"y\": 1e-30, "));
    const spot *back = kith_component_get(f->other, read, SPOT);
    assert_true(back->x == 1.5f && back->y == 1e-30f);
}

// --- worlds ----------------------------------------------------------------------------------

static void random_crew(crew *value, uint64_t *seed, const kith_entity *all, uint32_t count)
{
    memset(value, 0, sizeof *value);
    value->ready  = test_random_below(seed, 2) != 0;
    value->u8     = (uint8_t)test_random(seed);
    value->u16    = (uint16_t)test_random(seed);
    value->u32    = (uint32_t)test_random(seed);
    value->u64    = test_random(seed);
    value->i8     = (int8_t)(value->u8 ^ 0x55);
    value->i16    = (int16_t)(value->u16 ^ 0x55);
    value->i32    = (int32_t)(value->u32 ^ 0x55);
    value->i64    = (int64_t)test_random(seed);
    uint64_t bits = test_random(seed);
    memcpy(&value->f32, &value->u32, 4);
    memcpy(&value->f64, &bits, 8);
    value->ship     = all[test_random_below(seed, count)];
    value->mates[1] = all[test_random_below(seed, count)];
    bits            = test_random(seed);
    memcpy(value->name, &bits, 8);
    value->mood      = ANGRY;
    value->doors[1]  = value->ready;
    value->at.floor  = value->i16;
    value->seen[1].x = (float)value->u16;
}

static void add_something(kith_world *world, kith_entity e, uint64_t *seed, const kith_entity *all,
                          uint32_t count)
{
    uint64_t numbers[2] = { test_random(seed), test_random(seed) };
    script   s          = { (char *)numbers, 5 };
    crew     value;
    spot     here;
    random_crew(&value, seed, all, count);
    memset(&here, 0, sizeof here);
    here.x = (float)value.u16;
    ((char *)numbers)[0] &= 0x1f; // no question mark
    const void    *values[]     = { &value, &here, numbers, numbers, numbers, &s, numbers };
    kith_component components[] = { CREW, SPOT, HEAT, CODE, GRAIN, SCRIPT, MESH, ASLEEP, LOUD };
    for (uint32_t i = 0; i < COUNT_OF(components); i++) {
        if (test_random_below(seed, 2) == 0) {
            kith_component_set(world, e, components[i], i < COUNT_OF(values) ? values[i] : NULL);
            if (components[i] != LOUD && test_random_below(seed, 4) == 0) {
                kith_component_enable(world, e, components[i], false);
            }
        }
    }
}

static void fill_world(kith_world *world, uint64_t *seed)
{
    enum { MANY = 40 };
    kith_entity all[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        all[i] = kith_entity_create(world);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        if (test_random_below(seed, 3) == 0) {
            kith_entity_destroy(world, all[i]);
            all[i] = test_random_below(seed, 2) == 0 ? kith_entity_create(world) : KITH_NULL;
        }
    }
    for (uint32_t i = 0; i < MANY; i++) {
        if (all[i] != KITH_NULL) {
            add_something(world, all[i], seed, all, MANY);
        }
    }
    spot down;
    memset(&down, 0, sizeof down);
    down.y = -9.81f;
    kith_singleton_set(world, GRAVITY, &down);
}

static void assert_same_value(const kith_component_desc *desc, const void *a, const void *b)
{
    assert_true((a == NULL) == (b == NULL));
    if (a != NULL && desc->id == SCRIPT) {
        const script *left  = a;
        const script *right = b;
        assert_int_equal(left->size, right->size);
        assert_memory_equal(left->text, right->text, left->size);
    } else if (a != NULL && desc->size != 0) {
        assert_memory_equal(a, b, desc->size);
    }
}

static void assert_same_entity(const kith_world *a, const kith_world *b, kith_entity e)
{
    kith_component c = 0;
    while ((c = kith_component_next(a, c)) != 0) {
        const kith_component_desc *desc = kith_component_describe(a, c);
        if (desc->kind == KITH_KIND_SINGLETON) {
            continue;
        }
        bool saved = desc->traits.saved.form != KITH_FORM_TRANSIENT;
        assert_int_equal(kith_component_has(b, e, c), saved && kith_component_has(a, e, c));
        if (saved) {
            assert_same_value(desc, kith_component_get(a, e, c), kith_component_get(b, e, c));
        }
        if (saved && desc->kind != KITH_KIND_FLAG) {
            assert_int_equal(kith_component_enabled(b, e, c), kith_component_enabled(a, e, c));
        }
    }
}

static void random_worlds_come_back(void **state)
{
    fixture *f    = *state;
    uint64_t seed = test_seed();
    for (uint32_t i = 0; i < test_thinned(100); i++) {
        test_memory memory = { 0 };
        kith_world *world  = make_world(&memory);
        kith_world *second = make_world(&f->memory);
        fill_world(world, &seed);
        read_world(second, text_of_world(f, world));
        assert_int_equal(kith_entity_count(second), kith_entity_count(world));
        kith_entity e = KITH_NULL;
        while ((e = kith_entity_next(world, e)) != KITH_NULL) {
            assert_true(kith_entity_alive(second, e));
            assert_same_entity(world, second, e);
        }
        assert_memory_equal(kith_singleton_get(second, GRAVITY), kith_singleton_get(world, GRAVITY),
                            sizeof(spot));
        assert_world_valid(second);
        kith_world_destroy(second);
        test_world_end(world, &memory);
    }
}

static void handles_that_are_taken_are_mapped(void **state)
{
    fixture    *f = *state;
    const char *text =
        "{\"kith\": 0, \"entities\": ["
        "{\"entity\": \"1:1\", \"components\": {\"crew\": {\"ship\": \"0:3\", \"mates\": [\"1:1\", "
        "\"9:9\"]}}}, "
        "{\"entity\": \"0:3\", \"components\": {\"crew\": {\"ship\": \"1:1\"}}}, "
        "{\"components\": {}}]}";
    test_create_many(f->world, 2);
    kith_world_clear(f->world); // version 1 of both is used up
    assert_int_equal(kith_json_read_world(f->world, text, strlen(text), NULL).code, KITH_OK);

    assert_int_equal(kith_entity_count(f->world), 3);
    const crew *second = kith_component_get(f->world, handle(0, 3), CREW);
    assert_non_null(second);
    assert_int_not_equal(second->ship, handle(1, 1));
    assert_true(kith_entity_alive(f->world, second->ship));
    const crew *first = kith_component_get(f->world, second->ship, CREW);
    assert_int_equal(first->ship, handle(0, 3));
    assert_int_equal(first->mates[0], second->ship);
    assert_int_equal(first->mates[1], handle(9, 9)); // no entity of the text
}

static void an_entity_that_is_taken_means_itself(void **state)
{
    fixture    *f     = *state;
    kith_entity old   = kith_entity_create(f->world);
    crew        value = zero_crew();
    value.ship        = old;
    value.mates[0]    = handle(3, 3);
    kith_component_set(f->world, old, CREW, &value);

    kith_entity fresh = read_entity(f->world, text_of_entity(f, old));

    assert_int_not_equal(fresh, old);
    const crew *copy = kith_component_get(f->world, fresh, CREW);
    assert_int_equal(copy->ship, fresh);
    assert_int_equal(copy->mates[0], handle(3, 3));
}

static void handles_beyond_reach_are_mapped(void **state)
{
    fixture    *f = *state;
    const char *text =
        "{\"kith\": 0, \"entities\": [{\"entity\": \"4294967295:4294967295\", \"components\": "
        "{\"crew\": {\"ship\": \"4294967295:4294967295\"}}}, {\"entity\": \"2000000:1\"}]}";
    assert_int_equal(kith_json_read_world(f->world, text, strlen(text), NULL).code, KITH_OK);

    assert_int_equal(kith_entity_count(f->world), 2);
    assert_int_equal(kith_world_stats(f->world).slots, 2);
    kith_entity e = kith_component_entity(f->world, CREW, 0);
    assert_int_equal(((const crew *)kith_component_get(f->world, e, CREW))->ship, e);
}

static void many_entities_in_any_order_are_found(void **state)
{
    fixture   *f    = *state;
    kith_bytes text = { 0 };
    char       one[200];
    enum { MANY = 500 };
    kith_bytes_write("{\"kith\": 0, \"entities\": [", 25, &text);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t index = i * 211 % MANY; // each once
        int      size  = snprintf(one, sizeof one,
                                  "%s{\"entity\": \"%" PRIu32 ":1\", \"components\": {\"crew\": "
                                        "{\"ship\": \"%" PRIu32 ":1\", \"u32\": %" PRIu32 "}}}",
                            i == 0 ? "" : ",", index, (index + 1) % MANY, index);
        kith_bytes_write(one, (size_t)size, &text);
    }
    kith_bytes_write("]}", 2, &text);
    test_create_many(f->world, MANY);
    kith_world_clear(f->world);
    assert_int_equal(kith_json_read_world(f->world, (const char *)text.data, text.size, NULL).code,
                     KITH_OK);
    kith_bytes_free(&text);

    for (uint32_t row = 0; row < MANY; row++) {
        const crew *value = kith_component_value(f->world, CREW, row);
        const crew *next  = kith_component_get(f->world, value->ship, CREW);
        assert_non_null(next);
        assert_int_equal(next->u32, (value->u32 + 1) % MANY);
    }
}

// --- hierarchies -----------------------------------------------------------------------------

enum { SCENE = 20 };

static void hierarchies_come_back_with_their_links(void **state)
{
    fixture                  *f    = *state;
    const kith_hierarchy_desc desc = { .name = "scene", .id = SCENE };
    kith_entity               all[4];
    assert_int_equal(kith_hierarchy_register(f->world, &desc), SCENE);
    assert_int_equal(kith_hierarchy_register(f->other, &desc), SCENE);
    for (uint32_t i = 0; i < 4; i++) {
        all[i] = kith_entity_create(f->world);
    }
    kith_hierarchy_append(f->world, SCENE, all[1], all[3]);
    kith_hierarchy_append(f->world, SCENE, all[1], all[0]);
    kith_hierarchy_append(f->world, SCENE, all[0], all[2]);
    kith_component_enable(f->world, all[2], SCENE, false);
    test_create_many(f->other, 3); // so that handles are mapped
    kith_world_clear(f->other);

    read_world(f->other, text_of_world(f, f->world));

    assert_true(kith_hierarchy_validate(f->other, SCENE, NULL));
    kith_entity leaf = kith_component_entity(f->other, SCENE, 2);
    kith_entity root = kith_hierarchy_root(f->other, SCENE, leaf);
    assert_int_equal(kith_hierarchy_depth(f->other, SCENE, leaf), 2);
    assert_int_equal(links_of(f->other, SCENE, root)->count, 2);
    assert_int_equal(links_of(f->other, SCENE, root)->first, all[3]);
    assert_false(kith_component_enabled(f->other, leaf, SCENE));
    kith_entity alone = read_entity(f->world, text_of_entity(f, all[0]));
    assert_int_equal(links_of(f->world, SCENE, alone)->parent, KITH_NULL);
    assert_true(kith_hierarchy_validate(f->world, SCENE, NULL));
}

static void links_that_contradict_each_other_are_refused(void **state)
{
    static const char *const bad[][2] = {
        { "{\"entity\": \"0:1\", \"components\": {\"scene\": {\"parent\": \"0:1\"}}}",
          "the parent or the previous sibling does not link back" },
        { ("{\"entity\": \"0:1\", \"components\": {\"scene\": {\"first\": \"1:1\", \"last\": "
           "\"1:1\", "
           "\"count\": 1}}}, {\"entity\": \"1:1\"}"),
          "a child does not link back" },
        { "{\"entity\": \"0:1\", \"components\": {\"scene\": {\"parent\": \"9:9\"}}}",
          "the parent is not a node" },
        { "{\"entity\": \"0:1\", \"components\": {\"scene\": {\"next\": \"0:1\"}}}",
          "a root has siblings" },
    };
    fixture                  *f    = *state;
    const kith_hierarchy_desc desc = { .name = "scene", .id = SCENE };
    char                      text[400];
    assert_int_equal(kith_hierarchy_register(f->world, &desc), SCENE);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        int size = snprintf(text, sizeof text, "{\"kith\": 0, \"entities\": [%s]}", bad[i][0]);
        kith_result result = kith_json_read_world(f->world, text, (size_t)size, NULL);
        assert_int_equal(result.code, KITH_ERROR_FORMAT);
        assert_string_equal(result.message, bad[i][1]);
        assert_string_equal(kith_world_error(f->world).other, "scene");
        assert_int_equal(kith_entity_count(f->world), 0);
        assert_world_valid(f->world);
    }
}

// --- refusals --------------------------------------------------------------------------------

typedef struct refusal {
    const char *text;
    size_t      offset;
    const char *message;
} refusal;

#define CREW_OF(FIELDS) "{\"components\": {\"crew\": {" FIELDS "}}}"

// Everything before the fields of CREW_OF.
#define AT (sizeof "{\"components\": {\"crew\": {" - 1)

static const refusal bad_entities[] = {
    { "", 0, "the text ends too early" },
    { "   ", 3, "the text ends too early" },
    { "[]", 0, "an object is missing" },
    { "null", 0, "an object is missing" },
    { "{", 1, "the text ends too early" },
    { "{}x", 2, "text follows the end" },
    { "{} {}", 3, "text follows the end" },
    { "\xef\xbb\xbf{}", 0, "an object is missing" },
    { "{,}", 1, "a string is missing" },
    { "{\"components\" {}}", 14, "a colon is missing" },
    { "{\"components\": {},}", 18, "a string is missing" },
    { "{\"components\": {} \"entity\": \"1:1\"}", 18, "a comma or the end of the list is missing" },
    { "{'components': {}}", 1, "a string is missing" },
    { "{\"components\": {}", 17, "the text ends too early" },
    { "{\"components\": {}, \"components\": {}}", 19, "the key comes twice" },
    { "{\"people\": 1}", 1, "an entity has no such key" },
    { "{\"entity\": 3}", 11, "a string is missing" },
    { "{\"entity\": null}", 11, "a string is missing" },
    { "{\"entity\": \"3\"}", 11, "a handle is \"index:version\"" },
    { "{\"entity\": \"3:\"}", 11, "a handle is \"index:version\"" },
    { "{\"entity\": \":3\"}", 11, "a handle is \"index:version\"" },
    { "{\"entity\": \"03:1\"}", 11, "a handle is \"index:version\"" },
    { "{\"entity\": \"3:1 \"}", 11, "a handle is \"index:version\"" },
    { "{\"entity\": \"3:1\\u0000\"}", 11, "a handle is \"index:version\"" },
    { "{\"entity\": \"4294967296:1\"}", 11, "a handle is \"index:version\"" },
    { "{\"entity\": \"3:1111111111111111111111111111\"}", 11, "a handle is \"index:version\"" },
    { "{\"entity\": \"3:1                                \"}", 11,
      "a handle is \"index:version\"" },
    { "{\"entity\": \"3:0\"}", 11, "no entity has version 0" },
    { "{\"components\": {\"ghost\": 1}}", 16, "the component is not registered or not saved" },
    { "{\"components\": {\"mesh\": 1}}", 16, "the component is not registered or not saved" },
    { "{\"components\": {\"gravity\": {}}}", 16, "the component is a singleton" },
    { "{\"components\": {\"asleep\": true, \"asleep\": true}}", 32, "the component comes twice" },
    { "{\"components\": {\"asleep\": false}}", 26, "a tag is true, or it is left out" },
    { "{\"components\": {\"asleep\": 1}}", 26, "true or false is missing" },
    { "{\"components\": {\"asleep\": tru}}", 26, "true or false is missing" },
    { "{\"components\": {\"heat\": [1, 2]}}", 24,
      "the array has another number of elements than its field" },
    { "{\"components\": {\"heat\": [1, 2, 3, 4]}}", 24,
      "the array has another number of elements than its field" },
    { "{\"components\": {\"heat\": [1, 2,]}}", 30, "a value is missing" },
    { "{\"components\": {\"heat\": [1, 2, -1]}}", 31, "the number does not fit" },
    { "{\"components\": {\"heat\": 1}}", 24, "an array is missing" },
    { "{\"components\": {\"script\": \"6\"}}", 26, "bytes are pairs of hexadecimal digits" },
    { "{\"components\": {\"script\": \"6g\"}}", 26, "bytes are pairs of hexadecimal digits" },
    { "{\"components\": {\"script\": \"3f\"}}", 26, "its read function refused the bytes" },
    { "{\"disabled\": [\"spot\"]}", 14, "the entity has no such row" },
    { "{\"disabled\": [\"ghost\"]}", 14, "the entity has no such row" },
    { "{\"disabled\": [\"loud\"], \"components\": {\"loud\": true}}", 14,
      "the entity has no such row" },
    { "{\"disabled\": [1]}", 14, "a string is missing" },
    { "{\"disabled\": {}}", 13, "an array is missing" },
    { CREW_OF("\"rank\": 1"), AT, "there is no such field" },
    { CREW_OF("\"notes\": 1"), AT, "there is no such field" },
    { CREW_OF("\"u8\": 1, \"u8\": 1"), AT + 9, "the field comes twice" },
    { CREW_OF("\"ready\": 1"), AT + 9, "true or false is missing" },
    { CREW_OF("\"u8\": 256"), AT + 6, "the number does not fit" },
    { CREW_OF("\"u8\": -1"), AT + 6, "the number does not fit" },
    { CREW_OF("\"u8\": 1.0"), AT + 6, "an integer has neither point nor exponent" },
    { CREW_OF("\"u8\": 1e0"), AT + 6, "an integer has neither point nor exponent" },
    { CREW_OF("\"u8\": 01"), AT + 7, "a comma or the end of the list is missing" },
    { CREW_OF("\"u8\": +1"), AT + 6, "a number is missing" },
    { CREW_OF("\"u8\": \"1\""), AT + 6, "a number is missing" },
    { CREW_OF("\"u8\": -"), AT + 7, "a digit is missing" },
    { CREW_OF("\"i8\": 128"), AT + 6, "the number does not fit" },
    { CREW_OF("\"i8\": -129"), AT + 6, "the number does not fit" },
    { CREW_OF("\"u64\": 18446744073709551616"), AT + 7, "the number does not fit" },
    { CREW_OF("\"i64\": 9223372036854775808"), AT + 7, "the number does not fit" },
    { CREW_OF("\"i64\": -9223372036854775809"), AT + 7, "the number does not fit" },
    { CREW_OF("\"f32\": 1e39"), AT + 7, "the number does not fit" },
    { CREW_OF("\"f64\": 1e999"), AT + 7, "the number does not fit" },
    { CREW_OF("\"f64\": .5"), AT + 7, "a number is missing" },
    { CREW_OF("\"f64\": 5."), AT + 9, "a digit is missing" },
    { CREW_OF("\"f64\": 5e"), AT + 9, "a digit is missing" },
    { CREW_OF("\"f64\": 5e+"), AT + 10, "a digit is missing" },
    { CREW_OF("\"f64\": NaN"), AT + 7, "a number is missing" },
    { CREW_OF("\"f64\": \"NaN\""), AT + 7, "the string is not a number" },
    { CREW_OF("\"f64\": \"infinity and even more of it, without end\""), AT + 7,
      "the string is not a number" },
    { CREW_OF("\"f64\": null"), AT + 7, "a number is missing" },
    { CREW_OF("\"ship\": \"1-1\""), AT + 8, "a handle is \"index:version\"" },
    { CREW_OF("\"ship\": nil"), AT + 8, "null is missing" },
    { CREW_OF("\"name\": \"123456789\""), AT + 8, "the text is too long for its field" },
    { CREW_OF("\"name\": \"\\x\""), AT + 9, "unknown escape" },
    { CREW_OF("\"name\": \"\\u12g4\""), AT + 9, "unknown escape" },
    { CREW_OF("\"name\": \"\\ud800\""), AT + 9, "unknown escape" },
    { CREW_OF("\"name\": \"\\ud800\\u0041\""), AT + 9, "unknown escape" },
    { CREW_OF("\"name\": \"\\udc41\""), AT + 9, "unknown escape" },
    { CREW_OF("\"name\": \"\n\""), AT + 9, "a control character needs an escape" },
    { CREW_OF("\"name\": \"a\xff\""), AT + 10, "this is not UTF-8" },
    { CREW_OF("\"name\": \"\xed\xb2\x80\""), AT + 9, "this is not UTF-8" },
    { CREW_OF("\"name\": \"\xc0\x80\""), AT + 9, "this is not UTF-8" },
    { CREW_OF("\"name\": \"abc"), AT + 15, "the text ends too early" },
    { CREW_OF("\"mood\": \"HAPPY\""), AT + 8, "the enum has no such name" },
    { CREW_OF("\"mood\": 4294967296"), AT + 8, "the number does not fit" },
    { CREW_OF("\"mood\": true"), AT + 8, "a number is missing" },
    { CREW_OF("\"at\": []"), AT + 6, "an object is missing" },
    { CREW_OF("\"at\": {\"z\": 1}"), AT + 7, "there is no such field" },
    { CREW_OF("\"seen\": [{}]"), AT + 8,
      "the array has another number of elements than its field" },
    { CREW_OF("\"doors\": true"), AT + 9, "an array is missing" },
};

static void assert_refusal(fixture *f, kith_result result, const refusal *r)
{
    if (result.code != KITH_ERROR_FORMAT || strcmp(result.message, r->message) != 0 ||
        result.offset != r->offset) {
        fail_msg("%s\ncode %d, byte %u: %s", r->text, (int)result.code, (unsigned)result.offset,
                 result.message);
    }
    assert_error(f->world, KITH_ERROR_FORMAT);
    assert_int_equal(kith_world_error(f->world).have, r->offset);
    assert_int_equal(kith_world_stats(f->world).slots, 0);
}

static void bad_entities_are_refused_with_their_place(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < COUNT_OF(bad_entities); i++) {
        const refusal *r      = &bad_entities[i];
        kith_entity    entity = handle(1, 1);
        kith_world_error_clear(f->world);
        kith_result result =
            kith_json_read_entity(f->world, r->text, strlen(r->text), NULL, &entity);
        assert_refusal(f, result, r);
        assert_int_equal(entity, KITH_NULL);
    }
    assert_int_equal(f->memory.errors, COUNT_OF(bad_entities));
}

static const refusal bad_worlds[] = {
    { "{}", 0, "\"kith\": 0 is missing" },
    { "{\"kith\": 1}", 9, "unknown version of the format" },
    { "{\"kith\": \"0\"}", 9, "a number is missing" },
    { "{\"kith\": 0, \"kith\": 0}", 12, "the key comes twice" },
    { "{\"kith\": 0, \"systems\": []}", 12, "a world has no such key" },
    { "{\"kith\": 0, \"entities\": {}}", 24, "an array is missing" },
    { "{\"kith\": 0, \"entities\": [1]}", 25, "an object is missing" },
    { "{\"kith\": 0, \"entities\": [{\"entity\": \"1:1\"}, {\"entity\": \"0:1\"}, "
      "{\"entity\": \"1:2\"}]}",
      63, "two entities have the same index" },
    { "{\"kith\": 0, \"singletons\": []}", 26, "an object is missing" },
    { "{\"kith\": 0, \"singletons\": {\"spot\": {}}}", 27, "the component is not a singleton" },
    { "{\"kith\": 0, \"singletons\": {\"window\": [1]}}", 27,
      "the component is not registered or not saved" },
    { "{\"kith\": 0, \"singletons\": {\"clock\": [1], \"clock\": [1]}}", 41,
      "the component comes twice" },
};

static void bad_worlds_are_refused_with_their_place(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < COUNT_OF(bad_worlds); i++) {
        const refusal *r = &bad_worlds[i];
        kith_world_error_clear(f->world);
        assert_refusal(f, kith_json_read_world(f->world, r->text, strlen(r->text), NULL), r);
    }
}

static void every_text_that_is_cut_short_is_refused(void **state)
{
    fixture *f    = *state;
    uint64_t seed = test_seed();
    fill_world(f->world, &seed);
    text_of_world(f, f->world);
    size_t step = f->text.size / test_thinned(2000) + 1;
    for (size_t size = 0; size + 2 < f->text.size; size += step) {
        kith_result result = kith_json_read_world(f->other, (const char *)f->text.data, size, NULL);
        assert_int_equal(result.code, KITH_ERROR_FORMAT);
        assert_true(result.offset <= size);
        assert_int_equal(kith_world_stats(f->other).slots, 0);
    }
}

static void errors_name_what_they_speak_of(void **state)
{
    fixture    *f    = *state;
    const char *text = "{\"components\": {\"gh\\u006fst\": 1}}";
    kith_json_read_entity(f->world, text, strlen(text), NULL, NULL);
    assert_error_text(f->world,
                      "kith_json_read_entity: the component is not registered or not saved "
                      "(\"ghost\") at byte 16");
    kith_json_read_world(f->world, "{", 1, NULL);
    assert_error_text(f->world, "kith_json_read_world: the text ends too early at byte 1");
    assert_int_equal(kith_json_read_entity(f->world, NULL, 5, NULL, NULL).code, KITH_ERROR_FORMAT);
}

static void unknown_members_can_be_skipped(void **state)
{
    fixture        *f     = *state;
    kith_json_rules rules = { .skip_unknown = true };
    const char     *text =
        "{\"made by\": {\"a\": [1, {\"b\": null}, [], {}]}, \"kith\": 0, \"entities\": [{\"name\": "
        "\"x\", \"components\": {\"ghost\": {\"x\": [true, false]}, \"mesh\": -1.5e3, \"spot\": "
        "{\"z\": \"\\u0041\", \"x\": 2, \"w\": []}}, \"disabled\": [\"ghost\", \"spot\"]}]}";
    kith_result result = kith_json_read_world(f->world, text, strlen(text), &rules);

    assert_int_equal(result.code, KITH_OK);
    kith_entity e = kith_entity_next(f->world, KITH_NULL);
    assert_true(((const spot *)kith_component_get(f->world, e, SPOT))->x == 2);
    assert_false(kith_component_enabled(f->world, e, SPOT));
    assert_false(kith_component_has(f->world, e, MESH));
}

static void skipped_members_are_still_parsed(void **state)
{
    static const refusal bad[] = {
        { "{\"a\": [1, 2}", 11, "a comma or the end of the list is missing" },
        { "{\"a\": {\"b\" 1}}", 11, "a colon is missing" },
        { "{\"a\": nul}", 6, "null is missing" },
        { "{\"a\": \"\x01\"}", 7, "a control character needs an escape" },
        { "{\"a\": }", 6, "a number is missing" },
    };
    fixture        *f     = *state;
    kith_json_rules rules = { .skip_unknown = true };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const refusal *r = &bad[i];
        assert_refusal(f, kith_json_read_entity(f->world, r->text, strlen(r->text), &rules, NULL),
                       r);
    }
}

static void no_text_is_too_deep(void **state)
{
    fixture        *f     = *state;
    kith_json_rules rules = { .skip_unknown = true };
    char            text[200];
    for (uint32_t depth = 63; depth <= 66; depth++) {
        memcpy(text, "{\"a\": ", 6);
        memset(text + 6, '[', depth);
        memset(text + 6 + depth, ']', depth);
        text[6 + 2 * depth] = '}';
        kith_result result =
            kith_json_read_entity(f->world, text, 7 + 2 * (size_t)depth, &rules, NULL);
        assert_int_equal(result.code, depth <= 64 ? KITH_OK : KITH_ERROR_FORMAT);
        assert_int_equal(result.offset, depth <= 64 ? 7 + 2 * depth : 6 + 64);
    }
}

// --- the rest --------------------------------------------------------------------------------

static bool write_so_often(const void *text, size_t size, void *context)
{
    uint32_t *left = context;
    assert_true(text != NULL && size != 0);
    return (*left)-- != 0;
}

static void a_function_can_end_the_writing(void **state)
{
    fixture *f    = *state;
    uint64_t seed = test_seed();
    fill_world(f->world, &seed);
    for (uint32_t pieces = 0; pieces < 3; pieces++) {
        uint32_t left   = pieces;
        uint32_t errors = f->memory.errors;
        assert_false(kith_json_write_world(f->world, write_so_often, &left));
        assert_int_equal(left, UINT32_MAX); // nothing more was written
        assert_int_equal(f->memory.errors, errors + 1);
    }
}

static kith_error latest;
static char       latest_text[200];

static void keep_latest(const kith_world *world, const kith_error *error, void *context)
{
    (void)context;
    latest = *error;
    kith_error_text(world, error, latest_text, sizeof latest_text);
}

static void writing_refuses_what_it_cannot_write(void **state)
{
    (void)state;
    kith_world_desc           desc   = { .on_error = keep_latest };
    kith_world               *world  = kith_world_create(&desc);
    const kith_component_desc secret = { .name = "secret", .id = 1, .size = 4, .alignment = 4 };
    const kith_component_desc lone   = {
          .name = "lone", .id = 2, .kind = KITH_KIND_SINGLETON, .size = 4, .alignment = 4
    };
    uint32_t left = 0;
    kith_component_register(world, &secret);
    kith_component_register(world, &lone);
    kith_entity a = kith_entity_create(world);
    kith_entity b = kith_entity_create(world);
    kith_component_add(world, b, 1, NULL);

    assert_false(kith_json_write_world(world, write_so_often, &left));
    assert_string_equal(latest_text, "kith_json_write_world: \"secret\" has no save form: "
                                     "declare it with KITH_COMPONENT_AS");
    assert_int_equal(latest.code, KITH_ERROR_UNSAVED);
    assert_false(kith_json_write_entity(world, b, write_so_often, &left));
    assert_int_equal(left, 0); // nothing was written
    left = 1;
    assert_true(kith_json_write_entity(world, a, write_so_often, &left));
    assert_int_equal(
        kith_json_read_entity(world, "{\"components\": {\"secret\": 1}}", 29, NULL, &a).code,
        KITH_ERROR_FORMAT);
    kith_component_remove(world, b, 1);
    kith_singleton_add(world, 2);
    assert_false(kith_json_write_world(world, write_so_often, &left));
    assert_int_equal(latest.component, 2);
    kith_singleton_remove(world, 2);
    assert_false(kith_json_write_world(world, NULL, NULL));
    assert_int_equal(latest.code, KITH_ERROR_ARGUMENT);
    assert_false(kith_json_write_entity(world, KITH_NULL, write_so_often, &left));
    assert_int_equal(latest.code, KITH_ERROR_NULL_ENTITY);
    assert_false(kith_json_write_entity(world, handle(1, 9), write_so_often, &left));
    assert_int_equal(latest.code, KITH_ERROR_DEAD_ENTITY);
    kith_world_destroy(world);
}

// Says another size each time: what its context points to, and one more.
static size_t write_nonsense(const void *value, void *bytes, size_t room, void *context)
{
    size_t *size = context;
    (void)value;
    (void)bytes;
    (void)room;
    return (*size)++;
}

static void a_save_function_that_writes_invalid_bytes_ends_the_writing(void **state)
{
    (void)state;
    size_t                    size  = 1000;
    const kith_saver          saver = { write_nonsense, script_read, &size };
    const kith_component_desc odd   = {
          .name = "odd", .id = 1, .size = 4, .traits.saved = KITH_AS(through(&saver))
    };
    kith_world_desc desc  = { .on_error = keep_latest };
    kith_world     *world = kith_world_create(&desc);
    kith_bytes      text  = { .data = NULL };
    kith_component_register(world, &odd);
    kith_component_add(world, kith_entity_create(world), 1, NULL);

    assert_false(kith_json_write_world(world, kith_bytes_write, &text));
    assert_string_equal(latest_text,
                        "kith_json_write_world: the save hook of \"odd\" returned false");
    kith_bytes_free(&text);
    kith_world_destroy(world);
}

static void a_world_must_be_empty_and_at_rest(void **state)
{
    static const char text[] = "{\"kith\": 0}";
    fixture          *f      = *state;
    kith_singleton_add(f->world, WINDOW); // transient
    assert_int_equal(kith_json_read_world(f->world, text, sizeof text - 1, NULL).code, KITH_OK);
    kith_singleton_add(f->world, CLOCK);
    assert_int_equal(kith_json_read_world(f->world, text, sizeof text - 1, NULL).code,
                     KITH_ERROR_ARGUMENT);
    assert_non_null(kith_singleton_get(f->world, CLOCK));
    kith_singleton_remove(f->world, CLOCK);
    kith_entity e = kith_entity_create(f->world);
    assert_int_equal(kith_json_read_world(f->world, text, sizeof text - 1, NULL).code,
                     KITH_ERROR_ARGUMENT);
    assert_true(kith_entity_alive(f->world, e));
    kith_entity_destroy(f->world, e);
    kith_world_hold(f->world);
    assert_int_equal(kith_json_read_world(f->world, text, sizeof text - 1, NULL).code,
                     KITH_ERROR_BUSY);
    kith_world_release(f->world);
}

static void end_it(kith_world *world, const kith_notice *notice, void *context)
{
    uint32_t *calls = context;
    (*calls)++;
    kith_entity_destroy(world, notice->entity);
}

static void listeners_may_end_what_is_read(void **state)
{
    fixture           *f     = *state;
    uint32_t           calls = 0;
    kith_listener_desc desc  = { KITH_EVENT_ADD, SPOT, end_it, &calls, 0, NULL };
    kith_entity        e     = handle(1, 1);
    static const char  one[] = "{\"components\": {\"spot\": {}, \"asleep\": true}}";
    static const char  all[] = "{\"kith\": 0, \"entities\": [{\"components\": {\"asleep\": true}}, "
                               "{\"components\": {\"spot\": {}, \"asleep\": true}, "
                               "\"disabled\": [\"asleep\"]}]}";
    assert_int_not_equal(kith_listener_connect(f->world, &desc), 0);

    assert_int_equal(kith_json_read_entity(f->world, one, sizeof one - 1, NULL, &e).code, KITH_OK);
    assert_int_equal(e, KITH_NULL);
    assert_int_equal(kith_json_read_world(f->world, all, sizeof all - 1, NULL).code, KITH_OK);

    assert_int_equal(calls, 2);
    assert_int_equal(kith_entity_count(f->world), 1);
    assert_int_equal(f->memory.errors, 0);
}

static void register_late(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    static kith_component_desc late = { .name         = "late",
                                        .size         = 1024,
                                        .alignment    = 8,
                                        .traits.saved = { .form = KITH_FORM_PLAIN, .unit = 8 } };
    late.kind                       = *(const kith_kind *)context;
    assert_int_not_equal(kith_component_register(world, &late), 0);
}

/// The last entity's listener registers "late": the third reading finds it at the first entity, the
/// second reading at the last one.
static void components_that_a_listener_registers_stay_unknown(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ("{\"kith\": 0, \"entities\": [{\"components\": {\"late\": [], \"scene\": {}}}, "
         "{\"components\": {\"spot\": {}}}]}"),
        ("{\"kith\": 0, \"entities\": [{\"components\": {\"scene\": {}}}, "
         "{\"components\": {\"spot\": {}, \"late\": []}}]}"),
    };
    const kith_json_rules rules = { .skip_unknown = true };
    for (uint32_t i = 0; i < 4; i++) {
        test_memory               memory = { 0 };
        kith_world               *world  = make_world(&memory);
        kith_kind                 kind   = i < 2 ? KITH_KIND_SINGLETON : KITH_KIND_VALUE;
        const kith_hierarchy_desc desc   = { .name = "scene", .id = SCENE };
        const kith_listener_desc  one    = { KITH_EVENT_ADD, SPOT, register_late, &kind, 0, NULL };
        assert_int_equal(kith_hierarchy_register(world, &desc), SCENE);
        assert_int_not_equal(kith_listener_connect(world, &one), 0);

        kith_result result =
            kith_json_read_world(world, texts[i % 2], strlen(texts[i % 2]), &rules);

        assert_string_equal(result.message, "");
        assert_int_equal(result.code, KITH_OK);
        assert_int_equal(kith_entity_count(world), 2);
        assert_int_equal(kith_component_count(world, kith_component_find(world, "late")), 0);
        assert_world_valid(world);
        kith_world_destroy(world);
    }
}

static void limits_and_hooks_undo_the_reading(void **state)
{
    static const char all[] = "{\"kith\": 0, \"singletons\": {\"clock\": [3]}, \"entities\": "
                              "[{\"components\": {\"spot\": "
                              "{}}}, {\"components\": {\"spot\": {}}}]}";
    fixture          *f     = *state;
    assert_true(kith_component_limit_set(f->world, SPOT, 1));

    kith_result result = kith_json_read_world(f->world, all, sizeof all - 1, NULL);

    assert_int_equal(result.code, KITH_ERROR_LIMIT);
    assert_string_equal(result.message, "a limit is reached");
    assert_int_equal(result.offset, 109);
    assert_int_equal(kith_entity_count(f->world), 0);
    assert_null(kith_singleton_get(f->world, CLOCK));
    assert_error(f->world, KITH_ERROR_LIMIT);
    assert_true(kith_component_limit_set(f->world, SPOT, 0));
    kith_entity e = handle(1, 1);
    result = kith_json_read_entity(f->world, "{\"components\": {\"spot\": {}}}", 28, NULL, &e);
    assert_int_equal(result.code, KITH_ERROR_LIMIT);
    assert_int_equal(e, KITH_NULL);
    assert_int_equal(kith_entity_count(f->world), 0);
}

static void every_allocation_of_reading_can_fail(void **state)
{
    fixture *f    = *state;
    uint64_t seed = 5;
    fill_world(f->world, &seed);
    text_of_world(f, f->world);
    kith_result result = { .code = KITH_ERROR_MEMORY };
    uint32_t    tried  = 0;
    for (uint32_t at = 1; result.code != KITH_OK; at++) {
        test_memory memory = { 0 };
        kith_world *world  = make_world(&memory);
        test_fail_after(&memory, at);
        result = kith_json_read_world(world, (const char *)f->text.data, f->text.size, NULL);
        if (result.code != KITH_OK) {
            assert_int_equal(result.code, KITH_ERROR_MEMORY);
            assert_string_equal(result.message, "out of memory");
            assert_error(world, KITH_ERROR_MEMORY);
            assert_int_equal(kith_entity_count(world), 0);
            assert_null(kith_singleton_get(world, GRAVITY));
            tried++;
        }
        test_world_end(world, &memory);
    }
    assert_true(tried > 10);
}

static void every_allocation_of_writing_can_fail(void **state)
{
    fixture    *f = *state;
    kith_entity e = kith_entity_create(f->world);
    char        text[3000];
    memset(text, 'x', sizeof text);
    kith_component_set(f->world, e, SCRIPT, &(script){ text, sizeof text });
    bool written = false;
    for (uint32_t at = 1; !written; at++) {
        kith_bytes_free(&f->text);
        test_fail_after(&f->text_memory, at);
        written = kith_json_write_entity(f->world, e, kith_bytes_write, &f->text);
        assert_true(written || f->text_memory.failed == at);
    }
    assert_true(f->text_memory.failed > 3);
    test_fail_after(&f->text_memory, 0);
    test_fail_after(&f->memory, 1); // the bytes that the function saves
    assert_false(kith_json_write_entity(f->world, e, kith_bytes_write, &f->text));
    assert_int_equal(f->memory.failed, 1);
    test_fail_after(&f->memory, 0);
}

// --- against another reader and writer -------------------------------------------------------

static const char python[] =
    "import json, sys\n"
    "world = json.load(open(sys.argv[1], encoding='utf-8'))\n"
    "assert world['kith'] == 0\n"
    "for entity in world['entities']:\n"
    "    crew = entity['components'].get('crew')\n"
    "    if crew:\n"
    "        assert isinstance(crew['u64'], int) and 0 <= crew['u64'] < 2 ** 64\n"
    "        bytes = crew['name'].encode('utf-8', 'surrogateescape')\n"
    "        assert len(bytes) <= 8\n"
    "json.dump(world, open(sys.argv[2], 'w'), indent=1, sort_keys=True)\n";

static void write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static size_t read_file(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, room, file);
    fclose(file);
    return size;
}

static void the_page_shows_what_is_written(void **state)
{
    static char page[1 << 16];
    fixture    *f                                                           = *state;
    uint32_t    count                                                       = 0;
    page[read_file(KITH_SOURCE_DIR "/docs/json.md", page, sizeof page - 1)] = '\0';
    for (char *at = page; (at = strstr(at, "```json\n")) != NULL; count++) {
        char       *text  = at + strlen("```json\n");
        char       *end   = strstr(text, "```");
        kith_world *world = make_world(&f->memory);
        assert_non_null(end);
        *end = '\0';
        read_world(world, text);
        assert_string_equal(text_of_world(f, world), text);
        kith_world_destroy(world);
        at = end + 1;
    }
    assert_int_equal(count, 2);
}

static void python_reads_it_and_writes_it_back(void **state)
{
    static char text[1 << 20];
    fixture    *f    = *state;
    uint64_t    seed = test_seed();
    if (system("python3 -c 0 2>json_python.log") != 0) {
        print_message("no python3: skipped\n");
        skip();
    }
    fill_world(f->world, &seed);
    text_of_world(f, f->world);
    write_file("json_check.py", python, sizeof python - 1);
    write_file("json_out.json", (const char *)f->text.data, f->text.size);
    assert_int_equal(system("python3 json_check.py json_out.json json_back.json"), 0);

    size_t size = read_file("json_back.json", text, sizeof text);
    assert_true(size < sizeof text);
    kith_result result = kith_json_read_world(f->other, text, size, NULL);
    if (result.code != KITH_OK) {
        fail_msg("byte %u: %s", (unsigned)result.offset, result.message);
    }

    assert_int_equal(kith_entity_count(f->other), kith_entity_count(f->world));
    kith_entity e = KITH_NULL;
    while ((e = kith_entity_next(f->world, e)) != KITH_NULL) {
        assert_same_entity(f->world, f->other, e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_entity_is_an_object),
        TEST(a_world_is_an_entity_a_line),
        TEST(every_type_has_its_form),
        TEST(other_forms_are_numbers_and_hexadecimal),
        TEST(floats_come_back_bit_for_bit),
        TEST(floats_are_as_short_as_can_be),
        TEST(numbers_are_read_however_long),
        TEST(texts_come_back_byte_for_byte),
        TEST(bytes_that_are_no_text_are_escaped),
        TEST(escapes_are_read),
        TEST(enums_are_names_or_numbers),
        TEST(absent_members_are_0_and_older_names_are_known),
        TEST(long_scripts_need_memory_and_come_back),
        TEST(the_locale_does_not_matter),
        TEST(random_worlds_come_back),
        TEST(handles_that_are_taken_are_mapped),
        TEST(an_entity_that_is_taken_means_itself),
        TEST(handles_beyond_reach_are_mapped),
        TEST(many_entities_in_any_order_are_found),
        TEST(hierarchies_come_back_with_their_links),
        TEST(links_that_contradict_each_other_are_refused),
        TEST(bad_entities_are_refused_with_their_place),
        TEST(bad_worlds_are_refused_with_their_place),
        TEST(every_text_that_is_cut_short_is_refused),
        TEST(errors_name_what_they_speak_of),
        TEST(unknown_members_can_be_skipped),
        TEST(skipped_members_are_still_parsed),
        TEST(no_text_is_too_deep),
        TEST(a_function_can_end_the_writing),
        TEST(a_save_function_that_writes_invalid_bytes_ends_the_writing),
        TEST(writing_refuses_what_it_cannot_write),
        TEST(a_world_must_be_empty_and_at_rest),
        TEST(listeners_may_end_what_is_read),
        TEST(components_that_a_listener_registers_stay_unknown),
        TEST(limits_and_hooks_undo_the_reading),
        TEST(every_allocation_of_reading_can_fail),
        TEST(every_allocation_of_writing_can_fail),
        TEST(the_page_shows_what_is_written),
        TEST(python_reads_it_and_writes_it_back),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
