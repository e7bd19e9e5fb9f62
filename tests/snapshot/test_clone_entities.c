// SPDX-License-Identifier: MIT
// Clones of entities with the references among them, in one world and across two.
#include "component_test.h"
#include "kith/hierarchy.h"

enum { BOND = HIDDEN + 1, TREE, TEXT, OTHER_BOND = 500, OTHER_TREE, OTHER_HEALTH, OTHER_FROZEN };
enum { OTHER_HIDDEN = 505, OTHER_TEXT };

typedef struct pair {
    kith_entity both[2];
    uint8_t     note;
} pair;

typedef struct bond {
    uint32_t    strength;
    kith_entity to;
    pair        pairs[2];
} bond;

KITH_FIELDS(pair, entity(both), u8(note));
KITH_FIELDS(bond, u32(strength), entity(to), nested(pairs, pair));

typedef struct book {
    uint32_t copies;
    uint32_t living;
    uint32_t fail_at; // the copy with this number is refused; 0: none
} book;

static bool copy_text(void *value, const void *source, void *context)
{
    book *b = context;
    if (++b->copies == b->fail_at) {
        return false;
    }
    memcpy(value, source, 8);
    b->living++;
    return true;
}

static void end_text(void *value, void *context)
{
    (void)value;
    ((book *)context)->living--;
}

static bool begin_text(void *value, void *context)
{
    memset(value, 0, 8);
    ((book *)context)->living++;
    return true;
}

typedef struct two {
    test_memory memory;
    test_memory other_memory;
    book        here;
    book        there;
    kith_world *world;
    kith_world *other; // the same components by other ids, in another order
} two;

static kith_component_desc bond_desc(kith_component id)
{
    return (kith_component_desc){ .name      = "bond",
                                  .id        = id,
                                  .size      = sizeof(bond),
                                  .alignment = _Alignof(bond),
                                  .traits    = { .saved = KITH_AS(fields(bond)) } };
}

static kith_component_desc text_desc(kith_component id, book *b)
{
    return (kith_component_desc){ .name   = "text",
                                  .id     = id,
                                  .size   = 8,
                                  .traits = { .hooks = { .construct = begin_text,
                                                         .copy      = copy_text,
                                                         .destruct  = end_text,
                                                         .context   = b } } };
}

static void register_tree(kith_world *world, kith_component id)
{
    const kith_hierarchy_desc desc = { "tree", id, KITH_CHILDREN_ORPHAN, false };
    assert_int_equal(kith_hierarchy_register(world, &desc), id);
}

static void register_there(two *t)
{
    const kith_component_desc descs[] = {
        text_desc(OTHER_TEXT, &t->there),
        { .name = "hidden", .id = OTHER_HIDDEN, .kind = KITH_KIND_FLAG },
        bond_desc(OTHER_BOND),
        { .name = "frozen", .id = OTHER_FROZEN, .kind = KITH_KIND_TAG },
        { .name = "health", .id = OTHER_HEALTH, .size = sizeof(int), .alignment = _Alignof(int) },
    };
    assert_true(kith_component_register_many(t->other, descs, COUNT_OF(descs)));
    register_tree(t->other, OTHER_TREE);
}

static int setup(void **state)
{
    two *t   = calloc(1, sizeof *t);
    t->world = test_world(&t->memory);
    t->other = test_world(&t->other_memory);
    assert_true(game_register(t->world));
    register_one(t->world, bond_desc(BOND));
    register_one(t->world, text_desc(TEXT, &t->here));
    register_tree(t->world, TREE);
    register_there(t);
    *state = t;
    return 0;
}

static int teardown(void **state)
{
    two *t = *state;
    assert_true(kith_hierarchy_validate(t->world, TREE, NULL));
    assert_true(kith_hierarchy_validate(t->other, OTHER_TREE, NULL));
    test_world_end(t->world, &t->memory);
    test_world_end(t->other, &t->other_memory);
    assert_int_equal(t->here.living + t->there.living, 0);
    free(t);
    return 0;
}

