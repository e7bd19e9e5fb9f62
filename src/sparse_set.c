// SPDX-License-Identifier: MIT
#include "sparse_set.h"

#include <string.h>

#define SPARSE_PAGE_BYTES (KITH_PAGE_SLOTS * sizeof(uint64_t))

static size_t page_bytes(const kith_sparse_set *set)
{
    return set->head.packed_at_ + kith_sparse_set_page_rows(set) * sizeof(uint32_t);
}

static void update_capacity(kith_sparse_set *set)
{
    uint64_t rows       = (uint64_t)set->page_count << set->head.shift_;
    set->head.capacity_ = rows < set->limit ? (uint32_t)rows : set->limit;
}

KITH_INTERNAL void kith_sparse_set_init(kith_sparse_set *set, size_t row_bytes, uint32_t alignment,
                                        uint32_t shift, kith_policy policy, uint64_t *absent)
{
    size_t payload       = row_bytes << shift;
    *set                 = (kith_sparse_set){ 0 };
    set->head.shift_     = shift;
    set->limit           = UINT32_MAX;
    set->newest_hole     = KITH_NO_ROW;
    set->alignment       = alignment < KITH_CACHE_LINE ? KITH_CACHE_LINE : alignment;
    set->head.packed_at_ = (payload + sizeof(uint32_t) - 1) & ~(sizeof(uint32_t) - 1);
    set->policy          = policy;
    set->absent          = absent;
}

// --- memory ----------------------------------------------------------------------------------

// Lets the directory reach `page`.
static bool reach_sparse_page(kith_sparse_set *set, const kith_allocator *memory, uint32_t page)
{
    if (page >= set->sparse_capacity) {
        uint64_t **grown =
            kith_memory_grow(memory, set->head.sparse_, &set->sparse_capacity, page + 1);
        if (grown == NULL) {
            return false;
        }
        set->head.sparse_ = grown;
    }
    while (set->head.sparse_pages_ <= page) {
        set->head.sparse_[set->head.sparse_pages_++] = set->absent;
    }
    return true;
}

static bool add_row_page(kith_sparse_set *set, const kith_allocator *memory)
{
    if (set->page_count == set->page_capacity) {
        uint8_t **grown =
            kith_memory_grow(memory, set->head.pages_, &set->page_capacity, set->page_count + 1);
        if (grown == NULL) {
            return false;
        }
        set->head.pages_ = grown;
    }
    uint8_t *page = kith_memory_take(memory, page_bytes(set), set->alignment);
    if (page == NULL) {
        return false;
    }
    set->head.pages_[set->page_count++] = page;
    update_capacity(set);
    return true;
}

static void drop_row_pages(kith_sparse_set *set, const kith_allocator *memory, uint32_t keep)
{
    while (set->page_count > keep) {
        set->page_count--;
        kith_memory_give(memory, set->head.pages_[set->page_count], page_bytes(set),
                         set->alignment);
    }
    if (keep == 0) {
        kith_memory_give_array(memory, set->head.pages_, set->page_capacity);
        set->head.pages_   = NULL;
        set->page_capacity = 0;
    }
    update_capacity(set);
}

KITH_INTERNAL bool kith_sparse_set_reserve_rows(kith_sparse_set *set, const kith_allocator *memory,
                                                uint32_t rows)
{
    assert(rows <= set->limit);
    uint32_t before = set->page_count;
    while (set->head.capacity_ < rows) {
        if (!add_row_page(set, memory)) {
            drop_row_pages(set, memory, before);
            return false;
        }
    }
    return true;
}

KITH_INTERNAL bool kith_sparse_set_reserve_slot(kith_sparse_set *set, const kith_allocator *memory,
                                                uint32_t index)
{
    uint32_t page = index >> KITH_PAGE_SHIFT_;
    if (page >= set->head.sparse_pages_ && !reach_sparse_page(set, memory, page)) {
        return false;
    }
    if (kith_sparse_set_absent_page(set, page)) {
        uint64_t *slots = kith_memory_take(memory, SPARSE_PAGE_BYTES, KITH_CACHE_LINE);
        if (slots == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < KITH_PAGE_SLOTS; i++) {
            slots[i] = KITH_EMPTY;
        }
        set->head.sparse_[page] = slots;
    }
    return set->newest_hole != KITH_NO_ROW ||
           kith_sparse_set_reserve_rows(set, memory, set->head.rows_ + 1);
}

KITH_INTERNAL void kith_sparse_set_limit(kith_sparse_set *set, uint32_t limit)
{
    set->limit = limit;
    update_capacity(set);
}

static bool page_is_empty(const uint64_t *slots)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < KITH_PAGE_SLOTS; i++) {
        any |= slots[i];
    }
    return any == KITH_EMPTY;
}

