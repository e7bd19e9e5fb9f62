// SPDX-License-Identifier: MIT
// kith_merge_apply: loads a snapshot into a second world that has the components of this one in the
// same order, then applies what changed since the last merge through ordinary calls.
#include "kith/hierarchy.h"

#include "merge/merge.h"
#include "snapshot/hash.h"
#include "snapshot/load.h"

static const char call_merge[] = "kith_merge_apply";

typedef struct merging {
    kith_merge     *merge;
    kith_world     *world;
    kith_world     *there;
    uint32_t        storages; // count, the same in both worlds
    kith_entity    *created;  // entities made here
    uint32_t       *indices;  // of each, the index there
    uint32_t        create_count;
    uint32_t        room; // entries of `created` and `indices`
    kith_call_error own;  // of the calls that change this world
    kith_result     result;
} merging;

// --- failing ---------------------------------------------------------------------------------

static bool no_memory_to_merge(merging *m)
{
    m->result = kith_result_of(KITH_ERROR_MEMORY, 0, "memory ran out while merging");
    return false;
}

// Whether the last call succeeded; if not, its error ends the merge.
static bool check_call(merging *m)
{
    char text[160];
    if (m->own.error.code == KITH_OK) {
        return true;
    }
    kith_error_text(m->world, &m->own.error, text, sizeof text);
    m->result = kith_result_of(m->own.error.code, 0, "%s", text);
    return false;
}

// --- sums ------------------------------------------------------------------------------------

static bool sum_value(merging *m, const kith_world *world, const kith_storage *storage,
                      const void *value, uint64_t *hash)
{
    kith_world_lock(m->world);
    bool summed = kith_value_hash(world, storage, value, hash);
    kith_world_unlock(m->world);
    if (summed) {
        return true;
    }
    m->result = kith_result_of(KITH_ERROR_MEMORY, 0,
                               "\"%s\": a value cannot be written, or there is no memory for it",
                               storage->desc.name);
    return false;
}

static kith_merge_hierarchy hierarchy_of_merge(const merging *m, uint32_t i)
{
    return (kith_merge_hierarchy){ m->merge, m->there, i };
}

// Sums the component of an entity there; 0: it does not have it.
static bool sum_there(merging *m, uint32_t i, uint32_t index, uint64_t *sum)
{
    const kith_storage *storage = m->there->storages[i];
    const kith_pool    *pool    = &storage->pool;
    uint64_t            hash    = 1;
    *sum                        = 0;
    if (storage->bit == KITH_NO_BIT || !kith_entity_bit(&m->there->entities, index, storage->bit)) {
        return true;
    }
    if (storage->is_hierarchy) {
        kith_merge_hierarchy tree = hierarchy_of_merge(m, i);
        *sum                      = kith_merge_hierarchy_place(&tree, index);
        return true;
    }
    bool     rows = storage->desc.kind != KITH_KIND_FLAG;
    uint32_t row  = rows ? kith_sparse_set_row_at(&pool->set, index) : 0;
    if (storage->desc.size != 0 &&
        !sum_value(m, m->there, storage, kith_pool_value(pool, row), &hash)) {
        return false;
    }
    *sum = kith_merge_sum(hash, rows && kith_pool_is_disabled(pool, row));
    return true;
}

// --- memory ----------------------------------------------------------------------------------

static bool reserve_sums(merging *m, uint32_t i)
{
    const kith_storage   *storage = m->there->storages[i];
    kith_merge_storage   *sums    = &m->merge->storages[i];
    const kith_allocator *memory  = &m->world->memory;
    bool                  enough  = kith_index_map_reserve(&m->merge->singles, memory, i);
    bool                  had     = storage->bit != KITH_NO_BIT && kith_storage_count(storage) != 0;
    for (uint32_t index = 0; index < m->there->entities.count && had && enough; index++) {
        if (kith_entity_index_alive(&m->there->entities, index) &&
            kith_entity_bit(&m->there->entities, index, storage->bit)) {
            enough =
                kith_index_map_reserve(&sums->values, memory, index) &&
                (!storage->is_hierarchy || kith_index_map_reserve(&sums->children, memory, index));
        }
    }
    return enough;
}

