// SPDX-License-Identifier: MIT
// The verbs on an entity's component: what they answer and leave behind for values, tags and flags,
// and what strange handles get.
#include "query_test.h"

// --- values ----------------------------------------------------------------------------------

static void set_adds_a_copy_where_the_component_is_absent(void **state)
{
    test_fixture *f     = *state;
    kith_entity   ship  = kith_entity_create(f->world);
    vec2          given = { 1, 2 };

    const vec2 *stored = kith_component_set(f->world, ship, POSITION, &given);

    assert_ptr_not_equal(stored, &given);
    assert_memory_equal(stored, &given, sizeof given);
    assert_ptr_equal(kith_component_get(f->world, ship, POSITION), stored);
    assert_true(kith_component_has(f->world, ship, POSITION));
    assert_int_equal(kith_component_count(f->world, POSITION), 1);
}

static void set_replaces_a_present_value_at_its_address(void **state)
{
    test_fixture *f     = *state;
    kith_entity   ship  = kith_entity_create(f->world);
    const vec2   *first = kith_component_set(f->world, ship, POSITION, &(vec2){ 1, 2 });

    const vec2 *second = kith_component_set(f->world, ship, POSITION, &(vec2){ 3, 4 });

    assert_ptr_equal(first, second);
    assert_memory_equal(second, (&(vec2){ 3, 4 }), sizeof *second);
    assert_int_equal(kith_component_count(f->world, POSITION), 1);
}

static void set_without_a_value_zeroes_a_plain_type(void **state)
{
    test_fixture *f      = *state;
    kith_entity   ship   = kith_entity_create(f->world);
    const vec2    zeroes = { 0, 0 };

    const vec2 *added = kith_component_set(f->world, ship, POSITION, NULL);
    assert_memory_equal(added, &zeroes, sizeof zeroes);

    kith_component_set(f->world, ship, POSITION, &(vec2){ 3, 4 });
    const vec2 *replaced = kith_component_set(f->world, ship, POSITION, NULL);
    assert_ptr_equal(replaced, added);
    assert_memory_equal(replaced, &zeroes, sizeof zeroes);
}

static void set_may_copy_from_the_value_itself_and_from_its_own_pool(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_entity   buoy = kith_entity_create(f->world);
    const vec2   *kept = kith_component_set(f->world, ship, POSITION, &(vec2){ 5, 6 });

    assert_ptr_equal(kith_component_set(f->world, ship, POSITION, kept), kept);
    const vec2 *copy = kith_component_set(f->world, buoy, POSITION, kept);

    assert_memory_equal(kept, (&(vec2){ 5, 6 }), sizeof *kept);
    assert_memory_equal(copy, kept, sizeof *kept);
}

static void add_gives_zeroes_where_the_component_is_absent(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    const vec2 *added = kith_component_add(f->world, ship, POSITION, NULL);

    assert_memory_equal(added, (&(vec2){ 0, 0 }), sizeof *added);
    assert_true(kith_component_has(f->world, ship, POSITION));
}

static void add_zeroes_a_row_that_another_value_left(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_component_set(f->world, ship, POSITION, &(vec2){ 7, 8 });
    kith_component_remove(f->world, ship, POSITION);

    const vec2 *added = kith_component_add(f->world, ship, POSITION, NULL);

    assert_memory_equal(added, (&(vec2){ 0, 0 }), sizeof *added);
}

static void add_leaves_a_present_value_alone(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    const vec2   *kept = kith_component_set(f->world, ship, POSITION, &(vec2){ 1, 2 });

    assert_ptr_equal(kith_component_add(f->world, ship, POSITION, NULL), kept);

    assert_memory_equal(kept, (&(vec2){ 1, 2 }), sizeof *kept);
}

static void add_adds_a_copy_where_the_component_is_absent(void **state)
{
    test_fixture *f     = *state;
    kith_entity   ship  = kith_entity_create(f->world);
    kith_entity   buoy  = kith_entity_create(f->world);
    vec2          given = { 1, 2 };

    const vec2 *copied = kith_component_add(f->world, ship, POSITION, &given);
    const vec2 *zeroed = kith_component_add(f->world, buoy, POSITION, NULL);

    assert_memory_equal(copied, &given, sizeof given);
    assert_memory_equal(zeroed, (&(vec2){ 0, 0 }), sizeof given);
}

