// SPDX-License-Identifier: MIT
// A world as a value: saved as bytes and loaded, hashed, cloned. Include it beside kith.h.
//
//     kith_result saved = kith_world_save_file(world, NULL, "autosave.kith");
//     if (saved.code != KITH_OK) {
//         puts(saved.message);
//     }
//     ...
//     kith_world_load_file(world, NULL, "autosave.kith");
//
// State       Entities with their versions and the free list, pools in row order with their holes,
//             who is disabled, flags, singletons, the order in groups, lifetimes (they are values),
//             and the tick. A world that was loaded goes on as the one that was saved: the same
//             calls give the same handles, rows and orders. Everything counts as changed now, also
//             to stored queries and systems; journals say that all rows of before went, reactive
//             sets have nobody (those that keep the dead have whom they had), events wait on.
// Exact       On request also the ticks of pages and rows, journals, members of reactive sets,
//             events that wait, `since` of stored queries, and of systems the tick of their latest
//             turn, the time that has come together, whether they are due and enabled. After
//             loading that, every later answer is that of the saved world. Pages must have as many
//             rows as then. Queries, systems and sets are found by their names and terms, equal
//             ones by their age; one that only the file has is passed over, one that only this
//             world has finds everything new, or has nobody. Events need a form (event.h); without
//             it, or in a queue that this world does not have, they are refused by name. Of
//             components that are kept though nobody knows them only the state comes back.
// Not at all  Listeners, limits, groups and paths as such: those the program sets up, and loading
//             compares what matters of them. Transient components, which are absent afterwards.
//             Whom `enter` of a tracked system has heard of: that is what the program knows, and
//             the next turn tells of the difference. Figures of systems and queries.
// Some        Of components, or of entities: then the file is that of this world after all other
//             entities were destroyed, by ascending index, without anybody hearing of it; transient
//             components do not matter. Handles of dead entities in values stay as they are. To
//             choose entities takes a second world for a moment: O(world) memory.
// Order       Among components that of registering matters (events, for example). If it was another
//             one when saving, loading succeeds and the result's message says so: `"b" was
//             registered before "a" when this was saved`. Otherwise the message is empty.
// Bytes       The same on every machine; docs/format.md describes each of them. Each chunk has a
//             checksum. Padding never gets there. Packed ones depend on the version of zstd, what
//             comes of them does not.
// Memory      A small file can ask for much: a few bytes stand for many entities that are alike.
//             Loading takes at most `bytes` of kith_load_desc: 0 means 64 times the file's size and
//             at least 1 GB (2^30), SIZE_MAX any number. A file that asks for more is refused
//             (KITH_ERROR_LIMIT), and nothing has changed. What is taken from the world's allocator
//             and not given back counts; what functions of components take by themselves does not.
// When        Not while a loop is open, from hooks and listeners, or with commands that wait.
#ifndef KITH_SNAPSHOT_H
#define KITH_SNAPSHOT_H

#include "kith.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is saved. All zero: the state of everything.
typedef struct kith_save_desc {
    const kith_component *components; // only these; NULL: all
    uint32_t              component_count;
    const kith_entity    *entities; // only these, which live; NULL: all
    uint32_t              entity_count;
    bool                  exact;      // with exact state: see above
    uint32_t              zstd_level; // 1 to 19: packed, if the library has zstd; 0: as it is
} kith_save_desc;

/// What loading does with components that nobody registered in this world.
typedef enum kith_unknown {
    KITH_UNKNOWN_REFUSE = 0,
    KITH_UNKNOWN_SKIP   = 1, // leaves them out
    KITH_UNKNOWN_KEEP   = 2  // registers them as the snapshot describes them
} kith_unknown;

/// What is loaded, and how. All zero: everything, strictly.
typedef struct kith_load_desc {
    kith_unknown          unknown;
    const kith_component *components; // only these; NULL: all
    uint32_t              component_count;
    const kith_entity    *entities; // only these, which live in the file; NULL: all
    uint32_t              entity_count;
    bool                  state_only; // as if the file had no exact state
    size_t                bytes;      // of memory, at most; 0: a usual limit; see Memory
} kith_load_desc;

/// Bytes that grow: all zero at first. Used again, they keep their memory.
typedef struct kith_bytes {
    uint8_t       *data;
    size_t         size;
    size_t         room;
    kith_allocator allocator; // all zero: the C library's heap
} kith_bytes;

/// Gives their memory back, and makes them empty.
KITH_API void kith_bytes_free(kith_bytes *bytes);

