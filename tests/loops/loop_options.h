// SPDX-License-Identifier: MIT
// Which calls a program could make next.
#ifndef KITH_LOOP_OPTIONS_H
#define KITH_LOOP_OPTIONS_H

#include "loop_model.h"

enum { LOOP_OPTIONS = 512, LOOP_FOCUS = 8 };

/// What programs are made of.
typedef struct loop_bounds {
    uint32_t  components; // bits: those that are added and removed
    uint32_t  shape;      // of the outer loop
    uint32_t  other;      // of an inner loop that does not have the same
    uint32_t  inner;      // at most this many loops begin inside the outer one
    loop_form form;
    bool      chunks;   // instead of single entities
    bool      disables; // and enables; a world without is walked in other ways
    bool      rich;     // also holds, ticks, clears, dead entities
    loop_way  way;      // in which changes are made; those that cannot be are not offered
    uint32_t  focus_count;
    uint32_t  focus[LOOP_FOCUS]; // the entities to change; none: all
} loop_bounds;

typedef struct loop_options {
    uint32_t  count;
    loop_call calls[LOOP_OPTIONS];
} loop_options;

/// One step of each open loop.
void loop_options_steps(loop_options *o, const loop_model *m, const loop_bounds *b);

/// To make the calls that wait, if there are any.
void loop_options_waiting(loop_options *o, const loop_model *m);

/// What a body can change.
void loop_options_changes(loop_options *o, const loop_model *m, const loop_bounds *b);

/// What a listener can do when `call` announces something: the same, steps of loops, and changes of
/// the entity that the call creates.
void loop_options_reactions(loop_options *o, const loop_model *m, const loop_bounds *b,
                            const loop_call *call);

#endif
