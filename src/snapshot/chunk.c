// SPDX-License-Identifier: MIT
// Writes and reads the bytes of snapshots: numbers, texts, chunks and their checksums.
#include "snapshot/chunk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const uint8_t magic[8] = { 0x89, 'k', 'i', 't', 'h', '\r', '\n', 0x1a };

static KITH_NOINLINE void print_result(kith_result *result, kith_error_code code, uint64_t offset,
                                       const char *format, va_list list)
{
    *result = (kith_result){ .code = code, .offset = offset };
    vsnprintf(result->message, sizeof result->message, format, list);
}

kith_result kith_result_of(kith_error_code code, uint64_t offset, const char *format, ...)
{
    kith_result result;
    va_list     list;
    va_start(list, format);
    print_result(&result, code, offset, format, list);
    va_end(list);
    return result;
}

bool kith_result_fail(kith_result *result, kith_error_code code, uint64_t offset,
                      const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_result(result, code, offset, format, list);
    va_end(list);
    return false;
}

bool kith_result_over_limit(kith_result *result, uint64_t offset, uint64_t asked, uint64_t limit)
{
    return kith_result_fail(result, KITH_ERROR_LIMIT, offset,
                            "the file asks for at least %" PRIu64 " bytes of memory; the limit "
                            "is %" PRIu64 " (kith_load_desc.bytes)",
                            asked, limit);
}

void kith_bytes_free(kith_bytes *bytes)
{
    kith_allocator to = kith_allocator_or_heap(bytes->allocator);
    kith_free(&to, bytes->data, bytes->room, 1);
    *bytes = (kith_bytes){ .allocator = bytes->allocator };
}

// --- numbers ---------------------------------------------------------------------------------

static uint32_t get_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static uint64_t get_u64(const uint8_t *bytes)
{
    return get_u32(bytes) | (uint64_t)get_u32(bytes + 4) << 32;
}

// --- writing ---------------------------------------------------------------------------------

static uint8_t *move_bytes(const kith_bytes *bytes, size_t room)
{
    if (bytes->allocator.allocate == NULL) {
        return realloc(bytes->data, room); // moves large blocks without a copy
    }
    uint8_t *data = kith_alloc(&bytes->allocator, room, 1);
    if (data != NULL && bytes->data != NULL) {
        memcpy(data, bytes->data, bytes->size);
        kith_free(&bytes->allocator, bytes->data, bytes->room, 1);
    }
    return data;
}

bool kith_bytes_extend(kith_bytes *bytes, size_t more)
{
    if (more <= bytes->room - bytes->size) {
        bytes->size += more;
        return true;
    }
    size_t needed = bytes->size + more;
    size_t room   = bytes->room + bytes->room / 2;
    room          = room < needed ? needed : room;
    uint8_t *data = needed < more ? NULL : move_bytes(bytes, room);
    if (data == NULL) {
        return false;
    }
    bytes->data = data;
    bytes->room = room;
    bytes->size = needed;
    return true;
}

// Writes the bytes, unless they are more than `room`. Returns how many they are.
KITH_NOINLINE static size_t write_saved(const kith_layout *layout, const kith_saver *by,
                                        const void *value, uint8_t *bytes, size_t room)
{
    if (layout->form == KITH_FORM_FUNCTIONS) {
        return by->write(value, bytes, room, by->context);
    }
    if (layout->packed <= room) {
        kith_layout_pack(layout, bytes, value, 1);
    }
    return layout->packed;
}

kith_error_code kith_saved_bytes_write(kith_saved_bytes *out, uint8_t *few, size_t room,
                                       const kith_allocator *memory, const kith_storage *storage,
                                       const void *value)
{
    const kith_saver *by   = storage->desc.traits.saved.functions;
    size_t            size = write_saved(&storage->layout, by, value, few, room);
    *out                   = (kith_saved_bytes){ few, size, { .allocator = *memory } };
    if (size <= room) {
        return KITH_OK;
    }
    if (!kith_bytes_extend(&out->many, size)) {
        return KITH_ERROR_MEMORY;
    }
    out->data = out->many.data;
    return write_saved(&storage->layout, by, value, out->data, size) == size ? KITH_OK
                                                                             : KITH_ERROR_HOOK;
}

bool kith_bytes_write(const void *bytes, size_t size, void *context)
{
    kith_bytes *to = context;
    if (!kith_bytes_extend(to, size + 1)) {
        return false;
    }
    to->data[--to->size] = 0;
    if (size != 0) {
        memcpy(to->data + to->size - size, bytes, size);
    }
    return true;
}

KITH_NOINLINE void *kith_writer_extend(kith_writer *writer, size_t size)
{
    if (writer->code != KITH_OK || !kith_bytes_extend(writer->out, size)) {
        writer->code = writer->code != KITH_OK ? writer->code : KITH_ERROR_MEMORY;
        return NULL;
    }
    return writer->out->data + writer->out->size - size;
}

