// SPDX-License-Identifier: MIT
// Hierarchies: parents, ordered children, walks, what happens to the links when entities go, and
// random calls against a naive tree.
#include "kith/frames.h"
#include "kith/hierarchy.h"
#include "kith_test.h"

#include <stdio.h>

#define COUNT_OF(X) ((uint32_t)(sizeof(X) / sizeof((X)[0])))

enum { SCENE = 20, OWNERS = 21 };

KITH_COMPONENT(scene, kith_node, SCENE);
KITH_QUERY(nodes, read(scene));

#define NODES 12

typedef struct family {
    test_memory memory;
    kith_world *world;
    kith_entity e[NODES];
} family;

static void open_family(family *f, kith_children children)
{
    const kith_hierarchy_desc desc = { "scene", SCENE, children, false };
    f->world                       = test_world(&f->memory);
    assert_true(game_register(f->world));
    assert_int_equal(kith_hierarchy_register(f->world, &desc), SCENE);
    assert_true(kith_entity_create_many(f->world, f->e, NODES, NULL, 0));
}

static void assert_links_valid(const kith_world *world)
{
    const char *reason = NULL;
    if (!kith_hierarchy_validate(world, SCENE, &reason)) {
        fail_msg("the hierarchy is not valid: %s", reason);
    }
    assert_null(reason);
}

static void close_family(family *f)
{
    assert_links_valid(f->world);
    test_world_end(f->world, &f->memory);
}

static int setup_as(void **state, kith_children children)
{
    family *f = calloc(1, sizeof *f);
    open_family(f, children);
    *state = f;
    return 0;
}

static int setup(void **state)
{
    return setup_as(state, KITH_CHILDREN_ORPHAN);
}

static int setup_ending(void **state)
{
    return setup_as(state, KITH_CHILDREN_DESTROY);
}

static int teardown(void **state)
{
    close_family(*state);
    free(*state);
    return 0;
}

#define TEST_ENDING(NAME) cmocka_unit_test_setup_teardown(NAME, setup_ending, teardown)

static bool append(family *f, uint32_t parent, uint32_t child)
{
    return kith_hierarchy_append(f->world, SCENE, f->e[parent], f->e[child]);
}

static const kith_node *node(const family *f, uint32_t i)
{
    return links_of(f->world, SCENE, f->e[i]);
}

//        0
//     1  2  3
//    4 5   6
//      7
static void plant(family *f)
{
    static const uint32_t parents[8] = { 0, 0, 0, 0, 1, 1, 3, 5 };
    for (uint32_t i = 1; i < COUNT_OF(parents); i++) {
        assert_true(append(f, parents[i], i));
    }
}

static bool append_later(kith_commands *commands, kith_entity parent, kith_entity child)
{
    return kith_hierarchy_append_later(commands, SCENE, parent, child);
}

// --- writing trees down ----------------------------------------------------------------------

typedef struct sketch {
    char   text[512];
    size_t length;
} sketch;

static void sketch_entity(sketch *s, kith_entity entity)
{
    s->length += (size_t)snprintf(s->text + s->length, sizeof s->text - s->length, "%s%u",
                                  s->length == 0 ? "" : " ", kith_entity_index(entity));
}

static void assert_sketch(const sketch *s, const char *expected)
{
    assert_string_equal(s->length == 0 ? "" : s->text, expected);
}

static void assert_walk(const family *f, uint32_t top, const char *expected)
{
    sketch s = { .length = 0 };
    for (kith_entity e = kith_hierarchy_next(f->world, SCENE, f->e[top], KITH_NULL); e != KITH_NULL;
         e             = kith_hierarchy_next(f->world, SCENE, f->e[top], e)) {
        sketch_entity(&s, e);
    }
    assert_sketch(&s, expected);
    assert_links_valid(f->world);
}

static void assert_children(const family *f, uint32_t parent, const char *expected)
{
    sketch      s    = { .length = 0 };
    kith_entity last = KITH_NULL;
    uint32_t    n    = 0;
    for (kith_entity e = node(f, parent)->first; e != KITH_NULL;
         e             = links_of(f->world, SCENE, e)->next) {
        assert_int_equal(links_of(f->world, SCENE, e)->previous, last);
        sketch_entity(&s, e);
        last = e;
        n++;
    }
    assert_sketch(&s, expected);
    assert_int_equal(node(f, parent)->last, last);
    assert_int_equal(node(f, parent)->count, n);
    assert_links_valid(f->world);
}

static void assert_rows(const family *f, kith_component component, const char *expected)
{
    sketch s = { .length = 0 };
    for (uint32_t row = 0; row < kith_component_stats(f->world, component).rows; row++) {
        sketch_entity(&s, kith_component_entity(f->world, component, row));
    }
    assert_sketch(&s, expected);
}

// --- linking ---------------------------------------------------------------------------------

static void an_appended_child_comes_last(void **state)
{
    family *f = *state;

    assert_true(append(f, 0, 1));
    assert_true(append(f, 0, 2));
    assert_true(append(f, 0, 3));

    assert_children(f, 0, "1 2 3");
    assert_int_equal(node(f, 2)->parent, f->e[0]);
    assert_int_equal(node(f, 0)->parent, KITH_NULL);
}

static void a_child_is_inserted_before_a_sibling(void **state)
{
    family *f = *state;
    append(f, 0, 1);

    assert_true(kith_hierarchy_insert(f->world, SCENE, f->e[0], f->e[2], f->e[1]));
    assert_true(kith_hierarchy_insert(f->world, SCENE, f->e[0], f->e[3], f->e[1]));
    assert_true(kith_hierarchy_insert(f->world, SCENE, f->e[0], f->e[4], KITH_NULL));

    assert_children(f, 0, "2 3 1 4");
}

static void a_child_is_inserted_at_a_place(void **state)
{
    family *f = *state;
    plant(f);

    assert_true(kith_hierarchy_insert_at(f->world, SCENE, f->e[0], f->e[8], 0));
    assert_true(kith_hierarchy_insert_at(f->world, SCENE, f->e[0], f->e[9], 2));
    assert_true(kith_hierarchy_insert_at(f->world, SCENE, f->e[0], f->e[10], 99));
    assert_children(f, 0, "8 1 9 2 3 10");

    assert_true(kith_hierarchy_insert_at(f->world, SCENE, f->e[0], f->e[8], 1));
    assert_children(f, 0, "1 8 9 2 3 10");
    assert_true(kith_hierarchy_insert_at(f->world, SCENE, f->e[0], f->e[8], 1));
    assert_children(f, 0, "1 8 9 2 3 10");
    assert_true(kith_hierarchy_insert_at(f->world, SCENE, f->e[11], f->e[2], 3));
    assert_children(f, 11, "2");
}

static void a_child_that_is_appended_again_comes_last(void **state)
{
    family *f = *state;
    plant(f);

    assert_true(append(f, 0, 1)); // the first child
    assert_children(f, 0, "2 3 1");
    assert_true(append(f, 0, 3)); // one between two others
    assert_children(f, 0, "2 1 3");
    assert_true(append(f, 0, 3)); // the last child
    assert_children(f, 0, "2 1 3");
    assert_true(append(f, 3, 6)); // the only child
    assert_children(f, 3, "6");
    assert_walk(f, 0, "0 2 1 4 5 7 3 6");
}

static void a_new_place_takes_along_what_is_below(void **state)
{
    family *f = *state;
    plant(f);

    assert_true(kith_hierarchy_insert(f->world, SCENE, f->e[3], f->e[1], f->e[6]));
    assert_walk(f, 0, "0 2 3 1 4 5 7 6");

    assert_true(append(f, 0, 2));
    assert_walk(f, 0, "0 3 1 4 5 7 6 2");
}

static void a_detached_node_is_a_root(void **state)
{
    family *f = *state;
    plant(f);

    assert_true(kith_hierarchy_detach(f->world, SCENE, f->e[1]));
    assert_false(kith_hierarchy_detach(f->world, SCENE, f->e[1]));
    assert_false(kith_hierarchy_detach(f->world, SCENE, f->e[11]));

    assert_walk(f, 0, "0 2 3 6");
    assert_walk(f, 1, "1 4 5 7");
    assert_int_equal(f->memory.errors, 0);
}

static void no_node_is_linked_below_itself(void **state)
{
    family *f = *state;
    plant(f);

    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, append(f, 7, 1));
    assert_error_text(f->world, "kith_hierarchy_append: \"scene\": the parent is the child or "
                                "below it (\"entity 7v1\"): entity 1v1");
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, append(f, 1, 1));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, append(f, 9, 9));
    assert_null(node(f, 9));

    assert_walk(f, 0, "0 1 4 5 7 2 3 6");
}

static void before_must_be_another_child_of_the_parent(void **state)
{
    family *f = *state;
    plant(f);
    kith_entity wrong[] = { f->e[6], f->e[1], f->e[9], f->e[0], handle(3, 9) };

    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                       kith_hierarchy_insert(f->world, SCENE, f->e[0], f->e[1], wrong[i]));
    }
    assert_error_text(f->world,
                      "kith_hierarchy_insert: \"scene\": `before` is not another child of the "
                      "parent (\"entity 3v9\"): entity 0v1");
    assert_walk(f, 0, "0 1 4 5 7 2 3 6");
}

static void a_world_may_have_several(void **state)
{
    family *f = *state;
    plant(f);
    const kith_hierarchy_desc owners = { "owners", OWNERS, KITH_CHILDREN_DESTROY, false };

    assert_int_equal(kith_hierarchy_register(f->world, &owners), OWNERS);
    assert_true(kith_hierarchy_append(f->world, OWNERS, f->e[7], f->e[2]));
    kith_entity_destroy(f->world, f->e[7]);

    assert_false(kith_entity_alive(f->world, f->e[2]));
    assert_walk(f, 0, "0 1 4 5 3 6");
    assert_true(kith_hierarchy_validate(f->world, OWNERS, NULL));
}

// --- asking ----------------------------------------------------------------------------------

