// SPDX-License-Identifier: MIT
// Loads a file: begins a loader, reads the chunks in order, swaps the new state in (see load.h).
#include "snapshot/load.h"

#include "group/group.h"

#include "kith/hierarchy.h"

// --- the world -------------------------------------------------------------------------------

static bool load_world(kith_loader *l)
{
    const kith_entity_table *table = &l->world->entities;
    kith_world_facts         facts;
    if (!kith_world_facts_read(&facts, &l->reader)) {
        return false;
    }
    if (table->version_last != facts.version_last) {
        return kith_reader_conflict(&l->reader, "version_bits differ from the file's");
    }
    if (table->first_index != facts.first_index || table->order != (kith_free_order)facts.order ||
        table->queued != (facts.queued != 0)) {
        return kith_reader_conflict(&l->reader, "free_order, first_index or max_entities differ");
    }
    if (!kith_load_counts(l, &facts)) {
        return false;
    }
    l->tick            = facts.tick;
    l->exact           = facts.exact != 0 && !l->desc->state_only;
    l->component_count = facts.components;
    l->components =
        kith_alloc_zeroed(l->memory, (facts.components + 1) * sizeof(void *), sizeof(void *));
    return l->components != NULL || kith_reader_no_memory(&l->reader);
}

// --- components ------------------------------------------------------------------------------

// Whether the component is loaded. NULL: a component that this world does not have.
static bool is_included(const kith_load_desc *desc, const kith_storage *storage)
{
    return desc->components == NULL ||
           (storage != NULL &&
            kith_component_listed(desc->components, desc->component_count, storage->desc.id));
}

// Whether values of the file are values of this world, or can be converted.
static bool check_schema(kith_loader *l, kith_staged_component *target, const kith_schema *schema)
{
    const kith_component_desc *desc = &target->storage->desc;
    const kith_saved          *have = &schema->desc.traits.saved;
    if (desc->kind != schema->desc.kind) {
        return kith_reader_conflict(&l->reader, "it has another kind in this world");
    }
    if (desc->traits.policy != schema->desc.traits.policy) {
        return kith_reader_conflict(&l->reader, "it has another policy in this world");
    }
    if (have->form == KITH_FORM_NONE && desc->size != 0) { // then it cannot have rows
        return schema->rows == 0 ||
               kith_reader_malformed(&l->reader, "it has rows but no save form");
    }
    if (desc->traits.saved.form != have->form ||
        kith_saved_sum(&desc->traits.saved, desc->size) != schema->sum) {
        target->migration = kith_migration_create(schema, desc, &l->reader, l->memory);
        return target->migration != NULL;
    }
    return schema->packed == target->storage->layout.packed ||
           kith_reader_malformed(&l->reader, "its values have another size than its table says");
}

// A component without a save form has no rows: KITH_UNKNOWN_KEEP has nothing to keep.
static bool unknown_component(kith_loader *l, const kith_schema *schema)
{
    return l->desc->unknown == KITH_UNKNOWN_SKIP ||
           (l->desc->unknown == KITH_UNKNOWN_KEEP && schema->rows == 0) ||
           kith_reader_fail_named(&l->reader, KITH_ERROR_UNREGISTERED,
                                  "not registered in this world", schema->name, schema->length);
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
        return kith_reader_malformed(&l->reader, "a COMP chunk is malformed");
    }
    l->described++;
    const kith_storage *storage = kith_world_storage_named(l->world, schema.name, schema.length);
    if (!is_included(l->desc, storage)) {
        return true;
    }
    if (storage == NULL || !kith_storage_is_saved(storage)) {
        return storage != NULL || unknown_component(l, &schema);
    }
    kith_staged_component *target = &l->storages[storage->order];
    l->reader.about               = storage->desc.name;
    for (uint32_t i = 0; i < schema.number; i++) {
        if (l->components[i] == target) {
            return kith_reader_malformed(&l->reader, "the file has a component twice");
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
            kith_reader_malformed(&l->reader, "the file is too short for its rows"));
}

// --- groups ----------------------------------------------------------------------------------

