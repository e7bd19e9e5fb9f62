// SPDX-License-Identifier: MIT
// kith's public contract written a second time, the slow and obvious way: flat arrays and linear
// search. What the library keeps in two places that must match is kept here in one.
//
//     free indices    a list, in the order in which they will be handed out
//     a pool          a list of rows { entity, number, disabled }; a hole is a row without entity
//     holes           a list of rows, the newest last
//     a loop          the list of entities that it is still to visit, written when it begins; an
//                     entity that loses an included component is struck off at that moment
//     a group         how many rows of the owned pools are members, or the list of them; an entity
//                     that joins or leaves while nothing may move is recorded once, by index
//     listeners       a list in the order of their connections
//     a hierarchy     a list of { child, parent }, those of one parent in their order
//
// Each function has the name of its twin in kith.h with `model_` for `kith_`. The model keeps only
// the first byte of a value, its number. Calls that return an address return here 0 for NULL and
// otherwise 1 + the number.
#ifndef KITH_TESTS_MODEL_H
#define KITH_TESTS_MODEL_H

#include "kith/diff.h"
#include "kith/hierarchy.h"
#include "kith/json.h"
#include "kith/kith.h"
#include "kith/link.h"
#include "kith/merge.h"
#include "kith/name.h"
#include "kith/snapshot.h"

enum {
    MODEL_SLOTS       = 1200,
    MODEL_ROWS        = 800,
    MODEL_COMPONENTS  = 96,
    MODEL_REQUIRED    = 4,
    MODEL_HINTS       = 8,
    MODEL_REPORTED    = 256,
    MODEL_LIFE        = 4096,
    MODEL_LOOPS       = KITH_LOOP_DEPTH_MAX,
    MODEL_TERMS       = KITH_QUERY_TERMS_MAX,
    MODEL_QUERIES     = 400,
    MODEL_LISTENERS   = 64,
    MODEL_GROUPS      = 8,
    MODEL_DROPPED     = 256,
    MODEL_PATHS       = 4,
    MODEL_REACTIVES   = 4,
    MODEL_CONDITIONS  = 4,
    MODEL_COLLECTED   = 8192,
    MODEL_QUEUES      = 4,
    MODEL_EVENTS      = 4096,
    MODEL_SYSTEMS     = 4,
    MODEL_NAMED       = 3, // components beside a query
    MODEL_TREES       = 2,
    MODEL_LINKS       = 3,
    MODEL_NO_SYSTEM   = 100,
    MODEL_NESTING     = 32,   // how deep events nest
    MODEL_RINGS       = 2,    // of frames
    MODEL_FRAMES      = 3,    // that a ring keeps
    MODEL_CONSTRUCTED = 0xd0, // the number that construct hooks write; absent ones write 0
    MODEL_JOURNAL     = 8,    // entries
    MODEL_NAME        = 24
};

/// Wrong on purpose, to prove that differences are found and shrunk.
typedef enum model_fault {
    MODEL_FAULT_NONE    = 0,
    MODEL_FAULT_DISABLE = 1, // disable does nothing
    MODEL_FAULT_SWAP    = 2, // a removed row of a swap pool closes up instead of taking the last
    MODEL_FAULT_BREAK   = 3, // a loop visits an entity that left and came back
    MODEL_FAULT_DEAF    = 4, // removing announces nothing
    MODEL_FAULT_GROUP   = 5  // an entity that joins a group stays in its rows
} model_fault;

typedef struct model_error {
    kith_error_code code;
    kith_component  component;
    kith_entity     entity;
} model_error;

/// A call of a lifecycle hook: 'c' construct, 'y' copy, 'd' destruct.
typedef struct model_life {
    char        event;
    uint8_t     number;
    const void *context;
} model_life;

typedef struct model_row {
    kith_entity entity;
    uint8_t     number;
    bool        disabled;
    bool        waits; // a hole whose value is still to be destructed
    uint64_t    added; // the tick
    uint64_t    changed;
    kith_entity target; // of a link
} model_row;

typedef struct model_component {
    char           name[MODEL_NAME];
    kith_component required[MODEL_REQUIRED];
    kith_component_desc
                 desc; // points to the two above; page_rows is the library's where it decides
    uint32_t     limit;
    uint32_t     room; // rows that fit into the pages there are, were pages one row long
    model_row    rows[MODEL_ROWS]; // of flags too, there in no order
    uint32_t     row_count;
    uint32_t     holes[MODEL_ROWS];
    uint32_t     hole_count;
    uint64_t     stamps[MODEL_ROWS]; // by page
    bool         present;            // singletons
    uint8_t      number;
    uint32_t     additions;           // how often the singleton was added
    uint8_t      waiting[MODEL_ROWS]; // numbers of removed ones that are still to be destructed
    uint32_t     waiting_count;
    kith_removal removals[MODEL_JOURNAL]; // the newest last
    uint32_t     removal_count;
    uint64_t     lost;    // the tick of the newest removal that had to make room; 0: none
    bool         is_tree; // a hierarchy: values are links, and new ones are zero
    bool         is_link;
    bool         is_list; // of the targets of a link
} model_component;

