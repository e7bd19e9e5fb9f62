// SPDX-License-Identifier: MIT
// Calls for many entities: an array of them, or a range; and entities that end at a tick.
#include "batch/batch.h"

// Array calls answer whether they were done, range calls with the number of the living. Both are
// done by functions that answer with the latter, or with NOT_DONE.
#define NOT_DONE UINT32_MAX

static uint32_t reached(uint32_t living)
{
    return living == NOT_DONE ? 0 : living;
}

// --- giving ----------------------------------------------------------------------------------

// The crowd of an array, or of the range if `entities` is NULL and there is no array call.
typedef struct members {
    const kith_entity *entities;
    kith_range         range; // its count also says how long the array is
    bool               array;
} members;

static members in_array(const kith_entity *entities, uint32_t count)
{
    return (members){ .entities = entities, .range = { .count = count }, .array = true };
}

static members in_range(kith_range range)
{
    return (members){ .range = range };
}

static bool crowd_of(kith_world *world, const members *who, kith_component component,
                     const char *call, kith_crowd *crowd)
{
    if (who->array) {
        return kith_crowd_of_array(world, who->entities, who->range.count, component, call, crowd);
    }
    *crowd = kith_crowd_of_range(world, who->range);
    return true;
}

static bool give_held(kith_give *give, uint32_t *living)
{
    if (!kith_give_allowed(give)) {
        return false;
    }
    kith_world_pause(give->world);
    bool done = kith_give_all(give);
    if (done) {
        *living = give->living;
        kith_give_announce(give);
    }
    kith_world_resume(give->world);
    return done || kith_world_fail(give->world, &give->error);
}

static uint32_t give_sets(kith_world *world, members who, const kith_values *sets,
                          uint32_t set_count, const char *call)
{
    kith_give      give;
    uint32_t       living    = NOT_DONE;
    kith_component component = set_count == 1 && sets != NULL ? sets->component : 0;
    kith_give_init(&give, world, call);
    bool done = !kith_world_busy(world, call, component, KITH_NULL) &&
                kith_give_begin(&give, sets, set_count) &&
                crowd_of(world, &who, component, call, &give.crowd) && give_held(&give, &living);
    kith_give_end(&give);
    return done ? living : NOT_DONE;
}

KITH_API bool kith_entity_give_many(kith_world *world, const kith_entity *entities, uint32_t count,
                                    const kith_values *sets, uint32_t set_count)
{
    return give_sets(world, in_array(entities, count), sets, set_count, "kith_entity_give_many") !=
           NOT_DONE;
}

KITH_API uint32_t kith_entity_give_range(kith_world *world, kith_range range,
                                         const kith_values *sets, uint32_t set_count)
{
    return reached(give_sets(world, in_range(range), sets, set_count, "kith_entity_give_range"));
}

KITH_API bool kith_component_set_many(kith_world *world, kith_component component,
                                      const kith_entity *entities, uint32_t count,
                                      const void *values, size_t stride)
{
    const kith_values set = { component, values, stride };
    return give_sets(world, in_array(entities, count), &set, 1, "kith_component_set_many") !=
           NOT_DONE;
}

KITH_API uint32_t kith_component_set_range(kith_world *world, kith_component component,
                                           kith_range range, const void *values, size_t stride)
{
    const kith_values set = { component, values, stride };
    return reached(give_sets(world, in_range(range), &set, 1, "kith_component_set_range"));
}

// --- making ----------------------------------------------------------------------------------

KITH_API bool kith_entity_create_with(kith_world *world, kith_entity *entities, uint32_t count,
                                      const kith_values *sets, uint32_t set_count)
{
    kith_give give;
    kith_give_init(&give, world, "kith_entity_create_with");
    if (kith_world_busy(world, give.call, 0, KITH_NULL)) {
        return false;
    }
    kith_world_pause(world);
    bool done =
        kith_give_begin(&give, sets, set_count) && kith_give_newborn(&give, entities, count);
    kith_give_end(&give);
    kith_world_resume(world);
    return done;
}

KITH_API bool kith_entity_clone_many(kith_world *world, kith_entity prefab, kith_entity *entities,
                                     uint32_t count)
{
    static const char call[] = "kith_entity_clone_many";
    kith_give         give;
    kith_give_init(&give, world, call);
    if (kith_world_busy(world, call, 0, prefab) ||
        (!kith_entity_table_alive(&world->entities, prefab) &&
         !kith_world_fail_dead(world, 0, prefab, call))) {
        return false;
    }
    kith_world_pause(world);
    bool done = kith_give_copies(&give, prefab) && kith_give_newborn(&give, entities, count);
    kith_give_end(&give);
    kith_world_resume(world);
    return done;
}

