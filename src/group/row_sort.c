// SPDX-License-Identifier: MIT
// Sort rules, and sorting a list of rows by a rule: by the digits of keys, or by merging.
#include "group/group.h"

// --- keys ------------------------------------------------------------------------------------
//
// A key becomes an unsigned number of the same length. These numbers ascend in the order of the
// sort.
//
//     integer   exclusive or with `turn`: the sign bit if signed, all bits if descending
//     float     a negative one has all bits below the sign inverted first. As signed integers these
//               ascend: -NaN, -infinity, numbers, infinity, NaN. Subtracting `lowest`, the number
//               of -infinity, wraps -NaN round to the upper end. So NaN come last, also if
//               descending.

#define RISE_AHEAD 2048 // bytes to prefetch: the processor does not prefetch across memory pages

static kith_key_reader make_reader(const kith_sort_key *key)
{
    uint32_t bytes    = kith_field_type_size(key->type);
    bool     real     = key->type >= KITH_TYPE_F32;
    bool     negative = key->type >= KITH_TYPE_I8; // has a sign
    uint64_t fraction = bytes == 4 ? UINT64_C(0x7fffff) : UINT64_C(0xfffffffffffff);
    uint64_t sign     = UINT64_C(1) << (8u * bytes - 1);
    uint64_t all      = sign | (sign - 1);
    uint64_t lowest   = real ? fraction : 0;
    return (kith_key_reader){
        .offset    = key->offset,
        .bytes     = bytes,
        .real      = real,
        .all       = all,
        .turn      = (negative ? sign : 0) ^ (key->descending ? all : 0),
        .magnitude = real ? sign - 1 : 0,
        .lowest    = lowest,
        .nan       = real ? all - 2 * lowest + 1 : all,
    };
}

// `bytes` is a constant for keys of 4 and 8 bytes, so that no switch remains.
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

static const uint8_t *key_place(const kith_sort_rule *rule, uint32_t row)
{
    return (const uint8_t *)kith_pool_value(rule->pool, row) + rule->key.offset;
}

// The bits to invert in a key with this sign.
KITH_ALWAYS_INLINE uint64_t turn_of(const kith_key_reader *key, uint64_t bits, uint32_t bytes)
{
    return ((0 - (bits >> (8 * bytes - 1))) & key->magnitude) ^ key->turn;
}

// The number of a key; all NaN have the same.
KITH_ALWAYS_INLINE uint64_t number_of(const kith_key_reader *key, uint64_t bits, uint32_t bytes)
{
    uint64_t number = ((bits ^ turn_of(key, bits, bytes)) - key->lowest) & key->all;
    return number < key->nan ? number : key->nan;
}

KITH_ALWAYS_INLINE uint64_t read_key(const kith_sort_rule *rule, uint32_t row, uint32_t bytes)
{
    return number_of(&rule->key, load_bits(key_place(rule, row), bytes), bytes);
}

// The bits to invert so that keys with this sign ascend, and floats of the other sign come below
// them.
KITH_ALWAYS_INLINE uint64_t rising_turn(const kith_key_reader *key, uint64_t bits, uint32_t bytes)
{
    uint64_t turn = turn_of(key, bits, bytes);
    uint64_t sign = key->magnitude + 1;
    return key->real && ((bits ^ turn) & sign) == 0 ? turn ^ sign : turn;
}

