// SPDX-License-Identifier: MIT
// Adding components to entities and taking them away.
#include "bench.h"

// --- M1: add ---------------------------------------------------------------------------------

KITH_GROUP(pairs, own(position), own(velocity));
KITH_GROUP(nested_triples, own(position), own(velocity), own(health));
KITH_GROUP(nested_fours, own(position), own(velocity), own(health), own(rotation));
KITH_GROUP(listed_pairs, read(position), read(velocity));

// Groups that own, one inside the other. All entities have the components that they ask for beyond
// position and velocity, so that one change joins or leaves all of them.
static void world_nest_groups(bench_data *data, uint32_t groups)
{
    for (uint32_t i = 0; i < data->n && groups > 1; i++) {
        health_add(data->world, data->out[i]);
        rotation_add(data->world, data->out[i]);
    }
    bench_require(pairs_group(data->world) != NULL &&
                      (groups < 2 || nested_triples_group(data->world) != NULL) &&
                      (groups < 3 || nested_fours_group(data->world) != NULL),
                  "make the groups");
}

static void world_list_pairs(bench_data *data)
{
    bench_require(listed_pairs_group(data->world) != NULL, "make a group that owns nothing");
}

#define IN_GROUPS(NAME, OPEN, GROUPS)                                                              \
    static void NAME(bench_data *data)                                                             \
    {                                                                                              \
        OPEN(data);                                                                                \
        world_nest_groups(data, GROUPS);                                                           \
    }                                                                                              \
    struct NAME##_end

IN_GROUPS(world_open_in_group, world_open_positions, 1);
IN_GROUPS(world_open_in_2_groups, world_open_positions, 2);
IN_GROUPS(world_open_in_3_groups, world_open_positions, 3);
IN_GROUPS(world_open_members, world_open_movers, 1);
IN_GROUPS(world_open_members_of_2, world_open_movers, 2);
IN_GROUPS(world_open_members_of_3, world_open_movers, 3);

static void world_open_in_list(bench_data *data)
{
    world_open_positions(data);
    world_list_pairs(data);
}

static void world_open_listed(bench_data *data)
{
    world_open_movers(data);
    world_list_pairs(data);
}

static void world_open_positions_among_n(bench_data *data)
{
    const kith_component_desc last = velocity_desc();
    world_open_among(data, bench_take_place(data), &last);
    world_create_positions(data);
}

static void limit_open_entities_among_n(bench_data *data)
{
    (void)bench_take_place(data);
    limit_open_entities(data);
}

BENCH_KERNEL void world_add_velocity(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        velocity_set(world, out[i], make_velocity(i));
    }
}

static double world_sum_velocity(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        const vec3 *vel = velocity_get(data->world, data->out[i]);
        sum += vel != NULL ? (double)vel->y : 0;
    }
    return sum;
}

BENCH_KERNEL void limit_add_velocity(bench_data *data)
{
    limit_table        table = data->limit;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        table.vel[limit_add_row(&table, out[i])] = make_velocity(i);
    }
    data->limit = table;
}

static double limit_sum_velocity(const bench_data *data)
{
    const limit_table *table = &data->limit;
    double             sum   = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        sum += (double)table->vel[table->where[data->out[i]]].y;
    }
    return sum;
}

// --- M2: remove ------------------------------------------------------------------------------

BENCH_KERNEL void world_remove_velocity(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        velocity_remove(world, out[i]);
    }
}

static double world_count_without(const bench_data *data, kith_component component)
{
    uint32_t without = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        without += !kith_component_has(data->world, data->out[i], component);
    }
    return without;
}

static double world_count_without_velocity(const bench_data *data)
{
    return world_count_without(data, VELOCITY);
}

BENCH_KERNEL void limit_remove_velocity(bench_data *data)
{
    limit_table        table = data->limit;
    const kith_entity *out   = data->out;
    for (uint32_t i = 0, n = data->n; i < n; i++) {
        uint32_t row   = limit_remove_row(&table, out[i]);
        table.vel[row] = table.vel[table.count];
    }
    data->limit = table;
}

static double limit_count_without_row(const bench_data *data)
{
    uint32_t without = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        without += data->limit.where[data->out[i]] == LIMIT_NOWHERE;
    }
    return without;
}

