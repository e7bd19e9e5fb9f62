// SPDX-License-Identifier: MIT
// What a part may not call: everything that changes its world, on each thread of a stage, and on
// threads that have no part in it.
#include "workers_test.h"

#include "kith/frames.h"
#include "kith/hierarchy.h"
#include "kith/json.h"
#include "kith/merge.h"
#include "kith/object.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define ROWS 10000u // three chunks

enum { GLOBAL = 40, TREE };

KITH_SINGLETON_AS(global, int32_t, GLOBAL, plain(4));
KITH_QUERY(gotten, write(at), read(moving));
KITH_QUERY(readers, read(moving));
KITH_QUERY(livers, write(life));

typedef struct yard { // what the calls are about
    kith_world     *world;
    kith_workers   *workers;
    kith_entity     entity;
    kith_queue     *queue;
    kith_reactive  *set;
    kith_group     *group;
    kith_path      *path;
    kith_query     *query;
    kith_frames    *frames;
    kith_commands  *commands;
    kith_system    *system;
    kith_object    *object;
    kith_merge     *merge;
    kith_listener   listener;
    kith_bytes      saved;
    kith_recording *recording;
    uint32_t        tried;
    const char     *done; // a call that was not refused
    uint32_t        worker;
} yard;

#define TRY(CALL)                                                                                  \
    do {                                                                                           \
        y->tried++;                                                                                \
        if ((CALL) && y->done == NULL) {                                                           \
            y->done = #CALL;                                                                       \
        }                                                                                          \
    } while (0)
// For calls that return nothing: the hash of the world tells.
#define TRY_VOID(CALL) TRY(((CALL), false))

static void change_place(place *value, void *context)
{
    (void)context;
    value->x = -1;
}

static void change_bytes(void *value, void *context)
{
    (void)context;
    memset(value, 0, sizeof(place));
}

static void try_values(yard *y)
{
    kith_world *world  = y->world;
    kith_entity entity = y->entity;
    place       nine   = { 9, 9 };
    int32_t     number = 9;
    TRY(at_mut(world, entity) != NULL);
    TRY(at_set(world, entity, nine) != NULL);
    TRY(at_patch(world, entity, change_place, NULL) != NULL);
    TRY(at_set_if_changed(world, entity, nine));
    TRY(at_remove(world, entity));
    TRY(at_disable(world, entity));
    TRY(ticked_add(world, entity) != NULL);
    TRY(stone_add(world, entity));
    TRY(lit_add(world, entity));
    TRY(lit_remove(world, entity));
    TRY(fixed_set(world, entity, 9) != NULL);
    TRY(gotten_get(world, entity).entity != KITH_NULL);
    TRY(kith_component_mut(world, entity, PLACE) != NULL);
    TRY(kith_component_set(world, entity, PLACE, &nine) != NULL);
    TRY(kith_component_patch(world, entity, PLACE, change_bytes, NULL) != NULL);
    TRY(kith_component_set_if_changed(world, entity, PLACE, &nine));
    TRY(kith_component_remove(world, entity, PLACE));
    TRY(kith_component_add(world, entity, ROW, NULL) != NULL);
    TRY(kith_component_enable(world, entity, PLACE, false));
    TRY(kith_component_swap(world, PLACE, entity, entity));
    TRY(kith_component_clear(world, PLACE));
    TRY(global_mut(world) != NULL);
    TRY(global_set(world, 9) != NULL);
    TRY(kith_singleton_mut(world, GLOBAL) != NULL);
    TRY(kith_singleton_set(world, GLOBAL, &number) != NULL);
    TRY(kith_singleton_add(world, GLOBAL) != NULL);
    TRY(kith_singleton_remove(world, GLOBAL));
}