static void add_gives_a_present_value_untouched(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    const vec2   *kept = kith_component_set(f->world, ship, POSITION, &(vec2){ 1, 2 });

    const vec2 *got = kith_component_add(f->world, ship, POSITION, &(vec2){ 3, 4 });

    assert_ptr_equal(got, kept);
    assert_memory_equal(kept, (&(vec2){ 1, 2 }), sizeof *kept);
}

static void what_mut_changes_get_reads(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_component_set(f->world, ship, POSITION, &(vec2){ 1, 2 });

    vec2 *value = kith_component_mut(f->world, ship, POSITION);
    value->x    = 9;

    const vec2 *read = kith_component_get(f->world, ship, POSITION);
    assert_ptr_equal(read, value);
    assert_float_equal(read->x, 9, 0);
}

static void questions_about_an_absent_component_are_answered_no_without_an_error(void **state)
{
    test_fixture        *f       = *state;
    kith_entity          ship    = kith_entity_create(f->world);
    const kith_component kinds[] = { POSITION, FROZEN, HIDDEN };

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        assert_quiet_no(&f->memory, f->world, kith_component_get(f->world, ship, kinds[i]));
        assert_quiet_no(&f->memory, f->world, kith_component_mut(f->world, ship, kinds[i]));
        assert_quiet_no(&f->memory, f->world, kith_component_has(f->world, ship, kinds[i]));
        assert_quiet_no(&f->memory, f->world, kith_component_remove(f->world, ship, kinds[i]));
        assert_quiet_no(&f->memory, f->world, kith_component_enabled(f->world, ship, kinds[i]));
        assert_quiet_no(&f->memory, f->world,
                        kith_component_patch(f->world, ship, kinds[i], change_nothing, NULL));
    }
}

static void remove_says_whether_the_component_was_there(void **state)
{
    test_fixture        *f       = *state;
    kith_entity          ship    = kith_entity_create(f->world);
    const kith_component kinds[] = { POSITION, FROZEN, HIDDEN };

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        assert_non_null(kith_component_add(f->world, ship, kinds[i], NULL));

        assert_true(kith_component_remove(f->world, ship, kinds[i]));

        assert_quiet_no(&f->memory, f->world, kith_component_remove(f->world, ship, kinds[i]));
        assert_false(kith_component_has(f->world, ship, kinds[i]));
        assert_int_equal(kith_component_count(f->world, kinds[i]), 0);
    }
}

// --- patch -----------------------------------------------------------------------------------

typedef struct patch_call {
    uint32_t calls;
    void    *value;
} patch_call;

static void remember_call(void *value, void *context)
{
    patch_call *call = context;
    call->calls++;
    call->value = value;
}

static void move_right(void *value, void *context)
{
    ((vec2 *)value)->x += *(const float *)context;
}

static void patch_changes_the_value_in_place_and_returns_it(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    const vec2   *kept = kith_component_set(f->world, ship, POSITION, &(vec2){ 1, 2 });
    float         step = 10;

    assert_ptr_equal(kith_component_patch(f->world, ship, POSITION, move_right, &step), kept);

    assert_float_equal(kept->x, 11, 0);
    assert_float_equal(kept->y, 2, 0);
}

static void patch_calls_nothing_where_the_component_is_absent(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    patch_call    call = { 0 };

    assert_quiet_no(&f->memory, f->world,
                    kith_component_patch(f->world, ship, POSITION, remember_call, &call));

    assert_int_equal(call.calls, 0);
}

static void patch_on_a_dead_entity_is_an_error_and_calls_nothing(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    patch_call    call = { 0 };
    kith_component_add(f->world, ship, POSITION, NULL);
    kith_entity_destroy(f->world, ship);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_DEAD_ENTITY,
                             kith_component_patch(f->world, ship, POSITION, remember_call, &call));

    assert_int_equal(call.calls, 0);
}

static void patch_without_a_function_is_an_error(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_component_add(f->world, ship, POSITION, NULL);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_component_patch(f->world, ship, POSITION, NULL, NULL));
}

