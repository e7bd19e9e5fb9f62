// SPDX-License-Identifier: MIT
#include "group/sort_key.h"

// --- keys ------------------------------------------------------------------------------------
//
// A key is turned into an unsigned number of the same length that ascends as the rows are to. Of an
// integer one xor does it. Of a float all bits below the sign are turned round if it is negative,
// and then it is an integer with a sign: from the lowest up, NaN with a sign, minus infinity, the
// numbers, infinity, NaN. So far NaN are at both ends; taking away the place of minus infinity
// brings those below it to the upper end, descending as ascending.

#define RISE_AHEAD 2048 // bytes to prefetch ahead: across its own pages the processor does not

typedef struct key_form {
    uint8_t  bytes;
    uint8_t  alignment;
    bool     negative; // can be
    uint64_t infinity; // of floats; 0: an integer
} key_form;

static const key_form key_forms[] = {
    [KITH_KEY_U8]  = { 1, 1, false, 0 },
    [KITH_KEY_U16] = { 2, _Alignof(uint16_t), false, 0 },
    [KITH_KEY_U32] = { 4, _Alignof(uint32_t), false, 0 },
    [KITH_KEY_U64] = { 8, _Alignof(uint64_t), false, 0 },
    [KITH_KEY_I8]  = { 1, 1, true, 0 },
    [KITH_KEY_I16] = { 2, _Alignof(int16_t), true, 0 },
    [KITH_KEY_I32] = { 4, _Alignof(int32_t), true, 0 },
    [KITH_KEY_I64] = { 8, _Alignof(int64_t), true, 0 },
    [KITH_KEY_F32] = { 4, _Alignof(float), true, UINT64_C(0x7f800000) },
    [KITH_KEY_F64] = { 8, _Alignof(double), true, UINT64_C(0x7ff0000000000000) },
};

KITH_INTERNAL uint32_t kith_key_bytes(kith_key_type type)
{
    return key_forms[type].bytes;
}

KITH_INTERNAL uint32_t kith_key_alignment(kith_key_type type)
{
    return key_forms[type].alignment;
}

static kith_key_reader make_reader(const kith_sort_key *key)
{
    const key_form *form   = &key_forms[key->type];
    uint64_t        sign   = UINT64_C(1) << (8u * form->bytes - 1);
    uint64_t        all    = sign | (sign - 1);
    bool            real   = form->infinity != 0;
    uint64_t        lowest = real ? sign - 1 - form->infinity : 0;
    return (kith_key_reader){
        .offset    = key->offset,
        .bytes     = form->bytes,
        .real      = real,
        .all       = all,
        .turn      = (form->negative ? sign : 0) ^ (key->descending ? all : 0),
        .magnitude = real ? sign - 1 : 0,
        .lowest    = lowest,
        .nan       = real ? all - 2 * lowest + 1 : all,
    };
}

// `bytes` is a constant wherever it matters.
KITH_ALWAYS_INLINE uint64_t load_bits(const uint8_t *at, uint32_t bytes)
{
    uint64_t wide;
    uint32_t word;
    uint16_t half;
    switch (bytes) {
    case 1:
        return *at;
    case 2:
        memcpy(&half, at, sizeof half);
        return half;
    case 4:
        memcpy(&word, at, sizeof word);
        return word;
    default:
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
}

static const uint8_t *key_place(const kith_rule *rule, uint32_t row)
{
    return (const uint8_t *)kith_pool_value(rule->pool, row) + rule->key.offset;
}

// What a float is turned by, with the sign that it has.
KITH_ALWAYS_INLINE uint64_t turn_of(const kith_key_reader *key, uint64_t bits, uint32_t bytes)
{
    return ((0 - (bits >> (8 * bytes - 1))) & key->magnitude) ^ key->turn;
}

// The number; all NaN have the same.
KITH_ALWAYS_INLINE uint64_t number_of(const kith_key_reader *key, uint64_t bits, uint32_t bytes)
{
    uint64_t number = ((bits ^ turn_of(key, bits, bytes)) - key->lowest) & key->all;
    return number < key->nan ? number : key->nan;
}

KITH_ALWAYS_INLINE uint64_t read_key(const kith_rule *rule, uint32_t row, uint32_t bytes)
{
    return number_of(&rule->key, load_bits(key_place(rule, row), bytes), bytes);
}

// What the bits from here on are turned by to ascend. Floats with the sign of these come above
// those with the other one.
KITH_ALWAYS_INLINE uint64_t rising_turn(const kith_key_reader *key, uint64_t bits, uint32_t bytes)
{
    uint64_t turn = turn_of(key, bits, bytes);
    uint64_t sign = key->magnitude + 1;
    return key->real && ((bits ^ turn) & sign) == 0 ? turn ^ sign : turn;
}

// Goes on from a row while the bits ascend. A float of the other sign ends it too, and NaN does. It
// sees every row of a pool that is sorted already: four at a time take half as long as one by one.
KITH_ALWAYS_INLINE uint32_t rise(const kith_rule *rule, uint32_t row, uint32_t end, uint32_t bytes)
{
    size_t   size = rule->pool->size;
    uint64_t bits = load_bits(key_place(rule, row), bytes);
    uint64_t turn = rising_turn(&rule->key, bits, bytes);
    uint64_t last = number_of(&rule->key, bits, bytes) < rule->key.nan ? bits ^ turn : UINT64_MAX;
    for (row++; row < end;) {
        uint32_t left = kith_least(end - row, kith_sparse_set_left_in_page(&rule->pool->set, row));
        const uint8_t *at = key_place(rule, row);
        for (; left >= 4; left -= 4, row += 4, at += 4 * size) {
            uint64_t a = load_bits(at, bytes) ^ turn;
            uint64_t b = load_bits(at + size, bytes) ^ turn;
            uint64_t c = load_bits(at + 2 * size, bytes) ^ turn;
            uint64_t d = load_bits(at + 3 * size, bytes) ^ turn;
            KITH_PREFETCH(at + RISE_AHEAD);
            if (a < last || b < a || c < b || d < c) {
                break;
            }
            last = d;
        }
        for (; left > 0; left--, row++, at += size) {
            uint64_t next = load_bits(at, bytes) ^ turn;
            if (next < last) {
                return row;
            }
            last = next;
        }
    }
    return end;
}

KITH_ALWAYS_INLINE void read_pairs(const kith_rule *rule, const uint32_t *rows, uint32_t count,
                                   uint32_t shift, uint64_t *pairs, uint32_t bytes)
{
    const kith_key_reader key   = rule->key; // copies: no store below changes them
    uint8_t *const       *pages = rule->pool->set.head.pages_;
    uint32_t              whole = rule->pool->set.head.shift_;
    size_t                size  = rule->pool->size;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t       row   = rows[i];
        const uint8_t *value = pages[row >> whole] + (row & ((1u << whole) - 1)) * size;
        uint64_t       bits  = load_bits(value + key.offset, bytes);
        pairs[i]             = number_of(&key, bits, bytes) >> shift << 32 | row;
    }
}

