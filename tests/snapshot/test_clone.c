// SPDX-License-Identifier: MIT
// Clones of worlds: equal in all that can be seen, and in all that comes later.
#include "component_test.h"
#include "kith/hierarchy.h"

enum { STONE = HIDDEN + 1, TALE, NAIL, BOX, SEASON, CLOCK, TREE, FILLER = 100, FAR = 300, FAR_BIT };

#define FILLERS  64u
#define DWELLERS 40u

// --- a world with something of everything ----------------------------------------------------

// Hooks that count the values they made; what they copy looks like its source.
typedef struct map {
    uint32_t living;
    uint32_t copies;
    uint32_t fail_at; // the copy with this number is refused; 0: none
    void (*intrude)(void *intruder);
    void *intruder;
} map;

static bool begin_box(void *value, void *context)
{
    memset(value, 0x11, 8);
    ((map *)context)->living++;
    return true;
}

static bool copy_box(void *value, const void *source, void *context)
{
    map *book = context;
    book->copies++;
    if (book->intrude != NULL) {
        book->intrude(book->intruder);
    }
    if (book->copies == book->fail_at) {
        return false;
    }
    memcpy(value, source, 8);
    book->living++;
    return true;
}

static void end_box(void *value, void *context)
{
    memset(value, 0xdd, 8);
    ((map *)context)->living--;
}

static kith_hooks box_hooks(map *book)
{
    return (kith_hooks){
        .construct = begin_box, .copy = copy_box, .destruct = end_box, .context = book
    };
}

typedef struct scene {
    test_memory memory;
    test_memory clone_memory;
    map         boxes;
    kith_world *world;
    kith_entity dwellers[DWELLERS];
} scene;

static const kith_term pair_terms[] = { { POSITION, KITH_ROLE_OWN, 0 },
                                        { VELOCITY, KITH_ROLE_OWN, 0 } };
static const kith_term trio_terms[] = { { POSITION, KITH_ROLE_OWN, 0 },
                                        { VELOCITY, KITH_ROLE_OWN, 0 },
                                        { HEALTH, KITH_ROLE_WITH, 0 } };
static const kith_term list_terms[] = { { STONE, KITH_ROLE_READ, 0 },
                                        { FROZEN, KITH_ROLE_WITHOUT, 0 } };

static const kith_query_desc groups[] = { { "pair", pair_terms, 2, 0 },
                                          { "trio", trio_terms, 3, 0 },
                                          { "list", list_terms, 2, 0 } };

static const kith_component  path_ids[] = { HEALTH, TALE };
static const kith_path_desc  path_desc  = { "path", path_ids, 2 };
static const kith_queue_desc ping_desc  = { "ping", 8, 8, 7, KITH_AS(plain(8)) };

static void register_pools(scene *s)
{
    const kith_component_desc descs[] = {
        { .name      = "stone",
          .id        = STONE,
          .size      = 8,
          .alignment = 8,
          .traits    = { .policy    = KITH_POLICY_STABLE,
                         .page_rows = 4,
                         .row_ticks = true,
                         .journal   = 3 } },
        { .name      = "tale",
          .id        = TALE,
          .size      = 4,
          .alignment = 4,
          .traits    = { .page_rows = 4, .row_ticks = true, .journal = 50 } },
        { .name   = "nail",
          .id     = NAIL,
          .kind   = KITH_KIND_TAG,
          .traits = { .policy         = KITH_POLICY_STABLE,
                      .required       = &(kith_component){ FROZEN },
                      .required_count = 1 } },
        { .name   = "box",
          .id     = BOX,
          .size   = 8,
          .traits = { .page_rows = 2, .hooks = box_hooks(&s->boxes) } },
        { .name   = "season",
          .id     = SEASON,
          .kind   = KITH_KIND_SINGLETON,
          .size   = 8,
          .traits = { .hooks = box_hooks(&s->boxes) } },
        { .name = "clock", .id = CLOCK, .kind = KITH_KIND_SINGLETON, .size = 8, .alignment = 8 },
    };
    assert_true(kith_component_register_many(s->world, descs, COUNT_OF(descs)));
}

static void register_fillers(kith_world *world)
{
    char name[16];
    for (uint32_t i = 0; i < FILLERS; i++) {
        snprintf(name, sizeof name, "filler %u", i);
        assert_int_not_equal(test_register_tag(world, name, i % 8 == 0 ? 0 : FILLER + i), 0);
    }
    register_one(world, bytes_desc(FAR, 8, 8));
    register_one(world,
                 (kith_component_desc){ .name = "far bit", .id = FAR_BIT, .kind = KITH_KIND_FLAG });
    assert_int_equal(
        kith_hierarchy_register(
            world, &(kith_hierarchy_desc){ "tree", TREE, KITH_CHILDREN_DESTROY, false }),
        TREE);
}

