// SPDX-License-Identifier: MIT
// Loads a file: reads its chunks in order, stages the state, swaps it in (see load.h).
#include "snapshot/load.h"

#include "kith/hierarchy.h"

#include <stdio.h>

// --- the world -------------------------------------------------------------------------------

static bool load_world(kith_loader *l)
{
    const kith_entity_table *table = &l->world->entities;
    kith_world_facts         facts;
    if (!kith_world_facts_read(&facts, &l->reader)) {
        return false;
    }
    if (table->version_last != facts.version_last) {
        return kith_reader_conflict(&l->reader, "version_bits differ from the file's", NULL);
    }
    if (table->first_index != facts.first_index || table->order != (kith_free_order)facts.order ||
        table->queued != (facts.queued != 0)) {
        return kith_reader_conflict(&l->reader, "free_order, first_index or max_entities differ",
                                    NULL);
    }
    if (facts.slots > table->index_end) {
        return kith_reader_fail(&l->reader, KITH_ERROR_LIMIT,
                                "there are more entities than this world allows", NULL);
    }
    l->tick            = facts.tick;
    l->exact           = facts.exact != 0 && !l->desc->state_only;
    l->component_count = facts.components;
    l->components = kith_alloc_zeroed(l->memory, (facts.components + 1) * sizeof *l->components,
                                      sizeof(void *));
    return l->components == NULL ? kith_reader_no_memory(&l->reader) : kith_load_counts(l, &facts);
}

// --- components ------------------------------------------------------------------------------

// Whether values of the file are values of this world, or can be converted.
static bool check_schema(kith_loader *l, kith_staged_component *target, const kith_schema *schema)
{
    const kith_component_desc *desc = &target->storage->desc;
    const kith_saved          *have = &schema->desc.traits.saved;
    if (desc->kind != schema->desc.kind) {
        return kith_reader_conflict(&l->reader, "it has another kind in this world", desc->name);
    }
    if (desc->traits.policy != schema->desc.traits.policy) {
        return kith_reader_conflict(&l->reader, "it has another policy in this world", desc->name);
    }
    if (have->form == KITH_FORM_NONE && desc->size != 0) { // then it cannot have rows
        return schema->rows == 0 ||
               kith_reader_malformed(&l->reader, "it has rows but no save form", desc->name);
    }
    if (desc->traits.saved.form != have->form ||
        kith_saved_sum(&desc->traits.saved, desc->size) != schema->sum) {
        target->migration = kith_migration_create(schema, desc, &l->reader, l->memory);
        return target->migration != NULL;
    }
    return schema->packed == target->storage->layout.packed ||
           kith_reader_malformed(&l->reader, "its values have another size than its table says",
                                 desc->name);
}

// A component without a save form has no rows: KITH_UNKNOWN_KEEP has nothing to keep.
static bool unknown_component(kith_loader *l, const kith_schema *schema)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)kith_min(schema->length, sizeof text - 1),
             schema->name);
    return l->desc->unknown == KITH_UNKNOWN_SKIP ||
           (l->desc->unknown == KITH_UNKNOWN_KEEP && schema->rows == 0) ||
           kith_reader_fail(&l->reader, KITH_ERROR_UNREGISTERED, "not registered in this world",
                            text);
}

// Notes in the result which two components this world registered in another order.
static void compare_order(kith_loader *l, const kith_storage *storage)
{
    const kith_storage *last = l->latest;
    l->latest                = last == NULL || storage->order > last->order ? storage : last;
    if (l->latest != storage && l->reader.result.message[0] == '\0') {
        l->reader.result =
            kith_result_of(KITH_OK, l->reader.offset,
                           "\"%.60s\" was registered before \"%.60s\" when this was saved",
                           last->desc.name, storage->desc.name);
    }
}

static bool load_component(kith_loader *l)
{
    kith_schema schema;
    if (!kith_schema_read(&schema, &l->reader)) {
        return false;
    }
    if (schema.number != l->described || schema.number >= l->component_count) {
        return kith_reader_malformed(&l->reader, "a COMP chunk is malformed", NULL);
    }
    l->described++;
    const kith_storage *storage = kith_world_storage_named(l->world, schema.name, schema.length);
    if (!kith_load_includes(l->desc, storage)) {
        return true;
    }
    if (storage == NULL || !kith_storage_is_saved(storage)) {
        return storage != NULL || unknown_component(l, &schema);
    }
    kith_staged_component *target = &l->storages[storage->order];
    for (uint32_t i = 0; i < schema.number; i++) {
        if (l->components[i] == target) {
            return kith_reader_malformed(&l->reader, "the file has a component twice", NULL);
        }
    }
    l->components[schema.number] = target;
    target->form                 = schema.desc.traits.saved.form;
    target->rows                 = schema.rows;
    target->packed               = schema.packed;
    uint32_t width = target->form == KITH_FORM_FUNCTIONS ? sizeof(uint32_t) : schema.packed;
    compare_order(l, storage);
    return check_schema(l, target, &schema) &&
           (kith_reader_can_hold(&l->reader, (uint64_t)schema.rows * width) ||
            kith_reader_malformed(&l->reader, "the file is too short for its rows", NULL));
}

