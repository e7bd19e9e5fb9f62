// SPDX-License-Identifier: MIT
// Groups: how many rows at the front of the owned pools are members, or which entities the list
// has. An entity that joined or left while nothing could move is recorded by index, in the order of
// the first change.
#include "loop_model_internal.h"

#include <string.h>

// --- members ---------------------------------------------------------------------------------

bool loop_model_meets(const loop_model *m, const model_group *group, uint32_t entity)
{
    const model_entity *e       = &m->entities[entity];
    uint32_t            visible = (uint32_t)e->has & ~(uint32_t)e->disabled;
    return e->alive && !e->ended && (visible & group->with) == group->with &&
           (visible & group->without) == 0;
}

uint32_t model_memberships(const loop_model *m, uint32_t entity)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < m->group_count; i++) {
        groups |= (uint32_t)loop_model_meets(m, &m->groups[i], entity) << i;
    }
    return groups;
}

bool model_is_grouped(const loop_model *m, kith_component component)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < m->group_count; i++) {
        named |= m->groups[i].with | m->groups[i].without;
    }
    return (named & LOOP_BIT(component)) != 0;
}

const model_group *model_group_for(const loop_model *m, const loop_shape *shape)
{
    for (uint32_t i = 0; i < m->group_count; i++) {
        const model_group *group = &m->groups[i];
        if (loop_shape_walks_group(shape) && loop_shape_with(shape) == group->with &&
            loop_shape_without(shape) == group->without) {
            return group;
        }
    }
    return NULL;
}

const model_group *model_group_around(const loop_model *m, const loop_shape *shape, uint32_t rows)
{
    const model_group *around = NULL;
    bool               able   = m->link_count == 0;
    for (uint32_t i = 0; i < m->entity_count; i++) {
        able = able && (!m->entities[i].alive || m->entities[i].disabled == 0);
    }
    for (uint32_t i = 0; i < m->group_count && able; i++) {
        const model_group *group = &m->groups[i];
        uint32_t           terms = group->with | group->without;
        if (group->owned != 0 && group->members < rows && (terms & ~LOOP_POOL_BITS) == 0 &&
            group->without == 0 && loop_shape_goes_inside(shape, terms)) {
            around = group;
            rows   = group->members;
        }
    }
    return around;
}

bool model_group_lists(const loop_model *m, const model_group *group, uint32_t entity)
{
    for (uint32_t i = 0; i < group->members; i++) {
        if (m->entities[group->list[i]].index == m->entities[entity].index) {
            return true;
        }
    }
    return false;
}

// Whether the entity stands among the members, whether it belongs there or not.
static bool stands_in(const loop_model *m, const model_group *group, uint32_t entity)
{
    bool among = group->owned != 0;
    if (group->owned == 0) {
        return model_group_lists(m, group, entity);
    }
    for (kith_component c = LOOP_A; c <= LOOP_C; c++) {
        if ((group->owned & LOOP_BIT(c)) != 0) {
            among =
                among && model_has(m, entity, c) && loop_model_row(m, entity, c) < group->members;
        }
    }
    return among;
}

// --- moving ----------------------------------------------------------------------------------

static void exchange(loop_model *m, const model_group *group, kith_component c, uint32_t a,
                     uint32_t b)
{
    model_row *rows = model_pool_of(m, c)->rows;
    model_row  in_a = rows[a];
    if ((group->owned & LOOP_BIT(c)) == 0 || a == b) {
        return;
    }
    rows[a] = rows[b];
    rows[b] = in_a;
    model_stamp(m, c, a);
    model_stamp(m, c, b);
}

static void bring(loop_model *m, const model_group *group, uint32_t entity, uint32_t row)
{
    for (kith_component c = LOOP_A; c <= LOOP_C; c++) {
        if ((group->owned & LOOP_BIT(c)) != 0) {
            exchange(m, group, c, loop_model_row(m, entity, c), row);
        }
    }
}

static void join(loop_model *m, model_group *group, uint32_t entity)
{
    bring(m, group, entity, group->members);
    group->list[group->members++] = entity;
}

static void leave(loop_model *m, model_group *group, uint32_t entity)
{
    uint32_t at = 0;
    group->members--;
    bring(m, group, entity, group->members);
    while (group->owned == 0 && m->entities[group->list[at]].index != m->entities[entity].index) {
        at++;
    }
    group->list[at] = group->list[group->members];
}

static void note_change(loop_model *m, uint32_t entity)
{
    uint32_t index = m->entities[entity].index;
    for (uint32_t i = 0; i < m->link_count; i++) {
        if (m->links[i] == index) {
            return;
        }
    }
    m->links[m->link_count++] = index;
    m->stale                  = true;
}

