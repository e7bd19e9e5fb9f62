// SPDX-License-Identifier: MIT
// Reads a whole file, or standard input, into memory. FILE@FRAME is a frame of a recording.
#ifndef KITH_CLI_INPUT_H
#define KITH_CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct input {
    const char *name; // for messages
    uint8_t    *bytes;
    size_t      size;
    size_t      memory; // kith_load_desc.bytes
    bool        at;     // a frame was given: FILE@FRAME
    uint64_t    frame;
} input;

/// Reads a file, or standard input for "-". If there is no file of this name, and it ends in @ and
/// a number, reads the file before the @. `memory` is the limit for loading it. Returns EXIT_FINE,
/// or EXIT_TROUBLE after an error message.
int  input_read(input *in, const char *path, size_t memory);
void input_end(input *in);

/// Whether the path means standard input.
bool input_is_standard(const char *path);

#endif
