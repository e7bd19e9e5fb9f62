// SPDX-License-Identifier: MIT
// Two worlds that are compared. Whoever finds a difference says what it is about, then what that is
// in each world; of these parts the sentence is made.
#ifndef KITH_DIFF_DIFF_REPORT_H
#define KITH_DIFF_DIFF_REPORT_H

#include "base/print.h"
#include "world/world.h"

#define KITH_DIFF_CALL "kith_world_diff"
#define KITH_DIFF_ROOM 80u // for the text of a value

typedef struct kith_differ {
    const kith_world *worlds[2];
    const kith_diff  *diff;
    uint64_t          count;
    bool              failed;
    // what the next difference is about
    kith_entity        entity;
    const kith_column *columns[2]; // NULL: the world has nothing of it
    kith_text          part;
    char               part_room[192];
    char               first[sizeof((kith_diff *)0)->text]; // of all differences, in words
} kith_differ;

// The next difference is about another part, of which the text is said next; about no part.
KITH_INTERNAL kith_text *kith_differ_part(kith_differ *d);

// Counts a difference and tells of it. NULL for the text of a world where there is no such thing.
KITH_INTERNAL void kith_differ_note(kith_differ *d, kith_difference_kind kind, const char *first,
                                    const char *second);

// Ends the comparing with an error of one of the worlds about the present column.
KITH_INTERNAL void kith_differ_fail(kith_differ *d, uint32_t side, kith_error_code code,
                                    const char *subject);

// 12v3
KITH_INTERNAL void kith_text_say_entity(kith_text *out, kith_entity entity);

#endif
