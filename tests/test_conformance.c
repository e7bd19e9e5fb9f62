// SPDX-License-Identifier: MIT
// What a user of EnTT expects of a sparse-set library, with kith's answers: its test suite's topics
// one by one, every misuse that is an assertion or undefined there, and the cases in which its
// behaviour surprised us. Signals, views and iteration are in test_conformance_loop.c; groups,
// sorting and reactive sets are not here yet.
#include "conformance_test.h"

static void assert_created(kith_world *world, uint32_t index, uint32_t version)
{
    assert_int_equal(kith_entity_create(world), handle(index, version));
}

// --- 1. identifiers --------------------------------------------------------------------------

static void ids_keep_their_index_and_version(void **state)
{
    (void)state;

    kith_entity entity = kith_entity_make(0x7fffffff, UINT32_MAX);

    assert_int_equal(entity, UINT64_C(0xffffffff7fffffff));
    assert_int_equal(kith_entity_index(entity), 0x7fffffff);
    assert_int_equal(kith_entity_version(entity), UINT32_MAX);
}

static void ids_next_version_comes_with_destroying(void **state)
{
    test_fixture *f      = *state;
    kith_entity   entity = kith_entity_create(f->world);

    kith_entity_destroy(f->world, entity);

    assert_int_equal(version_of_slot(f->world, entity), 2);
    assert_created(f->world, 0, 2);
}

static void ids_null_is_never_alive(void **state)
{
    test_fixture *f = *state;
    kith_entity_create(f->world);

    assert_false(kith_entity_alive(f->world, KITH_NULL));
    assert_quiet_no(&f->memory, f->world, kith_entity_destroy(f->world, KITH_NULL));
}

static void ids_zeroed_memory_holds_no_entity(void **state)
{
    test_fixture *f      = *state;
    kith_entity   zeroed = { 0 };

    kith_entity first = kith_entity_create(f->world);

    assert_int_equal(kith_entity_index(first), 0);
    assert_int_not_equal(first, zeroed);
    assert_false(kith_entity_alive(f->world, zeroed));
}

static void ids_exhaustion_is_a_failure_value(void **state)
{
    test_fixture *f = *state;
    test_remake(f, (kith_world_desc){ .index_bits = 2 });
    kith_entity all[4];
    create_many(f->world, all, 4);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT, kith_entity_create(f->world));
}

static void ids_hint_of_a_free_slot_is_returned_exactly(void **state)
{
    test_fixture *f = *state;
    kith_entity   all[3];
    create_many(f->world, all, 3);
    kith_entity_destroy(f->world, all[1]);

    assert_int_equal(kith_entity_create_hint(f->world, handle(1, 5)), handle(1, 5));
    assert_int_equal(kith_entity_create_hint(f->world, handle(9, 1)), handle(9, 1));
}

static void ids_hint_of_an_occupied_slot_gives_a_fresh_one(void **state)
{
    test_fixture *f = *state;
    kith_entity   all[3];
    create_many(f->world, all, 3);

    assert_int_equal(kith_entity_create_hint(f->world, all[1]), handle(3, 1));
    assert_int_equal(kith_entity_create_hint(f->world, handle(1, 9)), handle(4, 1));
    assert_true(kith_entity_alive(f->world, all[1]));
}

static void ids_hint_beyond_the_range_is_refused(void **state)
{
    test_fixture *f = *state;
    test_remake(f, (kith_world_desc){ .index_bits = 4, .version_bits = 4 });

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_entity_create_hint(f->world, handle(16, 1)));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             kith_entity_create_hint(f->world, handle(3, 16)));
}

static void ids_hint_that_is_stale_gives_a_fresh_one(void **state)
{
    test_fixture *f   = *state;
    kith_entity   old = kith_entity_create(f->world);
    kith_entity_destroy(f->world, old);

    assert_int_equal(kith_entity_create_hint(f->world, old), handle(0, 2));

    assert_false(kith_entity_alive(f->world, old));
}

static void ids_hint_of_a_retired_slot_gives_a_fresh_one(void **state)
{
    test_fixture *f = *state;
    test_remake(f, (kith_world_desc){ .version_bits = 1 });
    kith_entity once = kith_entity_create(f->world);
    kith_entity_destroy(f->world, once);

    assert_int_equal(kith_entity_create_hint(f->world, once), handle(1, 1));

    assert_int_equal(kith_world_stats(f->world).retired, 1);
}

