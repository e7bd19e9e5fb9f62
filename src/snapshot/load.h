// SPDX-License-Identifier: MIT
// Loading a snapshot: reads the chunks of a file, stages a whole state, and swaps it in at the end.
//
//     bytes      kith_source_chunk checks the checksums and unpacks            chunk.h
//     chunks     load.c reads WRLD, COMP, SLOT, LIVE and passes on the rest
//     schema     a COMP chunk says how values were saved; a migration          schema.h
//                converts them where this world saves them otherwise
//     staging    load_component.c and exact.c stage rows, values, groups,      staging.h
//                ticks, events; nothing in the world changes yet
//     swap       the staged state and the world's state change places
//
// The world changes in the last step only. After the first fault nothing more is read, `result`
// keeps that fault with the offset of its chunk, and the staging is freed.
#ifndef KITH_SNAPSHOT_LOAD_H
#define KITH_SNAPSHOT_LOAD_H

#include "snapshot/save.h"
#include "snapshot/schema.h"
#include "snapshot/staging.h"

// A file to be loaded.
typedef struct kith_load_source {
    kith_source file;
    kith_source whole; // when `file` holds chosen entities: the file they came from, which has the
                       // queries and systems; else empty
    bool exact;        // set by kith_load: whether the loaded state is exact
} kith_load_source;

// Loads all of the file or changes nothing; ignores the entity list of `desc`. The world is idle.
KITH_INTERNAL kith_result kith_load(kith_world *world, const kith_load_desc *desc,
                                    kith_load_source *from);

// A component of the file, and how much of it is read.
typedef struct kith_loaded_component {
    kith_storage   *storage;   // NULL: its chunks are skipped
    kith_migration *migration; // NULL: values are saved as in this world
    kith_form       form;      // of the values in the file
    uint32_t        rows;
    uint32_t        packed;
    uint32_t        rows_seen;
    uint32_t        values_seen;
    uint32_t       *holes; // newest first
    uint32_t        hole_count;
    uint64_t       *disabled;
    uint32_t        disabled_words;
} kith_loaded_component;

typedef struct kith_loader {
    kith_world            *world;
    const kith_load_desc  *desc;
    kith_source            file;
    kith_source            whole; // as in kith_load_source
    kith_chunk             chunk;
    kith_staging           staging;
    kith_loaded_component *components;
    uint32_t               component_count; // as the file says
    uint32_t               described;       // COMP chunks read so far
    const kith_storage    *latest;          // of these, the one that this world registered last
    uint32_t               slot_count;
    uint32_t               slots_seen;
    uint32_t               chunks;
    uint64_t               leaves;  // numbers in values that migrate
    bool                   begun;   // the WRLD chunk is read
    bool                   checked; // all slots are read and checked
    bool                   linked;  // all rows and flags are read and linked
    bool                   over;    // the ENDS chunk is read
    kith_result            result;
} kith_loader;

// --- failing ---------------------------------------------------------------------------------

// Record the first fault and return false. `name`, which may be NULL, is what the fault is about.
KITH_INTERNAL bool kith_load_fail(kith_loader *l, kith_error_code code, const char *what,
                                  const char *name);
KITH_INTERNAL bool kith_load_malformed(kith_loader *l, const char *what, const char *name);
KITH_INTERNAL bool kith_load_no_memory(kith_loader *l);

// Returns true when `fault`, the answer of a staging call, is NULL; otherwise records it.
KITH_INTERNAL bool kith_load_check(kith_loader *l, const char *fault, bool oom, const char *name);

// --- components and groups (load_component.c) ------------------------------------------------

// Whether the component is loaded. NULL: a component that this world does not have.
static inline bool kith_load_includes(const kith_load_desc *desc, const kith_storage *storage)
{
    return desc->components == NULL ||
           (storage != NULL &&
            kith_component_listed(desc->components, desc->component_count, storage->desc.id));
}

// Reads the rest of the current chunk, behind the component's number.
typedef bool (*kith_load_component_fn)(kith_loader *l, kith_loaded_component *loaded);

// Returns the reader of chunks with this tag, and the kinds of components that have such chunks,
// one bit each. NULL: the chunk does not belong to one component.
KITH_INTERNAL kith_load_component_fn kith_load_component_reader(uint32_t tag, uint32_t *kinds);

// Reads a GRUP chunk: the members of a group in their order. Skips a group that this world does not
// have or whose components are not all loaded.
KITH_INTERNAL bool kith_load_group(kith_loader *l);

// --- exact state (exact.c) -------------------------------------------------------------------
//
// A query, system or set that this world does not have is skipped: no caller can ask for it. Events
// of a queue that this world does not have are refused: they would be lost.

// Reads the rest of a STMP, TICK or JRNL chunk, behind the component's number.
KITH_INTERNAL bool kith_exact_read_storage(kith_loader *l, const kith_storage *storage);

// Reads a RSET, EVNT, QURY or SYST chunk. All rows are linked.
KITH_INTERNAL bool kith_exact_read(kith_loader *l);

// Returns false unless the file had stamps and ticks for all rows of all known components.
KITH_INTERNAL bool kith_exact_complete(kith_loader *l);

// --- worlds like another one (clone.c) -------------------------------------------------------

// Creates a world with the same setup and no entities. It reports no errors. Returns NULL when
// memory runs out.
KITH_INTERNAL kith_world *kith_world_empty_copy(const kith_world *world);

// Registers the components of `from`; hierarchies stay hierarchies.
KITH_INTERNAL bool kith_world_copy_components(kith_world *world, const kith_world *from);

#endif
