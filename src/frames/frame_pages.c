// SPDX-License-Identifier: MIT
// Restores what lies in pages, the slots of entities, flags, and the rows of pools, and saves rows.
//
// A sparse slot and a signature bit follow from the packed index of a row. So frames do not have
// them: a row that gets another entity by a restore is linked to the new one, and then unlinked
// from the old one. Rows may be handled in any order, because unlinking looks whether the slot
// still leads to the row.
#include "frames/frames.h"

// --- entities --------------------------------------------------------------------------------

// Sets and clears flags of the page's entities as the copy says; NULL: no entity has one.
static void restore_flags(kith_world *world, const kith_flag_words *flags, uint32_t page,
                          const kith_copy *copy)
{
    const uint64_t *saved =
        copy == NULL ? NULL : (const uint64_t *)(const void *)copy->data + KITH_PAGE_SLOTS;
    for (uint32_t word = 0; word < KITH_SIGNATURE_WORDS; word++) {
        uint64_t all = flags->mask[word];
        for (uint32_t i = 0;
             all != 0 && i < kith_in_page(world->entities.count, page, KITH_PAGE_SHIFT_); i++) {
            uint32_t index = page << KITH_PAGE_SHIFT_ | i;
            uint64_t want  = saved == NULL ? 0 : saved[i];
            uint64_t differ =
                (kith_entity_signature_word(&world->entities, index, word) ^ want) & all;
            for (; differ != 0; differ &= differ - 1) {
                uint32_t bit = kith_lowest_bit(differ);
                if ((want >> bit & 1) != 0) {
                    kith_entity_bit_set(&world->entities, index, 64 * word + bit);
                } else {
                    kith_entity_bit_clear(&world->entities, index, 64 * word + bit);
                }
            }
        }
        saved = all == 0 || saved == NULL ? saved : saved + KITH_PAGE_SLOTS;
    }
}

// Puts the free indices of the page into the bit tree, and takes the others out.
static void restore_lowest(kith_entity_table *table, uint32_t page)
{
    const kith_entity_page *of = kith_entity_page_of(table, page << KITH_PAGE_SHIFT_);
    for (uint32_t i = 0; i < KITH_PAGE_SLOTS; i++) {
        uint32_t index = page << KITH_PAGE_SHIFT_ | i;
        bool     free  = kith_entity_index(of->slots[i]) == KITH_SLOT_END;
        if (free != kith_bit_tree_has(&table->lowest, index)) {
            (free ? kith_bit_tree_insert : kith_bit_tree_remove)(&table->lowest, index);
        }
    }
}

// Sets the bits of the slots that differ; returns whether there is one.
static bool mark_changed_slots(const uint64_t *now, const uint64_t *then, uint64_t *bits)
{
    uint64_t any = 0;
    for (uint32_t word = 0; word < KITH_PAGE_SLOTS / 64; word++) {
        bits[word] = 0;
        for (uint32_t i = 0; i < 64; i++) {
            bits[word] |= (uint64_t)(now[64 * word + i] != then[64 * word + i]) << i;
        }
        any |= bits[word];
    }
    return any != 0;
}

void kith_restore_entities(kith_restoring *r)
{
    kith_entity_table       *table   = &r->world->entities;
    const kith_entity_table *then    = &r->to->entities;
    bool                     changed = r->base == NULL || // a view has the flags of its base
                   (r->world == r->frames->object.world && r->flags.moves != r->base->flags.moves);
    if (then->count > table->count) {
        uint32_t now = table->count;
        table->count = then->count;
        kith_entity_clear_words(table, now, then->count);
    }
    for (uint32_t i = 0; i < table->page_count; i++) {
        kith_entity_page *page    = kith_entity_page_of(table, i << KITH_PAGE_SHIFT_);
        const kith_copy  *copy    = i < r->to->slot_count ? r->to->refs[i].copy : NULL;
        uint64_t         *bits    = r->frames->changed_slots + (size_t)i * (KITH_PAGE_SLOTS / 64);
        bool              differs = changed || copy == NULL || i >= r->base->slot_count ||
                       r->base->refs[i].copy != copy || page->noticed > r->base->tick;
        page->noticed = 0;
        if (!differs) {
            memset(bits, 0, KITH_PAGE_SLOTS / 8);
            continue;
        }
        restore_flags(r->world, &r->flags, i, copy);
        if (copy != NULL) {
            r->relinks |= mark_changed_slots(page->slots, (const void *)copy->data, bits);
            memcpy(page->slots, copy->data, KITH_SLOTS_BYTES);
        } else {
            kith_array_fill(page->slots, KITH_SLOT_RESERVED, KITH_PAGE_SLOTS);
        }
        page->known = (kith_slots_known){ .noticed = true };
        if (table->order == KITH_FREE_LOWEST) {
            restore_lowest(table, i);
        }
        r->frames->report.back += copy != NULL;
    }
    table->count   = then->count;
    table->noticed = then->count;
    table->idle    = then->idle;
    table->free    = then->free;
    table->retired = then->retired;
    table->head    = then->head;
    table->tail    = then->tail;
}