static void tie(kith_world *world, kith_entity from, kith_entity to, uint32_t strength)
{
    bond value = { .strength = strength, .to = to };
    for (uint32_t i = 0; i < 2; i++) {
        value.pairs[i].both[0] = from;
        value.pairs[i].both[1] = to;
        value.pairs[i].note    = (uint8_t)strength;
    }
    assert_non_null(kith_component_set(world, from, BOND, &value));
}

static void assert_bond(const kith_world *world, kith_component id, kith_entity from,
                        kith_entity to, uint32_t strength)
{
    const bond *found = kith_component_get(world, from, id);
    assert_non_null(found);
    assert_int_equal(found->strength, strength);
    assert_int_equal(found->to, to);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(found->pairs[i].both[0], from);
        assert_int_equal(found->pairs[i].both[1], to);
        assert_int_equal(found->pairs[i].note, strength);
    }
}

// --- handles ---------------------------------------------------------------------------------

static void handles_of_originals_become_those_of_their_clones(void **state)
{
    two        *t = *state;
    kith_entity e[4];
    kith_entity clones[3];
    create_entities(t->world, e, 4);
    tie(t->world, e[0], e[2], 1);
    tie(t->world, e[1], e[3], 2); // is not cloned
    tie(t->world, e[2], KITH_NULL, 3);

    assert_true(kith_entities_clone(t->world, t->world, e, 3, clones));

    assert_bond(t->world, BOND, clones[0], clones[2], 1);
    assert_bond(t->world, BOND, clones[1], e[3], 2);
    assert_bond(t->world, BOND, clones[2], KITH_NULL, 3);
    assert_bond(t->world, BOND, e[0], e[2], 1);
    assert_int_equal(kith_entity_count(t->world), 7);
}

static void in_another_world_handles_of_others_mean_no_entity(void **state)
{
    two        *t = *state;
    kith_entity e[4];
    kith_entity clones[3];
    create_entities(t->world, e, 4);
    test_create_many(t->other, 20);
    tie(t->world, e[0], e[2], 1);
    tie(t->world, e[1], e[3], 2);
    tie(t->world, e[2], e[0], 3);

    assert_true(kith_entities_clone(t->other, t->world, e, 3, clones));

    assert_bond(t->other, OTHER_BOND, clones[0], clones[2], 1);
    assert_bond(t->other, OTHER_BOND, clones[1], KITH_NULL, 2);
    assert_bond(t->other, OTHER_BOND, clones[2], clones[0], 3);
    assert_int_equal(kith_entity_count(t->world), 4);
    assert_int_equal(kith_entity_count(t->other), 23);
}

static void the_order_of_the_array_does_not_matter_and_it_may_be_written_over(void **state)
{
    two        *t = *state;
    kith_entity e[40];
    kith_entity same[40];
    uint64_t    seed = 7;
    create_entities(t->world, e, 40);
    for (uint32_t i = 0; i < 40; i++) {
        tie(t->world, e[i], e[(i * 7 + 3) % 40], i);
    }
    for (uint32_t i = 39; i > 0; i--) {
        uint32_t    other = test_random_below(&seed, i + 1);
        kith_entity moved = e[i];
        e[i]              = e[other];
        e[other]          = moved;
    }
    memcpy(same, e, sizeof e);

    assert_true(kith_entities_clone(t->world, t->world, same, 40, same));

    for (uint32_t i = 0; i < 40; i++) {
        uint32_t number = kith_entity_index(e[i]);
        uint32_t place  = 0;
        while (kith_entity_index(e[place]) != (number * 7 + 3) % 40) {
            place++;
        }
        assert_bond(t->world, BOND, same[i], same[place], number);
    }
}

// --- what is copied --------------------------------------------------------------------------

