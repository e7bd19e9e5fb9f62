// SPDX-License-Identifier: MIT
// Loops that change the world under their feet, and listeners.
#include "bench.h"

// Changes inside a loop are measured twice: against the same loop followed by the same calls, which
// is what they may cost at most 1.3 times, and against plain arrays.

// --- L1: destroys every tenth entity ---------------------------------------------------------

#define TENTH 10

BENCH_KERNEL void world_destroy_inside(bench_data *data)
{
    kith_world *world = data->world;
    float       dt    = workload_dt;
    uint32_t    step  = 0;
    movers      m     = movers_begin(world);
    while (movers_next(&m)) {
        move(m.position, m.velocity, 1, dt);
        if (step++ % TENTH == 0) {
            kith_entity_destroy(world, m.entity);
        }
    }
}

// I2 in its form `next`.
static void world_move(kith_world *world)
{
    float  dt = workload_dt;
    movers m  = movers_begin(world);
    while (movers_next(&m)) {
        move(m.position, m.velocity, 1, dt);
    }
}

BENCH_KERNEL void world_destroy_after(bench_data *data)
{
    world_move(data->world);
    for (uint32_t i = 0; i < data->n; i += TENTH) {
        kith_entity_destroy(data->world, data->out[i]);
    }
}

// Both numbers in one that is still exact: the sum stays below 2^31 and is a multiple of a half.
static double count_and_sum(uint32_t count, double sum)
{
    return count * 0x1p31 + sum;
}

// Over the rows of the pool, because the program has no handles of what a loop created. The
// sentinel's position is 0.
static double world_count_and_sum(const bench_data *data)
{
    double sum = 0;
    for (uint32_t row = 0; row < position_rows(data->world); row++) {
        const vec3 *pos = position_value(data->world, row);
        sum += pos != NULL ? (double)pos->x : 0;
    }
    return count_and_sum(movers_count(data->world), sum);
}

BENCH_KERNEL void limit_destroy_tenth(bench_data *data)
{
    move(data->limit.pos, data->limit.vel, data->limit.count, workload_dt);
    limit_destroy_every(data, TENTH);
}

static double limit_count_and_sum(const bench_data *data)
{
    double sum = 0;
    for (uint32_t row = 0; row < data->limit.count; row++) {
        sum += (double)data->limit.pos[row].x;
    }
    return count_and_sum(data->limit.count, sum);
}

// --- L2: sets a flag on each entity ----------------------------------------------------------

static void world_open_movers_with_flag(bench_data *data)
{
    world_open_movers(data);
    bench_require(flag_a_register(data->world), "register the flag");
}

BENCH_KERNEL void world_flag_inside(bench_data *data)
{
    kith_world *world = data->world;
    float       dt    = workload_dt;
    movers      m     = movers_begin(world);
    while (movers_next(&m)) {
        move(m.position, m.velocity, 1, dt);
        flag_a_add(world, m.entity);
    }
}

BENCH_KERNEL void world_flag_after(bench_data *data)
{
    world_move(data->world);
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        flag_a_add(data->world, data->out[i]);
    }
}

static double world_count_flags(const bench_data *data)
{
    return count_and_sum(flag_a_count(data->world), world_sum_movers(data));
}

static void limit_open_movers_with_bits(bench_data *data)
{
    limit_open_movers(data);
    limit_clear_bits(data);
}

BENCH_KERNEL void limit_flag_each(bench_data *data)
{
    limit_table table = data->limit;
    move(table.pos, table.vel, data->n, workload_dt);
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        table.bits[data->out[i] / 64] |= UINT64_C(1) << data->out[i] % 64;
    }
}

static double limit_count_flags(const bench_data *data)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        count += (uint32_t)(data->limit.bits[i / 64] >> i % 64 & 1);
    }
    return count_and_sum(count, limit_sum_movers(data));
}

// --- L3: creates one entity at each of the first half of the steps ---------------------------

static void world_create_mover(kith_world *world, uint32_t i)
{
    kith_entity entity = kith_entity_create(world);
    position_set(world, entity, make_position(i));
    velocity_set(world, entity, make_velocity(i));
}

BENCH_KERNEL void world_create_inside(bench_data *data)
{
    kith_world *world = data->world;
    float       dt    = workload_dt;
    uint32_t    half  = data->n / 2;
    uint32_t    step  = 0;
    movers      m     = movers_begin(world);
    while (movers_next(&m)) {
        move(m.position, m.velocity, 1, dt);
        if (step < half) {
            world_create_mover(world, step++);
        }
    }
}

BENCH_KERNEL void world_create_after(bench_data *data)
{
    world_move(data->world);
    for (uint32_t i = 0, half = data->n / 2; i < half; i++) {
        world_create_mover(data->world, i);
    }
}

static void limit_open_movers_with_room(bench_data *data)
{
    limit_open_room(data, data->n + data->n / 2);
    limit_create_movers(data);
}

BENCH_KERNEL void limit_create_half(bench_data *data)
{
    limit_table table = data->limit;
    move(table.pos, table.vel, table.count, workload_dt);
    for (uint32_t i = 0, half = data->n / 2; i < half; i++) {
        uint32_t row   = limit_add_row(&table, table.count);
        table.pos[row] = make_position(i);
        table.vel[row] = make_velocity(i);
    }
    data->limit = table;
}

// --- S2: adding, with a listener -------------------------------------------------------------

static uint64_t reported;

static void world_listen(kith_world *world, const kith_notice *notice, void *context)
{
    (void)world;
    (void)notice;
    (void)context;
    reported++;
}

