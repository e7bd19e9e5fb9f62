// SPDX-License-Identifier: MIT
// The model of listeners: connecting, and the order in which events reach them.
#include "model_internal.h"

// ---------------------------------------------------------------------------------------------
// Connecting
// ---------------------------------------------------------------------------------------------

// An event of the world, not of a component.
static bool is_of_world(kith_event event)
{
    return event >= KITH_EVENT_CREATE && event <= KITH_EVENT_REPLACED;
}

static bool may_connect(model *m, const kith_listener_desc *desc)
{
    if (model_busy(m, desc->component, KITH_NULL)) {
        return false;
    }
    bool exists = (int)desc->event >= 0 && desc->event <= KITH_EVENT_REPLACED;
    bool deaf   = desc->call == NULL && (desc->many == NULL || desc->event == KITH_EVENT_REPLACED);
    if (!exists || deaf || (is_of_world(desc->event) && desc->component != 0)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, desc->component, KITH_NULL);
    }
    unsigned valued = 1u << KITH_KIND_VALUE | 1u << KITH_KIND_SINGLETON;
    unsigned kinds  = desc->event == KITH_EVENT_SET ? valued : MODEL_ALL;
    return is_of_world(desc->event) ||
           model_named(m, MODEL_CHANGES, desc->component, kinds) != NULL;
}

kith_listener model_listener_connect(model *m, const kith_listener_desc *desc)
{
    if (!may_connect(m, desc)) {
        return 0;
    }
    m->listeners[m->listener_count++] =
        (model_listener){ .number = ++m->last_listener, .desc = *desc };
    return m->last_listener;
}

bool model_listener_disconnect(model *m, kith_listener listener)
{
    uint32_t kept = 0;
    if (model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < m->listener_count; i++) {
        if (m->listeners[i].number != listener) {
            m->listeners[kept++] = m->listeners[i];
        }
    }
    bool found        = kept != m->listener_count;
    m->listener_count = kept;
    return found;
}

// ---------------------------------------------------------------------------------------------
// Announcing
// ---------------------------------------------------------------------------------------------

static bool listens(const model_listener *listener, kith_event event, kith_component component)
{
    return listener->desc.event == event && listener->desc.component == component;
}

bool model_has_listeners(const model *m, kith_event event, kith_component component)
{
    for (uint32_t i = 0; i < m->listener_count; i++) {
        if (listens(&m->listeners[i], event, component)) {
            return true;
        }
    }
    return false;
}

bool model_too_deep(model *m, kith_component component)
{
    return m->announcing == MODEL_NESTING && !model_fail(m, KITH_ERROR_LIMIT, component, KITH_NULL);
}

void model_hold(model *m)
{
    m->holds++;
}

void model_release(model *m)
{
    m->holds--;
    model_settle_if_free(m);
}

void model_announce_begin(model *m)
{
    m->announcing++;
}

void model_announce_end(model *m)
{
    m->announcing--;
    model_link_destroy_pending(m);
    model_settle_if_free(m);
}

static bool is_connected(const model *m, kith_listener number)
{
    for (uint32_t i = 0; i < m->listener_count; i++) {
        if (m->listeners[i].number == number) {
            return true;
        }
    }
    return false;
}

// The listeners of the event, in the order in which they are called.
static uint32_t list_callees(const model *m, kith_event event, kith_component component,
                             model_listener *callees)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->listener_count; i++) {
        const model_listener *listener = &m->listeners[i];
        if (listens(listener, event, component)) {
            uint32_t place = count++;
            for (; place > 0 && callees[place - 1].desc.priority < listener->desc.priority;
                 place--) {
                callees[place] = callees[place - 1];
            }
            callees[place] = *listener;
        }
    }
    return count;
}

// Whether that which an event is about is still there.
static bool is_there(model *m, const kith_notice *notice)
{
    const model_component *component = model_component_lookup(m, notice->component);
    if (component == NULL) {
        return model_entity_alive(m, notice->entity);
    }
    return component->desc.kind == KITH_KIND_SINGLETON ? component->present
                                                       : model_has(component, notice->entity);
}

bool model_is_unreported(const model *m, kith_component component, kith_entity entity)
{
    for (uint32_t i = 0; i < m->unreported_count; i++) {
        if (m->unreported[i].entity == entity && m->unreported[i].component == component) {
            return true;
        }
    }
    return false;
}

void model_record_unreported(model *m, kith_component component, kith_entity entity)
{
    m->unreported[m->unreported_count++] = (model_unreported){ entity, component };
}

void model_forget_unreported(model *m, kith_component component, kith_entity entity)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->unreported_count; i++) {
        m->unreported[kept] = m->unreported[i];
        kept += m->unreported[i].entity != entity || m->unreported[i].component != component;
    }
    m->unreported_count = kept;
}

// An add that is repeated while the first is announced replaces the older announcement.
static model_announcement *begin_announcement(model *m, const kith_notice *notice)
{
    for (uint32_t i = 0; i < m->announcement_count; i++) {
        const kith_notice *older = &m->announcements[i].notice;
        m->announcements[i].over =
            m->announcements[i].over ||
            (notice->event == KITH_EVENT_ADD && older->event == KITH_EVENT_ADD &&
             older->component == notice->component && older->entity == notice->entity);
    }
    model_announcement *announcement = &m->announcements[m->announcement_count++];
    *announcement                    = (model_announcement){ .notice = *notice };
    return announcement;
}

