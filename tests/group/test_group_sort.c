// SPDX-License-Identifier: MIT
// Sorting groups: which rows move, which stay, and that loops and queries follow.
#include "query_test.h"

#include <math.h>

enum { REAL = 20 }; // a float, of which no group owns the rows

static const kith_sort_key by_number = { offsetof(tracked, number), KITH_TYPE_U32, false };
static const kith_sort_key by_real   = { 0, KITH_TYPE_F32, false };

static kith_group *make(small_world *w, const kith_query_desc *desc)
{
    kith_group *group = kith_group_of(w->world, desc);
    assert_non_null(group);
    return group;
}

// Writes these numbers to the entities that have the component, one after the other.
static void number(small_world *w, kith_component component, const char *numbers)
{
    for (uint32_t i = 0; i < w->count; i++) {
        tracked *value = kith_component_mut(w->world, w->e[i], component);
        if (value != NULL) {
            char *end;
            value->number = (uint32_t)strtoul(numbers, &end, 10);
            assert_ptr_not_equal(end, numbers);
            numbers = end;
        }
    }
}

static int compare_tracked(const void *a, const void *b, void *context)
{
    uint32_t left  = ((const tracked *)a)->number;
    uint32_t right = ((const tracked *)b)->number;
    ++*(uint32_t *)context;
    return (left > right) - (left < right);
}

static int higher_first(kith_entity a, kith_entity b, void *context)
{
    (void)context;
    return (a < b) - (a > b);
}

// --- which rows move -------------------------------------------------------------------------

static void owned_pools_move_alike_and_the_rest_stays(void **state)
{
    small_world *w = *state;
    populate(w, "ab a abc b abc ab c");
    kith_group *group = make(w, QUERY(OWN(A), OWN(B)));
    number(w, B, "30 20 0 10 40");

    assert_true(kith_group_sort(group, B, &(kith_sort_desc){ .key = &by_number }));

    assert_rows(w, A, "4 2 0 5 1");
    assert_rows(w, B, "4 2 0 5 3");
    assert_rows(w, C, "2 4 6");
    assert_visits(w, "4 2 0 5", READ(A), READ(B));
    assert_world_valid(w->world);
}

static void members_are_sorted_by_what_is_only_looked_up(void **state)
{
    small_world *w     = *state;
    uint32_t     calls = 0;
    populate(w, "abc ab c abc abc a");
    kith_group *group = make(w, QUERY(OWN(A), OWN(B), WITH(C)));
    swap_rows(w, C, 0, 4);
    number(w, C, "2 0 3 1");

    assert_true(kith_group_sort(group, C, &(kith_sort_desc){ .key = &by_number }));
    assert_rows(w, A, "4 0 3 1 5");
    assert_rows(w, B, "4 0 3 1");
    assert_rows(w, C, "4 2 3 0");
    number(w, C, "1 0 3 2");
    assert_true(kith_group_sort(
        group, C, &(kith_sort_desc){ .compare = compare_tracked, .context = &calls }));

    assert_rows(w, A, "0 4 3 1 5");
    assert_rows(w, C, "4 2 3 0");
    assert_true(calls != 0);
    assert_world_valid(w->world);
}

static void members_are_sorted_by_entities_and_as_any_pool(void **state)
{
    small_world *w = *state;
    populate(w, "abt ab abt b abc");
    kith_group *group = make(w, QUERY(OWN(A), OWN(B)));

    assert_true(kith_group_sort(group, 0, &(kith_sort_desc){ .compare_entities = higher_first }));
    assert_rows(w, A, "4 2 1 0");
    assert_rows(w, B, "4 2 1 0 3");
    assert_true(kith_group_sort(group, 0, &(kith_sort_desc){ .as = T }));
    assert_rows(w, A, "0 2 4 1");
    assert_rows(w, B, "0 2 4 1 3");
    assert_true(kith_group_sort(group, 0, &(kith_sort_desc){ .as = C }));
    assert_rows(w, A, "4 0 2 1");
    assert_true(kith_group_sort(group, 0, &(kith_sort_desc){ .as = B }));
    assert_rows(w, B, "4 0 2 1 3");
    assert_world_valid(w->world);
}

