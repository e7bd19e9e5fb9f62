// SPDX-License-Identifier: MIT
// Writes the arguments of a call as C.
#include "argument_internal.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Entities and values
// ---------------------------------------------------------------------------------------------

static void write_handle(kith_entity entity, text *out)
{
    if (entity == KITH_NULL) {
        text_add(out, "KITH_NULL");
    } else {
        text_add(out, "kith_entity_make(%uu, %uu)", (unsigned)kith_entity_index(entity),
                 (unsigned)kith_entity_version(entity));
    }
}

static void write_entity(const argument *a, const stage *s, text *out)
{
    (void)s;
    if (a->of_notice) {
        text_add(out, "noticed");
    } else {
        write_handle(a->entity, out);
    }
}

static void write_other(const argument *a, const stage *s, text *out)
{
    (void)s;
    write_handle(a->other, out);
}

static void write_before(const argument *a, const stage *s, text *out)
{
    (void)s;
    write_handle(a->before, out);
}

static void write_hints(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "(kith_entity[]){ ");
    for (uint32_t i = 0; i < a->hint_count; i++) {
        write_handle(a->hints[i], out);
        text_add(out, ", ");
    }
    text_add(out, "0 }, %uu", (unsigned)a->hint_count);
}

static void write_component(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%uu", (unsigned)a->component);
}

static void write_example(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%uu", (unsigned)a->example);
}

static void write_key(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "&(kith_sort_key){ %u, (kith_field_type)%d, %d }", (unsigned)a->key.offset,
             (int)a->key.type, a->key.descending);
}

static void write_notice_component(const argument *a, const stage *s, text *out)
{
    if (a->notice_component) {
        text_add(out, "noticed_component != 0 ? noticed_component : ");
    }
    write_component(a, s, out);
}

static uint32_t size_of(const stage *s, kith_component component)
{
    for (uint32_t i = 0; i < s->model.component_count; i++) {
        if (s->model.components[i].desc.id == component) {
            return s->model.components[i].desc.size;
        }
    }
    return 0;
}

static void write_has_bytes(const argument *a, const stage *s, text *out)
{
    text_add(out, "%d", size_of(s, a->component) != 0);
}

static void write_value(const argument *a, const stage *s, text *out)
{
    uint32_t size = size_of(s, a->component);
    if (a->value == NULL) {
        text_add(out, "NULL");
        return;
    }
    text_add(out, "(const unsigned char[]){ ");
    for (uint32_t i = 0; i < size; i++) {
        text_add(out, "%u, ", a->bytes[i]);
    }
    text_add(out, "0 }");
}

static void write_range(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "(kith_entities){ NULL, ");
    write_handle(a->range.first, out);
    text_add(out, ", %uu, 0 }", (unsigned)a->range.count);
}

static void write_few(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%uu", (unsigned)a->few);
}

static void write_sets(const argument *a, const stage *s, text *out)
{
    text_add(out, "(kith_values[]){ ");
    for (uint32_t i = 0; i < a->set_count; i++) {
        const kith_values *set = &a->sets[i];
        size_t             size =
            set->values == NULL ? 0 : (MODEL_HINTS - 1) * set->stride + size_of(s, set->component);
        text_add(out, "{ %uu, ", (unsigned)set->component);
        if (set->values == NULL) {
            text_add(out, "NULL");
        } else {
            text_add(out, "(const unsigned char[]){ ");
            for (size_t byte = 0; byte < size; byte++) {
                text_add(out, "%u, ", a->set_bytes[i][byte]);
            }
            text_add(out, "0 }");
        }
        text_add(out, ", %uu }, ", (unsigned)set->stride);
    }
    text_add(out, "{ 0, NULL, 0 } }, %uu", (unsigned)a->set_count);
}

static void write_list(const kith_component *ids, uint32_t count, text *out)
{
    text_add(out, "(kith_component[]){ ");
    for (uint32_t i = 0; i < count; i++) {
        text_add(out, "%uu, ", (unsigned)ids[i]);
    }
    text_add(out, "0 }, %uu", (unsigned)count);
}

static void write_ids(const argument *a, const stage *s, text *out)
{
    (void)s;
    write_list(a->ids, a->id_count, out);
}

