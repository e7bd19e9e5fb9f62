// SPDX-License-Identifier: MIT
// kith: an entity component system in C11. This header is all that a program includes.
#ifndef KITH_KITH_H
#define KITH_KITH_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Rules that hold for every call
//
// Threads     A world belongs to one thread at a time. Calls that take a `const kith_world *` may
//             run on any number of threads while nobody changes it. Worlds share nothing.
// Failure     A call that fails returns NULL, false or 0 and has changed nothing. Questions (alive,
//             has, get, find ...) answer no without an error. Demands (set, add, patch ...) on a
//             null or dead entity, and calls that use an unregistered component, are errors:
//             recorded in the world and told to its error hook. No call aborts.
// Absent      That an entity lacks the component is never an error: NULL, false, KITH_NO_ROW.
// Pointers    A pointer to a value is good until its row moves: when a row of a swap pool is
//             removed, the pool's last row moves into its place; kith_component_swap, _compact,
//             sorting and arranging move rows; who joins or leaves a group changes places with
//             others in what it owns; nothing else moves. Without groups adding never does. While a
//             loop is open nothing moves at all: a pointer stays good until the outermost loop
//             closes, also one to a value that was removed meanwhile.
// Handles     Any 64-bit number may be passed as an entity: what is not alive is dead or null.
// World       `world` must be a world that was created and not yet destroyed; other pointers may
//             be NULL only where it is said.
// Hooks       Lifecycle hooks, error hooks and the function given to patch may ask the world and
//             not change it: what would change it is KITH_ERROR_BUSY. Of the entity whose value
//             is being made or ended they see a state in between.
// Loops       See "Loops" below: inside one, everything that adds, removes, creates or destroys is
//             legal; what moves rows (swap, compact, shrink, sort, arrange), kith_world_advance and
//             kith_world_destroy are KITH_ERROR_BUSY until it is closed.
// Listeners   May do what a loop's body may do. The entity that is being destroyed, and the
//             component that is being removed, can be read but not changed: KITH_ERROR_DYING,
//             recorded and not told to the hook. Listeners that cause events that are heard nest
//             at most 32 deep; a deeper call is refused before it changes anything.
// Amortised   "O(1)" for calls that add means amortised: a page is allocated now and then.
// ---------------------------------------------------------------------------------------------

// ---------------------------------------------------------------------------------------------
// World
// ---------------------------------------------------------------------------------------------

/// Makes a world; NULL or a zeroed description gives the defaults. Returns NULL when the
/// description makes no sense or memory runs out, and tells `on_error` (with a NULL world) why.
/// O(1), and O(max_entities) where all are queued, O(first_index) where indices are reserved.
KITH_API kith_world *kith_world_create(const kith_world_desc *desc);

/// Destructs every value, in registration order of the components and row order, and gives all
/// memory back. Nothing is announced. NULL is fine. Called from inside a hook or a listener, or
/// while a loop is open, it is an error and does nothing. O(rows of pools with destruct hooks +
/// pages).
KITH_API void kith_world_destroy(kith_world *world);

/// Destroys every entity. Their indices are handed out again in ascending order: before older free
/// ones under LIFO, after them under FIFO. Components, singletons and memory stay. Never allocates.
/// Where listeners hear of it, and while a loop is open, the entities go one by one as by
/// kith_entity_destroy, in descending order of their indices under LIFO, ascending otherwise; one
/// that a listener creates meanwhile goes too if its index is still to come. O(slots + rows).
KITH_API void kith_world_clear(kith_world *world);

/// Gives back pages that no row and no entity uses, of all pools, and what loops, stored queries,
/// tracked systems, queues without events and reactive sets that could have no member keep from one
/// time to the next. O(pages). Returns false, with an error, while a loop is open, from a listener
/// and from inside a hook.
KITH_API bool kith_world_shrink(kith_world *world);

/// Takes ahead, for the components, groups and queries that there are, whatever the world would
/// otherwise take when it is needed: slots for `entities`; in each component with rows as many as
/// its limit is or, without a limit, as `entities`; what singletons, loops, batches and sorting
/// need, what reactive sets collect in, and what tracked systems note. Until kith_world_shrink, and
/// as long as no more is asked for than that, no call fails for memory that adds, removes, creates,
/// destroys, disables, loops, sorts, settles or gives a system its turn. Some take more for as long
/// as they last: what is removed while a loop is open keeps its row, or its singleton's memory,
/// until the world settles, and the dead whom a reactive set keeps have a place there until it is
/// cleared. Queues and commands have room of their own: kith_queue_reserve, kith_commands_desc.
/// False, and capacities as before, when memory runs out, a number is beyond the world's limits,
/// and while a loop is open. O(what is taken).
KITH_API bool kith_world_reserve(kith_world *world, const kith_reserve_desc *desc);

