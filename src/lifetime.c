// SPDX-License-Identifier: MIT
// Lifetimes: entities that end at a tick. Their rows are one array of ticks, so looking through all
// of it costs less than keeping it in order would: values change behind the library's back.
#include "drop.h"

#define ENDED_AT_ONCE 256u

// The rows in one page from `row` on, `count` of them, whose time is over. Without a branch: which
// ones they are cannot be foreseen.
static uint32_t find_over(const kith_pool *pool, uint64_t tick, uint32_t row, uint32_t count,
                          uint32_t *over)
{
    const uint8_t *value = kith_pool_value(pool, row);
    size_t         size  = pool->size;
    uint32_t       found = 0;
    for (uint32_t i = 0; i < count; i++, value += size) {
        kith_lifetime life;
        memcpy(&life, value, sizeof life);
        over[found] = row + i;
        found += life.expires <= tick;
    }
    return found;
}

// Collects the indices of those who have expired from `*next` on.
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
            if (!kith_pool_hole(pool, over[i]) && !kith_pool_disabled(pool, over[i])) {
                expired[count] = *kith_sparse_set_packed(&pool->set, over[i]);
                KITH_PREFETCH(kith_entity_slot_of(&world->entities, expired[count]));
                count++;
            }
        }
    }
    *next = row;
    return count;
}

// The same as entities. Who is dying already is passed over.
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
    kith_column *column = kith_world_open(world, component, KITH_NULL, 1u << KITH_KIND_VALUE, call);
    if (column == NULL) {
        return 0;
    }
    if (column->desc.size < sizeof(kith_lifetime)) {
        return kith_world_refuse_numbers(
            world, KITH_ERROR_ARGUMENT, call, component,
            "a lifetime begins with a kith_lifetime, of at least 8 bytes", 0, column->desc.size);
    }
    uint32_t end   = column->pool.set.head.rows_;
    uint32_t ended = 0;
    kith_drop_begin(&drop, world, NULL, call);
    for (uint32_t row = 0; row < end && kith_drop_hearable(&drop);) {
        uint32_t count = collect_expired(world, &column->pool, tick, &row, end, expired);
        kith_drop_from(&drop, &(kith_crowd){ .entities = expired, .count = count, .whole = true });
        ended += count;
    }
    kith_drop_end(&drop);
    return ended;
}
