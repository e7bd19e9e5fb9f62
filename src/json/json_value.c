// SPDX-License-Identifier: MIT
// Reads values of components from JSON: numbers, names, handles, fields, bytes.
#include "json/json.h"

// A field beyond these that comes twice is not noticed: the last value counts.
#define FIELDS_SEEN 1024u

KITH_INTERNAL bool kith_json_fail_name(kith_json_source *from, const kith_json_string *name,
                                       const char *fault)
{
    from->about = *name;
    return kith_json_fail(&from->json, fault, (size_t)(name->text - from->json.text) - 1);
}

KITH_INTERNAL bool kith_json_unknown(kith_json_source *from, const kith_json_string *name,
                                     const char *fault)
{
    return from->skip_unknown ? kith_json_skip(&from->json)
                              : kith_json_fail_name(from, name, fault);
}

// --- numbers ---------------------------------------------------------------------------------

// `below`: the type has negative numbers; `above`: it has the upper half of the unsigned ones.
static bool read_integer(kith_json_source *from, uint32_t size, bool below, bool above, void *value)
{
    size_t            at   = kith_json_place(&from->json);
    uint64_t          half = kith_number_mask(size) >> 1;
    kith_json_integer i;
    if (!kith_json_integer_read(&from->json, &i)) {
        return false;
    }
    uint64_t most = i.negative ? (below ? half + 1 : 0) : above ? kith_number_mask(size) : half;
    if (i.size > most) {
        return kith_json_fail(&from->json, "the number does not fit", at);
    }
    kith_store_number(value, size, i.negative ? 0 - i.size : i.size);
    return true;
}

static bool read_float(kith_json_source *from, uint32_t size, void *value)
{
    kith_number      number = { 0, size == 8 };
    size_t           at     = kith_json_place(&from->json);
    kith_json_string string;
    const char      *text;
    size_t           length;
    if (kith_json_peek(&from->json) == '"') {
        char word[KITH_NUMBER_ROOM];
        if (!kith_json_string_read(&from->json, &string)) {
            return false;
        }
        length = kith_json_decode(&string, word, sizeof word);
        if (length > sizeof word || !kith_number_read_word(word, length, &number)) {
            return kith_json_fail(&from->json, "the string is not a number", at);
        }
    } else if (!kith_json_number_read(&from->json, &text, &length)) {
        return false;
    } else if (!kith_number_read(text, length, &number)) {
        return kith_json_fail(&from->json, "the number does not fit", at);
    }
    kith_store_number(value, size, number.bits);
    return true;
}

// --- names and handles -----------------------------------------------------------------------