// Group 1 comes before group 0, inside which it is.
static void make_keepers(kith_world *world)
{
    const kith_term      positioned[] = { { POSITION, KITH_ROLE_WITH, 0 } };
    const kith_condition conditions[] = { { STONE, KITH_ON_ADD | KITH_ON_REMOVE },
                                          { TALE, KITH_ON_CHANGED } };
    kith_reactive_desc   desc         = { .conditions      = conditions,
                                          .condition_count = 2,
                                          .filter          = { "positioned", positioned, 1, 0 } };
    assert_non_null(kith_group_of(world, &groups[1]));
    assert_non_null(kith_group_of(world, &groups[0]));
    assert_non_null(kith_group_of(world, &groups[2]));
    assert_non_null(kith_path_of(world, &path_desc));
    assert_non_null(kith_queue_of(world, &ping_desc));
    assert_non_null(kith_queue_of(world, &(kith_queue_desc){ .name = "pong" }));
    assert_non_null(kith_reactive_create(world, &desc));
    desc.keep_dead = true;
    desc.name      = "keeps the dead";
    desc.filter    = (kith_query_desc){ 0 };
    assert_non_null(kith_reactive_create(world, &desc));
}

// --- the same done to two worlds -------------------------------------------------------------

static const kith_component given[] = { POSITION, VELOCITY,    HEALTH, FROZEN, HIDDEN,
                                        STONE,    TALE,        NAIL,   BOX,    FAR,
                                        FAR_BIT,  FILLER + 63, TREE };

// One step, as a number says; the answer as a number.
static uint64_t do_something(kith_world *world, const kith_entity *dwellers, uint64_t chance)
{
    kith_entity    entity    = dwellers[chance / 64 % DWELLERS];
    kith_component component = given[chance / 4096 % COUNT_OF(given)];
    uint8_t        value[32];
    fill_bytes(value, sizeof value, (uint32_t)(chance >> 32));
    switch (chance % 64) {
    case 0:
        return kith_entity_create(world);
    case 1:
        return kith_entity_destroy(world, entity);
    case 2:
        return kith_world_advance(world);
    case 3:
        return kith_queue_enqueue(kith_queue_find(world, "ping"), value);
    case 4:
        return kith_queue_update_all(world);
    case 5:
        return kith_reactive_update(kith_reactive_at(world, chance / 64 % 2));
    case 6:
        return kith_path_arrange_all(world, 3);
    case 7:
        return kith_hierarchy_append(world, TREE, entity, dwellers[chance / 1024 % DWELLERS]);
    case 8:
        return kith_component_limit_set(world, FAR, (uint32_t)(chance >> 32) % 40);
    case 9:
        kith_reactive_remove(kith_reactive_at(world, 1), entity);
        return kith_singleton_set(world, SEASON, value) != NULL;
    default:
        break;
    }
    if (chance % 4 == 0) {
        return kith_component_remove(world, entity, component);
    }
    if (chance % 16 == 1 && component != HIDDEN && component != FAR_BIT) {
        return kith_component_enable(world, entity, component, false);
    }
    if (component == TREE) {
        return kith_component_add(world, entity, component, NULL) != NULL;
    }
    return kith_component_set(world, entity, component, value) != NULL;
}

static void live_on(kith_world *world, kith_world *twin, kith_entity *dwellers, uint64_t *seed,
                    uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        uint64_t chance = test_random(seed);
        uint64_t answer = do_something(world, dwellers, chance);
        if (twin != NULL) {
            assert_true(do_something(twin, dwellers, chance) == answer);
        }
        if (chance % 64 == 0 && answer != KITH_NULL) {
            dwellers[chance / 64 % DWELLERS] = answer;
        }
    }
}

// What chance may have left out: holes, free indices, and an event that waits.
static void leave_holes(kith_world *world)
{
    kith_entity gone[3];
    create_entities(world, gone, 3);
    for (uint32_t i = 0; i < 3; i++) {
        kith_entity_destroy(world, gone[(i + 1) % 3]);
    }
    for (uint32_t row = 1; row < 4; row += 2) {
        kith_entity entity = kith_component_entity(world, STONE, row);
        kith_component_remove(world, entity, STONE);
    }
    kith_queue_enqueue(kith_queue_find(world, "ping"), &(uint64_t){ 9 });
}

