// SPDX-License-Identifier: MIT
// Stages entities, rows and values of a file: reads, checks and links them (see load.h).
#include "snapshot/load.h"
#include "world/component.h"

// --- slots -----------------------------------------------------------------------------------

bool kith_load_counts(kith_loader *l, const kith_world_facts *facts)
{
    kith_entity_table *table = &l->entities;
    if (facts->slots > table->index_end) {
        return kith_reader_fail(&l->reader, KITH_ERROR_LIMIT,
                                "there are more entities than this world allows", NULL);
    }
    if (facts->slots < table->first_index) {
        return kith_reader_malformed(
            &l->reader, "there are more slots than the world allows, or fewer than are reserved");
    }
    if (table->queued && facts->slots != table->index_end) {
        return kith_reader_malformed(&l->reader,
                                     "the world queues all its indices, and the file has fewer");
    }
    table->count   = facts->slots;
    table->head    = facts->head;
    table->tail    = facts->tail;
    table->free    = facts->free;
    table->retired = facts->retired;
    return true;
}

// Makes room for the slots that are seen.
static bool reserve_seen_slots(kith_loader *l)
{
    kith_entity_table *table = &l->entities;
    uint32_t           first = table->page_count;
    if (!kith_entity_table_reserve(table, l->memory, l->slots_seen)) {
        return kith_reader_no_memory(&l->reader);
    }
    for (uint32_t page = first; page < table->page_count; page++) {
        kith_entity_page *made = kith_entity_page_of(table, page << KITH_PAGE_SHIFT_);
        made->bare             = true;
        made->known.version    = 0;
    }
    return true;
}

// Reads a SLOT chunk, or a LIVE chunk: consecutive living entities with one version.
bool kith_load_slots(kith_loader *l)
{
    kith_source       *from   = &l->reader.body;
    kith_entity_table *table  = &l->entities;
    bool               living = l->reader.tag == KITH_TAG_LIVING;
    uint32_t           first  = kith_source_u32(from);
    uint32_t           count  = kith_source_u32(from);
    if (first != l->slots_seen || count > table->count - first) {
        return kith_reader_malformed(&l->reader, "slots are not consecutive");
    }
    uint64_t slot    = living ? kith_source_u64(from) : 0;
    uint32_t version = kith_entity_version(slot);
    if (living && (count > KITH_LIVING_MOST || from->ended || from->at != from->size ||
                   kith_entity_index(slot) != first)) {
        return kith_reader_malformed(&l->reader, "a LIVE chunk is malformed");
    }
    if (!living && !kith_source_holds(from, count, sizeof slot)) {
        return kith_reader_malformed(&l->reader, "a SLOT chunk has the wrong length");
    }
    l->slots_seen += count;
    if (!reserve_seen_slots(l)) {
        return false;
    }
    for (uint32_t index = first, step; index < first + count; index += step) {
        step = kith_min(KITH_PAGE_SLOTS - index % KITH_PAGE_SLOTS, first + count - index);
        if (!living) {
            kith_source_numbers(from, kith_entity_slot_of(table, index), step, sizeof slot);
            continue;
        }
        kith_array_number(kith_entity_slot_of(table, index), slot + (index - first), step);
        if (step == KITH_PAGE_SLOTS && version <= table->version_last) {
            kith_entity_page_of(table, index)->known.version = version;
        }
    }
    return true;
}

// --- checking slots --------------------------------------------------------------------------

typedef struct slot_counts {
    uint32_t free;
    uint32_t retired;
    uint32_t reserved;
} slot_counts;

// Counts a slot without a living entity. Returns what is wrong with it, or NULL: so do the
// functions below.
static const char *idle_fault(kith_entity_table *table, uint32_t index, slot_counts *counts)
{
    uint64_t slot    = *kith_entity_slot_of(table, index);
    uint32_t version = kith_entity_version(slot);
    uint32_t link    = kith_entity_index(slot);
    bool     lowest  = table->order == KITH_FREE_LOWEST;
    if (link == KITH_SLOT_RETIRED) {
        counts->retired++;
        return version == table->version_last ? NULL : "a slot retired before its last version";
    }
    bool reserved = link == KITH_SLOT_RESERVED;
    if (reserved != (index < table->first_index)) {
        return "first_index and the reserved slots differ";
    }
    if (reserved) {
        counts->reserved++;
        return NULL;
    }
    if (version == 0 || (link != KITH_SLOT_END && (lowest || link >= table->count))) {
        return "a free slot has version 0 or a bad link";
    }
    counts->free++;
    if (lowest) {
        kith_bit_tree_insert(&table->lowest, index);
    }
    return NULL;
}

