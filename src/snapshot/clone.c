// SPDX-License-Identifier: MIT
// Clones worlds and entities. A cloned world gets the setup first, through the calls a program
// would make, then the contents: page by page, or value by value when there is a copy hook.
#include "batch/batch.h"
#include "event/event.h"
#include "group/group.h"
#include "hierarchy/node.h"
#include "link/link.h"
#include "snapshot/load.h"
#include "world/component.h"

static const char call_clone[] = "kith_world_clone";

// --- what can be copied ----------------------------------------------------------------------

// Without a copy hook, a value constructed once would be destructed twice.
bool kith_world_copyable(const kith_world *world, bool only_saved, const char *call,
                         kith_error *error)
{
    for (uint32_t i = 0; i < world->storage_count; i++) {
        const kith_storage *storage = world->storages[i];
        const kith_hooks   *hooks   = &storage->desc.traits.hooks;
        if (hooks->destruct != NULL && hooks->copy == NULL && kith_storage_is_used(storage) &&
            (kith_storage_is_saved(storage) || !only_saved)) {
            *error = (kith_error){ .code      = KITH_ERROR_ARGUMENT,
                                   .call      = call,
                                   .component = storage->desc.id,
                                   .subject   = "values with a destruct hook need a copy hook" };
            return false;
        }
    }
    return true;
}

// --- copying ---------------------------------------------------------------------------------

bool kith_world_copy_components(kith_world *clone, const kith_world *world)
{
    bool enough = kith_world_copy_storages(clone, world);
    for (uint32_t i = 0; i < world->storage_count && enough; i++) {
        const kith_storage *storage = world->storages[i];
        enough = (!storage->is_hierarchy || kith_hierarchy_register_like(clone, storage)) &&
                 (storage->link.ops == NULL || storage->link.ops->copy(clone, storage));
    }
    return enough;
}

// The error hook of the new world is not called meanwhile: the original's is.
static bool copy_setup(kith_world *clone, const kith_world *world)
{
    clone->errors_muted   = true;
    clone->tick           = world->tick;
    clone->block_rows     = world->block_rows;
    clone->command_number = world->command_number;
    return kith_world_copy_components(clone, world) && kith_world_copy_groups(clone, world) &&
           kith_world_copy_paths(clone, world) && kith_world_copy_queues(clone, world) &&
           kith_world_copy_reactives(clone, world);
}

// Fills in the error of a copy hook; KITH_NULL: of a singleton's value. Returns false.
static bool refuse_copy(const kith_storage *storage, kith_entity entity, kith_error *error)
{
    *error = (kith_error){ .code      = KITH_ERROR_HOOK,
                           .component = storage->desc.id,
                           .entity    = entity,
                           .subject   = "copy",
                           .other     = storage->desc.name };
    return false;
}

static bool copy_single(kith_storage *storage, const kith_storage *from, kith_error *error)
{
    void *single = from->single == NULL ? NULL : kith_storage_alloc_single(storage);
    if (single == NULL) {
        return from->single == NULL;
    }
    if (!kith_pool_construct(&storage->pool, single, from->single)) {
        kith_storage_free_single(storage, single);
        return refuse_copy(from, KITH_NULL, error);
    }
    storage->single = single;
    return true;
}

// Copies a component as a whole: if cloning fails later, the component is complete or empty.
static bool copy_storage(kith_world *clone, const kith_world *world, uint32_t i, kith_error *error)
{
    kith_storage       *storage = clone->storages[i];
    const kith_storage *from    = world->storages[i];
    bool                bytes   = from->desc.traits.hooks.copy == NULL || from->is_own;
    if (!kith_pool_copy(&storage->pool, &from->pool, bytes)) {
        return false;
    }
    uint32_t refused = bytes ? KITH_NO_ROW : kith_pool_copy_values(&storage->pool, &from->pool);
    if (refused != KITH_NO_ROW) {
        uint32_t index = *kith_sparse_set_packed(&from->pool.set, refused);
        return refuse_copy(from, *kith_entity_slot_of(&world->entities, index), error);
    }
    return copy_single(storage, from, error);
}

