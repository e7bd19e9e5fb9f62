// SPDX-License-Identifier: MIT
// The components and the queries of the loop tests, and cursors over them: typed and untyped, made
// on the spot or stored, behind one face.
#ifndef KITH_LOOP_SHAPE_H
#define KITH_LOOP_SHAPE_H

#include "kith/diff.h"
#include "kith/json.h"
#include "kith/kith.h"
#include "kith/merge.h"
#include "kith/snapshot.h"

enum { LOOP_A = 1, LOOP_B, LOOP_C, LOOP_F };

// Components are numbered from 0 where only the tests see them; the last one is a flag.
enum { LOOP_COMPONENTS = 4, LOOP_POOLS = 3, LOOP_SHAPES = 20, LOOP_TERMS = 4 };

#define LOOP_BIT(COMPONENT) (1u << ((COMPONENT)-1))
#define LOOP_ALL_BITS       ((1u << LOOP_COMPONENTS) - 1)
#define LOOP_POOL_BITS      ((1u << LOOP_POOLS) - 1)

/// Every value begins with its number. Sizes differ, so that columns cannot be confused.
typedef struct loop_a {
    uint32_t number, filler;
} loop_a;

typedef struct loop_b {
    uint32_t number;
} loop_b;

typedef struct loop_c {
    uint32_t number, filler[3];
} loop_c;

extern const uint32_t loop_value_size[LOOP_POOLS];

/// How a loop is begun and walked.
typedef enum loop_form {
    LOOP_VIEW,
    LOOP_STORED,
    LOOP_TYPED,
    LOOP_TYPED_STORED,
    LOOP_FORMS
} loop_form;

typedef struct loop_typed loop_typed; // a query of KITH_QUERY behind function pointers

typedef struct loop_shape {
    const char       *name;
    uint32_t          term_count;
    kith_term         terms[LOOP_TERMS];
    const loop_typed *typed; // NULL: KITH_QUERY cannot say it
} loop_shape;

extern const loop_shape loop_shapes[LOOP_SHAPES];

/// Changes count that were made in the present tick of the world.
kith_query_desc loop_shape_desc(const loop_shape *shape, const kith_world *world);

/// The components that its terms name.
uint32_t loop_shape_relevant(const loop_shape *shape);

/// The components that have a column, and those whose column is for writing.
uint32_t loop_shape_columns(const loop_shape *shape);
uint32_t loop_shape_written(const loop_shape *shape);

/// Whether a group can have its terms; the components that they ask for, and that they exclude.
/// A loop may walk a group also where it has optional terms beside.
bool     loop_shape_is_group(const loop_shape *shape);
bool     loop_shape_walks_group(const loop_shape *shape);
uint32_t loop_shape_with(const loop_shape *shape);
uint32_t loop_shape_without(const loop_shape *shape);

/// Whether a loop may walk the members of a group with these components, a part of its own.
bool loop_shape_goes_inside(const loop_shape *shape, uint32_t components);

/// Whether a term asks for what was added, which only row ticks record.
bool loop_shape_asks_for_added(const loop_shape *shape);

/// Whether a term reads or writes the component itself, which tags do not allow.
bool loop_shape_reads(const loop_shape *shape, kith_component component);

typedef struct loop_cursor {
    const loop_shape *shape;
    const loop_typed *typed; // NULL: untyped
    kith_entity       entity;
    uint32_t          count;
    bool              failed;
    bool              chunked;                 // the latest call asked for a chunk
    const void       *values[LOOP_COMPONENTS]; // the columns, by component
    max_align_t       storage[16];
} loop_cursor;

/// `query` is the stored form of the shape, or NULL.
void loop_cursor_begin(loop_cursor *cursor, kith_world *world, const loop_shape *shape,
                       kith_query *query, bool typed);
bool loop_cursor_next(loop_cursor *cursor);
bool loop_cursor_next_chunk(loop_cursor *cursor);
void loop_cursor_end(loop_cursor *cursor);

kith_entity loop_cursor_entity(const loop_cursor *cursor, uint32_t i);

#endif
