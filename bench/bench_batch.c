// SPDX-License-Identifier: MIT
// Many entities in one call.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

KITH_GROUP(kept_pairs, own(position), own(velocity));

// --- C1: empty entities ----------------------------------------------------------------------

BENCH_KERNEL void world_create_batch(bench_data *data)
{
    bench_require(kith_entity_create_many(data->world, data->out, data->n, NULL, 0),
                  "create the entities");
}

BENCH_KERNEL void limit_create_batch(bench_data *data)
{
    kith_entity *restrict out = data->out;
    uint32_t *restrict ent    = data->limit.ent;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        out[i] = i;
        ent[i] = i;
    }
}

static double world_count_created(const bench_data *data)
{
    uint32_t alive = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        alive += kith_entity_alive(data->world, data->out[i]);
    }
    return alive;
}

static double limit_count_made(const bench_data *data)
{
    uint32_t alive = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        alive += data->limit.ent[data->out[i]] == data->out[i];
    }
    return alive;
}

// --- C3: entities with two components, their values from arrays --------------------------------

static void make_given(bench_data *data)
{
    data->given[0] = bench_allocate(data->n, sizeof(vec3));
    data->given[1] = bench_allocate(data->n, sizeof(vec3));
    for (uint32_t i = 0; i < data->n; i++) {
        data->given[0][i] = make_position(i);
        data->given[1][i] = make_velocity(i);
    }
}

static void world_open_given(bench_data *data)
{
    world_open(data);
    make_given(data);
}

static void world_open_given_in_group(bench_data *data)
{
    world_open_given(data);
    bench_require(kept_pairs_group(data->world) != NULL, "make the group");
}

static void limit_open_given(bench_data *data)
{
    limit_open(data);
    make_given(data);
}

static void add_movers(bench_data *data)
{
    const kith_values sets[] = { { POSITION, data->given[0], sizeof(vec3) },
                                 { VELOCITY, data->given[1], sizeof(vec3) } };
    bench_require(kith_entity_set_many(data->world, kith_entities_of(data->out, data->n), sets, 2),
                  "add the components");
}

BENCH_KERNEL void world_create_then_add(bench_data *data)
{
    world_create_batch(data);
    add_movers(data);
}

BENCH_KERNEL void world_create_movers_batch(bench_data *data)
{
    const kith_values sets[] = { { POSITION, data->given[0], sizeof(vec3) },
                                 { VELOCITY, data->given[1], sizeof(vec3) } };
    bench_require(kith_entity_create_many(data->world, data->out, data->n, sets, 2),
                  "create the entities");
}

BENCH_KERNEL void limit_create_given(bench_data *data)
{
    limit_table  table = data->limit;
    kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        uint32_t row   = limit_add_row(&table, i);
        table.pos[row] = data->given[0][i];
        table.vel[row] = data->given[1][i];
        out[i]         = i;
    }
    data->limit = table;
}

// The same with handles that no caller needs.
BENCH_KERNEL void world_create_movers_range(bench_data *data)
{
    const kith_values sets[] = { { POSITION, data->given[0], sizeof(vec3) },
                                 { VELOCITY, data->given[1], sizeof(vec3) } };
    data->range              = kith_entity_create_range(data->world, data->n);
    kith_entity_set_many(data->world, data->range, sets, 2);
}

static double world_sum_range(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        kith_entity entity = kith_entities_at(data->range, i);
        sum += (double)position_get(data->world, entity)->x +
               (double)velocity_get(data->world, entity)->y;
    }
    return sum;
}

// --- C4: destroy -----------------------------------------------------------------------------

BENCH_KERNEL void world_destroy_batch(bench_data *data)
{
    bench_require(kith_entity_destroy_many(data->world, kith_entities_of(data->out, data->n)),
                  "destroy them");
}

static double world_count_destroyed(const bench_data *data)
{
    return data->n - world_count_created(data);
}

static double limit_count_destroyed(const bench_data *data)
{
    uint32_t dead = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        dead += data->limit.gen[data->out[i]] == 1;
    }
    return dead;
}

// Every other one, in random order: rows move.
static void keep_half(bench_data *data)
{
    for (uint32_t i = 0; i < data->n / 2; i++) {
        data->out[i] = data->out[2 * i];
    }
    data->n /= 2;
    data->ops /= 2;
    bench_shuffle(data);
}

static void world_open_scattered(bench_data *data)
{
    world_open_movers(data);
    keep_half(data);
}

static void world_open_movers_in_group(bench_data *data)
{
    world_open_movers(data);
    bench_require(kept_pairs_group(data->world) != NULL, "make the group");
}

static void world_open_scattered_in_group(bench_data *data)
{
    world_open_movers_in_group(data);
    keep_half(data);
}

static void limit_open_scattered(bench_data *data)
{
    limit_open_movers(data);
    keep_half(data);
}

// --- C6: destroy all, create all again -------------------------------------------------------

