// SPDX-License-Identifier: MIT
// Memory that runs out: every allocation of a scenario that reaches all allocating code fails once,
// and each time the world is as it was before the call. What takes away never asks for memory.
#include "component_test.h"
#include "kith/hierarchy.h"

enum { PLAIN = 1, STONE, GHOST, FLAGGED, KEEL, MAST, SAIL, SEASON, LATE, TREE, FILLER = 100 };
enum { WIDE_TERMS = 40, EARLY_GROUPS = 3, LATE_GROUPS = 3 };
enum { FAR_VALUE = 200, FAR_TAG, FAR_FLAG, FAR_HOOKED };

#define FILLERS   64u
#define DWELLERS  24u
#define DISTANT   1500u
#define PAGE_ROWS 4u
#define LEAST     32768u // bytes: the world itself has room in them

// --- the scenario ----------------------------------------------------------------------------

typedef struct scene {
    test_memory    memory;
    kith_world    *world;
    journal        journal;
    tracker        keel, mast, sail, season, hooked;
    kith_entity    dwellers[DWELLERS];
    kith_entity    distant; // an entity on an entity page and on lookup pages of its own
    kith_query    *query;
    kith_query    *fresh; // of what has changed
    kith_reactive *set;
    kith_commands *commands;
    uint32_t       reported;
    uint32_t       entered;
} scene;

static kith_component_desc paged_desc(const char *name, kith_component id, kith_policy policy)
{
    kith_component_desc desc = bytes_desc(id, 8, 8);
    desc.name                = name;
    desc.traits.policy       = policy;
    desc.traits.page_rows    = PAGE_ROWS;
    return desc;
}

static kith_component_desc bare_desc(const char *name, kith_component id, kith_kind kind)
{
    return (kith_component_desc){ .name = name, .id = id, .kind = kind };
}

static bool report_error(scene *s, kith_component_desc desc)
{
    return kith_component_register(s->world, &desc) == desc.id;
}

static bool report_requiring(scene *s, kith_component_desc desc, kith_component needed)
{
    desc.traits.required       = &needed;
    desc.traits.required_count = 1;
    return report_error(s, desc);
}

// Each step is one call of the library; `n` says which time it is.

static bool register_plain(scene *s, uint32_t n)
{
    (void)n;
    return report_error(s, paged_desc("plain", PLAIN, KITH_POLICY_SWAP));
}

static bool register_several(scene *s, uint32_t n)
{
    kith_component_desc stone         = paged_desc("stone", STONE, KITH_POLICY_STABLE);
    stone.traits.row_ticks            = true;
    stone.traits.journal              = 3;
    const kith_component_desc descs[] = {
        stone,
        bare_desc("ghost", GHOST, KITH_KIND_TAG),
        bare_desc("flagged", FLAGGED, KITH_KIND_FLAG),
        tracked_desc(KEEL, &s->keel),
    };
    (void)n;
    return kith_component_register_many(s->world, descs, COUNT_OF(descs));
}

static bool register_mast(scene *s, uint32_t n)
{
    (void)n;
    return report_requiring(s, tracked_desc(MAST, &s->mast), KEEL);
}

static bool register_sail(scene *s, uint32_t n)
{
    (void)n;
    return report_requiring(s, tracked_desc(SAIL, &s->sail), MAST);
}

static bool register_season(scene *s, uint32_t n)
{
    kith_component_desc desc = tracked_desc(SEASON, &s->season);
    desc.kind                = KITH_KIND_SINGLETON;
    (void)n;
    return report_error(s, desc);
}

static bool register_fillers(scene *s, uint32_t n)
{
    kith_component_desc descs[FILLERS];
    char                names[FILLERS][16];
    (void)n;
    for (uint32_t i = 0; i < FILLERS; i++) {
        snprintf(names[i], sizeof names[i], "filler %u", i);
        descs[i] = bare_desc(names[i], FILLER + i, i % 2 == 0 ? KITH_KIND_FLAG : KITH_KIND_TAG);
    }
    return kith_component_register_many(s->world, descs, FILLERS);
}

static bool register_far(scene *s, uint32_t n)
{
    const kith_component_desc descs[] = {
        paged_desc("far value", FAR_VALUE, KITH_POLICY_SWAP),
        bare_desc("far tag", FAR_TAG, KITH_KIND_TAG),
        bare_desc("far flag", FAR_FLAG, KITH_KIND_FLAG),
        tracked_desc(FAR_HOOKED, &s->hooked),
    };
    (void)n;
    return kith_component_register_many(s->world, descs, COUNT_OF(descs));
}

static bool register_by_name(scene *s, uint32_t n)
{
    kith_component_desc desc = bytes_desc(0, 4, 4);
    desc.name                = "by name";
    (void)n;
    return kith_component_register(s->world, &desc) != 0;
}

static bool create(scene *s, uint32_t n)
{
    kith_entity entity = kith_entity_create(s->world);
    if (entity != KITH_NULL) {
        s->dwellers[n] = entity;
    }
    return entity != KITH_NULL;
}

static bool create_distant(scene *s, uint32_t n)
{
    (void)n;
    s->distant = kith_entity_create_hint(s->world, kith_entity_make(DISTANT, 7));
    return s->distant != KITH_NULL;
}

// Hints inside the free list, beyond the table, of living slots and of nothing at all.
static bool create_batch(scene *s, uint32_t n)
{
    kith_entity hints[] = {
        kith_entity_make(DISTANT + 1000, 1),
        kith_entity_make(DISTANT - 1, 4),
        s->dwellers[0],
        KITH_NULL,
        kith_entity_make(DISTANT + 1002, 9),
    };
    (void)n;
    return kith_entity_create_hints(s->world, hints, COUNT_OF(hints), hints);
}

static bool reserve_entities(scene *s, uint32_t n)
{
    (void)n;
    return kith_entity_reserve(s->world, 6000);
}

// A further page of entities.
static bool reserve_more_entities(scene *s, uint32_t n)
{
    (void)n;
    return kith_entity_reserve(s->world, 6500);
}

static bool reserve_rows(scene *s, uint32_t n)
{
    (void)n;
    return kith_component_reserve(s->world, PLAIN, 3 * PAGE_ROWS);
}

static bool set_plain(scene *s, uint32_t n)
{
    const double value = n;
    return kith_component_set(s->world, s->dwellers[n], PLAIN, &value) != NULL;
}

static bool set_distant(scene *s, uint32_t n)
{
    const kith_component all[] = { PLAIN, STONE, GHOST, FLAGGED, SAIL, FAR_VALUE, FAR_FLAG };
    return kith_component_set(s->world, s->distant, all[n], NULL) != NULL;
}

static bool set_stone(scene *s, uint32_t n)
{
    const double value = n + 1;
    if (n % 2 != 0) {
        return kith_component_set_if_changed(s->world, s->dwellers[n], STONE, &value);
    }
    return kith_component_add(s->world, s->dwellers[n], STONE, NULL) != NULL;
}

