// SPDX-License-Identifier: MIT
// Frames of a world of 100,000 entities with four components. FR1: saving, against copying the
// pages that were written and 128 KB more. FR2: going back, against copying these pages; a row that
// has another entity then costs 3 ns more, which is 9 times the copying of a row. FR3: going
// eight frames back and moving all entities again, frame by frame, against the same with plain
// arrays. FR4: deltas of positions alone: their bytes, against the values that changed or against a
// snapshot, and their time, against copying the positions. FR5: reading values of a frame, against
// reading those of the world. FR6: the bytes of 64 frames, against those of the world.
#include "bench.h"

#include "kith/frames.h"

#include <stdlib.h>
#include <string.h>

#define RING   64u
#define BACK   8u
#define TABLES (128u << 10)
#define ROW    (sizeof(vec3) + sizeof(uint32_t)) // of a page: the value and the packed index

static kith_frames *frames;

static void make_ring(bench_data *data, bool hashes)
{
    const kith_frames_desc ring = { .name = "bench", .capacity = RING, .hashes = hashes };
    frames                      = kith_frames_create(data->world, &ring);
    bench_require(frames != NULL, "make a ring");
}

// Numbers of four bytes, so that they can be hashed and saved.
static void register_plain(kith_world *world, const kith_component_desc *descs, uint32_t count)
{
    const kith_saved plain = KITH_AS(plain(4));
    for (uint32_t i = 0; i < count; i++) {
        kith_component_desc desc = descs[i];
        desc.traits.saved        = plain;
        bench_require(kith_component_register(world, &desc) != 0, "register the components");
    }
}

static void world_open_four(bench_data *data)
{
    const kith_component_desc descs[] = { position_desc(), velocity_desc(), rotation_desc(),
                                          health_desc() };
    world_open_bare(data);
    register_plain(data->world, descs, 4);
    for (uint32_t i = 0; i < data->n; i++) {
        kith_entity entity = kith_entity_create(data->world);
        data->out[i]       = entity;
        position_set(data->world, entity, make_position(i));
        velocity_set(data->world, entity, make_velocity(i));
        rotation_set(data->world, entity, (quaternion){ 0, 0, 0, 1 });
        health_set(data->world, entity, (hit_points){ 50, 100 });
    }
}

static void world_move(kith_world *world)
{
    float  dt = workload_dt;
    movers m  = movers_begin(world);
    while (movers_next_chunk(&m)) {
        move(m.position, m.velocity, m.count, dt);
    }
}

static void save_frame(void)
{
    bench_require(kith_frames_save(frames) != 0, "save a frame");
}

static void move_often(bench_data *data)
{
    for (uint32_t i = 0; i < RING + BACK; i++) {
        world_move(data->world);
        save_frame();
    }
}

static void world_open_moved(bench_data *data)
{
    world_open_four(data);
    make_ring(data, false);
    move_often(data);
}