// --- rows ------------------------------------------------------------------------------------

// Copies the values of `rows` rows by the hook, holes apart. The packed indices are copied already.
static bool copy_row_values(kith_frames *frames, const kith_pool *pool, kith_copy *copy,
                            const uint8_t *from, uint32_t rows)
{
    const uint32_t *packed = (const void *)(copy->data + pool->set.head.packed_at_);
    bool            good   = true;
    copy->hooked           = pool;
    kith_world_lock(frames->object.world);
    for (; copy->built < rows && good; copy->built += good) {
        size_t at = (size_t)copy->built * pool->size;
        good      = (packed[copy->built] & KITH_HOLE) != 0 ||
               kith_pool_construct(pool, copy->data + at, from + at);
    }
    kith_world_unlock(frames->object.world);
    frames->hook_failed = frames->hook_failed || !good;
    return good;
}

kith_copy *kith_copy_rows(kith_frames *frames, const kith_paged *of, const uint8_t *from,
                          uint32_t rows)
{
    const kith_pool *pool = of->pool;
    kith_copy       *copy = kith_copy_alloc(frames, pool->set.page_bytes, pool->set.alignment);
    if (copy == NULL) {
        return NULL;
    }
    if (of->bytes || of->bit != KITH_NO_BIT) {
        kith_sparse_set_copy_rows(&pool->set, copy->data, from, rows, of->bytes);
    } else { // a singleton: no hole
        memset(copy->data + pool->set.head.packed_at_, 0, sizeof(uint32_t));
    }
    if (!of->bytes && !copy_row_values(frames, pool, copy, from, rows)) {
        kith_copy_release(frames, copy);
        return NULL;
    }
    return copy;
}

bool kith_past_has_values(const kith_saving *s, const kith_paged *of, const uint8_t *page,
                          const kith_copy *copy, uint32_t rows)
{
#ifdef NDEBUG
    (void)s, (void)of, (void)page, (void)copy, (void)rows;
    return true;
#else
    kith_world     *world  = s->frames->object.world;
    const uint32_t *packed = (const void *)(page + of->pool->set.head.packed_at_);
    bool            paged  = of->bit != KITH_NO_BIT;
    size_t          size   = of->bytes && of->unpadded ? of->pool->size : 0;
    uint32_t        row    = 0;
    while (row < rows && ((paged && (packed[row] & KITH_HOLE) != 0) ||
                          memcmp(page + row * size, copy->data + row * size, size) == 0)) {
        row++;
    }
    bool       same  = row == rows;
    kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                         .call      = "kith_frames_save",
                         .component = of->pool->set.head.id_,
                         .entity    = same || !paged
                                          ? KITH_NULL
                                          : *kith_entity_slot_of(&world->entities, packed[row]),
                         .subject   = "a value was written through a pointer from before the "
                                      "latest save; get the pointer again with mut" };
    return same || kith_world_fail(world, &error);
#endif
}