// The functions of a rule; the length of the usual keys is a constant in them.
#define KEY_RULE(NAME, BYTES)                                                                      \
    static bool less_by_##NAME(const kith_rule *rule, uint32_t a, uint32_t b)                      \
    {                                                                                              \
        return read_key(rule, a, BYTES) < read_key(rule, b, BYTES);                                \
    }                                                                                              \
    static uint32_t next_descent_by_##NAME(const kith_rule *rule, uint32_t last, uint32_t row,     \
                                           uint32_t end)                                           \
    {                                                                                              \
        while (row < end && !less_by_##NAME(rule, row, last)) {                                    \
            row  = rise(rule, row, end, BYTES);                                                    \
            last = row - 1;                                                                        \
        }                                                                                          \
        return row;                                                                                \
    }                                                                                              \
    static void pairs_by_##NAME(const kith_rule *rule, const uint32_t *rows, uint32_t count,       \
                                uint32_t shift, uint64_t *pairs)                                   \
    {                                                                                              \
        read_pairs(rule, rows, count, shift, pairs, BYTES);                                        \
    }                                                                                              \
    static const kith_rule_functions functions_by_##NAME = { less_by_##NAME,                       \
                                                             next_descent_by_##NAME,               \
                                                             pairs_by_##NAME };

KEY_RULE(narrow_key, rule->key.bytes)
KEY_RULE(key_32, 4)
KEY_RULE(key_64, 8)

KITH_INTERNAL kith_rule kith_rule_by_key(const kith_pool *pool, const kith_sort_key *key)
{
    kith_rule rule = { .pool = pool, .key = make_reader(key) };
    rule.call      = rule.key.bytes == 4   ? functions_by_key_32
                     : rule.key.bytes == 8 ? functions_by_key_64
                                           : functions_by_narrow_key;
    return rule;
}

// --- comparing -------------------------------------------------------------------------------

static bool less_by_values(const kith_rule *rule, uint32_t a, uint32_t b)
{
    return rule->values(kith_pool_value(rule->pool, a), kith_pool_value(rule->pool, b),
                        rule->context) < 0;
}

static kith_entity entity_of(const kith_rule *rule, uint32_t row)
{
    return *kith_entity_slot_of(rule->table, *kith_sparse_set_packed(&rule->pool->set, row));
}

static bool less_by_entities(const kith_rule *rule, uint32_t a, uint32_t b)
{
    return rule->entities(entity_of(rule, a), entity_of(rule, b), rule->context) < 0;
}

static uint32_t next_descent(const kith_rule *rule, uint32_t last, uint32_t row, uint32_t end)
{
    while (row < end && !rule->call.less(rule, row, last)) {
        last = row++;
    }
    return row;
}

KITH_INTERNAL kith_rule kith_rule_by_values(const kith_pool *pool, kith_compare_fn compare,
                                            void *context)
{
    return (kith_rule){ .pool    = pool,
                        .call    = { less_by_values, next_descent, NULL },
                        .values  = compare,
                        .context = context };
}

KITH_INTERNAL kith_rule kith_rule_by_entities(const kith_pool *pool, const kith_entity_table *table,
                                              kith_compare_entities_fn compare, void *context)
{
    return (kith_rule){ .pool     = pool,
                        .call     = { less_by_entities, next_descent, NULL },
                        .entities = compare,
                        .table    = table,
                        .context  = context };
}
