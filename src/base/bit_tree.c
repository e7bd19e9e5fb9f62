// SPDX-License-Identifier: MIT
// Six levels of bits in one block: growing it, and walking it from the leaf up or the root down.
#include "base/bit_tree.h"

KITH_NOINLINE static size_t words_of_level(uint32_t capacity, unsigned level)
{
    unsigned shift = 6 * (level + 1);
    return (size_t)((((uint64_t)capacity + (UINT64_C(1) << shift)) - 1) >> shift);
}

size_t kith_bit_tree_bytes(const kith_bit_tree *set)
{
    size_t words = 0;
    for (unsigned level = 0; level < KITH_BIT_TREE_LEVELS; level++) {
        words += words_of_level(set->capacity, level);
    }
    return words * sizeof(uint64_t);
}

bool kith_bit_tree_reserve(kith_bit_tree *set, const kith_allocator *memory, uint32_t capacity)
{
    if (capacity <= set->capacity) {
        return true;
    }
    // at least doubles: the entity table grows page by page, and each growth copies the block
    uint32_t      twice = set->capacity < UINT32_MAX / 2 ? set->capacity * 2 : UINT32_MAX;
    kith_bit_tree grown = { .capacity = capacity < twice ? twice : capacity };
    uint64_t     *next  = kith_alloc_zeroed(memory, kith_bit_tree_bytes(&grown), sizeof(uint64_t));
    if (next == NULL) {
        return false;
    }
    for (unsigned level = 0; level < KITH_BIT_TREE_LEVELS; level++) {
        grown.levels[level] = next;
        if (set->capacity != 0) {
            memcpy(next, set->levels[level],
                   words_of_level(set->capacity, level) * sizeof(uint64_t));
        }
        next += words_of_level(grown.capacity, level);
    }
    kith_bit_tree_free(set, memory);
    *set = grown;
    return true;
}

bool kith_bit_tree_copy(kith_bit_tree *set, const kith_allocator *memory, const kith_bit_tree *from)
{
    assert(set->capacity == 0);
    bool enough = kith_bit_tree_reserve(set, memory, from->capacity);
    if (enough && from->capacity != 0) {
        memcpy(set->levels[0], from->levels[0], kith_bit_tree_bytes(from));
    }
    return enough;
}

void kith_bit_tree_free(kith_bit_tree *set, const kith_allocator *memory)
{
    kith_free(memory, set->levels[0], kith_bit_tree_bytes(set), sizeof(uint64_t));
    *set = (kith_bit_tree){ 0 };
}

void kith_bit_tree_insert(kith_bit_tree *set, uint32_t index)
{
    for (unsigned level = 0; level < KITH_BIT_TREE_LEVELS; level++, index >>= 6) {
        set->levels[level][index >> 6] |= UINT64_C(1) << (index & 63);
    }
}

void kith_bit_tree_remove(kith_bit_tree *set, uint32_t index)
{
    for (unsigned level = 0; level < KITH_BIT_TREE_LEVELS; level++, index >>= 6) {
        uint64_t *word = &set->levels[level][index >> 6];
        *word &= ~(UINT64_C(1) << (index & 63));
        if (*word != 0) {
            return;
        }
    }
}

bool kith_bit_tree_has(const kith_bit_tree *set, uint32_t index)
{
    return index < set->capacity && (set->levels[0][index >> 6] >> (index & 63) & 1) != 0;
}

uint32_t kith_bit_tree_lowest(const kith_bit_tree *set)
{
    if (set->capacity == 0 || set->levels[KITH_BIT_TREE_LEVELS - 1][0] == 0) {
        return KITH_NO_INDEX;
    }
    uint32_t index = 0;
    for (unsigned level = KITH_BIT_TREE_LEVELS; level-- > 0;) {
        index = index << 6 | kith_lowest_bit(set->levels[level][index]);
    }
    return index;
}

bool kith_bit_tree_sound(const kith_bit_tree *set)
{
    for (unsigned level = 1; level < KITH_BIT_TREE_LEVELS && set->capacity != 0; level++) {
        for (size_t word = 0; word < words_of_level(set->capacity, level - 1); word++) {
            bool above = (set->levels[level][word >> 6] >> (word & 63) & 1) != 0;
            if (above != (set->levels[level - 1][word] != 0)) {
                return false;
            }
        }
    }
    return true;
}
