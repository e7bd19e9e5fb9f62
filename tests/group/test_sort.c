// SPDX-License-Identifier: MIT
// Sorting the rows of a pool: every order against the slow and obvious one, and what moving rows
// means to hooks, disable bits, stamps, queries and memory.
#include "component_test.h"

#include <float.h>
#include <math.h>

enum { ITEM = 1, OTHER, STONE, GHOST, FLAGGED, SEASON, HOOKED, UNKNOWN = 99 };

// A value with room for any key in its middle, and a number that no other value has.
typedef struct item {
    uint32_t serial;
    uint32_t filler;
    _Alignas(8) uint8_t key[8];
} item;

enum { KEY_AT = offsetof(item, key) };

// --- a world of items ------------------------------------------------------------------------

#define ITEMS_MOST 6000u

typedef struct fixture {
    test_memory  memory;
    kith_world  *world;
    journal      journal;
    tracker      track;
    kith_entity *entities;
    item        *items; // as they were added, by serial
    uint32_t     count;
} fixture;

static int setup(void **state)
{
    fixture *f  = calloc(1, sizeof *f);
    f->world    = test_world(&f->memory);
    f->entities = calloc(ITEMS_MOST, sizeof *f->entities);
    f->items    = calloc(ITEMS_MOST, sizeof *f->items);
    f->track    = (tracker){ .journal = &f->journal, .name = "hooked" };
    *state      = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    test_world_end(f->world, &f->memory);
    assert_int_equal(f->journal.living, 0);
    text_free(&f->journal.text);
    free(f->entities);
    free(f->items);
    free(f);
    return 0;
}

static kith_component_desc item_desc(uint32_t page_rows)
{
    return (kith_component_desc){ .name             = "item",
                                  .id               = ITEM,
                                  .size             = sizeof(item),
                                  .alignment        = _Alignof(item),
                                  .traits.page_rows = page_rows };
}

// Puts the items into the world, in this order, with a lookup that has nothing to do with rows.
static void add_items(fixture *f, uint32_t count)
{
    assert_true(count <= ITEMS_MOST);
    f->count = count;
    create_entities(f->world, f->entities, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t    other  = (uint32_t)((uint64_t)i * 7919 % count);
        kith_entity kept   = f->entities[i];
        f->entities[i]     = f->entities[other];
        f->entities[other] = kept;
    }
    for (uint32_t i = 0; i < count; i++) {
        f->items[i].serial = i;
        kith_component_set(f->world, f->entities[i], ITEM, &f->items[i]);
    }
}

static void remove_items(fixture *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        kith_entity_destroy(f->world, f->entities[i]);
    }
}

// The row holds the item with that serial, complete, and is its entity's.
static void assert_item(const fixture *f, uint32_t row, uint32_t serial)
{
    const item *is = kith_component_value(f->world, ITEM, row);
    assert_non_null(is);
    assert_int_equal(is->serial, serial);
    assert_memory_equal(is, &f->items[serial], sizeof *is);
    assert_int_equal(kith_component_entity(f->world, ITEM, row), f->entities[serial]);
    assert_int_equal(kith_component_row(f->world, f->entities[serial], ITEM), row);
    assert_ptr_equal(kith_component_get(f->world, f->entities[serial], ITEM), is);
}

static void assert_items(const fixture *f, const uint32_t *serials)
{
    assert_int_equal(kith_component_stats(f->world, ITEM).rows, f->count);
    for (uint32_t row = 0; row < f->count; row++) {
        assert_item(f, row, serials[row]);
    }
    assert_world_valid(f->world);
}

// --- the slow and obvious order --------------------------------------------------------------

typedef int (*order_fn)(const item *a, const item *b);

#define COMPARE(A, B) (((A) > (B)) - ((A) < (B)))

#define ORDER_OF(NAME, TYPE)                                                                       \
    static int order_##NAME(const item *a, const item *b)                                          \
    {                                                                                              \
        TYPE left;                                                                                 \
        TYPE right;                                                                                \
        memcpy(&left, a->key, sizeof left);                                                        \
        memcpy(&right, b->key, sizeof right);                                                      \
        return COMPARE(left, right);                                                               \
    }

ORDER_OF(u8, uint8_t)
ORDER_OF(u16, uint16_t)
ORDER_OF(u32, uint32_t)
ORDER_OF(u64, uint64_t)
ORDER_OF(i8, int8_t)
ORDER_OF(i16, int16_t)
ORDER_OF(i32, int32_t)
ORDER_OF(i64, int64_t)

// Zeros by their signs; NaN is not asked here.
static int order_reals(double left, double right)
{
    int signs = (signbit(right) != 0) - (signbit(left) != 0);
    return left == right ? (left == 0 ? signs : 0) : COMPARE(left, right);
}

static double real_of(const item *one, bool wide)
{
    float  narrow;
    double number;
    memcpy(&narrow, one->key, sizeof narrow);
    memcpy(&number, one->key, sizeof number);
    return wide ? number : (double)narrow;
}

static int order_f32(const item *a, const item *b)
{
    return order_reals(real_of(a, false), real_of(b, false));
}

static int order_f64(const item *a, const item *b)
{
    return order_reals(real_of(a, true), real_of(b, true));
}

static const order_fn orders[] = {
    [KITH_TYPE_U8] = order_u8,   [KITH_TYPE_U16] = order_u16, [KITH_TYPE_U32] = order_u32,
    [KITH_TYPE_U64] = order_u64, [KITH_TYPE_I8] = order_i8,   [KITH_TYPE_I16] = order_i16,
    [KITH_TYPE_I32] = order_i32, [KITH_TYPE_I64] = order_i64, [KITH_TYPE_F32] = order_f32,
    [KITH_TYPE_F64] = order_f64,
};

static const uint32_t key_sizes[] = { 0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8 }; // by kith_field_type

static bool is_nan_key(const item *one, kith_field_type type)
{
    return (type == KITH_TYPE_F32 || type == KITH_TYPE_F64) &&
           isnan(real_of(one, type == KITH_TYPE_F64));
}

static int compare_items(const item *a, const item *b, const kith_sort_key *key)
{
    int nan = is_nan_key(a, key->type) - is_nan_key(b, key->type);
    if (nan != 0 || is_nan_key(a, key->type)) {
        return nan;
    }
    return key->descending ? orders[key->type](b, a) : orders[key->type](a, b);
}

