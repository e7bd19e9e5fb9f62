// SPDX-License-Identifier: MIT
// A file that is read as a whole.
#ifndef KITH_CLI_INPUT_H
#define KITH_CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct input {
    const char *name; // for people
    uint8_t    *bytes;
    size_t      size;
    size_t      memory; // bytes of kith_load_desc
} input;

/// Reads a file, or standard input for "-", of which so much memory may be asked. EXIT_FINE, or
/// EXIT_TROUBLE after a complaint.
int  input_read(input *in, const char *path, size_t memory);
void input_end(input *in);

/// Whether the path means standard input.
bool input_is_standard(const char *path);

#endif
