// SPDX-License-Identifier: MIT
#include "model_internal.h"

// ---------------------------------------------------------------------------------------------
// Connecting
// ---------------------------------------------------------------------------------------------

static bool is_about_entities(kith_event event)
{
    return event == KITH_EVENT_CREATE || event == KITH_EVENT_DESTROY;
}

static bool may_connect(model *m, const kith_listener_desc *desc)
{
    if (model_busy(m, desc->component, KITH_NULL)) {
        return false;
    }
    bool exists = (int)desc->event >= 0 && desc->event <= KITH_EVENT_DESTROY;
    bool deaf   = desc->call == NULL && desc->many == NULL;
    if (!exists || deaf || (is_about_entities(desc->event) && desc->component != 0)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, desc->component, KITH_NULL);
    }
    unsigned valued = 1u << KITH_KIND_VALUE | 1u << KITH_KIND_SINGLETON;
    unsigned kinds  = desc->event == KITH_EVENT_SET ? valued : MODEL_ALL;
    return is_about_entities(desc->event) ||
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

static bool hears(const model_listener *listener, kith_event event, kith_component component)
{
    return listener->desc.event == event && listener->desc.component == component;
}

bool model_is_heard(const model *m, kith_event event, kith_component component)
{
    for (uint32_t i = 0; i < m->listener_count; i++) {
        if (hears(&m->listeners[i], event, component)) {
            return true;
        }
    }
    return false;
}

bool model_too_deep(model *m, kith_component component)
{
    return m->announcing == MODEL_NESTING && !model_fail(m, KITH_ERROR_LIMIT, component, KITH_NULL);
}

void model_pause(model *m)
{
    m->pauses++;
}

void model_resume(model *m)
{
    m->pauses--;
    model_settle_if_free(m);
}

void model_announce_begin(model *m)
{
    m->announcing++;
}

void model_announce_end(model *m)
{
    m->announcing--;
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

// Those who hear the event, in the order in which they do.
static uint32_t list_hearers(const model *m, kith_event event, kith_component component,
                             model_listener *hearers)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->listener_count; i++) {
        const model_listener *listener = &m->listeners[i];
        if (hears(listener, event, component)) {
            uint32_t place = count++;
            for (; place > 0 && hearers[place - 1].desc.priority < listener->desc.priority;
                 place--) {
                hearers[place] = hearers[place - 1];
            }
            hearers[place] = *listener;
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

bool model_is_unheard(const model *m, kith_component component, kith_entity entity)
{
    for (uint32_t i = 0; i < m->unheard_count; i++) {
        if (m->unreported[i].entity == entity && m->unreported[i].component == component) {
            return true;
        }
    }
    return false;
}

void model_note_unheard(model *m, kith_component component, kith_entity entity)
{
    m->unreported[m->unheard_count++] = (model_unheard){ entity, component };
}

void model_forget_unheard(model *m, kith_component component, kith_entity entity)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->unheard_count; i++) {
        m->unreported[kept] = m->unreported[i];
        kept += m->unreported[i].entity != entity || m->unreported[i].component != component;
    }
    m->unheard_count = kept;
}

// What is added once more while its adding is announced is news that replaces the older ones.
static model_news *begin_news(model *m, const kith_notice *notice)
{
    for (uint32_t i = 0; i < m->news_count; i++) {
        const kith_notice *older = &m->news[i].notice;
        m->news[i].over =
            m->news[i].over ||
            (notice->event == KITH_EVENT_ADD && older->event == KITH_EVENT_ADD &&
             older->component == notice->component && older->entity == notice->entity);
    }
    model_news *news = &m->news[m->news_count++];
    *news            = (model_news){ .notice = *notice };
    return news;
}

void model_announce(model *m, kith_event event, kith_component component, kith_entity entity)
{
    model_listener    hearers[MODEL_LISTENERS];
    kith_notice       notice        = { event, component, entity };
    uint32_t          count         = list_hearers(m, event, component, hearers);
    uint64_t          called_before = m->called_at;
    const model_news *news          = begin_news(m, &notice);
    bool              in_batch      = m->announcing == m->batch_depth && m->batch_depth != 0;
    for (uint32_t i = 0; i < count && !news->over && is_there(m, &notice); i++) {
        bool heard = in_batch && hearers[i].desc.many != NULL;
        if (is_connected(m, hearers[i].number) && !heard) {
            m->called_at = m->last_serial;
            if (hearers[i].set != 0) {
                model_collect(m, hearers[i].set, entity);
            } else if (hearers[i].is_tree) {
                model_tree_hear(m, event, component, entity);
            } else if (hearers[i].desc.call != NULL) {
                m->hear(m->hearer, &notice, hearers[i].desc.context);
            } else {
                m->hear_many(m->hearer, &notice, &entity, 1, hearers[i].desc.context);
            }
            m->called_at = called_before;
        }
    }
    m->news_count--;
}

// The handlers of a queue listen to an event that no component has.
static kith_event event_of_queue(uint32_t queue)
{
    return (kith_event)(KITH_EVENT_DESTROY + 16 + queue);
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

bool model_queue_is_heard(const model *m, uint32_t queue)
{
    return model_is_heard(m, event_of_queue(queue), 0);
}

void model_tell_handlers(model *m, uint32_t queue, kith_entity event)
{
    model_listener hearers[MODEL_LISTENERS];
    kith_notice    notice        = { KITH_EVENT_CREATE, 0, event };
    uint32_t       count         = list_hearers(m, event_of_queue(queue), 0, hearers);
    uint64_t       called_before = m->called_at;
    for (uint32_t i = 0; i < count; i++) {
        if (is_connected(m, hearers[i].number)) {
            m->called_at = m->last_serial;
            m->hear(m->hearer, &notice, hearers[i].desc.context);
            m->called_at = called_before;
        }
    }
}

static void hear_of_many(model *m, const model_listener *hearer, kith_event event,
                         kith_component component, const model_concerned *who)
{
    kith_entity list[MODEL_ROWS];
    uint32_t    count         = 0;
    uint64_t    called_before = m->called_at;
    for (uint32_t i = 0; i < who->count; i++) {
        if (who->is(m, who->event, i, who->members[i])) {
            list[count++] = who->members[i];
        }
    }
    for (uint32_t i = 0; i < count && hearer->set != 0; i++) {
        model_collect(m, hearer->set, list[i]);
    }
    if (count != 0 && hearer->set == 0) {
        kith_notice notice = { event, component, list[0] };
        m->called_at       = m->last_serial;
        m->hear_many(m->hearer, &notice, list, count, hearer->desc.context);
        m->called_at = called_before;
    }
}

void model_announce_many(model *m, kith_event event, kith_component component,
                         const model_concerned *who)
{
    model_listener hearers[MODEL_LISTENERS];
    uint32_t       listening = list_hearers(m, event, component, hearers);
    model_announce_begin(m);
    for (uint32_t i = 0; i < listening; i++) {
        if (hearers[i].desc.many != NULL && is_connected(m, hearers[i].number)) {
            hear_of_many(m, &hearers[i], event, component, who);
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
