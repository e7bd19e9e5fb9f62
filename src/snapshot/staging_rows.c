// SPDX-License-Identifier: MIT
// The entities and rows of a staging: writes and checks slots, links rows to entities.
#include "snapshot/staging.h"

KITH_INTERNAL const char *kith_staging_slots(kith_staging                *staging,
                                             const kith_staging_entities *facts)
{
    kith_entity_table *table = &staging->entities;
    if (facts->slots > table->index_end || facts->slots < table->first_index) {
        return "there are more slots than the world allows, or fewer than are reserved";
    }
    if (table->queued && facts->slots != table->index_end) {
        return "the world queues all its indices, and the file has fewer";
    }
    table->count   = facts->slots;
    table->head    = facts->head;
    table->tail    = facts->tail;
    table->free    = facts->free;
    table->retired = facts->retired;
    return NULL;
}

KITH_INTERNAL bool kith_staging_reserve_slots(kith_staging *staging, uint32_t count)
{
    kith_entity_table *table = &staging->entities;
    uint32_t           first = table->page_count;
    if (!kith_entity_table_reserve(table, kith_staging_memory(staging), count)) {
        return false;
    }
    for (uint32_t page = first; page < table->page_count; page++) {
        kith_entity_page *made = kith_entity_page_of(table, page << KITH_PAGE_SHIFT_);
        made->bare             = true;
        made->known.version    = 0;
    }
    return true;
}

KITH_INTERNAL void kith_staging_living_slots(kith_staging *staging, uint32_t first, uint32_t count,
                                             uint64_t slot)
{
    uint32_t version = kith_entity_version(slot);
    bool     right   = version != 0 && version <= staging->entities.version_last;
    for (uint32_t index = first, part; index < first + count; index += part) {
        part = kith_min(KITH_PAGE_SLOTS - index % KITH_PAGE_SLOTS, first + count - index);
        kith_staging_number(kith_entity_slot_of(&staging->entities, index), slot + (index - first),
                            part, staging->large);
        if (right && part == KITH_PAGE_SLOTS) {
            kith_entity_page_of(&staging->entities, index)->known.version = version;
        }
    }
    if (staging->living == first && right) {
        staging->living += count;
    }
}

typedef struct slot_counts {
    uint32_t free;
    uint32_t retired;
    uint32_t reserved;
} slot_counts;

static bool names_free(const kith_entity_table *table, uint32_t index)
{
    uint64_t slot = *kith_entity_slot_of(table, index);
    uint32_t link = kith_entity_index(slot);
    return link != index && (link == KITH_SLOT_END || link < table->count);
}

// Checks a slot without a living entity.
static const char *check_idle(kith_entity_table *table, uint32_t index, slot_counts *counts)
{
    uint64_t slot     = *kith_entity_slot_of(table, index);
    uint32_t version  = kith_entity_version(slot);
    bool     lowest   = table->order == KITH_FREE_LOWEST;
    bool     retired  = kith_entity_index(slot) == KITH_SLOT_RETIRED;
    bool     reserved = kith_entity_index(slot) == KITH_SLOT_RESERVED;
    counts->retired += retired;
    counts->reserved += reserved;
    if (retired) {
        return version == table->version_last ? NULL : "a slot retired before its last version";
    }
    if (reserved != (index < table->first_index)) {
        return "first_index and the reserved slots differ";
    }
    if (reserved) {
        return NULL;
    }
    if (version == 0 || !names_free(table, index) ||
        (lowest && kith_entity_index(slot) != KITH_SLOT_END)) {
        return "a free slot has version 0 or a bad link";
    }
    counts->free++;
    if (lowest) {
        kith_bit_tree_insert(&table->lowest, index);
    }
    return NULL;
}

