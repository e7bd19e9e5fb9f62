// SPDX-License-Identifier: MIT
// Reading and writing JSON.
//
//     json_lexer.c    tokens of a text          json_value.c    values of components
//     json_read.c     entities and worlds       json_write.c    all of the writing
//
// A text is read from front to back and never becomes a tree: the reader asks for the next token.
// Skipping a value does not recurse.
//
// Failing: the first fault stays in the text, which then is at its end. A read after a fault finds
// nothing and returns an empty string or 0, so only a caller that acts on a value looks at `fault`.
#pragma once

#include "base/print.h"
#include "store/storage.h"

#include "kith/json.h"

#define KITH_JSON_DEPTH 64u // the deepest nesting in a value that is skipped

// The text between the quotation marks of a well-formed string; or a number.
typedef struct kith_json_string {
    const char *text;
    size_t      size;
} kith_json_string;

typedef struct kith_json_text {
    const char      *text;
    size_t           size;
    size_t           at;
    size_t           token; // the offset of the newest string, number or word
    const char      *fault; // static text; NULL: none
    size_t           fault_at;
    kith_json_string about; // the name that the fault is about; NULL text: none
    bool             skip_unknown;
    // Maps a handle in the text to the handle of that entity now.
    kith_map_entity_fn follow;
    const void        *context;
} kith_json_text;

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

// Records the fault if it is the first. Returns false. The second function is for a fault of the
// newest token, which is a name.
bool kith_json_fail(kith_json_text *json, const char *fault, size_t at);
bool kith_json_fail_name(kith_json_text *json, const kith_json_string *name, const char *fault);

// Handles an unknown name: skips its value when `skip_unknown`, else fails.
void kith_json_unknown(kith_json_text *json, const kith_json_string *name, const char *fault);

// Skips blanks and returns the next character; 0 at the end.
char kith_json_peek(kith_json_text *json);

// The offset of the next value.
size_t kith_json_place(kith_json_text *json);

// Begin an object, '{', or an array, '['; go to the next member, with its `key` in an object. The
// latter returns false at the end of the list.
kith_json_list kith_json_open(kith_json_text *json, char open);
bool           kith_json_next(kith_json_text *json, kith_json_list *list, kith_json_string *key);

kith_json_string kith_json_string_read(kith_json_text *json);
bool             kith_json_bool_read(kith_json_text *json);
void             kith_json_null_read(kith_json_text *json);

// Read a number as text, and an integer. An integer has neither point nor exponent.
kith_json_string  kith_json_number_read(kith_json_text *json);
kith_json_integer kith_json_integer_read(kith_json_text *json);

// Skip a value of any type; skip blanks to the end of the text, where nothing may follow. The
// latter returns whether the text has no fault.
void kith_json_skip(kith_json_text *json);
bool kith_json_end(kith_json_text *json);

// Decodes a string: writes at most `room` bytes and returns the full length.
size_t kith_json_decode(const kith_json_string *string, char *bytes, size_t room);
bool   kith_json_is(const kith_json_string *string, const char *text);

// The length of the first UTF-8 character; 0: the bytes are not UTF-8.
size_t kith_utf8_length(const char *text, size_t size);

// Sets a bit. Returns whether it was 0.
static inline bool kith_json_mark(uint64_t *seen, uint32_t bit)
{
    bool before = (seen[bit >> 6] >> (bit & 63) & 1) != 0;
    seen[bit >> 6] |= UINT64_C(1) << (bit & 63);
    return !before;
}

// --- values (json_value.c) -------------------------------------------------------------------

// Returns a field with the numbers of a plain value of `size` bytes.
static inline kith_field kith_plain_field(const kith_saved *saved, uint32_t size)
{
    return (kith_field){ .type = KITH_TYPE_U64, .size = saved->unit, .count = size / saved->unit };
}

// Reads a value of `size` bytes with fields or of plain numbers.
void kith_json_value_read(kith_json_text *json, const kith_saved *saved, uint32_t size,
                          void *value);

// Reads "index:version" without mapping it.
kith_entity kith_json_entity_read(kith_json_text *json);

// --- writing (json_write.c) ------------------------------------------------------------------

// Print for people: one element of the field, or all of a text; a value with fields or of plain
// numbers. Names have no quotation marks, and entities are 12v3.
void kith_json_element_text(kith_print *out, const kith_field *field, const void *value);
void kith_json_value_text(kith_print *out, const kith_storage *storage, const void *value);
