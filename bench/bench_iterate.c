// SPDX-License-Identifier: MIT
// Loops over entities that change nothing but values.
//
// Both sides do their work with the same functions over arrays: the limit on its whole arrays, kith
// on a chunk, or on one entity at a time.
#include "bench.h"

KITH_QUERY(positions, write(position));
KITH_QUERY(readers, read(position), read(velocity));
KITH_QUERY(wounded, write(position), write(health));
KITH_QUERY(untagged, write(position), without(tag_a));
KITH_QUERY(five, write(position), read(velocity), write(health), write(rotation), write(f0));
KITH_QUERY(numbers, write(number));
KITH_QUERY(bodies, write(position), read(velocity), read(rotation), write(matrix));
KITH_QUERY(living, write(position), read(velocity), write(health));

KITH_QUERY(turning, write(position), read(velocity), write(rotation));
KITH_QUERY(lucky, write(position), read(velocity), write(rotation), write(health));

KITH_GROUP(all_positions, own(position));
KITH_GROUP(moving_pairs, own(position), own(velocity));
KITH_GROUP(moving_list, read(position), read(velocity));
KITH_GROUP(wounded_pairs, own(position), own(health));
KITH_GROUP(wounded_list, read(position), read(health));
KITH_GROUP(untagged_ones, own(position), without(tag_a));
KITH_GROUP(untagged_list, read(position), without(tag_a));
KITH_GROUP(owned_five, own(position), own(velocity), own(health), own(rotation), own(f0));
KITH_GROUP(all_numbers, own(number));
KITH_GROUP(living_part, own(position), own(velocity), read(health));
KITH_GROUP(living_list, read(position), read(velocity), read(health));

// The kernels of a query in each of its forms. VISIT does the work on `count` entities from the
// cursor's present one on. The cursor comes by value: what has its address taken by a caller cannot
// stay in registers.
#define WALKS(NAME, VISIT)                                                                         \
    static inline void NAME##_walk(NAME c, float dt)                                               \
    {                                                                                              \
        while (NAME##_next(&c)) {                                                                  \
            VISIT(c, 1, dt);                                                                       \
        }                                                                                          \
    }                                                                                              \
    static inline void NAME##_walk_chunks(NAME c, float dt)                                        \
    {                                                                                              \
        while (NAME##_next_chunk(&c)) {                                                            \
            VISIT(c, c.count, dt);                                                                 \
        }                                                                                          \
    }                                                                                              \
    BENCH_KERNEL void NAME##_view_next(bench_data *data)                                           \
    {                                                                                              \
        NAME##_walk(NAME##_begin(data->world), workload_dt);                                       \
    }                                                                                              \
    BENCH_KERNEL void NAME##_stored_next(bench_data *data)                                         \
    {                                                                                              \
        NAME##_walk(NAME##_begin_stored(data->query), workload_dt);                                \
    }                                                                                              \
    struct NAME##_walks_end

#define VIEW_CHUNKS(NAME)                                                                          \
    BENCH_KERNEL void NAME##_view_chunk(bench_data *data)                                          \
    {                                                                                              \
        NAME##_walk_chunks(NAME##_begin(data->world), workload_dt);                                \
    }                                                                                              \
    struct NAME##_view_chunks_end

#define CHUNKS(NAME)                                                                               \
    VIEW_CHUNKS(NAME);                                                                             \
    BENCH_KERNEL void NAME##_stored_chunk(bench_data *data)                                        \
    {                                                                                              \
        NAME##_walk_chunks(NAME##_begin_stored(data->query), workload_dt);                         \
    }                                                                                              \
    struct NAME##_chunks_end

// By chunks over rows that are scattered.
#define SHORT_CHUNKS(NAME)                                                                         \
    BENCH_SHORT_CHUNKS void NAME##_view_short(bench_data *data)                                    \
    {                                                                                              \
        NAME##_walk_chunks(NAME##_begin(data->world), workload_dt);                                \
    }                                                                                              \
    BENCH_SHORT_CHUNKS void NAME##_stored_short(bench_data *data)                                  \
    {                                                                                              \
        NAME##_walk_chunks(NAME##_begin_stored(data->query), workload_dt);                         \
    }                                                                                              \
    struct NAME##_short_chunks_end

