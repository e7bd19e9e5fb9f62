// SPDX-License-Identifier: MIT
// A set of indices that knows its lowest member: the free indices of a world that hands out the
// lowest first.
//
//     level 0   one bit an index       ....1..1 ........ 1.......
//     level 1   one bit a word below   1 . 1
//     level 5   one word               "is there any?"
//
// A bit above is set exactly when its word below is not 0. Six levels of 64 cover every 31-bit
// index; the upper ones are a word or two. All levels are one block, which grows with the entity
// table, so inserting and removing never allocate. Every call but reserve is O(6).
#ifndef KITH_BASE_BIT_TREE_H
#define KITH_BASE_BIT_TREE_H

#include "base/alloc.h"

#define KITH_BIT_TREE_LEVELS 6

typedef struct kith_bit_tree {
    uint64_t *levels[KITH_BIT_TREE_LEVELS];
    uint32_t  capacity; // indices below it can be members
} kith_bit_tree;

// Makes room for indices below `capacity`; false when memory runs out.
KITH_INTERNAL bool kith_bit_tree_reserve(kith_bit_tree *set, const kith_allocator *memory,
                                         uint32_t capacity);

// Makes an empty set one with the same members; false when memory runs out.
KITH_INTERNAL bool kith_bit_tree_copy(kith_bit_tree *set, const kith_allocator *memory,
                                      const kith_bit_tree *from);
KITH_INTERNAL void kith_bit_tree_release(kith_bit_tree *set, const kith_allocator *memory);

KITH_INTERNAL void kith_bit_tree_insert(kith_bit_tree *set, uint32_t index);
KITH_INTERNAL void kith_bit_tree_remove(kith_bit_tree *set, uint32_t index);
KITH_INTERNAL bool kith_bit_tree_has(const kith_bit_tree *set, uint32_t index);

// The lowest member, or KITH_NO_INDEX.
KITH_INTERNAL uint32_t kith_bit_tree_lowest(const kith_bit_tree *set);

// Whether each bit above says truly whether its word below is 0. O(capacity / 64).
KITH_INTERNAL bool kith_bit_tree_sound(const kith_bit_tree *set);

// Bytes taken from the allocator.
KITH_INTERNAL size_t kith_bit_tree_bytes(const kith_bit_tree *set);

#endif
