// SPDX-License-Identifier: MIT
// Allocating the exact handles that a caller asks for: hints.
//
// A hint whose slot is free gets a mark: 1 in the first signature word of the slot, which is 0 in
// every slot that is not alive. One pass over the free list then unlinks all marked slots.
#include "store/entity_table.h"

static uint64_t *mark_of(kith_entity_table *table, uint32_t index)
{
    return &kith_entity_page_of(table, index)->signature[index & KITH_PAGE_MASK_];
}

// Whether the slot can become exactly this handle. A slot beyond the table can.
static bool can_be_met(const kith_entity_table *table, kith_entity hint)
{
    uint32_t index = kith_entity_index(hint);
    if (kith_entity_version(hint) == 0) {
        return false;
    }
    if (index >= table->count) {
        return true;
    }
    uint64_t slot = *kith_entity_slot_of(table, index);
    uint32_t link = kith_entity_index(slot);
    return link != index && link != KITH_SLOT_RETIRED &&
           kith_entity_version(hint) >= kith_entity_version(slot);
}

bool kith_entity_table_allows_hint(const kith_entity_table *table, kith_entity hint, uint32_t count)
{
    uint32_t index = kith_entity_index(hint);
    uint64_t limit = (uint64_t)table->count + KITH_HINT_REACH + count - 1;
    return index < table->index_end && kith_entity_version(hint) <= table->version_last &&
           (index < table->room || index <= limit);
}

// Returns the `count` that the table needs to hold every hint.
static uint32_t end_of_hints(const kith_entity_table *table, const kith_entity *hints,
                             uint32_t count)
{
    uint32_t end = table->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = kith_entity_index(hints[i]);
        if (index >= end && can_be_met(table, hints[i])) {
            end = index + 1;
        }
    }
    return end;
}

// Marks the slots of the hints that can be met, and returns how many. Adds to `*in_list` those in
// the free list, and to `*beyond` those beyond the table.
static uint32_t mark_hints(kith_entity_table *table, const kith_entity *hints, uint32_t count,
                           uint32_t *in_list, uint32_t *beyond)
{
    uint32_t met = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = kith_entity_index(hints[i]);
        if (can_be_met(table, hints[i]) && *mark_of(table, index) == 0) {
            *mark_of(table, index) = 1;
            *beyond += index >= table->count;
            *in_list += index < table->count && index >= table->first_index;
            met++;
        }
    }
    return met;
}

static void unmark_hints(kith_entity_table *table, const kith_entity *hints, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (can_be_met(table, hints[i])) {
            *mark_of(table, kith_entity_index(hints[i])) = 0;
        }
    }
}

static void unlink_marked(kith_entity_table *table)
{
    uint32_t kept = KITH_SLOT_END;
    uint32_t next;
    for (uint32_t index = table->head; index != KITH_SLOT_END; index = next) {
        next = kith_entity_index(*kith_entity_slot_of(table, index));
        if (*mark_of(table, index) == 0) {
            kept = index;
        } else if (kept == KITH_SLOT_END) {
            table->head = next;
        } else {
            kith_entity_table_set_link(table, kept, next);
        }
    }
    table->tail = kept;
}

// Makes marked slots alive and writes their handles to `out`; KITH_NULL for the other hints. These
// get other handles then.
static void alloc_hints(kith_entity_table *table, const kith_entity *hints, uint32_t count,
                        kith_entity *out)
{
    for (uint32_t i = 0; i < count; i++) {
        kith_entity hint  = hints[i];
        uint32_t    index = kith_entity_index(hint);
        bool        met   = can_be_met(table, hint) && *mark_of(table, index) != 0;
        out[i]            = met ? hint : KITH_NULL;
        if (met) {
            kith_entity_slot_changed(table, index);
            *mark_of(table, index)             = 0;
            *kith_entity_slot_of(table, index) = hint;
            if (table->order == KITH_FREE_LOWEST && index >= table->first_index) {
                kith_bit_tree_remove(&table->lowest, index);
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (out[i] == KITH_NULL) {
            out[i] =
                table->free != 0 ? kith_entity_table_reuse(table) : kith_entity_table_append(table);
        }
    }
}

// Makes room for `fresh` more entities beside the marked ones, when the table ends at `end`.
static kith_error_code reserve_fresh(kith_entity_table *table, const kith_allocator *memory,
                                     uint32_t fresh, uint32_t free_after, uint32_t end)
{
    uint32_t appended = fresh > free_after ? fresh - free_after : 0;
    if (appended > table->index_end - end) {
        return KITH_ERROR_LIMIT;
    }
    return kith_entity_table_reserve(table, memory, end + appended) ? KITH_OK : KITH_ERROR_MEMORY;
}

kith_error_code kith_entity_table_use_hints(kith_entity_table *table, const kith_allocator *memory,
                                            const kith_entity *hints, uint32_t count,
                                            kith_entity *out, kith_entity *refused)
{
    for (uint32_t i = 0; i < count; i++) {
        if (hints[i] != KITH_NULL && !kith_entity_table_allows_hint(table, hints[i], count)) {
            *refused = hints[i];
            return KITH_ERROR_LIMIT;
        }
    }
    uint32_t before = table->page_count;
    uint32_t end    = end_of_hints(table, hints, count);
    if (!kith_entity_table_reserve(table, memory, end)) {
        return KITH_ERROR_MEMORY;
    }
    kith_entity_clear_words(table, table->count, end);
    uint32_t        in_list    = 0;
    uint32_t        beyond     = 0;
    uint32_t        met        = mark_hints(table, hints, count, &in_list, &beyond);
    uint32_t        free_after = table->free - in_list + (end - table->count - beyond);
    kith_error_code code       = reserve_fresh(table, memory, count - met, free_after, end);
    if (code != KITH_OK) {
        unmark_hints(table, hints, count);
        kith_entity_table_trim(table, memory, before);
        return code;
    }
    if (in_list != 0 && table->order != KITH_FREE_LOWEST) {
        unlink_marked(table);
    }
    table->free -= in_list;
    kith_entity_table_append_free(table, end);
    table->idle -= met;
    alloc_hints(table, hints, count, out);
    return KITH_OK;
}
