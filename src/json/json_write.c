// SPDX-License-Identifier: MIT
// Writes entities and worlds as JSON, in pieces of at most 1 KB.
#include "json/json.h"

#include "snapshot/chunk.h"
#include "world/world.h"

#include <inttypes.h>
#include <stdio.h>

#define PIECE_BYTES 1024u // of text for each call of the write function
#define SAVER_BYTES 256u  // larger values of save functions need an allocation

// --- text ------------------------------------------------------------------------------------

// After a failure, which `code` keeps, nothing more is written.
typedef struct json_writer {
    const kith_world *world;
    kith_write_fn     write;
    void             *context;
    kith_error_code   code;
    bool              readable; // for people: names without quotation marks, entities as 12v3
    const char       *hook;     // the component with the failed save function, or NULL
    size_t            used;
    char              piece[PIECE_BYTES];
} json_writer;

static void flush_piece(json_writer *w)
{
    if (w->code == KITH_OK && w->used != 0 && !w->write(w->piece, w->used, w->context)) {
        w->code = KITH_ERROR_IO;
    }
    w->used = 0;
}

static void put_bytes(json_writer *w, const char *text, size_t size)
{
    while (size != 0) {
        size_t part = PIECE_BYTES - w->used < size ? PIECE_BYTES - w->used : size;
        memcpy(w->piece + w->used, text, part);
        w->used += part;
        text += part;
        size -= part;
        if (w->used == PIECE_BYTES) {
            flush_piece(w);
        }
    }
}

static void put_text(json_writer *w, const char *text)
{
    put_bytes(w, text, strlen(text));
}

// A byte that is not UTF-8 becomes the escape of a lone low surrogate, which valid text never has.
static size_t put_character(json_writer *w, const char *text, size_t left)
{
    unsigned char c      = (unsigned char)text[0];
    size_t        length = kith_utf8_length(text, left);
    char          escape[8];
    if (c == '"' || c == '\\') {
        put_bytes(w, (const char[]){ '\\', (char)c }, 2);
    } else if (length == 0 || c < 0x20) {
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c | (length == 0 ? 0xdc00u : 0));
        put_text(w, escape);
    } else {
        put_bytes(w, text, length);
    }
    return length == 0 ? 1 : length;
}

static void put_string(json_writer *w, const char *text, size_t size)
{
    put_text(w, "\"");
    for (size_t at = 0; at < size;) {
        at += put_character(w, text + at, size - at);
    }
    put_text(w, "\"");
}

// Writes a comma, except before the first member, and a key.
static void put_key(json_writer *w, bool *begun, const char *name)
{
    put_text(w, *begun ? ", " : "");
    if (w->readable) {
        put_text(w, name);
    } else {
        put_string(w, name, strlen(name));
    }
    put_text(w, ": ");
    *begun = true;
}

// --- values ----------------------------------------------------------------------------------

static void put_integer(json_writer *w, uint64_t number, uint32_t size, bool has_sign)
{
    char     text[24];
    uint64_t sign     = UINT64_C(1) << (size * 8 - 1);
    bool     negative = has_sign && (number & sign) != 0;
    uint64_t amount   = negative ? (sign << 1) - number : number;
    snprintf(text, sizeof text, "%s%" PRIu64, negative ? "-" : "", amount);
    put_text(w, text);
}

static void put_float(json_writer *w, kith_number number)
{
    char   text[KITH_NUMBER_ROOM];
    size_t size = kith_number_write(number, text);
    if (kith_number_finite(number)) {
        put_bytes(w, text, size);
    } else {
        put_string(w, text, size);
    }
}

static void put_handle(json_writer *w, kith_entity entity)
{
    char        text[32];
    const char *quote = w->readable ? "" : "\"";
    snprintf(text, sizeof text, "%s%" PRIu32 "%c%" PRIu32 "%s", quote, kith_entity_index(entity),
             w->readable ? 'v' : ':', kith_entity_version(entity), quote);
    put_text(w, entity == KITH_NULL ? "null" : text);
}

static void put_choice(json_writer *w, const kith_field *f, uint64_t number)
{
    const char *name = kith_choice_name(f->choices, f->size, number);
    if (name != NULL) {
        put_string(w, name, strlen(name));
    } else {
        put_integer(w, number, f->size, kith_choices_have_sign(f->choices));
    }
}

// Zeros at the end are not written: the reader starts from 0.
static void put_chars(json_writer *w, const char *text, size_t size)
{
    while (size != 0 && text[size - 1] == '\0') {
        size--;
    }
    put_string(w, text, size);
}

