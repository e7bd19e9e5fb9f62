// SPDX-License-Identifier: MIT
// Connects and disconnects listeners, calls those that take many entities at once, and destroys
// entities of worlds with listeners or groups.
#include "world/membership.h"

// --- connecting ------------------------------------------------------------------------------

// Listeners of the library have even numbers, and no call returns them. Listeners of the program
// have odd numbers. The upper 24 bits come from the world's address, so another world refuses the
// number: worlds at most 200 MB apart always differ there, of other pairs all but one in 2^23 do.
// The lower bits start at the clock, so a new world at the address of an earlier one has different
// numbers. Order, hashes and snapshots do not use the numbers.
#define NUMBER_BITS 40

static kith_listener bits_of_world(const kith_world *world)
{
    uint64_t place = (uintptr_t)world / KITH_CACHE_LINE;
    return (place * UINT64_C(0x9E3779B97F4A7C15) >> NUMBER_BITS | 1) << NUMBER_BITS;
}

// What is wrong with a description, or NULL.
static const char *desc_fault(const kith_listener_desc *desc)
{
    bool silent = desc->call == NULL && (desc->many == NULL || desc->event == KITH_EVENT_REPLACED);
    return (unsigned)desc->event > KITH_EVENT_REPLACED ? "event must be one of kith_event"
           : silent                                    ? "there is no function to call"
           : desc->event >= KITH_EVENT_CREATE && desc->component != 0
               ? "create, destroy and replaced have no component"
               : NULL;
}

// Updates everything that depends on the number of listeners.
static void update_listener_counts(kith_world *world, kith_storage *storage, kith_event event,
                                   bool connected)
{
    if (event == KITH_EVENT_REMOVE || event == KITH_EVENT_DESTROY) {
        world->destroy_observers += connected ? 1u : UINT32_MAX;
        world->destroy_observed = kith_entity_destroy_observed;
    }
    if (storage != NULL) {
        kith_storage_update_inline_bit(storage);
    }
    if (storage != NULL && storage->bit != KITH_NO_BIT) {
        uint64_t  bit  = UINT64_C(1) << (storage->bit & 63);
        uint64_t *word = &world->removal_listeners[storage->bit >> 6];
        *word          = storage->events[KITH_EVENT_REMOVE].count != 0 ? *word | bit : *word & ~bit;
    }
    world->entities.has_listeners = world->events[0].count != 0;
    kith_entity_table_update_room(&world->entities);
}

kith_listener kith_world_connect(kith_world *world, kith_listeners *list, kith_storage *storage,
                                 const kith_listener_desc *desc, const char *call)
{
    bool          own    = call == NULL;
    kith_listener number = own ? (world->listener | 1) + 1 : (world->listener + 1) | 1;
    if (kith_listeners_add(list, &world->memory, desc, number)) {
        world->listener = number;
        update_listener_counts(world, storage, desc->event, true);
        return own ? number : number | bits_of_world(world);
    }
    return !own && kith_world_refuse(world, KITH_ERROR_MEMORY, call, desc->component, KITH_NULL);
}

kith_listener kith_listener_connect(kith_world *world, const kith_listener_desc *desc)
{
    const char     *fault   = desc_fault(desc);
    kith_storage   *storage = NULL;
    kith_listeners *list;
    if (!kith_require_unlocked_for(world, __func__, desc->component, KITH_NULL)) {
        return 0;
    }
    if (fault != NULL) {
        return kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, __func__, desc->component,
                                         fault, NULL);
    }
    if (desc->event >= KITH_EVENT_CREATE) {
        list = &world->events[desc->event - KITH_EVENT_CREATE];
    } else {
        unsigned kinds =
            desc->event == KITH_EVENT_SET ? KITH_WITH_VALUES | KITH_SINGLE : KITH_ANY_KIND;
        storage =
            kith_storage_for_mut(world, desc->component, KITH_NULL, kinds | KITH_ASIDE, __func__);
        list = storage == NULL ? NULL : &storage->events[desc->event];
    }
    return list == NULL ? 0 : kith_world_connect(world, list, storage, desc, __func__);
}

KITH_NOINLINE bool kith_world_disconnect(kith_world *world, kith_listeners *list,
                                         kith_storage *storage, kith_event event,
                                         kith_listener number)
{
    if (!kith_listeners_remove(list, number)) {
        return false;
    }
    update_listener_counts(world, storage, event, false);
    if (world->nested == 0) {
        kith_listeners_cut(list, 1, &world->memory, false);
    } else {
        world->disconnected = true;
    }
    return true;
}

