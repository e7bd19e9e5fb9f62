// SPDX-License-Identifier: MIT
// The arena behind a world with its own memory: allocations do not overlap and are aligned, freed
// lines are joined, and the size that the arena reports as needed is enough and not too large.
#include "base/arena.h"
#include "kith_test.h"

enum { PIECES = 200, STEPS = 20000 };

typedef struct piece {
    uint8_t *memory; // NULL: none
    size_t   size;
    size_t   alignment;
    uint8_t  mark;
} piece;

typedef struct fixture {
    test_memory    memory;
    kith_arena    *arena;
    kith_allocator within;
    piece          pieces[PIECES];
    uint32_t       refused;
} fixture;

static void open_arena(fixture *f, size_t size, bool spills)
{
    memset(f, 0, sizeof *f);
    kith_allocator source = test_allocator(&f->memory);
    f->arena              = kith_arena_create(&source, size, spills);
    assert_non_null(f->arena);
    f->within = kith_arena_allocator(f->arena);
}

static void assert_arena_valid(const fixture *f)
{
    const char *mistake = kith_arena_fault(f->arena);
    if (mistake != NULL) {
        fail_msg("the arena is not valid: %s", mistake);
    }
}

static void close_arena(fixture *f)
{
    assert_arena_valid(f);
    assert_int_equal(f->arena->used, 0);
    assert_int_equal(f->arena->top, 0);
    kith_arena_destroy(f->arena);
    assert_int_equal(f->memory.live_bytes, 0);
}

static void take_piece(fixture *f, piece *p)
{
    p->memory = kith_alloc(&f->within, p->size, p->alignment);
    f->refused += p->memory == NULL;
    if (p->memory != NULL) {
        assert_int_equal((uintptr_t)p->memory % p->alignment, 0);
        memset(p->memory, p->mark, p->size);
    }
}

static void free_piece(fixture *f, piece *p)
{
    for (size_t i = 0; i < p->size && p->memory != NULL; i++) {
        assert_int_equal(p->memory[i], p->mark);
    }
    kith_free(&f->within, p->memory, p->size, p->alignment);
    p->memory = NULL;
}

// Small ones most often, and now and then one that is larger or more aligned than usual.
static void step_at_random(fixture *f, uint64_t *seed)
{
    piece *p = &f->pieces[test_random_below(seed, PIECES)];
    if (p->memory != NULL) {
        free_piece(f, p);
        return;
    }
    p->size      = 1 + test_random_below(seed, 1u << test_random_below(seed, 14));
    p->alignment = (size_t)1 << test_random_below(seed, test_random_below(seed, 8) == 0 ? 13 : 7);
    p->mark      = (uint8_t)test_random(seed);
    take_piece(f, p);
}

static size_t play_at_random(size_t size, uint64_t seed, uint32_t *refused)
{
    fixture *f = calloc(1, sizeof *f);
    open_arena(f, size, false);
    uint32_t steps = 500 + test_thinned(STEPS);
    for (uint32_t i = 0; i < steps; i++) {
        step_at_random(f, &seed);
        if (i % 64 == 0) {
            assert_arena_valid(f);
        }
    }
    assert_int_equal(f->memory.allocations, 1);
    size_t peak = kith_arena_peak(f->arena);
    *refused    = f->refused;
    for (uint32_t i = 0; i < PIECES; i++) {
        free_piece(f, &f->pieces[i]);
    }
    close_arena(f);
    free(f);
    return peak;
}

static void allocated_pieces_stay_as_they_were_written(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    uint32_t refused;

    play_at_random((size_t)1 << 14, seed, &refused);

    assert_int_not_equal(refused, 0); // or it was never full
}

static void the_peak_is_enough_and_a_line_less_is_not(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    uint32_t refused;
    size_t   peak = play_at_random((size_t)1 << 24, seed, &refused);
    assert_int_equal(refused, 0);

    assert_int_equal(play_at_random(peak, seed, &refused), peak);
    assert_int_equal(refused, 0);

    play_at_random(peak - 64, seed, &refused);
    assert_int_not_equal(refused, 0);
}

static void a_size_has_room_for_what_it_was_asked_for(void **state)
{
    (void)state;
    const size_t sizes[] = { 1, 64, 65, 4095, 4096, 4097, 4032, 20480, 20481 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fixture f;
        open_arena(&f, kith_arena_size_for(sizes[i]), false);

        void *all = kith_alloc(&f.within, sizes[i], 64);

        assert_non_null(all);
        assert_null(kith_alloc(&f.within, 1, 1));
        assert_int_equal(f.arena->asked, 1);
        assert_int_equal(kith_arena_peak(f.arena), f.arena->size);
        kith_free(&f.within, all, sizes[i], 64);
        close_arena(&f);
    }
    assert_int_equal(kith_arena_size_for(SIZE_MAX), SIZE_MAX);
    assert_int_equal(kith_arena_size_for(SIZE_MAX - 63), SIZE_MAX);
}

