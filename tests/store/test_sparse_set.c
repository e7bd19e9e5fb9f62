// SPDX-License-Identifier: MIT
// The sparse set inside every pool, without a world around it.
#include "store/sparse_set.h"

#include "component_test.h"

#define SHIFT     2u
#define ROW_BYTES 8u
#define MOST      200u

typedef struct fixture {
    test_memory     memory;
    kith_allocator  allocator;
    kith_sparse_set set;
    kith_shared     shared;
} fixture;

static void begin_set(fixture *f, kith_policy policy)
{
    f->allocator     = test_allocator(&f->memory);
    f->shared.memory = &f->allocator;
    memset(f->shared.absent, 0xff, sizeof f->shared.absent);
    kith_sparse_set_init(&f->set, ROW_BYTES, 8, SHIFT, policy, &f->shared);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    begin_set(f, KITH_POLICY_SWAP);
    *state = f;
    return 0;
}

static int setup_stable(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    begin_set(f, KITH_POLICY_STABLE);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture    *f     = *state;
    kith_memory taken = { 0 };
    kith_sparse_set_memory(&f->set, &taken);
    assert_int_equal(taken.sparse + taken.packed + taken.values + taken.other,
                     f->memory.live_bytes);
    kith_sparse_set_free(&f->set);
    assert_int_equal(f->memory.live_bytes, 0);
    free(f);
    return 0;
}

#define TEST_STABLE(NAME) cmocka_unit_test_setup_teardown(NAME, setup_stable, teardown)

static kith_entity member(uint32_t index)
{
    return kith_entity_make(index, 7);
}

static uint32_t insert(fixture *f, kith_entity entity)
{
    assert_true(kith_sparse_set_reserve_slot(&f->set, kith_entity_index(entity)));
    uint32_t next = kith_sparse_set_next_row(&f->set);
    assert_int_equal(kith_sparse_set_insert(&f->set, entity), next);
    return next;
}

static void insert_many(fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(insert(f, member(i)), i);
    }
}

static uint32_t remove_member(fixture *f, uint32_t index)
{
    return kith_sparse_set_remove(&f->set, kith_sparse_set_row(&f->set, member(index)));
}

#define HOLE UINT32_MAX

// The set's rows are these indices, and each index leads back to its row.
static void assert_rows(const fixture *f, const uint32_t *expected, uint32_t count)
{
    uint32_t holes = 0;
    assert_int_equal(f->set.head.rows_, count);
    for (uint32_t row = 0; row < count; row++) {
        uint32_t packed = *kith_sparse_set_packed(&f->set, row);
        if (expected[row] == HOLE) {
            assert_int_not_equal(packed & KITH_HOLE, 0);
            holes++;
        } else {
            assert_int_equal(packed, expected[row]);
            assert_int_equal(kith_sparse_set_row(&f->set, member(packed)), row);
        }
    }
    assert_int_equal(f->set.holes, holes);
    assert_int_equal(kith_sparse_set_count(&f->set), count - holes);
}

#define ASSERT_ROWS(F, ...)                                                                        \
    assert_rows(F, (const uint32_t[]){ __VA_ARGS__ },                                              \
                (uint32_t)COUNT_OF(((const uint32_t[]){ __VA_ARGS__ })))

// --- members ---------------------------------------------------------------------------------

static void an_empty_set_has_no_member_and_no_memory(void **state)
{
    fixture          *f     = *state;
    const kith_entity all[] = { 0, member(0), member(5000), UINT64_MAX };

    for (size_t i = 0; i < COUNT_OF(all); i++) {
        assert_int_equal(kith_sparse_set_row(&f->set, all[i]), KITH_NO_ROW);
    }

    assert_int_equal(f->memory.allocations, 0);
    assert_int_equal(kith_sparse_set_count(&f->set), 0);
}

static void members_get_rows_in_the_order_of_inserting(void **state)
{
    fixture *f = *state;

    insert(f, member(9));
    insert(f, member(0));
    insert(f, member(4000));

    ASSERT_ROWS(f, 9, 0, 4000);
}

