// SPDX-License-Identifier: MIT
// Typed queries: every word of KITH_QUERY, one entity at a time and by chunks, stored, reading, and
// KITH_EACH and KITH_EACH_STORED, which close their loop on every way out.
#include "component_test.h"

#define DRIFTERS 10u

KITH_QUERY(movers, write(position), read(velocity), without(frozen));
KITH_QUERY(watchers, read(position), with(frozen), without(hidden));
KITH_QUERY(menders, optional(velocity), optional_write(health), write(position), with(hidden));
KITH_QUERY(seekers, read(position), any(velocity, health, frozen, hidden));
KITH_QUERY(sleepers, read(position), disabled(position), lead(position));
KITH_QUERY(speeds, read(velocity));
KITH_QUERY(loners, without(position), without(velocity));
KITH_QUERY(one_and_the_other, any(position, velocity), any(health, frozen));
KITH_QUERY(maybe_marked, read(position), optional(frozen), optional(hidden));

KITH_GROUP(bodies, own(position), own(velocity), without(frozen));
KITH_GROUP(marked, read(health), with(frozen), without(hidden));

// --- programs in which the words are macros --------------------------------------------------

#define read(X)           read_is_taken
#define write(X)          write_is_taken
#define with(X)           with_is_taken
#define without(X)        without_is_taken
#define optional(X)       optional_is_taken
#define optional_write(X) optional_write_is_taken
#define any(...)          any_is_taken
#define disabled(X)       disabled_is_taken
#define lead(X)           lead_is_taken
#define own(X)            own_is_taken
KITH_QUERY(prefixed, kith_write(position), kith_read(velocity), kith_without(frozen));
KITH_QUERY(prefixed_too, kith_with(position), kith_optional(velocity), kith_optional_write(health),
           kith_any(frozen, hidden), kith_disabled(position), kith_lead(position));
KITH_GROUP(prefixed_group, kith_own(position), kith_read(velocity), kith_without(frozen));
#undef read
#undef write
#undef with
#undef without
#undef optional
#undef optional_write
#undef any
#undef disabled
#undef lead
#undef own

// --- sixteen terms ---------------------------------------------------------------------------

enum { N = 100 };
KITH_COMPONENT(n01, int, N + 1);
KITH_COMPONENT(n02, int, N + 2);
KITH_COMPONENT(n03, int, N + 3);
KITH_COMPONENT(n04, int, N + 4);
KITH_COMPONENT(n05, int, N + 5);
KITH_COMPONENT(n06, int, N + 6);
KITH_COMPONENT(n07, int, N + 7);
KITH_COMPONENT(n08, int, N + 8);
KITH_COMPONENT(n09, int, N + 9);
KITH_COMPONENT(n10, int, N + 10);
KITH_COMPONENT(n11, int, N + 11);
KITH_COMPONENT(n12, int, N + 12);
KITH_COMPONENT(n13, int, N + 13);
KITH_COMPONENT(n14, int, N + 14);
KITH_COMPONENT(n15, int, N + 15);
KITH_COMPONENT(n16, int, N + 16);
KITH_MODULE(sixteen, n01, n02, n03, n04, n05, n06, n07, n08, n09, n10, n11, n12, n13, n14, n15,
            n16);
KITH_QUERY(widest, write(n01), read(n02), write(n03), read(n04), write(n05), read(n06), write(n07),
           read(n08), write(n09), read(n10), write(n11), read(n12), write(n13), read(n14),
           optional_write(n15), optional(n16));
KITH_QUERY(most_alternatives, read(n01), any(n02, n03, n04, n05, n06, n07, n08, n09));

// --- fixture ---------------------------------------------------------------------------------

