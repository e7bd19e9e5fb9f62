// SPDX-License-Identifier: MIT
// What listeners do, and loops for each of their entities. Each has a script: a call to make, a
// number of times.
//
// A step is run in the world first. Each call of a listener, its notice, and the calls that it made
// are written down. When the step is run in the model, the list is replayed with the same
// arguments, and the model must come to the same, call for call.
#ifndef KITH_TESTS_SCENE_H
#define KITH_TESTS_SCENE_H

#include "verb.h"

enum {
    SCENE_SCRIPTS = STAGE_LISTENERS + 2, // then that of a loop, and one that does nothing
    SCENE_CUES    = 4096,
    SCENE_CALLS   = 96,
    SCENE_VISIT   = KITH_EVENT_REPLACED + 1 // the event of a function that is called for an entity
};

typedef struct scene_script {
    stage      *stage;
    const verb *verb; // NULL: only listens
    argument    arguments;
    uint32_t    left; // how often it still makes its call
} scene_script;

/// A call that a script made.
typedef struct scene_call {
    const verb *verb;
    bool        starved; // it got no memory
    model_error error;   // and said so
    verb_answer real;
} scene_call;

/// One time that a script was called.
typedef struct scene_cue {
    scene_script *script;
    kith_notice   notice;
    uint64_t      seen; // what there was to see at that time
    scene_call   *call; // NULL: it made none
} scene_cue;

typedef struct scene {
    scene_script scripts[SCENE_SCRIPTS];
    scene_cue    cues[SCENE_CUES]; // of this step
    uint32_t     cue_count;
    scene_call   calls[SCENE_CALLS];
    uint32_t     call_count;
    uint32_t     allocations; // of the calls that scripts made
    uint32_t     replayed;    // cues
    bool         starved;     // some call of a script was
} scene;

/// Lets the scene be the stage's, with scripts that do nothing.
void scene_begin(scene *playing, stage *s);

void scene_step_begin(scene *playing);

/// Sets the call of a script.
void scene_prepare(scene *playing, uint32_t script, const argument_action *action);

/// What a script does with this action; NULL: only listens.
const verb *scene_verb(const argument_action *action);

/// Whether the verb is left out as things are in the world now: too many entities, a place that is
/// in use or is not.
bool scene_forbids(const stage *s, const verb *v, const argument *a);

/// The listener in the world, with its script as context.
void scene_notify(kith_world *world, const kith_notice *notice, void *context);

/// The same for batches.
void scene_notify_many(kith_world *world, const kith_notice *notice, const kith_entity *entities,
                       uint32_t count, void *context);

/// The same for a loop.
void scene_visit(scene_script *script, kith_entity entity, uint64_t seen);

/// The same in the model: what was done in the world is done again.
void scene_notify_again(void *notified, const kith_notice *notice, void *context);
void scene_notify_many_again(void *notified, const kith_notice *notice, const kith_entity *entities,
                             uint32_t count, void *context);
void scene_visit_again(scene_script *script, kith_entity entity, uint64_t seen);

/// Whether all that happened in the world happened in the model. If not the stage says what.
bool scene_compare(stage *s);

#endif
