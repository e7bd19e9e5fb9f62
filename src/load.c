// SPDX-License-Identifier: MIT
// Loading: chunks become a staged state, which takes the place of the world's own at the end.
#include "load.h"

#include "adopt.h"
#include "exact_read.h"
#include "kith/hierarchy.h"
#include "list_read.h"
#include "migrate.h"
#include "opaque.h"
#include "save.h"

#include <stdio.h>

// A component of the file, and what came of it so far.
typedef struct loaded_part {
    kith_column    *column;    // NULL: it is left out
    kith_migration *migration; // NULL: the values are this world's
    kith_form       form;      // of the values in the file
    uint32_t        rows;
    uint32_t        packed;
    uint32_t        rows_seen;
    uint32_t        values_seen;
    uint32_t       *holes; // newest first
    uint32_t        hole_count;
    uint64_t       *disabled;
    uint32_t        disabled_words;
} loaded_part;

typedef struct loading {
    kith_world           *world;
    const kith_load_desc *desc;
    kith_source           file;
    kith_source           whole; // the file in which entities were not chosen yet, or nothing
    kith_chunk            chunk;
    kith_stage            stage;
    loaded_part          *parts;
    uint32_t              part_count; // said by the file
    uint32_t              described;  // came so far
    const kith_column    *latest;     // of those, the one that was registered last here
    uint32_t              slot_count;
    uint32_t              slots_seen;
    uint32_t              chunks;
    uint64_t              leaves;  // numbers of values that migrate
    bool                  begun;   // the world's chunk was there
    bool                  checked; // all entities were there
    bool                  linked;  // all rows and flags were there
    bool                  over;
    kith_result           result;
} loading;

// --- failing ---------------------------------------------------------------------------------

// Notes the first thing that is wrong and answers false.
static bool spoil(loading *l, kith_error_code code, const char *what, const char *name)
{
    if (l->result.code == KITH_OK) {
        uint64_t offset = l->chunk.offset;
        l->result       = name == NULL ? kith_result_of(code, offset, "%s", what)
                                       : kith_result_of(code, offset, "\"%s\": %s", name, what);
    }
    return false;
}

static bool out_of_memory(loading *l)
{
    return spoil(l, KITH_ERROR_MEMORY, "there is no memory for what is loaded", NULL);
}

static bool nonsense(loading *l, const char *what)
{
    return spoil(l, KITH_ERROR_FORMAT, what, NULL);
}

static const char *name_of_part(const loaded_part *part)
{
    return part->column->desc.name;
}

static bool is_flawed(loading *l, const kith_flaw *flaw)
{
    return spoil(l, flaw->code, flaw->what, flaw->name[0] == '\0' ? NULL : flaw->name);
}

// What a stage says of hostile input, or that it had no memory.
static bool stage_says(loading *l, const loaded_part *part, const char *fault, bool memory)
{
    if (fault == NULL) {
        return true;
    }
    return memory ? out_of_memory(l) : spoil(l, KITH_ERROR_FORMAT, fault, name_of_part(part));
}

// --- the world -------------------------------------------------------------------------------

static bool same_handles(loading *l, uint32_t first_index, uint32_t version_last,
                         uint32_t free_order, uint32_t queued)
{
    const kith_entity_table *table = &l->world->entities;
    if (table->version_last != version_last) {
        return spoil(l, KITH_ERROR_CONFLICT, "handles have other version bits in this world", NULL);
    }
    return (table->first_index == first_index && table->order == (kith_free_order)free_order &&
            table->queued == (queued != 0)) ||
           spoil(l, KITH_ERROR_CONFLICT, "free indices are used in another order in this world",
                 NULL);
}

