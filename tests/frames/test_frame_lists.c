// SPDX-License-Identifier: MIT
// Large lists in frames: a small change in one of them costs a piece, not the whole list.
#include "frames/frames_test.h"

#include "kith/object.h"

enum { MANY = 20000, WEED = 60, GLOBE, TALE, STEM, RUMOUR };

typedef struct globe {
    uint32_t cells[1u << 13];
} globe;

typedef struct seed {
    uint8_t kind; // padding follows
    double  depth;
} seed;

static uint32_t tale_copies;

static bool copy_tale(void *value, const void *source, void *context)
{
    (void)context;
    tale_copies++;
    *(uint64_t *)value = *(const uint64_t *)source;
    return true;
}

static const kith_traits weed_traits = { .journal = MANY, .saved = KITH_AS(plain(4)) };

KITH_COMPONENT_WITH(weed, uint32_t, WEED, weed_traits);
KITH_SINGLETON_AS(globe, globe, GLOBE, plain(4));
KITH_SINGLETON_AS(rumour, uint32_t, RUMOUR, transient);
KITH_COMPONENT_AS(stem, uint32_t, STEM, plain(4));
KITH_FIELDS(seed, u8(kind), f64(depth));
KITH_EVENT_AS(seed, seed, fields(seed));
KITH_GROUP(plants, read(weed), with(stem));

// A singleton with a hook.
static void register_tale(kith_world *world)
{
    kith_component_desc desc = {
        .id = TALE, .name = "tale", .kind = KITH_KIND_SINGLETON, .size = 8, .alignment = 8
    };
    desc.traits.hooks.copy = copy_tale;
    desc.traits.saved      = (kith_saved)KITH_AS(plain(8));
    assert_int_equal(kith_component_register(world, &desc), TALE);
}

static void set_tale(kith_world *world, uint64_t value)
{
    assert_non_null(kith_singleton_set(world, TALE, &value));
}

static uint64_t tale_of(const kith_world *world)
{
    return *(const uint64_t *)kith_singleton_get(world, TALE);
}

// A world with a ring, and many entities with a weed.
typedef struct garden {
    test_memory    memory;
    kith_world    *world;
    kith_frames   *frames;
    kith_reactive *set;
    seed_queue     seeds;
    kith_entity    e[MANY];
} garden;

static int set_up_garden(void **state)
{
    static const kith_condition grown[] = { { STEM, KITH_ON_ADD } };
    const kith_reactive_desc set = { .name = "grown", .conditions = grown, .condition_count = 1 };
    garden                  *g   = calloc(1, sizeof *g);
    g->world                     = test_world(&g->memory);
    assert_true(weed_register(g->world) && stem_register(g->world));
    assert_true(globe_register(g->world) && rumour_register(g->world));
    register_tale(g->world);
    g->set    = kith_reactive_create(g->world, &set);
    g->seeds  = seed_of(g->world, 0);
    g->frames = kith_frames_create(g->world, &(kith_frames_desc){ .capacity = 4 });
    assert_true(g->set != NULL && g->frames != NULL && plants_group(g->world) != NULL);
    for (uint32_t i = 0; i < MANY; i++) {
        g->e[i] = kith_entity_create(g->world);
        weed_set(g->world, g->e[i], i);
    }
    *state = g;
    return 0;
}

static int end_garden(void **state)
{
    garden *g = *state;
    test_world_end(g->world, &g->memory);
    free(g);
    return 0;
}

#define IN_GARDEN(NAME) cmocka_unit_test_setup_teardown(NAME, set_up_garden, end_garden)

// Saves the next frame, which copies at most `most` pages and pieces, and few bytes.
static void assert_save_costs(garden *g, uint32_t most)
{
    kith_frames_report before = kith_frames_report_of(g->frames);
    assert_int_equal(kith_frames_save(g->frames), before.current + 1);
    kith_frames_report after = kith_frames_report_of(g->frames);
    assert_in_range(after.copied, 0, most);
    assert_true(after.bytes - before.bytes < (size_t)most * (36u << 10) + (20u << 10));
    assert_world_valid(g->world);
}