/// A kith_write_fn with a kith_bytes as its context: appends, and puts a 0 behind that does not
/// count, so that text is a string. False, and the bytes as they were, without memory.
KITH_API bool kith_bytes_write(const void *bytes, size_t size, void *context);

/// Saves the world to a function, to memory, or to a file. The file is
/// written under another name beside it, flushed to the disk and then renamed: whenever the program
/// ends, the file is the old one or the new one. NULL for `desc`: everything. O(world).
KITH_API kith_result kith_world_save(const kith_world *world, const kith_save_desc *desc,
                                     kith_write_fn write, void *context);
KITH_API kith_result kith_world_save_memory(const kith_world *world, const kith_save_desc *desc,
                                            kith_bytes *bytes);
KITH_API kith_result kith_world_save_file(const kith_world *world, const kith_save_desc *desc,
                                          const char *path);

/// Puts what was saved in the place of all entities and values of the world; on failure nothing has
/// changed. Components are found by their names, and must be of the same kind and policy as when
/// they were saved. Nobody hears of it. NULL for `desc`: strictly. O(world) memory and time.
/// Fields      Tables that differ: a field has the value of the one with its name, or with the
///             name that it had before (see fields.h), if it holds every value of that type: a
///             wider number, a longer array or text. Numbers of an enum follow their names. Fields
///             that the snapshot has not are as constructed.
/// Versions    Values of another version get their fields like that, and are then shown to the
///             component's kith_upgrade with what the snapshot has of them. Values that are plain
///             or were saved through functions come into another version only by a kith_upgrade.
/// Unknown     Those that are kept have a run-time id, values in the layout that a compiler would
///             choose for their fields, and are saved again as they were. Values that functions
///             wrote are bytes, and hashed, copied and saved as such. Who registers one of them
///             later must describe the same id (0: that one), layout and schema; what functions
///             wrote becomes a value only by loading it where the component is registered.
KITH_API kith_result kith_world_load(kith_world *world, const kith_load_desc *desc,
                                     const void *bytes, size_t size);
KITH_API kith_result kith_world_load_file(kith_world *world, const kith_load_desc *desc,
                                          const char *path);

/// Fills in how a world has to be made so that it can load this snapshot: version bits, the first
/// index, and the order of free ones. The rest of `desc` stays, as all of it does on failure.
/// Of `load`, which may be NULL, only `bytes` matters: a world that takes more as soon as it is
/// made is refused. O(1).
KITH_API kith_result kith_snapshot_world_desc(const kith_load_desc *load, const void *bytes,
                                              size_t size, kith_world_desc *desc);

// ---------------------------------------------------------------------------------------------
// Hashes
//
// Worlds in the same state have the same hash, on every machine: the same entities, living and
// dead, the same handles to come, the same values in the same rows, the same holes, disable bits
// and singletons, groups' members in the same order, the same paths. docs/hash.md says how it is
// computed, byte by byte, so that another program can.
//
// By names    Components count under their names: ids and the order of registering do not matter,
//             nor do components that nobody has.
// By values   Only what is saved of a value counts (fields.h): no padding, no field that is
//             skipped. Transient components do not count at all. Neither do page rows, capacities,
//             limits, hooks and listeners, nor ticks and journals.
// Kept        kith_world_hash and kith_component_hash keep the hashes of blocks of rows and need to
//             look only at pages that were stamped since: 8 bytes for 256 rows, until
//             kith_world_shrink. Without memory for that they look at everything. They rely on
//             stamps: whoever writes through an address must have got it from mut, set or a column
//             for writing in the present tick, and must get it again in the next.
// Full        The calls with `full` keep nothing and rely on nothing.
// Errors      A component that has values and no form in which they are saved
//             (KITH_ERROR_UNSAVED; the error names it); while a loop is open, in listeners and
//             hooks (KITH_ERROR_BUSY); for a checked system, components that it did not declare.
//             Memory can run out only for a value that takes more than 4096 bytes when functions
//             write it. Then, and whenever they answer false, `*hash` stays as it is.
// ---------------------------------------------------------------------------------------------

/// The hash of the world's state. O(registered + rows / 256 + entities / 1024 + what was stamped
/// since the hash before), and O(entities) for each flag that was set or cleared since.
KITH_API bool kith_world_hash(kith_world *world, uint64_t *hash);

/// The same by looking at everything. O(all). For any number of threads while nobody changes the
/// world, unless functions write values that take more than 4096 bytes.
KITH_API bool kith_world_hash_full(const kith_world *world, uint64_t *hash);

