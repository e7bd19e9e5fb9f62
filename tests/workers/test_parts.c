// SPDX-License-Identifier: MIT
// Parts of systems: chunks, what a part may do, commands, sums, errors, stages, workers.
#include "workers_test.h"

#include "kith/event.h"
#include "kith/snapshot.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define ROWS 10000u // three chunks

typedef struct fixture {
    test_memory   memory;
    kith_world   *world;
    kith_workers *workers;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->world   = test_world(&f->memory);
    f->workers = kith_workers_create(&(kith_workers_desc){ .count = 3, .eager = true });
    assert_true(parts_register(f->world));
    assert_non_null(f->workers);
    assert_true(kith_world_use_workers(f->world, f->workers));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    test_world_end(f->world, &f->memory);
    assert_true(kith_workers_destroy(f->workers));
    free(f);
    return 0;
}

static void fill_rows(fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kith_entity entity = kith_entity_create(f->world);
        at_set(f->world, entity, (place){ (float)i, 0 });
        moving_set(f->world, entity, (speed){ 1, 2 });
        life_set(f->world, entity, (int32_t)i);
    }
}

// --- chunks ----------------------------------------------------------------------------------

typedef struct visit {
    atomic_uint rows[8]; // by chunk
    atomic_uint parts;
    atomic_uint failed;
} visit;

static void count_rows(const kith_part *part)
{
    visit *v = part->turn->context;
    atomic_fetch_add(&v->parts, 1);
    KITH_EACH_PART(movers, m, part)
    {
        atomic_fetch_add(&v->rows[part->chunk], 1);
    }
}

static void chunks_have_4096_rows(void **state)
{
    fixture                 *f    = *state;
    visit                    v    = { 0 };
    const kith_parallel_desc desc = { .part = count_rows, .context = &v };
    fill_rows(f, ROWS);
    assert_true(kith_query_parallel(movers_query(f->world), &desc));
    assert_int_equal(v.parts, 3);
    assert_int_equal(v.rows[0], 4096);
    assert_int_equal(v.rows[1], 4096);
    assert_int_equal(v.rows[2], ROWS - 2 * 4096);
    kith_query_report report = kith_query_report_of(movers_query(f->world));
    assert_int_equal(report.rows, ROWS);
    assert_int_equal(report.in_runs + report.gathered, ROWS);
}

static void no_rows_are_no_chunks(void **state)
{
    fixture                 *f    = *state;
    visit                    v    = { 0 };
    const kith_parallel_desc desc = { .part = count_rows, .context = &v };
    assert_true(kith_query_parallel(movers_query(f->world), &desc));
    assert_int_equal(v.parts, 0);
}

// The same entities by next, next_chunk and untyped cursors, each with its value.
static void walk_four_ways(const kith_part *part)
{
    visit      *v       = part->turn->context;
    movers      m       = movers_begin_part(part);
    uint64_t    sums[4] = { 0 };
    kith_cursor c;
    while (movers_next(&m)) {
        sums[0] += m.entity + (uint64_t)m.at->x;
    }
    m = movers_begin_part(part);
    while (movers_next_chunk(&m)) {
        for (uint32_t i = 0; i < m.count; i++) {
            sums[1] += movers_entity(&m, i) + (uint64_t)m.at[i].x;
        }
    }
    c = kith_part_begin(part);
    while (kith_cursor_next(&c)) {
        sums[2] += c.entity + (uint64_t)((const place *)c.columns[0])->x;
    }
    c = kith_part_begin(part);
    while (kith_cursor_next_chunk(&c)) {
        for (uint32_t i = 0; i < c.count; i++) {
            sums[3] += kith_cursor_entity(&c, i) + (uint64_t)((const place *)c.columns[0])[i].x;
        }
    }
    bool same = sums[0] == sums[1] && sums[1] == sums[2] && sums[2] == sums[3] && sums[0] != 0;
    atomic_fetch_add(&v->failed, !same);
    atomic_fetch_add(&v->parts, 1);
}

static void all_cursors_see_the_chunk(void **state)
{
    fixture                 *f    = *state;
    visit                    v    = { 0 };
    const kith_parallel_desc desc = { .part = walk_four_ways, .context = &v };
    fill(f->world, ROWS, 7); // scattered rows
    assert_true(kith_query_parallel(movers_query(f->world), &desc));
    assert_true(v.parts > 1);
    assert_int_equal(v.failed, 0);
}

// One chunk has no copy of its loop: the loop begins anew each time, also with the list of the
// query.
static void one_chunk_is_walked_again(void **state)
{
    fixture                 *f    = *state;
    visit                    v    = { 0 };
    const kith_parallel_desc desc = { .part = walk_four_ways, .context = &v };
    fill(f->world, 400, 7);
    for (uint32_t run = 1; run <= 4; run++) {
        assert_true(kith_query_parallel(movers_query(f->world), &desc));
        assert_int_equal(v.parts, run);
        assert_int_equal(v.failed, 0);
        assert_int_equal(kith_query_report_of(movers_query(f->world)).rows, moving_count(f->world));
        uint32_t rows = moving_count(f->world);
        moving_remove(f->world, movers_first(f->world)); // the world is at rest again
        assert_int_equal(moving_count(f->world), rows - 1);
    }
}

static void untyped_writes(const kith_part *part)
{
    kith_cursor c = kith_part_begin(part);
    while (kith_cursor_next(&c)) {
        ((place *)c.columns[0])->x = 5;
    }
}

KITH_QUERY(new_ticked, with(at), changed(ticked));

static void untyped_cursors_stamp_what_they_write(void **state)
{
    fixture                 *f     = *state;
    const kith_parallel_desc desc  = { .part = untyped_writes };
    uint32_t                 found = 0;
    fill(f->world, ROWS, 7);
    uint64_t tick = kith_world_advance(f->world);
    assert_true(kith_query_parallel(tickers_query(f->world), &desc));
    kith_world_advance(f->world);
    new_ticked n = new_ticked_begin_since(f->world, tick);
    while (new_ticked_next(&n)) {
        assert_true(ticked_get(f->world, n.entity)->x == 5);
        found++;
    }
    assert_int_equal(found, tickers_count(f->world));
    assert_true(found > 1000);
}

static void second_begin(const kith_part *part)
{
    visit *v = part->turn->context;
    movers a = movers_begin_part(part);
    movers_next(&a);
    movers b = movers_begin_part(part);
    atomic_fetch_add(&v->rows[0], movers_next(&b));
    atomic_fetch_add(&v->rows[1], movers_next(&a));
    turners wrong = turners_begin_part(part);
    atomic_fetch_add(&v->rows[2], wrong.failed);
}

