// SPDX-License-Identifier: MIT
// Layouts of saved values: checking a form, listing the pieces of a value.
#include "store/field.h"

#define PIECES_MOST 4096u

// --- making ----------------------------------------------------------------------------------
//
// The same walk counts the pieces and lists them: as long as `pieces` is NULL it only counts.

static void add_piece(kith_layout *l, kith_layout_piece *last, uint32_t at, uint32_t size,
                      uint32_t unit)
{
    unit = KITH_IS_LITTLE ? 1 : unit;
    l->packed += size;
    if (l->piece_count != 0 && last->at + last->size == at && last->unit == unit) {
        last->size += size;
    } else {
        *last = (kith_layout_piece){ at, size, unit };
        l->piece_count++;
    }
    if (l->pieces != NULL) {
        l->pieces[l->piece_count - 1] = *last;
    }
}

static void add_run(kith_layout_run *list, uint32_t *count, uint32_t at, uint32_t more)
{
    if (list != NULL) {
        list[*count] = (kith_layout_run){ at, more };
    }
    (*count)++;
}

static void add_table(kith_layout *l, kith_layout_piece *last, const kith_fields *table,
                      uint32_t base);

static void add_field(kith_layout *l, kith_layout_piece *last, const kith_field *f, uint32_t at)
{
    switch (f->type) {
    case KITH_TYPE_SKIP:
        return;
    case KITH_TYPE_STRUCT:
        for (uint32_t i = 0; i < f->count && l->piece_count <= PIECES_MOST; i++) {
            add_table(l, last, f->nested, at + i * f->size);
        }
        return;
    case KITH_TYPE_BOOL:
        add_run(l->bools, &l->bool_count, l->packed, f->count);
        break;
    case KITH_TYPE_ENTITY:
        add_run(l->entities, &l->entity_count, at, f->count);
        break;
    default:
        break;
    }
    add_piece(l, last, at, f->size * f->count, f->size);
}

KITH_NOINLINE static void add_table(kith_layout *l, kith_layout_piece *last,
                                    const kith_fields *table, uint32_t base)
{
    for (uint32_t i = 0; i < table->count; i++) {
        add_field(l, last, &table->list[i], base + table->list[i].offset);
    }
}

static void list_pieces(kith_layout *l, const kith_saved *saved)
{
    kith_layout_piece last = { 0, 0, 0 };
    l->packed = l->piece_count = l->bool_count = l->entity_count = 0;
    if (saved->form == KITH_FORM_FIELDS) {
        add_table(l, &last, saved->fields, 0);
    } else if (saved->form == KITH_FORM_PLAIN) {
        add_piece(l, &last, 0, l->size, saved->unit);
    }
    l->gaps = l->packed != l->size;
}

const char *kith_saved_fault(const kith_saved *saved, uint32_t size, const char **field)
{
    kith_layout trial = { .form = saved->form, .size = size };
    uint32_t    unit  = saved->unit;
    *field            = NULL;
    if (saved->upgrade != NULL && saved->upgrade->upgrade == NULL) {
        return "an upgrade needs a function";
    }
    if (saved->form == KITH_FORM_FIELDS) {
        const char *fault = kith_fields_fault(saved->fields, field, 0);
        if (fault != NULL || saved->fields->size != size) {
            return fault != NULL ? fault : "the field table is for a type of another size";
        }
        list_pieces(&trial, saved);
        return trial.piece_count <= PIECES_MOST ? NULL : "a value has more than 4096 pieces";
    }
    if (saved->form == KITH_FORM_PLAIN) {
        bool fits = (unit == 1 || unit == 2 || unit == 4 || unit == 8) && size % unit == 0;
        return fits ? NULL : "the unit must be 1, 2, 4 or 8 and divide the size";
    }
    if (saved->form == KITH_FORM_FUNCTIONS) {
        const kith_saver *by = saved->functions;
        return by != NULL && by->write != NULL && by->read != NULL
                   ? NULL
                   : "saving by functions needs write and read";
    }
    return (unsigned)saved->form <= KITH_FORM_TRANSIENT ? NULL : "unknown form of saving";
}

// Copies what `saved` points to, and takes room for the lists, which have been counted.
static void copy_saved(kith_copier *to, kith_layout *l, kith_saved *saved)
{
    if (saved->form == KITH_FORM_FIELDS) {
        saved->fields = kith_fields_copy(to, saved->fields);
    } else if (saved->form == KITH_FORM_FUNCTIONS) {
        saved->functions = kith_copier_put(to, saved->functions, sizeof *saved->functions);
    }
    if (saved->upgrade != NULL) {
        saved->upgrade = kith_copier_put(to, saved->upgrade, sizeof *saved->upgrade);
    }
    l->pieces   = kith_copier_put(to, NULL, l->piece_count * sizeof *l->pieces);
    l->bools    = kith_copier_put(to, NULL, l->bool_count * sizeof *l->bools);
    l->entities = kith_copier_put(to, NULL, l->entity_count * sizeof *l->entities);
}

bool kith_layout_init(kith_layout *layout, const kith_allocator *memory, kith_saved *saved,
                      uint32_t size)
{
    kith_saved  counted = *saved;
    kith_copier to      = { NULL, 0 };
    *layout             = (kith_layout){ .form = saved->form, .size = size };
    list_pieces(layout, saved);
    copy_saved(&to, layout, &counted);
    layout->bytes = to.used;
    if (layout->bytes == 0) {
        return true;
    }
    to = (kith_copier){ kith_alloc(memory, layout->bytes, sizeof(uint64_t)), 0 };
    if (to.memory == NULL) {
        *layout = (kith_layout){ .form = KITH_FORM_NONE };
        return false;
    }
    layout->memory = to.memory;
    copy_saved(&to, layout, saved);
    list_pieces(layout, saved);
    return true;
}

void kith_layout_free(kith_layout *layout, const kith_allocator *memory)
{
    kith_free(memory, layout->memory, layout->bytes, sizeof(uint64_t));
    *layout = (kith_layout){ .form = KITH_FORM_NONE };
}
