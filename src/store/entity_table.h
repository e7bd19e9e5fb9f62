// SPDX-License-Identifier: MIT
// The entity table: one slot per index, in pages. The free list runs through the free slots.
//
//     slot (64 bits)    version << 32 | link
//       alive           link is the slot's own index: the slot equals the handle
//       free            link is the next free index, or KITH_SLOT_END; version is the next to issue
//       retired         link is KITH_SLOT_RETIRED: all versions are used up
//       reserved        link is KITH_SLOT_RESERVED: never used, or below first_index and not alive
//
//     page              1024 slots | 1024 signature words | planes with further signature words
//
// Only a living slot links to itself. So "alive" is one comparison, slot == handle, and it is right
// for every possible handle. Growing adds pages and copies only their directory. With
// KITH_FREE_LOWEST the links are unused, and a bit tree orders the free indices.
//
// The first signature word of an entity lies in its page. The word is 0 if the entity is not alive,
// and undefined if the slot was never used. Further words (component 65 and up) lie in planes of
// the page. A plane is allocated when the first entity of its page needs it. `more` tells which
// further words of an entity are not 0, so destroying it reads no others.
//
// A loop over the table must not visit entities that are created after it began. While such a loop
// is open, births are numbered. The loop stores the number at its start and skips higher ones.
// Numbers only grow, so they are never cleared.
#pragma once

#include "base/bit_tree.h"

#define KITH_SLOT_END      KITH_NO_INDEX
#define KITH_SLOT_RETIRED  (KITH_NO_INDEX - 1)
#define KITH_SLOT_RESERVED (KITH_NO_INDEX - 2)

// How far beyond the table a hint may lie: a mistyped index must not allocate gigabytes.
#define KITH_HINT_REACH (1u << 20)

// A cache about the slots of a page. It is valid until one of them changes.
typedef struct kith_slots_known {
    uint16_t hashed;  // kith_entity_page.hash covers this many slots, from the first on
    bool     noticed; // no slot changed since kith_frames_notice looked
    uint32_t version; // not 0: every slot in use is alive and has this version
} kith_slots_known;

typedef struct kith_entity_page {
    uint64_t  slots[KITH_PAGE_SLOTS];
    uint64_t  signature[KITH_PAGE_SLOTS];
    uint16_t *more; // bit i: planes[i] has bits of the entity; NULL: no plane is in use
    uint64_t *planes[KITH_SIGNATURE_WORDS - 1]; // inline code reads all up to here
    uint64_t *births;  // the numbers of births that open loops compare; NULL: none were numbered
    uint32_t *links;   // a list: the groups of these entities changed while the world was held
    uint64_t  hash;    // of the first `known.hashed` slots
    uint64_t  noticed; // the tick in which kith_frames_notice found that slots had changed
    uint64_t  common;  // while loading: the signature word of every entity of the page, if `bare`
    bool      bare;    // `common` is valid and `signature` is undefined

    kith_slots_known known;
} kith_entity_page;

typedef struct kith_entity_table {
    uint64_t      **pages; // kith_entity_page *; inline code reads slots and signatures
    uint32_t        page_count;
    uint32_t        page_capacity; // of the directory
    uint32_t        count;         // slots, alive or not; slots beyond were never issued
    uint32_t        room;          // `count` can grow to this without allocating
    uint32_t        inline_room;   // `room`, but 0 while births are numbered or have listeners
    uint32_t        idle;          // slots of `count` that are not alive: free, retired, reserved
    uint32_t        free;
    uint32_t        retired; // a table without slots has 0 in all members up to here
    uint32_t        head;    // of the free list: the next to be used
    uint32_t        tail;    // of the free list: the last to be used
    uint32_t        first_index;
    uint32_t        index_end;    // indices are below it
    uint32_t        index_most;   // the highest value that index_end can have
    uint32_t        version_last; // versions are not above it
    kith_free_order order;
    bool            queued;        // all indices are in the free list from the start
    kith_bit_tree   lowest;        // the free indices, with KITH_FREE_LOWEST
    uint32_t        table_loops;   // open loops over the table; not 0: births are numbered
    bool            has_listeners; // of births
    uint64_t        births;        // the newest number
    uint32_t        noticed;       // `count` when kith_frames_notice looked
    bool            linking;       // the world has groups, so pages have links
    uint32_t        first_link;    // KITH_NO_INDEX: the list is empty
    uint32_t        last_link;
} kith_entity_table;

// The settings in `desc` are valid. Returns false when memory runs out.
bool kith_entity_table_init(kith_entity_table *table, const kith_allocator *memory,
                            const kith_world_desc *desc);
void kith_entity_table_free(kith_entity_table *table, const kith_allocator *memory);

