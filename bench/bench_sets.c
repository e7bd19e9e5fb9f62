// SPDX-License-Identifier: MIT
// Entities with many different sets of components, which other designs keep in a table for each.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

// --- the components, and a loop over each pair of neighbours -----------------------------------

#define MEMBERS  12
#define PAIRS    (MEMBERS - 1)
#define SETS_ALL (1u << MEMBERS)

enum { P0 = LETTER_A, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11 };

KITH_COMPONENT(p0, filler, P0);
KITH_COMPONENT(p1, filler, P1);
KITH_COMPONENT(p2, filler, P2);
KITH_COMPONENT(p3, filler, P3);
KITH_COMPONENT(p4, filler, P4);
KITH_COMPONENT(p5, filler, P5);
KITH_COMPONENT(p6, filler, P6);
KITH_COMPONENT(p7, filler, P7);
KITH_COMPONENT(p8, filler, P8);
KITH_COMPONENT(p9, filler, P9);
KITH_COMPONENT(p10, filler, P10);
KITH_COMPONENT(p11, filler, P11);
KITH_MODULE(twelve, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11);

static inline int64_t add_up(const filler *a, const filler *b, uint32_t count)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += a[i].v + b[i].v;
    }
    return sum;
}

typedef int64_t (*pair_walk)(kith_world *world, kith_query *query);

#define PAIR_WALK(KERNEL, NAME, FORM, BEGIN, NEXT, A, B, COUNT)                                    \
    KERNEL int64_t NAME##_##FORM(kith_world *world, kith_query *query)                             \
    {                                                                                              \
        int64_t sum = 0;                                                                           \
        NAME    c   = BEGIN;                                                                       \
        while (NEXT(&c)) {                                                                         \
            sum += add_up(c.A, c.B, COUNT);                                                        \
        }                                                                                          \
        (void)world;                                                                               \
        (void)query;                                                                               \
        return sum;                                                                                \
    }

