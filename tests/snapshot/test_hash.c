// SPDX-License-Identifier: MIT
// Hashes of worlds: what shows in them, what does not, and that those that are kept are right.
#include "hash_scenario.h"
#include "kith_test.h"

#include "kith/hierarchy.h"

static uint64_t hash_of(kith_world *world)
{
    uint64_t kept = 0;
    uint64_t full = 1;
    assert_true(kith_world_hash(world, KITH_ALL, &kept));
    assert_true(kith_world_hash_full(world, KITH_ALL, &full));
    assert_int_equal(kept, full);
    return full;
}

static uint64_t hash_of_component(kith_world *world, kith_component component)
{
    uint64_t kept = 0;
    uint64_t full = 1;
    assert_true(kith_world_hash(world, component, &kept));
    assert_true(kith_world_hash_full(world, component, &full));
    assert_int_equal(kept, full);
    return full;
}

static int teardown(void **state)
{
    return test_teardown(state);
}

static int setup(void **state)
{
    test_fixture *f = calloc(1, sizeof *f);
    f->world        = test_world(&f->memory);
    *state          = f;
    return scenario_register(f->world, 0, false) ? 0 : -1;
}

static body plain_body(void)
{
    body b;
    memset(&b, 0, sizeof b);
    return b;
}

// Many with a body and a pin, in pages and blocks that are whole and begun.
static void fill_world(kith_world *world, kith_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t pin = i;
        body     b   = plain_body();
        b.gold       = (int64_t)i;
        entities[i]  = kith_entity_create(world);
        body_set(world, entities[i], b);
        kith_component_set(world, entities[i], PIN, &pin);
    }
}

// --- what is kept ----------------------------------------------------------------------------

static void a_kept_hash_is_that_of_all_after_every_step(void **state)
{
    test_fixture *f = *state;
    scenario     *s = calloc(1, sizeof *s);
    s->world        = f->world;
    assert_true(scenario_order(f->world));
    for (uint32_t i = 0; i < 3000; i++) {
        scenario_step(s);
        if (i % 3 != 0) { // also after several steps
            hash_of(f->world);
        }
    }
    free(s);
}

static void writing_twice_within_a_tick_shows_both_times(void **state)
{
    test_fixture *f = *state;
    kith_entity   entities[600];
    fill_world(f->world, entities, 600);
    kith_world_advance(f->world);
    uint64_t before = hash_of(f->world);

    body_mut(f->world, entities[300])->gold = -1;
    uint64_t first                          = hash_of(f->world);
    body_mut(f->world, entities[300])->gold = -2;
    uint64_t second                         = hash_of(f->world);

    assert_int_not_equal(before, first);
    assert_int_not_equal(first, second);
    body_mut(f->world, entities[300])->gold = 300;
    assert_int_equal(hash_of(f->world), before);
}

static void the_last_row_can_go_without_a_stamp(void **state)
{
    test_fixture *f = *state;
    kith_entity   entities[300];
    fill_world(f->world, entities, 300);
    kith_world_advance(f->world);
    uint64_t before = hash_of_component(f->world, BODY);

    body_remove(f->world, entities[299]);

    assert_int_not_equal(hash_of_component(f->world, BODY), before);
}

static void hashes_are_kept_until_the_world_shrinks(void **state)
{
    test_fixture *f = *state;
    kith_entity   entities[600];
    fill_world(f->world, entities, 600);
    kith_world_shrink(f->world);
    size_t      before  = kith_world_memory(f->world, KITH_ALL).total;
    kith_memory of_body = kith_world_memory(f->world, BODY);

    hash_of(f->world);

    assert_int_equal(kith_world_memory(f->world, BODY).other, of_body.other + 3 * sizeof(uint64_t));
    assert_int_equal(kith_world_memory(f->world, KITH_ALL).total, f->memory.live_bytes);
    kith_world_shrink(f->world);
    assert_int_equal(kith_world_memory(f->world, KITH_ALL).total, before);
}

