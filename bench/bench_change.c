// SPDX-License-Identifier: MIT
// Adding components to entities and taking them away.
#include "bench.h"

// --- M1: add ---------------------------------------------------------------------------------

KITH_GROUP(pairs, own(position), own(velocity));
KITH_GROUP(nested_triples, own(position), own(velocity), own(health));

static void world_open_in_group(bench_data *data)
{
    world_open_positions(data);
    bench_require(pairs_group(data->world) != NULL, "make a group");
}

// Everyone has the third component, so that one add joins both.
static void world_open_in_nested_groups(bench_data *data)
{
    world_open_in_group(data);
    bench_require(nested_triples_group(data->world) != NULL, "make a nested group");
    for (uint32_t i = 0; i < data->n; i++) {
        health_add(data->world, data->out[i]);
    }
}

BENCH_KERNEL void world_add_velocity(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        velocity_set(world, out[i], make_velocity(i));
    }
}

static double world_sum_velocity(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        const vec3 *vel = velocity_get(data->world, data->out[i]);
        sum += vel != NULL ? (double)vel->y : 0;
    }
    return sum;
}

BENCH_KERNEL void limit_add_velocity(bench_data *data)
{
    limit_table        table = data->limit;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        table.vel[limit_add_row(&table, out[i])] = make_velocity(i);
    }
    data->limit = table;
}

static double limit_sum_velocity(const bench_data *data)
{
    const limit_table *table = &data->limit;
    double             sum   = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)table->vel[table->where[data->out[i]]].y;
    }
    return sum;
}

// --- M2: remove ------------------------------------------------------------------------------

BENCH_KERNEL void world_remove_velocity(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        velocity_remove(world, out[i]);
    }
}

static double world_count_without(const bench_data *data, kith_component component)
{
    uint32_t without = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        without += !kith_component_has(data->world, data->out[i], component);
    }
    return without;
}

static double world_count_without_velocity(const bench_data *data)
{
    return world_count_without(data, VELOCITY);
}

BENCH_KERNEL void limit_remove_velocity(bench_data *data)
{
    limit_table        table = data->limit;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        uint32_t row   = limit_remove_row(&table, out[i]);
        table.vel[row] = table.vel[table.count];
    }
    data->limit = table;
}

static double limit_count_without_row(const bench_data *data)
{
    uint32_t without = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        without += data->limit.where[data->out[i]] == LIMIT_NOWHERE;
    }
    return without;
}

// --- M3: a tag or a flag on and off ----------------------------------------------------------

