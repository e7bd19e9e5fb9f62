// SPDX-License-Identifier: MIT
// Saving and loading: what comes back, what is refused, and that a loaded world goes on as the
// saved one. Two worlds have the same state exactly when they are saved as the same bytes.
#include "snapshot_test.h"

#include "kith/hierarchy.h"

static uint64_t hash_of(kith_world *world)
{
    uint64_t kept = 0;
    uint64_t full = 1;
    assert_true(kith_world_hash(world, KITH_ALL, &kept));
    assert_true(kith_world_hash_full(world, KITH_ALL, &full));
    assert_true(kept == full);
    return kept;
}

static void assert_same_state(kith_world *a, kith_world *b)
{
    kith_bytes of_a = saved(a);
    kith_bytes of_b = saved(b);
    assert_same_bytes(&of_a, &of_b);
    assert_true(hash_of(a) == hash_of(b));
    kith_bytes_free(&of_a);
    kith_bytes_free(&of_b);
}

// --- what comes back -------------------------------------------------------------------------

static void everything_comes_back(void **state)
{
    scene      *s     = *state;
    test_memory other = { 0 };
    kith_world *twin  = make_world(&other, (kith_world_desc){ 0 });
    act_often(s->world, 5, 500);
    kith_bytes bytes = saved(s->world);
    load(twin, &bytes);
    assert_int_equal(kith_entity_count(twin), kith_entity_count(s->world));
    assert_int_equal(spot_count(twin), spot_count(s->world));
    for (kith_entity e = kith_entity_next(twin, KITH_NULL); e != KITH_NULL;
         e             = kith_entity_next(twin, e)) {
        assert_true(kith_entity_alive(s->world, e));
        assert_int_equal(asleep_has(twin, e), asleep_has(s->world, e));
        assert_int_equal(spot_row(twin, e), spot_row(s->world, e));
        assert_int_equal(pace_row(twin, e), pace_row(s->world, e));
        assert_int_equal(title_has(twin, e), title_has(s->world, e));
        if (title_has(twin, e)) {
            assert_string_equal(title_get(twin, e)->text, title_get(s->world, e)->text);
        }
    }
    assert_same_state(s->world, twin);
    kith_bytes_free(&bytes);
    test_world_end(twin, &other);
}

static void run_twins(kith_world_desc desc)
{
    test_memory memories[2] = { { 0 }, { 0 } };
    kith_world *a           = make_world(&memories[0], desc);
    kith_world *b           = make_world(&memories[1], desc);
    uint64_t    seed        = test_seed();
    for (uint32_t step = 0; step < 60 + test_thinned(600); step++) {
        uint64_t copy = seed;
        act_often(a, copy, 10);
        act_often(b, copy, 10);
        test_random(&seed);
        if (test_random_below(&seed, 3) == 0) {
            kith_bytes bytes = saved(b);
            if (test_random_below(&seed, 2) == 0) { // into a world that is new, or the same again
                test_world_end(b, &memories[1]);
                b = make_world(&memories[1], desc);
            }
            load(b, &bytes);
            kith_bytes_free(&bytes);
        }
        assert_same_state(a, b);
        assert_world_valid(b);
    }
    test_world_end(a, &memories[0]);
    test_world_end(b, &memories[1]);
}

// The same calls lead to the same state whether a world was loaded in between or not.
static void a_loaded_world_goes_on_as_the_saved_one(void **state)
{
    (void)state;
    run_twins((kith_world_desc){ .version_bits = 6 });
    for (uint32_t i = 0; i < TEST_FREE_ORDERS; i++) {
        run_twins((kith_world_desc){ .free_order = test_free_orders[i], .first_index = 3 });
    }
    run_twins((kith_world_desc){ .free_order = KITH_FREE_FIFO, .max_entities = 300 });
}

