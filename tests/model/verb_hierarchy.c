// SPDX-License-Identifier: MIT
// Verbs of hierarchies, and of calls on their components that hand out no links to write. Writing
// links directly breaks a hierarchy, so the other verbs never name one.
#include "scene.h"
#include "verb_pair.h"

// ---------------------------------------------------------------------------------------------
// Registering
// ---------------------------------------------------------------------------------------------

enum { OTHER_POLICY = 15, NO_POLICY = 14, RUN_TIME_ID = 13 };

static const char *const tree_names[STAGE_TREES] = { "scene", "crew" };

// Mostly the same, so that a hierarchy is found again.
static kith_hierarchy_desc tree_desc(const argument *a)
{
    uint32_t form  = a->number % 16;
    uint32_t which = a->number / 16 % STAGE_TREES;
    uint32_t ends  = form == NO_POLICY ? 2 : form == OTHER_POLICY ? 1 - which : which;
    return (kith_hierarchy_desc){ .name      = tree_names[which],
                                  .id        = form == RUN_TIME_ID ? 0 : SCENE + which,
                                  .children  = (kith_children)ends,
                                  .row_ticks = which == 1 };
}

static void real_hierarchy_register(stage *s, const argument *a, verb_answer *answer)
{
    kith_hierarchy_desc desc = tree_desc(a);
    kith_component      made = kith_hierarchy_register(s->world, &desc);
    uint32_t            at   = 0;
    while (at < s->tree_count && s->trees[at] != made) {
        at++;
    }
    if (made != 0 && at == s->tree_count) {
        s->trees[s->tree_count++] = made;
    }
    if (made == 0 && s->memory.refused != 0) {
        stage_drop_frames(s); // it may count as a registration, which the model does not know
    }
    answer->result = made;
}

static void naive_hierarchy_register(stage *s, const argument *a, verb_answer *answer)
{
    kith_hierarchy_desc desc = tree_desc(a);
    answer->result           = model_hierarchy_register(&s->model, &desc);
    stage_learn(s);
}

// The component alone, as KITH_COMPONENT_AS would register it: values without a save form would be
// in no hash.
static kith_component_desc node_desc(const argument *a)
{
    kith_hierarchy_desc tree = tree_desc(a);
    return (kith_component_desc){ .name      = tree.name,
                                  .id        = tree.id,
                                  .size      = sizeof(kith_node),
                                  .alignment = _Alignof(kith_node),

                                  .traits.row_ticks = tree.row_ticks,
                                  .traits.saved     = KITH_AS(fields(kith_node)) };
}

static void real_node_register(stage *s, const argument *a, verb_answer *answer)
{
    kith_component_desc desc = node_desc(a);
    answer->result           = kith_component_register(s->world, &desc);
}

static void naive_node_register(stage *s, const argument *a, verb_answer *answer)
{
    kith_component_desc desc = node_desc(a);
    answer->result           = model_component_register(&s->model, &desc);
    stage_learn(s);
}

// ---------------------------------------------------------------------------------------------
// Changing
// ---------------------------------------------------------------------------------------------

CALL(hierarchy_insert, a->component, a->entity, a->other, a->before)
CALL(hierarchy_append, a->component, a->entity, a->other)
CALL(hierarchy_insert_at, a->component, a->entity, a->other, a->few)
CALL(hierarchy_detach, a->component, a->entity)
CALL(hierarchy_sort, a->component)

// Comparing is asking, as hooks do; how often is the library's business.
typedef struct sibling_comparison {
    stage   *stage;
    uint32_t mask;
    bool     asked;
} sibling_comparison;

static int compare_siblings(kith_entity a, kith_entity b, void *context)
{
    sibling_comparison *c = context;
    if (!c->asked) {
        c->asked = true;
        hook_run(&c->stage->hooks);
    }
    return (int)(kith_entity_index(a) & c->mask) - (int)(kith_entity_index(b) & c->mask);
}

// Seldom without a function.
static bool compares(const argument *a)
{
    return a->number % 16 != 15;
}

PAIR(hierarchy_sort_children,
     kith_hierarchy_sort_children(s->world, a->component, a->entity,
                                  compares(a) ? compare_siblings : NULL,
                                  &(sibling_comparison){ s, a->number, false }),
     model_hierarchy_sort_children(&s->model, a->component, a->entity, compares(a), a->number))

// ---------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------

static void answer_node(verb_answer *answer, const kith_node *node)
{
    answer->list[0] = node->parent;
    answer->list[1] = node->first;
    answer->list[2] = node->last;
    answer->list[3] = node->previous;
    answer->list[4] = node->next;
    answer->list[5] = node->count;
    answer->list[6] = node->unused;
    answer->length  = 7;
}

// Of a component that is no hierarchy only whether the entity has it.
static void real_node_get(stage *s, const argument *a, verb_answer *answer)
{
    const void *value = kith_component_get(s->world, a->entity, a->component);
    answer->result    = value != NULL;
    if (value != NULL && stage_is_tree(s, a->component)) {
        answer_node(answer, value);
    }
}

