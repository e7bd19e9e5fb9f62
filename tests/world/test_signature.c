// SPDX-License-Identifier: MIT
// Tests signatures: their bits, how they compare, and the signature of an entity.
#include "kith_test.h"

#include <stdio.h>

enum { SEASON = 9, FAR_VALUE, FAR_TAG, FAR_FLAG };

KITH_SINGLETON(season, int, SEASON);
KITH_COMPONENT(far_value, int, FAR_VALUE);
KITH_TAG(far_tag, FAR_TAG);
KITH_FLAG(far_flag, FAR_FLAG);

static kith_signature signature_of(const kith_world *world, const kith_component *components,
                                   size_t count)
{
    kith_signature signature = { 0 };
    for (size_t i = 0; i < count; i++) {
        assert_true(kith_signature_add(world, &signature, components[i]));
    }
    return signature;
}

#define SIGNATURE(WORLD, ...)                                                                      \
    signature_of((WORLD), (const kith_component[]){ __VA_ARGS__ },                                 \
                 sizeof((const kith_component[]){ __VA_ARGS__ }) / sizeof(kith_component))

// --- the value -------------------------------------------------------------------------------

static void zeroed_memory_is_the_empty_signature(void **state)
{
    test_fixture  *f     = *state;
    kith_signature empty = { 0 };

    assert_int_equal(kith_signature_count(&empty), 0);
    assert_false(kith_signature_has(f->world, &empty, POSITION));
}

static void a_component_can_be_put_in_and_taken_out(void **state)
{
    test_fixture  *f         = *state;
    kith_signature signature = { 0 };

    assert_true(kith_signature_add(f->world, &signature, POSITION));
    assert_true(kith_signature_add(f->world, &signature, HIDDEN));
    assert_true(kith_signature_add(f->world, &signature, HIDDEN));
    assert_int_equal(kith_signature_count(&signature), 2);
    assert_true(kith_signature_remove(f->world, &signature, POSITION));

    assert_false(kith_signature_has(f->world, &signature, POSITION));
    assert_true(kith_signature_has(f->world, &signature, HIDDEN));
    assert_int_equal(kith_signature_count(&signature), 1);
}

// Transform, RigidBody and Gravity, registered in this order, have the bits 0b111 whatever their
// ids.
static void bits_are_numbered_in_registration_order(void **state)
{
    (void)state;
    test_memory memory = { 0 };
    kith_world *world  = test_world(&memory);
    test_register_tag(world, "transform", 40);
    test_register_tag(world, "rigid_body", 7);
    test_register_tag(world, "gravity", 1023);
    kith_entity stone = kith_entity_create(world);

    kith_component_add(world, stone, 1023, NULL);
    kith_component_add(world, stone, 7, NULL);
    kith_component_add(world, stone, 40, NULL);

    assert_int_equal(kith_entity_signature(world, stone).words[0], 7);
    kith_component_remove(world, stone, 7);
    assert_int_equal(kith_entity_signature(world, stone).words[0], 5);
    test_world_end(world, &memory);
}

static void a_component_without_a_bit_cannot_be_put_in(void **state)
{
    test_fixture  *f         = *state;
    kith_signature signature = { 0 };
    season_register(f->world);

    assert_false(kith_signature_add(f->world, &signature, SEASON));
    assert_false(kith_signature_remove(f->world, &signature, SEASON));
    assert_false(kith_signature_has(f->world, &signature, SEASON));
    assert_false(kith_signature_add(f->world, &signature, 77));
    assert_false(kith_signature_remove(f->world, &signature, 77));
    assert_false(kith_signature_has(f->world, &signature, 77));
    assert_false(kith_signature_add(f->world, &signature, 0));
    assert_false(kith_signature_add(f->world, &signature, UINT32_MAX));

    assert_int_equal(kith_signature_count(&signature), 0);
    assert_true(f->memory.errors >= 5);
    assert_error(f->world, KITH_OK);
}