// The journal has room for the latest of them, and the walk asks for none.
static bool lose_stone(scene *s, uint32_t n)
{
    kith_removals removals = kith_removals_begin(s->world, STONE, 0);
    kith_removal  latest   = { 0 };
    if (!kith_component_remove(s->world, s->dwellers[n], STONE)) {
        return false;
    }
    while (kith_removals_next(s->world, &removals, &latest)) {
    }
    return latest.entity == s->dwellers[n];
}

static bool add_ghost(scene *s, uint32_t n)
{
    return kith_component_add(s->world, s->dwellers[n], GHOST, NULL) != NULL;
}

static bool add_flag(scene *s, uint32_t n)
{
    return kith_component_add(s->world, s->dwellers[n], FLAGGED, NULL) != NULL;
}

static bool set_sail(scene *s, uint32_t n)
{
    return set_tracked(s->world, s->dwellers[n], SAIL, n) != NULL;
}

static bool replace_sail(scene *s, uint32_t n)
{
    return set_tracked(s->world, s->dwellers[n], SAIL, 100 + n) != NULL;
}

static bool disable_plain(scene *s, uint32_t n)
{
    return kith_component_enable(s->world, s->dwellers[n], PLAIN, false);
}

static bool disable_ghost(scene *s, uint32_t n)
{
    return kith_component_enable(s->world, s->dwellers[n], GHOST, false);
}

static bool set_plain_again(scene *s, uint32_t n)
{
    return set_plain(s, DWELLERS / 2 + n);
}

// Turns the order round each time.
static bool sort_plain(scene *s, uint32_t n)
{
    const kith_sort_key key = { 0, KITH_TYPE_F64, n % 2 == 0 };
    return kith_component_sort(s->world, PLAIN, &(kith_sort_desc){ .key = &key });
}

static int compare_numbers(const void *a, const void *b, void *sign)
{
    const tracked *left  = a;
    const tracked *right = b;
    return *(const int *)sign * ((left->number > right->number) - (left->number < right->number));
}

static bool sort_sail(scene *s, uint32_t n)
{
    int sign = n % 2 == 0 ? -1 : 1;
    return kith_component_sort(s->world, SAIL,
                               &(kith_sort_desc){ .compare = compare_numbers, .context = &sign });
}

static bool sort_plain_as_sail(scene *s, uint32_t n)
{
    (void)n;
    return kith_component_sort(s->world, PLAIN, &(kith_sort_desc){ .as = SAIL });
}

static bool add_far(scene *s, uint32_t n)
{
    const kith_component all[] = { FAR_FLAG, FAR_TAG, FAR_VALUE, FAR_HOOKED };
    return kith_component_add(s->world, s->dwellers[n / 4], all[n % 4], NULL) != NULL;
}

static bool set_season(scene *s, uint32_t n)
{
    return kith_singleton_set(s->world, SEASON, &(tracked){ .number = n }) != NULL;
}

static bool remove_season(scene *s, uint32_t n)
{
    (void)n;
    return kith_singleton_remove(s->world, SEASON);
}

static bool add_season(scene *s, uint32_t n)
{
    (void)n;
    return kith_singleton_add(s->world, SEASON) != NULL;
}

static bool empty_ghost(scene *s, uint32_t n)
{
    (void)n;
    return kith_component_clear(s->world, GHOST);
}

static bool shrink_world(scene *s, uint32_t n)
{
    (void)n;
    return kith_world_shrink(s->world);
}

// Plain values get hooks while they exist: replacing them needs the spare place from now on.
static bool register_late_plain(scene *s, uint32_t n)
{
    (void)n;
    return report_error(s, paged_desc("late", LATE, KITH_POLICY_SWAP));
}

static bool add_late(scene *s, uint32_t n)
{
    return kith_component_add(s->world, s->dwellers[n], LATE, NULL) != NULL;
}

static void forget(void *value, void *context)
{
    (void)value;
    (void)context;
}

static bool register_late_hooks(scene *s, uint32_t n)
{
    kith_component_desc desc   = paged_desc("late", LATE, KITH_POLICY_SWAP);
    desc.traits.hooks.destruct = forget;
    (void)n;
    return report_error(s, desc);
}

static bool replace_late(scene *s, uint32_t n)
{
    return kith_component_set(s->world, s->dwellers[n], LATE, NULL) != NULL;
}

// --- loops, queries and listeners, which allocate too ---

static const kith_term narrow_terms[] = {
    { PLAIN, KITH_ROLE_WRITE, 0 },
    { STONE, KITH_ROLE_READ, 0 },
    { GHOST, KITH_ROLE_OPTIONAL, 0 },
};
static const kith_query_desc narrow = { "narrow", narrow_terms, COUNT_OF(narrow_terms), 0 };

static bool hold_world(scene *s, uint32_t n)
{
    (void)n;
    return kith_world_hold(s->world);
}

static bool begin_view(scene *s, uint32_t n)
{
    (void)n;
    return !kith_view_begin(s->world, &narrow).failed;
}

// More terms than the loops that are made with the world have room for.
static bool begin_wide_view(scene *s, uint32_t n)
{
    kith_term terms[WIDE_TERMS];
    (void)n;
    for (uint32_t i = 0; i < WIDE_TERMS; i++) {
        terms[i] = (kith_term){ FILLER + i, KITH_ROLE_OPTIONAL, 0 };
    }
    return !kith_view_begin(s->world, &(kith_query_desc){ "wide", terms, WIDE_TERMS, 0 }).failed;
}

static bool create_query(scene *s, uint32_t n)
{
    (void)n;
    s->query = kith_query_create(s->world, &narrow);
    return s->query != NULL;
}

// The first loop finds out what the query remembers, the second one uses it.
static bool walk_query(scene *s, uint32_t n)
{
    kith_cursor c = kith_query_begin(s->query);
    (void)n;
    if (c.failed) {
        return false;
    }
    while (kith_cursor_next_chunk(&c)) {
        assert_non_null(c.columns[0]);
    }
    return true;
}

static bool destroy_query(scene *s, uint32_t n)
{
    (void)n;
    kith_query_destroy(s->query);
    return true;
}

static const kith_term       fresh_terms[] = { { STONE, KITH_ROLE_READ, 0 },
                                               { STONE, KITH_ROLE_CHANGED, 0 } };
static const kith_query_desc fresh         = { "fresh", fresh_terms, 2, 0 };

static bool create_fresh(scene *s, uint32_t n)
{
    static const kith_term added[] = { { STONE, KITH_ROLE_ADDED, 0 } };
    const kith_query_desc  when    = { "added", added, 1, 0 };
    s->fresh                       = kith_query_create(s->world, n == 0 ? &fresh : &when);
    return s->fresh != NULL;
}

static bool walk_fresh(scene *s, uint32_t n)
{
    kith_cursor c = kith_query_begin(s->fresh);
    (void)n;
    while (!c.failed && kith_cursor_next(&c)) {
        assert_true(kith_entity_alive(s->world, c.entity));
    }
    return !c.failed;
}

static bool settle_world(scene *s, uint32_t n)
{
    (void)n;
    return kith_world_settle(s->world);
}

