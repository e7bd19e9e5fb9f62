// SPDX-License-Identifier: MIT
// Entity lists: checks an array or a range of entities and walks its living ones in blocks.
#include "batch/batch.h"

// An index has 31 bits. While an array is checked, bit 31 marks the slots of its entities.
#define IN_ARRAY UINT64_C(0x80000000)

// Returns whether the handles are consecutive. Tests 8 first: mostly they decide.
static bool is_consecutive(const kith_entity *entities, uint32_t count)
{
    return entities != NULL && count != 0 &&
           kith_array_is_numbered(entities, entities[0], kith_min(count, 8)) &&
           kith_array_is_numbered(entities, entities[0], count);
}

// Returns whether all entities are alive and different, otherwise reports an error. A mark makes a
// slot differ from its handle, so an entity that comes again looks dead.
static bool check_entity_array(kith_world *world, const kith_entity *entities, uint32_t count,
                               kith_component component, const char *call)
{
    const kith_entity_table *table = &world->entities;
    uint32_t                 good  = 0;
    for (; good < count && kith_entity_table_alive(table, entities[good]); good++) {
        *kith_entity_slot_of(table, kith_entity_index(entities[good])) |= IN_ARRAY;
    }
    for (uint32_t i = 0; i < good; i++) {
        *kith_entity_slot_of(table, kith_entity_index(entities[i])) = entities[i];
    }
    for (uint32_t i = good; i < count; i++) {
        if (!kith_entity_table_alive(table, entities[i])) {
            return kith_world_fail_dead_entity(world, component, entities[i], call);
        }
    }
    if (good == count) {
        return true;
    }
    kith_error error = { .code      = KITH_ERROR_ARGUMENT,
                         .call      = call,
                         .component = component,
                         .entity    = entities[good],
                         .subject   = "the array has an entity twice" };
    return kith_world_fail(world, &error);
}

bool kith_entity_list_of(kith_world *world, kith_entities entities, kith_component component,
                         const char *call, kith_entity_list *list)
{
    const kith_entity *array = entities.array;
    uint32_t           count = entities.count;
    if (array == NULL && entities.first != KITH_NULL) {
        *list = kith_entity_list_of_range(world, entities);
        return true;
    }
    // an array without an address would be a range from the null entity
    if (!kith_require_array(world, array, count, call)) {
        return false;
    }
    if (is_consecutive(array, count)) {
        kith_entities range = { .first = array[0], .count = count };
        *list               = kith_entity_list_of_range(world, range);
        if (kith_entity_list_living(world, list) == count) {
            return true;
        }
    }
    *list = (kith_entity_list){ .entities = array, .count = count, .whole = true };
    return check_entity_array(world, array, count, component, call);
}

kith_entity_list kith_entity_list_of_new(const kith_entity *entities, uint32_t count)
{
    bool range = is_consecutive(entities, count);
    return (kith_entity_list){ .entities = range ? NULL : entities,
                               .first    = range ? entities[0] : KITH_NULL,
                               .count    = count,
                               .whole    = true,
                               .fresh    = true };
}

kith_entity_list kith_entity_list_of_range(const kith_world *world, kith_entities range)
{
    uint32_t index = kith_entity_index(range.first);
    uint32_t slots = world->entities.count;
    uint32_t most  = index < slots ? slots - index : 0;
    return (kith_entity_list){ .first = range.first, .count = kith_min(range.count, most) };
}

// Returns how many entities of a range, from place `at` on, are alive, or are not alive, without a
// break and in the same page.
static uint32_t run_in_page(const kith_world *world, const kith_entity_list *list, uint32_t at,
                            bool alive)
{
    kith_entity     first = list->first + at;
    const uint64_t *slots = kith_entity_slot_of(&world->entities, kith_entity_index(first));
    uint32_t        most  = kith_entity_list_in_page(list, at);
    uint32_t        run   = alive && kith_array_is_numbered(slots, first, most) ? most : 0;
    while (run < most && (slots[run] == first + run) == alive) {
        run++;
    }
    return run;
}

bool kith_entity_list_next(const kith_world *world, const kith_entity_list *list, uint32_t *at,
                           kith_entity_list *block)
{
    bool range = list->entities == NULL;
    for (uint32_t dead = 1; !list->whole && dead != 0 && *at < list->count; *at += dead) {
        dead = run_in_page(world, list, *at, false);
    }
    if (*at >= list->count) {
        return false;
    }
    *block = (kith_entity_list){ .entities = range ? NULL : list->entities + *at,
                                 .first    = list->first + *at,
                                 .count    = !range        ? kith_min(list->count - *at, 256)
                                             : list->whole ? kith_entity_list_in_page(list, *at)
                                                           : run_in_page(world, list, *at, true),
                                 .whole    = true };
    return true;
}

uint32_t kith_entity_list_living(const kith_world *world, kith_entity_list *list)
{
    uint32_t         living = list->whole ? list->count : 0;
    kith_entity_list block;
    for (uint32_t at = living; kith_entity_list_next(world, list, &at, &block); at += block.count) {
        living += block.count;
    }
    list->whole = living == list->count;
    return living;
}

bool kith_entity_list_alive(const kith_world *world, const kith_entity_list *list, uint32_t i)
{
    return kith_entity_table_alive(&world->entities, kith_entity_list_member(list, i));
}

bool kith_entity_has_bit(const kith_world *world, kith_entity entity, uint32_t bit)
{
    return kith_entity_table_alive(&world->entities, entity) &&
           kith_entity_bit(&world->entities, kith_entity_index(entity), bit);
}

kith_signature kith_entity_list_components(const kith_world *world, const kith_entity_list *list)
{
    const kith_entity_table *table = &world->entities;
    kith_signature           any   = { { 0 } };
    kith_entity_list         block;
    for (uint32_t at = 0; kith_entity_list_next(world, list, &at, &block); at += block.count) {
        uint32_t first = kith_entity_index(kith_entity_list_member(&block, 0));
        if (block.entities == NULL && kith_entity_page_of(table, first)->more == NULL) {
            any.words[0] |= kith_array_or(kith_entity_list_words(world, &block), block.count);
            continue;
        }
        for (uint32_t i = 0; i < block.count; i++) {
            uint32_t index = kith_entity_index(kith_entity_list_member(&block, i));
            for (uint32_t words = kith_entity_words(table, index); words != 0; words &= words - 1) {
                uint32_t word = kith_lowest_bit(words);
                any.words[word] |= kith_entity_signature_word(table, index, word);
            }
        }
    }
    return any;
}
