// SPDX-License-Identifier: MIT
// Finding the permutation that sorts rows; group.h has the idea.
#include "group/group.h"

static bool alloc_block(kith_permutation *found, const kith_allocator *memory, size_t bytes)
{
    found->memory = kith_alloc(memory, bytes, KITH_CACHE_LINE);
    found->bytes  = bytes;
    return found->memory != NULL;
}

KITH_INTERNAL void kith_permutation_free(kith_permutation *found, const kith_allocator *memory)
{
    kith_free(memory, found->memory, found->bytes, KITH_CACHE_LINE);
    *found = (kith_permutation){ 0 };
}

// The bytes of a list of rows, rounded up so that what follows is aligned for 64 bits.
static size_t list_bytes(uint32_t count)
{
    return ((size_t)count + 1) / 2 * sizeof(uint64_t);
}

// Adds moves of `count` rows from `from` to `to`, unless these are the same. While `moves` is NULL,
// counts them only.
static void add_moves(kith_permutation *found, uint32_t to, uint32_t from, uint32_t count)
{
    if (to == from) {
        return;
    }
    for (uint32_t i = 0; found->moves != NULL && i < count; i++) {
        found->moves[found->count + i] = (kith_move){ to + i, from + i };
    }
    found->count += count;
}

// Adds the moves that bring the listed rows to the rows from `first` on.
static void list_moves(kith_permutation *found, uint32_t first, const uint32_t *rows,
                       uint32_t count, void *moves)
{
    found->moves = moves;
    for (uint32_t i = 0; i < count; i++) {
        found->moves[found->count] = (kith_move){ first + i, rows[i] };
        found->count += rows[i] != first + i;
    }
}

// Sorts all rows; returns false when memory runs out.
static bool sort_all(const kith_sort_rule *rule, uint32_t first, uint32_t end,
                     const kith_allocator *memory, kith_permutation *found)
{
    uint32_t count = end - first;
    size_t   bytes = kith_sort_bytes(rule, count);
    size_t   moves = count * sizeof(kith_move);
    if (!alloc_block(found, memory, list_bytes(count) + (bytes > moves ? bytes : moves))) {
        return false;
    }
    uint32_t *rows    = found->memory;
    void     *scratch = (uint8_t *)found->memory + list_bytes(count);
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = first + i;
    }
    kith_sort_rows(rule, rows, count, scratch);
    list_moves(found, first, rows, count, scratch);
    return true;
}

// Whether row `a` must come before row `b`; equal rows keep their order.
static bool belongs_before(const kith_sort_rule *rule, uint32_t a, uint32_t b)
{
    return a < b ? !rule->call.less(rule, b, a) : rule->call.less(rule, a, b);
}

// --- few displaced rows ----------------------------------------------------------------------

// Rows `first` .. `end` - 1, which ascend.
typedef struct stretch {
    uint32_t first;
    uint32_t end;
} stretch;

// The rows in two parts: stretches, which ascend from one to the next, and displaced rows between.
typedef struct split {
    const kith_sort_rule *rule;
    uint32_t              end;
    stretch              *kept;
    uint32_t              kept_count;
    uint32_t             *displaced;
    uint32_t              displaced_count;
    uint32_t             *places; // of each displaced row: the first kept row behind it
    void                 *scratch;
} split;

// Sorting all rows is faster when more than this are displaced among the first `seen` of `count`.
// Rows in random order exceed this early.
static uint32_t displaced_most(uint32_t count, uint32_t seen)
{
    return count / 128 + seen / 16 + 4;
}

// Keeps the rows from `row` on that ascend from the last kept one. Returns the first other row.
static uint32_t keep_rows(split *s, uint32_t row)
{
    if (row >= s->end) {
        return row;
    }
    bool     none = s->kept_count == 0;
    uint32_t last = none ? row : s->kept[s->kept_count - 1].end - 1;
    uint32_t next = s->rule->call.next_descent(s->rule, last, none ? row + 1 : row, s->end);
    if (next != row) {
        s->kept[s->kept_count++] = (stretch){ row, next };
    }
    return next;
}

