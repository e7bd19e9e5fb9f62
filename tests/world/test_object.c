// SPDX-License-Identifier: MIT
// Objects of the program: owned by the world, and a part of its state.
#include "kith/object.h"
#include "kith_test.h"

enum { LEVEL = 70 };

KITH_COMPONENT_AS(level, uint32_t, LEVEL, plain(4));

// --- a bag of entities -----------------------------------------------------------------------

typedef struct bag {
    kith_object  object;
    double       weight;
    uint32_t     count;
    kith_entity *entities;
    bool         locked;
    char         label[8];
} bag;

static struct {
    uint32_t living;
    uint32_t create_fails; // the next n calls of create return NULL
    uint32_t cleared;
    uint32_t shrunk;
    char     order[8]; // keys of destroyed bags, their first letters
    bool     state_fails;
    bool     no_memory; // the state function has none
    bool     invalid;
    bool     busy;
    bool     other_items; // as another version of the program has them
    bool     careless;    // the state function hands out a wrong type, and does not look
    bool     meddles;     // clear and shrink try to destroy the bag
    uint32_t states;      // calls of the state function
    uint32_t state_fails_at;
    uint32_t most; // entities that a file may ask for
} seen;

static kith_object *create_bag(kith_world *world, const char *key)
{
    assert_non_null(world);
    assert_non_null(key);
    if (seen.create_fails != 0) {
        seen.create_fails--;
        return NULL;
    }
    seen.living++;
    return calloc(1, sizeof(bag));
}

static void destroy_bag(kith_object *object)
{
    size_t length = strlen(seen.order);
    if (length + 1 < sizeof seen.order) {
        seen.order[length] = object->key[0];
    }
    seen.living--;
    free(((bag *)object)->entities);
    free(object);
}

static bool bag_state(kith_object *object, kith_state *state)
{
    bag *b = (bag *)object;
    seen.states++;
    if (seen.states == seen.state_fails_at) {
        return false;
    }
    if (seen.careless) {
        state->item(state, "weight", KITH_TYPE_STRUCT, &b->weight, 1);
        return true;
    }
    if (seen.state_fails ||
        !state->item(state, seen.other_items ? "mass" : "weight", KITH_TYPE_F64, &b->weight, 1) ||
        !state->item(state, "label", KITH_TYPE_CHARS, b->label, sizeof b->label) ||
        !state->item(state, "locked", KITH_TYPE_BOOL, &b->locked, 1) ||
        !state->item(state, "count", KITH_TYPE_U32, &b->count, 1)) {
        return false;
    }
    if (state->reading) {
        if (b->count * sizeof *b->entities > state->left) {
            return false;
        }
        state->no_memory = seen.no_memory;
        if (seen.no_memory) {
            return false;
        }
        seen.most   = b->count > seen.most ? b->count : seen.most;
        b->entities = calloc(b->count + 1, sizeof *b->entities);
    }
    return state->item(state, "entities", KITH_TYPE_ENTITY, b->entities, b->count);
}

static void clear_bag(kith_object *object)
{
    ((bag *)object)->count = 0;
    seen.cleared++;
    assert_false(seen.meddles && kith_object_destroy(object));
}

static void shrink_bag(kith_object *object)
{
    seen.shrunk++;
    assert_false(seen.meddles && kith_object_destroy(object));
}

static size_t bag_bytes(const kith_object *object)
{
    return sizeof(bag) + ((const bag *)object)->count * sizeof(kith_entity);
}

static const char *bag_busy(const kith_object *object, const char **name)
{
    *name = object->key;
    return seen.busy ? "a bag is open" : NULL;
}

static bool validate_bag(const kith_object *object, const char **reason)
{
    (void)object;
    *reason = seen.invalid ? "a bag has a hole" : *reason;
    return !seen.invalid;
}

static const kith_object_ops bag_ops = { .kind     = "bag",
                                         .size     = sizeof(bag),
                                         .create   = create_bag,
                                         .destroy  = destroy_bag,
                                         .state    = bag_state,
                                         .clear    = clear_bag,
                                         .shrink   = shrink_bag,
                                         .bytes    = bag_bytes,
                                         .busy     = bag_busy,
                                         .validate = validate_bag };

