// SPDX-License-Identifier: MIT
#include "base/array.h"

KITH_INTERNAL void kith_array_number(uint64_t *array, uint64_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        array[i] = first + i;
    }
}

KITH_INTERNAL void kith_array_number32(uint32_t *array, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        array[i] = first + i;
    }
}

KITH_INTERNAL bool kith_array_is_numbered(const uint64_t *array, uint64_t first, uint32_t count)
{
    uint64_t other = 0;
    for (uint32_t i = 0; i < count; i++) {
        other |= array[i] ^ (first + i);
    }
    return other == 0;
}

KITH_INTERNAL bool kith_array_name_rows(uint64_t *restrict array, const uint64_t *restrict slots,
                                        uint64_t index, uint64_t first, uint32_t count)
{
    uint64_t other = 0;
    for (uint32_t i = 0; i < count; i++) {
        other |= slots[i] ^ (index + i);
        array[i] = (slots[i] & ~(uint64_t)UINT32_MAX) | (first + i);
    }
    return (uint32_t)other == 0;
}

KITH_INTERNAL bool kith_array_is_numbered32(const uint32_t *array, uint32_t first, uint32_t count)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        wrong |= array[i] ^ (first + i);
    }
    return wrong == 0;
}

KITH_INTERNAL void kith_array_fill(uint64_t *array, uint64_t number, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        array[i] = number;
    }
}

KITH_INTERNAL void kith_array_change(uint64_t *array, uint64_t clear, uint64_t set, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        array[i] = (array[i] & ~clear) | set;
    }
}

KITH_INTERNAL uint64_t kith_array_any(const uint64_t *array, uint32_t count)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < count; i++) {
        any |= array[i];
    }
    return any;
}

KITH_INTERNAL uint64_t kith_array_mixed(const uint64_t *array, uint32_t count)
{
    uint64_t mixed = 0;
    for (uint32_t i = 0; i < count; i++) {
        mixed |= array[i] ^ array[0];
    }
    return mixed;
}

// Numbers are compared by the top bit of a difference, which wide instructions can do.

#define COMPARED_AT_ONCE 16u
#define TOP_BIT          (UINT64_C(1) << 63)

static bool all_below(const uint64_t *array, uint64_t least)
{
    uint64_t borrowed = TOP_BIT;
    for (uint32_t i = 0; i < COMPARED_AT_ONCE; i++) {
        borrowed &= array[i] - least;
    }
    return borrowed != 0;
}

KITH_INTERNAL uint32_t kith_array_below(const uint64_t *array, uint64_t least, uint32_t count)
{
    uint32_t i = 0;
    least      = least < TOP_BIT ? least : TOP_BIT;
    while (count - i >= COMPARED_AT_ONCE && all_below(array + i, least)) {
        i += COMPARED_AT_ONCE;
    }
    while (i < count && array[i] < least) {
        i++;
    }
    return i;
}

KITH_INTERNAL uint32_t kith_array_from(const uint64_t *array, uint64_t least, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && array[i] >= least) {
        i++;
    }
    return i;
}