static void singletons_take_no_bit(void **state)
{
    test_fixture *f = *state;
    season_register(f->world);

    kith_component after = test_register_tag(f->world, "after", 0);

    assert_int_equal(SIGNATURE(f->world, after).words[0], 1 << 5);
}

static void contains_asks_for_every_component_of_the_part(void **state)
{
    test_fixture  *f     = *state;
    kith_signature empty = { 0 };
    kith_signature one   = SIGNATURE(f->world, VELOCITY);
    kith_signature two   = SIGNATURE(f->world, POSITION, VELOCITY);
    kith_signature other = SIGNATURE(f->world, VELOCITY, HEALTH);

    assert_true(kith_signature_contains(&two, &one));
    assert_true(kith_signature_contains(&two, &two));
    assert_true(kith_signature_contains(&two, &empty));
    assert_true(kith_signature_contains(&empty, &empty));
    assert_false(kith_signature_contains(&one, &two));
    assert_false(kith_signature_contains(&two, &other));
    assert_false(kith_signature_contains(&empty, &one));
}

static void intersects_asks_for_one_component_of_the_part(void **state)
{
    test_fixture  *f     = *state;
    kith_signature empty = { 0 };
    kith_signature one   = SIGNATURE(f->world, VELOCITY);
    kith_signature two   = SIGNATURE(f->world, POSITION, VELOCITY);
    kith_signature apart = SIGNATURE(f->world, HEALTH, FROZEN);

    assert_true(kith_signature_intersects(&two, &one));
    assert_true(kith_signature_intersects(&one, &two));
    assert_false(kith_signature_intersects(&two, &apart));
    assert_false(kith_signature_intersects(&two, &empty));
    assert_false(kith_signature_intersects(&empty, &empty));
}

static void contains_and_intersects_look_at_every_word(void **state)
{
    (void)state;
    for (size_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        kith_signature a = { 0 }, b = { 0 };
        a.words[word] = b.words[word] = UINT64_C(1) << 63;
        assert_true(is_same_set(&a, &b));
        assert_int_equal(kith_signature_count(&a), 1);
        b.words[word] |= 1;
        assert_false(is_same_set(&a, &b));
        assert_true(kith_signature_contains(&b, &a));
        assert_false(kith_signature_contains(&a, &b));
        assert_true(kith_signature_intersects(&a, &b));
    }
}

// --- of an entity ----------------------------------------------------------------------------

static void the_signature_of_an_entity_follows_what_it_has(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    position_set(f->world, ship, (vec2){ 1, 2 });
    frozen_add(f->world, ship);
    hidden_add(f->world, ship);
    frozen_remove(f->world, ship);

    kith_signature has      = kith_entity_signature(f->world, ship);
    kith_signature expected = SIGNATURE(f->world, POSITION, HIDDEN);
    assert_true(is_same_set(&has, &expected));
}

static void the_dead_have_an_empty_signature(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    position_set(f->world, ship, (vec2){ 1, 2 });
    kith_entity_destroy(f->world, ship);
    const kith_entity dead[] = { ship, KITH_NULL, handle(0, 2), handle(9999, 1), UINT64_MAX };

    for (size_t i = 0; i < sizeof dead / sizeof dead[0]; i++) {
        kith_signature signature = kith_entity_signature(f->world, dead[i]);
        assert_int_equal(kith_signature_count(&signature), 0);
        assert_int_equal(kith_entity_components(f->world, dead[i], NULL, 0), 0);
    }
    assert_int_equal(f->memory.errors, 0);
}

