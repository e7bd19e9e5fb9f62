// SPDX-License-Identifier: MIT
// libFuzzer: any bytes as a delta, and as a recording. What is refused changes nothing; a delta
// that is applied leads to a state that it names, and back.
#include "town.h"

#include "kith/frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t exact_hash_of(const kith_world *world)
{
    uint64_t hash = 0;
    demand(kith_world_hash_exact(world, &hash), "a world has no hash");
    return hash;
}

// Two states of the town, and a delta between them.
typedef struct states {
    kith_world *world;
    uint64_t    hashes[2];
    kith_bytes  delta;
} states;

static void change_town(kith_world *world)
{
    kith_entity first = kith_entity_next(world, KITH_NULL);
    kith_component_set(world, first, CREW, &(crew){ .name = "bob" });
    kith_component_add(world, kith_entity_create(world), HEAT, NULL);
    kith_entity_destroy(world, kith_entity_next(world, first));
}

static states make_states(void)
{
    states s = { .world = make_world() };
    settle_town(s.world);
    kith_frames *frames = kith_frames_create(s.world, NULL);
    demand(frames != NULL && kith_frames_save(frames) == 1, "a frame is not saved");
    s.hashes[0] = exact_hash_of(s.world);
    change_town(s.world);
    demand(kith_frames_save(frames) == 2, "a frame is not saved");
    s.hashes[1] = exact_hash_of(s.world);
    demand(kith_frames_delta(frames, 1, 2, NULL, kith_bytes_write, &s.delta).code == KITH_OK,
           "there is no delta");
    demand(kith_frames_destroy(frames), "the ring stays");
    return s;
}

// The bytes in place of pieces of the delta: the head with the checksums of both states stays.
static kith_bytes pieces_of(const states *s, const uint8_t *data, size_t size)
{
    kith_bytes  file = { .data = NULL };
    chunk_place head = place_of_chunk(&s->delta, KITH_FILE_HEAD);
    chunk_place old  = place_of_chunk(&s->delta, behind(head));
    size_t      rest = (size + 7) / 8 * 8 - size;
    demand(kith_bytes_write(s->delta.data, old.head + KITH_CHUNK_HEAD, &file) &&
               kith_bytes_write(data, size, &file) &&
               kith_bytes_write("\0\0\0\0\0\0\0", rest, &file) &&
               kith_bytes_write(s->delta.data + behind(old), s->delta.size - behind(old), &file),
           "there is no memory");
    put_number(file.data + old.head + 8, size);
    put_number(file.data + old.head + 16, size);
    sign_all(&file);
    return file;
}

// Applies the delta. The world is in the other state, or as it was.
static bool apply_and_look(const states *s, const kith_bytes *file)
{
    uint64_t    before = exact_hash_of(s->world);
    kith_result result = kith_delta_apply(s->world, file->data, file->size);
    bool        moved  = result.code == KITH_OK;
    uint64_t    other  = before == s->hashes[0] ? s->hashes[1] : s->hashes[0];
    demand_valid(s->world);
    demand(moved || result.offset <= file->size, "the offset is outside of the file");
    demand(moved || result.message[0] != '\0', "there is no reason");
    demand(exact_hash_of(s->world) == (moved ? other : before), "the world is in another state");
    return moved;
}

// In both states, each twice: what is damaged can lead there, and not back.
static void apply_all(const states *s, const kith_bytes *file)
{
    for (uint32_t i = 0; i < 2; i++) {
        apply_and_look(s, file);
        apply_and_look(s, file);
        demand(apply_and_look(s, &s->delta), "a delta that makes sense is refused");
    }
}

// Makes the checksums of the files inside the chunks right, and then those of the chunks.
static void sign_recording(kith_bytes *file)
{
    size_t head = KITH_FILE_HEAD;
    while (head + KITH_CHUNK_HEAD <= file->size) {
        chunk_place chunk = place_of_chunk(file, head);
        if (chunk.size > file->size - head - KITH_CHUNK_HEAD) {
            break;
        }
        if (chunk.size > sizeof(uint64_t)) { // the number of the frame comes first
            kith_bytes inner = { .data = file->data + head + KITH_CHUNK_HEAD + sizeof(uint64_t),
                                 .size = chunk.size - sizeof(uint64_t) };
            sign_all(&inner);
        }
        head = behind(chunk);
    }
    sign_all(file);
}

// Every frame is a snapshot or a reason; what is a snapshot of this town can be loaded.
static void read_recording(const states *s, kith_bytes *file)
{
    kith_recorded record = { .frame = 0 };
    uint64_t      at     = 0;
    sign_recording(file);
    while (kith_recording_next(file->data, file->size, &record)) {
        kith_bytes snapshot = { .data = NULL };
        demand(record.offset >= at && record.size != 0 && record.size <= file->size - record.offset,
               "a frame is outside of the file");
        at = record.offset + record.size;
        kith_result result =
            kith_recording_snapshot(file->data, file->size, record.frame, &snapshot);
        demand(result.code == KITH_OK || result.message[0] != '\0', "there is no reason");
        if (result.code == KITH_OK) {
            kith_world *world = make_world();
            kith_world_load(world, NULL, snapshot.data, snapshot.size);
            demand_valid(world);
            kith_world_destroy(world);
        }
        kith_bytes_free(&snapshot);
    }
    demand_valid(s->world);
}

// The first byte says what the others are: a delta, its pieces, or a recording.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static states  s;
    kith_load_desc ignored;
    if (size == 0) {
        return 0;
    }
    if (s.world == NULL) {
        s = make_states();
    }
    bool       pieces = data[0] % 3 == 1;
    kith_bytes file   = pieces ? pieces_of(&s, data + 1, size - 1) : file_of(data, size, &ignored);
    if (data[0] % 3 == 2) {
        read_recording(&s, &file);
    } else {
        apply_all(&s, &file);
    }
    kith_bytes_free(&file);
    return 0;
}
