// SPDX-License-Identifier: MIT
// The clone of the world takes its place, or goes again: in both cases nothing may be different.
#include "model_internal.h"
#include "verb_pair.h"

#include <string.h>

// Half of the clones take the world's place.
static bool moves_in(const argument *a)
{
    return a->number % 2 == 0;
}

// As the old world is, or with an allocator that is described anew, and in one block.
static kith_world *clone_as_described(stage *s, const argument *a)
{
    kith_world_desc own  = { .user = kith_world_user(s->world), .index_bits = 3 };
    own.memory           = a->number / 4 % 4 == 0 ? 1u << 23 : 0;
    kith_world_desc desc = stage_world_desc(s, &own);
    return kith_world_clone(s->world, a->number / 2 % 2 == 0 ? NULL : &desc);
}

static kith_reactive *twin_of(const stage *s, const kith_reactive *set, const kith_world *clone)
{
    uint32_t place = 0;
    while (set != NULL && kith_reactive_at(s->world, place) != set) {
        place++;
    }
    return set == NULL ? NULL : kith_reactive_at(clone, place);
}

static void find_twins(stage *s, kith_world *clone)
{
    for (uint32_t i = 0; i < STAGE_GROUPS; i++) {
        kith_group *group = s->groups[i];
        s->groups[i]      = group == NULL ? NULL : kith_group_of(clone, kith_group_describe(group));
    }
    for (uint32_t i = 0; i < STAGE_PATHS; i++) {
        kith_path  *path  = s->paths[i];
        kith_queue *queue = s->queues_of_events[i];
        s->paths[i]       = path == NULL ? NULL : kith_path_of(clone, kith_path_describe(path));
        s->sets[i]        = twin_of(s, s->sets[i], clone);
        s->queues_of_events[i] =
            queue == NULL ? NULL : kith_queue_find(clone, kith_queue_describe(queue)->name);
    }
}

// The groups of tracked systems, which are not in the clone, go if the stage has no pointer to
// them.
static void leave_systems(stage *s, kith_world *clone)
{
    for (uint32_t i = 0; i < STAGE_SYSTEMS; i++) {
        const kith_system_desc *desc =
            s->systems[i] == NULL ? NULL : kith_system_describe(s->systems[i]);
        if (desc != NULL && desc->tracked) {
            kith_group *group = kith_group_of(clone, desc->query);
            bool        kept  = false;
            for (uint32_t k = 0; k < STAGE_GROUPS; k++) {
                kept = kept || s->groups[k] == group;
            }
            if (!kept) {
                kith_group_drop(group);
            }
        }
        s->systems[i] = NULL;
    }
}

static void forget_cursors(stage *s)
{
    memset(s->cursors, 0, sizeof s->cursors);
    memset(s->cursor_queries, 0, sizeof s->cursor_queries);
    memset(s->model_cursors, 0, sizeof s->model_cursors);
    memset(s->pairs_cursors, 0, sizeof s->pairs_cursors);
    memset(s->choices_cursors, 0, sizeof s->choices_cursors);
    memset(s->typed_cursors, 0, sizeof s->typed_cursors);
    memset(s->each_cursor, 0, sizeof s->each_cursor);
}

static void move_into(stage *s, kith_world *clone)
{
    find_twins(s, clone);
    leave_systems(s, clone);
    forget_cursors(s);
    memset(s->queries, 0, sizeof s->queries);
    memset(s->connected, 0, sizeof s->connected);
    memset(s->listeners, 0, sizeof s->listeners); // a later world may be where an earlier one was
    memset(s->singletons, 0, sizeof s->singletons);
    stage_drop_frames(s);
    kith_world_destroy(s->world);
    s->world         = clone;
    s->reported_from = clone;
}

static void real_world_clone(stage *s, const argument *a, verb_answer *answer)
{
    kith_world *clone = clone_as_described(s, a);
    answer->result    = clone != NULL;
    if (clone == NULL) {
        return;
    }
    answer->list[0] = kith_world_validate(s->world, NULL) && kith_world_validate(clone, NULL);
    answer->length  = 1;
    if (moves_in(a)) {
        move_into(s, clone);
    } else {
        kith_world_destroy(clone);
    }
}