// Copies `from` into a table that has allocated nothing; only `has_listeners` stays. No loop walks
// `from`, and its list of links is empty. Returns false when memory runs out; the caller then
// releases the table.
bool kith_entity_table_copy(kith_entity_table *table, const kith_allocator *memory,
                            const kith_entity_table *from);

// Returns a table with the same settings and no slots.
kith_entity_table kith_entity_table_empty_like(const kith_entity_table *table);

// Makes room for `slots` slots in all, at most index_end. Returns false when memory runs out.
// O(new pages). A new page that lies wholly below `count` is not initialised: only loading sets
// `count` ahead, and it writes every such slot.
bool kith_entity_table_reserve(kith_entity_table *table, const kith_allocator *memory,
                               uint32_t slots);

// Frees all pages but the first `pages`. No slot of the others is in use.
void kith_entity_table_trim(kith_entity_table *table, const kith_allocator *memory, uint32_t pages);

// Sets index_end. `slots` is not below `count` and not above index_most.
void kith_entity_table_set_limit(kith_entity_table *table, uint32_t slots);

// Allocates birth numbers for every page. Pages that are added while table_loops != 0 get them too.
bool kith_entity_table_reserve_births(kith_entity_table *table, const kith_allocator *memory);

// Allocates links for every page. Pages that are added later get them too.
bool kith_entity_table_reserve_links(kith_entity_table *table, const kith_allocator *memory);

// The list of links. `link` appends an index, unless it is in the list. `next_linked` returns the
// index after `index`, or KITH_NO_INDEX at the end; after KITH_NO_INDEX it returns the first.
// `unlink_all` empties the list.
void     kith_entity_link(kith_entity_table *table, uint32_t index);
uint32_t kith_entity_next_linked(const kith_entity_table *table, uint32_t index);
void     kith_entity_unlink_all(kith_entity_table *table);

// Updates `room` and inline_room. Call it when table_loops or has_listeners has changed.
void kith_entity_table_update_room(kith_entity_table *table);

// Numbers the birth of an entity. Call it only while table_loops != 0.
void kith_entity_table_number_birth(kith_entity_table *table, kith_entity entity);

// Frees pages without a slot in use, planes without a bit, and the birth numbers.
void kith_entity_table_shrink(kith_entity_table *table, const kith_allocator *memory);

// Changes the link of a slot that is not alive.
void kith_entity_table_set_link(kith_entity_table *table, uint32_t index, uint32_t link);

// Clears the first signature word of the slots begin .. end - 1.
void kith_entity_clear_words(kith_entity_table *table, uint32_t begin, uint32_t end);

// Adds the slots count .. end - 1 to the free list, ascending: before the older free slots under
// LIFO, after them under FIFO. Skips slots whose first signature word is not 0.
void kith_entity_table_append_free(kith_entity_table *table, uint32_t end);

// Removes the lowest free index from the bit tree and returns it.
uint32_t kith_entity_table_pop_lowest(kith_entity_table *table);

// Frees a living entity; its signature is empty.
void kith_entity_table_free_slot(kith_entity_table *table, kith_entity entity);

// Whether a hint, one of `count`, is within the limits of the world and KITH_HINT_REACH.
bool kith_entity_table_allows_hint(const kith_entity_table *table, kith_entity hint,
                                   uint32_t count);

// Allocates the hinted handles where they are free, and fresh handles for the other places of
// `out`. One pass over the free list. On failure it changes nothing and returns the reason; if a
// hint is beyond the limits, `*refused` is that hint.
kith_error_code kith_entity_table_use_hints(kith_entity_table *table, const kith_allocator *memory,
                                            const kith_entity *hints, uint32_t count,
                                            kith_entity *out, kith_entity *refused);

// Allocates `count` slots in the free order of the world; `count` consecutive slots that were never
// used. On failure they change nothing and return the reason.
kith_error_code kith_entity_table_alloc(kith_entity_table *table, const kith_allocator *memory,
                                        kith_entity *out, uint32_t count);
kith_error_code kith_entity_table_alloc_range(kith_entity_table    *table,
                                              const kith_allocator *memory, uint32_t count,
                                              kith_entity *first);

// Undoes the newest kith_entity_table_alloc, before anything else has changed the table. `slots` is
// the `count` of the table before it.
void kith_entity_table_undo_alloc(kith_entity_table *table, const kith_entity *taken,
                                  uint32_t count, uint32_t slots);

// Frees the living entities first .. first + count - 1. All slots are in one page.
void kith_entity_table_free_range(kith_entity_table *table, kith_entity first, uint32_t count);

// Signature words 1 and up. Reserve the plane of a bit before setting the bit.
bool kith_plane_reserve(kith_entity_table *table, const kith_allocator *memory, uint32_t index,
                        uint32_t bit);
