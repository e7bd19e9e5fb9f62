// SPDX-License-Identifier: MIT
// Tests a world as a whole: its description, the report of its memory, shrinking, destroying.
#include "kith_test.h"

#include <stdio.h>

enum { SPARSE_PAGE_BYTES = 1024 * 8 };

// --- descriptions ----------------------------------------------------------------------------

// What was reported to an error hook.
typedef struct reported {
    uint32_t          calls;
    const kith_world *world;
    kith_error_code   code;
} reported;

static void record_error(const kith_world *world, const kith_error *error, void *context)
{
    reported *h = context;
    h->calls++;
    h->world = world;
    h->code  = error->code;
}

static void assert_desc_refused(kith_world_desc desc, kith_error_code code)
{
    reported h         = { .world = (const kith_world *)&h };
    desc.on_error      = record_error;
    desc.error_context = &h;

    assert_null(kith_world_create(&desc));

    assert_int_equal(h.calls, 1);
    assert_int_equal(h.code, code);
    assert_null(h.world);
}

static void a_world_needs_no_description(void **state)
{
    (void)state;
    kith_world *world = kith_world_create(NULL);

    assert_non_null(world);

    assert_world_valid(world);
    assert_int_equal(kith_entity_create(world), handle(0, 1));
    kith_world_destroy(world);
}

static void the_default_allocator_serves_every_alignment(void **state)
{
    (void)state;
    kith_world *world = kith_world_create(&(kith_world_desc){ .on_error = kith_error_ignore });
    kith_entity ship  = kith_entity_create(world);

    for (uint32_t alignment = 1; alignment <= KITH_ALIGNMENT_MAX; alignment *= 2) {
        char name[16];
        snprintf(name, sizeof name, "a%u", (unsigned)alignment);
        const kith_component_desc desc = { .name = name, .size = 4096, .alignment = alignment };
        kith_component            id   = kith_component_register(world, &desc);
        assert_int_equal((uintptr_t)kith_component_add(world, ship, id, NULL) % alignment, 0);
    }

    assert_world_valid(world);
    kith_world_destroy(world);
}

static void destroying_no_world_is_fine(void **state)
{
    (void)state;

    assert_true(kith_world_destroy(NULL));
}

static void an_invalid_description_is_refused(void **state)
{
    (void)state;
    test_memory           memory  = { 0 };
    kith_allocator        whole   = test_allocator(&memory);
    const kith_world_desc wrong[] = {
        { .index_bits = 32 },
        { .index_bits = 64 },
        { .index_bits = UINT32_MAX },
        { .version_bits = 33 },
        { .version_bits = UINT32_MAX },
        { .free_order = (kith_free_order)4 },
        { .max_entities = (UINT32_C(1) << 31) + 1 },
        { .index_bits = 4, .max_entities = 17 },
        { .index_bits = 4, .first_index = 16 },
        { .max_entities = 10, .first_index = 10 },
        { .first_index = UINT32_MAX },
        { .allocator = { .allocate = whole.allocate } },
        { .allocator = { .release = whole.release } },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_desc_refused(wrong[i], KITH_ERROR_ARGUMENT);
    }
    assert_int_equal(memory.allocations, 0);
}

static void the_outermost_limits_are_accepted(void **state)
{
    (void)state;
    const kith_world_desc right[] = {
        { .index_bits = 31, .version_bits = 32 },
        { .index_bits = 1, .version_bits = 1 },
        { .index_bits = 4, .max_entities = 16, .first_index = 15 },
        { .max_entities = UINT32_C(1) << 31 },
        { .max_entities = 1, .free_order = KITH_FREE_LOWEST },
    };

    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        test_memory memory = { 0 };
        kith_world *world  = test_world_with(&memory, right[i]);
        assert_non_null(world);
        assert_int_not_equal(kith_entity_create(world), KITH_NULL);
        assert_int_equal(memory.errors, 0);
        test_world_end(world, &memory);
    }
}

static void a_world_that_finds_no_memory_is_not_made(void **state)
{
    (void)state;
    const kith_world_desc descs[] = {
        { .index_bits = 0 },
        { .first_index = 3000 },
        { .free_order = KITH_FREE_FIFO, .max_entities = 3000 },
        { .free_order = KITH_FREE_LOWEST, .first_index = 3000 },
    };

    for (size_t i = 0; i < sizeof descs / sizeof descs[0]; i++) {
        test_memory memory = { 0 };
        kith_world *world  = NULL;
        for (uint32_t n = 1; world == NULL; n++) {
            test_fail_after(&memory, n);
            world = test_world_with(&memory, descs[i]);
            assert_int_equal(memory.errors, memory.failed);
            assert_true(world != NULL || memory.live_bytes == 0);
        }
        assert_true(memory.failed > 0);
        test_world_end(world, &memory);
    }
}

