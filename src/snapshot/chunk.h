// SPDX-License-Identifier: MIT
// The bytes of a snapshot: writes and reads numbers, texts and chunks. docs/format.md defines them.
//
//     file     magic, version, flags, checksum | chunk | chunk | ... | ENDS
//     chunk    tag, packing, stored, size, body checksum, head checksum | body | 0 to 7 zeros
//     body     `size` bytes; when packed: a checksum of the zstd frames, then the frames
//
// Saving fills one chunk after the other in a kith_writer. Loading is a path in one direction:
//
//     bytes --kith_reader--> chunks --kith_schema--> components --kith_loader--> staged state
//     (chunk.h)              (chunk.h)   (schema.h)               (load.h)       --> swap
#pragma once

#include "store/storage.h"

#include "kith/snapshot.h"

#define KITH_FORMAT_VERSION 0u
#define KITH_FILE_HEAD      24u
#define KITH_CHUNK_HEAD     40u

// The flags of a file: chunks may be packed; what it is, if not a snapshot.
#define KITH_FILE_PACKED    1u
#define KITH_FILE_DELTA     2u
#define KITH_FILE_RECORDING 4u

// The most slots, or rows, that one LIVE, or RUNS, chunk may stand for: 64 KB of them in memory.
#define KITH_LIVING_MOST 8192u
#define KITH_RUN_MOST    16384u

// The size of a full body: it fits a cache, so the checksum reads the bytes from there.
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
#define KITH_TAG_OBJECT    KITH_FOUR('O', 'B', 'J', 'T')
#define KITH_TAG_DELTA     KITH_FOUR('D', 'E', 'L', 'T')
#define KITH_TAG_PIECES    KITH_FOUR('P', 'I', 'E', 'C')
#define KITH_TAG_WHOLE     KITH_FOUR('W', 'H', 'O', 'L')
#define KITH_TAG_FRAME     KITH_FOUR('F', 'R', 'A', 'M')
#define KITH_TAG_END       KITH_FOUR('E', 'N', 'D', 'S')

// Returns a result with a formatted message; fills one, and returns false.
kith_result kith_result_of(kith_error_code code, uint64_t offset, const char *format, ...);
bool        kith_result_fail(kith_result *result, kith_error_code code, uint64_t offset,
                             const char *format, ...);

// Fails because a file needs more memory than the limit of kith_load_desc.
bool kith_result_over_limit(kith_result *result, uint64_t offset, uint64_t asked, uint64_t limit);

// --- writing ---------------------------------------------------------------------------------

// Makes the bytes longer; the new ones are undefined. Returns false when memory runs out.
bool kith_bytes_extend(kith_bytes *bytes, size_t more);

// The saved bytes of a value: what its write function writes, or the packed value.
typedef struct kith_saved_bytes {
    uint8_t   *data; // the caller's `few`; if that has not enough room, the bytes of `many`
    size_t     size;
    kith_bytes many; // the caller frees it
} kith_saved_bytes;

// Returns KITH_OK, KITH_ERROR_MEMORY, or KITH_ERROR_HOOK when a write function returns two sizes
// for one value.
kith_error_code kith_saved_bytes_write(kith_saved_bytes *out, uint8_t *few, size_t room,
                                       const kith_allocator *memory, const kith_storage *storage,
                                       const void *value);

typedef struct kith_writer {
    kith_bytes     *out;   // bytes that are not yet passed to `write`, or all bytes
    kith_write_fn   write; // NULL: all bytes stay in `out`
    void           *context;
    size_t          chunk;  // where the current chunk begins in `out`
    size_t          summed; // bytes of `out` that `sum` covers; 0: none of the current chunk
    uint32_t        chunks;
    uint32_t        kind;   // of the file: KITH_FILE_DELTA ...; 0: a snapshot
    bool            flat;   // no runs: equal parts of two snapshots are at the same places
    int             level;  // of zstd; 0: no packing
    kith_bytes      packed; // scratch memory for one packed chunk
    kith_error_code code;   // KITH_OK, or the first failure: after it the writer writes nothing

    kith_xxh3_state sum; // of the chunk's bytes so far, when most of them were copied
} kith_writer;

