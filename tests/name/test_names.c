// SPDX-License-Identifier: MIT
// Names: setting, finding, what is refused, paths, names as state, and random calls against a
// table.
#include "kith/frames.h"
#include "kith/link.h"
#include "kith/name.h"
#include "kith_test.h"

#include <stdio.h>

#define COUNT_OF(X) ((uint32_t)(sizeof(X) / sizeof((X)[0])))

enum { LABEL = 20, BADGE, NUMBER, SCENE, HOLDER };

KITH_NAME(label, LABEL);
KITH_UNIQUE_NAME(badge, BADGE);
KITH_COMPONENT_AS(number, int, NUMBER, plain(4));
KITH_LINK(holder, HOLDER, KITH_TARGET_CLEAR);
KITH_MODULE(names, number, holder, label, badge);
KITH_QUERY(labeled, read(label), optional(badge));

#define ENTITIES 12

// 70 bytes: not in the row.
#define LONG "a long name that does not fit into the row, because it has more than 63"

typedef struct scene {
    test_memory memory;
    kith_world *world;
    kith_entity e[ENTITIES];
    char        heard[16][96]; // by listeners
    uint32_t    count;
} scene;

static kith_world *make_world(test_memory *memory)
{
    kith_world *world = test_world(memory);
    if (world != NULL && !names_register(world)) {
        kith_world_destroy(world);
        return NULL;
    }
    return world;
}

static int setup(void **state)
{
    const kith_hierarchy_desc tree = { .name = "scene", .id = SCENE };
    scene                    *s    = calloc(1, sizeof *s);
    s->world                       = make_world(&s->memory);
    assert_non_null(s->world);
    assert_int_equal(kith_hierarchy_register(s->world, &tree), SCENE);
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

#define assert_recorded(SCENE_OF, CODE)                                                            \
    do {                                                                                           \
        assert_int_equal(kith_world_error((SCENE_OF)->world).code, (CODE));                        \
        kith_world_error_clear((SCENE_OF)->world);                                                 \
    } while (0)

// --- setting and finding -----------------------------------------------------------------------

static void an_entity_is_found_by_its_name(void **state)
{
    scene *s = *state;
    assert_true(label_set(s->world, s->e[3], "player"));
    assert_true(label_set(s->world, s->e[4], LONG));

    assert_int_equal(label_find(s->world, "player"), s->e[3]);
    assert_int_equal(label_find(s->world, LONG), s->e[4]);
    assert_string_equal(label_text(s->world, s->e[3]), "player");
    assert_string_equal(label_text(s->world, s->e[4]), LONG);
    assert_null(label_text(s->world, s->e[5]));
    assert_int_equal(label_find(s->world, "playe"), KITH_NULL);
    assert_int_equal(label_find(s->world, "players"), KITH_NULL);
    assert_int_equal(label_find(s->world, ""), KITH_NULL);
    assert_int_equal(badge_find(s->world, "player"), KITH_NULL);
}

static void texts_of_each_length_are_found(void **state)
{
    scene *s = *state;
    char   text[5000];
    for (uint32_t size = 1; size <= 140; size++) {
        for (uint32_t at = 0; at < size; at++) { // texts that differ in one byte
            memset(text, 'x', size);
            text[size] = '\0';
            assert_true(label_set(s->world, s->e[0], text));
            text[at] = 'y';
            assert_int_equal(label_find(s->world, text), KITH_NULL);
            assert_true(label_set(s->world, s->e[1], text));
            assert_int_equal(label_find(s->world, text), s->e[1]);
            assert_string_equal(label_text(s->world, s->e[1]), text);
        }
    }
    memset(text, 'z', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_true(label_set(s->world, s->e[0], text));
    assert_int_equal(label_find(s->world, text), s->e[0]);
}

static void a_name_that_is_replaced_or_removed_is_not_found(void **state)
{
    scene *s = *state;
    label_set(s->world, s->e[0], "old");
    label_set(s->world, s->e[0], "new");
    assert_int_equal(label_find(s->world, "old"), KITH_NULL);
    assert_int_equal(label_find(s->world, "new"), s->e[0]);
    assert_true(label_set(s->world, s->e[0], "new")); // the same one
    assert_true(label_remove(s->world, s->e[0]));
    assert_int_equal(label_find(s->world, "new"), KITH_NULL);
    label_set(s->world, s->e[1], "new");
    kith_entity_destroy(s->world, s->e[1]);
    assert_int_equal(label_find(s->world, "new"), KITH_NULL);
    label_set(s->world, s->e[2], "a");
    label_set(s->world, s->e[3], "a");
    assert_true(kith_component_clear(s->world, LABEL));
    assert_int_equal(label_find(s->world, "a"), KITH_NULL);
    label_set(s->world, s->e[2], "a");
    kith_world_clear(s->world);
    assert_int_equal(label_find(s->world, "a"), KITH_NULL);
}

static void a_name_may_be_set_from_its_own_text(void **state)
{
    scene *s = *state;
    label_set(s->world, s->e[0], LONG);
    assert_true(label_set(s->world, s->e[0], label_text(s->world, s->e[0])));
    assert_true(label_set(s->world, s->e[0], label_text(s->world, s->e[0]) + 60));
    assert_string_equal(label_text(s->world, s->e[0]), &LONG[60]);
    assert_true(label_set(s->world, s->e[1], label_text(s->world, s->e[0])));
    const kith_text copy = *label_get(s->world, s->e[0]);
    assert_non_null(kith_component_set(s->world, s->e[2], LABEL, &copy));
    assert_int_equal(label_find(s->world, &LONG[60]), s->e[0]);
}

static void of_several_entities_the_one_with_the_lowest_index_is_found(void **state)
{
    scene         *s       = *state;
    const uint32_t order[] = { 5, 3, 8, 1, 9 };
    for (uint32_t i = 0; i < COUNT_OF(order); i++) {
        assert_true(label_set(s->world, s->e[order[i]], "orc"));
    }
    assert_int_equal(label_find(s->world, "orc"), s->e[1]);
    label_remove(s->world, s->e[1]);
    assert_int_equal(label_find(s->world, "orc"), s->e[3]);
    kith_entity_destroy(s->world, s->e[3]);
    label_set(s->world, s->e[5], "elf");
    assert_int_equal(label_find(s->world, "orc"), s->e[8]);
}

static void a_removed_name_is_not_found_while_the_world_is_held(void **state)
{
    scene  *s    = *state;
    labeled loop = labeled_begin(s->world);
    label_set(s->world, s->e[0], "a");
    label_set(s->world, s->e[1], "a");
    label_remove(s->world, s->e[0]);
    assert_int_equal(label_find(s->world, "a"), s->e[1]);
    label_set(s->world, s->e[0], "a"); // another row
    assert_int_equal(label_find(s->world, "a"), s->e[0]);
    assert_world_valid(s->world);
    labeled_end(&loop);
    assert_int_equal(label_find(s->world, "a"), s->e[0]);
}

static void disabled_names_are_found(void **state)
{
    scene *s = *state;
    label_set(s->world, s->e[0], "a");
    kith_component_enable(s->world, s->e[0], LABEL, false);
    assert_int_equal(label_find(s->world, "a"), s->e[0]);
}

static void a_query_reads_names(void **state)
{
    scene   *s     = *state;
    uint32_t found = 0;
    label_set(s->world, s->e[0], "a");
    badge_set(s->world, s->e[0], "b");
    for (labeled i = labeled_begin(s->world); labeled_next(&i);) {
        assert_string_equal(kith_text_bytes(i.label), "a");
        assert_string_equal(kith_text_bytes(i.badge), "b");
        found++;
    }
    assert_int_equal(found, 1);
}

static void many_names_are_found(void **state)
{
    scene *s = *state;
    char   text[16];
    enum { MANY = 5000 };
    kith_entity *many = calloc(MANY, sizeof *many);
    assert_true(kith_entity_create_many(s->world, many, MANY, NULL, 0));
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "e%u", i);
        assert_true(badge_set(s->world, many[i], text));
    }
    for (uint32_t i = 0; i < MANY; i += 2) {
        badge_remove(s->world, many[i]);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "e%u", i);
        assert_int_equal(badge_find(s->world, text), i % 2 == 0 ? KITH_NULL : many[i]);
    }
    free(many);
}