static void has_all_and_has_any_compare_with_a_signature(void **state)
{
    test_fixture  *f     = *state;
    kith_entity    ship  = kith_entity_create(f->world);
    kith_signature both  = SIGNATURE(f->world, POSITION, HEALTH);
    kith_signature one   = SIGNATURE(f->world, HEALTH);
    kith_signature mixed = SIGNATURE(f->world, HEALTH, FROZEN);
    kith_signature none  = SIGNATURE(f->world, FROZEN, HIDDEN);
    position_add(f->world, ship);
    health_add(f->world, ship);

    assert_true(has_all(f->world, ship, &both));
    assert_true(has_all(f->world, ship, &one));
    assert_false(has_all(f->world, ship, &mixed));
    assert_false(has_all(f->world, ship, &none));
    assert_true(has_any(f->world, ship, &both));
    assert_true(has_any(f->world, ship, &mixed));
    assert_false(has_any(f->world, ship, &none));
}

static void every_entity_has_all_of_nothing_and_none_has_any_of_it(void **state)
{
    test_fixture  *f     = *state;
    kith_entity    bare  = kith_entity_create(f->world);
    kith_entity    ship  = kith_entity_create(f->world);
    kith_signature empty = { 0 };
    position_add(f->world, ship);

    assert_true(has_all(f->world, bare, &empty));
    assert_true(has_all(f->world, ship, &empty));
    assert_false(has_any(f->world, bare, &empty));
    assert_false(has_any(f->world, ship, &empty));
}

static void the_dead_have_what_the_empty_set_has(void **state)
{
    test_fixture     *f        = *state;
    kith_entity       ship     = kith_entity_create(f->world);
    kith_signature    empty    = { 0 };
    kith_signature    position = SIGNATURE(f->world, POSITION);
    const kith_entity dead[]   = { ship, KITH_NULL, handle(0, 0), handle(0, 2), UINT64_MAX };
    position_add(f->world, ship);
    kith_entity_destroy(f->world, ship);

    for (size_t i = 0; i < sizeof dead / sizeof dead[0]; i++) {
        assert_true(has_all(f->world, dead[i], &empty));
        assert_false(has_any(f->world, dead[i], &empty));
        assert_false(has_all(f->world, dead[i], &position));
        assert_false(has_any(f->world, dead[i], &position));
    }
}

static void the_components_of_an_entity_are_listed_in_registration_order(void **state)
{
    test_fixture  *f       = *state;
    kith_entity    ship    = kith_entity_create(f->world);
    kith_component list[5] = { 99, 99, 99, 99, 99 };
    hidden_add(f->world, ship);
    health_add(f->world, ship);
    position_add(f->world, ship);

    assert_int_equal(kith_entity_components(f->world, ship, list, 5), 3);

    const kith_component expected[5] = { POSITION, HEALTH, HIDDEN, 99, 99 };
    assert_memory_equal(list, expected, sizeof expected);
}

static void a_short_list_is_filled_and_the_whole_number_returned(void **state)
{
    test_fixture  *f       = *state;
    kith_entity    ship    = kith_entity_create(f->world);
    kith_component list[3] = { 99, 99, 99 };
    position_add(f->world, ship);
    velocity_add(f->world, ship);
    hidden_add(f->world, ship);

    assert_int_equal(kith_entity_components(f->world, ship, list, 2), 3);
    assert_int_equal(kith_entity_components(f->world, ship, NULL, 0), 3);

    const kith_component expected[3] = { POSITION, VELOCITY, 99 };
    assert_memory_equal(list, expected, sizeof expected);
}

// --- more than one word ----------------------------------------------------------------------

// Registers components with run-time ids until the world knows `count`: tags, flags and values in
// turn. components[n] is the n-th.
static void register_up_to(kith_world *world, kith_component *components, uint32_t count)
{
    const kith_kind kinds[] = { KITH_KIND_TAG, KITH_KIND_FLAG, KITH_KIND_VALUE };
    uint32_t        known   = 0;
    kith_component  id      = 0;
    while ((id = kith_component_next(world, id)) != 0) {
        components[known++] = id;
    }
    for (; known < count; known++) {
        char name[16];
        snprintf(name, sizeof name, "c%u", (unsigned)known);
        kith_component_desc desc = { .name = name, .kind = kinds[known % 3] };
        desc.size                = desc.kind == KITH_KIND_VALUE ? 4 : 0;
        components[known]        = kith_component_register(world, &desc);
        assert_int_not_equal(components[known], 0);
    }
}

