// SPDX-License-Identifier: MIT
// Verbs of commands: a short program is recorded, applied and forgotten. The model makes the calls
// at once. What would be refused when it is recorded is left out; values with hooks are given as
// default values, because the buffer has copies of its own of others.
#include "verb_pair.h"

#include "kith/hierarchy.h"

#include <stdio.h>
#include <string.h>

// What of the program can be recorded: the model copies it.
enum { ONE = 1, ROWS = 2, VALUE = 4, OTHER = 8, SETS = 16, LIST = 32, IDS = 64, ANY = 128 };

static const kith_component_desc *on_entity(const stage *s, kith_component component)
{
    const kith_component_desc *desc = kith_component_describe(s->world, component);
    return desc == NULL || desc->kind == KITH_KIND_SINGLETON ? NULL : desc;
}

static bool has_bytes_alone(const kith_component_desc *desc)
{
    const kith_hooks *hooks = &desc->traits.hooks;
    return hooks->copy == NULL && hooks->destruct == NULL && hooks->move == NULL;
}

// Neither null nor what may be taken for a placeholder.
static bool may_live(kith_entity entity)
{
    return entity != KITH_NULL && !kith_entity_pending(entity);
}

static uint32_t possible_singly(const stage *s, const argument *a)
{
    const kith_component_desc *desc = on_entity(s, a->component);
    uint32_t                   can  = ANY | (may_live(a->entity) && desc != NULL ? ONE : 0);
    can |= desc != NULL && desc->kind != KITH_KIND_FLAG ? ROWS : 0;
    can |= desc != NULL && has_bytes_alone(desc) ? VALUE : 0;
    return can | (may_live(a->other) ? OTHER : 0);
}

static bool are_good(const stage *s, const kith_values *sets, uint32_t count)
{
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        const kith_component_desc *desc = on_entity(s, sets[i].component);
        good                            = desc != NULL &&
               (sets[i].values == NULL ||
                (has_bytes_alone(desc) && (sets[i].stride == 0 || sets[i].stride >= desc->size)));
    }
    return good;
}

static uint32_t possible_batches(const stage *s, const argument *a)
{
    uint32_t can = ANY | LIST | IDS | (are_good(s, a->sets, a->set_count) ? SETS : 0);
    for (uint32_t i = 0; i < a->hint_count; i++) {
        can &= may_live(a->hints[i]) ? UINT32_MAX : ~(uint32_t)LIST;
    }
    for (uint32_t i = 0; i < a->id_count; i++) {
        can &= on_entity(s, a->ids[i]) == NULL ? ~(uint32_t)IDS : UINT32_MAX;
    }
    return can | (may_live(a->entity) ? ONE : 0);
}

// ---------------------------------------------------------------------------------------------
// Single entities
// ---------------------------------------------------------------------------------------------

static void finish(stage *s, kith_commands *commands, const kith_entity *made, uint32_t count,
                   verb_answer *answer)
{
    uint32_t             recorded = kith_commands_report_of(commands).recorded;
    bool                 applied  = kith_commands_apply(commands, s->world);
    kith_commands_report report   = kith_commands_report_of(commands);
    bool                 whole    = report.recorded == recorded && report.refused == 0 &&
                 report.recorded == report.applied + report.skipped + report.failed &&
                 report.refusal.code == KITH_OK && report.left == 0 &&
                 kith_commands_resume(commands, s->world) && kith_commands_refresh(commands);
    answer->result = applied && whole ? report.dead : UINT64_MAX;
    answer->length = count;
    for (uint32_t i = 0; i < count; i++) {
        answer->list[i] = kith_commands_resolve(commands, made[i]);
    }
    kith_commands_clear(commands);
    kith_commands_destroy(commands);
}

typedef struct later_count {
    uint32_t            *calls;
    const kith_world    *world; // that each call is to get
    const kith_commands *commands;
} later_count;

// What a program adds to a singleton-free world by a function: nothing, it only looks.
static void count_call(kith_world *world, const kith_commands *commands, const void *payload)
{
    const later_count *count = payload;
    *count->calls += count->world == world && count->commands == commands;
}