static void world_open_listening(bench_data *data)
{
    world_open(data);
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[i] = kith_entity_create(data->world);
    }
    bench_require(position_on_add(data->world, world_listen, NULL) != 0, "connect the listener");
    reported = 0;
}

BENCH_KERNEL void world_add_reported(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        position_set(world, out[i], make_position(i));
    }
}

static void limit_listen(uint32_t entity)
{
    (void)entity;
    reported++;
}

// What the compiler must not see through.
static void (*volatile limit_listener)(uint32_t entity) = limit_listen;

static void limit_open_listening(bench_data *data)
{
    limit_open_entities(data);
    reported = 0;
}

BENCH_KERNEL void limit_add_reported(bench_data *data)
{
    limit_table        table          = data->limit;
    const kith_entity *out            = data->out;
    void (*listener)(uint32_t entity) = limit_listener;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        table.pos[limit_add_row(&table, out[i])] = make_position(i);
        listener((uint32_t)out[i]);
    }
    data->limit = table;
}

static double count_reported(const bench_data *data)
{
    (void)data;
    return (double)reported;
}

// --- S2b: adding a batch, with a listener to whole batches --------------------------------------

static void world_listen_many(kith_world *world, const kith_notice *notice,
                              const kith_entity *entities, uint32_t count, void *context)
{
    (void)world;
    (void)notice;
    (void)entities;
    (void)context;
    reported += count;
}

static void world_open_listening_many(bench_data *data)
{
    const kith_listener_desc desc = { .event     = KITH_EVENT_ADD,
                                      .component = POSITION,
                                      .many      = world_listen_many };
    world_open(data);
    data->given[0] = bench_allocate(data->n, sizeof *data->given[0]);
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[i]      = kith_entity_create(data->world);
        data->given[0][i] = make_position(i);
    }
    bench_require(kith_listener_connect(data->world, &desc) != 0, "connect the listener");
    reported = 0;
}

BENCH_KERNEL void world_add_many_reported(bench_data *data)
{
    position_set_many(data->world, data->out, data->n, data->given[0]);
}

// --- P2: patching, with a listener -----------------------------------------------------------

static void world_open_patching(bench_data *data)
{
    world_open_positions(data);
    bench_require(position_on_set(data->world, world_listen, NULL) != 0, "connect the listener");
    reported = 0;
}

static void push_one(vec3 *position, void *context)
{
    (void)context;
    position->x += 1;
}

BENCH_KERNEL void world_patch_reported(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        position_patch(world, out[i], push_one, NULL);
    }
}

static void limit_open_patching(bench_data *data)
{
    limit_open_movers(data);
    reported = 0;
}

BENCH_KERNEL void limit_patch_reported(bench_data *data)
{
    limit_table        table          = data->limit;
    const kith_entity *out            = data->out;
    void (*listener)(uint32_t entity) = limit_listener;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        table.pos[table.where[out[i]]].x += 1;
        listener((uint32_t)out[i]);
    }
}

// --- the table -------------------------------------------------------------------------------

#define AFTER "kith, the same calls after the loop"

static const bench_case cases[] = {
    { .id       = "L1",
      .form     = "destroy inside",
      .target   = 1.3,
      .baseline = AFTER,
      .kith     = { world_open_movers, world_destroy_inside, world_count_and_sum, world_close },
      .limit    = { world_open_movers, world_destroy_after, world_count_and_sum, world_close } },
    { .id    = "L1",
      .form  = "against arrays",
      .kith  = { world_open_movers, world_destroy_inside, world_count_and_sum, world_close },
      .limit = { limit_open_movers, limit_destroy_tenth, limit_count_and_sum, limit_close } },
    { .id       = "L2",
      .form     = "flag inside",
      .target   = 1.3,
      .baseline = AFTER,
      .kith  = { world_open_movers_with_flag, world_flag_inside, world_count_flags, world_close },
      .limit = { world_open_movers_with_flag, world_flag_after, world_count_flags, world_close } },
    { .id    = "L2",
      .form  = "against arrays",
      .kith  = { world_open_movers_with_flag, world_flag_inside, world_count_flags, world_close },
      .limit = { limit_open_movers_with_bits, limit_flag_each, limit_count_flags, limit_close } },
    { .id       = "L3",
      .form     = "create inside",
      .target   = 1.3,
      .baseline = AFTER,
      .kith     = { world_open_movers, world_create_inside, world_count_and_sum, world_close },
      .limit    = { world_open_movers, world_create_after, world_count_and_sum, world_close } },
    { .id    = "L3",
      .form  = "against arrays",
      .kith  = { world_open_movers, world_create_inside, world_count_and_sum, world_close },
      .limit = { limit_open_movers_with_room, limit_create_half, limit_count_and_sum,
                 limit_close } },
    { .id           = "S2",
      .form         = "one listener",
      .target       = 3.5,
      .instructions = 65,
      .kith         = { world_open_listening, world_add_reported, count_reported, world_close },
      .limit        = { limit_open_listening, limit_add_reported, count_reported, limit_close } },
    { .id    = "S2b",
      .form  = "many, a batch",
      .kith  = { world_open_listening_many, world_add_many_reported, count_reported, world_close },
      .limit = { limit_open_listening, limit_add_reported, count_reported, limit_close } },
    { .id           = "P2",
      .form         = "one listener",
      .instructions = 110,
      .kith         = { world_open_patching, world_patch_reported, count_reported, world_close },
      .limit        = { limit_open_patching, limit_patch_reported, count_reported, limit_close } },
};

const bench_suite bench_loop = BENCH_SUITE(cases);