static void a_group_that_owns_nothing_sorts_its_list_and_moves_no_row(void **state)
{
    small_world *w     = *state;
    uint32_t     calls = 0;
    populate(w, "ab a abf b ab ab");
    kith_group *group = make(w, QUERY(READ(A), READ(B)));
    number(w, A, "2 0 3 1 0");
    text_free(&w->journal.text);

    assert_true(kith_group_sort(group, A, &(kith_sort_desc){ .key = &by_number }));
    assert_visits(w, "5 4 0 2", READ(A), READ(B));
    assert_true(kith_group_sort(group, 0, &(kith_sort_desc){ .compare_entities = higher_first }));
    assert_visits(w, "5 4 2 0", READ(A), READ(B));
    assert_true(kith_group_sort(
        group, A, &(kith_sort_desc){ .compare = compare_tracked, .context = &calls }));
    assert_visits(w, "5 4 0 2", READ(A), READ(B));
    assert_true(kith_group_sort(group, 0, &(kith_sort_desc){ .as = A }));
    assert_visits(w, "0 2 4 5", READ(A), READ(B));

    assert_rows(w, A, "0 1 2 4 5");
    assert_rows(w, B, "0 2 3 4 5");
    assert_int_equal(w->journal.text.length, 0); // of no value
    assert_visits(w, "0 2 4 5", READ(A), READ(B), LEAD(A));
    assert_world_valid(w->world);
}

static void members_are_sorted_by_values_that_cannot_move(void **state)
{
    small_world *w = stable_world(*state);
    populate(w, "a ab ab a ab ab");
    take(w, 2, A);
    add_letters(w, w->e[2], "a");
    kith_group *group = make(w, QUERY(READ(A), READ(B)));
    number(w, A, "9 3 1 9 2 0");

    assert_true(kith_group_sort(group, A, &(kith_sort_desc){ .key = &by_number }));

    assert_visits(w, "5 2 4 1", READ(A), READ(B));
    assert_rows(w, A, "0 1 2 3 4 5");
}

// --- nested groups ---------------------------------------------------------------------------

static void each_segment_of_an_outer_group_is_sorted_by_itself(void **state)
{
    small_world *w = *state;
    populate(w, "ab abc ab abct abct abc a c");
    make(w, QUERY(OWN(A), OWN(B), OWN(C), WITH(T)));
    make(w, QUERY(OWN(A), OWN(B), OWN(C)));
    kith_group *outer = make(w, QUERY(OWN(A), OWN(B)));
    assert_rows(w, A, "3 4 1 5 2 0 6");
    number(w, A, "0 5 1 6 4 2 3");

    assert_true(kith_group_sort(outer, A, &(kith_sort_desc){ .key = &by_number }));

    assert_rows(w, A, "4 3 5 1 0 2 6");
    assert_rows(w, B, "4 3 5 1 0 2");
    assert_rows(w, C, "4 3 5 1 7");
    assert_visits(w, "4 3", READ(A), READ(B), READ(C), WITH(T));
    assert_world_valid(w->world);
}

static void sorting_an_inner_group_sorts_its_members_alone(void **state)
{
    small_world *w = *state;
    populate(w, "ab abc ab abc abc a c");
    kith_group *inner = make(w, QUERY(OWN(A), OWN(B), OWN(C)));
    make(w, QUERY(OWN(A), OWN(B)));

    assert_true(kith_group_sort(inner, 0, &(kith_sort_desc){ .compare_entities = higher_first }));

    assert_rows(w, A, "4 3 1 0 2 5");
    assert_rows(w, B, "4 3 1 0 2");
    assert_rows(w, C, "4 3 1 6");
    assert_world_valid(w->world);
}

// The outer group has no member of its own, and the inner one owns more.
static void groups_with_the_same_members_stay_in_one_order(void **state)
{
    small_world *w = *state;
    populate(w, "abc abc abc");
    make(w, QUERY(OWN(A), OWN(B), OWN(C)));
    kith_group *outer = make(w, QUERY(OWN(A), READ(B)));

    assert_true(kith_group_sort(outer, 0, &(kith_sort_desc){ .compare_entities = higher_first }));

    assert_rows(w, A, "2 1 0");
    assert_rows(w, B, "2 1 0");
    assert_rows(w, C, "2 1 0");
    assert_world_valid(w->world);
}

