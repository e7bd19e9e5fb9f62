// SPDX-License-Identifier: MIT
// Components as a snapshot describes them.
#ifndef KITH_CLI_COMPONENT_H
#define KITH_CLI_COMPONENT_H

#include "chunk.h"

typedef struct saved_component {
    const char *name; // in the snapshot, not 0-terminated
    uint32_t    name_length;
    uint32_t    kind;
    uint32_t    policy;
    uint32_t    form;
    uint32_t    unit;
    uint32_t    version;
    uint32_t    packed;
    uint32_t    rows; // of a flag, those who have it; of a singleton, whether it has its value
    uint32_t    holes;
    uint64_t    bytes; // in the file
    reader      table; // of fields
    uint8_t    *own;   // memory of all that, if it was packed
} saved_component;

/// Reads a COMP chunk, whose memory it takes over; false if that makes no sense.
bool component_read(saved_component *out, chunk *from_chunk);

/// A line of the table of components, below the line with `component_head`, and a line for each
/// field.
void component_print_head(void);
void component_print(const saved_component *it);

#endif
