// SPDX-License-Identifier: MIT
// Deltas: what differs between two exact snapshots, and how one becomes the other.
//
//     before   | head | component a | rows of a | values of a ... |
//     after    | head | component a | rows of a | values of a ... |
//     delta    |  =   |      =      |     =     |   piece: XOR    |
//
// Both snapshots are written flat: without runs, their chunks have the same heads, and lie beside
// each other. A pair of chunks that differs becomes two pieces: its head, and its body. A piece is
// cut into elements: rows, slots, ticks, bytes. The delta has the places of the elements that
// differ, and the XOR of these elements, grouped by byte: first the first byte of each element, and
// so on. The bytes that seldom differ are then zeros one behind the other, and runs of zeros are
// only counted. XOR leads from either snapshot to the other. docs/format.md describes the bytes.
#include "snapshot/chunk.h"

#define LEAST_ZEROS 4u // shorter runs are written as they are
#define HEAD_BYTES  (KITH_CHUNK_HEAD + 16u)

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

// --- numbers ---------------------------------------------------------------------------------

// Writes seven bits a byte, the lowest first; the highest bit says that more follow.
static void put_number(kith_writer *w, uint64_t number)
{
    uint8_t bytes[10];
    size_t  count = 0;
    do {
        bytes[count++] = (uint8_t)((number & 127) | (uint64_t)(number > 127) << 7);
        number >>= 7;
    } while (number != 0);
    kith_writer_numbers(w, bytes, count, 1);
}

static uint64_t get_number(kith_source *from)
{
    uint64_t number = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        const uint8_t *byte = kith_source_take(from, 1);
        number |= byte == NULL ? 0 : (uint64_t)(*byte & 127) << shift;
        if (byte == NULL || *byte < 128) {
            return number;
        }
    }
    from->ended = true; // longer than any number
    return 0;
}

// --- runs of zeros ---------------------------------------------------------------------------
//
// Pairs: how many zeros, how many other bytes, these bytes.

static size_t count_zeros(const uint8_t *bytes, size_t most)
{
    size_t count = 0;
    while (count < most && bytes[count] == 0) {
        count++;
    }
    return count;
}

static void put_runs(kith_writer *w, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t zeros = count_zeros(bytes + at, size - at);
        size_t first = at + zeros;
        at           = first;
        while (at < size &&
               (size - at < LEAST_ZEROS || count_zeros(bytes + at, LEAST_ZEROS) < LEAST_ZEROS)) {
            at++;
        }
        put_number(w, zeros);
        put_number(w, at - first);
        kith_writer_numbers(w, bytes + first, at - first, 1);
    }
}

static bool get_runs(kith_source *from, uint8_t *to, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint64_t       zeros = get_number(from);
        uint64_t       count = get_number(from);
        const uint8_t *bytes = count > from->size ? NULL : kith_source_take(from, (size_t)count);
        if (bytes == NULL || zeros > size - at || count > size - at - zeros || zeros + count == 0) {
            return false;
        }
        memset(to + at, 0, (size_t)zeros);
        memcpy(to + at + zeros, bytes, (size_t)count);
        at += (size_t)(zeros + count);
    }
    return true;
}

// --- writing pieces --------------------------------------------------------------------------

typedef struct delta_writer {
    kith_writer *out;
    uint64_t     same;  // bytes since the latest piece that are equal in both
    kith_bytes   plain; // scratch: places and bytes of a piece, before runs of zeros are counted
    bool         open;  // a chunk of pieces has begun
} delta_writer;

// A stretch of the first snapshot, and what takes its place in the second.
typedef struct delta_piece {
    const uint8_t *before;
    const uint8_t *after;
    size_t         before_size;
    size_t         after_size;
    size_t         element; // bytes
} delta_piece;

// The XOR of both at one place; behind its end a stretch has zeros.
static uint8_t xor_at(const delta_piece *p, size_t at)
{
    return (uint8_t)((at < p->before_size ? p->before[at] : 0) ^
                     (at < p->after_size ? p->after[at] : 0));
}

static bool element_differs(const delta_piece *p, size_t first)
{
    size_t  common = lesser(p->before_size, p->after_size);
    uint8_t any    = 0;
    if (first + p->element <= common) {
        return memcmp(p->before + first, p->after + first, p->element) != 0;
    }
    for (size_t i = 0; i < p->element; i++) {
        any |= xor_at(p, first + i);
    }
    return any != 0;
}