static void a_failed_create_reports_to_the_hook_that_memory_ran_out(void **state)
{
    (void)state;
    test_memory memory = { .fail_all = true };

    assert_desc_refused((kith_world_desc){ .allocator = test_allocator(&memory) },
                        KITH_ERROR_MEMORY);
}

static void the_user_pointer_is_kept(void **state)
{
    test_fixture *f       = *state;
    int           mine    = 1;
    int           another = 2;
    assert_null(kith_world_user(f->world));
    test_remake(f, (kith_world_desc){ .user = &mine });

    assert_ptr_equal(kith_world_user(f->world), &mine);
    kith_world_user_set(f->world, &another);

    assert_ptr_equal(kith_world_user(f->world), &another);
}

static void a_world_has_the_name_of_its_description(void **state)
{
    static const char name[] = "hall";
    test_fixture     *f      = *state;
    assert_null(kith_world_name(f->world));
    test_remake(f, (kith_world_desc){ .name = name });

    assert_ptr_equal(kith_world_name(f->world), name);
}

static void two_worlds_share_nothing(void **state)
{
    test_fixture *f      = *state;
    test_memory   memory = { 0 };
    kith_world   *other  = test_world(&memory);
    kith_entity   ship   = kith_entity_create(f->world);
    position_set(f->world, ship, (vec2){ 1, 2 });

    assert_int_equal(kith_component_find(other, "position"), 0);
    assert_false(kith_entity_alive(other, ship));
    game_register(other);
    assert_int_equal(kith_entity_create(other), ship);
    assert_false(position_has(other, ship));
    kith_entity_destroy(other, ship);

    assert_true(kith_entity_alive(f->world, ship));
    assert_true(position_has(f->world, ship));
    test_world_end(other, &memory);
}

// --- the end of a world ----------------------------------------------------------------------

// The letters of the destructed values, in order.
typedef struct letters {
    char     text[16];
    uint32_t count;
} letters;

static void note_letter(void *value, void *context)
{
    letters *seen             = context;
    seen->text[seen->count++] = *(char *)value;
}

static kith_component register_noted(kith_world *world, const char *name, kith_kind kind,
                                     letters *seen)
{
    const kith_component_desc desc = {
        .name   = name,
        .kind   = kind,
        .size   = 1,
        .traits = { .hooks = { .destruct = note_letter, .context = seen } },
    };
    return kith_component_register(world, &desc);
}

static void the_end_of_a_world_destructs_by_component_and_row(void **state)
{
    (void)state;
    test_memory    memory = { 0 };
    letters        seen   = { 0 };
    kith_world    *world  = test_world(&memory);
    kith_component first  = register_noted(world, "first", KITH_KIND_VALUE, &seen);
    kith_component single = register_noted(world, "single", KITH_KIND_SINGLETON, &seen);
    kith_component last   = register_noted(world, "last", KITH_KIND_VALUE, &seen);
    kith_entity    a      = kith_entity_create(world);
    kith_entity    b      = kith_entity_create(world);
    kith_component_set(world, a, last, "e");
    kith_component_set(world, b, last, "f");
    kith_singleton_set(world, single, "d");
    kith_component_set(world, b, first, "b");
    kith_component_set(world, a, first, "c");

    test_world_end(world, &memory);

    assert_string_equal(seen.text, "bcdef");
}

// --- memory ----------------------------------------------------------------------------------

static void assert_memory_reported(const test_fixture *f)
{
    kith_memory memory = kith_world_memory(f->world, KITH_ALL);
    assert_int_equal(memory.total, f->memory.live_bytes);
    assert_int_equal(memory.total, memory.entities + memory.signatures + memory.sparse +
                                       memory.packed + memory.values + memory.other);
}

static void fill(kith_world *world, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kith_entity entity = kith_entity_create(world);
        position_set(world, entity, (vec2){ 1, 2 });
        if (i % 3 == 0) {
            frozen_add(world, entity);
            frozen_disable(world, entity);
        }
        if (i % 5 == 0) {
            hidden_add(world, entity);
            health_set(world, entity, 7);
        }
    }
}