// The same through the untyped cursor, by chunks only. VISIT finds the values by their columns.
#define UNTYPED_WALK(NAME, VISIT)                                                                  \
    BENCH_KERNEL void NAME##_untyped_chunk(bench_data *data)                                       \
    {                                                                                              \
        float       dt = workload_dt;                                                              \
        kith_cursor c  = kith_view_begin(data->world, NAME##_desc());                              \
        while (kith_cursor_next_chunk(&c)) {                                                       \
            VISIT(c, c.count, dt);                                                                 \
        }                                                                                          \
    }                                                                                              \
    struct NAME##_untyped_walk_end

// OPEN_stored: the setup OPEN with a stored query.
#define WITH_QUERY(OPEN, NAME)                                                                     \
    static void OPEN##_stored(bench_data *data)                                                    \
    {                                                                                              \
        OPEN(data);                                                                                \
        data->query = NAME##_query(data->world);                                                   \
        bench_require(data->query != NULL, "make a stored query");                                 \
    }                                                                                              \
    struct OPEN##_with_query_end

// OPEN_GROUP: the setup OPEN with a group made afterwards.
#define WITH_GROUP(OPEN, GROUP)                                                                    \
    static void OPEN##_##GROUP(bench_data *data)                                                   \
    {                                                                                              \
        OPEN(data);                                                                                \
        bench_require(GROUP##_group(data->world) != NULL, "make a group");                         \
    }                                                                                              \
    struct OPEN##_##GROUP##_with_group_end

// --- what several cases need -----------------------------------------------------------------

static double sum_of(const vec3 *pos)
{
    return (double)pos->x + (double)pos->y + (double)pos->z;
}

static double world_sum_x(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)position_get(data->world, data->out[i])->x;
    }
    return sum;
}

static double world_sum_xyz(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += sum_of(position_get(data->world, data->out[i]));
    }
    return sum;
}

static void world_add_health(bench_data *data)
{
    for (uint32_t i = 0; i < data->n; i++) {
        health_add(data->world, data->out[i]);
    }
}

static void limit_open_positions(bench_data *data)
{
    limit_open(data);
    for (uint32_t i = 0; i < data->n; i++) {
        data->limit.pos[i] = make_position(i);
    }
}

static double limit_sum_x(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)data->limit.pos[i].x;
    }
    return sum;
}

static double limit_sum_xyz(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += sum_of(&data->limit.pos[i]);
    }
    return sum;
}

static void limit_add_health(bench_data *data)
{
    data->more.health = bench_allocate(data->n, sizeof *data->more.health);
    for (uint32_t i = 0; i < data->n; i++) {
        data->more.health[i] = (hit_points){ 0, 0 };
    }
}

// --- I1: one component -----------------------------------------------------------------------

static inline void push(vec3 *pos, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        pos[i].x += 1;
    }
}

#define PUSH(C, COUNT, DT) ((void)(DT), push((C).position, (COUNT)))

WALKS(positions, PUSH);
CHUNKS(positions);
WITH_QUERY(world_open_positions, positions);
WITH_GROUP(world_open_positions, all_positions);

BENCH_KERNEL void limit_push(bench_data *data)
{
    push(data->limit.pos, data->n);
}

// --- I2, I3: two components, in the same order and in random order ---------------------------

#define MOVE(C, COUNT, DT)      move((C).position, (C).velocity, (COUNT), (DT))
#define MOVE_ROWS(C, COUNT, DT) move((C).columns[0], (C).columns[1], (COUNT), (DT))

WALKS(movers, MOVE);
CHUNKS(movers);
SHORT_CHUNKS(movers);
UNTYPED_WALK(movers, MOVE_ROWS);
WITH_QUERY(world_open_movers, movers);
WITH_GROUP(world_open_movers, moving_pairs);
WITH_GROUP(world_open_movers, moving_list);

WITH_QUERY(world_open_strangers, movers);
WITH_GROUP(world_open_strangers, moving_pairs);
WITH_GROUP(world_open_strangers, moving_list);

BENCH_KERNEL void limit_move(bench_data *data)
{
    move(data->limit.pos, data->limit.vel, data->n, workload_dt);
}

// --- the price of a column for writing -------------------------------------------------------

// The body leaves its input alone, so that the same one can run with columns for reading.
#define WRITE_DOWN(TYPE)                                                                           \
    BENCH_KERNEL void TYPE##_write_down(bench_data *data)                                          \
    {                                                                                              \
        float dt    = workload_dt;                                                                 \
        vec3 *moved = data->moved;                                                                 \
        TYPE  c     = TYPE##_begin(data->world);                                                   \
        while (TYPE##_next(&c)) {                                                                  \
            *moved = *c.position;                                                                  \
            move(moved++, c.velocity, 1, dt);                                                      \
        }                                                                                          \
    }                                                                                              \
    struct TYPE##_write_down_end

WRITE_DOWN(movers);
WRITE_DOWN(readers);