bool kith_listener_disconnect(kith_world *world, kith_listener listener)
{
    kith_listener number = listener ^ bits_of_world(world);
    if (!kith_require_unlocked(world, __func__)) {
        return false;
    }
    if (number >> NUMBER_BITS != 0 && listener >> NUMBER_BITS != 0) {
        static const char foreign[] = "the listener belongs to another world: disconnect it there";
        return kith_world_mistake(world, __func__, foreign, NULL);
    }
    if (number % 2 == 0) {
        return false;
    }
    bool found = false;
    for (unsigned event = KITH_EVENT_CREATE; event <= KITH_EVENT_REPLACED && !found; event++) {
        found = kith_world_disconnect(world, &world->events[event - KITH_EVENT_CREATE], NULL,
                                      (kith_event)event, number);
    }
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_storage *storage = world->storages[i];
        for (unsigned event = KITH_EVENT_ADD; event <= KITH_EVENT_REMOVE && !found; event++) {
            found = kith_world_disconnect(world, &storage->events[event], storage,
                                          (kith_event)event, number);
        }
    }
    // a handler of a queue is disconnected like a listener of add that has no storage
    for (kith_object *object = world->oldest; object != NULL && !found; object = object->next_) {
        found = object->ops->listeners_ != NULL &&
                kith_world_disconnect(world, object->ops->listeners_(object), NULL, KITH_EVENT_ADD,
                                      number);
    }
    return found;
}

// --- a replaced world ------------------------------------------------------------------------

void kith_world_announce_replaced(kith_world *world, uint64_t tick)
{
    kith_notice   notice = { KITH_EVENT_REPLACED, 0, KITH_NULL, tick };
    kith_listener last   = world->listener;
    kith_world_begin_event(world, KITH_NULL, NULL);
    for (const kith_listener_node *node = world->events[2].first; node != NULL; node = node->next) {
        if (node->call != NULL && node->number <= last) {
            world->frames[world->nested - 1].depth = world->depth;
            node->call(world, &notice, node->context);
        }
    }
    kith_world_end_event(world);
}

// --- many entities at once -------------------------------------------------------------------

// The most entities that one call of a listener gets, unless the event is about all of an array.
#define ENTITIES_AT_ONCE 256u

static inline bool is_about(const kith_batch_event *batch, uint32_t i)
{
    return (batch->gained_by != NULL && batch->gained_by->removed_while_held == 0) ||
           batch->applies(batch->context, i);
}

static bool applies_to_all(const kith_batch_event *batch)
{
    uint32_t all = 0;
    while (all < batch->count && batch->entities != NULL && is_about(batch, all)) {
        all++;
    }
    return all == batch->count;
}

KITH_NOINLINE static void call_with_many(kith_world *world, const kith_listener_node *node,
                                         const kith_notice *notice, const kith_entity *entities,
                                         uint32_t count)
{
    kith_notice first = { notice->event, notice->component, entities[0], 0 };
    if (node->call != NULL && count != 0) {
        world->frames[world->nested - 1].depth = world->depth;
        node->many(world, &first, entities, count, node->many_context);
    }
}

// Calls one listener. It does not get entities that listeners before it destroyed, or from which
// they removed the component.
static void call_in_parts(kith_world *world, const kith_listener_node *node,
                          const kith_notice *notice, const kith_batch_event *batch)
{
    kith_entity part[ENTITIES_AT_ONCE];
    uint32_t    count = 0;
    if (applies_to_all(batch)) {
        call_with_many(world, node, notice, batch->entities, batch->count);
        return;
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        part[count] = batch->entities == NULL ? batch->first + i : batch->entities[i];
        count += is_about(batch, i);
        if (count == ENTITIES_AT_ONCE) {
            call_with_many(world, node, notice, part, count);
            count = 0;
        }
    }
    call_with_many(world, node, notice, part, count);
}

void kith_world_announce_many(kith_world *world, const kith_listeners *listeners, kith_event event,
                              kith_component component, const kith_batch_event *batch)
{
    kith_notice   notice = { event, component, KITH_NULL, 0 };
    kith_listener last   = world->listener;
    if (listeners->many == 0 || batch->count == 0) {
        return;
    }
    kith_world_begin_event(world, KITH_NULL, NULL);
    for (const kith_listener_node *node = listeners->first; node != NULL; node = node->next) {
        if (node->many != NULL && node->number <= last) {
            call_in_parts(world, node, &notice, batch);
        }
    }
    kith_world_end_event(world);
}

// --- the end of an entity --------------------------------------------------------------------

bool kith_world_end_has_listeners(const kith_world *world, kith_entity entity)
{
    const kith_entity_table *table = &world->entities;
    uint64_t                 heard = world->events[1].count;
    uint32_t                 index = kith_entity_index(entity);
    for (uint32_t words = kith_entity_words(table, index); words != 0; words &= words - 1) {
        uint32_t word = kith_lowest_bit(words);
        heard |= world->removal_listeners[word] & kith_entity_signature_word(table, index, word);
    }
    return heard != 0;
}

