// SPDX-License-Identifier: MIT
// Values of components in JSON, by the form in which they are saved: read here, written by
// json_write.c.
#ifndef KITH_JSON_JSON_VALUE_H
#define KITH_JSON_JSON_VALUE_H

#include "store/field.h"
#include "json/json_lexer.h"

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

#endif
