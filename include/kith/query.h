// SPDX-License-Identifier: MIT
// Queries and loops over their entities. Part of kith.h; typed_query.h has the typed form.
#ifndef KITH_QUERY_H
#define KITH_QUERY_H

#include "component.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KITH_QUERY_TERMS_MAX 64u
#define KITH_LOOP_DEPTH_MAX  32u

/// What a query asks of a component.
typedef enum kith_role {
    KITH_ROLE_WITH           = 0,  // the entity has it
    KITH_ROLE_READ           = 1,  // has it, and the column gives its value to read
    KITH_ROLE_WRITE          = 2,  // has it, and the column gives its value to change
    KITH_ROLE_OPTIONAL       = 3,  // the column gives its value to read, or NULL
    KITH_ROLE_OPTIONAL_WRITE = 4,  // the column gives its value to change, or NULL
    KITH_ROLE_ANY            = 5,  // as optional; of the terms with the same `group` it has one
    KITH_ROLE_WITHOUT        = 6,  // the entity does not have it
    KITH_ROLE_DISABLED       = 7,  // disabled rows of the component count as well
    KITH_ROLE_LEAD           = 8,  // walk this component's rows, in their order
    KITH_ROLE_OWN            = 9,  // as write; a group made of the terms owns the component's rows
    KITH_ROLE_CHANGED        = 10, // the value has changed since, or the row was added
    KITH_ROLE_ADDED          = 11  // the component was added since; it has the trait `row_ticks`
} kith_role;

/// One component of a query. A component has one term; `disabled`, `lead`, `changed` and `added`
/// may stand beside it, and alone they mean `with` too; beside `any` only `disabled` may. A term of
/// `any` hands out values to read. To a query a disabled component is absent, unless it has the
/// term `disabled`.
typedef struct kith_term {
    kith_component component;
    kith_role      role;
    uint32_t       group; // of KITH_ROLE_ANY: which terms are alternatives to each other; else 0
} kith_term;

/// Which entities to visit, and what to hand out. No term at all: every entity.
typedef struct kith_query_desc {
    const char      *name; // for messages; may be NULL
    const kith_term *terms;
    uint32_t         term_count; // up to KITH_QUERY_TERMS_MAX
    uint64_t         since;      // of changed and added: the first tick that counts; 0: any
} kith_query_desc;

/// A stored query; made by kith_query_create and owned by its world.
typedef struct kith_query kith_query;

/// What the latest loop of a stored query did.
typedef struct kith_query_report {
    kith_component lead;       // whose rows it walked; 0: all entities
    uint32_t       rows;       // of the lead when it began
    uint64_t       examined;   // rows looked at
    uint64_t       rejected;   // of these, not handed out
    uint64_t       runs;       // stretches that were plain arrays in every column
    uint64_t       in_runs;    // rows handed out from runs
    uint64_t       gathered;   // rows looked up one by one
    uint64_t       remembered; // of the rows in runs: known from an earlier loop
    uint64_t       listed;     // rows handed out from the list that an earlier loop made
} kith_query_report;

// What a cursor keeps for itself. Its layout is ABI; see query.h. The small numbers stand apart:
// side by side, compilers keep them in one vector register and unpack it at every step, and load
// them together right after the library has stored them one by one, which is slow.
typedef struct kith_step_ {
    kith_world                *world_;
    uint32_t                   at_;       // the present entity in the block
    const uint64_t            *ticket_;   // equals serial_ while the block stands
    uint32_t                   end_;      // of a block whose values are plain arrays, or 0
    uint64_t                   serial_;   // of the loop; 0: none
    const struct kith_column_ *columns_;  // of a gathered block: where each column's values are
    uint32_t                   gathered_; // the end of such a block, or 0
    const uint32_t            *indices_;  // of the block's entities
    uint32_t                   row_;      // of a reading cursor: the next place
    const void                *source_;   // of a reading cursor: the description
    uint32_t                   count_;    // entities of the chunk, from at_ on; 1: no chunk
} kith_step_;

