// SPDX-License-Identifier: MIT
// A whole frame of a game, and loops over few entities.
#include "bench.h"

#include <stdlib.h>

// --- F1: a frame: destroy, create, toggle a tag, five systems --------------------------------
//
// data->out has the living entities by place. A frame replaces every 100th place and toggles the
// tag of every 20th. The limit has one row per place and a byte that says which parts it has.

KITH_QUERY(drifters, write(position), read(velocity), without(tag_a));
KITH_QUERY(spinners, write(rotation), read(velocity));
KITH_QUERY(patients, write(health));
KITH_QUERY(bounded, write(position), write(velocity));
KITH_QUERY(neighbours, read(position), write(health), read(rotation));
KITH_GROUP(drifting, own(position), own(velocity));

enum { HAS_ROTATION = 1, HAS_HEALTH = 2, HAS_TAG = 4 };

// The parts of the entity that is created as number `i`.
static uint8_t parts_of(uint32_t i)
{
    return (uint8_t)((i % 3 != 0) * HAS_ROTATION | (i % 2 == 0) * HAS_HEALTH |
                     (i % 10 == 0) * HAS_TAG);
}

static inline void spin(quaternion *rotation, const vec3 *velocity, float dt)
{
    rotation->w += velocity->y * dt;
}

static inline void heal(hit_points *health)
{
    health->hp += health->hp < health->max;
}

static inline void turn_back(vec3 *position, vec3 *velocity)
{
    if (position->x < 0 || position->x > 1024) {
        velocity->x = -velocity->x;
    }
}

static inline void hurt_if_near(const vec3 *position, hit_points *health,
                                const quaternion *rotation)
{
    health->hp -= position->x < 8 && rotation->w > 0;
}

static kith_entity world_create_part(kith_world *world, uint32_t i)
{
    uint8_t     parts  = parts_of(i);
    kith_entity entity = kith_entity_create(world);
    position_set(world, entity, make_position(i));
    velocity_set(world, entity, make_velocity(i));
    if (parts & HAS_ROTATION) {
        rotation_set(world, entity, (quaternion){ 0, 0, 0, 1 });
    }
    if (parts & HAS_HEALTH) {
        health_set(world, entity, (hit_points){ 50, 100 });
    }
    if (parts & HAS_TAG) {
        tag_a_add(world, entity);
    }
    return entity;
}

static void world_open_frame(bench_data *data)
{
    world_open(data);
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[i] = world_create_part(data->world, i);
    }
    data->created = data->n;
}

static void world_open_frame_stored(bench_data *data)
{
    world_open_frame(data);
    data->queries[0] = drifters_query(data->world);
    data->queries[1] = spinners_query(data->world);
    data->queries[2] = patients_query(data->world);
    data->queries[3] = bounded_query(data->world);
    data->queries[4] = neighbours_query(data->world);
    for (int i = 0; i < 5; i++) {
        bench_require(data->queries[i] != NULL, "make a stored query");
    }
}

static void world_open_frame_grouped(bench_data *data)
{
    world_open_frame(data);
    bench_require(drifting_group(data->world) != NULL, "make a group");
}

static void world_change_places(bench_data *data)
{
    kith_world  *world = data->world;
    kith_entity *out   = data->out;
    for (uint32_t i = data->frame % 100; i < data->n; i += 100) {
        kith_entity_destroy(world, out[i]);
    }
    for (uint32_t i = data->frame % 100; i < data->n; i += 100) {
        out[i] = world_create_part(world, data->created++);
    }
    for (uint32_t i = data->frame % 20; i < data->n; i += 20) {
        if (!tag_a_remove(world, out[i])) {
            tag_a_add(world, out[i]);
        }
    }
    data->frame++;
}

// The five systems. BEGIN(NAME, NUMBER) begins the loop.
#define RUN_SYSTEMS(BEGIN)                                                                         \
    do {                                                                                           \
        float    dt = workload_dt;                                                                 \
        drifters d  = BEGIN(drifters, 0);                                                          \
        while (drifters_next(&d)) {                                                                \
            move(d.position, d.velocity, 1, dt);                                                   \
        }                                                                                          \
        spinners s = BEGIN(spinners, 1);                                                           \
        while (spinners_next(&s)) {                                                                \
            spin(s.rotation, s.velocity, dt);                                                      \
        }                                                                                          \
        patients p = BEGIN(patients, 2);                                                           \
        while (patients_next(&p)) {                                                                \
            heal(p.health);                                                                        \
        }                                                                                          \
        bounded b = BEGIN(bounded, 3);                                                             \
        while (bounded_next(&b)) {                                                                 \
            turn_back(b.position, b.velocity);                                                     \
        }                                                                                          \
        neighbours n = BEGIN(neighbours, 4);                                                       \
        while (neighbours_next(&n)) {                                                              \
            hurt_if_near(n.position, n.health, n.rotation);                                        \
        }                                                                                          \
    } while (0)

