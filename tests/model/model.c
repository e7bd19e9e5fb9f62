// SPDX-License-Identifier: MIT
// The model's world, entities and errors.
#include "model_internal.h"

#include <string.h>

enum { HINT_REACH = 1 << 20 };

// ---------------------------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------------------------

void model_report(model *m, kith_error_code code, kith_component component, kith_entity entity)
{
    if (m->reported_count < MODEL_REPORTED) {
        m->reported[m->reported_count++] = (model_error){ code, component, entity };
    }
}

bool model_fail(model *m, kith_error_code code, kith_component component, kith_entity entity)
{
    model_report(m, code, component, entity);
    m->record = (model_error){ code, component, entity };
    return false;
}

void model_world_error_clear(model *m)
{
    m->record = (model_error){ KITH_OK, 0, 0 };
}

bool model_busy(model *m, kith_component component, kith_entity entity)
{
    return m->busy && !model_fail(m, KITH_ERROR_BUSY, component, entity);
}

void model_step_begin(model *m, uint32_t fail_at, void (*meddle)(void *meddler), void *meddler)
{
    m->reported_count = 0;
    m->life_count     = 0;
    m->hook_calls     = 0;
    m->fail_at        = fail_at;
    m->meddle         = meddle;
    m->meddler        = meddler;
}

void model_step_starved(model *m, const model_error *error, bool recorded)
{
    model_report(m, error->code, error->component, error->entity);
    if (recorded) {
        m->record = m->reported[m->reported_count - 1];
    }
}

// ---------------------------------------------------------------------------------------------
// The list of free indices
// ---------------------------------------------------------------------------------------------

static void insert_free(model *m, uint32_t place, uint32_t index)
{
    for (uint32_t i = m->free_count; i > place; i--) {
        m->free_list[i] = m->free_list[i - 1];
    }
    m->free_list[place] = index;
    m->free_count++;
}

static uint32_t place_of_lowest_first(const model *m, uint32_t index)
{
    uint32_t place = 0;
    while (place < m->free_count && m->free_list[place] < index) {
        place++;
    }
    return place;
}

static void put_free(model *m, uint32_t index)
{
    switch (m->order) {
    case KITH_FREE_FIFO:
        insert_free(m, m->free_count, index);
        break;
    case KITH_FREE_LOWEST:
        insert_free(m, place_of_lowest_first(m, index), index);
        break;
    default:
        insert_free(m, 0, index);
        break;
    }
}

// So that they come out in ascending order, before older ones under LIFO, after them under FIFO.
static void put_free_ascending(model *m, const uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put_free(m, m->order == KITH_FREE_LIFO ? indices[count - 1 - i] : indices[i]);
    }
}

static void take_free(model *m, uint32_t index)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->free_count; i++) {
        if (m->free_list[i] != index) {
            m->free_list[kept++] = m->free_list[i];
        }
    }
    m->free_count = kept;
}

// ---------------------------------------------------------------------------------------------
// World
// ---------------------------------------------------------------------------------------------

static bool makes_sense(const kith_world_desc *desc)
{
    uint32_t index_bits = desc->index_bits == 0 ? 31 : desc->index_bits;
    if (index_bits > 31 || desc->version_bits > 32 || (int)desc->free_order < 0 ||
        desc->free_order > KITH_FREE_LOWEST) {
        return false;
    }
    uint32_t limit = desc->max_entities == 0 ? 1u << index_bits : desc->max_entities;
    bool     large = desc->memory == 0 || desc->memory > 10000; // no desc is close to the border
    return limit <= 1u << index_bits && desc->first_index < limit && large;
}

