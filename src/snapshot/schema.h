// SPDX-License-Identifier: MIT
// A component as a snapshot describes it, without the program that wrote it.
//
//     COMP    number, name, kind, policy, form, unit, version, packed, rows, holes, sum | table
//     desc    what registering it would take; structs as a compiler would lay them out
//
// Values saved through functions are bytes that nobody here understands: see opaque.h.
#ifndef KITH_SNAPSHOT_SCHEMA_H
#define KITH_SNAPSHOT_SCHEMA_H

#include "base/alloc.h"
#include "snapshot/chunk.h"

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
KITH_INTERNAL bool kith_schema_may_have(const kith_source *file, uint64_t leaves);

// Completes the description: its name, its table and the size of its values; NULL, or what is wrong
// with it, static text, or that there is no memory. Then it must be released.
KITH_INTERNAL const char *kith_schema_complete(kith_schema *schema, const kith_allocator *memory,
                                               bool *no_memory);
KITH_INTERNAL void        kith_schema_release(kith_schema *schema, const kith_allocator *memory);

#endif
