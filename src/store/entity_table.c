// SPDX-License-Identifier: MIT
// The entity table: its pages, the list of links, the free list, and the planes of signatures.
#include "store/entity_table.h"

// --- pages -----------------------------------------------------------------------------------

#define LINK_BYTES (KITH_PAGE_SLOTS * sizeof(uint32_t))
#define LAST_LINK  UINT32_MAX

static kith_entity_page *page_at(const kith_entity_table *table, uint32_t page)
{
    return (kith_entity_page *)(void *)table->pages[page];
}

// Allocates birth numbers and links where the pages from `first` on lack them. Returns false when
// memory runs out.
KITH_NOINLINE static bool reserve_in_pages(kith_entity_table *table, const kith_allocator *memory,
                                           uint32_t first, bool births, bool links)
{
    bool enough = true;
    for (uint32_t i = first; i < table->page_count && enough; i++) {
        kith_entity_page *page = page_at(table, i);
        if (births && page->births == NULL) {
            page->births = kith_alloc_zeroed(memory, sizeof page->slots, KITH_CACHE_LINE);
            enough       = page->births != NULL;
        }
        if (links && page->links == NULL && enough) {
            page->links = kith_alloc_zeroed(memory, LINK_BYTES, KITH_CACHE_LINE);
            enough      = page->links != NULL;
        }
    }
    return enough;
}

static void free_births(kith_entity_page *page, const kith_allocator *memory)
{
    kith_free(memory, page->births, sizeof page->slots, KITH_CACHE_LINE);
    page->births = NULL;
}

// Adds a page, of `pages` in all that are about to be added: the directory grows once for them. If
// `reserved`, writes KITH_SLOT_RESERVED into its slots; otherwise the caller writes all of them at
// once. Returns false when memory runs out; the caller then frees the new pages.
static bool add_page(kith_entity_table *table, const kith_allocator *memory, uint32_t pages,
                     bool reserved)
{
    if (!kith_alloc_grow(memory, &table->pages, &table->page_capacity, pages) ||
        (table->order == KITH_FREE_LOWEST &&
         !kith_bit_tree_reserve(&table->lowest, memory,
                                (table->page_count + 1) << KITH_PAGE_SHIFT_))) {
        return false;
    }
    kith_entity_page *page = kith_alloc(memory, sizeof *page, KITH_CACHE_LINE);
    if (page == NULL) {
        return false;
    }
    if (reserved) {
        kith_array_fill(page->slots, KITH_SLOT_RESERVED, KITH_PAGE_SLOTS);
    }
    bool   pristine = table->page_count << KITH_PAGE_SHIFT_ >= table->first_index;
    size_t used     = offsetof(kith_entity_page, more); // slots and signatures are written later
    memset((uint8_t *)page + used, 0, sizeof *page - used);
    page->known.version               = pristine ? 1 : 0; // of new slots
    table->pages[table->page_count++] = (uint64_t *)(void *)page;
    return reserve_in_pages(table, memory, table->page_count - 1, table->table_loops != 0,
                            table->linking);
}

KITH_NOINLINE void kith_entity_table_update_room(kith_entity_table *table)
{
    uint64_t slots     = (uint64_t)table->page_count << KITH_PAGE_SHIFT_;
    table->room        = slots < table->index_end ? (uint32_t)slots : table->index_end;
    table->inline_room = table->table_loops != 0 || table->has_listeners ? 0 : table->room;
}

// Frees the planes whose bit in `keep` is 0.
static void release_planes(kith_entity_page *page, const kith_allocator *memory, uint32_t keep)
{
    for (unsigned i = 0; i < KITH_SIGNATURE_WORDS - 1; i++) {
        if ((keep >> i & 1) == 0) {
            kith_free(memory, page->planes[i], sizeof page->signature, KITH_CACHE_LINE);
            page->planes[i] = NULL;
        }
    }
    if (keep == 0) {
        kith_free(memory, page->more, KITH_PAGE_SLOTS * sizeof *page->more, KITH_CACHE_LINE);
        page->more = NULL;
    }
}

void kith_entity_table_trim(kith_entity_table *table, const kith_allocator *memory, uint32_t keep)
{
    while (table->page_count > keep) {
        table->page_count--;
        kith_entity_page *page = page_at(table, table->page_count);
        release_planes(page, memory, 0);
        free_births(page, memory);
        kith_free(memory, page->links, LINK_BYTES, KITH_CACHE_LINE);
        kith_free(memory, page, sizeof *page, KITH_CACHE_LINE);
    }
    kith_entity_table_update_room(table);
}

