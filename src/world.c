// SPDX-License-Identifier: MIT
// Calls that touch every part of a world: clear, shrink, memory and statistics.
#include "world/world.h"

// Returns true = go on: the destruction of all entities can be announced. Otherwise reports an
// error.
static bool require_clear_nestable(kith_world *world)
{
    bool observed = false; // asked only at the greatest depth, where an event cannot be announced
    for (uint32_t index = 0; index < world->entities.count && world->nested == KITH_NESTED_MAX;
         index++) {
        kith_entity entity = *kith_entity_slot_of(&world->entities, index);
        observed           = observed ||
                   (kith_entity_index(entity) == index && !kith_world_is_dying(world, entity) &&
                    kith_world_end_has_listeners(world, entity));
    }
    return !observed || kith_require_nestable(world, "kith_world_clear", 0);
}

// Destroys every entity, in the order after which free indices are reused ascending. `singly`: with
// listeners or groups, or in a held world, each entity is destroyed with its rows. Otherwise the
// rows have been cleared already.
static void destroy_entities(kith_world *world, bool singly)
{
    kith_entity_table *table = &world->entities;
    uint32_t           count = table->count;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t    index  = table->order == KITH_FREE_LIFO ? count - 1 - n : n;
        kith_entity entity = *kith_entity_slot_of(table, index);
        if (kith_entity_index(entity) == index && singly) {
            kith_entity_destroy(world, entity);
        } else if (kith_entity_index(entity) == index) {
            kith_entity_signature_clear(table, index);
            kith_world_record_ended(world, entity, 1);
            kith_entity_table_free_slot(table, entity);
        }
    }
}

// Calls `clear`, or `shrink` if that is set, of every object. Objects must not change the world.
static void call_objects(kith_world *world, bool shrink)
{
    kith_world_lock(world);
    for (kith_object *object = world->oldest; object != NULL; object = object->next_) {
        void (*call)(kith_object *) = shrink ? object->ops->shrink : object->ops->clear;
        if (call != NULL) {
            call(object);
        }
    }
    kith_world_unlock(world);
}

void kith_world_clear(kith_world *world)
{
    if (!kith_require_unlocked(world, __func__)) {
        return;
    }
    if (world->shared.held != 0 || world->destroy_observers != 0) {
        if (require_clear_nestable(world)) {
            bool outer      = world->clearing;
            world->clearing = true;
            kith_hold(world);
            destroy_entities(world, true);
            world->clearing = outer;
            call_objects(world, false);
            kith_release(world);
        }
        return;
    }
    kith_world_lock(world);
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        kith_pool_head_ *head = &world->by_bit[bit]->pool.set.head;
        kith_pool_clear(&world->by_bit[bit]->pool);
        head->flags_cleared_ = head->flags_set_;
    }
    destroy_entities(world, false);
    call_objects(world, false);
    kith_world_unlock(world);
}

bool kith_world_shrink(kith_world *world)
{
    if (!kith_require_at_rest(world, __func__)) {
        return false;
    }
    kith_world_free_scratch(world);
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_storage_shrink_single(world->storages[i]);
    }
    kith_world_free_blocks(world);
    call_objects(world, true);
    for (uint32_t bit = 0; bit < world->bit_count; bit++) {
        kith_pool_shrink(&world->by_bit[bit]->pool);
    }
    kith_entity_table_shrink(&world->entities, &world->memory);
    kith_world_update_head(world);
    return true;
}

void *kith_world_user(const kith_world *world)
{
    return world->user;
}

void kith_world_user_set(kith_world *world, void *user)
{
    world->user = user;
}

const char *kith_world_name(const kith_world *world)
{
    return world->name;
}

kith_memory kith_world_memory(const kith_world *world, kith_component component)
{
    kith_memory         memory  = { 0 };
    const kith_storage *storage = NULL;
    if (component != KITH_ALL) {
        storage = kith_storage_for_read(world, component, KITH_ANY_KIND | KITH_ASIDE, __func__);
    } else {
        kith_entity_table_memory(&world->entities, &memory);
        size_t lists = (size_t)world->storage_capacity + world->bit_capacity;
        memory.other = sizeof *world + (lists + world->groups.capacity) * sizeof(void *) +
                       world->borrowed + (world->scratch == NULL ? 0 : world->scratch->size) +
                       kith_world_block_bytes(world) +
                       kith_listeners_bytes(world->events, KITH_EVENT_LISTS);
        for (const kith_object *object = world->oldest; object != NULL; object = object->next_) {
            memory.other += object->ops->bytes == NULL ? 0 : object->ops->bytes(object);
        }
        memory.size = world->arena == NULL ? 0 : world->arena->size;
        memory.peak = world->arena == NULL ? 0 : kith_arena_peak(world->arena);
    }
    for (uint32_t i = 0; i < world->storage_count; i++) {
        if (component == KITH_ALL || world->storages[i] == storage) {
            kith_storage_memory(world->storages[i], &memory);
        }
    }
    memory.total = memory.entities + memory.signatures + memory.sparse + memory.packed +
                   memory.values + memory.other;
    return memory;
}

kith_stats kith_world_stats(const kith_world *world)
{
    const kith_entity_table *table = &world->entities;
    return (kith_stats){
        .alive    = kith_entity_table_count(table),
        .slots    = table->count,
        .capacity = table->room,
        .limit    = table->index_end,
        .free     = table->free,
        .retired  = table->retired,
        .next_free =
            table->order == KITH_FREE_LOWEST ? kith_bit_tree_lowest(&table->lowest) : table->head,
        .components = world->storage_count,
    };
}
