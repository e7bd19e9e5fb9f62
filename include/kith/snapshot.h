// SPDX-License-Identifier: MIT
// A world as a value: save it as bytes and load it, hash it, clone it or its entities. Include it
// beside kith.h.
//
// Threads     Any number of threads may call functions that take a `const kith_world *`, while no
//             thread changes the world. Its allocator, and its functions that copy or save values,
//             must allow it. Any thread may call functions without a world. All others belong to
//             the world's thread.
#ifndef KITH_SNAPSHOT_H
#define KITH_SNAPSHOT_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Saving and loading
//
//     kith_result saved = kith_world_save_file(world, NULL, "autosave.kith");
//     if (saved.code != KITH_OK) {
//         puts(saved.message);
//     }
//     ...
//     kith_world_load_file(world, NULL, "autosave.kith");
//
// State       A snapshot has the entities with their versions, the free list, and the tick. It has
//             the pools in row order with their holes and disabled rows, flags, singletons, and the
//             order in groups. Lifetimes are values. A loaded world continues as the saved one: the
//             same calls give the same handles, rows and orders. Everything counts as changed now,
//             also for stored queries and systems. Journals record that all previous rows were
//             removed. Reactive sets are empty; those with `keep_dead` keep their members. Queued
//             events stay queued.
// Exact       With `exact` a snapshot also has the ticks of pages and rows, journals, members of
//             reactive sets, queued events, and `since` of stored queries. Of each system it has
//             the tick of the latest turn, the accumulated time, whether it is due, and whether it
//             is enabled. After loading it, every call returns what it returns in the saved world.
//             Rows per page, journal capacities and `row_ticks` must be the same as in the saved
//             world (KITH_ERROR_CONFLICT). Loading finds queries, systems and sets by name and
//             terms, equal ones by age. It skips those that only the file has. A query or system
//             that only this world has finds everything new; such a set is empty. Events need a
//             form of saving (event.h): without it, saving fails (KITH_ERROR_UNSAVED). If this
//             world lacks the queue of an event, loading fails (KITH_ERROR_CONFLICT). Both messages
//             name the queue. Components that KITH_UNKNOWN_KEEP registers get their state only.
// Not saved   Listeners, limits, groups and paths themselves: the program sets them up, and loading
//             compares what matters of them. Transient components, which are absent after loading.
//             Times and counts in reports of systems and queries. The entities for which a tracked
//             system called `enter`: the program knows them, and the next turn calls `enter` and
//             `leave` for the difference.
// Selection   A snapshot of chosen components or entities is the snapshot of this world after all
//             other entities were destroyed, by ascending index, without events. Transient
//             components do not affect it. Handles of dead entities in values stay as they are.
//             Holders of a link whose target is not chosen lose the link, whatever its kith_target.
//             Choosing entities creates a second world for the duration of the call: O(world)
//             memory.
// Order       The registration order of components matters, for example for events. If it was
//             different when saving, loading succeeds and the result has a message: `"b" was
//             registered before "a" when this was saved`. Otherwise the message is empty.
// Fields      If field tables differ, a field gets the value of the saved field with its name or
//             its old name (fields.h). Its type must hold every value of the saved type: a wider
//             number, a longer array or text. Enum numbers follow the names of their enumerators.
//             Fields that the snapshot lacks stay as constructed.
// Versions    Values of another version get their fields the same way. Then the component's
//             kith_upgrade gets each value, and what the snapshot has of it. Values that are plain
//             or saved through functions need a kith_upgrade to change their version.
// Unknown     A component that KITH_UNKNOWN_KEEP registers has a run-time id. Its values have the
//             layout that a compiler would choose for their fields, and are saved again unchanged.
//             Values that functions wrote are bytes, and are hashed, copied and saved as bytes. A
//             later registration must describe the same id (0: keep that id), layout and schema.
//             To turn bytes that functions wrote into values, load them into a world where the
//             component is registered.
// Bytes       The same on every machine; docs/format.md describes each byte. Each chunk has a
//             checksum. Padding is never saved. Compressed bytes depend on the version of zstd,
//             what they decompress to does not.
// Memory      A small file can need much memory: a few bytes describe many equal entities. Loading
//             allocates at most `bytes` of kith_load_desc: 0 means 64 times the file's size and at
//             least 1 GB (2^30), SIZE_MAX means no limit. A file that needs more is refused
//             (KITH_ERROR_LIMIT), and the world is unchanged. The limit counts what the world's
//             allocator gave and did not get back, not what functions of components allocate.
// Errors      Saving and loading return a kith_result, with a message that names what is wrong:
//
//     KITH_ERROR_BUSY          a loop is open, a hook or listener runs, or a command buffer of the
//                              world has commands (applied or not) that are not cleared
//     KITH_ERROR_UNSAVED       saving: a component or queue has values or events and no form
//     KITH_ERROR_UNREGISTERED  a chosen or, when loading, a saved component is not registered
//     KITH_ERROR_DEAD_ENTITY   a chosen entity is not alive, when loading: in the file
//     KITH_ERROR_ARGUMENT      `zstd_level` > 19, or the library has no zstd; no such kith_unknown
//     KITH_ERROR_CONFLICT      loading: handles, components, pages or queues do not fit this world
//     KITH_ERROR_FORMAT        loading: the bytes are damaged, or a read or upgrade function
//                              returned false for a value
//     KITH_ERROR_HOOK          a function that saves values failed; a construct hook returned false
//     KITH_ERROR_LIMIT         loading: more entities than the world may have, or see Memory
//     KITH_ERROR_IO            the file cannot be read or written, or `write` returned false
//     KITH_ERROR_MEMORY        memory ran out
// ---------------------------------------------------------------------------------------------