// Adds pages for `slots` slots in all. The caller writes all slots below `used` at once.
static bool add_pages_up_to(kith_entity_table *table, const kith_allocator *memory, uint64_t slots,
                            uint64_t used)
{
    uint32_t pages  = (uint32_t)((slots + KITH_PAGE_MASK_) >> KITH_PAGE_SHIFT_);
    uint32_t before = table->page_count;
    bool     enough = true;
    while (enough && table->page_count < pages) {
        bool written = (uint64_t)(table->page_count + 1) << KITH_PAGE_SHIFT_ <= used;
        enough       = add_page(table, memory, pages, !written);
    }
    kith_entity_table_trim(table, memory, enough ? table->page_count : before);
    return enough;
}

bool kith_entity_table_reserve(kith_entity_table *table, const kith_allocator *memory,
                               uint32_t slots)
{
    return add_pages_up_to(table, memory, slots, table->count);
}

// Copies slots and signatures. Birth numbers are not needed: no loop is open in the copy.
static bool copy_page(kith_entity_page *page, const kith_allocator *memory,
                      const kith_entity_page *from)
{
    memcpy(page, from, offsetof(kith_entity_page, more));
    page->known.version = from->known.version;
    if (from->more == NULL) {
        return true;
    }
    page->more =
        kith_alloc_copy(memory, from->more, KITH_PAGE_SLOTS * sizeof *page->more, KITH_CACHE_LINE);
    bool enough = page->more != NULL;
    for (unsigned i = 0; i < KITH_SIGNATURE_WORDS - 1 && enough; i++) {
        if (from->planes[i] != NULL) {
            page->planes[i] =
                kith_alloc_copy(memory, from->planes[i], sizeof page->signature, KITH_CACHE_LINE);
            enough = page->planes[i] != NULL;
        }
    }
    return enough;
}

bool kith_entity_table_copy(kith_entity_table *table, const kith_allocator *memory,
                            const kith_entity_table *from)
{
    assert(table->pages == NULL && from->table_loops == 0 && from->first_link == KITH_NO_INDEX);
    bool has_listeners   = table->has_listeners;
    *table               = *from;
    table->pages         = NULL;
    table->page_count    = 0;
    table->page_capacity = 0;
    table->lowest        = (kith_bit_tree){ 0 };
    table->has_listeners = has_listeners;
    bool enough          = kith_bit_tree_copy(&table->lowest, memory, &from->lowest);
    for (uint32_t i = 0; i < from->page_count && enough; i++) {
        enough = add_page(table, memory, from->page_count, false) &&
                 copy_page(page_at(table, i), memory, page_at(from, i));
    }
    kith_entity_table_update_room(table);
    return enough;
}

void kith_entity_table_set_limit(kith_entity_table *table, uint32_t slots)
{
    table->index_end = slots;
    kith_entity_table_update_room(table);
}

bool kith_entity_table_reserve_links(kith_entity_table *table, const kith_allocator *memory)
{
    table->linking = reserve_in_pages(table, memory, 0, false, true);
    return table->linking;
}

// Returns the link of an index: the next index plus 1, or 0 when the index is not in the list.
static uint32_t *link_of_index(const kith_entity_table *table, uint32_t index)
{
    return &kith_entity_page_of(table, index)->links[index & KITH_PAGE_MASK_];
}

void kith_entity_link(kith_entity_table *table, uint32_t index)
{
    if (*link_of_index(table, index) != 0) {
        return;
    }
    if (table->first_link == KITH_NO_INDEX) {
        table->first_link = index;
    } else {
        *link_of_index(table, table->last_link) = index + 1;
    }
    *link_of_index(table, index) = LAST_LINK;
    table->last_link             = index;
}

uint32_t kith_entity_next_linked(const kith_entity_table *table, uint32_t index)
{
    if (index == KITH_NO_INDEX) {
        return table->first_link;
    }
    uint32_t link = *link_of_index(table, index);
    return link == LAST_LINK ? KITH_NO_INDEX : link - 1;
}

void kith_entity_unlink_all(kith_entity_table *table)
{
    while (table->first_link != KITH_NO_INDEX) {
        uint32_t index               = table->first_link;
        table->first_link            = kith_entity_next_linked(table, index);
        *link_of_index(table, index) = 0;
    }
}

