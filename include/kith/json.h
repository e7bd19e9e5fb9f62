// SPDX-License-Identifier: MIT
// Entities and worlds as JSON, through the tables of fields. Include it beside kith.h.
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
// docs/json.md has the shapes. Every value comes back bit for bit, padding aside. What JSON does
// not carry is how a world stores it: the order of rows and of free handles, ticks, groups.
// ---------------------------------------------------------------------------------------------

/// Writes a living entity as one object, without a line break. `write` gets the text piece by
/// piece, not 0-terminated. False and an error, told and not recorded, for a dead entity, for a
/// value of which nobody said how it is saved (KITH_ERROR_UNSAVED; both before anything is
/// written), when `write` answers false or a function that saves values nonsense, and without
/// memory, which only values of more than 256 bytes that functions save take, from the world's
/// allocator. O(text).
KITH_API bool kith_json_write_entity(const kith_world *world, kith_entity entity,
                                     kith_write_fn write, void *context);

/// Writes all entities, by ascending index and one a line, and all singletons. Errors as above.
KITH_API bool kith_json_write_world(const kith_world *world, kith_write_fn write, void *context);

/// How to read. All zero: strictly.
typedef struct kith_json_rules {
    bool skip_unknown; // what the world does not know is passed over: components, fields, keys
} kith_json_rules;

/// Makes the entity that the text describes, with the handle that it had if that is free, otherwise
/// or if it says none with a fresh one; handles in its values that mean itself are the new one
/// then, others stay as they are. `entity` (if not NULL) gets it, or KITH_NULL when there is none:
/// after an error, or because a listener ended it. The whole text is looked at before anything is
/// made. Where making fails later, for memory, a limit or a hook, the entity is destroyed again.
/// A node of a hierarchy is read without its links. Fields that the text leaves out are 0. `rules`
/// may be NULL. Errors are returned, recorded and told. O(text), and O(registered) for each
/// component that is not in registration order.
KITH_API kith_result kith_json_read_entity(kith_world *world, const char *text, size_t size,
                                           const kith_json_rules *rules, kith_entity *entity);

/// Fills an empty world: one without entities, and without singletons but transient ones. Each
/// entity gets its handle where the world can give it: not where a newer version was issued, and
/// not beyond the world's limits or 2^20 beyond its table. Others get fresh ones, and handles in
/// values follow; handles of no entity of the text stay as they are. Links
/// of a hierarchy that do not agree are an error. After an error the world is empty again. Not
/// while a loop is open, from a hook or a listener. The rest as for one entity.
KITH_API kith_result kith_json_read_world(kith_world *world, const char *text, size_t size,
                                          const kith_json_rules *rules);

#ifdef __cplusplus
}
#endif

#endif
