// SPDX-License-Identifier: MIT
// Snapshots of one world that come into another again and again.
#include "merge_test.h"

// --- entities --------------------------------------------------------------------------------

static void an_entity_that_is_new_there_is_created_here(void **state)
{
    pair       *p   = *state;
    kith_entity own = kith_entity_create(p->world);
    kith_entity a   = kith_entity_create(p->far);
    kith_entity b   = kith_entity_create(p->far);

    merge(p);

    assert_int_equal(kith_entity_count(p->world), 3);
    assert_true(here(p, a) != own && here(p, b) != own && here(p, a) != here(p, b));
    assert_int_equal(kith_merge_remote(p->merge, here(p, b)), b);
    assert_int_equal(kith_merge_remote(p->merge, own), KITH_NULL);
    assert_int_equal(kith_merge_remote(p->merge, KITH_NULL), KITH_NULL);
    assert_int_equal(kith_merge_local(p->merge, handle(900, 1)), KITH_NULL);
    assert_int_equal(kith_merge_local(p->merge, KITH_NULL), KITH_NULL);
}

static void an_entity_that_is_gone_there_is_destroyed_here(void **state)
{
    pair       *p   = *state;
    kith_entity own = kith_entity_create(p->world);
    kith_entity a   = kith_entity_create(p->far);
    kith_entity b   = kith_entity_create(p->far);
    merge(p);
    kith_entity was = here(p, a);
    kith_entity_destroy(p->far, a);
    kith_entity again = kith_entity_create(p->far); // in the same slot

    merge(p);

    assert_false(kith_entity_alive(p->world, was));
    assert_int_equal(here(p, a), KITH_NULL);
    assert_int_not_equal(here(p, again), KITH_NULL);
    assert_true(kith_entity_alive(p->world, here(p, b)));
    assert_true(kith_entity_alive(p->world, own));
    assert_int_equal(kith_entity_count(p->world), 3);
}

static void an_entity_destroyed_here_comes_back_when_it_changes_there(void **state)
{
    pair       *p = *state;
    kith_entity a = kith_entity_create(p->far);
    pace_set(p->far, a, 1);
    mark_add(p->far, a);
    merge(p);
    kith_entity was = here(p, a);
    kith_entity_destroy(p->world, was);

    merge(p);
    assert_int_equal(kith_entity_count(p->world), 0);
    assert_int_equal(here(p, a), KITH_NULL);

    pace_set(p->far, a, 2);
    merge(p);

    assert_int_equal(kith_entity_count(p->world), 1);
    assert_int_not_equal(here(p, a), was);
    assert_int_equal(kith_merge_remote(p->merge, here(p, a)), a);
    assert_int_equal(*pace_get(p->world, here(p, a)), 2);
    assert_true(mark_has(p->world, here(p, a)));
}

// --- values ----------------------------------------------------------------------------------

static void a_value_changed_here_stays_until_it_changes_there(void **state)
{
    pair       *p = *state;
    kith_entity a = kith_entity_create(p->far);
    pace_set(p->far, a, 1);
    spot_set(p->far, a, (place){ 1, 2, 3 });
    merge(p);
    pace_set(p->world, here(p, a), 10);
    mark_add(p->world, here(p, a));

    spot_set(p->far, a, (place){ 4, 5, 6 });
    merge(p);
    assert_int_equal(*pace_get(p->world, here(p, a)), 10);
    assert_int_equal(spot_get(p->world, here(p, a))->floor, 5);

    pace_set(p->far, a, 3);
    merge(p);
    assert_int_equal(*pace_get(p->world, here(p, a)), 3);
    assert_true(mark_has(p->world, here(p, a)));
}

static void a_component_removed_here_stays_away_until_it_changes_there(void **state)
{
    pair       *p = *state;
    kith_entity a = kith_entity_create(p->far);
    pace_set(p->far, a, 1);
    asleep_add(p->far, a);
    merge(p);
    pace_remove(p->world, here(p, a));
    asleep_remove(p->world, here(p, a));

    merge(p);
    assert_false(pace_has(p->world, here(p, a)) || asleep_has(p->world, here(p, a)));

    pace_set(p->far, a, 2);
    merge(p);
    assert_int_equal(*pace_get(p->world, here(p, a)), 2);
    assert_false(asleep_has(p->world, here(p, a)));

    asleep_remove(p->far, a);
    merge(p);
    asleep_add(p->far, a);
    merge(p);
    assert_true(asleep_has(p->world, here(p, a)));
}