static const char *slot_fault(kith_entity_table *table, uint32_t index, slot_counts *counts)
{
    uint64_t slot = *kith_entity_slot_of(table, index);
    if (kith_entity_version(slot) > table->version_last) {
        return "a slot's version is above the last version";
    }
    if (kith_entity_index(slot) != index) {
        return idle_fault(table, index, counts);
    }
    return kith_entity_version(slot) != 0 ? NULL : "a living entity has version 0";
}

static const char *slots_fault(kith_loader *l)
{
    kith_entity_table *table  = &l->entities;
    slot_counts        counts = { 0 };
    const char        *fault  = l->slots_seen == table->count ? NULL : "entities are missing";
    for (uint32_t index = 0; index < table->count && fault == NULL;) {
        if (kith_entity_page_of(table, index)->known.version != 0) {
            index += KITH_PAGE_SLOTS; // all entities of the page live
        } else {
            fault = slot_fault(table, index++, &counts);
        }
    }
    if (fault == NULL && (counts.free != table->free || counts.retired != table->retired)) {
        fault = "the counts of free and retired slots are wrong";
    }
    table->idle = counts.free + counts.retired + counts.reserved;
    return fault != NULL ? fault : kith_entity_table_list_fault(table);
}

bool kith_load_check_slots(kith_loader *l)
{
    const char *fault = l->checked ? NULL : slots_fault(l);
    l->checked        = true;
    return fault == NULL || kith_reader_malformed(&l->reader, fault);
}

// --- linking rows ----------------------------------------------------------------------------

// The functions below return what is wrong with a row, or NULL.
static const char no_memory[]    = "memory ran out";
static const char not_alive[]    = "a row's entity is not alive";
static const char has_two_rows[] = "an entity has two rows";

// Allocates what rows of the entities on this page need: slots of the sparse array, and a word of
// their signatures. `*fresh`: the slots are new and not cleared, for a run that fills the page.
static const char *ready_page(kith_loader *l, kith_staged_component *target, uint32_t index,
                              uint32_t run, bool *fresh)
{
    kith_sparse_set *set  = &target->pool.set;
    uint32_t         page = index >> KITH_PAGE_SHIFT_;
    bool absent = page >= set->head.sparse_pages_ || kith_sparse_set_page_absent(set, page);
    *fresh      = absent && run == KITH_PAGE_SLOTS;
    if (page >= l->entities.page_count) {
        return not_alive;
    }
    if (!absent && kith_plane_ready(&l->entities, index, target->storage->bit)) {
        return NULL;
    }
    return kith_plane_reserve(&l->entities, l->memory, index, target->storage->bit) &&
                   (*fresh ? kith_sparse_set_new_page(set, page) != NULL
                           : kith_sparse_set_reserve_page(set, page))
               ? NULL
               : no_memory;
}

KITH_NOINLINE void kith_staging_write_signatures(kith_entity_page *page)
{
    if (page->bare) {
        kith_array_fill(page->signature, page->common, KITH_PAGE_SLOTS);
        page->bare = false;
    }
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
        kith_staging_write_signatures(page);
    }
    kith_array_set_bits(words + first, 0, mark, count);
    for (uint32_t i = first; i < first + count && bit >= 64; i++) {
        page->more[i] |= (uint16_t)(1u << ((bit >> 6) - 1));
    }
}

static const char *link_staged_row(kith_loader *l, kith_staged_component *target, uint32_t index,
                                   uint32_t row)
{
    uint64_t  slot = *kith_entity_slot_of(&l->entities, index);
    uint64_t *cell = kith_sparse_set_slot(&target->pool.set, index);
    if (kith_entity_index(slot) != index || *cell != KITH_EMPTY) {
        return *cell != KITH_EMPTY ? has_two_rows : not_alive;
    }
    *cell = (slot & ~(uint64_t)UINT32_MAX) | row;
    kith_staging_write_signatures(kith_entity_page_of(&l->entities, index));
    kith_entity_bit_set(&l->entities, index, target->storage->bit);
    return NULL;
}

