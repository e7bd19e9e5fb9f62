// SPDX-License-Identifier: MIT
// Batches, as their single calls between hold and release: what goes does so in the single calls'
// own code; what comes is made, then added, then announced, and nothing of it if something fails.
// Stable pools differ: a batch outside of loops and listeners fills holes, newest first.
#include "model_internal.h"

#include <string.h>

enum { ITEMS_MAX = MODEL_COMPONENTS, NOT_DONE = -1 };

// ---------------------------------------------------------------------------------------------
// The entities of a batch
// ---------------------------------------------------------------------------------------------

uint32_t model_entities_alive(const model *m, model_entity_list entities)
{
    uint32_t living = 0;
    for (uint32_t i = 0; i < entities.count; i++) {
        living += model_entity_alive(m, entities.members[i]);
    }
    return living;
}

// Slots that are made while a range is gone through do not belong to it.
static void cut_range(const model *m, model_entity_list *entities)
{
    uint32_t index = entities->count == 0 ? 0 : model_entity_index(entities->members[0]);
    uint32_t most  = index < m->slot_count ? m->slot_count - index : 0;
    if (entities->range && entities->count > most) {
        entities->count = most;
    }
}

// An array is refused for the first of the dead, or else for the first that was there before.
static bool check_list(model *m, model_entity_list *entities, kith_component component)
{
    cut_range(m, entities);
    for (uint32_t i = 0; i < entities->count && !entities->range; i++) {
        kith_entity entity = entities->members[i];
        if (!model_entity_alive(m, entity)) {
            bool is_null = entity == KITH_NULL;
            return model_fail(m, is_null ? KITH_ERROR_NULL_ENTITY : KITH_ERROR_DEAD_ENTITY,
                              component, entity);
        }
    }
    for (uint32_t i = 0; i < entities->count && !entities->range; i++) {
        for (uint32_t earlier = 0; earlier < i; earlier++) {
            if (entities->members[earlier] == entities->members[i]) {
                return model_fail(m, KITH_ERROR_ARGUMENT, component, entities->members[i]);
            }
        }
    }
    return true;
}

static uint32_t answer_for(const model_entity_list *entities, int64_t living)
{
    return living == NOT_DONE ? 0 : entities->range ? (uint32_t)living : 1;
}

// ---------------------------------------------------------------------------------------------
// The items of a batch
// ---------------------------------------------------------------------------------------------

// A component that is added, or one that it requires: the latter for entities that lack the owner.
typedef struct batch_item {
    model_component       *component;
    const model_component *owner;
    const uint8_t         *values;
    size_t                 stride;
    bool                   keeps;  // values that are there stay
    bool                   hides;  // its rows are disabled
    bool                   copied; // from a prefab
    bool                   cloned; // the next three count
    // by member
    bool        absent[MODEL_HINTS];  // its original has none
    kith_entity targets[MODEL_HINTS]; // of a link that is copied
    uint32_t    places[MODEL_HINTS];  // of the target among the originals; MODEL_HINTS: none
    bool        hidden[MODEL_HINTS];  // its original has it disabled
    uint8_t     numbers[MODEL_HINTS];
    bool        lacked[MODEL_HINTS]; // the owner, when the batch began
    bool        had[MODEL_HINTS];    // the component, then
    bool        made[MODEL_HINTS];   // a value was made
    bool        added[MODEL_HINTS];
    uint32_t    rows[MODEL_HINTS];   // of those added
    uint32_t    groups[MODEL_HINTS]; // that those joined or left
} batch_item;

typedef struct batch_items {
    batch_item list[ITEMS_MAX];
    uint32_t   count;
} batch_items;

static bool is_given(const batch_items *g, const model_component *component)
{
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->list[i].component == component && g->list[i].owner == NULL) {
            return true;
        }
    }
    return false;
}

static batch_item *add_item(batch_items *g, model_component *component, bool keeps)
{
    batch_item *added = &g->list[g->count++];
    memset(added, 0, sizeof *added);
    added->component = component;
    added->keeps     = keeps;
    return added;
}

static void add_required(model *m, batch_items *g, const model_component *owner,
                         const model_component *component)
{
    for (uint32_t i = 0; i < component->desc.traits.required_count; i++) {
        model_component *required = model_component_lookup(m, component->required[i]);
        add_required(m, g, owner, required);
        bool there = is_given(g, required);
        for (uint32_t k = 0; k < g->count; k++) {
            there = there || (g->list[k].component == required && g->list[k].owner == owner);
        }
        if (!there) {
            add_item(g, required, true)->owner = owner;
        }
    }
}