static void ids_range_create_drains_free_slots_first(void **state)
{
    test_fixture *f = *state;
    kith_entity   all[3];
    kith_entity   range[4] = { KITH_NULL };
    create_many(f->world, all, 3);
    kith_entity_destroy(f->world, all[0]);
    kith_entity_destroy(f->world, all[2]);

    assert_true(kith_entity_create_hints(f->world, range, 4, range));

    const kith_entity expected[4] = { handle(2, 2), handle(0, 2), handle(3, 1), handle(4, 1) };
    assert_memory_equal(range, expected, sizeof expected);
}

static void ids_lifo_order_gives_the_newest_free_slot(void **state)
{
    test_fixture *f = *state;
    test_remake(f, (kith_world_desc){ .free_order = KITH_FREE_LIFO });
    kith_entity all[3];
    create_many(f->world, all, 3);
    kith_entity_destroy(f->world, all[0]);
    kith_entity_destroy(f->world, all[1]);

    assert_created(f->world, 1, 2);
    assert_created(f->world, 0, 2);
}

static void ids_fifo_order_gives_the_oldest_free_slot(void **state)
{
    test_fixture *f = *state;
    test_remake(f, (kith_world_desc){ .free_order = KITH_FREE_FIFO });
    kith_entity all[3];
    create_many(f->world, all, 3);
    kith_entity_destroy(f->world, all[0]);
    kith_entity_destroy(f->world, all[1]);

    assert_created(f->world, 0, 2);
    assert_created(f->world, 1, 2);
}

static void ids_forced_version_is_a_hint_that_goes_forward_only(void **state)
{
    test_fixture *f = *state;

    assert_int_equal(kith_entity_create_hint(f->world, handle(0, 7)), handle(0, 7));
    kith_entity_destroy(f->world, handle(0, 7));

    assert_int_equal(kith_entity_create_hint(f->world, handle(0, 3)), handle(0, 8));
}

// --- 2. sparse set, under both policies ------------------------------------------------------

static uint32_t number_of(const test_fixture *f, kith_entity entity)
{
    const uint32_t *value = kith_component_get(f->world, entity, BYTES);
    assert_non_null(value);
    return *value;
}

static void push(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(kith_component_row(f->world, entities[i], BYTES), i);
        assert_int_equal(kith_component_entity(f->world, BYTES, i), entities[i]);
    }
}

static void sparse_set_push_appends(void **state)
{
    for_each_policy(*state, push);
}

static void push_into_the_gap(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    kith_component_remove(f->world, entities[0], BYTES);
    kith_component_remove(f->world, entities[1], BYTES);

    kith_component_add(f->world, entities[0], BYTES, NULL);
    kith_component_add(f->world, entities[1], BYTES, NULL);

    assert_int_equal(kith_component_row(f->world, entities[0], BYTES), is_stable(f) ? 1 : 3);
    assert_int_equal(kith_component_row(f->world, entities[1], BYTES), is_stable(f) ? 0 : 4);
}

static void sparse_set_push_fills_holes_of_a_stable_pool_newest_first(void **state)
{
    for_each_policy(*state, push_into_the_gap);
}

static void erase(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);

    assert_true(kith_component_remove(f->world, entities[1], BYTES));

    assert_int_equal(kith_component_count(f->world, BYTES), 4);
    assert_int_equal(kith_component_stats(f->world, BYTES).rows, is_stable(f) ? 5 : 4);
    assert_int_equal(kith_component_row(f->world, entities[4], BYTES), is_stable(f) ? 4 : 1);
    assert_int_equal(number_of(f, entities[4]), 4);
}

static void sparse_set_erase_and_remove_are_one_call(void **state)
{
    for_each_policy(*state, erase);
}

static void cross_erase(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    position_set(f->world, entities[1], (vec2){ 0, 0 });
    position_set(f->world, entities[3], (vec2){ 0, 0 });

    for (uint32_t row = 0; row < position_rows(f->world); row++) {
        assert_true(kith_component_remove(f->world, position_entity(f->world, row), BYTES));
    }

    assert_int_equal(kith_component_count(f->world, BYTES), 3);
    assert_false(kith_component_has(f->world, entities[3], BYTES));
    assert_true(kith_component_has(f->world, entities[4], BYTES));
}

static void sparse_set_cross_erase_takes_the_members_of_another_pool(void **state)
{
    for_each_policy(*state, cross_erase);
}

