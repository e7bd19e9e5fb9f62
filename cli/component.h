// SPDX-License-Identifier: MIT
// Reads and prints the description of a component in a snapshot.
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
    uint32_t    rows; // of a flag: entities that have it; of a singleton: 1 if it has a value
    uint32_t    holes;
    uint64_t    bytes; // in the file
    reader      table; // of fields
    uint8_t    *own;   // memory of the chunk, if it was packed
} saved_component;

/// Reads a COMP chunk and takes over its memory. Returns false when the chunk is too short.
bool component_read(saved_component *out, chunk *from_chunk);

/// Print the head of the table of components; a component's line, and one line for each field.
void component_print_head(void);
void component_print(const saved_component *it);

#endif