static void begin_again_closes_the_first(void **state)
{
    fixture                 *f    = *state;
    visit                    v    = { 0 };
    const kith_parallel_desc desc = { .part = second_begin, .context = &v };
    fill_rows(f, 100);
    assert_true(kith_query_parallel(movers_query(f->world), &desc));
    assert_int_equal(v.rows[0], 1);
    assert_int_equal(v.rows[1], 0);
    assert_int_equal(v.rows[2], 1);
    assert_error_says(f->world, KITH_ERROR_ARGUMENT, "has other terms than the cursor");
}

KITH_QUERY(new_at_alone, read(at), changed(at));

static void count_new(const kith_part *part)
{
    visit *v = part->turn->context;
    KITH_EACH_PART(new_at_alone, n, part)
    {
        atomic_fetch_add(&v->rows[0], 1);
    }
}

// The next run of a query finds what changed since the tick of this one, that tick included.
static void changes_count_from_the_run_before(void **state)
{
    fixture                 *f     = *state;
    visit                    v     = { 0 };
    const kith_parallel_desc desc  = { .part = count_new, .context = &v };
    kith_query              *query = new_at_alone_query(f->world);
    fill_rows(f, 5000);
    assert_true(kith_query_parallel(query, &desc));
    assert_int_equal(v.rows[0], 5000);
    kith_world_advance(f->world);
    assert_true(kith_query_parallel(query, &desc));
    assert_int_equal(v.rows[0], 10000); // since the tick before, that included
    assert_true(kith_query_parallel(query, &desc));
    assert_int_equal(v.rows[0], 10000); // since this tick, nothing
    at_mut(f->world, movers_first(f->world))->x = 1;
    assert_true(kith_query_parallel(query, &desc));
    assert_true(v.rows[0] > 10000);
}

static const kith_part *kept_part;
static movers           kept_cursor;

static void keep_part(const kith_part *part)
{
    static kith_part copy;
    static kith_turn turn;
    turn        = *part->turn;
    copy        = *part;
    copy.turn   = &turn;
    kept_part   = &copy;
    kept_cursor = movers_begin_part(part);
}

static void go_on_with_a_copy(const kith_part *part)
{
    visit *v    = part->turn->context;
    movers a    = movers_begin_part(part);
    bool   more = movers_next(&a);
    movers b    = a;
    while (more) {
        more = movers_next(&a); // to the end, through several blocks
    }
    while (movers_next(&b)) {
        v->failed += b.at->x != at_get(part->turn->world, b.entity)->x;
    }
}

// A copy of a cursor ends with the block: it never hands out what another block overwrote.
static void copies_of_cursors_end_with_their_block(void **state)
{
    fixture *f = *state;
    visit    v = { 0 };
    fill(f->world, 3000, 5); // scattered rows: many blocks
    assert_true(kith_query_parallel(movers_query(f->world),
                                    &(kith_parallel_desc){ go_on_with_a_copy, &v, 0, NULL }));
    assert_int_equal(v.failed, 0);
    assert_error(f->world, KITH_ERROR_CLOSED);
}

static void advance_twice(const kith_turn *turn, const void *sum, void *context)
{
    (void)context;
    assert_null(sum); // sum_size is 0
    kith_world_advance(turn->world);
    kith_world_advance(turn->world);
}

// `combine` may advance the world: the tick never goes back.
static void ticks_do_not_go_back(void **state)
{
    fixture *f = *state;
    fill_rows(f, 10);
    assert_non_null(kith_system_create(f->world, &(kith_system_desc){ .name    = "a",
                                                                      .part    = move_part,
                                                                      .query   = movers_desc(),
                                                                      .combine = advance_twice }));
    assert_non_null(kith_system_create(
        f->world, &(kith_system_desc){ .name = "b", .part = age_part, .query = agers_desc() }));
    uint64_t before = kith_world_now(f->world);
    assert_true(kith_schedule_run(f->world, 1));
    assert_int_equal(kith_world_now(f->world), before + 4);
    uint64_t kept, full;
    at_set(f->world, movers_first(f->world), (place){ 5, 5 });
    assert_true(kith_world_hash(f->world, PLACE, &kept));
    assert_true(kith_world_hash_full(f->world, PLACE, &full));
    assert_int_equal(kept, full);
}

static void nothing_outlives_its_part(void **state)
{
    fixture                 *f    = *state;
    const kith_parallel_desc desc = { .part = keep_part };
    fill_rows(f, 100);
    assert_true(kith_query_parallel(movers_query(f->world), &desc));
    assert_false(movers_next(&kept_cursor));
    assert_true(movers_begin_part(kept_part).failed);
    assert_int_equal(f->memory.errors, 2);
}

// --- what a part may not do ------------------------------------------------------------------

KITH_QUERY(livers, write(life));

static void mut_in_part(const kith_part *part)
{
    KITH_EACH_PART(movers, m, part)
    {
        at_mut(part->turn->world, m.entity);
        at_set(part->turn->world, m.entity, (place){ 1, 1 });
    }
}

static void errors_name_the_remedy(void **state)
{
    fixture *f = *state;
    fill_rows(f, 2);
    assert_true(
        kith_query_parallel(movers_query(f->world), &(kith_parallel_desc){ .part = mut_in_part }));
    assert_error_text(f->world, "at_set: not while parts of systems run; use part->commands");
    assert_int_equal(f->memory.errors, 4);
}

// --- commands, sums, errors ------------------------------------------------------------------

static void make_one(const kith_part *part)
{
    KITH_EACH_PART(movers, m, part)
    {
        if (m.at->x < 3) {
            kith_entity made = kith_entity_create_later(part->commands);
            life_set_later(part->commands, made, (int32_t)part->chunk * 1000 + (int32_t)m.at->x);
            m.at->y = (float)(kith_entity_version(made) + kith_entity_index(made) % 1000);
        }
    }
}

static void commands_come_by_chunk(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < ROWS; i++) {
        kith_entity entity = kith_entity_create(f->world);
        at_set(f->world, entity, (place){ (float)(i % 4096), 0 });
        moving_set(f->world, entity, (speed){ 0, 0 });
    }
    assert_true(
        kith_query_parallel(movers_query(f->world), &(kith_parallel_desc){ .part = make_one }));
    int32_t  expected[] = { 0, 1, 2, 1000, 1001, 1002, 2000, 2001, 2002 };
    uint32_t i          = 0;
    KITH_EACH(livers, l, f->world)
    {
        assert_int_equal(*l.life, expected[i++]);
        assert_int_equal(kith_entity_index(l.entity), ROWS + i - 1);
    }
    assert_int_equal(i, 9);
}

// The first chunk keeps its placeholder, the others use it.
static void use_placeholder(const kith_part *part)
{
    kith_entity *kept = part->turn->context;
    if (part->chunk == 0) {
        *kept = kith_entity_create_later(part->commands);
        life_set_later(part->commands, *kept, -1);
    } else {
        (void)kith_entity_create_later(part->commands);
        life_set_later(part->commands, *kept, -2);
    }
}

