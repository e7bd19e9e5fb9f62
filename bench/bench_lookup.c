// SPDX-License-Identifier: MIT
// Reading entities in random order.
#include "bench.h"

// --- G1: get ---------------------------------------------------------------------------------

static void world_open_shuffled_movers(bench_data *data)
{
    world_open_movers(data);
    bench_shuffle(data);
}

BENCH_KERNEL void world_get_position(bench_data *data)
{
    const kith_world  *world = data->world;
    const kith_entity *out   = data->out;
    double             sum   = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        const vec3 *pos = position_get(world, out[i]);
        if (pos != NULL) {
            sum += (double)pos->x;
        }
    }
    data->result = sum;
}

// As many as fit a small array of the program, enough to overlap their cache misses.
#define MANY 256

BENCH_KERNEL void world_get_positions(bench_data *data)
{
    const vec3 *found[MANY];
    double      sum = 0;
    for (uint32_t first = 0, n = data->n; first < n; first += MANY) {
        uint32_t count = n - first < MANY ? n - first : MANY;
        position_get_many(data->world, data->out + first, count, found);
        for (uint32_t i = 0; i < count; i++) {
            sum += found[i] != NULL ? (double)found[i]->x : 0;
        }
    }
    data->result = sum;
}

static void limit_open_shuffled_movers(bench_data *data)
{
    limit_open_movers(data);
    bench_shuffle(data);
}

BENCH_KERNEL void limit_get_position(bench_data *data)
{
    const kith_entity *out = data->out;
    const vec3        *pos = data->limit.pos;
    double             sum = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        sum += (double)pos[out[i]].x;
    }
    data->result = sum;
}

// --- G3: has, of which half hit --------------------------------------------------------------

static void world_add_health_to_half(bench_data *data)
{
    uint64_t presence = RANDOM_SEED;
    for (uint32_t i = 0; i < data->n; i++) {
        if (random_next(&presence) & 1) {
            health_add(data->world, data->out[i]);
        }
    }
    bench_shuffle(data);
}

static void world_open_half_with_health(bench_data *data)
{
    world_open_positions(data);
    world_add_health_to_half(data);
}

static void world_open_half_among_n(bench_data *data)
{
    const kith_component_desc last = health_desc();
    world_open_among(data, bench_take_place(data), &last);
    world_create_positions(data);
    world_add_health_to_half(data);
}

BENCH_KERNEL void world_count_health(bench_data *data)
{
    const kith_world  *world = data->world;
    const kith_entity *out   = data->out;
    uint32_t           count = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        count += health_has(world, out[i]);
    }
    data->result = count;
}

BENCH_KERNEL void world_count_in_pool(bench_data *data)
{
    const kith_entity *out     = data->out;
    health_ref         healths = health_pool(data->world);
    uint32_t           count   = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        count += health_has_in(healths, out[i]);
    }
    data->result = count;
}

static void limit_open_half_with_bit(bench_data *data)
{
    limit_open_entities(data);
    uint64_t presence = RANDOM_SEED;
    for (uint32_t i = 0; i < data->n; i++) {
        data->limit.bits[i / 64] |= (random_next(&presence) & 1) << i % 64;
    }
    bench_shuffle(data);
}

static void limit_open_half_among_n(bench_data *data)
{
    (void)bench_take_place(data);
    limit_open_half_with_bit(data);
}

BENCH_KERNEL void limit_count_bits(bench_data *data)
{
    const kith_entity *out   = data->out;
    const uint64_t    *bits  = data->limit.bits;
    uint32_t           count = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        count += (uint32_t)(bits[out[i] / 64] >> out[i] % 64 & 1);
    }
    data->result = count;
}

// --- G4: get of two --------------------------------------------------------------------------

BENCH_KERNEL void world_get_two(bench_data *data)
{
    const kith_world  *world = data->world;
    const kith_entity *out   = data->out;
    double             sum   = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        const vec3 *pos = position_get(world, out[i]);
        const vec3 *vel = velocity_get(world, out[i]);
        if (pos != NULL && vel != NULL) {
            sum += (double)pos->x + (double)vel->y;
        }
    }
    data->result = sum;
}

BENCH_KERNEL void limit_get_two(bench_data *data)
{
    const kith_entity *out = data->out;
    const vec3        *pos = data->limit.pos;
    const vec3        *vel = data->limit.vel;
    double             sum = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        sum += (double)pos[out[i]].x + (double)vel[out[i]].y;
    }
    data->result = sum;
}

// Both pools are found once.
BENCH_KERNEL void world_get_two_in_pools(bench_data *data)
{
    const kith_entity *out        = data->out;
    position_ref       positions  = position_pool(data->world);
    velocity_ref       velocities = velocity_pool(data->world);
    double             sum        = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        const vec3 *pos = position_in(positions, out[i]);
        const vec3 *vel = pos == NULL ? NULL : velocity_in(velocities, out[i]);
        if (vel != NULL) {
            sum += (double)pos->x + (double)vel->y;
        }
    }
    data->result = sum;
}

KITH_QUERY(placed_movers, read(position), read(velocity));

BENCH_KERNEL void world_get_two_in_one_call(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    double             sum   = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        placed_movers m = placed_movers_get(world, out[i]);
        if (m.entity != KITH_NULL) {
            sum += (double)m.position->x + (double)m.velocity->y;
        }
    }
    data->result = sum;
}

