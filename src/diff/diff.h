// SPDX-License-Identifier: MIT
// Two worlds that are compared. Whoever finds a difference says what it is about, then what that is
// in each world; of these parts the sentence is made.
#ifndef KITH_DIFF_DIFF_H
#define KITH_DIFF_DIFF_H

#include "base/print.h"
#include "world/world.h"

#include "kith/diff.h"

#define KITH_DIFF_CALL "kith_world_diff"
#define KITH_DIFF_ROOM 80u // for the text of a value

typedef struct kith_diff_report {
    const kith_world *worlds[2];
    const kith_diff  *diff;
    uint64_t          count;
    bool              failed;
    // what the next difference is about
    kith_entity         entity;
    const kith_storage *storages[2]; // NULL: the world has nothing of it
    kith_print          part;
    char                part_room[192];
    char                first[sizeof((kith_diff *)0)->text]; // of all differences, in words
} kith_diff_report;

// The next difference is about another part, of which the text is said next; about no part.
KITH_INTERNAL kith_print *kith_diff_report_part(kith_diff_report *d);

// Counts a difference and tells of it. NULL for the text of a world where there is no such thing.
KITH_INTERNAL void kith_diff_report_record(kith_diff_report *d, kith_difference_kind kind,
                                           const char *first, const char *second);

// Ends the comparing with an error of one of the worlds about the present storage.
KITH_INTERNAL void kith_diff_report_fail(kith_diff_report *d, uint32_t side, kith_error_code code,
                                         const char *subject);

// --- diff_value ------------------------------------------------------------
//
// Values that differ, down to the field where both worlds have the same fields, else to the byte.

// How the values of the present storages are compared.
typedef enum kith_comparison {
    KITH_COMPARE_NONE   = 0, // one world's are bytes that functions write
    KITH_COMPARE_BYTES  = 1, // as what is saved of them
    KITH_COMPARE_UNITS  = 2, // as numbers of one size
    KITH_COMPARE_FIELDS = 3  // field by field
} kith_comparison;

KITH_INTERNAL kith_comparison kith_diff_report_comparison(const kith_diff_report *d);

// Compares a value that both worlds have.
KITH_INTERNAL void kith_diff_report_value(kith_diff_report *d, kith_comparison comparison,
                                          const void *first, const void *second);

#endif
