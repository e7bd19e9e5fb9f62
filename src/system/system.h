// SPDX-License-Identifier: MIT
// Systems, and the graph of which must run before which.
//
//     systems[i]   by creation
//     edges[i]     a bit a system: those that a phase or a constraint puts before system i
//     predecessors[i]   the same through any number of others
//     order        as they run: of those whose predecessors ones have run, the one created first
//
// The graph has no circle: a system that would close one is not let in. All arrays are one block
// with room for `capacity` systems, so that a system can go without memory.
#ifndef KITH_SYSTEM_SYSTEM_H
#define KITH_SYSTEM_SYSTEM_H

#include "query/query.h"

#define KITH_NO_SYSTEM UINT32_MAX

struct kith_system {
    kith_world      *world;
    kith_system_desc desc;   // what it points to is in the system's own block
    size_t           bytes;  // of that block
    uint32_t         number; // in the graph
    kith_query      *query;
    kith_group      *group;
    kith_signature   signature;
    uint64_t         reads[KITH_SIGNATURE_WORDS]; // by component id
    uint64_t         writes[KITH_SIGNATURE_WORDS];
    bool             touches_all;
    bool             enabled;
    bool             due;
    double           waited; // time that has come together
    uint32_t         steps;  // turns that are left in this run of the schedule
    uint64_t         tick;   // of the latest turn
    // of a tracked system: whom `enter` has heard of, and the group as it was then
    kith_sparse_set tracked_entities;
    uint64_t        notified_moves;
    uint32_t        notified_rows;
    // figures
    uint64_t turns;
    uint64_t total; // nanoseconds
    uint64_t entities;
    double   dropped;
    uint32_t times[KITH_SYSTEM_TIMES]; // of turn n at n % KITH_SYSTEM_TIMES
};

typedef struct kith_graph {
    kith_system **systems;
    kith_system **order;
    uint64_t     *edges;
    uint64_t     *predecessors;
    uint64_t     *unplaced; // while the order is made
    uint32_t      words;    // of a row of bits
    uint32_t      count;
    uint32_t      capacity;
} kith_graph;

typedef struct kith_schedule {
    kith_schedule_desc desc;
    kith_graph         graph;
    kith_system       *running; // NULL: none has its turn
    kith_access_check *access;  // NULL: nothing was ever checked
} kith_schedule;

// --- graph (graph.c) -------------------------------------------------------------------------

// Makes room for one more system; false when memory runs out.
KITH_INTERNAL bool   kith_graph_reserve(kith_graph *graph, const kith_allocator *memory);
KITH_INTERNAL void   kith_graph_release(kith_graph *graph, const kith_allocator *memory);
KITH_INTERNAL size_t kith_graph_bytes(const kith_graph *graph);

// Lets the system in, for which there is room; false when it closes a circle, which is then written
// to `circle`. To take one out always goes.
KITH_INTERNAL bool kith_graph_add(kith_graph *graph, kith_system *system, char *circle,
                                  size_t size);
KITH_INTERNAL void kith_graph_remove(kith_graph *graph, const kith_system *system);

// The number of a system, by creation, or KITH_NO_SYSTEM.
KITH_INTERNAL uint32_t kith_graph_find(const kith_graph *graph, const char *name);

// Whether system number `a` must come before number `b`: directly, or through others.
KITH_INTERNAL bool kith_graph_has_edge(const kith_graph *graph, uint32_t a, uint32_t b);
KITH_INTERNAL bool kith_graph_precedes(const kith_graph *graph, uint32_t a, uint32_t b);

// Whether the two cannot both have their turns at once, and the component for that: the first
// registered one behind `*component` (0: from the start), or 0 where one touches everything.
KITH_INTERNAL bool kith_systems_conflict(const kith_world *world, const kith_system *a,
                                         const kith_system *b, kith_component *component);

// --- turns (turn.c) --------------------------------------------------------------------------

// Whether a system has its turn; then it is an error.
KITH_INTERNAL bool kith_require_no_turn(kith_world *world, const char *call);

// Whether systems may have turns of this length now; if not it is an error.
KITH_INTERNAL bool kith_schedule_can_run(kith_world *world, double dt, const char *call);

// Gives the system a turn. False, with an error, when it could not have it.
KITH_INTERNAL bool kith_system_take_turn(kith_system *system, double dt, const char *call);

// Tells `leave` of all of whom `enter` was told.
KITH_INTERNAL void kith_system_leave_all(kith_system *system, const char *call);

// Makes room for `enter` to hear of everybody, false when memory runs out; gives back what is not
// needed.
KITH_INTERNAL bool kith_world_reserve_tracked(kith_world *world);
KITH_INTERNAL void kith_world_shrink_tracked(kith_world *world);

// --- systems (system.c) ----------------------------------------------------------------------

// The schedule, made on demand; NULL and an error when memory runs out.
KITH_INTERNAL kith_schedule *kith_world_schedule(kith_world *world, const char *call);

// Gives it back with all systems; the bytes of all.
KITH_INTERNAL void   kith_world_free_schedule(kith_world *world);
KITH_INTERNAL size_t kith_world_schedule_bytes(const kith_world *world);

#endif
