// SPDX-License-Identifier: MIT
// Creates many entities, a range, or the handles that the caller asks for; reserves and limits
// slots.
#include "world/world.h"

static bool fail_hint(kith_world *world, const char *call, kith_entity hint)
{
    const kith_entity_table *table = &world->entities;
    bool                     far   = kith_entity_index(hint) < table->index_end &&
               kith_entity_version(hint) <= table->version_last;
    kith_error error = { .code    = KITH_ERROR_LIMIT,
                         .call    = call,
                         .entity  = hint,
                         .subject = far ? "more than 2^20 beyond the entity table; reserve first"
                                        : "beyond the world's limits" };
    return kith_world_fail(world, &error);
}

// New entities that are to be announced.
typedef struct births {
    kith_world  *world;
    kith_entity *entities; // NULL: a range
    kith_entity  first;
    uint32_t     count;
} births;

static kith_entity newborn(const births *all, uint32_t i)
{
    return all->entities == NULL ? all->first + i : all->entities[i];
}

static bool newborn_lives(const void *context, uint32_t i)
{
    const births *all = context;
    return kith_entity_table_alive(&all->world->entities, newborn(all, i));
}

// Marks all, and announces each that is still alive. In an array, an entity that a listener
// destroyed becomes KITH_NULL.
static void announce_births(const births *all)
{
    kith_world           *world     = all->world;
    const kith_listeners *listeners = &world->events[0];
    kith_batch_event batch = { all->entities, all->first, all->count, newborn_lives, all, NULL };
    for (uint32_t i = 0; i < all->count && world->entities.table_loops != 0; i++) {
        kith_entity_table_number_birth(&world->entities, newborn(all, i));
    }
    if (listeners->count == 0) {
        return;
    }
    kith_hold(world);
    uint32_t outer = kith_world_begin_batch(world);
    kith_world_announce_many(world, listeners, KITH_EVENT_CREATE, 0, &batch);
    for (uint32_t i = 0; i < all->count; i++) {
        kith_entity entity =
            newborn_lives(all, i) ? kith_world_announce_birth(world, newborn(all, i)) : KITH_NULL;
        if (all->entities != NULL) {
            all->entities[i] = entity;
        }
    }
    kith_world_end_batch(world, outer);
    kith_release(world);
}

void kith_world_announce_births(kith_world *world, kith_entity *entities, uint32_t count)
{
    announce_births(&(births){ .world = world, .entities = entities, .count = count });
}

// Returns true when `code` is KITH_OK. Otherwise reports the error; `refused` is the hint that
// caused it, or KITH_NULL.
KITH_NOINLINE static bool check_created(kith_world *world, kith_error_code code,
                                        kith_entity refused, const char *call)
{
    kith_world_update_head(world);
    if (code == KITH_ERROR_LIMIT) {
        return refused == KITH_NULL ? kith_world_fail_entity_limit(world, call, 0)
                                    : fail_hint(world, call, refused);
    }
    return code == KITH_OK || kith_world_refuse(world, code, call, 0, KITH_NULL);
}

KITH_NOINLINE static bool create_hinted(kith_world *world, const kith_entity *hints, uint32_t count,
                                        kith_entity *out, const char *call)
{
    if (!kith_require_birth_nestable(world, call)) {
        return false;
    }
    kith_entity     refused = KITH_NULL;
    kith_error_code code =
        kith_entity_table_use_hints(&world->entities, &world->memory, hints, count, out, &refused);
    return check_created(world, code, refused, call);
}

kith_entity kith_entity_create_hint(kith_world *world, kith_entity hint)
{
    kith_entity entity = KITH_NULL;
    return create_hinted(world, &hint, 1, &entity, "kith_entity_create_hint")
               ? kith_entity_begin_life(world, entity)
               : KITH_NULL;
}

bool kith_entity_create_hints(kith_world *world, const kith_entity *hints, uint32_t count,
                              kith_entity *out)
{
    if (!create_hinted(world, hints, count, out, "kith_entity_create_hints")) {
        return false;
    }
    kith_world_announce_births(world, out, count);
    return true;
}

bool kith_world_create_entities(kith_world *world, kith_entity *entities, uint32_t count,
                                const char *call)
{
    if (!kith_require_birth_nestable(world, call) ||
        !kith_require_array(world, entities, count, call)) {
        return false;
    }
    kith_error_code code =
        kith_entity_table_alloc(&world->entities, &world->memory, entities, count);
    return check_created(world, code, KITH_NULL, call);
}

kith_entities kith_entity_create_range(kith_world *world, uint32_t count)
{
    kith_entities range = { 0 };
    if (!kith_require_birth_nestable(world, __func__)) {
        return range;
    }
    kith_error_code code =
        kith_entity_table_alloc_range(&world->entities, &world->memory, count, &range.first);
    if (!check_created(world, code, KITH_NULL, __func__)) {
        return (kith_entities){ 0 };
    }
    range.count = count;
    announce_births(&(births){ .world = world, .first = range.first, .count = count });
    return range;
}

bool kith_entity_reserve(kith_world *world, uint32_t slots)
{
    if (!kith_require_unlocked(world, __func__)) {
        return false;
    }
    if (slots > world->entities.index_end) {
        return kith_world_fail_entity_limit(world, __func__, slots);
    }
    return kith_world_reserve_slots(world, slots, __func__);
}

bool kith_entity_limit_set(kith_world *world, uint32_t slots)
{
    kith_entity_table *table = &world->entities;
    kith_error         error = { .code = KITH_ERROR_ARGUMENT, .call = "kith_entity_limit_set" };
    if (!kith_require_unlocked(world, error.call)) {
        return false;
    }
    error.have = table->index_end;
    error.want = slots;
    if (table->queued && slots != table->index_end) {
        error.subject = "FIFO with max_entities has a fixed number of indices";
    } else if (slots < table->count) {
        error.subject = "the limit must not be below the number of slots";
        error.have    = table->count;
    } else if (slots > table->index_most) {
        error.subject = "the limit must not be above 2^index_bits";
        error.have    = table->index_most;
    } else {
        kith_entity_table_set_limit(table, slots);
        return true;
    }
    return kith_world_fail(world, &error);
}