// --- M3: a tag, a flag or a row on and off ---------------------------------------------------

BENCH_KERNEL void world_toggle_tag(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    uint32_t           n     = data->n;
    for (uint32_t i = 0; i < n; i++) {
        tag_a_add(world, out[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        tag_a_remove(world, out[i]);
    }
}

static double world_count_without_tag(const bench_data *data)
{
    return world_count_without(data, TAG_A);
}

static void world_open_with_flag(bench_data *data)
{
    world_open_positions(data);
    bench_require(flag_a_register(data->world), "register the flag");
}

BENCH_KERNEL void world_toggle_rows(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    uint32_t           n     = data->n;
    for (uint32_t i = 0; i < n; i++) {
        position_disable(world, out[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        position_enable(world, out[i]);
    }
}

static double world_count_enabled(const bench_data *data)
{
    double enabled = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        enabled += position_enabled(data->world, data->out[i]);
    }
    return enabled;
}

BENCH_KERNEL void world_toggle_flag(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    uint32_t           n     = data->n;
    for (uint32_t i = 0; i < n; i++) {
        flag_a_add(world, out[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        flag_a_remove(world, out[i]);
    }
}

static double world_count_without_flag(const bench_data *data)
{
    return world_count_without(data, FLAG_A);
}

BENCH_KERNEL void limit_toggle_bit(bench_data *data)
{
    const kith_entity *out  = data->out;
    uint64_t          *bits = data->limit.bits;
    uint32_t           n    = data->n;
    for (uint32_t i = 0; i < n; i++) {
        bits[out[i] / 64] |= UINT64_C(1) << out[i] % 64;
    }
    for (uint32_t i = 0; i < n; i++) {
        bits[out[i] / 64] &= ~(UINT64_C(1) << out[i] % 64);
    }
}

static double limit_count_without_bit(const bench_data *data)
{
    uint32_t without = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        kith_entity entity = data->out[i];
        without += (data->limit.bits[entity / 64] >> entity % 64 & 1) == 0;
    }
    return without;
}

// --- M4: add and remove on entities that have much else --------------------------------------

#define M4_ROUNDS 4

static void world_open_with_8(bench_data *data)
{
    world_open_movers(data);
    for (uint32_t i = 0; i < data->n; i++) {
        kith_entity entity = data->out[i];
        health_add(data->world, entity);
        rotation_add(data->world, entity);
        f0_add(data->world, entity);
        f1_add(data->world, entity);
        f2_add(data->world, entity);
        f3_add(data->world, entity);
    }
}

BENCH_KERNEL void world_toggle_filler(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    uint32_t           n     = data->n;
    for (int round = 0; round < M4_ROUNDS; round++) {
        for (uint32_t i = 0; i < n; i++) {
            f4_set(world, out[i], (filler){ 1 });
        }
        for (uint32_t i = 0; i < n; i++) {
            f4_remove(world, out[i]);
        }
    }
}

static double world_count_without_filler(const bench_data *data)
{
    return world_count_without(data, F4);
}

BENCH_KERNEL void limit_toggle_filler(bench_data *data)
{
    limit_table        table = data->limit;
    const kith_entity *out   = data->out;
    uint32_t           n     = data->n;
    for (int round = 0; round < M4_ROUNDS; round++) {
        for (uint32_t i = 0; i < n; i++) {
            table.fill[limit_add_row(&table, out[i])] = (filler){ 1 };
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t row    = limit_remove_row(&table, out[i]);
            table.fill[row] = table.fill[table.count];
        }
    }
    data->limit = table;
}

// --- T1: a component whose bit is above the first 64 -------------------------------------------

KITH_COMPONENT(far_filler, filler, F0 + 98); // the 100th that is registered

static void world_open_far(bench_data *data)
{
    world_open_bare(data);
    bench_require(position_register(data->world), "register position");
    world_register_fillers(data->world, F0, 98);
    bench_require(far_filler_register(data->world), "register the filler");
    world_register_fillers(data->world, F0 + 99, 100);
    world_create_positions(data);
}

// Adds and removes the component of each entity.
#define TOGGLE_FILLER(NAME)                                                                        \
    BENCH_KERNEL void world_toggle_##NAME(bench_data *data)                                        \
    {                                                                                              \
        kith_world        *world = data->world;                                                    \
        const kith_entity *out   = data->out;                                                      \
        uint32_t           count = 0;                                                              \
        for (uint32_t i = 0, n = data->n; i < n; i++) {                                            \
            NAME##_set(world, out[i], (filler){ (int32_t)i });                                     \
        }                                                                                          \
        for (uint32_t i = 0, n = data->n; i < n; i++) {                                            \
            count += NAME##_remove(world, out[i]);                                                 \
        }                                                                                          \
        data->result = count;                                                                      \
    }                                                                                              \
    struct toggle_##NAME##_end

TOGGLE_FILLER(far_filler);
TOGGLE_FILLER(f0);

// --- the table -------------------------------------------------------------------------------

#define ADD(OPEN)                                                                                  \
    .id = "M1", .kith = { OPEN, world_add_velocity, world_sum_velocity, world_close },             \
    .limit = { limit_open_entities, limit_add_velocity, limit_sum_velocity, limit_close }
#define REMOVE(OPEN)                                                                               \
    .id    = "M2",                                                                                 \
    .kith  = { OPEN, world_remove_velocity, world_count_without_velocity, world_close },           \
    .limit = { limit_open_movers, limit_remove_velocity, limit_count_without_row, limit_close }
#define CURVE .axis = BENCH_ENTITIES

static const bench_case cases[] = {
    { ADD(world_open_positions), .form = "one by one", .target = 5, .instructions = 50, CURVE },
    { ADD(world_open_in_group), .form = "in a group", .target = 10, CURVE },
    { ADD(world_open_in_2_groups), .form = "in 2 nested groups" },
    { ADD(world_open_in_3_groups), .form = "in 3 nested groups", CURVE },
    { ADD(world_open_in_list), .form = "in a list group", CURVE },
    { .id   = "M1",
      .form = "add",
      .axis = BENCH_COMPONENTS,
      .kith = { world_open_positions_among_n, world_add_velocity, world_sum_velocity, world_close },
      .limit = { limit_open_entities_among_n, limit_add_velocity, limit_sum_velocity,
                 limit_close } },
    { REMOVE(world_open_movers), .form = "one by one", .target = 3.5, .instructions = 50, CURVE },
    { REMOVE(world_open_members), .form = "in a group", CURVE },
    { REMOVE(world_open_members_of_2), .form = "in 2 nested groups" },
    { REMOVE(world_open_members_of_3), .form = "in 3 nested groups", CURVE },
    { REMOVE(world_open_listed), .form = "in a list group", CURVE },
    { .id             = "M3",
      .form           = "tag",
      .ops_per_entity = 2,
      .target         = 5,
      .instructions   = 45,
      .kith  = { world_open_positions, world_toggle_tag, world_count_without_tag, world_close },
      .limit = { limit_open_entities, limit_toggle_bit, limit_count_without_bit, limit_close } },
    { .id             = "M3",
      .form           = "flag",
      .ops_per_entity = 2,
      .target         = 2.5,
      .instructions   = 20,
      .kith  = { world_open_with_flag, world_toggle_flag, world_count_without_flag, world_close },
      .limit = { limit_open_entities, limit_toggle_bit, limit_count_without_bit, limit_close } },
    { .id             = "M3",
      .form           = "disable",
      .ops_per_entity = 2,
      .kith  = { world_open_positions, world_toggle_rows, world_count_enabled, world_close },
      .limit = { limit_open_entities, limit_toggle_bit, limit_count_without_bit, limit_close } },
    { .id             = "M4",
      .form           = "one by one",
      .ops_per_entity = 2 * M4_ROUNDS,
      .target         = 5,
      .kith  = { world_open_with_8, world_toggle_filler, world_count_without_filler, world_close },
      .limit = { limit_open_entities, limit_toggle_filler, limit_count_without_row, limit_close } },
    { .id             = "T1",
      .form           = "number 100 vs 2",
      .ops_per_entity = 2,
      .target         = 1.3,
      .baseline       = "kith with component 2",
      .kith           = { world_open_far, world_toggle_far_filler, bench_result_of, world_close },
      .limit          = { world_open_far, world_toggle_f0, bench_result_of, world_close } },
};

const bench_suite bench_change = BENCH_SUITE(cases);