static void a_group_without_members_is_sorted(void **state)
{
    small_world *w     = *state;
    uint32_t     calls = 0;
    populate(w, "a b");
    kith_group *owning = make(w, QUERY(OWN(A), READ(B)));
    kith_group *list   = make(w, QUERY(READ(B), READ(C)));
    for (int members = 0; members < 2; members++) {
        assert_true(kith_group_sort(owning, A, &(kith_sort_desc){ .key = &by_number }));
        assert_true(kith_group_sort(owning, B, &(kith_sort_desc){ .key = &by_number }));
        assert_true(kith_group_sort(
            list, C, &(kith_sort_desc){ .compare = compare_tracked, .context = &calls }));
        assert_true(
            kith_group_sort(list, 0, &(kith_sort_desc){ .compare_entities = higher_first }));
        assert_true(kith_group_sort(owning, 0, &(kith_sort_desc){ .as = T }));
        populate(w, "abc");
    }
    assert_int_equal(calls, 0);
}

// --- the order -------------------------------------------------------------------------------

static void equal_members_keep_their_order_and_nan_comes_last(void **state)
{
    static const float  reals[] = { 1, NAN, 0, -0.0f, -INFINITY, 1, -NAN, -0.0f, 0 };
    small_world        *w       = *state;
    kith_component_desc desc    = bytes_desc(REAL, sizeof(float), _Alignof(float));
    register_one(w->world, desc);
    for (uint32_t i = 0; i < COUNT_OF(reals); i++) {
        spawn(w, "ab");
        kith_component_set(w->world, w->e[i], REAL, &reals[i]);
    }
    kith_group *owning = make(w, QUERY(OWN(A), READ(REAL)));
    kith_group *list   = make(w, QUERY(READ(B), READ(REAL)));

    assert_true(kith_group_sort(owning, REAL, &(kith_sort_desc){ .key = &by_real }));
    assert_true(kith_group_sort(
        list, REAL, &(kith_sort_desc){ .key = &(kith_sort_key){ 0, KITH_TYPE_F32, true } }));

    assert_rows(w, A, "4 3 7 2 8 0 5 1 6");
    assert_visits(w, "0 5 2 8 3 7 4 1 6", READ(B), READ(REAL));
}

#define ENTITIES 200u

static uint32_t comparisons(small_world *w, kith_group *group, kith_component component)
{
    uint32_t calls = 0;
    assert_true(kith_group_sort(
        group, component, &(kith_sort_desc){ .compare = compare_tracked, .context = &calls }));
    assert_world_valid(w->world);
    return calls;
}

static void nearly_sorted_rows_take_few_comparisons(void **state)
{
    small_world *w = *state;
    populate_many(w, ENTITIES, "abc");
    kith_group *owning = make(w, QUERY(OWN(A), OWN(B)));
    kith_group *list   = make(w, QUERY(READ(A), READ(C)));

    assert_int_equal(comparisons(w, owning, A), ENTITIES - 1);
    assert_int_equal(comparisons(w, list, C), ENTITIES - 1);
    ((tracked *)kith_component_mut(w->world, w->e[50], A))->number = 150;
    assert_true(comparisons(w, owning, A) < ENTITIES + 20);
    assert_true(comparisons(w, list, A) < ENTITIES + 20);
    assert_int_equal(comparisons(w, owning, A), ENTITIES - 1);
}

// Every form on every group, against the rows put in order one by one.
static uint32_t key_of(const small_world *w, kith_component component, kith_entity entity)
{
    return ((const tracked *)kith_component_get(w->world, entity, component))->number;
}

static void check_sorted(small_world *w, kith_entity *before, uint32_t count,
                         const kith_query_desc *desc, kith_component component)
{
    for (uint32_t i = 1; i < count; i++) {
        kith_entity moved = before[i];
        uint32_t    at    = i;
        for (; at > 0 && key_of(w, component, moved) < key_of(w, component, before[at - 1]); at--) {
            before[at] = before[at - 1];
        }
        before[at] = moved;
    }
    kith_cursor c = kith_view_begin(w->world, desc);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(kith_cursor_next(&c));
        assert_int_equal(c.entity, before[i]);
    }
    kith_cursor_end(&c);
}