// Saves the world, changes it, and saves that, which copies at most `most` pages and pieces. Going
// back and forth copies at most `back`, and the frames are what they were.
static void assert_change_costs(garden *g, void (*change)(garden *), uint32_t most, uint32_t back)
{
    assert_int_not_equal(kith_frames_save(g->frames), 0);
    assert_save_costs(g, 0);
    uint64_t first  = kith_frames_report_of(g->frames).current;
    uint64_t before = exact_hash(g->world);
    change(g);
    assert_save_costs(g, most);
    assert_int_not_equal(kith_frames_report_of(g->frames).copied, 0);
    uint64_t after = exact_hash(g->world);
    assert_int_not_equal(before, after);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(kith_frames_restore(g->frames, first + i % 2));
        assert_world_valid(g->world);
        assert_int_equal(exact_hash(g->world), i % 2 == 0 ? before : after);
        assert_in_range(kith_frames_report_of(g->frames).back, i == 0, back);
    }
    assert_save_costs(g, 0);
    const kith_world *then = kith_frames_world(g->frames, first);
    assert_true(then != NULL && exact_hash(then) == before);
    then = kith_frames_world(g->frames, first + 1);
    assert_true(then != NULL && exact_hash(then) == after);
    assert_true(kith_frames_restore(g->frames, first));
    assert_save_costs(g, 0);
    change(g);
    assert_true(kith_frames_restore(g->frames, first)); // what was not saved is undone, too
    assert_int_equal(exact_hash(g->world), before);
}

// --- reactive sets ---------------------------------------------------------------------------

static void grow_stems(garden *g)
{
    for (uint32_t i = 0; i < MANY; i++) {
        stem_set(g->world, g->e[i], i);
    }
}

static void remove_member(garden *g)
{
    assert_true(kith_reactive_remove(g->set, g->e[MANY / 2]));
}

static void add_member(garden *g)
{
    stem_remove(g->world, g->e[MANY - 1]);
    stem_add(g->world, g->e[MANY - 1]);
}

static void a_member_that_leaves_a_set_costs_a_piece(void **state)
{
    garden *g = *state;
    grow_stems(g);
    assert_int_equal(kith_reactive_count(g->set), MANY);
    assert_change_costs(g, remove_member, 1, 1);
}

static void a_member_that_enters_a_set_costs_a_piece(void **state)
{
    garden *g = *state;
    grow_stems(g);
    assert_true(kith_reactive_remove(g->set, g->e[MANY - 1]));
    assert_change_costs(g, add_member, 3, 3); // and the last page of stems, and of the group
}

static void a_set_that_was_emptied_is_filled_by_a_restore(void **state)
{
    garden *g = *state;
    grow_stems(g);
    uint64_t frame = kith_frames_save(g->frames);
    uint64_t full  = exact_hash(g->world);
    kith_reactive_clear(g->set);
    assert_save_costs(g, 0);
    uint64_t empty = exact_hash(g->world);
    kith_world_shrink(g->world);
    assert_true(kith_frames_restore(g->frames, frame) && exact_hash(g->world) == full);
    assert_world_valid(g->world);
    assert_int_equal(kith_reactive_count(g->set), MANY);
    assert_true(kith_frames_restore(g->frames, frame + 1) && exact_hash(g->world) == empty);
    assert_world_valid(g->world);
}

// A set that gets more room closes its holes. It has as many members as before, in other places.
static void a_set_that_closes_holes_is_saved_again(void **state)
{
    static const kith_condition cut[] = { { STEM, KITH_ON_REMOVE } };
    const kith_reactive_desc    desc  = { .name = "cut", .conditions = cut, .condition_count = 1 };
    garden                     *g     = *state;
    kith_reactive              *set   = kith_reactive_create(g->world, &desc);
    for (uint32_t i = 0; i < 1000; i++) {
        stem_add(g->world, g->e[i]);
        stem_remove(g->world, g->e[i]);
    }
    assert_true(kith_reactive_remove(set, g->e[0]));
    uint64_t frame = kith_frames_save(g->frames);
    grow_stems(g);
    assert_int_equal(kith_frames_save(g->frames), frame + 1);
    uint64_t hash = exact_hash(g->world);
    kith_reactive_clear(set);
    assert_true(kith_frames_restore(g->frames, frame + 1));
    assert_world_valid(g->world);
    assert_int_equal(exact_hash(g->world), hash);
    assert_int_equal(kith_reactive_count(set), 999);
}

// --- journals --------------------------------------------------------------------------------

static void fill_journal(garden *g)
{
    for (uint32_t i = 0; i < 2 * MANY; i++) {
        weed_remove(g->world, g->e[i % MANY]);
        weed_set(g->world, g->e[i % MANY], i);
    }
}

static void pull_weed(garden *g)
{
    weed_remove(g->world, g->e[MANY - 1]);
}

static void a_removal_costs_a_piece_of_the_journal(void **state)
{
    garden *g = *state;
    fill_journal(g);
    assert_change_costs(g, pull_weed, 1, 2);
}

// --- tracked lists ---------------------------------------------------------------------------

