// SPDX-License-Identifier: MIT
// Links: setting and removing, the order of holders, what happens when targets end, walks under
// change (all short programs against a naive list), and links as state.
#include "kith/frames.h"
#include "kith/link.h"
#include "kith_test.h"

#define COUNT_OF(X) ((uint32_t)(sizeof(X) / sizeof((X)[0])))

enum { HOLDER = 20, OWNER, LOCK, NUMBER };

KITH_LINK(holder, HOLDER, KITH_TARGET_CLEAR);
KITH_LINK(owner, OWNER, KITH_TARGET_DESTROY);
KITH_LINK(lock, LOCK, KITH_TARGET_REFUSE);
KITH_COMPONENT_AS(number, int, NUMBER, plain(4));
KITH_MODULE(links, number, holder, owner, lock);
KITH_QUERY(held, read(holder));

#define ENTITIES 12

typedef struct scene {
    test_memory memory;
    kith_world *world;
    kith_entity e[ENTITIES];
    // what listeners heard
    kith_entity heard[64];
    kith_event  events[64];
    uint32_t    count;
    kith_entity other; // for listeners
} scene;

static int setup(void **state)
{
    scene *s = calloc(1, sizeof *s);
    s->world = test_world(&s->memory);
    assert_true(links_register(s->world));
    assert_true(kith_entity_create_many(s->world, s->e, ENTITIES, NULL, 0));
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    scene *s = *state;
    test_world_end(s->world, &s->memory);
    free(s);
    return 0;
}

// The holders of a target are exactly these, in this order.
static void assert_list(const kith_world *world, kith_component link, kith_entity target,
                        const kith_entity *holders, uint32_t count)
{
    kith_holders walk = kith_holders_begin(world, link, target);
    assert_int_equal(kith_holders_count(world, link, target), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(kith_holders_next(&walk));
        assert_int_equal(walk.entity, holders[i]);
    }
    assert_false(kith_holders_next(&walk));
    assert_false(kith_holders_next(&walk));
}

#define assert_holders(WORLD, LINK, TARGET, ...)                                                   \
    do {                                                                                           \
        const kith_entity list_[] = { __VA_ARGS__ };                                               \
        assert_list((WORLD), (LINK), (TARGET), list_, COUNT_OF(list_));                            \
    } while (0)
#define assert_no_holders(WORLD, LINK, TARGET) assert_list((WORLD), (LINK), (TARGET), NULL, 0)

static void hear(kith_world *world, const kith_notice *notice, void *context)
{
    scene *s = context;
    (void)world;
    assert_true(s->count < COUNT_OF(s->heard));
    s->heard[s->count]    = notice->entity;
    s->events[s->count++] = notice->event;
}

// --- setting and removing --------------------------------------------------------------------

static void holders_come_in_the_order_of_their_links(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    assert_true(holder_set(s->world, e[3], e[0]));
    assert_true(holder_set(s->world, e[1], e[0]));
    assert_true(holder_set(s->world, e[2], e[0]));
    assert_true(holder_set(s->world, e[4], e[1]));
    assert_holders(s->world, HOLDER, e[0], e[3], e[1], e[2]);
    assert_holders(s->world, HOLDER, e[1], e[4]);
    assert_int_equal(holder_target(s->world, e[1]), e[0]);
    assert_int_equal(holder_target(s->world, e[0]), KITH_NULL);
    assert_int_equal(holder_get(s->world, e[4])->target, e[1]);
    assert_int_equal(holder_count(s->world, e[0]), 3);
    assert_int_equal(holder_count(s->world, e[5]), 0);
}

static void a_holder_that_gets_another_target_becomes_its_last_holder(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    for (uint32_t i = 2; i < 5; i++) {
        holder_set(s->world, e[i], e[0]);
        holder_set(s->world, e[i + 3], e[1]);
    }
    assert_true(holder_set(s->world, e[3], e[1]));
    assert_holders(s->world, HOLDER, e[0], e[2], e[4]);
    assert_holders(s->world, HOLDER, e[1], e[5], e[6], e[7], e[3]);
    assert_true(holder_set(s->world, e[5], e[1])); // the same target: it keeps its place
    assert_holders(s->world, HOLDER, e[1], e[5], e[6], e[7], e[3]);
    assert_true(holder_set(s->world, e[3], e[0]));
    assert_holders(s->world, HOLDER, e[0], e[2], e[4], e[3]);
}

static void a_removed_link_leaves_the_list(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    for (uint32_t i = 1; i < 6; i++) {
        holder_set(s->world, e[i], e[0]);
    }
    assert_true(holder_remove(s->world, e[3]));
    assert_false(holder_remove(s->world, e[3]));
    assert_true(kith_component_remove(s->world, e[1], HOLDER));
    assert_true(kith_entity_destroy(s->world, e[5]));
    assert_holders(s->world, HOLDER, e[0], e[2], e[4]);
    assert_true(holder_clear(s->world));
    assert_no_holders(s->world, HOLDER, e[0]);
    assert_int_equal(kith_component_count(s->world, HOLDER), 0);
}

static void null_dead_and_own_targets_are_refused(void **state)
{
    scene       *s   = *state;
    kith_entity *e   = s->e;
    kith_link    own = { .target = e[1] };
    kith_entity_destroy(s->world, e[9]);
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT, holder_set(s->world, e[1], e[1]));
    assert_error_text(
        s->world, "holder_set: the target of a link is its holder (\"target 1v1\"): entity 1v1");
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT,
                   holder_set(s->world, e[1], KITH_NULL));
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT, holder_set(s->world, e[1], e[9]));
    assert_refused(&s->memory, s->world, KITH_ERROR_DEAD_ENTITY, holder_set(s->world, e[9], e[1]));
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT,
                   kith_component_set(s->world, e[1], HOLDER, &own));
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT,
                   kith_component_add(s->world, e[1], HOLDER, NULL));
    assert_false(holder_has(s->world, e[1]));
    assert_true(holder_set(s->world, e[1], e[0]));
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT, holder_set(s->world, e[1], e[9]));
    assert_holders(s->world, HOLDER, e[0], e[1]);
}

static void change_nothing(void *value, void *context)
{
    (void)value;
    (void)context;
}

static void no_call_hands_out_a_link_to_write(void **state)
{
    scene          *s     = *state;
    kith_component  lists = kith_component_find(s->world, "holder.holders");
    kith_term       write = { HOLDER, KITH_ROLE_WRITE, 0 };
    kith_query_desc desc  = { .terms = &write, .term_count = 1 };
    holder_set(s->world, s->e[1], s->e[0]);
    assert_refused(&s->memory, s->world, KITH_ERROR_KIND,
                   kith_component_mut(s->world, s->e[1], HOLDER));
    assert_refused(&s->memory, s->world, KITH_ERROR_KIND,
                   kith_component_mut(s->world, s->e[0], lists));
    assert_error_text(s->world, "kith_component_mut: \"holder.holders\" is a list and cannot be "
                                "used this way");
    assert_refused(&s->memory, s->world, KITH_ERROR_KIND,
                   kith_component_patch(s->world, s->e[1], HOLDER, change_nothing, NULL));
    assert_refused(&s->memory, s->world, KITH_ERROR_KIND,
                   kith_component_set(s->world, s->e[2], lists, &(kith_holder_list){ 0 }));
    assert_null(kith_query_of(s->world, &desc));
    assert_error(s->world, KITH_ERROR_KIND);
    held c = held_begin(s->world);
    assert_true(held_next(&c));
    assert_int_equal(c.holder->target, s->e[0]);
    held_end(&c);
}

static void a_link_changes_when_its_target_does(void **state)
{
    scene          *s     = *state;
    kith_entity    *e     = s->e;
    kith_component  lists = kith_component_find(s->world, "holder.holders");
    const kith_link link  = { .target = e[0] };
    holder_set(s->world, e[2], e[0]);
    holder_set(s->world, e[1], e[0]);
    holder_set(s->world, e[3], e[0]);
    kith_listener_desc listener = {
        .event = KITH_EVENT_SET, .component = HOLDER, .call = hear, .context = s
    };
    assert_true(kith_listener_connect(s->world, &listener) != 0);
    assert_false(kith_component_set_if_changed(s->world, e[1], HOLDER, &link));
    assert_int_equal(s->count, 0);
    assert_true(kith_component_set_if_changed(s->world, e[4], HOLDER, &link));
    assert_true(
        kith_component_set_if_changed(s->world, e[1], HOLDER, &(kith_link){ .target = e[5] }));
    assert_int_equal(s->count, 1);
    assert_holders(s->world, HOLDER, e[0], e[2], e[3], e[4]);
    assert_holders(s->world, HOLDER, e[5], e[1]);
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT,
                   kith_component_set_if_changed(s->world, e[1], HOLDER, &(kith_link){ 0 }));
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT,
                   kith_component_set_if_changed(s->world, e[1], HOLDER, NULL));
    assert_refused(&s->memory, s->world, KITH_ERROR_KIND,
                   kith_component_set_if_changed(s->world, e[0], lists, &(kith_holder_list){ 0 }));
}

static kith_entity first_of(kith_query *query)
{
    kith_cursor cursor = kith_query_begin(query);
    kith_entity entity = kith_cursor_next(&cursor) ? cursor.entity : KITH_NULL;
    kith_cursor_end(&cursor);
    return entity;
}

static void a_query_as_text_reads_links(void **state)
{
    scene      *s     = *state;
    kith_query *query = NULL;
    holder_set(s->world, s->e[1], s->e[0]);
    assert_true(kith_query_parse(s->world, "read holder, !owner", &query));
    assert_int_equal(first_of(query), s->e[1]);
    assert_true(kith_query_parse(s->world, "read \"holder.holders\"", &query));
    assert_int_equal(first_of(query), s->e[0]);
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT,
                   kith_query_parse(s->world, "write holder", &query));
    assert_error_text(s->world, "kith_query_parse: a link can only be read: kith_link_set changes "
                                "it: \"holder\" at column 7");
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT,
                   kith_query_parse(s->world, "write \"holder.holders\"", &query));
    assert_error_text(s->world, "kith_query_parse: the holders of a target can only be read: "
                                "\"holder.holders\" at column 7");
}