static void patch_calls_once_for_a_tag_and_a_flag_with_an_address_without_bytes(void **state)
{
    test_fixture        *f       = *state;
    kith_entity          ship    = kith_entity_create(f->world);
    const kith_component kinds[] = { FROZEN, HIDDEN };

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        patch_call call = { 0 };
        kith_component_add(f->world, ship, kinds[i], NULL);

        void *patched = kith_component_patch(f->world, ship, kinds[i], remember_call, &call);

        assert_non_null(patched);
        assert_int_equal(call.calls, 1);
        assert_ptr_equal(call.value, patched);
    }
}

// --- tags and flags --------------------------------------------------------------------------

static void calls_on_a_tag_or_a_flag_give_an_address_without_bytes(void **state)
{
    test_fixture        *f       = *state;
    kith_entity          ship    = kith_entity_create(f->world);
    kith_entity          buoy    = kith_entity_create(f->world);
    kith_entity          gull    = kith_entity_create(f->world);
    const kith_component kinds[] = { FROZEN, HIDDEN };

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        assert_non_null(kith_component_set(f->world, ship, kinds[i], &ship));
        assert_non_null(kith_component_set(f->world, ship, kinds[i], NULL));
        assert_non_null(kith_component_add(f->world, buoy, kinds[i], NULL));
        assert_non_null(kith_component_add(f->world, buoy, kinds[i], NULL));
        assert_non_null(kith_component_add(f->world, gull, kinds[i], &ship));
        assert_non_null(kith_component_get(f->world, ship, kinds[i]));
        assert_non_null(kith_component_mut(f->world, ship, kinds[i]));
        assert_int_equal(kith_component_count(f->world, kinds[i]), 3);
    }
}

static void an_entity_holds_each_kind_on_its_own(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_component_add(f->world, ship, POSITION, NULL);
    kith_component_add(f->world, ship, FROZEN, NULL);
    kith_component_add(f->world, ship, HIDDEN, NULL);

    assert_true(kith_component_remove(f->world, ship, FROZEN));

    assert_true(kith_component_has(f->world, ship, POSITION));
    assert_false(kith_component_has(f->world, ship, FROZEN));
    assert_true(kith_component_has(f->world, ship, HIDDEN));
}

// --- disable and enable ----------------------------------------------------------------------

static void disable_hides_nothing_but_enabled(void **state)
{
    test_fixture        *f       = *state;
    kith_entity          ship    = kith_entity_create(f->world);
    const kith_component kinds[] = { POSITION, FROZEN };

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const void *kept = kith_component_add(f->world, ship, kinds[i], NULL);
        assert_true(kith_component_enabled(f->world, ship, kinds[i]));

        assert_true(kith_component_enable(f->world, ship, kinds[i], false));

        assert_false(kith_component_enabled(f->world, ship, kinds[i]));
        assert_true(kith_component_has(f->world, ship, kinds[i]));
        assert_ptr_equal(kith_component_get(f->world, ship, kinds[i]), kept);
        assert_ptr_equal(kith_component_mut(f->world, ship, kinds[i]), kept);
        assert_int_equal(kith_component_row(f->world, ship, kinds[i]), 0);
        assert_int_equal(kith_component_count(f->world, kinds[i]), 1);
    }
}

static void disable_and_enable_may_be_repeated(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_component_add(f->world, ship, POSITION, NULL);

    assert_true(kith_component_enable(f->world, ship, POSITION, true));
    assert_true(kith_component_enable(f->world, ship, POSITION, false));
    assert_true(kith_component_enable(f->world, ship, POSITION, false));
    assert_false(kith_component_enabled(f->world, ship, POSITION));

    assert_true(kith_component_enable(f->world, ship, POSITION, true));
    assert_true(kith_component_enable(f->world, ship, POSITION, true));
    assert_true(kith_component_enabled(f->world, ship, POSITION));
}

static void disable_and_enable_answer_no_where_the_component_is_absent(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    assert_quiet_no(&f->memory, f->world, kith_component_enable(f->world, ship, POSITION, false));
    assert_quiet_no(&f->memory, f->world, kith_component_enable(f->world, ship, POSITION, true));
    assert_quiet_no(&f->memory, f->world, kith_component_enable(f->world, ship, FROZEN, false));
}

