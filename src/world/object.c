// SPDX-License-Identifier: MIT
// Objects of the program: find or create, and destroy.
#include "world/world.h"

kith_object *kith_object_find(const kith_world *world, const char *kind, const char *key)
{
    kith_object *object = world->oldest;
    while (object != NULL && (object->key == NULL || strcmp(object->ops->kind, kind) != 0 ||
                              strcmp(object->key, key) != 0)) {
        object = object->next_;
    }
    return object;
}

kith_object *kith_object_with_state(kith_object *object)
{
    while (object != NULL && object->ops->state == NULL) {
        object = object->next_;
    }
    return object;
}

static const char call_of[] = "kith_object_of";

// Returns true = go on: nothing is missing. Otherwise reports an error.
static bool require_complete(kith_world *world, const kith_object_ops *ops, const char *key)
{
    const char *missing = key == NULL            ? "an object needs a key"
                          : ops == NULL          ? "an object needs functions"
                          : ops->kind == NULL    ? "an object needs a kind"
                          : ops->create == NULL  ? "an object needs a create function"
                          : ops->destroy == NULL ? "an object needs a destroy function"
                          : ops->state != NULL && ops->size < sizeof(kith_object)
                              ? "an object with state needs its size"
                              : NULL;
    return missing == NULL || kith_world_mistake(world, call_of, missing, key);
}

// Creates an object and makes it the world's. Returns NULL, with an error, when it cannot.
static kith_object *create_object(kith_world *world, const kith_object_ops *ops, const char *key)
{
    if (!kith_require_unlocked(world, call_of)) {
        return NULL;
    }
    kith_world_lock(world);
    kith_object *object = ops->create(world, key);
    kith_world_unlock(world);
    if (object == NULL) {
        kith_world_refuse(world, KITH_ERROR_MEMORY, call_of, 0, KITH_NULL);
        return NULL;
    }
    kith_object_link(world, object, ops);
    object->key = key;
    return object;
}

kith_object *kith_object_of(kith_world *world, const kith_object_ops *ops, const char *key)
{
    if (!require_complete(world, ops, key)) {
        return NULL;
    }
    kith_object *object = kith_object_find(world, ops->kind, key);
    if (object == NULL || object->ops == ops) {
        return object != NULL ? object : create_object(world, ops, key);
    }
    kith_world_mistake(world, call_of, "the object of this kind and key has other functions", key);
    return NULL;
}

bool kith_object_destroy(kith_object *object)
{
    if (object == NULL || !kith_require_unlocked(object->world, __func__)) {
        return object == NULL;
    }
    const char *name   = object->key;
    const char *reason = object->ops->busy == NULL ? NULL : object->ops->busy(object, &name);
    if (reason != NULL) {
        return kith_world_refuse_because(object->world, KITH_ERROR_BUSY, __func__, 0, reason, name);
    }
    kith_object_end(object);
    return true;
}
