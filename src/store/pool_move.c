// SPDX-License-Identifier: MIT
// Moving the rows of a pool: swaps, runs of rows, a new order of all rows; copies of its values.
#include "store/pool.h"

// --- runs of rows ----------------------------------------------------------------------------

// Copies rows to lower rows. Source and target lie in one page each.
static void shift_rows(kith_pool *pool, uint32_t to, uint32_t from, uint32_t count)
{
    uint32_t       *packed = kith_sparse_set_packed(&pool->set, to);
    const uint32_t *source = kith_sparse_set_packed(&pool->set, from);
    memmove(kith_pool_value(pool, to), kith_pool_value(pool, from), (size_t)count * pool->size);
    for (uint32_t i = 0; i < count; i++) {
        packed[i] = source[i];
        kith_slot_set_row(&pool->set, packed[i], to + i);
    }
}

// The same for rows in several pages.
static void shift_run(kith_pool *pool, uint32_t to, uint32_t from, uint32_t count)
{
    const kith_sparse_set *set = &pool->set;
    for (uint32_t part; count != 0; from += part, to += part, count -= part) {
        part = kith_min(kith_sparse_set_rest_of_page(set, from),
                        kith_sparse_set_rest_of_page(set, to));
        part = kith_min(part, count);
        shift_rows(pool, to, from, part);
    }
}

static void stamp_run(kith_sparse_set *set, uint32_t first, uint32_t count)
{
    for (uint32_t part, row = first; row < first + count; row += part) {
        kith_sparse_set_stamp_page(set, row);
        part = kith_sparse_set_rest_of_page(set, row);
    }
}

void kith_pool_remove_run(kith_pool *pool, uint32_t first, uint32_t count)
{
    kith_sparse_set *set  = &pool->set;
    uint32_t         rows = set->head.rows_;
    uint32_t         end  = rows - count;
    assert(kith_pool_is_simple(pool) && set->holes == 0 && first + count <= rows);
    stamp_run(set, first, count);
    uint32_t from = first + count > end ? first + count : end;
    shift_run(pool, first, from, rows - from);
    kith_sparse_set_truncate(set, end);
    kith_pool_poison(pool, end, count);
}

// Exchanges at most 8 bytes. For a constant size that is a few registers.
KITH_ALWAYS_INLINE void swap_part(uint8_t *a, uint8_t *b, size_t size)
{
    uint64_t in_a;
    uint64_t in_b;
    memcpy(&in_a, a, size);
    memcpy(&in_b, b, size);
    memcpy(a, &in_b, size);
    memcpy(b, &in_a, size);
}

KITH_ALWAYS_INLINE void swap_bytes(uint8_t *a, uint8_t *b, size_t size)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        swap_part(a + i, b + i, 8);
    }
    if ((size & 4) != 0) {
        swap_part(a + i, b + i, 4);
        i += 4;
    }
    for (; i < size; i++) {
        swap_part(a + i, b + i, 1);
    }
}

// Exchanges the member `index`, which has the slot, with the one in row `b`, and the first `size`
// bytes of their values. In the order that needs the fewest registers (bench M1).
KITH_ALWAYS_INLINE void swap_members(kith_pool *pool, uint64_t *slot, uint32_t index, uint32_t b,
                                     size_t size, uint32_t shift, size_t packed_at)
{
    kith_sparse_set *set          = &pool->set;
    uint32_t         a            = (uint32_t)*slot;
    set->head.stamps_[a >> shift] = set->head.tick_;
    set->head.stamps_[b >> shift] = set->head.tick_;
    set->moves++;
    *slot ^= a ^ b; // its lowest bits are the row
    uint8_t  *page_a = set->head.pages_[a >> shift];
    uint8_t  *page_b = set->head.pages_[b >> shift];
    uint32_t  at_a   = a & ((1u << shift) - 1);
    uint32_t  at_b   = b & ((1u << shift) - 1);
    uint32_t *in_b   = (uint32_t *)(void *)(page_b + packed_at) + at_b;
    uint32_t  other  = *in_b;
    *in_b            = index;
    ((uint32_t *)(void *)(page_a + packed_at))[at_a] = other;
    *kith_sparse_set_slot(set, other) ^= a ^ b;
    swap_bytes(page_a + at_a * size, page_b + at_b * size, size);
}

