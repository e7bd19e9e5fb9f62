// SPDX-License-Identifier: MIT
// Change: row ticks, the terms that ask for them, journals, and what changed since a tick.
#include "query_test.h"

// --- row ticks against what they should be ---------------------------------------------------
//
// Components with row ticks of every sort, each with what is expected of every entity. What is
// added, set, patched, taken for writing or handed out by a loop for writing gets the present tick;
// whatever else happens to rows changes nothing.

enum { PLAIN = 61, HOOKED, FIXED, MARK, SORTS, UNTICKED = 66, MOST = 40 };

#define JOURNAL   16u
#define GONE_MOST 65536u

typedef struct ticks {
    uint64_t added; // 0: the entity lacks it
    uint64_t changed;
} ticks;

typedef struct tick_world {
    test_memory memory;
    kith_world *world;
    journal     journal;
    tracker     tracker;
    uint64_t    seed;
    kith_entity entities[MOST];
    ticks       expected[SORTS - PLAIN][MOST];
    // what went, and a walk through it
    kith_removal  gone[SORTS - PLAIN][GONE_MOST];
    uint32_t      gone_count[SORTS - PLAIN];
    uint32_t      reported[SORTS - PLAIN];
    kith_removals walks[SORTS - PLAIN];
} tick_world;

static const kith_traits plain_ticks = { .page_rows = 4, .row_ticks = true, .journal = JOURNAL };
KITH_COMPONENT_WITH(plain, uint32_t, PLAIN, plain_ticks);
static const kith_traits fixed_ticks = {
    .page_rows = 4, .row_ticks = true, .policy = KITH_POLICY_STABLE, .journal = JOURNAL
};
KITH_COMPONENT_WITH(fixed, uint32_t, FIXED, fixed_ticks);
KITH_COMPONENT(unticked, uint32_t, UNTICKED);
KITH_QUERY(plains, write(plain));
KITH_QUERY(both, write(plain), write(fixed));
KITH_GROUP(pair, own(plain), own(unticked));

static void register_ticked(tick_world *t)
{
    const kith_component_desc mark = {
        .name = "mark", .id = MARK, .kind = KITH_KIND_TAG, .traits = plain_ticks
    };
    t->tracker                 = (tracker){ .journal = &t->journal, .name = "hooked" };
    kith_component_desc hooked = tracked_desc(HOOKED, &t->tracker);
    hooked.name                = "hooked";
    hooked.traits.page_rows    = 4;
    hooked.traits.row_ticks    = true;
    hooked.traits.journal      = JOURNAL;
    assert_true(plain_register(t->world) && fixed_register(t->world) &&
                unticked_register(t->world));
    register_one(t->world, hooked);
    register_one(t->world, mark);
}

static void open_tick_world(tick_world *t)
{
    t->world = test_world(&t->memory);
    register_ticked(t);
    for (uint32_t i = 0; i < MOST; i++) {
        t->entities[i] = kith_entity_create(t->world);
    }
    for (kith_component c = PLAIN; c < SORTS; c++) {
        t->walks[c - PLAIN] = kith_removals_begin(t->world, c, 0);
    }
}

static void close_tick_world(tick_world *t)
{
    test_world_end(t->world, &t->memory);
    assert_int_equal(t->journal.living, 0);
    text_free(&t->journal.text);
}

static void check_ticks(const tick_world *t)
{
    for (kith_component c = PLAIN; c < SORTS; c++) {
        for (uint32_t i = 0; i < MOST; i++) {
            const ticks *want = &t->expected[c - PLAIN][i];
            assert_int_equal(kith_component_added_at(t->world, t->entities[i], c), want->added);
            assert_int_equal(kith_component_changed_at(t->world, t->entities[i], c), want->changed);
        }
    }
    assert_world_valid(t->world);
}

static ticks *expected(tick_world *t, kith_component c, uint32_t i)
{
    return &t->expected[c - PLAIN][i];
}

static void expect_set(tick_world *t, kith_component c, uint32_t i)
{
    ticks   *want = expected(t, c, i);
    uint64_t now  = kith_world_now(t->world);
    bool     sets = c != MARK || want->added == 0; // a tag that is there has nothing to set
    want->changed = sets ? now : want->changed;
    want->added   = want->added == 0 ? now : want->added;
}

// The entity loses the component, if it has it.
static void expect_removal(tick_world *t, kith_component c, uint32_t i)
{
    ticks    *want = expected(t, c, i);
    uint32_t *gone = &t->gone_count[c - PLAIN];
    if (want->added != 0) {
        assert_true(*gone < GONE_MOST);
        t->gone[c - PLAIN][(*gone)++] =
            (kith_removal){ .entity = t->entities[i], .tick = kith_world_now(t->world) };
    }
    *want = (ticks){ 0, 0 };
}

static void check_removals(tick_world *t)
{
    for (kith_component c = PLAIN; c < SORTS; c++) {
        kith_removals *walk     = &t->walks[c - PLAIN];
        uint32_t      *reported = &t->reported[c - PLAIN];
        uint32_t       count    = t->gone_count[c - PLAIN];
        bool           lost     = count - *reported > JOURNAL;
        kith_removal   removal;
        *reported = lost ? count - JOURNAL : *reported;
        for (; kith_removals_next(t->world, walk, &removal); ++*reported) {
            const kith_removal *want = &t->gone[c - PLAIN][*reported];
            assert_true(*reported < count);
            assert_int_equal(removal.entity, want->entity);
            assert_int_equal(removal.tick, want->tick);
        }
        assert_int_equal(*reported, count);
        assert_int_equal(walk->lost, lost);
        walk->lost = false;
    }
}

