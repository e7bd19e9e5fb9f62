// SPDX-License-Identifier: MIT
// Checks that a call may use the component that it names.
#include "world/world.h"

// An empty pool with id 0. Lookups read it, and nothing writes to it.
static const kith_pool_head_ no_pool;

kith_pool_head_ *kith_world_no_pool(void)
{
    return (kith_pool_head_ *)(uintptr_t)&no_pool;
}

void *kith_empty_value(void)
{
    static const uint8_t nothing[1];
    return (void *)(uintptr_t)nothing;
}

// A listener and the error hook are not the system: they may touch everything.
bool kith_access_denied(const kith_world *world, kith_component component, bool written)
{
    const kith_access_check *check = world->access_check;
    return check != NULL && world->nested == 0 && !world->errors_muted &&
           !kith_ids_have(check->writes, component) &&
           (written || !kith_ids_have(check->reads, component));
}

KITH_NOINLINE kith_error kith_access_error(const kith_world *world, kith_component component,
                                           bool written, const char *call)
{
    return (kith_error){ .code      = KITH_ERROR_UNDECLARED,
                         .call      = call,
                         .component = component,
                         .subject   = written ? "writes" : "reads",
                         .other     = world->access_check->system };
}

kith_storage *kith_world_storage(const kith_world *world, kith_component component)
{
    kith_pool_head_ *const *pools =
        world->access_check == NULL ? world->head.pools_ : world->access_check->pools;
    bool known = component <= KITH_COMPONENT_MAX && pools[component]->id_ != 0;
    return known ? (kith_storage *)(void *)pools[component] : NULL;
}

#ifndef NDEBUG

static _Thread_local char this_thread; // its address is the name of the thread

void kith_world_enter(kith_world *world, int change)
{
    world->entered += change;
    atomic_store_explicit(&world->thread, world->entered == 0 ? NULL : &this_thread,
                          memory_order_relaxed);
}

bool kith_require_thread(const kith_world *world, const char *call)
{
    const char      *other = atomic_load_explicit(&world->thread, memory_order_relaxed);
    const kith_error error = { .code    = KITH_ERROR_BUSY,
                               .call    = call,
                               .subject = "another thread uses the world" };
    return other == NULL || other == &this_thread || world->in_stage ||
           kith_world_report_error(world, &error);
}

#endif

bool kith_require_unlocked(kith_world *world, const char *call)
{
    return kith_require_unlocked_for(world, call, 0, KITH_NULL);
}

// The storage, or NULL when the component is not registered or the checked system that is running
// did not declare the access.
KITH_NOINLINE static kith_storage *declared_storage(const kith_world *world,
                                                    kith_component component, unsigned kinds)
{
    bool denied = (kinds & KITH_ASIDE) == 0 && component <= KITH_COMPONENT_MAX &&
                  kith_access_denied(world, component, (kinds & KITH_READS) == 0);
    return denied ? NULL : kith_world_storage(world, component);
}

// Returns the storage in a directory of the head, or NULL when the call may not use it.
static inline kith_storage *find_storage(const kith_world *world, kith_pool_head_ *const *pools,
                                         kith_component component, unsigned kinds)
{
    kith_storage *storage = KITH_LIKELY_(world->access_check == NULL)
                                ? kith_pools_storage(pools, component)
                                : declared_storage(world, component, kinds);
    return storage != NULL && (kinds >> storage->access & 1) != 0 ? storage : NULL;
}

// The reason why find_storage returns NULL.
KITH_NOINLINE static kith_error storage_error(const kith_world *world, kith_component component,
                                              unsigned kinds, const char *call)
{
    const kith_storage *storage = kith_world_storage(world, component);
    if (storage != NULL && declared_storage(world, component, kinds) == NULL) {
        return kith_access_error(world, component, (kinds & KITH_READS) == 0, call);
    }
    return (kith_error){ .code      = storage == NULL ? KITH_ERROR_UNREGISTERED : KITH_ERROR_KIND,
                         .call      = call,
                         .component = component,
                         .have      = storage == NULL ? 0 : storage->access };
}

const kith_storage *kith_storage_for_read(const kith_world *world, kith_component component,
                                          unsigned kinds, const char *call)
{
    const kith_storage *storage =
        find_storage(world, world->head.pools_, component, kinds | KITH_READS);
    if (KITH_UNLIKELY_(storage == NULL)) {
        kith_error error = storage_error(world, component, kinds | KITH_READS, call);
        kith_world_name_declared(world, &error);
        kith_world_report_error(world, &error);
    }
    return storage;
}

KITH_NOINLINE static kith_storage *no_storage(kith_world *world, kith_component component,
                                              kith_entity entity, unsigned kinds, const char *call)
{
    kith_error error = storage_error(world, component, kinds, call);
    error.entity     = entity;
    kith_world_name_declared(world, &error);
    kith_world_fail(world, &error);
    return NULL;
}

kith_storage *kith_storage_for_mut(kith_world *world, kith_component component, kith_entity entity,
                                   unsigned kinds, const char *call)
{
    kith_storage *storage = find_storage(world, world->head.writable_, component, kinds);
    return KITH_LIKELY_(storage != NULL) ? storage
                                         : no_storage(world, component, entity, kinds, call);
}

kith_storage *kith_storage_for_write(kith_world *world, kith_component component,
                                     kith_entity entity, unsigned kinds, const char *call)
{
    kith_storage *storage = kith_storage_for_mut(world, component, entity, kinds, call);
    bool open = storage != NULL && kith_require_unlocked_for(world, call, component, entity);
    return open ? storage : NULL;
}

bool kith_require_array(kith_world *world, const void *array, uint32_t count, const char *call)
{
    static const char missing[] = "there is no array";
    return array != NULL || count == 0 || kith_world_mistake(world, call, missing, NULL);
}
