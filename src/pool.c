// SPDX-License-Identifier: MIT
#include "pool.h"

// --- values ----------------------------------------------------------------------------------

KITH_INTERNAL bool kith_pool_construct(const kith_pool *pool, void *value, const void *source)
{
    if (source != NULL && pool->hooks.copy != NULL) {
        return pool->hooks.copy(value, source, pool->hooks.context);
    }
    if (source != NULL) {
        memcpy(value, source, pool->size);
        return true;
    }
    if (pool->hooks.construct != NULL) {
        return pool->hooks.construct(value, pool->hooks.context);
    }
    memset(value, 0, pool->size);
    return true;
}

KITH_INTERNAL void kith_pool_destruct(const kith_pool *pool, void *value)
{
    if (pool->hooks.destruct != NULL) {
        pool->hooks.destruct(value, pool->hooks.context);
    }
}

KITH_INTERNAL void kith_pool_move(const kith_pool *pool, void *to, void *from)
{
    if (pool->hooks.move != NULL) {
        pool->hooks.move(to, from, pool->hooks.context);
    } else {
        memcpy(to, from, pool->size);
    }
}

KITH_INTERNAL bool kith_pool_replace(kith_pool *pool, void *value, const void *source)
{
    if (pool->plain) {
        if (source == NULL) {
            memset(value, 0, pool->size);
        } else {
            memmove(value, source, pool->size); // the source may be the value itself
        }
        return true;
    }
    assert(pool->spare != NULL);
    if (!kith_pool_construct(pool, pool->spare, source)) {
        return false;
    }
    kith_pool_destruct(pool, value);
    kith_pool_move(pool, value, pool->spare);
    return true;
}

static void set_bit(kith_pool *pool, uint32_t row, bool on)
{
    uint64_t  bit  = UINT64_C(1) << (row & 63);
    uint64_t *word = &pool->disabled[row >> 6];
    uint32_t  more = on ? (*word & bit) == 0 : 0u - ((*word & bit) != 0);
    pool->disabled_count += more;
    pool->set.shared->disabled += more;
    *word = on ? *word | bit : *word & ~bit;
}

static void move_bit(kith_pool *pool, uint32_t from, uint32_t to)
{
    if (pool->disabled != NULL) {
        set_bit(pool, to, kith_pool_disabled(pool, from));
        set_bit(pool, from, false);
    }
}

// Notes in the journal, if there is one, that the member with this index goes.
static void note_removal(kith_pool *pool, uint32_t index)
{
    if (pool->journal.entries != NULL) {
        uint64_t version = *kith_sparse_set_slot(&pool->set, index) & ~(uint64_t)UINT32_MAX;
        kith_journal_note(&pool->journal, pool->set.head.tick_, version | index);
    }
}

// --- removing --------------------------------------------------------------------------------
//
// What removing and destroying cost is here (bench M2, C4). A pool without hooks, holes and disable
// bits moves bytes and nothing else, and with their number known to the compiler that takes a third
// fewer instructions than with it in a register: so a pool chooses its function when it changes.

KITH_ALWAYS_INLINE bool remove_bytes(kith_pool *pool, uint32_t index, size_t size, uint32_t shift,
                                     size_t packed_at)
{
    kith_sparse_set *set  = &pool->set;
    uint64_t        *slot = kith_sparse_set_slot(set, index);
    uint32_t         row  = (uint32_t)*slot & ~KITH_HOLE;
    uint32_t         last = --set->head.rows_;
    *slot                 = KITH_EMPTY;
    set->moves++;
    if (row != last) {
        uint32_t mask  = (1u << shift) - 1;
        uint8_t *to    = set->head.pages_[row >> shift];
        uint8_t *from  = set->head.pages_[last >> shift];
        uint32_t moved = ((uint32_t *)(void *)(from + packed_at))[last & mask];
        ((uint32_t *)(void *)(to + packed_at))[row & mask] = moved;
        kith_sparse_set_point(set, moved, row);
        set->head.stamps_[row >> shift] = set->head.tick_;
        memcpy(to + (row & mask) * size, from + (last & mask) * size, size);
    }
    return true;
}

// Where the packed indices of a page of the usual length start is a constant too.
#define REMOVE_USUAL(SIZE)                                                                         \
    static bool remove_##SIZE(kith_pool *pool, uint32_t index)                                     \
    {                                                                                              \
        return remove_bytes(pool, index, SIZE, KITH_SHIFT_(SIZE), SIZE << KITH_SHIFT_(SIZE));      \
    }