static void events_are_those_of_any_component(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    holder_on_add(s->world, hear, s);
    holder_on_set(s->world, hear, s);
    holder_on_remove(s->world, hear, s);
    holder_set(s->world, e[1], e[0]);
    holder_set(s->world, e[1], e[2]);
    holder_set(s->world, e[3], e[2]);
    kith_entity_destroy(s->world, e[2]);
    const kith_event events[] = { KITH_EVENT_ADD, KITH_EVENT_SET, KITH_EVENT_ADD, KITH_EVENT_REMOVE,
                                  KITH_EVENT_REMOVE };
    const kith_entity heard[] = { e[1], e[1], e[3], e[1], e[3] };
    assert_int_equal(s->count, COUNT_OF(heard));
    assert_memory_equal(s->events, events, sizeof events);
    assert_memory_equal(s->heard, heard, sizeof heard);
    assert_int_equal(kith_component_count(s->world, HOLDER), 0);
}

static void read_target_of_removed(kith_world *world, const kith_notice *notice, void *context)
{
    scene *s = context;
    s->other = holder_target(world, notice->entity);
    assert_int_equal(holder_count(world, s->other), 0);
    assert_false(holder_set(world, notice->entity, s->e[5]));
    s->count++;
}

static void a_listener_of_remove_reads_the_target(void **state)
{
    scene *s = *state;
    holder_on_remove(s->world, read_target_of_removed, s);
    holder_set(s->world, s->e[1], s->e[0]);
    assert_true(holder_remove(s->world, s->e[1]));
    assert_int_equal(s->count, 1);
    assert_int_equal(s->other, s->e[0]);
}

static void link_again_to_the_dying(kith_world *world, const kith_notice *notice, void *context)
{
    scene *s = context;
    (void)notice;
    s->count += holder_set(world, s->e[7], s->e[0]);
}

static void a_target_that_ends_gets_no_new_holder(void **state)
{
    scene *s = *state;
    holder_on_remove(s->world, link_again_to_the_dying, s);
    holder_set(s->world, s->e[1], s->e[0]);
    holder_set(s->world, s->e[2], s->e[0]);
    assert_true(kith_entity_destroy(s->world, s->e[0]));
    assert_int_equal(s->count, 0);
    assert_false(holder_has(s->world, s->e[7]));
    assert_error(s->world, KITH_ERROR_DYING);
}

static void removing_the_list_of_a_target_clears_its_holders(void **state)
{
    scene         *s     = *state;
    kith_component lists = kith_component_find(s->world, "owner.holders");
    owner_set(s->world, s->e[1], s->e[0]);
    owner_set(s->world, s->e[2], s->e[0]);
    assert_true(kith_component_remove(s->world, s->e[0], lists));
    assert_false(owner_has(s->world, s->e[1]) || owner_has(s->world, s->e[2]));
    assert_true(kith_entity_alive(s->world, s->e[1]));
    lock_set(s->world, s->e[1], s->e[0]);
    kith_values set = { NUMBER, NULL, 0 };
    assert_true(kith_entity_set_components(s->world, kith_entities_of(s->e, 1), &set, 1));
    assert_false(lock_has(s->world, s->e[1]));
}

static void destroy_and_renew_the_target(kith_world *world, const kith_notice *notice,
                                         void *context)
{
    scene *s = context;
    if (notice->entity == s->e[1]) {
        assert_true(kith_entity_destroy(world, s->e[0]));
        assert_false(kith_component_has(world, s->e[2], notice->component));
        s->e[0] = kith_entity_create(world); // the same index
        kith_link_set(world, s->e[3], notice->component, s->e[0]);
    }
}

static void a_target_may_end_while_its_list_is_removed(void **state)
{
    scene             *s      = *state;
    kith_listener_desc remove = { .event   = KITH_EVENT_REMOVE,
                                  .call    = destroy_and_renew_the_target,
                                  .context = s };
    for (remove.component = HOLDER; remove.component <= OWNER; remove.component++) {
        const bool     ends = remove.component == OWNER;
        kith_component lists =
            kith_component_find(s->world, ends ? "owner.holders" : "holder.holders");
        kith_listener_connect(s->world, &remove);
        for (uint32_t i = 1; i < 5; i++) {
            assert_true(kith_link_set(s->world, s->e[i], remove.component, s->e[0]));
        }
        assert_true(kith_component_remove(s->world, s->e[0], lists));
        assert_true(kith_entity_alive(s->world, s->e[1])); // it lost the link before
        assert_int_equal(kith_entity_alive(s->world, s->e[2]), !ends);
        assert_int_equal(kith_holders_count(s->world, remove.component, s->e[0]), !ends);
        assert_int_equal(kith_component_count(s->world, remove.component), !ends);
        assert_world_valid(s->world);
    }
}

static void set_another(kith_world *world, const kith_notice *notice, void *context)
{
    scene *s = context;
    if (notice->entity == s->e[1]) {
        assert_true(kith_entity_destroy(world, s->e[0]));
    }
}

static void a_batch_whose_target_ends_in_a_listener_drops_the_later_links(void **state)
{
    scene *s = *state;
    holder_on_add(s->world, set_another, s);
    holder_on_add(s->world, hear, s);
    assert_true(holder_fill_many(s->world, s->e + 1, 3, s->e[0]));
    assert_int_equal(kith_component_count(s->world, HOLDER), 0);
    assert_int_equal(s->count, 0);
    assert_world_valid(s->world);
}

static void batches_link_and_relink(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    holder_on_set(s->world, hear, s);
    assert_true(holder_fill_many(s->world, e + 2, 3, e[0]));
    assert_holders(s->world, HOLDER, e[0], e[2], e[3], e[4]);
    assert_int_equal(s->count, 0);
    const kith_link links[] = { { .target = e[1], .previous = 77, .arrival = 5 },
                                { .target = e[0] },
                                { .target = e[1] } };
    assert_true(holder_set_many(s->world, e + 3, 3, links));
    assert_holders(s->world, HOLDER, e[0], e[2], e[4]);
    assert_holders(s->world, HOLDER, e[1], e[3], e[5]);
    assert_int_equal(s->count, 2);
    kith_values one = holder_all(&links[0]);
    kith_entity made[2];
    assert_true(kith_entity_create_many(s->world, made, 2, &one, 1));
    assert_holders(s->world, HOLDER, e[1], e[3], e[5], made[0], made[1]);
    assert_true(holder_remove_many(s->world, e, ENTITIES));
    assert_holders(s->world, HOLDER, e[1], made[0], made[1]);
}

static void a_batch_with_a_wrong_target_changes_nothing(void **state)
{
    scene          *s       = *state;
    kith_entity    *e       = s->e;
    const kith_link links[] = { { .target = e[0] }, { .target = e[2] } };
    kith_values     none    = { HOLDER, NULL, 0 };
    kith_entity     made[2];
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT,
                   holder_set_many(s->world, e + 1, 2, links));
    assert_refused(&s->memory, s->world, KITH_ERROR_ARGUMENT,
                   kith_entity_create_many(s->world, made, 2, &none, 1));
    assert_int_equal(kith_component_count(s->world, HOLDER), 0);
    assert_int_equal(kith_entity_count(s->world), ENTITIES);
    holder_set(s->world, e[1], e[0]);
    assert_true(kith_entity_set_components(s->world, kith_entities_of(e + 1, 1), &none, 1));
    assert_holders(s->world, HOLDER, e[0], e[1]);
}

static void commands_link_entities_that_they_create(void **state)
{
    scene         *s        = *state;
    kith_commands *commands = kith_commands_create(s->world, NULL);
    kith_entity    target   = kith_entity_create_later(commands);
    kith_entity    first    = kith_entity_create_later(commands);
    assert_true(holder_set_later(commands, first, target));
    assert_true(holder_set_later(commands, s->e[1], target));
    assert_true(holder_set_later(commands, s->e[2], target));
    assert_true(holder_remove_later(commands, s->e[1]));
    assert_true(kith_commands_apply(commands, s->world));
    target = kith_commands_resolve(commands, target);
    assert_holders(s->world, HOLDER, target, kith_commands_resolve(commands, first), s->e[2]);
    kith_commands_destroy(commands);
}

static void a_recorded_link_to_a_target_that_ended_is_refused(void **state)
{
    scene         *s        = *state;
    kith_commands *commands = kith_commands_create(s->world, NULL);
    kith_entity    target   = kith_entity_create_later(commands);
    assert_true(holder_set_later(commands, s->e[1], s->e[0]));
    assert_true(kith_entity_destroy_later(commands, target));
    assert_true(holder_set_later(commands, s->e[2], target));
    assert_true(holder_set_later(commands, s->e[3], s->e[4]));
    kith_entity_destroy(s->world, s->e[0]);
    assert_true(kith_commands_apply(commands, s->world));
    assert_error(s->world, KITH_ERROR_ARGUMENT);
    assert_int_equal(s->memory.errors, 2);
    assert_holders(s->world, HOLDER, s->e[4], s->e[3]);
    assert_int_equal(kith_component_count(s->world, HOLDER), 1);
    kith_commands_destroy(commands);
}

static void disabled_holders_stay_in_the_list(void **state)
{
    scene *s = *state;
    holder_set(s->world, s->e[1], s->e[0]);
    holder_set(s->world, s->e[2], s->e[0]);
    assert_true(holder_disable(s->world, s->e[1]));
    assert_holders(s->world, HOLDER, s->e[0], s->e[1], s->e[2]);
    assert_true(holder_remove(s->world, s->e[1]));
    assert_holders(s->world, HOLDER, s->e[0], s->e[2]);
}

static void sorting_and_loops_do_not_change_lists(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    for (uint32_t i = 1; i < 8; i++) {
        holder_set(s->world, e[8 - i], e[0]);
    }
    held c = held_begin(s->world);
    while (held_next(&c)) {
        if (c.entity == e[4]) {
            assert_true(holder_remove(s->world, c.entity));
            assert_true(holder_set(s->world, e[9], e[0]));
        }
        if (c.entity == e[2]) {
            assert_true(holder_set(s->world, c.entity, e[10]));
        }
    }
    assert_true(holder_swap(s->world, e[7], e[1]));
    assert_holders(s->world, HOLDER, e[0], e[7], e[6], e[5], e[3], e[1], e[9]);
    assert_holders(s->world, HOLDER, e[10], e[2]);
}

// --- targets that end ------------------------------------------------------------------------