// Whether the removal of a component of an entity that is destroyed inside another event is still
// to be announced. If a call is removing the list of a target already, its first listener, that of
// the link, ends the holders that are left: the others have got the removal.
KITH_NOINLINE static bool is_new_removal(kith_world *world, const kith_storage *storage,
                                         kith_entity entity)
{
    const kith_listener_node *first  = storage->events[KITH_EVENT_REMOVE].first;
    const kith_notice         notice = { KITH_EVENT_REMOVE, storage->desc.id, entity, 0 };
    if (!kith_world_is_removing(world, storage, entity)) {
        return !kith_world_add_unreported(world, storage, entity, false);
    }
    if (storage->access == KITH_ACCESS_LIST) {
        first->call(world, &notice, first->context);
    }
    return false;
}

// Announces the removal of the components of one signature word, in registration order.
KITH_ALWAYS_INLINE void announce_word(kith_world *world, kith_entity entity, uint32_t word,
                                      uint64_t bits)
{
    uint64_t next = bits & world->removal_listeners[word];
    for (; next != 0; next = bits & world->removal_listeners[word]) { // listeners may change these
        const kith_storage *storage = world->by_bit[64 * word + kith_lowest_bit(next)];
        bits &= ~(next ^ (next - 1)); // without this component and those before it
        if (world->nested == 1 || is_new_removal(world, storage, entity)) {
            kith_world_announce(world, &storage->events[KITH_EVENT_REMOVE], KITH_EVENT_REMOVE,
                                storage->desc.id, entity);
        }
    }
}

// The same for the words after the first, and then the destruction.
KITH_NOINLINE static void announce_rest(kith_world *world, kith_entity entity,
                                        const kith_entity_page *page)
{
    uint32_t i = entity & KITH_PAGE_MASK_;
    for (uint32_t more = page->more == NULL ? 0 : page->more[i]; more != 0; more &= more - 1) {
        uint32_t plane = kith_lowest_bit(more);
        announce_word(world, entity, plane + 1, page->planes[plane][i]);
    }
    kith_world_announce(world, &world->events[1], KITH_EVENT_DESTROY, 0, entity);
}

// Removes the components of the first word when no row is a hole. Rows of bytes go at once: their
// pages are stamped as for rows that become holes.
static void drop_in_event(kith_world *world, uint32_t index, uint64_t bits)
{
    for (; bits != 0; bits &= bits - 1) {
        kith_storage *storage = world->by_bit[kith_lowest_bit(bits)];
        kith_pool    *pool    = &storage->pool;
        if (pool->usual == 0) {
            kith_world_remove_later(world, storage, index);
        } else {
            uint64_t slot = *kith_sparse_set_slot(&pool->set, index);
            kith_sparse_set_stamp_page(&pool->set, (uint32_t)slot);
            pool->remove(pool, index);
        }
    }
}

// Short if listeners removed nothing and opened no loop, there are no groups, and all components
// are in the first word (bench C4, one listener). The result is the same as of the other way.
bool kith_entity_destroy_observed(kith_world *world, kith_entity entity, kith_entity_page *page)
{
    uint64_t *signature = &page->signature[entity & KITH_PAGE_MASK_];
    uint64_t  heard     = world->events[1].count | (*signature & world->removal_listeners[0]);
    if (heard == 0 && (page->more == NULL || !kith_world_end_has_listeners(world, entity))) {
        kith_groups_before_destroy(world, kith_entity_index(entity));
        return world->shared.held == 0 ? kith_entity_end_now(world, entity, page)
                                       : kith_entity_end_later(world, entity);
    }
    if (world->may_destroy != NULL && !world->may_destroy(world, entity, "kith_entity_destroy")) {
        return false;
    }
    if (KITH_UNLIKELY_(world->nested == KITH_NESTED_MAX)) {
        return kith_require_nestable(world, "kith_entity_destroy", 0);
    }
    kith_world_begin_event(world, entity, world);
    announce_word(world, entity, 0, *signature);
    if (page->more != NULL || world->events[1].count != 0) {
        announce_rest(world, entity, page);
    }
    if (world->shared.held != 1 || world->unsettled_any || world->groups.count != 0 ||
        page->more != NULL) {
        kith_groups_before_destroy(world, kith_entity_index(entity));
        kith_entity_end_later(world, entity);
    } else {
        drop_in_event(world, kith_entity_index(entity), *signature);
        *signature = 0;
        kith_world_record_ended(world, entity, 1);
        kith_entity_table_free_slot(&world->entities, entity);
    }
    kith_world_end_event(world);
    return true;
}
