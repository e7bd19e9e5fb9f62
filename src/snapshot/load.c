// SPDX-License-Identifier: MIT
// Loads a file: reads its chunks in order, stages the state, swaps it in (see load.h).
#include "snapshot/load.h"

#include "kith/hierarchy.h"

#include <stdio.h>

// --- failing ---------------------------------------------------------------------------------

KITH_INTERNAL bool kith_load_fail(kith_loader *l, kith_error_code code, const char *what,
                                  const char *name)
{
    if (l->result.code == KITH_OK) {
        uint64_t offset = l->chunk.offset;
        l->result       = name == NULL ? kith_result_of(code, offset, "%s", what)
                                       : kith_result_of(code, offset, "\"%s\": %s", name, what);
    }
    return false;
}

KITH_INTERNAL bool kith_load_malformed(kith_loader *l, const char *what, const char *name)
{
    return kith_load_fail(l, KITH_ERROR_FORMAT, what, name);
}

KITH_INTERNAL bool kith_load_no_memory(kith_loader *l)
{
    return kith_load_fail(l, KITH_ERROR_MEMORY, "memory ran out while loading", NULL);
}

KITH_INTERNAL bool kith_load_check(kith_loader *l, const char *fault, bool oom, const char *name)
{
    return fault == NULL || (oom ? kith_load_no_memory(l) : kith_load_malformed(l, fault, name));
}

// --- world and slots -------------------------------------------------------------------------

static bool same_handles(kith_loader *l, uint32_t first_index, uint32_t version_last,
                         uint32_t free_order, uint32_t queued)
{
    const kith_entity_table *table = &l->world->entities;
    if (table->version_last != version_last) {
        return kith_load_fail(l, KITH_ERROR_CONFLICT, "version_bits differ from the file's", NULL);
    }
    return (table->first_index == first_index && table->order == (kith_free_order)free_order &&
            table->queued == (queued != 0)) ||
           kith_load_fail(l, KITH_ERROR_CONFLICT, "free_order, first_index or max_entities differ",
                          NULL);
}

static bool load_world(kith_loader *l)
{
    kith_source          *from = &l->chunk.body;
    kith_staging_entities facts;
    if (l->begun) { // the arrays are allocated already, by the first one
        return kith_load_malformed(l, "the file has two WRLD chunks", NULL);
    }
    l->component_count = kith_source_u32(from);
    facts.slots        = kith_source_u32(from);
    facts.free         = kith_source_u32(from);
    facts.retired      = kith_source_u32(from);
    facts.head         = kith_source_u32(from);
    facts.tail         = kith_source_u32(from);
    uint32_t first     = kith_source_u32(from);
    uint32_t versions  = kith_source_u32(from);
    uint32_t reuse     = kith_source_u32(from);
    uint32_t queued    = kith_source_u32(from);
    uint32_t exact     = kith_source_u32(from);
    uint64_t tick      = kith_source_u64(from);
    l->slot_count      = facts.slots;
    if (from->ended || exact > 1 || queued > 1 || l->component_count > KITH_COMPONENT_MAX ||
        tick > UINT64_MAX / 2) {
        return kith_load_malformed(l, "the WRLD chunk is malformed", NULL);
    }
    if (!same_handles(l, first, versions, reuse, queued)) {
        return false;
    }
    if (facts.slots > l->world->entities.index_end) {
        return kith_load_fail(l, KITH_ERROR_LIMIT, "there are more entities than this world allows",
                              NULL);
    }
    l->begun         = true;
    l->staging.tick  = tick;
    l->staging.exact = exact != 0 && !l->desc->state_only;
    l->components    = kith_alloc_zeroed(
           &l->world->memory, (l->component_count + 1) * sizeof *l->components, sizeof(uint64_t));
    if (l->components == NULL) {
        return kith_load_no_memory(l);
    }
    const char *fault = kith_staging_slots(&l->staging, &facts);
    return fault == NULL || kith_load_malformed(l, fault, NULL);
}

// Reads the head of a chunk of slots.
static bool begin_slots(kith_loader *l, uint32_t *first, uint32_t *count)
{
    *first = kith_source_u32(&l->chunk.body);
    *count = kith_source_u32(&l->chunk.body);
    if (*first != l->slots_seen || *count > l->slot_count - *first) {
        return kith_load_malformed(l, "slots are not consecutive", NULL);
    }
    l->slots_seen += *count;
    return true;
}