typedef struct fixture {
    test_memory memory;
    kith_world *world;
    kith_entity e[DRIFTERS];
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->world   = test_world(&f->memory);
    assert_true(game_register(f->world));
    create_entities(f->world, f->e, DRIFTERS);
    for (uint32_t i = 0; i < DRIFTERS; i++) {
        position_set(f->world, f->e[i], (vec2){ (float)i, 0 });
        velocity_set(f->world, f->e[i], (vec2){ 1, (float)i });
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    test_world_end(f->world, &f->memory);
    free(f);
    return 0;
}

// In other rows than position has them, so that blocks are gathered.
static void shuffle_velocities(fixture *f)
{
    for (uint32_t i = 0; i < DRIFTERS / 2; i++) {
        velocity_swap(f->world, f->e[i], f->e[DRIFTERS - 1 - i]);
    }
}

static void assert_positions(const fixture *f, float step)
{
    for (uint32_t i = 0; i < DRIFTERS; i++) {
        assert_float_equal(position_get(f->world, f->e[i])->x, (float)i + step, 0);
    }
}

// --- one at a time, and by chunks ------------------------------------------------------------

static void move_one_by_one(movers m, uint32_t *visited)
{
    while (movers_next(&m)) {
        m.position->x += m.velocity->x;
        ++*visited;
    }
}

static void move_by_chunks(movers c, uint32_t *visited)
{
    while (movers_next_chunk(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            c.position[i].x += c.velocity[i].x;
        }
        *visited += c.count;
    }
}

static void both_forms_reach_every_value(void **state)
{
    fixture *f       = *state;
    uint32_t visited = 0;

    move_one_by_one(movers_begin(f->world), &visited);
    move_by_chunks(movers_begin(f->world), &visited);
    shuffle_velocities(f);
    move_one_by_one(movers_begin(f->world), &visited);
    move_by_chunks(movers_begin(f->world), &visited);

    assert_int_equal(visited, 4 * DRIFTERS);
    assert_positions(f, 4);
}

static void check_fields(fixture *f)
{
    uint32_t i = 0;
    movers   m = movers_begin(f->world);
    assert_false(m.failed);
    while (movers_next(&m)) {
        assert_int_equal(m.entity, f->e[i]);
        assert_ptr_equal(m.position, position_get(f->world, f->e[i]));
        assert_ptr_equal(m.velocity, velocity_get(f->world, f->e[i]));
        i++;
    }
    assert_int_equal(i, DRIFTERS);
    assert_int_equal(m.entity, KITH_NULL);
    movers c = movers_begin(f->world);
    for (i = 0; movers_next_chunk(&c); i += c.count) {
        assert_int_equal(c.entity, f->e[i]);
        for (uint32_t k = 0; k < c.count; k++) {
            assert_int_equal(movers_entity(&c, k), f->e[i + k]);
            assert_ptr_equal(c.position + k, position_get(f->world, f->e[i + k]));
            assert_ptr_equal(c.velocity + k, velocity_get(f->world, f->e[i + k]));
        }
    }
    assert_int_equal(i, DRIFTERS);
    assert_int_equal(c.count, 0);
}

static void the_fields_are_those_of_the_entity(void **state)
{
    fixture *f = *state;

    check_fields(f);
    shuffle_velocities(f);
    check_fields(f);
}

static void next_and_next_chunk_can_be_mixed(void **state)
{
    fixture *f = *state;
    movers   m = movers_begin(f->world);

    assert_true(movers_next(&m));
    assert_true(movers_next(&m));
    assert_true(movers_next_chunk(&m));

    assert_int_equal(m.entity, f->e[2]);
    assert_int_equal(m.count, DRIFTERS - 2);
    assert_ptr_equal(m.position, position_get(f->world, f->e[2]));
    assert_false(movers_next(&m));
}

static void count_is_that_of_the_chunk_or_one(void **state)
{
    fixture *f = *state;
    velocity_swap(f->world, f->e[8], f->e[9]); // ends the first chunk
    movers m = movers_begin(f->world);
    assert_int_equal(m.count, 0);

    for (uint32_t i = 0; i < 2; i++) {
        assert_true(movers_next(&m));
        assert_int_equal(m.count, 1);
    }
    assert_true(movers_next_chunk(&m));
    assert_int_equal(m.count, 6);
    for (uint32_t i = 8; i < DRIFTERS; i++) {
        assert_true(movers_next(&m));
        assert_int_equal(m.entity, f->e[i]);
        assert_int_equal(m.count, 1);
    }
    assert_false(movers_next(&m));
    assert_int_equal(m.count, 0);
}

// --- the words -------------------------------------------------------------------------------

static void with_and_without_have_no_field(void **state)
{
    fixture *f = *state;
    frozen_add(f->world, f->e[1]);
    frozen_add(f->world, f->e[2]);
    hidden_add(f->world, f->e[2]);
    watchers c = watchers_begin(f->world);

    assert_true(watchers_next(&c));
    assert_int_equal(c.entity, f->e[1]);
    assert_float_equal(c.position->x, 1, 0);
    assert_false(watchers_next(&c));
    assert_int_equal(movers_count(f->world), DRIFTERS - 2);
}

static void optional_fields_are_null_where_absent(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < DRIFTERS; i += 2) {
        hidden_add(f->world, f->e[i]);
    }
    health_set(f->world, f->e[4], 7);
    velocity_remove(f->world, f->e[6]);
    uint32_t visited = 0;
    menders  m       = menders_begin(f->world);

    while (menders_next(&m)) {
        assert_ptr_equal(m.velocity, velocity_get(f->world, m.entity));
        assert_ptr_equal(m.health, health_get(f->world, m.entity));
        if (m.health != NULL) {
            *m.health += 1;
        }
        visited++;
    }

    assert_int_equal(visited, DRIFTERS / 2);
    assert_int_equal(*health_get(f->world, f->e[4]), 8);
}

