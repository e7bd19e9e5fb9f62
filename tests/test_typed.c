// SPDX-License-Identifier: MIT
// The typed functions: each does to its world what its untyped twin does to a second world that is
// kept in the same state, and each answers the same.
#include "component_test.h"

// --- components of every kind ----------------------------------------------------------------

enum { BODY = 31, STONE, PLATE, SEASON, LATE, PLACE, COPY, ADDED, NUMBERED_FIRST = 100 };

static journal typed_journal;
static tracker body_tracker = { .journal = &typed_journal, .name = "body" };

static kith_traits body_traits(void)
{
    const kith_traits traits = { .page_rows = 2, .hooks = tracked_hooks(&body_tracker) };
    return traits;
}

static const kith_component stone_needs[] = { FROZEN, HEALTH };
static const kith_traits    stone_traits  = {
        .policy = KITH_POLICY_STABLE, .page_rows = 4, .required = stone_needs, .required_count = 2
};

typedef struct plate {
    uint8_t bytes[32];
} plate;

static const kith_traits plate_traits = { .alignment = 32, .page_rows = 1 };

KITH_COMPONENT_WITH(body, tracked, BODY, body_traits());
KITH_COMPONENT_WITH(stone, uint16_t, STONE, stone_traits);
KITH_COMPONENT_WITH(plate, plate, PLATE, plate_traits);
KITH_COMPONENT(late, tracked, LATE);
KITH_SINGLETON(season, vec2, SEASON);

// Types with names that the generated functions could have for something else.
typedef uint16_t place;
typedef uint16_t copy;
typedef uint16_t added;
KITH_COMPONENT(place, place, PLACE);
KITH_COMPONENT(copy, copy, COPY);
KITH_COMPONENT(added, added, ADDED);
KITH_MODULE(homonyms, place, copy, added);

KITH_MODULE(kinds, position, health, frozen, hidden, body, stone, plate, season);

#define NUMBERED(N) KITH_COMPONENT(c##N, int, NUMBERED_FIRST + N)
// clang-format off: numbered components, not a list to read
NUMBERED(1);
NUMBERED(2);
NUMBERED(3);
NUMBERED(4);
NUMBERED(5);
NUMBERED(6);
NUMBERED(7);
NUMBERED(8);
NUMBERED(9);
NUMBERED(10);
NUMBERED(11);
NUMBERED(12);
NUMBERED(13);
NUMBERED(14);
NUMBERED(15);
NUMBERED(16);
NUMBERED(17);
NUMBERED(18);
NUMBERED(19);
NUMBERED(20);
NUMBERED(21);
NUMBERED(22);
NUMBERED(23);
NUMBERED(24);
NUMBERED(25);
NUMBERED(26);
NUMBERED(27);
NUMBERED(28);
NUMBERED(29);
NUMBERED(30);
NUMBERED(31);
NUMBERED(32);
NUMBERED(33);
NUMBERED(34);
NUMBERED(35);
NUMBERED(36);
NUMBERED(37);
NUMBERED(38);
NUMBERED(39);
NUMBERED(40);
NUMBERED(41);
NUMBERED(42);
NUMBERED(43);
NUMBERED(44);
NUMBERED(45);
NUMBERED(46);
NUMBERED(47);
NUMBERED(48);
NUMBERED(49);
NUMBERED(50);
NUMBERED(51);
NUMBERED(52);
NUMBERED(53);
NUMBERED(54);
NUMBERED(55);
NUMBERED(56);
NUMBERED(57);
NUMBERED(58);
NUMBERED(59);
NUMBERED(60);
NUMBERED(61);
NUMBERED(62);
NUMBERED(63);
NUMBERED(64);
KITH_MODULE(numbered, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17,
            c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31, c32, c33, c34,
            c35, c36, c37, c38, c39, c40, c41, c42, c43, c44, c45, c46, c47, c48, c49, c50, c51,
            c52, c53, c54, c55, c56, c57, c58, c59, c60, c61, c62, c63, c64);
// clang-format on

// --- typed functions as a table --------------------------------------------------------------

// The typed functions of one component behind signatures without its type; NULL: there is none.
typedef struct typed_calls {
    kith_component id;
    bool (*add_bool)(kith_world *, kith_entity);
    void *(*set)(kith_world *, kith_entity, const void *);
    void *(*add)(kith_world *, kith_entity);
    void *(*get_or_add)(kith_world *, kith_entity, const void *);
    const void *(*get)(const kith_world *, kith_entity);
    void *(*mut)(kith_world *, kith_entity);
    const void *(*value)(const kith_world *, uint32_t);
    kith_entity (*owner)(const kith_world *, const void *);
    void *(*patch)(kith_world *, kith_entity, uint8_t *);
    bool (*has)(const kith_world *, kith_entity);
    bool (*remove)(kith_world *, kith_entity);
    bool (*disable)(kith_world *, kith_entity);
    bool (*enable)(kith_world *, kith_entity);
    bool (*enabled)(const kith_world *, kith_entity);
    uint32_t (*count)(const kith_world *);
    uint32_t (*rows)(const kith_world *);
    uint32_t (*row)(const kith_world *, kith_entity);
    kith_entity (*entity)(const kith_world *, uint32_t);
    bool (*reserve)(kith_world *, uint32_t);
    kith_pool_stats (*stats)(const kith_world *);
    bool (*limit_set)(kith_world *, uint32_t);
    bool (*shrink)(kith_world *);
    bool (*compact)(kith_world *);
    bool (*swap)(kith_world *, kith_entity, kith_entity);
    bool (*clear)(kith_world *);
} typed_calls;

