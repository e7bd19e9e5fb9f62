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

KITH_GROUP(kept_pairs, own(position), own(velocity));
KITH_GROUP(kept_list, read(position), read(velocity));

static void world_open_resident_group(bench_data *data)
{
    world_open_resident(data);
    bench_require(kept_pairs_group(data->world) != NULL, "make a group");
}

static void world_open_resident_list(bench_data *data)
{
    world_open_resident(data);
    bench_require(kept_list_group(data->world) != NULL, "make a group that owns nothing");
}

// A stored query makes its list when it looks up for the second time what has not changed: the
// velocities are not in the order of the positions.
static void world_create_and_ask(bench_data *data)
{
    world_create_positions(data);
    for (uint32_t i = data->n; i-- > 0;) {
        velocity_set(data->world, data->out[i], make_velocity(i));
    }
    kith_query *query = movers_query(data->world);
    for (int loop = 0; loop < 2; loop++) {
        movers m = movers_begin_stored(query);
        while (movers_next(&m)) {
        }
    }
}

#define RESIDENT(FORM, OPEN, RUN)                                                                  \
    {                                                                                              \
        .id = "R1", .form = FORM, .kind = BENCH_MEMORY, .sizes = { 1000000 },                      \
        .kith = { OPEN, RUN, world_sum_movers, world_close }, .limit = {                           \
            limit_open_resident,                                                                   \
            limit_create_movers,                                                                   \
            limit_sum_movers,                                                                      \
            limit_close                                                                            \
        }                                                                                          \
    }

static const bench_case cases[] = {
    { .id     = "R1",
      .form   = "bytes per entity",
      .kind   = BENCH_MEMORY,
      .target = 72.0 / 32, // at most 72 bytes, where the arrays take 32
      .sizes  = { 1000000 },
      .kith   = { world_open_resident, world_create_movers, world_sum_movers, world_close },
      .limit  = { limit_open_resident, limit_create_movers, limit_sum_movers, limit_close } },
    RESIDENT("with a group", world_open_resident_group, world_create_movers),
    RESIDENT("with a list group", world_open_resident_list, world_create_movers),
    RESIDENT("with a query's list", world_open_resident, world_create_and_ask),
};

const bench_suite bench_memory = BENCH_SUITE(cases);