#define BEGIN_VIEW(NAME, NUMBER)   NAME##_begin(data->world)
#define BEGIN_STORED(NAME, NUMBER) NAME##_begin_stored(data->queries[NUMBER])

BENCH_KERNEL void world_frame_views(bench_data *data)
{
    world_change_places(data);
    RUN_SYSTEMS(BEGIN_VIEW);
}

BENCH_KERNEL void world_frame_stored(bench_data *data)
{
    world_change_places(data);
    RUN_SYSTEMS(BEGIN_STORED);
}

// As an experienced user would write it: chunks where rows come as runs.
BENCH_KERNEL void world_frame_best(bench_data *data)
{
    float dt = workload_dt;
    world_change_places(data);
    drifters d = drifters_begin(data->world);
    while (drifters_next(&d)) {
        move(d.position, d.velocity, 1, dt);
    }
    spinners s = spinners_begin(data->world);
    while (spinners_next(&s)) {
        spin(s.rotation, s.velocity, dt);
    }
    patients p = patients_begin(data->world);
    while (patients_next_chunk(&p)) {
        for (uint32_t i = 0; i < p.count; i++) {
            heal(&p.health[i]);
        }
    }
    bounded b = bounded_begin(data->world);
    while (bounded_next_chunk(&b)) {
        for (uint32_t i = 0; i < b.count; i++) {
            turn_back(&b.position[i], &b.velocity[i]);
        }
    }
    neighbours n = neighbours_begin(data->world);
    while (neighbours_next(&n)) {
        hurt_if_near(n.position, n.health, n.rotation);
    }
}

static double sum_of_parts(const vec3 *position, const vec3 *velocity, const quaternion *rotation,
                           const hit_points *health, bool tag)
{
    return (double)position->x + (double)velocity->x +
           (rotation != NULL ? (double)rotation->w : 0) + (health != NULL ? health->hp : 0) + tag;
}

static double world_sum_frame(const bench_data *data)
{
    const kith_world *world = data->world;
    double            sum   = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        kith_entity e = data->out[i];
        sum += sum_of_parts(position_get(world, e), velocity_get(world, e), rotation_get(world, e),
                            health_get(world, e), tag_a_has(world, e));
    }
    return sum;
}

static uint8_t *limit_parts;

static void limit_create_part(bench_data *data, uint32_t place, uint32_t i)
{
    data->limit.pos[place]     = make_position(i);
    data->limit.vel[place]     = make_velocity(i);
    data->more.rotation[place] = (quaternion){ 0, 0, 0, 1 };
    data->more.health[place]   = (hit_points){ 50, 100 };
    limit_parts[place]         = parts_of(i);
}

static void limit_open_frame(bench_data *data)
{
    limit_open(data);
    data->more.rotation = bench_allocate(data->n, sizeof *data->more.rotation);
    data->more.health   = bench_allocate(data->n, sizeof *data->more.health);
    limit_parts         = bench_allocate(data->n, sizeof *limit_parts);
    for (uint32_t i = 0; i < data->n; i++) {
        limit_create_part(data, i, i);
    }
    data->created = data->n;
}

BENCH_KERNEL void limit_frame(bench_data *data)
{
    float dt                = workload_dt;
    vec3 *restrict position = data->limit.pos;
    vec3 *restrict velocity = data->limit.vel;
    quaternion *rotation    = data->more.rotation;
    hit_points *health      = data->more.health;
    uint8_t *restrict parts = limit_parts;
    uint32_t n              = data->n;
    for (uint32_t i = data->frame % 100; i < n; i += 100) {
        limit_create_part(data, i, data->created++);
    }
    for (uint32_t i = data->frame % 20; i < n; i += 20) {
        parts[i] ^= HAS_TAG;
    }
    data->frame++;
    for (uint32_t i = 0; i < n; i++) {
        if ((parts[i] & HAS_TAG) == 0) {
            move(&position[i], &velocity[i], 1, dt);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i] & HAS_ROTATION) {
            spin(&rotation[i], &velocity[i], dt);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i] & HAS_HEALTH) {
            heal(&health[i]);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        turn_back(&position[i], &velocity[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        if ((parts[i] & (HAS_HEALTH | HAS_ROTATION)) == (HAS_HEALTH | HAS_ROTATION)) {
            hurt_if_near(&position[i], &health[i], &rotation[i]);
        }
    }
}

static double limit_sum_frame(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        uint8_t parts = limit_parts[i];
        sum +=
            sum_of_parts(&data->limit.pos[i], &data->limit.vel[i],
                         parts & HAS_ROTATION ? &data->more.rotation[i] : NULL,
                         parts & HAS_HEALTH ? &data->more.health[i] : NULL, (parts & HAS_TAG) != 0);
    }
    return sum;
}