static void try_entities(yard *y)
{
    kith_world          *world  = y->world;
    kith_entity          entity = y->entity;
    const kith_values    set    = { .component = PLACE };
    const kith_entities  one    = { .array = &entity, .count = 1 };
    const kith_component id     = LIFE;
    kith_entity          made;
    TRY(kith_entity_create(world) != KITH_NULL);
    TRY(kith_entity_create_hint(world, kith_entity_make(77777, 1)) != KITH_NULL);
    TRY(kith_entity_create_hints(world, &entity, 1, &made));
    TRY(kith_entity_create_many(world, &made, 1, &set, 1));
    TRY(kith_entity_create_range(world, 3).count != 0);
    TRY(kith_entity_clone_many(world, entity, &made, 1));
    TRY(kith_entities_clone(world, world, &entity, 1, &made));
    TRY(kith_entity_destroy(world, entity));
    TRY(kith_entity_destroy_many(world, one));
    TRY(kith_entity_set_many(world, one, &set, 1));
    TRY(kith_entity_set_components(world, one, &set, 1));
    TRY(kith_entity_remove_many(world, one, &id, 1));
    TRY(kith_entity_reserve(world, 100000));
    TRY(kith_entity_limit_set(world, 100000));
    TRY(kith_world_expire(world, LIFE, 1) != 0);
    TRY(kith_hierarchy_append(world, TREE, entity, entity));
    TRY(kith_hierarchy_insert(world, TREE, entity, entity, KITH_NULL));
    TRY(kith_hierarchy_insert_at(world, TREE, entity, entity, 0));
    TRY(kith_hierarchy_detach(world, TREE, entity));
    TRY(kith_hierarchy_sort(world, TREE));
    TRY_VOID(kith_world_clear(world));
}

static void try_pools(yard *y)
{
    kith_world               *world     = y->world;
    const kith_component_desc tag       = { .name = "late", .kind = KITH_KIND_TAG };
    const kith_sort_key       key       = KITH_KEY(place, x);
    const kith_sort_desc      sorted    = { .key = &key };
    const kith_signature      signature = { { 1 } };
    const kith_component      id        = LIFE;
    const kith_path_desc      path      = { .components = &id, .component_count = 1 };
    TRY(kith_component_register(world, &tag) != 0);
    TRY(kith_component_register_many(world, &tag, 1));
    TRY(kith_hierarchy_register(world, &(kith_hierarchy_desc){ .name = "other" }) != 0);
    TRY(kith_component_shrink(world, PLACE));
    TRY(kith_component_compact(world, PLACE));
    TRY(kith_component_reserve(world, PLACE, 100000));
    TRY(kith_component_limit_set(world, PLACE, 100000));
    TRY(kith_component_sort(world, PLACE, &sorted));
    TRY(kith_signature_reserve(world, &signature, 100000));
    TRY(kith_world_reserve(world, &(kith_reserve_desc){ .entities = 100000 }));
    TRY(kith_world_shrink(world));
    TRY(kith_group_of(world, turners_desc()) != NULL);
    TRY(kith_group_sort(y->group, PLACE, &sorted));
    TRY(kith_group_drop(y->group));
    TRY(kith_path_of(world, &path) != NULL);
    TRY(kith_path_arrange(y->path, 10) != 0);
    TRY(kith_path_arrange_all(world, 10) != 0);
    TRY(kith_path_drop(y->path));
}

static void listen(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (void)context;
}

static void hear_bell(kith_world *world, const void *event, void *context)
{
    (void)world;
    (void)event;
    (void)context;
}