// The serials in the order in which they belong, equal ones as they are, by merging halves.
static void order_serials(const fixture *f, const kith_sort_key *key, uint32_t *serials,
                          uint32_t count)
{
    static uint32_t merged[ITEMS_MOST];
    uint32_t        half = count / 2;
    if (count < 2) {
        return;
    }
    order_serials(f, key, serials, half);
    order_serials(f, key, serials + half, count - half);
    for (uint32_t i = 0, left = 0, right = half; i < count; i++) {
        bool take = right == count ||
                    (left < half &&
                     compare_items(&f->items[serials[left]], &f->items[serials[right]], key) <= 0);
        merged[i] = serials[take ? left++ : right++];
    }
    memcpy(serials, merged, count * sizeof *serials);
}

static void assert_sorted_by(const fixture *f, const kith_sort_key *key)
{
    static uint32_t serials[ITEMS_MOST];
    for (uint32_t i = 0; i < f->count; i++) {
        serials[i] = i;
    }
    order_serials(f, key, serials, f->count);
    assert_items(f, serials);
}

// --- shapes of data --------------------------------------------------------------------------

typedef enum shape {
    RANDOM,
    FEW_DIFFERENT, // keys
    RISING,
    FALLING,
    NEARLY,    // rising, with a few exchanged
    ROTATED,   // rising, but it starts in the middle
    NEW_TAIL,  // rising, with a few new ones at the end
    CLUSTERED, // rising, with a wild part
    SHAPES
} shape;

// Bits that rise with the number, of every key type but floats, which take what they mean.
static uint64_t shaped_number(shape form, uint64_t *seed, uint64_t i, uint64_t count)
{
    uint64_t random = test_random(seed);
    switch (form) {
    case RANDOM:
        return random;
    case FEW_DIFFERENT:
        return random % 3;
    case FALLING:
        return count - i;
    case NEARLY:
        return random % 100 == 0 ? random / 100 % count : i;
    case ROTATED:
        return (i + count / 3) % count;
    case NEW_TAIL:
        return i + count / 50 < count ? i : random % count;
    case CLUSTERED:
        return i < count / 40 ? random % count : i;
    default:
        return i;
    }
}

static void shape_key(item *one, kith_field_type type, uint64_t number, shape form)
{
    float  narrow = (float)number - 100;
    double wide   = (double)number - 100;
    memcpy(one->key, &number, sizeof number);
    if (form != RANDOM && type == KITH_TYPE_F32) {
        memcpy(one->key, &narrow, sizeof narrow);
    } else if (form != RANDOM && type == KITH_TYPE_F64) {
        memcpy(one->key, &wide, sizeof wide);
    }
}

static void shape_items(fixture *f, kith_field_type type, shape form, uint64_t *seed,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        memset(&f->items[i], 0, sizeof f->items[i]);
        f->items[i].filler = (uint32_t)test_random(seed);
        uint64_t number    = shaped_number(form, seed, i, count);
        // a key in the first bytes, wherever those of a number are
        shape_key(&f->items[i], type, number, form);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        memmove(f->items[i].key, f->items[i].key + (type < KITH_TYPE_F32 ? 8 - key_sizes[type] : 0),
                key_sizes[type]);
#endif
    }
}

// --- by key ----------------------------------------------------------------------------------

static void every_type_of_key_is_sorted_in_every_shape(void **state)
{
    static const uint32_t counts[] = { 0, 1, 2, 3, 5, 13, 40, 300, 1100, 5000 };
    fixture              *f        = *state;
    uint64_t              seed     = test_seed();
    register_one(f->world, item_desc(64));
    for (uint32_t test = 0; test < 10 * SHAPES * COUNT_OF(counts); test++) {
        kith_sort_key key  = { KEY_AT, (kith_field_type)(KITH_TYPE_U8 + test % 10),
                               test_random(&seed) % 2 != 0 };
        shape         form = (shape)(test / 10 % SHAPES);
        uint32_t      n    = counts[test / 10 / SHAPES];
        shape_items(f, key.type, form, &seed, n);
        add_items(f, n);

        assert_true(kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .key = &key }));

        assert_sorted_by(f, &key);
        remove_items(f);
    }
}

// Keys that are given, in ascending order, sorted from every rotation.
static void assert_order_of_keys(fixture *f, kith_field_type type, const void *keys, uint32_t count)
{
    const uint8_t *bytes = keys;
    for (uint32_t turn = 0; turn < 2 * count; turn++) {
        kith_sort_key key = { KEY_AT, type, turn % 2 != 0 };
        for (uint32_t i = 0; i < count; i++) {
            uint32_t from = turn < count ? (i + turn) % count : (2 * count - i - 1 + turn) % count;
            memset(&f->items[i], 0, sizeof f->items[i]);
            memcpy(f->items[i].key, bytes + from * key_sizes[type], key_sizes[type]);
        }
        add_items(f, count);

        assert_true(kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .key = &key }));

        assert_sorted_by(f, &key);
        for (uint32_t row = 0; row < count; row++) {
            const item *is   = kith_component_value(f->world, ITEM, row);
            uint32_t    rank = key.descending ? count - 1 - row : row;
            assert_memory_equal(is->key, bytes + rank * key_sizes[type], key_sizes[type]);
        }
        remove_items(f);
    }
}

#define ASSERT_ORDER_OF(TYPE, C_TYPE, ...)                                                         \
    do {                                                                                           \
        const C_TYPE keys_[] = { __VA_ARGS__ };                                                    \
        assert_order_of_keys(f, TYPE, keys_, COUNT_OF(keys_));                                     \
    } while (0)

