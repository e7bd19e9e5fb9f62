// SPDX-License-Identifier: MIT
// A rule: how two rows of a pool compare, by a key field of their values or by a function.
#ifndef KITH_GROUP_SORT_KEY_H
#define KITH_GROUP_SORT_KEY_H

#include "store/entity_table.h"
#include "store/pool.h"

// How a key's bits become a number to compare; rule.c explains it.
typedef struct kith_key_reader {
    uint32_t offset;
    uint32_t bytes;
    bool     real; // a float
    uint64_t all;  // bits
    uint64_t turn;
    uint64_t magnitude; // of floats the bits below the sign
    uint64_t lowest;
    uint64_t nan; // the number of all NaN; no other is higher
} kith_key_reader;

typedef struct kith_rule kith_rule;

typedef struct kith_rule_functions {
    // whether row `a` comes before row `b` by what they hold
    bool (*less)(const kith_rule *rule, uint32_t a, uint32_t b);
    // the first of the rows from `row` to `end` that comes before the one ahead of it, which for
    // `row` is `last`; `end` when none does
    uint32_t (*next_descent)(const kith_rule *rule, uint32_t last, uint32_t row, uint32_t end);
    // of each row 32 bits of its key, from bit `shift` on, above the row; NULL: there are no keys
    void (*pairs)(const kith_rule *rule, const uint32_t *rows, uint32_t count, uint32_t shift,
                  uint64_t *pairs);
} kith_rule_functions;

struct kith_rule {
    kith_rule_functions      call;
    const kith_pool         *pool;
    kith_key_reader          key;
    kith_compare_fn          values;
    kith_compare_entities_fn entities;
    const kith_entity_table *table;
    void                    *context;
};

// `key` lies within the values.
KITH_INTERNAL kith_rule kith_rule_by_key(const kith_pool *pool, const kith_sort_key *key);
KITH_INTERNAL kith_rule kith_rule_by_values(const kith_pool *pool, kith_compare_fn compare,
                                            void *context);
KITH_INTERNAL kith_rule kith_rule_by_entities(const kith_pool *pool, const kith_entity_table *table,
                                              kith_compare_entities_fn compare, void *context);

// How many bytes a key has, and how it must be aligned in a value.
KITH_INTERNAL uint32_t kith_key_bytes(kith_key_type type);
KITH_INTERNAL uint32_t kith_key_alignment(kith_key_type type);

#endif
