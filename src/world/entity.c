// SPDX-License-Identifier: MIT
// Creates and destroys one entity, and answers questions about entities.
#include "world/membership.h"

bool kith_world_fail_entity_limit(kith_world *world, const char *call, uint32_t want)
{
    return kith_world_refuse_numbers(world, KITH_ERROR_LIMIT, call, 0, "the number of entities",
                                     world->entities.index_end, want);
}

KITH_NOINLINE bool kith_world_reserve_slots(kith_world *world, uint32_t slots, const char *call)
{
    bool enough = kith_entity_table_reserve(&world->entities, &world->memory, slots);
    kith_world_update_head(world);
    return enough || kith_world_refuse(world, KITH_ERROR_MEMORY, call, 0, KITH_NULL);
}

bool kith_require_birth_nestable(kith_world *world, const char *call)
{
    return kith_require_unlocked_for(world, call, 0, KITH_NULL) &&
           (world->events[0].count == 0 || kith_require_nestable(world, call, 0));
}

KITH_NOINLINE kith_entity kith_world_announce_birth(kith_world *world, kith_entity entity)
{
    kith_world_announce_one(world, &world->events[0], KITH_EVENT_CREATE, 0, entity);
    return kith_entity_table_alive(&world->entities, entity) ? entity : KITH_NULL;
}

kith_entity kith_entity_begin_life(kith_world *world, kith_entity entity)
{
    if (KITH_LIKELY_((world->entities.table_loops | world->events[0].count) == 0)) {
        return entity; // the usual case (bench C6)
    }
    if (world->entities.table_loops != 0) {
        kith_entity_table_number_birth(&world->entities, entity);
    }
    return kith_world_announce_birth(world, entity);
}

static kith_entity take_slot(kith_world *world, const char *call)
{
    kith_entity_table *table = &world->entities;
    if (table->free != 0) {
        return kith_entity_table_reuse(table);
    }
    if (table->count == table->index_end) {
        kith_world_fail_entity_limit(world, call, 0);
        return KITH_NULL;
    }
    if (table->count == table->room && !kith_world_reserve_slots(world, table->count + 1, call)) {
        return KITH_NULL;
    }
    return kith_entity_table_append(table);
}

// All cases but a slot that was never used.
KITH_NOINLINE static kith_entity create_any_case(kith_world *world)
{
    static const char call[] = "kith_entity_create";
    kith_entity       entity =
        kith_require_birth_nestable(world, call) ? take_slot(world, call) : KITH_NULL;
    return entity == KITH_NULL ? KITH_NULL : kith_entity_begin_life(world, entity);
}

kith_entity kith_entity_create(kith_world *world)
{
    kith_entity_table *table = &world->entities;
    if (KITH_UNLIKELY_(table->free != 0 || table->count >= table->inline_room ||
                       world->head.busy_ != 0)) {
        return create_any_case(world);
    }
    return kith_require_thread(world, __func__) ? kith_entity_table_append(table) : KITH_NULL;
}

// Removes the entity's rows of one signature word at once.
static void drop_word(kith_world *world, uint32_t index, uint32_t word, uint64_t bits)
{
    for (; bits != 0; bits &= bits - 1) {
        kith_pool *pool = &world->by_bit[64 * word + kith_lowest_bit(bits)]->pool;
        pool->remove(pool, index);
    }
}

// The same for the words after the first, which become empty.
KITH_NOINLINE static void drop_further_words(kith_world *world, kith_entity_page *page,
                                             uint32_t index)
{
    uint32_t i    = index & KITH_PAGE_MASK_;
    uint32_t more = page->more[i];
    page->more[i] = 0;
    for (; more != 0; more &= more - 1) {
        uint32_t plane         = kith_lowest_bit(more);
        uint64_t bits          = page->planes[plane][i];
        page->planes[plane][i] = 0;
        drop_word(world, index, plane + 1, bits);
    }
}

// A loop is notified once, before the first component of its query is removed.
bool kith_entity_end_later(kith_world *world, kith_entity entity)
{
    uint32_t index    = kith_entity_index(entity);
    uint32_t notified = world->table_watch;
    kith_loop_notify(world, notified, index);
    for (uint32_t words = kith_entity_words(&world->entities, index); words != 0;
         words &= words - 1) {
        uint32_t word = kith_lowest_bit(words);
        uint64_t bits = kith_entity_signature_word(&world->entities, index, word);
        for (; bits != 0; bits &= bits - 1) {
            kith_storage *storage = world->by_bit[64 * word + kith_lowest_bit(bits)];
            kith_loop_notify(world, storage->drop_watch & ~notified, index);
            notified |= storage->drop_watch;
            kith_world_remove_later(world, storage, index);
        }
    }
    kith_entity_signature_clear(&world->entities, index);
    kith_world_record_ended(world, entity, 1);
    kith_entity_table_free_slot(&world->entities, entity);
    return true;
}

