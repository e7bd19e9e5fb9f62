// SPDX-License-Identifier: MIT
// Components: what they are, which entities have them, their pools, changes, singletons. Part of
// kith.h.
#ifndef KITH_COMPONENT_H
#define KITH_COMPONENT_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

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

// --- how values are saved --------------------------------------------------------------------

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

// ---------------------------------------------------------------------------------------------
// Components: registration
// ---------------------------------------------------------------------------------------------

/// Tells the world of a component and returns its id; 0 with an error when the description makes no
/// sense, contradicts one that the world knows (same id or same name), or memory runs out. Telling
/// it again in the same words is fine; the newest hooks and functions are used. Allocates no page.
/// O(registered).
KITH_API kith_component kith_component_register(kith_world *world, const kith_component_desc *desc);

/// The same for several, all or nothing; later ones may require earlier ones.
/// O(count x registered).
KITH_API bool kith_component_register_many(kith_world *world, const kith_component_desc *descs,
                                           uint32_t count);

/// The component with that name, or 0. O(registered).
KITH_API kith_component kith_component_find(const kith_world *world, const char *name);

/// The component's description with every default filled in, or NULL, without an error, when it is
/// not registered. Good until the world ends. O(1).
KITH_API const kith_component_desc *kith_component_describe(const kith_world *world,
                                                            kith_component    component);

/// Walks the registered components of all kinds in registration order: 0 gives the first, each
/// answer gives the next, 0 is the end. O(1).
KITH_API kith_component kith_component_next(const kith_world *world, kith_component previous);

// ---------------------------------------------------------------------------------------------
// Components of an entity
//
// For tags and flags, calls that return an address return one without bytes: not NULL, that is all.
// ---------------------------------------------------------------------------------------------

/// Adds or replaces the entity's value, copied from `value` (NULL: the default value; ignored for
/// tags and flags). When it is added, components that it requires are added first. A replaced value
/// keeps its address. Returns the stored value, or NULL: dead entity, unregistered, a hook said no,
/// limit, memory. O(1).
KITH_API void *kith_component_set(kith_world *world, kith_entity entity, kith_component component,
                                  const void *value);

/// kith_component_set where the entity has no value or one with other bytes, padding included;
/// otherwise nothing is stamped or announced. Returns whether it was set and, if a listener was
/// told, is there still. NULL as a value is an error, but for tags and flags, which are added.
/// O(1).
KITH_API bool kith_component_set_if_changed(kith_world *world, kith_entity entity,
                                            kith_component component, const void *value);

/// Adds the default value; where the component is present it is left alone, and neither announced
/// nor stamped. Otherwise as set. O(1).
KITH_API void *kith_component_add(kith_world *world, kith_entity entity, kith_component component);

/// Adds a copy of `value`; where the component is present as add. O(1).
KITH_API void *kith_component_get_or_add(kith_world *world, kith_entity entity,
                                         kith_component component, const void *value);

/// The entity's value to read, or NULL. O(1).
KITH_API const void *kith_component_get(const kith_world *world, kith_entity entity,
                                        kith_component component);

/// The entity's value to change, or NULL. O(1).
KITH_API void *kith_component_mut(kith_world *world, kith_entity entity, kith_component component);

/// Whether the entity has the component. O(1).
KITH_API bool kith_component_has(const kith_world *world, kith_entity entity,
                                 kith_component component);

/// Calls `change` with the entity's value and returns the value; NULL without a call when the
/// component is absent, NULL and an error when the entity is dead. O(1).
KITH_API void *kith_component_patch(kith_world *world, kith_entity entity, kith_component component,
                                    void (*change)(void *value, void *context), void *context);

/// Takes the component away. Returns whether it was there. Components that it required stay. Never
/// allocates. O(1).
KITH_API bool kith_component_remove(kith_world *world, kith_entity entity,
                                    kith_component component);

/// Hides the entity's row from queries, or shows it again: row, value and signature stay and every
/// other call still sees it. Returns whether the component is there. The first disable in a pool
/// allocates its bits. Flags have no row: an error. O(1).
KITH_API bool kith_component_disable(kith_world *world, kith_entity entity,
                                     kith_component component);
KITH_API bool kith_component_enable(kith_world *world, kith_entity entity,
                                    kith_component component);

/// Whether the entity has the component and it is not disabled. O(1).
KITH_API bool kith_component_enabled(const kith_world *world, kith_entity entity,
                                     kith_component component);

// ---------------------------------------------------------------------------------------------
// Pools: all values of one component
//
// Flags and singletons have no pool: count and clear work for flags, the rest is an error for both.
// ---------------------------------------------------------------------------------------------

/// The number of entities that have the component. O(1).
KITH_API uint32_t kith_component_count(const kith_world *world, kith_component component);

