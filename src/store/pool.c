// SPDX-License-Identifier: MIT
// The journal of removals, and the pool: values, removing, memory, and settling.
#include "store/pool.h"

// --- the journal -----------------------------------------------------------------------------

bool kith_journal_init(kith_journal *journal, const kith_allocator *memory, uint32_t capacity)
{
    journal->entries  = kith_alloc(memory, capacity * sizeof(kith_removal), _Alignof(kith_removal));
    journal->capacity = journal->entries == NULL ? 0 : capacity;
    return journal->entries != NULL;
}

// Copies the entries of `from`. Both rings have the same capacity.
static void copy_journal(kith_journal *journal, const kith_journal *from)
{
    uint64_t entries = from->written - kith_journal_oldest(from);
    assert(journal->capacity == from->capacity);
    if (entries != 0) {
        memcpy(journal->entries, from->entries, (size_t)entries * sizeof *journal->entries);
    }
    journal->written = from->written;
    journal->lost    = from->lost;
}

void kith_journal_record(kith_journal *journal, uint64_t tick, kith_entity entity)
{
    kith_removal *entry = &journal->entries[journal->written % journal->capacity];
    if (journal->written >= journal->capacity) {
        journal->lost = entry->tick;
    }
    *entry = (kith_removal){ .entity = entity, .tick = tick };
    journal->written++;
}