// The least that an object needs.
static const kith_object_ops stone_ops = { .kind    = "stone",
                                           .create  = create_bag,
                                           .destroy = destroy_bag };

static void fill(bag *b, uint32_t count)
{
    b->entities = realloc(b->entities, (count + 1) * sizeof *b->entities);
    b->weight   = 0.5 * count;
    b->count    = count;
    memcpy(b->label, "bag", 4);
    for (uint32_t i = 0; i < count; i++) {
        b->entities[i] = kith_entity_create(b->object.world);
        level_set(b->object.world, b->entities[i], i);
    }
}

static bag *bag_of(kith_world *world, const char *key)
{
    return (bag *)kith_object_of(world, &bag_ops, key);
}

static int begin(void **state)
{
    memset(&seen, 0, sizeof seen);
    test_fixture *f = calloc(1, sizeof *f);
    f->world        = test_world(&f->memory);
    *state          = f;
    return f->world != NULL && level_register(f->world) ? 0 : 1;
}

static int end(void **state)
{
    test_fixture *f    = *state;
    bool          done = kith_world_destroy(f->world) && seen.living == 0;
    done               = done && f->memory.live_blocks == 0;
    free(f);
    return done ? 0 : 1;
}

static kith_world *second_world(test_fixture *f)
{
    kith_world *world = test_world(&f->memory);
    assert_true(world != NULL && level_register(world));
    return world;
}

static uint64_t hash_of(kith_world *world)
{
    uint64_t hash;
    uint64_t full;
    assert_true(kith_world_hash(world, KITH_ALL, &hash));
    assert_true(kith_world_hash_full(world, KITH_ALL, &full));
    assert_int_equal(hash, full);
    return hash;
}

// --- of and destroy --------------------------------------------------------------------------

static void an_object_is_made_once_for_a_kind_and_a_key(void **state)
{
    test_fixture *f = *state;
    bag          *b = bag_of(f->world, "red");
    assert_non_null(b);
    assert_ptr_equal(b->object.world, f->world);
    assert_ptr_equal(bag_of(f->world, "red"), b);
    assert_ptr_not_equal(bag_of(f->world, "blue"), b);
    assert_ptr_not_equal(kith_object_of(f->world, &stone_ops, "red"), &b->object);
    assert_int_equal(seen.living, 3);
    assert_int_equal(f->memory.errors, 0);
}

static void the_world_destroys_the_newest_object_first(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = second_world(f);
    bag_of(world, "a");
    bag_of(world, "b");
    bag_of(world, "c");
    assert_true(kith_object_destroy(&bag_of(world, "b")->object));
    assert_string_equal(seen.order, "b");
    assert_true(kith_world_destroy(world));
    assert_string_equal(seen.order, "bca");
    assert_true(kith_object_destroy(NULL));
}

static void assert_not_made(test_fixture *f, const kith_object_ops *ops, const char *key,
                            const char *subject)
{
    assert_null(kith_object_of(f->world, ops, key));
    assert_int_equal(kith_world_error(f->world).code, KITH_ERROR_ARGUMENT);
    assert_string_equal(kith_world_error(f->world).subject, subject);
}

static void what_is_missing_is_refused(void **state)
{
    test_fixture   *f   = *state;
    kith_object_ops ops = bag_ops;
    assert_not_made(f, &bag_ops, NULL, "an object needs a key");
    assert_not_made(f, NULL, "red", "an object needs functions");
    ops.kind = NULL;
    assert_not_made(f, &ops, "red", "an object needs a kind");
    ops        = bag_ops;
    ops.create = NULL;
    assert_not_made(f, &ops, "red", "an object needs a create function");
    ops         = bag_ops;
    ops.destroy = NULL;
    assert_not_made(f, &ops, "red", "an object needs a destroy function");
    ops      = bag_ops;
    ops.size = sizeof(kith_object) - 1;
    assert_not_made(f, &ops, "red", "an object with state needs its size");
    bag_of(f->world, "red");
    ops = bag_ops;
    assert_not_made(f, &ops, "red", "the object of this kind and key has other functions");
    seen.create_fails = 1;
    assert_null(bag_of(f->world, "blue"));
    assert_int_equal(kith_world_error(f->world).code, KITH_ERROR_MEMORY);
    assert_int_equal(seen.living, 1);
}