static void limit_close_frame(bench_data *data)
{
    free(limit_parts);
    limit_close(data);
}

// --- B0: a loop over none, one, ten or a hundred of a thousand entities ----------------------

#define LOOPS 256

static void world_open_few(bench_data *data, uint32_t few)
{
    data->n = 1000;
    world_open_bare(data);
    bench_require(position_register(data->world) && velocity_register(data->world),
                  "register the components");
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[i] = kith_entity_create(data->world);
        if (i < few) {
            position_set(data->world, data->out[i], make_position(i));
            velocity_set(data->world, data->out[i], make_velocity(i));
        }
    }
    data->query = movers_query(data->world);
    bench_require(data->query != NULL, "make a stored query");
    data->few = few;
    data->ops = LOOPS;
}

BENCH_KERNEL void world_loop_views(bench_data *data)
{
    float dt = workload_dt;
    for (uint32_t i = 0; i < LOOPS; i++) {
        movers c = movers_begin(data->world);
        while (movers_next(&c)) {
            move(c.position, c.velocity, 1, dt);
        }
    }
}

BENCH_KERNEL void world_loop_stored(bench_data *data)
{
    float dt = workload_dt;
    for (uint32_t i = 0; i < LOOPS; i++) {
        movers c = movers_begin_stored(data->query);
        while (movers_next(&c)) {
            move(c.position, c.velocity, 1, dt);
        }
    }
}

static double world_sum_few(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->few; i++) {
        sum += (double)position_get(data->world, data->out[i])->x;
    }
    return sum;
}

static void limit_open_few(bench_data *data, uint32_t few)
{
    data->n = 1000;
    limit_open_movers(data);
    data->few = few;
    data->ops = LOOPS;
}

BENCH_KERNEL void limit_loop_few(bench_data *data)
{
    float dt = workload_dt;
    for (uint32_t i = 0; i < LOOPS; i++) {
        move(data->limit.pos, data->limit.vel, data->few, dt);
    }
}

static double limit_sum_few(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->few; i++) {
        sum += (double)data->limit.pos[i].x;
    }
    return sum;
}

#define OPEN_FEW(FEW)                                                                              \
    static void world_open_##FEW(bench_data *data)                                                 \
    {                                                                                              \
        world_open_few(data, FEW);                                                                 \
    }                                                                                              \
    static void limit_open_##FEW(bench_data *data)                                                 \
    {                                                                                              \
        limit_open_few(data, FEW);                                                                 \
    }                                                                                              \
    struct open_##FEW##_end

OPEN_FEW(0);
OPEN_FEW(1);
OPEN_FEW(10);
OPEN_FEW(100);

// --- the table -------------------------------------------------------------------------------

#define FRAME(OPEN, RUN)                                                                           \
    .id = "F1", .kind = BENCH_STEADY, .sizes = { 100000 },                                         \
    .kith  = { OPEN, RUN, world_sum_frame, world_close },                                          \
    .limit = { limit_open_frame, limit_frame, limit_sum_frame, limit_close_frame }
#define FEW_OF(FEW, RUN, INSTRUCTIONS)                                                             \
    .id = "B0", .kind = BENCH_STEADY, .sizes = { 1000 }, .instructions = (INSTRUCTIONS),           \
    .kith  = { world_open_##FEW, RUN, world_sum_few, world_close },                                \
    .limit = { limit_open_##FEW, limit_loop_few, limit_sum_few, limit_close }

static const bench_case cases[] = {
    { FRAME(world_open_frame, world_frame_views), .form = "views" },
    { FRAME(world_open_frame_stored, world_frame_stored), .form = "stored" },
    { FRAME(world_open_frame_grouped, world_frame_views), .form = "group" },
    { FRAME(world_open_frame, world_frame_best), .form = "best" },
    { FEW_OF(0, world_loop_views, 250), .form = "view, none" },
    { FEW_OF(1, world_loop_views, 300), .form = "view, one" },
    { FEW_OF(10, world_loop_views, 800), .form = "view, ten" },
    { FEW_OF(100, world_loop_views, 2200), .form = "view, hundred" },
    { FEW_OF(0, world_loop_stored, 150), .form = "stored, none" },
    { FEW_OF(1, world_loop_stored, 180), .form = "stored, one" },
    { FEW_OF(10, world_loop_stored, 480), .form = "stored, ten" },
    { FEW_OF(100, world_loop_stored, 1320), .form = "stored, hundred" },
};

const bench_suite bench_frame = BENCH_SUITE(cases);
