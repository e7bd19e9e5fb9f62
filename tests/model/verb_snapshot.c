// SPDX-License-Identifier: MIT
// The world is saved and loaded in its own place. With exact state nothing differs afterwards;
// without it everything counts as changed. A limit of memory that is too low changes nothing.
#include "catalog.h"
#include "model_internal.h"
#include "verb_pair.h"

#include <string.h>

static bool wants_exact(const argument *a)
{
    return a->number % 2 == 0;
}

// The most bytes that loading may take: what is usual, any number, or too few for any file.
static size_t memory_limit(const argument *a)
{
    static const size_t limits[] = { 0, SIZE_MAX, 1 };
    return limits[a->number / 2 % 3];
}

// They would be gone.
static bool has_transient(const kith_world *world)
{
    kith_component id    = 0;
    bool           found = false;
    while ((id = kith_component_next(world, id)) != 0) {
        const kith_component_desc *desc = kith_component_describe(world, id);
        if (desc->traits.saved.form == KITH_FORM_TRANSIENT) {
            found =
                found || (desc->kind == KITH_KIND_SINGLETON ? kith_singleton_get(world, id) != NULL
                                                            : kith_component_count(world, id) != 0);
        }
    }
    return found;
}

static void real_world_reload(stage *s, const argument *a, verb_answer *answer)
{
    kith_save_desc desc   = { .exact = wants_exact(a) };
    kith_load_desc within = { .bytes = memory_limit(a) };
    kith_bytes     bytes  = { .data = NULL };
    uint64_t       before = 0;
    uint64_t       after  = 0;
    answer->result        = kith_world_save_memory(s->world, &desc, &bytes).code;
    if (answer->result == KITH_OK && !has_transient(s->world)) {
        // a listener may change the world before the load returns
        bool exact  = desc.exact && !model_has_listeners(&s->model, KITH_EVENT_REPLACED, 0);
        bool hashed = !exact || kith_world_hash_exact(s->world, &before);
        memset(s->singletons, 0, sizeof s->singletons);
        answer->list[0] = kith_world_load(s->world, &within, bytes.data, bytes.size).code;
        hashed          = hashed && (!exact || kith_world_hash_exact(s->world, &after));
        answer->list[1] = hashed && before == after;
        answer->length  = 2;
    }
    kith_bytes_free(&bytes);
}

static bool model_has_transient(const model *m)
{
    bool found = false;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        found = found || (component->desc.traits.saved.form == KITH_FORM_TRANSIENT &&
                          (component->present || model_members(component) != 0));
    }
    return found;
}

static void naive_world_reload(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_world_save(&s->model, wants_exact(a));
    if (answer->result == KITH_OK && !model_has_transient(&s->model)) {
        answer->list[0] = memory_limit(a) == 1 ? KITH_ERROR_LIMIT : KITH_OK;
        if (answer->list[0] == KITH_OK) {
            model_world_load(&s->model, wants_exact(a));
        }
        answer->list[1] = 1;
        answer->length  = 2;
    }
}

const verb verb_snapshots[] = {
    OTHER_ROW(world_reload, "reload_world(%b)", 24, VERB_SMOOTH | VERB_FORGETS),
};

const uint32_t verb_snapshot_count = sizeof verb_snapshots / sizeof *verb_snapshots;