// Reads the terms in the chunk. Whether the group has the same ones, and all are loaded.
static bool has_terms(kith_source *from, const kith_group *group, const kith_load_desc *desc)
{
    uint32_t count = kith_source_u32(from);
    bool     same  = group->owned == 0 && group->desc.term_count == count;
    for (uint32_t i = 0; i < count && same; i++) {
        bool                without = kith_source_u32(from) != 0;
        uint32_t            length;
        const char         *name = kith_source_text(from, &length);
        const kith_storage *storage =
            name == NULL ? NULL : kith_world_storage_named(group->object.world, name, length);
        uint32_t term = kith_plan_term_of(&group->plan, storage);
        same = storage != NULL && is_included(desc, storage) && kith_storage_is_saved(storage) &&
               term < group->plan.count && (term >= group->plan.flag_end) == without;
    }
    return same;
}

static bool load_group(kith_loader *l)
{
    kith_source      *from  = &l->reader.body;
    const kith_source start = *from;
    for (uint32_t i = 0; i < l->group_count; i++) {
        *from = start;
        if (has_terms(from, l->groups[i].group, l->desc)) {
            uint32_t count;
            l->reader.about = l->groups[i].group->desc.name;
            return kith_load_list(l, &count) && kith_staging_order(l, &l->groups[i], count);
        }
    }
    return true;
}

// --- chunks ----------------------------------------------------------------------------------

bool kith_load_check_component(kith_loader *l, const kith_staged_component *target)
{
    const kith_component_desc *desc = &target->storage->desc;
    const kith_sparse_set     *set  = &target->pool.set;
    if ((KITH_WITH_ROWS >> desc->kind & 1) == 0) {
        return true;
    }
    if (set->head.rows_ != target->rows ||
        (desc->kind == KITH_KIND_VALUE && target->built != target->rows)) {
        return kith_reader_fail(&l->reader, KITH_ERROR_FORMAT, "rows or values are missing",
                                desc->name);
    }
    return set->holes == target->holes ||
           kith_reader_fail(&l->reader, KITH_ERROR_FORMAT,
                            "the holes are not the rows without an entity", desc->name);
}

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
                    kith_reader_malformed(&l->reader, "components are missing"));
}

static bool load_end(kith_loader *l)
{
    const kith_source *file = &l->reader.file;
    return (kith_source_u32(&l->reader.body) == l->reader.chunks && file->at == file->size) ||
           kith_reader_malformed(&l->reader, "the file does not end where it says");
}

// How chunks with one tag are read: by `read` if they belong to one component, else by `read_all`.
typedef struct chunk_reader {
    uint32_t tag;
    uint32_t kinds; // of components that have such chunks, one bit each; 0: no component has
    bool     late;  // all rows are read before
    bool     exact; // only exact files have such chunks
    bool (*read)(kith_loader *l, kith_staged_component *target);
    bool (*read_all)(kith_loader *l);
} chunk_reader;

static const chunk_reader chunk_readers[] = {
    { KITH_TAG_COMPONENT, .read_all = load_component },
    { KITH_TAG_SLOTS, .read_all = kith_load_slots },
    { KITH_TAG_LIVING, .read_all = kith_load_slots },
    { KITH_TAG_ROWS, KITH_WITH_ROWS, .read = kith_load_rows },
    { KITH_TAG_RUN, KITH_WITH_ROWS, .read = kith_load_run },
    { KITH_TAG_HOLES, KITH_WITH_ROWS, .read = kith_load_holes },
    { KITH_TAG_DISABLED, KITH_WITH_ROWS, .read = kith_load_disabled },
    { KITH_TAG_VALUES, 1u << KITH_KIND_VALUE, .read = kith_load_values },
    { KITH_TAG_BLOBS, 1u << KITH_KIND_VALUE, .read = kith_load_values },
    { KITH_TAG_FLAGS, 1u << KITH_KIND_FLAG, .read = kith_load_flags },
    { KITH_TAG_SINGLETON, 1u << KITH_KIND_SINGLETON, .read = kith_load_single },
    { KITH_TAG_STAMPS, KITH_WITH_ROWS, .exact = true, .read = kith_exact_read_stamps },
    { KITH_TAG_TICKS, KITH_WITH_ROWS, .exact = true, .read = kith_exact_read_ticks },
    { KITH_TAG_JOURNAL, KITH_WITH_ROWS, .exact = true, .read = kith_exact_read_journal },
    { KITH_TAG_GROUP, .late = true, .read_all = load_group },
    { KITH_TAG_SET, .late = true, .exact = true, .read_all = kith_exact_read },
    { KITH_TAG_EVENTS, .late = true, .exact = true, .read_all = kith_exact_read },
    { KITH_TAG_QUERY, .late = true, .exact = true, .read_all = kith_exact_read },
    { KITH_TAG_SYSTEM, .late = true, .exact = true, .read_all = kith_exact_read },
    { KITH_TAG_OBJECT, .late = true, .read_all = kith_load_object },
    { KITH_TAG_END, .late = true, .read_all = load_end },
    { 0 }, // behind the last one
};

