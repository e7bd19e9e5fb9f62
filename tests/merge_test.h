// SPDX-License-Identifier: MIT
// Two towns, one of which is brought into the other: what tests of merges need beyond
// snapshot_test.h.
#ifndef KITH_TESTS_MERGE_TEST_H
#define KITH_TESTS_MERGE_TEST_H

#include "snapshot_test.h"

#include "kith/hierarchy.h"

enum { BOND = SECRET + 1, CROWN, TREE, CLAN };

typedef struct bond {
    uint32_t    strength;
    kith_entity to;
    uint32_t    notes; // skipped: each world has its own
} bond;

KITH_FIELDS(bond, u32(strength), entity(to), kith_skip(notes));
KITH_COMPONENT_AS(bond, bond, BOND, fields(bond));
KITH_SINGLETON_AS(crown, bond, CROWN, fields(bond));
KITH_COMPONENT(tree, kith_node, TREE);
KITH_COMPONENT(clan, kith_node, CLAN);
KITH_MODULE(realm, bond, crown);

/// The events reported to a world's listeners.
typedef struct merge_events {
    uint32_t events[KITH_EVENT_DESTROY + 1];
} merge_events;

typedef struct pair {
    test_memory  memory;
    test_memory  far_memory;
    kith_world  *world; // here
    kith_world  *far;   // there
    kith_merge  *merge;
    merge_events events_seen;
} pair;

static inline void register_realm(kith_world *world)
{
    assert_true(realm_register(world));
    assert_int_equal(
        kith_hierarchy_register(world, &(kith_hierarchy_desc){ .name = "tree", .id = TREE }), TREE);
    assert_int_equal(
        kith_hierarchy_register(world, &(kith_hierarchy_desc){ .name     = "clan",
                                                               .id       = CLAN,
                                                               .children = KITH_CHILDREN_DESTROY }),
        CLAN);
}

static inline void count_event(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    ((merge_events *)context)->events[notice->event]++;
}

static const kith_component observed[] = { PLACE, SPEED, MARK, ASLEEP, LABEL, BOND, TREE, CLAN };

#define OBSERVED (sizeof observed / sizeof observed[0])

static inline void listen_to_all(kith_world *world, merge_events *events_seen)
{
    kith_listener_desc desc = { .call = count_event, .context = events_seen };
    for (size_t i = 0; i < OBSERVED; i++) {
        for (int event = KITH_EVENT_ADD; event <= KITH_EVENT_REMOVE; event++) {
            desc.component = observed[i];
            desc.event     = (kith_event)event;
            if (kith_component_describe(world, observed[i])->size != 0 || event != KITH_EVENT_SET) {
                assert_int_not_equal(kith_listener_connect(world, &desc), 0);
            }
        }
    }
    desc.component = 0;
    for (int event = KITH_EVENT_CREATE; event <= KITH_EVENT_DESTROY; event++) {
        desc.event = (kith_event)event;
        assert_int_not_equal(kith_listener_connect(world, &desc), 0);
    }
    const kith_listener_desc single = {
        .event = KITH_EVENT_SET, .component = SEASON, .call = count_event, .context = events_seen
    };
    assert_int_not_equal(kith_listener_connect(world, &single), 0);
}

static inline uint32_t take_event_count(merge_events *events_seen)
{
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof events_seen->events / sizeof events_seen->events[0]; i++) {
        count += events_seen->events[i];
        events_seen->events[i] = 0;
    }
    return count;
}

static inline int pair_setup(void **state)
{
    pair *p  = calloc(1, sizeof *p);
    p->world = make_world(&p->memory, (kith_world_desc){ 0 });
    p->far   = make_world(&p->far_memory, (kith_world_desc){ 0 });
    register_realm(p->world);
    register_realm(p->far);
    p->merge = kith_merge_create(p->world);
    assert_non_null(p->merge);
    listen_to_all(p->world, &p->events_seen);
    *state = p;
    return 0;
}

static inline void assert_links_valid(const kith_world *world)
{
    const char *reason = NULL;
    if (!kith_hierarchy_validate(world, TREE, &reason) ||
        !kith_hierarchy_validate(world, CLAN, &reason)) {
        fail_msg("the links are not valid: %s", reason);
    }
}

static inline int pair_teardown(void **state)
{
    pair *p = *state;
    assert_links_valid(p->world);
    assert_int_equal(kith_world_memory(p->world, KITH_ALL).total, p->memory.live_bytes);
    test_world_end(p->world, &p->memory);
    test_world_end(p->far, &p->far_memory);
    free(p);
    return 0;
}

static inline kith_result try_merge(kith_merge *merge, const kith_world *far)
{
    kith_bytes  bytes  = saved(far);
    kith_result result = kith_merge_apply(merge, NULL, bytes.data, bytes.size);
    kith_bytes_free(&bytes);
    return result;
}

/// Brings what is there here, which goes well.
static inline void merge(pair *p)
{
    kith_result result = try_merge(p->merge, p->far);
    assert_string_equal(result.message, "");
    assert_int_equal(result.code, KITH_OK);
    assert_world_valid(p->world);
    assert_links_valid(p->world);
}

static inline kith_entity here(const pair *p, kith_entity there)
{
    return kith_merge_local(p->merge, there);
}

#define PAIR_TEST(NAME) cmocka_unit_test_setup_teardown(NAME, pair_setup, pair_teardown)

#endif