static void transient_values_are_absent_afterwards(void **state)
{
    scene      *s     = *state;
    kith_entity e     = kith_entity_create(s->world);
    kith_bytes  bytes = saved(s->world);
    cache_set(s->world, e, 7);
    kith_bytes with = saved(s->world);
    assert_same_bytes(&bytes, &with);
    load(s->world, &with);
    assert_true(kith_entity_alive(s->world, e));
    assert_false(cache_has(s->world, e));
    kith_bytes_free(&bytes);
    kith_bytes_free(&with);
}

static void all_ways_of_saving_write_the_same(void **state)
{
    scene *s = *state;
    act_often(s->world, 9, 2000);
    kith_bytes bytes = saved(s->world);
    kith_bytes other = { .data = NULL };
    assert_int_equal(kith_world_save(s->world, NULL, kith_bytes_write, &other).code, KITH_OK);
    assert_same_bytes(&bytes, &other);
    kith_bytes_free(&other);
    assert_int_equal(kith_world_save_file(s->world, NULL, "test_snapshot.kith").code, KITH_OK);
    kith_world_clear(s->world);
    kith_result result = kith_world_load_file(s->world, NULL, "test_snapshot.kith");
    assert_string_equal(result.message, "");
    other = saved(s->world);
    assert_same_bytes(&bytes, &other);
    assert_null(fopen("test_snapshot.kith.new", "rb"));
    remove("test_snapshot.kith");
    kith_bytes_free(&bytes);
    kith_bytes_free(&other);
}

static void some_components_are_saved(void **state)
{
    scene               *s      = *state;
    const kith_component some[] = { SPEED };
    const kith_save_desc desc   = { .components = some, .component_count = 1 };
    kith_bytes           bytes  = { .data = NULL };
    kith_entity          e      = kith_entity_create(s->world);
    pace_set(s->world, e, 3);
    spot_set(s->world, e, (place){ 1, 2, 3 });
    secret_set(s->world, e, 4); // not loaded
    assert_int_equal(kith_world_save_memory(s->world, &desc, &bytes).code, KITH_OK);
    load(s->world, &bytes);
    assert_int_equal(*pace_get(s->world, e), 3);
    assert_false(spot_has(s->world, e));
    kith_bytes_free(&bytes);
}

static void hierarchies_come_back_with_their_links(void **state)
{
    scene                    *s    = *state;
    const kith_hierarchy_desc tree = { "tree", 20, KITH_CHILDREN_ORPHAN, false };
    assert_int_equal(kith_hierarchy_register(s->world, &tree), 20);
    kith_entity parent = kith_entity_create(s->world);
    kith_entity child  = kith_entity_create(s->world);
    assert_true(kith_hierarchy_append(s->world, 20, parent, child));
    kith_bytes bytes = saved(s->world);
    kith_entity_destroy(s->world, parent);
    load(s->world, &bytes);
    assert_true(kith_hierarchy_validate(s->world, 20, NULL));
    assert_int_equal(((const kith_node *)kith_component_get(s->world, child, 20))->parent, parent);
    kith_entity_destroy(s->world, parent);
    assert_int_equal(((const kith_node *)kith_component_get(s->world, child, 20))->parent,
                     KITH_NULL);
    kith_bytes_free(&bytes);
}

// A file with right checksums and wrong links is refused, and the world is as it was.
static void hierarchies_with_loose_ends_are_refused(void **state)
{
    scene                    *s    = *state;
    const kith_hierarchy_desc tree = { "tree", 20, KITH_CHILDREN_ORPHAN, false };
    assert_int_equal(kith_hierarchy_register(s->world, &tree), 20);
    kith_entity child = kith_entity_create(s->world);
    assert_true(kith_hierarchy_append(s->world, 20, kith_entity_create(s->world), child));
    kith_bytes before                                              = saved(s->world);
    ((kith_node *)kith_component_mut(s->world, child, 20))->parent = KITH_NULL;
    kith_bytes loose                                               = saved(s->world);
    load(s->world, &before);
    kith_result result = kith_world_load(s->world, NULL, loose.data, loose.size);
    assert_int_equal(result.code, KITH_ERROR_FORMAT);
    assert_non_null(strstr(result.message, "\"tree\""));
    kith_bytes after = saved(s->world);
    assert_same_bytes(&before, &after);
    kith_bytes_free(&before);
    kith_bytes_free(&loose);
    kith_bytes_free(&after);
}