// What patch does to a value, typed and untyped.
static void raise_first_byte(void *value, void *context)
{
    *(uint8_t *)value = (uint8_t)(*(uint8_t *)value + *(const uint8_t *)context);
}

// The forwards that hide a component's type.
#define VALUE_FORWARDS(NAME, TYPE)                                                                 \
    static void *NAME##_void_set(kith_world *world, kith_entity entity, const void *value)         \
    {                                                                                              \
        return NAME##_set(world, entity, *(const TYPE *)value);                                    \
    }                                                                                              \
    static void *NAME##_void_add(kith_world *world, kith_entity entity)                            \
    {                                                                                              \
        return NAME##_add(world, entity);                                                          \
    }                                                                                              \
    static void *NAME##_void_get_or_add(kith_world *world, kith_entity entity, const void *value)  \
    {                                                                                              \
        return NAME##_get_or_add(world, entity, *(const TYPE *)value);                             \
    }                                                                                              \
    static const void *NAME##_void_get(const kith_world *world, kith_entity entity)                \
    {                                                                                              \
        return NAME##_get(world, entity);                                                          \
    }                                                                                              \
    static void *NAME##_void_mut(kith_world *world, kith_entity entity)                            \
    {                                                                                              \
        return NAME##_mut(world, entity);                                                          \
    }                                                                                              \
    static const void *NAME##_void_value(const kith_world *world, uint32_t row)                    \
    {                                                                                              \
        return NAME##_value(world, row);                                                           \
    }                                                                                              \
    static kith_entity NAME##_void_owner(const kith_world *world, const void *value)               \
    {                                                                                              \
        return NAME##_owner(world, value);                                                         \
    }                                                                                              \
    static void NAME##_raise(TYPE *value, void *context)                                           \
    {                                                                                              \
        raise_first_byte(value, context);                                                          \
    }                                                                                              \
    static void *NAME##_void_patch(kith_world *world, kith_entity entity, uint8_t *step)           \
    {                                                                                              \
        return NAME##_patch(world, entity, NAME##_raise, step);                                    \
    }

#define POOL_CALLS(NAME)                                                                           \
    .disable = NAME##_disable, .enable = NAME##_enable, .enabled = NAME##_enabled,                 \
    .rows = NAME##_rows, .row = NAME##_row, .entity = NAME##_entity, .reserve = NAME##_reserve,    \
    .stats = NAME##_stats, .limit_set = NAME##_limit_set, .shrink = NAME##_shrink,                 \
    .compact = NAME##_compact, .swap = NAME##_swap

#define FLAG_CALLS(NAME)                                                                           \
    .has = NAME##_has, .remove = NAME##_remove, .count = NAME##_count, .clear = NAME##_clear

#define VALUE_CALLS(NAME)                                                                          \
    .set = NAME##_void_set, .add = NAME##_void_add, .get_or_add = NAME##_void_get_or_add,          \
    .get = NAME##_void_get, .mut = NAME##_void_mut, .value = NAME##_void_value,                    \
    .owner = NAME##_void_owner, .patch = NAME##_void_patch, POOL_CALLS(NAME), FLAG_CALLS(NAME)

VALUE_FORWARDS(position, vec2)
VALUE_FORWARDS(health, int)
VALUE_FORWARDS(body, tracked)
VALUE_FORWARDS(stone, uint16_t)
VALUE_FORWARDS(plate, plate)

static const typed_calls all_typed[] = {
    { .id = POSITION, VALUE_CALLS(position) },
    { .id = HEALTH, VALUE_CALLS(health) },
    { .id = BODY, VALUE_CALLS(body) },
    { .id = STONE, VALUE_CALLS(stone) },
    { .id = PLATE, VALUE_CALLS(plate) },
    { .id = FROZEN, .add_bool = frozen_add, POOL_CALLS(frozen), FLAG_CALLS(frozen) },
    { .id = HIDDEN, .add_bool = hidden_add, FLAG_CALLS(hidden) },
};

// --- twins -----------------------------------------------------------------------------------

// What a call is asked to do; calls take of it what they need.
typedef struct request {
    kith_entity entity;
    kith_entity other;
    uint32_t    number;
    uint8_t     step;
    _Alignas(32) uint8_t value[32];
} request;

// An address as a number that is the same in both worlds: whose value it is.
static uint64_t where(const typed_calls *calls, const kith_world *world, const void *address)
{
    if (address == NULL) {
        return 0;
    }
    kith_entity owner = kith_component_owner(world, calls->id, address);
    assert_int_not_equal(owner, KITH_NULL);
    assert_ptr_equal(kith_component_get(world, owner, calls->id), address);
    return owner;
}

// The bytes to look up the owner of: the entity's own value, or none of this world.
static const void *address_of(const typed_calls *calls, const kith_world *world,
                              const request *asked)
{
    const void *own = kith_component_get(world, asked->entity, calls->id);
    return own != NULL ? own : asked->value;
}

