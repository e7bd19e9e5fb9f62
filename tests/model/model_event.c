// SPDX-License-Identifier: MIT
// The model of reactive sets and event queues.
#include "model_internal.h"

#include <assert.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Making reactive sets
// ---------------------------------------------------------------------------------------------

enum { EVERYTHING = KITH_ON_ADD | KITH_ON_SET | KITH_ON_REMOVE | KITH_ON_CHANGED };

static bool is_condition(model *m, const kith_reactive_desc *desc, uint32_t i)
{
    kith_condition one    = desc->conditions[i];
    bool           values = (one.on & (KITH_ON_SET | KITH_ON_CHANGED)) != 0;
    bool           wrong  = one.on == 0 || one.on > EVERYTHING;
    for (uint32_t k = 0; k < i; k++) {
        wrong = wrong || desc->conditions[k].component == one.component;
    }
    return wrong ? model_fail(m, KITH_ERROR_ARGUMENT, one.component, KITH_NULL)
                 : model_named(m, MODEL_CHANGES, one.component,
                               values ? 1u << KITH_KIND_VALUE : MODEL_HAD) != NULL;
}

static bool may_collect(model *m, const kith_reactive_desc *desc)
{
    if (desc->condition_count == 0) {
        return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
    }
    for (uint32_t i = 0; i < desc->condition_count; i++) {
        if (!is_condition(m, desc, i)) {
            return false;
        }
    }
    return model_query_check(m, MODEL_CHANGES, &desc->filter);
}

static void ignore_notice(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world, (void)notice, (void)context;
}

static void ignore_many(kith_world *world, const kith_notice *notice, const kith_entity *entities,
                        uint32_t count, void *context)
{
    (void)world, (void)notice, (void)entities, (void)count, (void)context;
}

static void listen_for(model *m, const model_reactive *set, kith_condition one, int32_t priority)
{
    for (unsigned event = KITH_EVENT_ADD; event <= KITH_EVENT_REMOVE; event++) {
        if ((one.on >> event & 1) != 0) {
            model_listener ear = { .number = ++m->last_listener, .set = set->number };
            ear.desc           = (kith_listener_desc){ .event     = (kith_event)event,
                                                       .component = one.component,
                                                       .call      = ignore_notice,
                                                       .many      = ignore_many,
                                                       .priority  = priority };
            m->listeners[m->listener_count++] = ear;
        }
    }
}

uint32_t model_reactive_create(model *m, const kith_reactive_desc *desc)
{
    if (model_busy(m, 0, KITH_NULL) || !may_collect(m, desc)) {
        return 0;
    }
    model_reactive *set  = &m->reactives[m->reactive_count++];
    set->number          = ++m->last_reactive;
    set->condition_count = desc->condition_count;
    memcpy(set->conditions, desc->conditions, desc->condition_count * sizeof *desc->conditions);
    set->filter    = model_query_copy(&desc->filter);
    set->keep_dead = desc->keep_dead;
    set->since     = model_world_now(m);
    set->count     = 0;
    set->came      = 0;
    for (uint32_t i = 0; i < set->condition_count; i++) {
        listen_for(m, set, set->conditions[i], desc->priority);
    }
    return set->number;
}

model_reactive *model_reactive_describe(model *m, uint32_t number)
{
    model_reactive *set = m->reactives;
    while (set->number != number) {
        set++;
    }
    return set;
}

