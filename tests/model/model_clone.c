// SPDX-License-Identifier: MIT
// The model of cloning a world: the copy hooks that run, and the state afterwards.
#include "model_internal.h"

#include <string.h>

// Runs the copy hooks of a component. Returns false when one says no, with an error that is
// reported.
static bool copy_component(model *m, const model_component *component)
{
    model_error record = m->record;
    bool        made   = !component->present ||
                model_make_value(m, component, &component->number, component->desc.id, KITH_NULL);
    for (uint32_t row = 0; row < component->row_count && made; row++) {
        const model_row *one = &component->rows[row];
        made                 = one->entity == KITH_NULL ||
               model_make_value(m, component, &one->number, component->desc.id, one->entity);
    }
    m->record = record;
    return made;
}

// What was copied when `logged` hooks had been called is destructed: all but the last.
static void end_copies(model *m, uint32_t logged)
{
    uint32_t end = m->life_count - 1;
    for (uint32_t i = logged; i < end; i++) {
        m->life[m->life_count]         = m->life[i];
        m->life[m->life_count++].event = 'd';
    }
}

static void forget_listeners(model *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->listener_count; i++) {
        m->listeners[kept] = m->listeners[i];
        kept += m->listeners[i].set != 0 || m->listeners[i].is_tree || m->listeners[i].is_link;
    }
    m->listener_count = kept;
}

static void forget_systems(model *m)
{
    for (uint32_t i = 0; i < m->system_count; i++) {
        if (m->systems[i].group != 0) {
            model_group_point(m, m->systems[i].group); // the stage asks for it, and drops it
            model_group_untrack(m, m->systems[i].group);
        }
    }
    m->system_count = 0;
}

void model_world_move(model *m)
{
    model_world_destroy(m);
    forget_listeners(m);
    forget_systems(m);
    memset(m->stored, 0, sizeof m->stored);
    m->record = (model_error){ 0 };
}

bool model_world_clone(model *m)
{
    uint32_t logged = m->life_count;
    if (m->busy || model_held(m)) {
        model_report(m, KITH_ERROR_BUSY, 0, KITH_NULL);
        return false;
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        if (!copy_component(m, &m->components[i])) {
            end_copies(m, logged);
            return false;
        }
    }
    return true;
}