/// What to save. All zero: the state of everything.
typedef struct kith_save_desc {
    const kith_component *components; // only these; NULL: all
    uint32_t              component_count;
    const kith_entity    *entities; // only these, all alive; NULL: all
    uint32_t              entity_count;
    bool                  exact;      // with exact state: see above
    uint32_t              zstd_level; // 1 to 19: compressed, needs zstd in the library; 0: not
} kith_save_desc;

/// What loading does with components that are not registered in this world.
typedef enum kith_unknown {
    KITH_UNKNOWN_REFUSE = 0, // fails (KITH_ERROR_UNREGISTERED)
    KITH_UNKNOWN_SKIP   = 1, // leaves them out
    KITH_UNKNOWN_KEEP   = 2  // registers them as the snapshot describes them
} kith_unknown;

/// Returns the word of the enumerator, such as "refuse"; "?" for any other number. The text is
/// static. O(1).
KITH_API const char *kith_unknown_name(kith_unknown unknown);

/// What to load, and how. All zero: everything, and unknown components are refused.
typedef struct kith_load_desc {
    kith_unknown          unknown;
    const kith_component *components; // only these; NULL: all
    uint32_t              component_count;
    const kith_entity    *entities; // only these, all alive in the file; NULL: all
    uint32_t              entity_count;
    bool                  state_only; // ignores the exact state of the file
    size_t                bytes;      // most memory to allocate; 0: the default; see Memory
} kith_load_desc;

/// A growing array of bytes. Begin with all zero. It keeps its memory when it is used again.
typedef struct kith_bytes {
    uint8_t       *data;
    size_t         size;
    size_t         room;
    kith_allocator allocator; // all zero: the C library's heap
} kith_bytes;

/// Frees the memory, and makes the bytes empty.
KITH_API void kith_bytes_free(kith_bytes *bytes);

/// Appends to the kith_bytes that `context` points to; a kith_write_fn. It also writes a 0 behind
/// them that `size` does not count, so text is a string. Returns false when memory runs out, and
/// the bytes stay as they were.
KITH_API bool kith_bytes_write(const void *bytes, size_t size, void *context);

/// Saves the world to a function, to memory, or to a file. A NULL `desc` saves the state of
/// everything. Memory: replaces what `bytes` has. File: writes another name beside it, flushes to
/// the disk, then renames; whenever the program ends, the file is the old one or the new one. For
/// failures see Errors above. O(world).
KITH_API kith_result kith_world_save(const kith_world *world, const kith_save_desc *desc,
                                     kith_write_fn write, void *context);
KITH_API kith_result kith_world_save_memory(const kith_world *world, const kith_save_desc *desc,
                                            kith_bytes *bytes);
KITH_API kith_result kith_world_save_file(const kith_world *world, const kith_save_desc *desc,
                                          const char *path);

/// Replaces all entities and values of the world by the saved ones. A NULL `desc` loads everything
/// and refuses unknown components. Finds components by name; kind and policy must be those of the
/// saved component (KITH_ERROR_CONFLICT). Other failures: see Errors above. A failed load changes
/// nothing. Listeners get one event, KITH_EVENT_REPLACED, when the load has succeeded. O(world)
/// memory and time.
KITH_API kith_result kith_world_load(kith_world *world, const kith_load_desc *desc,
                                     const void *bytes, size_t size);
KITH_API kith_result kith_world_load_file(kith_world *world, const kith_load_desc *desc,
                                          const char *path);

