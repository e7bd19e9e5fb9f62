// SPDX-License-Identifier: MIT
// Components: registration, the components of an entity, pools, changes, singletons, signatures.
// Part of kith.h.
//
// Threads     Any number of threads may call functions that take a `const kith_world *`, while no
//             thread changes the world. Any thread may call functions without a world. All others
//             belong to the world's thread.
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

/// Returns the word of the enumerator, such as "value"; "?" for any other number. The text is
/// static. O(1).
KITH_API const char *kith_kind_name(kith_kind kind);

/// What a remove does to the rows of a pool.
typedef enum kith_policy {
    KITH_POLICY_SWAP   = 0, // the last row moves to the removed row: no holes, rows may move
    KITH_POLICY_STABLE = 1  // the removed row is a hole until an add reuses it: rows never move
} kith_policy;

/// Returns the word of the enumerator, such as "swap"; "?" for any other number. The text is
/// static. O(1).
KITH_API const char *kith_policy_name(kith_policy policy);

/// Functions that create, copy, move and destroy a value. If a hook is NULL, `construct` sets all
/// bytes to 0, `copy` and `move` copy the bytes, and `destruct` does nothing. `construct` and
/// `copy` get uninitialized memory. If they return false, the call fails and changes nothing. After
/// `move` the source is uninitialized memory. Only values and singletons have hooks, not tags and
/// flags.
typedef struct kith_hooks {
    bool (*construct)(void *value, void *context);
    bool (*copy)(void *value, const void *source, void *context);
    void (*destruct)(void *value, void *context);
    void (*move)(void *value, void *source, void *context);
    void *context;
} kith_hooks;

// --- fields, and how values are saved --------------------------------------------------------

/// The type of a field.
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
    KITH_TYPE_CHARS  = 12, // a text of at most `count` bytes; a shorter text ends with a 0
    KITH_TYPE_ENUM   = 13, // an integer whose values have names
    KITH_TYPE_STRUCT = 14, // a struct with its own field table
    KITH_TYPE_SKIP   = 15  // `count` bytes that are neither saved nor hashed; 0 after loading
} kith_field_type;

/// Returns the word of the enumerator, such as "u8"; "?" for any other number. The text is static.
/// O(1).
KITH_API const char *kith_field_type_name(kith_field_type type);

/// A named value of an enum.
typedef struct kith_choice {
    const char *name;
    int64_t     value;
} kith_choice;

/// The named values of an enum. KITH_CHOICES in fields.h defines them.
typedef struct kith_choices {
    const char        *name; // of the enum type
    const kith_choice *list;
    uint32_t           count;
} kith_choices;

/// A field of a struct.
typedef struct kith_field {
    const char               *name;
    const char               *unit; // for readers, such as "m/s"; may be NULL
    const char               *was;  // the field's name in older files; may be NULL
    kith_field_type           type;
    uint32_t                  offset;  // in the struct, in bytes
    uint32_t                  size;    // of one element, in bytes
    uint32_t                  count;   // elements of an array; 1: not an array
    const struct kith_fields *nested;  // for KITH_TYPE_STRUCT; else NULL
    const kith_choices       *choices; // for KITH_TYPE_ENUM; else NULL
} kith_field;

/// The field table of a struct: all its fields, by ascending offset. Bytes between fields are
/// padding. KITH_FIELDS in fields.h defines it.
typedef struct kith_fields {
    const char       *name; // of the struct type
    uint32_t          size;
    uint32_t          alignment;
    const kith_field *list;
    uint32_t          count;
} kith_fields;

/// How the values of a component are saved and hashed. Saving or hashing a world that has values
/// without a form fails with KITH_ERROR_UNSAVED.
typedef enum kith_form {
    KITH_FORM_NONE      = 0, // not declared: a world with such values cannot be saved or hashed
    KITH_FORM_FIELDS    = 1, // field by field; the same bytes on every machine
    KITH_FORM_PLAIN     = 2, // only numbers of one size: `unit`
    KITH_FORM_FUNCTIONS = 3, // as bytes that functions write and read
    KITH_FORM_TRANSIENT = 4  // neither saved nor hashed
} kith_form;

