// SPDX-License-Identifier: MIT
// A program without C structs: components, entities and queries come from a text, as a script or a
// mod would give them. Look at the last two queries: the message quotes the place of the mistake.
#include <kith/kith.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const script[] = {
    "component wheel radius:f64 teeth:i32",
    "component speed rpm:i32",
    "component engine", // no field: a tag
    "entity wheel 2.5 40 speed 100",
    "entity wheel 1.25 20 speed -200 engine",
    "entity wheel 4 64",
    "entity engine",
    "query read wheel, ?speed",
    "query read wheel, with engine",
    "query write speed, !engine",
    "query read wheel, read sped",
    "query read wheel read speed",
};

// --- what the text can name ------------------------------------------------------------------

static bool parse_type(const char *name, kith_field *field)
{
    field->type = strcmp(name, "i32") == 0 ? KITH_TYPE_I32 : KITH_TYPE_F64;
    field->size = field->type == KITH_TYPE_I32 ? 4 : 8;
    return strcmp(name, kith_field_type_name(field->type)) == 0;
}

// "wheel radius:f64 teeth:i32": a field table as KITH_FIELDS makes it. The world copies it.
static bool add_component(kith_world *world, char *text)
{
    kith_field  list[8] = { { 0 } };
    kith_fields table   = { .name = strtok(text, " "), .alignment = 8, .list = list };
    for (char *name; (name = strtok(NULL, ":")) != NULL; table.count++) {
        kith_field *field = &list[table.count];
        if (table.count == 8 || !parse_type(strtok(NULL, " "), field)) {
            return false;
        }
        field->name   = name;
        field->count  = 1;
        field->offset = (table.size + field->size - 1) / field->size * field->size;
        table.size    = field->offset + field->size;
    }
    table.size               = (table.size + 7) / 8 * 8;
    kith_component_desc desc = { .name = table.name, .kind = KITH_KIND_TAG };
    if (table.count != 0) {
        desc.kind                = KITH_KIND_VALUE;
        desc.size                = table.size;
        desc.alignment           = table.alignment;
        desc.traits.saved.form   = KITH_FORM_FIELDS;
        desc.traits.saved.fields = &table;
    }
    return kith_component_register(world, &desc) != 0; // the id is chosen by the world
}

// "wheel 2.5 40 engine": each component with its values.
static bool add_entity(kith_world *world, char *text)
{
    kith_entity entity = kith_entity_create(world);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        kith_component             id   = kith_component_find(world, word);
        const kith_component_desc *desc = kith_component_describe(world, id);
        char *at = desc == NULL ? NULL : kith_component_add(world, entity, id, NULL);
        if (at == NULL) {
            return false;
        }
        const kith_fields *table = desc->traits.saved.fields;
        for (uint32_t i = 0; table != NULL && i < table->count; i++) {
            double  number = strtod(strtok(NULL, " "), NULL);
            int32_t whole  = (int32_t)number;
            bool    is_f64 = table->list[i].type == KITH_TYPE_F64;
            memcpy(at + table->list[i].offset, is_f64 ? (void *)&number : &whole,
                   table->list[i].size);
        }
    }
    return true;
}

static void print_value(const kith_component_desc *desc, const char *at)
{
    const kith_fields *table = desc->traits.saved.fields;
    printf(" %s(", desc->name);
    for (uint32_t i = 0; at != NULL && table != NULL && i < table->count; i++) {
        double  number = 0;
        int32_t whole  = 0;
        if (table->list[i].type == KITH_TYPE_F64) {
            memcpy(&number, at + table->list[i].offset, sizeof number);
        } else {
            memcpy(&whole, at + table->list[i].offset, sizeof whole);
            number = whole;
        }
        printf("%s%s %g", i == 0 ? "" : ", ", table->list[i].name, number);
    }
    printf(at == NULL ? "none)" : ")");
}

static bool run_query(kith_world *world, char *text)
{
    kith_query *query = NULL;
    printf("%s:\n", text);
    if (!kith_query_parse(world, text, &query)) {
        return false;
    }
    const kith_query_desc *desc   = kith_query_describe(query);
    kith_cursor            cursor = kith_query_begin(query);
    while (kith_cursor_next(&cursor)) {
        printf("   ");
        for (uint32_t i = 0; i < desc->term_count; i++) {
            const kith_term *term = &desc->terms[i];
            if (term->role != KITH_ROLE_WITH && term->role != KITH_ROLE_WITHOUT) {
                print_value(kith_component_describe(world, term->component), cursor.columns[i]);
            }
        }
        printf(" of entity %u\n", kith_entity_index(cursor.entity));
    }
    return true;
}

static void on_error(const kith_world *world, const kith_error *error, void *context)
{
    char text[300];
    kith_error_text(world, error, text, sizeof text);
    printf("    %s\n", text);
    ++*(int *)context;
}

int main(void)
{
    int         errors = 0;
    int         failed = 0;
    kith_world *world =
        kith_world_create(&(kith_world_desc){ .on_error = on_error, .error_context = &errors });
    for (size_t i = 0; world != NULL && i < sizeof script / sizeof script[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s", script[i]);
        char *rest = strchr(line, ' ') + 1;
        bool  done = line[0] == 'c'   ? add_component(world, rest)
                     : line[0] == 'e' ? add_entity(world, rest)
                                      : run_query(world, rest);
        failed += !done;
    }
    bool right = world != NULL && errors == 2 && failed == 2 && kith_entity_count(world) == 4;
    kith_world_destroy(world);
    return right ? 0 : 1;
}
