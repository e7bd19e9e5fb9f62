// SPDX-License-Identifier: MIT
// Arranging pools into one order, and paths, which remember what to arrange.
#include "listener_test.h"

#define ALL UINT32_MAX

#define OWN(X)                                                                                     \
    {                                                                                              \
        (X), KITH_ROLE_OWN, 0                                                                      \
    }

/// The ids, and how many they are, as arguments.
#define IDS(...)                                                                                   \
    (const kith_component[]){ __VA_ARGS__ }, COUNT_OF(((kith_component[]){ __VA_ARGS__ }))

#define PATH(NAME, ...) (&(const kith_path_desc){ (NAME), IDS(__VA_ARGS__) })

static kith_path *make_path(small_world *w, const kith_path_desc *desc)
{
    kith_path *path = kith_path_of(w->world, desc);
    assert_non_null(path);
    assert_world_valid(w->world);
    return path;
}

static void assert_explains(const kith_path *path, const char *expected)
{
    char   text_[512];
    size_t length = kith_path_explain(path, text_, sizeof text_);
    assert_string_equal(text_, expected);
    assert_int_equal(length, strlen(expected));
}

// --- the order -------------------------------------------------------------------------------

static void entities_with_both_components_come_first_in_both_pools(void **state)
{
    small_world *w = *state;
    populate(w, "a ab b ab a ba");

    assert_int_equal(kith_world_arrange(w->world, IDS(A, B), ALL), 3);

    assert_rows(w, A, "5 1 3 4 0");
    assert_rows(w, B, "5 1 3 2");
    assert_int_equal(kith_world_arrange(w->world, IDS(A, B), ALL), 0);
}

static void three_pools_have_their_sets_in_the_documented_order(void **state)
{
    small_world *w = *state;
    populate(w, "c b bc a ac ab abc c b bc a ac ab abc");

    kith_world_arrange(w->world, IDS(A, B, C), ALL);

    assert_rows(w, A, "6 13 5 12 4 11 3 10");
    assert_rows(w, B, "6 13 5 12 2 9 1 8");
    assert_rows(w, C, "6 13 4 11 2 9 0 7");
    assert_visits(w, "6 13 5 12", READ(A), READ(B));
}

static void the_first_listed_component_leads(void **state)
{
    small_world *w = *state;
    populate(w, "a ab b ab a ba");

    assert_int_equal(kith_world_arrange(w->world, IDS(B, A), ALL), 3);

    assert_rows(w, B, "1 5 3 2");
    assert_rows(w, A, "1 5 3 4 0");
}

static void tags_are_arranged_too(void **state)
{
    small_world *w = *state;
    populate(w, "a t at ta");

    kith_world_arrange(w->world, IDS(T, A), ALL);

    assert_rows(w, T, "3 2 1");
    assert_rows(w, A, "3 2 0");
}

static void one_component_or_none_with_rows_is_in_order(void **state)
{
    small_world *w = *state;
    populate(w, "a a a");
    assert_int_equal(kith_world_arrange(w->world, IDS(A), ALL), 0);
    assert_int_equal(kith_world_arrange(w->world, IDS(B, C), ALL), 0);
    assert_int_equal(kith_world_arrange(w->world, IDS(B, A), ALL), 0);
    assert_rows(w, A, "0 1 2");
    assert_error(w->world, KITH_OK);
}

static void values_disable_bits_and_stamps_go_along(void **state)
{
    small_world *w = *state;
    populate(w, "a a a a ab");
    kith_component_enable(w->world, w->e[0], A, false);
    uint64_t now = kith_world_advance(w->world);

    assert_int_equal(kith_world_arrange(w->world, IDS(A, B), ALL), 1);

    assert_rows(w, A, "4 1 2 3 0");
    for (uint32_t i = 0; i < w->count; i++) {
        const tracked *value = kith_component_get(w->world, w->e[i], A);
        assert_int_equal(value->number, i);
        assert_int_equal(kith_component_enabled(w->world, w->e[i], A), i != 0);
    }
    assert_int_equal(kith_component_stamp(w->world, A, 4), now);
    assert_int_equal(kith_component_stamp(w->world, B, 0), now - 1);
}