static scene *open_scene(kith_world_desc desc, uint32_t steps)
{
    scene   *s    = calloc(1, sizeof *s);
    uint64_t seed = 5;
    s->world      = test_world_with(&s->memory, desc);
    assert_non_null(s->world);
    assert_true(game_register(s->world));
    register_pools(s);
    register_fillers(s->world);
    make_keepers(s->world);
    for (uint32_t i = 0; i < DWELLERS / 2; i++) {
        s->dwellers[i] = kith_entity_create(s->world);
    }
    kith_singleton_set(s->world, CLOCK, &(uint64_t){ 7 });
    live_on(s->world, NULL, s->dwellers, &seed, steps);
    leave_holes(s->world);
    kith_world_error_clear(s->world); // of calls on dead entities
    s->memory.errors = 0;
    return s;
}

static void close_scene(scene *s)
{
    test_world_end(s->world, &s->memory);
    assert_int_equal(s->boxes.living, 0);
    free(s);
}

static void end_clone(scene *s, kith_world *clone)
{
    test_world_end(clone, &s->clone_memory);
}

static kith_world_desc clone_desc(scene *s)
{
    return (kith_world_desc){ .allocator = test_allocator(&s->clone_memory),
                              .on_error  = kith_error_ignore };
}

static kith_world *clone_scene(scene *s)
{
    kith_world_desc desc  = clone_desc(s);
    kith_world     *clone = kith_world_clone(s->world, &desc);
    assert_non_null(clone);
    return clone;
}

// --- what dump_world does not show -----------------------------------------------------------

static void dump_walk(text *out, kith_world *world, const kith_query_desc *desc)
{
    kith_cursor cursor = kith_view_begin(world, desc);
    text_add(out, "walk %s:", desc->name);
    while (kith_cursor_next(&cursor)) {
        text_add(out, " %llx", (unsigned long long)cursor.entity);
    }
    text_add(out, "\n");
}

static void dump_removals(text *out, const kith_world *world, kith_component component,
                          uint64_t since)
{
    kith_removals walk = kith_removals_begin(world, component, since);
    kith_removal  removal;
    text_add(out, "journal%s", walk.lost ? " lost" : "");
    while (kith_removals_next(world, &walk, &removal)) {
        text_add(out, " %llx@%llu", (unsigned long long)removal.entity,
                 (unsigned long long)removal.tick);
    }
    text_add(out, "\n");
}

static void dump_ticks(text *out, const kith_world *world, kith_component component)
{
    for (uint32_t row = 0; row < kith_component_stats(world, component).rows; row++) {
        kith_entity entity = kith_component_entity(world, component, row);
        text_add(out, "%llu/%llu ",
                 (unsigned long long)kith_component_changed_at(world, entity, component),
                 (unsigned long long)kith_component_added_at(world, entity, component));
    }
}

static void dump_sets(text *out, const kith_world *world)
{
    for (uint32_t i = 0; kith_reactive_at(world, i) != NULL; i++) {
        const kith_reactive *set   = kith_reactive_at(world, i);
        uint64_t             place = 0;
        kith_entity          member;
        text_add(out, "set %u:", i);
        while ((member = kith_reactive_next(set, &place)) != KITH_NULL) {
            text_add(out, " %llx#%llu", (unsigned long long)member, (unsigned long long)place);
        }
    }
}

// Errors are left out: questions about holes are some.
static text dump_rest(kith_world *world)
{
    text out = { 0 };
    text_add(&out, "now %llu limit %u ping %u\n", (unsigned long long)kith_world_now(world),
             kith_world_stats(world).limit, kith_queue_count(kith_queue_find(world, "ping")));
    for (uint32_t i = 0; i < COUNT_OF(groups); i++) {
        dump_walk(&out, world, &groups[i]);
    }
    for (uint64_t since = 0; since <= kith_world_now(world); since++) {
        dump_removals(&out, world, STONE, since);
        dump_removals(&out, world, TALE, since);
    }
    dump_ticks(&out, world, STONE);
    dump_ticks(&out, world, TALE);
    dump_sets(&out, world);
    return out;
}

static void assert_alike(kith_world *world, kith_world *clone)
{
    text rest  = dump_rest(world);
    text again = dump_rest(clone);
    assert_same_worlds(clone, world);
    assert_same_text(again.bytes, rest.bytes);
    text_free(&rest);
    text_free(&again);
    assert_true(kith_hierarchy_validate(clone, TREE, NULL));
}

// --- equal now and later ---------------------------------------------------------------------

static const kith_world_desc layouts[] = {
    { .free_order = KITH_FREE_LIFO },
    { .free_order = KITH_FREE_FIFO, .max_entities = 500, .first_index = 3 },
    { .free_order = KITH_FREE_LOWEST },
    { .index_bits = 7, .version_bits = 2 },
    { .first_index = 1020, .version_bits = 3, .free_order = KITH_FREE_LOWEST },
};

