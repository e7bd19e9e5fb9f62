// SPDX-License-Identifier: MIT
// Entities as numbers: what needs no world.
#include "kith_test.h"

#include <math.h>

static void a_handle_is_an_index_and_a_version(void **state)
{
    (void)state;
    kith_entity entity = kith_entity_make(12, 3);

    assert_int_equal(entity, UINT64_C(0x000000030000000c));
    assert_int_equal(kith_entity_index(entity), 12);
    assert_int_equal(kith_entity_version(entity), 3);
    assert_int_equal(kith_entity_index(UINT64_MAX), UINT32_MAX);
    assert_int_equal(kith_entity_version(UINT64_MAX), UINT32_MAX);
    assert_int_equal(kith_entity_version(KITH_NULL), 0);
}

static void pack_gives_the_known_values_of_four_bit_keys(void **state)
{
    (void)state;
    const struct {
        uint32_t key, version;
        uint64_t packed;
    } known[] = { { 1, 1, 17 }, { 1, 2, 33 }, { 2, 1, 18 } };

    for (size_t i = 0; i < 3; i++) {
        kith_entity entity = handle(known[i].key, known[i].version);
        assert_int_equal(kith_entity_pack(entity, 4), known[i].packed);
        assert_int_equal(kith_entity_unpack(known[i].packed, 4), entity);
    }
}

static void unpack_is_the_inverse_of_pack_for_every_width(void **state)
{
    (void)state;
    const uint32_t versions[] = { 1, 2, 4095, UINT32_C(1) << 31, UINT32_MAX };

    for (uint32_t bits = 1; bits <= 32; bits++) {
        uint32_t highest = (uint32_t)((UINT64_C(1) << bits) - 1);
        for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
            kith_entity entity = handle(highest, versions[i]);
            uint64_t    packed = kith_entity_pack(entity, bits);
            assert_int_equal(packed, (uint64_t)versions[i] << bits | highest);
            assert_int_equal(kith_entity_unpack(packed, bits), entity);
        }
    }
}

static void pack_refuses_what_does_not_fit(void **state)
{
    (void)state;

    assert_int_equal(kith_entity_pack(handle(16, 1), 4), 0);
    assert_int_equal(kith_entity_pack(handle(2, 1), 1), 0);
    assert_int_equal(kith_entity_pack(handle(1, 1), 0), 0);
    assert_int_equal(kith_entity_pack(handle(1, 1), 33), 0);
    assert_int_equal(kith_entity_pack(handle(1, 1), UINT32_MAX), 0);
}

static void a_handle_without_a_version_is_packed_as_null(void **state)
{
    (void)state;

    assert_int_equal(kith_entity_pack(KITH_NULL, 20), 0);
    assert_int_equal(kith_entity_pack(handle(5, 0), 20), 0);
    assert_int_equal(kith_entity_unpack(5, 20), KITH_NULL);
}

static void unpack_refuses_what_pack_never_gives(void **state)
{
    (void)state;
    uint64_t version_of_33_bits = UINT64_C(1) << (4 + 32);

    assert_int_equal(kith_entity_unpack(version_of_33_bits | 1, 4), KITH_NULL);
    assert_int_equal(kith_entity_unpack(17, 0), KITH_NULL);
    assert_int_equal(kith_entity_unpack(17, 33), KITH_NULL);
    assert_int_equal(kith_entity_unpack(17, UINT32_MAX), KITH_NULL);
}

static void what_fits_32_bits_is_seen_in_the_number(void **state)
{
    (void)state;

    for (uint32_t bits = 1; bits <= 31; bits++) {
        uint32_t    index   = (UINT32_C(1) << bits) - 1;
        uint32_t    version = UINT32_MAX >> bits;
        kith_entity entity  = handle(index, version);
        assert_int_equal(kith_entity_pack(entity, bits), UINT32_MAX);
        assert_int_equal(kith_entity_unpack(UINT32_MAX, bits), entity);
        assert_int_equal(kith_entity_pack(handle(index + 1, version), bits), 0);
        assert_int_equal(kith_entity_pack(handle(index, version + 1), bits),
                         (UINT64_C(1) << 32) + index);
    }
    assert_int_equal(kith_entity_pack(handle(1, 1), 32), (UINT64_C(1) << 32) + 1);
    assert_int_equal(kith_entity_pack(handle(1, 1), 52), 0);
    assert_int_equal(kith_entity_unpack(17, 32), KITH_NULL);
}

static void a_double_holds_handles_with_21_version_bits_exactly(void **state)
{
    (void)state;
    const kith_entity kept[] = { handle(0, 1), handle(1, 1), handle(12, 3),
                                 handle(UINT32_C(0x7fffffff), (UINT32_C(1) << 21) - 1),
                                 handle(UINT32_MAX, (UINT32_C(1) << 21) - 1) };

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        double number = kith_entity_to_double(kept[i]);
        assert_true(number == (double)kept[i]);
        assert_int_equal(kith_entity_from_double(number), kept[i]);
    }
    assert_true(kith_entity_to_double(KITH_NULL) == 0.0);
    assert_int_equal(kith_entity_from_double(0.0), KITH_NULL);
}

static void a_version_of_22_bits_is_refused_as_a_double(void **state)
{
    (void)state;

    assert_true(kith_entity_to_double(handle(0, UINT32_C(1) << 21)) == -1.0);
    assert_true(kith_entity_to_double(handle(7, UINT32_MAX)) == -1.0);
    assert_true(kith_entity_to_double(UINT64_MAX) == -1.0);
}

static void doubles_that_are_no_handles_give_null(void **state)
{
    (void)state;
    const double two53     = 9007199254740992.0;
    const double refused[] = { 0.5,      4294967296.5, -1.0,  -0.5,      -1e300, NAN,
                               INFINITY, -INFINITY,    two53, two53 * 2, 1e300 };

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(kith_entity_from_double(refused[i]), KITH_NULL);
    }
    assert_int_equal(kith_entity_from_double(two53 - 1), (UINT64_C(1) << 53) - 1);
    assert_int_equal(kith_entity_from_double(-0.0), KITH_NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_is_an_index_and_a_version),
        cmocka_unit_test(pack_gives_the_known_values_of_four_bit_keys),
        cmocka_unit_test(unpack_is_the_inverse_of_pack_for_every_width),
        cmocka_unit_test(pack_refuses_what_does_not_fit),
        cmocka_unit_test(a_handle_without_a_version_is_packed_as_null),
        cmocka_unit_test(unpack_refuses_what_pack_never_gives),
        cmocka_unit_test(what_fits_32_bits_is_seen_in_the_number),
        cmocka_unit_test(a_double_holds_handles_with_21_version_bits_exactly),
        cmocka_unit_test(a_version_of_22_bits_is_refused_as_a_double),
        cmocka_unit_test(doubles_that_are_no_handles_give_null),
    };
    return cmocka_run_group_tests_name("handle", tests, NULL, NULL);
}