bool kith_entity_table_reserve_births(kith_entity_table *table, const kith_allocator *memory)
{
    return reserve_in_pages(table, memory, 0, true, false);
}

void kith_entity_table_number_birth(kith_entity_table *table, kith_entity entity)
{
    uint32_t index                                                     = kith_entity_index(entity);
    kith_entity_page_of(table, index)->births[index & KITH_PAGE_MASK_] = ++table->births;
}

static uint32_t planes_in_use(const kith_entity_page *page)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < KITH_PAGE_SLOTS && page->more != NULL; i++) {
        used |= page->more[i];
    }
    return used;
}

void kith_entity_table_shrink(kith_entity_table *table, const kith_allocator *memory)
{
    kith_entity_table_trim(table, memory, (table->count + KITH_PAGE_MASK_) >> KITH_PAGE_SHIFT_);
    for (uint32_t i = 0; i < table->page_count; i++) {
        kith_entity_page *page = page_at(table, i);
        release_planes(page, memory, planes_in_use(page));
        free_births(page, memory);
    }
}

// --- the free list ---------------------------------------------------------------------------

void kith_entity_table_set_link(kith_entity_table *table, uint32_t index, uint32_t link)
{
    uint64_t *slot = kith_entity_slot_of(table, index);
    kith_entity_slot_changed(table, index);
    *slot = kith_entity_make(link, kith_entity_version(*slot));
}

// Adds a slot to the free list: at its beginning, or, unless `first`, at the place that `order`
// demands. The slot has the version to issue next.
KITH_NOINLINE static void put_free(kith_entity_table *table, uint32_t index, bool first)
{
    if (table->order == KITH_FREE_LOWEST) {
        kith_entity_table_set_link(table, index, KITH_SLOT_END);
        kith_bit_tree_insert(&table->lowest, index);
    } else if (first || table->order == KITH_FREE_LIFO) {
        kith_entity_table_set_link(table, index, table->head);
        table->head = index;
    } else {
        kith_entity_table_set_link(table, index, KITH_SLOT_END);
        if (table->free == 0) {
            table->head = index;
        } else {
            kith_entity_table_set_link(table, table->tail, index);
        }
        table->tail = index;
    }
    table->free++;
}

void kith_entity_clear_words(kith_entity_table *table, uint32_t begin, uint32_t end)
{
    for (uint32_t index = begin; index < end; index++) {
        kith_entity_page_of(table, index)->signature[index & KITH_PAGE_MASK_] = 0;
    }
}

void kith_entity_table_append_free(kith_entity_table *table, uint32_t end)
{
    uint32_t begin = table->count;
    table->count   = end;
    table->idle += end - begin;
    for (uint32_t n = 0; n < end - begin; n++) {
        uint32_t index = table->order == KITH_FREE_LIFO ? end - 1 - n : begin + n;
        if (kith_entity_signature_word(table, index, 0) == 0) {
            *kith_entity_slot_of(table, index) = kith_entity_make(KITH_SLOT_END, 1);
            put_free(table, index, false);
        }
    }
}

uint32_t kith_entity_table_pop_lowest(kith_entity_table *table)
{
    uint32_t index = kith_bit_tree_lowest(&table->lowest);
    kith_bit_tree_remove(&table->lowest, index);
    return index;
}

void kith_entity_table_free_slot(kith_entity_table *table, kith_entity entity)
{
    uint32_t  index   = kith_entity_index(entity);
    uint32_t  version = kith_entity_version(entity);
    uint64_t *slot    = kith_entity_slot_of(table, index);
    kith_entity_slot_changed(table, index);
    table->idle++;
    if (KITH_UNLIKELY_(version == table->version_last)) {
        *slot = kith_entity_make(KITH_SLOT_RETIRED, version);
        table->retired++;
    } else if (KITH_UNLIKELY_(index < table->first_index)) {
        *slot = kith_entity_make(KITH_SLOT_RESERVED, version + 1);
    } else if (KITH_LIKELY_(table->order == KITH_FREE_LIFO)) { // the usual order (bench C4)
        *slot       = kith_entity_make(table->head, version + 1);
        table->head = index;
        table->free++;
    } else {
        *slot = kith_entity_make(KITH_SLOT_END, version + 1);
        put_free(table, index, false);
    }
}

