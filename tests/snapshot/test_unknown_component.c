// SPDX-License-Identifier: MIT
// Snapshots in worlds that know nothing of the program that saved them.
#include "snapshot_test.h"

static const kith_load_desc keep = { .unknown = KITH_UNKNOWN_KEEP };

static kith_world *stranger(test_memory *memory, const kith_bytes *file)
{
    kith_world_desc desc = { 0 };
    assert_int_equal(kith_snapshot_world_desc(NULL, file->data, file->size, &desc).code, KITH_OK);
    return test_world_with(memory, desc);
}

// As in the scene, but without groups: a stranger has none, and their orders would be lost.
static kith_world *town_without_groups(test_memory *memory)
{
    kith_world *world = test_world_with(memory, (kith_world_desc){ 0 });
    assert_true(town_register(world));
    return world;
}

static void load_kept(kith_world *world, const kith_bytes *file)
{
    kith_result result = kith_world_load(world, &keep, file->data, file->size);
    assert_string_equal(result.message, "");
    assert_int_equal(result.code, KITH_OK);
    assert_world_valid(world);
}

// Components that the stranger keeps have ids of their own, so that these bytes may differ.
static void assert_same_hash(const kith_world *a, const kith_world *b)
{
    uint64_t first  = 0;
    uint64_t second = 0;
    assert_true(kith_world_hash_full(a, KITH_ALL, &first) &&
                kith_world_hash_full(b, KITH_ALL, &second));
    assert_true(first == second);
}

// What functions wrote, from nothing to a few bytes.
static void short_values_are_kept(void **state)
{
    static char *const texts[]     = { NULL, "a", "ab", "abc" };
    test_memory        memories[2] = { { 0 }, { 0 } };
    kith_world        *town        = town_without_groups(&memories[0]);
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        title_set(town, kith_entity_create(town), (label){ texts[i] });
    }
    kith_bytes  file  = saved(town);
    kith_world *other = stranger(&memories[1], &file);
    load_kept(other, &file);
    assert_same_hash(town, other);
    kith_bytes_free(&file);
    test_world_end(other, &memories[1]);
    test_world_end(town, &memories[0]);
}

static const kith_traits motto_traits = { .hooks = { .copy = copy_label, .destruct = end_label },
                                          .saved = KITH_AS(through(&label_saver)) };

// A singleton that is saved through functions.
static void a_singleton_is_what_its_functions_wrote(void **state)
{
    test_memory               memories[2] = { { 0 }, { 0 } };
    const kith_component_desc motto       = { .name      = "motto",
                                              .id        = 90,
                                              .kind      = KITH_KIND_SINGLETON,
                                              .size      = sizeof(label),
                                              .alignment = _Alignof(label),
                                              .traits    = motto_traits };
    label                     value       = { "onward" };
    kith_world               *worlds[2];
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        worlds[i] = test_world(&memories[i]);
        assert_int_equal(kith_component_register(worlds[i], &motto), 90);
    }
    assert_non_null(kith_singleton_set(worlds[0], 90, &value));
    kith_bytes file = saved(worlds[0]);
    load(worlds[1], &file);
    assert_string_equal(((const label *)kith_singleton_get(worlds[1], 90))->text, "onward");
    kith_bytes_free(&file);
    test_world_end(worlds[1], &memories[1]);
    test_world_end(worlds[0], &memories[0]);
}

static void a_world_that_knows_nothing_keeps_everything(void **state)
{
    test_memory memories[2] = { { 0 }, { 0 } };
    kith_world *town        = town_without_groups(&memories[0]);
    (void)state;
    act_often(town, 11, 400);
    kith_bytes  file  = saved(town);
    kith_world *other = stranger(&memories[1], &file);
    load_kept(other, &file);
    const kith_component_desc *spot =
        kith_component_describe(other, kith_component_find(other, "spot"));
    assert_int_equal(spot->size, sizeof(place));
    assert_string_equal(spot->traits.saved.fields->list[1].name, "floor");
    assert_same_hash(other, town);
    kith_bytes back = saved(other);
    kith_world_clear(town);
    load(town, &back);
    kith_bytes again = saved(town);
    assert_same_bytes(&file, &again);
    kith_bytes_free(&again);
    kith_bytes_free(&back);
    kith_bytes_free(&file);
    test_world_end(other, &memories[1]);
    test_world_end(town, &memories[0]);
}