static bool check_set(model *m, const kith_values *set)
{
    const model_component *found = model_named(m, MODEL_CHANGES, set->component, MODEL_HAD);
    if (found == NULL) {
        return false;
    }
    bool is_short = set->values != NULL && set->stride != 0 && set->stride < found->desc.size;
    return !is_short || model_fail(m, KITH_ERROR_ARGUMENT, set->component, KITH_NULL);
}

static const kith_values *set_of(const model_component *component, const kith_values *sets,
                                 uint32_t set_count, uint32_t *found)
{
    const kith_values *set = NULL;
    for (uint32_t i = 0; i < set_count; i++) {
        if (sets[i].component == component->desc.id) {
            set = &sets[i];
            ++*found;
        }
    }
    return set;
}

// The items in the order of registration. An error if the sets make no sense.
static bool list_items(model *m, batch_items *g, const kith_values *sets, uint32_t set_count,
                       bool keeps)
{
    g->count = 0;
    for (uint32_t i = 0; i < set_count; i++) {
        if (!check_set(m, &sets[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < m->component_count; i++) {
        uint32_t           found     = 0;
        model_component   *component = &m->components[i];
        const kith_values *set       = set_of(component, sets, set_count, &found);
        if (found > 1) {
            return model_fail(m, KITH_ERROR_ARGUMENT, 0, KITH_NULL);
        }
        if (set != NULL) {
            add_required(m, g, component, component);
            bool        stays = !model_replaces(component) || (keeps && set->values == NULL);
            batch_item *given = add_item(g, component, stays);
            given->values     = component->desc.size == 0 ? NULL : set->values;
            given->stride     = set->stride;
        }
    }
    return true;
}

static const void *value_for(const batch_item *one, uint32_t i)
{
    if (one->cloned) {
        return one->component->desc.size == 0 ? NULL : &one->numbers[i];
    }
    return one->values == NULL ? NULL : one->values + i * one->stride;
}

// ---------------------------------------------------------------------------------------------
// Adding
// ---------------------------------------------------------------------------------------------

static void note_members(const model *m, batch_items *g, const model_entity_list *entities)
{
    for (uint32_t k = 0; k < g->count; k++) {
        batch_item *one = &g->list[k];
        for (uint32_t i = 0; i < entities->count; i++) {
            kith_entity entity = entities->members[i];
            one->lacked[i]     = one->owner == NULL || !model_has(one->owner, entity);
            one->had[i]        = model_entity_alive(m, entity) && model_has(one->component, entity);
        }
    }
}

static bool comes_to(const model *m, const batch_item *one, const model_entity_list *entities,
                     uint32_t i)
{
    return model_entity_alive(m, entities->members[i]) && one->lacked[i] && !one->absent[i] &&
           !model_has(one->component, entities->members[i]);
}

// What waits to be done to groups, so that it can be forgotten again.
typedef struct noted {
    uint32_t link_count;
    bool     changed[MODEL_GROUPS];
} noted;

static noted note_groups(const model *m)
{
    noted notes = { .link_count = m->link_count };
    for (uint32_t i = 0; i < m->group_count; i++) {
        notes.changed[i] = m->groups[i].changed;
    }
    return notes;
}

static void forget_groups(model *m, const noted *notes)
{
    m->link_count = notes->link_count;
    for (uint32_t i = 0; i < m->group_count; i++) {
        m->groups[i].changed = notes->changed[i];
    }
}

static bool place_member(model *m, batch_item *one, kith_entity entity, uint32_t i, bool comes)
{
    kith_component called = (one->owner == NULL ? one->component : one->owner)->desc.id;
    const void    *value  = value_for(one, i);
    if (!comes && (one->keeps || !one->had[i])) {
        return true;
    }
    if (!model_make_value(m, one->component, value, called, entity)) {
        return false;
    }
    one->made[i]  = true;
    one->added[i] = comes;
    one->rows[i]  = one->component->row_count;
    if (comes) {
        noted    before_row = note_groups(m);
        uint32_t groups     = model_memberships(m, entity);
        model_append_row(m, one->component, entity, model_number_of(one->component, value));
        one->rows[i]                                = model_row_of(one->component, entity);
        one->component->rows[one->rows[i]].disabled = one->hides || one->hidden[i]; // in no group
        one->groups[i]                              = groups ^ model_memberships(m, entity);
        forget_groups(m, &before_row);
    }
    return true;
}

// How many entities get the component from this item or from one before.
static uint64_t count_coming(const model *m, const batch_items *g, uint32_t last,
                             const model_entity_list *entities)
{
    uint64_t coming = 0;
    for (uint32_t i = 0; i < entities->count; i++) {
        bool comes = false;
        for (uint32_t k = 0; k <= last; k++) {
            comes = comes || (g->list[k].component == g->list[last].component &&
                              comes_to(m, &g->list[k], entities, i));
        }
        coming += comes;
    }
    return coming;
}

static bool check_room(model *m, const batch_items *g, const model_entity_list *entities)
{
    for (uint32_t k = 0; k < g->count; k++) {
        const model_component *component = g->list[k].component;
        const model_component *owner     = g->list[k].owner;
        uint32_t               holes     = m->fills ? component->hole_count : 0;
        uint64_t rows = component->row_count - holes + count_coming(m, g, k, entities);
        if (rows > component->limit && model_has_rows(component)) {
            return model_fail(m, KITH_ERROR_LIMIT, (owner == NULL ? component : owner)->desc.id,
                              KITH_NULL);
        }
    }
    return true;
}

// The target of a link that is given or copied.
static kith_entity target_for(const batch_item *one, const model_entity_list *entities, uint32_t i)
{
    if (one->cloned) {
        return one->places[i] < entities->count ? entities->members[one->places[i]]
                                                : one->targets[i];
    }
    const kith_link *link = one->copied ? NULL : value_for(one, i);
    return one->copied ? one->targets[0] : link == NULL ? KITH_NULL : link->target;
}

static void name_target(const batch_item *one, const model_entity_list *entities, uint32_t i)
{
    if (one->component->is_link && one->added[i]) {
        model_row *row = &one->component->rows[one->rows[i]];
        row->target    = target_for(one, entities, i);
        memcpy(&row->number, &row->target, 1);
    }
}

// Whether all new links can be set. The links of clones are checked when they are announced.
static bool accept_links(model *m, const batch_items *g, const kith_entity *members, uint32_t count)
{
    bool accepted = true;
    for (uint32_t k = 0; k < g->count; k++) {
        const batch_item *one   = &g->list[k];
        bool              once  = members == NULL && one->stride == 0;
        uint32_t          lists = 0;
        uint32_t          most  = once ? count != 0 : count;
        for (uint32_t i = 0; one->component->is_link && !one->cloned && i < most && accepted; i++) {
            kith_entity member = members == NULL ? KITH_NULL : members[i];
            bool        keeps  = one->keeps && model_has(one->component, member);
            if (!keeps && (members == NULL || model_entity_alive(m, member))) {
                lists    = one->stride == 0 ? 0 : lists;
                accepted = model_link_accept(m, one->component->desc.id, member,
                                             target_for(one, NULL, i), &lists);
            }
        }
    }
    return accepted;
}

// Makes all values of one item, and adds those that are new.
static bool place(model *m, batch_item *one, const model_entity_list *entities)
{
    for (uint32_t i = 0; i < entities->count; i++) {
        if (!place_member(m, one, entities->members[i], i, comes_to(m, one, entities, i))) {
            return false;
        }
        name_target(one, entities, i);
    }
    return true;
}

static void unmake(model *m, const batch_item *one, const model_entity_list *entities)
{
    for (uint32_t i = 0; i < entities->count; i++) {
        if (one->made[i]) {
            model_destruct(m, one->component, model_number_of(one->component, value_for(one, i)));
        }
    }
}

// Nothing else happens while items are placed, so one copy of the state before is enough.
static model_component before[MODEL_COMPONENTS];

static bool place_all(model *m, batch_items *g, const model_entity_list *entities)
{
    bool     done = true;
    uint32_t last = 0;
    for (uint32_t k = 0; k < g->count; k++) {
        before[k] = *g->list[k].component;
    }
    for (; last < g->count && done; last++) {
        done = place(m, &g->list[last], entities);
    }
    while (!done && last-- > 0) {
        unmake(m, &g->list[last], entities);
        uint32_t room            = g->list[last].component->room;
        *g->list[last].component = before[last];
        model_record_room(g->list[last].component, room);
    }
    return done;
}

// As in single calls: member by member, each component after those that it requires.
static void change_groups(model *m, const batch_items *g, const model_entity_list *entities)
{
    uint32_t first = 0;
    for (uint32_t last = 0; last < g->count; last++) {
        if (g->list[last].owner != NULL) {
            continue;
        }
        for (uint32_t i = 0; i < entities->count; i++) {
            for (uint32_t k = first; k <= last; k++) {
                model_join_groups(m, entities->members[i], g->list[k].groups[i]);
            }
        }
        first = last + 1;
    }
}

static void replace_all(model *m, batch_items *g, const model_entity_list *entities)
{
    for (uint32_t k = 0; k < g->count; k++) {
        batch_item *one = &g->list[k];
        for (uint32_t i = 0; i < entities->count; i++) {
            uint32_t row = model_row_of(one->component, entities->members[i]);
            if (one->component->is_link && one->made[i] && !one->cloned) {
                model_link_replace(m, one->component->desc.id, entities->members[i],
                                   target_for(one, entities, i));
            } else if (one->made[i] && !one->added[i]) {
                model_destruct(m, one->component, one->component->rows[row].number);
                one->component->rows[row].number =
                    model_number_of(one->component, value_for(one, i));
                model_touch(m, one->component, row);
            }
        }
    }
}

// Whether the member still has what it got: in the same row, where there are rows.
static bool still_has(const batch_item *one, uint32_t i, kith_entity entity)
{
    uint32_t row = model_row_of(one->component, entity);
    return row != KITH_NO_ROW && (!model_has_rows(one->component) || row == one->rows[i]);
}

static bool was_added(const batch_item *one, uint32_t i, kith_entity entity)
{
    return one->added[i] && still_has(one, i, entity);
}

static bool was_set(const batch_item *one, uint32_t i, kith_entity entity)
{
    return one->made[i] && !one->added[i] && model_row_of(one->component, entity) < one->rows[i];
}

static bool concerns_added(model *m, const void *event, uint32_t i, kith_entity entity)
{
    (void)m;
    return was_added(event, i, entity);
}

static bool concerns_set(model *m, const void *event, uint32_t i, kith_entity entity)
{
    (void)m;
    return was_set(event, i, entity);
}

static void announce_to_many(model *m, const batch_item *one, const kith_entity *members,
                             uint32_t count)
{
    const model_concerned added = { members, count, concerns_added, one };
    const model_concerned set   = { members, count, concerns_set, one };
    kith_component        id    = one->component->desc.id;
    model_announce_many(m, KITH_EVENT_ADD, id, &added);
    model_announce_many(m, KITH_EVENT_SET, id, &set);
}

static void announce_member(model *m, const batch_item *one, uint32_t i, kith_entity entity)
{
    bool add = was_added(one, i, entity);
    if (add || was_set(one, i, entity)) {
        model_announce_begin(m);
        model_announce(m, add ? KITH_EVENT_ADD : KITH_EVENT_SET, one->component->desc.id, entity);
        model_announce_end(m);
    }
}

// Each component for all members, and with it what it requires.
static void announce_all(model *m, const batch_items *g, const kith_entity *members, uint32_t count)
{
    uint32_t first = 0;
    uint32_t outer = model_batch_begin(m);
    for (uint32_t last = 0; last < g->count; last++) {
        if (g->list[last].owner != NULL) {
            continue;
        }
        for (uint32_t k = first; k <= last; k++) {
            announce_to_many(m, &g->list[k], members, count);
        }
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t k = first; k <= last; k++) {
                announce_member(m, &g->list[k], i, members[i]);
            }
        }
        first = last + 1;
    }
    model_batch_end(m, outer);
}

static bool is_reportable(model *m, const batch_items *g, uint32_t count)
{
    bool reported = false;
    for (uint32_t k = 0; k < g->count && count != 0; k++) {
        const batch_item *one = &g->list[k];
        reported = reported || model_has_listeners(m, KITH_EVENT_ADD, one->component->desc.id) ||
                   (!one->keeps && model_has_listeners(m, KITH_EVENT_SET, one->component->desc.id));
    }
    return !reported || !model_too_deep(m, 0);
}

static bool any_departs(model *m, const batch_items *g, const model_entity_list *entities)
{
    for (uint32_t i = 0; i < entities->count; i++) {
        for (uint32_t k = 0; k < g->count; k++) {
            if (g->list[k].owner == NULL && model_entity_alive(m, entities->members[i]) &&
                model_departs(m, g->list[k].component->desc.id, entities->members[i])) {
                return true;
            }
        }
    }
    return false;
}

static bool add_all(model *m, batch_items *g, const model_entity_list *entities)
{
    m->fills = m->holds == 1 && m->announcing == 0 && m->loop_count == 0;
    note_members(m, g, entities);
    bool done = check_room(m, g, entities) && place_all(m, g, entities);
    m->fills  = false;
    if (done) {
        replace_all(m, g, entities);
        change_groups(m, g, entities);
    }
    return done;
}

uint32_t model_entity_set_many(model *m, model_entity_list entities, const kith_values *sets,
                               uint32_t set_count)
{
    batch_items    g;
    int64_t        living    = NOT_DONE;
    kith_component component = set_count == 1 ? sets->component : 0;
    if (model_busy(m, component, KITH_NULL) || !list_items(m, &g, sets, set_count, false) ||
        !check_list(m, &entities, component) || any_departs(m, &g, &entities) ||
        !is_reportable(m, &g, entities.count) ||
        !accept_links(m, &g, entities.members, entities.count)) {
        return answer_for(&entities, living);
    }
    model_hold(m);
    if (add_all(m, &g, &entities)) {
        living = model_entities_alive(m, entities);
        announce_all(m, &g, entities.members, entities.count);
    }
    model_release(m);
    return answer_for(&entities, living);
}

// ---------------------------------------------------------------------------------------------
// Making
// ---------------------------------------------------------------------------------------------

static bool make_many(model *m, kith_entity *made, uint32_t count)
{
    if (!model_may_make(m)) {
        return false;
    }
    if (count > model_entities_left(m, false)) {
        return model_fail(m, KITH_ERROR_LIMIT, 0, KITH_NULL);
    }
    for (uint32_t i = 0; i < count; i++) {
        made[i] = model_make_fresh(m);
    }
    return true;
}

kith_entities model_entity_create_range(model *m, uint32_t count)
{
    kith_entities range = { .count = 0 };
    kith_entity   made[MODEL_HINTS];
    if (!model_may_make(m)) {
        return range;
    }
    if (count > model_entities_left(m, true)) {
        model_fail(m, KITH_ERROR_LIMIT, 0, KITH_NULL);
        return range;
    }
    range = (kith_entities){ .first = model_entity_make(m->slot_count, 1), .count = count };
    for (uint32_t i = 0; i < count; i++) {
        m->slots[m->slot_count++] = (model_slot){ MODEL_ALIVE, 1 };
        made[i]                   = range.first + i;
    }
    model_announce_made(m, made, count);
    return range;
}

// All or nothing; the world is paused.
static bool create_and_add(model *m, batch_items *g, kith_entity *made, uint32_t count)
{
    uint32_t   free_list[MODEL_SLOTS];
    model_slot slots[MODEL_SLOTS];
    uint32_t   free_count = m->free_count;
    uint32_t   slot_count = m->slot_count;
    memcpy(free_list, m->free_list, sizeof free_list);
    memcpy(slots, m->slots, sizeof slots);
    if (!is_reportable(m, g, count) || !accept_links(m, g, NULL, count) ||
        !make_many(m, made, count)) {
        return false;
    }
    model_entity_list entities = { made, count, false };
    if (add_all(m, g, &entities)) {
        model_announce_made(m, made, count);
        announce_all(m, g, made, count);
        return true;
    }
    memcpy(m->free_list, free_list, sizeof free_list);
    memcpy(m->slots, slots, sizeof slots);
    m->free_count = free_count;
    m->slot_count = slot_count;
    return false;
}

bool model_entity_create_many(model *m, kith_entity *made, uint32_t count, const kith_values *sets,
                              uint32_t set_count)
{
    batch_items g;
    if (model_busy(m, 0, KITH_NULL) || !list_items(m, &g, sets, set_count, false)) {
        return false;
    }
    model_hold(m);
    bool done = create_and_add(m, &g, made, count);
    model_release(m);
    return done;
}

// What the prefab has, as it has it, without what is its own.
static void list_copies(model *m, batch_items *g, kith_entity prefab)
{
    g->count = 0;
    for (uint32_t i = 0; i < m->component_count; i++) {
        model_component *component = &m->components[i];
        uint32_t         row       = model_row_of(component, prefab);
        if (row != KITH_NO_ROW && !component->desc.traits.not_cloned && !component->is_list) {
            batch_item *copy = add_item(g, component, true);
            copy->hides      = component->rows[row].disabled;
            copy->copied     = true;
            copy->targets[0] = component->rows[row].target;
            copy->values     = component->desc.size == 0 ? NULL : &component->rows[row].number;
        }
    }
}

bool model_entity_clone_many(model *m, kith_entity prefab, kith_entity *made, uint32_t count)
{
    batch_items g;
    if (model_busy(m, 0, prefab)) {
        return false;
    }
    if (!model_entity_alive(m, prefab)) {
        bool is_null = prefab == KITH_NULL;
        return model_fail(m, is_null ? KITH_ERROR_NULL_ENTITY : KITH_ERROR_DEAD_ENTITY, 0, prefab);
    }
    list_copies(m, &g, prefab);
    model_hold(m);
    bool done = create_and_add(m, &g, made, count);
    model_release(m);
    return done;
}

// Of the entities that are listed twice, the one with the lowest index.
static kith_entity find_twice(const model_entity_list *entities)
{
    kith_entity twice = KITH_NULL;
    for (uint32_t i = 0; i < entities->count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            bool lower = twice == KITH_NULL ||
                         model_entity_index(entities->members[i]) < model_entity_index(twice);
            if (entities->members[k] == entities->members[i] && lower) {
                twice = entities->members[i];
            }
        }
    }
    return twice;
}