static void a_clone_is_equal_and_stays_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(layouts); i++) {
        uint64_t    seed  = 11;
        scene      *s     = open_scene(layouts[i], test_thinned(1000));
        kith_world *clone = clone_scene(s);

        assert_alike(s->world, clone);
        for (uint32_t round = 0; round < 8; round++) {
            live_on(s->world, clone, s->dwellers, &seed, test_thinned(400) / 8);
            assert_alike(s->world, clone);
            assert_world_valid(clone);
        }

        end_clone(s, clone);
        close_scene(s);
    }
}

static void the_scene_has_something_of_everything(void **state)
{
    (void)state;
    scene      *s     = open_scene(layouts[0], 1000);
    kith_world *world = s->world;
    text        rest  = dump_rest(world);
    text        most  = dump_world(world);

    for (uint32_t i = 0; i < COUNT_OF(groups); i++) {
        kith_group *group = kith_group_of(world, &groups[i]);
        assert_in_range(kith_group_count(group), 1, DWELLERS);
    }
    assert_true(kith_component_count(world, STONE) < kith_component_stats(world, STONE).rows);
    assert_non_null(strstr(rest.bytes, "journal lost"));
    assert_non_null(strstr(most.bytes, " disabled"));
    assert_true(kith_reactive_count(kith_reactive_at(world, 0)) != 0);
    assert_true(kith_reactive_count(kith_reactive_at(world, 1)) != 0);
    assert_null(kith_reactive_at(world, 2));
    assert_true(kith_world_stats(world).free != 0);
    assert_true(kith_queue_count(kith_queue_find(world, "ping")) != 0);
    assert_true(kith_component_count(world, FAR) != 0 && kith_component_count(world, BOX) != 0);

    text_free(&rest);
    text_free(&most);
    close_scene(s);
}

static void the_old_world_stays_as_it_was(void **state)
{
    (void)state;
    uint64_t    seed   = 3;
    scene      *s      = open_scene(layouts[0], 600);
    text        before = dump_world(s->world);
    kith_world *clone  = clone_scene(s);
    kith_entity others[DWELLERS];
    memcpy(others, s->dwellers, sizeof others);

    live_on(clone, NULL, others, &seed, 500);
    kith_world_clear(clone);
    end_clone(s, clone);

    assert_unchanged(s->world, before);
    assert_int_equal(s->memory.errors, 0);
    close_scene(s);
}

static void an_empty_world_has_a_clone(void **state)
{
    test_fixture *f     = *state;
    kith_world   *bare  = kith_world_create(NULL);
    kith_world   *clone = kith_world_clone(bare, NULL);
    kith_world   *other = kith_world_clone(f->world, NULL);

    assert_int_equal(kith_entity_create(clone), handle(0, 1));
    assert_int_equal(position_count(other), 0);
    assert_non_null(position_set(other, kith_entity_create(other), (vec2){ 1, 2 }));

    assert_world_valid(clone);
    kith_world_destroy(clone);
    kith_world_destroy(bare);
    assert_world_valid(other);
    kith_world_destroy(other);
}

static void a_clone_of_a_clone_is_equal_too(void **state)
{
    (void)state;
    scene      *s     = open_scene(layouts[2], 700);
    kith_world *clone = clone_scene(s);
    kith_world *third = kith_world_clone(clone, NULL);

    assert_alike(s->world, third);

    assert_world_valid(third);
    kith_world_destroy(third);
    end_clone(s, clone);
    close_scene(s);
}

// --- what is not there -----------------------------------------------------------------------

static void count_call(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    ++*(uint32_t *)context;
}

static void count_event(kith_world *world, const void *event, void *context)
{
    (void)world;
    (void)event;
    ++*(uint32_t *)context;
}

static void listeners_and_handlers_are_not_notified_of_the_clone(void **state)
{
    (void)state;
    uint32_t                 reported = 0;
    scene                   *s        = open_scene(layouts[0], 100);
    const kith_listener_desc adds     = { KITH_EVENT_ADD, BOX, count_call, &reported, 0, NULL };
    const kith_listener_desc births   = { KITH_EVENT_CREATE, 0, count_call, &reported, 0, NULL };
    const kith_handler_desc  pings    = { count_event, &reported, 0, NULL };
    kith_queue              *ping     = kith_queue_find(s->world, "ping");
    kith_listener_connect(s->world, &adds);
    kith_listener_connect(s->world, &births);
    kith_queue_connect(ping, &pings);
    kith_queue_clear(ping);
    kith_queue_enqueue(ping, &(uint64_t){ 5 });
    kith_world *clone = clone_scene(s);

    assert_world_valid(clone);
    kith_component_add(clone, kith_entity_create(clone), BOX, NULL);
    assert_int_equal(kith_queue_update_all(clone), 1);

    assert_int_equal(reported, 0);
    assert_true(kith_listener_connect(clone, &adds) != kith_listener_connect(s->world, &adds));
    end_clone(s, clone);
    close_scene(s);
}

