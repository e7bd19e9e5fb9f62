// SPDX-License-Identifier: MIT
// Sorting the rows of a pool, or the members of a group, by a key field.
#include "bench.h"

#include <string.h>

KITH_QUERY(key_loop, read(position));
KITH_GROUP(sorted_pairs, own(position), own(velocity));
KITH_GROUP(pairs_by_other, own(velocity), read(position));
KITH_GROUP(listed_pairs, read(position), read(velocity));

// --- keys ------------------------------------------------------------------------------------

typedef void (*make_keys_fn)(vec3 *keys, uint32_t n);

static void make_random_keys(vec3 *keys, uint32_t n)
{
    uint64_t stream = RANDOM_SEED;
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (vec3){ (float)(random_next(&stream) >> 40), 1, 2 };
    }
}

static void make_sorted_keys(vec3 *keys, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (vec3){ (float)i, 1, 2 };
    }
}

// Of 1000 rows one is exchanged with another, somewhere.
static void make_nearly_sorted_keys(vec3 *keys, uint32_t n)
{
    uint64_t stream = RANDOM_SEED;
    make_sorted_keys(keys, n);
    for (uint32_t i = 0; i < n / 1000; i++) {
        uint32_t a    = (uint32_t)(random_next(&stream) % n);
        uint32_t b    = (uint32_t)(random_next(&stream) % n);
        vec3     kept = keys[a];
        keys[a]       = keys[b];
        keys[b]       = kept;
    }
}

#define DISORDER 1e15

// --- kith's side -----------------------------------------------------------------------------

static void world_open_keys(bench_data *data, make_keys_fn make)
{
    world_open(data);
    data->moved = bench_allocate(data->n, sizeof *data->moved);
    make(data->moved, data->n);
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[i] = kith_entity_create(data->world);
        position_set(data->world, data->out[i], data->moved[i]);
    }
}

static void world_open_random(bench_data *data)
{
    world_open_keys(data, make_random_keys);
}

static void world_open_sorted(bench_data *data)
{
    world_open_keys(data, make_sorted_keys);
}

static void world_open_nearly_sorted(bench_data *data)
{
    world_open_keys(data, make_nearly_sorted_keys);
}

BENCH_KERNEL void world_sort_positions(bench_data *data)
{
    bench_require(position_sort_by(data->world, KITH_KEY(vec3, x)), "sort");
}

static int compare_x(const vec3 *a, const vec3 *b, void *context)
{
    (void)context;
    return (a->x > b->x) - (a->x < b->x);
}

BENCH_KERNEL void world_sort_by_comparing(bench_data *data)
{
    bench_require(position_sort(data->world, compare_x, NULL), "sort");
}

static double world_sum_in_order(const bench_data *data)
{
    double sum  = 0;
    float  last = 0;
    for (uint32_t row = 0; row < position_rows(data->world); row++) {
        float x = position_value(data->world, row)->x;
        sum += (double)x + (x < last ? DISORDER : 0);
        last = x;
    }
    for (uint32_t i = 0; i < data->n; i++) {
        sum += position_get(data->world, data->out[i])->x == data->moved[i].x ? 0 : DISORDER;
    }
    return sum;
}

// In groups, with a second value that goes with the key.
static void world_open_pairs(bench_data *data, make_keys_fn make,
                             kith_group *(*make_group)(kith_world *world))
{
    world_open_keys(data, make);
    for (uint32_t i = 0; i < data->n; i++) {
        velocity_set(data->world, data->out[i], data->moved[i]);
    }
    data->group = make_group(data->world);
    bench_require(data->group != NULL, "make a group");
}

static void world_open_random_pairs(bench_data *data)
{
    world_open_pairs(data, make_random_keys, sorted_pairs_group);
}

static void world_open_nearly_sorted_pairs(bench_data *data)
{
    world_open_pairs(data, make_nearly_sorted_keys, sorted_pairs_group);
}

static void world_open_pairs_by_other(bench_data *data)
{
    world_open_pairs(data, make_random_keys, pairs_by_other_group);
}

