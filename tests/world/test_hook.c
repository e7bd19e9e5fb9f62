// SPDX-License-Identifier: MIT
// Lifecycle hooks and required components: what is constructed, copied, moved and destructed by
// which call, in which order, and what is undone when one says no.
#include "component_test.h"

// --- hooks -----------------------------------------------------------------------------------

enum { BODY = 11, SAIL, MAST, KEEL, CALM, LOUD, QUIET };

typedef struct fixture {
    test_memory memory;
    kith_world *world;
    journal     journal;
    tracker     body, sail, mast, keel;
    kith_entity ship, buoy, gull;
} fixture;

static tracker track(journal *log, const char *name)
{
    return (tracker){ .journal = log, .name = name };
}

static void begin_hooked_world(fixture *f, journal *log)
{
    const kith_component_desc calm = {
        .name = "calm", .id = CALM, .kind = KITH_KIND_SINGLETON, .size = 1
    };
    f->world = test_world(&f->memory);
    f->ship  = kith_entity_create(f->world);
    f->buoy  = kith_entity_create(f->world);
    f->gull  = kith_entity_create(f->world);
    f->body  = track(log, "body");
    f->sail  = track(log, "sail");
    f->mast  = track(log, "mast");
    f->keel  = track(log, "keel");
    register_one(f->world, calm);
    register_one(f->world, tracked_desc(BODY, &f->body));
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    begin_hooked_world(f, &f->journal);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f         = *state;
    f->journal.intrude = NULL;
    test_world_end(f->world, &f->memory);
    assert_int_equal(f->journal.living, 0);
    text_free(&f->journal.text);
    free(f);
    return 0;
}

static void set_three(fixture *f, kith_component component)
{
    set_tracked(f->world, f->ship, component, 1);
    set_tracked(f->world, f->buoy, component, 2);
    set_tracked(f->world, f->gull, component, 3);
    text_free(&f->journal.text);
}

static tracked *set_season(fixture *f, uint32_t number)
{
    return kith_singleton_set(f->world, SAIL, &(tracked){ .number = number });
}

static void register_season(fixture *f)
{
    kith_component_desc desc = tracked_desc(SAIL, &f->sail);
    desc.kind                = KITH_KIND_SINGLETON;
    register_one(f->world, desc);
}

static uint32_t number_of(fixture *f, kith_entity entity)
{
    const tracked *value = kith_component_get(f->world, entity, BODY);
    assert_non_null(value);
    assert_true(f->journal.alive[value->serial]);
    return value->number;
}

static void a_new_value_is_copied_or_constructed_in_its_place(void **state)
{
    fixture *f = *state;

    assert_non_null(set_tracked(f->world, f->ship, BODY, 7));
    assert_journal(&f->journal, "body copy 7");

    assert_non_null(kith_component_set(f->world, f->buoy, BODY, NULL));
    assert_journal(&f->journal, "body construct 0");

    assert_non_null(kith_component_add(f->world, f->gull, BODY, NULL));
    assert_journal(&f->journal, "body construct 0");
}

static void add_copies_what_is_absent_and_constructs_without_a_value(void **state)
{
    fixture *f = *state;

    kith_component_add(f->world, f->ship, BODY, &(tracked){ .number = 4 });
    kith_component_add(f->world, f->buoy, BODY, NULL);

    assert_journal(&f->journal, "body copy 4, body construct 0");
}

static void a_present_value_costs_add_no_hook(void **state)
{
    fixture *f = *state;
    set_three(f, BODY);

    kith_component_add(f->world, f->ship, BODY, NULL);
    kith_component_add(f->world, f->ship, BODY, &(tracked){ .number = 9 });
    kith_component_patch(f->world, f->ship, BODY, change_nothing, NULL);

    assert_journal(&f->journal, "");
    assert_int_equal(number_of(f, f->ship), 1);
}

static void replacing_copies_aside_destructs_the_old_and_moves_the_new_in(void **state)
{
    fixture *f = *state;
    set_three(f, BODY);
    const tracked *before = kith_component_get(f->world, f->buoy, BODY);

    const tracked *after = set_tracked(f->world, f->buoy, BODY, 8);

    assert_journal(&f->journal, "body copy 8, body destruct 2, body move 8");
    assert_ptr_equal(after, before);
    assert_int_equal(number_of(f, f->buoy), 8);
}

