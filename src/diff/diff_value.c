// SPDX-License-Identifier: MIT
// Compares two values of a component: field by field, number by number, or as saved bytes.
#include "diff/diff.h"

#include "snapshot/chunk.h"
#include "json/json.h"

#include <inttypes.h>

#define FEW_BYTES 4096u

// --- fields ----------------------------------------------------------------------------------

// Elements of objects are little-endian, those of components are as in memory.
static void record_elements(kith_diff_report *d, const kith_field *f, const uint8_t *a,
                            const uint8_t *b)
{
    bool component = d->storages[0] != NULL || d->storages[1] != NULL;
    for (uint32_t side = 0; side < 2; side++) {
        const uint8_t *at   = side == 0 ? a : b;
        kith_print    *text = kith_diff_report_text(d, side);
        uint64_t       native;
        if (!component && f->type != KITH_TYPE_CHARS) {
            kith_copy_numbers(&native, at, 1, f->size);
            at = (const uint8_t *)&native;
        }
        kith_json_element_text(text, f, at);
    }
    kith_diff_report_record_texts(d, component ? KITH_DIFFERENCE_VALUE : KITH_DIFFERENCE_OBJECT);
}

static void compare_structs(kith_diff_report *d, const kith_fields *ta, const kith_fields *tb,
                            const uint8_t *a, const uint8_t *b);

static void compare_elements(kith_diff_report *d, const kith_field *fa, const kith_field *fb,
                             const uint8_t *a, const uint8_t *b)
{
    uint32_t size = fa->type == KITH_TYPE_CHARS ? fa->count : fa->size;
    if (fa->type == KITH_TYPE_STRUCT) {
        compare_structs(d, fa->nested, fb->nested, a, b);
    } else if (memcmp(a, b, size) != 0) {
        record_elements(d, fa, a, b);
    }
}

// Cuts the part back to an earlier length.
static void cut_part(kith_diff_report *d, size_t length)
{
    d->part.length = length;
    if (length < d->part.size) {
        d->part.buffer[length] = '\0';
    }
}

void kith_diff_report_field(kith_diff_report *d, const kith_field *fa, const kith_field *fb,
                            const uint8_t *a, const uint8_t *b)
{
    size_t length = d->part.length;
    if (fa->count == 1 || fa->type == KITH_TYPE_CHARS) {
        compare_elements(d, fa, fb, a, b);
        return;
    }
    for (uint32_t i = 0; i < fa->count; i++) {
        kith_print_format(&d->part, "[%" PRIu32 "]", i);
        compare_elements(d, fa, fb, a + (size_t)i * fa->size, b + (size_t)i * fb->size);
        cut_part(d, length);
    }
}

// The tables differ at most in offsets and skipped fields.
static void compare_structs(kith_diff_report *d, const kith_fields *ta, const kith_fields *tb,
                            const uint8_t *a, const uint8_t *b)
{
    size_t            length = d->part.length;
    uint32_t          i      = 0;
    uint32_t          j      = 0;
    const kith_field *fa     = kith_fields_next(ta, &i);
    const kith_field *fb     = kith_fields_next(tb, &j);
    while (fa != NULL && fb != NULL) {
        kith_print_format(&d->part, "%s%s", length == 0 ? "" : ".", fa->name);
        kith_diff_report_field(d, fa, fb, a + fa->offset, b + fb->offset);
        cut_part(d, length);
        fa = kith_fields_next(ta, &i);
        fb = kith_fields_next(tb, &j);
    }
}

// --- bytes -----------------------------------------------------------------------------------

static bool save_value(kith_diff_report *d, uint32_t side, const void *value, uint8_t *few,
                       kith_saved_bytes *saved)
{
    kith_error_code code = kith_saved_bytes_write(
        saved, few, FEW_BYTES, &d->worlds[side]->scratch_memory, d->storages[side], value);
    bool hook = code == KITH_ERROR_HOOK;
    return code == KITH_OK ||
           kith_diff_report_fail(d, side, hook ? KITH_ERROR_ARGUMENT : code,
                                 hook ? "a write function returned two sizes for one value" : NULL,
                                 NULL);
}

static void print_byte(kith_print *out, const kith_saved_bytes *saved, size_t at)
{
    if (at < saved->size) {
        kith_print_format(out, "0x%02x", saved->data[at]);
    } else {
        kith_print_format(out, "missing");
    }
}

