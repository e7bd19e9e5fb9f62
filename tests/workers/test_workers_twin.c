// SPDX-License-Identifier: MIT
// One result: random schedules over random worlds, with every number of workers and with hostile
// job systems, against the same schedule without workers. Exact hashes are equal after each run.
#include "workers_test.h"

#include "kith/frames.h"

#include <stdatomic.h>

#if !defined(_WIN32)
    #include <pthread.h>
    #include <sched.h>
    #define HAVE_PTHREADS
#endif

// --- hostile job systems ---------------------------------------------------------------------

typedef enum manner {
    THREADS,          // of kith
    SLOW_THREADS,     // the same; parts wait for a while of any length
    AT_ONCE,          // enqueue runs the task: all on one thread
    AT_THE_END,       // finish runs it
    BACKWARDS,        // finish runs the latest ones first
    INSIDE,           // parts run waiting tasks inside of themselves, so the last chunk ends first
    ON_OTHER_THREADS, // a thread for each task
    ONE_AT_A_TIME, // the same, but one thread runs at a time; at each pause chance takes the next
    MANNERS
} manner;

typedef struct job {
    void (*run)(void *task);
    void *task;
    bool  done;
#ifdef HAVE_PTHREADS
    bool      started;
    pthread_t thread;
#endif
} job;

typedef struct jobs {
    manner   how;
    uint64_t seed;
    uint32_t count;
    uint32_t waiting; // that `finish` has not seen
    job      list[KITH_WORKERS_MAX];
#ifdef HAVE_PTHREADS
    pthread_mutex_t lock;
    pthread_cond_t  passed;
    uint32_t        holder; // of the baton: a job, or the calling thread (KITH_WORKERS_MAX)
#endif
} jobs;

static jobs *current; // of the world that is running

static void run_once(job *one)
{
    if (!one->done) {
        one->done = true;
        one->run(one->task);
    }
}

#ifdef HAVE_PTHREADS

static _Thread_local uint32_t self = KITH_WORKERS_MAX;

// Gives the baton to a job that is not done, or to the calling thread.
static void choose_holder(jobs *all)
{
    uint32_t from = test_random_below(&all->seed, all->count);
    all->holder   = KITH_WORKERS_MAX;
    for (uint32_t i = 0; i < all->count && test_random_below(&all->seed, 4) != 0; i++) {
        uint32_t number = (from + i) % all->count;
        if (all->list[number].started && !all->list[number].done) {
            all->holder = number;
            break;
        }
    }
    pthread_cond_broadcast(&all->passed);
}

static void wait_for_baton(jobs *all)
{
    while (all->holder != self) {
        pthread_cond_wait(&all->passed, &all->lock);
    }
}

static void pass_baton(void)
{
    pthread_mutex_lock(&current->lock);
    if (current->waiting != 0) { // otherwise the stage runs on the calling thread
        choose_holder(current);
        wait_for_baton(current);
    }
    pthread_mutex_unlock(&current->lock);
}

