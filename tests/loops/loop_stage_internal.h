// SPDX-License-Identifier: MIT
// What the files of the stage share.
#ifndef KITH_LOOP_STAGE_INTERNAL_H
#define KITH_LOOP_STAGE_INTERNAL_H

#include "loop_stage.h"

// The names of the components, by id.
extern const char loop_letters[LOOP_COMPONENTS + 2];

// Notes a difference. Always false.
bool loop_stage_differ(loop_stage *s, const char *format, ...);

// The number of the entity, or LOOP_NONE.
uint32_t loop_stage_number(const loop_stage *s, kith_entity entity);

// Numbers an entity that was made.
void loop_stage_next_number(loop_stage *s, kith_entity entity);

// Makes the call and writes down what it answered.
void loop_stage_perform(loop_stage *s, const loop_call *call);

// Calls that wait (loop_stage_later.c): makes the commands and the queue, false when that fails;
// forgets what waits; lets a call wait; makes those that do.
bool     loop_stage_begin_later(loop_stage *s);
void     loop_stage_forget_later(loop_stage *s);
uint32_t loop_stage_defer(loop_stage *s, const loop_call *call);
uint32_t loop_stage_apply(loop_stage *s);
uint32_t loop_stage_update(loop_stage *s);

// A reactive set and a system (loop_stage_react.c): makes them, false when that fails; empties the
// set in the present tick; what was asked for; whether the members are those of the model.
bool     loop_stage_begin_react(loop_stage *s);
void     loop_stage_forget_react(loop_stage *s);
bool     loop_stage_track(loop_stage *s, const loop_shape *shape);
bool     loop_stage_untrack(loop_stage *s);
uint32_t loop_stage_collect(loop_stage *s);
uint32_t loop_stage_member(loop_stage *s);
void     loop_stage_forget(loop_stage *s);
bool     loop_stage_compare_members(loop_stage *s);

// Compares what can be seen of the world, as far as `look` says (loop_stage_compare.c).
bool loop_stage_compare(loop_stage *s, loop_look look);

// Compares what a loop of the shape visits and, if `ask`, what else can be asked about it.
bool loop_stage_walk(loop_stage *s, const loop_shape *shape, bool ask);

// Lets the world prove itself.
bool loop_stage_validate(loop_stage *s);

#endif
