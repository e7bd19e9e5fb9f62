// SPDX-License-Identifier: MIT
// Tests registering components: ids, names, kinds, defaults and refusals.
#include "kith_test.h"

static const kith_component_desc shield = {
    .name      = "shield",
    .id        = 20,
    .size      = 16,
    .alignment = 8,
    .traits    = { .policy = KITH_POLICY_STABLE, .page_rows = 64 },
};

static void a_component_keeps_its_constant_id(void **state)
{
    test_fixture *f = *state;

    assert_int_equal(kith_component_register(f->world, &shield), 20);

    assert_int_equal(kith_component_find(f->world, "shield"), 20);
    assert_int_equal(kith_world_stats(f->world).components, 6);
}

static void run_time_ids_go_down_from_1023_around_taken_ones(void **state)
{
    test_fixture *f = *state;

    assert_int_equal(test_register_tag(f->world, "constant", 1022), 1022);
    assert_int_equal(test_register_tag(f->world, "one", 0), 1023);
    assert_int_equal(test_register_tag(f->world, "two", 0), 1021);
    assert_int_equal(test_register_tag(f->world, "one", 0), 1023);
}

static void an_unknown_name_finds_nothing(void **state)
{
    test_fixture *f = *state;

    assert_int_equal(kith_component_find(f->world, "shield"), 0);
    assert_int_equal(kith_component_find(f->world, ""), 0);
    assert_int_equal(kith_component_find(f->world, NULL), 0);
    assert_int_equal(kith_component_find(f->world, "Position"), 0);
    assert_int_equal(f->memory.errors, 0);
}

static void registering_the_same_again_changes_nothing_and_needs_no_memory(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    position_set(f->world, ship, (vec2){ 1, 2 });
    f->memory.fail_all = true;

    assert_true(game_register(f->world));
    assert_true(position_register(f->world));

    assert_int_equal(f->memory.failed, 0);
    assert_int_equal(kith_world_stats(f->world).components, 5);
    assert_float_equal(position_get(f->world, ship)->y, 2, 0);
}

static void registering_a_flag_again_leaves_it_as_it_is(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    hidden_add(f->world, ship);

    assert_true(hidden_register(f->world));

    assert_true(hidden_has(f->world, ship));
    assert_true(kith_entity_destroy(f->world, ship));
    assert_int_equal(hidden_count(f->world), 0);
}

static void a_description_with_its_defaults_written_out_is_the_same(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = *kith_component_describe(f->world, POSITION);

    assert_int_equal(kith_component_register(f->world, &desc), POSITION);
}

static void a_known_name_without_an_id_gives_the_known_id(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = shield;
    kith_component_register(f->world, &shield);
    desc.id = 0;

    assert_int_equal(kith_component_register(f->world, &desc), 20);
}

static void a_registered_name_is_a_copy(void **state)
{
    test_fixture       *f      = *state;
    char                name[] = "shield";
    kith_component_desc desc   = shield;
    desc.name                  = name;
    kith_component_register(f->world, &desc);

    name[0] = 'X';

    assert_int_equal(kith_component_find(f->world, "shield"), 20);
    assert_string_equal(kith_component_describe(f->world, 20)->name, "shield");
}

// Registers `shield` and then `desc`, which contradicts it in one property.
static void assert_conflict(test_fixture *f, kith_component_desc desc, uint64_t have, uint64_t want)
{
    kith_component_register(f->world, &shield);
    uint32_t components = kith_world_stats(f->world).components;

    assert_refused(&f->memory, f->world, KITH_ERROR_CONFLICT,
                   kith_component_register(f->world, &desc));

    assert_int_equal(kith_world_error(f->world).have, have);
    assert_int_equal(kith_world_error(f->world).want, want);
    assert_int_equal(kith_world_stats(f->world).components, components);
    assert_int_equal(kith_component_describe(f->world, 20)->size, shield.size);
}

static void another_name_for_a_known_id_is_a_conflict(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = shield;
    desc.name                = "armour";

    assert_conflict(f, desc, 0, 0);

    assert_int_equal(kith_world_error(f->world).component, 20);
    assert_string_equal(kith_world_error(f->world).other, "armour");
}

