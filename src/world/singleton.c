// SPDX-License-Identifier: MIT
#include "world/world.h"

// A singleton lives in a block of its own, held by its column. The column's pool has no rows; it
// lends its hooks, its layout and, where there are hooks, the spare place for a value that is being
// replaced.

static void *fail_single(kith_world *world, const kith_column *column, kith_error_code code,
                         const char *call, const char *hook)
{
    kith_world_refuse_because(world, code, call, column->desc.id, hook, column->desc.name);
    return NULL;
}

// Whether an event of the singleton that is heard can be announced.
static bool nestable(kith_world *world, const kith_column *column, kith_event event,
                     const char *call)
{
    return column->events[event].count == 0 || kith_world_nestable(world, call, column->desc.id);
}

// The column for a call that changes the singleton, or NULL and an error.
static kith_column *open_single(kith_world *world, kith_component component, const char *call)
{
    kith_column *column = kith_world_open(world, component, KITH_NULL, KITH_SINGLE, call);
    bool         leaving =
        column != NULL && world->nested != 0 && kith_world_dying(world, column, KITH_NULL, call);
    return leaving ? NULL : column;
}

// Makes the value where there is none. NULL when memory runs out; `*refused` when a hook says no.
static void *make_single(kith_world *world, kith_column *column, const void *value, bool *refused)
{
    void *fresh = kith_column_alloc_single(column, &world->memory);
    if (fresh == NULL) {
        return NULL;
    }
    kith_world_enter(world);
    *refused = !kith_pool_construct(&column->pool, fresh, value);
    kith_world_leave(world);
    if (*refused) {
        kith_column_free_single(column, &world->memory, fresh);
        return NULL;
    }
    return fresh;
}

static void *put_single(kith_world *world, kith_column *column, const void *value, const char *call)
{
    kith_event event   = column->single == NULL ? KITH_EVENT_ADD : KITH_EVENT_SET;
    bool       refused = false;
    if (!nestable(world, column, event, call)) {
        return NULL;
    }
    if (!column->pool.plain && !kith_pool_reserve_spare(&column->pool, &world->memory)) {
        return fail_single(world, column, KITH_ERROR_MEMORY, call, NULL);
    }
    if (column->single == NULL) {
        column->single = make_single(world, column, value, &refused);
    } else {
        kith_world_enter(world);
        refused = !kith_pool_replace(&column->pool, column->single, value);
        kith_world_leave(world);
    }
    if (refused) {
        return fail_single(world, column, KITH_ERROR_HOOK, call,
                           value == NULL ? "construct" : "copy");
    }
    if (column->single == NULL) {
        return fail_single(world, column, KITH_ERROR_MEMORY, call, NULL);
    }
    if (column->events[event].count != 0) {
        kith_world_announce_news(world, &column->events[event], event, column->desc.id, KITH_NULL);
    }
    return column->single;
}

KITH_API void *kith_singleton_set(kith_world *world, kith_component component, const void *value)
{
    kith_column *column = open_single(world, component, "kith_singleton_set");
    return column == NULL ? NULL : put_single(world, column, value, "kith_singleton_set");
}

KITH_API void *kith_singleton_add(kith_world *world, kith_component component)
{
    kith_column *column = open_single(world, component, "kith_singleton_add");
    if (column == NULL || column->single != NULL) {
        return column == NULL ? NULL : column->single;
    }
    return put_single(world, column, NULL, "kith_singleton_add");
}

KITH_API const void *kith_singleton_get(const kith_world *world, kith_component component)
{
    const kith_column *column = kith_world_ask(world, component, KITH_SINGLE, "kith_singleton_get");
    return column == NULL ? NULL : column->single;
}

KITH_API void *kith_singleton_mut(kith_world *world, kith_component component)
{
    const kith_column *column =
        kith_world_reach(world, component, KITH_NULL, KITH_SINGLE, "kith_singleton_mut");
    return column == NULL ? NULL : column->single;
}

KITH_API bool kith_singleton_has(const kith_world *world, kith_component component)
{
    const kith_column *column = kith_world_ask(world, component, KITH_SINGLE, "kith_singleton_has");
    return column != NULL && column->single != NULL;
}

KITH_API bool kith_singleton_remove(kith_world *world, kith_component component)
{
    static const char call[] = "kith_singleton_remove";
    kith_column      *column = kith_world_open(world, component, KITH_NULL, KITH_SINGLE, call);
    if (column == NULL || column->single == NULL ||
        (world->nested != 0 && kith_world_dying(world, column, KITH_NULL, call)) ||
        !nestable(world, column, KITH_EVENT_REMOVE, call)) {
        return false;
    }
    if (column->events[KITH_EVENT_REMOVE].count == 0) {
        kith_world_pause(world);
        kith_world_leave_single(world, column);
        kith_world_resume(world);
        return true;
    }
    kith_world_begin_event(world, KITH_NULL, column, false);
    kith_world_announce(world, &column->events[KITH_EVENT_REMOVE], KITH_EVENT_REMOVE, component,
                        KITH_NULL);
    kith_world_leave_single(world, column);
    kith_world_end_event(world);
    return true;
}
