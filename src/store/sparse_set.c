// SPDX-License-Identifier: MIT
// The sparse set: its pages, inserting and removing members, and the list of holes.
#include "store/sparse_set.h"

#define SPARSE_PAGE_BYTES (KITH_PAGE_SLOTS * sizeof(uint64_t))

// Returns the offset of the bits "removed while held" in a page.
static size_t bits_at(const kith_sparse_set *set)
{
    return set->head.packed_at_ + kith_sparse_set_page_rows(set) * sizeof(uint32_t);
}

static size_t bits_bytes(const kith_sparse_set *set)
{
    return set->policy == KITH_POLICY_STABLE ? (kith_sparse_set_page_rows(set) + 7) / 8 : 0;
}

static void update_capacity(kith_sparse_set *set)
{
    uint64_t rows       = (uint64_t)set->page_count << set->head.shift_;
    uint32_t most       = kith_sparse_set_max(set);
    set->head.capacity_ = rows < most ? (uint32_t)rows : most;
}

void kith_sparse_set_init(kith_sparse_set *set, size_t row_bytes, uint32_t alignment,
                          uint32_t shift, kith_policy policy, kith_shared *shared)
{
    size_t payload       = row_bytes << shift;
    *set                 = (kith_sparse_set){ 0 };
    set->head.shift_     = shift;
    set->limit           = UINT32_MAX;
    set->newest_hole     = KITH_NO_ROW;
    set->alignment       = alignment < KITH_CACHE_LINE ? KITH_CACHE_LINE : alignment;
    set->head.packed_at_ = (payload + sizeof(uint32_t) - 1) & ~(sizeof(uint32_t) - 1);
    set->policy          = policy;
    set->shared          = shared;
    set->memory          = shared->memory;
    set->page_bytes      = bits_at(set) + bits_bytes(set);
}

void kith_sparse_set_reset_copy(kith_sparse_set *copy)
{
    copy->head.sparse_       = NULL;
    copy->head.sparse_pages_ = 0;
    copy->head.pages_        = NULL;
    copy->head.stamps_       = NULL;
    copy->head.rows_         = 0;
    copy->sparse_capacity    = 0;
    copy->page_count         = 0;
    copy->page_capacity      = 0;
    copy->newest_hole        = KITH_NO_ROW;
    copy->holes              = 0;
    copy->moves++;
    update_capacity(copy);
}

