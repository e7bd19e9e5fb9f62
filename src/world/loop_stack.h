// SPDX-License-Identifier: MIT
// The stack of open loops.
//
//     cursor --> ticket == serial?  yes: the block stands, go on
//                                   no:  closed by someone (serial gone), or something that the
//                                        block shows has changed
//
// Each open loop has a bit, by its depth, in the columns that its query names. Whoever changes a
// component of an entity asks those bits which loops must hear of it; such a loop loses its ticket
// if the entity's place is in its present block, and remembers the highest such place. When that is
// behind the cursor the block still stands, otherwise it is resolved anew from the cursor on. Each
// block has a serial of its own; a loop that is not open has 0.
#ifndef KITH_WORLD_LOOP_STACK_H
#define KITH_WORLD_LOOP_STACK_H

#include "world/query_plan.h"

#define KITH_BLOCK_ROWS KITH_BLOCK_ROWS_

typedef struct kith_block       kith_block;
typedef struct kith_query_cache kith_query_cache;

// The loops of a stored query.
typedef struct kith_tally {
    uint32_t          open;
    uint64_t          latest; // the number of the loop that was begun last
    kith_query_report report; // of that one
} kith_tally;

typedef struct kith_loop {
    uint64_t          ticket; // first: cursors point to it. The serial while the block stands
    uint64_t          serial; // of the block; 0: not open
    const kith_plan  *plan;   // NULL: a hold
    kith_block       *block;
    kith_query_cache *cache;  // what a stored query remembers; NULL: a view
    kith_tally       *tally;  // of a stored query; NULL: a view
    uint64_t          number; // of the loop, as the tally knows it
    kith_query_report counts;
    const kith_group *group; // whose members are walked; NULL: all rows of the lead are
    uint32_t          after; // the newest joiner that was looked at, behind the members
    uint32_t          lead;  // the term whose rows are walked; KITH_NO_TERM: the entity table
    uint32_t          row;   // the next place to look at
    uint32_t          end;   // of the places, as they were at begin
    uint32_t          fresh; // of a plan that asks for changes: the end of the new rows of the lead
    uint64_t          births; // entities with higher numbers came later
    // the present block: places first .. last - 1 were examined, `count` entities found
    uint32_t first;
    uint32_t last;
    uint32_t count;
    bool     run;
    uint32_t changed;    // the highest changed place in the block, plus 1; 0: none
    uint32_t ahead;      // how many places to examine next
    uint32_t short_runs; // in a row
    uint32_t no_runs;    // blocks for which runs are not tried
    char     name[40];   // for messages, cut if need be: the caller's may not live as long
} kith_loop;

// What an event is about, while it is announced.
typedef struct kith_frame {
    kith_entity         entity;
    const kith_storage *storage; // that is leaving; NULL: none
    kith_component      added;   // what the listeners are told of; 0: something else
    uint32_t            depth;   // of the loop stack when the newest listener was called
    bool                dying;   // the entity is
    bool                over;    // it was added once more meanwhile: the rest hear of that
    kith_signature *unreported;  // what the entity got and nobody has been told of; NULL: nothing
} kith_frame;

// Opens a loop, without a plan yet; NULL and an error at the greatest depth.
KITH_INTERNAL kith_loop *kith_loop_open(kith_world *world, const char *name, const char *call);

// Closes the loop and those opened after it, and settles if it was the last.
KITH_INTERNAL void kith_loop_close(kith_world *world, kith_loop *loop);

// Whether the loop may be closed now: not one from before the listener that is running.
KITH_INTERNAL bool kith_loop_closable(kith_world *world, const kith_loop *loop, const char *call);

// Makes the loop hear of changes that concern its plan, or no longer.
KITH_INTERNAL void kith_loop_watch(kith_world *world, const kith_loop *loop, bool on);

// Tells the loops in `watch`, which are some, that an entity changes. Comes before the change.
KITH_INTERNAL void kith_loop_notify_watchers(kith_world *world, uint32_t watch, uint32_t index);

static inline void kith_loop_notify(kith_world *world, uint32_t watch, uint32_t index)
{
    if (watch != 0) {
        kith_loop_notify_watchers(world, watch, index);
    }
}

// --- while nothing moves ---------------------------------------------------------------------

// The error that a loop is open, or else that a listener runs.
KITH_INTERNAL kith_error kith_held_error(const kith_world *world, const char *call,
                                         kith_component component);

// An error if a loop is open or an event is announced: for calls that move rows.
KITH_INTERNAL bool kith_require_movable(kith_world *world, const char *call,
                                        kith_component component);

// Whether nothing is under way: no hook, no loop, no event; if something is, an error that is told
// and not recorded.
KITH_INTERNAL bool kith_require_idle(const kith_world *world, const char *call);

// Settles: ends the values that were left and closes the holes of swap pools. Nobody holds the
// world.
KITH_INTERNAL void kith_world_settle_all(kith_world *world);

// Takes a component that it has from the entity at `index`: the value goes at once, or when the
// world settles.
KITH_INTERNAL void kith_world_detach(kith_world *world, kith_storage *storage, uint32_t index);

// The same without the signature's bit, while the world is held; loops have been told.
KITH_INTERNAL void kith_world_remove_later(kith_world *world, kith_storage *storage,
                                           uint32_t index);

// Takes a singleton's value away, until the world settles. It is held.
KITH_INTERNAL void kith_world_remove_single_later(kith_world *world, kith_storage *storage);

#endif