static void real_later_singly(stage *s, const argument *a, verb_answer *answer)
{
    kith_commands *c = kith_commands_create(s->world, NULL);
    if (c == NULL) {
        return;
    }
    answer->given     = possible_singly(s, a);
    uint32_t    calls = 0;
    later_count count = { &calls, s->world, c };
    uint32_t    can   = answer->given;
    const void *value = (can & VALUE) != 0 ? a->value : NULL;
    kith_entity made  = kith_entity_create_later(c);
    if ((can & ONE) != 0) {
        kith_component_set_later(c, made, a->component, value);
        kith_component_set_later(c, a->entity, a->component, value);
        kith_component_add_later(c, made, a->component);
    }
    if ((can & (ONE | ROWS)) == (ONE | ROWS)) {
        kith_component_enable_later(c, made, a->component, false);
        kith_component_enable_later(c, a->entity, a->component, true);
    }
    kith_world_call_later(c, count_call, &count, sizeof count);
    if ((can & OTHER) != 0) {
        kith_entity_destroy_later(c, a->other);
    }
    if ((can & ONE) != 0) {
        kith_component_remove_later(c, a->entity, a->component);
    }
    finish(s, c, &made, 1, answer);
    answer->result += calls == 1 ? 0 : 1000;
}

// Whether the call is made; if not it is counted.
static bool lives(const stage *s, kith_entity entity, verb_answer *answer)
{
    bool alive = model_entity_alive(&s->model, entity);
    answer->result += !alive;
    return alive;
}

static void naive_rows(stage *s, const argument *a, kith_entity made, verb_answer *answer)
{
    if (lives(s, made, answer)) {
        model_component_enable(&s->model, made, a->component, false);
    }
    if (lives(s, a->entity, answer)) {
        model_component_enable(&s->model, a->entity, a->component, true);
    }
}

static void naive_values(stage *s, const argument *a, kith_entity made, verb_answer *answer)
{
    const void *value = (answer->given & VALUE) != 0 ? a->value : NULL;
    if (lives(s, made, answer)) {
        model_component_set(&s->model, made, a->component, value);
    }
    if (lives(s, a->entity, answer)) {
        model_component_set(&s->model, a->entity, a->component, value);
    }
    if (lives(s, made, answer)) {
        model_component_add(&s->model, made, a->component, NULL);
    }
}

static void naive_later_singly(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t    can  = answer->given;
    kith_entity made = model_entity_create(&s->model);
    if (can == 0) {
        return; // from inside a hook
    }
    stage_issue(s, made);
    if ((can & ONE) != 0) {
        naive_values(s, a, made, answer);
    }
    if ((can & (ONE | ROWS)) == (ONE | ROWS)) {
        naive_rows(s, a, made, answer);
    }
    if ((can & OTHER) != 0 && lives(s, a->other, answer)) {
        model_entity_destroy(&s->model, a->other);
    }
    if ((can & ONE) != 0 && lives(s, a->entity, answer)) {
        model_component_remove(&s->model, a->entity, a->component);
    }
    answer->list[0] = made;
    answer->length  = 1;
}

// ---------------------------------------------------------------------------------------------
// Hierarchies
// ---------------------------------------------------------------------------------------------

// A new entity joins one, another one joins it, and then the first one.
static void real_later_tree(stage *s, const argument *a, verb_answer *answer)
{
    kith_commands *c = kith_commands_create(s->world, NULL);
    if (c == NULL) {
        return;
    }
    answer->given    = possible_singly(s, a);
    uint32_t    can  = answer->given;
    kith_entity made = kith_entity_create_later(c);
    if ((can & ONE) != 0) {
        kith_hierarchy_append_later(c, a->component, a->entity, made);
    }
    if ((can & (ONE | OTHER)) == (ONE | OTHER)) {
        kith_hierarchy_append_later(c, a->component, made, a->other);
        kith_hierarchy_append_later(c, a->component, a->entity, a->other);
    }
    finish(s, c, &made, 1, answer);
}

// A command with a dead parent or child is skipped, and counted once.
static void naive_append(stage *s, const argument *a, kith_entity parent, kith_entity child,
                         verb_answer *answer)
{
    if (model_entity_alive(&s->model, child) ? lives(s, parent, answer) : lives(s, child, answer)) {
        model_hierarchy_append(&s->model, a->component, parent, child);
    }
}