static void replacing_by_the_default_constructs_aside(void **state)
{
    fixture *f = *state;
    set_three(f, BODY);

    kith_component_set(f->world, f->buoy, BODY, NULL);

    assert_journal(&f->journal, "body construct 0, body destruct 2, body move 0");
}

static void replacing_a_value_by_itself_copies_before_it_destructs(void **state)
{
    fixture *f = *state;
    set_three(f, BODY);

    kith_component_set(f->world, f->ship, BODY, kith_component_get(f->world, f->ship, BODY));

    assert_journal(&f->journal, "body copy 1, body destruct 1, body move 1");
    assert_int_equal(number_of(f, f->ship), 1);
}

static void a_failing_copy_adds_nothing(void **state)
{
    fixture *f           = *state;
    f->journal.fail_copy = 1;

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK,
                             set_tracked(f->world, f->ship, BODY, 7));

    assert_journal(&f->journal, "");
    assert_int_equal(kith_world_error(f->world).component, BODY);
    assert_non_null(set_tracked(f->world, f->ship, BODY, 7));
}

static void a_failing_copy_replaces_nothing(void **state)
{
    fixture *f = *state;
    set_three(f, BODY);
    f->journal.fail_copy = 1;

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK,
                             set_tracked(f->world, f->buoy, BODY, 8));

    assert_journal(&f->journal, "");
    assert_int_equal(number_of(f, f->buoy), 2);
}

static void a_failing_construct_adds_nothing(void **state)
{
    fixture *f = *state;

    f->journal.fail_construct = 1;
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK,
                             kith_component_add(f->world, f->ship, BODY, NULL));
    f->journal.fail_construct = 1;
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK,
                             kith_component_set(f->world, f->ship, BODY, NULL));
    f->journal.fail_construct = 1;
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK,
                             kith_component_add(f->world, f->ship, BODY, NULL));

    assert_journal(&f->journal, "");
}

static void a_failing_construct_replaces_nothing(void **state)
{
    fixture *f = *state;
    set_three(f, BODY);
    f->journal.fail_construct = 1;

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK,
                             kith_component_set(f->world, f->buoy, BODY, NULL));

    assert_journal(&f->journal, "");
}

static void a_failing_copy_leaves_the_newest_hole_where_it_was(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = tracked_desc(SAIL, &f->sail);
    desc.traits.policy       = KITH_POLICY_STABLE;
    register_one(f->world, desc);
    set_three(f, SAIL);
    kith_component_remove(f->world, f->ship, SAIL);
    kith_component_remove(f->world, f->buoy, SAIL);
    f->journal.fail_copy = 1;

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK,
                             set_tracked(f->world, f->ship, SAIL, 4));
    set_tracked(f->world, f->ship, SAIL, 5);

    assert_int_equal(kith_component_row(f->world, f->ship, SAIL), 1);
}

static void removing_destructs_the_value_and_moves_the_last_one_in(void **state)
{
    fixture *f = *state;
    set_three(f, BODY);

    kith_component_remove(f->world, f->ship, BODY);
    assert_journal(&f->journal, "body destruct 1, body move 3");

    kith_component_remove(f->world, f->buoy, BODY);
    assert_journal(&f->journal, "body destruct 2");
    assert_int_equal(number_of(f, f->gull), 3);
}

static void removing_from_a_stable_pool_moves_nothing(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = tracked_desc(SAIL, &f->sail);
    desc.traits.policy       = KITH_POLICY_STABLE;
    register_one(f->world, desc);
    set_three(f, SAIL);

    kith_component_remove(f->world, f->ship, SAIL);
    assert_journal(&f->journal, "sail destruct 1");

    kith_component_compact(f->world, SAIL);
    assert_journal(&f->journal, "sail move 3");
}

static void clearing_destructs_in_row_order_and_moves_nothing(void **state)
{
    fixture *f = *state;
    set_three(f, BODY);
    kith_component_swap(f->world, BODY, f->ship, f->gull);
    text_free(&f->journal.text);

    kith_component_clear(f->world, BODY);

    assert_journal(&f->journal, "body destruct 3, body destruct 2, body destruct 1");
}

