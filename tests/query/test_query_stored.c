// SPDX-License-Identifier: MIT
// Stored queries: how they are found again and dropped, what they remember, and what they report.
#include "query_test.h"

// --- stored queries --------------------------------------------------------------------------

static void each_create_makes_a_query_of_its_own(void **state)
{
    small_world *w = *state;
    populate(w, "a");
    kith_query *query = kith_query_create(w->world, QUERY(READ(A)));
    kith_query *other = kith_query_create(w->world, QUERY(READ(A)));
    assert_ptr_not_equal(other, query);
    check_query(w->world, QUERY(READ(A)), "0"); // what loops need is there
    size_t bytes = w->memory.live_bytes;

    assert_true(kith_query_destroy(other));
    assert_true(w->memory.live_bytes < bytes);
    kith_cursor c = kith_query_begin(query);
    assert_walk(&c, "0");
    assert_world_valid(w->world);
}

static void the_query_of_the_world_lasts_as_long(void **state)
{
    small_world *w     = *state;
    kith_query  *query = kith_query_of(w->world, NAMED_QUERY("first", READ(A), WITHOUT(B)));
    populate(w, "a ab a");
    kith_query *made = kith_query_create(w->world, QUERY(READ(A), WITHOUT(B)));

    assert_ptr_equal(kith_query_of(w->world, NAMED_QUERY("second", READ(A), WITHOUT(B))), query);
    assert_ptr_not_equal(kith_query_of(w->world, QUERY(WITHOUT(B), READ(A))), query);
    assert_ptr_not_equal(made, query);
    assert_refused(&w->memory, w->world, KITH_ERROR_BUSY, kith_query_destroy(query));
    assert_error_says(w->world, KITH_ERROR_BUSY, "its owner destroys it: \"the world\"");
    assert_refused(&w->memory, w->world, KITH_ERROR_UNREGISTERED,
                   kith_query_of(w->world, QUERY(READ(UNKNOWN))) != NULL);
    assert_error_says(w->world, KITH_ERROR_UNREGISTERED, "kith_query_of: ");

    kith_cursor c = kith_query_begin(query);
    assert_walk(&c, "0 2");
    assert_true(kith_query_destroy(made));
}

static void all_callers_share_the_since_of_the_worlds_query(void **state)
{
    small_world           *w    = *state;
    const kith_query_desc *desc = QUERY(READ(A), CHANGED(A));
    populate(w, "a");
    kith_query *query = kith_query_of(w->world, desc);
    kith_query *own   = kith_query_create(w->world, desc);
    kith_world_advance(w->world);
    kith_cursor c = kith_query_begin(query);
    assert_walk(&c, "0");

    assert_int_equal(kith_query_describe(kith_query_of(w->world, desc))->since, 2);
    assert_int_equal(kith_query_describe(own)->since, 0);
}

static void a_query_has_its_own_copy_of_its_terms(void **state)
{
    small_world    *w       = *state;
    kith_term       terms[] = { READ(A), WITHOUT(B) };
    kith_query_desc desc    = { "copied", terms, 2, 0 };
    populate(w, "a ab");
    kith_query *query = kith_query_create(w->world, &desc);
    terms[0]          = (kith_term)READ(C);
    desc.term_count   = 1;

    const kith_query_desc *kept = kith_query_describe(query);

    assert_int_equal(kept->term_count, 2);
    assert_int_equal(kept->terms[0].component, A);
    assert_int_equal((int)kept->terms[0].role, KITH_ROLE_READ);
    assert_int_equal((int)kept->terms[1].role, KITH_ROLE_WITHOUT);
    assert_string_equal(kept->name, "copied");
    assert_int_equal(kith_view_count(w->world, kept), 1);
}

static void a_query_may_be_dropped_while_its_loop_runs(void **state)
{
    small_world *w = *state;
    populate(w, "ab ab ab");
    kith_query *query = kith_query_create(w->world, QUERY(WRITE(A), READ(B)));
    kith_cursor outer = kith_query_begin(query);
    kith_cursor inner = kith_query_begin(query);
    assert_next(&outer, w, 0);
    assert_next(&inner, w, 0);

    kith_query_destroy(query);
    kith_query *again = kith_query_create(w->world, QUERY(WRITE(A), READ(B)));

    assert_non_null(again);
    assert_walk(&inner, "1 2");
    assert_walk(&outer, "1 2");
    kith_cursor c = kith_query_begin(again);
    assert_walk(&c, "0 1 2");
}