// A group that is not made is a query. The one that owns nothing has the same terms otherwise.
#define PAIR(NAME, A, B)                                                                           \
    KITH_GROUP(NAME, read(A), read(B));                                                            \
    PAIR_WALK(BENCH_KERNEL, NAME, view_next, NAME##_begin(world), NAME##_next, A, B, 1)            \
    PAIR_WALK(BENCH_SHORT_CHUNKS, NAME, view_chunk, NAME##_begin(world), NAME##_next_chunk, A, B,  \
              c.count)                                                                             \
    PAIR_WALK(BENCH_KERNEL, NAME, stored_next, NAME##_begin_stored(query), NAME##_next, A, B, 1)   \
    PAIR_WALK(BENCH_SHORT_CHUNKS, NAME, stored_chunk, NAME##_begin_stored(query),                  \
              NAME##_next_chunk, A, B, c.count)                                                    \
    struct NAME##_pair_end

PAIR(pair0, p0, p1);
PAIR(pair1, p1, p2);
PAIR(pair2, p2, p3);
PAIR(pair3, p3, p4);
PAIR(pair4, p4, p5);
PAIR(pair5, p5, p6);
PAIR(pair6, p6, p7);
PAIR(pair7, p7, p8);
PAIR(pair8, p8, p9);
PAIR(pair9, p9, p10);
PAIR(pair10, p10, p11);

#define EVERY_PAIR(WHAT)                                                                           \
    {                                                                                              \
        pair0_##WHAT, pair1_##WHAT, pair2_##WHAT, pair3_##WHAT, pair4_##WHAT, pair5_##WHAT,        \
            pair6_##WHAT, pair7_##WHAT, pair8_##WHAT, pair9_##WHAT, pair10_##WHAT                  \
    }

static kith_query *(*const pair_query[PAIRS])(kith_world *world) = EVERY_PAIR(query);
static kith_group *(*const pair_group[PAIRS])(kith_world *world) = EVERY_PAIR(group);

// --- A1000: one entity for each of 1000 sets ---------------------------------------------------

static bool has_pair(uint32_t set, uint32_t pair)
{
    return (set >> pair & 3) == 3;
}

// Different sets, none of them empty; after the last one they begin again.
static void draw_sets(uint32_t *sets, uint32_t count)
{
    bool     drawn[SETS_ALL] = { true };
    uint64_t stream          = RANDOM_SEED;
    for (uint32_t i = 0; i < count; i++) {
        if (i % (SETS_ALL - 1) == 0) {
            memset(drawn + 1, 0, sizeof drawn - sizeof *drawn);
        }
        do {
            sets[i] = (uint32_t)(random_next(&stream) % SETS_ALL);
        } while (drawn[sets[i]]);
        drawn[sets[i]] = true;
    }
}

static uint32_t *make_sets(bench_data *data)
{
    uint32_t *sets = bench_allocate(data->n, sizeof *sets);
    draw_sets(sets, data->n);
    data->ops = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        for (uint32_t pair = 0; pair < PAIRS; pair++) {
            data->ops += has_pair(sets[i], pair);
        }
    }
    return sets;
}

static filler make_member(uint32_t i, uint32_t member)
{
    return (filler){ (int32_t)(i + member) };
}

static void world_create_with_set(bench_data *data, uint32_t i, uint32_t set)
{
    data->out[i] = kith_entity_create(data->world);
    for (uint32_t member = 0; member < MEMBERS; member++) {
        filler value = make_member(i, member);
        if ((set >> member & 1) != 0) {
            kith_component_set(data->world, data->out[i], P0 + member, &value);
        }
    }
}

static void world_open_sets(bench_data *data)
{
    uint32_t *sets = make_sets(data);
    world_open_bare(data);
    bench_require(twelve_register(data->world), "register the components");
    for (uint32_t i = 0; i < data->n; i++) {
        world_create_with_set(data, i, sets[i]);
    }
    free(sets);
}

static void world_open_sets_stored(bench_data *data)
{
    world_open_sets(data);
    for (uint32_t pair = 0; pair < PAIRS; pair++) {
        data->queries[pair] = pair_query[pair](data->world);
    }
}

static void world_open_sets_listed(bench_data *data)
{
    world_open_sets(data);
    for (uint32_t pair = 0; pair < PAIRS; pair++) {
        bench_require(pair_group[pair](data->world) != NULL, "make a group");
    }
}

#define WALK_PAIRS(FORM)                                                                           \
    static void world_add_up_##FORM(bench_data *data)                                              \
    {                                                                                              \
        static const pair_walk walks[PAIRS] = EVERY_PAIR(FORM);                                    \
        int64_t                sum          = 0;                                                   \
        for (uint32_t pair = 0; pair < PAIRS; pair++) {                                            \
            sum += walks[pair](data->world, data->queries[pair]);                                  \
        }                                                                                          \
        data->result = (double)sum;                                                                \
    }

WALK_PAIRS(view_next)
WALK_PAIRS(view_chunk)
WALK_PAIRS(stored_next)
WALK_PAIRS(stored_chunk)

// The limit has, for each pair, arrays of the entities that have both, one behind the other.
static void limit_open_sets(bench_data *data)
{
    uint32_t *sets = make_sets(data);
    limit_open_room(data, (uint32_t)data->ops);
    data->more.second = bench_allocate(data->ops, sizeof *data->more.second);
    for (uint32_t pair = 0; pair < PAIRS; pair++) {
        for (uint32_t i = 0; i < data->n; i++) {
            if (has_pair(sets[i], pair)) {
                data->limit.fill[data->limit.count]    = make_member(i, pair);
                data->more.second[data->limit.count++] = make_member(i, pair + 1);
            }
        }
    }
    free(sets);
}

BENCH_KERNEL void limit_add_up(bench_data *data)
{
    data->result = (double)add_up(data->limit.fill, data->more.second, data->limit.count);
}

// --- by number of sets: half of the entities have both components of a pair ----------------------

KITH_GROUP(owned_pair, own(p0), own(p1));

// The first two members of every fourth set: both, both, one, the other. The rest of its number
// says what else is in it.
static uint32_t set_of_number(uint32_t number)
{
    static const uint32_t first[] = { 3, 3, 1, 2 };
    return first[number % 4] | number / 4 << 2;
}

static uint32_t draw_set(uint64_t *stream, uint32_t sets)
{
    return set_of_number((uint32_t)(random_next(stream) % sets));
}

static void world_open_many_sets(bench_data *data)
{
    uint32_t sets   = bench_take_place(data);
    uint64_t stream = RANDOM_SEED;
    world_open_bare(data);
    bench_require(twelve_register(data->world), "register the components");
    data->ops = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        uint32_t set = draw_set(&stream, sets);
        world_create_with_set(data, i, set);
        data->ops += has_pair(set, 0);
    }
}

static void world_open_many_sets_stored(bench_data *data)
{
    world_open_many_sets(data);
    data->query = pair0_query(data->world);
}

static void world_open_many_sets_listed(bench_data *data)
{
    world_open_many_sets(data);
    bench_require(pair0_group(data->world) != NULL, "make a group");
}

static void world_open_many_sets_owned(bench_data *data)
{
    world_open_many_sets(data);
    bench_require(owned_pair_group(data->world) != NULL, "make a group");
}

static void world_visit_view(bench_data *data)
{
    data->result = (double)pair0_view_next(data->world, NULL);
}

static void world_visit_stored(bench_data *data)
{
    data->result = (double)pair0_stored_next(data->world, data->query);
}

static void world_visit_chunks(bench_data *data)
{
    data->result = (double)pair0_view_chunk(data->world, NULL);
}

static void limit_open_many_sets(bench_data *data)
{
    uint32_t sets   = bench_take_place(data);
    uint64_t stream = RANDOM_SEED;
    limit_open(data);
    data->more.second = bench_allocate(data->n, sizeof *data->more.second);
    for (uint32_t i = 0; i < data->n; i++) {
        if (has_pair(draw_set(&stream, sets), 0)) {
            data->limit.fill[data->limit.count]    = make_member(i, 0);
            data->more.second[data->limit.count++] = make_member(i, 1);
        }
    }
    data->ops = data->limit.count;
}

// One component on and off, for all entities, whatever else they have.
static void world_open_sets_to_change(bench_data *data)
{
    world_open_many_sets(data);
    bench_require(number_register(data->world), "register the number");
    data->ops = 2 * (uint64_t)data->n;
}

BENCH_KERNEL void world_toggle_number(bench_data *data)
{
    kith_world        *world = data->world;
    const kith_entity *out   = data->out;
    uint32_t           n     = data->n;
    for (uint32_t i = 0; i < n; i++) {
        number_set(world, out[i], (scalar){ 1 });
    }
    data->result = number_count(world);
    for (uint32_t i = 0; i < n; i++) {
        number_remove(world, out[i]);
    }
}

static void limit_open_to_change(bench_data *data)
{
    (void)bench_take_place(data);
    limit_open_entities(data);
    data->ops = 2 * (uint64_t)data->n;
}

BENCH_KERNEL void limit_toggle_number(bench_data *data)
{
    limit_table        table = data->limit;
    const kith_entity *out   = data->out;
    uint32_t           n     = data->n;
    for (uint32_t i = 0; i < n; i++) {
        table.fill[limit_add_row(&table, out[i])] = (filler){ 1 };
    }
    data->result = table.count;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row    = limit_remove_row(&table, out[i]);
        table.fill[row] = table.fill[table.count];
    }
    data->limit = table;
}