static void world_open_movers_given(bench_data *data)
{
    world_open_movers(data);
    make_given(data);
}

static void limit_open_movers_given(bench_data *data)
{
    limit_open_movers(data);
    make_given(data);
}

BENCH_KERNEL void world_replace_batch(bench_data *data)
{
    world_destroy_batch(data);
    world_create_movers_batch(data);
}

BENCH_KERNEL void limit_create_given_again(bench_data *data)
{
    limit_table  table = data->limit;
    kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        uint32_t entity = table.free[--table.free_count];
        uint32_t row    = limit_add_row(&table, entity);
        table.pos[row]  = data->given[0][i];
        table.vel[row]  = data->given[1][i];
        out[i]          = entity;
    }
    data->limit = table;
}

BENCH_KERNEL void limit_replace_given(bench_data *data)
{
    limit_destroy_all(data);
    limit_create_given_again(data);
}

// --- P1: particles that live for one to ten ticks ------------------------------------------------

#define PARTICLE_TICKS 20

// The next particles: values for `count` of them, from the i-th that was ever made on.
static void make_particles(vec3 *pos, vec3 *vel, uint64_t *ticks, uint32_t count, uint64_t *made,
                           uint64_t *random, uint64_t now)
{
    for (uint32_t i = 0; i < count; i++, ++*made) {
        pos[i]   = make_position((uint32_t)*made);
        vel[i]   = make_velocity((uint32_t)*made);
        ticks[i] = now + 1 + random_next(random) % 10;
    }
}

static void prepare_particles(bench_data *data)
{
    uint64_t made   = 0;
    uint64_t random = RANDOM_SEED;
    make_given(data);
    data->ticks = bench_allocate(data->n, sizeof *data->ticks);
    data->ops *= PARTICLE_TICKS;
    make_particles(data->given[0], data->given[1], data->ticks, data->n, &made, &random, 0);
}

static void create_particles(bench_data *data, uint32_t count)
{
    const kith_values sets[] = { { POSITION, data->given[0], sizeof(vec3) },
                                 { VELOCITY, data->given[1], sizeof(vec3) },
                                 { LIFE, data->ticks, sizeof(kith_lifetime) } };
    bench_require(kith_entity_create_many(data->world, data->out, count, sets, 3),
                  "create the particles");
}

static void world_open_particles(bench_data *data)
{
    world_open_bare(data);
    bench_require(position_register(data->world) && velocity_register(data->world) &&
                      life_register(data->world),
                  "register the components");
    prepare_particles(data);
    create_particles(data, data->n);
    data->query = movers_query(data->world);
}

BENCH_KERNEL void world_move_particles(bench_data *data)
{
    float  dt = workload_dt;
    movers m  = movers_begin_stored(data->query);
    while (movers_next_chunk(&m)) {
        move(m.position, m.velocity, m.count, dt);
    }
}

BENCH_KERNEL void world_run_particles(bench_data *data)
{
    uint64_t made   = data->n;
    uint64_t random = RANDOM_SEED + 1;
    for (uint64_t now = 1; now <= PARTICLE_TICKS; now++) {
        world_move_particles(data);
        uint32_t ended = kith_world_expire(data->world, LIFE, now);
        make_particles(data->given[0], data->given[1], data->ticks, ended, &made, &random, now);
        create_particles(data, ended);
    }
}

static double world_sum_particles(const bench_data *data)
{
    double sum = 1e9 * position_count(data->world);
    for (uint32_t row = 0; row < position_rows(data->world); row++) {
        sum += (double)position_value(data->world, row)->x;
    }
    return sum;
}

static void limit_open_particles(bench_data *data)
{
    limit_open(data);
    prepare_particles(data);
    memcpy(data->limit.pos, data->given[0], data->n * sizeof(vec3));
    memcpy(data->limit.vel, data->given[1], data->n * sizeof(vec3));
}

// Three arrays and no handles: particles that no code can name.
BENCH_KERNEL uint32_t limit_end_particles(bench_data *data, uint64_t now)
{
    vec3     *pos   = data->limit.pos;
    vec3     *vel   = data->limit.vel;
    uint64_t *ticks = data->ticks;
    uint32_t  count = data->n;
    for (uint32_t i = 0; i < count;) {
        if (ticks[i] > now) {
            i++;
            continue;
        }
        count--;
        pos[i]   = pos[count];
        vel[i]   = vel[count];
        ticks[i] = ticks[count];
    }
    return data->n - count;
}

BENCH_KERNEL void limit_run_particles(bench_data *data)
{
    uint64_t made   = data->n;
    uint64_t random = RANDOM_SEED + 1;
    for (uint64_t now = 1; now <= PARTICLE_TICKS; now++) {
        move(data->limit.pos, data->limit.vel, data->n, workload_dt);
        uint32_t ended = limit_end_particles(data, now);
        uint32_t kept  = data->n - ended;
        make_particles(data->limit.pos + kept, data->limit.vel + kept, data->ticks + kept, ended,
                       &made, &random, now);
    }
}