static void make_room_for_moved(bench_data *data)
{
    data->moved = bench_allocate(data->n, sizeof *data->moved);
}

static void world_open_written(bench_data *data)
{
    world_open_movers(data);
    make_room_for_moved(data);
}

static void world_open_written_strangers(bench_data *data)
{
    world_open_strangers(data);
    make_room_for_moved(data);
}

static double world_sum_moved(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += sum_of(&data->moved[i]);
    }
    return sum;
}

// --- I5: one in a hundred has the second component -------------------------------------------

static inline void wound(vec3 *restrict pos, hit_points *restrict health, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        pos[i].x += 1;
        health[i].hp -= 1;
    }
}

#define WOUND(C, COUNT, DT) ((void)(DT), wound((C).position, (C).health, (COUNT)))

WALKS(wounded, WOUND);
VIEW_CHUNKS(wounded);
SHORT_CHUNKS(wounded);

static bool is_one_in_a_hundred(uint64_t *presence)
{
    return random_next(presence) % 100 == 0;
}

static void world_open_few_with_health(bench_data *data)
{
    world_open_positions(data);
    uint64_t presence = RANDOM_SEED;
    data->ops         = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        if (is_one_in_a_hundred(&presence)) {
            health_add(data->world, data->out[i]);
            data->ops++;
        }
    }
}

WITH_QUERY(world_open_few_with_health, wounded);
WITH_GROUP(world_open_few_with_health, wounded_pairs);
WITH_GROUP(world_open_few_with_health, wounded_list);

static double world_sum_wounded(const bench_data *data)
{
    double sum = world_sum_x(data);
    for (uint32_t i = 0; i < data->n; i++) {
        const hit_points *health = health_get(data->world, data->out[i]);
        sum += health != NULL ? health->hp : 0;
    }
    return sum;
}

// The entities that the loop visits come first, the others follow.
static void limit_open_visited_first(bench_data *data, bool (*visited)(uint64_t *presence))
{
    limit_open(data);
    uint64_t presence = RANDOM_SEED;
    uint32_t others   = data->n;
    for (uint32_t i = 0; i < data->n; i++) {
        uint32_t row         = visited(&presence) ? data->limit.count++ : --others;
        data->limit.pos[row] = make_position(i);
    }
    data->ops = data->limit.count;
}

static void limit_open_few_with_health(bench_data *data)
{
    limit_open_visited_first(data, is_one_in_a_hundred);
    limit_add_health(data);
}

BENCH_KERNEL void limit_wound(bench_data *data)
{
    wound(data->limit.pos, data->more.health, data->limit.count);
}

static double limit_sum_x_and_health(const bench_data *data)
{
    double sum = limit_sum_x(data);
    for (uint32_t i = 0; i < data->n; i++) {
        sum += data->more.health[i].hp;
    }
    return sum;
}

// --- I6: half are excluded -------------------------------------------------------------------

WALKS(untagged, PUSH);
VIEW_CHUNKS(untagged);
SHORT_CHUNKS(untagged);

static bool is_untagged(uint64_t *presence)
{
    return (random_next(presence) & 1) == 0;
}

static void world_open_half_tagged(bench_data *data)
{
    world_open_positions(data);
    uint64_t presence = RANDOM_SEED;
    data->ops         = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        if (is_untagged(&presence)) {
            data->ops++;
        } else {
            tag_a_add(data->world, data->out[i]);
        }
    }
}

WITH_QUERY(world_open_half_tagged, untagged);
WITH_GROUP(world_open_half_tagged, untagged_ones);
WITH_GROUP(world_open_half_tagged, untagged_list);

static void limit_open_half_tagged(bench_data *data)
{
    limit_open_visited_first(data, is_untagged);
}

BENCH_KERNEL void limit_push_visited(bench_data *data)
{
    push(data->limit.pos, data->limit.count);
}

// --- I7: five components ---------------------------------------------------------------------

static inline void live(vec3 *restrict pos, const vec3 *restrict vel, hit_points *restrict health,
                        quaternion *restrict rotation, filler *restrict fill, uint32_t count,
                        float dt)
{
    for (uint32_t i = 0; i < count; i++) {
        pos[i].x += vel[i].x * dt;
        health[i].hp += 1;
        rotation[i].w += 1;
        fill[i].v += 1;
    }
}

#define LIVE(C, COUNT, DT)                                                                         \
    live((C).position, (C).velocity, (C).health, (C).rotation, (C).f0, (COUNT), (DT))
#define LIVE_ROWS(C, COUNT, DT)                                                                    \
    live((C).columns[0], (C).columns[1], (C).columns[2], (C).columns[3], (C).columns[4], (COUNT),  \
         (DT))