/// Returns the word of the enumerator, such as "fields"; "?" for any other number. The text is
/// static. O(1).
KITH_API const char *kith_form_name(kith_form form);

/// Functions that convert values to bytes and back. The bytes must be the same on every machine.
/// Both functions may read worlds and must not change one: not every call that saves or loads
/// values can refuse the change.
typedef struct kith_saver {
    /// Returns the number of bytes that the value takes. Writes them if they are at most `room`.
    size_t (*write)(const void *value, void *bytes, size_t room, void *context);
    /// Sets a value, which is already constructed, from the bytes. Returns false when the bytes
    /// make no sense.
    bool (*read)(void *value, const void *bytes, size_t size, void *context);
    void *context;
} kith_saver;

/// A value from a snapshot that was saved with another version of the component.
typedef struct kith_old {
    uint32_t    version;
    const void *value;         // fields: a struct as a compiler lays it out, without skipped
                               // fields; plain: the numbers; functions: the bytes of `write`
    size_t             size;   // of `value`, in bytes
    const kith_fields *fields; // of the saved struct; NULL: it was saved without a field table
} kith_old;

/// Converts values of other versions while they are loaded.
typedef struct kith_upgrade {
    /// Completes `value`, which is constructed and has the fields that both tables contain.
    /// Returns false when the old value cannot be converted.
    bool (*upgrade)(void *value, const kith_old *old, void *context);
    void *context;
} kith_upgrade;

/// The unit of values that functions write as text. JSON, diff and the tool show the text, not
/// hexadecimal digits.
enum { KITH_UNIT_TEXT = 16 };

/// A text of any length as the value of a component (name.h). kith_text_of makes it, and
/// kith_text_bytes reads it.
typedef struct kith_text {
    const char *far_;      // a text that is not in the value; NULL: it is in near_
    uint32_t    size;      // in bytes
    char        near_[64]; // with a 0 at its end
} kith_text;

/// How a component's values are saved. All zero: not declared; registering the component again may
/// declare it. KITH_AS in fields.h makes it.
typedef struct kith_saved {
    kith_form form;
    uint32_t  unit;                // for KITH_FORM_PLAIN: 1, 2, 4 or 8; divides the size; for
                                   // KITH_FORM_FUNCTIONS: KITH_UNIT_TEXT, or any other number
    const kith_fields  *fields;    // for KITH_FORM_FIELDS; copied
    const kith_saver   *functions; // for KITH_FORM_FUNCTIONS; copied
    uint32_t            version;   // of the values' meaning; the program counts it
    const kith_upgrade *upgrade;   // for values of another version; copied; may be NULL
} kith_saved;

// --- descriptions ----------------------------------------------------------------------------

struct kith_component_desc;

/// Options of a component beyond its type. All zero: the defaults.
typedef struct kith_traits {
    kith_policy policy;
    uint32_t    page_rows; // rows in a page, a power of two up to 65536; 0: chosen by the size
    uint32_t    alignment; // more than the type's: up to 4096, divides the size; 0: the type's
    kith_hooks  hooks;
    const kith_component *required; // added, with default values, before this component
    uint32_t              required_count;
    bool       keep_order; // arranging refuses the component; a group that owns it still orders it
    bool       thread_safe_hooks; // hooks may run on several threads at once (workers.h)
    bool       row_ticks;  // each row stores its ticks of add and last change; 16 bytes a row
    bool       not_cloned; // clones of an entity lack it: the mark or data of a prefab (batch.h)
    uint32_t   journal;    // removals that are recorded, up to 2^24; 16 bytes each; 0: none
    kith_saved saved;      // how values are saved
    // what KITH_LINK sets: makes the component a link; on failure drops components but `keep`
    bool (*make_)(kith_world *world, const struct kith_component_desc *descs, uint32_t count,
                  uint32_t keep);
    uint32_t target_; // kith_target
} kith_traits;

/// Describes a component for registration. The world copies the name and the required ids.
typedef struct kith_component_desc {
    const char    *name;
    kith_component id; // 0: the next free run-time id, from 1023 downwards
    kith_kind      kind;
    uint32_t       size;      // bytes of a value; 0 for tags and flags
    uint32_t       alignment; // of the type, a power of two that divides size; 0: 1
    kith_traits    traits;
} kith_component_desc;

