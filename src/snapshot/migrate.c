// SPDX-License-Identifier: MIT
// Converts values that were saved with another table or version (see schema.h).
#include "snapshot/schema.h"

#include <stdio.h>

// --- which types convert ---------------------------------------------------------------------

static bool is_float(kith_field_type type)
{
    return type == KITH_TYPE_F32 || type == KITH_TYPE_F64;
}

// The type holds every integer of at most this many bits, not counting the sign.
static uint32_t exact_bits(const kith_field *f)
{
    if (f->type == KITH_TYPE_BOOL) {
        return 1;
    }
    if (is_float(f->type)) {
        return f->type == KITH_TYPE_F32 ? 24 : 53;
    }
    return f->size * 8 - (kith_type_is_signed(f->type) ? 1 : 0);
}

// Whether `to` holds every number of `from` exactly.
static bool widens(const kith_field *from, const kith_field *to)
{
    bool numbers = from->type <= KITH_TYPE_F64 && to->type <= KITH_TYPE_F64 && // the first types
                   to->type != KITH_TYPE_BOOL;
    bool loses_sign =
        kith_type_is_signed(from->type) && !kith_type_is_signed(to->type) && !is_float(to->type);
    bool loses_point = is_float(from->type) && !is_float(to->type);
    return numbers && !loses_sign && !loses_point && exact_bits(from) <= exact_bits(to);
}

// --- finding the steps -----------------------------------------------------------------------
//
// The tables are matched twice: the first time counts the steps, the second records them.

KITH_NOINLINE static bool conflict(const kith_migration *m, const char *what, const char *field)
{
    char name[64];
    snprintf(name, sizeof name, "%.31s%s%.31s", m->reader->about, field[0] == '\0' ? "" : ".",
             field);
    return kith_reader_fail(m->reader, KITH_ERROR_CONFLICT, what, name);
}

static bool match_tables(kith_migration *m, const kith_fields *from, uint32_t from_at,
                         const kith_fields *to, uint32_t to_at);

static bool match_fields(kith_migration *m, const kith_field *from, uint32_t from_at,
                         const kith_field *to, uint32_t to_at)
{
    if (from->count > to->count) {
        return conflict(m, "it has fewer elements than in the snapshot", to->name);
    }
    if (from->type != to->type && !widens(from, to)) {
        return conflict(m, "it has a type that does not hold the values of the snapshot", to->name);
    }
    if (to->type == KITH_TYPE_STRUCT) {
        bool good = true;
        for (uint32_t i = 0; i < from->count && good; i++) {
            good = match_tables(m, from->nested, from_at + i * from->size, to->nested,
                                to_at + i * to->size);
        }
        return good;
    }
    if (m->steps != NULL) {
        m->steps[m->step_count] = (kith_change_step){ from, to, from_at, to_at };
    }
    m->step_count++;
    return true;
}

// `was` is used only when the snapshot has no field with the present name.
static bool match_tables(kith_migration *m, const kith_fields *from, uint32_t from_at,
                         const kith_fields *to, uint32_t to_at)
{
    bool good = true;
    for (uint32_t i = 0; i < to->count && good; i++) {
        const kith_field *field = &to->list[i];
        const kith_field *old   = kith_field_find(from, field->name);
        old                     = old == NULL ? kith_field_find(from, field->was) : old;
        if (old != NULL && old->type != KITH_TYPE_SKIP && field->type != KITH_TYPE_SKIP) {
            good = match_fields(m, old, from_at + old->offset, field, to_at + field->offset);
        }
    }
    return good;
}

static bool list_steps(kith_migration *m, const kith_fields *to, const kith_allocator *memory)
{
    const kith_fields *from = m->old.desc.traits.saved.fields;
    if (from == NULL || to == NULL) {
        return true;
    }
    if (!match_tables(m, from, 0, to, 0)) {
        return false;
    }
    uint32_t count = m->step_count;
    m->step_count  = 0;
    if (count == 0) {
        return true;
    }
    m->steps = kith_alloc(memory, count * sizeof *m->steps, sizeof(uint64_t));
    return m->steps == NULL ? kith_reader_no_memory(m->reader) : match_tables(m, from, 0, to, 0);
}

// Allocates an old value and makes its layout; values saved through functions need neither. A file
// that is too short for one value has none: then nothing is allocated for it.
static bool prepare_old(kith_migration *m, const kith_allocator *memory)
{
    kith_component_desc *desc = &m->old.desc;
    if (desc->traits.saved.form == KITH_FORM_FUNCTIONS) {
        return true;
    }
    bool may_come = kith_reader_can_hold(m->reader, m->old.packed);
    m->value      = may_come ? kith_alloc(memory, desc->size, KITH_CACHE_LINE) : NULL;
    return ((m->value != NULL || !may_come) &&
            kith_layout_init(&m->layout, memory, &desc->traits.saved, desc->size)) ||
           kith_reader_no_memory(m->reader);
}

// Completes a migration whose `old` is the schema of the file.
static bool find_steps(kith_migration *m, const kith_saved *saved, const kith_allocator *memory)
{
    const kith_saved *old  = &m->old.desc.traits.saved;
    bool              aged = saved->version != old->version;
    m->upgrade             = aged ? saved->upgrade : NULL;
    if (m->upgrade == NULL && (saved->form != KITH_FORM_FIELDS || old->form != KITH_FORM_FIELDS)) {
        return conflict(m,
                        aged ? "its version differs: register a kith_upgrade"
                             : "it has another save form in this world",
                        "");
    }
    return kith_schema_complete(&m->old, m->reader, memory, KITH_ERROR_CONFLICT) &&
           prepare_old(m, memory) && list_steps(m, saved->fields, memory) &&
           (m->layout.packed == m->old.packed ||
            conflict(m, "its values have another size than its table says", ""));
}