static bool load_world(loading *l)
{
    kith_source        *from = &l->chunk.body;
    kith_stage_entities facts;
    if (l->begun) { // what was made for the first is still as long as that one said
        return nonsense(l, "the world's chunk is there twice");
    }
    l->part_count     = kith_source_u32(from);
    facts.slots       = kith_source_u32(from);
    facts.free        = kith_source_u32(from);
    facts.retired     = kith_source_u32(from);
    facts.head        = kith_source_u32(from);
    facts.tail        = kith_source_u32(from);
    uint32_t first    = kith_source_u32(from);
    uint32_t versions = kith_source_u32(from);
    uint32_t reuse    = kith_source_u32(from);
    uint32_t queued   = kith_source_u32(from);
    uint32_t exact    = kith_source_u32(from);
    uint64_t tick     = kith_source_u64(from);
    l->slot_count     = facts.slots;
    if (from->ended || exact > 1 || queued > 1 || l->part_count > KITH_COMPONENT_MAX ||
        tick > UINT64_MAX / 2) {
        return nonsense(l, "the world's chunk makes no sense");
    }
    if (!same_handles(l, first, versions, reuse, queued)) {
        return false;
    }
    if (facts.slots > l->world->entities.index_end) {
        return spoil(l, KITH_ERROR_LIMIT, "there are more entities than this world may have", NULL);
    }
    l->begun       = true;
    l->stage.tick  = tick;
    l->stage.exact = exact != 0 && !l->desc->state_only;
    l->parts = kith_memory_take_zeroed(&l->world->memory, (l->part_count + 1) * sizeof *l->parts,
                                       sizeof(uint64_t));
    if (l->parts == NULL) {
        return out_of_memory(l);
    }
    const char *fault = kith_stage_slots(&l->stage, &facts);
    return fault == NULL || nonsense(l, fault);
}

// Where a chunk of slots begins, and how many it has, for which there is room then.
static bool begin_slots(loading *l, uint32_t *first, uint32_t *count)
{
    *first = kith_source_u32(&l->chunk.body);
    *count = kith_source_u32(&l->chunk.body);
    if (*first != l->slots_seen || *count > l->slot_count - *first) {
        return nonsense(l, "entities do not follow each other");
    }
    l->slots_seen += *count;
    return true;
}

static uint32_t slots_in_page(uint32_t index, uint32_t end)
{
    return kith_least(KITH_PAGE_SLOTS - index % KITH_PAGE_SLOTS, end - index);
}

static bool load_slots(loading *l)
{
    kith_source *from = &l->chunk.body;
    uint32_t     first;
    uint32_t     count;
    if (!begin_slots(l, &first, &count)) {
        return false;
    }
    if ((uint64_t)count * sizeof(uint64_t) != from->size - from->at) {
        return nonsense(l, "a chunk of entities has not the length that it says");
    }
    if (!kith_stage_make_slots(&l->stage, l->slots_seen)) {
        return out_of_memory(l);
    }
    for (uint32_t index = first, part; index < first + count; index += part) {
        part = slots_in_page(index, first + count);
        kith_numbers_u64(kith_stage_slot(&l->stage, index),
                         kith_source_take(from, (size_t)part * sizeof(uint64_t)), part);
    }
    return true;
}

// Living entities that all have one version.
static bool load_living(loading *l)
{
    kith_source *from = &l->chunk.body;
    uint32_t     first;
    uint32_t     count;
    if (!begin_slots(l, &first, &count)) {
        return false;
    }
    uint64_t slot = kith_source_u64(from);
    if (count > KITH_LIVING_MOST || from->ended || from->at != from->size ||
        kith_entity_index(slot) != first) {
        return nonsense(l, "a chunk of living entities makes no sense");
    }
    if (!kith_stage_make_slots(&l->stage, l->slots_seen)) {
        return out_of_memory(l);
    }
    kith_stage_living(&l->stage, first, count, slot);
    return true;
}

// --- components ------------------------------------------------------------------------------