/// The hash of the world's state and of what snapshot.h calls exact state: ticks, journals,
/// reactive sets, events that wait. It sees what an exact snapshot of everything has, by the order
/// in which components were registered and the rows of their pages. O(all), and memory from the C
/// library's heap; an error as well if a queue has events of which nobody said how they are saved.
KITH_API bool kith_world_hash_exact(const kith_world *world, uint64_t *hash);

/// The hash of a component: its name, who has it and their values in the order of rows. It is an
/// error to ask for that of a transient one. Costs as above, for the one component.
KITH_API bool kith_component_hash(kith_world *world, kith_component component, uint64_t *hash);
KITH_API bool kith_component_hash_full(const kith_world *world, kith_component component,
                                       uint64_t *hash);

// ---------------------------------------------------------------------------------------------
// Clones of worlds
//
// From the clone on, equal calls have equal results in both worlds: handles, rows, orders, ticks.
// The worlds share nothing.
// The same    Entities with their versions, the free indices and their order; components with ids,
//             registration order, traits and limits; values, rows, holes and the order in which
//             they are filled; disabled rows, flags, singletons; the tick, page stamps, row ticks,
//             journals; hierarchies; groups, paths, queues and reactive sets with all that is in
//             them; the room that entities, rows and events have.
// Not there   Listeners and handlers, stored queries, systems and their schedule, command buffers,
//             merges, the record of errors; room that was made for loops, batches and singletons.
// Handles     An entity's is good in both. A group, a path and a queue are found by making them
//             again: in the clone nobody owns them yet, so a group or path stays until all who made
//             it since have destroyed it. Reactive sets have the same place in kith_reactive_at,
//             and their functions the same context. Numbers of listeners differ.
// Values      Those with a copy hook are copied by it, by components in registration order, each by
//             rows; all others as bytes, whole pages at once. Hooks keep their context. They may
//             ask the world and must not change it. A hierarchy's links are kept.
// Threads     Several may clone one world at once, if hooks and the allocator bear it.
// ---------------------------------------------------------------------------------------------

/// Makes a world that is equal to this one, with `desc` for its allocator, error hook, user pointer
/// and memory; the handle layout and limits in it are passed over. NULL: all that as in the old
/// one. Returns NULL, with an error that the old world's hook hears, while a loop is open, from
/// inside a hook, listener or handler (KITH_ERROR_BUSY); when a component has values with a
/// destruct hook and no copy hook (KITH_ERROR_ARGUMENT, with its name); when a copy hook says no;
/// when `desc` makes no sense; when memory runs out. The old world stays as it was. O(bytes).
KITH_API kith_world *kith_world_clone(const kith_world *world, const kith_world_desc *desc);

// ---------------------------------------------------------------------------------------------
// Clones of entities
//
//     kith_entity crew[8], copies[8];                       // who know each other by handles
//     kith_entities_clone(arena, lobby, crew, 8, copies);   // two worlds, or one
//
// One call is a batch (see batch.h): all or nothing, and announced when everything is in place, as
// kith_entity_clone_many does it. Each clone has what its original has, required components that
// it lacks are not added.
// Components  Are found by their names: ids and the order of registering may differ. One that the
//             other world has not (KITH_ERROR_UNREGISTERED), or with another kind, size or form of
//             saving (KITH_ERROR_ARGUMENT), is an error that names it.
// Values      Are copied by the copy hook of the world to which they go; as bytes without one. A
//             value with a destruct or move hook and no copy hook is an error.
// Handles     In fields (see fields.h) those of the originals become those of their clones. Others
//             stay as they are in the same world; in another world they would mean nobody, or
//             somebody else, and become KITH_NULL. Handles in values that are plain or saved
//             through functions are bytes, and stay.
// Hierarchies Clones have the links that their originals have among each other, in the same order,
//             and no others: of a subtree comes a subtree. Links are made last. A clone that a
//             listener has linked by then, or that is no node any more, keeps what it has.
// Rows        What is disabled is disabled in the clone. Rows are in the order of the array.
// ---------------------------------------------------------------------------------------------

/// Makes a clone of each entity of `from` in `to`, which may be the same world; `clones` may be the
/// same array. Where a listener ended one its place has KITH_NULL. False and an error, in `to`,
/// also for a null, dead or repeated entity, when a copy hook says no, when a limit is reached or
/// memory runs out; the clones may then be anything. O(count log count) at worst, O(count) for each
/// component and handle, and for hierarchies O(children of the originals).
KITH_API bool kith_entities_clone(kith_world *to, const kith_world *from,
                                  const kith_entity *entities, uint32_t count, kith_entity *clones);

#ifdef __cplusplus
}
#endif

#endif
