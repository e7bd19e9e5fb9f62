// SPDX-License-Identifier: MIT
// Mistakes that were made once: each test fails where one of them is made again.
#include "component_test.h"

enum { SHORT = 21, ANCHOR, BODY, INTRUDER, LEFT, RIGHT, MANY = 100 };

#define PAGE_ROWS  64
#define HINT_REACH (1u << 20)

static const kith_traits short_pages = { .page_rows = PAGE_ROWS };
static const kith_traits stable      = { .policy = KITH_POLICY_STABLE };

KITH_COMPONENT_WITH(short_paged, uint64_t, SHORT, short_pages);
KITH_COMPONENT_WITH(anchor, int, ANCHOR, stable);
KITH_COMPONENT(left, uint32_t, LEFT);
KITH_COMPONENT(right, uint32_t, RIGHT);
KITH_QUERY(pairs, read(left), read(right), lead(left));

// --- pages that are there while what lies beside them is not ---------------------------------

typedef struct populated {
    kith_world *world;
    test_memory memory;
    kith_entity entities[2 * PAGE_ROWS];
} populated;

// The first page of the pool is full, and one of its rows is disabled.
static populated *populated_begin(void)
{
    populated *c = calloc(1, sizeof *c);
    c->world     = test_world(&c->memory);
    assert_true(short_paged_register(c->world));
    create_entities(c->world, c->entities, 2 * PAGE_ROWS);
    for (uint32_t i = 0; i < PAGE_ROWS; i++) {
        assert_non_null(short_paged_set(c->world, c->entities[i], i));
    }
    assert_true(short_paged_disable(c->world, c->entities[5]));
    return c;
}

static void fill_the_second_page(populated *c)
{
    for (uint32_t i = PAGE_ROWS; i < 2 * PAGE_ROWS; i++) {
        assert_non_null(short_paged_set(c->world, c->entities[i], i));
        assert_true(short_paged_enabled(c->world, c->entities[i]));
    }
    assert_false(short_paged_enabled(c->world, c->entities[5]));
}

static void empty_the_second_page(populated *c)
{
    for (uint32_t i = PAGE_ROWS; i < 2 * PAGE_ROWS; i++) {
        assert_int_equal(*short_paged_get(c->world, c->entities[i]), i);
        assert_true(short_paged_remove(c->world, c->entities[i]));
    }
    assert_false(short_paged_enabled(c->world, c->entities[5]));
}

static bool add_one(populated *c)
{
    return short_paged_add(c->world, c->entities[PAGE_ROWS]) != NULL;
}

static bool reserve_a_page(populated *c)
{
    return short_paged_reserve(c->world, 2 * PAGE_ROWS);
}

// Lets the call fail at its n-th allocation and uses the pool as if nothing had been. Returns
// whether the call failed.
static bool survives_failure(bool (*call)(populated *c), uint32_t n)
{
    populated *c = populated_begin();
    test_fail_after(&c->memory, n);
    bool failed = !call(c);
    test_fail_after(&c->memory, 0);
    assert_world_valid(c->world);
    fill_the_second_page(c);
    assert_world_valid(c->world);
    empty_the_second_page(c);
    test_world_end(c->world, &c->memory);
    free(c);
    return failed;
}

static void assert_survives_every_failure(bool (*call)(populated *c))
{
    uint32_t n = 1;
    while (survives_failure(call, n)) {
        n++;
    }
    assert_true(n > 2); // a page, and the disable bits of its rows
}

static void rows_of_a_failed_add_have_disable_bits(void **state)
{
    (void)state;
    assert_survives_every_failure(add_one);
}

static void rows_of_a_failed_reserve_have_disable_bits(void **state)
{
    (void)state;
    assert_survives_every_failure(reserve_a_page);
}