// --- what is refused ---------------------------------------------------------------------------

static void an_empty_text_is_never_found(void **state)
{
    scene *s = *state;
    assert_true(label_set(s->world, s->e[0], ""));
    assert_non_null(kith_component_set(s->world, s->e[1], LABEL, NULL));
    assert_int_equal(label_find(s->world, ""), KITH_NULL);
    assert_string_equal(label_text(s->world, s->e[0]), "");
    assert_string_equal(label_text(s->world, s->e[1]), "");
    assert_true(badge_set(s->world, s->e[0], ""));
    assert_true(badge_set(s->world, s->e[1], ""));
    assert_int_equal(s->memory.errors, 0);
}

static void only_names_are_found(void **state)
{
    scene *s = *state;
    label_set(s->world, s->e[0], "a");
    assert_int_equal(kith_name_find(s->world, NUMBER, "a"), KITH_NULL);
    assert_recorded(s, KITH_OK); // calls that read record nothing
    assert_int_equal(kith_name_find(s->world, 500, "a"), KITH_NULL);
    assert_int_equal(kith_name_find(s->world, KITH_COMPONENT_MAX + 1, "a"), KITH_NULL);
    assert_int_equal(s->memory.errors, 3);
}

static void claiming_what_is_no_name_changes_nothing(void **state)
{
    scene *s = *state;
    assert_false(kith_name_claim(s->world, s->e[0], NUMBER, "a"));
    assert_false(kith_component_has(s->world, s->e[0], NUMBER));
    assert_false(kith_name_claim(s->world, s->e[0], 500, "a"));
    assert_int_equal(s->memory.errors, 2);
}

// Hooks and parts of systems may not make the index.
static bool find_in_hook(void *value, const void *source, void *context)
{
    scene *s = context;
    (void)source;
    *(int *)value = label_find(s->world, "a") == s->e[1];
    return true;
}

static void a_hook_finds_names_without_an_index(void **state)
{
    enum { SEEKER = 50 };
    scene                    *s    = *state;
    const kith_component_desc desc = { .name         = "seeker",
                                       .id           = SEEKER,
                                       .size         = sizeof(int),
                                       .alignment    = _Alignof(int),
                                       .traits.hooks = { .copy = find_in_hook, .context = s } };
    assert_int_equal(kith_component_register(s->world, &desc), SEEKER);
    const int zero = 0;
    label_set(s->world, s->e[2], "a");
    label_set(s->world, s->e[1], "a");
    const int *found = kith_component_set(s->world, s->e[0], SEEKER, &zero);
    assert_int_equal(*found, 1);
    assert_int_equal(s->memory.errors, 0);
    assert_int_equal(label_find(s->world, "a"), s->e[1]);
}

static void a_unique_name_of_another_entity_is_refused_by_name(void **state)
{
    scene *s = *state;
    char   text[256];
    badge_set(s->world, s->e[0], "player");
    badge_set(s->world, s->e[1], "enemy");
    s->memory.errors = 0;

    assert_false(badge_set(s->world, s->e[1], "player"));

    kith_error error = kith_world_error(s->world);
    assert_int_equal(error.code, KITH_ERROR_ARGUMENT);
    kith_error_text(s->world, &error, text, sizeof text);
    assert_string_equal(text,
                        "badge_set: another entity has the unique name (\"player\"): entity 0v1");
    assert_string_equal(badge_text(s->world, s->e[1]), "enemy");
    assert_false(badge_set(s->world, s->e[2], "player"));
    assert_false(badge_has(s->world, s->e[2]));
    assert_true(badge_set(s->world, s->e[0], "player")); // its own
    badge_remove(s->world, s->e[0]);
    assert_true(badge_set(s->world, s->e[1], "player"));
}

