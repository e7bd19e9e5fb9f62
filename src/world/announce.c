// SPDX-License-Identifier: MIT
// Calls the listeners of events.
#include "world/membership.h"

// --- announcing ------------------------------------------------------------------------------

bool kith_require_nestable(kith_world *world, const char *call, kith_component component)
{
    return KITH_LIKELY_(world->nested < KITH_NESTED_MAX) ||
           kith_world_refuse_numbers(world, KITH_ERROR_LIMIT, call, component,
                                     "the nesting of events inside listeners", KITH_NESTED_MAX, 0);
}

bool kith_require_event(kith_world *world, const kith_listeners *listeners, const char *call,
                        kith_component component)
{
    return listeners->count == 0 || kith_require_nestable(world, call, component);
}

// This function and kith_world_end_event are inline in announce_to_one (bench S2). `added` and
// `over` are set by call_listeners, which alone needs them.
inline void kith_world_begin_event(kith_world *world, kith_entity entity, const void *removed)
{
    assert(world->nested < KITH_NESTED_MAX);
    kith_frame *frame = &world->frames[world->nested++];
    frame->entity     = entity;
    frame->removed    = removed;
    frame->unreported = NULL;
    world->head.busy_ += KITH_EVENT_UNIT;
    world->shared.held++;
    kith_world_enter(world, 1);
}

KITH_NOINLINE void kith_world_sweep_listeners(kith_world *world)
{
    if (world->after_event != NULL) {
        world->after_event(world);
    }
    if (world->nested != 0) {
        return;
    }
    for (uint32_t i = 0; i < world->storage_count; i++) {
        kith_listeners_cut(world->storages[i]->events, KITH_EVENT_LISTS, &world->memory, false);
    }
    kith_listeners_cut(world->events, KITH_EVENT_LISTS, &world->memory, false);
    for (kith_object *object = world->oldest; object != NULL; object = object->next_) {
        if (object->ops->listeners_ != NULL) {
            kith_listeners_cut(object->ops->listeners_(object), 1, &world->memory, false);
        }
    }
    world->disconnected = false;
}

void kith_release(kith_world *world)
{
    assert(world->shared.held != 0);
    if (--world->shared.held == 0 && world->unsettled_any) {
        kith_world_settle_all(world);
    }
}

inline void kith_world_end_event(kith_world *world)
{
    world->head.busy_ -= KITH_EVENT_UNIT;
    world->nested--;
    kith_world_enter(world, -1);
    if (KITH_UNLIKELY_(world->disconnected)) {
        kith_world_sweep_listeners(world);
    }
    kith_release(world);
}

// Whether the subject of the event still exists: the entity, its component or the singleton.
KITH_NOINLINE static bool subject_exists(const kith_world *world, const kith_notice *notice)
{
    const kith_storage *storage = kith_world_storage(world, notice->component);
    if (storage != NULL && storage->desc.kind == KITH_KIND_SINGLETON) {
        return storage->single != NULL;
    }
    return kith_entity_table_alive(&world->entities, notice->entity) &&
           (storage == NULL ||
            kith_entity_bit(&world->entities, kith_entity_index(notice->entity), storage->bit));
}

// A listener may remove a component and add it again. The new add event replaces the older one: the
// listeners that the older event has not reached get only the new event.
KITH_NOINLINE static void end_older_events(kith_world *world, const kith_notice *notice)
{
    for (uint32_t i = 0; i + 1 < world->nested; i++) {
        kith_frame *older = &world->frames[i];
        if (older->added == notice->component && older->entity == notice->entity) {
            older->over = true;
        }
    }
}

// Calls the listeners that are connected when it begins; there is at least one. A listener may undo
// the event: then the listeners after it are not called.
KITH_NOINLINE static void call_listeners(kith_world *world, const kith_listeners *listeners,
                                         const kith_notice *notice)
{
    kith_frame               *frame = &world->frames[world->nested - 1];
    kith_listener             last  = world->listener;
    const kith_listener_node *node  = listeners->first;
    frame->added                    = notice->event == KITH_EVENT_ADD ? notice->component : 0;
    frame->over                     = false;
    if (KITH_UNLIKELY_(world->nested > 1 && frame->added != 0)) {
        end_older_events(world, notice);
    }
    do {
        bool in_batch = node->many != NULL && world->nested == world->batch_depth + 1;
        if (node->call != NULL && node->number <= last && !in_batch) {
            frame->depth = world->depth; // the listener can close only the loops that it opens
            node->call(world, notice, node->context);
            if (node->next == NULL || frame->over || !subject_exists(world, notice)) {
                return;
            }
        }
        node = node->next;
    } while (node != NULL);
}

