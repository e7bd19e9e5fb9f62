// SPDX-License-Identifier: MIT
// Loads a file: begins a loader, reads the chunks in order, swaps the new state in (see load.h).
#include "snapshot/load.h"
#include "event/event.h"

#include "kith/hierarchy.h"

#include <stdio.h>

// --- begin and end ---------------------------------------------------------------------------

static void count_staged(kith_loader *l, const kith_world *world)
{
    l->storage_count = world->storage_count;
    l->group_count   = world->groups.count;
    l->system_count  = world->schedule == NULL ? 0 : world->schedule->graph.count;
    for (const kith_reactive *set = world->reactives; set != NULL; set = set->next) {
        l->set_count++;
    }
    for (const kith_query *query = world->queries; query != NULL; query = query->next) {
        l->query_count++;
    }
    for (const kith_queue *queue = world->queues; queue != NULL; queue = queue->next_queue) {
        l->queue_count++;
    }
}

static size_t staged_bytes(const kith_loader *l)
{
    return l->storage_count * sizeof *l->storages + l->group_count * sizeof *l->groups +
           l->set_count * sizeof *l->sets + l->query_count * sizeof *l->queries +
           l->system_count * sizeof *l->systems + l->queue_count * sizeof *l->queues;
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

static void begin_others(kith_loader *l, const kith_world *world)
{
    kith_staged_set   *set   = l->sets;
    kith_staged_query *query = l->queries;
    kith_staged_queue *queue = l->queues;
    for (kith_reactive *live = world->reactives; live != NULL; live = live->next, set++) {
        set->set            = live;
        set->members.newest = live->members.newest;
        set->since          = live->since;
    }
    for (kith_query *live = world->queries; live != NULL; live = live->next) {
        (query++)->query = live;
    }
    for (kith_queue *live = world->queues; live != NULL; live = live->next_queue) {
        (queue++)->queue = live;
    }
    for (uint32_t i = 0; i < l->system_count; i++) {
        kith_system *live       = world->schedule->graph.systems[i];
        l->systems[i].system    = live;
        l->systems[i].waited    = live->waited;
        l->systems[i].requested = live->requested;
        l->systems[i].enabled   = live->enabled;
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
    };
    count_staged(l, world);
    size_t bytes = staged_bytes(l);
    l->storages  = bytes == 0 ? NULL : kith_alloc_zeroed(l->memory, bytes, KITH_CACHE_LINE);
    if (l->storages == NULL) {
        return bytes == 0;
    }
    l->groups  = (kith_staged_group *)(void *)(l->storages + l->storage_count);
    l->sets    = (kith_staged_set *)(void *)(l->groups + l->group_count);
    l->queries = (kith_staged_query *)(void *)(l->sets + l->set_count);
    l->systems = (kith_staged_system *)(void *)(l->queries + l->query_count);
    l->queues  = (kith_staged_queue *)(void *)(l->systems + l->system_count);
    begin_components(l, world);
    begin_others(l, world);
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
    for (uint32_t i = 0; i < l->set_count; i++) {
        kith_entity_set_free(&l->sets[i].members, l->memory);
    }
    for (uint32_t i = 0; i < l->queue_count; i++) {
        kith_queue_free_buffer(l->queues[i].queue, &l->queues[i].waiting);
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

static void swap_system(kith_staged_system *target)
{
    kith_system *system = target->system;
    swap_memory(&system->tick, &target->tick, sizeof target->tick);
    swap_memory(&system->waited, &target->waited, sizeof target->waited);
    swap_memory(&system->requested, &target->requested, sizeof target->requested);
    swap_memory(&system->enabled, &target->enabled, sizeof target->enabled);
}

static void swap_others(kith_loader *l)
{
    for (uint32_t i = 0; i < l->set_count; i++) {
        kith_staged_set *target = &l->sets[i];
        swap_memory(&target->set->members, &target->members, sizeof target->members);
        swap_memory(&target->set->since, &target->since, sizeof target->since);
    }
    for (uint32_t i = 0; i < l->query_count; i++) {
        kith_query *query = l->queries[i].query;
        uint64_t    since = query->desc.since;
        kith_query_start_since(query, l->queries[i].since);
        l->queries[i].since = since;
    }
    for (uint32_t i = 0; i < l->system_count; i++) {
        swap_system(&l->systems[i]);
    }
    for (uint32_t i = 0; i < l->queue_count && l->exact; i++) {
        kith_staged_queue *target = &l->queues[i];
        swap_memory(&target->queue->waiting, &target->waiting, sizeof target->waiting);
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
    swap_others(l);
    kith_load_swap_objects(l);
    kith_world_update_head(world);
}

KITH_INTERNAL void kith_staging_swap(kith_loader *l)
{
    kith_staging_swap_state(l);
    for (uint32_t i = 0; i < l->query_count; i++) {
        kith_query *query = l->queries[i].query;
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
    if (facts.slots > table->index_end) {
        return kith_reader_fail(&l->reader, KITH_ERROR_LIMIT,
                                "there are more entities than this world allows", NULL);
    }
    l->tick            = facts.tick;
    l->exact           = facts.exact != 0 && !l->desc->state_only;
    l->component_count = facts.components;
    l->components =
        kith_alloc_zeroed(l->memory, (facts.components + 1) * sizeof(void *), sizeof(void *));
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
    case KITH_TAG_OBJECT:
        return check_components(l) && kith_load_object(l);
    case KITH_TAG_END:
        return check_components(l) && load_end(l);
    default: // a capital letter in front: the chunk must not be skipped
        return (tag & 0xff) < 'A' || (tag & 0xff) > 'Z' ||
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
        if (hierarchies_are_valid(&l)) {
            kith_load_settle_objects(&l);
        } else {
            kith_staging_swap(&l);
        }
    }
    kith_world_unlock(world);
    kith_staging_end(&l);
    from->exact = l.exact;
    return l.reader.result;
}