static void queries_may_be_made_and_dropped_in_loops(void **state)
{
    small_world *w = *state;
    populate_many(w, 10, "ab");
    kith_cursor c = kith_view_begin(w->world, QUERY(READ(A)));
    for (uint32_t i = 0; i < 10; i++) {
        assert_next(&c, w, i);
        kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B)));
        kith_cursor inner = kith_query_begin(query);
        assert_next(&inner, w, 0);
        kith_cursor_end(&inner);
        kith_query_destroy(query);
    }
    assert_false(kith_cursor_next(&c));
}

static void the_world_ends_the_queries_that_are_left(void **state)
{
    small_world *w = *state;
    for (kith_component x = A; x <= C; x++) {
        assert_non_null(kith_query_create(w->world, QUERY(READ(x))));
        assert_non_null(kith_query_create(w->world, QUERY(WITHOUT(x))));
    }
    assert_int_equal(kith_world_memory(w->world, KITH_ALL).total, w->memory.live_bytes);
}

// --- what stored queries remember ------------------------------------------------------------

// Every kind of change between two loops of a stored query.
typedef struct turn {
    const char *name;
    void (*change)(small_world *w);
} turn;

static void turn_nothing(small_world *w)
{
    (void)w;
}

static void turn_set(small_world *w)
{
    set_tracked(w->world, w->e[2], A, 2);
}

static void turn_remove_in_lead(small_world *w)
{
    take(w, 0, A);
}

static void turn_add_back(small_world *w)
{
    add_letters(w, w->e[0], "a");
}

static void turn_swap_other(small_world *w)
{
    swap_rows(w, B, 5, 6);
}

static void turn_swap_lead(small_world *w)
{
    swap_rows(w, A, 5, 6);
}

static void turn_destroy(small_world *w)
{
    kith_entity_destroy(w->world, w->e[3]);
}

static void turn_create(small_world *w)
{
    spawn(w, "ab"); // takes the slot of the destroyed one
}

static void turn_disable(small_world *w)
{
    kith_component_enable(w->world, w->e[4], B, false);
}

static void turn_enable(small_world *w)
{
    kith_component_enable(w->world, w->e[4], B, true);
}

static void turn_flag(small_world *w)
{
    add_letters(w, w->e[1], "f");
}

static void turn_unflag(small_world *w)
{
    take(w, 1, F);
}

static void turn_hold_and_remove(small_world *w)
{
    kith_world_hold(w->world);
    take(w, 1, B);
    take(w, 2, A);
    kith_world_release(w->world);
}

static void turn_append(small_world *w)
{
    add_letters(w, w->e[1], "b");
    add_letters(w, w->e[2], "a");
    spawn(w, "ab");
}

static void turn_shrink_b(small_world *w)
{
    take(w, 7, B); // b has fewer rows now: the lead changes
    take(w, 5, B);
}

static void turn_clear(small_world *w)
{
    kith_component_clear(w->world, B);
}

static void turn_refill(small_world *w)
{
    for (uint32_t i = w->count; i-- > 0;) {
        if (kith_entity_alive(w->world, w->e[i])) {
            add_letters(w, w->e[i], "b");
        }
    }
}

static const turn turns[] = {
    { "nothing", turn_nothing },
    { "nothing again", turn_nothing },
    { "set", turn_set },
    { "remove from the lead", turn_remove_in_lead },
    { "add back", turn_add_back },
    { "swap in another pool", turn_swap_other },
    { "swap in the lead", turn_swap_lead },
    { "destroy", turn_destroy },
    { "create", turn_create },
    { "disable", turn_disable },
    { "enable", turn_enable },
    { "set a flag", turn_flag },
    { "clear a flag", turn_unflag },
    { "hold and remove", turn_hold_and_remove },
    { "append", turn_append },
    { "shrink the other pool", turn_shrink_b },
    { "clear", turn_clear },
    { "refill in another order", turn_refill },
};