static void clearing_a_stable_pool_destructs_no_hole(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = tracked_desc(SAIL, &f->sail);
    desc.traits.policy       = KITH_POLICY_STABLE;
    register_one(f->world, desc);
    set_three(f, SAIL);
    kith_component_remove(f->world, f->buoy, SAIL);
    text_free(&f->journal.text);

    kith_component_clear(f->world, SAIL);

    assert_journal(&f->journal, "sail destruct 1, sail destruct 3");
}

static void destroying_an_entity_destructs_each_of_its_values_once(void **state)
{
    fixture *f = *state;
    register_one(f->world, tracked_desc(SAIL, &f->sail));
    set_three(f, BODY);
    set_three(f, SAIL);

    kith_entity_destroy(f->world, f->gull);

    assert_journal(&f->journal, "body destruct 3, sail destruct 3");
    assert_int_equal(f->journal.living, 4);
}

static void clearing_the_world_destructs_everything_but_singletons(void **state)
{
    fixture *f = *state;
    register_season(f);
    set_three(f, BODY);
    set_season(f, 9);
    text_free(&f->journal.text);

    kith_world_clear(f->world);

    assert_journal(&f->journal, "body destruct 1, body destruct 2, body destruct 3");
    assert_int_equal(f->journal.living, 1);
}

static void a_worlds_end_destructs_by_registration_and_row(void **state)
{
    fixture            *f      = *state;
    test_memory         memory = { 0 };
    kith_world         *world  = test_world(&memory);
    kith_component_desc season = tracked_desc(MAST, &f->mast);
    season.kind                = KITH_KIND_SINGLETON;
    register_one(world, tracked_desc(SAIL, &f->sail));
    register_one(world, season);
    register_one(world, tracked_desc(BODY, &f->body));
    kith_entity entities[2];
    create_entities(world, entities, 2);
    set_tracked(world, entities[1], BODY, 1);
    set_tracked(world, entities[0], BODY, 2);
    kith_singleton_add(world, MAST);
    set_tracked(world, entities[0], SAIL, 4);
    text_free(&f->journal.text);

    test_world_end(world, &memory);

    assert_journal(&f->journal,
                   "sail destruct 4, mast destruct 0, body destruct 1, body destruct 2");
}

static void swapping_rows_moves_both_values_and_makes_none(void **state)
{
    fixture *f = *state;
    set_three(f, BODY);
    uint32_t made = f->journal.made;

    assert_true(kith_component_swap(f->world, BODY, f->ship, f->gull));

    assert_int_equal(f->journal.made, made);
    assert_int_equal(f->journal.living, 3);
    assert_int_equal(number_of(f, f->ship), 1);
    assert_int_equal(number_of(f, f->gull), 3);
    assert_int_equal(((const tracked *)kith_component_value(f->world, BODY, 0))->number, 3);
}

static void hooks_get_places_of_the_components_alignment(void **state)
{
    fixture            *f    = *state;
    kith_component_desc desc = tracked_desc(SAIL, &f->sail);
    desc.size                = 256;
    desc.traits.alignment    = 256;
    f->sail.alignment        = 256;
    register_one(f->world, desc);
    uint8_t source[256] = { 0 };

    kith_component_set(f->world, f->ship, SAIL, source);
    kith_component_set(f->world, f->ship, SAIL, source);
    kith_component_set(f->world, f->ship, SAIL, NULL);

    assert_int_equal(f->journal.living, 1);
}

static void registering_again_brings_the_newest_hooks(void **state)
{
    fixture *f     = *state;
    tracker  newer = { .journal = &f->journal, .name = "newer" };
    set_three(f, BODY);
    kith_component_desc desc  = tracked_desc(BODY, &f->body);
    desc.traits.hooks.context = &newer;

    assert_int_equal(kith_component_register(f->world, &desc), BODY);
    kith_component_remove(f->world, f->gull, BODY);

    assert_journal(&f->journal, "newer destruct 3");
    assert_ptr_equal(kith_component_describe(f->world, BODY)->traits.hooks.context, &newer);
    kith_component_clear(f->world, BODY);
}