WALKS(five, LIVE);
CHUNKS(five);
UNTYPED_WALK(five, LIVE_ROWS);

static void world_open_with_5(bench_data *data)
{
    world_open_movers(data);
    world_add_health(data);
    for (uint32_t i = 0; i < data->n; i++) {
        rotation_add(data->world, data->out[i]);
        f0_add(data->world, data->out[i]);
    }
}

WITH_QUERY(world_open_with_5, five);
WITH_GROUP(world_open_with_5, owned_five);

static double world_sum_5(const bench_data *data)
{
    double sum = world_sum_wounded(data);
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)rotation_get(data->world, data->out[i])->w;
        sum += f0_get(data->world, data->out[i])->v;
    }
    return sum;
}

static void limit_open_with_5(bench_data *data)
{
    limit_open_movers(data);
    limit_add_health(data);
    data->more.rotation = bench_allocate(data->n, sizeof *data->more.rotation);
    for (uint32_t i = 0; i < data->n; i++) {
        data->more.rotation[i] = (quaternion){ 0, 0, 0, 0 };
        data->limit.fill[i]    = (filler){ 0 };
    }
}

BENCH_KERNEL void limit_live(bench_data *data)
{
    const limit_table *table = &data->limit;
    live(table->pos, table->vel, data->more.health, data->more.rotation, table->fill, data->n,
         workload_dt);
}

static double limit_sum_5(const bench_data *data)
{
    double sum = limit_sum_x_and_health(data);
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)data->more.rotation[i].w + data->limit.fill[i].v;
    }
    return sum;
}

// --- I8: entities of 26 kinds ----------------------------------------------------------------

#define LETTERS 26

static inline void count_up(scalar *number, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        number[i].v += 1;
    }
}

#define COUNT_UP(C, COUNT, DT) ((void)(DT), count_up((C).number, (COUNT)))

WALKS(numbers, COUNT_UP);
CHUNKS(numbers);

static void world_open_letters(bench_data *data)
{
    world_open_bare(data);
    bench_require(number_register(data->world), "register the number");
    world_register_fillers(data->world, LETTER_A, LETTERS);
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[i] = kith_entity_create(data->world);
        number_add(data->world, data->out[i]);
        kith_component_add(data->world, data->out[i], LETTER_A + i % LETTERS, NULL);
    }
}

WITH_QUERY(world_open_letters, numbers);
WITH_GROUP(world_open_letters, all_numbers);

static double world_sum_numbers(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)number_get(data->world, data->out[i])->v;
    }
    return sum;
}

static void limit_open_letters(bench_data *data)
{
    limit_open(data);
    data->more.number = bench_allocate(data->n, sizeof *data->more.number);
    for (uint32_t i = 0; i < data->n; i++) {
        data->more.number[i] = (scalar){ 0 };
    }
}

BENCH_KERNEL void limit_count_up(bench_data *data)
{
    count_up(data->more.number, data->n);
}

static double limit_sum_numbers(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)data->more.number[i].v;
    }
    return sum;
}

// --- I10: much work for each entity ----------------------------------------------------------

#define I10_ROUNDS 100

static inline matrix4 make_matrix(void)
{
    return (matrix4){ { 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 2, 4, 1 } };
}

// The determinant of what is left without row `r` and column `c`. Going on cyclically from there
// reorders three rows or columns by an even permutation: the sign stays.
static inline float subdeterminant(const float *m, int r, int c)
{
    int r0 = (r + 1) % 4, r1 = (r + 2) % 4, r2 = (r + 3) % 4;
    int c0 = (c + 1) % 4 * 4, c1 = (c + 2) % 4 * 4, c2 = (c + 3) % 4 * 4;
    return m[c0 + r0] * (m[c1 + r1] * m[c2 + r2] - m[c1 + r2] * m[c2 + r1]) -
           m[c1 + r0] * (m[c0 + r1] * m[c2 + r2] - m[c0 + r2] * m[c2 + r1]) +
           m[c2 + r0] * (m[c0 + r1] * m[c1 + r2] - m[c0 + r2] * m[c1 + r1]);
}

static inline float cofactor(const float *m, int r, int c)
{
    return (r + c) % 2 == 0 ? subdeterminant(m, r, c) : -subdeterminant(m, r, c);
}

static __attribute__((noinline)) matrix4 inverse(const matrix4 *matrix)
{
    const float *m      = matrix->m;
    float        factor = 0;
    matrix4      result;
    for (int i = 0; i < 4; i++) {
        factor += m[i * 4] * cofactor(m, 0, i);
    }
    factor = 1 / factor;
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            result.m[c * 4 + r] = cofactor(m, c, r) * factor;
        }
    }
    return result;
}