/// A set of components. Bit n is the n-th registered component of the world; singletons have no
/// bit. So a signature has a meaning only together with the world that built it.
typedef struct kith_signature {
    uint64_t words[KITH_SIGNATURE_WORDS];
} kith_signature;

/// Numbers about the pool of a component.
typedef struct kith_pool_stats {
    uint32_t count;    // entities that have the component
    uint32_t rows;     // holes included
    uint32_t capacity; // rows that the pool has room for
    uint32_t limit;    // the largest number of rows that the pool may have; UINT32_MAX: no limit
} kith_pool_stats;

/// A walk over the rows of a component that changed, made by kith_changes_begin.
typedef struct kith_changes {
    kith_component component; // 0: kith_changes_begin failed
    uint32_t       row;       // the first row of the present span
    uint32_t       count;     // rows of the span, all in one page; 0 at the end
    uint64_t       since;     // the first tick that counts
} kith_changes;

/// An entity that lost a component, and the tick in which it lost it.
typedef struct kith_removal {
    kith_entity entity;
    uint64_t    tick;
} kith_removal;

/// A walk through a journal, made by kith_removals_begin. It is a plain value: it can be copied and
/// is valid as long as the world.
typedef struct kith_removals {
    kith_component component; // 0: kith_removals_begin failed
    bool           lost;      // removals of this walk were overwritten; the program clears it
    uint64_t       next_;     // the number of the next entry
} kith_removals;

// ---------------------------------------------------------------------------------------------
// Registration
// ---------------------------------------------------------------------------------------------

/// Registers a component and returns its id. Returns 0 when the description makes no sense
/// (KITH_ERROR_ARGUMENT) or contradicts a registered component with the same id or name
/// (KITH_ERROR_CONFLICT). Also returns 0 when all ids are in use (KITH_ERROR_LIMIT) or memory runs
/// out. The same description may be registered again: its hooks and functions replace the old ones.
/// Allocates no page. O(registered).
KITH_API kith_component kith_component_register(kith_world *world, const kith_component_desc *desc);

/// Registers several components, all or none. A later one may require an earlier one. Returns false
/// where kith_component_register returns 0. O(count x registered).
KITH_API bool kith_component_register_many(kith_world *world, const kith_component_desc *descs,
                                           uint32_t count);

/// Returns the component with that name, or 0. O(registered).
KITH_API kith_component kith_component_find(const kith_world *world, const char *name);

/// Returns the component's description with every default filled in. Returns NULL, without an
/// error, when the component is not registered. The pointer is valid until the world ends. O(1).
KITH_API const kith_component_desc *kith_component_describe(const kith_world *world,
                                                            kith_component    component);

/// Returns the component that was registered after `previous`, of any kind. `previous` == 0 gives
/// the first; 0 is the end. O(1).
KITH_API kith_component kith_component_next(const kith_world *world, kith_component previous);

// ---------------------------------------------------------------------------------------------
// Components of an entity
//
// Bytes       For tags and flags, a call that returns an address returns one without bytes. It is
//             not NULL, and must not be read or written.
// Entity      get, mut, has, enabled and remove accept any entity: a dead one has no component. For
//             the other calls a dead entity is KITH_ERROR_NULL_ENTITY or KITH_ERROR_DEAD_ENTITY.
// Component   Every call fails for a component that is not registered (KITH_ERROR_UNREGISTERED) and
//             for a singleton (KITH_ERROR_KIND).
// ---------------------------------------------------------------------------------------------

/// Adds or replaces the entity's value with a copy of `value`. If `value` is NULL it is the default
/// value; for tags and flags `value` is ignored. An add first adds the required components that the
/// entity lacks. A replaced value keeps its address. Returns the stored value. Returns NULL for a
/// dead entity or an unregistered component, and when a hook returns false (KITH_ERROR_HOOK). Also
/// returns NULL when a limit is reached (KITH_ERROR_LIMIT) or memory runs out. Returns NULL without
/// an error when a listener has removed the component again. O(1).
KITH_API void *kith_component_set(kith_world *world, kith_entity entity, kith_component component,
                                  const void *value);

