// SPDX-License-Identifier: MIT
// A column: a component as one world knows it. Its pool (empty for flags and singletons), its
// description with every default filled in, its bit in the signatures, what it requires.
#ifndef KITH_COLUMN_H
#define KITH_COLUMN_H

#include "pool.h"

#define KITH_NO_BIT UINT32_MAX

typedef struct kith_column {
    kith_pool            pool;  // first: the world's directory points to its head
    kith_component_desc  desc;  // name and required ids are the column's own copies
    uint32_t             order; // its place in registration order
    uint32_t             bit;   // KITH_NO_BIT for singletons
    struct kith_column **needs; // all it requires, also indirectly, in the order of adding
    uint32_t             need_count;
    uint32_t             need_capacity;
    void                *single; // a singleton's value, or NULL
} kith_column;

// `desc` is complete and checked; `pools` finds the columns that it requires by their ids.
KITH_INTERNAL kith_column *kith_column_create(const kith_allocator      *memory,
                                              const kith_component_desc *desc,
                                              kith_pool_head_ *const    *pools,
                                              kith_pool_shared          *shared);

// Destructs all values. A singleton's memory goes with its value.
KITH_INTERNAL void kith_column_clear(kith_column *column, const kith_allocator *memory);

// The same, and gives all memory back.
KITH_INTERNAL void kith_column_release(kith_column *column, const kith_allocator *memory);

// Gives the column its place in the signatures. To take a flag away from an entity, as a row, is to
// call the pool's remove.
KITH_INTERNAL void kith_column_give_bit(kith_column *column, uint32_t bit);

// The bit of a component that inline code may add and remove, because that is no more than a row of
// bytes or a flag; 0 for others.
KITH_INTERNAL uint64_t kith_column_quick(const kith_column *column);

// From now on the values live through these hooks.
KITH_INTERNAL void kith_column_rebind(kith_column *column, const kith_hooks *hooks);

// Adds what the column has taken.
KITH_INTERNAL void kith_column_memory(const kith_column *column, kith_memory *memory);

#endif
