// SPDX-License-Identifier: MIT
// The model's calls: creating, adding, removing, destroying, and the events of each.
#include "loop_model_internal.h"

// --- announcing ------------------------------------------------------------------------------

// A call that is reported lets nothing move until it is done.
static void hold(loop_model *m)
{
    m->held += m->listening;
}

static void let_go(loop_model *m)
{
    m->held -= m->listening;
    model_settle_unless_held(m);
}

// A listener is called, and maybe reacts. Loops that are open now are not its to close.
static void announce(loop_model *m, kith_event event, kith_component component, uint32_t entity)
{
    if (!m->listening) {
        return;
    }
    loop_log_add(&m->log, LOOP_LOG_EVENT, (uint32_t)event << 8 | component, entity);
    uint32_t         floor = m->floor;
    const loop_step *step  = m->step;
    m->floor               = m->loop_count;
    hold(m);
    m->depth++;
    model_collect(m, event, component, entity);
    if (m->depth == 1 && step != NULL && step->reacts && m->events++ == step->at_event) {
        m->step = NULL;
        model_perform(m, &step->reaction);
    }
    m->depth--;
    m->floor = floor;
    let_go(m);
}

// --- changes ---------------------------------------------------------------------------------

static bool can_change(loop_model *m, uint32_t entity, kith_component component)
{
    const model_entity *e = &m->entities[entity];
    if (e->dying || (e->leaving & LOOP_BIT(component)) != 0) {
        model_fail(m, KITH_ERROR_DYING);
        return false;
    }
    return true;
}

static bool is_demand_met(loop_model *m, uint32_t entity, kith_component component)
{
    if (!m->entities[entity].alive) {
        model_fail(m, KITH_ERROR_DEAD_ENTITY);
        return false;
    }
    return can_change(m, entity, component);
}

static void replace_value(loop_model *m, uint32_t entity, kith_component component, uint32_t number)
{
    if (!model_has_bytes(m, component)) {
        return;
    }
    uint32_t   row   = loop_model_row(m, entity, component);
    model_row *value = &model_pool_of(m, component)->rows[row];
    model_destruct(m, component, value);
    value->number = number;
    model_touch(m, component, row);
    announce(m, KITH_EVENT_SET, component, entity);
}

// After a change that moves no row of the entity.
static void change_groups(loop_model *m, uint32_t entity, uint32_t before)
{
    uint32_t after = model_memberships(m, entity);
    model_leave_groups(m, entity, before & ~after);
    model_join_groups(m, entity, after & ~before);
}

static void add_value(loop_model *m, uint32_t entity, kith_component component, uint32_t number)
{
    uint32_t before = model_memberships(m, entity);
    m->entities[entity].has |= (uint8_t)LOOP_BIT(component);
    if (!model_is_flag(component)) {
        model_add_row(m, entity, component, number);
    }
    change_groups(m, entity, before);
    announce(m, KITH_EVENT_ADD, component, entity);
}

bool model_set(loop_model *m, uint32_t entity, kith_component component, uint32_t number)
{
    if (!is_demand_met(m, entity, component)) {
        return false;
    }
    if (model_has(m, entity, component)) {
        replace_value(m, entity, component, number);
    } else {
        add_value(m, entity, component, number);
    }
    return model_has(m, entity, component);
}

static bool set_value(loop_model *m, uint32_t entity, kith_component component)
{
    return model_set(m, entity, component, ++m->number);
}

static bool add_default(loop_model *m, uint32_t entity, kith_component component)
{
    if (!is_demand_met(m, entity, component)) {
        return false;
    }
    if (!model_has(m, entity, component)) {
        add_value(m, entity, component, 0);
    }
    return model_has(m, entity, component);
}

static bool ask_mut(loop_model *m, uint32_t entity, kith_component component)
{
    if (!model_has(m, entity, component)) {
        return false;
    }
    if (!model_is_flag(component)) {
        model_touch(m, component, loop_model_row(m, entity, component));
    }
    return true;
}