static const char *check_one_slot(kith_entity_table *table, uint32_t index, slot_counts *counts)
{
    uint64_t slot    = *kith_entity_slot_of(table, index);
    uint32_t version = kith_entity_version(slot);
    if (version > table->version_last) {
        return "a slot's version is above the last version";
    }
    if (kith_entity_index(slot) != index) {
        return check_idle(table, index, counts);
    }
    return version != 0 ? NULL : "a living entity has version 0";
}

// The number of slots that need no further check: in most pages all entities live with one version.
static uint32_t same_version_from(const kith_entity_table *table, uint32_t index)
{
    const uint64_t *slots = kith_entity_slot_of(table, index);
    uint32_t        count = kith_min(table->count - index, KITH_PAGE_SLOTS);
    bool            same = (index & KITH_PAGE_MASK_) == 0 && kith_entity_index(slots[0]) == index &&
                kith_array_is_numbered(slots, slots[0], count);
    return same ? count : 1;
}

// Checks all slots from `first` on; those before are known to be valid.
static const char *check_every_slot(kith_entity_table *table, uint32_t first, slot_counts *counts)
{
    const char *wrong = NULL;
    for (uint32_t index = first; index < table->count && wrong == NULL;) {
        wrong = check_one_slot(table, index, counts);
        index += same_version_from(table, index);
    }
    return wrong;
}

// A list that ends has no slot twice: if it is as long as there are free slots, it has all of them.
static const char *check_list_of_free(const kith_entity_table *table)
{
    uint32_t length = 0;
    uint32_t last   = KITH_SLOT_END;
    uint32_t index  = table->head;
    for (; index != KITH_SLOT_END && length < table->free; length++) {
        if (index >= table->count || !names_free(table, index)) {
            return "the free list leads to a slot that is not free";
        }
        last  = index;
        index = kith_entity_index(*kith_entity_slot_of(table, index));
    }
    if (index != KITH_SLOT_END || length != table->free) {
        return "the free list does not have every free slot once";
    }
    if (table->order == KITH_FREE_FIFO && length != 0 && table->tail != last) {
        return "the free list does not end at its tail";
    }
    return NULL;
}

KITH_INTERNAL const char *kith_staging_check_slots(kith_staging *staging)
{
    kith_entity_table *table  = &staging->entities;
    slot_counts        counts = { 0 };
    const char        *wrong  = check_every_slot(table, staging->living, &counts);
    if (wrong != NULL) {
        return wrong;
    }
    if (counts.free != table->free || counts.retired != table->retired) {
        return "the counts of free and retired slots are wrong";
    }
    table->idle = counts.free + counts.retired + counts.reserved;
    if (table->order != KITH_FREE_LOWEST) {
        return check_list_of_free(table);
    }
    return table->head == KITH_SLOT_END ? NULL
                                        : "a free list exists, but free_order is lowest first";
}

// --- rows ------------------------------------------------------------------------------------

KITH_INTERNAL const char *kith_staging_rows(kith_staging *staging, const kith_storage *storage,
                                            uint32_t rows, bool *oom)
{
    kith_pool *pool = &kith_staging_storage_of(staging, storage)->pool;
    if ((KITH_WITH_ROWS >> storage->desc.kind & 1) == 0) {
        return rows == 0 ? NULL : "the component has no rows";
    }
    if (rows > kith_sparse_set_max(&pool->set)) {
        return "the component has more rows than its limit";
    }
    if (!kith_pool_reserve_rows(pool, kith_staging_memory(staging), rows)) {
        return kith_staging_no_memory(oom);
    }
    pool->set.head.rows_ = rows;
    return NULL;
}

KITH_INTERNAL kith_pool *kith_staging_pool(kith_staging *staging, const kith_storage *storage)
{
    return &kith_staging_storage_of(staging, storage)->pool;
}

// Links the rows of one component to their entities.
typedef struct row_linker {
    kith_entity_table    *table;
    kith_sparse_set      *set;
    const kith_allocator *memory;
    uint32_t              bit;
    uint32_t              holes;
    bool                  large; // as in the staging
    bool                  run;   // the rows are of consecutive entities
    bool                  dead;  // a row's entity is not alive
    bool                  twice; // an entity has two rows
} row_linker;