static void compact(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    kith_component_remove(f->world, entities[0], BYTES);

    assert_true(kith_component_compact(f->world, BYTES));

    assert_int_equal(kith_component_stats(f->world, BYTES).rows, 4);
    assert_int_equal(kith_component_row(f->world, entities[4], BYTES), 0);
    assert_int_equal(number_of(f, entities[4]), 4);
}

static void sparse_set_compact_leaves_no_hole(void **state)
{
    for_each_policy(*state, compact);
}

static void swap(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);

    if (is_stable(f)) {
        assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_POLICY,
                                 kith_component_swap(f->world, BYTES, entities[0], entities[4]));
        return;
    }
    assert_true(kith_component_swap(f->world, BYTES, entities[0], entities[4]));
    assert_int_equal(kith_component_row(f->world, entities[0], BYTES), 4);
    assert_int_equal(number_of(f, entities[0]), 0);
}

static void sparse_set_swap_exchanges_rows_where_they_may_move(void **state)
{
    for_each_policy(*state, swap);
}

static void clear(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);

    assert_true(kith_component_clear(f->world, BYTES));

    assert_int_equal(kith_component_stats(f->world, BYTES).rows, 0);
    assert_true(kith_component_stats(f->world, BYTES).capacity >= 5);
    push(f, entities);
}

static void sparse_set_clear_keeps_the_room(void **state)
{
    for_each_policy(*state, clear);
}

static void shrink(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    kith_component_clear(f->world, BYTES);

    assert_true(kith_component_shrink(f->world, BYTES));

    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, 0);
    assert_int_equal(kith_world_memory(f->world, BYTES).sparse, 0);
    push(f, entities);
}

static void sparse_set_shrink_frees_pages_without_members(void **state)
{
    for_each_policy(*state, shrink);
}

static void paging(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    const void *first = kith_component_get(f->world, entities[0], BYTES);
    kith_entity far   = kith_entity_create_hint(f->world, handle(100000, 1));

    kith_component_add(f->world, far, BYTES, NULL);

    size_t page = kith_world_memory(f->world, BYTES).sparse / 2;
    assert_true(page <= 4096 * sizeof(uint64_t));
    assert_ptr_equal(kith_component_get(f->world, entities[0], BYTES), first);
    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, 6);
}

static void sparse_set_paging_touches_only_the_pages_in_use(void **state)
{
    for_each_policy(*state, paging);
}

static void null_pages(test_fixture *f, kith_entity *entities)
{
    kith_entity far = kith_entity_create_hint(f->world, handle(100000, 1));
    assert_false(kith_component_has(f->world, entities[0], BYTES));

    kith_component_add(f->world, far, BYTES, NULL);

    assert_false(kith_component_has(f->world, entities[0], BYTES));
    assert_false(kith_component_has(f->world, handle(50000, 1), BYTES));
    assert_false(kith_component_has(f->world, handle(200000, 1), BYTES));
    assert_true(kith_component_has(f->world, far, BYTES));
}

static void sparse_set_null_pages_answer_no(void **state)
{
    for_each_policy(*state, null_pages);
}

static void versions(test_fixture *f, kith_entity *entities)
{
    fill(f, entities);
    kith_entity_destroy(f->world, entities[2]);
    kith_entity again = kith_entity_create(f->world);

    assert_int_equal(again, handle(2, 2));
    assert_false(kith_component_has(f->world, again, BYTES));
    kith_component_add(f->world, again, BYTES, NULL);
    assert_false(kith_component_has(f->world, entities[2], BYTES));
}

static void sparse_set_contains_looks_at_the_version(void **state)
{
    for_each_policy(*state, versions);
}

// --- 3. storage ------------------------------------------------------------------------------

static void storage_emplace_is_add_or_set(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_entity   buoy = kith_entity_create(f->world);

    assert_float_equal(position_add(f->world, ship)->x, 0, 0);
    assert_float_equal(position_set(f->world, buoy, (vec2){ 3, 4 })->x, 3, 0);
}

static void storage_patch_changes_in_place(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    int          *kept = health_set(f->world, ship, 21);

    assert_ptr_equal(health_patch(f->world, ship, double_health, NULL), kept);

    assert_int_equal(*kept, 42);
}

static void storage_get_gives_null_where_there_is_nothing(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    assert_quiet_no(&f->memory, f->world, health_get(f->world, ship));
}

static void set_position_from_inside(void *context)
{
    test_fixture *f = context;
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY,
                   position_set(f->world, handle(0, 1), (vec2){ 1, 1 }));
}

