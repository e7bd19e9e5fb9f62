// SPDX-License-Identifier: MIT
// kith's plain types: handles, descriptions, results. Stands alone, so that a header of yours can
// name an entity without the rest.
#ifndef KITH_TYPES_H
#define KITH_TYPES_H

#if defined(__cplusplus)
    #if __cplusplus < 201103L && !defined(_MSC_VER) // it says 199711 by default
        #error "kith needs C++11 or newer: compile with -std=c++11"
    #endif
#elif !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
    #error "kith needs C11 or newer: compile with -std=c11"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KITH_VERSION_MAJOR 0
#define KITH_VERSION_MINOR 1
#define KITH_VERSION_PATCH 0

#if defined(_WIN32) && defined(KITH_SHARED)
    #if defined(KITH_BUILD)
        #define KITH_API __declspec(dllexport)
    #else
        #define KITH_API __declspec(dllimport)
    #endif
#elif defined(__GNUC__)
    #define KITH_API __attribute__((visibility("default")))
#else
    #define KITH_API
#endif

#ifdef __cplusplus
    #define KITH_CAST_(TYPE, X) static_cast<TYPE>(X)
#else
    #define KITH_CAST_(TYPE, X) ((TYPE)(X))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Words
//
//   world      owns everything; worlds share nothing
//   entity     a handle: which slot of the world, and which use of that slot (the version)
//   component  a small number chosen by the program, with a name and a layout
//   tag        a component without bytes: only who has it is stored, as rows
//   flag       a component without rows: one bit in the entity's signature
//   singleton  a component whose one value belongs to the world
//   signature  the set of components that an entity has
//   pool       all values of one component, row for row, with a lookup from entity to row
//   page       a power-of-two number of rows, allocated at once and never moved
//   hole       a row whose entity left while nothing may move, or in a stable pool
//   query      which entities to visit: a list of terms; a view is a query made on the spot
//   loop       a walk over the entities of a query; while one is open nothing moves
//   settle     to close the holes that loops left, and run the destructors that waited
//   chunk      a stretch of entities whose values are a plain array in every column
//   stamp      the tick at which a page of values was last handed out for writing
//   listener   a function that hears when a component or an entity comes, changes or goes
//   queue      events of the program's own, that wait until they are delivered to its handlers
//   reactive   a set of the entities to which something happened
//   batch      one call for many entities: an array of them, or a range of consecutive indices
//   path       components whose pools are kept in one order, as far as each call is let to
//   system     a function with a name, the entities that it is for, and what it touches
//   schedule   a world's systems in the order in which they run
// ---------------------------------------------------------------------------------------------

/// An entity: index in the low 32 bits (at most 31 are used), version in the high 32. Versions
/// start at 1, so 0 is no entity and zeroed memory holds none.
typedef uint64_t kith_entity;

/// A component id: 1..KITH_COMPONENT_MAX, the program's own constant; 0 is none.
typedef uint32_t kith_component;

/// Owns everything; made by kith_world_create.
typedef struct kith_world kith_world;

#define KITH_NULL            UINT64_C(0)
#define KITH_COMPONENT_MAX   1023u
#define KITH_SIGNATURE_WORDS 16
#define KITH_NO_ROW          UINT32_MAX
#define KITH_NO_INDEX        UINT32_MAX
#define KITH_ALIGNMENT_MAX   4096u

// --- errors ----------------------------------------------------------------------------------

/// What kind of thing went wrong.
typedef enum kith_error_code {
    KITH_OK                 = 0,
    KITH_ERROR_MEMORY       = 1,  // the allocator answered NULL
    KITH_ERROR_LIMIT        = 2,  // a limit of the world or of a pool is reached
    KITH_ERROR_NULL_ENTITY  = 3,  // a demand on the null entity
    KITH_ERROR_DEAD_ENTITY  = 4,  // a demand on an entity that is not alive
    KITH_ERROR_UNREGISTERED = 5,  // no component has that id in this world
    KITH_ERROR_CONFLICT     = 6,  // the id or the name is registered with another description
    KITH_ERROR_KIND         = 7,  // the call does not exist for this kind of component
    KITH_ERROR_POLICY       = 8,  // the call would move rows of a stable pool, or of a kept order
    KITH_ERROR_HOOK         = 9,  // a construct or copy hook answered false
    KITH_ERROR_ARGUMENT     = 10, // a description or an argument makes no sense
    KITH_ERROR_BUSY         = 11, // not from inside a hook or a listener, or while a loop is open
    KITH_ERROR_DYING        = 12, // the entity is being destroyed, or the component removed
    KITH_ERROR_CLOSED       = 13, // the cursor's loop is closed
    KITH_ERROR_UNDECLARED   = 14, // a system did not say that it touches the component
    KITH_ERROR_FORMAT       = 15, // bytes from elsewhere make no sense
    KITH_ERROR_UNSAVED      = 16, // nobody said how the values of a component are saved
    KITH_ERROR_IO           = 17  // a file or a function to which bytes go failed
} kith_error_code;