// Rows of any size, with hooks, ticks or disable bits.
static void swap_any_case(kith_pool *pool, uint64_t *slot, uint32_t index, uint32_t b)
{
    uint32_t a = (uint32_t)*slot;
    if (pool->set.head.disabled_ != 0) {
        bool in_a = kith_pool_is_disabled(pool, a);
        kith_pool_set_disabled(pool, a, kith_pool_is_disabled(pool, b));
        kith_pool_set_disabled(pool, b, in_a);
    }
    if (kith_sparse_set_has_ticks(&pool->set)) {
        kith_sparse_set_swap_ticks(&pool->set, a, b);
    }
    if (!pool->plain) {
        void *at_a = kith_pool_value(pool, a);
        void *at_b = kith_pool_value(pool, b);
        ++*pool->set.shared->busy;
        kith_pool_move_value(pool, pool->spare, at_a);
        kith_pool_move_value(pool, at_a, at_b);
        kith_pool_move_value(pool, at_b, pool->spare);
        --*pool->set.shared->busy;
    }
    swap_members(pool, slot, index, b, pool->plain ? pool->size : 0, pool->set.head.shift_,
                 pool->set.head.packed_at_);
}

// A constant size takes half the instructions: there is a function per usual size.
#define SWAP_USUAL(SIZE)                                                                           \
    static void swap_##SIZE(kith_pool *pool, uint64_t *slot, uint32_t index, uint32_t b)           \
    {                                                                                              \
        swap_members(pool, slot, index, b, SIZE, KITH_SHIFT_(SIZE), SIZE << KITH_SHIFT_(SIZE));    \
    }

SWAP_USUAL(8)
SWAP_USUAL(12)
SWAP_USUAL(16)

const kith_pool_swap_fn kith_pool_swaps[7] = { swap_any_case, swap_any_case, swap_any_case, swap_8,
                                               swap_12,       swap_16,       swap_any_case };

void kith_pool_swap(kith_pool *pool, uint32_t a, uint32_t b)
{
    kith_pool_swap_entity(pool, *kith_sparse_set_packed(&pool->set, a), b);
}

void kith_pool_swap_or_fill(kith_pool *pool, uint32_t a, uint32_t b)
{
    if (!kith_pool_is_hole(pool, a)) {
        kith_pool_swap(pool, a, b);
        return;
    }
    kith_pool_fill_hole(pool, a, b);
    kith_sparse_set_stamp_page(&pool->set, b);
    pool->set.moves++;
    *kith_sparse_set_packed(&pool->set, b) = KITH_HOLE;
}

// A buffer for rows, while a run takes their places.
#define SAVED_ROWS  64u
#define SAVED_BYTES 2048u

// Saves the `passed` rows before the run, moves the run down, and writes the saved rows behind it:
// each to the place where `count` swaps would have carried it.
static void swap_past(kith_pool *pool, uint32_t to, uint32_t passed, uint32_t count)
{
    size_t   size = pool->size;
    uint8_t  values[SAVED_BYTES];
    uint32_t indices[SAVED_ROWS];
    for (uint32_t i = 0; i < passed; i++) {
        indices[i] = *kith_sparse_set_packed(&pool->set, to + i);
        memcpy(values + i * size, kith_pool_value(pool, to + i), size);
    }
    shift_run(pool, to, to + passed, count);
    for (uint32_t i = 0; i < passed; i++) {
        uint32_t from = (i + count) % passed;
        uint32_t row  = to + count + i;
        memcpy(kith_pool_value(pool, row), values + from * size, size);
        *kith_sparse_set_packed(&pool->set, row) = indices[from];
        kith_slot_set_row(&pool->set, indices[from], row);
    }
    stamp_run(&pool->set, to, count + passed);
    pool->set.moves++;
}

void kith_pool_refill(kith_pool *pool, uint32_t first, uint32_t count, uint32_t end)
{
    uint32_t tail = end - first - count;
    assert(kith_pool_is_simple(pool) && (tail == 0 || tail >= count));
    stamp_run(&pool->set, first, count);
    pool->set.moves++;
    shift_run(pool, first, end - count, tail == 0 ? 0 : count);
}

void kith_pool_swap_run(kith_pool *pool, uint32_t to, uint32_t from, uint32_t count)
{
    uint32_t passed = from - to;
    bool     fits   = passed <= SAVED_ROWS && (size_t)passed * pool->size <= SAVED_BYTES;
    if (passed != 0 && passed < count && fits && kith_pool_is_simple(pool)) {
        swap_past(pool, to, passed, count);
        return;
    }
    for (uint32_t i = 0; i < count && passed != 0; i++) {
        kith_pool_swap(pool, from + i, to + i);
    }
}

// --- another order ---------------------------------------------------------------------------
//
// Small plain values go through a buffer: read in any order, written by ascending rows. Other
// values follow the cycles of the moves: each moves once, and one value per cycle is set aside.

#define BUFFERED_SIZE_MAX 32u
#define MOVE_DONE         0x80000000u // in `from`: no row has that bit

KITH_NOINLINE static bool uses_buffer(const kith_pool *pool)
{
    return pool->plain && pool->size <= BUFFERED_SIZE_MAX;
}

