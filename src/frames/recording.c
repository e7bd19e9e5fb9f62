// SPDX-License-Identifier: MIT
// Recordings: files to which frames are appended, one chunk a frame.
//
//     file     head | WHOL frame, snapshot | FRAM frame, delta | FRAM frame, delta | WHOL ...
//
// A delta leads from the frame before it. When the deltas since the last snapshot are larger than a
// snapshot, the next frame is a snapshot again: so a frame is made of at most twice its bytes.
// A chunk has its length and checksums in front. Where a file is cut off, the chunks before are
// read.
#include "base/platform.h"
#include "frames/frames.h"
#include "snapshot/load.h"

#include <errno.h>

struct kith_recording {
    kith_object         object;
    kith_recording_desc desc;
    FILE               *file;   // NULL: writing failed
    uint64_t            frame;  // the latest; 0: none
    size_t              since;  // bytes of deltas since the latest snapshot
    kith_bytes          latest; // the snapshot of `frame`; empty: the next one is a snapshot
};

// --- writing ---------------------------------------------------------------------------------

static void destroy_recording(kith_object *object)
{
    kith_recording *recording = (kith_recording *)object;
    if (recording->file != NULL) {
        kith_platform_flush(recording->file);
        fclose(recording->file);
    }
    kith_bytes_free(&recording->latest);
    kith_free(&object->world->memory, recording, sizeof *recording, _Alignof(kith_recording));
}

static size_t bytes_of_recording(const kith_object *object)
{
    return sizeof(kith_recording) + ((const kith_recording *)object)->latest.room;
}

static const kith_object_ops recording_ops = { .kind    = "recording",
                                               .destroy = destroy_recording,
                                               .bytes   = bytes_of_recording };

// Passes the bytes to the system, and to the disk if the description says so.
static bool append_to_file(kith_recording *recording, const kith_bytes *bytes)
{
    FILE *file = recording->file;
    errno      = 0;
    if (fwrite(bytes->data, 1, bytes->size, file) == bytes->size &&
        (recording->desc.sync ? kith_platform_flush(file) : fflush(file) == 0)) {
        return true;
    }
    fclose(file); // what comes behind a part of a frame could not be read
    recording->file = NULL;
    return false;
}

kith_recording *kith_recording_create(kith_world *world, const char *path,
                                      const kith_recording_desc *desc)
{
    static const kith_recording_desc defaults;
    desc              = desc == NULL ? &defaults : desc;
    const char *fault = kith_pack_fault(desc->zstd_level);
    if (!kith_require_unlocked(world, __func__) ||
        (fault != NULL && !kith_world_mistake(world, __func__, fault, path))) {
        return NULL;
    }
    kith_recording *recording =
        kith_alloc_zeroed(&world->memory, sizeof *recording, _Alignof(kith_recording));
    if (recording == NULL) {
        kith_world_refuse(world, KITH_ERROR_MEMORY, __func__, 0, KITH_NULL);
        return NULL;
    }
    recording->desc             = *desc;
    recording->latest.allocator = world->memory;
    recording->file             = fopen(path, "wb");
    kith_object_link(world, &recording->object, &recording_ops);
    if (recording->file == NULL) {
        kith_recording_destroy(recording);
        kith_world_refuse_because(world, KITH_ERROR_IO, __func__, 0, "cannot create the file",
                                  path);
        return NULL;
    }
    return recording;
}

bool kith_recording_destroy(kith_recording *recording)
{
    if (recording == NULL || !kith_require_unlocked(recording->object.world, __func__)) {
        return recording == NULL;
    }
    bool whole = recording->file == NULL || kith_platform_flush(recording->file) ||
                 kith_world_refuse_because(recording->object.world, KITH_ERROR_IO, __func__, 0,
                                           "cannot flush the file", NULL);
    kith_object_unlink(&recording->object);
    destroy_recording(&recording->object);
    return whole;
}

