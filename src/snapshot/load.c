// SPDX-License-Identifier: MIT
// Loads a file: begins a loader, reads the chunks in order, swaps the new state in (see load.h).
#include "snapshot/load.h"
#include "world/component.h"

#include "kith/hierarchy.h"

// --- begin and end ---------------------------------------------------------------------------

// Adds one to the list; before there is memory, only counts it.
static void stage_other(kith_loader *l, kith_staged_other other)
{
    if (l->others != NULL) {
        l->others[l->other_count] = other;
    }
    l->other_count++;
}

static void list_others(kith_loader *l, const kith_world *world)
{
    l->other_count = 0;
    for (kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        stage_other(l, (kith_staged_other){ .tag            = KITH_TAG_SET,
                                            .set            = set,
                                            .members.newest = set->members.newest,
                                            .since          = set->since });
    }
    for (kith_query *query = world->queries; query != NULL; query = query->next) {
        stage_other(l, (kith_staged_other){ .tag = KITH_TAG_QUERY, .query = query });
    }
    for (kith_queue *queue = world->queues; queue != NULL; queue = queue->next_queue) {
        stage_other(l, (kith_staged_other){ .tag = KITH_TAG_EVENTS, .queue = queue });
    }
    for (uint32_t i = 0; world->schedule != NULL && i < world->schedule->graph.count; i++) {
        kith_system *system = world->schedule->graph.systems[i];
        stage_other(l, (kith_staged_other){ .tag       = KITH_TAG_SYSTEM,
                                            .system    = system,
                                            .waited    = system->waited,
                                            .requested = system->requested,
                                            .enabled   = system->enabled });
    }
}

static size_t staged_bytes(const kith_loader *l)
{
    return l->storage_count * sizeof *l->storages + l->group_count * sizeof *l->groups +
           l->other_count * sizeof *l->others;
}

static void begin_components(kith_loader *l, const kith_world *world)
{
    for (uint32_t i = 0; i < l->storage_count; i++) {
        kith_staged_component *target = &l->storages[i];
        kith_storage          *live   = world->storages[i];
        target->storage               = live;
        target->pool                  = kith_pool_empty_like(&live->pool);
        target->parked                = live->single != NULL ? 1 : live->pool.set.head.rows_;
    }
    for (uint32_t i = 0; i < l->group_count; i++) {
        kith_staged_group *target = &l->groups[i];
        target->group             = world->groups.groups[i];
        target->index             = kith_pool_empty_like(&target->group->list.pool);
        target->ordered           = KITH_NO_ROW;
    }
}

KITH_INTERNAL bool kith_staging_begin(kith_loader *l, kith_world *world)
{
    assert(world->shared.held == 0);
    *l = (kith_loader){
        .reader.unpacked.allocator = world->memory,
        .world                     = world,
        .memory                    = &world->memory,
        .entities                  = kith_entity_table_empty_like(&world->entities),
        .tick                      = world->tick,
        .storage_count             = world->storage_count,
        .group_count               = world->groups.count,
    };
    list_others(l, world);
    size_t bytes = staged_bytes(l);
    l->storages  = bytes == 0 ? NULL : kith_alloc_zeroed(l->memory, bytes, KITH_CACHE_LINE);
    if (l->storages == NULL) {
        return bytes == 0;
    }
    l->groups = (kith_staged_group *)(void *)(l->storages + l->storage_count);
    l->others = (kith_staged_other *)(void *)(l->groups + l->group_count);
    begin_components(l, world);
    list_others(l, world);
    return true;
}

static void end_values(const kith_staged_component *target)
{
    const kith_pool *pool = &target->pool;
    if (target->single != NULL) {
        if (target->built != 0) {
            kith_pool_destruct(pool, target->single);
        }
        return;
    }
    for (uint32_t row = 0; row < target->built && pool->hooks.destruct != NULL; row++) {
        if (!kith_pool_is_hole(pool, row)) {
            kith_pool_destruct(pool, kith_pool_value(pool, row));
        }
    }
}

KITH_INTERNAL void kith_staging_end(kith_loader *l)
{
    kith_world_lock(l->world);
    kith_load_end_objects(l);
    for (uint32_t i = 0; i < l->storage_count; i++) {
        kith_staged_component *target = &l->storages[i];
        end_values(target);
        if (target->single != NULL) {
            kith_storage_free_single(target->storage, l->memory, target->single);
        }
        kith_pool_free(&target->pool, l->memory);
        kith_migration_destroy(target->migration, l->memory);
    }
    kith_world_unlock(l->world);
    for (uint32_t i = 0; i < l->group_count; i++) {
        kith_pool_free(&l->groups[i].index, l->memory);
    }
    for (uint32_t i = 0; i < l->other_count; i++) {
        kith_staged_other *target = &l->others[i];
        kith_entity_set_free(&target->members, l->memory);
        if (target->tag == KITH_TAG_EVENTS) {
            kith_queue_free_buffer(target->queue, &target->waiting);
        }
    }
    kith_entity_table_free(&l->entities, l->memory);
    kith_free(l->memory, l->storages, staged_bytes(l), KITH_CACHE_LINE);
    kith_free(l->memory, l->components, (l->component_count + 1) * sizeof(void *), sizeof(void *));
    kith_bytes_free(&l->reader.unpacked);
}