static void storage_reentrant_constructor_and_destructor_are_refused(void **state)
{
    test_fixture *f     = *state;
    journal      *log   = calloc(1, sizeof *log);
    tracker       track = { .journal = log, .name = "body" };
    kith_entity   ship  = kith_entity_create(f->world);
    log->intrude        = set_position_from_inside;
    log->intruder       = f;
    register_one(f->world, tracked_desc(BYTES, &track));

    assert_non_null(kith_component_add(f->world, ship, BYTES, NULL));
    assert_true(kith_component_remove(f->world, ship, BYTES));

    assert_int_equal(f->memory.errors, 2);
    assert_false(position_has(f->world, ship));
    assert_journal(log, "body construct 0, body destruct 0");
    free(log);
}

static void storage_pinned_values_live_in_a_stable_pool(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = bytes_desc(STONE, 4, 4);
    kith_entity         entities[100];
    desc.traits.policy = KITH_POLICY_STABLE;
    register_one(f->world, desc);
    create_many(f->world, entities, 100);
    const void *first = kith_component_add(f->world, entities[0], STONE, NULL);

    for (uint32_t i = 1; i < 100; i++) {
        kith_component_add(f->world, entities[i], STONE, NULL);
        kith_component_remove(f->world, entities[i / 2 + 1], STONE);
    }

    assert_ptr_equal(kith_component_get(f->world, entities[0], STONE), first);
}

static void storage_page_size_and_alignment_are_the_components_choice(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = bytes_desc(BYTES, 192, 1);
    desc.traits.page_rows    = 8;
    desc.traits.alignment    = 64;
    register_one(f->world, desc);

    const void *value = kith_component_add(f->world, kith_entity_create(f->world), BYTES, NULL);
    const void *next  = kith_component_add(f->world, kith_entity_create(f->world), BYTES, NULL);

    assert_int_equal((uintptr_t)value % 64, 0);
    assert_int_equal((uintptr_t)next % 64, 0);
    assert_int_equal(kith_component_stats(f->world, BYTES).capacity, 8);
}

static void storage_allocator_failure_undoes_the_call(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    vec2         *set  = NULL;

    for (uint32_t fail = 1; set == NULL; fail++) {
        text before = dump_world(f->world);
        test_fail_after(&f->memory, fail);
        set = position_set(f->world, ship, (vec2){ 1, 2 });
        if (set == NULL) {
            assert_error(f->world, KITH_ERROR_MEMORY);
            assert_unchanged(f->world, before);
        } else {
            text_free(&before);
        }
    }

    assert_true(f->memory.failed > 0);
    assert_float_equal(set->y, 2, 0);
}

// --- 4. tags and named pools -----------------------------------------------------------------

static void tags_have_members_and_no_bytes(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    assert_true(frozen_add(f->world, ship));

    assert_true(frozen_has(f->world, ship));
    assert_int_equal(kith_world_memory(f->world, FROZEN).values, 0);
    assert_int_equal(kith_component_describe(f->world, FROZEN)->size, 0);
}

static void named_pools_of_one_type_are_components_of_their_own(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = position_desc();
    kith_entity         ship = kith_entity_create(f->world);
    desc.name                = "start";
    desc.id                  = 0;

    kith_component start = kith_component_register(f->world, &desc);
    kith_component_set(f->world, ship, start, &(vec2){ 9, 9 });

    assert_int_equal(start, KITH_COMPONENT_MAX);
    assert_int_equal(kith_component_find(f->world, "start"), start);
    assert_false(position_has(f->world, ship));
    assert_true(kith_component_has(f->world, ship, start));
}

// --- 11. context -----------------------------------------------------------------------------

static const kith_component_desc season = {
    .name = "season", .id = SEASON, .kind = KITH_KIND_SINGLETON, .size = 4, .alignment = 4
};

static void context_emplace_keeps_what_is_there(void **state)
{
    test_fixture *f = *state;
    register_one(f->world, season);
    int *kept = kith_singleton_set(f->world, SEASON, &(int){ 3 });

    assert_ptr_equal(kith_singleton_add(f->world, SEASON), kept);

    assert_int_equal(*kept, 3);
}