typedef enum model_state {
    MODEL_UNUSED = 0,
    MODEL_ALIVE,
    MODEL_FREE,
    MODEL_RETIRED,
    MODEL_RESERVED // below first_index, used before
} model_state;

typedef struct model_slot {
    model_state state;
    uint32_t    version;
} model_slot;

/// A description that is no longer the caller's.
typedef struct model_query {
    kith_term   terms[MODEL_TERMS];
    uint32_t    term_count;
    const char *name;
    uint64_t    since;
} model_query;

/// A stored query.
typedef struct model_stored {
    model_query    query;
    uint64_t       made;     // its number among all that was made
    bool           in_use;   // made and not destroyed
    bool           of_world; // made by kith_query_of
    kith_component lead;     // of its latest loop
    uint32_t       rows;     // of that lead
} model_stored;

typedef struct model_loop {
    uint64_t    serial;
    bool        is_hold;
    uint32_t    stored; // the number of its stored query; 0: a view
    model_query query;
    kith_entity places[MODEL_ROWS]; // to be visited, in order; KITH_NULL: left since
    uint32_t    place_count;
    uint32_t    at;                 // the next place
    bool        over;               // all were visited, though it could not be closed
    bool        joinable;           // a group's: those that join it come after the places,
    kith_entity others[MODEL_ROWS]; // if they had what it includes when it began
    uint32_t    other_count;
    uint32_t    link; // the next one that changed
} model_loop;

typedef struct model_group {
    uint32_t    number;
    uint64_t    made;     // its number among all that was made, kept when it is made once more
    bool        kept;     // by kith_group_of
    bool        pointed;  // it was kept once: the world keeps it when it is dropped
    uint32_t    trackers; // tracked systems that use it
    model_query query;
    bool        changed; // an entity joined or left since the world settled
    uint32_t    members;
    kith_entity list[MODEL_ROWS]; // of a group that owns nothing
} model_group;

/// A dropped group that is the same one when it is made once more.
typedef struct model_dropped {
    model_query query;
    uint64_t    made; // 0: it was
} model_dropped;

typedef struct model_path {
    uint32_t       number;
    kith_component ids[KITH_PATH_COMPONENTS_MAX];
    uint32_t       count;
} model_path;

/// A system: where its name says that it is, and when it runs.
typedef struct model_system {
    uint32_t    place;
    uint64_t    made;  // its number among all that was made
    uint32_t    query; // the number of its stored query; 0: none, it is bare
    int32_t     phase;
    uint32_t    before; // the place of one that it is to run before; MODEL_NO_SYSTEM: none
    uint32_t    after;
    double      interval;
    double      waited;
    bool        on_demand;
    uint32_t    events; // the queue that makes it due; 0: none
    uint32_t    set;    // the reactive set
    bool        due;
    bool        enabled;
    bool        bare;
    bool        parts;    // it runs in parts; with `bare`: it is shared
    uint32_t    id_count; // of components that it names beside its query
    uint32_t    ids[MODEL_NAMED];
    bool        writes; // those, instead of reading them
    uint32_t    turns;
    uint32_t    visited;
    uint64_t    tick; // of the latest turn
    bool        tracked;
    uint32_t    group;
    uint32_t    reported_count;
    kith_entity reported[MODEL_ROWS]; // the entities that `enter` was called for
} model_system;

/// All zero: a cursor that was never begun.
typedef struct model_cursor {
    uint64_t    loop; // its serial; 0: none
    bool        failed;
    kith_entity entity;
    kith_entity members[MODEL_ROWS]; // of the chunk
    uint32_t    count;
    model_query query;
} model_cursor;

/// A reactive set: every entity that came, the dead too.
typedef struct model_reactive {
    uint32_t       number;
    kith_condition conditions[MODEL_CONDITIONS];
    uint32_t       condition_count;
    model_query    filter;
    bool           keep_dead;
    uint64_t       since;
    kith_entity    list[MODEL_COLLECTED];
    uint64_t       numbers[MODEL_COLLECTED]; // the how-manieth it was
    uint32_t       count;
    uint64_t       came;
} model_reactive;