void kith_sparse_set_enable_ticks(kith_sparse_set *set)
{
    assert(set->page_count == 0);
    set->head.ticks_at_ = (set->page_bytes + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
    // two ticks per row: changed and added
    set->page_bytes = set->head.ticks_at_ + 2 * sizeof(uint64_t) * kith_sparse_set_page_rows(set);
}

uint32_t kith_sparse_set_row(const kith_sparse_set *set, kith_entity entity)
{
    return kith_row_(&set->head, entity);
}

// --- memory ----------------------------------------------------------------------------------

// Grows the directory of sparse pages, so that it has `page`.
static bool grow_sparse_pages(kith_sparse_set *set, uint32_t page)
{
    if (!kith_alloc_grow(set->memory, &set->head.sparse_, &set->sparse_capacity, page + 1)) {
        return false;
    }
    while (set->head.sparse_pages_ <= page) {
        set->head.sparse_[set->head.sparse_pages_++] = set->shared->absent;
    }
    return true;
}

// The directory of row pages is one block: the stamps, then the page addresses.
static size_t directory_bytes(uint32_t capacity)
{
    return capacity * (sizeof(uint64_t) + sizeof(uint8_t *));
}

static void free_directory(kith_sparse_set *set)
{
    kith_free(set->memory, set->head.stamps_, directory_bytes(set->page_capacity),
              _Alignof(uint64_t));
    set->head.stamps_  = NULL;
    set->head.pages_   = NULL;
    set->page_capacity = 0;
}

static bool grow_directory(kith_sparse_set *set)
{
    uint32_t  capacity = set->page_capacity == 0 ? 4 : 2 * set->page_capacity;
    uint64_t *stamps   = kith_alloc(set->memory, directory_bytes(capacity), _Alignof(uint64_t));
    if (stamps == NULL) {
        return false;
    }
    uint8_t **pages = (uint8_t **)(void *)(stamps + capacity);
    if (set->page_count != 0) {
        memcpy(stamps, set->head.stamps_, set->page_count * sizeof *stamps);
        memcpy(pages, set->head.pages_, set->page_count * sizeof *pages);
    }
    free_directory(set);
    set->head.stamps_  = stamps;
    set->head.pages_   = pages;
    set->page_capacity = capacity;
    return true;
}

static bool add_row_page(kith_sparse_set *set)
{
    if (set->page_count == set->page_capacity && !grow_directory(set)) {
        return false;
    }
    uint8_t *page = kith_alloc(set->memory, set->page_bytes, set->alignment);
    if (page == NULL) {
        return false;
    }
    memset(page + bits_at(set), 0, bits_bytes(set));
    set->head.stamps_[set->page_count]  = 0;
    set->head.pages_[set->page_count++] = page;
    update_capacity(set);
    return true;
}

void kith_sparse_set_trim(kith_sparse_set *set, uint32_t pages)
{
    while (set->page_count > pages) {
        set->page_count--;
        kith_unpoison(set->head.pages_[set->page_count], set->page_bytes);
        kith_free(set->memory, set->head.pages_[set->page_count], set->page_bytes, set->alignment);
    }
    if (pages == 0) {
        free_directory(set);
    }
    update_capacity(set);
}

bool kith_sparse_set_reserve_rows(kith_sparse_set *set, uint32_t rows)
{
    assert(rows <= set->limit);
    uint32_t before = set->page_count;
    while (set->head.capacity_ < rows) {
        if (!add_row_page(set)) {
            kith_sparse_set_trim(set, before);
            return false;
        }
    }
    return true;
}

uint64_t *kith_sparse_set_new_page(kith_sparse_set *set, uint32_t page)
{
    if (page >= set->head.sparse_pages_ && !grow_sparse_pages(set, page)) {
        return NULL;
    }
    uint64_t *slots = kith_alloc(set->memory, SPARSE_PAGE_BYTES, KITH_CACHE_LINE);
    if (slots != NULL) {
        slots[0]                = KITH_EMPTY; // see kith_sparse_set_page_absent
        set->head.sparse_[page] = slots;
    }
    return slots;
}

bool kith_sparse_set_reserve_page(kith_sparse_set *set, uint32_t page)
{
    if (page < set->head.sparse_pages_ && !kith_sparse_set_page_absent(set, page)) {
        return true;
    }
    uint64_t *slots = kith_sparse_set_new_page(set, page);
    if (slots != NULL) {
        kith_array_fill(slots, KITH_EMPTY, KITH_PAGE_SLOTS);
    }
    return slots != NULL;
}

bool kith_sparse_set_reserve_slot(kith_sparse_set *set, uint32_t index)
{
    return kith_sparse_set_reserve_page(set, index >> KITH_PAGE_SHIFT_) &&
           (kith_sparse_set_reuses_hole(set) ||
            kith_sparse_set_reserve_rows(set, set->head.rows_ + 1));
}

void kith_sparse_set_set_limit(kith_sparse_set *set, uint32_t limit)
{
    set->limit = limit;
    update_capacity(set);
}

static bool copy_row_pages(kith_sparse_set *set, const kith_sparse_set *from, bool bytes)
{
    uint32_t page_rows = kith_sparse_set_page_rows(from);
    uint32_t rest      = from->head.rows_;
    for (uint32_t page = 0; page < from->page_count; page++) {
        if (!add_row_page(set)) {
            return false;
        }
        uint32_t rows = kith_min(rest, page_rows);
        kith_sparse_set_copy_rows(from, set->head.pages_[page], from->head.pages_[page], rows,
                                  bytes);
        set->head.stamps_[page] = from->head.stamps_[page];
        rest -= rows;
    }
    return true;
}

static bool copy_sparse_pages(kith_sparse_set *set, const kith_sparse_set *from)
{
    uint32_t pages  = from->head.sparse_pages_;
    bool     enough = pages == 0 || grow_sparse_pages(set, pages - 1);
    for (uint32_t page = 0; page < pages && enough; page++) {
        if (!kith_sparse_set_page_absent(from, page)) {
            uint64_t *slots         = kith_alloc_copy(set->memory, from->head.sparse_[page],
                                                      SPARSE_PAGE_BYTES, KITH_CACHE_LINE);
            set->head.sparse_[page] = slots == NULL ? set->shared->absent : slots;
            enough                  = slots != NULL;
        }
    }
    return enough;
}

bool kith_sparse_set_copy(kith_sparse_set *set, const kith_sparse_set *from, bool bytes)
{
    assert(set->page_count == 0 && from->removed_while_held == 0);
    set->limit = from->limit;
    set->moves = from->moves;
    if (!copy_row_pages(set, from, bytes) || !copy_sparse_pages(set, from)) {
        return false;
    }
    set->head.rows_          = from->head.rows_;
    set->head.flags_set_     = from->head.flags_set_;
    set->head.flags_cleared_ = from->head.flags_cleared_;
    set->newest_hole         = from->newest_hole;
    set->holes               = from->holes;
    return true;
}

KITH_NOINLINE void kith_sparse_set_trim_slots(kith_sparse_set *set, uint32_t first, bool all)
{
    uint32_t used = kith_min(first, set->head.sparse_pages_);
    for (uint32_t page = used; page < set->head.sparse_pages_; page++) {
        uint64_t *slots = set->head.sparse_[page];
        if (slots != set->shared->absent &&
            (all || kith_array_or(slots, KITH_PAGE_SLOTS) == KITH_EMPTY)) {
            kith_free(set->memory, slots, SPARSE_PAGE_BYTES, KITH_CACHE_LINE);
            set->head.sparse_[page] = set->shared->absent;
        }
        if (!kith_sparse_set_page_absent(set, page)) {
            used = page + 1;
        }
    }
    set->head.sparse_pages_ = used;
    if (used == 0) {
        kith_free_array(set->memory, set->head.sparse_, set->sparse_capacity);
        set->head.sparse_    = NULL;
        set->sparse_capacity = 0;
    }
}

void kith_sparse_set_shrink(kith_sparse_set *set)
{
    uint32_t last = kith_sparse_set_page_rows(set) - 1;
    uint64_t rows = set->head.rows_;
    kith_sparse_set_trim(set, (uint32_t)((rows + last) >> set->head.shift_));
    kith_sparse_set_trim_slots(set, 0, false);
}

void kith_sparse_set_free(kith_sparse_set *set)
{
    kith_sparse_set_trim(set, 0);
    kith_sparse_set_trim_slots(set, 0, true);
}

void kith_sparse_set_memory(const kith_sparse_set *set, kith_memory *memory)
{
    size_t ticks_at = kith_sparse_set_has_ticks(set) ? set->head.ticks_at_ : set->page_bytes;
    memory->packed += set->page_count * (ticks_at - set->head.packed_at_);
    memory->values += set->page_count * set->head.packed_at_;
    memory->other += set->sparse_capacity * sizeof(uint64_t *) +
                     directory_bytes(set->page_capacity) +
                     set->page_count * (set->page_bytes - ticks_at);
    for (uint32_t page = 0; page < set->head.sparse_pages_; page++) {
        memory->sparse += kith_sparse_set_page_absent(set, page) ? 0 : SPARSE_PAGE_BYTES;
    }
}

// --- members ---------------------------------------------------------------------------------

uint32_t kith_sparse_set_insert(kith_sparse_set *set, kith_entity entity)
{
    uint32_t row = kith_sparse_set_next_row(set);
    assert(*kith_sparse_set_slot(set, kith_entity_index(entity)) == KITH_EMPTY);
    assert(kith_sparse_set_reuses_hole(set) || row < set->head.capacity_);
    if (kith_sparse_set_reuses_hole(set)) {
        set->newest_hole = kith_sparse_set_older_hole(set, row);
        set->holes--;
        set->moves++;
    } else {
        set->head.rows_++;
    }
    kith_sparse_set_put(set, row, entity);
    return row;
}

// Returns the byte with the bit "removed while held" of a row.
static uint8_t *removed_byte(const kith_sparse_set *set, uint32_t row)
{
    uint32_t i = row & (kith_sparse_set_page_rows(set) - 1);
    return set->head.pages_[row >> set->head.shift_] + bits_at(set) + i / 8;
}

static void link_hole(kith_sparse_set *set, uint32_t row, uint32_t next)
{
    *kith_sparse_set_packed(set, row) = KITH_HOLE | next;
}

void kith_sparse_set_remove_to_hole(kith_sparse_set *set, uint32_t row)
{
    *kith_sparse_set_slot(set, *kith_sparse_set_packed(set, row)) = KITH_EMPTY;
    link_hole(set, row, set->newest_hole);
    kith_sparse_set_stamp_page(set, row);
    if (set->shared->held != 0) {
        bool first  = set->removed_while_held++ == 0;
        set->rising = first || (set->rising && row > set->newest_hole);
        set->lowest = first || row < set->lowest ? row : set->lowest;
        if (set->policy == KITH_POLICY_STABLE) {
            *removed_byte(set, row) |= (uint8_t)(1u << row % 8);
        }
    }
    set->newest_hole = row;
    set->holes++;
    set->moves++;
}

void kith_sparse_set_move(kith_sparse_set *set, uint32_t from, uint32_t to)
{
    uint32_t index                   = *kith_sparse_set_packed(set, from);
    *kith_sparse_set_packed(set, to) = index;
    kith_slot_set_row(set, index, to);
    kith_sparse_set_stamp_page(set, to);
    if (kith_sparse_set_has_ticks(set)) {
        *kith_row_tick_(&set->head, to)      = *kith_row_tick_(&set->head, from);
        *kith_sparse_set_added_tick(set, to) = *kith_sparse_set_added_tick(set, from);
    }
}

uint32_t kith_sparse_set_remove(kith_sparse_set *set, uint32_t row)
{
    if (set->policy == KITH_POLICY_STABLE || set->shared->held != 0) {
        kith_sparse_set_remove_to_hole(set, row);
        return KITH_NO_ROW;
    }
    *kith_sparse_set_slot(set, *kith_sparse_set_packed(set, row)) = KITH_EMPTY;
    uint32_t last                                                 = set->head.rows_ - 1;
    set->moves++;
    if (row != last) {
        kith_sparse_set_move(set, last, row);
    }
    set->head.rows_ = last;
    return row == last ? KITH_NO_ROW : last;
}

void kith_sparse_set_clear_slots(kith_sparse_set *set, const uint32_t *indices, uint32_t count,
                                 uint32_t *rows)
{
    uint64_t *const *sparse = set->head.sparse_;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *slot = &sparse[indices[i] >> KITH_PAGE_SHIFT_][indices[i] & KITH_PAGE_MASK_];
        rows[i]        = (uint32_t)*slot;
        *slot          = KITH_EMPTY;
    }
}