static void without_memory_for_its_cache_a_hash_is_computed_in_full(void **state)
{
    test_fixture *f = *state;
    kith_entity   entities[600];
    uint64_t      hash = 0;
    fill_world(f->world, entities, 600);
    asleep_add(f->world, entities[5]);
    assert_true(scenario_order(f->world));
    uint64_t full = hash_of(f->world);
    kith_world_shrink(f->world);
    uint32_t errors = f->memory.errors;

    for (uint32_t n = 1; n < 8; n++) {
        test_fail_after(&f->memory, n);
        assert_true(kith_world_hash(f->world, KITH_ALL, &hash));
        assert_int_equal(hash, full);
        test_fail_after(&f->memory, 0);
        kith_world_shrink(f->world);
    }
    assert_int_equal(f->memory.errors, errors);
}

// A write that stamps no page is a fault: validating finds it.
static void a_value_written_without_a_stamp_is_found(void **state)
{
    test_fixture *f = *state;
    kith_entity   entities[10];
    const char   *reason = NULL;
    fill_world(f->world, entities, 10);
    body *old = body_mut(f->world, entities[4]);
    kith_world_advance(f->world);
    hash_of(f->world);

    old->gold = 99;

    assert_false(kith_world_validate(f->world, &reason));
    assert_string_equal(reason, "a value changed without a stamp, and its hash is cached");
    body_mut(f->world, entities[4]);
}

// --- what shows ------------------------------------------------------------------------------

static void every_byte_of_every_field_shows(void **state)
{
    test_fixture *f      = *state;
    kith_entity   entity = kith_entity_create(f->world);
    body_set(f->world, entity, plain_body());
    uint64_t before = hash_of(f->world);
    for (size_t i = 0; i < sizeof(body); i++) {
        body  b       = plain_body();
        body *value   = body_mut(f->world, entity);
        bool  skipped = i >= offsetof(body, cache) && i < offsetof(body, cache) + sizeof(void *);
        bool  padding = (i >= 1 && i < offsetof(body, at)) ||
                       (i >= offsetof(body, at) + offsetof(place_of, deck) + 1 &&
                        i < offsetof(body, at) + sizeof(place_of)) ||
                       (i >= offsetof(body, at) + sizeof(place_of) && i < offsetof(body, gold)) ||
                       (i >= offsetof(body, scores) + 6 && i < offsetof(body, role)) ||
                       (i >= offsetof(body, role) + sizeof(role_of) && i < offsetof(body, cache)) ||
                       i >= offsetof(body, name) + 5;
        memset((uint8_t *)&b + i, 1, 1);
        memcpy(value, &b, sizeof b);
        assert_int_equal(hash_of(f->world) != before, !skipped && !padding);
    }
}

static void swapped_rows_show(void **state)
{
    test_fixture *f = *state;
    kith_entity   entities[300];
    fill_world(f->world, entities, 300);
    uint64_t before = hash_of(f->world);
    assert_true(kith_component_swap(f->world, BODY, entities[0], entities[299]));
    uint64_t swapped = hash_of(f->world);
    assert_int_not_equal(swapped, before);
    kith_component_swap(f->world, BODY, entities[0], entities[299]);
    assert_int_equal(hash_of(f->world), before);
}

static uint64_t hash_with_gaps(uint32_t first, uint32_t second, bool destroy, kith_component *which)
{
    test_memory memory = { 0 };
    kith_world *world  = test_world(&memory);
    kith_entity entities[300];
    assert_true(scenario_register(world, 0, false));
    fill_world(world, entities, 300);
    kith_component_clear(world, BODY);
    for (uint32_t i = 0; i < 2; i++) {
        kith_entity entity = entities[i == 0 ? first : second];
        kith_component_remove(world, entity, PIN);
        if (destroy) {
            kith_entity_destroy(world, entity);
        }
    }
    uint64_t hash = which == NULL ? hash_of(world) : hash_of_component(world, *which);
    test_world_end(world, &memory);
    return hash;
}

static void the_order_of_holes_shows(void **state)
{
    (void)state;
    kith_component pin = PIN;
    assert_int_not_equal(hash_with_gaps(3, 270, false, &pin), hash_with_gaps(270, 3, false, &pin));
    assert_int_not_equal(hash_with_gaps(3, 270, false, &pin), hash_with_gaps(3, 271, false, &pin));
}

