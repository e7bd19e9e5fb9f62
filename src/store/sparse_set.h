// SPDX-License-Identifier: MIT
// A sparse set of entities: rows to walk, and pages that lead from an entity to its row.
//
//     entity index --> sparse_[index / 1024][index % 1024] = version << 32 | row
//     row          --> pages_[row >> shift_]: payload of the page's rows | packed index of each
//
// Both sides are paged. So nothing moves when the set grows, and few members cost few pages, even
// if their indices are large. Sparse pages without a member are one shared page of ones, so a
// lookup has no NULL check. The payload belongs to the owner of the set (a pool: the values).
//
// Removal depends on the policy:
//   swap      the last row moves into the gap
//   stable    the row becomes a hole: its packed word is the hole bit and a link to the hole made
//             before it; the next insert takes the newest hole
// While the world is held (a loop is open, a listener runs) nothing moves and no row is used twice:
// in every set, removing leaves a hole and inserting appends.
//
// Every page has a stamp: the tick of the last write to it. A page of a stable set also has a bit
// per row, "removed while held": the value of such a row is not destructed yet. With row ticks a
// page ends in two arrays: the tick at which each row was changed, and added. Ticks move with rows.
//
// Invariant: packed(row) == i without the hole bit  <=>  slot(i) names that row.
//            added <= changed <= stamp of the page, for every row that is no hole
#pragma once

#include "base/alloc.h"

#define KITH_HOLE     0x80000000u // in a packed index: the row is a hole
#define KITH_ROWS_MAX 0x7fffffffu // a row has 31 bits, and the highest ends the list of holes
#define KITH_EMPTY    KITH_EMPTY_ // a slot without a member: no version, and KITH_NO_ROW

// What all sets of a world share.
typedef struct kith_shared {
    const kith_allocator *memory;   // of the world: of pages, lookups, values and what lies beside
    uint32_t             *busy;     // incremented while hooks run
    uint32_t              held;     // not 0: nothing moves, no row is used twice
    uint32_t              disabled; // disabled rows of all pools, modulo 2^32
    uint64_t absent[KITH_PAGE_SLOTS]; // stands for every sparse page without a member; KITH_ABSENT_
} kith_shared;

// The content of row `from` moves to row `to`.
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
    uint32_t        alignment; // of a page
    size_t          page_bytes;
    uint32_t        removed_while_held; // holes made while the world is held
    uint32_t        lowest;             // the lowest row of these holes
    bool            rising;             // each of these holes is above the one made before it
    uint64_t        moves; // grows whenever rows are removed or moved, or a hole is reused
    kith_shared    *shared;
    kith_policy     policy;

    const kith_allocator *memory; // of the world
} kith_sparse_set;

// Each row has `row_bytes` of payload, each page 2^shift rows.
void kith_sparse_set_init(kith_sparse_set *set, size_t row_bytes, uint32_t alignment,
                          uint32_t shift, kith_policy policy, kith_shared *shared);

// Turns a bitwise copy of a set into an empty set with the same settings, without memory.
void kith_sparse_set_reset_copy(kith_sparse_set *copy);

// Gives the rows ticks. The set has no page yet.
void kith_sparse_set_enable_ticks(kith_sparse_set *set);
void kith_sparse_set_free(kith_sparse_set *set);

// Copies the members, holes, stamps, limit and capacity of `from` into an empty set of the same
// layout; if `bytes`, the payload too. The world is not held. Returns false when memory runs out.
bool kith_sparse_set_copy(kith_sparse_set *set, const kith_sparse_set *from, bool bytes);

// Reserves memory, so the next insert, of this index, cannot fail. The set is below its limit.
bool kith_sparse_set_reserve_slot(kith_sparse_set *set, uint32_t index);

// Allocates an absent sparse page. The caller writes all slots at once. Returns NULL when memory
// runs out.
uint64_t *kith_sparse_set_new_page(kith_sparse_set *set, uint32_t page);