/// A queue whose events are entities.
typedef struct model_queue {
    char            name[MODEL_NAME];
    kith_queue_desc desc;
    kith_entity     events[MODEL_EVENTS];
    uint32_t        count;
    uint32_t        taken; // of these, how many an update delivers
    bool            updating;
} model_queue;

typedef struct model_listener {
    kith_listener      number;
    kith_listener_desc desc;
    uint32_t           set;     // the reactive set that it stands for; 0: none
    bool               is_tree; // it stands for its hierarchy
    bool               is_link; // it stands for the link
    bool               is_name; // it stands for the index of names, which is not in clones
} model_listener;

typedef struct model_link {
    kith_entity child;
    kith_entity parent;
} model_link;

typedef struct model_tree {
    kith_component id;
    kith_children  children;
    model_link     links[MODEL_ROWS];
    uint32_t       link_count;
} model_tree;

typedef struct model_pair {
    kith_entity holder;
    kith_entity target;
} model_pair;

/// A holder that is to be destroyed, because its target was.
typedef struct model_pending {
    kith_entity holder;
    uint32_t    level; // its distance from the first target
} model_pending;

typedef struct model_holding {
    kith_component id;
    kith_component lists;
    kith_target    policy;
    model_pair     pairs[MODEL_ROWS]; // in the order of arrival
    uint32_t       count;
    model_pending  pending[MODEL_ROWS]; // in the order of their turns
    uint32_t       pending_count;
} model_holding;

/// An entity that is being destroyed, or a component that is being removed from it.
typedef struct model_departure {
    kith_entity    entity;
    kith_component component; // 0: everything
} model_departure;

/// A component that an entity got and that is not announced yet.
typedef struct model_unreported {
    kith_entity    entity;
    kith_component component;
} model_unreported;

#define MODEL_UNREPORTED 1024u

typedef struct model_announcement {
    kith_notice notice;
    bool        over; // added again meanwhile: listeners not yet called get the newer notice
} model_announcement;

// An object of the world: a number.
enum { MODEL_NOTES = 3 };
typedef struct model_note {
    bool     made;
    uint32_t number;
    uint64_t serial; // its number among all that was made
} model_note;
extern const char *const model_note_keys[MODEL_NOTES];

typedef struct model {
    uint32_t        limit; // of indices
    uint32_t        most;  // that it can be
    bool            queued;
    uint32_t        last_version;
    uint32_t        first_index;
    kith_free_order order;
    void           *user;

    model_slot slots[MODEL_SLOTS];
    uint32_t   slot_count;
    uint32_t   free_list[MODEL_SLOTS];
    uint32_t   free_count;

    model_component components[MODEL_COMPONENTS]; // in registration order
    uint32_t        component_count;
    uint64_t        last_made; // of queries, systems and notes

    model_loop loops[MODEL_LOOPS]; // open ones, the oldest first
    uint32_t   loop_count;
    uint64_t   last_serial;
    uint64_t   ticks; // that have begun, without the first

    model_stored stored[MODEL_QUERIES];

    model_group   groups[MODEL_GROUPS]; // those with fewer terms first
    uint32_t      group_count;
    uint32_t      last_group;
    model_dropped dropped[MODEL_DROPPED];
    uint32_t      dropped_count;
    model_path    paths[MODEL_PATHS]; // the oldest first
    model_note    notes[MODEL_NOTES];
    uint32_t      path_count;
    uint32_t      last_path;

    model_reactive reactives[MODEL_REACTIVES];
    uint32_t       reactive_count;
    uint32_t       last_reactive;
    model_queue    queues[MODEL_QUEUES]; // the oldest first
    uint32_t       queue_count;

    model_system systems[MODEL_SYSTEMS + 1]; // the oldest first
    uint32_t     system_count;

    model_tree trees[MODEL_TREES];
    uint32_t   tree_count;

    model_holding holdings[MODEL_LINKS]; // in the order of registration
    uint32_t      holding_count;
    bool          awaits;         // holders are pending
    uint32_t      pending_frames; // events that end before their turn
    uint32_t      pending_level;  // of the one that is being destroyed; 0: none
    bool          passes_over;    // the world is being cleared: no target is refused

    uint32_t    links[MODEL_SLOTS]; // indices of those that joined or left since the world settled
    uint32_t    link_count;
    bool        unnoted; // what goes is in the journals already
    kith_entity ending;  // is about to lose everything: it belongs to no group

    model_listener     listeners[MODEL_LISTENERS]; // in the order of their connections
    uint32_t           listener_count;
    kith_listener      last_listener;
    model_departure    departures[2 * MODEL_NESTING];
    uint32_t           departure_count;
    uint32_t           announcing; // calls whose events are being announced
    model_announcement announcements[MODEL_NESTING];
    uint32_t           announcement_count;
    model_unreported unreported[MODEL_UNREPORTED]; // in the order in which they would be announced
    uint32_t         unreported_count;
    uint32_t         holds; // calls that announce several
    bool             fills; // a batch adds rows, and nothing held the world when it began
    uint64_t called_at;     // the newest loop when the innermost listener was called; 0: none is

    model_error record;
    model_error reported[MODEL_REPORTED]; // since model_step_begin
    uint32_t    reported_count;
    model_life  life[MODEL_LIFE]; // since model_step_begin
    uint32_t    life_count;

    uint32_t hook_calls;           // of construct, copy and patch's change, since model_step_begin
    uint32_t fail_at;              // the one that answers false; 0: none
    void (*meddle)(void *meddler); // called by the first one; NULL: not
    void       *meddler;
    bool        busy; // while it is called
    model_fault fault;

    void (*notify)(void *notified, const kith_notice *notice,
                   void *context); // stands for listeners
    void (*notify_many)(void *notified, const kith_notice *notice, const kith_entity *entities,
                        uint32_t count, void *context);
    uint32_t batch_depth; // events at this depth: listeners of many have had them; 0: none
    void    *notified;
} model;