REMOVE_USUAL(0)
REMOVE_USUAL(4)
REMOVE_USUAL(8)
REMOVE_USUAL(12)
REMOVE_USUAL(16)

static bool remove_any(kith_pool *pool, uint32_t index)
{
    return remove_bytes(pool, index, pool->size, pool->set.head.shift_, pool->set.head.packed_at_);
}

static bool remove_flag(kith_pool *pool, uint32_t index)
{
    (void)index;
    pool->set.head.flags_cleared_++;
    return true;
}

static bool remove_fully(kith_pool *pool, uint32_t index)
{
    uint32_t row   = (uint32_t)*kith_sparse_set_slot(&pool->set, index) & ~KITH_HOLE;
    void    *value = kith_pool_value(pool, row);
    note_removal(pool, index);
    ++*pool->set.shared->busy;
    kith_pool_destruct(pool, value);
    if (pool->disabled != NULL) {
        set_bit(pool, row, false);
    }
    uint32_t moved = kith_sparse_set_remove(&pool->set, row);
    if (moved != KITH_NO_ROW) {
        kith_pool_move(pool, value, kith_pool_value(pool, moved));
        move_bit(pool, moved, row);
    }
    --*pool->set.shared->busy;
    return true;
}

KITH_INTERNAL void kith_pool_leave(kith_pool *pool, uint32_t index)
{
    assert(pool->set.shared->held != 0);
    if (pool->rowless) {
        pool->set.head.flags_cleared_++;
        return;
    }
    uint32_t row = (uint32_t)*kith_sparse_set_slot(&pool->set, index) & ~KITH_HOLE;
    if (pool->disabled != NULL) {
        set_bit(pool, row, false);
    }
    note_removal(pool, index);
    kith_sparse_set_leave(&pool->set, row);
}

static void choose_remove(kith_pool *pool)
{
    if (pool->rowless) {
        pool->remove = remove_flag;
        return;
    }
    if (!kith_pool_simple(pool)) {
        pool->remove = remove_fully;
        return;
    }
    bool usual = pool->set.head.shift_ == KITH_SHIFT_(pool->size);
    switch (usual ? pool->size : UINT32_MAX) {
    case 0:
        pool->remove = remove_0;
        break;
    case 4:
        pool->remove = remove_4;
        break;
    case 8:
        pool->remove = remove_8;
        break;
    case 12:
        pool->remove = remove_12;
        break;
    case 16:
        pool->remove = remove_16;
        break;
    default:
        pool->remove = remove_any;
    }
}

// --- making ----------------------------------------------------------------------------------

KITH_INTERNAL void kith_pool_hooks(kith_pool *pool, const kith_hooks *hooks)
{
    pool->hooks = *hooks;
    pool->plain = kith_hooks_none(hooks);
    choose_remove(pool);
}

KITH_INTERNAL void kith_pool_init(kith_pool *pool, const kith_pool_layout *layout,
                                  kith_shared *shared)
{
    *pool         = (kith_pool){ 0 };
    pool->size    = layout->size;
    pool->rowless = layout->rowless;
    kith_sparse_set_init(&pool->set, layout->size, layout->alignment, layout->shift, layout->policy,
                         shared);
    if (layout->row_ticks) {
        kith_sparse_set_give_ticks(&pool->set);
    }
    kith_pool_hooks(pool, &(kith_hooks){ 0 });
}

// --- memory ----------------------------------------------------------------------------------

static void give_disabled(kith_pool *pool, const kith_allocator *memory)
{
    kith_memory_give(memory, pool->disabled, pool->disabled_words * sizeof(uint64_t),
                     _Alignof(uint64_t));
    pool->disabled       = NULL;
    pool->disabled_words = 0;
    choose_remove(pool);
}

// Lets the disable bits reach every row of the pages there are and of the page that holds row
// `rows` - 1. At least doubled, because it copies.
static bool cover_rows(kith_pool *pool, const kith_allocator *memory, uint64_t rows)
{
    uint64_t page_rows = kith_sparse_set_page_rows(&pool->set);
    uint64_t in_pages  = pool->set.page_count * page_rows;
    uint64_t wanted    = rows > in_pages ? (rows + page_rows - 1) & ~(page_rows - 1) : in_pages;
    uint32_t words     = (uint32_t)((wanted + 63) / 64);
    if (words <= pool->disabled_words) {
        return true;
    }
    words          = words < 2 * pool->disabled_words ? 2 * pool->disabled_words : words;
    uint64_t *bits = kith_memory_take_zeroed(memory, words * sizeof(uint64_t), _Alignof(uint64_t));
    if (bits == NULL) {
        return false;
    }
    if (pool->disabled != NULL) {
        memcpy(bits, pool->disabled, pool->disabled_words * sizeof(uint64_t));
    }
    give_disabled(pool, memory);
    pool->disabled       = bits;
    pool->disabled_words = words;
    choose_remove(pool);
    return true;
}