static void another_id_for_a_known_name_is_a_conflict(void **state)
{
    kith_component_desc desc = shield;
    desc.id                  = 21;

    assert_conflict(*state, desc, 20, 21);
}

static void another_kind_is_a_conflict(void **state)
{
    kith_component_desc desc = { .name = "shield", .id = 20, .kind = KITH_KIND_TAG };

    assert_conflict(*state, desc, KITH_KIND_VALUE, KITH_KIND_TAG);
}

static void another_size_is_a_conflict(void **state)
{
    kith_component_desc desc = shield;
    desc.size                = 32;

    assert_conflict(*state, desc, 16, 32);
}

static void another_alignment_is_a_conflict(void **state)
{
    kith_component_desc desc = shield;
    desc.alignment           = 4;
    assert_conflict(*state, desc, 8, 4);

    desc.traits.alignment = 16;
    assert_conflict(*state, desc, 8, 16);
}

static void another_policy_is_a_conflict(void **state)
{
    kith_component_desc desc = shield;
    desc.traits.policy       = KITH_POLICY_SWAP;

    assert_conflict(*state, desc, KITH_POLICY_STABLE, KITH_POLICY_SWAP);
}

static void other_page_rows_are_a_conflict(void **state)
{
    kith_component_desc desc = shield;
    desc.traits.page_rows    = 128;

    assert_conflict(*state, desc, 64, 128);
}

static void other_required_components_are_a_conflict(void **state)
{
    test_fixture        *f         = *state;
    const kith_component needed[]  = { POSITION, VELOCITY };
    const kith_component another[] = { POSITION, HEALTH };
    kith_component_desc  desc      = { .name = "engine", .id = 30, .size = 4 };
    desc.traits.required           = needed;
    desc.traits.required_count     = 2;
    assert_int_equal(kith_component_register(f->world, &desc), 30);
    assert_int_equal(kith_component_register(f->world, &desc), 30);

    desc.traits.required_count = 1;
    assert_conflict(f, desc, VELOCITY, 0);
    desc.traits.required       = another;
    desc.traits.required_count = 2;
    assert_conflict(f, desc, VELOCITY, HEALTH);
}

static void an_invalid_component_is_refused(void **state)
{
    test_fixture             *f       = *state;
    const kith_component      self[]  = { 50 };
    const kith_component_desc wrong[] = {
        { .name = NULL, .id = 50, .size = 4 },
        { .name = "", .id = 50, .size = 4 },
        { .name = "x", .id = 1024, .size = 4 },
        { .name = "x", .id = UINT32_MAX, .size = 4 },
        { .name = "x", .id = 50, .kind = (kith_kind)4, .size = 4 },
        { .name = "x", .id = 50, .size = 0 },
        { .name = "x", .id = 50, .kind = KITH_KIND_SINGLETON, .size = 0 },
        { .name = "x", .id = 50, .kind = KITH_KIND_TAG, .size = 4 },
        { .name = "x", .id = 50, .kind = KITH_KIND_FLAG, .size = 4 },
        { .name = "x", .id = 50, .size = 12, .alignment = 3 },
        { .name = "x", .id = 50, .size = 12, .alignment = 8 },
        { .name = "x", .id = 50, .size = 8192, .alignment = 8192 },
        { .name = "x", .id = 50, .size = 4, .traits = { .alignment = 5 } },
        { .name = "x", .id = 50, .size = 8192, .traits = { .alignment = 8192 } },
        { .name = "x", .id = 50, .size = 4, .traits = { .policy = (kith_policy)2 } },
        { .name = "x", .id = 50, .size = 4, .traits = { .page_rows = 3 } },
        { .name = "x", .id = 50, .size = 4, .traits = { .page_rows = 131072 } },
        { .name = "x", .id = 50, .size = 4, .traits = { .required_count = 1 } },
        { .name = "x", .id = 50, .size = 4, .traits = { .required = self, .required_count = 1 } },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                       kith_component_register(f->world, &wrong[i]));
    }
    assert_int_equal(kith_world_stats(f->world).components, 5);
}

