// SPDX-License-Identifier: MIT
// Hierarchies that are merged: their links follow those of the other world.
#include "merge_test.h"

static void plant(pair *p, kith_component tree, kith_entity *e, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        e[i] = kith_entity_create(p->far);
        if (i > 0) {
            assert_true(kith_hierarchy_append(p->far, tree, e[0], e[i]));
        }
    }
}

static void assert_children_here(const pair *p, kith_component tree, kith_entity parent,
                                 const kith_entity *children, uint32_t count)
{
    const kith_node *node = links_of(p->world, tree, parent);
    assert_non_null(node);
    assert_int_equal(node->count, count);
    kith_entity child = node->first;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(child, children[i]);
        child = links_of(p->world, tree, child)->next;
    }
}

#define HERE(...)       here_all(p, (kith_entity[]){ __VA_ARGS__ }, COUNT_HERE(__VA_ARGS__)).list
#define COUNT_HERE(...) (sizeof(kith_entity[]){ __VA_ARGS__ } / sizeof(kith_entity))
#define IS(PARENT, ...)                                                                            \
    assert_children_here(p, TREE, PARENT, HERE(__VA_ARGS__), COUNT_HERE(__VA_ARGS__))

typedef struct few {
    kith_entity list[8];
} few;

static few here_all(const pair *p, const kith_entity *there, size_t count)
{
    few all;
    for (size_t i = 0; i < count; i++) {
        kith_entity local = here(p, there[i]);
        all.list[i]       = local == KITH_NULL ? there[i] : local; // one of this world's own
    }
    return all;
}

static void trees_come_with_their_links(void **state)
{
    pair       *p = *state;
    kith_entity e[5];
    test_create_many(p->world, 3);
    plant(p, TREE, e, 5);

    merge(p);
    IS(here(p, e[0]), e[1], e[2], e[3], e[4]);

    // the order that a comparison with the sibling before would get wrong
    kith_hierarchy_insert(p->far, TREE, e[0], e[3], e[1]);
    kith_hierarchy_insert(p->far, TREE, e[0], e[4], e[1]);
    merge(p);
    IS(here(p, e[0]), e[3], e[4], e[1], e[2]);
}

static void parent_and_child_can_change_places(void **state)
{
    pair       *p = *state;
    kith_entity e[3];
    plant(p, TREE, e, 3);
    merge(p);
    kith_hierarchy_detach(p->far, TREE, e[1]);
    kith_hierarchy_append(p->far, TREE, e[1], e[0]);

    merge(p);

    IS(here(p, e[1]), e[0]);
    IS(here(p, e[0]), e[2]);
}

static void a_child_that_was_moved_here_stays_until_its_parent_changes_there(void **state)
{
    pair       *p = *state;
    kith_entity e[5];
    plant(p, TREE, e, 5);
    merge(p);
    kith_entity own = kith_entity_create(p->world);
    assert_true(kith_hierarchy_append(p->world, TREE, own, here(p, e[2])));
    assert_true(kith_hierarchy_insert(p->world, TREE, here(p, e[0]), own, here(p, e[3])));

    merge(p);
    IS(here(p, e[0]), e[1], own, e[3], e[4]);
    IS(own, e[2]);

    kith_hierarchy_insert(p->far, TREE, e[0], e[4], e[1]);
    merge(p);
    IS(here(p, e[0]), e[4], e[1], e[3], own);
    IS(own, e[2]);

    kith_hierarchy_append(p->far, TREE, e[4], e[2]);
    merge(p);
    IS(here(p, e[4]), e[2]);
}

static void a_link_that_would_close_a_cycle_here_is_left_out(void **state)
{
    pair       *p = *state;
    kith_entity e[2];
    e[0] = kith_entity_create(p->far);
    e[1] = kith_entity_create(p->far);
    kith_component_add(p->far, e[0], TREE, NULL);
    kith_component_add(p->far, e[1], TREE, NULL);
    merge(p);
    assert_true(kith_hierarchy_append(p->world, TREE, here(p, e[0]), here(p, e[1])));
    assert_true(kith_hierarchy_append(p->far, TREE, e[1], e[0]));

    merge(p);

    IS(here(p, e[0]), e[1]);
    assert_int_equal(p->memory.errors, 0);
}

static void a_node_that_was_removed_here_comes_back_with_its_links(void **state)
{
    pair       *p = *state;
    kith_entity e[4];
    plant(p, TREE, e, 4);
    assert_true(kith_hierarchy_append(p->far, TREE, e[2], e[3]));
    merge(p);
    assert_true(tree_remove(p->world, here(p, e[2])));

    merge(p);
    assert_false(tree_has(p->world, here(p, e[2])));

    assert_true(kith_hierarchy_append(p->far, TREE, e[2], e[1]));
    merge(p);
    IS(here(p, e[2]), e[3], e[1]);
    IS(here(p, e[0]), e[2]);
}

static void a_child_that_comes_back_finds_its_parent(void **state)
{
    pair       *p = *state;
    kith_entity e[4];
    plant(p, TREE, e, 4);
    merge(p);
    kith_entity_destroy(p->world, here(p, e[2]));
    mark_add(p->far, e[2]); // its links are the same

    merge(p);

    IS(here(p, e[0]), e[1], e[2], e[3]);
}

static void a_child_of_a_destroyed_parent_stays_unless_it_is_gone_too(void **state)
{
    pair       *p = *state;
    kith_entity e[4];
    plant(p, CLAN, e, 4);
    merge(p);
    kith_entity own = kith_entity_create(p->world);
    assert_true(kith_hierarchy_append(p->world, CLAN, here(p, e[0]), own));
    kith_entity stays = here(p, e[1]);
    kith_entity goes  = here(p, e[2]);
    assert_true(kith_hierarchy_detach(p->far, CLAN, e[1]));
    assert_true(kith_entity_destroy(p->far, e[0])); // with 2 and 3

    merge(p);

    assert_int_equal(kith_entity_count(p->world), 2);
    assert_true(kith_entity_alive(p->world, own));
    assert_int_equal(here(p, e[1]), stays);
    assert_false(kith_entity_alive(p->world, goes));
}

static void a_chain_takes_no_square_of_its_length(void **state)
{
    enum { LONG = 100000 };
    pair        *p = *state;
    kith_entity *e = malloc(LONG * sizeof *e);
    assert_true(kith_entity_create_many(p->far, e, LONG, NULL, 0));
    for (uint32_t i = 1; i < LONG; i++) {
        assert_true(kith_hierarchy_append(p->far, TREE, e[i - 1], e[i]));
    }

    merge(p);

    assert_int_equal(kith_hierarchy_depth(p->world, TREE, here(p, e[LONG - 1])), LONG - 1);
    assert_false(kith_hierarchy_append(p->world, TREE, here(p, e[LONG - 1]), here(p, e[0])));
    free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(trees_come_with_their_links),
        PAIR_TEST(parent_and_child_can_change_places),
        PAIR_TEST(a_child_that_was_moved_here_stays_until_its_parent_changes_there),
        PAIR_TEST(a_link_that_would_close_a_cycle_here_is_left_out),
        PAIR_TEST(a_node_that_was_removed_here_comes_back_with_its_links),
        PAIR_TEST(a_child_that_comes_back_finds_its_parent),
        PAIR_TEST(a_child_of_a_destroyed_parent_stays_unless_it_is_gone_too),
        PAIR_TEST(a_chain_takes_no_square_of_its_length),
    };
    return cmocka_run_group_tests_name("merge_hierarchy", tests, NULL, NULL);
}