static uint32_t list_members(small_world *w, const kith_query_desc *desc, kith_entity *members)
{
    uint32_t    count = 0;
    kith_cursor c     = kith_view_begin(w->world, desc);
    while (kith_cursor_next(&c)) {
        members[count++] = c.entity;
    }
    return count;
}

static void sort_at_random(small_world *w, kith_group *group, kith_component component,
                           uint64_t *seed)
{
    static kith_entity     members[ENTITIES_MOST];
    const kith_query_desc *desc  = kith_group_describe(group);
    uint32_t               calls = 0;
    uint32_t               most  = 1 + test_random_below(seed, 500);
    for (uint32_t i = 0; i < w->count; i++) {
        tracked *value = kith_component_mut(w->world, w->e[i], component);
        if (value != NULL && test_random_below(seed, 4) == 0) {
            value->number = test_random_below(seed, most);
        }
    }
    uint32_t count = list_members(w, desc, members);
    bool     key   = test_random_below(seed, 2) == 0;

    assert_true(
        key ? kith_group_sort(group, component, &(kith_sort_desc){ .key = &by_number })
            : kith_group_sort(group, component,
                              &(kith_sort_desc){ .compare = compare_tracked, .context = &calls }));

    check_sorted(w, members, count, desc, component);
    assert_world_valid(w->world);
}

static void groups_are_sorted_at_random(void **state)
{
    static const char *const kinds[] = { "abc", "ab", "abct", "bc", "a", "ac" };
    small_world             *w       = *state;
    uint64_t                 seed    = test_seed();
    for (uint32_t i = 0; i < ENTITIES; i++) {
        spawn(w, kinds[test_random_below(&seed, COUNT_OF(kinds))]);
    }
    kith_group *inner  = make(w, QUERY(OWN(A), OWN(B), WITH(T), READ(C)));
    kith_group *others = make(w, QUERY(OWN(C), WITHOUT(T)));
    kith_group *list   = make(w, QUERY(READ(B), READ(C)));
    for (uint32_t round = 0; round < test_thinned(200); round++) {
        uint32_t i = test_random_below(&seed, ENTITIES);
        kith_entity_destroy(w->world, w->e[i]);
        w->e[i] = kith_entity_create(w->world);
        add_letters(w, w->e[i], kinds[test_random_below(&seed, COUNT_OF(kinds))]);
        sort_at_random(w, inner, A, &seed);
        sort_at_random(w, inner, C, &seed);
        sort_at_random(w, others, C, &seed);
        sort_at_random(w, list, B, &seed);
    }
    text_free(&w->journal.text);
}

// --- loops -----------------------------------------------------------------------------------

static walk_text walk_stored(small_world *w, kith_query *query)
{
    walk_text   out = { "" };
    kith_cursor c   = kith_query_begin(query);
    while (kith_cursor_next(&c)) {
        walk_entity(&out, c.entity);
        assert_ptr_equal(c.columns[0], kith_component_get(w->world, c.entity, A));
        assert_ptr_equal(c.columns[1], kith_component_get(w->world, c.entity, B));
    }
    return out;
}

static void check_stored_follows(small_world *w, const kith_query_desc *desc)
{
    populate(w, "abf abf af abf bf abf");
    kith_group *group = make(w, desc);
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B), WITH(F)));
    for (int round = 0; round < 3; round++) { // until it remembers
        assert_string_equal(walk_stored(w, query).bytes, "0 1 3 5");
    }
    for (int round = 0; round < 3; round++) {
        assert_true(
            kith_group_sort(group, 0, &(kith_sort_desc){ .compare_entities = higher_first }));
        assert_string_equal(walk_stored(w, query).bytes, "5 3 1 0");
    }
    kith_query_destroy(query);
}

static void a_stored_query_follows_its_group(void **state)
{
    small_world *w = *state;
    check_stored_follows(w, QUERY(OWN(A), OWN(B), WITH(F)));
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
    check_stored_follows(w, QUERY(OWN(A), READ(B), WITH(F)));
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
    check_stored_follows(w, QUERY(READ(A), READ(B), WITH(F)));
}

