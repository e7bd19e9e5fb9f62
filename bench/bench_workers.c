// SPDX-License-Identifier: MIT
// Workers: systems in parts on two threads against the same systems with `run`, on one thread.
//
// W1 to W3 need two processors. An operation of W4 is one run of a schedule with one system. W6 is
// what chunks cost where nothing runs in parallel.
#include "bench.h"

#include <kith/workers.h>

KITH_QUERY(starting, read(position), without(velocity));

// --- worlds ----------------------------------------------------------------------------------

// Of the only world that has some at a time.
static kith_workers *workers;

static void use_workers(bench_data *data, uint32_t count)
{
    workers = kith_workers_create(&(kith_workers_desc){ .count = count });
    bench_require(workers != NULL && kith_world_use_workers(data->world, workers), "start workers");
}

static void close_workers(bench_data *data)
{
    world_close(data);
    bench_require(kith_workers_destroy(workers), "end workers");
}

static void add_system(bench_data *data, const kith_system_desc *desc)
{
    bench_require(kith_system_create(data->world, desc) != NULL, "make a system");
}

BENCH_KERNEL void run_schedule(bench_data *data)
{
    kith_schedule_run(data->world, 0.01);
}

// --- W1: much arithmetic for each entity -----------------------------------------------------

// Turns the velocity round and round: some 10 ns for each entity.
static void orbit(vec3 *restrict pos, const vec3 *restrict vel, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        float x = vel[i].x;
        float y = vel[i].y;
        for (uint32_t step = 0; step < 20; step++) {
            float turned = x * 0.8f - y * 0.6f;
            y            = x * 0.6f + y * 0.8f;
            x            = turned;
        }
        pos[i].x += x * 0.01f;
        pos[i].y += y * 0.01f;
    }
}

