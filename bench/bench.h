// SPDX-License-Identifier: MIT
// What a benchmark case is, and how it is measured, counted and reported.
//
// A case is the same work done twice: by kith, and by hand-written arrays (the limit). Both sides
// must have the same checksum. A further case is one row in the table of its topic, the two
// bodies, and a setup or a checksum where workload.h has none that fits.
#ifndef BENCH_H
#define BENCH_H

#include "workload.h"

// A timed body. Each stands alone: the compiler treats code that it merges into a caller, above
// all into main, as if it ran once.
#define BENCH_KERNEL static __attribute__((noinline))

// A kernel that walks chunks of one or few entities: its loop over a chunk stays a plain loop. A
// vectorised one compares the count with its widths first, which is about 11 instructions for each
// chunk.
#if defined(__GNUC__) && !defined(__clang__)
    #define BENCH_SHORT_CHUNKS BENCH_KERNEL __attribute__((optimize("no-tree-loop-vectorize")))
#else
    #define BENCH_SHORT_CHUNKS BENCH_KERNEL
#endif

typedef enum bench_kind {
    BENCH_STRUCTURAL, // the body uses its data up: set up anew for each repetition
    BENCH_STEADY,     // the body runs again and again on the same data
    BENCH_MEMORY,     // resident bytes instead of time, on the C library's default heap
    BENCH_BYTES       // bytes that the body counts, instead of time
} bench_kind;

static inline bool bench_is_timed(bench_kind kind)
{
    return kind == BENCH_STRUCTURAL || kind == BENCH_STEADY;
}

typedef struct bench_side {
    void (*setup)(bench_data *data);
    void (*run)(bench_data *data); // the only part that is measured
    double (*checksum)(const bench_data *data);
    void (*teardown)(bench_data *data);
} bench_side;

// What n counts in the scaling curves. A case whose n does not count entities is only in them.
typedef enum bench_axis {
    BENCH_NO_CURVE,
    BENCH_ENTITIES,
    BENCH_COMPONENTS, // registered ones
    BENCH_TERMS,      // of a query
    BENCH_SETS        // different sets of components that entities have
} bench_axis;

static inline bool bench_only_curve(bench_axis axis)
{
    return axis > BENCH_ENTITIES;
}

/// What n counts, in a word.
const char *bench_axis_name(bench_axis axis);

#define BENCH_SIZES_MAX 4

typedef struct bench_case {
    const char *id;
    const char *form;
    bench_kind  kind;
    bench_axis  axis;
    bool        threads;                // uses all processors; instructions are not counted
    uint32_t    ops_per_entity;         // 0: 1
    double      target;                 // the highest good ratio kith / limit; 0: none
    double      instructions;           // the same for kith's instructions per operation
    const char *baseline;               // what stands on the limit's side; NULL: plain arrays
    uint32_t    sizes[BENCH_SIZES_MAX]; // ends at the first 0; none: 65,536 and 1,000,000
    bench_side  kith;
    bench_side  limit;
} bench_case;

typedef struct bench_suite {
    const bench_case *cases;
    uint32_t          count;
} bench_suite;

#define BENCH_SUITE(CASES)                                                                         \
    {                                                                                              \
        (CASES), sizeof(CASES) / sizeof(CASES)[0]                                                  \
    }

extern const bench_suite bench_create;
extern const bench_suite bench_batch;
extern const bench_suite bench_change;
extern const bench_suite bench_lookup;
extern const bench_suite bench_iterate;
extern const bench_suite bench_frame;
extern const bench_suite bench_terms;
extern const bench_suite bench_sets;
extern const bench_suite bench_group;
extern const bench_suite bench_loop;
extern const bench_suite bench_sort;
extern const bench_suite bench_path;
extern const bench_suite bench_stamp;
extern const bench_suite bench_react;
extern const bench_suite bench_system;
extern const bench_suite bench_workers;
extern const bench_suite bench_command;
extern const bench_suite bench_tree;
extern const bench_suite bench_link;
extern const bench_suite bench_name;
extern const bench_suite bench_clone;
extern const bench_suite bench_hash;
extern const bench_suite bench_frames;
extern const bench_suite bench_snapshot;
extern const bench_suite bench_memory;

// --- measuring -------------------------------------------------------------------------------

typedef struct bench_settings {
    uint32_t turns;       // of each side
    uint32_t repetitions; // of the body in a turn; the first is not counted
    bool     cold;        // pay for fresh pages from the kernel in each repetition
    bool     progress;    // print on stderr which turn is running
} bench_settings;

typedef struct bench_figure {
    double minimum; // nanoseconds per operation, or bytes per entity
    double median;
    double checksum;
} bench_figure;

typedef struct bench_result {
    const bench_case *bench;
    uint32_t          n;
    bench_figure      kith;
    bench_figure      limit;
} bench_result;

/// Keeps this process and its children on the core that it runs on. Returns the core, or -1.
int bench_pin(void);

/// The data of one side, set up.
bench_data bench_open(const bench_case *bench, const bench_side *side, uint32_t n);

/// Measures one case with one size in a process of its own, so that no case inherits another one's
/// heap. Returns false when that process did not come back with a result.
bool bench_measure(const bench_case *bench, uint32_t n, const bench_settings *settings,
                   bench_result *result);

/// Runs each side once and makes callgrind dump its counts, described by a line that
/// instructions.sh reads. Returns false when the checksums differ.
bool bench_count(const bench_case *bench, uint32_t n);

/// Whether bench_count can work here; if not, says on stderr what is missing.
bool bench_can_count(void);

// --- reporting -------------------------------------------------------------------------------

/// Whether both sides computed the same.
bool bench_matches(const bench_result *result);

double bench_ratio(const bench_result *result);

void bench_print_head(const bench_settings *settings, int core);
void bench_print_row(const bench_result *result);

/// Writes all results as JSON, making the folders on the way. Returns false when it cannot.
bool bench_write(const char *path, const bench_result *results, uint32_t count, bool cold);

#endif