static void a_number_of_the_old_world_disconnects_no_listener(void **state)
{
    test_fixture        *f         = *state;
    uint32_t             reported  = 0;
    const kith_condition condition = { POSITION, KITH_ON_ADD };
    kith_reactive_desc   desc      = { .conditions = &condition, .condition_count = 1 };
    kith_listener        listener  = position_on_add(f->world, count_call, &reported);
    kith_hierarchy_register(f->world, &(kith_hierarchy_desc){ .name = "tree", .id = TREE });
    kith_reactive_create(f->world, &desc);
    kith_world *clone = kith_world_clone(f->world, NULL);

    assert_refused(&f->memory, clone, KITH_ERROR_ARGUMENT,
                   kith_listener_disconnect(clone, listener));

    position_add(clone, kith_entity_create(clone));
    assert_int_equal(kith_reactive_count(kith_reactive_at(clone, 0)), 1);
    assert_world_valid(clone);
    kith_world_destroy(clone);
}

static void later_handles_are_the_same_too(void **state)
{
    test_fixture *f = *state;
    kith_commands_destroy(kith_commands_create(f->world, NULL));
    kith_world    *clone = kith_world_clone(f->world, NULL);
    kith_commands *here  = kith_commands_create(f->world, NULL);
    kith_commands *there = kith_commands_create(clone, NULL);

    assert_true(kith_entity_create_later(there) == kith_entity_create_later(here));

    kith_commands_destroy(here);
    kith_commands_destroy(there);
    kith_world_destroy(clone);
}

static void groups_and_paths_of_the_clone_are_found_by_making_them(void **state)
{
    (void)state;
    scene      *s      = open_scene(layouts[0], 500);
    kith_group *before = kith_group_of(s->world, &groups[2]);
    kith_world *clone  = clone_scene(s);
    kith_group *group  = kith_group_of(clone, &groups[2]);
    kith_path  *path   = kith_path_of(clone, &path_desc);

    assert_ptr_not_equal(group, before);
    assert_int_equal(kith_group_count(group), kith_group_count(before));
    assert_ptr_not_equal(path, kith_path_of(s->world, &path_desc));
    assert_ptr_equal(kith_group_of(clone, &groups[2]), group);
    size_t with = kith_world_memory(clone, KITH_ALL).total;
    assert_true(kith_group_drop(group));
    assert_int_equal(kith_group_count(group), 0);
    assert_true(kith_world_memory(clone, KITH_ALL).total < with); // its list is gone
    assert_true(kith_path_drop(path));
    assert_true(kith_group_count(before) != 0);

    end_clone(s, clone);
    close_scene(s);
}

static void dropped_groups_and_paths_are_not_cloned(void **state)
{
    (void)state;
    scene      *s     = open_scene(layouts[0], 500);
    kith_group *group = kith_group_of(s->world, &groups[2]);
    uint32_t    count = kith_group_count(group);
    assert_true(kith_group_drop(group));
    assert_true(kith_path_drop(kith_path_of(s->world, &path_desc)));
    kith_world *clone = clone_scene(s);

    assert_true(kith_world_memory(clone, KITH_ALL).other <
                kith_world_memory(s->world, KITH_ALL).other);
    assert_int_equal(kith_path_arrange_all(clone, UINT32_MAX), 0);
    assert_int_equal(kith_group_count(kith_group_of(clone, &groups[2])), count);

    end_clone(s, clone);
    close_scene(s);
}

static void paths_in_order_stay_in_order_in_the_clone(void **state)
{
    (void)state;
    scene *s = open_scene(layouts[0], 500);
    kith_path_arrange_all(s->world, UINT32_MAX);
    kith_world *clone = clone_scene(s);
    char        is[256];
    char        should[256];

    kith_path_explain(kith_path_of(clone, &path_desc), is, sizeof is);
    kith_path_explain(kith_path_of(s->world, &path_desc), should, sizeof should);

    assert_non_null(strstr(should, "is in order"));
    assert_string_equal(is, should);
    end_clone(s, clone);
    close_scene(s);
}

// --- values ----------------------------------------------------------------------------------

static void values_with_hooks_are_copied_one_by_one(void **state)
{
    (void)state;
    scene   *s = open_scene(layouts[0], 600);
    uint32_t boxes =
        kith_component_count(s->world, BOX) + (kith_singleton_get(s->world, SEASON) != NULL);
    s->boxes.copies   = 0;
    uint32_t    live  = s->boxes.living;
    kith_world *clone = clone_scene(s);

    assert_int_equal(s->boxes.copies, boxes);
    assert_int_equal(s->boxes.living, 2 * live);
    assert_ptr_not_equal(kith_singleton_get(clone, SEASON), kith_singleton_get(s->world, SEASON));

    end_clone(s, clone);
    assert_int_equal(s->boxes.living, live);
    close_scene(s);
}

