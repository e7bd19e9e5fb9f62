// SPDX-License-Identifier: MIT
// The known bytes of a delta and of a recording, which lead a second world from frame to frame.
#include "kith/frames.h"
#include "kith/kith.h"

#include <stdio.h>

#define FRAMES   6u
#define RECORDED "portable_delta.kith"
#define BYTES    UINT64_C(0x80a38bec75b8e4f2) // a sum of all that is written

typedef struct spot {
    float    x;
    int16_t  floor;
    uint64_t owner;
} spot;

KITH_FIELDS(spot, f32(x), i16(floor), u64(owner));
KITH_COMPONENT_AS(at, spot, 1, fields(spot));
KITH_COMPONENT_AS(depth, uint32_t, 2, plain(4));
KITH_FLAG(lit, 3);
KITH_MODULE(cave, at, depth, lit);

static uint64_t sum = UINT64_C(0xcbf29ce484222325); // FNV-1a

static void add_bytes(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
}

static void play(kith_world *world, uint32_t frame)
{
    for (uint32_t i = 0; i < 700; i++) {
        kith_entity entity = kith_entity_create(world);
        at_set(world, entity, (spot){ (float)i / 2, (int16_t)(i - frame), UINT64_C(1) << i % 64 });
        if (i % 3 == 0) {
            lit_add(world, entity);
        }
        if (i % 5 == frame % 5) {
            depth_set(world, entity, i << 20 | frame);
            kith_entity_destroy(world, at_entity(world, i / 2));
        }
    }
}

static bool is_fine(kith_result result)
{
    if (result.code != KITH_OK) {
        printf("%s\n", result.message);
    }
    return result.code == KITH_OK;
}

static uint64_t exact_hash(const kith_world *world)
{
    uint64_t hash = 0;
    return kith_world_hash_exact(world, &hash) ? hash : 0;
}

// Leads the second world to the next frame by its delta, back, and forth again.
static bool follow(kith_frames *frames, kith_world *other, uint64_t frame)
{
    kith_bytes delta = { .data = NULL };
    uint64_t   first = exact_hash(other);
    bool       good =
        is_fine(kith_frames_delta(frames, frame - 1, frame, NULL, kith_bytes_write, &delta));
    for (uint32_t i = 0; i < 3 && good; i++) {
        uint64_t wanted = i % 2 == 0 ? exact_hash(kith_frames_world(frames, frame)) : first;
        good =
            is_fine(kith_delta_apply(other, delta.data, delta.size)) && exact_hash(other) == wanted;
    }
    add_bytes(delta.data, delta.size);
    kith_bytes_free(&delta);
    return good;
}

static bool read_recorded(kith_world *other, const kith_frames *frames)
{
    static uint8_t bytes[1u << 20];
    kith_bytes     snapshot = { .data = NULL };
    uint64_t       hash     = 0;
    FILE          *file     = fopen(RECORDED, "rb");
    size_t         size     = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    bool           good = file != NULL && fclose(file) == 0 && kith_frames_hash(frames, 3, &hash) &&
                is_fine(kith_recording_snapshot(bytes, size, 3, &snapshot)) &&
                is_fine(kith_world_load(other, NULL, snapshot.data, snapshot.size));
    uint64_t read = 0;
    good          = good && kith_world_hash(other, KITH_ALL, &read) && read == hash;
    add_bytes(bytes, size);
    kith_bytes_free(&snapshot);
    remove(RECORDED);
    return good;
}

int main(void)
{
    kith_world     *world     = kith_world_create(NULL);
    kith_world     *other     = kith_world_create(NULL);
    bool            good      = cave_register(world) && cave_register(other);
    kith_frames    *frames    = kith_frames_create(world, &(kith_frames_desc){ .hashes = true });
    kith_recording *recording = kith_recording_create(world, RECORDED, NULL);
    for (uint32_t frame = 1; frame <= FRAMES && good; frame++) {
        kith_bytes whole = { .data = NULL };
        play(world, frame);
        good = kith_frames_save(frames) == frame &&
               is_fine(kith_recording_add(recording, frames, frame));
        if (frame == 1) {
            const kith_save_desc exact = { .exact = true };
            good                       = good &&
                   is_fine(kith_world_save_memory(kith_frames_world(frames, 1), &exact, &whole)) &&
                   is_fine(kith_world_load(other, NULL, whole.data, whole.size));
        } else {
            good = good && follow(frames, other, frame);
        }
        kith_bytes_free(&whole);
    }
    good = kith_recording_destroy(recording) && good && read_recorded(other, frames);
    if (!good || sum != BYTES) {
        printf("frames are %s, the sum of their bytes is 0x%016llx\n", good ? "right" : "wrong",
               (unsigned long long)sum);
    }
    kith_world_destroy(other);
    kith_world_destroy(world);
    return good && sum == BYTES ? 0 : 1;
}