// Reserves memory for all sums and mappings except `back`, which depends on the created entities.
static bool reserve_merge(merging *m)
{
    kith_merge           *merge  = m->merge;
    const kith_allocator *memory = &m->world->memory;
    uint32_t              slots  = m->there->entities.count;
    bool                  enough = kith_merge_reserve_storages(merge, memory, m->storages);
    for (uint32_t index = 0; index < slots && enough; index += KITH_PAGE_SLOTS) {
        enough = kith_index_map_reserve(&merge->remote, memory, index) &&
                 kith_index_map_reserve(&merge->local, memory, index);
    }
    for (uint32_t i = 0; i < m->storages && enough; i++) {
        enough = reserve_sums(m, i);
    }
    merge->slots = enough && slots > merge->slots ? slots : merge->slots;
    return enough || no_memory_to_merge(m);
}

static bool reserve_created(merging *m)
{
    m->room = kith_entity_count(m->there);
    if (m->room == 0) {
        return true;
    }
    m->created = kith_alloc(&m->world->memory, m->room * sizeof *m->created, sizeof *m->created);
    m->indices = kith_alloc(&m->world->memory, m->room * sizeof *m->indices, sizeof *m->indices);
    return (m->created != NULL && m->indices != NULL) || no_memory_to_merge(m);
}

// --- entities that are gone there ------------------------------------------------------------

static bool is_gone(const merging *m, kith_entity remote)
{
    return remote != KITH_NULL && !kith_entity_table_alive(&m->there->entities, remote);
}

// Children that stay become roots when their parent is gone.
static void detach_children(const merging *m, kith_component tree, kith_entity entity)
{
    const kith_node *node  = kith_component_get(m->world, entity, tree);
    kith_entity      child = node == NULL ? KITH_NULL : node->first;
    for (uint32_t left = node == NULL ? 0 : node->count; left > 0 && child != KITH_NULL; left--) {
        const kith_node *below = kith_component_get(m->world, child, tree);
        kith_entity      next  = below == NULL ? KITH_NULL : below->next;
        if (!is_gone(m, kith_merge_remote(m->merge, child))) {
            kith_hierarchy_detach(m->world, tree, child);
        }
        child = next;
    }
}

static void detach_all_children(const merging *m, uint32_t index)
{
    kith_entity local = kith_index_map_at(&m->merge->local, index);
    for (uint32_t i = 0; i < m->storages; i++) {
        if (m->world->storages[i]->is_hierarchy) {
            detach_children(m, m->world->storages[i]->desc.id, local);
        }
    }
}

static void destroy_one(const merging *m, uint32_t index)
{
    kith_entity local = kith_index_map_at(&m->merge->local, index);
    kith_merge_forget(m->merge, index);
    kith_entity_destroy(m->world, local);
}

static void for_each_gone(const merging *m, void (*call)(const merging *m, uint32_t index))
{
    for (uint32_t index = 0; index < m->merge->slots; index++) {
        if (is_gone(m, kith_index_map_at(&m->merge->remote, index))) {
            call(m, index);
        }
    }
}

// --- entities that are new there -------------------------------------------------------------

// Whether a component of an entity changed there since the last merge.
static bool has_changed(merging *m, uint32_t index)
{
    for (uint32_t i = 0; i < m->storages; i++) {
        uint64_t             now  = 0;
        kith_merge_hierarchy tree = hierarchy_of_merge(m, i);
        if (!sum_there(m, i, index, &now) ||
            now != kith_index_map_at(&m->merge->storages[i].values, index)) {
            return true;
        }
        if (now != 0 && m->there->storages[i]->is_hierarchy &&
            kith_merge_hierarchy_children(&tree, index) !=
                kith_index_map_at(&m->merge->storages[i].children, index)) {
            return true;
        }
    }
    return false;
}