static void naive_later_tree(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t    can  = answer->given;
    kith_entity made = model_entity_create(&s->model);
    if (can == 0) {
        return; // from inside a hook
    }
    stage_issue(s, made);
    if ((can & ONE) != 0) {
        naive_append(s, a, a->entity, made, answer);
    }
    if ((can & (ONE | OTHER)) == (ONE | OTHER)) {
        naive_append(s, a, made, a->other, answer);
        naive_append(s, a, a->entity, a->other, answer);
    }
    answer->list[0] = made;
    answer->length  = 1;
}

// ---------------------------------------------------------------------------------------------
// Batches
// ---------------------------------------------------------------------------------------------

// How many are made: what no world has room for is for other verbs.
static uint32_t few_of(const argument *a)
{
    return a->few > MODEL_HINTS ? 0 : a->few;
}

// Whether the created entities have the sets from the start.
static bool is_born_with(const argument *a, uint32_t can)
{
    return (can & SETS) != 0 && few_of(a) % 2 != 0;
}

static void real_later_many(stage *s, const argument *a, verb_answer *answer)
{
    kith_commands *c = kith_commands_create(s->world, &(kith_commands_desc){ .bytes = 64 });
    if (c == NULL) {
        return;
    }
    answer->given     = possible_batches(s, a);
    uint32_t      can = answer->given;
    kith_entity   made[MODEL_HINTS];
    kith_entities born = kith_entities_of(made, few_of(a));
    kith_entities list = kith_entities_of(a->hints, a->hint_count);
    if (is_born_with(a, can)) {
        kith_entity_create_many_later(c, made, few_of(a), a->sets, a->set_count);
    } else {
        kith_entity_create_many_later(c, made, few_of(a), NULL, 0);
    }
    if ((can & SETS) != 0) {
        kith_entity_set_components_later(c, born, a->sets, a->set_count);
    }
    if ((can & (SETS | LIST)) == (SETS | LIST)) {
        kith_entity_set_many_later(c, list, a->sets, a->set_count);
    }
    if ((can & (SETS | ONE)) == (SETS | ONE)) {
        kith_entity_set_components_later(c, kith_entities_of(&a->entity, 1), a->sets, a->set_count);
    }
    if ((can & IDS) != 0) {
        kith_entity_remove_many_later(c, born, a->ids, a->id_count);
    }
    if ((can & LIST) != 0) {
        kith_entity_destroy_many_later(c, list);
    }
    finish(s, c, made, few_of(a), answer);
}

typedef uint32_t (*naive_batch_fn)(stage *s, const argument *a, model_entity_list entities,
                                   const kith_values *sets);

static uint32_t naive_set(stage *s, const argument *a, model_entity_list entities,
                          const kith_values *sets)
{
    return model_entity_set_many(&s->model, entities, sets, a->set_count);
}

static uint32_t naive_set_components(stage *s, const argument *a, model_entity_list entities,
                                     const kith_values *sets)
{
    return model_entity_set_components(&s->model, entities, sets, a->set_count);
}

static uint32_t naive_remove(stage *s, const argument *a, model_entity_list entities,
                             const kith_values *sets)
{
    (void)sets;
    return model_entity_remove_many(&s->model, entities, a->ids, a->id_count);
}

static uint32_t naive_destroy(stage *s, const argument *a, model_entity_list entities,
                              const kith_values *sets)
{
    (void)a, (void)sets;
    return model_entity_destroy_many(&s->model, entities);
}

// The living between the dead are batches of their own; an array without living entities is one,
// too.
static void naive_parts(stage *s, const argument *a, const kith_entity *entities, uint32_t count,
                        naive_batch_fn batch, verb_answer *answer)
{
    uint32_t end = 0;
    do {
        uint32_t first = end;
        while (first < count && !lives(s, entities[first], answer)) {
            first++;
        }
        end = first;
        while (end < count && model_entity_alive(&s->model, entities[end])) {
            end++;
        }
        kith_values sets[ARGUMENT_SETS];
        memcpy(sets, a->sets, sizeof sets);
        for (uint32_t i = 0; i < a->set_count; i++) {
            const uint8_t *values = sets[i].values;
            sets[i].values        = values == NULL ? NULL : values + first * sets[i].stride;
        }
        if (first != end || count == 0) {
            batch(s, a, (model_entity_list){ entities + first, end - first, false }, sets);
        }
    } while (end < count);
}