static void register_special_components(kith_world *world)
{
    const kith_component_desc stable = { .name   = "stable",
                                         .id     = 20,
                                         .size   = 16,
                                         .traits = { .policy    = KITH_POLICY_STABLE,
                                                     .page_rows = 64 } };
    const kith_component_desc single = {
        .name = "s", .id = 80, .kind = KITH_KIND_SINGLETON, .size = 40
    };
    const kith_component      needed = POSITION;
    const kith_component_desc engine = { .name   = "engine",
                                         .id     = 81,
                                         .size   = 4,
                                         .traits = { .required = &needed, .required_count = 1 } };
    kith_component_register(world, &stable);
    kith_component_register(world, &single);
    kith_component_register(world, &engine);
    kith_singleton_add(world, 80);
}

static void the_report_equals_what_the_allocator_returned(void **state)
{
    test_fixture *f = *state;

    for (size_t i = 0; i < TEST_FREE_ORDERS; i++) {
        test_remake(f, (kith_world_desc){ .free_order = test_free_orders[i] });
        assert_memory_reported(f);
        register_special_components(f->world);
        assert_memory_reported(f);
        fill(f->world, 5000);
        assert_memory_reported(f);
        kith_component_add(f->world, handle(4, 1), 81, NULL);
        kith_component_add(f->world, handle(4, 1), 20, NULL);
        assert_memory_reported(f);
        kith_world_clear(f->world);
        assert_memory_reported(f);
        kith_singleton_remove(f->world, 80);
        kith_world_shrink(f->world);
        assert_memory_reported(f);
    }
}

static void the_report_counts_components_beyond_the_64th(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    for (unsigned i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%u", i);
        kith_component_add(f->world, ship, test_register_tag(f->world, name, 0), NULL);
        assert_memory_reported(f);
    }

    kith_entity_destroy(f->world, ship);
    kith_world_shrink(f->world);

    assert_memory_reported(f);
}

static void the_report_of_one_component_is_its_share(void **state)
{
    test_fixture *f = *state;
    fill(f->world, 100);
    size_t      sparse = 0, packed = 0, values = 0;
    kith_memory whole = kith_world_memory(f->world, KITH_ALL);

    for (kith_component id = 0; (id = kith_component_next(f->world, id)) != 0;) {
        kith_memory part = kith_world_memory(f->world, id);
        assert_int_equal(part.entities, 0);
        assert_int_equal(part.signatures, 0);
        sparse += part.sparse;
        packed += part.packed;
        values += part.values;
    }

    assert_int_equal(sparse, whole.sparse);
    assert_int_equal(packed, whole.packed);
    assert_int_equal(values, whole.values);
}

static void a_single_high_index_costs_one_sparse_page(void **state)
{
    test_fixture *f   = *state;
    kith_entity   far = kith_entity_create_hint(f->world, handle(100000, 1));

    position_set(f->world, far, (vec2){ 1, 2 });

    assert_int_equal(kith_world_memory(f->world, POSITION).sparse, SPARSE_PAGE_BYTES);
    assert_memory_reported(f);
}

static void ten_thousand_positions_cost_the_pages_in_use(void **state)
{
    test_fixture *f     = *state;
    uint32_t      rows  = kith_component_describe(f->world, POSITION)->traits.page_rows;
    uint32_t      pages = (10000 + rows - 1) / rows;

    for (uint32_t i = 0; i < 10000; i++) {
        position_set(f->world, kith_entity_create(f->world), (vec2){ 1, 2 });
    }

    kith_memory memory = kith_world_memory(f->world, POSITION);
    assert_int_equal(memory.sparse, 10 * SPARSE_PAGE_BYTES);
    assert_int_equal(memory.packed, pages * rows * sizeof(uint32_t));
    assert_int_equal(memory.values, pages * rows * sizeof(vec2));
    assert_int_equal(kith_component_stats(f->world, POSITION).capacity, pages * rows);
}

static void tags_and_flags_cost_no_values(void **state)
{
    test_fixture *f = *state;
    fill(f->world, 3000);

    kith_memory tag  = kith_world_memory(f->world, FROZEN);
    kith_memory flag = kith_world_memory(f->world, HIDDEN);

    assert_int_equal(tag.values, 0);
    assert_int_equal(tag.sparse, 3 * SPARSE_PAGE_BYTES);
    assert_int_equal(flag.values + flag.sparse + flag.packed, 0);
}