static void hear_plant(const kith_turn *turn, kith_entity entity)
{
    (void)turn, (void)entity;
}

static void watch_plants(const kith_turn *turn)
{
    (void)turn;
}

static void lose_stem(garden *g)
{
    stem_remove(g->world, g->e[MANY / 2]);
    assert_true(kith_system_run(g->world, "watch", 0));
}

// Another entity gets the index of one that is tracked.
static void lose_plant(garden *g)
{
    kith_entity_destroy(g->world, g->e[MANY - 1]);
    kith_entity_create(g->world);
}

static void make_watch(garden *g)
{
    static const kith_term terms[] = { { WEED, KITH_ROLE_WITH, 0 }, { STEM, KITH_ROLE_WITH, 0 } };
    const kith_query_desc  query   = { "plants", terms, 2, 0 };
    const kith_system_desc watch   = { .name    = "watch",
                                       .run     = watch_plants,
                                       .query   = &query,
                                       .tracked = true,
                                       .enter   = hear_plant,
                                       .leave   = hear_plant };
    assert_non_null(kith_system_create(g->world, &watch));
    grow_stems(g);
    assert_true(kith_system_run(g->world, "watch", 0));
}

static void an_entity_that_leaves_costs_a_piece_of_the_tracked_list(void **state)
{
    garden *g = *state;
    make_watch(g);
    assert_change_costs(g, lose_stem, 3, 5); // pages of stems and of the group change, too
}

static void a_tracked_entity_that_is_gone_comes_back(void **state)
{
    garden *g = *state;
    make_watch(g);
    assert_change_costs(g, lose_plant, 4, 6); // slots of entities; the journal
    lose_plant(g);
    uint64_t frame = kith_frames_save(g->frames);
    uint64_t hash  = exact_hash(g->world);
    for (uint32_t i = 0; i < MANY; i += 2) {
        stem_remove(g->world, g->e[i]);
    }
    assert_true(kith_system_run(g->world, "watch", 0));
    assert_int_equal(kith_frames_save(g->frames), frame + 1);
    assert_true(kith_frames_restore(g->frames, frame));
    assert_world_valid(g->world);
    assert_int_equal(exact_hash(g->world), hash);
}

// --- queues ----------------------------------------------------------------------------------

static void enqueue_seed(garden *g)
{
    assert_true(seed_enqueue(g->seeds, (seed){ 7, 0.5 }));
}

static void an_event_costs_a_piece_of_the_queue(void **state)
{
    garden *g = *state;
    for (uint32_t i = 0; i < MANY; i++) {
        enqueue_seed(g);
    }
    assert_change_costs(g, enqueue_seed, 1, 1);
}

// As many events as before are other events.
static void enqueue_others(garden *g)
{
    assert_int_equal(kith_queue_update_all(g->world), 100);
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(seed_enqueue(g->seeds, (seed){ 8, i }));
    }
}

static void enqueue_after_clear(garden *g)
{
    kith_queue_clear(kith_queue_find(g->world, "seed"));
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(seed_enqueue(g->seeds, (seed){ 9, i }));
    }
}

static void a_queue_that_was_emptied_is_saved_again(void **state)
{
    garden *g = *state;
    for (uint32_t i = 0; i < 100; i++) {
        enqueue_seed(g);
    }
    assert_change_costs(g, enqueue_others, 1, 1);
    assert_change_costs(g, enqueue_after_clear, 1, 1);
}

// --- lists of groups -------------------------------------------------------------------------

static void a_member_costs_a_page_of_the_list_of_a_group(void **state)
{
    garden *g = *state;
    grow_stems(g);
    kith_reactive_clear(g->set);
    assert_change_costs(g, add_member, 3, 3); // a page of stems, a piece of the set
}

// --- disabled rows ---------------------------------------------------------------------------

static void disable_weed(garden *g)
{
    assert_true(kith_component_enable(g->world, g->e[7], WEED, false));
}

static void a_disabled_row_costs_a_piece(void **state)
{
    garden *g = *state;
    for (uint32_t i = 0; i < MANY; i += 3) {
        assert_true(kith_component_enable(g->world, g->e[i], WEED, false));
    }
    assert_change_costs(g, disable_weed, 2, 2); // and its page, which has a stamp
}

// --- singletons ------------------------------------------------------------------------------

static void turn_globe(garden *g)
{
    globe_mut(g->world)->cells[1000]++;
}

static void replace_globe(garden *g)
{
    static const globe other = { { 3 } };
    assert_true(globe_remove(g->world) && globe_set(g->world, other) != NULL);
}