/// The number of rows, holes included. O(1).
KITH_API uint32_t kith_component_rows(const kith_world *world, kith_component component);

/// The entity's row, or KITH_NO_ROW. O(1).
KITH_API uint32_t kith_component_row(const kith_world *world, kith_entity entity,
                                     kith_component component);

/// The entity in that row; KITH_NULL for a hole or a row beyond the end. O(1).
KITH_API kith_entity kith_component_entity(const kith_world *world, kith_component component,
                                           uint32_t row);

/// The value in that row; NULL for a hole or a row beyond the end. O(1).
KITH_API const void *kith_component_value(const kith_world *world, kith_component component,
                                          uint32_t row);

/// The entity whose value contains the address; KITH_NULL when none does. O(pages).
KITH_API kith_entity kith_component_owner(const kith_world *world, kith_component component,
                                          const void *address);

/// Makes room for `rows` rows in all; entities from indices never used before still bring their
/// lookup page. False when memory runs out or a limit is lower. O(new pages).
KITH_API bool kith_component_reserve(kith_world *world, kith_component component, uint32_t rows);

/// The rows for which there is room. O(1).
KITH_API uint32_t kith_component_capacity(const kith_world *world, kith_component component);

/// The most rows that the pool may have; UINT32_MAX: no limit. Setting it below the present
/// number of rows is an error. O(1).
KITH_API uint32_t kith_component_limit(const kith_world *world, kith_component component);
KITH_API bool kith_component_limit_set(kith_world *world, kith_component component, uint32_t rows);

/// Gives back the pages that no row and no entity uses. O(pages).
KITH_API bool kith_component_shrink(kith_world *world, kith_component component);

/// Closes the holes of a stable pool: those below the new end, ascending, take the rows above it,
/// ascending. The only call that moves rows of a stable pool. Nothing to do for others. O(rows).
KITH_API bool kith_component_compact(kith_world *world, kith_component component);

/// Exchanges the rows of two entities that both have the component (false when one lacks it). An
/// error for a stable pool. Values and disable bits go along. O(1).
KITH_API bool kith_component_swap(kith_world *world, kith_component component, kith_entity a,
                                  kith_entity b);

/// Takes the component away from every entity, in row order; flags by ascending index. What a
/// listener adds meanwhile stays, but for a flag on an index that is still to come. Never
/// allocates. O(rows); flags O(slots).
KITH_API bool kith_component_clear(kith_world *world, kith_component component);

/// The values of many entities to read, in `values[0..count)`: NULL where an entity lacks the
/// component. Returns how many have it. Their lookups overlap, which pays when the entities are
/// scattered over more memory than the cache holds; some hundred a call are enough. O(count).
KITH_API uint32_t kith_component_get_many(const kith_world *world, kith_component component,
                                          const kith_entity *entities, uint32_t count,
                                          const void **values);

/// The tick at which the page of that row was last stamped: by an add, set, patch or mut of one of
/// its rows, by a loop that handed one out for writing, or because a row moved or went. 0 for a row
/// beyond the end. Every row of a page has the same stamp. O(1).
KITH_API uint64_t kith_component_stamp(const kith_world *world, kith_component component,
                                       uint32_t row);

/// The tick in which the entity's value was last changed, by whatever stamps its page (but not by
/// moving), and in which the component was added to the entity; 0 when it is absent. That is known
/// of a component with the trait `row_ticks`, also of its tags. Without it changed_at is the page's
/// stamp, and added_at is an error. Adding changes, too. O(1).
KITH_API uint64_t kith_component_changed_at(const kith_world *world, kith_entity entity,
                                            kith_component component);
KITH_API uint64_t kith_component_added_at(const kith_world *world, kith_entity entity,
                                          kith_component component);

// ---------------------------------------------------------------------------------------------
// Change: what changed and what went, for tools and for sending it elsewhere
//
//     kith_changes moved = position_changes(world, sent);             // as of tick `sent`
//     while (kith_changes_next(world, &moved)) {
//         send(position_value(world, moved.row), moved.count);        // an array
//     }
//     kith_removal gone;
//     while (kith_removals_next(world, &removals, &gone)) { ... }     // since the last time
//
// Queries find changes by their terms: see "Loops". Both walks open no loop, and any number of
// threads may make them while nobody changes the world.
// ---------------------------------------------------------------------------------------------

/// Begins a walk over the rows that changed in the tick `since` or later, ascending; as the term
/// `changed` understands it. Holes are passed over, disabled rows are not. O(1).
KITH_API kith_changes kith_changes_begin(const kith_world *world, kith_component component,
                                         uint64_t since);

/// Goes to the next span of rows that changed, the longest within one page: their values are a
/// plain array. False at the end. Rows that come, go or move meanwhile are found where they are
/// then. O(rows of pages with changes + pages).
KITH_API bool kith_changes_next(const kith_world *world, kith_changes *changes);