static void a_failed_reserve_leaves_the_capacity(void **state)
{
    test_fixture *f        = *state;
    uint32_t      capacity = 0;
    assert_true(short_paged_register(f->world));
    for (uint32_t n = 1; n <= 8; n++) {
        test_fail_after(&f->memory, n);
        assert_refused(&f->memory, f->world, KITH_ERROR_MEMORY,
                       short_paged_reserve(f->world, capacity + 16 * PAGE_ROWS));
        assert_int_equal(short_paged_stats(f->world).capacity, capacity);
        assert_world_valid(f->world);
    }
    test_fail_after(&f->memory, 0);
    assert_true(short_paged_reserve(f->world, 3 * PAGE_ROWS));
    test_fail_after(&f->memory, 5);
    assert_false(short_paged_reserve(f->world, 19 * PAGE_ROWS));
    assert_int_equal(short_paged_stats(f->world).capacity, 3 * PAGE_ROWS);
}

// --- hints beyond the table ------------------------------------------------------------------

// A hint more than 2^20 beyond the table of `slots` slots is refused; `by` is how much more.
static void assert_hint_too_far(test_fixture *f, uint32_t slots, uint32_t by)
{
    kith_entity hint = handle(slots + HINT_REACH + by, 1);
    assert_refused(&f->memory, f->world, KITH_ERROR_LIMIT,
                   kith_entity_create_hint(f->world, hint) != KITH_NULL);
    assert_int_equal(kith_world_stats(f->world).slots, slots);
}

static void a_failed_entity_reserve_lets_hints_reach_no_further(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 3);
    assert_hint_too_far(f, 3, 1);

    test_fail_after(&f->memory, 1200); // pages of 1024 slots: more than 2^20 are granted
    assert_refused(&f->memory, f->world, KITH_ERROR_MEMORY,
                   kith_entity_reserve(f->world, 2 * HINT_REACH));

    assert_hint_too_far(f, 3, 1);
    assert_world_valid(f->world);
}

static kith_entity *make_hints(uint32_t count)
{
    kith_entity *hints = calloc(count, sizeof *hints);
    assert_non_null(hints);
    return hints;
}

static void hints_that_fail_for_memory_reach_no_further(void **state)
{
    enum { COUNT = 1u << 15 };
    test_fixture *f     = *state;
    kith_entity  *hints = make_hints(COUNT);
    hints[0]            = handle(HINT_REACH + COUNT - 1, 1);

    test_fail_after(&f->memory, 1050); // of the 1056 pages
    assert_refused(&f->memory, f->world, KITH_ERROR_MEMORY,
                   kith_entity_create_hints(f->world, hints, COUNT, hints));

    assert_hint_too_far(f, 0, 1);
    assert_world_valid(f->world);
    free(hints);
}

// Every slot that the world may have is asked for, and one more.
static void hints_that_fail_at_the_limit_reach_no_further(void **state)
{
    enum { COUNT = (1u << 20) + 2048 };
    test_fixture *f     = *state;
    kith_entity  *hints = make_hints(COUNT + 1);
    test_remake(f, (kith_world_desc){ .max_entities = COUNT });
    for (uint32_t i = 0; i < COUNT; i++) {
        hints[i] = handle(i, 1);
    }

    assert_refused(&f->memory, f->world, KITH_ERROR_LIMIT,
                   kith_entity_create_hints(f->world, hints, COUNT + 1, hints));

    assert_hint_too_far(f, 0, 1);
    assert_world_valid(f->world);
    free(hints);
}

static void a_batch_of_hints_reaches_as_much_further_as_it_is_long(void **state)
{
    enum { SLOTS = 3, COUNT = 5 };
    test_fixture *f            = *state;
    kith_entity   hints[COUNT] = { KITH_NULL };
    kith_entity   out[COUNT];
    uint32_t      furthest = SLOTS + HINT_REACH + COUNT - 1;
    test_create_many(f->world, SLOTS);

    hints[2] = handle(furthest + 1, 1);
    assert_refused(&f->memory, f->world, KITH_ERROR_LIMIT,
                   kith_entity_create_hints(f->world, hints, COUNT, out));
    assert_int_equal(kith_world_stats(f->world).slots, SLOTS);

    hints[2] = handle(furthest, 1);
    assert_true(kith_entity_create_hints(f->world, hints, COUNT, out));
    assert_int_equal(out[2], handle(furthest, 1));
    assert_int_equal(kith_world_stats(f->world).slots, furthest + 1);
}

