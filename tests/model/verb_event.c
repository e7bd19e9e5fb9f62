// SPDX-License-Identifier: MIT
// Verbs of reactive sets and of queues. The letter of paths says which of the stage's.
#include "scene.h"
#include "verb_pair.h"

// ---------------------------------------------------------------------------------------------
// Reactive sets
// ---------------------------------------------------------------------------------------------

// What happens to the i-th component is read from one number: seldom nothing, which is refused.
static uint32_t on_of(const argument *a, uint32_t i)
{
    return (uint32_t)(a->number >> i) % 17;
}

static kith_reactive_desc reactive_desc(const argument *a, kith_condition *conditions)
{
    for (uint32_t i = 0; i < a->id_count; i++) {
        conditions[i] = (kith_condition){ a->ids[i], on_of(a, i) };
    }
    return (kith_reactive_desc){ .name            = "a set",
                                 .conditions      = conditions,
                                 .condition_count = a->id_count,
                                 .filter          = a->query,
                                 .priority        = (int32_t)(a->number % 3) - 1,
                                 .keep_dead       = a->number % 2 != 0 };
}

static void real_reactive_create(stage *s, const argument *a, verb_answer *answer)
{
    kith_condition     conditions[ARGUMENT_SETS];
    kith_reactive_desc desc = reactive_desc(a, conditions);
    s->sets[a->path]        = kith_reactive_create(s->world, &desc);
    answer->result          = s->sets[a->path] != NULL;
}

static void naive_reactive_create(stage *s, const argument *a, verb_answer *answer)
{
    kith_condition     conditions[ARGUMENT_SETS];
    kith_reactive_desc desc = reactive_desc(a, conditions);
    s->model_sets[a->path]  = model_reactive_create(&s->model, &desc);
    answer->result          = s->model_sets[a->path] != 0;
}

static void real_reactive_destroy(stage *s, const argument *a, verb_answer *answer)
{
    answer->result   = kith_reactive_destroy(s->sets[a->path]);
    s->sets[a->path] = answer->result != 0 ? NULL : s->sets[a->path];
}

static void naive_reactive_destroy(stage *s, const argument *a, verb_answer *answer)
{
    answer->result         = model_reactive_destroy(&s->model, s->model_sets[a->path]);
    s->model_sets[a->path] = answer->result != 0 ? 0 : s->model_sets[a->path];
}

static uint64_t sum_of_conditions(const kith_condition *conditions, uint32_t count)
{
    uint64_t sum = count;
    for (uint32_t i = 0; i < count; i++) {
        sum = verb_mix(sum, conditions[i].component + 65536ull * conditions[i].on);
    }
    return sum;
}

static void real_reactive_describe(stage *s, const argument *a, verb_answer *answer)
{
    const kith_reactive_desc *desc = kith_reactive_describe(s->sets[a->path]);
    answer->result                 = sum_of_conditions(desc->conditions, desc->condition_count);
}

static void naive_reactive_describe(stage *s, const argument *a, verb_answer *answer)
{
    const model_reactive *set = model_reactive_describe(&s->model, s->model_sets[a->path]);
    answer->result            = sum_of_conditions(set->conditions, set->condition_count);
}

static void real_reactive_clear(stage *s, const argument *a, verb_answer *answer)
{
    kith_reactive_clear(s->sets[a->path]);
    answer->result = 0;
}

static void naive_reactive_clear(stage *s, const argument *a, verb_answer *answer)
{
    model_reactive_clear(&s->model, s->model_sets[a->path]);
    answer->result = 0;
}

// From any place on.
static void real_reactive_next(stage *s, const argument *a, verb_answer *answer)
{
    uint64_t place = a->number;
    answer->result = kith_reactive_next(s->sets[a->path], &place);
}

static void naive_reactive_next(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_reactive_next(&s->model, s->model_sets[a->path], a->number);
}