// Finds the way from other values to this world's.
static bool migrate_part(loading *l, loaded_part *part, const kith_schema *schema)
{
    const kith_component_desc *desc      = &part->column->desc;
    const char                *field     = NULL;
    bool                       no_memory = false;
    part->migration =
        kith_memory_take(&l->world->memory, sizeof *part->migration, sizeof(uint64_t));
    if (part->migration == NULL) {
        return out_of_memory(l);
    }
    const char *fault = kith_migration_make(part->migration, schema, desc, &l->file,
                                            &l->world->memory, &field, &no_memory);
    l->leaves += part->migration->old.leaves;
    if (fault == NULL && !kith_schema_may_have(&l->file, l->leaves)) {
        return nonsense(l, "there are more fields than the file has values");
    }
    char name[64];
    snprintf(name, sizeof name, "%.31s%s%.31s", desc->name, field == NULL ? "" : ".",
             field == NULL ? "" : field);
    return fault == NULL ||
           (no_memory ? out_of_memory(l) : spoil(l, KITH_ERROR_CONFLICT, fault, name));
}

// Whether values of the file are values of this world, or can become such.
static bool part_agrees(loading *l, loaded_part *part, const kith_schema *schema)
{
    const kith_component_desc *desc = &part->column->desc;
    const kith_saved          *have = &schema->desc.traits.saved;
    if (desc->kind != schema->desc.kind) {
        return spoil(l, KITH_ERROR_CONFLICT, "it is another kind of component in this world",
                     desc->name);
    }
    if (desc->traits.policy != schema->desc.traits.policy) {
        return spoil(l, KITH_ERROR_CONFLICT, "it has another policy in this world", desc->name);
    }
    if (have->form == KITH_FORM_NONE && desc->size != 0) { // so nobody had any
        return schema->rows == 0 ||
               spoil(l, KITH_ERROR_FORMAT, "it has rows, and nobody said how they are saved",
                     desc->name);
    }
    if (desc->traits.saved.form != have->form ||
        kith_saved_sum(&desc->traits.saved, desc->size) != schema->sum) {
        return migrate_part(l, part, schema);
    }
    return schema->packed == part->column->layout.packed ||
           spoil(l, KITH_ERROR_FORMAT, "its values have another size than its table says",
                 desc->name);
}

// A value of which nobody said how it is saved has no rows, and nothing that could be kept.
static bool is_left_out(const loading *l, const kith_schema *schema)
{
    return l->desc->unknown == KITH_UNKNOWN_SKIP ||
           (l->desc->unknown == KITH_UNKNOWN_KEEP && schema->rows == 0);
}

static bool unknown_component(loading *l, const kith_schema *schema)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)kith_least(schema->length, sizeof text - 1),
             schema->name);
    return is_left_out(l, schema) ||
           spoil(l, KITH_ERROR_UNREGISTERED, "nobody registered this component here", text);
}

static bool is_there_twice(const loading *l, const kith_column *column)
{
    bool twice = false;
    for (uint32_t i = 0; i + 1 < l->described; i++) {
        twice = twice || l->parts[i].column == column;
    }
    return twice;
}

// Says which components this world registered the other way round.
static void compare_order(loading *l, const kith_column *column)
{
    const kith_column *last = l->latest;
    l->latest               = last == NULL || column->order > last->order ? column : last;
    if (l->latest != column && l->result.message[0] == '\0') {
        l->result = kith_result_of(KITH_OK, l->chunk.offset,
                                   "\"%.60s\" was registered before \"%.60s\" when this was saved",
                                   last->desc.name, column->desc.name);
    }
}

static bool load_component(loading *l)
{
    kith_schema schema;
    if (!kith_schema_read(&schema, &l->chunk.body) || schema.number != l->described ||
        schema.number >= l->part_count) {
        return nonsense(l, "a component's chunk makes no sense");
    }
    loaded_part *part   = &l->parts[l->described++];
    kith_column *column = kith_world_named(l->world, schema.name, schema.length);
    if (!kith_load_wants(l->desc, column)) {
        return true;
    }
    if (column == NULL || !kith_column_is_saved(column)) {
        return column != NULL || unknown_component(l, &schema);
    }
    if (is_there_twice(l, column)) {
        return nonsense(l, "a component is there twice");
    }
    *part          = (loaded_part){ .column = column,
                                    .form   = schema.desc.traits.saved.form,
                                    .rows   = schema.rows,
                                    .packed = schema.packed };
    uint32_t width = part->form == KITH_FORM_FUNCTIONS ? sizeof(uint32_t) : schema.packed;
    uint64_t least = (uint64_t)schema.rows * width;
    compare_order(l, column);
    return part_agrees(l, part, &schema) && (kith_source_may_have(&l->file, least) ||
                                             nonsense(l, "the file is too short for its rows"));
}