static void a_required_component_must_be_known_and_have_a_bit(void **state)
{
    test_fixture             *f      = *state;
    const kith_component_desc single = {
        .name = "s", .id = 40, .kind = KITH_KIND_SINGLETON, .size = 4
    };
    const kith_component required[] = { 77, 0, 1024, UINT32_MAX, 40 };
    kith_component_register(f->world, &single);

    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++) {
        const kith_component_desc desc = {
            .name   = "x",
            .size   = 4,
            .traits = { .required = &required[i], .required_count = 1 },
        };
        assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                       kith_component_register(f->world, &desc));
    }
}

static void required_ids_are_copied(void **state)
{
    test_fixture       *f        = *state;
    kith_component      needed[] = { POSITION };
    kith_component_desc desc     = { .name = "engine", .id = 30, .size = 4 };
    desc.traits.required         = needed;
    desc.traits.required_count   = 1;
    kith_component_register(f->world, &desc);

    needed[0] = 999;

    kith_entity ship = kith_entity_create(f->world);
    assert_non_null(kith_component_add(f->world, ship, 30, NULL));
    assert_true(position_has(f->world, ship));
    assert_int_equal(kith_component_describe(f->world, 30)->traits.required[0], POSITION);
}

static bool construct_one(void *value, void *context)
{
    (void)context;
    *(int *)value = 1;
    return true;
}

static bool construct_two(void *value, void *context)
{
    (void)context;
    *(int *)value = 2;
    return true;
}

static void the_newest_hooks_are_used(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = { .name = "count", .id = 60, .size = sizeof(int) };
    kith_entity         a    = kith_entity_create(f->world);
    kith_entity         b    = kith_entity_create(f->world);
    desc.traits.hooks        = (kith_hooks){ .construct = construct_one };
    kith_component_register(f->world, &desc);
    kith_component_add(f->world, a, 60, NULL);

    desc.traits.hooks = (kith_hooks){ .construct = construct_two };
    assert_int_equal(kith_component_register(f->world, &desc), 60);
    kith_component_add(f->world, b, 60, NULL);

    assert_int_equal(*(const int *)kith_component_get(f->world, a, 60), 1);
    assert_int_equal(*(const int *)kith_component_get(f->world, b, 60), 2);
    assert_true(kith_component_describe(f->world, 60)->traits.hooks.construct == construct_two);
}

static void hooks_may_come_and_go_for_typed_components_too(void **state)
{
    test_fixture       *f    = *state;
    kith_entity         a    = kith_entity_create(f->world);
    kith_entity         b    = kith_entity_create(f->world);
    kith_component_desc desc = health_desc();
    desc.traits.hooks        = (kith_hooks){ .construct = construct_two };
    kith_component_register(f->world, &desc);
    assert_int_equal(*health_add(f->world, a), 2);

    assert_true(health_register(f->world));

    assert_int_equal(*health_add(f->world, b), 0);
}

static void registering_fails_without_memory_and_changes_nothing(void **state)
{
    test_fixture        *f        = *state;
    const kith_component needed[] = { POSITION };
    kith_component_desc  desc     = shield;
    kith_component       id       = 0;
    desc.traits.required          = needed;
    desc.traits.required_count    = 1;

    for (uint32_t n = 1; id == 0; n++) {
        test_fail_after(&f->memory, n);
        id = kith_component_register(f->world, &desc);
        assert_world_valid(f->world);
        assert_int_equal(kith_world_stats(f->world).components, id == 0 ? 5 : 6);
    }

    assert_error(f->world, KITH_ERROR_MEMORY);
    assert_true(f->memory.failed > 1);
}

static void registering_allocates_no_page(void **state)
{
    test_fixture *f = *state;

    kith_component_register(f->world, &shield);

    kith_memory memory = kith_world_memory(f->world, 20);
    assert_int_equal(memory.sparse, 0);
    assert_int_equal(memory.packed, 0);
    assert_int_equal(memory.values, 0);
}

// --- many at once ----------------------------------------------------------------------------