void kith_sparse_set_rows_to_holes(kith_sparse_set *set, const uint32_t *rows, uint32_t count)
{
    assert(set->policy == KITH_POLICY_SWAP && set->shared->held != 0);
    uint32_t newest = set->newest_hole;
    uint32_t lowest = set->removed_while_held == 0 ? UINT32_MAX : set->lowest;
    bool     rising = set->removed_while_held == 0 || set->rising;
    for (uint32_t i = 0; i < count; i++) {
        rising = rising && (rows[i] > newest || newest == KITH_NO_ROW);
        lowest = kith_min(lowest, rows[i]);
        link_hole(set, rows[i], newest);
        kith_sparse_set_stamp_page(set, rows[i]);
        newest = rows[i];
    }
    set->newest_hole = newest;
    set->lowest      = lowest;
    set->rising      = rising;
    set->removed_while_held += count;
    set->holes += count;
    set->moves++;
}

void kith_sparse_set_truncate(kith_sparse_set *set, uint32_t end)
{
    set->head.rows_  = end;
    set->holes       = 0;
    set->newest_hole = KITH_NO_ROW;
    set->moves++;
}

void kith_sparse_set_clear(kith_sparse_set *set)
{
    for (uint32_t row = 0; row < set->head.rows_; row++) {
        uint32_t index = *kith_sparse_set_packed(set, row);
        if ((index & KITH_HOLE) == 0) {
            *kith_sparse_set_slot(set, index) = KITH_EMPTY;
        }
    }
    kith_sparse_set_truncate(set, 0);
}