// Allocates the sparse page, if it is absent, with empty slots.
bool kith_sparse_set_reserve_page(kith_sparse_set *set, uint32_t page);

// Makes room for `rows` rows in all, at most the limit.
bool kith_sparse_set_reserve_rows(kith_sparse_set *set, uint32_t rows);

// Frees all row pages but the first `pages`. The others hold no row.
void kith_sparse_set_trim(kith_sparse_set *set, uint32_t pages);

// Frees the sparse pages from `first` on that have no member, or, if `all`, every one of them.
void kith_sparse_set_trim_slots(kith_sparse_set *set, uint32_t first, bool all);
void kith_sparse_set_set_limit(kith_sparse_set *set, uint32_t limit);

// Inserts a member into the row that kith_sparse_set_next_row returns. Slot and row are reserved.
uint32_t kith_sparse_set_insert(kith_sparse_set *set, kith_entity entity);

// Moves the member in row `from` to row `to`, a hole or a gap. The caller moves the payload.
void kith_sparse_set_move(kith_sparse_set *set, uint32_t from, uint32_t to);

// Removes the member of a row. Returns the row whose payload the caller must move to `row`, or
// KITH_NO_ROW.
uint32_t kith_sparse_set_remove(kith_sparse_set *set, uint32_t row);

// Removes the member of a row and leaves a hole.
void kith_sparse_set_remove_to_hole(kith_sparse_set *set, uint32_t row);

// Removes many members of a swap set while the world is held, in two steps: `clear_slots` empties
// their slots and writes their rows to `rows`; `rows_to_holes` turns these rows into holes.
void kith_sparse_set_clear_slots(kith_sparse_set *set, const uint32_t *indices, uint32_t count,
                                 uint32_t *rows);
void kith_sparse_set_rows_to_holes(kith_sparse_set *set, const uint32_t *rows, uint32_t count);

// Sorts the list of holes of a swap set by descending rows. O(1) if the holes were made in row
// order; otherwise O(holes log holes), or O(rows) if there are many. The second function reverses
// the list.
void kith_sparse_set_order_holes(kith_sparse_set *set);
void kith_sparse_set_reverse_holes(kith_sparse_set *set);

// Links the holes among the rows first .. end - 1, descending, behind `above`: the lowest hole at
// or above `end`, or KITH_NO_ROW if there is none. No hole is below `first`.
void kith_sparse_set_relink_holes(kith_sparse_set *set, uint32_t above, uint32_t first,
                                  uint32_t end);

// The bit "removed while held" of a stable set: returns the first row at or above `row` that has
// it, or KITH_NO_ROW; clears it.
uint32_t kith_sparse_set_next_removed(const kith_sparse_set *set, uint32_t row);
void     kith_sparse_set_forget_removed(kith_sparse_set *set, uint32_t row);

// Sets the number of rows to `end`, without holes. The caller has moved the rows beyond.
void kith_sparse_set_truncate(kith_sparse_set *set, uint32_t end);

// Removes every member.
void kith_sparse_set_clear(kith_sparse_set *set);

// Makes all moves of members at once. The caller moves the payload. Every row that is a `from` is
// also a `to`, and `count` > 0. `buffer` has room for one index per move, or one tick if the set
// has ticks.
void kith_sparse_set_rearrange(kith_sparse_set *set, const kith_move *moves, uint32_t count,
                               void *buffer);

// Frees row pages without a row, and sparse pages without a member.
void kith_sparse_set_shrink(kith_sparse_set *set);

// Adds the allocated bytes to `sparse`, `packed`, `values` (the payload) and `other` (directories).
void kith_sparse_set_memory(const kith_sparse_set *set, kith_memory *memory);

// Whether a sparse page is the shared one: no slot of the other pages is KITH_ABSENT_.
static inline bool kith_sparse_set_page_absent(const kith_sparse_set *set, uint32_t page)
{
    return set->head.sparse_[page][0] == KITH_ABSENT_;
}

