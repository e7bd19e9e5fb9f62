// SPDX-License-Identifier: MIT
// Sorting rows: keys as numbers, how two rows compare, merge sort, radix sort. group.h has the
// idea.
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

#define RADIX_LEAST 64u  // rows: for fewer the counters cost more than row_merge
#define RISE_AHEAD  2048 // bytes to prefetch: the processor does not prefetch across memory pages

static kith_key_reader make_reader(const kith_sort_key *key)
{
    uint32_t        bytes  = kith_field_type_size(key->type);
    bool            signs  = key->type >= KITH_TYPE_I8;
    uint64_t        sign   = UINT64_C(1) << (8 * bytes - 1);
    uint64_t        all    = sign | (sign - 1);
    uint64_t        turn   = (signs ? sign : 0) ^ (key->descending ? all : 0);
    kith_key_reader reader = { key->offset, bytes, all, turn, .nan = all };
    if (key->type >= KITH_TYPE_F32) {
        reader.magnitude = sign - 1;
        reader.lowest    = bytes == 4 ? UINT64_C(0x7fffff) : UINT64_C(0xfffffffffffff);
        reader.nan       = all - 2 * reader.lowest + 1;
    }
    return reader;
}

// `bytes` is a constant for keys of 4 bytes, the usual ones, so that no switch remains.
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

KITH_NOINLINE static const uint8_t *key_place(const kith_sort_rule *rule, uint32_t row)
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

static uint64_t read_key(const kith_sort_rule *rule, uint32_t row)
{
    uint32_t bytes = rule->key.bytes;
    return number_of(&rule->key, load_bits(key_place(rule, row), bytes), bytes);
}

// The first row after `row` that does not ascend. A key of the other sign or NaN ends it, too. A
// sorted pool goes through here as a whole: four rows at a time take half as long as one by one.
KITH_ALWAYS_INLINE uint32_t rise(const kith_sort_rule *rule, uint32_t row, uint32_t end,
                                 uint32_t bytes)
{
    size_t   size = rule->pool->size;
    uint64_t bits = load_bits(key_place(rule, row), bytes);
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    // keys with this sign get the sign bit, so the others come below
    uint64_t turn = (turn_of(&rule->key, bits, bytes) & ~sign) | (~bits & sign);
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

// --- rules -----------------------------------------------------------------------------------

static bool less_by_key(const kith_sort_rule *rule, uint32_t a, uint32_t b)
{
    return read_key(rule, a) < read_key(rule, b);
}

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

kith_sort_rule kith_sort_rule_of(const kith_pool *pool, const kith_entity_table *table,
                                 const kith_sort_desc *by)
{
    return (kith_sort_rule){ .pool  = pool,
                             .table = table,
                             .by    = *by,
                             .key = by->key == NULL ? (kith_key_reader){ 0 } : make_reader(by->key),
                             .less = by->key != NULL       ? less_by_key
                                     : by->compare != NULL ? less_by_values
                                                           : less_by_entities };
}

uint32_t kith_run_end(const kith_sort_rule *rule, uint32_t row, uint32_t end)
{
    do {
        if (rule->by.key == NULL) {
            row++;
        } else if (rule->key.bytes == 4) {
            row = rise(rule, row, end, 4);
        } else {
            row = rise(rule, row, end, rule->key.bytes);
        }
    } while (row < end && !rule->less(rule, row, row - 1));
    return row;
}

// --- natural merge sort ----------------------------------------------------------------------

// Rows that follow each other and ascend.
typedef struct stretch {
    uint32_t first;
    uint32_t count;
} stretch;

typedef struct row_merge {
    const kith_sort_rule *rule;
    uint32_t              first; // the rows to sort
    uint32_t              end;
    uint32_t              next;   // the first row that is in no list
    stretch              *sorted; // lists of stretches, one behind another
    uint32_t              count;  // stretches of all lists
    uint32_t              most;   // radix sort is faster when there are more
    stretch              *buffer;
} row_merge;

// Whether row `a` must come before row `b`; equal rows keep their order.
static bool belongs_before(const kith_sort_rule *rule, uint32_t a, uint32_t b)
{
    return a < b ? !rule->less(rule, b, a) : rule->less(rule, a, b);
}

// How many rows of the stretch come before `row`: at least `low`, not all. Goes from there in ever
// longer steps, then searches the last step.
static uint32_t rows_before(const kith_sort_rule *rule, const stretch *rows, uint32_t row,
                            uint32_t low)
{
    uint32_t step = 1;
    while (low + step < rows->count && belongs_before(rule, rows->first + low + step - 1, row)) {
        low += step;
        step *= 4;
    }
    uint32_t high = kith_min(low + step, rows->count) - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool     before = belongs_before(rule, rows->first + middle, row); // no branch on it
        high            = before ? high : middle;
        low             = before ? middle + 1 : low;
    }
    return low;
}