static void later_ones_of_many_may_require_earlier_ones(void **state)
{
    test_fixture             *f       = *state;
    const kith_component      hull[]  = { 31 };
    const kith_component_desc descs[] = {
        { .name = "hull", .id = 31, .size = 4 },
        { .name   = "engine",
          .id     = 30,
          .size   = 4,
          .traits = { .required = hull, .required_count = 1 } },
    };
    kith_entity ship = kith_entity_create(f->world);

    assert_true(kith_component_register_many(f->world, descs, 2));
    kith_component_add(f->world, ship, 30, NULL);

    assert_true(kith_component_has(f->world, ship, 31));
}

static void a_component_required_on_two_ways_is_added_once(void **state)
{
    test_fixture             *f       = *state;
    const kith_component      hull[]  = { 31 };
    const kith_component      both[]  = { 32, 33 };
    const kith_component_desc descs[] = {
        { .name = "hull", .id = 31, .size = 4 },
        { .name   = "sail",
          .id     = 32,
          .size   = 4,
          .traits = { .required = hull, .required_count = 1 } },
        { .name   = "keel",
          .id     = 33,
          .size   = 4,
          .traits = { .required = hull, .required_count = 1 } },
        { .name   = "crew",
          .id     = 34,
          .size   = 4,
          .traits = { .required = both, .required_count = 2 } },
    };
    kith_entity ship = kith_entity_create(f->world);
    assert_true(kith_component_register_many(f->world, descs, 4));

    assert_non_null(kith_component_add(f->world, ship, 34, NULL));

    assert_int_equal(kith_entity_components(f->world, ship, NULL, 0), 4);
    assert_int_equal(kith_component_stats(f->world, 31).rows, 1);
}

static void many_are_registered_all_or_nothing(void **state)
{
    test_fixture             *f       = *state;
    const kith_component_desc descs[] = {
        { .name = "hull", .id = 31, .size = 4 },
        shield,
        { .name = "place", .id = POSITION, .size = sizeof(vec2), .alignment = 4 },
    };

    assert_refused(&f->memory, f->world, KITH_ERROR_CONFLICT,
                   kith_component_register_many(f->world, descs, 3));

    assert_int_equal(kith_world_stats(f->world).components, 5);
    assert_int_equal(kith_component_find(f->world, "hull"), 0);
    assert_null(kith_component_describe(f->world, 20));
    assert_true(kith_component_register_many(f->world, descs, 2));
}

static void a_refused_many_leaves_the_old_hooks(void **state)
{
    test_fixture       *f        = *state;
    kith_component_desc descs[2] = { health_desc(), { .name = "", .id = 31, .size = 4 } };
    descs[0].traits.hooks        = (kith_hooks){ .construct = construct_two };

    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_component_register_many(f->world, descs, 2));

    assert_int_equal(*health_add(f->world, kith_entity_create(f->world)), 0);
}

static void ids_of_a_refused_many_are_given_again(void **state)
{
    test_fixture             *f       = *state;
    const kith_component_desc descs[] = {
        { .name = "one", .kind = KITH_KIND_TAG },
        { .name = "two", .kind = KITH_KIND_TAG },
        { .name = "", .kind = KITH_KIND_TAG },
    };
    assert_false(kith_component_register_many(f->world, descs, 3));

    assert_int_equal(test_register_tag(f->world, "three", 0), 1023);

    kith_signature signature = { 0 };
    assert_true(kith_signature_add(f->world, &signature, 1023));
    assert_int_equal(signature.words[0], 1 << 5);
}

static void many_fail_without_memory_and_change_nothing(void **state)
{
    (void)state;
    test_memory memory = { 0 };
    kith_world *world  = test_world(&memory);
    bool        done   = false;

    for (uint32_t n = 1; !done; n++) {
        test_fail_after(&memory, n);
        done = game_register(world);
        assert_int_equal(kith_world_stats(world).components, done ? 5 : 0);
        assert_world_valid(world);
    }

    assert_error(world, KITH_ERROR_MEMORY);
    assert_true(memory.failed >= 5);
    test_world_end(world, &memory);
}