// --- taking ----------------------------------------------------------------------------------

// Drops components, or the entities if `what` is NULL.
static uint32_t drop_all_from(kith_world *world, members who, const kith_signature *what,
                              kith_component component, const char *call)
{
    kith_drop  drop;
    kith_crowd crowd;
    if (kith_world_busy(world, call, component, KITH_NULL) ||
        !crowd_of(world, &who, component, call, &crowd)) {
        return NOT_DONE;
    }
    uint32_t living = kith_crowd_living(world, &crowd);
    kith_drop_begin(&drop, world, what, call);
    bool allowed = kith_drop_allowed(&drop, &crowd);
    if (allowed) {
        kith_drop_from(&drop, &crowd);
    }
    kith_drop_end(&drop);
    return allowed ? living : NOT_DONE;
}

KITH_API bool kith_entity_destroy_many(kith_world *world, const kith_entity *entities,
                                       uint32_t count)
{
    return drop_all_from(world, in_array(entities, count), NULL, 0, "kith_entity_destroy_many") !=
           NOT_DONE;
}

KITH_API uint32_t kith_entity_destroy_range(kith_world *world, kith_range range)
{
    return reached(drop_all_from(world, in_range(range), NULL, 0, "kith_entity_destroy_range"));
}

static uint32_t take_components(kith_world *world, members who, const kith_component *components,
                                uint32_t component_count, const char *call)
{
    kith_signature what = { { 0 } };
    if (!kith_world_array(world, components, component_count, call)) {
        return NOT_DONE;
    }
    for (uint32_t i = 0; i < component_count; i++) {
        const kith_storage *storage =
            kith_world_open(world, components[i], KITH_NULL, KITH_ON_ENTITY, call);
        if (storage == NULL) {
            return NOT_DONE;
        }
        what.words[storage->bit >> 6] |= UINT64_C(1) << (storage->bit & 63);
    }
    kith_component only = component_count == 1 ? components[0] : 0;
    return drop_all_from(world, who, &what, only, call);
}

KITH_API bool kith_entity_take_many(kith_world *world, const kith_entity *entities, uint32_t count,
                                    const kith_component *components, uint32_t component_count)
{
    return take_components(world, in_array(entities, count), components, component_count,
                           "kith_entity_take_many") != NOT_DONE;
}

KITH_API uint32_t kith_entity_take_range(kith_world *world, kith_range range,
                                         const kith_component *components, uint32_t component_count)
{
    return reached(take_components(world, in_range(range), components, component_count,
                                   "kith_entity_take_range"));
}

KITH_API bool kith_component_remove_many(kith_world *world, kith_component component,
                                         const kith_entity *entities, uint32_t count)
{
    return take_components(world, in_array(entities, count), &component, 1,
                           "kith_component_remove_many") != NOT_DONE;
}

KITH_API uint32_t kith_component_remove_range(kith_world *world, kith_component component,
                                              kith_range range)
{
    return reached(
        take_components(world, in_range(range), &component, 1, "kith_component_remove_range"));
}

// --- becoming --------------------------------------------------------------------------------

// Every component but those that are given.
static kith_signature all_but(const kith_give *give)
{
    kith_signature rest = { { 0 } };
    for (uint32_t bit = 0; bit < give->world->bit_count; bit++) {
        rest.words[bit >> 6] |= UINT64_C(1) << (bit & 63);
    }
    for (uint32_t i = 0; i < give->count; i++) {
        uint32_t bit = give->gifts[i].storage->bit;
        rest.words[bit >> 6] &= ~(UINT64_C(1) << (bit & 63));
    }
    return rest;
}

// Gives first, because that may fail. A listener that hears of it may leave holes in any pool.
static bool give_and_drop(kith_give *give, kith_drop *drop)
{
    drop->singly = drop->singly || kith_give_is_heard(give);
    if (!kith_give_all(give)) {
        return false;
    }
    kith_give_announce(give);
    kith_drop_from(drop, &give->crowd);
    return true;
}

static bool become_held(kith_give *give)
{
    kith_drop      drop;
    kith_signature rest = all_but(give);
    kith_drop_begin(&drop, give->world, &rest, give->call);
    bool allowed = kith_give_allowed(give) && kith_drop_allowed(&drop, &give->crowd);
    bool done    = allowed && give_and_drop(give, &drop);
    kith_drop_end(&drop);
    return done || (allowed && kith_world_fail(give->world, &give->error));
}