static void shrink_frees_unused_pages(void **state)
{
    test_fixture *f = *state;
    fill(f->world, 5000);
    kith_world_clear(f->world);

    assert_true(kith_world_shrink(f->world));

    kith_memory memory = kith_world_memory(f->world, KITH_ALL);
    assert_int_equal(memory.sparse, 0);
    assert_int_equal(memory.packed, 0);
    assert_int_equal(memory.values, 0);
    assert_memory_reported(f);
    fill(f->world, 100);
}

static void shrink_keeps_pages_in_use(void **state)
{
    test_fixture *f = *state;
    fill(f->world, 5000);
    for (uint32_t index = 0; index < 5000; index++) {
        if (index != 4500) {
            test_destroy_index(f->world, index);
        }
    }

    assert_true(kith_world_shrink(f->world));

    uint32_t rows = kith_component_describe(f->world, POSITION)->traits.page_rows;
    assert_int_equal(kith_world_memory(f->world, POSITION).sparse, SPARSE_PAGE_BYTES);
    assert_int_equal(kith_component_stats(f->world, POSITION).capacity, rows);
    assert_float_equal(position_get(f->world, handle(4500, 1))->y, 2, 0);
}

static void shrink_frees_reserved_room(void **state)
{
    test_fixture *f      = *state;
    kith_memory   before = kith_world_memory(f->world, KITH_ALL);
    kith_entity_reserve(f->world, 100000);
    position_reserve(f->world, 100000);

    kith_world_shrink(f->world);

    kith_memory after = kith_world_memory(f->world, KITH_ALL);
    assert_int_equal(after.signatures, before.signatures);
    assert_int_equal(after.values, before.values);
    assert_memory_reported(f);
    assert_int_equal(kith_entity_create(f->world), handle(0, 1));
}

static void shrink_leaves_flags_as_they_are(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    hidden_add(f->world, ship);

    assert_true(kith_world_shrink(f->world));

    assert_true(hidden_has(f->world, ship));
    assert_true(kith_entity_destroy(f->world, ship));
    assert_int_equal(hidden_count(f->world), 0);
}

static void shrink_allocates_nothing(void **state)
{
    test_fixture *f = *state;
    fill(f->world, 3000);
    f->memory.fail_all = true;

    assert_true(kith_world_shrink(f->world));

    assert_int_equal(f->memory.failed, 0);
}

static void an_unknown_component_has_no_memory(void **state)
{
    test_fixture *f = *state;

    assert_int_equal(kith_world_memory(f->world, 77).total, 0);
    assert_int_equal(kith_world_memory(f->world, 0).total, 0);

    assert_int_equal(f->memory.errors, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_needs_no_description),
        cmocka_unit_test(the_default_allocator_serves_every_alignment),
        cmocka_unit_test(destroying_no_world_is_fine),
        cmocka_unit_test(an_invalid_description_is_refused),
        cmocka_unit_test(the_outermost_limits_are_accepted),
        cmocka_unit_test(a_world_that_finds_no_memory_is_not_made),
        cmocka_unit_test(a_failed_create_reports_to_the_hook_that_memory_ran_out),
        TEST_WORLD(the_user_pointer_is_kept),
        TEST_WORLD(a_world_has_the_name_of_its_description),
        TEST_WORLD(two_worlds_share_nothing),
        cmocka_unit_test(the_end_of_a_world_destructs_by_component_and_row),
        TEST_WORLD(the_report_equals_what_the_allocator_returned),
        TEST_WORLD(the_report_counts_components_beyond_the_64th),
        TEST_WORLD(the_report_of_one_component_is_its_share),
        TEST_WORLD(a_single_high_index_costs_one_sparse_page),
        TEST_WORLD(ten_thousand_positions_cost_the_pages_in_use),
        TEST_WORLD(tags_and_flags_cost_no_values),
        TEST_WORLD(shrink_frees_unused_pages),
        TEST_WORLD(shrink_keeps_pages_in_use),
        TEST_WORLD(shrink_frees_reserved_room),
        TEST_WORLD(shrink_leaves_flags_as_they_are),
        TEST_WORLD(shrink_allocates_nothing),
        TEST_WORLD(an_unknown_component_has_no_memory),
    };
    return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