/// Calls kith_component_set if the entity lacks the component or its value has other bytes, padding
/// included. Otherwise stamps and announces nothing. Returns true when the value was set and no
/// listener has removed it again. If `value` is NULL it fails with KITH_ERROR_ARGUMENT, except that
/// tags and flags are added. O(1).
KITH_API bool kith_component_set_if_changed(kith_world *world, kith_entity entity,
                                            kith_component component, const void *value);

/// Adds a copy of `value`, or the default value if `value` is NULL, and returns and fails as
/// kith_component_set does. If the component is present, returns its value and neither changes,
/// announces nor stamps it. O(1).
KITH_API void *kith_component_add(kith_world *world, kith_entity entity, kith_component component,
                                  const void *value);

/// Returns the entity's value to read, or NULL. O(1).
KITH_API const void *kith_component_get(const kith_world *world, kith_entity entity,
                                        kith_component component);

/// Returns the entity's value to change, or NULL. Stamps the value and announces nothing. O(1).
KITH_API void *kith_component_mut(kith_world *world, kith_entity entity, kith_component component);

/// Returns whether the entity has the component. O(1).
KITH_API bool kith_component_has(const kith_world *world, kith_entity entity,
                                 kith_component component);

/// Calls `change` with the entity's value and returns the value. Returns NULL without a call when
/// the component is absent, and NULL with an error when the entity is dead or `change` is NULL
/// (KITH_ERROR_ARGUMENT). O(1).
KITH_API void *kith_component_patch(kith_world *world, kith_entity entity, kith_component component,
                                    void (*change)(void *value, void *context), void *context);

/// Removes the component. Returns whether the entity had it. Components that it required stay.
/// Never allocates. O(1).
KITH_API bool kith_component_remove(kith_world *world, kith_entity entity,
                                    kith_component component);

/// Hides the entity's row from queries if `enabled` is false, and shows it again if true. Row,
/// value and signature stay, and every other call still sees them. Returns whether the entity has
/// the component. The first row that is hidden in a pool allocates the pool's disable bits. Fails
/// with KITH_ERROR_KIND for flags, which have no row. O(1).
KITH_API bool kith_component_enable(kith_world *world, kith_entity entity, kith_component component,
                                    bool enabled);

/// Returns whether the entity has the component and its row is not disabled. O(1).
KITH_API bool kith_component_enabled(const kith_world *world, kith_entity entity,
                                     kith_component component);

// ---------------------------------------------------------------------------------------------
// Pools: all values of one component
//
// Kinds       Flags and singletons have no pool. kith_component_count and kith_component_clear work
//             for flags; every other call fails for both with KITH_ERROR_KIND.
// Loops       shrink, compact and swap fail with KITH_ERROR_BUSY while a loop is open or a listener
//             runs.
// ---------------------------------------------------------------------------------------------

/// Returns the number of entities that have the component. O(1).
KITH_API uint32_t kith_component_count(const kith_world *world, kith_component component);

/// Returns the entity's row, or KITH_NO_ROW. O(1).
KITH_API uint32_t kith_component_row(const kith_world *world, kith_entity entity,
                                     kith_component component);

/// Returns the entity in that row; KITH_NULL for a hole or a row beyond the end. O(1).
KITH_API kith_entity kith_component_entity(const kith_world *world, kith_component component,
                                           uint32_t row);

/// Returns the value in that row; NULL for a hole or a row beyond the end. O(1).
KITH_API const void *kith_component_value(const kith_world *world, kith_component component,
                                          uint32_t row);

/// Returns the entity that has the value at this address, or KITH_NULL. The address may point
/// anywhere into the value. O(pages).
KITH_API kith_entity kith_component_owner(const kith_world *world, kith_component component,
                                          const void *address);

/// Looks up the values of many entities to read: `values[i]` is that of `entities[i]`, or NULL.
/// Returns the number of entities that have the component. The lookups overlap in time. That is
/// faster when the entities are scattered over more memory than the cache holds. A few hundred
/// entities in one call are enough. O(count).
KITH_API uint32_t kith_component_get_many(const kith_world *world, kith_component component,
                                          const kith_entity *entities, uint32_t count,
                                          const void **values);