// --- swapping --------------------------------------------------------------------------------

KITH_NOINLINE static void swap_memory(void *a, void *b, size_t size)
{
    uint8_t kept[sizeof(kith_pool) + sizeof(kith_entity_table)]; // the largest are one of these
    assert(size <= sizeof kept);
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

static void swap_component(kith_staged_component *target, uint64_t tick)
{
    kith_storage *storage = target->storage;
    swap_memory(&storage->pool, &target->pool, sizeof storage->pool);
    swap_memory(&storage->single, &target->single, sizeof storage->single);
    swap_memory(&target->parked, &target->built, sizeof target->built);
    storage->pool.set.head.tick_ = tick;
}

static void swap_group(kith_staged_group *target, uint64_t tick)
{
    kith_group      *group = target->group;
    kith_sparse_set *set   = &group->list.pool.set;
    swap_memory(&group->list.pool, &target->index, sizeof target->index);
    swap_memory(&group->members, &target->members, sizeof target->members);
    swap_memory(&group->count, &target->count, sizeof target->count);
    // the order of members counts as written now
    set->head.tick_ = tick;
    kith_array_fill(set->head.stamps_, tick, set->page_count);
}

static void swap_other(const kith_loader *l, kith_staged_other *target)
{
    uint64_t since = target->since;
    switch (target->tag) {
    case KITH_TAG_SET:
        swap_memory(&target->set->members, &target->members, sizeof target->members);
        swap_memory(&target->set->since, &target->since, sizeof since);
        return;
    case KITH_TAG_QUERY:
        target->since = target->query->desc.since;
        kith_query_start_since(target->query, since);
        return;
    case KITH_TAG_SYSTEM:
        swap_memory(&target->system->tick, &target->since, sizeof since);
        swap_memory(&target->system->waited, &target->waited, sizeof target->waited);
        swap_memory(&target->system->requested, &target->requested, sizeof target->requested);
        swap_memory(&target->system->enabled, &target->enabled, sizeof target->enabled);
        return;
    default:
        if (l->exact) {
            swap_memory(&target->queue->waiting, &target->waiting, sizeof target->waiting);
        }
    }
}

KITH_INTERNAL void kith_staging_swap_state(kith_loader *l)
{
    kith_world *world = l->world;
    swap_memory(&world->entities, &l->entities, sizeof l->entities);
    swap_memory(&world->tick, &l->tick, sizeof l->tick);
    swap_memory(&world->shared.disabled, &l->disabled, sizeof l->disabled);
    for (uint32_t i = 0; i < l->storage_count; i++) {
        swap_component(&l->storages[i], world->tick);
    }
    for (uint32_t i = 0; i < l->group_count; i++) {
        swap_group(&l->groups[i], world->tick);
    }
    for (uint32_t i = 0; i < l->other_count; i++) {
        swap_other(l, &l->others[i]);
    }
    kith_load_swap_objects(l);
    kith_world_update_head(world);
}

KITH_INTERNAL void kith_staging_swap(kith_loader *l)
{
    kith_staging_swap_state(l);
    for (kith_query *query = l->world->queries; query != NULL; query = query->next) {
        query->object.ops->shrink(&query->object);
    }
}

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
        return kith_reader_malformed(&l->reader, "a COMP chunk is malformed", NULL);
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

// --- values ----------------------------------------------------------------------------------

// Unpacks values page by page; the component has no hooks.
static bool unpack_plain(kith_loader *l, kith_staged_component *target, uint32_t count)
{
    const kith_layout *layout = &target->storage->layout;
    bool               stream = l->large && kith_layout_is_whole(layout) && layout->bool_count == 0;
    for (uint32_t end = target->built + count, step; target->built < end; target->built += step) {
        step = kith_min(kith_sparse_set_rest_of_page(&target->pool.set, target->built),
                        end - target->built);
        void          *values = kith_pool_value(&target->pool, target->built);
        const uint8_t *packed = kith_source_take(&l->reader.body, (size_t)step * target->packed);
        uint32_t       bad;
        if (stream) {
            kith_stream_copy(values, packed, (size_t)step * layout->size);
        } else if (!kith_layout_unpack(layout, values, packed, step, &bad)) {
            return kith_reader_malformed(&l->reader, "a boolean is neither 0 nor 1",
                                         target->storage->desc.name);
        }
    }
    return true;
}

// Constructs a value and reads into it the saved one that comes next in the chunk.
static bool build_value(kith_loader *l, kith_staged_component *target, void *value)
{
    const kith_component_desc *desc = &target->storage->desc;
    const kith_saver          *by   = desc->traits.saved.functions;
    kith_source               *from = &l->reader.body;
    if (!kith_pool_construct(&target->storage->pool, value, NULL)) {
        return kith_reader_fail(&l->reader, KITH_ERROR_HOOK, "its construct hook refused",
                                desc->name);
    }
    target->built++;
    bool           blob  = target->form == KITH_FORM_FUNCTIONS;
    uint32_t       size  = blob ? kith_source_u32(from) : target->packed;
    const uint8_t *bytes = kith_source_take(from, size);
    if (bytes == NULL) {
        return kith_reader_malformed(&l->reader, "a value is too short", NULL);
    }
    if (target->migration != NULL) {
        return kith_migration_apply(target->migration, value, bytes, size);
    }
    if (!blob) {
        return kith_layout_unpack_over(&target->storage->layout, value, bytes) ||
               kith_reader_malformed(&l->reader, "a boolean is neither 0 nor 1", desc->name);
    }
    if (by->read(value, bytes, size, by->context)) {
        return true;
    }
    return kith_is_opaque(desc) // reading opaque values fails for one reason
               ? kith_reader_no_memory(&l->reader)
               : kith_reader_malformed(&l->reader, "its read function refused a value", desc->name);
}

// Builds the values of rows, one by one. A hole takes bytes in the file unless functions save.
static bool build_rows(kith_loader *l, kith_staged_component *target, uint32_t count)
{
    bool     good       = true;
    uint32_t hole_bytes = target->form == KITH_FORM_FUNCTIONS ? 0 : target->packed;
    for (uint32_t end = target->built + count; target->built < end && good;) {
        void *value = kith_pool_value(&target->pool, target->built);
        if (kith_pool_is_hole(&target->pool, target->built)) {
            memset(value, 0, target->pool.size); // searches also read the bytes of holes
            kith_source_take(&l->reader.body, hole_bytes);
            target->built++;
        } else {
            good = build_value(l, target, value);
        }
    }
    return good;
}

static bool load_values(kith_loader *l, kith_staged_component *target)
{
    kith_source *from  = &l->reader.body;
    bool         blobs = l->reader.tag == KITH_TAG_BLOBS;
    uint32_t     count;
    if (target->pool.set.head.rows_ != target->rows ||
        blobs != (target->form == KITH_FORM_FUNCTIONS) ||
        !kith_source_rows(from, target->built, target->rows,
                          blobs ? KITH_ANY_WIDTH : target->packed, &count)) {
        return kith_reader_malformed(&l->reader, "values are not consecutive", NULL);
    }
    if (!blobs && target->pool.plain && target->migration == NULL) {
        return unpack_plain(l, target, count);
    }
    return build_rows(l, target, count) &&
           (kith_source_left(from) == 0 ||
            kith_reader_malformed(&l->reader, "bytes follow the last value", NULL));
}

static bool load_single(kith_loader *l, kith_staged_component *target)
{
    kith_source *from = &l->reader.body;
    bool         blob = target->form == KITH_FORM_FUNCTIONS;
    if (target->built != 0) {
        return kith_reader_malformed(&l->reader, "the file has a singleton twice", NULL);
    }
    if (target->form == KITH_FORM_NONE || (!blob && (kith_source_u32(from) != target->packed ||
                                                     kith_source_left(from) != target->packed))) {
        return kith_reader_malformed(&l->reader, "a singleton has the wrong size", NULL);
    }
    target->single = kith_storage_alloc_single(target->storage, l->memory);
    if (target->single == NULL) {
        return kith_reader_no_memory(&l->reader);
    }
    return build_value(l, target, target->single) &&
           (kith_source_left(from) == 0 ||
            kith_reader_malformed(&l->reader, "bytes follow the value", NULL));
}

// --- groups ----------------------------------------------------------------------------------

static bool has_term(const kith_group *group, const kith_storage *storage, bool without)
{
    bool found = false;
    for (uint32_t i = 0; i < group->desc.term_count; i++) {
        const kith_term *term = &group->desc.terms[i];
        found                 = found || (term->component == storage->desc.id &&
                          (term->role == KITH_ROLE_WITHOUT) == without);
    }
    return found;
}

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
        same = storage != NULL && is_included(desc, storage) && kith_storage_is_saved(storage) &&
               has_term(group, storage, without);
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
            return kith_load_list(l, &count) && kith_staging_order(l, &l->groups[i], count);
        }
    }
    return true;
}

