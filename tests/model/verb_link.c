// SPDX-License-Identifier: MIT
// Verbs of links. Other verbs never set one.
#include "verb_pair.h"

#include <stdio.h>

static const kith_link_desc link_descs[MODEL_LINKS] = {
    { "tied", TIED, KITH_TARGET_CLEAR },
    { "belongs", BELONGS, KITH_TARGET_DESTROY },
    { "barred", BARRED, KITH_TARGET_REFUSE },
};

// The component of the targets of the argument's link.
static kith_component lists_in_world(const stage *s, const argument *a)
{
    char name[MODEL_NAME];
    snprintf(name, sizeof name, "%s.holders", link_descs[a->component - TIED].name);
    return kith_component_find(s->world, name);
}

static kith_component lists_in_model(const stage *s, const argument *a)
{
    kith_component lists = 0;
    for (uint32_t i = 0; i < s->model.holding_count; i++) {
        const model_holding *one = &s->model.holdings[i];
        lists                    = one->id == a->component ? one->lists : lists;
    }
    return lists;
}

static void register_in_world(stage *s, uint32_t which, verb_answer *answer)
{
    answer->result = kith_link_register(s->world, &link_descs[which]);
    if (answer->result == 0 && s->memory.refused != 0) {
        stage_drop_frames(s); // it may count as a registration, which the model does not know
    }
}

static void register_in_model(stage *s, uint32_t which, verb_answer *answer)
{
    answer->result = model_link_register(&s->model, &link_descs[which]);
    stage_learn(s);
}

#define REGISTERS(NAME, WHICH)                                                                     \
    static void real_register_##NAME(stage *s, const argument *a, verb_answer *answer)             \
    {                                                                                              \
        (void)a;                                                                                   \
        register_in_world(s, WHICH, answer);                                                       \
    }                                                                                              \
    static void naive_register_##NAME(stage *s, const argument *a, verb_answer *answer)            \
    {                                                                                              \
        (void)a;                                                                                   \
        register_in_model(s, WHICH, answer);                                                       \
    }

REGISTERS(tied, 0)
REGISTERS(belongs, 1)
REGISTERS(barred, 2)

CALL(link_set, a->entity, a->component, a->other)
CALL(link_remove, a->entity, a->component)
CALL(holders_count, a->component, a->entity)

#define TO_OTHER  (&(kith_link){ .target = a->other })
#define TO_ENTITY (&(kith_values){ a->component, &(kith_link){ .target = a->entity }, 0 })
#define TO_BOTH                                                                                    \
    (&(kith_values){ a->component,                                                                 \
                     (kith_link[MODEL_HINTS]){ { .target = a->entity },                            \
                                               { .target = a->other },                             \
                                               { .target = a->entity },                            \
                                               { .target = a->entity },                            \
                                               { .target = a->other },                             \
                                               { .target = a->entity },                            \
                                               { .target = a->other },                             \
                                               { .target = a->other } },                           \
                     sizeof(kith_link) })
#define HINTED                                                                                     \
    (model_entity_list)                                                                            \
    {                                                                                              \
        a->hints, a->hint_count, false                                                             \
    }

PAIR(link_component_set, kith_component_set(s->world, a->entity, a->component, TO_OTHER) != NULL,
     model_link_set(&s->model, a->entity, a->component, a->other))
PAIR(link_component_remove, kith_component_remove(s->world, a->entity, a->component),
     model_component_remove(&s->model, a->entity, a->component))
PAIR(link_clear, kith_component_clear(s->world, a->component),
     model_component_clear(&s->model, a->component))
PAIR(link_disable, kith_component_enable(s->world, a->entity, a->component, a->number % 2),
     model_component_enable(&s->model, a->entity, a->component, a->number % 2))
PAIR(list_remove, kith_component_remove(s->world, a->entity, lists_in_world(s, a)),
     model_component_remove(&s->model, a->entity, lists_in_model(s, a)))
PAIR(link_set_many,
     kith_entity_set_many(s->world, kith_entities_of(a->hints, a->hint_count), TO_ENTITY, 1),
     model_entity_set_many(&s->model, HINTED, TO_ENTITY, 1))
PAIR(link_set_each,
     kith_entity_set_many(s->world, kith_entities_of(a->hints, a->hint_count), TO_BOTH, 1),
     model_entity_set_many(&s->model, HINTED, TO_BOTH, 1))
PAIR(link_set_components,
     kith_entity_set_components(s->world, kith_entities_of(a->hints, a->hint_count), TO_ENTITY, 1),
     model_entity_set_components(&s->model, HINTED, TO_ENTITY, 1))
PAIR(link_remove_many,
     kith_entity_remove_many(s->world, kith_entities_of(a->hints, a->hint_count),
                             &(kith_component){ a->component }, 1),
     model_entity_remove_many(&s->model, HINTED, &(kith_component){ a->component }, 1))

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
    OTHER_ROW(register_tied, "kith_link_register(world, &(kith_link_desc){ \"tied\", 30, 0 })", 1,
              CHANGES),
    OTHER_ROW(register_belongs,
              "kith_link_register(world, &(kith_link_desc){ \"belongs\", 31, 1 })", 1, CHANGES),
    OTHER_ROW(register_barred, "kith_link_register(world, &(kith_link_desc){ \"barred\", 32, 2 })",
              1, CHANGES),
    ROW(link_set, "world, %e, %1, %o", 50, CHANGES),
    ROW(link_remove, "world, %e, %1", 8, TAKES),
    ROW(holders_count, "world, %1, %e", 1, ASKS),
    OTHER_ROW(link_component_set, "kith_component_set(world, %e, %1, &(kith_link){ .target = %o })",
              15, CHANGES),
    OTHER_ROW(link_component_remove, "kith_component_remove(world, %e, %1)", 3, TAKES),
    OTHER_ROW(link_clear, "kith_component_clear(world, %1)", 1, TAKES),
    OTHER_ROW(link_disable, "kith_component_enable(world, %e, %1, (%b & 1) != 0)", 2, CHANGES),
    OTHER_ROW(list_remove, "kith_component_remove(world, %e, lists_of(%1))", 3, TAKES),
    OTHER_ROW(link_set_many,
              "kith_entity_set_many(world, kith_entities_of(%Z), &(kith_values){ %1, &(kith_link){ "
              ".target = %e }, 0 }, 1)",
              8, CHANGES | VERB_SMOOTH),
    OTHER_ROW(link_set_each, "link_each(kith_entities_of(%Z), %1, %e, %o)", 8,
              CHANGES | VERB_SMOOTH),
    OTHER_ROW(link_set_components,
              "kith_entity_set_components(world, kith_entities_of(%Z), &(kith_values){ %1, "
              "&(kith_link){ .target = %e }, 0 }, 1)",
              2, CHANGES | VERB_SMOOTH),
    OTHER_ROW(link_remove_many,
              "kith_entity_remove_many(world, kith_entities_of(%Z), &(kith_component){ %1 }, 1)", 3,
              TAKES),
    OTHER_ROW(link_create,
              "kith_entity_create_many(world, out, %l, &(kith_values){ %1, &(kith_link){ .target = "
              "%e }, 0 }, 1)",
              6, MAKES | VERB_SMOOTH),
};

const uint32_t verb_link_count = sizeof verb_links / sizeof *verb_links;