static void optional_fields_of_a_chunk_are_null_or_arrays(void **state)
{
    fixture *f       = *state;
    uint32_t visited = 0;
    for (uint32_t i = 0; i < DRIFTERS; i++) {
        hidden_add(f->world, f->e[i]);
        if (i >= 3 && i < 7) {
            health_set(f->world, f->e[i], (int)i);
        }
    }
    menders c = menders_begin(f->world);

    while (menders_next_chunk(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            kith_entity entity = menders_entity(&c, i);
            assert_ptr_equal(c.health == NULL ? NULL : c.health + i, health_get(f->world, entity));
            assert_ptr_equal(c.velocity + i, velocity_get(f->world, entity));
        }
        visited += c.count;
    }

    assert_int_equal(visited, DRIFTERS);
}

static void alternatives_are_fields_of_which_one_is_there(void **state)
{
    fixture *f = *state;
    velocity_clear(f->world);
    velocity_set(f->world, f->e[1], (vec2){ 0, 0 });
    health_set(f->world, f->e[3], 3);
    frozen_add(f->world, f->e[5]);
    hidden_add(f->world, f->e[7]);
    hidden_add(f->world, f->e[3]);
    uint32_t visited = 0;
    seekers  s       = seekers_begin(f->world);

    while (seekers_next(&s)) {
        assert_ptr_equal(s.velocity, velocity_get(f->world, s.entity));
        assert_ptr_equal(s.health, health_get(f->world, s.entity));
        assert_int_equal(s.frozen != NULL, frozen_has(f->world, s.entity));
        assert_int_equal(s.hidden != NULL, hidden_has(f->world, s.entity));
        assert_true(s.velocity != NULL || s.health != NULL || s.frozen != NULL || s.hidden != NULL);
        visited++;
    }

    assert_int_equal(visited, 4);
}

static void lists_of_alternatives_are_groups_of_their_own(void **state)
{
    fixture *f = *state;
    velocity_clear(f->world);
    health_set(f->world, f->e[3], 3);
    frozen_add(f->world, f->e[5]);
    kith_entity only = kith_entity_create(f->world);
    health_set(f->world, only, 1);

    assert_int_equal(one_and_the_other_count(f->world), 2);
    assert_int_equal(one_and_the_other_first(f->world), f->e[3]);
    assert_false(one_and_the_other_contains(f->world, only));
}

static void disabled_and_lead_are_words_beside_the_term(void **state)
{
    fixture *f = *state;
    position_disable(f->world, f->e[0]);
    position_swap(f->world, f->e[0], f->e[9]);
    sleepers s = sleepers_begin(f->world);

    assert_true(sleepers_next(&s));
    assert_int_equal(s.entity, f->e[9]);
    assert_int_equal(sleepers_count(f->world), DRIFTERS);
    assert_int_equal(movers_count(f->world), DRIFTERS - 1);
    sleepers_end(&s);
}

static void a_query_without_fields_visits_too(void **state)
{
    fixture    *f    = *state;
    kith_entity only = kith_entity_create(f->world);
    loners      one  = loners_begin(f->world);

    assert_true(loners_next(&one));
    assert_int_equal(one.entity, only);
    assert_false(loners_next(&one));
    loners all = loners_begin(f->world);
    assert_true(loners_next_chunk(&all));
    assert_int_equal(loners_entity(&all, 0), only);
    loners_end(&all);
}

static void fields_of_tags_and_flags_say_only_that_they_are_there(void **state)
{
    fixture *f = *state;
    frozen_add(f->world, f->e[0]);
    hidden_add(f->world, f->e[1]);
    frozen_add(f->world, f->e[2]);
    hidden_add(f->world, f->e[2]);
    maybe_marked m = maybe_marked_begin(f->world);
    for (uint32_t i = 0; maybe_marked_next(&m); i++) {
        assert_int_equal(m.frozen != NULL, i == 0 || i == 2);
        assert_int_equal(m.hidden != NULL, i == 1 || i == 2);
        assert_float_equal(m.position->x, (float)i, 0);
    }
    maybe_marked c       = maybe_marked_begin(f->world);
    uint32_t     visited = 0;
    while (maybe_marked_next_chunk(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            kith_entity entity = maybe_marked_entity(&c, i);
            assert_int_equal(c.frozen != NULL, frozen_has(f->world, entity));
            assert_int_equal(c.hidden != NULL, hidden_has(f->world, entity));
        }
        visited += c.count;
    }
    assert_int_equal(visited, DRIFTERS);
}