static void placeholders_belong_to_their_chunk(void **state)
{
    fixture    *f    = *state;
    kith_entity kept = KITH_NULL;
    fill_rows(f, ROWS);
    assert_true(kith_world_use_workers(f->world, NULL)); // chunks run in their order
    assert_true(
        kith_query_parallel(movers_query(f->world),
                            &(kith_parallel_desc){ .part = use_placeholder, .context = &kept }));
    assert_int_equal(f->memory.errors, 2);
    assert_int_equal(kith_world_stats(f->world).alive, ROWS + 3);
    KITH_EACH(livers, l, f->world)
    {
        assert_true(*l.life != -2);
    }
    assert_true(kith_world_use_workers(f->world, f->workers));
}

typedef struct text {
    char words[256];
} text;

static void sum_part(const kith_part *part)
{
    uint32_t *sum = part->sum;
    if (((uintptr_t)sum & 63) != 0 || sum[0] != 0 || sum[1] != 0) {
        sum[1] = 1; // not aligned or not zeroed
    }
    KITH_EACH_PART(movers, m, part)
    {
        sum[0]++;
    }
}

static void write_sum(const kith_turn *turn, const void *sum, void *context)
{
    const uint32_t *numbers = sum;
    text           *out     = context;
    size_t          length  = strlen(out->words);
    assert_ptr_equal(turn->context, context);
    snprintf(out->words + length, sizeof out->words - length, "%u/%u ", numbers[0], numbers[1]);
}

static void sums_are_combined_by_chunk(void **state)
{
    fixture                 *f    = *state;
    text                     out  = { { 0 } };
    const kith_parallel_desc desc = { sum_part, &out, 2 * sizeof(uint32_t), write_sum };
    fill_rows(f, ROWS);
    assert_true(kith_query_parallel(movers_query(f->world), &desc));
    assert_true(kith_query_parallel(movers_query(f->world), &desc));
    assert_string_equal(out.words, "4096/0 4096/0 1808/0 4096/0 4096/0 1808/0 ");
}

static void fail_somewhere(const kith_part *part)
{
    KITH_EACH_PART(movers, m, part)
    {
        int row = (int)m.at->x;
        if (row % 2000 == 5) {
            kith_component_get(part->turn->world, m.entity, (kith_component)(500 + row / 2000));
        }
    }
}

static char heard[512];

static void hear(const kith_world *world, const kith_error *error, void *context)
{
    size_t length = strlen(heard);
    (void)world;
    (void)context;
    snprintf(heard + length, sizeof heard - length, "%u ", error->component);
}

static void errors_come_by_chunk(void **state)
{
    fixture *f = *state;
    (void)f;
    kith_world *world = kith_world_create(&(kith_world_desc){ .on_error = hear });
    assert_true(parts_register(world));
    assert_true(kith_world_use_workers(world, f->workers));
    for (uint32_t i = 0; i < ROWS; i++) {
        kith_entity entity = kith_entity_create(world);
        at_set(world, entity, (place){ (float)i, 0 });
        moving_set(world, entity, (speed){ 0, 0 });
    }
    heard[0] = '\0';
    assert_true(
        kith_query_parallel(movers_query(world), &(kith_parallel_desc){ .part = fail_somewhere }));
    assert_string_equal(heard, "500 501 502 503 504 ");
    kith_world_destroy(world);
}

// --- memory ----------------------------------------------------------------------------------

static void every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    (void)f;
    bool done = false;
    for (uint32_t n = 1; !done; n++) {
        test_memory   memory = { 0 };
        kith_world   *world  = test_world(&memory);
        double        sum    = 0;
        kith_workers *workers =
            kith_workers_create(&(kith_workers_desc){ .count = 2, .eager = true });
        assert_true(parts_register(world));
        fill(world, 9000, 3);
        kith_system_create(
            world, &(kith_system_desc){ .name = "age", .part = age_part, .query = agers_desc() });
        kith_system_create(world, &(kith_system_desc){ .name     = "see",
                                                       .part     = seen_part,
                                                       .sum_size = 8,
                                                       .combine  = add_sum,
                                                       .context  = &sum,
                                                       .query    = seen_desc() });
        uint32_t living = kith_world_stats(world).alive;
        test_fail_after(&memory, n);
        bool used = kith_world_use_workers(world, workers);
        done      = used && kith_schedule_run(world, 1);
        assert_true(done == (memory.failed == 0));
        assert_world_valid(world);
        if (!done) {
            assert_true(memory.errors > 0);
            test_fail_after(&memory, 0);
            assert_true(kith_world_use_workers(world, workers));
            assert_true(kith_schedule_run(world, 1)); // and everything works again
        }
        assert_true(kith_world_stats(world).alive != living);
        test_world_end(world, &memory);
        assert_true(kith_workers_destroy(workers));
    }
}

static void fail_and_record(const kith_part *part)
{
    KITH_EACH_PART(movers, m, part)
    {
        at_set(part->turn->world, m.entity, (place){ 1, 1 });
        life_set_later(part->commands, m.entity, 1);
    }
}

// A stage that runs out of memory reports the errors of its parts, and keeps none.
static void errors_of_a_failed_stage_are_reported(void **state)
{
    fixture *f = *state;
    fill_rows(f, 3);
    visit                    v     = { 0 };
    const kith_parallel_desc quiet = { .part = count_rows, .context = &v };
    assert_true(kith_query_parallel(movers_query(f->world), &quiet));
    test_fail_after(&f->memory, 2); // the first is that of an error, the second of a command
    assert_false(kith_query_parallel(movers_query(f->world),
                                     &(kith_parallel_desc){ .part = fail_and_record }));
    test_fail_after(&f->memory, 0);
    uint32_t errors = f->memory.errors;
    assert_true(errors >= 2);
    assert_error(f->world, KITH_ERROR_MEMORY);
    assert_true(kith_query_parallel(movers_query(f->world), &quiet));
    assert_int_equal(f->memory.errors, errors);
}

// An error that cannot be kept until the stage ends is not lost: the stage lacks memory.
static void errors_need_memory(void **state)
{
    fixture *f = *state;
    fill_rows(f, 3);
    kith_query *query = movers_query(f->world);
    assert_true(kith_query_parallel(query, &(kith_parallel_desc){ .part = mut_in_part }));
    test_fail_after(&f->memory, 1);
    assert_false(kith_query_parallel(query, &(kith_parallel_desc){ .part = mut_in_part }));
    assert_error(f->world, KITH_ERROR_MEMORY);
    test_fail_after(&f->memory, 0);
    assert_true(kith_query_parallel(query, &(kith_parallel_desc){ .part = mut_in_part }));
}

