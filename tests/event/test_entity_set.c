// SPDX-License-Identifier: MIT
// The entity set of reactive sets: members in the order of adding, without a world around it.
#include "event/event.h"
#include "kith_test.h"

typedef struct fixture {
    test_memory     memory;
    kith_allocator  allocator;
    kith_entity_set set;
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
    assert_true(kith_entity_set_sound(&f->set));
    assert_int_equal(kith_entity_set_bytes(&f->set), f->memory.live_bytes);
    kith_entity_set_free(&f->set, &f->allocator);
    assert_int_equal(f->memory.live_bytes, 0);
    free(f);
    return 0;
}

static void reserve(fixture *f, uint32_t members)
{
    assert_true(kith_entity_set_reserve(&f->set, &f->allocator, members, NULL));
}

static void add(fixture *f, kith_entity entity)
{
    reserve(f, f->set.count + 1);
    kith_entity_set_add(&f->set, entity, NULL);
}

static void an_empty_set_has_no_entity(void **state)
{
    fixture *f = *state;
    assert_false(kith_entity_set_has(&f->set, handle(1, 1)));
    assert_false(kith_entity_set_has(&f->set, KITH_NULL));
    assert_false(kith_entity_set_remove(&f->set, handle(1, 1)));
    assert_null(kith_entity_set_after(&f->set, 0));
    kith_entity_set_clear(&f->set);
    add(f, handle(1, 1));
    assert_false(kith_entity_set_has(&f->set, KITH_NULL));
}

static void numbers_rise_and_are_not_used_again(void **state)
{
    fixture *f = *state;
    add(f, handle(7, 1));
    add(f, handle(3, 1));
    kith_entity_set_clear(&f->set);
    add(f, handle(3, 1));
    assert_int_equal(kith_entity_set_after(&f->set, 0)->number, 3);
    assert_int_equal(kith_entity_set_after(&f->set, 2)->entity, handle(3, 1));
    assert_null(kith_entity_set_after(&f->set, 3));
    kith_entity_set_free(&f->set, &f->allocator);
    add(f, handle(9, 1));
    assert_int_equal(kith_entity_set_after(&f->set, 0)->number, 4);
}

static void room_that_was_made_is_enough_for_ever(void **state)
{
    fixture *f = *state;
    reserve(f, 100);
    uint32_t allocations = f->memory.allocations;
    for (uint32_t i = 0; i < 100000; i++) {
        if (i >= 100) {
            assert_true(kith_entity_set_remove(&f->set, handle(i - 100, 1)));
        }
        kith_entity_set_add(&f->set, handle(i, 1), NULL);
    }
    assert_int_equal(f->set.count, 100);
    assert_int_equal(f->memory.allocations, allocations);
}

static void without_memory_everything_stays(void **state)
{
    fixture *f = *state;
    add(f, handle(1, 1));
    f->memory.fail_all = true;
    assert_false(kith_entity_set_reserve(&f->set, &f->allocator, 1000, NULL));
    assert_false(kith_entity_set_reserve(&f->set, &f->allocator, UINT64_C(1) << 40, NULL));
    f->memory.fail_all = false;
    assert_false(kith_entity_set_reserve(&f->set, &f->allocator, UINT64_C(1) << 40, NULL));
    assert_true(kith_entity_set_has(&f->set, handle(1, 1)));
}

// --- at random -------------------------------------------------------------------------------

enum { MOST = 400 };

typedef struct plain {
    kith_entity list[MOST];
    uint64_t    numbers[MOST];
    uint32_t    count;
    uint64_t    newest;
} plain;

static uint32_t place_of(const plain *p, kith_entity entity)
{
    uint32_t i = 0;
    while (i < p->count && p->list[i] != entity) {
        i++;
    }
    return i;
}

static void take(plain *p, uint32_t i)
{
    uint32_t behind = --p->count - i;
    memmove(p->list + i, p->list + i + 1, behind * sizeof *p->list);
    memmove(p->numbers + i, p->numbers + i + 1, behind * sizeof *p->numbers);
}

static void assert_alike(const kith_entity_set *set, const plain *p, uint64_t number)
{
    uint32_t i = 0;
    while (i < p->count && p->numbers[i] <= number) {
        i++;
    }
    for (; i < p->count; i++) {
        const kith_entity_set_member *entry = kith_entity_set_after(set, number);
        for (; entry->entity == KITH_NULL; entry = kith_entity_set_after(set, number)) {
            number = entry->number;
        }
        assert_int_equal(entry->entity, p->list[i]);
        assert_int_equal(entry->number, p->numbers[i]);
        number = entry->number;
    }
    assert_int_equal(set->count, p->count);
}

// Handles that any hash throws together: few slots for many, and some that differ in high bits.
static kith_entity random_entity(uint64_t *seed)
{
    return handle(test_random_below(seed, 40), 1 + (test_random_below(seed, 20) << 20));
}

static void any_sequence_is_as_a_plain_list(void **state)
{
    fixture *f    = *state;
    uint64_t seed = test_seed();
    plain   *p    = calloc(1, sizeof *p);
    for (uint32_t step = 0; step < test_thinned(30000); step++) {
        kith_entity one = random_entity(&seed);
        uint32_t    at  = place_of(p, one);
        uint32_t    die = test_random_below(&seed, 1000);
        assert_int_equal(kith_entity_set_has(&f->set, one), at < p->count);
        if (die == 0) {
            kith_entity_set_clear(&f->set);
            p->count = 0;
        } else if (at < p->count) {
            assert_true(kith_entity_set_remove(&f->set, one));
            take(p, at);
        } else if (p->count < MOST) {
            add(f, one);
            p->list[p->count]      = one;
            p->numbers[p->count++] = ++p->newest;
        }
        if (step % 8 == 0) {
            assert_true(kith_entity_set_sound(&f->set));
            assert_alike(&f->set, p, test_random_below(&seed, (uint32_t)p->newest + 1));
        }
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_set_has_no_entity),
        TEST(numbers_rise_and_are_not_used_again),
        TEST(room_that_was_made_is_enough_for_ever),
        TEST(without_memory_everything_stays),
        TEST(any_sequence_is_as_a_plain_list),
    };
    return cmocka_run_group_tests_name("entity_set", tests, NULL, NULL);
}