static void questions_about_what_is_above(void **state)
{
    family     *f = *state;
    kith_world *w = f->world;
    plant(f);

    assert_int_equal(kith_hierarchy_root(w, SCENE, f->e[7]), f->e[0]);
    assert_int_equal(kith_hierarchy_root(w, SCENE, f->e[0]), f->e[0]);
    assert_int_equal(kith_hierarchy_depth(w, SCENE, f->e[7]), 3);
    assert_int_equal(kith_hierarchy_depth(w, SCENE, f->e[0]), 0);
    assert_true(kith_hierarchy_is_below(w, SCENE, f->e[7], f->e[1]));
    assert_true(kith_hierarchy_is_below(w, SCENE, f->e[7], f->e[0]));
    assert_false(kith_hierarchy_is_below(w, SCENE, f->e[7], f->e[7]));
    assert_false(kith_hierarchy_is_below(w, SCENE, f->e[7], f->e[3]));
    assert_false(kith_hierarchy_is_below(w, SCENE, f->e[0], f->e[7]));
    assert_false(kith_hierarchy_is_below(w, SCENE, f->e[0], KITH_NULL));
}

static void questions_about_entities_that_are_no_nodes_report_no_error(void **state)
{
    family     *f      = *state;
    kith_world *w      = f->world;
    kith_entity none[] = { f->e[9], KITH_NULL, handle(1, 7), handle(4000, 1), UINT64_MAX };

    for (uint32_t i = 0; i < COUNT_OF(none); i++) {
        assert_null(links_of(w, SCENE, none[i]));
        assert_int_equal(kith_hierarchy_root(w, SCENE, none[i]), KITH_NULL);
        assert_int_equal(kith_hierarchy_depth(w, SCENE, none[i]), 0);
        assert_false(kith_hierarchy_is_below(w, SCENE, none[i], f->e[0]));
        assert_int_equal(kith_hierarchy_next(w, SCENE, none[i], KITH_NULL), KITH_NULL);
        assert_int_equal(kith_hierarchy_next(w, SCENE, f->e[0], none[i]), KITH_NULL);
        assert_int_equal(kith_hierarchy_skip(w, SCENE, f->e[0], none[i]), KITH_NULL);
        assert_int_equal(kith_hierarchy_levels(w, SCENE, none[i], NULL, 0), 0);
    }
    assert_int_equal(f->memory.errors, 0);
}

static void a_walk_goes_depth_first(void **state)
{
    family *f = *state;
    plant(f);

    assert_walk(f, 0, "0 1 4 5 7 2 3 6");
    assert_walk(f, 1, "1 4 5 7");
    assert_walk(f, 7, "7");
    assert_int_equal(kith_hierarchy_skip(f->world, SCENE, f->e[0], f->e[1]), f->e[2]);
    assert_int_equal(kith_hierarchy_skip(f->world, SCENE, f->e[0], f->e[7]), f->e[2]);
    assert_int_equal(kith_hierarchy_skip(f->world, SCENE, f->e[1], f->e[5]), KITH_NULL);
    assert_int_equal(kith_hierarchy_skip(f->world, SCENE, f->e[0], f->e[0]), KITH_NULL);
}

static void a_walk_sees_changes_ahead_of_it(void **state)
{
    family     *f  = *state;
    sketch      s  = { .length = 0 };
    kith_entity at = KITH_NULL;
    plant(f);

    while ((at = kith_hierarchy_next(f->world, SCENE, f->e[0], at)) != KITH_NULL) {
        sketch_entity(&s, at);
        if (at == f->e[4]) {
            append(f, 4, 8);                                 // below the present one
            kith_hierarchy_detach(f->world, SCENE, f->e[2]); // ahead
            append(f, 0, 5);                                 // to the end
            append(f, 7, 1);                                 // the present one's parent, further on
        }
    }

    assert_sketch(&s, "0 1 4 8");
    assert_walk(f, 0, "0 3 6 5 7 1 4 8");
}

static void levels_are_listed_breadth_first(void **state)
{
    family     *f = *state;
    kith_entity list[NODES];
    plant(f);

    for (uint32_t capacity = 0; capacity <= NODES; capacity++) {
        sketch s = { .length = 0 };
        memset(list, 0, sizeof list);
        assert_int_equal(kith_hierarchy_levels(f->world, SCENE, f->e[0], list, capacity), 8);
        for (uint32_t i = 0; i < NODES && list[i] != KITH_NULL; i++) {
            sketch_entity(&s, list[i]);
        }
        const char expected[] = "0 1 2 3 4 5 6 7";
        uint32_t   shown      = capacity > 8 ? 8 : capacity;
        assert_int_equal(s.length, shown == 0 ? 0 : 2 * shown - 1);
        assert_memory_equal(s.text, expected, s.length);
    }
    assert_int_equal(kith_hierarchy_levels(f->world, SCENE, f->e[1], list, NODES), 4);
}

// --- going -----------------------------------------------------------------------------------

static void children_of_a_destroyed_parent_become_roots(void **state)
{
    family *f = *state;
    plant(f);

    kith_entity_destroy(f->world, f->e[1]);

    assert_walk(f, 0, "0 2 3 6");
    assert_walk(f, 4, "4");
    assert_walk(f, 5, "5 7");
}

static void a_removed_node_leaves_no_link(void **state)
{
    family *f = *state;
    plant(f);

    assert_true(scene_remove(f->world, f->e[1]));
    assert_true(scene_remove(f->world, f->e[3]));

    assert_walk(f, 0, "0 2");
    assert_walk(f, 5, "5 7");
    assert_int_equal(node(f, 6)->parent, KITH_NULL);
    assert_true(scene_clear(f->world));
    assert_links_valid(f->world);
}

static void a_removed_node_leaves_its_children_alive_under_either_policy(void **state)
{
    family *f = *state;
    plant(f);

    assert_true(scene_remove(f->world, f->e[1]));

    assert_walk(f, 0, "0 2 3 6");
    assert_walk(f, 5, "5 7");
    assert_int_equal(kith_entity_count(f->world), NODES);
}

static void a_destroyed_parent_destroys_all_nodes_below_it(void **state)
{
    family *f = *state;
    plant(f);

    kith_entity_destroy(f->world, f->e[1]);

    assert_walk(f, 0, "0 2 3 6");
    assert_int_equal(kith_entity_count(f->world), NODES - 4);
    kith_entity_destroy(f->world, f->e[0]);
    assert_int_equal(kith_entity_count(f->world), NODES - 8);
    assert_int_equal(scene_count(f->world), 0);
}

static void write_end(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    sketch_entity(context, notice->entity);
}

static void the_lowest_go_first(void **state)
{
    family *f = *state;
    sketch  s = { .length = 0 };
    plant(f);
    kith_listener_connect(
        f->world,
        &(kith_listener_desc){ .event = KITH_EVENT_DESTROY, .call = write_end, .context = &s });

    kith_entity_destroy(f->world, f->e[0]);

    assert_sketch(&s, "6 3 2 7 5 4 1 0");
}

static void a_batch_may_have_parents_and_children(void **state)
{
    family *f = *state;
    plant(f);
    const kith_entity both[] = { f->e[1], f->e[7], f->e[3] };

    assert_true(kith_entity_destroy_many(f->world, kith_entities_of(both, 3)));

    assert_walk(f, 0, "0 2");
    assert_int_equal(kith_entity_count(f->world), NODES - 6);
    kith_world_clear(f->world);
    assert_int_equal(scene_count(f->world), 0);
}

static void deep_and_wide_families_go_without_recursion(void **state)
{
    family        *f     = *state;
    const uint32_t depth = test_thinned(200000);
    kith_entities  chain = kith_entity_create_range(f->world, depth);
    for (uint32_t i = 1; i < depth; i++) { // upwards: no link has to climb
        assert_true(kith_hierarchy_append(f->world, SCENE, chain.first + depth - i - 1,
                                          chain.first + depth - i));
        assert_true(i % 2 == 0 || kith_hierarchy_append(f->world, SCENE, chain.first + depth - i,
                                                        kith_entity_create(f->world)));
    }
    assert_int_equal(kith_hierarchy_depth(f->world, SCENE, chain.first + depth - 1), depth - 1);
    assert_links_valid(f->world);

    kith_entity_destroy(f->world, chain.first);

    assert_int_equal(kith_entity_count(f->world), NODES);
    assert_int_equal(f->memory.errors, 0);
}

static void destroy_parent_of(kith_world *world, const kith_notice *notice, void *context)
{
    family *f = context;
    kith_entity_destroy(world, f->e[1]);
    (void)notice;
}

// The listener of a component that is registered before the nodes are: the dying child still has
// its links when its parent is destroyed.
static void a_dying_child_may_destroy_its_parent(void **state)
{
    family *f = *state;
    plant(f);
    health_set(f->world, f->e[5], 1);
    health_on_remove(f->world, destroy_parent_of, f);

    kith_entity_destroy(f->world, f->e[5]);

    assert_walk(f, 0, "0 2 3 6");
    assert_int_equal(kith_entity_count(f->world), NODES - 4);
}

static void destroy_notice_entity(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    kith_entity_destroy(world, notice->entity);
}

static void a_leaving_node_may_be_destroyed(void **state)
{
    family *f = *state;
    plant(f);
    kith_listener_connect(f->world, &(kith_listener_desc){ .event     = KITH_EVENT_REMOVE,
                                                           .component = SCENE,
                                                           .call      = destroy_notice_entity,
                                                           .priority  = INT32_MAX });

    scene_remove(f->world, f->e[1]);

    assert_false(kith_entity_alive(f->world, f->e[1]));
    assert_walk(f, 0, "0 2 3 6");
    assert_walk(f, 5, "5 7");
}

static void append_to_notice_entity(kith_world *world, const kith_notice *notice, void *context)
{
    family *f = context;
    assert_false(kith_hierarchy_append(world, SCENE, notice->entity, f->e[8]));
    assert_error(world, KITH_ERROR_DYING);
    assert_false(kith_hierarchy_append(world, SCENE, f->e[8], notice->entity));
    assert_error(world, KITH_ERROR_DYING);
}

static void a_dying_entity_gets_no_links(void **state)
{
    family *f = *state;
    plant(f);
    scene_on_remove(f->world, append_to_notice_entity, f);

    scene_remove(f->world, f->e[1]);
    kith_entity_destroy(f->world, f->e[0]);

    assert_links_valid(f->world);
}