static kith_commands *kept_commands;

static void keep_commands(const kith_part *part)
{
    kept_commands = part->commands;
}

static void commands_of_parts_belong_to_the_stage(void **state)
{
    fixture *f = *state;
    fill_rows(f, 3);
    const kith_parallel_desc desc = { .part = keep_commands };
    assert_true(kith_query_parallel(movers_query(f->world), &desc));
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_commands_destroy(kept_commands));
    kith_entity_create_later(kept_commands); // where no part runs: dropped
    assert_true(kith_query_parallel(movers_query(f->world), &desc));
    assert_int_equal(kith_world_stats(f->world).alive, 3);
    assert_refused(&f->memory, f->world, KITH_ERROR_MEMORY,
                   kith_query_parallel(
                       movers_query(f->world),
                       &(kith_parallel_desc){ .part = keep_commands, .sum_size = SIZE_MAX - 8 }));
}

static void time_of_a_failed_stage_is_dropped(void **state)
{
    fixture *f = *state;
    fill_rows(f, ROWS);
    kith_system *system = kith_system_create(
        f->world, &(kith_system_desc){
                      .name = "age", .part = age_part, .query = agers_desc(), .interval = 0.5 });
    test_fail_after(&f->memory, 1);
    assert_false(kith_schedule_run(f->world, 0.5));
    test_fail_after(&f->memory, 0);
    assert_true(kith_system_report_of(system).dropped == 0.5);
    assert_true(kith_schedule_run(f->world, 0.5));
    assert_true(kith_system_report_of(system).dropped == 0.5);
    assert_int_equal(kith_system_report_of(system).turns, 1);
}

static void fixed_memory_is_enough_or_not(void **state)
{
    (void)state;
    for (size_t size = 600000; size < 6000000; size += 150000) {
        kith_world *world =
            kith_world_create(&(kith_world_desc){ .memory = size, .on_error = kith_error_ignore });
        if (world == NULL || !parts_register(world)) {
            kith_world_destroy(world);
            continue;
        }
        fill(world, 9000, 3);
        kith_system_create(
            world, &(kith_system_desc){ .name = "age", .part = age_part, .query = agers_desc() });
        kith_schedule_run(world, 1);
        kith_schedule_run(world, 1);
        assert_world_valid(world);
        kith_world_destroy(world);
    }
}

// --- stages ----------------------------------------------------------------------------------

static void create_part(kith_world *world, const char *name, kith_part_fn part,
                        const kith_query_desc *query)
{
    assert_non_null(kith_system_create(
        world, &(kith_system_desc){ .name = name, .part = part, .query = query }));
}

static void explain_shows_stages(void **state)
{
    fixture    *f = *state;
    char        shown[2048];
    const char *after[] = { "age" };
    create_part(f->world, "move", move_part, movers_desc());
    create_part(f->world, "turn", turn_part, turners_desc());
    create_part(f->world, "age", age_part, livers_desc());
    assert_non_null(kith_system_create(f->world, &(kith_system_desc){ .name        = "tick",
                                                                      .part        = tick_part,
                                                                      .query       = tickers_desc(),
                                                                      .after       = after,
                                                                      .after_count = 1 }));
    assert_non_null(
        kith_system_create(f->world, &(kith_system_desc){ .name = "plain", .run = run_plain }));
    assert_non_null(kith_system_create(f->world, &(kith_system_desc){ .name      = "ask",
                                                                      .part      = move_part,
                                                                      .query     = movers_desc(),
                                                                      .on_demand = true }));
    kith_schedule_explain(f->world, shown, sizeof shown);
    const char *stages = strstr(shown, "stage \"move\"");
    assert_non_null(stages);
    const char *expected = "stage \"move\"; \"move\" and \"turn\" both touch \"moving\"\n"
                           "stage \"turn\"; \"turn\" and \"age\" both touch \"life\"\n"
                           "stage \"age\"; \"tick\" must run after \"age\"\n"
                           "stage \"tick\"\n"
                           "stage \"plain\" alone: it has neither part nor shared\n"
                           "stage \"ask\" alone: it runs on demand\n";
    assert_memory_equal(stages, expected, strlen(expected));
    create_part(f->world, "late move", move_part, movers_desc());
    create_part(f->world, "late age", age_part, livers_desc());
    kith_schedule_explain(f->world, shown, sizeof shown);
    assert_non_null(strstr(shown, "stage \"late move\", \"late age\"\n"));
    kith_schedule_graph(f->world, shown, sizeof shown);
    assert_non_null(strstr(shown, "subgraph cluster_stage_6 {\n        label=\"stage\"\n"
                                  "        \"late move\"\n        \"late age\"\n        }"));
}

static atomic_int beside; // how many of two shared systems met

static void meet(const kith_turn *turn)
{
    (void)turn;
    atomic_fetch_add(&beside, 1);
    for (uint32_t i = 0; i < 100000000 && atomic_load(&beside) < 2; i++) {
        sched_yield();
    }
}

// Two systems that wait for each other can only end if they run at the same time.
static void shared_systems_run_beside_each_other(void **state)
{
    fixture             *f     = *state;
    const kith_component ids[] = { PLACE, SPEED };
    beside                     = 0;
    for (uint32_t i = 0; i < 2; i++) {
        char name[2] = { (char)('a' + i), 0 };
        assert_non_null(kith_system_create(
            f->world,
            &(kith_system_desc){
                .name = name, .run = meet, .shared = true, .writes = ids + i, .write_count = 1 }));
    }
    assert_true(kith_schedule_run(f->world, 1));
    assert_int_equal(beside, 2);
}

typedef struct ticks {
    uint64_t a, b, c;
} ticks;

static void write_tick(const kith_part *part)
{
    KITH_EACH_PART(livers, l, part)
    {
        *l.life = 1;
        lit_add_later(part->commands, l.entity);
    }
}

KITH_QUERY(new_at, with(life), changed(at));
KITH_QUERY(new_life, with(at), changed(life));

static void systems_of_a_stage_have_their_own_ticks(void **state)
{
    fixture *f = *state;
    fill_rows(f, ROWS);
    create_part(f->world, "move", move_part, movers_desc());
    create_part(f->world, "write", write_tick, livers_desc());
    uint64_t first = kith_world_advance(f->world);
    assert_true(kith_schedule_run(f->world, 1));
    assert_int_equal(kith_world_now(f->world), first + 2);
    kith_query_desc at_first  = new_at_since(first);
    kith_query_desc at_later  = new_at_since(first + 1);
    kith_query_desc life_then = new_life_since(first + 1);
    kith_query_desc life_late = new_life_since(first + 2);
    assert_int_equal(kith_view_count(f->world, &at_first), ROWS);
    assert_int_equal(kith_view_count(f->world, &at_later), 0);
    assert_int_equal(kith_view_count(f->world, &life_then), ROWS);
    assert_int_equal(kith_view_count(f->world, &life_late), 0);
    assert_int_equal(lit_count(f->world), ROWS);
}