static void a_single_hint_reaches_2_to_the_20_beyond_the_table(void **state)
{
    test_fixture *f = *state;
    test_create_many(f->world, 3);
    assert_hint_too_far(f, 3, 1);
    assert_int_equal(kith_entity_create_hint(f->world, handle(3 + HINT_REACH, 1)),
                     handle(3 + HINT_REACH, 1));
}

// --- descriptions ----------------------------------------------------------------------------

static void tags_and_flags_have_no_hooks(void **state)
{
    test_fixture   *f       = *state;
    const kith_kind kinds[] = { KITH_KIND_TAG, KITH_KIND_FLAG };
    tracker         track   = { .name = "hooked" };
    for (uint32_t i = 0; i < 4 * COUNT_OF(kinds); i++) {
        kith_hooks          all  = tracked_hooks(&track);
        kith_component_desc desc = { .name = "hooked", .id = BODY, .kind = kinds[i / 4] };
        desc.traits.hooks        = (kith_hooks){ .construct = i % 4 == 0 ? all.construct : NULL,
                                                 .copy      = i % 4 == 1 ? all.copy : NULL,
                                                 .destruct  = i % 4 == 2 ? all.destruct : NULL,
                                                 .move      = i % 4 == 3 ? all.move : NULL };
        assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                                 kith_component_register(f->world, &desc));
    }
}

static void a_singleton_requires_nothing(void **state)
{
    test_fixture             *f      = *state;
    const kith_component      needed = POSITION;
    const kith_component_desc desc   = { .name   = "season",
                                         .id     = BODY,
                                         .kind   = KITH_KIND_SINGLETON,
                                         .size   = 1,
                                         .traits = { .required = &needed, .required_count = 1 } };
    assert_refused_unchanged(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                             kith_component_register(f->world, &desc));
}

// The error record holds the only copy of the name.
static void a_name_may_come_from_the_error_before(void **state)
{
    test_fixture       *f    = *state;
    kith_component_desc desc = { .name = "borrowed", .id = BODY }; // a value without a size
    assert_int_equal(kith_component_register(f->world, &desc), 0);

    desc.name = kith_world_error(f->world).other;
    assert_int_equal(kith_component_register(f->world, &desc), 0);
    assert_error(f->world, KITH_ERROR_ARGUMENT);
    assert_string_equal(kith_world_error(f->world).other, "borrowed");

    desc.name = kith_world_error(f->world).other;
    desc.size = 1;
    assert_int_equal(kith_component_register(f->world, &desc), BODY);
    assert_int_equal(kith_component_find(f->world, "borrowed"), BODY);
    assert_string_equal(kith_component_describe(f->world, BODY)->name, "borrowed");
}

// --- error hooks that change the world -------------------------------------------------------

typedef struct intruder {
    test_memory memory;
    kith_world *world;
    kith_entity entity; // has a position
    void (*intrude)(struct intruder *i);
    uint32_t        reported;
    kith_error_code first; // that was reported to the hook
    kith_error_code answer;
} intruder;

static void intrude_create(intruder *i)
{
    assert_int_equal(kith_entity_create(i->world), KITH_NULL);
}

static void intrude_destroy(intruder *i)
{
    assert_false(kith_entity_destroy(i->world, i->entity));
}

static void intrude_hint(intruder *i)
{
    assert_int_equal(kith_entity_create_hint(i->world, handle(50, 1)), KITH_NULL);
}

static void intrude_set(intruder *i)
{
    assert_null(kith_component_set(i->world, i->entity, POSITION, NULL));
}

static void intrude_typed_set(intruder *i)
{
    assert_null(position_set(i->world, i->entity, (vec2){ 9, 9 }));
}

static void intrude_flag(intruder *i)
{
    assert_false(hidden_add(i->world, i->entity));
}

static void intrude_remove(intruder *i)
{
    assert_false(position_remove(i->world, i->entity));
}