static void a_member_is_found_by_its_version_alone(void **state)
{
    fixture    *f = *state;
    kith_entity strangers[STRANGERS];
    insert(f, member(3));
    make_strangers(3, strangers);

    for (size_t i = 0; i < STRANGERS; i++) {
        assert_int_equal(kith_sparse_set_row(&f->set, strangers[i]), KITH_NO_ROW);
    }
    assert_int_equal(kith_sparse_set_row(&f->set, kith_entity_make(3, 6)), KITH_NO_ROW);
    assert_int_equal(kith_sparse_set_row(&f->set, kith_entity_make(3, 8)), KITH_NO_ROW);
    assert_int_equal(kith_sparse_set_row(&f->set, member(3)), 0);
}

static void the_last_version_is_found_as_any_other(void **state)
{
    fixture    *f    = *state;
    kith_entity last = kith_entity_make(3, UINT32_MAX);

    insert(f, last);

    assert_int_equal(kith_sparse_set_row(&f->set, last), 0);
    assert_int_equal(kith_sparse_set_row(&f->set, UINT64_MAX), KITH_NO_ROW);
}

static void swap_removing_names_the_row_whose_payload_moves(void **state)
{
    fixture *f = *state;
    insert_many(f, 6);

    assert_int_equal(remove_member(f, 1), 5);
    ASSERT_ROWS(f, 0, 5, 2, 3, 4);

    assert_int_equal(remove_member(f, 4), KITH_NO_ROW);
    ASSERT_ROWS(f, 0, 5, 2, 3);
    assert_int_equal(kith_sparse_set_row(&f->set, member(1)), KITH_NO_ROW);
    assert_int_equal(kith_sparse_set_row(&f->set, member(4)), KITH_NO_ROW);
}

static void stable_removing_leaves_a_hole_that_is_taken_newest_first(void **state)
{
    fixture *f = *state;
    insert_many(f, 4);

    assert_int_equal(remove_member(f, 0), KITH_NO_ROW);
    assert_int_equal(remove_member(f, 2), KITH_NO_ROW);
    ASSERT_ROWS(f, HOLE, 1, HOLE, 3);

    assert_int_equal(insert(f, member(20)), 2);
    assert_int_equal(insert(f, member(21)), 0);
    assert_int_equal(insert(f, member(22)), 4);
    ASSERT_ROWS(f, 21, 1, 20, 3, 22);
}

static void clearing_takes_every_member_out_and_keeps_the_pages(void **state)
{
    fixture *f = *state;
    insert_many(f, 10);
    remove_member(f, 3);
    uint32_t allocations = f->memory.allocations;

    kith_sparse_set_clear(&f->set);

    assert_rows(f, NULL, 0);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(kith_sparse_set_row(&f->set, member(i)), KITH_NO_ROW);
    }
    insert_many(f, 10);
    assert_int_equal(f->memory.allocations, allocations);
}

// --- memory ----------------------------------------------------------------------------------

static void one_member_costs_one_lookup_page_however_large_its_index(void **state)
{
    fixture    *f     = *state;
    kith_memory taken = { 0 };

    insert(f, member(100000));

    kith_sparse_set_memory(&f->set, &taken);
    assert_int_equal(taken.sparse, KITH_PAGE_SLOTS * sizeof(uint64_t));
    assert_true(kith_sparse_set_page_absent(&f->set, 0));
    assert_int_equal(kith_sparse_set_row(&f->set, member(5)), KITH_NO_ROW);
}

static void rows_lie_in_aligned_pages_that_never_move(void **state)
{
    fixture *f = *state;
    uint8_t *pages[MOST >> SHIFT];
    uint32_t count = MOST >> SHIFT;

    for (uint32_t i = 0; i < count << SHIFT; i++) {
        insert(f, member(i));
        pages[i >> SHIFT] = f->set.head.pages_[i >> SHIFT];
    }

    for (uint32_t page = 0; page < count; page++) {
        assert_ptr_equal(f->set.head.pages_[page], pages[page]);
        assert_int_equal((uintptr_t)pages[page] % KITH_CACHE_LINE, 0);
    }
}

