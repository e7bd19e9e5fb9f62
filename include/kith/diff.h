// SPDX-License-Identifier: MIT
// Diff: compares the states of two worlds. Include it beside kith.h.
//
//     kith_diff diff = { 0 };
//     if (kith_world_diff(mine, theirs, &diff) && diff.count != 0) {
//         printf("%llu differences, the first: %s\n", (unsigned long long)diff.count, diff.text);
//     }
//
//     2 differences, the first: entity 12v3: "position".x is 1.5 in the first world and 2.25 in the
//     second
//
// Threads     Any number of threads may compare two worlds while no thread changes them: see
//             kith_world_diff. Any thread may call kith_difference_kind_name.
#ifndef KITH_DIFF_H
#define KITH_DIFF_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Differences
//
// kith_world_diff compares what snapshot.h calls the state of a world, and nothing else. There is
// no difference exactly when kith_world_hash_full returns the same hash for both worlds.
//
// Entities    "12v3" is index 12 in version 3. An entity that lives in only one world is one
//             difference, whatever components it has. Free indices differ in their next version and
//             in their order.
// Components  Components are matched by name. An entity may have one in only one world, it may be
//             disabled in only one world, or its value may differ. Each field, each element of an
//             array and each number of a plain value counts. Values that functions save, and values
//             whose fields are different, are compared as saved bytes. Then the first byte that
//             differs counts, numbered from 0.
// Rows        A row differs when it has another entity, or is a hole in only one world. The order
//             in which holes are filled counts too.
// Groups      Each place in the order of a group that owns nothing. Each path.
// Objects     Each object with state (object.h), and each value of its items.
// Order       Entities first, by index. Then components by name: each with its entities in row
//             order, of the first world and then of the second, and with its rows. Then groups,
//             paths and objects.
// ---------------------------------------------------------------------------------------------

/// What a difference is about.
typedef enum kith_difference_kind {
    KITH_DIFFERENCE_ENTITY    = 0, // the living entity at an index
    KITH_DIFFERENCE_FREE      = 1, // a free index, or the index that is used next
    KITH_DIFFERENCE_COMPONENT = 2, // which entities have it; a singleton; its kind
    KITH_DIFFERENCE_VALUE     = 3,
    KITH_DIFFERENCE_DISABLED  = 4, // whether a row is disabled
    KITH_DIFFERENCE_ROW       = 5, // the entity of a row; holes
    KITH_DIFFERENCE_GROUP     = 6,
    KITH_DIFFERENCE_PATH      = 7,
    KITH_DIFFERENCE_OBJECT    = 8 // an object of the program (object.h), or an item of its state
} kith_difference_kind;

/// Returns the word of the enumerator, such as "entity"; "?" for any other number. The text is
/// static. O(1).
KITH_API const char *kith_difference_kind_name(kith_difference_kind kind);

/// A difference. The texts are valid until `each` of kith_diff returns. Long texts end in dots.
typedef struct kith_difference {
    kith_difference_kind kind;
    kith_entity          entity;    // KITH_NULL: none
    const char          *component; // its name; NULL: none
    const char          *part;      // "at.x", "scores[2]", "byte 5", "row 7"; NULL: the whole
    const char          *first;     // what it is in the first world; NULL: absent
    const char          *second;    // what it is in the second world; NULL: absent
    const char          *text;      // the difference as a sentence
} kith_difference;

/// What to do with each difference, and the result.
typedef struct kith_diff {
    /// Called for each difference, if not NULL. May read both worlds but not change them.
    void (*each)(const kith_difference *difference, void *context);
    void    *context;
    uint64_t count;     // number of all differences
    char     text[256]; // the first difference as a sentence; empty: none
} kith_diff;

/// Compares the states of two worlds, and fills in `count` and `text` of `diff`. Returns false on
/// an error, which is passed to the error hook and not recorded, and leaves `count` and `text`:
/// - while a loop is open, in listeners and hooks (KITH_ERROR_BUSY);
/// - for a component with values that has no save form (KITH_ERROR_UNSAVED, with its name, from the
///   world that has it);
/// - from a checked system that did not declare what the call reads (KITH_ERROR_UNDECLARED);
/// - when memory runs out (KITH_ERROR_MEMORY); only saved values of more than 4096 bytes and
/// objects
///   allocate;
/// - when a function that saves values returns another size each time (KITH_ERROR_ARGUMENT);
/// - when the `state` function of an object returns false (KITH_ERROR_HOOK).
///
/// Any number of threads may call it while no thread changes the worlds, unless there are values of
/// more than 4096 bytes. O(both worlds).
KITH_API bool kith_world_diff(const kith_world *first, const kith_world *second, kith_diff *diff);

#ifdef __cplusplus
}
#endif

#endif