static bool load_slots(kith_loader *l)
{
    kith_source *from = &l->chunk.body;
    uint32_t     first;
    uint32_t     count;
    if (!begin_slots(l, &first, &count)) {
        return false;
    }
    if ((uint64_t)count * sizeof(uint64_t) != from->size - from->at) {
        return kith_load_malformed(l, "a SLOT chunk has the wrong length", NULL);
    }
    if (!kith_staging_reserve_slots(&l->staging, l->slots_seen)) {
        return kith_load_no_memory(l);
    }
    for (uint32_t index = first, step; index < first + count; index += step) {
        step = kith_min(KITH_PAGE_SLOTS - index % KITH_PAGE_SLOTS, first + count - index);
        kith_numbers_u64(kith_entity_slot_of(&l->staging.entities, index),
                         kith_source_take(from, (size_t)step * sizeof(uint64_t)), step);
    }
    return true;
}

// Reads a LIVE chunk: consecutive living entities with one version.
static bool load_living(kith_loader *l)
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
        return kith_load_malformed(l, "a LIVE chunk is malformed", NULL);
    }
    if (!kith_staging_reserve_slots(&l->staging, l->slots_seen)) {
        return kith_load_no_memory(l);
    }
    kith_staging_living_slots(&l->staging, first, count, slot);
    return true;
}

// --- components ------------------------------------------------------------------------------

// Finds how values of the file become values of this world.
static bool find_migration(kith_loader *l, kith_loaded_component *loaded, const kith_schema *schema)
{
    const kith_component_desc *desc  = &loaded->storage->desc;
    const char                *field = NULL;
    bool                       oom   = false;
    loaded->migration = kith_alloc(&l->world->memory, sizeof *loaded->migration, sizeof(uint64_t));
    if (loaded->migration == NULL) {
        return kith_load_no_memory(l);
    }
    const char *fault = kith_migration_make(loaded->migration, schema, desc, &l->file,
                                            &l->world->memory, &field, &oom);
    l->leaves += loaded->migration->old.leaves;
    if (fault == NULL && !kith_schema_can_hold(&l->file, l->leaves)) {
        return kith_load_malformed(l, "there are more fields than the file has values", NULL);
    }
    char name[64];
    snprintf(name, sizeof name, "%.31s%s%.31s", desc->name, field == NULL ? "" : ".",
             field == NULL ? "" : field);
    return fault == NULL ||
           (oom ? kith_load_no_memory(l) : kith_load_fail(l, KITH_ERROR_CONFLICT, fault, name));
}

// Whether values of the file are values of this world, or can be converted.
static bool check_schema(kith_loader *l, kith_loaded_component *loaded, const kith_schema *schema)
{
    const kith_component_desc *desc = &loaded->storage->desc;
    const kith_saved          *have = &schema->desc.traits.saved;
    if (desc->kind != schema->desc.kind) {
        return kith_load_fail(l, KITH_ERROR_CONFLICT, "it has another kind in this world",
                              desc->name);
    }
    if (desc->traits.policy != schema->desc.traits.policy) {
        return kith_load_fail(l, KITH_ERROR_CONFLICT, "it has another policy in this world",
                              desc->name);
    }
    if (have->form == KITH_FORM_NONE && desc->size != 0) { // then it cannot have rows
        return schema->rows == 0 ||
               kith_load_malformed(l, "it has rows but no save form", desc->name);
    }
    if (desc->traits.saved.form != have->form ||
        kith_saved_sum(&desc->traits.saved, desc->size) != schema->sum) {
        return find_migration(l, loaded, schema);
    }
    return schema->packed == loaded->storage->layout.packed ||
           kith_load_malformed(l, "its values have another size than its table says", desc->name);
}

// A component without a save form has no rows: KITH_UNKNOWN_KEEP has nothing to keep.
static bool unknown_component(kith_loader *l, const kith_schema *schema)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)kith_min(schema->length, sizeof text - 1),
             schema->name);
    return l->desc->unknown == KITH_UNKNOWN_SKIP ||
           (l->desc->unknown == KITH_UNKNOWN_KEEP && schema->rows == 0) ||
           kith_load_fail(l, KITH_ERROR_UNREGISTERED, "not registered in this world", text);
}

// Notes in the result which two components this world registered in another order.
static void compare_order(kith_loader *l, const kith_storage *storage)
{
    const kith_storage *last = l->latest;
    l->latest                = last == NULL || storage->order > last->order ? storage : last;
    if (l->latest != storage && l->result.message[0] == '\0') {
        l->result = kith_result_of(KITH_OK, l->chunk.offset,
                                   "\"%.60s\" was registered before \"%.60s\" when this was saved",
                                   last->desc.name, storage->desc.name);
    }
}

