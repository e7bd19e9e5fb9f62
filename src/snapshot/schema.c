// SPDX-License-Identifier: MIT
// Reads how a snapshot describes its components and its world; registers unknown components.
#include "snapshot/schema.h"

#include "world/component.h"

#define BYTES_MOST  (UINT64_C(1) << 28) // of a value
#define LEAVES_MOST (UINT64_C(1) << 20) // numbers of a value, arrays of numbers counted once

KITH_INTERNAL bool kith_schema_read(kith_schema *schema, kith_source *from)
{
    *schema                   = (kith_schema){ .number = kith_source_u32(from) };
    kith_component_desc *desc = &schema->desc;
    schema->name              = kith_source_text(from, &schema->length);
    kith_source_u32(from); // its id: another program may choose another one
    uint32_t kind              = kith_source_u32(from);
    uint32_t policy            = kith_source_u32(from);
    uint32_t form              = kith_source_u32(from);
    desc->traits.saved.unit    = kith_source_u32(from);
    desc->traits.saved.version = kith_source_u32(from);
    schema->packed             = kith_source_u32(from);
    schema->rows               = kith_source_u32(from);
    schema->holes              = kith_source_u32(from);
    schema->sum                = kith_source_u64(from);
    schema->table              = *from;
    desc->kind                 = (kith_kind)kind;
    desc->traits.policy        = (kith_policy)policy;
    desc->traits.saved.form    = (kith_form)form;
    return !from->ended && kind <= KITH_KIND_SINGLETON && policy <= KITH_POLICY_STABLE &&
           form < KITH_FORM_TRANSIENT && schema->holes <= schema->rows && schema->length != 0;
}

// --- tables ----------------------------------------------------------------------------------
//
// The table is read twice: without memory a reader counts the bytes, with memory it copies. A name
// or field takes at most a constant factor more bytes in memory than in the file, which bounds
// memory.

typedef struct table_reader {
    kith_source from;
    uint8_t    *memory; // NULL: only count
    size_t      used;
    const char *fault;
} table_reader;

// A table while it is read.
typedef struct read_fields {
    kith_fields table;
    uint64_t    end;    // offset behind the fields so far
    uint64_t    leaves; // numbers in one value
} read_fields;

static void *reader_place(table_reader *r, size_t size)
{
    void *place = r->memory == NULL ? NULL : r->memory + r->used;
    r->used += (size + 7) & ~(size_t)7;
    return place;
}

static void reader_fail(table_reader *r, const char *fault)
{
    r->fault = r->fault == NULL ? fault : r->fault;
}

