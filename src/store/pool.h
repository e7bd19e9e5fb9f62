// SPDX-License-Identifier: MIT
// Three things: the journal of removals, the pool of one component, and moves of its rows.
//
// A journal holds the newest removals of a component in a ring of fixed capacity.
//
//     written = 7, capacity = 3     entries [ 6th | 4th | 5th ]    0th .. 3rd are lost
//
// Entry n, counted from 0 since the component was registered, is at entries[n % capacity].
#pragma once

#include "store/sparse_set.h"

#define KITH_JOURNAL_MOST (UINT32_C(1) << 24)

typedef struct kith_journal {
    kith_removal *entries; // NULL: the component has no journal
    uint32_t      capacity;
    uint64_t      written;
    uint64_t      lost; // the tick of the newest entry that was overwritten; 0: none was
} kith_journal;

// Allocates a ring for `capacity` > 0 entries. Returns false when memory runs out.
bool kith_journal_init(kith_journal *journal, const kith_allocator *memory, uint32_t capacity);

// Records that the component was removed from the entity.
void kith_journal_record(kith_journal *journal, uint64_t tick, kith_entity entity);

// Returns the number of the oldest entry in the ring.
static inline uint64_t kith_journal_oldest(const kith_journal *of)
{
    return of->written < of->capacity ? 0 : of->written - of->capacity;
}

static inline const kith_removal *kith_journal_entry(const kith_journal *of, uint64_t number)
{
    return &of->entries[number % of->capacity];
}

// Returns the number of the oldest entry in the ring that is not older than `tick`.
uint64_t kith_journal_since(const kith_journal *journal, uint64_t tick);

// Returns what is wrong with the ticks of the entries, or NULL.
static inline const char *kith_journal_fault(const kith_journal *of, uint64_t now)
{
    uint64_t tick = of->lost;
    for (uint64_t i = kith_journal_oldest(of); i < of->written; i++) {
        if (kith_journal_entry(of, i)->tick < tick) {
            return "a journal goes back in time";
        }
        tick = kith_journal_entry(of, i)->tick;
    }
    return tick <= now ? NULL : "a journal has an entry of the future";
}

// --- the pool --------------------------------------------------------------------------------
//
// A pool is a sparse set whose payload is the values of one component.
//
//     row --> value at pages_[row >> shift_] + (row in page) * size
//
// Hooks construct, copy, move and destruct values. A pool without hooks is *plain*: its values are
// bytes. A value is constructed in its row before the set gets the entity, so a hook that fails
// leaves nothing to undo.
//
// Rows can be disabled: one bit per row. The bits are allocated on first use and then cover all
// rows. The bit of a row without a value is 0.
//
// While the world is held, removed values stay in their rows. Settling destructs them and then
// closes the holes of a swap pool.

typedef struct kith_pool kith_pool;

// Removes the member with this index and returns true.
typedef bool (*kith_pool_remove_fn)(kith_pool *pool, uint32_t index);

// Cached hashes of blocks of rows. The hash of a block is still valid if all its rows existed then
// and the stamps of their pages are older than `tick`.
typedef struct kith_kept_hashes {
    uint64_t *blocks; // NULL: the cache is empty; of a flag, one hash of all entities that have it
    uint32_t  capacity;
    uint32_t  rows; // at the time of hashing
    uint64_t  tick; // of hashing; of a flag, how often it had been set and cleared
} kith_kept_hashes;

struct kith_pool {
    kith_sparse_set     set;
    kith_pool_remove_fn remove; // the fastest function for the present state of the pool
    uint32_t            size;
    bool                plain;   // no hook
    bool                rowless; // a flag: the pool only counts
    uint8_t             usual;   // 0: not simple; 1 + size / 4 for usual sizes and pages; or 6
    kith_hooks          hooks;
    kith_journal        journal;  // of removals
    void               *spare;    // memory for one value during a swap; only with hooks
    uint64_t           *disabled; // a bit per row; NULL: no row is disabled
    uint32_t            disabled_words;
    kith_kept_hashes    kept;
};