static bool check_originals(model *m, const model_entity_list *entities)
{
    for (uint32_t i = 0; i < entities->count; i++) {
        kith_entity entity = entities->members[i];
        if (!model_entity_alive(m, entity)) {
            bool is_null = entity == KITH_NULL;
            return model_fail(m, is_null ? KITH_ERROR_NULL_ENTITY : KITH_ERROR_DEAD_ENTITY, 0,
                              entity);
        }
    }
    kith_entity twice = find_twice(entities);
    return twice == KITH_NULL || model_fail(m, KITH_ERROR_ARGUMENT, 0, twice);
}

// What each of the originals has.
static void list_clones(model *m, batch_items *g, const model_entity_list *entities)
{
    g->count = 0;
    for (uint32_t k = 0; k < m->component_count; k++) {
        model_component *component = &m->components[k];
        batch_item      *one       = add_item(g, component, true);
        bool             had       = false;
        one->cloned                = true;
        for (uint32_t i = 0; i < entities->count; i++) {
            uint32_t row   = model_row_of(component, entities->members[i]);
            one->absent[i] = row == KITH_NO_ROW;
            if (row != KITH_NO_ROW) {
                had             = true;
                one->hidden[i]  = component->rows[row].disabled;
                one->numbers[i] = component->rows[row].number;
                one->targets[i] = component->rows[row].target;
                one->places[i]  = 0;
                while (one->places[i] < entities->count &&
                       entities->members[one->places[i]] != one->targets[i]) {
                    one->places[i]++;
                }
            }
        }
        g->count -= !had || component->desc.traits.not_cloned;
    }
}