// The first row after `row` that does not ascend. A float of the other sign or NaN ends it, too. A
// sorted pool goes through here as a whole: four rows at a time take half as long as one by one.
KITH_ALWAYS_INLINE uint32_t rise(const kith_sort_rule *rule, uint32_t row, uint32_t end,
                                 uint32_t bytes)
{
    size_t   size = rule->pool->size;
    uint64_t bits = load_bits(key_place(rule, row), bytes);
    uint64_t turn = rising_turn(&rule->key, bits, bytes);
    uint64_t last = number_of(&rule->key, bits, bytes) < rule->key.nan ? bits ^ turn : UINT64_MAX;
    for (row++; row < end;) {
        uint32_t left = kith_min(end - row, kith_sparse_set_rest_of_page(&rule->pool->set, row));
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

KITH_ALWAYS_INLINE void read_pairs(const kith_sort_rule *rule, const uint32_t *rows, uint32_t count,
                                   uint32_t shift, uint64_t *pairs, uint32_t bytes)
{
    const kith_key_reader key   = rule->key; // a copy: the stores below cannot change it
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

// The functions of a rule for keys of BYTES bytes.
#define KEY_RULE(NAME, BYTES)                                                                      \
    static bool less_by_##NAME(const kith_sort_rule *rule, uint32_t a, uint32_t b)                 \
    {                                                                                              \
        return read_key(rule, a, BYTES) < read_key(rule, b, BYTES);                                \
    }                                                                                              \
    static uint32_t next_descent_by_##NAME(const kith_sort_rule *rule, uint32_t last,              \
                                           uint32_t row, uint32_t end)                             \
    {                                                                                              \
        while (row < end && !less_by_##NAME(rule, row, last)) {                                    \
            row  = rise(rule, row, end, BYTES);                                                    \
            last = row - 1;                                                                        \
        }                                                                                          \
        return row;                                                                                \
    }                                                                                              \
    static void pairs_by_##NAME(const kith_sort_rule *rule, const uint32_t *rows, uint32_t count,  \
                                uint32_t shift, uint64_t *pairs)                                   \
    {                                                                                              \
        read_pairs(rule, rows, count, shift, pairs, BYTES);                                        \
    }                                                                                              \
    static const kith_sort_rule_functions functions_by_##NAME = { less_by_##NAME,                  \
                                                                  next_descent_by_##NAME,          \
                                                                  pairs_by_##NAME };

KEY_RULE(narrow_key, rule->key.bytes)
KEY_RULE(key_32, 4)
KEY_RULE(key_64, 8)

// --- rules with a function of the caller -----------------------------------------------------

static bool less_by_values(const kith_sort_rule *rule, uint32_t a, uint32_t b)
{
    return rule->by.compare(kith_pool_value(rule->pool, a), kith_pool_value(rule->pool, b),
                            rule->by.context) < 0;
}

static kith_entity entity_of(const kith_sort_rule *rule, uint32_t row)
{
    return *kith_entity_slot_of(rule->table, *kith_sparse_set_packed(&rule->pool->set, row));
}

static bool less_by_entities(const kith_sort_rule *rule, uint32_t a, uint32_t b)
{
    return rule->by.compare_entities(entity_of(rule, a), entity_of(rule, b), rule->by.context) < 0;
}

static uint32_t next_descent(const kith_sort_rule *rule, uint32_t last, uint32_t row, uint32_t end)
{
    while (row < end && !rule->call.less(rule, row, last)) {
        last = row++;
    }
    return row;
}

KITH_INTERNAL kith_sort_rule kith_sort_rule_of(const kith_pool         *pool,
                                               const kith_entity_table *table,
                                               const kith_sort_desc    *by)
{
    kith_sort_rule rule = { .pool = pool, .table = table, .by = *by };
    if (by->key == NULL) {
        rule.call.less         = by->compare != NULL ? less_by_values : less_by_entities;
        rule.call.next_descent = next_descent;
        return rule;
    }
    rule.key  = make_reader(by->key);
    rule.call = rule.key.bytes == 4   ? functions_by_key_32
                : rule.key.bytes == 8 ? functions_by_key_64
                                      : functions_by_narrow_key;
    return rule;
}

// --- sorting rows by merging -----------------------------------------------------------------
//
// Natural merge sort: finds runs that ascend, and merges two neighbours of similar length.

#define SHORT_RUN   12u
#define RUNS_MAX    40u // all runs but the last are twice as long as the next: 2^31 rows
#define MERGE_AHEAD 4u

typedef struct run_stack {
    struct {
        uint32_t *rows;
        uint32_t  count;
    } runs[RUNS_MAX];
    uint32_t  depth;
    uint32_t *buffer;
} run_stack;

static void reverse_rows(uint32_t *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t kept       = rows[i];
        rows[i]             = rows[count - 1 - i];
        rows[count - 1 - i] = kept;
    }
}