/// Fills in the settings that a world needs to load this snapshot: index_bits, version_bits,
/// first_index, free_order and max_entities. The rest of `desc` stays; on failure all of it does.
/// Of `load`, which may be NULL, only `bytes` matters. Fails for a world that would allocate more
/// when it is created (KITH_ERROR_LIMIT), for damaged bytes (KITH_ERROR_FORMAT), and when memory
/// runs out (KITH_ERROR_MEMORY). O(1).
KITH_API kith_result kith_snapshot_world_desc(const kith_load_desc *load, const void *bytes,
                                              size_t size, kith_world_desc *desc);

// ---------------------------------------------------------------------------------------------
// Hashes
//
//     uint64_t mine = 0;
//     if (kith_world_hash(world, KITH_ALL, &mine) && mine != theirs) {
//         puts("the two worlds are not in the same state");
//     }
//
// Worlds in the same state have the same hash, on every machine. The state is: entities, alive and
// dead; handles to come; values and their rows; holes, disabled rows, singletons; members of groups
// in their order; paths; objects of the program (object.h). docs/hash.md defines the hash byte by
// byte, for other programs.
//
// Names       A component counts by its name: ids and registration order do not matter. Components
//             that have no row (a hole is a row), no entity and no value do not count.
// Values      Only the saved part of a value counts (fields.h): no padding, no skipped field.
//             Transient components do not count. Neither do page rows, capacities, limits, hooks,
//             listeners, ticks and journals.
// Kept        kith_world_hash keeps the hashes of blocks of rows and reads only pages that were
//             stamped since: 8 bytes for 256 rows, until kith_world_shrink. Without memory for that
//             it reads everything. It relies on stamps: code that writes through an address must
//             have got it from mut, set or a column for writing in the present tick. In the next
//             tick it must get the address again.
// Full        The calls with `full` keep nothing and do not rely on stamps.
// Component   KITH_ALL asks for the hash of the world, another component for its own hash: its
//             name, and its entities and values in row order. A transient component is
//             KITH_ERROR_ARGUMENT.
// Errors      A hash fails for a component that has values and no form of saving
//             (KITH_ERROR_UNSAVED; the error names it); while a loop is open, in listeners and
//             hooks (KITH_ERROR_BUSY); in a checked system, for components that it did not declare
//             (KITH_ERROR_UNDECLARED); if `hash` is NULL (KITH_ERROR_ARGUMENT); if the `state`
//             function of an object returns false (KITH_ERROR_HOOK). Memory can run out
//             (KITH_ERROR_MEMORY) only where functions write a value of more than 4096 bytes, and
//             for the items of an object, which are hashed anew each time. A call that fails
//             returns false, and `*hash` stays as it was.
// ---------------------------------------------------------------------------------------------

/// Computes the hash of the world's state, or of one component. O(registered + rows / 256 +
/// entities / 1024 + what was stamped since the previous hash), and O(entities) for each flag that
/// was set or cleared since.
KITH_API bool kith_world_hash(kith_world *world, kith_component component, uint64_t *hash);

/// Computes the same hash by reading everything. Any number of threads may call it while no thread
/// changes the world, unless functions write values of more than 4096 bytes. With 16,384 entities
/// or more, the world's workers (workers.h) share the components; functions that write values run
/// on the calling thread. O(all).
KITH_API bool kith_world_hash_full(const kith_world *world, kith_component component,
                                   uint64_t *hash);

/// Computes the hash of the state and the exact state (see Exact): ticks, journals, reactive sets,
/// queued events, queries, systems. It covers what an exact snapshot of everything has, so it
/// depends on registration order and on the rows of pages. Fails also if a queue has events and no
/// form of saving (KITH_ERROR_ARGUMENT), if a function that saves events fails (KITH_ERROR_HOOK),
/// and if the C library's heap, from which it allocates, has no memory (KITH_ERROR_MEMORY). O(all).
KITH_API bool kith_world_hash_exact(const kith_world *world, uint64_t *hash);

/// Computes a hash of the content: which entities live, the components that they have, values,
/// disabled rows, links of hierarchies, singletons. Rows, holes, groups, paths, objects of the
/// program and handles to come do not count: worlds with equal handles and values have equal
/// hashes. Of `selection`, which may be NULL, components and entities count. Entities that are not
/// alive are left out. A handle in a field, or a link, to an entity that is left out or not alive
/// counts as KITH_NULL. Errors are those above, and KITH_ERROR_UNREGISTERED for a selected
/// component. Memory can run out also for values of more than 512 bytes with handles, and for
/// selected entities. O(components selected x entities + values).
KITH_API bool kith_world_hash_content(const kith_world *world, const kith_save_desc *selection,
                                      uint64_t *hash);

