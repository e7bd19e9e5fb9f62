// SPDX-License-Identifier: MIT
// The entity table: one slot an index, in pages, with the free list threaded through the free
// slots.
//
//     slot (64 bits)    version << 32 | link
//       living          link is the slot's own index: the slot is the handle itself
//       free            link is the next free index, or KITH_SLOT_END; version is the next to issue
//       retired         link is KITH_SLOT_RETIRED: the last version was used up
//       reserved        link is KITH_SLOT_RESERVED: below first_index and not alive, or never used
//
//     page              1024 slots | 1024 signature words | further signature words, made on demand
//
// "Alive" is therefore one comparison, slot == handle, for every handle there can be: only a living
// slot links to itself. Growing adds pages and copies nothing but their directory. Where indices
// are handed out lowest first the links are unused and a set orders them.
//
// The first signature word of an entity lies in its page; it is 0 for slots that are not alive and
// undefined for those that were never in use. A word further on (component 65 and up)
// lies in a plane of the page that is made when the first entity there needs it; `more` says which
// of an entity's further words are not 0, so destroying looks at no others.
//
// A loop over the table must not visit entities that are younger than itself. While one is open,
// births are numbered: the loop notes the number at its begin and passes over higher ones. Numbers
// only grow, so they are never cleared.
#ifndef KITH_STORE_ENTITY_TABLE_H
#define KITH_STORE_ENTITY_TABLE_H

#include "base/bit_tree.h"

#define KITH_SLOT_END      KITH_NO_INDEX
#define KITH_SLOT_RETIRED  (KITH_NO_INDEX - 1)
#define KITH_SLOT_RESERVED (KITH_NO_INDEX - 2)

// How far beyond the table a hint may reach: a mistyped index must not allocate gigabytes.
#define KITH_HINT_REACH (1u << 20)

// What is known of a page's slots without looking at them, until one of them changes.
typedef struct kith_slots_known {
    uint32_t hashed;  // so many of the first have a hash
    uint32_t version; // 0, or all that are in use are of living entities with this version
} kith_slots_known;

typedef struct kith_entity_page {
    uint64_t  slots[KITH_PAGE_SLOTS];
    uint64_t  signature[KITH_PAGE_SLOTS];
    uint16_t *more;   // NULL: no entity here has further words
    uint64_t *births; // the number of each entity's birth among those that loops must know of
    uint32_t *links;  // of entities that joined or left a group while the world was held
    uint64_t *planes[KITH_SIGNATURE_WORDS - 1];
    uint64_t  hash;   // of the first `known.hashed` slots
    uint64_t  common; // of a stage: what all entities have of which nobody has written more yet
    bool      bare;   // that is so, and `signature` is undefined

    kith_slots_known known;
} kith_entity_page;

typedef struct kith_entity_table {
    uint64_t      **pages; // each is a kith_entity_page; inline code needs its first two parts
    uint32_t        page_count;
    uint32_t        page_capacity; // of the directory
    uint32_t        count;         // slots in use: what lies beyond was never issued
    uint32_t        room;          // how far count can go without memory
    uint32_t        inline_room;   // the same; 0 while births are numbered or heard of
    uint32_t        idle;          // slots in use that are not alive: free, retired, reserved
    uint32_t        free;
    uint32_t        retired;
    uint32_t        head; // of the free list: the next to be used
    uint32_t        tail; // of the free list: the last to be used
    uint32_t        first_index;
    uint32_t        index_end;    // indices are below it
    uint32_t        index_most;   // the highest that index_end can be
    uint32_t        version_last; // versions are not above it
    kith_free_order order;
    bool            queued;        // all indices queued from the start
    kith_bit_tree   lowest;        // the free indices, when they go out lowest first
    uint32_t        table_loops;   // open loops over the table: while there are any, births count
    bool            has_listeners; // someone listens to births
    uint64_t        births;
    bool            linking;    // there are groups: pages have links
    uint32_t        first_link; // KITH_NO_INDEX: none
    uint32_t        last_link;
} kith_entity_table;

