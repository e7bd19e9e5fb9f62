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
// newest hole.
//
// Invariant: packed(row) == i without the hole bit  <=>  slot(i) names that row.
#ifndef KITH_SPARSE_SET_H
#define KITH_SPARSE_SET_H

#include "memory.h"

#define KITH_HOLE  0x80000000u
#define KITH_EMPTY KITH_EMPTY_ // of no version, and without the bit that says "present"

typedef struct kith_sparse_set {
    kith_pool_head_ head;        // sparse_, pages_, shift_: what inline lookups read
    uint32_t        newest_hole; // KITH_NO_ROW: none
    uint32_t        holes;
    uint32_t        limit;
    uint32_t        sparse_capacity;
    uint32_t        page_count;
    uint32_t        page_capacity;
    uint32_t        alignment; // of a page
    uint64_t       *absent;    // the shared page of zeros; the world has it
    kith_policy     policy;
} kith_sparse_set;

// `row_bytes` of payload a row, 2^shift rows a page; `absent` is a page of zeros that stays so.
KITH_INTERNAL void kith_sparse_set_init(kith_sparse_set *set, size_t row_bytes, uint32_t alignment,
                                        uint32_t shift, kith_policy policy, uint64_t *absent);
KITH_INTERNAL void kith_sparse_set_release(kith_sparse_set *set, const kith_allocator *memory);

// Makes sure that the next insert of this index cannot fail. Not for a set at its limit.
KITH_INTERNAL bool kith_sparse_set_reserve_slot(kith_sparse_set *set, const kith_allocator *memory,
                                                uint32_t index);

// Makes room for `rows` rows in all, which is not above the limit.
KITH_INTERNAL bool kith_sparse_set_reserve_rows(kith_sparse_set *set, const kith_allocator *memory,
                                                uint32_t rows);
KITH_INTERNAL void kith_sparse_set_limit(kith_sparse_set *set, uint32_t limit);

// Puts a new member into the row that kith_sparse_set_next_row names. Slot and row are reserved.
KITH_INTERNAL uint32_t kith_sparse_set_insert(kith_sparse_set *set, kith_entity entity);

// Takes the member of a row out. Returns the row whose payload must move to `row`, or KITH_NO_ROW.
KITH_INTERNAL uint32_t kith_sparse_set_remove(kith_sparse_set *set, uint32_t row);

// Takes every member out.
KITH_INTERNAL void kith_sparse_set_clear(kith_sparse_set *set);

// Makes `to`, a hole or a gap, the row of the member in row `from`; the payload is the caller's.
KITH_INTERNAL void kith_sparse_set_move(kith_sparse_set *set, uint32_t from, uint32_t to);

// Exchanges the members of two rows; the payload is the caller's.
KITH_INTERNAL void kith_sparse_set_swap(kith_sparse_set *set, uint32_t a, uint32_t b);

// Gives back row pages beyond the rows and sparse pages without a member.
KITH_INTERNAL void kith_sparse_set_shrink(kith_sparse_set *set, const kith_allocator *memory);

// Bytes taken: `sparse`, `packed`, `values` (the payload) and directories in `other`.
KITH_INTERNAL void kith_sparse_set_memory(const kith_sparse_set *set, kith_memory *memory);

// Whether a sparse page is the shared one: no slot of a page of the set's own is 0.
static inline bool kith_sparse_set_absent_page(const kith_sparse_set *set, uint32_t page)
{
    return set->head.sparse_[page][0] == 0;
}

static inline uint32_t kith_sparse_set_row(const kith_sparse_set *set, kith_entity entity)
{
    return kith_row_(&set->head, entity);
}

static inline uint32_t kith_sparse_set_page_rows(const kith_sparse_set *set)
{
    return 1u << set->head.shift_;
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

static inline void kith_sparse_set_point(const kith_sparse_set *set, uint32_t index, uint32_t row)
{
    uint64_t *slot = kith_sparse_set_slot(set, index);
    *slot          = (*slot & ~UINT64_C(0x7fffffff)) | row;
}

// The row that the next insert takes.
static inline uint32_t kith_sparse_set_next_row(const kith_sparse_set *set)
{
    return set->newest_hole != KITH_NO_ROW ? set->newest_hole : set->head.rows_;
}

// The members.
static inline uint32_t kith_sparse_set_count(const kith_sparse_set *set)
{
    return set->head.rows_ - set->holes;
}

// Whether one more member keeps within the limit.
static inline bool kith_sparse_set_below_limit(const kith_sparse_set *set)
{
    return set->holes != 0 || set->head.rows_ < set->limit;
}

#endif