static void count_call(void *value, void *context)
{
    (void)value;
    (*(uint32_t *)context)++;
}

static void absent_hooks_zero_and_copy_bytes(void **state)
{
    fixture            *f         = *state;
    uint32_t            destructs = 0;
    kith_component_desc desc      = bytes_desc(SAIL, sizeof(int), _Alignof(int));
    desc.traits.hooks             = (kith_hooks){ .destruct = count_call, .context = &destructs };
    register_one(f->world, desc);

    assert_int_equal(*(const int *)kith_component_add(f->world, f->ship, SAIL, NULL), 0);
    assert_int_equal(*(const int *)kith_component_set(f->world, f->buoy, SAIL, &(int){ 5 }), 5);
    assert_int_equal(*(const int *)kith_component_set(f->world, f->buoy, SAIL, &(int){ 6 }), 6);
    assert_int_equal(destructs, 1);
    kith_component_remove(f->world, f->ship, SAIL);

    assert_int_equal(destructs, 2);
    assert_int_equal(*(const int *)kith_component_get(f->world, f->buoy, SAIL), 6);
    assert_int_equal(kith_component_row(f->world, f->buoy, SAIL), 0);
    kith_component_clear(f->world, SAIL);
}

static void random_hooked_step(fixture *f, kith_entity *dwellers, uint32_t count, uint64_t *seed)
{
    kith_entity   *one       = &dwellers[test_random_below(seed, count)];
    kith_component component = test_random_below(seed, 2) == 0 ? BODY : SAIL;
    f->journal.fail_copy     = test_random_below(seed, 3);
    switch (test_random_below(seed, 6)) {
    case 0:
        kith_component_remove(f->world, *one, component);
        break;
    case 1:
        kith_entity_destroy(f->world, *one);
        *one = kith_entity_create(f->world);
        break;
    case 2:
        kith_component_swap(f->world, component, dwellers[0], *one);
        break;
    default:
        set_tracked(f->world, *one, component, 1);
    }
}

static void every_value_that_is_made_is_destructed_once(void **state)
{
    fixture    *f    = *state;
    uint64_t    seed = test_seed();
    kith_entity dwellers[16];
    register_one(f->world, tracked_desc(SAIL, &f->sail));
    create_entities(f->world, dwellers, COUNT_OF(dwellers));

    for (uint32_t step = 0; step < 3000; step++) {
        random_hooked_step(f, dwellers, COUNT_OF(dwellers), &seed);

        uint32_t bodies = kith_component_count(f->world, BODY);
        uint32_t sails  = kith_component_count(f->world, SAIL);
        assert_int_equal(f->journal.living, bodies + sails);
    }
}

// --- hooks of singletons ---------------------------------------------------------------------

static void a_singleton_is_replaced_as_a_component_is(void **state)
{
    fixture *f = *state;
    register_season(f);
    const tracked *first = set_season(f, 1);
    assert_journal(&f->journal, "sail copy 1");

    assert_ptr_equal(set_season(f, 2), first);
    assert_journal(&f->journal, "sail copy 2, sail destruct 1, sail move 2");

    assert_true(kith_singleton_remove(f->world, SAIL));
    assert_journal(&f->journal, "sail destruct 2");
}

static void a_singleton_whose_hook_fails_is_as_it_was(void **state)
{
    fixture *f = *state;
    register_season(f);

    f->journal.fail_construct = 1;
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK,
                             kith_singleton_add(f->world, SAIL));
    f->journal.fail_copy = 1;
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK, set_season(f, 1));
    set_season(f, 2);
    f->journal.fail_copy = 1;
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK, set_season(f, 3));

    assert_journal(&f->journal, "sail copy 2");
}

// --- hooks that call the world ---------------------------------------------------------------

typedef struct intruder {
    fixture *f;
    uint32_t calls;
} intruder;

static bool intrude_describe(fixture *f)
{
    kith_component_desc desc = tracked_desc(SAIL, &f->sail);
    return kith_component_register(f->world, &desc) != 0 ||
           kith_component_register_many(f->world, &desc, 1);
}