static void reserved_rows_need_no_memory(void **state)
{
    fixture *f = *state;
    insert(f, member(0));
    assert_true(kith_sparse_set_reserve_rows(&f->set, 50));
    assert_int_equal(f->set.head.capacity_, 52);
    f->memory.fail_all = true;

    for (uint32_t i = 1; i < 52; i++) {
        insert(f, member(i));
    }

    assert_false(kith_sparse_set_reserve_slot(&f->set, 52));
    assert_int_equal(f->set.head.rows_, 52);
}

static void a_limit_bounds_the_capacity(void **state)
{
    fixture *f = *state;

    kith_sparse_set_set_limit(&f->set, 5);
    insert_many(f, 5);

    assert_int_equal(f->set.head.capacity_, 5);
    assert_false(kith_sparse_set_below_limit(&f->set));
    kith_sparse_set_set_limit(&f->set, 9);
    assert_int_equal(f->set.head.capacity_, 8);
    assert_true(kith_sparse_set_below_limit(&f->set));
}

// A row has 31 bits. The test sets the row count by hand: no machine has memory for as many rows.
static void there_is_no_room_beyond_the_rows_that_a_slot_can_name(void **state)
{
    fixture *f = *state;
    assert_int_equal(f->set.limit, UINT32_MAX);
    assert_int_equal(kith_sparse_set_max(&f->set), KITH_ROWS_MAX);
    f->set.head.rows_ = KITH_ROWS_MAX - 1;
    assert_true(kith_sparse_set_below_limit(&f->set));
    f->set.head.rows_ = KITH_ROWS_MAX;
    assert_false(kith_sparse_set_below_limit(&f->set));
    f->set.head.rows_ = 0;
}

static void a_hole_counts_as_below_the_limit(void **state)
{
    fixture *f = *state;
    kith_sparse_set_set_limit(&f->set, 3);
    insert_many(f, 3);
    assert_false(kith_sparse_set_below_limit(&f->set));

    remove_member(f, 1);

    assert_true(kith_sparse_set_below_limit(&f->set));
    insert(f, member(8));
    ASSERT_ROWS(f, 0, 8, 2);
}

static void shrinking_frees_pages_without_a_member(void **state)
{
    fixture *f = *state;
    insert_many(f, 10);
    insert(f, member(3000));
    remove_member(f, 3000);
    for (uint32_t i = 9; i >= 3; i--) {
        remove_member(f, i);
    }

    kith_sparse_set_shrink(&f->set);

    assert_int_equal(f->set.page_count, 1);
    assert_int_equal(f->set.head.sparse_pages_, 1);
    ASSERT_ROWS(f, 0, 1, 2);
}

static void shrinking_an_empty_set_frees_everything(void **state)
{
    fixture *f = *state;
    insert_many(f, 10);
    kith_sparse_set_clear(&f->set);

    kith_sparse_set_shrink(&f->set);

    assert_int_equal(f->memory.live_bytes, 0);
    insert_many(f, 10);
}

static void a_failed_reserve_leaves_the_members_as_they_were(void **state)
{
    fixture *f        = *state;
    bool     reserved = false;
    insert_many(f, 4);

    for (uint32_t fail = 1; !reserved; fail++) {
        test_fail_after(&f->memory, fail);
        reserved = kith_sparse_set_reserve_slot(&f->set, 9000);
        ASSERT_ROWS(f, 0, 1, 2, 3);
        assert_int_equal(kith_sparse_set_row(&f->set, member(9000)), KITH_NO_ROW);
    }

    assert_true(f->memory.failed >= 2);
}

// --- against a list --------------------------------------------------------------------------

// The set as a list of indices in row order, HOLE for holes, and the holes in the order they came.
typedef struct naive_set {
    uint32_t rows[MOST];
    uint32_t count;
    uint32_t holes[MOST];
    uint32_t hole_count;
    bool     stable;
} naive_set;

static uint32_t naive_row(const naive_set *naive, uint32_t index)
{
    for (uint32_t row = 0; row < naive->count; row++) {
        if (naive->rows[row] == index) {
            return row;
        }
    }
    return KITH_NO_ROW;
}

