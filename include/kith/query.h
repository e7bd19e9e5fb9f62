// SPDX-License-Identifier: MIT
// Queries and loops over their entities. Part of kith.h; typed_query.h has the typed form.
//
// Threads     Any number of threads may call functions that take a const world or a const query,
//             while no thread changes the world. A cursor of `begin_read`, and one of a part,
//             belongs to the thread that began it. Any thread may call kith_role_name. All other
//             functions and cursors belong to the world's thread.
#ifndef KITH_QUERY_H
#define KITH_QUERY_H

#include "component.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KITH_QUERY_TERMS_MAX 64u
#define KITH_LOOP_DEPTH_MAX  32u

/// What a term of a query requires of its component.
typedef enum kith_role {
    KITH_ROLE_WITH           = 0,  // the entity has it
    KITH_ROLE_READ           = 1,  // the entity has it, and the column is its value to read
    KITH_ROLE_WRITE          = 2,  // the entity has it, and the column is its value to change
    KITH_ROLE_OPTIONAL       = 3,  // the column is its value to read, or NULL
    KITH_ROLE_OPTIONAL_WRITE = 4,  // the column is its value to change, or NULL
    KITH_ROLE_ANY            = 5,  // as optional; the entity has at least one of its `any_list`
    KITH_ROLE_WITHOUT        = 6,  // the entity does not have it
    KITH_ROLE_DISABLED       = 7,  // disabled rows of the component match as well
    KITH_ROLE_LEAD           = 8,  // the loop walks the rows of this component, in their order
    KITH_ROLE_OWN            = 9,  // as write; a group with these terms owns the component's rows
    KITH_ROLE_CHANGED        = 10, // the value changed, or the row was added, since a tick
    KITH_ROLE_ADDED          = 11  // it was added since a tick; needs the trait `row_ticks`
} kith_role;

/// Returns the word of the enumerator, such as "optional_write"; "?" for any other number. The text
/// is static. O(1).
KITH_API const char *kith_role_name(kith_role role);

/// One component of a query and its role. A component has one term, and may have the terms
/// `disabled`, `lead`, `changed` and `added` in addition. Alone, each of these four also means
/// `with`. A component inside `any` may have only `disabled` in addition. The column of `any` is a
/// value to read. A query treats a disabled component as absent, unless it has the term `disabled`.
typedef struct kith_term {
    kith_component component;
    kith_role      role;
    uint32_t any_list; // of KITH_ROLE_ANY: terms with the same number are alternatives; else 0
} kith_term;

/// Which entities to visit, and which values to hand out. Without terms: every entity.
typedef struct kith_query_desc {
    const char      *name; // for messages; may be NULL
    const kith_term *terms;
    uint32_t         term_count; // up to KITH_QUERY_TERMS_MAX
    uint64_t         since;      // for changed and added: the first tick that counts; 0: any tick
} kith_query_desc;

/// A stored query, made by kith_query_create or kith_query_of.
typedef struct kith_query kith_query;

/// What the latest loop of a stored query did.
typedef struct kith_query_report {
    kith_component lead;       // the component whose rows it walked; 0: all entities
    uint32_t       rows;       // rows of the lead when it began; of a group: members
    uint64_t       examined;   // rows looked at
    uint64_t       rejected;   // examined rows that were not handed out
    uint64_t       runs;       // sequences of rows that are plain arrays in every column
    uint64_t       in_runs;    // rows handed out from runs
    uint64_t       gathered;   // rows looked up one by one
    uint64_t       remembered; // rows in runs that an earlier loop had found
    uint64_t       listed;     // rows from the list of matches that an earlier loop made
} kith_query_report;