static bool intrude_void(fixture *f)
{
    kith_world_clear(f->world);
    assert_error(f->world, KITH_ERROR_BUSY);
    kith_world_error_clear(f->world);
    kith_world_destroy(f->world);
    return false;
}

// Every call that could change the world.
static void assert_all_busy(fixture *f)
{
    kith_world  *world   = f->world;
    test_memory *memory  = &f->memory;
    kith_entity  hints[] = { kith_entity_make(77, 1) };
#define BUSY(CALL) assert_refused(memory, world, KITH_ERROR_BUSY, CALL)
    BUSY(kith_entity_create(world));
    BUSY(kith_entity_create_hint(world, hints[0]));
    BUSY(kith_entity_create_hints(world, hints, 1, hints));
    BUSY(kith_entity_destroy(world, f->gull));
    BUSY(kith_entity_reserve(world, 10));
    BUSY(kith_component_set(world, f->gull, BODY, NULL));
    BUSY(kith_component_add(world, f->gull, BODY, NULL));
    BUSY(kith_component_add(world, f->gull, BODY, NULL));
    BUSY(kith_component_patch(world, f->gull, BODY, change_nothing, NULL));
    BUSY(kith_component_remove(world, f->gull, BODY));
    BUSY(kith_component_enable(world, f->gull, BODY, false));
    BUSY(kith_component_enable(world, f->gull, BODY, true));
    BUSY(kith_component_reserve(world, BODY, 10));
    BUSY(kith_component_limit_set(world, BODY, 10));
    BUSY(kith_component_shrink(world, BODY));
    BUSY(kith_component_compact(world, BODY));
    BUSY(kith_component_swap(world, BODY, f->gull, f->gull));
    BUSY(kith_component_clear(world, BODY));
    BUSY(kith_singleton_set(world, CALM, NULL));
    BUSY(kith_singleton_add(world, CALM));
    BUSY(kith_singleton_remove(world, CALM));
    BUSY(kith_world_shrink(world));
    BUSY(kith_world_hash(world, KITH_ALL, &(uint64_t){ 0 }));
    BUSY(kith_world_hash(world, BODY, &(uint64_t){ 0 }));
    BUSY(kith_world_reserve(world, &(kith_reserve_desc){ 0 }));
    BUSY(kith_entity_limit_set(world, 1u << 20));
    BUSY(kith_signature_reserve(world, &(kith_signature){ { 0 } }, 1));
#undef BUSY
    kith_world_error_clear(world);
    assert_false(intrude_describe(f));
    assert_error(world, KITH_ERROR_BUSY);
    kith_world_error_clear(world);
    assert_false(intrude_void(f));
    assert_error(world, KITH_ERROR_BUSY);
}

static void intrude(void *context)
{
    intruder *one = context;
    one->calls++;
    assert_all_busy(one->f);
}

static void prepare_intruder(fixture *f, intruder *one)
{
    set_three(f, BODY);
    *one                = (intruder){ .f = f };
    f->journal.intrude  = intrude;
    f->journal.intruder = one;
}

static void no_hook_may_change_the_world(void **state)
{
    fixture *f = *state;
    intruder one;
    prepare_intruder(f, &one);

    assert_non_null(set_tracked(f->world, f->ship, BODY, 4));
    assert_int_equal(one.calls, 3);
    assert_journal(&f->journal, "body copy 4, body destruct 1, body move 4");
    assert_true(kith_component_remove(f->world, f->ship, BODY));
    assert_int_equal(one.calls, 5);
    assert_non_null(kith_component_add(f->world, f->ship, BODY, NULL));
    assert_int_equal(one.calls, 6);

    assert_int_equal(kith_component_count(f->world, BODY), 3);
    assert_int_equal(kith_entity_count(f->world), 3);
}

static void no_hook_may_change_the_world_while_it_empties(void **state)
{
    fixture *f = *state;
    intruder one;
    prepare_intruder(f, &one);

    kith_component_swap(f->world, BODY, f->ship, f->buoy);
    assert_int_equal(one.calls, 3);
    kith_entity_destroy(f->world, f->buoy);
    kith_component_clear(f->world, BODY);
    assert_int_equal(f->journal.living, 0);

    set_tracked(f->world, f->ship, BODY, 4);
    kith_world_clear(f->world);
    assert_int_equal(f->journal.living, 0);
    assert_int_equal(kith_entity_count(f->world), 0);
}