// Cuts the first `count` rows off a stretch.
static stretch cut_stretch(stretch *from, uint32_t count)
{
    stretch taken = { from->first, count };
    from->first += count;
    from->count -= count;
    return taken;
}

// Merges the last two lists, which begin at the stretches `left` and `right`. Returns false when
// there are too many stretches.
static bool merge_lists(row_merge *m, uint32_t left, uint32_t right)
{
    const kith_sort_rule *rule  = m->rule;
    const stretch        *most  = m->sorted + m->most;
    stretch              *out   = m->sorted + left;
    stretch              *a     = m->buffer;
    stretch              *b     = a + (right - left);
    const stretch        *a_end = b;
    const stretch        *b_end = a + (m->count - left);
    memcpy(a, out, (m->count - left) * sizeof *out);
    while (a != a_end && b != b_end && out <= most) {
        if (!rule->less(rule, b->first, a->first + a->count - 1)) {
            *out++ = *a++;
            continue;
        }
        uint32_t rows = a->count == 1 ? 0 : rows_before(rule, a, b->first, 0);
        if (rows != 0) {
            *out++ = cut_stretch(a, rows);
        }
        bool all = b->count == 1 || rule->less(rule, b->first + b->count - 1, a->first);
        *out++   = cut_stretch(b, all ? b->count : rows_before(rule, b, a->first, 1));
        b += all;
    }
    const stretch *rest = a == a_end ? b : a;
    size_t         more = (size_t)(a == a_end ? b_end - b : a_end - a);
    memcpy(out, rest, more * sizeof *out);
    m->count = (uint32_t)(out - m->sorted) + (uint32_t)more;
    return m->count <= m->most;
}

// Adds a list with the rows from `next` on that ascend. If none does, those that strictly descend,
// in reverse. Returns false when there are too many stretches.
static bool add_row_run(row_merge *m)
{
    uint32_t first = m->next;
    uint32_t end   = kith_run_end(m->rule, first, m->end);
    if (end - first > 1 || end == m->end) {
        m->sorted[m->count++] = (stretch){ first, end - first };
    } else {
        for (end++; end < m->end && m->rule->less(m->rule, end, end - 1);) {
            end++;
        }
        for (uint32_t row = end; row-- > first;) {
            m->sorted[m->count++] = (stretch){ row, 1 };
        }
    }
    m->next       = end;
    uint32_t rows = m->end - m->first;
    if (m->rule->by.key != NULL && rows >= RADIX_LEAST) {
        m->most = 4 + rows / 256 + (end - m->first) / 16; // random rows exceed this early
    }
    return m->count <= m->most;
}

// Makes the last list, which begins at the row `first` and the stretch `left`, `least` rows long or
// longer, unless no row is left. It grows by lists that are at least half as long, so this nests at
// most 32 times. Returns false when there are too many stretches.
static bool grow_sorted(row_merge *m, uint32_t first, uint32_t left, uint32_t least)
{
    bool few = true;
    while (few && m->next < m->end && m->next - first < least) {
        uint32_t next  = m->next;
        uint32_t right = m->count;
        few            = add_row_run(m) && grow_sorted(m, next, right, (next - first + 1) / 2) &&
              merge_lists(m, left, right);
    }
    return few;
}

// --- radix sort ------------------------------------------------------------------------------
//
// Sorts pairs, 32 bits of the key above the row, by three digits of 11 bits. A key of 8 bytes takes
// two rounds: the lower half, then the upper half.

#define DIGITS       3u
#define DIGIT_BITS   11u
#define DIGIT_VALUES (1u << DIGIT_BITS)