static void record_notice(kith_world *world, const kith_notice *notice, void *context)
{
    uint32_t *reported = context;
    (void)world;
    (void)notice;
    (*reported)++;
}

static bool connect_listener(scene *s, uint32_t n)
{
    const kith_listener_desc descs[] = {
        { KITH_EVENT_ADD, GHOST, record_notice, &s->reported, 0, NULL },
        { KITH_EVENT_REMOVE, PLAIN, record_notice, &s->reported, 5, NULL },
        { KITH_EVENT_SET, SEASON, record_notice, &s->reported, 0, NULL },
        { KITH_EVENT_CREATE, 0, record_notice, &s->reported, 0, NULL },
        { KITH_EVENT_DESTROY, 0, record_notice, &s->reported, -1, NULL },
    };
    return kith_listener_connect(s->world, &descs[n % COUNT_OF(descs)]) != 0;
}

// In a loop: what goes leaves a hole.
static bool remove_plain(scene *s, uint32_t n)
{
    return kith_component_remove(s->world, s->dwellers[n], PLAIN);
}

// Entities without components: the others keep their handles.
static bool create_stray(scene *s, uint32_t n)
{
    (void)n;
    return kith_entity_create(s->world) != KITH_NULL;
}

// --- groups, which need memory when they are made and when an entity can join ---

static const kith_term plain_terms[] = { { PLAIN, KITH_ROLE_OWN, 0 },
                                         { GHOST, KITH_ROLE_WITH, 0 } };
static const kith_term stone_terms[] = { { STONE, KITH_ROLE_READ, 0 },
                                         { FLAGGED, KITH_ROLE_WITH, 0 },
                                         { MAST, KITH_ROLE_WITHOUT, 0 } };
static const kith_term keel_terms[]  = { { KEEL, KITH_ROLE_OWN, 0 }, { MAST, KITH_ROLE_OWN, 0 } };
static const kith_term sail_terms[]  = { { SAIL, KITH_ROLE_READ, 0 }, { KEEL, KITH_ROLE_READ, 0 } };
static const kith_term inner_terms[] = { { PLAIN, KITH_ROLE_OWN, 0 },
                                         { GHOST, KITH_ROLE_WITH, 0 },
                                         { FAR_VALUE, KITH_ROLE_OWN, 0 } };
static const kith_term ghost_terms[] = { { GHOST, KITH_ROLE_WITH, 0 },
                                         { FAR_FLAG, KITH_ROLE_WITHOUT, 0 } };

// Of which the first ones are made among the data, and the others after it.
static const kith_query_desc group_descs[] = {
    { "plain", plain_terms, 2, 0 }, { "stone", stone_terms, 3, 0 }, { "keel", keel_terms, 2, 0 },
    { "sails", sail_terms, 2, 0 },  { "inner", inner_terms, 3, 0 }, { "ghosts", ghost_terms, 2, 0 },
};

static bool make_group(scene *s, uint32_t n)
{
    return kith_group_of(s->world, &group_descs[n]) != NULL;
}

// By what is owned and by what is only looked up, turning the order round each time.
static bool sort_group(scene *s, uint32_t n)
{
    kith_group         *group = kith_group_of(s->world, &group_descs[n / 2]); // it is there
    const kith_sort_key key   = { 0, n / 2 == 0 ? KITH_TYPE_F64 : KITH_TYPE_U8, n % 2 == 0 };
    return kith_group_sort(group, n / 2 == 0 ? PLAIN : STONE, &(kith_sort_desc){ .key = &key });
}

static bool make_late_group(scene *s, uint32_t n)
{
    return make_group(s, EARLY_GROUPS + n);
}

static bool make_path(scene *s, uint32_t n)
{
    static const kith_component ids[] = { SAIL, KEEL, MAST };
    const kith_path_desc        desc  = { n == 0 ? NULL : "rig", ids, 1 + n };
    return kith_path_of(s->world, &desc) != NULL;
}

// One of each: what comes later makes room in it.
static bool make_reactive(scene *s, uint32_t n)
{
    static const kith_term   unflagged    = { FLAGGED, KITH_ROLE_WITHOUT, 0 };
    const kith_condition     conditions[] = { { PLAIN, KITH_ON_ADD | KITH_ON_REMOVE |
                                                           (n == 2 ? KITH_ON_CHANGED : 0u) },
                                              { GHOST, KITH_ON_ADD | KITH_ON_REMOVE },
                                              { FLAGGED, KITH_ON_REMOVE } };
    const kith_reactive_desc desc         = { .name            = n == 0 ? NULL : "changed",
                                              .conditions      = conditions,
                                              .condition_count = 1 + n,
                                              .filter          = { NULL, &unflagged, n == 2, 0 },
                                              .keep_dead       = n == 1 };
    s->set                                = kith_reactive_create(s->world, &desc);
    return s->set != NULL;
}

// Allocates nothing: adding the component reserved the room.
static bool update_reactive(scene *s, uint32_t n)
{
    kith_reactive_update(s->set);
    assert_true(n != 0 || kith_reactive_count(s->set) != 0);
    kith_reactive_clear(s->set);
    return true;
}

static bool make_queue(scene *s, uint32_t n)
{
    const kith_queue_desc descs[] = {
        { .name = "signals" },
        { .name = "numbers", .size = 24, .alignment = 8, .saved = KITH_AS(plain(8)) },
    };
    return kith_queue_of(s->world, &descs[n]) != NULL;
}

static void handle_event(kith_world *world, const void *event, void *context)
{
    uint32_t *reported = context;
    (void)world;
    (void)event;
    (*reported)++;
}

static bool connect_handler(scene *s, uint32_t n)
{
    const kith_handler_desc desc = { .call = handle_event, .context = &s->reported };
    return kith_queue_connect(kith_queue_find(s->world, n == 0 ? "signals" : "numbers"), &desc) !=
           0;
}

// When it fails the event does not wait.
static bool enqueue_event(scene *s, uint32_t n)
{
    const uint64_t event[3] = { n, n, n };
    kith_queue    *queue    = kith_queue_find(s->world, n % 4 == 0 ? "signals" : "numbers");
    uint32_t       before   = kith_queue_count(queue);
    bool           waits    = kith_queue_enqueue(queue, event);
    assert_int_equal(kith_queue_count(queue), before + waits);
    return waits;
}

static bool reserve_queue(scene *s, uint32_t n)
{
    return kith_queue_reserve(kith_queue_find(s->world, "numbers"), 100 + 100 * n);
}

static bool update_queues(scene *s, uint32_t n)
{
    uint32_t reported  = s->reported;
    uint32_t delivered = kith_queue_update_all(s->world);
    return n == 0 && delivered != 0 && s->reported == reported + delivered;
}

static bool make_commands(scene *s, uint32_t n)
{
    const kith_commands_desc desc = { n == 0 ? NULL : "orders", { 0 }, 200 - 100 * n, 20 - 10 * n };
    s->commands                   = kith_commands_create(s->world, &desc);
    return s->commands != NULL;
}

// After components were registered.
static bool refresh_commands(scene *s, uint32_t n)
{
    (void)n;
    return kith_commands_refresh(s->commands);
}