// Takes the component away without a word.
static void take_away(loop_model *m, uint32_t entity, kith_component component)
{
    model_entity *e      = &m->entities[entity];
    uint8_t       bit    = (uint8_t)LOOP_BIT(component);
    uint32_t      before = model_memberships(m, entity);
    e->has &= (uint8_t)~bit;
    uint32_t after = model_memberships(m, entity);
    e->has |= bit;
    model_leave_groups(m, entity, before & ~after);
    if (!model_is_flag(component)) {
        model_remove_row(m, entity, component);
    }
    e->has &= (uint8_t)~bit;
    e->disabled &= (uint8_t)~bit;
    model_join_groups(m, entity, after & ~before);
    for (uint32_t i = 0; i < m->loop_count; i++) {
        m->loops[i].kept[entity] &= (uint8_t)~bit;
    }
}

static bool remove_value(loop_model *m, uint32_t entity, kith_component component)
{
    if (!model_has(m, entity, component) || !can_change(m, entity, component)) {
        return false;
    }
    hold(m);
    m->entities[entity].leaving |= (uint8_t)LOOP_BIT(component);
    announce(m, KITH_EVENT_REMOVE, component, entity);
    m->entities[entity].leaving &= (uint8_t)~LOOP_BIT(component);
    if (model_has(m, entity, component)) {
        take_away(m, entity, component);
    }
    let_go(m);
    return true;
}

static bool switch_value(loop_model *m, uint32_t entity, kith_component component, bool disable)
{
    uint8_t bit = (uint8_t)LOOP_BIT(component);
    if (!is_demand_met(m, entity, component) || !model_has(m, entity, component)) {
        return false;
    }
    uint32_t before = model_memberships(m, entity);
    m->entities[entity].disabled &= (uint8_t)~bit;
    m->entities[entity].disabled |= disable ? bit : 0;
    change_groups(m, entity, before);
    return true;
}

uint32_t model_create(loop_model *m)
{
    uint32_t index      = m->free_count != 0 ? m->free[--m->free_count] : m->slot_count++;
    uint32_t entity     = m->entity_count++;
    m->owner[index]     = entity;
    m->entities[entity] = (model_entity){ .index = index, .alive = true };
    for (uint32_t i = 0; i < m->loop_count; i++) {
        m->loops[i].kept[entity] = 0;
    }
    announce(m, KITH_EVENT_CREATE, 0, entity);
    return m->entities[entity].alive ? index : LOOP_NONE;
}

static void create_all(loop_model *m)
{
    uint32_t entity = m->entity_count;
    uint32_t index  = model_create(m);
    loop_log_add(&m->log, LOOP_LOG_RESULT, LOOP_CREATE, index);
    for (kith_component component = LOOP_A; component <= LOOP_F; component++) {
        if (index != LOOP_NONE) {
            loop_log_add(&m->log, LOOP_LOG_RESULT, LOOP_SET, set_value(m, entity, component));
        }
    }
}

static void announce_end(loop_model *m, uint32_t entity)
{
    uint8_t quiet = m->entities[entity].leaving;
    for (uint32_t i = 0; i < LOOP_COMPONENTS; i++) {
        kith_component component = m->flavour->order[i];
        bool           again     = (quiet & LOOP_BIT(component)) != 0;
        if (model_has(m, entity, component) && (!again || m->fault == LOOP_FAULT_ANNOUNCED)) {
            announce(m, KITH_EVENT_REMOVE, component, entity);
        }
    }
    announce(m, KITH_EVENT_DESTROY, 0, entity);
}

static bool destroy(loop_model *m, uint32_t entity)
{
    model_entity *e = &m->entities[entity];
    if (!e->alive) {
        return false;
    }
    if (e->dying) {
        model_fail(m, KITH_ERROR_DYING);
        return false;
    }
    hold(m);
    e->dying = true;
    announce_end(m, entity);
    uint32_t before = model_memberships(m, entity);
    e->ended        = true;
    model_leave_groups(m, entity, before);
    for (uint32_t i = 0; i < LOOP_COMPONENTS; i++) {
        if (model_has(m, entity, m->flavour->order[i])) {
            take_away(m, entity, m->flavour->order[i]);
        }
    }
    e->alive                 = false;
    m->owner[e->index]       = LOOP_NONE;
    m->free[m->free_count++] = e->index;
    for (uint32_t i = 0; i < m->loop_count; i++) {
        m->loops[i].kept[entity] = 0;
    }
    let_go(m);
    return true;
}