KITH_INTERNAL bool kith_pool_reserve_spare(kith_pool *pool, const kith_allocator *memory)
{
    if (pool->spare == NULL && pool->size != 0) {
        pool->spare = kith_memory_take(memory, pool->size, pool->set.alignment);
        return pool->spare != NULL;
    }
    return true;
}

// What rows need beside their pages. Comes before the pages: inline code uses those as soon as they
// are there.
static bool reserve_beside(kith_pool *pool, const kith_allocator *memory, uint64_t rows)
{
    return (pool->plain || kith_pool_reserve_spare(pool, memory)) &&
           (pool->disabled == NULL || cover_rows(pool, memory, rows));
}

KITH_INTERNAL bool kith_pool_reserve(kith_pool *pool, const kith_allocator *memory, uint32_t index)
{
    return reserve_beside(pool, memory, (uint64_t)pool->set.head.rows_ + 1) &&
           kith_sparse_set_reserve_slot(&pool->set, memory, index);
}

KITH_INTERNAL bool kith_pool_reserve_rows(kith_pool *pool, const kith_allocator *memory,
                                          uint32_t rows)
{
    return reserve_beside(pool, memory, rows) &&
           kith_sparse_set_reserve_rows(&pool->set, memory, rows);
}

KITH_INTERNAL void kith_pool_give_spare(kith_pool *pool, const kith_allocator *memory)
{
    kith_memory_give(memory, pool->spare, pool->size, pool->set.alignment);
    pool->spare = NULL;
}

KITH_INTERNAL void kith_pool_shrink(kith_pool *pool, const kith_allocator *memory)
{
    kith_sparse_set_shrink(&pool->set, memory);
    if (pool->disabled_count == 0) {
        give_disabled(pool, memory);
    }
    if (pool->set.head.rows_ == 0) {
        kith_pool_give_spare(pool, memory);
    }
}

KITH_INTERNAL void kith_pool_release(kith_pool *pool, const kith_allocator *memory)
{
    kith_sparse_set_release(&pool->set, memory);
    give_disabled(pool, memory);
    kith_pool_give_spare(pool, memory);
    kith_journal_release(&pool->journal, memory);
}

KITH_INTERNAL void kith_pool_memory(const kith_pool *pool, kith_memory *memory)
{
    kith_sparse_set_memory(&pool->set, memory);
    memory->other +=
        pool->disabled_words * sizeof(uint64_t) + pool->journal.capacity * sizeof(kith_removal);
    memory->values += pool->spare == NULL ? 0 : pool->size;
}

// --- rows -------------------------------------------------------------------------------------

KITH_INTERNAL void kith_pool_clear(kith_pool *pool)
{
    bool told = pool->hooks.destruct != NULL || pool->journal.entries != NULL;
    for (uint32_t row = 0; row < pool->set.head.rows_ && told; row++) {
        if (!kith_pool_hole(pool, row)) {
            note_removal(pool, *kith_sparse_set_packed(&pool->set, row));
            kith_pool_destruct(pool, kith_pool_value(pool, row));
        }
    }
    if (pool->disabled != NULL) {
        memset(pool->disabled, 0, pool->disabled_words * sizeof(uint64_t));
        pool->set.shared->disabled -= pool->disabled_count;
        pool->disabled_count = 0;
    }
    kith_sparse_set_clear(&pool->set);
}

// Gives the value in row `from` the place of the hole at `to`.
static inline void fill_hole(kith_pool *pool, uint32_t to, uint32_t from)
{
    if (pool->plain) {
        kith_copy_bytes(kith_pool_value(pool, to), kith_pool_value(pool, from), pool->size);
    } else {
        kith_pool_move(pool, kith_pool_value(pool, to), kith_pool_value(pool, from));
    }
    if (pool->disabled != NULL) {
        move_bit(pool, from, to);
    }
    kith_sparse_set_move(&pool->set, from, to);
}