// --- ticks -----------------------------------------------------------------------------------

uint32_t kith_sparse_set_old_run(const kith_sparse_set *set, uint32_t row, uint32_t count,
                                 uint64_t since)
{
    if (set->head.stamps_[row >> set->head.shift_] < since) {
        return count;
    }
    return kith_sparse_set_has_ticks(set)
               ? kith_array_run_below(kith_row_tick_(&set->head, row), since, count)
               : 0;
}

uint32_t kith_sparse_set_new_run(const kith_sparse_set *set, uint32_t row, uint32_t count,
                                 uint64_t since)
{
    if (!kith_sparse_set_has_ticks(set)) {
        return kith_sparse_set_changed_tick(set, row) >= since ? count : 0;
    }
    return kith_array_run_from(kith_row_tick_(&set->head, row), since, count);
}

void kith_sparse_set_stamp_ticks(kith_sparse_set *set, uint32_t row, uint32_t count, bool added)
{
    kith_array_fill(kith_row_tick_(&set->head, row), set->head.tick_, count);
    if (added) {
        kith_array_fill(kith_sparse_set_added_tick(set, row), set->head.tick_, count);
    }
}

void kith_sparse_set_swap_ticks(kith_sparse_set *set, uint32_t a, uint32_t b)
{
    uint64_t *at_a = kith_row_tick_(&set->head, a);
    uint64_t *at_b = kith_row_tick_(&set->head, b);
    for (uint32_t i = 0; i < 2; i++) { // changed, then added
        uint64_t in_a = *at_a;
        *at_a         = *at_b;
        *at_b         = in_a;
        at_a += kith_sparse_set_page_rows(set);
        at_b += kith_sparse_set_page_rows(set);
    }
}