static void registering_nothing_succeeds(void **state)
{
    test_fixture *f = *state;

    assert_true(kith_component_register_many(f->world, NULL, 0));
}

static void the_same_twice_among_many_is_one_component(void **state)
{
    test_fixture             *f       = *state;
    const kith_component_desc descs[] = { shield, shield };

    assert_true(kith_component_register_many(f->world, descs, 2));

    assert_int_equal(kith_world_stats(f->world).components, 6);
}

// --- enumeration and description -------------------------------------------------------------

static void components_are_walked_in_registration_order(void **state)
{
    test_fixture        *f          = *state;
    const kith_component expected[] = { POSITION, VELOCITY, HEALTH, FROZEN, HIDDEN, 20, 1023 };
    kith_component       id         = 0;
    kith_component_register(f->world, &shield);
    test_register_tag(f->world, "last", 0);

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        id = kith_component_next(f->world, id);
        assert_int_equal(id, expected[i]);
    }

    assert_int_equal(kith_component_next(f->world, id), 0);
}

static void the_walk_over_components_ends_for_unknown_ids(void **state)
{
    test_fixture *f = *state;

    assert_int_equal(kith_component_next(f->world, 77), 0);
    assert_int_equal(kith_component_next(f->world, UINT32_MAX), 0);
}

static void a_description_has_every_default_filled_in(void **state)
{
    test_fixture *f = *state;

    const kith_component_desc *desc = kith_component_describe(f->world, POSITION);

    assert_string_equal(desc->name, "position");
    assert_int_equal(desc->id, POSITION);
    assert_int_equal(desc->kind, KITH_KIND_VALUE);
    assert_int_equal(desc->size, sizeof(vec2));
    assert_int_equal(desc->alignment, _Alignof(vec2));
    assert_int_equal(desc->traits.policy, KITH_POLICY_SWAP);
    assert_int_equal(desc->traits.alignment, _Alignof(vec2));
    assert_true(desc->traits.page_rows >= 2);
    assert_int_equal(desc->traits.page_rows & (desc->traits.page_rows - 1), 0);
    assert_int_equal(desc->traits.required_count, 0);
}

static void a_description_keeps_what_was_asked_for(void **state)
{
    test_fixture       *f     = *state;
    kith_component_desc asked = shield;
    asked.traits.alignment    = 16;
    kith_component_register(f->world, &asked);

    const kith_component_desc *desc = kith_component_describe(f->world, 20);

    assert_int_equal(desc->traits.policy, KITH_POLICY_STABLE);
    assert_int_equal(desc->traits.page_rows, 64);
    assert_int_equal(desc->traits.alignment, 16);
}

static void an_alignment_of_zero_means_one(void **state)
{
    test_fixture             *f    = *state;
    const kith_component_desc desc = { .name = "odd", .id = 70, .size = 3 };
    kith_component_register(f->world, &desc);

    assert_int_equal(kith_component_describe(f->world, 70)->alignment, 1);
}

static void the_largest_page_is_65536_rows_and_the_smallest_one(void **state)
{
    test_fixture        *f     = *state;
    kith_component_desc  large = { .name = "large", .size = 1, .traits = { .page_rows = 65536 } };
    kith_component_desc  small = { .name = "small", .size = 1, .traits = { .page_rows = 1 } };
    const kith_component large_id = kith_component_register(f->world, &large);
    const kith_component small_id = kith_component_register(f->world, &small);

    for (uint32_t i = 0; i < 3; i++) {
        kith_entity ship = kith_entity_create(f->world);
        assert_non_null(kith_component_add(f->world, ship, large_id, NULL));
        assert_non_null(kith_component_add(f->world, ship, small_id, NULL));
    }

    assert_int_equal(kith_component_stats(f->world, large_id).capacity, 65536);
    assert_int_equal(kith_component_stats(f->world, small_id).capacity, 3);
}

static void an_unknown_id_has_no_description(void **state)
{
    test_fixture *f = *state;

    assert_null(kith_component_describe(f->world, 0));
    assert_null(kith_component_describe(f->world, 77));
    assert_null(kith_component_describe(f->world, UINT32_MAX));
}