static void naive_node_get(stage *s, const argument *a, verb_answer *answer)
{
    kith_node node;
    answer->result = model_component_get(&s->model, a->entity, a->component) != 0;
    if (answer->result != 0 && stage_is_tree(s, a->component)) {
        model_tree_node(&s->model, a->component, a->entity, &node);
        answer_node(answer, &node);
    }
}

CALL(hierarchy_root, a->component, a->entity)
CALL(hierarchy_depth, a->component, a->entity)
CALL(hierarchy_is_below, a->component, a->entity, a->other)
CALL(hierarchy_next, a->component, a->entity, a->other)
CALL(hierarchy_skip, a->component, a->entity, a->other)

// As many as there is room for.
static uint32_t capacity_of(const argument *a)
{
    return a->few < MODEL_HINTS ? a->few : (uint32_t)MODEL_HINTS;
}

static void real_hierarchy_levels(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t capacity = capacity_of(a);
    answer->result =
        kith_hierarchy_levels(s->world, a->component, a->entity, answer->list, capacity);
    answer->length = answer->result < capacity ? (uint32_t)answer->result : capacity;
}

static void naive_hierarchy_levels(stage *s, const argument *a, verb_answer *answer)
{
    kith_entity list[MODEL_ROWS];
    uint32_t    capacity = capacity_of(a);
    answer->result       = model_hierarchy_levels(&s->model, a->component, a->entity, list);
    for (uint32_t i = 0; i < capacity && i < answer->result; i++) {
        answer->list[answer->length++] = list[i];
    }
}

// What is wrong has a reason.
static void real_hierarchy_validate(stage *s, const argument *a, verb_answer *answer)
{
    const char *reason = "";
    answer->result     = kith_hierarchy_validate(s->world, a->component, &reason);
    answer->list[0]    = reason != NULL;
    answer->length     = 1;
}

static void naive_hierarchy_validate(stage *s, const argument *a, verb_answer *answer)
{
    answer->result  = model_hierarchy_validate(&s->model, a->component);
    answer->list[0] = answer->result == 0;
    answer->length  = 1;
}

// ---------------------------------------------------------------------------------------------
// The component
// ---------------------------------------------------------------------------------------------

// An entity that has it keeps its value.
PAIR(node_set,
     stage_see(s, a->component, kith_component_set(s->world, a->entity, a->component, a->value)),
     model_component_set(&s->model, a->entity, a->component, a->value))
PAIR(node_set_if_changed,
     kith_component_set_if_changed(s->world, a->entity, a->component, a->value),
     model_component_set_if_changed(&s->model, a->entity, a->component, a->value))

#define NODE_SET   (&(kith_values){ .component = a->component })
#define NODE_VALUE (&(kith_values){ a->component, a->value, 0 })

PAIR(node_set_many,
     kith_entity_set_many(s->world, kith_entities_of(a->hints, a->hint_count),
                          &(kith_values){ a->component, a->value, 0 }, 1),
     model_entity_set_many(&s->model, (model_entity_list){ a->hints, a->hint_count, false },
                           NODE_VALUE, 1))
PAIR(node_set_components,
     kith_entity_set_components(s->world, kith_entities_of(a->hints, a->hint_count), NODE_VALUE, 1),
     model_entity_set_components(&s->model, (model_entity_list){ a->hints, a->hint_count, false },
                                 NODE_VALUE, 1))

static void real_node_create(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = kith_entity_create_many(s->world, answer->list, a->few, NODE_SET, 1);
    answer->length = answer->result != 0 ? a->few : 0;
}

static void naive_node_create(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_entity_create_many(&s->model, answer->list, a->few, NODE_SET, 1);
    answer->length = answer->result != 0 ? a->few : 0;
    for (uint32_t i = 0; i < answer->length; i++) {
        stage_issue(s, answer->list[i]);
    }
}

PAIR(node_remove_many,
     kith_entity_remove_many(s->world, kith_entities_of(a->hints, a->hint_count),
                             &(kith_component){ a->component }, 1),
     model_entity_remove_many(&s->model, (model_entity_list){ a->hints, a->hint_count, false },
                              &a->component, 1))