// Whether the page has slots for rows, and its signatures have a word for the bit.
static inline bool page_is_ready(const row_linker *linker, uint32_t page)
{
    const kith_pool_head_ *head = &linker->set->head;
    return page < head->sparse_pages_ && head->sparse_[page] != linker->set->shared->absent &&
           kith_plane_ready(linker->table, page << KITH_PAGE_SHIFT_, linker->bit);
}

static bool make_page_ready(row_linker *linker, uint32_t page)
{
    uint32_t index = page << KITH_PAGE_SHIFT_;
    return kith_plane_reserve(linker->table, linker->memory, index, linker->bit) &&
           kith_sparse_set_reserve_page(linker->set, linker->memory, page);
}

// Sets the component's bit for consecutive entities of a page.
static void mark_run(kith_entity_page *page, uint32_t first, uint32_t count, uint32_t bit)
{
    uint64_t *words = bit < 64 ? page->signature : page->planes[(bit >> 6) - 1];
    uint64_t  mark  = UINT64_C(1) << (bit & 63);
    if (page->bare && bit < 64 && count == KITH_PAGE_SLOTS) {
        page->common |= mark;
        return;
    }
    if (bit < 64) {
        kith_staging_write_signatures(page, false);
    }
    kith_array_set_bits(words + first, 0, mark, count);
    for (uint32_t i = first; i < first + count && bit >= 64; i++) {
        page->more[i] |= (uint16_t)(1u << ((bit >> 6) - 1));
    }
}

// Links consecutive rows of consecutive entities on one page. `fresh`: they fill a new page of the
// sparse array.
static void link_run(row_linker *linker, uint32_t index, uint32_t row, uint32_t count, bool fresh)
{
    kith_entity_page *page  = kith_entity_page_of(linker->table, index);
    uint64_t         *slots = &page->slots[index & KITH_PAGE_MASK_];
    uint64_t         *rows  = kith_sparse_set_slot(linker->set, index);
    uint32_t          named = KITH_HOLE | row;
    if (fresh && page->known.version != 0) {
        uint64_t first = (slots[0] & ~(uint64_t)UINT32_MAX) | named;
        kith_staging_number(rows, first, count, linker->large);
    } else {
        linker->twice = !fresh && (rows[0] != KITH_EMPTY || kith_array_differ(rows, count) != 0);
        linker->dead  = !kith_array_make_slots(rows, slots, index, named, count);
    }
    mark_run(page, index & KITH_PAGE_MASK_, count, linker->bit);
}

static void link_row(row_linker *linker, uint32_t index, uint32_t row)
{
    uint64_t  slot = *kith_entity_slot_of(linker->table, index);
    uint64_t *cell = kith_sparse_set_slot(linker->set, index);
    kith_staging_write_signatures(kith_entity_page_of(linker->table, index), false);
    linker->dead |= kith_entity_index(slot) != index;
    linker->twice |= *cell != KITH_EMPTY;
    *cell = (slot & ~(uint64_t)UINT32_MAX) | KITH_HOLE | row;
    kith_entity_bit_set(linker->table, index, linker->bit);
}

// Allocates a page that is written in full, so it need not be cleared. Returns false when memory
// runs out.
static bool alloc_page(row_linker *linker, uint32_t page, bool *fresh)
{
    const kith_pool_head_ *head = &linker->set->head;
    *fresh                      = page < linker->table->page_count &&
             (page >= head->sparse_pages_ || kith_sparse_set_page_absent(linker->set, page));
    return !*fresh || kith_sparse_set_new_page(linker->set, linker->memory, page) != NULL;
}

// Rows that are linked in one batch: their memory is prefetched before the first is linked.
#define LINKED_AT_ONCE 64u
#define LINKED_ALONE   8u