// Writes the places of the elements that differ, each as its distance from the one before. Returns
// how many they are.
static size_t put_places(kith_writer *w, const delta_piece *p, size_t size)
{
    size_t count = 0;
    size_t next  = 0;
    for (size_t i = 0; i * p->element < size; i++) {
        if (element_differs(p, i * p->element)) {
            put_number(w, i - next);
            next = i + 1;
            count++;
        }
    }
    return count;
}

// Writes the XOR of the elements that differ, byte by byte.
static void put_planes(kith_writer *w, const delta_piece *p, size_t size, size_t count)
{
    uint8_t *to = kith_writer_extend(w, count * p->element);
    for (size_t first = 0, k = 0; first < size && to != NULL && k < count; first += p->element) {
        if (element_differs(p, first)) {
            for (size_t i = 0; i < p->element; i++) {
                to[i * count + k] = xor_at(p, first + i);
            }
            k++;
        }
    }
}

static void put_piece(delta_writer *d, const delta_piece *p)
{
    size_t      size  = p->before_size > p->after_size ? p->before_size : p->after_size;
    kith_writer plain = { .out = &d->plain };
    if (p->before_size == p->after_size && memcmp(p->before, p->after, size) == 0) {
        d->same += size;
        return;
    }
    if (!d->open) {
        kith_writer_begin(d->out);
        d->open = true;
    }
    d->plain.size = 0;
    size_t count  = put_places(&plain, p, size);
    put_planes(&plain, p, size, count);
    const uint64_t numbers[] = { d->same,    p->before_size, p->after_size,
                                 p->element, count,          d->plain.size };
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        put_number(d->out, numbers[i]);
    }
    put_runs(d->out, d->plain.data, d->plain.size);
    d->same      = 0;
    d->out->code = d->out->code == KITH_OK ? plain.code : d->out->code;
    if (d->out->out->size - d->out->chunk >= KITH_CHUNK_BYTES) {
        kith_writer_end(d->out, KITH_TAG_PIECES);
        d->open = false;
    }
}

// --- pairs of chunks -------------------------------------------------------------------------

// A chunk of a snapshot that this library has written, with its head.
typedef struct flat_chunk {
    size_t   size; // 0: behind the last one
    uint32_t tag;
    bool     rows;
    uint32_t first[3]; // numbers of the body: of rows component, first row, count
} flat_chunk;

static flat_chunk chunk_at(kith_source file)
{
    flat_chunk at = { .tag = kith_source_u32(&file) };
    kith_source_take(&file, sizeof(uint32_t)); // not packed
    uint64_t stored = kith_source_u64(&file);
    kith_source_take(&file, KITH_CHUNK_HEAD - 16);
    at.rows = at.tag == KITH_TAG_ROWS || at.tag == KITH_TAG_VALUES || at.tag == KITH_TAG_BLOBS ||
              at.tag == KITH_TAG_TICKS;
    kith_source_numbers(&file, at.first, at.rows ? 3 : 1, sizeof(uint32_t));
    at.size = file.ended ? 0 : (size_t)(KITH_CHUNK_HEAD + (stored + 7) / 8 * 8);
    return at;
}

// Whether two chunks have the same contents at different times: of the same component, or the same
// slots, and from the same row on.
static bool is_pair(const flat_chunk *a, const flat_chunk *b)
{
    return a->size != 0 && b->size != 0 && a->tag == b->tag && a->first[0] == b->first[0] &&
           a->first[1] == b->first[1];
}

// Whether the file has a pair of the chunk further on.
static bool comes_later(kith_source file, const flat_chunk *wanted)
{
    flat_chunk at = chunk_at(file);
    while (at.size != 0 && !is_pair(&at, wanted)) {
        file.at += at.size;
        at = chunk_at(file);
    }
    return at.size != 0;
}

// Writes the pieces of a pair, one of which may be absent: the head, then the elements.
static void put_pair(delta_writer *d, const uint8_t *before, const flat_chunk *a,
                     const uint8_t *after, const flat_chunk *b)
{
    const flat_chunk *of = a->size != 0 ? a : b;
    size_t            element =
        of->rows && of->first[2] != 0 ? (of->size - HEAD_BYTES) / of->first[2] : sizeof(uint64_t);
    size_t head_a = lesser(a->size, HEAD_BYTES);
    size_t head_b = lesser(b->size, HEAD_BYTES);
    put_piece(d, &(delta_piece){ before, after, head_a, head_b, 1 });
    put_piece(d, &(delta_piece){ before + head_a, after + head_b, a->size - head_a,
                                 b->size - head_b, element == 0 ? 1 : element });
}