bool model_entities_clone(model *m, model_entity_list entities, kith_entity *made)
{
    batch_items g;
    if (model_busy(m, 0, KITH_NULL) || !check_originals(m, &entities)) {
        return false;
    }
    list_clones(m, &g, &entities);
    model_hold(m);
    bool done = entities.count == 0 || create_and_add(m, &g, made, entities.count);
    for (uint32_t k = 0; k < g.count && done; k++) {
        model_tree_link_clones(m, g.list[k].component->desc.id, &entities, made);
        if (g.list[k].component->is_list) {
            model_link_order_clones(m, g.list[k].component->desc.id, &entities, made);
        }
    }
    model_release(m);
    return done;
}

// ---------------------------------------------------------------------------------------------
// Taking
// ---------------------------------------------------------------------------------------------

static bool is_one_of(kith_component id, const kith_component *ids, uint32_t id_count)
{
    bool found = ids == NULL;
    for (uint32_t i = 0; i < id_count; i++) {
        found = found || ids[i] == id;
    }
    return found;
}

// Whether an entity, or a component that would be removed from it, departs already.
static bool any_goes(model *m, const model_entity_list *entities, const kith_component *ids,
                     uint32_t id_count)
{
    for (uint32_t i = 0; i < entities->count; i++) {
        kith_entity entity = entities->members[i];
        if (!model_entity_alive(m, entity)) {
            continue;
        }
        if (ids == NULL && model_departs(m, 0, entity)) {
            return true;
        }
        for (uint32_t k = 0; k < m->component_count && ids != NULL; k++) {
            kith_component id = m->components[k].desc.id;
            if (is_one_of(id, ids, id_count) && model_has(&m->components[k], entity) &&
                model_departs(m, id, entity)) {
                return true;
            }
        }
    }
    return false;
}

