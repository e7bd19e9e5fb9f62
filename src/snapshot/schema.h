// SPDX-License-Identifier: MIT
// How a snapshot describes its components, and how values saved otherwise become this world's.
//
//     COMP chunk    number, name, kind, policy, form, unit, version, packed, rows, holes, sum |
//     table
//        |          kith_schema_read
//     kith_schema   the description that registering the component would take; structs are laid out
//        |          as a compiler would. Values saved through functions stay opaque bytes.
//        +--> the world has the component, saved in the same way: values are loaded as they are
//        +--> the world saves it otherwise: kith_migration converts each value
//        +--> the world lacks it: kith_world_register_unknown registers it (KITH_UNKNOWN_KEEP)
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
    kith_source         table; // the rest of the chunk
    kith_component_desc desc;  // name and fields are NULL until kith_schema_complete
    void               *memory;
    size_t              bytes;
    uint64_t            leaves; // numbers in one value; 0 until the table is read
} kith_schema;

// Reads a COMP chunk up to its table. Allocates nothing. Returns false when the chunk is too short
// or has an unknown kind, policy or form.
KITH_INTERNAL bool kith_schema_read(kith_schema *schema, kith_source *from);

// Whether the tables of a file may describe `leaves` numbers in sum. Few bytes can claim that a
// value has many: the bound is what one value may have, or the bytes that the file has left.
KITH_INTERNAL bool kith_schema_can_hold(const kith_source *file, uint64_t leaves);

// Completes the description: name, table and size of values. Returns NULL, or the fault as static
// text; `*oom` tells whether memory ran out. After NULL the schema must be released.
KITH_INTERNAL const char *kith_schema_complete(kith_schema *schema, const kith_allocator *memory,
                                               bool *oom);
KITH_INTERNAL void        kith_schema_free(kith_schema *schema, const kith_allocator *memory);

// Returns the storage of the component with that name, or NULL.
KITH_INTERNAL kith_storage *kith_world_storage_named(const kith_world *world, const char *name,
                                                     uint32_t length);

// Registers the components of a snapshot that the world does not have. On failure a part of them
// may be registered: the caller removes them.
KITH_INTERNAL kith_result kith_world_register_unknown(kith_world *world, const void *bytes,
                                                      size_t size);

// --- migration (migrate.c) -------------------------------------------------------------------
//
//     old    | hp: u16 | x: f32 | y: f32 | mood |            fields match by name, or by the older
//               |         |        |                         name in `was` of the new field
//     new    | x: f64 | y: f64 | health: u32 | armour |      armour keeps its constructed value
//
// A number may become a wider one that has all its values, an array or text a longer one. Numbers
// of an enum follow their names. All else needs the component's kith_upgrade function.

// Converts the elements of one field.
typedef struct kith_change_step {
    const kith_field *from;
    const kith_field *to;
    uint32_t          from_at; // offset in the old struct
    uint32_t          to_at;
} kith_change_step;

typedef struct kith_migration {
    kith_schema         old;
    kith_layout         layout; // of old values
    kith_change_step   *steps;
    uint32_t            step_count;
    const kith_upgrade *upgrade; // NULL: the steps are enough
    void               *value;   // room for one old value
} kith_migration;

// Finds the steps from values of `old`, which it copies and completes, to values of `desc`. `file`
// bounds the size of a value. Returns NULL, or the fault as static text; `*field` is the field it
// is about, or NULL, and `*oom` tells whether memory ran out. Release it in each case.
KITH_INTERNAL const char *kith_migration_make(kith_migration *migration, const kith_schema *old,
                                              const kith_component_desc *desc,
                                              const kith_source *file, const kith_allocator *memory,
                                              const char **field, bool *oom);
KITH_INTERNAL void kith_migration_free(kith_migration *migration, const kith_allocator *memory);

// Converts one saved value into the constructed `value`. Returns NULL, or the fault as static text.
KITH_INTERNAL const char *kith_migration_apply(const kith_migration *migration, void *value,
                                               const void *bytes, size_t size);

#endif