static void the_order_of_free_slots_shows(void **state)
{
    test_fixture *f = *state;
    kith_entity   entities[300];
    uint64_t      hashes[2];
    for (uint32_t i = 0; i < 2; i++) {
        kith_world *world = kith_world_create(NULL);
        test_create_many(world, 300);
        for (uint32_t j = 0; j < 2; j++) {
            test_destroy_index(world, i == j ? 7 : 280);
        }
        hashes[i] = hash_of(world);
        kith_world_destroy(world);
    }
    assert_int_not_equal(hashes[0], hashes[1]);

    for (uint32_t i = 0; i < 300; i++) {
        entities[i] = kith_entity_create(f->world);
    }
    uint64_t before = hash_of(f->world);
    kith_entity_destroy(f->world, entities[299]);
    uint64_t destroyed = hash_of(f->world);
    kith_entity_create(f->world);
    assert_int_not_equal(destroyed, before);
    assert_int_not_equal(hash_of(f->world), before); // the same slot in another version
}

// One by one, so that each way to change a slot shows by itself.
static void every_change_of_a_slot_shows(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TEST_FREE_ORDERS; i++) {
        kith_world *world = kith_world_create(
            &(kith_world_desc){ .free_order = test_free_orders[i], .first_index = 3 });
        kith_entities range = kith_entity_create_range(world, 20);
        uint64_t      seen  = hash_of(world);
        for (uint32_t change = 0; change < 6; change++) {
            switch (change) {
            case 3:
                kith_entity_create_hint(world, handle(1, 1));
                break;
            case 4:
                test_destroy_index(world, 1);
                break;
            case 5:
                kith_entity_destroy_many(world, range);
                break;
            default:
                test_destroy_index(world, 5 + 4 * change);
            }
            uint64_t now = hash_of(world);
            assert_int_not_equal(now, seen);
            seen = now;
        }
        kith_world_destroy(world);
    }
}

static void disabled_rows_show(void **state)
{
    test_fixture *f = *state;
    kith_entity   entities[300];
    fill_world(f->world, entities, 300);
    kith_world_advance(f->world);
    uint64_t before = hash_of(f->world);
    kith_component_enable(f->world, entities[299], BODY, false);
    uint64_t last = hash_of(f->world);
    kith_component_enable(f->world, entities[0], BODY, false);
    kith_component_enable(f->world, entities[299], BODY, true);
    uint64_t first = hash_of(f->world);
    assert_int_not_equal(last, before);
    assert_int_not_equal(first, before);
    assert_int_not_equal(first, last);
    kith_component_enable(f->world, entities[0], BODY, true);
    assert_int_equal(hash_of(f->world), before);
}

static void tags_flags_and_singletons_show(void **state)
{
    test_fixture *f = *state;
    kith_entity   a = kith_entity_create(f->world);
    kith_entity   b = kith_entity_create(f->world);
    uint64_t      seen[7];
    seen[0] = hash_of(f->world);
    allied_add(f->world, a);
    seen[1] = hash_of(f->world);
    asleep_add(f->world, a);
    seen[2] = hash_of(f->world);
    asleep_remove(f->world, a);
    asleep_add(f->world, b);
    seen[3] = hash_of(f->world);
    weather_set(f->world, (weather){ 0.5, 1 });
    seen[4]                    = hash_of(f->world);
    weather_mut(f->world)->day = 2;
    seen[5]                    = hash_of(f->world);
    allied_remove(f->world, a);
    allied_add(f->world, b);
    seen[6] = hash_of(f->world);
    for (uint32_t i = 0; i < 7; i++) {
        for (uint32_t j = 0; j < i; j++) {
            assert_int_not_equal(seen[i], seen[j]);
        }
    }
}

static void flags_beyond_the_first_word_show(void **state)
{
    test_fixture  *f    = *state;
    kith_component last = 0;
    for (uint32_t i = 0; i < 70; i++) {
        char name[] = "flag 00";
        name[5]     = (char)('0' + i / 10);
        name[6]     = (char)('0' + i % 10);
        last        = kith_component_register(
                   f->world, &(kith_component_desc){ .name = name, .kind = KITH_KIND_FLAG });
    }
    kith_entity entities[300];
    for (uint32_t i = 0; i < 300; i++) {
        entities[i] = kith_entity_create(f->world);
        kith_component_add(f->world, entities[i], last, NULL);
    }
    uint64_t all = hash_of(f->world);
    kith_component_remove(f->world, entities[280], last);
    assert_int_not_equal(hash_of(f->world), all);
    kith_component_add(f->world, entities[280], last, NULL);
    assert_int_equal(hash_of(f->world), all);
}