static void lose_globe(garden *g)
{
    assert_true(globe_remove(g->world));
    set_tale(g->world, 8);
}

static void a_singleton_is_copied_when_it_was_written(void **state)
{
    static const globe first;
    garden            *g = *state;
    assert_non_null(globe_set(g->world, first));
    assert_change_costs(g, turn_globe, 1, 1);
    assert_change_costs(g, replace_globe, 1, 1);
    assert_change_costs(g, lose_globe, 1, 1);
}

static void a_singleton_with_hooks_is_copied_when_it_was_written(void **state)
{
    garden *g = *state;
    set_tale(g->world, 5);
    uint64_t frame = kith_frames_save(g->frames);
    tale_copies    = 0;
    assert_int_equal(kith_frames_save(g->frames), frame + 1);
    assert_true(kith_frames_restore(g->frames, frame));
    assert_int_equal(tale_copies, 0);
    *(uint64_t *)kith_singleton_mut(g->world, TALE) = 6;
    assert_int_equal(kith_frames_save(g->frames), frame + 1);
    assert_int_equal(tale_copies, 1);
    assert_true(kith_frames_restore(g->frames, frame) && tale_of(g->world) == 5);
    assert_int_equal(tale_copies, 2);
    assert_true(kith_frames_restore(g->frames, frame) && tale_of(g->world) == 5);
    assert_int_equal(tale_copies, 2);
    assert_true(kith_singleton_remove(g->world, TALE) && kith_frames_restore(g->frames, frame));
    assert_true(tale_of(g->world) == 5);
}

static void a_transient_singleton_is_absent_after_a_restore(void **state)
{
    garden *g = *state;
    assert_non_null(rumour_set(g->world, 1));
    uint64_t frame = kith_frames_save(g->frames);
    assert_int_equal(kith_frames_save(g->frames), frame + 1);
    assert_non_null(rumour_get(g->world));
    assert_true(kith_frames_restore(g->frames, frame));
    assert_null(rumour_get(g->world));
}

static void a_singleton_that_an_old_pointer_wrote_is_reported_and_saved(void **state)
{
    static const globe first;
    garden            *g      = *state;
    globe             *old    = globe_set(g->world, first);
    uint64_t           frame  = kith_frames_save(g->frames);
    uint32_t           errors = g->memory.errors;
    assert_int_equal(kith_frames_save(g->frames), frame + 1);
    assert_int_equal(g->memory.errors, errors);
    old->cells[5] = 4;
    assert_int_equal(kith_frames_save(g->frames), frame + 2);
#ifndef KITH_HAS_ASSERTS
    if (g->memory.errors == errors) { // the library does not compare values
        return;
    }
#endif
    assert_int_equal(g->memory.errors, errors + 1);
    assert_error_says(g->world, KITH_ERROR_ARGUMENT,
                      "kith_frames_save: \"globe\": a value was written through a pointer from "
                      "before the latest save");
    assert_true(kith_frames_restore(g->frames, frame) && globe_get(g->world)->cells[5] == 0);
    assert_true(kith_frames_restore(g->frames, frame + 2) && globe_get(g->world)->cells[5] == 4);
}

// --- objects ---------------------------------------------------------------------------------

#define CELLS (1u << 17)

typedef struct map {
    kith_object object;
    uint32_t    cells[CELLS];
} map;

static kith_object *create_map(kith_world *world, const char *key)
{
    (void)world, (void)key;
    return calloc(1, sizeof(map));
}

static void destroy_map(kith_object *object)
{
    free(object);
}

static bool map_state(kith_object *object, kith_state *state)
{
    return state->item(state, "cells", KITH_TYPE_U32, ((map *)object)->cells, CELLS);
}

static const kith_object_ops map_ops = { .kind    = "map",
                                         .size    = sizeof(map),
                                         .create  = create_map,
                                         .destroy = destroy_map,
                                         .state   = map_state };

static void draw_map(garden *g)
{
    ((map *)kith_object_of(g->world, &map_ops, "land"))->cells[5000]++;
}

static void an_item_of_an_object_costs_a_piece(void **state)
{
    garden *g = *state;
    assert_non_null(kith_object_of(g->world, &map_ops, "land"));
    assert_change_costs(g, draw_map, 1, 1);
}

// --- memory ----------------------------------------------------------------------------------