static void world_open_listed_pairs(bench_data *data)
{
    world_open_pairs(data, make_random_keys, listed_pairs_group);
}

BENCH_KERNEL void world_sort_group(bench_data *data)
{
    const kith_sort_key key = KITH_KEY(vec3, x);
    bench_require(kith_group_sort(data->group, POSITION, &(kith_sort_desc){ .key = &key }),
                  "sort a group");
}

static double world_sum_group_in_order(const bench_data *data)
{
    double      sum  = 0;
    float       last = 0;
    kith_cursor c    = kith_view_begin(data->world, kith_group_describe(data->group));
    while (kith_cursor_next(&c)) {
        float x = position_get(data->world, c.entity)->x;
        sum += (double)x + (x < last || velocity_get(data->world, c.entity)->x != x ? DISORDER : 0);
        last = x;
    }
    return sum;
}

// What sorting must do at least, on the same rows: look at each key.
BENCH_KERNEL void world_read_keys(bench_data *data)
{
    uint32_t all = 0;
    key_loop k   = key_loop_begin(data->world);
    while (key_loop_next_chunk(&k)) {
        for (uint32_t i = 0; i < k.count; i++) {
            uint32_t bits;
            memcpy(&bits, &k.position[i].x, sizeof bits);
            all ^= bits;
        }
    }
    data->result = all;
}

static double world_sum_keys(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)position_get(data->world, data->out[i])->x;
    }
    return sum;
}

// --- the limit's side ------------------------------------------------------------------------

static void limit_open_random(bench_data *data)
{
    limit_open(data);
    data->more.pairs = bench_allocate(data->n, 2 * sizeof *data->more.pairs);
    make_random_keys(data->limit.pos, data->n);
    for (uint32_t i = 0; i < data->n; i++) {
        limit_add_row(&data->limit, i);
    }
}

#define DIGIT_BITS   11
#define DIGIT_VALUES (1u << DIGIT_BITS)

static inline uint32_t ascending_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ ((bits >> 31) != 0 ? UINT32_MAX : 0x80000000u);
}

static inline uint32_t digit_of(uint64_t pair, uint32_t digit)
{
    return (uint32_t)(pair >> (32 + digit * DIGIT_BITS)) & (DIGIT_VALUES - 1);
}

static inline void deal(const uint64_t *from, uint64_t *to, uint32_t n, uint32_t digit,
                        uint32_t *places)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < DIGIT_VALUES; i++) {
        uint32_t here = places[i];
        places[i]     = before;
        before += here;
    }
    for (uint32_t i = 0; i < n; i++) {
        to[places[digit_of(from[i], digit)]++] = from[i];
    }
}

// The rows in the order of their keys, in the second half of the pairs.
static inline void sort_pairs(const vec3 *pos, uint64_t *pairs, uint32_t n)
{
    static uint32_t counts[3][DIGIT_VALUES];
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t pair = (uint64_t)ascending_bits(pos[i].x) << 32 | i;
        counts[0][digit_of(pair, 0)]++;
        counts[1][digit_of(pair, 1)]++;
        counts[2][digit_of(pair, 2)]++;
        pairs[i] = pair;
    }
    deal(pairs, pairs + n, n, 0, counts[0]);
    deal(pairs + n, pairs, n, 1, counts[1]);
    deal(pairs, pairs + n, n, 2, counts[2]);
}

BENCH_KERNEL void limit_sort(bench_data *data)
{
    limit_table table = data->limit;
    uint32_t    n     = data->n;
    sort_pairs(table.pos, data->more.pairs, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from       = (uint32_t)data->more.pairs[n + i];
        uint32_t entity     = table.ent[from];
        table.vel[i]        = table.pos[from];
        table.free[i]       = entity;
        table.where[entity] = i;
    }
    data->limit.pos  = table.vel;
    data->limit.vel  = table.pos;
    data->limit.ent  = table.free;
    data->limit.free = table.ent;
}

