// SPDX-License-Identifier: MIT
// Links: one list of { holder, target } in the order of arrival. The list of a target is what names
// it there. Holders whose target was destroyed with KITH_TARGET_DESTROY are in a list of their own.
#include "model_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// The link with this component, or with this one of its targets.
static const model_holding *find_holding(const model *m, kith_component component)
{
    const model_holding *found = NULL;
    for (uint32_t i = 0; i < m->holding_count; i++) {
        const model_holding *one = &m->holdings[i];
        found                    = one->id == component || one->lists == component ? one : found;
    }
    return found;
}

static model_holding *holding_of(model *m, kith_component component)
{
    return &m->holdings[find_holding(m, component) - m->holdings];
}

static model_component *links_of(model *m, const model_holding *holding)
{
    return model_component_lookup(m, holding->id);
}

static model_component *lists_of(model *m, const model_holding *holding)
{
    return model_component_lookup(m, holding->lists);
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

// The same among those that are to be destroyed.
static uint32_t pending_place_of(const model_holding *holding, kith_entity holder)
{
    uint32_t at = 0;
    while (at < holding->pending_count && holding->pending[at].holder != holder) {
        at++;
    }
    return at;
}

static bool is_listed(const model_holding *holding, kith_entity holder)
{
    return place_of(holding, holder) < holding->count ||
           pending_place_of(holding, holder) < holding->pending_count;
}

static uint32_t list_holders(const model_holding *holding, kith_entity target, kith_entity *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < holding->count; i++) {
        if (holding->pairs[i].target == target) {
            list[count++] = holding->pairs[i].holder;
        }
    }
    return count;
}

uint32_t model_holders_list(const model *m, kith_component link, kith_entity target,
                            kith_entity *list)
{
    return list_holders(find_holding(m, link), target, list);
}

// Those that are in a list with the holder, which may be the list of those to be destroyed.
static uint32_t list_family(const model_holding *holding, kith_entity holder, kith_entity *list)
{
    uint32_t place = place_of(holding, holder);
    if (place < holding->count) {
        return list_holders(holding, holding->pairs[place].target, list);
    }
    for (uint32_t i = 0; i < holding->pending_count; i++) {
        list[i] = holding->pending[i].holder;
    }
    return holding->pending_count;
}

static uint32_t number_of(kith_entity holder)
{
    return holder == KITH_NULL ? 0 : model_entity_index(holder) + 1;
}

// Its neighbours there.
static void find_beside(const model_holding *holding, kith_entity holder, kith_entity *before,
                        kith_entity *after)
{
    kith_entity list[MODEL_ROWS];
    uint32_t    count = list_family(holding, holder, list);
    *before = *after = KITH_NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == holder) {
            *before = i > 0 ? list[i - 1] : KITH_NULL;
            *after  = i + 1 < count ? list[i + 1] : KITH_NULL;
        }
    }
}

void model_link_value(const model *m, kith_component link, const model_row *row, kith_link *value)
{
    kith_entity before;
    kith_entity after;
    find_beside(find_holding(m, link), row->entity, &before, &after);
    *value = (kith_link){ row->target, number_of(before), number_of(after), 0 };
}

void model_list_value(const model *m, kith_component lists, kith_entity target,
                      kith_holder_list *value)
{
    kith_entity list[MODEL_ROWS];
    uint32_t    count = model_holders_list(m, lists, target, list);
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

static void touch_family(model *m, const model_holding *holding, kith_entity holder,
                         kith_entity target)
{
    kith_entity before;
    kith_entity after;
    find_beside(holding, holder, &before, &after);
    touch_row_of(m, links_of(m, holding), before);
    touch_row_of(m, links_of(m, holding), after);
    touch_row_of(m, links_of(m, holding), holder);
    touch_row_of(m, lists_of(m, holding), target);
}

static void leave_list(model *m, model_holding *holding, kith_entity holder)
{
    uint32_t at      = place_of(holding, holder);
    uint32_t pending = pending_place_of(holding, holder);
    if (at < holding->count) {
        touch_family(m, holding, holder, holding->pairs[at].target);
        memmove(holding->pairs + at, holding->pairs + at + 1,
                (--holding->count - at) * sizeof *holding->pairs);
    } else if (pending < holding->pending_count) {
        touch_family(m, holding, holder, KITH_NULL);
        memmove(holding->pending + pending, holding->pending + pending + 1,
                (--holding->pending_count - pending) * sizeof *holding->pending);
    }
}

static void join_list(model *m, model_holding *holding, kith_entity holder, kith_entity target)
{
    model_component *links = links_of(m, holding);
    model_row       *row   = &links->rows[model_row_of(links, holder)];
    assert(holding->count < MODEL_ROWS);
    holding->pairs[holding->count++] = (model_pair){ holder, target };
    row->target                      = target;
    memcpy(&row->number, &target, 1);
    touch_family(m, holding, holder, target);
}

static bool check_target(model *m, const model_holding *holding, kith_entity holder,
                         kith_entity target)
{
    if (target == KITH_NULL || target == holder || !model_entity_alive(m, target)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, holding->id, holder);
    }
    return !model_departs(m, holding->lists, target);
}

