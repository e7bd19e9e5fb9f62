// SPDX-License-Identifier: MIT
// Exact deltas: a spectator follows a game, and goes back in it, by the difference of two frames.
// Look at the hashes: the spectator has the same state in each frame, with the same handles. A
// delta that does not fit is refused, so a mistake is never passed on.
#include <kith/frames.h>
#include <kith/kith.h>
#include <kith/random.h>

#include <inttypes.h>
#include <stdio.h>

enum { FRAMES = 6, ANTS = 500 };

typedef struct ant {
    int32_t x, y;
} ant;

enum { ANT = 1 };

KITH_FIELDS(ant, i32(x), i32(y));
KITH_COMPONENT_AS(ant, ant, ANT, fields(ant));
KITH_QUERY(ants, write(ant));

static void play(kith_world *world)
{
    uint64_t now = kith_world_now(world);
    KITH_EACH(ants, a, world)
    {
        uint64_t dice = kith_random(1, a.entity, now, 0);
        if (kith_random_below(dice, 10) == 0) {
            a.ant->x += 1;
        } else if (kith_random_float(dice) > 0.99f) {
            kith_entity_destroy(world, a.entity);
        }
    }
    ant_set(world, kith_entity_create(world), (ant){ 0, (int32_t)now });
}

static uint64_t hash_of(kith_world *world)
{
    uint64_t hash = 0;
    return kith_world_hash(world, KITH_ALL, &hash) ? hash : 0;
}

// The way of the bytes: here a variable, elsewhere a network or a file.
typedef struct way {
    kith_bytes deltas[FRAMES + 1]; // deltas[i] leads from frame i to frame i + 1, and back
} way;

static bool apply(kith_world *spectator, const kith_bytes *delta)
{
    kith_result result = kith_delta_apply(spectator, delta->data, delta->size);
    if (result.code != KITH_OK) {
        printf("refused: %s\n", result.message);
    }
    return result.code == KITH_OK;
}

// The spectator begins with a whole snapshot of one frame.
static bool join(kith_frames *frames, uint64_t frame, kith_world *spectator)
{
    kith_bytes           bytes = { 0 };
    const kith_world    *then  = kith_frames_world(frames, frame);
    const kith_save_desc exact = { .exact = true };
    bool joined = then != NULL && kith_world_save_memory(then, &exact, &bytes).code == KITH_OK &&
                  kith_world_load(spectator, NULL, bytes.data, bytes.size).code == KITH_OK;
    printf("joins in frame %d: %s\n", (int)frame, joined ? "a snapshot" : "failed");
    kith_bytes_free(&bytes);
    return joined;
}

int main(void)
{
    static way  w;
    kith_world *game      = kith_world_create(NULL);
    kith_world *spectator = kith_world_create(NULL);
    if (game == NULL || spectator == NULL || !ant_register(game) || !ant_register(spectator)) {
        return 1;
    }
    for (int32_t i = 0; i < ANTS; i++) {
        ant_set(game, kith_entity_create(game), (ant){ i, 0 });
    }
    kith_frames *frames = kith_frames_create(game, &(kith_frames_desc){ .hashes = true });
    bool         right  = frames != NULL;
    for (uint64_t frame = 1; right && frame <= FRAMES; frame++) {
        play(game);
        right = kith_frames_save(frames) == frame;
        if (frame > 1) {
            right = kith_frames_delta(frames, frame - 1, frame, NULL, kith_bytes_write,
                                      &w.deltas[frame - 1])
                            .code == KITH_OK &&
                    right;
        }
    }
    kith_frames_report report = kith_frames_report_of(frames);
    printf("%u frames; the last one copied %u pages and shares %u\n", report.frames, report.copied,
           report.shared);

    // Forward to the end, then back again: the same deltas serve both.
    right      = right && join(frames, 2, spectator);
    int32_t at = 2;
    for (int i = 0; right && i < 2 * (FRAMES - 2); i++) {
        int to        = i < FRAMES - 2 ? at + 1 : at - 1;
        right         = apply(spectator, &w.deltas[to > at ? at : to]);
        at            = to;
        uint64_t then = 0;
        right         = kith_frames_hash(frames, (uint64_t)at, &then) && right;
        printf("frame %d: %u ants, hash %016" PRIx64 "%s\n", at, ant_count(spectator), then,
               hash_of(spectator) == then ? "" : " is another one");
        right = hash_of(spectator) == then && right;
    }

    // The delta of another frame, and one that was damaged on its way.
    right = !apply(spectator, &w.deltas[4]) && right;
    w.deltas[2].data[w.deltas[2].size / 2] ^= 4;
    right = !apply(spectator, &w.deltas[2]) && right;
    for (int i = 0; i <= FRAMES; i++) {
        kith_bytes_free(&w.deltas[i]);
    }
    right = kith_frames_destroy(frames) && right;
    kith_world_destroy(spectator);
    kith_world_destroy(game);
    return right ? 0 : 1;
}