// The private state of a cursor. Its layout is ABI, because typed_query.h reads it inline. The
// 32-bit numbers are not adjacent on purpose: compilers would keep adjacent ones in one vector
// register and unpack it at every step. They would also load them together right after the library
// stored them one by one, which is slow.
//
// Inline code goes on by itself: one by one up to the last entity of the block, by chunks up to its
// end. The field for the form of the block says where that is. The other fields are 0, or at most
// at_:
//
//     next         last_      a run: pointers step by one value; also of a reading cursor
//                  window_    a window: its pages are stamped with the first entity
//                  gathered_  another gathered block: values for writing are stamped one by one
//     next_chunk   chunks_    a window
//                  stamped_   another gathered block
//     untyped      chunks_    a block in which kith_cursor_next needs no look-up
typedef struct kith_step_ {
    kith_world                *world_;
    uint32_t                   at_;       // the current entity in the block
    const uint64_t            *ticket_;   // *ticket_ == serial_ while the block is valid
    uint32_t                   last_;     // the last entity of a run
    uint64_t                   serial_;   // of the block that this step saw last; 0: not open
    uint32_t                   window_;   // the last entity of a window
    const struct kith_column_ *columns_;  // of a gathered block
    uint32_t                   gathered_; // the last entity of another gathered block
    const uint32_t            *indices_;  // of the block's entities
    uint32_t                   chunks_;   // the end of a window of chunks; for kith_cursor_next
                                          // the last of a block in which it needs no look-up
    const void *source_;                  // lengths of chunks; of a reading cursor: the description
    uint32_t    count_;                   // entities of the chunk, from at_ on; 1: no chunk
    uint32_t    row_;                     // of a reading cursor: the next position
    uint32_t    stamped_;                 // the end of another gathered block of chunks
} kith_step_;

/// A walk over the entities of a query. kith_view_begin or kith_query_begin begins it.
typedef struct kith_cursor {
    kith_entity  entity;  // the current entity; the first of a chunk
    void *const *columns; // for each term: the value, the first value of the chunk, or NULL
    uint32_t     count;   // entities of the chunk; 1 after kith_cursor_next, 0 at the end
    bool         failed;  // beginning failed: there is nothing to visit
    kith_step_   step_;
} kith_cursor;

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
// KITH_QUERY in typed_query.h makes the same with types.
//
// Lead        A loop walks the rows of one component, the lead, in their order. The term `lead`
//             names it. Without that term, the lead is the required component with the fewest rows
//             when the loop begins. Holes count as rows. Among equal counts, the component that
//             was registered first leads.
//             A query that requires no component with rows walks all entities by ascending index.
//             A query with the terms of a group, or with more terms than a small group, walks its
//             members: see "Groups" in group.h.
// Contract    Any change to any entity is legal inside a loop. The loop visits an entity exactly
//             once if two conditions hold, and visits nothing else:
//             - the entity has had all included components (with, read, write, own, or a lone
//               lead, disabled, changed, added), flags excepted, without a break since then;
//             - the entity meets the other terms (flags, without, any, enabled, changed, added)
//               when its turn comes.
//             The turn comes in the call that passes the entity's row; for a chunk, in the call
//             that hands out the chunk.
// Holes       While a loop is open, no row moves. Removing leaves a hole and does not touch the
//             value. Adding appends a row, also in stable pools. Holes count against a pool's
//             limit.
// Settling    The world settles when the last loop closes and no listener runs. First the
//             destructors of removed values run, pools in registration order, rows ascending. Then
//             each swap pool fills the holes below its new end, ascending, with the rows above it,
//             ascending. Settling never fails.
// Closing     A loop closes when next returns false, or by kith_cursor_end. A loop that the program
//             leaves by break needs kith_cursor_end. Closing a loop closes the loops begun after
//             it. At most 32 loops are open.
// Copies      A cursor can be copied, and each copy continues from its own position. This lasts
//             until one copy reaches the end of the entities that were looked up together, or meets
//             a change among them. Then the other copies are closed. Copies of an untyped cursor
//             share its columns.
// Stamps      A column for writing stamps the value's page when the value is handed out.
// Changes     `changed` and `added` match a tick that is not older than `since`. With the trait
//             `row_ticks` this is the tick of the row. Without it, `changed` uses the stamp of the
//             page and matches all rows of the page, also after one was removed or moved.
//             A change in the tick `since` itself counts. So a loop may see a change twice, and
//             never misses one. If the lead has such a term, the loop skips older pages as a whole.
//             The `since` of a stored query moves when a loop begins. If that loop ends early, the
//             next loop does not find the rest; kith_query_since_set can set `since` back.
// ---------------------------------------------------------------------------------------------