static void a_component_that_is_gone_there_is_removed_here(void **state)
{
    pair       *p = *state;
    kith_entity a = kith_entity_create(p->far);
    pace_set(p->far, a, 1);
    asleep_add(p->far, a);
    mark_add(p->far, a);
    year_set(p->far, (place){ 1, 2, 3 });
    merge(p);
    assert_int_equal(year_get(p->world)->floor, 2);
    pace_set(p->world, here(p, a), 10); // which does not save it
    pace_remove(p->far, a);
    asleep_remove(p->far, a);
    mark_remove(p->far, a);
    year_remove(p->far);

    merge(p);

    assert_int_equal(kith_entity_components(p->world, here(p, a), NULL, 0), 0);
    assert_null(year_get(p->world));
}

static void rows_are_disabled_and_enabled_by_themselves(void **state)
{
    pair       *p = *state;
    kith_entity a = kith_entity_create(p->far);
    kith_entity b = kith_entity_create(p->far);
    pace_set(p->far, a, 1);
    pace_set(p->far, b, 1);
    pace_disable(p->far, a);
    merge(p);
    assert_false(pace_enabled(p->world, here(p, a)));
    assert_true(pace_enabled(p->world, here(p, b)));
    pace_set(p->world, here(p, a), 9);
    pace_disable(p->world, here(p, b));

    pace_enable(p->far, a);
    pace_set(p->far, b, 2);
    merge(p);

    assert_true(pace_enabled(p->world, here(p, a)));
    assert_int_equal(*pace_get(p->world, here(p, a)), 9); // the value did not change there
    assert_false(pace_enabled(p->world, here(p, b)));     // nor did the row
    assert_int_equal(*pace_get(p->world, here(p, b)), 2);
}

static void a_row_that_comes_back_is_disabled_as_it_is_there(void **state)
{
    pair       *p = *state;
    kith_entity a = kith_entity_create(p->far);
    pace_set(p->far, a, 1);
    pace_disable(p->far, a);
    merge(p);
    pace_remove(p->world, here(p, a));
    pace_set(p->far, a, 2);

    merge(p);

    assert_true(pace_has(p->world, here(p, a)));
    assert_false(pace_enabled(p->world, here(p, a)));
}

static void values_through_functions_and_hooks_come_along(void **state)
{
    pair       *p      = *state;
    kith_entity a      = kith_entity_create(p->far);
    char        text[] = "first";
    title_set(p->far, a, (label){ text });
    merge(p);
    assert_string_equal(title_get(p->world, here(p, a))->text, "first");
    text[0] = 'F';
    title_set(p->far, a, (label){ text });

    merge(p);

    assert_string_equal(title_get(p->world, here(p, a))->text, "First");
}

static void fields_that_are_skipped_stay_as_they_are(void **state)
{
    pair       *p = *state;
    kith_entity a = kith_entity_create(p->far);
    bond_set(p->far, a, (bond){ 1, a, 77 });
    crown_set(p->far, (bond){ 1, a, 77 });
    merge(p);
    assert_int_equal(bond_get(p->world, here(p, a))->notes, 0);
    bond_mut(p->world, here(p, a))->notes = 5;
    crown_mut(p->world)->notes            = 6;
    bond_set(p->far, a, (bond){ 2, a, 78 });
    crown_set(p->far, (bond){ 2, a, 78 });

    merge(p);

    assert_int_equal(bond_get(p->world, here(p, a))->strength, 2);
    assert_int_equal(bond_get(p->world, here(p, a))->notes, 5);
    assert_int_equal(crown_get(p->world)->strength, 2);
    assert_int_equal(crown_get(p->world)->notes, 6);
}

// --- handles ---------------------------------------------------------------------------------