bool kith_past_save_rows(const kith_saving *s, const kith_paged *of, kith_saved_pool *now)
{
    const kith_sparse_set *set = &of->pool->set;
    const kith_saved_pool *was = s->base == NULL ? NULL : &s->base->pools[now - s->past->pools];
    now->rows                  = set->head.rows_;
    now->holes                 = set->holes;
    now->newest_hole           = set->newest_hole;
    now->first                 = s->past->ref_count;
    for (uint32_t i = 0; kith_in_page(now->rows, i, set->head.shift_) != 0; i = ++now->pages) {
        const uint8_t *page = set->head.pages_[i];
        uint32_t       rows = kith_in_page(now->rows, i, set->head.shift_);
        kith_copy *copy = was != NULL && i < was->pages ? s->base->refs[was->first + i].copy : NULL;
        bool       same = copy != NULL && set->head.stamps_[i] <= s->base->tick &&
                    kith_past_has_values(s, of, page, copy, rows);
        copy = same ? kith_copy_share(copy) : kith_copy_rows(s->frames, of, page, rows);
        if (!kith_past_add(s, copy, same, set->head.stamps_[i])) {
            return false;
        }
    }
    return true;
}

// --- reading ---------------------------------------------------------------------------------

// The packed index of a row.
static uint32_t packed_then(const kith_past *past, const kith_saved_pool *then,
                            const kith_sparse_set *set, uint32_t row)
{
    const kith_copy *copy   = past->refs[then->first + (row >> set->head.shift_)].copy;
    const uint32_t  *packed = (const void *)(copy->data + set->head.packed_at_);
    return packed[row & (kith_sparse_set_page_rows(set) - 1)];
}

// Makes the lookup of a pool; without memory there is none.
static void make_lookup(kith_frames *frames, const kith_past *past, kith_saved_pool *then,
                        const kith_sparse_set *set)
{
    then->lookup   = kith_copy_alloc_any(frames, past->entities.count * sizeof(uint32_t));
    uint32_t *rows = then->lookup == NULL ? NULL : (void *)then->lookup->data;
    for (uint32_t i = 0; rows != NULL && i < past->entities.count; i++) {
        rows[i] = KITH_NO_ROW;
    }
    for (uint32_t row = 0; rows != NULL && row < then->rows; row++) {
        uint32_t index = packed_then(past, then, set, row);
        if ((index & KITH_HOLE) == 0) {
            rows[index] = row;
        }
    }
}

uint32_t kith_past_row(kith_frames *frames, kith_past *past, kith_saved_pool *then,
                       const kith_sparse_set *set, uint32_t index)
{
    uint32_t row = kith_sparse_set_row_at(set, index);
    if (row < then->rows && packed_then(past, then, set, row) == index) {
        return row;
    }
    if (then->lookup == NULL && then->rows != 0) {
        make_lookup(frames, past, then, set);
    }
    if (then->lookup != NULL) {
        return ((const uint32_t *)(const void *)then->lookup->data)[index];
    }
    for (row = 0; row < then->rows && packed_then(past, then, set, row) != index;) {
        row++;
    }
    return row < then->rows ? row : KITH_NO_ROW;
}

// --- restoring rows --------------------------------------------------------------------------

// The frame's copy of the page; NULL: it has no row there.
static kith_copy *copy_then(const kith_restoring *r, const kith_saved_pool *then, uint32_t page)
{
    return page < then->pages ? r->to->refs[then->first + page].copy : NULL;
}

// Whether the page is not what the frame has. A page that lost its last rows has no new stamp.
static bool rows_differ(const kith_restoring *r, const kith_sparse_set *set,
                        const kith_saved_pool *then, uint32_t page)
{
    const kith_saved_pool *was  = r->base == NULL ? NULL : &r->base->pools[then - r->to->pools];
    uint32_t               rows = kith_in_page(then->rows, page, set->head.shift_);
    return rows != kith_in_page(set->head.rows_, page, set->head.shift_) ||
           (rows != 0 &&
            (was == NULL || page >= was->pages || set->head.stamps_[page] > r->base->tick ||
             r->base->refs[was->first + page].copy != copy_then(r, then, page)));
}