// What was reported last to the hook of the old world.
typedef struct error_record {
    kith_error        error;
    const kith_world *world;
    char              text[256];
    uint32_t          count;
} error_record;

static void record_error(const kith_world *world, const kith_error *error, void *context)
{
    error_record *h = context;
    h->error        = *error;
    h->world        = world;
    h->count++;
    kith_error_text(world, error, h->text, sizeof h->text);
}

static void a_copy_hook_that_says_no_ends_the_clone(void **state)
{
    (void)state;
    scene   *s      = open_scene(layouts[0], 600);
    uint32_t living = s->boxes.living;
    uint32_t boxes  = kith_component_count(s->world, BOX);
    assert_true(kith_singleton_get(s->world, SEASON) != NULL && boxes > 2);
    for (uint32_t fail_at = 1; fail_at <= boxes + 1; fail_at++) {
        kith_world_desc desc   = clone_desc(s);
        uint32_t        errors = s->memory.errors;
        s->boxes.copies        = 0;
        s->boxes.fail_at       = fail_at;

        assert_null(kith_world_clone(s->world, &desc));

        assert_int_equal(s->memory.errors, errors + 1);
        assert_int_equal(s->boxes.living, living);
        assert_int_equal(s->clone_memory.live_bytes, 0);
    }
    s->boxes.fail_at = 0;
    assert_error(s->world, KITH_OK); // reported, not recorded
    close_scene(s);
}

static kith_world *reported_world(error_record *h)
{
    kith_world_desc desc  = { .on_error = record_error, .error_context = h };
    kith_world     *world = kith_world_create(&desc);
    assert_true(game_register(world));
    return world;
}

static void the_error_names_component_and_entity(void **state)
{
    (void)state;
    error_record        h     = { .count = 0 };
    map                 book  = { .fail_at = 2 };
    kith_world         *world = reported_world(&h);
    kith_component_desc desc  = bytes_desc(BOX, 8, 1);
    desc.name                 = "box";
    desc.traits.hooks         = box_hooks(&book);
    register_one(world, desc);
    kith_entity entities[2];
    create_entities(world, entities, 2);
    kith_component_add(world, entities[0], BOX, NULL);
    kith_component_add(world, entities[1], BOX, NULL);

    assert_null(kith_world_clone(world, NULL));

    assert_int_equal(h.error.code, KITH_ERROR_HOOK);
    assert_int_equal(h.error.component, BOX);
    assert_int_equal(h.error.entity, entities[1]);
    assert_ptr_equal(h.world, world);
    assert_string_equal(h.text, "kith_world_clone: the copy hook of \"box\" returned false");
    kith_world_destroy(world);
    assert_int_equal(book.living, 0);
}

static void values_that_own_and_cannot_be_copied_are_refused_by_name(void **state)
{
    (void)state;
    error_record        h     = { .count = 0 };
    map                 book  = { 0 };
    kith_world         *world = reported_world(&h);
    kith_component_desc desc  = bytes_desc(BOX, 8, 1);
    desc.name                 = "box";
    desc.traits.hooks         = (kith_hooks){ .destruct = end_box, .context = &book };
    register_one(world, desc);
    kith_world *empty  = kith_world_clone(world, NULL);
    kith_entity entity = kith_entity_create(world);
    kith_component_add(world, entity, BOX, NULL);

    assert_non_null(empty);
    assert_null(kith_world_clone(world, NULL));

    assert_int_equal(h.count, 1);
    assert_int_equal(h.error.code, KITH_ERROR_ARGUMENT);
    assert_string_equal(h.text,
                        "kith_world_clone: \"box\": values with a destruct hook need a copy hook");
    kith_world_destroy(empty);
    kith_world_destroy(world);
}

static void a_hierarchy_keeps_its_links_and_its_keeper(void **state)
{
    test_fixture *f = *state;
    kith_entity   family[3];
    kith_hierarchy_register(f->world,
                            &(kith_hierarchy_desc){ "tree", TREE, KITH_CHILDREN_DESTROY, false });
    create_entities(f->world, family, 3);
    kith_hierarchy_append(f->world, TREE, family[0], family[1]);
    kith_hierarchy_append(f->world, TREE, family[1], family[2]);
    kith_world *clone = kith_world_clone(f->world, NULL);

    assert_int_equal(kith_hierarchy_root(clone, TREE, family[2]), family[0]);
    assert_true(kith_entity_destroy(clone, family[1]));

    assert_false(kith_entity_alive(clone, family[2]));
    assert_true(kith_entity_alive(f->world, family[2]));
    assert_true(kith_hierarchy_validate(clone, TREE, NULL));
    assert_world_valid(clone);
    kith_world_destroy(clone);
}

