// SPDX-License-Identifier: MIT
// Converts values that were saved with another table or version (see schema.h).
#include "snapshot/schema.h"

// --- which types convert ---------------------------------------------------------------------

static bool is_float(kith_field_type type)
{
    return type == KITH_TYPE_F32 || type == KITH_TYPE_F64;
}

static bool is_integer(kith_field_type type)
{
    return type >= KITH_TYPE_U8 && type <= KITH_TYPE_I64;
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
    bool numbers =
        (from->type == KITH_TYPE_BOOL || is_integer(from->type) || is_float(from->type)) &&
        (is_integer(to->type) || is_float(to->type));
    bool loses_sign =
        kith_type_is_signed(from->type) && !kith_type_is_signed(to->type) && !is_float(to->type);
    bool loses_point = is_float(from->type) && !is_float(to->type);
    return numbers && !loses_sign && !loses_point && exact_bits(from) <= exact_bits(to);
}

static const char *step_fault(const kith_field *from, const kith_field *to)
{
    if (from->count > to->count) {
        return "it has fewer elements than in the snapshot";
    }
    return from->type == to->type || widens(from, to)
               ? NULL
               : "it has a type that does not hold the values of the snapshot";
}

// --- finding the steps -----------------------------------------------------------------------
//
// The tables are matched twice: the first time counts the steps, the second records them.

typedef struct step_finder {
    kith_migration *into;
    const char     *fault;
    const char     *field;
} step_finder;

static void match_tables(step_finder *p, const kith_fields *from, uint32_t from_at,
                         const kith_fields *to, uint32_t to_at);

static void match_fields(step_finder *p, const kith_field *from, uint32_t from_at,
                         const kith_field *to, uint32_t to_at)
{
    const char *fault = step_fault(from, to);
    if (fault != NULL) {
        p->fault = fault;
        p->field = to->name;
        return;
    }
    if (to->type == KITH_TYPE_STRUCT) {
        for (uint32_t i = 0; i < from->count && p->fault == NULL; i++) {
            match_tables(p, from->nested, from_at + i * from->size, to->nested,
                         to_at + i * to->size);
        }
        return;
    }
    kith_migration *m = p->into;
    if (m->steps != NULL) {
        m->steps[m->step_count] = (kith_change_step){ from, to, from_at, to_at };
    }
    m->step_count++;
}

// `was` is used only when the snapshot has no field with the present name.
static void match_tables(step_finder *p, const kith_fields *from, uint32_t from_at,
                         const kith_fields *to, uint32_t to_at)
{
    for (uint32_t i = 0; i < to->count && p->fault == NULL; i++) {
        const kith_field *field = &to->list[i];
        const kith_field *old   = kith_field_find(from, field->name);
        old                     = old == NULL ? kith_field_find(from, field->was) : old;
        if (old != NULL && old->type != KITH_TYPE_SKIP && field->type != KITH_TYPE_SKIP) {
            match_fields(p, old, from_at + old->offset, field, to_at + field->offset);
        }
    }
}

static bool list_steps(kith_migration *m, const kith_component_desc *desc,
                       const kith_allocator *memory, step_finder *p)
{
    const kith_fields *from = m->old.desc.traits.saved.fields;
    const kith_fields *to   = desc->traits.saved.fields;
    if (from == NULL || to == NULL) {
        return true;
    }
    match_tables(p, from, 0, to, 0);
    uint32_t count = m->step_count;
    m->steps       = p->fault != NULL || count == 0
                         ? NULL
                         : kith_alloc(memory, count * sizeof *m->steps, sizeof(uint64_t));
    if (m->steps == NULL) {
        m->step_count = 0;
        return p->fault != NULL || count == 0;
    }
    m->step_count = 0;
    match_tables(p, from, 0, to, 0);
    return true;
}

// Allocates an old value and makes its layout; values saved through functions need neither. A file
// that is too short for one value has none: then nothing is allocated for it.
static bool prepare_old(kith_migration *m, const kith_allocator *memory, const kith_source *file)
{
    kith_component_desc *desc = &m->old.desc;
    if (desc->traits.saved.form == KITH_FORM_FUNCTIONS) {
        return true;
    }
    bool may_come = kith_source_can_hold(file, m->old.packed);
    m->value      = may_come ? kith_alloc(memory, desc->size, KITH_CACHE_LINE) : NULL;
    return (m->value != NULL || !may_come) &&
           kith_layout_init(&m->layout, memory, &desc->traits.saved, desc->size);
}