static void clones_have_what_their_originals_have(void **state)
{
    two        *t = *state;
    kith_entity e[3];
    kith_entity clones[3];
    create_entities(t->world, e, 3);
    health_set(t->world, e[0], 5);
    health_set(t->world, e[1], 6);
    frozen_add(t->world, e[0]);
    frozen_add(t->world, e[2]);
    hidden_add(t->world, e[2]);
    health_disable(t->world, e[1]);
    frozen_disable(t->world, e[2]);

    assert_true(kith_entities_clone(t->other, t->world, e, 3, clones));

    kith_world *other = t->other;
    assert_int_equal(*(const int *)kith_component_get(other, clones[0], OTHER_HEALTH), 5);
    assert_int_equal(*(const int *)kith_component_get(other, clones[1], OTHER_HEALTH), 6);
    assert_false(kith_component_has(other, clones[2], OTHER_HEALTH));
    assert_true(kith_component_enabled(other, clones[0], OTHER_HEALTH));
    assert_false(kith_component_enabled(other, clones[1], OTHER_HEALTH));
    assert_true(kith_component_enabled(other, clones[0], OTHER_FROZEN));
    assert_false(kith_component_has(other, clones[1], OTHER_FROZEN));
    assert_true(kith_component_has(other, clones[2], OTHER_FROZEN));
    assert_false(kith_component_enabled(other, clones[2], OTHER_FROZEN));
    assert_false(kith_component_has(other, clones[0], OTHER_HIDDEN));
    assert_true(kith_component_has(other, clones[2], OTHER_HIDDEN));
}

// The other world does not know the mark. A clone of the whole world has it: it is state.
static void clones_lack_what_is_the_originals_own(void **state)
{
    two                      *t    = *state;
    const kith_component_desc mark = {
        .name = "prefab", .id = 90, .kind = KITH_KIND_FLAG, .traits.not_cloned = true
    };
    kith_entity e[2];
    kith_entity clones[2];
    register_one(t->world, mark);
    create_entities(t->world, e, 2);
    health_set(t->world, e[0], 5);
    kith_component_add(t->world, e[0], 90, NULL);
    kith_component_add(t->world, e[1], 90, NULL);

    assert_true(kith_entities_clone(t->other, t->world, e, 2, clones));
    assert_int_equal(*(const int *)kith_component_get(t->other, clones[0], OTHER_HEALTH), 5);
    assert_int_equal(kith_entity_components(t->other, clones[1], NULL, 0), 0);
    assert_true(kith_entities_clone(t->world, t->world, e, 2, clones));
    assert_true(health_has(t->world, clones[0]) && !kith_component_has(t->world, clones[0], 90));
    assert_int_equal(kith_component_count(t->world, 90), 2);

    kith_world *whole = kith_world_clone(t->world, NULL);
    assert_non_null(whole);
    assert_int_equal(kith_component_count(whole, 90), 2);
    assert_true(kith_component_describe(whole, 90)->traits.not_cloned);
    kith_world_destroy(whole);
}