static bool naive_birth(stage *s, const argument *a, uint32_t can, kith_entity *made)
{
    return is_born_with(a, can)
               ? model_entity_create_many(&s->model, made, few_of(a), a->sets, a->set_count)
               : model_entity_create_many(&s->model, made, few_of(a), NULL, 0);
}

static void naive_later_many(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t    can = answer->given;
    kith_entity made[MODEL_HINTS];
    bool        born = naive_birth(s, a, can, made);
    if (can == 0) {
        return; // from inside a hook
    }
    for (uint32_t i = 0; i < few_of(a); i++) {
        made[i]         = born ? made[i] : KITH_NULL;
        answer->list[i] = made[i];
        stage_issue(s, made[i]);
    }
    answer->length = few_of(a);
    if ((can & SETS) != 0) {
        naive_parts(s, a, made, few_of(a), naive_set_components, answer);
    }
    if ((can & (SETS | LIST)) == (SETS | LIST)) {
        naive_parts(s, a, a->hints, a->hint_count, naive_set, answer);
    }
    if ((can & (SETS | ONE)) == (SETS | ONE)) {
        naive_parts(s, a, &a->entity, 1, naive_set_components, answer);
    }
    if ((can & IDS) != 0) {
        naive_parts(s, a, made, few_of(a), naive_remove, answer);
    }
    if ((can & LIST) != 0) {
        naive_parts(s, a, a->hints, a->hint_count, naive_destroy, answer);
    }
}

// ---------------------------------------------------------------------------------------------
// Links: placeholders are holders, targets, or both
// ---------------------------------------------------------------------------------------------

enum { LINK_TAKES = 1, LINK_DESTROYS = 2, LINK_DESTROYS_MADE = 4 }; // bits of the number

static uint32_t possible_links(const stage *s, const argument *a)
{
    uint32_t can = (possible_batches(s, a) & (ANY | LIST)) | (possible_singly(s, a) & OTHER);
    can |= may_live(a->entity) ? ONE : 0;
    return on_entity(s, a->component) == NULL ? ANY : can;
}

static void record_link(kith_commands *c, const argument *a, kith_entity holder, kith_entity target)
{
    kith_component_set_later(c, holder, a->component, &(kith_link){ .target = target });
}

static void record_links(kith_commands *c, const argument *a, const kith_entity *made, uint32_t can)
{
    const kith_values to_made = { a->component, &(kith_link){ .target = made[0] }, 0 };
    if ((can & ONE) != 0) {
        record_link(c, a, made[0], a->entity);
        record_link(c, a, made[1], made[0]);
    }
    if ((can & OTHER) != 0) {
        record_link(c, a, a->other, made[1]);
    }
    if ((can & LIST) != 0) {
        kith_entity_set_many_later(c, kith_entities_of(a->hints, a->hint_count), &to_made, 1);
    }
    if ((can & (ONE | OTHER)) == (ONE | OTHER)) {
        record_link(c, a, a->entity, a->other);
    }
    if ((can & OTHER) != 0 && (a->number & LINK_TAKES) != 0) {
        kith_component_remove_later(c, a->other, a->component);
    }
    if ((can & ONE) != 0 && (a->number & LINK_DESTROYS) != 0) {
        kith_entity_destroy_later(c, a->entity);
    }
    if ((a->number & LINK_DESTROYS_MADE) != 0) {
        kith_entity_destroy_later(c, made[0]);
    }
}

static void real_later_link(stage *s, const argument *a, verb_answer *answer)
{
    kith_commands *c = kith_commands_create(s->world, NULL);
    if (c == NULL) {
        return;
    }
    answer->given       = possible_links(s, a);
    kith_entity made[2] = { kith_entity_create_later(c), kith_entity_create_later(c) };
    record_links(c, a, made, answer->given);
    finish(s, c, made, 2, answer);
}

static void naive_link(stage *s, const argument *a, kith_entity holder, kith_entity target,
                       verb_answer *answer)
{
    if (lives(s, holder, answer)) {
        model_link_set(&s->model, holder, a->component, target);
    }
}