// --- by chance, against the definition -------------------------------------------------------

#define SETS 16

static uint32_t set_of_entity(small_world *w, kith_entity entity, const kith_component *ids,
                              uint32_t count)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < count; i++) {
        set = 2 * set + kith_component_has(w->world, entity, ids[i]);
    }
    return set;
}

// The sets descend, and entities with an earlier component are in the order of the earliest.
static void check_arranged(small_world *w, const kith_component *ids, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t row = 1; row < kith_component_stats(w->world, ids[k]).rows; row++) {
            kith_entity a     = kith_component_entity(w->world, ids[k], row - 1);
            kith_entity b     = kith_component_entity(w->world, ids[k], row);
            uint32_t    set_a = set_of_entity(w, a, ids, count);
            uint32_t    set_b = set_of_entity(w, b, ids, count);
            uint32_t    lead  = 0;
            assert_true(set_a >= set_b);
            while ((set_a >> (count - 1 - lead) & 1) == 0) {
                lead++;
            }
            assert_true(set_a > set_b || kith_component_row(w->world, a, ids[lead]) <
                                             kith_component_row(w->world, b, ids[lead]));
        }
    }
}

static void spawn_by_chance(small_world *w, uint64_t *seed, uint32_t count)
{
    static const char letters[] = "abct";
    for (uint32_t i = 0; i < count; i++) {
        kith_entity entity = spawn(w, "-");
        for (uint32_t k = 0; k < 4; k++) {
            char one[2] = { letters[(k + i) % 4], '\0' };
            if (test_random_below(seed, 2) == 0) {
                add_letters(w, entity, one);
            }
        }
    }
}

static void every_random_world_is_arranged_as_defined(void **state)
{
    small_world *w    = *state;
    uint64_t     seed = test_seed();
    for (uint32_t round = 0; round < test_thinned(200); round++) {
        reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
        spawn_by_chance(w, &seed, test_random_below(&seed, 60));
        kith_world_arrange(w->world, IDS(C, A, T, B), ALL);
        check_arranged(w, IDS(C, A, T, B));
        kith_world_arrange(w->world, IDS(B, T), ALL);
        check_arranged(w, IDS(B, T));
        assert_world_valid(w->world);
    }
}

static void small_budgets_do_what_one_large_one_does(void **state)
{
    small_world *w    = *state;
    uint64_t     seed = test_seed();
    for (uint32_t budget = 1; budget < 8; budget++) {
        walk_text rows[2][4];
        uint32_t  sums[2] = { 0, 0 };
        uint64_t  start   = seed;
        for (uint32_t small = 0; small < 2; small++) {
            reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
            seed = start;
            spawn_by_chance(w, &seed, 50);
            uint32_t made = 0;
            do {
                made = kith_world_arrange(w->world, IDS(A, B, C, T), small ? budget : ALL);
                assert_true(made <= budget || !small);
                sums[small] += made;
            } while (small && made == budget);
            for (kith_component id = A; id <= T; id++) {
                rows[small][id - A] = rows_of(w->world, id);
            }
        }
        assert_memory_equal(&rows[0], &rows[1], sizeof rows[0]);
        assert_int_equal(sums[0], sums[1]);
        assert_true(sums[0] > 20);
    }
}

static void a_newcomer_or_a_gap_costs_a_few_exchanges(void **state)
{
    static const char *const sets[] = { "ab", "a", "b", "abc" };
    small_world             *w      = *state;
    uint64_t                 seed   = test_seed();
    spawn_by_chance(w, &seed, 200);
    kith_world_arrange(w->world, IDS(A, B), ALL);
    for (uint32_t i = 0; i < 40; i++) {
        spawn(w, sets[i % COUNT_OF(sets)]);
        assert_true(kith_world_arrange(w->world, IDS(A, B), ALL) <= 2);
        check_arranged(w, IDS(A, B));
        kith_entity_destroy(w->world, w->e[test_random_below(&seed, w->count)]);
        assert_true(kith_world_arrange(w->world, IDS(A, B), ALL) <= 2);
        check_arranged(w, IDS(A, B));
    }
}

