// SPDX-License-Identifier: MIT
// A load on its way: the file, the state that is staged, and the first thing that is wrong.
#ifndef KITH_SNAPSHOT_LOAD_H
#define KITH_SNAPSHOT_LOAD_H

#include "snapshot/save.h"
#include "snapshot/schema.h"
#include "snapshot/staging.h"

// A component of the file, and what came of it so far.
typedef struct kith_loaded_component {
    kith_storage   *storage;   // NULL: it is left out
    kith_migration *migration; // NULL: the values are this world's
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
    kith_source            whole; // the file in which entities were not chosen yet, or nothing
    kith_chunk             chunk;
    kith_staging           staging;
    kith_loaded_component *parts;
    uint32_t               part_count; // said by the file
    uint32_t               described;  // came so far
    const kith_storage    *latest;     // of those, the one that was registered last here
    uint32_t               slot_count;
    uint32_t               slots_seen;
    uint32_t               chunks;
    uint64_t               leaves;  // numbers of values that migrate
    bool                   begun;   // the world's chunk was there
    bool                   checked; // all entities were there
    bool                   linked;  // all rows and flags were there
    bool                   over;
    kith_flaw              flaw; // what a reader found
    kith_result            result;
} kith_loader;

static inline const char *kith_loaded_name(const kith_loaded_component *part)
{
    return part->storage->desc.name;
}

// These note the first thing that is wrong, with the offset of the present chunk, and answer false:
// anything (`name` may be NULL), what makes no sense, a lack of memory, what a reader found.
KITH_INTERNAL bool kith_load_fail(kith_loader *l, kith_error_code code, const char *what,
                                  const char *name);
KITH_INTERNAL bool kith_load_malformed(kith_loader *l, const char *what);
KITH_INTERNAL bool kith_load_no_memory(kith_loader *l);
KITH_INTERNAL bool kith_load_fail_fault(kith_loader *l);

// What a staging says of hostile input, or that it had no memory; true if it says nothing.
KITH_INTERNAL bool kith_load_check(kith_loader *l, const kith_loaded_component *part,
                                   const char *fault, bool memory);

// --- load_list ------------------------------------------------------------
//
// Lists of entities out of the chunks of a file, into a staging: who has a flag, and the members of
// groups in their order.

// Read what is left of a chunk; false, with the flaw, if it cannot be. A group that this world does
// not have, or whose components are not all wanted, is passed over: nothing depends on it.
KITH_INTERNAL bool kith_list_flags(kith_staging *staging, const kith_storage *storage,
                                   kith_source *from, kith_flaw *flaw);
KITH_INTERNAL bool kith_list_members(kith_staging *staging, const kith_load_desc *desc,
                                     kith_source *from, kith_flaw *flaw);

// Whether the component is to be loaded; NULL: one that this world does not have.
static inline bool kith_load_includes(const kith_load_desc *desc, const kith_storage *storage)
{
    return desc->components == NULL ||
           (storage != NULL &&
            kith_component_listed(desc->components, desc->component_count, storage->desc.id));
}

// --- load_component ------------------------------------------------------------
//
// What a file has of one component: rows, holes, values, flags, a singleton, exact ticks.

// Reads what is left of the present chunk, behind the component's number.
typedef bool (*kith_load_component_fn)(kith_loader *l, kith_loaded_component *part);

// Who reads chunks with this tag, and of which kinds of components they are, a bit each; NULL: they
// are not of one component.
KITH_INTERNAL kith_load_component_fn kith_load_component_reader(uint32_t tag, uint32_t *kinds);

// --- load_exact ------------------------------------------------------------
//
// Exact state out of the chunks of a file, into a staging.
//
// What the file has and this world has not, a query, a system or a set, is passed over, since
// nobody can ask for it; events that would be lost are refused.

// Reads what follows the number of the component in a chunk of stamps, row ticks or of a journal.
// False, with the flaw, if it cannot be; so the others.
KITH_INTERNAL bool kith_exact_read_storage(kith_staging *staging, const kith_storage *storage,
                                           kith_chunk *chunk, kith_flaw *flaw);

// Reads a chunk of a set, of events, of a query or a system. All rows are linked.
KITH_INTERNAL bool kith_exact_read(kith_staging *staging, kith_chunk *chunk, kith_flaw *flaw);

// Whether stamps and ticks of all rows were there, but for components that were unknown.
KITH_INTERNAL bool kith_exact_complete(const kith_staging *staging, kith_flaw *flaw);

// Reads a value through functions into one that is constructed; NULL, or what is wrong.
KITH_INTERNAL const char *kith_source_blob(kith_source *source, const kith_saver *by, void *value);

// --- load ------------------------------------------------------------
//
// Loading a file that is in memory.

// A file to be loaded.
typedef struct kith_load_source {
    kith_source file;
    kith_source whole; // from which it was made by choosing entities, for the turns of queries and
                       // systems; or nothing
    bool exact;        // whether its state is, once it is loaded
} kith_load_source;

// Loads it, all or nothing, whatever the description says of entities. The world rests.
KITH_INTERNAL kith_result kith_load(kith_world *world, const kith_load_desc *desc,
                                    kith_load_source *from);

#endif