static void destroy_next(kith_world *world, const kith_notice *notice, void *context)
{
    const kith_entity *family_of = context;
    uint32_t           at = kith_entity_index(notice->entity) - kith_entity_index(*family_of);
    kith_entity_destroy(world, family_of[at + 1]);
}

// At the depth at which no listener can be called any more, children cannot be destroyed.
static void children_that_cannot_be_destroyed_become_roots(void **state)
{
    family     *f = *state;
    kith_entity list[40];
    kith_entity child = kith_entity_create(f->world);
    assert_true(kith_entity_create_many(f->world, list, 40, NULL, 0));
    for (uint32_t i = 0; i < 32; i++) {
        health_set(f->world, list[i], 1);
    }
    kith_hierarchy_append(f->world, SCENE, list[31], child);
    health_on_remove(f->world, destroy_next, list);

    kith_entity_destroy(f->world, list[0]);

    assert_false(kith_entity_alive(f->world, list[31]));
    assert_true(kith_entity_alive(f->world, child));
    assert_int_equal(links_of(f->world, SCENE, child)->parent, KITH_NULL);
}

static void links_hold_while_a_loop_is_open(void **state)
{
    family *f = *state;
    plant(f);

    kith_world_hold(f->world);
    kith_entity_destroy(f->world, f->e[1]);
    scene_remove(f->world, f->e[3]);
    assert_walk(f, 0, "0 2");
    assert_true(append(f, 2, 3));
    assert_true(append(f, 3, 9));
    assert_walk(f, 0, "0 2 3 9");
    kith_world_release(f->world);

    assert_walk(f, 0, "0 2 3 9");
}

// --- nodes that come -------------------------------------------------------------------------

static void a_copied_node_is_alone(void **state)
{
    family     *f = *state;
    kith_entity copies[3];
    plant(f);

    assert_true(kith_entity_clone_many(f->world, f->e[1], copies, 3));
    scene_set(f->world, f->e[9], *node(f, 1));

    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(links_of(f->world, SCENE, copies[i])->parent, KITH_NULL);
        assert_int_equal(links_of(f->world, SCENE, copies[i])->count, 0);
    }
    assert_int_equal(node(f, 9)->first, KITH_NULL);
    assert_walk(f, 0, "0 1 4 5 7 2 3 6");
}

// Values that match each other are no links either: no node is below itself.
static void a_new_node_is_alone_whatever_it_came_with(void **state)
{
    family   *f = *state;
    kith_node saved[4];
    plant(f);
    for (uint32_t i = 0; i < 4; i++) {
        saved[i] = *node(f, i);
    }
    assert_true(kith_component_clear(f->world, SCENE));
    assert_true(scene_set_many(f->world, f->e, 2, saved));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(node(f, i)->parent | node(f, i)->first | node(f, i)->last, KITH_NULL);
        assert_int_equal(node(f, i)->count, 0);
    }
    kith_node self = { .parent = f->e[5], .first = f->e[5], .last = f->e[5], .count = 1 };
    assert_non_null(scene_set(f->world, f->e[5], self));
    assert_int_equal(node(f, 5)->parent, KITH_NULL);
    assert_true(kith_entity_destroy(f->world, f->e[5]));
}

static void note_that_it_was_set(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    *(bool *)context = true;
}

static void write_node_values(family *f)
{
    kith_node      lost = { .parent = f->e[11], .first = f->e[11], .next = f->e[11], .count = 9 };
    kith_values    set  = { SCENE, &lost, 0 };
    kith_commands *late = kith_commands_create(f->world, NULL);
    assert_ptr_equal(scene_set(f->world, f->e[1], lost), node(f, 1));
    assert_ptr_equal(kith_component_set(f->world, f->e[3], SCENE, NULL), node(f, 3));
    assert_false(scene_set_if_changed(f->world, f->e[4], lost));
    assert_true(scene_fill_many(f->world, f->e, 8, lost));
    assert_true(kith_entity_set_many(f->world, kith_entities_of(f->e, 8), &set, 1));
    assert_true(kith_entity_set_components(f->world, kith_entities_of(f->e, 8), &set, 1));
    assert_true(scene_set_later(late, f->e[5], lost));
    assert_true(kith_component_set_later(late, f->e[6], SCENE, NULL));
    assert_true(kith_commands_apply(late, f->world));
    assert_true(kith_commands_destroy(late));
}

// Its value is its links, which no other call writes: not even bytes that match are written.
static void a_value_for_a_node_that_is_there_changes_nothing(void **state)
{
    family *f   = *state;
    bool    set = false;
    plant(f);
    scene_on_set(f->world, note_that_it_was_set, &set);
    uint64_t tick = kith_world_advance(f->world);

    write_node_values(f);

    assert_false(set);
    assert_true(kith_component_stamp(f->world, SCENE, 0) < tick);
    assert_walk(f, 0, "0 1 4 5 7 2 3 6");
    assert_links_valid(f->world);
}

static void ask_for_roots(kith_world *world, const kith_notice *notice, void *context)
{
    family *f = context;
    (void)notice;
    for (uint32_t i = 8; i < 10; i++) {
        assert_int_equal(kith_hierarchy_root(world, SCENE, f->e[i]), f->e[i]);
        assert_int_equal(kith_hierarchy_next(world, SCENE, f->e[i], f->e[i]), KITH_NULL);
    }
    assert_links_valid(world);
}

// Typed code may register its component at any time. Its hooks, of which there are none, do not
// replace those that keep copied links out: also before all members of a batch are announced.
static void a_component_registered_again_is_still_a_hierarchy(void **state)
{
    family   *f    = *state;
    kith_node lost = { .parent = f->e[11], .first = f->e[11], .next = f->e[11], .unused = 1 };
    plant(f);
    assert_true(scene_register(f->world));
    scene_on_add(f->world, ask_for_roots, f);

    assert_true(scene_fill_many(f->world, f->e + 8, 2, lost));

    assert_int_equal(node(f, 8)->unused, 0);
    assert_int_equal(node(f, 9)->next, KITH_NULL);
}

static void append_below_last(kith_world *world, const kith_notice *notice, void *context)
{
    family *f = context;
    kith_hierarchy_append(world, SCENE, f->e[2], notice->entity);
    kith_hierarchy_append(world, SCENE, notice->entity, f->e[8]);
}

// The values of a batch are there before a listener is called: what is linked or destroyed
// meanwhile is not what the copied links say.
static void links_made_before_a_copy_is_reported_stay(void **state)
{
    family     *f = *state;
    kith_entity copy;
    plant(f);
    health_set(f->world, f->e[1], 1);
    health_on_add(f->world, append_below_last, f);

    assert_true(kith_entity_clone_many(f->world, f->e[1], &copy, 1));

    assert_walk(f, 0, "0 1 4 5 7 2 12 8 3 6");
}

static void copies_destroyed_before_they_are_reported_destroy_no_others(void **state)
{
    family     *f = *state;
    kith_entity copy[2];
    plant(f);
    health_set(f->world, f->e[1], 1);
    health_on_add(f->world, destroy_notice_entity, f);

    assert_true(kith_entity_clone_many(f->world, f->e[1], copy, 2));

    assert_false(kith_entity_alive(f->world, copy[0]));
    assert_walk(f, 0, "0 1 4 5 7 2 3 6");
    assert_int_equal(kith_entity_count(f->world), NODES);
}

static void remove_from_notice_entity(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    scene_remove(world, notice->entity);
}

static void a_node_that_a_listener_takes_away_is_not_linked(void **state)
{
    family *f = *state;
    scene_on_add(f->world, remove_from_notice_entity, NULL);

    assert_false(append(f, 0, 1));

    assert_int_equal(scene_count(f->world), 0);
    assert_int_equal(f->memory.errors, 0);
}

static void link_the_other_way(kith_world *world, const kith_notice *notice, void *context)
{
    family *f = context;
    if (notice->entity == f->e[0]) {
        kith_hierarchy_append(world, SCENE, f->e[1], f->e[0]);
    }
}

static void a_listener_may_link_what_is_being_linked(void **state)
{
    family *f = *state;
    scene_on_add(f->world, link_the_other_way, f);

    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, append(f, 0, 1));

    assert_walk(f, 1, "1 0");
}

enum { MOTOR = 30, LATE_SCENE = 31 };

static void link_unheard(kith_world *world, const kith_notice *notice, void *context)
{
    family *f = context;
    assert_false(kith_hierarchy_append(world, LATE_SCENE, f->e[0], notice->entity));
    assert_error_text(world,
                      "kith_hierarchy_append: not while the add event of the node is pending");
    kith_component_remove(world, notice->entity, LATE_SCENE);
}

// A component requires a motor and nodes; the motor's listener is called first.
static void a_node_that_is_still_to_be_announced_is_not_linked(void **state)
{
    family                   *f          = *state;
    const kith_component      required[] = { MOTOR, LATE_SCENE };
    const kith_hierarchy_desc late       = { "late", LATE_SCENE, KITH_CHILDREN_ORPHAN, false };
    test_register_tag(f->world, "motor", MOTOR);
    kith_hierarchy_register(f->world, &late);
    kith_component_desc vehicle = { .name = "vehicle", .kind = KITH_KIND_TAG };
    vehicle.traits              = (kith_traits){ .required = required, .required_count = 2 };
    kith_component id           = kith_component_register(f->world, &vehicle);
    kith_listener_connect(f->world, &(kith_listener_desc){ .event     = KITH_EVENT_ADD,
                                                           .component = MOTOR,
                                                           .call      = link_unheard,
                                                           .context   = f });

    kith_component_add(f->world, f->e[3], id, NULL);

    assert_true(kith_hierarchy_validate(f->world, LATE_SCENE, NULL));
    assert_false(kith_component_has(f->world, f->e[3], LATE_SCENE));
}

// --- order -----------------------------------------------------------------------------------

static int compare_last_digits(kith_entity a, kith_entity b, void *context)
{
    uint32_t base = *(const uint32_t *)context;
    return (int)(kith_entity_index(a) % base) - (int)(kith_entity_index(b) % base);
}

