// SPDX-License-Identifier: MIT
// A set of indices that finds its lowest member in O(1). A world with KITH_FREE_LOWEST keeps its
// free indices in one.
//
//     level 0   one bit per index            ....1..1 ........ 1.......
//     level 1   one bit per word of level 0  1 . 1
//     level 5   one word                     0: the set is empty
//
// Invariant: a bit of level n + 1 is set if and only if its word of level n is not 0.
//
// Six levels of 64 cover every 31-bit index. The upper levels are a word or two. All levels are one
// block, which grows with the entity table, so insert and remove never allocate.
#pragma once

#include "base/alloc.h"

#define KITH_BIT_TREE_LEVELS 6

typedef struct kith_bit_tree {
    uint64_t *levels[KITH_BIT_TREE_LEVELS];
    uint32_t  capacity; // every member is below it
} kith_bit_tree;

// Makes room for indices below `capacity`. Returns false when memory runs out.
bool kith_bit_tree_reserve(kith_bit_tree *set, const kith_allocator *memory, uint32_t capacity);

// Copies the members of `from` into a set without capacity. Returns false when memory runs out.
bool kith_bit_tree_copy(kith_bit_tree *set, const kith_allocator *memory,
                        const kith_bit_tree *from);
void kith_bit_tree_free(kith_bit_tree *set, const kith_allocator *memory);

void kith_bit_tree_insert(kith_bit_tree *set, uint32_t index);
void kith_bit_tree_remove(kith_bit_tree *set, uint32_t index);
bool kith_bit_tree_has(const kith_bit_tree *set, uint32_t index);

// Returns the lowest member, or KITH_NO_INDEX when the set is empty.
uint32_t kith_bit_tree_lowest(const kith_bit_tree *set);

// Whether the invariant holds. O(capacity / 64).
bool kith_bit_tree_sound(const kith_bit_tree *set);

// Returns how many bytes the set has allocated.
size_t kith_bit_tree_bytes(const kith_bit_tree *set);
