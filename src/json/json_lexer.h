// SPDX-License-Identifier: MIT
// JSON as a text that is read from front to back: nothing is built of it, whoever reads asks for
// what comes next. It never goes deeper than who asks; what is passed over is passed over without
// recursion. The first fault stays, and from then on every answer is false.
#ifndef KITH_JSON_JSON_LEXER_H
#define KITH_JSON_JSON_LEXER_H

#include "base/base.h"

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

#endif