static void set_one(tick_world *t, kith_component c, uint32_t i, bool typed)
{
    tracked value = { .number = i };
    if (typed && c == PLAIN) {
        plain_set(t->world, t->entities[i], i);
    } else if (typed && c == FIXED) {
        fixed_set(t->world, t->entities[i], i);
    } else {
        kith_component_set(t->world, t->entities[i], c, &value);
    }
    expect_set(t, c, i);
}

static void touch(void *value, void *context)
{
    (void)value;
    (void)context;
}

static void change_one(tick_world *t, kith_component c, uint32_t i, uint32_t how)
{
    kith_entity entity = t->entities[i];
    if (how == 0) {
        kith_component_patch(t->world, entity, c, touch, NULL);
    } else if (how == 1 && c == PLAIN) {
        plain_mut(t->world, entity);
    } else {
        kith_component_mut(t->world, entity, c);
    }
    if (expected(t, c, i)->added != 0) {
        expected(t, c, i)->changed = kith_world_now(t->world);
    }
}

static void remove_one(tick_world *t, kith_component c, uint32_t i)
{
    kith_component_remove(t->world, t->entities[i], c);
    expect_removal(t, c, i);
}

static void renew_one(tick_world *t, uint32_t i)
{
    kith_entity_destroy(t->world, t->entities[i]);
    for (kith_component c = PLAIN; c < SORTS; c++) {
        expect_removal(t, c, i);
    }
    t->entities[i] = kith_entity_create(t->world);
}

// A stretch of the entities as a batch, which sets or removes.
static void batch_some(tick_world *t, kith_component c, bool sets)
{
    uint32_t          first   = test_random_below(&t->seed, MOST);
    uint32_t          count   = test_random_below(&t->seed, MOST - first) + 1;
    const kith_values given[] = { { c, NULL, 0 }, { UNTICKED, NULL, 0 } };
    if (sets) {
        assert_true(
            kith_entity_set_many(t->world, kith_entities_of(t->entities + first, count), given, 2));
    } else {
        assert_true(kith_entity_remove_many(t->world, kith_entities_of(t->entities + first, count),
                                            &(kith_component){ c }, 1));
    }
    for (uint32_t i = first; i < first + count; i++) {
        if (sets) {
            expect_set(t, c, i);
        } else {
            expect_removal(t, c, i);
        }
    }
}

static int reversed(kith_entity a, kith_entity b, void *context)
{
    (void)context;
    return a < b ? 1 : a > b ? -1 : 0;
}

static void move_some(tick_world *t, uint32_t how)
{
    uint32_t          a        = test_random_below(&t->seed, MOST);
    uint32_t          b        = test_random_below(&t->seed, MOST);
    const kith_values copied[] = { { PLAIN, NULL, 0 } };
    switch (how) {
    case 0:
        kith_component_swap(t->world, HOOKED, t->entities[a], t->entities[b]);
        kith_component_swap(t->world, MARK, t->entities[a], t->entities[b]);
        kith_component_swap(t->world, PLAIN, t->entities[a], t->entities[b]);
        break;
    case 1:
        assert_true(kith_component_sort(t->world, HOOKED,
                                        &(kith_sort_desc){ .compare_entities = reversed }));
        assert_true(kith_component_sort(t->world, MARK, &(kith_sort_desc){ .as = HOOKED }));
        break;
    case 2:
        assert_true(kith_component_compact(t->world, FIXED));
        break;
    case 3:
        kith_component_enable(t->world, t->entities[a], PLAIN, false);
        kith_component_enable(t->world, t->entities[a], HOOKED, false);
        break;
    case 4:
        kith_component_enable(t->world, t->entities[a], PLAIN, true);
        kith_world_shrink(t->world);
        break;
    default:
        // set_components: a value that is there and not given stays as it is
        assert_true(
            kith_entity_set_components(t->world, kith_entities_of(&t->entities[a], 1), copied, 1));
        for (kith_component c = HOOKED; c < SORTS; c++) {
            expect_removal(t, c, a);
        }
        if (expected(t, PLAIN, a)->added == 0) {
            expect_set(t, PLAIN, a);
        }
    }
}

static uint32_t place_of_entity(const tick_world *t, kith_entity entity)
{
    uint32_t i = 0;
    while (t->entities[i] != entity) {
        i++;
    }
    return i;
}

// Typed loops that are left somewhere in the middle, by entity and by chunk.
static void loop_typed(tick_world *t, uint32_t steps)
{
    both b = both_begin(t->world);
    for (; steps > 3 && both_next(&b); steps--) {
        expect_set(t, PLAIN, place_of_entity(t, b.entity));
        expect_set(t, FIXED, place_of_entity(t, b.entity));
    }
    both_end(&b);
    plains p = plains_begin(t->world);
    for (; steps > 1 && plains_next(&p); steps--) {
        expect_set(t, PLAIN, place_of_entity(t, p.entity));
    }
    if (steps == 1 && plains_next_chunk(&p)) {
        for (uint32_t i = 0; i < p.count; i++) {
            expect_set(t, PLAIN, place_of_entity(t, plains_entity(&p, i)));
        }
    }
    plains_end(&p);
}

static void loop_untyped(tick_world *t, uint32_t steps)
{
    kith_cursor c = kith_view_begin(t->world, QUERY(WRITE(HOOKED), OPTIONAL_WRITE(PLAIN)));
    for (; steps > 1 && kith_cursor_next(&c); steps--) {
        expect_set(t, HOOKED, place_of_entity(t, c.entity));
        if (c.columns[1] != NULL) {
            expect_set(t, PLAIN, place_of_entity(t, c.entity));
        }
    }
    kith_cursor_end(&c);
    c = kith_view_begin(t->world, QUERY(WRITE(FIXED), WITH(MARK)));
    while (steps != 0 && kith_cursor_next_chunk(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            expect_set(t, FIXED, place_of_entity(t, kith_cursor_entity(&c, i)));
        }
        steps--;
    }
    kith_cursor_end(&c);
}