// Lists the entities that are new there, or changed there and not alive here.
static bool list_created(merging *m)
{
    const kith_entity_table *table = &m->there->entities;
    for (uint32_t index = 0; index < table->count && m->result.code == KITH_OK; index++) {
        kith_entity remote = *kith_entity_slot_of(table, index);
        kith_entity local  = kith_index_map_at(&m->merge->local, index);
        bool        known  = kith_index_map_at(&m->merge->remote, index) == remote;
        if (kith_entity_index(remote) == index &&
            (!known ||
             (!kith_entity_table_alive(&m->world->entities, local) && has_changed(m, index)))) {
            m->indices[m->create_count++] = index;
        }
    }
    return m->result.code == KITH_OK;
}

static void map_created(merging *m)
{
    kith_merge *merge = m->merge;
    for (uint32_t i = 0; i < m->create_count; i++) {
        uint32_t    index  = m->indices[i];
        kith_entity remote = *kith_entity_slot_of(&m->there->entities, index);
        kith_merge_forget(merge, index);
        kith_index_map_put(&merge->remote, index, remote);
        kith_index_map_put(&merge->local, index, m->created[i]);
        kith_index_map_put(&merge->back, kith_entity_index(m->created[i]), remote);
    }
}

static bool create_entities(merging *m)
{
    uint64_t end = (uint64_t)m->world->entities.count + m->create_count;
    if (m->create_count == 0) {
        return true;
    }
    for (uint64_t index = 0; index < end; index += KITH_PAGE_SLOTS) {
        if (!kith_index_map_reserve(&m->merge->back, &m->world->memory, (uint32_t)index)) {
            return no_memory_to_merge(m);
        }
    }
    m->own.error.code = KITH_OK;
    if (!kith_world_create_entities(m->world, m->created, m->create_count, call_merge)) {
        return check_call(m);
    }
    map_created(m);
    kith_world_announce_births(m->world, m->created, m->create_count);
    return true;
}

// --- values ----------------------------------------------------------------------------------

static kith_entity follow_remote(const void *context, kith_entity entity)
{
    return kith_merge_follow(context, entity);
}

static bool is_here(const merging *m, const kith_storage *storage, kith_entity here)
{
    return kith_entity_table_alive(&m->world->entities, here) &&
           kith_entity_bit(&m->world->entities, kith_entity_index(here), storage->bit);
}

// Copies the bytes that are not saved from the value here, if the component has no hooks.
static void keep_unsaved(const kith_storage *storage, uint8_t *value, const uint8_t *here)
{
    const kith_layout *layout = &storage->layout;
    uint32_t           at     = 0;
    if (!storage->pool.plain || layout->form != KITH_FORM_FIELDS) {
        return;
    }
    for (uint32_t i = 0; i < layout->piece_count; i++) {
        const kith_layout_piece *piece = &layout->pieces[i];
        memcpy(value + at, here + at, piece->at - at);
        at = piece->at + piece->size;
    }
    memcpy(value + at, here + at, layout->size - at);
}

// Makes the value there ready to replace the one here, which may be NULL. Returns false when both
// are equal.
static bool prepare_value(merging *m, const kith_storage *storage, void *there, const void *here)
{
    uint64_t a = 0;
    uint64_t b = 0;
    kith_layout_map_entities(&storage->layout, there, follow_remote, m->merge);
    if (here == NULL) {
        return true;
    }
    keep_unsaved(storage, there, here);
    return !sum_value(m, m->world, storage, here, &a) ||
           !sum_value(m, m->world, storage, there, &b) || a != b;
}

// Returns the entity's value, or NULL.
static void *merged_value(const kith_storage *storage, kith_entity entity)
{
    uint32_t row = kith_sparse_set_row(&storage->pool.set, entity);
    return row == KITH_NO_ROW ? NULL : kith_pool_value(&storage->pool, row);
}

