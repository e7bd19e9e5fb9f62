// SPDX-License-Identifier: MIT
// How a component's values become bytes that are the same on every machine, and back.
//
//     in memory    | x x x x | y | . . . | z z z z z z z z |      . is padding
//     packed       | x x x x | y | z z z z z z z z |              little-endian, nothing between
//
// Packed, the fields stand in the order of the table, without what is skipped. A layout lists the
// pieces of memory that stand together in both; on a little-endian machine a value without padding
// is one piece, and packing is copying.
#ifndef KITH_STORE_FIELD_LAYOUT_H
#define KITH_STORE_FIELD_LAYOUT_H

#include "store/field.h"

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
KITH_INTERNAL bool kith_layout_make(kith_layout *layout, const kith_allocator *memory,
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
KITH_INTERNAL void kith_layout_follow(const kith_layout *layout, void *value,
                                      kith_entity (*follow)(const void *context,
                                                            kith_entity entity),
                                      const void *context);

#endif