// The settings of a pool.
typedef struct kith_pool_layout {
    uint32_t    size;
    uint32_t    alignment;
    uint32_t    shift; // a page has 2^shift rows
    kith_policy policy;
    bool        rowless;
    bool        row_ticks;
} kith_pool_layout;

// Makes a plain pool. Set its hooks afterwards.
void kith_pool_init(kith_pool *pool, const kith_pool_layout *layout, kith_shared *shared);
void kith_pool_set_hooks(kith_pool *pool, const kith_hooks *hooks);

// Returns an empty pool with the same layout, hooks, limit and tick. `moves` is higher, so caches
// of row places are invalid. It has no journal: the caller allocates one.
kith_pool kith_pool_empty_like(const kith_pool *pool);

// Frees all memory. The caller has cleared the pool.
void kith_pool_free(kith_pool *pool);

// Copies `from` into an empty pool of the same layout and journal capacity. Unless `bytes`, the
// values are missing: kith_pool_copy_values copies them. Returns false when memory runs out.
bool kith_pool_copy(kith_pool *pool, const kith_pool *from, bool bytes);

// Copies the values through the hook, by ascending rows. Returns KITH_NO_ROW, or the row whose hook
// failed; the pool is then empty.
uint32_t kith_pool_copy_values(kith_pool *pool, const kith_pool *from);

// Reserves memory, so adding this index next cannot fail. The pool is below its limit. The second
// function reserves memory for `rows` rows in all.
bool kith_pool_reserve(kith_pool *pool, uint32_t index);
bool kith_pool_reserve_rows(kith_pool *pool, uint32_t rows);

// Allocates `spare`, so that a pool with rows can get hooks.
bool kith_pool_reserve_spare(kith_pool *pool);

// Constructs a value in raw memory: a copy of `source`, or the default when `source` is NULL.
// Returns false when a hook fails.
bool kith_pool_construct(const kith_pool *pool, void *value, const void *source);
void kith_pool_destruct(const kith_pool *pool, void *value);

// Moves a value to raw memory. The memory at `from` is then raw.
void kith_pool_move_value(const kith_pool *pool, void *to, void *from);

// Replaces a value. Returns false when a hook fails; the old value then stays.
bool kith_pool_replace(kith_pool *pool, void *value, const void *source);

// Destructs every value and removes every entity, in row order.
void kith_pool_clear(kith_pool *pool);

// Removes the member with this index and leaves its value in the row. The world is held.
void kith_pool_remove_to_hole(kith_pool *pool, uint32_t index);

// Destructs the values that were removed while the world was held, by ascending rows. The second
// function then closes the holes of a swap pool.
void kith_pool_settle(kith_pool *pool);
void kith_pool_close_holes(kith_pool *pool);

// Whether a row is bytes and nothing else: no hooks, disable bits and ticks.
static inline bool kith_pool_is_bytes(const kith_pool *pool)
{
    return pool->plain && pool->disabled == NULL && !kith_sparse_set_has_ticks(&pool->set);
}

// Whether removing a row is only moving bytes: a swap pool of bytes without a journal.
static inline bool kith_pool_is_simple(const kith_pool *pool)
{
    return kith_pool_is_bytes(pool) && !pool->rowless && pool->set.policy == KITH_POLICY_SWAP &&
           pool->journal.entries == NULL;
}

// Closes the holes of a stable pool: the holes below the new end take the rows above it, both in
// ascending order.
void kith_pool_compact(kith_pool *pool);

void kith_pool_shrink(kith_pool *pool);
void kith_pool_free_spare(kith_pool *pool);

// Allocates the disable bits. Returns false when memory runs out. The second function sets or
// clears the bit of a row; without bits it does nothing.
bool kith_pool_reserve_disabled(kith_pool *pool);
void kith_pool_set_disabled(kith_pool *pool, uint32_t row, bool on);

// Makes room for `blocks` hashes. Returns false and changes nothing when memory runs out.
bool kith_pool_reserve_hashes(kith_pool *pool, uint32_t blocks);
void kith_pool_free_hashes(kith_pool *pool);

// Makes all cached hashes invalid: stamps and counters may go back.
static inline void kith_pool_forget_hashes(kith_pool *pool)
{
    pool->kept.rows = 0;
    pool->kept.tick = UINT64_MAX;
}

