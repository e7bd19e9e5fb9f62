// SPDX-License-Identifier: MIT
// Loops over one to eight components: what each further term of a query costs.
#include "bench.h"

#include <stdlib.h>

#define TERMS_MAX 8

enum { T0 = LETTER_A, T1, T2, T3, T4, T5, T6, T7 };

KITH_COMPONENT(t0, filler, T0);
KITH_COMPONENT(t1, filler, T1);
KITH_COMPONENT(t2, filler, T2);
KITH_COMPONENT(t3, filler, T3);
KITH_COMPONENT(t4, filler, T4);
KITH_COMPONENT(t5, filler, T5);
KITH_COMPONENT(t6, filler, T6);
KITH_COMPONENT(t7, filler, T7);
KITH_MODULE(eight, t0, t1, t2, t3, t4, t5, t6, t7);

// --- the loops -------------------------------------------------------------------------------

static inline void bump(filler *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i].v += 1;
    }
}

#define BUMP1(C, COUNT) bump((C).t0, COUNT)
#define BUMP2(C, COUNT) (BUMP1(C, COUNT), bump((C).t1, COUNT))
#define BUMP3(C, COUNT) (BUMP2(C, COUNT), bump((C).t2, COUNT))
#define BUMP4(C, COUNT) (BUMP3(C, COUNT), bump((C).t3, COUNT))
#define BUMP5(C, COUNT) (BUMP4(C, COUNT), bump((C).t4, COUNT))
#define BUMP6(C, COUNT) (BUMP5(C, COUNT), bump((C).t5, COUNT))
#define BUMP7(C, COUNT) (BUMP6(C, COUNT), bump((C).t6, COUNT))
#define BUMP8(C, COUNT) (BUMP7(C, COUNT), bump((C).t7, COUNT))

// A group that is not made is a query: the loops are the same with and without one.
#define BUMP_LOOPS(NAME, VISIT, ...)                                                               \
    KITH_GROUP(NAME, __VA_ARGS__);                                                                 \
    BENCH_KERNEL void NAME##_each(bench_data *data)                                                \
    {                                                                                              \
        NAME c = NAME##_begin(data->world);                                                        \
        while (NAME##_next(&c)) {                                                                  \
            VISIT(c, 1);                                                                           \
        }                                                                                          \
    }                                                                                              \
    BENCH_KERNEL void NAME##_chunks(bench_data *data)                                              \
    {                                                                                              \
        NAME c = NAME##_begin(data->world);                                                        \
        while (NAME##_next_chunk(&c)) {                                                            \
            VISIT(c, c.count);                                                                     \
        }                                                                                          \
    }                                                                                              \
    struct NAME##_loops_end

BUMP_LOOPS(one, BUMP1, own(t0));
BUMP_LOOPS(two, BUMP2, own(t0), own(t1));
BUMP_LOOPS(three, BUMP3, own(t0), own(t1), own(t2));
BUMP_LOOPS(four, BUMP4, own(t0), own(t1), own(t2), own(t3));
BUMP_LOOPS(five, BUMP5, own(t0), own(t1), own(t2), own(t3), own(t4));
BUMP_LOOPS(six, BUMP6, own(t0), own(t1), own(t2), own(t3), own(t4), own(t5));
BUMP_LOOPS(seven, BUMP7, own(t0), own(t1), own(t2), own(t3), own(t4), own(t5), own(t6));
BUMP_LOOPS(all, BUMP8, own(t0), own(t1), own(t2), own(t3), own(t4), own(t5), own(t6), own(t7));

typedef struct bump_loops {
    kith_group *(*group)(kith_world *world);
    void (*each)(bench_data *data);
    void (*chunks)(bench_data *data);
} bump_loops;

// clang-format off: a table
static const bump_loops loops_of[TERMS_MAX + 1] = {
    { 0 },
    { one_group, one_each, one_chunks },
    { two_group, two_each, two_chunks },
    { three_group, three_each, three_chunks },
    { four_group, four_each, four_chunks },
    { five_group, five_each, five_chunks },
    { six_group, six_each, six_chunks },
    { seven_group, seven_each, seven_chunks },
    { all_group, all_each, all_chunks },
};
// clang-format on

static void world_bump_each(bench_data *data)
{
    loops_of[data->terms].each(data);
}

static void world_bump_chunks(bench_data *data)
{
    loops_of[data->terms].chunks(data);
}

// --- kith's side -----------------------------------------------------------------------------

static void world_open_eight(bench_data *data)
{
    data->terms = bench_take_place(data);
    world_open_bare(data);
    bench_require(eight_register(data->world), "register the components");
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[i] = kith_entity_create(data->world);
    }
}

static void world_open_same_order(bench_data *data)
{
    world_open_eight(data);
    for (uint32_t t = 0; t < TERMS_MAX; t++) {
        for (uint32_t i = 0; i < data->n; i++) {
            kith_component_add(data->world, data->out[i], T0 + t, NULL);
        }
    }
}

// Each component in an order of its own: the shuffled one is shuffled again.
static void world_open_other_orders(bench_data *data)
{
    world_open_eight(data);
    for (uint32_t t = 0; t < TERMS_MAX; t++) {
        for (uint32_t i = 0; i < data->n; i++) {
            kith_component_add(data->world, data->out[i], T0 + t, NULL);
        }
        bench_shuffle(data);
    }
}

static void world_open_grouped(bench_data *data)
{
    world_open_other_orders(data);
    bench_require(loops_of[data->terms].group(data->world) != NULL, "make a group");
}

static double world_sum_terms(const bench_data *data)
{
    double sum = 0;
    for (uint32_t t = 0; t < data->terms; t++) {
        for (uint32_t i = 0; i < data->n; i++) {
            const filler *value = kith_component_get(data->world, data->out[i], T0 + t);
            sum += value->v;
        }
    }
    return sum;
}

// --- the limit's side ------------------------------------------------------------------------

static void limit_open_eight(bench_data *data)
{
    data->terms = bench_take_place(data);
    limit_open(data);
    free(data->limit.fill);
    data->limit.fill = bench_allocate((size_t)data->n * TERMS_MAX, sizeof *data->limit.fill);
    for (uint32_t i = 0; i < data->n * TERMS_MAX; i++) {
        data->limit.fill[i] = (filler){ 0 };
    }
}

BENCH_KERNEL void limit_bump(bench_data *data)
{
    for (uint32_t t = 0; t < data->terms; t++) {
        bump(data->limit.fill + (size_t)t * data->n, data->n);
    }
}

static double limit_sum_terms(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n * data->terms; i++) {
        sum += data->limit.fill[i].v;
    }
    return sum;
}

// --- the table -------------------------------------------------------------------------------

#define TERMS(OPEN, RUN)                                                                           \
    .id = "T1", .kind = BENCH_STEADY, .axis = BENCH_TERMS,                                         \
    .kith  = { OPEN, RUN, world_sum_terms, world_close },                                          \
    .limit = { limit_open_eight, limit_bump, limit_sum_terms, limit_close }

static const bench_case cases[] = {
    { TERMS(world_open_same_order, world_bump_each), .form = "next" },
    { TERMS(world_open_same_order, world_bump_chunks), .form = "chunk" },
    { TERMS(world_open_other_orders, world_bump_each), .form = "shuffled next" },
    { TERMS(world_open_grouped, world_bump_each), .form = "group next" },
    { TERMS(world_open_grouped, world_bump_chunks), .form = "group chunk" },
};

const bench_suite bench_terms = BENCH_SUITE(cases);
