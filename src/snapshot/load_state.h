// SPDX-License-Identifier: MIT
// A load on its way: the file, the state that is staged, and the first thing that is wrong.
#ifndef KITH_SNAPSHOT_LOAD_STATE_H
#define KITH_SNAPSHOT_LOAD_STATE_H

#include "snapshot/migrate.h"
#include "snapshot/save.h"
#include "snapshot/staging.h"

// A component of the file, and what came of it so far.
typedef struct kith_loaded_part {
    kith_column    *column;    // NULL: it is left out
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
} kith_loaded_part;

typedef struct kith_loading {
    kith_world           *world;
    const kith_load_desc *desc;
    kith_source           file;
    kith_source           whole; // the file in which entities were not chosen yet, or nothing
    kith_chunk            chunk;
    kith_stage            stage;
    kith_loaded_part     *parts;
    uint32_t              part_count; // said by the file
    uint32_t              described;  // came so far
    const kith_column    *latest;     // of those, the one that was registered last here
    uint32_t              slot_count;
    uint32_t              slots_seen;
    uint32_t              chunks;
    uint64_t              leaves;  // numbers of values that migrate
    bool                  begun;   // the world's chunk was there
    bool                  checked; // all entities were there
    bool                  linked;  // all rows and flags were there
    bool                  over;
    kith_flaw             flaw; // what a reader found
    kith_result           result;
} kith_loading;

static inline const char *kith_part_name(const kith_loaded_part *part)
{
    return part->column->desc.name;
}

// These note the first thing that is wrong, with the offset of the present chunk, and answer false:
// anything (`name` may be NULL), what makes no sense, a lack of memory, what a reader found.
KITH_INTERNAL bool kith_loading_spoil(kith_loading *l, kith_error_code code, const char *what,
                                      const char *name);
KITH_INTERNAL bool kith_loading_nonsense(kith_loading *l, const char *what);
KITH_INTERNAL bool kith_loading_lacks(kith_loading *l);
KITH_INTERNAL bool kith_loading_flawed(kith_loading *l);

// What a stage says of hostile input, or that it had no memory; true if it says nothing.
KITH_INTERNAL bool kith_loading_staged(kith_loading *l, const kith_loaded_part *part,
                                       const char *fault, bool memory);

#endif