static int by_index_down(kith_entity a, kith_entity b, void *context)
{
    (void)context;
    return kith_entity_index(a) > kith_entity_index(b) ? -1 : 1;
}

static void the_order_of_a_listed_group_shows(void **state)
{
    test_fixture   *f       = *state;
    const kith_term terms[] = { { BODY, KITH_ROLE_READ, 0 }, { PIN, KITH_ROLE_READ, 0 } };
    kith_entity     entities[300];
    fill_world(f->world, entities, 300);
    uint64_t    none  = hash_of(f->world);
    kith_group *group = kith_group_of(
        f->world, &(kith_query_desc){ .name = "both", .terms = terms, .term_count = 2 });
    kith_world_advance(f->world);
    uint64_t up = hash_of(f->world);
    assert_true(kith_group_sort(group, 0, &(kith_sort_desc){ .compare_entities = by_index_down }));
    assert_int_not_equal(hash_of(f->world), up);
    assert_int_not_equal(none, up);
    kith_group_drop(group);
    assert_int_equal(hash_of(f->world), none);

    kith_bytes bytes = { 0 };
    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_OK);
    assert_int_equal(kith_world_load(f->world, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(kith_group_count(group), 0); // a load does not bring it back
    assert_ptr_equal(kith_group_of(f->world, kith_group_describe(group)), group);
    assert_int_equal(hash_of(f->world), up);
    kith_bytes_free(&bytes);
}

static void paths_show(void **state)
{
    test_fixture        *f       = *state;
    const kith_component along[] = { BODY, WORD, CACHE };
    uint64_t             before  = hash_of(f->world);
    kith_path           *both    = kith_path_of(f->world, &(kith_path_desc){ NULL, along, 2 });
    uint64_t             two     = hash_of(f->world);
    assert_true(kith_path_drop(both));
    kith_path *one = kith_path_of(f->world, &(kith_path_desc){ NULL, along, 1 });
    assert_int_not_equal(two, before);
    assert_int_not_equal(hash_of(f->world), two);
    assert_true(kith_path_drop(one));
    kith_path_of(f->world, &(kith_path_desc){ NULL, along + 2, 1 });
    assert_int_equal(hash_of(f->world), before); // a transient one
}

// --- what does not ---------------------------------------------------------------------------

static void transient_components_do_not_count(void **state)
{
    test_fixture   *f      = *state;
    const kith_term term   = { CACHE, KITH_ROLE_READ, 0 };
    kith_entity     entity = kith_entity_create(f->world);
    uint64_t        hash   = 0;
    uint64_t        before = hash_of(f->world);
    cache_set(f->world, entity, f);
    kith_group_of(f->world,
                  &(kith_query_desc){ .name = "cached", .terms = &term, .term_count = 1 });
    assert_int_equal(hash_of(f->world), before);
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_world_hash(f->world, CACHE, &hash));
    assert_error_text(f->world, "kith_world_hash: \"cache\": transient: not hashed");
    assert_false(kith_world_hash_full(f->world, CACHE, &hash));
}

static void the_order_of_registering_does_not_count(void **state)
{
    test_fixture *f     = *state;
    kith_world   *other = kith_world_create(NULL);
    kith_entity   entities[20];
    assert_true(scenario_register(other, 0, true));
    test_register_tag(other, "unused", 77);
    fill_world(f->world, entities, 20);
    fill_world(other, entities, 20);
    allied_add(f->world, entities[3]);
    allied_add(other, entities[3]);
    assert_int_equal(hash_of(f->world), hash_of(other));
    kith_world_destroy(other);
}

static void page_rows_do_not_count_and_the_hash_is_the_known_one(void **state)
{
    static const uint32_t rows[] = { 1, 16, 256, 4096, 0 };
    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kith_world *world = scenario_run(rows[i]);
        uint64_t    hash  = 0;
        assert_non_null(world);
        assert_true(kith_world_hash_full(world, KITH_ALL, &hash));
        if (hash != SCENARIO_HASH) {
            print_message("the hash is 0x%016llx\n", (unsigned long long)hash);
        }
        assert_int_equal(hash, SCENARIO_HASH);
        assert_int_equal(hash_of(world), hash);
        assert_true(kith_world_hash_content(world, NULL, &hash));
        if (hash != SCENARIO_CONTENT) {
            print_message("the hash of the content is 0x%016llx\n", (unsigned long long)hash);
        }
        assert_int_equal(hash, SCENARIO_CONTENT);
        assert_world_valid(world);
        kith_world_destroy(world);
    }
}