// Whether a listener is called when these go, or, without them, when an entity does.
static bool removal_is_reported(model *m, const kith_component *ids, uint32_t id_count)
{
    bool reported = ids == NULL && model_has_listeners(m, KITH_EVENT_DESTROY, 0);
    for (uint32_t k = 0; k < m->component_count; k++) {
        kith_component id = m->components[k].desc.id;
        reported          = reported ||
                   (m->components[k].desc.kind != KITH_KIND_SINGLETON &&
                    is_one_of(id, ids, id_count) && model_has_listeners(m, KITH_EVENT_REMOVE, id));
    }
    return reported;
}

static bool any_is_held(model *m, const model_entity_list *entities)
{
    bool free = true;
    for (uint32_t i = 0; i < entities->count && free; i++) {
        free = !model_entity_alive(m, entities->members[i]) ||
               model_link_may_destroy(m, entities->members[i]);
    }
    return !free;
}

static bool may_go(model *m, const model_entity_list *entities, const kith_component *ids,
                   uint32_t id_count)
{
    return !any_goes(m, entities, ids, id_count) && (ids != NULL || !any_is_held(m, entities)) &&
           (entities->count == 0 || !removal_is_reported(m, ids, id_count) ||
            !model_too_deep(m, 0));
}

static bool concerns_loser(model *m, const void *event, uint32_t i, kith_entity entity)
{
    const model_component *component = event;
    (void)i;
    return model_entity_alive(m, entity) && (component == NULL || model_has(component, entity));
}

