// SPDX-License-Identifier: MIT
// A journal: the newest removals of a component, in a ring that was made with it.
//
//     written = 7, capacity = 3     entries [ 6th | 4th | 5th ]    0th .. 3rd are lost
//
// Entry n, counted from 0 since the component was registered, is at n % capacity.
#ifndef KITH_STORE_JOURNAL_H
#define KITH_STORE_JOURNAL_H

#include "base/alloc.h"

#define KITH_JOURNAL_MOST (UINT32_C(1) << 24)

typedef struct kith_journal {
    kith_removal *entries; // NULL: there is no journal
    uint32_t      capacity;
    uint64_t      written;
    uint64_t      lost; // the tick of the newest entry that was written over; 0: none was
} kith_journal;

// A ring for so many entries, which are some; false when memory runs out.
KITH_INTERNAL bool kith_journal_make(kith_journal *journal, const kith_allocator *memory,
                                     uint32_t capacity);

// The entries of another one, in a ring as large as its.
KITH_INTERNAL void kith_journal_copy(kith_journal *journal, const kith_journal *from);
KITH_INTERNAL void kith_journal_release(kith_journal *journal, const kith_allocator *memory);

// Notes that the entity lost the component.
KITH_INTERNAL void kith_journal_note(kith_journal *journal, uint64_t tick, kith_entity entity);

// The number of the oldest entry that is there.
static inline uint64_t kith_journal_oldest(const kith_journal *of)
{
    return of->written < of->capacity ? 0 : of->written - of->capacity;
}

static inline const kith_removal *kith_journal_entry(const kith_journal *of, uint64_t number)
{
    return &of->entries[number % of->capacity];
}

// The number of the oldest entry that is there and not older than that tick.
KITH_INTERNAL uint64_t kith_journal_since(const kith_journal *journal, uint64_t tick);

#endif
