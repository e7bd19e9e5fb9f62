// SPDX-License-Identifier: MIT
// Links: one list of { holder, target } in the order of arrival. The list of a target is what names
// it there.
#include "model_internal.h"

#include <assert.h>
#include <string.h>

static model_component *links_of(model *m)
{
    return model_component_lookup(m, m->holding.id);
}

static model_component *lists_of(model *m)
{
    return model_component_lookup(m, m->holding.lists);
}

// ---------------------------------------------------------------------------------------------
// Looking up
// ---------------------------------------------------------------------------------------------

// The place of the holder; the count if it is in no list.
static uint32_t place_of(const model_holding *holding, kith_entity holder)
{
    uint32_t at = 0;
    while (at < holding->count && holding->pairs[at].holder != holder) {
        at++;
    }
    return at;
}

uint32_t model_holders_list(const model *m, kith_entity target, kith_entity *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->holding.count; i++) {
        if (m->holding.pairs[i].target == target) {
            list[count++] = m->holding.pairs[i].holder;
        }
    }
    return count;
}

static uint32_t number_of(kith_entity holder)
{
    return holder == KITH_NULL ? 0 : model_entity_index(holder) + 1;
}

// Its neighbours among the holders of its target.
static void find_beside(const model *m, kith_entity holder, kith_entity *before, kith_entity *after)
{
    kith_entity list[MODEL_ROWS];
    uint32_t    place = place_of(&m->holding, holder);
    bool        found = place < m->holding.count;
    uint32_t    count = found ? model_holders_list(m, m->holding.pairs[place].target, list) : 0;
    *before = *after = KITH_NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == holder) {
            *before = i > 0 ? list[i - 1] : KITH_NULL;
            *after  = i + 1 < count ? list[i + 1] : KITH_NULL;
        }
    }
}

void model_link_value(const model *m, const model_row *row, kith_link *link)
{
    kith_entity before;
    kith_entity after;
    find_beside(m, row->entity, &before, &after);
    *link = (kith_link){ row->target, number_of(before), number_of(after), 0 };
}

void model_list_value(const model *m, kith_entity target, kith_holder_list *value)
{
    kith_entity list[MODEL_ROWS];
    uint32_t    count = model_holders_list(m, target, list);
    *value            = (kith_holder_list){ count == 0 ? 0 : number_of(list[0]),
                                 count == 0 ? 0 : number_of(list[count - 1]), count, 0 };
}

// ---------------------------------------------------------------------------------------------
// Joining and leaving
// ---------------------------------------------------------------------------------------------

static void touch_row_of(model *m, model_component *component, kith_entity entity)
{
    uint32_t row = model_row_of(component, entity);
    if (row != KITH_NO_ROW) {
        model_touch(m, component, row);
    }
}

static void touch_family(model *m, kith_entity holder, kith_entity target)
{
    kith_entity before;
    kith_entity after;
    find_beside(m, holder, &before, &after);
    touch_row_of(m, links_of(m), before);
    touch_row_of(m, links_of(m), after);
    touch_row_of(m, links_of(m), holder);
    touch_row_of(m, lists_of(m), target);
}

static void leave_list(model *m, kith_entity holder)
{
    model_holding *holding = &m->holding;
    uint32_t       at      = place_of(holding, holder);
    if (at < holding->count) {
        touch_family(m, holder, holding->pairs[at].target);
        memmove(holding->pairs + at, holding->pairs + at + 1,
                (--holding->count - at) * sizeof *holding->pairs);
    }
}

static void join_list(model *m, kith_entity holder, kith_entity target)
{
    model_component *links = links_of(m);
    model_row       *row   = &links->rows[model_row_of(links, holder)];
    assert(m->holding.count < MODEL_ROWS);
    m->holding.pairs[m->holding.count++] = (model_pair){ holder, target };
    row->target                          = target;
    memcpy(&row->number, &target, 1);
    touch_family(m, holder, target);
}

static bool check_target(model *m, kith_entity holder, kith_entity target)
{
    if (target == KITH_NULL || target == holder || !model_entity_alive(m, target)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, m->holding.id, holder);
    }
    return !model_departs(m, m->holding.lists, target);
}

static void give_list(model *m, kith_entity target)
{
    if (!model_has(lists_of(m), target)) {
        model_append_row(m, lists_of(m), target, 0);
    }
}

void model_link_replace(model *m, kith_entity holder, kith_entity target)
{
    uint32_t at = place_of(&m->holding, holder);
    touch_row_of(m, links_of(m), holder);
    if (at < m->holding.count && m->holding.pairs[at].target == target) {
        return;
    }
    give_list(m, target);
    leave_list(m, holder);
    join_list(m, holder, target);
}

bool model_link_accept(model *m, kith_entity holder, kith_entity target, uint32_t *new_lists)
{
    const model_component *lists = lists_of(m);
    if (!check_target(m, holder, target)) {
        return false;
    }
    return model_has(lists, target) || ++*new_lists <= lists->limit - lists->row_count ||
           model_fail(m, KITH_ERROR_LIMIT, m->holding.lists, target);
}

// ---------------------------------------------------------------------------------------------
// Events
// ---------------------------------------------------------------------------------------------

static bool list_is_leaving(const model *m, kith_entity target)
{
    bool leaves = false;
    for (uint32_t i = 0; i < m->departure_count; i++) {
        const model_departure *one = &m->departures[i];
        leaves                     = leaves || (one->entity == target &&
                            (one->component == 0 || one->component == m->holding.lists));
    }
    return leaves;
}