static void *run_with_baton(void *context)
{
    job  *one = context;
    jobs *all = current;
    self      = (uint32_t)(one - all->list);
    pthread_mutex_lock(&all->lock);
    wait_for_baton(all);
    pthread_mutex_unlock(&all->lock);
    one->run(one->task);
    pthread_mutex_lock(&all->lock);
    one->done = true;
    choose_holder(all);
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

static void *run_job(void *context)
{
    run_once(context);
    return NULL;
}

static void wait_a_while(void)
{
    static atomic_uint moments; // relaxed: threads must not learn anything from each other
    uint64_t           seed = atomic_fetch_add_explicit(&moments, 1, memory_order_relaxed);
    for (uint32_t i = test_random_below(&seed, 40); i > 0; i--) {
        sched_yield();
    }
}

static void start(jobs *all, job *one)
{
    void *(*run)(void *) = all->how == ONE_AT_A_TIME ? run_with_baton : run_job;
    pthread_mutex_lock(&all->lock);
    one->started = pthread_create(&one->thread, NULL, run, one) == 0;
    pthread_mutex_unlock(&all->lock);
}

static void finish_thread(jobs *all, job *one)
{
    while (all->how == ONE_AT_A_TIME && one->started && !one->done) {
        pass_baton();
    }
    if (one->started) {
        pthread_join(one->thread, NULL);
        one->started = false;
        one->done    = true;
    }
}

#else

static void pass_baton(void)
{
}

static void wait_a_while(void)
{
}

static void start(jobs *all, job *one)
{
    (void)all;
    (void)one;
}

static void finish_thread(jobs *all, job *one)
{
    (void)all;
    (void)one;
}

#endif

static void run_another(void)
{
    if (current->waiting != 0 && test_random_below(&current->seed, 4) != 0) {
        run_once(&current->list[test_random_below(&current->seed, current->count)]);
    }
}

static void *enqueue(void (*run)(void *task), void *task, void *context)
{
    jobs *all  = context;
    all->count = all->waiting == 0 ? 0 : all->count; // a new stage
    job *one   = &all->list[all->count++];
    *one       = (job){ .run = run, .task = task };
    if (all->how == AT_ONCE || (all->how == BACKWARDS && test_random_below(&all->seed, 3) == 0)) {
        run_once(one);
        return NULL;
    }
    if (all->how == ON_OTHER_THREADS || all->how == ONE_AT_A_TIME) {
        start(all, one); // otherwise `finish` runs it
    }
    all->waiting++;
    return one;
}

static void finish(void *handle, void *context)
{
    job  *one = handle;
    jobs *all = context;
    finish_thread(all, one);
    for (uint32_t i = all->count; all->how == BACKWARDS && i-- > 0;) { // the newest first
        run_once(&all->list[i]);
    }
    run_once(one);
    all->waiting--;
}

// Sets what parts do at their begin and end.
static void begin_manner(jobs *all)
{
    disturb = all->how == SLOW_THREADS    ? wait_a_while
              : all->how == INSIDE        ? run_another
              : all->how == ONE_AT_A_TIME ? pass_baton
                                          : NULL;
    current = all;
}

// --- random schedules ------------------------------------------------------------------------

// What a world tells, added up: sums, events and errors, in their order.
typedef struct witness {
    uint64_t     digest;
    double       sum;
    kith_frames *frames; // NULL: the world does not go back
} witness;

static void add_digest(witness *all, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        all->digest = (all->digest ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
}

static void hear_error(const kith_world *world, const kith_error *error, void *context)
{
    char text[512];
    kith_error_text(world, error, text, sizeof text);
    add_digest(context, text, strlen(text));
    add_digest(context, &error->entity, sizeof error->entity);
}

static void hear_event(kith_world *world, const kith_notice *notice, void *context)
{
    uint64_t tick = kith_world_now(world);
    add_digest(context, &notice->entity, sizeof notice->entity);
    add_digest(context, &notice->component, sizeof notice->component);
    add_digest(context, &tick, sizeof tick);
}

static void combine_sum(const kith_turn *turn, const void *sum, void *context)
{
    witness *all = context;
    (void)turn;
    all->sum += *(const double *)sum;
    add_digest(all, &all->sum, sizeof all->sum);
}

#define SYSTEMS 16u

static kith_system_desc system_desc(uint32_t kind, witness *all)
{
    static const kith_component reads[]  = { PLACE };
    static const kith_component writes[] = { LIFE };
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
                                   .combine  = combine_sum,
                                   .context  = all };
    case 6:
        return (kith_system_desc){ .part = light_part, .query = everyone_desc() };
    case 7:
        return (kith_system_desc){ .run = run_lonely, .shared = true, .query = lonely_desc() };
    case 8:
        return (kith_system_desc){ .part = lonely_part, .query = lonely_desc() };
    case 9:
        return (kith_system_desc){ .part = mixed_part, .query = mixed_desc() };
    case 10:
        return (kith_system_desc){ .part = newborn_part, .query = newborn_desc() };
    case 11:
        return (kith_system_desc){ .part = dormant_part, .query = dormant_desc() };
    case 12:
        return (kith_system_desc){ .part = posts_part, .query = posts_desc() };
    case 13:
        return (kith_system_desc){ .run         = run_watch,
                                   .shared      = true,
                                   .reads       = reads,
                                   .read_count  = 1,
                                   .writes      = writes,
                                   .write_count = 1 };
    case 14:
        return (kith_system_desc){ .run = run_posts };
    default:
        return (kith_system_desc){ .run = run_plain };
    }
}

