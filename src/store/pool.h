// SPDX-License-Identifier: MIT
// A journal: the newest removals of a component, in a ring that was made with it.
//
//     written = 7, capacity = 3     entries [ 6th | 4th | 5th ]    0th .. 3rd are lost
//
// Entry n, counted from 0 since the component was registered, is at n % capacity.
#ifndef KITH_STORE_POOL_H
#define KITH_STORE_POOL_H

#include "store/sparse_set.h"

#define KITH_JOURNAL_MOST (UINT32_C(1) << 24)

typedef struct kith_journal {
    kith_removal *entries; // NULL: there is no journal
    uint32_t      capacity;
    uint64_t      written;
    uint64_t      lost; // the tick of the newest entry that was written over; 0: none was
} kith_journal;

// A ring for so many entries, which are some; false when memory runs out.
KITH_INTERNAL bool kith_journal_init(kith_journal *journal, const kith_allocator *memory,
                                     uint32_t capacity);

// The entries of another one, in a ring as large as its.
KITH_INTERNAL void kith_journal_copy(kith_journal *journal, const kith_journal *from);
KITH_INTERNAL void kith_journal_release(kith_journal *journal, const kith_allocator *memory);

// Notes that the entity lost the component.
KITH_INTERNAL void kith_journal_record(kith_journal *journal, uint64_t tick, kith_entity entity);

// The number of the oldest entry that is there.
static inline uint64_t kith_journal_oldest(const kith_journal *of)
{
    return of->written < of->capacity ? 0 : of->written - of->capacity;
}

static inline const kith_removal *kith_journal_entry(const kith_journal *of, uint64_t number)
{
    return &of->entries[number % of->capacity];
}

// The number of the oldest entry that is there and not older than that tick.
KITH_INTERNAL uint64_t kith_journal_since(const kith_journal *journal, uint64_t tick);

// --- pool ------------------------------------------------------------
//
// A pool: a sparse set whose payload is the values of one component.
//
//     row --> value at pages_[row >> shift_] + (row in page) * size
//
// Values are raw bytes for the pool and come to life through hooks; a pool without hooks is *plain*
// and its values are copied, moved and dropped as bytes. A value is constructed in the row that its
// entity will take before the set learns of the entity, so a hook that fails leaves nothing to
// undo.
//
// Rows can be disabled: a bit a row, made on first use and then as long as the rows reach. The bit
// of a row without a value is 0.
//
// While the world is held, removed values stay where they are. Settling ends them, then closes the
// holes of a swap pool.

typedef struct kith_pool kith_pool;

// Takes the member with this index out and returns true.
typedef bool (*kith_pool_remove_fn)(kith_pool *pool, uint32_t index);

// Hashes of blocks of rows, kept from the latest hash on. A block has not changed since if all its
// rows were there and the stamps of their pages are older.
typedef struct kith_kept_hashes {
    uint64_t *blocks; // NULL: nothing is kept; of a flag, the one of all that have it
    uint32_t  capacity;
    uint32_t  rows; // that were hashed
    uint64_t  tick; // in which; of a flag, how often it had been set and cleared
} kith_kept_hashes;

struct kith_pool {
    kith_sparse_set     set;
    kith_pool_remove_fn remove; // the shortest way for this pool, as it is now
    uint32_t            size;
    bool                plain;   // no hook
    bool                rowless; // a flag: only counted
    kith_hooks          hooks;
    kith_journal        journal;  // of removals
    void               *spare;    // room for one value that waits; only where there are hooks
    uint64_t           *disabled; // NULL: no row is
    uint32_t            disabled_words;
    uint32_t            disabled_count; // bits that are set
    kith_kept_hashes    kept;
};

// What a pool of this layout is; `shift` as in the sparse set.
typedef struct kith_pool_layout {
    uint32_t    size;
    uint32_t    alignment;
    uint32_t    shift;
    kith_policy policy;
    bool        rowless;
    bool        row_ticks;
} kith_pool_layout;

// A plain pool; hooks are given to it afterwards.
KITH_INTERNAL void kith_pool_init(kith_pool *pool, const kith_pool_layout *layout,
                                  kith_shared *shared);
KITH_INTERNAL void kith_pool_set_hooks(kith_pool *pool, const kith_hooks *hooks);

// An empty pool of the same layout, hooks and limit, at the same tick, in which nothing is where it
// was, and without a journal, which it is to be given.
KITH_INTERNAL kith_pool kith_pool_empty_like(const kith_pool *pool);