// --- hooks -----------------------------------------------------------------------------------

enum { NOTE = 30, SAFE };

static pthread_t   main_thread;
static atomic_uint strange_hooks; // on other threads than the main one

static bool copy_note(void *value, const void *source, void *context)
{
    (void)context;
    atomic_fetch_add(&strange_hooks, !pthread_equal(pthread_self(), main_thread));
    memcpy(value, source, sizeof(int));
    return true;
}

static void end_note(void *value, void *context)
{
    (void)value;
    (void)context;
}

static void note_part(const kith_part *part)
{
    KITH_EACH_PART(livers, l, part)
    {
        if (*l.life % 1000 == 1) {
            kith_component_set_later(part->commands, l.entity, NOTE, &(int){ 3 });
        }
    }
}

static void register_note(kith_world *world, bool safe)
{
    const kith_component_desc desc = {
        "note",
        NOTE,
        KITH_KIND_VALUE,
        4,
        4,
        { .hooks = { .copy = copy_note, .destruct = end_note }, .thread_safe_hooks = safe }
    };
    assert_int_equal(kith_component_register(world, &desc), NOTE);
}

static void hooks_run_on_threads_where_they_may(void **state)
{
    fixture             *f    = *state;
    const kith_component note = NOTE;
    char                 shown[1024];
    main_thread = pthread_self();
    fill_rows(f, ROWS);
    register_note(f->world, false);
    assert_non_null(kith_system_create(f->world, &(kith_system_desc){ .name        = "note",
                                                                      .part        = note_part,
                                                                      .query       = livers_desc(),
                                                                      .writes      = &note,
                                                                      .write_count = 1 }));
    assert_true(kith_schedule_run(f->world, 1));
    assert_int_equal(kith_component_stats(f->world, NOTE).count, 10);
    assert_int_equal(strange_hooks, 0);
    kith_schedule_explain(f->world, shown, sizeof shown);
    assert_non_null(strstr(shown, "stage \"note\" alone: it writes values with hooks that are not "
                                  "thread-safe (\"note\")\n"));
    assert_int_equal(f->memory.errors, 0);
    register_note(f->world, true);
    kith_schedule_explain(f->world, shown, sizeof shown);
    assert_non_null(strstr(shown, "stage \"note\"\n"));
    assert_true(kith_schedule_run(f->world, 1));
}

static void undeclared_hooks_are_refused(void **state)
{
    fixture *f = *state;
    fill_rows(f, ROWS);
    register_note(f->world, false);
    create_part(f->world, "note", note_part, livers_desc());
    assert_true(kith_schedule_run(f->world, 1));
    assert_int_equal(kith_component_stats(f->world, NOTE).count, 0);
    assert_error_says(f->world, KITH_ERROR_ARGUMENT, "a part records values with hooks if");
    register_note(f->world, true);
    assert_true(kith_schedule_run(f->world, 1));
    assert_int_equal(kith_component_stats(f->world, NOTE).count, 10);
}

// --- systems ---------------------------------------------------------------------------------

static void descriptions_are_checked(void **state)
{
    fixture               *f       = *state;
    const kith_system_desc wrong[] = {
        { .name = "a" },
        { .name = "a", .part = move_part },
        { .name = "a", .part = move_part, .run = run_plain, .query = movers_desc() },
        { .name = "a", .part = move_part, .shared = true, .query = movers_desc() },
        { .name = "a", .run = run_plain, .sum_size = 4 },
        { .name = "a", .run = run_plain, .combine = add_sum },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                       kith_system_create(f->world, &wrong[i]));
    }
    assert_refused(&f->memory, f->world, KITH_ERROR_ARGUMENT,
                   kith_query_parallel(movers_query(f->world), &(kith_parallel_desc){ 0 }));
    assert_false(kith_query_parallel(NULL, &(kith_parallel_desc){ .part = move_part }));
    assert_null(kith_workers_create(&(kith_workers_desc){ .count = KITH_WORKERS_MAX + 1 }));
}

static uint32_t entered, left;

static void enter(const kith_turn *turn, kith_entity entity)
{
    (void)turn;
    (void)entity;
    entered++;
}

static void leave(const kith_turn *turn, kith_entity entity)
{
    (void)turn;
    (void)entity;
    left++;
}

static void tracked_systems_have_parts(void **state)
{
    fixture *f = *state;
    entered = left = 0;
    fill_rows(f, 5000);
    assert_non_null(kith_system_create(f->world, &(kith_system_desc){ .name    = "t",
                                                                      .part    = turn_part,
                                                                      .query   = livers_desc(),
                                                                      .tracked = true,
                                                                      .enter   = enter,
                                                                      .leave   = leave }));
    assert_true(kith_schedule_run(f->world, 1));
    kith_entity_destroy(f->world, livers_first(f->world));
    assert_true(kith_schedule_run(f->world, 1));
    assert_int_equal(entered, 5000);
    assert_int_equal(left, 1);
    assert_int_equal(kith_system_report_of(kith_system_find(f->world, "t")).turns, 2);
    assert_true(kith_system_destroy(kith_system_find(f->world, "t")));
}

enum { FIRST_OWN = 200, SYSTEMS = 200 };

static void count_up(const kith_part *part)
{
    kith_cursor c = kith_part_begin(part);
    while (kith_cursor_next(&c)) {
        *(uint32_t *)c.columns[0] += part->chunk + 1;
    }
}

// Each system writes a component of its own, so all are one stage.
static kith_world *create_two_hundred(kith_workers *workers)
{
    kith_world *world = kith_world_create(NULL);
    kith_entity entities[1000];
    assert_true(kith_world_use_workers(world, workers));
    for (uint32_t i = 0; i < 1000; i++) {
        entities[i] = kith_entity_create(world);
    }
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%u", i);
        const kith_component      id        = FIRST_OWN + i;
        const kith_component_desc component = {
            .name = name, .id = id, .size = 4, .alignment = 4, .traits.saved = KITH_AS(plain(4))
        };
        const kith_term       term  = { .component = id, .role = KITH_ROLE_WRITE };
        const kith_query_desc query = { .terms = &term, .term_count = 1 };
        assert_int_equal(kith_component_register(world, &component), id);
        for (uint32_t k = 0; k < 1000; k++) {
            kith_component_set(world, entities[k], id, &(uint32_t){ k });
        }
        create_part(world, name, count_up, &query);
    }
    return world;
}

