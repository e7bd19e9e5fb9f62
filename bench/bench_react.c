// SPDX-License-Identifier: MIT
// Events that wait, and entities that are collected.
#include "bench.h"

#include <stdlib.h>

// --- E1: enqueue an event for each entity, then deliver all to one handler -------------------

typedef struct strike {
    kith_entity target;
    float       damage;
    uint32_t    kind;
} strike;

KITH_EVENT(strike, strike);

static double damage_reported;

static void handle_strike(kith_world *world, const strike *event, void *context)
{
    (void)world;
    (void)context;
    damage_reported += event->damage;
}

static double damage_of(const bench_data *data)
{
    (void)data;
    return damage_reported;
}

static strike make_strike(kith_entity target, uint32_t i)
{
    return (strike){ target, (float)(i & 7), i & 3 };
}

static void world_open_strikes(bench_data *data)
{
    world_open_positions(data);
    strike_queue queue = strike_of(data->world, 0);
    bench_require(strike_connect(queue, handle_strike, NULL, 0) != 0, "connect the handler");
    damage_reported = 0;
}

BENCH_KERNEL void world_strike(bench_data *data)
{
    strike_queue queue = strike_of(data->world, 0);
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        strike_enqueue(queue, make_strike(data->out[i], i));
    }
    strike_update(queue);
}

static strike *limit_strikes;

// What the compiler must not see through.
static void (*volatile limit_handler)(kith_world *world, const strike *event,
                                      void *context) = handle_strike;

static void limit_open_strikes(bench_data *data)
{
    limit_open_movers(data);
    limit_strikes   = bench_allocate(data->n, sizeof *limit_strikes);
    damage_reported = 0;
}

BENCH_KERNEL void limit_strike(bench_data *data)
{
    void (*handler)(kith_world *, const strike *, void *) = limit_handler;
    uint32_t count                                        = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        limit_strikes[count++] = make_strike(data->out[i], i);
    }
    for (uint32_t i = 0; i < count; i++) {
        handler(NULL, &limit_strikes[i], NULL);
    }
}

static void limit_close_strikes(bench_data *data)
{
    free(limit_strikes);
    limit_close(data);
}

// --- E2: set a value of each entity, then walk those that were set, and forget them ----------

static kith_reactive *changed;
static double         sum_changed;

static double changed_of(const bench_data *data)
{
    (void)data;
    return sum_changed;
}

static void world_open_changed(bench_data *data)
{
    const kith_condition     condition = { POSITION, KITH_ON_SET };
    const kith_reactive_desc desc      = { .conditions = &condition, .condition_count = 1 };
    world_open_positions(data);
    bench_shuffle(data);
    changed = kith_reactive_create(data->world, &desc);
    bench_require(changed != NULL, "make a reactive set");
    sum_changed = 0;
}

BENCH_KERNEL void world_collect(bench_data *data)
{
    kith_world *world = data->world;
    uint64_t    place = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        position_set(world, data->out[i], make_position(i));
    }
    for (kith_entity e; (e = kith_reactive_next(changed, &place)) != KITH_NULL;) {
        sum_changed += kith_entity_index(e) & 7;
    }
    kith_reactive_clear(changed);
}

static uint32_t *limit_list;

static void limit_open_changed(bench_data *data)
{
    limit_open_movers(data);
    limit_clear_bits(data);
    bench_shuffle(data);
    limit_list  = bench_allocate(data->n, sizeof *limit_list);
    sum_changed = 0;
}

BENCH_KERNEL void limit_collect(bench_data *data)
{
    limit_table table = data->limit;
    uint32_t    count = 0;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        uint32_t entity                = (uint32_t)data->out[i];
        uint64_t bit                   = UINT64_C(1) << (entity & 63);
        table.pos[table.where[entity]] = make_position(i);
        if ((table.bits[entity >> 6] & bit) == 0) {
            table.bits[entity >> 6] |= bit;
            limit_list[count++] = entity;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entity = limit_list[i];
        sum_changed += entity & 7;
        table.bits[entity >> 6] &= ~(UINT64_C(1) << (entity & 63));
    }
}

static void limit_close_changed(bench_data *data)
{
    free(limit_list);
    limit_close(data);
}

// --- the table -------------------------------------------------------------------------------

static const bench_case cases[] = {
    { .id           = "E1",
      .form         = "enqueue and update",
      .kind         = BENCH_STEADY,
      .target       = 4,
      .instructions = 170,
      .kith         = { world_open_strikes, world_strike, damage_of, world_close },
      .limit        = { limit_open_strikes, limit_strike, damage_of, limit_close_strikes } },
    { .id           = "E2",
      .form         = "set and collect",
      .kind         = BENCH_STEADY,
      .instructions = 480,
      .kith         = { world_open_changed, world_collect, changed_of, world_close },
      .limit        = { limit_open_changed, limit_collect, changed_of, limit_close_changed } },
};

const bench_suite bench_react = BENCH_SUITE(cases);
