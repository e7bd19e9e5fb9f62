// SPDX-License-Identifier: MIT
// Reads recordings through the library: each frame becomes a snapshot.
#include "recording.h"

#include "chunk.h"
#include "say.h"

#include "base/xxh3.h"
#include "snapshot/chunk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool recording_is(const input *in)
{
    return chunk_head_fault(in) == NULL && chunk_is_recording(in);
}

static int complain_frame(const input *in, uint64_t frame, const kith_result *result)
{
    bool memory = result->code == KITH_ERROR_MEMORY || result->code == KITH_ERROR_LIMIT;
    return complain(memory ? EXIT_TROUBLE : EXIT_DIFFERS, in->name, "frame %" PRIu64 ": %s", frame,
                    result->message);
}

// --- one frame -------------------------------------------------------------------------------

static int complain_absent(const input *in, uint64_t first, uint64_t last)
{
    if (last == 0) {
        return complain(EXIT_DIFFERS, in->name, "the recording has no whole frame");
    }
    return complain(EXIT_TROUBLE, in->name,
                    "the recording has no frame %" PRIu64 "; it has frames from %" PRIu64
                    " to %" PRIu64,
                    in->frame, first, last);
}

// Puts the snapshot in the place of the recording.
static bool replace_bytes(input *in, const kith_bytes *snapshot)
{
    uint8_t *bytes = malloc(snapshot->size + 1);
    if (bytes != NULL) {
        memcpy(bytes, snapshot->data, snapshot->size);
        free(in->bytes);
        in->bytes = bytes;
        in->size  = snapshot->size;
    }
    return bytes != NULL;
}

int recording_choose(input *in)
{
    kith_bytes    snapshot = { .data = NULL };
    kith_recorded record   = { .frame = 0 };
    uint64_t      first    = 0;
    bool          found    = false;
    if (chunk_head_fault(in) != NULL || (!in->at && !recording_is(in))) {
        return EXIT_FINE;
    }
    if (!recording_is(in)) {
        return complain(EXIT_TROUBLE, in->name, "a snapshot has no frames: leave out the @");
    }
    while (kith_recording_next(in->bytes, in->size, &record)) {
        first = first == 0 ? record.frame : first;
        found = found || !in->at || record.frame == in->frame;
    }
    if (!found) {
        return complain_absent(in, first, record.frame);
    }
    uint64_t    frame  = in->at ? in->frame : record.frame;
    kith_result result = kith_recording_snapshot(in->bytes, in->size, frame, &snapshot);
    bool        enough = result.code != KITH_OK || replace_bytes(in, &snapshot);
    kith_bytes_free(&snapshot);
    if (result.code != KITH_OK) {
        return complain_frame(in, frame, &result);
    }
    return enough ? EXIT_FINE : complain(EXIT_TROUBLE, in->name, "there is not enough memory");
}

// --- all frames ------------------------------------------------------------------------------

static void put_u64(uint8_t *bytes, uint64_t number)
{
    for (uint32_t i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(number >> 8 * i);
    }
}

// Appends the snapshot of the frame before, as a chunk of a recording.
static bool put_whole(kith_bytes *to, const kith_bytes *snapshot)
{
    static const uint8_t zeros[8];
    uint8_t              head[KITH_CHUNK_HEAD] = "WHOL";
    size_t               at                    = to->size;
    size_t               size                  = sizeof zeros + snapshot->size;
    put_u64(head + 8, size);
    put_u64(head + 16, size);
    bool enough = kith_bytes_write(head, sizeof head, to) && // frame 0 is before all others
                  kith_bytes_write(zeros, sizeof zeros, to) &&
                  kith_bytes_write(snapshot->data, snapshot->size, to) &&
                  kith_bytes_write(zeros, (8 - size % 8) % 8, to);
    if (enough) {
        put_u64(to->data + at + 24, kith_xxh3(to->data + at + KITH_CHUNK_HEAD, size));
        put_u64(to->data + at + 32, kith_xxh3(to->data + at, 32));
    }
    return enough;
}

// Makes the snapshot of a frame from that of the frame before: of a recording with these two. So
// the cost of a frame does not depend on how many frames are before it.
static kith_result make_next(frame_walk *walk, const kith_recorded *record)
{
    const uint8_t *bytes  = walk->in->bytes;
    kith_bytes     two    = { .data = NULL };
    kith_bytes     next   = { .data = NULL };
    kith_result    result = { .code = KITH_ERROR_MEMORY, .message = "there is not enough memory" };
    if (kith_bytes_write(bytes, KITH_FILE_HEAD, &two) &&
        (walk->count == 0 || record->whole || put_whole(&two, &walk->snapshot)) &&
        kith_bytes_write(bytes + record->offset, (size_t)record->size, &two)) {
        result = kith_recording_snapshot(two.data, two.size, record->frame, &next);
    }
    kith_bytes_free(&two);
    kith_bytes_free(&walk->snapshot);
    walk->snapshot = next;
    return result;
}

bool frame_next(frame_walk *walk, int *code)
{
    const input  *in   = walk->in;
    kith_recorded next = walk->record;
    *code              = EXIT_FINE;
    if (!kith_recording_next(in->bytes, in->size, &next)) {
        return false;
    }
    if (next.frame <= walk->record.frame) {
        *code = complain(EXIT_DIFFERS, in->name, "frame %" PRIu64 " follows frame %" PRIu64,
                         next.frame, walk->record.frame);
        return false;
    }
    kith_result result = make_next(walk, &next);
    if (result.code != KITH_OK) {
        *code = complain_frame(in, next.frame, &result);
        return false;
    }
    walk->record = next;
    walk->count++;
    return true;
}

void frame_end(frame_walk *walk)
{
    kith_bytes_free(&walk->snapshot);
}