static inline vec3 turn(const matrix4 *matrix, vec3 p)
{
    const float *m = matrix->m;
    return (vec3){ m[0] * p.x + m[4] * p.y + m[8] * p.z, m[1] * p.x + m[5] * p.y + m[9] * p.z,
                   m[2] * p.x + m[6] * p.y + m[10] * p.z };
}

static inline void churn(vec3 *pos, matrix4 *matrices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (int round = 0; round < I10_ROUNDS; round++) {
            matrices[i] = inverse(&matrices[i]);
            pos[i]      = turn(&matrices[i], pos[i]);
        }
    }
}

#define CHURN(C, COUNT, DT) ((void)(DT), churn((C).position, (C).matrix, (COUNT)))

WALKS(bodies, CHURN);
CHUNKS(bodies);

static void world_open_bodies(bench_data *data)
{
    world_open_bare(data);
    bench_require(position_register(data->world) && velocity_register(data->world) &&
                      rotation_register(data->world) && matrix_register(data->world),
                  "register the components");
    world_create_movers(data);
    for (uint32_t i = 0; i < data->n; i++) {
        rotation_add(data->world, data->out[i]);
        matrix_set(data->world, data->out[i], make_matrix());
    }
}

WITH_QUERY(world_open_bodies, bodies);

static void limit_open_bodies(bench_data *data)
{
    limit_open_positions(data);
    data->more.matrix = bench_allocate(data->n, sizeof *data->more.matrix);
    for (uint32_t i = 0; i < data->n; i++) {
        data->more.matrix[i] = make_matrix();
    }
}

BENCH_KERNEL void limit_churn(bench_data *data)
{
    churn(data->limit.pos, data->more.matrix, data->n);
}

// --- PG: two components that a group could own, and a third ----------------------------------

static inline void move_and_heal(vec3 *restrict pos, const vec3 *restrict vel,
                                 hit_points *restrict health, uint32_t count, float dt)
{
    move(pos, vel, count, dt);
    for (uint32_t i = 0; i < count; i++) {
        health[i].hp += 1;
    }
}

#define MOVE_AND_HEAL(C, COUNT, DT)                                                                \
    move_and_heal((C).position, (C).velocity, (C).health, (COUNT), (DT))

WALKS(living, MOVE_AND_HEAL);
CHUNKS(living);

static void world_open_living(bench_data *data)
{
    world_open_movers(data);
    world_add_health(data);
}

WITH_QUERY(world_open_living, living);
WITH_GROUP(world_open_living, living_part);
WITH_GROUP(world_open_living, living_list);

static void limit_open_living(bench_data *data)
{
    limit_open_movers(data);
    limit_add_health(data);
}

BENCH_KERNEL void limit_move_and_heal(bench_data *data)
{
    const limit_table *table = &data->limit;
    move_and_heal(table->pos, table->vel, data->more.health, data->n, workload_dt);
}

// --- I11: a third has the third component; I12: four random halves -------------------------------

static inline void wheel(vec3 *restrict pos, const vec3 *restrict vel,
                         quaternion *restrict rotation, uint32_t count, float dt)
{
    for (uint32_t i = 0; i < count; i++) {
        pos[i].x += vel[i].x * dt;
        rotation[i].w += 1;
    }
}

static inline void wheel_and_heal(vec3 *restrict pos, const vec3 *restrict vel,
                                  quaternion *restrict rotation, hit_points *restrict health,
                                  uint32_t count, float dt)
{
    for (uint32_t i = 0; i < count; i++) {
        pos[i].x += vel[i].x * dt;
        rotation[i].w += 1;
        health[i].hp += 1;
    }
}

#define WHEEL(C, COUNT, DT) wheel((C).position, (C).velocity, (C).rotation, (COUNT), (DT))
#define WHEEL_AND_HEAL(C, COUNT, DT)                                                               \
    wheel_and_heal((C).position, (C).velocity, (C).rotation, (C).health, (COUNT), (DT))

WALKS(turning, WHEEL);
SHORT_CHUNKS(turning);
WALKS(lucky, WHEEL_AND_HEAL);
SHORT_CHUNKS(lucky);

static bool is_third(uint32_t i)
{
    return i % 3 == 0;
}

static void world_open_thirds(bench_data *data)
{
    world_open_movers(data);
    data->ops = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        if (is_third(i)) {
            rotation_set(data->world, data->out[i], (quaternion){ 0, 0, 0, 1 });
            data->ops++;
        }
    }
}