static void a_member_that_joins_after_a_sort_comes_last(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab ab a");
    kith_group *group = make(w, QUERY(OWN(A), OWN(B)));
    assert_true(kith_group_sort(group, 0, &(kith_sort_desc){ .compare_entities = higher_first }));
    assert_rows(w, A, "2 1 0 3");

    add_letters(w, w->e[3], "b");
    assert_rows(w, A, "2 1 0 3");
    take(w, 2, B);

    assert_rows(w, A, "3 1 0 2");
    assert_rows(w, B, "3 1 0");
}

// --- what is refused -------------------------------------------------------------------------

#define REFUSED(CODE, CALL) assert_refused(&w->memory, w->world, (CODE), (CALL))

static void sorting_by_an_unsuitable_component_is_refused(void **state)
{
    small_world        *w     = *state;
    uint32_t            calls = 0;
    const kith_sort_key far   = { sizeof(tracked), KITH_TYPE_U8, false };
    populate(w, "abt b");
    kith_group *group = make(w, NAMED_QUERY("pairs", OWN(A), WITH(B), WITH(T), WITHOUT(C)));

    REFUSED(KITH_ERROR_ARGUMENT,
            kith_group_sort(group, C,
                            &(kith_sort_desc){ .compare = compare_tracked, .context = &calls }));
    assert_error_says(w->world, KITH_ERROR_ARGUMENT, "members of the group can lack it");
    assert_error_says(w->world, KITH_ERROR_ARGUMENT, "pairs");
    REFUSED(KITH_ERROR_ARGUMENT, kith_group_sort(group, C, &(kith_sort_desc){ .key = &by_number }));
    REFUSED(KITH_ERROR_KIND,
            kith_group_sort(group, T,
                            &(kith_sort_desc){ .compare = compare_tracked, .context = &calls }));
    REFUSED(KITH_ERROR_KIND, kith_group_sort(group, T, &(kith_sort_desc){ .key = &by_number }));
    REFUSED(KITH_ERROR_KIND, kith_group_sort(group, F, &(kith_sort_desc){ .key = &by_number }));
    REFUSED(KITH_ERROR_KIND, kith_group_sort(group, S, &(kith_sort_desc){ .key = &by_number }));
    REFUSED(KITH_ERROR_UNREGISTERED,
            kith_group_sort(group, UNKNOWN, &(kith_sort_desc){ .key = &by_number }));
    REFUSED(KITH_ERROR_ARGUMENT, kith_group_sort(group, A, NULL));
    REFUSED(KITH_ERROR_ARGUMENT, kith_group_sort(group, A, &(kith_sort_desc){ .context = &calls }));
    REFUSED(KITH_ERROR_ARGUMENT,
            kith_group_sort(group, A, &(kith_sort_desc){ .key = &by_number, .as = A }));
    REFUSED(KITH_ERROR_ARGUMENT, kith_group_sort(group, A,
                                                 &(kith_sort_desc){ .key     = &by_number,
                                                                    .compare = compare_tracked,
                                                                    .context = &calls }));
    REFUSED(
        KITH_ERROR_ARGUMENT,
        kith_group_sort(group, B,
                        &(kith_sort_desc){ .key = &(kith_sort_key){ 0, KITH_TYPE_BOOL, false } }));
    REFUSED(KITH_ERROR_ARGUMENT, kith_group_sort(group, B, &(kith_sort_desc){ .key = &far }));
    REFUSED(KITH_ERROR_KIND, kith_group_sort(group, 0, &(kith_sort_desc){ .as = F }));
    REFUSED(KITH_ERROR_UNREGISTERED, kith_group_sort(group, 0, &(kith_sort_desc){ .as = UNKNOWN }));
}

static void an_owned_pool_names_the_group_that_sorts_it(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab");
    make(w, NAMED_QUERY("pairs", OWN(A), READ(B)));

    REFUSED(KITH_ERROR_ARGUMENT,
            kith_component_sort(w->world, A, &(kith_sort_desc){ .key = &by_number }));

    assert_error_says(w->world, KITH_ERROR_ARGUMENT, "kith_group_sort");
    assert_error_says(w->world, KITH_ERROR_ARGUMENT, "pairs");
}