// Appends a chunk with the snapshot, or with the delta if that is smaller.
static bool append_frame(kith_recording *recording, uint64_t frame, const kith_bytes *snapshot,
                         kith_result *result)
{
    const kith_allocator memory = recording->object.world->memory;
    kith_bytes           bytes  = { .allocator = memory };
    kith_bytes           delta  = { .allocator = memory };
    kith_writer          inner  = { .out = &delta };
    kith_writer          writer = { .out   = &bytes,
                                    .kind  = KITH_FILE_RECORDING,
                                    .level = (int)recording->desc.zstd_level };
    bool                 whole  = recording->latest.size == 0;
    if (!whole) {
        kith_delta_write(&inner, &recording->latest, snapshot, recording->frame, frame);
        whole = recording->since + delta.size > snapshot->size;
    }
    if (recording->frame == 0) {
        kith_writer_file(&writer);
    }
    kith_writer_begin(&writer);
    kith_writer_u64(&writer, frame);
    kith_writer_numbers(&writer, whole ? snapshot->data : delta.data,
                        whole ? snapshot->size : delta.size, 1);
    kith_writer_end(&writer, whole ? KITH_TAG_WHOLE : KITH_TAG_FRAME);
    recording->latest.size = 0;
    bool enough            = inner.code == KITH_OK && writer.code == KITH_OK &&
                  kith_bytes_write(snapshot->data, snapshot->size, &recording->latest);
    bool done = enough && append_to_file(recording, &bytes);
    if (!done) {
        recording->latest.size = 0; // the next frame is a snapshot
        *result = enough ? kith_result_of(KITH_ERROR_IO, 0, "cannot write the recording: %s",
                                          strerror(errno))
                         : kith_result_of(KITH_ERROR_MEMORY, 0, "memory ran out");
    }
    recording->since = whole ? 0 : recording->since + delta.size;
    kith_bytes_free(&bytes);
    kith_bytes_free(&delta);
    kith_bytes_free(&writer.packed);
    return done;
}

kith_result kith_recording_add(kith_recording *recording, kith_frames *frames, uint64_t frame)
{
    kith_result result = { .code = KITH_OK };
    if (recording->file == NULL) {
        return kith_result_of(KITH_ERROR_IO, 0, "writing this recording has failed");
    }
    if (frame <= recording->frame) {
        return kith_result_of(KITH_ERROR_ARGUMENT, 0,
                              "the recording has this frame, or a later one");
    }
    kith_view *view = kith_frames_view(frames, frame, frame, NULL, __func__);
    if (view == NULL) {
        return kith_frames_latest_error(frames);
    }
    const kith_bytes *snapshot = kith_view_bytes(view, &result);
    if (snapshot != NULL && append_frame(recording, frame, snapshot, &result)) {
        recording->frame = frame;
    }
    return result;
}

// --- reading ---------------------------------------------------------------------------------

// Reads the record behind `record`. The reader has its contents; the caller frees `unpacked`.
static bool read_record(kith_reader *in, const void *bytes, size_t size, kith_recorded *record)
{
    *in = (kith_reader){ .file     = { .bytes = bytes, .size = size },
                         .kind     = KITH_FILE_RECORDING,
                         .unpacked = in->unpacked };
    if (!kith_reader_file(in)) {
        return false;
    }
    size_t next = (size_t)(record->offset + record->size);
    in->file.at = next < KITH_FILE_HEAD || next > size ? in->file.at : next;
    next        = in->file.at;
    if (next == size || !kith_reader_chunk(in)) {
        return false;
    }
    *record = (kith_recorded){ .frame  = kith_source_u64(&in->body),
                               .offset = next,
                               .size   = in->file.at - next,
                               .whole  = in->tag == KITH_TAG_WHOLE };
    return !in->body.ended && (record->whole || in->tag == KITH_TAG_FRAME);
}

bool kith_recording_next(const void *bytes, size_t size, kith_recorded *record)
{
    kith_reader in    = { .tag = 0 };
    bool        there = read_record(&in, bytes, size, record);
    kith_bytes_free(&in.unpacked);
    return there;
}

kith_result kith_recording_snapshot(const void *bytes, size_t size, uint64_t frame,
                                    kith_bytes *snapshot)
{
    kith_reader   in     = { .tag = 0 };
    kith_bytes    next   = { .allocator = snapshot->allocator };
    kith_recorded last   = { .frame = 0 };
    kith_recorded record = last; // the one before the snapshot from which the frame is reached
    bool          found  = false;
    for (kith_recorded at = last; !found && read_record(&in, bytes, size, &at); last = at) {
        record = at.whole ? last : record;
        found  = at.frame == frame && frame != 0;
    }
    if (!found && in.result.code != KITH_ERROR_MEMORY &&
        (in.result.code == KITH_OK || last.size != 0)) {
        in.result = kith_result_of(KITH_ERROR_ARGUMENT, 0, "the recording lacks this frame");
    }
    while (in.result.code == KITH_OK && record.frame != frame &&
           read_record(&in, bytes, size, &record)) {
        kith_source rest = { in.body.bytes + in.body.at, kith_source_left(&in.body), 0, false };
        next.size        = 0;
        if (!record.whole) {
            in.result = kith_delta_read(rest, false, SIZE_MAX, snapshot, &next);
        } else if (!kith_bytes_write(rest.bytes, rest.size, &next)) {
            kith_reader_record_memory(&in);
        }
        kith_swap_memory(snapshot, &next, sizeof next);
    }
    kith_bytes_free(&in.unpacked);
    kith_bytes_free(&next);
    return in.result;
}