static void so_do_they_where_sets_are_nested(void **state)
{
    static const char *const sets[] = { "a", "ab", "abc", "abct" };
    small_world             *w      = *state;
    uint64_t                 seed   = test_seed();
    for (uint32_t i = 0; i < 200; i++) {
        spawn(w, sets[test_random_below(&seed, 4)]);
        if (i % 3 == 0) {
            kith_entity_destroy(w->world, w->e[test_random_below(&seed, w->count)]);
        }
        assert_true(kith_world_arrange(w->world, IDS(A, B, C, T), ALL) <= 12);
        check_arranged(w, IDS(A, B, C, T));
    }
}

static void a_view_visits_the_same_in_longer_runs(void **state)
{
    small_world *w    = *state;
    uint64_t     seed = test_seed();
    w->page_rows      = 64;
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
    spawn_by_chance(w, &seed, 200);
    const kith_query_desc *desc   = QUERY(READ(A), READ(B));
    kith_query            *query  = kith_query_create(w->world, desc);
    uint32_t               before = kith_view_count(w->world, desc);
    kith_cursor            c      = kith_query_begin(query);
    walk(&c);
    assert_true(kith_query_report_of(query).gathered > before / 2);

    kith_world_arrange(w->world, IDS(A, B), ALL);

    c = kith_query_begin(query);
    assert_int_equal(count_words(walk(&c).bytes), before);
    assert_true(kith_query_report_of(query).in_runs == before);
    assert_true(kith_query_report_of(query).runs <= 3);
    kith_query_destroy(query);
}

static void a_stored_query_remembers_that_no_row_follows_the_run(void **state)
{
    small_world *w    = *state;
    uint64_t     seed = test_seed();
    w->page_rows      = 64;
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
    spawn_by_chance(w, &seed, 200);
    kith_world_arrange(w->world, IDS(A, B), ALL);
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B)));
    uint32_t    count = kith_view_count(w->world, kith_query_describe(query));
    for (uint32_t round = 0; round < 3; round++) {
        kith_cursor c = kith_query_begin(query);
        assert_int_equal(count_words(walk(&c).bytes), count);
        assert_true((kith_query_report_of(query).rejected == 0) == (round > 0));
    }

    add_letters(w, kith_component_entity(w->world, A, kith_component_stats(w->world, A).rows - 1),
                "b");

    kith_cursor c = kith_query_begin(query);
    assert_int_equal(count_words(walk(&c).bytes), count + 1);
    kith_query_destroy(query);
}

// --- groups ----------------------------------------------------------------------------------

static void members_of_a_group_stay_in_front(void **state)
{
    small_world *w = *state;
    populate(w, "a ab abt at ac abct ab ac");
    assert_non_null(kith_group_of(w->world, QUERY(OWN(A), WITH(T))));
    assert_rows(w, A, "2 3 5 1 4 0 6 7");

    kith_world_arrange(w->world, IDS(B, A, C), ALL);

    // the owned pool leads: behind the members AB, AC, A
    assert_rows(w, A, "2 3 5 1 6 4 7 0");
    assert_rows(w, B, "2 5 1 6");
    assert_rows(w, C, "5 4 7");
    assert_int_equal(kith_world_arrange(w->world, IDS(B, A, C), ALL), 0);
}

static void nested_groups_stay_too(void **state)
{
    small_world *w = *state;
    populate(w, "c ac a abc ab bc ac c abt abc");
    assert_non_null(kith_group_of(w->world, QUERY(OWN(A), OWN(B))));
    assert_non_null(kith_group_of(w->world, QUERY(OWN(A), OWN(B), WITH(T))));
    assert_rows(w, A, "8 4 3 9 6 1 2");

    assert_int_equal(kith_world_arrange(w->world, IDS(C, A, B), ALL), 5);

    assert_rows(w, A, "8 4 3 9 6 1 2");
    assert_rows(w, B, "8 4 3 9 5");
    assert_rows(w, C, "3 9 6 1 5 7 0");
}

