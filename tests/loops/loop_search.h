// SPDX-License-Identifier: MIT
// Goes through programs: all of a kind, or drawn at random. A program is some entities, a loop, and
// changes at any of its steps; the way to the next one is found by running the present one and
// counting what could have been done at each step.
#ifndef KITH_LOOP_SEARCH_H
#define KITH_LOOP_SEARCH_H

#include "loop_options.h"
#include "loop_stage.h"

enum { LOOP_CHOICES = 4096, LOOP_STAGES = 4 * LOOP_FLAVOURS };

/// What is counted, and what a difference left behind.
typedef struct loop_search {
    uint64_t          jobs;                // that were begun, the last one maybe cut off
    uint64_t          cases;               // programs
    uint64_t          calls;               // steps that were compared, each once
    uint64_t          repeats;             // programs run again, by the same or by another setting
    uint64_t          most;                // programs, 0: all of them; then the search ends early
    bool              cut;                 // it did
    loop_fault        fault;               // planted in the model
    loop_stage       *stages[LOOP_STAGES]; // made when needed
    uint32_t          uses[LOOP_STAGES];
    const loop_stage *present;  // where programs run
    const loop_stage *failed;   // where a program differs
    bool              crashed;  // and the worlds are lost
    const char       *sentence; // what beside it
    // the way through the tree of programs
    uint32_t known;
    uint32_t at;
    uint32_t fresh; // the first step that no earlier program had
    uint32_t chosen[LOOP_CHOICES];
    uint32_t limits[LOOP_CHOICES];
    uint32_t steps[LOOP_CHOICES];
} loop_search;

enum { LOOP_GROUP_SETS = 11 };

/// A set of programs.
typedef struct loop_run {
    const char *name;
    uint32_t    changes;    // in all, those by listeners included
    uint32_t    components; // only shapes that name at most this many
    bool        listening;  // each second change is a listener's, about the one before
    bool        chunks;
    uint32_t    inner;    // loops that begin inside the outer one at most
    uint32_t    flavours; // bits
    uint32_t    variants; // bits
    uint32_t    groups;   // bits: which of the sets of groups, the first being none
    uint32_t    ways;     // bits: of loop_way, how changes are made
} loop_run;

/// How many jobs the run has. A job is a shape over entities to begin with, and every program from
/// there.
uint64_t loop_run_jobs(const loop_run *run);

/// Runs every `every`-th job, from `first` on. False: a program differs.
bool loop_search_run(loop_search *search, const loop_run *run, uint64_t first, uint64_t every);

/// Runs `count` programs drawn by the seed, each by every setting. With `large` hundreds of
/// entities, so that blocks and runs are long.
bool loop_search_random(loop_search *search, uint64_t seed, uint64_t count, bool large);

/// Takes away steps of the program that differs, as long as it does in a new world.
void loop_search_shrink(loop_search *search);

/// The program that differs, as C.
void loop_search_write(const loop_search *search, text *out);

/// Ends the worlds, unless a crash left them as they are.
void loop_search_end(loop_search *search);

// --- for the parts of the search -------------------------------------------------------------

/// What kind of world a program runs in.
typedef struct loop_kind {
    uint32_t     flavour;
    bool         listening;
    bool         disables; // rows are disabled in it now and then, otherwise never
    loop_setting setting;
} loop_kind;

/// The stage for the next program, emptied.
loop_stage *loop_search_stage(loop_search *search, loop_kind kind);

/// A part of the search: false when a program differs.
typedef bool (*loop_body_fn)(loop_search *search, void *context);

/// Does the body; a crash of the library is a difference of the present program.
bool loop_search_guard(loop_search *search, loop_body_fn body, void *context);

/// Notes that the program on the stage differs. Always false.
bool loop_search_differ(loop_search *search, const loop_stage *stage, const char *sentence);

/// Runs the program of the stage again and compares what the world does.
bool loop_search_repeat(loop_search *search, loop_stage *stage, loop_setting setting);

/// Whether the search has run as many programs as it may.
bool loop_search_is_full(loop_search *search);

/// Asks the closed cursors once more, settles and compares all.
bool loop_search_finish(loop_search *search, loop_stage *stage);

#endif