static void try_events(yard *y)
{
    kith_world              *world   = y->world;
    const kith_listener_desc listens = { .event = KITH_EVENT_CREATE, .call = listen };
    const kith_condition     added   = { LIFE, KITH_ON_ADD };
    const kith_reactive_desc react   = { .condition_count = 1, .conditions = &added };
    const kith_queue_desc    queue   = { .name = "late", .size = 4, .alignment = 4 };
    int                      event   = 1;
    TRY(kith_listener_connect(world, &listens) != 0);
    TRY(kith_listener_disconnect(world, y->listener));
    TRY(kith_queue_of(world, &queue) != NULL);
    TRY(kith_queue_connect(y->queue, &(kith_handler_desc){ .call = hear_bell }) != 0);
    TRY(kith_queue_enqueue(y->queue, &event));
    TRY(kith_queue_trigger(y->queue, &event));
    TRY(kith_queue_update(y->queue) != 0);
    TRY(kith_queue_update_all(world) != 0);
    TRY(kith_queue_reserve(y->queue, 1000));
    TRY_VOID(kith_queue_clear(y->queue));
    TRY(kith_reactive_create(world, &react) != NULL);
    TRY(kith_reactive_update(y->set) != 0);
    TRY(kith_reactive_remove(y->set, y->entity));
    TRY_VOID(kith_reactive_clear(y->set));
    TRY(kith_reactive_destroy(y->set));
}

static void count_nothing(const kith_part *part)
{
    (void)part;
}

static void try_loops(yard *y)
{
    kith_world              *world  = y->world;
    const kith_parallel_desc parts  = { .part = count_nothing };
    const kith_system_desc   system = { .name = "late", .run = run_plain };
    TRY(!movers_begin(world).failed);
    TRY(!movers_begin_stored(y->query).failed);
    TRY(!kith_view_begin(world, movers_desc()).failed);
    TRY(!kith_query_begin(y->query).failed);
    TRY(kith_query_create(world, movers_desc()) != NULL);
    TRY(kith_query_of(world, tickers_desc()) != NULL);
    TRY(kith_query_parallel(y->query, &parts));
    TRY_VOID(kith_query_since_set(y->query, 1));
    TRY(kith_query_destroy(y->query));
    TRY(kith_system_create(world, &system) != NULL);
    TRY(kith_system_destroy(y->system));
    TRY(kith_system_request(y->system));
    (void)kith_system_enable(y->system, false);
    TRY(!kith_system_enable(y->system, false)); // it returns how it was
    TRY(kith_system_run(world, "idle", 1));
    TRY(kith_schedule_run(world, 1));
    TRY(kith_schedule_configure(world, &(kith_schedule_desc){ .checked = true }));
    TRY(kith_commands_create(world, NULL) != NULL);
    TRY(kith_commands_apply(y->commands, world));
    TRY(kith_commands_resume(y->commands, world));
    TRY(kith_commands_refresh(y->commands));
    TRY(kith_commands_destroy(y->commands));
}

static kith_object *make_object(kith_world *world, const char *key)
{
    (void)world;
    (void)key;
    return calloc(1, sizeof(kith_object));
}

static void free_object(kith_object *object)
{
    free(object);
}

static bool no_state(kith_object *object, kith_state *state)
{
    (void)object;
    (void)state;
    return true;
}

static const kith_object_ops object_ops = { .kind    = "stone",
                                            .size    = sizeof(kith_object),
                                            .create  = make_object,
                                            .destroy = free_object,
                                            .state   = no_state };

static bool write_nothing(const void *bytes, size_t size, void *context)
{
    (void)bytes;
    (void)size;
    (void)context;
    return true;
}

static void step_nothing(kith_world *world, uint64_t frame, void *context)
{
    (void)world;
    (void)frame;
    (void)context;
}