// Makes pages ready and prefetches for `count` rows. Returns false when memory runs out.
static bool prefetch_rows(row_linker *linker, const uint32_t *packed, uint32_t count)
{
    const kith_entity_table *table = linker->table;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t page = packed[i] >> KITH_PAGE_SHIFT_;
        bool     hole = (packed[i] & KITH_HOLE) != 0;
        linker->dead  = linker->dead || (!hole && page >= table->page_count);
        if (hole || page >= table->page_count) {
            continue;
        }
        if (!page_is_ready(linker, page) && !make_page_ready(linker, page)) {
            return false;
        }
        uint64_t *slot = kith_entity_slot_of(table, packed[i]);
        KITH_PREFETCH(slot);
        KITH_PREFETCH(slot + KITH_PAGE_SLOTS);
        KITH_PREFETCH(kith_sparse_set_slot(linker->set, packed[i]));
    }
    return true;
}

static uint32_t length_of_run(const row_linker *linker, const uint32_t *packed, uint32_t count)
{
    uint32_t most = kith_min(count, KITH_PAGE_SLOTS - (packed[0] & KITH_PAGE_MASK_));
    bool     all  = linker->run || kith_array_is_numbered32(packed, packed[0], most);
    uint32_t run  = all ? most : 1;
    while (run < most && packed[run] == packed[0] + run) {
        run++;
    }
    return (packed[0] & KITH_HOLE) != 0 ? 0 : run;
}

// Links up to `count` rows of one page. Returns how many; 0 when memory runs out.
static uint32_t link_batch(row_linker *linker, uint32_t row, uint32_t count)
{
    const uint32_t *packed = kith_sparse_set_packed(linker->set, row);
    uint32_t        run    = length_of_run(linker, packed, count);
    uint32_t        batch  = kith_min(count, run > LINKED_ALONE ? run : LINKED_AT_ONCE);
    bool            fresh  = false;
    if (run == KITH_PAGE_SLOTS && !alloc_page(linker, packed[0] >> KITH_PAGE_SHIFT_, &fresh)) {
        return 0;
    }
    if (!prefetch_rows(linker, packed, run > LINKED_ALONE ? 1 : batch)) {
        return 0;
    }
    if (run > LINKED_ALONE && !linker->dead) {
        link_run(linker, packed[0], row, run, fresh);
        return run;
    }
    for (uint32_t i = 0; i < batch && !linker->dead; i++) {
        if ((packed[i] & KITH_HOLE) != 0) {
            linker->holes++;
        } else {
            link_row(linker, packed[i], row + i);
        }
    }
    return batch;
}

static const char *link_from(row_linker *linker, uint32_t first, bool *oom)
{
    uint32_t rows = linker->set->head.rows_;
    uint32_t part;
    for (uint32_t row = first; row < rows; row += part) {
        part = kith_min(rows - row, kith_sparse_set_rest_of_page(linker->set, row));
        part = link_batch(linker, row, part);
        if (part == 0) {
            return kith_staging_no_memory(oom);
        }
        if (linker->dead || linker->twice) {
            return linker->dead ? "a row's entity is not alive" : "an entity has two rows";
        }
    }
    return NULL;
}

// As with the free list, a list that ends has no row twice.
static const char *link_every_hole(kith_sparse_set *set, const uint32_t *holes, uint32_t count)
{
    if (count != 0 && set->policy == KITH_POLICY_SWAP) {
        return "a component with the swap policy has holes";
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = holes[i];
        if (row >= set->head.rows_ || (*kith_sparse_set_packed(set, row) & KITH_HOLE) == 0) {
            return "a listed hole is not a hole";
        }
        uint32_t older                    = i + 1 < count ? holes[i + 1] : KITH_NO_ROW;
        *kith_sparse_set_packed(set, row) = KITH_HOLE | older;
    }
    uint32_t length = 0;
    uint32_t row    = count == 0 ? KITH_NO_ROW : holes[0];
    for (set->newest_hole = row; row != KITH_NO_ROW; length++) {
        row = kith_sparse_set_older_hole(set, row);
    }
    set->holes = count;
    return length == count ? NULL : "a hole is listed twice";
}

