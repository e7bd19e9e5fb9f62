// SPDX-License-Identifier: MIT
// Loading a snapshot: reads the chunks of a file, stages a whole state, and swaps it in at the end.
//
//     bytes      kith_reader_chunk checks the checksums and unpacks              chunk.h
//     chunks     load.c reads WRLD and COMP and passes on the rest
//     schema     a COMP chunk says how values were saved; a migration            schema.h
//                converts them where this world saves them otherwise
//     staging    staging.c, staging_rows.c and exact.c stage entities,
//                rows, values, groups, ticks, events: nothing in the world
//                changes yet
//     ready      allocates what is still missing: after it nothing can fail
//     swap       the staged state and the world's state change places
//
// One kith_loader goes through all of it. The world changes in the last step only; if links of a
// hierarchy turn out to be invalid after it, a second swap undoes it. Input is not trusted: each
// function checks what it reads. A function that fails records the fault in `reader` and returns
// false. After that nothing more is read, and the staged state is freed.
//
//     world     storages, groups, sets, queries   <-- kith_staging_swap -->   loader
//               (their addresses stay)                (the contents change places)
//
// After the swap the caches of stored queries are empty and no listener is notified. Unless the
// file has them: every page and row is written at the present tick, journals record that all old
// rows were removed, sets that keep the dead keep their members, other sets are empty, all rows are
// new to queries and systems, and the queued events of the world stay. Reserved capacity is lost,
// except for singletons and disable bits.
#pragma once

#include "event/event.h"
#include "snapshot/save.h"
#include "snapshot/schema.h"
#include "system/system.h"
#include "world/membership.h"

// A file to be loaded.
typedef struct kith_load_source {
    kith_source file;
    kith_source whole; // when `file` holds chosen entities: the file they came from, which has the
                       // queries and systems; else empty
    bool exact;        // set by kith_load: whether the loaded state is exact
} kith_load_source;

// Loads all of the file or changes nothing; ignores the entity list of `desc`. The world is idle.
// Returns whether it is loaded; `*result` is the fault, or may have a note.
bool kith_load(kith_world *world, const kith_load_desc *desc, kith_load_source *from,
               kith_result *result);

// --- the staged state ------------------------------------------------------------------------
//
// One struct for each component, group, set, query, system and queue of the world, in the world's
// order. `given`: the file had its state.

typedef struct kith_staged_component {
    kith_storage   *storage;
    kith_pool       pool;
    void           *single;    // the value of a singleton
    kith_migration *migration; // NULL: values are saved as in this world
    kith_form       form;      // of the values in the file
    uint32_t        rows;      // in the file; `pool` has those that are read
    uint32_t        packed;    // bytes of a value in the file
    uint32_t        holes;     // rows without an entity among those that are read
    uint32_t        built;  // rows 0 to built - 1 have values, holes apart; or 1: the singleton has
    uint32_t        parked; // the same for the world's state
    uint32_t        stamped; // pages whose stamps, and rows whose ticks, the file had
    uint32_t        ticked;
} kith_staged_component;

typedef struct kith_staged_group {
    kith_group *group;
    kith_pool   index;
    uint32_t    members;
    uint32_t    count;
    uint32_t    ordered; // members whose order the file had; KITH_NO_ROW: no order
} kith_staged_group;

// A reactive set, queue, query or system.
typedef struct kith_staged_other {
    uint32_t    tag;  // of its chunks: says which of the pointers is valid
    const char *name; // NULL: none
    bool        given;
    bool        requested; // the system
    bool        enabled;   // the system
    union {
        void          *object;
        kith_reactive *set;
        kith_queue    *queue;
        kith_query    *query;
        kith_system   *system;
    };
    uint64_t        since;   // set, query; the tick of a system
    double          waited;  // system
    kith_entity_set members; // set
    kith_buffer     waiting; // queue
} kith_staged_other;

typedef struct kith_loader {
    kith_reader             reader; // the file, the current chunk, the first fault
    kith_world             *world;
    const kith_allocator   *memory; // the world's
    const kith_load_desc   *desc;
    kith_source             whole;           // as in kith_load_source
    kith_staged_component **components;      // by number in the file; NULL: its chunks are skipped
    uint32_t                component_count; // as the file says
    uint32_t                described;       // COMP chunks read so far
    const kith_storage     *latest;          // of these, the one that this world registered last
    uint32_t                slots_seen;
    bool                    checked; // all slots are read and checked
    bool                    linked;  // all rows and flags are read

    kith_entity_table      entities;
    kith_staged_component *storages; // by registration; one allocation with all others
    kith_staged_group     *groups;
    kith_staged_other     *others;
    kith_staged_other      dropped; // takes what list_others writes while it counts
    kith_object           *objects; // new ones with the state of the file, a list by next_
    uint32_t               storage_count;
    uint32_t               group_count;
    uint32_t               other_count;
    uint32_t               disabled; // rows
    uint64_t               tick;
    bool                   exact; // the file has page stamps, row ticks and events
} kith_loader;