static void a_destruct_hook_may_not_change_a_world_that_ends(void **state)
{
    fixture *f   = *state;
    fixture *end = calloc(1, sizeof *end);
    intruder one = { .f = end };
    begin_hooked_world(end, &f->journal);
    set_tracked(end->world, end->gull, BODY, 1);
    f->journal.intrude  = intrude;
    f->journal.intruder = &one;

    assert_true(kith_world_destroy(end->world));

    assert_int_equal(one.calls, 1);
    assert_int_equal(end->memory.live_bytes, 0);
    free(end);
}

static void intrude_by_patch(void *value, void *context)
{
    (void)value;
    intrude(context);
}

static void a_patch_may_not_change_the_world(void **state)
{
    fixture *f = *state;
    intruder one;
    prepare_intruder(f, &one);

    assert_non_null(kith_component_patch(f->world, f->ship, BODY, intrude_by_patch, &one));

    assert_int_equal(one.calls, 1);
    assert_non_null(kith_component_patch(f->world, f->ship, BODY, change_nothing, NULL));
}

static void a_failing_hook_leaves_the_world_usable(void **state)
{
    fixture *f           = *state;
    f->journal.fail_copy = 1;

    assert_null(set_tracked(f->world, f->ship, BODY, 1));

    assert_int_not_equal(kith_entity_create(f->world), KITH_NULL);
    assert_non_null(set_tracked(f->world, f->ship, BODY, 1));
}

// --- required components ---------------------------------------------------------------------

static void register_requiring(kith_world *world, kith_component_desc desc,
                               const kith_component *required, uint32_t count)
{
    desc.traits.required       = required;
    desc.traits.required_count = count;
    register_one(world, desc);
}

static void register_chain(fixture *f)
{
    const kith_component keel[] = { KEEL };
    const kith_component mast[] = { MAST };
    register_one(f->world, tracked_desc(KEEL, &f->keel));
    register_requiring(f->world, tracked_desc(MAST, &f->mast), keel, 1);
    register_requiring(f->world, tracked_desc(SAIL, &f->sail), mast, 1);
}

// sail needs mast and body, both of which need keel.
static void register_diamond(fixture *f)
{
    const kith_component keel[] = { KEEL };
    const kith_component both[] = { MAST, LOUD };
    tracker             *loud   = &f->body;
    register_one(f->world, tracked_desc(KEEL, &f->keel));
    register_requiring(f->world, tracked_desc(MAST, &f->mast), keel, 1);
    kith_component_desc desc = tracked_desc(LOUD, loud);
    desc.name                = "loud";
    register_requiring(f->world, desc, keel, 1);
    register_requiring(f->world, tracked_desc(SAIL, &f->sail), both, 2);
}

static void a_chain_of_required_components_is_added_from_its_end(void **state)
{
    fixture *f = *state;
    register_chain(f);

    assert_non_null(set_tracked(f->world, f->ship, SAIL, 5));

    assert_journal(&f->journal, "keel construct 0, mast construct 0, sail copy 5");
    assert_true(kith_component_has(f->world, f->ship, KEEL));
    assert_true(kith_component_has(f->world, f->ship, MAST));
}

static void every_adding_verb_adds_what_is_required(void **state)
{
    fixture *f = *state;
    register_chain(f);

    kith_component_add(f->world, f->ship, SAIL, NULL);
    assert_journal(&f->journal, "keel construct 0, mast construct 0, sail construct 0");

    kith_component_add(f->world, f->buoy, SAIL, &(tracked){ .number = 2 });
    assert_journal(&f->journal, "keel construct 0, mast construct 0, sail copy 2");
}

static void a_diamond_of_required_components_is_added_once(void **state)
{
    fixture *f = *state;
    register_diamond(f);

    assert_non_null(kith_component_add(f->world, f->ship, SAIL, NULL));

    assert_journal(&f->journal,
                   "keel construct 0, mast construct 0, body construct 0, sail construct 0");
}