BENCH_KERNEL void world_build_pair(bench_data *data)
{
    data->result = kith_group_count(owned_pair_group(data->world));
}

BENCH_KERNEL void world_build_pair_list(bench_data *data)
{
    data->result = kith_group_count(pair0_group(data->world));
}

// What a group of both must do at least: copy the members' values to one place.
BENCH_KERNEL void limit_list_pairs(bench_data *data)
{
    uint32_t *to    = data->limit.ent;
    uint32_t *other = data->limit.where;
    uint32_t  count = data->limit.count;
    for (uint32_t i = 0; i < count; i++) {
        to[i]    = (uint32_t)data->limit.fill[i].v;
        other[i] = (uint32_t)data->more.second[i].v;
    }
    data->result = count;
}

// --- the table -------------------------------------------------------------------------------

#define A1000(OPEN, RUN)                                                                           \
    .id = "A1000", .kind = BENCH_STEADY, .sizes = { 1000 },                                        \
    .kith  = { OPEN, RUN, bench_result_of, world_close },                                          \
    .limit = { limit_open_sets, limit_add_up, bench_result_of, limit_close }
#define BY_SETS(OPEN, RUN)                                                                         \
    .id = "A1", .kind = BENCH_STEADY, .axis = BENCH_SETS,                                          \
    .kith  = { OPEN, RUN, bench_result_of, world_close },                                          \
    .limit = { limit_open_many_sets, limit_add_up, bench_result_of, limit_close }
#define BUILD_BY_SETS(RUN)                                                                         \
    .id = "B1", .axis = BENCH_SETS,                                                                \
    .kith  = { world_open_many_sets, RUN, bench_result_of, world_close },                          \
    .limit = { limit_open_many_sets, limit_list_pairs, bench_result_of, limit_close }

static const bench_case cases[] = {
    { A1000(world_open_sets, world_add_up_view_next), .form = "view next" },
    { A1000(world_open_sets, world_add_up_view_chunk), .form = "view chunk" },
    { A1000(world_open_sets_stored, world_add_up_stored_next), .form = "stored next" },
    { A1000(world_open_sets_stored, world_add_up_stored_chunk), .form = "stored chunk" },
    { A1000(world_open_sets_listed, world_add_up_view_next), .form = "list next" },
    { BY_SETS(world_open_many_sets, world_visit_view), .form = "view next" },
    { BY_SETS(world_open_many_sets_stored, world_visit_stored), .form = "stored next" },
    { BY_SETS(world_open_many_sets_listed, world_visit_view), .form = "list next" },
    { BY_SETS(world_open_many_sets_owned, world_visit_chunks), .form = "group chunk" },
    { .id    = "M1",
      .form  = "add, remove by sets",
      .axis  = BENCH_SETS,
      .kith  = { world_open_sets_to_change, world_toggle_number, bench_result_of, world_close },
      .limit = { limit_open_to_change, limit_toggle_number, bench_result_of, limit_close } },
    { BUILD_BY_SETS(world_build_pair), .form = "group by sets" },
    { BUILD_BY_SETS(world_build_pair_list), .form = "list by sets" },
};

const bench_suite bench_sets = BENCH_SUITE(cases);
