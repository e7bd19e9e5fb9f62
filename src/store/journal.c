// SPDX-License-Identifier: MIT
#include "store/journal.h"

static size_t ring_bytes(uint32_t capacity)
{
    return capacity * sizeof(kith_removal);
}

KITH_INTERNAL bool kith_journal_make(kith_journal *journal, const kith_allocator *memory,
                                     uint32_t capacity)
{
    journal->entries  = kith_memory_take(memory, ring_bytes(capacity), _Alignof(kith_removal));
    journal->capacity = journal->entries == NULL ? 0 : capacity;
    return journal->entries != NULL;
}

KITH_INTERNAL void kith_journal_copy(kith_journal *journal, const kith_journal *from)
{
    uint64_t entries = from->written - kith_journal_oldest(from);
    assert(journal->capacity == from->capacity);
    if (entries != 0) {
        memcpy(journal->entries, from->entries, (size_t)entries * sizeof *journal->entries);
    }
    journal->written = from->written;
    journal->lost    = from->lost;
}

KITH_INTERNAL void kith_journal_release(kith_journal *journal, const kith_allocator *memory)
{
    kith_memory_give(memory, journal->entries, ring_bytes(journal->capacity),
                     _Alignof(kith_removal));
    *journal = (kith_journal){ 0 };
}

KITH_INTERNAL void kith_journal_note(kith_journal *journal, uint64_t tick, kith_entity entity)
{
    kith_removal *entry = &journal->entries[journal->written % journal->capacity];
    if (journal->written >= journal->capacity) {
        journal->lost = entry->tick;
    }
    *entry = (kith_removal){ .entity = entity, .tick = tick };
    journal->written++;
}

KITH_INTERNAL uint64_t kith_journal_since(const kith_journal *journal, uint64_t tick)
{
    uint64_t low = kith_journal_oldest(journal);
    for (uint64_t high = journal->written; low < high;) {
        uint64_t middle = low + (high - low) / 2;
        if (kith_journal_entry(journal, middle)->tick < tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