static uint32_t skip_holes(const kith_pool *pool, uint32_t row)
{
    while (kith_pool_hole(pool, row)) {
        row++;
    }
    return row;
}

static void cut_rows(kith_pool *pool, uint32_t end)
{
    pool->set.head.rows_  = end;
    pool->set.holes       = 0;
    pool->set.newest_hole = KITH_NO_ROW;
    pool->set.moves++;
}

KITH_INTERNAL void kith_pool_compact(kith_pool *pool)
{
    uint32_t end  = kith_sparse_set_count(&pool->set);
    uint32_t from = end;
    if (pool->set.holes == 0) {
        return;
    }
    for (uint32_t hole = 0; hole < end; hole++) {
        if (kith_pool_hole(pool, hole)) {
            from = skip_holes(pool, from);
            fill_hole(pool, hole, from++);
        }
    }
    cut_rows(pool, end);
}

static void end_holes(kith_pool *pool)
{
    kith_sparse_set *set = &pool->set;
    kith_sparse_set_reverse_holes(set);
    for (uint32_t row = set->newest_hole; row != KITH_NO_ROW;
         row          = kith_sparse_set_older_hole(set, row)) {
        kith_pool_destruct(pool, kith_pool_value(pool, row));
    }
    kith_sparse_set_reverse_holes(set);
}

KITH_INTERNAL void kith_pool_end_left(kith_pool *pool)
{
    kith_sparse_set *set = &pool->set;
    if (set->policy == KITH_POLICY_SWAP) {
        kith_sparse_set_order_holes(set);
        if (pool->hooks.destruct != NULL) {
            end_holes(pool);
        }
        return;
    }
    for (uint32_t row = kith_sparse_set_next_left(set, set->lowest); row != KITH_NO_ROW;
         row          = kith_sparse_set_next_left(set, row + 1)) {
        kith_pool_destruct(pool, kith_pool_value(pool, row));
        kith_sparse_set_forget_left(set, row);
    }
}

// The highest row below `row` that is no hole; there is one.
static uint32_t next_below(const kith_pool *pool, uint32_t row)
{
    do {
        row--;
    } while (kith_pool_hole(pool, row));
    return row;
}

// Rows whose slots are asked for before the first of them moves: their misses overlap.
#define MOVED_AT_ONCE 64u

// Gives each hole the value of a row, as bytes: what fill_hole does, with the pool's fields in
// registers (bench P1).
static void fill_plain(kith_pool *pool, const uint32_t *holes, const uint32_t *rows, uint32_t count)
{
    const kith_pool_head_ head = pool->set.head;
    uint32_t              mask = (1u << head.shift_) - 1;
    size_t                size = pool->size;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t  *to     = head.pages_[holes[i] >> head.shift_];
        uint8_t  *from   = head.pages_[rows[i] >> head.shift_];
        uint32_t  at     = holes[i] & mask;
        uint32_t  index  = ((uint32_t *)(void *)(from + head.packed_at_))[rows[i] & mask];
        uint64_t *slot   = &head.sparse_[index >> KITH_PAGE_SHIFT_][index & KITH_PAGE_MASK_];
        uint32_t *packed = (uint32_t *)(void *)(to + head.packed_at_);
        kith_copy_bytes(to + at * size, from + (rows[i] & mask) * size, size);
        packed[at]                            = index;
        *slot                                 = (*slot & ~(uint64_t)KITH_ROWS_MAX) | holes[i];
        head.stamps_[holes[i] >> head.shift_] = head.tick_;
    }
}

// Fills the highest holes below the new end, at most MOVED_AT_ONCE, with the highest values above
// it, both descending.
static uint32_t fill_some(kith_pool *pool, uint32_t *next, uint32_t end, uint32_t from)
{
    const kith_sparse_set *set = &pool->set;
    uint32_t               holes[MOVED_AT_ONCE];
    uint32_t               rows[MOVED_AT_ONCE];
    uint32_t               count = 0;
    uint32_t               hole  = *next;
    for (; hole != KITH_NO_ROW && count < MOVED_AT_ONCE;
         hole = kith_sparse_set_older_hole(set, hole)) {
        if (hole < end) {
            from         = next_below(pool, from);
            holes[count] = hole;
            rows[count]  = from;
            KITH_PREFETCH(kith_sparse_set_slot(set, *kith_sparse_set_packed(set, from)));
            count++;
        }
    }
    *next = hole;
    if (KITH_LIKELY_(kith_pool_bare(pool))) {
        fill_plain(pool, holes, rows, count);
        return from;
    }
    for (uint32_t i = 0; i < count; i++) {
        fill_hole(pool, holes[i], rows[i]);
    }
    return from;
}