// Appends `size` undefined bytes to `out` and returns them; NULL when that fails.
void *kith_writer_extend(kith_writer *writer, size_t size);
void  kith_writer_reserve(kith_writer *writer, size_t size); // appends nothing
void  kith_writer_u32(kith_writer *writer, uint32_t number);
void  kith_writer_u64(kith_writer *writer, uint64_t number);
void  kith_writer_text(kith_writer *writer, const char *text); // NULL: empty
void  kith_writer_numbers(kith_writer *writer, const void *numbers, size_t count,
                          size_t size); // of `size` bytes each

// Writes a value: packed, or through its save functions: the size, then the bytes.
void kith_writer_value(kith_writer *writer, const kith_layout *layout, const kith_saver *by,
                       const void *value);

// Appends bytes and adds them to the checksum in one pass over memory. After that, nothing before
// them in the chunk can be patched.
void kith_writer_copy(kith_writer *writer, const void *bytes, size_t size);

void kith_writer_file(kith_writer *writer);
void kith_writer_begin(kith_writer *writer);

// Begins a chunk whose body begins with two numbers.
void kith_writer_begin_pair(kith_writer *writer, uint32_t first, uint32_t second);

// Begins a chunk of rows. `number` is the component's number in the file.
void kith_writer_rows(kith_writer *writer, uint32_t number, uint32_t first, uint32_t count);
void kith_writer_end(kith_writer *writer, uint32_t tag);

// --- reading ---------------------------------------------------------------------------------

// Bytes that are read from front to back. A read past the end returns 0 and sets `ended`, which
// stays set: a reader checks it once, after the last field.
typedef struct kith_source {
    const uint8_t *bytes;
    size_t         size;
    size_t         at;
    bool           ended;
} kith_source;

// Returns how many bytes follow; 0 after a read past the end.
size_t kith_source_left(const kith_source *source);

// Whether the rest is `count` items of `size` bytes.
bool kith_source_holds(const kith_source *source, uint64_t count, size_t size);

// Returns `size` bytes and moves past them, or NULL.
const uint8_t *kith_source_take(kith_source *source, size_t size);
uint32_t       kith_source_u32(kith_source *source);
uint64_t       kith_source_u64(kith_source *source);

// Reads `count` numbers of `size` bytes. Reads nothing when they are not all there.
void kith_source_numbers(kith_source *source, void *to, size_t count, size_t size);

// Reads a length and that many bytes. Returns NULL when they are not all there or contain a 0.
const char *kith_source_text(kith_source *source, uint32_t *length);

// Reads a text and compares it with `text`; NULL counts as empty.
bool kith_source_is_text(kith_source *source, const char *text);

// Reads the head of a chunk of rows. Returns false unless they begin at row `seen`, end within
// `rows`, and take `width` bytes each, which fill the chunk. KITH_ANY_WIDTH skips the last check.
#define KITH_ANY_WIDTH UINT32_MAX
bool kith_source_rows(kith_source *source, uint32_t seen, uint32_t rows, uint32_t width,
                      uint32_t *count);

// A file that is read chunk by chunk. All code that reads a file fails through kith_reader_record:
// `result` is the only place where a fault is recorded.
typedef struct kith_reader {
    kith_source file;
    uint32_t    kind;     // of the file, as in kith_writer
    uint32_t    ratio;    // how many bytes one byte of the file can unpack to
    uint32_t    chunks;   // read so far
    uint32_t    tag;      // of the current chunk
    uint64_t    offset;   // of its head in the file
    const char *about;    // what the current chunk is about: faults name it; NULL: nothing
    kith_source body;     // of the current chunk: valid until the next one is read
    kith_bytes  unpacked; // the body, if it was packed
    uint64_t    leaves;   // numbers in one value of each component whose table was read, in sum
    kith_result result;   // KITH_OK, or the first fault
} kith_reader;