// Moves the ticks of one array, which starts `offset` ticks after the first array.
static void rearrange_ticks(const kith_sparse_set *set, const kith_move *moves, uint32_t count,
                            uint64_t *buffer, uint32_t offset)
{
    for (uint32_t i = 0; i < count; i++) {
        buffer[i] = kith_row_tick_(&set->head, moves[i].from)[offset];
    }
    for (uint32_t i = 0; i < count; i++) {
        kith_row_tick_(&set->head, moves[i].to)[offset] = buffer[i];
    }
}

void kith_sparse_set_rearrange(kith_sparse_set *set, const kith_move *moves, uint32_t count,
                               void *buffer)
{
    const kith_sparse_set fixed   = *set; // a copy, so the compiler need not reload it after stores
    uint32_t             *indices = buffer;
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = *kith_sparse_set_packed(&fixed, moves[i].from);
    }
    for (uint32_t i = 0; i < count; i++) {
        *kith_sparse_set_packed(&fixed, moves[i].to) = indices[i];
        kith_slot_set_row(&fixed, indices[i], moves[i].to);
        fixed.head.stamps_[moves[i].to >> fixed.head.shift_] = fixed.head.tick_;
    }
    if (kith_sparse_set_has_ticks(set)) {
        rearrange_ticks(set, moves, count, buffer, 0);
        rearrange_ticks(set, moves, count, buffer, kith_sparse_set_page_rows(set));
    }
    set->moves++;
}

