// SPDX-License-Identifier: MIT
// Field tables: checking, comparing and copying.
#include "store/field.h"

// --- checking --------------------------------------------------------------------------------

uint32_t kith_field_type_size(kith_field_type type)
{
    static const uint8_t sizes[] = { 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 1, 0, 0, 1 };
    return (unsigned)type < sizeof sizes ? sizes[type] : 0;
}

const kith_choice *kith_choice_find(const kith_choices *choices, const char *name)
{
    for (uint32_t i = 0; i < choices->count; i++) {
        if (strcmp(choices->list[i].name, name) == 0) {
            return &choices->list[i];
        }
    }
    return NULL;
}

const kith_field *kith_field_find(const kith_fields *table, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < table->count; i++) {
        if (strcmp(table->list[i].name, name) == 0) {
            return &table->list[i];
        }
    }
    return NULL;
}

static const char *choices_fault(const kith_choices *choices)
{
    bool named =
        choices != NULL && choices->name != NULL && choices->count != 0 && choices->list != NULL;
    if (named && choices->count > KITH_FIELDS_MOST) {
        return "an enum has at most 4096 names";
    }
    for (uint32_t i = 0; named && i < choices->count; i++) {
        named = choices->list[i].name != NULL && choices->list[i].name[0] != '\0';
        if (named && kith_choice_find(choices, choices->list[i].name) != &choices->list[i]) {
            return "an enum uses a name twice";
        }
    }
    return named ? NULL : "an enum needs names for its numbers";
}

// Returns NULL, or what is wrong with the type of a field.
static const char *type_fault(const kith_field *f, uint32_t depth)
{
    const char *inner = NULL;
    switch (f->type) {
    case KITH_TYPE_STRUCT:
        if (f->nested == NULL || f->nested->size != f->size) {
            return "a nested struct needs a field table of its size";
        }
        return kith_fields_fault(f->nested, &inner, depth + 1);
    case KITH_TYPE_ENUM:
        return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8
                   ? choices_fault(f->choices)
                   : "an enum must have 1, 2, 4 or 8 bytes";
    default:
        if ((unsigned)f->type > KITH_TYPE_SKIP) {
            return "unknown field type";
        }
        return f->size == kith_field_type_size(f->type) ? NULL : "the size is not that of the type";
    }
}

// Returns NULL, or what is wrong with the offset of a field. `end` is where the field before ends.
// Padding is always smaller than an alignment: more bytes are a field that the table lacks.
static const char *place_fault(const kith_fields *table, const kith_field *f, uint64_t end)
{
    uint32_t natural   = f->nested != NULL ? f->nested->alignment : f->size;
    uint32_t alignment = natural > table->alignment ? natural : table->alignment;
    if (f->count == 0 || f->offset < end ||
        f->offset + (uint64_t)f->size * f->count > table->size) {
        return "fields must be in order and end within the struct";
    }
    return f->offset - end < alignment ? NULL : "bytes before it belong to no field";
}

const char *kith_fields_fault(const kith_fields *table, const char **field, uint32_t depth)
{
    uint64_t end = 0;
    if (depth >= KITH_FIELDS_DEPTH) {
        return "structs are nested too deep";
    }
    if (table == NULL || table->name == NULL || table->list == NULL || table->count == 0 ||
        table->alignment == 0) {
        return "a table needs a name, an alignment and fields";
    }
    const char *fault = table->count > KITH_FIELDS_MOST ? "a table has at most 4096 fields" : NULL;
    for (uint32_t i = 0; i < table->count && fault == NULL; i++) {
        const kith_field *f = &table->list[i];
        bool named = f->name != NULL && f->name[0] != '\0' && kith_field_find(table, f->name) == f;
        *field     = f->name;
        fault      = named ? type_fault(f, depth) : "each field needs a unique name";
        fault      = fault == NULL ? place_fault(table, f, end) : fault;
        end        = f->offset + (uint64_t)f->size * f->count;
    }
    if (fault == NULL && table->size - end >= table->alignment) {
        return "bytes after it belong to no field";
    }
    *field = fault == NULL ? NULL : *field;
    return fault;
}

// --- comparing -------------------------------------------------------------------------------

const kith_field *kith_fields_next(const kith_fields *table, uint32_t *at)
{
    while (*at < table->count && table->list[*at].type == KITH_TYPE_SKIP) {
        ++*at;
    }
    return *at < table->count ? &table->list[(*at)++] : NULL;
}

KITH_NOINLINE static bool same_choices(const kith_choices *a, const kith_choices *b)
{
    bool same = a == b || (a != NULL && b != NULL && a->count == b->count);
    for (uint32_t i = 0; a != b && same && i < a->count; i++) {
        same =
            a->list[i].value == b->list[i].value && strcmp(a->list[i].name, b->list[i].name) == 0;
    }
    return same;
}

bool kith_fields_same(const kith_fields *a, const kith_fields *b, bool places)
{
    uint32_t i    = 0;
    uint32_t j    = 0;
    bool     same = (a == NULL) == (b == NULL);
    while (a != b && same) {
        const kith_field *x = kith_fields_next(a, &i);
        const kith_field *y = kith_fields_next(b, &j);
        if (x == NULL || y == NULL) {
            return x == y;
        }
        same = places ? x->offset == y->offset && x->size == y->size
                      : x->type == y->type && x->count == y->count &&
                            (x->type == KITH_TYPE_STRUCT || x->size == y->size) &&
                            strcmp(x->name, y->name) == 0 && same_choices(x->choices, y->choices);
        same = same && kith_fields_same(x->nested, y->nested, places);
    }
    return same;
}

// --- copying ---------------------------------------------------------------------------------

static const kith_choices *copy_choices(kith_copier *to, const kith_choices *from)
{
    if (from == NULL) {
        return NULL;
    }
    kith_choice *list = kith_copier_put(to, from->list, from->count * sizeof *list);
    for (uint32_t i = 0; i < from->count; i++) {
        const char *name = kith_copier_text(to, from->list[i].name);
        if (list != NULL) {
            list[i].name = name;
        }
    }
    const kith_choices copy = { kith_copier_text(to, from->name), list, from->count };
    return kith_copier_put(to, &copy, sizeof copy);
}

const kith_fields *kith_fields_copy(kith_copier *to, const kith_fields *from)
{
    if (from == NULL) {
        return NULL;
    }
    kith_field *list = kith_copier_put(to, from->list, from->count * sizeof *list);
    for (uint32_t i = 0; i < from->count; i++) {
        kith_field f = from->list[i];
        f.name       = kith_copier_text(to, f.name);
        f.unit       = kith_copier_text(to, f.unit);
        f.was        = kith_copier_text(to, f.was);
        f.nested     = kith_fields_copy(to, f.nested);
        f.choices    = copy_choices(to, f.choices);
        if (list != NULL) {
            list[i] = f;
        }
    }
    kith_fields copy = *from;
    copy.name        = kith_copier_text(to, from->name);
    copy.list        = list;
    return kith_copier_put(to, &copy, sizeof copy);
}