// --- terms against what they should find -----------------------------------------------------

// A query over the components above, and what of each it asks.
typedef struct change_query {
    const char *name;
    kith_term   terms[4];
    uint32_t    count;
} change_query;

static const change_query change_queries[] = {
    { "changed", { CHANGED(PLAIN) }, 1 },
    { "added", { ADDED(MARK), WITH(MARK) }, 2 },
    { "read and changed", { READ(HOOKED), CHANGED(HOOKED) }, 2 },
    { "two", { CHANGED(PLAIN), CHANGED(FIXED) }, 2 },
    { "beside", { READ(PLAIN), READ(FIXED), CHANGED(FIXED) }, 3 },
    { "led", { CHANGED(HOOKED), LEAD(PLAIN), ADDED(PLAIN) }, 3 },
    { "without", { ADDED(FIXED), CHANGED(FIXED), WITHOUT(MARK) }, 3 },
    { "optional", { CHANGED(FIXED), OPTIONAL(PLAIN) }, 2 },
    { "disabled", { CHANGED(PLAIN), DISABLED(PLAIN), WITH(FIXED) }, 3 },
    { "by page", { READ(UNTICKED), CHANGED(UNTICKED), ADDED(PLAIN) }, 3 },
};

static bool term_is_met(const tick_world *t, const change_query *query, uint64_t since,
                        const kith_term *term, kith_entity entity)
{
    bool hidden_too = false;
    for (uint32_t i = 0; i < query->count; i++) {
        hidden_too = hidden_too || (query->terms[i].role == KITH_ROLE_DISABLED &&
                                    query->terms[i].component == term->component);
    }
    kith_component c    = term->component;
    bool           here = hidden_too ? kith_component_has(t->world, entity, c)
                                     : kith_component_enabled(t->world, entity, c);
    switch (term->role) {
    case KITH_ROLE_OPTIONAL:
        return true;
    case KITH_ROLE_WITHOUT:
        return !here;
    case KITH_ROLE_CHANGED:
        return here && kith_component_changed_at(t->world, entity, c) >= since;
    case KITH_ROLE_ADDED:
        return here && kith_component_added_at(t->world, entity, c) >= since;
    default:
        return here;
    }
}

// One bit for each entity that the query should visit.
static uint64_t matches_of(const tick_world *t, const change_query *query, uint64_t since)
{
    uint64_t matches = 0;
    for (uint32_t i = 0; i < MOST; i++) {
        bool met = true;
        for (uint32_t k = 0; k < query->count; k++) {
            met = met && term_is_met(t, query, since, &query->terms[k], t->entities[i]);
        }
        matches |= (uint64_t)met << i;
    }
    return matches;
}

static void note_visit(const tick_world *t, uint64_t *visited, kith_entity entity)
{
    uint64_t bit = UINT64_C(1) << place_of_entity(t, entity);
    assert_true((*visited & bit) == 0);
    *visited |= bit;
}

static uint64_t visited_by(const tick_world *t, kith_cursor c, bool chunks)
{
    uint64_t visited = 0;
    assert_false(c.failed);
    while (chunks ? kith_cursor_next_chunk(&c) : kith_cursor_next(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            note_visit(t, &visited, kith_cursor_entity(&c, i));
        }
    }
    return visited;
}

static uint32_t count_bits(uint64_t word)
{
    uint32_t count = 0;
    for (; word != 0; word &= word - 1) {
        count++;
    }
    return count;
}

static void check_change_queries(tick_world *t)
{
    const change_query *query =
        &change_queries[test_random_below(&t->seed, COUNT_OF(change_queries))];
    uint64_t        now   = kith_world_now(t->world);
    uint64_t        since = now - (now > 4 ? test_random_below(&t->seed, 4) : 0);
    kith_query_desc desc  = { query->name, query->terms, query->count, since };
    uint64_t        want  = matches_of(t, query, since);
    void           *columns[4];

    assert_int_equal(visited_by(t, kith_view_begin(t->world, &desc), false), want);
    assert_int_equal(visited_by(t, kith_view_begin(t->world, &desc), true), want);
    assert_int_equal(visited_by(t, kith_view_begin_read(t->world, &desc, columns), true), want);
    assert_int_equal(kith_view_count(t->world, &desc), count_bits(want));
    kith_query *stored = kith_query_create(t->world, &desc);
    assert_int_equal(visited_by(t, kith_query_begin_read(stored, columns), false), want);
    assert_int_equal(kith_query_describe(stored)->since, since);
    assert_int_equal(visited_by(t, kith_query_begin(stored), false), want);
    assert_int_equal(kith_query_describe(stored)->since, now);
    kith_query_destroy(stored);
}

// The rows that changed come as the longest spans within pages, ascending.
static void check_changes(tick_world *t)
{
    kith_component c      = PLAIN + test_random_below(&t->seed, SORTS - PLAIN);
    uint64_t       since  = kith_world_now(t->world) - test_random_below(&t->seed, 2);
    kith_changes   spans  = kith_changes_begin(t->world, c, since);
    uint32_t       behind = UINT32_MAX; // the row after the span before
    uint32_t       row    = 0;
    for (bool more = true; more; behind = row) {
        more         = kith_changes_next(t->world, &spans);
        uint32_t end = more ? spans.row : kith_component_stats(t->world, c).rows;
        assert_true(!more || (spans.count != 0 && spans.row / 4 == (end + spans.count - 1) / 4));
        assert_true(!more || spans.row != behind || spans.row % 4 == 0);
        for (; row < end; row++) {
            kith_entity entity = kith_component_entity(t->world, c, row);
            assert_true(kith_component_changed_at(t->world, entity, c) < since);
        }
        for (; more && row < spans.row + spans.count; row++) {
            kith_entity entity = kith_component_entity(t->world, c, row);
            assert_true(kith_component_changed_at(t->world, entity, c) >= since);
        }
    }
    assert_int_equal(spans.count, 0);
    assert_false(kith_changes_next(t->world, &spans));
}

