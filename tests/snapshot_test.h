// SPDX-License-Identifier: MIT
// A town for the tests of snapshots: every kind of component in every form, groups, and random
// calls.
#ifndef KITH_TESTS_SNAPSHOT_TEST_H
#define KITH_TESTS_SNAPSHOT_TEST_H

#include "kith_test.h"

#include <stdio.h>

enum { PLACE = 1, SPEED, MARK, ASLEEP, LABEL, SEASON, CACHE, SECRET };

typedef struct place {
    float    x;
    uint16_t floor; // padding follows
    double   y;
} place;

typedef struct label {
    char *text;
} label;

KITH_FIELDS(place, f32(x), u16(floor), f64(y));

static size_t write_label(const void *value, void *bytes, size_t room, void *context)
{
    const label *l    = value;
    size_t       size = l->text == NULL ? 0 : strlen(l->text);
    (void)context;
    assert_non_null(bytes); // also where there is no room
    if (size <= room && size != 0) {
        memcpy(bytes, l->text, size);
    }
    return size;
}

static bool read_label(void *value, const void *bytes, size_t size, void *context)
{
    label *l = value;
    (void)context;
    free(l->text);
    l->text = size == 0 ? NULL : malloc(size + 1);
    if (l->text != NULL) {
        memcpy(l->text, bytes, size);
        l->text[size] = '\0';
    }
    return size < 100;
}

static bool copy_label(void *value, const void *source, void *context)
{
    const label *from = source;
    label       *to   = value;
    (void)context;
    to->text = NULL;
    return from->text == NULL || read_label(to, from->text, strlen(from->text), NULL);
}

static void end_label(void *value, void *context)
{
    (void)context;
    free(((label *)value)->text);
}

static const kith_saver  label_saver  = { write_label, read_label, NULL };
static const kith_traits label_traits = { .hooks = { .copy = copy_label, .destruct = end_label },
                                          .saved = KITH_AS(through(&label_saver)) };
static const kith_traits speed_traits = { .policy = KITH_POLICY_STABLE,
                                          .saved  = KITH_AS(plain(4)) };

KITH_COMPONENT_AS(spot, place, PLACE, fields(place));
KITH_COMPONENT_WITH(pace, int32_t, SPEED, speed_traits);
KITH_TAG(mark, MARK);
KITH_FLAG(asleep, ASLEEP);
KITH_COMPONENT_WITH(title, label, LABEL, label_traits);
KITH_SINGLETON_AS(year, place, SEASON, fields(place));
KITH_COMPONENT_AS(cache, uint64_t, CACHE, transient);
KITH_COMPONENT(secret, uint64_t, SECRET);
KITH_MODULE(town, spot, pace, mark, asleep, title, year, cache, secret);
KITH_GROUP(movers, own(spot), read(pace));
KITH_GROUP(sleepers, read(pace), with(asleep), without(mark));

// --- worlds ----------------------------------------------------------------------------------

typedef struct scene {
    test_memory memory;
    kith_world *world;
} scene;

static kith_world *make_world(test_memory *memory, kith_world_desc desc)
{
    kith_world *world = test_world_with(memory, desc);
    assert_true(town_register(world));
    assert_non_null(movers_group(world));
    assert_non_null(sleepers_group(world));
    return world;
}

static inline int setup(void **state)
{
    scene *s = calloc(1, sizeof *s);
    s->world = make_world(&s->memory, (kith_world_desc){ 0 });
    *state   = s;
    return 0;
}

static inline int teardown(void **state)
{
    scene *s = *state;
    test_world_end(s->world, &s->memory);
    free(s);
    return 0;
}

static inline kith_bytes saved(const kith_world *world)
{
    kith_bytes  bytes  = { .data = NULL };
    kith_result result = kith_world_save_memory(world, NULL, &bytes);
    assert_string_equal(result.message, "");
    assert_int_equal(result.code, KITH_OK);
    return bytes;
}