static void write_route(const argument *a, const stage *s, text *out)
{
    (void)s;
    write_list(a->route, a->route_count, out);
}

static void write_path(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%u", (unsigned)a->path);
}

static void write_system(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%u", (unsigned)a->system);
}

static void write_words(const char *type, size_t size, const argument *a, text *out)
{
    text_add(out, "(%s){ { ", type);
    for (size_t at = 0; at < size; at += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, a->bytes + at, sizeof word);
        text_add(out, "%#xu, ", (unsigned)word);
    }
    text_add(out, "} }");
}

static void write_word_pair(const argument *a, const stage *s, text *out)
{
    (void)s;
    write_words("word_pair", sizeof(word_pair), a, out);
}

static void write_word_triple(const argument *a, const stage *s, text *out)
{
    (void)s;
    write_words("word_triple", sizeof(word_triple), a, out);
}

static void write_wide_words(const argument *a, const stage *s, text *out)
{
    (void)s;
    write_words("wide_words", sizeof(wide_words), a, out);
}

// ---------------------------------------------------------------------------------------------
// Descriptions
// ---------------------------------------------------------------------------------------------

static void write_field(text *out, const char *name, uint64_t number)
{
    if (number != 0) {
        text_add(out, ", .%s = %lluu", name, (unsigned long long)number);
    }
}

static void write_traits(const kith_component_desc *desc, const stage *s, text *out)
{
    const kith_traits *traits = &desc->traits;
    write_field(out, "traits.policy", (uint64_t)traits->policy);
    write_field(out, "traits.page_rows", traits->page_rows);
    write_field(out, "traits.alignment", traits->alignment);
    write_field(out, "traits.keep_order", traits->keep_order);
    write_field(out, "traits.not_cloned", traits->not_cloned);
    write_field(out, "traits.row_ticks", traits->row_ticks);
    write_field(out, "traits.journal", traits->journal);
    if (traits->saved.fields == NULL && traits->saved.functions == NULL) {
        write_field(out, "traits.saved.form", (uint64_t)traits->saved.form);
        write_field(out, "traits.saved.unit", traits->saved.unit);
    }
    if (traits->hooks.construct != NULL) {
        text_add(out, ", .traits.hooks = { construct, %s, &contexts[%d] }",
                 traits->hooks.copy == NULL ? "NULL, NULL, NULL" : "copy, destruct, move",
                 traits->hooks.context == &s->hooks.contexts[1]);
    }
    if (traits->required_count != 0) {
        text_add(out, ", .traits.required = (const kith_component[]){ ");
        for (uint32_t i = 0; i < traits->required_count; i++) {
            text_add(out, "%uu, ", (unsigned)traits->required[i]);
        }
        text_add(out, "0 }, .traits.required_count = %uu", (unsigned)traits->required_count);
    }
}

static void write_one_desc(const kith_component_desc *desc, const stage *s, text *out)
{
    if (desc->name == NULL) {
        text_add(out, "{ .name = NULL");
    } else {
        text_add(out, "{ .name = \"%s\"", desc->name);
    }
    write_field(out, "id", desc->id);
    write_field(out, "kind", (uint64_t)desc->kind);
    write_field(out, "size", desc->size);
    write_field(out, "alignment", desc->alignment);
    write_traits(desc, s, out);
    text_add(out, " }");
}

static void write_desc(const argument *a, const stage *s, text *out)
{
    text_add(out, "&(kith_component_desc)");
    write_one_desc(&a->descs[0].desc, s, out);
}

static void write_descs(const argument *a, const stage *s, text *out)
{
    text_add(out, "(const kith_component_desc[]){ ");
    for (uint32_t i = 0; i < a->desc_count; i++) {
        write_one_desc(&a->descs[i].desc, s, out);
        text_add(out, ", ");
    }
    text_add(out, "{ 0 } }, %uu", (unsigned)a->desc_count);
}

void argument_write_world(const kith_world_desc *desc, const char *more, text *out)
{
    text_add(out, "&(kith_world_desc){ %s", more);
    write_field(out, "index_bits", desc->index_bits);
    write_field(out, "version_bits", desc->version_bits);
    write_field(out, "free_order", (uint64_t)desc->free_order);
    write_field(out, "max_entities", desc->max_entities);
    write_field(out, "first_index", desc->first_index);
    write_field(out, "memory", desc->memory);
    text_add(out, " }");
}

