// SPDX-License-Identifier: MIT
// The model of frames: a frame is a copy of the whole model, of which restoring takes back what is
// state of the world.
#include "model_internal.h"

#include <stddef.h>
#include <string.h>

static model copies[MODEL_RINGS][MODEL_FRAMES]; // by the number of the frame

static model *copy_of(const model_frames *frames, uint64_t frame)
{
    return &copies[frames->ring][frame % MODEL_FRAMES];
}

void model_frames_forget(model_frames *frames, uint64_t oldest)
{
    if (oldest == 0 || oldest > frames->newest) {
        *frames = (model_frames){ .ring = frames->ring };
        return;
    }
    frames->oldest = frames->oldest < oldest ? oldest : frames->oldest;
    frames->base   = frames->base < oldest ? 0 : frames->base;
}

static bool is_transient(const model_component *component)
{
    return component->desc.traits.saved.form == KITH_FORM_TRANSIENT;
}

// A component whose values hooks destruct and do not copy; 0: there is none.
static kith_component find_uncopyable(const model *m)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        const kith_hooks      *hooks     = &component->desc.traits.hooks;
        bool                   there     = component->present || model_members(component) != 0;
        if (there && hooks->destruct != NULL && hooks->copy == NULL && !is_transient(component)) {
            return component->desc.id;
        }
    }
    return 0;
}

// The model without the components that it does not have, which are most of its bytes.
static void copy_model(model *to, const model *from)
{
    size_t begin = offsetof(model, components);
    size_t end   = offsetof(model, component_count);
    memcpy(to, from, begin);
    memcpy(to->components, from->components, from->component_count * sizeof *from->components);
    memcpy((char *)to + end, (const char *)from + end, sizeof *to - end);
}

uint64_t model_frames_save(model *m, model_frames *frames)
{
    if (model_blocked(m, 0, KITH_NULL)) {
        return 0;
    }
    kith_component uncopyable = find_uncopyable(m);
    if (uncopyable != 0) {
        return model_fail(m, KITH_ERROR_ARGUMENT, uncopyable, KITH_NULL);
    }
    uint64_t number = 1 + (frames->base == 0 ? frames->newest : frames->base);
    bool     first  = frames->oldest == 0;
    m->ticks++;
    copy_model(copy_of(frames, number), m);
    frames->newest = number;
    frames->base   = number;
    frames->oldest = first ? number : frames->oldest;
    frames->oldest += frames->newest - frames->oldest == MODEL_FRAMES;
    return number;
}

// ---------------------------------------------------------------------------------------------
// The setup
// ---------------------------------------------------------------------------------------------

static bool asks_for_changes(const model_stored *stored)
{
    return stored->in_use && model_query_asks_for_changes(&stored->query);
}

static bool has_queries_of(const model *m, const model *then)
{
    bool same = true;
    for (uint32_t i = 0; i < MODEL_QUERIES && same; i++) {
        const model_stored *a = &m->stored[i];
        const model_stored *b = &then->stored[i];
        same                  = asks_for_changes(a) == asks_for_changes(b) &&
               (!asks_for_changes(a) || a->made == b->made);
    }
    return same;
}

static bool has_things_of(const model *m, const model *then)
{
    bool same = m->group_count == then->group_count && m->reactive_count == then->reactive_count &&
                m->queue_count == then->queue_count && m->system_count == then->system_count &&
                m->path_count == then->path_count;
    for (uint32_t i = 0; i < m->path_count && same; i++) {
        const model_path *a = &m->paths[i];
        const model_path *b = &then->paths[i];
        same = a->count == b->count && memcmp(a->ids, b->ids, a->count * sizeof *a->ids) == 0;
    }
    for (uint32_t i = 0; i < m->group_count && same; i++) {
        same = m->groups[i].made == then->groups[i].made;
    }
    for (uint32_t i = 0; i < m->reactive_count && same; i++) {
        same = m->reactives[i].number == then->reactives[i].number;
    }
    for (uint32_t i = 0; i < m->system_count && same; i++) {
        same = m->systems[i].made == then->systems[i].made;
    }
    for (uint32_t i = 0; i < MODEL_NOTES && same; i++) {
        same = m->notes[i].made == then->notes[i].made &&
               (!m->notes[i].made || m->notes[i].serial == then->notes[i].serial);
    }
    return same && has_queries_of(m, then);
}

// A hierarchy has its own hooks.
static bool has_other_hooks(const model_component *now, const model_component *then)
{
    const kith_hooks *hooks = &now->desc.traits.hooks;
    return now->is_tree ? !then->is_tree
                        : memcmp(hooks, &then->desc.traits.hooks, sizeof *hooks) != 0;
}

