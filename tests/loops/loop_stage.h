// SPDX-License-Identifier: MIT
// A world and the model side by side. Each step is done by both; then their logs, every row, value,
// address, count and stamp are compared.
#ifndef KITH_LOOP_STAGE_H
#define KITH_LOOP_STAGE_H

#include "loop_model.h"

enum { LOOP_FLAVOURS = 8, LOOP_BLOCK_SIZES = 4, LOOP_STEPS = 8192 };

extern const loop_flavour loop_flavours[LOOP_FLAVOURS];

/// The components that a group can own, as bits.
uint32_t loop_flavour_ownable(const loop_flavour *flavour);

/// Whether its components can answer the shape.
bool loop_flavour_fits(const loop_flavour *flavour, const loop_shape *shape);

/// What must make no difference: which instructions compare rows, and how many are resolved ahead.
typedef struct loop_setting {
    unsigned path; // KITH_SIMD_NONE ... kith_simd_level()
    uint32_t block_rows;
} loop_setting;

/// The settings of this machine: every path that it has, with blocks of 1, 2, 7 and 256 rows.
uint32_t     loop_setting_count(void);
loop_setting loop_setting_at(uint32_t i);

/// How much is compared after a step beside what the calls did.
typedef enum loop_look {
    LOOP_LOOK_AWAY, // nothing: the same steps were compared before
    LOOP_LOOK,      // every row, value, address, count and stamp
    LOOP_LOOK_DEEP  // and kith_world_validate
} loop_look;

typedef struct loop_stage loop_stage;

/// The context of a destructor: the entity whose value it ends.
typedef struct loop_end {
    loop_stage    *stage;
    kith_component component;
} loop_end;

struct loop_stage {
    const loop_flavour   *flavour;
    bool                  listening;
    loop_setting          setting;
    kith_world           *world;
    kith_query           *stored[LOOP_SHAPES];
    uint32_t              group_calls;
    kith_group           *groups[LOOP_GROUP_CALLS]; // what each call returned, or NULL
    loop_end              ends[LOOP_COMPONENTS];
    kith_commands        *commands;
    struct kith_queue    *queue;
    struct kith_reactive *set;          // where there are listeners
    uint64_t              place;        // of a walk through it
    kith_system          *tracked;      // NULL: there is none
    uint32_t              tracked_call; // the number of its group
    uint32_t              pending_count;
    kith_entity           pending[LOOP_WAITING]; // placeholders of what is recorded
    loop_model            model;
    loop_log              log;

    uint32_t    entity_count;
    kith_entity handles[LOOP_ENTITIES]; // by number
    uint32_t    owner[LOOP_ENTITIES];   // the number that has the index
    uint32_t    number;                 // of the latest value
    const void *addresses[LOOP_POOLS][LOOP_ROWS];
    uint64_t    first_tick; // of the program
    uint32_t    looks;      // at worlds with groups

    uint32_t         cursor_count;
    loop_cursor      cursors[LOOP_DEPTH];
    const loop_step *step; // NULL: a listener has reacted to it
    uint32_t         events;
    uint32_t         nested; // listeners that run
    uint32_t         reported;
    uint32_t         chunk_length;

    uint32_t  step_count;
    loop_step steps[LOOP_STEPS]; // since the program began
    bool      chunked;           // the program asks for chunks
    uint64_t  transcript;        // of everything that the world did, and of its stamps at the end
    char      difference[512];
};

/// Makes the world. A stage that is zeroed, or that ended, may begin.
void loop_stage_begin(loop_stage *s, const loop_flavour *flavour, bool listening);
void loop_stage_end(loop_stage *s);

/// Empties the world for the next program.
void loop_stage_restart(loop_stage *s, loop_setting setting);

/// Does the step, compares the logs and, as far as `look` says, the rest. False: they differ.
bool loop_stage_step(loop_stage *s, const loop_step *step, loop_look look);

/// Settles, then compares what loops of `walks` shapes, from number `first` on, visit, count and
/// contain. `deep`: the world also proves itself.
bool loop_stage_finish(loop_stage *s, uint32_t first, uint32_t walks, bool deep);

/// The program so far and where it differs.
void loop_stage_write(const loop_stage *s, text *out);

#endif