// --- an older state --------------------------------------------------------------------------

enum { WOUND = 30, IDLE };

static const kith_traits wound_traits = { .row_ticks = true,
                                          .journal   = 4,
                                          .saved     = KITH_AS(plain(4)) };

typedef struct pause_state {
    uint32_t since;
} pause_state;

KITH_FIELDS(pause_state, kith_skip(since));
KITH_COMPONENT_WITH(wound, int32_t, WOUND, wound_traits);
KITH_COMPONENT_AS(idle, pause_state, IDLE, fields(pause_state));
KITH_GROUP(cached, read(pace), with(cache));

static void all_is_written_now_in_a_world_that_goes_back(void **state)
{
    scene      *s = *state;
    kith_entity e = kith_entity_create(s->world);
    assert_true(wound_register(s->world));
    wound_set(s->world, e, 1);
    uint64_t   then  = kith_world_now(s->world);
    kith_bytes bytes = saved(s->world);
    for (uint32_t i = 0; i < 5; i++) {
        kith_world_advance(s->world);
    }
    load(s->world, &bytes);
    assert_int_equal(kith_world_now(s->world), then);
    assert_int_equal(kith_component_stamp(s->world, WOUND, 0), then);
    assert_int_equal(kith_component_added_at(s->world, e, WOUND), then);
    kith_bytes_free(&bytes);
}

static void journals_know_no_future_in_a_world_that_goes_back(void **state)
{
    scene       *s = *state;
    kith_entity  e = kith_entity_create(s->world);
    kith_removal last;
    assert_true(wound_register(s->world));
    uint64_t      then  = kith_world_now(s->world);
    kith_bytes    bytes = saved(s->world);
    kith_removals walk  = kith_removals_begin(s->world, WOUND, 0);
    for (uint32_t i = 0; i < 6; i++) { // more than the journal has
        kith_world_advance(s->world);
        wound_set(s->world, e, 1);
        wound_remove(s->world, e);
    }
    load(s->world, &bytes);
    assert_true(kith_removals_next(s->world, &walk, &last) && walk.lost);
    assert_int_equal(last.tick, then);
    assert_true(kith_removals_begin(s->world, WOUND, then).lost);
    kith_bytes_free(&bytes);
}

static void groups_of_what_is_not_saved_come_back_without_members(void **state)
{
    scene               *s      = *state;
    const kith_component some[] = { SPEED };
    const kith_save_desc desc   = { .components = some, .component_count = 1 };
    kith_bytes           bytes  = { .data = NULL };
    kith_entity          e      = kith_entity_create(s->world);
    assert_non_null(cached_group(s->world));
    pace_set(s->world, e, 1);
    cache_set(s->world, e, 1);
    asleep_add(s->world, e);
    assert_int_equal(kith_group_count(cached_group(s->world)), 1);
    assert_int_equal(kith_group_count(sleepers_group(s->world)), 1);
    assert_int_equal(kith_world_save_memory(s->world, &desc, &bytes).code, KITH_OK);
    load(s->world, &bytes);
    assert_int_equal(kith_group_count(cached_group(s->world)), 0);
    assert_int_equal(kith_group_count(sleepers_group(s->world)), 0);
    kith_bytes_free(&bytes);
}

static void values_of_which_all_is_skipped_come_back(void **state)
{
    scene      *s = *state;
    kith_entity e = kith_entity_create(s->world);
    assert_true(idle_register(s->world));
    idle_set(s->world, e, (pause_state){ 5 });
    kith_bytes bytes = saved(s->world);
    idle_remove(s->world, e);
    load(s->world, &bytes);
    assert_int_equal(idle_get(s->world, e)->since, 0);
    kith_bytes_free(&bytes);
}

