// SPDX-License-Identifier: MIT
// Says which calls a program over loops can make, and writes each as C.
#include "loop_call.h"

static const char letters[] = "?ABCF";

static const char *const verb_names[] = {
    [LOOP_BEGIN]       = "begin",
    [LOOP_NEXT]        = "next",
    [LOOP_NEXT_CHUNK]  = "next_chunk",
    [LOOP_END]         = "end",
    [LOOP_HOLD]        = "kith_world_hold",
    [LOOP_RELEASE]     = "kith_world_release",
    [LOOP_SETTLE]      = "kith_world_settle",
    [LOOP_TICK]        = "kith_world_advance",
    [LOOP_CREATE]      = "kith_entity_create",
    [LOOP_CREATE_ALL]  = "kith_entity_create",
    [LOOP_DESTROY]     = "kith_entity_destroy",
    [LOOP_SET]         = "kith_component_set",
    [LOOP_ADD]         = "kith_component_add",
    [LOOP_MUT]         = "kith_component_mut",
    [LOOP_REMOVE]      = "kith_component_remove",
    [LOOP_DISABLE]     = "kith_component_enable",
    [LOOP_ENABLE]      = "kith_component_enable",
    [LOOP_CLEAR]       = "kith_component_clear",
    [LOOP_CLEAR_WORLD] = "kith_world_clear",
    [LOOP_GROUP]       = "kith_group_of",
    [LOOP_UNGROUP]     = "kith_group_drop",
    [LOOP_APPLY]       = "kith_commands_apply",
    [LOOP_UPDATE]      = "kith_queue_update",
    [LOOP_COLLECT]     = "kith_reactive_update",
    [LOOP_MEMBER]      = "kith_reactive_next",
    [LOOP_FORGET]      = "kith_reactive_clear",
    [LOOP_TURN]        = "kith_schedule_run",
    [LOOP_TRACK]       = "kith_system_create",
    [LOOP_UNTRACK]     = "kith_system_destroy",
};

bool loop_call_has_way(const loop_call *call, loop_way way)
{
    switch ((loop_verb)call->verb) {
    case LOOP_CREATE:
    case LOOP_CREATE_ALL:
    case LOOP_DESTROY:
    case LOOP_SET:
    case LOOP_ADD:
    case LOOP_REMOVE:
    case LOOP_DISABLE:
    case LOOP_ENABLE:
        return true;
    case LOOP_NEXT_CHUNK: // its length is the world's choice, and known of one call a step
    case LOOP_TRACK:      // when there are systems is known at once
    case LOOP_UNTRACK:
    case LOOP_APPLY:
    case LOOP_UPDATE:
        return way == LOOP_NOW;
    default:
        return way != LOOP_RECORDED;
    }
}

bool loop_call_names_cursor(const loop_call *call)
{
    return call->verb == LOOP_NEXT || call->verb == LOOP_NEXT_CHUNK || call->verb == LOOP_END;
}

bool loop_call_names_entity(const loop_call *call)
{
    return call->verb == LOOP_DESTROY ||
           (call->component != 0 && call->verb != LOOP_CLEAR && call->verb != LOOP_GROUP);
}

bool loop_call_names_group(const loop_call *call)
{
    return call->verb == LOOP_UNGROUP;
}

bool loop_call_has_subject(const loop_call *call, uint32_t cursors, uint32_t entities,
                           uint32_t groups)
{
    return (!loop_call_names_cursor(call) || call->subject < cursors) &&
           (!loop_call_names_entity(call) || call->subject < entities) &&
           (!loop_call_names_group(call) || call->subject < groups);
}

static void write_begin(const loop_call *call, uint32_t cursor, text *out)
{
    const char *name   = loop_shapes[call->shape].name;
    bool        stored = loop_call_stored(call);
    if (loop_shapes[call->shape].typed != NULL && call->form >= LOOP_TYPED) {
        text_add(out, "%s c%u = %s_begin%s;", name, cursor, name,
                 stored ? "_stored(query)" : "(world)");
    } else {
        text_add(out, "kith_cursor c%u = %s; // %s", cursor,
                 stored ? "kith_query_begin(query)" : "kith_view_begin(world, &desc)", name);
    }
}

static void write_create(bool all, uint32_t entity, text *out)
{
    text_add(out, "kith_entity e%u = kith_entity_create(world);", entity);
    for (uint32_t c = LOOP_A; all && c <= LOOP_F; c++) {
        text_add(out, " kith_component_set(world, e%u, %c, &value);", entity, letters[c]);
    }
}

