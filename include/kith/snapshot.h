// SPDX-License-Identifier: MIT
// Snapshots: a world as bytes, and back. Part of kith.h.
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
//             world has finds everything new, or has nobody. Events need a form (react.h); without
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

#ifdef __cplusplus
}
#endif

#endif