// --- what is refused -------------------------------------------------------------------------

static void assert_not_saved(const kith_world *world, kith_error_code code, const char *message)
{
    kith_bytes  bytes  = { .data = NULL };
    kith_result result = kith_world_save_memory(world, NULL, &bytes);
    assert_int_equal(result.code, code);
    assert_string_equal(result.message, message);
    kith_bytes_free(&bytes);
}

static void values_without_a_form_are_not_saved(void **state)
{
    scene *s = *state;
    secret_set(s->world, kith_entity_create(s->world), 1);
    assert_not_saved(s->world, KITH_ERROR_UNSAVED,
                     "component \"secret\" has no save form: declare it with KITH_COMPONENT_AS");
}

static void nothing_is_saved_or_loaded_in_between(void **state)
{
    scene      *s     = *state;
    kith_bytes  bytes = saved(s->world);
    kith_entity e     = kith_entity_create(s->world);
    pace_set(s->world, e, 1);
    kith_world_hold(s->world);
    assert_not_saved(s->world, KITH_ERROR_BUSY, "a loop is open, or a hook or listener runs");
    assert_int_equal(kith_world_load(s->world, NULL, bytes.data, bytes.size).code, KITH_ERROR_BUSY);
    kith_world_release(s->world);
    kith_commands *later = kith_commands_create(s->world, NULL);
    kith_entity_destroy_later(later, e);
    assert_not_saved(s->world, KITH_ERROR_BUSY,
                     "a command buffer is not empty: apply and clear it first");
    assert_true(kith_entity_alive(s->world, e));
    kith_bytes_free(&bytes);
}

static bool refuse_bytes(const void *bytes, size_t size, void *context)
{
    uint32_t *left = context;
    (void)bytes, (void)size;
    return (*left)-- != 0;
}

static void a_file_that_cannot_be_written_is_reported(void **state)
{
    scene   *s    = *state;
    uint32_t left = 2;
    act_often(s->world, 1, 100);
    assert_int_equal(kith_world_save(s->world, NULL, refuse_bytes, &left).code, KITH_ERROR_IO);
    kith_result result = kith_world_save_file(s->world, NULL, "/nowhere/at.all");
    assert_int_equal(result.code, KITH_ERROR_IO);
    assert_non_null(strstr(result.message, "/nowhere/at.all"));
    result = kith_world_load_file(s->world, NULL, "/nowhere/at.all");
    assert_int_equal(result.code, KITH_ERROR_IO);
}

// The old file stays as it was when the new one cannot be finished.
static void a_failed_save_leaves_the_old_file(void **state)
{
    scene *s = *state;
    act_often(s->world, 3, 200);
    assert_int_equal(kith_world_save_file(s->world, NULL, "test_old.kith").code, KITH_OK);
    kith_bytes before = saved(s->world);
    secret_set(s->world, kith_entity_create(s->world), 1);
    assert_int_equal(kith_world_save_file(s->world, NULL, "test_old.kith").code,
                     KITH_ERROR_UNSAVED);
    assert_int_equal(kith_world_load_file(s->world, NULL, "test_old.kith").code, KITH_OK);
    kith_bytes after = saved(s->world);
    assert_same_bytes(&before, &after);
    assert_null(fopen("test_old.kith.new", "rb"));
    remove("test_old.kith");
    kith_bytes_free(&before);
    kith_bytes_free(&after);
}

static size_t count_and_write(const void *value, void *bytes, size_t room, void *context)
{
    ++*(uint32_t *)context;
    return write_label(value, bytes, room, NULL);
}

