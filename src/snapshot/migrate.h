// SPDX-License-Identifier: MIT
// Values of a snapshot whose table is not this world's: an old struct becomes a new one.
//
//     old    | hp: u16 | x: f32 | y: f32 | mood |            by name, or the name it had before
//               |         |        |                         (`was` of the new field)
//     new    | x: f64 | y: f64 | health: u32 | armour |      armour stays as constructed
//
// A number may become a wider one that has all its values, an array or text a longer one; numbers
// of an enum follow their names. For the rest there is the component's kith_upgrade.
#ifndef KITH_SNAPSHOT_MIGRATE_H
#define KITH_SNAPSHOT_MIGRATE_H

#include "snapshot/schema.h"

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

#endif