static void words_with_a_prefix_are_the_same_words(void **state)
{
    fixture *f = *state;

    assert_int_equal(prefixed_desc()->term_count, movers_desc()->term_count);
    assert_memory_equal(prefixed_desc()->terms, movers_desc()->terms,
                        movers_desc()->term_count * sizeof(kith_term));
    prefixed m = prefixed_begin(f->world);
    assert_true(prefixed_next(&m));
    m.position->x += m.velocity->x;
    prefixed_end(&m);

    const kith_term expected[] = {
        { POSITION, KITH_ROLE_WITH, 0 },         { VELOCITY, KITH_ROLE_OPTIONAL, 0 },
        { HEALTH, KITH_ROLE_OPTIONAL_WRITE, 0 }, { FROZEN, KITH_ROLE_ANY, FROZEN },
        { HIDDEN, KITH_ROLE_ANY, FROZEN },       { POSITION, KITH_ROLE_DISABLED, 0 },
        { POSITION, KITH_ROLE_LEAD, 0 },
    };
    assert_int_equal(prefixed_too_desc()->term_count, COUNT_OF(expected));
    assert_memory_equal(prefixed_too_desc()->terms, expected, sizeof expected);
    assert_string_equal(prefixed_too_desc()->name, "prefixed_too");
    hidden_add(f->world, f->e[2]);
    prefixed_too p = prefixed_too_begin(f->world);
    assert_true(prefixed_too_next(&p));
    assert_int_equal(p.entity, f->e[2]);
    assert_null(p.frozen);
    assert_non_null(p.hidden);
    assert_null(p.health);
    assert_ptr_equal(p.velocity, velocity_get(f->world, f->e[2]));
    assert_false(prefixed_too_next(&p));
}

static void add_sixteen(kith_world *world, kith_entity entity, int but)
{
    for (int i = 1; i <= 16; i++) {
        const int value = i * 100 + (int)kith_entity_index(entity);
        if (i != but) {
            kith_component_set(world, entity, (kith_component)(N + i), &value);
        }
    }
}

static void a_typed_query_has_up_to_16_terms(void **state)
{
    fixture *f = *state;
    assert_true(sixteen_register(f->world));
    add_sixteen(f->world, f->e[0], 0);
    add_sixteen(f->world, f->e[1], 14);
    add_sixteen(f->world, f->e[2], 15);
    widest w = widest_begin(f->world);

    assert_true(widest_next(&w));
    assert_int_equal(*w.n01 + *w.n02 + *w.n13 + *w.n14 + *w.n15 + *w.n16, 6100);
    *w.n01 = 1;
    assert_true(widest_next(&w));
    assert_int_equal(w.entity, f->e[2]);
    assert_null(w.n15);
    assert_int_equal(*w.n16, 1602);
    assert_false(widest_next(&w));

    assert_int_equal(*n01_get(f->world, f->e[0]), 1);
    assert_int_equal(most_alternatives_count(f->world), 3);
}

// --- stored, reading -------------------------------------------------------------------------

static void a_stored_query_gives_the_same_cursor(void **state)
{
    fixture    *f       = *state;
    uint32_t    visited = 0;
    kith_query *query   = movers_query(f->world);
    assert_non_null(query);
    assert_ptr_equal(movers_query(f->world), query);

    for (int round = 0; round < 3; round++) {
        move_one_by_one(movers_begin_stored(query), &visited);
        move_by_chunks(movers_begin_stored(query), &visited);
        shuffle_velocities(f);
    }

    assert_int_equal(visited, 6 * DRIFTERS);
    assert_positions(f, 6);
    assert_string_equal(kith_query_describe(query)->name, "movers");
}

static void a_stored_query_of_other_terms_is_refused(void **state)
{
    fixture    *f     = *state;
    kith_query *query = watchers_query(f->world);

    movers m = movers_begin_stored(query);

    assert_true(m.failed);
    assert_error(f->world, KITH_ERROR_ARGUMENT);
    assert_false(movers_next(&m));
    assert_false(movers_next_chunk(&m));
    movers_end(&m);
    assert_int_equal(f->memory.errors, 1);
}