static void pools_of_different_groups_are_arranged_behind_both(void **state)
{
    small_world *w = *state;
    populate(w, "bt at ab abt b ab");
    assert_non_null(kith_group_of(w->world, QUERY(OWN(A), WITH(T))));
    assert_non_null(kith_group_of(w->world, QUERY(OWN(B), WITHOUT(T))));
    assert_rows(w, A, "1 3 2 5");
    assert_rows(w, B, "2 4 5 0 3");

    kith_world_arrange(w->world, IDS(A, B), ALL);

    assert_rows(w, A, "1 3 2 5");
    assert_rows(w, B, "2 4 5 3 0");
}

// --- paths -----------------------------------------------------------------------------------

static void the_same_components_give_the_same_path(void **state)
{
    small_world *w    = *state;
    kith_path   *path = make_path(w, PATH("ab", A, B));

    assert_ptr_equal(make_path(w, PATH("other", A, B)), path);
    kith_path *turned = make_path(w, PATH(NULL, B, A));
    assert_ptr_not_equal(turned, path);
    assert_ptr_not_equal(make_path(w, PATH("a", A)), path);

    assert_string_equal(kith_path_describe(path)->name, "ab");
    assert_int_equal(kith_path_describe(path)->component_count, 2);
    assert_int_equal(kith_path_describe(path)->components[1], B);
    assert_null(kith_path_describe(turned)->name);
}

static void a_dropped_path_does_nothing_until_it_is_made_again(void **state)
{
    small_world          *w     = *state;
    const kith_path_desc *desc  = PATH("ab", A, B);
    kith_path            *path  = make_path(w, desc);
    kith_path            *other = make_path(w, PATH("ac", A, C));
    populate(w, "a ab b ab");

    assert_true(kith_path_drop(path));

    assert_int_equal(kith_path_arrange(path, ALL), 0);
    assert_rows(w, A, "0 1 3");
    assert_explains(path, "path \"ab\" is dropped: \"a\" 3, \"b\" 3");
    assert_true(kith_path_drop(path)); // once more
    assert_true(kith_path_drop(NULL));
    assert_error(w->world, KITH_OK);
    assert_world_valid(w->world);
    assert_int_equal(kith_world_memory(w->world, KITH_ALL).total, w->memory.live_bytes);

    assert_ptr_equal(make_path(w, desc), path);
    assert_explains(path, "path \"ab\" is to be arranged: \"a\" 3, \"b\" 3.\n"
                          "\"a\" stays as the path \"ac\" has it, and the others follow");
    assert_true(kith_path_arrange(path, ALL) != 0); // it is the youngest now
    assert_string_equal(kith_path_describe(other)->name, "ac");
}

static void a_path_made_before_the_data_arranges_it(void **state)
{
    small_world *w    = *state;
    kith_path   *path = make_path(w, PATH("ab", A, B));
    assert_explains(path, "path \"ab\" is to be arranged: \"a\" 0, \"b\" 0");
    populate(w, "a ab b ab a ba");

    assert_int_equal(kith_path_arrange(path, 2), 2);
    assert_explains(path, "path \"ab\" is to be arranged: \"a\" 5, \"b\" 4");
    assert_world_valid(w->world);
    assert_int_equal(kith_path_arrange(path, 2), 1);

    assert_rows(w, A, "5 1 3 4 0");
    assert_rows(w, B, "5 1 3 2");
    assert_explains(path, "path \"ab\" is in order: \"a\" 5, \"b\" 4");
}

static void a_changed_pool_is_arranged_again(void **state)
{
    small_world *w    = *state;
    kith_path   *path = make_path(w, PATH("ab", A, B));
    populate(w, "ab ab ab a b");
    assert_int_equal(kith_path_arrange(path, ALL), 0);
    spawn(w, "ab");
    assert_int_equal(kith_path_arrange(path, ALL), 2);
    swap_rows(w, B, 0, 1);
    assert_int_equal(kith_path_arrange(path, ALL), 1);
    take(w, 0, B);
    assert_int_equal(kith_path_arrange(path, ALL), 2);
    kith_component_set(w->world, w->e[0], B, NULL);
    assert_int_equal(kith_path_arrange(path, ALL), 1);
    kith_entity_destroy(w->world, w->e[1]);
    assert_true(kith_path_arrange(path, ALL) > 0);
    assert_int_equal(kith_path_arrange(path, ALL), 0);
    check_arranged(w, IDS(A, B));
}