static void give_list(model *m, const model_holding *holding, kith_entity target)
{
    model_component *lists = lists_of(m, holding);
    if (!model_has(lists, target)) {
        model_append_row(m, lists, target, 0);
    }
}

void model_link_replace(model *m, kith_component link, kith_entity holder, kith_entity target)
{
    model_holding *holding = holding_of(m, link);
    uint32_t       at      = place_of(holding, holder);
    touch_row_of(m, links_of(m, holding), holder);
    if (at < holding->count && holding->pairs[at].target == target) {
        return;
    }
    give_list(m, holding, target);
    leave_list(m, holding, holder);
    join_list(m, holding, holder, target);
}

bool model_link_accept(model *m, kith_component link, kith_entity holder, kith_entity target,
                       uint32_t *new_lists)
{
    const model_holding   *holding = holding_of(m, link);
    const model_component *lists   = lists_of(m, holding);
    if (!check_target(m, holding, holder, target)) {
        return false;
    }
    return model_has(lists, target) || ++*new_lists <= lists->limit - lists->row_count ||
           model_fail(m, KITH_ERROR_LIMIT, holding->lists, target);
}

// ---------------------------------------------------------------------------------------------
// Events
// ---------------------------------------------------------------------------------------------

static bool list_is_leaving(const model *m, const model_holding *holding, kith_entity target)
{
    bool leaves = false;
    for (uint32_t i = 0; i < m->departure_count; i++) {
        const model_departure *one = &m->departures[i];
        leaves                     = leaves || (one->entity == target &&
                            (one->component == 0 || one->component == holding->lists));
    }
    return leaves;
}

static void react_to_add(model *m, model_holding *holding, kith_entity holder)
{
    model_component *links = links_of(m, holding);
    uint32_t         row   = model_row_of(links, holder);
    kith_entity      to    = links->rows[row].target;
    if (is_listed(holding, holder)) {
        return;
    }
    if (!model_has(lists_of(m, holding), to) || list_is_leaving(m, holding, to)) {
        model_remove_row(m, links, row);
        return;
    }
    join_list(m, holding, holder, to);
}

static void lose_target(model *m, model_holding *holding, kith_entity holder)
{
    bool dying = model_is_dying(m, holder);
    if (!dying && model_component_remove(m, holder, holding->id)) {
        return;
    }
    leave_list(m, holding, holder);
    if (!dying) {
        model_remove_row(m, links_of(m, holding), model_row_of(links_of(m, holding), holder));
    }
}