static bool read_choice(kith_json_source *from, const kith_field *f, void *value)
{
    kith_json_string name;
    if (kith_json_peek(&from->json) != '"') {
        return read_integer(from, f->size, true, true, value);
    }
    if (!kith_json_string_read(&from->json, &name)) {
        return false;
    }
    for (uint32_t i = 0; i < f->choices->count; i++) {
        if (kith_json_is(&name, f->choices->list[i].name)) {
            kith_store_number(value, f->size, (uint64_t)f->choices->list[i].value);
            return true;
        }
    }
    return kith_json_fail_name(from, &name, "the enum has no such name");
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

KITH_INTERNAL bool kith_json_entity_read(kith_json_source *from, kith_entity *entity)
{
    char             text[24] = { 0 };
    size_t           at       = kith_json_place(&from->json);
    uint32_t         index;
    uint32_t         version;
    kith_json_string string;
    if (!kith_json_string_read(&from->json, &string)) {
        return false;
    }
    size_t      size = kith_json_decode(&string, text, sizeof text - 1);
    const char *end  = read_handle_part(text, &index);
    end              = end != NULL && *end == ':' ? read_handle_part(end + 1, &version) : NULL;
    if (end == NULL || (size_t)(end - text) != size) {
        return kith_json_fail(&from->json, "a handle is \"index:version\"", at);
    }
    *entity = kith_entity_make(index, version);
    return true;
}

static bool read_handle(kith_json_source *from, void *value)
{
    kith_entity entity = KITH_NULL;
    if (kith_json_peek(&from->json) == 'n') {
        return kith_json_null_read(&from->json);
    }
    if (!kith_json_entity_read(from, &entity)) {
        return false;
    }
    entity = from->follow(from->context, entity);
    memcpy(value, &entity, sizeof entity);
    return true;
}

// --- fields ----------------------------------------------------------------------------------

static bool read_chars(kith_json_source *from, const kith_field *f, void *value)
{
    size_t           at = kith_json_place(&from->json);
    kith_json_string string;
    if (!kith_json_string_read(&from->json, &string)) {
        return false;
    }
    return kith_json_decode(&string, value, f->count) <= f->count ||
           kith_json_fail(&from->json, "the text is too long for its field", at);
}

static bool read_element(kith_json_source *from, const kith_field *f, void *value)
{
    bool yes = false;
    switch (f->type) {
    case KITH_TYPE_BOOL:
        if (!kith_json_bool_read(&from->json, &yes)) {
            return false;
        }
        memcpy(value, &yes, sizeof yes);
        return true;
    case KITH_TYPE_F32:
    case KITH_TYPE_F64:
        return read_float(from, f->size, value);
    case KITH_TYPE_ENTITY:
        return read_handle(from, value);
    case KITH_TYPE_ENUM:
        return read_choice(from, f, value);
    case KITH_TYPE_STRUCT:
        return kith_json_fields_read(from, f->nested, value);
    default:
        return read_integer(from, f->size, kith_type_is_signed(f->type),
                            !kith_type_is_signed(f->type), value);
    }
}

// Reads an array of exactly `f->count` elements.
static bool read_elements(kith_json_source *from, const kith_field *f, uint8_t *value)
{
    static const char fault[] = "the array has another number of elements than its field";
    size_t            at      = kith_json_place(&from->json);
    uint32_t          count   = 0;
    kith_json_list    list;
    if (!kith_json_open(&from->json, '[', &list)) {
        return false;
    }
    while (kith_json_next(&from->json, &list, NULL)) {
        if (count == f->count) {
            return kith_json_fail(&from->json, fault, at);
        }
        if (!read_element(from, f, value + (size_t)count++ * f->size)) {
            return false;
        }
    }
    return from->json.fault == NULL &&
           (count == f->count || kith_json_fail(&from->json, fault, at));
}

static bool read_field(kith_json_source *from, const kith_field *f, uint8_t *value)
{
    if (f->type == KITH_TYPE_CHARS) {
        return read_chars(from, f, value);
    }
    return f->count == 1 ? read_element(from, f, value) : read_elements(from, f, value);
}

static bool is_field(const kith_field *f, const kith_json_string *name, bool older)
{
    const char *called = older ? f->was : f->name;
    return f->type != KITH_TYPE_SKIP && called != NULL && kith_json_is(name, called);
}

// The index of a field in its table; present names win over older ones. Fields mostly come in the
// order of the table, so the search begins behind the last one.
static uint32_t find_field(const kith_fields *table, uint32_t first, const kith_json_string *name)
{
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t place = first + i < table->count ? first + i : first + i - table->count;
        if (is_field(&table->list[place], name, false)) {
            return place;
        }
    }
    for (uint32_t i = 0; i < table->count; i++) {
        if (is_field(&table->list[i], name, true)) {
            return i;
        }
    }
    return table->count;
}

// Marks a field. Returns whether it was not marked before.
static bool mark_field(uint64_t *seen, uint32_t place)
{
    uint64_t bit    = UINT64_C(1) << (place & 63);
    bool     before = place < FIELDS_SEEN && (seen[place >> 6] & bit) != 0;
    if (place < FIELDS_SEEN) {
        seen[place >> 6] |= bit;
    }
    return !before;
}

KITH_INTERNAL bool kith_json_fields_read(kith_json_source *from, const kith_fields *table,
                                         void *value)
{
    uint64_t         seen[FIELDS_SEEN / 64] = { 0 };
    uint32_t         first                  = 0;
    kith_json_list   list;
    kith_json_string name;
    if (!kith_json_open(&from->json, '{', &list)) {
        return false;
    }
    while (kith_json_next(&from->json, &list, &name)) {
        uint32_t place = find_field(table, first, &name);
        if (place == table->count) {
            kith_json_unknown(from, &name, "there is no such field");
            continue;
        }
        if (!mark_field(seen, place)) {
            return kith_json_fail_name(from, &name, "the field comes twice");
        }
        read_field(from, &table->list[place], (uint8_t *)value + table->list[place].offset);
        first = place + 1;
    }
    return from->json.fault == NULL;
}

KITH_INTERNAL bool kith_json_units_read(kith_json_source *from, uint32_t unit, uint32_t size,
                                        void *value)
{
    const kith_field numbers = { .type = KITH_TYPE_U64, .size = unit, .count = size / unit };
    return read_elements(from, &numbers, value);
}

// --- bytes -----------------------------------------------------------------------------------

KITH_INTERNAL bool kith_json_hex_read(kith_json_source *from, kith_json_string *digits)
{
    size_t at = kith_json_place(&from->json);
    if (!kith_json_string_read(&from->json, digits)) {
        return false;
    }
    bool fine = digits->size % 2 == 0;
    for (size_t i = 0; i < digits->size && fine; i++) {
        fine = kith_hex_digit(digits->text[i]) >= 0;
    }
    return fine || kith_json_fail(&from->json, "bytes are pairs of hexadecimal digits", at);
}

KITH_INTERNAL void kith_json_hex_decode(const kith_json_string *digits, uint8_t *bytes)
{
    for (size_t i = 0; i + 1 < digits->size; i += 2) {
        const char *pair = digits->text + i;
        bytes[i / 2]     = (uint8_t)(kith_hex_digit(pair[0]) << 4 | kith_hex_digit(pair[1]));
    }
}