// Record the first fault, at the current chunk. `name`, which may be NULL, is what the fault is
// about; the second function takes `about`.
void kith_reader_record(kith_reader *in, kith_error_code code, const char *what, const char *name);
void kith_reader_record_format(kith_reader *in, const char *what);
void kith_reader_record_memory(kith_reader *in);

// Do the same and return false. The compiler sees that, so no caller tests what they return. The
// functions without a name take `about`.
static inline bool kith_reader_fail(kith_reader *in, kith_error_code code, const char *what,
                                    const char *name)
{
    kith_reader_record(in, code, what, name);
    return false;
}

static inline bool kith_reader_malformed(kith_reader *in, const char *what)
{
    kith_reader_record_format(in, what);
    return false;
}

static inline bool kith_reader_conflict(kith_reader *in, const char *what)
{
    return kith_reader_fail(in, KITH_ERROR_CONFLICT, what, in->about);
}

static inline bool kith_reader_no_memory(kith_reader *in)
{
    kith_reader_record_memory(in);
    return false;
}

// The same about a name of the file, which has no 0 at its end: at most 63 bytes of it.
bool kith_reader_fail_named(kith_reader *in, kith_error_code code, const char *what,
                            const char *name, uint32_t length);

// Read the head of a file, and the next chunk, and check their checksums.
bool kith_reader_file(kith_reader *in);
bool kith_reader_chunk(kith_reader *in);

// Whether the rest of the file is long enough to unpack to `bytes`.
static inline bool kith_reader_can_hold(const kith_reader *from, uint64_t bytes)
{
    return bytes / from->ratio <= kith_source_left(&from->file);
}

// --- packing ---------------------------------------------------------------------------------
//
// zstd_chunk.c packs bodies with zstd when the library is built with KITH_ZSTD.

#define KITH_PACKING_NONE   0u
#define KITH_PACKING_ZSTD   1u // frames alone: a changed bit in them may stay unnoticed
#define KITH_PACKING_SUMMED 2u // a checksum of the frames, then the frames
#define KITH_PACK_SUM       sizeof(uint64_t)

// No chunk is packed tighter than this, so the length of a file bounds the memory it can ask for.
#define KITH_PACK_RATIO 1024u

bool kith_pack_available(void);

// Returns why chunks cannot be packed with this level, or NULL.
static inline const char *kith_pack_fault(uint32_t level)
{
    return level != 0 && !kith_pack_available() ? "this library was built without zstd"
           : level > 19                         ? "zstd_level must be 0 to 19"
                                                : NULL;
}

// The most bytes that packing `size` bytes can need.
size_t kith_pack_bound(size_t size);

// Packs. Returns the packed size, or 0 when packing fails.
size_t kith_pack(void *to, size_t room, const void *from, size_t size, int level);

// Unpacks into `to`. Returns false unless that yields exactly `size` bytes.
bool kith_unpack(void *to, size_t size, const void *from, size_t stored);

// Returns how many bytes of memory loading a file of `bytes` may allocate. `limit` is the caller's
// kith_load_desc.bytes; 0 asks for the default, 64 times the file and at least 1 GiB.
static inline size_t kith_budget_limit(size_t limit, size_t bytes)
{
    const size_t least = (size_t)1 << 30;
    const size_t often = bytes > SIZE_MAX / 64 ? SIZE_MAX : bytes * 64;
    return limit != 0 ? limit : often > least ? often : least;
}

// --- deltas (delta.c) ------------------------------------------------------------------------
//
// A delta leads from one flat snapshot to another, and back.

// Writes the delta between two flat snapshots, the first of which may be empty, and the numbers of
// their frames. The writer has the fault.
void kith_delta_write(kith_writer *writer, const kith_bytes *before, const kith_bytes *after,
                      uint64_t from, uint64_t to);

// Whether the bytes begin as a delta does.
bool kith_is_delta(kith_source file);

// Makes the second snapshot of a delta out of the first. If `both`, also the first out of the
// second; otherwise a delta whose first one is empty needs no base. `limit` is as in
// kith_load_desc.
kith_result kith_delta_read(kith_source delta, bool both, size_t limit, const kith_bytes *base,
                            kith_bytes *to);
