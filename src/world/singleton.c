// SPDX-License-Identifier: MIT
// Singletons: set, get and remove the one value of a component.
//
// The value has a block of its own, storage->single. The storage's pool has no rows; it provides
// the hooks, the layout and, with hooks, the spare place for a value that is being replaced.
#include "world/world.h"

// The storage for a call that changes the singleton, with a new stamp. Returns NULL on an error.
static kith_storage *open_single(kith_world *world, kith_component component, const char *call)
{
    kith_storage *storage = kith_storage_for_write(world, component, KITH_NULL, KITH_SINGLE, call);
    if (storage == NULL ||
        (world->nested != 0 && !kith_require_living(world, storage, KITH_NULL, call))) {
        return NULL;
    }
    storage->stamp = world->tick;
    return storage;
}

static void *fail_single(kith_world *world, const kith_storage *storage, kith_error_code code,
                         const char *call, const char *hook)
{
    kith_world_refuse_because(world, code, call, storage->desc.id, hook, storage->desc.name);
    return NULL;
}

// Adds the singleton with its value. If it exists already, replaces the value when `replace` is
// set.
static void *put_single(kith_world *world, kith_component component, const void *source,
                        bool replace, const char *call)
{
    kith_storage *storage = open_single(world, component, call);
    if (storage == NULL || (storage->single != NULL && !replace)) {
        return storage == NULL ? NULL : storage->single;
    }
    bool       fresh = storage->single == NULL;
    kith_event event = fresh ? KITH_EVENT_ADD : KITH_EVENT_SET;
    if (!kith_require_event(world, &storage->events[event], call, component)) {
        return NULL;
    }
    kith_pool *pool  = &storage->pool;
    bool       ready = pool->plain || kith_pool_reserve_spare(pool);
    void      *value = ready && fresh ? kith_storage_alloc_single(storage) : storage->single;
    if (!ready || value == NULL) {
        return fail_single(world, storage, KITH_ERROR_MEMORY, call, NULL);
    }
    kith_world_lock(world);
    bool made =
        fresh ? kith_pool_construct(pool, value, source) : kith_pool_replace(pool, value, source);
    kith_world_unlock(world);
    if (!made && fresh) {
        kith_storage_free_single(storage, value);
    }
    if (!made) {
        return fail_single(world, storage, KITH_ERROR_HOOK, call,
                           source == NULL ? "construct" : "copy");
    }
    storage->single = value;
    kith_world_announce_one(world, &storage->events[event], event, component, KITH_NULL);
    return storage->single;
}

void *kith_singleton_set(kith_world *world, kith_component component, const void *value)
{
    return put_single(world, component, value, true, __func__);
}

void *kith_singleton_add(kith_world *world, kith_component component)
{
    return put_single(world, component, NULL, false, __func__);
}

const void *kith_singleton_get(const kith_world *world, kith_component component)
{
    const kith_storage *storage = kith_storage_for_read(world, component, KITH_SINGLE, __func__);
    return storage == NULL ? NULL : storage->single;
}

void *kith_singleton_mut(kith_world *world, kith_component component)
{
    kith_storage *storage =
        kith_storage_for_mut(world, component, KITH_NULL, KITH_SINGLE, __func__);
    if (storage == NULL) {
        return NULL;
    }
    storage->stamp = world->tick;
    return storage->single;
}

bool kith_singleton_remove(kith_world *world, kith_component component)
{
    kith_storage *storage = open_single(world, component, __func__);
    if (storage == NULL || storage->single == NULL ||
        !kith_require_event(world, &storage->events[KITH_EVENT_REMOVE], __func__, component)) {
        return false;
    }
    kith_hold(world);
    kith_world_announce_one(world, &storage->events[KITH_EVENT_REMOVE], KITH_EVENT_REMOVE,
                            component, KITH_NULL);
    kith_world_remove_single_later(world, storage);
    kith_release(world);
    return true;
}