// --- many slots at once ----------------------------------------------------------------------

// Allocates the next `count` slots that were never used. Writes their handles to `out`, unless it
// is NULL.
static kith_error_code append_slots(kith_entity_table *table, const kith_allocator *memory,
                                    uint32_t count, kith_entity *out)
{
    if (count > table->index_end - table->count) {
        return KITH_ERROR_LIMIT;
    }
    uint64_t end = (uint64_t)table->count + count;
    if (!add_pages_up_to(table, memory, end, end)) {
        return KITH_ERROR_MEMORY;
    }
    for (uint32_t done = 0, part; done < count; done += part) {
        uint32_t  index = table->count + done;
        uint64_t *slots = kith_entity_slot_of(table, index);
        part            = kith_min(count - done, KITH_PAGE_SLOTS - (index & KITH_PAGE_MASK_));
        kith_array_number(slots, kith_entity_make(index, 1), part);
        memset(slots + KITH_PAGE_SLOTS, 0, part * sizeof *slots); // their signatures
        if (out != NULL) {
            memcpy(out + done, slots, part * sizeof *out);
        }
    }
    table->count += count;
    return KITH_OK;
}

kith_error_code kith_entity_table_alloc(kith_entity_table *table, const kith_allocator *memory,
                                        kith_entity *out, uint32_t count)
{
    uint32_t        reused = kith_min(count, table->free);
    kith_entity    *fresh  = reused == count ? NULL : out + reused; // count == 0: `out` may be NULL
    kith_error_code code   = append_slots(table, memory, count - reused, fresh);
    for (uint32_t i = 0; i < reused && code == KITH_OK; i++) {
        out[i] = kith_entity_table_reuse(table);
    }
    return code;
}

kith_error_code kith_entity_table_alloc_range(kith_entity_table    *table,
                                              const kith_allocator *memory, uint32_t count,
                                              kith_entity *first)
{
    *first = kith_entity_make(table->count, 1);
    return append_slots(table, memory, count, NULL);
}

void kith_entity_table_undo_alloc(kith_entity_table *table, const kith_entity *taken,
                                  uint32_t count, uint32_t slots)
{
    uint32_t reused = count - (table->count - slots);
    while (table->count > slots) {
        *kith_entity_slot_of(table, --table->count) = KITH_SLOT_RESERVED;
    }
    for (uint32_t i = reused; i-- > 0;) {
        table->idle++;
        put_free(table, kith_entity_index(taken[i]), true);
    }
}

void kith_entity_table_free_range(kith_entity_table *table, kith_entity first, uint32_t count)
{
    uint32_t  index   = kith_entity_index(first);
    uint32_t  version = kith_entity_version(first);
    uint64_t *slots   = kith_entity_slot_of(table, index);
    if (table->order != KITH_FREE_LIFO || version == table->version_last ||
        index < table->first_index) {
        for (uint32_t i = 0; i < count; i++) {
            kith_entity_table_free_slot(table, first + i);
        }
        return;
    }
    kith_entity_slot_changed(table, index);
    slots[0] = kith_entity_make(table->head, version + 1);
    kith_array_number(slots + 1, kith_entity_make(index, version + 1), count - 1);
    table->head = index + count - 1;
    table->free += count;
    table->idle += count;
}

// --- signatures ------------------------------------------------------------------------------

bool kith_plane_reserve(kith_entity_table *table, const kith_allocator *memory, uint32_t index,
                        uint32_t bit)
{
    kith_entity_page *page = kith_entity_page_of(table, index);
    if (kith_plane_ready(table, index, bit)) {
        return true;
    }
    if (page->more == NULL) {
        page->more =
            kith_alloc_zeroed(memory, KITH_PAGE_SLOTS * sizeof *page->more, KITH_CACHE_LINE);
    }
    if (page->more == NULL) {
        return false;
    }
    uint64_t **plane = &page->planes[(bit >> 6) - 1];
    *plane           = kith_alloc_zeroed(memory, sizeof page->signature, KITH_CACHE_LINE);
    return *plane != NULL;
}

void kith_plane_bit_set(kith_entity_table *table, uint32_t index, uint32_t bit)
{
    kith_entity_page *page  = kith_entity_page_of(table, index);
    uint32_t          plane = (bit >> 6) - 1;
    assert(page->planes[plane] != NULL);
    page->planes[plane][index & KITH_PAGE_MASK_] |= UINT64_C(1) << (bit & 63);
    page->more[index & KITH_PAGE_MASK_] |= (uint16_t)(1u << plane);
}