static void unknown_components_are_in_clones_and_hashes(void **state)
{
    scene      *s      = *state;
    test_memory memory = { 0 };
    act_often(s->world, 12, 300);
    kith_bytes  file  = saved(s->world);
    kith_world *other = stranger(&memory, &file);
    load_kept(other, &file);
    kith_world *clone = kith_world_clone(other, NULL);
    assert_non_null(clone);
    kith_bytes a = saved(other);
    kith_world_clear(other); // the clone's bytes are its own
    kith_bytes b = saved(clone);
    assert_same_bytes(&a, &b);
    load_kept(other, &a);
    assert_same_hash(other, clone);
    kith_bytes_free(&a);
    kith_bytes_free(&b);
    kith_bytes_free(&file);
    kith_world_destroy(clone);
    test_world_end(other, &memory);
}

static void a_load_that_fails_registers_nothing(void **state)
{
    scene      *s      = *state;
    test_memory memory = { 0 };
    act_often(s->world, 13, 200);
    kith_bytes  file  = saved(s->world);
    kith_world *other = stranger(&memory, &file);
    uint32_t    most  = kith_world_stats(other).components;
    for (size_t size = 0; size < file.size; size += 97) {
        assert_int_not_equal(kith_world_load(other, &keep, file.data, size).code, KITH_OK);
        assert_int_equal(kith_world_stats(other).components, most);
    }
    load_kept(other, &file);
    kith_bytes_free(&file);
    test_world_end(other, &memory);
}

static void every_allocation_may_fail(void **state)
{
    scene      *s      = *state;
    test_memory memory = { 0 };
    act_often(s->world, 14, 100);
    kith_bytes  file  = saved(s->world);
    kith_world *other = stranger(&memory, &file);
    kith_result result;
    uint32_t    failed = 0;
    do {
        test_fail_after(&memory, ++failed);
        result = kith_world_load(other, &keep, file.data, file.size);
        test_fail_after(&memory, 0);
        assert_true(result.code == KITH_OK || result.code == KITH_ERROR_MEMORY);
        assert_true((kith_world_stats(other).components == 0) == (result.code != KITH_OK));
        assert_world_valid(other);
    } while (result.code != KITH_OK);
    assert_true(failed > 30);
    kith_bytes_free(&file);
    test_world_end(other, &memory);
}

// --- registering what is kept ----------------------------------------------------------------

// Loads what `desc` says of one entity's value into a world that does not know the component.
static kith_world *keep_value(test_memory *memory, const kith_component_desc *desc,
                              const void *value, kith_entity *entity)
{
    test_memory    gone  = { 0 };
    kith_world    *world = test_world_with(&gone, (kith_world_desc){ 0 });
    kith_component id    = kith_component_register(world, desc);
    *entity              = kith_entity_create(world);
    assert_non_null(kith_component_set(world, *entity, id, value));
    kith_bytes file = saved(world);
    test_world_end(world, &gone);
    kith_world *other = test_world_with(memory, (kith_world_desc){ 0 });
    load_kept(other, &file);
    kith_bytes_free(&file);
    return other;
}

typedef struct two_words {
    uint64_t words[2];
} two_words;

static size_t write_words(const void *value, void *bytes, size_t room, void *context)
{
    (void)context;
    if (room >= sizeof(two_words)) {
        memcpy(bytes, value, sizeof(two_words));
    }
    return sizeof(two_words);
}

static bool read_words(void *value, const void *bytes, size_t size, void *context)
{
    (void)context;
    memcpy(value, bytes, size);
    return size == sizeof(two_words);
}

static const kith_saver words_saver = { write_words, read_words, NULL };

// They are as large as what the library has in their place.
static void bytes_of_save_functions_are_no_values_of_a_later_registration(void **state)
{
    test_memory               memory = { 0 };
    const two_words           value  = { { 7, 8 } };
    const kith_component_desc desc   = { .name         = "words",
                                         .size         = sizeof value,
                                         .alignment    = _Alignof(two_words),
                                         .traits.saved = KITH_AS(through(&words_saver)) };
    kith_entity               entity;
    (void)state;
    kith_world *other = keep_value(&memory, &desc, &value, &entity);
    assert_int_equal(kith_component_register(other, &desc), 0);
    assert_int_equal(kith_world_error(other).code, KITH_ERROR_CONFLICT);
    kith_bytes file = saved(other);
    load_kept(other, &file);
    kith_bytes_free(&file);
    test_world_end(other, &memory);
}

typedef struct holed {
    uint8_t  first;
    uint8_t  gap[2];
    uint8_t  second;
    uint32_t third;
} holed;
typedef struct gapless {
    uint8_t  first;
    uint8_t  second;
    uint32_t third;
} gapless;
KITH_FIELDS(holed, u8(first), kith_skip(gap), u8(second), u32(third));
KITH_FIELDS(gapless, u8(first), u8(second), u32(third, NULL, "last"));