static void act(tick_world *t, bool held)
{
    kith_component c   = PLAIN + test_random_below(&t->seed, SORTS - PLAIN);
    uint32_t       i   = test_random_below(&t->seed, MOST);
    uint32_t       how = test_random_below(&t->seed, 8);
    switch (test_random_below(&t->seed, held ? 6 : 9)) {
    case 0:
        set_one(t, c, i, how % 2 == 0);
        break;
    case 1:
        change_one(t, c, i, how % 3);
        break;
    case 2:
        remove_one(t, c, i);
        break;
    case 3:
        batch_some(t, c, how < 5);
        break;
    case 4:
        loop_typed(t, 2 * how);
        break;
    case 5:
        loop_untyped(t, 2 * how);
        break;
    case 6:
        renew_one(t, i);
        break;
    case 7:
        move_some(t, how % 6);
        break;
    default:
        kith_world_advance(t->world);
    }
}

static void walk_at_random(bool grouped)
{
    static tick_world t;
    memset(&t, 0, sizeof t);
    t.seed = test_seed();
    open_tick_world(&t);
    for (uint32_t step = 0; step < test_thinned(4000); step++) {
        if (step == 500 && grouped) {
            assert_non_null(pair_group(t.world));
        }
        if (step % 16 == 0 && kith_world_hold(t.world)) {
            for (uint32_t i = 0; i < 4; i++) {
                act(&t, true);
                check_ticks(&t);
                check_change_queries(&t);
                check_removals(&t);
            }
            assert_true(kith_world_release(t.world));
        }
        act(&t, false);
        check_ticks(&t);
        check_change_queries(&t);
        check_changes(&t);
        check_removals(&t);
    }
    close_tick_world(&t);
}

static void row_ticks_go_where_their_rows_go(void **state)
{
    (void)state;
    walk_at_random(false);
}

static void row_ticks_go_where_groups_put_their_rows(void **state)
{
    (void)state;
    walk_at_random(true);
}

static void a_clone_is_added_now(void **state)
{
    (void)state;
    static tick_world t = { .seed = 1 };
    open_tick_world(&t);
    kith_entity clones[6];
    plain_set(t.world, t.entities[0], 7);
    kith_world_advance(t.world);

    assert_true(kith_entity_clone_many(t.world, t.entities[0], clones, 6));

    assert_int_equal(plain_added_at(t.world, clones[5]), 2);
    assert_int_equal(plain_changed_at(t.world, clones[0]), 2);
    assert_int_equal(plain_changed_at(t.world, t.entities[0]), 1);
    close_tick_world(&t);
}

// --- terms in loops --------------------------------------------------------------------------

// Twelve entities with a value, a value with row ticks and another, made in tick 1; now is tick 2.
static kith_component ticked_component(small_world *w, const char *name, kith_component id)
{
    kith_component_desc desc = bytes_desc(id, 4, 4);
    desc.name                = name;
    desc.traits.page_rows    = PAGE_ROWS;
    desc.traits.row_ticks    = true;
    register_one(w->world, desc);
    return id;
}

enum { X = 71, Y };

static void three_ticked_pages(small_world *w)
{
    ticked_component(w, "x", X);
    ticked_component(w, "y", Y);
    populate_many(w, 12, "a");
    for (uint32_t i = 0; i < 12; i++) {
        kith_component_add(w->world, w->e[i], X, NULL);
        kith_component_add(w->world, w->e[i], Y, NULL);
    }
    kith_world_advance(w->world);
}

#define assert_changes(W, SINCE, EXPECTED, ...)                                                    \
    check_query((W)->world, QUERY_SINCE(SINCE, __VA_ARGS__), (EXPECTED))

static void without_row_ticks_a_page_changes_as_a_whole(void **state)
{
    small_world *w = *state;
    three_ticked_pages(w);
    kith_component_mut(w->world, w->e[5], A);
    kith_component_mut(w->world, w->e[6], X);

    assert_changes(w, 2, "4 5 6 7", CHANGED(A));
    assert_changes(w, 2, "6", READ(A), CHANGED(X));
    assert_changes(w, 2, "6", CHANGED(A), READ(X), CHANGED(X));
    assert_changes(w, 2, "4 5 6 7", CHANGED(A), LEAD(X));
    assert_changes(w, 2, "6", CHANGED(X), LEAD(A), WRITE(A));
    assert_changes(w, 1, "0 1 2 3 4 5 6 7 8 9 10 11", CHANGED(X));
    assert_changes(w, 0, "0 1 2 3 4 5 6 7 8 9 10 11", CHANGED(X), ADDED(Y));
    assert_changes(w, 3, "", CHANGED(X));
    assert_changes(w, UINT64_MAX, "", CHANGED(A));
}