static void intrude_register(intruder *i)
{
    assert_int_equal(test_register_tag(i->world, "intruder", INTRUDER), 0);
}

static void intrude_clear(intruder *i)
{
    assert_false(position_clear(i->world));
}

static void intrude_world_clear(intruder *i)
{
    kith_world_clear(i->world);
}

static void intrude_world_destroy(intruder *i)
{
    kith_world_destroy(i->world);
}

static void (*const intrusions[])(intruder *i) = {
    intrude_create,      intrude_destroy,       intrude_hint,     intrude_set,
    intrude_typed_set,   intrude_flag,          intrude_remove,   intrude_clear,
    intrude_world_clear, intrude_world_destroy, intrude_register,
};

static void intruding_hook(const kith_world *world, const kith_error *error, void *context)
{
    intruder *i = context;
    if (world == NULL || i->intrude == NULL || ++i->reported > 1) {
        return;
    }
    i->first = error->code;
    i->intrude(i);
    i->answer = kith_world_error(world).code;
}

static void intruder_begin(intruder *i)
{
    *i       = (intruder){ .intrude = NULL };
    i->world = kith_world_create(&(kith_world_desc){
        .allocator     = test_allocator(&i->memory),
        .on_error      = intruding_hook,
        .error_context = i,
    });
    assert_true(game_register(i->world));
    i->entity = kith_entity_create(i->world);
    assert_non_null(position_set(i->world, i->entity, (vec2){ 1, 2 }));
}

static kith_error_code fail_for_null(intruder *i)
{
    assert_null(health_set(i->world, KITH_NULL, 1));
    return KITH_ERROR_NULL_ENTITY;
}

static kith_error_code fail_for_memory(intruder *i)
{
    test_fail_after(&i->memory, 1);
    assert_null(health_set(i->world, i->entity, 1));
    return KITH_ERROR_MEMORY;
}

static bool refuse(void *value, void *context)
{
    (void)value;
    (void)context;
    return false;
}

static kith_component_desc refusing_desc(void)
{
    return (kith_component_desc){
        .name = "refusing", .id = BODY, .size = 1, .traits.hooks.construct = refuse
    };
}

static kith_error_code fail_by_hook(intruder *i)
{
    assert_null(kith_component_add(i->world, i->entity, BODY, NULL));
    return KITH_ERROR_HOOK;
}

static kith_error_code fail_to_register_many(intruder *i)
{
    const kith_component_desc descs[] = {
        { .name = "good", .id = MANY, .kind = KITH_KIND_TAG },
        { .name = "bad", .id = MANY + 1 },
    };
    assert_false(kith_component_register_many(i->world, descs, 2));
    return KITH_ERROR_ARGUMENT;
}

static kith_error_code (*const failures[])(intruder *i) = {
    fail_for_null,
    fail_for_memory,
    fail_by_hook,
    fail_to_register_many,
};

static void assert_intrusion_is_refused(kith_error_code (*failure)(intruder *i),
                                        void (*intrude)(intruder *i))
{
    intruder i;
    intruder_begin(&i);
    register_one(i.world, refusing_desc());
    text before = dump_world(i.world);
    i.intrude   = intrude;

    kith_error_code code = failure(&i);

    i.intrude = NULL;
    assert_int_equal(i.reported, 1);
    assert_int_equal(i.first, code);
    assert_int_equal(i.answer, KITH_ERROR_BUSY);
    assert_unchanged(i.world, before);
    assert_non_null(health_set(i.world, i.entity, 1));
    test_world_end(i.world, &i.memory);
}

static void an_error_hook_cannot_change_the_world(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT_OF(failures); f++) {
        for (size_t i = 0; i < COUNT_OF(intrusions); i++) {
            assert_intrusion_is_refused(failures[f], intrusions[i]);
        }
    }
}

// --- rows ------------------------------------------------------------------------------------

