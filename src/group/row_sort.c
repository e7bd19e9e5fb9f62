// SPDX-License-Identifier: MIT
#include "group/row_sort.h"

// --- sorting rows by merging -----------------------------------------------------------------

#define SHORT_RUN   12u
#define RUNS_MAX    40u // each is at least twice as long as the next but the last: 2^31 rows
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

// How many rows from the first on ascend; if they descend, all different, they are turned round.
static uint32_t natural_run(const kith_rule *rule, uint32_t *rows, uint32_t count)
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

static void insert_row(const kith_rule *rule, uint32_t *rows, uint32_t at)
{
    uint32_t row = rows[at];
    for (; at > 0 && rule->call.less(rule, row, rows[at - 1]); at--) {
        rows[at] = rows[at - 1];
    }
    rows[at] = row;
}

static uint32_t make_run(const kith_rule *rule, uint32_t *rows, uint32_t count)
{
    uint32_t run = natural_run(rule, rows, count);
    for (; run < kith_least(count, SHORT_RUN); run++) {
        insert_row(rule, rows, run);
    }
    return run;
}

static void prefetch_row(const kith_rule *rule, const uint32_t *rows, uint32_t at, uint32_t count)
{
    if (at + MERGE_AHEAD < count) {
        KITH_PREFETCH(kith_pool_value(rule->pool, rows[at + MERGE_AHEAD]));
    }
}

// Merges `left` rows with the `right` ones behind them.
static void merge_rows(const kith_rule *rule, uint32_t *rows, uint32_t left, uint32_t right,
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

static void merge_top(const kith_rule *rule, run_stack *stack)
{
    uint32_t top = --stack->depth;
    merge_rows(rule, stack->runs[top - 1].rows, stack->runs[top - 1].count, stack->runs[top].count,
               stack->buffer);
    stack->runs[top - 1].count += stack->runs[top].count;
}

static bool top_is_long(const run_stack *stack)
{
    uint32_t top = stack->depth;
    return top >= 2 && stack->runs[top - 2].count < 2 * stack->runs[top - 1].count;
}

static void sort_by_merging(const kith_rule *rule, uint32_t *rows, uint32_t count, void *scratch)
{
    run_stack stack = { .buffer = scratch };
    while (count != 0) {
        uint32_t run                    = make_run(rule, rows, count);
        stack.runs[stack.depth].rows    = rows;
        stack.runs[stack.depth++].count = run;
        rows += run;
        count -= run;
        while (top_is_long(&stack)) {
            merge_top(rule, &stack);
        }
    }
    while (stack.depth > 1) {
        merge_top(rule, &stack);
    }
}

// --- sorting rows by the digits of their keys ------------------------------------------------

#define DIGITS        3u
#define DIGIT_BITS    11u
#define DIGIT_VALUES  (1u << DIGIT_BITS)
#define PAIRS_AT_ONCE 512u
#define DIGITS_LEAST  64u // for fewer rows the counters cost more than merging

typedef uint32_t digit_counts[DIGITS][DIGIT_VALUES];

// A pair is 32 bits of the key above the row.
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

// Some at a time, which are still in the nearest cache when they are counted.
static void make_pairs(const kith_rule *rule, const uint32_t *rows, uint32_t count, uint32_t shift,
                       uint64_t *pairs, digit_counts *counts)
{
    memset(*counts, 0, sizeof *counts);
    for (uint32_t i = 0; i < count; i += PAIRS_AT_ONCE) {
        uint32_t part = kith_least(count - i, PAIRS_AT_ONCE);
        rule->call.pairs(rule, rows + i, part, shift, pairs + i);
        count_digits(pairs + i, part, counts);
    }
}

// Turns the numbers of each digit's pairs into places.
static void add_up(uint32_t *counts)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < DIGIT_VALUES; i++) {
        uint32_t here = counts[i];
        counts[i]     = before;
        before += here;
    }
}

// Puts the pairs, or of the last digit their rows, into the order of a digit.
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

// The next digit in which pairs differ, or DIGITS. What all have in common needs no dealing.
static uint32_t next_digit(digit_counts *counts, uint64_t pair, uint32_t count, uint32_t digit)
{
    while (digit < DIGITS && (*counts)[digit][digit_of(pair, digit)] == count) {
        digit++;
    }
    return digit;
}

// By 32 bits of the keys.
static void sort_by_half(const kith_rule *rule, uint32_t *rows, uint32_t count, uint32_t shift,
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

static bool has_digits(const kith_rule *rule, uint32_t count)
{
    return rule->call.pairs != NULL && count >= DIGITS_LEAST;
}

KITH_INTERNAL size_t kith_sort_bytes(const kith_rule *rule, uint32_t count)
{
    return has_digits(rule, count) ? (size_t)2 * count * sizeof(uint64_t) + sizeof(digit_counts)
                                   : count * sizeof(uint32_t);
}

KITH_INTERNAL size_t kith_sort_bytes_most(uint32_t count)
{
    return (size_t)2 * count * sizeof(uint64_t) + sizeof(digit_counts);
}

KITH_INTERNAL void kith_sort_rows(const kith_rule *rule, uint32_t *rows, uint32_t count,
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