// Links consecutive rows of consecutive entities on one page.
static const char *link_run(kith_loader *l, kith_staged_component *target, uint32_t index,
                            uint32_t row, uint32_t count)
{
    bool        fresh;
    const char *fault = ready_page(l, target, index, count, &fresh);
    if (fault != NULL || count == 1) {
        return fault != NULL ? fault : link_staged_row(l, target, index, row);
    }
    kith_entity_page *page  = kith_entity_page_of(&l->entities, index);
    uint64_t         *slots = &page->slots[index & KITH_PAGE_MASK_];
    uint64_t         *rows  = kith_sparse_set_slot(&target->pool.set, index);
    if (!fresh && (rows[0] != KITH_EMPTY || kith_array_differ(rows, count) != 0)) {
        return has_two_rows;
    }
    if (fresh && page->known.version != 0) {
        kith_array_number(rows, (slots[0] & ~(uint64_t)UINT32_MAX) | row, count);
    } else if (!kith_array_make_slots(rows, slots, index, row, count)) {
        return not_alive;
    }
    mark_run(page, index & KITH_PAGE_MASK_, count, target->storage->bit);
    return NULL;
}

// Returns how many of `count` rows belong to consecutive entities of one page. `all`: they belong
// to consecutive entities, so they are not compared.
static uint32_t length_of_run(const uint32_t *packed, uint32_t count, bool all)
{
    uint32_t most = kith_min(count, KITH_PAGE_SLOTS - (packed[0] & KITH_PAGE_MASK_));
    uint32_t run  = all ? most : 1;
    while (run < most && packed[run] == packed[0] + run) {
        run++;
    }
    return run;
}

// Adds `count` rows whose packed indices are in `bytes`; if `bytes` is NULL, of the consecutive
// entities from `index` on.
static bool add_rows(kith_loader *l, kith_staged_component *target, uint32_t count,
                     const uint8_t *bytes, uint32_t index)
{
    kith_sparse_set *set   = &target->pool.set;
    uint32_t         first = set->head.rows_;
    uint32_t         end   = first + count;
    const char      *fault = NULL;
    if (end > kith_sparse_set_max(set)) {
        fault = "the component has more rows than its limit";
    } else if (!kith_pool_reserve_rows(&target->pool, end)) {
        fault = no_memory;
    } else {
        kith_pool_unpoison(&target->pool, first, count);
        set->head.rows_ = end;
    }
    for (uint32_t row = first, step; row < end && fault == NULL; row += step) {
        uint32_t *packed = kith_sparse_set_packed(set, row);
        step             = kith_min(kith_sparse_set_rest_of_page(set, row), end - row);
        if (bytes == NULL) {
            kith_array_number32(packed, index + (row - first), step);
        } else {
            kith_copy_numbers(packed, bytes + (size_t)(row - first) * 4, step, 4);
        }
        for (uint32_t i = 0, run; i < step && fault == NULL; i += run) {
            bool hole = (packed[i] & KITH_HOLE) != 0;
            run       = hole ? 1 : length_of_run(packed + i, step - i, bytes == NULL);
            target->holes += hole;
            fault = hole ? NULL : link_run(l, target, packed[i], row + i, run);
        }
    }
    if (fault == no_memory) {
        return kith_reader_no_memory(&l->reader);
    }
    return fault == NULL || kith_reader_malformed(&l->reader, fault);
}

bool kith_load_rows(kith_loader *l, kith_staged_component *target)
{
    kith_source *from = &l->reader.body;
    uint32_t     count;
    if (!kith_source_rows(from, target->pool.set.head.rows_, target->rows, sizeof(uint32_t),
                          &count)) {
        return kith_reader_malformed(&l->reader, "rows are not consecutive");
    }
    return add_rows(l, target, count, from->bytes + from->at, 0);
}

// Reads a RUNS chunk: rows of consecutive entities.
bool kith_load_run(kith_loader *l, kith_staged_component *target)
{
    kith_source *from  = &l->reader.body;
    uint32_t     first = kith_source_u32(from);
    uint32_t     count = kith_source_u32(from);
    uint32_t     index = kith_source_u32(from);
    if (from->ended || from->at != from->size || first != target->pool.set.head.rows_ ||
        count > target->rows - first || count > KITH_RUN_MOST || index > l->entities.count ||
        count > l->entities.count - index) {
        return kith_reader_malformed(&l->reader, "a run of rows is malformed");
    }
    return add_rows(l, target, count, NULL, index);
}

// --- holes, disabled rows, flags -------------------------------------------------------------