// The entities that a view visits, found by asking for each row of the lead alone.
static walk_text naive_walk(const kith_world *world, const kith_query_desc *desc)
{
    uint32_t       a    = kith_component_stats(world, A).rows;
    uint32_t       b    = kith_component_stats(world, B).rows;
    kith_component lead = a <= b ? A : B;
    walk_text      out  = { "" };
    for (uint32_t row = 0; row < kith_component_stats(world, lead).rows; row++) {
        kith_entity entity = kith_component_entity(world, lead, row);
        if (kith_view_contains(world, desc, entity)) {
            walk_entity(&out, entity);
        }
    }
    return out;
}

static void assert_columns(const kith_world *world, const kith_cursor *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        kith_entity entity = kith_cursor_entity(c, i);
        assert_ptr_equal((tracked *)c->columns[0] + i, kith_component_get(world, entity, A));
        assert_ptr_equal((tracked *)c->columns[1] + i, kith_component_get(world, entity, B));
    }
}

static void assert_remembers_right(small_world *w, kith_query *query, const turn *one)
{
    walk_text expected = naive_walk(w->world, kith_query_describe(query));
    for (int round = 0; round < 4; round++) { // the third remembers what the second noted
        kith_cursor c       = kith_query_begin(query);
        walk_text   visited = { "" };
        while (kith_cursor_next_chunk(&c)) {
            assert_columns(w->world, &c);
            for (uint32_t i = 0; i < c.count; i++) {
                walk_entity(&visited, kith_cursor_entity(&c, i));
            }
        }
        if (strcmp(visited.bytes, expected.bytes) != 0) {
            fail_msg("after %s: visits %s, not %s", one->name, visited.bytes, expected.bytes);
        }
    }
}

static void remembers_right(small_world *w, bool stable)
{
    populate_many(w, 100, "ab");
    kith_query *plain   = kith_query_create(w->world, QUERY(WRITE(A), READ(B)));
    kith_query *query   = kith_query_create(w->world, QUERY(WRITE(A), READ(B), WITHOUT(F)));
    kith_query *flagged = kith_query_create(w->world, QUERY(READ(A), READ(B), OPTIONAL(F)));
    for (size_t i = 0; i < COUNT_OF(turns); i++) {
        bool swaps = turns[i].change == turn_swap_other || turns[i].change == turn_swap_lead;
        if (!stable || !swaps) {
            turns[i].change(w);
        }
        assert_remembers_right(w, plain, &turns[i]);
        assert_remembers_right(w, query, &turns[i]);
        assert_remembers_right(w, flagged, &turns[i]);
    }
}

// Short runs are not remembered, so pages must be long.
static void use_long_pages(small_world *w)
{
    w->page_rows = 64;
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
}

static void what_a_query_remembers_stays_right_after_every_change(void **state)
{
    small_world *w = *state;
    use_long_pages(w);
    for_both_policies(w, remembers_right);
}

#define RANDOM_ENTITIES 150u

// `hides`: also disables rows; a pool with disabled rows has no runs.
static void random_change(small_world *w, bool stable, bool hides, uint64_t *seed)
{
    uint32_t       i = test_random_below(seed, RANDOM_ENTITIES);
    uint32_t       k = test_random_below(seed, RANDOM_ENTITIES);
    kith_component x = test_random_below(seed, 2) == 0 ? A : B;
    switch (test_random_below(seed, hides ? 8 : 6)) {
    case 0:
        take(w, i, x);
        break;
    case 1:
        kith_entity_destroy(w->world, w->e[i]);
        w->e[i] = kith_entity_create(w->world);
        add_letters(w, w->e[i], "ab");
        break;
    case 2:
        if (!stable) {
            kith_component_swap(w->world, x, w->e[i], w->e[k]);
        }
        break;
    case 6:
        kith_component_enable(w->world, w->e[i], x, false);
        break;
    case 7:
        kith_component_enable(w->world, w->e[i], x, true);
        break;
    case 4:
        if (!kith_component_remove(w->world, w->e[i], x == A ? T : F)) {
            add_letters(w, w->e[i], x == A ? "t" : "f");
        }
        break;
    case 3:
        kith_world_hold(w->world);
        take(w, i, x);
        take(w, k, x);
        add_letters(w, w->e[i], "ab");
        kith_world_release(w->world);
        break;
    default:
        add_letters(w, w->e[i], x == A ? "a" : "b");
        break;
    }
}

