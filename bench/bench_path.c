// SPDX-License-Identifier: MIT
// A3: entities with one of the seven sets of three components, a system over the third component
// and one over the first two, with and without a path.
#include "bench.h"

enum { THIRD = LETTER_A };

KITH_COMPONENT(third, vec3, THIRD);
KITH_QUERY(thirds, write(third));
KITH_PATH(hot, position, velocity, third);

#define SETS   7
#define FIRST  1u
#define SECOND 2u
#define LAST   4u
#define BOTH   (FIRST | SECOND)

// --- kith's side -----------------------------------------------------------------------------

// How many entities come between two calls that arrange, and what each call may do.
#define BATCH  1000u
#define BUDGET (2 * BATCH)

static void add_sets(bench_data *data, bool arrange)
{
    uint64_t stream = RANDOM_SEED;
    data->ops       = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        uint32_t set = 1 + (uint32_t)(random_next(&stream) % SETS);
        data->out[i] = kith_entity_create(data->world);
        if ((set & LAST) != 0) {
            third_set(data->world, data->out[i], make_position(i));
        }
        if ((set & FIRST) != 0) {
            position_set(data->world, data->out[i], make_position(i));
        }
        if ((set & SECOND) != 0) {
            velocity_set(data->world, data->out[i], make_velocity(i));
        }
        data->ops += (set & LAST) != 0 ? 1 : 0;
        data->ops += (set & BOTH) == BOTH ? 1 : 0;
        if (arrange && i % BATCH == BATCH - 1) {
            kith_path_arrange_all(data->world, BUDGET);
        }
    }
}

static void world_open_letters(bench_data *data)
{
    world_open(data);
    bench_require(third_register(data->world), "register");
}

static void world_open_sets(bench_data *data)
{
    world_open_letters(data);
    add_sets(data, false);
}

static void world_open_path(bench_data *data)
{
    world_open_letters(data);
    bench_require(hot_path(data->world) != NULL, "make a path");
    add_sets(data, true);
}

static void world_open_arranged(bench_data *data)
{
    world_open_sets(data);
    bench_require(hot_path(data->world) != NULL, "make a path");
    kith_path_arrange_all(data->world, UINT32_MAX);
}

static void world_open_stored(bench_data *data)
{
    world_open_arranged(data);
    data->query = movers_query(data->world);
    bench_require(data->query != NULL, "make a stored query");
}

static void raise(vec3 *values, uint32_t count, float dt)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i].y += dt;
    }
}

static void run_third(kith_world *world, float dt)
{
    thirds t = thirds_begin(world);
    while (thirds_next_chunk(&t)) {
        raise(t.third, t.count, dt);
    }
}

BENCH_KERNEL void world_run_next(bench_data *data)
{
    float dt = workload_dt;
    run_third(data->world, dt);
    movers m = movers_begin(data->world);
    while (movers_next(&m)) {
        move(m.position, m.velocity, 1, dt);
    }
}

BENCH_KERNEL void world_run_stored(bench_data *data)
{
    float dt = workload_dt;
    run_third(data->world, dt);
    movers m = movers_begin_stored(data->query);
    while (movers_next_chunk(&m)) {
        move(m.position, m.velocity, m.count, dt);
    }
}

BENCH_KERNEL void world_add_sets(bench_data *data)
{
    add_sets(data, false);
    data->ops = data->n;
}

BENCH_KERNEL void world_arrange_sets(bench_data *data)
{
    const kith_component ids[] = { POSITION, VELOCITY, THIRD };
    bench_require(kith_world_arrange(data->world, ids, 3, UINT32_MAX) != 0, "arrange");
}

static void world_open_to_arrange(bench_data *data)
{
    world_open_sets(data);
    data->ops = data->n;
}

static double world_sum_systems(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        const vec3 *pos  = position_get(data->world, data->out[i]);
        const vec3 *last = third_get(data->world, data->out[i]);
        bool        both = pos != NULL && velocity_has(data->world, data->out[i]);
        sum += both ? (double)pos->x : 0;
        sum += last != NULL ? (double)last->y : 0;
    }
    return sum;
}

// --- the limit's side ------------------------------------------------------------------------

// Packed arrays of exactly the matched entities: `moved` is the third component.
static void limit_open_sets(bench_data *data)
{
    uint64_t stream = RANDOM_SEED;
    uint32_t last   = 0;
    limit_open(data);
    data->moved = bench_allocate(data->n, sizeof *data->moved);
    for (uint32_t i = 0; i < data->n; i++) {
        uint32_t set = 1 + (uint32_t)(random_next(&stream) % SETS);
        if ((set & LAST) != 0) {
            data->moved[last++] = make_position(i);
        }
        if ((set & BOTH) == BOTH) {
            data->limit.pos[data->limit.count]   = make_position(i);
            data->limit.vel[data->limit.count++] = make_velocity(i);
        }
    }
    data->ops = last + data->limit.count;
}

BENCH_KERNEL void limit_run_systems(bench_data *data)
{
    float    dt   = workload_dt;
    uint32_t both = data->limit.count;
    raise(data->moved, (uint32_t)data->ops - both, dt);
    move(data->limit.pos, data->limit.vel, both, dt);
}

static double limit_sum_systems(const bench_data *data)
{
    uint32_t both = data->limit.count;
    double   sum  = 0;
    for (uint32_t i = 0; i < both; i++) {
        sum += (double)data->limit.pos[i].x;
    }
    for (uint32_t i = 0; i < data->ops - both; i++) {
        sum += (double)data->moved[i].y;
    }
    return sum;
}

#define LIMIT                                                                                      \
    {                                                                                              \
        limit_open_sets, limit_run_systems, limit_sum_systems, limit_close                         \
    }

static const bench_case cases[] = {
    { .id    = "A3",
      .form  = "no path",
      .kind  = BENCH_STEADY,
      .sizes = { 100000 },
      .kith  = { world_open_sets, world_run_next, world_sum_systems, world_close },
      .limit = LIMIT },
    { .id    = "A3",
      .form  = "path first",
      .kind  = BENCH_STEADY,
      .sizes = { 100000 },
      .kith  = { world_open_path, world_run_next, world_sum_systems, world_close },
      .limit = LIMIT },
    { .id    = "A3",
      .form  = "arranged",
      .kind  = BENCH_STEADY,
      .sizes = { 100000 },
      .kith  = { world_open_arranged, world_run_next, world_sum_systems, world_close },
      .limit = LIMIT },
    { .id     = "A3",
      .form   = "arranged, stored",
      .kind   = BENCH_STEADY,
      .target = 1.1,
      .sizes  = { 100000 },
      .kith   = { world_open_stored, world_run_stored, world_sum_systems, world_close },
      .limit  = LIMIT },
    { .id       = "A3",
      .form     = "to arrange",
      .baseline = "giving the components",
      .sizes    = { 100000, 1000000 },
      .kith     = { world_open_to_arrange, world_arrange_sets, world_sum_systems, world_close },
      .limit    = { world_open_letters, world_add_sets, world_sum_systems, world_close } },
};

const bench_suite bench_path = BENCH_SUITE(cases);