// --- chunks ----------------------------------------------------------------------------------

KITH_INTERNAL bool kith_load_check_component(kith_loader *l, const kith_staged_component *target)
{
    const kith_component_desc *desc = &target->storage->desc;
    const kith_sparse_set     *set  = &target->pool.set;
    if ((KITH_WITH_ROWS >> desc->kind & 1) == 0) {
        return true;
    }
    if (set->head.rows_ != target->rows ||
        (desc->kind == KITH_KIND_VALUE && target->built != target->rows)) {
        return kith_reader_malformed(&l->reader, "rows or values are missing", desc->name);
    }
    return set->holes == target->holes ||
           kith_reader_malformed(&l->reader, "the holes are not the rows without an entity",
                                 desc->name);
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
                    kith_reader_malformed(&l->reader, "components are missing", NULL));
}

static bool load_end(kith_loader *l)
{
    const kith_source *file = &l->reader.file;
    return (kith_source_u32(&l->reader.body) == l->reader.chunks && file->at == file->size) ||
           kith_reader_malformed(&l->reader, "the file does not end where it says", NULL);
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
    { KITH_TAG_VALUES, 1u << KITH_KIND_VALUE, .read = load_values },
    { KITH_TAG_BLOBS, 1u << KITH_KIND_VALUE, .read = load_values },
    { KITH_TAG_FLAGS, 1u << KITH_KIND_FLAG, .read = kith_load_flags },
    { KITH_TAG_SINGLETON, 1u << KITH_KIND_SINGLETON, .read = load_single },
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
};