// Settings that a world's description gave, all of them valid.
KITH_INTERNAL bool kith_entity_table_init(kith_entity_table *table, const kith_allocator *memory,
                                          const kith_world_desc *desc);
KITH_INTERNAL void kith_entity_table_release(kith_entity_table    *table,
                                             const kith_allocator *memory);

// Makes a table without pages equal to another one that no loop walks and in which nobody is
// linked; false when memory runs out, and then it can only be released.
KITH_INTERNAL bool kith_entity_table_copy(kith_entity_table *table, const kith_allocator *memory,
                                          const kith_entity_table *from);

// A table with the same settings and no slot.
KITH_INTERNAL kith_entity_table kith_entity_table_empty_like(const kith_entity_table *table);

// Makes room for slots up to `slots`, which is not above index_end. O(new pages). Nobody has
// written those of new pages that are wholly below `count`: only a stage counts ahead.
KITH_INTERNAL bool kith_entity_table_reserve(kith_entity_table *table, const kith_allocator *memory,
                                             uint32_t slots);

// Gives the pages from number `pages` on back; no slot of them is in use.
KITH_INTERNAL void kith_entity_table_trim(kith_entity_table *table, const kith_allocator *memory,
                                          uint32_t pages);

// Lets indices run up to `slots`: not below those in use, not above index_most.
KITH_INTERNAL void kith_entity_table_set_limit(kith_entity_table *table, uint32_t slots);

// Makes every page, and each that is added while table_loops is not 0, able to number births.
KITH_INTERNAL bool kith_entity_table_reserve_births(kith_entity_table    *table,
                                                    const kith_allocator *memory);

// Makes every page, and each that is added from now on, able to link its entities.
KITH_INTERNAL bool kith_entity_table_reserve_links(kith_entity_table    *table,
                                                   const kith_allocator *memory);

// Puts an index at the end of the list, unless it is there. The index after `index` in the list, or
// KITH_NO_INDEX; after that, the first. Empties the list.
KITH_INTERNAL void     kith_entity_link(kith_entity_table *table, uint32_t index);
KITH_INTERNAL uint32_t kith_entity_next_linked(const kith_entity_table *table, uint32_t index);
KITH_INTERNAL void     kith_entity_unlink_all(kith_entity_table *table);

// To be called when table_loops or heard has changed.
KITH_INTERNAL void kith_entity_table_update_room(kith_entity_table *table);

// Numbers the birth of an entity. Only while table_loops is not 0.
KITH_INTERNAL void kith_entity_table_number_birth(kith_entity_table *table, kith_entity entity);

// Gives back pages that hold no slot in use, planes that hold no bit, and the birth numbers.
KITH_INTERNAL void kith_entity_table_shrink(kith_entity_table *table, const kith_allocator *memory);

// Changes the link of a slot that is not alive.
KITH_INTERNAL void kith_entity_table_set_link(kith_entity_table *table, uint32_t index,
                                              uint32_t link);

// Gives the slots begin..end-1 the empty signature that slots in use have.
KITH_INTERNAL void kith_entity_clear_words(kith_entity_table *table, uint32_t begin, uint32_t end);

// Makes slots count..end-1 free, except those whose signature is not empty, to be handed out
// ascending: before older free ones under LIFO, after them under FIFO.
KITH_INTERNAL void kith_entity_table_append_free(kith_entity_table *table, uint32_t end);

// The lowest free index, which is then no longer free.
KITH_INTERNAL uint32_t kith_entity_table_pop_lowest(kith_entity_table *table);

// Ends an entity in every case that kith_entity_table_free does not do itself.
KITH_INTERNAL void kith_entity_table_free_slow(kith_entity_table *table, kith_entity entity);

// Whether a hint, one of so many, is within the world's limits and within reach.
KITH_INTERNAL bool kith_entity_table_allows_hint(const kith_entity_table *table, kith_entity hint,
                                                 uint32_t count);