// Each entity has velocity, rotation and health by a bit of the same number.
static void world_open_halves(bench_data *data)
{
    world_open_positions(data);
    uint64_t presence = RANDOM_SEED;
    data->ops         = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        uint64_t has = random_next(&presence);
        if (has & 1) {
            velocity_set(data->world, data->out[i], make_velocity(i));
        }
        if (has & 2) {
            rotation_set(data->world, data->out[i], (quaternion){ 0, 0, 0, 1 });
        }
        if (has & 4) {
            health_add(data->world, data->out[i]);
        }
        data->ops += (has & 7) == 7;
    }
}

WITH_QUERY(world_open_thirds, turning);
WITH_QUERY(world_open_halves, lucky);

static double world_sum_turned(const bench_data *data)
{
    double sum = world_sum_wounded(data);
    for (uint32_t i = 0; i < data->n; i++) {
        bool              moves    = velocity_has(data->world, data->out[i]);
        const quaternion *rotation = rotation_get(data->world, data->out[i]);
        sum += moves && rotation != NULL ? (double)rotation->w : 0;
    }
    return sum;
}

// The entities that the loop visits come first. The rotation of the others is 0, which hides that
// they have none, or one that no loop changes.
static void limit_open_turning(bench_data *data, bool halves)
{
    limit_open(data);
    limit_add_health(data);
    data->more.rotation = bench_allocate(data->n, sizeof *data->more.rotation);
    uint64_t presence   = RANDOM_SEED;
    uint32_t others     = data->n;
    for (uint32_t i = 0; i < data->n; i++) {
        uint64_t has             = halves ? random_next(&presence) : is_third(i) ? 7 : 1;
        uint32_t row             = (has & 7) == 7 ? data->limit.count++ : --others;
        bool     counted         = (has & 3) == 3;
        data->limit.pos[row]     = make_position(i);
        data->limit.vel[row]     = make_velocity(i);
        data->more.rotation[row] = (quaternion){ 0, 0, 0, counted ? 1 : 0 };
    }
    data->ops = data->limit.count;
}

static void limit_open_thirds(bench_data *data)
{
    limit_open_turning(data, false);
}

static void limit_open_halves(bench_data *data)
{
    limit_open_turning(data, true);
}

BENCH_KERNEL void limit_wheel(bench_data *data)
{
    const limit_table *table = &data->limit;
    wheel(table->pos, table->vel, data->more.rotation, table->count, workload_dt);
}

BENCH_KERNEL void limit_wheel_and_heal(bench_data *data)
{
    const limit_table *table = &data->limit;
    wheel_and_heal(table->pos, table->vel, data->more.rotation, data->more.health, table->count,
                   workload_dt);
}

static double limit_sum_turned(const bench_data *data)
{
    double sum = limit_sum_x_and_health(data);
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)data->more.rotation[i].w;
    }
    return sum;
}

// --- the table -------------------------------------------------------------------------------

// What the forms of a case have in common.
#define STEADY(SUM, LIMIT_OPEN, LIMIT_RUN, LIMIT_SUM)                                              \
    .kind = BENCH_STEADY, .kith.checksum = SUM, .kith.teardown = world_close,                      \
    .limit = { LIMIT_OPEN, LIMIT_RUN, LIMIT_SUM, limit_close }

#define I1 STEADY(world_sum_x, limit_open_positions, limit_push, limit_sum_x)
#define I2 STEADY(world_sum_xyz, limit_open_movers, limit_move, limit_sum_xyz)
#define I5                                                                                         \
    STEADY(world_sum_wounded, limit_open_few_with_health, limit_wound, limit_sum_x_and_health)
#define I6 STEADY(world_sum_x, limit_open_half_tagged, limit_push_visited, limit_sum_x)
#define I7 STEADY(world_sum_5, limit_open_with_5, limit_live, limit_sum_5)
#define I8                                                                                         \
    STEADY(world_sum_numbers, limit_open_letters, limit_count_up, limit_sum_numbers),              \
        .sizes = { 100000 }
#define I10                                                                                        \
    .kith.checksum = world_sum_x, .kith.teardown = world_close,                                    \
    .limit = { limit_open_bodies, limit_churn, limit_sum_x, limit_close }, .sizes = { 1000 }
#define I11 STEADY(world_sum_turned, limit_open_thirds, limit_wheel, limit_sum_turned)
#define I12 STEADY(world_sum_turned, limit_open_halves, limit_wheel_and_heal, limit_sum_turned)
#define PG                                                                                         \
    STEADY(world_sum_wounded, limit_open_living, limit_move_and_heal, limit_sum_x_and_health),     \
        .sizes = { 10000, 65536, 1000000 }