// The old ones may be gone, with the library that had them.
static void the_newest_save_functions_are_used(void **state)
{
    scene              *s     = *state;
    uint32_t            calls = 0;
    const kith_saver    newer = { count_and_write, read_label, &calls };
    kith_component_desc desc  = title_desc();
    uint64_t            seed  = 1;
    set_title(s->world, kith_entity_create(s->world), &seed);
    desc.traits.saved.functions = &newer;
    assert_int_equal(kith_component_register(s->world, &desc), LABEL);
    kith_bytes bytes = saved(s->world);
    assert_int_not_equal(calls, 0);
    kith_bytes_free(&bytes);
    assert_true(title_register(s->world)); // and back
}

static void other_worlds_are_refused_by_name(void **state)
{
    scene      *s     = *state;
    test_memory other = { 0 };
    kith_world *less  = test_world(&other);
    act_often(s->world, 3, 200);
    kith_bytes  bytes  = saved(s->world);
    kith_result result = kith_world_load(less, NULL, bytes.data, bytes.size);
    assert_int_equal(result.code, KITH_ERROR_UNREGISTERED);
    assert_string_equal(result.message, "\"spot\": not registered in this world");
    assert_true(pace_register(less));
    kith_load_desc skip = { .unknown = KITH_UNKNOWN_SKIP };
    result              = kith_world_load(less, &skip, bytes.data, bytes.size);
    assert_string_equal(result.message, "");
    assert_int_equal(pace_count(less), pace_count(s->world));
    assert_world_valid(less);
    kith_component_desc desc = spot_desc();
    desc.traits.saved        = (kith_saved){ .form = KITH_FORM_PLAIN, .unit = 8 };
    assert_int_equal(kith_component_register(less, &desc), PLACE);
    result = kith_world_load(less, &skip, bytes.data, bytes.size);
    assert_int_equal(result.code, KITH_ERROR_CONFLICT);
    assert_string_equal(result.message, "\"spot\": it has another save form in this world");
    test_world_end(less, &other);
    kith_bytes_free(&bytes);
}

// --- bytes that are not right ----------------------------------------------------------------

static void assert_refused_and_unchanged(scene *s, const kith_bytes *mine, const uint8_t *bytes,
                                         size_t size)
{
    kith_result result = kith_world_load(s->world, NULL, bytes, size);
    if (result.code == KITH_OK) {
        assert_world_valid(s->world);
    } else {
        assert_true(result.message[0] != '\0' && result.offset <= size);
    }
    kith_bytes now = saved(s->world);
    assert_same_bytes(mine, &now);
    kith_bytes_free(&now);
}

static void each_flipped_bit_is_noticed(void **state)
{
    scene *s = *state;
    act_often(s->world, 21, 60);
    kith_bytes bytes = saved(s->world);
    uint32_t   step  = test_thinned(1000) == 1000 ? 1 : 61;
    for (size_t bit = 0; bit < bytes.size * 8; bit += step) {
        bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        kith_result result = kith_world_load(s->world, NULL, bytes.data, bytes.size);
        bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(result.code, KITH_OK);
    }
    kith_bytes now = saved(s->world);
    assert_same_bytes(&bytes, &now);
    kith_bytes_free(&now);
    kith_bytes_free(&bytes);
}

static void each_truncation_is_noticed(void **state)
{
    scene *s = *state;
    act_often(s->world, 22, 60);
    kith_bytes bytes = saved(s->world);
    for (size_t size = 0; size < bytes.size; size++) {
        assert_int_not_equal(kith_world_load(s->world, NULL, bytes.data, size).code, KITH_OK);
    }
    kith_bytes more = { .data = NULL };
    kith_bytes_write(bytes.data, bytes.size, &more);
    kith_bytes_write("12345678", 8, &more);
    assert_refused_and_unchanged(s, &bytes, more.data, more.size);
    kith_bytes_free(&more);
    kith_bytes_free(&bytes);
}