static void react_to_add(model *m, kith_entity holder)
{
    model_component *links = links_of(m);
    uint32_t         row   = model_row_of(links, holder);
    kith_entity      to    = links->rows[row].target;
    if (place_of(&m->holding, holder) < m->holding.count) {
        return;
    }
    if (!model_has(lists_of(m), to) || list_is_leaving(m, to)) {
        model_remove_row(m, links, row);
        return;
    }
    join_list(m, holder, to);
}

static void lose_target(model *m, kith_entity holder)
{
    bool dying = model_is_dying(m, holder);
    if (!dying && model_component_remove(m, holder, m->holding.id)) {
        return;
    }
    leave_list(m, holder);
    if (!dying) {
        model_remove_row(m, links_of(m), model_row_of(links_of(m), holder));
    }
}

void model_link_react(model *m, kith_event event, kith_component component, kith_entity entity)
{
    kith_entity list[MODEL_ROWS];
    if (event == KITH_EVENT_ADD) {
        react_to_add(m, entity);
    } else if (component == m->holding.id) {
        leave_list(m, entity);
    } else {
        while (model_holders_list(m, entity, list) != 0) {
            lose_target(m, list[0]);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Clones
// ---------------------------------------------------------------------------------------------

// Puts the clones of the holders of an original at the end, in their order, if that changes it.
static void order_clones(model *m, const kith_entity *clones, uint32_t count, kith_entity target)
{
    uint32_t last = 0;
    bool     good = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = place_of(&m->holding, clones[i]);
        good        = good && (i == 0 || at > last);
        last        = at;
    }
    for (uint32_t i = 0; i < count && !good; i++) {
        leave_list(m, clones[i]);
        join_list(m, clones[i], target);
    }
}

void model_link_order_clones(model *m, const model_entity_list *entities, const kith_entity *clones)
{
    kith_entity list[MODEL_ROWS];
    for (uint32_t i = 0; i < entities->count && m->holding.id != 0; i++) {
        uint32_t count = model_holders_list(m, entities->members[i], list);
        uint32_t found = 0;
        for (uint32_t k = 0; k < count; k++) {
            for (uint32_t n = 0; n < entities->count; n++) {
                uint32_t at = place_of(&m->holding, clones[n]);
                if (entities->members[n] == list[k] && at < m->holding.count &&
                    m->holding.pairs[at].target == clones[i]) {
                    list[found++] = clones[n];
                    break;
                }
            }
        }
        order_clones(m, list, found, clones[i]);
    }
}

// ---------------------------------------------------------------------------------------------
// Calls
// ---------------------------------------------------------------------------------------------

static void never_called_for_links(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world, (void)notice, (void)context;
}

static void listen_for(model *m, kith_component id, kith_event event)
{
    model_listener ear                = { .number = ++m->last_listener, .is_link = true };
    ear.desc.event                    = event;
    ear.desc.component                = id;
    ear.desc.call                     = never_called_for_links;
    ear.desc.priority                 = INT32_MAX;
    m->listeners[m->listener_count++] = ear;
}

kith_component model_link_register(model *m, const kith_link_desc *desc)
{
    kith_component_desc links = { .name         = desc->name,
                                  .id           = desc->id,
                                  .size         = sizeof(kith_link),
                                  .alignment    = _Alignof(kith_link),
                                  .traits.saved = KITH_AS(fields(kith_link)) };
    kith_component_desc lists = { .name         = "tied.holders",
                                  .size         = sizeof(kith_holder_list),
                                  .alignment    = _Alignof(kith_holder_list),
                                  .traits.saved = KITH_AS(fields(kith_holder_list)) };
    kith_component      id    = model_component_register(m, &links);
    if (id == 0 || m->holding.id == id) {
        return id;
    }
    m->holding.lists     = model_component_register(m, &lists);
    m->holding.id        = id;
    links_of(m)->is_link = true;
    lists_of(m)->is_list = true;
    listen_for(m, id, KITH_EVENT_ADD);
    listen_for(m, m->holding.lists, KITH_EVENT_REMOVE);
    listen_for(m, id, KITH_EVENT_REMOVE);
    return id;
}

static bool add_link(model *m, model_component *links, kith_entity entity, kith_entity target)
{
    if (!model_may_announce(m, KITH_EVENT_ADD, links)) {
        return false;
    }
    if (!model_has_room(m, links)) {
        return model_fail(m, KITH_ERROR_LIMIT, links->desc.id, entity);
    }
    model_append_row(m, links, entity, 0);
    give_list(m, target);
    join_list(m, entity, target);
    model_announce_begin(m);
    model_announce(m, KITH_EVENT_ADD, links->desc.id, entity);
    model_announce_end(m);
    return model_has(links, entity);
}

bool model_link_set(model *m, kith_entity entity, kith_component link, kith_entity target)
{
    model_component *links     = model_demanded(m, MODEL_CHANGES, link, entity, MODEL_HAD);
    uint32_t         new_lists = 0;
    if (links == NULL || !model_link_accept(m, entity, target, &new_lists)) {
        return false;
    }
    if (!model_has(links, entity)) {
        return add_link(m, links, entity, target);
    }
    if (!model_may_announce(m, KITH_EVENT_SET, links)) {
        return false;
    }
    model_link_replace(m, entity, target);
    model_announce_set(m, links, entity);
    return model_has(links, entity);
}

bool model_link_remove(model *m, kith_entity entity, kith_component link)
{
    return model_component_remove(m, entity, link);
}

uint32_t model_holders_count(model *m, kith_component link, kith_entity target)
{
    kith_entity list[MODEL_ROWS];
    if (model_named(m, MODEL_ASKS, link, MODEL_ALL) == NULL) {
        return 0;
    }
    return model_holders_list(m, target, list);
}