// A form that is said together with something that is refused has not been said.
static void a_refused_batch_registers_no_save_form(void **state)
{
    test_memory         memory  = { 0 };
    kith_world         *world   = test_world(&memory);
    kith_component_desc descs[] = { { .name = "mass", .id = 90, .size = 8, .alignment = 8 },
                                    { .name = "mass", .id = 90, .size = 4, .alignment = 4 } };
    const kith_saved    eight   = KITH_AS(plain(8));
    const kith_saved    four    = KITH_AS(plain(4));
    (void)state;
    assert_int_equal(kith_component_register(world, &descs[0]), 90);
    descs[0].traits.saved = eight;
    assert_false(kith_component_register_many(world, descs, 2));
    assert_int_equal(kith_component_describe(world, 90)->traits.saved.form, KITH_FORM_NONE);
    descs[1]              = descs[0];
    descs[1].traits.saved = four; // two forms at once are a conflict, and none is learned
    assert_false(kith_component_register_many(world, descs, 2));
    assert_int_equal(kith_component_describe(world, 90)->traits.saved.form, KITH_FORM_NONE);
    descs[1] = descs[0];
    assert_true(kith_component_register_many(world, descs, 2));
    assert_int_equal(kith_component_describe(world, 90)->traits.saved.unit, 8);
    test_world_end(world, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(a_component_keeps_its_constant_id),
        TEST_WORLD(run_time_ids_go_down_from_1023_around_taken_ones),
        TEST_WORLD(an_unknown_name_finds_nothing),
        TEST_WORLD(registering_the_same_again_changes_nothing_and_needs_no_memory),
        TEST_WORLD(registering_a_flag_again_leaves_it_as_it_is),
        TEST_WORLD(a_description_with_its_defaults_written_out_is_the_same),
        TEST_WORLD(a_known_name_without_an_id_gives_the_known_id),
        TEST_WORLD(a_registered_name_is_a_copy),
        TEST_WORLD(another_name_for_a_known_id_is_a_conflict),
        TEST_WORLD(another_id_for_a_known_name_is_a_conflict),
        TEST_WORLD(another_kind_is_a_conflict),
        TEST_WORLD(another_size_is_a_conflict),
        TEST_WORLD(another_alignment_is_a_conflict),
        TEST_WORLD(another_policy_is_a_conflict),
        TEST_WORLD(other_page_rows_are_a_conflict),
        TEST_WORLD(other_required_components_are_a_conflict),
        TEST_WORLD(an_invalid_component_is_refused),
        TEST_WORLD(a_required_component_must_be_known_and_have_a_bit),
        TEST_WORLD(required_ids_are_copied),
        TEST_WORLD(the_newest_hooks_are_used),
        TEST_WORLD(hooks_may_come_and_go_for_typed_components_too),
        TEST_WORLD(registering_fails_without_memory_and_changes_nothing),
        TEST_WORLD(registering_allocates_no_page),
        TEST_WORLD(later_ones_of_many_may_require_earlier_ones),
        TEST_WORLD(a_component_required_on_two_ways_is_added_once),
        TEST_WORLD(many_are_registered_all_or_nothing),
        TEST_WORLD(a_refused_many_leaves_the_old_hooks),
        TEST_WORLD(ids_of_a_refused_many_are_given_again),
        cmocka_unit_test(many_fail_without_memory_and_change_nothing),
        TEST_WORLD(registering_nothing_succeeds),
        TEST_WORLD(the_same_twice_among_many_is_one_component),
        TEST_WORLD(components_are_walked_in_registration_order),
        TEST_WORLD(the_walk_over_components_ends_for_unknown_ids),
        TEST_WORLD(a_description_has_every_default_filled_in),
        TEST_WORLD(a_description_keeps_what_was_asked_for),
        TEST_WORLD(an_alignment_of_zero_means_one),
        TEST_WORLD(the_largest_page_is_65536_rows_and_the_smallest_one),
        TEST_WORLD(an_unknown_id_has_no_description),
        cmocka_unit_test(a_refused_batch_registers_no_save_form),
    };
    return cmocka_run_group_tests_name("register", tests, NULL, NULL);
}
