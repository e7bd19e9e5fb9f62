// SPDX-License-Identifier: MIT
// Reads values of components from JSON: numbers, names, handles, fields.
#include "json/json.h"

// A field beyond these that comes twice is not noticed: the last value counts.
#define FIELDS_SEEN 1024u

// --- numbers ---------------------------------------------------------------------------------

// `below`: the type has negative numbers; `above`: it has the upper half of the unsigned ones.
static void read_integer(kith_json_text *json, uint32_t size, bool below, bool above, void *value)
{
    kith_json_integer i    = kith_json_integer_read(json);
    uint64_t          half = kith_number_mask(size) >> 1;
    uint64_t most = i.negative ? (below ? half + 1 : 0) : above ? kith_number_mask(size) : half;
    if (i.size > most) {
        kith_json_fail(json, "the number does not fit", json->token);
    }
    kith_store_number(value, size, i.negative ? 0 - i.size : i.size);
}

static void read_float(kith_json_text *json, uint32_t size, void *value)
{
    kith_number number = { 0, size == 8 };
    if (kith_json_peek(json) == '"') {
        char             word[KITH_NUMBER_ROOM];
        kith_json_string string = kith_json_string_read(json);
        size_t           length = kith_json_decode(&string, word, sizeof word);
        if (length > sizeof word || !kith_number_read_word(word, length, &number)) {
            kith_json_fail(json, "the string is not a number", json->token);
        }
    } else {
        kith_json_string text = kith_json_number_read(json);
        if (!kith_number_read(text.text, text.size, &number)) {
            kith_json_fail(json, "the number does not fit", json->token);
        }
    }
    kith_store_number(value, size, number.bits);
}

// --- names and handles -----------------------------------------------------------------------

static void read_choice(kith_json_text *json, const kith_field *f, void *value)
{
    if (kith_json_peek(json) != '"') {
        read_integer(json, f->size, true, true, value);
        return;
    }
    kith_json_string name = kith_json_string_read(json);
    for (uint32_t i = 0; i < f->choices->count; i++) {
        if (kith_json_is(&name, f->choices->list[i].name)) {
            kith_store_number(value, f->size, (uint64_t)f->choices->list[i].value);
            return;
        }
    }
    kith_json_fail_name(json, &name, "the enum has no such name");
}

// Reads a 32-bit number. Returns the rest of the text, or NULL.
static const char *read_handle_part(const char *text, uint32_t *number)
{
    uint64_t sum   = 0;
    uint32_t count = 0;
    for (; text[count] >= '0' && text[count] <= '9'; count++) {
        sum = sum * 10 + (uint64_t)(text[count] - '0');
        if (sum > UINT32_MAX || (count != 0 && text[0] == '0')) {
            return NULL;
        }
    }
    *number = (uint32_t)sum;
    return count == 0 ? NULL : text + count;
}

kith_entity kith_json_entity_read(kith_json_text *json)
{
    char             text[24] = { 0 };
    uint32_t         index    = 0;
    uint32_t         version  = 0;
    kith_json_string string   = kith_json_string_read(json);
    size_t           size     = kith_json_decode(&string, text, sizeof text - 1);
    const char      *end      = read_handle_part(text, &index);
    end = end != NULL && *end == ':' ? read_handle_part(end + 1, &version) : NULL;
    if (end == NULL || (size_t)(end - text) != size) {
        kith_json_fail(json, "a handle is \"index:version\"", json->token);
        return KITH_NULL;
    }
    return kith_entity_make(index, version);
}

static void read_handle(kith_json_text *json, void *value)
{
    kith_entity entity = KITH_NULL;
    if (kith_json_peek(json) == 'n') {
        kith_json_null_read(json);
    } else {
        entity = json->follow(json->context, kith_json_entity_read(json));
    }
    memcpy(value, &entity, sizeof entity);
}

// --- fields ----------------------------------------------------------------------------------

static void read_chars(kith_json_text *json, const kith_field *f, void *value)
{
    kith_json_string string = kith_json_string_read(json);
    if (kith_json_decode(&string, value, f->count) > f->count) {
        kith_json_fail(json, "the text is too long for its field", json->token);
    }
}

static void read_json_fields(kith_json_text *json, const kith_fields *table, uint8_t *value);

static void read_element(kith_json_text *json, const kith_field *f, void *value)
{
    bool has_sign = kith_type_is_signed(f->type);
    switch (f->type) {
    case KITH_TYPE_BOOL:
        kith_store_number(value, sizeof(bool), kith_json_bool_read(json));
        break;
    case KITH_TYPE_F32:
    case KITH_TYPE_F64:
        read_float(json, f->size, value);
        break;
    case KITH_TYPE_ENTITY:
        read_handle(json, value);
        break;
    case KITH_TYPE_ENUM:
        read_choice(json, f, value);
        break;
    case KITH_TYPE_STRUCT:
        read_json_fields(json, f->nested, value);
        break;
    default:
        read_integer(json, f->size, has_sign, !has_sign, value);
    }
}

// Reads an array of exactly `f->count` elements.
static void read_elements(kith_json_text *json, const kith_field *f, uint8_t *value)
{
    size_t         at    = kith_json_place(json);
    uint32_t       count = 0;
    kith_json_list list  = kith_json_open(json, '[');
    while (kith_json_next(json, &list, NULL) && count++ < f->count) {
        read_element(json, f, value);
        value += f->size;
    }
    if (count != f->count) {
        kith_json_fail(json, "the array has another number of elements than its field", at);
    }
}

// The index of a field in its table; present names win over older ones. Fields mostly come in the
// order of the table, so the search begins behind the last one.
static uint32_t find_field(const kith_fields *table, uint32_t first, const kith_json_string *name)
{
    for (uint32_t i = 0; i < 2 * table->count; i++) {
        bool     older = i >= table->count;
        uint32_t place = older ? i : first + i;
        place -= place >= table->count ? table->count : 0;
        const kith_field *f      = &table->list[place];
        const char       *called = older ? f->was : f->name;
        if (f->type != KITH_TYPE_SKIP && called != NULL && kith_json_is(name, called)) {
            return place;
        }
    }
    return table->count;
}

static void read_json_fields(kith_json_text *json, const kith_fields *table, uint8_t *value)
{
    uint64_t         seen[FIELDS_SEEN / 64] = { 0 };
    uint32_t         first                  = 0;
    kith_json_list   list                   = kith_json_open(json, '{');
    kith_json_string name;
    while (kith_json_next(json, &list, &name)) {
        uint32_t place = find_field(table, first, &name);
        if (place == table->count) {
            kith_json_unknown(json, &name, "there is no such field");
            continue;
        }
        const kith_field *f = &table->list[place];
        if (place < FIELDS_SEEN && !kith_json_mark(seen, place)) {
            kith_json_fail_name(json, &name, "the field comes twice");
        } else if (f->type == KITH_TYPE_CHARS) {
            read_chars(json, f, value + f->offset);
        } else if (f->count == 1) {
            read_element(json, f, value + f->offset);
        } else {
            read_elements(json, f, value + f->offset);
        }
        first = place + 1;
    }
}

void kith_json_value_read(kith_json_text *json, const kith_saved *saved, uint32_t size, void *value)
{
    memset(value, 0, size);
    if (saved->form == KITH_FORM_FIELDS) {
        read_json_fields(json, saved->fields, value);
    } else {
        const kith_field numbers = kith_plain_field(saved, size);
        read_elements(json, &numbers, value);
    }
}