static void context_assign_replaces_at_the_same_address(void **state)
{
    test_fixture *f = *state;
    register_one(f->world, season);
    int *kept = kith_singleton_set(f->world, SEASON, &(int){ 3 });

    assert_ptr_equal(kith_singleton_set(f->world, SEASON, &(int){ 4 }), kept);

    assert_int_equal(*(const int *)kith_singleton_get(f->world, SEASON), 4);
}

static void context_erase_says_whether_there_was_one(void **state)
{
    test_fixture *f = *state;
    register_one(f->world, season);
    kith_singleton_add(f->world, SEASON);

    assert_true(kith_singleton_remove(f->world, SEASON));

    assert_quiet_no(&f->memory, f->world, kith_singleton_remove(f->world, SEASON));
    assert_quiet_no(&f->memory, f->world, kith_singleton_get(f->world, SEASON));
}

static void context_iteration_lists_singletons_among_the_components(void **state)
{
    test_fixture *f = *state;
    register_one(f->world, season);

    assert_int_equal(kith_component_next(f->world, HIDDEN), SEASON);

    assert_int_equal((int)kith_component_describe(f->world, SEASON)->kind, KITH_KIND_SINGLETON);
    assert_int_equal(kith_component_next(f->world, SEASON), 0);
}

// --- misuse ----------------------------------------------------------------------------------

static void misuse_row_of_an_absent_entity_is_no_row(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    assert_int_equal(position_row(f->world, ship), KITH_NO_ROW);
    assert_int_equal(position_row(f->world, UINT64_MAX), KITH_NO_ROW);
    assert_int_equal(f->memory.errors, 0);
}

static void misuse_row_out_of_range_is_null(void **state)
{
    test_fixture *f = *state;

    assert_int_equal(position_entity(f->world, 0), KITH_NULL);
    assert_null(position_value(f->world, UINT32_MAX));
    assert_int_equal(f->memory.errors, 0);
}

static void misuse_pushing_null_is_an_error(void **state)
{
    test_fixture *f = *state;

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_NULL_ENTITY,
                             position_set(f->world, KITH_NULL, (vec2){ 0, 0 }));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_NULL_ENTITY,
                             frozen_add(f->world, KITH_NULL));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_NULL_ENTITY,
                             hidden_add(f->world, KITH_NULL));
}

static void misuse_pushing_all_ones_is_an_error(void **state)
{
    test_fixture *f = *state;

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_DEAD_ENTITY,
                             position_set(f->world, UINT64_MAX, (vec2){ 0, 0 }));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_DEAD_ENTITY,
                             hidden_add(f->world, UINT64_MAX));
}

static void misuse_pushing_a_present_member_replaces_or_keeps(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    position_set(f->world, ship, (vec2){ 1, 1 });

    assert_float_equal(position_add(f->world, ship)->x, 1, 0);
    assert_float_equal(position_set(f->world, ship, (vec2){ 2, 2 })->x, 2, 0);

    assert_int_equal(position_count(f->world), 1);
}

static void misuse_erasing_an_absent_member_answers_no(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    assert_quiet_no(&f->memory, f->world, position_remove(f->world, ship));
    assert_quiet_no(&f->memory, f->world, frozen_remove(f->world, ship));
    assert_quiet_no(&f->memory, f->world, hidden_remove(f->world, ship));
}

static void misuse_patching_an_absent_value_answers_null(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    assert_quiet_no(&f->memory, f->world, health_patch(f->world, ship, double_health, NULL));
}

static void misuse_patching_a_dead_entity_is_an_error(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_entity_destroy(f->world, ship);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_DEAD_ENTITY,
                             health_patch(f->world, ship, double_health, NULL));
}

static void misuse_swapping_an_absent_member_answers_no(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_entity   buoy = kith_entity_create(f->world);
    position_add(f->world, ship);

    assert_quiet_no(&f->memory, f->world, position_swap(f->world, ship, buoy));
}

static void misuse_destroying_twice_answers_no(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    assert_true(kith_entity_destroy(f->world, ship));

    assert_quiet_no(&f->memory, f->world, kith_entity_destroy(f->world, ship));
    assert_quiet_no(&f->memory, f->world, kith_entity_destroy(f->world, UINT64_MAX));
    assert_int_equal(version_of_slot(f->world, ship), 2);
}

static void misuse_a_foreign_worlds_entity_is_dead_here(void **state)
{
    test_fixture *f      = *state;
    test_memory   memory = { 0 };
    kith_world   *other  = test_world(&memory);
    kith_entity_create(other);
    kith_entity foreign = kith_entity_create(other);
    kith_entity_create(f->world);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_DEAD_ENTITY,
                             position_set(f->world, foreign, (vec2){ 0, 0 }));
    assert_quiet_no(&f->memory, f->world, kith_entity_destroy(f->world, foreign));

    test_world_end(other, &memory);
}