static void keys_are_sorted_at_their_extremes(void **state)
{
    fixture *f = *state;
    register_one(f->world, item_desc(4));

    ASSERT_ORDER_OF(KITH_TYPE_U8, uint8_t, 0, 1, 127, 128, 254, 255);
    ASSERT_ORDER_OF(KITH_TYPE_U16, uint16_t, 0, 1, 255, 256, 32767, 32768, 65535);
    ASSERT_ORDER_OF(KITH_TYPE_U32, uint32_t, 0, 1, 65536, INT32_MAX, INT32_MAX + 1u, UINT32_MAX);
    ASSERT_ORDER_OF(KITH_TYPE_U64, uint64_t, 0, 1, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX,
                    INT64_MAX + UINT64_C(1), UINT64_MAX - 1, UINT64_MAX);
    ASSERT_ORDER_OF(KITH_TYPE_I8, int8_t, INT8_MIN, -127, -1, 0, 1, INT8_MAX);
    ASSERT_ORDER_OF(KITH_TYPE_I16, int16_t, INT16_MIN, -256, -1, 0, 1, 256, INT16_MAX);
    ASSERT_ORDER_OF(KITH_TYPE_I32, int32_t, INT32_MIN, -65536, -1, 0, 1, 65536, INT32_MAX);
    ASSERT_ORDER_OF(KITH_TYPE_I64, int64_t, INT64_MIN, -1 - (INT64_C(1) << 32), -1, 0, 1,
                    INT64_C(1) << 32, INT64_MAX);
    ASSERT_ORDER_OF(KITH_TYPE_F32, float, -INFINITY, -FLT_MAX, -1.5f, -FLT_MIN, -FLT_TRUE_MIN,
                    -0.0f, 0.0f, FLT_TRUE_MIN, FLT_MIN, 1.5f, FLT_MAX, INFINITY);
    ASSERT_ORDER_OF(KITH_TYPE_F64, double, -(double)INFINITY, -DBL_MAX, -1.5, -DBL_MIN,
                    -DBL_TRUE_MIN, -0.0, 0.0, DBL_TRUE_MIN, DBL_MIN, 1.5, DBL_MAX,
                    (double)INFINITY);
}

// Of both signs and with different bits: all the same, and behind everything else.
static const uint32_t strange_floats[] = { 0x7fc00000, 0xc0000000, 0xffc00001, 0x7f800001,
                                           0x00000000, 0x80000000, 0xffffffff, 0x7f800000,
                                           0xff800000, 0x3f800000, 0x7fffffff, 0xff800001 };

static void assert_strange_floats(fixture *f, bool descending, const uint32_t *serials)
{
    kith_sort_key key = { KEY_AT, KITH_TYPE_F32, descending };
    for (uint32_t i = 0; i < COUNT_OF(strange_floats); i++) {
        memset(&f->items[i], 0, sizeof f->items[i]);
        memcpy(f->items[i].key, &strange_floats[i], sizeof strange_floats[i]);
    }
    add_items(f, COUNT_OF(strange_floats));

    assert_true(kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .key = &key }));

    assert_items(f, serials);
    remove_items(f);
}

static void nan_comes_last_and_keeps_its_order(void **state)
{
    fixture *f = *state;
    register_one(f->world, item_desc(4));

    assert_strange_floats(f, false, (uint32_t[]){ 8, 1, 5, 4, 9, 7, 0, 2, 3, 6, 10, 11 });
    assert_strange_floats(f, true, (uint32_t[]){ 7, 9, 4, 5, 1, 8, 0, 2, 3, 6, 10, 11 });
}

// Every neighbour of every two: what the scan for the first row out of order must not overlook.
static void no_pair_of_strange_floats_is_overlooked(void **state)
{
    fixture *f = *state;
    register_one(f->world, item_desc(4));
    for (uint32_t test = 0; test < 12 * 12 * 12 * 2; test++) {
        kith_sort_key  key     = { KEY_AT, KITH_TYPE_F32, test % 2 != 0 };
        const uint32_t three[] = { test / 2 % 12, test / 24 % 12, test / 288 % 12 };
        for (uint32_t i = 0; i < 3; i++) {
            memset(&f->items[i], 0, sizeof f->items[i]);
            memcpy(f->items[i].key, &strange_floats[three[i]], sizeof strange_floats[0]);
        }
        add_items(f, 3);

        assert_true(kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .key = &key }));

        assert_sorted_by(f, &key);
        remove_items(f);
    }
}

// --- by comparison ---------------------------------------------------------------------------

typedef struct counted {
    const kith_sort_key *key;
    const kith_world    *world;
    uint32_t             calls;
} counted;

static int compare_values(const void *a, const void *b, void *context)
{
    counted *how = context;
    how->calls++;
    return compare_items(a, b, how->key);
}

static int compare_entities(kith_entity a, kith_entity b, void *context)
{
    counted *how = context;
    how->calls++;
    return compare_items(kith_component_get(how->world, a, ITEM),
                         kith_component_get(how->world, b, ITEM), how->key);
}

static void values_and_entities_are_sorted_in_every_shape(void **state)
{
    static const uint32_t counts[] = { 0, 1, 2, 7, 30, 333, 3000 };
    fixture              *f        = *state;
    uint64_t              seed     = test_seed();
    register_one(f->world, item_desc(16));
    for (uint32_t test = 0; test < 2 * SHAPES * COUNT_OF(counts); test++) {
        kith_sort_key key  = { KEY_AT, KITH_TYPE_I16, test_random(&seed) % 2 != 0 };
        counted       how  = { &key, f->world, 0 };
        shape         form = (shape)(test / 2 % SHAPES);
        uint32_t      n    = counts[test / 2 / SHAPES];
        shape_items(f, key.type, form, &seed, n);
        add_items(f, n);

        assert_true(
            test % 2 == 0
                ? kith_component_sort(
                      f->world, ITEM,
                      &(kith_sort_desc){ .compare = compare_values, .context = &how })
                : kith_component_sort(
                      f->world, ITEM,
                      &(kith_sort_desc){ .compare_entities = compare_entities, .context = &how }));

        assert_sorted_by(f, &key);
        remove_items(f);
    }
}

static uint32_t comparisons_for(fixture *f, shape form, uint32_t count)
{
    kith_sort_key key  = { KEY_AT, KITH_TYPE_U32, false };
    counted       how  = { &key, f->world, 0 };
    uint64_t      seed = 7;
    shape_items(f, key.type, form, &seed, count);
    add_items(f, count);
    assert_true(kith_component_sort(
        f->world, ITEM, &(kith_sort_desc){ .compare = compare_values, .context = &how }));
    assert_sorted_by(f, &key);
    remove_items(f);
    return how.calls;
}

static void nearly_sorted_rows_take_few_comparisons(void **state)
{
    fixture *f = *state;
    register_one(f->world, item_desc(0));

    assert_int_equal(comparisons_for(f, RISING, 5000), 4999);
    assert_true(comparisons_for(f, NEARLY, 5000) < 5000 + 5000 / 2);
    assert_true(comparisons_for(f, NEW_TAIL, 5000) < 5000 + 5000 / 2);
    assert_true(comparisons_for(f, FALLING, 5000) < 3 * 5000);
    assert_true(comparisons_for(f, RANDOM, 5000) < 14 * 5000);
}