static void holders_are_destroyed_after_their_target_breadth_first(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    owner_set(s->world, e[1], e[0]);
    owner_set(s->world, e[2], e[0]);
    owner_set(s->world, e[3], e[1]);
    owner_set(s->world, e[4], e[2]);
    owner_set(s->world, e[5], e[3]);
    owner_set(s->world, e[0], e[5]); // a cycle
    owner_set(s->world, e[6], e[7]); // another target
    kith_listener_connect(
        s->world, &(kith_listener_desc){ .event = KITH_EVENT_DESTROY, .call = hear, .context = s });
    assert_true(kith_entity_destroy(s->world, e[0]));
    const kith_entity order[] = { e[0], e[1], e[2], e[3], e[4], e[5] };
    assert_int_equal(s->count, COUNT_OF(order));
    assert_memory_equal(s->heard, order, sizeof order);
    assert_int_equal(kith_entity_count(s->world), ENTITIES - 6);
    assert_true(kith_entity_alive(s->world, e[6]));
}

static void target_is_gone(kith_world *world, const kith_notice *notice, void *context)
{
    scene *s = context;
    if (notice->entity == s->e[1]) {
        assert_false(kith_entity_alive(world, s->e[0]));
        assert_true(owner_set(world, s->e[2], s->e[8])); // gets another target before its turn
        assert_true(owner_remove(world, s->e[3]));
        s->count++;
    }
}

static void a_pending_holder_with_another_target_stays(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    for (uint32_t i = 1; i < 6; i++) {
        owner_set(s->world, e[i], e[0]);
    }
    kith_listener_connect(
        s->world,
        &(kith_listener_desc){ .event = KITH_EVENT_DESTROY, .call = target_is_gone, .context = s });
    kith_entity_destroy(s->world, e[0]);
    assert_int_equal(s->count, 1);
    assert_true(kith_entity_alive(s->world, e[2]) && kith_entity_alive(s->world, e[3]));
    assert_false(kith_entity_alive(s->world, e[1]) || kith_entity_alive(s->world, e[4]) ||
                 kith_entity_alive(s->world, e[5]));
    assert_holders(s->world, OWNER, e[8], e[2]);
}

static void destroy_another(kith_world *world, const kith_notice *notice, void *context)
{
    scene *s = context;
    if (notice->entity == s->e[0]) {
        kith_entity_destroy(world, s->e[1]);
        assert_false(kith_entity_alive(world, s->e[1]));
        assert_true(kith_entity_alive(world, s->e[3])); // waits for the end of the first target
    }
}

static void a_target_that_is_destroyed_in_the_event_of_another_comes_along(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    owner_set(s->world, e[2], e[0]);
    owner_set(s->world, e[3], e[1]);
    kith_listener_connect(s->world, &(kith_listener_desc){ .event   = KITH_EVENT_DESTROY,
                                                           .call    = destroy_another,
                                                           .context = s });
    kith_entity_destroy(s->world, e[0]);
    assert_int_equal(kith_entity_count(s->world), ENTITIES - 4);
}

static void a_long_chain_of_owners_ends_without_recursion(void **state)
{
    scene *s = *state;
    enum { LONG = 20000 };
    kith_entity *chain = calloc(LONG, sizeof *chain);
    assert_true(kith_entity_create_many(s->world, chain, LONG, NULL, 0));
    for (uint32_t i = 1; i < LONG; i++) {
        assert_true(owner_set(s->world, chain[i], chain[i - 1]));
    }
    assert_true(owner_set(s->world, chain[0], chain[LONG - 1]));
    held c = held_begin(s->world); // also while a loop is open
    assert_true(kith_entity_destroy(s->world, chain[LONG / 2]));
    assert_int_equal(kith_entity_count(s->world), ENTITIES);
    held_end(&c);
    free(chain);
}

static void a_batch_destroys_targets_and_their_holders_once(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    kith_listener_connect(
        s->world, &(kith_listener_desc){ .event = KITH_EVENT_DESTROY, .call = hear, .context = s });
    for (uint32_t i = 1; i < 5; i++) {
        owner_set(s->world, e[i], e[i - 1]);
    }
    const kith_entity some[] = { e[3], e[0], e[4] };
    assert_true(kith_entity_destroy_many(s->world, kith_entities_of(some, 3)));
    const kith_entity order[] = { e[3], e[4], e[0], e[1], e[2] };
    assert_int_equal(s->count, COUNT_OF(order));
    assert_memory_equal(s->heard, order, sizeof order);
}

static void a_held_entity_is_not_destroyed(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    lock_set(s->world, e[1], e[0]);
    assert_refused(&s->memory, s->world, KITH_ERROR_HELD, kith_entity_destroy(s->world, e[0]));
    assert_error_text(s->world, "kith_entity_destroy: entity 0v1 stays: holders of link \"lock\" "
                                "name it, 1 of them");
    const kith_entity both[] = { e[2], e[1], e[0] };
    assert_refused(&s->memory, s->world, KITH_ERROR_HELD,
                   kith_entity_destroy_many(s->world, kith_entities_of(both, 3)));
    assert_int_equal(kith_entity_count(s->world), ENTITIES);
    held c = held_begin(s->world);
    assert_refused(&s->memory, s->world, KITH_ERROR_HELD, kith_entity_destroy(s->world, e[0]));
    held_end(&c);
    assert_true(kith_entity_destroy(s->world, e[1]));
    assert_true(kith_entity_destroy(s->world, e[0]));
}

static void destroy_other(kith_world *world, const kith_notice *notice, void *context)
{
    scene *s = context;
    (void)notice;
    assert_false(kith_entity_destroy(world, s->other));
    assert_error(world, KITH_ERROR_HELD);
    s->count++;
}

static void a_held_entity_does_not_expire(void **state)
{
    scene                    *s    = *state;
    kith_entity              *e    = s->e;
    const kith_lifetime       over = { 0 };
    const kith_component_desc desc = { .name      = "lifetime",
                                       .size      = sizeof over,
                                       .alignment = _Alignof(kith_lifetime) };
    kith_component            life = kith_component_register(s->world, &desc);
    const kith_values         set  = { life, &over, 0 };
    assert_true(kith_entity_set_many(s->world, kith_entities_of(e, 3), &set, 1));
    lock_set(s->world, e[5], e[0]);
    lock_set(s->world, e[1], e[2]); // and expires before
    assert_int_equal(kith_world_expire(s->world, life, 1), 2);
    assert_error(s->world, KITH_ERROR_HELD);
    assert_true(kith_entity_alive(s->world, e[0]));
    assert_false(kith_entity_alive(s->world, e[2]));
    assert_holders(s->world, LOCK, e[0], e[5]);
    kith_component_remove(s->world, e[0], life); // it has no save form
}

static void a_held_entity_is_not_destroyed_by_a_listener(void **state)
{
    scene *s = *state;
    s->other = s->e[0];
    lock_set(s->world, s->e[1], s->e[0]);
    number_set(s->world, s->e[2], 1);
    kith_listener_desc remove = {
        .event = KITH_EVENT_REMOVE, .component = NUMBER, .call = destroy_other, .context = s
    };
    assert_int_not_equal(kith_listener_connect(s->world, &remove), 0);
    assert_true(number_remove(s->world, s->e[2]));
    assert_int_equal(s->count, 1);
    assert_true(kith_entity_alive(s->world, s->e[0]));
    assert_holders(s->world, LOCK, s->e[0], s->e[1]);
}

static void lock_the_next(kith_world *world, const kith_notice *notice, void *context)
{
    scene *s = context;
    if (notice->entity == s->e[1]) {
        assert_true(lock_set(world, s->e[8], s->e[2]));
    }
}

static void a_target_of_a_listener_stays_when_its_batch_goes(void **state)
{
    scene *s = *state;
    kith_listener_connect(
        s->world,
        &(kith_listener_desc){ .event = KITH_EVENT_DESTROY, .call = lock_the_next, .context = s });
    assert_true(kith_entity_destroy_many(s->world, kith_entities_of(s->e + 1, 3)));
    assert_error(s->world, KITH_ERROR_HELD);
    assert_int_equal(kith_entity_count(s->world), ENTITIES - 2);
    assert_holders(s->world, LOCK, s->e[2], s->e[8]);
}

static void a_holder_joins_a_group_once(void **state)
{
    scene      *s     = *state;
    kith_group *group = kith_group_of(s->world, held_desc());
    assert_non_null(group);
    assert_true(holder_set(s->world, s->e[0], s->e[1]));
    assert_true(holder_set(s->world, s->e[1], s->e[0]));
    assert_true(holder_set(s->world, s->e[2], s->e[0]));
    assert_int_equal(kith_group_count(group), 3);
    assert_true(holder_remove(s->world, s->e[1]));
    assert_int_equal(kith_group_count(group), 2);
}

static void an_owned_entity_that_is_held_loses_its_owner(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    owner_set(s->world, e[1], e[0]);
    owner_set(s->world, e[3], e[0]);
    lock_set(s->world, e[2], e[1]);
    assert_true(kith_entity_destroy(s->world, e[0]));
    assert_error(s->world, KITH_ERROR_HELD);
    assert_true(kith_entity_alive(s->world, e[1]));
    assert_false(owner_has(s->world, e[1]));
    assert_false(kith_entity_alive(s->world, e[3]));
}

static void clearing_a_world_passes_over_locks(void **state)
{
    scene *s = *state;
    for (uint32_t i = 1; i < 6; i++) {
        lock_set(s->world, s->e[i], s->e[i - 1]);
        owner_set(s->world, s->e[i], s->e[0]);
        holder_set(s->world, s->e[i], s->e[6]);
    }
    kith_world_clear(s->world);
    assert_int_equal(kith_entity_count(s->world), 0);
    assert_int_equal(s->memory.errors, 0);
    s->e[0] = kith_entity_create(s->world);
    s->e[1] = kith_entity_create(s->world);
    lock_set(s->world, s->e[1], s->e[0]);
    assert_false(kith_entity_destroy(s->world, s->e[0]));
}

static void register_a_lock(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    *(kith_component *)context =
        kith_link_register(world, &(kith_link_desc){ "latch", 0, KITH_TARGET_REFUSE });
}

static void a_lock_that_is_registered_while_a_world_is_cleared_holds(void **state)
{
    test_memory    memory = { 0 };
    kith_world    *world  = test_world(&memory);
    kith_component latch  = 0;
    (void)state;
    kith_entity_create(world);
    kith_listener_connect(world, &(kith_listener_desc){ .event   = KITH_EVENT_DESTROY,
                                                        .call    = register_a_lock,
                                                        .context = &latch });
    kith_world_clear(world);
    kith_entity held_one = kith_entity_create(world);
    assert_true(kith_link_set(world, kith_entity_create(world), latch, held_one));
    assert_refused(&memory, world, KITH_ERROR_HELD, kith_entity_destroy(world, held_one));
    test_world_end(world, &memory);
}