// --- values of every form --------------------------------------------------------------------

typedef struct large {
    uint8_t  first;
    uint32_t numbers[3000];
} large;

KITH_FIELDS(large, u8(first), u32(numbers));
KITH_COMPONENT_AS(large, large, 401, fields(large));
KITH_COMPONENT_AS(heap, uint32_t, 402, plain(4));

static size_t write_many(const void *value, void *bytes, size_t room, void *context)
{
    size_t size = *(const uint32_t *)value;
    (void)context;
    if (size <= room) {
        memset(bytes, (int)(size % 251), size);
    }
    return size;
}

static bool read_many(void *value, const void *bytes, size_t size, void *context)
{
    (void)bytes, (void)context;
    *(uint32_t *)value = (uint32_t)size;
    return true;
}

static const kith_saver many_saver = { write_many, read_many, NULL };
KITH_COMPONENT_AS(many, uint32_t, 403, through(&many_saver));

static void values_larger_than_any_buffer_are_hashed(void **state)
{
    test_fixture *f      = *state;
    kith_entity   entity = kith_entity_create(f->world);
    assert_int_not_equal(large_register(f->world), 0);
    large *value = calloc(1, sizeof *value);
    assert_non_null(large_set(f->world, entity, *value));
    uint64_t before                            = hash_of(f->world);
    large_mut(f->world, entity)->numbers[2999] = 1;
    assert_int_not_equal(hash_of(f->world), before);
    free(value);
}

static void large_values_written_by_functions_need_memory(void **state)
{
    test_fixture *f      = *state;
    kith_entity   entity = kith_entity_create(f->world);
    uint64_t      hash   = 5;
    many_register(f->world);
    many_set(f->world, entity, 4096);
    uint64_t fits = hash_of(f->world);
    many_set(f->world, entity, 4097);
    uint64_t large_one = hash_of(f->world);
    assert_int_not_equal(fits, large_one);

    f->memory.fail_all = true;
    assert_refused(&f->memory, f->world, KITH_ERROR_MEMORY,
                   kith_world_hash(f->world, KITH_ALL, &hash));
    assert_false(kith_world_hash_full(f->world, KITH_ALL, &hash));
    f->memory.fail_all = false;

    assert_int_equal(hash, 5);
    assert_int_equal(hash_of(f->world), large_one);
}

KITH_COMPONENT(tree, kith_node, 404);

// Also where the component was registered before without a form, and is again afterwards.
static void links_of_a_hierarchy_are_hashed(void **state)
{
    uint64_t seen[2][3];
    (void)state;
    for (uint32_t first = 0; first < 2; first++) {
        test_memory memory = { 0 };
        kith_world *world  = test_world(&memory);
        kith_entity a      = kith_entity_create(world);
        kith_entity b      = kith_entity_create(world);
        assert_true(first == 0 || tree_register(world) != 0);
        assert_int_equal(
            kith_hierarchy_register(world, &(kith_hierarchy_desc){ .name = "tree", .id = 404 }),
            404);
        kith_component_add(world, a, 404, NULL);
        kith_component_add(world, b, 404, NULL);
        seen[first][0] = hash_of(world);
        kith_world_advance(world);
        assert_true(kith_hierarchy_append(world, 404, a, b));
        seen[first][1] = hash_of(world);
        assert_true(kith_hierarchy_detach(world, 404, b));
        seen[first][2] = hash_of(world);
        assert_int_not_equal(tree_register(world), 0);
        assert_int_equal(hash_of(world), seen[first][2]);
        test_world_end(world, &memory);
    }
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    assert_int_not_equal(seen[0][0], seen[0][1]);
    assert_int_equal(seen[0][0], seen[0][2]);
}

// --- errors ----------------------------------------------------------------------------------