static void naive_world_clone(stage *s, const argument *a, verb_answer *answer)
{
    answer->result = model_world_clone(&s->model);
    if (answer->result == 0) {
        return;
    }
    answer->list[0] = 1;
    answer->length  = 1;
    if (!moves_in(a)) {
        model_world_destroy(&s->model); // what was copied is destructed
        return;
    }
    model_world_move(&s->model);
    memset(s->model_queries, 0, sizeof s->model_queries);
    memset(s->model_connected, 0, sizeof s->model_connected);
    memset(s->model_listeners, 0, sizeof s->model_listeners);
    s->system_visits = s->model_system_visits;
}

// The place of a set in the world is that in the list of those that were made and not destroyed.
static void real_reactive_at(stage *s, const argument *a, verb_answer *answer)
{
    const kith_reactive *set = kith_reactive_at(s->world, a->path);
    answer->result           = set == NULL ? 0 : kith_reactive_describe(set)->condition_count;
}

static void naive_reactive_at(stage *s, const argument *a, verb_answer *answer)
{
    const model *m = &s->model;
    answer->result = a->path < m->reactive_count ? m->reactives[a->path].condition_count : 0;
}

// ---------------------------------------------------------------------------------------------
// Merging: the world comes into a second one, twice, of which the second time changes nothing.
// ---------------------------------------------------------------------------------------------

static bool has_come(const kith_world *second, const kith_world *world)
{
    kith_component id   = 0;
    bool           same = kith_entity_count(second) == kith_entity_count(world);
    while ((id = kith_component_next(world, id)) != 0) {
        const kith_component_desc *desc = kith_component_describe(world, id);
        bool                       kept = desc->traits.saved.form != KITH_FORM_TRANSIENT;
        if (desc->kind == KITH_KIND_SINGLETON) {
            same = same && (kith_singleton_get(second, id) != NULL) ==
                               (kept && (kith_singleton_get(world, id) != NULL));
        } else {
            uint32_t count = kept ? kith_component_count(world, id) : 0;
            bool     lists = strstr(desc->name, ".holders") != NULL; // those without holders stay
            same           = same && (lists || kith_component_count(second, id) == count);
        }
    }
    return same && kith_world_validate(second, NULL);
}

static bool merges_twice(kith_world *second, const kith_world *world, const kith_bytes *bytes)
{
    uint64_t    once  = 0;
    uint64_t    twice = 0;
    kith_merge *merge = kith_merge_create(second);
    bool        good  = kith_merge_apply(merge, NULL, bytes->data, bytes->size).code == KITH_OK &&
                has_come(second, world) && kith_world_hash_full(second, KITH_ALL, &once) &&
                kith_merge_apply(merge, NULL, bytes->data, bytes->size).code == KITH_OK &&
                kith_world_hash_full(second, KITH_ALL, &twice) && once == twice;
    kith_entity first = kith_entity_next(world, KITH_NULL);
    good              = good && kith_merge_remote(merge, kith_merge_local(merge, first)) == first;
    return kith_merge_destroy(merge) && good;
}

static void real_merge_world(stage *s, const argument *a, verb_answer *answer)
{
    (void)a;
    kith_bytes bytes = { .data = NULL };
    answer->result   = kith_world_save_memory(s->world, NULL, &bytes).code;
    if (answer->result == KITH_OK) {
        kith_world *second = verb_second_world(s->world, (kith_world_desc){ 0 });
        answer->list[0]    = merges_twice(second, s->world, &bytes);
        answer->length     = 1;
        kith_world_destroy(second);
    }
    kith_bytes_free(&bytes);
}

static bool can_be_saved(const model *m)
{
    bool can = true;
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        bool                   there     = component->present || model_members(component) != 0;
        can = can && !(there && component->desc.size != 0 && !component->is_tree &&
                       component->desc.traits.saved.form == KITH_FORM_NONE);
    }
    return can;
}

static void naive_merge_world(stage *s, const argument *a, verb_answer *answer)
{
    const model *m = &s->model;
    (void)a;
    answer->result  = model_held(m)     ? KITH_ERROR_BUSY
                      : can_be_saved(m) ? KITH_OK
                                        : KITH_ERROR_UNSAVED;
    answer->length  = answer->result == KITH_OK;
    answer->list[0] = 1;
}

const verb verb_clones[] = {
    OTHER_ROW(world_clone, "clone_world(%b)", 12,
              VERB_BUSY | VERB_FORGETS | VERB_OTHER_WORLD | VERB_CONST),
    OTHER_ROW(reactive_at, "kith_reactive_at(world, %Y)", 2, ASKS),
    OTHER_ROW(merge_world, "merge_world()", 2, VERB_SMOOTH),
};

const uint32_t verb_clone_count = sizeof verb_clones / sizeof *verb_clones;