// Allocates lookup pages and signature planes for the entities of a copied page.
static bool reserve_links(const kith_restoring *r, const kith_paged *of, const uint32_t *packed,
                          uint32_t rows)
{
    uint32_t latest = KITH_NO_INDEX;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t page = packed[i] >> KITH_PAGE_SHIFT_;
        if ((packed[i] & KITH_HOLE) != 0 || page == latest) {
            continue;
        }
        latest = page;
        if (!kith_sparse_set_reserve_page(&of->pool->set, page) ||
            (of->bit != KITH_NO_BIT && of->bit >= 64 &&
             !kith_plane_reserve(&r->world->entities, &r->world->memory, packed[i], of->bit))) {
            return false;
        }
    }
    return true;
}

bool kith_restore_prepare_rows(kith_restoring *r, const kith_paged *of, const kith_saved_pool *then)
{
    const kith_sparse_set *set = &of->pool->set;
    if (!kith_pool_reserve_rows(of->pool, then->rows)) {
        return false;
    }
    kith_pool_unpoison(of->pool, 0, then->rows);
    for (uint32_t i = 0; i < then->pages; i++) {
        const kith_copy *copy   = copy_then(r, then, i);
        const uint32_t  *now    = (const void *)(set->head.pages_[i] + set->head.packed_at_);
        const uint32_t  *packed = (const void *)(copy->data + set->head.packed_at_);
        uint32_t         rows   = kith_in_page(then->rows, i, set->head.shift_);
        bool             differ = rows_differ(r, set, then, i);
        bool moved = differ && (rows != kith_in_page(set->head.rows_, i, set->head.shift_) ||
                                memcmp(now, packed, rows * sizeof *packed) != 0);
        r->frames->moved_pages[then->first + i] = moved;
        if (!differ) {
            continue;
        }
        if ((moved && !reserve_links(r, of, packed, rows)) ||
            (!of->bytes &&
             !kith_restore_stage(r, kith_copy_rows(r->frames, of, copy->data, rows)))) {
            return false;
        }
    }
    return true;
}

// Links an entity of the frame to its row. Returns whether it has no row now. The slot of an entity
// that has one says the version, unless the index is that of another entity now.
KITH_ALWAYS_INLINE bool link_row(const kith_restoring *r, const kith_paged *of, uint32_t index,
                                 uint32_t row)
{
    kith_entity_table *table = &r->world->entities;
    uint64_t          *slot  = kith_sparse_set_slot(&of->pool->set, index);
    bool               fresh = *slot == KITH_EMPTY;
    bool               known = !fresh && !kith_ids_have(r->frames->changed_slots, index);
    *slot = (known ? *slot : *kith_entity_slot_of(table, index)) >> 32 << 32 | row;
    if (fresh && of->bit != KITH_NO_BIT) {
        kith_entity_bit_set(table, index, of->bit);
    }
    return fresh;
}

// Unlinks an entity if it has this row still. Returns whether it had.
KITH_ALWAYS_INLINE bool unlink_row(const kith_restoring *r, const kith_paged *of, uint32_t index,
                                   uint32_t row)
{
    uint64_t *slot = kith_sparse_set_slot(&of->pool->set, index);
    bool      gone = (uint32_t)*slot == row;
    *slot          = gone ? KITH_EMPTY : *slot;
    if (gone && of->bit != KITH_NO_BIT) {
        kith_entity_bit_clear(&r->world->entities, index, of->bit);
    }
    return gone;
}

// Links the rows of the frame in a page, or unlinks the rows of now. Returns how many entities got
// the component, or lost it.
KITH_ALWAYS_INLINE uint32_t relink_page(const kith_restoring *r, const kith_paged *of,
                                        const kith_saved_pool *then, uint32_t page, bool links)
{
    const kith_sparse_set *set  = &of->pool->set;
    const kith_copy       *copy = copy_then(r, then, page);
    const uint8_t         *now  = set->head.pages_[page];
    const uint32_t        *from = (const void *)(now + set->head.packed_at_);
    const uint32_t *to = (const void *)((copy == NULL ? now : copy->data) + set->head.packed_at_);
    uint32_t        rows_from = kith_in_page(set->head.rows_, page, set->head.shift_);
    uint32_t        rows_to   = kith_in_page(then->rows, page, set->head.shift_);
    uint32_t        count     = 0;
    uint32_t        first     = page << set->head.shift_;
    uint32_t        both      = kith_min(rows_from, rows_to);
    for (uint32_t i = 0; i < (links ? rows_to : rows_from); i++) {
        uint32_t index = links ? to[i] : from[i];
        bool     same  = i < both && to[i] == from[i];
        if ((index & KITH_HOLE) == 0 &&
            (!same || (links && r->relinks && kith_ids_have(r->frames->changed_slots, index)))) {
            count +=
                links ? link_row(r, of, index, first + i) : unlink_row(r, of, index, first + i);
        }
    }
    return count;
}