static void misuse_setting_on_a_dead_entity_is_an_error(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    position_add(f->world, ship);
    kith_entity_destroy(f->world, ship);
    kith_entity_create(f->world);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_DEAD_ENTITY,
                             position_set(f->world, ship, (vec2){ 0, 0 }));
    assert_error_text(f->world, "position_set: entity 0v1 " TEST_DESTROYED("1", "at version 2"));
}

static void misuse_one_name_with_two_types_is_a_conflict(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = position_desc();
    desc.size                = 12;

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_CONFLICT,
                             kith_component_register(f->world, &desc));
    desc      = position_desc();
    desc.name = "place";
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_CONFLICT,
                             kith_component_register(f->world, &desc));
}

static void misuse_an_unregistered_component_is_an_error_not_a_new_pool(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                             kith_component_add(f->world, ship, BYTES, NULL));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                             kith_component_add(f->world, ship, 0, NULL));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_UNREGISTERED,
                             kith_component_add(f->world, ship, UINT32_MAX, NULL));
}

static void misuse_a_page_size_that_is_no_power_of_two_is_refused(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = bytes_desc(BYTES, 4, 4);
    desc.traits.page_rows    = 3;

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_component_register(f->world, &desc));
}

static void misuse_stable_pools_need_no_version_bits(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = bytes_desc(STONE, 4, 4);
    desc.traits.policy       = KITH_POLICY_STABLE;
    test_remake(f, (kith_world_desc){ .version_bits = 1 });
    register_one(f->world, desc);
    kith_entity once = kith_entity_create(f->world);
    kith_component_add(f->world, once, STONE, NULL);

    kith_entity_destroy(f->world, once);

    assert_false(kith_component_has(f->world, once, STONE));
    assert_int_equal(kith_component_count(f->world, STONE), 0);
}

static void misuse_no_component_at_all_is_had_by_all_and_by_none(void **state)
{
    test_fixture  *f       = *state;
    kith_entity    ship    = kith_entity_create(f->world);
    kith_signature nothing = { { 0 } };

    assert_true(has_all(f->world, ship, &nothing));
    assert_false(has_any(f->world, ship, &nothing));
    assert_false(kith_entity_alive(f->world, KITH_NULL));
    assert_false(has_any(f->world, KITH_NULL, &nothing));
}

static void misuse_an_absent_context_variable_is_null(void **state)
{
    test_fixture *f = *state;
    register_one(f->world, season);

    assert_quiet_no(&f->memory, f->world, kith_singleton_get(f->world, SEASON));
    assert_quiet_no(&f->memory, f->world, kith_singleton_mut(f->world, SEASON));
}

static void misuse_a_foreign_instance_has_no_owner(void **state)
{
    test_fixture *f     = *state;
    vec2          local = { 0, 0 };
    position_add(f->world, kith_entity_create(f->world));

    assert_quiet_no(&f->memory, f->world, position_owner(f->world, &local));
}

static void misuse_clearing_from_inside_a_destructor_is_refused(void **state)
{
    test_fixture *f     = *state;
    journal      *log   = calloc(1, sizeof *log);
    tracker       track = { .journal = log, .name = "body" };
    kith_entity   ship  = kith_entity_create(f->world);
    register_one(f->world, tracked_desc(BYTES, &track));
    kith_component_add(f->world, ship, BYTES, NULL);
    log->intrude  = set_position_from_inside;
    log->intruder = f;

    kith_world_clear(f->world);

    assert_int_equal(log->living, 0);
    assert_int_equal(position_count(f->world), 0);
    assert_error(f->world, KITH_ERROR_BUSY);
    text_free(&log->text);
    free(log);
}

// --- probes ----------------------------------------------------------------------------------

static void probe_4_clear_gives_indices_again_in_order_with_new_versions(void **state)
{
    test_fixture *f = *state;
    kith_entity   all[3];
    create_many(f->world, all, 3);

    kith_world_clear(f->world);

    assert_created(f->world, 0, 2);
    assert_created(f->world, 1, 2);
    assert_created(f->world, 2, 2);
    assert_created(f->world, 3, 1);
}

