// SPDX-License-Identifier: MIT
// Batches that make entities join and leave groups: against the same single calls.
#include "component_test.h"

enum { HERE = 1, SPEED, LOAD, ASLEEP, MOST = 330 };

static const kith_term pairs[]   = { { HERE, KITH_ROLE_OWN, 0 }, { SPEED, KITH_ROLE_OWN, 0 } };
static const kith_term triples[] = { { HERE, KITH_ROLE_OWN, 0 },
                                     { SPEED, KITH_ROLE_OWN, 0 },
                                     { LOAD, KITH_ROLE_OWN, 0 },
                                     { ASLEEP, KITH_ROLE_WITHOUT, 0 } };
static const kith_term awake[] = { { SPEED, KITH_ROLE_READ, 0 }, { ASLEEP, KITH_ROLE_WITHOUT, 0 } };
static const kith_term unladen[] = { { HERE, KITH_ROLE_READ, 0 }, { LOAD, KITH_ROLE_WITHOUT, 0 } };

static const kith_query_desc group_descs[] = {
    { .name = "pairs", .terms = pairs, .term_count = 2 },
    { .name = "triples", .terms = triples, .term_count = 4 },
    { .name = "awake", .terms = awake, .term_count = 2 },
    { .name = "unladen", .terms = unladen, .term_count = 2 },
};

#define ALL_GROUPS   COUNT_OF(group_descs)
#define FIRST_LISTED 2u // the groups from here on own nothing

typedef struct scene {
    test_memory memory[2];
    kith_world *batch;
    kith_world *single;
    kith_entity members[MOST];
    uint8_t     values[MOST * 40];
} scene;

// How the worlds of a test are besides.
static struct variant {
    uint32_t fillers; // components registered before the others
    bool     hooked;  // values of `here` have hooks
    bool     hides;   // one entity has a disabled row
    bool     asks;    // hooks ask for the counts of groups
} variant;

static bool copy_here(void *value, const void *source, void *context)
{
    (void)context;
    memcpy(value, source, 12);
    return true;
}

// Hooks may ask: while new ones join, all counts are right already.
static void move_here(void *value, void *source, void *context)
{
    const kith_world *world = *(kith_world **)context;
    static uint32_t   calls;
    memcpy(value, source, 12);
    if (variant.asks && ++calls % 32 == 0) {
        uint32_t members = 0;
        for (kith_entity e = KITH_NULL; (e = kith_entity_next(world, e)) != KITH_NULL;) {
            members += kith_view_contains(world, &group_descs[0], e);
        }
        assert_int_equal(kith_view_count(world, &group_descs[0]), members);
    }
}

static void destruct_here(void *value, void *context)
{
    (void)value;
    (void)context;
}

static kith_component_desc here_desc(kith_world **world)
{
    kith_component_desc desc = { .name = "here", .id = HERE, .size = 12, .traits.page_rows = 16 };
    if (variant.hooked) {
        desc.traits.hooks = (kith_hooks){ NULL, copy_here, destruct_here, move_here, world };
    }
    return desc;
}

static void register_fillers(kith_world *world)
{
    for (uint32_t i = 0; i < variant.fillers; i++) {
        char name[24];
        snprintf(name, sizeof name, "filler %u", i);
        test_register_tag(world, name, 100 + i);
    }
}

// With the groups from `first` to before `end`.
static kith_world *open_world(test_memory *memory, kith_world **place, size_t first, size_t end)
{
    kith_world *world = test_world_with(memory, (kith_world_desc){ .user = NULL });
    *place            = world;
    register_fillers(world);
    register_one(world, here_desc(place));
    register_one(world, (kith_component_desc){
                            .name = "speed", .id = SPEED, .size = 8, .traits.page_rows = 32 });
    register_one(world, (kith_component_desc){ .name = "load", .id = LOAD, .size = 40 });
    register_one(world,
                 (kith_component_desc){ .name = "asleep", .id = ASLEEP, .kind = KITH_KIND_FLAG });
    for (size_t i = first; i < end; i++) {
        assert_non_null(kith_group_of(world, &group_descs[i]));
    }
    return world;
}

