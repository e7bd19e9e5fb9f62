// SPDX-License-Identifier: MIT
// One result: random schedules over random worlds, with every number of workers and with hostile
// job systems, against the same schedule without workers. Exact hashes are equal after each run.
#include "workers_test.h"

#if !defined(_WIN32)
    #include <pthread.h>
#endif

// --- hostile job systems ---------------------------------------------------------------------

typedef enum manner { THREADS, AT_ONCE, AT_THE_END, BACKWARDS, ON_OTHER_THREADS, MANNERS } manner;

typedef struct job {
    void (*run)(void *task);
    void *task;
    bool  done;
#if !defined(_WIN32)
    bool      started;
    pthread_t thread;
#endif
} job;

typedef struct jobs {
    manner   how;
    uint64_t seed;
    uint32_t count;
    job      list[KITH_WORKERS_MAX];
} jobs;

#if defined(_WIN32)

static bool start(const job *one)
{
    (void)one;
    return false;
}

static bool was_joined(const job *one)
{
    (void)one;
    return false;
}

#else

static void *run_job(void *context)
{
    const job *one = context;
    one->run(one->task);
    return NULL;
}

static bool start(job *one)
{
    one->started = pthread_create(&one->thread, NULL, run_job, one) == 0;
    return one->started;
}

static bool was_joined(const job *one)
{
    return one->started && pthread_join(one->thread, NULL) == 0;
}

#endif

static void *enqueue(void (*run)(void *task), void *task, void *context)
{
    jobs *all = context;
    job  *one = &all->list[all->count++ % KITH_WORKERS_MAX];
    *one      = (job){ .run = run, .task = task };
    if (all->how == AT_ONCE || (all->how == BACKWARDS && test_random_below(&all->seed, 3) == 0)) {
        run(task);
        return NULL;
    }
    if (all->how == ON_OTHER_THREADS) {
        (void)start(one); // otherwise `finish` runs it
    }
    return one;
}

static void finish(void *handle, void *context)
{
    job  *one = handle;
    jobs *all = context;
    if (was_joined(one)) {
        return;
    }
    if (all->how == BACKWARDS) {
        for (uint32_t i = all->count; i-- > 0;) { // the newest first
            job *other = &all->list[i % KITH_WORKERS_MAX];
            if (!other->done && other->run != NULL && other <= one) {
                other->done = true;
                other->run(other->task);
            }
        }
    } else {
        one->run(one->task);
    }
}

// --- random schedules ------------------------------------------------------------------------

#define SYSTEMS 9u

static double light_sum;

static kith_system_desc system_desc(uint32_t kind)
{
    switch (kind) {
    case 0:
        return (kith_system_desc){ .part = move_part, .query = movers_desc() };
    case 1:
        return (kith_system_desc){ .part = turn_part, .query = turners_desc() };
    case 2:
        return (kith_system_desc){ .part = age_part, .query = agers_desc() };
    case 3:
        return (kith_system_desc){ .part = tick_part, .query = tickers_desc() };
    case 4:
        return (kith_system_desc){ .part = fresh_part, .query = fresh_desc() };
    case 5:
        return (kith_system_desc){ .part     = seen_part,
                                   .query    = seen_desc(),
                                   .sum_size = sizeof(double),
                                   .combine  = add_sum,
                                   .context  = &light_sum };
    case 6:
        return (kith_system_desc){ .part = light_part, .query = everyone_desc() };
    case 7:
        return (kith_system_desc){ .run = run_lonely, .shared = true, .query = lonely_desc() };
    default:
        return (kith_system_desc){ .run = run_plain };
    }
}

// The same systems for the same seed.
static void create_systems(kith_world *world, uint64_t seed)
{
    uint32_t count = 1 + test_random_below(&seed, 8);
    for (uint32_t i = 0; i < count; i++) {
        char             name[16] = { 's', (char)('a' + i) };
        kith_system_desc desc     = system_desc(test_random_below(&seed, SYSTEMS));
        desc.name                 = name;
        desc.phase                = (int32_t)(test_random_below(&seed, 8) == 0);
        desc.interval             = test_random_below(&seed, 6) == 0 ? 0.5 : 0;
        desc.on_demand            = desc.interval == 0 && test_random_below(&seed, 12) == 0;
        desc.disabled             = test_random_below(&seed, 12) == 0;
        kith_system *system       = kith_system_create(world, &desc);
        assert_non_null(system);
        kith_system_request(system);
    }
}

static kith_world *create_twin(uint64_t seed)
{
    kith_world *world   = kith_world_create(&(kith_world_desc){ .on_error = kith_error_ignore });
    uint32_t    sizes[] = { 0, 1, 100, 4095, 4096, 4097, 9000, 13000 };
    assert_true(parts_register(world));
    if (test_random_below(&seed, 4) == 0) {
        assert_non_null(kith_group_of(world, movers_desc()));
    }
    create_systems(world, seed);
    fill(world, sizes[test_random_below(&seed, 8)], seed);
    return world;
}

static uint64_t run_twin(kith_world *world, double *sum)
{
    uint64_t hash;
    light_sum = 0;
    assert_true(kith_schedule_run(world, 0.3));
    assert_true(kith_world_hash_exact(world, &hash));
    assert_world_valid(world);
    *sum = light_sum;
    return hash;
}

static void try_seed(uint64_t seed)
{
    static const uint32_t counts[] = { 1, 2, 3, 5, 8, 16, 32 };
    uint64_t              chance   = seed;
    uint32_t              runs     = 1 + test_random_below(&chance, 3);
    jobs                  all      = { .how = (manner)test_random_below(&chance, MANNERS) };
    all.seed                       = chance;
    bool              threads      = all.how == THREADS;
    kith_workers_desc desc         = { .count   = counts[test_random_below(&chance, 7)],
                                       .enqueue = threads ? NULL : enqueue,
                                       .finish  = threads ? NULL : finish,
                                       .context = &all,
                                       .eager   = test_random_below(&chance, 8) != 0 };
    kith_world       *a            = create_twin(seed);
    kith_world       *b            = create_twin(seed);
    kith_workers     *workers      = kith_workers_create(&desc);
    bool              checked      = test_random_below(&chance, 6) == 0;
    assert_non_null(workers);
    assert_true(kith_world_use_workers(b, workers));
    assert_true(kith_schedule_configure(a, &(kith_schedule_desc){ .checked = checked }));
    assert_true(kith_schedule_configure(b, &(kith_schedule_desc){ .checked = checked }));
    for (uint32_t i = 0; i < runs; i++) {
        double   sum_a, sum_b;
        uint64_t hash_a = run_twin(a, &sum_a);
        uint64_t hash_b = run_twin(b, &sum_b);
        if (hash_a != hash_b || memcmp(&sum_a, &sum_b, sizeof sum_a) != 0) {
            fail_msg("seed %llu, run %u: %u workers, manner %d: another result",
                     (unsigned long long)seed, i, desc.count, (int)all.how);
        }
    }
    kith_world_destroy(a);
    kith_world_destroy(b);
    assert_true(kith_workers_destroy(workers));
}

static void random_schedules(void **state)
{
    uint64_t seed  = test_seed();
    uint32_t count = test_thinned(10000);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        try_seed(test_random(&seed));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_schedules) };
    return cmocka_run_group_tests_name("workers_twin", tests, NULL, NULL);
}