void kith_writer_reserve(kith_writer *writer, size_t size)
{
    if (kith_writer_extend(writer, size) != NULL) {
        writer->out->size -= size;
    }
}

KITH_NOINLINE void kith_writer_numbers(kith_writer *writer, const void *numbers, size_t count,
                                       size_t size)
{
    uint8_t *place = kith_writer_extend(writer, count * size);
    if (place != NULL) {
        kith_copy_numbers(place, numbers, count, size);
    }
}

void kith_writer_u32(kith_writer *writer, uint32_t number)
{
    kith_writer_numbers(writer, &number, 1, sizeof number);
}

void kith_writer_u64(kith_writer *writer, uint64_t number)
{
    kith_writer_numbers(writer, &number, 1, sizeof number);
}

void kith_writer_text(kith_writer *writer, const char *text)
{
    size_t length = text == NULL ? 0 : strlen(text);
    kith_writer_u32(writer, (uint32_t)length);
    kith_writer_numbers(writer, text, length, 1);
}

void kith_writer_value(kith_writer *writer, const kith_layout *layout, const kith_saver *by,
                       const void *value)
{
    uint8_t nothing[1]; // a valid address for functions that copy 0 bytes
    size_t  size = write_saved(layout, by, value, nothing, 0);
    if (layout->form == KITH_FORM_FUNCTIONS) {
        kith_writer_u32(writer, (uint32_t)size);
    }
    void *place = size > UINT32_MAX ? NULL : kith_writer_extend(writer, size);
    if (place == NULL || write_saved(layout, by, value, place, size) != size) {
        writer->code = writer->code != KITH_OK ? writer->code : KITH_ERROR_HOOK;
    }
}

// Passes the bytes in `out` to the write callback, if there is one.
static void flush(kith_writer *writer)
{
    if (writer->code != KITH_OK || writer->write == NULL) {
        return;
    }
    if (!writer->write(writer->out->data, writer->out->size, writer->context)) {
        writer->code = KITH_ERROR_IO;
    }
    writer->out->size = 0;
}

void kith_writer_file(kith_writer *writer)
{
    const uint32_t head[2] = { KITH_FORMAT_VERSION,
                               writer->kind | (writer->level == 0 ? 0 : KITH_FILE_PACKED) };
    kith_writer_numbers(writer, magic, sizeof magic, 1);
    kith_writer_numbers(writer, head, 2, sizeof head[0]);
    if (writer->code == KITH_OK) {
        kith_writer_u64(writer, kith_xxh3(writer->out->data + writer->out->size - 16, 16));
    }
}

void kith_writer_begin(kith_writer *writer)
{
    writer->chunk  = writer->out->size;
    writer->summed = 0;
    kith_writer_extend(writer, KITH_CHUNK_HEAD);
    writer->chunks++;
}

void kith_writer_begin_pair(kith_writer *writer, uint32_t first, uint32_t second)
{
    kith_writer_begin(writer);
    kith_writer_u32(writer, first);
    kith_writer_u32(writer, second);
}

void kith_writer_rows(kith_writer *writer, uint32_t number, uint32_t first, uint32_t count)
{
    kith_writer_begin_pair(writer, number, first);
    kith_writer_u32(writer, count);
    kith_writer_u32(writer, 0);
}

// Packs the body of the current chunk if that makes it smaller. Returns the stored size.
static size_t pack_chunk(kith_writer *writer, size_t size)
{
    size_t room         = kith_pack_bound(size);
    writer->packed.size = 0;
    if (!kith_bytes_extend(&writer->packed, room)) {
        writer->code = KITH_ERROR_MEMORY;
        return size;
    }
    uint8_t *bytes  = writer->out->data + writer->chunk + KITH_CHUNK_HEAD;
    size_t   frames = kith_pack(writer->packed.data, room, bytes, size, writer->level);
    size_t   stored = frames + KITH_PACK_SUM;
    if (frames == 0 || stored >= size) {
        return size;
    }
    uint64_t sum = kith_xxh3(writer->packed.data, frames);
    kith_copy_numbers(bytes, &sum, 1, sizeof sum);
    memcpy(bytes + KITH_PACK_SUM, writer->packed.data, frames);
    writer->out->size -= size - stored;
    return stored;
}

// Adds the bytes that the chunk has so far to its checksum.
static void sum_on(kith_writer *writer)
{
    const kith_bytes *out = writer->out;
    if (writer->summed == 0) {
        kith_xxh3_begin(&writer->sum);
        writer->summed = writer->chunk + KITH_CHUNK_HEAD;
    }
    kith_xxh3_feed(&writer->sum, out->data + writer->summed, out->size - writer->summed);
    writer->summed = out->size;
}