// Whether the setup is the same. If not, `*component` is the one that differs, or 0.
static bool has_setup_of(const model *m, const model *then, kith_component *component)
{
    bool same  = m->component_count == then->component_count && has_things_of(m, then);
    *component = 0;
    for (uint32_t i = 0; i < m->component_count && same; i++) {
        same = m->components[i].limit == then->components[i].limit &&
               !has_other_hooks(&m->components[i], &then->components[i]);
        *component = same ? 0 : m->components[i].desc.id;
    }
    return same && m->limit == then->limit;
}

static bool has_frame(const model_frames *frames, uint64_t frame)
{
    return frames->oldest != 0 && frame >= frames->oldest && frame <= frames->newest;
}

bool model_frames_usable(const model *m, const model_frames *frames, uint64_t frame)
{
    kith_component other;
    return has_frame(frames, frame) && has_setup_of(m, copy_of(frames, frame), &other);
}

// ---------------------------------------------------------------------------------------------
// Going back
// ---------------------------------------------------------------------------------------------

static void restore_entities(model *m, const model *then)
{
    memcpy(m->slots, then->slots, sizeof m->slots);
    memcpy(m->free_list, then->free_list, sizeof m->free_list);
    m->slot_count = then->slot_count;
    m->free_count = then->free_count;
    m->ticks      = then->ticks;
}

// No entity has transient components after a restore.
static void leave_out_transient(model_component *component)
{
    if (is_transient(component)) {
        component->row_count  = 0;
        component->hole_count = 0;
        component->present    = false;
    }
}

// Pages stay, and the address of a singleton is another one.
static void restore_component(model_component *component, const model_component *then)
{
    uint32_t room        = component->room;
    uint32_t additions   = component->additions;
    *component           = *then;
    component->room      = room;
    component->additions = additions + 1;
    leave_out_transient(component);
    model_record_room(component, component->row_count);
}

static void restore_group(model_group *group, const model_group *then)
{
    group->members = then->members;
    memcpy(group->list, then->list, sizeof group->list);
}

// Its turns are counted on.
static void restore_system(model_system *system, const model_system *then)
{
    uint32_t turns   = system->turns;
    uint32_t visited = system->visited;
    *system          = *then;
    system->turns    = turns;
    system->visited  = visited;
}

static void restore_things(model *m, const model *then)
{
    for (uint32_t i = 0; i < m->group_count; i++) {
        restore_group(&m->groups[i], &then->groups[i]);
    }
    for (uint32_t i = 0; i < MODEL_QUERIES; i++) {
        if (asks_for_changes(&m->stored[i])) {
            m->stored[i].query.since = then->stored[i].query.since;
        }
    }
    for (uint32_t i = 0; i < m->system_count; i++) {
        uint32_t query = m->systems[i].query;
        restore_system(&m->systems[i], &then->systems[i]);
        if (query != 0) {
            m->stored[query - 1].query.since = then->stored[query - 1].query.since;
        }
    }
    memcpy(m->reactives, then->reactives, m->reactive_count * sizeof *m->reactives);
    memcpy(m->queues, then->queues, m->queue_count * sizeof *m->queues);
    memcpy(m->trees, then->trees, m->tree_count * sizeof *m->trees);
    memcpy(m->holdings, then->holdings, sizeof m->holdings);
    memcpy(m->notes, then->notes, sizeof m->notes);
}

static const model *find_copy(model *m, const model_frames *frames, uint64_t frame)
{
    kith_component other = 0;
    bool           there = has_frame(frames, frame);
    if (!there || !has_setup_of(m, copy_of(frames, frame), &other)) {
        model_fail(m, there ? KITH_ERROR_CONFLICT : KITH_ERROR_ARGUMENT, other, KITH_NULL);
        return NULL;
    }
    return copy_of(frames, frame);
}

const model *model_frames_look(model *m, const model_frames *frames, uint64_t frame)
{
    static model seen;
    const model *then = find_copy(m, frames, frame);
    if (then == NULL) {
        return NULL;
    }
    copy_model(&seen, then);
    for (uint32_t i = 0; i < seen.component_count; i++) {
        leave_out_transient(&seen.components[i]);
    }
    model_regroup(&seen);
    return &seen;
}

bool model_frames_restore(model *m, model_frames *frames, uint64_t frame)
{
    const model *then = model_blocked(m, 0, KITH_NULL) ? NULL : find_copy(m, frames, frame);
    if (then == NULL) {
        return false;
    }
    restore_entities(m, then);
    for (uint32_t i = 0; i < m->component_count; i++) {
        restore_component(&m->components[i], &then->components[i]);
    }
    restore_things(m, then);
    model_regroup(m);
    frames->base = frame;
    model_announce_replaced(m, model_world_now(m) - 1);
    return true;
}

void model_frames_announce(model *m, const model_frames *frames, uint64_t frame)
{
    model_announce_replaced(m, model_world_now(copy_of(frames, frame)));
}