static void clones_lack_unique_names_and_keep_the_others(void **state)
{
    scene      *s = *state;
    kith_entity clones[2];
    label_set(s->world, s->e[5], LONG);
    badge_set(s->world, s->e[5], "b");

    assert_true(kith_entity_clone_many(s->world, s->e[5], clones, 2));
    kith_entity_destroy(s->world, s->e[5]);
    assert_int_equal(label_find(s->world, LONG), clones[0]);
    assert_false(badge_has(s->world, clones[0]));
    assert_true(kith_entities_clone(s->world, s->world, clones, 1, &s->e[5]));
    assert_string_equal(label_text(s->world, s->e[5]), LONG);
    kith_entity_destroy(s->world, clones[0]);
    kith_entity_destroy(s->world, clones[1]);
    assert_int_equal(label_find(s->world, LONG), s->e[5]);
}

static void stale_and_null_handles_have_no_name(void **state)
{
    scene      *s    = *state;
    kith_entity gone = s->e[5];
    char        text[8];
    label_set(s->world, gone, "gone");
    kith_entity_destroy(s->world, gone);
    kith_entity next = kith_entity_create(s->world); // at the same index
    assert_int_equal(kith_entity_index(next), kith_entity_index(gone));
    label_set(s->world, next, "next");
    const kith_entity handles[] = { gone, KITH_NULL };
    for (uint32_t i = 0; i < 2; i++) {
        assert_false(label_set(s->world, handles[i], "a"));
        assert_recorded(s, i == 0 ? KITH_ERROR_DEAD_ENTITY : KITH_ERROR_NULL_ENTITY);
        assert_false(badge_set(s->world, handles[i], "a"));
        assert_recorded(s, i == 0 ? KITH_ERROR_DEAD_ENTITY : KITH_ERROR_NULL_ENTITY);
        assert_null(label_text(s->world, handles[i]));
        assert_int_equal(label_path(s->world, SCENE, handles[i], text, sizeof text), 0);
        assert_string_equal(text, "");
    }
    assert_int_equal(label_find_path(s->world, SCENE, gone, "next"), KITH_NULL);
    assert_int_equal(label_find(s->world, "a"), KITH_NULL);
    assert_int_equal(label_find(s->world, "gone"), KITH_NULL);
    assert_int_equal(label_find(s->world, "next"), next);
}

// --- events, batches, commands -------------------------------------------------------------------

static void hear(kith_world *world, const kith_notice *notice, void *context)
{
    scene      *s     = context;
    const char *text  = label_text(world, notice->entity);
    bool        found = label_find(world, text) == notice->entity;
    snprintf(s->heard[s->count++], sizeof *s->heard, "%s %s %s", kith_event_name(notice->event),
             text, found ? "found" : "-");
}

static void rename_once(kith_world *world, const kith_notice *notice, void *context)
{
    (void)context;
    if (strcmp(label_text(world, notice->entity), "first") == 0) {
        label_set(world, notice->entity, "second");
    }
}

static void listen(scene *s, kith_event event, kith_listener_fn call)
{
    const kith_listener_desc desc = {
        .event = event, .component = LABEL, .call = call, .context = s
    };
    assert_int_not_equal(kith_listener_connect(s->world, &desc), 0);
}

static void listeners_find_a_name(void **state)
{
    scene *s = *state;
    listen(s, KITH_EVENT_ADD, hear);
    listen(s, KITH_EVENT_SET, hear);
    listen(s, KITH_EVENT_REMOVE, hear);
    label_set(s->world, s->e[0], "a");
    label_set(s->world, s->e[0], "b");
    label_fill_many(s->world, s->e, 2, "c");
    kith_entity_destroy(s->world, s->e[0]);
    label_remove(s->world, s->e[1]);
    const char *const expected[] = { "add a found", "set b found",    "set c found",
                                     "add c -",     "remove c found", "remove c found" };
    assert_int_equal(s->count, COUNT_OF(expected));
    for (uint32_t i = 0; i < s->count; i++) {
        assert_string_equal(s->heard[i], expected[i]);
    }
}

static void a_listener_may_rename(void **state)
{
    scene *s = *state;
    listen(s, KITH_EVENT_ADD, rename_once);
    assert_true(label_set(s->world, s->e[0], "first"));
    assert_int_equal(label_find(s->world, "first"), KITH_NULL);
    assert_int_equal(label_find(s->world, "second"), s->e[0]);
    assert_true(label_fill_many(s->world, s->e, 5, "first"));
    assert_int_equal(label_find(s->world, "first"), s->e[0]); // no add, so not renamed
    assert_int_equal(label_find(s->world, "second"), s->e[1]);
}

static void batches_set_replace_and_remove_names(void **state)
{
    scene          *s       = *state;
    const kith_text names[] = { kith_text_of("a"), kith_text_of(LONG), kith_text_of("b") };
    label_set(s->world, s->e[1], "old");
    label_set(s->world, s->e[2], LONG);
    assert_true(label_set_many(s->world, s->e, 3, names));
    assert_int_equal(label_find(s->world, "a"), s->e[0]);
    assert_int_equal(label_find(s->world, LONG), s->e[1]);
    assert_int_equal(label_find(s->world, "b"), s->e[2]);
    assert_int_equal(label_find(s->world, "old"), KITH_NULL);
    assert_true(label_fill_many(s->world, s->e, ENTITIES, LONG));
    assert_int_equal(label_find(s->world, LONG), s->e[0]);
    assert_int_equal(label_find(s->world, "b"), KITH_NULL);
    assert_true(label_remove_many(s->world, s->e, 4));
    assert_int_equal(label_find(s->world, LONG), s->e[4]);
    kith_entity_destroy_many(s->world, kith_entities_of(s->e, ENTITIES));
    assert_int_equal(label_find(s->world, LONG), KITH_NULL);
}