KITH_INTERNAL const char *kith_migration_make(kith_migration *migration, const kith_schema *old,
                                              const kith_component_desc *desc,
                                              const kith_source *file, const kith_allocator *memory,
                                              const char **field, bool *oom)
{
    const kith_saved *saved = &desc->traits.saved;
    step_finder       p     = { .into = migration };
    bool              aged  = saved->version != old->desc.traits.saved.version;
    *migration = (kith_migration){ .old = *old, .upgrade = aged ? saved->upgrade : NULL };
    *field     = NULL;
    if (migration->upgrade == NULL &&
        (saved->form != KITH_FORM_FIELDS || old->desc.traits.saved.form != KITH_FORM_FIELDS)) {
        return aged ? "its version differs: register a kith_upgrade"
                    : "it has another save form in this world";
    }
    const char *fault = kith_schema_complete(&migration->old, memory, oom);
    if (fault != NULL) {
        return fault;
    }
    *oom   = !prepare_old(migration, memory, file) || !list_steps(migration, desc, memory, &p);
    *field = p.field;
    if (!*oom && p.fault == NULL && migration->layout.packed != old->packed) {
        return "its values have another size than its table says";
    }
    return *oom ? "no memory" : p.fault;
}

KITH_INTERNAL void kith_migration_free(kith_migration *migration, const kith_allocator *memory)
{
    kith_free(memory, migration->steps, migration->step_count * sizeof *migration->steps,
              sizeof(uint64_t));
    kith_free(memory, migration->value, migration->old.desc.size, KITH_CACHE_LINE);
    kith_layout_free(&migration->layout, memory);
    kith_schema_free(&migration->old, memory);
    *migration = (kith_migration){ .steps = NULL };
}

// --- converting ------------------------------------------------------------------------------

// Reads an integer and extends its sign to 64 bits.
static uint64_t read_whole(const uint8_t *at, uint32_t size, bool is_signed)
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

static void convert_number(const kith_field *from, const uint8_t *at, const kith_field *to,
                           uint8_t *into)
{
    if (to->type == KITH_TYPE_F32) {
        float narrow = (float)read_real(at, from);
        memcpy(into, &narrow, sizeof narrow);
    } else if (to->type == KITH_TYPE_F64) {
        double wide = read_real(at, from);
        memcpy(into, &wide, sizeof wide);
    } else {
        kith_store_number(into, to->size,
                          read_whole(at, from->size, kith_type_is_signed(from->type)));
    }
}

// A number with a name becomes the present number of that name; one without a name stays.
static const char *convert_choice(const kith_field *from, const uint8_t *at, const kith_field *to,
                                  uint8_t *into)
{
    uint64_t           number = read_whole(at, from->size, kith_choices_have_sign(from->choices));
    const char        *name   = kith_choice_name(from->choices, from->size, number);
    const kith_choice *now    = name == NULL ? NULL : kith_choice_find(to->choices, name);
    if (name != NULL && now == NULL) {
        return "a value has an enum name that this world lacks";
    }
    number = now == NULL ? number : (uint64_t)now->value;
    kith_store_number(into, to->size, number);
    return read_whole(into, to->size, true) == number || read_whole(into, to->size, false) == number
               ? NULL
               : "a value has an enum number that does not fit";
}

static const char *apply_step(const kith_change_step *step, uint8_t *value, const uint8_t *old)
{
    const kith_field *from  = step->from;
    const kith_field *to    = step->to;
    const char       *fault = NULL;
    const uint8_t    *at    = old + step->from_at;
    uint8_t          *into  = value + step->to_at;
    for (uint32_t i = 0; i < from->count && fault == NULL;
         i++, at += from->size, into += to->size) {
        if (to->type == KITH_TYPE_ENUM) {
            fault = convert_choice(from, at, to, into);
        } else if (from->type == to->type) {
            memcpy(into, at, to->size);
        } else {
            convert_number(from, at, to, into);
        }
    }
    memset(into, 0, (size_t)(to->count - from->count) * to->size);
    return fault;
}

KITH_INTERNAL const char *kith_migration_apply(const kith_migration *migration, void *value,
                                               const void *bytes, size_t size)
{
    const kith_component_desc *desc  = &migration->old.desc;
    const kith_saved          *saved = &desc->traits.saved;
    kith_old                   old   = { saved->version, bytes, size, NULL };
    const char                *fault = NULL;
    if (saved->form != KITH_FORM_FUNCTIONS) {
        uint32_t bad;
        if (!kith_layout_unpack(&migration->layout, migration->value, bytes, 1, &bad)) {
            return "a boolean is neither 0 nor 1";
        }
        old = (kith_old){ saved->version, migration->value, desc->size, saved->fields };
    }
    for (uint32_t i = 0; i < migration->step_count && fault == NULL; i++) {
        fault = apply_step(&migration->steps[i], value, old.value);
    }
    const kith_upgrade *by = migration->upgrade;
    if (fault == NULL && by != NULL && !by->upgrade(value, &old, by->context)) {
        fault = "its upgrade function refused a value";
    }
    return fault;
}
