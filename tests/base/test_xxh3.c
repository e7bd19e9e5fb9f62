// SPDX-License-Identifier: MIT
// The checksum is XXH3: known values, the values of libxxhash where it is installed, and the same
// whatever the alignment, the pieces, and the way to mix.
#include "base/xxh3.h"

#include "checksum_test.h"
#include "kith_test.h"

#if defined(KITH_HAVE_XXHASH)
    #include <xxhash.h>
#endif

#define EVERY_SIZE 2048u // up to two blocks every size is tried, beyond them some
#define LARGEST    1200000u

static const size_t large_sizes[] = { 2049, 4096, 4097, 65535, 65536, 65600, 1048576, LARGEST };

static const char *const path_names[KITH_STRIPES_PATHS] = { "portable", "AVX2" };

typedef struct fixture {
    uint64_t seed;
    uint8_t *random; // LARGEST bytes
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->seed    = test_seed();
    f->random  = malloc(LARGEST);
    for (size_t i = 0; i < LARGEST; i += sizeof(uint64_t)) {
        uint64_t number = test_random(&f->seed);
        memcpy(f->random + i, &number, sizeof number);
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    free(f->random);
    free(f);
    return 0;
}

// Calls `check` with each size.
static void for_each_size(fixture *f, void (*check)(fixture *f, size_t size))
{
    for (size_t size = 0; size <= EVERY_SIZE; size++) {
        check(f, size);
    }
    for (size_t i = 0; i < sizeof large_sizes / sizeof *large_sizes; i++) {
        check(f, large_sizes[i]);
    }
}

// Runs the test for each way that this processor has; the portable one is always there.
static void for_each_mix(fixture *f, void (*test)(fixture *f, kith_stripes_fn mix))
{
    assert_non_null(kith_stripes_path(0));
    for (unsigned path = 0; path < KITH_STRIPES_PATHS; path++) {
        if (kith_stripes_path(path) == NULL) {
            print_message("%s is not to be had here\n", path_names[path]);
        } else {
            test(f, kith_stripes_path(path));
        }
    }
}

static void assert_sum(uint64_t sum, uint64_t expected, size_t size)
{
    if (sum != expected) {
        fail_msg("%zu bytes: %016llx, not %016llx", size, (unsigned long long)sum,
                 (unsigned long long)expected);
    }
}

static void known_values_are_found(void **state)
{
    (void)state;
    uint8_t *bytes = malloc(KNOWN_BYTES);
    fill_known_bytes(bytes);
    for (size_t i = 0; i < KNOWN_CHECKSUMS; i++) {
        known_checksum known = known_checksums[i];
        assert_sum(kith_xxh3(bytes, known.size), known.sum, known.size);
    }
    free(bytes);
}

#if defined(KITH_HAVE_XXHASH)
static void check_against_libxxhash(fixture *f, size_t size)
{
    assert_sum(kith_xxh3(f->random, size), XXH3_64bits(f->random, size), size);
}

static void every_size_is_as_in_libxxhash(void **state)
{
    for_each_size(*state, check_against_libxxhash);
}
#else
static void every_size_is_as_in_libxxhash(void **state)
{
    (void)state;
    print_message("libxxhash is not installed (Debian: libxxhash-dev): nothing to compare with\n");
    skip();
}
#endif

// The data ends where its block ends, so a sanitizer reports a read beyond it.
static void check_alignment(fixture *f, size_t size)
{
    size_t   before = 1 + test_random_below(&f->seed, 64);
    uint8_t *moved  = malloc(before + size);
    memcpy(moved + before, f->random, size);
    assert_sum(kith_xxh3(moved + before, size), kith_xxh3(f->random, size), size);
    free(moved);
}

static void alignment_does_not_matter(void **state)
{
    for_each_size(*state, check_alignment);
}

// Feeds `size` bytes in pieces of random sizes up to `largest`, and asks after each. Every second
// piece is copied.
static void check_pieces(fixture *f, kith_stripes_fn mix, size_t size, uint32_t largest)
{
    kith_xxh3_state state;
    bool            copied = false;
    kith_xxh3_begin(&state);
    state.mix = mix;
    for (size_t fed = 0; fed < size;) {
        size_t piece = test_random_below(&f->seed, largest + 1);
        piece        = piece > size - fed ? size - fed : piece;
        copied       = !copied;
        if (copied) {
            uint8_t *copy = malloc(piece + 1);
            kith_xxh3_copy(&state, copy, f->random + fed, piece);
            assert_memory_equal(copy, f->random + fed, piece);
            free(copy);
        } else {
            kith_xxh3_feed(&state, f->random + fed, piece);
        }
        fed += piece;
        assert_sum(kith_xxh3_end(&state), kith_xxh3(f->random, fed), fed);
    }
}

static void check_small_pieces(fixture *f, kith_stripes_fn mix)
{
    static const uint32_t largest[] = { 1, 20, 64, 240, 256, 257, 600, 2000 };
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
        check_pieces(f, mix, 5000, largest[i]);
    }
}

static void pieces_give_what_the_whole_gives_so_far(void **state)
{
    for_each_mix(*state, check_small_pieces);
}

static void check_large_pieces(fixture *f, kith_stripes_fn mix)
{
    check_pieces(f, mix, LARGEST, LARGEST / 4);
}

static void large_pieces_give_what_the_whole_gives_so_far(void **state)
{
    for_each_mix(*state, check_large_pieces);
}

// All at once by that way, which may not be the one that kith_xxh3 takes.
static void check_every_size(fixture *f, kith_stripes_fn mix)
{
    for (size_t size = 0; size <= EVERY_SIZE; size++) {
        kith_xxh3_state state;
        kith_xxh3_begin(&state);
        state.mix = mix;
        kith_xxh3_feed(&state, f->random, size);
        assert_sum(kith_xxh3_end(&state), kith_xxh3(f->random, size), size);
    }
}

static void every_way_to_mix_gives_the_same(void **state)
{
    for_each_mix(*state, check_every_size);
}

static void nothing_may_be_without_address(void **state)
{
    (void)state;
    kith_xxh3_state empty;
    kith_xxh3_begin(&empty);
    kith_xxh3_feed(&empty, NULL, 0);

    assert_sum(kith_xxh3_end(&empty), known_checksums[0].sum, 0);
    assert_sum(kith_xxh3(NULL, 0), known_checksums[0].sum, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values_are_found),
        cmocka_unit_test(nothing_may_be_without_address),
        cmocka_unit_test(every_size_is_as_in_libxxhash),
        cmocka_unit_test(alignment_does_not_matter),
        cmocka_unit_test(every_way_to_mix_gives_the_same),
        cmocka_unit_test(pieces_give_what_the_whole_gives_so_far),
        cmocka_unit_test(large_pieces_give_what_the_whole_gives_so_far),
    };
    return cmocka_run_group_tests_name("xxh3", tests, setup, teardown);
}