// --- when it is refused ----------------------------------------------------------------------

static void clone_in_vain(void *intruder)
{
    kith_world *world = *(kith_world **)intruder;
    assert_null(kith_world_clone(world, NULL));
}

static void clone_in_listener(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    (void)context;
    assert_null(kith_world_clone(world, NULL));
}

static void clone_in_handler(kith_world *world, const void *event, void *context)
{
    (void)event;
    (void)context;
    assert_null(kith_world_clone(world, NULL));
}

static void refused_while_something_is_under_way(void **state)
{
    (void)state;
    error_record h     = { .count = 0 };
    kith_world  *world = reported_world(&h);
    kith_queue  *queue = kith_queue_of(world, &ping_desc);

    kith_world_hold(world);
    assert_null(kith_world_clone(world, NULL));
    assert_string_equal(h.text, "kith_world_clone: a loop is open: \"kith_world_hold\" (call "
                                "kith_world_release)");
    kith_world_release(world);

    position_on_add(world, clone_in_listener, NULL);
    position_add(world, kith_entity_create(world));
    assert_string_equal(h.text, "kith_world_clone: not while a listener is running");

    kith_queue_connect(queue, &(kith_handler_desc){ .call = clone_in_handler });
    kith_queue_trigger(queue, &(uint64_t){ 1 });

    assert_int_equal(h.count, 3);
    assert_int_equal(h.error.code, KITH_ERROR_BUSY);
    kith_world_destroy(world);
}

static void a_hook_cannot_clone_a_world(void **state)
{
    (void)state;
    error_record        h     = { .count = 0 };
    kith_world         *world = reported_world(&h);
    map                 book  = { .intrude = clone_in_vain, .intruder = &world };
    kith_component_desc desc  = bytes_desc(BOX, 8, 1);
    desc.traits.hooks         = box_hooks(&book);
    register_one(world, desc);

    kith_component_set(world, kith_entity_create(world), BOX, &(uint64_t){ 1 });

    assert_int_equal(h.count, 1);
    assert_string_equal(h.text, "kith_world_clone: not while a hook is running");
    kith_world_destroy(world);
}

// --- the description -------------------------------------------------------------------------

static void the_description_says_whose_the_clone_is(void **state)
{
    (void)state;
    error_record    h    = { .count = 0 };
    scene          *s    = open_scene(layouts[3], 100);
    kith_world_desc desc = clone_desc(s);
    desc.user            = &h;
    desc.name            = "ghost";
    desc.on_error        = record_error;
    desc.error_context   = &h;
    desc.index_bits      = 3; // of no account
    desc.max_entities    = 4;
    desc.first_index     = 2;
    kith_world *clone    = kith_world_clone(s->world, &desc);
    size_t      took     = s->clone_memory.live_bytes;
    uint32_t    blocks   = s->memory.allocations;
    kith_world *same     = NULL;

    assert_ptr_equal(kith_world_user(clone), &h);
    assert_ptr_equal(kith_world_name(clone), desc.name);
    assert_int_equal(kith_world_stats(clone).limit, 128);
    assert_true(took == kith_world_memory(clone, KITH_ALL).total);
    assert_int_equal(s->memory.allocations, blocks);
    assert_null(kith_component_add(clone, KITH_NULL, POSITION, NULL));
    assert_int_equal(h.count, 1);
    kith_world_user_set(s->world, &took);
    same = kith_world_clone(s->world, NULL);
    assert_ptr_equal(kith_world_user(same), &took);
    assert_true(s->memory.allocations > blocks);
    assert_null(kith_component_add(same, KITH_NULL, POSITION, NULL));
    assert_int_equal(s->memory.errors, 1);

    kith_world_destroy(same);
    end_clone(s, clone);
    close_scene(s);
}

static void an_invalid_description_is_an_error_of_the_old_world(void **state)
{
    (void)state;
    error_record          h       = { .count = 0 };
    kith_world           *world   = reported_world(&h);
    const kith_world_desc halves  = { .allocator.allocate = test_allocator(NULL).allocate };
    const kith_world_desc crumbs  = { .memory = 64 };
    const kith_world_desc mirages = { .memory = 1u << 16 };

    assert_null(kith_world_clone(world, &halves));
    assert_string_equal(h.text, "kith_world_clone: an allocator needs both allocate and release");
    assert_null(kith_world_clone(world, &crumbs));
    assert_int_equal(h.error.code, KITH_ERROR_ARGUMENT);
    test_create_many(world, 20000);
    assert_null(kith_world_clone(world, &mirages));
    assert_int_equal(h.error.code, KITH_ERROR_MEMORY);
    assert_int_equal(h.error.have, 1u << 16);
    assert_true(h.error.want > 1000);

    assert_ptr_equal(h.world, world);
    kith_world_destroy(world);
}