static void try_world(yard *y)
{
    kith_world *world  = y->world;
    const void *bytes  = y->saved.data;
    size_t      size   = y->saved.size;
    const char  json[] = "{}";
    kith_entity made;
    uint64_t    hash;
    kith_bytes  again = { .data = NULL };
    kith_diff   diff  = { 0 };
    TRY(kith_world_hold(world));
    TRY(kith_world_release(world));
    TRY(kith_world_settle(world));
    TRY(kith_world_advance(world) != 0);
    TRY(kith_world_destroy(world));
    TRY(kith_world_use_workers(world, NULL));
    TRY(kith_workers_destroy(y->workers));
    TRY(kith_object_of(world, &object_ops, "late") != NULL);
    TRY(kith_object_destroy(y->object));
    TRY(kith_merge_create(world) != NULL);
    TRY(kith_merge_apply(y->merge, NULL, bytes, size).code == KITH_OK);
    TRY(kith_merge_destroy(y->merge));
    TRY(kith_world_load(world, NULL, bytes, size).code == KITH_OK);
    TRY(kith_json_read_world(world, json, 2, NULL).code == KITH_OK);
    TRY(kith_json_read_entity(world, json, 2, NULL, &made).code == KITH_OK);
    TRY(kith_frames_create(world, &(kith_frames_desc){ .capacity = 2 }) != NULL);
    TRY(kith_frames_save(y->frames) != 0);
    TRY(kith_frames_restore(y->frames, 1));
    TRY(kith_frames_check(y->frames, 1, step_nothing, NULL).checked);
    TRY(kith_frames_world(y->frames, 1) != NULL);
    TRY(kith_frames_delta(y->frames, 1, 2, NULL, write_nothing, NULL).code == KITH_OK);
    TRY(kith_frames_diff(y->frames, 1, 2, &diff));
    TRY(kith_frames_destroy(y->frames));
    TRY(kith_recording_create(world, "part_calls_late.tmp", NULL) != NULL);
    TRY(kith_recording_add(y->recording, y->frames, 1).code == KITH_OK);
    TRY(kith_recording_destroy(y->recording));
    // what looks at the whole world
    TRY(kith_world_hash(world, KITH_ALL, &hash));
    TRY(kith_world_hash_full(world, KITH_ALL, &hash));
    TRY(kith_world_hash_exact(world, &hash));
    TRY(kith_world_clone(world, NULL) != NULL);
    TRY(kith_world_save_memory(world, NULL, &again).code == KITH_OK);
    TRY(kith_world_diff(world, world, &diff));
}

static void try_all(yard *y)
{
    try_values(y);
    try_entities(y);
    try_pools(y);
    try_events(y);
    try_loops(y);
    try_world(y);
}

// --- the tests -------------------------------------------------------------------------------

static atomic_uint met;

// Each of three threads has one chunk: it goes on when all have one.
static void try_forbidden(const kith_part *part)
{
    yard *y = (yard *)part->turn->context + part->chunk;
    atomic_fetch_add(&met, 1);
    for (uint32_t i = 0; i < 100000000 && atomic_load(&met) < 3; i++) {
        sched_yield();
    }
    y->worker = part->worker;
    try_all(y);
}

static void *try_on_thread(void *context)
{
    try_all(context);
    return NULL;
}

// A thread without a part.
static void try_beside(const kith_part *part)
{
    pthread_t thread;
    if (part->chunk == 0 &&
        pthread_create(&thread, NULL, try_on_thread, part->turn->context) == 0) {
        pthread_join(thread, NULL);
    }
}