static void put_pairs(delta_writer *d, kith_source before, kith_source after)
{
    const flat_chunk head_a = { .size = lesser(before.size, KITH_FILE_HEAD) };
    const flat_chunk head_b = { .size = KITH_FILE_HEAD };
    put_pair(d, before.bytes, &head_a, after.bytes, &head_b);
    before.at = head_a.size;
    after.at  = head_b.size;
    for (;;) {
        flat_chunk a = chunk_at(before);
        flat_chunk b = chunk_at(after);
        if (a.size == 0 && b.size == 0) {
            return;
        }
        if (!is_pair(&a, &b)) { // one of them has no pair
            bool added         = a.size == 0 || (b.size != 0 && comes_later(after, &a));
            *(added ? &a : &b) = (flat_chunk){ .size = 0 };
        }
        put_pair(d, before.bytes + before.at, &a, after.bytes + after.at, &b);
        before.at += a.size;
        after.at += b.size;
    }
}

void kith_delta_write(kith_writer *writer, const kith_bytes *before, const kith_bytes *after,
                      uint64_t from, uint64_t to)
{
    delta_writer   d       = { .out = writer };
    const uint64_t ends[6] = { from,
                               to,
                               before->size,
                               after->size,
                               kith_xxh3(before->data, before->size),
                               kith_xxh3(after->data, after->size) };
    writer->kind           = KITH_FILE_DELTA;
    kith_writer_file(writer);
    kith_writer_begin(writer);
    kith_writer_numbers(writer, ends, 6, sizeof ends[0]);
    kith_writer_end(writer, KITH_TAG_DELTA);
    put_pairs(&d,
              (kith_source){ .bytes = before->size == 0 ? after->data : before->data,
                             .size  = before->size },
              (kith_source){ .bytes = after->data, .size = after->size });
    if (d.open) {
        kith_writer_end(writer, KITH_TAG_PIECES);
    }
    kith_writer_begin_pair(writer, writer->chunks + 1, 0); // counts itself
    kith_writer_end(writer, KITH_TAG_END);
    kith_bytes_free(&d.plain);
    kith_bytes_free(&writer->packed);
}

// --- reading ---------------------------------------------------------------------------------

typedef struct delta_reader {
    kith_reader in;
    kith_source base;  // the snapshot that is known
    kith_bytes *to;    // the other one
    uint64_t    size;  // of the other one
    uint64_t    limit; // of its memory
    bool        both;  // the second snapshot may be the known one
    bool        back;  // it is
    kith_bytes  plain;
} delta_reader;

static bool refuse_piece(delta_reader *d)
{
    return kith_reader_malformed(&d->in, "a piece of the delta is malformed");
}

// Appends bytes of the known snapshot, and `more` zeros.
static bool take_over(delta_reader *d, uint64_t size, uint64_t more)
{
    const uint8_t *bytes = size > d->base.size ? NULL : kith_source_take(&d->base, (size_t)size);
    if (bytes == NULL || size > d->size - d->to->size || more > d->size - d->to->size - size) {
        return refuse_piece(d);
    }
    if (!kith_bytes_extend(d->to, (size_t)(size + more))) {
        return kith_reader_no_memory(&d->in);
    }
    if (size + more != 0) {
        uint8_t *place = d->to->data + d->to->size - size - more;
        memcpy(place, bytes, (size_t)size);
        memset(place + size, 0, (size_t)more);
    }
    return true;
}

// Changes the elements of a piece; the bytes of before are in place. `size` is the longer of its
// two sizes: elements behind the new end are passed over.
static bool change_elements(delta_reader *d, size_t new, size_t size, size_t element, size_t count)
{
    kith_source    places = { .bytes = d->plain.data, .size = d->plain.size - count * element };
    const uint8_t *planes = d->plain.data + places.size;
    size_t         place  = d->to->size - new;
    uint64_t       first  = 0;
    for (size_t k = 0; k < count; k++, first += element) {
        uint64_t gap = get_number(&places);
        if (places.ended || gap > size / element || (first += gap * element) >= size) {
            return refuse_piece(d);
        }
        for (size_t i = 0; i < element && first + i < new; i++) {
            d->to->data[place + first + i] ^= planes[i * count + k];
        }
    }
    return places.at == places.size || refuse_piece(d);
}

