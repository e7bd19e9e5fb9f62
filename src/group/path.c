// SPDX-License-Identifier: MIT
// Paths: arrangements that a world keeps, and the text of explain.
#include "group/group.h"

#include <inttypes.h>

// --- find or make, drop ----------------------------------------------------------------------

// A path, its components and its name are one allocation.
static size_t path_bytes(const kith_path_desc *desc)
{
    return sizeof(kith_path) + desc->component_count * sizeof *desc->components +
           kith_name_bytes(desc->name);
}

bool kith_path_has(const kith_path *path, const kith_storage *storage)
{
    bool found = false;
    for (uint32_t i = 0; i < path->desc.component_count && !path->dropped; i++) {
        found = found || path->storages[i] == storage;
    }
    return found;
}

// Makes each storage belong to the oldest path that has it now, if there is one.
static void bind_storages(const kith_world *world, kith_storage *const *storages, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kith_path *path = world->paths;
        while (path != NULL && !kith_path_has(path, storages[i])) {
            path = path->next;
        }
        storages[i]->path = path;
    }
}

static void destroy_path(kith_object *object)
{
    const kith_path *path = (const kith_path *)object;
    kith_free(&object->world->memory, object, path_bytes(&path->desc), KITH_CACHE_LINE);
}

static size_t bytes_of_path(const kith_object *object)
{
    return path_bytes(&((const kith_path *)object)->desc);
}

static const kith_object_ops path_ops = { .destroy = destroy_path, .bytes = bytes_of_path };

static kith_path *alloc_path(kith_world *world, const kith_path_desc *desc,
                             kith_storage *const *storages)
{
    kith_path *path = kith_alloc(&world->memory, path_bytes(desc), KITH_CACHE_LINE);
    if (path == NULL) {
        kith_world_refuse(world, KITH_ERROR_MEMORY, "kith_path_of", 0, KITH_NULL);
        return NULL;
    }
    kith_component *components = (kith_component *)(void *)(path + 1);
    *path                      = (kith_path){ .desc = *desc, .dropped = true };
    memcpy(components, desc->components, desc->component_count * sizeof *components);
    memcpy(path->storages, storages, desc->component_count * sizeof(kith_storage *));
    path->desc.components = components;
    path->desc.name       = kith_name_copy(components + desc->component_count, desc->name);
    kith_object_link(world, &path->object, &path_ops);
    return path;
}

kith_path *kith_path_of(kith_world *world, const kith_path_desc *desc)
{
    kith_storage *storages[KITH_PATH_COMPONENTS_MAX];
    if (!kith_require_unlocked(world, __func__) ||
        !kith_arrangement_storages(world, desc->components, desc->component_count, storages,
                                   __func__)) {
        return NULL;
    }
    kith_path **place = &world->paths; // of the path with these components, or the end of the list
    while (*place != NULL && ((*place)->desc.component_count != desc->component_count ||
                              memcmp((*place)->desc.components, desc->components,
                                     desc->component_count * sizeof *desc->components) != 0)) {
        place = &(*place)->next;
    }
    kith_path *path = *place != NULL ? *place : alloc_path(world, desc, storages);
    if (path != NULL && path->dropped) { // it becomes the youngest path
        *place = path->next;
        for (; *place != NULL; place = &(*place)->next) {
        }
        *place        = path;
        path->next    = NULL;
        path->dropped = false;
        bind_storages(world, storages, desc->component_count);
    }
    return path;
}

bool kith_world_copy_paths(kith_world *world, const kith_world *from)
{
    for (const kith_path *path = from->paths; path != NULL; path = path->next) {
        if (path->dropped) {
            continue;
        }
        kith_path *copy = kith_path_of(world, &path->desc);
        if (copy == NULL) {
            return false;
        }
        copy->arranged = path->arranged;
        for (uint32_t i = 0; i < path->desc.component_count && path->arranged; i++) {
            copy->states[i]         = path->states[i];
            copy->states[i].storage = world->storages[path->states[i].storage->order];
        }
    }
    return true;
}

bool kith_path_drop(kith_path *path)
{
    if (path == NULL || !kith_require_unlocked(path->object.world, "kith_path_drop")) {
        return path == NULL;
    }
    path->dropped  = true;
    path->arranged = false;
    bind_storages(path->object.world, path->storages, path->desc.component_count);
    return true;
}

