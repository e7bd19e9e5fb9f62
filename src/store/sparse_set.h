// SPDX-License-Identifier: MIT
// A set of entities: rows to walk, and pages that lead from an entity to its row.
//
//     entity index --> sparse_[index / 1024][index % 1024] = version << 32 | 1 << 31 | row
//     row          --> pages_[row >> shift_]: payload of the page's rows | packed index of each
//
// Both sides are paged, so nothing moves when the set grows and few members cost few pages however
// large their indices are. Sparse pages that nobody needed yet are one shared page of zeros: a
// lookup has no NULL check. The payload is whatever the owner keeps a row (a pool: the values).
//
// Removal by policy. Swap: the last row moves into the gap. Stable: the row becomes a hole, its
// packed word the hole bit and a link to the hole made before it, and the next insert takes the
// newest hole. While the world is held (a loop is open, an event is announced) nothing moves and no
// row is used twice: in every set removing leaves a hole, and inserting appends.
//
// Every page has a stamp, the tick at which something in it was last written. A page of a stable
// set also has a bit a row: "left while the world was held", so its value is still to be ended.
// Where row ticks are asked for, two arrays follow: when each row was changed, and added. Ticks go
// where their row goes.
//
// Invariant: packed(row) == i without the hole bit  <=>  slot(i) names that row.
//            added <= changed <= the page's stamp, of every row that is no hole
#ifndef KITH_STORE_SPARSE_SET_H
#define KITH_STORE_SPARSE_SET_H

#include "base/alloc.h"

#define KITH_HOLE     0x80000000u
#define KITH_ROWS_MAX 0x7fffffffu // a row has 31 bits, and the last number ends the list of holes
#define KITH_EMPTY    KITH_EMPTY_ // of no version, and without the bit that says "present"

// What every set of a world shares.
typedef struct kith_shared {
    uint32_t *busy;                    // raised while hooks run
    uint32_t  held;                    // not 0: nothing moves, no row is used twice
    uint32_t  disabled;                // rows of all pools; may wrap, but 0 means none
    uint64_t  absent[KITH_PAGE_SLOTS]; // the sparse page of whoever has none; stays zero
} kith_shared;

// A row gets what another row has.
typedef struct kith_move {
    uint32_t to;
    uint32_t from;
} kith_move;

typedef struct kith_sparse_set {
    kith_pool_head_ head;        // sparse_, pages_, shift_: what inline lookups read
    uint32_t        newest_hole; // KITH_NO_ROW: none
    uint32_t        holes;
    uint32_t        limit;
    uint32_t        sparse_capacity;
    uint32_t        page_count;
    uint32_t        page_capacity;
    uint32_t        alignment;          // of a page
    uint32_t        removed_while_held; // holes made while the world is held
    uint32_t        lowest;             // the lowest row of those
    bool            rising;             // each of them is above the one before
    uint64_t        moves;              // how often a row went, moved, or took a hole's place
    kith_shared    *shared;
    kith_policy     policy;
} kith_sparse_set;

// `row_bytes` of payload a row, 2^shift rows a page.
KITH_INTERNAL void kith_sparse_set_init(kith_sparse_set *set, size_t row_bytes, uint32_t alignment,
                                        uint32_t shift, kith_policy policy, kith_shared *shared);

// Makes a copy of a set an empty one of its own, without memory.
KITH_INTERNAL void kith_sparse_set_reset_copy(kith_sparse_set *copy);

// Gives the rows ticks; there is no page yet.
KITH_INTERNAL void kith_sparse_set_enable_ticks(kith_sparse_set *set);
KITH_INTERNAL void kith_sparse_set_release(kith_sparse_set *set, const kith_allocator *memory);

// Gives an empty set of the same layout the members, holes, stamps and limit of another one, and
// its room; where `bytes`, the payload too. The world is not held. False when memory runs out.
KITH_INTERNAL bool kith_sparse_set_copy(kith_sparse_set *set, const kith_allocator *memory,
                                        const kith_sparse_set *from, bool bytes);

