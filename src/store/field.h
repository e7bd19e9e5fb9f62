// SPDX-License-Identifier: MIT
// Tables of fields: whether one makes sense, copies that are the world's own, and comparing.
#ifndef KITH_STORE_FIELD_H
#define KITH_STORE_FIELD_H

#include "base/alloc.h"
#include "base/xxh3.h"

#define KITH_FIELDS_DEPTH 8u    // structs in structs
#define KITH_FIELDS_MOST  4096u // in one table; the same for the names of an enum

// NULL, or what is wrong with the table, static text; `*field` is then the name of the field of
// which it speaks, or NULL.
KITH_INTERNAL const char *kith_fields_fault(const kith_fields *table, const char **field);

// A number for what values with this table are, the same on every machine: names, types and counts
// in their order. Offsets, units, older names and what is skipped are not in it.
KITH_INTERNAL uint64_t kith_fields_sum(const kith_fields *table);

// A number for where values have these fields in memory.
KITH_INTERNAL uint64_t kith_fields_places(const kith_fields *table);

// The field, the number of an enum, with that name, or NULL. No field is called NULL.
KITH_INTERNAL const kith_field  *kith_field_find(const kith_fields *table, const char *name);
KITH_INTERNAL const kith_choice *kith_choice_find(const kith_choices *choices, const char *name);

// The first field from `*at` on that is not skipped, with `*at` behind it; NULL: there is none.
KITH_INTERNAL const kith_field *kith_fields_next(const kith_fields *table, uint32_t *at);

// The checksum of numbers, as little-endian bytes; there are at most 16.
KITH_INTERNAL uint64_t kith_sum_numbers(const uint64_t *numbers, uint32_t count);

// Bytes of a copy with all that it points to, and the copy, in memory that is aligned for pointers.
KITH_INTERNAL size_t             kith_fields_bytes(const kith_fields *table);
KITH_INTERNAL const kith_fields *kith_fields_copy(const kith_fields *table, void *memory);

// Bytes of an element, 0 where the table decides: enums, structs.
KITH_INTERNAL uint32_t kith_field_type_size(kith_field_type type);

// Whether some number of the enum is below 0: then those without a name have a sign, too.
KITH_INTERNAL bool kith_choices_have_sign(const kith_choices *choices);

// The name of a number, or NULL. Numbers are compared as what `size` bytes hold of them.
KITH_INTERNAL const char *kith_choice_name(const kith_choices *choices, uint32_t size,
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

static inline void kith_store_number(void *to, uint32_t size, uint64_t number)
{
    uint8_t  u8  = (uint8_t)number;
    uint16_t u16 = (uint16_t)number;
    uint32_t u32 = (uint32_t)number;
    switch (size) {
    case 1:
        memcpy(to, &u8, sizeof u8);
        break;
    case 2:
        memcpy(to, &u16, sizeof u16);
        break;
    case 4:
        memcpy(to, &u32, sizeof u32);
        break;
    default:
        memcpy(to, &number, sizeof number);
    }
}

// The bits that a number of so many bytes has.
static inline uint64_t kith_number_mask(uint32_t size)
{
    return UINT64_MAX >> (64 - size * 8);
}

#endif