/// The frames of a ring, with numbers that follow each other.
typedef struct model_frames {
    uint32_t ring;
    uint64_t oldest; // 0: there is none
    uint64_t newest;
    uint64_t base; // the frame that the world stands on; 0: none
} model_frames;

/// A set of components, in any order.
typedef struct model_signature {
    kith_component ids[MODEL_COMPONENTS];
    uint32_t       count;
} model_signature;

/// Empties the lists of errors reported and hooks called, and sets what the hooks are to do.
void model_step_begin(model *m, uint32_t fail_at, void (*meddle)(void *meddler), void *meddler);

/// The step failed because the allocator refused: an error, recorded unless it is another world's.
void model_step_starved(model *m, const model_error *error, bool recorded);

// --- world -----------------------------------------------------------------------------------

/// Whether a second world can be made of the description; an error without a record if not.
bool model_world_try(model *m, const kith_world_desc *desc);

/// Makes `m` the model of a new world.
void model_world_create(model *m, const kith_world_desc *desc);

/// Logs the destructors that destroying the world runs.
void model_world_destroy(model *m);
void model_world_clear(model *m);

/// Whether a clone can be made: logs the hooks that copying runs. Then lets the model be that of
/// the clone, the old world being destroyed.
bool model_world_clone(model *m);
void model_world_move(model *m);

/// Whether the world can be saved; then what is different once that is loaded in its place.
kith_error_code model_world_save(const model *m, bool exact);
void            model_world_load(model *m, bool exact);

/// Keeps a copy of the model as the next frame. Returns its number, or 0.
uint64_t model_frames_save(model *m, model_frames *frames);

/// Makes the model what it was when the frame was saved.
bool model_frames_restore(model *m, model_frames *frames, uint64_t frame);

/// What restoring the frame would make of the model: without transient components, and with groups
/// filled without them. It stays until the next look. Returns NULL and reports an error when there
/// is no such frame, or the setup is another one.
const model *model_frames_look(model *m, const model_frames *frames, uint64_t frame);

/// Whether there is the frame, and its setup is that of the model.
bool model_frames_usable(const model *m, const model_frames *frames, uint64_t frame);

/// Whether a group names a transient component: a restore gives it other members, in a later tick.
bool model_groups_name_transient(const model *m);

/// Announces that the state of a frame was loaded.
void model_frames_announce(model *m, const model_frames *frames, uint64_t frame);

/// The frames before this one are gone; 0: all are.
void model_frames_forget(model_frames *frames, uint64_t oldest);

bool       model_world_shrink(model *m);
void      *model_world_user(const model *m);
void       model_world_user_set(model *m, void *user);
kith_stats model_world_stats(const model *m);
void       model_world_memory(model *m, kith_component component);
void       model_world_error_clear(model *m);
bool       model_world_hold(model *m);
bool       model_world_release(model *m);
bool       model_world_settle(model *m);
uint64_t   model_world_advance(model *m);
uint64_t   model_world_now(const model *m);

// --- entities as numbers ---------------------------------------------------------------------

kith_entity model_entity_make(uint32_t index, uint32_t version);
uint32_t    model_entity_index(kith_entity entity);
uint32_t    model_entity_version(kith_entity entity);
uint64_t    model_entity_pack(kith_entity entity, uint32_t index_bits);
kith_entity model_entity_unpack(uint64_t packed, uint32_t index_bits);
double      model_entity_to_double(kith_entity entity);
kith_entity model_entity_from_double(double number);