static void announce_loss(model *m, const model_entity_list *entities,
                          const model_component *component)
{
    const model_concerned losers = { entities->members, entities->count, concerns_loser,
                                     component };
    model_announce_many(m, component == NULL ? KITH_EVENT_DESTROY : KITH_EVENT_REMOVE,
                        component == NULL ? 0 : component->desc.id, &losers);
}

// For listeners of many: all that goes with the entities, while it is still there.
static void announce_ends(model *m, const model_entity_list *entities)
{
    for (uint32_t k = 0; k < m->component_count; k++) {
        const model_component *component = &m->components[k];
        if (component->desc.kind != KITH_KIND_SINGLETON && !model_is_deaf(m)) {
            announce_loss(m, entities, component);
        }
    }
    announce_loss(m, entities, NULL);
}

uint32_t model_entity_destroy_many(model *m, model_entity_list entities)
{
    if (model_busy(m, 0, KITH_NULL) || !check_list(m, &entities, 0) ||
        !may_go(m, &entities, NULL, 0)) {
        return 0;
    }
    int64_t  living = model_entities_alive(m, entities);
    uint32_t outer  = model_batch_begin(m);
    model_hold(m);
    announce_ends(m, &entities);
    for (uint32_t i = 0; i < entities.count; i++) {
        model_entity_destroy(m, entities.members[i]);
    }
    model_release(m);
    model_batch_end(m, outer);
    return answer_for(&entities, living);
}