static void commands_set_names(void **state)
{
    scene         *s        = *state;
    kith_commands *commands = kith_commands_create(s->world, NULL);
    char           text[]   = "later";
    kith_entity    made     = kith_entity_create_later(commands);
    assert_true(label_set_later(commands, made, text));
    assert_true(label_set_later(commands, s->e[0], LONG));
    assert_true(label_set_later(commands, s->e[1], "gone"));
    assert_true(label_remove_later(commands, s->e[1]));
    memset(text, 'x', sizeof text - 1); // the text was copied
    assert_true(kith_commands_apply(commands, s->world));
    assert_int_equal(kith_component_count(s->world, LABEL), 2);
    assert_int_not_equal(label_find(s->world, "later"), KITH_NULL);
    assert_int_equal(label_find(s->world, LONG), s->e[0]);
    assert_true(label_set_later(commands, s->e[3], "dropped"));
    kith_commands_destroy(commands);
}

// --- paths ---------------------------------------------------------------------------------------

static void make_ship(scene *s)
{
    const char *const names[] = { "ship", "turret", "barrel", "turret", "barrel", NULL, "x" };
    const uint32_t    above[] = { 0, 0, 1, 0, 3, 0, 5 };
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        if (names[i] != NULL) {
            assert_true(label_set(s->world, s->e[i], names[i]));
        }
        if (i > 0) {
            assert_true(kith_hierarchy_append(s->world, SCENE, s->e[above[i]], s->e[i]));
        }
    }
}

static void a_path_leads_to_an_entity(void **state)
{
    scene *s = *state;
    make_ship(s);
    kith_world *w = s->world;
    assert_int_equal(label_find_path(w, SCENE, KITH_NULL, "ship"), s->e[0]);
    assert_int_equal(label_find_path(w, SCENE, KITH_NULL, "ship/turret"), s->e[1]);
    assert_int_equal(label_find_path(w, SCENE, KITH_NULL, "ship/turret/barrel"), s->e[2]);
    assert_int_equal(label_find_path(w, SCENE, s->e[3], "barrel"), s->e[4]);
    assert_int_equal(label_find_path(w, SCENE, s->e[5], "x"), s->e[6]);
    assert_int_equal(label_find_path(w, SCENE, KITH_NULL, "x"), s->e[6]);
    const char *const none[] = { "", "/", "ship/", "/ship", "ship//turret", "ship/barrel", "hull" };
    for (uint32_t i = 0; i < COUNT_OF(none); i++) {
        assert_int_equal(label_find_path(w, SCENE, KITH_NULL, none[i]), KITH_NULL);
        assert_int_equal(label_find_path(w, SCENE, s->e[0], none[i]), KITH_NULL);
    }
    assert_int_equal(label_find_path(w, SCENE, s->e[8], "ship"), KITH_NULL); // no node
    assert_int_equal(s->memory.errors, 0);
    assert_int_equal(label_find_path(w, NUMBER, KITH_NULL, "ship"), KITH_NULL);
    assert_int_equal(kith_name_find_path(w, NUMBER, SCENE, KITH_NULL, "ship"), KITH_NULL);
    assert_int_equal(s->memory.errors, 2);
}

static void the_path_of_an_entity_is_written(void **state)
{
    scene *s = *state;
    char   text[32];
    make_ship(s);
    assert_int_equal(label_path(s->world, SCENE, s->e[4], text, sizeof text), 18);
    assert_string_equal(text, "ship/turret/barrel");
    assert_int_equal(label_path(s->world, SCENE, s->e[4], text, 19), 18);
    assert_string_equal(text, "ship/turret/barrel");
    assert_int_equal(label_path(s->world, SCENE, s->e[4], text, 18), 18);
    assert_string_equal(text, "");
    assert_int_equal(label_path(s->world, SCENE, s->e[4], NULL, 0), 18);
    assert_int_equal(label_path(s->world, SCENE, s->e[6], text, sizeof text), 1);
    assert_string_equal(text, "x"); // its parent has no name
    assert_int_equal(label_path(s->world, SCENE, s->e[5], text, sizeof text), 0);
    assert_string_equal(text, "");
    label_set(s->world, s->e[9], "alone"); // no node
    assert_int_equal(label_path(s->world, SCENE, s->e[9], text, sizeof text), 5);
    assert_string_equal(text, "alone");
    // no path leads through these names
    label_set(s->world, s->e[3], "a/b");
    assert_int_equal(label_path(s->world, SCENE, s->e[4], text, sizeof text), 0);
    assert_string_equal(text, "");
    label_set(s->world, s->e[3], "");
    assert_int_equal(label_path(s->world, SCENE, s->e[4], text, sizeof text), 0);
    assert_int_equal(label_find_path(s->world, SCENE, KITH_NULL, "ship/"), KITH_NULL);
    assert_int_equal(label_find_path(s->world, SCENE, KITH_NULL, "ship//barrel"), KITH_NULL);
}

// --- state ---------------------------------------------------------------------------------------

