// SPDX-License-Identifier: MIT
// Exact snapshots: every later answer is that of the world that was saved. Chosen entities and
// components, and the order of registering.
#include "exact_test.h"

#include "kith/hierarchy.h"

static uint64_t exact_hash(const kith_world *world)
{
    uint64_t hash = 0;
    assert_true(kith_world_hash_exact(world, &hash));
    return hash;
}

// Hashes that are kept are right after loading too.
static void assert_exactly_same(const kith_world *a, kith_world *b)
{
    uint64_t kept = 0;
    uint64_t full = 1;
    assert_true(kith_world_hash(b, KITH_ALL, &kept) && kith_world_hash_full(b, KITH_ALL, &full));
    assert_true(kept == full);
    kith_bytes of_a = saved_exactly(a);
    kith_bytes of_b = saved_exactly(b);
    assert_same_bytes(&of_a, &of_b);
    assert_true(exact_hash(a) == exact_hash(b));
    kith_bytes_free(&of_a);
    kith_bytes_free(&of_b);
}

// --- exact state -----------------------------------------------------------------------------

static void run_exact_twins(kith_world_desc desc)
{
    static town a;
    static town b;
    uint64_t    seed = test_seed();
    a                = (town){ 0 };
    b                = (town){ 0 };
    make_town(&a, desc);
    make_town(&b, desc);
    for (uint32_t step = 0; step < 60 + test_thinned(600); step++) {
        uint64_t copy = seed;
        act_in_town_often(&a, copy, 20);
        act_in_town_often(&b, copy, 20);
        assert_true(a.log == b.log);
        test_random(&seed);
        if (test_random_below(&seed, 3) == 0) {
            kith_bytes bytes = saved_exactly(b.world);
            if (test_random_below(&seed, 2) == 0) { // into a world that is new, or the same again
                end_town(&b);
                make_town(&b, desc);
            }
            load(b.world, &bytes);
            kith_bytes_free(&bytes);
        }
        assert_exactly_same(a.world, b.world);
        assert_world_valid(b.world);
    }
    end_town(&a);
    end_town(&b);
}

static void an_exactly_loaded_world_gives_the_same_answers(void **state)
{
    (void)state;
    run_exact_twins((kith_world_desc){ .version_bits = 6 });
    for (uint32_t i = 0; i < TEST_FREE_ORDERS; i++) {
        run_exact_twins((kith_world_desc){ .free_order = test_free_orders[i], .first_index = 3 });
    }
    run_exact_twins((kith_world_desc){ .free_order = KITH_FREE_FIFO, .max_entities = 300 });
}

static kith_result load_by(kith_world *world, const kith_load_desc *desc, const kith_bytes *bytes)
{
    kith_result result = kith_world_load(world, desc, bytes->data, bytes->size);
    assert_world_valid(world);
    return result;
}

// What is not exact makes everything new, and leaves events alone.
static void without_exact_state_everything_is_new(void **state)
{
    town *t = *state;
    act_in_town_often(t, 3, 800);
    kith_entity e = kith_entity_create(t->world);
    scar_set(t->world, e, 1);
    kith_bytes bytes = saved(t->world);
    kith_system_run(t->world, "healer", 0);
    kith_query_since_set(t->fresh, 1000000);
    kith_queue_clear(t->bells);
    kith_queue_enqueue(t->bells, NULL);
    load(t->world, &bytes);
    assert_int_equal(kith_query_describe(t->fresh)->since, 0);
    assert_int_equal(kith_queue_count(t->bells), 1);
    assert_int_equal(kith_reactive_count(t->sets[1]), 0);
    uint64_t log = t->log;
    kith_system_run(t->world, "healer", 0);
    assert_true(t->log != log);
    kith_bytes_free(&bytes);
}

