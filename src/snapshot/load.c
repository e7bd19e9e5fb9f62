// SPDX-License-Identifier: MIT
#include "snapshot/load.h"

#include "kith/hierarchy.h"

#include <stdio.h>

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

KITH_INTERNAL bool kith_load_no_memory(kith_loader *l)
{
    kith_flaw_memory(&l->flaw);
    return kith_load_fail_fault(l);
}

KITH_INTERNAL bool kith_load_malformed(kith_loader *l, const char *what)
{
    return kith_load_fail(l, KITH_ERROR_FORMAT, what, NULL);
}

KITH_INTERNAL bool kith_load_fail_fault(kith_loader *l)
{
    const kith_flaw *flaw = &l->flaw;
    return kith_load_fail(l, flaw->code, flaw->what, flaw->name[0] == '\0' ? NULL : flaw->name);
}

KITH_INTERNAL bool kith_load_check(kith_loader *l, const kith_loaded_component *part,
                                   const char *fault, bool memory)
{
    if (fault == NULL) {
        return true;
    }
    return memory ? kith_load_no_memory(l)
                  : kith_load_fail(l, KITH_ERROR_FORMAT, fault, kith_loaded_name(part));
}

// --- load ------------------------------------------------------------
//
// Loading: chunks become a staged state, which takes the place of the world's own at the end.

// --- the world -------------------------------------------------------------------------------

static bool same_handles(kith_loader *l, uint32_t first_index, uint32_t version_last,
                         uint32_t free_order, uint32_t queued)
{
    const kith_entity_table *table = &l->world->entities;
    if (table->version_last != version_last) {
        return kith_load_fail(l, KITH_ERROR_CONFLICT,
                              "handles have other version bits in this world", NULL);
    }
    return (table->first_index == first_index && table->order == (kith_free_order)free_order &&
            table->queued == (queued != 0)) ||
           kith_load_fail(l, KITH_ERROR_CONFLICT,
                          "free indices are used in another order in this world", NULL);
}

static bool load_world(kith_loader *l)
{
    kith_source          *from = &l->chunk.body;
    kith_staging_entities facts;
    if (l->begun) { // what was made for the first is still as long as that one said
        return kith_load_malformed(l, "the world's chunk is there twice");
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
        return kith_load_malformed(l, "the world's chunk makes no sense");
    }
    if (!same_handles(l, first, versions, reuse, queued)) {
        return false;
    }
    if (facts.slots > l->world->entities.index_end) {
        return kith_load_fail(l, KITH_ERROR_LIMIT,
                              "there are more entities than this world may have", NULL);
    }
    l->begun         = true;
    l->staging.tick  = tick;
    l->staging.exact = exact != 0 && !l->desc->state_only;
    l->parts         = kith_alloc_zeroed(&l->world->memory, (l->part_count + 1) * sizeof *l->parts,
                                         sizeof(uint64_t));
    if (l->parts == NULL) {
        return kith_load_no_memory(l);
    }
    const char *fault = kith_staging_slots(&l->staging, &facts);
    return fault == NULL || kith_load_malformed(l, fault);
}

// Where a chunk of slots begins, and how many it has, for which there is room then.
static bool begin_slots(kith_loader *l, uint32_t *first, uint32_t *count)
{
    *first = kith_source_u32(&l->chunk.body);
    *count = kith_source_u32(&l->chunk.body);
    if (*first != l->slots_seen || *count > l->slot_count - *first) {
        return kith_load_malformed(l, "entities do not follow each other");
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
        return kith_load_malformed(l, "a chunk of entities has not the length that it says");
    }
    if (!kith_staging_reserve_slots(&l->staging, l->slots_seen)) {
        return kith_load_no_memory(l);
    }
    for (uint32_t index = first, part; index < first + count; index += part) {
        part = kith_min(KITH_PAGE_SLOTS - index % KITH_PAGE_SLOTS, first + count - index);
        kith_numbers_u64(kith_entity_slot_of(&l->staging.entities, index),
                         kith_source_take(from, (size_t)part * sizeof(uint64_t)), part);
    }
    return true;
}

// Living entities that all have one version.
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
        return kith_load_malformed(l, "a chunk of living entities makes no sense");
    }
    if (!kith_staging_reserve_slots(&l->staging, l->slots_seen)) {
        return kith_load_no_memory(l);
    }
    kith_staging_living_slots(&l->staging, first, count, slot);
    return true;
}

// --- components ------------------------------------------------------------------------------