static void assert_same_names(kith_world *a, kith_world *b)
{
    kith_entity entity = KITH_NULL;
    assert_int_equal(kith_component_count(a, LABEL), kith_component_count(b, LABEL));
    assert_int_equal(kith_component_count(a, BADGE), kith_component_count(b, BADGE));
    while ((entity = kith_entity_next(a, entity)) != KITH_NULL) {
        for (uint32_t i = 0; i < 2; i++) {
            const kith_text *name = i == 0 ? label_get(a, entity) : badge_get(a, entity);
            const kith_text *same = i == 0 ? label_get(b, entity) : badge_get(b, entity);
            assert_int_equal(name == NULL, same == NULL);
            if (name != NULL) {
                const char *text = kith_text_bytes(name);
                assert_string_equal(text, kith_text_bytes(same));
                assert_int_equal(kith_name_find(a, LABEL + i, text),
                                 kith_name_find(b, LABEL + i, text));
            }
        }
    }
    assert_world_valid(a);
    assert_world_valid(b);
}

static void name_some(scene *s)
{
    label_set(s->world, s->e[3], "orc");
    label_set(s->world, s->e[2], "orc");
    label_set(s->world, s->e[4], LONG);
    badge_set(s->world, s->e[3], "the \"orc\"\n\xff");
    badge_set(s->world, s->e[1], LONG);
}

static uint64_t hash_of(const kith_world *world)
{
    uint64_t hash = 0;
    assert_true(kith_world_hash_full(world, KITH_ALL, &hash));
    return hash;
}

static void save(const kith_world *world, kith_bytes *bytes)
{
    assert_int_equal(kith_world_save_memory(world, NULL, bytes).code, KITH_OK);
}