static void hide_one(kith_world *world)
{
    kith_entity entity = kith_entity_create(world);
    kith_component_add(world, entity, HERE, NULL);
    kith_component_add(world, entity, SPEED, NULL);
    kith_component_add(world, entity, LOAD, NULL);
    assert_true(kith_component_enable(world, entity, SPEED, false));
}

static scene *open_scene(size_t first, size_t end)
{
    scene *two = calloc(1, sizeof *two);
    assert_non_null(two);
    open_world(&two->memory[0], &two->batch, first, end);
    open_world(&two->memory[1], &two->single, first, end);
    for (uint32_t i = 0; i < MOST; i++) {
        fill_bytes(two->values + i * (size_t)40, 40, i);
    }
    if (variant.hides) {
        hide_one(two->batch);
        hide_one(two->single);
    }
    return two;
}

static void close_scene(scene *two)
{
    test_world_end(two->batch, &two->memory[0]);
    test_world_end(two->single, &two->memory[1]);
    free(two);
}

static void compare_stamps(const scene *two, kith_component id)
{
    for (uint32_t row = 0; row < kith_component_stats(two->batch, id).rows; row++) {
        assert_int_equal(kith_component_stamp(two->batch, id, row),
                         kith_component_stamp(two->single, id, row));
    }
}

static void compare(scene *two)
{
    assert_world_valid(two->batch);
    assert_same_worlds(two->batch, two->single);
    for (kith_component id = HERE; id <= LOAD; id++) {
        compare_stamps(two, id);
    }
    for (size_t i = 0; i < COUNT_OF(group_descs); i++) {
        kith_cursor a = kith_view_begin(two->batch, &group_descs[i]);
        kith_cursor b = kith_view_begin(two->single, &group_descs[i]);
        do {
            assert_int_equal(kith_cursor_next(&a), kith_cursor_next(&b));
            assert_int_equal(a.entity, b.entity);
        } while (a.entity != KITH_NULL);
    }
}

// From now on changes have stamps of their own.
static void begin_tick(scene *two)
{
    assert_int_equal(kith_world_advance(two->batch), kith_world_advance(two->single));
}

// In both worlds, one by one: entities with the components whose bits are set.
static void settle_some(scene *two, uint32_t count, unsigned components)
{
    for (uint32_t i = 0; i < count; i++) {
        kith_entity entity = kith_entity_create(two->batch);
        assert_int_equal(kith_entity_create(two->single), entity);
        for (kith_component id = HERE; id <= ASLEEP; id++) {
            if ((components >> id & 1) != 0) {
                kith_component_set(two->batch, entity, id, two->values + i);
                kith_component_set(two->single, entity, id, two->values + i);
            }
        }
    }
}

static uint32_t make_sets(const scene *two, unsigned components, kith_values sets[ASLEEP])
{
    uint32_t count = 0;
    for (kith_component id = HERE; id <= ASLEEP; id++) {
        if ((components >> id & 1) != 0) {
            sets[count++] = (kith_values){ id, two->values, 40 };
        }
    }
    return count;
}

static void add_singly(scene *two, uint32_t count, unsigned components)
{
    for (kith_component id = HERE; id <= ASLEEP; id++) {
        for (uint32_t i = 0; i < count && (components >> id & 1) != 0; i++) {
            kith_component_set(two->single, two->members[i], id, two->values + i * (size_t)40);
        }
    }
}

static void take_singly(scene *two, uint32_t count, unsigned components)
{
    for (kith_component id = HERE; id <= ASLEEP; id++) {
        for (uint32_t i = 0; i < count && (components >> id & 1) != 0; i++) {
            kith_component_remove(two->single, two->members[i], id);
        }
    }
}

// The single calls that stand for a batch are made, under a hold, as the batch is.
static void settle_and_compare(scene *two)
{
    kith_world_release(two->single);
    compare(two);
}