static void a_group_that_comes_and_goes_is_noticed(void **state)
{
    small_world *w    = *state;
    kith_path   *path = make_path(w, PATH("ab", B, A));
    populate(w, "abt at ab ab a b");
    kith_path_arrange(path, ALL);
    kith_group *group = kith_group_of(w->world, QUERY(OWN(A), WITH(T)));
    assert_rows(w, A, "0 1 3 2 4");

    kith_path_arrange(path, ALL);
    assert_rows(w, A, "0 1 3 2 4");
    assert_rows(w, B, "0 3 2 5");
    assert_explains(path, "path \"ab\" is in order: \"a\" 5, \"b\" 4.\n"
                          "the first 2 rows of \"a\" stay as a group has them");

    take(w, 1, T); // the last member: no row moves
    assert_rows(w, A, "0 1 3 2 4");
    assert_world_valid(w->world);
    kith_path_arrange(path, ALL);
    assert_rows(w, A, "0 2 3 1 4");
    assert_rows(w, B, "0 2 3 5");
    assert_true(kith_group_drop(group));
    kith_path_arrange(path, ALL);
    check_arranged(w, IDS(B, A));
}

static void the_older_of_two_paths_has_the_shared_pool(void **state)
{
    small_world *w = *state;
    populate(w, "bc b ab abc c ab bc");
    kith_path *first  = make_path(w, PATH("first", A, B));
    kith_path *second = make_path(w, PATH("second", C, B));
    assert_int_equal(kith_path_arrange_all(w->world, ALL), 5);
    assert_rows(w, A, "2 3 5");
    assert_rows(w, B, "2 3 5 1 0 6");
    assert_rows(w, C, "3 0 6 4"); // as b has them, and then the rest
    assert_explains(second, "path \"second\" is in order: \"b\" 6, \"c\" 4.\n"
                            "\"b\" stays as the path \"first\" has it, and the others follow");
    assert_int_equal(kith_path_arrange_all(w->world, ALL), 0);

    assert_true(kith_path_drop(first));

    assert_world_valid(w->world);
    assert_explains(second, "path \"second\" is to be arranged: \"c\" 4, \"b\" 6");
    kith_path_arrange_all(w->world, ALL);
    check_arranged(w, IDS(C, B));
}

static void all_paths_share_one_budget(void **state)
{
    small_world *w = *state;
    populate(w, "a ab ab ab c ct ct ct");
    make_path(w, PATH(NULL, A, B));
    kith_path *second = make_path(w, PATH(NULL, C, T));
    uint32_t   calls  = 0;
    while (kith_path_arrange_all(w->world, 1) != 0) {
        assert_world_valid(w->world);
        calls++;
    }
    assert_int_equal(calls, 6);
    assert_rows(w, A, "3 1 2 0");
    assert_rows(w, T, "7 5 6");
    assert_explains(second, "path \"\" is in order: \"c\" 4, \"t\" 3");
    assert_int_equal(kith_path_arrange_all(w->world, 0), 0);
}

static void arranging_needs_no_memory(void **state)
{
    small_world *w = *state;
    populate_many(w, 100, "ab");
    kith_path *path = make_path(w, PATH("ab", A, B));
    kith_path_arrange(path, ALL);
    w->memory.fail_all   = true; // and arranging needs no memory
    uint32_t allocations = w->memory.allocations;
    swap_rows(w, A, 1, 2);
    swap_rows(w, A, 4, 7);
    assert_int_equal(kith_path_arrange(path, ALL), 2);
    assert_int_equal(w->memory.allocations, allocations);
    w->memory.fail_all = false;
}

