// SPDX-License-Identifier: MIT
// Frames: a world that goes back is the world that it was, and goes on as it did.
#include "exact_test.h"
#include "frames/frames_test.h"

#include "kith/object.h"

#define FRAMES 40u // that are remembered
#define RING   12u

// What the program knows about a frame.
typedef struct moment {
    uint64_t      seed; // of the actions that lead to it
    uint64_t      hash;
    uint64_t      log;
    uint64_t      at;
    kith_removals walk;
} moment;

typedef struct player {
    town         town;
    kith_frames *frames;
    moment       moments[FRAMES];
    uint64_t     seed;
} player;

static moment moment_of(const player *p, uint64_t seed)
{
    return (moment){ .seed = seed,
                     .hash = exact_hash(p->town.world),
                     .log  = p->town.log,
                     .at   = p->town.at,
                     .walk = p->town.walk };
}

// Plays one frame with this seed and saves it; returns its number.
static uint64_t play(player *p, uint64_t seed)
{
    act_in_town_often(&p->town, seed, 12);
    uint64_t frame = kith_frames_save(p->frames);
    assert_int_not_equal(frame, 0);
    assert_world_valid(p->town.world);
    return frame;
}

static void play_new(player *p)
{
    uint64_t seed = p->seed    = p->seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t frame             = play(p, seed);
    p->moments[frame % FRAMES] = moment_of(p, seed);
}

static void go_back(player *p, uint64_t frame)
{
    const moment *then = &p->moments[frame % FRAMES];
    assert_true(kith_frames_restore(p->frames, frame));
    p->town.log  = then->log;
    p->town.at   = then->at;
    p->town.walk = then->walk;
    assert_world_valid(p->town.world);
    assert_int_equal(exact_hash(p->town.world), then->hash);
}

// Looks at a frame of the past, without going there.
static void look_back(player *p, uint64_t oldest, uint64_t newest)
{
    uint64_t          frame = oldest + test_random_below(&p->seed, (uint32_t)(newest - oldest) + 1);
    const kith_world *then  = kith_frames_world(p->frames, frame);
    assert_non_null(then);
    assert_world_valid(then);
    assert_int_equal(exact_hash(then), p->moments[frame % FRAMES].hash);
}

// Plays the frame after this one again and compares.
static void play_again(player *p, uint64_t frame)
{
    const moment *then = &p->moments[frame % FRAMES];
    assert_int_equal(play(p, then->seed), frame);
    assert_int_equal(p->town.log, then->log);
    assert_int_equal(exact_hash(p->town.world), then->hash);
}

static void run_player(kith_world_desc desc, kith_frames_desc ring, uint64_t seed)
{
    player p = { .seed = seed };
    make_town(&p.town, desc);
    p.frames = kith_frames_create(p.town.world, &ring);
    assert_non_null(p.frames);
    for (uint32_t i = 0; i < 20 + test_thinned(200); i++) {
        uint64_t oldest;
        uint64_t newest;
        play_new(&p);
        assert_true(kith_frames_range(p.frames, &oldest, &newest));
        uint64_t back = oldest + test_random_below(&p.seed, (uint32_t)(newest - oldest) + 1);
        look_back(&p, oldest, newest);
        if (test_random_below(&p.seed, 3) != 0) {
            continue;
        }
        go_back(&p, back);
        uint64_t again = test_random_below(&p.seed, (uint32_t)(newest - back) + 1);
        if (test_random_below(&p.seed, 4) == 0) { // to and fro without playing
            go_back(&p, newest);
            go_back(&p, back);
        }
        for (uint64_t n = 1; n <= again; n++) {
            play_again(&p, back + n);
        }
    }
    assert_true(kith_frames_destroy(p.frames));
    end_town(&p.town);
}

static void a_world_that_went_back_goes_on_as_it_did(void **state)
{
    (void)state;
    for (uint32_t order = 0; order < TEST_FREE_ORDERS; order++) {
        for (uint64_t seed = 1; seed < 6; seed++) {
            run_player((kith_world_desc){ .free_order = test_free_orders[order] },
                       (kith_frames_desc){ .capacity = RING }, seed);
        }
    }
}

static void memory_limits_drop_the_oldest_frames(void **state)
{
    (void)state;
    const size_t bytes[] = { 3u << 20, 5u << 20 };
    for (uint64_t seed = 1; seed < 3; seed++) {
        for (uint32_t fixed = 0; fixed < 2; fixed++) {
            run_player(
                (kith_world_desc){ 0 },
                (kith_frames_desc){ .capacity = RING, .bytes = bytes[fixed], .fixed = fixed },
                seed);
        }
    }
}

// Copies of other sizes are freed before a frame is dropped: a save that fits never fails.
static void a_fixed_ring_saves_a_world_that_grows(void **state)
{
    town                  *t    = *state;
    const kith_frames_desc desc = { .capacity = 64, .bytes = 2u << 20, .fixed = true };
    kith_frames           *ring = kith_frames_create(t->world, &desc);
    for (uint64_t frame = 1; frame <= 200; frame++) {
        scar_set(t->world, kith_entity_create(t->world), 1);
        assert_int_equal(kith_frames_save(ring), frame);
        assert_int_equal(kith_frames_report_of(ring).current, frame);
    }
    assert_true(kith_frames_report_of(ring).frames > 8);
}