static uint32_t read_speeds(const kith_world *world)
{
    uint32_t visited = 0;
    speeds   s       = speeds_begin_read(world);
    while (speeds_next(&s)) {
        assert_ptr_equal(s.velocity, velocity_get(world, s.entity));
        visited++;
    }
    speeds c = speeds_begin_read(world);
    while (speeds_next_chunk(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            assert_ptr_equal(c.velocity + i, velocity_get(world, speeds_entity(&c, i)));
        }
        visited += c.count;
    }
    return visited;
}

static void a_const_world_can_be_read(void **state)
{
    fixture *f           = *state;
    uint32_t allocations = f->memory.allocations;

    assert_int_equal(read_speeds(f->world), 2 * DRIFTERS);

    assert_int_equal(f->memory.allocations, allocations);
    assert_int_equal(kith_world_advance(f->world), 2);
    movers m = movers_begin_read(f->world); // has a write term
    assert_true(m.failed);
    assert_false(movers_next(&m));
}

static void reading_walks_join_columns_too(void **state)
{
    fixture *f = *state;
    shuffle_velocities(f);
    velocity_remove(f->world, f->e[3]);
    uint32_t visited = 0;
    seekers  s       = seekers_begin_read(f->world);

    while (seekers_next(&s)) {
        assert_ptr_equal(s.velocity, velocity_get(f->world, s.entity));
        assert_ptr_equal(s.position, position_get(f->world, s.entity));
        visited++;
    }

    assert_int_equal(visited, DRIFTERS - 1);
}

KITH_QUERY(roamers, read(position), read(velocity), without(frozen));

// Entities whose velocities are in another order, some without one, some frozen, in several pages.
static void scatter(kith_world *world, kith_entity *e, uint32_t count)
{
    uint64_t seed = test_seed();
    kith_world_hold(world);
    for (uint32_t i = 0; i < count; i++) {
        e[i] = kith_entity_create(world);
        position_set(world, e[i], (vec2){ (float)i, 0 });
    }
    for (uint32_t i = count - 1; i > count / 4; i--) { // a quarter stays in order
        uint32_t    other = count / 4 + test_random_below(&seed, i + 1 - count / 4);
        kith_entity taken = e[i];
        e[i]              = e[other];
        e[other]          = taken;
    }
    for (uint32_t i = 0; i < count; i++) {
        velocity_set(world, e[i], (vec2){ 1, 1 });
        if (test_random_below(&seed, 3) == 0) {
            frozen_add(world, e[i]);
        }
        if (test_random_below(&seed, 20) == 0) { // these leave holes, as the world is held
            velocity_remove(world, e[i]);
        } else if (test_random_below(&seed, 20) == 0) {
            kith_entity_destroy(world, e[i]);
        }
    }
}

static void assert_reads_as_a_loop(kith_world *world, roamers one, roamers many)
{
    uint32_t at   = 0;
    roamers  loop = roamers_begin(world);
    while (roamers_next(&loop)) {
        assert_true(roamers_next(&one));
        assert_int_equal(one.entity, loop.entity);
        assert_ptr_equal(one.position, loop.position);
        assert_ptr_equal(one.velocity, loop.velocity);
        if (at == many.count) {
            assert_true(roamers_next_chunk(&many));
            at = 0;
        }
        assert_int_equal(roamers_entity(&many, at), loop.entity);
        assert_ptr_equal(many.position + at, loop.position);
        assert_ptr_equal(many.velocity + at, loop.velocity);
        at++;
    }
    assert_false(roamers_next(&one));
    assert_int_equal(at, many.count);
    assert_false(roamers_next_chunk(&many));
}

static void readers_visit_what_a_loop_visits(void **state)
{
    fixture           *f     = *state;
    kith_query        *query = roamers_query(f->world);
    static kith_entity e[3000];
    scatter(f->world, e, 3000);

    for (int round = 0; round < 2; round++) { // with holes and without
        assert_in_range(roamers_count(f->world), 1500, 2500);
        assert_reads_as_a_loop(f->world, roamers_begin_read(f->world),
                               roamers_begin_read(f->world));
        assert_reads_as_a_loop(f->world, roamers_begin_read_stored(query),
                               roamers_begin_read_stored(query));
        kith_world_release(f->world);
    }
    assert_int_equal(f->memory.errors, 1); // the second release
}