static uint32_t become(kith_world *world, members who, const kith_values *sets, uint32_t set_count,
                       const char *call)
{
    kith_give give;
    kith_give_init(&give, world, call);
    give.keeps     = true;
    give.continues = true;
    bool done      = !kith_world_busy(world, call, 0, KITH_NULL) &&
                kith_give_begin(&give, sets, set_count) &&
                crowd_of(world, &who, 0, call, &give.crowd) && become_held(&give);
    kith_give_end(&give);
    return done ? give.living : NOT_DONE;
}

KITH_API bool kith_entity_become(kith_world *world, kith_entity entity, const kith_values *sets,
                                 uint32_t set_count)
{
    return become(world, in_array(&entity, 1), sets, set_count, "kith_entity_become") != NOT_DONE;
}

KITH_API bool kith_entity_become_many(kith_world *world, const kith_entity *entities,
                                      uint32_t count, const kith_values *sets, uint32_t set_count)
{
    return become(world, in_array(entities, count), sets, set_count, "kith_entity_become_many") !=
           NOT_DONE;
}

KITH_API uint32_t kith_entity_become_range(kith_world *world, kith_range range,
                                           const kith_values *sets, uint32_t set_count)
{
    return reached(become(world, in_range(range), sets, set_count, "kith_entity_become_range"));
}

// --- lifetimes -------------------------------------------------------------------------------
//
// Entities that end at a tick. Their rows are one array of ticks, so looking through all of it
// costs less than keeping it in order would: values change behind the library's back.

#define ENDED_AT_ONCE 256u

// The rows in one page from `row` on, `count` of them, whose time is over. Without a branch,
// because which ones they are cannot be foreseen. A hole's value may never have been written.
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
        found += (life.expires <= tick) & ~packed[i] >> 31;
    }
    return found;
}

// Collects the entity indices of expired rows from `*next` on.
static uint32_t find_expired(const kith_world *world, const kith_pool *pool, uint64_t tick,
                             uint32_t *next, uint32_t end, uint32_t *expired)
{
    uint32_t count = 0;
    uint32_t row   = *next;
    for (uint32_t part; row < end && count < ENDED_AT_ONCE; row += part) {
        uint32_t over[ENDED_AT_ONCE];
        part           = kith_least(end - row, kith_sparse_set_left_in_page(&pool->set, row));
        part           = kith_least(part, ENDED_AT_ONCE - count);
        uint32_t found = find_over(pool, tick, row, part, over);
        for (uint32_t i = 0; i < found; i++) {
            if (!kith_pool_disabled(pool, over[i])) {
                expired[count] = *kith_sparse_set_packed(&pool->set, over[i]);
                KITH_PREFETCH(kith_entity_slot_of(&world->entities, expired[count]));
                count++;
            }
        }
    }
    *next = row;
    return count;
}

// The same as entities, without those that are already being destroyed.
static uint32_t collect_expired(const kith_world *world, const kith_pool *pool, uint64_t tick,
                                uint32_t *row, uint32_t end, kith_entity *expired)
{
    uint32_t indices[ENDED_AT_ONCE];
    uint32_t found = find_expired(world, pool, tick, row, end, indices);
    uint32_t count = 0;
    for (uint32_t i = 0; i < found; i++) {
        expired[count] = *kith_entity_slot_of(&world->entities, indices[i]);
        count += world->nested == 0 || !kith_world_is_dying(world, expired[count]);
    }
    return count;
}

KITH_API uint32_t kith_world_expire(kith_world *world, kith_component component, uint64_t tick)
{
    static const char call[] = "kith_world_expire";
    kith_entity       expired[ENDED_AT_ONCE];
    kith_drop         drop;
    kith_storage     *storage =
        kith_world_open(world, component, KITH_NULL, 1u << KITH_KIND_VALUE, call);
    if (storage == NULL) {
        return 0;
    }
    if (storage->desc.size < sizeof(kith_lifetime)) {
        return kith_world_refuse_numbers(
            world, KITH_ERROR_ARGUMENT, call, component,
            "a lifetime begins with a kith_lifetime, of at least 8 bytes", 0, storage->desc.size);
    }
    uint32_t end   = storage->pool.set.head.rows_;
    uint32_t ended = 0;
    kith_drop_begin(&drop, world, NULL, call);
    for (uint32_t row = 0; row < end && kith_drop_hearable(&drop);) {
        uint32_t count = collect_expired(world, &storage->pool, tick, &row, end, expired);
        kith_drop_from(&drop, &(kith_crowd){ .entities = expired, .count = count, .whole = true });
        ended += count;
    }
    kith_drop_end(&drop);
    return ended;
}