static bool read_piece(delta_reader *d)
{
    kith_source *from = &d->in.body;
    uint64_t     most = d->base.size + d->size;
    uint64_t     numbers[6]; // equal bytes, size before, size after, element, count, plain bytes
    for (uint32_t i = 0; i < 6; i++) {
        numbers[i] = get_number(from);
        if (from->ended || numbers[i] > 16 * most) {
            return refuse_piece(d);
        }
    }
    size_t old     = (size_t)numbers[d->back ? 2 : 1];
    size_t new     = (size_t)numbers[d->back ? 1 : 2];
    size_t common  = lesser(old, new);
    size_t element = (size_t)numbers[3];
    size_t count   = (size_t)numbers[4];
    size_t plain   = (size_t)numbers[5];
    if (!take_over(d, numbers[0], 0) || !take_over(d, common, new - common)) {
        return false;
    }
    if (kith_source_take(&d->base, old - common) == NULL || element == 0 || element > old + new ||
        count > (old + new) / element + 1 || plain < count * element ||
        plain - count *element > count * 10) {
        return refuse_piece(d);
    }
    if (count == 0) { // only zeros were added or removed
        return plain == 0 || refuse_piece(d);
    }
    d->plain.size = 0;
    if (!kith_bytes_extend(&d->plain, plain)) {
        return kith_reader_no_memory(&d->in);
    }
    return (get_runs(from, d->plain.data, plain) || refuse_piece(d)) &&
           change_elements(d, new, old > new ? old : new, element, count);
}

static bool read_pieces(delta_reader *d)
{
    kith_reader *in = &d->in;
    while (kith_reader_chunk(in) && in->tag == KITH_TAG_PIECES) {
        while (kith_source_left(&in->body) != 0) {
            if (!read_piece(d)) {
                return false;
            }
        }
    }
    if (in->result.code == KITH_OK &&
        (in->tag != KITH_TAG_END || kith_source_u32(&in->body) != in->chunks ||
         kith_source_left(&in->file) != 0)) {
        kith_reader_malformed(in, "the delta does not end where it should");
    }
    return in->result.code == KITH_OK && take_over(d, kith_source_left(&d->base), 0);
}

// Reads the DELT chunk, and decides the direction.
static bool read_ends(delta_reader *d, uint64_t *sum)
{
    uint64_t numbers[6] = { 0 };
    if (!kith_reader_file(&d->in) || !kith_reader_chunk(&d->in)) {
        return false;
    }
    if (d->in.tag != KITH_TAG_DELTA || !kith_source_holds(&d->in.body, 6, sizeof(uint64_t))) {
        return kith_reader_malformed(&d->in, "the delta has no head");
    }
    kith_source_numbers(&d->in.body, numbers, 6, sizeof(uint64_t));
    d->base.size   = !d->both && numbers[2] == 0 ? 0 : d->base.size; // from nothing: everything
    uint64_t known = kith_xxh3(d->base.bytes, d->base.size);
    d->back        = known != numbers[4] || d->base.size != numbers[2];
    if (d->back && (!d->both || known != numbers[5] || d->base.size != numbers[3])) {
        return kith_reader_conflict(&d->in, "the delta does not begin at this state");
    }
    d->size = numbers[d->back ? 2 : 3];
    *sum    = numbers[d->back ? 4 : 5];
    return d->size <= d->limit ||
           kith_reader_fail(&d->in, KITH_ERROR_LIMIT, "the delta asks for too much memory", NULL);
}

bool kith_is_delta(kith_source file)
{
    return kith_reader_file(&(kith_reader){ .file = file, .kind = KITH_FILE_DELTA });
}

kith_result kith_delta_read(kith_source delta, bool both, size_t limit, const kith_bytes *base,
                            kith_bytes *to)
{
    delta_reader d   = { .in    = { .file = delta, .kind = KITH_FILE_DELTA },
                         .base  = { .bytes = base->size == 0 ? delta.bytes : base->data,
                                    .size  = base->size }, // any address, but none plus 0
                         .both  = both,
                         .limit = kith_budget_limit(limit, base->size + delta.size),
                         .to    = to };
    uint64_t     sum = 0;
    to->size         = 0;
    if (read_ends(&d, &sum) && read_pieces(&d) &&
        (to->size != d.size || kith_xxh3(to->data, to->size) != sum)) {
        kith_reader_malformed(&d.in, "the delta does not lead to the state that it names");
    }
    kith_bytes_free(&d.plain);
    kith_bytes_free(&d.in.unpacked);
    return d.in.result;
}
