// SPDX-License-Identifier: MIT
// S3: a world of movers saved to memory and loaded from there into an empty world, against memcpy
// of entities, positions and velocities out and in again, and making where[] anew. Checksums, which
// memcpy has none of, are in kith's side.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SNAPSHOT_PATH "kith_bench_snapshot.kith"

static kith_bytes  snapshot; // keeps its memory, so that nothing but the first save pays for it
static kith_world *other;    // the world that was saved, or the empty one

// --- kith's side -----------------------------------------------------------------------------

// Positions and velocities are numbers of four bytes.
static void register_plain(kith_world *world)
{
    const kith_saved    plain   = KITH_AS(plain(4));
    kith_component_desc descs[] = { position_desc(), velocity_desc() };
    descs[0].traits.saved = descs[1].traits.saved = plain;
    bench_require(kith_component_register_many(world, descs, 2), "register the components");
}

static void save_snapshot(const kith_world *world)
{
    bench_require(kith_world_save_memory(world, NULL, &snapshot).code == KITH_OK, "save");
}

static void load_snapshot(kith_world *world)
{
    kith_result result = kith_world_load(world, NULL, snapshot.data, snapshot.size);
    bench_require(result.code == KITH_OK, "load");
}

static void world_open_saved(bench_data *data)
{
    world_open_bare(data);
    register_plain(data->world);
    world_create_movers(data);
    save_snapshot(data->world);
    other = kith_world_create(NULL);
    bench_require(other != NULL, "create a world");
    register_plain(other);
}

// The world that has been loaded is the one that is summed.
static void trade_worlds(bench_data *data)
{
    kith_world *loaded = other;
    other              = data->world;
    data->world        = loaded;
}

BENCH_KERNEL void world_save_and_load(bench_data *data)
{
    save_snapshot(data->world);
    load_snapshot(other);
    trade_worlds(data);
}

BENCH_KERNEL void world_save_only(bench_data *data)
{
    save_snapshot(data->world);
}

BENCH_KERNEL void world_load_only(bench_data *data)
{
    load_snapshot(other);
    trade_worlds(data);
}

static void world_close_saved(bench_data *data)
{
    kith_world_destroy(other);
    world_close(data);
}

// --- files -----------------------------------------------------------------------------------

static void world_open_file(bench_data *data)
{
    world_open_saved(data);
    kith_result result = kith_world_save_file(data->world, NULL, SNAPSHOT_PATH);
    bench_require(result.code == KITH_OK, "save to a file");
    load_snapshot(data->world);
}

BENCH_KERNEL void world_load_file(bench_data *data)
{
    kith_result result = kith_world_load_file(data->world, NULL, SNAPSHOT_PATH);
    bench_require(result.code == KITH_OK, "load a file");
}

static void world_close_file(bench_data *data)
{
    remove(SNAPSHOT_PATH);
    world_close_saved(data);
}

// --- the limit's side ------------------------------------------------------------------------

static struct {
    uint32_t *ent;
    vec3     *pos;
    vec3     *vel;
} saved_arrays;

static void limit_open_saved(bench_data *data)
{
    limit_open_movers(data);
    saved_arrays.ent = bench_allocate(data->n, sizeof *data->limit.ent);
    saved_arrays.pos = bench_allocate(data->n, sizeof(vec3));
    saved_arrays.vel = bench_allocate(data->n, sizeof(vec3));
    memset(saved_arrays.ent, 1, data->n * sizeof *data->limit.ent);
    memset(saved_arrays.pos, 1, data->n * sizeof(vec3));
    memset(saved_arrays.vel, 1, data->n * sizeof(vec3));
}

static void copy_out(const bench_data *data)
{
    const limit_table *table = &data->limit;
    memcpy(saved_arrays.ent, table->ent, data->n * sizeof *table->ent);
    memcpy(saved_arrays.pos, table->pos, data->n * sizeof(vec3));
    memcpy(saved_arrays.vel, table->vel, data->n * sizeof(vec3));
}

static void copy_in(bench_data *data)
{
    limit_table *table = &data->limit;
    memcpy(table->ent, saved_arrays.ent, data->n * sizeof *table->ent);
    memcpy(table->pos, saved_arrays.pos, data->n * sizeof(vec3));
    memcpy(table->vel, saved_arrays.vel, data->n * sizeof(vec3));
    for (uint32_t i = 0; i < data->n; i++) {
        table->where[table->ent[i]] = i;
    }
}

BENCH_KERNEL void limit_save_and_load(bench_data *data)
{
    copy_out(data);
    copy_in(data);
}

BENCH_KERNEL void limit_save_only(bench_data *data)
{
    copy_out(data);
}

static void limit_open_loading(bench_data *data)
{
    limit_open_saved(data);
    copy_out(data);
}

BENCH_KERNEL void limit_load_only(bench_data *data)
{
    copy_in(data);
}

static void limit_close_saved(bench_data *data)
{
    free(saved_arrays.ent);
    free(saved_arrays.pos);
    free(saved_arrays.vel);
    limit_close(data);
}

static const bench_case cases[] = {
    { .id     = "S3",
      .form   = "save and load",
      .axis   = BENCH_ENTITIES,
      .target = 2.2,
      .kith   = { world_open_saved, world_save_and_load, world_sum_movers, world_close_saved },
      .limit  = { limit_open_saved, limit_save_and_load, limit_sum_movers, limit_close_saved } },
    { .id     = "S3",
      .form   = "save",
      .target = 1.6,
      .kith   = { world_open_saved, world_save_only, world_sum_movers, world_close_saved },
      .limit  = { limit_open_saved, limit_save_only, limit_sum_movers, limit_close_saved } },
    { .id    = "S3",
      .form  = "load",
      .kith  = { world_open_saved, world_load_only, world_sum_movers, world_close_saved },
      .limit = { limit_open_loading, limit_load_only, limit_sum_movers, limit_close_saved } },
    { .id    = "S3",
      .form  = "load a file",
      .kind  = BENCH_STEADY,
      .kith  = { world_open_file, world_load_file, world_sum_movers, world_close_file },
      .limit = { limit_open_loading, limit_load_only, limit_sum_movers, limit_close_saved } },
};

const bench_suite bench_snapshot = BENCH_SUITE(cases);