#define NODE(NAME, CALL, ...)                                                                      \
    PAIR(NAME, kith_component_##CALL(s->world, __VA_ARGS__),                                       \
         model_component_##CALL(&s->model, __VA_ARGS__))

PAIR(node_add,
     stage_see(s, a->component, kith_component_add(s->world, a->entity, a->component, NULL)),
     model_component_add(&s->model, a->entity, a->component, NULL))
NODE(node_remove, remove, a->entity, a->component)
NODE(node_disable, enable, a->entity, a->component, false)
NODE(node_enable, enable, a->entity, a->component, true)
NODE(node_clear, clear, a->component)
NODE(node_compact, compact, a->component)
NODE(node_limit_set, limit_set, a->component, a->count)
NODE(node_swap, swap, a->component, a->entity, a->other)
PAIR(node_sort_as,
     kith_component_sort(s->world, a->example, &(kith_sort_desc){ .as = a->component }),
     model_component_sort_as(&s->model, a->example, a->component))
PAIR(node_sort_like,
     kith_component_sort(s->world, a->component, &(kith_sort_desc){ .as = a->example }),
     model_component_sort_as(&s->model, a->component, a->example))

enum {
    TREE_ASKS    = ASKS | VERB_TREE,
    TREE_TAKES   = TAKES | VERB_TREE,
    TREE_CHANGES = CHANGES | VERB_TREE
};

const verb verb_hierarchies[] = {
    OTHER_ROW(hierarchy_register, "make_tree(%b)", 4, CHANGES),
    OTHER_ROW(node_register, "make_nodes(%b)", 2, CHANGES),
    ROW(hierarchy_insert, "world, %F, %e, %o, %J", 16, TREE_CHANGES),
    ROW(hierarchy_append, "world, %F, %e, %o", 48, TREE_CHANGES),
    ROW(hierarchy_insert_at, "world, %F, %e, %o, %l", 16, TREE_CHANGES),
    ROW(hierarchy_detach, "world, %F, %e", 8, TREE_TAKES),
    OTHER_ROW(hierarchy_sort_children, "sort_children(%F, %e, %b)", 8, TREE_TAKES),
    ROW(hierarchy_sort, "world, %F", 8, TREE_TAKES),
    ROW(hierarchy_root, "world, %F, %e", 1, TREE_ASKS),
    ROW(hierarchy_depth, "world, %F, %e", 1, TREE_ASKS),
    ROW(hierarchy_is_below, "world, %F, %e, %o", 2, TREE_ASKS),
    ROW(hierarchy_next, "world, %F, %e, %o", 3, TREE_ASKS),
    ROW(hierarchy_skip, "world, %F, %e, %o", 3, TREE_ASKS),
    OTHER_ROW(hierarchy_levels, "list_levels(%F, %e, %l)", 2, TREE_ASKS),
    ROW(hierarchy_validate, "world, %F, NULL", 1, TREE_ASKS),
    OTHER_ROW(node_set, "kith_component_set(world, %e, %F, %v)", 4, TREE_CHANGES),
    OTHER_ROW(node_set_if_changed, "kith_component_set_if_changed(world, %e, %F, %v)", 2,
              TREE_CHANGES),
    OTHER_ROW(node_set_many,
              "kith_entity_set_many(world, kith_entities_of(%Z), &(kith_values){ %F, %v, 0 }, 1)",
              4, TREE_CHANGES),
    OTHER_ROW(node_set_components,
              "kith_entity_set_components(world, kith_entities_of(%Z), (kith_values[]){ { %F, %v, "
              "0 } }, 1)",
              4, TREE_CHANGES),
    OTHER_ROW(node_create,
              "kith_entity_create_many(world, out, %l, (kith_values[]){ { %F, NULL, 0 } }, 1)", 3,
              MAKES | VERB_TREE),
    OTHER_ROW(node_remove_many,
              "kith_entity_remove_many(world, kith_entities_of(%Z), &(kith_component){ %F }, 1)", 3,
              TREE_TAKES),
    OTHER_ROW(node_get, "kith_component_get(world, %e, %F)", 1, TREE_ASKS),
    OTHER_ROW(node_add, "kith_component_add(world, %e, %F, NULL)", 4, TREE_CHANGES),
    OTHER_ROW(node_remove, "kith_component_remove(world, %e, %F)", 5, TREE_TAKES),
    OTHER_ROW(node_disable, "kith_component_enable(world, %e, %F, false)", 3, TREE_CHANGES),
    OTHER_ROW(node_enable, "kith_component_enable(world, %e, %F, true)", 1, TREE_TAKES),
    OTHER_ROW(node_clear, "kith_component_clear(world, %F)", 1, TREE_TAKES),
    OTHER_ROW(node_compact, "kith_component_compact(world, %F)", 1, TREE_TAKES),
    OTHER_ROW(node_limit_set, "kith_component_limit_set(world, %F, %n)", 1, TREE_TAKES),
    OTHER_ROW(node_swap, "kith_component_swap(world, %F, %e, %o)", 3, TREE_TAKES),
    OTHER_ROW(node_sort_as, "kith_component_sort(world, %a, &(kith_sort_desc){ .as = %F })", 3,
              TREE_CHANGES),
    OTHER_ROW(node_sort_like, "kith_component_sort(world, %F, &(kith_sort_desc){ .as = %a })", 2,
              TREE_CHANGES),
};

const uint32_t verb_hierarchy_count = sizeof verb_hierarchies / sizeof *verb_hierarchies;