// --- entities --------------------------------------------------------------------------------

kith_entity model_entity_create(model *m);
kith_entity model_entity_create_hint(model *m, kith_entity hint);
bool        model_entity_create_hints(model *m, const kith_entity *hints, uint32_t count,
                                      kith_entity *out);
bool        model_entity_destroy(model *m, kith_entity entity);
bool        model_entity_alive(const model *m, kith_entity entity);
uint32_t    model_entity_current(const model *m, kith_entity entity);
uint32_t    model_entity_count(const model *m);
kith_entity model_entity_next(const model *m, kith_entity previous);
bool        model_entity_reserve(model *m, uint32_t slots);
bool        model_entity_limit_set(model *m, uint32_t slots);
kith_entity model_entity_slot(const model *m, uint32_t index);
uint32_t    model_entity_components(const model *m, kith_entity entity, kith_component *components,
                                    uint32_t capacity);
model_signature model_entity_signature(const model *m, kith_entity entity);

// --- signatures ------------------------------------------------------------------------------

bool     model_signature_add(model *m, model_signature *signature, kith_component component);
bool     model_signature_remove(model *m, model_signature *signature, kith_component component);
bool     model_signature_has(model *m, const model_signature *signature, kith_component component);
bool     model_signature_contains(const model_signature *signature, const model_signature *part);
bool     model_signature_intersects(const model_signature *signature, const model_signature *part);
uint32_t model_signature_count(const model_signature *signature);
bool     model_signature_reserve(model *m, const model_signature *signature, uint32_t rows);
bool     model_world_reserve(model *m, uint32_t entities, uint32_t batch);

// --- components ------------------------------------------------------------------------------

/// The component, or NULL without an error.
model_component *model_component_lookup(model *m, kith_component component);

kith_component model_component_register(model *m, const kith_component_desc *desc);
bool model_component_register_many(model *m, const kith_component_desc *descs, uint32_t count);
kith_component model_component_find(const model *m, const char *name);
bool           model_component_describe(model *m, kith_component component);
kith_component model_component_next(model *m, kith_component previous);

uint32_t model_component_set(model *m, kith_entity entity, kith_component component,
                             const void *value);
uint32_t model_component_add(model *m, kith_entity entity, kith_component component,
                             const void *value);
uint32_t model_component_get(model *m, kith_entity entity, kith_component component);

/// Answers with the value before `number` was written through the address.
uint32_t model_component_mut(model *m, kith_entity entity, kith_component component,
                             uint8_t number);
bool     model_component_has(model *m, kith_entity entity, kith_component component);

/// `change` makes the number `number`.
uint32_t model_component_patch(model *m, kith_entity entity, kith_component component,
                               uint8_t number);
bool     model_component_remove(model *m, kith_entity entity, kith_component component);
bool model_component_enable(model *m, kith_entity entity, kith_component component, bool enabled);
bool model_component_enabled(model *m, kith_entity entity, kith_component component);

// --- pools -----------------------------------------------------------------------------------

uint32_t    model_component_count(model *m, kith_component component);
uint32_t    model_component_row(model *m, kith_entity entity, kith_component component);
kith_entity model_component_entity(model *m, kith_component component, uint32_t row);
uint32_t    model_component_value(model *m, kith_component component, uint32_t row);
bool        model_component_reserve(model *m, kith_component component, uint32_t rows);

/// The room that there is at least.
kith_pool_stats model_component_stats(model *m, kith_component component);

/// The entity whose value is in the row that the address lies in; KITH_NO_ROW: in none.
kith_entity model_component_owner(model *m, kith_component component, uint32_t row);
bool        model_component_limit_set(model *m, kith_component component, uint32_t rows);
bool        model_component_shrink(model *m, kith_component component);
bool        model_component_compact(model *m, kith_component component);
bool        model_component_swap(model *m, kith_component component, kith_entity a, kith_entity b);
bool        model_component_clear(model *m, kith_component component);

/// By the bits of the numbers, or of the indices, that the mask has.
bool model_component_sort(model *m, kith_component component, uint32_t mask);
bool model_component_sort_entities(model *m, kith_component component, uint32_t mask);

/// Keys are the first byte of a value, or wrong.
bool     model_component_sort_by(model *m, kith_component component, const kith_sort_key *key);
bool     model_component_sort_as(model *m, kith_component component, kith_component other);
bool     model_sort_wrong(model *m, kith_component component); // no order, or more than one
uint64_t model_component_stamp(model *m, kith_component component, uint32_t row);
uint64_t model_component_changed_at(model *m, kith_entity entity, kith_component component);
uint64_t model_component_added_at(model *m, kith_entity entity, kith_component component);
bool     model_component_set_if_changed(model *m, kith_entity entity, kith_component component,
                                        const void *value);

