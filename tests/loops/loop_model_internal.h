// SPDX-License-Identifier: MIT
// What the files of the model share.
#ifndef KITH_LOOP_MODEL_INTERNAL_H
#define KITH_LOOP_MODEL_INTERNAL_H

#include "loop_model.h"

// What a loop notes of every living entity beside its components.
enum { MODEL_KEPT_ALIVE = 1 << LOOP_COMPONENTS };

static inline bool model_is_flag(kith_component component)
{
    return component == LOOP_F;
}

static inline bool model_has_bytes(const loop_model *m, kith_component component)
{
    return !model_is_flag(component) && !(m->flavour->tag && component == LOOP_C);
}

static inline model_pool *model_pool_of(loop_model *m, kith_component component)
{
    return &m->pools[component - 1];
}

static inline bool model_has(const loop_model *m, uint32_t entity, kith_component component)
{
    return m->entities[entity].alive && (m->entities[entity].has & LOOP_BIT(component)) != 0;
}

static inline void model_fail(loop_model *m, kith_error_code code)
{
    m->error = code;
    m->failures++;
    m->reported += code != KITH_ERROR_DYING;
}

// --- calls (loop_model.c) --------------------------------------------------------------------

uint32_t model_create(loop_model *m);

// Sets a value that has this number.
bool model_set(loop_model *m, uint32_t entity, kith_component component, uint32_t number);

// Makes the call; and writes down what it answered.
uint32_t model_answer(loop_model *m, const loop_call *call);
void     model_perform(loop_model *m, const loop_call *call);

// --- calls that wait (loop_model_later.c) ----------------------------------------------------

// Lets the call wait. Answers how many records or events there are more.
uint32_t model_defer(loop_model *m, const loop_call *call);

// Makes the calls that are recorded, that wait in the queue. Answers what became of them.
uint32_t model_apply(loop_model *m);
uint32_t model_update(loop_model *m);

// --- reactive set and system (loop_model_react.c) --------------------------------------------

// The set is notified of an event.
void model_collect(loop_model *m, kith_event event, kith_component component, uint32_t entity);

// Answers how many came; the next member of the walk or LOOP_NONE, with which it begins again.
uint32_t model_collect_changed(loop_model *m);
uint32_t model_next_member(loop_model *m);

// Turns of all systems; the tracked one is made and destroyed.
bool model_take_turns(loop_model *m);
bool model_track(loop_model *m, const loop_shape *shape);
bool model_untrack(loop_model *m);

// --- rows (loop_model_pool.c) ----------------------------------------------------------------

// Whether nothing may move.
bool model_is_held(const loop_model *m);

// Notes that something in the row's page was written, and that the row's value was.
void model_stamp(loop_model *m, kith_component component, uint32_t row);
void model_touch(loop_model *m, kith_component component, uint32_t row);

// Ends the row's value.
void model_destruct(loop_model *m, kith_component component, model_row *row);

void model_add_row(loop_model *m, uint32_t entity, kith_component component, uint32_t number);
void model_remove_row(loop_model *m, uint32_t entity, kith_component component);

void model_settle(loop_model *m);
void model_settle_unless_held(loop_model *m);

// --- groups (loop_model_group.c) -------------------------------------------------------------

// The groups that the entity belongs to, as bits.
uint32_t model_memberships(const loop_model *m, uint32_t entity);

// Whether some group names the component.
bool model_is_grouped(const loop_model *m, kith_component component);

// The group that a loop of the shape walks, or NULL.
const model_group *model_group_for(const loop_model *m, const loop_shape *shape);

// The group with fewest members, below `rows`, that owns pools and has a part of the shape's terms.
const model_group *model_group_around(const loop_model *m, const loop_shape *shape, uint32_t rows);

// Whether the list of a group that owns nothing has the entity's index.
bool model_group_lists(const loop_model *m, const model_group *group, uint32_t entity);

// The entity leaves, joins these groups: at once, or when the world settles. It has its rows.
void model_leave_groups(loop_model *m, uint32_t entity, uint32_t groups);
void model_join_groups(loop_model *m, uint32_t entity, uint32_t groups);

// The two parts of settling, before and after the pools close their holes.
void model_close_groups(loop_model *m);
void model_fill_groups(loop_model *m);

bool model_group_of(loop_model *m, const loop_shape *shape, uint32_t owned, bool kept);
bool model_group_drop(loop_model *m, uint32_t call);
void model_group_untrack(loop_model *m);

// --- loops (loop_model_loop.c) ---------------------------------------------------------------

// Of these components the one with the fewest rows.
kith_component model_smallest(const loop_model *m, uint32_t components);

// A loop of the shape, or a hold where it is NULL.
bool model_begin(loop_model *m, const loop_shape *shape);

// Hands out up to `most` entities; false at the end and on a closed loop.
bool model_next(loop_model *m, uint32_t number, uint32_t most);

bool model_end_loop(loop_model *m, uint32_t number);
bool model_release(loop_model *m);
bool model_settle_all(loop_model *m);

#endif
