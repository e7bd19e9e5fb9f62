// SPDX-License-Identifier: MIT
// Frames as worlds: differences between two of them, and steps that are not deterministic.
#include "exact_test.h"
#include "frames/frames_test.h"

// --- frames as worlds ------------------------------------------------------------------------

static void two_frames_are_compared_in_words(void **state)
{
    town        *t      = *state;
    kith_frames *frames = kith_frames_create(t->world, NULL);
    kith_entity  e      = kith_entity_create(t->world);
    kith_diff    diff   = { .each = NULL };
    char         text[128];
    scar_set(t->world, e, 3);
    uint64_t a = kith_frames_save(frames);
    scar_set(t->world, e, 5);
    uint64_t b = kith_frames_save(frames);

    assert_true(kith_frames_diff(frames, a, b, &diff));

    snprintf(text, sizeof text,
             "entity %uv%u: \"scar\" is 3 in the first world and 5 in the second",
             kith_entity_index(e), kith_entity_version(e));
    assert_int_equal(diff.count, 1);
    assert_string_equal(diff.text, text);
    assert_true(kith_frames_diff(frames, b, b, &diff) && diff.count == 0);
    assert_false(kith_frames_diff(frames, b, b + 1, &diff));
    assert_int_equal(kith_world_error(t->world).code, KITH_ERROR_ARGUMENT);
}

static void a_view_follows_the_setup_of_its_world(void **state)
{
    town        *t      = *state;
    kith_frames *frames = two_frames(t);
    uint64_t     before = exact_hash(kith_frames_world(frames, 2));
    assert_true(before == exact_hash(t->world));
    kith_bytes here  = saved_exactly(t->world);
    kith_bytes there = saved_exactly(kith_frames_world(frames, 2));
    assert_same_bytes(&here, &there);
    kith_bytes_free(&here);
    kith_bytes_free(&there);
    kith_queue_of(t->world, &(kith_queue_desc){ .name = "later", .size = 4 });
    assert_null(kith_frames_world(frames, 1)); // the frame lacks the queue
    assert_int_equal(kith_frames_save(frames), 3);
    assert_true(exact_hash(kith_frames_world(frames, 3)) == exact_hash(t->world));
}

// A query without changed terms is no part of a frame, but its tick is in the exact hash.
static void a_view_follows_the_queries_of_its_world(void **state)
{
    town                 *t      = *state;
    const kith_query_desc all    = { .since = 2 };
    const kith_term       term   = { SCAR, KITH_ROLE_READ, 0 };
    const kith_query_desc placed = { .terms = &term, .term_count = 1, .since = 2 };
    kith_query           *query  = kith_query_create(t->world, &all);
    kith_frames          *frames = two_frames(t);
    assert_true(exact_hash(kith_frames_world(frames, 2)) == exact_hash(t->world));
    assert_non_null(kith_query_create(t->world, &placed));
    assert_true(kith_query_destroy(query));
    assert_true(exact_hash(kith_frames_world(frames, 2)) == exact_hash(t->world));
}

// Without its transient component the second entity joins the group, and goes to the first row.
static void a_view_has_the_groups_that_a_restore_gives(void **state)
{
    static const kith_term terms[] = { { GLOW, KITH_ROLE_OWN, 0 },
                                       { MARK, KITH_ROLE_WITH, 0 },
                                       { CACHE, KITH_ROLE_WITHOUT, 0 } };
    town                  *t       = *state;
    kith_world            *w       = t->world;
    kith_frames           *frames  = kith_frames_create(w, NULL);
    kith_entity            e[2]    = { kith_entity_create(w), kith_entity_create(w) };
    assert_non_null(kith_group_of(w, &(kith_query_desc){ "bare", terms, 3, 0 }));
    assert_true(glow_set(w, e[0], 1) && glow_set(w, e[1], 2));
    assert_true(cache_set(w, e[1], 3) && mark_add(w, e[1]));
    assert_int_equal(kith_frames_save(frames), 1);
    assert_true(kith_component_entity(w, GLOW, 0) == e[0]);
    cache_remove(w, e[1]);
    assert_int_equal(kith_frames_save(frames), 2);
    assert_true(exact_hash(kith_frames_world(frames, 2)) == exact_hash(w));
    mark_remove(w, e[1]);
    for (uint64_t frame = 2; frame != 0; frame--) {
        const kith_world *view = kith_frames_world(frames, frame);
        assert_world_valid(view);
        assert_true(kith_component_entity(view, GLOW, 0) == e[1]);
        assert_true(kith_frames_restore(frames, frame));
        assert_true(exact_hash(view) == exact_hash(w));
    }
}