static void a_busy_object_keeps_itself_and_its_world(void **state)
{
    test_fixture *f = *state;
    bag          *b = bag_of(f->world, "red");
    seen.busy       = true;
    assert_false(kith_object_destroy(&b->object));
    assert_int_equal(kith_world_error(f->world).code, KITH_ERROR_BUSY);
    assert_string_equal(kith_world_error(f->world).subject, "a bag is open");
    assert_false(kith_world_destroy(f->world));
    assert_string_equal(kith_world_error(f->world).other, "red");
    seen.busy = false;
    assert_true(kith_object_destroy(&b->object));
}

static void try_in_hook(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    *(bool *)context = bag_of(world, "new") != NULL; // a listener may
}

static void change(void *value, void *context)
{
    kith_object *object = context;
    *(uint32_t *)value =
        (uint32_t)kith_object_destroy(object) + 2u * (bag_of(object->world, "late") != NULL);
}

static void hooks_neither_make_nor_destroy_objects(void **state)
{
    test_fixture *f    = *state;
    bag          *b    = bag_of(f->world, "red");
    bool          made = false;
    kith_entity   e    = kith_entity_create(f->world);
    level_set(f->world, e, 7);
    kith_component_patch(f->world, e, LEVEL, change, &b->object);
    assert_int_equal(*level_get(f->world, e), 0);
    assert_int_equal(kith_world_error(f->world).code, KITH_ERROR_BUSY);
    kith_listener_connect(
        f->world,
        &(kith_listener_desc){ .event = KITH_EVENT_CREATE, .call = try_in_hook, .context = &made });
    kith_entity_create(f->world);
    assert_true(made);
}

static void the_world_counts_clears_shrinks_and_validates_objects(void **state)
{
    test_fixture *f      = *state;
    size_t        before = kith_world_memory(f->world, KITH_ALL).other;
    const char   *reason = "";
    bag          *b      = bag_of(f->world, "red");
    kith_object_of(f->world, &stone_ops, "red");
    assert_int_equal(kith_world_memory(f->world, KITH_ALL).other, before + sizeof(bag));
    fill(b, 3);
    assert_true(kith_world_shrink(f->world));
    assert_int_equal(seen.shrunk, 1);
    seen.invalid = true;
    assert_false(kith_world_validate(f->world, &reason));
    assert_string_equal(reason, "a bag has a hole");
    seen.invalid = false;
    assert_true(kith_world_validate(f->world, &reason));
    kith_world_clear(f->world);
    assert_int_equal(seen.cleared, 1);
    assert_int_equal(b->count, 0);
    assert_true(kith_world_hold(f->world)); // the slow way
    seen.meddles = true;
    kith_world_clear(f->world);
    assert_true(kith_world_release(f->world));
    assert_int_equal(seen.cleared, 2);
    assert_true(kith_world_shrink(f->world));
    assert_int_equal(kith_world_error(f->world).code, KITH_ERROR_BUSY);
    assert_int_equal(seen.living, 2);
}

// --- state -----------------------------------------------------------------------------------

static void assert_same_bag(const bag *a, const bag *b)
{
    assert_true(a->weight == b->weight && a->locked == b->locked);
    assert_int_equal(a->count, b->count);
    assert_string_equal(a->label, b->label);
    assert_memory_equal(a->entities, b->entities, a->count * sizeof *a->entities);
}