// --- holes -----------------------------------------------------------------------------------

void kith_sparse_set_reverse_holes(kith_sparse_set *set)
{
    uint32_t last = KITH_NO_ROW;
    for (uint32_t row = set->newest_hole; row != KITH_NO_ROW;) {
        uint32_t older = kith_sparse_set_older_hole(set, row);
        link_hole(set, row, last);
        last = row;
        row  = older;
    }
    set->newest_hole = last;
}

// Merges two lists in descending order, both not empty, and returns the first hole.
static uint32_t merge_holes(kith_sparse_set *set, uint32_t a, uint32_t b)
{
    uint32_t first = a > b ? a : b;
    uint32_t last  = KITH_NO_ROW;
    while (a != KITH_NO_ROW && b != KITH_NO_ROW) {
        uint32_t higher = a > b ? a : b;
        uint32_t older  = kith_sparse_set_older_hole(set, higher);
        a               = higher == a ? older : a;
        b               = higher == b ? older : b;
        if (last != KITH_NO_ROW) {
            link_hole(set, last, higher);
        }
        last = higher;
    }
    link_hole(set, last, a != KITH_NO_ROW ? a : b);
    return first;
}

// Removes the first `count` holes from a list, sorts them, and returns the highest.
static uint32_t sort_holes(kith_sparse_set *set, uint32_t *list, uint32_t count)
{
    if (count == 1) {
        uint32_t row = *list;
        *list        = kith_sparse_set_older_hole(set, row);
        link_hole(set, row, KITH_NO_ROW);
        return row;
    }
    uint32_t a = sort_holes(set, list, count / 2);
    uint32_t b = sort_holes(set, list, count - count / 2);
    return merge_holes(set, a, b);
}

void kith_sparse_set_relink_holes(kith_sparse_set *set, uint32_t above, uint32_t first,
                                  uint32_t end)
{
    uint32_t highest = KITH_NO_ROW;
    for (uint32_t row = first; row < end; row++) {
        if ((*kith_sparse_set_packed(set, row) & KITH_HOLE) != 0) {
            link_hole(set, row, highest);
            highest = row;
        }
    }
    if (above == KITH_NO_ROW) {
        set->newest_hole = highest;
    } else {
        link_hole(set, above, highest);
    }
}

void kith_sparse_set_order_holes(kith_sparse_set *set)
{
    assert(set->policy == KITH_POLICY_SWAP && set->removed_while_held == set->holes);
    if (set->rising) {
        return;
    }
    if (set->holes >= (set->head.rows_ - set->lowest) / 32) {
        kith_sparse_set_relink_holes(set, KITH_NO_ROW, set->lowest, set->head.rows_);
    } else {
        uint32_t list    = set->newest_hole;
        set->newest_hole = sort_holes(set, &list, set->holes);
    }
    set->rising = true;
}

uint32_t kith_sparse_set_next_removed(const kith_sparse_set *set, uint32_t row)
{
    uint32_t page_rows = kith_sparse_set_page_rows(set);
    uint32_t in_byte   = page_rows < 8 ? page_rows - 1 : 7;
    for (; row < set->head.rows_; row++) {
        uint8_t bits = (uint8_t)(*removed_byte(set, row) >> row % 8);
        if ((bits & 1) != 0) {
            return row;
        }
        row |= bits == 0 ? in_byte : 0u;
    }
    return KITH_NO_ROW;
}

void kith_sparse_set_forget_removed(kith_sparse_set *set, uint32_t row)
{
    *removed_byte(set, row) &= (uint8_t) ~(1u << row % 8);
}
