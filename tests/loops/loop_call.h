// SPDX-License-Identifier: MIT
// What a program of the loop tests is made of: a step is a call by the loop's body, and maybe
// another one that a listener makes when the step announces something.
#ifndef KITH_LOOP_CALL_H
#define KITH_LOOP_CALL_H

#include "loop_shape.h"
#include "model/text.h"

typedef enum loop_verb {
    LOOP_BEGIN,
    LOOP_NEXT,
    LOOP_NEXT_CHUNK,
    LOOP_END,
    LOOP_HOLD,
    LOOP_RELEASE,
    LOOP_SETTLE,
    LOOP_TICK,
    LOOP_CREATE,
    LOOP_CREATE_ALL, // with every component
    LOOP_DESTROY,
    LOOP_SET,
    LOOP_ADD,
    LOOP_MUT,
    LOOP_REMOVE,
    LOOP_DISABLE,
    LOOP_ENABLE,
    LOOP_CLEAR, // of a component
    LOOP_CLEAR_WORLD,
    LOOP_GROUP,   // of a shape; owns the components whose bits are in `component`
    LOOP_UNGROUP, // what the call with the number made
    LOOP_APPLY,   // what is recorded
    LOOP_UPDATE,  // the queue: its handler makes the calls that wait in it
    LOOP_COLLECT, // into the reactive set, what has changed
    LOOP_MEMBER,  // the next one of the reactive set
    LOOP_FORGET,  // all its members
    LOOP_TURN,    // of each system
    LOOP_TRACK,   // of a shape: makes the tracked system, if there is none
    LOOP_UNTRACK  // destroys it
} loop_verb;

/// When a call is made.
typedef enum loop_way {
    LOOP_NOW,
    LOOP_RECORDED, // in commands, by LOOP_APPLY
    LOOP_ENQUEUED, // in a queue, by LOOP_UPDATE
    LOOP_WAYS
} loop_way;

typedef struct loop_call {
    uint8_t  verb;      // a loop_verb
    uint8_t  shape;     // of begin and group
    uint8_t  form;      // of begin
    uint8_t  component; // an id
    uint8_t  way;       // a loop_way
    uint32_t subject;   // the entity, the cursor or the group, by number
} loop_call;

typedef struct loop_step {
    loop_call call;
    bool      reacts;
    uint8_t   at_event; // of those that the call announces, from 0
    loop_call reaction;
} loop_step;

/// Whether a beginning loop has a stored query.
static inline bool loop_call_stored(const loop_call *call)
{
    return call->form == LOOP_STORED || call->form == LOOP_TYPED_STORED;
}

/// Whether the call can be made in that way.
bool loop_call_has_way(const loop_call *call, loop_way way);

/// Whether the subject is a cursor, an entity, a group.
bool loop_call_names_cursor(const loop_call *call);
bool loop_call_names_entity(const loop_call *call);
bool loop_call_names_group(const loop_call *call);

/// Whether there is a subject where this number of each was made. It may be missing where a program
/// was shortened, and with it the event at which a listener made it: then the call does nothing.
bool loop_call_has_subject(const loop_call *call, uint32_t cursors, uint32_t entities,
                           uint32_t groups);

/// What numbers new cursors and entities while a program is written. Zeroed: at its beginning.
typedef struct loop_numbers {
    uint32_t cursors;
    uint32_t entities;
    uint32_t cursors_later[LOOP_WAYS]; // that are begun when the calls that wait are made
    uint32_t entities_later[LOOP_WAYS];
} loop_numbers;

/// The step as lines of C.
void loop_step_write(const loop_step *step, loop_numbers *numbers, text *out);

#endif