static void children_are_sorted_and_equals_keep_their_order(void **state)
{
    family  *f    = *state;
    uint32_t base = 3;
    for (uint32_t i = 11; i > 0; i--) {
        append(f, 0, i);
    }

    assert_true(kith_hierarchy_sort_children(f->world, SCENE, f->e[0], compare_last_digits, &base));
    assert_children(f, 0, "9 6 3 10 7 4 1 11 8 5 2");

    base = 100;
    assert_true(kith_hierarchy_sort_children(f->world, SCENE, f->e[0], compare_last_digits, &base));
    assert_children(f, 0, "1 2 3 4 5 6 7 8 9 10 11");
    assert_true(kith_hierarchy_sort_children(f->world, SCENE, f->e[4], compare_last_digits, &base));
    assert_children(f, 4, "");
}

static int compare_and_change(kith_entity a, kith_entity b, void *context)
{
    (void)a;
    (void)b;
    family *f = context;
    assert_false(append(f, 8, 9));
    assert_error(f->world, KITH_ERROR_BUSY);
    return 0;
}

static void comparing_changes_nothing(void **state)
{
    family *f = *state;
    plant(f);

    assert_true(kith_hierarchy_sort_children(f->world, SCENE, f->e[0], compare_and_change, f));

    assert_children(f, 0, "1 2 3");
}

static void sorted_rows_have_parents_before_children(void **state)
{
    family *f = *state;
    append(f, 7, 6);
    append(f, 6, 5);
    append(f, 7, 4);
    append(f, 2, 1);
    append(f, 4, 3);
    append(f, 2, 7);

    assert_true(kith_hierarchy_sort(f->world, SCENE));
    assert_rows(f, SCENE, "2 1 7 6 4 5 3");

    scene_remove(f->world, f->e[7]);
    append(f, 3, 8);
    assert_true(kith_hierarchy_sort(f->world, SCENE));
    assert_rows(f, SCENE, "2 6 4 1 5 3 8");
    assert_links_valid(f->world);
}

static void sorted_rows_that_are_in_order_do_not_move(void **state)
{
    family *f = *state;
    plant(f);
    kith_hierarchy_sort(f->world, SCENE);
    assert_rows(f, SCENE, "0 1 2 3 4 5 6 7");
    uint64_t stamp = scene_stamp(f->world, 0);
    kith_world_advance(f->world);

    assert_true(kith_hierarchy_sort(f->world, SCENE));

    assert_int_equal(scene_stamp(f->world, 0), stamp);
}

static void links_stamp_the_pages_of_all_nodes_that_they_change(void **state)
{
    family       *f     = *state;
    kith_entities range = kith_entity_create_range(f->world, 3000);
    scene_fill_range(f->world, range, (kith_node){ 0 });
    uint64_t tick = kith_world_advance(f->world);

    kith_hierarchy_append(f->world, SCENE, range.first, range.first + 2999);

    assert_int_equal(scene_stamp(f->world, 0), tick);
    assert_int_not_equal(scene_stamp(f->world, 1024), tick);
    assert_int_equal(scene_stamp(f->world, 2999), tick);
}

static void calls_that_change_no_link_stamp_nothing(void **state)
{
    family *f = *state;
    plant(f);
    uint64_t before = scene_stamp(f->world, 0);
    kith_world_advance(f->world);

    assert_false(kith_hierarchy_detach(f->world, SCENE, f->e[0]));
    assert_refused(&f->memory, f->world, KITH_ERROR_NULL_ENTITY,
                   kith_hierarchy_append(f->world, SCENE, f->e[0], KITH_NULL));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_hierarchy_append(f->world, SCENE, f->e[7], f->e[1]));

    assert_int_equal(scene_stamp(f->world, 0), before);
}

// --- errors ----------------------------------------------------------------------------------

static void links_with_dead_or_null_entities_are_errors(void **state)
{
    family     *f    = *state;
    kith_world *w    = f->world;
    kith_entity dead = f->e[11];
    plant(f);
    kith_entity_destroy(w, dead);

    assert_refused(&f->memory, w, KITH_ERROR_DEAD_ENTITY,
                   kith_hierarchy_append(w, SCENE, dead, f->e[1]));
    assert_refused(&f->memory, w, KITH_ERROR_DEAD_ENTITY,
                   kith_hierarchy_append(w, SCENE, f->e[8], dead));
    assert_null(node(f, 8));
    assert_refused(&f->memory, w, KITH_ERROR_NULL_ENTITY,
                   kith_hierarchy_insert(w, SCENE, KITH_NULL, f->e[1], KITH_NULL));
    assert_refused(&f->memory, w, KITH_ERROR_NULL_ENTITY,
                   kith_hierarchy_insert_at(w, SCENE, f->e[1], KITH_NULL, 0));
    assert_refused(&f->memory, w, KITH_ERROR_DEAD_ENTITY, kith_hierarchy_detach(w, SCENE, dead));
    assert_refused(&f->memory, w, KITH_ERROR_DEAD_ENTITY,
                   kith_hierarchy_sort_children(w, SCENE, dead, compare_last_digits, NULL));
    assert_refused(&f->memory, w, KITH_ERROR_ARGUMENT,
                   kith_hierarchy_sort_children(w, SCENE, f->e[0], NULL, NULL));
    assert_false(kith_hierarchy_sort_children(w, SCENE, f->e[8], compare_last_digits, NULL));
    assert_walk(f, 0, "0 1 4 5 7 2 3 6");
}

static void assert_no_hierarchy(family *f, kith_component id, kith_error_code code)
{
    kith_world *w = f->world;
    assert_refused(&f->memory, w, code, kith_hierarchy_append(w, id, f->e[0], f->e[1]));
    assert_refused(&f->memory, w, code, kith_hierarchy_insert(w, id, f->e[0], f->e[1], KITH_NULL));
    assert_refused(&f->memory, w, code, kith_hierarchy_insert_at(w, id, f->e[0], f->e[1], 0));
    assert_refused(&f->memory, w, code, kith_hierarchy_detach(w, id, f->e[0]));
    assert_refused(&f->memory, w, code, kith_hierarchy_sort(w, id));
    assert_refused(&f->memory, w, code,
                   kith_hierarchy_sort_children(w, id, f->e[0], compare_last_digits, NULL));
    uint32_t errors = f->memory.errors;
    assert_int_equal(kith_hierarchy_root(w, id, f->e[0]), KITH_NULL);
    assert_int_equal(kith_hierarchy_depth(w, id, f->e[0]), 0);
    assert_false(kith_hierarchy_is_below(w, id, f->e[0], f->e[1]));
    assert_int_equal(kith_hierarchy_next(w, id, f->e[0], KITH_NULL), KITH_NULL);
    assert_int_equal(kith_hierarchy_skip(w, id, f->e[0], f->e[0]), KITH_NULL);
    assert_int_equal(kith_hierarchy_levels(w, id, f->e[0], NULL, 0), 0);
    assert_false(kith_hierarchy_validate(w, id, NULL));
    assert_int_equal(f->memory.errors, errors + 7);
}

static void other_components_are_no_hierarchies(void **state)
{
    family *f = *state;
    sketch  s = { .length = 0 };
    health_on_remove(f->world, write_end, &s);
    health_set(f->world, f->e[0], 1);

    assert_no_hierarchy(f, HEALTH, KITH_ERROR_ARGUMENT);
    assert_no_hierarchy(f, FROZEN, KITH_ERROR_ARGUMENT);
    assert_no_hierarchy(f, HIDDEN, KITH_ERROR_ARGUMENT);
    assert_no_hierarchy(f, 99, KITH_ERROR_UNREGISTERED);
    kith_hierarchy_detach(f->world, HEALTH, f->e[0]);
    assert_error_text(f->world,
                      "kith_hierarchy_detach: \"health\": the component is not a hierarchy");
    kith_component_clear(f->world, HEALTH);
}

static void rows_move_only_when_they_may(void **state)
{
    family *f = *state;
    plant(f);
    const kith_term       terms[] = { { SCENE, KITH_ROLE_OWN, 0 }, { HEALTH, KITH_ROLE_OWN, 0 } };
    const kith_query_desc desc    = { .name = "placed", .terms = terms, .term_count = 2 };

    kith_world_hold(f->world);
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_hierarchy_sort(f->world, SCENE));
    kith_world_release(f->world);
    kith_group *group = kith_group_of(f->world, &desc);
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_hierarchy_sort(f->world, SCENE));
    kith_group_drop(group);
    assert_true(kith_hierarchy_sort(f->world, SCENE));
}

static kith_component register_scene(family *f, kith_component id, kith_children children)
{
    return kith_hierarchy_register(f->world,
                                   &(kith_hierarchy_desc){ "scene", id, children, false });
}

static void a_hierarchy_is_registered_once(void **state)
{
    family *f = *state;

    assert_int_equal(register_scene(f, SCENE, KITH_CHILDREN_ORPHAN), SCENE);
    assert_true(scene_register(f->world));
    assert_refused(&f->memory, f->world, KITH_ERROR_CONFLICT,
                   register_scene(f, SCENE, KITH_CHILDREN_DESTROY));
    assert_error_text(f->world, "kith_hierarchy_register: \"scene\" is registered with children "
                                "none, not 1");
    assert_refused(&f->memory, f->world, KITH_ERROR_CONFLICT,
                   register_scene(f, HEALTH, KITH_CHILDREN_ORPHAN));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   register_scene(f, SCENE, (kith_children)2));
    plant(f);
    assert_walk(f, 0, "0 1 4 5 7 2 3 6");
}

static void a_component_with_links_can_be_registered_as_a_hierarchy(void **state)
{
    family                   *f    = *state;
    const kith_hierarchy_desc late = { "late", LATE_SCENE, KITH_CHILDREN_ORPHAN, false };
    kith_component_desc       desc = scene_desc();
    desc.name                      = "late";
    desc.id                        = LATE_SCENE;
    kith_component_register(f->world, &desc);
    kith_component_set(f->world, f->e[0], LATE_SCENE,
                       &(kith_node){ .first = f->e[1], .last = f->e[1], .count = 1 });

    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_hierarchy_register(f->world, &late));
    assert_error_text(f->world, "kith_hierarchy_register: \"late\": a child does not link "
                                "back");
    kith_component_set(f->world, f->e[1], LATE_SCENE, &(kith_node){ .parent = f->e[0] });
    assert_int_equal(kith_hierarchy_register(f->world, &late), LATE_SCENE);

    assert_true(kith_hierarchy_is_below(f->world, LATE_SCENE, f->e[1], f->e[0]));
    assert_true(kith_hierarchy_validate(f->world, LATE_SCENE, NULL));
}