// Changes in the middle of one of its loops, too.
static void walk_half_changing(small_world *w, kith_query *query, bool stable, uint64_t *seed)
{
    kith_cursor c = kith_query_begin(query);
    for (uint32_t i = 0; i < 60 && kith_cursor_next(&c); i++) {
        assert_ptr_equal(c.columns[0], kith_component_get(w->world, c.entity, A));
        assert_ptr_equal(c.columns[1], kith_component_get(w->world, c.entity, B));
        if (test_random_below(seed, 20) == 0) {
            random_change(w, stable, false, seed);
            kith_world_error_clear(w->world); // swapping is busy
        }
    }
    kith_cursor_end(&c);
}

static void remembers_right_at_random(small_world *w, bool stable)
{
    const turn random = { "a random change", turn_nothing };
    uint64_t   seed   = test_seed();
    populate_many(w, RANDOM_ENTITIES, "ab");
    kith_query *query    = kith_query_create(w->world, QUERY(WRITE(A), READ(B)));
    kith_query *selected = kith_query_create(w->world, QUERY(READ(A), WRITE(B), WITHOUT(T)));
    kith_query *marked = kith_query_create(w->world, QUERY(READ(A), READ(B), ANY(T, 1), ANY(F, 1)));
    for (uint32_t step = 0; step < test_thinned(1500); step++) {
        random_change(w, stable, step > 1000, &seed);
        if (step % 4 == 0) {
            walk_half_changing(w, step % 8 == 0 ? query : selected, stable, &seed);
        }
        if (step % 500 == 499) { // all of one order again, so that there is much to remember
            kith_component_clear(w->world, A);
            kith_component_clear(w->world, B);
            turn_refill(w);
            for (uint32_t i = RANDOM_ENTITIES; i-- > 0;) {
                add_letters(w, w->e[i], "a");
            }
        }
        assert_remembers_right(w, query, &random);
        assert_remembers_right(w, selected, &random);
        assert_remembers_right(w, marked, &random);
        text_free(&w->journal.text);
    }
}

static void what_a_query_remembers_stays_right_after_random_changes(void **state)
{
    small_world *w = *state;
    use_long_pages(w);
    for_both_policies(w, remembers_right_at_random);
}

static void changes_inside_its_own_loop_are_not_forgotten(void **state)
{
    small_world *w = *state;
    use_long_pages(w);
    populate_many(w, 40, "ab");
    kith_query *query = kith_query_create(w->world, QUERY(WRITE(A), READ(B)));
    assert_remembers_right(w, query, &turns[0]);
    kith_cursor c = kith_query_begin(query);
    assert_next(&c, w, 0);
    take(w, 3, B);
    assert_next(&c, w, 1);
    assert_next(&c, w, 2);
    assert_next(&c, w, 4);
    kith_cursor_end(&c);

    assert_remembers_right(w, query, &turns[0]);
    add_letters(w, w->e[3], "b");
    assert_remembers_right(w, query, &turns[0]);
}

static kith_query_report walk_and_report(kith_query *query)
{
    kith_cursor c = kith_query_begin(query);
    walk_chunks(&c);
    return kith_query_report_of(query);
}

static void a_second_loop_need_not_compare_again(void **state)
{
    small_world *w = *state;
    use_long_pages(w);
    populate_many(w, 100, "ab");
    kith_query *query = kith_query_create(w->world, QUERY(WRITE(A), READ(B)));
    assert_int_equal(walk_and_report(query).remembered, 0);

    kith_query_report report = walk_and_report(query);

    assert_int_equal(report.examined, 100);
    assert_int_equal(report.rejected, 0);
    assert_int_equal(report.in_runs, 100);
    assert_int_equal(report.gathered, 0);
    assert_int_equal(report.remembered, 100);
    assert_int_equal(report.runs, 2);     // a page each
    set_tracked(w->world, w->e[5], A, 5); // moves nothing
    spawn(w, "c");
    assert_int_equal(walk_and_report(query).remembered, 100);
    swap_rows(w, B, 3, 4);
    assert_int_equal(walk_and_report(query).remembered, 0);
}

// --- lists of members ------------------------------------------------------------------------

// Every third has a tag, every other one a b, so that there are no runs.
static void populate_mixed(small_world *w)
{
    for (uint32_t i = 0; i < 120; i++) {
        spawn(w, i % 3 == 0 ? "at" : i % 2 == 0 ? "ab" : "a");
    }
    text_free(&w->journal.text);
}