/// Allocates room for `rows` rows in total. An entity with an index never used before still
/// allocates its lookup page. Returns false when memory runs out or a limit is below `rows`
/// (KITH_ERROR_LIMIT). O(new pages).
KITH_API bool kith_component_reserve(kith_world *world, kith_component component, uint32_t rows);

/// Returns numbers about the pool; all 0 on failure. O(1).
KITH_API kith_pool_stats kith_component_stats(const kith_world *world, kith_component component);

/// Sets the largest number of rows that the pool may have; UINT32_MAX: no limit. Fails with
/// KITH_ERROR_ARGUMENT below the present number of rows. O(1).
KITH_API bool kith_component_limit_set(kith_world *world, kith_component component, uint32_t rows);

/// Frees the pages that no row and no entity uses. O(pages).
KITH_API bool kith_component_shrink(kith_world *world, kith_component component);

/// Closes the holes of a stable pool. The new end is the number of entities: each hole below it, in
/// ascending order, gets the next row above it, in ascending order. No other call moves rows of a
/// stable pool. Does nothing for other pools. O(rows).
KITH_API bool kith_component_compact(kith_world *world, kith_component component);

/// Exchanges the rows of two entities, with their values and disable bits. Returns false when one
/// lacks the component. Fails for a dead entity, a stable pool (KITH_ERROR_POLICY) and a pool that
/// a group owns (KITH_ERROR_ARGUMENT). O(1).
KITH_API bool kith_component_swap(kith_world *world, kith_component component, kith_entity a,
                                  kith_entity b);

/// Removes the component from every entity, in row order; a flag by ascending index. What a
/// listener adds meanwhile stays, except a flag on an index that the call has not reached. Never
/// allocates. O(rows); for flags O(slots).
KITH_API bool kith_component_clear(kith_world *world, kith_component component);

// ---------------------------------------------------------------------------------------------
// Changes: which values changed and which components were removed
//
//     kith_changes moved = position_changes(world, sent);             // since tick `sent`
//     while (kith_changes_next(world, &moved)) {
//         send(position_value(world, moved.row), moved.count);        // an array
//     }
//     kith_removal gone;
//     while (kith_removals_next(world, &removals, &gone)) { ... }     // since the last call
//
// These calls serve tools, and programs that send changes elsewhere. Queries find changes by their
// terms: see "Loops" in query.h. Both walks open no loop. Any number of threads may walk while no
// thread changes the world.
// ---------------------------------------------------------------------------------------------

/// Returns the tick at which the page of that row was last stamped; 0 for a row beyond the end. An
/// add, set, patch or mut of one of its rows stamps a page. So does a loop that hands one out for
/// writing, a row that moves to the page, and a row that becomes a hole. Removing the last row
/// stamps nothing. All rows of a page have the same stamp. O(1).
KITH_API uint64_t kith_component_stamp(const kith_world *world, kith_component component,
                                       uint32_t row);

/// Return the tick in which the entity's value last changed, and the tick in which the component
/// was added to the entity; 0 when it is absent. Whatever stamps the page for this row is a change,
/// also an add, except a move. Both ticks need the trait `row_ticks`, which tags can have, too.
/// Without it changed_at returns the page's stamp, and added_at fails with KITH_ERROR_ARGUMENT.
/// O(1).
KITH_API uint64_t kith_component_changed_at(const kith_world *world, kith_entity entity,
                                            kith_component component);
KITH_API uint64_t kith_component_added_at(const kith_world *world, kith_entity entity,
                                          kith_component component);

/// Begins a walk, in ascending order, over the rows that changed in tick `since` or later, as the
/// term `changed` defines it. The walk skips holes but not disabled rows. O(1).
KITH_API kith_changes kith_changes_begin(const kith_world *world, kith_component component,
                                         uint64_t since);

/// Goes to the next span of changed rows: the longest within one page, so its values are a plain
/// array. Returns false at the end. If rows are added, removed or moved during the walk, it finds
/// them where they are then. O(rows of pages with changes + pages).
KITH_API bool kith_changes_next(const kith_world *world, kith_changes *changes);