// How many of the first rows ascend. Rows that strictly descend are reversed, then they ascend.
static uint32_t natural_run(const kith_sort_rule *rule, uint32_t *rows, uint32_t count)
{
    uint32_t run     = 1;
    bool     descend = count > 1 && rule->call.less(rule, rows[1], rows[0]);
    while (run < count && rule->call.less(rule, rows[run], rows[run - 1]) == descend) {
        run++;
    }
    if (descend) {
        reverse_rows(rows, run);
    }
    return run;
}

static void insert_row(const kith_sort_rule *rule, uint32_t *rows, uint32_t at)
{
    uint32_t row = rows[at];
    for (; at > 0 && rule->call.less(rule, row, rows[at - 1]); at--) {
        rows[at] = rows[at - 1];
    }
    rows[at] = row;
}

// Makes the first rows ascend, at least SHORT_RUN of them; returns how many do.
static uint32_t make_run(const kith_sort_rule *rule, uint32_t *rows, uint32_t count)
{
    uint32_t run = natural_run(rule, rows, count);
    for (; run < kith_min(count, SHORT_RUN); run++) {
        insert_row(rule, rows, run);
    }
    return run;
}

static void prefetch_row(const kith_sort_rule *rule, const uint32_t *rows, uint32_t at,
                         uint32_t count)
{
    if (at + MERGE_AHEAD < count) {
        KITH_PREFETCH(kith_pool_value(rule->pool, rows[at + MERGE_AHEAD]));
    }
}

// Merges the first `left` rows with the `right` rows behind them; both ascend.
static void merge_rows(const kith_sort_rule *rule, uint32_t *rows, uint32_t left, uint32_t right,
                       uint32_t *buffer)
{
    const uint32_t *behind = rows + left;
    uint32_t        i = 0, j = 0;
    if (!rule->call.less(rule, behind[0], behind[-1])) {
        return;
    }
    memcpy(buffer, rows, left * sizeof *rows);
    while (i < left && j < right) {
        if (rule->call.less(rule, behind[j], buffer[i])) {
            prefetch_row(rule, behind, j, right);
            *rows++ = behind[j++];
        } else {
            prefetch_row(rule, buffer, i, left);
            *rows++ = buffer[i++];
        }
    }
    memcpy(rows, buffer + i, (left - i) * sizeof *rows);
}

static void merge_top(const kith_sort_rule *rule, run_stack *stack)
{
    uint32_t top = --stack->depth;
    merge_rows(rule, stack->runs[top - 1].rows, stack->runs[top - 1].count, stack->runs[top].count,
               stack->buffer);
    stack->runs[top - 1].count += stack->runs[top].count;
}

static void sort_by_merging(const kith_sort_rule *rule, uint32_t *rows, uint32_t count,
                            void *scratch)
{
    run_stack stack = { .buffer = scratch };
    while (count != 0) {
        uint32_t run                    = make_run(rule, rows, count);
        stack.runs[stack.depth].rows    = rows;
        stack.runs[stack.depth++].count = run;
        rows += run;
        count -= run;
        while (stack.depth >= 2 &&
               stack.runs[stack.depth - 2].count < 2 * stack.runs[stack.depth - 1].count) {
            merge_top(rule, &stack);
        }
    }
    while (stack.depth > 1) {
        merge_top(rule, &stack);
    }
}

// --- sorting rows by the digits of their keys ------------------------------------------------
//
// Radix sort of pairs, 32 bits of the key above the row, in three digits of 11 bits. A key of 8
// bytes takes two rounds: the lower half, then the upper half.

#define DIGITS        3u
#define DIGIT_BITS    11u
#define DIGIT_VALUES  (1u << DIGIT_BITS)
#define PAIRS_AT_ONCE 512u
#define DIGITS_LEAST  64u // for fewer rows the counters cost more than merging

typedef uint32_t digit_counts[DIGITS][DIGIT_VALUES];

static uint32_t digit_of(uint64_t pair, uint32_t digit)
{
    return (uint32_t)(pair >> (32 + digit * DIGIT_BITS)) & (DIGIT_VALUES - 1);
}