static bool copy_state(kith_world *clone, const kith_world *world, kith_error *error)
{
    bool enough = kith_entity_table_copy(&clone->entities, &clone->memory, &world->entities);
    for (uint32_t i = 0; i < world->storage_count && enough; i++) {
        enough = copy_storage(clone, world, i, error);
    }
    kith_world_update_head(clone);
    return enough && kith_world_copy_members(clone, world) &&
           kith_world_copy_objects(clone, world, error);
}

// --- the call --------------------------------------------------------------------------------

static KITH_NOINLINE kith_world_desc desc_of_clone(const kith_world      *world,
                                                   const kith_world_desc *desc)
{
    const kith_arena *arena = world->arena;
    if (desc == NULL) {
        return (kith_world_desc){ .allocator     = arena == NULL ? world->memory : arena->source,
                                  .on_error      = world->on_error,
                                  .error_context = world->error_context,
                                  .user          = world->user,
                                  .name          = world->name,
                                  .memory        = arena == NULL ? 0 : arena->size };
    }
    return (kith_world_desc){ .allocator     = desc->allocator,
                              .on_error      = desc->on_error,
                              .error_context = desc->error_context,
                              .user          = desc->user,
                              .name          = desc->name,
                              .memory        = desc->memory };
}

kith_world *kith_world_empty_copy(const kith_world *world)
{
    kith_error      error;
    kith_world_desc desc = desc_of_clone(world, NULL);
    kith_world     *copy = kith_world_make(&desc, &error);
    if (copy == NULL || !copy_setup(copy, world)) {
        kith_world_destroy(copy);
        return NULL;
    }
    kith_entity_table entities = kith_entity_table_empty_like(&world->entities);
    entities.has_listeners     = copy->entities.has_listeners;
    copy->entities             = entities;
    kith_world_update_head(copy);
    return copy;
}

kith_world *kith_world_clone(const kith_world *world, const kith_world_desc *desc)
{
    kith_error      error;
    kith_world_desc full_desc = desc_of_clone(world, desc);
    if (!kith_require_at_rest_const(world, call_clone)) {
        return NULL;
    }
    bool        able  = kith_world_copyable(world, false, call_clone, &error);
    kith_world *clone = able ? kith_world_make(&full_desc, &error) : NULL;
    if (clone != NULL) {
        error = (kith_error){ .code = KITH_ERROR_MEMORY };
        if (copy_setup(clone, world) && copy_state(clone, world, &error)) {
            clone->errors_muted = false;
            return clone;
        }
        if (error.code == KITH_ERROR_MEMORY && clone->arena != NULL) {
            error.have = clone->arena->size;
            error.want = clone->arena->asked;
        }
        kith_world_free(clone);
    }
    error.call = call_clone;
    kith_world_report_error(world, &error);
    return NULL;
}

// --- entities --------------------------------------------------------------------------------
//
// Clones entities, here or in another world, with the references among them.
//
// Handles in values are translated while the values are copied, so no listener sees a clone that
// refers to an original. Nodes of a hierarchy are copied without links, which are set at the end:
// listeners may change a node before that.

static const char call_entities_clone[] = "kith_entities_clone";

typedef struct cloning {
    kith_world       *to;
    const kith_world *from;
    kith_handle_map   originals;
    kith_entity      *clones;
    void             *memory; // handles, order and marks of the originals
    size_t            bytes;
} cloning;

static kith_entity follow_original(const void *context, kith_entity entity)
{
    const cloning *t = context;
    if (entity == KITH_NULL) {
        return entity;
    }
    uint32_t    place = kith_handle_map_find(&t->originals, entity);
    kith_entity other = t->to == t->from ? entity : KITH_NULL;
    return place == KITH_NO_INDEX ? other : t->clones[place];
}