static void a_stored_query_is_read_with_its_own_terms(void **state)
{
    fixture    *f       = *state;
    kith_query *query   = speeds_query(f->world);
    uint32_t    visited = 0;

    speeds s = speeds_begin_read_stored(query);
    while (speeds_next(&s)) {
        assert_ptr_equal(s.velocity, velocity_get(f->world, s.entity));
        visited++;
    }
    assert_int_equal(visited, DRIFTERS);
    assert_true(speeds_begin_read_stored(NULL).failed);
    assert_int_equal(f->memory.errors, 0);

    watchers w = watchers_begin_read_stored(query);
    assert_true(w.failed);
    assert_false(watchers_next(&w));
    movers m = movers_begin_read_stored(movers_query(f->world)); // has a write term
    assert_true(m.failed);
    assert_false(movers_next_chunk(&m));
    assert_int_equal(f->memory.errors, 2);
    assert_error(f->world, KITH_OK);
}

static void first_count_contains_and_size_hint(void **state)
{
    fixture *f = *state;
    frozen_add(f->world, f->e[0]);

    assert_int_equal(movers_first(f->world), f->e[1]);
    assert_int_equal(movers_count(f->world), DRIFTERS - 1);
    assert_int_equal(movers_size_hint(f->world), DRIFTERS);
    assert_true(movers_contains(f->world, f->e[1]));
    assert_false(movers_contains(f->world, f->e[0]));
    assert_false(movers_contains(f->world, KITH_NULL));
}

// --- changes and closing ---------------------------------------------------------------------

static void the_body_may_change_anything(void **state)
{
    fixture *f       = *state;
    uint32_t visited = 0;
    movers   m       = movers_begin(f->world);

    while (movers_next(&m)) {
        visited++;
        kith_entity fresh = kith_entity_create(f->world);
        position_set(f->world, fresh, (vec2){ 0, 0 });
        velocity_set(f->world, fresh, (vec2){ 0, 0 });
        if (m.entity == f->e[2]) {
            velocity_remove(f->world, f->e[3]);
            frozen_add(f->world, f->e[5]);
            kith_entity_destroy(f->world, f->e[7]);
            kith_entity_destroy(f->world, f->e[0]);
        }
        m.position->x = 50; // good until the loop closes, whatever happened
    }

    assert_int_equal(visited, DRIFTERS - 3);
}

static void a_typed_cursor_of_a_closed_loop_is_closed(void **state)
{
    fixture *f     = *state;
    movers   outer = movers_begin(f->world);
    movers   inner = movers_begin(f->world);
    assert_true(movers_next(&inner));
    assert_true(movers_next(&outer));

    movers_end(&outer);

    assert_refused(&f->memory, f->world, KITH_ERROR_CLOSED, movers_next(&inner));
    assert_int_equal(inner.entity, KITH_NULL);
    assert_refused(&f->memory, f->world, KITH_ERROR_CLOSED, movers_next_chunk(&inner));
    assert_int_equal(inner.count, 0);
    assert_refused(&f->memory, f->world, KITH_ERROR_CLOSED, movers_next(&outer));
    movers_end(&inner);
    movers_end(&outer);
    assert_int_equal(f->memory.errors, 3);
}

static void an_unregistered_component_makes_begin_fail(void **state)
{
    fixture *f = *state;

    widest w = widest_begin(f->world);

    assert_true(w.failed);
    assert_error(f->world, KITH_ERROR_UNREGISTERED);
    assert_false(widest_next(&w));
    widest_end(&w);
    assert_null(widest_query(f->world));
}

#ifdef KITH_EACH
static uint32_t leave_by_break(kith_world *world)
{
    uint32_t visited = 0;
    KITH_EACH(movers, m, world)
    {
        m.position->x += 1;
        if (++visited == 3) {
            break;
        }
    }
    return visited;
}

static uint32_t leave_by_return(kith_world *world)
{
    KITH_EACH(movers, m, world)
    {
        if (m.position->x >= 2) {
            return kith_entity_index(m.entity);
        }
    }
    return 99;
}

static uint32_t leave_by_goto(kith_world *world)
{
    uint32_t inner = 0;
    KITH_EACH(movers, m, world)
    {
        KITH_EACH(speeds, s, world)
        {
            inner++;
            if (s.velocity->y >= 4) {
                goto out;
            }
        }
        m.position->x += 1;
    }
out:
    return inner;
}

static uint32_t leave_at_the_end(kith_world *world)
{
    uint32_t visited = 0;
    KITH_EACH(movers, m, world)
    {
        if (m.velocity->y == 4) {
            continue;
        }
        visited++;
    }
    return visited;
}