// Returns the row whose value contains the address, or KITH_NO_ROW. O(pages).
uint32_t kith_pool_find_row(const kith_pool *pool, const void *address);

void kith_pool_memory(const kith_pool *pool, kith_memory *memory);

// Builds with KITH_DEBUG poison rows that have no value: rows behind the end, and holes when the
// world has settled. A pointer into such a row is then found. A row is unpoisoned before it gets a
// value. Rows that a call reserved and did not use may stay unpoisoned, and so may holes that were
// copied or saved with their page.
#ifdef KITH_DEBUG
void kith_pool_poison(const kith_pool *pool, uint32_t first, uint32_t count);
void kith_pool_unpoison(const kith_pool *pool, uint32_t first, uint32_t count);
#else
    #define kith_pool_poison(POOL, FIRST, COUNT)   ((void)(POOL), (void)(FIRST), (void)(COUNT))
    #define kith_pool_unpoison(POOL, FIRST, COUNT) ((void)(POOL), (void)(FIRST), (void)(COUNT))
#endif

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

static inline bool kith_pool_is_hole(const kith_pool *pool, uint32_t row)
{
    return (*kith_sparse_set_packed(&pool->set, row) & KITH_HOLE) != 0;
}

static inline void kith_pool_enable(kith_pool *pool, uint32_t row)
{
    if (pool->disabled != NULL) {
        kith_pool_set_disabled(pool, row, false);
    }
}

// --- moving rows -----------------------------------------------------------------------------
//
// Exchanging two rows, moving and removing runs of rows, and putting all rows into another order.
// Values, slots, ticks and disable bits move with their rows. Pages that change are stamped.

// Exchanges two rows.
void kith_pool_swap(kith_pool *pool, uint32_t a, uint32_t b);

// Exchanges the row of an entity and row `to`. The functions of the table take the slot of the
// entity and another row. The function of a pool is at its `usual`.
typedef void (*kith_pool_swap_fn)(kith_pool *pool, uint64_t *slot, uint32_t index, uint32_t to);
extern const kith_pool_swap_fn kith_pool_swaps[7];

static inline void kith_pool_swap_entity(kith_pool *pool, uint32_t index, uint32_t to)
{
    uint64_t *slot = kith_sparse_set_slot(&pool->set, index);
    if ((uint32_t)*slot != to) {
        kith_pool_swaps[pool->usual](pool, slot, index, to);
    }
}

// Moves row `from` into the hole at `to`.
void kith_pool_fill_hole(kith_pool *pool, uint32_t to, uint32_t from);

// Exchanges two rows. If `a` is a hole, `b` becomes a hole that is in no list.
void kith_pool_swap_or_fill(kith_pool *pool, uint32_t a, uint32_t b);

// Removes the rows first .. first + count - 1 of a simple pool. The caller has emptied their slots.
// The last rows close the gap, in the order in which kith_pool_close_holes would move them.
void kith_pool_remove_run(kith_pool *pool, uint32_t first, uint32_t count);

// The caller has removed `count` rows from `first` on, as above. Fills their places with the last
// rows before `end`, of which there are at least as many behind the places, or none:
//
//     [ .. | gone | .. | tail | .. ]    ->    [ .. | tail | .. | gone | .. ]
void kith_pool_refill(kith_pool *pool, uint32_t first, uint32_t count, uint32_t end);

// Swaps row `from` + i with row `to` + i, for each i < `count`, ascending. `to` <= `from`. If few
// rows lie between, it moves whole blocks instead, with the same result.
void kith_pool_swap_run(kith_pool *pool, uint32_t to, uint32_t from, uint32_t count);

// Makes all moves at once. They are sorted by `to`, none moves a row to itself, every `from` is
// also a `to`, and `count` > 0. The first function returns the bytes of `buffer`, which is aligned
// to 8.
size_t kith_pool_rearrange_bytes(const kith_pool *pool, uint32_t count);
void   kith_pool_rearrange(kith_pool *pool, kith_move *moves, uint32_t count, void *buffer);
