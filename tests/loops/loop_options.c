// SPDX-License-Identifier: MIT
// Lists the calls that a program could make next.
#include "loop_options.h"

static void offer(loop_options *o, loop_verb verb, uint32_t subject, kith_component component)
{
    if (o->count < LOOP_OPTIONS) {
        o->calls[o->count++] = (loop_call){ .verb      = (uint8_t)verb,
                                            .component = (uint8_t)component,
                                            .subject   = subject };
    }
}

static void offer_begin(loop_options *o, const loop_bounds *b, uint32_t shape)
{
    offer(o, LOOP_BEGIN, 0, 0);
    o->calls[o->count - 1].shape = (uint8_t)shape;
    o->calls[o->count - 1].form  = (uint8_t)b->form;
}

void loop_options_steps(loop_options *o, const loop_model *m, const loop_bounds *b)
{
    for (uint32_t i = 0; i < m->loop_count; i++) {
        if (m->loops[i].open && m->loops[i].shape != NULL) {
            offer(o, b->chunks ? LOOP_NEXT_CHUNK : LOOP_NEXT, i, 0);
        }
    }
}

static void offer_component(loop_options *o, const loop_model *m, const loop_bounds *b,
                            uint32_t entity, kith_component component)
{
    const model_entity *e    = &m->entities[entity];
    uint32_t            bit  = LOOP_BIT(component);
    bool                rows = component != LOOP_F;
    if ((e->has & bit) == 0 || rows) {
        offer(o, LOOP_SET, entity, component);
    }
    if ((e->has & bit) != 0) {
        offer(o, LOOP_REMOVE, entity, component);
    }
    if ((e->has & bit) != 0 && rows && b->disables) {
        offer(o, (e->disabled & bit) != 0 ? LOOP_ENABLE : LOOP_DISABLE, entity, component);
    }
    if (b->rich) {
        offer(o, LOOP_ADD, entity, component);
        offer(o, LOOP_MUT, entity, component);
    }
}

static void offer_entity(loop_options *o, const loop_model *m, const loop_bounds *b,
                         uint32_t entity)
{
    bool alive = m->entities[entity].alive;
    if (!alive && b->rich) {
        offer(o, LOOP_DESTROY, entity, 0);
        offer(o, LOOP_SET, entity, LOOP_A);
        offer(o, LOOP_REMOVE, entity, LOOP_B);
    }
    if (!alive) {
        return;
    }
    offer(o, LOOP_DESTROY, entity, 0);
    for (kith_component c = LOOP_A; c <= LOOP_F; c++) {
        if ((b->components & LOOP_BIT(c)) != 0) {
            offer_component(o, m, b, entity, c);
        }
    }
}

static void offer_entities(loop_options *o, const loop_model *m, const loop_bounds *b)
{
    uint32_t count = b->focus_count == 0 ? m->entity_count : b->focus_count;
    for (uint32_t i = 0; i < count; i++) {
        offer_entity(o, m, b, b->focus_count == 0 ? i : b->focus[i]);
    }
}

static void offer_loops(loop_options *o, const loop_model *m, const loop_bounds *b)
{
    if (m->loop_count <= b->inner) {
        offer_begin(o, b, b->shape);
        offer_begin(o, b, b->other);
    }
    for (uint32_t i = 0; i < m->loop_count; i++) {
        if (m->loops[i].open && m->loops[i].shape != NULL) {
            offer(o, LOOP_END, i, 0);
        }
    }
    offer(o, LOOP_SETTLE, 0, 0);
}

static void offer_set(loop_options *o, const loop_model *m)
{
    if (m->listening) {
        offer(o, LOOP_COLLECT, 0, 0);
        offer(o, LOOP_MEMBER, 0, 0);
        offer(o, LOOP_FORGET, 0, 0);
    }
}

static void offer_rich(loop_options *o, const loop_model *m, const loop_bounds *b)
{
    offer(o, LOOP_TICK, 0, 0);
    offer(o, LOOP_TURN, 0, 0);
    offer(o, LOOP_UNTRACK, 0, 0);
    offer_set(o, m);
    offer(o, LOOP_CLEAR_WORLD, 0, 0);
    offer(o, LOOP_RELEASE, 0, 0);
    if (m->loop_count <= b->inner) {
        offer(o, LOOP_HOLD, 0, 0);
    }
    for (kith_component c = LOOP_A; c <= LOOP_F; c++) {
        offer(o, LOOP_CLEAR, 0, c);
    }
}

void loop_options_waiting(loop_options *o, const loop_model *m)
{
    if (m->waiting[LOOP_RECORDED].count != 0) {
        offer(o, LOOP_APPLY, 0, 0);
    }
    if (m->waiting[LOOP_ENQUEUED].count != 0) {
        offer(o, LOOP_UPDATE, 0, 0);
    }
}

// Lets the calls from `first` on wait, as far as they can.
static void let_wait(loop_options *o, uint32_t first, loop_way way)
{
    uint32_t kept = first;
    for (uint32_t i = first; i < o->count; i++) {
        if (loop_call_has_way(&o->calls[i], way)) {
            o->calls[kept]       = o->calls[i];
            o->calls[kept++].way = (uint8_t)way;
        }
    }
    o->count = kept;
}

static void offer_changes(loop_options *o, const loop_model *m, const loop_bounds *b)
{
    offer(o, LOOP_CREATE, 0, 0);
    offer(o, LOOP_CREATE_ALL, 0, 0);
    offer_entities(o, m, b);
    offer_loops(o, m, b);
    if (b->rich) {
        offer_rich(o, m, b);
    }
}

void loop_options_changes(loop_options *o, const loop_model *m, const loop_bounds *b)
{
    uint32_t first = o->count;
    offer_changes(o, m, b);
    let_wait(o, first, b->way);
}

void loop_options_reactions(loop_options *o, const loop_model *m, const loop_bounds *b,
                            const loop_call *call)
{
    offer_changes(o, m, b);
    offer_set(o, m);
    for (uint32_t i = 0; i < m->loop_count; i++) {
        if (m->loops[i].shape != NULL) {
            offer(o, LOOP_NEXT, i, 0);
        }
    }
    if (call->verb == LOOP_CREATE || call->verb == LOOP_CREATE_ALL) {
        offer(o, LOOP_DESTROY, m->entity_count, 0);
        offer(o, LOOP_SET, m->entity_count, LOOP_A);
        offer(o, LOOP_REMOVE, m->entity_count, LOOP_A);
    }
}