static int answer_at_random(const void *a, const void *b, void *context)
{
    (void)a;
    (void)b;
    return (int)(test_random(context) % 3) - 1;
}

static int answer_less(const void *a, const void *b, void *context)
{
    (void)a;
    (void)b;
    (void)context;
    return -1;
}

static void an_inconsistent_comparison_loses_no_row(void **state)
{
    fixture *f    = *state;
    uint64_t seed = test_seed();
    register_one(f->world, item_desc(32));
    for (uint32_t n = 0; n < 3000; n = n * 5 / 3 + 1) {
        shape_items(f, KITH_TYPE_U8, RANDOM, &seed, n);
        add_items(f, n);

        assert_true(kith_component_sort(
            f->world, ITEM, &(kith_sort_desc){ .compare = answer_at_random, .context = &seed }));
        assert_true(
            kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .compare = answer_less }));

        assert_world_valid(f->world);
        for (uint32_t i = 0; i < n; i++) {
            assert_item(f, kith_component_row(f->world, f->entities[i], ITEM), i);
        }
        remove_items(f);
    }
}

// The first answer is that the second row comes first, each later one that it does not.
static int change_its_mind(const void *a, const void *b, void *context)
{
    uint32_t *calls = context;
    (void)a;
    (void)b;
    return (*calls)++ == 0 ? -1 : 1;
}

static void rows_that_an_inconsistent_order_left_stay(void **state)
{
    fixture *f     = *state;
    uint32_t calls = 0;
    register_one(f->world, item_desc(0));
    add_items(f, 2);
    size_t bytes = f->memory.live_bytes;

    assert_true(kith_component_sort(
        f->world, ITEM, &(kith_sort_desc){ .compare = change_its_mind, .context = &calls }));

    assert_items(f, (uint32_t[]){ 0, 1 });
    assert_int_equal(f->memory.live_bytes, bytes);
}

static int compare_and_meddle(const void *a, const void *b, void *context)
{
    fixture *f = context;
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY,
                   kith_entity_create(f->world) != KITH_NULL);
    assert_refused(
        &f->memory, f->world, KITH_ERROR_BUSY,
        kith_component_sort(f->world, ITEM,
                            &(kith_sort_desc){ .compare = compare_and_meddle, .context = f }));
    return ((const item *)a)->key[0] - ((const item *)b)->key[0];
}

static void comparing_may_not_change_the_world(void **state)
{
    fixture *f = *state;
    register_one(f->world, item_desc(0));
    for (uint32_t i = 0; i < 4; i++) {
        f->items[i].key[0] = (uint8_t)(4 - i);
    }
    add_items(f, 4);

    assert_true(kith_component_sort(
        f->world, ITEM, &(kith_sort_desc){ .compare = compare_and_meddle, .context = f }));

    assert_items(f, (uint32_t[]){ 3, 2, 1, 0 });
}

// --- what goes with a row --------------------------------------------------------------------

// Items whose keys are these bytes.
static void add_bytes(fixture *f, const uint8_t *keys, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        memset(&f->items[i], 0, sizeof f->items[i]);
        f->items[i].key[0] = keys[i];
    }
    add_items(f, count);
}

static bool sort_bytes(fixture *f)
{
    return kith_component_sort(
        f->world, ITEM,
        &(kith_sort_desc){ .key = &(kith_sort_key){ KEY_AT, KITH_TYPE_U8, false } });
}

static void values_of_any_size_go_with_their_rows(void **state)
{
    static const uint32_t sizes[] = { 1, 2, 3, 4, 8, 12, 16, 20, 32, 33, 64, 200, 1000 };
    fixture              *f       = *state;
    uint64_t              seed    = test_seed();
    for (uint32_t s = 0; s < COUNT_OF(sizes); s++) {
        kith_component_desc desc = bytes_desc(100 + s, sizes[s], 1);
        char                name[16];
        snprintf(name, sizeof name, "bytes %u", s);
        desc.name             = name;
        desc.traits.page_rows = 8;
        register_one(f->world, desc);
        create_entities(f->world, f->entities, 100);
        for (uint32_t i = 0; i < 100; i++) {
            uint8_t value[1000];
            uint8_t number = (uint8_t)test_random(&seed);
            fill_bytes(value, sizes[s], number);
            kith_component_set(f->world, f->entities[i], desc.id, value);
            f->items[i].filler = number;
        }

        assert_true(kith_component_sort(
            f->world, desc.id,
            &(kith_sort_desc){ .key = &(kith_sort_key){ 0, KITH_TYPE_U8, false } }));

        for (uint32_t i = 0; i < 100; i++) {
            const uint8_t *value = kith_component_get(f->world, f->entities[i], desc.id);
            uint32_t       row   = kith_component_row(f->world, f->entities[i], desc.id);
            assert_bytes(value, sizes[s], f->items[i].filler);
            if (row > 0) {
                const uint8_t *before = kith_component_value(f->world, desc.id, row - 1);
                assert_true(*before <= *value);
            }
        }
        assert_world_valid(f->world);
    }
}

static const kith_sort_key by_number = { offsetof(tracked, number), KITH_TYPE_U32, false };

static void add_tracked(fixture *f, const uint32_t *numbers, uint32_t count)
{
    kith_component_desc desc = tracked_desc(HOOKED, &f->track);
    desc.traits.page_rows    = 4;
    register_one(f->world, desc);
    create_entities(f->world, f->entities, count);
    for (uint32_t i = 0; i < count; i++) {
        set_tracked(f->world, f->entities[i], HOOKED, numbers[i]);
    }
    text_free(&f->journal.text);
}

static void assert_numbers(const fixture *f, const uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const tracked *value = kith_component_value(f->world, HOOKED, i);
        assert_int_equal(value->number, numbers[i]);
    }
    assert_world_valid(f->world);
}

// Two cycles, of two and three rows; the others stay where they are.
static void values_with_hooks_move_once_and_one_of_a_cycle_waits(void **state)
{
    fixture *f = *state;
    add_tracked(f, (uint32_t[]){ 1, 20, 10, 30, 60, 40, 50 }, 7);

    assert_true(kith_component_sort(f->world, HOOKED, &(kith_sort_desc){ .key = &by_number }));

    assert_numbers(f, (uint32_t[]){ 1, 10, 20, 30, 40, 50, 60 }, 7);
    assert_journal(&f->journal, "hooked move 20, hooked move 10, hooked move 20, "
                                "hooked move 60, hooked move 40, hooked move 50, hooked move 60");
}