// Fills the holes below the new end with the values above it: both ascending, so the highest hole
// gets the highest value.
KITH_INTERNAL void kith_pool_close_left(kith_pool *pool)
{
    kith_sparse_set *set = &pool->set;
    set->left            = 0;
    if (set->policy == KITH_POLICY_STABLE) {
        return;
    }
    uint32_t end  = kith_sparse_set_count(set);
    uint32_t from = set->head.rows_;
    uint32_t hole = set->newest_hole;
    if (KITH_LIKELY_(set->holes == 1)) {
        if (hole != end) {
            fill_hole(pool, hole, end);
        }
        hole = KITH_NO_ROW;
    }
    while (hole != KITH_NO_ROW) {
        from = fill_some(pool, &hole, end, from);
    }
    cut_rows(pool, end);
}

// Copies rows to lower ones. Both lie in one page each.
static void shift_rows(kith_pool *pool, uint32_t to, uint32_t from, uint32_t count)
{
    uint32_t       *packed = kith_sparse_set_packed(&pool->set, to);
    const uint32_t *source = kith_sparse_set_packed(&pool->set, from);
    memmove(kith_pool_value(pool, to), kith_pool_value(pool, from), (size_t)count * pool->size);
    for (uint32_t i = 0; i < count; i++) {
        packed[i] = source[i];
        kith_sparse_set_point(&pool->set, packed[i], to + i);
    }
}

// The same for rows in several pages.
static void shift_run(kith_pool *pool, uint32_t to, uint32_t from, uint32_t count)
{
    const kith_sparse_set *set = &pool->set;
    for (uint32_t part; count != 0; from += part, to += part, count -= part) {
        part = kith_least(kith_sparse_set_left_in_page(set, from),
                          kith_sparse_set_left_in_page(set, to));
        part = kith_least(part, count);
        shift_rows(pool, to, from, part);
    }
}

static void stamp_run(kith_sparse_set *set, uint32_t first, uint32_t count)
{
    for (uint32_t part, row = first; row < first + count; row += part) {
        kith_sparse_set_stamp(set, row);
        part = kith_sparse_set_left_in_page(set, row);
    }
}

KITH_INTERNAL void kith_pool_cut(kith_pool *pool, uint32_t first, uint32_t count)
{
    kith_sparse_set *set  = &pool->set;
    uint32_t         rows = set->head.rows_;
    uint32_t         end  = rows - count;
    assert(kith_pool_simple(pool) && set->holes == 0 && first + count <= rows);
    stamp_run(set, first, count);
    uint32_t from = first + count > end ? first + count : end;
    shift_run(pool, first, from, rows - from);
    cut_rows(pool, end);
}

// Exchanges up to 64 bytes. For a constant size that is a few registers.
static inline void swap_part(uint8_t *a, uint8_t *b, size_t size)
{
    uint8_t from_a[64];
    uint8_t from_b[64];
    memcpy(from_a, a, size);
    memcpy(from_b, b, size);
    memcpy(a, from_b, size);
    memcpy(b, from_a, size);
}

// The usual sizes without a call (bench M1 in a group).
static inline void swap_bytes(uint8_t *a, uint8_t *b, size_t size)
{
    switch (size) {
    case 4:
        swap_part(a, b, 4);
        return;
    case 8:
        swap_part(a, b, 8);
        return;
    case 12:
        swap_part(a, b, 12);
        return;
    case 16:
        swap_part(a, b, 16);
        return;
    }
    for (size_t part; size != 0; a += part, b += part, size -= part) {
        part = size < 64 ? size : 64;
        swap_part(a, b, part);
    }
}

static void swap_values(kith_pool *pool, void *a, void *b)
{
    if (pool->plain) {
        swap_bytes(a, b, pool->size);
        return;
    }
    kith_pool_move(pool, pool->spare, a);
    kith_pool_move(pool, a, b);
    kith_pool_move(pool, b, pool->spare);
}

// Joining a group is little more than the two functions below (bench M1), so they look up each
// address once and before they write.

// Where a row of bytes is, who has it and where that is said.
typedef struct row_place {
    uint8_t  *value;
    uint32_t *packed;
    uint64_t *stamp;
} row_place;

