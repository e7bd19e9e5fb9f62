// SPDX-License-Identifier: MIT
// The hash of content: which entities live, and what they have, without rows. docs/hash.md is the
// definition. A merge compares the sums of what it applied, too.
//
//     hash = sum of the terms of entities + sum of the terms of their components
#include "hierarchy/node.h"
#include "link/link.h"
#include "snapshot/hash.h"
#include "snapshot/save.h"

// Whether the entity is alive and selected.
static bool content_has(const kith_content *c, kith_entity entity)
{
    return kith_entity_table_alive(&c->world->entities, entity) &&
           (c->listed == NULL || c->listed[kith_entity_index(entity)]);
}

static kith_entity null_if_left_out(const void *context, kith_entity entity)
{
    return content_has(context, entity) ? entity : KITH_NULL;
}

// --- sums ------------------------------------------------------------------------------------

static uint64_t content_sum(uint64_t hash, bool disabled)
{
    uint64_t sum = hash << 1;
    return (sum == 0 ? 2 : sum) | disabled;
}

// Hashes a value. A handle of an entity that is not alive and selected counts as KITH_NULL.
static bool hash_content_value(const kith_content *c, const kith_storage *storage,
                               const void *value, uint64_t *hash)
{
    const kith_allocator *memory = &c->world->scratch_memory;
    uint32_t              size   = storage->desc.size;
    uint64_t              few[64];
    if (storage->layout.entity_count == 0) {
        return kith_value_hash(c->world, storage, value, hash, c->call);
    }
    void *copy = size <= sizeof few ? few : kith_alloc(memory, size, KITH_CACHE_LINE);
    if (copy == NULL) {
        kith_error error = { .code = KITH_ERROR_MEMORY, .call = c->call };
        return kith_world_report_error(c->world, &error);
    }
    memcpy(copy, value, size);
    kith_layout_map_entities(&storage->layout, copy, null_if_left_out, c);
    bool hashed = kith_value_hash(c->world, storage, copy, hash, c->call);
    kith_free(memory, copy == few ? NULL : copy, size, KITH_CACHE_LINE);
    return hashed;
}

uint64_t kith_content_sum_parent(const kith_content *c, const kith_storage *tree,
                                 kith_entity entity)
{
    uint64_t parent = null_if_left_out(c, kith_node_of(tree, entity)->parent);
    return content_sum(kith_sum_numbers(&parent, 1),
                       !kith_storage_enabled_at(tree, kith_entity_index(entity)));
}

uint64_t kith_content_sum_children(const kith_content *c, const kith_storage *tree,
                                   kith_entity entity)
{
    kith_place child = kith_begin_children(tree, kith_place_of(tree, entity), KITH_FORWARD);
    uint64_t   sum   = 0;
    for (; child.node != NULL; child = kith_next_sibling(tree, child, KITH_FORWARD)) {
        sum = content_has(c, child.entity) ? kith_sum_numbers((uint64_t[]){ sum, child.entity }, 2)
                                           : sum;
    }
    return content_sum(sum, false);
}

// Sums a link, or the list of a target: 0 if none of the other entities is selected.
static uint64_t sum_link(const kith_content *c, const kith_storage *links, kith_entity entity)
{
    uint64_t target = null_if_left_out(c, kith_link_of(links, entity)->target);
    bool     off    = !kith_storage_enabled_at(links, kith_entity_index(entity));
    return target == KITH_NULL ? 0 : content_sum(kith_sum_numbers(&target, 1), off);
}

static uint64_t sum_holders(const kith_content *c, const kith_storage *lists, kith_entity entity)
{
    const kith_storage *links = lists->link.partner;
    uint64_t            sum   = 0;
    for (uint32_t number = kith_list_of(lists, entity)->first; number != 0;) {
        kith_entity holder = kith_holder_at(links, number);
        sum    = content_has(c, holder) ? kith_sum_numbers((uint64_t[]){ sum, holder }, 2) : sum;
        number = kith_link_of(links, holder)->next;
    }
    return sum == 0 ? 0 : content_sum(sum, false);
}