static yard make_yard(kith_world *world, kith_workers *workers)
{
    yard                     y     = { .world = world, .workers = workers };
    const kith_component     ids[] = { SPEED };
    const kith_condition     added = { LIFE, KITH_ON_ADD };
    const kith_reactive_desc react = { .condition_count = 1, .conditions = &added };
    const kith_queue_desc    queue = {
           .name = "bell", .size = 4, .alignment = 4, .saved = KITH_AS(plain(4))
    };
    const kith_path_desc     path   = { .components = ids, .component_count = 1 };
    const kith_system_desc   system = { .name = "idle", .run = run_plain, .on_demand = true };
    const kith_listener_desc hears  = { .event = KITH_EVENT_CREATE, .call = listen };
    assert_true(parts_register(world) && global_register(world));
    assert_int_equal(
        kith_hierarchy_register(world, &(kith_hierarchy_desc){ .name = "tree", .id = TREE }), TREE);
    y.set = kith_reactive_create(world, &react);
    for (uint32_t i = 0; i < ROWS; i++) {
        kith_entity entity = kith_entity_create(world);
        at_set(world, entity, (place){ (float)i, 0 });
        moving_set(world, entity, (speed){ 1, 2 });
        life_set(world, entity, (int32_t)i);
    }
    global_set(world, 1);
    y.entity   = movers_first(world);
    y.queue    = kith_queue_of(world, &queue);
    y.path     = kith_path_of(world, &path);
    y.query    = movers_query(world);
    y.group    = kith_group_of(world, tickers_desc());
    y.frames   = kith_frames_create(world, &(kith_frames_desc){ .capacity = 2 });
    y.commands = kith_commands_create(world, NULL);
    y.system   = kith_system_create(world, &system);
    y.object   = kith_object_of(world, &object_ops, "early");
    y.listener = kith_listener_connect(world, &hears);
    y.merge    = kith_merge_create(world);
    assert_true(kith_queue_enqueue(y.queue, &(int){ 1 }));
    assert_true(kith_hierarchy_append(world, TREE, y.entity, kith_entity_create(world)));
    assert_true(kith_frames_save(y.frames) != 0 && kith_frames_save(y.frames) != 0);
    assert_int_equal(kith_world_save_memory(world, NULL, &y.saved).code, KITH_OK);
    y.recording = kith_recording_create(world, "part_calls.tmp", NULL);
    assert_non_null(y.recording);
    assert_true(y.set && y.path && y.group && y.commands && y.system && y.object && y.merge);
    return y;
}

static void assert_all_refused(const yard *y, uint32_t tried)
{
    if (y->done != NULL) {
        fail_msg("not refused: %s", y->done);
    }
    assert_int_equal(y->tried, tried);
}

static void read_in_part(const kith_part *part)
{
    yard             *y     = part->turn->context;
    const kith_world *world = y->world;
    bool              good  = at_get(world, y->entity)->x == 0 && moving_has(world, y->entity);
    uint32_t          count = 0;
    readers           r     = readers_begin_read(world);
    while (readers_next(&r)) {
        count++;
    }
    good = good && count == ROWS && readers_count(world) == ROWS && *global_get(world) == 1 &&
           kith_entity_alive(world, y->entity) && !lit_has(world, y->entity);
    if (!good) {
        y->done = "a read";
    }
}

static void parts_may_not_change_the_world(void **state)
{
    test_memory   memory  = { 0 };
    kith_world   *world   = test_world(&memory);
    kith_workers *workers = kith_workers_create(&(kith_workers_desc){ .count = 3, .eager = true });
    uint64_t      before, after;
    (void)state;
    assert_true(kith_world_use_workers(world, workers));
    yard        y      = make_yard(world, workers);
    yard        all[4] = { y, y, y, y };
    kith_query *query  = livers_query(world);
    assert_true(kith_world_hash_exact(world, &before));
    uint32_t errors = memory.errors;
    met             = 0;
    assert_true(kith_query_parallel(query, &(kith_parallel_desc){ try_forbidden, all, 0, NULL }));
    assert_int_equal(memory.errors, errors + 3 * 8); // of a chunk the first eight are reported
    assert_int_equal(all[0].worker + all[1].worker + all[2].worker, 3);
    assert_int_equal(all[0].worker * all[1].worker * all[2].worker, 0);
    assert_true(kith_query_parallel(query, &(kith_parallel_desc){ try_beside, &all[3], 0, NULL }));
    for (uint32_t i = 0; i < 4; i++) {
        assert_all_refused(&all[i], all[0].tried);
    }
    assert_true(kith_world_hash_exact(world, &after));
    assert_int_equal(before, after);
    assert_true(kith_query_parallel(query, &(kith_parallel_desc){ read_in_part, &y, 0, NULL }));
    assert_all_refused(&y, 0);
    assert_true(kith_recording_destroy(y.recording) && remove("part_calls.tmp") == 0);
    assert_true(kith_frames_destroy(y.frames));
    kith_bytes_free(&y.saved);
    test_world_end(world, &memory);
    assert_true(kith_workers_destroy(workers));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(parts_may_not_change_the_world) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