/// Begins a loop. On an error the cursor has `failed` set and visits nothing. Errors are: an
/// unknown component, a term that contradicts another, too many terms, too many open loops, no
/// memory. O(terms). Allocates only in two cases:
/// - no loop of this depth and number of terms ran before;
/// - the query includes no component with rows, and entities have no birth numbers yet.
KITH_API kith_cursor kith_view_begin(kith_world *world, const kith_query_desc *desc);

/// Begins a walk for reading, without opening a loop. Any number of threads may walk while no
/// thread changes the world. The query must have no write terms. `columns` has room for
/// `desc->term_count` pointers. The caller keeps `columns` and `desc` until the walk ends.
///
/// The next change of the world ends the walk: neither its pointers nor the cursor may be used
/// after it. The walk has no place to store resolved terms, so it resolves them again for each
/// sequence of rows. For short sequences, and for any and optional terms, kith_query_begin_read is
/// faster.
/// O(terms).
KITH_API kith_cursor kith_view_begin_read(const kith_world *world, const kith_query_desc *desc,
                                          void **columns);

/// Goes to the next entity. Returns false when there is none; the loop is then closed. Records
/// KITH_ERROR_CLOSED for a closed cursor. O(terms); O(rows examined) for the whole loop.
KITH_API bool kith_cursor_next(kith_cursor *cursor);

/// Goes to the next chunk: `count` entities for which every column is an array, or NULL. A chunk is
/// as long as the pages when the components' rows are in the same order, and one entity when they
/// are not. Calls of kith_cursor_next may be mixed with it. O(terms + rows examined).
KITH_API bool kith_cursor_next_chunk(kith_cursor *cursor);

/// Returns entity `i` of the chunk. Returns KITH_NULL when `i >= count`, and when the entity died
/// or lost an included component since the chunk was handed out. O(terms).
KITH_API kith_entity kith_cursor_entity(const kith_cursor *cursor, uint32_t i);

/// Closes the cursor's loop. Does nothing when it is closed already. O(terms + settling).
KITH_API void kith_cursor_end(kith_cursor *cursor);

/// Return the first entity that a loop would visit, or KITH_NULL; the number of entities that it
/// would visit; whether it would visit `entity`. They open no loop. O(rows of the lead); contains
/// is O(terms).
KITH_API kith_entity kith_view_first(const kith_world *world, const kith_query_desc *desc);
KITH_API uint32_t    kith_view_count(const kith_world *world, const kith_query_desc *desc);
KITH_API bool        kith_view_contains(const kith_world *world, const kith_query_desc *desc,
                                        kith_entity entity);

/// Returns an upper bound for the entities that a loop visits: the number of entities that have the
/// smallest included component. O(terms).
KITH_API uint32_t kith_view_size_hint(const kith_world *world, const kith_query_desc *desc);

// ---------------------------------------------------------------------------------------------
// Stored queries
//
// A stored query remembers where the components' rows are in the same order, and which entities
// matched its filters. While no component of the query was added, removed or moved, optional ones
// apart, its loops need not test again. This takes up to 4 bytes for each entity and component, and
// 8 for each entity.
// ---------------------------------------------------------------------------------------------

/// Creates a stored query; copies the terms. It ends with kith_query_destroy or with the world.
/// Returns NULL with the errors of kith_view_begin. O(terms + queries).
KITH_API kith_query *kith_query_create(kith_world *world, const kith_query_desc *desc);

/// Returns the world's query with these terms, in this order; the first call creates it. It lasts
/// as long as the world. All callers share its `since`; the first call sets it. A loop that must
/// find changes independently of other callers needs its own query from kith_query_create. Returns
/// NULL with the errors of kith_view_begin. O(terms x queries).
KITH_API kith_query *kith_query_of(kith_world *world, const kith_query_desc *desc);

/// Destroys a query of kith_query_create; open loops over it continue. Returns true, also for NULL.
/// Returns false with KITH_ERROR_BUSY from inside a hook, and for a query that belongs to the world
/// or to a system. O(queries).
KITH_API bool kith_query_destroy(kith_query *query);

/// Returns the query's description, for kith_view_count and similar calls. O(1).
KITH_API const kith_query_desc *kith_query_describe(const kith_query *query);