static void a_path_needs_memory_when_it_is_made(void **state)
{
    small_world *w     = *state;
    w->memory.fail_all = true;
    size_t live        = w->memory.live_bytes;
    assert_refused(&w->memory, w->world, KITH_ERROR_MEMORY,
                   kith_path_of(w->world, PATH("kept", A, B)) != NULL);
    w->memory.fail_all = false;
    assert_int_equal(w->memory.live_bytes, live);
    size_t before = kith_world_memory(w->world, KITH_ALL).total;
    make_path(w, PATH("kept", A, B));
    assert_int_equal(kith_world_memory(w->world, KITH_ALL).total - before,
                     w->memory.live_bytes - live);
}

KITH_PATH(movers, position, velocity);

static void a_path_is_made_of_names(void **state)
{
    test_fixture *f    = *state;
    kith_path    *path = movers_path(f->world);

    assert_ptr_equal(movers_path(f->world), path);
    assert_string_equal(kith_path_describe(path)->name, "movers");
    assert_int_equal(kith_path_describe(path)->component_count, 2);
    assert_int_equal(kith_path_describe(path)->components[0], POSITION);
    assert_int_equal(kith_path_describe(path)->components[1], VELOCITY);
}

// --- what is refused -------------------------------------------------------------------------

static void lists_that_cannot_be_arranged_are_refused(void **state)
{
    small_world         *w       = *state;
    const kith_component nine[9] = { A, B, C, T, A, B, C, T, A };
    const struct {
        const kith_component *ids;
        uint32_t              count;
        kith_error_code       code;
        const char           *says;
    } wrong[] = {
        { IDS(A, UNKNOWN), KITH_ERROR_UNREGISTERED, "component 99" },
        { IDS(A, 0), KITH_ERROR_UNREGISTERED, "component 0" },
        { IDS(F, A), KITH_ERROR_KIND, "\"f\" is a flag" },
        { IDS(A, S), KITH_ERROR_KIND, "\"s\" is a singleton" },
        { IDS(A, B, A), KITH_ERROR_ARGUMENT, "\"a\": a component is named twice" },
        { nine, 9, KITH_ERROR_ARGUMENT, "1 to the limit (8), got 9" },
        { nine, 0, KITH_ERROR_ARGUMENT, "1 to the limit (8), got 0" },
        { NULL, 2, KITH_ERROR_ARGUMENT, "there is no array" },
    };
    populate(w, "a ab");
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        const kith_path_desc desc = { "wrong", wrong[i].ids, wrong[i].count };
        assert_refused(&w->memory, w->world, wrong[i].code,
                       kith_world_arrange(w->world, wrong[i].ids, wrong[i].count, ALL) != 0);
        assert_error_says(w->world, wrong[i].code, wrong[i].says);
        assert_error_says(w->world, wrong[i].code, "kith_world_arrange: ");
        assert_refused(&w->memory, w->world, wrong[i].code, kith_path_of(w->world, &desc) != NULL);
        assert_error_says(w->world, wrong[i].code, wrong[i].says);
        assert_error_says(w->world, wrong[i].code, "kith_path_of: ");
    }
    assert_rows(w, A, "0 1");
}

static void stable_pools_are_refused(void **state)
{
    small_world *w = stable_world(*state);
    populate(w, "a ab");
    assert_refused(&w->memory, w->world, KITH_ERROR_POLICY,
                   kith_world_arrange(w->world, IDS(A, B), ALL) != 0);
    assert_error_text(w->world, "kith_world_arrange: \"a\": the rows of a stable pool do not move");
    assert_rows(w, A, "0 1");
}

