// SPDX-License-Identifier: MIT
#include "chunk.h"

#include "../src/checksum.h"

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

const char *chunk_head_fault(const input *in)
{
    size_t least = in->size < sizeof magic ? in->size : sizeof magic;
    if (in->size == 0) {
        return "it is empty";
    }
    if (memcmp(in->bytes, magic, least) != 0) {
        return in->size > 5 && memcmp(in->bytes, magic, 5) == 0
                   ? "it was copied as text, which changed its line ends"
                   : "it is no snapshot of kith";
    }
    if (in->size < FILE_HEAD) {
        return "it is cut off: not even its head is there";
    }
    if (number_of(in->bytes + 16, 8) != kith_checksum(in->bytes, 16)) {
        return "its head is damaged";
    }
    return number_of(in->bytes + 8, 4) == SNAPSHOT_FORMAT && number_of(in->bytes + 12, 4) == 0
               ? NULL
               : "it was made by a newer version of kith";
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

static const char *body_fault(const chunk *c, const uint8_t *bytes, uint64_t sum)
{
    if (!is_padded(bytes, c->stored)) {
        return "there is something behind its end";
    }
    if (c->packing != 0) {
        return NULL; // the sum is that of the unpacked bytes
    }
    return c->size == c->stored && kith_checksum(bytes, (size_t)c->stored) == sum
               ? NULL
               : "its checksum is wrong";
}

static void read_chunk(const uint8_t *head, uint64_t left, chunk *out)
{
    if (left < CHUNK_HEAD) {
        out->fault = "the file is cut off in its head";
        return;
    }
    if (number_of(head + SUMMED, 8) != kith_checksum(head, SUMMED)) {
        out->fault = "its head is damaged";
        return;
    }
    memcpy(out->tag, head, 4);
    if (out->tag[0] == '\0') {
        out->fault = "its tag makes no sense";
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
    if (out->fault == NULL && out->packing == 0) {
        out->body = (reader){ .bytes = head + CHUNK_HEAD, .size = (size_t)out->stored };
    }
}

bool chunk_next(const input *in, uint64_t *at, chunk *out)
{
    uint64_t offset = *at == 0 ? FILE_HEAD : *at;
    if (offset >= in->size) {
        return false;
    }
    *out = (chunk){ .offset = offset };
    read_chunk(in->bytes + offset, in->size - offset, out);
    bool found = out->tag[0] != '\0' && out->stored <= in->size;
    *at        = found ? offset + CHUNK_HEAD + (out->stored + 7) / 8 * 8 : in->size;
    return true;
}