void kith_writer_copy(kith_writer *writer, const void *bytes, size_t size)
{
    if (writer->code != KITH_OK || size == 0) {
        return;
    }
    sum_on(writer);
    uint8_t *to = kith_writer_extend(writer, size);
    if (to != NULL) {
        kith_xxh3_copy(&writer->sum, to, bytes, size);
        writer->summed += size;
    }
}

static uint64_t chunk_sum(kith_writer *writer, size_t size)
{
    if (writer->summed == 0) {
        return kith_xxh3(writer->out->data + writer->chunk + KITH_CHUNK_HEAD, size);
    }
    sum_on(writer);
    return kith_xxh3_end(&writer->sum);
}

void kith_writer_end(kith_writer *writer, uint32_t tag)
{
    if (writer->code != KITH_OK) {
        return;
    }
    size_t   size   = writer->out->size - writer->chunk - KITH_CHUNK_HEAD;
    uint64_t sum    = chunk_sum(writer, size);
    size_t   stored = writer->level == 0 ? size : pack_chunk(writer, size);
    uint8_t *pad    = kith_writer_extend(writer, (8 - stored % 8) % 8);
    if (pad == NULL) {
        return;
    }
    memset(pad, 0, (8 - stored % 8) % 8);
    uint8_t       *head      = writer->out->data + writer->chunk;
    const uint32_t kind[2]   = { tag, stored < size ? KITH_PACKING_SUMMED : KITH_PACKING_NONE };
    const uint64_t length[3] = { stored, size, sum };
    kith_copy_numbers(head, kind, 2, sizeof kind[0]);
    kith_copy_numbers(head + 8, length, 3, sizeof length[0]);
    sum = kith_xxh3(head, 32);
    kith_copy_numbers(head + 32, &sum, 1, sizeof sum);
    flush(writer);
}

// --- reading ---------------------------------------------------------------------------------

KITH_NOINLINE const uint8_t *kith_source_take(kith_source *source, size_t size)
{
    if (source->ended || size > source->size - source->at) {
        source->ended = true;
        return NULL;
    }
    const uint8_t *bytes = source->bytes + source->at;
    source->at += size;
    return bytes;
}

size_t kith_source_left(const kith_source *source)
{
    return source->ended ? 0 : source->size - source->at;
}

bool kith_source_holds(const kith_source *source, uint64_t count, size_t size)
{
    return count * size == kith_source_left(source);
}

void kith_source_numbers(kith_source *source, void *to, size_t count, size_t size)
{
    const uint8_t *bytes = kith_source_take(source, count * size);
    if (bytes != NULL) {
        kith_copy_numbers(to, bytes, count, size);
    }
}

uint32_t kith_source_u32(kith_source *source)
{
    const uint8_t *bytes = kith_source_take(source, sizeof(uint32_t));
    return bytes == NULL ? 0 : get_u32(bytes);
}

uint64_t kith_source_u64(kith_source *source)
{
    const uint8_t *bytes = kith_source_take(source, sizeof(uint64_t));
    return bytes == NULL ? 0 : get_u64(bytes);
}

const char *kith_source_text(kith_source *source, uint32_t *length)
{
    *length              = kith_source_u32(source);
    const uint8_t *text  = kith_source_take(source, *length);
    bool           whole = text != NULL && memchr(text, 0, *length) == NULL;
    source->ended        = source->ended || !whole;
    return whole ? (const char *)text : NULL;
}

bool kith_source_is_text(kith_source *source, const char *text)
{
    uint32_t    length;
    const char *found = kith_source_text(source, &length);
    text              = text == NULL ? "" : text;
    return found != NULL && strlen(text) == length && memcmp(found, text, length) == 0;
}

bool kith_source_rows(kith_source *source, uint32_t seen, uint32_t rows, uint32_t width,
                      uint32_t *count)
{
    uint32_t first  = kith_source_u32(source);
    *count          = kith_source_u32(source);
    uint32_t unused = kith_source_u32(source);
    return !source->ended && first == seen && *count <= rows - first && unused == 0 &&
           (width == KITH_ANY_WIDTH || kith_source_holds(source, *count, width));
}

// --- files -----------------------------------------------------------------------------------

KITH_NOINLINE void kith_reader_record(kith_reader *in, kith_error_code code, const char *what,
                                      const char *name)
{
    if (in->result.code == KITH_OK) {
        in->result = kith_result_of(code, in->offset, name == NULL ? "%s%s" : "\"%s\": %s",
                                    name == NULL ? "" : name, what);
    }
}

KITH_NOINLINE void kith_reader_record_format(kith_reader *in, const char *what)
{
    kith_reader_record(in, KITH_ERROR_FORMAT, what, in->about);
}

void kith_reader_record_memory(kith_reader *in)
{
    kith_reader_record(in, KITH_ERROR_MEMORY, "memory ran out while loading", NULL);
}