static void a_component_can_keep_its_order(void **state)
{
    small_world              *w    = *state;
    const kith_component_desc kept = {
        .name = "kept", .id = 20, .kind = KITH_KIND_TAG, .traits.keep_order = true
    };
    assert_int_equal(kith_component_register(w->world, &kept), 20);
    assert_true(kith_component_describe(w->world, 20)->traits.keep_order);
    populate(w, "a ab");
    assert_refused(&w->memory, w->world, KITH_ERROR_POLICY,
                   kith_world_arrange(w->world, IDS(A, B, 20), ALL) != 0);
    assert_error_text(w->world, "kith_world_arrange: \"kept\": its rows keep their order");
    assert_refused(&w->memory, w->world, KITH_ERROR_POLICY,
                   kith_path_of(w->world, PATH("p", 20)) != NULL);
    assert_rows(w, A, "0 1");

    kith_component_add(w->world, w->e[1], 20, NULL);
    kith_component_add(w->world, w->e[0], 20, NULL);
    assert_true(
        kith_component_sort(w->world, 20, &(kith_sort_desc){ .as = A })); // by hand it is legal
    assert_rows(w, 20, "0 1");

    kith_component_desc changed = kept;
    changed.traits.keep_order   = false;
    assert_refused(&w->memory, w->world, KITH_ERROR_CONFLICT,
                   kith_component_register(w->world, &changed) != 0);
    assert_error_says(w->world, KITH_ERROR_CONFLICT, "with keep_order 1, not none");
}

static void nothing_is_arranged_while_a_loop_is_open(void **state)
{
    small_world *w = *state;
    populate(w, "a ab b ab");
    kith_path  *path = make_path(w, PATH("ab", A, B));
    kith_cursor c    = kith_view_begin(w->world, QUERY(READ(A)));

    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY,
                   kith_world_arrange(w->world, IDS(A, B), ALL) != 0);
    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY, kith_path_arrange(path, ALL) != 0);
    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY,
                   kith_path_arrange_all(w->world, ALL) != 0);
    kith_path *other = make_path(w, PATH("legal", A, C)); // moves nothing
    assert_true(kith_path_drop(other));

    kith_cursor_end(&c);
    assert_rows(w, A, "0 1 3");
    assert_int_equal(kith_path_arrange(path, ALL), 3);
}

static void act_arrange(actor *self, const kith_notice *notice)
{
    (void)notice;
    self->answer = kith_world_arrange(self->w->world, IDS(A, B), ALL) != 0;
    assert_error(self->w->world, KITH_ERROR_BUSY);
    kith_world_error_clear(self->w->world);
    self->answer |= kith_path_arrange_all(self->w->world, ALL) != 0;
    assert_error(self->w->world, KITH_ERROR_BUSY);
}

static void a_listener_cannot_arrange_and_arranging_reports_nothing(void **state)
{
    small_world *w = *state;
    populate(w, "a ab");
    make_path(w, PATH("ab", A, B));
    actor curious = acting(w, act_arrange);
    connect_actor(&curious, KITH_EVENT_ADD, A, 0);
    connect_actor(&curious, KITH_EVENT_SET, A, 0);
    connect_actor(&curious, KITH_EVENT_REMOVE, A, 0);

    spawn(w, "a");

    assert_int_equal(curious.called, 1);
    assert_false(curious.answer);
    assert_rows(w, A, "0 1 2");
    assert_int_equal(kith_path_arrange_all(w->world, ALL), 1);
    assert_int_equal(curious.called, 1);
}

static void meddle(void *value, void *context)
{
    small_world *w = context;
    (void)value;
    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY,
                   kith_world_arrange(w->world, IDS(A, B), ALL) != 0);
    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY,
                   kith_path_of(w->world, PATH("a", A)) != NULL);
    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY,
                   kith_path_arrange_all(w->world, ALL) != 0);
    kith_world_error_clear(w->world);
}

static void a_hook_may_not_arrange(void **state)
{
    small_world *w = *state;
    populate(w, "a ab");
    kith_component_patch(w->world, w->e[0], A, meddle, w);
    assert_rows(w, A, "0 1");
}

// --- advice ----------------------------------------------------------------------------------

static bool explains(const kith_query *query, const char *part)
{
    char text_[512];
    kith_query_explain(query, text_, sizeof text_);
    return strstr(text_, part) != NULL;
}