static uint32_t count_of(const char *all, const char *part)
{
    uint32_t count = 0;
    for (const char *at = all == NULL ? NULL : strstr(all, part); at != NULL;
         at             = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

// However few rows move, each finds the next of its cycle.
static void cycles_are_found_in_every_permutation(void **state)
{
    fixture *f    = *state;
    uint64_t seed = test_seed();
    uint32_t numbers[60];
    for (uint32_t i = 0; i < COUNT_OF(numbers); i++) {
        numbers[i] = i;
    }
    add_tracked(f, numbers, COUNT_OF(numbers));
    for (uint32_t swaps = 0; swaps < 120; swaps++) {
        for (uint32_t i = 0; i < swaps; i++) {
            kith_component_swap(f->world, HOOKED, f->entities[test_random_below(&seed, 60)],
                                f->entities[test_random_below(&seed, 60)]);
        }
        uint32_t moved = 0;
        for (uint32_t i = 0; i < 60; i++) {
            moved += kith_component_row(f->world, f->entities[i], HOOKED) != i;
        }
        text_free(&f->journal.text);

        assert_true(kith_component_sort(f->world, HOOKED, &(kith_sort_desc){ .key = &by_number }));

        assert_numbers(f, numbers, COUNT_OF(numbers));
        uint32_t moves = count_of(f->journal.text.bytes, "move");
        assert_true(moves >= moved && moves <= moved + moved / 2);
        text_free(&f->journal.text);
    }
}

static void meddle(void *context)
{
    fixture *f = context;
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY,
                   kith_component_sort(f->world, HOOKED, &(kith_sort_desc){ .key = &by_number }));
}

static void move_hooks_may_not_sort(void **state)
{
    fixture *f = *state;
    add_tracked(f, (uint32_t[]){ 2, 1 }, 2);
    f->journal.intrude  = meddle;
    f->journal.intruder = f;

    assert_true(kith_component_sort(f->world, HOOKED, &(kith_sort_desc){ .key = &by_number }));

    f->journal.intrude = NULL;
    assert_journal(&f->journal, "hooked move 2, hooked move 1, hooked move 2");
}

static void disabled_rows_stay_disabled_where_they_go(void **state)
{
    fixture *f    = *state;
    uint64_t seed = test_seed();
    register_one(f->world, item_desc(8));
    shape_items(f, KITH_TYPE_U8, RANDOM, &seed, 200);
    add_items(f, 200);
    for (uint32_t i = 0; i < 200; i += 3) {
        assert_true(kith_component_enable(f->world, f->entities[i], ITEM, false));
    }

    assert_true(sort_bytes(f));

    assert_sorted_by(f, &(kith_sort_key){ KEY_AT, KITH_TYPE_U8, false });
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(kith_component_enabled(f->world, f->entities[i], ITEM), i % 3 != 0);
    }
}

static void only_pages_with_a_changed_row_are_stamped(void **state)
{
    fixture      *f      = *state;
    const uint8_t keys[] = { 1, 2, 3, 4, 5, 7, 6, 8, 9, 10, 11, 12, 13, 16, 15, 14, 17 };
    register_one(f->world, item_desc(4));
    add_bytes(f, keys, COUNT_OF(keys));
    uint64_t before = kith_world_now(f->world);
    uint64_t now    = kith_world_advance(f->world);

    assert_true(sort_bytes(f));

    const uint64_t stamps[] = { before, now, before, now, before };
    for (uint32_t row = 0; row < COUNT_OF(keys); row++) {
        assert_int_equal(kith_component_stamp(f->world, ITEM, row), stamps[row / 4]);
    }
    kith_world_advance(f->world);
    assert_true(sort_bytes(f));
    for (uint32_t row = 0; row < COUNT_OF(keys); row++) {
        assert_int_equal(kith_component_stamp(f->world, ITEM, row), stamps[row / 4]);
    }
}

static uint64_t remembered_by(kith_query *query)
{
    kith_cursor c = kith_query_begin(query);
    while (kith_cursor_next_chunk(&c)) {
        assert_non_null(c.columns[0]);
    }
    return kith_query_report_of(query).remembered;
}

static void a_sort_that_moves_nothing_is_not_noticed_by_queries(void **state)
{
    fixture        *f       = *state;
    const kith_term terms[] = { { ITEM, KITH_ROLE_READ, 0 }, { OTHER, KITH_ROLE_READ, 0 } };
    register_one(f->world, item_desc(0));
    kith_component_desc other = bytes_desc(OTHER, 4, 4);
    register_one(f->world, other);
    add_bytes(f, (uint8_t[]){ 1, 2, 3, 4 }, 4);
    for (uint32_t i = 0; i < 4; i++) {
        kith_component_add(f->world, f->entities[i], OTHER, NULL);
    }
    kith_query *query = kith_query_create(f->world, &(kith_query_desc){ "both", terms, 2, 0 });
    remembered_by(query);
    assert_int_equal(remembered_by(query), 4);

    assert_true(sort_bytes(f));
    assert_int_equal(remembered_by(query), 4);

    *(item *)kith_component_mut(f->world, f->entities[0], ITEM) = (item){ .key = { 9 } };
    assert_true(sort_bytes(f));
    assert_int_equal(remembered_by(query), 0);
    kith_query_destroy(query);
}

static void loops_follow_the_new_order(void **state)
{
    fixture        *f    = *state;
    const kith_term term = { ITEM, KITH_ROLE_READ, 0 };
    register_one(f->world, item_desc(2));
    add_bytes(f, (uint8_t[]){ 30, 10, 20, 50, 40 }, 5);
    assert_true(sort_bytes(f));

    kith_cursor c    = kith_view_begin(f->world, &(kith_query_desc){ "items", &term, 1, 0 });
    uint8_t     last = 0;
    while (kith_cursor_next(&c)) {
        const item *one = c.columns[0];
        assert_int_equal(one->key[0], last + 10);
        last = one->key[0];
    }
    assert_int_equal(last, 50);
}

// --- as another pool -------------------------------------------------------------------------

static void register_for_as(fixture *f)
{
    kith_component_desc other = bytes_desc(OTHER, 1, 1);
    kith_component_desc stone = bytes_desc(STONE, 4, 4);
    other.name                = "other";
    stone.name                = "stone";
    stone.traits.policy       = KITH_POLICY_STABLE;
    register_one(f->world, item_desc(4));
    register_one(f->world, other);
    register_one(f->world, stone);
    assert_int_equal(test_register_tag(f->world, "ghost", GHOST), GHOST);
}