static void a_hierarchy_is_notified_before_every_listener(void **state)
{
    family             *f    = *state;
    kith_component_desc desc = scene_desc();
    desc.name                = "late";
    desc.id                  = LATE_SCENE;
    kith_component_register(f->world, &desc);
    kith_listener_desc  first = { .event     = KITH_EVENT_REMOVE,
                                  .component = LATE_SCENE,
                                  .call      = write_end,
                                  .priority  = INT32_MAX };
    kith_hierarchy_desc late  = { "late", LATE_SCENE, KITH_CHILDREN_ORPHAN, false };

    kith_listener listener = kith_listener_connect(f->world, &first);
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_hierarchy_register(f->world, &late));
    kith_listener_disconnect(f->world, listener);
    first.event = KITH_EVENT_ADD;
    listener    = kith_listener_connect(f->world, &first);
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_hierarchy_register(f->world, &late));
    kith_listener_disconnect(f->world, listener);
    assert_int_equal(kith_hierarchy_register(f->world, &late), LATE_SCENE);
}

static void ignore_node(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (void)context;
}

// Numbers that the program never got, from the first on and beside one that it did get.
static void no_guess_disconnects_a_hierarchy(void **state)
{
    family                  *f    = *state;
    const kith_listener_desc adds = { .event     = KITH_EVENT_ADD,
                                      .component = SCENE,
                                      .call      = ignore_node };
    kith_listener            mine = kith_listener_connect(f->world, &adds);
    plant(f);
    for (uint64_t guess = 1; guess <= 1000; guess++) {
        assert_false(kith_listener_disconnect(f->world, guess));
        assert_false(kith_listener_disconnect(f->world, mine - guess));
        assert_false(kith_listener_disconnect(f->world, mine + guess));
    }
    kith_world *clone = kith_world_clone(f->world, NULL);
    assert_non_null(clone);
    assert_links_valid(clone);
    assert_world_valid(clone);
    kith_world_destroy(clone);

    assert_true(kith_entity_destroy(f->world, f->e[1]));

    assert_links_valid(f->world);
    assert_walk(f, 0, "0 2 3 6");
    assert_true(node(f, 5)->parent == KITH_NULL);
    assert_true(kith_listener_disconnect(f->world, mine));
}

// --- validating ------------------------------------------------------------------------------

static void assert_reason(family *f, uint32_t i, kith_node value, const char *expected)
{
    const char *reason            = NULL;
    kith_node   was               = *node(f, i);
    *scene_mut(f->world, f->e[i]) = value;
    assert_false(kith_hierarchy_validate(f->world, SCENE, &reason));
    assert_string_equal(reason, expected);
    *scene_mut(f->world, f->e[i]) = was;
    assert_links_valid(f->world);
}

static void every_wrong_link_is_noticed(void **state)
{
    family *f = *state;
    plant(f);
    const kith_node two  = *node(f, 2);
    const kith_node zero = *node(f, 0);
    kith_node       wrong;

    wrong      = zero;
    wrong.next = f->e[1];
    assert_reason(f, 0, wrong, "a root has siblings");
    wrong        = two;
    wrong.parent = f->e[9];
    assert_reason(f, 2, wrong, "a child does not link back");
    assert_true(append(f, 8, 10));
    assert_true(append(f, 8, 11));
    assert_reason(
        f, 0, (kith_node){ .parent = f->e[9], .first = zero.first, .last = zero.last, .count = 3 },
        "the parent is not a node");
    wrong          = two;
    wrong.previous = f->e[3];
    assert_reason(f, 2, wrong, "the next sibling does not link back");
    wrong      = two;
    wrong.next = KITH_NULL;
    assert_reason(f, 2, wrong, "the count of children is wrong");
    wrong       = zero;
    wrong.count = 2;
    assert_reason(f, 0, wrong, "the count of children is wrong");
    wrong       = zero;
    wrong.count = UINT32_MAX;
    assert_reason(f, 0, wrong, "the count of children is wrong");
    wrong      = zero;
    wrong.last = f->e[2];
    assert_reason(f, 0, wrong, "the next sibling does not link back");
    wrong          = *node(f, 3);
    wrong.previous = f->e[1];
    assert_reason(f, 3, wrong, "the next sibling does not link back");
    assert_true(append(f, 9, 0)); // a parent in a later row
    wrong          = *node(f, 0);
    wrong.previous = f->e[2];
    assert_reason(f, 0, wrong, "the parent or the previous sibling does not link back");
}

// Children that lead back to the first, and a count that would let the proof follow them for long.
static void a_ring_of_siblings_is_noticed(void **state)
{
    family *f = *state;
    plant(f);
    kith_node last                      = *node(f, 3);
    scene_mut(f->world, f->e[3])->next  = f->e[1];
    const char *reason                  = NULL;
    scene_mut(f->world, f->e[0])->count = UINT32_MAX;
    assert_false(kith_hierarchy_validate(f->world, SCENE, &reason));
    assert_string_equal(reason, "the count of children is wrong");

    *scene_mut(f->world, f->e[3])       = last;
    scene_mut(f->world, f->e[0])->count = 3;
}

static void a_ring_is_noticed(void **state)
{
    family     *f      = *state;
    const char *reason = NULL;
    append(f, 0, 1);

    *scene_mut(f->world, f->e[0]) =
        (kith_node){ .parent = f->e[1], .first = f->e[1], .last = f->e[1], .count = 1 };
    *scene_mut(f->world, f->e[1]) =
        (kith_node){ .parent = f->e[0], .first = f->e[0], .last = f->e[0], .count = 1 };
    assert_false(kith_hierarchy_validate(f->world, SCENE, &reason));
    assert_string_equal(reason, "nodes form a cycle");

    *scene_mut(f->world, f->e[0]) = (kith_node){ 0 };
    *scene_mut(f->world, f->e[1]) = (kith_node){ 0 };
}

// --- links that a program wrote --------------------------------------------------------------

// Any link to any entity: alive or not, a node or not.
static void break_links(family *f, uint64_t *seed)
{
    kith_node  *hit   = scene_mut(f->world, f->e[test_random_below(seed, NODES)]);
    kith_entity other = f->e[test_random_below(seed, NODES)];
    if (hit != NULL) {
        kith_entity *links[] = { &hit->parent, &hit->first, &hit->last, &hit->previous,
                                 &hit->next };
        *links[test_random_below(seed, 5)] = test_random_below(seed, 4) == 0 ? KITH_NULL : other;
        hit->count                         = test_random_below(seed, 3);
    }
}

static void ask_everything(family *f, uint32_t i, uint32_t k)
{
    kith_entity list[4 * NODES];
    kith_entity e     = f->e[i];
    uint32_t    steps = 0;
    for (; e != KITH_NULL && steps <= NODES; steps++) {
        e = kith_hierarchy_next(f->world, SCENE, f->e[i], e);
    }
    assert_true(steps <= NODES);
    assert_true(kith_hierarchy_depth(f->world, SCENE, f->e[i]) <= NODES);
    kith_hierarchy_root(f->world, SCENE, f->e[i]);
    kith_hierarchy_is_below(f->world, SCENE, f->e[i], f->e[k]);
    kith_hierarchy_skip(f->world, SCENE, f->e[i], f->e[k]);
    kith_hierarchy_levels(f->world, SCENE, f->e[i], list, 4 * NODES);
    kith_hierarchy_validate(f->world, SCENE, NULL);
}

static int by_handle(kith_entity a, kith_entity b, void *context)
{
    (void)context;
    return a < b ? -1 : a > b;
}

static void change_something(family *f, uint32_t i, uint32_t k, uint32_t what)
{
    switch (what) {
    case 0:
        append(f, i, k);
        break;
    case 1:
        kith_hierarchy_insert_at(f->world, SCENE, f->e[i], f->e[k], 1);
        break;
    case 2:
        kith_hierarchy_detach(f->world, SCENE, f->e[i]);
        break;
    case 3:
        kith_hierarchy_sort_children(f->world, SCENE, f->e[i], by_handle, NULL);
        break;
    case 4:
        kith_hierarchy_sort(f->world, SCENE);
        break;
    case 5:
        scene_remove(f->world, f->e[i]);
        break;
    default:
        kith_entity_destroy(f->world, f->e[i]);
        break;
    }
}

static void survive_broken_links(uint64_t seed, kith_children children)
{
    family f = { 0 };
    open_family(&f, children);
    plant(&f);
    for (uint32_t step = 0; step < 60; step++) {
        uint32_t i = test_random_below(&seed, NODES);
        uint32_t k = test_random_below(&seed, NODES);
        if (test_random_below(&seed, 3) == 0) {
            break_links(&f, &seed);
        }
        ask_everything(&f, i, k);
        change_something(&f, i, k, test_random_below(&seed, 7));
        assert_world_valid(f.world);
    }
    kith_component_clear(f.world, SCENE);
    close_family(&f);
}

static void broken_links_lead_nowhere(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        survive_broken_links(seed, seed % 2 == 0 ? KITH_CHILDREN_ORPHAN : KITH_CHILDREN_DESTROY);
    }
}

static void broken_links_are_not_changed(void **state)
{
    family *f = *state;
    plant(f);
    kith_node saved                    = *node(f, 3);
    scene_mut(f->world, f->e[3])->next = f->e[9];

    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, append(f, 0, 9));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_hierarchy_detach(f->world, SCENE, f->e[3]));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_hierarchy_sort_children(f->world, SCENE, f->e[0], by_handle, NULL));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, kith_hierarchy_sort(f->world, SCENE));

    *scene_mut(f->world, f->e[3]) = saved;
    assert_walk(f, 0, "0 1 4 5 7 2 3 6");
}

// Node 2 does not know its next sibling: the link from 2 to 3 is broken.
static void links_that_stay_need_not_be_mutual(void **state)
{
    family *f = *state;
    plant(f);
    scene_mut(f->world, f->e[2])->next = KITH_NULL;

    assert_true(append(f, 2, 9));
    assert_true(append(f, 2, 4));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, append(f, 6, 2));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_hierarchy_insert(f->world, SCENE, f->e[0], f->e[9], f->e[2]));

    scene_mut(f->world, f->e[2])->next = f->e[3];
    assert_walk(f, 0, "0 1 5 7 2 9 4 3 6");
}