static uint64_t listed(kith_query *query)
{
    return walk_and_report(query).listed;
}

static void a_third_loop_need_not_look_anyone_up(void **state)
{
    small_world *w = *state;
    populate_mixed(w);
    kith_query *query = kith_query_create(w->world, QUERY(WRITE(A), WITHOUT(T)));
    assert_int_equal(listed(query), 0);
    assert_int_equal(listed(query), 0);

    kith_query_report report = walk_and_report(query);

    assert_int_equal(report.listed, 80);
    assert_int_equal(report.gathered + report.rejected + report.examined, 0);
    assert_world_valid(w->world);
}

static void any_change_of_a_deciding_component_is_noticed(void **state)
{
    small_world *w = *state;
    populate_mixed(w);
    kith_query *query =
        kith_query_create(w->world, QUERY(LEAD(A), READ(A), OPTIONAL(C), WITHOUT(T), WITHOUT(F)));
    static const char *const letters[] = { "t", "f" };
    for (uint32_t i = 0; i < COUNT_OF(letters); i++) {
        walk_and_report(query);
        walk_and_report(query);
        assert_true(listed(query) > 0);
        add_letters(w, w->e[7], letters[i]);
        assert_int_equal(listed(query), 0);
        take(w, 7, component_of(*letters[i]));
        assert_int_equal(listed(query), 0);
    }
    walk_and_report(query);
    assert_true(listed(query) > 0);
    add_letters(w, w->e[8], "c"); // decides nothing
    assert_true(listed(query) > 0);
    spawn(w, "a"); // joins at the end of the lead
    kith_query_report report = walk_and_report(query);
    assert_int_equal(report.in_runs + report.gathered, 1);
}

static void disabled_rows_are_not_remembered_as_members(void **state)
{
    small_world *w = *state;
    populate_mixed(w);
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), WITHOUT(T)));
    walk_and_report(query);
    walk_and_report(query);
    kith_component_enable(w->world, w->e[1], A, false);
    kith_query_report report = walk_and_report(query);
    assert_int_equal(report.gathered, 79);
    assert_int_equal(report.listed, 0);
}

// The list is from a loop that began later, and has an entity that this loop must not visit.
static void an_older_loop_does_not_see_what_a_newer_one_remembers(void **state)
{
    small_world *w = *state;
    populate_mixed(w);
    kith_query *query = kith_query_create(w->world, QUERY(LEAD(A), READ(A), READ(B)));
    kith_cursor c     = kith_query_begin(query);
    assert_next(&c, w, 2);
    add_letters(w, w->e[113], "b");
    for (uint32_t round = 0; round < 3; round++) {
        kith_cursor inner = kith_query_begin(query);
        assert_non_null(strstr(walk(&inner).bytes, " 113 "));
    }
    assert_true(kith_query_report_of(query).listed > 30);
    assert_null(strstr(walk(&c).bytes, " 113 "));
}

static void a_list_grows_with_the_lead(void **state)
{
    small_world *w = *state;
    populate_mixed(w);
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), WITHOUT(T)));
    listed(query);
    listed(query);
    uint32_t allocations = w->memory.allocations;
    for (uint32_t i = 0; i < 30; i++) {
        assert_true(listed(query) >= 80 + i - (i != 0));
        spawn(w, "a");
    }
    assert_true(w->memory.allocations - allocations < 30); // pages of a take most of them
    assert_true(listed(query) >= 80 + 29);
}

static void a_loop_inside_does_not_disturb_the_report(void **state)
{
    small_world *w = *state;
    populate_mixed(w);
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), WITHOUT(T)));
    kith_cursor outer = kith_query_begin(query);
    assert_next(&outer, w, 1);
    kith_cursor inner = kith_query_begin(query);
    walk(&inner);
    assert_int_equal(kith_query_report_of(query).examined, 120);
    walk(&outer);
    assert_int_equal(kith_query_report_of(query).examined, 120);
}

