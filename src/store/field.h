// SPDX-License-Identifier: MIT
// Field tables: checking them, copying them into memory of the world, and checksums to compare
// them. Below: the layout of values that are saved.
#pragma once

#include "base/alloc.h"
#include "base/xxh3.h"

#define KITH_FIELDS_DEPTH 8u    // how deep structs are nested
#define KITH_FIELDS_MOST  4096u // fields in a table, and names of an enum

// Checks a table. Returns NULL, or static text that says what is wrong. `*field` is then the name
// of the field at fault; it is NULL before. `depth` is 0, and for a nested struct how deep it is.
const char *kith_fields_fault(const kith_fields *table, const char **field, uint32_t depth);

// Whether two tables, which may be NULL, have the same fields; skipped ones do not count. `places`:
// compares offsets and sizes in memory, otherwise names, types, counts and numbers of enums.
bool kith_fields_same(const kith_fields *a, const kith_fields *b, bool places);

// Returns a checksum of the names, types and counts in their order, the same on every machine.
// Offsets, units, older names and skipped fields do not count.
uint64_t kith_fields_sum(const kith_fields *table);

// Returns the field, or the number of an enum, with that name; NULL when there is none. For a
// field, `name` may be NULL.
const kith_field  *kith_field_find(const kith_fields *table, const char *name);
const kith_choice *kith_choice_find(const kith_choices *choices, const char *name);

// Returns the first field at or after `*at` that is not skipped, and moves `*at` behind it; NULL at
// the end.
const kith_field *kith_fields_next(const kith_fields *table, uint32_t *at);

// Returns the checksum of at most 16 numbers, as little-endian bytes.
uint64_t kith_sum_numbers(const uint64_t *numbers, uint32_t count);

// Copies a table, which may be NULL, with all that it points to.
const kith_fields *kith_fields_copy(kith_copier *to, const kith_fields *from);

// Returns the bytes of an element; 0 for enums and structs, where the table says it.
uint32_t kith_field_type_size(kith_field_type type);

// Whether a number of the enum is below 0. If so, numbers without a name are signed too.
bool kith_choices_have_sign(const kith_choices *choices);

// Returns the name of a number, or NULL. Compares only the low `size` bytes of both numbers.
const char *kith_choice_name(const kith_choices *choices, uint32_t size, uint64_t number);

static inline bool kith_type_is_signed(kith_field_type type)
{
    return type >= KITH_TYPE_I8 && type <= KITH_TYPE_I64;
}

// Load and store the low `size` bytes of a number: 1, 2, 4 or 8.
static inline uint64_t kith_load_number(const void *from, uint32_t size)
{
    uint64_t number = 0;
    memcpy((uint8_t *)&number + (KITH_IS_LITTLE ? 0 : sizeof number - size), from, size);
    return number;
}

static inline void kith_store_number(void *to, uint32_t size, uint64_t number)
{
    memcpy(to, (const uint8_t *)&number + (KITH_IS_LITTLE ? 0 : sizeof number - size), size);
}

// Returns a mask with the bits of a number of `size` bytes.
static inline uint64_t kith_number_mask(uint32_t size)
{
    return UINT64_MAX >> (64 - size * 8);
}

// --- layouts ---------------------------------------------------------------------------------
//
// A layout converts values of a component to bytes that are the same on every machine, and back.
//
//     in memory    | x x x x | y | . . . | z z z z z z z z |      . is padding
//     packed       | x x x x | y | z z z z z z z z |              little-endian, nothing between
//
// Packed fields are in the order of the table, without the skipped ones. A piece is a range of
// bytes that is contiguous in memory and packed. On a little-endian machine a value without padding
// is one piece, so packing is copying.

typedef struct kith_layout_piece {
    uint32_t at; // offset in the value; packed pieces follow each other
    uint32_t size;
    uint32_t unit; // 1: bytes are copied; else: numbers of `unit` bytes, each reversed
} kith_layout_piece;

// Consecutive booleans or entities.
typedef struct kith_layout_run {
    uint32_t at; // offset of booleans in the packed value, of entities in memory
    uint32_t count;
} kith_layout_run;

typedef struct kith_layout {
    kith_form          form;
    uint32_t           size;   // of a value in memory
    uint32_t           packed; // size of a packed value; 0: saved by functions, or not saved
    bool               gaps;   // the value in memory has bytes that are in no piece
    kith_layout_piece *pieces;
    kith_layout_run   *bools;
    kith_layout_run   *entities;
    uint32_t           piece_count;
    uint32_t           bool_count;
    uint32_t           entity_count;
    void              *memory; // one block: the lists, and the copies to which kith_saved points
    size_t             bytes;
} kith_layout;

// Checks whether values of `size` bytes can be saved like that. As kith_fields_fault.
const char *kith_saved_fault(const kith_saved *saved, uint32_t size, const char **field);

// Copies numbers of `size` bytes from the machine's byte order to the file's, or back.
void kith_copy_numbers(void *to, const void *from, size_t count, size_t size);

// Returns a checksum of the schema: how values are saved. It is the same on every machine.
uint64_t kith_saved_sum(const kith_saved *saved, uint32_t size);

// Whether the values are saved as text.
static inline bool kith_saved_is_text(const kith_saved *saved)
{
    return saved->form == KITH_FORM_FUNCTIONS && saved->unit == KITH_UNIT_TEXT;
}

// Makes the layout of `saved`, which has no fault. Copies what `saved` points to, and `saved` then
// points to the copies, which live as long as the layout. Returns false when memory runs out.
bool kith_layout_init(kith_layout *layout, const kith_allocator *memory, kith_saved *saved,
                      uint32_t size);
void kith_layout_free(kith_layout *layout, const kith_allocator *memory);

// Whether a packed value equals the value in memory, byte for byte.
static inline bool kith_layout_is_whole(const kith_layout *layout)
{
    return layout->piece_count == 1 && layout->packed == layout->size &&
           layout->pieces[0].unit == 1;
}

// Packs consecutive values.
void kith_layout_pack(const kith_layout *layout, void *packed, const void *values, uint32_t count);

// Unpacks into raw memory. Bytes that are in no piece become 0. Returns false when a boolean is
// neither 0 nor 1.
bool kith_layout_unpack(const kith_layout *layout, void *values, const void *packed,
                        uint32_t count);

// Unpacks over a constructed value. Bytes that are in no piece stay. Returns false as above.
bool kith_layout_unpack_over(const kith_layout *layout, void *value, const void *packed);

// Replaces each handle in a value by the result of `map`.
typedef kith_entity (*kith_map_entity_fn)(const void *context, kith_entity entity);
void kith_layout_map_entities(const kith_layout *layout, void *value, kith_map_entity_fn map,
                              const void *context);