// The schema is the same, as is the size.
static void fields_in_other_places_are_noticed(void **state)
{
    test_memory               memory = { 0 };
    const holed               value  = { 1, { 0, 0 }, 2, 3 };
    const kith_component_desc desc   = { .name         = "box",
                                         .size         = sizeof value,
                                         .alignment    = _Alignof(holed),
                                         .traits.saved = KITH_AS(fields(holed)) };
    kith_component_desc       other  = desc;
    const kith_saved          form   = KITH_AS(fields(gapless));
    kith_entity               entity;
    (void)state;
    kith_world *world = keep_value(&memory, &desc, &value, &entity);
    assert_int_equal(kith_component_register(world, &desc), 0);
    assert_int_equal(kith_world_error(world).code, KITH_ERROR_CONFLICT);
    other.traits.saved = form;
    kith_component id  = kith_component_register(world, &other);
    assert_int_not_equal(id, 0);
    const gapless *now = kith_component_get(world, entity, id);
    assert_true(now->first == 1 && now->second == 2 && now->third == 3);
    test_world_end(world, &memory);
}

static bool double_third(void *value, const kith_old *old, void *context)
{
    (void)context;
    ((gapless *)value)->third *= 2;
    return old->version == 1;
}

typedef struct elder {
    uint32_t last;
} elder;
KITH_FIELDS(elder, u32(last));

// What a table and a version say beyond the schema is known as soon as it is registered.
static void registering_an_unknown_component_brings_its_upgrade(void **state)
{
    test_memory               memories[2] = { { 0 }, { 0 } };
    static const kith_upgrade by          = { double_third, NULL };
    const gapless             value       = { 1, 2, 3 };
    const elder               old         = { 21 };
    const kith_component_desc older       = { .name         = "box",
                                              .size         = sizeof old,
                                              .alignment    = _Alignof(elder),
                                              .traits.saved = KITH_AS(fields(elder, 1, NULL)) };
    const kith_component_desc newer       = { .name         = "box",
                                              .size         = sizeof value,
                                              .alignment    = _Alignof(gapless),
                                              .traits.saved = KITH_AS(fields(gapless, 2, &by)) };
    kith_entity               entity;
    (void)state;
    kith_world    *past  = keep_value(&memories[0], &older, &old, &entity);
    kith_bytes     file  = saved(past);
    kith_world    *world = keep_value(&memories[1], &newer, &value, &entity);
    kith_component id    = kith_component_register(world, &newer);
    load(world, &file);
    assert_int_equal(((const gapless *)kith_component_get(world, entity, id))->third, 42);
    kith_bytes_free(&file);
    test_world_end(past, &memories[0]);
    test_world_end(world, &memories[1]);
}

typedef struct secretive {
    uint32_t hidden;
} secretive;
KITH_FIELDS(secretive, kith_skip(hidden));

static void a_component_that_saves_no_fields_is_kept(void **state)
{
    test_memory               memory = { 0 };
    const secretive           value  = { 5 };
    const kith_component_desc desc   = { .name         = "box",
                                         .size         = sizeof value,
                                         .alignment    = _Alignof(secretive),
                                         .traits.saved = KITH_AS(fields(secretive)) };
    kith_entity               entity;
    (void)state;
    kith_world    *world = keep_value(&memory, &desc, &value, &entity);
    kith_component id    = kith_component_find(world, "box");
    assert_true(kith_component_has(world, entity, id));
    kith_bytes file = saved(world);
    kith_world_clear(world);
    load_kept(world, &file);
    kith_bytes again = saved(world);
    assert_same_bytes(&file, &again);
    kith_bytes_free(&again);
    kith_bytes_free(&file);
    test_world_end(world, &memory);
}

