// SPDX-License-Identifier: MIT
// A whole world once more, against memcpy of the bytes that cannot be done without: handles,
// signatures, and of each component the values, the way from row to entity and back.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

// --- CL1: clone a world of movers ------------------------------------------------------------

static kith_world *cloned; // the world that was, when its clone has taken its place

BENCH_KERNEL void world_clone(bench_data *data)
{
    cloned      = data->world;
    data->world = kith_world_clone(cloned, NULL);
}

static double world_sum_clone(const bench_data *data)
{
    bench_require(data->world != NULL, "clone the world");
    return world_sum_movers(data);
}

static void world_close_both(bench_data *data)
{
    kith_world_destroy(cloned);
    cloned = NULL;
    world_close(data);
}

// The first two are the values, which the sum reads.
enum { BLOCKS = 8 };
static const size_t entry_bytes[BLOCKS] = { sizeof(vec3), sizeof(vec3), 8, 8, 4, 4, 8, 8 };
static void        *sources[BLOCKS];

static void limit_open_blocks(bench_data *data)
{
    limit_open_movers(data);
    sources[0] = data->limit.pos;
    sources[1] = data->limit.vel;
    for (int i = 2; i < BLOCKS; i++) {
        sources[i] = bench_allocate(data->n, entry_bytes[i]);
        memset(sources[i], i, data->n * entry_bytes[i]);
    }
}

static void *copies[BLOCKS];

BENCH_KERNEL void limit_copy(bench_data *data)
{
    for (int i = 0; i < BLOCKS; i++) {
        copies[i] = malloc(data->n * entry_bytes[i]);
        if (copies[i] != NULL) {
            memcpy(copies[i], sources[i], data->n * entry_bytes[i]);
        }
    }
}

static double limit_sum_copy(const bench_data *data)
{
    bench_data copy = *data;
    for (int i = 0; i < BLOCKS; i++) {
        bench_require(copies[i] != NULL, "copy the blocks");
    }
    copy.limit.pos = copies[0];
    copy.limit.vel = copies[1];
    return limit_sum_movers(&copy);
}

static void limit_close_blocks(bench_data *data)
{
    for (int i = 0; i < BLOCKS; i++) {
        free(copies[i]);
        free(i < 2 ? NULL : sources[i]); // the table's own go with it
    }
    limit_close(data);
}

static const bench_case cases[] = {
    { .id       = "CL1",
      .form     = "whole world",
      .axis     = BENCH_ENTITIES,
      .target   = 1.3,
      .baseline = "memcpy of the same arrays",
      .sizes    = { 65536, 1000000 },
      .kith     = { world_open_movers, world_clone, world_sum_clone, world_close_both },
      .limit    = { limit_open_blocks, limit_copy, limit_sum_copy, limit_close_blocks } },
};

const bench_suite bench_clone = BENCH_SUITE(cases);