static bool set_here(merging *m, uint32_t i, uint32_t index, kith_entity here)
{
    const kith_storage *storage = m->world->storages[i];
    bool                present = is_here(m, storage, here);
    void               *value   = NULL;
    if (kith_storage_can_replace(storage)) {
        value =
            merged_value(m->there->storages[i], *kith_entity_slot_of(&m->there->entities, index));
        if (!prepare_value(m, storage, value, merged_value(storage, here))) {
            return true;
        }
    } else if (present) {
        return true;
    }
    if (m->result.code != KITH_OK) {
        return false;
    }
    m->own.error.code = KITH_OK;
    kith_component_set(m->world, here, storage->desc.id, value);
    return check_call(m);
}

static bool disable_here(merging *m, uint32_t i, kith_entity here, bool disabled)
{
    const kith_storage *storage = m->world->storages[i];
    if (storage->desc.kind == KITH_KIND_FLAG || !is_here(m, storage, here) ||
        kith_storage_enabled_at(storage, kith_entity_index(here)) != disabled) {
        return true;
    }
    m->own.error.code = KITH_OK;
    kith_component_enable(m->world, here, storage->desc.id, !disabled);
    return check_call(m);
}

static bool change_here(merging *m, uint32_t i, uint32_t index, uint64_t now)
{
    kith_entity here  = kith_index_map_at(&m->merge->local, index);
    uint64_t    then  = kith_index_map_at(&m->merge->storages[i].values, index);
    bool        lacks = !is_here(m, m->world->storages[i], here);
    bool        other = then >> 1 != now >> 1;
    if (!kith_entity_table_alive(&m->world->entities, here)) {
        return true;
    }
    if (now == 0) {
        kith_component_remove(m->world, here, m->world->storages[i]->desc.id);
        return true;
    }
    if (other && !set_here(m, i, index, here)) {
        return false;
    }
    bool decides = then == 0 || ((then ^ now) & 1) != 0 || (other && lacks);
    return !decides || disable_here(m, i, here, (now & 1) != 0);
}

// A node is created without links, and its sums stay 0 until the links are set at the end.
static bool merge_node(merging *m, uint32_t i, uint32_t index, uint64_t now)
{
    kith_merge_storage  *sums = &m->merge->storages[i];
    kith_merge_hierarchy tree = hierarchy_of_merge(m, i);
    kith_entity          here = kith_index_map_at(&m->merge->local, index);
    uint64_t             then = kith_index_map_at(&sums->values, index);
    bool same  = now == then && (now == 0 || kith_merge_hierarchy_children(&tree, index) ==
                                                kith_index_map_at(&sums->children, index));
    bool lacks = !is_here(m, m->world->storages[i], here);
    if (same) {
        return true;
    }
    if (now == 0 || lacks) {
        kith_index_map_put(&sums->values, index, 0);
        kith_index_map_put(&sums->children, index, 0);
    }
    return change_here(m, i, index, now);
}

static bool merge_component(merging *m, uint32_t i, uint32_t index)
{
    uint64_t now = 0;
    if (!sum_there(m, i, index, &now)) {
        return false;
    }
    if (m->there->storages[i]->is_hierarchy) {
        return merge_node(m, i, index, now);
    }
    if (now != kith_index_map_at(&m->merge->storages[i].values, index)) {
        if (!change_here(m, i, index, now)) {
            return false;
        }
        kith_index_map_put(&m->merge->storages[i].values, index, now);
    }
    return true;
}

static bool merge_values(merging *m)
{
    const kith_entity_table *table = &m->there->entities;
    for (uint32_t index = 0; index < table->count; index++) {
        for (uint32_t i = 0; i < m->storages && kith_entity_index_alive(table, index); i++) {
            if (m->there->storages[i]->bit != KITH_NO_BIT && !merge_component(m, i, index)) {
                return false;
            }
        }
    }
    return true;
}