static void take_all(model *m, const model_entity_list *entities, const kith_component *ids,
                     uint32_t id_count)
{
    uint32_t outer = model_batch_begin(m);
    for (uint32_t k = 0; k < m->component_count; k++) {
        kith_component id = m->components[k].desc.id;
        if (m->components[k].desc.kind == KITH_KIND_SINGLETON || !is_one_of(id, ids, id_count)) {
            continue;
        }
        if (!model_is_deaf(m)) {
            announce_loss(m, entities, &m->components[k]);
        }
        for (uint32_t i = 0; i < entities->count; i++) {
            if (model_has(&m->components[k], entities->members[i])) {
                model_component_remove(m, entities->members[i], id);
            }
        }
    }
    model_batch_end(m, outer);
}

uint32_t model_entity_remove_many(model *m, model_entity_list entities, const kith_component *ids,
                                  uint32_t id_count)
{
    kith_component        component = id_count == 1 ? *ids : 0;
    static kith_component none;
    for (uint32_t i = 0; i < id_count; i++) {
        if (model_named(m, MODEL_CHANGES, ids[i], MODEL_HAD) == NULL) {
            return 0;
        }
    }
    ids = id_count == 0 ? &none : ids;
    if (model_busy(m, component, KITH_NULL) || !check_list(m, &entities, component) ||
        !may_go(m, &entities, ids, id_count)) {
        return 0;
    }
    int64_t living = model_entities_alive(m, entities);
    model_hold(m);
    take_all(m, &entities, ids, id_count);
    model_release(m);
    return answer_for(&entities, living);
}