static void probe_5_the_newest_free_index_comes_first(void **state)
{
    test_fixture *f = *state;
    kith_entity   all[3];
    create_many(f->world, all, 3);

    kith_entity_destroy(f->world, all[0]);
    kith_entity_destroy(f->world, all[2]);
    kith_entity_destroy(f->world, all[1]);

    assert_created(f->world, 1, 2);
    assert_created(f->world, 2, 2);
    assert_created(f->world, 0, 2);
    assert_created(f->world, 3, 1);
}

static void probe_6_a_hint_with_an_old_version_revives_no_stale_handle(void **state)
{
    test_fixture *f     = *state;
    kith_entity   first = kith_entity_create(f->world);
    kith_entity_destroy(f->world, first);
    kith_entity second = kith_entity_create(f->world);
    kith_entity_destroy(f->world, second);

    assert_int_equal(kith_entity_create_hint(f->world, first), handle(0, 3));

    assert_false(kith_entity_alive(f->world, first));
    assert_false(kith_entity_alive(f->world, second));
}

static void probe_13_an_index_is_retired_when_its_versions_are_used_up(void **state)
{
    test_fixture *f = *state;
    test_remake(f, (kith_world_desc){ .version_bits = 12, .free_order = KITH_FREE_LIFO });

    for (uint32_t version = 1; version <= 4095; version++) {
        assert_created(f->world, 0, version);
        assert_true(kith_entity_destroy(f->world, handle(0, version)));
    }

    assert_created(f->world, 1, 1);
    assert_int_equal(kith_world_stats(f->world).retired, 1);
    assert_false(kith_entity_alive(f->world, handle(0, 1)));
    assert_false(kith_entity_alive(f->world, handle(0, 4095)));
}

static void probe_17_compact_moves_each_row_at_most_once(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = bytes_desc(STONE, 4, 4);
    kith_entity         all[5];
    desc.traits.policy = KITH_POLICY_STABLE;
    register_one(f->world, desc);
    create_many(f->world, all, 5);
    for (uint32_t i = 0; i < 5; i++) {
        kith_component_add(f->world, all[i], STONE, NULL);
    }
    kith_component_remove(f->world, all[1], STONE);
    kith_component_remove(f->world, all[3], STONE);

    kith_component_compact(f->world, STONE);

    assert_int_equal(kith_component_stats(f->world, STONE).rows, 3);
    assert_int_equal(kith_component_entity(f->world, STONE, 0), all[0]);
    assert_int_equal(kith_component_entity(f->world, STONE, 1), all[4]);
    assert_int_equal(kith_component_entity(f->world, STONE, 2), all[2]);
}

static void probe_20_indices_that_a_hint_jumped_over_come_in_order(void **state)
{
    test_fixture  *f          = *state;
    const uint32_t expected[] = { 0, 1, 2, 3, 4, 6, 7 };

    assert_int_equal(kith_entity_create_hint(f->world, handle(5, 1)), handle(5, 1));

    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        assert_created(f->world, expected[i], 1);
    }
}