bool model_reactive_destroy(model *m, uint32_t number)
{
    uint32_t kept = 0;
    if (number == 0 || model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < m->system_count; i++) {
        if (m->systems[i].set == number) {
            return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
        }
    }
    for (uint32_t i = 0; i < m->listener_count; i++) {
        m->listeners[kept] = m->listeners[i];
        kept += m->listeners[i].set != number;
    }
    m->listener_count   = kept;
    model_reactive *set = model_reactive_describe(m, number);
    uint32_t        at  = (uint32_t)(set - m->reactives);
    memmove(set, set + 1, (--m->reactive_count - at) * sizeof *set);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Members
// ---------------------------------------------------------------------------------------------

static uint32_t place_in(const model_reactive *set, kith_entity entity)
{
    uint32_t i = 0;
    while (i < set->count && set->list[i] != entity) {
        i++;
    }
    return i;
}

bool model_collect(model *m, uint32_t number, kith_entity entity)
{
    model_reactive *set = model_reactive_describe(m, number);
    if (place_in(set, entity) < set->count || !model_query_meets(m, &set->filter, entity)) {
        return false;
    }
    assert(set->count < MODEL_COLLECTED);
    set->list[set->count]      = entity;
    set->numbers[set->count++] = ++set->came;
    return true;
}

// Collects, or only counts, whose rows were written since the update before, but not in the tick
// `but`.
static uint32_t find_written(model *m, uint32_t number, uint64_t but, bool collects)
{
    const model_reactive *set  = model_reactive_describe(m, number);
    uint32_t              came = 0;
    for (uint32_t i = 0; i < set->condition_count; i++) {
        model_component *known = model_component_lookup(m, set->conditions[i].component);
        bool             asked = (set->conditions[i].on & KITH_ON_CHANGED) != 0;
        for (uint32_t row = 0; asked && row < known->row_count; row++) {
            kith_entity entity  = known->rows[row].entity;
            uint64_t    changed = model_row_changed(known, row);
            came += entity != KITH_NULL && changed >= set->since && changed != but &&
                    (!collects || model_collect(m, number, entity));
        }
    }
    return came;
}

uint32_t model_reactive_update(model *m, uint32_t number)
{
    if (model_busy(m, 0, KITH_NULL)) {
        return 0;
    }
    uint32_t came                             = find_written(m, number, 0, true);
    model_reactive_describe(m, number)->since = model_world_now(m);
    return came;
}

void model_reactive_update_for(model *m, uint32_t number, uint64_t own, bool alone)
{
    if (alone) {
        find_written(m, number, own, true);
        model_reactive_describe(m, number)->since = model_world_now(m);
    } else if (find_written(m, number, own, false) != 0) {
        model_reactive_update(m, number);
    }
}

static bool stays(const model *m, const model_reactive *set, kith_entity entity)
{
    return set->keep_dead || model_entity_alive(m, entity);
}

uint32_t model_reactive_count(model *m, uint32_t number)
{
    const model_reactive *set   = model_reactive_describe(m, number);
    uint32_t              count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        count += stays(m, set, set->list[i]);
    }
    return count;
}

kith_entity model_reactive_next(model *m, uint32_t number, uint64_t n)
{
    const model_reactive *set = model_reactive_describe(m, number);
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->numbers[i] > n && stays(m, set, set->list[i])) {
            return set->list[i];
        }
    }
    return KITH_NULL;
}

bool model_reactive_contains(model *m, uint32_t number, kith_entity entity)
{
    const model_reactive *set = model_reactive_describe(m, number);
    return place_in(set, entity) < set->count && stays(m, set, entity);
}

bool model_reactive_remove(model *m, uint32_t number, kith_entity entity)
{
    model_reactive *set = model_reactive_describe(m, number);
    uint32_t        at  = place_in(set, entity);
    if (model_busy(m, 0, entity) || !model_reactive_contains(m, number, entity)) {
        return false;
    }
    uint32_t behind = --set->count - at;
    memmove(set->list + at, set->list + at + 1, behind * sizeof *set->list);
    memmove(set->numbers + at, set->numbers + at + 1, behind * sizeof *set->numbers);
    return true;
}

void model_reactive_clear(model *m, uint32_t number)
{
    if (!model_busy(m, 0, KITH_NULL)) {
        model_reactive_describe(m, number)->count = 0;
    }
}

// ---------------------------------------------------------------------------------------------
// Queues
// ---------------------------------------------------------------------------------------------

uint32_t model_queue_find(model *m, const char *name)
{
    uint32_t at = 0;
    while (at < m->queue_count && strcmp(m->queues[at].name, name) != 0) {
        at++;
    }
    return at < m->queue_count ? at + 1 : 0;
}