typedef uint32_t digit_counts[DIGITS][DIGIT_VALUES];

static uint32_t digit_of(uint64_t pair, uint32_t digit)
{
    return (uint32_t)(pair >> (32 + digit * DIGIT_BITS)) & (DIGIT_VALUES - 1);
}

// Makes a pair for each row, which stands in the lower half of its pair: 32 bits of its key, from
// bit `shift` on, above the row. Counts the digits of the pairs.
static void make_pairs(const kith_sort_rule *rule, uint64_t *pairs, uint32_t count, uint32_t shift,
                       digit_counts *counts)
{
    const kith_key_reader key  = rule->key; // copies: the stores below cannot change them
    const kith_pool       pool = *rule->pool;
    memset(*counts, 0, sizeof *counts);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t       row  = (uint32_t)pairs[i];
        const uint8_t *at   = (const uint8_t *)kith_pool_value(&pool, row) + key.offset;
        uint64_t       bits = load_bits(at, key.bytes);
        uint64_t       pair = number_of(&key, bits, key.bytes) >> shift << 32 | row;
        (*counts)[0][digit_of(pair, 0)]++;
        (*counts)[1][digit_of(pair, 1)]++;
        (*counts)[2][digit_of(pair, 2)]++;
        pairs[i] = pair;
    }
}

// Orders the pairs by a digit. The counts of its values become their places.
static void deal_pairs(const uint64_t *pairs, uint32_t count, uint32_t digit, uint32_t *counts,
                       uint64_t *dealt)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < DIGIT_VALUES; i++) {
        uint32_t here = counts[i];
        counts[i]     = before;
        before += here;
    }
    for (uint32_t i = 0; i < count; i++) {
        dealt[counts[digit_of(pairs[i], digit)]++] = pairs[i];
    }
}

// Finds the moves of `count` rows from `first` on.
static kith_permutation sort_by_digits(const kith_sort_rule *rule, uint32_t first, uint32_t count,
                                       uint64_t *scratch)
{
    uint64_t     *pairs  = scratch;
    uint64_t     *other  = scratch + count;
    digit_counts *counts = (digit_counts *)(void *)(other + count);
    for (uint32_t i = 0; i < count; i++) {
        pairs[i] = first + i;
    }
    for (uint32_t shift = 0; shift < 8 * rule->key.bytes; shift += 32) {
        make_pairs(rule, pairs, count, shift, counts);
        for (uint32_t digit = 0; digit < DIGITS; digit++) {
            if ((*counts)[digit][digit_of(pairs[0], digit)] == count) {
                continue; // all pairs have the same
            }
            deal_pairs(pairs, count, digit, (*counts)[digit], other);
            uint64_t *dealt = other;
            other           = pairs;
            pairs           = dealt;
        }
    }
    kith_permutation found = { (kith_move *)(void *)other, 0 };
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row             = (uint32_t)pairs[i];
        found.moves[found.count] = (kith_move){ first + i, row };
        found.count += row != first + i;
    }
    return found;
}

// --- both ------------------------------------------------------------------------------------

size_t kith_sort_bytes(uint32_t count)
{
    return 2 * (size_t)count * sizeof(uint64_t) + (count < RADIX_LEAST ? 0 : sizeof(digit_counts));
}

kith_permutation kith_sort_moves(const kith_sort_rule *rule, uint32_t first, uint32_t run,
                                 uint32_t end, void *scratch)
{
    uint32_t  count  = end - first;
    stretch  *sorted = scratch;
    row_merge m      = { .rule   = rule,
                         .first  = first,
                         .end    = end,
                         .next   = run,
                         .sorted = sorted,
                         .count  = 1,
                         .most   = count,
                         .buffer = sorted + count };
    sorted[0]        = (stretch){ first, run - first };
    if (!grow_sorted(&m, first, 0, count)) {
        return sort_by_digits(rule, first, count, scratch);
    }
    kith_permutation found = { (kith_move *)(void *)m.buffer, 0 };
    for (uint32_t i = 0, to = first; i < m.count; to += sorted[i++].count) {
        for (uint32_t k = 0; k < sorted[i].count && sorted[i].first != to; k++) {
            found.moves[found.count++] = (kith_move){ to + k, sorted[i].first + k };
        }
    }
    return found;
}
