// SPDX-License-Identifier: MIT
// Verbs of batches.
#include "verb_pair.h"

#include <string.h>

static model_entity_list in_array(const argument *a)
{
    return (model_entity_list){ a->hints, a->hint_count, false };
}

// The members of the argument's range, which has no more than fit.
static model_entity_list in_range(const argument *a, kith_entity members[MODEL_HINTS])
{
    for (uint32_t i = 0; i < a->range.count; i++) {
        members[i] = kith_entities_at(a->range, i);
    }
    return (model_entity_list){ members, a->range.count, true };
}

// A call with the argument's array, and the same with its range.
#define OF_LIST(NAME, NAIVE, REAL_MANY, REAL_RANGE, ...)                                           \
    PAIR(NAME##_many, REAL_MANY, NAIVE(&s->model, in_array(a) __VA_ARGS__))                        \
    static void real_##NAME##_range(stage *s, const argument *a, verb_answer *answer)              \
    {                                                                                              \
        uint32_t alive = kith_entities_alive(s->world, a->range);                                  \
        answer->result = (REAL_RANGE) ? alive : 0;                                                 \
    }                                                                                              \
    static void naive_##NAME##_range(stage *s, const argument *a, verb_answer *answer)             \
    {                                                                                              \
        kith_entity members[MODEL_HINTS];                                                          \
        answer->result = NAIVE(&s->model, in_range(a, members) __VA_ARGS__);                       \
    }

#define ARRAY a->hints, a->hint_count
#define SETS  a->sets, a->set_count
#define IDS   a->ids, a->id_count
#define ONE   &a->component, 1
#define ALSO  ,

OF_LIST(entity_destroy, model_entity_destroy_many,
        kith_entity_destroy_many(s->world, kith_entities_of(ARRAY)),
        kith_entity_destroy_many(s->world, a->range), )
OF_LIST(entity_set, model_entity_set_many,
        kith_entity_set_many(s->world, kith_entities_of(ARRAY), SETS),
        kith_entity_set_many(s->world, a->range, SETS), ALSO SETS)
OF_LIST(entity_remove, model_entity_remove_many,
        kith_entity_remove_many(s->world, kith_entities_of(ARRAY), IDS),
        kith_entity_remove_many(s->world, a->range, IDS), ALSO IDS)
OF_LIST(component_set, model_entity_set_many,
        kith_entity_set_many(s->world, kith_entities_of(ARRAY), a->sets, 1),
        kith_entity_set_many(s->world, a->range, a->sets, 1), ALSO a->sets, 1)
OF_LIST(component_remove, model_entity_remove_many,
        kith_entity_remove_many(s->world, kith_entities_of(ARRAY), ONE),
        kith_entity_remove_many(s->world, a->range, ONE), ALSO ONE)

OF_LIST(entity_set_components, model_entity_set_components,
        kith_entity_set_components(s->world, kith_entities_of(ARRAY), SETS),
        kith_entity_set_components(s->world, a->range, SETS), ALSO SETS)

PAIR(entity_set_components,
     kith_entity_set_components(s->world, kith_entities_of(&a->entity, 1), SETS),
     model_entity_set_components(&s->model, (model_entity_list){ &a->entity, 1, false }, SETS))

PAIR(entities_at, kith_entities_at(a->range, a->count),
     a->count < a->range.count ? a->range.first + a->count : KITH_NULL)

PAIR(entities_alive, kith_entities_alive(s->world, kith_entities_of(ARRAY)),
     model_entities_alive(&s->model, in_array(a)))

// When the value with the argument's number expires. The ticks of tokens are unknown: all of those.
static uint64_t tick_of(const stage *s, const argument *a)
{
    const kith_component_desc *desc = kith_component_describe(s->world, a->component);
    bool known = desc != NULL && desc->traits.hooks.destruct == NULL && desc->size >= 8;
    return known ? value_expires(a->number, desc->size) : UINT64_MAX;
}

PAIR(world_expire, kith_world_expire(s->world, a->component, tick_of(s, a)),
     model_world_expire(&s->model, a->component, tick_of(s, a), value_expires))

// ---------------------------------------------------------------------------------------------
// Making
// ---------------------------------------------------------------------------------------------

static void issue_all(stage *s, const verb_answer *answer)
{
    for (uint32_t i = 0; i < answer->length; i++) {
        stage_issue(s, answer->list[i]);
    }
}

static void real_entity_create_many(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = kith_entity_create_many(s->world, answer->list, a->few, NULL, 0);
    answer->length = answer->result != 0 ? a->few : 0;
}

static void naive_entity_create_many(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_entity_create_many(&s->model, answer->list, a->few, NULL, 0);
    answer->length = answer->result != 0 ? a->few : 0;
    issue_all(s, answer);
}

static void real_entity_create_with(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = kith_entity_create_many(s->world, answer->list, a->few, SETS);
    answer->length = answer->result != 0 ? a->few : 0;
}

static void naive_entity_create_with(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_entity_create_many(&s->model, answer->list, a->few, SETS);
    answer->length = answer->result != 0 ? a->few : 0;
    issue_all(s, answer);
}

static void real_entity_clone_many(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = kith_entity_clone_many(s->world, a->entity, answer->list, a->few);
    answer->length = answer->result != 0 ? a->few : 0;
}

static void naive_entity_clone_many(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_entity_clone_many(&s->model, a->entity, answer->list, a->few);
    answer->length = answer->result != 0 ? a->few : 0;
    issue_all(s, answer);
}

static void real_entities_clone(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = kith_entities_clone(s->world, s->world, ARRAY, answer->list);
    answer->length = answer->result != 0 ? a->hint_count : 0;
}

static void naive_entities_clone(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_entities_clone(&s->model, in_array(a), answer->list);
    answer->length = answer->result != 0 ? a->hint_count : 0;
    issue_all(s, answer);
}

static void answer_range(verb_answer *answer, kith_entities range)
{
    answer->result  = range.count;
    answer->list[0] = range.first;
    answer->length  = range.count != 0;
}

static void real_entity_create_range(stage *s, const argument *a, verb_answer *answer)
{
    answer_range(answer, kith_entity_create_range(s->world, a->few));
}

static void naive_entity_create_range(stage *s, const argument *a, verb_answer *answer)
{
    kith_entities range = model_entity_create_range(&s->model, a->few);
    answer_range(answer, range);
    for (uint32_t i = 0; i < range.count; i++) {
        stage_issue(s, range.first + i);
    }
}

const verb verb_batches[] = {
    ROW(entity_create_many, "world, out, %l, NULL, 0", 6, MAKES),
    OTHER_ROW(entity_create_with, "kith_entity_create_many(world, out, %l, %V)", 8, MAKES),
    ROW(entity_create_range, "world, %l", 5, MAKES),
    ROW(entities_alive, "world, kith_entities_of(%Z)", 2, ASKS),
    ROW(entities_at, "%r, %n", 1, ASKS),
    ROW(entity_clone_many, "world, %e, out, %l", 8, MAKES),
    ROW(entities_clone, "world, world, %Z, out", 8, MAKES),
    OTHER_ROW(entity_set_components,
              "kith_entity_set_components(world, kith_entities_of(&(kith_entity){ %e }, 1), %V)", 6,
              CHANGES),
    OTHER_ROW(entity_set_components_many,
              "kith_entity_set_components(world, kith_entities_of(%Z), %V)", 10, CHANGES),
    OTHER_ROW(entity_set_components_range, "kith_entity_set_components(world, %r, %V)", 5, CHANGES),
    ROW(entity_destroy_many, "world, kith_entities_of(%Z)", 8, TAKES),
    OTHER_ROW(entity_destroy_range, "kith_entity_destroy_many(world, %r)", 4, TAKES),
    ROW(entity_set_many, "world, kith_entities_of(%Z), %V", 20, CHANGES),
    OTHER_ROW(entity_set_range, "kith_entity_set_many(world, %r, %V)", 10, CHANGES),
    ROW(entity_remove_many, "world, kith_entities_of(%Z), %I", 10, TAKES),
    OTHER_ROW(entity_remove_range, "kith_entity_remove_many(world, %r, %I)", 5, TAKES),
    OTHER_ROW(component_set_many, "set_first(world, kith_entities_of(%Z), %V)", 12, CHANGES),
    OTHER_ROW(component_set_range, "set_first(world, %r, %V)", 6, CHANGES),
    OTHER_ROW(world_expire, "kith_world_expire(world, %c, expires(%b))", 3, TAKES),
    OTHER_ROW(component_remove_many,
              "kith_entity_remove_many(world, kith_entities_of(%Z), &(kith_component){ %c }, 1)", 8,
              TAKES),
    OTHER_ROW(component_remove_range,
              "kith_entity_remove_many(world, %r, &(kith_component){ %c }, 1)", 4, TAKES),
};

const uint32_t verb_batch_count = sizeof verb_batches / sizeof *verb_batches;