static void merge_links(merging *m)
{
    for (uint32_t i = 0; i < m->storages; i++) {
        kith_merge_hierarchy tree = hierarchy_of_merge(m, i);
        if (m->there->storages[i]->is_hierarchy) {
            kith_merge_hierarchy_all(&tree);
        }
    }
}

// --- singletons ------------------------------------------------------------------------------

static bool set_single_here(merging *m, uint32_t i)
{
    kith_storage       *from    = m->there->storages[i];
    const kith_storage *storage = m->world->storages[i];
    if (!prepare_value(m, storage, from->single, storage->single)) {
        return true;
    }
    if (m->result.code != KITH_OK) {
        return false;
    }
    m->own.error.code = KITH_OK;
    kith_singleton_set(m->world, storage->desc.id, from->single);
    return check_call(m);
}

static bool merge_single(merging *m, uint32_t i)
{
    const kith_storage *from = m->there->storages[i];
    uint64_t            hash = 0;
    uint64_t            now  = 0;
    if (from->single != NULL) {
        if (!sum_value(m, m->there, from, from->single, &hash)) {
            return false;
        }
        now = kith_merge_sum(hash, false);
    }
    if (now == kith_index_map_at(&m->merge->singles, i)) {
        return true;
    }
    if (now == 0) {
        kith_singleton_remove(m->world, m->world->storages[i]->desc.id);
    } else if (!set_single_here(m, i)) {
        return false;
    }
    kith_index_map_put(&m->merge->singles, i, now);
    return true;
}

static bool merge_singles(merging *m)
{
    bool good = true;
    for (uint32_t i = 0; i < m->storages && good; i++) {
        good = m->there->storages[i]->desc.kind != KITH_KIND_SINGLETON || merge_single(m, i);
    }
    return good;
}

// --- the other world -------------------------------------------------------------------------

static kith_entity null_if_dead(const void *context, kith_entity entity)
{
    const kith_world *there = context;
    return kith_entity_table_alive(&there->entities, entity) ? entity : KITH_NULL;
}

// Replaces handles of dead entities by KITH_NULL: when an entity dies or appears there, the sums of
// values that refer to it change. The links of hierarchies refer to living nodes only.
static void clear_dead_handles(const merging *m)
{
    for (uint32_t i = 0; i < m->storages; i++) {
        const kith_storage *storage = m->there->storages[i];
        const kith_pool    *pool    = &storage->pool;
        bool                means   = storage->layout.entity_count != 0 && !storage->is_hierarchy;
        for (uint32_t row = 0; means && row < pool->set.head.rows_; row++) {
            if (!kith_pool_is_hole(pool, row)) {
                kith_layout_map_entities(&storage->layout, kith_pool_value(pool, row), null_if_dead,
                                         m->there);
            }
        }
        if (means && storage->single != NULL) {
            kith_layout_map_entities(&storage->layout, storage->single, null_if_dead, m->there);
        }
    }
}

// Setting copies a value: without a copy hook it would be destructed twice.
static bool values_can_be_set(merging *m)
{
    for (uint32_t i = 0; i < m->storages; i++) {
        const kith_storage *storage = m->there->storages[i];
        const kith_hooks   *hooks   = &storage->desc.traits.hooks;
        if (hooks->copy == NULL && (hooks->destruct != NULL || hooks->move != NULL) &&
            kith_storage_is_used(storage)) {
            m->result = kith_result_of(KITH_ERROR_ARGUMENT, 0,
                                       "\"%s\": values with hooks need a copy hook to be merged",
                                       storage->desc.name);
            return false;
        }
    }
    return true;
}