// --- U1: the same calls untyped --------------------------------------------------------------

BENCH_KERNEL void world_get_untyped(bench_data *data)
{
    const kith_world  *world = data->world;
    const kith_entity *out   = data->out;
    double             sum   = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        const vec3 *pos = kith_component_get(world, out[i], POSITION);
        if (pos != NULL) {
            sum += (double)pos->x;
        }
    }
    data->result = sum;
}

BENCH_KERNEL void world_count_untyped(bench_data *data)
{
    const kith_world  *world = data->world;
    const kith_entity *out   = data->out;
    uint32_t           count = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        count += kith_component_has(world, out[i], HEALTH);
    }
    data->result = count;
}

BENCH_KERNEL void world_set_typed(bench_data *data)
{
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        position_set(data->world, data->out[i], make_position(i + 1));
    }
}

BENCH_KERNEL void world_set_untyped(bench_data *data)
{
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        vec3 value = make_position(i + 1);
        kith_component_set(data->world, data->out[i], POSITION, &value);
    }
}

BENCH_KERNEL void world_step_untyped(bench_data *data)
{
    float       dt = workload_dt;
    kith_cursor c  = kith_view_begin(data->world, movers_desc());
    while (kith_cursor_next(&c)) {
        move(c.columns[0], c.columns[1], 1, dt);
    }
}

BENCH_KERNEL void world_step_typed(bench_data *data)
{
    float  dt = workload_dt;
    movers c  = movers_begin(data->world);
    while (movers_next(&c)) {
        move(c.position, c.velocity, 1, dt);
    }
}

#define UNTYPED(FORM, TARGET, OPEN, RUN, TYPED_RUN, SUM)                                           \
    .id = "U1", .form = FORM, .kind = BENCH_STEADY, .target = TARGET,                              \
    .baseline = "kith with typed calls", .kith = { OPEN, RUN, SUM, world_close },                  \
    .limit = { OPEN, TYPED_RUN, SUM, world_close }

static const bench_case cases[] = {
    { .id           = "G1",
      .form         = "one by one",
      .kind         = BENCH_STEADY,
      .axis         = BENCH_ENTITIES,
      .target       = 4,
      .instructions = 20,
      .kith  = { world_open_shuffled_movers, world_get_position, bench_result_of, world_close },
      .limit = { limit_open_shuffled_movers, limit_get_position, bench_result_of, limit_close } },
    { .id     = "G1",
      .form   = "many at once",
      .kind   = BENCH_STEADY,
      .axis   = BENCH_ENTITIES,
      .target = 3,
      .kith   = { world_open_shuffled_movers, world_get_positions, bench_result_of, world_close },
      .limit  = { limit_open_shuffled_movers, limit_get_position, bench_result_of, limit_close } },
    { .id           = "G3",
      .form         = "one by one",
      .kind         = BENCH_STEADY,
      .target       = 4.5,
      .instructions = 12,
      .kith  = { world_open_half_with_health, world_count_health, bench_result_of, world_close },
      .limit = { limit_open_half_with_bit, limit_count_bits, bench_result_of, limit_close } },
    { .id           = "G3",
      .form         = "in a pool",
      .kind         = BENCH_STEADY,
      .instructions = 12,
      .kith  = { world_open_half_with_health, world_count_in_pool, bench_result_of, world_close },
      .limit = { limit_open_half_with_bit, limit_count_bits, bench_result_of, limit_close } },
    { .id    = "G3",
      .form  = "has",
      .kind  = BENCH_STEADY,
      .axis  = BENCH_COMPONENTS,
      .kith  = { world_open_half_among_n, world_count_health, bench_result_of, world_close },
      .limit = { limit_open_half_among_n, limit_count_bits, bench_result_of, limit_close } },
    { .id           = "G4",
      .form         = "get of two",
      .kind         = BENCH_STEADY,
      .instructions = 40,
      .kith         = { world_open_shuffled_movers, world_get_two, bench_result_of, world_close },
      .limit        = { limit_open_shuffled_movers, limit_get_two, bench_result_of, limit_close } },
    { .id           = "G4",
      .form         = "in two pools",
      .kind         = BENCH_STEADY,
      .instructions = 40,
      .kith  = { world_open_shuffled_movers, world_get_two_in_pools, bench_result_of, world_close },
      .limit = { limit_open_shuffled_movers, limit_get_two, bench_result_of, limit_close } },
    { .id           = "G4",
      .form         = "in one call",
      .kind         = BENCH_STEADY,
      .instructions = 40,
      .kith         = { world_open_shuffled_movers, world_get_two_in_one_call, bench_result_of,
                        world_close },
      .limit        = { limit_open_shuffled_movers, limit_get_two, bench_result_of, limit_close } },
    { UNTYPED("get", 1.6, world_open_shuffled_movers, world_get_untyped, world_get_position,
              bench_result_of) },
    { UNTYPED("has", 1.6, world_open_half_with_health, world_count_untyped, world_count_health,
              bench_result_of) },
    { UNTYPED("set", 1.6, world_open_shuffled_movers, world_set_untyped, world_set_typed,
              world_sum_movers) },
    { UNTYPED("next", 0, world_open_movers, world_step_untyped, world_step_typed, world_sum_movers),
      .instructions = 60 },
};

const bench_suite bench_lookup = BENCH_SUITE(cases);