// New ones with these components.
static void create(scene *two, uint32_t count, unsigned components)
{
    kith_values sets[ASLEEP];
    uint32_t    set_count = make_sets(two, components, sets);
    begin_tick(two);
    variant.asks = variant.hooked;
    assert_true(kith_entity_create_many(two->batch, two->members, count, sets, set_count));
    variant.asks = false;
    kith_world_hold(two->single);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(kith_entity_create(two->single), two->members[i]);
    }
    add_singly(two, count, components);
    settle_and_compare(two);
}

// Adds components to entities that are there.
static void add_to_each(scene *two, uint32_t count, unsigned components)
{
    kith_values sets[ASLEEP];
    uint32_t    set_count = make_sets(two, components, sets);
    begin_tick(two);
    assert_true(
        kith_entity_set_many(two->batch, kith_entities_of(two->members, count), sets, set_count));
    kith_world_hold(two->single);
    add_singly(two, count, components);
    settle_and_compare(two);
}

static void take(scene *two, uint32_t count, unsigned components)
{
    kith_component ids[ASLEEP];
    uint32_t       id_count = 0;
    begin_tick(two);
    for (kith_component id = HERE; id <= ASLEEP; id++) {
        if ((components >> id & 1) != 0) {
            ids[id_count++] = id;
        }
    }
    assert_true(
        kith_entity_remove_many(two->batch, kith_entities_of(two->members, count), ids, id_count));
    kith_world_hold(two->single);
    take_singly(two, count, components);
    settle_and_compare(two);
}

static void destroy(scene *two, const kith_entity *members, uint32_t count)
{
    begin_tick(two);
    assert_true(kith_entity_destroy_many(two->batch, kith_entities_of(members, count)));
    kith_world_hold(two->single);
    for (uint32_t i = 0; i < count; i++) {
        kith_entity_destroy(two->single, members[i]);
    }
    settle_and_compare(two);
}

// Exactly these components.
static void set_components(scene *two, uint32_t count, unsigned components)
{
    kith_values sets[ASLEEP];
    uint32_t    set_count = make_sets(two, components, sets);
    begin_tick(two);
    assert_true(kith_entity_set_components(two->batch, kith_entities_of(two->members, count), sets,
                                           set_count));
    kith_world_hold(two->single);
    add_singly(two, count, components);
    take_singly(two, count, ~components);
    settle_and_compare(two);
}

static void turn_members(scene *two, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        kith_entity kept            = two->members[i];
        two->members[i]             = two->members[count - 1 - i];
        two->members[count - 1 - i] = kept;
    }
}

enum { H = 1u << HERE, S = 1u << SPEED, L = 1u << LOAD, A = 1u << ASLEEP };

// --- joining ---------------------------------------------------------------------------------

// Whether the slowest tool is looking: it sees a part.
static bool is_slow(void)
{
    return test_thinned(1000) < 100;
}

// Members and others before the batch comes, and what it brings.
static void join_by_batch(size_t groups, uint32_t others, uint32_t count, unsigned components)
{
    scene *two = open_scene(0, groups);
    settle_some(two, others % 7, H | S | (others % 2 == 0 ? L : 0u));
    settle_some(two, others, H | (others % 3 == 0 ? A : 0u));
    settle_some(two, others / 2, S);
    create(two, count, components);
    create(two, count / 3, H | S);
    close_scene(two);
}

static void new_entities_join_as_by_single_calls(void **state)
{
    static const uint32_t counts[] = { 1, 2, 3, 17, 100, 300 };
    static const uint32_t others[] = { 0, 1, 2, 5, 16, 63, 64, 65, 200 };
    static const unsigned what[]   = { H | S, H | S | L, H, S | A, H | S | L | A };
    (void)state;
    bool   again = variant.hooked || variant.hides || variant.fillers != 0;
    size_t step  = is_slow() ? 37 : again || test_thinned(1000) < 1000 ? 7 : 1;
    for (size_t i = 0; i < COUNT_OF(counts) * COUNT_OF(others) * COUNT_OF(what); i += step) {
        size_t rest = i / COUNT_OF(what);
        join_by_batch(ALL_GROUPS, others[rest % COUNT_OF(others)], counts[rest / COUNT_OF(others)],
                      what[i % COUNT_OF(what)]);
    }
    join_by_batch(1, 3, 300, H | S);
    join_by_batch(2, 3, 300, H | S | L);
}

