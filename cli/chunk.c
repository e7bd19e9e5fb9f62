// SPDX-License-Identifier: MIT
// Reads chunks on its own, not through the library: it goes on where loading would stop.
#include "chunk.h"

#include "base/alloc.h"
#include "base/xxh3.h"
#include "snapshot/chunk.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_HEAD = 24, CHUNK_HEAD = 40, SUMMED = 32 };

// --- numbers ---------------------------------------------------------------------------------

static const uint8_t *take(reader *from, size_t size)
{
    bool fits   = !from->ended && size <= from->size - from->at;
    from->ended = !fits;
    from->at += fits ? size : 0;
    return fits ? from->bytes + from->at - size : NULL;
}

static uint64_t number_of(const uint8_t *bytes, uint32_t size)
{
    uint64_t number = 0;
    while (bytes != NULL && size-- != 0) {
        number = number << 8 | bytes[size];
    }
    return number;
}

uint32_t read_u32(reader *from)
{
    return (uint32_t)number_of(take(from, 4), 4);
}

uint64_t read_u64(reader *from)
{
    return number_of(take(from, 8), 8);
}

const char *read_text(reader *from, uint32_t *length)
{
    *length             = read_u32(from);
    const uint8_t *text = take(from, *length);
    *length             = text == NULL ? 0 : *length;
    return text == NULL ? "" : (const char *)text;
}

// --- the head --------------------------------------------------------------------------------

static const uint8_t magic[] = { 0x89, 'k', 'i', 't', 'h', '\r', '\n', 0x1a };

static uint64_t kind_of(const input *in)
{
    return number_of(in->bytes + 12, 4) & ~(uint64_t)KITH_FILE_PACKED;
}

const char *chunk_head_fault(const input *in)
{
    size_t least = in->size < sizeof magic ? in->size : sizeof magic;
    if (in->size == 0) {
        return "it is empty";
    }
    if (memcmp(in->bytes, magic, least) != 0) {
        return in->size > 5 && memcmp(in->bytes, magic, 5) == 0
                   ? "it was copied as text: its line ends changed"
                   : "not a kith snapshot";
    }
    if (in->size < FILE_HEAD) {
        return "it is cut off in its head";
    }
    if (number_of(in->bytes + 16, 8) != kith_xxh3(in->bytes, 16)) {
        return "its head is damaged";
    }
    uint64_t kind = kind_of(in);
    if (number_of(in->bytes + 8, 4) != SNAPSHOT_FORMAT ||
        (kind != 0 && kind != KITH_FILE_DELTA && kind != KITH_FILE_RECORDING)) {
        return "it was made by a newer version of kith";
    }
    return kind == KITH_FILE_DELTA ? "it is a delta, which is nothing without a snapshot" : NULL;
}

bool chunk_is_recording(const input *in)
{
    return kind_of(in) == KITH_FILE_RECORDING;
}

// --- chunks ----------------------------------------------------------------------------------

static bool is_padded(const uint8_t *bytes, uint64_t size)
{
    bool zero = true;
    for (; size % 8 != 0; size++) {
        zero = zero && bytes[size] == 0;
    }
    return zero;
}

// Refuses a size that the packed bytes cannot unpack to, before it allocates.
static const char *unpack(chunk *c, const uint8_t *bytes)
{
    uint64_t sum = c->packing == KITH_PACKING_SUMMED ? KITH_PACK_SUM : 0;
    if (c->packing > KITH_PACKING_SUMMED || c->stored < sum ||
        c->size / KITH_PACK_RATIO > c->stored) {
        return "it has an unknown packing";
    }
    if (!kith_pack_available()) {
        return "it is packed with zstd, which this program was built without";
    }
    size_t frames = (size_t)(c->stored - sum);
    if (sum != 0 && number_of(bytes, KITH_PACK_SUM) != kith_xxh3(bytes + sum, frames)) {
        return "the checksum of its packed bytes is wrong";
    }
    if (c->size > c->most) {
        return "it asks for too much memory: see --memory";
    }
    c->own = malloc((size_t)c->size + 1);
    if (c->own == NULL) {
        return "there is not enough memory to unpack it";
    }
    return kith_unpack(c->own, (size_t)c->size, bytes + sum, frames) ? NULL
                                                                     : "it cannot be unpacked";
}

static const char *body_fault(chunk *c, const uint8_t *bytes, uint64_t sum)
{
    const char *fault = c->packing == 0 ? NULL : unpack(c, bytes);
    if (!is_padded(bytes, c->stored)) {
        return "its padding is not 0";
    }
    if (fault != NULL) {
        return fault;
    }
    const uint8_t *body  = c->packing == 0 ? bytes : c->own;
    bool           sizes = c->packing != 0 || c->size == c->stored;
    if (!sizes || kith_xxh3(body, (size_t)c->size) != sum) {
        return "its checksum is wrong";
    }
    c->body = (reader){ .bytes = body, .size = (size_t)c->size };
    return NULL;
}

static void read_chunk(const uint8_t *head, uint64_t left, chunk *out)
{
    if (left < CHUNK_HEAD) {
        out->fault = "the file is cut off in its head";
        return;
    }
    if (number_of(head + SUMMED, 8) != kith_xxh3(head, SUMMED)) {
        out->fault = "its head is damaged";
        return;
    }
    memcpy(out->tag, head, 4);
    if (out->tag[0] == '\0') {
        out->fault = "its tag is invalid";
        return;
    }
    out->packing = (uint32_t)number_of(head + 4, 4);
    out->stored  = number_of(head + 8, 8);
    out->size    = number_of(head + 16, 8);
    left -= CHUNK_HEAD;
    if (out->stored > left || (8 - out->stored % 8) % 8 > left - out->stored) {
        out->fault = "the file is cut off in it";
        return;
    }
    out->fault = body_fault(out, head + CHUNK_HEAD, number_of(head + 24, 8));
}

void chunk_end(chunk *it)
{
    free(it->own);
    *it = (chunk){ 0 };
}

bool chunk_next(const input *in, uint64_t *at, chunk *out)
{
    uint64_t offset = *at == 0 ? FILE_HEAD : *at;
    chunk_end(out);
    if (offset >= in->size) {
        return false;
    }
    out->offset = offset;
    out->most   = kith_budget_limit(in->memory, in->size);
    read_chunk(in->bytes + offset, in->size - offset, out);
    bool found = out->tag[0] != '\0' && out->stored <= in->size;
    *at        = found ? offset + CHUNK_HEAD + (out->stored + 7) / 8 * 8 : in->size;
    return true;
}
