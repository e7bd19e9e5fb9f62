// SPDX-License-Identifier: MIT
// Resident bytes per entity.
#include "bench.h"

#include <string.h>

// --- R1: two components of 12 bytes ----------------------------------------------------------

// The array of handles is the program's own: it is made resident before the measurement begins.
static void world_open_resident(bench_data *data)
{
    world_open_bare(data);
    bench_require(position_register(data->world), "register position");
    bench_require(velocity_register(data->world), "register velocity");
    memset(data->out, 0xff, data->n * sizeof *data->out);
}

static void limit_open_resident(bench_data *data)
{
    limit_open(data);
    memset(data->out, 0xff, data->n * sizeof *data->out);
}

static const bench_case cases[] = {
    { .id     = "R1",
      .form   = "bytes per entity",
      .kind   = BENCH_MEMORY,
      .target = 72.0 / 32, // at most 72 bytes, where the arrays take 32
      .sizes  = { 1000000 },
      .kith   = { world_open_resident, world_create_movers, world_sum_movers, world_close },
      .limit  = { limit_open_resident, limit_create_movers, limit_sum_movers, limit_close } },
};

const bench_suite bench_memory = BENCH_SUITE(cases);
