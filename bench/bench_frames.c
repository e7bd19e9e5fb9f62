// SPDX-License-Identifier: MIT
// Frames of a world of 100,000 entities with four components. FR1: saving, against copying the
// pages that were written and 128 KB more. FR2: going back, against copying these pages; a row that
// has another entity then costs 3 ns more, which is 9 times the copying of a row. FR3: going
// eight frames back and moving all entities again, frame by frame, against the same with plain
// arrays.
#include "bench.h"

#include "kith/frames.h"

#include <stdlib.h>
#include <string.h>

#define RING   64u
#define BACK   8u
#define TABLES (128u << 10)
#define ROW    (sizeof(vec3) + sizeof(uint32_t)) // of a page: the value and the packed index

static kith_frames *frames;

static void world_open_frames(bench_data *data)
{
    const kith_frames_desc ring = { .name = "bench", .capacity = RING };
    world_open_bare(data);
    bench_require(position_register(data->world) && velocity_register(data->world) &&
                      rotation_register(data->world) && health_register(data->world),
                  "register the components");
    for (uint32_t i = 0; i < data->n; i++) {
        kith_entity entity = kith_entity_create(data->world);
        data->out[i]       = entity;
        position_set(data->world, entity, make_position(i));
        velocity_set(data->world, entity, make_velocity(i));
        rotation_set(data->world, entity, (quaternion){ 0, 0, 0, 1 });
        health_set(data->world, entity, (hit_points){ 50, 100 });
    }
    frames = kith_frames_create(data->world, &ring);
    bench_require(frames != NULL, "make a ring");
}

static void world_move(kith_world *world)
{
    float  dt = workload_dt;
    movers m  = movers_begin(world);
    while (movers_next_chunk(&m)) {
        move(m.position, m.velocity, m.count, dt);
    }
}

static void world_open_moved(bench_data *data)
{
    world_open_frames(data);
    for (uint32_t i = 0; i < RING + BACK; i++) {
        world_move(data->world);
        bench_require(kith_frames_save(frames) != 0, "save a frame");
    }
}

// The newest frame has the positions of the one before it in the opposite order.
static void world_open_swapped(bench_data *data)
{
    world_open_moved(data);
    for (uint32_t i = 0; i < data->n / 2; i++) {
        position_swap(data->world, data->out[i], data->out[data->n - 1 - i]);
    }
    bench_require(kith_frames_save(frames) != 0, "save a frame");
}

// --- bodies ----------------------------------------------------------------------------------

BENCH_KERNEL void world_move_and_save(bench_data *data)
{
    world_move(data->world);
    data->result = kith_frames_save(frames) != 0;
}

BENCH_KERNEL void world_save_unchanged(bench_data *data)
{
    data->result = kith_frames_save(frames) != 0;
}

static uint64_t newest_frame(void)
{
    uint64_t oldest;
    uint64_t newest;
    kith_frames_range(frames, &oldest, &newest);
    return newest;
}

// To an older frame and back: two restores in which the same pages differ.
static void restore_and_return(bench_data *data, uint64_t back)
{
    uint64_t newest = newest_frame();
    data->result =
        kith_frames_restore(frames, newest - back) && kith_frames_restore(frames, newest);
}

BENCH_KERNEL void world_one_back(bench_data *data)
{
    restore_and_return(data, 1);
}

BENCH_KERNEL void world_eight_back(bench_data *data)
{
    restore_and_return(data, BACK);
}

BENCH_KERNEL void world_roll_back(bench_data *data)
{
    bool done = kith_frames_restore(frames, newest_frame() - BACK);
    for (uint32_t i = 0; i < BACK; i++) {
        world_move(data->world);
        done = kith_frames_save(frames) != 0 && done;
    }
    data->result = done;
}

// --- the limit -------------------------------------------------------------------------------

static uint8_t *copies;
static uint8_t *tables; // stands for the packed indices, and for what a frame has besides rows
static uint32_t next_copy;

static size_t pages_bytes(const bench_data *data)
{
    return data->n * ROW;
}

static void limit_open_frames(bench_data *data)
{
    size_t size = RING * (pages_bytes(data) + TABLES);
    limit_open_movers(data);
    copies = malloc(size);
    tables = malloc(pages_bytes(data) + TABLES);
    bench_require(copies != NULL && tables != NULL, "take memory");
    memset(copies, 1, size);
    memset(tables, 2, pages_bytes(data) + TABLES);
    next_copy = 0;
}

// Copies the positions and as many bytes more as their pages and the tables have, or back.
static void limit_copy(const bench_data *data, uint32_t copy, size_t more, bool back)
{
    uint8_t *kept   = copies + copy % RING * (pages_bytes(data) + TABLES);
    size_t   values = data->n * sizeof(vec3);
    size_t   rest   = pages_bytes(data) - values + more;
    if (back) {
        memcpy(data->limit.pos, kept, values);
        memcpy(tables, kept + values, rest);
    } else {
        memcpy(kept, data->limit.pos, values);
        memcpy(kept + values, tables, rest);
    }
}

BENCH_KERNEL void limit_move_and_copy(bench_data *data)
{
    move(data->limit.pos, data->limit.vel, data->n, workload_dt);
    limit_copy(data, next_copy++, TABLES, false);
    data->result = 1;
}

BENCH_KERNEL void limit_copy_tables(bench_data *data)
{
    memcpy(copies + next_copy++ % RING * (pages_bytes(data) + TABLES), tables, TABLES);
    data->result = 1;
}

BENCH_KERNEL void limit_copy_twice(bench_data *data)
{
    limit_copy(data, 0, 0, true);
    limit_copy(data, 1, 0, true);
    data->result = 1;
}

BENCH_KERNEL void limit_roll_back(bench_data *data)
{
    limit_copy(data, next_copy - BACK, 0, true);
    for (uint32_t i = 0; i < BACK; i++) {
        limit_move_and_copy(data);
    }
    next_copy -= BACK;
}

static void limit_close_frames(bench_data *data)
{
    free(copies);
    free(tables);
    limit_close(data);
}

// --- the table -------------------------------------------------------------------------------

#define FRAMES(OPEN, RUN, LIMIT)                                                                   \
    .kind = BENCH_STEADY, .sizes = { 100000 }, .baseline = "memcpy",                               \
    .kith  = { OPEN, RUN, bench_result_of, world_close },                                          \
    .limit = { limit_open_frames, LIMIT, bench_result_of, limit_close_frames }

static const bench_case cases[] = {
    { .id     = "FR1",
      .form   = "all positions moved",
      .target = 1.15,
      FRAMES(world_open_moved, world_move_and_save, limit_move_and_copy) },
    { .id     = "FR1",
      .form   = "nothing changed",
      .target = 1,
      FRAMES(world_open_moved, world_save_unchanged, limit_copy_tables) },
    { .id     = "FR2",
      .form   = "one back, and return",
      .target = 1.3,
      FRAMES(world_open_moved, world_one_back, limit_copy_twice) },
    { .id     = "FR2",
      .form   = "eight back, and return",
      .target = 1.3,
      FRAMES(world_open_moved, world_eight_back, limit_copy_twice) },
    { .id     = "FR2",
      .form   = "all rows relinked",
      .target = 10,
      FRAMES(world_open_swapped, world_one_back, limit_copy_twice) },
    { .id     = "FR3",
      .form   = "eight back, again",
      .target = 1.4,
      FRAMES(world_open_moved, world_roll_back, limit_roll_back) },
};

const bench_suite bench_frames = BENCH_SUITE(cases);