// The entities that have the component: in row order, flags by index.
static uint32_t members_of(loop_model *m, kith_component component, uint32_t *members)
{
    const model_pool *pool  = model_is_flag(component) ? NULL : model_pool_of(m, component);
    uint32_t          end   = pool == NULL ? m->slot_count : pool->row_count;
    uint32_t          count = 0;
    for (uint32_t place = 0; place < end; place++) {
        uint32_t entity = pool == NULL ? m->owner[place] : pool->rows[place].entity;
        if (entity != LOOP_NONE && model_has(m, entity, component)) {
            members[count++] = entity;
        }
    }
    return count;
}

// Empties a pool at once: nothing is announced and everything may move.
static void empty_pool(loop_model *m, kith_component component)
{
    model_pool *pool = model_pool_of(m, component);
    for (uint32_t row = 0; row < pool->row_count; row++) {
        if (pool->rows[row].entity != LOOP_NONE) {
            model_destruct(m, component, &pool->rows[row]);
        }
    }
    for (uint32_t i = 0; i < m->entity_count; i++) {
        m->entities[i].has &= (uint8_t)~LOOP_BIT(component);
        m->entities[i].disabled &= (uint8_t)~LOOP_BIT(component);
    }
    pool->row_count   = 0;
    pool->reuse_count = 0;
}

static bool clear(loop_model *m, kith_component component)
{
    uint32_t members[LOOP_ENTITIES];
    if (!model_is_flag(component) && !model_is_held(m) && !m->listening &&
        !model_is_grouped(m, component)) {
        empty_pool(m, component);
        return true;
    }
    uint32_t count = members_of(m, component, members);
    m->held++;
    for (uint32_t i = 0; i < count; i++) {
        remove_value(m, members[i], component);
    }
    m->held--;
    model_settle_unless_held(m);
    return true;
}