static inline row_place place_of(const kith_pool *pool, uint32_t row)
{
    const kith_pool_head_ *head    = &pool->set.head;
    uint8_t               *page    = head->pages_[row >> head->shift_];
    uint32_t               in_page = row & ((1u << head->shift_) - 1);
    return (row_place){ page + (size_t)in_page * pool->size,
                        (uint32_t *)(void *)(page + head->packed_at_) + in_page,
                        &head->stamps_[row >> head->shift_] };
}

static inline uint64_t slot_with(uint64_t slot, uint32_t row)
{
    return (slot & ~(uint64_t)KITH_ROWS_MAX) | row;
}

static void swap_plain(kith_pool *pool, uint32_t a, uint32_t b)
{
    row_place at_a    = place_of(pool, a);
    row_place at_b    = place_of(pool, b);
    uint32_t  index_a = *at_a.packed;
    uint32_t  index_b = *at_b.packed;
    uint64_t *slot_a  = kith_sparse_set_slot(&pool->set, index_a);
    uint64_t *slot_b  = kith_sparse_set_slot(&pool->set, index_b);
    uint64_t  tick    = pool->set.head.tick_;
    pool->set.moves++;
    swap_bytes(at_a.value, at_b.value, pool->size);
    *at_a.packed = index_b;
    *at_b.packed = index_a;
    *slot_a      = slot_with(*slot_a, b);
    *slot_b      = slot_with(*slot_b, a);
    *at_a.stamp  = tick;
    *at_b.stamp  = tick;
}

static void pass_on_plain(kith_pool *pool, uint32_t from, uint32_t to)
{
    row_place at_from = place_of(pool, from);
    row_place at_to   = place_of(pool, to);
    uint32_t  index   = *at_from.packed;
    uint64_t *slot    = kith_sparse_set_slot(&pool->set, index);
    uint64_t  tick    = pool->set.head.tick_;
    pool->set.moves++;
    kith_copy_bytes(at_to.value, at_from.value, pool->size);
    *at_to.packed  = index;
    *slot          = slot_with(*slot, to);
    *at_to.stamp   = tick;
    *at_from.stamp = tick;
}

KITH_INTERNAL void kith_pool_swap(kith_pool *pool, uint32_t a, uint32_t b)
{
    if (a == b) {
        return;
    }
    if (KITH_LIKELY_(kith_pool_bare(pool))) {
        swap_plain(pool, a, b);
        return;
    }
    swap_values(pool, kith_pool_value(pool, a), kith_pool_value(pool, b));
    kith_sparse_set_swap(&pool->set, a, b);
    if (pool->disabled != NULL) {
        bool in_a = kith_pool_disabled(pool, a);
        set_bit(pool, a, kith_pool_disabled(pool, b));
        set_bit(pool, b, in_a);
    }
}

// Rows that wait while a run takes their places, and the bytes that their values may have.
#define PASSED_ROWS  64u
#define PASSED_BYTES 2048u

typedef struct waiting_rows {
    uint8_t  values[PASSED_BYTES];
    uint32_t indices[PASSED_ROWS];
    uint32_t count;
} waiting_rows;

static void let_wait(const kith_pool *pool, waiting_rows *rows, uint32_t first, uint32_t count)
{
    size_t size = pool->size;
    rows->count = count;
    for (uint32_t i = 0; i < count; i++) {
        rows->indices[i] = *kith_sparse_set_packed(&pool->set, first + i);
        memcpy(rows->values + i * size, kith_pool_value(pool, first + i), size);
    }
}

// The i-th row gets what was i + `turn` in the row, round and round.
static void put_turned(kith_pool *pool, const waiting_rows *rows, uint32_t first, uint32_t turn)
{
    size_t size = pool->size;
    for (uint32_t i = 0; i < rows->count; i++) {
        uint32_t from = (i + turn) % rows->count;
        memcpy(kith_pool_value(pool, first + i), rows->values + from * size, size);
        *kith_sparse_set_packed(&pool->set, first + i) = rows->indices[from];
        kith_sparse_set_point(&pool->set, rows->indices[from], first + i);
    }
}

// The rows before the run wait, the run moves down, and they take the places behind it: each where
// as many swaps would have carried it.
static void bring_past(kith_pool *pool, uint32_t to, uint32_t passed, uint32_t count)
{
    waiting_rows rows;
    let_wait(pool, &rows, to, passed);
    shift_run(pool, to, to + passed, count);
    put_turned(pool, &rows, to + count, count);
    stamp_run(&pool->set, to, count + passed);
    pool->set.moves++;
}