static void a_typed_set_takes_the_newest_hole_of_a_stable_pool(void **state)
{
    test_fixture *f = *state;
    kith_entity   e[6];
    assert_true(anchor_register(f->world));
    create_entities(f->world, e, 6);
    for (int i = 0; i < 4; i++) {
        assert_non_null(anchor_set(f->world, e[i], i));
    }
    assert_true(anchor_remove(f->world, e[0]));
    assert_true(anchor_remove(f->world, e[2]));

    assert_int_equal(*anchor_set(f->world, e[4], 14), 14);
    assert_int_equal(anchor_row(f->world, e[4]), 2);
    assert_int_equal(*anchor_set(f->world, e[5], 15), 15);
    assert_int_equal(anchor_row(f->world, e[5]), 0);
    assert_int_equal(anchor_rows(f->world), 4);
    assert_int_equal(anchor_count(f->world), 4);
    assert_world_valid(f->world);
}

static void set_to_itself(kith_world *world, kith_entity entity, kith_component component)
{
    const void *value = kith_component_get(world, entity, component);
    assert_non_null(value);
    assert_ptr_equal(kith_component_set(world, entity, component, value), value);
}

static void a_plain_value_can_be_set_to_itself(void **state)
{
    enum { SIZE = 200 };
    test_fixture *f      = *state;
    kith_entity   entity = kith_entity_create(f->world);
    uint8_t       bytes[SIZE];
    register_one(f->world, bytes_desc(BODY, SIZE, 1));
    fill_bytes(bytes, SIZE, 7);
    assert_non_null(kith_component_set(f->world, entity, BODY, bytes));

    set_to_itself(f->world, entity, BODY);

    assert_bytes(kith_component_get(f->world, entity, BODY), SIZE, 7);
}

static void a_value_with_hooks_can_be_set_to_itself(void **state)
{
    static journal log; // static: the teardown destructs what a failed test leaves
    static tracker track  = { .journal = &log, .name = "body" };
    test_fixture  *f      = *state;
    kith_entity    entity = kith_entity_create(f->world);
    register_one(f->world, tracked_desc(BODY, &track));
    assert_non_null(set_tracked(f->world, entity, BODY, 7));

    set_to_itself(f->world, entity, BODY);

    assert_journal(&log, "body copy 7, body copy 7, body destruct 7, body move 7");
    const tracked *value = kith_component_get(f->world, entity, BODY);
    assert_int_equal(value->number, 7);
    assert_int_equal(log.living, 1);
    assert_true(kith_component_remove(f->world, entity, BODY));
    text_free(&log.text);
}

// --- memory of signatures --------------------------------------------------------------------

static size_t signature_bytes(const kith_world *world)
{
    return kith_world_memory(world, KITH_ALL).signatures;
}

static void register_tags(kith_world *world, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "tag %u", i);
        assert_int_not_equal(test_register_tag(world, name, MANY + i), 0);
    }
}

static void shrinking_frees_unused_signature_words(void **state)
{
    test_fixture *f   = *state;
    kith_entity   one = kith_entity_create(f->world);
    kith_entity   two = kith_entity_create(f->world);
    register_tags(f->world, 140);
    size_t before = signature_bytes(f->world);
    assert_non_null(kith_component_add(f->world, one, MANY + 70, NULL));
    assert_non_null(kith_component_add(f->world, two, MANY + 139, NULL));
    size_t used = signature_bytes(f->world);
    assert_true(used > before);

    assert_true(kith_world_shrink(f->world));
    assert_int_equal(signature_bytes(f->world), used);
    assert_true(kith_component_has(f->world, one, MANY + 70));
    assert_true(kith_component_has(f->world, two, MANY + 139));

    assert_true(kith_component_remove(f->world, one, MANY + 70)); // the only one of its word
    assert_true(kith_world_shrink(f->world));
    assert_int_equal(signature_bytes(f->world), used - 1024 * sizeof(uint64_t));

    assert_true(kith_entity_destroy(f->world, two));
    assert_true(kith_world_shrink(f->world));
    assert_int_equal(signature_bytes(f->world), before);
    assert_world_valid(f->world);

    assert_non_null(kith_component_add(f->world, one, MANY + 70, NULL));
    assert_int_equal(kith_component_count(f->world, MANY + 70), 1);
}