void kith_plane_bit_set(kith_entity_table *table, uint32_t index, uint32_t bit);
void kith_plane_bit_clear(kith_entity_table *table, uint32_t index, uint32_t bit);

// Clears all words of the signature.
void kith_entity_signature_clear(kith_entity_table *table, uint32_t index);

// Sets `entities` and `signatures` to the bytes that the table has allocated.
void kith_entity_table_memory(const kith_entity_table *table, kith_memory *memory);

static inline kith_entity_page *kith_entity_page_of(const kith_entity_table *table, uint32_t index)
{
    return (kith_entity_page *)(void *)table->pages[index >> KITH_PAGE_SHIFT_];
}

static inline uint64_t *kith_entity_slot_of(const kith_entity_table *table, uint32_t index)
{
    return &table->pages[index >> KITH_PAGE_SHIFT_][index & KITH_PAGE_MASK_];
}

// Invalidates the page's cache, because a slot in use changes. Call it before the change. Slots
// beyond `count` need no call: the hash does not cover them, and they start with version 1.
static inline void kith_entity_slot_changed(const kith_entity_table *table, uint32_t index)
{
    kith_entity_page_of(table, index)->known = (kith_slots_known){ 0 };
}

static inline bool kith_entity_table_alive(const kith_entity_table *table, kith_entity entity)
{
    uint32_t page = (uint32_t)entity >> KITH_PAGE_SHIFT_;
    return page < table->page_count && table->pages[page][entity & KITH_PAGE_MASK_] == entity;
}

// Whether the slot at `index` is alive. `index` is below `count`.
static inline bool kith_entity_index_alive(const kith_entity_table *table, uint32_t index)
{
    return kith_entity_index(*kith_entity_slot_of(table, index)) == index;
}

// Returns the slot as it is stored, or 0 when it was never used.
static inline uint64_t kith_entity_table_slot(const kith_entity_table *table, uint32_t index)
{
    uint64_t slot = index < table->count ? *kith_entity_slot_of(table, index) : 0;
    return kith_entity_version(slot) == 0 ? 0 : slot;
}

// Returns the number of living entities.
static inline uint32_t kith_entity_table_count(const kith_entity_table *table)
{
    return table->count - table->idle;
}

// Allocates the next slot that was never used. `count` is below `room`.
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

// Allocates the next free slot. `free` is not 0.
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

// Returns word `word` of the signature of a living entity.
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

// Whether the table can have created the handle.
static inline bool kith_entity_table_may_have(const kith_entity_table *table, kith_entity entity)
{
    return kith_entity_index(entity) < table->index_most && kith_entity_version(entity) != 0 &&
           kith_entity_version(entity) <= table->version_last;
}

// Whether the slot waits to be issued again.
static inline bool kith_entity_slot_is_free(const kith_entity_table *table, uint32_t index)
{
    uint32_t link = kith_entity_index(*kith_entity_slot_of(table, index));
    return index >= table->first_index && link != index && link != KITH_SLOT_RETIRED &&
           link != KITH_SLOT_RESERVED;
}

// Returns what is wrong with the free list, or NULL. A list that ends has no slot twice: if it is
// as long as there are free slots, it has all of them.
static inline const char *kith_entity_table_list_fault(const kith_entity_table *table)
{
    uint32_t length = 0;
    uint32_t last   = KITH_SLOT_END;
    uint32_t index  = table->head;
    if (table->order == KITH_FREE_LOWEST) {
        return index == KITH_SLOT_END ? NULL : "a free list exists, but free_order is lowest first";
    }
    for (; index != KITH_SLOT_END && length < table->free; length++) {
        if (index >= table->count || !kith_entity_slot_is_free(table, index)) {
            return "the free list leads to a slot that is not free";
        }
        last  = index;
        index = kith_entity_index(*kith_entity_slot_of(table, index));
    }
    if (index != KITH_SLOT_END || length != table->free) {
        return "the free list does not have every free slot once";
    }
    return table->order != KITH_FREE_FIFO || length == 0 || table->tail == last
               ? NULL
               : "the free list does not end at its tail";
}

// Returns a bit for each signature word that may not be 0: bit 0 always, bit i for planes[i - 1].
static inline uint32_t kith_entity_words(const kith_entity_table *table, uint32_t index)
{
    const kith_entity_page *page = kith_entity_page_of(table, index);
    return page->more == NULL ? 1u : 1u | (uint32_t)page->more[index & KITH_PAGE_MASK_] << 1;
}

static inline bool kith_entity_bit(const kith_entity_table *table, uint32_t index, uint32_t bit)
{
    return (kith_entity_signature_word(table, index, bit >> 6) >> (bit & 63) & 1) != 0;
}

// Whether the plane of the bit is allocated, so setting the bit needs no memory.
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
