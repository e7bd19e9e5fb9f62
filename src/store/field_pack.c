// SPDX-License-Identifier: MIT
// Values and tables as bytes: packing and unpacking, checksums, names of enum numbers.
#include "store/field.h"

// --- packing ---------------------------------------------------------------------------------

void kith_copy_numbers(void *to, const void *from, size_t count, size_t size)
{
    const uint8_t *bytes = from;
    if (KITH_IS_LITTLE && count != 0) {
        memcpy(to, from, count * size);
    }
    for (size_t i = 0; i < count * size && !KITH_IS_LITTLE; i++) {
        ((uint8_t *)to)[i] = bytes[i / size * size + (size - 1 - i % size)];
    }
}

static inline void copy_piece(uint8_t *to, const uint8_t *from, const kith_layout_piece *piece)
{
    if (piece->unit == 1) {
        kith_copy_bytes(to, from, piece->size);
    } else {
        kith_copy_numbers(to, from, piece->size / piece->unit, piece->unit);
    }
}

void kith_layout_pack(const kith_layout *layout, void *packed, const void *values, uint32_t count)
{
    if (kith_layout_is_whole(layout)) {
        memcpy(packed, values, (size_t)count * layout->size);
        return;
    }
    uint8_t       *to   = packed;
    const uint8_t *from = values;
    for (uint32_t row = 0; row < count; row++, from += layout->size) {
        for (uint32_t i = 0; i < layout->piece_count; to += layout->pieces[i++].size) {
            copy_piece(to, from + layout->pieces[i].at, &layout->pieces[i]);
        }
    }
}

// Whether a value has a boolean that is neither 0 nor 1.
KITH_NOINLINE static bool has_bad_bool(const kith_layout *layout, const uint8_t *packed,
                                       uint32_t count)
{
    for (uint32_t row = 0; row < count && layout->bool_count != 0; row++) {
        for (uint32_t i = 0; i < layout->bool_count; i++) {
            const uint8_t *spot = packed + (size_t)row * layout->packed + layout->bools[i].at;
            for (uint32_t j = 0; j < layout->bools[i].count; j++) {
                if (spot[j] > 1) {
                    return true;
                }
            }
        }
    }
    return false;
}

// Returns where the packed value ends.
static const uint8_t *unpack_pieces(const kith_layout *layout, uint8_t *value, const uint8_t *from)
{
    for (uint32_t i = 0; i < layout->piece_count; from += layout->pieces[i++].size) {
        copy_piece(value + layout->pieces[i].at, from, &layout->pieces[i]);
    }
    return from;
}

bool kith_layout_unpack(const kith_layout *layout, void *values, const void *packed, uint32_t count)
{
    if (has_bad_bool(layout, packed, count)) {
        return false;
    }
    if (kith_layout_is_whole(layout)) {
        memcpy(values, packed, (size_t)count * layout->size);
        return true;
    }
    const uint8_t *from = packed;
    if (layout->gaps) {
        memset(values, 0, (size_t)count * layout->size);
    }
    for (uint32_t row = 0; row < count; row++) {
        from = unpack_pieces(layout, (uint8_t *)values + (size_t)row * layout->size, from);
    }
    return true;
}

bool kith_layout_unpack_over(const kith_layout *layout, void *value, const void *packed)
{
    if (has_bad_bool(layout, packed, 1)) {
        return false;
    }
    unpack_pieces(layout, value, packed);
    return true;
}

void kith_layout_map_entities(const kith_layout *layout, void *value, kith_map_entity_fn map,
                              const void *context)
{
    for (uint32_t i = 0; i < layout->entity_count; i++) {
        uint8_t *spot = (uint8_t *)value + layout->entities[i].at;
        for (uint32_t j = 0; j < layout->entities[i].count; j++, spot += sizeof(kith_entity)) {
            kith_entity entity;
            memcpy(&entity, spot, sizeof entity);
            entity = map(context, entity);
            memcpy(spot, &entity, sizeof entity);
        }
    }
}

// --- checksums -------------------------------------------------------------------------------

uint64_t kith_sum_numbers(const uint64_t *numbers, uint32_t count)
{
    uint8_t bytes[16 * sizeof *numbers];
    assert(count <= 16);
    for (uint32_t i = 0; i < count * sizeof *numbers; i++) {
        bytes[i] = (uint8_t)(numbers[i / 8] >> (i % 8 * 8));
    }
    return kith_xxh3(bytes, count * sizeof *numbers);
}

static uint64_t sum_of_choices(const kith_choices *choices)
{
    uint64_t sum = choices == NULL ? 0 : choices->count;
    for (uint32_t i = 0; choices != NULL && i < choices->count; i++) {
        const kith_choice *c     = &choices->list[i];
        const uint64_t     all[] = { sum, kith_xxh3(c->name, strlen(c->name)), (uint64_t)c->value };
        sum                      = kith_sum_numbers(all, 3);
    }
    return sum;
}

uint64_t kith_fields_sum(const kith_fields *table)
{
    uint64_t sum = 0;
    uint32_t at  = 0;
    for (const kith_field *f; table != NULL && (f = kith_fields_next(table, &at)) != NULL;) {
        const uint64_t all[] = { sum,
                                 kith_xxh3(f->name, strlen(f->name)),
                                 f->type,
                                 f->type == KITH_TYPE_STRUCT ? 0 : f->size,
                                 f->count,
                                 kith_fields_sum(f->nested),
                                 sum_of_choices(f->choices) };
        sum                  = kith_sum_numbers(all, 7);
    }
    return sum;
}

uint64_t kith_saved_sum(const kith_saved *saved, uint32_t size)
{
    bool     plain = saved->form == KITH_FORM_PLAIN;
    uint64_t sum   = saved->form == KITH_FORM_FIELDS ? kith_fields_sum(saved->fields) : 0;
    return kith_sum_numbers(
        (uint64_t[]){ saved->form, plain ? saved->unit : 0, saved->version, plain ? size : 0, sum },
        5);
}

// --- names of enum numbers -------------------------------------------------------------------

bool kith_choices_have_sign(const kith_choices *choices)
{
    for (uint32_t i = 0; i < choices->count; i++) {
        if (choices->list[i].value < 0) {
            return true;
        }
    }
    return false;
}

const char *kith_choice_name(const kith_choices *choices, uint32_t size, uint64_t number)
{
    for (uint32_t i = 0; i < choices->count; i++) {
        const kith_choice *choice = &choices->list[i];
        if ((((uint64_t)choice->value ^ number) & kith_number_mask(size)) == 0) {
            return choice->name;
        }
    }
    return NULL;
}