static void clear_world(loop_model *m)
{
    uint32_t members[LOOP_ENTITIES];
    uint32_t count = 0;
    for (uint32_t index = m->slot_count; index-- > 0;) {
        if (m->owner[index] != LOOP_NONE) {
            members[count++] = m->owner[index];
        }
    }
    bool at_once = !model_is_held(m) && !m->listening && m->group_count == 0;
    m->held++;
    for (uint32_t i = 0; i < LOOP_COMPONENTS && at_once; i++) {
        if (!model_is_flag(m->flavour->order[i])) {
            empty_pool(m, m->flavour->order[i]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        destroy(m, members[i]);
    }
    m->held--;
    model_settle_unless_held(m);
}

// --- steps -----------------------------------------------------------------------------------

static bool advance(loop_model *m)
{
    if (model_is_held(m)) {
        model_fail(m, KITH_ERROR_BUSY);
        return false;
    }
    m->tick++;
    return true;
}

static bool begin_query(loop_model *m, const loop_call *call)
{
    bool begun = model_begin(m, &loop_shapes[call->shape]);
    if (loop_call_stored(call)) {
        const model_loop *loop = &m->loops[m->loop_count - 1];
        loop_log_add(&m->log, LOOP_LOG_LEAD, loop->lead, loop->lead == 0 ? 0 : loop->rows);
    }
    return begun;
}

uint32_t model_answer(loop_model *m, const loop_call *call)
{
    uint32_t       subject   = call->subject;
    kith_component component = call->component;
    switch ((loop_verb)call->verb) {
    case LOOP_BEGIN:
        return begin_query(m, call);
    case LOOP_NEXT:
        return model_next(m, subject, 1);
    case LOOP_NEXT_CHUNK:
        return model_next(m, subject, m->chunk_length);
    case LOOP_END:
        model_end_loop(m, subject);
        return 0;
    case LOOP_HOLD:
        return model_begin(m, NULL);
    case LOOP_RELEASE:
        return model_release(m);
    case LOOP_SETTLE:
        return model_settle_all(m);
    case LOOP_TICK:
        return advance(m);
    case LOOP_CREATE:
        return model_create(m);
    case LOOP_CREATE_ALL:
        create_all(m);
        return 0;
    case LOOP_DESTROY:
        return destroy(m, subject);
    case LOOP_SET:
        return set_value(m, subject, component);
    case LOOP_ADD:
        return add_default(m, subject, component);
    case LOOP_MUT:
        return ask_mut(m, subject, component);
    case LOOP_REMOVE:
        return remove_value(m, subject, component);
    case LOOP_DISABLE:
        return switch_value(m, subject, component, true);
    case LOOP_ENABLE:
        return switch_value(m, subject, component, false);
    case LOOP_CLEAR:
        return clear(m, component);
    case LOOP_CLEAR_WORLD:
        clear_world(m);
        return 0;
    case LOOP_GROUP:
        return model_group_of(m, &loop_shapes[call->shape], component, true);
    case LOOP_UNGROUP:
        return subject != m->tracked.call && model_group_drop(m, subject);
    case LOOP_APPLY:
        return model_apply(m);
    case LOOP_UPDATE:
        return model_update(m);
    case LOOP_COLLECT:
        return model_collect_changed(m);
    case LOOP_MEMBER:
        return model_next_member(m);
    case LOOP_FORGET:
        m->reactive.count = 0;
        return 0;
    case LOOP_TURN:
        return model_take_turns(m);
    case LOOP_TRACK:
        return model_track(m, &loop_shapes[call->shape]);
    case LOOP_UNTRACK:
        return model_untrack(m);
    }
    return 0;
}

static uint32_t call_or_defer(loop_model *m, const loop_call *call)
{
    return call->way == LOOP_NOW ? model_answer(m, call) : model_defer(m, call);
}

void model_perform(loop_model *m, const loop_call *call)
{
    m->error        = KITH_OK;
    m->reported     = 0;
    bool     able   = loop_call_has_subject(call, m->loop_count, m->entity_count, m->group_calls);
    uint32_t result = able ? call_or_defer(m, call) : 0;
    loop_log_add(&m->log, LOOP_LOG_RESULT, call->verb, result);
    loop_log_add(&m->log, LOOP_LOG_ERROR, m->reported, m->error);
}

void loop_model_step(loop_model *m, const loop_step *step, uint32_t chunk_length)
{
    m->log.count    = 0;
    m->step         = step;
    m->events       = 0;
    m->chunk_length = chunk_length;
    model_perform(m, &step->call);
}

void loop_model_init(loop_model *m, const loop_flavour *flavour, bool listening)
{
    m->flavour      = flavour;
    m->listening    = listening;
    m->fault        = LOOP_FAULT_NONE;
    m->tick         = 1;
    m->slot_count   = 0;
    m->free_count   = 0;
    m->depth        = 0;
    m->held         = 0;
    m->floor        = 0;
    m->entity_count = 0;
    loop_model_restart(m);
}

void loop_model_restart(loop_model *m)
{
    m->free_count = 0;
    for (uint32_t index = m->slot_count; index-- > 0;) {
        m->owner[index]          = LOOP_NONE;
        m->free[m->free_count++] = index;
    }
    for (uint32_t i = 0; i < LOOP_POOLS; i++) {
        m->pools[i].row_count   = 0;
        m->pools[i].reuse_count = 0;
    }
    m->tick++;
    m->entity_count = 0;
    m->loop_count   = 0;
    m->group_count  = 0;
    m->group_calls  = 0;
    m->link_count   = 0;
    m->stale        = false;
    m->number       = 0;
    m->reactive     = (model_reactive){ .count = 0 };
    m->tracked.call = LOOP_NONE;
    for (uint32_t way = 0; way < LOOP_WAYS; way++) {
        m->waiting[way].count = 0;
    }
}

// Of commands: as if nothing changed between them. A listener of what handlers do does not react.
static uint32_t events_of_commands(const loop_model *m)
{
    const model_waiting *waiting = &m->waiting[LOOP_RECORDED];
    uint32_t             count   = 0;
    for (uint32_t i = 0; i < waiting->count; i++) {
        loop_call now = waiting->calls[i];
        now.way       = LOOP_NOW;
        count += loop_model_events(m, &now);
    }
    return count;
}

uint32_t loop_model_events(const loop_model *m, const loop_call *call)
{
    uint32_t count = 1;
    if (call->way != LOOP_NOW) {
        return 0;
    }
    switch ((loop_verb)call->verb) {
    case LOOP_CREATE_ALL:
        return 1 + LOOP_COMPONENTS;
    case LOOP_DESTROY:
        for (kith_component c = LOOP_A; c <= LOOP_F; c++) {
            count += model_has(m, call->subject, c);
        }
        return count;
    case LOOP_CREATE:
        return 1;
    case LOOP_SET:
        return !model_is_flag(call->component) || !model_has(m, call->subject, call->component);
    case LOOP_REMOVE:
        return model_has(m, call->subject, call->component);
    case LOOP_APPLY:
        return events_of_commands(m);
    default:
        return 0;
    }
}