static void a_row_that_changes_before_its_turn_is_visited(void **state)
{
    static const kith_component leads[] = { X, Y, A };
    small_world                *w       = *state;
    three_ticked_pages(w);
    for (size_t i = 0; i < COUNT_OF(leads); i++) {
        uint64_t now = kith_world_advance(w->world);
        kith_component_mut(w->world, w->e[2], X);
        kith_component_mut(w->world, w->e[9], X);
        kith_cursor c =
            kith_view_begin(w->world, QUERY_SINCE(now, CHANGED(X), WITH(Y), LEAD(leads[i])));

        assert_next(&c, w, 2);
        kith_component_mut(w->world, w->e[1], X); // its turn is over
        kith_component_mut(w->world, w->e[4], X);
        kith_component_mut(w->world, w->e[11], X);
        assert_next(&c, w, 4);
        kith_component_mut(w->world, w->e[5], X);
        kith_component_remove(w->world, w->e[9], Y);
        kith_component_mut(w->world, w->e[3], X);

        assert_walk(&c, "5 11");
        kith_component_add(w->world, w->e[9], Y, NULL);
        assert_true(kith_component_sort(w->world, Y, &(kith_sort_desc){ .as = X }));
    }
}

static void a_page_that_changes_before_its_turn_is_visited(void **state)
{
    small_world *w = *state;
    three_ticked_pages(w);
    kith_component_mut(w->world, w->e[0], A);
    kith_cursor c = kith_view_begin(w->world, QUERY_SINCE(2, CHANGED(A)));
    assert_next(&c, w, 0);

    kith_component_mut(w->world, w->e[11], A);

    assert_walk(&c, "1 2 3 8 9 10 11");
}

static void an_added_row_is_new_until_the_tick_is_over(void **state)
{
    small_world *w = *state;
    three_ticked_pages(w);
    kith_component_remove(w->world, w->e[3], X);
    kith_component_add(w->world, w->e[3], X, NULL);
    kith_component_mut(w->world, w->e[4], X);

    assert_changes(w, 2, "3", ADDED(X));
    assert_changes(w, 2, "4 3", CHANGED(X));
    assert_changes(w, kith_world_advance(w->world), "", ADDED(X));
}

// --- stored queries --------------------------------------------------------------------------

#define assert_next_walk(QUERY, EXPECTED)                                                          \
    do {                                                                                           \
        kith_cursor cursor_ = kith_query_begin(QUERY);                                             \
        assert_walk(&cursor_, (EXPECTED));                                                         \
    } while (0)

static void a_stored_query_finds_what_changed_since_its_loop_before(void **state)
{
    small_world *w = *state;
    three_ticked_pages(w);
    kith_query *query = kith_query_create(w->world, QUERY(CHANGED(X)));
    assert_int_equal(kith_query_describe(query)->since, 0);
    assert_next_walk(query, "0 1 2 3 4 5 6 7 8 9 10 11");
    assert_int_equal(kith_query_describe(query)->since, 2);
    kith_component_mut(w->world, w->e[7], X);
    kith_world_advance(w->world);
    kith_component_mut(w->world, w->e[3], X);

    assert_next_walk(query, "3 7");
    assert_next_walk(query, "3"); // in the same tick once more
    kith_world_advance(w->world);
    assert_next_walk(query, "3"); // the loop before may have begun ahead of the change
    assert_next_walk(query, "");
    kith_query_since_set(query, 2);
    assert_int_equal(kith_query_describe(query)->since, 2);
    assert_int_equal(kith_view_count(w->world, kith_query_describe(query)), 2);
    assert_next_walk(query, "3 7");
}

static void queries_that_ask_for_changes_are_not_shared(void **state)
{
    small_world *w = *state;
    three_ticked_pages(w);
    kith_query *a = kith_query_create(w->world, QUERY_SINCE(2, CHANGED(X)));
    kith_query *b = kith_query_create(w->world, QUERY_SINCE(1, CHANGED(X)));
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(kith_query_of(w->world, QUERY_SINCE(1, CHANGED(X))),
                     kith_query_of(w->world, QUERY_SINCE(2, CHANGED(X))));

    assert_next_walk(a, "");
    assert_next_walk(b, "0 1 2 3 4 5 6 7 8 9 10 11");
    assert_next_walk(b, "");
}

static void a_loop_keeps_to_its_tick_while_another_begins(void **state)
{
    small_world *w = *state;
    three_ticked_pages(w);
    kith_query *query = kith_query_create(w->world, QUERY_SINCE(1, CHANGED(X)));
    kith_cursor outer = kith_query_begin(query);
    assert_next(&outer, w, 0);

    assert_next_walk(query, "");

    assert_walk(&outer, "1 2 3 4 5 6 7 8 9 10 11");
}

static void changes_that_an_abandoned_loop_did_not_reach_are_lost(void **state)
{
    small_world *w = *state;
    three_ticked_pages(w);
    kith_query *query  = kith_query_create(w->world, QUERY_SINCE(1, CHANGED(X)));
    kith_cursor cursor = kith_query_begin(query);
    assert_next(&cursor, w, 0);
    kith_cursor_end(&cursor);

    assert_next_walk(query, "");

    kith_query_since_set(query, 1);
    assert_next_walk(query, "0 1 2 3 4 5 6 7 8 9 10 11");
}

static void a_loop_that_cannot_begin_leaves_the_tick_as_it_was(void **state)
{
    small_world *w = *state;
    three_ticked_pages(w);
    kith_query *query = kith_query_create(w->world, QUERY_SINCE(1, CHANGED(X)));
    for (uint32_t i = 0; i < KITH_LOOP_DEPTH_MAX; i++) {
        assert_true(kith_world_hold(w->world));
    }

    assert_true(kith_query_begin(query).failed);

    assert_int_equal(kith_query_describe(query)->since, 1);
    assert_true(kith_world_settle(w->world));
}

static void pages_that_are_old_are_not_looked_at(void **state)
{
    small_world *w = *state;
    populate_many(w, 200, "a");
    kith_world_advance(w->world);
    kith_component_mut(w->world, w->e[100], A);
    kith_query *query = kith_query_create(w->world, QUERY_SINCE(2, CHANGED(A)));

    assert_next_walk(query, "100 101 102 103");

    kith_query_report report = kith_query_report_of(query);
    assert_int_equal(report.in_runs + report.gathered, 4);
    assert_int_equal(report.rejected, 196);
    assert_int_equal(report.examined, 200);
}