// Node 2 lost its parent by a mistake, and its siblings still name it.
static void a_refused_call_leaves_broken_links_as_they_are(void **state)
{
    family *f = *state;
    plant(f);
    kith_entity parent                   = scene_get(f->world, f->e[2])->parent;
    scene_mut(f->world, f->e[2])->parent = KITH_NULL;

    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, append(f, 2, 2));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, append(f, 6, 2));

    scene_mut(f->world, f->e[2])->parent = parent;
    assert_true(kith_hierarchy_validate(f->world, SCENE, NULL));
}

// Node 9 names its parent as its previous sibling, and the parent names it as its next one.
static void a_parent_that_is_a_sibling_keeps_no_link(void **state)
{
    family *f = *state;
    plant(f);
    assert_true(append(f, 7, 9));
    scene_mut(f->world, f->e[9])->previous = f->e[7];
    scene_mut(f->world, f->e[7])->next     = f->e[9];

    kith_hierarchy_detach(f->world, SCENE, f->e[9]);
    assert_int_equal(scene_get(f->world, f->e[7])->next, KITH_NULL);
    scene_mut(f->world, f->e[7])->first = KITH_NULL; // which no call could know
}

static void a_refused_link_makes_no_node(void **state)
{
    family *f = *state;
    plant(f);
    scene_mut(f->world, f->e[3])->next = f->e[9];

    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, append(f, 0, 10));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, append(f, 10, 3));
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT, append(f, 10, 10));

    assert_false(scene_has(f->world, f->e[10]));
    scene_mut(f->world, f->e[3])->next = KITH_NULL;
    assert_links_valid(f->world);
}

// The last child names a next sibling that is no node: its parent keeps no link to it.
static void a_node_that_is_removed_leaves_the_end_of_the_list(void **state)
{
    family *f = *state;
    plant(f);
    scene_mut(f->world, f->e[3])->next = f->e[9];

    assert_true(scene_remove(f->world, f->e[3]));

    assert_int_equal(node(f, 0)->last, f->e[2]);
    assert_int_equal(node(f, 0)->count, 2);
    scene_mut(f->world, f->e[2])->next = KITH_NULL;
    assert_walk(f, 0, "0 1 4 5 7 2");
}

// --- access ----------------------------------------------------------------------------------

static void walk_as_a_reader(const kith_turn *turn)
{
    const family *f = turn->context;
    assert_walk(f, 0, "0 1 4 5 7 2 3 6");
    assert_int_equal(kith_hierarchy_skip(f->world, SCENE, f->e[0], f->e[1]), f->e[2]);
    assert_int_equal(kith_hierarchy_next(f->world, SCENE, f->e[0], f->e[9]), KITH_NULL);
}

static void a_checked_system_that_reads_a_hierarchy_walks_it(void **state)
{
    family              *f       = *state;
    const kith_component reads[] = { SCENE };
    plant(f);
    assert_non_null(kith_system_create(f->world, &(kith_system_desc){ .name    = "walk",
                                                                      .run     = walk_as_a_reader,
                                                                      .context = f,
                                                                      .reads   = reads,
                                                                      .read_count = 1 }));
    assert_true(kith_schedule_configure(f->world, &(kith_schedule_desc){ .checked = true }));

    assert_true(kith_schedule_run(f->world, 1));

    assert_int_equal(f->memory.errors, 0);
}

// --- memory ----------------------------------------------------------------------------------

static void fail_registrations(bool known)
{
    const kith_hierarchy_desc desc = { "scene", SCENE, KITH_CHILDREN_ORPHAN, false };
    bool                      done = false;
    for (uint32_t n = 1; !done; n++) {
        test_memory memory = { 0 };
        kith_world *world  = test_world(&memory);
        assert_true(game_register(world) && (!known || scene_register(world)));
        test_fail_after(&memory, n);
        done = kith_hierarchy_register(world, &desc) == SCENE;
        test_fail_after(&memory, 0);
        assert_int_equal(kith_component_find(world, "scene"), done || known ? SCENE : 0);
        assert_int_equal(memory.errors, done ? 0 : 1);
        assert_int_equal(kith_hierarchy_register(world, &desc), SCENE);
        test_world_end(world, &memory);
    }
}

static void a_failed_registration_leaves_the_world_as_it_was(void **state)
{
    (void)state;
    fail_registrations(false);
    fail_registrations(true);
}

static void a_failed_link_leaves_no_new_node(void **state)
{
    (void)state;
    bool done = false;
    for (uint32_t n = 1; !done; n++) {
        family f = { .world = NULL };
        open_family(&f, KITH_CHILDREN_ORPHAN);
        test_fail_after(&f.memory, n);
        done = append(&f, 0, 1);
        test_fail_after(&f.memory, 0);
        assert_int_equal(scene_count(f.world), done ? 2 : 0);
        assert_true(append(&f, 0, 1));
        close_family(&f);
    }
}

// --- against a naive tree --------------------------------------------------------------------

#define NAIVE 24u

// Each entity's children as a list; speed does not matter.
typedef struct naive {
    kith_entity entity[NAIVE];
    bool        node[NAIVE];
    uint32_t    parent[NAIVE]; // NAIVE: none
    uint32_t    children[NAIVE][NAIVE];
    uint32_t    count[NAIVE];
    bool        ends;
} naive;

static bool naive_is_below(const naive *t, uint32_t i, uint32_t above)
{
    while (t->parent[i] != NAIVE && t->parent[i] != above) {
        i = t->parent[i];
    }
    return t->parent[i] != NAIVE;
}

static void naive_cut(naive *t, uint32_t i)
{
    uint32_t parent = t->parent[i];
    if (parent == NAIVE) {
        return;
    }
    uint32_t at = 0;
    while (t->children[parent][at] != i) {
        at++;
    }
    memmove(&t->children[parent][at], &t->children[parent][at + 1],
            (--t->count[parent] - at) * sizeof t->children[0][0]);
    t->parent[i] = NAIVE;
}

static bool naive_insert_at(naive *t, uint32_t parent, uint32_t i, uint32_t place)
{
    if (parent == i || naive_is_below(t, parent, i)) {
        return false;
    }
    naive_cut(t, i);
    t->node[i] = t->node[parent] = true;
    uint32_t at                  = place > t->count[parent] ? t->count[parent] : place;
    memmove(&t->children[parent][at + 1], &t->children[parent][at],
            (t->count[parent]++ - at) * sizeof t->children[0][0]);
    t->children[parent][at] = i;
    t->parent[i]            = parent;
    return true;
}

static bool naive_insert(naive *t, uint32_t parent, uint32_t i, uint32_t before)
{
    if (before == i || t->parent[before] != parent || parent == i || naive_is_below(t, parent, i)) {
        return false;
    }
    naive_cut(t, i);
    uint32_t at = 0;
    while (t->children[parent][at] != before) {
        at++;
    }
    return naive_insert_at(t, parent, i, at);
}

static void naive_remove(naive *t, uint32_t i)
{
    naive_cut(t, i);
    while (t->count[i] != 0) {
        naive_cut(t, t->children[i][0]);
    }
    t->node[i] = false;
}

static void naive_destroy(naive *t, uint32_t i)
{
    while (t->ends && t->count[i] != 0) {
        naive_destroy(t, t->children[i][0]);
    }
    naive_remove(t, i);
    t->entity[i] = KITH_NULL;
}

static void naive_sort(naive *t, uint32_t i)
{
    for (uint32_t k = 1; k < t->count[i]; k++) {
        for (uint32_t at = k; at > 0; at--) {
            uint32_t *pair = &t->children[i][at - 1];
            if (kith_entity_index(t->entity[pair[0]]) % 5 <=
                kith_entity_index(t->entity[pair[1]]) % 5) {
                break;
            }
            uint32_t first = pair[0];
            pair[0]        = pair[1];
            pair[1]        = first;
        }
    }
}

static kith_entity naive_entity(const naive *t, uint32_t i)
{
    return i == NAIVE ? KITH_NULL : t->entity[i];
}

static uint32_t naive_walk(const naive *t, uint32_t i, kith_entity *list, uint32_t count)
{
    list[count++] = t->entity[i];
    for (uint32_t k = 0; k < t->count[i]; k++) {
        count = naive_walk(t, t->children[i][k], list, count);
    }
    return count;
}

static void compare_node(const kith_world *world, const naive *t, uint32_t i)
{
    const kith_node *found = links_of(world, SCENE, t->entity[i]);
    assert_int_equal(found != NULL, t->node[i]);
    if (found == NULL) {
        return;
    }
    assert_int_equal(found->parent, naive_entity(t, t->parent[i]));
    assert_int_equal(found->count, t->count[i]);
    kith_entity child = found->first;
    for (uint32_t k = 0; k < t->count[i]; k++) {
        assert_int_equal(child, t->entity[t->children[i][k]]);
        child = links_of(world, SCENE, child)->next;
    }
    assert_int_equal(child, KITH_NULL);
}

static void compare_walks(const kith_world *world, const naive *t, uint32_t i)
{
    kith_entity list[NAIVE], levels[NAIVE];
    uint32_t    count = naive_walk(t, i, list, 0);
    kith_entity top   = t->entity[i];
    kith_entity at    = KITH_NULL;
    for (uint32_t k = 0; k < count; k++) {
        at = kith_hierarchy_next(world, SCENE, top, at);
        assert_int_equal(at, list[k]);
    }
    assert_int_equal(kith_hierarchy_next(world, SCENE, top, at), KITH_NULL);
    assert_int_equal(kith_hierarchy_levels(world, SCENE, top, levels, NAIVE), count);
    for (uint32_t k = 1; k < count; k++) {
        assert_true(kith_hierarchy_depth(world, SCENE, levels[k - 1]) <=
                    kith_hierarchy_depth(world, SCENE, levels[k]));
    }
}

static void compare_trees(const kith_world *world, const naive *t)
{
    assert_links_valid(world);
    for (uint32_t i = 0; i < NAIVE; i++) {
        compare_node(world, t, i);
        if (t->node[i]) {
            compare_walks(world, t, i);
        }
    }
}

