// SPDX-License-Identifier: MIT
// D1: what row ticks cost a loop that writes. D2, D3: finding the one row in a hundred that changed
// since a tick, side by side or scattered, against a loop over all rows that asks each value
// whether it is one of them.
#include "bench.h"

enum { PLACE = LETTER_A, SPEED, PAGED };

static const kith_traits with_ticks = { .row_ticks = true };
KITH_COMPONENT_WITH(place, vec3, PLACE, with_ticks);
KITH_COMPONENT(speed, vec3, SPEED);
KITH_COMPONENT(paged, vec3, PAGED);
KITH_MODULE(changing, place, speed, paged);

KITH_QUERY(ticked_movers, write(place), read(speed));
KITH_QUERY(plain_movers, write(paged), read(speed));
KITH_QUERY(changed_places, read(place), changed(place));
KITH_QUERY(changed_pages, read(paged), changed(paged));
KITH_QUERY(all_places, read(place));

// --- worlds ----------------------------------------------------------------------------------

static void world_open_changing(bench_data *data)
{
    world_open_bare(data);
    bench_require(changing_register(data->world), "register the components");
    for (uint32_t i = 0; i < data->n; i++) {
        kith_entity entity = kith_entity_create(data->world);
        data->out[i]       = entity;
        place_set(data->world, entity, (vec3){ (float)(i & 1023), 0, 2 });
        speed_set(data->world, entity, make_velocity(i));
        paged_set(data->world, entity, (vec3){ (float)(i & 1023), 0, 2 });
    }
    bench_require(kith_world_advance(data->world) == 2, "begin the second tick");
}

// A hundredth of the rows changes. Their values say so: y is 1.
static void change_some(bench_data *data, uint32_t first, uint32_t step)
{
    world_open_changing(data);
    for (uint32_t i = 0; i < data->n / 100; i++) {
        kith_entity entity                = data->out[first + i * step];
        place_mut(data->world, entity)->y = 1;
        paged_mut(data->world, entity)->y = 1;
    }
}

static void world_open_clustered(bench_data *data)
{
    change_some(data, data->n / 2, 1);
}

static void world_open_scattered(bench_data *data)
{
    change_some(data, 0, 100);
}

// --- bodies ----------------------------------------------------------------------------------

#define MOVE_EACH(TYPE, FIELD)                                                                     \
    BENCH_KERNEL void TYPE##_each(bench_data *data)                                                \
    {                                                                                              \
        float dt = workload_dt;                                                                    \
        TYPE  c  = TYPE##_begin(data->world);                                                      \
        while (TYPE##_next(&c)) {                                                                  \
            move(c.FIELD, c.speed, 1, dt);                                                         \
        }                                                                                          \
    }                                                                                              \
    static double TYPE##_sum(const bench_data *data)                                               \
    {                                                                                              \
        double sum = 0;                                                                            \
        for (uint32_t i = 0; i < data->n; i++) {                                                   \
            const vec3 *at = FIELD##_get(data->world, data->out[i]);                               \
            sum += (double)at->x + (double)at->y + (double)at->z;                                  \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    struct TYPE##_move_end

MOVE_EACH(ticked_movers, place);
MOVE_EACH(plain_movers, paged);

static inline double sum_changed(const vec3 *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += values[i].y > 0 ? (double)values[i].x : 0;
    }
    return sum;
}

#define FIND_EACH(TYPE, FIELD, BEGIN)                                                              \
    BENCH_KERNEL void TYPE##_find(bench_data *data)                                                \
    {                                                                                              \
        double sum = 0;                                                                            \
        TYPE   c   = BEGIN;                                                                        \
        while (TYPE##_next(&c)) {                                                                  \
            sum += sum_changed(c.FIELD, 1);                                                        \
        }                                                                                          \
        data->result = sum;                                                                        \
    }                                                                                              \
    BENCH_KERNEL void TYPE##_find_chunks(bench_data *data)                                         \
    {                                                                                              \
        double sum = 0;                                                                            \
        TYPE   c   = BEGIN;                                                                        \
        while (TYPE##_next_chunk(&c)) {                                                            \
            sum += sum_changed(c.FIELD, c.count);                                                  \
        }                                                                                          \
        data->result = sum;                                                                        \
    }                                                                                              \
    struct TYPE##_find_end

FIND_EACH(changed_places, place, changed_places_begin_since(data->world, 2));
FIND_EACH(changed_pages, paged, changed_pages_begin_since(data->world, 2));
FIND_EACH(all_places, place, all_places_begin(data->world));

BENCH_KERNEL void spans_find(bench_data *data)
{
    double       sum   = 0;
    kith_changes spans = place_changes(data->world, 2);
    while (kith_changes_next(data->world, &spans)) {
        sum += sum_changed(place_value(data->world, spans.row), spans.count);
    }
    data->result = sum;
}

// --- the table -------------------------------------------------------------------------------

#define TICKED                                                                                     \
    .kind = BENCH_STEADY, .baseline = "kith without row ticks", .kith.teardown = world_close,      \
    .limit = { world_open_changing, plain_movers_each, plain_movers_sum, world_close }

#define FOUND(OPEN, SCAN)                                                                          \
    .kind = BENCH_STEADY, .baseline = "kith over all rows", .kith.checksum = bench_result_of,      \
    .kith.teardown = world_close, .limit = { OPEN, SCAN, bench_result_of, world_close },           \
    .sizes = { 1000000 }

#define FIND_ROW(ID, FORM, TARGET, OPEN, RUN, SCAN)                                                \
    {                                                                                              \
        .id = ID, .form = FORM, .target = TARGET, .kith.setup = OPEN, .kith.run = RUN,             \
        FOUND(OPEN, SCAN)                                                                          \
    }

// clang-format off: a table
static const bench_case cases[] = {
    { .id            = "D1",
      .form          = "row ticks next",
      .target        = 1.4,
      .kith.setup    = world_open_changing,
      .kith.run      = ticked_movers_each,
      .kith.checksum = ticked_movers_sum,
      TICKED },
    FIND_ROW("D2", "by row, next", 0.05, world_open_clustered, changed_places_find,
             all_places_find),
    FIND_ROW("D2", "by row, chunk", 0.05, world_open_clustered, changed_places_find_chunks,
             all_places_find_chunks),
    FIND_ROW("D2", "by page, next", 0.05, world_open_clustered, changed_pages_find,
             all_places_find),
    FIND_ROW("D2", "by page, chunk", 0.05, world_open_clustered, changed_pages_find_chunks,
             all_places_find_chunks),
    FIND_ROW("D2", "spans", 0.05, world_open_clustered, spans_find, all_places_find_chunks),
    FIND_ROW("D3", "by row, next", 1, world_open_scattered, changed_places_find, all_places_find),
    FIND_ROW("D3", "by row, chunk", 1, world_open_scattered, changed_places_find_chunks,
             all_places_find_chunks),
    FIND_ROW("D3", "by page, next", 0, world_open_scattered, changed_pages_find, all_places_find),
    FIND_ROW("D3", "spans", 1, world_open_scattered, spans_find, all_places_find_chunks),
};
// clang-format on

const bench_suite bench_stamp = BENCH_SUITE(cases);