enum { FLAGS = 200, FLAGGED = 50 };

// Changes some flags of each entity, others in each round.
static void change_flags(kith_world *w, const kith_component *flags, const kith_entity *e,
                         uint32_t round)
{
    for (uint32_t i = 0; i < FLAGGED; i++) {
        for (uint32_t k = (i * 7 + round) % 13; k < FLAGS; k += 13 + round) {
            bool has = kith_component_has(w, e[i], flags[k]);
            assert_true(has ? kith_component_remove(w, e[i], flags[k])
                            : kith_component_set(w, e[i], flags[k], NULL) != NULL);
        }
    }
}

static void assert_same_flags(const kith_world *world, const kith_world *other,
                              const kith_component *flags, const kith_entity *e)
{
    for (uint32_t i = 0; i < FLAGGED * FLAGS; i++) {
        kith_entity    entity = e[i / FLAGS];
        kith_component flag   = flags[i % FLAGS];
        assert_int_equal(kith_component_has(world, entity, flag),
                         kith_component_has(other, entity, flag));
    }
}

static void a_view_has_flags_in_every_word_of_signatures(void **state)
{
    town          *t      = *state;
    kith_world    *w      = t->world;
    kith_frames   *frames = kith_frames_create(w, NULL);
    uint64_t       hashes[4];
    kith_component flags[FLAGS];
    kith_entity    e[FLAGGED];
    for (uint32_t i = 0; i < FLAGS; i++) {
        char                      name[16];
        const kith_component_desc desc = { .name = name, .kind = KITH_KIND_FLAG };
        snprintf(name, sizeof name, "flag%u", i);
        flags[i] = kith_component_register(w, &desc);
        assert_int_not_equal(flags[i], 0);
    }
    for (uint32_t i = 0; i < FLAGGED; i++) {
        e[i] = kith_entity_create(w);
    }
    for (uint32_t frame = 1; frame <= 3; frame++) {
        change_flags(w, flags, e, frame);
        assert_int_equal(kith_frames_save(frames), frame);
        hashes[frame] = exact_hash(w);
    }
    for (uint32_t i = 0; i < 9; i++) { // each frame after each other one
        uint32_t          frame = 1 + (i + i / 3) % 3;
        const kith_world *view  = kith_frames_world(frames, frame);
        assert_world_valid(view);
        assert_true(exact_hash(view) == hashes[frame]);
        assert_true(kith_frames_restore(frames, frame) && exact_hash(w) == hashes[frame]);
        assert_same_flags(view, w, flags, e);
        change_flags(w, flags, e, i);
        assert_true(exact_hash(kith_frames_world(frames, frame)) == hashes[frame]);
    }
}

// --- finding what is not deterministic -------------------------------------------------------

static uint32_t unsaved; // what a frame cannot know

static void step_town(kith_world *world, uint64_t frame, void *context)
{
    town *t = context;
    assert_true(t->world == world);
    act_in_town_often(t, frame, 20);
}

static void step_by_static(kith_world *world, uint64_t frame, void *context)
{
    kith_entity e = *(const kith_entity *)context;
    unsaved += 1;
    scar_set(world, e, (int32_t)frame + (unsaved > 6));
}

static void a_deterministic_step_is_found_right(void **state)
{
    town        *t      = *state;
    kith_frames *frames = kith_frames_create(t->world, NULL);
    for (uint64_t frame = 1; frame <= 8; frame++) {
        step_town(t->world, frame, t);
        assert_int_equal(kith_frames_save(frames), frame);
    }
    uint64_t before = exact_hash(t->world);
    t->walk         = (kith_removals){ 0 };
    for (uint64_t back = 0; back < 12; back += 3) {
        kith_frames_finding found = kith_frames_check(frames, back, step_town, t);
        assert_string_equal(found.text, "");
        assert_true(found.checked && found.frame == 0);
        assert_true(exact_hash(t->world) == before);
    }
    assert_int_equal(kith_frames_save(frames), 9);
}

static void a_static_variable_is_found_by_frame_and_field(void **state)
{
    town        *t      = *state;
    kith_frames *frames = kith_frames_create(t->world, NULL);
    kith_entity  e      = kith_entity_create(t->world);
    unsaved             = 0;
    for (uint64_t frame = 1; frame <= 5; frame++) {
        step_by_static(t->world, frame, &e);
        kith_frames_save(frames);
    }
    uint64_t before = exact_hash(t->world);

    kith_frames_finding found = kith_frames_check(frames, 3, step_by_static, &e);

    assert_true(found.checked);
    assert_int_equal(found.frame, 4); // the first step is the sixth, which changes nothing
    assert_int_equal(found.differences, 1);
    assert_non_null(strstr(found.text, "frame 4, saved and again: entity "));
    assert_non_null(strstr(found.text, "\"scar\" is 4 in the first world and 5 in the second"));
    assert_true(exact_hash(t->world) == before);
}

