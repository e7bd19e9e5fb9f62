// SPDX-License-Identifier: MIT
// Reads how a snapshot describes its world and components; registers unknown components.
#include "snapshot/schema.h"

#include "world/component.h"

#define BYTES_MOST  (UINT64_C(1) << 28) // of a value
#define LEAVES_MOST (UINT64_C(1) << 20) // numbers of a value, arrays of numbers counted once

bool kith_schema_read(kith_schema *schema, kith_reader *in)
{
    kith_source        *from    = &in->body;
    kith_schema_numbers numbers = { 0 };
    *schema                     = (kith_schema){ .number = kith_source_u32(from) };
    schema->name                = kith_source_text(from, &schema->length);
    kith_source_numbers(from, &numbers, KITH_SCHEMA_NUMBERS, sizeof(uint32_t));
    schema->packed                    = numbers.packed;
    schema->rows                      = numbers.rows;
    schema->sum                       = kith_source_u64(from);
    schema->table                     = *from;
    schema->desc.kind                 = (kith_kind)numbers.kind;
    schema->desc.traits.policy        = (kith_policy)numbers.policy;
    schema->desc.traits.saved.form    = (kith_form)numbers.form;
    schema->desc.traits.saved.unit    = numbers.unit;
    schema->desc.traits.saved.version = numbers.version;
    return (!from->ended && numbers.kind <= KITH_KIND_SINGLETON &&
            numbers.policy <= KITH_POLICY_STABLE && numbers.form < KITH_FORM_TRANSIENT &&
            numbers.holes <= numbers.rows && schema->length != 0) ||
           kith_reader_malformed(in, "a COMP chunk is malformed");
}

// --- tables ----------------------------------------------------------------------------------
//
// The table is read twice: without memory a reader counts the bytes, with memory it copies. A name
// or field takes at most a constant factor more bytes in memory than in the file, which bounds
// memory.

typedef struct table_reader {
    kith_reader    *reader;
    kith_error_code code; // of faults
    kith_source     from;
    kith_copier     to;
} table_reader;

static bool table_fail(const table_reader *r, const char *what)
{
    return kith_reader_fail(r->reader, r->code, what, r->reader->about);
}

static bool table_is_good(const table_reader *r)
{
    return r->reader->result.code == KITH_OK;
}

static const char *keep_text(table_reader *r, const char *text, uint32_t length)
{
    char *copy = kith_copier_put(&r->to, NULL, (size_t)length + 1);
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
        table_fail(r, "a table of fields is too short");
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
        table_fail(r, "a table of fields has the wrong length");
        return 0;
    }
    return count;
}