static void world_open_hashed(bench_data *data)
{
    world_open_four(data);
    make_ring(data, true);
    move_often(data);
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

BENCH_KERNEL void limit_copy_positions(bench_data *data)
{
    limit_copy(data, next_copy++, 0, false);
    data->result = 1;
}

static void limit_close_frames(bench_data *data)
{
    free(copies);
    free(tables);
    limit_close(data);
}

// --- FR4: deltas -----------------------------------------------------------------------------

enum { EVERY = 100 };

static kith_bytes delta; // keeps its memory
static uint32_t   first_changed;

// Somewhere in a room of 1,000 metres: hardly compressible.
static float anywhere(uint64_t *seed)
{
    return (float)(random_next(seed) >> 40) / (float)(1u << 24) * 1000;
}

static void world_open_points(bench_data *data)
{
    const kith_component_desc desc = position_desc();
    uint64_t                  seed = 1;
    world_open_bare(data);
    register_plain(data->world, &desc, 1);
    world_create_positions(data);
    for (uint32_t i = 0; i < data->n; i++) {
        *position_mut(data->world, data->out[i]) =
            (vec3){ anywhere(&seed), anywhere(&seed), anywhere(&seed) };
    }
    make_ring(data, false);
    save_frame();
    first_changed = 0;
}

// Moves one row in a hundred.
static void change_few(bench_data *data)
{
    for (uint32_t i = first_changed++ % EVERY; i < data->n; i += EVERY) {
        vec3 velocity = make_velocity(i);
        move(position_mut(data->world, data->out[i]), &velocity, 1, workload_dt);
    }
}

// All have one velocity.
static void drift(bench_data *data)
{
    for (uint32_t i = 0; i < data->n; i++) {
        vec3 *at = position_mut(data->world, data->out[i]);
        *at      = (vec3){ at->x + 1.5f * workload_dt, at->y - 0.25f * workload_dt,
                           at->z + 9.0f * workload_dt };
    }
}

// Level 3, in a library with zstd.
static uint32_t best_level(const kith_world *world)
{
    const kith_save_desc packed = { .zstd_level = 3 };
    kith_bytes           bytes  = { .data = NULL };
    bool                 can    = kith_world_save_memory(world, &packed, &bytes).code == KITH_OK;
    kith_bytes_free(&bytes);
    return can ? packed.zstd_level : 0;
}

// Makes the delta to the newest frame from the one before.
static void make_delta(bench_data *data, uint32_t level)
{
    const kith_delta_desc desc   = { .zstd_level = level };
    uint64_t              newest = newest_frame();
    delta.size                   = 0;
    data->result =
        kith_frames_delta(frames, newest - 1, newest, &desc, kith_bytes_write, &delta).code ==
        KITH_OK;
    data->bytes = delta.size;
}

BENCH_KERNEL void world_delta_of_few(bench_data *data)
{
    change_few(data);
    save_frame();
    make_delta(data, 0);
}

BENCH_KERNEL void limit_few_values(bench_data *data)
{
    data->bytes  = (data->n + EVERY - 1) / EVERY * sizeof(vec3);
    data->result = 1;
}

static void world_open_drift(bench_data *data)
{
    world_open_points(data);
    drift(data);
    save_frame();
}

BENCH_KERNEL void world_delta_of_drift(bench_data *data)
{
    make_delta(data, best_level(data->world));
}

BENCH_KERNEL void world_packed_snapshot(bench_data *data)
{
    const kith_save_desc desc   = { .zstd_level = best_level(data->world) };
    kith_result          result = kith_world_save_memory(data->world, &desc, &delta);
    data->bytes                 = delta.size;
    data->result                = result.code == KITH_OK;
}

static void world_open_delta(bench_data *data)
{
    world_open_points(data);
    world_delta_of_few(data);
}

// The delta leads there and back.
BENCH_KERNEL void world_apply_delta(bench_data *data)
{
    data->result = kith_delta_apply(data->world, delta.data, delta.size).code == KITH_OK;
}

// --- FR5: the past ---------------------------------------------------------------------------

static void world_open_past(bench_data *data)
{
    world_open_four(data);
    make_ring(data, false);
    save_frame();
    save_frame();
}

BENCH_KERNEL void world_get_past(bench_data *data)
{
    uint64_t frame = newest_frame() - 1;
    double   sum   = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        const vec3 *at = kith_frames_get(frames, frame, data->out[i], POSITION);
        sum += at->x;
    }
    data->result = sum;
}

BENCH_KERNEL void world_get_present(bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        const vec3 *at = kith_component_get(data->world, data->out[i], POSITION);
        sum += at->x;
    }
    data->result = sum;
}

// The first entity has another row than in the frame.
static void world_open_shifted(bench_data *data)
{
    world_open_past(data);
    kith_component_swap(data->world, POSITION, data->out[0], data->out[data->n - 1]);
}

BENCH_KERNEL void world_miss_first(bench_data *data)
{
    data->result = kith_frames_get(frames, newest_frame(), data->out[0], POSITION) != NULL;
}

static uint32_t *looked_up;

static void limit_open_lookup(bench_data *data)
{
    limit_open_movers(data);
    looked_up = bench_allocate(data->n, sizeof *looked_up);
    memset(looked_up, 1, data->n * sizeof *looked_up);
}

