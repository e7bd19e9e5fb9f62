// SPDX-License-Identifier: MIT
#include "snapshot/unknown_component.h"

#include "snapshot/schema.h"
#include "world/opaque_value.h"

KITH_INTERNAL kith_column *kith_world_named(const kith_world *world, const char *name,
                                            uint32_t length)
{
    for (uint32_t i = 0; i < world->column_count; i++) {
        const char *known = world->columns[i]->desc.name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            return world->columns[i];
        }
    }
    return NULL;
}

// --- components ------------------------------------------------------------------------------

// A value of which nobody said how it is saved has no rows, and no size that anybody knows.
static bool is_shapeless(const kith_schema *schema)
{
    return schema->desc.kind != KITH_KIND_TAG && schema->desc.kind != KITH_KIND_FLAG &&
           schema->desc.traits.saved.form == KITH_FORM_NONE;
}

// Who loads is told by the result, and nobody else.
static bool registers_quietly(kith_world *world, const kith_component_desc *desc,
                              kith_error_code *code)
{
    kith_error before = world->error;
    world->telling    = true;
    bool done         = kith_component_register(world, desc) != 0;
    *code             = done ? *code : world->error.code;
    world->telling    = false;
    world->error      = before;
    return done;
}

static const char *adopt_component(kith_world *world, kith_source *from, const kith_source *file,
                                   uint64_t *leaves, kith_error_code *code)
{
    kith_schema schema;
    kith_saver  saver;
    bool        no_memory = false;
    if (!kith_schema_read(&schema, from)) {
        return "a component's chunk makes no sense";
    }
    if (kith_world_named(world, schema.name, schema.length) != NULL || is_shapeless(&schema)) {
        return NULL;
    }
    const char *fault = kith_schema_complete(&schema, &world->memory, &no_memory);
    if (fault != NULL) {
        *code = no_memory ? KITH_ERROR_MEMORY : KITH_ERROR_FORMAT;
        return fault;
    }
    if (schema.desc.traits.saved.form == KITH_FORM_FUNCTIONS) {
        kith_opaque_describe(&schema.desc, &world->memory, &saver);
    }
    *leaves += schema.leaves;
    if (!kith_schema_may_have(file, *leaves)) {
        fault = "there are more fields than the file has values";
    } else if (!registers_quietly(world, &schema.desc, code)) {
        fault = "there is no room for a component of the snapshot";
    } else {
        world->columns[world->column_count - 1]->adopted = true;
    }
    kith_schema_release(&schema, &world->memory);
    return fault;
}

KITH_INTERNAL kith_result kith_world_adopt(kith_world *world, const void *bytes, size_t size)
{
    kith_source     file   = { .bytes = bytes, .size = size };
    kith_chunk      chunk  = { .tag = KITH_TAG_WORLD, .unpacked.allocator = world->memory };
    kith_error_code code   = KITH_ERROR_FORMAT;
    uint64_t        leaves = 0;
    const char     *fault  = kith_source_file(&file);
    while (fault == NULL && (chunk.tag == KITH_TAG_WORLD || chunk.tag == KITH_TAG_COMPONENT)) {
        fault = kith_source_chunk(&file, &chunk);
        code  = chunk.no_memory ? KITH_ERROR_MEMORY : code;
        if (fault == NULL && chunk.tag == KITH_TAG_COMPONENT) {
            fault = adopt_component(world, &chunk.body, &file, &leaves, &code);
        }
    }
    kith_bytes_free(&chunk.unpacked);
    return fault == NULL ? (kith_result){ .code = KITH_OK }
                         : kith_result_of(code, chunk.offset, "%s", fault);
}

// --- the world -------------------------------------------------------------------------------

// Of an entity without components.
#define SLOT_BYTES (sizeof(kith_entity_page) / KITH_PAGE_SLOTS)

static uint32_t version_bits_of(uint32_t last)
{
    uint32_t bits = 0;
    while (bits < 32 && last >> bits != 0) {
        bits++;
    }
    return bits;
}

// `*asked` is what a world with these settings takes when it is made.
static const char *read_desc(kith_source *from, const kith_source *file, kith_world_desc *desc,
                             uint64_t *asked)
{
    kith_source_u32(from);
    uint32_t slots = kith_source_u32(from);
    kith_source_take(from, 4 * sizeof(uint32_t)); // who is free
    uint32_t first  = kith_source_u32(from);
    uint32_t last   = kith_source_u32(from);
    uint32_t order  = kith_source_u32(from);
    uint32_t queued = kith_source_u32(from);
    if (from->ended || slots / (KITH_LIVING_MOST / KITH_CHUNK_HEAD) > file->size - file->at ||
        first > slots || last == 0 || (last & (last + 1)) != 0 || order < KITH_FREE_LIFO ||
        order > KITH_FREE_LOWEST || queued > (order == KITH_FREE_FIFO)) {
        return "the world's chunk makes no sense";
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
                                            : "the world's chunk is not the first";
    }
    kith_bytes_free(&chunk.unpacked);
    if (fault != NULL) {
        return kith_result_of(chunk.no_memory ? KITH_ERROR_MEMORY : KITH_ERROR_FORMAT, chunk.offset,
                              "%s", fault);
    }
    if (asked > limit) {
        return kith_result_over(chunk.offset, asked, limit);
    }
    *desc = found;
    return (kith_result){ .code = KITH_OK };
}
