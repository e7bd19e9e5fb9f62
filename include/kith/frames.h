// SPDX-License-Identifier: MIT
// Frames: a ring of past states of a world, to go back to. Include it beside kith.h.
//
//     kith_frames *frames = kith_frames_create(world, &(kith_frames_desc){ .capacity = 64 });
//
//     simulate(world);
//     uint64_t frame = kith_frames_save(frames);   // once for each simulated frame
//     ...
//     kith_frames_restore(frames, frame - 8);      // a late input: go back and simulate again
//
// A frame refers to copies of pages. Frames share the copies of pages that did not change:
//
//     frame 7      [ a0 | b0 | c0 | d0 ]
//     frame 8      [ a0 | b1 | c0 | d0 ]     b was written after frame 7
//     frame 9      [ a0 | b1 | c0 | d1 ]
//     the world    [ a0 | b2 | c0 | d1 ]     stands on frame 9; b was written since
//
// kith_frames_save copies the pages that were written since the frame that the world stands on.
// kith_frames_restore copies back the pages that differ: for frame 7 these are b and d. Large lists
// (reactive sets, journals, queued events, tracked entities) are cut into pieces, which are shared
// and copied as pages are.
//
// Threads     All functions belong to the world's thread, except for kith_recording_next and
//             kith_recording_snapshot, which use no world. Any number of threads may read the world
//             of kith_frames_world, until the ring is used again.
#ifndef KITH_FRAMES_H
#define KITH_FRAMES_H

#include "diff.h"
#include "snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Frames
//
// State       A frame has the world's whole state, the exact state included: entities and free
//             indices, components, singletons, flags, disabled rows, groups, ticks, journals,
//             reactive sets, queued events, `since` of queries for changes, turns of systems, and
//             the objects of object.h. Save forms are not needed. Transient components are left
//             out, and no entity has them after a restore. A group that excludes one may then have
//             more members; where it owns components, their rows move.
// Tick        Saving ends the tick, as kith_world_advance does: what is written later has a higher
//             tick than the frame. Restoring makes the world what it was right after the save.
// No change   A restore is no change. Stamps, row ticks, `since`, reactive sets and journals are
//             what they were. Listeners get one event, KITH_EVENT_REPLACED, with the frame's tick.
//             Handles from the frame are valid again. A handle that was created after the frame can
//             be created again, for another entity. A pointer to a value, a loop, and a walk
//             through removals must be obtained again. merge.h says what happens to merges.
// Hooks       Values with a copy hook are copied by it, and the copies are destructed with the last
//             frame that has them. A component with values, a destruct hook and no copy hook
//             cannot be saved.
// Setup       A frame can be restored as long as the setup of the world is the same: registered
//             components and their hooks, limits, groups, queues, reactive sets, queries with
//             changed or added terms, systems, and objects.
// Rings       A world can have several rings. A restore through one ring, or a load, makes the
//             next save of the other rings copy every page.
// ---------------------------------------------------------------------------------------------

/// A ring of frames. It belongs to its world, and ends with it at the latest.
typedef struct kith_frames kith_frames;

/// How many frames a ring keeps, and in how much memory.
typedef struct kith_frames_desc {
    const char *name;     // for messages; may be NULL
    uint32_t    capacity; // frames, up to 65536; when it is full the oldest goes; 0: 64
    size_t      bytes;    // the most memory for frames: the oldest go when it is used up; 0: no end
    bool        fixed;    // allocate all `bytes` when the ring is created, and none later, but for
                          // the state of the largest object (object.h), outside of `bytes`
    bool hashes;          // keep the hash of each frame: kith_world_hash at the save
} kith_frames_desc;

/// What a ring holds.
typedef struct kith_frames_report {
    uint64_t current; // the frame that was saved or restored last; 0: none
    uint32_t frames;
    size_t   bytes;  // allocated by the ring, without kith_frames_world
    uint32_t copied; // pages, pieces of lists and singletons that the latest save copied
    uint32_t shared; // those of the latest save that an earlier frame had
    uint32_t back;   // those that the latest restore copied back, without tracked entities
} kith_frames_report;