// Makes sure that the next insert of this index cannot fail. Not for a set at its limit.
KITH_INTERNAL bool kith_sparse_set_reserve_slot(kith_sparse_set *set, const kith_allocator *memory,
                                                uint32_t index);

// A page that is absent, with slots that the caller fills at once; NULL when memory runs out.
KITH_INTERNAL uint64_t *kith_sparse_set_new_page(kith_sparse_set *set, const kith_allocator *memory,
                                                 uint32_t page);

// Makes sure that there are slots for the indices of a page.
KITH_INTERNAL bool kith_sparse_set_reserve_page(kith_sparse_set *set, const kith_allocator *memory,
                                                uint32_t page);

// Makes room for `rows` rows in all, which is not above the limit.
KITH_INTERNAL bool kith_sparse_set_reserve_rows(kith_sparse_set *set, const kith_allocator *memory,
                                                uint32_t rows);

// Gives the row pages from number `pages` on back; no row is in them.
KITH_INTERNAL void kith_sparse_set_trim(kith_sparse_set *set, const kith_allocator *memory,
                                        uint32_t pages);
KITH_INTERNAL void kith_sparse_set_set_limit(kith_sparse_set *set, uint32_t limit);

// Puts a new member into the row that kith_sparse_set_next_row names. Slot and row are reserved.
KITH_INTERNAL uint32_t kith_sparse_set_insert(kith_sparse_set *set, kith_entity entity);

// Takes the member of a row out. Returns the row whose payload must move to `row`, or KITH_NO_ROW.
KITH_INTERNAL uint32_t kith_sparse_set_remove(kith_sparse_set *set, uint32_t row);

// Empties the slots of many members and tells their rows; then, while the world is held, turns
// these rows of a swap set into holes.
KITH_INTERNAL void kith_sparse_set_clear_slots(kith_sparse_set *set, const uint32_t *indices,
                                               uint32_t count, uint32_t *rows);
KITH_INTERNAL void kith_sparse_set_remove_rows_later(kith_sparse_set *set, const uint32_t *rows,
                                                     uint32_t count);

// Orders the list of a swap set's holes by descending rows, which it is when they were made in row
// order; otherwise O(holes log holes), or O(rows) where there are many. The second turns it round.
KITH_INTERNAL void kith_sparse_set_order_holes(kith_sparse_set *set);
KITH_INTERNAL void kith_sparse_set_reverse_holes(kith_sparse_set *set);

// Links the holes among the rows first .. end - 1 behind `above`, the lowest of those that are
// higher (KITH_NO_ROW: none is). There is none below `first`.
KITH_INTERNAL void kith_sparse_set_relink_holes(kith_sparse_set *set, uint32_t above,
                                                uint32_t first, uint32_t end);

// In a stable set: notes that the row left while the world was held; the next row at or above `row`
// that did, or KITH_NO_ROW; forgets that it did.
KITH_INTERNAL void     kith_sparse_set_mark_removed(kith_sparse_set *set, uint32_t row);
KITH_INTERNAL uint32_t kith_sparse_set_next_removed(const kith_sparse_set *set, uint32_t row);
KITH_INTERNAL void     kith_sparse_set_forget_removed(kith_sparse_set *set, uint32_t row);

// Takes every member out.
KITH_INTERNAL void kith_sparse_set_clear(kith_sparse_set *set);

// Exchanges the members of two rows; the payload is the caller's.
KITH_INTERNAL void kith_sparse_set_swap(kith_sparse_set *set, uint32_t a, uint32_t b);

// Makes all moves at once, for members; the payload is the caller's. Each row that is left is taken
// too. There are some, and `buffer` has room for one index a move, or one tick if there are any.
KITH_INTERNAL void kith_sparse_set_rearrange(kith_sparse_set *set, const kith_move *moves,
                                             uint32_t count, void *buffer);

// Gives back row pages beyond the rows and sparse pages without a member.
KITH_INTERNAL void kith_sparse_set_shrink(kith_sparse_set *set, const kith_allocator *memory);

// Bytes taken: `sparse`, `packed`, `values` (the payload) and directories in `other`.
KITH_INTERNAL void kith_sparse_set_memory(const kith_sparse_set *set, kith_memory *memory);