static void a_group_is_not_walked_for_changes(void **state)
{
    small_world *w = *state;
    three_ticked_pages(w);
    assert_non_null(kith_group_of(w->world, QUERY(OWN(X), OWN(Y))));
    kith_component_mut(w->world, w->e[7], X);

    assert_changes(w, 2, "7", CHANGED(X), READ(Y), READ(X));
    assert_null(kith_group_of(w->world, QUERY(OWN(X), CHANGED(X))));
    assert_error_says(w->world, KITH_ERROR_ARGUMENT, "a group can only have the terms");
    kith_world_error_clear(w->world);
}

// --- typed queries ---------------------------------------------------------------------------

KITH_QUERY(fresh_plains, read(plain), changed(plain));
KITH_QUERY(new_pairs, write(plain), kith_added(fixed), kith_changed(fixed));

static void typed_queries_have_the_terms_too(void **state)
{
    (void)state;
    static tick_world t = { .seed = 1 };
    open_tick_world(&t);
    for (uint32_t i = 0; i < 10; i++) {
        plain_set(t.world, t.entities[i], i);
    }
    uint64_t now                       = kith_world_advance(t.world);
    *plain_mut(t.world, t.entities[6]) = 60;
    fixed_set(t.world, t.entities[8], 8);

    fresh_plains f = fresh_plains_begin_since(t.world, now);
    assert_true(fresh_plains_next(&f));
    assert_int_equal(*f.plain, 60);
    assert_false(fresh_plains_next(&f));
    new_pairs p = new_pairs_begin_since(t.world, now);
    assert_true(new_pairs_next(&p));
    assert_int_equal(*p.plain, 8);
    assert_false(new_pairs_next(&p));
    const kith_query_desc desc = fresh_plains_since(now);
    assert_int_equal(kith_view_count(t.world, &desc), 2); // the loop above wrote the other
    assert_int_equal(fresh_plains_count(t.world), 10);
    kith_query  *query = fresh_plains_query(t.world);
    fresh_plains s     = fresh_plains_begin_stored(query);
    assert_true(fresh_plains_next_chunk(&s));
    assert_int_equal(s.count, 4);
    fresh_plains_end(&s);
    close_tick_world(&t);
}

// --- what went -------------------------------------------------------------------------------

// Twelve entities with x, whose journal has `entries` entries.
static void twelve_journalled(small_world *w, uint32_t entries)
{
    kith_component_desc desc = bytes_desc(X, 4, 4);
    desc.name                = "x";
    desc.traits.journal      = entries;
    register_one(w->world, desc);
    populate_many(w, 12, "a");
    for (uint32_t i = 0; i < 12; i++) {
        kith_component_add(w->world, w->e[i], X, NULL);
    }
}

// "3@1 5@2": the entities that were removed, and when.
static walk_text removals_of(const kith_world *world, kith_removals *walk)
{
    walk_text    out = { "" };
    kith_removal removal;
    while (kith_removals_next(world, walk, &removal)) {
        walk_add(&out, out.bytes[0] == '\0' ? "%u" : " %u", kith_entity_index(removal.entity));
        walk_add(&out, "@%u", (uint32_t)removal.tick);
    }
    return out;
}

#define assert_removals(W, WALK, EXPECTED)                                                         \
    assert_string_equal(removals_of((W)->world, (WALK)).bytes, (EXPECTED))

static void a_journal_is_read_since_a_tick(void **state)
{
    small_world *w = *state;
    twelve_journalled(w, 4);
    take(w, 3, X);
    take(w, 5, X);
    kith_world_advance(w->world);
    take(w, 0, X);
    kith_removals all  = kith_removals_begin(w->world, X, 0);
    kith_removals late = kith_removals_begin(w->world, X, 2);
    kith_removals none = kith_removals_begin(w->world, X, 3);

    assert_removals(w, &all, "3@1 5@1 0@2");
    assert_removals(w, &late, "0@2");
    assert_removals(w, &none, "");
    assert_false(all.lost || late.lost || none.lost);

    kith_entity_destroy(w->world, w->e[7]);
    assert_removals(w, &all, "7@2"); // each is reported once
    assert_removals(w, &none, "7@2");
}

static void a_journal_that_is_full_says_what_it_lost(void **state)
{
    small_world *w = *state;
    twelve_journalled(w, 3);
    kith_removals walk = kith_removals_begin(w->world, X, 0);
    take(w, 0, X);
    take(w, 1, X);
    kith_world_advance(w->world);
    take(w, 2, X);
    assert_removals(w, &walk, "0@1 1@1 2@2");
    take(w, 3, X); // over the first, of tick 1
    assert_true(kith_removals_begin(w->world, X, 1).lost);
    assert_false(kith_removals_begin(w->world, X, 2).lost);
    assert_removals(w, &walk, "3@2");
    assert_false(walk.lost);

    for (uint32_t i = 4; i < 9; i++) {
        take(w, i, X);
    }

    assert_removals(w, &walk, "6@2 7@2 8@2");
    assert_true(walk.lost);
    assert_true(kith_removals_begin(w->world, X, 2).lost);
    assert_false(kith_removals_begin(w->world, X, 3).lost);
}