static const kith_choices *reader_choices(table_reader *r)
{
    kith_choices *choices = kith_copier_put(&r->to, NULL, sizeof *choices);
    const char   *name    = reader_name(r);
    uint32_t      count   = reader_count(r, 12);
    kith_choice  *list    = kith_copier_put(&r->to, NULL, count * sizeof *list);
    if (count == 0) {
        table_fail(r, "an enum has no names");
    }
    for (uint32_t i = 0; i < count && table_is_good(r); i++) {
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

static void reader_table(table_reader *r, kith_fields *table, uint32_t depth, uint64_t *leaves);

// Places the field behind the ones before it, as a compiler does.
static void lay_out(table_reader *r, kith_fields *into, kith_field *f, uint32_t alignment)
{
    uint64_t at   = ((uint64_t)into->size + alignment - 1) & ~(uint64_t)(alignment - 1);
    uint64_t size = (uint64_t)f->size * f->count;
    if (f->count == 0 || size > BYTES_MOST || at + size > BYTES_MOST) {
        table_fail(r, "a value is too large");
        return;
    }
    f->offset       = (uint32_t)at;
    into->size      = (uint32_t)(at + size);
    into->alignment = alignment > into->alignment ? alignment : into->alignment;
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

// Reads a field of the table `into`. Adds to `leaves` how many numbers it has.
static void reader_field(table_reader *r, kith_field *f, kith_fields *into, uint32_t depth,
                         uint64_t *leaves)
{
    *f                 = (kith_field){ .name = reader_name(r) };
    f->unit            = reader_name(r);
    uint32_t type      = kith_source_u32(&r->from);
    f->type            = (kith_field_type)type;
    f->size            = kith_source_u32(&r->from);
    f->count           = kith_source_u32(&r->from);
    uint32_t alignment = natural_alignment(f->size);
    uint64_t inside    = 0; // numbers in one element
    if (f->unit != NULL && f->unit[0] == '\0') {
        f->unit = NULL;
    }
    if (type == KITH_TYPE_STRUCT && table_is_good(r)) {
        kith_fields  counted;
        kith_fields *place  = kith_copier_put(&r->to, NULL, sizeof *place);
        kith_fields *nested = place == NULL ? &counted : place;
        reader_table(r, nested, depth + 1, &inside);
        f->size   = nested->size;
        alignment = nested->alignment;
        f->nested = place;
    } else if (type == KITH_TYPE_ENUM) {
        f->choices = reader_choices(r);
    }
    bool number = f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
    if (r->from.ended || type >= KITH_TYPE_SKIP || (type != KITH_TYPE_STRUCT && !number)) {
        table_fail(r, "a field has an unknown type");
    }
    *leaves += type == KITH_TYPE_STRUCT ? f->count * inside : 1;
    if (*leaves > LEAVES_MOST) {
        table_fail(r, "a value is too large");
    }
    if (table_is_good(r)) {
        lay_out(r, into, f, alignment);
    }
}

// Reads a table. Adds to `leaves` how many numbers it has. A struct without saved fields gets one
// byte: it is not empty in memory.
static void reader_table(table_reader *r, kith_fields *table, uint32_t depth, uint64_t *leaves)
{
    *table = (kith_fields){ .name = reader_name(r), .alignment = 1 };
    if (depth >= KITH_FIELDS_DEPTH) {
        table_fail(r, "structs are nested too deep");
    }
    kith_field  counted;
    uint32_t    count = reader_count(r, 20);
    kith_field *list  = kith_copier_put(&r->to, NULL, (count == 0 ? 1 : count) * sizeof *list);
    for (uint32_t i = 0; i < count && table_is_good(r); i++) {
        reader_field(r, list == NULL ? &counted : &list[i], table, depth, leaves);
    }
    table->list  = list;
    table->count = count;
    if (count == 0) {
        *leaves += 1;
        table->count = 1;
        table->size  = 1;
        if (list != NULL) {
            list[0] =
                (kith_field){ .name = "skipped", .type = KITH_TYPE_SKIP, .size = 1, .count = 1 };
        }
    }
    table->size = (table->size + table->alignment - 1) & ~(table->alignment - 1);
}

// --- the description -------------------------------------------------------------------------

// Reads the name and, for KITH_FORM_FIELDS, the table. Called to count, then to copy. Returns the
// leaves of the table.
static uint64_t read_texts(kith_schema *schema, table_reader *r)
{
    kith_component_desc *desc = &schema->desc;
    r->from                   = schema->table;
    r->to.used                = 0;
    desc->name                = keep_text(r, schema->name, schema->length);
    if (desc->traits.saved.form == KITH_FORM_PLAIN) {
        desc->size      = schema->packed;
        desc->alignment = desc->traits.saved.unit;
    }
    if (desc->traits.saved.form != KITH_FORM_FIELDS) {
        return 0;
    }
    uint64_t     leaves = 0;
    kith_fields  counted;
    kith_fields *place = kith_copier_put(&r->to, NULL, sizeof *place);
    kith_fields *table = place == NULL ? &counted : place;
    reader_table(r, table, 0, &leaves);
    desc->size                = table->size;
    desc->alignment           = table->alignment;
    desc->traits.saved.fields = place;
    return leaves;
}

// Whether form, size and checksum agree.
static bool check_form(const kith_schema *schema, const table_reader *r)
{
    const kith_component_desc *desc  = &schema->desc;
    const kith_saved          *saved = &desc->traits.saved;
    const char                *field = NULL;
    bool values = desc->kind == KITH_KIND_VALUE || desc->kind == KITH_KIND_SINGLETON;
    if (!values && saved->form != KITH_FORM_NONE) {
        return table_fail(r, "a tag or flag has a save form");
    }
    if (saved->form == KITH_FORM_FUNCTIONS || saved->form == KITH_FORM_NONE) {
        return true;
    }
    const char *fault =
        desc->size == 0 ? "its values have no size" : kith_saved_fault(saved, desc->size, &field);
    if (fault != NULL) {
        return table_fail(r, fault);
    }
    return kith_saved_sum(saved, desc->size) == schema->sum ||
           table_fail(r, "its table does not match its checksum");
}

void kith_schema_free(kith_schema *schema, const kith_allocator *memory)
{
    kith_free(memory, schema->memory, schema->bytes, sizeof(uint64_t));
    schema->memory = NULL;
    schema->bytes  = 0;
}

bool kith_schema_complete(kith_schema *schema, kith_reader *in, const kith_allocator *memory,
                          kith_error_code code)
{
    table_reader r = { .reader = in, .code = code };
    in->leaves += read_texts(schema, &r);
    if (!table_is_good(&r)) {
        return false;
    }
    // few bytes can claim that a value has many numbers
    if (in->leaves > LEAVES_MOST && !kith_reader_can_hold(in, in->leaves)) {
        return kith_reader_malformed(in, "there are more fields than the file has values");
    }
    schema->bytes  = r.to.used;
    schema->memory = kith_alloc(memory, r.to.used, sizeof(uint64_t));
    if (schema->memory == NULL) {
        return kith_reader_no_memory(in);
    }
    r.to.memory = schema->memory;
    read_texts(schema, &r);
    if (!check_form(schema, &r)) {
        kith_schema_free(schema, memory);
        return false;
    }
    return true;
}

// --- unknown components ----------------------------------------------------------------------

// Registers without an error report: the caller gets the error in the result.
static kith_error_code register_quietly(kith_world *world, const kith_component_desc *desc)
{
    const kith_kept_error before = world->latest;
    world->errors_muted          = true;
    bool            done         = kith_component_register(world, desc) != 0;
    kith_error_code code         = done ? KITH_OK : world->latest.error.code;
    world->errors_muted          = false;
    world->latest                = before;
    return code;
}

static bool register_component(kith_world *world, kith_reader *in)
{
    kith_schema schema;
    kith_saver  saver;
    if (!kith_schema_read(&schema, in)) {
        return false;
    }
    // a value without a save form has no rows and an unknown size: it cannot be registered
    bool sized = schema.desc.kind == KITH_KIND_TAG || schema.desc.kind == KITH_KIND_FLAG ||
                 schema.desc.traits.saved.form != KITH_FORM_NONE;
    if (!sized || kith_world_storage_named(world, schema.name, schema.length) != NULL) {
        return true;
    }
    if (!kith_schema_complete(&schema, in, &world->memory, KITH_ERROR_FORMAT)) {
        return false;
    }
    if (schema.desc.traits.saved.form == KITH_FORM_FUNCTIONS) {
        kith_opaque_describe(&schema.desc, &world->memory, &saver);
    }
    kith_error_code code = register_quietly(world, &schema.desc);
    if (code == KITH_OK) {
        world->storages[world->storage_count - 1]->unknown = true;
    } else {
        kith_reader_fail(in, code, "a component of the snapshot cannot be registered", NULL);
    }
    kith_schema_free(&schema, &world->memory);
    return code == KITH_OK;
}

bool kith_world_register_unknown(kith_world *world, kith_source file, kith_result *result)
{
    kith_reader      in = { .file = file, .unpacked.allocator = world->memory };
    kith_world_facts facts;
    bool             more = kith_world_facts_read(&facts, &in);
    while (more) {
        more = kith_reader_chunk(&in) && in.tag == KITH_TAG_COMPONENT &&
               register_component(world, &in);
    }
    kith_bytes_free(&in.unpacked);
    *result = in.result;
    return result->code == KITH_OK;
}

// --- the world -------------------------------------------------------------------------------

bool kith_world_facts_read(kith_world_facts *facts, kith_reader *in)
{
    if (!kith_reader_file(in) || !kith_reader_chunk(in)) {
        return false;
    }
    if (in->tag != KITH_TAG_WORLD) {
        return kith_reader_malformed(in, "the first chunk is not WRLD");
    }
    kith_source *from = &in->body;
    kith_source_numbers(from, facts, KITH_WORLD_NUMBERS, sizeof(uint32_t));
    facts->tick = kith_source_u64(from);
    return (!from->ended && facts->exact <= 1 && facts->queued <= 1 &&
            facts->components <= KITH_COMPONENT_MAX && facts->tick <= UINT64_MAX / 2) ||
           kith_reader_malformed(in, "the WRLD chunk is malformed");
}

// Bytes of an entity without components.
#define SLOT_BYTES (sizeof(kith_entity_page) / KITH_PAGE_SLOTS)

// Checks what a world with these settings allocates at once against the limit.
static bool check_settings(kith_reader *in, const kith_world_facts *facts, uint64_t limit)
{
    uint32_t last = facts->version_last;
    if (facts->slots / (KITH_LIVING_MOST / KITH_CHUNK_HEAD) > kith_source_left(&in->file) ||
        facts->first_index > facts->slots || last == 0 || (last & (last + 1)) != 0 ||
        facts->order < KITH_FREE_LIFO || facts->order > KITH_FREE_LOWEST ||
        facts->queued > (facts->order == KITH_FREE_FIFO)) {
        return kith_reader_malformed(in, "the WRLD chunk is malformed");
    }
    uint64_t asked =
        (uint64_t)(facts->queued != 0 ? facts->slots : facts->first_index) * SLOT_BYTES;
    return asked <= limit || kith_result_over_limit(&in->result, in->offset, asked, limit);
}

kith_result kith_snapshot_world_desc(const kith_load_desc *load, const void *bytes, size_t size,
                                     kith_world_desc *desc)
{
    kith_reader      in    = { .file = { .bytes = bytes, .size = size } };
    uint64_t         limit = kith_budget_limit(load == NULL ? 0 : load->bytes, size);
    kith_world_facts facts = { 0 };
    if (kith_world_facts_read(&facts, &in) && check_settings(&in, &facts, limit)) {
        desc->index_bits   = 0;
        desc->version_bits = kith_lowest_bit((uint64_t)facts.version_last + 1);
        desc->free_order   = (kith_free_order)facts.order;
        desc->first_index  = facts.first_index;
        desc->max_entities = facts.queued != 0 ? facts.slots : 0;
    }
    kith_bytes_free(&in.unpacked);
    return in.result;
}