typedef struct sorter {
    small_world *w;
    kith_group  *group;
    bool         tried;
} sorter;

static void assert_all_busy(sorter *s)
{
    small_world *w = s->w;
    s->tried       = true;
    REFUSED(KITH_ERROR_BUSY,
            kith_group_sort(s->group, A, &(kith_sort_desc){ .compare = compare_tracked }));
    REFUSED(KITH_ERROR_BUSY,
            kith_group_sort(s->group, 0, &(kith_sort_desc){ .compare_entities = higher_first }));
    REFUSED(KITH_ERROR_BUSY, kith_group_sort(s->group, A, &(kith_sort_desc){ .key = &by_number }));
    REFUSED(KITH_ERROR_BUSY, kith_group_sort(s->group, 0, &(kith_sort_desc){ .as = A }));
}

static void sort_in_listener(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    assert_all_busy(context);
}

static int compare_and_meddle(const void *a, const void *b, void *context)
{
    uint32_t calls = 0;
    assert_all_busy(context);
    return compare_tracked(a, b, &calls);
}

static void loops_listeners_and_comparing_cannot_sort(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab a");
    kith_group *groups[] = { make(w, QUERY(OWN(A), READ(B))), make(w, QUERY(READ(A), WITHOUT(F))) };
    for (uint32_t i = 0; i < COUNT_OF(groups); i++) {
        sorter s = { w, groups[i], false };
        kith_world_hold(w->world);
        assert_all_busy(&s);
        kith_world_release(w->world);
        const kith_listener_desc desc = { KITH_EVENT_ADD, T, sort_in_listener, &s, 0, NULL };
        kith_listener            ear  = kith_listener_connect(w->world, &desc);
        s.tried                       = false;
        add_letters(w, w->e[i], "t");
        assert_true(s.tried);
        kith_listener_disconnect(w->world, ear);
        s.tried = false;
        assert_true(kith_group_sort(
            groups[i], A, &(kith_sort_desc){ .compare = compare_and_meddle, .context = &s }));
        assert_true(s.tried);
        assert_rows(w, A, "0 1 2");
    }
}

// --- memory ----------------------------------------------------------------------------------

static bool sort_any(kith_group *group, kith_component component, uint32_t form)
{
    uint32_t calls = 0;
    switch (form) {
    case 0:
        return kith_group_sort(group, component, &(kith_sort_desc){ .key = &by_number });
    case 1:
        return kith_group_sort(group, component,
                               &(kith_sort_desc){ .compare = compare_tracked, .context = &calls });
    case 2:
        return kith_group_sort(group, 0, &(kith_sort_desc){ .compare_entities = higher_first });
    default:
        return kith_group_sort(group, 0, &(kith_sort_desc){ .as = component });
    }
}

static walk_text members_of_group(small_world *w, const kith_group *group)
{
    kith_cursor c = kith_view_begin(w->world, kith_group_describe(group));
    return walk(&c);
}

// Lets each allocation of the call fail, then none.
static void assert_survives_starving(small_world *w, kith_group *group, kith_component component,
                                     uint32_t form)
{
    members_of_group(w, group); // the first loop takes memory for the later ones
    size_t bytes = w->memory.live_bytes;
    bool   done  = false;
    for (uint32_t tries = 1; !done; tries++) {
        text      before  = dump_world(w->world);
        walk_text members = members_of_group(w, group);
        test_fail_after(&w->memory, tries);
        done = sort_any(group, component, form);
        test_fail_after(&w->memory, 0);
        assert_int_equal(w->memory.live_bytes, bytes);
        assert_world_valid(w->world);
        if (done) {
            text_free(&before);
            assert_true(tries > 2);
        } else {
            assert_error(w->world, KITH_ERROR_MEMORY);
            assert_unchanged(w->world, before);
            assert_string_equal(members_of_group(w, group).bytes, members.bytes);
        }
    }
}

