// SPDX-License-Identifier: MIT
// A world and its model side by side, with everything that watches them: the allocator that counts
// and refuses on command, the hooks, the reported errors. A difference between the two is an answer
// with a sentence, never an abort, so that a failing sequence can be run again and again.
#ifndef KITH_TESTS_STAGE_H
#define KITH_TESTS_STAGE_H

#include "catalog.h"
#include "model.h"

#include "kith/frames.h"

enum {
    STAGE_ISSUED     = 64,
    STAGE_SIGNATURES = 2,
    STAGE_CURSORS    = 4,
    STAGE_TYPED      = 2, // cursors of each typed query
    STAGE_QUERIES    = 4,
    STAGE_LISTENERS  = 8,
    STAGE_GROUPS     = 3,
    STAGE_PATHS      = 3,
    STAGE_SYSTEMS    = MODEL_SYSTEMS,
    STAGE_TREES      = MODEL_TREES,
    STAGE_DIFFERENCE = 256
};

struct scene;

typedef struct stage_memory {
    size_t   live_bytes;
    uint32_t allocations; // since stage_step_begin
    uint32_t refuse_at;   // the one that gets NULL; 0: none
    uint32_t refused;
} stage_memory;

/// A ring of the world, and that of the model.
typedef struct stage_frames {
    kith_frames *ring;                 // NULL: none
    bool         viewed;               // it has worlds of its own, which no report counts
    uint64_t     oldest, newest;       // before the latest call
    uint64_t     hashes[MODEL_FRAMES]; // exact ones, by number; 0: none
    uint64_t     others[MODEL_FRAMES]; // a sum of what hashes cover and frames do not have
    model_frames naive;
} stage_frames;

typedef struct stage {
    kith_world     *world;
    model           model;
    hook_book       hooks;
    stage_memory    memory;
    struct scene   *scene;         // what listeners do
    uint32_t        entities_most; // how many entities may live: beyond it nothing more is made
    uint32_t        fillers;       // of the catalog's fillers, how many calls may name
    uint32_t        favourite; // the entry of the catalog from which on calls name a few most often
    kith_signature  signatures[STAGE_SIGNATURES];
    model_signature model_signatures[STAGE_SIGNATURES];

    kith_cursor  cursors[STAGE_CURSORS];        // in use, closed, failed or never begun
    model_query  cursor_queries[STAGE_CURSORS]; // what the world's cursors walk
    model_cursor model_cursors[STAGE_CURSORS];
    pairs        pairs_cursors[STAGE_TYPED];
    choices      choices_cursors[STAGE_TYPED];
    model_cursor typed_cursors[2][STAGE_TYPED]; // the same
    model_cursor each_cursor[2];                // of a loop with a script, and of one within it
    kith_query  *queries[STAGE_QUERIES];        // NULL: none
    uint32_t     model_queries[STAGE_QUERIES];
    kith_group  *groups[STAGE_GROUPS]; // NULL: none
    uint32_t     model_groups[STAGE_GROUPS];
    kith_path   *paths[STAGE_PATHS]; // NULL: none
    uint32_t     model_paths[STAGE_PATHS];
    kith_system *systems[STAGE_SYSTEMS]; // NULL: none
    uint64_t     system_visits;          // what they visited, all that there were
    uint64_t     model_system_visits;

    kith_component trees[STAGE_TREES]; // hierarchies of the world
    uint32_t       tree_count;

    kith_reactive *sets[STAGE_PATHS]; // NULL: none
    uint32_t       model_sets[STAGE_PATHS];
    kith_queue    *queues_of_events[STAGE_PATHS]; // the same
    uint32_t       model_queues_of_events[STAGE_PATHS];

    kith_listener listeners[STAGE_LISTENERS]; // of disconnected ones too
    kith_listener model_listeners[STAGE_LISTENERS];
    bool          connected[STAGE_LISTENERS];
    bool          model_connected[STAGE_LISTENERS];

    stage_frames frames[MODEL_RINGS];
    uint32_t     frames_live; // values with hooks that frames have

    kith_entity issued[STAGE_ISSUED]; // the handles given out last, dead or alive
    uint32_t    issued_count;

    model_error       reported[MODEL_REPORTED]; // since stage_step_begin
    uint32_t          reported_count;
    const kith_world *reported_from; // the world that errors are to come from
    bool              reported_stranger;

    const void *addresses[MODEL_COMPONENTS][MODEL_ROWS]; // of rows; NULL: not seen yet
    const void *singletons[MODEL_COMPONENTS];
    uint32_t    singleton_additions[MODEL_COMPONENTS]; // when the address was seen
    const char *fault;                                 // NULL: none
    char        difference[STAGE_DIFFERENCE];
} stage;

/// What is to go wrong in a step. Zeroed: nothing.
typedef struct stage_trouble {
    uint32_t fail_at;                    // this call of a construct or copy hook answers false
    uint32_t refuse_at;                  // this allocation gets NULL
    void (*meddle_real)(void *meddler);  // the first hook calls the world
    void (*meddle_naive)(void *meddler); // and the model
    void *meddler;
} stage_trouble;

/// How hook calls are compared: constructors always in their order.
typedef enum stage_life {
    STAGE_LIFE_COUNTED, // destructors as often as the model says
    STAGE_LIFE_ORDERED, // destructors too in the model's order
    STAGE_LIFE_PAIRED   // nothing is left over: what was made was destructed
} stage_life;

/// The description of a world whose allocator and error hook belong to the stage.
kith_world_desc stage_world_desc(stage *s, const kith_world_desc *desc);

/// Makes the world and its model.
bool stage_begin(stage *s, const kith_world_desc *desc, model_fault fault);

/// Hooks that run between the two belong to frames: the model does not know these calls.
void stage_frames_begin(stage *s);
void stage_frames_end(stage *s);

/// Destroys a ring, if it is there, or all. Returns what kith_frames_destroy does.
bool stage_drop_ring(stage *s, uint32_t ring);
void stage_drop_frames(stage *s);

/// Destroys the world, whatever state it is in.
void stage_destroy_world(stage *s);

/// Destroys the world and compares what its end did. The stage may then begin again.
bool stage_end(stage *s);

void stage_step_begin(stage *s, const stage_trouble *trouble);

/// Whether the error says that memory ran out, or that the hook of a long name did not get it.
/// Other hooks do not fail when memory is refused.
bool stage_lacked_memory(const stage *s, const model_error *error);

/// Whether a call of this step failed for want of memory. What only makes a query faster may be
/// refused without that.
bool stage_starved(const stage *s);

/// Compares errors, hooks called and the whole state.
bool stage_compare(stage *s, stage_life life);

/// Notes that something is wrong in the world, to be found when the step is compared.
void stage_fault(stage *s, const char *sentence);

/// Notes a difference. Always false.
bool stage_differ(stage *s, const char *format, ...);

/// Notes a handle that was given out.
void stage_issue(stage *s, kith_entity entity);

/// 0 for NULL, otherwise 1 + the number of the component's value at the address.
uint32_t stage_see(stage *s, kith_component component, const void *value);

/// Whether the world's component is a hierarchy, whose values no other call may write.
bool stage_is_tree(const stage *s, kith_component component);

/// Copies what the library alone decides about newly registered components into the model.
void stage_learn(stage *s);

/// Pages were given back: rows may have other addresses from now on.
void stage_forget_addresses(stage *s);

#endif