static void a_flag_can_be_neither_disabled_nor_enabled(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_component_add(f->world, ship, HIDDEN, NULL);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_KIND,
                             kith_component_enable(f->world, ship, HIDDEN, false));
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_KIND,
                             kith_component_enable(f->world, ship, HIDDEN, true));
}

static void a_replaced_or_patched_value_stays_disabled(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    float         step = 1;
    kith_component_add(f->world, ship, POSITION, NULL);
    kith_component_enable(f->world, ship, POSITION, false);

    kith_component_set(f->world, ship, POSITION, &(vec2){ 1, 2 });
    kith_component_add(f->world, ship, POSITION, NULL);
    kith_component_patch(f->world, ship, POSITION, move_right, &step);

    assert_false(kith_component_enabled(f->world, ship, POSITION));
}

static void a_component_that_comes_back_is_enabled(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_entity   buoy = kith_entity_create(f->world);
    kith_component_add(f->world, ship, POSITION, NULL);
    kith_component_enable(f->world, ship, POSITION, false);

    kith_component_remove(f->world, ship, POSITION);
    kith_component_add(f->world, buoy, POSITION, NULL);
    kith_component_add(f->world, ship, POSITION, NULL);

    assert_true(kith_component_enabled(f->world, buoy, POSITION));
    assert_true(kith_component_enabled(f->world, ship, POSITION));
}

static void a_cleared_pool_forgets_which_rows_were_disabled(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);
    kith_component_add(f->world, ship, POSITION, NULL);
    kith_component_enable(f->world, ship, POSITION, false);

    kith_component_clear(f->world, POSITION);
    kith_component_add(f->world, ship, POSITION, NULL);

    assert_true(kith_component_enabled(f->world, ship, POSITION));
}

// --- strange handles -------------------------------------------------------------------------

static kith_error_code expected_error(const verb *asked, kith_entity entity)
{
    if ((asked->manners & VERB_DEMANDS) == 0) {
        return KITH_OK;
    }
    return entity == KITH_NULL ? KITH_ERROR_NULL_ENTITY : KITH_ERROR_DEAD_ENTITY;
}

static void assert_verb_refuses(test_fixture *f, const verb *asked, kith_entity entity,
                                kith_component component)
{
    kith_error_code expected = expected_error(asked, entity);
    uint32_t        errors   = f->memory.errors;
    kith_world_error_clear(f->world);

    assert_string_equal(asked->call(f->world, entity, component), asked->no);

    assert_error(f->world, expected);
    assert_int_equal(f->memory.errors, errors + (expected != KITH_OK));
    assert_int_equal(kith_world_error(f->world).entity, expected == KITH_OK ? 0 : entity);
}

static void assert_strangers_refused(test_fixture *f, uint32_t index, kith_component component)
{
    bool        flag   = kith_component_describe(f->world, component)->kind == KITH_KIND_FLAG;
    text        before = dump_world(f->world);
    kith_entity strangers[STRANGERS];
    make_strangers(index, strangers);
    for (size_t i = 0; i < STRANGERS; i++) {
        for (size_t j = 0; j < COUNT_OF(entity_verbs); j++) {
            if (!flag || (entity_verbs[j].manners & VERB_ROWS) == 0) {
                assert_verb_refuses(f, &entity_verbs[j], strangers[i], component);
            }
        }
    }
    assert_unchanged(f->world, before);
}

static void refuse_on_pages_absent_touched_and_emptied(test_fixture *f, uint32_t index,
                                                       kith_component component)
{
    kith_entity entity    = kith_entity_create_hint(f->world, kith_entity_make(index, 1));
    kith_entity neighbour = kith_entity_create_hint(f->world, kith_entity_make(index + 1, 1));
    assert_int_equal(kith_entity_index(neighbour), index + 1);

    assert_strangers_refused(f, index, component);
    kith_component_add(f->world, neighbour, component, NULL);
    assert_strangers_refused(f, index, component);
    kith_component_add(f->world, entity, component, NULL);
    assert_strangers_refused(f, index, component);
    kith_component_remove(f->world, neighbour, component);
    kith_component_remove(f->world, entity, component);
    assert_strangers_refused(f, index, component);
    assert_true(kith_component_has(f->world, entity, component) == false);
    kith_entity_destroy(f->world, entity);
    kith_entity_destroy(f->world, neighbour);
    assert_strangers_refused(f, index, component);
}

