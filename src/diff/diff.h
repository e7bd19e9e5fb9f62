// SPDX-License-Identifier: MIT
// Compares two worlds and reports each difference as a sentence.
//
//     compare_... finds a difference     d->entity, d->storages, d->part: what it is about
//     kith_diff_report_record            the texts of both worlds; makes the sentence, counts it
//
// Only state is compared: entities, components, groups, paths, objects (snapshot/hash.h).
#pragma once

#include "world/world.h"

#include "kith/diff.h"

#define KITH_DIFF_CALL "kith_world_diff"
#define KITH_DIFF_ROOM 80u // for the text of a value

// How the values of the present storages are compared.
typedef enum kith_comparison {
    KITH_COMPARE_NONE   = 0, // not: only one world saves them through functions
    KITH_COMPARE_BYTES  = 1, // the saved bytes
    KITH_COMPARE_UNITS  = 2, // numbers of one size
    KITH_COMPARE_FIELDS = 3  // field by field
} kith_comparison;

typedef struct kith_diff_report {
    const kith_world *worlds[2];
    const kith_diff  *diff;
    uint64_t          count;
    bool              failed;
    // The subject of the next difference.
    kith_entity         entity;
    const kith_storage *storages[2]; // NULL: the world does not have the component as state
    kith_comparison     comparison;
    kith_print          part;
    char                part_room[192];
    // What the worlds have there.
    kith_print texts[2];
    char       text_rooms[2][KITH_DIFF_ROOM];
    char       first[sizeof((kith_diff *)0)->text]; // the sentence of the first difference
} kith_diff_report;

// Clear the part of the subject; the text of a world. The caller may print a new one into the
// result.
kith_print *kith_diff_report_part(kith_diff_report *d);
kith_print *kith_diff_report_text(kith_diff_report *d, uint32_t side);

// Counts and reports a difference. The text of a world that lacks the subject is NULL. The second
// function takes the texts that were printed.
void kith_diff_report_record(kith_diff_report *d, kith_difference_kind kind, const char *first,
                             const char *second);
void kith_diff_report_record_texts(kith_diff_report *d, kith_difference_kind kind);

// Ends the comparison: reports an error about the present storage, if any, to one of the worlds.
// Returns false.
bool kith_diff_report_fail(kith_diff_report *d, uint32_t side, kith_error_code code,
                           const char *subject, const char *other);

// --- values (diff_value.c) -------------------------------------------------------------------
//
// Finds the field that differs when both worlds have the same fields, else the byte.

// Returns how to compare the values of the present storages.
kith_comparison kith_diff_report_comparison(const kith_diff_report *d);

// Compares a field, or an item of an object; the part is its name. `a` and `b` are its values in
// the two worlds, of which `fa` and `fb` are the tables' rows: they differ at most in their offset.
void kith_diff_report_field(kith_diff_report *d, const kith_field *fa, const kith_field *fb,
                            const uint8_t *a, const uint8_t *b);

// Compares a value that both worlds have.
void kith_diff_report_value(kith_diff_report *d, const void *first, const void *second);