void kith_plane_bit_clear(kith_entity_table *table, uint32_t index, uint32_t bit)
{
    kith_entity_page *page  = kith_entity_page_of(table, index);
    uint32_t          plane = (bit >> 6) - 1;
    uint64_t         *word  = &page->planes[plane][index & KITH_PAGE_MASK_];
    *word &= ~(UINT64_C(1) << (bit & 63));
    if (*word == 0) {
        page->more[index & KITH_PAGE_MASK_] &= (uint16_t) ~(1u << plane);
    }
}

void kith_entity_signature_clear(kith_entity_table *table, uint32_t index)
{
    kith_entity_page *page = kith_entity_page_of(table, index);
    uint32_t          i    = index & KITH_PAGE_MASK_;
    page->signature[i]     = 0;
    if (page->more == NULL) {
        return;
    }
    for (uint32_t more = page->more[i]; more != 0; more &= more - 1) {
        page->planes[kith_lowest_bit(more)][i] = 0;
    }
    page->more[i] = 0;
}

// --- creating and releasing a table ----------------------------------------------------------

bool kith_entity_table_init(kith_entity_table *table, const kith_allocator *memory,
                            const kith_world_desc *desc)
{
    uint32_t index_bits   = desc->index_bits == 0 ? 31 : desc->index_bits;
    uint32_t version_bits = desc->version_bits == 0 ? 32 : desc->version_bits;
    *table                = (kith_entity_table){ 0 };
    table->head           = KITH_SLOT_END;
    table->first_link     = KITH_NO_INDEX;
    table->tail           = KITH_SLOT_END;
    table->first_index    = desc->first_index;
    table->index_most     = 1u << index_bits;
    table->index_end      = desc->max_entities == 0 ? table->index_most : desc->max_entities;
    table->version_last   = (uint32_t)((UINT64_C(1) << version_bits) - 1);
    table->order          = desc->free_order != KITH_FREE_DEFAULT ? desc->free_order
                            : version_bits < 16                   ? KITH_FREE_FIFO
                                                                  : KITH_FREE_LIFO;
    table->queued         = table->order == KITH_FREE_FIFO && desc->max_entities != 0;
    uint32_t end          = table->queued ? table->index_end : table->first_index;
    if (!kith_entity_table_reserve(table, memory, end)) {
        kith_entity_table_free(table, memory);
        return false;
    }
    kith_entity_clear_words(table, 0, end);
    table->count = table->first_index;
    table->idle  = table->first_index;
    kith_entity_table_append_free(table, end);
    return true;
}

kith_entity_table kith_entity_table_empty_like(const kith_entity_table *table)
{
    kith_entity_table empty = *table;
    memset(&empty, 0, offsetof(kith_entity_table, head));
    empty.head        = KITH_SLOT_END;
    empty.tail        = KITH_SLOT_END;
    empty.lowest      = (kith_bit_tree){ 0 };
    empty.table_loops = 0;
    return empty;
}

void kith_entity_table_free(kith_entity_table *table, const kith_allocator *memory)
{
    kith_entity_table_trim(table, memory, 0);
    kith_free_array(memory, table->pages, table->page_capacity);
    kith_bit_tree_free(&table->lowest, memory);
}

void kith_entity_table_memory(const kith_entity_table *table, kith_memory *memory)
{
    memory->entities = table->page_capacity * sizeof(void *) + kith_bit_tree_bytes(&table->lowest);
    memory->signatures = 0;
    for (uint32_t i = 0; i < table->page_count; i++) {
        const kith_entity_page *page = page_at(table, i);
        memory->entities += sizeof page->slots;
        memory->entities += page->births == NULL ? 0 : sizeof page->slots;
        memory->entities += page->links == NULL ? 0 : LINK_BYTES;
        memory->signatures += sizeof *page - sizeof page->slots;
        memory->signatures += page->more == NULL ? 0 : KITH_PAGE_SLOTS * sizeof *page->more;
        for (unsigned plane = 0; plane < KITH_SIGNATURE_WORDS - 1; plane++) {
            memory->signatures += page->planes[plane] == NULL ? 0 : sizeof page->signature;
        }
    }
}
