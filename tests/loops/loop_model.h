// SPDX-License-Identifier: MIT
// What the header says about loops, listeners and settling, in the plainest form: lists, linear
// search, and for each loop a record of what each entity has had since it began. It predicts every
// answer, event, destructor and visit, the row order of every pool and every stamp.
#ifndef KITH_LOOP_MODEL_H
#define KITH_LOOP_MODEL_H

#include "loop_call.h"
#include "loop_log.h"

enum {
    LOOP_ENTITIES    = 1024,
    LOOP_ROWS        = 1024,
    LOOP_DEPTH       = 32,
    LOOP_GROUPS      = 4,
    LOOP_GROUP_CALLS = 64,
    LOOP_WAITING     = 64,
    LOOP_TURN_SHAPE  = 1 // of the system: writes A, reads B
};

/// How the components of a world are registered.
typedef struct loop_flavour {
    const char    *name;
    kith_policy    policy[LOOP_POOLS];
    uint32_t       page_rows;
    bool           hooks; // destructors
    bool           tag;   // C has no value
    kith_component order[LOOP_COMPONENTS];
    bool           row_ticks;
} loop_flavour;

/// A rule that the model gets wrong on purpose, to see that the tests notice.
typedef enum loop_fault {
    LOOP_FAULT_NONE,
    LOOP_FAULT_SIGNATURE,   // an entity with the components now is visited, despite a break
    LOOP_FAULT_LOOKED_UP,   // a break is noticed only in the lead
    LOOP_FAULT_BIRTH,       // an entity created since the loop began is visited
    LOOP_FAULT_FILLING,     // holes are filled from the end
    LOOP_FAULT_REUSE,       // a stable pool reuses holes while a loop is open
    LOOP_FAULT_REUSE_ORDER, // a stable pool reuses the oldest hole first
    LOOP_FAULT_AHEAD,       // the turn comes one entity too early
    LOOP_FAULT_EARLY_END,   // destructors run at once
    LOOP_FAULT_END_ORDER,   // destructors run rows descending
    LOOP_FAULT_TIE,         // of equal pools the last registered leads
    LOOP_FAULT_HOLES,       // the lead is chosen without counting holes
    LOOP_FAULT_INNER,       // closing a loop leaves those begun after it open
    LOOP_FAULT_STAMPS,      // what is handed out for writing is not stamped
    LOOP_FAULT_DISABLED,    // a disabled component is not absent for `without`
    LOOP_FAULT_ANNOUNCED,   // a destroyed entity has its leaving component announced again
    LOOP_FAULT_GAPS,        // groups close their gaps from the lowest row up
    LOOP_FAULT_NESTING,     // inner groups are joined before the outer ones
    LOOP_FAULT_JOINERS,     // an entity that joined a group is visited after settling
    LOOP_FAULT_UNGROUPED,   // a loop over a group walks the smallest pool
    LOOP_FAULT_PAGES,       // rows with ticks change by the page, as those without
    LOOP_FAULT_SKIPPING,    // a command for the dead ends all that are recorded
    LOOP_FAULT_DELIVERY,    // the world settles between two events of a queue
    LOOP_FAULT_FILTER,      // a reactive set asks its filter when it is read
    LOOP_FAULT_TURN,        // a system's turn has no tick of its own
    LOOP_FAULT_ENTERING,    // an entity that came back before the turn leaves and enters
    LOOP_FAULTS
} loop_fault;

typedef struct model_entity {
    uint32_t index;
    bool     alive;
    bool     dying;
    bool     ended; // everything is about to go: it belongs to no group
    uint8_t  has;   // bits
    uint8_t  disabled;
    uint8_t  leaving;
} model_entity;

typedef struct model_row {
    uint32_t entity; // LOOP_NONE: a hole
    uint32_t number; // of the value
    bool     waits;  // a hole whose value is not yet destructed
    uint64_t added;  // the tick
    uint64_t changed;
} model_row;

typedef struct model_pool {
    uint32_t  row_count;
    uint32_t  reuse_count;
    model_row rows[LOOP_ROWS];
    uint32_t  reuse[LOOP_ROWS];  // holes of a stable pool, as they were made
    uint64_t  stamps[LOOP_ROWS]; // of pages
} model_pool;

typedef struct model_group {
    uint32_t number; // of the call that made it
    bool     kept;   // a call made or found it, not only the tracked system
    uint32_t with;   // bits
    uint32_t without;
    uint32_t owned;
    uint32_t members;             // rows at the front of the owned pools, or entities in the list
    uint32_t list[LOOP_ENTITIES]; // of a group that owns nothing
} model_group;

