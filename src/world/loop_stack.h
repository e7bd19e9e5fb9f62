// SPDX-License-Identifier: MIT
// The stack of open loops, holding the world, and settling it.
//
//     cursor --> ticket == serial?  yes: the block is valid, go on
//                                   no:  the loop was closed (another serial), or an entity of the
//                                        block changed
//
// A loop walks its places (rows of the lead, or entity indices) in blocks. Each open loop has one
// bit, by its depth, in the watch masks of the storages that its query names. A call that changes a
// component of an entity notifies the loops in the mask. If the entity's place is in the loop's
// present block, the loop loses its ticket and records the highest changed place. When that place
// is behind the cursor the block is still valid; otherwise the loop resolves the block again from
// the cursor on. Each block has its own serial; a loop that is not open has serial 0.
#ifndef KITH_WORLD_LOOP_STACK_H
#define KITH_WORLD_LOOP_STACK_H

#include "world/query_plan.h"

#define KITH_BLOCK_ROWS KITH_BLOCK_ROWS_

typedef struct kith_block       kith_block;
typedef struct kith_query_cache kith_query_cache;

// The loops of a stored query.
typedef struct kith_tally {
    uint32_t          open;
    uint64_t          latest; // the number of the newest loop
    kith_query_report report; // of that one
} kith_tally;

typedef struct kith_loop {
    uint64_t          ticket; // first: cursors point to it. Equals serial while the block is valid
    uint64_t          serial; // of the block; 0: not open
    const kith_plan  *plan;   // NULL: a hold
    kith_block       *block;
    kith_query_cache *cache;  // the cache of a stored query; NULL: a view
    kith_tally       *tally;  // of a stored query; NULL: a view
    uint64_t          number; // of the loop, to compare with tally->latest
    kith_query_report counts;
    const kith_group *group;  // the loop walks its members; NULL: all rows of the lead
    uint32_t          after;  // the latest linked entity that was examined, after the members
    uint32_t          lead;   // the term whose rows are walked; KITH_NO_TERM: the entity table
    uint32_t          row;    // the next place to examine
    uint32_t          end;    // of the places, as they were at begin
    uint32_t          fresh;  // with changed or added terms: the end of the new rows of the lead
    uint64_t          births; // entities with higher birth numbers were created later
    // the present block: places first .. last - 1, with `count` matching entities
    uint32_t first;
    uint32_t last;
    uint32_t count;
    bool     run;
    uint32_t changed;    // the highest changed place in the block, plus 1; 0: none
    uint32_t ahead;      // how many places to examine next
    uint32_t short_runs; // in a row
    uint32_t no_runs;    // blocks that skip the search for runs
    char     name[40];   // for messages, cut to fit: the caller's string may not live as long
} kith_loop;

// An event that is being announced.
typedef struct kith_frame {
    kith_entity         entity;
    const kith_storage *storage;    // is being removed; NULL: none
    kith_component      added;      // the component of an add event; 0: another event
    uint32_t            depth;      // of the loop stack when the newest listener was called
    bool                dying;      // the entity is being destroyed
    bool                over;       // the component was added again: skip the other listeners
    kith_signature     *unreported; // components whose add is still to be announced; NULL: none
} kith_frame;

// Opens a loop without a plan. Returns NULL, with an error, at the greatest depth.
KITH_INTERNAL kith_loop *kith_loop_open(kith_world *world, const char *name, const char *call);

// Closes the loop and all that were opened after it. Settles when the last loop closes.
KITH_INTERNAL void kith_loop_close(kith_world *world, kith_loop *loop);

// Returns true = go on: the loop may be closed. Otherwise the running listener did not open it, and
// an error is reported.
KITH_INTERNAL bool kith_loop_closable(kith_world *world, const kith_loop *loop, const char *call);

// Sets or clears the loop's bit in the watch masks of the storages that its plan names.
KITH_INTERNAL void kith_loop_watch(kith_world *world, const kith_loop *loop, bool on);

// Notifies the loops in `watch`, which is not 0, that an entity changes. Call it before the change.
KITH_INTERNAL void kith_loop_notify_watchers(kith_world *world, uint32_t watch, uint32_t index);

static inline void kith_loop_notify(kith_world *world, uint32_t watch, uint32_t index)
{
    if (watch != 0) {
        kith_loop_notify_watchers(world, watch, index);
    }
}

// --- holding and settling --------------------------------------------------------------------

// The error of a call that needs a world that is not held: names the open loop, or a listener.
KITH_INTERNAL kith_error kith_held_error(const kith_world *world, const char *call,
                                         kith_component component);

// Returns true = go on: rows may move, because no loop is open and no event is announced. Otherwise
// reports an error.
KITH_INTERNAL bool kith_require_movable(kith_world *world, const char *call,
                                        kith_component component);

// Returns true = go on: no hook, loop or event is active. Otherwise reports an error without
// recording it.
KITH_INTERNAL bool kith_require_idle(const kith_world *world, const char *call);

// Settles: destructs the values that were removed while the world was held, and closes the holes of
// swap pools. `held` must be 0.
KITH_INTERNAL void kith_world_settle_all(kith_world *world);

// Removes a component that the entity at `index` has. The value is destructed at once, or when the
// world settles.
KITH_INTERNAL void kith_world_detach(kith_world *world, kith_storage *storage, uint32_t index);

// The same while the world is held, for callers that clear the signature bit and notify loops.
KITH_INTERNAL void kith_world_remove_later(kith_world *world, kith_storage *storage,
                                           uint32_t index);

// Removes a singleton's value while the world is held; settling destructs it.
KITH_INTERNAL void kith_world_remove_single_later(kith_world *world, kith_storage *storage);

#endif