kith_migration *kith_migration_create(const kith_schema *old, const kith_component_desc *desc,
                                      kith_reader *in, const kith_allocator *memory)
{
    kith_migration *migration = kith_alloc_zeroed(memory, sizeof *migration, sizeof(uint64_t));
    if (migration == NULL) {
        kith_reader_no_memory(in);
        return NULL;
    }
    migration->old    = *old;
    migration->reader = in;
    if (!find_steps(migration, &desc->traits.saved, memory)) {
        kith_migration_destroy(migration, memory);
        return NULL;
    }
    return migration;
}

void kith_migration_destroy(kith_migration *migration, const kith_allocator *memory)
{
    if (migration == NULL) {
        return;
    }
    kith_free(memory, migration->steps, migration->step_count * sizeof *migration->steps,
              sizeof(uint64_t));
    kith_free(memory, migration->value, migration->old.desc.size, KITH_CACHE_LINE);
    kith_layout_free(&migration->layout, memory);
    kith_schema_free(&migration->old, memory);
    kith_free(memory, migration, sizeof *migration, sizeof(uint64_t));
}

// --- converting ------------------------------------------------------------------------------

// Reads an integer and extends its sign to 64 bits.
KITH_NOINLINE static uint64_t read_whole(const uint8_t *at, uint32_t size, bool is_signed)
{
    uint64_t number = kith_load_number(at, size);
    uint64_t sign   = UINT64_C(1) << (size * 8 - 1);
    return is_signed && (number & sign) != 0 ? number | ~(sign * 2 - 1) : number;
}

static double read_real(const uint8_t *at, const kith_field *f)
{
    float  narrow;
    double wide;
    if (f->type == KITH_TYPE_F32) {
        memcpy(&narrow, at, sizeof narrow);
        return (double)narrow;
    }
    if (f->type == KITH_TYPE_F64) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    uint64_t whole = read_whole(at, f->size, kith_type_is_signed(f->type));
    return kith_type_is_signed(f->type) ? (double)(int64_t)whole : (double)whole;
}

// A number with a name becomes the present number of that name; one without a name stays.
static bool convert_choice(const kith_migration *m, const kith_field *from, const kith_field *to,
                           uint64_t *number)
{
    const char        *name = kith_choice_name(from->choices, from->size, *number);
    const kith_choice *now  = name == NULL ? NULL : kith_choice_find(to->choices, name);
    *number                 = now == NULL ? *number : (uint64_t)now->value;
    return name == NULL || now != NULL ||
           kith_reader_malformed(m->reader, "a value has an enum name that this world lacks");
}

// Converts one element.
static bool convert(const kith_migration *m, const kith_field *from, const uint8_t *at,
                    const kith_field *to, uint8_t *into)
{
    bool choice = to->type == KITH_TYPE_ENUM;
    if (from->type == to->type && !choice) {
        memcpy(into, at, to->size);
        return true;
    }
    if (is_float(to->type)) {
        double wide   = read_real(at, from);
        float  narrow = (float)wide;
        memcpy(into, to->type == KITH_TYPE_F32 ? (void *)&narrow : (void *)&wide, to->size);
        return true;
    }
    bool is_signed =
        choice ? kith_choices_have_sign(from->choices) : kith_type_is_signed(from->type);
    uint64_t number = read_whole(at, from->size, is_signed);
    if (choice && !convert_choice(m, from, to, &number)) {
        return false;
    }
    kith_store_number(into, to->size, number);
    return !choice || read_whole(into, to->size, true) == number ||
           read_whole(into, to->size, false) == number ||
           kith_reader_malformed(m->reader, "a value has an enum number that does not fit");
}

static bool apply_step(const kith_migration *m, const kith_change_step *step, uint8_t *value,
                       const uint8_t *old)
{
    const kith_field *from = step->from;
    const kith_field *to   = step->to;
    const uint8_t    *at   = old + step->from_at;
    uint8_t          *into = value + step->to_at;
    for (uint32_t i = 0; i < from->count; i++, at += from->size, into += to->size) {
        if (!convert(m, from, at, to, into)) {
            return false;
        }
    }
    memset(into, 0, (size_t)(to->count - from->count) * to->size);
    return true;
}

bool kith_migration_apply(const kith_migration *migration, void *value, const void *bytes,
                          size_t size)
{
    const kith_component_desc *desc  = &migration->old.desc;
    const kith_saved          *saved = &desc->traits.saved;
    const kith_upgrade        *by    = migration->upgrade;
    kith_old                   old   = { saved->version, bytes, size, NULL };
    bool                       good  = true;
    if (saved->form != KITH_FORM_FUNCTIONS) {
        if (!kith_layout_unpack(&migration->layout, migration->value, bytes, 1)) {
            return kith_reader_malformed(migration->reader, "a boolean is neither 0 nor 1");
        }
        old = (kith_old){ saved->version, migration->value, desc->size, saved->fields };
    }
    for (uint32_t i = 0; i < migration->step_count && good; i++) {
        good = apply_step(migration, &migration->steps[i], value, old.value);
    }
    return good &&
           (by == NULL || by->upgrade(value, &old, by->context) ||
            kith_reader_malformed(migration->reader, "its upgrade function refused a value"));
}