static void naive_links(stage *s, const argument *a, const kith_entity *made, verb_answer *answer)
{
    uint32_t  can     = answer->given;
    kith_link to_made = { .target = made[0] };
    argument  filling = { .set_count = 1, .sets = { { a->component, &to_made, 0 } } };
    if ((can & ONE) != 0) {
        naive_link(s, a, made[0], a->entity, answer);
        naive_link(s, a, made[1], made[0], answer);
    }
    if ((can & OTHER) != 0) {
        naive_link(s, a, a->other, made[1], answer);
    }
    if ((can & LIST) != 0) {
        naive_parts(s, &filling, a->hints, a->hint_count, naive_set, answer);
    }
    if ((can & (ONE | OTHER)) == (ONE | OTHER)) {
        naive_link(s, a, a->entity, a->other, answer);
    }
    if ((can & OTHER) != 0 && (a->number & LINK_TAKES) != 0 && lives(s, a->other, answer)) {
        model_component_remove(&s->model, a->other, a->component);
    }
    if ((can & ONE) != 0 && (a->number & LINK_DESTROYS) != 0 && lives(s, a->entity, answer)) {
        model_entity_destroy(&s->model, a->entity);
    }
    if ((a->number & LINK_DESTROYS_MADE) != 0 && lives(s, made[0], answer)) {
        model_entity_destroy(&s->model, made[0]);
    }
}

static void naive_later_link(stage *s, const argument *a, verb_answer *answer)
{
    if (answer->given == 0) {
        model_entity_create(&s->model);
        return; // from inside a hook
    }
    for (uint32_t i = 0; i < 2; i++) {
        answer->list[i] = model_entity_create(&s->model);
        stage_issue(s, answer->list[i]);
    }
    answer->length = 2;
    naive_links(s, a, answer->list, answer);
}

// ---------------------------------------------------------------------------------------------
// Names: their texts are copied when they are recorded
// ---------------------------------------------------------------------------------------------

static void record_name(kith_commands *c, const argument *a, kith_entity entity, uint32_t number)
{
    char copy[128];
    snprintf(copy, sizeof copy, "%s", name_text(number));
    const kith_text name = kith_text_of(copy);
    kith_component_set_later(c, entity, a->component, &name);
    memset(copy, '#', sizeof copy - 1);
}

static void real_later_name(stage *s, const argument *a, verb_answer *answer)
{
    kith_commands *c = kith_commands_create(s->world, NULL);
    if (c == NULL) {
        return;
    }
    answer->given           = possible_links(s, a);
    uint32_t          can   = answer->given;
    kith_entity       made  = kith_entity_create_later(c);
    const kith_text   name  = kith_text_of(name_text(a->number + 3u));
    const kith_values names = { a->component, &name, 0 };
    if ((can & ONE) != 0) {
        record_name(c, a, made, a->number);
        record_name(c, a, a->entity, a->number + 1u);
    }
    if ((can & OTHER) != 0) {
        record_name(c, a, a->other, a->number + 2u);
    }
    if ((can & LIST) != 0) {
        kith_entity_set_many_later(c, kith_entities_of(a->hints, a->hint_count), &names, 1);
    }
    if ((can & OTHER) != 0 && (a->number & LINK_TAKES) != 0) {
        kith_component_remove_later(c, a->other, a->component);
    }
    if ((can & ONE) != 0 && (a->number & LINK_DESTROYS) != 0) {
        kith_entity_destroy_later(c, a->entity);
    }
    finish(s, c, &made, 1, answer);
}

static void naive_name(stage *s, const argument *a, kith_entity entity, uint32_t number,
                       verb_answer *answer)
{
    uint8_t value = (uint8_t)(number % NAME_TEXTS);
    if (lives(s, entity, answer)) {
        model_component_set(&s->model, entity, a->component, &value);
    }
}

static void naive_later_name(stage *s, const argument *a, verb_answer *answer)
{
    uint32_t       can     = answer->given;
    const uint8_t  value   = (uint8_t)((a->number + 3u) % NAME_TEXTS);
    const argument filling = { .set_count = 1, .sets = { { a->component, &value, 0 } } };
    kith_entity    made    = model_entity_create(&s->model);
    if (can == 0) {
        return; // from inside a hook
    }
    stage_issue(s, made);
    answer->list[0] = made;
    answer->length  = 1;
    if ((can & ONE) != 0) {
        naive_name(s, a, made, a->number, answer);
        naive_name(s, a, a->entity, a->number + 1u, answer);
    }
    if ((can & OTHER) != 0) {
        naive_name(s, a, a->other, a->number + 2u, answer);
    }
    if ((can & LIST) != 0) {
        naive_parts(s, &filling, a->hints, a->hint_count, naive_set, answer);
    }
    if ((can & OTHER) != 0 && (a->number & LINK_TAKES) != 0 && lives(s, a->other, answer)) {
        model_component_remove(&s->model, a->other, a->component);
    }
    if ((can & ONE) != 0 && (a->number & LINK_DESTROYS) != 0 && lives(s, a->entity, answer)) {
        model_entity_destroy(&s->model, a->entity);
    }
}