// X(VERB, typed call, untyped call): `c` is the component, `w` the world, `r` the request.
#define TWINS(X)                                                                                   \
    X(add_bool, c->add_bool(w, r->entity), kith_component_add(w, r->entity, c->id, NULL) != NULL)  \
    X(set, where(c, w, c->set(w, r->entity, r->value)),                                            \
      where(c, w, kith_component_set(w, r->entity, c->id, r->value)))                              \
    X(add, where(c, w, c->add(w, r->entity)),                                                      \
      where(c, w, kith_component_add(w, r->entity, c->id, NULL)))                                  \
    X(get_or_add, where(c, w, c->get_or_add(w, r->entity, r->value)),                              \
      where(c, w, kith_component_add(w, r->entity, c->id, r->value)))                              \
    X(get, where(c, w, c->get(w, r->entity)),                                                      \
      where(c, w, kith_component_get(w, r->entity, c->id)))                                        \
    X(mut, where(c, w, c->mut(w, r->entity)),                                                      \
      where(c, w, kith_component_mut(w, r->entity, c->id)))                                        \
    X(value, where(c, w, c->value(w, r->number)),                                                  \
      where(c, w, kith_component_value(w, c->id, r->number)))                                      \
    X(owner, c->owner(w, address_of(c, w, r)),                                                     \
      kith_component_owner(w, c->id, address_of(c, w, r)))                                         \
    X(patch, where(c, w, c->patch(w, r->entity, &r->step)),                                        \
      where(c, w, kith_component_patch(w, r->entity, c->id, raise_first_byte, &r->step)))          \
    X(has, c->has(w, r->entity), kith_component_has(w, r->entity, c->id))                          \
    X(remove, c->remove(w, r->entity), kith_component_remove(w, r->entity, c->id))                 \
    X(disable, c->disable(w, r->entity), kith_component_enable(w, r->entity, c->id, false))        \
    X(enable, c->enable(w, r->entity), kith_component_enable(w, r->entity, c->id, true))           \
    X(enabled, c->enabled(w, r->entity), kith_component_enabled(w, r->entity, c->id))              \
    X(count, c->count(w), kith_component_count(w, c->id))                                          \
    X(rows, c->rows(w), kith_component_stats(w, c->id).rows)                                       \
    X(row, c->row(w, r->entity), kith_component_row(w, r->entity, c->id))                          \
    X(entity, c->entity(w, r->number), kith_component_entity(w, c->id, r->number))                 \
    X(reserve, c->reserve(w, r->number), kith_component_reserve(w, c->id, r->number))              \
    X(stats, c->stats(w).capacity + c->stats(w).limit,                                             \
      kith_component_stats(w, c->id).capacity + kith_component_stats(w, c->id).limit)              \
    X(limit_set, c->limit_set(w, r->number), kith_component_limit_set(w, c->id, r->number))        \
    X(shrink, c->shrink(w), kith_component_shrink(w, c->id))                                       \
    X(compact, c->compact(w), kith_component_compact(w, c->id))                                    \
    X(swap, c->swap(w, r->entity, r->other), kith_component_swap(w, c->id, r->entity, r->other))   \
    X(clear, c->clear(w), kith_component_clear(w, c->id))

typedef uint64_t (*twin_fn)(const typed_calls *c, kith_world *w, request *r);

typedef struct twin {
    const char *name;
    bool (*exists)(const typed_calls *c);
    twin_fn typed;
    twin_fn untyped;
} twin;

#define DEFINE_TWIN(VERB, TYPED, UNTYPED)                                                          \
    static bool exists_##VERB(const typed_calls *c)                                                \
    {                                                                                              \
        return c->VERB != NULL;                                                                    \
    }                                                                                              \
    static uint64_t typed_##VERB(const typed_calls *c, kith_world *w, request *r)                  \
    {                                                                                              \
        (void)r;                                                                                   \
        return (TYPED);                                                                            \
    }                                                                                              \
    static uint64_t untyped_##VERB(const typed_calls *c, kith_world *w, request *r)                \
    {                                                                                              \
        (void)r;                                                                                   \
        return (UNTYPED);                                                                          \
    }

#define LIST_TWIN(VERB, TYPED, UNTYPED) { #VERB, exists_##VERB, typed_##VERB, untyped_##VERB },

TWINS(DEFINE_TWIN)

static const twin twins[] = { TWINS(LIST_TWIN) };

// --- the two worlds --------------------------------------------------------------------------

typedef struct fixture {
    test_memory memory[2];
    kith_world *world[2]; // typed, untyped
} fixture;

static int setup(void **state)
{
    fixture *f    = calloc(1, sizeof *f);
    f->world[0]   = test_world(&f->memory[0]);
    f->world[1]   = test_world(&f->memory[1]);
    typed_journal = (journal){ 0 };
    *state        = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    test_world_end(f->world[0], &f->memory[0]);
    test_world_end(f->world[1], &f->memory[1]);
    assert_int_equal(typed_journal.living, 0);
    text_free(&typed_journal.text);
    free(f);
    return 0;
}

static void register_in_both(fixture *f, bool (*registering)(kith_world *))
{
    assert_true(registering(f->world[0]));
    assert_true(registering(f->world[1]));
}