static void two_hundred_systems(void **state)
{
    fixture    *f     = *state;
    kith_world *world = create_two_hundred(f->workers);
    kith_world *alone = create_two_hundred(NULL);
    uint64_t    tick  = kith_world_now(world);
    uint64_t    hash, expected;
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(kith_schedule_run(world, 1) && kith_schedule_run(alone, 1));
        assert_true(kith_world_hash_exact(world, &hash) && kith_world_hash_exact(alone, &expected));
        assert_true(hash == expected);
    }
    assert_int_equal(kith_world_now(world), tick + 3 * SYSTEMS);
    assert_int_equal(kith_system_report_of(kith_system_find(world, "s199")).entities, 1000);
    assert_world_valid(world);
    kith_world_destroy(world);
    kith_world_destroy(alone);
}

static void create_million(kith_world *world, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        kith_entity entity = kith_entity_create(world);
        at_set(world, entity, (place){ 0, 0 });
        moving_set(world, entity, (speed){ 1, 2 });
        life_set(world, entity, 2);
    }
    create_part(world, "move", move_part, movers_desc());
    create_part(world, "turn", turn_part, turners_desc());
    create_part(world, "fresh", fresh_part, fresh_desc());
    create_part(world, "tick", tick_part, tickers_desc());
    assert_true(kith_schedule_run(world, 1));
}

static void four_systems_of_a_million(void **state)
{
    fixture    *f     = *state;
    uint32_t    rows  = test_thinned(1000000);
    kith_world *alone = kith_world_create(NULL);
    uint64_t    hash = 0, expected = 0;
    assert_true(parts_register(alone));
    create_million(f->world, rows);
    create_million(alone, rows);
    assert_true(kith_world_hash_exact(f->world, &hash) && kith_world_hash_exact(alone, &expected));
    assert_true(hash == expected);
    KITH_EACH(movers, m, f->world)
    {
        if (m.at->x != 1 || m.at->y != 3 || m.moving->x != 1.25f) {
            fail_msg("entity %u is wrong", kith_entity_index(m.entity));
        }
    }
    assert_int_equal(kith_system_report_of(kith_system_find(f->world, "move")).entities, rows);
    kith_world_destroy(alone);
}

static uint32_t requested_turns;

static void count_turn(const kith_turn *turn)
{
    (void)turn;
    requested_turns++;
}

static void request_other(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    (void)context;
    kith_system_request(kith_system_find(world, "other"));
}

static void light_all(const kith_part *part)
{
    KITH_EACH_PART(livers, l, part)
    {
        stone_add_later(part->commands, l.entity);
    }
}

// Commands of a part cause an event, and its listener requests a system of the same run.
static void a_listener_lets_a_system_follow_parts(void **state)
{
    fixture *f = *state;
    fill_rows(f, 5000);
    requested_turns = 0;
    create_part(f->world, "light", light_all, livers_desc());
    assert_non_null(kith_system_create(
        f->world, &(kith_system_desc){ .name = "other", .run = count_turn, .on_demand = true }));
    assert_true(kith_listener_connect(f->world, &(kith_listener_desc){ .event     = KITH_EVENT_ADD,
                                                                       .component = STONE,
                                                                       .call = request_other }));
    assert_true(kith_schedule_run(f->world, 1));
    assert_int_equal(requested_turns, 1);
    assert_true(kith_schedule_run(f->world, 1)); // all have it: no event
    assert_int_equal(requested_turns, 1);
}

static void combine_again(const kith_turn *turn, const void *sum, void *context)
{
    (void)sum;
    *(bool *)context =
        kith_query_parallel(movers_query(turn->world), &(kith_parallel_desc){ .part = move_part });
}

static void stages_do_not_nest(void **state)
{
    fixture *f    = *state;
    bool     done = true;
    fill_rows(f, 10);
    const kith_parallel_desc desc = { count_rows, &done, 0, combine_again };
    visit                    v    = { 0 };
    (void)v;
    kith_parallel_desc quiet = desc;
    quiet.part               = turn_part;
    assert_true(kith_query_parallel(turners_query(f->world), &quiet));
    assert_false(done);
    assert_error_says(f->world, KITH_ERROR_BUSY, "parts of systems are running");
}

// --- workers ---------------------------------------------------------------------------------

static void workers_in_use_are_not_destroyed(void **state)
{
    fixture    *f = *state;
    kith_world *named =
        kith_world_create(&(kith_world_desc){ .name = "hall", .on_error = kith_error_ignore });
    assert_refused(&f->memory, f->world, KITH_ERROR_BUSY, kith_workers_destroy(f->workers));
    assert_error_says(f->world, KITH_ERROR_BUSY, "not while a world uses the workers");
    assert_true(kith_world_use_workers(f->world, NULL));
    assert_true(kith_world_use_workers(named, f->workers));
    assert_false(kith_workers_destroy(f->workers));
    assert_error_says(named, KITH_ERROR_BUSY, "a world uses the workers: \"hall\"");
    kith_world_destroy(named);
    assert_true(kith_workers_destroy(f->workers));
    assert_true(kith_workers_destroy(NULL));
    f->workers = kith_workers_create(&(kith_workers_desc){ 0 });
    assert_true(kith_workers_count(f->workers) >= 1);
    assert_true(kith_world_use_workers(f->world, f->workers));
}

typedef struct sharer {
    kith_workers *workers;
    uint64_t      hash;
    uint64_t      seed;
} sharer;

static void *share(void *context)
{
    sharer     *s     = context;
    kith_world *world = kith_world_create(NULL);
    parts_register(world);
    fill(world, 9000, s->seed);
    kith_world_use_workers(world, s->workers);
    kith_system_create(
        world, &(kith_system_desc){ .name = "m", .part = move_part, .query = movers_desc() });
    kith_system_create(world,
                       &(kith_system_desc){ .name = "a", .part = age_part, .query = agers_desc() });
    for (uint32_t i = 0; i < 20; i++) {
        kith_schedule_run(world, 0.1);
    }
    kith_world_hash_exact(world, &s->hash);
    kith_world_destroy(world);
    return NULL;
}

static void worlds_share_workers(void **state)
{
    fixture  *f      = *state;
    sharer    all[3] = { { f->workers, 0, 1 }, { f->workers, 0, 1 }, { NULL, 0, 1 } };
    pthread_t threads[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, share, &all[i]), 0);
    }
    share(&all[2]);
    for (uint32_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(all[0].hash, all[2].hash);
    assert_int_equal(all[1].hash, all[2].hash);
}

static void *intrude(void *world)
{
    return (void *)(uintptr_t)kith_entity_create(world);
}

static void let_intrude(const kith_turn *turn)
{
    pthread_t thread;
    void     *made = NULL;
    if (pthread_create(&thread, NULL, intrude, turn->world) == 0) {
        pthread_join(thread, &made);
    }
    *(bool *)turn->context = made != NULL;
}

static char heard_text[256];