static void each_closes_its_loop_on_every_way_out(void **state)
{
    fixture *f = *state;

    assert_int_equal(leave_by_break(f->world), 3);
    assert_int_equal(kith_world_advance(f->world), 2);
    assert_int_equal(leave_by_return(f->world), 1); // 0, 1 and 2 went a step by the first loop
    assert_int_equal(kith_world_advance(f->world), 3);
    assert_int_equal(leave_by_goto(f->world), 5);
    assert_int_equal(kith_world_advance(f->world), 4);
    assert_int_equal(leave_at_the_end(f->world), DRIFTERS - 1);
    assert_int_equal(kith_world_advance(f->world), 5);
    assert_int_equal(f->memory.errors, 0);
}

static uint32_t leave_stored_by_break(kith_query *query)
{
    uint32_t visited = 0;
    KITH_EACH_STORED(movers, m, query)
    {
        m.position->x += 1;
        if (++visited == 3) {
            break;
        }
    }
    return visited;
}

static uint32_t leave_stored_by_return(kith_query *query)
{
    KITH_EACH_STORED(movers, m, query)
    {
        KITH_EACH_STORED(movers, inner, query)
        {
            if (inner.position->x >= 2) {
                return kith_entity_index(inner.entity);
            }
        }
    }
    return 99;
}

static uint32_t leave_stored_at_the_end(kith_query *query)
{
    uint32_t visited = 0;
    KITH_EACH_STORED(movers, m, query)
    {
        visited += m.entity != KITH_NULL;
    }
    return visited;
}

static void each_stored_closes_its_loop_on_every_way_out(void **state)
{
    fixture    *f     = *state;
    kith_query *query = movers_query(f->world);

    assert_int_equal(leave_stored_by_break(query), 3);
    assert_int_equal(kith_world_advance(f->world), 2);
    assert_int_equal(leave_stored_by_return(query), 1);
    assert_int_equal(kith_world_advance(f->world), 3);
    assert_int_equal(leave_stored_at_the_end(query), DRIFTERS);
    assert_int_equal(kith_world_advance(f->world), 4);
    assert_int_equal(kith_query_report_of(query).in_runs, DRIFTERS);
    assert_int_equal(f->memory.errors, 0);
}

static void each_stored_visits_nothing_where_begin_fails(void **state)
{
    fixture *f = *state;

    assert_int_equal(leave_stored_at_the_end(NULL), 0);
    assert_int_equal(leave_stored_at_the_end(speeds_query(f->world)), 0);

    assert_error(f->world, KITH_ERROR_ARGUMENT);
    assert_int_equal(kith_world_advance(f->world), 2);
}
#endif

// --- against the untyped query ---------------------------------------------------------------

static void fill_randomly(fixture *f, uint64_t *seed)
{
    for (uint32_t i = 0; i < 600; i++) {
        kith_entity entity = kith_entity_create(f->world);
        uint32_t    bits   = test_random_below(seed, 32);
        if ((bits & 3) != 0) {
            position_set(f->world, entity, (vec2){ 0, 0 });
        }
        if ((bits & 6) != 0) {
            velocity_set(f->world, entity, (vec2){ 0, 0 });
        }
        if ((bits & 24) == 0) {
            frozen_add(f->world, entity);
        }
        if ((bits & 9) == 9) {
            position_disable(f->world, entity);
        }
    }
    for (uint32_t i = 0; i < 100; i++) {
        kith_entity a = velocity_entity(f->world, test_random_below(seed, velocity_rows(f->world)));
        kith_entity b = velocity_entity(f->world, test_random_below(seed, velocity_rows(f->world)));
        velocity_swap(f->world, a, b);
    }
}

static void typed_and_untyped_loops_visit_the_same(void **state)
{
    fixture *f    = *state;
    uint64_t seed = test_seed();
    fill_randomly(f, &seed);
    movers      typed   = movers_begin(f->world);
    kith_cursor untyped = kith_view_begin(f->world, movers_desc());
    uint32_t    visited = 0;

    while (kith_cursor_next(&untyped)) {
        assert_true(movers_next(&typed));
        assert_int_equal(typed.entity, untyped.entity);
        assert_int_equal(typed.count, untyped.count);
        assert_ptr_equal(typed.position, untyped.columns[0]);
        assert_ptr_equal(typed.velocity, untyped.columns[1]);
        if (visited++ % 7 == 0) {
            kith_entity_destroy(f->world, typed.entity);
        }
    }

    assert_false(movers_next(&typed));
    assert_true(visited > 100);
}

// --- groups ----------------------------------------------------------------------------------