static void print_saved_text(kith_print *out, const kith_saved_bytes *saved)
{
    const kith_field text = { .type = KITH_TYPE_CHARS, .size = 1, .count = (uint32_t)saved->size };
    kith_json_element_text(out, &text, saved->data);
}

static void record_bytes(kith_diff_report *d, const kith_saved_bytes *a, const kith_saved_bytes *b)
{
    size_t least = a->size < b->size ? a->size : b->size;
    size_t at    = 0;
    if (kith_saved_is_text(&d->storages[0]->desc.traits.saved) &&
        (a->size != b->size || memcmp(a->data, b->data, least) != 0)) {
        print_saved_text(kith_diff_report_text(d, 0), a);
        print_saved_text(kith_diff_report_text(d, 1), b);
        kith_diff_report_record_texts(d, KITH_DIFFERENCE_VALUE);
        return;
    }
    while (at < least && a->data[at] == b->data[at]) {
        at++;
    }
    if (at < least || a->size != b->size) {
        print_byte(kith_diff_report_text(d, 0), a, at);
        print_byte(kith_diff_report_text(d, 1), b, at);
        kith_print_format(kith_diff_report_part(d), "byte %" PRIu64, (uint64_t)at);
        kith_diff_report_record_texts(d, KITH_DIFFERENCE_VALUE);
    }
}

static void compare_bytes(kith_diff_report *d, const void *first, const void *second)
{
    uint8_t          few[2][FEW_BYTES];
    kith_saved_bytes a;
    kith_saved_bytes b;
    if (save_value(d, 0, first, few[0], &a)) {
        if (save_value(d, 1, second, few[1], &b)) {
            record_bytes(d, &a, &b);
        }
        kith_bytes_free(&b.many);
    }
    kith_bytes_free(&a.many);
}

// --- values ----------------------------------------------------------------------------------

kith_comparison kith_diff_report_comparison(const kith_diff_report *d)
{
    const kith_layout *a = &d->storages[0]->layout;
    const kith_layout *b = &d->storages[1]->layout;
    const kith_saved  *s = &d->storages[0]->desc.traits.saved;
    const kith_saved  *t = &d->storages[1]->desc.traits.saved;
    if ((a->form == KITH_FORM_FUNCTIONS) != (b->form == KITH_FORM_FUNCTIONS)) {
        return KITH_COMPARE_NONE;
    }
    if (a->form == KITH_FORM_PLAIN && b->form == a->form && s->unit == t->unit &&
        a->size == b->size) {
        return KITH_COMPARE_UNITS;
    }
    bool fields = a->form == KITH_FORM_FIELDS && b->form == a->form &&
                  kith_fields_sum(s->fields) == kith_fields_sum(t->fields);
    return fields ? KITH_COMPARE_FIELDS : KITH_COMPARE_BYTES;
}

// Whether both save the same pieces of memory, and these are equal. Most often they are.
static bool pieces_agree(const kith_layout *a, const kith_layout *b, const uint8_t *first,
                         const uint8_t *second)
{
    bool agree = a->piece_count == b->piece_count;
    for (uint32_t i = 0; i < a->piece_count && agree; i++) {
        const kith_layout_piece *piece = &a->pieces[i];
        agree = piece->at == b->pieces[i].at && piece->size == b->pieces[i].size &&
                memcmp(first + piece->at, second + piece->at, piece->size) == 0;
    }
    return agree;
}

void kith_diff_report_value(kith_diff_report *d, const void *first, const void *second)
{
    const kith_saved *a = &d->storages[0]->desc.traits.saved;
    const kith_saved *b = &d->storages[1]->desc.traits.saved;
    if (d->comparison >= KITH_COMPARE_UNITS &&
        pieces_agree(&d->storages[0]->layout, &d->storages[1]->layout, first, second)) {
        return;
    }
    kith_diff_report_part(d);
    if (d->comparison == KITH_COMPARE_FIELDS) {
        compare_structs(d, a->fields, b->fields, first, second);
    } else if (d->comparison == KITH_COMPARE_UNITS) {
        const kith_field numbers = kith_plain_field(a, d->storages[0]->desc.size);
        kith_diff_report_field(d, &numbers, &numbers, first, second);
    } else if (d->comparison == KITH_COMPARE_BYTES) {
        compare_bytes(d, first, second);
    } else {
        bool written = a->form == KITH_FORM_FUNCTIONS;
        kith_diff_report_record(d, KITH_DIFFERENCE_VALUE,
                                written ? "written by a function" : "numbers",
                                written ? "numbers" : "written by a function");
    }
    kith_diff_report_part(d);
}
