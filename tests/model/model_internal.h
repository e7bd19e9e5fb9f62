// SPDX-License-Identifier: MIT
// What the model's own files share.
#ifndef KITH_TESTS_MODEL_INTERNAL_H
#define KITH_TESTS_MODEL_INTERNAL_H

#include "model.h"

// --- errors ----------------------------------------------------------------------------------

/// An error of a call that could change the world: recorded and reported. Always false.
bool model_fail(model *m, kith_error_code code, kith_component component, kith_entity entity);

/// An error of a question: reported, not recorded.
void model_report(model *m, kith_error_code code, kith_component component, kith_entity entity);

/// Whether the call comes from inside a hook; then it is an error.
bool model_busy(model *m, kith_component component, kith_entity entity);

/// Whether it comes from inside a hook or while nothing may move.
bool model_blocked(model *m, kith_component component, kith_entity entity);

/// Whether the entity is being destroyed, or the component is being removed from it; then it is an
/// error that is recorded and not reported. Component 0 asks for the entity alone.
bool model_departs(model *m, kith_component component, kith_entity entity);

// --- what a call may name --------------------------------------------------------------------

/// Which components a call is for.
enum {
    MODEL_POOLS      = 1 << KITH_KIND_VALUE | 1 << KITH_KIND_TAG,
    MODEL_HAD        = MODEL_POOLS | 1 << KITH_KIND_FLAG, // what an entity can have
    MODEL_SINGLETONS = 1 << KITH_KIND_SINGLETON,
    MODEL_ALL        = MODEL_HAD | MODEL_SINGLETONS
};

/// What a call does to the world: how its errors come to light, and when it is refused.
typedef enum model_manner {
    MODEL_ASKS,    // errors are reported
    MODEL_REACHES, // errors are recorded and reported
    MODEL_CHANGES, // the same, and from inside a hook it is refused
    MODEL_MOVES    // and while nothing may move
} model_manner;

/// The component, if the call exists for it.
model_component *model_named(model *m, model_manner how, kith_component id, unsigned kinds);
model_component *model_named_for(model *m, model_manner how, kith_component id, unsigned kinds,
                                 kith_entity entity);

/// The component, if the call exists for it and the entity lives, with the component or without.
model_component *model_demanded(model *m, model_manner how, kith_component id, kith_entity entity,
                                unsigned kinds);

// --- rows ------------------------------------------------------------------------------------

bool     model_has(const model_component *component, kith_entity entity);
bool     model_has_rows(const model_component *component);
uint32_t model_row_of(const model_component *component, kith_entity entity);

/// The entities that have it.
uint32_t model_members(const model_component *component);

bool model_has_room(const model *m, const model_component *component);
void model_append_row(model *m, model_component *component, kith_entity entity, uint8_t number);
void model_remove_row(model *m, model_component *component, uint32_t row);

/// Exchanges two rows.
void model_exchange_rows(model *m, model_component *component, uint32_t a, uint32_t b);

/// The row's page was written now, and the row itself.
void model_stamp(model *m, model_component *component, uint32_t row);
void model_touch(model *m, model_component *component, uint32_t row);

/// When the row was changed, as far as that is known.
uint64_t model_row_changed(model_component *component, uint32_t row);

/// The entity loses the component: it goes into the journal, if there is one.
void model_record_removal(model *m, model_component *component, kith_entity entity);

/// Whether it asks for changes.
bool model_query_asks_for_changes(const model_query *query);

/// Takes every component away from an entity that ends.
void model_strip(model *m, kith_entity entity);

/// Moves the rows above the new end into the holes below it.
void model_close_holes(model *m, model_component *component);

/// What settling does to the pools.
void model_close_all_holes(model *m);

/// There are pages for `rows` rows.
void model_record_room(model_component *component, uint32_t rows);

/// Forgets which pages the pools have beyond those that their rows need.
void model_forget_room(model_component *component);

/// Logs the destructor of a value.
void model_destruct(model *m, const model_component *component, uint8_t number);