static void naive_insert(naive_set *naive, uint32_t index)
{
    if (naive->hole_count != 0) {
        naive->rows[naive->holes[--naive->hole_count]] = index;
    } else {
        naive->rows[naive->count++] = index;
    }
}

static void naive_remove(naive_set *naive, uint32_t row)
{
    if (naive->stable) {
        naive->rows[row]                  = HOLE;
        naive->holes[naive->hole_count++] = row;
    } else {
        naive->rows[row] = naive->rows[--naive->count];
    }
}

static void naive_swap(naive_set *naive, uint32_t a, uint32_t b)
{
    uint32_t index = naive->rows[a];
    naive->rows[a] = naive->rows[b];
    naive->rows[b] = index;
}

static void swap_rows(fixture *f, uint32_t a, uint32_t b)
{
    uint64_t  buffer[2];
    kith_move moves[] = { { a < b ? a : b, a < b ? b : a }, { a < b ? b : a, a < b ? a : b } };
    if (a != b) {
        kith_sparse_set_rearrange(&f->set, moves, 2, buffer);
    }
}

// Indices on several lookup pages.
static uint32_t random_member(uint64_t *seed)
{
    return test_random_below(seed, MOST) * 37;
}

static void random_step(fixture *f, naive_set *naive, uint64_t *seed)
{
    uint32_t index = random_member(seed);
    uint32_t row   = naive_row(naive, index);
    uint32_t other = naive_row(naive, random_member(seed));
    assert_int_equal(kith_sparse_set_row(&f->set, member(index)), row);
    if (row == KITH_NO_ROW) {
        insert(f, member(index));
        naive_insert(naive, index);
    } else if (other != KITH_NO_ROW && test_random_below(seed, 3) == 0) {
        swap_rows(f, row, other);
        naive_swap(naive, row, other);
    } else {
        remove_member(f, index);
        naive_remove(naive, row);
    }
    if (test_random_below(seed, 50) == 0) {
        kith_sparse_set_shrink(&f->set);
    }
}

static void drive(fixture *f, bool stable)
{
    uint64_t  seed  = test_seed();
    naive_set naive = { .stable = stable };
    for (uint32_t step = 0; step < 10000; step++) {
        random_step(f, &naive, &seed);
        if (step % 20 == 0) {
            assert_rows(f, naive.rows, naive.count);
        }
        if (step % 2500 == 2499) {
            kith_sparse_set_clear(&f->set);
            naive = (naive_set){ .stable = stable };
        }
    }
    assert_rows(f, naive.rows, naive.count);
}

static void random_steps_match_a_list(void **state)
{
    drive(*state, false);
}

static void random_steps_match_a_list_that_keeps_holes(void **state)
{
    drive(*state, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_set_has_no_member_and_no_memory),
        TEST(members_get_rows_in_the_order_of_inserting),
        TEST(a_member_is_found_by_its_version_alone),
        TEST(the_last_version_is_found_as_any_other),
        TEST(swap_removing_names_the_row_whose_payload_moves),
        TEST_STABLE(stable_removing_leaves_a_hole_that_is_taken_newest_first),
        TEST(clearing_takes_every_member_out_and_keeps_the_pages),
        TEST(one_member_costs_one_lookup_page_however_large_its_index),
        TEST(rows_lie_in_aligned_pages_that_never_move),
        TEST(reserved_rows_need_no_memory),
        TEST(a_limit_bounds_the_capacity),
        TEST(there_is_no_room_beyond_the_rows_that_a_slot_can_name),
        TEST_STABLE(a_hole_counts_as_below_the_limit),
        TEST(shrinking_frees_pages_without_a_member),
        TEST(shrinking_an_empty_set_frees_everything),
        TEST(a_failed_reserve_leaves_the_members_as_they_were),
        TEST(random_steps_match_a_list),
        TEST_STABLE(random_steps_match_a_list_that_keeps_holes),
    };
    return cmocka_run_group_tests_name("sparse_set", tests, NULL, NULL);
}