uint32_t kith_sparse_set_row(const kith_sparse_set *set, kith_entity entity);

// Returns the row of the member with this index, of any version, or KITH_NO_ROW.
static inline uint32_t kith_sparse_set_row_at(const kith_sparse_set *set, uint32_t index)
{
    uint32_t page = index >> KITH_PAGE_SHIFT_;
    return page < set->head.sparse_pages_
               ? (uint32_t)set->head.sparse_[page][index & KITH_PAGE_MASK_]
               : KITH_NO_ROW;
}

static inline uint32_t kith_sparse_set_page_rows(const kith_sparse_set *set)
{
    return 1u << set->head.shift_;
}

// Returns how many rows, from this one on, lie in its page.
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

static inline uint64_t *kith_sparse_set_slot(const kith_sparse_set *set, uint32_t index)
{
    return &set->head.sparse_[index >> KITH_PAGE_SHIFT_][index & KITH_PAGE_MASK_];
}

static inline void kith_slot_set_row(const kith_sparse_set *set, uint32_t index, uint32_t row)
{
    uint64_t *slot = kith_sparse_set_slot(set, index);
    *slot          = (*slot & ~(uint64_t)KITH_ROWS_MAX) | row;
}

// Stamps the page of a row: something in it is written now.
static inline void kith_sparse_set_stamp_page(kith_sparse_set *set, uint32_t row)
{
    set->head.stamps_[row >> set->head.shift_] = set->head.tick_;
}

static inline bool kith_sparse_set_has_ticks(const kith_sparse_set *set)
{
    return set->head.ticks_at_ != 0;
}

// Returns where the tick is stored at which the row was added. The set has ticks.
static inline uint64_t *kith_sparse_set_added_tick(const kith_sparse_set *set, uint32_t row)
{
    return kith_row_tick_(&set->head, row) + kith_sparse_set_page_rows(set);
}

// Returns the tick of the last change of the row; without row ticks, of the last write to its page.
static inline uint64_t kith_sparse_set_changed_tick(const kith_sparse_set *set, uint32_t row)
{
    return kith_sparse_set_has_ticks(set) ? *kith_row_tick_(&set->head, row)
                                          : set->head.stamps_[row >> set->head.shift_];
}

// Returns what is wrong with the stamps and the ticks of the rows, or NULL.
static inline const char *kith_sparse_set_ticks_fault(const kith_sparse_set *set, uint64_t now)
{
    for (uint32_t page = 0; page < set->page_count; page++) {
        if (set->head.stamps_[page] > now) {
            return "a page has a stamp of the future";
        }
    }
    for (uint32_t row = 0; row < set->head.rows_ && kith_sparse_set_has_ticks(set); row++) {
        uint64_t changed = *kith_row_tick_(&set->head, row);
        bool     hole    = (*kith_sparse_set_packed(set, row) & KITH_HOLE) != 0;
        if (!hole && (*kith_sparse_set_added_tick(set, row) > changed ||
                      changed > set->head.stamps_[row >> set->head.shift_])) {
            return "a row was changed before it was added, or after its page was";
        }
    }
    return NULL;
}

// Copies the first `rows` rows of a page: packed indices, ticks, and if `bytes` the payload. No bit
// "removed while held" is set in it.
static inline void kith_sparse_set_copy_rows(const kith_sparse_set *set, uint8_t *page,
                                             const uint8_t *from, uint32_t rows, bool bytes)
{
    size_t packed_at = set->head.packed_at_;
    size_t ticks_at  = set->head.ticks_at_;
    size_t added_at  = ticks_at + kith_sparse_set_page_rows(set) * sizeof(uint64_t);
    if (bytes) {
        uint64_t payload = (uint64_t)packed_at * rows + kith_sparse_set_page_rows(set) - 1;
        kith_unpoison(from, (size_t)(payload >> set->head.shift_)); // of holes, too
        memcpy(page, from, (size_t)(payload >> set->head.shift_));
    }
    memcpy(page + packed_at, from + packed_at, rows * sizeof(uint32_t));
    if (kith_sparse_set_has_ticks(set)) {
        memcpy(page + ticks_at, from + ticks_at, rows * sizeof(uint64_t));
        memcpy(page + added_at, from + added_at, rows * sizeof(uint64_t));
    }
}