// Few bytes say that a value has half a million handles.
static void tables_cost_no_more_than_a_file_is_worth(void **state)
{
    const uint32_t   many   = 1u << 19;
    const kith_field pair[] = {
        { .name = "a", .type = KITH_TYPE_ENTITY, .size = 8, .count = 1 },
        { .name = "b", .type = KITH_TYPE_U64, .offset = 8, .size = 8, .count = 1 }
    };
    const kith_fields inner = { "pair", 16, 8, pair, 2 };
    const kith_field  pairs = {
         .name = "pairs", .type = KITH_TYPE_STRUCT, .size = 16, .count = many, .nested = &inner
    };
    const kith_fields table       = { "many", 16 * many, 8, &pairs, 1 };
    test_memory       memories[2] = { { 0 }, { 0 } };
    kith_world       *world       = test_world_with(&memories[0], (kith_world_desc){ 0 });
    (void)state;
    for (char name[2] = "a"; name[0] < 'a' + 5; name[0]++) {
        const kith_component_desc desc = { .name                = name,
                                           .size                = 16 * many,
                                           .alignment           = 8,
                                           .traits.saved.form   = KITH_FORM_FIELDS,
                                           .traits.saved.fields = &table };
        assert_int_not_equal(kith_component_register(world, &desc), 0);
    }
    kith_bytes  file   = saved(world);
    kith_world *other  = test_world_with(&memories[1], (kith_world_desc){ 0 });
    kith_result result = kith_world_load(other, &keep, file.data, file.size);
    assert_string_equal(result.message, "there are more fields than the file has values");
    assert_int_equal(kith_world_stats(other).components, 0);
    kith_bytes_free(&file);
    test_world_end(other, &memories[1]);
    test_world_end(world, &memories[0]);
}

// --- what is kept, and what the program would have it be --------------------------------------

typedef struct tally {
    uint32_t seen; // skipped: what is kept of it stands elsewhere
    uint32_t count;
    uint64_t sum;
} tally;

typedef struct story {
    char    *text;
    uint64_t unused; // as large as bytes that are kept
} story;

KITH_FIELDS(tally, kith_skip(seen), u32(count), u64(sum));

static const kith_component_desc tally_desc = { .name         = "tally",
                                                .size         = sizeof(tally),
                                                .alignment    = _Alignof(tally),
                                                .traits.saved = KITH_AS(fields(tally)) };
static const kith_component_desc story_desc = {
    .name      = "story",
    .size      = sizeof(story),
    .alignment = _Alignof(story),
    .traits    = { .hooks = { .copy = copy_label, .destruct = end_label },
                   .saved = KITH_AS(through(&label_saver)) },
};

// A world with an entity that has both, and a stranger that has kept them.
typedef struct keepers {
    test_memory memories[2];
    kith_world *town;
    kith_world *other;
    kith_entity entity; // in both
} keepers;

static keepers *make_keepers(void)
{
    keepers *k = calloc(1, sizeof *k);
    k->town    = test_world(&k->memories[0]);
    k->entity  = kith_entity_create(k->town);
    kith_component_set(k->town, k->entity, kith_component_register(k->town, &tally_desc),
                       &(tally){ 7, 8, 9 });
    kith_component_set(k->town, k->entity, kith_component_register(k->town, &story_desc),
                       &(story){ .text = "once" });
    kith_bytes file = saved(k->town);
    k->other        = stranger(&k->memories[1], &file);
    load_kept(k->other, &file);
    kith_bytes_free(&file);
    return k;
}

static void end_keepers(keepers *k)
{
    test_world_end(k->other, &k->memories[1]);
    test_world_end(k->town, &k->memories[0]);
    free(k);
}

static void an_unknown_component_is_not_registered_with_other_offsets(void **state)
{
    keepers *k = make_keepers();
    (void)state;

    assert_int_equal(kith_component_register(k->other, &tally_desc), 0);

    assert_int_equal(kith_world_error(k->other).code, KITH_ERROR_CONFLICT);
    assert_string_equal(kith_world_error(k->other).subject, "place of fields");
    end_keepers(k);
}

static void bytes_that_are_kept_do_not_become_a_struct(void **state)
{
    keepers *k = make_keepers();
    (void)state;

    assert_int_equal(kith_component_register(k->other, &story_desc), 0);

    assert_int_equal(kith_world_error(k->other).code, KITH_ERROR_CONFLICT);
    assert_string_equal(kith_world_error(k->other).subject, "opaque values");
    end_keepers(k);
}

static void an_unknown_component_is_not_cloned_into_a_world_that_knows_it(void **state)
{
    keepers    *k = make_keepers();
    kith_entity clone;
    (void)state;

    assert_false(kith_entities_clone(k->town, k->other, &k->entity, 1, &clone));
    assert_int_equal(kith_world_error(k->town).code, KITH_ERROR_ARGUMENT);
    kith_component_remove(k->other, k->entity, kith_component_find(k->other, "tally"));
    assert_false(kith_entities_clone(k->town, k->other, &k->entity, 1, &clone));
    kith_component_remove(k->town, k->entity, kith_component_find(k->town, "tally"));
    assert_false(kith_entities_clone(k->other, k->town, &k->entity, 1, &clone));

    assert_int_equal(kith_entity_count(k->town), 1);
    end_keepers(k);
}