/// What went wrong, in which call, with which component and entity. Numbers and texts that the
/// message needs are in the last fields; kith_error_text() makes the sentence.
typedef struct kith_error {
    kith_error_code code;
    kith_component  component; // 0: none
    kith_entity     entity;    // 0: none
    const char     *call;      // the function or the verb, static text
    const char     *subject;   // what the numbers speak of, static text; NULL: nothing
    uint64_t        have;      // as it is in the world
    uint64_t        want;      // as the call asked for it
    const char     *other; // a name the call gave; good until the world's next error; may be NULL
} kith_error;

/// How reading or writing bytes for elsewhere went; the message is empty when it went well.
typedef struct kith_result {
    kith_error_code code;
    uint64_t        offset; // in the bytes, where reading them failed
    char            message[176];
} kith_result;

/// Takes bytes that are saved, in order; false ends the saving. It may ask the world, and changes
/// it only when that is over.
typedef bool (*kith_write_fn)(const void *bytes, size_t size, void *context);

/// Hears each error of a world at the moment it happens (`world` is NULL when creating one failed).
/// May ask the world, may not change it: that is refused, and errors that the hook makes itself are
/// not told again. Only an error of a call with a `const` world cannot be guarded so: there the
/// hook must keep the rule by itself.
typedef void (*kith_error_fn)(const kith_world *world, const kith_error *error, void *context);

// --- memory ----------------------------------------------------------------------------------

/// Where a world's memory comes from. `allocate` answers NULL when there is none; `release` gets
/// the size and the alignment that were asked for. All zero: the C library's heap.
typedef struct kith_allocator {
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *memory, size_t size, size_t alignment);
    void *context;
} kith_allocator;

/// Bytes taken from the allocator, by purpose.
typedef struct kith_memory {
    size_t total;      // the sum of those up to `other`
    size_t entities;   // handles, free list and their directory
    size_t signatures; // which components each entity has
    size_t sparse;     // from entity to row
    size_t packed;     // from row to entity
    size_t values;     // the components' values
    size_t other;      // directories, names, disable bits, row ticks, listeners, queries, loops ...
    size_t size;       // as kith_world_desc has it in `memory`; total is a part of it
    size_t peak;       // the smallest such `memory` with which all calls so far had gone the same
} kith_memory;

// --- components ------------------------------------------------------------------------------

/// What a component stores.
typedef enum kith_kind {
    KITH_KIND_VALUE     = 0, // a pool with values
    KITH_KIND_TAG       = 1, // a pool without values
    KITH_KIND_FLAG      = 2, // a bit in the signature
    KITH_KIND_SINGLETON = 3  // one value in the world
} kith_kind;

/// What removing does to the rows of a pool.
typedef enum kith_policy {
    KITH_POLICY_SWAP   = 0, // the last row fills a removed row's place: no gaps, rows may move
    KITH_POLICY_STABLE = 1  // a removed row stays as a hole until an add takes it: rows never move
} kith_policy;

/// What happens to a value's bytes. Absent ones mean: construct zeroes, copy and move copy bytes,
/// destruct does nothing. `construct` and `copy` get raw memory and may fail: false undoes the
/// whole call. After `move` the source is raw memory. Only values have hooks: not tags and flags.
typedef struct kith_hooks {
    bool (*construct)(void *value, void *context);
    bool (*copy)(void *value, const void *source, void *context);
    void (*destruct)(void *value, void *context);
    void (*move)(void *value, void *source, void *context);
    void *context;
} kith_hooks;

// --- fields ----------------------------------------------------------------------------------