static void a_component_without_a_form_is_named(void **state)
{
    test_fixture *f      = *state;
    kith_entity   entity = kith_entity_create(f->world);
    uint64_t      hash   = 0;
    position_register(f->world);
    hash_of(f->world); // no entity has it
    position_set(f->world, entity, (vec2){ 1, 2 });

    assert_refused(&f->memory, f->world, KITH_ERROR_UNSAVED,
                   kith_world_hash(f->world, KITH_ALL, &hash));

    assert_error_text(f->world, "kith_world_hash: \"position\" has no save form: "
                                "declare it with KITH_COMPONENT_AS");
    assert_false(kith_world_hash_full(f->world, KITH_ALL, &hash));
    assert_refused(&f->memory, f->world, KITH_ERROR_UNSAVED,
                   kith_world_hash(f->world, POSITION, &hash));
    assert_int_equal(hash, 0);
    hash_of_component(f->world, BODY);
}

static void a_missing_component_cannot_be_hashed(void **state)
{
    test_fixture *f    = *state;
    uint64_t      hash = 0;
    assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                   kith_world_hash(f->world, 0, &hash)); // as kith_component_find says "none"
    assert_refused(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                   kith_world_hash(f->world, 999, &hash));
    assert_false(kith_world_hash_full(f->world, 999, &hash));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_world_hash(f->world, KITH_ALL, NULL));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_world_hash(f->world, BODY, NULL));
    assert_false(kith_world_hash_full(f->world, KITH_ALL, NULL));
    assert_false(kith_world_hash_full(f->world, BODY, NULL));
}

static void a_held_world_cannot_be_hashed(void **state)
{
    test_fixture *f    = *state;
    uint64_t      hash = 0;
    assert_true(kith_world_hold(f->world));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY,
                   kith_world_hash(f->world, KITH_ALL, &hash));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_world_hash(f->world, BODY, &hash));
    assert_false(kith_world_hash_full(f->world, KITH_ALL, &hash));
    assert_true(kith_world_release(f->world));
    hash_of(f->world);
}

static void hash_within(kith_world *world)
{
    uint64_t hash = 0;
    kith_world_error_clear(world);
    assert_false(kith_world_hash(world, KITH_ALL, &hash));
    assert_error(world, KITH_ERROR_BUSY);
    assert_false(kith_world_hash_full(world, KITH_ALL, &hash));
}

static void record_notice(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice, (void)context;
    hash_within(world);
}

static bool construct(void *value, void *context)
{
    memset(value, 0, 4);
    hash_within(context);
    return true;
}

static void hooks_and_listeners_cannot_hash(void **state)
{
    test_fixture       *f       = *state;
    kith_entity         entity  = kith_entity_create(f->world);
    kith_component_desc desc    = heap_desc();
    desc.traits.hooks.construct = construct;
    desc.traits.hooks.context   = f->world;
    kith_component_register(f->world, &desc);
    kith_listener_connect(
        f->world, &(kith_listener_desc){ KITH_EVENT_ADD, BULK, record_notice, NULL, 0, NULL });

    uint32_t errors = f->memory.errors;
    assert_non_null(heap_add(f->world, entity));
    assert_non_null(bulk_add(f->world, entity));

    assert_int_equal(f->memory.errors, errors + 4);
    hash_of(f->world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_kept_hash_is_that_of_all_after_every_step),
        TEST(writing_twice_within_a_tick_shows_both_times),
        TEST(the_last_row_can_go_without_a_stamp),
        TEST(hashes_are_kept_until_the_world_shrinks),
        TEST(without_memory_for_its_cache_a_hash_is_computed_in_full),
        TEST(a_value_written_without_a_stamp_is_found),
        TEST(every_byte_of_every_field_shows),
        TEST(swapped_rows_show),
        cmocka_unit_test(the_order_of_holes_shows),
        TEST(the_order_of_free_slots_shows),
        cmocka_unit_test(every_change_of_a_slot_shows),
        TEST(disabled_rows_show),
        TEST(tags_flags_and_singletons_show),
        TEST(flags_beyond_the_first_word_show),
        TEST(the_order_of_a_listed_group_shows),
        TEST(paths_show),
        TEST(transient_components_do_not_count),
        TEST(the_order_of_registering_does_not_count),
        cmocka_unit_test(page_rows_do_not_count_and_the_hash_is_the_known_one),
        TEST(values_larger_than_any_buffer_are_hashed),
        TEST(large_values_written_by_functions_need_memory),
        cmocka_unit_test(links_of_a_hierarchy_are_hashed),
        TEST(a_component_without_a_form_is_named),
        TEST(a_missing_component_cannot_be_hashed),
        TEST(a_held_world_cannot_be_hashed),
        TEST(hooks_and_listeners_cannot_hash),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