static void do_nothing(kith_world *world, const kith_commands *commands, const void *payload)
{
    (void)world;
    (void)commands;
    (void)payload;
}

// A record of its own kind each time. What was created first is in `made`.
static bool record_one(kith_commands *c, uint32_t n, kith_entity entity, const kith_values *sets)
{
    static const char  payload[4096];
    static kith_entity made[2];
    switch (n % 8) {
    case 0:
        return kith_entity_create_many_later(c, made, 2, NULL, 0);
    case 1:
        return kith_component_set_later(c, made[0], SAIL, sets[0].values);
    case 2:
        return kith_component_set_later(c, entity, STONE, sets[1].values);
    case 3:
        return kith_entity_set_many_later(c, kith_entities_of(made, 2), sets, 2);
    case 4:
        return kith_entity_create_many_later(c, made, 2, sets, 2);
    case 5:
        return kith_component_add_later(c, made[1], GHOST);
    case 6:
        return kith_entity_set_components_later(c, kith_entities_of(&(kith_entity){ made[0] }, 1),
                                                sets + 1, 1);
    default:
        return kith_world_call_later(c, do_nothing, payload, sizeof payload);
    }
}

// What cannot be recorded is not there.
static bool record_command(scene *s, uint32_t n)
{
    const double      number   = n;
    const tracked     cloth    = { .number = n };
    const kith_values sets[]   = { { SAIL, &cloth, 0 }, { PLAIN, &number, 0 } };
    uint32_t          recorded = kith_commands_report_of(s->commands).recorded;
    bool              done     = record_one(s->commands, n, s->dwellers[n], sets);
    assert_int_equal(kith_commands_report_of(s->commands).recorded, recorded + done);
    return done;
}

// Where memory runs out it stops, and goes on from there.
static bool apply_commands(scene *s, uint32_t n)
{
    bool                 stopped = kith_commands_report_of(s->commands).left != 0;
    bool                 done    = stopped ? kith_commands_resume(s->commands, s->world)
                                           : kith_commands_apply(s->commands, s->world);
    kith_commands_report report  = kith_commands_report_of(s->commands);
    (void)n;
    assert_int_equal(report.failed, 0);
    assert_int_equal(report.left != 0, !done);
    assert_int_equal(report.applied + report.skipped + report.left, report.recorded);
    return done;
}

static bool clear_commands(scene *s, uint32_t n)
{
    (void)n;
    return kith_commands_clear(s->commands);
}

// --- hierarchies and systems ---

static bool register_tree(scene *s, uint32_t n)
{
    const kith_hierarchy_desc desc = { "tree", TREE, KITH_CHILDREN_DESTROY, false };
    (void)n;
    return kith_hierarchy_register(s->world, &desc) == TREE;
}

// First two that are no nodes, then a chain of pairs, at last one below a distant node.
static bool append_node(scene *s, uint32_t n)
{
    kith_entity parent = n == 7 ? s->distant : s->dwellers[n / 2 * 2];
    return kith_hierarchy_append(s->world, TREE, parent, s->dwellers[n + 1]) &&
           kith_hierarchy_validate(s->world, TREE, NULL);
}

static void take_turn(const kith_turn *turn)
{
    assert_non_null(turn->world);
}

static void see_entity(const kith_turn *turn, const kith_cursor *cursor)
{
    assert_true(kith_entity_alive(turn->world, cursor->entity));
}

static void enter_entity(const kith_turn *turn, kith_entity entity)
{
    scene *s = turn->context;
    assert_true(kith_entity_alive(turn->world, entity));
    s->entered++;
}

static void leave_entity(const kith_turn *turn, kith_entity entity)
{
    scene *s = turn->context;
    (void)entity;
    s->entered--;
}

static const kith_term       stony_terms[] = { { STONE, KITH_ROLE_READ, 0 } };
static const kith_query_desc stony         = { "stony", stony_terms, 1, 0 };

static bool make_system(scene *s, uint32_t n)
{
    static const char *const    later[]   = { "on demand", "absent" };
    static const kith_component touched[] = { PLAIN, GHOST };
    kith_signature              flags     = { 0 };
    assert_true(kith_signature_add(s->world, &flags, FLAGGED));
    const kith_system_desc descs[] = {
        { .name         = "runs",
          .run          = take_turn,
          .before       = later,
          .before_count = 2,
          .reads        = touched,
          .read_count   = 2 },
        { .name = "each", .each = see_entity, .query = &fresh },
        { .name    = "tracked",
          .run     = take_turn,
          .context = s,
          .query   = &stony,
          .tracked = true,
          .enter   = enter_entity,
          .leave   = leave_entity },
        { .name      = "on demand",
          .run       = take_turn,
          .on_demand = true,
          .on_set    = s->set,
          .on_events = kith_queue_find(s->world, "numbers") },
        { .name = "signature", .run = take_turn, .signature = &flags },
    };
    return kith_system_create(s->world, &descs[n]) != NULL;
}

static bool configure_schedule(scene *s, uint32_t n)
{
    return kith_schedule_configure(s->world, &(kith_schedule_desc){ .checked = n == 0 });
}

static bool run_schedule(scene *s, uint32_t n)
{
    bool all =
        n % 2 == 0 ? kith_schedule_run(s->world, 1) : kith_system_run(s->world, "tracked", 1);
    assert_true(!all || s->entered == kith_component_count(s->world, STONE));
    return all;
}

// --- room ---

static uint64_t room_of_all(const kith_world *world)
{
    uint64_t       rows = 0;
    kith_component id   = 0;
    while ((id = kith_component_next(world, id)) != 0) {
        kith_kind kind = kith_component_describe(world, id)->kind;
        if (kind == KITH_KIND_VALUE || kind == KITH_KIND_TAG) {
            rows += kith_component_stats(world, id).capacity;
        }
    }
    return rows;
}

// Each call reserves a little more than the one before. When it fails, capacities are as before.
static bool reserve_set(scene *s, uint32_t n)
{
    kith_signature set = { 0 };
    assert_true(kith_signature_add(s->world, &set, SAIL) &&
                kith_signature_add(s->world, &set, FAR_VALUE) &&
                kith_signature_add(s->world, &set, FAR_FLAG));
    uint64_t before = room_of_all(s->world);
    bool     made   = kith_signature_reserve(s->world, &set, 30 + 20 * n);
    assert_true(made || room_of_all(s->world) == before);
    return made;
}

// Pages of four rows would be too many to fail one by one.
static void limit_small_pages(scene *s, uint32_t rows)
{
    assert_true(kith_component_limit_set(s->world, PLAIN, rows) &&
                kith_component_limit_set(s->world, STONE, rows));
}

