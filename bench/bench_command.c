// SPDX-License-Identifier: MIT
// Commands against the same calls made at once. The buffer has its memory already, as it has in
// every frame but the first.
#include "bench.h"

// --- K1: a component for every entity --------------------------------------------------------

BENCH_KERNEL void record_velocities(bench_data *data)
{
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        velocity_set_later(data->commands, data->out[i], make_velocity(i));
    }
}

BENCH_KERNEL void direct_velocities(bench_data *data)
{
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        velocity_set(data->world, data->out[i], make_velocity(i));
    }
}

BENCH_KERNEL void apply_commands(bench_data *data)
{
    kith_commands_apply(data->commands, data->world);
}

static void open_commands(bench_data *data)
{
    data->commands = kith_commands_create(data->world, NULL);
    bench_require(data->commands != NULL, "make the commands");
}

static void open_to_record(bench_data *data)
{
    world_open_positions(data);
    open_commands(data);
    record_velocities(data);
    kith_commands_clear(data->commands);
}

static void open_recorded(bench_data *data)
{
    open_to_record(data);
    record_velocities(data);
}

static double sum_after_apply(const bench_data *data)
{
    kith_commands_apply(data->commands, data->world);
    return world_sum_movers(data);
}

// --- K2: scattered ---------------------------------------------------------------------------

static void open_scattered(bench_data *data)
{
    world_open_positions(data);
    bench_shuffle(data);
}

static void open_scattered_to_record(bench_data *data)
{
    open_to_record(data);
    bench_shuffle(data);
}

static void open_scattered_recorded(bench_data *data)
{
    open_scattered_to_record(data);
    record_velocities(data);
}

// --- K3: new entities with two components ----------------------------------------------------

BENCH_KERNEL void record_movers(bench_data *data)
{
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        kith_entity entity = kith_entity_create_later(data->commands);
        position_set_later(data->commands, entity, make_position(i));
        velocity_set_later(data->commands, entity, make_velocity(i));
        data->out[i] = entity;
    }
}

static void open_movers_to_record(bench_data *data)
{
    world_open(data);
    open_commands(data);
    record_movers(data);
    kith_commands_clear(data->commands);
}

static void open_movers_recorded(bench_data *data)
{
    open_movers_to_record(data);
    record_movers(data);
}

static double sum_resolved(const bench_data *data)
{
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[i] = kith_commands_resolve(data->commands, data->out[i]);
    }
    return world_sum_movers(data);
}

static double sum_resolved_after_apply(const bench_data *data)
{
    kith_commands_apply(data->commands, data->world);
    return sum_resolved(data);
}

// --- K4: ends --------------------------------------------------------------------------------

BENCH_KERNEL void record_ends(bench_data *data)
{
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        kith_entity_destroy_later(data->commands, data->out[i]);
    }
}

static void open_ends_to_record(bench_data *data)
{
    world_open_movers(data);
    open_commands(data);
    record_ends(data);
    kith_commands_clear(data->commands);
}

static void open_ends_recorded(bench_data *data)
{
    open_ends_to_record(data);
    record_ends(data);
}

static double count_alive(const bench_data *data)
{
    return kith_entity_count(data->world);
}

static double count_alive_after_apply(const bench_data *data)
{
    kith_commands_apply(data->commands, data->world);
    return count_alive(data);
}

// The formatter takes the cases for blocks.
// clang-format off
#define PAIR(ID, RECORD, OPEN, APPLY_OPEN, SUM, SUM_AFTER, DIRECT_OPEN, DIRECT, DIRECT_SUM) \
    { .id       = ID, \
      .form     = "record", \
      .target   = 2, \
      .baseline = "direct calls", \
      .kith     = { OPEN, RECORD, SUM_AFTER, world_close }, \
      .limit    = { DIRECT_OPEN, DIRECT, DIRECT_SUM, world_close } }, \
    { .id       = ID, \
      .form     = "apply", \
      .target   = 1.2, \
      .baseline = "direct calls", \
      .kith     = { APPLY_OPEN, apply_commands, SUM, world_close }, \
      .limit    = { DIRECT_OPEN, DIRECT, DIRECT_SUM, world_close } }
// clang-format on

static const bench_case cases[] = {
    PAIR("K1", record_velocities, open_to_record, open_recorded, world_sum_movers, sum_after_apply,
         world_open_positions, direct_velocities, world_sum_movers),
    PAIR("K2", record_velocities, open_scattered_to_record, open_scattered_recorded,
         world_sum_movers, sum_after_apply, open_scattered, direct_velocities, world_sum_movers),
    PAIR("K3", record_movers, open_movers_to_record, open_movers_recorded, sum_resolved,
         sum_resolved_after_apply, world_open, world_create_movers, world_sum_movers),
    PAIR("K4", record_ends, open_ends_to_record, open_ends_recorded, count_alive,
         count_alive_after_apply, world_open_movers, world_destroy_all, count_alive),
};

const bench_suite bench_command = BENCH_SUITE(cases);