static void add_serials(fixture *f, kith_component component, const uint32_t *serials,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_non_null(kith_component_add(f->world, f->entities[serials[i]], component, NULL));
    }
}

static void rows_follow_another_pool_and_the_rest_stays_behind(void **state)
{
    fixture *f = *state;
    register_for_as(f);
    add_bytes(f, (uint8_t[7]){ 0 }, 7);
    kith_component_add(f->world, kith_entity_create(f->world), OTHER, NULL);
    kith_component_add(f->world, kith_entity_create_hint(f->world, handle(5000, 1)), OTHER, NULL);
    add_serials(f, OTHER, (uint32_t[]){ 5, 1, 3 }, 3);

    assert_true(kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = OTHER }));

    assert_items(f, (uint32_t[]){ 5, 1, 3, 0, 2, 4, 6 });
    uint64_t now = kith_world_advance(f->world);
    assert_true(kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = OTHER }));
    assert_true(kith_component_stamp(f->world, ITEM, 0) < now);
}

static void a_tag_follows_and_a_stable_pool_with_holes_leads(void **state)
{
    fixture *f = *state;
    register_for_as(f);
    add_bytes(f, (uint8_t[6]){ 0 }, 6);
    add_serials(f, STONE, (uint32_t[]){ 4, 3, 2, 1, 0 }, 5);
    kith_component_remove(f->world, f->entities[3], STONE);
    kith_component_remove(f->world, f->entities[4], STONE);
    add_serials(f, GHOST, (uint32_t[]){ 0, 1, 2, 3 }, 4);

    assert_true(kith_component_sort(f->world, GHOST, &(kith_sort_desc){ .as = STONE }));
    assert_true(kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = GHOST }));

    assert_items(f, (uint32_t[]){ 2, 1, 0, 3, 4, 5 });
}

static void sorting_as_an_empty_pool_or_itself_moves_nothing(void **state)
{
    fixture *f = *state;
    register_for_as(f);
    assert_true(kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = OTHER }));
    add_bytes(f, (uint8_t[3]){ 0 }, 3);
    kith_world_advance(f->world);

    assert_true(kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = OTHER }));
    assert_true(kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = ITEM }));
    assert_true(kith_component_sort(f->world, OTHER, &(kith_sort_desc){ .as = ITEM }));

    assert_items(f, (uint32_t[]){ 0, 1, 2 });
    assert_int_equal(kith_component_stamp(f->world, ITEM, 0), 1);
}

static void random_pools_follow_each_other(void **state)
{
    fixture *f    = *state;
    uint64_t seed = test_seed();
    register_for_as(f);
    for (uint32_t test = 0; test < 60; test++) {
        uint32_t n = test_random_below(&seed, 200);
        shape_items(f, KITH_TYPE_U8, RANDOM, &seed, n);
        add_items(f, n);
        uint32_t order[200];
        uint32_t count = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t one = test_random_below(&seed, n);
            if (!kith_component_has(f->world, f->entities[one], OTHER)) {
                add_serials(f, OTHER, &one, 1);
                order[count++] = one;
            }
        }
        for (uint32_t i = 0; i < n; i++) {
            if (!kith_component_has(f->world, f->entities[i], OTHER)) {
                order[count++] = i;
            }
        }

        assert_true(kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = OTHER }));

        assert_items(f, order);
        remove_items(f);
    }
}

// --- errors ----------------------------------------------------------------------------------

static int by_key_byte(const void *a, const void *b, void *context)
{
    (void)context;
    return ((const item *)a)->key[0] - ((const item *)b)->key[0];
}

static int by_handle(kith_entity a, kith_entity b, void *context)
{
    (void)context;
    return COMPARE(a, b);
}

static void register_all_kinds(fixture *f)
{
    register_for_as(f);
    register_one(f->world,
                 (kith_component_desc){ .name = "flagged", .id = FLAGGED, .kind = KITH_KIND_FLAG });
    register_one(f->world,
                 (kith_component_desc){
                     .name = "season", .id = SEASON, .kind = KITH_KIND_SINGLETON, .size = 4 });
    add_bytes(f, (uint8_t[]){ 3, 1, 2 }, 3);
    add_serials(f, STONE, (uint32_t[]){ 0, 1 }, 2);
}

#define REFUSED(CODE, CALL) assert_refused_unchanged(&f->memory, f->world, CODE, CALL)

static const kith_sort_key whole = { 0, KITH_TYPE_U8, false };

static void what_cannot_be_sorted_is_refused(void **state)
{
    fixture *f = *state;
    register_all_kinds(f);
    const struct {
        kith_component  component;
        kith_error_code code;
    } bad[] = { { STONE, KITH_ERROR_POLICY },
                { FLAGGED, KITH_ERROR_KIND },
                { SEASON, KITH_ERROR_KIND },
                { UNKNOWN, KITH_ERROR_UNREGISTERED } };
    for (uint32_t i = 0; i < COUNT_OF(bad); i++) {
        kith_component c = bad[i].component;

        REFUSED(bad[i].code,
                kith_component_sort(f->world, c, &(kith_sort_desc){ .compare = by_key_byte }));
        REFUSED(bad[i].code, kith_component_sort(
                                 f->world, c, &(kith_sort_desc){ .compare_entities = by_handle }));
        REFUSED(bad[i].code, kith_component_sort(f->world, c, &(kith_sort_desc){ .key = &whole }));
        REFUSED(bad[i].code, kith_component_sort(f->world, c, &(kith_sort_desc){ .as = ITEM }));
    }
    REFUSED(KITH_ERROR_KIND,
            kith_component_sort(f->world, GHOST, &(kith_sort_desc){ .compare = by_key_byte }));
    REFUSED(KITH_ERROR_KIND,
            kith_component_sort(f->world, GHOST, &(kith_sort_desc){ .key = &whole }));
    REFUSED(KITH_ERROR_KIND,
            kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = FLAGGED }));
    REFUSED(KITH_ERROR_KIND,
            kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = SEASON }));
    REFUSED(KITH_ERROR_UNREGISTERED,
            kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = UNKNOWN }));
}