/// Creates a ring without frames; `desc` may be NULL. Returns NULL and records an error:
/// KITH_ERROR_MEMORY, KITH_ERROR_ARGUMENT for `fixed` without `bytes` or too large a `capacity`,
/// KITH_ERROR_BUSY from inside a hook. O(capacity), and O(bytes) for `fixed`.
KITH_API kith_frames *kith_frames_create(kith_world *world, const kith_frames_desc *desc);

/// Destroys the ring and its frames. NULL: returns true. Returns false and records KITH_ERROR_BUSY
/// from inside a hook, while a frame of the ring is restored, and in the step of kith_frames_check.
/// O(copies).
KITH_API bool kith_frames_destroy(kith_frames *frames);

/// Saves the world as a frame, and ends the tick. Returns the number of the frame: one more than
/// that of the frame that the world stands on, from 1. Frames with this number or a higher one go.
/// Returns 0, records an error, and changes no frame and nothing in the world: KITH_ERROR_BUSY
/// while a loop is open, a listener, hook or system runs, or a buffer has commands that are not
/// cleared; KITH_ERROR_ARGUMENT for a component that cannot be copied; with `hashes` the errors of
/// kith_world_hash; KITH_ERROR_HOOK when a copy hook fails; KITH_ERROR_MEMORY
/// when the frame does not fit beside the one that the world stands on. Then all others are gone.
/// O(pages + bytes of written pages + bytes of lists).
///
/// A write through a pointer from before the latest save has no stamp, so the frame may lack it.
/// This holds for singletons, too. A library with asserts compares the values of components whose
/// save form has all their bytes. It records KITH_ERROR_ARGUMENT with the component and the entity,
/// and the frame has the write. That is O(bytes of all pages).
KITH_API uint64_t kith_frames_save(kith_frames *frames);

/// Makes the world what it was when the frame was saved, and then announces KITH_EVENT_REPLACED.
/// Later frames stay until the next save. Returns false, records an error, and changes nothing:
/// KITH_ERROR_ARGUMENT for a frame that the ring does not have; KITH_ERROR_CONFLICT when the setup
/// of the world is another one; the errors of kith_frames_save. When the ring has no memory for
/// copies by hooks, frames go that are older than `frame` and the one that the world stands on.
/// O(pages + bytes of pages that differ + rows that have another entity + bytes of lists).
KITH_API bool kith_frames_restore(kith_frames *frames, uint64_t frame);

/// Sets the numbers of the oldest and the newest frame; returns false when there is none. O(1).
KITH_API bool kith_frames_range(const kith_frames *frames, uint64_t *oldest, uint64_t *newest);

/// Sets the hash of a frame. Returns false without an error when the ring does not have the frame,
/// or keeps no hashes. O(1).
KITH_API bool kith_frames_hash(const kith_frames *frames, uint64_t frame, uint64_t *hash);

/// Returns the value that the entity had in a frame, without a restore: for lag compensation. It
/// stays until the frame goes. Returns NULL without an error when the ring does not have the frame,
/// or the entity did not have the component then; for a singleton `entity` does not matter. A tag
/// or flag has an address without bytes. O(1) where the entity has the same row now; otherwise the
/// first call for a frame and component is O(rows), and allocates 4 bytes for each entity. Not for
/// several threads at once.
KITH_API const void *kith_frames_get(const kith_frames *frames, uint64_t frame, kith_entity entity,
                                     kith_component component);

/// Returns the world as it was in a frame, to read: query, save, hash and compare it. It is a
/// second world, which belongs to the ring. It stays as it is until kith_frames_world is called for
/// two other frames, or until kith_frames_diff, kith_frames_check, kith_frames_delta or
/// kith_recording_add is called. Returns NULL and records KITH_ERROR_BUSY from inside a hook, and
/// the errors of kith_frames_restore. The first call for a ring copies the setup of the world, and
/// needs as much memory as the world; the next calls copy the pages that differ.
KITH_API const kith_world *kith_frames_world(kith_frames *frames, uint64_t frame);

/// Compares two frames, as kith_world_diff compares two worlds. `each` of `diff` must not call
/// functions of the ring. Returns false on an error, also one of kith_frames_world.
/// O(both worlds).
KITH_API bool kith_frames_diff(const kith_frames *frames, uint64_t first, uint64_t second,
                               kith_diff *diff);