static void change_all(garden *g, uint32_t n)
{
    kith_entity e = g->e[n * 37 % MANY];
    kith_reactive_remove(g->set, g->e[n * 91 % MANY]);
    stem_remove(g->world, e);
    stem_add(g->world, e);
    weed_remove(g->world, g->e[n]);
    weed_set(g->world, g->e[n], n);
    enqueue_seed(g);
    turn_globe(g);
    set_tale(g->world, n);
    kith_component_enable(g->world, e, WEED, n % 2 == 0);
    assert_true(kith_system_run(g->world, "watch", 0));
    if (n % 10 == 1) { // the test that goes back keeps this
        kith_queue_update_all(g->world);
        kith_reactive_clear(g->set);
    }
}

static void saving_and_restoring_stop_allocating(void **state)
{
    static const globe first;
    garden            *g           = *state;
    uint32_t           allocations = 0;
    make_watch(g);
    fill_journal(g);
    globe_set(g->world, first);
    for (uint32_t n = 1; n <= 120; n++) {
        allocations = n == 60 ? g->memory.allocations : allocations;
        change_all(g, n % 10);
        uint64_t frame = kith_frames_save(g->frames);
        assert_int_not_equal(frame, 0);
        if (n % 5 == 0) {
            assert_true(kith_frames_restore(g->frames, frame - 3));
        }
    }
    assert_int_equal(g->memory.allocations, allocations);
    assert_world_valid(g->world);
}

static void a_fixed_ring_has_room_for_pieces(void **state)
{
    const kith_frames_desc desc = { .capacity = 64, .bytes = 4u << 20, .fixed = true };
    garden                *g    = *state;
    kith_frames           *ring = kith_frames_create(g->world, &desc);
    static const globe     first;
    uint64_t               hash[3];
    make_watch(g);
    globe_set(g->world, first);
    for (uint32_t n = 1; n <= 300; n++) {
        change_all(g, n);
        assert_int_equal(kith_frames_save(ring), n);
        hash[n % 3] = exact_hash(g->world);
    }
    assert_true(kith_frames_report_of(ring).frames > 8); // of whole lists it would have 3
    assert_true(kith_frames_restore(ring, 298) && exact_hash(g->world) == hash[298 % 3]);
    assert_world_valid(g->world);
}

// The state of an object is one block, for which a full ring has no place.
static void a_full_ring_saves_a_large_object(void **state)
{
    const kith_frames_desc desc = { .capacity = 64, .bytes = 4u << 20, .fixed = true };
    garden                *g    = *state;
    kith_frames           *ring = kith_frames_create(g->world, &desc);
    static const globe     first;
    uint64_t               frame;
    make_watch(g);
    globe_set(g->world, first);
    for (frame = 1; frame < 100; frame++) {
        change_all(g, (uint32_t)frame);
        assert_int_equal(kith_frames_save(ring), frame);
    }
    assert_true(kith_frames_report_of(ring).frames < 60);
    map *land = (map *)kith_object_of(g->world, &map_ops, "land");
    for (; frame < 104; frame++) {
        land->cells[5000] = (uint32_t)frame;
        assert_int_equal(kith_frames_save(ring), frame);
    }
    assert_true(kith_frames_restore(ring, 101) && land->cells[5000] == 101);
    assert_world_valid(g->world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_GARDEN(a_member_that_leaves_a_set_costs_a_piece),
        IN_GARDEN(a_member_that_enters_a_set_costs_a_piece),
        IN_GARDEN(a_set_that_was_emptied_is_filled_by_a_restore),
        IN_GARDEN(a_set_that_closes_holes_is_saved_again),
        IN_GARDEN(a_removal_costs_a_piece_of_the_journal),
        IN_GARDEN(an_entity_that_leaves_costs_a_piece_of_the_tracked_list),
        IN_GARDEN(a_tracked_entity_that_is_gone_comes_back),
        IN_GARDEN(an_event_costs_a_piece_of_the_queue),
        IN_GARDEN(a_queue_that_was_emptied_is_saved_again),
        IN_GARDEN(a_member_costs_a_page_of_the_list_of_a_group),
        IN_GARDEN(a_disabled_row_costs_a_piece),
        IN_GARDEN(a_singleton_is_copied_when_it_was_written),
        IN_GARDEN(a_singleton_with_hooks_is_copied_when_it_was_written),
        IN_GARDEN(a_transient_singleton_is_absent_after_a_restore),
        IN_GARDEN(a_singleton_that_an_old_pointer_wrote_is_reported_and_saved),
        IN_GARDEN(an_item_of_an_object_costs_a_piece),
        IN_GARDEN(saving_and_restoring_stop_allocating),
        IN_GARDEN(a_fixed_ring_has_room_for_pieces),
        IN_GARDEN(a_full_ring_saves_a_large_object),
    };
    return cmocka_run_group_tests_name("frame_lists", tests, NULL, NULL);
}