// --- chunks ----------------------------------------------------------------------------------

// Checks once that the file had all components, before the first chunk that needs their rows.
static bool check_components(kith_loader *l)
{
    if (l->linked) {
        return true;
    }
    bool good = kith_load_check_slots(l);
    for (uint32_t i = 0; i < l->described && good; i++) {
        good = l->components[i] == NULL || kith_load_check_component(l, l->components[i]);
    }
    l->linked = good;
    return good && (l->described == l->component_count ||
                    kith_reader_malformed(&l->reader, "components are missing", NULL));
}

static bool load_component_chunk(kith_loader *l, kith_load_component_fn read, uint32_t kinds)
{
    kith_source *from   = &l->reader.body;
    uint32_t     number = kith_source_u32(from);
    if (from->ended || number >= l->described) {
        return kith_reader_malformed(&l->reader, "a chunk has an unknown component number", NULL);
    }
    kith_staged_component *target = l->components[number];
    if (target == NULL) {
        return true; // the component is skipped
    }
    if (l->linked) {
        return kith_reader_malformed(&l->reader, "a component's chunk comes too late", NULL);
    }
    if ((kinds >> target->storage->desc.kind & 1) == 0) {
        return kith_reader_malformed(&l->reader, "a chunk is not for this kind of component", NULL);
    }
    return kith_load_check_slots(l) && read(l, target);
}

static bool load_end(kith_loader *l)
{
    const kith_source *file = &l->reader.file;
    l->over                 = true;
    return (kith_source_u32(&l->reader.body) == l->reader.chunks && file->at == file->size) ||
           kith_reader_malformed(&l->reader, "the file does not end where it says", NULL);
}

static bool load_chunk(kith_loader *l)
{
    uint32_t kinds = 0;
    if (!kith_reader_chunk(&l->reader)) {
        return false;
    }
    uint32_t               tag  = l->reader.tag;
    kith_load_component_fn read = kith_load_component_reader(tag, &kinds);
    if (read != NULL) {
        return load_component_chunk(l, read, kinds);
    }
    switch (tag) {
    case KITH_TAG_WORLD:
        return kith_reader_malformed(&l->reader, "the file has two WRLD chunks", NULL);
    case KITH_TAG_COMPONENT:
        return load_component(l);
    case KITH_TAG_SLOTS:
    case KITH_TAG_LIVING:
        return kith_load_slots(l);
    case KITH_TAG_GROUP:
        return check_components(l) && kith_load_group(l);
    case KITH_TAG_SET:
    case KITH_TAG_EVENTS:
    case KITH_TAG_QUERY:
    case KITH_TAG_SYSTEM:
        return check_components(l) && kith_exact_read(l);
    case KITH_TAG_END:
        return check_components(l) && load_end(l);
    default:
        return !kith_tag_is_critical(tag) ||
               kith_reader_malformed(&l->reader, "a chunk has an unknown tag", NULL);
    }
}

// Reads queries and systems out of the file that the chosen entities came from. It was read before.
static bool load_queries_and_systems(kith_loader *l)
{
    l->reader.file = l->whole;
    bool good      = kith_reader_file(&l->reader);
    for (l->reader.tag = 0; good && l->reader.tag != KITH_TAG_END;) {
        good       = kith_reader_chunk(&l->reader);
        bool turns = l->reader.tag == KITH_TAG_QUERY || l->reader.tag == KITH_TAG_SYSTEM;
        good       = good && (!turns || kith_exact_read(l));
    }
    return good;
}

// --- the whole -------------------------------------------------------------------------------

static bool load_chunks(kith_loader *l)
{
    bool good = load_world(l);
    while (good && !l->over) {
        good = load_chunk(l);
    }
    return good && (l->whole.bytes == NULL || load_queries_and_systems(l)) &&
           (!l->exact || kith_exact_complete(l)) && kith_staging_ready(l);
}

static bool hierarchies_are_valid(kith_loader *l)
{
    for (uint32_t i = 0; i < l->world->storage_count; i++) {
        const kith_storage *storage = l->world->storages[i];
        const char         *reason  = NULL;
        if (storage->is_hierarchy &&
            !kith_hierarchy_validate(l->world, storage->desc.id, &reason)) {
            return kith_reader_malformed(&l->reader, reason, storage->desc.name);
        }
    }
    return true;
}

KITH_INTERNAL kith_result kith_load(kith_world *world, const kith_load_desc *desc,
                                    kith_load_source *from)
{
    kith_loader l;
    if (!kith_staging_begin(&l, world)) {
        kith_reader_no_memory(&l.reader);
        return l.reader.result;
    }
    l.desc        = desc;
    l.whole       = from->whole;
    l.reader.file = from->file;
    l.large       = from->file.size >= KITH_STREAM_LEAST;
    kith_world_lock(world); // hooks that run meanwhile may read the world, not change it
    if (load_chunks(&l)) {
        kith_staging_swap(&l);
        if (!hierarchies_are_valid(&l)) {
            kith_staging_swap(&l);
        }
    }
    kith_world_unlock(world);
    kith_staging_end(&l);
    from->exact = l.exact;
    return l.reader.result;
}