bool kith_entity_end_now(kith_world *world, kith_entity entity, kith_entity_page *page)
{
    uint32_t index = kith_entity_index(entity);
    drop_word(world, index, 0, page->signature[index & KITH_PAGE_MASK_]);
    page->signature[index & KITH_PAGE_MASK_] = 0;
    if (page->more != NULL) {
        drop_further_words(world, page, index);
    }
    kith_world_record_ended(world, entity, 1);
    kith_entity_table_free_slot(&world->entities, entity);
    return true;
}

KITH_NOINLINE static bool destroy_held(kith_world *world, kith_entity entity,
                                       kith_entity_page *page)
{
    static const char call[] = "kith_entity_destroy";
    return kith_require_unlocked_for(world, call, 0, entity) &&
           (world->nested == 0 || kith_require_living(world, NULL, entity, call)) &&
           (world->destroy_observers == 0 ? kith_entity_end_later(world, entity)
                                          : world->destroy_observed(world, entity, page));
}

bool kith_entity_destroy(kith_world *world, kith_entity entity)
{
    if (!kith_require_thread(world, __func__) ||
        !kith_entity_table_alive(&world->entities, entity)) {
        return false;
    }
    kith_entity_page *page = kith_entity_page_of(&world->entities, kith_entity_index(entity));
    return KITH_UNLIKELY_((world->head.busy_ | world->shared.held) != 0)
               ? destroy_held(world, entity, page)
           : KITH_UNLIKELY_(world->destroy_observers != 0)
               ? world->destroy_observed(world, entity, page)
               : kith_entity_end_now(world, entity, page);
}

bool kith_entity_alive(const kith_world *world, kith_entity entity)
{
    return kith_entity_table_alive(&world->entities, entity);
}

uint32_t kith_entity_count(const kith_world *world)
{
    return kith_entity_table_count(&world->entities);
}

kith_entity kith_entity_next(const kith_world *world, kith_entity previous)
{
    uint64_t index = previous == KITH_NULL ? 0 : UINT64_C(1) + kith_entity_index(previous);
    for (; index < world->entities.count; index++) {
        if (kith_entity_index_alive(&world->entities, (uint32_t)index)) {
            return *kith_entity_slot_of(&world->entities, (uint32_t)index);
        }
    }
    return KITH_NULL;
}

kith_entity kith_entity_slot(const kith_world *world, uint32_t index)
{
    return kith_entity_table_slot(&world->entities, index);
}

// --- calls on an entity ----------------------------------------------------------------------

KITH_NOINLINE kith_error kith_dead_entity_error(const kith_world *world, kith_component component,
                                                kith_entity entity, const char *call)
{
    uint64_t   slot  = kith_entity_table_slot(&world->entities, kith_entity_index(entity));
    kith_error error = { .code =
                             entity == KITH_NULL ? KITH_ERROR_NULL_ENTITY : KITH_ERROR_DEAD_ENTITY,
                         .call      = call,
                         .component = component,
                         .entity    = entity,
                         .have      = kith_entity_version(slot) };
    error.subject    = kith_entity_index(slot) == KITH_SLOT_RETIRED ? "retired" : NULL;
#ifndef NDEBUG
    const kith_ended *ended = &world->ended[kith_entity_index(entity) % KITH_ENDED_PLACES];
    if (entity != KITH_NULL && ended->entity == entity && world->ended_history == world->history) {
        error.want  = ended->tick;
        error.other = ended->system;
    }
#endif
    return error;
}

bool kith_world_fail_dead_entity(kith_world *world, kith_component component, kith_entity entity,
                                 const char *call)
{
    kith_error error = kith_dead_entity_error(world, component, entity, call);
    return kith_world_fail(world, &error);
}

kith_storage *kith_storage_for_entity(kith_world *world, kith_entity entity,
                                      kith_component component, unsigned kinds, const char *call)
{
    kith_storage *storage = kith_storage_for_write(world, component, entity, kinds, call);
    if (storage == NULL) {
        return NULL;
    }
    bool good = KITH_LIKELY_(kith_entity_table_alive(&world->entities, entity))
                    ? world->nested == 0 || kith_require_living(world, storage, entity, call)
                    : kith_world_fail_dead_entity(world, component, entity, call);
    return good ? storage : NULL;
}