// Gives all memory back. The values are cleared before.
KITH_INTERNAL void kith_pool_release(kith_pool *pool, const kith_allocator *memory);

// Gives an empty pool of the same layout and journal all that another one has, but for values if
// not `bytes`: those are to be copied next, through the hook. False when memory runs out.
KITH_INTERNAL bool kith_pool_copy(kith_pool *pool, const kith_allocator *memory,
                                  const kith_pool *from, bool bytes);

// Copies the values, by ascending rows. Returns the row whose hook said no, with the pool empty, or
// KITH_NO_ROW.
KITH_INTERNAL uint32_t kith_pool_copy_values(kith_pool *pool, const kith_pool *from);

// Makes sure that adding this index next cannot fail for memory. Not for a pool at its limit.
KITH_INTERNAL bool kith_pool_reserve(kith_pool *pool, const kith_allocator *memory, uint32_t index);
KITH_INTERNAL bool kith_pool_reserve_rows(kith_pool *pool, const kith_allocator *memory,
                                          uint32_t rows);

// Makes room for the value that waits, so that hooks can be given to a pool that has rows.
KITH_INTERNAL bool kith_pool_reserve_spare(kith_pool *pool, const kith_allocator *memory);

// Makes a value in raw memory: a copy of `source`, or the default when it is NULL. False when a
// hook says no.
KITH_INTERNAL bool kith_pool_construct(const kith_pool *pool, void *value, const void *source);
KITH_INTERNAL void kith_pool_destruct(const kith_pool *pool, void *value);

// Moves a value to raw memory, which the old place then is.
KITH_INTERNAL void kith_pool_move_value(const kith_pool *pool, void *to, void *from);

// Puts a new value in the place of an old one. False when a hook says no, with the old one
// there.
KITH_INTERNAL bool kith_pool_replace(kith_pool *pool, void *value, const void *source);

// Destructs every value and takes every entity out, in row order.
KITH_INTERNAL void kith_pool_clear(kith_pool *pool);

// Takes the member with this index out and leaves its value where it is. The world is held.
KITH_INTERNAL void kith_pool_remove_later(kith_pool *pool, uint32_t index);

// Ends the values that were left, by ascending rows; then closes the holes of a swap pool.
KITH_INTERNAL void kith_pool_settle(kith_pool *pool);
KITH_INTERNAL void kith_pool_close_holes(kith_pool *pool);

// Whether a row is bytes and nothing else, without disable bits and ticks.
static inline bool kith_pool_is_bytes(const kith_pool *pool)
{
    return pool->plain && pool->disabled == NULL && !kith_sparse_set_has_ticks(&pool->set);
}

// Whether rows that go need no care: bytes, without holes that stay and a journal.
static inline bool kith_pool_is_simple(const kith_pool *pool)
{
    return kith_pool_is_bytes(pool) && !pool->rowless && pool->set.policy == KITH_POLICY_SWAP &&
           pool->journal.entries == NULL;
}

// Lets the pool end here, without holes. What was behind is elsewhere by now.
KITH_INTERNAL void kith_pool_truncate(kith_pool *pool, uint32_t end);

// Closes the holes of a stable pool: those below the new end, ascending, take the rows above it,
// ascending.
KITH_INTERNAL void kith_pool_compact(kith_pool *pool);

KITH_INTERNAL void kith_pool_shrink(kith_pool *pool, const kith_allocator *memory);
KITH_INTERNAL void kith_pool_free_spare(kith_pool *pool, const kith_allocator *memory);

// Sets or clears a row's disable bit. The first asks for memory that `disable` needs.
KITH_INTERNAL bool kith_pool_reserve_disabled(kith_pool *pool, const kith_allocator *memory);
KITH_INTERNAL void kith_pool_disable(kith_pool *pool, uint32_t row);
KITH_INTERNAL void kith_pool_enable(kith_pool *pool, uint32_t row);

// Makes room for so many hashes; false when memory runs out, with the kept ones as they were.
KITH_INTERNAL bool kith_pool_reserve_hashes(kith_pool *pool, const kith_allocator *memory,
                                            uint32_t blocks);
KITH_INTERNAL void kith_pool_free_hashes(kith_pool *pool, const kith_allocator *memory);

// The row whose value contains the address, or KITH_NO_ROW. O(pages).
KITH_INTERNAL uint32_t kith_pool_find_row(const kith_pool *pool, const void *address);

KITH_INTERNAL void kith_pool_memory(const kith_pool *pool, kith_memory *memory);