// Whether a sparse page is the shared one: no slot of a page of the set's own is 0.
static inline bool kith_sparse_set_page_absent(const kith_sparse_set *set, uint32_t page)
{
    return set->head.sparse_[page][0] == 0;
}

static inline uint32_t kith_sparse_set_row(const kith_sparse_set *set, kith_entity entity)
{
    return kith_row_(&set->head, entity);
}

// The row of whoever has the index, or KITH_NO_ROW.
static inline uint32_t kith_sparse_set_row_at(const kith_sparse_set *set, uint32_t index)
{
    uint32_t page = index >> KITH_PAGE_SHIFT_;
    uint64_t slot =
        page < set->head.sparse_pages_ ? set->head.sparse_[page][index & KITH_PAGE_MASK_] : 0;
    return (slot & KITH_HOLE) != 0 ? (uint32_t)slot & ~KITH_HOLE : KITH_NO_ROW;
}

static inline uint32_t kith_sparse_set_page_rows(const kith_sparse_set *set)
{
    return 1u << set->head.shift_;
}

// How many rows from this one on are in its page.
static inline uint32_t kith_sparse_set_rest_of_page(const kith_sparse_set *set, uint32_t row)
{
    uint32_t page_rows = kith_sparse_set_page_rows(set);
    return page_rows - (row & (page_rows - 1));
}

static inline uint32_t *kith_sparse_set_packed(const kith_sparse_set *set, uint32_t row)
{
    uint8_t *page = set->head.pages_[row >> set->head.shift_];
    uint32_t i    = row & (kith_sparse_set_page_rows(set) - 1);
    return (uint32_t *)(void *)(page + set->head.packed_at_) + i;
}

// The same as row_at; most often it is the row that is expected, which need not exist.
static inline uint32_t kith_sparse_set_row_expected(const kith_sparse_set *set, uint32_t index,
                                                    uint32_t expected)
{
    return expected < set->head.rows_ && *kith_sparse_set_packed(set, expected) == index
               ? expected
               : kith_sparse_set_row_at(set, index);
}

static inline uint64_t *kith_sparse_set_slot(const kith_sparse_set *set, uint32_t index)
{
    return &set->head.sparse_[index >> KITH_PAGE_SHIFT_][index & KITH_PAGE_MASK_];
}

static inline void kith_slot_set_row(const kith_sparse_set *set, uint32_t index, uint32_t row)
{
    uint64_t *slot = kith_sparse_set_slot(set, index);
    *slot          = (*slot & ~UINT64_C(0x7fffffff)) | row;
}

// Notes that something in the row's page is written now.
static inline void kith_sparse_set_stamp_page(kith_sparse_set *set, uint32_t row)
{
    set->head.stamps_[row >> set->head.shift_] = set->head.tick_;
}

static inline bool kith_sparse_set_has_ticks(const kith_sparse_set *set)
{
    return set->head.ticks_at_ != 0;
}

// When the row was added; it has ticks.
static inline uint64_t *kith_sparse_set_added_tick(const kith_sparse_set *set, uint32_t row)
{
    return kith_row_tick_(&set->head, row) + kith_sparse_set_page_rows(set);
}

// When something of the row was last changed, as far as that is known.
static inline uint64_t kith_sparse_set_changed_tick(const kith_sparse_set *set, uint32_t row)
{
    return kith_sparse_set_has_ticks(set) ? *kith_row_tick_(&set->head, row)
                                          : set->head.stamps_[row >> set->head.shift_];
}

// How many rows from this one on, of `count` in its page, were not changed since that tick, and how
// many were; as far as that is known. Holes may be either.
static inline uint32_t kith_sparse_set_old_run(const kith_sparse_set *set, uint32_t row,
                                               uint32_t count, uint64_t since)
{
    if (set->head.stamps_[row >> set->head.shift_] < since) {
        return count;
    }
    return kith_sparse_set_has_ticks(set)
               ? kith_array_run_below(kith_row_tick_(&set->head, row), since, count)
               : 0;
}