// The part of which a chunk speaks; it may be one that is left out. NULL: there is none.
static loaded_part *load_part(loading *l)
{
    uint32_t number = kith_source_u32(&l->chunk.body);
    if (!l->chunk.body.ended && number < l->described) {
        return &l->parts[number];
    }
    nonsense(l, "a chunk is of a component that is not there");
    return NULL;
}

// --- rows ------------------------------------------------------------------------------------

// Makes room for some more rows.
static bool make_rows(loading *l, loaded_part *part, uint32_t count)
{
    bool        memory = false;
    uint32_t    rows   = part->rows_seen + count;
    const char *fault  = kith_stage_rows(&l->stage, part->column, rows, &memory);
    part->rows_seen    = rows;
    return stage_says(l, part, fault, memory);
}

static bool link_rows(loading *l, const loaded_part *part)
{
    bool        memory = false;
    const char *fault  = kith_stage_link_rows(&l->stage, part->column, &memory);
    return stage_says(l, part, fault, memory);
}

static bool load_rows(loading *l, loaded_part *part)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     first = part->rows_seen;
    uint32_t     count;
    if (!kith_source_rows(from, first, part->rows, sizeof(uint32_t), &count)) {
        return nonsense(l, "rows do not follow each other");
    }
    if (!make_rows(l, part, count)) {
        return false;
    }
    const kith_sparse_set *set = &kith_stage_pool(&l->stage, part->column)->set;
    for (uint32_t row = first, some; row < first + count; row += some) {
        some = kith_least(kith_sparse_set_left_in_page(set, row), first + count - row);
        kith_numbers_u32(kith_sparse_set_packed(set, row), kith_source_take(from, (size_t)some * 4),
                         some);
    }
    return link_rows(l, part);
}

// Rows of entities that follow each other.
static bool load_run(loading *l, loaded_part *part)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     first = kith_source_u32(from);
    uint32_t     count = kith_source_u32(from);
    uint32_t     index = kith_source_u32(from);
    if (from->ended || from->at != from->size || first != part->rows_seen ||
        count > part->rows - first || count > KITH_RUN_MOST || index > l->slot_count ||
        count > l->slot_count - index) {
        return nonsense(l, "a run of rows makes no sense");
    }
    if (!make_rows(l, part, count)) {
        return false;
    }
    const kith_sparse_set *set = &kith_stage_pool(&l->stage, part->column)->set;
    for (uint32_t row = first, some; row < first + count; row += some) {
        some = kith_least(kith_sparse_set_left_in_page(set, row), first + count - row);
        kith_array_number32(kith_sparse_set_packed(set, row), index + (row - first), some);
    }
    return link_rows(l, part);
}

static bool load_holes(loading *l, loaded_part *part)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     count = kith_source_u32(from);
    if (part->holes != NULL || count == 0 || count > part->rows ||
        (uint64_t)count * sizeof(uint32_t) != from->size - from->at) {
        return nonsense(l, "a list of holes makes no sense");
    }
    part->hole_count = count;
    part->holes      = kith_memory_take(&l->world->memory, (size_t)count * sizeof *part->holes,
                                        sizeof *part->holes);
    if (part->holes == NULL) {
        return out_of_memory(l);
    }
    kith_numbers_u32(part->holes, kith_source_take(from, (size_t)count * 4), count);
    return true;
}

static bool load_disabled(loading *l, loaded_part *part)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     words = kith_source_u32(from);
    if (part->disabled != NULL || words == 0 || words != (part->rows + 63) / 64 ||
        (uint64_t)words * sizeof(uint64_t) != from->size - from->at) {
        return nonsense(l, "a list of disabled rows makes no sense");
    }
    part->disabled_words = words;
    part->disabled =
        kith_memory_take(&l->world->memory, words * sizeof *part->disabled, sizeof *part->disabled);
    if (part->disabled == NULL) {
        return out_of_memory(l);
    }
    kith_numbers_u64(part->disabled, kith_source_take(from, (size_t)words * 8), words);
    return true;
}