// Entities that have the same components and get the same, in the order of their rows and the other
// way round.
static void entities_alike_join_as_by_single_calls(void **state)
{
    static const unsigned first[]  = { 0, H, H | A, S, H | S, L };
    static const unsigned second[] = { S, H | S, S | L, L, H | S | L, S | A };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(first) * COUNT_OF(second); i += is_slow() ? 5 : 1) {
        scene *two = open_scene(0, ALL_GROUPS);
        settle_some(two, 3, H | S);
        settle_some(two, 5, H);
        create(two, 100, first[i % COUNT_OF(first)]);
        if (i % 2 == 0) {
            turn_members(two, 100);
        }
        add_to_each(two, 70, second[i / COUNT_OF(first)]);
        turn_members(two, 100);
        add_to_each(two, 100, second[i / COUNT_OF(first)]);
        close_scene(two);
    }
}

// The entities differ in no component: one of them has a component disabled.
static void an_entity_with_a_disabled_component_does_not_join(void **state)
{
    (void)state;
    scene *two = open_scene(0, ALL_GROUPS);
    settle_some(two, 4, H);
    create(two, 20, H);
    kith_component_enable(two->batch, two->members[3], HERE, false);
    kith_component_enable(two->single, two->members[3], HERE, false);
    add_to_each(two, 20, S);
    close_scene(two);
}

// Only some of them join, or leave, or at another component than the rest.
static void entities_not_alike_join_as_by_single_calls(void **state)
{
    static const unsigned what[] = { S, L, H | S, S | L, H | L | A };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(what); i++) {
        scene *two = open_scene(0, ALL_GROUPS);
        settle_some(two, 4, H);
        create(two, 60, H);
        add_to_each(two, 20, L);
        turn_members(two, 60);
        add_to_each(two, 10, A);
        add_to_each(two, 60, what[i]);
        close_scene(two);
    }
}

// A batch in a hold of the caller's waits with everything else.
static void a_batch_in_a_hold_joins_at_its_end(void **state)
{
    (void)state;
    scene            *two    = open_scene(0, ALL_GROUPS);
    const kith_values sets[] = { { HERE, two->values, 40 }, { SPEED, two->values, 40 } };
    settle_some(two, 5, H);
    create(two, 20, H | S);
    kith_world_hold(two->batch);
    kith_world_hold(two->single);
    kith_component_remove(two->batch, two->members[4], SPEED);
    kith_component_remove(two->single, two->members[4], SPEED);
    assert_true(kith_entity_create_many(two->batch, two->members, 30, sets, 2));
    for (uint32_t i = 0; i < 30; i++) {
        kith_entity_create(two->single);
    }
    add_singly(two, 30, H | S);
    compare(two);
    kith_world_release(two->batch);
    kith_world_release(two->single);
    compare(two);
    close_scene(two);
}

// An entity that was a member for a moment inside a hold joins before one that comes later, also
// when it comes back.
static void a_moment_in_a_group_is_remembered_in_a_hold(void **state)
{
    (void)state;
    scene            *two    = open_scene(FIRST_LISTED, ALL_GROUPS);
    const kith_values sets[] = { { SPEED, two->values, 40 }, { ASLEEP, NULL, 0 } };
    kith_world_hold(two->batch);
    kith_world_hold(two->single);
    assert_true(kith_entity_create_many(two->batch, two->members, 6, sets, 2));
    for (uint32_t i = 0; i < 6; i++) {
        kith_entity_create(two->single);
    }
    add_singly(two, 6, S | A);
    for (uint32_t i = 6; i-- > 0;) {
        kith_component_remove(two->batch, two->members[i], ASLEEP);
        kith_component_remove(two->single, two->members[i], ASLEEP);
    }
    compare(two);
    kith_world_release(two->batch);
    kith_world_release(two->single);
    compare(two);
    close_scene(two);
}

