// SPDX-License-Identifier: MIT
// The chunks of a snapshot, as docs/format.md describes them, as far as they can be read.
#ifndef KITH_CLI_CHUNK_H
#define KITH_CLI_CHUNK_H

#include "input.h"

#define SNAPSHOT_FORMAT 0u

// Bytes that are read from the front. What is not there reads as 0, and `ended` says so ever after.
typedef struct reader {
    const uint8_t *bytes;
    size_t         size;
    size_t         at;
    bool           ended;
} reader;

uint32_t read_u32(reader *from);
uint64_t read_u64(reader *from);

/// A text, which is not 0-terminated, and its length.
const char *read_text(reader *from, uint32_t *length);

typedef struct chunk {
    char        tag[5]; // empty: its head cannot be read, and what follows cannot be found
    uint64_t    offset;
    uint32_t    packing;
    uint64_t    stored; // bytes of it in the file
    uint64_t    size;   // of them unpacked
    size_t      most;   // bytes that it may have unpacked
    const char *fault;  // what is wrong with it; NULL: nothing
    reader      body;   // unpacked; empty if something is wrong
    uint8_t    *own;    // memory of a body that was packed; NULL: none
} chunk;

/// What is wrong with the head of the file, NULL: nothing.
const char *chunk_head_fault(const input *in);

/// Goes to the chunk behind the one at `*at`, which is 0 at first, and ends the one before; `out`
/// is all 0 at first. False when there is none; nothing is to be ended then.
bool chunk_next(const input *in, uint64_t *at, chunk *out);
void chunk_end(chunk *it);

#endif