static void an_unregistered_component_cannot_be_chosen(void **state)
{
    scene               *s       = *state;
    const kith_component some[]  = { SPEED, 900 };
    const kith_save_desc save    = { .components = some, .component_count = 2 };
    const kith_load_desc read    = { .components = some, .component_count = 2 };
    const kith_load_desc strange = { .unknown = (kith_unknown)9 };
    act_often(s->world, 91, 100);
    kith_bytes  file   = saved(s->world);
    kith_bytes  bytes  = { .data = NULL };
    kith_result result = kith_world_save_memory(s->world, &save, &bytes);
    assert_int_equal(result.code, KITH_ERROR_UNREGISTERED);
    assert_string_equal(result.message, "component 900 is listed but not registered here");
    result = kith_world_load(s->world, &read, file.data, file.size);
    assert_int_equal(result.code, KITH_ERROR_UNREGISTERED);
    result = kith_world_load(s->world, &strange, file.data, file.size);
    assert_int_equal(result.code, KITH_ERROR_ARGUMENT);
    kith_bytes now = saved(s->world);
    assert_same_bytes(&file, &now);
    kith_bytes_free(&now);
    kith_bytes_free(&file);
}

// Thousands of entities and rows that follow each other, with more and more that do not.
static void runs_and_what_breaks_them_come_back(void **state)
{
    scene   *s    = *state;
    uint64_t seed = 81;
    for (uint32_t i = 0; i < 40000; i++) {
        kith_entity e = kith_entity_create(s->world);
        spot_set(s->world, e, (place){ 1, (uint16_t)i, 2 });
        i % 3 == 0 ? (void)pace_set(s->world, e, 7) : (void)mark_add(s->world, e);
    }
    for (uint32_t round = 0; round < 7; round++) {
        kith_bytes first = saved(s->world);
        kith_world_clear(s->world);
        load(s->world, &first);
        kith_bytes second = saved(s->world);
        assert_same_bytes(&first, &second);
        kith_bytes_free(&first);
        kith_bytes_free(&second);
        for (uint32_t i = 0; i < 1u << (2 * round); i++) {
            kith_entity_destroy(s->world, any_entity(s->world, &seed));
            pace_remove(s->world, any_entity(s->world, &seed));
        }
    }
}

enum { BULK = 100, FIRST_OF_MANY, MANY = 70, ENTITIES = 5000 };

typedef struct bulk {
    uint32_t words[1024];
} bulk;

KITH_COMPONENT_AS(bulky, bulk, BULK, plain(4));
KITH_GROUP(marked, read(spot), with(mark));

// Enough components that some have their bits in the second plane.
static void register_many(kith_world *world)
{
    char name[16];
    assert_int_not_equal(bulky_register(world), 0);
    assert_non_null(marked_group(world));
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "many %u", (unsigned)i);
        kith_component_desc desc = { .name = name,
                                     .id   = FIRST_OF_MANY + i,
                                     .kind = i % 7 == 0 ? KITH_KIND_FLAG : KITH_KIND_TAG };
        assert_int_not_equal(kith_component_register(world, &desc), 0);
    }
}

// Entities on five pages; some on one of them have another version.
static void create_entities(kith_world *world)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        kith_entity_create(world);
    }
    for (uint32_t i = 1500; i < 1900; i++) {
        kith_entity_destroy(world, kith_entity_slot(world, i));
    }
    for (uint32_t i = 1500; i < 1900; i++) {
        kith_entity_create(world);
    }
}

// On the first pages all entities have the same. On the others whole pages of them have some
// components, parts of pages or every third entity others.
static void settle_entities(kith_world *world, uint32_t bulks)
{
    bulk value;
    create_entities(world);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        kith_entity e = kith_entity_slot(world, i);
        spot_set(world, e, (place){ 1, (uint16_t)i, 2 });
        mark_add(world, e);
        for (uint32_t j = 0; j < MANY; j++) {
            bool here = j % 4 == 0 || (j % 4 == 1 && i > 2700 + j) || (j % 4 == 2 && i % 3 == 0);
            if (i < 2048 ? j % 4 == 0 && j % 7 != 0 : here) {
                kith_component_add(world, e, FIRST_OF_MANY + j, NULL);
            }
        }
        if (i < bulks) {
            memset(&value, (int)(i & 255), sizeof value);
            bulky_set(world, e, value);
        }
    }
}

