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
#pragma once

#include "snapshot/chunk.h"
#include "world/world.h"

// What a WRLD chunk says about the world: its settings, counts and free list. The chunk is these
// numbers, in this order.
typedef struct kith_world_facts {
    uint32_t components;
    uint32_t slots;
    uint32_t free;
    uint32_t retired;
    uint32_t head; // of the free list; KITH_SLOT_END: it is empty
    uint32_t tail;
    uint32_t first_index;
    uint32_t version_last;
    uint32_t order;
    uint32_t queued;
    uint32_t exact;
    uint64_t tick;
} kith_world_facts;

#define KITH_WORLD_NUMBERS (offsetof(kith_world_facts, exact) / sizeof(uint32_t) + 1) // before tick

// Reads the head of a file and its first chunk, which is WRLD.
bool kith_world_facts_read(kith_world_facts *facts, kith_reader *in);

// The numbers behind the name in a COMP chunk, in this order.
typedef struct kith_schema_numbers {
    uint32_t id; // another program may choose another one
    uint32_t kind;
    uint32_t policy;
    uint32_t form;
    uint32_t unit;
    uint32_t version;
    uint32_t packed;
    uint32_t rows;
    uint32_t holes;
} kith_schema_numbers;

#define KITH_SCHEMA_NUMBERS (sizeof(kith_schema_numbers) / sizeof(uint32_t))

typedef struct kith_schema {
    const char         *name; // in the snapshot, without a 0 at its end
    uint32_t            length;
    uint32_t            number;
    uint32_t            packed;
    uint32_t            rows;
    uint64_t            sum;
    kith_source         table; // the rest of the chunk
    kith_component_desc desc;  // name and fields are NULL until kith_schema_complete
    void               *memory;
    size_t              bytes;
} kith_schema;

// Reads a COMP chunk up to its table. Allocates nothing.
bool kith_schema_read(kith_schema *schema, kith_reader *in);

// Completes the description: name, table and size of values. A fault is recorded with `code`. After
// true the schema must be freed.
bool kith_schema_complete(kith_schema *schema, kith_reader *in, const kith_allocator *memory,
                          kith_error_code code);
void kith_schema_free(kith_schema *schema, const kith_allocator *memory);

// Registers the components of a snapshot that the world does not have. On failure a part of them
// may be registered: the caller removes them.
bool kith_world_register_unknown(kith_world *world, kith_source file, kith_result *result);

// --- migration (migrate.c)
// -------------------------------------------------------------------------------
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
    kith_reader        *reader; // records faults; is about the component
    kith_schema         old;
    kith_layout         layout; // of old values
    kith_change_step   *steps;
    uint32_t            step_count;
    const kith_upgrade *upgrade; // NULL: the steps are enough
    void               *value;   // room for one old value
} kith_migration;

// Finds the steps from values of `old`, which it copies and completes, to values of `desc`. Returns
// NULL after a fault.
kith_migration *kith_migration_create(const kith_schema *old, const kith_component_desc *desc,
                                      kith_reader *in, const kith_allocator *memory);
void            kith_migration_destroy(kith_migration *migration, const kith_allocator *memory);

// Converts one saved value into the constructed `value`.
bool kith_migration_apply(const kith_migration *migration, void *value, const void *bytes,
                          size_t size);