static kith_entity create_in_both(fixture *f)
{
    kith_entity entity = kith_entity_create(f->world[0]);
    assert_int_equal(kith_entity_create(f->world[1]), entity);
    return entity;
}

// The errors are the same, in the record and in how often the hook was called.
static void assert_same_error(fixture *f, const char *verb_name)
{
    kith_error typed   = kith_world_error(f->world[0]);
    kith_error untyped = kith_world_error(f->world[1]);
    if (typed.code != untyped.code || f->memory[0].errors != f->memory[1].errors) {
        fail_msg("%s: error %d typed, %d untyped", verb_name, (int)typed.code, (int)untyped.code);
    }
    assert_int_equal(typed.entity, untyped.entity);
    assert_int_equal(typed.component, untyped.component);
    if (typed.call != NULL || untyped.call != NULL) {
        assert_string_equal(typed.call, untyped.call);
    }
}

// Asks both worlds, one typed and one untyped.
static void ask_both(fixture *f, const twin *asked, const typed_calls *calls, request *one)
{
    if (!asked->exists(calls)) {
        return;
    }
    kith_world_error_clear(f->world[0]);
    kith_world_error_clear(f->world[1]);
    uint64_t typed   = asked->typed(calls, f->world[0], one);
    uint64_t untyped = asked->untyped(calls, f->world[1], one);
    if (typed != untyped) {
        fail_msg("component %u %s: %llx typed, %llx untyped", calls->id, asked->name,
                 (unsigned long long)typed, (unsigned long long)untyped);
    }
    assert_same_error(f, asked->name);
}

static request make_request(kith_entity entity, kith_entity other, uint32_t number)
{
    request one = { .entity = entity, .other = other, .number = number, .step = 3 };
    fill_bytes(one.value, sizeof one.value, number);
    return one;
}

static void ask_everything(fixture *f, kith_entity entity, kith_entity other, uint32_t number)
{
    request one = make_request(entity, other, number);
    for (size_t i = 0; i < COUNT_OF(all_typed); i++) {
        for (size_t j = 0; j < COUNT_OF(twins); j++) {
            ask_both(f, &twins[j], &all_typed[i], &one);
        }
    }
}

// Handles of every sort: living ones with and without components, dead, stale and strange ones.
static void ask_about_all_handles(fixture *f)
{
    kith_entity handles[4 + STRANGERS];
    for (size_t i = 0; i < 4; i++) {
        handles[i] = create_in_both(f);
    }
    make_strangers(kith_entity_index(handles[0]), handles + 4);
    kith_entity_destroy(f->world[0], handles[3]);
    kith_entity_destroy(f->world[1], handles[3]);
    for (uint32_t i = 0; i < COUNT_OF(handles); i++) {
        for (uint32_t j = 0; j < COUNT_OF(handles); j++) {
            ask_everything(f, handles[i], handles[j], i);
        }
    }
}

// Bodies hold serials of one journal for both worlds, so the whole states cannot be equal with
// them.
static void drop_bodies(fixture *f)
{
    body_clear(f->world[0]);
    body_clear(f->world[1]);
}

static void assert_alike(fixture *f)
{
    drop_bodies(f);
    assert_same_worlds(f->world[0], f->world[1]);
}

// --- tests -----------------------------------------------------------------------------------

static void every_typed_function_does_as_its_untyped_twin(void **state)
{
    fixture *f = *state;
    register_in_both(f, kinds_register);

    ask_about_all_handles(f);

    assert_true(f->memory[0].errors > 0);
    assert_alike(f);
}

static void every_typed_function_reports_an_unregistered_component_as_its_twin(void **state)
{
    fixture *f = *state;

    ask_about_all_handles(f);

    assert_true(f->memory[0].errors > 0);
}

static void beyond_64_components_every_typed_function_does_as_its_twin(void **state)
{
    fixture *f = *state;
    register_in_both(f, numbered_register);
    register_in_both(f, kinds_register);

    ask_about_all_handles(f);
    assert_alike(f);
    kith_entity ship = create_in_both(f);
    position_add(f->world[0], ship);
    hidden_add(f->world[0], ship);
    frozen_add(f->world[0], ship);

    assert_int_equal(kith_entity_signature(f->world[0], ship).words[0], 0);
    assert_int_not_equal(kith_entity_signature(f->world[0], ship).words[1], 0);
    assert_true(hidden_has(f->world[0], ship));
    assert_true(hidden_remove(f->world[0], ship));
    assert_false(hidden_has(f->world[0], ship));
}

static void random_typed_step(fixture *f, kith_entity *entities, uint32_t count, uint64_t *seed)
{
    const typed_calls *calls = &all_typed[test_random_below(seed, COUNT_OF(all_typed))];
    const twin        *asked = &twins[test_random_below(seed, COUNT_OF(twins))];
    uint32_t           at    = test_random_below(seed, count);
    request            one   = make_request(entities[at], entities[test_random_below(seed, count)],
                                            test_random_below(seed, 40));
    ask_both(f, asked, calls, &one);
    if (test_random_below(seed, 30) == 0) {
        kith_entity_destroy(f->world[0], entities[at]);
        kith_entity_destroy(f->world[1], entities[at]);
    }
    if (test_random_below(seed, 20) == 0) {
        entities[at] = create_in_both(f);
    }
}