// The inner groups first.
void model_leave_groups(loop_model *m, uint32_t entity, uint32_t groups)
{
    if (groups != 0 && model_is_held(m)) {
        note_change(m, entity);
        return;
    }
    for (uint32_t i = m->group_count; i-- > 0;) {
        if ((groups >> i & 1) != 0) {
            leave(m, &m->groups[i], entity);
        }
    }
}

// The outer groups first.
void model_join_groups(loop_model *m, uint32_t entity, uint32_t groups)
{
    bool inward = m->fault != LOOP_FAULT_NESTING;
    if (groups != 0 && model_is_held(m)) {
        note_change(m, entity);
        return;
    }
    for (uint32_t n = 0; n < m->group_count; n++) {
        uint32_t i = inward ? n : m->group_count - 1 - n;
        if ((groups >> i & 1) != 0) {
            join(m, &m->groups[i], entity);
        }
    }
}

// --- settling --------------------------------------------------------------------------------

static bool has_hole(const loop_model *m, const model_group *group, uint32_t row)
{
    for (kith_component c = LOOP_A; c <= LOOP_C; c++) {
        if ((group->owned & LOOP_BIT(c)) != 0 && m->pools[c - 1].rows[row].entity == LOOP_NONE) {
            return true;
        }
    }
    return false;
}

// The entity that has the row in the first pool that the group owns.
static uint32_t member_at(const loop_model *m, const model_group *group, uint32_t row)
{
    kith_component c = LOOP_A;
    while ((group->owned & LOOP_BIT(c)) == 0) {
        c++;
    }
    return m->pools[c - 1].rows[row].entity;
}

static bool has_left(const loop_model *m, const model_group *group, uint32_t row)
{
    return has_hole(m, group, row) || !loop_model_meets(m, group, member_at(m, group, row));
}

static void close_row(loop_model *m, model_group *group, uint32_t row)
{
    while (group->members != 0 && has_left(m, group, group->members - 1)) {
        group->members--;
    }
    if (row >= group->members || !has_left(m, group, row)) {
        return;
    }
    group->members--;
    for (kith_component c = LOOP_A; c <= LOOP_C; c++) {
        exchange(m, group, c, row, group->members);
    }
}

// The rows below the border that are holes somewhere, from the highest on.
static uint32_t find_holes(const loop_model *m, const model_group *group, uint32_t *rows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->members; i++) {
        uint32_t row = m->fault == LOOP_FAULT_GAPS ? i : group->members - 1 - i;
        if (has_hole(m, group, row)) {
            rows[count++] = row;
        }
    }
    return count;
}

static void close_owned(loop_model *m, model_group *group)
{
    static uint32_t holes[LOOP_ROWS];
    uint32_t        count = find_holes(m, group, holes);
    for (uint32_t i = 0; i < count; i++) {
        close_row(m, group, holes[i]);
    }
    for (uint32_t i = 0; i < m->link_count; i++) {
        uint32_t entity = m->owner[m->links[i]];
        for (uint32_t row = 0; row < group->members && entity != LOOP_NONE; row++) {
            if (member_at(m, group, row) == entity) {
                close_row(m, group, row);
                break;
            }
        }
    }
}

// An entity that changed and no longer belongs leaves the list, as does one whose index is reused.
static void close_list(loop_model *m, model_group *group)
{
    for (uint32_t i = 0; i < m->link_count; i++) {
        for (uint32_t at = 0; at < group->members; at++) {
            uint32_t entity = group->list[at];
            if (m->entities[entity].index == m->links[i] && !loop_model_meets(m, group, entity)) {
                group->list[at] = group->list[--group->members];
                break;
            }
        }
    }
}

void model_close_groups(loop_model *m)
{
    for (uint32_t i = m->group_count; i-- > 0;) {
        if (m->groups[i].owned != 0) {
            close_owned(m, &m->groups[i]);
        } else {
            close_list(m, &m->groups[i]);
        }
    }
}

void model_fill_groups(loop_model *m)
{
    for (uint32_t i = 0; i < m->link_count; i++) {
        uint32_t entity = m->owner[m->links[i]];
        uint32_t joins  = 0;
        for (uint32_t k = 0; k < m->group_count && entity != LOOP_NONE; k++) {
            bool joined =
                loop_model_meets(m, &m->groups[k], entity) && !stands_in(m, &m->groups[k], entity);
            joins |= (uint32_t)joined << k;
        }
        model_join_groups(m, entity, joins);
    }
    m->link_count = 0;
}

// --- making and dropping ---------------------------------------------------------------------

