// SPDX-License-Identifier: MIT
// Chunks made smaller by zstd, in a library that was built with it (KITH_ZSTD).
#ifndef KITH_SNAPSHOT_CHUNK_H
#define KITH_SNAPSHOT_CHUNK_H

#include "store/field.h"

#include "kith/snapshot.h"

#define KITH_PACKING_NONE   0u
#define KITH_PACKING_ZSTD   1u // zstd's frames alone, in which bits can change without effect
#define KITH_PACKING_SUMMED 2u // a checksum of the frames, then the frames
#define KITH_PACK_SUM       sizeof(uint64_t)

// No chunk is packed further: a reader knows from the length of a file how much may come of it.
#define KITH_PACK_RATIO 1024u

// Whether this library has zstd.
KITH_INTERNAL bool kith_pack_available(void);

// How much room packing so many bytes needs.
KITH_INTERNAL size_t kith_pack_bound(size_t size);

// Packs; returns how many bytes that made, or 0 when it failed.
KITH_INTERNAL size_t kith_pack(void *to, size_t room, const void *from, size_t size, int level);

// Whether the bytes were what `size` bytes became when packed; those are in `to` then.
KITH_INTERNAL bool kith_unpack(void *to, size_t size, const void *from, size_t stored);

// --- chunk ------------------------------------------------------------
//
// The bytes of snapshots: numbers, texts and chunks. docs/format.md is their description.
//
//     file     magic, version, flags, checksum | chunk | chunk | ... | ENDS
//     chunk    tag, packing, stored, size, sum of the bytes, sum of the above | bytes | 0 to 7
//     zeros; packed bytes are a sum of the frames, and the frames

#define KITH_FORMAT_VERSION 0u
#define KITH_FILE_HEAD      24u
#define KITH_FILE_PACKED    1u // a flag of the file: chunks may be packed
#define KITH_CHUNK_HEAD     40u

// The most that a chunk of 64 bytes says of numbers that count up: 64 KB of slots or of rows.
#define KITH_LIVING_MOST 8192u
#define KITH_RUN_MOST    16384u

// A chunk's payload: as much as a cache holds, so that the checksum finds the bytes there.
#define KITH_CHUNK_BYTES (256u << 10)

#define KITH_FOUR(A, B, C, D)                                                                      \
    ((uint32_t)(A) | (uint32_t)(B) << 8 | (uint32_t)(C) << 16 | (uint32_t)(D) << 24)
#define KITH_TAG_WORLD     KITH_FOUR('W', 'R', 'L', 'D')
#define KITH_TAG_COMPONENT KITH_FOUR('C', 'O', 'M', 'P')
#define KITH_TAG_SLOTS     KITH_FOUR('S', 'L', 'O', 'T')
#define KITH_TAG_LIVING    KITH_FOUR('L', 'I', 'V', 'E')
#define KITH_TAG_RUN       KITH_FOUR('R', 'U', 'N', 'S')
#define KITH_TAG_ROWS      KITH_FOUR('R', 'O', 'W', 'S')
#define KITH_TAG_HOLES     KITH_FOUR('H', 'O', 'L', 'E')
#define KITH_TAG_DISABLED  KITH_FOUR('D', 'I', 'S', 'A')
#define KITH_TAG_VALUES    KITH_FOUR('V', 'A', 'L', 'U')
#define KITH_TAG_BLOBS     KITH_FOUR('B', 'L', 'O', 'B')
#define KITH_TAG_FLAGS     KITH_FOUR('F', 'L', 'A', 'G')
#define KITH_TAG_SINGLETON KITH_FOUR('S', 'I', 'N', 'G')
#define KITH_TAG_GROUP     KITH_FOUR('G', 'R', 'U', 'P')
#define KITH_TAG_STAMPS    KITH_FOUR('S', 'T', 'M', 'P')
#define KITH_TAG_TICKS     KITH_FOUR('T', 'I', 'C', 'K')
#define KITH_TAG_JOURNAL   KITH_FOUR('J', 'R', 'N', 'L')
#define KITH_TAG_QUERY     KITH_FOUR('Q', 'U', 'R', 'Y')
#define KITH_TAG_SYSTEM    KITH_FOUR('S', 'Y', 'S', 'T')
#define KITH_TAG_SET       KITH_FOUR('R', 'S', 'E', 'T')
#define KITH_TAG_EVENTS    KITH_FOUR('E', 'V', 'N', 'T')
#define KITH_TAG_END       KITH_FOUR('E', 'N', 'D', 'S')

// A chunk that a reader does not know is an error if its tag begins with a capital letter.
static inline bool kith_tag_is_critical(uint32_t tag)
{
    return (tag & 0xff) >= 'A' && (tag & 0xff) <= 'Z';
}

// --- writing ---------------------------------------------------------------------------------

// Makes the bytes longer, by some that are undefined; false when memory runs out.
KITH_INTERNAL bool kith_bytes_extend(kith_bytes *bytes, size_t more);

typedef struct kith_writer {
    kith_bytes     *out;   // what waits to be written, or everything
    kith_write_fn   write; // NULL: all stays in `out`
    void           *context;
    size_t          chunk;  // where the present one begins in `out`
    size_t          summed; // how many bytes in `out` are in `sum`; 0: none of the present chunk
    uint32_t        chunks;
    int             level;  // of zstd; 0: nothing is packed
    kith_bytes      packed; // room for a chunk
    kith_error_code code;   // KITH_OK, or why nothing more is written

    kith_xxh3_state sum; // of the chunk's bytes so far, where the most of them were copied
} kith_writer;