static void assert_has_exactly(const kith_world *world, kith_entity entity,
                               const kith_component *components, const uint32_t *bits,
                               uint32_t count)
{
    kith_signature signature = kith_entity_signature(world, entity);
    kith_component listed[64];
    assert_int_equal(kith_signature_count(&signature), count);
    assert_int_equal(kith_entity_components(world, entity, listed, 64), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(signature.words[bits[i] / 64] >> bits[i] % 64 & 1, 1);
        assert_int_equal(listed[i], components[bits[i]]);
        assert_true(kith_component_has(world, entity, components[bits[i]]));
    }
}

#define EDGE_COUNT 9
static const uint32_t edge_bits[EDGE_COUNT] = { 0, 62, 63, 64, 65, 127, 128, 1021, 1022 };

static void components_in_several_words_work_like_the_first(void **state)
{
    test_fixture  *f = *state;
    kith_component components[KITH_COMPONENT_MAX];
    kith_entity    ship = kith_entity_create(f->world);
    register_up_to(f->world, components, KITH_COMPONENT_MAX);

    for (uint32_t i = EDGE_COUNT; i-- > 0;) {
        assert_non_null(kith_component_add(f->world, ship, components[edge_bits[i]], NULL));
    }
    assert_has_exactly(f->world, ship, components, edge_bits, EDGE_COUNT);
    assert_world_valid(f->world);

    for (uint32_t i = EDGE_COUNT; i-- > 1;) {
        assert_true(kith_component_remove(f->world, ship, components[edge_bits[i]]));
        assert_has_exactly(f->world, ship, components, edge_bits, i);
    }
}

static void destroy_clears_every_word(void **state)
{
    test_fixture  *f = *state;
    kith_component components[KITH_COMPONENT_MAX];
    kith_entity    ship = kith_entity_create(f->world);
    register_up_to(f->world, components, KITH_COMPONENT_MAX);
    for (uint32_t i = 0; i < EDGE_COUNT; i++) {
        kith_component_add(f->world, ship, components[edge_bits[i]], NULL);
    }

    kith_entity_destroy(f->world, ship);
    kith_entity heir = kith_entity_create(f->world);

    assert_int_equal(kith_entity_components(f->world, heir, NULL, 0), 0);
    for (uint32_t i = 0; i < EDGE_COUNT; i++) {
        assert_int_equal(kith_component_count(f->world, components[edge_bits[i]]), 0);
        assert_false(kith_component_has(f->world, heir, components[edge_bits[i]]));
    }
}

static void clear_empties_every_word(void **state)
{
    test_fixture  *f = *state;
    kith_component components[KITH_COMPONENT_MAX];
    kith_entity    ship = kith_entity_create(f->world);
    register_up_to(f->world, components, KITH_COMPONENT_MAX);
    for (uint32_t i = 0; i < EDGE_COUNT; i++) {
        kith_component_add(f->world, ship, components[edge_bits[i]], NULL);
    }

    kith_world_clear(f->world);

    kith_entity heir = kith_entity_create(f->world);
    assert_int_equal(kith_entity_index(heir), kith_entity_index(ship));
    assert_int_equal(kith_entity_components(f->world, heir, NULL, 0), 0);
    for (uint32_t i = 0; i < EDGE_COUNT; i++) {
        assert_int_equal(kith_component_count(f->world, components[edge_bits[i]]), 0);
    }
}