static void strange_handles_are_refused_on_pages_absent_touched_and_emptied(void **state)
{
    test_fixture        *f         = *state;
    const kith_component kinds[]   = { POSITION, FROZEN, HIDDEN };
    const uint32_t       indices[] = { 0, 3, 1022, 1500 };

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        for (size_t j = 0; j < COUNT_OF(indices); j++) {
            test_remake(f, (kith_world_desc){ 0 });
            refuse_on_pages_absent_touched_and_emptied(f, indices[j], kinds[i]);
        }
    }
}

static void strange_handles_are_refused_beyond_every_page(void **state)
{
    test_fixture        *f         = *state;
    const kith_component kinds[]   = { POSITION, FROZEN, HIDDEN };
    const uint32_t       indices[] = { 1024, 1u << 20, 0x7fffffffu, 0x80000000u, UINT32_MAX };
    kith_entity          ship      = kith_entity_create(f->world);

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        kith_component_add(f->world, ship, kinds[i], NULL);
        for (size_t j = 0; j < COUNT_OF(indices); j++) {
            assert_strangers_refused(f, indices[j], kinds[i]);
        }
    }
}

static void a_stale_handle_sees_nothing_of_the_slots_new_entity(void **state)
{
    test_fixture        *f       = *state;
    const kith_component kinds[] = { POSITION, FROZEN, HIDDEN };

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        kith_entity old = kith_entity_create(f->world);
        kith_component_add(f->world, old, kinds[i], NULL);
        kith_entity_destroy(f->world, old);
        kith_entity fresh = kith_entity_create(f->world);
        assert_int_equal(kith_entity_index(fresh), kith_entity_index(old));
        kith_component_add(f->world, fresh, kinds[i], NULL);

        for (size_t j = 0; j < COUNT_OF(entity_verbs); j++) {
            if (kinds[i] != HIDDEN || (entity_verbs[j].manners & VERB_ROWS) == 0) {
                assert_verb_refuses(f, &entity_verbs[j], old, kinds[i]);
            }
        }
        assert_true(kith_component_has(f->world, fresh, kinds[i]));
    }
}

static void an_entity_of_the_last_version_is_like_any_other(void **state)
{
    test_fixture        *f       = *state;
    const kith_component kinds[] = { POSITION, FROZEN, HIDDEN };
    kith_entity          last    = kith_entity_make(3, UINT32_MAX);
    assert_int_equal(kith_entity_create_hint(f->world, last), last);

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        assert_non_null(kith_component_add(f->world, last, kinds[i], NULL));
        assert_true(kith_component_has(f->world, last, kinds[i]));
        assert_false(kith_component_has(f->world, kith_entity_make(3, 0), kinds[i]));
    }

    kith_entity_destroy(f->world, last);
    assert_strangers_refused(f, 3, POSITION);
    assert_strangers_refused(f, 3, HIDDEN);
}

// --- many at once ----------------------------------------------------------------------------

static void many_values_are_found_at_once(void **state)
{
    small_world *w = *state;
    kith_entity  asked[8];
    const void  *values[8];
    populate(w, "a - a a ab");
    kith_entity_destroy(w->world, w->e[2]);
    for (uint32_t i = 0; i < 5; i++) {
        asked[i] = w->e[4 - i];
    }
    asked[5] = KITH_NULL;
    asked[6] = handle(5000000, 1);
    asked[7] = w->e[0];

    assert_int_equal(kith_component_get_many(w->world, A, asked, 8, values), 4);

    for (uint32_t i = 0; i < 8; i++) {
        assert_ptr_equal(values[i], kith_component_get(w->world, asked[i], A));
    }
    assert_int_equal(kith_component_get_many(w->world, A, asked, 0, values), 0);
    assert_int_equal(w->memory.errors, 0);
}