static bool reserve_world(scene *s, uint32_t n)
{
    const kith_reserve_desc desc   = { .entities  = 2500 + 4000 * n,
                                       .loops     = 3 + n,
                                       .terms     = 5 + 10 * n,
                                       .batch     = 100 + 200 * n,
                                       .disabling = true };
    uint32_t                slots  = kith_world_stats(s->world).capacity;
    uint32_t                ghosts = kith_component_stats(s->world, GHOST).capacity;
    uint32_t                keels  = kith_component_stats(s->world, KEEL).capacity;
    limit_small_pages(s, 40 + 20 * n);
    bool made = kith_world_reserve(s->world, &desc);
    limit_small_pages(s, UINT32_MAX);
    assert_true(made || (kith_world_stats(s->world).capacity == slots &&
                         kith_component_stats(s->world, GHOST).capacity == ghosts &&
                         kith_component_stats(s->world, KEEL).capacity == keels));
    return made;
}

// What a step without memory leaves behind.
typedef enum outcome {
    UNCHANGED,
    UNTOLD, // the same, and only the commands know why
    PARTLY  // as far as there was memory
} outcome;

typedef struct step {
    const char *name;
    bool (*run)(scene *s, uint32_t n);
    uint32_t times; // up to DWELLERS
} step;

static outcome outcome_of(const step *one)
{
    return one->run == record_command ? UNTOLD : one->run == apply_commands ? PARTLY : UNCHANGED;
}

static const step steps[] = {
    { "register plain", register_plain, 1 },
    { "register several", register_several, 1 },
    { "register mast", register_mast, 1 },
    { "register sail", register_sail, 1 },
    { "register season", register_season, 1 },
    { "register by name", register_by_name, 1 },
    { "create", create, DWELLERS },
    { "create distant", create_distant, 1 },
    { "create batch", create_batch, 1 },
    { "reserve entities", reserve_entities, 1 },
    { "reserve rows", reserve_rows, 1 },
    { "make reactive set", make_reactive, 3 },
    { "set plain", set_plain, DWELLERS / 2 },
    { "disable plain", disable_plain, 2 },
    { "set plain again", set_plain_again, DWELLERS / 2 },
    { "set stone", set_stone, DWELLERS },
    { "add ghost", add_ghost, DWELLERS },
    { "disable ghost", disable_ghost, 2 },
    { "add flag", add_flag, DWELLERS },
    { "set sail", set_sail, DWELLERS },
    { "replace sail", replace_sail, 2 },
    { "sort plain", sort_plain, 2 },
    { "sort sail", sort_sail, 3 },
    { "sort plain as sail", sort_plain_as_sail, 1 },
    { "make group", make_group, EARLY_GROUPS },
    { "sort group", sort_group, 4 },
    { "make path", make_path, 3 },
    { "make commands", make_commands, 3 },
    { "record", record_command, 8 },
    { "apply", apply_commands, 1 },
    { "clear commands", clear_commands, 1 },
    { "record again", record_command, 12 },
    { "apply again", apply_commands, 1 },
    { "reserve world", reserve_world, 2 },
    { "make queue", make_queue, 2 },
    { "connect handler", connect_handler, 2 },
    { "enqueue", enqueue_event, DWELLERS },
    { "update queues", update_queues, 1 },
    { "enqueue after an update", enqueue_event, DWELLERS },
    { "reserve queue", reserve_queue, 2 },
    { "update reactive set", update_reactive, 2 },
    { "register tree", register_tree, 1 },
    { "append node", append_node, 8 },
    { "make system", make_system, 5 },
    { "run schedule", run_schedule, 2 },
    { "configure schedule", configure_schedule, 2 },
    { "register fillers", register_fillers, 1 },
    { "refresh commands", refresh_commands, 1 },
    { "register far", register_far, 1 },
    { "add far", add_far, 16 },
    { "set distant", set_distant, 7 },
    { "run schedule after changes", run_schedule, 2 },
    { "reserve set", reserve_set, 2 },
    { "set season", set_season, 3 },
    { "remove season", remove_season, 1 },
    { "add season", add_season, 1 },
    { "empty ghost", empty_ghost, 1 },
    { "make group after the data", make_late_group, LATE_GROUPS },
    { "shrink world", shrink_world, 1 },
    { "add ghost after shrinking", add_ghost, 4 },
    { "register late", register_late_plain, 1 },
    { "add late", add_late, 2 },
    { "register late hooks", register_late_hooks, 1 },
    { "replace late", replace_late, 2 },
    { "connect listener", connect_listener, 10 },
    { "create query", create_query, 1 },
    { "walk query", walk_query, 3 },
    { "create query of changes", create_fresh, 2 },
    { "walk query of changes", walk_fresh, 2 },
    { "hold", hold_world, 2 },
    { "begin view", begin_view, 6 },
    { "begin wide view", begin_wide_view, 3 },
    { "walk query in loops", walk_query, 2 },
    { "remove plain in loops", remove_plain, 8 },
    { "set plain in loops", set_plain, 8 },
    { "disable plain in loops", disable_plain, 2 },
    { "create in loops", create_stray, DWELLERS },
    { "reserve entities in loops", reserve_more_entities, 1 },
    { "set sail in loops", set_sail, DWELLERS },
    { "set season in loops", set_season, 2 },
    { "remove season in loops", remove_season, 1 },
    { "add season in loops", add_season, 1 },
    { "walk query of changes in loops", walk_fresh, 1 },
    { "settle", settle_world, 1 },
    { "run schedule at the end", run_schedule, 2 },
    { "walk query once more", walk_query, 2 },
    { "lose stone", lose_stone, 5 },
    { "destroy query", destroy_query, 1 },
    { "create query again", create_query, 1 },
};

// --- running it ------------------------------------------------------------------------------

// The allocations that each call makes when none fails, so that only the state before the call that
// is going to fail has to be captured.
typedef struct script {
    kith_world_desc desc;
    uint32_t        before[COUNT_OF(steps)][DWELLERS];
    uint32_t        after[COUNT_OF(steps)][DWELLERS];
    uint32_t        last;
    text            end; // the world, when all went well
} script;

static tracker track(scene *s, const char *name)
{
    return (tracker){ .journal = &s->journal, .name = name };
}

static scene *open_scene(const kith_world_desc *desc)
{
    scene *s  = calloc(1, sizeof *s);
    s->keel   = track(s, "keel");
    s->mast   = track(s, "mast");
    s->sail   = track(s, "sail");
    s->season = track(s, "season");
    s->hooked = track(s, "hooked");
    s->world  = test_world_with(&s->memory, *desc);
    assert_non_null(s->world);
    return s;
}

static void close_scene(scene *s)
{
    test_world_end(s->world, &s->memory);
    assert_int_equal(s->journal.living, 0);
    text_free(&s->journal.text);
    free(s);
}

static void assert_reported_bytes(scene *s, const step *one)
{
    size_t reported = kith_world_memory(s->world, KITH_ALL).total;
    if (reported != s->memory.live_bytes) {
        fail_msg("after %s: %zu bytes reported, %zu taken", one->name, reported,
                 s->memory.live_bytes);
    }
}

// The whole scenario with memory, noting what each call allocates.
static void rehearse(script *rehearsed)
{
    scene *s = open_scene(&rehearsed->desc);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        for (uint32_t n = 0; n < steps[i].times; n++) {
            rehearsed->before[i][n] = s->memory.allocations;
            if (!steps[i].run(s, n)) {
                fail_msg("%s failed with memory", steps[i].name);
            }
            rehearsed->after[i][n] = s->memory.allocations;
            assert_reported_bytes(s, &steps[i]);
        }
    }
    rehearsed->last             = s->memory.allocations;
    rehearsed->end.no_addresses = true;
    dump_all(&rehearsed->end, s->world);
    assert_int_equal(s->memory.errors, 0);
    close_scene(s);
}