// Returns how chunks with this tag are read; NULL: the tag is unknown.
static const chunk_reader *find_reader(uint32_t tag)
{
    for (size_t i = 0; i < sizeof chunk_readers / sizeof chunk_readers[0]; i++) {
        if (chunk_readers[i].tag == tag) {
            return &chunk_readers[i];
        }
    }
    return NULL;
}

// Reads the number of the chunk's component and finds it; `*target` is NULL if it is skipped.
static bool find_target(kith_loader *l, uint32_t kinds, kith_staged_component **target)
{
    kith_source *from   = &l->reader.body;
    uint32_t     number = kith_source_u32(from);
    if (from->ended || number >= l->described) {
        return kith_reader_malformed(&l->reader, "a chunk has an unknown component number", NULL);
    }
    *target = l->components[number];
    if (*target == NULL) {
        return true;
    }
    if (l->linked) {
        return kith_reader_malformed(&l->reader, "a component's chunk comes too late", NULL);
    }
    if ((kinds >> (*target)->storage->desc.kind & 1) == 0) {
        return kith_reader_malformed(&l->reader, "a chunk is not for this kind of component", NULL);
    }
    return kith_load_check_slots(l);
}

static bool load_chunk(kith_loader *l)
{
    if (!kith_reader_chunk(&l->reader)) {
        return false;
    }
    uint32_t            tag    = l->reader.tag;
    const chunk_reader *reader = find_reader(tag);
    if (tag == KITH_TAG_WORLD) {
        return kith_reader_malformed(&l->reader, "the file has two WRLD chunks", NULL);
    }
    if (reader == NULL) { // a capital letter in front: the chunk must not be skipped
        return (tag & 0xff) < 'A' || (tag & 0xff) > 'Z' ||
               kith_reader_malformed(&l->reader, "a chunk has an unknown tag", NULL);
    }
    kith_staged_component *target = NULL;
    if (reader->kinds != 0 ? !find_target(l, reader->kinds, &target)
                           : reader->late && !check_components(l)) {
        return false;
    }
    // a component that was unknown has pages of another size than in the file: its ticks are
    // skipped
    bool skipped =
        reader->kinds != 0 && (target == NULL || (reader->exact && target->storage->unknown));
    if (skipped || (reader->exact && l->desc->state_only)) {
        return true;
    }
    if (reader->exact && !l->exact) {
        return kith_reader_malformed(&l->reader, "the file has exact state but is not exact", NULL);
    }
    return reader->kinds != 0 ? reader->read(l, target) : reader->read_all(l);
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

KITH_INTERNAL bool kith_load(kith_world *world, const kith_load_desc *desc, kith_load_source *from,
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
    l.large       = from->file.size >= KITH_STREAM_LEAST;
    kith_world_lock(world); // hooks that run meanwhile may read the world, not change it
    if (load_chunks(&l)) {
        kith_staging_swap(&l);
        if (hierarchies_are_valid(&l)) {
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