// ---------------------------------------------------------------------------------------------
// Numbers
// ---------------------------------------------------------------------------------------------

static void write_count(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%uu", (unsigned)a->count);
}

static void write_byte(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "%u", a->number);
}

static void write_first(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "&signatures[%u]", (unsigned)a->first);
}

static void write_second(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "&signatures[%u]", (unsigned)a->second);
}

static void write_name(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "\"%s\"", a->name);
}

static void write_packed(const argument *a, const stage *s, text *out)
{
    (void)s;
    text_add(out, "UINT64_C(%#llx)", (unsigned long long)a->packed);
}

static void write_double(const argument *a, const stage *s, text *out)
{
    (void)s;
    if (isnan(a->real)) {
        text_add(out, "0.0 / 0.0");
    } else if (isinf(a->real)) {
        text_add(out, "1.0 / 0.0");
    } else {
        text_add(out, "%.17g", a->real);
    }
}

// ---------------------------------------------------------------------------------------------
// By letter
// ---------------------------------------------------------------------------------------------

// The address of a hole is not to be had from the world: there the text stays behind the test.
static void write_address(const argument *a, const stage *s, text *out)
{
    for (uint32_t i = 0; i < s->model.component_count; i++) {
        if (s->model.components[i].desc.id == a->component && a->address_row != KITH_NO_ROW) {
            ptrdiff_t byte =
                (const uint8_t *)a->address - (const uint8_t *)s->addresses[i][a->address_row];
            text_add(out, "(const char *)kith_component_value(world, %uu, %uu) + %d",
                     (unsigned)a->component, (unsigned)a->address_row, (int)byte);
            return;
        }
    }
    text_add(out, "&world");
}

static void write_world(const argument *a, const stage *s, text *out)
{
    (void)s;
    argument_write_world(&a->world, ".on_error = kith_error_ignore", out);
}

typedef struct letter {
    char name;
    void (*write)(const argument *a, const stage *s, text *out);
} letter;

static const letter letters[] = {
    { 'e', write_entity },
    { 'o', write_other },
    { 'c', write_component },
    { 'a', write_example },
    { 'S', write_key },
    { 'C', write_notice_component },
    { 's', write_component },
    { 'v', write_value },
    { 'p', write_word_pair },
    { 'q', write_wide_words },
    { 'i', write_word_triple },
    { 'j', write_word_pair },
    { 'g', write_word_pair },
    { 'n', write_count },
    { 'm', write_count },
    { 'A', write_address },
    { 'W', write_world },
    { 'z', write_has_bytes },
    { 'b', write_byte },
    { 'h', write_entity },
    { 'H', write_hints },
    { 'd', write_desc },
    { 'D', write_descs },
    { 'f', write_first },
    { 't', write_second },
    { 'w', write_name },
    { 'x', write_entity },
    { 'P', write_packed },
    { 'R', write_double },
    { 'E', write_hints },
    { 'Z', write_hints },
    { 'r', write_range },
    { 'l', write_few },
    { 'V', write_sets },
    { 'I', write_ids },
    { 'N', write_route },
    { 'Y', write_path },
    { 'O', write_system },
    { 'F', write_component },
    { 'J', write_before },
    { '1', write_component },
    { '2', write_component },
    { 'k', argument_write_cursor },
    { 'y', argument_write_source },
    { 'u', argument_write_typed },
    { 'U', argument_write_other_typed },
    { 'K', argument_write_stored },
    { 'Q', argument_write_query },
    { 'B', argument_write_query },
    { 'G', argument_write_group },
    { 'L', argument_write_listener },
    { 'T', argument_write_event },
    { 'X', argument_write_each },
    { 'M', argument_write_written },
};

static void write_letter(const argument *a, const stage *s, char name, text *out)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (letters[i].name == name) {
            letters[i].write(a, s, out);
        }
    }
}

void argument_write(const argument *a, const stage *s, const char *call, text *out)
{
    for (const char *c = call; *c != '\0'; c++) {
        if (*c == '%') {
            write_letter(a, s, *++c, out);
        } else {
            text_add(out, "%c", *c);
        }
    }
}
