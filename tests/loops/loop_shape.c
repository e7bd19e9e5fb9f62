// SPDX-License-Identifier: MIT
// The shapes of queries that the programs loop over, and their descriptions for kith.
#include "loop_shape.h"

#include <string.h>

const uint32_t loop_value_size[LOOP_POOLS] = { sizeof(loop_a), sizeof(loop_b), sizeof(loop_c) };

// Flavours have traits of their own: typed code must not take any for granted.
static const kith_traits any_traits = { .page_rows = 0 };
KITH_COMPONENT_WITH(a, loop_a, LOOP_A, any_traits);
KITH_COMPONENT_WITH(b, loop_b, LOOP_B, any_traits);
KITH_COMPONENT_WITH(c, loop_c, LOOP_C, any_traits);
KITH_FLAG(f, LOOP_F);

struct loop_typed {
    void (*begin)(loop_cursor *cursor, kith_world *world, kith_query *query);
    bool (*next)(loop_cursor *cursor);
    bool (*next_chunk)(loop_cursor *cursor);
    void (*end)(loop_cursor *cursor);
    kith_entity (*entity)(const loop_cursor *cursor, uint32_t i);
};

// --- the typed queries -----------------------------------------------------------------------

// clang-format off

// KITH_QUERY and a loop_typed over it; V_A .. V_F are the fields of the typed cursor `t`, or NULL.
#define LOOP_QUERY(NAME, V_A, V_B, V_C, V_F, ...) \
    KITH_QUERY(NAME, __VA_ARGS__); \
    _Static_assert(sizeof(NAME) <= sizeof ((loop_cursor *)NULL)->storage, "room for a cursor"); \
    static NAME *NAME##_of(loop_cursor *cursor) \
    { return (NAME *)(void *)cursor->storage; } \
    static bool NAME##_take(loop_cursor *cursor, bool more) \
    { \
        const NAME *t = NAME##_of(cursor); \
        const void *values[LOOP_COMPONENTS] = { V_A, V_B, V_C, V_F }; \
        cursor->entity = t->entity; \
        cursor->count  = t->count; \
        memcpy(cursor->values, values, sizeof values); \
        return more; \
    } \
    static void NAME##_begin_any(loop_cursor *cursor, kith_world *world, kith_query *query) \
    { \
        *NAME##_of(cursor) = query == NULL ? NAME##_begin_since(world, kith_world_now(world)) \
                                           : NAME##_begin_stored(query); \
        cursor->failed     = NAME##_of(cursor)->failed; \
    } \
    static bool NAME##_next_any(loop_cursor *cursor) \
    { return NAME##_take(cursor, NAME##_next(NAME##_of(cursor))); } \
    static bool NAME##_chunk_any(loop_cursor *cursor) \
    { return NAME##_take(cursor, NAME##_next_chunk(NAME##_of(cursor))); } \
    static void NAME##_end_any(loop_cursor *cursor) \
    { NAME##_end(NAME##_of(cursor)); } \
    static kith_entity NAME##_entity_any(const loop_cursor *cursor, uint32_t i) \
    { return NAME##_entity((const NAME *)(const void *)cursor->storage, i); } \
    static const loop_typed NAME##_typed = { \
        NAME##_begin_any, NAME##_next_any, NAME##_chunk_any, NAME##_end_any, NAME##_entity_any }

LOOP_QUERY(q_a,        t->a, NULL, NULL, NULL, write(a));
LOOP_QUERY(q_ab,       t->a, t->b, NULL, NULL, write(a), read(b));
LOOP_QUERY(q_abc,      t->a, t->b, t->c, NULL, read(a), read(b), write(c));
LOOP_QUERY(q_a_not_c,  t->a, NULL, NULL, NULL, read(a), without(c));
LOOP_QUERY(q_ab_not_c, t->a, t->b, NULL, NULL, write(a), read(b), without(c));
LOOP_QUERY(q_not_a,    NULL, NULL, NULL, NULL, without(a));
LOOP_QUERY(q_a_any_bc, t->a, t->b, t->c, NULL, read(a), any(b, c));
LOOP_QUERY(q_a_opt_b,  t->a, t->b, NULL, NULL, write(a), optional_write(b));
LOOP_QUERY(q_a_f,      t->a, NULL, NULL, NULL, read(a), with(f));
LOOP_QUERY(q_f,        NULL, NULL, NULL, NULL, with(f));
LOOP_QUERY(q_disabled, t->a, t->b, NULL, NULL, read(a), disabled(a), read(b));
LOOP_QUERY(q_lead_b,   t->a, t->b, NULL, NULL, read(a), write(b), lead(b));
LOOP_QUERY(q_a_not_f,  t->a, NULL, NULL, NULL, write(a), without(f));
LOOP_QUERY(q_any_ab,   t->a, t->b, NULL, NULL, any(a, b));
LOOP_QUERY(q_a_any_bf, t->a, t->b, NULL, t->f, read(a), any(b, f));
LOOP_QUERY(q_opt_a,    t->a, NULL, NULL, NULL, optional_write(a));
LOOP_QUERY(q_new_a,    t->a, NULL, NULL, NULL, write(a), changed(a));
LOOP_QUERY(q_b_new_a,  NULL, t->b, NULL, NULL, read(b), changed(a));
LOOP_QUERY(q_added_b,  t->a, NULL, NULL, NULL, read(a), added(b), without(c));

// --- the shapes ------------------------------------------------------------------------------

const loop_shape loop_shapes[LOOP_SHAPES] = {
    { "q_a", 1, { { LOOP_A, KITH_ROLE_WRITE, 0 } }, &q_a_typed },
    { "q_ab", 2, { { LOOP_A, KITH_ROLE_WRITE, 0 }, { LOOP_B, KITH_ROLE_READ, 0 } }, &q_ab_typed },
    { "q_abc", 3, { { LOOP_A, KITH_ROLE_READ, 0 }, { LOOP_B, KITH_ROLE_READ, 0 },
                    { LOOP_C, KITH_ROLE_WRITE, 0 } }, &q_abc_typed },
    { "q_a_not_c", 2, { { LOOP_A, KITH_ROLE_READ, 0 }, { LOOP_C, KITH_ROLE_WITHOUT, 0 } },
      &q_a_not_c_typed },
    { "q_ab_not_c", 3, { { LOOP_A, KITH_ROLE_WRITE, 0 }, { LOOP_B, KITH_ROLE_READ, 0 },
                         { LOOP_C, KITH_ROLE_WITHOUT, 0 } }, &q_ab_not_c_typed },
    { "q_not_a", 1, { { LOOP_A, KITH_ROLE_WITHOUT, 0 } }, &q_not_a_typed },
    { "q_a_any_bc", 3, { { LOOP_A, KITH_ROLE_READ, 0 }, { LOOP_B, KITH_ROLE_ANY, LOOP_B },
                         { LOOP_C, KITH_ROLE_ANY, LOOP_B } }, &q_a_any_bc_typed },
    { "q_a_opt_b", 2, { { LOOP_A, KITH_ROLE_WRITE, 0 }, { LOOP_B, KITH_ROLE_OPTIONAL_WRITE, 0 } },
      &q_a_opt_b_typed },
    { "q_a_f", 2, { { LOOP_A, KITH_ROLE_READ, 0 }, { LOOP_F, KITH_ROLE_WITH, 0 } }, &q_a_f_typed },
    { "q_all", 0, { { 0, KITH_ROLE_WITH, 0 } }, NULL },
    { "q_f", 1, { { LOOP_F, KITH_ROLE_WITH, 0 } }, &q_f_typed },
    { "q_disabled", 3, { { LOOP_A, KITH_ROLE_READ, 0 }, { LOOP_A, KITH_ROLE_DISABLED, 0 },
                         { LOOP_B, KITH_ROLE_READ, 0 } }, &q_disabled_typed },
    { "q_lead_b", 3, { { LOOP_A, KITH_ROLE_READ, 0 }, { LOOP_B, KITH_ROLE_WRITE, 0 },
                       { LOOP_B, KITH_ROLE_LEAD, 0 } }, &q_lead_b_typed },
    { "q_a_not_f", 2, { { LOOP_A, KITH_ROLE_WRITE, 0 }, { LOOP_F, KITH_ROLE_WITHOUT, 0 } },
      &q_a_not_f_typed },
    { "q_any_ab", 2, { { LOOP_A, KITH_ROLE_ANY, LOOP_A }, { LOOP_B, KITH_ROLE_ANY, LOOP_A } },
      &q_any_ab_typed },
    { "q_a_any_bf", 3, { { LOOP_A, KITH_ROLE_READ, 0 }, { LOOP_B, KITH_ROLE_ANY, LOOP_B },
                         { LOOP_F, KITH_ROLE_ANY, LOOP_B } }, &q_a_any_bf_typed },
    { "q_opt_a", 1, { { LOOP_A, KITH_ROLE_OPTIONAL_WRITE, 0 } }, &q_opt_a_typed },
    { "q_new_a", 2, { { LOOP_A, KITH_ROLE_WRITE, 0 }, { LOOP_A, KITH_ROLE_CHANGED, 0 } },
      &q_new_a_typed },
    { "q_b_new_a", 2, { { LOOP_B, KITH_ROLE_READ, 0 }, { LOOP_A, KITH_ROLE_CHANGED, 0 } },
      &q_b_new_a_typed },
    { "q_added_b", 3, { { LOOP_A, KITH_ROLE_READ, 0 }, { LOOP_B, KITH_ROLE_ADDED, 0 },
                        { LOOP_C, KITH_ROLE_WITHOUT, 0 } }, &q_added_b_typed },
};

// clang-format on

kith_query_desc loop_shape_desc(const loop_shape *shape, const kith_world *world)
{
    return (kith_query_desc){ shape->name, shape->terms, shape->term_count, kith_world_now(world) };
}

#define OPTIONAL_ROLES (1u << KITH_ROLE_OPTIONAL | 1u << KITH_ROLE_OPTIONAL_WRITE)

static uint32_t with_roles(const loop_shape *shape, uint32_t roles)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < shape->term_count; i++) {
        if ((roles >> shape->terms[i].role & 1) != 0) {
            found |= LOOP_BIT(shape->terms[i].component);
        }
    }
    return found;
}

uint32_t loop_shape_relevant(const loop_shape *shape)
{
    return with_roles(shape, UINT32_MAX);
}

uint32_t loop_shape_columns(const loop_shape *shape)
{
    return with_roles(shape, 1u << KITH_ROLE_READ | 1u << KITH_ROLE_WRITE |
                                 1u << KITH_ROLE_OPTIONAL | 1u << KITH_ROLE_OPTIONAL_WRITE |
                                 1u << KITH_ROLE_ANY);
}

uint32_t loop_shape_written(const loop_shape *shape)
{
    return with_roles(shape, 1u << KITH_ROLE_WRITE | 1u << KITH_ROLE_OPTIONAL_WRITE);
}

uint32_t loop_shape_with(const loop_shape *shape)
{
    return with_roles(shape, 1u << KITH_ROLE_READ | 1u << KITH_ROLE_WRITE | 1u << KITH_ROLE_WITH);
}

uint32_t loop_shape_without(const loop_shape *shape)
{
    return with_roles(shape, 1u << KITH_ROLE_WITHOUT);
}

bool loop_shape_asks_for_added(const loop_shape *shape)
{
    return with_roles(shape, 1u << KITH_ROLE_ADDED) != 0;
}

bool loop_shape_is_group(const loop_shape *shape)
{
    return loop_shape_walks_group(shape) && (loop_shape_with(shape) & LOOP_POOL_BITS) != 0 &&
           with_roles(shape, OPTIONAL_ROLES) == 0;
}

bool loop_shape_walks_group(const loop_shape *shape)
{
    uint32_t fine = 1u << KITH_ROLE_READ | 1u << KITH_ROLE_WRITE | 1u << KITH_ROLE_WITH |
                    1u << KITH_ROLE_WITHOUT | OPTIONAL_ROLES;
    return with_roles(shape, ~fine) == 0;
}

bool loop_shape_goes_inside(const loop_shape *shape, uint32_t components)
{
    uint32_t own = 1u << KITH_ROLE_LEAD | 1u << KITH_ROLE_CHANGED | 1u << KITH_ROLE_ADDED;
    return with_roles(shape, own) == 0 &&
           (with_roles(shape, 1u << KITH_ROLE_DISABLED) & components) == 0 &&
           (loop_shape_with(shape) & components) == components;
}

bool loop_shape_reads(const loop_shape *shape, kith_component component)
{
    uint32_t read = with_roles(shape, 1u << KITH_ROLE_READ | 1u << KITH_ROLE_WRITE |
                                          1u << KITH_ROLE_OPTIONAL_WRITE);
    return (read & LOOP_BIT(component)) != 0;
}

// --- cursors ---------------------------------------------------------------------------------

static kith_cursor *plain(loop_cursor *cursor)
{
    return (kith_cursor *)(void *)cursor->storage;
}

// Takes what the untyped cursor holds over. Terms without a column say nothing.
static bool take(loop_cursor *cursor, bool more)
{
    const kith_cursor *p       = plain(cursor);
    uint32_t           columns = loop_shape_columns(cursor->shape);
    cursor->entity             = p->entity;
    cursor->count              = p->count;
    for (uint32_t i = 0; more && i < cursor->shape->term_count; i++) {
        const kith_term *term = &cursor->shape->terms[i];
        bool             main = term->role < KITH_ROLE_DISABLED;
        if (main && (columns & LOOP_BIT(term->component)) != 0) {
            cursor->values[term->component - 1] = p->columns[i];
        }
    }
    return more;
}

void loop_cursor_begin(loop_cursor *cursor, kith_world *world, const loop_shape *shape,
                       kith_query *query, bool typed)
{
    memset(cursor, 0, sizeof *cursor);
    cursor->shape = shape;
    cursor->typed = typed ? shape->typed : NULL;
    if (cursor->typed != NULL) {
        cursor->typed->begin(cursor, world, query);
        return;
    }
    kith_query_desc desc = loop_shape_desc(shape, world);
    *plain(cursor)       = query == NULL ? kith_view_begin(world, &desc) : kith_query_begin(query);
    cursor->failed       = plain(cursor)->failed;
}

bool loop_cursor_next(loop_cursor *cursor)
{
    if (cursor->typed != NULL) {
        return cursor->typed->next(cursor);
    }
    return take(cursor, kith_cursor_next(plain(cursor)));
}

bool loop_cursor_next_chunk(loop_cursor *cursor)
{
    if (cursor->typed != NULL) {
        return cursor->typed->next_chunk(cursor);
    }
    return take(cursor, kith_cursor_next_chunk(plain(cursor)));
}

void loop_cursor_end(loop_cursor *cursor)
{
    if (cursor->typed != NULL) {
        cursor->typed->end(cursor);
    } else {
        kith_cursor_end(plain(cursor));
    }
}

kith_entity loop_cursor_entity(const loop_cursor *cursor, uint32_t i)
{
    if (cursor->typed != NULL) {
        return cursor->typed->entity(cursor, i);
    }
    return kith_cursor_entity((const kith_cursor *)(const void *)cursor->storage, i);
}