/// Writes the number of a value that has bytes.
void model_write_number(model_component *component, uint32_t row, uint8_t number);

/// Whether a value takes the place of one that is there.
bool model_replaces(const model_component *component);

/// The number that a value given so has, or a default value.
uint8_t model_number_of(const model_component *component, const void *value);

/// Whether the hook that makes the value says yes. `called` and `entity` are what the call named.
bool model_make_value(model *m, const model_component *component, const void *value,
                      kith_component called, kith_entity entity);

// --- making entities -------------------------------------------------------------------------

/// Whether entities can be made and announced; if not it is an error.
bool model_may_make(model *m);

/// How many more entities there can be, in free slots too or only in fresh ones.
uint64_t    model_entities_left(const model *m, bool fresh);
kith_entity model_make_fresh(model *m);

/// Makes those KITH_NULL that listeners ended.
void model_announce_made(model *m, kith_entity *made, uint32_t count);

// --- queries and loops -----------------------------------------------------------------------

/// Whether the description makes sense. If not it is an error in that manner.
bool model_query_check(model *m, model_manner how, const kith_query_desc *desc);

model_query model_query_copy(const kith_query_desc *desc);

/// Whether the terms are the same, in the same order.
bool model_query_same(const model_query *query, const kith_query_desc *desc);

/// Whether the entity meets every term now.
bool model_query_meets(model *m, const model_query *query, kith_entity entity);

/// The component with the fewest rows, or the one that the query names; NULL: all entities.
model_component *model_query_lead(model *m, const model_query *query);

/// Whose rows it goes through, and how many, where a group has only a part of its terms: a group
/// with fewer members than its smallest component has rows. NULL: all entities.
const model_component *model_query_walked(model *m, const model_query *query, uint32_t *rows);

/// Whether an entity must have the component.
bool model_query_includes(const model_query *query, kith_component component);

/// Takes the entity off the lists of loops that include the component; 0: of all.
void model_strike(model *m, kith_component component, kith_entity entity);

/// Settles if nothing holds that off.
void model_settle_if_free(model *m);

// --- order -----------------------------------------------------------------------------------

/// Comparing is asking, as hooks do.
void model_run_hook(model *m);

/// Whether every value has such a key, and how a value with that number compares by it.
bool    model_key_fits(const kith_sort_key *key);
int64_t model_key_rank(const kith_sort_key *key, uint8_t number);

// --- groups ----------------------------------------------------------------------------------

/// The group that a loop over the query walks, or NULL.
model_group *model_query_group(model *m, const model_query *query);

/// Whether some group names the component, or owns it.
bool model_is_grouped(const model *m, kith_component component);
bool model_is_owned(const model *m, const model_component *component);

/// The rows in front of an owned component that groups keep.
uint32_t model_owned_rows(const model *m, const model_component *component);

/// The groups that the entity belongs to, as bits.
uint32_t model_memberships(model *m, kith_entity entity);

/// It leaves or joins these groups, at once or when the world settles. It has its rows.
void model_leave_groups(model *m, kith_entity entity, uint32_t groups);
void model_join_groups(model *m, kith_entity entity, uint32_t groups);

/// The same after a change, from what it belonged to before.
void model_change_groups(model *m, kith_entity entity, uint32_t before);

/// What settling does to groups, before and after pools close their holes.
void model_close_groups(model *m);
void model_fill_groups(model *m);

/// What restoring a frame does to groups: no entity has transient components any more.
void model_regroup(model *m);

/// What loading does to groups: a file has the order of one that owns nothing only if it has all
/// of its components, and those of transient components are made once more.
void model_remake_groups(model *m);

/// The owned pool with the fewest rows; NULL: it owns none. The entity at a place among the
/// members, or KITH_NULL, and the n-th entity that joined or left a group.
const model_component *model_group_lead(const model *m, const model_group *group);
kith_entity            model_group_at(const model *m, const model_group *group, uint32_t place);
kith_entity            model_changed_at(const model *m, uint32_t place);