static void hear_text(const kith_world *world, const kith_error *error, void *context)
{
    (void)context;
    kith_error_text(world, error, heard_text, sizeof heard_text);
}

// Builds with asserts notice that another thread uses the world while its schedule runs.
static void intruders_are_noticed(void **state)
{
#ifndef KITH_HAS_ASSERTS
    skip();
#endif
    bool        made  = true;
    kith_world *world = kith_world_create(&(kith_world_desc){ .on_error = hear_text });
    (void)state;
    kith_entity_create(world); // the table has a page
    assert_non_null(kith_system_create(
        world, &(kith_system_desc){ .name = "let", .run = let_intrude, .context = &made }));
    assert_true(kith_schedule_run(world, 1));
    assert_false(made);
    assert_string_equal(heard_text, "kith_entity_create: not while another thread uses the world");
    assert_int_equal(kith_world_stats(world).alive, 1);
    intrude(world);
    assert_int_equal(kith_world_stats(world).alive, 2);
    kith_world_destroy(world);
}

static void let_intrude_in_event(kith_world *world, const kith_notice *notice, void *context)
{
    (void)notice;
    kith_turn turn = { .world = world, .context = context };
    let_intrude(&turn);
}

// The same while a listener runs, and not behind it.
static void intruders_of_listeners_are_noticed(void **state)
{
#ifndef KITH_HAS_ASSERTS
    skip();
#endif
    bool        made  = true;
    kith_world *world = kith_world_create(&(kith_world_desc){ .on_error = hear_text });
    (void)state;
    assert_true(parts_register(world));
    kith_entity at = kith_entity_create(world);
    kith_listener_connect(world, &(kith_listener_desc){ .event     = KITH_EVENT_ADD,
                                                        .component = PLACE,
                                                        .call      = let_intrude_in_event,
                                                        .context   = &made });
    heard_text[0] = '\0';
    assert_non_null(kith_component_set(world, at, PLACE, NULL));
    assert_false(made);
    assert_string_equal(heard_text, "kith_entity_create: not while another thread uses the world");
    assert_int_equal(kith_world_stats(world).alive, 1);
    intrude(world);
    assert_int_equal(kith_world_stats(world).alive, 2);
    kith_world_destroy(world);
}

// A job system that runs waiting jobs inside of others, as those do that steal work.
typedef struct thief {
    uint32_t count;
    uint32_t failed;
    struct {
        void (*run)(void *task);
        void *task;
    } jobs[KITH_WORKERS_MAX];
} thief;

static void *put_aside(void (*run)(void *task), void *task, void *context)
{
    thief *t                 = context;
    t->jobs[t->count].run    = run;
    t->jobs[t->count++].task = task;
    return t;
}

static void steal(void *handle, void *context)
{
    thief *t = context;
    (void)handle;
    while (t->count != 0) {
        t->count--;
        t->jobs[t->count].run(t->jobs[t->count].task);
    }
}

static void move_and_steal(const kith_part *part)
{
    thief   *t    = part->turn->context;
    uint32_t rows = 0;
    KITH_EACH_PART(movers, m, part)
    {
        if (rows++ == 7) {
            steal(NULL, t);
        }
        m.at->y += 1;
    }
    t->failed += rows == 0;
}

static void parts_may_run_inside_of_others(void **state)
{
    fixture                *f       = *state;
    thief                   t       = { 0 };
    const kith_workers_desc desc    = { 4, put_aside, steal, &t, true };
    kith_workers           *workers = kith_workers_create(&desc);
    fill_rows(f, 5 * 4096);
    assert_true(kith_world_use_workers(f->world, workers));
    assert_true(kith_query_parallel(movers_query(f->world),
                                    &(kith_parallel_desc){ move_and_steal, &t, 0, NULL }));
    assert_int_equal(t.failed, 0);
    assert_int_equal(f->memory.errors, 0);
    KITH_EACH(movers, m, f->world)
    {
        assert_true(m.at->y == 1);
    }
    assert_true(kith_world_use_workers(f->world, f->workers));
    assert_true(kith_workers_destroy(workers));
}

// The last chunk fails first.
static void steal_and_fail(const kith_part *part)
{
    steal(NULL, part->turn->context);
    kith_component_get(part->turn->world, KITH_NULL, 500 + part->chunk);
}

static void errors_come_by_chunk_whichever_ends_first(void **state)
{
    fixture                *f       = *state;
    thief                   t       = { 0 };
    const kith_workers_desc desc    = { 3, put_aside, steal, &t, true };
    kith_workers           *workers = kith_workers_create(&desc);
    kith_world             *world   = kith_world_create(&(kith_world_desc){ .on_error = hear });
    (void)f;
    assert_true(parts_register(world) && kith_world_use_workers(world, workers));
    fill(world, ROWS, 1);
    heard[0] = '\0';
    assert_true(kith_query_parallel(places_query(world),
                                    &(kith_parallel_desc){ steal_and_fail, &t, 0, NULL }));
    assert_string_equal(heard, "500 501 502 ");
    kith_world_destroy(world);
    assert_true(kith_workers_destroy(workers));
}

static void run_inner(const kith_part *part)
{
    kith_world *inner = part->turn->context;
    if (part->chunk == 1) {
        kith_schedule_run(inner, 1);
    }
}

static void part_runs_another_world(void **state)
{
    fixture    *f     = *state;
    kith_world *inner = kith_world_create(NULL);
    assert_true(parts_register(inner));
    assert_true(kith_world_use_workers(inner, f->workers));
    fill(inner, 9000, 1);
    fill_rows(f, ROWS);
    create_part(inner, "move", move_part, movers_desc());
    assert_true(kith_query_parallel(movers_query(f->world),
                                    &(kith_parallel_desc){ .part = run_inner, .context = inner }));
    assert_int_equal(kith_system_report_of(kith_system_find(inner, "move")).turns, 1);
    assert_world_valid(inner);
    kith_world_destroy(inner);
}

// --- hashes ----------------------------------------------------------------------------------

typedef struct jobs {
    uint32_t    count;
    kith_world *other; // hashed while the workers are in use; may be NULL
    uint64_t    hash;
} jobs;

static pthread_t hash_thread; // that asks for the hash
static size_t    more_bytes;  // that writing the same value again takes

static size_t write_on_caller(const void *value, void *bytes, size_t room, void *context)
{
    static size_t again = 0;
    (void)context;
    assert_true(pthread_equal(pthread_self(), hash_thread));
    if (more_bytes != 0) {
        return 5000 + (again += more_bytes);
    }
    if (room >= 4) {
        memcpy(bytes, value, 4);
    }
    return 4;
}

static bool read_on_caller(void *value, const void *bytes, size_t size, void *context)
{
    (void)context;
    memcpy(value, bytes, 4);
    return size == 4;
}