static void errors_of_sorting_say_what_is_wrong(void **state)
{
    fixture *f = *state;
    register_all_kinds(f);

    kith_component_sort(f->world, STONE, &(kith_sort_desc){ .compare = by_key_byte });
    assert_error_text(f->world, "stone_sort: the rows of a stable pool do not move");
    kith_component_sort(f->world, GHOST, &(kith_sort_desc){ .key = &whole });
    assert_error_text(f->world,
                      "kith_component_sort: \"ghost\" is a tag and cannot be used this way");
    kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .compare = NULL });
    assert_error_text(f->world,
                      "item_sort: set exactly one of key, compare, compare_entities and as");
    kith_component_sort(f->world, ITEM,
                        &(kith_sort_desc){ .key = &(kith_sort_key){ 16, KITH_TYPE_U8, false } });
    assert_error_text(f->world, "item_sort: the key must lie within the value (16), got 17");
    kith_component_sort(f->world, ITEM,
                        &(kith_sort_desc){ .key = &(kith_sort_key){ 6, KITH_TYPE_U32, false } });
    assert_error_text(f->world, "item_sort: the key must be aligned as its type (4), got 6");
}

static void invalid_keys_and_functions_are_refused(void **state)
{
    fixture            *f      = *state;
    const kith_sort_key keys[] = {
        { sizeof(item), KITH_TYPE_U8, false },
        { UINT32_MAX, KITH_TYPE_U8, false },
        { sizeof(item) - 4, KITH_TYPE_F64, false },
        { sizeof(item) - 4, KITH_TYPE_I64, false },
        { 1, KITH_TYPE_U16, false },
        { 2, KITH_TYPE_F32, false },
        { 0, KITH_TYPE_BOOL, false },
        { 0, KITH_TYPE_ENTITY, false },
        { 0, KITH_TYPE_CHARS, false },
        { 0, KITH_TYPE_SKIP, false },
        { 0, (kith_field_type)(KITH_TYPE_SKIP + 1), false },
    };
    register_all_kinds(f);

    for (uint32_t i = 0; i < COUNT_OF(keys); i++) {
        REFUSED(KITH_ERROR_ARGUMENT,
                kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .key = &keys[i] }));
    }
    const kith_sort_desc wrong[] = {
        { 0 },
        { .key = &whole, .compare = by_key_byte },
        { .key = &whole, .as = STONE },
        { .compare = by_key_byte, .compare_entities = by_handle },
        { .compare_entities = by_handle, .as = STONE },
        { .key = &whole, .compare = by_key_byte, .compare_entities = by_handle, .as = STONE },
    };
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        REFUSED(KITH_ERROR_ARGUMENT, kith_component_sort(f->world, ITEM, &wrong[i]));
    }
    REFUSED(KITH_ERROR_ARGUMENT, kith_component_sort(f->world, ITEM, NULL));
    kith_component_sort(f->world, ITEM, &wrong[5]);
    assert_error_text(f->world, "item_sort: set exactly one of key, compare, compare_entities and "
                                "as, got 4");
    assert_true(kith_component_sort(
        f->world, ITEM,
        &(kith_sort_desc){ .key = &(kith_sort_key){ sizeof(item) - 1, KITH_TYPE_I8, true } }));
}

static void assert_all_busy(fixture *f)
{
    REFUSED(KITH_ERROR_BUSY,
            kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .compare = by_key_byte }));
    REFUSED(
        KITH_ERROR_BUSY,
        kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .compare_entities = by_handle }));
    REFUSED(KITH_ERROR_BUSY,
            kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .key = &whole }));
    REFUSED(KITH_ERROR_BUSY, kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = STONE }));
}

static void sort_in_listener(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    assert_all_busy(context);
}

static void loops_and_listeners_cannot_sort(void **state)
{
    fixture                 *f    = *state;
    const kith_listener_desc desc = { KITH_EVENT_ADD, GHOST, sort_in_listener, f, 0, NULL };
    register_all_kinds(f);

    assert_true(kith_world_hold(f->world));
    assert_all_busy(f);
    assert_true(kith_world_release(f->world));

    assert_int_not_equal(kith_listener_connect(f->world, &desc), 0);
    add_serials(f, GHOST, (uint32_t[]){ 0 }, 1);
    assert_int_equal(f->memory.errors, 8);
}

// --- memory ----------------------------------------------------------------------------------

typedef bool (*sort_fn)(fixture *f);

static bool sort_by_comparing(fixture *f)
{
    return kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .compare = by_key_byte });
}

static bool sort_by_handles(fixture *f)
{
    return kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .compare_entities = by_handle });
}

static bool sort_as_other(fixture *f)
{
    return kith_component_sort(f->world, ITEM, &(kith_sort_desc){ .as = OTHER });
}

// Lets each allocation of the call fail, then none; it was called `least` times at least.
static void assert_survives_starving(fixture *f, sort_fn sort, uint32_t least)
{
    size_t   bytes = f->memory.live_bytes;
    uint32_t tries = 0;
    for (bool done = false; !done;) {
        text before = dump_world(f->world);
        test_fail_after(&f->memory, ++tries);
        done = sort(f);
        test_fail_after(&f->memory, 0);
        assert_int_equal(f->memory.live_bytes, bytes);
        assert_world_valid(f->world);
        if (!done) {
            assert_error(f->world, KITH_ERROR_MEMORY);
            assert_unchanged(f->world, before);
        } else {
            text_free(&before);
        }
    }
    assert_true(tries > least);
}

static void every_allocation_fails_once(void **state)
{
    static const sort_fn sorts[] = { sort_bytes, sort_by_comparing, sort_by_handles,
                                     sort_as_other };
    fixture             *f       = *state;
    uint64_t             seed    = test_seed();
    register_for_as(f);
    for (uint32_t test = 0; test < 2 * COUNT_OF(sorts); test++) {
        bool     few = test < COUNT_OF(sorts);
        uint32_t n   = few ? 250 : 1500;
        shape_items(f, KITH_TYPE_U8, few ? NEW_TAIL : RANDOM, &seed, n);
        add_items(f, n);
        add_serials(f, OTHER, (uint32_t[]){ 7, 2 }, 2);

        assert_survives_starving(f, sorts[test % COUNT_OF(sorts)], 2);

        remove_items(f);
    }
}

static void sorted_rows_need_no_memory(void **state)
{
    fixture *f = *state;
    register_one(f->world, item_desc(0));
    add_bytes(f, (uint8_t[]){ 1, 2, 2, 3 }, 4);
    f->memory.fail_all = true;

    assert_true(sort_bytes(f));
    assert_true(sort_by_comparing(f));

    f->memory.fail_all = false;
}