static inline void assert_same_bytes(const kith_bytes *a, const kith_bytes *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

static inline void load(kith_world *world, const kith_bytes *bytes)
{
    kith_result result = kith_world_load(world, NULL, bytes->data, bytes->size);
    assert_string_equal(result.message, "");
    assert_int_equal(result.code, KITH_OK);
    assert_world_valid(world);
}

// --- limits of memory ------------------------------------------------------------------------

static inline void assert_over_limit(const kith_result *result, size_t asked, size_t limit)
{
    char words[sizeof result->message];
    snprintf(words, sizeof words,
             "the file asks for at least %zu bytes of memory; the limit is %zu "
             "(kith_load_desc.bytes)",
             asked, limit);
    assert_string_equal(result->message, words);
    assert_int_equal(result->code, KITH_ERROR_LIMIT);
}

// The file loads with as much memory as it takes, and with no byte less.
static inline void assert_limit_is_exact(kith_world *world, test_memory *memory,
                                         kith_load_desc desc, const kith_bytes *file)
{
    size_t   most = 0;
    uint64_t before;
    uint64_t after;
    for (uint32_t i = 0; i < 2; i++) { // the first time components may be registered
        size_t live        = memory->live_bytes;
        memory->most_bytes = 0;
        desc.bytes         = SIZE_MAX;
        assert_int_equal(kith_world_load(world, &desc, file->data, file->size).code, KITH_OK);
        most = memory->most_bytes - live;
    }
    size_t live    = memory->live_bytes;
    desc.bytes     = most - 1;
    memory->failed = 0;
    assert_true(kith_world_hash_full(world, KITH_ALL, &before));
    kith_result result = kith_world_load(world, &desc, file->data, file->size);
    assert_over_limit(&result, most, most - 1);
    assert_true(kith_world_hash_full(world, KITH_ALL, &after) && before == after);
    assert_world_valid(world);
    assert_true(memory->live_bytes == live && memory->failed == 0);
    desc.bytes = most;
    assert_int_equal(kith_world_load(world, &desc, file->data, file->size).code, KITH_OK);
    assert_world_valid(world);
}

// --- listeners -------------------------------------------------------------------------------

/// What the listeners of hear_all heard.
typedef struct heard {
    uint32_t    replaced;
    uint32_t    others;
    kith_notice latest; // replaced
} heard;

static void hear(kith_world *world, const kith_notice *notice, void *context)
{
    heard *h = context;
    assert_world_valid(world);
    if (notice->event == KITH_EVENT_REPLACED) {
        h->replaced++;
        h->latest = *notice;
    } else {
        assert_int_equal(notice->tick, 0);
        h->others++;
    }
}

static inline void hear_all(kith_world *world, heard *h)
{
    for (unsigned event = KITH_EVENT_ADD; event <= KITH_EVENT_REPLACED; event++) {
        const kith_listener_desc desc = { .event     = (kith_event)event,
                                          .component = event < KITH_EVENT_CREATE ? PLACE : 0,
                                          .call      = hear,
                                          .context   = h };
        assert_int_not_equal(kith_listener_connect(world, &desc), 0);
    }
}

/// The world was replaced once since the latest call, and nothing else was announced.
static inline void assert_replaced_once(heard *h, uint64_t tick)
{
    assert_int_equal(h->replaced, 1);
    assert_int_equal(h->others, 0);
    assert_true(h->latest.component == 0 && h->latest.entity == KITH_NULL);
    assert_int_equal(h->latest.tick, tick);
    h->replaced = 0;
}

// --- random calls ----------------------------------------------------------------------------

static kith_entity any_entity(const kith_world *world, uint64_t *seed)
{
    uint32_t slots = kith_world_stats(world).slots;
    return slots == 0 ? KITH_NULL : kith_entity_slot(world, test_random_below(seed, slots));
}

static void set_title(kith_world *world, kith_entity e, uint64_t *seed)
{
    char  text[16];
    label value = { text };
    snprintf(text, sizeof text, "n%u", (unsigned)test_random_below(seed, 1000));
    title_set(world, e, value);
}

static void act(kith_world *world, uint64_t *seed)
{
    kith_entity e     = any_entity(world, seed);
    uint32_t    n     = test_random_below(seed, 1000);
    bool        alive = kith_entity_alive(world, e);
    switch (test_random_below(seed, 22)) {
    case 0:
    case 1:
    case 2:
    case 3:
        kith_entity_create(world);
        break;
    case 4:
    case 5:
        kith_entity_destroy(world, e);
        break;
    case 6:
        kith_entity_create_hint(world, kith_entity_make(n % 60, n % 3 + 1));
        break;
    case 7:
        spot_sort_by(world, KITH_KEY(place, floor));
        break;
    case 8:
        kith_world_advance(world);
        break;
    case 9:
        year_set(world, (place){ 1, (uint16_t)n, 2 });
        break;
    case 10:
        year_remove(world);
        break;
    case 11:
        pace_remove(world, e);
        break;
    case 12:
        spot_remove(world, e);
        break;
    default:
        if (!alive) {
            break;
        }
        switch (n % 8) {
        case 0:
        case 1:
            spot_set(world, e, (place){ (float)n / 2, (uint16_t)n, n });
            break;
        case 2:
        case 3:
            pace_set(world, e, (int32_t)n);
            break;
        case 4:
            mark_add(world, e);
            break;
        case 5:
            asleep_add(world, e);
            break;
        case 6:
            set_title(world, e, seed);
            break;
        default:
            if (spot_has(world, e)) {
                n % 3 == 0 ? spot_disable(world, e) : spot_enable(world, e);
            }
            n % 5 == 0 ? (void)asleep_remove(world, e) : (void)mark_remove(world, e);
        }
    }
}

static inline void act_often(kith_world *world, uint64_t seed, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        act(world, &seed);
    }
}

#endif