uint32_t model_queue_create(model *m, const kith_queue_desc *desc)
{
    uint32_t found = model_queue_find(m, desc->name);
    if (model_busy(m, 0, KITH_NULL)) {
        return 0;
    }
    if (desc->size % desc->alignment != 0) {
        return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
    }
    if (found != 0) {
        kith_queue_desc *own  = &m->queues[found - 1].desc;
        bool             said = own->saved.form != KITH_FORM_NONE;
        bool             same =
            own->size == desc->size && own->alignment == desc->alignment &&
            own->limit == desc->limit &&
            (!said || desc->saved.form == KITH_FORM_NONE || own->saved.unit == desc->saved.unit);
        own->saved = same && !said ? desc->saved : own->saved;
        return same || model_fail(m, KITH_ERROR_CONFLICT, 0, KITH_NULL) ? found : 0;
    }
    model_queue *queue = &m->queues[m->queue_count++];
    memset(queue, 0, sizeof *queue);
    queue->desc = *desc;
    strcpy(queue->name, desc->name);
    return m->queue_count;
}

bool model_queue_enqueue(model *m, uint32_t number, kith_entity event)
{
    if (number == 0 || model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    model_queue *queue = &m->queues[number - 1];
    if (queue->desc.limit != 0 && queue->count >= queue->desc.limit) {
        return model_fail(m, KITH_ERROR_LIMIT, 0, KITH_NULL);
    }
    assert(queue->count < MODEL_EVENTS);
    queue->events[queue->count++] = event;
    return true;
}

bool model_queue_trigger(model *m, uint32_t number, kith_entity event)
{
    if (number == 0 || model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    if (!model_queue_has_handlers(m, number)) {
        return true;
    }
    if (model_too_deep(m, 0)) {
        return false;
    }
    model_announce_begin(m);
    model_call_handlers(m, number, event);
    model_announce_end(m);
    return true;
}

static uint32_t deliver_events(model *m, uint32_t number)
{
    model_queue *queue    = &m->queues[number - 1];
    uint32_t     reported = 0;
    for (; queue->taken > 0; reported++) {
        kith_entity first = queue->events[0];
        memmove(queue->events, queue->events + 1, --queue->count * sizeof first);
        queue->taken--;
        model_call_handlers(m, number, first);
    }
    queue->updating = false;
    return reported;
}

// Of the queues from `first` to before `end`.
static uint32_t update_queues(model *m, uint32_t first, uint32_t end)
{
    uint32_t reported = 0;
    uint32_t waiting  = 0;
    for (uint32_t i = first; i < end; i++) {
        if (m->queues[i].updating) {
            return model_fail(m, KITH_ERROR_BUSY, 0, KITH_NULL);
        }
        waiting += m->queues[i].count;
    }
    if (waiting == 0 || model_too_deep(m, 0)) {
        return 0;
    }
    for (uint32_t i = first; i < end; i++) {
        m->queues[i].taken    = m->queues[i].count;
        m->queues[i].updating = true;
    }
    model_announce_begin(m);
    for (uint32_t i = first; i < end; i++) {
        reported += deliver_events(m, i + 1);
    }
    model_announce_end(m);
    return reported;
}

uint32_t model_queue_update(model *m, uint32_t number)
{
    bool refused = number == 0 || model_busy(m, 0, KITH_NULL);
    return refused ? 0 : update_queues(m, number - 1, number);
}

uint32_t model_queue_update_all(model *m)
{
    return model_busy(m, 0, KITH_NULL) ? 0 : update_queues(m, 0, m->queue_count);
}

void model_queue_clear(model *m, uint32_t number)
{
    if (number != 0 && !model_busy(m, 0, KITH_NULL)) {
        m->queues[number - 1].count = 0;
        m->queues[number - 1].taken = 0;
    }
}

uint32_t model_queue_count(model *m, uint32_t number)
{
    return number == 0 ? 0 : m->queues[number - 1].count;
}

bool model_queue_reserve(model *m, uint32_t number, uint32_t events)
{
    if (number == 0 || model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    const model_queue *queue = &m->queues[number - 1];
    if (queue->desc.limit != 0 && events > queue->desc.limit) {
        return model_fail(m, KITH_ERROR_LIMIT, 0, KITH_NULL);
    }
    return !queue->updating || model_fail(m, KITH_ERROR_BUSY, 0, KITH_NULL);
}