bool model_world_try(model *m, const kith_world_desc *desc)
{
    if (!makes_sense(desc)) {
        model_report(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
    }
    return makes_sense(desc);
}

static kith_free_order order_of(const kith_world_desc *desc, uint32_t version_bits)
{
    if (desc->free_order != KITH_FREE_DEFAULT) {
        return desc->free_order;
    }
    return version_bits < 16 ? KITH_FREE_FIFO : KITH_FREE_LIFO;
}

void model_world_create(model *m, const kith_world_desc *desc)
{
    memset(m, 0, sizeof *m);
    uint32_t index_bits   = desc->index_bits == 0 ? 31 : desc->index_bits;
    uint32_t version_bits = desc->version_bits == 0 ? 32 : desc->version_bits;
    m->most               = 1u << index_bits;
    m->limit              = desc->max_entities == 0 ? m->most : desc->max_entities;
    m->last_version       = version_bits == 32 ? UINT32_MAX : (1u << version_bits) - 1;
    m->first_index        = desc->first_index;
    m->order              = order_of(desc, version_bits);
    m->user               = desc->user;
    m->slot_count         = desc->first_index;
    m->queued             = m->order == KITH_FREE_FIFO && desc->max_entities != 0;
    if (m->queued) {
        while (m->slot_count < m->limit) {
            m->slots[m->slot_count] = (model_slot){ MODEL_FREE, 1 };
            insert_free(m, m->free_count, m->slot_count++);
        }
    }
}

void model_world_destroy(model *m)
{
    if (model_blocked(m, 0, KITH_NULL)) {
        return;
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        if (component->present) {
            model_destruct(m, component, component->number);
        }
        for (uint32_t row = 0; row < component->row_count; row++) {
            if (component->rows[row].entity != KITH_NULL) {
                model_destruct(m, component, component->rows[row].number);
            }
        }
    }
}

bool model_world_shrink(model *m)
{
    if (model_blocked(m, 0, KITH_NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        model_forget_room(&m->components[i]);
    }
    return true;
}

void *model_world_user(const model *m)
{
    return m->user;
}

void model_world_user_set(model *m, void *user)
{
    m->user = user;
}

// Bytes are not the model's business, but a component must be registered to be asked for.
void model_world_memory(model *m, kith_component component)
{
    if (component != KITH_ALL) {
        model_named(m, MODEL_ASKS, component, MODEL_ALL);
    }
}

static uint32_t count_state(const model *m, model_state state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->slot_count; i++) {
        count += m->slots[i].state == state;
    }
    return count;
}

kith_stats model_world_stats(const model *m)
{
    return (kith_stats){
        .alive      = count_state(m, MODEL_ALIVE),
        .slots      = m->slot_count,
        .limit      = m->limit,
        .free       = m->free_count,
        .retired    = count_state(m, MODEL_RETIRED),
        .next_free  = m->free_count == 0 ? KITH_NO_INDEX : m->free_list[0],
        .components = m->component_count,
    };
}

// ---------------------------------------------------------------------------------------------
// Entities: making them
// ---------------------------------------------------------------------------------------------

// The slot of a fresh entity, taken out of the free list; false when the world is full.
static bool take_next(model *m, uint32_t *index)
{
    if (m->free_count > 0) {
        *index = m->free_list[0];
        take_free(m, *index);
        return true;
    }
    if (m->slot_count >= m->limit) {
        return false;
    }
    *index = m->slot_count++;
    return true;
}

static kith_entity begin_slot(model *m, uint32_t index, uint32_t version)
{
    m->slots[index] = (model_slot){ MODEL_ALIVE, version };
    return model_entity_make(index, version);
}

kith_entity model_make_fresh(model *m)
{
    uint32_t index = 0;
    if (!take_next(m, &index)) {
        return KITH_NULL;
    }
    uint32_t version = m->slots[index].version;
    return begin_slot(m, index, version == 0 ? 1 : version);
}

uint64_t model_entities_left(const model *m, bool fresh)
{
    return (fresh ? 0 : (uint64_t)m->free_count) + (m->limit - m->slot_count);
}

bool model_may_make(model *m)
{
    return !model_busy(m, 0, KITH_NULL) &&
           (!model_has_listeners(m, KITH_EVENT_CREATE, 0) || !model_too_deep(m, 0));
}

// An entity that a listener destroyed before its announcement is not announced. One that does not
// live when its announcement is over turns into KITH_NULL.
static bool is_alive_yet(model *m, const void *event, uint32_t i, kith_entity entity)
{
    (void)event;
    (void)i;
    return model_entity_alive(m, entity);
}

void model_announce_made(model *m, kith_entity *made, uint32_t count)
{
    model_concerned concerned = { made, count, is_alive_yet, NULL };
    uint32_t        outer     = model_batch_begin(m);
    model_hold(m);
    model_announce_many(m, KITH_EVENT_CREATE, 0, &concerned);
    for (uint32_t i = 0; i < count; i++) {
        if (model_entity_alive(m, made[i]) && model_has_listeners(m, KITH_EVENT_CREATE, 0)) {
            model_announce_begin(m);
            model_announce(m, KITH_EVENT_CREATE, 0, made[i]);
            model_announce_end(m);
        }
        made[i] = model_entity_alive(m, made[i]) ? made[i] : KITH_NULL;
    }
    model_release(m);
    model_batch_end(m, outer);
}

static kith_entity announce_single(model *m, kith_entity made)
{
    if (model_has_listeners(m, KITH_EVENT_CREATE, 0)) {
        model_announce_begin(m);
        model_announce(m, KITH_EVENT_CREATE, 0, made);
        model_announce_end(m);
    }
    return model_entity_alive(m, made) ? made : KITH_NULL;
}

kith_entity model_entity_create(model *m)
{
    if (!model_may_make(m)) {
        return KITH_NULL;
    }
    kith_entity made = model_make_fresh(m);
    if (made == KITH_NULL) {
        model_fail(m, KITH_ERROR_LIMIT, 0, KITH_NULL);
        return KITH_NULL;
    }
    return announce_single(m, made);
}

// Beyond the limits there is no answer at all, not even a fresh entity.
static bool hint_is_allowed(const model *m, kith_entity hint)
{
    uint64_t index = model_entity_index(hint);
    return index < m->limit && model_entity_version(hint) <= m->last_version &&
           index <= (uint64_t)m->slot_count + HINT_REACH;
}

static bool hint_can_be_met(const model *m, kith_entity hint)
{
    uint32_t index   = model_entity_index(hint);
    uint32_t version = model_entity_version(hint);
    if (version == 0) {
        return false;
    }
    if (index >= m->slot_count) {
        return true;
    }
    const model_slot *slot = &m->slots[index];
    return slot->state != MODEL_ALIVE && slot->state != MODEL_RETIRED && version >= slot->version;
}

// Which hints are met: those that can be, and of two with the same index the earlier one.
static uint32_t choose_met(const model *m, const kith_entity *hints, uint32_t count, bool *met)
{
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < count; i++) {
        met[i] = hint_can_be_met(m, hints[i]);
        for (uint32_t j = 0; j < i; j++) {
            met[i] =
                met[i] && !(met[j] && model_entity_index(hints[j]) == model_entity_index(hints[i]));
        }
        chosen += met[i];
    }
    return chosen;
}