/// Sets the first tick whose changes the query's next loop finds: `since` of kith_query_describe.
/// Each loop sets it to the tick in which the loop began, if the query has changed or added terms.
/// Walks that open no loop do not change it. O(1).
KITH_API void kith_query_since_set(kith_query *query, uint64_t tick);

/// Begins a loop as kith_view_begin does. The second loop over an unchanged world, and later ones
/// while the lead grows, may allocate the list of entities that matched the filters. Without memory
/// the query does without the list.
KITH_API kith_cursor kith_query_begin(kith_query *query);

/// Begins a walk as kith_view_begin_read does, but resolves the terms only once. Changes nothing in
/// the query, not even its report, so any number of threads may read the same query. The query must
/// outlive the walk. `columns` has room for one pointer for each term. For a NULL query (its
/// creation failed) the cursor has `failed` set, without an error.
KITH_API kith_cursor kith_query_begin_read(const kith_query *query, void **columns);

/// Return what the query's latest loop did: as numbers, and as text. The text is written as by
/// kith_error_text. It says which group or path would help. If the loop gathered entities because a
/// group orders the rows of one component and not of another, it names the group, both components
/// and the number of entities. O(terms x groups).
KITH_API kith_query_report kith_query_report_of(const kith_query *query);
KITH_API size_t            kith_query_explain(const kith_query *query, char *buffer, size_t size);

// ---------------------------------------------------------------------------------------------
// Queries as text
//
//     kith_query *query;
//     if (kith_query_parse(world, "write position, read velocity, !frozen, ?label", &query)) {
//         kith_cursor c = kith_query_begin(query);
//         ...
//     }
//
// Grammar, with spaces, tabs and line breaks allowed between all parts:
//
//     query   [ term { , term } ]       without a term: every entity
//     term    word one                  the words of KITH_QUERY and KITH_GROUP: with, read, write,
//                                       optional, optional_write, any, without, disabled, lead,
//                                       own, changed, added
//             ! one                     without
//             ? one                     optional
//             any ( name { , name } )   at least one of them
//     one     name, or ( name )         so the terms of KITH_QUERY can be copied as they are
//     name    the registered name of a component. A name of letters, digits, bytes above 127 and
//             the characters _ - . : stands as it is. Every name can be in quotes: "my name", where
//             two quotes stand for one. A name may be equal to a word.
//
// The terms are those that KITH_QUERY makes of the same words, in the same order. A query that is
// created from a text has the text as its name: kith_query_explain prints it, and the name of
// kith_query_describe is read as the same query again.
//
// Errors      A text that is not valid is KITH_ERROR_ARGUMENT. The message says what is wrong, and
//             quotes the place with its column: the byte in the text, counted from 1. These are:
//             an unknown word or component, a missing name, comma, quote or parenthesis, any other
//             character, more than KITH_QUERY_TERMS_MAX terms, and what kith_view_begin refuses,
//             such as a tag to read or a second term for a component. For these the place is the
//             first term that contradicts those before it.
//             A component that a checked system did not declare is KITH_ERROR_UNDECLARED.
// ---------------------------------------------------------------------------------------------

/// Sets `*desc` to the query that the text describes, for views, kith_query_create and
/// kith_group_of. `terms` has room for KITH_QUERY_TERMS_MAX terms. `desc` refers to `terms` and
/// `text`: the caller keeps both while it uses `desc`. `since` is 0. A NULL text is an empty one.
/// Returns false on an error, which is passed to the error hook and not recorded; then `*desc` does
/// not change. O(text + terms x registered); does not allocate.
KITH_API bool kith_query_desc_parse(const kith_world *world, const char *text,
                                    kith_query_desc *desc, kith_term *terms);

/// Sets `*query` to the world's query that the text describes, as kith_query_of returns it: the
/// first call creates it, and it lasts as long as the world. For texts that a user types again and
/// again, kith_query_desc_parse is better: it leaves nothing in the world. Returns false, with
/// `*query` NULL, for a text that is not valid, and with the errors of kith_query_of.
/// O(text + terms x (registered + queries)).
KITH_API bool kith_query_parse(kith_world *world, const char *text, kith_query **query);

#ifdef __cplusplus
}
#endif

#endif