// Makes room for `size` bytes behind those in `out` and counts them in; NULL when that failed.
KITH_INTERNAL void *kith_writer_extend(kith_writer *writer, size_t size);
KITH_INTERNAL void  kith_writer_reserve(kith_writer *writer, size_t size); // and counts none in
KITH_INTERNAL void  kith_writer_u32(kith_writer *writer, uint32_t number);
KITH_INTERNAL void  kith_writer_u64(kith_writer *writer, uint64_t number);
KITH_INTERNAL void  kith_writer_text(kith_writer *writer, const char *text); // NULL: as empty
KITH_INTERNAL void  kith_writer_u32s(kith_writer *writer, const uint32_t *numbers, uint32_t count);
KITH_INTERNAL void  kith_writer_u64s(kith_writer *writer, const uint64_t *numbers, uint32_t count);

// Bytes that are saved as they are. They are summed and copied while they are at hand, with
// everything that the chunk has before them: nothing of that can be patched.
KITH_INTERNAL void kith_writer_copy(kith_writer *writer, const void *bytes, size_t size);

// Puts a number in the place of one that was written.
KITH_INTERNAL void kith_writer_patch(kith_writer *writer, size_t at, uint32_t number);

KITH_INTERNAL void kith_writer_file(kith_writer *writer);
KITH_INTERNAL void kith_writer_begin(kith_writer *writer);

// Begins a chunk of rows of the component with that number in the file.
KITH_INTERNAL void kith_writer_rows(kith_writer *writer, uint32_t number, uint32_t first,
                                    uint32_t count);
KITH_INTERNAL void kith_writer_end(kith_writer *writer, uint32_t tag);

// --- reading ---------------------------------------------------------------------------------

// A stretch of bytes that is read from the front. What is not there reads as 0, and `ended`
// says so ever after.
typedef struct kith_source {
    const uint8_t *bytes;
    size_t         size;
    size_t         at;
    uint32_t       ratio; // of a file: how many bytes can come of one
    bool           ended; // more was asked for than there is
} kith_source;

typedef struct kith_chunk {
    uint32_t    tag;
    uint64_t    offset; // of its head in the file
    kith_source body;
    kith_bytes  unpacked; // the body of one that was packed
    bool        no_memory;
} kith_chunk;

// `size` bytes, or NULL.
KITH_INTERNAL const uint8_t *kith_source_take(kith_source *source, size_t size);
KITH_INTERNAL uint32_t       kith_source_u32(kith_source *source);
KITH_INTERNAL uint64_t       kith_source_u64(kith_source *source);

// A text as its length and its bytes; NULL: there is not enough, or it has a 0 inside.
KITH_INTERNAL const char *kith_source_text(kith_source *source, uint32_t *length);

// Whether the next text is this one; NULL is the empty one.
KITH_INTERNAL bool kith_source_is_text(kith_source *source, const char *text);

// Which rows follow in a chunk of rows, behind the `seen` ones of `rows`, and whether they can be:
// all that is left of the chunk are their bytes, `width` for each, or, if that is KITH_ANY_WIDTH,
// as many as they need.
#define KITH_ANY_WIDTH UINT32_MAX
KITH_INTERNAL bool kith_source_rows(kith_source *source, uint32_t seen, uint32_t rows,
                                    uint32_t width, uint32_t *count);

// Copies numbers out of little-endian bytes.
KITH_INTERNAL void kith_numbers_u32(uint32_t *numbers, const uint8_t *bytes, uint32_t count);
KITH_INTERNAL void kith_numbers_u64(uint64_t *numbers, const uint8_t *bytes, uint32_t count);

// Reads the head of a file, and the next chunk with its checksums; NULL, or what is wrong with it,
// static text. A chunk's bytes stay until the next is read into it, or `unpacked` is freed.
KITH_INTERNAL const char *kith_source_file(kith_source *file);
KITH_INTERNAL const char *kith_source_chunk(kith_source *file, kith_chunk *chunk);

// Whether the rest of the file may have so many bytes.
static inline bool kith_source_can_hold(const kith_source *file, uint64_t bytes)
{
    return bytes / file->ratio <= file->size - file->at;
}

// What is wrong with a chunk.
typedef struct kith_flaw {
    kith_error_code code;
    const char     *what;     // static text
    char            name[64]; // of what it is about; empty: nothing that has one
} kith_flaw;

// Each notes a flaw and returns false. `name` may be NULL.
KITH_INTERNAL bool kith_flaw_record(kith_flaw *flaw, kith_error_code code, const char *what,
                                    const char *name);
KITH_INTERNAL bool kith_flaw_memory(kith_flaw *flaw);

// Fills a result.
KITH_INTERNAL kith_result kith_result_of(kith_error_code code, uint64_t offset, const char *format,
                                         ...);

// The result of loading a file that asks for more memory than the limit.
KITH_INTERNAL kith_result kith_result_over_limit(uint64_t offset, uint64_t asked, uint64_t limit);

#endif