static void freed_pieces_are_joined(void **state)
{
    (void)state;
    fixture f;
    piece  *p = f.pieces;
    open_arena(&f, kith_arena_size_for(1920), false);
    for (uint32_t i = 0; i < 3; i++) {
        p[i] = (piece){ .size = 640, .alignment = 64, .mark = (uint8_t)i };
        take_piece(&f, &p[i]);
    }

    free_piece(&f, &p[0]);
    free_piece(&f, &p[1]);

    piece two = { .size = 1280, .alignment = 64, .mark = 7 };
    take_piece(&f, &two);
    assert_non_null(two.memory);
    free_piece(&f, &two);
    free_piece(&f, &p[2]);
    close_arena(&f);
}

// Lengths that share a list: the first of the list is too short, a later one is taken.
static void one_that_just_suffices_is_found(void **state)
{
    (void)state;
    fixture f;
    piece  *p = f.pieces;
    open_arena(&f, kith_arena_size_for(4480), false);
    const size_t lines[] = { 33, 1, 32, 1 };
    for (uint32_t i = 0; i < 4; i++) {
        p[i] = (piece){ .size = 64 * lines[i], .alignment = 64, .mark = (uint8_t)i };
        take_piece(&f, &p[i]);
    }
    uint8_t *place = p[0].memory;
    free_piece(&f, &p[0]);
    free_piece(&f, &p[2]);

    take_piece(&f, &p[0]);

    assert_ptr_equal(p[0].memory, place);
    for (uint32_t i = 0; i < 4; i++) {
        free_piece(&f, &p[i]);
    }
    close_arena(&f);
}

static void absurd_sizes_are_refused(void **state)
{
    (void)state;
    fixture f;
    open_arena(&f, (size_t)1 << 16, false);

    assert_null(f.within.allocate(f.within.context, SIZE_MAX, 64));
    assert_int_equal(f.arena->asked, SIZE_MAX);
    assert_null(f.within.allocate(f.within.context, SIZE_MAX - 64, 4096));
    assert_null(kith_alloc(&f.within, (size_t)1 << 16, 1));

    close_arena(&f);
}

static void *free_a_byte(void *context, size_t size, size_t alignment)
{
    (void)size;
    (void)alignment;
    return context;
}

// Such a size stands for a sum that is too large: an allocator could take it for its word.
static void no_allocator_is_asked_for_a_sum_that_is_too_large(void **state)
{
    (void)state;
    char                 byte;
    const kith_allocator from = { .allocate = free_a_byte, .context = &byte };

    assert_ptr_equal(kith_alloc(&from, SIZE_MAX / 2 - 1, 1), &byte);
    assert_null(kith_alloc(&from, SIZE_MAX / 2, 1));
    assert_null(kith_alloc(&from, SIZE_MAX, 1));
}

static void a_sum_that_is_too_large_stays_so(void **state)
{
    (void)state;
    size_t most = SIZE_MAX / 2;

    assert_int_equal(kith_size_add(0, 2, most / 2), most - 1);
    assert_int_equal(kith_size_add(0, 3, most / 2), most);
    assert_int_equal(kith_size_add(most, 1, 16), most);
    assert_int_equal(kith_size_add(most + 8, most / 8, 16), most);
    assert_int_equal(kith_size_add(most + 8, 1, 0), most);
}

static void an_arena_that_spills_asks_its_source_for_the_rest(void **state)
{
    (void)state;
    fixture f;
    open_arena(&f, kith_arena_size_for(640), true);
    void *inside  = kith_alloc(&f.within, 640, 64);
    void *outside = kith_alloc(&f.within, 100, 16);

    assert_true(kith_arena_contains(f.arena, inside));
    assert_false(kith_arena_contains(f.arena, outside));
    assert_int_equal(f.memory.live_blocks, 2);

    kith_free(&f.within, outside, 100, 16);
    assert_int_equal(f.memory.live_blocks, 1);
    kith_free(&f.within, inside, 640, 64);
    close_arena(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocated_pieces_stay_as_they_were_written),
        cmocka_unit_test(the_peak_is_enough_and_a_line_less_is_not),
        cmocka_unit_test(a_size_has_room_for_what_it_was_asked_for),
        cmocka_unit_test(freed_pieces_are_joined),
        cmocka_unit_test(one_that_just_suffices_is_found),
        cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(no_allocator_is_asked_for_a_sum_that_is_too_large),
        cmocka_unit_test(a_sum_that_is_too_large_stays_so),
        cmocka_unit_test(an_arena_that_spills_asks_its_source_for_the_rest),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