// Creates a world with the snapshot's settings and the components of this one.
static bool make_other_world(merging *m, const kith_load_desc *load, const void *bytes, size_t size)
{
    kith_error      error = { .code = KITH_OK };
    kith_world_desc desc  = { .allocator = m->world->memory,
                              .on_error  = kith_error_ignore,
                              .user      = m->world->user };
    m->result             = kith_snapshot_world_desc(load, bytes, size, &desc);
    if (m->result.code != KITH_OK) {
        return false;
    }
    m->there    = kith_world_make(&desc, &error);
    m->storages = m->world->storage_count;
    if (m->there == NULL && error.code != KITH_ERROR_MEMORY) {
        m->result = kith_result_of(KITH_ERROR_FORMAT, 0,
                                   "the snapshot's settings are not those of a world");
        return false;
    }
    return (m->there != NULL && kith_world_copy_components(m->there, m->world)) ||
           no_memory_to_merge(m);
}

// --- calls -----------------------------------------------------------------------------------

static bool merge_all(merging *m)
{
    clear_dead_handles(m);
    if (!values_can_be_set(m) || !reserve_merge(m) || !reserve_created(m) || !list_created(m)) {
        return false;
    }
    for_each_gone(m, detach_all_children);
    for_each_gone(m, destroy_one);
    if (!create_entities(m) || !merge_values(m)) {
        return false;
    }
    merge_links(m);
    return merge_singles(m);
}

static void apply_bytes(merging *m, const kith_load_desc *desc, const void *bytes, size_t size)
{
    kith_world_lock(m->world); // read functions may not change it
    if (make_other_world(m, desc, bytes, size)) {
        m->result = kith_world_load(m->there, desc, bytes, size);
    }
    kith_world_unlock(m->world);
    if (m->result.code == KITH_OK) {
        kith_call_error *outer = m->world->call_error;
        m->own.nested          = m->world->nested;
        m->world->call_error   = &m->own;
        m->merge->applying     = true;
        merge_all(m);
        m->merge->applying   = false;
        m->world->call_error = outer;
    }
}

KITH_API kith_result kith_merge_apply(kith_merge *merge, const kith_load_desc *desc,
                                      const void *bytes, size_t size)
{
    merging     m   = { .merge = merge, .world = merge->object.world };
    const char *why = kith_world_busy_reason(merge->object.world);
    if (why != NULL) {
        return kith_result_of(KITH_ERROR_BUSY, 0, "%s", why);
    }
    apply_bytes(&m, desc, bytes, size);
    kith_free(&m.world->memory, m.created, m.room * sizeof *m.created, sizeof *m.created);
    kith_free(&m.world->memory, m.indices, m.room * sizeof *m.indices, sizeof *m.indices);
    kith_world_destroy(m.there);
    return m.result;
}

KITH_API kith_merge *kith_merge_create(kith_world *world)
{
    static const char call[] = "kith_merge_create";
    if (!kith_require_unlocked(world, call)) {
        return NULL;
    }
    kith_merge *merge = kith_alloc_zeroed(&world->memory, sizeof *merge, sizeof(uint64_t));
    if (merge == NULL) {
        kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
        return NULL;
    }
    kith_object_add(world, &merge->object, &kith_merge_ops);
    return merge;
}

KITH_API bool kith_merge_destroy(kith_merge *merge)
{
    static const char call[] = "kith_merge_destroy";
    if (merge == NULL || !kith_require_unlocked(merge->object.world, call)) {
        return merge == NULL;
    }
    if (merge->applying) {
        return kith_world_refuse_because(merge->object.world, KITH_ERROR_BUSY, call, 0,
                                         "the merge is being applied", NULL);
    }
    kith_object_remove(&merge->object);
    merge->object.ops->destroy(&merge->object);
    return true;
}

KITH_API kith_entity kith_merge_local(const kith_merge *merge, kith_entity remote)
{
    return kith_merge_follow(merge, remote);
}

KITH_API kith_entity kith_merge_remote(const kith_merge *merge, kith_entity local)
{
    kith_entity remote = kith_index_map_at(&merge->back, kith_entity_index(local));
    bool        same   = local != KITH_NULL && kith_merge_follow(merge, remote) == local;
    return same ? remote : KITH_NULL;
}