// Finds the way from other values to this world's.
static bool migrate_part(kith_loader *l, kith_loaded_component *part, const kith_schema *schema)
{
    const kith_component_desc *desc      = &part->storage->desc;
    const char                *field     = NULL;
    bool                       no_memory = false;
    part->migration = kith_alloc(&l->world->memory, sizeof *part->migration, sizeof(uint64_t));
    if (part->migration == NULL) {
        return kith_load_no_memory(l);
    }
    const char *fault = kith_migration_make(part->migration, schema, desc, &l->file,
                                            &l->world->memory, &field, &no_memory);
    l->leaves += part->migration->old.leaves;
    if (fault == NULL && !kith_schema_can_hold(&l->file, l->leaves)) {
        return kith_load_malformed(l, "there are more fields than the file has values");
    }
    char name[64];
    snprintf(name, sizeof name, "%.31s%s%.31s", desc->name, field == NULL ? "" : ".",
             field == NULL ? "" : field);
    return fault == NULL || (no_memory ? kith_load_no_memory(l)
                                       : kith_load_fail(l, KITH_ERROR_CONFLICT, fault, name));
}

// Whether values of the file are values of this world, or can become such.
static bool part_agrees(kith_loader *l, kith_loaded_component *part, const kith_schema *schema)
{
    const kith_component_desc *desc = &part->storage->desc;
    const kith_saved          *have = &schema->desc.traits.saved;
    if (desc->kind != schema->desc.kind) {
        return kith_load_fail(l, KITH_ERROR_CONFLICT,
                              "it is another kind of component in this world", desc->name);
    }
    if (desc->traits.policy != schema->desc.traits.policy) {
        return kith_load_fail(l, KITH_ERROR_CONFLICT, "it has another policy in this world",
                              desc->name);
    }
    if (have->form == KITH_FORM_NONE && desc->size != 0) { // so nobody had any
        return schema->rows == 0 ||
               kith_load_fail(l, KITH_ERROR_FORMAT,
                              "it has rows, and nobody said how they are saved", desc->name);
    }
    if (desc->traits.saved.form != have->form ||
        kith_saved_sum(&desc->traits.saved, desc->size) != schema->sum) {
        return migrate_part(l, part, schema);
    }
    return schema->packed == part->storage->layout.packed ||
           kith_load_fail(l, KITH_ERROR_FORMAT, "its values have another size than its table says",
                          desc->name);
}

// A value of which nobody said how it is saved has no rows, and nothing that could be kept.
static bool unknown_component(kith_loader *l, const kith_schema *schema)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)kith_min(schema->length, sizeof text - 1),
             schema->name);
    return l->desc->unknown == KITH_UNKNOWN_SKIP ||
           (l->desc->unknown == KITH_UNKNOWN_KEEP && schema->rows == 0) ||
           kith_load_fail(l, KITH_ERROR_UNREGISTERED, "nobody registered this component here",
                          text);
}

static bool is_there_twice(const kith_loader *l, const kith_storage *storage)
{
    bool twice = false;
    for (uint32_t i = 0; i + 1 < l->described; i++) {
        twice = twice || l->parts[i].storage == storage;
    }
    return twice;
}

// Says which components this world registered the other way round.
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
        schema.number >= l->part_count) {
        return kith_load_malformed(l, "a component's chunk makes no sense");
    }
    kith_loaded_component *part    = &l->parts[l->described++];
    kith_storage          *storage = kith_world_storage_named(l->world, schema.name, schema.length);
    if (!kith_load_includes(l->desc, storage)) {
        return true;
    }
    if (storage == NULL || !kith_storage_is_saved(storage)) {
        return storage != NULL || unknown_component(l, &schema);
    }
    if (is_there_twice(l, storage)) {
        return kith_load_malformed(l, "a component is there twice");
    }
    *part          = (kith_loaded_component){ .storage = storage,
                                              .form    = schema.desc.traits.saved.form,
                                              .rows    = schema.rows,
                                              .packed  = schema.packed };
    uint32_t width = part->form == KITH_FORM_FUNCTIONS ? sizeof(uint32_t) : schema.packed;
    uint64_t least = (uint64_t)schema.rows * width;
    compare_order(l, storage);
    return part_agrees(l, part, &schema) &&
           (kith_source_can_hold(&l->file, least) ||
            kith_load_malformed(l, "the file is too short for its rows"));
}

// --- groups, exact state ----------------------------------------------------------------------

static bool load_group(kith_loader *l)
{
    return kith_list_members(&l->staging, l->desc, &l->chunk.body, &l->flaw) ||
           kith_load_fail_fault(l);
}

static bool load_exact(kith_loader *l)
{
    return l->desc->state_only || kith_exact_read(&l->staging, &l->chunk, &l->flaw) ||
           kith_load_fail_fault(l);
}

// --- linking ---------------------------------------------------------------------------------

static bool link_part(kith_loader *l, kith_loaded_component *part)
{
    bool memory = false;
    bool rows =
        part->storage->desc.kind == KITH_KIND_VALUE || part->storage->desc.kind == KITH_KIND_TAG;
    bool values = part->storage->desc.kind == KITH_KIND_VALUE;
    if (rows && (part->rows_seen != part->rows || (values && part->values_seen != part->rows))) {
        return kith_load_fail(l, KITH_ERROR_FORMAT, "rows or values are missing",
                              kith_loaded_name(part));
    }
    const char *fault = !rows ? NULL
                              : kith_staging_link(&l->staging, part->storage, part->holes,
                                                  part->hole_count, part->disabled, &memory);
    return kith_load_check(l, part, fault, memory);
}