typedef struct meddler {
    kith_frames *frames;
    uint64_t     saved;
} meddler;

static void step_and_save(kith_world *world, uint64_t frame, void *context)
{
    meddler *m = context;
    (void)world;
    (void)frame;
    m->saved |= kith_frames_save(m->frames) | (uint64_t)kith_frames_restore(m->frames, 1);
}

static void a_step_cannot_save(void **state)
{
    town   *t = *state;
    meddler m = { .frames = two_frames(t) };
    assert_true(kith_frames_check(m.frames, 1, step_and_save, &m).checked);
    assert_int_equal(m.saved, 0);
}

static void step_nothing(kith_world *world, uint64_t frame, void *context)
{
    (void)world, (void)frame, (void)context;
}

// A listener of the restore cannot end the ring, also after it has read a frame. A copy hook that
// runs in the restore cannot read frames.
typedef struct intruder {
    kith_frames *frames;
    uint32_t     heard;
    bool         came_in;
} intruder;

static void intrude(kith_world *world, const kith_notice *notice, void *context)
{
    intruder *i = context;
    (void)world, (void)notice;
    i->heard++;
    assert_non_null(kith_frames_world(i->frames, 2));
    i->came_in |= kith_frames_destroy(i->frames) || kith_frames_restore(i->frames, 1);
}

static bool copy_and_intrude(void *to, const void *from, void *context)
{
    intruder *i = context;
    *(int *)to  = *(const int *)from;
    i->heard++;
    i->came_in |= i->frames != NULL && kith_frames_world(i->frames, 1) != NULL;
    return true;
}

static void a_ring_stays_while_a_frame_is_restored(void **state)
{
    town                    *t    = *state;
    intruder                 i    = { .frames = two_frames(t) };
    const kith_listener_desc desc = { .event   = KITH_EVENT_REPLACED,
                                      .call    = intrude,
                                      .context = &i };
    assert_int_not_equal(kith_listener_connect(t->world, &desc), 0);
    assert_true(kith_frames_check(i.frames, 1, step_nothing, NULL).checked);
    assert_int_equal(i.heard, 2);
    assert_false(i.came_in);
}

static void a_copy_hook_cannot_read_frames(void **state)
{
    town                     *t    = *state;
    intruder                  i    = { .frames = NULL };
    const kith_component_desc desc = { .name         = "hooked",
                                       .size         = sizeof(int),
                                       .alignment    = _Alignof(int),
                                       .traits.hooks = { .copy    = copy_and_intrude,
                                                         .context = &i } };
    kith_component            id   = kith_component_register(t->world, &desc);
    assert_int_not_equal(id, 0);
    kith_entity e = kith_entity_create(t->world);
    assert_non_null(kith_component_set(t->world, e, id, &(int){ 5 }));
    i.frames = kith_frames_create(t->world, NULL);
    assert_int_equal(kith_frames_save(i.frames), 1);
    *(int *)kith_component_mut(t->world, e, id) = 6;
    i.heard                                     = 0;
    assert_true(kith_frames_restore(i.frames, 1));
    assert_int_equal(i.heard, 1);
    assert_false(i.came_in);
    i.frames = NULL;
}

static void a_ring_without_frames_checks_nothing(void **state)
{
    town        *t      = *state;
    kith_frames *frames = kith_frames_create(t->world, NULL);
    assert_false(kith_frames_check(frames, 1, step_town, t).checked);
    assert_null(kith_frames_world(frames, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TOWN(two_frames_are_compared_in_words),
        IN_TOWN(a_view_follows_the_setup_of_its_world),
        IN_TOWN(a_view_follows_the_queries_of_its_world),
        IN_TOWN(a_view_has_the_groups_that_a_restore_gives),
        IN_TOWN(a_view_has_flags_in_every_word_of_signatures),
        IN_TOWN(a_deterministic_step_is_found_right),
        IN_TOWN(a_static_variable_is_found_by_frame_and_field),
        IN_TOWN(a_step_cannot_save),
        IN_TOWN(a_ring_stays_while_a_frame_is_restored),
        IN_TOWN(a_copy_hook_cannot_read_frames),
        IN_TOWN(a_ring_without_frames_checks_nothing),
    };
    return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
