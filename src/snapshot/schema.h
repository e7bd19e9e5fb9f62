// SPDX-License-Identifier: MIT
// A component as a snapshot describes it, without the program that wrote it.
//
//     COMP    number, name, kind, policy, form, unit, version, packed, rows, holes, sum | table
//     desc    what registering it would take; structs as a compiler would lay them out
//
// Values saved through functions are bytes that nobody here understands: see opaque.h.
#ifndef KITH_SNAPSHOT_SCHEMA_H
#define KITH_SNAPSHOT_SCHEMA_H

#include "snapshot/chunk.h"
#include "world/world.h"

typedef struct kith_schema {
    const char         *name; // in the snapshot, without a 0 at its end
    uint32_t            length;
    uint32_t            number;
    uint32_t            packed;
    uint32_t            rows;
    uint32_t            holes;
    uint64_t            sum;
    kith_source         table; // what is behind all that
    kith_component_desc desc;  // without its name, and without its table until that is read
    void               *memory;
    size_t              bytes;
    uint64_t            leaves; // numbers of a value, once its table is read
} kith_schema;

// Reads a COMP chunk but for the table; false when there is not enough, or no such kind, policy or
// form. Takes no memory.
KITH_INTERNAL bool kith_schema_read(kith_schema *schema, kith_source *from);

// Whether a file may describe so many numbers, in tables of all its components. Few bytes can say
// that a value has many: all together at most as many as one may have, or as the file has values.
KITH_INTERNAL bool kith_schema_can_hold(const kith_source *file, uint64_t leaves);

// Completes the description: its name, its table and the size of its values; NULL, or what is wrong
// with it, static text, or that there is no memory. Then it must be released.
KITH_INTERNAL const char *kith_schema_complete(kith_schema *schema, const kith_allocator *memory,
                                               bool *no_memory);
KITH_INTERNAL void        kith_schema_release(kith_schema *schema, const kith_allocator *memory);

// --- migrate ------------------------------------------------------------
//
// Values of a snapshot whose table is not this world's: an old struct becomes a new one.
//
//     old    | hp: u16 | x: f32 | y: f32 | mood |            by name, or the name it had before
//               |         |        |                         (`was` of the new field)
//     new    | x: f64 | y: f64 | health: u32 | armour |      armour stays as constructed
//
// A number may become a wider one that has all its values, an array or text a longer one; numbers
// of an enum follow their names. For the rest there is the component's kith_upgrade.

// Elements of one field, all converted in the same way.
typedef struct kith_change_step {
    const kith_field *from;
    const kith_field *to;
    uint32_t          from_at; // in the old struct
    uint32_t          to_at;
} kith_change_step;

typedef struct kith_migration {
    kith_schema         old;
    kith_layout         layout; // of old values
    kith_change_step   *steps;
    uint32_t            step_count;
    const kith_upgrade *upgrade; // NULL: tables are all it takes
    void               *value;   // room for an old one
} kith_migration;

// Finds the way from the values of `old`, which it completes and keeps, to those of `desc`, for
// values in what is left of the file. NULL,
// or why there is none, with the field of which that speaks in `*field`, or NULL, or that there is
// no memory. It must be released in each case.
KITH_INTERNAL const char *kith_migration_make(kith_migration *migration, const kith_schema *old,
                                              const kith_component_desc *desc,
                                              const kith_source *file, const kith_allocator *memory,
                                              const char **field, bool *no_memory);
KITH_INTERNAL void kith_migration_release(kith_migration *migration, const kith_allocator *memory);

// Gives a constructed value what a packed one says, or what functions wrote; NULL, or what is wrong
// with it, static text.
KITH_INTERNAL const char *kith_migration_apply(const kith_migration *migration, void *value,
                                               const void *bytes, size_t size);

// --- unknown_component ------------------------------------------------------------
//
// What a snapshot says of the world for which it was made: taken over by one that knows less.

// Registers the components of a snapshot that the world does not have. On failure some may be
// registered: who calls drops them.
KITH_INTERNAL kith_result kith_world_register_unknown(kith_world *world, const void *bytes,
                                                      size_t size);

// The storage whose name the snapshot has, or NULL.
KITH_INTERNAL kith_storage *kith_world_storage_named(const kith_world *world, const char *name,
                                                     uint32_t length);

#endif