static void names_are_saved_loaded_hashed_and_cloned(void **state)
{
    scene     *s     = *state;
    kith_bytes bytes = { 0 };
    name_some(s);
    uint64_t before = hash_of(s->world);
    save(s->world, &bytes);
    label_set(s->world, s->e[2], "elf");
    assert_true(hash_of(s->world) != before);

    assert_int_equal(kith_world_load(s->world, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(hash_of(s->world), before);
    assert_int_equal(label_find(s->world, "orc"), s->e[2]);
    assert_int_equal(label_find(s->world, "elf"), KITH_NULL);
    assert_int_equal(badge_find(s->world, LONG), s->e[1]);

    kith_world *clone = kith_world_clone(s->world, NULL);
    assert_same_names(s->world, clone);
    label_set(clone, s->e[0], "orc");
    assert_int_equal(label_find(clone, "orc"), s->e[0]);
    assert_int_equal(label_find(s->world, "orc"), s->e[2]);
    badge_remove(clone, s->e[3]);
    assert_true(badge_set(clone, s->e[4], "the \"orc\"\n\xff"));
    kith_world_destroy(clone);
    kith_bytes_free(&bytes);
}

static void a_damaged_file_leaves_the_names(void **state)
{
    scene     *s     = *state;
    kith_bytes bytes = { 0 };
    name_some(s);
    save(s->world, &bytes);
    label_set(s->world, s->e[2], "elf");
    uint64_t before = hash_of(s->world);
    for (size_t size = 0; size < bytes.size; size++) {
        assert_int_not_equal(kith_world_load(s->world, NULL, bytes.data, size).code, KITH_OK);
    }
    const uint32_t bits = (uint32_t)bytes.size * 8;
    for (uint32_t bit = 0; bit < bits; bit += bits / test_thinned(bits)) {
        bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        kith_result result = kith_world_load(s->world, NULL, bytes.data, bytes.size);
        bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_not_equal(result.code, KITH_OK);
    }
    assert_int_equal(hash_of(s->world), before);
    assert_int_equal(label_find(s->world, "elf"), s->e[2]);
    assert_int_equal(badge_find(s->world, LONG), s->e[1]);
    kith_bytes_free(&bytes);
}

static void a_restored_frame_has_its_names(void **state)
{
    scene       *s      = *state;
    kith_frames *frames = kith_frames_create(s->world, &(kith_frames_desc){ .capacity = 4 });
    name_some(s);
    uint64_t frame  = kith_frames_save(frames);
    uint64_t before = hash_of(s->world);
    label_set(s->world, s->e[2], LONG);
    badge_remove(s->world, s->e[3]);
    badge_set(s->world, s->e[0], "the \"orc\"\n\xff");
    kith_entity_destroy(s->world, s->e[1]);
    uint64_t later = kith_frames_save(frames);

    assert_true(kith_frames_restore(frames, frame));
    assert_int_equal(hash_of(s->world), before);
    assert_int_equal(label_find(s->world, "orc"), s->e[2]);
    assert_int_equal(badge_find(s->world, "the \"orc\"\n\xff"), s->e[3]);
    assert_int_equal(badge_find(s->world, LONG), s->e[1]);
    assert_same_names(s->world, (kith_world *)(uintptr_t)kith_frames_world(frames, frame));
    assert_true(kith_frames_restore(frames, later));
    assert_int_equal(label_find(s->world, LONG), s->e[2]);
    assert_int_equal(badge_find(s->world, "the \"orc\"\n\xff"), s->e[0]);
    assert_int_equal(badge_find(s->world, LONG), KITH_NULL);
    assert_world_valid(s->world);
}

static void a_merge_brings_names(void **state)
{
    scene      *s      = *state;
    test_memory memory = { 0 };
    kith_world *here   = make_world(&memory);
    kith_merge *merge  = kith_merge_create(here);
    kith_bytes  bytes  = { 0 };
    kith_entity local  = kith_entity_create(here);
    badge_set(here, local, LONG);
    name_some(s);
    assert_int_equal(
        kith_hierarchy_register(here, &(kith_hierarchy_desc){ .name = "scene", .id = SCENE }),
        SCENE);
    save(s->world, &bytes);
    assert_int_equal(kith_merge_apply(merge, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(badge_find(here, LONG), local); // the lowest index
    assert_string_equal(badge_text(here, kith_merge_local(merge, s->e[1])), LONG);
    assert_true(badge_remove(here, local));
    assert_int_equal(badge_find(here, LONG), kith_merge_local(merge, s->e[1]));
    assert_string_equal(label_text(here, kith_merge_local(merge, s->e[2])), "orc");
    kith_bytes_free(&bytes);
    // two entities exchange their names
    badge_remove(s->world, s->e[3]);
    badge_set(s->world, s->e[1], "the \"orc\"\n\xff");
    badge_set(s->world, s->e[3], LONG);
    save(s->world, &bytes);
    assert_int_equal(kith_merge_apply(merge, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(badge_find(here, LONG), kith_merge_local(merge, s->e[3]));
    assert_int_equal(badge_find(here, "the \"orc\"\n\xff"), kith_merge_local(merge, s->e[1]));
    kith_bytes_free(&bytes);
    test_world_end(here, &memory);
}

// The world as JSON, with a 0 behind it.
static const char *write_json(const kith_world *world, kith_bytes *text)
{
    assert_true(kith_json_write_world(world, kith_bytes_write, text));
    assert_true(kith_bytes_write("", 1, text));
    return (const char *)text->data;
}

static void json_has_names_as_text(void **state)
{
    scene      *s      = *state;
    test_memory memory = { 0 };
    kith_world *copy   = make_world(&memory);
    kith_bytes  t      = { 0 };
    name_some(s);
    const char *json = write_json(s->world, &t);
    assert_non_null(strstr(json, "\"label\": \"orc\""));
    assert_non_null(strstr(json, "\"badge\": \"the \\\"orc\\\"\\u000a\\udcff\""));
    assert_int_equal(kith_json_read_world(copy, json, t.size - 1, NULL).code, KITH_OK);
    assert_same_names(s->world, copy);
    assert_same_names(s->world, copy);
    test_world_end(copy, &memory);
    kith_bytes_free(&t);
}

static void diff_shows_names_as_text(void **state)
{
    scene *s = *state;
    name_some(s);
    kith_world *clone = kith_world_clone(s->world, NULL);
    kith_diff   diff  = { 0 };
    label_set(clone, s->e[3], "elf");
    assert_true(kith_world_diff(s->world, clone, &diff));
    assert_int_equal(diff.count, 1);
    assert_string_equal(diff.text,
                        "entity 3v1: \"label\" is \"orc\" in the first world and \"elf\" in "
                        "the second");
    kith_world_destroy(clone);
}

// A world that does not know the component, as that of the tool, shows it too.
static void an_unknown_component_keeps_its_text(void **state)
{
    scene         *s      = *state;
    test_memory    memory = { 0 };
    kith_world    *tool   = test_world(&memory);
    kith_bytes     bytes  = { 0 };
    kith_bytes     t      = { 0 };
    kith_load_desc keep   = { .unknown = KITH_UNKNOWN_KEEP };
    label_set(s->world, s->e[1], "orc");
    save(s->world, &bytes);
    assert_int_equal(kith_world_load(tool, &keep, bytes.data, bytes.size).code, KITH_OK);
    const char *json = write_json(tool, &t);
    assert_non_null(strstr(json, "\"label\": \"orc\""));
    kith_world *clone = kith_world_clone(tool, NULL);
    kith_bytes_free(&bytes);
    save(clone, &bytes);
    kith_world_destroy(clone);
    label_set(s->world, s->e[1], "elf");
    assert_int_equal(kith_world_load(s->world, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(label_find(s->world, "orc"), s->e[1]);
    kith_bytes_free(&bytes);
    test_world_end(tool, &memory);
    kith_bytes_free(&t);
}

// A value of the program's own whose functions write text.
typedef struct digit {
    char is;
} digit;

static size_t write_digit(const void *value, void *bytes, size_t room, void *context)
{
    (void)context;
    if (room != 0) {
        memcpy(bytes, value, 1);
    }
    return 1;
}

static bool read_digit(void *value, const void *bytes, size_t size, void *context)
{
    (void)context;
    if (size == 1) {
        memcpy(value, bytes, 1);
    }
    return size == 1;
}

static const kith_saver digit_saver = { write_digit, read_digit, NULL };

enum { DIGIT = 40 };
KITH_COMPONENT_AS(digit, digit, DIGIT, text(&digit_saver));

static void values_of_the_form_text_are_shown_as_text(void **state)
{
    scene      *s      = *state;
    test_memory memory = { 0 };
    kith_world *copy   = test_world(&memory);
    kith_bytes  t      = { 0 };
    assert_true(digit_register(s->world) && digit_register(copy));
    digit_set(s->world, s->e[0], (digit){ '7' });
    const char *json = write_json(s->world, &t);
    assert_non_null(strstr(json, "\"digit\": \"7\""));
    assert_int_equal(kith_json_read_world(copy, json, t.size - 1, NULL).code, KITH_OK);
    assert_int_equal(digit_get(copy, s->e[0])->is, '7');
    test_world_end(copy, &memory);
    kith_bytes_free(&t);
}

static void validation_finds_what_the_index_lacks(void **state)
{
    scene *s = *state;
    label_set(s->world, s->e[0], "a");
    label_set(s->world, s->e[1], "a");
    assert_int_equal(label_find(s->world, "a"), s->e[0]);
    kith_text  *name   = (kith_text *)(uintptr_t)label_get(s->world, s->e[0]);
    const char *reason = NULL;
    name->near_[0]     = 'b';
    assert_false(kith_world_validate(s->world, &reason));
    assert_string_equal(reason, "a name is not in the index");
    name->near_[0] = 'a';
}

// --- registering ---------------------------------------------------------------------------------

static void names_are_registered_again_and_not_otherwise(void **state)
{
    scene               *s      = *state;
    const kith_name_desc same   = { .name = "label", .id = LABEL };
    const kith_name_desc unique = { .name = "label", .id = LABEL, .unique = true };
    const kith_name_desc plain  = { .name = "plain" };
    kith_component_desc  desc   = { .name      = "plain",
                                    .size      = sizeof(kith_text),
                                    .alignment = _Alignof(kith_text) };
    label_set(s->world, s->e[0], LONG);
    assert_int_equal(kith_name_register(s->world, &same), LABEL);
    assert_true(names_register(s->world));
    assert_true(label_set(s->world, s->e[1], LONG));
    assert_int_equal(kith_name_register(s->world, &unique), 0);
    assert_recorded(s, KITH_ERROR_CONFLICT);
    assert_int_not_equal(kith_component_register(s->world, &desc), 0);
    assert_int_equal(kith_name_register(s->world, &plain), 0);
    assert_recorded(s, KITH_ERROR_CONFLICT);
    desc              = *kith_component_describe(s->world, LABEL);
    desc.traits.hooks = (kith_hooks){ 0 };
    assert_int_equal(kith_component_register(s->world, &desc), 0);
    assert_recorded(s, KITH_ERROR_CONFLICT);
    assert_int_equal(label_find(s->world, LONG), s->e[0]);
    assert_true(label_set(s->world, s->e[0], LONG "2"));
}

// The link of the module cannot be made, so the names before and behind it go.
static void a_module_with_names_is_registered_whole(void **state)
{
    (void)state;
    test_memory    memory = { 0 };
    kith_world    *world  = test_world(&memory);
    kith_component wrong  = kith_component_register(
         world, &(kith_component_desc){ .name = "holder.holders", .size = 4, .alignment = 4 });
    assert_int_not_equal(wrong, 0);
    assert_false(names_register(world));
    assert_int_equal(kith_component_find(world, "label"), 0);
    assert_int_equal(kith_component_find(world, "number"), 0);
    assert_world_valid(world);
    kith_entity entity = kith_entity_create(world);
    kith_entity_destroy(world, entity);
    test_world_end(world, &memory);
}

// --- memory --------------------------------------------------------------------------------------

// A little of everything that allocates. Returns whether no call failed.
static bool try_all(kith_world *world, kith_bytes *bytes)
{
    kith_entity     e[40];
    bool            good    = kith_entity_create_many(world, e, 40, NULL, 0);
    const kith_text names[] = { kith_text_of(LONG), kith_text_of("b"), kith_text_of(LONG "3") };
    char            text[8];
    for (uint32_t i = 0; i < 30 && good; i++) { // heads grow twice
        snprintf(text, sizeof text, "n%u", i);
        good = badge_set(world, e[i], text) && badge_find(world, text) == e[i];
    }
    good = good && label_set(world, e[0], LONG "1") && label_set(world, e[0], LONG "2");
    good = good && label_set_many(world, e, 3, names) && label_find(world, LONG) == e[0];
    good = good && label_set_many(world, e + 1, 3, names);
    kith_frames *frames = good ? kith_frames_create(world, NULL) : NULL;
    uint64_t     frame  = frames == NULL ? 0 : kith_frames_save(frames);
    good = frame != 0 && label_remove(world, e[0]) && label_find(world, LONG) == e[1];
    good = good && kith_frames_restore(frames, frame) && label_find(world, LONG) == e[0];
    good = good && kith_world_save_memory(world, NULL, bytes).code == KITH_OK;
    good = good && label_set(world, e[0], LONG "4");
    good = good && kith_world_load(world, NULL, bytes->data, bytes->size).code == KITH_OK;
    good = good && label_find(world, LONG) == e[0];
    kith_world *clone = good ? kith_world_clone(world, NULL) : NULL;
    if (clone != NULL) {
        assert_same_names(world, clone);
        kith_world_destroy(clone);
    }
    kith_commands *commands = clone == NULL ? NULL : kith_commands_create(world, NULL);
    return commands != NULL && label_set_later(commands, e[5], LONG "5") &&
           kith_commands_apply(commands, world) && label_find(world, LONG "5") == e[5];
}

static void nothing_is_lost_when_an_allocation_fails(void **state)
{
    (void)state;
    bool     good = false;
    uint32_t fail = 1;
    for (; !good || fail < 100; fail++) {
        test_memory memory = { .fail_at = fail };
        kith_bytes  bytes  = { 0 };
        kith_world *world  = make_world(&memory);
        if (world != NULL) {
            good = try_all(world, &bytes);
            assert_true(good || memory.failed != 0);
            kith_bytes_free(&bytes);
            test_world_end(world, &memory);
        }
        assert_int_equal(memory.live_bytes, 0);
    }
}

static void without_memory_for_the_index_names_are_found(void **state)
{
    scene      *s = *state;
    kith_entity e[200];
    char        text[8];
    kith_entity_create_many(s->world, e, 200, NULL, 0);
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "n%u", i);
        label_set(s->world, e[i], text);
    }
    kith_component_reserve(s->world, LABEL, 512);
    s->memory.fail_all = true;
    for (uint32_t i = 0; i < 200; i++) {
        snprintf(text, sizeof text, "n%u", i);
        assert_true(label_set(s->world, e[i], text));
    }
    assert_world_valid(s->world);
    s->memory.fail_all = false;
    label_set(s->world, s->e[0], "one more");
    for (uint32_t i = 0; i < 200; i++) {
        snprintf(text, sizeof text, "n%u", i);
        assert_int_equal(label_find(s->world, text), e[i]);
    }
}

// --- random calls --------------------------------------------------------------------------------

#define CROWD 40
#define TEXTS 12

typedef struct table {
    uint32_t text[2][CROWD]; // 1 + number of the text of a label, of a badge; 0: none
} table;

static void text_of(uint32_t number, char *text, size_t room)
{
    snprintf(text, room, number % 3 == 0 ? LONG "%u" : "n%u", number);
}

static kith_entity naive_find(const table *t, const kith_entity *e, uint32_t which, uint32_t number)
{
    for (uint32_t i = 0; i < CROWD; i++) { // by ascending index
        if (t->text[which][i] == number + 1) {
            return e[i];
        }
    }
    return KITH_NULL;
}

static void assert_table(kith_world *world, const table *t, const kith_entity *e)
{
    char text[128];
    for (uint32_t number = 0; number < TEXTS; number++) {
        text_of(number, text, sizeof text);
        assert_int_equal(label_find(world, text), naive_find(t, e, 0, number));
        assert_int_equal(badge_find(world, text), naive_find(t, e, 1, number));
    }
    for (uint32_t i = 0; i < CROWD; i++) {
        assert_int_equal(label_has(world, e[i]), t->text[0][i] != 0);
        assert_int_equal(badge_has(world, e[i]), t->text[1][i] != 0);
    }
}

static void set_naive(table *t, const kith_entity *e, uint32_t which, uint32_t i, uint32_t number,
                      bool done)
{
    kith_entity holder = naive_find(t, e, which, number);
    assert_int_equal(done, which == 0 || holder == KITH_NULL || holder == e[i]);
    t->text[which][i] = done ? number + 1 : t->text[which][i];
}

static void random_calls_agree_with_a_table(void **state)
{
    scene       *s      = *state;
    uint64_t     seed   = test_seed();
    kith_frames *frames = kith_frames_create(s->world, &(kith_frames_desc){ .capacity = 4 });
    kith_bytes   bytes  = { 0 };
    kith_entity  e[CROWD];
    table        t     = { 0 };
    table        saved = t, framed = t;
    kith_world_clear(s->world);
    assert_true(kith_entity_create_many(s->world, e, CROWD, NULL, 0));
    save(s->world, &bytes);
    uint64_t frame = kith_frames_save(frames);
    for (uint32_t step = test_thinned(20000); step > 0; step--) {
        uint32_t i      = test_random_below(&seed, CROWD);
        uint32_t number = test_random_below(&seed, TEXTS);
        uint32_t what   = test_random_below(&seed, 100);
        uint32_t count  = test_random_below(&seed, CROWD - i) + 1;
        char     text[128];
        text_of(number, text, sizeof text);
        if (what < 40) {
            set_naive(&t, e, 0, i, number, label_set(s->world, e[i], text));
        } else if (what < 70) {
            set_naive(&t, e, 1, i, number, badge_set(s->world, e[i], text));
        } else if (what < 80) {
            assert_int_equal(label_remove(s->world, e[i]), t.text[0][i] != 0);
            assert_int_equal(badge_remove(s->world, e[i]), t.text[1][i] != 0);
            t.text[0][i] = t.text[1][i] = 0;
        } else if (what < 85) {
            assert_true(label_fill_many(s->world, e + i, count, text));
            for (uint32_t k = i; k < i + count; k++) {
                t.text[0][k] = number + 1;
            }
        } else if (what < 88) {
            assert_true(badge_remove_many(s->world, e + i, count));
            memset(&t.text[1][i], 0, count * sizeof t.text[1][i]);
        } else if (what < 90) {
            kith_bytes_free(&bytes);
            save(s->world, &bytes);
            saved = t;
        } else if (what < 92) {
            assert_int_equal(kith_world_load(s->world, NULL, bytes.data, bytes.size).code, KITH_OK);
            t = saved;
        } else if (what < 94) {
            frame  = kith_frames_save(frames);
            framed = t;
        } else if (what < 97) {
            assert_true(kith_frames_restore(frames, frame));
            t = framed;
        } else if (what < 98) {
            kith_world *clone = kith_world_clone(s->world, NULL);
            assert_table(clone, &t, e);
            kith_world_destroy(clone);
        } else {
            kith_component_enable(s->world, e[i], LABEL, what % 2);
        }
        assert_table(s->world, &t, e);
        if (step % 64 == 0) {
            assert_world_valid(s->world);
        }
    }
    kith_bytes_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_entity_is_found_by_its_name),
        TEST(texts_of_each_length_are_found),
        TEST(a_name_that_is_replaced_or_removed_is_not_found),
        TEST(a_name_may_be_set_from_its_own_text),
        TEST(of_several_entities_the_one_with_the_lowest_index_is_found),
        TEST(a_removed_name_is_not_found_while_the_world_is_held),
        TEST(disabled_names_are_found),
        TEST(a_query_reads_names),
        TEST(many_names_are_found),
        TEST(an_empty_text_is_never_found),
        TEST(only_names_are_found),
        TEST(claiming_what_is_no_name_changes_nothing),
        TEST(a_hook_finds_names_without_an_index),
        TEST(a_unique_name_of_another_entity_is_refused_by_name),
        TEST(clones_lack_unique_names_and_keep_the_others),
        TEST(stale_and_null_handles_have_no_name),
        TEST(listeners_find_a_name),
        TEST(a_listener_may_rename),
        TEST(batches_set_replace_and_remove_names),
        TEST(commands_set_names),
        TEST(a_path_leads_to_an_entity),
        TEST(the_path_of_an_entity_is_written),
        TEST(names_are_saved_loaded_hashed_and_cloned),
        TEST(a_damaged_file_leaves_the_names),
        TEST(a_restored_frame_has_its_names),
        TEST(a_merge_brings_names),
        TEST(json_has_names_as_text),
        TEST(diff_shows_names_as_text),
        TEST(an_unknown_component_keeps_its_text),
        TEST(values_of_the_form_text_are_shown_as_text),
        TEST(validation_finds_what_the_index_lacks),
        TEST(names_are_registered_again_and_not_otherwise),
        TEST(a_module_with_names_is_registered_whole),
        TEST(nothing_is_lost_when_an_allocation_fails),
        TEST(without_memory_for_the_index_names_are_found),
        TEST(random_calls_agree_with_a_table),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