static void a_saved_object_is_loaded_into_the_same_object(void **state)
{
    test_fixture *f     = *state;
    bag          *b     = bag_of(f->world, "red");
    kith_bytes    bytes = { 0 };
    fill(b, 5);
    uint64_t hash = hash_of(f->world);
    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_OK);

    kith_world *world = second_world(f);
    bag        *other = bag_of(world, "red");
    bag        *spare = bag_of(world, "spare");
    fill(other, 2);
    fill(spare, 1);
    assert_int_equal(kith_world_load(world, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_ptr_equal(bag_of(world, "red"), other);
    assert_same_bag(other, b);
    assert_int_equal(spare->count, 0); // the file lacks it
    assert_int_equal(seen.cleared, 1);
    assert_true(kith_object_destroy(&spare->object));
    assert_int_equal(hash_of(world), hash);
    kith_diff diff = { 0 };
    assert_true(kith_world_diff(f->world, world, &diff));
    assert_int_equal(diff.count, 0);
    kith_bytes_free(&bytes);
    assert_true(kith_world_destroy(world));
}

static void a_file_with_an_object_that_the_world_lacks(void **state)
{
    test_fixture *f     = *state;
    kith_bytes    bytes = { 0 };
    fill(bag_of(f->world, "red"), 5);
    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_OK);

    kith_world    *world  = second_world(f);
    kith_load_desc skip   = { .unknown = KITH_UNKNOWN_SKIP };
    kith_result    result = kith_world_load(world, NULL, bytes.data, bytes.size);
    assert_int_equal(result.code, KITH_ERROR_CONFLICT);
    assert_non_null(strstr(result.message, "the file has an object that this world lacks"));
    assert_int_equal(kith_entity_count(world), 0);
    assert_int_equal(kith_world_load(world, &skip, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(kith_entity_count(world), 5);

    // merging, and saving or loading a part, leave objects out
    kith_merge *merge = kith_merge_create(world);
    assert_int_equal(kith_merge_apply(merge, NULL, bytes.data, bytes.size).code, KITH_OK);
    kith_entity    some[] = { kith_entity_make(0, 1) };
    kith_save_desc part   = { .entities = some, .entity_count = 1 };
    uint32_t       states = seen.states;
    assert_int_equal(kith_world_save_memory(f->world, &part, &bytes).code, KITH_OK);
    assert_int_equal(seen.states, states);
    assert_int_equal(kith_world_load(world, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(kith_entity_count(world), 1);
    part = (kith_save_desc){ .components = (kith_component[]){ LEVEL }, .component_count = 1 };
    assert_int_equal(kith_world_save_memory(f->world, &part, &bytes).code, KITH_OK);
    assert_int_equal(kith_world_load(world, NULL, bytes.data, bytes.size).code, KITH_OK);
    kith_bytes_free(&bytes);
    assert_true(kith_world_destroy(world));
}

static void a_failed_load_changes_no_object(void **state)
{
    test_fixture *f     = *state;
    bag          *b     = bag_of(f->world, "red");
    kith_bytes    bytes = { 0 };
    fill(b, 5);
    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_OK);
    fill(b, 3);
    uint64_t hash   = hash_of(f->world);
    uint32_t living = seen.living;

    seen.other_items   = true;
    kith_result result = kith_world_load(f->world, NULL, bytes.data, bytes.size);
    seen.other_items   = false;
    assert_int_equal(result.code, KITH_ERROR_FORMAT);
    assert_non_null(strstr(result.message, "the items of an object are malformed"));
    seen.create_fails = 1;
    assert_int_equal(kith_world_load(f->world, NULL, bytes.data, bytes.size).code,
                     KITH_ERROR_MEMORY);
    seen.no_memory = true;
    assert_int_equal(kith_world_load(f->world, NULL, bytes.data, bytes.size).code,
                     KITH_ERROR_MEMORY);
    assert_null(kith_world_clone(f->world, NULL));
    seen.no_memory = false;
    for (uint32_t n = 1; n < 200; n++) { // each allocation fails once
        test_fail_after(&f->memory, n);
        result = kith_world_load(f->world, NULL, bytes.data, bytes.size);
        test_fail_after(&f->memory, 0);
        if (result.code == KITH_OK) {
            break;
        }
        assert_int_equal(result.code, KITH_ERROR_MEMORY);
        assert_int_equal(hash_of(f->world), hash);
        assert_int_equal(seen.living, living);
    }
    assert_int_equal(result.code, KITH_OK);
    assert_int_equal(b->count, 5);
    assert_int_equal(seen.living, living);
    kith_bytes_free(&bytes);
}

static void each_flipped_and_each_missing_byte_is_refused(void **state)
{
    test_fixture *f     = *state;
    bag          *b     = bag_of(f->world, "red");
    kith_bytes    bytes = { 0 };
    fill(b, 2);
    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_OK);
    uint64_t hash = hash_of(f->world);
    for (size_t at = 0; at < bytes.size; at++) {
        bytes.data[at] ^= 16;
        assert_int_not_equal(kith_world_load(f->world, NULL, bytes.data, bytes.size).code, KITH_OK);
        bytes.data[at] ^= 16;
        assert_int_not_equal(kith_world_load(f->world, NULL, bytes.data, at).code, KITH_OK);
        assert_int_equal(seen.living, 1);
    }
    assert_int_equal(hash_of(f->world), hash);
    kith_bytes_free(&bytes);
}

static void an_object_may_refuse_to_be_saved(void **state)
{
    test_fixture *f     = *state;
    kith_bytes    bytes = { 0 };
    uint64_t      hash  = 0;
    kith_diff     diff  = { 0 };
    fill(bag_of(f->world, "red"), 2);
    seen.state_fails = true;
    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_ERROR_HOOK);
    assert_false(kith_world_hash(f->world, KITH_ALL, &hash));
    assert_int_equal(kith_world_error(f->world).code, KITH_ERROR_HOOK);
    assert_string_equal(kith_world_error(f->world).other, "red");
    assert_false(kith_world_hash_full(f->world, KITH_ALL, &hash));
    assert_false(kith_world_diff(f->world, f->world, &diff));
    assert_null(kith_world_clone(f->world, NULL));
    seen.state_fails = false;
    kith_bytes_free(&bytes);
}

// A wrong type, or a handle that the world cannot have made, is refused when it is saved: the file
// could not be loaded.
static void wrong_items_are_refused_when_saved(void **state)
{
    test_fixture *f     = *state;
    kith_bytes    bytes = { 0 };
    uint64_t      hash  = 0;
    bag          *b     = bag_of(f->world, "red");
    kith_diff     diff  = { 0 };
    fill(b, 2);
    seen.careless = true;
    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_ERROR_HOOK);
    assert_false(kith_world_hash(f->world, KITH_ALL, &hash));
    assert_false(kith_world_diff(f->world, f->world, &diff));
    assert_null(kith_world_clone(f->world, NULL));
    seen.careless  = false;
    b->entities[1] = kith_entity_make(5, 0);
    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_ERROR_HOOK);
    b->entities[1] = KITH_NULL;
    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_OK);
    assert_int_equal(kith_world_load(f->world, NULL, bytes.data, bytes.size).code, KITH_OK);
    kith_bytes_free(&bytes);
}