typedef struct model_loop {
    bool               open;
    bool               over;  // the last entity was handed out, though it could not be closed
    const loop_shape  *shape; // NULL: a hold
    const model_group *group; // whose members are walked; NULL: the rows of the lead are
    uint32_t           link;  // the next of those that changed to look at
    uint32_t           lead;  // a component; 0: all entities
    uint32_t           place; // of the lead: the next row; of all entities: the next index
    uint32_t           rows;  // of the lead, or members, when it began; of all entities: 0
    uint32_t           ahead; // of LOOP_FAULT_AHEAD: found already
    bool               looked_ahead;
    uint32_t           chunk_count;
    uint32_t           chunk[LOOP_ROWS];    // the entities handed out last
    uint8_t            kept[LOOP_ENTITIES]; // bits: has had it since the loop began
} model_loop;

// Calls that wait to be made.
typedef struct model_waiting {
    uint32_t  count;
    loop_call calls[LOOP_WAITING];
    uint32_t  numbers[LOOP_WAITING]; // of the first value that was recorded
} model_waiting;

// A reactive set of the entities whose A comes, goes or changes, or whose B is set, and that have
// no C then.
typedef struct model_reactive {
    uint32_t count;
    uint32_t entities[LOOP_ENTITIES];
    uint64_t numbers[LOOP_ENTITIES]; // rising, never used again
    uint64_t newest;
    uint64_t place; // of a walk: the number of the entity that it returned last
    uint64_t since; // the tick of the latest update
} model_reactive;

// A tracked system and the entities that `enter` was called for.
typedef struct model_tracked {
    uint32_t          call; // the number of the group's making; LOOP_NONE: there is no system
    const loop_shape *shape;
    uint32_t          count;
    uint32_t          reported[LOOP_ENTITIES];
} model_tracked;

typedef struct loop_model {
    const loop_flavour *flavour;
    loop_fault          fault;
    bool                listening;
    loop_log            log;
    uint64_t            tick;

    uint32_t     entity_count; // dead ones included
    model_entity entities[LOOP_ENTITIES];
    uint32_t     owner[LOOP_ENTITIES]; // of an index; LOOP_NONE: free
    uint32_t     slot_count;
    uint32_t     free_count;
    uint32_t     free[LOOP_ENTITIES]; // the last one goes first
    model_pool   pools[LOOP_POOLS];
    uint32_t     number; // of the latest value

    model_waiting  waiting[LOOP_WAYS]; // by the way in which they are to be made
    model_reactive reactive;
    model_tracked  tracked;

    uint32_t group_count;
    model_group
             groups[2 * LOOP_GROUPS]; // fewer terms first; listeners may make more than are drawn
    uint32_t group_calls;
    uint32_t made[LOOP_GROUP_CALLS]; // the group's number that a call returned; LOOP_NONE: none
    uint32_t link_count;
    uint32_t links[LOOP_ENTITIES]; // indices of those that joined or left while all was held

    uint32_t         loop_count; // closed ones included
    model_loop       loops[LOOP_DEPTH];
    uint32_t         depth;  // of listeners that run
    uint32_t         held;   // calls that hold the world until they are done
    bool             stale;  // something waits for settling
    uint32_t         floor;  // loops begun before the listener that runs
    uint32_t         events; // announced by the present step
    const loop_step *step;   // NULL: a listener has reacted to it
    kith_error_code  error;
    uint32_t         failures;     // calls that failed, ever
    uint32_t         reported;     // calls of the error hook
    uint32_t         chunk_length; // of the present step, as the world chose it
} loop_model;

/// A new world.
void loop_model_init(loop_model *m, const loop_flavour *flavour, bool listening);

/// An emptied world whose indices are given out in ascending order.
void loop_model_restart(loop_model *m);

/// Does what the step does. `chunk_length` is what the world chose for a chunk.
void loop_model_step(loop_model *m, const loop_step *step, uint32_t chunk_length);

/// Whether a loop is open.
bool loop_model_open(const loop_model *m);

/// The entities that a loop of the shape would visit now, in order. Returns how many.
uint32_t loop_model_walk(loop_model *m, const loop_shape *shape, uint32_t *entities);

/// Whether member number `i` of the reactive set is one.
bool loop_model_collected(const loop_model *m, uint32_t i);

/// Whether the entity belongs to the group.
bool loop_model_meets(const loop_model *m, const model_group *group, uint32_t entity);

/// Whether the entity has left the loop since it began.
bool loop_model_left(const loop_model *m, const model_loop *loop, uint32_t entity);

uint32_t loop_model_count(const loop_model *m, kith_component component);

/// The row of the entity, which has one.
uint32_t loop_model_row(const loop_model *m, uint32_t entity, kith_component component);

uint64_t loop_model_stamp(const loop_model *m, kith_component component, uint32_t row);

/// When the row was changed, as far as the flavour records it.
uint64_t loop_model_changed(const loop_model *m, kith_component component, uint32_t row);

/// How many events the call would announce.
uint32_t loop_model_events(const loop_model *m, const loop_call *call);

#endif