static void thousands_of_values_are_found_at_once(void **state)
{
    test_fixture *f = *state;
    enum { COUNT = 3000 };
    kith_entity *all    = calloc(COUNT, sizeof *all);
    const vec2 **values = calloc(COUNT, sizeof *values);
    uint64_t     seed   = test_seed();
    create_entities(f->world, all, COUNT);
    for (uint32_t i = 0; i < COUNT; i += 2) {
        position_set(f->world, all[i], (vec2){ (float)i, 0 });
    }
    for (uint32_t i = COUNT; i-- > 1;) {
        uint32_t    k = test_random_below(&seed, i + 1);
        kith_entity x = all[i];
        all[i]        = all[k];
        all[k]        = x;
    }

    assert_int_equal(position_get_many(f->world, all, COUNT, values), COUNT / 2);

    for (uint32_t i = 0; i < COUNT; i++) {
        assert_ptr_equal(values[i], position_get(f->world, all[i]));
    }
    free(all);
    free(values);
}

static void get_many_of_what_has_no_values(void **state)
{
    small_world *w         = *state;
    const void  *values[3] = { w, w, w };
    uint32_t     errors    = w->memory.errors;
    populate(w, "t f -");

    assert_int_equal(kith_component_get_many(w->world, T, w->e, 3, values), 1);
    assert_non_null(values[0]);
    assert_null(values[1]);
    assert_int_equal(kith_component_get_many(w->world, UNKNOWN, w->e, 3, values), 0);
    assert_null(values[0]);
    assert_int_equal(kith_component_get_many(w->world, S, w->e, 3, values), 0);

    assert_int_equal(w->memory.errors, errors + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(set_adds_a_copy_where_the_component_is_absent),
        TEST_WORLD(set_replaces_a_present_value_at_its_address),
        TEST_WORLD(set_without_a_value_zeroes_a_plain_type),
        TEST_WORLD(set_may_copy_from_the_value_itself_and_from_its_own_pool),
        TEST_WORLD(add_gives_zeroes_where_the_component_is_absent),
        TEST_WORLD(add_zeroes_a_row_that_another_value_left),
        TEST_WORLD(add_leaves_a_present_value_alone),
        TEST_WORLD(add_adds_a_copy_where_the_component_is_absent),
        TEST_WORLD(add_gives_a_present_value_untouched),
        TEST_WORLD(what_mut_changes_get_reads),
        TEST_WORLD(questions_about_an_absent_component_are_answered_no_without_an_error),
        TEST_WORLD(remove_says_whether_the_component_was_there),
        TEST_WORLD(patch_changes_the_value_in_place_and_returns_it),
        TEST_WORLD(patch_calls_nothing_where_the_component_is_absent),
        TEST_WORLD(patch_on_a_dead_entity_is_an_error_and_calls_nothing),
        TEST_WORLD(patch_without_a_function_is_an_error),
        TEST_WORLD(patch_calls_once_for_a_tag_and_a_flag_with_an_address_without_bytes),
        TEST_WORLD(calls_on_a_tag_or_a_flag_give_an_address_without_bytes),
        TEST_WORLD(an_entity_holds_each_kind_on_its_own),
        TEST_WORLD(disable_hides_nothing_but_enabled),
        TEST_WORLD(disable_and_enable_may_be_repeated),
        TEST_WORLD(disable_and_enable_answer_no_where_the_component_is_absent),
        TEST_WORLD(a_flag_can_be_neither_disabled_nor_enabled),
        TEST_WORLD(a_replaced_or_patched_value_stays_disabled),
        TEST_WORLD(a_component_that_comes_back_is_enabled),
        TEST_WORLD(a_cleared_pool_forgets_which_rows_were_disabled),
        TEST_WORLD(strange_handles_are_refused_on_pages_absent_touched_and_emptied),
        TEST_WORLD(strange_handles_are_refused_beyond_every_page),
        TEST_WORLD(a_stale_handle_sees_nothing_of_the_slots_new_entity),
        TEST_WORLD(an_entity_of_the_last_version_is_like_any_other),
        TEST_SMALL(many_values_are_found_at_once),
        TEST_WORLD(thousands_of_values_are_found_at_once),
        TEST_SMALL(get_many_of_what_has_no_values),
    };
    return cmocka_run_group_tests_name("component", tests, NULL, NULL);
}