static void limit_open_random_pairs(bench_data *data)
{
    limit_open_random(data);
    make_random_keys(data->limit.vel, data->n);
    data->given[0] = bench_allocate(data->n, sizeof *data->given[0]);
    data->given[1] = bench_allocate(data->n, sizeof *data->given[1]);
}

BENCH_KERNEL void limit_sort_pairs(bench_data *data)
{
    limit_table table = data->limit;
    vec3       *pos   = data->given[0];
    vec3       *vel   = data->given[1];
    uint32_t    n     = data->n;
    sort_pairs(table.pos, data->more.pairs, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from       = (uint32_t)data->more.pairs[n + i];
        uint32_t entity     = table.ent[from];
        pos[i]              = table.pos[from];
        vel[i]              = table.vel[from];
        table.free[i]       = entity;
        table.where[entity] = i;
    }
    data->given[0]   = table.pos;
    data->given[1]   = table.vel;
    data->limit.pos  = pos;
    data->limit.vel  = vel;
    data->limit.ent  = table.free;
    data->limit.free = table.ent;
}

static double limit_sum_in_order(const bench_data *data)
{
    const vec3 *pos = data->limit.pos;
    double      sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)pos[i].x + (i > 0 && pos[i].x < pos[i - 1].x ? DISORDER : 0);
    }
    return sum;
}

#define READ_KEYS "reading each key"

static const bench_case cases[] = {
    { .id     = "S1",
      .form   = "by key",
      .axis   = BENCH_ENTITIES,
      .target = 2,
      .kith   = { world_open_random, world_sort_positions, world_sum_in_order, world_close },
      .limit  = { limit_open_random, limit_sort, limit_sum_in_order, limit_close } },
    { .id    = "S1",
      .form  = "by comparing",
      .kith  = { world_open_random, world_sort_by_comparing, world_sum_in_order, world_close },
      .limit = { limit_open_random, limit_sort, limit_sum_in_order, limit_close } },
    { .id       = "S1",
      .form     = "nearly sorted",
      .axis     = BENCH_ENTITIES,
      .target   = 3,
      .baseline = READ_KEYS,
      .kith  = { world_open_nearly_sorted, world_sort_positions, world_sum_in_order, world_close },
      .limit = { world_open_nearly_sorted, world_read_keys, world_sum_keys, world_close } },
    { .id       = "S1",
      .form     = "nearly, comparing",
      .baseline = READ_KEYS,
      .kith     = { world_open_nearly_sorted, world_sort_by_comparing, world_sum_in_order,
                    world_close },
      .limit    = { world_open_nearly_sorted, world_read_keys, world_sum_keys, world_close } },
    { .id       = "S1",
      .form     = "sorted",
      .target   = 3,
      .baseline = READ_KEYS,
      .kith     = { world_open_sorted, world_sort_positions, world_sum_in_order, world_close },
      .limit    = { world_open_sorted, world_read_keys, world_sum_keys, world_close } },
    { .id     = "S1",
      .form   = "in a group",
      .target = 2,
      .kith  = { world_open_random_pairs, world_sort_group, world_sum_group_in_order, world_close },
      .limit = { limit_open_random_pairs, limit_sort_pairs, limit_sum_in_order, limit_close } },
    { .id    = "S1",
      .form  = "group, key looked up",
      .kith  = { world_open_pairs_by_other, world_sort_group, world_sum_group_in_order,
                 world_close },
      .limit = { limit_open_random, limit_sort, limit_sum_in_order, limit_close } },
    { .id    = "S1",
      .form  = "group, only listed",
      .kith  = { world_open_listed_pairs, world_sort_group, world_sum_group_in_order, world_close },
      .limit = { limit_open_random, limit_sort, limit_sum_in_order, limit_close } },
    { .id       = "S1",
      .form     = "group, nearly sorted",
      .target   = 3,
      .baseline = READ_KEYS,
      .kith     = { world_open_nearly_sorted_pairs, world_sort_group, world_sum_group_in_order,
                    world_close },
      .limit = { world_open_nearly_sorted_pairs, world_read_keys, world_sum_keys, world_close } },
};

const bench_suite bench_sort = BENCH_SUITE(cases);