// Room for rows that wait.
static bool can_wait(const kith_pool *pool, uint32_t rows)
{
    return rows <= PASSED_ROWS && (size_t)rows * pool->size <= PASSED_BYTES;
}

KITH_INTERNAL bool kith_pool_can_retire(const kith_pool *pool, uint32_t count, uint32_t tail)
{
    return tail == 0 || tail >= count || can_wait(pool, tail);
}

KITH_INTERNAL void kith_pool_retire(kith_pool *pool, uint32_t first, uint32_t count, uint32_t end)
{
    uint32_t tail = end - first - count;
    assert(kith_pool_simple(pool) && kith_pool_can_retire(pool, count, tail));
    stamp_run(&pool->set, first, count);
    pool->set.moves++;
    if (tail >= count) {
        shift_run(pool, first, end - count, count);
    } else if (tail != 0) {
        waiting_rows rows;
        let_wait(pool, &rows, first + count, tail);
        // they fill the highest places; from there each step lets the last of them go before the
        // first, once for each place that is left
        put_turned(pool, &rows, first, tail - (count - tail) % tail);
    }
}

KITH_INTERNAL void kith_pool_bring(kith_pool *pool, uint32_t to, uint32_t from, uint32_t count)
{
    uint32_t passed = from - to;
    if (passed != 0 && passed < count && can_wait(pool, passed) && kith_pool_simple(pool)) {
        bring_past(pool, to, passed, count);
        return;
    }
    for (uint32_t i = 0; i < count && passed != 0; i++) {
        kith_pool_swap(pool, from + i, to + i);
    }
}

// --- another order ---------------------------------------------------------------------------
//
// Small plain values go through a buffer: reads from anywhere, writes by ascending rows. Others
// follow the cycles of the moves, so that each moves once, and one of each cycle waits meanwhile.

#define GATHERED_SIZE_MAX 32u
#define MOVE_DONE         0x80000000u // in `from`: no row has that bit

static bool gathers(const kith_pool *pool)
{
    return pool->plain && pool->size <= GATHERED_SIZE_MAX;
}

KITH_INTERNAL size_t kith_pool_rearrange_bytes(const kith_pool *pool, uint32_t count)
{
    size_t one     = kith_sparse_set_ticked(&pool->set) ? sizeof(uint64_t) : sizeof(uint32_t);
    size_t members = count * one;
    size_t values  = gathers(pool) ? (size_t)count * pool->size : pool->size;
    return values > members ? values : members;
}

KITH_ALWAYS_INLINE void gather_bytes(const kith_pool *pool, const kith_move *moves, uint32_t count,
                                     uint8_t *buffer, size_t size)
{
    uint8_t *const *pages = pool->set.head.pages_;
    uint32_t        shift = pool->set.head.shift_;
    uint32_t        mask  = (1u << shift) - 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = moves[i].from;
        memcpy(buffer + i * size, pages[from >> shift] + (from & mask) * size, size);
    }
}

// How many moves from the first on go to neighbouring rows of one page.
static uint32_t neighbours(const kith_pool *pool, const kith_move *moves, uint32_t count)
{
    uint32_t most = kith_least(count, kith_sparse_set_left_in_page(&pool->set, moves[0].to));
    uint32_t run  = moves[most - 1].to == moves[0].to + most - 1 ? most : 1;
    while (run < most && moves[run].to == moves[0].to + run) {
        run++;
    }
    return run;
}

static void scatter_bytes(const kith_pool *pool, const kith_move *moves, uint32_t count,
                          const uint8_t *buffer)
{
    size_t size = pool->size;
    for (uint32_t i = 0, run = 0; i < count; i += run) {
        run = neighbours(pool, moves + i, count - i);
        memcpy(kith_pool_value(pool, moves[i].to), buffer + i * size, run * size);
    }
}

static void gather_values(const kith_pool *pool, const kith_move *moves, uint32_t count,
                          uint8_t *buffer)
{
    switch (pool->size) {
    case 4:
        gather_bytes(pool, moves, count, buffer, 4);
        break;
    case 8:
        gather_bytes(pool, moves, count, buffer, 8);
        break;
    case 12:
        gather_bytes(pool, moves, count, buffer, 12);
        break;
    case 16:
        gather_bytes(pool, moves, count, buffer, 16);
        break;
    default:
        gather_bytes(pool, moves, count, buffer, pool->size);
    }
    scatter_bytes(pool, moves, count, buffer);
}