/// What a field of a value is.
typedef enum kith_field_type {
    KITH_TYPE_BOOL   = 0,
    KITH_TYPE_U8     = 1,
    KITH_TYPE_U16    = 2,
    KITH_TYPE_U32    = 3,
    KITH_TYPE_U64    = 4,
    KITH_TYPE_I8     = 5,
    KITH_TYPE_I16    = 6,
    KITH_TYPE_I32    = 7,
    KITH_TYPE_I64    = 8,
    KITH_TYPE_F32    = 9,
    KITH_TYPE_F64    = 10,
    KITH_TYPE_ENTITY = 11, // a handle
    KITH_TYPE_CHARS  = 12, // a text of at most `count` bytes; a shorter one ends with a 0
    KITH_TYPE_ENUM   = 13, // an integer whose numbers have names
    KITH_TYPE_STRUCT = 14, // a struct with a table of its own
    KITH_TYPE_SKIP   = 15  // neither saved nor hashed; `count` bytes that are 0 after loading
} kith_field_type;

/// A number of an enum.
typedef struct kith_choice {
    const char *name;
    int64_t     value;
} kith_choice;

/// The numbers of an enum. KITH_CHOICES in fields.h makes it.
typedef struct kith_choices {
    const char        *name; // of the type
    const kith_choice *list;
    uint32_t           count;
} kith_choices;

/// A field of a struct.
typedef struct kith_field {
    const char               *name;
    const char               *unit; // for people, such as "m/s"; may be NULL
    const char               *was;  // its name in older files; may be NULL
    kith_field_type           type;
    uint32_t                  offset;  // in the struct, in bytes
    uint32_t                  size;    // of one element, in bytes
    uint32_t                  count;   // elements of an array; 1: it is none
    const struct kith_fields *nested;  // of KITH_TYPE_STRUCT; else NULL
    const kith_choices       *choices; // of KITH_TYPE_ENUM; else NULL
} kith_field;

/// The fields of a struct, by ascending offsets, none left out: bytes between them are padding.
/// KITH_FIELDS in fields.h makes it.
typedef struct kith_fields {
    const char       *name; // of the type
    uint32_t          size;
    uint32_t          alignment;
    const kith_field *list;
    uint32_t          count;
} kith_fields;

/// How the values of a component are saved and hashed.
typedef enum kith_form {
    KITH_FORM_NONE      = 0, // nobody said: saving and hashing a world with such values is an error
    KITH_FORM_FIELDS    = 1, // field by field, on any machine the same
    KITH_FORM_PLAIN     = 2, // nothing but numbers of one size: `unit`
    KITH_FORM_FUNCTIONS = 3, // as bytes that functions write and read
    KITH_FORM_TRANSIENT = 4  // neither saved nor hashed
} kith_form;

/// Turns values into bytes and back. The bytes must be the same on every machine. Both functions
/// may ask worlds, and change none: not every call that writes or reads values can refuse that.
typedef struct kith_saver {
    /// Writes the value if that takes at most `room` bytes; answers how many it takes.
    size_t (*write)(const void *value, void *bytes, size_t room, void *context);
    /// Gives a value, constructed already, what the bytes say; false: they say nothing sensible.
    bool (*read)(void *value, const void *bytes, size_t size, void *context);
    void *context;
} kith_saver;

/// A value as a snapshot has it that was saved with another version.
typedef struct kith_old {
    uint32_t    version;
    const void *value;         // fields: a struct as a compiler lays it out, without what is
                               // skipped; plain: the numbers; functions: the bytes they wrote
    size_t             size;   // of that, in bytes
    const kith_fields *fields; // what the struct has; NULL: it was saved without a table
} kith_old;

/// Brings values of other versions up to date while they are loaded.
typedef struct kith_upgrade {
    /// `value` is constructed and has the fields that both tables know; false: this cannot be.
    bool (*upgrade)(void *value, const kith_old *old, void *context);
    void *context;
} kith_upgrade;

/// How a component's values are saved. All zero: nobody said, and who registers the component again
/// may say it. KITH_AS in fields.h makes it.
typedef struct kith_saved {
    kith_form           form;
    uint32_t            unit;      // of KITH_FORM_PLAIN: 1, 2, 4 or 8; divides the size
    const kith_fields  *fields;    // of KITH_FORM_FIELDS; copied
    const kith_saver   *functions; // of KITH_FORM_FUNCTIONS; copied
    uint32_t            version;   // of what the values mean; yours to count
    const kith_upgrade *upgrade;   // for values with another version; copied; may be NULL
} kith_saved;

