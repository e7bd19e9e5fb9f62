// SPDX-License-Identifier: MIT
// The hash of content: what changes it, what does not, and its definition.
#include "merge_test.h"

static uint64_t content_of(const kith_world *world, const kith_save_desc *selection)
{
    uint64_t hash = 0;
    assert_true(kith_world_hash_content(world, selection, &hash));
    return hash;
}

static uint64_t full_of(const kith_world *world)
{
    uint64_t hash = 0;
    assert_true(kith_world_hash_full(world, KITH_ALL, &hash));
    return hash;
}

static kith_entity made(kith_world *world, uint32_t index)
{
    return kith_entity_create_hint(world, handle(index, 1));
}

static void give(kith_world *world, kith_entity entity, uint32_t number)
{
    char text[8];
    snprintf(text, sizeof text, "t%u", (unsigned)number);
    pace_set(world, entity, (int32_t)number);
    spot_set(world, entity, (place){ 1, (uint16_t)number, 2 });
    title_set(world, entity, (label){ text });
    mark_add(world, entity);
    asleep_add(world, entity);
}

static void link_up(kith_world *world, kith_entity parent, kith_entity child)
{
    kith_component_add(world, parent, TREE, NULL);
    kith_component_add(world, child, TREE, NULL);
    assert_true(kith_hierarchy_append(world, TREE, parent, child));
}

// --- what does not change it -----------------------------------------------------------------

static void an_empty_world_has_the_hash_0(void **state)
{
    const pair *p = *state;
    assert_int_equal(content_of(p->world, NULL), 0);
}

static void rows_groups_and_the_past_do_not_count(void **state)
{
    pair *p = *state;
    for (uint32_t i = 1; i <= 20; i++) {
        give(p->world, made(p->world, i), i);
    }
    for (uint32_t i = 20; i >= 1; i--) {
        kith_entity other = kith_entity_create_hint(p->far, handle(i + 100, 1));
        give(p->far, made(p->far, i), i);
        give(p->far, other, 5);
        kith_entity_destroy(p->far, other);
    }
    for (uint32_t i = 3; i <= 20; i++) {
        link_up(p->world, handle(2, 1), handle(i, 1));
        kith_component_add(p->far, handle(23 - i, 1), TREE, NULL);
    }
    for (uint32_t i = 3; i <= 20; i++) {
        link_up(p->far, handle(2, 1), handle(i, 1));
    }
    bond_set(p->world, handle(1, 1), (bond){ 1, handle(2, 1), 0 });
    bond_set(p->far, handle(1, 1), (bond){ 1, handle(2, 1), 9 });
    spot_sort_by(p->far, KITH_KEY(place, floor));
    kith_world_advance(p->far);
    cache_set(p->far, handle(3, 1), 5);

    assert_int_equal(content_of(p->world, NULL), content_of(p->far, NULL));
    assert_int_not_equal(full_of(p->world), full_of(p->far));
}

static void a_loaded_world_and_a_clone_have_the_same_content(void **state)
{
    pair *p = *state;
    act_often(p->world, test_seed(), 400);
    kith_bytes bytes = saved(p->world);
    load(p->far, &bytes);
    cache_clear(p->world);
    kith_world *clone = kith_world_clone(p->world, NULL);

    assert_int_equal(content_of(p->far, NULL), content_of(p->world, NULL));
    assert_int_equal(content_of(clone, NULL), content_of(p->world, NULL));
    kith_world_destroy(clone);
    kith_bytes_free(&bytes);
}

static void a_handle_of_a_dead_entity_counts_as_null(void **state)
{
    pair       *p    = *state;
    kith_entity a    = kith_entity_create(p->world);
    kith_entity dead = kith_entity_create(p->world);
    kith_entity_destroy(p->world, dead);
    bond_set(p->world, a, (bond){ 1, KITH_NULL, 0 });
    uint64_t null = content_of(p->world, NULL);

    bond_set(p->world, a, (bond){ 1, dead, 0 });
    assert_int_equal(content_of(p->world, NULL), null);
    bond_set(p->world, a, (bond){ 1, a, 0 });
    assert_int_not_equal(content_of(p->world, NULL), null);
}

// --- what changes it -------------------------------------------------------------------------

#define CHANGES 18