static const char *link_disabled(kith_staging *staging, kith_pool *pool, const uint64_t *bits,
                                 bool *oom)
{
    uint32_t rows  = pool->set.head.rows_;
    uint32_t words = (uint32_t)(((uint64_t)rows + 63) / 64);
    if (!kith_pool_reserve_disabled(pool, kith_staging_memory(staging))) {
        return kith_staging_no_memory(oom);
    }
    for (uint32_t word = 0; word < words; word++) {
        for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
            uint32_t row = word * 64 + kith_lowest_bit(left);
            if (row >= rows || kith_pool_is_hole(pool, row)) {
                return "a row without a value is disabled";
            }
            pool->disabled[word] |= UINT64_C(1) << (row & 63);
            pool->disabled_count++;
            staging->disabled++;
        }
    }
    return NULL;
}

KITH_INTERNAL const char *kith_staging_link_rows(kith_staging *staging, const kith_storage *storage,
                                                 bool run, bool *oom)
{
    kith_staging_storage *target = kith_staging_storage_of(staging, storage);
    row_linker            linker = { .table  = &staging->entities,
                                     .set    = &target->pool.set,
                                     .memory = kith_staging_memory(staging),
                                     .bit    = storage->bit,
                                     .large  = staging->large,
                                     .run    = run,
                                     .holes  = target->holes };
    const char           *wrong  = link_from(&linker, target->reached, oom);
    target->holes                = linker.holes;
    target->reached              = target->pool.set.head.rows_;
    return wrong;
}

KITH_INTERNAL const char *kith_staging_link(kith_staging *staging, const kith_storage *storage,
                                            const uint32_t *holes, uint32_t hole_count,
                                            const uint64_t *disabled, bool *oom)
{
    kith_pool  *pool  = &kith_staging_storage_of(staging, storage)->pool;
    const char *wrong = kith_staging_link_rows(staging, storage, false, oom);
    if (wrong == NULL && kith_staging_storage_of(staging, storage)->holes != hole_count) {
        wrong = "the holes are not the rows without an entity";
    }
    wrong = wrong != NULL ? wrong : link_every_hole(&pool->set, holes, hole_count);
    if (wrong == NULL && disabled != NULL && pool->set.head.rows_ != 0) {
        wrong = link_disabled(staging, pool, disabled, oom);
    }
    kith_staging_storage_of(staging, storage)->linked = wrong == NULL;
    return wrong;
}

KITH_INTERNAL const char *kith_staging_flag(kith_staging *staging, const kith_storage *storage,
                                            const uint32_t *indices, uint32_t count, bool *oom)
{
    kith_entity_table *table = &staging->entities;
    if (storage->desc.kind != KITH_KIND_FLAG) {
        return count == 0 ? NULL : "the component is not a flag";
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = indices[i];
        if (index >= table->count || !kith_entity_index_alive(table, index)) {
            return "an entity that is not alive has a flag";
        }
        if (!kith_plane_reserve(table, kith_staging_memory(staging), index, storage->bit)) {
            return kith_staging_no_memory(oom);
        }
        kith_staging_write_signatures(kith_entity_page_of(table, index), false);
        if (kith_entity_bit(table, index, storage->bit)) {
            return "an entity has a flag twice";
        }
        kith_entity_bit_set(table, index, storage->bit);
    }
    kith_staging_storage_of(staging, storage)->pool.set.head.flags_set_ += count;
    return NULL;
}

KITH_INTERNAL void *kith_staging_single(kith_staging *staging, kith_storage *storage)
{
    kith_staging_storage *target = kith_staging_storage_of(staging, storage);
    if (target->single == NULL) {
        target->single = kith_storage_alloc_single(storage, kith_staging_memory(staging));
    }
    return target->single;
}