// --- memory ----------------------------------------------------------------------------------

static void a_clone_may_live_in_one_block(void **state)
{
    (void)state;
    uint64_t        seed = 8;
    scene          *s    = open_scene(layouts[0], 600);
    kith_world_desc desc = clone_desc(s);
    desc.memory          = 1u << 20;
    kith_world *clone    = kith_world_clone(s->world, &desc);
    kith_world *again    = kith_world_clone(clone, NULL);

    assert_int_equal(s->clone_memory.live_blocks, 2);
    assert_int_equal(kith_world_memory(again, KITH_ALL).size, 1u << 20);
    live_on(s->world, again, s->dwellers, &seed, 200);
    assert_alike(s->world, again);

    assert_world_valid(again);
    kith_world_destroy(again);
    end_clone(s, clone);
    close_scene(s);
}

// Fails each allocation in turn and returns how many there are.
static uint32_t fail_each_allocation(scene *s, size_t memory)
{
    for (uint32_t fail_at = 1;; fail_at++) {
        uint32_t        living = s->boxes.living;
        kith_world_desc desc   = clone_desc(s);
        uint32_t        errors = s->memory.errors;
        desc.memory            = memory;
        test_fail_after(&s->clone_memory, fail_at);
        kith_world *clone = kith_world_clone(s->world, &desc);
        if (clone != NULL) {
            test_fail_after(&s->clone_memory, 0);
            assert_alike(s->world, clone);
            end_clone(s, clone);
            return fail_at - 1;
        }
        assert_int_equal(s->memory.errors, errors + 1);
        assert_int_equal(s->clone_memory.live_bytes, 0);
        assert_int_equal(s->boxes.living, living);
    }
}

static void every_failed_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        scene *s      = open_scene(layouts[i], 600);
        text   before = dump_world(s->world);

        assert_true(fail_each_allocation(s, 0) > 150);
        assert_int_equal(fail_each_allocation(s, 1u << 20), 1);

        assert_unchanged(s->world, before);
        close_scene(s);
    }
}

static void room_that_was_made_is_there_in_the_clone(void **state)
{
    test_fixture *f      = *state;
    test_memory   memory = { 0 };
    assert_true(position_reserve(f->world, 5000));
    assert_true(kith_entity_reserve(f->world, 5000));
    position_set(f->world, kith_entity_create(f->world), (vec2){ 1, 2 });
    kith_world_desc desc  = { .allocator = test_allocator(&memory) };
    kith_world     *clone = kith_world_clone(f->world, &desc);

    assert_int_equal(kith_component_stats(clone, POSITION).capacity,
                     kith_component_stats(f->world, POSITION).capacity);
    assert_int_equal(kith_world_stats(clone).capacity, kith_world_stats(f->world).capacity);

    test_world_end(clone, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clone_is_equal_and_stays_so),
        cmocka_unit_test(the_scene_has_something_of_everything),
        cmocka_unit_test(the_old_world_stays_as_it_was),
        TEST_WORLD(an_empty_world_has_a_clone),
        cmocka_unit_test(a_clone_of_a_clone_is_equal_too),
        cmocka_unit_test(listeners_and_handlers_are_not_notified_of_the_clone),
        TEST_WORLD(a_number_of_the_old_world_disconnects_no_listener),
        TEST_WORLD(later_handles_are_the_same_too),
        cmocka_unit_test(groups_and_paths_of_the_clone_are_found_by_making_them),
        cmocka_unit_test(dropped_groups_and_paths_are_not_cloned),
        cmocka_unit_test(paths_in_order_stay_in_order_in_the_clone),
        cmocka_unit_test(values_with_hooks_are_copied_one_by_one),
        cmocka_unit_test(a_copy_hook_that_says_no_ends_the_clone),
        cmocka_unit_test(the_error_names_component_and_entity),
        cmocka_unit_test(values_that_own_and_cannot_be_copied_are_refused_by_name),
        TEST_WORLD(a_hierarchy_keeps_its_links_and_its_keeper),
        cmocka_unit_test(refused_while_something_is_under_way),
        cmocka_unit_test(a_hook_cannot_clone_a_world),
        cmocka_unit_test(the_description_says_whose_the_clone_is),
        cmocka_unit_test(an_invalid_description_is_an_error_of_the_old_world),
        cmocka_unit_test(a_clone_may_live_in_one_block),
        cmocka_unit_test(every_failed_allocation_leaves_nothing_behind),
        TEST_WORLD(room_that_was_made_is_there_in_the_clone),
    };
    return cmocka_run_group_tests_name("clone", tests, NULL, NULL);
}