static void many_components_can_be_required_at_once(void **state)
{
    fixture       *f = *state;
    kith_component tags[12];
    for (uint32_t i = 0; i < COUNT_OF(tags); i++) {
        char name[16];
        snprintf(name, sizeof name, "tag %u", i);
        tags[i] = test_register_tag(f->world, name, 0);
    }
    register_requiring(f->world, tracked_desc(SAIL, &f->sail), tags, COUNT_OF(tags));

    assert_non_null(kith_component_add(f->world, f->ship, SAIL, NULL));

    for (uint32_t i = 0; i < COUNT_OF(tags); i++) {
        assert_true(kith_component_has(f->world, f->ship, tags[i]));
    }
}

static void a_required_component_that_is_there_is_left_alone(void **state)
{
    fixture *f = *state;
    register_chain(f);
    set_tracked(f->world, f->ship, MAST, 3);
    text_free(&f->journal.text);

    set_tracked(f->world, f->ship, SAIL, 5);

    assert_journal(&f->journal, "sail copy 5");
    assert_int_equal(((const tracked *)kith_component_get(f->world, f->ship, MAST))->number, 3);
}

static void a_failing_construct_in_the_chain_undoes_all_of_it(void **state)
{
    fixture *f = *state;
    register_diamond(f);

    for (uint32_t fail = 1; fail <= 4; fail++) {
        f->journal.fail_construct = fail;
        assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK,
                                 kith_component_add(f->world, f->ship, SAIL, NULL));
        assert_int_equal(f->journal.living, 0);
        assert_world_valid(f->world);
    }
    assert_non_null(kith_component_add(f->world, f->ship, SAIL, NULL));
    assert_int_equal(f->journal.living, 4);
}

static void a_failing_chain_keeps_what_was_there_before(void **state)
{
    fixture *f = *state;
    register_chain(f);
    set_tracked(f->world, f->buoy, KEEL, 1);
    set_tracked(f->world, f->ship, KEEL, 2);
    kith_component_enable(f->world, f->ship, KEEL, false);
    f->journal.fail_copy = 1;

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK,
                             set_tracked(f->world, f->ship, SAIL, 5));

    assert_int_equal(f->journal.living, 2);
}

static void a_chain_that_meets_a_limit_adds_nothing(void **state)
{
    fixture *f = *state;
    register_chain(f);
    assert_true(kith_component_limit_set(f->world, MAST, 1));
    set_tracked(f->world, f->buoy, MAST, 1);

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_LIMIT,
                             set_tracked(f->world, f->ship, SAIL, 5));

    assert_int_equal(f->journal.living, 2);
}

static void removing_a_required_component_removes_nothing_else(void **state)
{
    fixture *f = *state;
    register_chain(f);
    set_tracked(f->world, f->ship, SAIL, 5);

    assert_true(kith_component_remove(f->world, f->ship, KEEL));

    assert_false(kith_component_has(f->world, f->ship, KEEL));
    assert_true(kith_component_has(f->world, f->ship, MAST));
    assert_true(kith_component_has(f->world, f->ship, SAIL));
}

static void removing_a_component_leaves_what_it_required(void **state)
{
    fixture *f = *state;
    register_chain(f);
    set_tracked(f->world, f->ship, SAIL, 5);

    assert_true(kith_component_remove(f->world, f->ship, SAIL));

    assert_true(kith_component_has(f->world, f->ship, KEEL));
    assert_true(kith_component_has(f->world, f->ship, MAST));
}

static void register_kinds_that_require_each_other(fixture *f)
{
    const kith_component quiet[] = { QUIET };
    const kith_component loud[]  = { LOUD };
    const kith_component body[]  = { BODY };
    kith_component_desc  flag    = { .name = "quiet", .id = QUIET, .kind = KITH_KIND_FLAG };
    kith_component_desc  tag     = { .name = "loud", .id = LOUD, .kind = KITH_KIND_TAG };
    register_requiring(f->world, flag, body, 1);
    register_requiring(f->world, tag, quiet, 1);
    register_requiring(f->world, tracked_desc(SAIL, &f->sail), loud, 1);
}