static bool load_component(kith_loader *l)
{
    kith_schema schema;
    if (!kith_schema_read(&schema, &l->chunk.body) || schema.number != l->described ||
        schema.number >= l->component_count) {
        return kith_load_malformed(l, "a COMP chunk is malformed", NULL);
    }
    kith_loaded_component *loaded  = &l->components[l->described++];
    kith_storage          *storage = kith_world_storage_named(l->world, schema.name, schema.length);
    if (!kith_load_includes(l->desc, storage)) {
        return true;
    }
    if (storage == NULL || !kith_storage_is_saved(storage)) {
        return storage != NULL || unknown_component(l, &schema);
    }
    for (uint32_t i = 0; i + 1 < l->described; i++) {
        if (l->components[i].storage == storage) {
            return kith_load_malformed(l, "the file has a component twice", NULL);
        }
    }
    *loaded        = (kith_loaded_component){ .storage = storage,
                                              .form    = schema.desc.traits.saved.form,
                                              .rows    = schema.rows,
                                              .packed  = schema.packed };
    uint32_t width = loaded->form == KITH_FORM_FUNCTIONS ? sizeof(uint32_t) : schema.packed;
    uint64_t least = (uint64_t)schema.rows * width;
    compare_order(l, storage);
    return check_schema(l, loaded, &schema) &&
           (kith_source_can_hold(&l->file, least) ||
            kith_load_malformed(l, "the file is too short for its rows", NULL));
}

// --- linking ---------------------------------------------------------------------------------

static bool link_component(kith_loader *l, const kith_loaded_component *loaded)
{
    const kith_component_desc *desc = &loaded->storage->desc;
    bool                       oom  = false;
    if ((KITH_WITH_ROWS >> desc->kind & 1) == 0) {
        return true;
    }
    if (loaded->rows_seen != loaded->rows ||
        (desc->kind == KITH_KIND_VALUE && loaded->values_seen != loaded->rows)) {
        return kith_load_malformed(l, "rows or values are missing", desc->name);
    }
    const char *fault = kith_staging_link(&l->staging, loaded->storage, loaded->holes,
                                          loaded->hole_count, loaded->disabled, &oom);
    return kith_load_check(l, fault, oom, desc->name);
}

// Checks all slots. Called once, before the first chunk with rows.
static bool check_slots_once(kith_loader *l)
{
    const char *fault = l->slots_seen == l->slot_count ? kith_staging_check_slots(&l->staging)
                                                       : "entities are missing";
    l->checked        = true;
    return fault == NULL || kith_load_malformed(l, fault, NULL);
}

static bool link_all(kith_loader *l)
{
    if (l->linked) {
        return true;
    }
    if (!l->checked && !check_slots_once(l)) {
        return false;
    }
    for (uint32_t i = 0; i < l->described; i++) {
        if (l->components[i].storage != NULL && !link_component(l, &l->components[i])) {
            return false;
        }
    }
    l->linked = true;
    return l->described == l->component_count ||
           kith_load_malformed(l, "components are missing", NULL);
}

// --- chunks ----------------------------------------------------------------------------------

static bool load_component_chunk(kith_loader *l, kith_load_component_fn read, uint32_t kinds)
{
    uint32_t number = kith_source_u32(&l->chunk.body);
    if (l->chunk.body.ended || number >= l->described) {
        return kith_load_malformed(l, "a chunk has an unknown component number", NULL);
    }
    kith_loaded_component *loaded = &l->components[number];
    if (loaded->storage == NULL) {
        return true; // the component is skipped
    }
    if ((kinds >> loaded->storage->desc.kind & 1) == 0 || l->linked) {
        return kith_load_malformed(l,
                                   l->linked ? "a component's chunk comes too late"
                                             : "a chunk is not for this kind of component",
                                   NULL);
    }
    return (l->checked || check_slots_once(l)) && read(l, loaded);
}

static bool load_end(kith_loader *l)
{
    l->over = true;
    return (kith_source_u32(&l->chunk.body) == l->chunks && l->file.at == l->file.size) ||
           kith_load_malformed(l, "the file does not end where it says", NULL);
}