static void has_all_and_has_any_look_at_every_word(void **state)
{
    test_fixture  *f = *state;
    kith_component components[130];
    kith_entity    ship = kith_entity_create(f->world);
    register_up_to(f->world, components, 130);
    kith_component_add(f->world, ship, components[3], NULL);
    kith_component_add(f->world, ship, components[129], NULL);

    kith_signature both = SIGNATURE(f->world, components[3], components[129]);
    kith_signature last = SIGNATURE(f->world, components[129]);
    kith_signature miss = SIGNATURE(f->world, components[3], components[128]);

    assert_true(has_all(f->world, ship, &both));
    assert_true(has_any(f->world, ship, &last));
    assert_false(has_all(f->world, ship, &miss));
    kith_component_remove(f->world, ship, components[129]);
    assert_false(has_all(f->world, ship, &both));
    assert_false(has_any(f->world, ship, &last));
}

static void an_entity_may_have_every_component_there_can_be(void **state)
{
    test_fixture  *f = *state;
    kith_component components[KITH_COMPONENT_MAX];
    kith_component listed[KITH_COMPONENT_MAX];
    kith_entity    ship = kith_entity_create(f->world);
    register_up_to(f->world, components, KITH_COMPONENT_MAX);

    for (uint32_t i = 0; i < KITH_COMPONENT_MAX; i++) {
        assert_non_null(kith_component_add(f->world, ship, components[i], NULL));
    }

    assert_int_equal(kith_entity_components(f->world, ship, listed, KITH_COMPONENT_MAX),
                     KITH_COMPONENT_MAX);
    assert_memory_equal(listed, components, sizeof listed);
    assert_true(kith_entity_destroy(f->world, ship));
}

static void a_further_word_is_added_all_or_nothing(void **state)
{
    test_fixture  *f = *state;
    kith_component components[70];
    kith_entity    ship = kith_entity_create(f->world);
    register_up_to(f->world, components, 70);
    position_add(f->world, ship);

    for (uint32_t bit = 64; bit < 67; bit++) { // a flag, a value, a tag
        bool     added = false;
        uint32_t n     = 1;
        for (; !added; n++) {
            test_fail_after(&f->memory, n);
            added = kith_component_add(f->world, ship, components[bit], NULL) != NULL;
            assert_int_equal(kith_component_has(f->world, ship, components[bit]), added);
            assert_world_valid(f->world);
        }
        assert_true(n > 2 || bit > 64);
    }

    assert_error(f->world, KITH_ERROR_MEMORY);
    assert_int_equal(kith_entity_components(f->world, ship, NULL, 0), 4);
}

static void entities_made_before_the_65th_component_can_have_it(void **state)
{
    test_fixture  *f = *state;
    kith_component components[65];
    test_create_many(f->world, 3000);
    hidden_add(f->world, handle(2999, 1));

    register_up_to(f->world, components, 65);
    kith_component_add(f->world, handle(2999, 1), components[64], NULL);

    assert_int_equal(kith_entity_components(f->world, handle(2999, 1), NULL, 0), 2);
    assert_int_equal(kith_entity_components(f->world, handle(2998, 1), NULL, 0), 0);
    assert_int_equal(kith_entity_components(f->world, handle(0, 1), NULL, 0), 0);
}

// Registers `bits` components, and then the three far ones.
static void register_far(kith_world *world, uint32_t bits)
{
    kith_component components[KITH_COMPONENT_MAX];
    register_up_to(world, components, bits);
    assert_true(far_value_register(world));
    assert_true(far_tag_register(world));
    assert_true(far_flag_register(world));
}

static void assert_far(const kith_world *world, kith_entity entity, uint32_t bit, unsigned has)
{
    kith_signature signature = kith_entity_signature(world, entity);
    assert_int_equal(signature.words[bit / 64] >> bit % 64 & 7, has);
    assert_int_equal(far_value_has(world, entity), has & 1);
    assert_int_equal(far_tag_has(world, entity), has >> 1 & 1);
    assert_int_equal(far_flag_has(world, entity), has >> 2);
}