static void random_typed_calls_keep_the_worlds_alike(void **state)
{
    fixture    *f            = *state;
    uint64_t    seed         = test_seed();
    kith_entity entities[24] = { 0 };
    register_in_both(f, kinds_register);

    for (uint32_t step = 0; step < 6000; step++) {
        random_typed_step(f, entities, COUNT_OF(entities), &seed);
        if (step % 200 == 0) {
            assert_alike(f);
        }
    }

    assert_alike(f);
}

static void typed_sets_over_many_pages_keep_the_worlds_alike(void **state)
{
    fixture *f = *state;
    register_in_both(f, kinds_register);

    for (uint32_t i = 0; i < 5000; i++) {
        kith_entity entity = create_in_both(f);
        vec2        value  = { (float)i, 1 };
        const vec2 *stored = position_set(f->world[0], entity, value);
        assert_ptr_equal(position_get(f->world[0], entity), stored);
        kith_component_set(f->world[1], entity, POSITION, &value);
        assert_true(frozen_add(f->world[0], entity));
        kith_component_add(f->world[1], entity, FROZEN, NULL);
    }

    assert_same_worlds(f->world[0], f->world[1]);
}

static void a_typed_set_replaces_in_place(void **state)
{
    fixture *f = *state;
    register_in_both(f, kinds_register);
    kith_entity ship  = create_in_both(f);
    vec2       *first = position_set(f->world[0], ship, (vec2){ 1, 2 });

    assert_ptr_equal(position_set(f->world[0], ship, (vec2){ 3, 4 }), first);

    assert_float_equal(position_get(f->world[0], ship)->x, 3, 0);
    assert_int_equal(position_count(f->world[0]), 1);
}

static void a_typed_set_runs_the_hooks(void **state)
{
    fixture *f = *state;
    register_in_both(f, kinds_register);
    kith_entity ship = create_in_both(f);

    body_set(f->world[0], ship, (tracked){ .number = 1 });
    body_set(f->world[0], ship, (tracked){ .number = 2 });

    assert_journal(&typed_journal, "body copy 1, body copy 2, body destruct 1, body move 2");
}

static void a_typed_set_runs_hooks_that_came_with_a_second_registration(void **state)
{
    fixture            *f     = *state;
    kith_component_desc desc  = late_desc();
    tracker             later = { .journal = &typed_journal, .name = "late" };
    kith_entity         ship  = create_in_both(f);
    desc.traits.hooks         = tracked_hooks(&later);
    assert_true(late_register(f->world[0]));

    assert_int_equal(kith_component_register(f->world[0], &desc), LATE);
    late_set(f->world[0], ship, (tracked){ .number = 1 });
    late_remove(f->world[0], ship);
    assert_journal(&typed_journal, "late copy 1, late destruct 1");

    assert_true(late_register(f->world[0]));
    late_set(f->world[0], ship, (tracked){ .number = 2 });
    assert_journal(&typed_journal, "");
}

static void a_typed_set_after_a_raised_limit_keeps_disable_bits(void **state)
{
    fixture *f = *state;
    register_in_both(f, kinds_register);
    kith_entity first = create_in_both(f);
    position_limit_set(f->world[0], 1);
    position_add(f->world[0], first);
    position_disable(f->world[0], first);
    position_limit_set(f->world[0], UINT32_MAX);

    for (uint32_t i = 0; i < 2000; i++) {
        kith_entity entity = create_in_both(f);
        position_set(f->world[0], entity, (vec2){ 0, 0 });
        assert_true(position_enabled(f->world[0], entity));
    }

    assert_false(position_enabled(f->world[0], first));
}

static void a_full_pool_refuses_a_typed_set(void **state)
{
    fixture *f = *state;
    register_in_both(f, kinds_register);
    kith_entity ship = create_in_both(f);
    kith_entity buoy = create_in_both(f);
    position_limit_set(f->world[0], 1);
    frozen_limit_set(f->world[0], 1);
    position_set(f->world[0], ship, (vec2){ 1, 2 });
    frozen_add(f->world[0], ship);

    assert_refused_unchanged(&f->memory[0], f->world[0], KITH_ERROR_LIMIT,
                             position_set(f->world[0], buoy, (vec2){ 3, 4 }));
    assert_refused_unchanged(&f->memory[0], f->world[0], KITH_ERROR_LIMIT,
                             frozen_add(f->world[0], buoy));

    assert_non_null(position_set(f->world[0], ship, (vec2){ 5, 6 }));
}

