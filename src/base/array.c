// SPDX-License-Identifier: MIT
// Loops over arrays that batches, snapshots and hashes need. A program without them does not link
// this.
#include "base/alloc.h"

bool kith_array_is_numbered(const uint64_t *array, uint64_t first, uint32_t count)
{
    uint64_t differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        differ |= array[i] ^ (first + i);
    }
    return differ == 0;
}

bool kith_array_is_numbered32(const uint32_t *array, uint32_t first, uint32_t count)
{
    uint32_t differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        differ |= array[i] ^ (first + i);
    }
    return differ == 0;
}

bool kith_array_make_slots(uint64_t *restrict array, const uint64_t *restrict slots, uint64_t index,
                           uint64_t first, uint32_t count)
{
    uint64_t differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        differ |= slots[i] ^ (index + i);
        array[i] = (slots[i] & ~(uint64_t)UINT32_MAX) | (first + i);
    }
    return (uint32_t)differ == 0;
}

void kith_array_set_bits(uint64_t *array, uint64_t clear, uint64_t set, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        array[i] = (array[i] & ~clear) | set;
    }
}

uint64_t kith_array_differ(const uint64_t *array, uint32_t count)
{
    uint64_t differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        differ |= array[i] ^ array[0];
    }
    return differ;
}