// How many fresh entities the world still has when the met hints are gone.
static uint64_t fresh_left(const model *m, const kith_entity *hints, uint32_t count,
                           const bool *met)
{
    uint64_t left = (uint64_t)m->free_count + (m->limit - m->slot_count);
    for (uint32_t i = 0; i < count; i++) {
        left -= met[i] && model_entity_index(hints[i]) >= m->first_index;
    }
    return left;
}

// Makes the table reach to the highest met hint. The slots in between are freed in one go.
static void grow_to_hints(model *m, const kith_entity *hints, uint32_t count, const bool *met)
{
    uint32_t jumped[MODEL_SLOTS];
    uint32_t old_count = m->slot_count;
    for (uint32_t i = 0; i < count; i++) {
        if (met[i] && model_entity_index(hints[i]) >= m->slot_count) {
            m->slot_count = model_entity_index(hints[i]) + 1;
        }
    }
    for (uint32_t index = old_count; index < m->slot_count; index++) {
        jumped[index - old_count] = index;
        m->slots[index]           = (model_slot){ MODEL_FREE, 1 };
    }
    put_free_ascending(m, jumped, m->slot_count - old_count);
}

static bool make_hinted(model *m, const kith_entity *hints, uint32_t count, kith_entity *out)
{
    bool     met[MODEL_HINTS] = { false };
    uint32_t chosen           = choose_met(m, hints, count, met);
    if (count - chosen > fresh_left(m, hints, count, met)) {
        return false;
    }
    grow_to_hints(m, hints, count, met);
    for (uint32_t i = 0; i < count; i++) {
        if (met[i]) {
            take_free(m, model_entity_index(hints[i]));
            out[i] = begin_slot(m, model_entity_index(hints[i]), model_entity_version(hints[i]));
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!met[i]) {
            out[i] = model_make_fresh(m);
        }
    }
    return true;
}

static bool create_hinted(model *m, const kith_entity *hints, uint32_t count, kith_entity *out)
{
    kith_entity asked[MODEL_HINTS] = { 0 }; // `out` may be `hints`
    if (!model_may_make(m)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        asked[i] = hints[i];
        if (!hint_is_allowed(m, asked[i])) {
            return model_fail(m, KITH_ERROR_LIMIT, 0, asked[i]);
        }
    }
    if (!make_hinted(m, asked, count, out)) {
        return model_fail(m, KITH_ERROR_LIMIT, 0, KITH_NULL);
    }
    return true;
}

