// SPDX-License-Identifier: MIT
// JSON as a text that is read from front to back: nothing is built of it, whoever reads asks for
// what comes next. It never goes deeper than who asks; what is passed over is passed over without
// recursion. The first fault stays, and from then on every answer is false.
#ifndef KITH_JSON_JSON_H
#define KITH_JSON_JSON_H

#include "base/print.h"
#include "store/field.h"

#include "kith/json.h"

#define KITH_JSON_DEPTH 64u // lists in lists that are passed over

typedef struct kith_json_text {
    const char *text;
    size_t      size;
    size_t      at;
    const char *fault; // static text; NULL: none
    size_t      fault_at;
} kith_json_text;

// What stands between the quotation marks of a string, which is known to be well formed.
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

// Notes the fault, if it is the first. Returns false.
KITH_INTERNAL bool kith_json_fail(kith_json_text *json, const char *fault, size_t at);

// The first character of what comes next, 0 at the end.
KITH_INTERNAL char kith_json_peek(kith_json_text *json);

// Where the next value begins.
KITH_INTERNAL size_t kith_json_place(kith_json_text *json);

// Begins an object, '{', or an array, '['; goes on to the next member: false at the end of the
// list. `key` is that of an object's.
KITH_INTERNAL bool kith_json_open(kith_json_text *json, char open, kith_json_list *list);
KITH_INTERNAL bool kith_json_next(kith_json_text *json, kith_json_list *list,
                                  kith_json_string *key);

KITH_INTERNAL bool kith_json_string_read(kith_json_text *json, kith_json_string *string);
KITH_INTERNAL bool kith_json_bool_read(kith_json_text *json, bool *value);
KITH_INTERNAL bool kith_json_null_read(kith_json_text *json);

// A number as it is spelt, and one without point and exponent. False for others.
KITH_INTERNAL bool kith_json_number_read(kith_json_text *json, const char **text, size_t *size);
KITH_INTERNAL bool kith_json_integer_read(kith_json_text *json, kith_json_integer *value);

// Passes over a value, whatever it is. Passes to the end of the text, where nothing may stand.
KITH_INTERNAL bool kith_json_skip(kith_json_text *json);
KITH_INTERNAL bool kith_json_end(kith_json_text *json);

// The bytes that a string stands for: writes as many as there is room for, returns how many there
// are.
KITH_INTERNAL size_t kith_json_decode(const kith_json_string *string, char *bytes, size_t room);
KITH_INTERNAL bool   kith_json_is(const kith_json_string *string, const char *text);

// Bytes of the character that UTF-8 text begins with; 0: they are none.
KITH_INTERNAL size_t kith_utf8_length(const char *text, size_t size);

// --- json_value ------------------------------------------------------------
//
// Values of components in JSON, by the form in which they are saved: read here, written by
// json_write.c.

typedef struct kith_json_source {
    kith_json_text   json;
    bool             skip_unknown;
    kith_json_string about; // the name of which a fault speaks; NULL text: none
    // The handle that now means whom `entity` meant when the text was written.
    kith_entity (*follow)(const void *context, kith_entity entity);
    const void *context;
} kith_json_source;

// What a name that nothing has comes to: its value is passed over, or it is a fault.
KITH_INTERNAL bool kith_json_unknown(kith_json_source *from, const kith_json_string *name,
                                     const char *fault);

// A fault about a name, which stands behind its quotation mark. Returns false.
KITH_INTERNAL bool kith_json_fail_name(kith_json_source *from, const kith_json_string *name,
                                       const char *fault);

// Reads a value with that table into memory that is all 0; numbers of that unit.
KITH_INTERNAL bool kith_json_fields_read(kith_json_source *from, const kith_fields *table,
                                         void *value);
KITH_INTERNAL bool kith_json_units_read(kith_json_source *from, uint32_t unit, uint32_t size,
                                        void *value);

// Reads a string of hexadecimal digits; the second turns it into half as many bytes.
KITH_INTERNAL bool kith_json_hex_read(kith_json_source *from, kith_json_string *digits);
KITH_INTERNAL void kith_json_hex_decode(const kith_json_string *digits, uint8_t *bytes);

// Reads "index:version", as it stands there.
KITH_INTERNAL bool kith_json_entity_read(kith_json_source *from, kith_entity *entity);

// The number with that name, or NULL.
KITH_INTERNAL const kith_choice *kith_choice_named(const kith_choices     *choices,
                                                   const kith_json_string *name);

// --- json_write ------------------------------------------------------------
//
// Single values as JSON writes them.

// One element of the field, or all of a text.
KITH_INTERNAL void kith_json_element_text(kith_print *out, const kith_field *field,
                                          const void *value);

#endif