BENCH_KERNEL void world_toggle_tag(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    uint32_t           n     = data->n;
    for (uint32_t i = 0; i < n; i++) {
        tag_a_add(world, out[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        tag_a_remove(world, out[i]);
    }
}

static double world_count_without_tag(const bench_data *data)
{
    return world_count_without(data, TAG_A);
}

static void world_open_with_flag(bench_data *data)
{
    world_open_positions(data);
    bench_require(flag_a_register(data->world), "register the flag");
}

BENCH_KERNEL void world_toggle_flag(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    uint32_t           n     = data->n;
    for (uint32_t i = 0; i < n; i++) {
        flag_a_add(world, out[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        flag_a_remove(world, out[i]);
    }
}

static double world_count_without_flag(const bench_data *data)
{
    return world_count_without(data, FLAG_A);
}

BENCH_KERNEL void limit_toggle_bit(bench_data *data)
{
    const kith_entity *out  = data->out;
    uint64_t          *bits = data->limit.bits;
    uint32_t           n    = data->n;
    for (uint32_t i = 0; i < n; i++) {
        bits[out[i] / 64] |= UINT64_C(1) << out[i] % 64;
    }
    for (uint32_t i = 0; i < n; i++) {
        bits[out[i] / 64] &= ~(UINT64_C(1) << out[i] % 64);
    }
}

static double limit_count_without_bit(const bench_data *data)
{
    uint32_t without = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        kith_entity entity = data->out[i];
        without += (data->limit.bits[entity / 64] >> entity % 64 & 1) == 0;
    }
    return without;
}

// --- M4: add and remove on entities that have much else --------------------------------------

#define M4_ROUNDS 4

static void world_open_with_8(bench_data *data)
{
    world_open_movers(data);
    for (uint32_t i = 0; i < data->n; i++) {
        kith_entity entity = data->out[i];
        health_add(data->world, entity);
        rotation_add(data->world, entity);
        f0_add(data->world, entity);
        f1_add(data->world, entity);
        f2_add(data->world, entity);
        f3_add(data->world, entity);
    }
}

BENCH_KERNEL void world_toggle_filler(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    uint32_t           n     = data->n;
    for (int round = 0; round < M4_ROUNDS; round++) {
        for (uint32_t i = 0; i < n; i++) {
            f4_set(world, out[i], (filler){ 1 });
        }
        for (uint32_t i = 0; i < n; i++) {
            f4_remove(world, out[i]);
        }
    }
}

static double world_count_without_filler(const bench_data *data)
{
    return world_count_without(data, F4);
}

BENCH_KERNEL void limit_toggle_filler(bench_data *data)
{
    limit_table        table = data->limit;
    const kith_entity *out   = data->out;
    uint32_t           n     = data->n;
    for (int round = 0; round < M4_ROUNDS; round++) {
        for (uint32_t i = 0; i < n; i++) {
            table.fill[limit_add_row(&table, out[i])] = (filler){ 1 };
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t row    = limit_remove_row(&table, out[i]);
            table.fill[row] = table.fill[table.count];
        }
    }
    data->limit = table;
}

static const bench_case cases[] = {
    { .id           = "M1",
      .form         = "one by one",
      .target       = 5,
      .instructions = 50,
      .kith         = { world_open_positions, world_add_velocity, world_sum_velocity, world_close },
      .limit = { limit_open_entities, limit_add_velocity, limit_sum_velocity, limit_close } },
    { .id     = "M1",
      .form   = "in a group",
      .target = 10,
      .kith   = { world_open_in_group, world_add_velocity, world_sum_velocity, world_close },
      .limit  = { limit_open_entities, limit_add_velocity, limit_sum_velocity, limit_close } },
    { .id    = "M1",
      .form  = "in nested groups",
      .kith  = { world_open_in_nested_groups, world_add_velocity, world_sum_velocity, world_close },
      .limit = { limit_open_entities, limit_add_velocity, limit_sum_velocity, limit_close } },
    { .id           = "M2",
      .form         = "one by one",
      .target       = 3.5,
      .instructions = 50,
      .kith         = { world_open_movers, world_remove_velocity, world_count_without_velocity,
                        world_close },
      .limit = { limit_open_movers, limit_remove_velocity, limit_count_without_row, limit_close } },
    { .id             = "M3",
      .form           = "tag",
      .ops_per_entity = 2,
      .target         = 5,
      .instructions   = 45,
      .kith  = { world_open_positions, world_toggle_tag, world_count_without_tag, world_close },
      .limit = { limit_open_entities, limit_toggle_bit, limit_count_without_bit, limit_close } },
    { .id             = "M3",
      .form           = "flag",
      .ops_per_entity = 2,
      .target         = 2.5,
      .instructions   = 20,
      .kith  = { world_open_with_flag, world_toggle_flag, world_count_without_flag, world_close },
      .limit = { limit_open_entities, limit_toggle_bit, limit_count_without_bit, limit_close } },
    { .id             = "M4",
      .form           = "one by one",
      .ops_per_entity = 2 * M4_ROUNDS,
      .target         = 5,
      .kith  = { world_open_with_8, world_toggle_filler, world_count_without_filler, world_close },
      .limit = { limit_open_entities, limit_toggle_filler, limit_count_without_row, limit_close } },
};

const bench_suite bench_change = BENCH_SUITE(cases);