static void equal_sets_are_distinguished_by_their_age(void **state)
{
    town                *t     = *state;
    const kith_condition on    = { MARK, KITH_ON_ADD };
    kith_reactive_desc   desc  = { .conditions = &on, .condition_count = 1 };
    kith_reactive       *older = kith_reactive_create(t->world, &desc);
    kith_entity          e     = kith_entity_create(t->world);
    mark_add(t->world, e);
    kith_reactive *newer = kith_reactive_create(t->world, &desc);
    kith_bytes     bytes = saved_exactly(t->world);
    kith_reactive_clear(older);
    load(t->world, &bytes);
    assert_true(kith_reactive_contains(older, e));
    assert_int_equal(kith_reactive_count(newer), 0);
    assert_true(kith_reactive_destroy(older)); // one that only the file has is passed over
    load(t->world, &bytes);
    kith_bytes_free(&bytes);
}

// The older of two alike queries looks for changes, the younger one does not.
static void alike_queries_keep_their_ticks(void **state)
{
    (void)state;
    kith_world     *world   = kith_world_create(NULL);
    kith_query_desc desc    = { .name = "all", .since = 7 };
    kith_query     *older   = kith_query_create(world, &desc);
    kith_query     *younger = kith_query_create(world, &(kith_query_desc){ .name = "all" });
    kith_save_desc  exact   = { .exact = true };
    kith_bytes      bytes   = { .data = NULL };
    assert_int_equal(kith_world_save_memory(world, &exact, &bytes).code, KITH_OK);
    kith_query_since_set(older, 1);
    kith_query_since_set(younger, 2);
    assert_int_equal(kith_world_load(world, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(kith_query_describe(older)->since, 7);
    assert_int_equal(kith_query_describe(younger)->since, 0);
    kith_bytes_free(&bytes);
    assert_true(kith_world_validate(world, NULL));
    kith_world_destroy(world);
}

static void events_without_a_form_are_refused_by_name(void **state)
{
    town                 *t     = *state;
    const kith_queue_desc desc  = { .name = "whisper", .size = 4 };
    const kith_save_desc  exact = { .exact = true };
    kith_bytes            bytes = { .data = NULL };
    uint64_t              hash  = 5;
    kith_queue           *queue = kith_queue_of(t->world, &desc);
    kith_queue_enqueue(queue, &(uint32_t){ 7 });
    kith_result result = kith_world_save_memory(t->world, &exact, &bytes);
    assert_int_equal(result.code, KITH_ERROR_UNSAVED);
    assert_string_equal(result.message,
                        "queue \"whisper\" has events but no save form: set kith_queue_desc.saved");
    assert_false(kith_world_hash_exact(t->world, &hash));
    assert_int_equal(hash, 5);
    assert_int_equal(kith_world_save_memory(t->world, NULL, &bytes).code, KITH_OK);
    kith_queue_clear(queue);
    assert_int_equal(kith_world_save_memory(t->world, &exact, &bytes).code, KITH_OK);
    kith_bytes_free(&bytes);
}

static void transient_events_are_gone_afterwards(void **state)
{
    town           *t     = *state;
    kith_queue_desc desc  = { .name = "whisper", .size = 4, .saved = KITH_AS(transient) };
    kith_queue     *queue = kith_queue_of(t->world, &desc);
    kith_queue_enqueue(queue, &(uint32_t){ 7 });
    kith_bytes bytes = saved_exactly(t->world);
    load(t->world, &bytes);
    assert_int_equal(kith_queue_count(queue), 0);
    kith_bytes_free(&bytes);
}

// Registers the component with other traits in a world of its own and loads the file there.
static void assert_conflict(const kith_bytes *bytes, kith_component_desc desc, const char *message)
{
    test_memory memory = { 0 };
    kith_world *world  = make_world(&memory, (kith_world_desc){ 0 });
    assert_int_equal(kith_component_register(world, &desc), desc.id);
    assert_true(scar_register(world) || desc.id == SCAR);
    assert_true(glow_register(world) || desc.id == GLOW);
    kith_result result = load_by(world, NULL, bytes);
    assert_string_equal(result.message, message);
    assert_int_equal(result.code, KITH_ERROR_CONFLICT);
    assert_int_equal(kith_entity_count(world), 0);
    test_world_end(world, &memory);
}

static void other_traits_are_refused_by_name(void **state)
{
    town       *t = *state;
    kith_entity e = kith_entity_create(t->world);
    scar_set(t->world, e, 1);
    glow_set(t->world, e, 1);
    kith_bytes          bytes = saved_exactly(t->world);
    kith_component_desc scar  = scar_desc();
    kith_component_desc glow  = glow_desc();
    scar.traits.page_rows     = 64;
    assert_conflict(&bytes, scar, "\"scar\": its pages have other sizes in this world");
    scar                  = scar_desc();
    scar.traits.row_ticks = false;
    assert_conflict(&bytes, scar, "\"scar\": its rows have no ticks in this world");
    scar                = scar_desc();
    scar.traits.journal = 7;
    assert_conflict(&bytes, scar, "\"scar\": its journal has another size in this world");
    glow.traits.row_ticks = true;
    assert_conflict(&bytes, glow, "\"glow\": the file lacks ticks of its rows");
    kith_bytes_free(&bytes);
}

static void events_of_a_queue_that_is_not_there_are_refused_by_name(void **state)
{
    town       *t      = *state;
    test_memory memory = { 0 };
    kith_world *world  = make_world(&memory, (kith_world_desc){ 0 });
    assert_true(scar_register(world) && glow_register(world));
    hit_enqueue(t->hits, (hit){ KITH_NULL, true, 1 });
    kith_bytes  bytes  = saved_exactly(t->world);
    kith_result result = load_by(world, NULL, &bytes);
    assert_int_equal(result.code, KITH_ERROR_CONFLICT);
    assert_string_equal(result.message,
                        "\"hit\": the file has events of a queue that this world lacks");
    kith_queue_desc other = { .name = "hit", .size = sizeof(hit), .saved = KITH_AS(plain(1)) };
    assert_non_null(kith_queue_of(world, &other));
    result = load_by(world, NULL, &bytes);
    assert_int_equal(result.code, KITH_ERROR_CONFLICT);
    assert_string_equal(result.message, "\"hit\": its events have another save form in this world");
    kith_bytes_free(&bytes);
    test_world_end(world, &memory);
}

// Of exact state nothing is left over where only the state is asked for.
static void exact_state_can_be_passed_over(void **state)
{
    town          *t      = *state;
    test_memory    memory = { 0 };
    kith_world    *world  = make_world(&memory, (kith_world_desc){ 0 });
    kith_load_desc desc   = { .unknown = KITH_UNKNOWN_KEEP, .state_only = true };
    act_in_town_often(t, 15, 400);
    hit_enqueue(t->hits, (hit){ KITH_NULL, true, 1 });
    kith_bytes exact  = saved_exactly(t->world);
    kith_bytes before = saved(t->world);
    assert_int_equal(load_by(world, &desc, &exact).code, KITH_OK);
    kith_bytes after = saved(world);
    assert_int_equal(kith_component_stamp(world, PLACE, 0), kith_world_now(world));
    assert_int_equal(after.size, before.size);
    kith_bytes_free(&exact);
    kith_bytes_free(&before);
    kith_bytes_free(&after);
    test_world_end(world, &memory);
}

// Unknown components that are kept have no ticks in the file: they are new now.
static void unknown_components_are_kept_without_ticks(void **state)
{
    town          *t      = *state;
    test_memory    memory = { 0 };
    kith_world    *world  = make_world(&memory, (kith_world_desc){ 0 });
    kith_load_desc desc   = { .unknown = KITH_UNKNOWN_KEEP };
    act_in_town_often(t, 15, 400);
    kith_world_advance(t->world);
    hit_clear(t->hits);
    note_clear(t->notes);
    kith_queue_clear(t->bells);
    kith_entity e = kith_entity_create(t->world);
    scar_set(t->world, e, 7);
    kith_bytes exact = saved_exactly(t->world);
    for (uint32_t way = 0; way < 2; way++) {
        desc.entities      = way == 0 ? NULL : &e;
        desc.entity_count  = way;
        kith_result result = load_by(world, &desc, &exact);
        assert_string_equal(result.message, "");
        assert_int_equal(result.code, KITH_OK);
        kith_component kept = kith_component_find(world, "scar");
        assert_int_equal(*(const int32_t *)kith_component_get(world, e, kept), 7);
        assert_int_equal(kith_component_stamp(world, kept, 0), kith_world_now(world));
        assert_true(way == 1 || kith_component_stamp(world, PLACE, 0) ==
                                    kith_component_stamp(t->world, PLACE, 0));
    }
    kith_bytes_free(&exact);
    test_world_end(world, &memory);
}

static void an_exact_hash_sees_what_is_exact(void **state)
{
    town *t = *state;
    act_in_town_often(t, 8, 300);
    uint64_t hashes[6];
    uint64_t whole[2] = { 0, 0 };
    assert_true(kith_world_hash_full(t->world, KITH_ALL, &whole[0]));
    hashes[0] = exact_hash(t->world);
    kith_world_advance(t->world);
    hashes[1] = exact_hash(t->world);
    kith_queue_enqueue(t->bells, NULL);
    hashes[2] = exact_hash(t->world);
    kith_query_since_set(t->fresh, 12345);
    hashes[3] = exact_hash(t->world);
    kith_system_enable(kith_system_find(t->world, "clock"),
                       !kith_system_report_of(kith_system_find(t->world, "clock")).enabled);
    hashes[4] = exact_hash(t->world);
    kith_reactive_update(t->sets[0]);
    hashes[5] = exact_hash(t->world);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(hashes[i] != hashes[i + 1]);
    }
    assert_true(kith_world_hash_full(t->world, KITH_ALL, &whole[1]));
    assert_true(whole[0] == whole[1]);
    assert_false(kith_world_hash_exact(t->world, NULL));
    kith_world_hold(t->world);
    assert_false(kith_world_hash_exact(t->world, &whole[1]));
    kith_world_release(t->world);
    assert_true(whole[0] == whole[1]);
}

// --- chosen entities -------------------------------------------------------------------------

typedef struct choice {
    kith_entity entities[64];
    uint32_t    count;
} choice;

static choice choose_some(const kith_world *world, uint64_t seed)
{
    choice chosen = { .count = 0 };
    for (kith_entity e = kith_entity_next(world, KITH_NULL); e != KITH_NULL && chosen.count < 64;
         e             = kith_entity_next(world, e)) {
        chosen.entities[chosen.count] = e;
        chosen.count += test_random_below(&seed, 3) == 0;
    }
    return chosen;
}

static bool is_chosen(const choice *chosen, kith_entity entity)
{
    bool found = false;
    for (uint32_t i = 0; i < chosen->count; i++) {
        found = found || chosen->entities[i] == entity;
    }
    return found;
}

static void destroy_all_but(kith_world *world, const choice *chosen)
{
    for (uint32_t i = 0; i < kith_world_stats(world).slots; i++) {
        kith_entity e = kith_entity_slot(world, i);
        if (!is_chosen(chosen, e)) {
            kith_entity_destroy(world, e);
        }
    }
}

static void assert_choice_is_what_remains(uint64_t seed, bool exact)
{
    static town a;
    static town b;
    a = (town){ 0 };
    b = (town){ 0 };
    make_town(&a, (kith_world_desc){ 0 });
    make_town(&b, (kith_world_desc){ 0 });
    act_in_town_often(&a, seed, 600);
    choice         chosen    = choose_some(a.world, seed);
    kith_save_desc all       = { .exact = exact };
    kith_save_desc some      = { .exact        = exact,
                                 .entities     = chosen.entities,
                                 .entity_count = chosen.count };
    kith_load_desc selection = { .entities = chosen.entities, .entity_count = chosen.count };
    kith_bytes     files[4];
    memset(files, 0, sizeof files);
    assert_int_equal(kith_world_save_memory(a.world, &all, &files[0]).code, KITH_OK);
    assert_int_equal(kith_world_save_memory(a.world, &some, &files[1]).code, KITH_OK);
    load(b.world, &files[0]);
    destroy_all_but(b.world, &chosen);
    assert_int_equal(kith_world_save_memory(b.world, &all, &files[2]).code, KITH_OK);
    assert_same_bytes(&files[1], &files[2]);
    act_in_town_often(&b, seed + 1, 50);
    assert_int_equal(load_by(b.world, &selection, &files[0]).code, KITH_OK);
    assert_int_equal(kith_world_save_memory(b.world, &all, &files[3]).code, KITH_OK);
    assert_same_bytes(&files[1], &files[3]);
    for (uint32_t i = 0; i < 4; i++) {
        kith_bytes_free(&files[i]);
    }
    end_town(&a);
    end_town(&b);
}

static void chosen_entities_are_what_remains_without_the_others(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    for (uint32_t i = 0; i < 6 + test_thinned(40); i++) {
        assert_choice_is_what_remains(test_random(&seed), i % 2 == 0);
    }
}

static void an_empty_choice_loads_no_entity(void **state)
{
    town          *t     = *state;
    kith_save_desc desc  = { .entities = &(kith_entity){ 0 }, .entity_count = 0 };
    kith_bytes     bytes = { .data = NULL };
    act_in_town_often(t, 4, 200);
    assert_int_equal(kith_world_save_memory(t->world, &desc, &bytes).code, KITH_OK);
    load(t->world, &bytes);
    assert_int_equal(kith_entity_count(t->world), 0);
    kith_bytes_free(&bytes);
}

static void a_dead_entity_cannot_be_chosen(void **state)
{
    town       *t     = *state;
    kith_entity e     = kith_entity_create(t->world);
    kith_bytes  bytes = saved_exactly(t->world);
    kith_bytes  none  = { .data = NULL };
    kith_entity_destroy(t->world, e);
    kith_entity    other     = kith_entity_create(t->world);
    kith_bytes     now       = saved_exactly(t->world);
    kith_save_desc save      = { .entities = &e, .entity_count = 1 };
    kith_load_desc selection = { .entities = &other, .entity_count = 1 };
    kith_result    result    = kith_world_save_memory(t->world, &save, &none);
    assert_int_equal(result.code, KITH_ERROR_DEAD_ENTITY);
    assert_string_equal(result.message, "entity 0v1 is not alive");
    result = load_by(t->world, &selection, &bytes);
    assert_int_equal(result.code, KITH_ERROR_DEAD_ENTITY);
    assert_string_equal(result.message, "entity 0v2 is not alive");
    kith_bytes after = saved_exactly(t->world);
    assert_same_bytes(&now, &after);
    kith_bytes_free(&bytes);
    kith_bytes_free(&none);
    kith_bytes_free(&now);
    kith_bytes_free(&after);
}

static void take_event_count(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world, (void)notice;
    ++*(uint32_t *)context;
}

// The world that is loaded, and what its saver could do to it.
typedef struct meddler {
    kith_world    *world;
    kith_commands *commands;
    uint32_t       calls;
} meddler;

static size_t write_nothing(const void *value, void *bytes, size_t room, void *context)
{
    (void)value;
    (void)bytes;
    (void)room;
    (void)context;
    return 0;
}

static bool read_and_meddle(void *value, const void *bytes, size_t size, void *context)
{
    meddler *m = context;
    (void)value;
    (void)bytes;
    if (m->world != NULL && m->commands == NULL) {
        m->commands = kith_commands_create(m->world, NULL);
    }
    m->calls++;
    return size == 0;
}

// Whatever a saver tries while a choice is loaded, it changes nothing.
static void savers_change_nothing_while_a_choice_is_loaded(void **state)
{
    meddler                   m      = { .world = NULL };
    const kith_saver          saver  = { write_nothing, read_and_meddle, &m };
    const kith_component_desc desc   = { .name      = "script",
                                         .id        = 91,
                                         .size      = 4,
                                         .alignment = 4,
                                         .traits    = { .saved = KITH_AS(through(&saver)) } };
    test_memory               memory = { 0 };
    kith_world               *world  = test_world(&memory);
    (void)state;
    assert_int_equal(kith_component_register(world, &desc), 91);
    kith_entity e = kith_entity_create(world);
    assert_non_null(kith_component_add(world, e, 91, NULL));
    kith_bytes     bytes = saved(world);
    kith_load_desc one   = { .entities = &e, .entity_count = 1 };
    m.world              = world;

    assert_int_equal(kith_world_load(world, &one, bytes.data, bytes.size).code, KITH_OK);

    assert_true(m.calls != 0);
    assert_null(m.commands);
    kith_bytes_free(&bytes);
    test_world_end(world, &memory);
}

static void entities_left_out_of_a_load_are_not_reported(void **state)
{
    town    *t        = *state;
    uint32_t reported = 0;
    act_in_town_often(t, 6, 400);
    kith_bytes         bytes  = saved_exactly(t->world);
    choice             chosen = choose_some(t->world, 1);
    kith_load_desc     desc   = { .entities = chosen.entities, .entity_count = chosen.count };
    kith_listener_desc ends   = { .event = KITH_EVENT_DESTROY, .call = take_event_count };
    kith_listener_desc goes   = { .event = KITH_EVENT_REMOVE, .component = SPEED };
    ends.context              = &reported;
    goes.call                 = take_event_count;
    goes.context              = &reported;
    assert_true(kith_listener_connect(t->world, &ends) && kith_listener_connect(t->world, &goes));
    assert_int_equal(load_by(t->world, &desc, &bytes).code, KITH_OK);
    assert_int_equal(kith_entity_count(t->world), chosen.count);
    assert_int_equal(reported, 0);
    kith_bytes_free(&bytes);
}

// An entity that is not chosen takes its children along, or leaves them without a parent.
static void hierarchies_follow_the_chosen_entities(void **state)
{
    town *t = *state;
    for (uint32_t i = 0; i < 2; i++) {
        kith_hierarchy_desc tree = { i == 0 ? "tree" : "wood", 50 + i,
                                     i == 0 ? KITH_CHILDREN_ORPHAN : KITH_CHILDREN_DESTROY, false };
        assert_int_equal(kith_hierarchy_register(t->world, &tree), tree.id);
        kith_entity parent = kith_entity_create(t->world);
        kith_entity child  = kith_entity_create(t->world);
        assert_true(kith_hierarchy_append(t->world, tree.id, parent, child));
        kith_save_desc desc  = { .entities = &child, .entity_count = 1 };
        kith_bytes     bytes = { .data = NULL };
        assert_int_equal(kith_world_save_memory(t->world, &desc, &bytes).code, KITH_OK);
        load(t->world, &bytes);
        assert_int_equal(kith_entity_alive(t->world, child), i == 0);
        const kith_node *node = kith_component_get(t->world, child, tree.id);
        assert_true(i == 1 || node->parent == KITH_NULL);
        kith_bytes_free(&bytes);
    }
}

// --- chosen components -----------------------------------------------------------------------

static void some_components_are_loaded(void **state)
{
    town                *t      = *state;
    const kith_component some[] = { SPEED, SCAR };
    const kith_load_desc desc   = { .components = some, .component_count = 2 };
    act_in_town_often(t, 12, 600);
    kith_entity sleeper = kith_entity_create(t->world);
    pace_set(t->world, sleeper, 1);
    asleep_add(t->world, sleeper);
    assert_true(kith_group_count(sleepers_group(t->world)) != 0);
    uint32_t   paces = pace_count(t->world);
    uint32_t   scars = scar_count(t->world);
    kith_bytes bytes = saved_exactly(t->world);
    assert_true(paces != 0 && spot_count(t->world) != 0 && scars != 0);
    assert_int_equal(load_by(t->world, &desc, &bytes).code, KITH_OK);
    assert_int_equal(pace_count(t->world), paces);
    assert_int_equal(scar_count(t->world), scars);
    assert_int_equal(spot_count(t->world), 0);
    assert_int_equal(asleep_count(t->world), 0);
    assert_int_equal(kith_group_count(sleepers_group(t->world)), 0);
    assert_null(year_get(t->world));
    kith_bytes_free(&bytes);
}

// --- order of registering --------------------------------------------------------------------

static void another_order_of_registering_is_said(void **state)
{
    town          *t      = *state;
    test_memory    memory = { 0 };
    kith_world    *world  = test_world(&memory);
    kith_bytes     bytes  = { .data = NULL };
    kith_component some[] = { PLACE, SPEED, MARK };
    kith_save_desc desc   = { .components = some, .component_count = 3 };
    act_in_town_often(t, 12, 100);
    assert_int_equal(kith_world_save_memory(t->world, &desc, &bytes).code, KITH_OK);
    assert_true(pace_register(world) && spot_register(world) && mark_register(world));
    kith_result result = load_by(world, NULL, &bytes);
    assert_int_equal(result.code, KITH_OK);
    assert_string_equal(result.message,
                        "\"spot\" was registered before \"pace\" when this was saved");
    assert_int_equal(pace_count(world), pace_count(t->world));
    kith_entity    e         = kith_entity_next(world, KITH_NULL);
    kith_load_desc selection = { .entities = &e, .entity_count = 1 };
    result                   = load_by(world, &selection, &bytes);
    assert_int_equal(result.code, KITH_OK);
    assert_non_null(strstr(result.message, "\"pace\""));
    kith_bytes_free(&bytes);
    test_world_end(world, &memory);
}

// --- memory ----------------------------------------------------------------------------------

static void exact_loading_survives_each_failed_allocation(void **state)
{
    town *t = *state;
    act_in_town_often(t, 33, 500);
    kith_bytes then = saved_exactly(t->world);
    act_in_town_often(t, 34, 300);
    kith_bytes now = saved_exactly(t->world);
    for (uint32_t way = 0; way < 2; way++) {
        choice         chosen = { .count = 0 };
        kith_load_desc desc   = { .entities = way == 0 ? NULL : chosen.entities };
        kith_result    result;
        uint32_t       failed = 0;
        do {
            test_fail_after(&t->memory, ++failed);
            result = kith_world_load(t->world, &desc, then.data, then.size);
            test_fail_after(&t->memory, 0);
            assert_world_valid(t->world);
            kith_bytes after = saved_exactly(t->world);
            if (result.code != KITH_OK) {
                assert_int_equal(result.code, KITH_ERROR_MEMORY);
                assert_same_bytes(&now, &after);
            }
            kith_bytes_free(&after);
        } while (result.code != KITH_OK);
        assert_true(failed > 20);
        load(t->world, &now);
    }
    kith_bytes_free(&then);
    kith_bytes_free(&now);
}

static void choosing_survives_each_failed_allocation(void **state)
{
    town *t = *state;
    act_in_town_often(t, 35, 300);
    choice         chosen = choose_some(t->world, 1);
    kith_save_desc desc   = { .exact        = true,
                              .entities     = chosen.entities,
                              .entity_count = chosen.count };
    kith_bytes     bytes  = { .data = NULL };
    kith_result    result;
    uint32_t       failed = 0;
    do {
        test_fail_after(&t->memory, ++failed);
        result = kith_world_save_memory(t->world, &desc, &bytes);
        test_fail_after(&t->memory, 0);
        assert_true(result.code == KITH_OK || result.code == KITH_ERROR_MEMORY);
    } while (result.code != KITH_OK);
    assert_true(failed > 20);
    assert_world_valid(t->world);
    kith_bytes_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exactly_loaded_world_gives_the_same_answers),
        cmocka_unit_test(alike_queries_keep_their_ticks),
        IN_TOWN(without_exact_state_everything_is_new),
        IN_TOWN(equal_sets_are_distinguished_by_their_age),
        IN_TOWN(events_without_a_form_are_refused_by_name),
        IN_TOWN(transient_events_are_gone_afterwards),
        IN_TOWN(other_traits_are_refused_by_name),
        IN_TOWN(events_of_a_queue_that_is_not_there_are_refused_by_name),
        IN_TOWN(exact_state_can_be_passed_over),
        IN_TOWN(unknown_components_are_kept_without_ticks),
        IN_TOWN(an_exact_hash_sees_what_is_exact),
        cmocka_unit_test(chosen_entities_are_what_remains_without_the_others),
        IN_TOWN(an_empty_choice_loads_no_entity),
        IN_TOWN(a_dead_entity_cannot_be_chosen),
        IN_TOWN(entities_left_out_of_a_load_are_not_reported),
        cmocka_unit_test(savers_change_nothing_while_a_choice_is_loaded),
        IN_TOWN(hierarchies_follow_the_chosen_entities),
        IN_TOWN(some_components_are_loaded),
        IN_TOWN(another_order_of_registering_is_said),
        IN_TOWN(exact_loading_survives_each_failed_allocation),
        IN_TOWN(choosing_survives_each_failed_allocation),
    };
    return cmocka_run_group_tests_name("exact", tests, NULL, NULL);
}