// One reference of each pool is kept while the world grows, shrinks, learns and is emptied.
static void a_pool_reference_is_valid_as_long_as_the_world(void **state)
{
    fixture    *f     = *state;
    kith_world *world = f->world[0];
    assert_true(kinds_register(world));
    const position_ref places = position_pool(world);
    const frozen_ref   colds  = frozen_pool(world);
    kith_entity        e[3000];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        e[i] = kith_entity_create(world);
        assert_null(position_in(places, e[i]));
        assert_non_null(position_set(world, e[i], (vec2){ (float)i, 0 }));
        assert_true(i % 3 != 0 || frozen_add(world, e[i]));
        assert_ptr_equal(position_in(places, e[i]), position_get(world, e[i]));
    }
    assert_int_not_equal(test_register_tag(world, "another", 900), 0);
    for (uint32_t i = 0; i < COUNT_OF(e); i += 2) {
        assert_true(kith_entity_destroy(world, e[i]));
    }
    assert_true(kith_world_shrink(world));
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        assert_ptr_equal(position_in(places, e[i]), position_get(world, e[i]));
        assert_int_equal(position_has_in(places, e[i]), i % 2);
        assert_int_equal(frozen_has_in(colds, e[i]), i % 6 == 3);
    }
    assert_null(position_in(places, KITH_NULL));
    assert_false(position_has_in(places, UINT64_MAX));
    assert_int_equal((int)position_in(places, e[2999])->x, 2999);
    kith_world_clear(world);
    assert_null(position_in(places, e[2999]));
}

static void the_pool_of_an_unregistered_component_is_an_error_and_empty(void **state)
{
    fixture    *f      = *state;
    kith_entity e      = kith_entity_create(f->world[0]);
    uint32_t    before = f->memory[0].errors;

    const late_ref pool = late_pool(f->world[0]);

    assert_int_equal(f->memory[0].errors, before + 1);
    assert_null(late_in(pool, e));
    assert_false(late_has_in(pool, e));
    assert_int_equal(f->memory[0].errors, before + 1);
}

static void typed_functions_work_on_the_world_they_are_given(void **state)
{
    fixture *f = *state;
    assert_true(kinds_register(f->world[0]));
    assert_true(numbered_register(f->world[1]));
    assert_true(kinds_register(f->world[1]));
    kith_entity ship = create_in_both(f);

    position_set(f->world[0], ship, (vec2){ 1, 0 });
    hidden_add(f->world[1], ship);
    frozen_add(f->world[1], ship);

    assert_true(position_has(f->world[0], ship));
    assert_false(position_has(f->world[1], ship));
    assert_false(hidden_has(f->world[0], ship));
    assert_true(hidden_has(f->world[1], ship));
    assert_int_equal(frozen_count(f->world[0]), 0);
    assert_int_equal(frozen_count(f->world[1]), 1);
}

static void traits_reach_the_world(void **state)
{
    fixture *f = *state;
    register_in_both(f, kinds_register);

    const kith_component_desc *stones = kith_component_describe(f->world[0], STONE);
    const kith_component_desc *plates = kith_component_describe(f->world[0], PLATE);

    assert_int_equal((int)stones->traits.policy, KITH_POLICY_STABLE);
    assert_int_equal(stones->traits.page_rows, 4);
    assert_int_equal(stones->traits.required_count, 2);
    assert_int_equal(stones->size, sizeof(uint16_t));
    assert_string_equal(stones->name, "stone");
    assert_int_equal(plates->traits.alignment, 32);
    assert_ptr_equal(kith_component_describe(f->world[0], BODY)->traits.hooks.context,
                     &body_tracker);
}

static void each_component_registers_alone_and_again(void **state)
{
    fixture    *f     = *state;
    kith_world *world = f->world[0];

    assert_true(position_register(world));
    assert_true(health_register(world));
    assert_true(frozen_register(world));
    assert_true(hidden_register(world));
    assert_true(stone_register(world));
    assert_true(season_register(world));
    assert_true(kinds_register(world));

    assert_int_equal(kith_world_stats(world).components, 8);
    assert_int_equal(kith_component_find(world, "position"), POSITION);
}

static void a_module_registers_64_components_in_its_order(void **state)
{
    fixture       *f        = *state;
    kith_component previous = 0;

    assert_true(numbered_register(f->world[0]));

    assert_int_equal(kith_world_stats(f->world[0]).components, 64);
    for (uint32_t n = 1; n <= 64; n++) {
        previous = kith_component_next(f->world[0], previous);
        assert_int_equal(previous, NUMBERED_FIRST + n);
    }
    assert_int_equal(kith_component_next(f->world[0], previous), 0);
}

static void a_module_that_meets_a_conflict_registers_nothing(void **state)
{
    fixture            *f     = *state;
    kith_component_desc other = bytes_desc(PLATE, 3, 1);
    register_one(f->world[0], other);

    assert_refused_unchanged(&f->memory[0], f->world[0], KITH_ERROR_CONFLICT,
                             kinds_register(f->world[0]));

    assert_int_equal(kith_world_stats(f->world[0]).components, 1);
}

// --- singletons ------------------------------------------------------------------------------

// The value that an answer points to, which must be the world's one value.
static vec2 seen(const kith_world *world, const vec2 *answer)
{
    assert_ptr_equal(answer, kith_singleton_get(world, SEASON));
    return answer == NULL ? (vec2){ -1, -1 } : *answer;
}