// --- what errors say -------------------------------------------------------------------------

static void a_handle_newer_than_a_retired_slot_is_not_called_destroyed(void **state)
{
    test_fixture *f     = *state;
    kith_world   *world = test_remake(f, (kith_world_desc){ .version_bits = 1 });
    kith_entity   last  = kith_entity_create(world);
    assert_true(kith_entity_destroy(world, last));
    assert_int_equal(kith_world_stats(world).retired, 1);

    assert_null(kith_component_add(world, last, POSITION, NULL));
    assert_error_text(world, "position_add: entity 0v1 " TEST_DESTROYED("1", "retired"));
    assert_null(kith_component_add(world, handle(0, 2), POSITION, NULL));
    assert_error_text(world, "position_add: entity 0v2 is not alive (the slot is at version 1); is "
                             "it from another world?");
}

#define assert_error_of(WORLD, CODE, ENTITY)                                                       \
    do {                                                                                           \
        assert_error(WORLD, CODE);                                                                 \
        assert_int_equal(kith_world_error(WORLD).entity, (ENTITY));                                \
    } while (0)

static void a_failed_add_names_the_entity(void **state)
{
    test_fixture *f      = *state;
    kith_entity   first  = kith_entity_create(f->world);
    kith_entity   second = kith_entity_create(f->world);
    register_one(f->world, refusing_desc());

    assert_null(kith_component_add(f->world, second, BODY, NULL));
    assert_error_of(f->world, KITH_ERROR_HOOK, second);

    assert_true(position_limit_set(f->world, 1));
    assert_non_null(position_add(f->world, first));
    assert_null(position_add(f->world, second));
    assert_error_of(f->world, KITH_ERROR_LIMIT, second);

    test_fail_after(&f->memory, 1);
    assert_null(velocity_add(f->world, second));
    assert_error_of(f->world, KITH_ERROR_MEMORY, second);
}

// --- an error hook that is wrong itself ------------------------------------------------------

typedef struct asker {
    kith_world *world;
    uint32_t    calls;
} asker;

// Asks and demands what makes errors of its own, one of them with a name in it.
static void asking_hook(const kith_world *world, const kith_error *error, void *context)
{
    asker *a = context;
    (void)error;
    a->calls++;
    if (a->calls < 10 && world != NULL) {
        assert_null(kith_component_get(world, KITH_NULL, MANY));
        assert_null(kith_component_set(a->world, KITH_NULL, MANY, NULL));
        kith_component_desc wrong = { .name = "of_the_hook" };
        assert_int_equal(kith_component_register(a->world, &wrong), 0);
    }
}

static void errors_of_an_error_hook_are_neither_reported_nor_kept(void **state)
{
    (void)state;
    asker           a      = { 0 };
    test_memory     memory = { 0 };
    char            sentence[128];
    kith_world_desc desc      = { .on_error = asking_hook, .error_context = &a };
    desc.allocator            = test_allocator(&memory);
    a.world                   = kith_world_create(&desc);
    kith_component_desc wrong = { .name = "of_the_call" };

    assert_int_equal(kith_component_register(a.world, &wrong), 0);

    kith_error error = kith_world_error(a.world);
    kith_error_text(a.world, &error, sentence, sizeof sentence);
    assert_int_equal(a.calls, 1);
    assert_string_equal(sentence,
                        "kith_component_register: a value needs a size (\"of_the_call\")");
    assert_world_valid(a.world);
    kith_world_destroy(a.world);
    assert_int_equal(memory.live_bytes, 0);
}

// --- cursors ---------------------------------------------------------------------------------

// Entities with left, of which the first `paired` have right too, in the same order.
static void create_pairs(kith_world *world, kith_entity *entities, uint32_t count, uint32_t paired)
{
    assert_true(left_register(world) && right_register(world));
    create_entities(world, entities, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_non_null(left_set(world, entities[i], i));
    }
    for (uint32_t i = 0; i < paired; i++) {
        assert_non_null(right_set(world, entities[i], i));
    }
}