static void change_one(kith_world *world, kith_entity e, kith_entity other, uint32_t which)
{
    switch (which) {
    case 0:
        kith_entity_destroy(world, other);
        break;
    case 1:
        kith_entity_create(world);
        break;
    case 2:
        pace_set(world, e, 4);
        break;
    case 3:
        spot_mut(world, e)->floor++;
        break;
    case 4:
        title_set(world, e, (label){ "other" });
        break;
    case 5:
        mark_remove(world, e);
        break;
    case 6:
        asleep_remove(world, e);
        break;
    case 7:
        mark_add(world, other);
        break;
    case 8:
        asleep_add(world, other);
        break;
    case 9:
        pace_disable(world, e);
        break;
    case 10:
        mark_disable(world, e);
        break;
    case 11:
        year_set(world, (place){ 1, 2, 4 });
        break;
    case 12:
        year_remove(world);
        break;
    case 13:
        crown_set(world, (bond){ 1, other, 0 });
        break;
    case 14:
        bond_set(world, e, (bond){ 1, other, 0 });
        break;
    case 15:
        kith_hierarchy_detach(world, TREE, handle(5, 1));
        break;
    case 16: // another order
        kith_hierarchy_append(world, TREE, handle(4, 1), handle(5, 1));
        break;
    default:
        kith_component_enable(world, handle(5, 1), TREE, false);
    }
}

static void each_change_changes_it_and_no_two_alike(void **state)
{
    uint64_t seen[CHANGES + 1];
    (void)state;
    for (uint32_t i = 0; i <= CHANGES; i++) {
        test_memory memory = { 0 };
        kith_world *world  = make_world(&memory, (kith_world_desc){ 0 });
        register_realm(world);
        for (uint32_t k = 1; k <= 8; k++) {
            made(world, k);
        }
        give(world, handle(3, 1), 3);
        bond_set(world, handle(3, 1), (bond){ 1, handle(3, 1), 0 });
        year_set(world, (place){ 1, 2, 3 });
        link_up(world, handle(4, 1), handle(5, 1));
        link_up(world, handle(4, 1), handle(6, 1));
        if (i < CHANGES) {
            change_one(world, handle(3, 1), handle(7, 1), i);
        }
        seen[i] = content_of(world, NULL);
        test_world_end(world, &memory);
        for (uint32_t k = 0; k < i; k++) {
            assert_int_not_equal(seen[k], seen[i]);
        }
    }
}

// --- selections ------------------------------------------------------------------------------

static void a_selection_hashes_what_is_chosen(void **state)
{
    pair                *p        = *state;
    const kith_component some[]   = { SPEED, MARK };
    const kith_entity    two[]    = { handle(2, 1), handle(3, 1), handle(90, 1) };
    const kith_save_desc columns  = { .components = some, .component_count = 2 };
    const kith_save_desc entities = { .entities = two, .entity_count = 3 };
    const kith_save_desc none     = { .entities = two, .entity_count = 0 };
    for (uint32_t i = 1; i <= 4; i++) {
        give(p->world, made(p->world, i), i);
        pace_set(p->far, made(p->far, i), (int32_t)i);
        mark_add(p->far, handle(i, 1));
    }
    assert_int_equal(content_of(p->world, &columns), content_of(p->far, NULL));
    assert_int_equal(content_of(p->world, &none), 0);

    kith_world *clone = kith_world_clone(p->world, NULL);
    kith_entity_destroy(clone, handle(1, 1));
    kith_entity_destroy(clone, handle(4, 1));
    assert_int_equal(content_of(p->world, &entities), content_of(clone, NULL));
    kith_world_destroy(clone);
}

static void links_and_handles_to_entities_that_are_left_out_do_not_count(void **state)
{
    pair                *p     = *state;
    const kith_entity    two[] = { handle(2, 1), handle(3, 1), handle(4, 1) };
    const kith_save_desc only  = { .entities = two, .entity_count = 3 };
    for (uint32_t i = 1; i <= 5; i++) {
        made(p->world, i);
        made(p->far, i);
    }
    link_up(p->world, handle(1, 1), handle(2, 1));
    link_up(p->world, handle(2, 1), handle(3, 1));
    link_up(p->world, handle(2, 1), handle(5, 1));
    link_up(p->world, handle(2, 1), handle(4, 1));
    link_up(p->far, handle(2, 1), handle(3, 1));
    link_up(p->far, handle(2, 1), handle(4, 1));
    bond_set(p->world, handle(3, 1), (bond){ 7, handle(5, 1), 0 });
    bond_set(p->far, handle(3, 1), (bond){ 7, KITH_NULL, 0 });

    assert_int_equal(content_of(p->world, &only), content_of(p->far, &only));
    assert_int_not_equal(content_of(p->world, NULL), content_of(p->far, NULL));
}