/// Goes to the next span of changed rows; false at the end.
bool model_changes_next(model *m, kith_changes *changes);

/// The component whose changes, or whose journal, can be read; NULL and an error if they cannot.
const model_component *model_changes_begin(model *m, kith_component component);
const model_component *model_removals_begin(model *m, kith_component component);

/// `values` as for calls that answer with an address.
uint32_t model_component_get_many(model *m, kith_component component, const kith_entity *entities,
                                  uint32_t count, uint64_t *values);

// --- batches ---------------------------------------------------------------------------------

/// An array of entities, or the members of a range.
typedef struct model_entity_list {
    const kith_entity *members; // at most MODEL_HINTS
    uint32_t           count;
    bool               range;
} model_entity_list;

/// What the library's calls answer: for an array 0 or 1, for a range the number of the living.
uint32_t model_entity_set_many(model *m, model_entity_list entities, const kith_values *sets,
                               uint32_t set_count);
uint32_t model_entity_remove_many(model *m, model_entity_list entities, const kith_component *ids,
                                  uint32_t id_count);
uint32_t model_entities_alive(const model *m, model_entity_list entities);
uint32_t model_entity_destroy_many(model *m, model_entity_list entities);
uint32_t model_entity_set_components(model *m, model_entity_list entities, const kith_values *sets,
                                     uint32_t set_count);

/// The model knows values by their first byte, so that byte expires: the lowest byte of the tick,
/// with the bytes after it as the catalog makes them.
uint32_t model_world_expire(model *m, kith_component component, uint64_t tick,
                            uint64_t (*expires)(uint8_t number, uint32_t size));

/// With UINT32_MAX as count: more than there can be.
bool model_entity_create_many(model *m, kith_entity *made, uint32_t count, const kith_values *sets,
                              uint32_t set_count);
bool model_entity_clone_many(model *m, kith_entity prefab, kith_entity *made, uint32_t count);
bool model_entities_clone(model *m, model_entity_list entities, kith_entity *made);
kith_entities model_entity_create_range(model *m, uint32_t count);

// --- hashes ----------------------------------------------------------------------------------

/// The hash of the world's state, which is not held.
uint64_t model_hash(model *m);
bool     model_world_hash(model *m, uint64_t *hash);
bool     model_world_hash_full(model *m, uint64_t *hash);
bool     model_world_hash_content(model *m, uint64_t *hash);
bool     model_world_diff(model *m); // with itself
bool     model_component_hash(model *m, kith_component id, uint64_t *hash);
bool     model_component_hash_full(model *m, kith_component id, uint64_t *hash);

// --- singletons ------------------------------------------------------------------------------

uint32_t model_singleton_set(model *m, kith_component component, const void *value);
uint32_t model_singleton_add(model *m, kith_component component);
uint32_t model_singleton_get(model *m, kith_component component);
uint32_t model_singleton_mut(model *m, kith_component component, uint8_t number);
bool     model_singleton_has(model *m, kith_component component);
bool     model_singleton_remove(model *m, kith_component component);

// --- queries ---------------------------------------------------------------------------------

kith_entity model_view_first(model *m, const kith_query_desc *desc);
uint32_t    model_view_count(model *m, const kith_query_desc *desc);
bool        model_view_contains(model *m, const kith_query_desc *desc, kith_entity entity);
uint32_t    model_view_size_hint(model *m, const kith_query_desc *desc);

/// Writes down those that a walk without a loop visits, in order, and returns how many they are.
/// The walk goes on once more after its end, which is an error.
uint32_t model_view_begin_read(model *m, const kith_query_desc *desc, kith_entity *list);

/// The number of the query, or 0.
uint32_t      model_query_create(model *m, const kith_query_desc *desc);
uint32_t      model_query_of(model *m, const kith_query_desc *desc);
uint32_t      model_query_parse(model *m, const kith_query_desc *desc); // of the terms' text
bool          model_query_desc_parse(model *m, const kith_query_desc *desc);
bool          model_query_destroy(model *m, uint32_t query);
model_stored *model_query_describe(model *m, uint32_t query);
void          model_query_since_set(model *m, uint32_t query, uint64_t tick);

// --- loops -----------------------------------------------------------------------------------

void model_view_begin(model *m, const kith_query_desc *desc, model_cursor *cursor);
void model_query_begin(model *m, uint32_t query, model_cursor *cursor);

/// The same for a typed cursor, whose terms the query must have.
void model_query_begin_as(model *m, uint32_t query, const kith_query_desc *desc,
                          model_cursor *cursor);

bool model_cursor_next(model *m, model_cursor *cursor);