#define SET(NAME, ...)                                                                             \
    PAIR(reactive_##NAME, kith_reactive_##NAME(s->sets[a->path] __VA_ARGS__),                      \
         model_reactive_##NAME(&s->model, s->model_sets[a->path] __VA_ARGS__))

SET(update, )
SET(count, )
SET(contains, , a->entity)
SET(remove, , a->entity)

// ---------------------------------------------------------------------------------------------
// Queues
// ---------------------------------------------------------------------------------------------

static const char *const queue_names[STAGE_PATHS] = { "ping", "pong", "gong" };

// Mostly the same, so that a queue is found again; sometimes another one, which is refused.
static kith_queue_desc queue_desc(const argument *a)
{
    uint32_t form = a->number % 16;
    return (kith_queue_desc){ .name       = queue_names[a->path],
                              .size       = form == 15 ? 12 : 8,
                              .alignment  = form == 14 ? 4 : 8,
                              .limit      = a->path + (form == 13) == 1 ? 4 : 0,
                              .saved.form = form == 11 ? KITH_FORM_NONE : KITH_FORM_PLAIN,
                              .saved.unit = form == 12 ? 4 : 8 };
}

static void real_queue_create(stage *s, const argument *a, verb_answer *answer)
{
    kith_queue_desc desc = queue_desc(a);
    kith_queue     *made = kith_queue_of(s->world, &desc);
    bool same = s->queues_of_events[a->path] == NULL || s->queues_of_events[a->path] == made;
    s->queues_of_events[a->path] = made != NULL ? made : s->queues_of_events[a->path];
    answer->result               = made == NULL ? 0 : 1 + same;
}

static void naive_queue_create(stage *s, const argument *a, verb_answer *answer)
{
    kith_queue_desc desc               = queue_desc(a);
    uint32_t        made               = model_queue_create(&s->model, &desc);
    s->model_queues_of_events[a->path] = made != 0 ? made : s->model_queues_of_events[a->path];
    answer->result                     = made == 0 ? 0 : 2;
}

PAIR(queue_find, kith_queue_find(s->world, queue_names[a->path]) != NULL,
     model_queue_find(&s->model, queue_names[a->path]) != 0)

static void handle_event(kith_world *world, const void *event, void *context)
{
    const kith_notice notice = { KITH_EVENT_CREATE, 0, *(const kith_entity *)event, 0 };
    scene_notify(world, &notice, context);
}

static bool is_deaf(const argument *a)
{
    return a->deaf || !a->one;
}

static void real_queue_connect(stage *s, const argument *a, verb_answer *answer)
{
    const kith_handler_desc desc = { .call     = is_deaf(a) ? NULL : handle_event,
                                     .context  = &s->scene->scripts[a->listener],
                                     .priority = a->event_priority };
    kith_listener           made = kith_queue_connect(s->queues_of_events[a->path], &desc);
    answer->result               = made != 0;
    if (made != 0) {
        s->listeners[a->listener] = made;
        s->connected[a->listener] = true;
        if (a->acting) {
            s->scene->scripts[a->listener].verb = NULL;
        }
    }
}

static void naive_queue_connect(stage *s, const argument *a, verb_answer *answer)
{
    const kith_listener_desc desc = { .call     = is_deaf(a) ? NULL : scene_notify,
                                      .context  = &s->scene->scripts[a->listener],
                                      .priority = a->event_priority };
    kith_listener made = model_queue_connect(&s->model, s->model_queues_of_events[a->path], &desc);
    answer->result     = made != 0;
    if (made != 0) {
        s->model_listeners[a->listener] = made;
        s->model_connected[a->listener] = true;
    }
}

static void real_queue_clear(stage *s, const argument *a, verb_answer *answer)
{
    kith_queue_clear(s->queues_of_events[a->path]);
    answer->result = 0;
}

static void naive_queue_clear(stage *s, const argument *a, verb_answer *answer)
{
    model_queue_clear(&s->model, s->model_queues_of_events[a->path]);
    answer->result = 0;
}

// Without a queue there is nothing to describe.
static void real_queue_describe(stage *s, const argument *a, verb_answer *answer)
{
    const kith_queue *queue = s->queues_of_events[a->path];
    answer->result = queue == NULL || kith_queue_describe(queue)->size == sizeof(kith_entity);
}

static void naive_queue_describe(stage *s, const argument *a, verb_answer *answer)
{
    (void)s, (void)a;
    answer->result = 1;
}

#define QUEUE(NAME, ...)                                                                           \
    PAIR(queue_##NAME, kith_queue_##NAME(s->queues_of_events[a->path] __VA_ARGS__),                \
         model_queue_##NAME(&s->model, s->model_queues_of_events[a->path] __VA_ARGS__))

PAIR(queue_enqueue, kith_queue_enqueue(s->queues_of_events[a->path], &a->entity),
     model_queue_enqueue(&s->model, s->model_queues_of_events[a->path], a->entity))
PAIR(queue_trigger, kith_queue_trigger(s->queues_of_events[a->path], &a->entity),
     model_queue_trigger(&s->model, s->model_queues_of_events[a->path], a->entity))
QUEUE(update, )
QUEUE(count, )
QUEUE(reserve, , a->number)
ALONE(queue_update_all)

enum { COLLECTED = VERB_COLLECTED | VERB_SPARES };

const verb verb_events[] = {
    OTHER_ROW(reactive_create, "sets[%Y] = make_set(%I, %b, %Q)", 16, CHANGES | VERB_COLLECTS),
    OTHER_ROW(reactive_destroy, "drop_set(%Y)", 3, TAKES | VERB_COLLECTED),
    OTHER_ROW(reactive_describe, "kith_reactive_describe(sets[%Y])", 1, COLLECTED),
    OTHER_ROW(reactive_update, "kith_reactive_update(sets[%Y])", 24, TAKES | VERB_COLLECTED),
    OTHER_ROW(reactive_clear, "kith_reactive_clear(sets[%Y])", 8, TAKES | VERB_COLLECTED),
    OTHER_ROW(reactive_remove, "kith_reactive_remove(sets[%Y], %e)", 4, TAKES | VERB_COLLECTED),
    OTHER_ROW(reactive_count, "kith_reactive_count(sets[%Y])", 1, COLLECTED),
    OTHER_ROW(reactive_contains, "kith_reactive_contains(sets[%Y], %e)", 1, COLLECTED),
    OTHER_ROW(reactive_next, "kith_reactive_next(sets[%Y], &(uint64_t){ %b })", 2, COLLECTED),
    OTHER_ROW(queue_create, "make_queue(%Y, %b)", 6, CHANGES),
    OTHER_ROW(queue_find, "find_queue(%Y)", 1, ASKS),
    OTHER_ROW(queue_describe, "describe_queue(%Y)", 1, ASKS),
    OTHER_ROW(queue_connect, "listeners[%L] = handle(queues[%Y], &(kith_listener_desc){ %T })", 12,
              CHANGES | VERB_CONNECTS),
    OTHER_ROW(queue_enqueue, "kith_queue_enqueue(queues[%Y], &(kith_entity){ %e })", 16, CHANGES),
    OTHER_ROW(queue_trigger, "kith_queue_trigger(queues[%Y], &(kith_entity){ %e })", 8, TAKES),
    OTHER_ROW(queue_update, "kith_queue_update(queues[%Y])", 8, TAKES),
    ROW(queue_update_all, "world", 6, TAKES),
    OTHER_ROW(queue_clear, "kith_queue_clear(queues[%Y])", 1, TAKES),
    OTHER_ROW(queue_count, "kith_queue_count(queues[%Y])", 1, ASKS),
    OTHER_ROW(queue_reserve, "kith_queue_reserve(queues[%Y], %b)", 2, CHANGES),
};

const uint32_t verb_event_count = sizeof verb_events / sizeof *verb_events;