// The same systems for the same seed.
static void create_systems(kith_world *world, uint64_t seed, witness *all)
{
    uint32_t count = 1 + test_random_below(&seed, 8);
    for (uint32_t i = 0; i < count; i++) {
        char             name[16] = { 's', (char)('a' + i) };
        kith_system_desc desc     = system_desc(test_random_below(&seed, SYSTEMS), all);
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

static void connect_witness(kith_world *world, witness *all)
{
    const kith_listener_desc events[] = {
        { .event = KITH_EVENT_ADD, .component = STONE },
        { .event = KITH_EVENT_REMOVE, .component = LIT },
        { .event = KITH_EVENT_SET, .component = BOND },
        { .event = KITH_EVENT_REMOVE, .component = FIXED },
        { .event = KITH_EVENT_CREATE },
        { .event = KITH_EVENT_DESTROY },
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        kith_listener_desc desc = events[i];
        desc.call               = hear_event;
        desc.context            = all;
        assert_true(kith_listener_connect(world, &desc) != 0);
    }
}

static kith_world *create_twin(uint64_t seed, witness *all)
{
    kith_world *world =
        kith_world_create(&(kith_world_desc){ .on_error = hear_error, .error_context = all });
    uint32_t sizes[] = { 0, 100, 4095, 4096, 4097, 9000, 13000, 17000 };
    uint32_t group   = test_random_below(&seed, 8);
    assert_true(parts_register(world));
    if (group < 2) { // it has a list of its members, or it owns components
        assert_non_null(kith_group_of(world, group == 0 ? movers_desc() : owned_desc()));
    }
    create_systems(world, seed, all);
    fill(world, sizes[test_random_below(&seed, 8)], seed);
    if (test_random_below(&seed, 2) == 0) {
        connect_witness(world, all);
    }
    if (test_random_below(&seed, 4) == 0) {
        all->frames = kith_frames_create(world, &(kith_frames_desc){ .capacity = 3 });
        assert_non_null(all->frames);
    }
    return world;
}

// Runs the schedule, and a loop without it; some worlds go back in between and run again.
static uint64_t run_twin(kith_world *world, witness *all, bool by_hand)
{
    uint64_t                 hash, again = 0;
    uint64_t                 frame = all->frames == NULL ? 0 : kith_frames_save(all->frames);
    const kith_parallel_desc desc  = { seen_part, all, sizeof(double), combine_sum };
    all->sum                       = 0;
    assert_true(kith_schedule_run(world, 0.3));
    assert_true(kith_world_hash_exact(world, &hash));
    if (frame != 0) {
        assert_true(kith_frames_restore(all->frames, frame));
        assert_true(kith_schedule_run(world, 0.3));
        assert_true(kith_world_hash_exact(world, &again));
        assert_true(hash == again);
    }
    if (by_hand) {
        assert_true(kith_query_parallel(seen_query(world), &desc));
        assert_true(
            kith_query_parallel(posts_query(world), &(kith_parallel_desc){ .part = posts_part }));
        assert_true(kith_world_hash_exact(world, &hash));
    }
    assert_world_valid(world);
    return hash;
}

static kith_workers *create_hostile(jobs *all, uint64_t *chance)
{
    static const uint32_t counts[] = { 1, 2, 3, 5, 8, 16, 32 };
    all->how                       = (manner)test_random_below(chance, MANNERS);
    all->seed                      = *chance;
    bool              threads      = all->how == THREADS || all->how == SLOW_THREADS;
    uint32_t          kinds        = all->how == ONE_AT_A_TIME ? 5 : 7; // each task starts a thread
    kith_workers_desc desc         = { .count   = counts[test_random_below(chance, kinds)],
                                       .enqueue = threads ? NULL : enqueue,
                                       .finish  = threads ? NULL : finish,
                                       .context = all,
                                       .eager   = test_random_below(chance, 8) != 0 };
#ifdef HAVE_PTHREADS
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->passed, NULL);
    all->holder = KITH_WORKERS_MAX;
#endif
    kith_workers *workers = kith_workers_create(&desc);
    assert_non_null(workers);
    return workers;
}

static void try_seed(uint64_t seed)
{
    uint64_t      chance  = seed;
    uint32_t      runs    = 1 + test_random_below(&chance, 3);
    bool          by_hand = test_random_below(&chance, 3) == 0;
    bool          checked = test_random_below(&chance, 6) == 0;
    jobs          all     = { .count = 0 };
    witness       told_a  = { .digest = 0 };
    witness       told_b  = { .digest = 0 };
    kith_world   *a       = create_twin(seed, &told_a);
    kith_world   *b       = create_twin(seed, &told_b);
    kith_workers *workers = create_hostile(&all, &chance);
    assert_true(kith_world_use_workers(b, workers));
    assert_true(kith_schedule_configure(a, &(kith_schedule_desc){ .checked = checked }));
    assert_true(kith_schedule_configure(b, &(kith_schedule_desc){ .checked = checked }));
    for (uint32_t i = 0; i < runs; i++) {
        uint64_t hash_a = run_twin(a, &told_a, by_hand);
        begin_manner(&all);
        uint64_t hash_b = run_twin(b, &told_b, by_hand);
        disturb         = NULL;
        if (hash_a != hash_b || told_a.digest != told_b.digest) {
            fail_msg("seed %llu, run %u: %u workers, manner %d: another %s",
                     (unsigned long long)seed, i, kith_workers_count(workers), (int)all.how,
                     hash_a != hash_b ? "state" : "order of sums, events or errors");
        }
    }
    assert_true(kith_frames_destroy(told_a.frames) && kith_frames_destroy(told_b.frames));
    kith_world_destroy(a);
    kith_world_destroy(b);
    assert_true(kith_workers_destroy(workers));
}

static void random_schedules(void **state)
{
    uint64_t seed  = test_seed();
    uint32_t count = test_thinned(10000);
    (void)state;
    count = count < 10000 && count > 1000 ? 1000 : count; // `make test` has other tests, too
    for (uint32_t i = 0; i < count; i++) {
        try_seed(test_random(&seed));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_schedules) };
    return cmocka_run_group_tests_name("workers_twin", tests, NULL, NULL);
}