// A disabled component is absent for groups, in the copies too.
static void copies_of_disabled_rows_count_for_no_group(void **state)
{
    (void)state;
    for (int held = 0; held <= 1; held++) {
        test_memory memory = { 0 };
        kith_world *world;
        open_world(&memory, &world, 0, ALL_GROUPS);
        kith_group *group  = kith_group_of(world, &group_descs[3]);
        kith_entity prefab = kith_entity_create(world);
        kith_entity copies[5];
        kith_component_add(world, prefab, HERE, NULL);
        kith_component_add(world, prefab, LOAD, NULL);
        kith_component_enable(world, prefab, LOAD, false);
        assert_true(held == 0 || kith_world_hold(world));
        assert_true(kith_entity_clone_many(world, prefab, copies, 5));
        assert_int_equal(kith_group_count(group), 6);
        assert_true(held == 0 || kith_world_release(world));
        assert_int_equal(kith_group_count(group), 6);
        assert_true(kith_group_drop(group));
        test_world_end(world, &memory);
    }
}

// --- leaving ---------------------------------------------------------------------------------

static void leave_by_batch(uint32_t from, uint32_t count, uint32_t step, bool turned)
{
    scene      *two = open_scene(0, ALL_GROUPS);
    kith_entity leaving[MOST];
    uint32_t    leaving_count = 0;
    settle_some(two, 4, H | S);
    create(two, 200, H | S | L);
    settle_some(two, 3, H);
    for (uint32_t i = from; i < from + count; i += step) {
        leaving[leaving_count++] = two->members[turned ? 199 - i : i];
    }
    destroy(two, leaving, leaving_count);
    create(two, 10, H | S);
    close_scene(two);
}

static void destroyed_entities_leave_as_by_single_calls(void **state)
{
    (void)state;
    for (int turned = 0; turned <= 1; turned++) {
        leave_by_batch(0, 200, 1, turned != 0);
        leave_by_batch(0, 200, 2, turned != 0);
        leave_by_batch(0, 50, 1, turned != 0);
        leave_by_batch(120, 80, 1, turned != 0);
        leave_by_batch(33, 90, 3, turned != 0);
    }
}

// Their rows follow on each other in all pools, but some of them are members of the inner group and
// some are not.
static void entities_on_both_sides_of_a_border_leave_as_by_single_calls(void **state)
{
    (void)state;
    for (uint32_t first = 20; first <= 100; first += 20) {
        scene *two = open_scene(0, ALL_GROUPS);
        create(two, 150, H | S | L);
        turn_members(two, 150);
        add_to_each(two, 50, A);
        turn_members(two, 150);
        destroy(two, two->members + first, 50);
        close_scene(two);
    }
}

static void a_range_that_ends_leaves_as_by_single_calls(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t count = 40 + 40 * (i / 2);
        scene   *two   = open_scene(i % 2 == 0 ? 0 : FIRST_LISTED, ALL_GROUPS);
        settle_some(two, 5, H);
        create(two, 200, H | S);
        kith_entities range = { .first = two->members[0], .count = count };
        uint32_t      dead  = i < 5 ? 0 : 3;
        destroy(two, two->members + 7, dead);
        assert_int_equal(kith_entities_alive(two->batch, range), count - dead);
        assert_true(kith_entity_destroy_many(two->batch, range));
        kith_world_hold(two->single);
        for (uint32_t k = 0; k < count; k++) {
            kith_entity_destroy(two->single, k >= 7 && k < 7 + dead ? KITH_NULL : two->members[k]);
        }
        settle_and_compare(two);
        close_scene(two);
    }
}

