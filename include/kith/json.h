// SPDX-License-Identifier: MIT
// JSON: writes and reads entities and worlds, by their field tables. Include it beside kith.h.
//
// Threads     Any number of threads may write JSON while no thread changes the world, if its
//             allocator and the functions that save values allow it. Reading belongs to the world's
//             thread.
#ifndef KITH_JSON_H
#define KITH_JSON_H

#include "snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// JSON
//
//     kith_bytes text = { 0 };
//     if (kith_json_write_world(world, kith_bytes_write, &text)) {
//         puts((const char *)text.data);
//     }
//     kith_bytes_free(&text);
//
//     kith_result read = kith_json_read_world(other, bytes, size, NULL);
//     if (read.code != KITH_OK) {
//         printf("byte %llu: %s\n", (unsigned long long)read.offset, read.message);
//     }
//
// docs/json.md describes the JSON. Every value comes back bit for bit, except for padding. JSON
// does not contain how a world stores the values: the order of rows and of free handles, ticks,
// groups.
// ---------------------------------------------------------------------------------------------

/// How to read JSON. All zero: strictly.
typedef struct kith_json_rules {
    bool skip_unknown; // skip components, fields and keys that the world does not have
} kith_json_rules;

/// Writes a living entity as one JSON object, without a line break. `write` gets the text in pieces
/// that are not 0-terminated. Returns false on an error, which is passed to the error hook and not
/// recorded:
/// - the entity is dead, or a value has no save form (KITH_ERROR_UNSAVED); both before anything is
///   written;
/// - `write` returns false (KITH_ERROR_IO);
/// - a function that saves values returns another size each time (KITH_ERROR_HOOK);
/// - memory runs out (KITH_ERROR_MEMORY).
///
/// Allocates, from the world's allocator, only for values of more than 256 bytes that functions
/// save. O(text).
KITH_API bool kith_json_write_entity(const kith_world *world, kith_entity entity,
                                     kith_write_fn write, void *context);

/// Writes all entities, by ascending index and one on each line, and all singletons. Errors as for
/// kith_json_write_entity.
KITH_API bool kith_json_write_world(const kith_world *world, kith_write_fn write, void *context);

/// Creates the entity that the text describes. It gets the handle in the text if that is free,
/// otherwise a new one. Handles in its values that mean the entity itself become the new handle;
/// others do not change. `entity` (if not NULL) gets the handle, or KITH_NULL after an error or
/// when a listener destroyed the entity. `rules` may be NULL.
///
/// A node of a hierarchy is read without its links. Fields that the text omits are 0.
///
/// The whole text is checked before anything is created. If creating fails later, for memory, a
/// limit or a hook, the entity is destroyed again. An error is returned, recorded and passed to the
/// error hook. O(text), and O(registered) for each component that is not in registration order.
KITH_API kith_result kith_json_read_entity(kith_world *world, const char *text, size_t size,
                                           const kith_json_rules *rules, kith_entity *entity);

/// Fills an empty world: one without entities, and without singletons except transient ones. Each
/// entity gets the handle in the text, or a new one when the world cannot give it. The world cannot
/// when it issued a newer version, or the index is beyond its limits or 2^20 beyond its table.
/// Handles in values change accordingly. Handles of entities that are not in the text stay.
///
/// Returns KITH_ERROR_ARGUMENT when the world is not empty, KITH_ERROR_BUSY while a loop is open,
/// from a hook and from a listener. These two leave the world as it is. Links of a hierarchy that
/// do not agree are an error. After any other error the world is empty again. Otherwise as
/// kith_json_read_entity.
KITH_API kith_result kith_json_read_world(kith_world *world, const char *text, size_t size,
                                          const kith_json_rules *rules);

#ifdef __cplusplus
}
#endif

#endif