// ---------------------------------------------------------------------------------------------
// Ranges: of entities, and of placeholders
// ---------------------------------------------------------------------------------------------

static void record_ranges(kith_commands *c, const argument *a, kith_entities born, uint32_t can)
{
    if ((can & SETS) != 0) {
        kith_entity_set_many_later(c, born, a->sets, a->set_count);
    }
    if ((can & (SETS | ONE)) == (SETS | ONE)) {
        bool (*call)(kith_commands *, kith_entities, const kith_values *, uint32_t) =
            few_of(a) % 2 == 0 ? kith_entity_set_many_later : kith_entity_set_components_later;
        call(c, a->range, a->sets, a->set_count);
    }
    if ((can & (IDS | ONE)) == (IDS | ONE)) {
        kith_entity_remove_many_later(c, a->range, a->ids, a->id_count);
    }
    if ((can & IDS) != 0) {
        kith_entity_remove_many_later(c, born, a->ids, a->id_count);
    }
    if ((can & ONE) != 0 && few_of(a) % 4 == 3) {
        kith_entity_destroy_many_later(c, a->range);
    }
    if (few_of(a) % 4 == 2) {
        kith_entity_destroy_many_later(c, born);
    }
}

static void real_later_range(stage *s, const argument *a, verb_answer *answer)
{
    kith_commands *c = kith_commands_create(s->world, NULL);
    if (c == NULL) {
        return;
    }
    bool ranges   = may_live(a->range.first) || a->range.first == KITH_NULL;
    answer->given = (possible_batches(s, a) & (ANY | SETS | IDS)) | (ranges ? ONE : 0);
    kith_entity made[MODEL_HINTS];
    kith_entity_create_many_later(c, made, few_of(a), NULL, 0);
    kith_entities born = { NULL, few_of(a) == 0 ? KITH_NULL : made[0], few_of(a), 0 };
    record_ranges(c, a, born, answer->given);
    finish(s, c, made, few_of(a), answer);
}

// One call, which skips the dead; without a living entity there is none.
static void naive_range(stage *s, const argument *a, naive_batch_fn batch, verb_answer *answer)
{
    kith_entity members[MODEL_HINTS];
    uint32_t    alive = 0;
    for (uint32_t i = 0; i < a->range.count; i++) {
        members[i] = kith_entities_at(a->range, i);
        alive += lives(s, members[i], answer);
    }
    if (alive != 0 || a->range.count == 0) {
        batch(s, a, (model_entity_list){ members, a->range.count, true }, a->sets);
    }
}

static void naive_ranges(stage *s, const argument *a, const kith_entity *made, verb_answer *answer)
{
    uint32_t can = answer->given;
    if ((can & SETS) != 0) {
        naive_parts(s, a, made, few_of(a), naive_set, answer);
    }
    if ((can & (SETS | ONE)) == (SETS | ONE)) {
        naive_range(s, a, few_of(a) % 2 == 0 ? naive_set : naive_set_components, answer);
    }
    if ((can & (IDS | ONE)) == (IDS | ONE)) {
        naive_range(s, a, naive_remove, answer);
    }
    if ((can & IDS) != 0) {
        naive_parts(s, a, made, few_of(a), naive_remove, answer);
    }
    if ((can & ONE) != 0 && few_of(a) % 4 == 3) {
        naive_range(s, a, naive_destroy, answer);
    }
    if (few_of(a) % 4 == 2) {
        naive_parts(s, a, made, few_of(a), naive_destroy, answer);
    }
}