// A page has 1024 entities. After the first of them, inline code adds without a call.
static void assert_typed_calls_reach(kith_world *world, uint32_t bit)
{
    kith_entity first = handle(1, 1);
    kith_entity last  = handle(1099, 1);
    register_far(world, bit);
    test_create_many(world, 1100);
    for (uint32_t index = 0; index < 1100; index++) {
        assert_int_equal(*far_value_set(world, handle(index, 1), (int)index), index);
        assert_true(far_tag_add(world, handle(index, 1)));
    }
    assert_far(world, first, bit, 3);
    assert_far(world, last, bit, 3);
    assert_true(far_flag_add(world, last));
    assert_true(far_value_remove(world, last));
    assert_far(world, last, bit, 6);
    assert_world_valid(world);

    assert_int_equal(*far_value_set(world, first, 7), 7); // replaces
    assert_int_equal(*far_value_get(world, first), 7);
    assert_true(far_tag_remove(world, first));
    assert_true(far_value_remove(world, first));
    assert_false(far_value_remove(world, first));
    assert_far(world, first, bit, 0);
    assert_world_valid(world);

    assert_true(kith_entity_destroy(world, last));
    assert_true(kith_component_clear(world, FAR_VALUE) && kith_component_clear(world, FAR_TAG));
    assert_true(kith_world_shrink(world)); // the words go, too
    assert_non_null(far_value_set(world, first, 8));
    assert_far(world, first, bit, 1);
    assert_world_valid(world);
}

static void typed_calls_reach_the_second_word(void **state)
{
    test_fixture *f = *state;
    assert_typed_calls_reach(f->world, 64);
}

static void typed_calls_reach_the_fourth_word(void **state)
{
    test_fixture *f = *state;
    assert_typed_calls_reach(f->world, 200);
}

static void typed_calls_reach_the_last_word(void **state)
{
    test_fixture *f = *state;
    assert_typed_calls_reach(f->world, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(zeroed_memory_is_the_empty_signature),
        TEST_WORLD(a_component_can_be_put_in_and_taken_out),
        cmocka_unit_test(bits_are_numbered_in_registration_order),
        TEST_WORLD(a_component_without_a_bit_cannot_be_put_in),
        TEST_WORLD(singletons_take_no_bit),
        TEST_WORLD(contains_asks_for_every_component_of_the_part),
        TEST_WORLD(intersects_asks_for_one_component_of_the_part),
        cmocka_unit_test(contains_and_intersects_look_at_every_word),
        TEST_WORLD(the_signature_of_an_entity_follows_what_it_has),
        TEST_WORLD(the_dead_have_an_empty_signature),
        TEST_WORLD(has_all_and_has_any_compare_with_a_signature),
        TEST_WORLD(every_entity_has_all_of_nothing_and_none_has_any_of_it),
        TEST_WORLD(the_dead_have_what_the_empty_set_has),
        TEST_WORLD(the_components_of_an_entity_are_listed_in_registration_order),
        TEST_WORLD(a_short_list_is_filled_and_the_whole_number_returned),
        TEST_WORLD(components_in_several_words_work_like_the_first),
        TEST_WORLD(destroy_clears_every_word),
        TEST_WORLD(clear_empties_every_word),
        TEST_WORLD(has_all_and_has_any_look_at_every_word),
        TEST_WORLD(an_entity_may_have_every_component_there_can_be),
        TEST_WORLD(a_further_word_is_added_all_or_nothing),
        TEST_WORLD(entities_made_before_the_65th_component_can_have_it),
        TEST_WORLD(typed_calls_reach_the_second_word),
        TEST_WORLD(typed_calls_reach_the_fourth_word),
        TEST_WORLD(typed_calls_reach_the_last_word),
    };
    return cmocka_run_group_tests_name("signature", tests, NULL, NULL);
}