// --- originals -------------------------------------------------------------------------------

// Copies the handles: `entities` and `clones` may be the same array.
static bool copy_originals(cloning *t, const kith_entity *entities, uint32_t count)
{
    t->bytes  = (size_t)count * (sizeof *entities + sizeof *t->originals.order + sizeof(bool));
    t->memory = kith_batch_alloc(t->to, t->bytes, sizeof(uint64_t));
    if (t->memory == NULL) {
        kith_world_refuse(t->to, KITH_ERROR_MEMORY, call_entities_clone, 0, KITH_NULL);
        return false;
    }
    kith_entity *copy = t->memory;
    memcpy(copy, entities, count * sizeof *entities);
    t->originals =
        (kith_handle_map){ copy, sizeof *copy, (uint32_t *)(void *)(copy + count), count };
    kith_handle_map_sort(&t->originals);
    return true;
}

static bool check_originals(const cloning *t)
{
    for (uint32_t i = 0; i < t->originals.count; i++) {
        kith_entity entity = kith_handle_map_at(&t->originals, i);
        if (!kith_entity_table_alive(&t->from->entities, entity)) {
            kith_error error = kith_dead_entity_error(t->from, 0, entity, call_entities_clone);
            return kith_world_fail(t->to, &error);
        }
    }
    uint32_t clash = kith_handle_map_clash(&t->originals);
    if (clash == KITH_NO_INDEX) {
        return true;
    }
    kith_error error = { .code    = KITH_ERROR_ARGUMENT,
                         .call    = call_entities_clone,
                         .entity  = kith_handle_map_at(&t->originals, clash),
                         .subject = "the array has an entity twice" };
    return kith_world_fail(t->to, &error);
}

// --- clones ----------------------------------------------------------------------------------

// Gives the clones of the holders of each original the order of the originals.
static void order_holders(const cloning *t, const kith_storage *from, const kith_storage *lists)
{
    for (uint32_t i = 0; i < t->originals.count; i++) {
        lists->link.partner->link.ops->order(lists->link.partner, t->clones[i], from,
                                             kith_handle_map_at(&t->originals, i), follow_original,
                                             t);
    }
}

static bool make_clones(const cloning *t)
{
    kith_batch        batch;
    kith_cloned_nodes nodes = { .originals = &t->originals, .clones = t->clones };
    nodes.alone             = (bool *)(t->originals.order + t->originals.count);
    kith_batch_init(&batch, t->to, call_entities_clone);
    batch.from      = t->from;
    batch.originals = t->originals.handles;
    batch.follow    = follow_original;
    batch.context   = t;
    kith_hold(t->to);
    bool done = kith_batch_clones(&batch, t->originals.count) &&
                kith_batch_create(&batch, t->clones, t->originals.count);
    for (uint32_t i = 0; i < batch.count && done; i++) {
        nodes.from = batch.items[i].source;
        if (nodes.from->is_hierarchy) {
            kith_hierarchy_link_clones(batch.items[i].storage, &nodes);
        }
        if (nodes.from->access == KITH_ACCESS_LIST) {
            order_holders(t, nodes.from, batch.items[i].storage);
        }
    }
    kith_batch_end(&batch);
    kith_release(t->to);
    return done;
}

bool kith_entities_clone(kith_world *to, const kith_world *from, const kith_entity *entities,
                         uint32_t count, kith_entity *clones)
{
    cloning t = { .to = to, .from = from, .clones = clones };
    if (!kith_require_unlocked(to, call_entities_clone) ||
        !kith_require_array(to, entities, count, call_entities_clone) ||
        !kith_require_array(to, clones, count, call_entities_clone)) {
        return false;
    }
    if (count == 0) {
        return true;
    }
    bool done = copy_originals(&t, entities, count) && check_originals(&t) && make_clones(&t);
    kith_batch_free(to, t.memory, t.bytes, sizeof(uint64_t));
    return done;
}