// Takes exactly these handles where possible and answers 0 in `out` for the others, then fills
// those with fresh ones. One pass over the free list. Returns KITH_OK, or why nothing was done,
// with the hint that is beyond the limits in `refused`.
KITH_INTERNAL kith_error_code kith_entity_table_use_hints(kith_entity_table    *table,
                                                          const kith_allocator *memory,
                                                          const kith_entity *hints, uint32_t count,
                                                          kith_entity *out, kith_entity *refused);

// Takes `count` slots, as so many single takes would; and slots in a row that were never used.
// Returns KITH_OK, or why nothing was done.
KITH_INTERNAL kith_error_code kith_entity_table_alloc(kith_entity_table    *table,
                                                      const kith_allocator *memory,
                                                      kith_entity *out, uint32_t count);
KITH_INTERNAL kith_error_code kith_entity_table_alloc_range(kith_entity_table    *table,
                                                            const kith_allocator *memory,
                                                            uint32_t count, kith_entity *first);

// Undoes the newest take, before anything else has happened to the table. `slots` is how many slots
// there were.
KITH_INTERNAL void kith_entity_table_undo_alloc(kith_entity_table *table, const kith_entity *taken,
                                                uint32_t count, uint32_t slots);

// kith_entity_table_free for the living with handles from `first` on, whose slots are in one page.
KITH_INTERNAL void kith_entity_table_free_range(kith_entity_table *table, kith_entity first,
                                                uint32_t count);

// Signature words 1 and up. `reserve` makes room for a bit, and only then may it be set.
KITH_INTERNAL bool kith_plane_reserve(kith_entity_table *table, const kith_allocator *memory,
                                      uint32_t index, uint32_t bit);
KITH_INTERNAL void kith_plane_bit_set(kith_entity_table *table, uint32_t index, uint32_t bit);
KITH_INTERNAL void kith_plane_bit_clear(kith_entity_table *table, uint32_t index, uint32_t bit);

// Empties the whole signature.
KITH_INTERNAL void kith_entity_signature_clear(kith_entity_table *table, uint32_t index);

// Bytes taken from the allocator, as `entities` and `signatures`.
KITH_INTERNAL void kith_entity_table_memory(const kith_entity_table *table, kith_memory *memory);

static inline kith_entity_page *kith_entity_page_of(const kith_entity_table *table, uint32_t index)
{
    return (kith_entity_page *)(void *)table->pages[index >> KITH_PAGE_SHIFT_];
}

static inline uint64_t *kith_entity_slot_of(const kith_entity_table *table, uint32_t index)
{
    return &table->pages[index >> KITH_PAGE_SHIFT_][index & KITH_PAGE_MASK_];
}

// Notes that a slot in use gets another content. Slots that are added need no note: their number
// shows.
static inline void kith_entity_slot_changed(const kith_entity_table *table, uint32_t index)
{
    kith_entity_page_of(table, index)->known = (kith_slots_known){ 0, 0 };
}

static inline bool kith_entity_table_alive(const kith_entity_table *table, kith_entity entity)
{
    uint32_t page = (uint32_t)entity >> KITH_PAGE_SHIFT_;
    return page < table->page_count && table->pages[page][entity & KITH_PAGE_MASK_] == entity;
}

// Whether the slot at `index`, which is in use, is a living entity's.
static inline bool kith_entity_index_alive(const kith_entity_table *table, uint32_t index)
{
    return kith_entity_index(*kith_entity_slot_of(table, index)) == index;
}

// A slot as it is stored; 0 when it was never used.
static inline uint64_t kith_entity_table_slot(const kith_entity_table *table, uint32_t index)
{
    uint64_t slot = index < table->count ? *kith_entity_slot_of(table, index) : 0;
    return kith_entity_version(slot) == 0 ? 0 : slot;
}