// As with the free list, a list that ends has no row twice.
static const char *link_holes(kith_sparse_set *set, kith_source *from, uint32_t count)
{
    uint32_t row     = kith_source_u32(from);
    set->newest_hole = row;
    set->holes       = count;
    for (uint32_t left = count; left != 0; left--) {
        if (row >= set->head.rows_ || (*kith_sparse_set_packed(set, row) & KITH_HOLE) == 0) {
            return "a listed hole is not a hole";
        }
        uint32_t older                    = left == 1 ? KITH_NO_ROW : kith_source_u32(from);
        *kith_sparse_set_packed(set, row) = KITH_HOLE | older;
        row                               = older;
    }
    uint32_t length = 0;
    for (row = set->newest_hole; row != KITH_NO_ROW; length++) {
        row = kith_sparse_set_older_hole(set, row);
    }
    return length == count ? NULL : "a hole is listed twice";
}

bool kith_load_holes(kith_loader *l, kith_staged_component *target)
{
    kith_source     *from  = &l->reader.body;
    kith_sparse_set *set   = &target->pool.set;
    uint32_t         count = kith_source_u32(from);
    if (set->holes != 0 || count == 0 || set->head.rows_ != target->rows ||
        !kith_source_holds(from, count, sizeof(uint32_t))) {
        return kith_reader_malformed(&l->reader, "a list of holes is malformed");
    }
    const char *fault = count != target->holes ? "the holes are not the rows without an entity"
                        : set->policy == KITH_POLICY_SWAP
                            ? "a component with the swap policy has holes"
                            : link_holes(set, from, count);
    return fault == NULL || kith_reader_malformed(&l->reader, fault);
}

bool kith_load_disabled(kith_loader *l, kith_staged_component *target)
{
    kith_pool *pool  = &target->pool;
    uint32_t   rows  = pool->set.head.rows_;
    uint32_t   words = kith_source_u32(&l->reader.body);
    if (pool->disabled != NULL || words == 0 || rows != target->rows ||
        words != ((uint64_t)rows + 63) / 64 ||
        !kith_source_holds(&l->reader.body, words, sizeof(uint64_t))) {
        return kith_reader_malformed(&l->reader, "a list of disabled rows is malformed");
    }
    if (!kith_pool_reserve_disabled(pool)) {
        return kith_reader_no_memory(&l->reader);
    }
    for (uint32_t word = 0; word < words; word++) {
        for (uint64_t left = kith_source_u64(&l->reader.body); left != 0; left &= left - 1) {
            uint32_t row = word * 64 + kith_lowest_bit(left);
            if (row >= rows || kith_pool_is_hole(pool, row)) {
                return kith_reader_malformed(&l->reader, "a row without a value is disabled");
            }
            pool->disabled[word] |= UINT64_C(1) << (row & 63);
            pool->set.head.disabled_++;
            l->disabled++;
        }
    }
    return true;
}

KITH_NOINLINE bool kith_load_list(kith_loader *l, uint32_t *count)
{
    kith_source *from = &l->reader.body;
    *count            = kith_source_u32(from);
    return (!from->ended && kith_source_holds(from, *count, sizeof(uint32_t))) ||
           kith_reader_malformed(&l->reader, "a list has the wrong length");
}