// The trait is not saved, as no trait but the policy is: the loading world has its own.
static void a_loaded_entity_keeps_what_is_its_own(void **state)
{
    two                      *t    = *state;
    const kith_component_desc mark = {
        .name = "prefab", .id = 90, .kind = KITH_KIND_FLAG, .traits.not_cloned = true
    };
    kith_component_desc plain = mark;
    plain.traits.not_cloned   = false;
    test_memory memory        = { 0 };
    kith_bytes  bytes         = { 0 };
    kith_world *world         = test_world(&memory);
    register_one(world, mark);
    register_one(t->other, plain);
    kith_component_add(world, kith_entity_create(world), 90, NULL);

    assert_int_equal(kith_world_save(world, NULL, kith_bytes_write, &bytes).code, KITH_OK);
    assert_int_equal(kith_world_load(t->other, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(kith_component_count(t->other, 90), 1);
    assert_false(kith_component_describe(t->other, 90)->traits.not_cloned);
    kith_bytes_free(&bytes);
    test_world_end(world, &memory);
}

static void groups_take_in_the_clones_that_match(void **state)
{
    two            *t       = *state;
    const kith_term terms[] = { { HEALTH, KITH_ROLE_OWN, 0 }, { HIDDEN, KITH_ROLE_WITHOUT, 0 } };
    kith_group     *group   = kith_group_of(t->world, &(kith_query_desc){ "g", terms, 2, 0 });
    kith_entity     e[4];
    kith_entity     clones[4];
    create_entities(t->world, e, 4);
    for (uint32_t i = 0; i < 3; i++) {
        health_set(t->world, e[i], (int)i);
    }
    hidden_add(t->world, e[1]);
    health_disable(t->world, e[2]);

    assert_true(kith_entities_clone(t->world, t->world, e, 4, clones));

    assert_int_equal(kith_group_count(group), 2);
    assert_true(kith_group_contains(group, clones[0]));
    assert_int_equal(*health_get(t->world, clones[2]), 2);
}

static void values_are_copied_by_the_hook_of_the_world_to_which_they_go(void **state)
{
    two        *t = *state;
    kith_entity e[2];
    kith_entity clones[2];
    create_entities(t->world, e, 2);
    kith_component_set(t->world, e[0], TEXT, "seven77");
    kith_component_set(t->world, e[1], TEXT, "eight88");
    t->here.copies = 0;

    assert_true(kith_entities_clone(t->other, t->world, e, 2, clones));

    assert_int_equal(t->here.copies, 0);
    assert_int_equal(t->there.copies, 2);
    assert_string_equal(kith_component_get(t->other, clones[1], OTHER_TEXT), "eight88");
}

// --- hierarchies -----------------------------------------------------------------------------

// 0 has the children 1, 2, 3, 4; 2 has the children 5, 6.
static void plant(two *t, kith_entity e[7])
{
    create_entities(t->world, e, 7);
    for (uint32_t i = 1; i < 5; i++) {
        assert_true(kith_hierarchy_append(t->world, TREE, e[0], e[i]));
    }
    assert_true(kith_hierarchy_append(t->world, TREE, e[2], e[5]));
    assert_true(kith_hierarchy_append(t->world, TREE, e[2], e[6]));
}

static void assert_children(const kith_world *world, kith_component id, kith_entity parent,
                            const kith_entity *children, uint32_t count)
{
    const kith_node *node = links_of(world, id, parent);
    assert_non_null(node);
    assert_int_equal(node->count, count);
    kith_entity child = node->first;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(child, children[i]);
        child = links_of(world, id, child)->next;
    }
    assert_int_equal(child, KITH_NULL);
}

static void the_clone_of_a_tree_is_a_tree(void **state)
{
    two        *t = *state;
    kith_entity e[7];
    kith_entity clones[7];
    plant(t, e);

    assert_true(kith_entities_clone(t->other, t->world, e, 7, clones));

    assert_children(t->other, OTHER_TREE, clones[0], clones + 1, 4);
    assert_children(t->other, OTHER_TREE, clones[2], clones + 5, 2);
    assert_children(t->other, OTHER_TREE, clones[6], NULL, 0);
}

static void links_to_entities_that_are_not_cloned_are_cut(void **state)
{
    two        *t = *state;
    kith_entity e[7];
    kith_entity clones[5];
    plant(t, e);
    kith_entity some[5] = { e[6], e[4], e[2], e[1], e[3] };

    assert_true(kith_entities_clone(t->world, t->world, some, 5, clones));

    assert_children(t->world, TREE, clones[2], &clones[0], 1);
    assert_int_equal(links_of(t->world, TREE, clones[2])->parent, KITH_NULL);
    assert_int_equal(links_of(t->world, TREE, clones[3])->next, KITH_NULL);
    assert_children(t->world, TREE, e[0], e + 1, 4);

    kith_entity family[3] = { e[4], e[0], e[1] };
    assert_true(kith_entities_clone(t->world, t->world, family, 3, clones));

    const kith_entity children[2] = { clones[2], clones[0] };
    assert_children(t->world, TREE, clones[1], children, 2);
}

// --- listeners -------------------------------------------------------------------------------

typedef struct listening {
    kith_entity reported[16];
    uint32_t    count;
    uint32_t    act_at; // the event with this number, counted from 1
    void (*act)(kith_world *world, const kith_entity *reported);
} listening;

static void record_notice(kith_world *world, const kith_notice *notice, void *context)
{
    listening *ear              = context;
    ear->reported[ear->count++] = notice->entity;
    if (ear->count == ear->act_at) {
        ear->act(world, ear->reported);
    }
}

static void listen(kith_world *world, kith_component component, listening *ear)
{
    const kith_listener_desc desc = {
        .event = KITH_EVENT_ADD, .component = component, .call = record_notice, .context = ear
    };
    assert_int_not_equal(kith_listener_connect(world, &desc), 0);
}

static void read_bond(kith_world *world, const kith_entity *reported)
{
    assert_bond(world, BOND, reported[0], KITH_NULL, 1);
    assert_bond(world, BOND, reported[1], reported[0], 2);
    assert_true(kith_component_has(world, reported[0], HEALTH));
}

static void listeners_are_notified_of_clones_when_everything_is_in_place(void **state)
{
    two        *t   = *state;
    listening   ear = { .act_at = 2, .act = read_bond };
    kith_entity e[2];
    kith_entity clones[2];
    create_entities(t->world, e, 2);
    tie(t->world, e[0], KITH_NULL, 1);
    tie(t->world, e[1], e[0], 2);
    health_set(t->world, e[0], 1);
    listen(t->world, BOND, &ear);

    assert_true(kith_entities_clone(t->world, t->world, e, 2, clones));

    assert_int_equal(ear.count, 2);
    assert_int_equal(ear.reported[1], clones[1]);
}

static void end_the_third(kith_world *world, const kith_entity *reported)
{
    assert_true(kith_entity_destroy(world, reported[2]));
}

static void a_clone_that_a_listener_ended_has_no_links(void **state)
{
    two        *t   = *state;
    listening   ear = { .act_at = 5, .act = end_the_third };
    kith_entity e[7];
    kith_entity clones[7];
    plant(t, e);
    listen(t->world, TREE, &ear);

    assert_true(kith_entities_clone(t->world, t->world, e, 7, clones));

    const kith_entity rest[3] = { clones[1], clones[3], clones[4] };
    assert_int_equal(ear.count, 7);
    assert_false(kith_entity_alive(t->world, clones[2]));
    assert_children(t->world, TREE, clones[0], rest, 3);
    assert_int_equal(links_of(t->world, TREE, clones[5])->parent, KITH_NULL);
}

static void turn_round(kith_world *world, const kith_entity *reported)
{
    assert_true(kith_hierarchy_append(world, TREE, reported[2], reported[0]));
}

static void a_clone_that_a_listener_linked_keeps_what_it_has(void **state)
{
    two        *t   = *state;
    listening   ear = { .act_at = 7, .act = turn_round };
    kith_entity e[7];
    kith_entity clones[7];
    plant(t, e);
    listen(t->world, TREE, &ear);

    assert_true(kith_entities_clone(t->world, t->world, e, 7, clones));

    assert_children(t->world, TREE, clones[2], &clones[0], 1);
    assert_children(t->world, TREE, clones[0], NULL, 0);
}

// --- refusals --------------------------------------------------------------------------------

#define CLONE(E, COUNT) kith_entities_clone(t->other, t->world, E, COUNT, clones)

static void an_entity_that_is_dead_or_there_twice_is_refused(void **state)
{
    two        *t = *state;
    kith_entity e[3];
    kith_entity clones[3];
    create_entities(t->world, e, 3);
    kith_entity dead = e[1];
    kith_entity_destroy(t->world, dead);
    kith_entity none[2]  = { e[0], KITH_NULL };
    kith_entity gone[2]  = { e[0], dead };
    kith_entity twice[3] = { e[2], e[0], e[2] };

    assert_refused(&t->other_memory, t->other, KITH_ERROR_NULL_ENTITY, CLONE(none, 2));
    assert_refused(&t->other_memory, t->other, KITH_ERROR_DEAD_ENTITY, CLONE(gone, 2));
    assert_error_text(t->other,
                      "kith_entities_clone: entity 1v1 " TEST_DESTROYED("1", "at version 2"));
    assert_refused(&t->other_memory, t->other, KITH_ERROR_ARGUMENT, CLONE(twice, 3));
    assert_refused(&t->other_memory, t->other, KITH_ERROR_ARGUMENT, CLONE(NULL, 1));
    assert_true(CLONE(NULL, 0));
    assert_int_equal(kith_entity_count(t->other), 0);
}

static void a_component_that_is_not_or_otherwise_there_is_named(void **state)
{
    two        *t = *state;
    kith_entity e = kith_entity_create(t->world);
    kith_entity clones[1];
    position_set(t->world, e, (vec2){ 1, 2 });

    assert_refused(&t->other_memory, t->other, KITH_ERROR_UNREGISTERED, CLONE(&e, 1));
    assert_error_text(t->other, "kith_entities_clone: component \"position\" is not registered in "
                                "this world; is it missing in KITH_MODULE?");

    register_one(t->other, (kith_component_desc){ .name = "position", .id = 600, .size = 12 });
    assert_refused(&t->other_memory, t->other, KITH_ERROR_ARGUMENT, CLONE(&e, 1));
    assert_error_text(t->other, "kith_entities_clone: \"position\": kind, size or form differ "
                                "in the other world");
    assert_int_equal(kith_entity_count(t->other), 0);
}

static void another_form_is_another_component(void **state)
{
    two                      *t    = *state;
    const kith_component_desc desc = { .name      = "velocity",
                                       .id        = 600,
                                       .size      = sizeof(vec2),
                                       .alignment = _Alignof(vec2),
                                       .traits    = { .saved = KITH_AS(plain(4)) } };
    kith_entity               e    = kith_entity_create(t->world);
    kith_entity               clones[1];
    velocity_set(t->world, e, (vec2){ 1, 2 });
    register_one(t->other, desc);

    assert_refused(&t->other_memory, t->other, KITH_ERROR_ARGUMENT, CLONE(&e, 1));
}

static void values_that_cannot_be_copied_are_refused(void **state)
{
    two                *t    = *state;
    kith_component_desc desc = { .name = "owner", .id = 600, .size = 8 };
    kith_entity         e    = kith_entity_create(t->world);
    kith_entity         clones[1];
    desc.traits.hooks = (kith_hooks){ .destruct = end_text, .context = &t->here };
    register_one(t->world, desc);
    t->here.living++;
    kith_component_add(t->world, e, 600, NULL);

    assert_refused(&t->memory, t->world, KITH_ERROR_ARGUMENT,
                   kith_entities_clone(t->world, t->world, &e, 1, clones));
    assert_error_text(t->world, "kith_entities_clone: \"owner\": values with hooks need a "
                                "copy hook to be cloned");
}

static void clone_from_a_hook(void *value, void *context)
{
    two        *t = context;
    kith_entity clones[1];
    kith_entity e = kith_entity_next(t->world, KITH_NULL);
    (void)value;
    assert_refused(&t->memory, t->world, KITH_ERROR_BUSY,
                   kith_entities_clone(t->world, t->other, &e, 1, clones));
}

static void a_hook_cannot_clone_entities(void **state)
{
    two        *t = *state;
    kith_entity e = kith_entity_create(t->world);
    health_set(t->world, e, 1);

    assert_non_null(kith_component_patch(t->world, e, HEALTH, clone_from_a_hook, t));
}

static void a_hook_that_says_no_undoes_everything(void **state)
{
    two        *t = *state;
    kith_entity e[7];
    kith_entity clones[7];
    plant(t, e);
    for (uint32_t i = 0; i < 7; i++) {
        tie(t->world, e[i], e[0], i);
        kith_component_set(t->world, e[i], TEXT, "1234567");
    }
    t->there.fail_at    = 4;
    test_picture before = test_take_picture(t->other);

    assert_refused(&t->other_memory, t->other, KITH_ERROR_HOOK, CLONE(e, 7));

    assert_entities_unchanged(t->other, &before);
    assert_int_equal(t->there.living, 0);
    assert_int_equal(kith_component_count(t->other, OTHER_BOND), 0);
}

static void a_full_pool_undoes_everything(void **state)
{
    two        *t = *state;
    kith_entity e[7];
    kith_entity clones[7];
    plant(t, e);
    assert_true(kith_component_limit_set(t->other, OTHER_TREE, 6));
    test_picture before = test_take_picture(t->other);

    assert_refused(&t->other_memory, t->other, KITH_ERROR_LIMIT, CLONE(e, 7));

    assert_entities_unchanged(t->other, &before);
}

static void without_memory_nothing_is_made(void **state)
{
    two        *t = *state;
    kith_entity e[7];
    kith_entity clones[7];
    bool        done = false;
    plant(t, e);
    for (uint32_t i = 0; i < 7; i++) {
        tie(t->world, e[i], e[0], i);
        kith_component_set(t->world, e[i], TEXT, "1234567");
        hidden_add(t->world, e[i]);
        frozen_add(t->world, e[i]);
        health_set(t->world, e[i], 1);
        health_disable(t->world, e[i]);
    }
    uint32_t n = 0;
    while (!done) {
        test_picture before = test_take_picture(t->other);
        test_fail_after(&t->other_memory, ++n);
        done = CLONE(e, 7);
        test_fail_after(&t->other_memory, 0);
        assert_int_equal(t->there.living, done ? 7 : 0);
        if (!done) {
            assert_error(t->other, KITH_ERROR_MEMORY);
            assert_entities_unchanged(t->other, &before);
            assert_true(kith_world_shrink(t->other)); // so that all of it is asked for again
        }
    }
    assert_true(n > 10);
    assert_children(t->other, OTHER_TREE, clones[0], clones + 1, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(handles_of_originals_become_those_of_their_clones),
        TEST(in_another_world_handles_of_others_mean_no_entity),
        TEST(the_order_of_the_array_does_not_matter_and_it_may_be_written_over),
        TEST(clones_have_what_their_originals_have),
        TEST(clones_lack_what_is_the_originals_own),
        TEST(a_loaded_entity_keeps_what_is_its_own),
        TEST(groups_take_in_the_clones_that_match),
        TEST(values_are_copied_by_the_hook_of_the_world_to_which_they_go),
        TEST(the_clone_of_a_tree_is_a_tree),
        TEST(links_to_entities_that_are_not_cloned_are_cut),
        TEST(listeners_are_notified_of_clones_when_everything_is_in_place),
        TEST(a_clone_that_a_listener_ended_has_no_links),
        TEST(a_clone_that_a_listener_linked_keeps_what_it_has),
        TEST(an_entity_that_is_dead_or_there_twice_is_refused),
        TEST(a_component_that_is_not_or_otherwise_there_is_named),
        TEST(another_form_is_another_component),
        TEST(values_that_cannot_be_copied_are_refused),
        TEST(a_hook_cannot_clone_entities),
        TEST(a_hook_that_says_no_undoes_everything),
        TEST(a_full_pool_undoes_everything),
        TEST(without_memory_nothing_is_made),
    };
    return cmocka_run_group_tests_name("clone_entities", tests, NULL, NULL);
}