/// A walk over the entities of a query, made by kith_view_begin or kith_query_begin.
typedef struct kith_cursor {
    kith_entity  entity;  // the present one; the first of a chunk
    void *const *columns; // one a term: the value, a chunk's first value, or NULL
    uint32_t     count;   // entities of the chunk; 1 after kith_cursor_next, 0 at the end
    bool         failed;  // beginning was an error: there is nothing to visit
    kith_step_   step_;
} kith_cursor;

/// Called for each entity of a query; false ends the walk.
typedef bool (*kith_each_fn)(const kith_cursor *cursor, void *context);

// ---------------------------------------------------------------------------------------------
// Loops
//
//     kith_term terms[2] = { { POSITION, KITH_ROLE_WRITE, 0 }, { VELOCITY, KITH_ROLE_READ, 0 } };
//     kith_query_desc movers = { "movers", terms, 2, 0 };
//
//     kith_cursor c = kith_view_begin(world, &movers);
//     while (kith_cursor_next(&c)) {
//         move(c.columns[0], c.columns[1]);
//     }
//
// KITH_QUERY in query.h makes the same with types. A loop walks the rows of one component, the
// lead, in their order: of the components that an entity must have, the one with the fewest rows
// when the loop begins (holes counted; the first registered of equals), or the one that the term
// `lead` names. A query that asks for no component with rows walks all entities by ascending index,
// and one with the terms of a group walks its members: see "Groups".
//
// Contract    Any change to any entity is legal inside a loop. It visits, exactly once, each entity
//             that has had all included components (with, read, write) without a break since the
//             loop began and that meets the other terms (without, any, flags, enabled, changed,
//             added) when its turn comes; it visits nothing else. The turn comes in the call that
//             passes the entity's place; for a chunk, when the chunk is handed out.
// Holes       While a loop is open nothing moves. Removing leaves a hole and does not touch the
//             value; adding appends, also in stable pools. Holes count against a pool's limit.
// Settling    When the last loop closes and no listener runs: the destructors of removed values
//             run, pools in registration order, rows ascending; then each swap pool fills the holes
//             below its new end, ascending, with the rows above it, ascending. Never fails.
// Closing     A loop closes when next answers false, or by kith_cursor_end, which a loop left by
//             break needs. Closing a loop closes those begun after it. At most 32 are open.
// Copies      A cursor can be copied, and each copy goes on from where it is, until one of them
//             comes to the end of the entities that were looked up together, or behind a change
//             among them: that closes the others. Copies of an untyped cursor share its columns.
// Stamps      A column for writing stamps the value's page when it is handed out.
// Changes     changed and added ask whether a tick is not older than `since`: of the row where the
//             component has the trait `row_ticks`; otherwise changed asks for the stamp of the page
//             and means all its rows, also when one went or moved. What changes in the tick that
//             `since` names counts, so a change may be seen twice and is never missed. Where the
//             lead has such a term, pages with an older stamp are passed over as a whole. The since
//             of a stored query moves when a loop begins: what a loop that is left early did not
//             come to, the next one does not find; kith_query_since_set can bring it back.
// ---------------------------------------------------------------------------------------------

/// Begins a loop. Where that is an error (unknown component, a term that contradicts another, too
/// many terms, depth, memory) the cursor has `failed` and visits nothing. O(terms); allocates only
/// when no loop of that depth and number of terms ran before, or, for a query that includes no
/// component with rows, when entities have no room for the number of their birth yet.
KITH_API kith_cursor kith_view_begin(kith_world *world, const kith_query_desc *desc);

/// The same without opening a loop, for any number of threads while nobody changes the world. Only
/// for queries without write terms. `columns` has room for `desc->term_count` pointers and, like
/// the description, stays the caller's until the walk is over. With the next change of the world
/// the walk is over too: neither its pointers nor the cursor may be used after it. There is nowhere
/// to keep the resolved terms, so each stretch of entities resolves them again: where stretches are
/// short, and with any and optional terms, kith_query_begin_read is faster. O(terms).
KITH_API kith_cursor kith_view_begin_read(const kith_world *world, const kith_query_desc *desc,
                                          void **columns);

