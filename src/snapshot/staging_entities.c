// SPDX-License-Identifier: MIT
// The entities of a stage: slots, and whether they make sense together.
#include "snapshot/staging.h"

KITH_INTERNAL const char *kith_stage_slots(kith_stage *stage, const kith_stage_entities *facts)
{
    kith_entity_table *table = &stage->entities;
    if (facts->slots > table->index_end || facts->slots < table->first_index) {
        return "there are more slots than the world allows, or fewer than are reserved";
    }
    if (table->queued && facts->slots != table->index_end) {
        return "all indices queue from the start, and these are not all";
    }
    table->count   = facts->slots;
    table->head    = facts->head;
    table->tail    = facts->tail;
    table->free    = facts->free;
    table->retired = facts->retired;
    return NULL;
}

KITH_INTERNAL bool kith_stage_make_slots(kith_stage *stage, uint32_t count)
{
    kith_entity_table *table = &stage->entities;
    uint32_t           first = table->page_count;
    if (!kith_entity_table_reserve(table, kith_stage_memory(stage), count)) {
        return false;
    }
    for (uint32_t page = first; page < table->page_count; page++) {
        kith_entity_page *made = kith_entity_page_of(table, page << KITH_PAGE_SHIFT_);
        made->bare             = true;
        made->known.version    = 0;
    }
    return true;
}

KITH_INTERNAL void kith_stage_living(kith_stage *stage, uint32_t first, uint32_t count,
                                     uint64_t slot)
{
    uint32_t version = kith_entity_version(slot);
    bool     right   = version != 0 && version <= stage->entities.version_last;
    for (uint32_t index = first, part; index < first + count; index += part) {
        part = kith_least(KITH_PAGE_SLOTS - index % KITH_PAGE_SLOTS, first + count - index);
        kith_stage_number(kith_entity_slot_of(&stage->entities, index), slot + (index - first),
                          part, stage->large);
        if (right && part == KITH_PAGE_SLOTS) {
            kith_entity_page_of(&stage->entities, index)->known.version = version;
        }
    }
    if (stage->living == first && right) {
        stage->living += count;
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

// A slot that is not alive.
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
        return "a slot is reserved and should not be, or the other way round";
    }
    if (reserved) {
        return NULL;
    }
    if (version == 0 || !names_free(table, index) ||
        (lowest && kith_entity_index(slot) != KITH_SLOT_END)) {
        return "a free slot has no version, or leads nowhere";
    }
    counts->free++;
    if (lowest) {
        kith_index_set_insert(&table->lowest, index);
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

// How many slots this one stands for: most often all entities of a page live and have one version.
static uint32_t alike_from(const kith_entity_table *table, uint32_t index)
{
    const uint64_t *slots = kith_entity_slot_of(table, index);
    uint32_t        count = kith_least(table->count - index, KITH_PAGE_SLOTS);
    bool alike = (index & KITH_PAGE_MASK_) == 0 && kith_entity_index(slots[0]) == index &&
                 kith_array_is_numbered(slots, slots[0], count);
    return alike ? count : 1;
}

// From the first on that may be something else than a living entity.
static const char *check_every_slot(kith_entity_table *table, uint32_t first, slot_counts *counts)
{
    const char *wrong = NULL;
    for (uint32_t index = first; index < table->count && wrong == NULL;) {
        wrong = check_one_slot(table, index, counts);
        index += alike_from(table, index);
    }
    return wrong;
}

// A list that ends has nobody twice; so one that is as long as there are free slots has them all.
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

KITH_INTERNAL const char *kith_stage_check_slots(kith_stage *stage)
{
    kith_entity_table *table  = &stage->entities;
    slot_counts        counts = { 0 };
    const char        *wrong  = check_every_slot(table, stage->living, &counts);
    if (wrong != NULL) {
        return wrong;
    }
    if (counts.free != table->free || counts.retired != table->retired) {
        return "the free and retired slots are counted wrongly";
    }
    table->idle = counts.free + counts.retired + counts.reserved;
    if (table->order != KITH_FREE_LOWEST) {
        return check_list_of_free(table);
    }
    return table->head == KITH_SLOT_END ? NULL
                                        : "free indices that go out lowest first have a list";
}