static void a_world_with_fixed_memory_has_rings(void **state)
{
    (void)state;
    for (uint32_t fixed = 0; fixed < 2; fixed++) {
        run_player((kith_world_desc){ .memory = 32u << 20 },
                   (kith_frames_desc){
                       .capacity = RING, .bytes = fixed != 0 ? 4u << 20 : 0, .fixed = fixed != 0 },
                   9 + fixed);
    }
}

// --- setup -----------------------------------------------------------------------------------

// A town of a few actions, with a ring that has one frame.
static kith_frames *ring_with_frame(town *t)
{
    kith_frames *frames = kith_frames_create(t->world, &(kith_frames_desc){ .name = "ring" });
    act_in_town_often(t, 7, 50);
    assert_int_equal(kith_frames_save(frames), 1);
    return frames;
}

// Makes a thing of each kind. The function behind it takes the thing away.
static void *make_group(kith_world *world)
{
    static const kith_term term = { .component = SCAR, .role = KITH_ROLE_READ };
    return kith_group_of(world,
                         &(kith_query_desc){ .name = "scarred", .terms = &term, .term_count = 1 });
}

static bool drop_group(void *group)
{
    return kith_group_drop(group);
}

static void *make_path(kith_world *world)
{
    static const kith_component along = GLOW;
    return kith_path_of(world, &(kith_path_desc){ "track", &along, 1 });
}

static bool drop_path(void *path)
{
    return kith_path_drop(path);
}

static void *make_query(kith_world *world)
{
    static const kith_term term = { .component = SCAR, .role = KITH_ROLE_CHANGED };
    return kith_query_create(world,
                             &(kith_query_desc){ .name = "hurt", .terms = &term, .term_count = 1 });
}

static bool destroy_query(void *query)
{
    return kith_query_destroy(query);
}

static void *make_set(kith_world *world)
{
    static const kith_condition any = { PLACE, KITH_ON_ADD };
    return kith_reactive_create(
        world,
        &(kith_reactive_desc){ .name = "arrivals", .conditions = &any, .condition_count = 1 });
}

static void *make_nameless_set(kith_world *world)
{
    static const kith_condition any = { PLACE, KITH_ON_ADD };
    return kith_reactive_create(world,
                                &(kith_reactive_desc){ .conditions = &any, .condition_count = 1 });
}

static bool destroy_set(void *set)
{
    return kith_reactive_destroy(set);
}

static void *make_queue(kith_world *world)
{
    return kith_queue_of(world, &(kith_queue_desc){ .name = "whispers" });
}

static void rest(const kith_turn *turn)
{
    (void)turn;
}

static void *make_system(kith_world *world)
{
    return kith_system_create(world, &(kith_system_desc){ .name = "rest", .run = rest });
}

static bool destroy_system(void *system)
{
    return kith_system_destroy(system);
}

typedef struct chart {
    kith_object object;
    uint32_t    depth;
} chart;

static kith_object *create_chart(kith_world *world, const char *key)
{
    (void)world;
    (void)key;
    return calloc(1, sizeof(chart));
}

static void free_chart(kith_object *object)
{
    free(object);
}

static bool chart_state(kith_object *object, kith_state *state)
{
    return state->item(state, "depth", KITH_TYPE_U32, &((chart *)object)->depth, 1);
}

#define TEN_LETTERS "soundings "

static void *make_object(kith_world *world)
{
    static const kith_object_ops ops = { .kind    = "chart",
                                         .size    = sizeof(chart),
                                         .create  = create_chart,
                                         .destroy = free_chart,
                                         .state   = chart_state };
    return kith_object_of(world, &ops,
                          TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS TEN_LETTERS
                          "north of the bay");
}

static bool destroy_object(void *object)
{
    return kith_object_destroy(object);
}

static void *make_component(kith_world *world)
{
    return test_register_tag(world, "late", 0) == 0 ? NULL : world;
}

static void *change_limit(kith_world *world)
{
    return kith_component_limit_set(world, SCAR, 1000) ? world : NULL;
}

static void *change_entity_limit(kith_world *world)
{
    return kith_entity_limit_set(world, 5000) ? world : NULL;
}

static void *make_plain_query(kith_world *world)
{
    static const kith_term term = { .component = SCAR, .role = KITH_ROLE_READ };
    return kith_query_create(world,
                             &(kith_query_desc){ .name = "calm", .terms = &term, .term_count = 1 });
}

// Restores a frame, which is refused with these words, and changes nothing. NULL: is not refused.
static void restore_says(town *t, kith_frames *frames, uint64_t frame, const char *words)
{
    uint64_t hash = exact_hash(t->world);
    if (words == NULL) {
        assert_true(kith_frames_restore(frames, frame));
        return;
    }
    char text[256];
    snprintf(text, sizeof text, "kith_frames_restore: %s", words);
    assert_refused(&t->memory, t->world, KITH_ERROR_CONFLICT, kith_frames_restore(frames, frame));
    assert_error_text(t->world, text);
    assert_int_equal(exact_hash(t->world), hash);
    assert_world_valid(t->world);
}