// The state function compares with what is left before it allocates. The empty bag has no array.
static void a_number_of_a_file_makes_nothing_large(void **state)
{
    test_fixture *f     = *state;
    kith_bytes    bytes = { 0 };
    bag          *b     = bag_of(f->world, "red");
    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_OK);
    assert_int_equal(kith_world_load(f->world, NULL, bytes.data, bytes.size).code, KITH_OK);
    fill(b, 3);
    assert_int_equal(kith_world_save_memory(f->world, NULL, &bytes).code, KITH_OK);
    seen.most = 0;
    assert_int_equal(kith_world_load(f->world, NULL, bytes.data, bytes.size).code, KITH_OK);
    assert_int_equal(seen.most, 3);
    kith_bytes_free(&bytes);
}

// A program that does not know the object, such as the tool kith, keeps its items.
static void an_unknown_object_is_kept(void **state)
{
    test_fixture  *f     = *state;
    kith_load_desc keep  = { .unknown = KITH_UNKNOWN_KEEP };
    bag           *b     = bag_of(f->world, "red");
    kith_bytes     first = { 0 };
    kith_bytes     again = { 0 };
    fill(b, 3);
    uint64_t hash = hash_of(f->world);
    assert_int_equal(kith_world_save_memory(f->world, NULL, &first).code, KITH_OK);

    kith_world *world = second_world(f);
    size_t      bytes = kith_world_memory(world, KITH_ALL).other;
    assert_int_equal(kith_world_load(world, &keep, first.data, first.size).code, KITH_OK);
    assert_int_equal(seen.living, 1);
    assert_int_equal(hash_of(world), hash);
    assert_true(kith_world_memory(world, KITH_ALL).other > bytes);
    assert_true(kith_world_validate(world, NULL));
    assert_null(bag_of(world, "red"));
    kith_world *clone = kith_world_clone(world, NULL);
    assert_int_equal(hash_of(clone), hash);
    assert_true(kith_world_destroy(clone));

    b->weight = 7;
    assert_int_equal(kith_world_save_memory(f->world, NULL, &again).code, KITH_OK);
    clone = kith_world_clone(world, NULL);
    assert_int_equal(kith_world_load(world, &keep, again.data, again.size).code, KITH_OK);
    kith_diff diff = { 0 };
    assert_true(kith_world_diff(clone, world, &diff));
    assert_string_equal(diff.text,
                        "bag \"red\".weight is 1.5 in the first world and 7 in the second");
    assert_true(kith_world_destroy(clone));
    assert_int_equal(kith_world_save_memory(world, NULL, &first).code, KITH_OK);
    b->weight = 0;
    assert_int_equal(kith_world_load(f->world, NULL, first.data, first.size).code, KITH_OK);
    assert_true(b->weight == 7);

    for (uint32_t n = 1;; n++) { // each allocation fails once
        test_fail_after(&f->memory, n);
        kith_result result = kith_world_load(world, &keep, again.data, again.size);
        test_fail_after(&f->memory, 0);
        assert_int_equal(hash_of(world), hash_of(f->world));
        if (result.code == KITH_OK) {
            break;
        }
    }
    kith_object_destroy(&b->object);
    assert_int_equal(kith_world_save_memory(f->world, NULL, &again).code, KITH_OK);
    assert_int_equal(kith_world_load(world, &keep, again.data, again.size).code, KITH_OK);
    assert_int_equal(hash_of(world), hash_of(f->world)); // it is gone
    kith_bytes_free(&first);
    kith_bytes_free(&again);
    assert_true(kith_world_destroy(world));
}

