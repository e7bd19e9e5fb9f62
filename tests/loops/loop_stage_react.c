// SPDX-License-Identifier: MIT
// A reactive set, in a world where every event has a listener anyway, and systems.
#include "loop_stage_internal.h"

#include "kith/event.h"
#include "system/system.h"

static void see_turn(const kith_turn *turn, const kith_cursor *cursor)
{
    loop_stage *s = turn->context;
    loop_log_add(&s->log, LOOP_LOG_TURN, 0, loop_stage_number(s, cursor->entity));
}

static bool make_system(loop_stage *s)
{
    kith_query_desc        query = loop_shape_desc(&loop_shapes[LOOP_TURN_SHAPE], s->world);
    const kith_system_desc desc  = {
         .name = "turns", .each = see_turn, .context = s, .query = &query
    };
    return kith_system_create(s->world, &desc) != NULL;
}

static void enter(const kith_turn *turn, kith_entity entity)
{
    loop_stage *s = turn->context;
    loop_log_add(&s->log, LOOP_LOG_TURN, 1, loop_stage_number(s, entity));
}

static void leave(const kith_turn *turn, kith_entity entity)
{
    loop_stage *s = turn->context;
    loop_log_add(&s->log, LOOP_LOG_TURN, 2, loop_stage_number(s, entity));
}

static void run(const kith_turn *turn)
{
    (void)turn;
}

bool loop_stage_track(loop_stage *s, const loop_shape *shape)
{
    kith_query_desc        query = loop_shape_desc(shape, s->world);
    const kith_system_desc desc  = { .name    = "tracks",
                                     .run     = run,
                                     .context = s,
                                     .query   = &query,
                                     .tracked = true,
                                     .enter   = enter,
                                     .leave   = leave };
    if (s->tracked != NULL) {
        return false;
    }
    s->tracked                  = kith_system_create(s->world, &desc);
    s->tracked_call             = s->group_calls;
    s->groups[s->group_calls++] = s->tracked == NULL ? NULL : s->tracked->group;
    return s->tracked != NULL;
}

bool loop_stage_untrack(loop_stage *s)
{
    if (s->tracked == NULL || !kith_system_destroy(s->tracked)) {
        return false;
    }
    s->tracked                 = NULL;
    s->groups[s->tracked_call] = NULL;
    return true;
}

static bool make_set(loop_stage *s)
{
    static const kith_term      without_c    = { LOOP_C, KITH_ROLE_WITHOUT, 0 };
    static const kith_condition conditions[] = {
        { LOOP_A, KITH_ON_ADD | KITH_ON_REMOVE | KITH_ON_CHANGED }, { LOOP_B, KITH_ON_SET }
    };
    const kith_reactive_desc desc = { .conditions      = conditions,
                                      .condition_count = 2,
                                      .filter          = { NULL, &without_c, 1, 0 } };
    s->set                        = kith_reactive_create(s->world, &desc);
    return s->set != NULL;
}

bool loop_stage_begin_react(loop_stage *s)
{
    s->set     = NULL;
    s->tracked = NULL;
    return make_system(s) && (!s->listening || make_set(s));
}

void loop_stage_forget_react(loop_stage *s)
{
    s->place = 0;
    if (s->set != NULL) {
        kith_reactive_update(s->set);
        kith_reactive_clear(s->set);
    }
}

uint32_t loop_stage_collect(loop_stage *s)
{
    return s->set == NULL ? 0 : kith_reactive_update(s->set);
}

uint32_t loop_stage_member(loop_stage *s)
{
    kith_entity member = s->set == NULL ? KITH_NULL : kith_reactive_next(s->set, &s->place);
    s->place           = member == KITH_NULL ? 0 : s->place;
    return loop_stage_number(s, member);
}

void loop_stage_forget(loop_stage *s)
{
    if (s->set != NULL) {
        kith_reactive_clear(s->set);
    }
}

bool loop_stage_compare_members(loop_stage *s)
{
    uint64_t place = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; s->set != NULL && i < s->model.reactive.count; i++) {
        uint32_t    said   = s->model.reactive.entities[i];
        bool        there  = loop_model_collected(&s->model, i);
        kith_entity member = there ? kith_reactive_next(s->set, &place) : s->handles[said];
        if (member != s->handles[said] || kith_reactive_contains(s->set, member) != there) {
            return loop_stage_differ(s, "member %u of the reactive set is e%d, not e%u", count,
                                     (int)loop_stage_number(s, member), said);
        }
        count += there;
    }
    return s->set == NULL || kith_reactive_count(s->set) == count ||
           loop_stage_differ(s, "the reactive set has %u members, not %u",
                             kith_reactive_count(s->set), count);
}