// One listener, in an event that is in no other and of no batch, is called at once: the steps of
// call_listeners without those that do nothing (bench C4, one listener).
KITH_NOINLINE void kith_world_announce(kith_world *world, const kith_listeners *listeners,
                                       kith_event event, kith_component component,
                                       kith_entity entity)
{
    const kith_listener_node *node   = listeners->first;
    kith_notice               notice = { event, component, entity, 0 };
    if (listeners->count == 0) {
        return;
    }
    if (node->next != NULL || world->nested != 1 || world->batch_depth == 0) {
        call_listeners(world, listeners, &notice);
        return;
    }
    world->frames[0].depth = world->depth;
    node->call(world, &notice, node->context);
}

KITH_NOINLINE void kith_world_announce_one(kith_world *world, const kith_listeners *listeners,
                                           kith_event event, kith_component component,
                                           kith_entity entity)
{
    bool removal = event == KITH_EVENT_REMOVE;
    if (listeners->count != 0) {
        kith_world_begin_event(world, entity,
                               removal ? kith_world_storage(world, component) : NULL);
        kith_world_announce(world, listeners, event, component, entity);
        kith_world_end_event(world);
    }
}

KITH_NOINLINE static void announce_any_case(kith_world *world, const kith_storage *storage,
                                            kith_event event, kith_entity entity)
{
    kith_world_announce_one(world, &storage->events[event], event, storage->desc.id, entity);
}

// The short way is for one listener and a world that is not busy: the same steps without those that
// do nothing (bench S2, P2). `busy_` is 0 then, so its next value does not wait for a load.
KITH_NOINLINE static void announce_to_one(kith_world *world, const kith_storage *storage,
                                          kith_event event, kith_entity entity)
{
    const kith_listener_node *node = storage->events[event].first;
    kith_notice               notice;
    notice.event  = event;
    notice.entity = entity;
    notice.tick   = 0;
    if (KITH_UNLIKELY_(world->head.busy_ != 0 || node == NULL || node->next != NULL)) {
        announce_any_case(world, storage, event, entity);
        return;
    }
    assert(world->batch_depth != 0); // the event is not one of a batch
    KITH_NEVER_(world->nested != 0);
    notice.component = storage->desc.id;
    kith_world_begin_event(world, entity, NULL);
    world->frames[0].depth = world->depth;
    node->call(world, &notice, node->context);
    kith_world_end_event(world);
}

void kith_component_announce_(kith_world *world, kith_pool_head_ *pool, kith_event event,
                              kith_entity entity)
{
    const kith_storage *storage = (const kith_storage *)(const void *)pool;
    if (KITH_UNLIKELY_((pool->listeners_ & KITH_IN_GROUP_) != 0)) {
        world->membership->announce(world, storage, event, entity);
    } else {
        announce_to_one(world, storage, event, entity);
    }
}

void *kith_value_announce(kith_world *world, kith_entity entity, kith_storage *storage, void *value,
                          kith_event event)
{
    const kith_pool_head_ *head = &storage->pool.set.head;
    if ((event == KITH_EVENT_ADD ? head->listeners_ : storage->events[event].count) == 0) {
        return value;
    }
    kith_component_announce_(world, &storage->pool.set.head, event, entity);
    uint32_t row = kith_row_(&storage->pool.set.head, entity);
    return row == KITH_NO_ROW ? NULL : kith_pool_value(&storage->pool, row);
}

// --- removals that are being announced -------------------------------------------------------

bool kith_world_is_removing(const kith_world *world, const kith_storage *storage,
                            kith_entity entity)
{
    const void *removed = storage == NULL ? (const void *)world : storage;
    bool        found   = false;
    for (uint32_t i = 0; i < world->nested && !found; i++) {
        found = world->frames[i].entity == entity && world->frames[i].removed == removed;
    }
    return found;
}

bool kith_require_living(kith_world *world, const kith_storage *storage, kith_entity entity,
                         const char *call)
{
    bool dying = kith_world_is_dying(world, entity);
    if (KITH_LIKELY_(!dying &&
                     (storage == NULL || !kith_world_is_removing(world, storage, entity)))) {
        return true;
    }
    kith_error error = { .code      = KITH_ERROR_DYING,
                         .call      = call,
                         .component = storage == NULL ? 0 : storage->desc.id,
                         .entity    = entity,
                         .subject   = dying ? "destroyed" : "removed" };
    return kith_world_record_error(world, &error);
}

bool kith_world_add_unreported(kith_world *world, const kith_storage *storage, kith_entity entity,
                               bool forget)
{
    assert(storage->bit != KITH_NO_BIT);
    uint64_t bit   = UINT64_C(1) << (storage->bit & 63);
    bool     found = false;
    for (uint32_t i = 0; i < world->nested && !found; i++) {
        const kith_frame *frame = &world->frames[i];
        if (frame->unreported != NULL && frame->entity == entity) {
            uint64_t *word = &frame->unreported->words[storage->bit >> 6];
            found          = (*word & bit) != 0;
            *word          = forget ? *word & ~bit : *word;
        }
    }
    return found;
}
