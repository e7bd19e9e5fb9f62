// SPDX-License-Identifier: MIT
// Every public call, once for the world and once for the model, with the same arguments.
#ifndef KITH_TESTS_VERB_H
#define KITH_TESTS_VERB_H

#include "argument.h"

enum { VERB_LIST = KITH_QUERY_TERMS_MAX + 8 };

/// What a call returned: its result as a number (addresses as stage_see numbers them) and what it
/// wrote into arrays.
typedef struct verb_answer {
    uint64_t result;
    uint64_t list[VERB_LIST];
    uint32_t length;
    uint32_t given; // what the library alone decides: the model copies it
} verb_answer;

typedef enum verb_trait {
    VERB_MAKES       = 1,       // makes entities
    VERB_SPARES      = 2,       // never allocates
    VERB_ORDERLY     = 4,       // destructs in a documented order
    VERB_BUSY        = 8,       // refused from inside a hook
    VERB_FORGETS     = 16,      // frees pages
    VERB_OTHER_WORLD = 32,      // its errors are not recorded in the stage's world
    VERB_SMOOTH      = 64,      // several calls: nothing goes wrong in the middle
    VERB_ALONE       = 128,     // not made by listeners
    VERB_CONNECTS    = 256,     // connects a listener
    VERB_STORES      = 512,     // makes a stored query
    VERB_STORED      = 1024,    // uses one
    VERB_EACH        = 2048,    // calls a function for each entity
    VERB_ENDS        = 4096,    // ends the world, unless something forbids it
    VERB_GROUPS      = 16384,   // makes a group
    VERB_GROUPED     = 32768,   // uses one
    VERB_PATHS       = 65536,   // makes a path
    VERB_PATHED      = 131072,  // uses one
    VERB_COLLECTS    = 262144,  // makes a reactive set
    VERB_COLLECTED   = 524288,  // uses one
    VERB_SYSTEMS     = 1048576, // makes a system
    VERB_SYSTEM      = 2097152, // uses one
    VERB_TREE        = 4194304, // names a hierarchy, mostly
    VERB_CONST       = 8388608, // its hooks must not change the world, and nothing else sees to it
    VERB_RENEWS      = 8192     // smooth, and made by listeners all the same, if there is memory
} verb_trait;

typedef struct verb {
    const char *call; // as C, with % and a letter for each argument
    void (*real)(stage *s, const argument *a, verb_answer *answer);
    void (*naive)(stage *s, const argument *a, verb_answer *answer);
    uint32_t weight; // how often it is drawn
    uint32_t traits;
} verb;

/// Whether a text is written as snprintf writes: all of it is counted, what fits is there.
typedef size_t (*verb_text_fn)(const void *subject, char *buffer, size_t size);
bool verb_text_is_cut(verb_text_fn write, const void *subject, uint32_t size);

/// Whether both returned the same. If not, the difference names `side`.
bool verb_compare(stage *s, const char *side, const verb_answer *real, const verb_answer *naive);

/// Verbs of queries, loops and listeners, of typed cursors, of batches, of paths, of reactive sets
/// and queues, of systems, of commands, of hierarchies, of links, of names, of clones, of JSON, of
/// snapshots, of differences, of dumps, of objects and of frames, after those of verb.c.
extern const verb     verb_loops[];
extern const uint32_t verb_loop_count;
extern const verb     verb_cursors[];
extern const uint32_t verb_cursor_count;
extern const verb     verb_batches[];
extern const uint32_t verb_batch_count;
extern const verb     verb_paths[];
extern const uint32_t verb_path_count;
extern const verb     verb_events[];
extern const uint32_t verb_event_count;
extern const verb     verb_systems[];
extern const uint32_t verb_system_count;
extern const verb     verb_commands[];
extern const uint32_t verb_command_count;
extern const verb     verb_hierarchies[];
extern const verb     verb_links[];
extern const uint32_t verb_link_count;
extern const verb     verb_names[];
extern const uint32_t verb_name_count;
extern const uint32_t verb_hierarchy_count;
extern const verb     verb_clones[];
extern const uint32_t verb_clone_count;
extern const verb     verb_jsons[];
extern const uint32_t verb_json_count;
extern const verb     verb_snapshots[];
extern const uint32_t verb_snapshot_count;
extern const verb     verb_diffs[];
extern const uint32_t verb_diff_count;
extern const verb     verb_dumps[];
extern const uint32_t verb_dump_count;
extern const verb     verb_objects[];
extern const uint32_t verb_object_count;
extern const verb     verb_frames[];
extern const uint32_t verb_frame_count;

/// A world with the same components, but for hooks and what they require, of verb_json.c.
kith_world *verb_second_world(const kith_world *world, kith_world_desc desc);

/// What a cursor shows after a step: answers with it, and writes the value of the argument's number
/// through the columns for writing.
typedef struct verb_sight {
    kith_entity  entity;
    uint32_t     count;
    void *const *columns;
    kith_entity  members[MODEL_ROWS]; // of the chunk, or the one entity
} verb_sight;

void verb_see_step(stage *s, const argument *a, const model_query *query, const verb_sight *sight,
                   verb_answer *answer);
void verb_see_step_naively(stage *s, const argument *a, const model_cursor *c, verb_answer *answer);

/// A sum that depends on the order of its numbers.
uint64_t verb_mix(uint64_t sum, uint64_t number);

/// The verb that a number stands for, heavier ones for more numbers.
const verb *verb_drawn(uint32_t number);

/// The n-th of the verbs that hooks are refused, round and round.
const verb *verb_refused(uint32_t ordinal);

/// The lowest number that stands for the verb with this call, which must be in the table.
uint32_t verb_number(const char *call);

/// How many verbs there are, and each.
uint32_t    verb_count(void);
const verb *verb_at(uint32_t place);

#endif