static void a_hash_depends_on_objects_with_state_alone(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = second_world(f);
    uint64_t      empty = hash_of(f->world);
    kith_object_of(f->world, &stone_ops, "red");
    assert_int_equal(hash_of(f->world), empty);
    bag_of(f->world, "red");
    bag_of(f->world, "blue");
    assert_int_not_equal(hash_of(f->world), empty);
    bag_of(world, "blue"); // in another order
    assert_int_not_equal(hash_of(world), hash_of(f->world));
    bag_of(world, "red");
    assert_int_equal(hash_of(world), hash_of(f->world));
    bag_of(world, "red")->locked = true;
    assert_int_not_equal(hash_of(world), hash_of(f->world));
    assert_true(kith_world_destroy(world));
}

static void assert_difference(kith_world *first, kith_world *second, uint64_t count,
                              const char *text)
{
    kith_diff diff = { 0 };
    assert_true(kith_world_diff(first, second, &diff));
    assert_int_equal(diff.count, count);
    assert_string_equal(diff.text, text);
}

static void a_difference_names_the_item(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = second_world(f);
    bag          *b     = bag_of(f->world, "red");
    assert_difference(f->world, world, 1, "only the first world has bag \"red\"");
    assert_difference(world, f->world, 1, "only the second world has bag \"red\"");
    bag *other = bag_of(world, "red");
    fill(b, 2);
    fill(other, 2);
    assert_difference(f->world, world, 0, "");
    other->weight      = 1.5;
    other->entities[1] = KITH_NULL;
    assert_difference(f->world, world, 2,
                      "bag \"red\".weight is 1 in the first world and 1.5 in the second");
    other->weight = b->weight;
    assert_difference(f->world, world, 1,
                      "bag \"red\".entities[1] is 1v1 in the first world and null in the second");
    bag_of(world, "blue");
    assert_difference(f->world, world, 2,
                      "bag \"red\".entities[1] is 1v1 in the first world and null in the second");
    assert_true(kith_object_destroy(&bag_of(world, "blue")->object));
    other->count = 1;
    assert_difference(f->world, world, 2,
                      "bag \"red\".count is 2 in the first world and 1 in the second");
    other->count = 2;
    assert_true(kith_world_destroy(world));
}