static void a_list_is_handed_out_in_parts(void **state)
{
    small_world *w = *state;
    w->page_rows   = 1024;
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
    for (uint32_t i = 0; i < 1000; i++) {
        add_letters(w, kith_entity_create(w->world), i % 3 == 0 ? "at" : "a");
    }
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), WITHOUT(T)));
    for (int round = 0; round < 3; round++) {
        kith_cursor c    = kith_query_begin(query);
        uint32_t    last = 0;
        for (uint32_t count = 0; count < 666; count++, last = kith_entity_index(c.entity)) {
            assert_true(kith_cursor_next(&c));
            assert_int_equal(kith_entity_index(c.entity), last + (last % 3 == 2 ? 2 : 1));
        }
        assert_false(kith_cursor_next(&c));
    }
    assert_int_equal(kith_query_report_of(query).listed, 666);
}

static void use_long_pages_of_a(small_world *w)
{
    w->page_rows = 1024;
    reopen_small_world(w, KITH_POLICY_SWAP, (kith_world_desc){ 0 });
}

// The block of the outer loop is in the list. Loops inside it find the list stale, and must neither
// empty nor fill it.
static void a_list_stays_while_a_loop_walks_it(void **state)
{
    small_world *w = *state;
    use_long_pages_of_a(w);
    populate_mixed(w);
    kith_query *query    = kith_query_create(w->world, QUERY(READ(A), READ(B), WITHOUT(T)));
    walk_text   expected = naive_walk(w->world, kith_query_describe(query));
    walk_text   visited  = { "" };
    listed(query);
    listed(query);
    assert_int_equal(listed(query), 40);
    kith_cursor outer = kith_query_begin(query);
    for (uint32_t visits = 0; kith_cursor_next(&outer); visits++) {
        walk_entity(&visited, outer.entity);
        assert_columns(w->world, &outer);
        for (uint32_t i = 0; visits == 3 && i < 4; i++) {
            kith_component_remove(w->world, w->e[2], B); // the first one visited
            kith_cursor inner = kith_query_begin(query);
            assert_null(strstr(walk(&inner).bytes, " 2 "));
        }
    }
    assert_string_equal(visited.bytes, expected.bytes);
    listed(query);
    listed(query);
    assert_int_equal(listed(query), 39);
}

// Three rows of four follow each other. The list keeps their chunks from blocks that had other
// ends. `singles`: how many entities each loop visits one by one, before the chunks.
static void walk_chunks_of_a_list(small_world *w, const uint32_t *singles, uint32_t loops)
{
    kith_query *query = kith_query_create(w->world, QUERY(WRITE(A), READ(B), WITHOUT(T)));
    for (uint32_t round = 0; round < loops; round++) {
        kith_cursor c      = kith_query_begin(query);
        uint32_t    count  = 0;
        uint32_t    chunks = 0;
        uint32_t    last   = 0;
        while (count < singles[round] ? kith_cursor_next(&c) : kith_cursor_next_chunk(&c)) {
            assert_in_range(c.count, 1, 3);
            assert_columns(w->world, &c);
            for (uint32_t i = 0; i < c.count; i++) {
                uint32_t index = kith_entity_index(kith_cursor_entity(&c, i));
                assert_int_equal(index, last + (last % 4 == 3 ? 2 : 1));
                last = index;
            }
            count += c.count;
            chunks += count > singles[round];
        }
        assert_int_equal(count, 750);
        assert_in_range(chunks, (750 - singles[round]) / 3, (750 - singles[round]) / 3 + 20);
    }
    assert_int_equal(kith_query_report_of(query).listed, 750);
}

static void chunks_of_a_list_end_with_its_blocks(void **state)
{
    static const uint32_t chunks[] = { 0, 0, 0, 0, 257, 0 };
    static const uint32_t late[]   = { 750, 750, 301, 0, 5, 0 };
    small_world          *w        = *state;
    use_long_pages_of_a(w);
    for (uint32_t i = 0; i < 1000; i++) {
        add_letters(w, kith_entity_create(w->world), i % 4 == 0 ? "abt" : "ab");
    }
    walk_chunks_of_a_list(w, chunks, COUNT_OF(chunks));
    walk_chunks_of_a_list(w, late, COUNT_OF(late));
}