// Whether `row`, which must come before the last kept row, may stay behind the last but one.
static bool fits_without_last(const split *s, uint32_t row)
{
    const stretch *last = &s->kept[s->kept_count - 1];
    if (last->end - last->first >= 2) {
        return !s->rule->call.less(s->rule, row, last->end - 2);
    }
    return s->kept_count < 2 || !s->rule->call.less(s->rule, row, last[-1].end - 1);
}

// `row` must come before the last kept row: displaces one of the two, the one that is more out of
// place, or both when neither is. That keeps the displaced rows few. Returns the next row to look
// at.
static uint32_t displace(split *s, uint32_t row)
{
    stretch *last = &s->kept[s->kept_count - 1];
    bool     high = fits_without_last(s, row);
    // the next row must come before the last kept row, too
    if (high || row + 1 >= s->end || s->rule->call.less(s->rule, row + 1, last->end - 1)) {
        s->kept_count -= --last->end == last->first;
        s->displaced_count++;
    }
    s->displaced_count += !high;
    return high ? row : row + 1;
}

// Splits the rows; returns false when too many are displaced. `descent` is the first that is.
static bool split_rows(split *s, uint32_t first, uint32_t descent)
{
    s->kept[0]    = (stretch){ first, descent };
    s->kept_count = 1;
    while (descent != s->end) {
        descent = keep_rows(s, displace(s, descent));
        if (s->displaced_count > displaced_most(s->end - first, descent - first)) {
            return false;
        }
    }
    return true;
}

// Lists the rows between the stretches, from `row` on.
static void list_displaced(split *s, uint32_t row)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= s->kept_count; i++) {
        uint32_t stop = i < s->kept_count ? s->kept[i].first : s->end;
        while (row < stop) {
            s->displaced[count++] = row++;
        }
        row = i < s->kept_count ? s->kept[i].end : row;
    }
    assert(count == s->displaced_count);
}

// The first of the rows `low` .. `high` - 1 that the displaced row must come before, or `high`.
static uint32_t place_in_stretch(const kith_sort_rule *rule, uint32_t row, uint32_t low,
                                 uint32_t high)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool     before = belongs_before(rule, row, middle); // unpredictable: no branch on it
        high            = before ? middle : high;
        low             = before ? low : middle + 1;
    }
    return low;
}

// Finds the place of each displaced row. Places ascend even if the comparison contradicts itself.
static void find_places(split *s)
{
    uint32_t at = 0, place = 0;
    for (uint32_t i = 0; i < s->displaced_count; i++) {
        uint32_t row = s->displaced[i];
        while (at + 1 < s->kept_count && !belongs_before(s->rule, row, s->kept[at + 1].first)) {
            at++;
        }
        const stretch *in = &s->kept[at];
        place = place_in_stretch(s->rule, row, place > in->first ? place : in->first, in->end);
        s->places[i] = place;
    }
}

// Merges the stretches with the sorted displaced rows into the rows from `to` on.
static void add_split_moves(const split *s, uint32_t to, kith_permutation *found)
{
    uint32_t next = 0; // of the displaced rows
    for (uint32_t i = 0; i < s->kept_count; i++) {
        uint32_t row = s->kept[i].first;
        for (; next < s->displaced_count && s->places[next] < s->kept[i].end; next++) {
            uint32_t before = s->places[next] > row ? s->places[next] - row : 0;
            add_moves(found, to, row, before);
            add_moves(found, to + before, s->displaced[next], 1);
            row += before;
            to += before + 1;
        }
        add_moves(found, to, row, s->kept[i].end - row);
        to += s->kept[i].end - row;
    }
    for (; next < s->displaced_count; next++) {
        add_moves(found, to++, s->displaced[next], 1);
    }
}