// --- values ----------------------------------------------------------------------------------

// So many values live, which must end if this is not their world.
static void note_values(loading *l, loaded_part *part, uint32_t rows)
{
    part->values_seen = rows;
    kith_stage_built(&l->stage, part->column, rows);
}

// Values of one page whose component has no hooks.
static bool unpack_plain(loading *l, loaded_part *part, uint32_t row, uint32_t count,
                         const uint8_t *packed)
{
    const kith_pool *pool = kith_stage_pool(&l->stage, part->column);
    uint32_t         bad  = 0;
    note_values(l, part, row + count);
    return kith_layout_unpack(&part->column->layout, kith_pool_value(pool, row), packed, count,
                              &bad) ||
           spoil(l, KITH_ERROR_FORMAT, "a boolean is neither 0 nor 1", name_of_part(part));
}

// Gives a constructed value what the file says.
static bool fill_value(loading *l, const loaded_part *part, void *value, const uint8_t *bytes,
                       uint32_t size)
{
    const kith_saver *by    = part->column->desc.traits.saved.functions;
    const char       *fault = NULL;
    if (part->migration != NULL) {
        fault = kith_migration_apply(part->migration, value, bytes, size);
    } else if (part->form == KITH_FORM_FUNCTIONS) {
        fault =
            by->read(value, bytes, size, by->context) ? NULL : "its read function refused a value";
    } else {
        fault = kith_layout_unpack_over(&part->column->layout, value, bytes)
                    ? NULL
                    : "a boolean is neither 0 nor 1";
    }
    if (fault != NULL && kith_is_opaque(&part->column->desc)) {
        return out_of_memory(l); // nothing else stops those
    }
    return fault == NULL || spoil(l, KITH_ERROR_FORMAT, fault, name_of_part(part));
}

// One value that is constructed before it gets its fields.
static bool unpack_hooked(loading *l, loaded_part *part, const uint8_t *packed)
{
    const kith_pool *pool  = kith_stage_pool(&l->stage, part->column);
    void            *value = kith_pool_value(pool, part->values_seen);
    if (kith_pool_hole(pool, part->values_seen)) {
        memset(value, 0, pool->size); // searches look at the bytes of holes, too
        note_values(l, part, part->values_seen + 1);
        return true;
    }
    if (!kith_pool_construct(pool, value, NULL)) {
        return spoil(l, KITH_ERROR_HOOK, "its construct hook refused", name_of_part(part));
    }
    note_values(l, part, part->values_seen + 1);
    return fill_value(l, part, value, packed, part->packed);
}

static bool unpack_rows(loading *l, loaded_part *part, uint32_t row, uint32_t count,
                        const uint8_t *packed)
{
    if (part->column->pool.plain && part->migration == NULL) {
        return unpack_plain(l, part, row, count, packed);
    }
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        good = unpack_hooked(l, part, packed + (size_t)i * part->packed);
    }
    return good;
}

static bool load_values(loading *l, loaded_part *part)
{
    kith_source *from  = &l->chunk.body;
    uint32_t     first = part->values_seen;
    uint32_t     count;
    if (part->rows_seen != part->rows || part->form == KITH_FORM_FUNCTIONS ||
        !kith_source_rows(from, first, part->rows, part->packed, &count)) {
        return nonsense(l, "values do not follow each other");
    }
    const kith_sparse_set *set  = &kith_stage_pool(&l->stage, part->column)->set;
    bool                   good = true;
    for (uint32_t row = first, some; row < first + count && good; row += some) {
        some = kith_least(kith_sparse_set_left_in_page(set, row), first + count - row);
        good = unpack_rows(l, part, row, some, kith_source_take(from, (size_t)some * part->packed));
    }
    return good;
}