// --- the definition --------------------------------------------------------------------------

// Another program computes the same number: H is XXH3, and these were computed with libxxhash.
static void the_numbers_are_those_of_the_definition(void **state)
{
    pair *p = *state;
    made(p->world, 5);
    assert_int_equal(content_of(p->world, NULL), UINT64_C(0xb42fc156d7130e7a));
    pace_set(p->world, handle(5, 1), 7);
    assert_int_equal(content_of(p->world, NULL), UINT64_C(0xfc7acf66811260ef));
    pace_disable(p->world, handle(5, 1));
    asleep_add(p->world, handle(5, 1));
    assert_int_equal(content_of(p->world, NULL), UINT64_C(0x2fc564abf25d353a));
    link_up(p->world, handle(5, 1), made(p->world, 6));
    year_set(p->world, (place){ 1, 2, 3 });
    assert_int_equal(content_of(p->world, NULL), UINT64_C(0xf5c4e655fe96a9f9));
}

// --- errors ----------------------------------------------------------------------------------

static void refuse(pair *p, const kith_save_desc *selection, uint64_t *hash)
{
    uint32_t errors = p->memory.errors;
    assert_false(kith_world_hash_content(p->world, selection, hash));
    assert_int_equal(p->memory.errors, errors + 1);
}

static void what_cannot_be_hashed_is_refused(void **state)
{
    pair                *p         = *state;
    const kith_component missing   = 999;
    const kith_component speed     = SPEED;
    const kith_save_desc unknown   = { .components = &missing, .component_count = 1 };
    const kith_save_desc good      = { .components = &speed, .component_count = 1 };
    const kith_entity    entity    = kith_entity_create(p->world);
    const kith_save_desc one       = { .entities = &entity, .entity_count = 1 };
    uint64_t             untouched = 5;
    refuse(p, NULL, NULL);
    refuse(p, &unknown, &untouched);
    assert_true(kith_world_hold(p->world));
    refuse(p, NULL, &untouched);
    assert_true(kith_world_release(p->world));
    p->memory.fail_all = true;
    refuse(p, &one, &untouched);
    p->memory.fail_all = false;
    secret_set(p->world, entity, 1);
    refuse(p, NULL, &untouched);
    assert_int_equal(untouched, 5);
    content_of(p->world, &good);
}

typedef struct crowd {
    kith_entity members[80];
} crowd;

KITH_FIELDS(crowd, entity(members));
KITH_COMPONENT_AS(crowd, crowd, 60, fields(crowd));

static void large_values_with_handles_need_memory(void **state)
{
    pair       *p    = *state;
    kith_entity a    = kith_entity_create(p->world);
    crowd       many = { .members = { [79] = a } };
    uint64_t    hash = 5;
    crowd_register(p->world);
    crowd_set(p->world, a, many);
    uint64_t alive     = content_of(p->world, NULL);
    p->memory.fail_all = true;
    refuse(p, NULL, &hash);
    p->memory.fail_all = false;
    assert_int_equal(hash, 5);
    many.members[79] = handle(70, 3);
    crowd_set(p->world, a, many);
    assert_int_not_equal(content_of(p->world, NULL), alive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(an_empty_world_has_the_hash_0),
        PAIR_TEST(rows_groups_and_the_past_do_not_count),
        PAIR_TEST(a_loaded_world_and_a_clone_have_the_same_content),
        PAIR_TEST(a_handle_of_a_dead_entity_counts_as_null),
        cmocka_unit_test(each_change_changes_it_and_no_two_alike),
        PAIR_TEST(a_selection_hashes_what_is_chosen),
        PAIR_TEST(links_and_handles_to_entities_that_are_left_out_do_not_count),
        PAIR_TEST(the_numbers_are_those_of_the_definition),
        PAIR_TEST(what_cannot_be_hashed_is_refused),
        PAIR_TEST(large_values_with_handles_need_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