// --- hierarchies -----------------------------------------------------------------------------

bool model_is_tree(model *m, kith_component component);

/// Links clones that are alone as their originals are linked, if the component is a hierarchy.
void model_tree_link_clones(model *m, kith_component component, const model_entity_list *entities,
                            const kith_entity *clones);

/// What a hierarchy does when a node comes or goes.
void model_tree_react(model *m, kith_event event, kith_component component, kith_entity entity);

// --- links -----------------------------------------------------------------------------------

/// Whether the entity can be linked to the target; if not it is an error. `*new_lists` counts the
/// lists that the call may add.
bool model_link_accept(model *m, kith_component link, kith_entity holder, kith_entity target,
                       uint32_t *new_lists);
void model_link_replace(model *m, kith_component link, kith_entity holder, kith_entity target);

/// What a link does when a holder comes or goes, or a target goes.
void model_link_react(model *m, kith_event event, kith_component component, kith_entity entity);

/// Gives clones the order of their originals.
void model_link_order_clones(model *m, kith_component lists, const model_entity_list *entities,
                             const kith_entity *clones);

/// Whether no link holds the entity; if one does it is an error.
bool model_link_may_destroy(model *m, kith_entity entity);

/// Destroys holders whose targets were destroyed, if the event of the first target is over.
void model_link_destroy_pending(model *m);

static inline bool model_is_own(const model_component *component)
{
    return component->is_tree || component->is_link || component->is_list;
}

// --- events ----------------------------------------------------------------------------------

bool model_has_listeners(const model *m, kith_event event, kith_component component);

/// Whether events nest too deep for a call that has listeners; then it is an error.
bool model_too_deep(model *m, kith_component component);

/// Collects an entity, if the set wants it.
bool model_collect(model *m, uint32_t set, kith_entity entity);

/// Whether a queue has handlers; calls them for an event.
bool model_queue_has_handlers(const model *m, uint32_t queue);
void model_call_handlers(model *m, uint32_t queue, kith_entity event);

/// Between the two nothing settles; the second settles.
void model_announce_begin(model *m);
void model_announce_end(model *m);

/// A component that an entity got and that is not announced yet, because other events come first.
bool model_is_unreported(const model *m, kith_component component, kith_entity entity);
void model_record_unreported(model *m, kith_component component, kith_entity entity);
void model_forget_unreported(model *m, kith_component component, kith_entity entity);

/// The same around several announcements.
void model_hold(model *m);
void model_release(model *m);

void model_announce(model *m, kith_event event, kith_component component, kith_entity entity);

// Announces that a value was replaced or changed; whether an event can be announced, if it has
// listeners (model_component.c).
void model_announce_set(model *m, const model_component *component, kith_entity entity);
bool model_may_announce(model *m, kith_event event, const model_component *component);

/// The entities that an event of a batch may be about; `is` decides when a listener's turn comes.
typedef struct model_concerned {
    const kith_entity *members;
    uint32_t           count;
    bool (*is)(model *m, const void *event, uint32_t i, kith_entity entity);
    const void *event;
} model_concerned;

/// Tells the listeners that a load or a restore replaced the world.
void model_announce_replaced(model *m, uint64_t tick);

/// Calls the listeners of many at once, if the event is about at least one entity.
void model_announce_many(model *m, kith_event event, kith_component component,
                         const model_concerned *concerned);

/// Between the two events are a batch's. The second takes what the first returned.
uint32_t model_batch_begin(model *m);
void     model_batch_end(model *m, uint32_t outer);

/// Between the two the entity, or a component of it, departs.
void model_depart_begin(model *m, kith_component component, kith_entity entity);
void model_depart_end(model *m);

/// Whether the entity is being destroyed.
bool model_is_dying(const model *m, kith_entity entity);

// Whether the planted fault makes listeners deaf to removals: where no reactive set would show it.
static inline bool model_is_deaf(const model *m)
{
    return m->fault == MODEL_FAULT_DEAF && m->reactive_count == 0;
}

#endif