bool kith_content_sum(const kith_content *c, const kith_storage *storage, kith_entity entity,
                      kith_content_sums *sums)
{
    uint32_t index  = kith_entity_index(entity);
    uint64_t hash   = 1; // of a tag or flag
    bool     single = storage->desc.kind == KITH_KIND_SINGLETON;
    bool     has    = single ? entity == KITH_NULL && storage->single != NULL
                             : storage->bit != KITH_NO_BIT && content_has(c, entity) &&
                            kith_entity_bit(&c->world->entities, index, storage->bit);
    *sums           = (kith_content_sums){ 0 };
    if (!has) {
        return true;
    }
    if (storage->is_hierarchy) {
        sums->value    = kith_content_sum_parent(c, storage, entity);
        sums->children = kith_content_sum_children(c, storage, entity);
        return true;
    }
    if (storage->link.partner != NULL) {
        bool links  = storage->access == KITH_ACCESS_LINK;
        sums->value = links ? sum_link(c, storage, entity) : sum_holders(c, storage, entity);
        return true;
    }
    bool        rows  = !single && storage->desc.kind != KITH_KIND_FLAG;
    uint32_t    row   = rows ? kith_sparse_set_row_at(&storage->pool.set, index) : 0;
    const void *value = rows ? kith_pool_value(&storage->pool, row) : storage->single;
    if (storage->desc.size != 0 && !hash_content_value(c, storage, value, &hash)) {
        return false;
    }
    sums->value = content_sum(hash, rows && kith_pool_is_disabled(&storage->pool, row));
    return true;
}

// --- the selection ---------------------------------------------------------------------------

static bool begin_content(kith_content *c, kith_error *error)
{
    const kith_entity_table *table = &c->world->entities;
    const kith_save_desc    *only  = c->selection;
    for (uint32_t i = 0; only->components != NULL && i < only->component_count; i++) {
        if (kith_world_storage(c->world, only->components[i]) == NULL) {
            *error = (kith_error){ .code      = KITH_ERROR_UNREGISTERED,
                                   .call      = c->call,
                                   .component = only->components[i] };
            return false;
        }
    }
    if (!kith_world_may_read_state(c->world, only, c->call, error)) {
        return false;
    }
    if (only->entities == NULL) {
        return true;
    }
    c->listed = kith_alloc_zeroed(&c->world->scratch_memory, (size_t)table->count + 1, 1);
    if (c->listed == NULL) {
        *error = (kith_error){ .code = KITH_ERROR_MEMORY, .call = c->call };
        return false;
    }
    for (uint32_t i = 0; i < only->entity_count; i++) {
        kith_entity entity = only->entities[i];
        if (kith_entity_table_alive(table, entity)) {
            c->listed[kith_entity_index(entity)] = true;
        }
    }
    return true;
}

// --- the hash --------------------------------------------------------------------------------

// Adds the terms of a component: of a singleton, or of all entities.
static bool add_content_terms(const kith_content *c, const kith_storage *storage, uint64_t *hash)
{
    uint64_t          name   = kith_xxh3(storage->desc.name, strlen(storage->desc.name));
    kith_entity       entity = KITH_NULL;
    bool              summed = true;
    kith_content_sums sums;
    do {
        summed                = kith_content_sum(c, storage, entity, &sums);
        const uint64_t term[] = { entity, name, sums.value, sums.children };
        *hash += sums.value == 0 ? 0 : kith_sum_numbers(term, 4);
    } while (summed && (entity = kith_entity_next(c->world, entity)) != KITH_NULL);
    return summed;
}

static bool hash_content(const kith_content *c, uint64_t *hash)
{
    kith_entity entity = KITH_NULL;
    uint64_t    sum    = 0;
    bool        summed = true;
    while ((entity = kith_entity_next(c->world, entity)) != KITH_NULL) {
        sum += content_has(c, entity) ? kith_sum_numbers(&entity, 1) : 0;
    }
    for (uint32_t i = 0; i < c->world->storage_count && summed; i++) {
        const kith_storage *storage = c->world->storages[i];
        summed = !kith_storage_is_chosen(c->selection, storage) || !kith_storage_is_used(storage) ||
                 add_content_terms(c, storage, &sum);
    }
    *hash = summed ? sum : *hash;
    return summed;
}

bool kith_world_hash_content(const kith_world *world, const kith_save_desc *only, uint64_t *hash)
{
    static const kith_save_desc all = { .exact = false };
    kith_error                  error;
    kith_content c = { .world = world, .selection = only == NULL ? &all : only, .call = __func__ };
    if (!kith_require_at_rest_const(world, c.call)) {
        return false;
    }
    error = (kith_error){ KITH_ERROR_ARGUMENT, .call = c.call, .subject = "hash is NULL" };
    if (hash == NULL || !begin_content(&c, &error)) {
        return kith_world_report_error(world, &error);
    }
    bool hashed = hash_content(&c, hash);
    kith_free(&world->scratch_memory, c.listed, (size_t)world->entities.count + 1, 1);
    return hashed;
}