// The latest call failed for memory, and its error says so.
static void assert_memory_reported(scene *s, const step *one)
{
    bool       untold = outcome_of(one) == UNTOLD;
    kith_error error =
        untold ? kith_commands_report_of(s->commands).refusal : kith_world_error(s->world);
    assert_int_equal((int)error.code, KITH_ERROR_MEMORY);
    assert_int_equal(s->memory.errors, !untold);
}

// The call whose allocation fails: nothing changes, and with memory it succeeds.
static void run_failing(scene *s, const step *one, uint32_t n)
{
    text     before = dump_world(s->world);
    uint32_t living = s->journal.living;
    kith_world_error_clear(s->world);

    if (one->run(s, n)) {
        fail_msg("%s (%u) succeeded without allocation %u", one->name, n, s->memory.fail_at);
    }

    assert_int_equal(s->memory.failed, 1);
    assert_memory_reported(s, one);
    assert_world_valid(s->world);
    if (outcome_of(one) == PARTLY) {
        text_free(&before);
    } else {
        assert_int_equal(s->journal.living, living);
        assert_unchanged(s->world, before);
    }
    assert_reported_bytes(s, one);
    if (!one->run(s, n)) {
        fail_msg("%s (%u) failed again with memory", one->name, n);
    }
}

// The world became what it became when nothing failed.
static void assert_same_end(const script *rehearsed, const scene *s)
{
    text end = { .no_addresses = true };
    dump_all(&end, s->world);
    assert_same_text(end.bytes, rehearsed->end.bytes);
    text_free(&end);
}

static void perform(const script *rehearsed, uint32_t fail_at)
{
    scene *s          = open_scene(&rehearsed->desc);
    bool   partly     = false;
    s->memory.fail_at = fail_at;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        for (uint32_t n = 0; n < steps[i].times; n++) {
            if (rehearsed->before[i][n] < fail_at && fail_at <= rehearsed->after[i][n]) {
                run_failing(s, &steps[i], n);
                partly = outcome_of(&steps[i]) == PARTLY;
            } else if (!steps[i].run(s, n)) {
                fail_msg("%s (%u) failed after allocation %u had", steps[i].name, n, fail_at);
            }
        }
    }
    if (partly) {
        assert_same_end(rehearsed, s);
    }
    close_scene(s);
}

static void fail_each_allocation(kith_world_desc desc)
{
    script *rehearsed = calloc(1, sizeof *rehearsed);
    rehearsed->desc   = desc;
    rehearse(rehearsed);
    assert_true(rehearsed->last > 500); // or it is no longer the scenario that it was

    // slow tools look at one in five, the slowest at one in 19
    uint32_t left  = test_thinned(1000);
    uint32_t every = left < 100 ? 19 : left < 1000 ? 5 : 1;
    for (uint32_t fail_at = rehearsed->before[0][0] + 1; fail_at <= rehearsed->last;
         fail_at += every) {
        perform(rehearsed, fail_at);
    }

    text_free(&rehearsed->end);
    free(rehearsed);
}

static void every_failed_allocation_leaves_the_world_as_it_was(void **state)
{
    (void)state;
    fail_each_allocation((kith_world_desc){ 0 });
}

static void the_same_holds_when_the_oldest_index_comes_first(void **state)
{
    (void)state;
    fail_each_allocation((kith_world_desc){ .free_order = KITH_FREE_FIFO });
}

static void the_same_holds_when_the_lowest_index_comes_first(void **state)
{
    (void)state;
    fail_each_allocation((kith_world_desc){ .free_order = KITH_FREE_LOWEST });
}

static void the_same_holds_in_a_bounded_world(void **state)
{
    (void)state;
    fail_each_allocation((kith_world_desc){
        .free_order = KITH_FREE_FIFO, .max_entities = 6500, .first_index = 3, .version_bits = 21 });
}

// --- a world with memory of its own -----------------------------------------------------------

static void assert_failed_within(scene *s, const step *one, uint32_t living, text before)
{
    assert_memory_reported(s, one);
    if (outcome_of(one) == UNCHANGED) {
        assert_error_says(s->world, KITH_ERROR_MEMORY, "is too small");
    }
    if (outcome_of(one) == PARTLY) {
        text_free(&before);
    } else {
        assert_int_equal(s->journal.living, living);
        assert_unchanged(s->world, before);
    }
}

// Runs the scenario until a call fails. Before call number `watch` it writes down what there is, to
// compare it with what there is when that call has failed. Returns the number of calls that went
// well.
static uint32_t run_within(const kith_world_desc *desc, uint32_t watch)
{
    scene   *s     = open_scene(desc);
    uint32_t calls = 0;
    bool     went  = true;
    for (size_t i = 0; i < COUNT_OF(steps) && went; i++) {
        for (uint32_t n = 0; n < steps[i].times && went; n++) {
            text     before = { 0 };
            uint32_t living = s->journal.living;
            if (calls == watch) {
                before = dump_world(s->world);
            }
            went = steps[i].run(s, n);
            if (calls == watch && !went) {
                assert_failed_within(s, &steps[i], living, before);
            }
            calls += went;
        }
    }
    assert_int_equal(s->memory.allocations, 1);
    kith_world_settle(s->world); // a loop may have been left open
    close_scene(s);
    return calls;
}

static uint32_t calls_of_the_scenario(void)
{
    uint32_t calls = 0;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        calls += steps[i].times;
    }
    return calls;
}

static size_t memory_of_the_scenario(kith_world_desc desc)
{
    desc.memory = (size_t)1 << 24;
    scene *s    = open_scene(&desc);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        for (uint32_t n = 0; n < steps[i].times; n++) {
            assert_true(steps[i].run(s, n));
        }
    }
    size_t peak = kith_world_memory(s->world, KITH_ALL).peak;
    close_scene(s);
    return peak;
}

static void run_within_less_and_less(kith_world_desc desc)
{
    size_t   peak  = memory_of_the_scenario(desc);
    uint32_t all   = calls_of_the_scenario();
    uint32_t calls = all;
    size_t   less  = peak / test_thinned(100) / 64 * 64 + 64;
    desc.memory    = peak;
    assert_int_equal(run_within(&desc, UINT32_MAX), all);
    for (desc.memory = peak - 64; calls > 20 && desc.memory > LEAST;
         desc.memory -= less < desc.memory ? less : desc.memory) {
        uint32_t fewer = run_within(&desc, UINT32_MAX);
        assert_true(fewer < all && fewer <= calls);
        assert_int_equal(run_within(&desc, fewer), fewer);
        calls = fewer;
    }
}

static void a_world_that_uses_up_its_memory_is_as_it_was(void **state)
{
    (void)state;
    run_within_less_and_less((kith_world_desc){ 0 });
    run_within_less_and_less((kith_world_desc){ .free_order = KITH_FREE_LOWEST });
}