static void write_group(const loop_call *call, text *out)
{
    text_add(out, "%s(world, &desc); // %s, owns", verb_names[call->verb],
             loop_shapes[call->shape].name);
    for (uint32_t c = LOOP_A; c <= LOOP_C; c++) {
        if ((call->component & LOOP_BIT(c)) != 0) {
            text_add(out, " %c", letters[c]);
        }
    }
}

// What follows the component.
static const char *last_argument(loop_verb verb)
{
    return verb == LOOP_SET       ? ", &value"
           : verb == LOOP_ADD     ? ", NULL"
           : verb == LOOP_ENABLE  ? ", true"
           : verb == LOOP_DISABLE ? ", false"
                                  : "";
}

static void write_call(const loop_call *call, loop_numbers *n, text *out)
{
    const char *name = verb_names[call->verb];
    switch ((loop_verb)call->verb) {
    case LOOP_BEGIN:
        write_begin(call, n->cursors++, out);
        break;
    case LOOP_NEXT:
    case LOOP_NEXT_CHUNK:
    case LOOP_END:
        text_add(out, "kith_cursor_%s(&c%u);", name, call->subject);
        break;
    case LOOP_HOLD:
        text_add(out, "%s(world); // c%u", name, n->cursors++);
        break;
    case LOOP_RELEASE:
    case LOOP_SETTLE:
    case LOOP_TICK:
    case LOOP_CLEAR_WORLD:
        text_add(out, "%s(world);", name);
        break;
    case LOOP_CREATE:
    case LOOP_CREATE_ALL:
        write_create(call->verb == LOOP_CREATE_ALL, n->entities++, out);
        break;
    case LOOP_DESTROY:
        text_add(out, "%s(world, e%u);", name, call->subject);
        break;
    case LOOP_GROUP:
        write_group(call, out);
        break;
    case LOOP_UNGROUP:
        text_add(out, "%s(g%u);", name, call->subject);
        break;
    case LOOP_APPLY:
        text_add(out, "%s(commands, world); kith_commands_clear(commands);", name);
        break;
    case LOOP_UPDATE:
        text_add(out, "%s(queue);", name);
        break;
    case LOOP_COLLECT:
    case LOOP_FORGET:
        text_add(out, "%s(set);", name);
        break;
    case LOOP_MEMBER:
        text_add(out, "%s(set, &place);", name);
        break;
    case LOOP_TURN:
        text_add(out, "%s(world, 0);", name);
        break;
    case LOOP_TRACK:
        text_add(out, "%s(world, &desc); // tracks %s", name, loop_shapes[call->shape].name);
        break;
    case LOOP_UNTRACK:
        text_add(out, "%s(tracked);", name);
        break;
    case LOOP_CLEAR:
        text_add(out, "%s(world, %c);", name, letters[call->component]);
        break;
    default:
        text_add(out, "%s(world, e%u, %c%s);", name, call->subject, letters[call->component],
                 last_argument((loop_verb)call->verb));
    }
}

// What waits to be made is written where it is recorded or enqueued, and numbered when it is made.
static void write_later(const loop_call *call, loop_numbers *n, text *out)
{
    loop_numbers then = *n;
    text_add(out, call->way == LOOP_RECORDED ? "/* recorded: */ " : "/* enqueued: */ ");
    write_call(call, &then, out);
    n->cursors_later[call->way] += then.cursors - n->cursors;
    n->entities_later[call->way] += then.entities - n->entities;
}

static void write_one(const loop_call *call, loop_numbers *n, text *out)
{
    loop_way made = call->verb == LOOP_APPLY ? LOOP_RECORDED : LOOP_ENQUEUED;
    if (call->way != LOOP_NOW) {
        write_later(call, n, out);
        return;
    }
    write_call(call, n, out);
    if (call->verb == LOOP_APPLY || call->verb == LOOP_UPDATE) {
        n->cursors += n->cursors_later[made];
        n->entities += n->entities_later[made];
        n->cursors_later[made]  = 0;
        n->entities_later[made] = 0;
    }
}

void loop_step_write(const loop_step *step, loop_numbers *numbers, text *out)
{
    text_add(out, "    ");
    write_one(&step->call, numbers, out);
    text_add(out, "\n");
    if (step->reacts) {
        text_add(out, "        // a listener of its event %u calls\n        ", step->at_event);
        write_one(&step->reaction, numbers, out);
        text_add(out, "\n");
    }
}
