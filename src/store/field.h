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
KITH_INTERNAL uint64_t kith_fields_offset_sum(const kith_fields *table);

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

// --- field_layout ------------------------------------------------------------
//
// How a component's values become bytes that are the same on every machine, and back.
//
//     in memory    | x x x x | y | . . . | z z z z z z z z |      . is padding
//     packed       | x x x x | y | z z z z z z z z |              little-endian, nothing between
//
// Packed, the fields stand in the order of the table, without what is skipped. A layout lists the
// pieces of memory that stand together in both; on a little-endian machine a value without padding
// is one piece, and packing is copying.

// Bytes that are copied as they are, or numbers of `unit` bytes whose bytes are turned round.
typedef struct kith_piece {
    uint32_t at; // in the value; the packed pieces follow each other
    uint32_t size;
    uint32_t unit;
} kith_piece;

// Several fields of one type that stand in a row.
typedef struct kith_spots {
    uint32_t at; // of booleans in the packed value, of entities in the one in memory
    uint32_t count;
} kith_spots;

typedef struct kith_layout {
    kith_form   form;
    uint32_t    size;   // of a value in memory
    uint32_t    packed; // of a packed value; 0: functions, or nothing is saved
    bool        gaps;   // memory has bytes that are in no piece
    kith_piece *pieces;
    kith_spots *bools;
    kith_spots *entities;
    uint32_t    piece_count;
    uint32_t    bool_count;
    uint32_t    entity_count;
    void       *memory; // holds the lists, and the copies to which the description points
    size_t      bytes;
} kith_layout;

// NULL, or why values of this size cannot be saved like that; `*field` as in kith_fields_fault.
KITH_INTERNAL const char *kith_saved_fault(const kith_saved *saved, uint32_t size,
                                           const char **field);

// A number for the way of saving, the same on every machine: the schema.
KITH_INTERNAL uint64_t kith_saved_sum(const kith_saved *saved, uint32_t size);

// Makes the layout of `saved`, which is without fault, and lets `saved` point to copies that live
// as long; false when memory runs out.
KITH_INTERNAL bool kith_layout_init(kith_layout *layout, const kith_allocator *memory,
                                    kith_saved *saved, uint32_t size);
KITH_INTERNAL void kith_layout_release(kith_layout *layout, const kith_allocator *memory);

// Whether packed values are the values themselves.
static inline bool kith_layout_is_whole(const kith_layout *layout)
{
    return layout->piece_count == 1 && layout->packed == layout->size &&
           layout->pieces[0].unit == 1;
}

// Packs values that stand in a row.
KITH_INTERNAL void kith_layout_pack(const kith_layout *layout, void *packed, const void *values,
                                    uint32_t count);

// Unpacks into raw memory; what is in no piece becomes 0. False when a boolean is neither 0 nor 1,
// with the number of its value in `*bad`.
KITH_INTERNAL bool kith_layout_unpack(const kith_layout *layout, void *values, const void *packed,
                                      uint32_t count, uint32_t *bad);

// Unpacks into a value that lives: what is in no piece stays. False as above.
KITH_INTERNAL bool kith_layout_unpack_over(const kith_layout *layout, void *value,
                                           const void *packed);

// Puts in the place of each handle in a value the one that `follow` answers.
KITH_INTERNAL void kith_layout_map_entities(const kith_layout *layout, void *value,
                                            kith_entity (*follow)(const void *context,
                                                                  kith_entity entity),
                                            const void *context);

#endif
