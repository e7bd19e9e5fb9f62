// SPDX-License-Identifier: MIT
#include "world/world.h"

// An empty pool with id 0. Lookups read it; nothing is ever written through it.
static const kith_pool_head_ no_pool;

KITH_INTERNAL kith_pool_head_ *kith_world_no_pool(void)
{
    return (kith_pool_head_ *)(uintptr_t)&no_pool;
}

KITH_INTERNAL void *kith_empty_value(void)
{
    static const uint8_t nothing[1];
    return (void *)(uintptr_t)nothing;
}

// A listener, or the error hook, is not the system.
KITH_INTERNAL bool kith_access_denied(const kith_world *world, kith_component component,
                                      bool written)
{
    const kith_access_check *gate = world->access_check;
    return gate != NULL && world->nested == 0 && !world->errors_muted &&
           !kith_ids_have(gate->writes, component) &&
           (written || !kith_ids_have(gate->reads, component));
}

KITH_INTERNAL kith_error kith_access_error(const kith_world *world, kith_component component,
                                           bool written, const char *call)
{
    return (kith_error){ .code      = KITH_ERROR_UNDECLARED,
                         .call      = call,
                         .component = component,
                         .subject   = written ? "writes" : "reads",
                         .other     = world->access_check->system };
}

static kith_error no_storage(const kith_storage *found, kith_component component, const char *call)
{
    return (kith_error){ .code      = found == NULL ? KITH_ERROR_UNREGISTERED : KITH_ERROR_KIND,
                         .call      = call,
                         .component = component,
                         .have      = found == NULL ? 0 : found->desc.kind };
}

static bool is_one_of(const kith_storage *storage, unsigned kinds)
{
    return storage != NULL && (kinds >> storage->desc.kind & 1) != 0;
}

KITH_INTERNAL const kith_storage *kith_storage_for_read(const kith_world *world,
                                                        kith_component component, unsigned kinds,
                                                        const char *call)
{
    const kith_storage *storage = kith_world_storage(world, component);
    bool                denied  = KITH_UNLIKELY_(world->access_check != NULL) && storage != NULL &&
                  (kinds & KITH_ASIDE) == 0 && kith_access_denied(world, component, false);
    if (KITH_LIKELY_(is_one_of(storage, kinds) && !denied)) {
        return storage;
    }
    kith_error error = denied ? kith_access_error(world, component, false, call)
                              : no_storage(storage, component, call);
    kith_world_report_error(world, &error);
    return NULL;
}

KITH_INTERNAL kith_storage *kith_storage_for_setup(kith_world *world, kith_component component,
                                                   kith_entity entity, unsigned kinds,
                                                   const char *call)
{
    kith_storage *storage = kith_world_storage(world, component);
    bool          written = (kinds & KITH_READS) == 0;
    bool          denied  = KITH_UNLIKELY_(world->access_check != NULL) && storage != NULL &&
                  (kinds & KITH_ASIDE) == 0 && kith_access_denied(world, component, written);
    if (KITH_LIKELY_(is_one_of(storage, kinds) && !denied)) {
        return storage;
    }
    kith_error error = denied ? kith_access_error(world, component, written, call)
                              : no_storage(storage, component, call);
    error.entity     = entity;
    kith_world_fail(world, &error);
    return NULL;
}

KITH_INTERNAL kith_storage *kith_storage_for_write(kith_world *world, kith_component component,
                                                   kith_entity entity, unsigned kinds,
                                                   const char *call)
{
    kith_storage *storage = kith_storage_for_setup(world, component, entity, kinds, call);
    return storage == NULL || !kith_require_unlocked_for(world, call, component, entity) ? NULL
                                                                                         : storage;
}

KITH_INTERNAL bool kith_require_array(kith_world *world, const void *array, uint32_t count,
                                      const char *call)
{
    return array != NULL || count == 0 ||
           kith_world_refuse_because(world, KITH_ERROR_ARGUMENT, call, 0, "there is no array",
                                     NULL);
}