/// Begins a walk through the journal, at the oldest removal in tick `since` or later. The journal
/// records each component lost by remove, by clear or with its entity, in the order of the losses.
/// Where kith_world_clear does not destroy entities one by one, it records them in row order. An
/// add that a failing batch undoes is not recorded. `lost` is true when older removals of these
/// ticks were overwritten. Fails with KITH_ERROR_ARGUMENT when the component lacks the trait
/// `journal`. O(log journal).
KITH_API kith_removals kith_removals_begin(const kith_world *world, kith_component component,
                                           uint64_t since);

/// Gets the next removal. Returns false when there is none yet; later calls continue with later
/// removals, and report each once. If removals that the walk had not reached were overwritten, sets
/// `lost` and continues with the oldest that is left. O(1).
KITH_API bool kith_removals_next(const kith_world *world, kith_removals *removals,
                                 kith_removal *removal);

// ---------------------------------------------------------------------------------------------
// Singletons: one value for the world
//
// The value keeps its address until it is removed. Every call fails with KITH_ERROR_KIND for a
// component that is not a singleton.
// ---------------------------------------------------------------------------------------------

/// Adds or replaces the value with a copy of `value`, or with the default value if `value` is NULL.
/// Returns the stored value, or NULL as kith_component_set does. O(1).
KITH_API void *kith_singleton_set(kith_world *world, kith_component component, const void *value);

/// Adds the default value and returns it. If a value is present, returns it unchanged. O(1).
KITH_API void *kith_singleton_add(kith_world *world, kith_component component);

/// Return the value, to read or to change; NULL when there is none. `mut` stamps the value: call it
/// again after each save of a frame (frames.h) before you write. O(1).
KITH_API const void *kith_singleton_get(const kith_world *world, kith_component component);
KITH_API void       *kith_singleton_mut(kith_world *world, kith_component component);

/// Destructs the value and frees its memory; while a loop is open, both wait until the world
/// settles. Returns whether there was a value. O(1).
KITH_API bool kith_singleton_remove(kith_world *world, kith_component component);

// ---------------------------------------------------------------------------------------------
// Signatures: sets of components
// ---------------------------------------------------------------------------------------------

/// Add a component to the set, and remove it. Return false for a component that is not registered
/// (KITH_ERROR_UNREGISTERED) and for a singleton (KITH_ERROR_KIND). O(1).
KITH_API bool kith_signature_add(const kith_world *world, kith_signature *signature,
                                 kith_component component);
KITH_API bool kith_signature_remove(const kith_world *world, kith_signature *signature,
                                    kith_component component);

/// Returns whether the component is in the set. O(1).
KITH_API bool kith_signature_has(const kith_world *world, const kith_signature *signature,
                                 kith_component component);

/// Return whether `signature` has all components of `part`, and whether it has at least one of
/// them. For an empty `part` the first returns true, the second false. Two sets are equal when each
/// contains the other. No world is needed. O(1).
KITH_API bool kith_signature_contains(const kith_signature *signature, const kith_signature *part);
KITH_API bool kith_signature_intersects(const kith_signature *signature,
                                        const kith_signature *part);

/// Returns the number of components in the set. O(1).
KITH_API uint32_t kith_signature_count(const kith_signature *signature);

/// Allocates room for `rows` rows in total in each component of the set and in all that these
/// require. Then `rows` entities can get the whole set without allocating, if kith_entity_reserve
/// has allocated their slots. Also allocates lookups and signatures for every slot that the entity
/// table has room for. Returns false, and leaves capacities as before, when memory runs out or a
/// limit is below `rows` (KITH_ERROR_LIMIT). The same happens when the set has a bit that no
/// component has (KITH_ERROR_ARGUMENT). O(new pages + slots / 1024).
KITH_API bool kith_signature_reserve(kith_world *world, const kith_signature *signature,
                                     uint32_t rows);

// --- the signature of an entity --------------------------------------------------------------

/// Returns the entity's components; the empty set for a dead entity. kith_signature_contains then
/// says whether the entity has all components of a set, kith_signature_intersects whether it has at
/// least one. O(registered / 64).
KITH_API kith_signature kith_entity_signature(const kith_world *world, kith_entity entity);

/// Writes the ids of the entity's components in registration order, at most `capacity` of them.
/// Returns the number of components that it has. O(registered / 64 + components that it has).
KITH_API uint32_t kith_entity_components(const kith_world *world, kith_entity entity,
                                         kith_component *components, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