// Walks by chunks; in each chunk an entity and its values stand side by side.
static void walk_beside_b(kith_world *world, kith_query *query)
{
    kith_cursor c = kith_query_begin(query);
    while (kith_cursor_next_chunk(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            const uint8_t *b     = c.columns[1];
            const uint8_t *value = kith_component_get(world, kith_cursor_entity(&c, i), B);
            assert_ptr_equal(
                b == NULL ? NULL : b + (size_t)i * kith_component_describe(world, B)->size, value);
        }
    }
}

// An optional component changes while the list of matches stays valid.
static void chunks_of_a_list_follow_an_optional_component(void **state)
{
    small_world *w = *state;
    kith_entity  e[8];
    for (uint32_t i = 0; i < 8; i++) {
        e[i] = kith_entity_create(w->world);
        add_letters(w, e[i], "ab");
    }
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), OPTIONAL(B)));
    for (uint32_t i = 0; i < 3; i++) {
        walk_beside_b(w->world, query);
    }
    assert_true(kith_component_swap(w->world, B, e[0], e[7]));
    walk_beside_b(w->world, query);
    assert_true(kith_component_remove(w->world, e[3], B));
    walk_beside_b(w->world, query);
    add_letters(w, e[3], "b");
    walk_beside_b(w->world, query);
}

static void without_memory_for_a_list_a_loop_looks_rows_up(void **state)
{
    small_world *w = *state;
    populate_mixed(w);
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), WITHOUT(T)));
    walk_and_report(query);
    w->memory.fail_all = true;
    assert_int_equal(walk_and_report(query).gathered, 80);
    assert_int_equal(walk_and_report(query).listed, 0);
    w->memory.fail_all = false;
    assert_int_equal((int)kith_world_error(w->world).code, KITH_OK);
    walk_and_report(query);
    assert_int_equal(listed(query), 80);
}

// --- reports ---------------------------------------------------------------------------------

static void a_query_that_never_ran_has_an_empty_report(void **state)
{
    small_world      *w      = *state;
    kith_query       *query  = kith_query_create(w->world, QUERY(READ(A)));
    kith_query_report report = kith_query_report_of(query);
    char              text_[256];

    assert_int_equal(report.examined, 0);
    assert_int_equal(report.lead, 0);
    assert_true(kith_query_explain(query, text_, sizeof text_) > 0);
}

static void the_report_counts_what_was_rejected(void **state)
{
    small_world *w = *state;
    populate(w, "ab a ab b abf");
    kith_query *query = kith_query_create(w->world, QUERY(READ(A), READ(B), WITHOUT(F)));
    kith_cursor c     = kith_query_begin(query);
    assert_walk(&c, "0 2");

    kith_query_report report = kith_query_report_of(query);

    assert_int_equal(report.lead, A);
    assert_int_equal(report.rows, 4);
    assert_int_equal(report.examined, 4);
    assert_int_equal(report.rejected, 2);
    assert_int_equal(report.in_runs + report.gathered, 2);
}

static void a_walk_over_entities_has_no_lead(void **state)
{
    small_world *w     = *state;
    kith_query  *query = kith_query_create(w->world, QUERY(WITHOUT(A)));
    char         text_[512];
    populate(w, "a - -");
    kith_cursor c = kith_query_begin(query);
    assert_walk(&c, "1 2");

    assert_int_equal(kith_query_report_of(query).lead, 0);
    assert_int_equal(kith_query_report_of(query).examined, 3);
    kith_query_explain(query, text_, sizeof text_);
    assert_non_null(strstr(text_, "entit"));
}

static void explain_is_written_as_texts_are(void **state)
{
    small_world *w     = *state;
    kith_query  *query = kith_query_create(w->world, NAMED_QUERY("movers", READ(A), READ(B)));
    char         whole[1024];
    char         part[10];
    populate(w, "ab ab");
    kith_cursor c = kith_query_begin(query);
    walk(&c);

    size_t length = kith_query_explain(query, whole, sizeof whole);

    assert_int_equal(length, strlen(whole));
    assert_int_equal(kith_query_explain(query, NULL, 0), length);
    assert_int_equal(kith_query_explain(query, part, sizeof part), length);
    assert_int_equal(strlen(part), sizeof part - 1);
    assert_memory_equal(part, whole, sizeof part - 1);
    assert_non_null(strstr(whole, "movers"));
}