// A group that is dropped and taken up again comes behind the others. A frame must not take the
// list of another group for its own because that had its place in the frame before.
static void a_frame_has_the_lists_of_groups_that_changed_places(void **state)
{
    const town           *t       = *state;
    const kith_term       terms[] = { { GLOW, KITH_ROLE_READ, 0 }, { SCAR, KITH_ROLE_READ, 0 } };
    const kith_query_desc glows   = { .name = "glowing", .terms = &terms[0], .term_count = 1 };
    const kith_query_desc scars   = { .name = "scarred", .terms = &terms[1], .term_count = 1 };
    kith_frames          *ring = kith_frames_create(t->world, &(kith_frames_desc){ .capacity = 4 });
    kith_group           *first   = kith_group_of(t->world, &glows);
    kith_group           *second  = kith_group_of(t->world, &scars);
    kith_entity           scarred = kith_entity_create(t->world);
    scar_set(t->world, scarred, 1);
    glow_set(t->world, kith_entity_create(t->world), 1);
    glow_set(t->world, kith_entity_create(t->world), 2);
    assert_int_equal(kith_frames_save(ring), 1);
    assert_true(kith_group_drop(first));
    assert_non_null(kith_group_of(t->world, &glows));
    assert_int_equal(kith_frames_save(ring), 2);
    uint32_t count = kith_group_count(second);
    uint64_t hash  = exact_hash(t->world);
    kith_entity_destroy(t->world, scarred);
    assert_true(kith_frames_restore(ring, 2));
    assert_int_equal(exact_hash(t->world), hash);
    assert_world_valid(t->world);
    assert_int_equal(kith_group_count(second), count);
    assert_world_valid(kith_frames_world(ring, 2));
}

static void a_frame_of_another_setup_is_refused_by_name(void **state)
{
    static const struct {
        void *(*make)(kith_world *world);
        bool (*end)(void *thing); // NULL: there is no such call
        const char *made;
        const char *gone;
    } rows[] = {
        { make_group, drop_group, "a group was created after the frame (\"scarred\")",
          "a group was dropped after the frame (\"scarred\")" },
        { make_set, destroy_set, "a reactive set was created after the frame (\"arrivals\")",
          "a reactive set was destroyed after the frame (\"arrivals\")" },
        { make_nameless_set, destroy_set, "a reactive set was created after the frame",
          "a reactive set was destroyed after the frame" },
        { make_path, drop_path, "a path was created after the frame (\"track\")",
          "a path was dropped after the frame (\"track\")" },
        { make_query, destroy_query, "a query for changes was created after the frame (\"hurt\")",
          "a query for changes was destroyed after the frame (\"hurt\")" },
        { make_plain_query, destroy_query, NULL, NULL }, // has no state
        { make_system, destroy_system, "a system was created after the frame (\"rest\")",
          "a system was destroyed after the frame (\"rest\")" },
        { make_object, destroy_object, // the first 63 bytes of its name
          "an object was created after the frame (\"" TEN_LETTERS TEN_LETTERS TEN_LETTERS
              TEN_LETTERS TEN_LETTERS TEN_LETTERS "nor\")",
          "an object was destroyed after the frame (\"" TEN_LETTERS TEN_LETTERS TEN_LETTERS
              TEN_LETTERS TEN_LETTERS TEN_LETTERS "nor\")" },
        { make_queue, NULL, "a queue was created after the frame (\"whispers\")", NULL },
        { change_limit, NULL, "the limit of a component was changed after the frame (\"scar\")",
          NULL },
        { change_entity_limit, NULL, "the limit of entities was changed after the frame", NULL },
        { make_component, NULL, "a component was registered after the frame (\"late\")", NULL },
    };
    town        *t      = *state;
    kith_frames *frames = ring_with_frame(t);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t before = kith_frames_save(frames);
        void    *thing  = rows[i].make(t->world);
        assert_non_null(thing);
        restore_says(t, frames, before, rows[i].made);
        uint64_t with = kith_frames_save(frames);
        if (rows[i].end != NULL) {
            assert_true(rows[i].end(thing));
            restore_says(t, frames, with, rows[i].gone);
            with = before;
        }
        restore_says(t, frames, with, NULL);
    }
}

static void count_down(void *value, void *context);

static void registering_what_is_known_leaves_the_frames(void **state)
{
    town               *t      = *state;
    kith_frames        *frames = ring_with_frame(t);
    kith_component_desc scars  = *kith_component_describe(t->world, SCAR);
    assert_int_equal(kith_component_register(t->world, &scars), SCAR);
    assert_true(spot_register(t->world) && scar_register(t->world) && glow_register(t->world));
    assert_true(kith_frames_restore(frames, 1));
    assert_int_equal(kith_frames_save(frames), 2);

    uint32_t count              = 0;
    scars.traits.hooks.destruct = count_down;
    scars.traits.hooks.context  = &count;
    assert_int_equal(kith_component_register(t->world, &scars), SCAR);
    assert_refused(&t->memory, t->world, KITH_ERROR_CONFLICT, kith_frames_restore(frames, 1));
    assert_error_says(t->world, KITH_ERROR_CONFLICT,
                      "hooks or the save form of a component were changed after the "
                      "frame");
    assert_error_says(t->world, KITH_ERROR_CONFLICT, "scar");
    assert_true(scar_register(t->world)); // without hooks again
    assert_true(kith_frames_restore(frames, 1));
}

static void a_frame_that_is_not_there_is_refused(void **state)
{
    town        *t      = *state;
    kith_frames *frames = ring_with_frame(t);
    uint64_t     hash;
    assert_refused(&t->memory, t->world, KITH_ERROR_ARGUMENT, kith_frames_restore(frames, 0));
    assert_refused(&t->memory, t->world, KITH_ERROR_ARGUMENT, kith_frames_restore(frames, 2));
    assert_false(kith_frames_hash(frames, 1, &hash));
}