#define ASSERT_SAME_SEASON(TYPED, UNTYPED)                                                         \
    do {                                                                                           \
        vec2 typed_   = seen(f->world[0], TYPED);                                                  \
        vec2 untyped_ = seen(f->world[1], UNTYPED);                                                \
        assert_memory_equal(&typed_, &untyped_, sizeof typed_);                                    \
        assert_same_error(f, #TYPED);                                                              \
    } while (0)

// Every typed call on the singleton beside its twin, whatever is there.
static void ask_both_about_the_season(fixture *f)
{
    kith_world *a = f->world[0];
    kith_world *b = f->world[1];
    ASSERT_SAME_SEASON(season_get(a), kith_singleton_get(b, SEASON));
    ASSERT_SAME_SEASON(season_mut(a), kith_singleton_mut(b, SEASON));
    assert_int_equal(season_has(a), kith_singleton_get(b, SEASON) != NULL);
    assert_int_equal(season_remove(a), kith_singleton_remove(b, SEASON));
    assert_same_error(f, "season_remove");
    ASSERT_SAME_SEASON(season_add(a), kith_singleton_add(b, SEASON));
    ASSERT_SAME_SEASON(season_set(a, (vec2){ 1, 2 }),
                       kith_singleton_set(b, SEASON, &(vec2){ 1, 2 }));
    ASSERT_SAME_SEASON(season_add(a), kith_singleton_add(b, SEASON));
    assert_int_equal(season_has(a), kith_singleton_get(b, SEASON) != NULL);
    assert_same_error(f, "season_has");
}

static void every_typed_singleton_function_does_as_its_twin(void **state)
{
    fixture *f = *state;
    register_in_both(f, season_register);

    ask_both_about_the_season(f);
    assert_true(season_has(f->world[0]));
    ask_both_about_the_season(f);

    assert_int_equal(f->memory[0].errors, 0);
    assert_float_equal(season_get(f->world[0])->y, 2, 0);
}

static void an_unregistered_typed_singleton_reports_as_its_twin(void **state)
{
    fixture *f = *state;

    ask_both_about_the_season(f);

    assert_error(f->world[0], KITH_ERROR_UNREGISTERED);
    assert_null(season_get(f->world[0]));
}

// --- from inside a hook ----------------------------------------------------------------------

static void move_to_9(vec2 *value, void *context)
{
    (void)context;
    value->x = 9;
}

static void add_by_typed_functions(void *context)
{
    fixture    *f    = context;
    kith_entity ship = kith_entity_make(0, 1);
    assert_refused(&f->memory[0], f->world[0], KITH_ERROR_BUSY,
                   position_set(f->world[0], ship, (vec2){ 1, 2 }));
    assert_refused(&f->memory[0], f->world[0], KITH_ERROR_BUSY, frozen_add(f->world[0], ship));
    assert_refused(&f->memory[0], f->world[0], KITH_ERROR_BUSY, hidden_add(f->world[0], ship));
    assert_refused(&f->memory[0], f->world[0], KITH_ERROR_BUSY, hidden_remove(f->world[0], ship));
    assert_refused(&f->memory[0], f->world[0], KITH_ERROR_BUSY,
                   position_patch(f->world[0], ship, move_to_9, NULL));
}

static void inline_bodies_refuse_a_busy_world(void **state)
{
    fixture *f = *state;
    register_in_both(f, kinds_register);
    kith_entity ship = create_in_both(f);
    hidden_add(f->world[0], ship);
    position_add(f->world[0], ship);
    typed_journal.intrude  = add_by_typed_functions;
    typed_journal.intruder = f;

    assert_non_null(body_add(f->world[0], ship));

    typed_journal.intrude = NULL;
    assert_true(hidden_has(f->world[0], ship));
    assert_false(frozen_has(f->world[0], ship));
    assert_float_equal(position_get(f->world[0], ship)->x, 0, 0);
}

static void intrude_by_patch(vec2 *value, void *context)
{
    value->y = 5;
    add_by_typed_functions(context);
}

static void a_typed_patch_may_not_change_the_world(void **state)
{
    fixture *f = *state;
    register_in_both(f, kinds_register);
    kith_entity ship  = create_in_both(f);
    vec2       *value = position_add(f->world[0], ship);

    assert_ptr_equal(position_patch(f->world[0], ship, intrude_by_patch, f), value);

    assert_float_equal(value->x, 0, 0);
    assert_float_equal(value->y, 5, 0);
    assert_ptr_equal(position_patch(f->world[0], ship, move_to_9, NULL), value);
    assert_float_equal(value->x, 9, 0);
    assert_world_valid(f->world[0]);
}

static void a_typed_patch_without_a_function_is_an_error(void **state)
{
    fixture *f = *state;
    register_in_both(f, kinds_register);
    kith_entity ship = create_in_both(f);
    position_add(f->world[0], ship);

    assert_refused_unchanged(&f->memory[0], f->world[0], KITH_ERROR_ARGUMENT,
                             position_patch(f->world[0], ship, NULL, NULL));
}

// --- listeners -------------------------------------------------------------------------------

typedef struct turn_record {
    int32_t   priority;
    uint32_t *turns;
    uint32_t  turn;
} turn_record;

static void take_turn(kith_world *world, const kith_notice *notice, void *context)
{
    turn_record *self = context;
    (void)world;
    (void)notice;
    self->turn = ++*self->turns;
}

static void typed_listeners_have_priority_0(void **state)
{
    fixture     *f      = *state;
    uint32_t     turns  = 0;
    turn_record  low    = { -1, &turns, 0 };
    turn_record  typed  = { 0, &turns, 0 };
    turn_record  high   = { 1, &turns, 0 };
    turn_record *both[] = { &low, &high };
    register_in_both(f, kinds_register);
    kith_entity ship = kith_entity_create(f->world[0]);
    position_on_add(f->world[0], take_turn, &typed);
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        const kith_listener_desc desc = { KITH_EVENT_ADD, POSITION,          take_turn,
                                          both[i],        both[i]->priority, NULL };
        assert_int_not_equal(kith_listener_connect(f->world[0], &desc), 0);
    }

    position_set(f->world[0], ship, (vec2){ 1, 2 });

    assert_int_equal(high.turn, 1);
    assert_int_equal(typed.turn, 2);
    assert_int_equal(low.turn, 3);
}