bool model_entity_create_hints(model *m, const kith_entity *hints, uint32_t count, kith_entity *out)
{
    if (!create_hinted(m, hints, count, out)) {
        return false;
    }
    model_announce_made(m, out, count);
    return true;
}

kith_entity model_entity_create_hint(model *m, kith_entity hint)
{
    kith_entity made = KITH_NULL;
    return create_hinted(m, &hint, 1, &made) ? announce_single(m, made) : KITH_NULL;
}

// ---------------------------------------------------------------------------------------------
// Entities: ending them
// ---------------------------------------------------------------------------------------------

// Returns whether the slot is to be put into the free list.
static bool end_slot(model *m, uint32_t index)
{
    model_slot *slot = &m->slots[index];
    if (slot->version == m->last_version) {
        slot->state = MODEL_RETIRED;
        return false;
    }
    slot->version++;
    slot->state = index < m->first_index ? MODEL_RESERVED : MODEL_FREE;
    return slot->state == MODEL_FREE;
}

static bool end_is_reported(const model *m, kith_entity entity)
{
    bool reported = model_has_listeners(m, KITH_EVENT_DESTROY, 0);
    for (uint32_t i = 0; i < m->component_count; i++) {
        const model_component *component = &m->components[i];
        reported                         = reported || (model_has(component, entity) &&
                                model_has_listeners(m, KITH_EVENT_REMOVE, component->desc.id));
    }
    return reported;
}

static bool is_leaving(const model *m, kith_component component, kith_entity entity)
{
    for (uint32_t i = 0; i < m->departure_count; i++) {
        if (m->departures[i].entity == entity && m->departures[i].component == component) {
            return true;
        }
    }
    return false;
}

// All that it has, in the order of registration, and then the entity.
static void announce_end_of(model *m, kith_entity entity)
{
    model_depart_begin(m, 0, entity);
    for (uint32_t i = 0; i < m->component_count; i++) {
        kith_component id = m->components[i].desc.id;
        if (model_has(&m->components[i], entity) && !is_leaving(m, id, entity) &&
            !model_is_unreported(m, id, entity) &&
            (!model_is_deaf(m) || model_is_own(&m->components[i]))) {
            model_announce(m, KITH_EVENT_REMOVE, id, entity);
        }
    }
    model_announce(m, KITH_EVENT_DESTROY, 0, entity);
    model_depart_end(m);
}

static void end_entity(model *m, kith_entity entity)
{
    uint32_t before = model_memberships(m, entity);
    model_strike(m, 0, entity);
    m->ending = entity;
    model_leave_groups(m, entity, before);
    model_strip(m, entity);
    m->ending = KITH_NULL;
    if (end_slot(m, model_entity_index(entity))) {
        put_free(m, model_entity_index(entity));
    }
}

bool model_entity_destroy(model *m, kith_entity entity)
{
    if (!model_entity_alive(m, entity) || model_busy(m, 0, entity) || model_departs(m, 0, entity)) {
        return false;
    }
    if (!end_is_reported(m, entity)) {
        end_entity(m, entity);
        return true;
    }
    if (!model_link_may_destroy(m, entity) || model_too_deep(m, 0)) {
        return false;
    }
    model_announce_begin(m);
    announce_end_of(m, entity);
    end_entity(m, entity);
    model_announce_end(m);
    return true;
}

// Whether clearing destroys an entity whose end is reported.
static bool clearing_announces(const model *m)
{
    kith_entity e = KITH_NULL;
    while ((e = model_entity_next(m, e)) != KITH_NULL) {
        if (!model_is_dying(m, e) && end_is_reported(m, e)) {
            return true;
        }
    }
    return false;
}

static bool clearing_is_reported(const model *m)
{
    bool reported = false;
    for (uint32_t i = 0; i < m->listener_count; i++) {
        kith_event event = m->listeners[i].desc.event;
        reported         = reported || event == KITH_EVENT_DESTROY || event == KITH_EVENT_REMOVE;
    }
    return reported;
}

// One by one, so that their indices come out as if all had gone at once.
static void clear_singly(model *m)
{
    uint32_t count  = m->slot_count;
    bool     passed = m->passes_over;
    m->passes_over  = true;
    model_hold(m);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = m->order == KITH_FREE_LIFO ? count - 1 - i : i;
        if (m->slots[index].state == MODEL_ALIVE) {
            model_entity_destroy(m, model_entity_make(index, m->slots[index].version));
        }
    }
    m->passes_over = passed;
    model_release(m);
}

