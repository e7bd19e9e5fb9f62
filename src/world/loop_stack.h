// SPDX-License-Identifier: MIT
// The stack of open loops, and what a change means for them.
//
//     loops[0]  outer loop                    serial: number of its present block; 0: not open
//     loops[1]    a loop in its body          ticket: the serial, or 0 after a change in the block
//     loops[2]      a hold: no plan
//
// A cursor keeps the serial of its block and a pointer to the ticket. While both are equal, it
// takes the next entity of the block without a check. Closing a loop sets both to 0.
//
// An open loop has a bit, 1 << depth, in the storages of its query: in `drop_watch`, and for terms
// outside the section of pools in `add_watch`. A change of an entity works like this:
//
//     add or remove a component --> bits of its storage --> each loop: is the entity's place in the
//     present block? Then ticket = 0, and `changed_end` keeps the highest such place + 1.
//
// The cursor then goes to the slow path. Changes behind it do not matter; otherwise it finds the
// rest of the block again. query/cursor.c does that.
#pragma once

#include "world/query_plan.h"

#define KITH_BLOCK_ROWS KITH_BLOCK_ROWS_

typedef struct kith_block       kith_block;
typedef struct kith_query_cache kith_query_cache;

// The loops of a stored query, for its report.
typedef struct kith_loop_stats {
    uint32_t          open;
    uint64_t          latest; // number of the newest loop
    kith_query_report report; // of that loop
} kith_loop_stats;

typedef struct kith_loop {
    uint64_t          ticket; // first: cursors point to it. The serial, or 0 after a change
    uint64_t          serial; // of the block; 0: not open
    const kith_plan  *plan;   // NULL: a hold
    kith_block       *block;  // kept for the next loop of this depth; NULL: none yet
    const kith_group *group;  // the loop walks its members; NULL: all rows of the lead
    // 0 when the loop opens, up to `lead`; all other members keep what an older loop left there,
    // until begin or the first block writes them
    kith_query_cache *cache; // of a stored query; NULL: none
    kith_loop_stats  *stats; // of a stored query; NULL: a view
    uint32_t          place; // the next place to examine
    // the present block: `count` entities among places block_first .. block_end - 1
    uint32_t          block_first;
    uint32_t          block_end;
    uint32_t          count;
    uint32_t          changed_end; // the highest changed place in the block, plus 1; 0: none
    uint32_t          short_runs;  // in a row
    uint32_t          no_runs;     // blocks for which the loop does not try runs
    bool              run;         // a run; otherwise gathered
    bool              window;      // gathered, and in one page of each pool
    bool              picks;   // many entities lacked a component: signatures are looked at first
    uint32_t          lead;    // the term with the rows to walk; KITH_NO_TERM: the entity table
    uint32_t          end;     // of the places, as they were at begin
    uint32_t          new_end; // of a plan that asks for changes: end of the lead's new rows
    uint32_t          last_joined; // the last entity examined that joined or left while held
    uint32_t          ahead;       // how many places to examine next
    uint32_t          bit;         // 1 << its depth
    uint64_t          births;      // entities with higher birth numbers are newer than the loop
    const char       *name;        // for messages; of an untyped view a copy, cut if too long
    uint64_t          number;      // of the loop: its first serial
    size_t            block_bytes;
    kith_query_report counts; // of a stored query since it began, of a view of any time
    char              copied_name[48];
} kith_loop;

// An event while it is announced.
typedef struct kith_frame {
    kith_entity     entity;
    const void     *removed;    // the storage of the component; the world: the entity is destroyed
    kith_component  added;      // the component that listeners learn of; 0: another event
    uint32_t        depth;      // of the loop stack when the newest listener was called
    bool            over;       // the component was added again: other listeners get that event
    kith_signature *unreported; // components of the entity without an event yet; NULL: none
} kith_frame;

// Frees the block of a loop that is not open. The second function frees those of all depths, the
// third returns their bytes.
void   kith_loop_free_block(kith_world *world, kith_loop *loop);
void   kith_world_free_blocks(kith_world *world);
size_t kith_world_block_bytes(const kith_world *world);

// Whether one more loop may be open; reports an error at the greatest depth.
bool kith_require_depth(kith_world *world, const char *call);

// Closes the loop, which is open, and all newer ones; settles the world if none is left.
void kith_loop_close(kith_world *world, kith_loop *loop);

// Whether the loop is newer than the running listener, if there is one; reports an error when not.
bool kith_require_closable(kith_world *world, const kith_loop *loop, const char *call);

// Sets or clears the loop's bit in the storages of its plan that are no pools.
void kith_loop_watch_others(kith_world *world, const kith_loop *loop, bool on);

// Invalidates the blocks of the loops in `watch` that show the entity. Its row in the pool of the
// lead must still exist.
void kith_loop_invalidate(kith_world *world, uint32_t watch, uint32_t index);

// The same for a `watch` that is mostly 0.
static inline void kith_loop_notify(kith_world *world, uint32_t watch, uint32_t index)
{
    if (watch != 0) {
        kith_loop_invalidate(world, watch, index);
    }
}

// --- while the world is held -----------------------------------------------------------------

// The error for a call that the open loop, or else the running listener, forbids.
kith_error kith_world_held_error(const kith_world *world, const char *call,
                                 kith_component component);

// Whether rows may move: no loop is open, no event is announced. Reports an error when they may
// not.
bool kith_require_movable(kith_world *world, const char *call, kith_component component);

// Both: no hook runs, no loop is open and no event is announced.
bool kith_require_at_rest(kith_world *world, const char *call);

// Whether no hook runs, no loop is open and no event is announced. Otherwise calls the error hook
// and records nothing.
bool kith_require_at_rest_const(const kith_world *world, const char *call);

// Settles: destroys the values that were removed while held, and closes the holes of swap pools.
// The world is no longer held.
void kith_world_settle_all(kith_world *world);

// Removes a component of the entity at `index`. The value goes at once or, if the world is held,
// when it settles. Returns true.
bool kith_component_detach(kith_world *world, kith_storage *storage, uint32_t index);

// The same for the row alone, while the world is held: the caller clears the signature bit and
// notifies loops.
void kith_world_remove_later(kith_world *world, kith_storage *storage, uint32_t index);

// Removes the value of a singleton, which goes when the world settles. The world is held.
void kith_world_remove_single_later(kith_world *world, kith_storage *storage);
