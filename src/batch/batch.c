// SPDX-License-Identifier: MIT
// Public batch calls for arrays and ranges of entities, and entities with a lifetime.
#include "batch/batch.h"

uint32_t kith_entities_alive(const kith_world *world, kith_entities entities)
{
    kith_entity_list range = kith_entity_list_of_range(world, entities);
    uint32_t         alive = entities.array == NULL ? kith_entity_list_living(world, &range) : 0;
    for (uint32_t i = 0; i < entities.count && entities.array != NULL; i++) {
        alive += kith_entity_table_alive(&world->entities, entities.array[i]);
    }
    return alive;
}

// --- creating and cloning --------------------------------------------------------------------

// Creates entities with the items of the batch, unless making the items failed.
static bool create_while_held(kith_batch *batch, bool ready, kith_entity *entities, uint32_t count)
{
    kith_hold(batch->world);
    bool done = ready && kith_batch_create(batch, entities, count);
    kith_batch_end(batch);
    kith_release(batch->world);
    return done;
}

bool kith_entity_create_many(kith_world *world, kith_entity *entities, uint32_t count,
                             const kith_values *sets, uint32_t set_count)
{
    kith_batch batch;
    kith_batch_init(&batch, world, "kith_entity_create_many");
    return kith_require_unlocked(world, batch.call) &&
           create_while_held(&batch, kith_batch_begin(&batch, sets, set_count), entities, count);
}

bool kith_entity_clone_many(kith_world *world, kith_entity prefab, kith_entity *entities,
                            uint32_t count)
{
    kith_batch batch;
    kith_batch_init(&batch, world, __func__);
    return kith_require_unlocked_for(world, __func__, 0, prefab) &&
           (kith_entity_table_alive(&world->entities, prefab) ||
            kith_world_fail_dead_entity(world, 0, prefab, __func__)) &&
           create_while_held(&batch, kith_batch_copies(&batch, prefab), entities, count);
}

// --- removing --------------------------------------------------------------------------------

// Removes registered components, or destroys the entities.
static bool remove_all_from(kith_world *world, kith_entities entities, bool destroy,
                            const kith_component *components, uint32_t component_count,
                            const char *call)
{
    kith_batch_removal removal;
    kith_entity_list   list;
    kith_component     only = component_count == 1 ? components[0] : 0;
    if (!kith_require_unlocked_for(world, call, only, KITH_NULL) ||
        !kith_entity_list_of(world, entities, only, call, &list)) {
        return false;
    }
    kith_entity_list_living(world, &list);
    kith_batch_removal_begin(&removal, world, destroy, destroy, call);
    for (uint32_t i = 0; i < component_count; i++) {
        uint32_t bit = kith_world_storage(world, components[i])->bit;
        removal.what.words[bit >> 6] |= UINT64_C(1) << (bit & 63);
    }
    bool allowed = kith_batch_removal_allowed(&removal, &list);
    if (allowed) {
        kith_batch_remove_from(&removal, &list);
    }
    kith_batch_removal_end(&removal);
    return allowed;
}

bool kith_entity_destroy_many(kith_world *world, kith_entities entities)
{
    return remove_all_from(world, entities, true, NULL, 0, "kith_entity_destroy_many");
}

bool kith_entity_remove_many(kith_world *world, kith_entities entities,
                             const kith_component *components, uint32_t component_count)
{
    bool good = kith_require_array(world, components, component_count, __func__);
    for (uint32_t i = 0; i < component_count && good; i++) {
        good = kith_storage_for_write(world, components[i], KITH_NULL, KITH_ON_ENTITY, __func__) !=
               NULL;
    }
    return good && remove_all_from(world, entities, false, components, component_count, __func__);
}

// --- setting ---------------------------------------------------------------------------------

// Adds first, because adding may fail. Its listeners may leave holes in any pool; then removing
// must go one by one. Only an exact batch removes: all components but its own.
static bool set_while_held(kith_batch *batch)
{
    kith_batch_removal removal;
    kith_batch_removal_begin(&removal, batch->world, false, true, batch->call);
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t bit = batch->items[i].storage->bit;
        removal.what.words[bit >> 6] &= ~(UINT64_C(1) << (bit & 63));
    }
    removal.singly = removal.singly || kith_batch_has_listeners(batch);
    bool allowed   = kith_batch_allowed(batch) &&
                   (!batch->exact || kith_batch_removal_allowed(&removal, &batch->list));
    bool done = allowed && kith_batch_add(batch);
    if (done) {
        kith_batch_announce(batch);
    }
    if (done && batch->exact) {
        kith_batch_remove_from(&removal, &batch->list);
    }
    kith_batch_removal_end(&removal);
    return done || (allowed && kith_world_fail(batch->world, &batch->error));
}

