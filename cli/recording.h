// SPDX-License-Identifier: MIT
// Reads the frames of a recording.
#ifndef KITH_CLI_RECORDING_H
#define KITH_CLI_RECORDING_H

#include "input.h"

#include "kith/frames.h"

// A way through the frames of a recording, from the first to the last that is whole.
typedef struct frame_walk {
    const input  *in;
    kith_recorded record;   // the frame
    kith_bytes    snapshot; // of the frame
    uint64_t      count;    // of frames so far
} frame_walk;

/// Whether the bytes are a recording with a head that is whole.
bool recording_is(const input *in);

/// Makes a recording the snapshot of the frame that was given, or else of its newest. Leaves a
/// snapshot without a frame, and a file with a fault in its head, as it is. Returns EXIT_FINE;
/// after an error message EXIT_TROUBLE when there is no such frame, EXIT_DIFFERS for a damaged
/// recording.
int recording_choose(input *in);

/// Goes to the next frame; at first all but `in` is 0. Sets `code` to EXIT_FINE, and after an error
/// message to another exit code. Returns false after an error, and behind the last whole frame.
bool frame_next(frame_walk *walk, int *code);
void frame_end(frame_walk *walk);

#endif