// A value that functions wrote.
static bool load_blob(loading *l, loaded_part *part, void *value)
{
    kith_source   *from  = &l->chunk.body;
    uint32_t       size  = kith_source_u32(from);
    const uint8_t *bytes = kith_source_take(from, size);
    return bytes == NULL ? nonsense(l, "a value is too short")
                         : fill_value(l, part, value, bytes, size);
}

static bool load_blobs(loading *l, loaded_part *part)
{
    kith_source     *from  = &l->chunk.body;
    const kith_pool *pool  = kith_stage_pool(&l->stage, part->column);
    uint32_t         first = part->values_seen;
    uint32_t         count;
    if (part->rows_seen != part->rows || part->form != KITH_FORM_FUNCTIONS ||
        !kith_source_rows(from, first, part->rows, KITH_ANY_WIDTH, &count)) {
        return nonsense(l, "values do not follow each other");
    }
    for (uint32_t row = first; row < first + count; row++) {
        void *value = kith_pool_value(pool, row);
        if (kith_pool_hole(pool, row)) {
            memset(value, 0, pool->size);
        } else {
            if (!kith_pool_construct(pool, value, NULL)) {
                return spoil(l, KITH_ERROR_HOOK, "its construct hook refused", name_of_part(part));
            }
            note_values(l, part, row + 1);
            if (!load_blob(l, part, value)) {
                return false;
            }
        }
        note_values(l, part, row + 1);
    }
    return from->at == from->size || nonsense(l, "there is more than the values");
}

// --- flags, singletons, groups ---------------------------------------------------------------

static bool load_flags(loading *l, loaded_part *part)
{
    kith_flaw flaw;
    return kith_list_flags(&l->stage, part->column, &l->chunk.body, &flaw) || is_flawed(l, &flaw);
}

static bool load_single(loading *l, loaded_part *part)
{
    kith_source *from = &l->chunk.body;
    bool         blob = part->form == KITH_FORM_FUNCTIONS;
    uint32_t     size = blob ? 0 : kith_source_u32(from);
    if (part->values_seen != 0) {
        return nonsense(l, "a singleton is there twice");
    }
    if (part->form == KITH_FORM_NONE ||
        (!blob && (size != part->packed || size != from->size - from->at))) {
        return nonsense(l, "a singleton has another size");
    }
    void *value = kith_stage_single(&l->stage, part->column);
    if (value == NULL) {
        return out_of_memory(l);
    }
    if (!kith_pool_construct(&part->column->pool, value, NULL)) {
        return spoil(l, KITH_ERROR_HOOK, "its construct hook refused", name_of_part(part));
    }
    note_values(l, part, 1);
    if (blob) {
        return load_blob(l, part, value) &&
               (from->at == from->size || nonsense(l, "there is more than the value"));
    }
    return fill_value(l, part, value, kith_source_take(from, size), size);
}

static bool load_group(loading *l)
{
    kith_flaw flaw;
    return kith_list_members(&l->stage, l->desc, &l->chunk.body, &flaw) || is_flawed(l, &flaw);
}

// --- exact state -----------------------------------------------------------------------------

static bool load_exact_part(loading *l, loaded_part *part)
{
    kith_flaw flaw;
    bool      passed = l->desc->state_only || part->column->adopted;
    return passed || kith_exact_read_column(&l->stage, part->column, &l->chunk, &flaw) ||
           is_flawed(l, &flaw);
}

static bool load_exact(loading *l)
{
    kith_flaw flaw;
    return l->desc->state_only || kith_exact_read(&l->stage, &l->chunk, &flaw) ||
           is_flawed(l, &flaw);
}

// --- linking ---------------------------------------------------------------------------------

static bool link_part(loading *l, loaded_part *part)
{
    bool memory = false;
    bool rows =
        part->column->desc.kind == KITH_KIND_VALUE || part->column->desc.kind == KITH_KIND_TAG;
    bool values = part->column->desc.kind == KITH_KIND_VALUE;
    if (rows && (part->rows_seen != part->rows || (values && part->values_seen != part->rows))) {
        return spoil(l, KITH_ERROR_FORMAT, "rows or values are missing", name_of_part(part));
    }
    const char *fault = !rows ? NULL
                              : kith_stage_link(&l->stage, part->column, part->holes,
                                                part->hole_count, part->disabled, &memory);
    return stage_says(l, part, fault, memory);
}