static void count_digits(const uint64_t *pairs, uint32_t count, digit_counts *counts)
{
    for (uint32_t i = 0; i < count; i++) {
        (*counts)[0][digit_of(pairs[i], 0)]++;
        (*counts)[1][digit_of(pairs[i], 1)]++;
        (*counts)[2][digit_of(pairs[i], 2)]++;
    }
}

// Makes the pairs and counts their digits, in portions that fit the first cache.
static void make_pairs(const kith_sort_rule *rule, const uint32_t *rows, uint32_t count,
                       uint32_t shift, uint64_t *pairs, digit_counts *counts)
{
    memset(*counts, 0, sizeof *counts);
    for (uint32_t i = 0; i < count; i += PAIRS_AT_ONCE) {
        uint32_t part = kith_min(count - i, PAIRS_AT_ONCE);
        rule->call.pairs(rule, rows + i, part, shift, pairs + i);
        count_digits(pairs + i, part, counts);
    }
}

// Turns the counts of a digit's values into the first place of each value.
static void add_up(uint32_t *counts)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < DIGIT_VALUES; i++) {
        uint32_t here = counts[i];
        counts[i]     = before;
        before += here;
    }
}

// Orders the pairs by a digit. The last digit writes the rows only.
static void deal_pairs(const uint64_t *pairs, uint32_t count, uint32_t digit, uint32_t *places,
                       uint64_t *dealt)
{
    add_up(places);
    for (uint32_t i = 0; i < count; i++) {
        dealt[places[digit_of(pairs[i], digit)]++] = pairs[i];
    }
}

static void deal_rows(const uint64_t *pairs, uint32_t count, uint32_t digit, uint32_t *places,
                      uint32_t *rows)
{
    add_up(places);
    for (uint32_t i = 0; i < count; i++) {
        rows[places[digit_of(pairs[i], digit)]++] = (uint32_t)pairs[i];
    }
}

// The next digit in which the pairs differ, or DIGITS.
static uint32_t next_digit(digit_counts *counts, uint64_t pair, uint32_t count, uint32_t digit)
{
    while (digit < DIGITS && (*counts)[digit][digit_of(pair, digit)] == count) {
        digit++;
    }
    return digit;
}

// Sorts by 32 bits of the keys, from bit `shift` on.
static void sort_by_half(const kith_sort_rule *rule, uint32_t *rows, uint32_t count, uint32_t shift,
                         uint64_t *scratch)
{
    uint64_t     *pairs  = scratch;
    uint64_t     *other  = scratch + count;
    digit_counts *counts = (digit_counts *)(void *)(scratch + 2 * (size_t)count);
    make_pairs(rule, rows, count, shift, pairs, counts);
    uint64_t any = pairs[0];
    for (uint32_t digit = next_digit(counts, any, count, 0); digit < DIGITS;) {
        uint32_t after = next_digit(counts, any, count, digit + 1);
        if (after == DIGITS) {
            deal_rows(pairs, count, digit, (*counts)[digit], rows);
        } else {
            deal_pairs(pairs, count, digit, (*counts)[digit], other);
        }
        uint64_t *dealt = other;
        other           = pairs;
        pairs           = dealt;
        digit           = after;
    }
}

static bool has_digits(const kith_sort_rule *rule, uint32_t count)
{
    return rule->call.pairs != NULL && count >= DIGITS_LEAST;
}

KITH_INTERNAL size_t kith_sort_bytes(const kith_sort_rule *rule, uint32_t count)
{
    return has_digits(rule, count) ? kith_sort_bytes_max(count) : count * sizeof(uint32_t);
}

KITH_INTERNAL size_t kith_sort_bytes_max(uint32_t count)
{
    return (size_t)2 * count * sizeof(uint64_t) + sizeof(digit_counts);
}

KITH_INTERNAL void kith_sort_rows(const kith_sort_rule *rule, uint32_t *rows, uint32_t count,
                                  void *scratch)
{
    if (!has_digits(rule, count)) {
        sort_by_merging(rule, rows, count, scratch);
        return;
    }
    sort_by_half(rule, rows, count, 0, scratch);
    if (rule->key.bytes == 8) {
        sort_by_half(rule, rows, count, 32, scratch);
    }
}