/// Begins a walk through the journal of a component with the trait `journal`, at the oldest removal
/// in the tick `since` or later. Removals stand in the order in which the component went, by
/// remove, by destroying the entity or by clearing; in the order of rows where kith_world_clear
/// need not end entities one by one. What a batch undoes never came and does not go. `lost` says
/// that older ones of these ticks were written over. An error where there is no journal. O(log
/// journal).
KITH_API kith_removals kith_removals_begin(const kith_world *world, kith_component component,
                                           uint64_t since);

/// The next removal; false when there is none so far: the same walk goes on with later ones, and
/// tells each removal once. Where so many came that some it had not come to were written over,
/// `lost` becomes true and it goes on with the oldest there is. O(1).
KITH_API bool kith_removals_next(const kith_world *world, kith_removals *removals,
                                 kith_removal *removal);

// ---------------------------------------------------------------------------------------------
// Singletons: one value, at one address as long as it is there
// ---------------------------------------------------------------------------------------------

/// Adds or replaces the value, copied from `value` (NULL: the default value). NULL as for
/// components.
KITH_API void *kith_singleton_set(kith_world *world, kith_component component, const void *value);

/// Adds the default value; where one is present it is left alone. O(1).
KITH_API void *kith_singleton_add(kith_world *world, kith_component component);

/// The value to read, to change; NULL when there is none. O(1).
KITH_API const void *kith_singleton_get(const kith_world *world, kith_component component);
KITH_API void       *kith_singleton_mut(kith_world *world, kith_component component);

/// Whether there is a value. O(1).
KITH_API bool kith_singleton_has(const kith_world *world, kith_component component);

/// Destructs the value and gives its memory back. Returns whether there was one. O(1).
KITH_API bool kith_singleton_remove(kith_world *world, kith_component component);

// ---------------------------------------------------------------------------------------------
// Signatures
// ---------------------------------------------------------------------------------------------

/// Puts a component into the set, or takes it out. False for an unregistered one or a singleton.
/// O(1).
KITH_API bool kith_signature_add(const kith_world *world, kith_signature *signature,
                                 kith_component component);
KITH_API bool kith_signature_remove(const kith_world *world, kith_signature *signature,
                                    kith_component component);

/// Whether the component is in the set. O(1).
KITH_API bool kith_signature_has(const kith_world *world, const kith_signature *signature,
                                 kith_component component);

/// Whether `signature` has all of `part`, at least one of `part`, the same as `part`. No world
/// needed.
KITH_API bool kith_signature_contains(const kith_signature *signature, const kith_signature *part);
KITH_API bool kith_signature_intersects(const kith_signature *signature,
                                        const kith_signature *part);
KITH_API bool kith_signature_equals(const kith_signature *signature, const kith_signature *part);

/// The number of components in the set. O(1).
KITH_API uint32_t kith_signature_count(const kith_signature *signature);

/// Makes room for `rows` rows in all, in each component of the set and in all that these require,
/// so that as many entities can get the whole set without allocating, if kith_entity_reserve has
/// made their slots. Lookups and signatures of every slot for which the table has room come with
/// it. False, and capacities as before, when memory runs out or a limit is lower. O(new pages +
/// slots / 1024).
KITH_API bool kith_signature_reserve(kith_world *world, const kith_signature *signature,
                                     uint32_t rows);

/// The rows for which there is room in each component of the set and in all that these require;
/// UINT32_MAX when none of them has rows. O(registered).
KITH_API uint32_t kith_signature_capacity(const kith_world *world, const kith_signature *signature);

/// The most entities that may have the whole set: the lowest limit of its components and of all
/// that these require; UINT32_MAX: no limit. Setting it gives each of them this limit; an error,
/// and none is changed, where one has more rows. A set with a bit that no component has is an error
/// for all four. O(registered).
KITH_API uint32_t kith_signature_limit(const kith_world *world, const kith_signature *signature);
KITH_API bool     kith_signature_limit_set(kith_world *world, const kith_signature *signature,
                                           uint32_t rows);

/// What the entity has. Empty for dead entities. O(registered / 64).
KITH_API kith_signature kith_entity_signature(const kith_world *world, kith_entity entity);

/// Whether the entity is alive and has every component (at least one component) of `signature`.
/// An empty signature is had by every living entity; none has any of it. O(registered / 64).
KITH_API bool kith_entity_has_all(const kith_world *world, kith_entity entity,
                                  const kith_signature *signature);
KITH_API bool kith_entity_has_any(const kith_world *world, kith_entity entity,
                                  const kith_signature *signature);

/// Writes the ids of the entity's components, in registration order, at most `capacity` of them.
/// Returns how many it has. O(registered / 64 + components that it has).
KITH_API uint32_t kith_entity_components(const kith_world *world, kith_entity entity,
                                         kith_component *components, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