// Makes an empty staged state. Returns false when memory runs out; then there is nothing to end.
// The world must not change or be held between begin and swap.
bool kith_staging_begin(kith_loader *l, kith_world *world);

// Allocates all memory that is still needed, and moves the rows that groups own to the front. All
// chunks are read.
bool kith_staging_ready(kith_loader *l);

// Swaps the world's state and the staged one, and empties the caches of stored queries. A second
// call swaps them back.
void kith_staging_swap(kith_loader *l);

// Exchanges `size` bytes.
void kith_swap_memory(void *a, void *b, size_t size);

// Destructs and frees what the loader holds now.
void kith_staging_end(kith_loader *l);

// Sets the order of the members of a group that owns no pool: reads `count` indices. All rows are
// linked and all flags set. Without this call the order is that of a group created now.
bool kith_staging_order(kith_loader *l, kith_staged_group *target, uint32_t count);

// Signatures are written once and late: while `page->bare`, `page->common` stands for the signature
// of every entity of the page. Call this before a single signature is read or changed.
void kith_staging_write_signatures(kith_entity_page *page);

// --- entities and rows (staging_rows.c) ------------------------------------------------------
//
// The readers take the rest of the current chunk, behind the component's number.

// Sets the counts of the entity table.
bool kith_load_counts(kith_loader *l, const kith_world_facts *facts);

// Reads a SLOT or LIVE chunk; checks all slots against the counts, once, in O(slots).
bool kith_load_slots(kith_loader *l);
bool kith_load_check_slots(kith_loader *l);

// Read rows and link them to their entities. Slots are checked.
bool kith_load_rows(kith_loader *l, kith_staged_component *target);
bool kith_load_run(kith_loader *l, kith_staged_component *target);

// Read the holes, newest first, and the disabled rows. All rows are read.
bool kith_load_holes(kith_loader *l, kith_staged_component *target);
bool kith_load_disabled(kith_loader *l, kith_staged_component *target);

// Reads the length of a list of indices that is the rest of the chunk; reads the entities of a
// flag.
bool kith_load_list(kith_loader *l, uint32_t *count);
bool kith_load_flags(kith_loader *l, kith_staged_component *target);

// Read values of rows, all of which are read, and the value of a singleton.
bool kith_load_values(kith_loader *l, kith_staged_component *target);
bool kith_load_single(kith_loader *l, kith_staged_component *target);

// --- components and groups (load.c) ----------------------------------------------------------

// Checks that the file had all rows, holes and values of the component.
bool kith_load_check_component(kith_loader *l, const kith_staged_component *target);

// Returns what is wrong with the links of a component whose values are read, or NULL. Numbers the
// arrivals of its holders.
const char *kith_load_links(const kith_world *world, kith_storage *storage);

// --- exact state (exact.c) -------------------------------------------------------------------
//
// A query, system or set that this world does not have is skipped: no caller can ask for it. Events
// of a queue that this world does not have are refused: they would be lost.

// Read the rest of a STMP, TICK or JRNL chunk, behind the component's number.
bool kith_exact_read_stamps(kith_loader *l, kith_staged_component *target);
bool kith_exact_read_ticks(kith_loader *l, kith_staged_component *target);
bool kith_exact_read_journal(kith_loader *l, kith_staged_component *target);

// Reads a RSET, EVNT, QURY or SYST chunk. All rows are linked.
bool kith_exact_read(kith_loader *l);

// Returns false unless the file had stamps and ticks for all rows of all known components.
bool kith_exact_complete(kith_loader *l);

// --- worlds like another one (clone.c) -------------------------------------------------------

// Creates a world with the same setup and no entities. It reports no errors. Returns NULL when
// memory runs out.
kith_world *kith_world_empty_copy(const kith_world *world);

// Whether all values, or those that are saved, can be copied; fills `error` if not.
bool kith_world_copyable(const kith_world *world, bool only_saved, const char *call,
                         kith_error *error);

// Registers the components of `from`; hierarchies stay hierarchies.
bool kith_world_copy_components(kith_world *world, const kith_world *from);

// --- objects of the program (object_state.c) -------------------------------------------------

// Reads an OBJT chunk into a new object. `swap` exchanges the state of these objects and the
// world's, `settle` deals with objects that the file or the world lacks, `end` destroys what is
// left of the new objects.
bool kith_load_object(kith_loader *l);
void kith_load_swap_objects(kith_loader *l);
void kith_load_settle_objects(kith_loader *l);
void kith_load_end_objects(kith_loader *l);

// Creates the program's objects of `from`, with their state, in a world that has none. Returns
// false, with the error, when one of them refuses.
bool kith_world_copy_objects(kith_world *world, const kith_world *from, kith_error *error);