static void drop_sparse_pages(kith_sparse_set *set, const kith_allocator *memory, bool all)
{
    uint32_t used = 0;
    for (uint32_t page = 0; page < set->head.sparse_pages_; page++) {
        uint64_t *slots = set->head.sparse_[page];
        if (slots != set->absent && (all || page_is_empty(slots))) {
            kith_memory_give(memory, slots, SPARSE_PAGE_BYTES, KITH_CACHE_LINE);
            set->head.sparse_[page] = set->absent;
        }
        if (!kith_sparse_set_absent_page(set, page)) {
            used = page + 1;
        }
    }
    set->head.sparse_pages_ = used;
    if (used == 0) {
        kith_memory_give_array(memory, set->head.sparse_, set->sparse_capacity);
        set->head.sparse_    = NULL;
        set->sparse_capacity = 0;
    }
}

KITH_INTERNAL void kith_sparse_set_shrink(kith_sparse_set *set, const kith_allocator *memory)
{
    uint32_t last = kith_sparse_set_page_rows(set) - 1;
    drop_row_pages(set, memory, (uint32_t)(((uint64_t)set->head.rows_ + last) >> set->head.shift_));
    drop_sparse_pages(set, memory, false);
}

KITH_INTERNAL void kith_sparse_set_release(kith_sparse_set *set, const kith_allocator *memory)
{
    drop_row_pages(set, memory, 0);
    drop_sparse_pages(set, memory, true);
}

KITH_INTERNAL void kith_sparse_set_memory(const kith_sparse_set *set, kith_memory *memory)
{
    size_t packed = kith_sparse_set_page_rows(set) * sizeof(uint32_t);
    memory->packed += set->page_count * packed;
    memory->values += set->page_count * set->head.packed_at_;
    memory->other += ((size_t)set->sparse_capacity + set->page_capacity) * sizeof(void *);
    for (uint32_t page = 0; page < set->head.sparse_pages_; page++) {
        memory->sparse += kith_sparse_set_absent_page(set, page) ? 0 : SPARSE_PAGE_BYTES;
    }
}

// --- members ---------------------------------------------------------------------------------

KITH_INTERNAL uint32_t kith_sparse_set_insert(kith_sparse_set *set, kith_entity entity)
{
    uint32_t  index  = kith_entity_index(entity);
    uint32_t  row    = kith_sparse_set_next_row(set);
    uint32_t *packed = kith_sparse_set_packed(set, row);
    assert(*kith_sparse_set_slot(set, index) == KITH_EMPTY);
    assert(set->newest_hole != KITH_NO_ROW || row < set->head.capacity_);
    if (set->newest_hole != KITH_NO_ROW) {
        uint32_t older   = *packed & ~KITH_HOLE;
        set->newest_hole = older == (KITH_NO_ROW & ~KITH_HOLE) ? KITH_NO_ROW : older;
        set->holes--;
    } else {
        set->head.rows_++;
    }
    *packed                           = index;
    *kith_sparse_set_slot(set, index) = (entity & ~(uint64_t)UINT32_MAX) | KITH_HOLE | row;
    return row;
}

KITH_INTERNAL uint32_t kith_sparse_set_remove(kith_sparse_set *set, uint32_t row)
{
    uint32_t *packed                    = kith_sparse_set_packed(set, row);
    *kith_sparse_set_slot(set, *packed) = KITH_EMPTY;
    if (set->policy == KITH_POLICY_STABLE) {
        *packed          = KITH_HOLE | set->newest_hole;
        set->newest_hole = row;
        set->holes++;
        return KITH_NO_ROW;
    }
    uint32_t last = set->head.rows_ - 1;
    if (row != last) {
        kith_sparse_set_move(set, last, row);
    }
    set->head.rows_ = last;
    return row == last ? KITH_NO_ROW : last;
}

KITH_INTERNAL void kith_sparse_set_clear(kith_sparse_set *set)
{
    for (uint32_t row = 0; row < set->head.rows_; row++) {
        uint32_t index = *kith_sparse_set_packed(set, row);
        if ((index & KITH_HOLE) == 0) {
            *kith_sparse_set_slot(set, index) = KITH_EMPTY;
        }
    }
    set->head.rows_  = 0;
    set->holes       = 0;
    set->newest_hole = KITH_NO_ROW;
}

KITH_INTERNAL void kith_sparse_set_move(kith_sparse_set *set, uint32_t from, uint32_t to)
{
    uint32_t index                   = *kith_sparse_set_packed(set, from);
    *kith_sparse_set_packed(set, to) = index;
    kith_sparse_set_point(set, index, to);
}

KITH_INTERNAL void kith_sparse_set_swap(kith_sparse_set *set, uint32_t a, uint32_t b)
{
    uint32_t in_a = *kith_sparse_set_packed(set, a);
    kith_sparse_set_move(set, b, a);
    *kith_sparse_set_packed(set, b) = in_a;
    kith_sparse_set_point(set, in_a, b);
}