static void entities_that_lose_a_component_leave_and_join(void **state)
{
    static const unsigned what[] = { S, H, L, A, H | S, S | L, L | A, H | S | L };
    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(what); i++) {
        scene *two = open_scene(0, ALL_GROUPS);
        settle_some(two, 4, H | S);
        create(two, 100, H | S | L | A);
        settle_some(two, 3, H);
        create(two, 50, H | S | A);
        add_to_each(two, 25, L);
        if (i >= COUNT_OF(what)) {
            turn_members(two, 50);
        }
        take(two, 40, what[i % COUNT_OF(what)]);
        take(two, 50, what[i % COUNT_OF(what)]);
        close_scene(two);
    }
}

static void set_components_moves_entities_between_groups(void **state)
{
    static const unsigned what[] = { H | S, H | S | L, H | S | L | A, H, S | L, 0 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(what) * COUNT_OF(what); i++) {
        scene *two = open_scene(0, ALL_GROUPS);
        settle_some(two, 4, H | S);
        create(two, 60, what[i % COUNT_OF(what)]);
        settle_some(two, 3, H | S | L);
        set_components(two, 40, what[i / COUNT_OF(what)]);
        turn_members(two, 60);
        set_components(two, 60, what[i / COUNT_OF(what)]);
        close_scene(two);
    }
}

// --- in other worlds -------------------------------------------------------------------------

static void run_all_with(struct variant of)
{
    variant = of;
    new_entities_join_as_by_single_calls(NULL);
    entities_not_alike_join_as_by_single_calls(NULL);
    a_batch_in_a_hold_joins_at_its_end(NULL);
    destroyed_entities_leave_as_by_single_calls(NULL);
    if (is_slow()) {
        variant = (struct variant){ 0 };
        return;
    }
    entities_alike_join_as_by_single_calls(NULL);
    entities_on_both_sides_of_a_border_leave_as_by_single_calls(NULL);
    a_range_that_ends_leaves_as_by_single_calls(NULL);
    entities_that_lose_a_component_leave_and_join(NULL);
    set_components_moves_entities_between_groups(NULL);
    variant = (struct variant){ 0 };
}

static void joining_matches_single_calls_beyond_64_components(void **state)
{
    (void)state;
    run_all_with((struct variant){ .fillers = 61 });
    if (test_thinned(100) == 100) { // slow tools see the first alone
        run_all_with((struct variant){ .fillers = 70 });
    }
}

static void joining_matches_single_calls_for_values_with_hooks(void **state)
{
    (void)state;
    run_all_with((struct variant){ .hooked = true });
}

static void joining_matches_single_calls_where_a_row_is_disabled(void **state)
{
    (void)state;
    run_all_with((struct variant){ .hides = true });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joining_matches_single_calls_beyond_64_components),
        cmocka_unit_test(joining_matches_single_calls_for_values_with_hooks),
        cmocka_unit_test(joining_matches_single_calls_where_a_row_is_disabled),
        cmocka_unit_test(new_entities_join_as_by_single_calls),
        cmocka_unit_test(entities_alike_join_as_by_single_calls),
        cmocka_unit_test(an_entity_with_a_disabled_component_does_not_join),
        cmocka_unit_test(entities_not_alike_join_as_by_single_calls),
        cmocka_unit_test(a_batch_in_a_hold_joins_at_its_end),
        cmocka_unit_test(a_moment_in_a_group_is_remembered_in_a_hold),
        cmocka_unit_test(copies_of_disabled_rows_count_for_no_group),
        cmocka_unit_test(destroyed_entities_leave_as_by_single_calls),
        cmocka_unit_test(entities_on_both_sides_of_a_border_leave_as_by_single_calls),
        cmocka_unit_test(a_range_that_ends_leaves_as_by_single_calls),
        cmocka_unit_test(entities_that_lose_a_component_leave_and_join),
        cmocka_unit_test(set_components_moves_entities_between_groups),
    };
    return cmocka_run_group_tests_name("batch_join", tests, NULL, NULL);
}