// Memory runs out here and there, in the middle of pages that are not written yet.
static void fail_loads(kith_world *to, test_memory *memory, const kith_bytes *file)
{
    kith_result result = { .code = KITH_ERROR_MEMORY };
    uint32_t    step   = test_thinned(1000) < 1000 ? 199 : 37;
    for (uint32_t at = 1; result.code != KITH_OK; at += step) {
        test_fail_after(memory, at);
        result = kith_world_load(to, NULL, file->data, file->size);
        test_fail_after(memory, 0);
        assert_true(result.code == KITH_OK || result.code == KITH_ERROR_MEMORY);
        assert_true(result.code == KITH_OK || kith_world_stats(to).slots == 0);
        assert_world_valid(to);
    }
    kith_world_clear(to);
}

static void check_entities(kith_world *from, uint32_t bulks)
{
    test_memory memory = { 0 };
    kith_world *to     = make_world(&memory, (kith_world_desc){ 0 });
    register_many(to);
    kith_world_clear(from);
    settle_entities(from, bulks);
    kith_bytes first = saved(from);
    fail_loads(to, &memory, &first);
    load(to, &first);
    kith_bytes second = saved(to);
    assert_same_bytes(&first, &second);
    kith_bytes_free(&first);
    kith_bytes_free(&second);
    test_world_end(to, &memory);
}

static void whole_pages_come_back_from_small_and_large_files(void **state)
{
    scene *s = *state;
    register_many(s->world);
    check_entities(s->world, 3);
    check_entities(s->world, 2100); // more than 8 MB
}

static void saving_survives_each_failed_allocation(void **state)
{
    scene *s = *state;
    act_often(s->world, 33, 400);
    kith_bytes  whole  = saved(s->world);
    test_memory memory = { 0 };
    kith_bytes  bytes  = { .allocator = test_allocator(&memory) };
    kith_result result;
    uint32_t    failed = 0;
    do {
        kith_bytes_free(&bytes);
        assert_int_equal(memory.live_blocks, 0);
        test_fail_after(&memory, ++failed);
        result = kith_world_save_memory(s->world, NULL, &bytes);
    } while (result.code == KITH_ERROR_MEMORY);
    assert_same_bytes(&whole, &bytes);
    assert_true(failed > 3);
    kith_bytes_free(&bytes);
    kith_bytes_free(&whole);
    assert_int_equal(memory.live_blocks, 0);
}

static void loading_survives_each_failed_allocation(void **state)
{
    scene *s = *state;
    act_often(s->world, 33, 400);
    kith_bytes then = saved(s->world);
    act_often(s->world, 34, 400);
    kith_bytes  now = saved(s->world);
    kith_result result;
    uint32_t    failed = 0;
    do {
        test_fail_after(&s->memory, ++failed);
        result = kith_world_load(s->world, NULL, then.data, then.size);
        test_fail_after(&s->memory, 0);
        kith_bytes after = saved(s->world);
        assert_same_bytes(result.code == KITH_OK ? &then : &now, &after);
        kith_bytes_free(&after);
        assert_world_valid(s->world);
    } while (result.code == KITH_ERROR_MEMORY);
    assert_int_equal(result.code, KITH_OK);
    assert_true(failed > 10);
    kith_bytes_free(&then);
    kith_bytes_free(&now);
}