// The living.
static inline uint32_t kith_entity_table_count(const kith_entity_table *table)
{
    return table->count - table->idle;
}

// Takes the next slot that was never used. There is room.
static inline kith_entity kith_entity_table_append(kith_entity_table *table)
{
    assert(table->count < table->room);
    uint32_t    index     = table->count++;
    kith_entity entity    = kith_entity_make(index, 1);
    uint64_t   *slot      = kith_entity_slot_of(table, index);
    slot[0]               = entity;
    slot[KITH_PAGE_SLOTS] = 0; // its signature
    return entity;
}

// Takes the next free slot. There is one.
static inline kith_entity kith_entity_table_reuse(kith_entity_table *table)
{
    assert(table->free != 0);
    bool      lowest = table->order == KITH_FREE_LOWEST;
    uint32_t  index  = lowest ? kith_entity_table_pop_lowest(table) : table->head;
    uint64_t *slot   = kith_entity_slot_of(table, index);
    table->head      = kith_entity_index(*slot);
    table->free--;
    table->idle--;
    kith_entity_slot_changed(table, index);
    *slot = kith_entity_make(index, kith_entity_version(*slot));
    return *slot;
}

// Ends a living entity whose signature is empty. Inline for the usual order: bench C4.
static inline void kith_entity_table_free(kith_entity_table *table, kith_entity entity)
{
    uint32_t index   = kith_entity_index(entity);
    uint32_t version = kith_entity_version(entity);
    if (KITH_UNLIKELY_(table->order != KITH_FREE_LIFO || version == table->version_last ||
                       index < table->first_index)) {
        kith_entity_table_free_slow(table, entity);
        return;
    }
    kith_entity_slot_changed(table, index);
    *kith_entity_slot_of(table, index) = kith_entity_make(table->head, version + 1);
    table->head                        = index;
    table->free++;
    table->idle++;
}

// Word `word` of a living entity's signature.
static inline uint64_t kith_entity_signature_word(const kith_entity_table *table, uint32_t index,
                                                  uint32_t word)
{
    const kith_entity_page *page = kith_entity_page_of(table, index);
    if (word == 0) {
        assert(!page->bare);
        return page->signature[index & KITH_PAGE_MASK_];
    }
    const uint64_t *plane = page->planes[word - 1];
    return plane == NULL ? 0 : plane[index & KITH_PAGE_MASK_];
}

// Which words of the signature may have bits, a bit each: the first, and those in planes.
static inline uint32_t kith_entity_words(const kith_entity_table *table, uint32_t index)
{
    const kith_entity_page *page = kith_entity_page_of(table, index);
    return page->more == NULL ? 1u : 1u | (uint32_t)page->more[index & KITH_PAGE_MASK_] << 1;
}

static inline bool kith_entity_bit(const kith_entity_table *table, uint32_t index, uint32_t bit)
{
    return (kith_entity_signature_word(table, index, bit >> 6) >> (bit & 63) & 1) != 0;
}

// Whether the bit can be set without memory.
static inline bool kith_plane_ready(const kith_entity_table *table, uint32_t index, uint32_t bit)
{
    return bit < 64 || kith_entity_page_of(table, index)->planes[(bit >> 6) - 1] != NULL;
}

static inline void kith_entity_bit_set(kith_entity_table *table, uint32_t index, uint32_t bit)
{
    if (bit >= 64) {
        kith_plane_bit_set(table, index, bit);
        return;
    }
    assert(!kith_entity_page_of(table, index)->bare);
    kith_entity_page_of(table, index)->signature[index & KITH_PAGE_MASK_] |= UINT64_C(1) << bit;
}

static inline void kith_entity_bit_clear(kith_entity_table *table, uint32_t index, uint32_t bit)
{
    if (bit >= 64) {
        kith_plane_bit_clear(table, index, bit);
        return;
    }
    kith_entity_page_of(table, index)->signature[index & KITH_PAGE_MASK_] &= ~(UINT64_C(1) << bit);
}

#endif