BENCH_KERNEL void limit_make_lookup(bench_data *data)
{
    for (uint32_t i = 0; i < data->n; i++) {
        looked_up[data->limit.ent[i]] = i;
    }
    data->result = 1;
}

static void limit_close_lookup(bench_data *data)
{
    free(looked_up);
    limit_close(data);
}

// --- FR6: bytes ------------------------------------------------------------------------------

static size_t world_size; // before there is a ring

static void world_open_ring(bench_data *data)
{
    world_open_four(data);
    world_size = kith_world_memory(data->world, KITH_ALL).total;
    make_ring(data, false);
}

// Writes one row in each of a few pages, others each time.
static void write_pages(bench_data *data, uint32_t *next)
{
    uint32_t rows  = kith_component_describe(data->world, POSITION)->traits.page_rows;
    uint32_t pages = (data->n + rows - 1) / rows;
    for (uint32_t i = 0; i * EVERY < 4 * pages; i++, *next += 1) {
        kith_entity entity = data->out[*next / 4 % pages * rows];
        switch (*next % 4) {
        case 0:
            position_mut(data->world, entity)->x += 1;
            break;
        case 1:
            velocity_mut(data->world, entity)->x += 1;
            break;
        case 2:
            rotation_mut(data->world, entity)->x += 1;
            break;
        default:
            health_mut(data->world, entity)->hp += 1;
        }
    }
}

BENCH_KERNEL void world_fill_ring(bench_data *data)
{
    uint32_t next = 0;
    save_frame();
    for (uint32_t i = 1; i < RING; i++) {
        write_pages(data, &next);
        save_frame();
    }
    data->bytes  = kith_frames_report_of(frames).bytes;
    data->result = 1;
}

BENCH_KERNEL void world_count(bench_data *data)
{
    data->bytes  = world_size;
    data->result = 1;
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
    { .id   = "FR1",
      .form = "moved, with hashes",
      FRAMES(world_open_hashed, world_move_and_save, limit_move_and_copy) },
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
    { .id       = "FR4",
      .form     = "bytes, 1 % changed",
      .kind     = BENCH_BYTES,
      .target   = 10240.0 / 12000, // 10 KB for 1,000 values of 12 bytes
      .baseline = "the values that changed",
      .sizes    = { 100000 },
      .kith     = { world_open_points, world_delta_of_few, bench_result_of, world_close },
      .limit    = { limit_open_movers, limit_few_values, bench_result_of, limit_close } },
    { .id       = "FR4",
      .form     = "bytes, all drift",
      .kind     = BENCH_BYTES,
      .target   = 0.55,
      .baseline = "a snapshot; both packed, with zstd",
      .sizes    = { 100000 },
      .kith     = { world_open_drift, world_delta_of_drift, bench_result_of, world_close },
      .limit    = { world_open_drift, world_packed_snapshot, bench_result_of, world_close } },
    { .id   = "FR4",
      .form = "save, delta of 1 %",
      FRAMES(world_open_points, world_delta_of_few, limit_copy_positions) },
    { .id   = "FR4",
      .form = "apply, 1 % changed",
      FRAMES(world_open_delta, world_apply_delta, limit_copy_positions) },
    { .id       = "FR5",
      .form     = "get in a frame",
      .kind     = BENCH_STEADY,
      .target   = 4,
      .baseline = "get",
      .sizes    = { 100000 },
      .kith     = { world_open_past, world_get_past, bench_result_of, world_close },
      .limit    = { world_open_past, world_get_present, bench_result_of, world_close } },
    { .id    = "FR5",
      .form  = "the first miss",
      .sizes = { 100000 },
      .kith  = { world_open_shifted, world_miss_first, bench_result_of, world_close },
      .limit = { limit_open_lookup, limit_make_lookup, bench_result_of, limit_close_lookup } },
    { .id       = "FR6",
      .form     = "64 frames, 1 %",
      .kind     = BENCH_BYTES,
      .target   = 1.7,
      .baseline = "the world",
      .sizes    = { 100000 },
      .kith     = { world_open_ring, world_fill_ring, bench_result_of, world_close },
      .limit    = { world_open_ring, world_count, bench_result_of, world_close } },
};

const bench_suite bench_frames = BENCH_SUITE(cases);