// The holders wait until the event that is announced, and those around it with pending holders, are
// over.
static void wait_for_end(model *m, model_holding *holding, kith_entity target)
{
    kith_entity list[MODEL_ROWS];
    uint32_t    count = list_holders(holding, target, list);
    for (uint32_t i = 0; i < count; i++) {
        leave_list(m, holding, list[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        holding->pending[holding->pending_count++] =
            (model_pending){ list[i], m->pending_level + 1 };
        touch_family(m, holding, list[i], KITH_NULL);
    }
    if (count != 0) {
        bool sooner       = !m->awaits || m->announcing < m->pending_frames;
        m->pending_frames = sooner ? m->announcing : m->pending_frames;
        m->awaits         = true;
    }
}

void model_link_react(model *m, kith_event event, kith_component component, kith_entity entity)
{
    kith_entity    list[MODEL_ROWS];
    model_holding *holding = holding_of(m, component);
    if (event == KITH_EVENT_ADD) {
        react_to_add(m, holding, entity);
    } else if (component == holding->id) {
        leave_list(m, holding, entity);
    } else {
        touch_row_of(m, lists_of(m, holding), entity);
        if (holding->policy == KITH_TARGET_DESTROY && model_is_dying(m, entity)) {
            wait_for_end(m, holding, entity);
        }
        while (list_holders(holding, entity, list) != 0) {
            lose_target(m, holding, list[0]);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Targets that end
// ---------------------------------------------------------------------------------------------

bool model_link_may_destroy(model *m, kith_entity entity)
{
    kith_entity list[MODEL_ROWS];
    for (uint32_t i = 0; i < m->holding_count && !m->passes_over; i++) {
        const model_holding *holding = &m->holdings[i];
        if (holding->policy == KITH_TARGET_REFUSE && list_holders(holding, entity, list) != 0) {
            return model_fail(m, KITH_ERROR_HELD, holding->id, entity);
        }
    }
    return true;
}

// The link whose first pending holder has the shortest distance; of several, the oldest link.
static model_holding *next_pending(model *m)
{
    model_holding *next = NULL;
    for (uint32_t i = 0; i < m->holding_count; i++) {
        model_holding *one = &m->holdings[i];
        if (one->pending_count != 0 &&
            (next == NULL || one->pending[0].level < next->pending[0].level)) {
            next = one;
        }
    }
    return next;
}

// One that cannot be destroyed loses the link.
static void end_pending(model *m, model_holding *holding)
{
    kith_entity holder = holding->pending[0].holder;
    m->pending_level   = holding->pending[0].level;
    leave_list(m, holding, holder);
    if (!model_is_dying(m, holder) && !model_entity_destroy(m, holder) &&
        model_has(links_of(m, holding), holder) && !is_listed(holding, holder)) {
        lose_target(m, holding, holder);
    }
}

void model_link_destroy_pending(model *m)
{
    uint32_t outer = m->batch_depth;
    if (!m->awaits || m->pending_level != 0 || m->announcing >= m->pending_frames) {
        return;
    }
    m->batch_depth = 0;
    m->holds++;
    for (model_holding *holding; (holding = next_pending(m)) != NULL;) {
        end_pending(m, holding);
    }
    m->holds--;
    m->batch_depth   = outer;
    m->pending_level = 0;
    m->awaits        = false;
}

// ---------------------------------------------------------------------------------------------
// Clones
// ---------------------------------------------------------------------------------------------

// Puts the clones of the holders of an original at the end, in their order, if that changes it.
static void order_clones(model *m, model_holding *holding, const kith_entity *clones,
                         uint32_t count, kith_entity target)
{
    uint32_t last = 0;
    bool     good = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = place_of(holding, clones[i]);
        good        = good && (i == 0 || at > last);
        last        = at;
    }
    for (uint32_t i = 0; i < count && !good; i++) {
        leave_list(m, holding, clones[i]);
        join_list(m, holding, clones[i], target);
    }
}

void model_link_order_clones(model *m, kith_component lists, const model_entity_list *entities,
                             const kith_entity *clones)
{
    kith_entity    list[MODEL_ROWS];
    model_holding *holding = holding_of(m, lists);
    for (uint32_t i = 0; i < entities->count; i++) {
        uint32_t count = list_holders(holding, entities->members[i], list);
        uint32_t found = 0;
        for (uint32_t k = 0; k < count; k++) {
            for (uint32_t n = 0; n < entities->count; n++) {
                uint32_t at = place_of(holding, clones[n]);
                if (entities->members[n] == list[k] && at < holding->count &&
                    holding->pairs[at].target == clones[i]) {
                    list[found++] = clones[n];
                    break;
                }
            }
        }
        order_clones(m, holding, list, found, clones[i]);
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

static void become_link(model *m, kith_component id, kith_component lists, kith_target policy)
{
    m->holdings[m->holding_count++] = (model_holding){ .id = id, .lists = lists, .policy = policy };
    model_component_lookup(m, id)->is_link    = true;
    model_component_lookup(m, lists)->is_list = true;
    listen_for(m, id, KITH_EVENT_ADD);
    listen_for(m, lists, KITH_EVENT_REMOVE);
    listen_for(m, id, KITH_EVENT_REMOVE);
}

kith_component model_link_register(model *m, const kith_link_desc *desc)
{
    char                name[MODEL_NAME];
    kith_component_desc links = { .name         = desc->name,
                                  .id           = desc->id,
                                  .size         = sizeof(kith_link),
                                  .alignment    = _Alignof(kith_link),
                                  .traits.saved = KITH_AS(fields(kith_link)) };
    kith_component_desc lists = { .name         = name,
                                  .size         = sizeof(kith_holder_list),
                                  .alignment    = _Alignof(kith_holder_list),
                                  .traits.saved = KITH_AS(fields(kith_holder_list)) };
    snprintf(name, sizeof name, "%s.holders", desc->name);
    kith_component id = model_component_register(m, &links);
    if (id != 0 && find_holding(m, id) == NULL) {
        become_link(m, id, model_component_register(m, &lists), desc->target);
    }
    return id;
}

static bool add_link(model *m, model_holding *holding, kith_entity entity, kith_entity target)
{
    model_component *links = links_of(m, holding);
    if (!model_may_announce(m, KITH_EVENT_ADD, links)) {
        return false;
    }
    if (!model_has_room(m, links)) {
        return model_fail(m, KITH_ERROR_LIMIT, links->desc.id, entity);
    }
    model_append_row(m, links, entity, 0);
    give_list(m, holding, target);
    join_list(m, holding, entity, target);
    model_announce_begin(m);
    model_announce(m, KITH_EVENT_ADD, links->desc.id, entity);
    model_announce_end(m);
    return model_has(links, entity);
}

bool model_link_set(model *m, kith_entity entity, kith_component link, kith_entity target)
{
    model_component *links     = model_demanded(m, MODEL_CHANGES, link, entity, MODEL_HAD);
    model_holding   *holding   = links == NULL ? NULL : holding_of(m, link);
    uint32_t         new_lists = 0;
    if (links == NULL || !model_link_accept(m, link, entity, target, &new_lists)) {
        return false;
    }
    if (!model_has(links, entity)) {
        return add_link(m, holding, entity, target);
    }
    if (!model_may_announce(m, KITH_EVENT_SET, links)) {
        return false;
    }
    model_link_replace(m, link, entity, target);
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
    return model_holders_list(m, link, target, list);
}