// The same for particles with handles: an index with a generation that leads to the row.
static void limit_open_handles(bench_data *data)
{
    limit_open_particles(data);
    memset(data->limit.gen, 0, data->n * sizeof *data->limit.gen);
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[limit_add_row(&data->limit, i)] = i;
    }
}

BENCH_KERNEL uint32_t limit_end_handles(bench_data *data, uint64_t now)
{
    limit_table table = data->limit;
    uint64_t   *ticks = data->ticks;
    for (uint32_t i = 0; i < table.count;) {
        if (ticks[i] > now) {
            i++;
            continue;
        }
        uint32_t entity = table.ent[i];
        uint32_t row    = limit_remove_row(&table, entity);
        table.pos[row]  = table.pos[table.count];
        table.vel[row]  = table.vel[table.count];
        ticks[row]      = ticks[table.count];
        table.gen[entity]++;
        table.free[table.free_count++] = entity;
    }
    data->limit = table;
    return data->n - table.count;
}

BENCH_KERNEL void limit_run_handles(bench_data *data)
{
    uint64_t made   = data->n;
    uint64_t random = RANDOM_SEED + 1;
    for (uint64_t now = 1; now <= PARTICLE_TICKS; now++) {
        move(data->limit.pos, data->limit.vel, data->n, workload_dt);
        uint32_t ended = limit_end_handles(data, now);
        uint32_t kept  = data->n - ended;
        make_particles(data->limit.pos + kept, data->limit.vel + kept, data->ticks + kept, ended,
                       &made, &random, now);
        for (uint32_t i = 0; i < ended; i++) {
            data->out[i] = data->limit.free[--data->limit.free_count];
            limit_add_row(&data->limit, data->out[i]);
        }
    }
}

static double limit_sum_particles(const bench_data *data)
{
    double sum = 1e9 * data->n;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)data->limit.pos[i].x;
    }
    return sum;
}

#define CREATE_GIVEN(OPEN, RUN)                                                                    \
    .id = "C3", .kith = { OPEN, RUN, world_sum_movers, world_close },                              \
    .limit = { limit_open_given, limit_create_given, limit_sum_movers, limit_close }
#define DESTROY_BATCH(OPEN, LIMIT_OPEN)                                                            \
    .id = "C4", .kith = { OPEN, world_destroy_batch, world_count_destroyed, world_close },         \
    .limit = { LIMIT_OPEN, limit_destroy_all, limit_count_destroyed, limit_close }

static const bench_case cases[] = {
    { .id     = "C1",
      .form   = "batch",
      .axis   = BENCH_ENTITIES,
      .target = 3,
      .kith   = { world_open, world_create_batch, world_count_created, world_close },
      .limit  = { limit_open, limit_create_batch, limit_count_made, limit_close } },
    { CREATE_GIVEN(world_open_given, world_create_movers_batch), .form = "batch",
      .axis = BENCH_ENTITIES, .target = 1.8 },
    { CREATE_GIVEN(world_open_given, world_create_then_add), .form = "create, give" },
    { CREATE_GIVEN(world_open_given_in_group, world_create_movers_batch),
      .form = "batch, in a group" },
    { CREATE_GIVEN(world_open_given_in_group, world_create_then_add),
      .form = "create, give, in a group" },
    { .id     = "C3",
      .form   = "range",
      .target = 1.8,
      .kith   = { world_open_given, world_create_movers_range, world_sum_range, world_close },
      .limit  = { limit_open_given, limit_create_given, limit_sum_movers, limit_close } },
    { DESTROY_BATCH(world_open_movers, limit_open_movers), .form = "batch", .axis = BENCH_ENTITIES,
      .target = 1.7 },
    { DESTROY_BATCH(world_open_scattered, limit_open_scattered), .form = "batch, shuffled half" },
    { DESTROY_BATCH(world_open_movers_in_group, limit_open_movers), .form = "batch, in a group" },
    { DESTROY_BATCH(world_open_scattered_in_group, limit_open_scattered),
      .form = "batch, half of a group" },
    { .id     = "C6",
      .form   = "batch",
      .target = 4,
      .kith   = { world_open_movers_given, world_replace_batch, world_sum_movers, world_close },
      .limit  = { limit_open_movers_given, limit_replace_given, limit_sum_movers, limit_close } },
    { .id     = "P1",
      .form   = "particles",
      .target = 2.5,
      .kith   = { world_open_particles, world_run_particles, world_sum_particles, world_close },
      .limit  = { limit_open_particles, limit_run_particles, limit_sum_particles, limit_close } },
    { .id       = "P1",
      .form     = "with handles",
      .baseline = "plain arrays with handles and a lookup",
      .target   = 2.5,
      .kith     = { world_open_particles, world_run_particles, world_sum_particles, world_close },
      .limit    = { limit_open_handles, limit_run_handles, limit_sum_particles, limit_close } },
};

const bench_suite bench_batch = BENCH_SUITE(cases);