static const kith_saver caller_saver = { write_on_caller, read_on_caller, NULL };
KITH_COMPONENT_AS(inked, uint32_t, 30, through(&caller_saver));

// Runs the task at once, on the calling thread.
static void *count_job(void (*run)(void *task), void *task, void *context)
{
    jobs *j = context;
    j->count++;
    if (j->other != NULL) {
        assert_true(kith_world_hash_full(j->other, KITH_ALL, &j->hash));
    }
    run(task);
    return NULL;
}

static void finish_no_job(void *handle, void *context)
{
    (void)handle;
    (void)context;
}

static uint64_t full_hash(kith_world *world, kith_workers *workers)
{
    uint64_t hash = 0;
    hash_thread   = pthread_self();
    assert_true(kith_world_use_workers(world, workers));
    assert_true(kith_world_hash_full(world, KITH_ALL, &hash));
    assert_true(kith_world_use_workers(world, NULL));
    return hash;
}

// Fills the world with so many entities, some of which are saved by a function.
static void fill_inked(kith_world *world, uint32_t count)
{
    assert_true(inked_register(world));
    fill(world, count, 3);
    for (uint32_t i = 0; i < 300; i++) {
        inked_set(world, kith_entity_create(world), i);
    }
}

static void hash_full_is_the_same_on_workers(void **state)
{
    static const uint32_t counts[] = { 1, 2, 3, 5, 8, 16, 32 };
    const fixture        *f        = *state;
    fill_inked(f->world, 20000);
    uint64_t serial = full_hash(f->world, NULL);
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        kith_workers *workers = kith_workers_create(&(kith_workers_desc){ .count = counts[i] });
        for (uint32_t times = 0; times < 10; times++) {
            assert_int_equal(full_hash(f->world, workers), serial);
        }
        assert_true(kith_workers_destroy(workers));
    }
    uint64_t kept = 0;
    assert_true(kith_world_hash(f->world, KITH_ALL, &kept));
    assert_int_equal(kept, serial);
}

static void hash_full_uses_workers_that_are_free(void **state)
{
    jobs           j       = { 0 };
    kith_world    *small   = kith_world_create(NULL);
    const fixture *f       = *state;
    kith_workers  *workers = kith_workers_create(&(kith_workers_desc){
         .count = 4, .enqueue = count_job, .finish = finish_no_job, .context = &j });
    assert_true(parts_register(small));
    fill_inked(small, 1000);
    uint64_t hash = full_hash(small, NULL);
    assert_int_equal(full_hash(small, workers), hash);
    assert_int_equal(j.count, 0); // too few entities
    fill_inked(f->world, 20000);
    hash = full_hash(f->world, NULL);
    assert_int_equal(full_hash(f->world, workers), hash);
    assert_int_equal(j.count, 3);
    j.other = f->world; // hashes itself while the workers are in use
    assert_int_equal(full_hash(f->world, workers), hash);
    assert_int_equal(j.count, 6);
    assert_int_equal(j.hash, hash);
    kith_world_destroy(small);
    assert_true(kith_workers_destroy(workers));
}

typedef struct asker {
    const kith_world *world;
    uint64_t          hash;
    bool              same;
} asker;

static void *ask_often(void *context)
{
    asker *a = context;
    a->same  = true;
    for (uint32_t i = 0; i < 20; i++) {
        uint64_t hash = 0;
        a->same = a->same && kith_world_hash_full(a->world, KITH_ALL, &hash) && hash == a->hash;
    }
    return NULL;
}

// One of them has the workers, the others hash on their own.
static void threads_ask_for_hash_full_at_once(void **state)
{
    const fixture *f = *state;
    asker          askers[3];
    pthread_t      threads[3];
    fill(f->world, 20000, 3);
    uint64_t hash = full_hash(f->world, NULL);
    assert_true(kith_world_use_workers(f->world, f->workers));
    for (uint32_t i = 0; i < 3; i++) {
        askers[i] = (asker){ .world = f->world, .hash = hash };
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &askers[i]), 0);
    }
    for (uint32_t i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        assert_true(askers[i].same);
    }
}

static void hash_full_fails_alike_on_workers(void **state)
{
    fixture *f = *state;
    fill_inked(f->world, 20000);
    more_bytes  = 1;
    hash_thread = pthread_self();
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t hash   = 7;
        uint32_t errors = f->memory.errors;
        assert_true(kith_world_use_workers(f->world, i == 0 ? NULL : f->workers));
        assert_false(kith_world_hash_full(f->world, KITH_ALL, &hash));
        assert_int_equal(f->memory.errors, errors + 1);
        assert_int_equal(hash, 7);
    }
    more_bytes = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(chunks_have_4096_rows),
        TEST(no_rows_are_no_chunks),
        TEST(all_cursors_see_the_chunk),
        TEST(untyped_cursors_stamp_what_they_write),
        TEST(one_chunk_is_walked_again),
        TEST(begin_again_closes_the_first),
        TEST(nothing_outlives_its_part),
        TEST(copies_of_cursors_end_with_their_block),
        TEST(ticks_do_not_go_back),
        TEST(changes_count_from_the_run_before),
        TEST(time_of_a_failed_stage_is_dropped),
        TEST(errors_of_a_failed_stage_are_reported),
        TEST(errors_need_memory),
        TEST(commands_of_parts_belong_to_the_stage),
        TEST(errors_name_the_remedy),
        TEST(commands_come_by_chunk),
        TEST(placeholders_belong_to_their_chunk),
        TEST(sums_are_combined_by_chunk),
        TEST(errors_come_by_chunk),
        TEST(every_allocation_may_fail),
        TEST(fixed_memory_is_enough_or_not),
        TEST(explain_shows_stages),
        TEST(shared_systems_run_beside_each_other),
        TEST(systems_of_a_stage_have_their_own_ticks),
        TEST(hooks_run_on_threads_where_they_may),
        TEST(undeclared_hooks_are_refused),
        TEST(descriptions_are_checked),
        TEST(tracked_systems_have_parts),
        TEST(two_hundred_systems),
        TEST(four_systems_of_a_million),
        TEST(a_listener_lets_a_system_follow_parts),
        TEST(stages_do_not_nest),
        TEST(workers_in_use_are_not_destroyed),
        TEST(worlds_share_workers),
        TEST(intruders_are_noticed),
        TEST(intruders_of_listeners_are_noticed),
        TEST(parts_may_run_inside_of_others),
        TEST(errors_come_by_chunk_whichever_ends_first),
        TEST(part_runs_another_world),
        TEST(hash_full_is_the_same_on_workers),
        TEST(hash_full_uses_workers_that_are_free),
        TEST(threads_ask_for_hash_full_at_once),
        TEST(hash_full_fails_alike_on_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