// In the order of rows, whatever the order in which entities end.
static void note_all_removals(model *m)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        model_component *component = &m->components[i];
        for (uint32_t row = 0; row < component->row_count; row++) {
            if (component->rows[row].entity != KITH_NULL) {
                model_record_removal(m, component, component->rows[row].entity);
            }
        }
    }
}

void model_world_clear(model *m)
{
    if (model_busy(m, 0, KITH_NULL)) {
        return;
    }
    if (clearing_announces(m) && model_too_deep(m, 0)) {
        return;
    }
    if (model_held(m) || clearing_is_reported(m) || m->group_count != 0) {
        clear_singly(m);
        return;
    }
    uint32_t freed[MODEL_SLOTS];
    uint32_t count = 0;
    note_all_removals(m);
    m->unnoted = true;
    for (uint32_t index = 0; index < m->slot_count; index++) {
        if (m->slots[index].state == MODEL_ALIVE) {
            model_strip(m, model_entity_make(index, m->slots[index].version));
            if (end_slot(m, index)) {
                freed[count++] = index;
            }
        }
    }
    m->unnoted = false;
    put_free_ascending(m, freed, count);
    for (uint32_t i = 0; i < m->component_count; i++) {
        m->components[i].row_count  = 0;
        m->components[i].hole_count = 0;
    }
}

// ---------------------------------------------------------------------------------------------
// Entities: questions
// ---------------------------------------------------------------------------------------------

bool model_entity_alive(const model *m, kith_entity entity)
{
    uint32_t index = model_entity_index(entity);
    return index < m->slot_count && m->slots[index].state == MODEL_ALIVE &&
           m->slots[index].version == model_entity_version(entity);
}

uint32_t model_entity_current(const model *m, kith_entity entity)
{
    uint32_t index = model_entity_index(entity);
    return index < m->slot_count ? m->slots[index].version : 0;
}

uint32_t model_entity_count(const model *m)
{
    return count_state(m, MODEL_ALIVE);
}

kith_entity model_entity_next(const model *m, kith_entity previous)
{
    uint64_t index = previous == KITH_NULL ? 0 : (uint64_t)model_entity_index(previous) + 1;
    for (; index < m->slot_count; index++) {
        if (m->slots[index].state == MODEL_ALIVE) {
            return model_entity_make((uint32_t)index, m->slots[index].version);
        }
    }
    return KITH_NULL;
}

bool model_entity_reserve(model *m, uint32_t slots)
{
    if (model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    return slots <= m->limit || model_fail(m, KITH_ERROR_LIMIT, 0, KITH_NULL);
}

bool model_entity_limit_set(model *m, uint32_t slots)
{
    if (model_busy(m, 0, KITH_NULL)) {
        return false;
    }
    if (slots < m->slot_count || slots > m->most || (m->queued && slots != m->limit)) {
        return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
    }
    m->limit = slots;
    return true;
}

bool model_world_reserve(model *m, uint32_t entities, uint32_t batch)
{
    if (model_blocked(m, 0, KITH_NULL)) {
        return false;
    }
    if (entities > m->limit || batch > m->limit) {
        return model_fail(m, KITH_ERROR_LIMIT, 0, KITH_NULL);
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        model_component *one = &m->components[i];
        if (model_has_rows(one)) {
            model_record_room(one, one->limit == UINT32_MAX ? entities : one->limit);
        }
    }
    return true;
}

// Where indices go out lowest first nothing links them.
static uint32_t next_in_free_list(const model *m, uint32_t index)
{
    for (uint32_t i = 0; i + 1 < m->free_count && m->order != KITH_FREE_LOWEST; i++) {
        if (m->free_list[i] == index) {
            return m->free_list[i + 1];
        }
    }
    return KITH_NO_INDEX;
}

kith_entity model_entity_slot(const model *m, uint32_t index)
{
    if (index >= m->slot_count) {
        return 0;
    }
    const model_slot *slot = &m->slots[index];
    switch (slot->state) {
    case MODEL_ALIVE:
        return model_entity_make(index, slot->version);
    case MODEL_FREE:
        return model_entity_make(next_in_free_list(m, index), slot->version);
    case MODEL_RETIRED:
        return model_entity_make(KITH_NO_INDEX - 1, slot->version);
    case MODEL_RESERVED:
        return model_entity_make(KITH_NO_INDEX - 2, slot->version);
    default:
        return 0;
    }
}