// Seed 004: Position 10,000, Velocity 5,000, Health 100: a view walks the 100.
static void make_seed_004(kith_world *world)
{
    for (uint32_t i = 0; i < 10000; i++) {
        kith_entity entity = kith_entity_create(world);
        position_set(world, entity, (vec2){ (float)i, 0 });
        if (i % 2 == 0) {
            velocity_set(world, entity, (vec2){ 1, 1 });
        }
        if (i % 100 == 0) {
            health_set(world, entity, (int)i);
        }
    }
}

static void assert_health_leads(kith_world *world, const kith_term *terms)
{
    kith_query *query = kith_query_create(world, &(kith_query_desc){ "seed 004", terms, 3, 0 });
    char        text_[1024];
    uint32_t    visited = 0;
    kith_cursor c       = kith_query_begin(query);
    while (kith_cursor_next(&c)) {
        visited++;
    }

    kith_query_report report = kith_query_report_of(query);
    kith_query_explain(query, text_, sizeof text_);

    assert_int_equal(visited, 100);
    assert_int_equal(report.lead, HEALTH);
    assert_int_equal(report.rows, 100);
    assert_int_equal(report.examined, 100);
    assert_int_equal(report.rejected, 0);
    assert_non_null(strstr(text_, "walks \"health\", 100 rows"));
    assert_non_null(strstr(text_, "walked \"health\", 100 rows examined"));
    kith_query_destroy(query);
}

static void the_smallest_pool_leads_for_every_order_of_the_terms(void **state)
{
    test_fixture        *f            = *state;
    const kith_component orders[6][3] = {
        { POSITION, VELOCITY, HEALTH }, { POSITION, HEALTH, VELOCITY },
        { VELOCITY, POSITION, HEALTH }, { VELOCITY, HEALTH, POSITION },
        { HEALTH, POSITION, VELOCITY }, { HEALTH, VELOCITY, POSITION },
    };
    make_seed_004(f->world);
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        const kith_component *x         = orders[i];
        const kith_term       reading[] = { READ(x[0]), READ(x[1]), READ(x[2]) };
        const kith_term       writing[] = { WRITE(x[0]), WITH(x[1]), WRITE(x[2]) };
        assert_health_leads(f->world, reading);
        assert_health_leads(f->world, writing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_SMALL(the_query_of_the_world_lasts_as_long),
        TEST_SMALL(all_callers_share_the_since_of_the_worlds_query),
        TEST_SMALL(each_create_makes_a_query_of_its_own),
        TEST_SMALL(a_query_has_its_own_copy_of_its_terms),
        TEST_SMALL(a_query_may_be_dropped_while_its_loop_runs),
        TEST_SMALL(queries_may_be_made_and_dropped_in_loops),
        TEST_SMALL(the_world_ends_the_queries_that_are_left),
        TEST_SMALL(what_a_query_remembers_stays_right_after_every_change),
        TEST_SMALL(what_a_query_remembers_stays_right_after_random_changes),
        TEST_SMALL(changes_inside_its_own_loop_are_not_forgotten),
        TEST_SMALL(a_second_loop_need_not_compare_again),
        TEST_SMALL(a_third_loop_need_not_look_anyone_up),
        TEST_SMALL(any_change_of_a_deciding_component_is_noticed),
        TEST_SMALL(disabled_rows_are_not_remembered_as_members),
        TEST_SMALL(an_older_loop_does_not_see_what_a_newer_one_remembers),
        TEST_SMALL(a_list_grows_with_the_lead),
        TEST_SMALL(a_loop_inside_does_not_disturb_the_report),
        TEST_SMALL(a_list_is_handed_out_in_parts),
        TEST_SMALL(a_list_stays_while_a_loop_walks_it),
        TEST_SMALL(chunks_of_a_list_end_with_its_blocks),
        TEST_SMALL(chunks_of_a_list_follow_an_optional_component),
        TEST_SMALL(without_memory_for_a_list_a_loop_looks_rows_up),
        TEST_SMALL(a_query_that_never_ran_has_an_empty_report),
        TEST_SMALL(the_report_counts_what_was_rejected),
        TEST_SMALL(a_walk_over_entities_has_no_lead),
        TEST_SMALL(explain_is_written_as_texts_are),
        TEST_WORLD(the_smallest_pool_leads_for_every_order_of_the_terms),
    };
    return cmocka_run_group_tests_name("query_stored", tests, NULL, NULL);
}