static void a_ring_of_any_size_is_made_or_refused(void **state)
{
    town                  *t       = *state;
    const kith_frames_desc most    = { .capacity = UINT32_MAX };
    const kith_frames_desc no_room = { .fixed = true };
    const kith_frames_desc one     = { .capacity = 1 };
    assert_refused(&t->memory, t->world, KITH_ERROR_ARGUMENT, kith_frames_create(t->world, &most));
    assert_refused(&t->memory, t->world, KITH_ERROR_ARGUMENT,
                   kith_frames_create(t->world, &no_room));
    kith_frames *usual = kith_frames_create(t->world, NULL);
    kith_frames *least = kith_frames_create(t->world, &one);
    uint64_t     oldest, newest;
    assert_false(kith_frames_range(usual, &oldest, &newest));
    for (uint64_t n = 1; n < 4; n++) {
        act_in_town_often(t, n, 5);
        assert_int_equal(kith_frames_save(least), n);
        assert_true(kith_frames_range(least, &oldest, &newest) && oldest == n && newest == n);
        assert_true(kith_frames_restore(least, n));
    }
    assert_null(kith_frames_get(least, 3, KITH_NULL, PLACE));
    assert_true(kith_frames_destroy(usual) && kith_frames_destroy(NULL));
}

static void a_loop_and_waiting_commands_are_refused(void **state)
{
    town          *t        = *state;
    kith_frames   *frames   = ring_with_frame(t);
    kith_commands *commands = kith_commands_create(t->world, NULL);
    assert_true(kith_world_hold(t->world));
    assert_refused(&t->memory, t->world, KITH_ERROR_BUSY, kith_frames_save(frames));
    assert_refused(&t->memory, t->world, KITH_ERROR_BUSY, kith_frames_restore(frames, 1));
    assert_true(kith_world_release(t->world));
    kith_entity_create_later(commands);
    assert_refused(&t->memory, t->world, KITH_ERROR_BUSY, kith_frames_save(frames));
    assert_true(kith_commands_apply(commands, t->world));
    kith_commands_clear(commands);
    assert_int_equal(kith_frames_save(frames), 2);
}

// Tries to save and restore where neither is possible.
typedef struct visitor {
    kith_world  *world;
    kith_frames *frames;
    uint32_t     calls;
    uint32_t     done;
} visitor;

static void visit(void *context)
{
    visitor *v = context;
    v->calls++;
    v->done += kith_frames_save(v->frames) != 0 || kith_frames_restore(v->frames, 1) ||
               kith_world_error(v->world).code != KITH_ERROR_BUSY;
}

static void visit_in_listener(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world, (void)notice;
    visit(context);
}

static bool visit_in_hook(void *to, const void *from, void *context)
{
    *(int *)to = from == NULL ? 0 : *(const int *)from;
    visit(context);
    return true;
}

static void visit_in_turn(const kith_turn *turn)
{
    visit(turn->context);
}

static void listeners_hooks_and_turns_are_refused(void **state)
{
    town                    *t  = *state;
    visitor                  v  = { t->world, kith_frames_create(t->world, NULL), 0, 0 };
    const kith_listener_desc on = {
        .event = KITH_EVENT_SET, .component = SCAR, .call = visit_in_listener, .context = &v
    };
    const kith_system_desc    turn = { .name = "visit", .run = visit_in_turn, .context = &v };
    const kith_component_desc desc = { .name         = "curious",
                                       .size         = sizeof(int),
                                       .alignment    = sizeof(int),
                                       .traits.hooks = { .copy = visit_in_hook, .context = &v } };
    kith_component            id   = kith_component_register(t->world, &desc);
    kith_entity               e    = kith_entity_create(t->world);
    assert_non_null(kith_system_create(t->world, &turn));
    assert_int_not_equal(kith_listener_connect(t->world, &on), 0);
    assert_int_equal(kith_frames_save(v.frames), 1);
    scar_set(t->world, e, 1);
    scar_set(t->world, e, 2);
    uint32_t in_listener = v.calls;
    assert_non_null(kith_component_set(t->world, e, id, &(int){ 5 }));
    uint32_t in_hook = v.calls;
    assert_true(kith_system_run(t->world, "visit", 1));
    assert_true(0 < in_listener && in_listener < in_hook && in_hook < v.calls);
    assert_int_equal(v.done, 0);
    assert_int_equal(kith_frames_save(v.frames), 2); // the copy hook visits once more
    assert_int_equal(v.done, 0);
}

// --- rings -----------------------------------------------------------------------------------

static void saving_after_a_restore_drops_what_was_later(void **state)
{
    town        *t      = *state;
    kith_frames *frames = ring_with_frame(t);
    uint64_t     oldest, newest;
    for (uint64_t n = 2; n < 6; n++) {
        act_in_town_often(t, n, 5);
        assert_int_equal(kith_frames_save(frames), n);
    }
    assert_true(kith_frames_restore(frames, 2));
    assert_true(kith_frames_range(frames, &oldest, &newest) && oldest == 1 && newest == 5);
    assert_int_equal(kith_frames_save(frames), 3);
    assert_true(kith_frames_range(frames, &oldest, &newest) && oldest == 1 && newest == 3);
    assert_int_equal(kith_frames_report_of(frames).frames, 3);
}