// A case against another way to do it with kith.
#define AGAINST(WHAT, SUM, OPEN, RUN)                                                              \
    .kind = BENCH_STEADY, .baseline = WHAT, .kith.checksum = SUM, .kith.teardown = world_close,    \
    .limit = { OPEN, RUN, SUM, world_close }
#define READ_COLUMNS(OPEN)                                                                         \
    AGAINST("kith with columns for reading", world_sum_moved, OPEN, readers_write_down)
#define TYPED(SUM, OPEN, RUN) AGAINST("kith with a typed cursor", SUM, OPEN, RUN)

#define CURVE .axis = BENCH_ENTITIES

// Target: the highest good ratio to the limit. Count: of instructions per entity.
#define ROW(ID, FORM, TARGET, COUNT, OPEN, RUN, ...)                                               \
    {                                                                                              \
        .id = ID, .form = FORM, .target = TARGET, .instructions = COUNT, .kith.setup = OPEN,       \
        .kith.run = RUN, __VA_ARGS__                                                               \
    }

// clang-format off: a table
static const bench_case cases[] = {
    ROW("I1", "view next", 2, 0, world_open_positions, positions_view_next, I1),
    ROW("I1", "view chunk", 1.05, 2.6, world_open_positions, positions_view_chunk, I1),
    ROW("I1", "stored next", 2, 0, world_open_positions_stored, positions_stored_next, I1),
    ROW("I1", "stored chunk", 1.05, 2.6, world_open_positions_stored, positions_stored_chunk, I1),
    ROW("I1", "group chunk", 1.05, 2.6, world_open_positions_all_positions, positions_view_chunk,
        I1),

    ROW("I2", "view next", 3, 14, world_open_movers, movers_view_next, I2, CURVE),
    ROW("I2", "view chunk", 1.5, 4, world_open_movers, movers_view_chunk, I2, CURVE),
    ROW("I2", "untyped chunk", 1.5, 4, world_open_movers, movers_untyped_chunk, I2),
    ROW("I2", "stored next", 3, 14, world_open_movers_stored, movers_stored_next, I2),
    ROW("I2", "stored chunk", 1.1, 4, world_open_movers_stored, movers_stored_chunk, I2, CURVE),
    ROW("I2", "group next", 3, 14, world_open_movers_moving_pairs, movers_view_next, I2),
    ROW("I2", "group chunk", 1.05, 4, world_open_movers_moving_pairs, movers_view_chunk, I2, CURVE),
    ROW("I2", "list next", 0, 0, world_open_movers_moving_list, movers_view_next, I2),
    ROW("I2", "list chunk", 0, 0, world_open_movers_moving_list, movers_view_chunk, I2),
    ROW("I2", "untyped vs typed", 1.1, 0, world_open_movers, movers_untyped_chunk,
        TYPED(world_sum_xyz, world_open_movers, movers_view_chunk)),
    ROW("I2", "write vs read", 1.05, 0, world_open_written, movers_write_down,
        READ_COLUMNS(world_open_written)),

    ROW("I3", "view next", 12, 0, world_open_strangers, movers_view_next, I2, CURVE),
    ROW("I3", "view chunk", 0, 0, world_open_strangers, movers_view_short, I2),
    ROW("I3", "stored next", 12, 0, world_open_strangers_stored, movers_stored_next, I2, CURVE),
    ROW("I3", "stored chunk", 0, 0, world_open_strangers_stored, movers_stored_short, I2),
    ROW("I3", "group next", 0, 0, world_open_strangers_moving_pairs, movers_view_next, I2),
    ROW("I3", "group chunk", 1.1, 0, world_open_strangers_moving_pairs, movers_view_chunk, I2,
        CURVE),
    ROW("I3", "list next", 0, 0, world_open_strangers_moving_list, movers_view_next, I2),
    ROW("I3", "write vs read", 0, 0, world_open_written_strangers, movers_write_down,
        READ_COLUMNS(world_open_written_strangers)),

    ROW("I5", "view next", 5, 0, world_open_few_with_health, wounded_view_next, I5),
    ROW("I5", "view chunk", 0, 0, world_open_few_with_health, wounded_view_short, I5),
    ROW("I5", "stored next", 5, 0, world_open_few_with_health_stored, wounded_stored_next, I5),
    ROW("I5", "stored chunk", 0, 0, world_open_few_with_health_stored, wounded_stored_short, I5),
    ROW("I5", "group next", 0, 0, world_open_few_with_health_wounded_pairs, wounded_view_next, I5),
    ROW("I5", "group chunk", 1.2, 0, world_open_few_with_health_wounded_pairs, wounded_view_chunk,
        I5),
    ROW("I5", "list next", 0, 0, world_open_few_with_health_wounded_list, wounded_view_next, I5),

    ROW("I6", "view next", 7, 14, world_open_half_tagged, untagged_view_next, I6),
    ROW("I6", "view chunk", 0, 0, world_open_half_tagged, untagged_view_short, I6),
    ROW("I6", "stored next", 2.5, 14, world_open_half_tagged_stored, untagged_stored_next, I6),
    ROW("I6", "stored chunk", 0, 0, world_open_half_tagged_stored, untagged_stored_short, I6),
    ROW("I6", "group next", 0, 0, world_open_half_tagged_untagged_ones, untagged_view_next, I6),
    ROW("I6", "group chunk", 1.1, 0, world_open_half_tagged_untagged_ones, untagged_view_chunk, I6),
    ROW("I6", "list next", 0, 0, world_open_half_tagged_untagged_list, untagged_view_next, I6),

    ROW("I7", "view next", 0, 0, world_open_with_5, five_view_next, I7),
    ROW("I7", "view chunk", 1.4, 12, world_open_with_5, five_view_chunk, I7),
    ROW("I7", "untyped chunk", 1.4, 12, world_open_with_5, five_untyped_chunk, I7),
    ROW("I7", "stored next", 0, 0, world_open_with_5_stored, five_stored_next, I7),
    ROW("I7", "stored chunk", 1.1, 12, world_open_with_5_stored, five_stored_chunk, I7),
    ROW("I7", "group next", 0, 0, world_open_with_5_owned_five, five_view_next, I7),
    ROW("I7", "group chunk", 1.05, 12, world_open_with_5_owned_five, five_view_chunk, I7),
    ROW("I7", "untyped vs typed", 1.1, 0, world_open_with_5, five_untyped_chunk,
        TYPED(world_sum_5, world_open_with_5, five_view_chunk)),

    ROW("I8", "view next", 0, 0, world_open_letters, numbers_view_next, I8),
    ROW("I8", "view chunk", 1.2, 0, world_open_letters, numbers_view_chunk, I8),
    ROW("I8", "stored next", 0, 0, world_open_letters_stored, numbers_stored_next, I8),
    ROW("I8", "stored chunk", 1.2, 0, world_open_letters_stored, numbers_stored_chunk, I8),
    ROW("I8", "group chunk", 1.2, 0, world_open_letters_all_numbers, numbers_view_chunk, I8),

    ROW("I10", "view next", 1, 0, world_open_bodies, bodies_view_next, I10),
    ROW("I10", "view chunk", 1, 0, world_open_bodies, bodies_view_chunk, I10),
    ROW("I10", "stored next", 1, 0, world_open_bodies_stored, bodies_stored_next, I10),
    ROW("I10", "stored chunk", 1, 0, world_open_bodies_stored, bodies_stored_chunk, I10),

    ROW("I11", "view next", 0, 45, world_open_thirds, turning_view_next, I11),
    ROW("I11", "view chunk", 0, 0, world_open_thirds, turning_view_short, I11),
    ROW("I11", "stored next", 0, 30, world_open_thirds_stored, turning_stored_next, I11),
    ROW("I11", "stored chunk", 0, 0, world_open_thirds_stored, turning_stored_short, I11),

    ROW("I12", "view next", 0, 260, world_open_halves, lucky_view_next, I12),
    ROW("I12", "view chunk", 0, 0, world_open_halves, lucky_view_short, I12),
    ROW("I12", "stored next", 0, 110, world_open_halves_stored, lucky_stored_next, I12),
    ROW("I12", "stored chunk", 0, 0, world_open_halves_stored, lucky_stored_short, I12),

    ROW("PG", "view next", 0, 0, world_open_living, living_view_next, PG),
    ROW("PG", "view chunk", 0, 0, world_open_living, living_view_chunk, PG),
    ROW("PG", "stored next", 0, 0, world_open_living_stored, living_stored_next, PG),
    ROW("PG", "stored chunk", 0, 0, world_open_living_stored, living_stored_chunk, PG),
    ROW("PG", "partial next", 0, 0, world_open_living_living_part, living_view_next, PG),
    ROW("PG", "partial chunk", 0, 0, world_open_living_living_part, living_view_chunk, PG),
    ROW("PG", "list next", 0, 0, world_open_living_living_list, living_view_next, PG),
    ROW("PG", "list chunk", 0, 0, world_open_living_living_list, living_view_chunk, PG),
};
// clang-format on

const bench_suite bench_iterate = BENCH_SUITE(cases);