// --- making a world --------------------------------------------------------------------------

static void count_errors(const kith_world *world, const kith_error *error, void *context)
{
    assert_null(world);
    assert_int_equal((int)error->code, KITH_ERROR_MEMORY);
    (*(uint32_t *)context)++;
}

// Fails each allocation of kith_world_create and returns how many there are.
static uint32_t fail_each_creation(kith_world_desc desc)
{
    uint32_t reported  = 0;
    desc.on_error      = count_errors;
    desc.error_context = &reported;
    for (uint32_t fail_at = 1;; fail_at++) {
        test_memory memory = { .fail_at = fail_at };
        desc.allocator     = test_allocator(&memory);
        kith_world *world  = kith_world_create(&desc);
        if (world != NULL) {
            assert_int_equal(memory.failed, 0);
            test_world_end(world, &memory);
            return fail_at - 1;
        }
        assert_int_equal(memory.live_bytes, 0);
        assert_int_equal(reported, fail_at);
    }
}

static void a_world_that_cannot_be_made_frees_everything(void **state)
{
    (void)state;

    assert_true(fail_each_creation((kith_world_desc){ 0 }) >= 1);
    assert_true(fail_each_creation((kith_world_desc){ .first_index = 3000 }) >= 4);
    assert_true(fail_each_creation(
                    (kith_world_desc){ .free_order = KITH_FREE_FIFO, .max_entities = 6000 }) >= 7);
    assert_true(fail_each_creation(
                    (kith_world_desc){ .free_order = KITH_FREE_LOWEST, .first_index = 3000 }) >= 5);
}

// --- taking away -----------------------------------------------------------------------------

static scene *open_full_scene(kith_free_order order)
{
    scene *s = open_scene(&(kith_world_desc){ .free_order = order });
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        for (uint32_t n = 0; n < steps[i].times; n++) {
            assert_true(steps[i].run(s, n));
        }
    }
    return s;
}

static void close_without_memory(scene *s, uint32_t allocations)
{
    assert_world_valid(s->world);
    kith_world_destroy(s->world);
    assert_int_equal(s->memory.allocations, allocations);
    assert_int_equal(s->memory.live_bytes, 0);
    assert_int_equal(s->journal.living, 0);
    text_free(&s->journal.text);
    free(s);
}

// Everything that removes, with an allocator that refuses every request.
static void take_away(scene *s)
{
    const kith_component all[] = {
        PLAIN, STONE, GHOST, FLAGGED, SAIL, FAR_VALUE, FAR_TAG, FAR_FLAG
    };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        kith_component_remove(s->world, s->dwellers[0], all[i]);
        kith_component_remove(s->world, s->distant, all[i]);
    }
    assert_true(kith_component_enable(s->world, s->dwellers[1], PLAIN, true));
    assert_true(kith_entity_destroy(s->world, s->dwellers[2]));
    assert_true(kith_component_compact(s->world, STONE));
    assert_true(kith_component_swap(s->world, SAIL, s->dwellers[13], s->dwellers[14]));
    assert_true(kith_component_shrink(s->world, PLAIN));
    assert_true(kith_component_clear(s->world, SAIL));
    assert_true(kith_component_clear(s->world, FLAGGED));
    assert_true(kith_component_clear(s->world, FAR_FLAG));
    assert_true(kith_singleton_remove(s->world, SEASON));
    assert_true(kith_world_shrink(s->world));
}

static void take_away_what_waits_and_runs(scene *s)
{
    assert_int_not_equal(kith_queue_update_all(s->world), 0);
    assert_true(kith_hierarchy_detach(s->world, TREE, s->dwellers[1]));
    assert_true(kith_entity_destroy(s->world, s->distant));
    assert_false(kith_entity_alive(s->world, s->dwellers[8])); // which was below it
    assert_true(kith_system_destroy(kith_system_find(s->world, "on demand")));
    assert_true(kith_system_destroy(kith_system_find(s->world, "tracked")));
    assert_int_equal(s->entered, 0);
    assert_true(kith_reactive_destroy(s->set));
    assert_true(kith_commands_destroy(s->commands));
}

static void taking_away_asks_for_no_memory(void **state)
{
    (void)state;
    for (int order = KITH_FREE_DEFAULT; order <= KITH_FREE_LOWEST; order++) {
        scene   *s           = open_full_scene((kith_free_order)order);
        uint32_t allocations = s->memory.allocations;
        s->memory.fail_all   = true;

        take_away(s);
        take_away_what_waits_and_runs(s);
        assert_world_valid(s->world);
        kith_world_clear(s->world);
        assert_true(kith_world_shrink(s->world));

        assert_int_equal(s->memory.errors, 0);
        close_without_memory(s, allocations);
    }
}

static void a_full_world_ends_without_memory(void **state)
{
    (void)state;
    scene   *s           = open_full_scene(KITH_FREE_DEFAULT);
    uint32_t allocations = s->memory.allocations;

    s->memory.fail_all = true;

    close_without_memory(s, allocations);
}

static void a_cleared_world_fills_again_without_memory(void **state)
{
    (void)state;
    scene *s = open_full_scene(KITH_FREE_DEFAULT);
    kith_world_clear(s->world);
    uint32_t allocations = s->memory.allocations;
    s->memory.fail_all   = true;

    for (uint32_t n = 0; n < DWELLERS; n++) {
        assert_true(create(s, n));
        assert_true(set_plain(s, n));
        assert_true(set_sail(s, n));
        assert_true(set_stone(s, n));
    }

    close_without_memory(s, allocations);
}

static void shrinking_an_emptied_world_frees_what_it_grew_by(void **state)
{
    (void)state;
    scene *s = open_full_scene(KITH_FREE_DEFAULT);
    kith_world_clear(s->world);
    kith_singleton_remove(s->world, SEASON);

    assert_true(kith_component_compact(s->world, STONE)); // while listeners are called, holes stay
    assert_true(kith_world_shrink(s->world));

    kith_memory left = kith_world_memory(s->world, KITH_ALL);
    assert_int_equal(left.sparse + left.packed + left.values, 0);
    close_scene(s);
}

// --- numbers that are too large --------------------------------------------------------------

// A counting allocator with an end, so that asking for too much ends quickly.
typedef struct capped {
    test_memory    memory;
    kith_allocator counting;
    size_t         cap;
    size_t         largest; // ever asked for
} capped;

static void *allocate_capped(void *context, size_t size, size_t alignment)
{
    capped *limit  = context;
    limit->largest = size > limit->largest ? size : limit->largest;
    if (size > limit->cap - limit->memory.live_bytes) {
        return NULL;
    }
    return limit->counting.allocate(limit->counting.context, size, alignment);
}

static void release_capped(void *context, void *memory, size_t size, size_t alignment)
{
    capped *limit = context;
    limit->counting.release(limit->counting.context, memory, size, alignment);
}