static void put_fields(json_writer *w, const kith_fields *table, const uint8_t *value);

// Writes one element of the field, or all of a text.
static void put_element(json_writer *w, const kith_field *f, const uint8_t *value)
{
    if (f->type == KITH_TYPE_STRUCT) {
        put_fields(w, f->nested, value);
        return;
    }
    uint64_t number = kith_load_number(value, f->size);
    switch (f->type) {
    case KITH_TYPE_BOOL:
        put_text(w, number != 0 ? "true" : "false");
        break;
    case KITH_TYPE_F32:
    case KITH_TYPE_F64:
        put_float(w, (kith_number){ number, f->size == 8 });
        break;
    case KITH_TYPE_ENTITY:
        put_handle(w, number);
        break;
    case KITH_TYPE_CHARS:
        put_chars(w, (const char *)value, f->count);
        break;
    case KITH_TYPE_ENUM:
        put_choice(w, f, number);
        break;
    default:
        put_integer(w, number, f->size, kith_type_is_signed(f->type));
    }
}

static void put_elements(json_writer *w, const kith_field *f, const uint8_t *value)
{
    put_text(w, "[");
    for (uint32_t i = 0; i < f->count; i++) {
        put_text(w, i == 0 ? "" : ", ");
        put_element(w, f, value + (size_t)i * f->size);
    }
    put_text(w, "]");
}

static void put_fields(json_writer *w, const kith_fields *table, const uint8_t *value)
{
    bool     begun = false;
    uint32_t at    = 0;
    put_text(w, "{");
    for (const kith_field *f; (f = kith_fields_next(table, &at)) != NULL;) {
        put_key(w, &begun, f->name);
        if (f->count == 1 || f->type == KITH_TYPE_CHARS) {
            put_element(w, f, value + f->offset);
        } else {
            put_elements(w, f, value + f->offset);
        }
    }
    put_text(w, "}");
}

static void put_hex(json_writer *w, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    put_text(w, "\"");
    for (size_t i = 0; i < size; i++) {
        put_bytes(w, (const char[]){ digits[bytes[i] >> 4], digits[bytes[i] & 15] }, 2);
    }
    put_text(w, "\"");
}

static void put_saved(json_writer *w, const kith_storage *storage, const void *value)
{
    uint8_t          few[SAVER_BYTES];
    kith_saved_bytes saved;
    kith_error_code  code =
        kith_saved_bytes_write(&saved, few, sizeof few, &w->world->scratch_memory, storage, value);
    if (code == KITH_OK && kith_saved_is_text(&storage->desc.traits.saved)) {
        put_string(w, (const char *)saved.data, saved.size);
    } else if (code == KITH_OK) {
        put_hex(w, saved.data, saved.size);
    } else {
        w->code = code;
        w->hook = code == KITH_ERROR_HOOK ? storage->desc.name : NULL;
    }
    kith_bytes_free(&saved.many);
}

static void put_value(json_writer *w, const kith_storage *storage, const void *value)
{
    const kith_saved *saved = &storage->desc.traits.saved;
    if (value == NULL) {
        put_text(w, "true");
    } else if (saved->form == KITH_FORM_FIELDS) {
        put_fields(w, saved->fields, value);
    } else if (saved->form == KITH_FORM_PLAIN) {
        const kith_field numbers = kith_plain_field(saved, storage->desc.size);
        put_elements(w, &numbers, value);
    } else {
        put_saved(w, storage, value);
    }
}

static bool append_to_text(const void *bytes, size_t size, void *context)
{
    kith_print_format(context, "%.*s", (int)size, (const char *)bytes); // a piece is small
    return true;
}

void kith_json_element_text(kith_print *out, const kith_field *field, const void *value)
{
    json_writer w = { .write = append_to_text, .context = out, .readable = true };
    put_element(&w, field, value);
    flush_piece(&w);
}

void kith_json_value_text(kith_print *out, const kith_storage *storage, const void *value)
{
    json_writer w = { .write = append_to_text, .context = out, .readable = true };
    put_value(&w, storage, value);
    flush_piece(&w);
}

// --- entities --------------------------------------------------------------------------------

// Whether the component is saved and the entity has it. For KITH_NULL: whether it is a singleton
// that has a value.
static bool is_written(const kith_world *world, kith_entity entity, const kith_storage *storage)
{
    bool there = storage->single != NULL;
    if (entity != KITH_NULL) {
        there = storage->bit != KITH_NO_BIT &&
                kith_entity_bit(&world->entities, kith_entity_index(entity), storage->bit);
    }
    return there && kith_storage_is_saved(storage);
}