static void destroy_the_target(kith_world *world, const kith_notice *notice, void *context)
{
    scene *s = context;
    if (notice->entity == s->e[1]) {
        kith_entity_destroy(world, s->e[0]);
    }
}

// The listener of number runs before that of the links: number is registered first.
static void a_target_may_end_while_its_holder_is_destroyed(void **state)
{
    scene *s = *state;
    number_on_remove(s->world, destroy_the_target, s);
    for (uint32_t i = 1; i < 4; i++) {
        number_set(s->world, s->e[i], 1);
        holder_set(s->world, s->e[i], s->e[0]);
        owner_set(s->world, s->e[i], s->e[0]);
    }
    assert_true(kith_entity_destroy(s->world, s->e[1]));
    assert_int_equal(kith_entity_count(s->world), ENTITIES - 4);
    assert_int_equal(kith_component_count(s->world, HOLDER), 0);
}

static void destroy_deeper(kith_world *world, const kith_notice *notice, void *context)
{
    scene *s = context;
    if (s->count < 40) {
        s->count++;
        kith_entity e = kith_entity_create(world);
        number_set(world, e, 1);
        number_remove(world, e);
        if (s->count == 31) {
            kith_entity_destroy(world, s->e[0]);
        }
    }
    (void)notice;
}

static void a_target_ends_also_where_events_are_nested_too_deep(void **state)
{
    scene *s = *state;
    number_on_remove(s->world, destroy_deeper, s);
    holder_set(s->world, s->e[1], s->e[0]);
    number_set(s->world, s->e[2], 1);
    number_remove(s->world, s->e[2]);
    kith_entity_destroy(s->world, s->e[0]);
    assert_int_equal(kith_component_count(s->world, HOLDER), 0);
}

// --- registering -----------------------------------------------------------------------------

static void a_link_is_registered_once_with_one_policy(void **state)
{
    scene *s = *state;
    assert_true(holder_register(s->world) && links_register(s->world));
    assert_int_equal(kith_link_register(s->world, &(kith_link_desc){ "holder", HOLDER, 0 }),
                     HOLDER);
    assert_int_equal(
        kith_link_register(s->world, &(kith_link_desc){ "holder", HOLDER, KITH_TARGET_REFUSE }), 0);
    assert_error(s->world, KITH_ERROR_CONFLICT);
    assert_int_equal(kith_link_register(s->world, &(kith_link_desc){ "x", 0, (kith_target)7 }), 0);
    assert_error(s->world, KITH_ERROR_ARGUMENT);
    assert_int_equal(kith_component_find(s->world, "x"), 0);
    assert_int_not_equal(kith_link_register(s->world, &(kith_link_desc){ "x", 0, 0 }), 0);
    assert_int_not_equal(kith_component_find(s->world, "x.holders"), 0);
    assert_string_equal(kith_target_name(KITH_TARGET_DESTROY), "destroy");
    assert_string_equal(kith_target_name((kith_target)3), "?");
}

static void no_component_requires_a_link(void **state)
{
    scene               *s    = *state;
    const kith_component need = HOLDER;
    kith_component_desc  desc = {
         .name = "needs", .size = 4, .traits.required = &need, .traits.required_count = 1
    };
    assert_int_equal(kith_component_register(s->world, &desc), 0);
    assert_error(s->world, KITH_ERROR_ARGUMENT);
    desc.traits.required_count          = 0;
    desc.size                           = sizeof(kith_link);
    desc.alignment                      = _Alignof(kith_link);
    const kith_component      base      = kith_component_register(s->world, &desc);
    const kith_component_desc dependent = {
        .name = "dependent", .size = 4, .traits.required = &base, .traits.required_count = 1
    };
    assert_int_not_equal(kith_component_register(s->world, &dependent), 0);
    assert_int_equal(kith_link_register(s->world, &(kith_link_desc){ .name = "needs" }), 0);
    assert_int_equal(kith_component_find(s->world, "needs.holders"), 0);
    const kith_component_desc lists    = { .name = "late.holders", .size = 16, .alignment = 4 };
    const kith_component      list     = kith_component_register(s->world, &lists);
    const kith_component_desc of_lists = {
        .name = "of_lists", .size = 4, .traits.required = &list, .traits.required_count = 1
    };
    assert_int_not_equal(kith_component_register(s->world, &of_lists), 0);
    assert_int_equal(kith_link_register(s->world, &(kith_link_desc){ .name = "late" }), 0);
    assert_error(s->world, KITH_ERROR_ARGUMENT);
}

static void a_component_with_values_that_agree_becomes_a_link(void **state)
{
    scene              *s    = *state;
    kith_component_desc desc = { .name = "late", .size = sizeof(kith_link), .alignment = 8 };
    kith_component      late = kith_component_register(s->world, &desc);
    kith_link           link = { .target = s->e[0] };
    kith_component_set(s->world, s->e[1], late, &link);
    assert_int_equal(kith_link_register(s->world, &(kith_link_desc){ .name = "late" }), 0);
    assert_error(s->world, KITH_ERROR_ARGUMENT);
    kith_component_desc lists = { .name = "late.holders", .size = 16, .alignment = 4 };
    kith_component      id    = kith_component_register(s->world, &lists);
    kith_holder_list    list  = { kith_entity_index(s->e[1]) + 1, kith_entity_index(s->e[1]) + 1, 1,
                                  0 };
    kith_component_set(s->world, s->e[0], id, &list);
    assert_int_equal(kith_link_register(s->world, &(kith_link_desc){ .name = "late" }), late);
    assert_holders(s->world, late, s->e[0], s->e[1]);
    kith_entity_destroy(s->world, s->e[0]);
    assert_false(kith_component_has(s->world, s->e[1], late));
}

static void calls_refuse_components_that_are_no_links(void **state)
{
    scene *s = *state;
    assert_int_equal(kith_holders_count(s->world, NUMBER, s->e[0]), 0);
    kith_holders walk = kith_holders_begin(s->world, NUMBER, s->e[0]);
    assert_false(kith_holders_next(&walk));
    walk = kith_holders_begin(s->world, 999, s->e[0]);
    assert_false(kith_holders_next(&walk));
    assert_int_equal(s->memory.errors, 3);
    assert_refused(&s->memory, s->world, KITH_ERROR_KIND,
                   kith_link_set(s->world, s->e[1], NUMBER, s->e[0]));
    assert_false(number_has(s->world, s->e[1]));
}

static void every_allocation_of_a_link_may_fail(void **state)
{
    (void)state;
    bool done = false;
    for (uint32_t n = 1; !done; n++) {
        test_memory memory = { 0 };
        kith_world *world  = test_world(&memory);
        test_fail_after(&memory, n);
        kith_entity e[3] = { 0 };
        bool created     = links_register(world) && kith_entity_create_many(world, e, 3, NULL, 0);
        bool first       = created && holder_set(world, e[1], e[0]);
        bool second      = first && holder_fill_many(world, e + 1, 2, e[0]);
        done             = second;
        test_fail_after(&memory, 0);
        assert_world_valid(world);
        assert_true(links_register(world));
        if (!created) {
            assert_true(kith_entity_create_many(world, e, 3, NULL, 0));
        }
        assert_int_equal(holder_has(world, e[1]), first);
        assert_int_equal(holder_has(world, e[2]), second);
        assert_true(holder_set(world, e[1], e[0]));
        assert_true(holder_set(world, e[2], e[0]));
        assert_holders(world, HOLDER, e[0], e[1], e[2]);
        memory.fail_all = true; // removing never allocates
        assert_true(kith_entity_destroy(world, e[0]));
        memory.fail_all = false;
        assert_int_equal(kith_component_count(world, HOLDER), 0);
        test_world_end(world, &memory);
    }
}

// A copy hook that refuses the value 0.
static bool copy_unless_0(void *value, const void *source, void *context)
{
    (void)context;
    memcpy(value, source, sizeof(int));
    return *(const int *)source != 0;
}

// Calls that set links to entities without holders, and a component whose third value is `last`.
static bool set_links(kith_world *world, const kith_entity *e, uint32_t call, int last)
{
    const kith_link   links[]  = { { .target = e[4] }, { .target = e[5] }, { .target = e[4] } };
    const int         values[] = { 1, 2, last };
    const kith_values sets[]   = { holder_each(links),
                                   owner_all(links),
                                   number_each(values),
                                   { kith_component_find(world, "fragile"), values, sizeof(int) } };
    kith_entity       made[3];
    switch (call) {
    case 0:
        return holder_set(world, e[1], e[4]);
    case 1:
        return kith_entity_set_many(world, kith_entities_of(e + 1, 3), sets, 4);
    case 2:
        return kith_entity_set_components(world, kith_entities_of(e + 1, 3), sets, 4);
    default:
        return kith_entity_create_many(world, made, 3, sets, 4);
    }
}

static void assert_links_refused(kith_world *world, const kith_entity *e, uint32_t call, int last)
{
    uint64_t before = 0;
    uint64_t after  = 1;
    assert_true(kith_world_hash_exact(world, &before));
    assert_false(set_links(world, e, call, last));
    assert_true(kith_world_hash_exact(world, &after));
    assert_int_equal(before, after);
    assert_int_equal(kith_component_count(world, kith_component_find(world, "holder.holders")), 0);
}

// A world with six entities and a group of targets, which needs memory for its members.
static kith_world *world_of_targets(test_memory *memory, kith_entity *e)
{
    const kith_component_desc fragile = { .name              = "fragile",
                                          .size              = sizeof(int),
                                          .alignment         = _Alignof(int),
                                          .traits.hooks.copy = copy_unless_0,
                                          .traits.saved      = KITH_AS(plain(4)) };
    kith_world               *world   = test_world(memory);
    assert_true(links_register(world) && kith_component_register(world, &fragile) != 0);
    assert_true(kith_entity_create_many(world, e, 6, NULL, 0));
    kith_term       terms[] = { { .component = kith_component_find(world, "holder.holders") } };
    kith_query_desc targets = { .name = "targets", .terms = terms, .term_count = 1 };
    assert_non_null(kith_group_of(world, &targets));
    return world;
}