// --- queries of one entity -------------------------------------------------------------------

KITH_QUERY(gliders, write(position), read(velocity));

static void a_query_gets_the_values_of_one_entity(void **state)
{
    fixture    *f     = *state;
    kith_world *world = f->world[0];
    assert_true(kinds_register(world) && velocity_register(world));
    kith_entity ship = kith_entity_create(world);
    position_set(world, ship, (vec2){ 1, 2 });
    const kith_entity strangers[] = { KITH_NULL, ship ^ UINT64_C(1) << 32, UINT64_MAX,
                                      kith_entity_index(ship), ship + 100000 };
    assert_int_equal(gliders_get(world, ship).entity, KITH_NULL); // it has no velocity

    velocity_set(world, ship, (vec2){ 3, 4 });
    gliders g = gliders_get(world, ship);

    assert_int_equal(g.entity, ship);
    assert_int_equal(g.count, 1);
    assert_ptr_equal(g.position, position_get(world, ship));
    assert_ptr_equal(g.velocity, velocity_get(world, ship));
    for (size_t i = 0; i < COUNT_OF(strangers); i++) {
        assert_int_equal(gliders_get(world, strangers[i]).entity, KITH_NULL);
    }
    velocity_disable(world, ship);
    assert_int_equal(gliders_get(world, ship).entity, KITH_NULL);
    assert_null(gliders_get(world, ship).position);
    velocity_enable(world, ship);
    assert_int_equal(gliders_get(world, ship).entity, ship);
}

static void a_query_of_one_entity_stamps_what_it_writes(void **state)
{
    fixture    *f     = *state;
    kith_world *world = f->world[0];
    assert_true(kinds_register(world) && velocity_register(world));
    kith_entity ship = kith_entity_create(world);
    position_set(world, ship, (vec2){ 1, 2 });
    velocity_set(world, ship, (vec2){ 3, 4 });
    uint64_t before = kith_world_now(world);
    uint64_t after  = kith_world_advance(world);

    gliders_get(world, ship);

    assert_int_equal(position_stamp(world, 0), after);
    assert_int_equal(velocity_stamp(world, 0), before);
}

static void a_query_of_one_entity_reports_an_unregistered_component(void **state)
{
    fixture    *f      = *state;
    kith_entity ship   = kith_entity_create(f->world[0]);
    uint32_t    before = f->memory[0].errors;

    assert_int_equal(gliders_get(f->world[0], ship).entity, KITH_NULL);

    assert_int_equal(f->memory[0].errors, before + 1);
}

static void a_type_may_have_any_name(void **state)
{
    (void)state;
    test_memory memory = { 0 };
    kith_world *world  = test_world(&memory);
    assert_true(homonyms_register(world));
    kith_entity e = kith_entity_create(world);
    assert_int_equal(*place_set(world, e, 1) + *copy_set(world, e, 2) + *added_set(world, e, 3), 6);
    test_world_end(world, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_type_may_have_any_name),
        TEST(every_typed_function_does_as_its_untyped_twin),
        TEST(every_typed_function_reports_an_unregistered_component_as_its_twin),
        TEST(beyond_64_components_every_typed_function_does_as_its_twin),
        TEST(random_typed_calls_keep_the_worlds_alike),
        TEST(typed_sets_over_many_pages_keep_the_worlds_alike),
        TEST(a_typed_set_replaces_in_place),
        TEST(a_typed_set_runs_the_hooks),
        TEST(a_typed_set_runs_hooks_that_came_with_a_second_registration),
        TEST(a_typed_set_after_a_raised_limit_keeps_disable_bits),
        TEST(a_full_pool_refuses_a_typed_set),
        TEST(a_pool_reference_is_valid_as_long_as_the_world),
        TEST(the_pool_of_an_unregistered_component_is_an_error_and_empty),
        TEST(typed_functions_work_on_the_world_they_are_given),
        TEST(traits_reach_the_world),
        TEST(each_component_registers_alone_and_again),
        TEST(a_module_registers_64_components_in_its_order),
        TEST(a_module_that_meets_a_conflict_registers_nothing),
        TEST(every_typed_singleton_function_does_as_its_twin),
        TEST(an_unregistered_typed_singleton_reports_as_its_twin),
        TEST(inline_bodies_refuse_a_busy_world),
        TEST(a_typed_patch_may_not_change_the_world),
        TEST(a_typed_patch_without_a_function_is_an_error),
        TEST(typed_listeners_have_priority_0),
        TEST(a_query_gets_the_values_of_one_entity),
        TEST(a_query_of_one_entity_stamps_what_it_writes),
        TEST(a_query_of_one_entity_reports_an_unregistered_component),
    };
    return cmocka_run_group_tests_name("typed", tests, NULL, NULL);
}