// ---------------------------------------------------------------------------------------------
// Becoming
// ---------------------------------------------------------------------------------------------

// Every component that is not among the items.
static uint32_t list_rest(const model *m, const batch_items *g, kith_component *ids)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->component_count; i++) {
        bool given = m->components[i].desc.kind == KITH_KIND_SINGLETON;
        for (uint32_t k = 0; k < g->count; k++) {
            given = given || g->list[k].component == &m->components[i];
        }
        if (!given) {
            ids[count++] = m->components[i].desc.id;
        }
    }
    return count;
}

uint32_t model_entity_set_components(model *m, model_entity_list entities, const kith_values *sets,
                                     uint32_t set_count)
{
    batch_items    g;
    kith_component ids[MODEL_COMPONENTS];
    int64_t        living = NOT_DONE;
    if (model_busy(m, 0, KITH_NULL) || !list_items(m, &g, sets, set_count, true) ||
        !check_list(m, &entities, 0) || any_departs(m, &g, &entities) ||
        !is_reportable(m, &g, entities.count) ||
        !accept_links(m, &g, entities.members, entities.count)) {
        return 0;
    }
    uint32_t id_count = list_rest(m, &g, ids);
    if (!may_go(m, &entities, ids, id_count)) {
        return 0;
    }
    model_hold(m);
    if (add_all(m, &g, &entities)) {
        living = model_entities_alive(m, entities);
        announce_all(m, &g, entities.members, entities.count);
        take_all(m, &entities, ids, id_count);
    }
    model_release(m);
    return answer_for(&entities, living);
}

// ---------------------------------------------------------------------------------------------
// Expiring
// ---------------------------------------------------------------------------------------------

uint32_t model_world_expire(model *m, kith_component component, uint64_t tick,
                            uint64_t (*expires)(uint8_t number, uint32_t size))
{
    kith_entity      list[MODEL_ROWS];
    uint32_t         count = 0;
    model_component *found = model_named(m, MODEL_CHANGES, component, 1 << KITH_KIND_VALUE);
    if (found == NULL) {
        return 0;
    }
    if (found->desc.size < sizeof(kith_lifetime)) {
        model_fail(m, KITH_ERROR_ARGUMENT, component, KITH_NULL);
        return 0;
    }
    if (found->row_count != 0 && removal_is_reported(m, NULL, 0) && model_too_deep(m, 0)) {
        return 0;
    }
    for (uint32_t row = 0; row < found->row_count; row++) {
        const model_row *one = &found->rows[row];
        if (one->entity != KITH_NULL && !one->disabled && !model_is_dying(m, one->entity) &&
            (tick == UINT64_MAX || expires(one->number, found->desc.size) <= tick)) {
            list[count++] = one->entity;
        }
    }
    model_entity_list entities = { list, count, false };
    uint32_t          outer    = model_batch_begin(m);
    model_hold(m);
    announce_ends(m, &entities);
    for (uint32_t i = 0; i < count; i++) {
        model_entity_destroy(m, list[i]);
    }
    uint32_t ended = count;
    for (uint32_t i = 0; i < count; i++) {
        ended -= model_entity_alive(m, list[i]); // a link holds it
    }
    model_release(m);
    model_batch_end(m, outer);
    return ended;
}
