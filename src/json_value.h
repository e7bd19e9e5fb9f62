// SPDX-License-Identifier: MIT
// Values of components in JSON, by the form in which they are saved: read here, written by
// json_write.c.
#ifndef KITH_JSON_VALUE_H
#define KITH_JSON_VALUE_H

#include "field.h"
#include "json_text.h"

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

// The number with that name; and the name of a number, or NULL. Numbers are compared as what
// `size` bytes hold of them.
KITH_INTERNAL const kith_choice *kith_choice_named(const kith_choices     *choices,
                                                   const kith_json_string *name);
KITH_INTERNAL const char        *kith_choice_name(const kith_choices *choices, uint32_t size,
                                                  uint64_t number);

// A number of 1, 2, 4 or 8 bytes in memory.
static inline uint64_t kith_load_number(const void *from, uint32_t size)
{
    uint8_t  u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (size) {
    case 1:
        memcpy(&u8, from, sizeof u8);
        return u8;
    case 2:
        memcpy(&u16, from, sizeof u16);
        return u16;
    case 4:
        memcpy(&u32, from, sizeof u32);
        return u32;
    default:
        memcpy(&u64, from, sizeof u64);
        return u64;
    }
}

static inline bool kith_type_is_signed(kith_field_type type)
{
    return type >= KITH_TYPE_I8 && type <= KITH_TYPE_I64;
}

#endif
