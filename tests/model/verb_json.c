// SPDX-License-Identifier: MIT
// Entities and worlds as JSON: an entity is written and read back as another one; a world is
// written and read into a second one, which then is written as the same text.
#include "model_internal.h"
#include "verb_pair.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// The library
// ---------------------------------------------------------------------------------------------

static const char *text_of(const kith_bytes *out)
{
    return (const char *)out->data;
}

// What fails half-way is not the model's to know: where a component is limited nothing is read. Nor
// is a value that functions read: they forget its number, and it is constructed in between.
static bool is_kept_out(const kith_world *world, kith_entity entity)
{
    kith_component id = 0;
    if (kith_component_describe(world, NEEDY) != NULL && kith_component_has(world, entity, NEEDY)) {
        return true;
    }
    while ((id = kith_component_next(world, id)) != 0) {
        bool list = strstr(kith_component_describe(world, id)->name, ".holders") != NULL;
        if ((list || (id >= TIED && id <= BARRED)) && kith_component_has(world, entity, id)) {
            return true; // tests/link has links in JSON
        }
        kith_kind kind = kith_component_describe(world, id)->kind;
        if ((kind == KITH_KIND_VALUE || kind == KITH_KIND_TAG) &&
            kith_component_stats(world, id).limit != UINT32_MAX) {
            return true;
        }
    }
    return false;
}

static void real_json_entity(stage *s, const argument *a, verb_answer *answer)
{
    kith_bytes  out  = { 0 };
    kith_entity made = KITH_NULL;
    answer->result   = kith_json_write_entity(s->world, a->entity, kith_bytes_write, &out);
    if (answer->result != 0 && !is_kept_out(s->world, a->entity)) {
        answer->list[0] =
            kith_json_read_entity(s->world, text_of(&out), out.size, NULL, &made).code;
        answer->list[1] = made;
        answer->length  = 2;
    }
    kith_bytes_free(&out);
}

kith_world *verb_second_world(const kith_world *world, kith_world_desc described)
{
    described.on_error    = kith_error_ignore;
    kith_world    *second = kith_world_create(&described);
    kith_component id     = 0;
    while ((id = kith_component_next(world, id)) != 0) {
        kith_component_desc desc = *kith_component_describe(world, id);
        if (catalog_is_name(id)) {
            kith_name_register(second, &(kith_name_desc){ desc.name, id, desc.traits.not_cloned });
            continue;
        }
        desc.traits.hooks          = (kith_hooks){ 0 };
        desc.traits.required_count = 0;
        kith_component_register(second, &desc);
    }
    return second;
}

static bool reads_the_same(kith_world *second, const kith_bytes *out)
{
    kith_bytes again = { 0 };
    bool       same = kith_json_read_world(second, text_of(out), out->size, NULL).code == KITH_OK &&
                kith_json_write_world(second, kith_bytes_write, &again) &&
                strcmp(text_of(&again), text_of(out)) == 0;
    kith_bytes_free(&again);
    return same && kith_world_validate(second, NULL);
}

static void real_json_world(stage *s, const argument *a, verb_answer *answer)
{
    (void)a;
    kith_bytes out = { 0 };
    answer->result = kith_json_write_world(s->world, kith_bytes_write, &out);
    if (answer->result != 0) {
        kith_world *second = verb_second_world(s->world, (kith_world_desc){ 0 });
        answer->list[0]    = reads_the_same(second, &out);
        answer->length     = 1;
        kith_world_destroy(second);
    }
    kith_bytes_free(&out);
}

// ---------------------------------------------------------------------------------------------
// The model
// ---------------------------------------------------------------------------------------------

static bool model_is_kept_out(const model *m, kith_entity entity)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        kith_kind              kind      = component->desc.kind;
        bool                   rows      = kind == KITH_KIND_VALUE || kind == KITH_KIND_TAG;
        if ((rows && component->limit != UINT32_MAX) ||
            ((component->desc.id == NEEDY || component->is_link || component->is_list) &&
             model_row_of(component, entity) != KITH_NO_ROW)) {
            return true;
        }
    }
    return false;
}

// Whether everything that the entity has, that there is if it is KITH_NULL, can be written.
static bool can_be_written(model *m, kith_entity entity)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        bool there = entity != KITH_NULL ? model_row_of(component, entity) != KITH_NO_ROW
                                         : component->present || model_members(component) != 0;
        if (there && component->desc.size != 0 && !component->is_tree &&
            component->desc.traits.saved.form == KITH_FORM_NONE) {
            model_report(m, KITH_ERROR_UNSAVED, component->desc.id, KITH_NULL);
            return false;
        }
    }
    return true;
}

enum { NAMES = 2 };

// One of the components that an entity had when it was written.
typedef struct written_row {
    kith_component id;
    uint8_t        number;
    bool           disabled;
} written_row;

static uint32_t list_rows(const model *m, kith_entity entity, written_row *rows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        uint32_t               row       = model_row_of(component, entity);
        if (row != KITH_NO_ROW && component->desc.traits.saved.form != KITH_FORM_TRANSIENT) {
            const model_row *one = &component->rows[row];
            rows[count++]        = (written_row){ component->desc.id, one->number, one->disabled };
        }
    }
    return count;
}

// A listener may set a limit meanwhile, and then the entity goes again.
static kith_error_code read_rows(model *m, kith_entity made, const written_row *rows,
                                 uint32_t count)
{
    for (uint32_t i = 0; i < count && model_entity_alive(m, made); i++) {
        model_component_set(m, made, rows[i].id, &rows[i].number);
        const model_component *given = model_component_lookup(m, rows[i].id);
        if (model_entity_alive(m, made) && model_row_of(given, made) == KITH_NO_ROW &&
            given->limit != UINT32_MAX) {
            model_entity_destroy(m, made);
            return KITH_ERROR_LIMIT;
        }
    }
    for (uint32_t i = 0; i < count && model_entity_alive(m, made); i++) {
        if (rows[i].disabled) {
            model_component_enable(m, made, rows[i].id, false);
        }
    }
    return KITH_OK;
}

static void naive_json_entity(stage *s, const argument *a, verb_answer *answer)
{
    written_row rows[CATALOG_SIZE + STAGE_TREES + NAMES];
    model      *m      = &s->model;
    kith_entity entity = a->entity;
    if (!model_entity_alive(m, entity)) {
        model_report(m, entity == KITH_NULL ? KITH_ERROR_NULL_ENTITY : KITH_ERROR_DEAD_ENTITY, 0,
                     entity);
        return;
    }
    answer->result = can_be_written(m, entity);
    if (answer->result == 0 || model_is_kept_out(m, entity)) {
        return;
    }
    uint32_t count = list_rows(m, entity, rows);
    answer->length = 2;
    if (!model_entity_create_hints(m, &entity, 1, &entity)) {
        answer->list[0] = m->record.code;
        return;
    }
    stage_issue(s, entity);
    answer->list[0] = read_rows(m, entity, rows, count);
    answer->list[1] = model_entity_alive(m, entity) ? entity : KITH_NULL;
}

static void naive_json_world(stage *s, const argument *a, verb_answer *answer)
{
    (void)a;
    answer->result  = can_be_written(&s->model, KITH_NULL);
    answer->length  = answer->result != 0;
    answer->list[0] = 1;
}

const verb verb_jsons[] = {
    OTHER_ROW(json_entity, "json_entity(%e)", 8, VERB_MAKES | VERB_SMOOTH),
    OTHER_ROW(json_world, "json_world()", 2, VERB_SMOOTH),
};

const uint32_t verb_json_count = sizeof verb_jsons / sizeof *verb_jsons;
