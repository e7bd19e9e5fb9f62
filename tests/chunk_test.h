// SPDX-License-Identifier: MIT
// Chunks of a snapshot whose bytes a test changed: corrects their checksums.
#ifndef KITH_TESTS_CHUNK_TEST_H
#define KITH_TESTS_CHUNK_TEST_H

#include "base/xxh3.h"
#include "snapshot/chunk.h"

typedef struct chunk_place {
    size_t head;
    size_t size; // of the payload
} chunk_place;

static inline uint64_t number_at(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < 8; i++) {
        number |= (uint64_t)bytes[i] << (8 * i);
    }
    return number;
}

static inline void put_number(uint8_t *bytes, uint64_t number)
{
    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(number >> (8 * i));
    }
}

static inline chunk_place place_of_chunk(const kith_bytes *file, size_t head)
{
    return (chunk_place){ head, (size_t)number_at(file->data + head + 8) };
}

static inline size_t behind(chunk_place chunk)
{
    return chunk.head + KITH_CHUNK_HEAD + (chunk.size + 7) / 8 * 8;
}

/// Makes the checksums of a chunk right again.
static inline void sign(kith_bytes *file, chunk_place chunk)
{
    uint8_t *head = file->data + chunk.head;
    put_number(head + 24, kith_xxh3(head + KITH_CHUNK_HEAD, chunk.size));
    put_number(head + 32, kith_xxh3(head, 32));
}

/// Makes all checksums right again, as far as there are whole chunks.
static inline void sign_all(kith_bytes *file)
{
    size_t head = KITH_FILE_HEAD;
    if (file->size >= head) {
        put_number(file->data + 16, kith_xxh3(file->data, 16));
    }
    while (head + KITH_CHUNK_HEAD <= file->size) {
        chunk_place chunk = place_of_chunk(file, head);
        if (chunk.size > file->size - head - KITH_CHUNK_HEAD) {
            return;
        }
        sign(file, chunk);
        head = behind(chunk);
    }
}

#endif