static void a_call_that_fails_leaves_no_list(void **state)
{
    (void)state;
    for (uint32_t call = 0; call < 4; call++) {
        bool done = false;
        for (uint32_t n = 1; !done; n++) {
            test_memory memory = { 0 };
            kith_entity e[6]   = { 0 };
            uint64_t    before = 0;
            uint64_t    after  = 0;
            kith_world *world  = world_of_targets(&memory, e);
            assert_true(kith_world_hash_exact(world, &before));
            test_fail_after(&memory, n);
            done = set_links(world, e, call, 3);
            test_fail_after(&memory, 0);
            assert_true(kith_world_hash_exact(world, &after));
            assert_int_equal(before == after, !done);
            assert_int_equal(holder_count(world, e[4]), done ? (call == 0 ? 1 : 2) : 0);
            test_world_end(world, &memory);
        }
    }
}

static void a_batch_that_a_hook_or_a_limit_refuses_leaves_no_list(void **state)
{
    (void)state;
    for (uint32_t call = 1; call < 4; call++) {
        test_memory    memory = { 0 };
        kith_entity    e[6]   = { 0 };
        kith_world    *world  = world_of_targets(&memory, e);
        kith_component lists  = kith_component_find(world, "holder.holders");
        assert_links_refused(world, e, call, 0);
        assert_true(kith_component_limit_set(world, NUMBER, 2));
        assert_links_refused(world, e, call, 3);
        assert_true(kith_component_limit_set(world, NUMBER, 3));
        assert_true(kith_component_limit_set(world, lists, 2)); // two targets, three values
        assert_links_refused(world, e, call, 3);
        assert_true(kith_component_limit_set(world, lists, 3));
        assert_true(set_links(world, e, call, 3));
        test_world_end(world, &memory);
    }
}

// --- state -----------------------------------------------------------------------------------

// Links of three kinds, with orders that differ from rows and indices.
static void fill_scene(scene *s)
{
    kith_entity *e = s->e;
    for (uint32_t i = 2; i < 8; i++) {
        holder_set(s->world, e[9 - i], e[i % 2]);
        owner_set(s->world, e[i], e[(i * 5) % 2 + 8]);
    }
    holder_set(s->world, e[5], e[0]);
    holder_set(s->world, e[4], e[1]);
    holder_set(s->world, e[4], e[0]);
    lock_set(s->world, e[1], e[0]);
    number_set(s->world, e[3], 7);
    holder_set(s->world, e[10], e[11]);
    holder_remove(s->world, e[10]); // an empty list stays
}

static void assert_same_world(kith_world *a, kith_world *b)
{
    uint64_t x = 0, y = 1;
    assert_true(kith_world_hash(a, KITH_ALL, &x) && kith_world_hash(b, KITH_ALL, &y));
    assert_int_equal(x, y);
    assert_true(kith_world_hash_content(a, NULL, &x) && kith_world_hash_content(b, NULL, &y));
    assert_int_equal(x, y);
    kith_diff diff = { 0 };
    assert_true(kith_world_diff(a, b, &diff));
    assert_int_equal(diff.count, 0);
}

// The world goes on as the original does: lists, walks, ends.
static void assert_goes_on(kith_world *world, const kith_entity *e)
{
    uint32_t count = holder_count(world, e[0]);
    assert_true(holder_set(world, e[9], e[0]));
    assert_int_equal(holder_count(world, e[0]), count + 1);
    kith_holders walk = holder_begin(world, e[0]);
    kith_entity  last = KITH_NULL;
    while (holder_next(&walk)) {
        last = walk.entity;
        holder_remove(world, walk.entity);
    }
    assert_int_equal(last, e[9]);
    assert_false(kith_entity_destroy(world, e[0]));
    lock_remove(world, e[1]);
    assert_true(kith_entity_destroy(world, e[0]));
    assert_world_valid(world);
}

static void a_snapshot_has_the_order_of_holders(void **state)
{
    scene *s = *state;
    fill_scene(s);
    for (int exact = 0; exact < 2; exact++) {
        kith_bytes     bytes  = { 0 };
        test_memory    memory = { 0 };
        kith_world    *copy   = test_world(&memory);
        kith_save_desc save   = { .exact = exact != 0 };
        assert_true(links_register(copy));
        assert_int_equal(kith_world_save_memory(s->world, &save, &bytes).code, KITH_OK);
        assert_int_equal(kith_world_load(copy, NULL, bytes.data, bytes.size).code, KITH_OK);
        assert_world_valid(copy);
        assert_same_world(s->world, copy);
        assert_holders(copy, HOLDER, s->e[1], s->e[6], s->e[2]);
        assert_goes_on(copy, s->e);
        kith_bytes_free(&bytes);
        test_world_end(copy, &memory);
    }
}