static void an_unknown_component_can_be_registered_in_another_world(void **state)
{
    keepers                  *k      = make_keepers();
    test_memory               memory = { 0 };
    kith_world               *third  = test_world(&memory);
    const kith_component_desc desc =
        *kith_component_describe(k->other, kith_component_find(k->other, "story"));
    kith_entity clone;
    (void)state;
    assert_int_not_equal(kith_component_register(third, &desc), 0);
    kith_component_remove(k->other, k->entity, kith_component_find(k->other, "tally"));
    assert_true(kith_entities_clone(third, k->other, &k->entity, 1, &clone));

    end_keepers(k);

    assert_true(kith_entities_clone(third, third, &clone, 1, &clone));
    test_world_end(third, &memory);
}

typedef struct hollow {
    uint32_t cache;
} hollow;

typedef struct shell {
    hollow   inner[3];
    uint32_t size;
} shell;

KITH_FIELDS(hollow, kith_skip(cache));
KITH_FIELDS(shell, nested(inner, hollow), u32(size));
KITH_COMPONENT_AS(hollow, hollow, 101, fields(hollow));
KITH_COMPONENT_AS(shell, shell, 102, fields(shell));
KITH_SINGLETON_AS(void_of_it, hollow, 103, fields(hollow));
KITH_MODULE(hollows, hollow, shell, void_of_it);

static void values_of_which_nothing_is_saved_are_kept(void **state)
{
    test_memory memories[2] = { { 0 }, { 0 } };
    kith_world *town        = test_world(&memories[0]);
    (void)state;
    assert_true(hollows_register(town));
    for (uint32_t i = 0; i < 10; i++) {
        kith_entity e = kith_entity_create(town);
        hollow_set(town, e, (hollow){ i });
        shell_set(town, e, (shell){ .size = i });
    }
    void_of_it_set(town, (hollow){ 1 });
    kith_bytes  file  = saved(town);
    kith_world *other = stranger(&memories[1], &file);

    load_kept(other, &file);

    assert_same_hash(other, town);
    kith_bytes back = saved(other);
    load(town, &back);
    kith_bytes_free(&back);
    kith_bytes_free(&file);
    test_world_end(other, &memories[1]);
    test_world_end(town, &memories[0]);
}

static void unknown_components_differ_by_their_fields(void **state)
{
    keepers  *k    = make_keepers();
    kith_diff diff = { .each = NULL };
    (void)state;

    assert_true(kith_world_diff(k->town, k->other, &diff));
    assert_string_equal(diff.text, "");
    ((tally *)kith_component_mut(k->town, k->entity, kith_component_find(k->town, "tally")))->sum++;
    assert_true(kith_world_diff(k->other, k->town, &diff));

    assert_int_equal(diff.count, 1);
    assert_string_equal(diff.text,
                        "entity 0v1: \"tally\".sum is 9 in the first world and 10 in the second");
    end_keepers(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_world_that_knows_nothing_keeps_everything),
        TEST(unknown_components_are_in_clones_and_hashes),
        TEST(a_load_that_fails_registers_nothing),
        TEST(every_allocation_may_fail),
        TEST(an_unknown_component_is_not_registered_with_other_offsets),
        TEST(bytes_that_are_kept_do_not_become_a_struct),
        TEST(an_unknown_component_is_not_cloned_into_a_world_that_knows_it),
        TEST(unknown_components_differ_by_their_fields),
        TEST(bytes_of_save_functions_are_no_values_of_a_later_registration),
        TEST(fields_in_other_places_are_noticed),
        TEST(registering_an_unknown_component_brings_its_upgrade),
        TEST(a_component_that_saves_no_fields_is_kept),
        TEST(tables_cost_no_more_than_a_file_is_worth),
        cmocka_unit_test(an_unknown_component_is_not_registered_with_other_offsets),
        cmocka_unit_test(bytes_that_are_kept_do_not_become_a_struct),
        cmocka_unit_test(an_unknown_component_is_not_cloned_into_a_world_that_knows_it),
        cmocka_unit_test(unknown_components_differ_by_their_fields),
        cmocka_unit_test(an_unknown_component_can_be_registered_in_another_world),
        cmocka_unit_test(values_of_which_nothing_is_saved_are_kept),
        cmocka_unit_test(short_values_are_kept),
        cmocka_unit_test(a_singleton_is_what_its_functions_wrote),
    };
    return cmocka_run_group_tests_name("unknown_component", tests, NULL, NULL);
}
