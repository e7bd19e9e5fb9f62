// SPDX-License-Identifier: MIT
// Calls that wait: recorded in commands, or in a queue whose handler makes them.
#include "loop_stage_internal.h"

#include "kith/event.h"

#include <string.h>

static void handle(kith_world *world, const void *event, void *context)
{
    loop_stage *s = context;
    loop_call   call;
    (void)world;
    memcpy(&call, event, sizeof call);
    s->nested++;
    loop_stage_perform(s, &call);
    s->nested--;
}

bool loop_stage_begin_later(loop_stage *s)
{
    const kith_queue_desc   desc    = { .name      = "calls",
                                        .size      = sizeof(loop_call),
                                        .alignment = _Alignof(loop_call),
                                        .limit     = LOOP_WAITING };
    const kith_handler_desc handler = { .call = handle, .context = s };
    s->commands                     = kith_commands_create(s->world, NULL);
    s->queue                        = kith_queue_of(s->world, &desc);
    return s->commands != NULL && kith_queue_connect(s->queue, &handler) != 0;
}

void loop_stage_forget_later(loop_stage *s)
{
    kith_commands_clear(s->commands);
    kith_queue_clear(s->queue);
    s->pending_count = 0;
}

static uint32_t record_set(loop_stage *s, kith_entity entity, kith_component component)
{
    // values with hooks that cannot be copied are refused: the default value is made later
    uint32_t value[4] = { s->flavour->hooks ? 0 : ++s->number, 0, 0, 0 };
    return kith_component_set_later(s->commands, entity, component,
                                    s->flavour->hooks ? NULL : value);
}

static uint32_t record_create(loop_stage *s, bool all)
{
    kith_entity entity             = kith_entity_create_later(s->commands);
    uint32_t    recorded           = entity != KITH_NULL;
    s->pending[s->pending_count++] = entity;
    for (kith_component c = LOOP_A; c <= LOOP_F && all; c++) {
        recorded += record_set(s, entity, c);
    }
    return recorded;
}

static uint32_t record(loop_stage *s, const loop_call *call)
{
    kith_entity    entity    = s->handles[call->subject];
    kith_component component = call->component;
    switch ((loop_verb)call->verb) {
    case LOOP_CREATE:
    case LOOP_CREATE_ALL:
        return record_create(s, call->verb == LOOP_CREATE_ALL);
    case LOOP_DESTROY:
        return kith_entity_destroy_later(s->commands, entity);
    case LOOP_SET:
        return record_set(s, entity, component);
    case LOOP_ADD:
        return kith_component_add_later(s->commands, entity, component);
    case LOOP_REMOVE:
        return kith_component_remove_later(s->commands, entity, component);
    case LOOP_DISABLE:
        return kith_component_enable_later(s->commands, entity, component, false);
    default:
        return kith_component_enable_later(s->commands, entity, component, true);
    }
}

uint32_t loop_stage_defer(loop_stage *s, const loop_call *call)
{
    loop_call later = *call;
    later.way       = LOOP_NOW;
    if (call->way == LOOP_RECORDED) {
        return s->model.waiting[LOOP_RECORDED].count == LOOP_WAITING ? 0 : record(s, call);
    }
    return s->model.waiting[LOOP_ENQUEUED].count == LOOP_WAITING
               ? 0
               : kith_queue_enqueue(s->queue, &later);
}

// Where creation has no listener, entities get their numbers after it.
static void number_made(loop_stage *s)
{
    for (uint32_t i = 0; i < s->pending_count && !s->listening; i++) {
        loop_stage_next_number(s, kith_commands_resolve(s->commands, s->pending[i]));
    }
    s->pending_count = 0;
}

uint32_t loop_stage_apply(loop_stage *s)
{
    bool                 done   = kith_commands_apply(s->commands, s->world);
    kith_commands_report report = kith_commands_report_of(s->commands);
    number_made(s);
    kith_commands_clear(s->commands);
    return done ? report.applied | report.skipped << 10 | report.failed << 20 : LOOP_NONE;
}

uint32_t loop_stage_update(loop_stage *s)
{
    return kith_queue_update(s->queue);
}
