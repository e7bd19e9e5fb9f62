// SPDX-License-Identifier: MIT
#include "batch/batch.h"

// An index has 31 bits: while an array is checked, this one marks the slots of those in it.
#define IN_ARRAY UINT64_C(0x80000000)

// Whether the handles follow on each other. Mostly the first few decide.
static bool is_consecutive(const kith_entity *entities, uint32_t count)
{
    return count != 0 && kith_array_is_numbered(entities, entities[0], kith_least(count, 8)) &&
           kith_array_is_numbered(entities, entities[0], count);
}

// The place of the first that is not alive, or `count`. `*sorted` is whether the indices rise, or
// fall, all the way: then nobody is there twice.
static uint32_t find_dead(const kith_world *world, const kith_entity *entities, uint32_t count,
                          bool *sorted)
{
    uint32_t rising  = 0;
    uint32_t falling = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!kith_entity_table_alive(&world->entities, entities[i])) {
            return i;
        }
        uint32_t before = i == 0 ? UINT32_MAX : kith_entity_index(entities[i - 1]);
        rising += before < kith_entity_index(entities[i]);
        falling += before > kith_entity_index(entities[i]);
    }
    *sorted = rising + 1 >= count || falling >= count;
    return count;
}

// The place of the first that stands in the array before, or `count`. All are alive.
static uint32_t find_repeated(kith_world *world, const kith_entity *entities, uint32_t count)
{
    kith_entity_table *table = &world->entities;
    uint32_t           found = 0;
    while (found < count) {
        uint64_t *slot = kith_entity_slot_of(table, kith_entity_index(entities[found]));
        if (*slot != entities[found]) {
            break;
        }
        *slot |= IN_ARRAY;
        found++;
    }
    for (uint32_t i = 0; i < found; i++) {
        *kith_entity_slot_of(table, kith_entity_index(entities[i])) = entities[i];
    }
    return found;
}

KITH_INTERNAL bool kith_crowd_of_array(kith_world *world, const kith_entity *entities,
                                       uint32_t count, kith_component component, const char *call,
                                       kith_crowd *crowd)
{
    bool sorted = false;
    if (!kith_world_array(world, entities, count, call)) {
        return false;
    }
    if (is_consecutive(entities, count)) {
        *crowd = kith_crowd_of_range(world, (kith_range){ .first = entities[0], .count = count });
        if (kith_crowd_living(world, crowd) == count) {
            return true;
        }
    }
    *crowd        = (kith_crowd){ .entities = entities, .count = count, .whole = true };
    uint32_t dead = find_dead(world, entities, count, &sorted);
    if (dead != count) {
        return kith_world_fail_dead(world, component, entities[dead], call);
    }
    uint32_t repeated = sorted ? count : find_repeated(world, entities, count);
    if (repeated == count) {
        return true;
    }
    kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                         .call      = call,
                         .component = component,
                         .entity    = entities[repeated],
                         .subject   = "the array has an entity twice" };
    return kith_world_fail(world, &error);
}

KITH_INTERNAL kith_crowd kith_crowd_of_new(const kith_entity *entities, uint32_t count)
{
    bool range = is_consecutive(entities, count);
    return (kith_crowd){ .entities = range ? NULL : entities,
                         .first    = range ? entities[0] : KITH_NULL,
                         .count    = count,
                         .whole    = true,
                         .fresh    = true };
}

KITH_INTERNAL kith_crowd kith_crowd_of_range(const kith_world *world, kith_range range)
{
    uint32_t index = kith_entity_index(range.first);
    uint32_t slots = world->entities.count;
    uint32_t most  = index < slots ? slots - index : 0;
    return (kith_crowd){ .first = range.first, .count = kith_least(range.count, most) };
}

// The place of the first from `at` on, in the same page of a range, that is not alive, or not dead.
static uint32_t skip_in_page(const kith_world *world, const kith_crowd *crowd, uint32_t at,
                             bool alive)
{
    kith_entity     first = crowd->first + at;
    const uint64_t *slots = kith_entity_slot_of(&world->entities, kith_entity_index(first));
    uint32_t        most  = kith_crowd_in_page(crowd, at);
    uint32_t        i     = alive && kith_array_is_numbered(slots, first, most) ? most : 0;
    while (i < most && (slots[i] == first + i) == alive) {
        i++;
    }
    return at + i;
}

static uint32_t skip_dead(const kith_world *world, const kith_crowd *crowd, uint32_t at)
{
    for (uint32_t next; at < crowd->count; at = next) {
        next = skip_in_page(world, crowd, at, false);
        if (next - at < kith_crowd_in_page(crowd, at)) {
            return next;
        }
    }
    return at;
}

KITH_INTERNAL bool kith_crowd_next(const kith_world *world, const kith_crowd *crowd, uint32_t *at,
                                   kith_crowd *block)
{
    *at = crowd->whole ? *at : skip_dead(world, crowd, *at);
    if (*at >= crowd->count) {
        return false;
    }
    bool     range = crowd->entities == NULL;
    uint32_t count = range ? kith_crowd_in_page(crowd, *at) : kith_least(crowd->count - *at, 256);
    *block         = (kith_crowd){ .entities = range ? NULL : crowd->entities + *at,
                                   .first    = crowd->first + *at,
                                   .count    = count,
                                   .whole    = true };
    if (!crowd->whole) {
        block->count = skip_in_page(world, crowd, *at, true) - *at;
    }
    return true;
}

KITH_INTERNAL uint32_t kith_crowd_living(const kith_world *world, kith_crowd *crowd)
{
    uint32_t   living = crowd->whole ? crowd->count : 0;
    kith_crowd block;
    for (uint32_t at = living; kith_crowd_next(world, crowd, &at, &block); at += block.count) {
        living += block.count;
    }
    crowd->whole = living == crowd->count;
    return living;
}