static void naive_later_range(stage *s, const argument *a, verb_answer *answer)
{
    kith_entity made[MODEL_HINTS];
    bool        born = model_entity_create_many(&s->model, made, few_of(a), NULL, 0);
    if (answer->given == 0) {
        return; // from inside a hook
    }
    for (uint32_t i = 0; i < few_of(a); i++) {
        made[i]         = born ? made[i] : KITH_NULL;
        answer->list[i] = made[i];
        stage_issue(s, made[i]);
    }
    answer->length = few_of(a);
    naive_ranges(s, a, made, answer);
}

// ---------------------------------------------------------------------------------------------
// Handles in values, in a world of their own: values of the stage are known by a number alone
// ---------------------------------------------------------------------------------------------

typedef struct bond {
    kith_entity target;
} bond;

KITH_FIELDS(bond, entity(target));
KITH_COMPONENT_AS(bond, bond, 1, fields(bond));

// The first one has an entity that is no placeholder, each other one a placeholder. Set singly or
// as a batch.
static void record_bonds(kith_commands *c, const argument *a, kith_entity *made, bond *bonds)
{
    uint32_t few = few_of(a);
    for (uint32_t i = 0; i < few; i++) {
        made[i] = kith_entity_create_later(c);
    }
    for (uint32_t i = 0; i < few; i++) {
        bonds[i].target = i != 0                ? made[(a->number + i) % few]
                          : may_live(a->entity) ? a->entity
                                                : KITH_NULL;
        if (a->number % 2 != 0) {
            bond_set_later(c, made[i], bonds[i]);
        }
    }
    if (a->number % 2 == 0) {
        kith_entity_set_many_later(c, kith_entities_of(made, few),
                                   &(kith_values){ 1, bonds, sizeof *bonds }, 1);
    }
}

// Answers with the handles, and, for one that was a placeholder, which one.
static void real_later_handles(stage *s, const argument *a, verb_answer *answer)
{
    (void)s;
    kith_world *second = kith_world_create(&(kith_world_desc){ .on_error = kith_error_ignore });
    kith_entity made[MODEL_HINTS];
    bond        bonds[MODEL_HINTS];
    bond_register(second);
    kith_commands *c = kith_commands_create(second, NULL);
    record_bonds(c, a, made, bonds);
    for (uint32_t round = 0; round < 2; round++) { // the second time with other entities
        answer->result += kith_commands_apply(c, second);
        for (uint32_t i = 0; i < few_of(a); i++) {
            kith_entity target = bond_get(second, kith_commands_resolve(c, made[i]))->target;
            uint32_t    which  = 0;
            while (i != 0 && which < few_of(a) && kith_commands_resolve(c, made[which]) != target) {
                which++;
            }
            answer->list[i] = i == 0 ? target : which;
        }
    }
    answer->length = few_of(a);
    kith_world_destroy(second);
}

static void naive_later_handles(stage *s, const argument *a, verb_answer *answer)
{
    (void)s;
    for (uint32_t i = 0; i < few_of(a); i++) {
        answer->list[i] = (a->number + i) % few_of(a);
    }
    if (few_of(a) != 0) {
        answer->list[0] = may_live(a->entity) ? a->entity : KITH_NULL;
    }
    answer->result = 2;
    answer->length = few_of(a);
}

const verb verb_commands[] = {
    OTHER_ROW(later_singly, "later_singly(world, %e, %o, %c, %v)", 14, VERB_MAKES | VERB_SMOOTH),
    OTHER_ROW(later_tree, "later_tree(world, %F, %e, %o)", 14,
              VERB_MAKES | VERB_SMOOTH | VERB_TREE),
    OTHER_ROW(later_link, "later_link(world, %1, %e, %o, kith_entities_of(%Z), %b)", 14,
              VERB_MAKES | VERB_SMOOTH),
    OTHER_ROW(later_name, "later_name(world, %2, %e, %o, kith_entities_of(%Z), %b)", 14,
              VERB_MAKES | VERB_SMOOTH),
    OTHER_ROW(later_handles, "later_handles(%l, %e, %b)", 4, ASKS),
    OTHER_ROW(later_many, "later_many(world, %l, %e, %Z, %V, %I)", 14, VERB_MAKES | VERB_SMOOTH),
    OTHER_ROW(later_range, "later_range(world, %l, %r, %V, %I)", 14, VERB_MAKES | VERB_SMOOTH),
};

const uint32_t verb_command_count = sizeof verb_commands / sizeof *verb_commands;