static void clearing_is_in_the_journal_too(void **state)
{
    small_world *w = *state;
    twelve_journalled(w, 32);
    kith_removals walk = kith_removals_begin(w->world, X, 0);
    take(w, 1, X);
    kith_world_hold(w->world);
    take(w, 4, X);
    kith_world_release(w->world);

    assert_true(kith_component_clear(w->world, X));

    assert_removals(w, &walk, "1@1 4@1 0@1 11@1 2@1 3@1 10@1 5@1 6@1 7@1 8@1 9@1");
    kith_component_add(w->world, w->e[2], X, NULL);
    kith_component_add(w->world, w->e[1], X, NULL);
    kith_world_clear(w->world);
    assert_removals(w, &walk, "2@1 1@1");
}

static void removals_that_a_batch_undoes_are_not_in_the_journal(void **state)
{
    small_world *w = *state;
    twelve_journalled(w, 32);
    assert_true(kith_component_clear(w->world, X));
    kith_removals walk = kith_removals_begin(w->world, X, 0);
    removals_of(w->world, &walk);
    kith_component_desc late = tracked_desc(Y, &w->trackers[1]);
    late.name                = "late";
    register_one(w->world, late);
    w->journal.fail_construct = 7;
    const kith_values sets[]  = { { X, NULL, 0 }, { Y, NULL, 0 } };

    assert_false(kith_entity_set_many(w->world, kith_entities_of(w->e, 12), sets, 2));

    assert_removals(w, &walk, "");
    assert_int_equal(kith_component_stats(w->world, X).rows, 0);
}

static void only_rows_have_a_journal(void **state)
{
    small_world        *w    = *state;
    kith_component_desc flag = { .name = "y", .kind = KITH_KIND_FLAG, .traits.journal = 4 };
    kith_component_desc tag  = { .name           = "y",
                                 .kind           = KITH_KIND_TAG,
                                 .traits.journal = (UINT32_C(1) << 24) + 1 };
    twelve_journalled(w, 4);
    kith_component_desc again = bytes_desc(X, 4, 4);
    again.name                = "x";
    again.traits.journal      = 5;
    uint32_t     errors       = w->memory.errors;
    kith_removal removal;

    assert_int_equal(kith_component_register(w->world, &flag), 0);
    assert_error_says(w->world, KITH_ERROR_ARGUMENT, "flags and singletons have no journal");
    assert_int_equal(kith_component_register(w->world, &tag), 0);
    assert_error_says(w->world, KITH_ERROR_ARGUMENT, "at most 2^24");
    assert_int_equal(kith_component_register(w->world, &again), 0);
    assert_error_says(w->world, KITH_ERROR_CONFLICT, "journal");
    kith_removals none = kith_removals_begin(w->world, A, 0);
    assert_int_equal(none.component, 0);
    assert_false(kith_removals_next(w->world, &none, &removal));
    assert_int_equal(kith_removals_begin(w->world, F, 0).component, 0);
    kith_changes nothing = kith_changes_begin(w->world, F, 0);
    assert_int_equal(nothing.component, 0);
    assert_false(kith_changes_next(w->world, &nothing));
    assert_int_equal(w->memory.errors, errors + 6);
}

static void changes_are_spans_of_rows(void **state)
{
    static const uint32_t changed[] = { 2, 3, 4, 5, 7 };
    small_world          *w         = *state;
    three_ticked_pages(w);
    for (size_t i = 0; i < COUNT_OF(changed); i++) {
        kith_component_mut(w->world, w->e[changed[i]], X);
    }
    kith_component_mut(w->world, w->e[11], A);
    kith_changes spans = kith_changes_begin(w->world, X, 2);

    assert_true(kith_changes_next(w->world, &spans));
    assert_true(spans.row == 2 && spans.count == 2); // to the end of the page
    assert_true(kith_changes_next(w->world, &spans));
    assert_true(spans.row == 4 && spans.count == 2);
    assert_true(kith_changes_next(w->world, &spans));
    assert_true(spans.row == 7 && spans.count == 1);
    assert_false(kith_changes_next(w->world, &spans));
    assert_int_equal(spans.count, 0);
    spans = kith_changes_begin(w->world, A, 2);
    assert_true(kith_changes_next(w->world, &spans));
    assert_true(spans.row == 8 && spans.count == 4);
    assert_false(kith_changes_next(w->world, &spans));
}

// --- setting what differs --------------------------------------------------------------------

static void equal_bytes_are_not_set(void **state)
{
    small_world *w     = *state;
    uint32_t     value = 7;
    twelve_journalled(w, 4);
    listen(w, KITH_EVENT_SET, X, write_down, w);
    kith_world_advance(w->world);

    assert_true(kith_component_set_if_changed(w->world, w->e[0], X, &value));
    assert_reported(w, "set x 0");
    kith_world_advance(w->world);
    assert_false(kith_component_set_if_changed(w->world, w->e[0], X, &value));

    assert_reported(w, "");
    assert_int_equal(kith_component_stamp(w->world, X, 0), 2);
}

static void set_if_changed_adds_an_absent_component(void **state)
{
    small_world *w     = *state;
    uint32_t     value = 7;
    twelve_journalled(w, 4);
    take(w, 0, X);

    assert_true(kith_component_set_if_changed(w->world, w->e[0], X, &value));
    assert_int_equal(*(const uint32_t *)kith_component_get(w->world, w->e[0], X), 7);
    assert_true(kith_component_set_if_changed(w->world, w->e[0], T, NULL));
    assert_false(kith_component_set_if_changed(w->world, w->e[0], T, NULL));
    assert_true(kith_component_set_if_changed(w->world, w->e[0], F, NULL));
    assert_false(kith_component_set_if_changed(w->world, w->e[0], F, NULL));
    assert_error(w->world, KITH_OK);
}

