// SPDX-License-Identifier: MIT
// Reading and writing JSON.
//
//     json_lexer.c    tokens of a text          json_value.c    values of components
//     json_read.c     entities and worlds       json_write.c    all of the writing
//
// A text is read from front to back and never becomes a tree: the reader asks for the next token.
// Skipping a value does not recurse. The first fault stays, and every later call returns false.
#ifndef KITH_JSON_JSON_H
#define KITH_JSON_JSON_H

#include "base/print.h"
#include "store/field.h"

#include "kith/json.h"

#define KITH_JSON_DEPTH 64u // the deepest nesting in a value that is skipped

typedef struct kith_json_text {
    const char *text;
    size_t      size;
    size_t      at;
    const char *fault; // static text; NULL: none
    size_t      fault_at;
} kith_json_text;

// The text between the quotation marks of a well-formed string.
typedef struct kith_json_string {
    const char *text;
    size_t      size;
    bool        plain; // it has no escapes
} kith_json_string;

// An integer: sign and magnitude.
typedef struct kith_json_integer {
    uint64_t size;
    bool     negative;
} kith_json_integer;

// An object or an array that is being read.
typedef struct kith_json_list {
    char close;
    bool begun;
} kith_json_list;

// Records the fault if it is the first. Returns false.
KITH_INTERNAL bool kith_json_fail(kith_json_text *json, const char *fault, size_t at);

// Skips blanks and returns the next character; 0 at the end.
KITH_INTERNAL char kith_json_peek(kith_json_text *json);

// The offset of the next value.
KITH_INTERNAL size_t kith_json_place(kith_json_text *json);

// Begin an object, '{', or an array, '['; go to the next member, with its `key` in an object. The
// latter returns false at the end of the list.
KITH_INTERNAL bool kith_json_open(kith_json_text *json, char open, kith_json_list *list);
KITH_INTERNAL bool kith_json_next(kith_json_text *json, kith_json_list *list,
                                  kith_json_string *key);

KITH_INTERNAL bool kith_json_string_read(kith_json_text *json, kith_json_string *string);
KITH_INTERNAL bool kith_json_bool_read(kith_json_text *json, bool *value);
KITH_INTERNAL bool kith_json_null_read(kith_json_text *json);

// Read a number as text, and an integer. An integer has neither point nor exponent.
KITH_INTERNAL bool kith_json_number_read(kith_json_text *json, const char **text, size_t *size);
KITH_INTERNAL bool kith_json_integer_read(kith_json_text *json, kith_json_integer *value);

// Skip a value of any type; skip blanks to the end of the text, where nothing may follow.
KITH_INTERNAL bool kith_json_skip(kith_json_text *json);
KITH_INTERNAL bool kith_json_end(kith_json_text *json);

// Decodes a string: writes at most `room` bytes and returns the full length.
KITH_INTERNAL size_t kith_json_decode(const kith_json_string *string, char *bytes, size_t room);
KITH_INTERNAL bool   kith_json_is(const kith_json_string *string, const char *text);

// The length of the first UTF-8 character; 0: the bytes are not UTF-8.
KITH_INTERNAL size_t kith_utf8_length(const char *text, size_t size);

// --- values (json_value.c) -------------------------------------------------------------------
//
// Reads values of components by their save form.

typedef struct kith_json_source {
    kith_json_text   json;
    bool             skip_unknown;
    kith_json_string about; // the name that the fault is about; NULL text: none
    // Maps a handle in the text to the handle of that entity now.
    kith_entity (*follow)(const void *context, kith_entity entity);
    const void *context;
} kith_json_source;

// Handles an unknown name: skips its value when `skip_unknown`, else fails.
KITH_INTERNAL bool kith_json_unknown(kith_json_source *from, const kith_json_string *name,
                                     const char *fault);

// Records a fault about a name, at its quotation mark. Returns false.
KITH_INTERNAL bool kith_json_fail_name(kith_json_source *from, const kith_json_string *name,
                                       const char *fault);

// Read a value with fields, and one of plain numbers. The memory is all 0 before.
KITH_INTERNAL bool kith_json_fields_read(kith_json_source *from, const kith_fields *table,
                                         void *value);
KITH_INTERNAL bool kith_json_units_read(kith_json_source *from, uint32_t unit, uint32_t size,
                                        void *value);

// Read a string of hexadecimal digits; decode it into half as many bytes.
KITH_INTERNAL bool kith_json_hex_read(kith_json_source *from, kith_json_string *digits);
KITH_INTERNAL void kith_json_hex_decode(const kith_json_string *digits, uint8_t *bytes);

// Reads "index:version" without mapping it.
KITH_INTERNAL bool kith_json_entity_read(kith_json_source *from, kith_entity *entity);

// --- writing (json_write.c) ------------------------------------------------------------------

// Prints one element of the field, or all of a text.
KITH_INTERNAL void kith_json_element_text(kith_print *out, const kith_field *field,
                                          const void *value);

#endif