static bool set_on_list(kith_world *world, kith_entities entities, const kith_values *sets,
                        uint32_t set_count, bool exact, const char *call)
{
    kith_component component = !exact && set_count == 1 && sets != NULL ? sets->component : 0;
    kith_batch     batch;
    kith_batch_init(&batch, world, call);
    batch.exact = exact;
    bool done   = kith_require_unlocked_for(world, call, component, KITH_NULL) &&
                kith_batch_begin(&batch, sets, set_count) &&
                kith_entity_list_of(world, entities, component, call, &batch.list) &&
                set_while_held(&batch);
    kith_batch_end(&batch);
    return done;
}

bool kith_entity_set_many(kith_world *world, kith_entities entities, const kith_values *sets,
                          uint32_t set_count)
{
    return set_on_list(world, entities, sets, set_count, false, "kith_entity_set_many");
}

bool kith_entity_set_components(kith_world *world, kith_entities entities, const kith_values *sets,
                                uint32_t set_count)
{
    return set_on_list(world, entities, sets, set_count, true, "kith_entity_set_components");
}

// --- lifetimes -------------------------------------------------------------------------------
//
// Destroys entities at a tick. The program may write lifetimes through pointers, so a sorted order
// would be lost: scanning the array of ticks costs less than keeping it sorted.

#define ENDED_AT_ONCE 256u

// Finds expired rows among `count` rows of one page from `row` on. Has no branch on the values,
// because it would be unpredictable. The value of a hole may be uninitialized: it is not read.
static uint32_t find_over(const kith_pool *pool, uint64_t tick, uint32_t row, uint32_t count,
                          uint32_t *over)
{
    const uint8_t  *value  = kith_pool_value(pool, row);
    const uint32_t *packed = kith_sparse_set_packed(&pool->set, row);
    size_t          size   = pool->size;
    uint32_t        found  = 0;
    for (uint32_t i = 0; i < count; i++, value += size) {
        kith_lifetime life;
        memcpy(&life, value, sizeof life);
        over[found] = row + i;
        found += (packed[i] & KITH_HOLE) == 0 && life.expires <= tick;
    }
    return found;
}

// Collects expired entities from row `*next` on, without those that are already being destroyed.
static uint32_t collect_expired(const kith_world *world, const kith_pool *pool, uint64_t tick,
                                uint32_t *next, uint32_t end, kith_entity *expired)
{
    uint32_t count = 0;
    uint32_t row   = *next;
    for (uint32_t part; row < end && count < ENDED_AT_ONCE; row += part) {
        uint32_t over[ENDED_AT_ONCE];
        part           = kith_min(end - row, kith_sparse_set_rest_of_page(&pool->set, row));
        part           = kith_min(part, ENDED_AT_ONCE - count);
        uint32_t found = find_over(pool, tick, row, part, over);
        for (uint32_t i = 0; i < found; i++) {
            uint32_t index = *kith_sparse_set_packed(&pool->set, over[i]);
            expired[count] = *kith_entity_slot_of(&world->entities, index);
            count += !kith_pool_is_disabled(pool, over[i]) &&
                     (world->nested == 0 || !kith_world_is_dying(world, expired[count]));
        }
    }
    *next = row;
    return count;
}

uint32_t kith_world_expire(kith_world *world, kith_component component, uint64_t tick)
{
    kith_entity        expired[ENDED_AT_ONCE];
    kith_batch_removal removal;
    kith_storage      *storage =
        kith_storage_for_write(world, component, KITH_NULL, 1u << KITH_KIND_VALUE, __func__);
    if (storage == NULL) {
        return 0;
    }
    if (storage->desc.size < sizeof(kith_lifetime)) {
        return kith_world_refuse_numbers(
            world, KITH_ERROR_ARGUMENT, __func__, component,
            "a lifetime begins with a kith_lifetime, of at least 8 bytes", 0, storage->desc.size);
    }
    uint32_t end   = storage->pool.set.head.rows_;
    uint32_t ended = 0;
    kith_batch_removal_begin(&removal, world, true, true, __func__);
    for (uint32_t row = 0; row < end && kith_batch_removal_can_announce(&removal);) {
        uint32_t count = collect_expired(world, &storage->pool, tick, &row, end, expired);
        kith_batch_remove_from(
            &removal, &(kith_entity_list){ .entities = expired, .count = count, .whole = true });
        ended += count;
        for (uint32_t i = 0; i < count && world->may_destroy != NULL; i++) {
            ended -= kith_entity_table_alive(&world->entities, expired[i]); // links hold it
        }
    }
    kith_batch_removal_end(&removal);
    return ended;
}
