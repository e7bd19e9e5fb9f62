// SPDX-License-Identifier: MIT
// Y1: what a turn costs beyond what the system does: 100 systems that only count, again and again,
// against calls through pointers. One operation is one turn.
#include "bench.h"

#include <stdio.h>

#define SYSTEMS 100u

// --- kith's side -----------------------------------------------------------------------------

static void count_turn(const kith_turn *turn)
{
    bench_data *data = kith_world_user(turn->world);
    data->result++;
}

static void make_systems(bench_data *data, bool checked)
{
    world_open(data);
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        char             name[16];
        kith_system_desc desc = { .run = count_turn, .query = movers_desc() };
        snprintf(name, sizeof name, "system %u", (unsigned)i);
        desc.name = name;
        bench_require(kith_system_create(data->world, &desc) != NULL, "make a system");
    }
    kith_schedule_desc desc = { .checked = checked };
    bench_require(kith_schedule_configure(data->world, &desc), "set the schedule up");
    data->ops = data->n / SYSTEMS * SYSTEMS;
}

static void world_open_systems(bench_data *data)
{
    make_systems(data, false);
}

static void world_open_checked(bench_data *data)
{
    make_systems(data, true);
}

BENCH_KERNEL void world_run_schedule(bench_data *data)
{
    data->result = 0;
    kith_world_user_set(data->world, data);
    for (uint32_t i = 0; i < data->n / SYSTEMS; i++) {
        kith_schedule_run(data->world, 0.01);
    }
}

// --- the limit's side ------------------------------------------------------------------------

static void count_call(bench_data *data)
{
    data->result++;
}

// Read anew for each call, as a list of systems is.
static void (*volatile counted)(bench_data *data) = count_call;

static void limit_open_calls(bench_data *data)
{
    limit_open(data);
    data->ops = data->n / SYSTEMS * SYSTEMS;
}

BENCH_KERNEL void limit_call_all(bench_data *data)
{
    data->result = 0;
    for (uint32_t i = 0; i < data->ops; i++) {
        counted(data);
    }
}

static double turns_counted(const bench_data *data)
{
    return data->result;
}

#define CALLS                                                                                      \
    {                                                                                              \
        limit_open_calls, limit_call_all, turns_counted, limit_close                               \
    }

static const bench_case cases[] = {
    { .id       = "Y1",
      .form     = "schedule",
      .kind     = BENCH_STEADY,
      .baseline = "calls through a pointer",
      .sizes    = { 100000 },
      .kith     = { world_open_systems, world_run_schedule, turns_counted, world_close },
      .limit    = CALLS },
    { .id       = "Y1",
      .form     = "checked",
      .kind     = BENCH_STEADY,
      .baseline = "calls through a pointer",
      .sizes    = { 100000 },
      .kith     = { world_open_checked, world_run_schedule, turns_counted, world_close },
      .limit    = CALLS },
};

const bench_suite bench_system = BENCH_SUITE(cases);