bool kith_reader_fail_named(kith_reader *in, kith_error_code code, const char *what,
                            const char *name, uint32_t length)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)kith_min(length, sizeof text - 1), name);
    return kith_reader_fail(in, code, what, text);
}

bool kith_reader_file(kith_reader *in)
{
    const uint8_t *head = kith_source_take(&in->file, KITH_FILE_HEAD);
    if (head == NULL || memcmp(head, magic, sizeof magic) != 0) {
        return kith_reader_malformed(in, "not a kith snapshot");
    }
    if (get_u64(head + 16) != kith_xxh3(head, 16)) {
        return kith_reader_malformed(in, "the checksum of the file's head is wrong");
    }
    uint32_t flags = get_u32(head + 12);
    uint32_t kind  = flags & ~KITH_FILE_PACKED;
    in->ratio      = (flags & KITH_FILE_PACKED) != 0 ? KITH_PACK_RATIO : 1;
    if (get_u32(head + 8) != KITH_FORMAT_VERSION ||
        (kind != 0 && kind != KITH_FILE_DELTA && kind != KITH_FILE_RECORDING)) {
        return kith_reader_malformed(in, "the snapshot format is newer than this library");
    }
    return kind == in->kind || kith_reader_malformed(in, kind == 0 ? "this is a snapshot"
                                                         : kind == KITH_FILE_DELTA
                                                             ? "this is a delta (kith_delta_apply)"
                                                             : "this is a recording (frames.h)");
}

// Unpacks `bytes` into the memory of the reader.
static bool unpack_chunk(kith_reader *in, uint32_t packing, const uint8_t *bytes, size_t stored,
                         size_t size)
{
    size_t sum = packing == KITH_PACKING_SUMMED ? KITH_PACK_SUM : 0;
    if (!kith_pack_available()) {
        return kith_reader_malformed(in, "a chunk is packed with zstd: build kith with KITH_ZSTD");
    }
    if (sum != 0 && (stored < sum || get_u64(bytes) != kith_xxh3(bytes + sum, stored - sum))) {
        return kith_reader_malformed(in, "the checksum of a chunk's packed bytes is wrong");
    }
    in->unpacked.size = 0;
    if (!kith_bytes_extend(&in->unpacked, size)) {
        return kith_reader_no_memory(in);
    }
    return kith_unpack(in->unpacked.data, size, bytes + sum, stored - sum) ||
           kith_reader_malformed(in, "a chunk cannot be unpacked");
}

// Checks the sizes in a chunk's head. The first chunk is WRLD, which is short.
KITH_NOINLINE static bool check_sizes(kith_reader *in, uint32_t packing, uint64_t stored,
                                      uint64_t size)
{
    size_t left  = kith_source_left(&in->file);
    bool   first = in->offset == KITH_FILE_HEAD;
    if (packing == KITH_PACKING_NONE
            ? stored != size
            : packing > KITH_PACKING_SUMMED || in->ratio == 1 || stored == 0 ||
                  size / stored > in->ratio || (first && size > KITH_CHUNK_BYTES)) {
        return kith_reader_malformed(in, "a chunk's head makes no sense");
    }
    return (stored <= left && left - stored >= (8 - stored % 8) % 8) ||
           kith_reader_malformed(in, "the file ends in the middle of a chunk");
}

bool kith_reader_chunk(kith_reader *in)
{
    static const uint8_t zeros[8];
    in->offset          = in->file.at;
    in->about           = NULL;
    const uint8_t *head = kith_source_take(&in->file, KITH_CHUNK_HEAD);
    if (head == NULL) {
        return kith_reader_malformed(in, "the file ends too early");
    }
    if (get_u64(head + 32) != kith_xxh3(head, 32)) {
        return kith_reader_malformed(in, "the checksum of a chunk's head is wrong");
    }
    uint32_t packing = get_u32(head + 4);
    uint64_t stored  = get_u64(head + 8);
    uint64_t size    = get_u64(head + 16);
    if (!check_sizes(in, packing, stored, size)) {
        return false;
    }
    size_t         padding = (size_t)((8 - stored % 8) % 8);
    const uint8_t *body    = kith_source_take(&in->file, (size_t)stored + padding);
    bool           padded  = memcmp(body + stored, zeros, padding) == 0;
    if (packing != KITH_PACKING_NONE) {
        if (!unpack_chunk(in, packing, body, (size_t)stored, (size_t)size)) {
            return false;
        }
        body = in->unpacked.data;
    }
    in->tag  = get_u32(head);
    in->body = (kith_source){ .bytes = body, .size = (size_t)size };
    in->chunks++;
    return (padded && get_u64(head + 24) == kith_xxh3(body, (size_t)size)) ||
           kith_reader_malformed(in, "the checksum of a chunk is wrong");
}
