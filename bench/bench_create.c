// SPDX-License-Identifier: MIT
// Creating and destroying entities.
#include "bench.h"

// --- C1: empty entities ----------------------------------------------------------------------

BENCH_KERNEL void world_create(bench_data *data)
{
    kith_world  *world = data->world;
    kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        out[i] = kith_entity_create(world);
    }
}

static double world_count_alive(const bench_data *data)
{
    uint32_t alive = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        alive += kith_entity_alive(data->world, data->out[i]);
    }
    return alive;
}

BENCH_KERNEL void limit_create(bench_data *data)
{
    kith_entity *restrict out = data->out;
    uint32_t *restrict ent    = data->limit.ent;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        out[i] = i;
        ent[i] = i;
    }
}

static double limit_count_created(const bench_data *data)
{
    const limit_table *table = &data->limit;
    uint32_t           alive = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        alive += table->ent[data->out[i]] == data->out[i];
    }
    return alive;
}

// --- C4: destroy; also with few and with many registered components, and with a listener --------

static double world_count_dead(const bench_data *data)
{
    return data->n - world_count_alive(data);
}

static double limit_count_dead(const bench_data *data)
{
    uint32_t dead = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        dead += data->limit.gen[data->out[i]] == 1;
    }
    return dead;
}

// Position comes first and velocity last, so that their signature bits are as far apart as they
// can be.
static void world_open_movers_among(bench_data *data, uint32_t components)
{
    const kith_component_desc last = velocity_desc();
    world_open_among(data, components, &last);
    world_create_movers(data);
}

static void world_open_movers_among_10(bench_data *data)
{
    world_open_movers_among(data, 10);
}

static void world_open_movers_among_1000(bench_data *data)
{
    world_open_movers_among(data, 1000);
}

// Each removal has a listener: the search for listeners must not take longer with the number of
// registered components.
static uint64_t reported;

static void world_listen(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (void)context;
    reported++;
}

static void world_open_listeners_among(bench_data *data, uint32_t components)
{
    world_open_movers_among(data, components);
    bench_require(velocity_on_remove(data->world, world_listen, NULL) != 0, "connect the listener");
    reported = 0;
}

static void world_open_listeners_among_32(bench_data *data)
{
    world_open_listeners_among(data, 32);
}

static void world_open_listeners_among_1000(bench_data *data)
{
    world_open_listeners_among(data, 1000);
}

static double world_count_reported(const bench_data *data)
{
    return reported == data->n ? world_count_dead(data) : -1;
}

static void world_open_movers_among_n(bench_data *data)
{
    world_open_movers_among(data, bench_take_place(data));
}

static void limit_open_movers_among_n(bench_data *data)
{
    (void)bench_take_place(data);
    limit_open_movers(data);
}

// --- C6: destroy all, create all again -------------------------------------------------------

BENCH_KERNEL void world_replace(bench_data *data)
{
    world_destroy_all(data);
    world_create_movers(data);
}

BENCH_KERNEL void limit_create_again(bench_data *data)
{
    limit_table  table = data->limit;
    kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        uint32_t entity = table.free[--table.free_count];
        uint32_t row    = limit_add_row(&table, entity);
        table.pos[row]  = make_position(i);
        table.vel[row]  = make_velocity(i);
        out[i]          = entity;
    }
    data->limit = table;
}

BENCH_KERNEL void limit_replace(bench_data *data)
{
    limit_destroy_all(data);
    limit_create_again(data);
}

static const bench_case cases[] = {
    { .id           = "C1",
      .form         = "one by one",
      .axis         = BENCH_ENTITIES,
      .target       = 14,
      .instructions = 30,
      .kith         = { world_open, world_create, world_count_alive, world_close },
      .limit        = { limit_open, limit_create, limit_count_created, limit_close } },
    { .id           = "C2",
      .form         = "one by one",
      .axis         = BENCH_ENTITIES,
      .target       = 7,
      .instructions = 130,
      .kith         = { world_open, world_create_movers, world_sum_movers, world_close },
      .limit        = { limit_open, limit_create_movers, limit_sum_movers, limit_close } },
    { .id           = "C4",
      .form         = "one by one",
      .axis         = BENCH_ENTITIES,
      .target       = 2.6,
      .instructions = 120,
      .kith         = { world_open_movers, world_destroy_all, world_count_dead, world_close },
      .limit        = { limit_open_movers, limit_destroy_all, limit_count_dead, limit_close } },
    { .id       = "C4",
      .form     = "1000 vs 10 known",
      .baseline = "kith with 10 registered components",
      .target   = 1.3,
      .kith  = { world_open_movers_among_1000, world_destroy_all, world_count_dead, world_close },
      .limit = { world_open_movers_among_10, world_destroy_all, world_count_dead, world_close } },
    { .id           = "C4",
      .form         = "one listener",
      .instructions = 300,
      .kith         = { world_open_listeners_among_32, world_destroy_all, world_count_reported,
                        world_close },
      .limit        = { limit_open_movers, limit_destroy_all, limit_count_dead, limit_close } },
    { .id       = "C4",
      .form     = "heard, 1000 vs 32",
      .baseline = "kith with a listener and 32 registered components",
      .kith     = { world_open_listeners_among_1000, world_destroy_all, world_count_reported,
                    world_close },
      .limit    = { world_open_listeners_among_32, world_destroy_all, world_count_reported,
                    world_close } },
    { .id    = "C4",
      .form  = "destroy",
      .axis  = BENCH_COMPONENTS,
      .kith  = { world_open_movers_among_n, world_destroy_all, world_count_dead, world_close },
      .limit = { limit_open_movers_among_n, limit_destroy_all, limit_count_dead, limit_close } },
    { .id     = "C6",
      .form   = "one by one",
      .target = 4,
      .kith   = { world_open_movers, world_replace, world_sum_movers, world_close },
      .limit  = { limit_open_movers, limit_replace, limit_sum_movers, limit_close } },
};

const bench_suite bench_create = BENCH_SUITE(cases);