// Returns NULL for a component without values.
static const void *json_value_of(const kith_storage *storage, kith_entity entity)
{
    const kith_sparse_set *rows = &storage->pool.set;
    if (storage->desc.kind != KITH_KIND_VALUE) {
        return storage->single;
    }
    return kith_pool_value(&storage->pool, kith_sparse_set_row_at(rows, kith_entity_index(entity)));
}

// Writes the components of the entity, or for KITH_NULL the singletons.
static void put_components(json_writer *w, kith_entity entity)
{
    bool begun = false;
    put_text(w, "{");
    for (uint32_t i = 0; i < w->world->storage_count; i++) {
        const kith_storage *storage = w->world->storages[i];
        if (is_written(w->world, entity, storage)) {
            put_key(w, &begun, storage->desc.name);
            put_value(w, storage, json_value_of(storage, entity));
        }
    }
    put_text(w, "}");
}

// Writes the names of the disabled components, if there are any.
static void put_disabled(json_writer *w, kith_entity entity)
{
    bool begun = false;
    for (uint32_t i = 0; i < w->world->storage_count; i++) {
        const kith_storage *storage = w->world->storages[i];
        if (is_written(w->world, entity, storage) &&
            !kith_storage_enabled_at(storage, kith_entity_index(entity))) {
            put_text(w, begun ? ", " : ", \"disabled\": [");
            put_string(w, storage->desc.name, strlen(storage->desc.name));
            begun = true;
        }
    }
    put_text(w, begun ? "]" : "");
}

static void put_entity(json_writer *w, kith_entity entity)
{
    put_text(w, "{\"entity\": ");
    put_handle(w, entity);
    put_text(w, ", \"components\": ");
    put_components(w, entity);
    put_disabled(w, entity);
    put_text(w, "}");
}

// --- calls -----------------------------------------------------------------------------------

// Whether all values of the entity, or for KITH_NULL of the world, have a save form.
static bool can_be_written(const json_writer *w, kith_entity entity, const char *call)
{
    const kith_world *world = w->world;
    kith_error error = { .code = KITH_ERROR_ARGUMENT, .call = call, .subject = "write is NULL" };
    if (w->write == NULL) {
        return kith_world_report_error(world, &error);
    }
    error = (kith_error){ .code = KITH_ERROR_UNSAVED, .call = call };
    for (uint32_t i = 0; i < world->storage_count; i++) {
        const kith_storage *storage = world->storages[i];
        bool                used    = entity != KITH_NULL ? is_written(world, entity, storage)
                                                          : kith_storage_is_used(storage);
        if (used && kith_storage_lacks_form(storage)) {
            error.component = storage->desc.id;
            return kith_world_report_error(world, &error);
        }
    }
    return true;
}

static void put_world(json_writer *w)
{
    const char *comma  = "\n";
    kith_entity entity = KITH_NULL;
    put_text(w, "{\"kith\": 0, \"entities\": [");
    while (w->code == KITH_OK && (entity = kith_entity_next(w->world, entity)) != KITH_NULL) {
        put_text(w, comma);
        put_entity(w, entity);
        comma = ",\n";
    }
    put_text(w, "\n], \"singletons\": ");
    put_components(w, KITH_NULL);
    put_text(w, "}\n");
}

// Writes the entity, or for KITH_NULL the world.
static bool write_json(const kith_world *world, kith_entity entity, kith_write_fn write,
                       void *context, const char *call)
{
    json_writer w = { .world = world, .write = write, .context = context };
    if (!can_be_written(&w, entity, call)) {
        return false;
    }
    if (entity == KITH_NULL) {
        put_world(&w);
    } else {
        put_entity(&w, entity);
    }
    flush_piece(&w);
    const char *what  = w.code == KITH_ERROR_IO ? "the text could not be written" : "save";
    kith_error  error = { .code = w.code, .call = call, .subject = what, .other = w.hook };
    return w.code == KITH_OK || kith_world_report_error(world, &error);
}

bool kith_json_write_entity(const kith_world *world, kith_entity entity, kith_write_fn write,
                            void *context)
{
    if (!kith_entity_table_alive(&world->entities, entity)) {
        kith_error error = kith_dead_entity_error(world, 0, entity, __func__);
        return kith_world_report_error(world, &error);
    }
    return write_json(world, entity, write, context, __func__);
}

bool kith_json_write_world(const kith_world *world, kith_write_fn write, void *context)
{
    return write_json(world, KITH_NULL, write, context, "kith_json_write_world");
}