static void handles_mean_here_the_entities_that_they_mean_there(void **state)
{
    pair       *p = *state;
    kith_entity a = kith_entity_create(p->far);
    kith_entity b = kith_entity_create(p->far);
    test_create_many(p->world, 7);
    bond_set(p->far, a, (bond){ 1, b, 0 }); // a comes before b
    bond_set(p->far, b, (bond){ 2, a, 0 });
    crown_set(p->far, (bond){ 3, b, 0 });

    merge(p);

    assert_int_equal(bond_get(p->world, here(p, a))->to, here(p, b));
    assert_int_equal(bond_get(p->world, here(p, b))->to, here(p, a));
    assert_int_equal(crown_get(p->world)->to, here(p, b));
}

static void handles_that_mean_no_entity_become_null(void **state)
{
    pair       *p = *state;
    kith_entity a = kith_entity_create(p->far);
    kith_entity b = kith_entity_create(p->far);
    kith_entity c = kith_entity_create(p->far);
    merge(p);
    kith_entity_destroy(p->world, here(p, c));
    kith_entity_destroy(p->far, b);
    bond_set(p->far, a, (bond){ 1, b, 0 });
    crown_set(p->far, (bond){ 1, c, 0 });

    merge(p);

    assert_int_equal(bond_get(p->world, here(p, a))->to, KITH_NULL);
    assert_int_equal(crown_get(p->world)->to, KITH_NULL);
}

// --- listeners -------------------------------------------------------------------------------

static void listeners_are_notified_of_real_changes_only(void **state)
{
    pair       *p = *state;
    kith_entity a = kith_entity_create(p->far);
    pace_set(p->far, a, 1);
    spot_set(p->far, a, (place){ 1, 2, 3 });
    year_set(p->far, (place){ 1, 1, 1 });
    merge(p);
    assert_int_equal(p->events_seen.events[KITH_EVENT_CREATE], 1);
    assert_int_equal(p->events_seen.events[KITH_EVENT_ADD], 2);
    take_event_count(&p->events_seen);

    merge(p);
    assert_int_equal(take_event_count(&p->events_seen), 0);

    pace_set(p->far, a, 7);
    year_set(p->far, (place){ 2, 2, 2 });
    pace_set(p->world, here(p, a), 7); // the same already
    year_set(p->world, (place){ 2, 2, 2 });
    take_event_count(&p->events_seen);
    merge(p);
    assert_int_equal(take_event_count(&p->events_seen), 0);

    pace_set(p->far, a, 8);
    merge(p);
    assert_int_equal(p->events_seen.events[KITH_EVENT_SET], 1);
    assert_int_equal(take_event_count(&p->events_seen), 1);
}

static void end_what_comes(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    kith_entity_destroy(world, notice->entity);
}

static void an_entity_that_a_listener_destroys_counts_as_destroyed_here(void **state)
{
    pair       *p = *state;
    kith_entity a = kith_entity_create(p->far);
    pace_set(p->far, a, 1);
    mark_add(p->far, a);
    kith_listener ender = kith_listener_connect(
        p->world, &(kith_listener_desc){
                      .event = KITH_EVENT_ADD, .component = SPEED, .call = end_what_comes });

    merge(p);
    assert_int_equal(here(p, a), KITH_NULL);
    merge(p);
    assert_int_equal(kith_entity_count(p->world), 0);

    kith_listener_disconnect(p->world, ender);
    mark_remove(p->far, a);
    merge(p);
    assert_int_equal(*pace_get(p->world, here(p, a)), 1);
}

typedef struct meddler {
    pair       *p;
    kith_result result;
} meddler;

static void meddle(kith_world *world, const kith_notice *notice, void *context)
{
    meddler *m = context;
    (void)notice;
    m->result = kith_merge_apply(m->p->merge, NULL, "", 0);
    assert_false(kith_merge_destroy(m->p->merge));
    assert_error_text(world, "kith_merge_destroy: not while the merge is being applied");
}

static void a_listener_can_neither_apply_nor_destroy_the_merge(void **state)
{
    pair   *p = *state;
    meddler m = { .p = p };
    kith_entity_create(p->far);
    kith_listener_connect(
        p->world,
        &(kith_listener_desc){ .event = KITH_EVENT_CREATE, .call = meddle, .context = &m });

    merge(p);

    assert_int_equal(m.result.code, KITH_ERROR_BUSY);
}

// --- two others ------------------------------------------------------------------------------