bool kith_load_flags(kith_loader *l, kith_staged_component *target)
{
    uint32_t           bit   = target->storage->bit;
    kith_entity_table *table = &l->entities;
    uint32_t           count;
    if (!kith_load_list(l, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = kith_source_u32(&l->reader.body);
        if (index >= table->count || !kith_entity_index_alive(table, index)) {
            return kith_reader_malformed(&l->reader, "an entity that is not alive has a flag");
        }
        if (!kith_plane_reserve(table, l->memory, index, bit)) {
            return kith_reader_no_memory(&l->reader);
        }
        kith_staging_write_signatures(kith_entity_page_of(table, index));
        if (kith_entity_bit(table, index, bit)) {
            return kith_reader_malformed(&l->reader, "an entity has a flag twice");
        }
        kith_entity_bit_set(table, index, bit);
    }
    target->pool.set.head.flags_set_ += count;
    return true;
}

// --- values ----------------------------------------------------------------------------------

// Unpacks values page by page; the component has no hooks.
static bool unpack_plain(kith_loader *l, kith_staged_component *target, uint32_t count)
{
    const kith_layout *layout = &target->storage->layout;
    for (uint32_t end = target->built + count, step; target->built < end; target->built += step) {
        step = kith_min(kith_sparse_set_rest_of_page(&target->pool.set, target->built),
                        end - target->built);
        void          *values = kith_pool_value(&target->pool, target->built);
        const uint8_t *packed = kith_source_take(&l->reader.body, (size_t)step * target->packed);
        if (!kith_layout_unpack(layout, values, packed, step)) {
            return kith_reader_malformed(&l->reader, "a boolean is neither 0 nor 1");
        }
    }
    return true;
}

// Constructs a value and reads into it the saved one that comes next in the chunk.
static bool build_value(kith_loader *l, kith_staged_component *target, void *value)
{
    const kith_component_desc *desc = &target->storage->desc;
    const kith_saver          *by   = desc->traits.saved.functions;
    kith_source               *from = &l->reader.body;
    if (!kith_pool_construct(&target->storage->pool, value, NULL)) {
        return kith_reader_fail(&l->reader, KITH_ERROR_HOOK, "its construct hook refused",
                                desc->name);
    }
    target->built++;
    bool           blob  = target->form == KITH_FORM_FUNCTIONS;
    uint32_t       size  = blob ? kith_source_u32(from) : target->packed;
    const uint8_t *bytes = kith_source_take(from, size);
    if (bytes == NULL) {
        return kith_reader_malformed(&l->reader, "a value is too short");
    }
    if (target->migration != NULL) {
        return kith_migration_apply(target->migration, value, bytes, size);
    }
    bool good = blob ? by->read(value, bytes, size, by->context)
                     : kith_layout_unpack_over(&target->storage->layout, value, bytes);
    if (!good && kith_is_opaque(desc)) { // reading opaque values fails for one reason
        return kith_reader_no_memory(&l->reader);
    }
    return good || kith_reader_malformed(&l->reader, blob ? "its read function refused a value"
                                                          : "a boolean is neither 0 nor 1");
}

// Builds the values of rows, one by one. A hole takes bytes in the file unless functions save.
static bool build_rows(kith_loader *l, kith_staged_component *target, uint32_t count)
{
    bool     good       = true;
    uint32_t hole_bytes = target->form == KITH_FORM_FUNCTIONS ? 0 : target->packed;
    for (uint32_t end = target->built + count; target->built < end && good;) {
        void *value = kith_pool_value(&target->pool, target->built);
        if (kith_pool_is_hole(&target->pool, target->built)) {
            memset(value, 0, target->pool.size); // searches also read the bytes of holes
            kith_source_take(&l->reader.body, hole_bytes);
            target->built++;
        } else {
            good = build_value(l, target, value);
        }
    }
    return good;
}

bool kith_load_values(kith_loader *l, kith_staged_component *target)
{
    kith_source *from  = &l->reader.body;
    bool         blobs = l->reader.tag == KITH_TAG_BLOBS;
    uint32_t     count;
    if (target->pool.set.head.rows_ != target->rows ||
        blobs != (target->form == KITH_FORM_FUNCTIONS) ||
        !kith_source_rows(from, target->built, target->rows,
                          blobs ? KITH_ANY_WIDTH : target->packed, &count)) {
        return kith_reader_malformed(&l->reader, "values are not consecutive");
    }
    if (!blobs && target->pool.plain && target->migration == NULL) {
        return unpack_plain(l, target, count);
    }
    return build_rows(l, target, count) &&
           (kith_source_left(from) == 0 ||
            kith_reader_malformed(&l->reader, "bytes follow the last value"));
}

bool kith_load_single(kith_loader *l, kith_staged_component *target)
{
    kith_source *from = &l->reader.body;
    bool         blob = target->form == KITH_FORM_FUNCTIONS;
    if (target->built != 0) {
        return kith_reader_malformed(&l->reader, "the file has a singleton twice");
    }
    if (target->form == KITH_FORM_NONE || (!blob && (kith_source_u32(from) != target->packed ||
                                                     kith_source_left(from) != target->packed))) {
        return kith_reader_malformed(&l->reader, "a singleton has the wrong size");
    }
    target->single = kith_storage_alloc_single(target->storage);
    if (target->single == NULL) {
        return kith_reader_no_memory(&l->reader);
    }
    return build_value(l, target, target->single) &&
           (kith_source_left(from) == 0 ||
            kith_reader_malformed(&l->reader, "bytes follow the value"));
}