static void tags_and_flags_can_be_required_and_require(void **state)
{
    fixture *f = *state;
    register_kinds_that_require_each_other(f);

    assert_non_null(set_tracked(f->world, f->ship, SAIL, 5));

    assert_journal(&f->journal, "body construct 0, sail copy 5");
    assert_true(kith_component_has(f->world, f->ship, LOUD));
    assert_true(kith_component_has(f->world, f->ship, QUIET));
    assert_int_equal(kith_component_count(f->world, QUIET), 1);
}

static void a_failure_takes_required_tags_and_flags_away_again(void **state)
{
    fixture *f = *state;
    register_kinds_that_require_each_other(f);
    f->journal.fail_copy = 1;

    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_HOOK,
                             set_tracked(f->world, f->ship, SAIL, 5));

    assert_int_equal(f->journal.living, 0);
    assert_int_equal(kith_component_count(f->world, QUIET), 0);
}

static void a_flag_that_requires_a_value_brings_it(void **state)
{
    fixture *f = *state;
    register_kinds_that_require_each_other(f);

    assert_non_null(kith_component_add(f->world, f->ship, QUIET, NULL));

    assert_journal(&f->journal, "body construct 0");
    assert_true(kith_component_has(f->world, f->ship, BODY));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_value_is_copied_or_constructed_in_its_place),
        TEST(add_copies_what_is_absent_and_constructs_without_a_value),
        TEST(a_present_value_costs_add_no_hook),
        TEST(replacing_copies_aside_destructs_the_old_and_moves_the_new_in),
        TEST(replacing_by_the_default_constructs_aside),
        TEST(replacing_a_value_by_itself_copies_before_it_destructs),
        TEST(a_failing_copy_adds_nothing),
        TEST(a_failing_copy_replaces_nothing),
        TEST(a_failing_construct_adds_nothing),
        TEST(a_failing_construct_replaces_nothing),
        TEST(a_failing_copy_leaves_the_newest_hole_where_it_was),
        TEST(removing_destructs_the_value_and_moves_the_last_one_in),
        TEST(removing_from_a_stable_pool_moves_nothing),
        TEST(clearing_destructs_in_row_order_and_moves_nothing),
        TEST(clearing_a_stable_pool_destructs_no_hole),
        TEST(destroying_an_entity_destructs_each_of_its_values_once),
        TEST(clearing_the_world_destructs_everything_but_singletons),
        TEST(a_worlds_end_destructs_by_registration_and_row),
        TEST(swapping_rows_moves_both_values_and_makes_none),
        TEST(hooks_get_places_of_the_components_alignment),
        TEST(registering_again_brings_the_newest_hooks),
        TEST(absent_hooks_zero_and_copy_bytes),
        TEST(every_value_that_is_made_is_destructed_once),
        TEST(a_singleton_is_replaced_as_a_component_is),
        TEST(a_singleton_whose_hook_fails_is_as_it_was),
        TEST(no_hook_may_change_the_world),
        TEST(no_hook_may_change_the_world_while_it_empties),
        TEST(a_destruct_hook_may_not_change_a_world_that_ends),
        TEST(a_patch_may_not_change_the_world),
        TEST(a_failing_hook_leaves_the_world_usable),
        TEST(a_chain_of_required_components_is_added_from_its_end),
        TEST(every_adding_verb_adds_what_is_required),
        TEST(a_diamond_of_required_components_is_added_once),
        TEST(many_components_can_be_required_at_once),
        TEST(a_required_component_that_is_there_is_left_alone),
        TEST(a_failing_construct_in_the_chain_undoes_all_of_it),
        TEST(a_failing_chain_keeps_what_was_there_before),
        TEST(a_chain_that_meets_a_limit_adds_nothing),
        TEST(removing_a_required_component_removes_nothing_else),
        TEST(removing_a_component_leaves_what_it_required),
        TEST(tags_and_flags_can_be_required_and_require),
        TEST(a_failure_takes_required_tags_and_flags_away_again),
        TEST(a_flag_that_requires_a_value_brings_it),
    };
    return cmocka_run_group_tests_name("hook", tests, NULL, NULL);
}