static void a_typed_group_is_walked_by_its_own_cursor(void **state)
{
    fixture *f       = *state;
    uint32_t visited = 0;
    shuffle_velocities(f);
    frozen_add(f->world, f->e[3]);
    kith_group *group = bodies_group(f->world);
    assert_non_null(group);
    assert_ptr_equal(bodies_group(f->world), group);
    assert_int_equal(kith_group_count(group), DRIFTERS - 1);
    assert_int_equal(bodies_count(f->world), DRIFTERS - 1);

    bodies c = bodies_begin(f->world);
    while (bodies_next_chunk(&c)) {
        for (uint32_t i = 0; i < c.count; i++, visited++) {
            kith_entity entity = bodies_entity(&c, i);
            assert_true(bodies_contains(f->world, entity));
            assert_int_equal(entity, position_entity(f->world, visited));
            assert_int_equal(entity, velocity_entity(f->world, visited));
            assert_ptr_equal(&c.position[i], position_get(f->world, entity));
            assert_ptr_equal(&c.velocity[i], velocity_get(f->world, entity));
            c.velocity[i].x += 1; // owned is writable
        }
    }
    assert_int_equal(visited, DRIFTERS - 1);
}

static void words_of_groups_have_a_prefix_too(void **state)
{
    fixture    *f     = *state;
    kith_group *group = prefixed_group_group(f->world);
    assert_int_equal(kith_group_count(group), DRIFTERS);
    const kith_query_desc *desc = kith_group_describe(group);
    assert_string_equal(desc->name, "prefixed_group");
    assert_int_equal(desc->terms[0].role, KITH_ROLE_OWN);
    assert_int_equal(desc->terms[1].role, KITH_ROLE_READ);
    assert_int_equal(desc->terms[2].role, KITH_ROLE_WITHOUT);
}

static void a_typed_group_without_own_moves_nothing(void **state)
{
    fixture    *f     = *state;
    kith_group *group = marked_group(f->world);
    for (uint32_t i = DRIFTERS; i-- > 0;) {
        health_set(f->world, f->e[i], (int)i);
        frozen_add(f->world, f->e[DRIFTERS - 1 - i]);
    }
    hidden_add(f->world, f->e[2]);
    assert_int_equal(kith_group_count(group), DRIFTERS - 1);
    assert_int_equal(health_entity(f->world, 0), f->e[DRIFTERS - 1]);
    const kith_world *reading = f->world;
    uint32_t          visited = 0;
    for (marked m = marked_begin_read(reading); marked_next(&m); visited++) {
        assert_ptr_equal(m.health, health_get(reading, m.entity));
        assert_true(kith_group_contains(group, m.entity));
    }
    assert_int_equal(visited, DRIFTERS - 1);
    assert_true(kith_group_drop(group));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(both_forms_reach_every_value),
        TEST(the_fields_are_those_of_the_entity),
        TEST(next_and_next_chunk_can_be_mixed),
        TEST(count_is_that_of_the_chunk_or_one),
        TEST(with_and_without_have_no_field),
        TEST(optional_fields_are_null_where_absent),
        TEST(optional_fields_of_a_chunk_are_null_or_arrays),
        TEST(alternatives_are_fields_of_which_one_is_there),
        TEST(lists_of_alternatives_are_groups_of_their_own),
        TEST(disabled_and_lead_are_words_beside_the_term),
        TEST(a_query_without_fields_visits_too),
        TEST(fields_of_tags_and_flags_say_only_that_they_are_there),
        TEST(words_with_a_prefix_are_the_same_words),
        TEST(a_typed_query_has_up_to_16_terms),
        TEST(a_stored_query_gives_the_same_cursor),
        TEST(a_stored_query_of_other_terms_is_refused),
        TEST(a_const_world_can_be_read),
        TEST(reading_walks_join_columns_too),
        TEST(readers_visit_what_a_loop_visits),
        TEST(a_stored_query_is_read_with_its_own_terms),
        TEST(first_count_contains_and_size_hint),
        TEST(the_body_may_change_anything),
        TEST(a_typed_cursor_of_a_closed_loop_is_closed),
        TEST(an_unregistered_component_makes_begin_fail),
#ifdef KITH_EACH
        TEST(each_closes_its_loop_on_every_way_out),
        TEST(each_stored_closes_its_loop_on_every_way_out),
        TEST(each_stored_visits_nothing_where_begin_fails),
#endif
        TEST(typed_and_untyped_loops_visit_the_same),
        TEST(a_typed_group_is_walked_by_its_own_cursor),
        TEST(words_of_groups_have_a_prefix_too),
        TEST(a_typed_group_without_own_moves_nothing),
    };
    return cmocka_run_group_tests_name("cursor", tests, NULL, NULL);
}