static void explain_says_what_a_path_would_spare(void **state)
{
    small_world *w    = *state;
    uint64_t     seed = 7;
    spawn_by_chance(w, &seed, 200);
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B), READ(C), LEAD(B)));
    kith_query *alone = kith_query_create(w->world, QUERY(READ(A), WITHOUT(B)));
    kith_cursor c     = kith_query_begin(query);
    walk(&c);
    c = kith_query_begin(alone);
    walk(&c);
    char     expected[128];
    uint64_t lookups = 2 * kith_query_report_of(query).gathered;
    assert_true(lookups > 20);
    snprintf(expected, sizeof expected,
             ".\na path of these components would save up to %u lookups a loop", (unsigned)lookups);
    assert_true(explains(query, expected));
    assert_false(explains(query, "already"));
    assert_false(explains(alone, "path"));

    make_path(w, PATH("shared", T, C));
    assert_true(explains(query, expected));
    assert_true(explains(query, "; the path \"shared\" has \"c\" already"));
    kith_path *path = make_path(w, PATH("letters", B, C, T, A));
    assert_true(explains(query, ".\nthe path \"letters\", once arranged, would save"));
    kith_path_arrange(path, ALL);
    assert_false(explains(query, "path"));
    kith_query_destroy(query);
    kith_query_destroy(alone);
}

static void explain_advises_no_path_that_would_be_refused(void **state)
{
    small_world              *w    = *state;
    const kith_component_desc kept = {
        .name = "kept", .id = 20, .kind = KITH_KIND_TAG, .traits.keep_order = true
    };
    kith_component_register(w->world, &kept);
    populate(w, "a ab a ab a ab");
    for (uint32_t i = 6; i-- > 0;) {
        kith_component_add(w->world, w->e[i], 20, NULL);
    }
    kith_query *query = kith_query_create(w->world, QUERY(READ(B), WITH(20)));
    kith_cursor c     = kith_query_begin(query);
    walk(&c);
    assert_true(kith_query_report_of(query).gathered == 3);
    assert_true(explains(query, "a group of these terms would save"));
    assert_false(explains(query, "path"));
    kith_query_destroy(query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_SMALL(entities_with_both_components_come_first_in_both_pools),
        TEST_SMALL(three_pools_have_their_sets_in_the_documented_order),
        TEST_SMALL(the_first_listed_component_leads),
        TEST_SMALL(tags_are_arranged_too),
        TEST_SMALL(one_component_or_none_with_rows_is_in_order),
        TEST_SMALL(values_disable_bits_and_stamps_go_along),
        TEST_SMALL(every_random_world_is_arranged_as_defined),
        TEST_SMALL(small_budgets_do_what_one_large_one_does),
        TEST_SMALL(a_newcomer_or_a_gap_costs_a_few_exchanges),
        TEST_SMALL(so_do_they_where_sets_are_nested),
        TEST_SMALL(a_view_visits_the_same_in_longer_runs),
        TEST_SMALL(a_stored_query_remembers_that_no_row_follows_the_run),
        TEST_SMALL(members_of_a_group_stay_in_front),
        TEST_SMALL(nested_groups_stay_too),
        TEST_SMALL(pools_of_different_groups_are_arranged_behind_both),
        TEST_SMALL(the_same_components_give_the_same_path),
        TEST_SMALL(a_dropped_path_does_nothing_until_it_is_made_again),
        TEST_SMALL(a_path_made_before_the_data_arranges_it),
        TEST_SMALL(a_changed_pool_is_arranged_again),
        TEST_SMALL(a_group_that_comes_and_goes_is_noticed),
        TEST_SMALL(the_older_of_two_paths_has_the_shared_pool),
        TEST_SMALL(all_paths_share_one_budget),
        TEST_SMALL(arranging_needs_no_memory),
        TEST_SMALL(a_path_needs_memory_when_it_is_made),
        TEST_WORLD(a_path_is_made_of_names),
        TEST_SMALL(lists_that_cannot_be_arranged_are_refused),
        TEST_SMALL(stable_pools_are_refused),
        TEST_SMALL(a_component_can_keep_its_order),
        TEST_SMALL(nothing_is_arranged_while_a_loop_is_open),
        TEST_SMALL(a_listener_cannot_arrange_and_arranging_reports_nothing),
        TEST_SMALL(a_hook_may_not_arrange),
        TEST_SMALL(explain_says_what_a_path_would_spare),
        TEST_SMALL(explain_advises_no_path_that_would_be_refused),
    };
    return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
