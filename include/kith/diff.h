// SPDX-License-Identifier: MIT
// What two worlds differ in. Include it beside kith.h.
//
//     kith_diff diff = { 0 };
//     if (kith_world_diff(mine, theirs, &diff) && diff.count != 0) {
//         printf("%llu differences, the first: %s\n", (unsigned long long)diff.count, diff.text);
//     }
//
//     2 differences, the first: entity 12v3: "position".x is 1.5 in the first world and 2.25 in the
//     second
#ifndef KITH_DIFF_H
#define KITH_DIFF_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Differences
//
// Worlds differ in what snapshot.h calls their state, and in nothing else: there is no difference
// exactly when kith_world_hash_full agrees.
// Entities    12v3 is index 12 in version 3. One that lives in one world only is one difference,
//             whatever it has there. Free indices differ in their next version, and in their order.
// Components  are found by their names. An entity has one in one world only; or it is disabled
//             there; or a value differs: each field, each element of an array, each number of a
//             plain value counts. What functions write is compared as bytes, and so are values
//             whose fields are others: the first byte that differs counts, numbered from 0.
// Rows        of another entity, or with another hole; the order in which holes are filled.
// Groups      that own nothing: each place in their order. Paths: each.
// Order       Entities first, by indices; then components by name, each with its entities in the
//             order of rows, of the first world and then of the second, and with its rows; then
//             groups and paths.
// ---------------------------------------------------------------------------------------------

/// What a difference is about.
typedef enum kith_difference_kind {
    KITH_DIFFERENCE_ENTITY    = 0, // who lives at an index
    KITH_DIFFERENCE_FREE      = 1, // an index at which nobody lives, or the next to be used
    KITH_DIFFERENCE_COMPONENT = 2, // who has it; a singleton that is there; what kind it is
    KITH_DIFFERENCE_VALUE     = 3,
    KITH_DIFFERENCE_DISABLED  = 4, // a row that is disabled
    KITH_DIFFERENCE_ROW       = 5, // whose it is; holes
    KITH_DIFFERENCE_GROUP     = 6,
    KITH_DIFFERENCE_PATH      = 7
} kith_difference_kind;

/// A difference. All texts are gone when the function that hears of it returns; long ones end in
/// dots.
typedef struct kith_difference {
    kith_difference_kind kind;
    kith_entity          entity;    // KITH_NULL: it is about none
    const char          *component; // its name; NULL: none
    const char          *part;      // "at.x", "scores[2]", "byte 5", "row 7"; NULL: no part
    const char          *first;     // what it is in the first world; NULL: it is not there
    const char          *second;    // the same of the second
    const char          *text;      // all that as a sentence
} kith_difference;

/// What to do with differences, and what they came to.
typedef struct kith_diff {
    /// Hears of each difference, if it is not NULL. May ask both worlds, and change none.
    void (*each)(const kith_difference *difference, void *context);
    void    *context;
    uint64_t count;     // of all differences
    char     text[256]; // the first in words; empty: there is none
} kith_diff;

/// Compares the states of two worlds, each in itself at rest. False and an error, told and not
/// recorded, with `count` and `text` as they were: while a loop is open, in listeners and hooks
/// (KITH_ERROR_BUSY); for a component with values of which nobody said how they are saved
/// (KITH_ERROR_UNSAVED, from the world that has it; it is named); for a checked system that did not
/// declare what it would read; without memory for values that take more than 4096 bytes. For any
/// number of threads while nobody changes the worlds, unless there are such values. O(both).
KITH_API bool kith_world_diff(const kith_world *first, const kith_world *second, kith_diff *diff);

#ifdef __cplusplus
}
#endif

#endif