static inline uint32_t kith_sparse_set_new_run(const kith_sparse_set *set, uint32_t row,
                                               uint32_t count, uint64_t since)
{
    if (!kith_sparse_set_has_ticks(set)) {
        return kith_sparse_set_changed_tick(set, row) >= since ? count : 0;
    }
    return kith_array_run_from(kith_row_tick_(&set->head, row), since, count);
}

// Notes that rows of one page are changed now, or added.
static inline void kith_sparse_set_touch(kith_sparse_set *set, uint32_t row, uint32_t count)
{
    kith_sparse_set_stamp_page(set, row);
    if (KITH_UNLIKELY_(kith_sparse_set_has_ticks(set))) {
        kith_array_fill(kith_row_tick_(&set->head, row), set->head.tick_, count);
    }
}

static inline void kith_sparse_set_touch_added(kith_sparse_set *set, uint32_t row, uint32_t count)
{
    kith_sparse_set_touch(set, row, count);
    if (KITH_UNLIKELY_(kith_sparse_set_has_ticks(set))) {
        kith_array_fill(kith_sparse_set_added_tick(set, row), set->head.tick_, count);
    }
}

// Makes `to`, a hole or a gap, the row of the member in row `from`; the payload is the caller's.
static inline void kith_sparse_set_move(kith_sparse_set *set, uint32_t from, uint32_t to)
{
    uint32_t index                   = *kith_sparse_set_packed(set, from);
    *kith_sparse_set_packed(set, to) = index;
    kith_slot_set_row(set, index, to);
    kith_sparse_set_stamp_page(set, to);
    if (KITH_UNLIKELY_(kith_sparse_set_has_ticks(set))) {
        *kith_row_tick_(&set->head, to)      = *kith_row_tick_(&set->head, from);
        *kith_sparse_set_added_tick(set, to) = *kith_sparse_set_added_tick(set, from);
    }
}

// Takes the member of a row out and leaves a hole.
static inline void kith_sparse_set_remove_later(kith_sparse_set *set, uint32_t row)
{
    uint32_t *packed                    = kith_sparse_set_packed(set, row);
    *kith_sparse_set_slot(set, *packed) = KITH_EMPTY;
    *packed                             = KITH_HOLE | set->newest_hole;
    kith_sparse_set_stamp_page(set, row);
    if (set->shared->held != 0) {
        bool first  = set->removed_while_held++ == 0;
        set->rising = first || (set->rising && row > set->newest_hole);
        set->lowest = first || row < set->lowest ? row : set->lowest;
        if (set->policy == KITH_POLICY_STABLE) {
            kith_sparse_set_mark_removed(set, row);
        }
    }
    set->newest_hole = row;
    set->holes++;
    set->moves++;
}

// The hole made before the one in this row, or KITH_NO_ROW.
static inline uint32_t kith_sparse_set_older_hole(const kith_sparse_set *set, uint32_t row)
{
    uint32_t older = *kith_sparse_set_packed(set, row) & ~KITH_HOLE;
    return older == (KITH_NO_ROW & ~KITH_HOLE) ? KITH_NO_ROW : older;
}

// Whether the next insert takes a hole's place.
static inline bool kith_sparse_set_reuses_hole(const kith_sparse_set *set)
{
    return set->newest_hole != KITH_NO_ROW && set->shared->held == 0;
}

// The row that the next insert takes.
static inline uint32_t kith_sparse_set_next_row(const kith_sparse_set *set)
{
    return kith_sparse_set_reuses_hole(set) ? set->newest_hole : set->head.rows_;
}

// The members.
static inline uint32_t kith_sparse_set_count(const kith_sparse_set *set)
{
    return set->head.rows_ - set->holes;
}

// The most rows that there may be.
static inline uint32_t kith_sparse_set_max(const kith_sparse_set *set)
{
    return kith_min(set->limit, KITH_ROWS_MAX);
}

// Whether one more member keeps within the limit.
static inline bool kith_sparse_set_below_limit(const kith_sparse_set *set)
{
    return kith_sparse_set_reuses_hole(set) || set->head.rows_ < kith_sparse_set_max(set);
}

#endif