static void two_merges_do_not_touch_each_other(void **state)
{
    pair       *p      = *state;
    test_memory memory = { 0 };
    kith_world *third  = make_world(&memory, (kith_world_desc){ 0 });
    register_realm(third);
    kith_merge *second = kith_merge_create(p->world);
    kith_entity a      = kith_entity_create(p->far);
    kith_entity b      = kith_entity_create(third); // the same handle
    pace_set(p->far, a, 1);
    pace_set(third, b, 2);

    merge(p);
    assert_int_equal(try_merge(second, third).code, KITH_OK);
    kith_entity of_b = kith_merge_local(second, b);
    assert_int_equal(*pace_get(p->world, here(p, a)), 1);
    assert_int_equal(*pace_get(p->world, of_b), 2);
    assert_int_equal(kith_merge_remote(p->merge, of_b), KITH_NULL);

    kith_entity_destroy(p->far, a);
    merge(p);
    assert_int_equal(kith_entity_count(p->world), 1);
    assert_true(kith_merge_destroy(second));
    assert_true(kith_entity_alive(p->world, of_b));
    assert_true(kith_merge_destroy(NULL));
    test_world_end(third, &memory);
}

// --- refusals --------------------------------------------------------------------------------

static void an_unknown_component_is_refused_or_left_out(void **state)
{
    pair          *p    = *state;
    kith_entity    a    = kith_entity_create(p->far);
    kith_load_desc skip = { .unknown = KITH_UNKNOWN_SKIP };
    kith_load_desc keep = { .unknown = KITH_UNKNOWN_KEEP };
    pace_set(p->far, a, 4);
    assert_int_not_equal(test_register_tag(p->far, "stranger", 700), 0);
    kith_component_add(p->far, a, 700, NULL);
    kith_bytes bytes = saved(p->far);

    kith_result result = kith_merge_apply(p->merge, NULL, bytes.data, bytes.size);
    assert_int_equal(result.code, KITH_ERROR_UNREGISTERED);
    assert_int_equal(kith_entity_count(p->world), 0);
    assert_int_equal(kith_merge_apply(p->merge, &skip, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(*pace_get(p->world, here(p, a)), 4);
    assert_int_equal(kith_merge_apply(p->merge, &keep, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(kith_component_find(p->world, "stranger"), 0);
    kith_bytes_free(&bytes);
}

static void a_part_can_be_chosen_and_what_is_exact_is_passed_over(void **state)
{
    pair          *p     = *state;
    kith_entity    a     = kith_entity_create(p->far);
    kith_entity    b     = kith_entity_create(p->far);
    kith_component paces = SPEED;
    kith_load_desc some  = { .components = &paces, .component_count = 1, .entities = &b };
    kith_save_desc exact = { .exact = true };
    kith_bytes     bytes = { .data = NULL };
    pace_set(p->far, a, 1);
    pace_set(p->far, b, 2);
    mark_add(p->far, b);
    some.entity_count = 1;
    assert_int_equal(kith_world_save_memory(p->far, &exact, &bytes).code, KITH_OK);

    assert_int_equal(kith_merge_apply(p->merge, &some, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(kith_entity_count(p->world), 1);
    assert_int_equal(*pace_get(p->world, here(p, b)), 2);
    assert_false(mark_has(p->world, here(p, b)));

    assert_int_equal(kith_merge_apply(p->merge, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(*pace_get(p->world, here(p, a)), 1);
    assert_true(mark_has(p->world, here(p, b)));
    kith_bytes_free(&bytes);
}

static void a_handle_means_an_entity_that_is_merged_later(void **state)
{
    pair          *p     = *state;
    kith_entity    a     = kith_entity_create(p->far);
    kith_entity    b     = kith_entity_create(p->far);
    kith_save_desc alone = { .entities = &a, .entity_count = 1 };
    kith_bytes     bytes = { .data = NULL };
    bond_set(p->far, a, (bond){ 1, b, 0 });
    crown_set(p->far, (bond){ 1, b, 0 });
    assert_int_equal(kith_world_save_memory(p->far, &alone, &bytes).code, KITH_OK);
    assert_int_equal(kith_merge_apply(p->merge, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(bond_get(p->world, here(p, a))->to, KITH_NULL);

    merge(p);

    assert_int_not_equal(here(p, b), KITH_NULL);
    assert_int_equal(bond_get(p->world, here(p, a))->to, here(p, b));
    assert_int_equal(crown_get(p->world)->to, here(p, b));
    kith_entity_destroy(p->far, b);
    merge(p);
    assert_int_equal(bond_get(p->world, here(p, a))->to, KITH_NULL);
    assert_int_equal(crown_get(p->world)->to, KITH_NULL);
    kith_bytes_free(&bytes);
}

static void not_while_a_loop_is_open(void **state)
{
    pair *p = *state;
    kith_entity_create(p->far);
    assert_true(kith_world_hold(p->world));

    assert_int_equal(try_merge(p->merge, p->far).code, KITH_ERROR_BUSY);

    assert_true(kith_world_release(p->world));
    assert_int_equal(kith_entity_count(p->world), 0);
}

static void call_from_a_hook(void *value, void *context)
{
    pair *p = context;
    (void)value;
    assert_refused(&p->memory, p->world, KITH_ERROR_BUSY, kith_merge_create(p->world) != NULL);
    assert_refused(&p->memory, p->world, KITH_ERROR_BUSY, kith_merge_destroy(p->merge));
    assert_int_equal(try_merge(p->merge, p->far).code, KITH_ERROR_BUSY);
}

static void a_hook_cannot_merge(void **state)
{
    pair       *p = *state;
    kith_entity e = kith_entity_create(p->world);
    pace_set(p->world, e, 1);

    assert_non_null(kith_component_patch(p->world, e, SPEED, call_from_a_hook, p));
}

typedef struct intruder {
    pair *p;
    bool  begun; // something was read
} intruder;

static size_t write_and_meddle(const void *value, void *bytes, size_t room, void *context)
{
    const intruder *m = context;
    if (room >= sizeof(uint64_t)) {
        memcpy(bytes, value, sizeof(uint64_t));
    }
    if (m->begun) {
        assert_int_equal(kith_entity_create(m->p->world), KITH_NULL);
    }
    return sizeof(uint64_t);
}

static bool read_and_meddle(void *value, const void *bytes, size_t size, void *context)
{
    intruder *m = context;
    memcpy(value, bytes, sizeof(uint64_t));
    call_from_a_hook(value, m->p);
    m->begun = true;
    return size == sizeof(uint64_t);
}

static void save_functions_cannot_change_the_worlds_of_a_merge(void **state)
{
    pair                     *p     = *state;
    intruder                  m     = { p, false };
    const kith_saver          saver = { write_and_meddle, read_and_meddle, &m };
    const kith_component_desc desc  = { .name         = "meddler",
                                        .id           = CLAN + 1,
                                        .size         = sizeof(uint64_t),
                                        .alignment    = sizeof(uint64_t),
                                        .traits.saved = KITH_AS(through(&saver)) };
    assert_int_equal(kith_component_register(p->world, &desc), CLAN + 1);
    assert_int_equal(kith_component_register(p->far, &desc), CLAN + 1);
    kith_entity e = kith_entity_create(p->far);
    for (uint64_t value = 1; value <= 2; value++) {
        kith_component_set(p->far, e, CLAN + 1, &value);
        m.begun          = false;
        kith_bytes bytes = saved(p->far);

        assert_int_equal(kith_merge_apply(p->merge, NULL, bytes.data, bytes.size).code, KITH_OK);

        m.begun = false;
        kith_bytes_free(&bytes);
        assert_true(*(const uint64_t *)kith_component_get(p->world, here(p, e), CLAN + 1) == value);
    }
}

// Merges a town into another world, made as described; the answer.
static kith_error_code merge_into(kith_world_desc here_desc, kith_world_desc there_desc)
{
    test_memory memory[2] = { { 0 }, { 0 } };
    kith_world *world     = make_world(&memory[0], here_desc);
    kith_world *far       = make_world(&memory[1], there_desc);
    register_realm(world);
    register_realm(far);
    act_often(far, 3, 100);
    kith_entity_create(world);
    kith_result result = try_merge(kith_merge_create(world), far);
    assert_int_equal(kith_entity_count(world),
                     result.code == KITH_OK ? 1 + kith_entity_count(far) : 1);
    test_world_end(world, &memory[0]);
    test_world_end(far, &memory[1]);
    return result.code;
}

static void worlds_with_other_settings_are_merged_alike(void **state)
{
    const kith_world_desc queued = { .free_order = KITH_FREE_FIFO, .max_entities = 200 };
    const kith_world_desc other  = { .free_order   = KITH_FREE_LOWEST,
                                     .version_bits = 20,
                                     .first_index  = 7 };
    const kith_world_desc block  = { .memory = 1u << 22 };
    (void)state;

    assert_int_equal(merge_into(queued, queued), KITH_OK);
    assert_int_equal(merge_into(other, other), KITH_OK);
    assert_int_equal(merge_into(block, (kith_world_desc){ 0 }), KITH_OK);
    assert_int_equal(merge_into(queued, other), KITH_OK);
    assert_int_equal(merge_into(other, queued), KITH_OK);
    assert_int_equal(merge_into((kith_world_desc){ 0 }, other), KITH_OK);
    assert_int_equal(merge_into((kith_world_desc){ .max_entities = 3 }, (kith_world_desc){ 0 }),
                     KITH_ERROR_LIMIT);
}

static void values_that_cannot_be_copied_are_refused(void **state)
{
    pair               *p      = *state;
    kith_entity         a      = kith_entity_create(p->far);
    kith_component_desc desc   = { .name = "owner", .id = 700, .size = 8 };
    desc.traits.hooks.destruct = end_label;
    desc.traits.saved          = (kith_saved){ .form = KITH_FORM_PLAIN, .unit = 8 };
    assert_int_equal(kith_component_register(p->world, &desc), 700);
    assert_int_equal(kith_component_register(p->far, &desc), 700);
    kith_component_add(p->far, a, 700, NULL);

    kith_result result = try_merge(p->merge, p->far);

    assert_int_equal(result.code, KITH_ERROR_ARGUMENT);
    assert_string_equal(result.message,
                        "\"owner\": values with hooks need a copy hook to be merged");
    assert_int_equal(kith_entity_count(p->world), 0);
}

static void a_limit_ends_the_call_and_the_next_one_does_the_rest(void **state)
{
    pair       *p = *state;
    kith_entity e[4];
    for (uint32_t i = 0; i < 4; i++) {
        e[i] = kith_entity_create(p->far);
        pace_set(p->far, e[i], (int32_t)i);
        mark_add(p->far, e[i]);
    }
    assert_true(kith_component_limit_set(p->world, SPEED, 2));

    kith_result result = try_merge(p->merge, p->far);
    assert_int_equal(result.code, KITH_ERROR_LIMIT);
    assert_string_equal(result.message, "pace_set: the pool of \"pace\" is limited to 2 rows");
    assert_world_valid(p->world);

    assert_true(kith_component_limit_set(p->world, SPEED, UINT32_MAX));
    merge(p);
    assert_int_equal(*pace_get(p->world, here(p, e[3])), 3);
    assert_int_equal(mark_count(p->world), 4);
    assert_int_equal(p->events_seen.events[KITH_EVENT_ADD], 8);
    assert_int_equal(p->events_seen.events[KITH_EVENT_CREATE], 4);
}

static void a_snapshot_that_asks_for_too_much_memory_is_not_merged(void **state)
{
    pair          *p    = *state;
    kith_load_desc desc = { .bytes = 1000 };
    size_t         live = p->memory.live_bytes;
    test_create_many(p->far, 100);
    kith_bytes  bytes  = saved(p->far);
    kith_result result = kith_merge_apply(p->merge, &desc, bytes.data, bytes.size);
    assert_int_equal(result.code, KITH_ERROR_LIMIT);
    assert_non_null(strstr(result.message, "; the limit is 1000 (kith_load_desc.bytes)"));
    assert_int_equal(kith_entity_count(p->world), 0);
    assert_int_equal(p->memory.live_bytes, live);
    desc.bytes = SIZE_MAX;
    assert_int_equal(kith_merge_apply(p->merge, &desc, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(kith_entity_count(p->world), 100);
    kith_bytes_free(&bytes);
}

// The first component that was registered is a singleton.
static void the_first_component_is_merged_too(void **state)
{
    test_memory memories[2] = { { 0 }, { 0 } };
    kith_world *world       = test_world(&memories[0]);
    kith_world *far         = test_world(&memories[1]);
    (void)state;
    assert_true(year_register(world) != 0 && year_register(far) != 0);
    kith_merge *merged = kith_merge_create(world);
    year_set(far, (place){ 1, 2, 3 });
    kith_bytes bytes = saved(far);

    assert_int_equal(kith_merge_apply(merged, NULL, bytes.data, bytes.size).code, KITH_OK);

    assert_int_equal(year_get(world)->floor, 2);
    kith_bytes_free(&bytes);
    test_world_end(far, &memories[1]);
    test_world_end(world, &memories[0]);
}

// A world whose indices all queue takes memory for each of them when it is made.
static void a_snapshot_of_too_many_queued_indices_is_not_merged(void **state)
{
    pair           *p      = *state;
    test_memory     memory = { 0 };
    kith_world_desc queued = { .free_order = KITH_FREE_FIFO, .max_entities = 100000 };
    kith_load_desc  desc   = { .bytes = 1000000 };
    kith_world     *other  = test_world_with(&memory, queued);
    kith_bytes      bytes  = saved(other);
    size_t          live   = p->memory.live_bytes;
    p->memory.most_bytes   = 0;
    kith_result result     = kith_merge_apply(p->merge, &desc, bytes.data, bytes.size);
    assert_int_equal(result.code, KITH_ERROR_LIMIT);
    assert_string_equal(result.message,
                        "the file asks for at least 1600000 bytes of memory; the limit "
                        "is 1000000 (kith_load_desc.bytes)");
    assert_int_equal(p->memory.most_bytes, 0); // nothing was taken
    assert_int_equal(kith_merge_apply(p->merge, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_true(p->memory.most_bytes >= live + 1600000);
    kith_bytes_free(&bytes);
    test_world_end(other, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(an_entity_that_is_new_there_is_created_here),
        PAIR_TEST(an_entity_that_is_gone_there_is_destroyed_here),
        PAIR_TEST(an_entity_destroyed_here_comes_back_when_it_changes_there),
        PAIR_TEST(a_value_changed_here_stays_until_it_changes_there),
        PAIR_TEST(a_component_removed_here_stays_away_until_it_changes_there),
        PAIR_TEST(a_component_that_is_gone_there_is_removed_here),
        PAIR_TEST(rows_are_disabled_and_enabled_by_themselves),
        PAIR_TEST(a_row_that_comes_back_is_disabled_as_it_is_there),
        PAIR_TEST(values_through_functions_and_hooks_come_along),
        PAIR_TEST(fields_that_are_skipped_stay_as_they_are),
        PAIR_TEST(handles_mean_here_the_entities_that_they_mean_there),
        PAIR_TEST(handles_that_mean_no_entity_become_null),
        PAIR_TEST(listeners_are_notified_of_real_changes_only),
        PAIR_TEST(an_entity_that_a_listener_destroys_counts_as_destroyed_here),
        PAIR_TEST(a_listener_can_neither_apply_nor_destroy_the_merge),
        PAIR_TEST(two_merges_do_not_touch_each_other),
        PAIR_TEST(an_unknown_component_is_refused_or_left_out),
        PAIR_TEST(a_part_can_be_chosen_and_what_is_exact_is_passed_over),
        PAIR_TEST(a_handle_means_an_entity_that_is_merged_later),
        PAIR_TEST(not_while_a_loop_is_open),
        PAIR_TEST(a_hook_cannot_merge),
        PAIR_TEST(save_functions_cannot_change_the_worlds_of_a_merge),
        cmocka_unit_test(worlds_with_other_settings_are_merged_alike),
        PAIR_TEST(values_that_cannot_be_copied_are_refused),
        PAIR_TEST(a_limit_ends_the_call_and_the_next_one_does_the_rest),
        PAIR_TEST(a_snapshot_that_asks_for_too_much_memory_is_not_merged),
        PAIR_TEST(a_snapshot_of_too_many_queued_indices_is_not_merged),
        cmocka_unit_test(the_first_component_is_merged_too),
    };
    return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