/// The same for a chunk that the library made `count` long, which is its own decision, if at least
/// `count` entities remain.
bool model_cursor_next_chunk(model *m, model_cursor *cursor, uint32_t count);

/// Writes the value of `number` through every column for writing, of a chunk its first place.
void        model_cursor_write(model *m, const model_cursor *cursor, uint8_t number);
kith_entity model_cursor_entity(model *m, const model_cursor *cursor, uint32_t i);

/// Whether the cursor's loop is.
bool model_cursor_open(model *m, const model_cursor *cursor);
void model_cursor_end(model *m, model_cursor *cursor);

/// What the column of a term holds for an entity: 0 for NULL, otherwise 1 + the number.
uint32_t model_query_column(model *m, const model_query *query, uint32_t term, kith_entity entity);

/// Whether the term hands its value out at all, and whether to write.
bool model_term_reads(const kith_term *term);
bool model_term_writes(const kith_term *term);

/// Whether a loop is open or an event is being announced.
bool model_held(const model *m);

// --- groups ----------------------------------------------------------------------------------

/// The number of the group, or 0.
uint32_t model_group_of(model *m, const kith_query_desc *desc);
bool     model_group_drop(model *m, uint32_t number);

/// A tracked system begins, or ends, to use a group.
uint32_t           model_group_track(model *m, const kith_query_desc *desc);
void               model_group_point(model *m, uint32_t number);
void               model_group_untrack(model *m, uint32_t number);
uint32_t           model_group_count(model *m, uint32_t number);
bool               model_group_contains(model *m, uint32_t number, kith_entity entity);
const model_group *model_group_describe(const model *m, uint32_t number);

/// As the calls for pools above.
bool model_group_sort(model *m, uint32_t number, kith_component component, uint32_t mask);
bool model_group_sort_entities(model *m, uint32_t number, uint32_t mask);
bool model_group_sort_by(model *m, uint32_t number, kith_component component,
                         const kith_sort_key *key);
bool model_group_sort_as(model *m, uint32_t number, kith_component component, kith_component other);

// --- paths -----------------------------------------------------------------------------------

uint32_t model_world_arrange(model *m, const kith_component *ids, uint32_t count, uint32_t budget);

/// The number of the path, or 0.
uint32_t    model_path_of(model *m, const kith_path_desc *desc);
bool        model_path_drop(model *m, uint32_t number);
uint32_t    model_path_arrange(model *m, uint32_t number, uint32_t budget);
uint32_t    model_path_arrange_all(model *m, uint32_t budget);
model_path *model_path_describe(model *m, uint32_t number);

// --- reactive sets and queues ----------------------------------------------------------------

/// The number of the set, or 0.
uint32_t        model_reactive_create(model *m, const kith_reactive_desc *desc);
bool            model_reactive_destroy(model *m, uint32_t number);
uint32_t        model_reactive_update(model *m, uint32_t number);
void            model_reactive_update_for(model *m, uint32_t number, uint64_t own, bool alone);
uint32_t        model_reactive_count(model *m, uint32_t number);
bool            model_reactive_contains(model *m, uint32_t number, kith_entity entity);
bool            model_reactive_remove(model *m, uint32_t number, kith_entity entity);
void            model_reactive_clear(model *m, uint32_t number);
model_reactive *model_reactive_describe(model *m, uint32_t number);

/// The first member that came after the n-th that came, or KITH_NULL.
kith_entity model_reactive_next(model *m, uint32_t number, uint64_t n);

/// The number of the queue, or 0.
uint32_t      model_queue_create(model *m, const kith_queue_desc *desc);
uint32_t      model_queue_find(model *m, const char *name);
kith_listener model_queue_connect(model *m, uint32_t number, const kith_listener_desc *desc);
bool          model_queue_enqueue(model *m, uint32_t number, kith_entity event);
bool          model_queue_trigger(model *m, uint32_t number, kith_entity event);
uint32_t      model_queue_update(model *m, uint32_t number);
uint32_t      model_queue_update_all(model *m);
void          model_queue_clear(model *m, uint32_t number);
uint32_t      model_queue_count(model *m, uint32_t number);
bool          model_queue_reserve(model *m, uint32_t number, uint32_t events);

// --- listeners -------------------------------------------------------------------------------

/// Listeners are called as functions of the model's announcer, with the context that they were
/// connected with.
kith_listener model_listener_connect(model *m, const kith_listener_desc *desc);
bool          model_listener_disconnect(model *m, kith_listener listener);

// --- hierarchies -----------------------------------------------------------------------------