/// The pointer given in the description, or the one set last. O(1).
KITH_API void *kith_world_user(const kith_world *world);
KITH_API void  kith_world_user_set(kith_world *world, void *user);

/// Proves that every structure agrees with every other. Returns false and points `reason` (if not
/// NULL) to a static sentence when one does not: that is a bug in kith, or memory was overwritten.
/// Not from inside a lifecycle hook. O(slots x components + rows).
KITH_API bool kith_world_validate(const kith_world *world, const char **reason);

/// Bytes that the world has taken from its allocator: of one component, or of everything when
/// `component` is 0. Where the description gave the world its memory, `total` is how much of that
/// is in use, and `size` and `peak` tell of the whole. O(pages).
KITH_API kith_memory kith_world_memory(const kith_world *world, kith_component component);

/// Numbers about the world's entities. O(1).
KITH_API kith_stats kith_world_stats(const kith_world *world);

// ---------------------------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------------------------

/// The latest error of a call that could change the world; `code` is KITH_OK when there was none
/// since the world was made or kith_world_error_clear. Success does not clear it. O(1).
KITH_API kith_error kith_world_error(const kith_world *world);
KITH_API void       kith_world_error_clear(kith_world *world);

/// Writes the error as a sentence, such as "position_set: entity 12 version 3 was destroyed (the
/// slot is at version 5)". Returns its length; like snprintf it writes at most `size` bytes, always
/// ends them with a zero, and with size 0 only counts. `world` gives the names and may be NULL.
/// O(length).
KITH_API size_t kith_error_text(const kith_world *world, const kith_error *error, char *buffer,
                                size_t size);

/// Error hooks to put into a description: print every error on stderr and abort, or keep silent.
KITH_API void kith_error_abort(const kith_world *world, const kith_error *error, void *context);
KITH_API void kith_error_ignore(const kith_world *world, const kith_error *error, void *context);

// ---------------------------------------------------------------------------------------------
// Entities as numbers: no world needed, all O(1)
// ---------------------------------------------------------------------------------------------

/// The handle with that index and version. Nothing says that it is alive.
KITH_API inline kith_entity kith_entity_make(uint32_t index, uint32_t version)
{
    return (KITH_CAST_(kith_entity, version) << 32) | index;
}

/// The slot of the handle.
KITH_API inline uint32_t kith_entity_index(kith_entity entity)
{
    return KITH_CAST_(uint32_t, entity);
}

/// Which use of the slot the handle means; 0 for no entity at all.
KITH_API inline uint32_t kith_entity_version(kith_entity entity)
{
    return KITH_CAST_(uint32_t, entity >> 32);
}

/// `version << index_bits | index` for formats with fewer bits; 0 when index or version do not fit
/// or `index_bits` is not 1..32. With 4 bits: (1, 1) gives 17, (1, 2) gives 33, (2, 1) gives 18.
KITH_API uint64_t kith_entity_pack(kith_entity entity, uint32_t index_bits);

/// The handle that kith_entity_pack gave `packed` for; KITH_NULL when there is none.
KITH_API kith_entity kith_entity_unpack(uint64_t packed, uint32_t index_bits);

/// The same within 32 bits, typically 20 for the index and 12 for the version; `index_bits` 1..31.
KITH_API uint32_t    kith_entity_pack32(kith_entity entity, uint32_t index_bits);
KITH_API kith_entity kith_entity_unpack32(uint32_t packed, uint32_t index_bits);

/// The handle as a number that JavaScript and Lua keep exactly, or -1 when its version has more
/// than 21 bits. A world made with version_bits 21 has no other handles.
KITH_API double kith_entity_to_double(kith_entity entity);

/// The inverse; KITH_NULL for fractions, negative numbers, NaN, infinities, and 2^53 and above.
KITH_API kith_entity kith_entity_from_double(double number);

// ---------------------------------------------------------------------------------------------
// Entities
// ---------------------------------------------------------------------------------------------

/// Makes an entity without components. KITH_NULL when memory runs out or the world is full (limit
/// reached, or every slot in use or retired). O(1).
KITH_API kith_entity kith_entity_create(kith_world *world);