// Links the rows of the frame. Then, if entities are left over, unlinks those that have no row in
// the frame: an entity that only moves is written once.
static void relink(const kith_restoring *r, const kith_paged *of, const kith_saved_pool *then)
{
    const kith_sparse_set *set   = &of->pool->set;
    const bool            *moved = r->frames->moved_pages; // NULL: no pool has pages
    uint32_t               left  = set->head.rows_ - set->holes - (then->rows - then->holes);
    for (uint32_t i = 0; i < then->pages; i++) {
        if (moved[then->first + i] || (r->relinks && rows_differ(r, set, then, i))) {
            left += relink_page(r, of, then, i, true);
        }
    }
    for (uint32_t i = 0; i < set->page_count && left != 0; i++) {
        left -= i >= then->pages || moved[then->first + i] ? relink_page(r, of, then, i, false) : 0;
    }
    assert(left == 0);
}

// Replaces the values of the page, whose rows still have the packed indices of now, by the staged
// ones, which the page then owns.
static void replace_values(const kith_restoring *r, const kith_pool *pool, uint8_t *page,
                           uint32_t rows_now, kith_copy *staged)
{
    kith_frames_destruct_rows(r->frames, pool, page, rows_now);
    if (staged == NULL) {
        return;
    }
    const uint32_t *packed = (const void *)(staged->data + pool->set.head.packed_at_);
    kith_world_lock(r->world);
    for (uint32_t i = 0; i < staged->built; i++) {
        if ((packed[i] & KITH_HOLE) == 0) {
            size_t at = (size_t)i * pool->size;
            kith_pool_move_value(pool, page + at, staged->data + at);
        }
    }
    kith_world_unlock(r->world);
    staged->built = 0;
}

static void restore_page(kith_restoring *r, const kith_paged *of, const kith_saved_pool *then,
                         uint32_t i)
{
    kith_sparse_set *set  = &of->pool->set;
    const kith_copy *copy = copy_then(r, then, i);
    uint8_t         *page = set->head.pages_[i];
    uint32_t         rows = kith_in_page(then->rows, i, set->head.shift_);
    if (!of->bytes) {
        replace_values(r, of->pool, page, kith_in_page(set->head.rows_, i, set->head.shift_),
                       copy == NULL ? NULL : r->frames->staged[r->next_staged++]);
    }
    if (copy == NULL) {
        return;
    }
    if (of->bytes && !r->frames->moved_pages[then->first + i] && !kith_sparse_set_has_ticks(set)) {
        memcpy(page, copy->data, rows * (size_t)of->pool->size); // the packed indices are the same
    } else {
        kith_sparse_set_copy_rows(set, page, copy->data, rows, of->bytes);
    }
    r->frames->report.back++;
}

void kith_restore_rows(kith_restoring *r, const kith_paged *of, const kith_saved_pool *then)
{
    kith_sparse_set *set     = &of->pool->set;
    bool             changed = false;
    relink(r, of, then);
    for (uint32_t i = 0; i < set->page_count; i++) {
        if (rows_differ(r, set, then, i)) {
            restore_page(r, of, then, i);
            changed = true;
        }
        set->head.stamps_[i] = i < then->pages ? r->to->refs[then->first + i].stamp : 0;
    }
    kith_pool_poison(of->pool, then->rows,
                     set->head.rows_ > then->rows ? set->head.rows_ - then->rows : 0);
    set->head.rows_  = then->rows;
    set->holes       = then->holes;
    set->newest_hole = then->newest_hole;
    set->moves += changed; // caches of row places are no longer valid
    kith_pool_forget_hashes(of->pool);
}