/// Returns what the ring holds and what its latest calls did. O(1).
KITH_API kith_frames_report kith_frames_report_of(const kith_frames *frames);

// ---------------------------------------------------------------------------------------------
// Finding what is not deterministic
//
//     static void step(kith_world *world, uint64_t frame, void *context)
//     {
//         simulate(world, inputs_of(context, frame));      // what leads to this frame, no save
//     }
//     ...
//     kith_frames_finding found = kith_frames_check(frames, 8, step, game);
//     if (found.frame != 0) {
//         puts(found.text);
//     }
//
//     frame 118, saved and again: entity 12v3: "position".x is 1.5 in the first world and 2.25 in
//     the second
//
// A step that depends on anything that a frame does not have gives another result when it runs
// again: a static variable, a clock, the address of an object, memory that is not initialised, a
// transient component, a group that names one.
// ---------------------------------------------------------------------------------------------

/// Simulates the world from the frame before `frame` to `frame`, as the program does between two
/// saves. It must not save, restore or destroy frames.
typedef void (*kith_step_fn)(kith_world *world, uint64_t frame, void *context);

/// What kith_frames_check found.
typedef struct kith_frames_finding {
    bool     checked;     // false: an error was recorded, or passed to the error hook
    uint64_t frame;       // the first frame that came out differently; 0: none
    uint64_t differences; // of the state; 0 with a frame: only the exact state differs
    char     text[320];   // in words; empty: none
} kith_frames_finding;

/// Goes back by `back` frames, or to the oldest, calls `step` for each frame after that, and
/// compares the result with the frame that was saved. Stops at the first difference. Afterwards
/// the world is what it was in the newest frame: changes since then are lost. Components with
/// values need a save form. Has the errors of kith_frames_restore and kith_world_diff.
/// O(back x both worlds), and what `step` does.
KITH_API kith_frames_finding kith_frames_check(kith_frames *frames, uint64_t back,
                                               kith_step_fn step, void *context);

// ---------------------------------------------------------------------------------------------
// Deltas
//
//     kith_bytes delta = { 0 };
//     kith_frames_delta(frames, 7, 9, NULL, kith_bytes_write, &delta);
//     ...
//     kith_delta_apply(replica, delta.data, delta.size);   // in the state of frame 7, or of 9
//
// Exact       The difference between two frames: what has changed, in both directions. A world in
//             the state of one frame gets the state of the other one. It is in such a state after
//             an exact snapshot of that frame was loaded, or after a delta.
// Content     The difference between what two frames have of the selected components and entities.
//             kith_merge_apply (merge.h) takes it, in a world with other handles, entities and
//             components of its own. It leads forward only; from frame 0 it has everything.
// Verified    The bytes have checksums of both states, and of themselves. A world in any other
//             state is refused, and so are damaged bytes. A refused delta changes nothing.
// Bytes       The same on every machine; docs/format.md describes them. A delta needs the save
//             forms of the components, as a snapshot does.
// ---------------------------------------------------------------------------------------------

/// What a delta has. All zero: an exact delta of everything.
typedef struct kith_delta_desc {
    bool                  content;    // of the selection, for kith_merge_apply; otherwise exact
    const kith_component *components; // only these; NULL: all; content only
    uint32_t              component_count;
    const kith_entity    *entities; // only these, if they are alive; NULL: all; content only
    uint32_t              entity_count;
    uint32_t              zstd_level; // 1 to 19: compressed, needs zstd in the library; 0: not
} kith_delta_desc;

/// Writes the delta between two frames; `desc` may be NULL. With `content`, `from` may be 0: no
/// entity, no value; the selection is that of both frames. `write` must not call functions of the
/// ring. Fails with the errors of kith_frames_world and kith_world_save, and with KITH_ERROR_IO
/// when `write` returns false. Allocates from the C library's heap, as kith_world_save does; the
/// ring keeps the snapshots of up to two frames there. O(both worlds); for consecutive exact
/// deltas, from the frame that the previous one led to, O(world).
KITH_API kith_result kith_frames_delta(kith_frames *frames, uint64_t from, uint64_t to,
                                       const kith_delta_desc *desc, kith_write_fn write,
                                       void *context);