// When all entities are there, and then all components.
static bool check_slots_once(loading *l)
{
    const char *fault =
        l->slots_seen == l->slot_count ? kith_stage_check_slots(&l->stage) : "entities are missing";
    l->checked = true;
    return fault == NULL || nonsense(l, fault);
}

static bool link_all(loading *l)
{
    if (l->linked) {
        return true;
    }
    if (!l->checked && !check_slots_once(l)) {
        return false;
    }
    for (uint32_t i = 0; i < l->described; i++) {
        if (l->parts[i].column != NULL && !link_part(l, &l->parts[i])) {
            return false;
        }
    }
    l->linked = true;
    return l->described == l->part_count || nonsense(l, "components are missing");
}

// --- chunks ----------------------------------------------------------------------------------

typedef bool (*part_fn)(loading *l, loaded_part *part);

// What to do with a chunk that is of one component, and for which kinds that is.
static part_fn part_reader(uint32_t tag, uint32_t *kinds)
{
    static const struct {
        uint32_t tag;
        uint32_t kinds;
        part_fn  read;
    } readers[] = {
        { KITH_TAG_ROWS, KITH_WITH_ROWS, load_rows },
        { KITH_TAG_RUN, KITH_WITH_ROWS, load_run },
        { KITH_TAG_HOLES, KITH_WITH_ROWS, load_holes },
        { KITH_TAG_DISABLED, KITH_WITH_ROWS, load_disabled },
        { KITH_TAG_VALUES, 1u << KITH_KIND_VALUE, load_values },
        { KITH_TAG_BLOBS, 1u << KITH_KIND_VALUE, load_blobs },
        { KITH_TAG_STAMPS, KITH_WITH_ROWS, load_exact_part },
        { KITH_TAG_TICKS, KITH_WITH_ROWS, load_exact_part },
        { KITH_TAG_JOURNAL, KITH_WITH_ROWS, load_exact_part },
        { KITH_TAG_FLAGS, 1u << KITH_KIND_FLAG, load_flags },
        { KITH_TAG_SINGLETON, 1u << KITH_KIND_SINGLETON, load_single },
    };
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (readers[i].tag == tag) {
            *kinds = readers[i].kinds;
            return readers[i].read;
        }
    }
    return NULL;
}

static bool load_of_part(loading *l, part_fn read, uint32_t kinds)
{
    loaded_part *part = load_part(l);
    if (part == NULL || part->column == NULL) {
        return part != NULL; // left out
    }
    if ((kinds >> part->column->desc.kind & 1) == 0 || l->linked) {
        return nonsense(l, l->linked ? "a component's chunk comes too late"
                                     : "a chunk is not for this kind of component");
    }
    return (l->checked || check_slots_once(l)) && read(l, part);
}

static bool load_end(loading *l)
{
    l->over = true;
    return (kith_source_u32(&l->chunk.body) == l->chunks && l->file.at == l->file.size) ||
           nonsense(l, "the file does not end where it says");
}

static bool load_chunk(loading *l)
{
    uint32_t    kinds = 0;
    const char *fault = kith_source_chunk(&l->file, &l->chunk);
    if (fault != NULL) {
        return l->chunk.no_memory ? out_of_memory(l) : nonsense(l, fault);
    }
    l->chunks++;
    if (!l->begun && l->chunk.tag != KITH_TAG_WORLD) {
        return nonsense(l, "the world's chunk is not the first");
    }
    part_fn read = part_reader(l->chunk.tag, &kinds);
    if (read != NULL) {
        return load_of_part(l, read, kinds);
    }
    switch (l->chunk.tag) {
    case KITH_TAG_WORLD:
        return load_world(l);
    case KITH_TAG_COMPONENT:
        return load_component(l);
    case KITH_TAG_SLOTS:
        return load_slots(l);
    case KITH_TAG_LIVING:
        return load_living(l);
    case KITH_TAG_GROUP:
        return link_all(l) && load_group(l);
    case KITH_TAG_SET:
    case KITH_TAG_EVENTS:
    case KITH_TAG_QUERY:
    case KITH_TAG_SYSTEM:
        return link_all(l) && load_exact(l);
    case KITH_TAG_END:
        return link_all(l) && load_end(l);
    default:
        return !kith_tag_is_critical(l->chunk.tag) ||
               nonsense(l, "there is a chunk that this program does not know");
    }
}