static void every_allocation_fails_once(void **state)
{
    small_world *w    = *state;
    uint64_t     seed = test_seed();
    for (uint32_t test = 0; test < 3 * 4; test++) {
        reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
        populate_many(w, 60, "ab");
        populate_many(w, 60, "abc");
        for (uint32_t i = 0; i < w->count; i++) {
            ((tracked *)kith_component_mut(w->world, w->e[i], B))->number =
                test_random_below(&seed, 100);
            swap_rows(w, B, i, test_random_below(&seed, w->count));
        }
        bool        owning = test / 4 != 2;
        kith_group *outer  = owning ? make(w, QUERY(OWN(A), READ(B))) : NULL;
        kith_group *inner =
            make(w, owning ? QUERY(OWN(A), READ(B), READ(C)) : QUERY(READ(A), READ(B)));

        assert_survives_starving(w, test / 4 == 0 ? outer : inner, B, test % 4);
        text_free(&w->journal.text);
    }
}

// --- typed -----------------------------------------------------------------------------------

KITH_GROUP(bodies, own(position), own(velocity), without(frozen));
KITH_GROUP(patients, read(health), kith_write(position));

static int by_y(const vec2 *a, const vec2 *b, void *context)
{
    ++*(uint32_t *)context;
    return (a->y > b->y) - (a->y < b->y);
}

static void assert_positions(const kith_world *world, const kith_entity *e, const char *order)
{
    for (uint32_t row = 0; order[row] != '\0'; row++) {
        assert_int_equal(position_entity(world, row), e[order[row] - '0']);
    }
}

static void typed_functions_sort(void **state)
{
    test_fixture *t = *state;
    kith_world   *w = t->world;
    kith_entity   e[4];
    uint32_t      calls = 0;
    create_entities(w, e, 4);
    for (uint32_t i = 0; i < 4; i++) {
        position_set(w, e[i], (vec2){ (float)(i * 3 % 4), (float)(9 - i) });
        velocity_set(w, e[i], (vec2){ 0, (float)(i ^ 2) });
        health_set(w, e[i], (int)(i ^ 1));
    }
    frozen_add(w, e[0]);
    kith_group *group = bodies_group(w);
    kith_group *list  = patients_group(w);

    assert_true(bodies_sort_by_position(group, KITH_KEY(vec2, x)));
    assert_positions(w, e, "3210");
    assert_true(bodies_sort_velocity(group, by_y, &calls));
    assert_positions(w, e, "2310");
    assert_true(calls > 0);
    assert_true(patients_sort_by_health(list, KITH_KEY_OF(int)));
    assert_int_equal(patients_first(w), e[1]);
    assert_true(patients_sort_position(list, by_y, &calls));
    assert_int_equal(patients_first(w), e[3]);
    assert_false(bodies_sort_position(group, NULL, NULL));
    assert_error(w, KITH_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_SMALL(owned_pools_move_alike_and_the_rest_stays),
        TEST_SMALL(members_are_sorted_by_what_is_only_looked_up),
        TEST_SMALL(members_are_sorted_by_entities_and_as_any_pool),
        TEST_SMALL(a_group_that_owns_nothing_sorts_its_list_and_moves_no_row),
        TEST_SMALL(members_are_sorted_by_values_that_cannot_move),
        TEST_SMALL(each_segment_of_an_outer_group_is_sorted_by_itself),
        TEST_SMALL(sorting_an_inner_group_sorts_its_members_alone),
        TEST_SMALL(groups_with_the_same_members_stay_in_one_order),
        TEST_SMALL(a_group_without_members_is_sorted),
        TEST_SMALL(equal_members_keep_their_order_and_nan_comes_last),
        TEST_SMALL(nearly_sorted_rows_take_few_comparisons),
        TEST_SMALL(groups_are_sorted_at_random),
        TEST_SMALL(a_stored_query_follows_its_group),
        TEST_SMALL(a_member_that_joins_after_a_sort_comes_last),
        TEST_SMALL(sorting_by_an_unsuitable_component_is_refused),
        TEST_SMALL(an_owned_pool_names_the_group_that_sorts_it),
        TEST_SMALL(loops_listeners_and_comparing_cannot_sort),
        TEST_SMALL(every_allocation_fails_once),
        TEST_WORLD(typed_functions_sort),
    };
    return cmocka_run_group_tests_name("group_sort", tests, NULL, NULL);
}