// When all entities are there, and then all components.
static bool check_slots_once(kith_loader *l)
{
    const char *fault = l->slots_seen == l->slot_count ? kith_staging_check_slots(&l->staging)
                                                       : "entities are missing";
    l->checked        = true;
    return fault == NULL || kith_load_malformed(l, fault);
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
        if (l->parts[i].storage != NULL && !link_part(l, &l->parts[i])) {
            return false;
        }
    }
    l->linked = true;
    return l->described == l->part_count || kith_load_malformed(l, "components are missing");
}

// --- chunks ----------------------------------------------------------------------------------

static bool load_of_part(kith_loader *l, kith_load_component_fn read, uint32_t kinds)
{
    uint32_t number = kith_source_u32(&l->chunk.body);
    if (l->chunk.body.ended || number >= l->described) {
        return kith_load_malformed(l, "a chunk is of a component that is not there");
    }
    kith_loaded_component *part = &l->parts[number];
    if (part->storage == NULL) {
        return true; // left out
    }
    if ((kinds >> part->storage->desc.kind & 1) == 0 || l->linked) {
        return kith_load_malformed(l, l->linked ? "a component's chunk comes too late"
                                                : "a chunk is not for this kind of component");
    }
    return (l->checked || check_slots_once(l)) && read(l, part);
}

static bool load_end(kith_loader *l)
{
    l->over = true;
    return (kith_source_u32(&l->chunk.body) == l->chunks && l->file.at == l->file.size) ||
           kith_load_malformed(l, "the file does not end where it says");
}

static bool load_chunk(kith_loader *l)
{
    uint32_t    kinds = 0;
    const char *fault = kith_source_chunk(&l->file, &l->chunk);
    if (fault != NULL) {
        return l->chunk.no_memory ? kith_load_no_memory(l) : kith_load_malformed(l, fault);
    }
    l->chunks++;
    if (!l->begun && l->chunk.tag != KITH_TAG_WORLD) {
        return kith_load_malformed(l, "the world's chunk is not the first");
    }
    kith_load_component_fn read = kith_load_component_reader(l->chunk.tag, &kinds);
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
               kith_load_malformed(l, "there is a chunk that this program does not know");
    }
}

// Queries and systems out of the file in which entities were not chosen yet, and which was read.
static bool load_turns(kith_loader *l)
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

static bool load_chunks(kith_loader *l)
{
    const char *fault = kith_source_file(&l->file);
    if (fault != NULL) {
        return kith_load_malformed(l, fault);
    }
    while (!l->over) {
        if (!load_chunk(l)) {
            return false;
        }
    }
    if (l->whole.bytes != NULL && !load_turns(l)) {
        return false;
    }
    if (l->staging.exact && !kith_exact_complete(&l->staging, &l->flaw)) {
        return kith_load_fail_fault(l);
    }
    bool memory = false;
    fault       = kith_staging_ready(&l->staging, &memory);
    return fault == NULL || (memory ? kith_load_no_memory(l) : kith_load_malformed(l, fault));
}

static bool hierarchies_are_valid(kith_loader *l)
{
    for (uint32_t i = 0; i < l->world->storage_count; i++) {
        const kith_storage *storage = l->world->storages[i];
        const char         *reason  = NULL;
        if (storage->is_hierarchy &&
            !kith_hierarchy_validate(l->world, storage->desc.id, &reason)) {
            return kith_load_fail(l, KITH_ERROR_FORMAT, reason, storage->desc.name);
        }
    }
    return true;
}

static void free_parts(kith_loader *l)
{
    const kith_allocator *memory = &l->world->memory;
    for (uint32_t i = 0; i < l->described; i++) {
        kith_loaded_component *part = &l->parts[i];
        if (part->migration != NULL) {
            kith_migration_release(part->migration, memory);
            kith_free(memory, part->migration, sizeof *part->migration, sizeof(uint64_t));
        }
        kith_free(memory, part->holes, part->hole_count * sizeof *part->holes, sizeof *part->holes);
        kith_free(memory, part->disabled, part->disabled_words * sizeof *part->disabled,
                  sizeof *part->disabled);
    }
    kith_free(memory, l->parts, (l->part_count + 1) * sizeof *l->parts, sizeof(uint64_t));
}

static void load_all(kith_loader *l)
{
    kith_world_lock(l->world); // hooks that run meanwhile may ask, and not change
    bool good = load_chunks(l);
    if (good) {
        kith_staging_swap(&l->staging);
        if (!hierarchies_are_valid(l)) {
            kith_staging_swap(&l->staging);
        }
    }
    kith_world_unlock(l->world);
    kith_bytes_free(&l->chunk.unpacked);
    free_parts(l);
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