// Checks that the chunk may come now. If it belongs to a component, reads its number and finds it;
// `*target` is NULL if it is skipped.
static bool begin_chunk(kith_loader *l, const chunk_reader *by, kith_staged_component **target)
{
    if (by->kinds == 0) {
        return !by->late || check_components(l);
    }
    uint32_t number   = kith_source_u32(&l->reader.body);
    bool     known    = !l->reader.body.ended && number < l->described;
    *target           = known ? l->components[number] : NULL;
    const char *fault = !known            ? "a chunk has an unknown component number"
                        : *target == NULL ? NULL
                        : l->linked       ? "a component's chunk comes too late"
                        : (by->kinds >> (*target)->storage->desc.kind & 1) == 0
                            ? "a chunk is not for this kind of component"
                            : NULL;
    return fault == NULL ? *target == NULL || kith_load_check_slots(l)
                         : kith_reader_malformed(&l->reader, fault);
}

static bool load_chunk(kith_loader *l)
{
    if (!kith_reader_chunk(&l->reader)) {
        return false;
    }
    uint32_t            tag = l->reader.tag;
    const chunk_reader *by  = chunk_readers;
    while (by->tag != 0 && by->tag != tag) {
        by++;
    }
    if (tag == KITH_TAG_WORLD) {
        return kith_reader_malformed(&l->reader, "the file has two WRLD chunks");
    }
    if (by->tag == 0) { // a capital letter in front: the chunk must not be skipped
        return (tag & 0xff) < 'A' || (tag & 0xff) > 'Z' ||
               kith_reader_malformed(&l->reader, "a chunk has an unknown tag");
    }
    kith_staged_component *target = NULL;
    if (!begin_chunk(l, by, &target)) {
        return false;
    }
    // a component that was unknown has pages of another size than in the file: its ticks are
    // skipped
    bool skipped = by->kinds != 0 && (target == NULL || (by->exact && target->storage->unknown));
    if (skipped || (by->exact && l->desc->state_only)) {
        return true;
    }
    if (by->exact && !l->exact) {
        return kith_reader_malformed(&l->reader, "the file has exact state but is not exact");
    }
    l->reader.about = target == NULL ? NULL : target->storage->desc.name;
    return by->kinds != 0 ? by->read(l, target) : by->read_all(l);
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
    while (good && l->reader.tag != KITH_TAG_END) {
        good = load_chunk(l);
    }
    return good && (l->whole.bytes == NULL || load_queries_and_systems(l)) &&
           (!l->exact || kith_exact_complete(l)) && kith_staging_ready(l);
}

const char *kith_load_links(const kith_world *world, kith_storage *storage)
{
    const char *fault = NULL;
    if (storage->is_hierarchy) {
        kith_hierarchy_validate(world, storage->desc.id, &fault);
    } else if (storage->link.ops != NULL) {
        fault = storage->link.ops->check(world, storage, false);
    }
    if (fault == NULL && storage->link.ops != NULL) {
        storage->link.ops->number(storage);
    }
    return fault;
}

static bool links_are_valid(kith_loader *l)
{
    for (uint32_t i = 0; i < l->world->storage_count; i++) {
        kith_storage *storage = l->world->storages[i];
        const char   *fault   = kith_load_links(l->world, storage);
        if (fault != NULL) {
            return kith_reader_fail(&l->reader, KITH_ERROR_FORMAT, fault, storage->desc.name);
        }
    }
    return true;
}

bool kith_load(kith_world *world, const kith_load_desc *desc, kith_load_source *from,
               kith_result *result)
{
    kith_loader l;
    if (!kith_staging_begin(&l, world)) {
        kith_reader_no_memory(&l.reader);
        *result = l.reader.result;
        return false;
    }
    l.desc        = desc;
    l.whole       = from->whole;
    l.reader.file = from->file;
    kith_world_lock(world); // hooks that run meanwhile may read the world, not change it
    if (load_chunks(&l)) {
        kith_staging_swap(&l);
        if (links_are_valid(&l)) {
            kith_load_settle_objects(&l);
        } else {
            kith_staging_swap(&l);
        }
    }
    kith_world_unlock(world);
    kith_staging_end(&l);
    from->exact = l.exact;
    *result     = l.reader.result;
    return result->code == KITH_OK;
}