/// Goes to the next entity; false when there is none, and then the loop is closed. Calling it on a
/// closed cursor is an error. O(terms), and O(rows examined) in all.
KITH_API bool kith_cursor_next(kith_cursor *cursor);

/// Goes to the next chunk: `count` entities, for which every column is an array, or NULL. As long
/// as the pages where the components' rows are in the same order, one entity where they are not.
/// Can be mixed with kith_cursor_next. O(terms + rows examined).
KITH_API bool kith_cursor_next_chunk(kith_cursor *cursor);

/// The entity at place `i` of the chunk; KITH_NULL when it has left since the chunk was handed out.
/// O(terms).
KITH_API kith_entity kith_cursor_entity(const kith_cursor *cursor, uint32_t i);

/// Closes the cursor's loop. Nothing to do when it is closed already. O(terms + settling).
KITH_API void kith_cursor_end(kith_cursor *cursor);

/// The first entity that a loop would visit, or KITH_NULL; how many there are; whether a loop would
/// visit this one. They open no loop. O(rows of the lead); contains O(terms).
KITH_API kith_entity kith_view_first(const kith_world *world, const kith_query_desc *desc);
KITH_API uint32_t    kith_view_count(const kith_world *world, const kith_query_desc *desc);
KITH_API bool        kith_view_contains(const kith_world *world, const kith_query_desc *desc,
                                        kith_entity entity);

/// A number that a loop's visits do not exceed: the entities of the smallest included component.
/// O(terms).
KITH_API uint32_t kith_view_size_hint(const kith_world *world, const kith_query_desc *desc);

/// A stored query: it remembers where the components' rows are in the same order and who passed its
/// filters, so that its loops need not look again while nothing that it asks for has come, gone or
/// moved; that takes up to 4 bytes for each entity and component. Asking for the same terms gives
/// the same query, with one owner more: create it once and keep it, because it goes only when as
/// many destroys came as creates, or with the world. NULL and an error as for kith_view_begin. The
/// terms are copied. A query that asks for changes is never shared: each create makes one, because
/// it remembers since when. The query of a system goes with the system: to destroy that is an
/// error. O(terms + queries).
KITH_API kith_query *kith_query_create(kith_world *world, const kith_query_desc *desc);
KITH_API void        kith_query_destroy(kith_query *query);

/// The query's description, for kith_view_count and the like, and its world. O(1).
KITH_API const kith_query_desc *kith_query_describe(const kith_query *query);
KITH_API kith_world            *kith_query_world(const kith_query *query);

/// Since when changes count for the query's next loop: the `since` of its description, after that
/// the tick in which its latest loop began, or what was set. Walks that open no loop leave it as it
/// is, and so do queries that do not ask for changes. kith_query_describe tells it, too. O(1).
KITH_API uint64_t kith_query_since(const kith_query *query);
KITH_API void     kith_query_since_set(kith_query *query, uint64_t tick);

/// As kith_view_begin. The second loop over an unchanged world, and later ones while the lead
/// grows, may allocate the list of those who passed the filters; without memory there is none.
KITH_API kith_cursor kith_query_begin(kith_query *query);

/// As kith_view_begin_read, with the terms resolved once and for all. Nothing of the query changes,
/// not even its report, so any number of threads may read the same one; it must outlive the walk.
/// `columns` has room for a pointer a term. NULL, a query that was not made, fails quietly.
KITH_API kith_cursor kith_query_begin_read(const kith_query *query, void **columns);

/// Calls `each` for every entity of the query, until it answers false. Returns false when the loop
/// could not be begun. The rest as for a loop with kith_cursor_next.
KITH_API bool kith_query_each(kith_query *query, kith_each_fn each, void *context);

/// What the query's latest loop did, as numbers and in words. The text is written as by
/// kith_error_text. O(terms).
KITH_API kith_query_report kith_query_report_of(const kith_query *query);
KITH_API size_t            kith_query_explain(const kith_query *query, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