/// Gives the world the other state of a delta, as kith_world_load does. Fails and changes nothing:
/// KITH_ERROR_CONFLICT when the world is in neither of its states, KITH_ERROR_FORMAT when the bytes
/// are damaged, KITH_ERROR_LIMIT, and the errors of kith_world_save and kith_world_load. O(world).
KITH_API kith_result kith_delta_apply(kith_world *world, const void *bytes, size_t size);

// ---------------------------------------------------------------------------------------------
// Recordings
//
//     kith_recording *recording = kith_recording_create(world, "game.kith", NULL);
//     ...
//     kith_recording_add(recording, frames, frame);      // for each frame, once it is final
//     kith_recording_destroy(recording);
//
// File        A snapshot, then deltas. When the deltas since the latest snapshot are together
//             larger than a snapshot, the next frame is a snapshot. The tool reads a frame where it
//             reads a file: `kith json game.kith@120`.
// Large       Writing needs memory for a few snapshots, however long the file is. So does reading,
//             when the program maps the file (mmap). The tool reads whole files into memory.
// Cut off     A frame is in the file, or it is not: when the program or the machine ends at any
//             moment, all frames that are whole can be read.
// Flushing    kith_recording_add passes the frame to the system: it is safe when the program ends.
//             With `sync`, and when the recording is destroyed, it is flushed to the disk: it is
//             safe when the machine ends.
// ---------------------------------------------------------------------------------------------

/// A file to which frames are written. It belongs to its world, and ends with it at the latest.
typedef struct kith_recording kith_recording;

/// How to record.
typedef struct kith_recording_desc {
    uint32_t zstd_level; // 1 to 19: compressed, needs zstd in the library; 0: not
    bool     sync;       // flush each frame to the disk
} kith_recording_desc;

/// Creates the file, or empties an existing one, and a recording without frames; `desc` may be
/// NULL. Two recordings must not have one file at the same time. Returns NULL and records
/// KITH_ERROR_IO, KITH_ERROR_MEMORY, KITH_ERROR_ARGUMENT for a wrong `zstd_level`, or
/// KITH_ERROR_BUSY from inside a hook. O(1).
KITH_API kith_recording *kith_recording_create(kith_world *world, const char *path,
                                               const kith_recording_desc *desc);

/// Flushes the file to the disk and closes it. NULL: returns true. Returns false and records
/// KITH_ERROR_IO when it could not be flushed; from inside a hook KITH_ERROR_BUSY, and the
/// recording stays. O(1).
KITH_API bool kith_recording_destroy(kith_recording *recording);

/// Appends a frame, with a higher number than the one before. It may be of another ring than that
/// one, also of another world: each frame is read as it was. Fails with the errors of
/// kith_frames_delta; with KITH_ERROR_ARGUMENT for a number that is not higher; with KITH_ERROR_IO,
/// and then for all later frames, when the file cannot be written. O(world).
KITH_API kith_result kith_recording_add(kith_recording *recording, kith_frames *frames,
                                        uint64_t frame);

/// A frame in the bytes of a recording.
typedef struct kith_recorded {
    uint64_t frame;
    uint64_t offset; // in the bytes
    uint64_t size;   // of what the file has for it
    bool     whole;  // a snapshot; otherwise a delta
} kith_recorded;

/// Goes to the next frame; `record` is all zero at the beginning. Returns false after the last
/// whole frame, and for bytes that are no recording. O(size of the frame in the file).
KITH_API bool kith_recording_next(const void *bytes, size_t size, kith_recorded *record);

/// Makes the exact snapshot of a frame, for kith_world_load. Fails with KITH_ERROR_ARGUMENT when
/// the bytes do not have the whole frame, KITH_ERROR_FORMAT when they are no recording,
/// KITH_ERROR_MEMORY. O(bytes of the recording before it + frames since the snapshot x snapshot).
KITH_API kith_result kith_recording_snapshot(const void *bytes, size_t size, uint64_t frame,
                                             kith_bytes *snapshot);

#ifdef __cplusplus
}
#endif

#endif