static bool load_chunk(kith_loader *l)
{
    uint32_t    kinds = 0;
    const char *fault = kith_source_chunk(&l->file, &l->chunk);
    if (fault != NULL) {
        return kith_load_check(l, fault, l->chunk.oom, NULL);
    }
    l->chunks++;
    if (!l->begun && l->chunk.tag != KITH_TAG_WORLD) {
        return kith_load_malformed(l, "the first chunk is not WRLD", NULL);
    }
    kith_load_component_fn read = kith_load_component_reader(l->chunk.tag, &kinds);
    if (read != NULL) {
        return load_component_chunk(l, read, kinds);
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
        return link_all(l) && kith_load_group(l);
    case KITH_TAG_SET:
    case KITH_TAG_EVENTS:
    case KITH_TAG_QUERY:
    case KITH_TAG_SYSTEM:
        return link_all(l) && kith_exact_read(l);
    case KITH_TAG_END:
        return link_all(l) && load_end(l);
    default:
        return !kith_tag_is_critical(l->chunk.tag) ||
               kith_load_malformed(l, "a chunk has an unknown tag", NULL);
    }
}

// Reads queries and systems out of the file that the chosen entities came from. It was read before.
static bool load_queries_and_systems(kith_loader *l)
{
    bool good = kith_source_file(&l->whole) == NULL;
    for (l->chunk.tag = 0; good && l->chunk.tag != KITH_TAG_END;) {
        good       = kith_source_chunk(&l->whole, &l->chunk) == NULL;
        bool turns = l->chunk.tag == KITH_TAG_QUERY || l->chunk.tag == KITH_TAG_SYSTEM;
        good       = good && (!turns || kith_exact_read(l));
    }
    return good;
}

// --- the whole -------------------------------------------------------------------------------

static bool load_chunks(kith_loader *l)
{
    const char *fault = kith_source_file(&l->file);
    if (fault != NULL) {
        return kith_load_malformed(l, fault, NULL);
    }
    while (!l->over) {
        if (!load_chunk(l)) {
            return false;
        }
    }
    if (l->whole.bytes != NULL && !load_queries_and_systems(l)) {
        return false;
    }
    if (l->staging.exact && !kith_exact_complete(l)) {
        return false;
    }
    bool oom = false;
    fault    = kith_staging_ready(&l->staging, &oom);
    return kith_load_check(l, fault, oom, NULL);
}

static bool hierarchies_are_valid(kith_loader *l)
{
    for (uint32_t i = 0; i < l->world->storage_count; i++) {
        const kith_storage *storage = l->world->storages[i];
        const char         *reason  = NULL;
        if (storage->is_hierarchy &&
            !kith_hierarchy_validate(l->world, storage->desc.id, &reason)) {
            return kith_load_malformed(l, reason, storage->desc.name);
        }
    }
    return true;
}

static void free_components(kith_loader *l)
{
    const kith_allocator *memory = &l->world->memory;
    for (uint32_t i = 0; i < l->described; i++) {
        kith_loaded_component *loaded = &l->components[i];
        if (loaded->migration != NULL) {
            kith_migration_free(loaded->migration, memory);
            kith_free(memory, loaded->migration, sizeof *loaded->migration, sizeof(uint64_t));
        }
        kith_free(memory, loaded->holes, loaded->hole_count * sizeof *loaded->holes,
                  sizeof *loaded->holes);
        kith_free(memory, loaded->disabled, loaded->disabled_words * sizeof *loaded->disabled,
                  sizeof *loaded->disabled);
    }
    kith_free(memory, l->components, (l->component_count + 1) * sizeof *l->components,
              sizeof(uint64_t));
}

static void load_all(kith_loader *l)
{
    kith_world_lock(l->world); // hooks that run meanwhile may read the world, not change it
    bool good = load_chunks(l);
    if (good) {
        kith_staging_swap(&l->staging);
        if (!hierarchies_are_valid(l)) {
            kith_staging_swap(&l->staging);
        }
    }
    kith_world_unlock(l->world);
    kith_bytes_free(&l->chunk.unpacked);
    free_components(l);
    kith_staging_end(&l->staging);
}

KITH_INTERNAL kith_result kith_load(kith_world *world, const kith_load_desc *desc,
                                    kith_load_source *from)
{
    kith_loader l = { .world = world, .desc = desc, .file = from->file, .whole = from->whole };
    l.chunk.unpacked.allocator = world->memory;
    if (!kith_staging_begin(&l.staging, world)) {
        kith_load_no_memory(&l);
        return l.result;
    }
    l.staging.large = from->file.size >= KITH_STREAM_LEAST;
    load_all(&l);
    from->exact = l.staging.exact;
    return l.result;
}