static void a_clone_has_objects_of_its_own(void **state)
{
    test_fixture *f = *state;
    bag          *b = bag_of(f->world, "red");
    fill(b, 4);
    kith_object_of(f->world, &stone_ops, "red"); // has no state: it is not cloned
    kith_world *clone = kith_world_clone(f->world, NULL);
    assert_non_null(clone);
    assert_int_equal(seen.living, 3);
    bag *other = bag_of(clone, "red");
    assert_ptr_not_equal(other, b);
    assert_ptr_equal(other->object.world, clone);
    assert_same_bag(other, b);
    assert_int_equal(hash_of(clone), hash_of(f->world));
    other->weight = 9;
    assert_true(b->weight == 2);
    assert_true(kith_world_destroy(clone));
    bag_of(f->world, "blue");
    seen.busy           = true; // a clone that fails is freed all the same
    seen.state_fails_at = seen.states + 4;
    assert_null(kith_world_clone(f->world, NULL));
    seen.busy           = false;
    seen.state_fails_at = 0;
    assert_int_equal(seen.living, 3);
    assert_true(kith_object_destroy(&bag_of(f->world, "blue")->object));
    clone = f->world;
    for (uint32_t n = 1; clone != NULL; n++) { // each allocation fails once
        test_fail_after(&f->memory, n);
        clone = kith_world_clone(f->world, NULL);
        test_fail_after(&f->memory, 0);
        assert_int_equal(seen.living, clone == NULL ? 2 : 3);
        if (clone != NULL) {
            assert_true(kith_world_destroy(clone));
            break;
        }
        clone = f->world;
    }
}

static void an_object_larger_than_the_memory_of_its_world_is_cloned(void **state)
{
    (void)state;
    const kith_world_desc desc  = { .memory = 1u << 18 };
    kith_world           *world = kith_world_create(&desc);
    assert_true(world != NULL && level_register(world));
    bag *b            = bag_of(world, "red");
    b->count          = 100000;
    b->entities       = calloc(b->count, sizeof *b->entities);
    b->weight         = 3;
    kith_world *clone = kith_world_clone(world, NULL);
    assert_non_null(clone);
    assert_same_bag(bag_of(clone, "red"), b);
    assert_int_equal(hash_of(clone), hash_of(world));
    assert_true(kith_world_destroy(clone));
    assert_true(kith_world_destroy(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_object_is_made_once_for_a_kind_and_a_key, begin, end),
        cmocka_unit_test_setup_teardown(the_world_destroys_the_newest_object_first, begin, end),
        cmocka_unit_test_setup_teardown(what_is_missing_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_busy_object_keeps_itself_and_its_world, begin, end),
        cmocka_unit_test_setup_teardown(hooks_neither_make_nor_destroy_objects, begin, end),
        cmocka_unit_test_setup_teardown(the_world_counts_clears_shrinks_and_validates_objects,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_saved_object_is_loaded_into_the_same_object, begin, end),
        cmocka_unit_test_setup_teardown(a_file_with_an_object_that_the_world_lacks, begin, end),
        cmocka_unit_test_setup_teardown(a_failed_load_changes_no_object, begin, end),
        cmocka_unit_test_setup_teardown(each_flipped_and_each_missing_byte_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(an_object_may_refuse_to_be_saved, begin, end),
        cmocka_unit_test_setup_teardown(wrong_items_are_refused_when_saved, begin, end),
        cmocka_unit_test_setup_teardown(a_number_of_a_file_makes_nothing_large, begin, end),
        cmocka_unit_test_setup_teardown(an_unknown_object_is_kept, begin, end),
        cmocka_unit_test_setup_teardown(a_hash_depends_on_objects_with_state_alone, begin, end),
        cmocka_unit_test_setup_teardown(a_difference_names_the_item, begin, end),
        cmocka_unit_test_setup_teardown(a_clone_has_objects_of_its_own, begin, end),
        cmocka_unit_test_setup_teardown(an_object_larger_than_the_memory_of_its_world_is_cloned,
                                        begin, end),
    };
    return cmocka_run_group_tests_name("object", tests, NULL, NULL);
}