// The inner loop begins later, so what it remembers reaches beyond what the outer one may visit.
static void a_loop_recalls_nothing_beyond_its_own_limits(void **state)
{
    kith_world *world = ((test_fixture *)*state)->world;
    kith_entity entities[MANY];
    create_pairs(world, entities, MANY, 5);
    kith_query *query  = pairs_query(world);
    uint32_t    visits = 0;
    pairs       outer  = pairs_begin_stored(query);
    while (pairs_next(&outer)) {
        if (visits++ == 0) {
            for (uint32_t i = 5; i < MANY; i++) {
                assert_non_null(right_set(world, entities[i], i));
            }
            pairs inner = pairs_begin_stored(query);
            while (pairs_next(&inner)) {
            }
        }
    }
    assert_int_equal(visits, 5);
}

// The loop went on with the original; what the copy knows of its block is no longer so.
static void a_copy_of_a_cursor_that_was_left_behind_is_closed(void **state)
{
    enum { ALIGNED = 4096, ALL = 2 * ALIGNED };
    static kith_entity entities[ALL];
    kith_world        *world = ((test_fixture *)*state)->world;
    create_pairs(world, entities, ALL, ALIGNED);
    for (uint32_t i = ALL; i-- > ALIGNED;) {
        assert_non_null(right_set(world, entities[i], i));
    }
    pairs cursor = pairs_begin(world);
    assert_true(pairs_next_chunk(&cursor));
    pairs copy = cursor;
    assert_int_equal(pairs_entity(&copy, ALIGNED - 1), entities[ALIGNED - 1]);
    assert_true(pairs_next_chunk(&cursor));

    for (uint32_t i = 0; i < ALIGNED; i++) {
        assert_int_equal(pairs_entity(&copy, i), KITH_NULL);
    }
    kith_entity_destroy(world, entities[ALIGNED + 3]);
    assert_false(pairs_next(&copy));
    assert_error(world, KITH_ERROR_CLOSED);
    assert_true(pairs_next(&cursor));
    pairs_end(&cursor);
}

// The original has passed the change; the copy has it before it.
static void a_copy_of_a_cursor_visits_nothing_that_has_left(void **state)
{
    enum { SOME = 10, GONE = 3 };
    kith_world *world = ((test_fixture *)*state)->world;
    kith_entity entities[SOME];
    create_pairs(world, entities, SOME, SOME);
    pairs cursor = pairs_begin(world);
    assert_true(pairs_next(&cursor));
    pairs copy = cursor;
    while (cursor.entity != entities[GONE + 2]) {
        assert_true(pairs_next(&cursor));
    }
    assert_true(pairs_next(&copy));
    assert_int_equal(copy.entity, entities[1]);

    kith_entity_destroy(world, entities[GONE]);
    assert_true(pairs_next(&cursor));
    assert_int_equal(cursor.entity, entities[GONE + 3]);

    while (pairs_next(&copy)) {
        assert_true(kith_entity_alive(world, copy.entity));
    }
    kith_world_settle(world);
}

// Each knows by itself how much of the block it was given.
static void a_copy_of_a_cursor_goes_on_behind_its_own_chunk(void **state)
{
    enum { SOME = 10 };
    kith_world *world = ((test_fixture *)*state)->world;
    kith_entity entities[SOME];
    create_pairs(world, entities, SOME, 2);
    for (uint32_t i = SOME; i-- > 2;) {
        assert_non_null(right_set(world, entities[i], i));
    }
    pairs cursor = pairs_begin(world);
    assert_true(pairs_next_chunk(&cursor));
    assert_int_equal(cursor.count, 2);
    pairs copy = cursor;
    assert_true(pairs_next(&cursor));
    assert_int_equal(cursor.entity, entities[2]);

    assert_true(pairs_next(&copy));
    assert_int_equal(copy.entity, entities[2]);
    kith_world_settle(world);
}

static void open_hold(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    (void)context;
    kith_world_hold(world);
}

static void close_hold(kith_world *world, const kith_notice *notice, void *answer)
{
    (void)notice;
    *(bool *)answer = kith_world_release(world);
}