uint64_t kith_journal_since(const kith_journal *journal, uint64_t tick)
{
    uint64_t low = kith_journal_oldest(journal);
    for (uint64_t high = journal->written; low < high;) {
        uint64_t middle = low + (high - low) / 2;
        if (kith_journal_entry(journal, middle)->tick < tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// --- values ----------------------------------------------------------------------------------

bool kith_pool_construct(const kith_pool *pool, void *value, const void *source)
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

void kith_pool_destruct(const kith_pool *pool, void *value)
{
    if (pool->hooks.destruct != NULL) {
        pool->hooks.destruct(value, pool->hooks.context);
    }
}

void kith_pool_move_value(const kith_pool *pool, void *to, void *from)
{
    if (pool->hooks.move != NULL) {
        pool->hooks.move(to, from, pool->hooks.context);
    } else {
        memcpy(to, from, pool->size);
    }
}

bool kith_pool_replace(kith_pool *pool, void *value, const void *source)
{
    if (pool->plain) {
        if (source == NULL) {
            memset(value, 0, pool->size);
        } else {
            memmove(value, source, pool->size); // `source` may be `value`
        }
        return true;
    }
    assert(pool->spare != NULL);
    if (!kith_pool_construct(pool, pool->spare, source)) {
        return false;
    }
    kith_pool_destruct(pool, value);
    kith_pool_move_value(pool, value, pool->spare);
    return true;
}

// Records the removal of the member with this index, if the pool has a journal.
static void record_removal(kith_pool *pool, uint32_t index)
{
    if (pool->journal.entries != NULL) {
        uint64_t version = *kith_sparse_set_slot(&pool->set, index) & ~(uint64_t)UINT32_MAX;
        kith_journal_record(&pool->journal, pool->set.head.tick_, version | index);
    }
}

// --- disable bits ----------------------------------------------------------------------------

void kith_pool_set_disabled(kith_pool *pool, uint32_t row, bool on)
{
    if (kith_pool_is_disabled(pool, row) != on) {
        uint32_t more = on ? 1 : UINT32_MAX;
        pool->disabled[row >> 6] ^= UINT64_C(1) << (row & 63);
        pool->set.head.disabled_ += more;
        pool->set.shared->disabled += more;
    }
}

static void move_disabled(kith_pool *pool, uint32_t from, uint32_t to)
{
    kith_pool_set_disabled(pool, to, kith_pool_is_disabled(pool, from));
    kith_pool_set_disabled(pool, from, false);
}

// --- rows without a value --------------------------------------------------------------------

#ifdef KITH_DEBUG
// Poisons the values of rows, or unpoisons them, page by page. Rows without memory are left out.
static void for_values(const kith_pool *pool, uint32_t first, uint32_t count, bool poison)
{
    const kith_sparse_set *set = &pool->set;
    uint64_t               end = (uint64_t)set->page_count << set->head.shift_;
    end                        = end < (uint64_t)first + count ? end : (uint64_t)first + count;
    for (uint64_t row = first, step; row < end && pool->size != 0; row += step) {
        step = kith_sparse_set_rest_of_page(set, (uint32_t)row);
        step = step < end - row ? step : end - row;
        if (poison) {
            kith_poison(kith_pool_value(pool, (uint32_t)row), (size_t)step * pool->size);
        } else {
            kith_unpoison(kith_pool_value(pool, (uint32_t)row), (size_t)step * pool->size);
        }
    }
}

void kith_pool_poison(const kith_pool *pool, uint32_t first, uint32_t count)
{
    for_values(pool, first, count, true);
}

void kith_pool_unpoison(const kith_pool *pool, uint32_t first, uint32_t count)
{
    for_values(pool, first, count, false);
}
#endif

// --- removing --------------------------------------------------------------------------------
//
// These functions dominate the cost of removing and destroying (bench M2, C4). A simple pool only
// moves bytes. With a constant size that takes a third fewer instructions than with a size in a
// register. So there is a function per usual size, and a pool chooses one whenever it changes.

// Moves row `from` of a pool of bytes into the gap at `to`.
KITH_ALWAYS_INLINE void move_plain(const kith_pool_head_ *head, size_t size, uint32_t shift,
                                   size_t packed_at, uint32_t to, uint32_t from)
{
    uint32_t mask   = (1u << shift) - 1;
    uint8_t *target = head->pages_[to >> shift];
    uint8_t *source = head->pages_[from >> shift];
    uint32_t index  = ((uint32_t *)(void *)(source + packed_at))[from & mask];
    ((uint32_t *)(void *)(target + packed_at))[to & mask] = index;
    kith_copy_bytes(target + (to & mask) * size, source + (from & mask) * size, size);
    uint64_t *slot             = &head->sparse_[index >> KITH_PAGE_SHIFT_][index & KITH_PAGE_MASK_];
    *slot                      = (*slot & ~(uint64_t)KITH_ROWS_MAX) | to;
    head->stamps_[to >> shift] = head->tick_;
}

KITH_ALWAYS_INLINE bool remove_bytes(kith_pool *pool, uint32_t index, size_t size, uint32_t shift,
                                     size_t packed_at)
{
    kith_sparse_set *set  = &pool->set;
    uint64_t        *slot = kith_sparse_set_slot(set, index);
    uint32_t         row  = (uint32_t)*slot;
    uint32_t         last = --set->head.rows_;
    *slot                 = KITH_EMPTY;
    set->moves++;
    if (row != last) {
        move_plain(&set->head, size, shift, packed_at, row, last);
    }
    kith_pool_poison(pool, last, 1);
    return true;
}

// In a page of the usual length the offset of the packed indices is a constant too.
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

// The `remove` of a pool that has more to do than moving bytes or counting.
static bool remove_fully(kith_pool *pool, uint32_t index)
{
    uint32_t row   = (uint32_t)*kith_sparse_set_slot(&pool->set, index);
    void    *value = kith_pool_value(pool, row);
    record_removal(pool, index);
    ++*pool->set.shared->busy;
    kith_pool_destruct(pool, value);
    kith_pool_enable(pool, row);
    uint32_t moved = kith_sparse_set_remove(&pool->set, row);
    if (moved != KITH_NO_ROW) {
        kith_pool_move_value(pool, value, kith_pool_value(pool, moved));
        move_disabled(pool, moved, row);
    }
    if (pool->set.shared->held == 0) { // otherwise the value stays until the world settles
        kith_pool_poison(pool, moved == KITH_NO_ROW ? row : moved, 1);
    }
    --*pool->set.shared->busy;
    return true;
}

void kith_pool_remove_to_hole(kith_pool *pool, uint32_t index)
{
    assert(pool->set.shared->held != 0);
    if (pool->rowless) {
        pool->set.head.flags_cleared_++;
        return;
    }
    uint32_t row = (uint32_t)*kith_sparse_set_slot(&pool->set, index);
    kith_pool_enable(pool, row);
    record_removal(pool, index);
    kith_sparse_set_remove_to_hole(&pool->set, row);
}

static void choose_remove(kith_pool *pool)
{
    static const kith_pool_remove_fn by_size[] = { remove_0, remove_4, remove_8, remove_12,
                                                   remove_16 };
    uint32_t                         size      = pool->size;
    bool                             simple    = kith_pool_is_simple(pool);
    bool usual   = simple && size % 4 == 0 && size <= 16 && pool->set.head.shift_ == KITH_SHIFT_(0);
    pool->usual  = (uint8_t)(usual ? 1 + size / 4 : simple ? 6 : 0);
    pool->remove = pool->rowless ? remove_flag
                   : usual       ? by_size[size / 4]
                   : simple      ? remove_any
                                 : remove_fully;
}

// --- creating --------------------------------------------------------------------------------

void kith_pool_set_hooks(kith_pool *pool, const kith_hooks *hooks)
{
    pool->hooks = *hooks;
    pool->plain = kith_hooks_empty(hooks);
    choose_remove(pool);
}

void kith_pool_init(kith_pool *pool, const kith_pool_layout *layout, kith_shared *shared)
{
    *pool         = (kith_pool){ 0 };
    pool->size    = layout->size;
    pool->rowless = layout->rowless;
    kith_sparse_set_init(&pool->set, layout->size, layout->alignment, layout->shift, layout->policy,
                         shared);
    if (layout->row_ticks) {
        kith_sparse_set_enable_ticks(&pool->set);
    }
    kith_pool_set_hooks(pool, &(kith_hooks){ 0 });
}

kith_pool kith_pool_empty_like(const kith_pool *pool)
{
    kith_pool        alike = *pool;
    kith_sparse_set *set   = &alike.set;
    kith_sparse_set_reset_copy(set);
    alike.journal            = (kith_journal){ 0 };
    alike.spare              = NULL;
    alike.disabled           = NULL;
    alike.disabled_words     = 0;
    alike.set.head.disabled_ = 0;
    alike.kept               = (kith_kept_hashes){ 0 };
    set->head.flags_cleared_ = set->head.flags_set_;
    return alike;
}

// --- memory ----------------------------------------------------------------------------------

#define WORD_BYTES sizeof(uint64_t)

static void free_disabled(kith_pool *pool)
{
    kith_free(pool->set.memory, pool->disabled, pool->disabled_words * WORD_BYTES, WORD_BYTES);
    pool->disabled       = NULL;
    pool->disabled_words = 0;
    choose_remove(pool);
}

// Grows the disable bits to cover every row of the present pages and of the page with row
// `rows` - 1. Growing at least doubles them, because it copies.
KITH_NOINLINE static bool cover_rows(kith_pool *pool, uint64_t rows)
{
    uint64_t page_rows = kith_sparse_set_page_rows(&pool->set);
    uint64_t in_pages  = pool->set.page_count * page_rows;
    uint64_t needed    = rows > in_pages ? (rows + page_rows - 1) & ~(page_rows - 1) : in_pages;
    uint32_t words     = (uint32_t)((needed + 63) / 64);
    if (words <= pool->disabled_words) {
        return true;
    }
    bool enough = kith_alloc_more(pool->set.memory, &pool->disabled, &pool->disabled_words, words,
                                  WORD_BYTES);
    choose_remove(pool);
    return enough;
}

void kith_pool_free_hashes(kith_pool *pool)
{
    kith_free(pool->set.memory, pool->kept.blocks, pool->kept.capacity * WORD_BYTES, WORD_BYTES);
    pool->kept = (kith_kept_hashes){ 0 };
}

bool kith_pool_reserve_hashes(kith_pool *pool, uint32_t blocks)
{
    return kith_alloc_more(pool->set.memory, &pool->kept.blocks, &pool->kept.capacity, blocks,
                           WORD_BYTES);
}

bool kith_pool_reserve_spare(kith_pool *pool)
{
    if (pool->spare == NULL && pool->size != 0) {
        pool->spare = kith_alloc(pool->set.memory, pool->size, pool->set.alignment);
        return pool->spare != NULL;
    }
    return true;
}

// Allocates what rows need beside their pages. Call it before allocating pages: inline code uses
// a page as soon as it exists.
KITH_NOINLINE static bool reserve_beside(kith_pool *pool, uint64_t rows)
{
    return (pool->plain || kith_pool_reserve_spare(pool)) &&
           (pool->disabled == NULL || cover_rows(pool, rows));
}

static bool copy_disabled(kith_pool *pool, const kith_pool *from)
{
    if (from->disabled == NULL) {
        return true;
    }
    pool->disabled = kith_alloc_copy(pool->set.memory, from->disabled,
                                     from->disabled_words * WORD_BYTES, WORD_BYTES);
    if (pool->disabled == NULL) {
        return false;
    }
    pool->disabled_words     = from->disabled_words;
    pool->set.head.disabled_ = from->set.head.disabled_;
    pool->set.shared->disabled += from->set.head.disabled_;
    choose_remove(pool);
    return true;
}

bool kith_pool_copy(kith_pool *pool, const kith_pool *from, bool bytes)
{
    copy_journal(&pool->journal, &from->journal);
    return (from->spare == NULL || kith_pool_reserve_spare(pool)) && copy_disabled(pool, from) &&
           kith_sparse_set_copy(&pool->set, &from->set, bytes);
}

// Poisons the rows of pages from `page` on: nothing has used them.
static void poison_pages(const kith_pool *pool, uint32_t page)
{
    (void)page;
    kith_pool_poison(pool, page << pool->set.head.shift_, UINT32_MAX);
}

bool kith_pool_reserve(kith_pool *pool, uint32_t index)
{
    uint32_t pages    = pool->set.page_count;
    bool     reserved = reserve_beside(pool, (uint64_t)pool->set.head.rows_ + 1) &&
                    kith_sparse_set_reserve_slot(&pool->set, index);
    poison_pages(pool, pages);
    kith_pool_unpoison(pool, kith_sparse_set_next_row(&pool->set), 1);
    return reserved;
}

bool kith_pool_reserve_rows(kith_pool *pool, uint32_t rows)
{
    uint32_t pages = pool->set.page_count;
    bool reserved  = reserve_beside(pool, rows) && kith_sparse_set_reserve_rows(&pool->set, rows);
    poison_pages(pool, pages);
    return reserved;
}

void kith_pool_free_spare(kith_pool *pool)
{
    kith_free(pool->set.memory, pool->spare, pool->size, pool->set.alignment);
    pool->spare = NULL;
}

void kith_pool_shrink(kith_pool *pool)
{
    kith_sparse_set_shrink(&pool->set);
    if (pool->set.head.disabled_ == 0) {
        free_disabled(pool);
    }
    if (pool->set.head.rows_ == 0) {
        kith_pool_free_spare(pool);
    }
    kith_pool_free_hashes(pool);
}

void kith_pool_free(kith_pool *pool)
{
    kith_sparse_set_free(&pool->set);
    free_disabled(pool);
    kith_pool_free_spare(pool);
    kith_pool_free_hashes(pool);
    kith_free(pool->set.memory, pool->journal.entries,
              pool->journal.capacity * sizeof(kith_removal), _Alignof(kith_removal));
    pool->journal = (kith_journal){ 0 };
}

void kith_pool_memory(const kith_pool *pool, kith_memory *memory)
{
    kith_sparse_set_memory(&pool->set, memory);
    memory->other += (pool->disabled_words + pool->kept.capacity) * WORD_BYTES +
                     pool->journal.capacity * sizeof(kith_removal);
    memory->values += pool->spare == NULL ? 0 : pool->size;
}

// --- rows -------------------------------------------------------------------------------------

void kith_pool_clear(kith_pool *pool)
{
    uint32_t rows = pool->set.head.rows_;
    bool     each = pool->hooks.destruct != NULL || pool->journal.entries != NULL;
    for (uint32_t row = 0; row < pool->set.head.rows_ && each; row++) {
        if (!kith_pool_is_hole(pool, row)) {
            record_removal(pool, *kith_sparse_set_packed(&pool->set, row));
            kith_pool_destruct(pool, kith_pool_value(pool, row));
        }
    }
    if (pool->disabled != NULL) {
        memset(pool->disabled, 0, pool->disabled_words * WORD_BYTES);
        pool->set.shared->disabled -= pool->set.head.disabled_;
        pool->set.head.disabled_ = 0;
    }
    kith_sparse_set_clear(&pool->set);
    kith_pool_poison(pool, 0, rows);
}

void kith_pool_fill_hole(kith_pool *pool, uint32_t to, uint32_t from)
{
    const kith_pool_head_ *head = &pool->set.head;
    if (KITH_LIKELY_(kith_pool_is_bytes(pool))) {
        move_plain(head, pool->size, head->shift_, head->packed_at_, to, from);
        return;
    }
    kith_pool_move_value(pool, kith_pool_value(pool, to), kith_pool_value(pool, from));
    move_disabled(pool, from, to);
    kith_sparse_set_move(&pool->set, from, to);
}

void kith_pool_compact(kith_pool *pool)
{
    uint32_t end  = kith_sparse_set_count(&pool->set);
    uint32_t from = end;
    uint32_t rows = pool->set.head.rows_;
    if (pool->set.holes == 0) {
        return;
    }
    kith_pool_unpoison(pool, 0, rows);
    for (uint32_t hole = 0; hole < end; hole++) {
        if (kith_pool_is_hole(pool, hole)) {
            while (kith_pool_is_hole(pool, from)) {
                from++;
            }
            kith_pool_fill_hole(pool, hole, from++);
        }
    }
    kith_sparse_set_truncate(&pool->set, end);
    kith_pool_poison(pool, end, rows - end);
}

// Destructs the values in the holes, by ascending rows.
static void destruct_holes(kith_pool *pool)
{
    kith_sparse_set *set = &pool->set;
    kith_sparse_set_reverse_holes(set);
    for (uint32_t row = set->newest_hole; row != KITH_NO_ROW;
         row          = kith_sparse_set_older_hole(set, row)) {
        kith_pool_destruct(pool, kith_pool_value(pool, row));
    }
    kith_sparse_set_reverse_holes(set);
}

void kith_pool_settle(kith_pool *pool)
{
    kith_sparse_set *set = &pool->set;
    if (set->policy == KITH_POLICY_SWAP) {
        kith_sparse_set_order_holes(set);
        if (pool->hooks.destruct != NULL) {
            destruct_holes(pool);
        }
        return;
    }
    for (uint32_t row = kith_sparse_set_next_removed(set, set->lowest); row != KITH_NO_ROW;
         row          = kith_sparse_set_next_removed(set, row + 1)) {
        kith_pool_destruct(pool, kith_pool_value(pool, row));
        kith_sparse_set_forget_removed(set, row);
        kith_pool_poison(pool, row, 1);
    }
}

// The slots of this many rows are prefetched before the first row moves: their misses overlap.
#define MOVED_AT_ONCE 64u

// Moves each row into a hole, with the fields of the pool in registers (bench P1).
static void fill_plain(const kith_pool *pool, const uint32_t *holes, const uint32_t *rows,
                       uint32_t count)
{
    const kith_pool_head_ head = pool->set.head;
    size_t                size = pool->size;
    for (uint32_t i = 0; i < count; i++) {
        move_plain(&head, size, head.shift_, head.packed_at_, holes[i], rows[i]);
    }
}

// Fills at most MOVED_AT_ONCE holes below `end`, from `*next` on, with the last rows before `from`,
// both in descending order. Moves `*next` on, and returns the lowest row that it moved.
static uint32_t fill_holes(kith_pool *pool, uint32_t *next, uint32_t end, uint32_t from)
{
    const kith_sparse_set *set = &pool->set;
    uint32_t               holes[MOVED_AT_ONCE];
    uint32_t               rows[MOVED_AT_ONCE];
    uint32_t               count = 0;
    uint32_t               hole  = *next;
    for (; hole != KITH_NO_ROW && count < MOVED_AT_ONCE;
         hole = kith_sparse_set_older_hole(set, hole)) {
        if (hole < end) {
            do {
                from--;
            } while (kith_pool_is_hole(pool, from)); // ends: a row at or above `end` is no hole
            holes[count] = hole;
            rows[count]  = from;
            KITH_PREFETCH(kith_sparse_set_slot(set, *kith_sparse_set_packed(set, from)));
            count++;
        }
    }
    *next = hole;
    if (KITH_LIKELY_(kith_pool_is_bytes(pool))) {
        fill_plain(pool, holes, rows, count);
        return from;
    }
    for (uint32_t i = 0; i < count; i++) {
        kith_pool_fill_hole(pool, holes[i], rows[i]);
    }
    return from;
}

// Fills the holes below the new end with the values above it, both in descending order: the highest
// hole gets the highest value.
void kith_pool_close_holes(kith_pool *pool)
{
    kith_sparse_set *set    = &pool->set;
    set->removed_while_held = 0;
    if (set->policy == KITH_POLICY_STABLE) {
        return;
    }
    uint32_t end  = kith_sparse_set_count(set);
    uint32_t rows = set->head.rows_;
    uint32_t from = rows;
    uint32_t hole = set->newest_hole;
    if (KITH_LIKELY_(set->holes == 1)) {
        if (hole != end) {
            kith_pool_fill_hole(pool, hole, end);
        }
        hole = KITH_NO_ROW;
    }
    while (hole != KITH_NO_ROW) {
        from = fill_holes(pool, &hole, end, from);
    }
    kith_sparse_set_truncate(set, end);
    kith_pool_poison(pool, end, rows - end);
}

bool kith_pool_reserve_disabled(kith_pool *pool)
{
    return cover_rows(pool, 0);
}

uint32_t kith_pool_find_row(const kith_pool *pool, const void *address)
{
    const kith_pool_head_ *head = &pool->set.head;
    uint32_t               rows = kith_sparse_set_page_rows(&pool->set);
    for (uint32_t page = 0; page < pool->set.page_count && pool->size != 0; page++) {
        uintptr_t offset = (uintptr_t)address - (uintptr_t)head->pages_[page];
        if (offset < (uintptr_t)rows * pool->size) {
            uint64_t row  = ((uint64_t)page << head->shift_) + offset / pool->size;
            bool     used = row < head->rows_ && !kith_pool_is_hole(pool, (uint32_t)row);
            return used ? (uint32_t)row : KITH_NO_ROW;
        }
    }
    return KITH_NO_ROW;
}
