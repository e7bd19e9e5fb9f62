// SPDX-License-Identifier: MIT
// Permutations of a part of the rows, and of several pools alike: what groups will ask for.
#include "component_test.h"
#include "group/group.h"
#include "store/pool.h"

#define ROWS 3000u

// A pool without a world around it: row i is entity i's.
typedef struct fixture {
    test_memory    memory;
    kith_allocator allocator;
    kith_shared    shared;
    uint32_t       busy;
    kith_pool      numbers; // 4 bytes
    kith_pool      names;   // 80 bytes, the first four the same
    uint32_t       expected[ROWS];
} fixture;

typedef struct long_name {
    uint32_t number;
    uint32_t rest[19];
} long_name;

static void open_pool(fixture *f, kith_pool *pool, uint32_t size, uint32_t shift)
{
    const kith_pool_layout layout = { .size = size, .alignment = 4, .shift = shift };
    kith_pool_init(pool, &layout, &f->shared);
}

static int setup(void **state)
{
    fixture *f       = calloc(1, sizeof *f);
    f->allocator     = test_allocator(&f->memory);
    f->shared.busy   = &f->busy;
    f->shared.memory = &f->allocator;
    memset(f->shared.absent, 0xff, sizeof f->shared.absent);
    open_pool(f, &f->numbers, sizeof(uint32_t), 6);
    open_pool(f, &f->names, sizeof(long_name), 3);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kith_pool_clear(&f->numbers);
    kith_pool_clear(&f->names);
    kith_pool_free(&f->numbers);
    kith_pool_free(&f->names);
    assert_int_equal(f->memory.live_bytes, 0);
    free(f);
    return 0;
}

static void add_number(fixture *f, uint32_t index, uint32_t number)
{
    const long_name name = { number, { index } };
    assert_true(kith_pool_reserve(&f->numbers, index));
    assert_true(kith_pool_reserve(&f->names, index));
    uint32_t row = kith_sparse_set_insert(&f->numbers.set, handle(index, 1));
    kith_pool_construct(&f->numbers, kith_pool_value(&f->numbers, row), &number);
    row = kith_sparse_set_insert(&f->names.set, handle(index, 1));
    kith_pool_construct(&f->names, kith_pool_value(&f->names, row), &name);
    f->expected[index] = number;
}

static void rearrange(fixture *f, kith_pool *pool, kith_permutation order)
{
    size_t bytes  = kith_pool_rearrange_bytes(pool, order.count);
    void  *buffer = kith_alloc(&f->allocator, bytes, KITH_CACHE_LINE);
    kith_pool_rearrange(pool, order.moves, order.count, buffer);
    kith_free(&f->allocator, buffer, bytes, KITH_CACHE_LINE);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *left  = a;
    const uint32_t *right = b;
    return (*left > *right) - (*left < *right);
}

static void assert_rows(const fixture *f, const uint32_t *numbers, uint32_t count)
{
    for (uint32_t row = 0; row < count; row++) {
        const long_name *name  = kith_pool_value(&f->names, row);
        uint32_t         index = *kith_sparse_set_packed(&f->names.set, row);
        assert_int_equal(*(const uint32_t *)kith_pool_value(&f->numbers, row), numbers[row]);
        assert_int_equal(name->number, numbers[row]);
        assert_int_equal(name->rest[0], index);
        assert_int_equal(*kith_sparse_set_packed(&f->numbers.set, row), index);
        assert_int_equal(kith_sparse_set_row(&f->numbers.set, handle(index, 1)), row);
        assert_int_equal(kith_sparse_set_row(&f->names.set, handle(index, 1)), row);
    }
}

// Sorts the middle by a rule, and both pools follow.
static void sort_part(fixture *f, const kith_sort_rule *rule, uint32_t first, uint32_t end)
{
    uint32_t         run     = kith_run_end(rule, first, end);
    size_t           bytes   = kith_sort_bytes(end - first);
    void            *scratch = kith_alloc(&f->allocator, bytes, KITH_CACHE_LINE);
    kith_permutation order   = kith_sort_moves(rule, first, run, end, scratch);
    for (uint32_t i = 0; i < order.count; i++) {
        assert_true(order.moves[i].to >= first && order.moves[i].to < end);
        assert_true(order.moves[i].to != order.moves[i].from);
        assert_true(i == 0 || order.moves[i].to > order.moves[i - 1].to);
    }
    if (order.count != 0) {
        rearrange(f, &f->numbers, order);
        rearrange(f, &f->names, order);
    }
    kith_free(&f->allocator, scratch, bytes, KITH_CACHE_LINE);
}

static void assert_part_is_sorted(fixture *f, uint32_t first, uint32_t end)
{
    kith_sort_key  key  = { 0, KITH_TYPE_U32, false };
    kith_sort_rule rule = kith_sort_rule_of(&f->numbers, NULL, &(kith_sort_desc){ .key = &key });
    if (first != end) {
        sort_part(f, &rule, first, end);
        assert_int_equal(kith_run_end(&rule, first, end), end);
    }
    qsort(f->expected + first, end - first, sizeof *f->expected, compare_numbers);
    assert_rows(f, f->expected, ROWS);
}

static void parts_of_several_pools_are_sorted_alike(void **state)
{
    fixture *f    = *state;
    uint64_t seed = test_seed();
    for (uint32_t i = 0; i < ROWS; i++) {
        add_number(f, i, (uint32_t)(test_random(&seed) >> 40));
    }

    assert_part_is_sorted(f, 100, 100);
    assert_part_is_sorted(f, 100, 101);
    assert_part_is_sorted(f, 100, 130);
    assert_part_is_sorted(f, 77, 2500);
    assert_part_is_sorted(f, 2490, ROWS);
    assert_part_is_sorted(f, 1, ROWS);
    assert_part_is_sorted(f, 0, ROWS);
}

// Numbers are indices: by their rows in another set. Those without one are last, and equal.
static int compare_rows_in(const void *a, const void *b, void *context)
{
    uint32_t left  = kith_sparse_set_row_at(context, *(const uint32_t *)a);
    uint32_t right = kith_sparse_set_row_at(context, *(const uint32_t *)b);
    return (left > right) - (left < right);
}

static void a_part_follows_another_set(void **state)
{
    fixture        *f        = *state;
    const uint32_t  others[] = { 7, 2, 90, 5, 3 }; // 2 and 7 are outside, 90 is no entity
    kith_sparse_set other;
    kith_sparse_set_init(&other, 0, 1, 2, KITH_POLICY_SWAP, &f->shared);
    for (uint32_t i = 0; i < 8; i++) {
        add_number(f, i, i);
    }
    for (uint32_t i = 0; i < COUNT_OF(others); i++) {
        assert_true(kith_sparse_set_reserve_slot(&other, others[i]));
        kith_sparse_set_insert(&other, handle(others[i], 1));
    }
    kith_sort_desc by   = { .compare = compare_rows_in, .context = &other };
    kith_sort_rule rule = kith_sort_rule_of(&f->numbers, NULL, &by);
    sort_part(f, &rule, 3, 7);

    assert_rows(f, (uint32_t[]){ 0, 1, 2, 5, 3, 4, 6, 7 }, 8);
    kith_sparse_set_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_of_several_pools_are_sorted_alike),
        TEST(a_part_follows_another_set),
    };
    return cmocka_run_group_tests_name("permutation", tests, NULL, NULL);
}