const kith_path_desc *kith_path_describe(const kith_path *path)
{
    return &path->desc;
}

// --- arranging -------------------------------------------------------------------------------

static kith_path_state state_of_storage(const kith_arrangement *job, uint32_t i)
{
    const kith_storage *storage = job->storages[i];
    return (kith_path_state){ storage, storage->pool.set.moves, storage->pool.set.head.rows_,
                              job->fixed[i] };
}

// Whether the storages lead in the same order as when the path was arranged, in the same states.
static bool still_arranged(const kith_path *path, const kith_arrangement *job)
{
    bool same = path->arranged;
    for (uint32_t i = 0; i < job->count && same; i++) {
        kith_path_state now = state_of_storage(job, i);
        kith_path_state was = path->states[i];
        same = was.storage == now.storage && was.moves == now.moves && was.rows == now.rows &&
               was.fixed == now.fixed;
    }
    return same;
}

static kith_arrangement arrangement_of(const kith_path *path)
{
    kith_arrangement job;
    kith_arrangement_init(&job, path->object.world, path->storages, path->desc.component_count,
                          path);
    return job;
}

bool kith_path_arranged(const kith_path *path)
{
    kith_arrangement job = arrangement_of(path);
    return still_arranged(path, &job);
}

// Arranges a path that is not dropped; returns how many exchanges it made.
static uint32_t arrange_path(kith_path *path, uint32_t budget, const char *call)
{
    kith_arrangement job      = arrangement_of(path);
    bool             declared = true; // by the running system
    for (uint32_t i = 0; i < path->desc.component_count && declared; i++) {
        declared = kith_storage_for_mut(path->object.world, path->storages[i]->desc.id, KITH_NULL,
                                        KITH_ANY_KIND, call) != NULL;
    }
    if (!declared || still_arranged(path, &job)) {
        return 0;
    }
    kith_world_lock(path->object.world);
    uint32_t made = kith_arrangement_run(&job, budget);
    kith_world_unlock(path->object.world);
    path->arranged = !job.stopped;
    for (uint32_t i = 0; i < job.count; i++) {
        path->states[i] = state_of_storage(&job, i);
    }
    return made;
}

uint32_t kith_path_arrange(kith_path *path, uint32_t budget)
{
    bool able = !path->dropped && kith_require_at_rest(path->object.world, __func__);
    return able ? arrange_path(path, budget, __func__) : 0;
}

uint32_t kith_path_arrange_all(kith_world *world, uint32_t budget)
{
    uint32_t left = budget;
    if (!kith_require_at_rest(world, __func__)) {
        return 0;
    }
    for (kith_path *path = world->paths; path != NULL && left != 0; path = path->next) {
        left -= path->dropped ? 0 : arrange_path(path, left, __func__);
    }
    return budget - left;
}

// --- explaining ------------------------------------------------------------------------------

static void explain_storage(kith_print *out, const kith_path *path, const kith_storage *storage,
                            uint32_t fixed)
{
    if (storage->path != path) {
        kith_print_format(out, ".\n\"%s\" stays as the path \"%s\" has it, and the others follow",
                          storage->desc.name, kith_name_shown(storage->path->desc.name));
    } else if (fixed != 0) {
        kith_print_format(out, ".\nthe first %" PRIu32 " rows of \"%s\" stay as a group has them",
                          fixed, storage->desc.name);
    }
}

size_t kith_path_explain(const kith_path *path, char *buffer, size_t size)
{
    kith_arrangement job = arrangement_of(path);
    kith_print       out = kith_print_start(buffer, size);
    kith_print_format(&out, "path \"%s\" ", kith_name_shown(path->desc.name));
    kith_print_format(&out, path->dropped                ? "is dropped:"
                            : still_arranged(path, &job) ? "is in order:"
                                                         : "is to be arranged:");
    for (uint32_t i = 0; i < job.count; i++) {
        kith_print_format(&out, "%s \"%s\" %" PRIu32, i == 0 ? "" : ",", job.storages[i]->desc.name,
                          job.storages[i]->pool.set.head.rows_);
    }
    for (uint32_t i = 0; i < job.count && !path->dropped; i++) {
        explain_storage(&out, path, job.storages[i], job.fixed[i]);
    }
    return out.length;
}