/// Makes exactly the entity `hint` if its slot is free and no newer version of it was ever issued,
/// otherwise a fresh one; KITH_NULL as a hint asks for a fresh one. Indices that are jumped over
/// are handed out in ascending order: before older free ones under LIFO, after them under FIFO.
/// Refused with an error: an index or version beyond the world's limits, and an index more than
/// 2^20 beyond the table (reserve first). O(indices jumped over), O(free) inside the free list.
KITH_API kith_entity kith_entity_create_hint(kith_world *world, kith_entity hint);

/// kith_entity_create_hint for many, in one pass over the free list, all or nothing. Every hint
/// that can be met is met first (of two with the same index the earlier one); the others get fresh
/// handles, in order. `out` may be `hints`. The reach is 2^20 + count - 1. All are made before the
/// first is announced: a listener that destroys one of the others lets its end be heard, and its
/// birth not. O(count + free + jumped).
KITH_API bool kith_entity_create_hints(kith_world *world, const kith_entity *hints, uint32_t count,
                                       kith_entity *out);

/// Removes everything from the entity and ends it: no handle of it is ever valid again. Returns
/// whether it was alive. Never allocates. O(components that it has).
KITH_API bool kith_entity_destroy(kith_world *world, kith_entity entity);

/// Whether the handle means a living entity. O(1).
KITH_API bool kith_entity_alive(const kith_world *world, kith_entity entity);

/// The version of the entity's slot, dead or alive: that of the living entity, of the next one when
/// the slot is free, of the last one when it is retired. 0 when the slot was never used. O(1).
KITH_API uint32_t kith_entity_current(const kith_world *world, kith_entity entity);

/// The number of living entities. O(1).
KITH_API uint32_t kith_entity_count(const kith_world *world);

/// Walks the living in ascending order of their indices: KITH_NULL gives the first, each answer
/// gives the next, KITH_NULL is the end. Destroying entities on the way is fine. The walk is
/// O(slots).
KITH_API kith_entity kith_entity_next(const kith_world *world, kith_entity previous);

/// Makes room, so that the table can grow to `slots` slots without allocating.
/// Returns false when memory runs out or `slots` is beyond the world's limits. O(new pages).
KITH_API bool kith_entity_reserve(kith_world *world, uint32_t slots);

/// The slots to which the table can grow without allocating. O(1).
KITH_API uint32_t kith_entity_capacity(const kith_world *world);

/// The most slots that there may be: max_entities, until it is set to something else. To set it
/// below the slots in use, above 2^index_bits, or where all indices queue from the start (FIFO with
/// max_entities) is an error. O(1).
KITH_API uint32_t kith_entity_limit(const kith_world *world);
KITH_API bool     kith_entity_limit_set(kith_world *world, uint32_t slots);

/// A slot of the entity table as it is stored, for tools and tests: a living slot holds its own
/// handle, a free one the next free index (KITH_NO_INDEX at the end, and where the lowest goes
/// first), a retired one KITH_NO_INDEX - 1, a reserved one KITH_NO_INDEX - 2, each with the slot's
/// version. 0 when the slot was never used. O(1).
KITH_API kith_entity kith_entity_slot(const kith_world *world, uint32_t index);

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

/// Opens a loop without a query, and closes it: removals in between leave holes, so nothing moves,
/// and their destructors wait. Closing it closes the loops begun after it. False at depth 32, or
/// when there is no hold to release. O(1), and settling.
KITH_API bool kith_world_hold(kith_world *world);
KITH_API bool kith_world_release(kith_world *world);

/// Closes every open loop and settles. False from inside a hook or a listener. O(changes).
KITH_API bool kith_world_settle(kith_world *world);

/// Begins the next tick and returns its number; 0 and an error that names the loop when one was
/// left open. Ticks start at 1. O(registered).
KITH_API uint64_t kith_world_advance(kith_world *world);

/// The present tick. O(1).
KITH_API uint64_t kith_world_now(const kith_world *world);

// ---------------------------------------------------------------------------------------------
// Groups: entities that are kept together
//
// A group has the terms of a query: own, write, read, with, without. Its members are whom such a
// query would visit, at every moment.
// Owning      The members are the first rows of each component that the group owns, in the same
//             order: a loop gets whole pages as plain arrays, without looking anything up. A
//             component that cannot move (stable) can be asked for and not owned.
// Not owning  Without an own term the group keeps a list of its members and moves no row.
// Loops       A query with the terms of a group walks the group. The order of its terms, their
//             access and further optional terms do not matter. So making or destroying the group
//             changes the order of its loops. A query with a lead, or with changed, added or
//             disabled terms of these components, does not walk the group.
// Order       A member joins behind the others; the last one takes the place of one that leaves.
//             Making a group lets everyone in by the order of the smallest component, after the
//             members of a group that is inside it.
// Nested      Groups that own a common component must be one inside the other: the inner one has
//             all terms of the outer, and owns all that it owns.
// Loops open  Nothing moves: a loop over a group that changed visits the members that still are,
//             then those that have become, by the order of their changes; kith_group_count is right
//             at once. Settling closes the gaps: of removed rows that it owns from the highest
//             down, then of who else left by the order of the changes; then lets in who joined.
// ---------------------------------------------------------------------------------------------