void model_announce(model *m, kith_event event, kith_component component, kith_entity entity)
{
    model_listener            callees[MODEL_LISTENERS];
    kith_notice               notice        = { event, component, entity, 0 };
    uint32_t                  count         = list_callees(m, event, component, callees);
    uint64_t                  called_before = m->called_at;
    const model_announcement *announcement  = begin_announcement(m, &notice);
    bool                      in_batch = m->announcing == m->batch_depth && m->batch_depth != 0;
    for (uint32_t i = 0; i < count && !announcement->over && is_there(m, &notice); i++) {
        bool had_batch = in_batch && callees[i].desc.many != NULL;
        if (is_connected(m, callees[i].number) && !had_batch) {
            m->called_at = m->last_serial;
            if (callees[i].set != 0) {
                model_collect(m, callees[i].set, entity);
            } else if (callees[i].is_name) {
                // keeps the index, which is not state
            } else if (callees[i].is_link) {
                model_link_react(m, event, component, entity);
            } else if (callees[i].is_tree) {
                model_tree_react(m, event, component, entity);
            } else if (callees[i].desc.call != NULL) {
                m->notify(m->notified, &notice, callees[i].desc.context);
            } else {
                m->notify_many(m->notified, &notice, &entity, 1, callees[i].desc.context);
            }
            m->called_at = called_before;
        }
    }
    m->announcement_count--;
}

// The handlers of a queue listen to an event that no component has.
static kith_event event_of_queue(uint32_t queue)
{
    return (kith_event)(KITH_EVENT_REPLACED + 16 + queue);
}

kith_listener model_queue_connect(model *m, uint32_t number, const kith_listener_desc *desc)
{
    if (number == 0 || model_busy(m, 0, KITH_NULL)) {
        return 0;
    }
    if (desc->call == NULL) {
        return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
    }
    model_listener handler            = { .number = ++m->last_listener, .desc = *desc };
    handler.desc.event                = event_of_queue(number);
    handler.desc.component            = 0;
    m->listeners[m->listener_count++] = handler;
    return m->last_listener;
}

bool model_queue_has_handlers(const model *m, uint32_t queue)
{
    return model_has_listeners(m, event_of_queue(queue), 0);
}

// Calls the listeners of an event that nothing can undo.
static void call_all(model *m, kith_event event, const kith_notice *notice)
{
    model_listener callees[MODEL_LISTENERS];
    uint32_t       count         = list_callees(m, event, 0, callees);
    uint64_t       called_before = m->called_at;
    for (uint32_t i = 0; i < count; i++) {
        if (is_connected(m, callees[i].number)) {
            m->called_at = m->last_serial;
            m->notify(m->notified, notice, callees[i].desc.context);
            m->called_at = called_before;
        }
    }
}

void model_call_handlers(model *m, uint32_t queue, kith_entity event)
{
    kith_notice notice = { KITH_EVENT_CREATE, 0, event, 0 };
    call_all(m, event_of_queue(queue), &notice);
}

void model_announce_replaced(model *m, uint64_t tick)
{
    kith_notice notice = { KITH_EVENT_REPLACED, 0, KITH_NULL, tick };
    model_announce_begin(m);
    call_all(m, KITH_EVENT_REPLACED, &notice);
    model_announce_end(m);
}

static void notify_of_many(model *m, const model_listener *notified, kith_event event,
                           kith_component component, const model_concerned *concerned)
{
    kith_entity list[MODEL_ROWS];
    uint32_t    count         = 0;
    uint64_t    called_before = m->called_at;
    for (uint32_t i = 0; i < concerned->count; i++) {
        if (concerned->is(m, concerned->event, i, concerned->members[i])) {
            list[count++] = concerned->members[i];
        }
    }
    for (uint32_t i = 0; i < count && notified->set != 0; i++) {
        model_collect(m, notified->set, list[i]);
    }
    if (count != 0 && notified->set == 0) {
        kith_notice notice = { event, component, list[0], 0 };
        m->called_at       = m->last_serial;
        m->notify_many(m->notified, &notice, list, count, notified->desc.context);
        m->called_at = called_before;
    }
}

void model_announce_many(model *m, kith_event event, kith_component component,
                         const model_concerned *concerned)
{
    model_listener callees[MODEL_LISTENERS];
    uint32_t       listening = list_callees(m, event, component, callees);
    model_announce_begin(m);
    for (uint32_t i = 0; i < listening; i++) {
        if (callees[i].desc.many != NULL && is_connected(m, callees[i].number)) {
            notify_of_many(m, &callees[i], event, component, concerned);
        }
    }
    model_announce_end(m);
}

uint32_t model_batch_begin(model *m)
{
    uint32_t outer = m->batch_depth;
    m->batch_depth = m->announcing + 1;
    return outer;
}

void model_batch_end(model *m, uint32_t outer)
{
    m->batch_depth = outer;
}

// ---------------------------------------------------------------------------------------------
// Departing
// ---------------------------------------------------------------------------------------------

void model_depart_begin(model *m, kith_component component, kith_entity entity)
{
    m->departures[m->departure_count++] = (model_departure){ entity, component };
}

void model_depart_end(model *m)
{
    m->departure_count--;
}

bool model_is_dying(const model *m, kith_entity entity)
{
    for (uint32_t i = 0; i < m->departure_count; i++) {
        if (m->departures[i].entity == entity && m->departures[i].component == 0) {
            return true;
        }
    }
    return false;
}

bool model_departs(model *m, kith_component component, kith_entity entity)
{
    for (uint32_t i = 0; i < m->departure_count; i++) {
        const model_departure *d = &m->departures[i];
        if (d->entity == entity && (d->component == 0 || d->component == component)) {
            m->record = (model_error){ KITH_ERROR_DYING, component, entity };
            return true;
        }
    }
    return false;
}