static void step_link(kith_world *world, naive *t, uint64_t *seed, uint32_t a, uint32_t b)
{
    uint32_t c     = test_random_below(seed, NAIVE);
    uint32_t place = test_random_below(seed, 5);
    switch (test_random_below(seed, 3)) {
    case 0:
        assert_int_equal(kith_hierarchy_append(world, SCENE, t->entity[a], t->entity[b]),
                         naive_insert_at(t, a, b, NAIVE));
        break;
    case 1:
        assert_int_equal(kith_hierarchy_insert_at(world, SCENE, t->entity[a], t->entity[b], place),
                         naive_insert_at(t, a, b, place));
        break;
    default:
        if (t->entity[c] != KITH_NULL) {
            assert_int_equal(
                kith_hierarchy_insert(world, SCENE, t->entity[a], t->entity[b], t->entity[c]),
                naive_insert(t, a, b, c));
        }
    }
}

static void step_other(kith_world *world, naive *t, uint64_t *seed, uint32_t a)
{
    uint32_t base = 5;
    switch (test_random_below(seed, 6)) {
    case 0:
        kith_entity_destroy(world, t->entity[a]);
        naive_destroy(t, a);
        break;
    case 1:
        scene_remove(world, t->entity[a]);
        naive_remove(t, a);
        break;
    case 2:
        kith_hierarchy_sort_children(world, SCENE, t->entity[a], compare_last_digits, &base);
        naive_sort(t, a);
        break;
    case 3:
        assert_int_equal(kith_hierarchy_detach(world, SCENE, t->entity[a]), t->parent[a] != NAIVE);
        naive_cut(t, a);
        break;
    case 4:
        assert_true(kith_hierarchy_sort(world, SCENE));
        break;
    default:
        scene_add(world, t->entity[a]);
        t->node[a] = true;
    }
}

static void assert_parents_come_first(kith_world *world)
{
    assert_true(kith_hierarchy_sort(world, SCENE));
    for (uint32_t row = 0; row < scene_rows(world); row++) {
        kith_entity parent = scene_value(world, row)->parent;
        assert_true(parent == KITH_NULL || scene_row(world, parent) < row);
        kith_entity next = scene_value(world, row)->next;
        assert_true(next == KITH_NULL || scene_row(world, next) == row + 1);
    }
}

static void behave_like_a_naive_tree(kith_children children, uint64_t *seed)
{
    family f = { .world = NULL };
    naive  t = { .ends = children == KITH_CHILDREN_DESTROY };
    open_family(&f, children);
    for (uint32_t i = 0; i < NAIVE; i++) {
        t.parent[i] = NAIVE;
    }
    for (uint32_t steps = test_thinned(20000); steps > 0; steps--) {
        uint32_t a = test_random_below(seed, NAIVE);
        uint32_t b = test_random_below(seed, NAIVE);
        if (t.entity[a] == KITH_NULL || t.entity[b] == KITH_NULL) {
            a           = t.entity[a] == KITH_NULL ? a : b;
            t.entity[a] = kith_entity_create(f.world);
        } else if (test_random_below(seed, 4) != 0) {
            step_link(f.world, &t, seed, a, b);
        } else {
            step_other(f.world, &t, seed, a);
        }
        compare_trees(f.world, &t);
        if (steps % 64 == 0) {
            assert_parents_come_first(f.world);
        }
    }
    close_family(&f);
}

// --- commands --------------------------------------------------------------------------------

static void assert_applied(const kith_commands *commands, uint32_t applied, uint32_t skipped,
                           uint32_t failed)
{
    kith_commands_report report = kith_commands_report_of(commands);
    assert_int_equal(report.applied, applied);
    assert_int_equal(report.skipped, skipped);
    assert_int_equal(report.failed, failed);
    assert_int_equal(report.dead, skipped);
    assert_int_equal(report.refused, 0);
}

static void count_notice(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world, (void)notice;
    ++*(uint32_t *)context;
}

static void a_recorded_append_is_made_when_it_is_applied(void **state)
{
    family        *f        = *state;
    uint32_t       added    = 0;
    kith_commands *commands = kith_commands_create(f->world, NULL);
    scene_on_add(f->world, count_notice, &added);

    assert_true(append_later(commands, f->e[0], f->e[1]));
    assert_true(append_later(commands, f->e[0], f->e[2]));
    assert_true(append_later(commands, f->e[2], f->e[1]));
    assert_null(node(f, 0));
    assert_true(kith_commands_apply(commands, f->world));

    assert_applied(commands, 3, 0, 0);
    assert_walk(f, 0, "0 2 1");
    assert_int_equal(added, 3);
}

static void a_recorded_append_may_name_placeholders(void **state)
{
    family        *f        = *state;
    kith_commands *commands = kith_commands_create(f->world, NULL);
    kith_entity    parent   = kith_entity_create_later(commands);
    kith_entity    child    = kith_entity_create_later(commands);

    assert_true(append_later(commands, f->e[0], child));
    assert_true(append_later(commands, parent, f->e[0]));
    assert_true(append_later(commands, parent, child));
    for (uint32_t i = 0; i < 2; i++) { // the second time with other entities
        assert_true(kith_commands_apply(commands, f->world));
        kith_entity above = kith_commands_resolve(commands, parent);
        kith_entity below = kith_commands_resolve(commands, child);
        assert_applied(commands, 5, 0, 0);
        assert_int_equal(node(f, 0)->parent, above);
        assert_int_equal(links_of(f->world, SCENE, below)->parent, above);
        assert_int_equal(links_of(f->world, SCENE, below)->previous, f->e[0]);
    }
}

static void a_recorded_append_with_a_dead_entity_is_skipped(void **state)
{
    family        *f        = *state;
    kith_commands *commands = kith_commands_create(f->world, NULL);
    assert_true(append_later(commands, f->e[0], f->e[1]));
    assert_true(append_later(commands, f->e[2], f->e[0]));
    assert_true(append_later(commands, f->e[0], f->e[0]));
    assert_true(append_later(commands, f->e[2], f->e[3]));

    kith_entity_destroy(f->world, f->e[0]);
    assert_true(kith_commands_apply(commands, f->world));

    assert_applied(commands, 1, 3, 0);
    assert_null(node(f, 1));
    assert_children(f, 2, "3");
    assert_int_equal(f->memory.errors, 0);
}

static void a_recorded_append_that_closes_a_ring_fails(void **state)
{
    family        *f        = *state;
    kith_commands *commands = kith_commands_create(f->world, NULL);
    assert_true(append_later(commands, f->e[0], f->e[1]));
    assert_true(append_later(commands, f->e[1], f->e[0]));
    assert_true(append_later(commands, f->e[0], f->e[2]));

    assert_true(kith_commands_apply(commands, f->world));

    assert_applied(commands, 2, 0, 1);
    assert_int_equal(kith_commands_report_of(commands).error.code, KITH_ERROR_ARGUMENT);
    assert_error_text(f->world, "kith_hierarchy_append: \"scene\": the parent is the child or "
                                "below it (\"entity 1v1\"): entity 0v1");
    assert_walk(f, 0, "0 1 2");
}

static void assert_append_refused(kith_commands *commands, kith_component hierarchy,
                                  kith_entity parent, kith_entity child, kith_error_code code)
{
    assert_false(kith_hierarchy_append_later(commands, hierarchy, parent, child));
    kith_error refusal = kith_commands_report_of(commands).refusal;
    assert_int_equal(refusal.code, code);
    assert_string_equal(refusal.call, "kith_hierarchy_append_later");
    assert_int_equal(kith_commands_report_of(commands).recorded, 0);
}

static void a_wrong_append_is_not_recorded(void **state)
{
    family        *f        = *state;
    kith_commands *commands = kith_commands_create(f->world, NULL);
    kith_commands *others   = kith_commands_create(f->world, NULL);
    kith_entity    foreign  = kith_entity_create_later(others);

    assert_false(kith_hierarchy_append_later(NULL, SCENE, f->e[0], f->e[1]));
    assert_append_refused(commands, SCENE, KITH_NULL, f->e[1], KITH_ERROR_NULL_ENTITY);
    assert_append_refused(commands, SCENE, f->e[0], KITH_NULL, KITH_ERROR_NULL_ENTITY);
    assert_append_refused(commands, SCENE, foreign, f->e[1], KITH_ERROR_ARGUMENT);
    assert_append_refused(commands, SCENE, f->e[0], foreign, KITH_ERROR_ARGUMENT);
    assert_append_refused(commands, OWNERS, f->e[0], f->e[1], KITH_ERROR_UNREGISTERED);

    assert_true(kith_commands_clear(commands));
    assert_true(kith_hierarchy_append_later(commands, HEALTH, f->e[0], f->e[1])); // not known yet
    assert_true(kith_commands_apply(commands, f->world));
    assert_applied(commands, 0, 0, 1);
    assert_int_equal(kith_commands_report_of(commands).error.code, KITH_ERROR_ARGUMENT);
}

static void a_recorded_append_is_made_inside_a_loop(void **state)
{
    family        *f        = *state;
    uint32_t       visited  = 0;
    kith_commands *commands = kith_commands_create(f->world, NULL);
    plant(f);
    assert_true(append_later(commands, f->e[2], f->e[1]));
    assert_true(append_later(commands, f->e[2], f->e[8]));

    nodes loop = nodes_begin(f->world);
    while (nodes_next(&loop)) {
        if (visited++ == 0) {
            assert_true(kith_commands_apply(commands, f->world));
        }
    }
    assert_int_equal(visited, 8); // not the new node
    assert_applied(commands, 2, 0, 0);
    assert_walk(f, 0, "0 2 1 4 5 7 8 3 6");
}

// Recording and applying stop where memory runs out, and go on from there.
static void a_recorded_append_waits_for_memory(void **state)
{
    (void)state;
    uint32_t stops = 0;
    for (uint32_t n = 1; n < 200; n++) {
        family f = { .world = NULL };
        open_family(&f, KITH_CHILDREN_ORPHAN);
        kith_commands *commands = kith_commands_create(f.world, NULL);
        test_fail_after(&f.memory, n);
        bool recorded = append_later(commands, f.e[0], f.e[1]);
        if (recorded && !kith_commands_apply(commands, f.world)) {
            kith_commands_report report = kith_commands_report_of(commands);
            assert_int_equal(report.error.code, KITH_ERROR_MEMORY);
            assert_int_equal(report.left, 1);
            assert_null(node(&f, 0));
            assert_null(node(&f, 1));
            assert_true(kith_commands_resume(commands, f.world));
            stops++;
        }
        bool done = f.memory.failed == 0;
        test_fail_after(&f.memory, 0);
        if (recorded) {
            assert_children(&f, 0, "1");
        } else {
            assert_int_equal(kith_commands_report_of(commands).refusal.code, KITH_ERROR_MEMORY);
        }
        close_family(&f);
        if (done) {
            break;
        }
    }
    assert_true(stops > 0);
}