// Sorts the displaced rows and makes the moves: counts them, allocates, then adds them.
static bool merge_split(split *s, uint32_t first, const kith_allocator *memory,
                        kith_permutation *found)
{
    list_displaced(s, first);
    kith_sort_rows(s->rule, s->displaced, s->displaced_count, s->scratch);
    find_places(s);
    add_split_moves(s, first, found);
    if (found->count == 0) {
        return true; // only when the comparison contradicts itself
    }
    if (!alloc_block(found, memory, found->count * sizeof(kith_move))) {
        return false;
    }
    found->moves = found->memory;
    found->count = 0;
    add_split_moves(s, first, found);
    return true;
}

// The bytes to split with at most `most` displaced rows. Each of them can end a stretch, and so can
// the one that is too many.
static size_t split_bytes(size_t sorting, uint32_t most)
{
    return sorting + (most + 2) * sizeof(stretch) + (size_t)2 * most * sizeof(uint32_t);
}

KITH_INTERNAL size_t kith_permutation_bytes(uint32_t count)
{
    uint32_t most  = displaced_most(count, count);
    size_t   moves = count * sizeof(kith_move) + KITH_CACHE_LINE;
    size_t   all   = list_bytes(count) + kith_sort_bytes_max(count);
    size_t   part  = split_bytes(kith_sort_bytes_max(most), most) + moves;
    return all > part ? all : part;
}

KITH_INTERNAL bool kith_permutation_by_rule(const kith_sort_rule *rule, uint32_t first,
                                            uint32_t end, const kith_allocator *memory,
                                            kith_permutation *found)
{
    *found           = (kith_permutation){ 0 };
    split    s       = { .rule = rule, .end = end };
    uint32_t descent = end - first < 2 ? end : rule->call.next_descent(rule, first, first + 1, end);
    if (descent == end) {
        return true;
    }
    kith_permutation block = { 0 };
    uint32_t         most  = displaced_most(end - first, end - first);
    if (!alloc_block(&block, memory, split_bytes(kith_sort_bytes(rule, most), most))) {
        return false;
    }
    s.scratch   = block.memory;
    s.kept      = (stretch *)(void *)((uint8_t *)block.memory + kith_sort_bytes(rule, most));
    s.displaced = (uint32_t *)(void *)(s.kept + most + 2);
    s.places    = s.displaced + most;
    bool few    = split_rows(&s, first, descent);
    bool done   = few && merge_split(&s, first, memory, found);
    kith_permutation_free(&block, memory);
    return few ? done : sort_all(rule, first, end, memory, found);
}

// --- in the order of another set -------------------------------------------------------------

// Lists the rows in the order of `other`, then those that `other` lacks. `taken` has a byte for
// each row.
static void list_by_set(const kith_sparse_set *set, uint32_t first, uint32_t end,
                        const kith_sparse_set *other, uint32_t *rows, uint8_t *taken)
{
    uint32_t count = 0;
    memset(taken, 0, end - first);
    for (uint32_t at = 0; at < other->head.rows_; at++) {
        uint32_t index = *kith_sparse_set_packed(other, at); // a hole has no row
        uint32_t row   = kith_sparse_set_row_expected(set, index, first + count);
        if (row >= first && row < end) {
            rows[count++]      = row;
            taken[row - first] = 1;
        }
    }
    for (uint32_t row = first; row < end; row++) {
        if (taken[row - first] == 0) {
            rows[count++] = row;
        }
    }
}

KITH_INTERNAL bool kith_permutation_by_set(const kith_sparse_set *set, uint32_t first, uint32_t end,
                                           const kith_sparse_set *other,
                                           const kith_allocator *memory, kith_permutation *found)
{
    uint32_t count = end - first;
    *found         = (kith_permutation){ 0 };
    if (count == 0) {
        return true;
    }
    if (!alloc_block(found, memory, list_bytes(count) + count * sizeof(kith_move))) {
        return false;
    }
    uint32_t *rows    = found->memory;
    void     *scratch = (uint8_t *)found->memory + list_bytes(count);
    list_by_set(set, first, end, other, rows, scratch);
    list_moves(found, first, rows, count, scratch);
    return true;
}