// Return how many rows, from this one on, were not changed since that tick; how many were. `count`
// rows of the page are looked at. Without row ticks the stamp of the page decides. Holes may count
// as either.
uint32_t kith_sparse_set_old_run(const kith_sparse_set *set, uint32_t row, uint32_t count,
                                 uint64_t since);
uint32_t kith_sparse_set_new_run(const kith_sparse_set *set, uint32_t row, uint32_t count,
                                 uint64_t since);

// Writes the tick of now as the tick of the last change of rows of one page, and if `added`, as the
// tick at which they were added. The set has ticks.
void kith_sparse_set_stamp_ticks(kith_sparse_set *set, uint32_t row, uint32_t count, bool added);

// Record that rows of one page are changed now; that they are added now.
static inline void kith_sparse_set_stamp(kith_sparse_set *set, uint32_t row, uint32_t count)
{
    kith_sparse_set_stamp_page(set, row);
    if (KITH_UNLIKELY_(kith_sparse_set_has_ticks(set))) {
        kith_sparse_set_stamp_ticks(set, row, count, false);
    }
}

static inline void kith_sparse_set_stamp_added(kith_sparse_set *set, uint32_t row, uint32_t count)
{
    kith_sparse_set_stamp_page(set, row);
    if (KITH_UNLIKELY_(kith_sparse_set_has_ticks(set))) {
        kith_sparse_set_stamp_ticks(set, row, count, true);
    }
}

// Exchanges the ticks of two rows. The set has ticks.
void kith_sparse_set_swap_ticks(kith_sparse_set *set, uint32_t a, uint32_t b);

// Makes the entity the member in `row`, which is reserved: every single add in the library goes
// through here, and kith_place_ of typed.h does the same inline.
static inline void kith_sparse_set_put(kith_sparse_set *set, uint32_t row, kith_entity entity)
{
    *kith_sparse_set_packed(set, row)                     = kith_entity_index(entity);
    *kith_sparse_set_slot(set, kith_entity_index(entity)) = entity >> 32 << 32 | row;
    kith_sparse_set_stamp_added(set, row, 1);
}

// Returns the hole made before the one in this row, or KITH_NO_ROW.
static inline uint32_t kith_sparse_set_older_hole(const kith_sparse_set *set, uint32_t row)
{
    uint32_t older = *kith_sparse_set_packed(set, row) & ~KITH_HOLE;
    return older == (KITH_NO_ROW & ~KITH_HOLE) ? KITH_NO_ROW : older;
}

// Whether the next insert takes the place of a hole.
static inline bool kith_sparse_set_reuses_hole(const kith_sparse_set *set)
{
    return set->newest_hole != KITH_NO_ROW && set->shared->held == 0;
}

// Returns the row that the next insert takes.
static inline uint32_t kith_sparse_set_next_row(const kith_sparse_set *set)
{
    return kith_sparse_set_reuses_hole(set) ? set->newest_hole : set->head.rows_;
}

// Returns the number of members.
static inline uint32_t kith_sparse_set_count(const kith_sparse_set *set)
{
    return set->head.rows_ - set->holes;
}

// Returns the highest number of rows that the set may have.
static inline uint32_t kith_sparse_set_max(const kith_sparse_set *set)
{
    return kith_min(set->limit, KITH_ROWS_MAX);
}

// Whether the set may have one more member.
static inline bool kith_sparse_set_below_limit(const kith_sparse_set *set)
{
    return kith_sparse_set_reuses_hole(set) || set->head.rows_ < kith_sparse_set_max(set);
}