/// What a component may ask for beyond its type. All zero: the defaults.
typedef struct kith_traits {
    kith_policy policy;
    uint32_t    page_rows; // rows a page, a power of two up to 65536; 0: by size
    uint32_t    alignment; // above the type's own: up to 4096, divides the size; 0: its own
    kith_hooks  hooks;
    const kith_component *required; // added, with default values, before this component is
    uint32_t              required_count;
    bool       keep_order; // arranging refuses the component; a group that owns it still orders it
    bool       row_ticks;  // each row knows when it was added and last changed; 16 bytes a row
    uint32_t   journal;    // so many removals are remembered, up to 2^24; 16 bytes each; 0: none
    kith_saved saved;      // how values are saved
} kith_traits;

/// A component as the world is told of it. Name and required ids are copied.
typedef struct kith_component_desc {
    const char    *name;
    kith_component id; // 0: take the next run-time id, from 1023 downwards
    kith_kind      kind;
    uint32_t       size;      // bytes of a value; 0 for tags and flags
    uint32_t       alignment; // of the type, a power of two that divides size; 0: 1
    kith_traits    traits;
} kith_component_desc;

/// A set of components. Bit n is the world's n-th registered component (singletons have none), so a
/// signature means something only together with the world that built it.
typedef struct kith_signature {
    uint64_t words[KITH_SIGNATURE_WORDS];
} kith_signature;

// --- order -----------------------------------------------------------------------------------

/// What kind of number a key field is.
typedef enum kith_key_type {
    KITH_KEY_U8  = 0,
    KITH_KEY_U16 = 1,
    KITH_KEY_U32 = 2,
    KITH_KEY_U64 = 3,
    KITH_KEY_I8  = 4,
    KITH_KEY_I16 = 5,
    KITH_KEY_I32 = 6,
    KITH_KEY_I64 = 7,
    KITH_KEY_F32 = 8,
    KITH_KEY_F64 = 9
} kith_key_type;

/// The field of a value to sort by. KITH_KEY in typed.h makes it from the type and the field.
typedef struct kith_sort_key {
    uint32_t      offset; // in the value, in bytes
    kith_key_type type;
    bool          descending;
} kith_sort_key;

/// Compares two values, or two entities: below 0 when `a` comes before `b`, above 0 when after it,
/// 0 when either may.
typedef int (*kith_compare_fn)(const void *a, const void *b, void *context);
typedef int (*kith_compare_entities_fn)(kith_entity a, kith_entity b, void *context);

#define KITH_PATH_COMPONENTS_MAX 8u

/// Components whose pools are to be in one order, the most important first. Copied.
typedef struct kith_path_desc {
    const char           *name; // for messages; may be NULL
    const kith_component *components;
    uint32_t              component_count; // 1 to KITH_PATH_COMPONENTS_MAX
} kith_path_desc;

/// A path; made by kith_path_create and owned by its world.
typedef struct kith_path kith_path;

// --- change ----------------------------------------------------------------------------------

/// An entity that lost a component, and the tick in which it did.
typedef struct kith_removal {
    kith_entity entity;
    uint64_t    tick;
} kith_removal;

/// A walk through a journal, made by kith_removals_begin. A plain value: keep it as long as the
/// world, and copy it.
typedef struct kith_removals {
    kith_component component; // 0: beginning was an error
    bool           lost;      // entries that it should have come to are gone; yours to clear
    uint64_t       next_;     // the number of the next entry
} kith_removals;

/// A walk over the rows of a component that changed, made by kith_changes_begin.
typedef struct kith_changes {
    kith_component component; // 0: beginning was an error
    uint32_t       row;       // the first one of the present span
    uint32_t       count;     // rows of the span, which are in one page; 0 at the end
    uint64_t       since;     // the first tick that counts
} kith_changes;

// --- worlds ----------------------------------------------------------------------------------

/// Which free index the next entity gets.
typedef enum kith_free_order {
    KITH_FREE_DEFAULT = 0, // LIFO; FIFO when version_bits < 16, so that no slot wears out early
    KITH_FREE_LIFO    = 1, // the newest free index first
    KITH_FREE_FIFO    = 2, // the oldest first; with max_entities all indices queue from the start
    KITH_FREE_LOWEST  = 3  // the lowest index first
} kith_free_order;

