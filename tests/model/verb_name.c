// SPDX-License-Identifier: MIT
// Verbs of names. Other verbs never set one.
#include "verb_pair.h"

#include <string.h>

static const kith_name_desc name_descs[] = {
    { "label", LABEL, false },
    { "badge", BADGE, true },
};

PAIR(register_label, kith_name_register(s->world, &name_descs[0]),
     model_name_register(&s->model, &name_descs[0]))
PAIR(register_badge, kith_name_register(s->world, &name_descs[1]),
     model_name_register(&s->model, &name_descs[1]))

static uint32_t number_of(const argument *a)
{
    return a->number % NAME_TEXTS;
}

// The values of a batch, for the world and for the model, which reads the first byte: one for all,
// or one for each.
typedef struct name_values {
    kith_text   texts[MODEL_HINTS];
    uint8_t     numbers[MODEL_HINTS * sizeof(kith_text)];
    kith_values real;
    kith_values naive;
} name_values;

static const name_values *values_of(const argument *a, bool each, name_values *v)
{
    for (uint32_t i = 0; i < MODEL_HINTS; i++) {
        v->texts[i]                       = kith_text_of(name_text(number_of(a) + i));
        v->numbers[i * sizeof(kith_text)] = (uint8_t)((number_of(a) + i) % NAME_TEXTS);
    }
    v->real  = (kith_values){ a->component, v->texts, each ? sizeof(kith_text) : 0 };
    v->naive = (kith_values){ a->component, v->numbers, each ? sizeof(kith_text) : 0 };
    return v;
}

#define ONE_TEXT                                                                                   \
    (&(kith_text){ .far_ = name_text(a->number), .size = (uint32_t)strlen(name_text(a->number)) })
#define REAL(EACH)  (&values_of(a, EACH, &(name_values){ .real = { 0 } })->real)
#define NAIVE(EACH) (&values_of(a, EACH, &(name_values){ .real = { 0 } })->naive)
#define LIST        kith_entities_of(a->hints, a->hint_count)
#define HINTED                                                                                     \
    (model_entity_list)                                                                            \
    {                                                                                              \
        a->hints, a->hint_count, false                                                             \
    }

PAIR(name_find, kith_name_find(s->world, a->component, name_text(a->number)),
     model_name_find(&s->model, a->component, number_of(a)))
PAIR(name_claim, kith_name_claim(s->world, a->entity, a->component, name_text(a->number)),
     model_name_claim(&s->model, a->entity, a->component, number_of(a)))
PAIR(name_set,
     stage_see(s, a->component, kith_component_set(s->world, a->entity, a->component, ONE_TEXT)),
     model_component_set(&s->model, a->entity, a->component, &(uint8_t){ (uint8_t)number_of(a) }))
PAIR(name_add,
     stage_see(s, a->component, kith_component_add(s->world, a->entity, a->component, ONE_TEXT)),
     model_component_add(&s->model, a->entity, a->component, &(uint8_t){ (uint8_t)number_of(a) }))
PAIR(name_get, stage_see(s, a->component, kith_component_get(s->world, a->entity, a->component)),
     model_component_get(&s->model, a->entity, a->component))
PAIR(name_remove, kith_component_remove(s->world, a->entity, a->component),
     model_component_remove(&s->model, a->entity, a->component))
PAIR(name_clear, kith_component_clear(s->world, a->component),
     model_component_clear(&s->model, a->component))
PAIR(name_disable, kith_component_enable(s->world, a->entity, a->component, a->number % 2),
     model_component_enable(&s->model, a->entity, a->component, a->number % 2))
PAIR(name_fill_many, kith_entity_set_many(s->world, LIST, REAL(false), 1),
     model_entity_set_many(&s->model, HINTED, NAIVE(false), 1))
PAIR(name_set_each, kith_entity_set_many(s->world, LIST, REAL(true), 1),
     model_entity_set_many(&s->model, HINTED, NAIVE(true), 1))
PAIR(name_set_components, kith_entity_set_components(s->world, LIST, REAL(true), 1),
     model_entity_set_components(&s->model, HINTED, NAIVE(true), 1))
PAIR(name_remove_many,
     kith_entity_remove_many(s->world, LIST, &(kith_component){ a->component }, 1),
     model_entity_remove_many(&s->model, HINTED, &(kith_component){ a->component }, 1))

static void real_name_create(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = kith_entity_create_many(s->world, answer->list, a->few, REAL(true), 1);
    answer->length = answer->result != 0 ? a->few : 0;
}

static void naive_name_create(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_entity_create_many(&s->model, answer->list, a->few, NAIVE(true), 1);
    answer->length = answer->result != 0 ? a->few : 0;
    for (uint32_t i = 0; i < answer->length; i++) {
        stage_issue(s, answer->list[i]);
    }
}

enum { FINDS = VERB_SMOOTH | VERB_RENEWS };

// Finding may lack the memory to listen, which the model does not know.
const verb verb_names[] = {
    OTHER_ROW(register_label,
              "kith_name_register(world, &(kith_name_desc){ \"label\", 40, false })", 1, CHANGES),
    OTHER_ROW(register_badge, "kith_name_register(world, &(kith_name_desc){ \"badge\", 41, true })",
              1, CHANGES),
    OTHER_ROW(name_find, "kith_name_find(world, %2, spell(%b))", 12, FINDS),
    OTHER_ROW(name_claim, "kith_name_claim(world, %e, %2, spell(%b))", 20, FINDS | CHANGES),
    OTHER_ROW(name_set, "kith_component_set(world, %e, %2, named(spell(%b)))", 40, CHANGES),
    OTHER_ROW(name_add, "kith_component_add(world, %e, %2, named(spell(%b)))", 8, CHANGES),
    OTHER_ROW(name_get, "kith_component_get(world, %e, %2)", 1, ASKS),
    OTHER_ROW(name_remove, "kith_component_remove(world, %e, %2)", 8, TAKES),
    OTHER_ROW(name_clear, "kith_component_clear(world, %2)", 1, TAKES),
    OTHER_ROW(name_disable, "kith_component_enable(world, %e, %2, (%b & 1) != 0)", 2, CHANGES),
    OTHER_ROW(name_fill_many, "name_many(kith_entities_of(%Z), %2, %b, 0)", 8, CHANGES),
    OTHER_ROW(name_set_each, "name_many(kith_entities_of(%Z), %2, %b, 1)", 8, CHANGES),
    OTHER_ROW(name_set_components, "name_many(kith_entities_of(%Z), %2, %b, 2)", 2, CHANGES),
    OTHER_ROW(name_remove_many,
              "kith_entity_remove_many(world, kith_entities_of(%Z), &(kith_component){ %2 }, 1)", 3,
              TAKES),
    OTHER_ROW(name_create, "name_create(%l, %2, %b)", 6, MAKES),
};

const uint32_t verb_name_count = sizeof verb_names / sizeof *verb_names;
