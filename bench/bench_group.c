// SPDX-License-Identifier: MIT
// Making a group, or a stored query, of entities that are there already.
#include "bench.h"

#include <stdlib.h>

KITH_GROUP(built_pairs, own(position), own(velocity));
KITH_GROUP(built_list, read(position), read(velocity));

// --- kith's side -----------------------------------------------------------------------------

BENCH_KERNEL void world_build_group(bench_data *data)
{
    data->result = kith_group_count(built_pairs_group(data->world));
}

BENCH_KERNEL void world_build_list(bench_data *data)
{
    data->result = kith_group_count(built_list_group(data->world));
}

static inline uint32_t count_visited(movers c)
{
    uint32_t count = 0;
    while (movers_next(&c)) {
        count++;
    }
    return count;
}

BENCH_KERNEL void world_build_query(bench_data *data)
{
    data->result = count_visited(movers_begin_stored(movers_query(data->world)));
}

BENCH_KERNEL void world_visit_once(bench_data *data)
{
    data->result = count_visited(movers_begin(data->world));
}

static double world_sum_built(const bench_data *data)
{
    return data->result * 0x1p31 + world_sum_movers(data);
}

// --- the limit's side: the second value array is put into the order of the first ---------------

static void limit_open_apart(bench_data *data, bool shuffled)
{
    limit_open_movers(data);
    uint32_t *order = random_order(data->n);
    data->given[0]  = bench_allocate(data->n, sizeof *data->given[0]);
    for (uint32_t i = 0; i < data->n && shuffled; i++) {
        data->limit.where[order[i]] = i;
        data->limit.vel[i]          = make_velocity(order[i]);
    }
    free(order);
}

static void limit_open_together(bench_data *data)
{
    limit_open_apart(data, false);
}

static void limit_open_shuffled(bench_data *data)
{
    limit_open_apart(data, true);
}

BENCH_KERNEL void limit_list_members(bench_data *data)
{
    limit_table table    = data->limit;
    vec3       *gathered = data->given[0];
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        gathered[i]    = table.vel[table.where[i]];
        table.where[i] = i;
    }
    data->limit.vel = gathered;
    data->given[0]  = table.vel;
    data->result    = table.count;
}

static double limit_sum_built(const bench_data *data)
{
    return data->result * 0x1p31 + limit_sum_movers(data);
}

// --- the table -------------------------------------------------------------------------------

#define BUILD(OPEN, RUN, LIMIT_OPEN)                                                               \
    .id = "B1", .kith = { OPEN, RUN, world_sum_built, world_close },                               \
    .limit = { LIMIT_OPEN, limit_list_members, limit_sum_built, limit_close }
#define FIRST_LOOP(OPEN)                                                                           \
    .id = "B1", .baseline = "kith, a view over the same",                                          \
    .kith  = { OPEN, world_build_query, world_sum_built, world_close },                            \
    .limit = { OPEN, world_visit_once, world_sum_built, world_close }
#define CURVE .axis = BENCH_ENTITIES

static const bench_case cases[] = {
    { BUILD(world_open_movers, world_build_group, limit_open_together), .form = "group", CURVE },
    { BUILD(world_open_strangers, world_build_group, limit_open_shuffled),
      .form = "group, shuffled", CURVE },
    { BUILD(world_open_movers, world_build_list, limit_open_together), .form = "list group",
      CURVE },
    { BUILD(world_open_strangers, world_build_list, limit_open_shuffled),
      .form = "list, shuffled" },
    { FIRST_LOOP(world_open_movers), .form = "stored query" },
    { FIRST_LOOP(world_open_strangers), .form = "stored, shuffled" },
};

const bench_suite bench_group = BENCH_SUITE(cases);