kith_component model_hierarchy_register(model *m, const kith_hierarchy_desc *desc);
bool           model_hierarchy_insert(model *m, kith_component hierarchy, kith_entity parent,
                                      kith_entity child, kith_entity before);
bool           model_hierarchy_append(model *m, kith_component hierarchy, kith_entity parent,
                                      kith_entity child);
bool           model_hierarchy_insert_at(model *m, kith_component hierarchy, kith_entity parent,
                                         kith_entity child, uint32_t place);
bool           model_hierarchy_detach(model *m, kith_component hierarchy, kith_entity entity);

/// By the bits of the indices that the mask has, if there is a function that compares.
bool model_hierarchy_sort_children(model *m, kith_component hierarchy, kith_entity parent,
                                   bool compares, uint32_t mask);
bool model_hierarchy_sort(model *m, kith_component hierarchy);

/// Whether it is a node, and its links.
bool model_tree_node(model *m, kith_component hierarchy, kith_entity entity, kith_node *node);

kith_entity model_hierarchy_root(model *m, kith_component hierarchy, kith_entity entity);
uint32_t    model_hierarchy_depth(model *m, kith_component hierarchy, kith_entity entity);
bool        model_hierarchy_is_below(model *m, kith_component hierarchy, kith_entity entity,
                                     kith_entity ancestor);
kith_entity model_hierarchy_next(model *m, kith_component hierarchy, kith_entity top,
                                 kith_entity entity);
kith_entity model_hierarchy_skip(model *m, kith_component hierarchy, kith_entity top,
                                 kith_entity entity);
bool        model_hierarchy_validate(model *m, kith_component hierarchy);

/// Writes down all of them, level by level, or, of one that is a hierarchy, depth first.
uint32_t model_hierarchy_levels(model *m, kith_component hierarchy, kith_entity top,
                                kith_entity *list);
uint32_t model_hierarchy_walk(model *m, kith_component hierarchy, kith_entity top,
                              kith_entity *list);

// --- links -----------------------------------------------------------------------------------

kith_component model_link_register(model *m, const kith_link_desc *desc);
bool     model_link_set(model *m, kith_entity entity, kith_component link, kith_entity target);
bool     model_link_remove(model *m, kith_entity entity, kith_component link);
uint32_t model_holders_count(model *m, kith_component link, kith_entity target);

/// Writes down the holders of a target, and what is in its value and in that of a holder. The
/// component is the link or that of its lists.
uint32_t model_holders_list(const model *m, kith_component link, kith_entity target,
                            kith_entity *list);
void model_link_value(const model *m, kith_component link, const model_row *row, kith_link *value);
void model_list_value(const model *m, kith_component lists, kith_entity target,
                      kith_holder_list *value);

// --- names -----------------------------------------------------------------------------------

static inline bool model_is_name(const model_component *component)
{
    const kith_saved *saved = &component->desc.traits.saved;
    return saved->form == KITH_FORM_FUNCTIONS && saved->unit == KITH_UNIT_TEXT;
}

kith_component model_name_register(model *m, const kith_name_desc *desc);
kith_entity    model_name_find(model *m, kith_component component, uint32_t number);
bool model_name_claim(model *m, kith_entity entity, kith_component component, uint32_t number);

/// What finding answers, and whether it has begun to listen.
kith_entity model_name_lowest(const model_component *names, uint32_t number);
bool        model_name_is_indexed(const model *m, kith_component component);

// --- systems ---------------------------------------------------------------------------------

/// What a byte says about the system at a place.
model_system model_system_form(uint32_t place, uint8_t form);

bool model_system_create(model *m, const model_system *form, const kith_query_desc *desc);

/// The terms of a bare signature, as many as it has.
uint32_t model_system_terms(model *m, const model_system *form, const model_signature *signature,
                            kith_term *terms);

model_system *model_system_at(model *m, uint32_t place);
bool          model_system_enable(model *m, uint32_t place, bool enabled);
bool          model_system_request(model *m, uint32_t place);

/// Called for each visited entity, or for the turn of a system that visits none.
typedef void (*model_visit_fn)(void *context, uint64_t number);

/// Visits all entities of a stored query, as kith_query_parallel does.
bool model_query_parallel(model *m, uint32_t query, model_visit_fn visit, void *context);

bool model_system_run(model *m, uint32_t place, double dt, model_visit_fn visit, void *context);
bool model_system_destroy(model *m, uint32_t place, model_visit_fn visit, void *context);
bool model_schedule_run(model *m, double dt, model_visit_fn visit, void *context);
bool model_schedule_configure(model *m);

/// Lists the order, then the ambiguous pairs and what both touch. Returns how many pairs there are.
uint32_t model_schedule_ambiguities(model *m, uint64_t *list, uint32_t *length);

#endif