static const char *keep_text(table_reader *r, const char *text, uint32_t length)
{
    char *copy = reader_place(r, (size_t)length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

static const char *reader_name(table_reader *r)
{
    uint32_t    length;
    const char *text = kith_source_text(&r->from, &length);
    if (text == NULL) {
        reader_fail(r, "a table of fields is too short");
        return NULL;
    }
    return keep_text(r, text, length);
}

// Reads a count of fields or names; each takes at least `least` bytes in the file.
static uint32_t reader_count(table_reader *r, uint32_t least)
{
    uint32_t count = kith_source_u32(&r->from);
    if (r->from.ended || count > KITH_FIELDS_MOST ||
        (uint64_t)count * least > r->from.size - r->from.at) {
        reader_fail(r, "a table of fields has the wrong length");
        return 0;
    }
    return count;
}

static const kith_choices *reader_choices(table_reader *r)
{
    kith_choices *choices = reader_place(r, sizeof *choices);
    const char   *name    = reader_name(r);
    uint32_t      count   = reader_count(r, 12);
    kith_choice  *list    = reader_place(r, count * sizeof *list);
    if (count == 0) {
        reader_fail(r, "an enum has no names");
    }
    for (uint32_t i = 0; i < count && r->fault == NULL; i++) {
        const char *choice = reader_name(r);
        int64_t     value  = (int64_t)kith_source_u64(&r->from);
        if (list != NULL) {
            list[i] = (kith_choice){ choice, value };
        }
    }
    if (choices != NULL) {
        *choices = (kith_choices){ name, list, count };
    }
    return choices;
}

static read_fields reader_table(table_reader *r, uint32_t depth);

// Places the field behind the ones before it, as a compiler does.
static void lay_out(table_reader *r, read_fields *into, kith_field *f, uint32_t alignment)
{
    uint64_t at    = (into->end + alignment - 1) & ~(uint64_t)(alignment - 1);
    uint64_t size  = (uint64_t)f->size * f->count;
    bool     sized = f->count != 0 && size <= BYTES_MOST && at + size <= BYTES_MOST;
    if (!sized || into->leaves > LEAVES_MOST) {
        reader_fail(r, "a value is too large");
        return;
    }
    f->offset             = (uint32_t)at;
    into->end             = at + size;
    into->table.alignment = alignment > into->table.alignment ? alignment : into->table.alignment;
}

// The alignment of a number in a struct. A 32-bit ABI may align 8 bytes to 4.
static uint32_t natural_alignment(uint32_t size)
{
    struct wide {
        char     before;
        uint64_t number;
    };
    return size == sizeof(uint64_t) ? (uint32_t)offsetof(struct wide, number) : size;
}

static kith_field reader_field(table_reader *r, read_fields *into, uint32_t depth)
{
    kith_field f       = { .name = reader_name(r) };
    f.unit             = reader_name(r);
    uint32_t type      = kith_source_u32(&r->from);
    f.type             = (kith_field_type)type;
    f.size             = kith_source_u32(&r->from);
    f.count            = kith_source_u32(&r->from);
    uint32_t alignment = natural_alignment(f.size);
    uint64_t leaves    = 1;
    if (f.unit != NULL && f.unit[0] == '\0') {
        f.unit = NULL;
    }
    if (type == KITH_TYPE_STRUCT && r->fault == NULL) {
        kith_fields *nested = reader_place(r, sizeof *nested);
        read_fields  inner  = reader_table(r, depth + 1);
        f.size              = inner.table.size;
        alignment           = inner.table.alignment;
        leaves              = f.count * inner.leaves;
        f.nested            = nested;
        if (nested != NULL) {
            *nested = inner.table;
        }
    } else if (type == KITH_TYPE_ENUM) {
        f.choices = reader_choices(r);
    }
    bool number = f.size == 1 || f.size == 2 || f.size == 4 || f.size == 8;
    if (r->from.ended || type >= KITH_TYPE_SKIP || (type != KITH_TYPE_STRUCT && !number)) {
        reader_fail(r, "a field has an unknown type");
    }
    into->leaves += leaves;
    if (r->fault == NULL) {
        lay_out(r, into, &f, alignment);
    }
    return f;
}

// A struct without saved fields gets one byte: it is not empty in memory.
static kith_field skipped_byte(read_fields *into)
{
    into->end = 1;
    into->leaves++;
    return (kith_field){ .name = "skipped", .type = KITH_TYPE_SKIP, .size = 1, .count = 1 };
}

static read_fields reader_table(table_reader *r, uint32_t depth)
{
    read_fields read = { .table = { .name = reader_name(r), .alignment = 1 } };
    if (depth >= KITH_FIELDS_DEPTH) {
        reader_fail(r, "structs are nested too deep");
    }
    uint32_t    given = reader_count(r, 20);
    uint32_t    count = given == 0 ? 1 : given;
    kith_field *list  = reader_place(r, count * sizeof *list);
    for (uint32_t i = 0; i < count && r->fault == NULL; i++) {
        kith_field f = given == 0 ? skipped_byte(&read) : reader_field(r, &read, depth);
        if (list != NULL) {
            list[i] = f;
        }
    }
    uint32_t last    = read.table.alignment - 1;
    read.table.list  = list;
    read.table.count = count;
    read.table.size  = ((uint32_t)read.end + last) & ~last;
    return read;
}

// --- the description -------------------------------------------------------------------------

// Reads the name and, for KITH_FORM_FIELDS, the table. Called to count, then to copy.
static void read_texts(kith_schema *schema, table_reader *r)
{
    kith_component_desc *desc = &schema->desc;
    r->from                   = schema->table;
    r->used                   = 0;
    desc->name                = keep_text(r, schema->name, schema->length);
    if (desc->traits.saved.form == KITH_FORM_FIELDS) {
        kith_fields *table = reader_place(r, sizeof *table);
        read_fields  read  = reader_table(r, 0);
        desc->size         = read.table.size;
        desc->alignment    = read.table.alignment;
        schema->leaves     = read.leaves;
        if (table != NULL) {
            *table                    = read.table;
            desc->traits.saved.fields = table;
        }
    }
}

// Whether form, size and checksum agree.
static const char *schema_fault(const kith_schema *schema)
{
    const kith_component_desc *desc  = &schema->desc;
    const kith_saved          *saved = &desc->traits.saved;
    const char                *field = NULL;
    bool values = desc->kind == KITH_KIND_VALUE || desc->kind == KITH_KIND_SINGLETON;
    if (!values && saved->form != KITH_FORM_NONE) {
        return "a tag or flag has a save form";
    }
    if (saved->form == KITH_FORM_FUNCTIONS || saved->form == KITH_FORM_NONE) {
        return NULL;
    }
    const char *fault =
        desc->size == 0 ? "its values have no size" : kith_saved_fault(saved, desc->size, &field);
    return fault != NULL || kith_saved_sum(saved, desc->size) == schema->sum
               ? fault
               : "its table does not match its checksum";
}

KITH_INTERNAL bool kith_schema_can_hold(const kith_source *file, uint64_t leaves)
{
    return leaves <= LEAVES_MOST || kith_source_can_hold(file, leaves);
}

KITH_INTERNAL const char *kith_schema_complete(kith_schema *schema, const kith_allocator *memory,
                                               bool *oom)
{
    table_reader         r    = { .memory = NULL };
    kith_component_desc *desc = &schema->desc;
    read_texts(schema, &r);
    if (desc->traits.saved.form == KITH_FORM_PLAIN) {
        desc->size      = schema->packed;
        desc->alignment = desc->traits.saved.unit;
    }
    if (r.fault != NULL) {
        return r.fault;
    }
    schema->bytes  = r.used;
    schema->memory = kith_alloc(memory, r.used, sizeof(uint64_t));
    *oom           = schema->memory == NULL;
    if (*oom) {
        return "no memory";
    }
    r.memory = schema->memory;
    read_texts(schema, &r);
    const char *fault = schema_fault(schema);
    if (fault != NULL) {
        kith_schema_free(schema, memory);
    }
    return fault;
}

KITH_INTERNAL void kith_schema_free(kith_schema *schema, const kith_allocator *memory)
{
    kith_free(memory, schema->memory, schema->bytes, sizeof(uint64_t));
    schema->memory = NULL;
    schema->bytes  = 0;
}

KITH_INTERNAL kith_storage *kith_world_storage_named(const kith_world *world, const char *name,
                                                     uint32_t length)
{
    for (uint32_t i = 0; i < world->storage_count; i++) {
        const char *known = world->storages[i]->desc.name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            return world->storages[i];
        }
    }
    return NULL;
}

// --- unknown components ----------------------------------------------------------------------

// A value without a save form has no rows and an unknown size: it cannot be registered.
static bool has_no_form(const kith_schema *schema)
{
    return schema->desc.kind != KITH_KIND_TAG && schema->desc.kind != KITH_KIND_FLAG &&
           schema->desc.traits.saved.form == KITH_FORM_NONE;
}

// Registers without an error report: the caller gets the error in the result.
static bool register_quietly(kith_world *world, const kith_component_desc *desc,
                             kith_error_code *code)
{
    kith_error before   = world->error;
    world->errors_muted = true;
    bool done           = kith_component_register(world, desc) != 0;
    *code               = done ? *code : world->error.code;
    world->errors_muted = false;
    world->error        = before;
    return done;
}

static const char *register_component(kith_world *world, kith_source *from, const kith_source *file,
                                      uint64_t *leaves, kith_error_code *code)
{
    kith_schema schema;
    kith_saver  saver;
    bool        oom = false;
    if (!kith_schema_read(&schema, from)) {
        return "a COMP chunk is malformed";
    }
    if (kith_world_storage_named(world, schema.name, schema.length) != NULL ||
        has_no_form(&schema)) {
        return NULL;
    }
    const char *fault = kith_schema_complete(&schema, &world->memory, &oom);
    if (fault != NULL) {
        *code = oom ? KITH_ERROR_MEMORY : KITH_ERROR_FORMAT;
        return fault;
    }
    if (schema.desc.traits.saved.form == KITH_FORM_FUNCTIONS) {
        kith_opaque_describe(&schema.desc, &world->memory, &saver);
    }
    *leaves += schema.leaves;
    if (!kith_schema_can_hold(file, *leaves)) {
        fault = "there are more fields than the file has values";
    } else if (!register_quietly(world, &schema.desc, code)) {
        fault = "a component of the snapshot cannot be registered";
    } else {
        world->storages[world->storage_count - 1]->unknown = true;
    }
    kith_schema_free(&schema, &world->memory);
    return fault;
}

KITH_INTERNAL kith_result kith_world_register_unknown(kith_world *world, const void *bytes,
                                                      size_t size)
{
    kith_source     file   = { .bytes = bytes, .size = size };
    kith_chunk      chunk  = { .tag = KITH_TAG_WORLD, .unpacked.allocator = world->memory };
    kith_error_code code   = KITH_ERROR_FORMAT;
    uint64_t        leaves = 0;
    const char     *fault  = kith_source_file(&file);
    while (fault == NULL && (chunk.tag == KITH_TAG_WORLD || chunk.tag == KITH_TAG_COMPONENT)) {
        fault = kith_source_chunk(&file, &chunk);
        code  = chunk.oom ? KITH_ERROR_MEMORY : code;
        if (fault == NULL && chunk.tag == KITH_TAG_COMPONENT) {
            fault = register_component(world, &chunk.body, &file, &leaves, &code);
        }
    }
    kith_bytes_free(&chunk.unpacked);
    return fault == NULL ? (kith_result){ .code = KITH_OK }
                         : kith_result_of(code, chunk.offset, "%s", fault);
}

// --- the world -------------------------------------------------------------------------------

// Bytes of an entity without components.
#define SLOT_BYTES (sizeof(kith_entity_page) / KITH_PAGE_SLOTS)

static uint32_t version_bits_of(uint32_t last)
{
    uint32_t bits = 0;
    while (bits < 32 && last >> bits != 0) {
        bits++;
    }
    return bits;
}

// Reads a WRLD chunk. `*asked` is the memory that a world with these settings allocates at once.
static const char *read_desc(kith_source *from, const kith_source *file, kith_world_desc *desc,
                             uint64_t *asked)
{
    kith_source_u32(from);
    uint32_t slots = kith_source_u32(from);
    kith_source_take(from, 4 * sizeof(uint32_t)); // the free list
    uint32_t first  = kith_source_u32(from);
    uint32_t last   = kith_source_u32(from);
    uint32_t order  = kith_source_u32(from);
    uint32_t queued = kith_source_u32(from);
    if (from->ended || slots / (KITH_LIVING_MOST / KITH_CHUNK_HEAD) > file->size - file->at ||
        first > slots || last == 0 || (last & (last + 1)) != 0 || order < KITH_FREE_LIFO ||
        order > KITH_FREE_LOWEST || queued > (order == KITH_FREE_FIFO)) {
        return "the WRLD chunk is malformed";
    }
    *asked             = (uint64_t)(queued != 0 ? slots : first) * SLOT_BYTES;
    desc->index_bits   = 0;
    desc->version_bits = version_bits_of(last);
    desc->free_order   = (kith_free_order)order;
    desc->first_index  = first;
    desc->max_entities = queued != 0 ? slots : 0;
    return NULL;
}

KITH_API kith_result kith_snapshot_world_desc(const kith_load_desc *load, const void *bytes,
                                              size_t size, kith_world_desc *desc)
{
    kith_source     file  = { .bytes = bytes, .size = size };
    kith_chunk      chunk = { .offset = 0 };
    kith_world_desc found = *desc;
    uint64_t        asked = 0;
    uint64_t        limit = kith_budget_limit(load == NULL ? 0 : load->bytes, size);
    const char     *fault = kith_source_file(&file);
    fault                 = fault == NULL ? kith_source_chunk(&file, &chunk) : fault;
    if (fault == NULL) {
        fault = chunk.tag == KITH_TAG_WORLD ? read_desc(&chunk.body, &file, &found, &asked)
                                            : "the first chunk is not WRLD";
    }
    kith_bytes_free(&chunk.unpacked);
    if (fault != NULL) {
        return kith_result_of(chunk.oom ? KITH_ERROR_MEMORY : KITH_ERROR_FORMAT, chunk.offset, "%s",
                              fault);
    }
    if (asked > limit) {
        return kith_result_over_limit(chunk.offset, asked, limit);
    }
    *desc = found;
    return (kith_result){ .code = KITH_OK };
}
