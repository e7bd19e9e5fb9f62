// SPDX-License-Identifier: MIT
// Verbs of links. Other verbs never name one.
#include "verb_pair.h"

#define LINK_DESC (&(kith_link_desc){ "tied", TIED, KITH_TARGET_CLEAR })

static kith_component lists_in_world(const stage *s)
{
    return kith_component_find(s->world, "tied.holders");
}

static void real_link_register(stage *s, const argument *a, verb_answer *answer)
{
    (void)a;
    answer->result = kith_link_register(s->world, LINK_DESC);
    if (answer->result == 0 && s->memory.refused != 0) {
        stage_drop_frames(s); // it may count as a registration, which the model does not know
    }
}

static void naive_link_register(stage *s, const argument *a, verb_answer *answer)
{
    (void)a;
    answer->result = model_link_register(&s->model, LINK_DESC);
    stage_learn(s);
}

CALL(link_set, a->entity, TIED, a->other)
CALL(link_remove, a->entity, TIED)
CALL(holders_count, TIED, a->entity)

#define TO_OTHER  (&(kith_link){ .target = a->other })
#define TO_ENTITY (&(kith_values){ TIED, &(kith_link){ .target = a->entity }, 0 })
#define HINTED                                                                                     \
    (model_entity_list)                                                                            \
    {                                                                                              \
        a->hints, a->hint_count, false                                                             \
    }

PAIR(link_component_set, kith_component_set(s->world, a->entity, TIED, TO_OTHER) != NULL,
     model_link_set(&s->model, a->entity, TIED, a->other))
PAIR(link_component_remove, kith_component_remove(s->world, a->entity, TIED),
     model_component_remove(&s->model, a->entity, TIED))
PAIR(link_clear, kith_component_clear(s->world, TIED), model_component_clear(&s->model, TIED))
PAIR(link_disable, kith_component_enable(s->world, a->entity, TIED, a->number % 2),
     model_component_enable(&s->model, a->entity, TIED, a->number % 2))
PAIR(list_remove, kith_component_remove(s->world, a->entity, lists_in_world(s)),
     model_component_remove(&s->model, a->entity, s->model.holding.lists))
PAIR(link_set_many,
     kith_entity_set_many(s->world, kith_entities_of(a->hints, a->hint_count), TO_ENTITY, 1),
     model_entity_set_many(&s->model, HINTED, TO_ENTITY, 1))
PAIR(link_remove_many,
     kith_entity_remove_many(s->world, kith_entities_of(a->hints, a->hint_count),
                             &(kith_component){ TIED }, 1),
     model_entity_remove_many(&s->model, HINTED, &(kith_component){ TIED }, 1))

static void real_link_create(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = kith_entity_create_many(s->world, answer->list, a->few, TO_ENTITY, 1);
    answer->length = answer->result != 0 ? a->few : 0;
}

static void naive_link_create(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_entity_create_many(&s->model, answer->list, a->few, TO_ENTITY, 1);
    answer->length = answer->result != 0 ? a->few : 0;
    for (uint32_t i = 0; i < answer->length; i++) {
        stage_issue(s, answer->list[i]);
    }
}

// A batch that fails may leave a target with an empty list, so nothing goes wrong in its middle.
const verb verb_links[] = {
    OTHER_ROW(link_register, "kith_link_register(world, &(kith_link_desc){ \"tied\", 30, 0 })", 1,
              CHANGES),
    ROW(link_set, "world, %e, 30, %o", 40, CHANGES),
    ROW(link_remove, "world, %e, 30", 6, TAKES),
    ROW(holders_count, "world, 30, %e", 1, ASKS),
    OTHER_ROW(link_component_set, "kith_component_set(world, %e, 30, &(kith_link){ .target = %o })",
              10, CHANGES),
    OTHER_ROW(link_component_remove, "kith_component_remove(world, %e, 30)", 3, TAKES),
    OTHER_ROW(link_clear, "kith_component_clear(world, 30)", 1, TAKES),
    OTHER_ROW(link_disable, "kith_component_enable(world, %e, 30, (%b & 1) != 0)", 2, CHANGES),
    OTHER_ROW(list_remove,
              "kith_component_remove(world, %e, kith_component_find(world, \"tied.holders\"))", 2,
              TAKES),
    OTHER_ROW(link_set_many,
              "kith_entity_set_many(world, kith_entities_of(%Z), &(kith_values){ 30, &(kith_link){ "
              ".target = %e }, 0 }, 1)",
              8, CHANGES | VERB_SMOOTH),
    OTHER_ROW(link_remove_many,
              "kith_entity_remove_many(world, kith_entities_of(%Z), &(kith_component){ 30 }, 1)", 3,
              TAKES),
    OTHER_ROW(link_create,
              "kith_entity_create_many(world, out, %l, &(kith_values){ 30, &(kith_link){ .target = "
              "%e }, 0 }, 1)",
              4, MAKES | VERB_SMOOTH),
};

const uint32_t verb_link_count = sizeof verb_links / sizeof *verb_links;