static void a_listener_cannot_close_the_loop_of_the_one_before(void **state)
{
    kith_world *world    = ((test_fixture *)*state)->world;
    bool        released = true;
    assert_true(left_register(world));
    left_on_add(world, open_hold, NULL);
    left_on_add(world, close_hold, &released);
    left_set(world, kith_entity_create(world), 1);
    assert_false(released);
    assert_error(world, KITH_ERROR_BUSY);
    assert_true(kith_world_release(world));
}

static void count_removal(kith_world *world, const kith_notice *notice, void *count)
{
    (void)world;
    *(uint32_t *)count += notice->event == KITH_EVENT_REMOVE;
}

// Destroying looks at the components that have listeners, also beyond the first 64.
static void removals_of_late_components_are_reported_when_their_entity_goes(void **state)
{
    kith_world    *world    = ((test_fixture *)*state)->world;
    kith_component last     = 0;
    uint32_t       reported = 0;
    for (uint32_t i = 0; i < 70; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        last = kith_component_register(
            world, &(kith_component_desc){ .name = name, .size = 4, .alignment = 4 });
    }
    kith_listener_desc desc = { KITH_EVENT_REMOVE, last, count_removal, &reported, 0, NULL };
    kith_listener      ear  = kith_listener_connect(world, &desc);
    kith_entity        with = kith_entity_create(world), without = kith_entity_create(world);
    kith_component_add(world, with, last, NULL);
    kith_component_add(world, without, kith_component_next(world, 0), NULL);
    assert_true(kith_entity_destroy(world, without));
    assert_int_equal(reported, 0);
    assert_true(kith_entity_destroy(world, with));
    assert_int_equal(reported, 1);
    assert_true(kith_listener_disconnect(world, ear));
    with = kith_entity_create(world);
    kith_component_add(world, with, last, NULL);
    assert_true(kith_entity_destroy(world, with));
    assert_int_equal(reported, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WORLD(removals_of_late_components_are_reported_when_their_entity_goes),
        TEST_WORLD(a_loop_recalls_nothing_beyond_its_own_limits),
        TEST_WORLD(a_copy_of_a_cursor_that_was_left_behind_is_closed),
        TEST_WORLD(a_copy_of_a_cursor_visits_nothing_that_has_left),
        TEST_WORLD(a_copy_of_a_cursor_goes_on_behind_its_own_chunk),
        TEST_WORLD(a_listener_cannot_close_the_loop_of_the_one_before),
        cmocka_unit_test(rows_of_a_failed_add_have_disable_bits),
        cmocka_unit_test(rows_of_a_failed_reserve_have_disable_bits),
        TEST_WORLD(a_failed_reserve_leaves_the_capacity),
        TEST_WORLD(a_failed_entity_reserve_lets_hints_reach_no_further),
        TEST_WORLD(hints_that_fail_for_memory_reach_no_further),
        TEST_WORLD(hints_that_fail_at_the_limit_reach_no_further),
        TEST_WORLD(a_batch_of_hints_reaches_as_much_further_as_it_is_long),
        TEST_WORLD(a_single_hint_reaches_2_to_the_20_beyond_the_table),
        TEST_WORLD(tags_and_flags_have_no_hooks),
        TEST_WORLD(a_singleton_requires_nothing),
        TEST_WORLD(a_name_may_come_from_the_error_before),
        cmocka_unit_test(an_error_hook_cannot_change_the_world),
        TEST_WORLD(a_typed_set_takes_the_newest_hole_of_a_stable_pool),
        TEST_WORLD(a_plain_value_can_be_set_to_itself),
        TEST_WORLD(a_value_with_hooks_can_be_set_to_itself),
        TEST_WORLD(shrinking_frees_unused_signature_words),
        TEST_WORLD(a_handle_newer_than_a_retired_slot_is_not_called_destroyed),
        TEST_WORLD(a_failed_add_names_the_entity),
        cmocka_unit_test(errors_of_an_error_hook_are_neither_reported_nor_kept),
    };
    return cmocka_run_group_tests_name("regression", tests, NULL, NULL);
}