static void probe_25_destroying_empties_every_pool_of_a_type(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = position_desc();
    kith_entity         ship = kith_entity_create(f->world);
    desc.name                = "named";
    desc.id                  = NAMED;
    register_one(f->world, desc);
    position_set(f->world, ship, (vec2){ 1, 1 });
    kith_component_set(f->world, ship, NAMED, &(vec2){ 2, 2 });
    assert_float_equal(position_get(f->world, ship)->x, 1, 0);

    kith_entity_destroy(f->world, ship);

    assert_int_equal(position_count(f->world), 0);
    assert_int_equal(kith_component_count(f->world, NAMED), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(ids_keep_their_index_and_version),
        TEST_WORLD(ids_next_version_comes_with_destroying),
        TEST_WORLD(ids_null_is_never_alive),
        TEST_WORLD(ids_zeroed_memory_holds_no_entity),
        TEST_WORLD(ids_exhaustion_is_a_failure_value),
        TEST_WORLD(ids_hint_of_a_free_slot_is_returned_exactly),
        TEST_WORLD(ids_hint_of_an_occupied_slot_gives_a_fresh_one),
        TEST_WORLD(ids_hint_beyond_the_range_is_refused),
        TEST_WORLD(ids_hint_that_is_stale_gives_a_fresh_one),
        TEST_WORLD(ids_hint_of_a_retired_slot_gives_a_fresh_one),
        TEST_WORLD(ids_range_create_drains_free_slots_first),
        TEST_WORLD(ids_lifo_order_gives_the_newest_free_slot),
        TEST_WORLD(ids_fifo_order_gives_the_oldest_free_slot),
        TEST_WORLD(ids_forced_version_is_a_hint_that_goes_forward_only),
        TEST_WORLD(sparse_set_push_appends),
        TEST_WORLD(sparse_set_push_fills_holes_of_a_stable_pool_newest_first),
        TEST_WORLD(sparse_set_erase_and_remove_are_one_call),
        TEST_WORLD(sparse_set_cross_erase_takes_the_members_of_another_pool),
        TEST_WORLD(sparse_set_compact_leaves_no_hole),
        TEST_WORLD(sparse_set_swap_exchanges_rows_where_they_may_move),
        TEST_WORLD(sparse_set_clear_keeps_the_room),
        TEST_WORLD(sparse_set_shrink_frees_pages_without_members),
        TEST_WORLD(sparse_set_paging_touches_only_the_pages_in_use),
        TEST_WORLD(sparse_set_null_pages_answer_no),
        TEST_WORLD(sparse_set_contains_looks_at_the_version),
        TEST_WORLD(storage_emplace_is_add_or_set),
        TEST_WORLD(storage_patch_changes_in_place),
        TEST_WORLD(storage_get_gives_null_where_there_is_nothing),
        TEST_WORLD(storage_reentrant_constructor_and_destructor_are_refused),
        TEST_WORLD(storage_pinned_values_live_in_a_stable_pool),
        TEST_WORLD(storage_page_size_and_alignment_are_the_components_choice),
        TEST_WORLD(storage_allocator_failure_undoes_the_call),
        TEST_WORLD(tags_have_members_and_no_bytes),
        TEST_WORLD(named_pools_of_one_type_are_components_of_their_own),
        TEST_WORLD(context_emplace_keeps_what_is_there),
        TEST_WORLD(context_assign_replaces_at_the_same_address),
        TEST_WORLD(context_erase_says_whether_there_was_one),
        TEST_WORLD(context_iteration_lists_singletons_among_the_components),
        TEST_WORLD(misuse_row_of_an_absent_entity_is_no_row),
        TEST_WORLD(misuse_row_out_of_range_is_null),
        TEST_WORLD(misuse_pushing_null_is_an_error),
        TEST_WORLD(misuse_pushing_all_ones_is_an_error),
        TEST_WORLD(misuse_pushing_a_present_member_replaces_or_keeps),
        TEST_WORLD(misuse_erasing_an_absent_member_answers_no),
        TEST_WORLD(misuse_patching_an_absent_value_answers_null),
        TEST_WORLD(misuse_patching_a_dead_entity_is_an_error),
        TEST_WORLD(misuse_swapping_an_absent_member_answers_no),
        TEST_WORLD(misuse_destroying_twice_answers_no),
        TEST_WORLD(misuse_a_foreign_worlds_entity_is_dead_here),
        TEST_WORLD(misuse_setting_on_a_dead_entity_is_an_error),
        TEST_WORLD(misuse_one_name_with_two_types_is_a_conflict),
        TEST_WORLD(misuse_an_unregistered_component_is_an_error_not_a_new_pool),
        TEST_WORLD(misuse_a_page_size_that_is_no_power_of_two_is_refused),
        TEST_WORLD(misuse_stable_pools_need_no_version_bits),
        TEST_WORLD(misuse_no_component_at_all_is_had_by_all_and_by_none),
        TEST_WORLD(misuse_an_absent_context_variable_is_null),
        TEST_WORLD(misuse_a_foreign_instance_has_no_owner),
        TEST_WORLD(misuse_clearing_from_inside_a_destructor_is_refused),
        TEST_WORLD(probe_4_clear_gives_indices_again_in_order_with_new_versions),
        TEST_WORLD(probe_5_the_newest_free_index_comes_first),
        TEST_WORLD(probe_6_a_hint_with_an_old_version_revives_no_stale_handle),
        TEST_WORLD(probe_13_an_index_is_retired_when_its_versions_are_used_up),
        TEST_WORLD(probe_17_compact_moves_each_row_at_most_once),
        TEST_WORLD(probe_20_indices_that_a_hint_jumped_over_come_in_order),
        TEST_WORLD(probe_25_destroying_empties_every_pool_of_a_type),
    };
    return cmocka_run_group_tests_name("conformance", tests, NULL, NULL);
}