/// How to make a world. All zero: the defaults. With `memory` the world asks its allocator once,
/// for one block of so many bytes (aligned to 4096), and never again: itself, components, loops and
/// all else come out of that block. When it is used up, calls fail as when memory runs out.
typedef struct kith_world_desc {
    kith_allocator  allocator;
    kith_error_fn   on_error; // NULL: one line on stderr for the first 16 errors of the world
    void           *error_context;
    void           *user;
    uint32_t        index_bits;   // 1..31; 0: 31
    uint32_t        version_bits; // 1..32; 0: 32
    kith_free_order free_order;
    uint32_t        max_entities; // indices run from 0 to max_entities - 1; 0: 2^index_bits
    uint32_t        first_index;  // lower indices are given only to hints
    size_t          memory;       // bytes; the world never takes more, see below; 0: as it needs
} kith_world_desc;

/// What kith_world_reserve makes room for. All zero: nothing.
typedef struct kith_reserve_desc {
    uint32_t entities;  // slots of the entity table, and rows: see kith_world_reserve
    uint32_t loops;     // that are open at the same time, up to KITH_LOOP_DEPTH_MAX
    uint32_t terms;     // that each of them has, up to KITH_QUERY_TERMS_MAX
    uint32_t batch;     // entities of a batch, rows that are sorted; batches in a batch add up
    bool     disabling; // rows of any component are disabled now and then
} kith_reserve_desc;

/// Numbers about a world's entities, all O(1).
typedef struct kith_stats {
    uint32_t alive;
    uint32_t slots;      // in use, free, retired, reserved or queued
    uint32_t free;       // slots that wait to be used again
    uint32_t retired;    // slots whose versions are used up
    uint32_t next_free;  // the free slot that comes next, or KITH_NO_INDEX
    uint32_t components; // registered, all kinds
} kith_stats;

// --- batches ---------------------------------------------------------------------------------

/// Entities with consecutive indices and one version, made by kith_entity_create_range: 16 bytes
/// for as many entities as you like. Some of them may be dead. All zero: nobody.
typedef struct kith_range {
    kith_entity first;
    uint32_t    count;
    uint32_t    unused; // 0
} kith_range;

/// A component and its values for the entities of a batch.
typedef struct kith_values {
    kith_component component;
    const void    *values; // NULL: default values; ignored for tags and flags
    size_t         stride; // from one entity's value to the next, in bytes; 0: one value for all
} kith_values;

/// What a component begins with whose entities end at a tick; see kith_world_expire.
typedef struct kith_lifetime {
    uint64_t expires; // the first tick at which the entity is to be gone
} kith_lifetime;

// --- events ----------------------------------------------------------------------------------

/// What a listener can hear.
typedef enum kith_event {
    KITH_EVENT_ADD     = 0, // a component was added: its value is complete
    KITH_EVENT_SET     = 1, // a present value was replaced by set, or changed by patch
    KITH_EVENT_REMOVE  = 2, // a component is about to go: its value is still there
    KITH_EVENT_CREATE  = 3, // an entity was created
    KITH_EVENT_DESTROY = 4  // an entity is about to go: everything it has is still there
} kith_event;

/// What happened, to whom.
typedef struct kith_notice {
    kith_event     event;
    kith_component component; // 0: create and destroy
    kith_entity    entity;    // KITH_NULL: a singleton
} kith_notice;

/// Hears an event. May do to the world whatever a loop's body may do.
typedef void (*kith_listener_fn)(kith_world *world, const kith_notice *notice, void *context);

/// Hears an event of several entities at once, each as kith_listener_fn would: `notice` has the
/// first of them.
typedef void (*kith_listener_many_fn)(kith_world *world, const kith_notice *notice,
                                      const kith_entity *entities, uint32_t count, void *context);

/// What to listen to, by `call`, `many` or both.
typedef struct kith_listener_desc {
    kith_event            event;
    kith_component        component; // 0 for create and destroy
    kith_listener_fn      call;
    void                 *context;
    int32_t               priority; // higher ones hear first; among equals the one connected first
    kith_listener_many_fn many;     // hears of batches, and of the rest where `call` is NULL
} kith_listener_desc;

/// A connection; 0 is none. Numbers are not used again. They carry bits of their world, so that
/// another world refuses them, and differ from run to run: keep them out of values that are saved.
typedef uint64_t kith_listener;

// --- queries ---------------------------------------------------------------------------------

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

/// A group; made by kith_group_create and owned by its world.
typedef struct kith_group kith_group;

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

#ifdef __cplusplus
}
#endif

#endif