static void several_rings_and_loads_do_not_disturb_each_other(void **state)
{
    town        *t = *state;
    kith_frames *a = ring_with_frame(t);
    kith_frames *b = kith_frames_create(t->world, &(kith_frames_desc){ .capacity = 3 });
    uint64_t     hash[3];
    hash[0] = exact_hash(t->world);
    act_in_town_often(t, 11, 40);
    assert_int_equal(kith_frames_save(b), 1);
    hash[1]          = exact_hash(t->world);
    kith_bytes bytes = saved_exactly(t->world);
    assert_true(kith_frames_restore(a, 1));
    assert_world_valid(t->world);
    assert_int_equal(exact_hash(t->world), hash[0]);
    act_in_town_often(t, 12, 40);
    assert_world_valid(t->world);
    assert_int_equal(kith_frames_save(b), 2);
    hash[2] = exact_hash(t->world);
    assert_true(kith_frames_restore(b, 1));
    assert_world_valid(t->world);
    assert_int_equal(exact_hash(t->world), hash[1]);
    assert_int_equal(kith_world_load(t->world, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_true(kith_frames_restore(b, 2));
    assert_int_equal(exact_hash(t->world), hash[2]);
    assert_true(kith_frames_restore(a, 1));
    assert_int_equal(exact_hash(t->world), hash[0]);
    kith_bytes_free(&bytes);
}

static void an_unchanged_world_is_saved_without_copying_pages(void **state)
{
    town        *t      = *state;
    kith_frames *frames = ring_with_frame(t);
    assert_int_equal(kith_frames_save(frames), 2);
    assert_int_equal(kith_frames_report_of(frames).copied, 0);
    assert_int_not_equal(kith_frames_report_of(frames).shared, 0);
    assert_true(kith_frames_restore(frames, 1));
    assert_int_equal(kith_frames_report_of(frames).back, 0);
}

static void hashes_are_kept_when_asked_for(void **state)
{
    town        *t      = *state;
    kith_frames *frames = kith_frames_create(t->world, &(kith_frames_desc){ .hashes = true });
    uint64_t     kept   = 0;
    uint64_t     fresh  = 1;
    act_in_town_often(t, 3, 60);
    assert_int_equal(kith_frames_save(frames), 1);
    assert_true(kith_frames_hash(frames, 1, &kept));
    assert_true(kith_world_hash_full(t->world, KITH_ALL, &fresh) && kept == fresh);
    act_in_town_often(t, 4, 60);
    assert_int_equal(kith_frames_save(frames), 2);
    assert_true(kith_frames_restore(frames, 1));
    assert_true(kith_world_hash(t->world, KITH_ALL, &fresh) && kept == fresh);
}

// --- listeners -------------------------------------------------------------------------------

static void a_restore_is_announced_once_with_the_tick_of_the_frame(void **state)
{
    town        *t      = *state;
    kith_frames *frames = ring_with_frame(t);
    uint64_t     tick   = kith_world_now(t->world) - 1; // saving ended it
    heard        h      = { 0 };
    act_in_town_often(t, 8, 50);
    assert_int_equal(kith_frames_save(frames), 2);
    hear_all(t->world, &h);
    assert_true(kith_frames_restore(frames, 1));
    assert_replaced_once(&h, tick);
    assert_int_equal(kith_world_now(t->world), tick + 1);
    assert_refused(&t->memory, t->world, KITH_ERROR_ARGUMENT, kith_frames_restore(frames, 7));
    assert_int_equal(kith_frames_save(frames), 2);
    assert_int_equal(h.replaced + h.others, 0);
}

static void mark_restored(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    assert_false(kith_frames_restore(context, 1));
    assert_error(world, KITH_ERROR_BUSY);
    mark_add(world, kith_entity_create(world));
}

static void a_listener_may_change_the_world_that_was_restored(void **state)
{
    town                    *t      = *state;
    kith_frames             *frames = ring_with_frame(t);
    uint64_t                 before = exact_hash(t->world);
    uint32_t                 count  = kith_entity_count(t->world);
    const kith_listener_desc desc   = { .event   = KITH_EVENT_REPLACED,
                                        .call    = mark_restored,
                                        .context = frames };
    kith_listener            marker = kith_listener_connect(t->world, &desc);
    assert_true(kith_frames_restore(frames, 1) && kith_frames_restore(frames, 1));
    assert_int_equal(kith_entity_count(t->world), count + 1);
    assert_world_valid(t->world);
    assert_int_equal(kith_frames_save(frames), 2);
    uint64_t after = exact_hash(t->world);
    assert_true(kith_listener_disconnect(t->world, marker));
    assert_true(kith_frames_restore(frames, 1) && exact_hash(t->world) == before);
    assert_true(kith_frames_restore(frames, 2) && exact_hash(t->world) == after);
}

// --- values ----------------------------------------------------------------------------------

static void a_write_through_an_old_pointer_is_reported_and_saved(void **state)
{
    town        *t      = *state;
    kith_entity  one    = kith_entity_create(t->world);
    kith_entity  two    = kith_entity_create(t->world);
    kith_frames *frames = kith_frames_create(t->world, NULL);
    char         words[192];
    assert_true(pace_set(t->world, one, 1) != NULL);
    int32_t *old = pace_set(t->world, two, 2);
    assert_int_equal(kith_frames_save(frames), 1);
    uint32_t errors = t->memory.errors;
    assert_int_equal(kith_frames_save(frames), 2);
    assert_int_equal(t->memory.errors, errors);
    *old = 7;
    assert_int_equal(kith_frames_save(frames), 3);
#ifndef KITH_HAS_ASSERTS
    if (t->memory.errors == errors) { // the library does not compare pages
        return;
    }
#endif
    assert_int_equal(t->memory.errors, errors + 1);
    snprintf(words, sizeof words,
             "kith_frames_save: \"pace\": a value was written through a pointer from before the "
             "latest save; get the pointer again with mut: entity %uv%u",
             (unsigned)kith_entity_index(two), (unsigned)kith_entity_version(two));
    assert_error_says(t->world, KITH_ERROR_ARGUMENT, words);
    assert_int_equal(kith_frames_report_of(frames).copied, 1);
    assert_true(kith_frames_restore(frames, 2) && *pace_get(t->world, two) == 2);
    assert_true(kith_frames_restore(frames, 3) && *pace_get(t->world, two) == 7);
    assert_int_equal(kith_frames_save(frames), 4);
    assert_int_equal(t->memory.errors, errors + 1);
}

KITH_GROUP(cached, read(spot), with(cache));
KITH_GROUP(uncached, read(pace), without(cache));

static void transient_components_are_absent_after_a_restore(void **state)
{
    town       *t       = *state;
    kith_entity e       = kith_entity_create(t->world);
    kith_entity f       = kith_entity_create(t->world);
    kith_group *with    = cached_group(t->world);
    kith_group *without = uncached_group(t->world);
    spot_set(t->world, e, (place){ 1, 2, 3 });
    pace_set(t->world, e, 4);
    pace_set(t->world, f, 5);
    cache_set(t->world, e, 6);
    kith_component_enable(t->world, e, CACHE, false);
    kith_component_enable(t->world, e, CACHE, true);
    kith_frames *frames = kith_frames_create(t->world, &(kith_frames_desc){ .capacity = 2 });
    assert_int_equal(kith_frames_save(frames), 1);
    assert_int_equal(kith_group_count(with), 1);
    assert_int_equal(kith_group_count(without), 1);
    cache_set(t->world, f, 7);
    kith_component_enable(t->world, f, CACHE, false);
    assert_true(kith_frames_restore(frames, 1));
    assert_false(cache_has(t->world, e) || cache_has(t->world, f));
    assert_int_equal(kith_group_count(with), 0);
    assert_int_equal(kith_group_count(without), 2);
    assert_null(kith_frames_get(frames, 1, e, CACHE));
}

static void the_past_can_be_read_without_going_there(void **state)
{
    town        *t      = *state;
    kith_frames *frames = kith_frames_create(t->world, &(kith_frames_desc){ .capacity = 4 });
    kith_entity  e[40];
    for (uint32_t i = 0; i < 40; i++) {
        e[i] = kith_entity_create(t->world);
        spot_set(t->world, e[i], (place){ (float)i, 0, 0 });
        if (i % 2 == 0) {
            mark_add(t->world, e[i]);
            asleep_add(t->world, e[i]);
        }
    }
    year_set(t->world, (place){ 1, 0, 0 });
    assert_int_equal(kith_frames_save(frames), 1);
    year_set(t->world, (place){ 2, 0, 0 });
    kith_entity_destroy(t->world, e[0]); // the last row moves into its place
    kith_entity late = kith_entity_create(t->world);
    spot_set(t->world, late, (place){ 99, 0, 0 });
    spot_set(t->world, e[7], (place){ 70, 0, 0 });
    assert_int_equal(kith_frames_save(frames), 2);
    for (uint32_t i = 0; i < 40; i++) {
        const place *then = kith_frames_get(frames, 1, e[i], PLACE);
        assert_non_null(then);
        assert_true(then->x == (float)i);
        assert_int_equal(kith_frames_get(frames, 1, e[i], MARK) != NULL, i % 2 == 0);
        assert_int_equal(kith_frames_get(frames, 1, e[i], ASLEEP) != NULL, i % 2 == 0);
        assert_null(kith_frames_get(frames, 1, e[i], SPEED));
        assert_int_equal(kith_frames_get(frames, 2, e[i], PLACE) != NULL, i != 0);
    }
    assert_true(((const place *)kith_frames_get(frames, 2, e[7], PLACE))->x == 70);
    assert_true(((const place *)kith_frames_get(frames, 1, KITH_NULL, SEASON))->x == 1);
    assert_true(((const place *)kith_frames_get(frames, 2, KITH_NULL, SEASON))->x == 2);
    assert_null(kith_frames_get(frames, 1, late, PLACE));
    assert_null(kith_frames_get(frames, 3, e[1], PLACE));
    assert_null(kith_frames_get(frames, 1, handle(1 << 20, 1), PLACE));
}

static void the_past_can_be_read_when_memory_runs_out(void **state)
{
    town        *t      = *state;
    kith_frames *frames = kith_frames_create(t->world, &(kith_frames_desc){ .capacity = 4 });
    kith_entity  e[40];
    for (uint32_t i = 0; i < 40; i++) {
        e[i] = kith_entity_create(t->world);
        pace_set(t->world, e[i], (int32_t)i);
    }
    kith_entity none = kith_entity_create(t->world);
    assert_int_equal(kith_frames_save(frames), 1);
    kith_component_swap(t->world, SPEED, e[1], e[38]); // no entity has the row that it had
    kith_component_swap(t->world, SPEED, e[2], e[37]);
    assert_int_equal(kith_frames_save(frames), 2);
    for (uint32_t starved = 2; starved-- > 0;) {
        uint32_t errors    = t->memory.errors;
        t->memory.fail_all = starved != 0;
        for (uint32_t i = 0; i < 40; i++) {
            const int32_t *then = kith_frames_get(frames, 1, e[i], SPEED);
            assert_true(then != NULL && *then == (int32_t)i);
        }
        assert_null(kith_frames_get(frames, 1, none, SPEED));
        assert_int_equal(t->memory.errors, errors);
        assert_int_equal(t->memory.failed != 0, 1);
        assert_int_equal(kith_frames_report_of(frames).frames, 2);
    }
}

static void a_million_entities_go_back(void **state)
{
    enum { MANY = 1000000 };
    town        *t      = *state;
    kith_frames *frames = kith_frames_create(t->world, &(kith_frames_desc){ .capacity = 2 });
    kith_entity *e      = malloc(MANY * sizeof *e);
    assert_non_null(e);
    for (uint32_t i = 0; i < MANY; i++) {
        e[i] = kith_entity_create(t->world);
        glow_set(t->world, e[i], i);
    }
    assert_int_equal(kith_frames_save(frames), 1);
    uint64_t before = exact_hash(t->world);
    for (uint32_t i = 0; i < MANY; i += 1000) {
        *glow_mut(t->world, e[i]) = 7;
        kith_entity_destroy(t->world, e[MANY - 1 - i]);
    }
    assert_int_equal(kith_frames_save(frames), 2);
    uint64_t after = exact_hash(t->world);
    assert_true(kith_frames_restore(frames, 1));
    assert_world_valid(t->world);
    assert_int_equal(exact_hash(t->world), before);
    assert_true(*glow_get(t->world, e[5000]) == 5000 && kith_entity_alive(t->world, e[MANY - 1]));
    assert_true(kith_frames_restore(frames, 2));
    assert_int_equal(exact_hash(t->world), after);
    free(e);
}

// A copy hook that fails when it has been called this often; 0: never.
static uint32_t fail_copy_at;

static bool copy_or_fail(void *value, const void *source, void *context)
{
    (void)context;
    *(int *)value = *(const int *)source;
    return fail_copy_at == 0 || --fail_copy_at != 0;
}

static void count_down(void *value, void *context)
{
    --*(int *)context;
    *(int *)value = -1;
}

static void failing_copy_hooks_change_nothing(void **state)
{
    static const uint32_t fails[] = { 1, 2, 5, 9 };
    town                 *t       = *state;
    static int            ended;
    kith_component_desc desc = { .name = "brittle", .size = sizeof(int), .alignment = sizeof(int) };
    desc.traits.page_rows    = 4;
    desc.traits.hooks =
        (kith_hooks){ .copy = copy_or_fail, .destruct = count_down, .context = &ended };
    desc.traits.saved      = (kith_saved)KITH_AS(plain(4));
    kith_component brittle = kith_component_register(t->world, &desc);
    kith_frames   *frames  = kith_frames_create(t->world, &(kith_frames_desc){ .capacity = 3 });
    for (int i = 0; i < 9; i++) {
        kith_component_set(t->world, kith_entity_create(t->world), brittle, &i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t before = exact_hash(t->world);
        fail_copy_at    = fails[i];
        assert_refused(&t->memory, t->world, KITH_ERROR_HOOK, kith_frames_save(frames));
        assert_int_equal(exact_hash(t->world), before);
    }
    fail_copy_at = 0;
    assert_int_equal(kith_frames_save(frames), 1);
    uint64_t saved_hash = exact_hash(t->world);
    for (uint32_t row = 0; row < 9; row++) {
        kith_entity e = kith_component_entity(t->world, brittle, row);
        ++*(int *)kith_component_mut(t->world, e, brittle);
    }
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t before = exact_hash(t->world);
        fail_copy_at    = fails[i];
        assert_refused(&t->memory, t->world, KITH_ERROR_HOOK, kith_frames_restore(frames, 1));
        assert_int_equal(exact_hash(t->world), before);
    }
    fail_copy_at = 0;
    assert_true(kith_frames_restore(frames, 1));
    assert_int_equal(exact_hash(t->world), saved_hash);
}

// Copies that the hook makes for a restore need memory, which the oldest frames give.
static void a_full_ring_goes_back_with_hooks(void **state)
{
    enum { ROWS = 3000 };
    town               *t = *state;
    static int          ended;
    kith_component_desc desc = { .name = "brittle", .size = sizeof(int), .alignment = sizeof(int) };
    desc.traits.hooks =
        (kith_hooks){ .copy = copy_or_fail, .destruct = count_down, .context = &ended };
    desc.traits.saved      = (kith_saved)KITH_AS(plain(4));
    kith_component brittle = kith_component_register(t->world, &desc);
    kith_diff      diff    = { .each = NULL };
    for (int i = 0; i < ROWS; i++) {
        kith_component_set(t->world, kith_entity_create(t->world), brittle, &i);
    }
    for (uint32_t fixed = 0; fixed < 2; fixed++) {
        uint64_t         hashes[101] = { 0 };
        uint64_t         oldest, newest;
        kith_frames_desc form = { .capacity = 90, .bytes = 1u << 20, .fixed = fixed != 0 };
        kith_frames     *ring = kith_frames_create(t->world, &form);
        for (uint32_t frame = 1; frame <= 100; frame++) {
            for (uint32_t row = 0; row < ROWS; row++) {
                kith_entity e = kith_component_entity(t->world, brittle, row);
                ++*(int *)kith_component_mut(t->world, e, brittle);
            }
            assert_int_equal(kith_frames_save(ring), frame);
            hashes[frame] = exact_hash(t->world);
        }
        assert_true(kith_frames_range(ring, &oldest, &newest) && oldest > 11);
        assert_true(kith_frames_diff(ring, 100, 97, &diff) && diff.count == ROWS);
        assert_true(kith_frames_restore(ring, 97) && exact_hash(t->world) == hashes[97]);
        assert_true(kith_frames_restore(ring, 100) && exact_hash(t->world) == hashes[100]);
        assert_true(kith_frames_range(ring, &oldest, &newest) && oldest < 97 && newest == 100);
        assert_true(exact_hash(kith_frames_world(ring, 98)) == hashes[98]);
        assert_true(kith_frames_destroy(ring));
    }
}

static void values_that_cannot_be_copied_are_refused_by_name(void **state)
{
    town               *t = *state;
    static int          ended;
    kith_component_desc desc = { .name = "solid", .size = sizeof(int), .alignment = sizeof(int) };
    desc.traits.hooks        = (kith_hooks){ .destruct = count_down, .context = &ended };
    kith_component solid     = kith_component_register(t->world, &desc);
    kith_frames   *frames    = kith_frames_create(t->world, &(kith_frames_desc){ .capacity = 3 });
    assert_int_equal(kith_frames_save(frames), 1);
    kith_entity e = kith_entity_create(t->world);
    kith_component_set(t->world, e, solid, &ended);
    assert_refused(&t->memory, t->world, KITH_ERROR_ARGUMENT, kith_frames_save(frames));
    assert_error_says(t->world, KITH_ERROR_ARGUMENT, "solid");
    kith_component_remove(t->world, e, solid);
}

// --- failing ---------------------------------------------------------------------------------

static void failing_allocations_change_nothing(void **state)
{
    (void)state;
    for (uint32_t n = 1, failed = 1; failed != 0; n++) {
        town         t      = { .log = 0 };
        kith_frames *frames = NULL;
        make_town(&t, (kith_world_desc){ 0 });
        act_in_town_often(&t, 21, 80);
        test_fail_after(&t.memory, n);
        frames = kith_frames_create(t.world, &(kith_frames_desc){ .capacity = 3 });
        if (frames == NULL) {
            test_fail_after(&t.memory, 0);
            end_town(&t);
            continue;
        }
        uint64_t before = exact_hash(t.world);
        uint64_t first  = kith_frames_save(frames);
        if (first == 0) {
            assert_int_equal(exact_hash(t.world), before);
            test_fail_after(&t.memory, 0);
            first = kith_frames_save(frames);
            test_fail_after(&t.memory, n);
        }
        before = exact_hash(t.world);
        test_fail_after(&t.memory, 0);
        act_in_town_often(&t, 22, 80);
        kith_world_shrink(t.world);
        uint64_t after = exact_hash(t.world);
        test_fail_after(&t.memory, n);
        bool back = kith_frames_restore(frames, first);
        failed    = t.memory.failed;
        test_fail_after(&t.memory, 0);
        assert_world_valid(t.world);
        assert_int_equal(exact_hash(t.world), back ? before : after);
        assert_true(kith_frames_restore(frames, first));
        assert_int_equal(exact_hash(t.world), before);
        end_town(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_that_went_back_goes_on_as_it_did),
        cmocka_unit_test(memory_limits_drop_the_oldest_frames),
        IN_TOWN(a_fixed_ring_saves_a_world_that_grows),
        cmocka_unit_test(a_world_with_fixed_memory_has_rings),
        IN_TOWN(a_frame_has_the_lists_of_groups_that_changed_places),
        IN_TOWN(a_frame_of_another_setup_is_refused_by_name),
        IN_TOWN(registering_what_is_known_leaves_the_frames),
        IN_TOWN(a_frame_that_is_not_there_is_refused),
        IN_TOWN(a_ring_of_any_size_is_made_or_refused),
        IN_TOWN(a_loop_and_waiting_commands_are_refused),
        IN_TOWN(listeners_hooks_and_turns_are_refused),
        IN_TOWN(saving_after_a_restore_drops_what_was_later),
        IN_TOWN(several_rings_and_loads_do_not_disturb_each_other),
        IN_TOWN(an_unchanged_world_is_saved_without_copying_pages),
        IN_TOWN(hashes_are_kept_when_asked_for),
        IN_TOWN(a_restore_is_announced_once_with_the_tick_of_the_frame),
        IN_TOWN(a_listener_may_change_the_world_that_was_restored),
        IN_TOWN(a_write_through_an_old_pointer_is_reported_and_saved),
        IN_TOWN(transient_components_are_absent_after_a_restore),
        IN_TOWN(the_past_can_be_read_without_going_there),
        IN_TOWN(the_past_can_be_read_when_memory_runs_out),
        IN_TOWN(a_million_entities_go_back),
        IN_TOWN(failing_copy_hooks_change_nothing),
        IN_TOWN(a_full_ring_goes_back_with_hooks),
        IN_TOWN(values_that_cannot_be_copied_are_refused_by_name),
        cmocka_unit_test(failing_allocations_change_nothing),
    };
    return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