// Queries and systems out of the file in which entities were not chosen yet, and which was read.
static bool load_turns(loading *l)
{
    bool good = kith_source_file(&l->whole) == NULL;
    for (l->chunk.tag = 0; good && l->chunk.tag != KITH_TAG_END;) {
        good       = kith_source_chunk(&l->whole, &l->chunk) == NULL;
        bool turns = l->chunk.tag == KITH_TAG_QUERY || l->chunk.tag == KITH_TAG_SYSTEM;
        good       = good && (!turns || load_exact(l));
    }
    return good;
}

// --- the whole -------------------------------------------------------------------------------

static bool load_chunks(loading *l)
{
    const char *fault = kith_source_file(&l->file);
    if (fault != NULL) {
        return nonsense(l, fault);
    }
    while (!l->over) {
        if (!load_chunk(l)) {
            return false;
        }
    }
    if (l->whole.bytes != NULL && !load_turns(l)) {
        return false;
    }
    kith_flaw flaw;
    if (l->stage.exact && !kith_exact_complete(&l->stage, &flaw)) {
        return is_flawed(l, &flaw);
    }
    bool memory = false;
    fault       = kith_stage_ready(&l->stage, &memory);
    return fault == NULL || (memory ? out_of_memory(l) : nonsense(l, fault));
}

static bool hierarchies_are_valid(loading *l)
{
    for (uint32_t i = 0; i < l->world->column_count; i++) {
        const kith_column *column = l->world->columns[i];
        const char        *reason = NULL;
        if (column->bound && !kith_hierarchy_validate(l->world, column->desc.id, &reason)) {
            return spoil(l, KITH_ERROR_FORMAT, reason, column->desc.name);
        }
    }
    return true;
}

static void give_parts(loading *l)
{
    const kith_allocator *memory = &l->world->memory;
    for (uint32_t i = 0; i < l->described; i++) {
        loaded_part *part = &l->parts[i];
        if (part->migration != NULL) {
            kith_migration_release(part->migration, memory);
            kith_memory_give(memory, part->migration, sizeof *part->migration, sizeof(uint64_t));
        }
        kith_memory_give(memory, part->holes, part->hole_count * sizeof *part->holes,
                         sizeof *part->holes);
        kith_memory_give(memory, part->disabled, part->disabled_words * sizeof *part->disabled,
                         sizeof *part->disabled);
    }
    kith_memory_give(memory, l->parts, (l->part_count + 1) * sizeof *l->parts, sizeof(uint64_t));
}

static void load_all(loading *l)
{
    kith_world_enter(l->world); // hooks that run meanwhile may ask, and not change
    bool good = load_chunks(l);
    if (good) {
        kith_stage_trade(&l->stage);
        if (!hierarchies_are_valid(l)) {
            kith_stage_trade(&l->stage);
        }
    }
    kith_world_leave(l->world);
    kith_chunk_release(&l->chunk);
    give_parts(l);
    kith_stage_end(&l->stage);
}

KITH_INTERNAL kith_result kith_load(kith_world *world, const kith_load_desc *desc,
                                    kith_loadable *from)
{
    loading l = { .world = world, .desc = desc, .file = from->file, .whole = from->whole };
    if (!kith_stage_begin(&l.stage, world)) {
        out_of_memory(&l);
        return l.result;
    }
    load_all(&l);
    from->exact = l.stage.exact;
    return l.result;
}