size_t kith_pool_rearrange_bytes(const kith_pool *pool, uint32_t count)
{
    size_t one     = kith_sparse_set_has_ticks(&pool->set) ? sizeof(uint64_t) : sizeof(uint32_t);
    size_t members = count * one;
    size_t values  = uses_buffer(pool) ? (size_t)count * pool->size : pool->size;
    return values > members ? values : members;
}

static void read_moved(const kith_pool *pool, const kith_move *moves, uint32_t count,
                       uint8_t *buffer)
{
    size_t          size  = pool->size;
    uint8_t *const *pages = pool->set.head.pages_;
    uint32_t        shift = pool->set.head.shift_;
    uint32_t        mask  = (1u << shift) - 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = moves[i].from;
        kith_copy_bytes(buffer + i * size, pages[from >> shift] + (from & mask) * size, size);
    }
}

// Returns how many moves, from the first on, go to consecutive rows of one page.
static uint32_t consecutive(const kith_pool *pool, const kith_move *moves, uint32_t count)
{
    uint32_t most = kith_min(count, kith_sparse_set_rest_of_page(&pool->set, moves[0].to));
    uint32_t run  = moves[most - 1].to == moves[0].to + most - 1 ? most : 1;
    while (run < most && moves[run].to == moves[0].to + run) {
        run++;
    }
    return run;
}

static void write_moved(const kith_pool *pool, const kith_move *moves, uint32_t count,
                        const uint8_t *buffer)
{
    size_t size = pool->size;
    for (uint32_t i = 0, run = 0; i < count; i += run) {
        run = consecutive(pool, moves + i, count - i);
        memcpy(kith_pool_value(pool, moves[i].to), buffer + i * size, run * size);
    }
}

// Returns the move whose `to` is `row`. At most `still` rows between the first move and this one do
// not move, which bounds the search: where most rows move, it ends at once.
static kith_move *find_move(kith_move *moves, uint32_t count, uint32_t row)
{
    uint32_t before = row - moves[0].to;
    uint32_t still  = moves[count - 1].to - moves[0].to + 1 - count;
    uint32_t low    = before > still ? before - still : 0;
    uint32_t high   = kith_min(before, count - 1);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (moves[middle].to < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &moves[low];
}

static void follow_cycle(kith_pool *pool, kith_move *moves, uint32_t count, kith_move *move,
                         void *aside)
{
    uint32_t first = move->to;
    kith_pool_move_value(pool, aside, kith_pool_value(pool, first));
    while (move->from != first) {
        uint32_t from = move->from;
        kith_pool_move_value(pool, kith_pool_value(pool, move->to), kith_pool_value(pool, from));
        move->from |= MOVE_DONE;
        move = find_move(moves, count, from);
    }
    kith_pool_move_value(pool, kith_pool_value(pool, move->to), aside);
    move->from |= MOVE_DONE;
}

static void follow_cycles(kith_pool *pool, kith_move *moves, uint32_t count, void *aside)
{
    for (uint32_t i = 0; i < count; i++) {
        if ((moves[i].from & MOVE_DONE) == 0) {
            follow_cycle(pool, moves, count, &moves[i], aside);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        moves[i].from &= ~MOVE_DONE;
    }
}

static void rearrange_bits(kith_pool *pool, const kith_move *moves, uint32_t count, uint8_t *buffer)
{
    for (uint32_t i = 0; i < count; i++) {
        buffer[i] = kith_pool_is_disabled(pool, moves[i].from);
    }
    for (uint32_t i = 0; i < count; i++) {
        kith_pool_set_disabled(pool, moves[i].to, buffer[i]);
    }
}

void kith_pool_rearrange(kith_pool *pool, kith_move *moves, uint32_t count, void *buffer)
{
    if (!uses_buffer(pool)) {
        follow_cycles(pool, moves, count, pool->plain ? buffer : pool->spare);
    } else if (pool->size != 0) {
        read_moved(pool, moves, count, buffer);
        write_moved(pool, moves, count, buffer);
    }
    if (pool->set.head.disabled_ != 0) {
        rearrange_bits(pool, moves, count, buffer);
    }
    kith_sparse_set_rearrange(&pool->set, moves, count, buffer);
}

// --- copies ----------------------------------------------------------------------------------

uint32_t kith_pool_copy_values(kith_pool *pool, const kith_pool *from)
{
    uint32_t row = 0;
    while (row < from->set.head.rows_ &&
           (kith_pool_is_hole(from, row) ||
            kith_pool_construct(pool, kith_pool_value(pool, row), kith_pool_value(from, row)))) {
        row++;
    }
    if (row == from->set.head.rows_) {
        return KITH_NO_ROW;
    }
    for (uint32_t made = 0; made < row; made++) {
        if (!kith_pool_is_hole(from, made)) {
            kith_pool_destruct(pool, kith_pool_value(pool, made));
        }
    }
    kith_sparse_set_clear(&pool->set);
    return row;
}