static void setting_what_differs_says_why_not(void **state)
{
    small_world *w = *state;
    twelve_journalled(w, 4);
    kith_component_limit_set(w->world, B, 0);

    assert_false(kith_component_set_if_changed(w->world, w->e[0], X, NULL));
    assert_error_text(w->world, "x_set_if_changed: the value to compare with is NULL");
    assert_false(kith_component_set_if_changed(w->world, w->e[0], B, &(tracked){ 0 }));
    assert_error_says(w->world, KITH_ERROR_LIMIT, "b_set_if_changed");
}

static void typed_code_sets_what_differs(void **state)
{
    test_fixture *f    = *state;
    kith_entity   ship = kith_entity_create(f->world);

    assert_true(health_set_if_changed(f->world, ship, 3));
    assert_false(health_set_if_changed(f->world, ship, 3));
    assert_true(health_set_if_changed(f->world, ship, 4));
    assert_int_equal(*health_get(f->world, ship), 4);
    kith_changes spans = health_changes(f->world, 1);
    assert_true(kith_changes_next(f->world, &spans));
    assert_int_equal(health_removals(f->world, 1).component, 0);
}

// --- what they need --------------------------------------------------------------------------

static void without_the_trait_a_change_is_that_of_the_page(void **state)
{
    small_world *w = *state;
    populate(w, "a a a a a b");
    kith_world_advance(w->world);
    kith_component_mut(w->world, w->e[0], A);
    uint32_t errors = w->memory.errors;

    assert_int_equal(kith_component_changed_at(w->world, w->e[3], A), 2);
    assert_int_equal(kith_component_changed_at(w->world, w->e[4], A), 1);
    assert_int_equal(kith_component_changed_at(w->world, w->e[5], A), 0);
    assert_int_equal(w->memory.errors, errors);
    assert_int_equal(kith_component_added_at(w->world, w->e[0], A), 0);
    assert_int_equal(kith_component_added_at(w->world, w->e[0], F), 0);
    assert_int_equal(kith_component_changed_at(w->world, w->e[0], S), 0);
    assert_int_equal(kith_component_changed_at(w->world, w->e[0], UNKNOWN), 0);
    assert_int_equal(w->memory.errors, errors + 4);
    assert_error(w->world, KITH_OK);
}

static void only_rows_have_row_ticks(void **state)
{
    small_world        *w     = *state;
    kith_component_desc flag  = { .name = "x", .kind = KITH_KIND_FLAG, .traits.row_ticks = true };
    kith_component_desc again = tracked_desc(A, &w->trackers[0]);
    again.traits.page_rows    = PAGE_ROWS;
    again.traits.row_ticks    = true;

    assert_int_equal(kith_component_register(w->world, &flag), 0);
    assert_error_says(w->world, KITH_ERROR_ARGUMENT, "flags and singletons have no row ticks");
    assert_int_equal(kith_component_register(w->world, &again), 0);
    assert_error_says(w->world, KITH_ERROR_CONFLICT, "row_ticks");
}

static void row_ticks_are_counted_as_memory(void **state)
{
    test_fixture             *f    = *state;
    const kith_component_desc desc = { .name   = "ticked",
                                       .kind   = KITH_KIND_TAG,
                                       .traits = { .page_rows = 1024, .row_ticks = true } };
    kith_component            c    = kith_component_register(f->world, &desc);
    size_t                    none = kith_world_memory(f->world, c).other;

    assert_true(kith_component_reserve(f->world, c, 1));

    assert_true(kith_world_memory(f->world, c).other >= none + 16 * 1024);
    assert_int_equal(kith_world_memory(f->world, c).packed, 4 * 1024);
    assert_int_equal(kith_world_memory(f->world, KITH_ALL).total, f->memory.live_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_ticks_go_where_their_rows_go),
        cmocka_unit_test(row_ticks_go_where_groups_put_their_rows),
        cmocka_unit_test(a_clone_is_added_now),
        TEST_SMALL(without_row_ticks_a_page_changes_as_a_whole),
        TEST_SMALL(a_row_that_changes_before_its_turn_is_visited),
        TEST_SMALL(a_page_that_changes_before_its_turn_is_visited),
        TEST_SMALL(an_added_row_is_new_until_the_tick_is_over),
        TEST_SMALL(a_stored_query_finds_what_changed_since_its_loop_before),
        TEST_SMALL(queries_that_ask_for_changes_are_not_shared),
        TEST_SMALL(a_loop_keeps_to_its_tick_while_another_begins),
        TEST_SMALL(changes_that_an_abandoned_loop_did_not_reach_are_lost),
        TEST_SMALL(a_loop_that_cannot_begin_leaves_the_tick_as_it_was),
        TEST_SMALL(pages_that_are_old_are_not_looked_at),
        TEST_SMALL(a_group_is_not_walked_for_changes),
        cmocka_unit_test(typed_queries_have_the_terms_too),
        TEST_SMALL(a_journal_is_read_since_a_tick),
        TEST_SMALL(a_journal_that_is_full_says_what_it_lost),
        TEST_SMALL(clearing_is_in_the_journal_too),
        TEST_SMALL(removals_that_a_batch_undoes_are_not_in_the_journal),
        TEST_SMALL(only_rows_have_a_journal),
        TEST_SMALL(changes_are_spans_of_rows),
        TEST_SMALL(equal_bytes_are_not_set),
        TEST_SMALL(set_if_changed_adds_an_absent_component),
        TEST_SMALL(setting_what_differs_says_why_not),
        TEST_WORLD(typed_code_sets_what_differs),
        TEST_SMALL(without_the_trait_a_change_is_that_of_the_page),
        TEST_SMALL(only_rows_have_row_ticks),
        TEST_WORLD(row_ticks_are_counted_as_memory),
    };
    return cmocka_run_group_tests_name("component_changes", tests, NULL, NULL);
}