static inline bool kith_hooks_empty(const kith_hooks *hooks)
{
    return hooks->construct == NULL && hooks->copy == NULL && hooks->destruct == NULL &&
           hooks->move == NULL;
}

static inline void *kith_pool_value(const kith_pool *pool, uint32_t row)
{
    uint32_t i = row & (kith_sparse_set_page_rows(&pool->set) - 1);
    return pool->set.head.pages_[row >> pool->set.head.shift_] + (size_t)i * pool->size;
}

static inline bool kith_pool_is_disabled(const kith_pool *pool, uint32_t row)
{
    return pool->disabled != NULL && (pool->disabled[row >> 6] >> (row & 63) & 1) != 0;
}

// Whether the row is a hole.
static inline bool kith_pool_is_hole(const kith_pool *pool, uint32_t row)
{
    return (*kith_sparse_set_packed(&pool->set, row) & KITH_HOLE) != 0;
}

// The row's disable bit, where the bits are made.
static inline void kith_pool_set_disabled(kith_pool *pool, uint32_t row, bool on)
{
    uint64_t  bit  = UINT64_C(1) << (row & 63);
    uint64_t *word = &pool->disabled[row >> 6];
    uint32_t  more = on ? (*word & bit) == 0 : 0u - ((*word & bit) != 0);
    pool->disabled_count += more;
    pool->set.shared->disabled += more;
    *word = on ? *word | bit : *word & ~bit;
}

static inline void kith_pool_move_disabled(kith_pool *pool, uint32_t from, uint32_t to)
{
    if (pool->disabled != NULL) {
        kith_pool_set_disabled(pool, to, kith_pool_is_disabled(pool, from));
        kith_pool_set_disabled(pool, from, false);
    }
}

// Gives the value in row `from` the place of the hole at `to`.
static inline void kith_pool_fill_hole(kith_pool *pool, uint32_t to, uint32_t from)
{
    if (pool->plain) {
        kith_copy_bytes(kith_pool_value(pool, to), kith_pool_value(pool, from), pool->size);
    } else {
        kith_pool_move_value(pool, kith_pool_value(pool, to), kith_pool_value(pool, from));
    }
    kith_pool_move_disabled(pool, from, to);
    kith_sparse_set_move(&pool->set, from, to);
}

// --- pool_move ------------------------------------------------------------
//
// The rows of a pool in other places: two exchanged, runs brought forward or closed up, or all of
// them in another order. Values, lookups and disable bits go with their rows; pages that change are
// stamped.

// Exchanges two rows.
KITH_INTERNAL void kith_pool_swap(kith_pool *pool, uint32_t a, uint32_t b);

// Moves a row to `to`, where there is nothing, as now in `from`.
KITH_INTERNAL void kith_pool_move_row(kith_pool *pool, uint32_t from, uint32_t to);

// Exchanges two rows of which `a` may be a hole; `b` then is one, in no list of holes.
KITH_INTERNAL void kith_pool_swap_or_fill(kith_pool *pool, uint32_t a, uint32_t b);

// Takes out `count` rows of a simple pool, from `first` on, whose slots are empty already: the last
// rows close the gap, as if the rows had been left and the holes closed.
KITH_INTERNAL void kith_pool_remove_run(kith_pool *pool, uint32_t first, uint32_t count);

// The rows from `first` on are gone, as above. Their places are filled from the highest to the
// lowest, each time with the last row before `end`, so that the rows before `end` are free instead:
//
//     [ .. | gone | tail | .. ]    ->    [ .. | tail | gone | .. ]
//
// The first says whether that can be done: whether so many of the tail can wait for their places.
KITH_INTERNAL bool kith_pool_can_refill(const kith_pool *pool, uint32_t count, uint32_t tail);
KITH_INTERNAL void kith_pool_refill(kith_pool *pool, uint32_t first, uint32_t count, uint32_t end);

// Swaps `count` rows from `from` on with those from `to` on, one after the other; `to` is not
// higher. Few rows between the two are passed in one go.
KITH_INTERNAL void kith_pool_swap_run(kith_pool *pool, uint32_t to, uint32_t from, uint32_t count);

// Makes all moves at once, and there are some: by ascending `to`, none of a row to itself, each row
// that is left is taken too. `buffer` has as many bytes as the first says, aligned for ticks.
KITH_INTERNAL size_t kith_pool_rearrange_bytes(const kith_pool *pool, uint32_t count);
KITH_INTERNAL void   kith_pool_rearrange(kith_pool *pool, kith_move *moves, uint32_t count,
                                         void *buffer);

#endif