// A system in both forms: `run` loops over everything, `part` over a chunk.
#define SYSTEM(NAME, QUERY, VISIT)                                                                 \
    static inline void NAME##_walk(QUERY c)                                                        \
    {                                                                                              \
        while (QUERY##_next_chunk(&c)) {                                                           \
            VISIT;                                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void NAME##_run(const kith_turn *turn)                                                  \
    {                                                                                              \
        NAME##_walk(QUERY##_begin_stored(turn->query));                                            \
    }                                                                                              \
    static void NAME##_part(const kith_part *part)                                                 \
    {                                                                                              \
        NAME##_walk(QUERY##_begin_part(part));                                                     \
    }                                                                                              \
    struct NAME##_system_end

SYSTEM(orbit, movers, orbit(c.position, c.velocity, c.count));
SYSTEM(move, movers, move(c.position, c.velocity, c.count, workload_dt));

#define OPEN(NAME, FORM)                                                                           \
    static void open_##NAME##_##FORM(bench_data *data)                                             \
    {                                                                                              \
        world_open_movers(data);                                                                   \
        add_system(data, &(kith_system_desc){                                                      \
                             .name = #NAME, .FORM = NAME##_##FORM, .query = movers_desc() });      \
    }                                                                                              \
    struct open_##NAME##_##FORM##_end

OPEN(orbit, run);
OPEN(orbit, part);
OPEN(move, run);
OPEN(move, part);

static void open_orbit_two(bench_data *data)
{
    open_orbit_part(data);
    use_workers(data, 2);
}

// --- W2: two components, as in I2 ------------------------------------------------------------

static void open_move_two(bench_data *data)
{
    open_move_part(data);
    use_workers(data, 2);
}

// --- W3: seven systems -----------------------------------------------------------------------

// Seven fillers of which each has a system of its own that writes it.
#define FILLERS(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6)

enum { FILLER_FIRST = LETTER_A, FILLER_COUNT = 7 };

static void mix(filler *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = (uint32_t)values[i].v;
        for (uint32_t step = 0; step < 4; step++) {
            v = (v ^ v >> 15) * 0x85ebca6bu;
        }
        values[i].v = (int32_t)v;
    }
}

#define FILLER(I)                                                                                  \
    KITH_COMPONENT(letter_##I, filler, FILLER_FIRST + (I));                                        \
    KITH_QUERY(letters_##I, write(letter_##I));                                                    \
    SYSTEM(mix_##I, letters_##I, mix(c.letter_##I, c.count));                                      \
    static void mix_##I##_beside(const kith_turn *turn)                                            \
    {                                                                                              \
        mix_##I##_walk(letters_##I##_begin_part(turn->part));                                      \
    }

FILLERS(FILLER)

static void open_letters(bench_data *data)
{
    world_open(data);
#define REGISTER(I) bench_require(letter_##I##_register(data->world), "register a component");
    FILLERS(REGISTER)
    for (uint32_t i = 0; i < data->n; i++) {
        data->out[i] = kith_entity_create(data->world);
#define GIVE(I) letter_##I##_set(data->world, data->out[i], (filler){ (int32_t)(i + (I)) });
        FILLERS(GIVE)
    }
}

static void open_letters_run(bench_data *data)
{
    open_letters(data);
#define RUN(I)                                                                                     \
    add_system(data, &(kith_system_desc){ .name  = "mix_" #I,                                      \
                                          .run   = mix_##I##_run,                                  \
                                          .query = letters_##I##_desc() });
    FILLERS(RUN)
}

static void open_letters_shared(bench_data *data)
{
    open_letters(data);
#define SHARED(I)                                                                                  \
    add_system(data, &(kith_system_desc){ .name   = "mix_" #I,                                     \
                                          .run    = mix_##I##_beside,                              \
                                          .shared = true,                                          \
                                          .query  = letters_##I##_desc() });
    FILLERS(SHARED)
    use_workers(data, 2);
}

static void open_letters_part(bench_data *data)
{
    open_letters(data);
#define PART(I)                                                                                    \
    add_system(data, &(kith_system_desc){ .name  = "mix_" #I,                                      \
                                          .part  = mix_##I##_part,                                 \
                                          .query = letters_##I##_desc() });
    FILLERS(PART)
    use_workers(data, 2);
}

static double sum_letters(const bench_data *data)
{
    double sum = 0;
    for (uint32_t i = 0; i < data->n; i++) {
#define SUM(I) sum += (double)letter_##I##_get(data->world, data->out[i])->v;
        FILLERS(SUM)
    }
    return sum;
}

// --- W4: few rows ----------------------------------------------------------------------------

#define RUNS 1000u

static void open_few_run(bench_data *data)
{
    open_move_run(data);
    data->ops = RUNS;
}

static void open_few_part(bench_data *data)
{
    open_move_part(data);
    use_workers(data, 2);
    data->ops = RUNS;
}

// The query names a component that no entity has.
static void open_none(bench_data *data, kith_system_desc *desc)
{
    world_open(data);
    velocity_clear(data->world);
    desc->name  = "move";
    desc->query = movers_desc();
    add_system(data, desc);
    data->ops = RUNS;
}

static void open_none_run(bench_data *data)
{
    open_none(data, &(kith_system_desc){ .run = move_run });
}

static void open_none_part(bench_data *data)
{
    open_none(data, &(kith_system_desc){ .part = move_part });
    use_workers(data, 2);
}

BENCH_KERNEL void run_often(bench_data *data)
{
    for (uint32_t i = 0; i < RUNS; i++) {
        kith_schedule_run(data->world, 0.01);
    }
}

static double count_ticks(const bench_data *data)
{
    return (double)kith_world_now(data->world);
}

// --- W5: commands ----------------------------------------------------------------------------

static void start_run(const kith_turn *turn)
{
    kith_commands *commands = turn->context;
    starting       c        = starting_begin_stored(turn->query);
    while (starting_next(&c)) {
        velocity_set_later(commands, c.entity, (vec3){ 1, c.position->x, 3 });
    }
    kith_commands_apply(commands, turn->world);
    kith_commands_clear(commands);
}

static void start_part(const kith_part *part)
{
    starting c = starting_begin_part(part);
    while (starting_next(&c)) {
        velocity_set_later(part->commands, c.entity, (vec3){ 1, c.position->x, 3 });
    }
}

// The buffers have their memory already, as they have in every frame but the first.
static void open_start(bench_data *data, kith_system_desc *desc)
{
    world_open_positions(data);
    desc->name    = "start";
    desc->query   = starting_desc();
    desc->context = kith_commands_create(data->world, NULL);
    bench_require(desc->context != NULL, "make the commands");
    add_system(data, desc);
    run_schedule(data);
    velocity_clear(data->world);
}

static void open_start_run(bench_data *data)
{
    open_start(data, &(kith_system_desc){ .run = start_run });
}

static void open_start_part(bench_data *data)
{
    open_start(data, &(kith_system_desc){ .part = start_part });
}

static void open_start_two(bench_data *data)
{
    open_start_part(data);
    use_workers(data, 2);
}

// --- the table -------------------------------------------------------------------------------

#define RUN_SIDE(OPEN)                                                                             \
    {                                                                                              \
        OPEN, run_schedule, world_sum_movers, world_close                                          \
    }
#define TWO_SIDE(OPEN)                                                                             \
    {                                                                                              \
        OPEN, run_schedule, world_sum_movers, close_workers                                        \
    }
#define LETTERS(FORM, HIGHEST, OPEN_TWO)                                                           \
    .id = "W3", .form = FORM, .kind = BENCH_STEADY, .threads = true, .target = HIGHEST,            \
    .ops_per_entity = FILLER_COUNT, .baseline = "systems with run, one thread",                    \
    .kith  = { OPEN_TWO, run_schedule, sum_letters, close_workers },                               \
    .limit = { open_letters_run, run_schedule, sum_letters, world_close }

static const bench_case cases[] = {
    { .id       = "W1",
      .form     = "arithmetic",
      .kind     = BENCH_STEADY,
      .threads  = true,
      .target   = 1 / 1.8,
      .baseline = "a system with run, one thread",
      .kith     = TWO_SIDE(open_orbit_two),
      .limit    = RUN_SIDE(open_orbit_run) },
    { .id       = "W2",
      .form     = "memory",
      .kind     = BENCH_STEADY,
      .threads  = true,
      .target   = 1 / 1.5,
      .baseline = "a system with run, one thread",
      .sizes    = { 1000000 },
      .kith     = TWO_SIDE(open_move_two),
      .limit    = RUN_SIDE(open_move_run) },
    { LETTERS("beside each other", 1 / 1.6, open_letters_shared) },
    { LETTERS("in parts", 1 / 1.6, open_letters_part) },
    { .id       = "W4",
      .form     = "few rows",
      .kind     = BENCH_STEADY,
      .target   = 1.05,
      .baseline = "a system with run",
      .sizes    = { 1, 64, 1024 },
      .kith     = { open_few_part, run_often, world_sum_movers, close_workers },
      .limit    = { open_few_run, run_often, world_sum_movers, world_close } },
    { .id       = "W4",
      .form     = "no row",
      .kind     = BENCH_STEADY,
      .target   = 1.05,
      .baseline = "a system with run",
      .sizes    = { 1 },
      .kith     = { open_none_part, run_often, count_ticks, close_workers },
      .limit    = { open_none_run, run_often, count_ticks, world_close } },
    { .id       = "W5",
      .form     = "no workers",
      .target   = 1.1,
      .baseline = "one buffer",
      .kith     = RUN_SIDE(open_start_part),
      .limit    = RUN_SIDE(open_start_run) },
    { .id       = "W5",
      .form     = "two workers",
      .threads  = true,
      .baseline = "one buffer",
      .kith     = TWO_SIDE(open_start_two),
      .limit    = RUN_SIDE(open_start_run) },
    { .id       = "W6",
      .form     = "no workers",
      .kind     = BENCH_STEADY,
      .target   = 1.05,
      .baseline = "a system with run",
      .kith     = RUN_SIDE(open_move_part),
      .limit    = RUN_SIDE(open_move_run) },
};

const bench_suite bench_workers = BENCH_SUITE(cases);
