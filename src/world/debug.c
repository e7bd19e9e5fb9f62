// SPDX-License-Identifier: MIT
// What builds with KITH_DEBUG know of typed code: how it declares a component. It must be
// registered in the same way.
#include "world/world.h"

#ifdef KITH_DEBUG

kith_component kith_declared_id_(const kith_world *world, kith_component id,
                                 const kith_declared_ *as)
{
    const kith_storage *storage = kith_world_storage(world, id);
    kith_error error = { .code = KITH_ERROR_CONFLICT, .call = "kith_declared", .component = id };
    atomic_store_explicit(&((kith_world *)(uintptr_t)world)->declared[id], as,
                          memory_order_relaxed);
    if (storage == NULL) {
        return id; // the call itself reports it
    }
    if (strcmp(storage->desc.name, as->name) != 0) {
        error.other = as->name;
        kith_world_report_error(world, &error);
    } else if (storage->desc.size != as->size || storage->desc.kind != as->kind) {
        bool kind     = storage->desc.kind != as->kind;
        error.subject = kind ? "kind" : "size";
        error.have    = kind ? storage->desc.kind : storage->desc.size;
        error.want    = kind ? as->kind : as->size;
        kith_world_report_error(world, &error);
    }
    return id;
}

void kith_world_name_declared(const kith_world *world, kith_error *error)
{
    const kith_declared_ *as =
        error->component > KITH_COMPONENT_MAX
            ? NULL
            : atomic_load_explicit(&world->declared[error->component], memory_order_relaxed);
    if (as != NULL && error->code == KITH_ERROR_UNREGISTERED) {
        error->subject = as->place;
        error->other   = as->name;
    }
}

#else

typedef int kith_no_debug; // a file of C is not empty

#endif