static kith_world *capped_world(capped *limit, kith_world_desc desc)
{
    *limit          = (capped){ .cap = (size_t)16 << 20 };
    limit->counting = test_allocator(&limit->memory);
    desc.allocator  = (kith_allocator){ allocate_capped, release_capped, limit };
    desc.on_error   = kith_error_ignore;
    return kith_world_create(&desc);
}

static void assert_fails_with(kith_world *world, kith_error_code code, bool answer, text before)
{
    assert_false(answer);
    assert_error(world, code);
    assert_unchanged(world, before);
    assert_world_valid(world);
}

static void reserving_more_rows_than_memory_holds_changes_nothing(void **state)
{
    (void)state;
    capped      limit;
    kith_world *world = capped_world(&limit, (kith_world_desc){ 0 });
    register_one(world, bytes_desc(PLAIN, 8, 8));
    kith_component_add(world, kith_entity_create(world), PLAIN, NULL);
    text before = dump_world(world);
    text again  = dump_world(world);

    assert_fails_with(world, KITH_ERROR_LIMIT, kith_component_reserve(world, PLAIN, UINT32_MAX),
                      before);
    assert_fails_with(world, KITH_ERROR_MEMORY,
                      kith_component_reserve(world, PLAIN, (1u << 31) - 1), again);

    assert_true(kith_component_shrink(world, PLAIN));
    assert_non_null(kith_component_add(world, kith_entity_create(world), PLAIN, NULL));
    test_world_end(world, &limit.memory);
}

static void reserving_more_tags_than_memory_holds_changes_nothing(void **state)
{
    (void)state;
    capped      limit;
    kith_world *world = capped_world(&limit, (kith_world_desc){ 0 });
    register_one(world, bare_desc("ghost", GHOST, KITH_KIND_TAG));
    text before = dump_world(world);

    assert_fails_with(world, KITH_ERROR_MEMORY,
                      kith_component_reserve(world, GHOST, (1u << 31) - 1), before);

    test_world_end(world, &limit.memory);
}

static void reserving_more_entities_than_memory_holds_changes_nothing(void **state)
{
    (void)state;
    const kith_free_order orders[] = { KITH_FREE_LIFO, KITH_FREE_FIFO, KITH_FREE_LOWEST };
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        capped      limit;
        kith_world *world  = capped_world(&limit, (kith_world_desc){ .free_order = orders[i] });
        text        before = dump_world(world);
        text        again  = dump_world(world);

        assert_fails_with(world, KITH_ERROR_LIMIT, kith_entity_reserve(world, UINT32_MAX), before);
        assert_fails_with(world, KITH_ERROR_MEMORY, kith_entity_reserve(world, 1u << 31), again);

        assert_true(kith_world_shrink(world));
        assert_int_equal(kith_entity_create(world), kith_entity_make(0, 1));
        test_world_end(world, &limit.memory);
    }
}

static void a_hint_that_memory_cannot_reach_changes_nothing(void **state)
{
    (void)state;
    capped      limit;
    kith_world *world  = capped_world(&limit, (kith_world_desc){ 0 });
    text        before = dump_world(world);
    kith_entity far    = kith_entity_make((1u << 20) - 1, 1);

    assert_fails_with(world, KITH_ERROR_MEMORY, kith_entity_create_hint(world, far) != KITH_NULL,
                      before);

    assert_true(kith_world_shrink(world));
    test_world_end(world, &limit.memory);
}

static void a_world_larger_than_memory_is_not_made(void **state)
{
    (void)state;
    const kith_world_desc descs[] = {
        { .free_order = KITH_FREE_FIFO, .max_entities = 1u << 31 },
        { .first_index = (1u << 31) - 1 },
        { .free_order = KITH_FREE_LOWEST, .first_index = (1u << 31) - 1 },
    };
    for (size_t i = 0; i < COUNT_OF(descs); i++) {
        capped limit;

        assert_null(capped_world(&limit, descs[i]));

        assert_int_equal(limit.memory.live_bytes, 0);
    }
}

// A page of that layout is more than there is, and its size is not cut to 32 bits on the way.
static void assert_page_refused(uint32_t size, uint32_t page_rows)
{
    capped              limit;
    kith_world         *world  = capped_world(&limit, (kith_world_desc){ 0 });
    kith_entity         entity = kith_entity_create(world);
    kith_component_desc desc   = bytes_desc(PLAIN, size, 1);
    desc.traits.page_rows      = page_rows;
    uint64_t bytes             = (uint64_t)size * page_rows;
    if (kith_component_register(world, &desc) == 0) {
        assert_true(bytes > SIZE_MAX / 2);
    } else {
        text before = dump_world(world);
        assert_fails_with(world, KITH_ERROR_MEMORY,
                          kith_component_add(world, entity, PLAIN, NULL) != NULL, before);
        assert_true(limit.largest >= bytes);
    }
    test_world_end(world, &limit.memory);
}

static void page_sizes_beyond_32_bits_are_refused_not_cut(void **state)
{
    (void)state;

    assert_page_refused(1u << 20, 4096);
    assert_page_refused(1u << 20, 65536);
    assert_page_refused((1u << 20) + 1, 4096);
    assert_page_refused(1u << 31, 2);
    assert_page_refused(UINT32_MAX, 1);
    assert_page_refused(UINT32_MAX, 65536);
}

static void a_singleton_larger_than_memory_is_refused(void **state)
{
    (void)state;
    capped              limit;
    kith_world         *world = capped_world(&limit, (kith_world_desc){ 0 });
    kith_component_desc desc  = bytes_desc(SEASON, UINT32_MAX, 1);
    desc.kind                 = KITH_KIND_SINGLETON;
    register_one(world, desc);
    text before = dump_world(world);

    assert_fails_with(world, KITH_ERROR_MEMORY, kith_singleton_add(world, SEASON) != NULL, before);

    test_world_end(world, &limit.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_leaves_the_world_as_it_was),
        cmocka_unit_test(the_same_holds_when_the_oldest_index_comes_first),
        cmocka_unit_test(the_same_holds_when_the_lowest_index_comes_first),
        cmocka_unit_test(the_same_holds_in_a_bounded_world),
        cmocka_unit_test(a_world_that_uses_up_its_memory_is_as_it_was),
        cmocka_unit_test(a_world_that_cannot_be_made_frees_everything),
        cmocka_unit_test(taking_away_asks_for_no_memory),
        cmocka_unit_test(a_full_world_ends_without_memory),
        cmocka_unit_test(a_cleared_world_fills_again_without_memory),
        cmocka_unit_test(shrinking_an_emptied_world_frees_what_it_grew_by),
        cmocka_unit_test(reserving_more_rows_than_memory_holds_changes_nothing),
        cmocka_unit_test(reserving_more_tags_than_memory_holds_changes_nothing),
        cmocka_unit_test(reserving_more_entities_than_memory_holds_changes_nothing),
        cmocka_unit_test(a_hint_that_memory_cannot_reach_changes_nothing),
        cmocka_unit_test(a_world_larger_than_memory_is_not_made),
        cmocka_unit_test(page_sizes_beyond_32_bits_are_refused_not_cut),
        cmocka_unit_test(a_singleton_larger_than_memory_is_refused),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