static void random_calls_match_a_naive_tree(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    behave_like_a_naive_tree(KITH_CHILDREN_ORPHAN, &seed);
    behave_like_a_naive_tree(KITH_CHILDREN_DESTROY, &seed);
}

// --- moves ------------------------------------------------------------------------------------

static void write_set(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    assert_int_equal(notice->event, KITH_EVENT_SET);
    sketch_entity(context, notice->entity);
}

static int compare_handles(kith_entity a, kith_entity b, void *context)
{
    (void)context;
    return (a > b) - (a < b);
}

static void each_move_is_announced_for_one_node(void **state)
{
    family *f = *state;
    sketch  s = { .length = 0 };
    plant(f);
    scene_on_set(f->world, write_set, &s);
    assert_true(append(f, 2, 4));
    assert_true(kith_hierarchy_insert(f->world, SCENE, f->e[0], f->e[3], f->e[1]));
    assert_true(kith_hierarchy_insert_at(f->world, SCENE, f->e[0], f->e[2], 0));
    assert_true(kith_hierarchy_detach(f->world, SCENE, f->e[6]));
    assert_true(append(f, 6, 8)); // which becomes a node
    assert_true(kith_hierarchy_sort_children(f->world, SCENE, f->e[0], compare_handles, NULL));
    assert_sketch(&s, "4 3 2 6 8 0");
    assert_false(append(f, 8, 6));
    assert_false(kith_hierarchy_detach(f->world, SCENE, f->e[6]));
    assert_true(kith_entity_destroy(f->world, f->e[1]));
    assert_sketch(&s, "4 3 2 6 8 0");
}

// Moves the node again, deeper and deeper in events.
static void move_again(kith_world *world, const kith_notice *notice, void *context)
{
    family *f = context;
    kith_hierarchy_append(world, SCENE, f->e[notice->entity == f->e[1] ? 2 : 3], notice->entity);
}

static void moves_in_listeners_are_nested_32_deep(void **state)
{
    family *f = *state;
    plant(f);
    scene_on_set(f->world, move_again, f);
    assert_true(append(f, 3, 4));
    assert_error(f->world, KITH_ERROR_LIMIT);
}

static uint32_t changed_rows(const kith_world *world, uint64_t since)
{
    kith_changes changes = scene_changes(world, since);
    uint32_t     count   = 0;
    while (kith_changes_next(world, &changes)) {
        count += changes.count;
    }
    return count;
}

static void moved_node_with_row_ticks_is_found_as_one(void **state)
{
    (void)state;
    test_memory               memory = { 0 };
    kith_world               *world  = test_world(&memory);
    const kith_hierarchy_desc desc   = { .name = "scene", .id = SCENE, .row_ticks = true };
    kith_entity               e[2000];
    assert_int_equal(kith_hierarchy_register(world, &desc), SCENE);
    assert_int_equal(kith_hierarchy_register(world, &desc), SCENE);
    assert_true(kith_entity_create_many(world, e, 2000, NULL, 0));
    for (uint32_t i = 1; i < 2000; i++) {
        assert_true(kith_hierarchy_append(world, SCENE, e[i / 10], e[i]));
    }
    uint64_t now = kith_world_advance(world);
    assert_int_equal(changed_rows(world, now), 0);
    assert_true(kith_hierarchy_append(world, SCENE, e[7], e[1500]));
    assert_int_equal(changed_rows(world, now), 1);
    assert_true(scene_changed_at(world, e[1500]) == now);
    assert_true(scene_changed_at(world, e[7]) == now - 1);
    assert_true(kith_hierarchy_detach(world, SCENE, e[1400]));
    assert_int_equal(changed_rows(world, now), 2);
    assert_true(kith_hierarchy_sort_children(world, SCENE, e[3], compare_handles, NULL));
    assert_int_equal(changed_rows(world, now), 3);
    now = kith_world_advance(world);
    assert_true(kith_entity_destroy(world, e[9])); // 10 children become roots
    assert_int_equal(changed_rows(world, now), 10);

    uint64_t     a, b, c;
    kith_frames *frames = kith_frames_create(world, NULL);
    uint64_t     frame  = kith_frames_save(frames);
    assert_true(kith_world_hash_exact(world, &a));
    kith_world_advance(world);
    assert_true(kith_hierarchy_append(world, SCENE, e[8], e[1500]));
    assert_true(kith_world_hash_exact(world, &b));
    assert_true(kith_frames_restore(frames, frame));
    assert_true(kith_world_hash_exact(world, &c));
    assert_true(a != b);
    assert_true(scene_changed_at(world, e[1500]) == now - 1);
    assert_true(kith_frames_destroy(frames));
    assert_links_valid(world);
    kith_world *clone = kith_world_clone(world, NULL);
    assert_true(scene_changed_at(clone, e[1500]) == now - 1);
    kith_world_destroy(clone);
    assert_refused(
        &memory, world, KITH_ERROR_CONFLICT,
        kith_hierarchy_register(world, &(kith_hierarchy_desc){ .name = "scene", .id = SCENE }));
    test_world_end(world, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_appended_child_comes_last),
        TEST(a_child_is_inserted_before_a_sibling),
        TEST(a_child_is_inserted_at_a_place),
        TEST(a_child_that_is_appended_again_comes_last),
        TEST(a_new_place_takes_along_what_is_below),
        TEST(a_detached_node_is_a_root),
        TEST(no_node_is_linked_below_itself),
        TEST(before_must_be_another_child_of_the_parent),
        TEST(a_world_may_have_several),
        TEST(questions_about_what_is_above),
        TEST(questions_about_entities_that_are_no_nodes_report_no_error),
        TEST(a_walk_goes_depth_first),
        TEST(a_walk_sees_changes_ahead_of_it),
        TEST(levels_are_listed_breadth_first),
        TEST(children_of_a_destroyed_parent_become_roots),
        TEST(a_removed_node_leaves_no_link),
        TEST_ENDING(a_removed_node_leaves_its_children_alive_under_either_policy),
        TEST_ENDING(a_destroyed_parent_destroys_all_nodes_below_it),
        TEST_ENDING(the_lowest_go_first),
        TEST_ENDING(a_batch_may_have_parents_and_children),
        TEST_ENDING(deep_and_wide_families_go_without_recursion),
        TEST_ENDING(a_dying_child_may_destroy_its_parent),
        TEST(a_leaving_node_may_be_destroyed),
        TEST_ENDING(a_leaving_node_may_be_destroyed),
        TEST(a_dying_entity_gets_no_links),
        TEST_ENDING(children_that_cannot_be_destroyed_become_roots),
        TEST_ENDING(links_hold_while_a_loop_is_open),
        TEST(a_copied_node_is_alone),
        TEST(a_new_node_is_alone_whatever_it_came_with),
        TEST(a_value_for_a_node_that_is_there_changes_nothing),
        TEST(a_component_registered_again_is_still_a_hierarchy),
        TEST(links_made_before_a_copy_is_reported_stay),
        TEST(copies_destroyed_before_they_are_reported_destroy_no_others),
        TEST_ENDING(copies_destroyed_before_they_are_reported_destroy_no_others),
        TEST(a_node_that_a_listener_takes_away_is_not_linked),
        TEST(a_listener_may_link_what_is_being_linked),
        TEST(a_node_that_is_still_to_be_announced_is_not_linked),
        TEST(children_are_sorted_and_equals_keep_their_order),
        TEST(comparing_changes_nothing),
        TEST(sorted_rows_have_parents_before_children),
        TEST(sorted_rows_that_are_in_order_do_not_move),
        TEST(each_move_is_announced_for_one_node),
        TEST(moves_in_listeners_are_nested_32_deep),
        cmocka_unit_test(moved_node_with_row_ticks_is_found_as_one),
        TEST(links_stamp_the_pages_of_all_nodes_that_they_change),
        TEST(calls_that_change_no_link_stamp_nothing),
        TEST(links_with_dead_or_null_entities_are_errors),
        TEST(other_components_are_no_hierarchies),
        TEST(rows_move_only_when_they_may),
        TEST(a_hierarchy_is_registered_once),
        TEST(a_component_with_links_can_be_registered_as_a_hierarchy),
        TEST(a_hierarchy_is_notified_before_every_listener),
        TEST(no_guess_disconnects_a_hierarchy),
        TEST(every_wrong_link_is_noticed),
        TEST(a_ring_of_siblings_is_noticed),
        TEST(a_ring_is_noticed),
        cmocka_unit_test(broken_links_lead_nowhere),
        TEST(broken_links_are_not_changed),
        TEST(links_that_stay_need_not_be_mutual),
        TEST(a_refused_call_leaves_broken_links_as_they_are),
        TEST(a_parent_that_is_a_sibling_keeps_no_link),
        TEST(a_refused_link_makes_no_node),
        TEST(a_node_that_is_removed_leaves_the_end_of_the_list),
        TEST(a_checked_system_that_reads_a_hierarchy_walks_it),
        cmocka_unit_test(a_failed_registration_leaves_the_world_as_it_was),
        cmocka_unit_test(a_failed_link_leaves_no_new_node),
        TEST(a_recorded_append_is_made_when_it_is_applied),
        TEST(a_recorded_append_may_name_placeholders),
        TEST(a_recorded_append_with_a_dead_entity_is_skipped),
        TEST(a_recorded_append_that_closes_a_ring_fails),
        TEST(a_wrong_append_is_not_recorded),
        TEST(a_recorded_append_is_made_inside_a_loop),
        cmocka_unit_test(a_recorded_append_waits_for_memory),
        cmocka_unit_test(random_calls_match_a_naive_tree),
    };
    return cmocka_run_group_tests_name("hierarchy", tests, NULL, NULL);
}