// --- typed -----------------------------------------------------------------------------------

typedef enum colour { RED, GREEN } colour;

typedef struct numbers {
    bool               truth;
    char               letter;
    signed char        small;
    unsigned char      byte;
    short              brief;
    unsigned short     half;
    int                whole;
    unsigned           natural;
    long               wide;
    unsigned long      wide_natural;
    long long          widest;
    unsigned long long widest_natural;
    float              real;
    double             precise;
    colour             tint;
    uint32_t           exact;
    int64_t            signed_exact;
} numbers;

#define ASSERT_KEY(FIELD, TYPE)                                                                    \
    do {                                                                                           \
        kith_sort_key up_   = KITH_KEY(numbers, FIELD);                                            \
        kith_sort_key down_ = KITH_KEY_DESCENDING(numbers, FIELD);                                 \
        assert_int_equal(up_.offset, offsetof(numbers, FIELD));                                    \
        assert_int_equal((int)up_.type, (int)(TYPE));                                              \
        assert_false(up_.descending);                                                              \
        assert_int_equal(down_.offset, up_.offset);                                                \
        assert_int_equal((int)down_.type, (int)up_.type);                                          \
        assert_true(down_.descending);                                                             \
    } while (0)

static void the_compiler_finds_the_type_of_a_key(void **state)
{
    kith_field_type wide         = sizeof(long) == 8 ? KITH_TYPE_I64 : KITH_TYPE_I32;
    kith_field_type wide_natural = sizeof(long) == 8 ? KITH_TYPE_U64 : KITH_TYPE_U32;
    (void)state;

    ASSERT_KEY(truth, KITH_TYPE_U8);
    ASSERT_KEY(letter, (char)-1 < 0 ? KITH_TYPE_I8 : KITH_TYPE_U8);
    ASSERT_KEY(small, KITH_TYPE_I8);
    ASSERT_KEY(byte, KITH_TYPE_U8);
    ASSERT_KEY(brief, KITH_TYPE_I16);
    ASSERT_KEY(half, KITH_TYPE_U16);
    ASSERT_KEY(whole, KITH_TYPE_I32);
    ASSERT_KEY(natural, KITH_TYPE_U32);
    ASSERT_KEY(wide, wide);
    ASSERT_KEY(wide_natural, wide_natural);
    ASSERT_KEY(widest, KITH_TYPE_I64);
    ASSERT_KEY(widest_natural, KITH_TYPE_U64);
    ASSERT_KEY(real, KITH_TYPE_F32);
    ASSERT_KEY(precise, KITH_TYPE_F64);
    ASSERT_KEY(tint, _Generic((colour)RED, int : KITH_TYPE_I32, unsigned : KITH_TYPE_U32));
    ASSERT_KEY(exact, KITH_TYPE_U32);
    ASSERT_KEY(signed_exact, KITH_TYPE_I64);
    assert_int_equal((int)KITH_KEY_OF(double).type, (int)KITH_TYPE_F64);
    assert_int_equal(KITH_KEY_OF(double).offset, 0);
}

static int by_y(const vec2 *a, const vec2 *b, void *context)
{
    ++*(uint32_t *)context;
    return COMPARE(a->y, b->y);
}

static void typed_functions_sort(void **state)
{
    test_fixture *t = *state;
    kith_world   *w = t->world;
    kith_entity   e[3];
    uint32_t      calls = 0;
    create_entities(w, e, 3);
    for (uint32_t i = 0; i < 3; i++) {
        position_set(w, e[i], (vec2){ (float)(i * 2 % 3), (float)(3 - i) });
        health_set(w, e[i], (int)(i + 1) % 3);
        frozen_add(w, e[2 - i]);
    }

    assert_true(position_sort_by(w, KITH_KEY(vec2, x)));
    assert_int_equal(position_entity(w, 0), e[0]);
    assert_int_equal(position_entity(w, 1), e[2]);
    assert_true(position_sort(w, by_y, &calls));
    assert_int_equal(position_entity(w, 0), e[2]);
    assert_true(calls > 0);
    assert_true(health_sort_by(w, KITH_KEY_OF(int)));
    assert_int_equal(health_entity(w, 0), e[2]);
    assert_int_equal(health_entity(w, 1), e[0]);
    assert_true(frozen_sort_entities(w, by_handle, NULL));
    assert_int_equal(frozen_entity(w, 0), e[0]);
    assert_true(frozen_sort_as(w, HEALTH));
    assert_int_equal(frozen_entity(w, 0), e[2]);
    assert_false(position_sort(w, NULL, NULL));
    assert_error(w, KITH_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_type_of_key_is_sorted_in_every_shape),
        TEST(keys_are_sorted_at_their_extremes),
        TEST(nan_comes_last_and_keeps_its_order),
        TEST(no_pair_of_strange_floats_is_overlooked),
        TEST(values_and_entities_are_sorted_in_every_shape),
        TEST(nearly_sorted_rows_take_few_comparisons),
        TEST(an_inconsistent_comparison_loses_no_row),
        TEST(rows_that_an_inconsistent_order_left_stay),
        TEST(comparing_may_not_change_the_world),
        TEST(values_of_any_size_go_with_their_rows),
        TEST(values_with_hooks_move_once_and_one_of_a_cycle_waits),
        TEST(cycles_are_found_in_every_permutation),
        TEST(move_hooks_may_not_sort),
        TEST(disabled_rows_stay_disabled_where_they_go),
        TEST(only_pages_with_a_changed_row_are_stamped),
        TEST(a_sort_that_moves_nothing_is_not_noticed_by_queries),
        TEST(loops_follow_the_new_order),
        TEST(rows_follow_another_pool_and_the_rest_stays_behind),
        TEST(a_tag_follows_and_a_stable_pool_with_holes_leads),
        TEST(sorting_as_an_empty_pool_or_itself_moves_nothing),
        TEST(random_pools_follow_each_other),
        TEST(what_cannot_be_sorted_is_refused),
        TEST(errors_of_sorting_say_what_is_wrong),
        TEST(invalid_keys_and_functions_are_refused),
        TEST(loops_and_listeners_cannot_sort),
        TEST(every_allocation_fails_once),
        TEST(sorted_rows_need_no_memory),
        cmocka_unit_test(the_compiler_finds_the_type_of_a_key),
        TEST_WORLD(typed_functions_sort),
    };
    return cmocka_run_group_tests_name("sort", tests, NULL, NULL);
}
