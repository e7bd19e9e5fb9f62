// SPDX-License-Identifier: MIT
// Reads the chunks of a snapshot (docs/format.md), also of a damaged one.
#ifndef KITH_CLI_CHUNK_H
#define KITH_CLI_CHUNK_H

#include "input.h"

#define SNAPSHOT_FORMAT 0u

// Bytes that are read from front to back. A read past the end returns 0 and sets `ended`.
typedef struct reader {
    const uint8_t *bytes;
    size_t         size;
    size_t         at;
    bool           ended;
} reader;

uint32_t read_u32(reader *from);
uint64_t read_u64(reader *from);

/// Returns a text, which is not 0-terminated, and its length.
const char *read_text(reader *from, uint32_t *length);

typedef struct chunk {
    char        tag[5]; // empty: the head is damaged, so later chunks cannot be found
    uint64_t    offset;
    uint32_t    packing;
    uint64_t    stored; // bytes in the file
    uint64_t    size;   // bytes unpacked
    size_t      most;   // the limit for `size`
    const char *fault;  // NULL: none
    reader      body;   // unpacked; empty after a fault
    uint8_t    *own;    // memory of a body that was packed; else NULL
} chunk;

/// Returns the fault in the head of the file, or NULL.
const char *chunk_head_fault(const input *in);

/// Whether a file without a fault in its head is a recording, and not a snapshot.
bool chunk_is_recording(const input *in);

/// Reads the next chunk and ends the one before. At first `*at` is 0 and `out` is all 0. Returns
/// false at the end of the file; then `out` needs no chunk_end.
bool chunk_next(const input *in, uint64_t *at, chunk *out);
void chunk_end(chunk *it);

#endif