/// Makes a group of these terms, or finds it. NULL and an error for other roles, for no component
/// with rows, for the terms of a group that owns something else, for a group that shares an owned
/// component with another and is not nested with it (the message names both), without memory, and
/// while a loop is open. O(smallest component x terms); joining and leaving cost O(owned).
KITH_API kith_group *kith_group_create(kith_world *world, const kith_query_desc *desc);

/// Undoes one create; with the last one the group is gone and rows stay where they are. False and
/// an error while a loop is open, and for the create of a system. O(terms + groups).
KITH_API bool kith_group_destroy(kith_group *group);

/// How many members there are, and whether an entity is one. O(1), O(terms).
KITH_API uint32_t kith_group_count(const kith_group *group);
KITH_API bool     kith_group_contains(const kith_group *group, kith_entity entity);

/// Sort the members as the calls under "Order" sort the rows of a pool, with the same rules: by the
/// values of one of the components that every member has (owned or not, stable ones too), by
/// entities, by a number in such values, as the rows of any component are. What the group owns
/// moves, all of it alike; a group that owns nothing sorts its list and moves no row. The members
/// of a group inside this one stay in front: they are sorted by themselves and the others by
/// themselves, and sorting the inner group sorts those of this one with it. Errors as there, and a
/// component that the members need not have (KITH_ERROR_ARGUMENT).
KITH_API bool kith_group_sort(kith_group *group, kith_component component, kith_compare_fn compare,
                              void *context);
KITH_API bool kith_group_sort_entities(kith_group *group, kith_compare_entities_fn compare,
                                       void *context);
KITH_API bool kith_group_sort_by(kith_group *group, kith_component component,
                                 const kith_sort_key *key);
KITH_API bool kith_group_sort_as(kith_group *group, kith_component other);

/// The group's description, for loops over its members, and its world. O(1).
KITH_API const kith_query_desc *kith_group_describe(const kith_group *group);
KITH_API kith_world            *kith_group_world(const kith_group *group);

// ---------------------------------------------------------------------------------------------
// Listeners
//
// An event is announced when everything is in place: pool and signature are up to date before add
// and set are heard; remove and destroy are heard while everything is still there. A set that adds
// announces add only; a component that is required is announced before the one that requires it.
// Destroying an entity announces the removal of each component, in registration order, then the
// entity; then everything goes at once. What is changed through mut, or through a column for
// writing, is not announced.
//
// A listener that takes away what it hears of ends the telling: the listeners after it do not hear
// of it, and the call that made the event answers NULL, without an error. If it gives a component
// back whose add it hears of, that is a new add, of which all hear, and those after it of no other;
// a set goes on being told. A listener can close only loops that were begun since it was called.
//
// A listener with `many` hears of a batch at once, before the others hear of each entity, and
// before anything goes that is about to go: what it changes then is legal, and who has left when
// its turn comes is passed over. The entities come in one call if kith has them all in an array,
// otherwise in calls of up to 256.
// ---------------------------------------------------------------------------------------------

/// Connects a listener, which hears the next event first; 0 with an error when the component is not
/// registered, the event does not exist for its kind (flags have no set) or memory runs out.
/// O(listeners of that event).
KITH_API kith_listener kith_listener_connect(kith_world *world, const kith_listener_desc *desc);

/// Disconnects it, or a handler of a queue: it is never called again, also not for the event that
/// is being announced. Returns whether it was connected. False and an error for the number of
/// another world; hierarchies and reactive sets listen by numbers that no call takes. O(listeners).
KITH_API bool kith_listener_disconnect(kith_world *world, kith_listener listener);

#ifdef __cplusplus
}
#endif

#include "batch.h"
#include "clone.h"
#include "commands.h"
#include "diff.h"
#include "fields.h"
#include "hash.h"
#include "json.h"
#include "merge.h"
#include "order.h"
#include "react.h"
#include "schedule.h"
#include "snapshot.h"
#include "typed.h"

#endif