static void a_load_is_announced_once_when_it_has_succeeded(void **state)
{
    scene               *s     = *state;
    heard                h     = { 0 };
    const kith_entity    one   = kith_entity_create(s->world);
    const kith_load_desc some  = { .entities = &one, .entity_count = 1 };
    const kith_save_desc exact = { .exact = true };
    const char *const    path  = "test_snapshot_replaced.kith";
    spot_set(s->world, one, (place){ 1, 2, 3 });
    spot_set(s->world, kith_entity_create(s->world), (place){ 4, 5, 6 });
    kith_bytes bytes = saved(s->world);
    kith_world_advance(s->world);
    hear_all(s->world, &h);
    load(s->world, &bytes);
    assert_replaced_once(&h, kith_world_now(s->world));
    assert_int_equal(kith_world_load(s->world, &some, bytes.data, bytes.size).code, KITH_OK);
    assert_replaced_once(&h, kith_world_now(s->world));
    assert_int_equal(kith_world_save_file(s->world, &exact, path).code, KITH_OK);
    assert_int_equal(kith_world_load_file(s->world, NULL, path).code, KITH_OK);
    assert_replaced_once(&h, kith_world_now(s->world));
    remove(path);
    assert_int_not_equal(kith_world_load(s->world, NULL, bytes.data, bytes.size / 2).code, KITH_OK);
    assert_int_equal(h.replaced + h.others, 0);
    kith_bytes_free(&bytes);
}

static void repopulate(kith_world *world, const kith_notice *notice, void *context)
{
    const kith_bytes *bytes = context;
    (void)notice;
    assert_int_equal(kith_world_load(world, NULL, bytes->data, bytes->size).code, KITH_ERROR_BUSY);
    spot_set(world, kith_entity_create(world), (place){ 1, 2, 3 });
}

static void a_listener_may_change_the_world_that_was_loaded(void **state)
{
    scene                   *s     = *state;
    kith_bytes               bytes = saved(s->world);
    const kith_listener_desc desc  = { .event   = KITH_EVENT_REPLACED,
                                       .call    = repopulate,
                                       .context = &bytes };
    uint32_t                 count = kith_entity_count(s->world);
    kith_listener            first = kith_listener_connect(s->world, &desc);
    load(s->world, &bytes);
    assert_int_equal(kith_entity_count(s->world), count + 1);
    assert_true(kith_listener_disconnect(s->world, first));
    assert_false(kith_listener_disconnect(s->world, first));
    load(s->world, &bytes);
    assert_int_equal(kith_entity_count(s->world), count);
    kith_bytes_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everything_comes_back),
        TEST(a_loaded_world_goes_on_as_the_saved_one),
        TEST(transient_values_are_absent_afterwards),
        TEST(all_ways_of_saving_write_the_same),
        TEST(some_components_are_saved),
        TEST(hierarchies_come_back_with_their_links),
        TEST(hierarchies_with_loose_ends_are_refused),
        TEST(all_is_written_now_in_a_world_that_goes_back),
        TEST(journals_know_no_future_in_a_world_that_goes_back),
        TEST(groups_of_what_is_not_saved_come_back_without_members),
        TEST(values_of_which_all_is_skipped_come_back),
        TEST(values_without_a_form_are_not_saved),
        TEST(nothing_is_saved_or_loaded_in_between),
        TEST(a_file_that_cannot_be_written_is_reported),
        TEST(a_failed_save_leaves_the_old_file),
        TEST(the_newest_save_functions_are_used),
        TEST(other_worlds_are_refused_by_name),
        TEST(each_flipped_bit_is_noticed),
        TEST(each_truncation_is_noticed),
        TEST(an_unregistered_component_cannot_be_chosen),
        TEST(runs_and_what_breaks_them_come_back),
        TEST(whole_pages_come_back_from_small_and_large_files),
        TEST(a_load_is_announced_once_when_it_has_succeeded),
        TEST(a_listener_may_change_the_world_that_was_loaded),
        TEST(saving_survives_each_failed_allocation),
        TEST(loading_survives_each_failed_allocation),
    };
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