// ---------------------------------------------------------------------------------------------
// Clones of worlds
//
//     kith_world *trial = kith_world_clone(world, NULL);
//     try_move(trial, ship);                                // the same handles; `world` stays
//     kith_world_destroy(trial);
//
// After cloning, equal calls have equal results in both worlds: handles, rows, orders, ticks. The
// worlds share nothing.
//
// Copied      Entities with their versions, the free indices and their order; components with ids,
//             registration order, traits and limits; values, rows, holes and the order in which
//             they are filled; disabled rows, flags, singletons; the tick, page stamps, row ticks,
//             journals; hierarchies; groups, paths, queues and reactive sets with their contents;
//             the capacity for entities, rows and events.
// Not copied  Listeners and handlers, stored queries, systems and their schedule, command buffers,
//             merges, the record of errors; the memory reserved for loops, batches and singletons.
// Handles     An entity's handle is valid in both worlds. kith_group_of, kith_path_of and
//             kith_queue_of find the groups, paths and queues of the clone. A reactive set has
//             the same place in kith_reactive_at, and its function the same context. Numbers of
//             listeners differ.
// Values      A copy hook copies values, by components in registration order, each by rows. Values
//             without one are copied as bytes, whole pages at once. Hooks keep their context. They
//             may read the world and must not change it. The links of a hierarchy are copied.
// Threads     Several threads may clone one world at once, if the hooks and the allocator allow it.
// ---------------------------------------------------------------------------------------------

/// Creates a world that is equal to this one. `desc` gives its allocator, error hook, user pointer,
/// name and memory; the handle layout and limits in it are ignored. With NULL all are as in the old
/// world. Returns NULL and reports the error to the old world's hook: while a loop is open, from
/// inside a hook, listener or handler (KITH_ERROR_BUSY); if a component has values, a destruct hook
/// and no copy hook (KITH_ERROR_ARGUMENT, with its name); if a copy hook returns false
/// (KITH_ERROR_HOOK); if `desc` is not valid (KITH_ERROR_ARGUMENT); if memory runs out
/// (KITH_ERROR_MEMORY). The old world never changes. O(bytes).
KITH_API kith_world *kith_world_clone(const kith_world *world, const kith_world_desc *desc);

// ---------------------------------------------------------------------------------------------
// Clones of entities
//
//     kith_entity crew[8], copies[8];                       // they refer to each other by handles
//     kith_entities_clone(arena, lobby, crew, 8, copies);   // two worlds, or one
//
// One call is a batch (see batch.h): all or nothing, and announced when everything is in place, as
// by kith_entity_clone_many. Each clone has the components of its original; required components
// that the original lacks are not added. Components that have the trait `not_cloned` in `from` are
// left out; the other world need not have them.
//
// Components  are found by name: ids and registration order may differ. The call fails with an
//             error that names the component if the other world lacks it (KITH_ERROR_UNREGISTERED),
//             or has it with another kind, size or form of saving (KITH_ERROR_ARGUMENT).
// Values      are copied by the copy hook of the destination world, without one as bytes. A value
//             with a destruct or move hook and no copy hook is an error (KITH_ERROR_ARGUMENT).
// Handles     in fields (see fields.h) that refer to an original refer to its clone afterwards.
//             Other handles stay as they are within one world. In another world they would refer to
//             no entity or to a wrong one, and become KITH_NULL. Handles in values that are plain
//             or saved through functions are bytes, and stay.
// Hierarchies Clones have the links that their originals have among each other, in the same order,
//             and no other links: a subtree becomes a subtree. Links are made last. A clone that a
//             listener has linked by then, or that is no longer a node, keeps its state.
// Rows        A row that is disabled in the original is disabled in the clone. New rows are in the
//             order of the array.
// ---------------------------------------------------------------------------------------------

/// Creates a clone in `to` of each of the `count` entities, which live in `from`. Both may be the
/// same world, and `clones` may be `entities`. If a listener destroys a clone, its place has
/// KITH_NULL. Returns false, with an error in `to`, for the reasons above; for a null, dead or
/// repeated entity (KITH_ERROR_NULL_ENTITY, KITH_ERROR_DEAD_ENTITY, KITH_ERROR_ARGUMENT); when a
/// copy hook returns false (KITH_ERROR_HOOK); when a limit is reached (KITH_ERROR_LIMIT); when
/// memory runs out (KITH_ERROR_MEMORY); from inside a hook (KITH_ERROR_BUSY). `clones` may then
/// hold anything.
/// O(count log count) at worst, O(count) for each component and handle, and for hierarchies
/// O(children of the originals).
KITH_API bool kith_entities_clone(kith_world *to, const kith_world *from,
                                  const kith_entity *entities, uint32_t count, kith_entity *clones);

#ifdef __cplusplus
}
#endif

#endif