static bool is_inside(const model_group *inner, const model_group *outer)
{
    return (outer->with & ~inner->with) == 0 && (outer->without & ~inner->without) == 0 &&
           (outer->owned & ~inner->owned) == 0;
}

static bool same_terms(const model_group *a, const model_group *b)
{
    return a->with == b->with && a->without == b->without;
}

static bool is_conflict(const loop_model *m, const model_group *asked)
{
    bool conflict = false;
    for (uint32_t i = 0; i < m->group_count; i++) {
        const model_group *other  = &m->groups[i];
        bool               nested = is_inside(asked, other) || is_inside(other, asked);
        conflict =
            conflict || same_terms(asked, other) || ((asked->owned & other->owned) != 0 && !nested);
    }
    return conflict;
}

static model_group *find_group(loop_model *m, const model_group *asked)
{
    for (uint32_t i = 0; i < m->group_count; i++) {
        if (same_terms(&m->groups[i], asked) && m->groups[i].owned == asked->owned) {
            return &m->groups[i];
        }
    }
    return NULL;
}

static uint32_t terms_of(const model_group *group)
{
    uint32_t count = 0;
    for (uint32_t bits = group->with | group->without; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

// Behind the groups with as many terms.
static model_group *insert_group(loop_model *m, const model_group *asked)
{
    uint32_t at = m->group_count++;
    for (; at > 0 && terms_of(&m->groups[at - 1]) > terms_of(asked); at--) {
        m->groups[at] = m->groups[at - 1];
    }
    m->groups[at] = *asked;
    return &m->groups[at];
}

// First the members of a group inside it, which stand in front of the pools already, then all
// others by the rows of the smallest pool.
static void fill_group(loop_model *m, model_group *group)
{
    static uint32_t   order[LOOP_ROWS];
    kith_component    lead = model_smallest(m, group->with & LOOP_POOL_BITS);
    const model_pool *pool = &m->pools[lead - 1];
    uint32_t          rows = pool->row_count;
    for (uint32_t row = 0; row < rows; row++) {
        order[row] = pool->rows[row].entity;
    }
    for (uint32_t i = 0; i < m->group_count && group->owned != 0; i++) {
        bool inside = &m->groups[i] != group && is_inside(&m->groups[i], group);
        if (inside && m->groups[i].members > group->members) {
            group->members = m->groups[i].members;
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        if (order[row] != LOOP_NONE && loop_model_meets(m, group, order[row]) &&
            !stands_in(m, group, order[row])) {
            join(m, group, order[row]);
        }
    }
}

static bool refuse(loop_model *m, kith_error_code code)
{
    model_fail(m, code);
    m->made[m->group_calls++] = LOOP_NONE;
    return false;
}

bool model_group_of(loop_model *m, const loop_shape *shape, uint32_t owned, bool kept)
{
    static model_group asked;
    memset(&asked, 0, sizeof asked);
    asked.number       = m->group_calls;
    asked.with         = loop_shape_with(shape);
    asked.without      = loop_shape_without(shape);
    asked.owned        = owned;
    model_group *group = find_group(m, &asked);
    if (model_is_held(m) && (group == NULL || !kept)) { // a tracked system needs rest
        return refuse(m, KITH_ERROR_BUSY);
    }
    if (group == NULL && is_conflict(m, &asked)) {
        return refuse(m, KITH_ERROR_ARGUMENT);
    }
    if (group == NULL) {
        group = insert_group(m, &asked);
        fill_group(m, group);
    }
    group->kept               = group->kept || kept;
    m->made[m->group_calls++] = group->number;
    return true;
}

static void end_group(loop_model *m, uint32_t number)
{
    uint32_t at = 0;
    while (m->groups[at].number != number) {
        at++;
    }
    memmove(&m->groups[at], &m->groups[at + 1], (--m->group_count - at) * sizeof m->groups[0]);
    for (uint32_t call = 0; call < m->group_calls; call++) {
        m->made[call] = m->made[call] == number ? LOOP_NONE : m->made[call];
    }
}

bool model_group_drop(loop_model *m, uint32_t call)
{
    uint32_t number = m->made[call];
    if (number == LOOP_NONE) {
        return false;
    }
    if (model_is_held(m) || (m->tracked.call != LOOP_NONE && m->made[m->tracked.call] == number)) {
        model_fail(m, KITH_ERROR_BUSY);
        return false;
    }
    end_group(m, number);
    return true;
}

void model_group_untrack(loop_model *m)
{
    uint32_t number = m->made[m->tracked.call];
    uint32_t at     = 0;
    while (m->groups[at].number != number) {
        at++;
    }
    if (!m->groups[at].kept) {
        end_group(m, number);
    }
    m->made[m->tracked.call] = LOOP_NONE;
}