static void a_selection_loses_links_to_targets_that_are_left_out(void **state)
{
    scene      *s      = *state;
    kith_bytes  bytes  = { 0 };
    test_memory memory = { 0 };
    kith_world *copy   = test_world(&memory);
    fill_scene(s);
    const kith_entity chosen[] = { s->e[1], s->e[2], s->e[4], s->e[6] };
    kith_save_desc    save     = { .entities = chosen, .entity_count = 4 };
    uint64_t          a = 0, b = 1;
    assert_true(links_register(copy));
    assert_int_equal(kith_world_save_memory(s->world, &save, &bytes).code, KITH_OK);
    assert_int_equal(kith_world_load(copy, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(kith_entity_count(copy), 4);
    assert_holders(copy, HOLDER, s->e[1], s->e[6], s->e[2]);
    assert_false(holder_has(copy, s->e[4]) || owner_has(copy, s->e[2]) || lock_has(copy, s->e[1]));
    assert_true(kith_world_hash_content(s->world, &save, &a));
    assert_true(kith_world_hash_content(copy, NULL, &b));
    assert_int_equal(a, b);
    const kith_component only = HOLDER;
    save                      = (kith_save_desc){ .components = &only, .component_count = 1 };
    assert_int_equal(kith_world_save_memory(s->world, &save, &bytes).code, KITH_OK);
    assert_int_equal(kith_world_load(copy, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_holders(copy, HOLDER, s->e[1], s->e[6], s->e[2]);
    assert_int_equal(kith_component_count(copy, OWNER), 0);
    kith_bytes_free(&bytes);
    test_world_end(copy, &memory);
}

static void a_clone_of_the_world_has_the_same_lists(void **state)
{
    scene *s = *state;
    fill_scene(s);
    kith_world *clone = kith_world_clone(s->world, NULL);
    assert_non_null(clone);
    assert_world_valid(clone);
    assert_same_world(s->world, clone);
    assert_goes_on(clone, s->e);
    kith_world_destroy(clone);
}

static void copies_of_a_prefab_hold_the_same_target(void **state)
{
    scene *s = *state;
    holder_set(s->world, s->e[1], s->e[0]);
    holder_set(s->world, s->e[2], s->e[1]);
    kith_entity made[2];
    assert_true(kith_entity_clone_many(s->world, s->e[1], made, 2));
    assert_holders(s->world, HOLDER, s->e[0], s->e[1], made[0], made[1]);
    assert_holders(s->world, HOLDER, s->e[1], s->e[2]);
    kith_component lists = kith_component_find(s->world, "holder.holders");
    assert_false(kith_component_has(s->world, made[0], lists));
}

static void clones_of_entities_keep_the_order_of_their_links(void **state)
{
    scene       *s = *state;
    kith_entity *e = s->e;
    for (uint32_t i = 1; i < 5; i++) {
        holder_set(s->world, e[5 - i], e[0]); // 4 3 2 1
    }
    holder_set(s->world, e[5], e[6]);
    kith_entity clones[6];
    assert_true(kith_entities_clone(s->world, s->world, e, 6, clones));
    assert_holders(s->world, HOLDER, clones[0], clones[4], clones[3], clones[2], clones[1]);
    assert_holders(s->world, HOLDER, e[0], e[4], e[3], e[2], e[1]);
    assert_holders(s->world, HOLDER, e[6], e[5], clones[5]);
    test_memory memory = { 0 };
    kith_world *other  = test_world(&memory);
    assert_true(links_register(other));
    assert_true(kith_entities_clone(other, s->world, e, 6, clones));
    assert_holders(other, HOLDER, clones[0], clones[4], clones[3], clones[2], clones[1]);
    assert_false(holder_has(other, clones[5]));
    test_world_end(other, &memory);
}

static void a_restored_frame_has_its_lists(void **state)
{
    scene *s = *state;
    fill_scene(s);
    kith_frames *frames = kith_frames_create(s->world, &(kith_frames_desc){ .capacity = 4 });
    uint64_t     frame  = kith_frames_save(frames);
    uint64_t     before = 0, after = 1;
    assert_true(kith_world_hash_exact(s->world, &before));
    kith_holders walk = holder_begin(s->world, s->e[0]);
    assert_true(holder_next(&walk));
    holder_set(s->world, s->e[2], s->e[0]);
    kith_entity_destroy(s->world, s->e[1]);
    kith_entity_destroy(s->world, s->e[8]);
    holder_set(s->world, s->e[10], s->e[11]);
    kith_frames_save(frames);
    assert_true(kith_frames_restore(frames, frame));
    assert_world_valid(s->world);
    assert_true(kith_world_hash_exact(s->world, &after));
    assert_int_equal(before, after);
    const kith_world *view = kith_frames_world(frames, frame);
    assert_holders(view, HOLDER, s->e[1], s->e[6], s->e[2]);
    view = kith_frames_world(frames, frame + 1);
    assert_holders(view, HOLDER, s->e[11], s->e[10]);
    while (holder_next(&walk)) { // goes on in what is there now
        assert_int_equal(holder_target(s->world, walk.entity), s->e[0]);
    }
    assert_goes_on(s->world, s->e);
    assert_true(kith_frames_destroy(frames));
}

// A ring shows frames in two worlds. These are older than the links of the third frame.
static void a_clone_of_a_frame_walks_exactly(void **state)
{
    scene       *s      = *state;
    kith_frames *frames = kith_frames_create(s->world, &(kith_frames_desc){ .capacity = 4 });
    uint64_t     frame  = 0;
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 1 + i * i * 9; k++) {
            holder_remove(s->world, s->e[1]);
            assert_true(holder_set(s->world, s->e[1], s->e[0]));
        }
        frame = kith_frames_save(frames);
        assert_non_null(kith_frames_world(frames, frame));
    }
    kith_world *clone = kith_world_clone(kith_frames_world(frames, frame), NULL);
    assert_world_valid(clone);
    kith_holders walk = holder_begin(clone, s->e[0]);
    assert_true(holder_remove(clone, s->e[1]));
    assert_true(holder_set(clone, s->e[1], s->e[0])); // after the begin
    assert_false(holder_next(&walk));
    kith_world_destroy(clone);
    assert_true(kith_frames_destroy(frames));
}

typedef struct text {
    char   bytes[8192];
    size_t size;
} text;

static bool write_text(const void *bytes, size_t size, void *context)
{
    text *t = context;
    assert_true(t->size + size < sizeof t->bytes);
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    return true;
}

static void json_has_the_order_of_holders(void **state)
{
    scene *s = *state;
    fill_scene(s);
    text        t      = { .size = 0 };
    test_memory memory = { 0 };
    kith_world *copy   = test_world(&memory);
    assert_true(links_register(copy));
    assert_true(kith_json_write_world(s->world, write_text, &t));
    assert_int_equal(kith_json_read_world(copy, t.bytes, t.size, NULL).code, KITH_OK);
    assert_world_valid(copy);
    uint64_t a = 0, b = 1;
    assert_true(kith_world_hash_content(s->world, NULL, &a));
    assert_true(kith_world_hash_content(copy, NULL, &b));
    assert_int_equal(a, b);
    assert_holders(copy, HOLDER, s->e[1], s->e[6], s->e[2]);
    kith_world_clear(copy); // other handles: the order is that of the text
    assert_int_equal(kith_json_read_world(copy, t.bytes, t.size, NULL).code, KITH_OK);
    assert_int_equal(kith_component_count(copy, HOLDER), kith_component_count(s->world, HOLDER));
    test_world_end(copy, &memory);
    copy = test_world(&memory);
    assert_true(links_register(copy));
    char *wrong = strstr(t.bytes, "\"next\":");
    wrong[7]    = '9';
    assert_int_equal(kith_json_read_world(copy, t.bytes, t.size, NULL).code, KITH_ERROR_FORMAT);
    assert_int_equal(kith_entity_count(copy), 0);
    t.size = 0;
    assert_true(kith_json_write_entity(s->world, s->e[2], write_text, &t));
    kith_entity made = KITH_NULL;
    assert_int_equal(kith_json_read_entity(s->world, t.bytes, t.size, NULL, &made).code, KITH_OK);
    assert_holders(s->world, HOLDER, s->e[1], s->e[6], s->e[2], made);
    test_world_end(copy, &memory);
}

static void a_merge_brings_targets_and_order(void **state)
{
    scene       *s      = *state;
    kith_entity *e      = s->e;
    test_memory  memory = { 0 };
    kith_world  *here   = test_world(&memory);
    kith_bytes   bytes  = { 0 };
    kith_entity  own    = KITH_NULL;
    assert_true(links_register(here));
    own               = kith_entity_create(here);
    kith_merge *merge = kith_merge_create(here);
    fill_scene(s);
    for (int round = 0; round < 4; round++) {
        assert_int_equal(kith_world_save_memory(s->world, NULL, &bytes).code, KITH_OK);
        assert_int_equal(kith_merge_apply(merge, NULL, bytes.data, bytes.size).code, KITH_OK);
        assert_world_valid(here);
        for (uint32_t i = 0; i < ENTITIES; i++) {
            kith_entity  target = kith_merge_local(merge, e[i]);
            kith_holders far    = holder_begin(s->world, e[i]);
            kith_holders near   = holder_begin(here, target);
            while (holder_next(&far)) {
                assert_true(holder_next(&near));
                near.entity == own ? assert_true(holder_next(&near)) : (void)0;
                assert_int_equal(near.entity, kith_merge_local(merge, far.entity));
            }
        }
        if (round == 0) {
            assert_true(holder_set(here, own, kith_merge_local(merge, e[0])));
            holder_set(s->world, e[5], e[1]); // moves, and the order changes
            holder_set(s->world, e[5], e[0]);
            holder_remove(s->world, e[2]);
        } else if (round == 1) {
            lock_remove(s->world, e[1]);
            kith_entity_destroy(s->world, e[0]); // gone there: holders here lose the link
            owner_set(s->world, e[2], e[9]);
            kith_entity_destroy(s->world, e[8]);
        } else if (round == 2) {
            assert_false(holder_has(here, own));
            assert_true(kith_entity_alive(here, own));
            lock_set(s->world, e[2], e[9]);
        }
    }
    kith_bytes_free(&bytes);
    test_world_end(here, &memory);
}

// Every bit of a small snapshot flipped: the world refuses it, or is valid.
static void a_damaged_snapshot_is_refused_or_valid(void **state)
{
    scene      *s      = *state;
    test_memory memory = { 0 };
    kith_world *copy   = test_world(&memory);
    kith_bytes  bytes  = { 0 };
    uint32_t    loaded = 0;
    assert_true(links_register(copy));
    for (uint32_t i = 4; i < ENTITIES; i++) {
        kith_entity_destroy(s->world, s->e[i]);
    }
    holder_set(s->world, s->e[1], s->e[0]);
    holder_set(s->world, s->e[2], s->e[0]);
    owner_set(s->world, s->e[3], s->e[1]);
    assert_int_equal(kith_world_save_memory(s->world, NULL, &bytes).code, KITH_OK);
    for (size_t bit = 0; bit < bytes.size * 8; bit++) {
        uint8_t *byte = (uint8_t *)bytes.data + bit / 8;
        *byte ^= (uint8_t)(1u << bit % 8);
        kith_load_desc load = { .unknown = KITH_UNKNOWN_REFUSE, .bytes = 1u << 24 };
        if (kith_world_load(copy, &load, bytes.data, bytes.size).code == KITH_OK) {
            loaded++;
            assert_world_valid(copy);
            kith_world_clear(copy);
        }
        *byte ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(loaded < bytes.size * 8);
    kith_bytes_free(&bytes);
    test_world_end(copy, &memory);
}

// --- walks under change ----------------------------------------------------------------------
//
// All programs with at most three changes at any step: three holders, two targets. A naive model
// has the arrival of each link, and predicts each step of
//
//     walks     one over each target, begun at each step: the later ones are inner walks
//     loops     over holders, targets, and entities with a number but no link, alone and nested,
//               open from the beginning; or none

enum { HOLDERS = 3, TARGETS = 2, CHANGES_MOST = 3, STEPS = 4, WALKS = STEPS * TARGETS, LOOPS = 3 };

typedef struct naive {
    int      target[HOLDERS]; // -1: none
    uint32_t arrival[HOLDERS];
    uint32_t newest;
    bool     ended[HOLDERS]; // with their target
    bool     lives[TARGETS];
    // since the loops began
    bool kept[HOLDERS]; // the link
    bool kept_list[TARGETS];
    bool kept_number[HOLDERS];
    int  order[TARGETS]; // of the lists
    int  place[LOOPS];   // what is before it has had its turn
    int  open;           // loops
} naive;

typedef struct trial_walk {
    kith_holders walk;
    int          target;
    uint32_t     begun; // model.newest at the begin
    uint32_t     last;  // the arrival of the last holder handed out
} trial_walk;

typedef struct trial {
    kith_world    *world;
    kith_component link;
    kith_component lists;
    bool           typed; // walks take the inline step
    kith_entity    holder[HOLDERS];
    kith_entity    target[TARGETS];
    naive          model;
    trial_walk     walks[WALKS];
    kith_cursor    loops[LOOPS]; // the last one is the inner one
    int            from, to;     // the loops that are open
} trial;

static void link_model(trial *t, int i, int target)
{
    if (t->model.target[i] != target) {
        t->model.target[i]  = target;
        t->model.arrival[i] = ++t->model.newest;
    }
}

// The changes: link holder i to target k, remove the link of holder i, end target k, give holder i
// a new entity and link that to the first target, remove the list of the first target.
enum {
    ENDS    = HOLDERS * TARGETS + HOLDERS,
    RENEWS  = ENDS + TARGETS,
    CHANGES = RENEWS + HOLDERS + 1
};

static void unlink_model(trial *t, int i)
{
    t->model.target[i] = -1;
    t->model.kept[i]   = false;
}

static void forget_target(trial *t, int k, bool ends)
{
    t->model.kept_list[k] = false;
    for (int i = 0; i < HOLDERS; i++) {
        if (t->model.target[i] == k) {
            t->model.ended[i] = ends && t->link == OWNER;
            t->model.kept_number[i] &= !t->model.ended[i];
            unlink_model(t, i);
        }
    }
}

static void renew_holder(trial *t, int i)
{
    assert_int_equal(kith_entity_destroy(t->world, t->holder[i]), !t->model.ended[i]);
    t->holder[i]      = kith_entity_create(t->world); // has the same index, if that one lived
    t->model.ended[i] = t->model.kept_number[i] = false;
    unlink_model(t, i);
    if (t->model.lives[0]) {
        assert_true(kith_link_set(t->world, t->holder[i], t->link, t->target[0]));
        link_model(t, i, 0);
    }
}

static void change_trial(trial *t, int change)
{
    if (change < HOLDERS * TARGETS) {
        int  i = change / TARGETS, k = change % TARGETS;
        bool can = t->model.lives[k] && !t->model.ended[i];
        assert_int_equal(kith_link_set(t->world, t->holder[i], t->link, t->target[k]), can);
        can ? link_model(t, i, k) : (void)0;
    } else if (change < ENDS) {
        int i = change - HOLDERS * TARGETS;
        assert_int_equal(kith_link_remove(t->world, t->holder[i], t->link),
                         t->model.target[i] >= 0);
        unlink_model(t, i);
    } else if (change < RENEWS) {
        int k = change - ENDS;
        assert_int_equal(kith_entity_destroy(t->world, t->target[k]), t->model.lives[k]);
        t->model.lives[k] = false;
        forget_target(t, k, true);
    } else if (change < RENEWS + HOLDERS) {
        renew_holder(t, change - RENEWS);
    } else {
        kith_component_remove(t->world, t->target[0], t->lists);
        forget_target(t, 0, false);
    }
}

static int next_in_model(const trial *t, const trial_walk *w)
{
    int next = -1;
    for (int i = 0; i < HOLDERS; i++) {
        if (t->model.target[i] == w->target && t->model.arrival[i] > w->last &&
            t->model.arrival[i] <= w->begun &&
            (next < 0 || t->model.arrival[i] < t->model.arrival[next])) {
            next = i;
        }
    }
    return next;
}

static void begin_walk(trial *t, trial_walk *w, int target)
{
    w->walk   = kith_holders_begin(t->world, t->link, t->target[target]);
    w->target = target;
    w->begun  = t->model.newest;
}

static void step_walk(const trial *t, trial_walk *w)
{
    int  next = next_in_model(t, w);
    bool more = t->typed ? holder_next(&w->walk) : kith_holders_next(&w->walk);
    assert_int_equal(more, next >= 0);
    if (next >= 0) {
        assert_int_equal(w->walk.entity, t->holder[next]);
        w->last = t->model.arrival[next];
    }
}

static void begin_loops(trial *t)
{
    const kith_term       terms[] = { { t->link, KITH_ROLE_READ, 0 },
                                      { t->lists, KITH_ROLE_READ, 0 },
                                      { NUMBER, KITH_ROLE_READ, 0 },
                                      { t->link, KITH_ROLE_WITHOUT, 0 } };
    const kith_query_desc descs[] = { { .terms = &terms[0], .term_count = 1 },
                                      { .terms = &terms[1], .term_count = 1 },
                                      { .terms = &terms[2], .term_count = 2 } };
    for (int i = 0; i < HOLDERS; i++) {
        t->model.kept[i]        = t->model.target[i] >= 0;
        t->model.kept_number[i] = true;
        t->model.kept_list[t->model.kept[i] ? t->model.target[i] : 0] |= t->model.kept[i];
    }
    for (t->model.open = t->from; t->model.open < t->to; t->model.open++) {
        t->loops[t->model.open] = kith_view_begin(t->world, &descs[t->model.open]);
    }
}

// The entity at a place of a loop, if it is visited now. Rows are in the order in which the trial
// set numbers and links, and targets got lists.
static kith_entity entity_at(const trial *t, int loop, int place)
{
    const naive *m = &t->model;
    if (loop == 1) {
        int k = place < TARGETS ? m->order[place] : 0;
        return place < TARGETS && m->kept_list[k] ? t->target[k] : KITH_NULL;
    }
    bool visited = place < HOLDERS &&
                   (loop == 0 ? m->kept[place] : m->kept_number[place] && m->target[place] < 0);
    return visited ? t->holder[place] : KITH_NULL;
}

// Steps each loop, the inner ones first. The end of a loop would close those inside, so it waits.
static void step_loops(trial *t)
{
    naive *m = &t->model;
    for (int n = m->open; n-- > t->from;) {
        int place = m->place[n];
        while (place < HOLDERS && entity_at(t, n, place) == KITH_NULL) {
            place++;
        }
        if (place < HOLDERS) {
            assert_true(kith_cursor_next(&t->loops[n]));
            assert_int_equal(t->loops[n].entity, entity_at(t, n, place));
            m->place[n] = place + 1;
        } else if (m->open == n + 1) {
            assert_false(kith_cursor_next(&t->loops[n]));
            m->open = n;
        }
    }
}

static void set_up_trial(trial *t, const int *start)
{
    t->lists =
        kith_component_find(t->world, t->link == HOLDER ? "holder.holders" : "owner.holders");
    kith_world_clear(t->world);
    for (int k = 0; k < TARGETS; k++) {
        t->target[k] = kith_entity_create(t->world);
    }
    for (int i = 0; i < HOLDERS; i++) {
        t->holder[i]       = kith_entity_create(t->world);
        t->model.target[i] = -1;
        number_set(t->world, t->holder[i], i);
    }
    for (int i = 0; i < HOLDERS; i++) {
        if (start[i] >= 0) {
            kith_link_set(t->world, t->holder[i], t->link, t->target[start[i]]);
            link_model(t, i, start[i]);
        }
    }
    int first         = start[0] >= 0 ? start[0] : start[1] >= 0 ? start[1] : start[2];
    t->model.order[0] = first == 1; // the list that came first
    t->model.order[1] = first != 1;
}

// Runs one program: changes[i] happens at step steps[i].
static void run_trial(trial t, const int *start, const int *changes, const int *steps, int count)
{
    set_up_trial(&t, start);
    begin_loops(&t);
    for (int step = 0, done = 0; step < 2 * STEPS; step++) {
        for (int k = 0; k < TARGETS && step < STEPS; k++) {
            begin_walk(&t, &t.walks[step * TARGETS + k], k);
        }
        for (; done < count && steps[done] == step; done++) {
            change_trial(&t, changes[done]);
        }
        for (int w = 0; w < WALKS && w < (step + 1) * TARGETS; w++) {
            step_walk(&t, &t.walks[w]);
        }
        step_loops(&t);
    }
    assert_int_equal(t.model.open, t.from); // all loops came to their ends
    assert_world_valid(t.world);
    for (int k = 0; k < TARGETS; k++) {
        uint32_t expected = 0;
        for (int i = 0; i < HOLDERS; i++) {
            expected += t.model.target[i] == k;
        }
        assert_int_equal(kith_holders_count(t.world, t.link, t.target[k]), expected);
    }
}

// Splits the number of a program into changes and the steps before which they happen. Returns false
// when the steps do not ascend.
static bool split_program(int program, int count, int *changes, int *steps)
{
    bool ascends = true;
    for (int i = 0; i < count; i++) {
        changes[i] = program % CHANGES;
        steps[i]   = program / CHANGES % STEPS;
        program /= CHANGES * STEPS;
        ascends = ascends && (i == 0 || steps[i] >= steps[i - 1]);
    }
    return ascends;
}

// Each program runs in all forms; `stride` chooses a share of them.
static void run_program(kith_world *world, const int *start, int program, int count,
                        uint32_t *number, uint32_t stride)
{
    static const struct {
        kith_component link;
        int            from, to;
    } forms[]                 = { { HOLDER, 0, 0 }, { OWNER, 0, 0 },  { HOLDER, 0, 1 },
                                  { HOLDER, 1, 2 }, { HOLDER, 2, 3 }, { OWNER, 0, LOOPS } };
    int changes[CHANGES_MOST] = { 0 }, steps[CHANGES_MOST] = { 0 };
    for (uint32_t f = 0; f < COUNT_OF(forms) && split_program(program, count, changes, steps);
         f++, ++*number) {
        if (*number % stride == 0) {
            trial t = { .world = world,
                        .link  = forms[f].link,
                        .from  = forms[f].from,
                        .to    = forms[f].to,
                        .typed = *number / stride % 2 == 0,
                        .model = { .lives = { true, true } } };
            run_trial(t, start, changes, steps, count);
        }
    }
}

static void walks_and_loops_follow_the_rules_in_every_short_program(void **state)
{
    scene   *s      = *state;
    uint32_t thin   = 100000 / test_thinned(100000);
    uint32_t stride = thin == 1 ? 1 : thin * 6 + 1; // all forms, in turns
    uint32_t number = 0;
    for (int n = 0; n < 27; n++) { // which holder names which target, or none
        const int start[HOLDERS] = { n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1 };
        int       programs       = 1;
        for (int count = 0; count <= CHANGES_MOST; count++, programs *= CHANGES * STEPS) {
            for (int p = 0; p < programs; p++) {
                run_program(s->world, start, p, count, &number, stride);
            }
        }
    }
}

static void a_walk_of_many_is_linear_under_change(void **state)
{
    scene *s = *state;
    enum { MANY = 3000 };
    kith_entity *many = calloc(MANY, sizeof *many);
    assert_true(kith_entity_create_many(s->world, many, MANY, NULL, 0));
    assert_true(holder_fill_many(s->world, many, MANY, s->e[0]));
    kith_holders walk    = holder_begin(s->world, s->e[0]);
    uint32_t     visited = 0;
    while (holder_next(&walk)) {
        assert_int_equal(walk.entity, many[visited]);
        visited++;
        if (visited % 3 == 0) {
            holder_set(s->world, walk.entity, s->e[1]);
        } else if (visited % 3 == 1) {
            kith_entity_destroy(s->world, walk.entity);
        }
    }
    assert_int_equal(visited, MANY);
    assert_int_equal(holder_count(s->world, s->e[0]), MANY / 3);
    free(many);
}

// --- random calls ----------------------------------------------------------------------------
//
// Random calls on two links against naive lists: holders in the order in which they came. Frames,
// snapshots and clones of the world are taken in between, and must not be noticed.

enum { CROWD = 24, LISTS = 2 };

typedef struct crowd {
    kith_world *world;
    kith_entity e[CROWD];
    kith_entity list[LISTS][CROWD][CROWD]; // by target: its holders
    uint32_t    count[LISTS][CROWD];
} crowd;

static const kith_component crowd_links[LISTS] = { HOLDER, OWNER };

static void forget_link(crowd *c, int l, kith_entity holder)
{
    for (uint32_t t = 0; t < CROWD; t++) {
        kith_entity *list = c->list[l][t];
        for (uint32_t i = 0; i < c->count[l][t]; i++) {
            if (list[i] == holder) {
                memmove(list + i, list + i + 1, (--c->count[l][t] - i) * sizeof *list);
                return;
            }
        }
    }
}

static bool names(const crowd *c, int l, uint32_t t, kith_entity holder)
{
    bool found = false;
    for (uint32_t i = 0; i < c->count[l][t]; i++) {
        found = found || c->list[l][t][i] == holder;
    }
    return found;
}

static void link_naively(crowd *c, int l, uint32_t h, uint32_t t)
{
    if (!names(c, l, t, c->e[h])) {
        forget_link(c, l, c->e[h]);
        c->list[l][t][c->count[l][t]++] = c->e[h];
    }
}

// Destroys the entity and all that it owns, and gives their places new entities.
static void end_naively(crowd *c, uint32_t i)
{
    uint32_t queue[CROWD] = { i }, queued = 1;
    bool     ends[CROWD] = { false };
    ends[i]              = true;
    for (uint32_t at = 0; at < queued; at++) {
        for (uint32_t k = 0; k < CROWD; k++) {
            if (!ends[k] && names(c, 1, queue[at], c->e[k])) {
                ends[k]         = true;
                queue[queued++] = k;
            }
        }
    }
    for (uint32_t k = 0; k < CROWD; k++) {
        if (ends[k]) {
            forget_link(c, 0, c->e[k]);
            forget_link(c, 1, c->e[k]);
            c->count[0][k] = c->count[1][k] = 0;
            assert_false(kith_entity_alive(c->world, c->e[k]));
            c->e[k] = kith_entity_create(c->world);
        }
    }
}

static void assert_crowd(const crowd *c, const kith_world *world)
{
    for (int l = 0; l < LISTS; l++) {
        for (uint32_t t = 0; t < CROWD; t++) {
            assert_list(world, crowd_links[l], c->e[t], c->list[l][t], c->count[l][t]);
        }
    }
    assert_world_valid(world);
}

// Another world in the same state, by a snapshot or as a clone.
static void assert_copies(const crowd *c, bool saved)
{
    kith_world *copy = kith_world_clone(c->world, NULL);
    if (saved) {
        kith_bytes bytes = { 0 };
        kith_world_clear(copy);
        assert_int_equal(kith_world_save_memory(c->world, NULL, &bytes).code, KITH_OK);
        assert_int_equal(kith_world_load(copy, NULL, bytes.data, bytes.size).code, KITH_OK);
        kith_bytes_free(&bytes);
    }
    assert_crowd(c, copy);
    kith_world_destroy(copy);
}

static void random_calls_keep_the_lists_of_a_naive_model(void **state)
{
    scene       *s      = *state;
    uint64_t     seed   = test_seed();
    crowd       *c      = calloc(2, sizeof *c);
    kith_frames *frames = kith_frames_create(s->world, &(kith_frames_desc){ .capacity = 4 });
    uint64_t     frame  = 0;
    kith_world_clear(s->world);
    c->world = s->world;
    assert_true(kith_entity_create_many(c->world, c->e, CROWD, NULL, 0));
    for (uint32_t step = test_thinned(20000); step > 0; step--) {
        uint32_t h = test_random_below(&seed, CROWD), t = test_random_below(&seed, CROWD);
        int      l = (int)test_random_below(&seed, LISTS);
        uint32_t n = test_random_below(&seed, 100);
        if (n < 45) {
            assert_int_equal(kith_link_set(c->world, c->e[h], crowd_links[l], c->e[t]), h != t);
            h != t ? link_naively(c, l, h, t) : (void)0;
        } else if (n < 60) {
            const kith_link   link = { .target = c->e[t] };
            const kith_values set  = { crowd_links[l], &link, 0 };
            uint32_t          last = h + 4 < CROWD ? h + 4 : CROWD;
            bool              own  = t >= h && t < last;
            assert_int_equal(
                kith_entity_set_many(c->world, kith_entities_of(c->e + h, last - h), &set, 1),
                !own);
            for (uint32_t i = h; i < last && !own; i++) {
                link_naively(c, l, i, t);
            }
        } else if (n < 75) {
            kith_link_remove(c->world, c->e[h], crowd_links[l]);
            forget_link(c, l, c->e[h]);
        } else if (n < 85) {
            kith_entity_destroy(c->world, c->e[h]);
            end_naively(c, h);
        } else if (n < 90) {
            c[1]  = *c;
            frame = kith_frames_save(frames);
        } else if (n < 94 && frame != 0) {
            assert_true(kith_frames_restore(frames, frame));
            *c = c[1];
        } else if (n < 96) {
            assert_copies(c, n == 95);
        }
        assert_crowd(c, c->world);
    }
    assert_true(kith_frames_destroy(frames));
    free(c);
}

// A world in which two components look like a link and its lists. Each holder is before and after
// the other, and two lists lead to an entity that has no link.
static kith_world *damaged_world(test_memory *memory)
{
    kith_world               *world = test_world(memory);
    const kith_component_desc links = { .name         = "holder",
                                        .id           = HOLDER,
                                        .size         = sizeof(kith_link),
                                        .alignment    = _Alignof(kith_link),
                                        .traits.saved = KITH_AS(fields(kith_link)) };
    const kith_component_desc lists = { .name         = "holder.holders",
                                        .size         = sizeof(kith_holder_list),
                                        .alignment    = _Alignof(kith_holder_list),
                                        .traits.saved = KITH_AS(fields(kith_holder_list)) };
    kith_component            link  = kith_component_register(world, &links);
    kith_component            list  = kith_component_register(world, &lists);
    kith_entity               e[4];
    assert_true(kith_entity_create_many(world, e, 4, NULL, 0));
    const kith_holder_list away = { 99, 99, 1, 0 };
    const kith_link one   = { e[0], kith_entity_index(e[3]) + 1, kith_entity_index(e[3]) + 1, 0 };
    const kith_link other = { e[0], kith_entity_index(e[2]) + 1, kith_entity_index(e[2]) + 1, 0 };
    kith_component_set(world, e[0], list, &away);
    kith_component_set(world, e[1], list, &away);
    kith_component_set(world, e[2], link, &one);
    kith_component_set(world, e[3], link, &other);
    return world;
}

static void lists_that_lead_away_are_refused(void **state)
{
    scene      *s      = *state;
    test_memory memory = { 0 };
    kith_world *world  = damaged_world(&memory);
    kith_bytes  bytes  = { 0 };
    assert_int_equal(kith_world_save_memory(world, NULL, &bytes).code, KITH_OK);
    assert_false(holder_register(world));
    assert_error(world, KITH_ERROR_ARGUMENT);
    test_world_end(world, &memory);
    assert_int_not_equal(kith_world_load(s->world, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(kith_entity_count(s->world), ENTITIES);
    kith_bytes_free(&bytes);
}

// A module of links is registered whole or not at all, also over components that exist.
static void a_module_that_fails_makes_no_link(void **state)
{
    (void)state;
    const kith_link_desc      other = { .name = "lock", .id = LOCK, .target = KITH_TARGET_CLEAR };
    const kith_component_desc taken = { .name = "lock.holders", .size = 4, .alignment = 4 };
    const kith_component_desc plain = { .name         = "owner",
                                        .id           = OWNER,
                                        .size         = sizeof(kith_link),
                                        .alignment    = _Alignof(kith_link),
                                        .traits.saved = KITH_AS(fields(kith_link)) };
    for (uint32_t i = 0; i < 2; i++) {
        test_memory memory = { 0 };
        kith_world *world  = test_world(&memory);
        assert_int_equal(kith_component_register(world, &plain), OWNER);
        assert_true((i == 0 ? kith_link_register(world, &other)
                            : kith_component_register(world, &taken)) != 0);
        assert_false(links_register(world));
        assert_error(world, KITH_ERROR_CONFLICT);
        assert_int_equal(kith_component_find(world, "number"), 0);
        assert_int_equal(kith_component_find(world, "holder"), 0);
        assert_int_equal(kith_component_find(world, "holder.holders"), 0);
        assert_int_equal(kith_component_find(world, "owner.holders"), 0);
        const kith_link value = { .next = 7 }; // the component that was there is plain
        kith_entity     e     = kith_entity_create(world);
        assert_non_null(kith_component_set(world, e, OWNER, &value));
        assert_int_equal(((kith_link *)kith_component_mut(world, e, OWNER))->next, 7);
        test_world_end(world, &memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(holders_come_in_the_order_of_their_links),
        TEST(a_holder_that_gets_another_target_becomes_its_last_holder),
        TEST(a_removed_link_leaves_the_list),
        TEST(null_dead_and_own_targets_are_refused),
        TEST(no_call_hands_out_a_link_to_write),
        TEST(a_link_changes_when_its_target_does),
        TEST(a_query_as_text_reads_links),
        TEST(events_are_those_of_any_component),
        TEST(a_listener_of_remove_reads_the_target),
        TEST(a_target_that_ends_gets_no_new_holder),
        TEST(removing_the_list_of_a_target_clears_its_holders),
        TEST(a_target_may_end_while_its_list_is_removed),
        TEST(a_batch_whose_target_ends_in_a_listener_drops_the_later_links),
        TEST(batches_link_and_relink),
        TEST(a_batch_with_a_wrong_target_changes_nothing),
        TEST(commands_link_entities_that_they_create),
        TEST(a_recorded_link_to_a_target_that_ended_is_refused),
        TEST(disabled_holders_stay_in_the_list),
        TEST(sorting_and_loops_do_not_change_lists),
        TEST(holders_are_destroyed_after_their_target_breadth_first),
        TEST(a_pending_holder_with_another_target_stays),
        TEST(a_target_that_is_destroyed_in_the_event_of_another_comes_along),
        TEST(a_long_chain_of_owners_ends_without_recursion),
        TEST(a_batch_destroys_targets_and_their_holders_once),
        TEST(a_held_entity_is_not_destroyed),
        TEST(lists_that_lead_away_are_refused),
        TEST(a_module_that_fails_makes_no_link),
        TEST(a_held_entity_does_not_expire),
        TEST(a_held_entity_is_not_destroyed_by_a_listener),
        TEST(a_target_of_a_listener_stays_when_its_batch_goes),
        TEST(a_holder_joins_a_group_once),
        TEST(an_owned_entity_that_is_held_loses_its_owner),
        TEST(clearing_a_world_passes_over_locks),
        TEST(a_lock_that_is_registered_while_a_world_is_cleared_holds),
        TEST(a_target_may_end_while_its_holder_is_destroyed),
        TEST(a_target_ends_also_where_events_are_nested_too_deep),
        TEST(a_link_is_registered_once_with_one_policy),
        TEST(no_component_requires_a_link),
        TEST(a_component_with_values_that_agree_becomes_a_link),
        TEST(calls_refuse_components_that_are_no_links),
        TEST(every_allocation_of_a_link_may_fail),
        TEST(a_call_that_fails_leaves_no_list),
        TEST(a_batch_that_a_hook_or_a_limit_refuses_leaves_no_list),
        TEST(a_snapshot_has_the_order_of_holders),
        TEST(a_selection_loses_links_to_targets_that_are_left_out),
        TEST(a_clone_of_the_world_has_the_same_lists),
        TEST(copies_of_a_prefab_hold_the_same_target),
        TEST(clones_of_entities_keep_the_order_of_their_links),
        TEST(a_restored_frame_has_its_lists),
        TEST(a_clone_of_a_frame_walks_exactly),
        TEST(json_has_the_order_of_holders),
        TEST(a_merge_brings_targets_and_order),
        TEST(a_damaged_snapshot_is_refused_or_valid),
        TEST(walks_and_loops_follow_the_rules_in_every_short_program),
        TEST(a_walk_of_many_is_linear_under_change),
        TEST(random_calls_keep_the_lists_of_a_naive_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