// The move to that row, which is one of them. Between the first and it there are at most as many
// rows without a move as there are in all, so where most rows move it is found at once.
static kith_move *find_move(kith_move *moves, uint32_t count, uint32_t row)
{
    uint32_t before = row - moves[0].to;
    uint32_t still  = moves[count - 1].to - moves[0].to + 1 - count;
    uint32_t low    = before > still ? before - still : 0;
    uint32_t high   = kith_least(before, count - 1);
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
                         void *waiting)
{
    uint32_t first = move->to;
    kith_pool_move(pool, waiting, kith_pool_value(pool, first));
    while (move->from != first) {
        uint32_t from = move->from;
        kith_pool_move(pool, kith_pool_value(pool, move->to), kith_pool_value(pool, from));
        move->from |= MOVE_DONE;
        move = find_move(moves, count, from);
    }
    kith_pool_move(pool, kith_pool_value(pool, move->to), waiting);
    move->from |= MOVE_DONE;
}

static void follow_cycles(kith_pool *pool, kith_move *moves, uint32_t count, void *waiting)
{
    for (uint32_t i = 0; i < count; i++) {
        if ((moves[i].from & MOVE_DONE) == 0) {
            follow_cycle(pool, moves, count, &moves[i], waiting);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        moves[i].from &= ~MOVE_DONE;
    }
}

static void rearrange_bits(kith_pool *pool, const kith_move *moves, uint32_t count, uint8_t *buffer)
{
    for (uint32_t i = 0; i < count; i++) {
        buffer[i] = kith_pool_disabled(pool, moves[i].from);
    }
    for (uint32_t i = 0; i < count; i++) {
        set_bit(pool, moves[i].to, buffer[i]);
    }
}

KITH_INTERNAL void kith_pool_rearrange(kith_pool *pool, kith_move *moves, uint32_t count,
                                       void *buffer)
{
    if (gathers(pool)) {
        gather_values(pool, moves, count, buffer);
    } else {
        follow_cycles(pool, moves, count, pool->plain ? buffer : pool->spare);
    }
    if (pool->disabled_count != 0) {
        rearrange_bits(pool, moves, count, buffer);
    }
    kith_sparse_set_rearrange(&pool->set, moves, count, buffer);
}

KITH_INTERNAL void kith_pool_pass_on(kith_pool *pool, uint32_t from, uint32_t to)
{
    if (KITH_LIKELY_(kith_pool_bare(pool))) {
        pass_on_plain(pool, from, to);
        return;
    }
    fill_hole(pool, to, from);
    kith_sparse_set_stamp(&pool->set, from);
    pool->set.moves++;
}

KITH_INTERNAL void kith_pool_exchange(kith_pool *pool, uint32_t a, uint32_t b)
{
    if (!kith_pool_hole(pool, a)) {
        kith_pool_swap(pool, a, b);
        return;
    }
    kith_pool_pass_on(pool, b, a);
    *kith_sparse_set_packed(&pool->set, b) = KITH_HOLE;
}

KITH_INTERNAL bool kith_pool_reserve_disabled(kith_pool *pool, const kith_allocator *memory)
{
    return cover_rows(pool, memory, 0);
}

KITH_INTERNAL void kith_pool_disable(kith_pool *pool, uint32_t row)
{
    set_bit(pool, row, true);
}

KITH_INTERNAL void kith_pool_enable(kith_pool *pool, uint32_t row)
{
    if (pool->disabled != NULL) {
        set_bit(pool, row, false);
    }
}

KITH_INTERNAL uint32_t kith_pool_row_at(const kith_pool *pool, const void *address)
{
    uintptr_t wanted = (uintptr_t)address;
    uint32_t  rows   = kith_sparse_set_page_rows(&pool->set);
    for (uint32_t page = 0; page < pool->set.page_count && pool->size != 0; page++) {
        uintptr_t first = (uintptr_t)pool->set.head.pages_[page];
        if (wanted >= first && wanted - first < (uintptr_t)rows * pool->size) {
            uint64_t row =
                ((uint64_t)page << pool->set.head.shift_) + (wanted - first) / pool->size;
            bool taken = row < pool->set.head.rows_ && !kith_pool_hole(pool, (uint32_t)row);
            return taken ? (uint32_t)row : KITH_NO_ROW;
        }
    }
    return KITH_NO_ROW;
}
