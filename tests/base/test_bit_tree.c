// SPDX-License-Identifier: MIT
// The bit tree: members, the lowest member, growing and copying, compared with an array of bools.
#include "base/bit_tree.h"
#include "kith_test.h"

// Three levels of words: 64 * 64 * 64 and a rest.
#define CAPACITY 300000u

typedef struct fixture {
    test_memory    memory;
    kith_allocator allocator;
    kith_bit_tree  set;
} fixture;

static int setup(void **state)
{
    fixture *f   = calloc(1, sizeof *f);
    f->allocator = test_allocator(&f->memory);
    *state       = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    assert_int_equal(kith_bit_tree_bytes(&f->set), f->memory.live_bytes);
    kith_bit_tree_free(&f->set, &f->allocator);
    assert_int_equal(f->memory.live_bytes, 0);
    free(f);
    return 0;
}

static void reserve(fixture *f, uint32_t capacity)
{
    assert_true(kith_bit_tree_reserve(&f->set, &f->allocator, capacity));
}

static void a_zeroed_set_is_empty(void **state)
{
    fixture *f = *state;

    assert_int_equal(kith_bit_tree_lowest(&f->set), KITH_NO_INDEX);
    assert_false(kith_bit_tree_has(&f->set, 0));
    assert_int_equal(kith_bit_tree_bytes(&f->set), 0);
}

static void the_lowest_member_is_found_across_every_level(void **state)
{
    fixture       *f         = *state;
    const uint32_t members[] = { 299999, 262144, 262143, 4096, 4095, 64, 63, 1, 0 };
    const size_t   count     = sizeof members / sizeof members[0];
    reserve(f, CAPACITY);

    for (size_t i = 0; i < count; i++) {
        kith_bit_tree_insert(&f->set, members[i]);
        assert_int_equal(kith_bit_tree_lowest(&f->set), members[i]);
    }

    for (size_t i = count; i-- > 0;) {
        assert_int_equal(kith_bit_tree_lowest(&f->set), members[i]);
        kith_bit_tree_remove(&f->set, members[i]);
    }
    assert_int_equal(kith_bit_tree_lowest(&f->set), KITH_NO_INDEX);
}

static void inserting_twice_is_inserting_once(void **state)
{
    fixture *f = *state;
    reserve(f, 100);

    kith_bit_tree_insert(&f->set, 70);
    kith_bit_tree_insert(&f->set, 70);
    kith_bit_tree_remove(&f->set, 70);

    assert_false(kith_bit_tree_has(&f->set, 70));
    assert_int_equal(kith_bit_tree_lowest(&f->set), KITH_NO_INDEX);
}

static void removing_an_absent_index_changes_nothing(void **state)
{
    fixture *f = *state;
    reserve(f, 200);
    kith_bit_tree_insert(&f->set, 130);

    kith_bit_tree_remove(&f->set, 129);
    kith_bit_tree_remove(&f->set, 3);

    assert_int_equal(kith_bit_tree_lowest(&f->set), 130);
}

static void indices_beyond_the_capacity_are_no_members(void **state)
{
    fixture *f = *state;
    reserve(f, 10);

    assert_false(kith_bit_tree_has(&f->set, f->set.capacity));
    assert_false(kith_bit_tree_has(&f->set, UINT32_MAX));
}

static void growing_keeps_the_members(void **state)
{
    fixture *f = *state;
    reserve(f, 64);
    kith_bit_tree_insert(&f->set, 0);
    kith_bit_tree_insert(&f->set, 63);

    reserve(f, CAPACITY);
    kith_bit_tree_remove(&f->set, 0);
    kith_bit_tree_insert(&f->set, CAPACITY - 1);

    assert_int_equal(kith_bit_tree_lowest(&f->set), 63);
    kith_bit_tree_remove(&f->set, 63);
    assert_int_equal(kith_bit_tree_lowest(&f->set), CAPACITY - 1);
}

static void reserving_less_than_there_is_does_nothing(void **state)
{
    fixture *f = *state;
    reserve(f, 1000);
    uint32_t allocations = f->memory.allocations;

    reserve(f, 1000);
    reserve(f, 1);

    assert_int_equal(f->memory.allocations, allocations);
    assert_true(f->set.capacity >= 1000);
}

static void a_failed_reserve_leaves_the_set_as_it_was(void **state)
{
    fixture *f = *state;
    reserve(f, 100);
    kith_bit_tree_insert(&f->set, 99);
    uint32_t capacity  = f->set.capacity;
    f->memory.fail_all = true;

    assert_false(kith_bit_tree_reserve(&f->set, &f->allocator, CAPACITY));

    assert_int_equal(f->set.capacity, capacity);
    assert_int_equal(kith_bit_tree_lowest(&f->set), 99);
}

// The naive set: one bool an index, and the lowest by looking.
static uint32_t naive_lowest(const bool *members)
{
    for (uint32_t index = 0; index < CAPACITY; index++) {
        if (members[index]) {
            return index;
        }
    }
    return KITH_NO_INDEX;
}

// Small ranges fill words up and empty them again; the full range moves between far words.
static uint32_t random_index(uint64_t *seed, uint32_t capacity)
{
    const uint32_t ranges[] = { 70, 5000, CAPACITY };
    uint32_t       range    = ranges[test_random_below(seed, 3)];
    return test_random_below(seed, range < capacity ? range : capacity);
}

static void random_step(fixture *f, bool *members, uint64_t *seed)
{
    uint32_t index = random_index(seed, f->set.capacity);
    if (test_random_below(seed, 2) == 0) {
        kith_bit_tree_insert(&f->set, index);
        members[index] = true;
    } else {
        uint32_t lowest = kith_bit_tree_lowest(&f->set);
        index           = lowest != KITH_NO_INDEX && index % 2 == 0 ? lowest : index;
        kith_bit_tree_remove(&f->set, index);
        members[index] = false;
    }
    assert_int_equal(kith_bit_tree_has(&f->set, index), members[index]);
}

static void assert_same_members(const kith_bit_tree *set, const bool *members)
{
    for (uint32_t index = 0; index < CAPACITY; index++) {
        assert_int_equal(kith_bit_tree_has(set, index), members[index]);
    }
}

static void random_steps_match_an_array_of_bools(void **state)
{
    fixture *f       = *state;
    uint64_t seed    = test_seed();
    bool    *members = calloc(CAPACITY, sizeof *members);

    for (uint32_t step = 0; step < 20000; step++) {
        if (step % 2000 == 0) {
            reserve(f, CAPACITY / 10 * (step / 2000 + 1));
        }
        random_step(f, members, &seed);
        assert_int_equal(kith_bit_tree_lowest(&f->set), naive_lowest(members));
    }

    assert_same_members(&f->set, members);
    free(members);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_zeroed_set_is_empty),
        TEST(the_lowest_member_is_found_across_every_level),
        TEST(inserting_twice_is_inserting_once),
        TEST(removing_an_absent_index_changes_nothing),
        TEST(indices_beyond_the_capacity_are_no_members),
        TEST(growing_keeps_the_members),
        TEST(reserving_less_than_there_is_does_nothing),
        TEST(a_failed_reserve_leaves_the_set_as_it_was),
        TEST(random_steps_match_an_array_of_bools),
    };
    return cmocka_run_group_tests_name("bit_tree", tests, NULL, NULL);
}
