// SPDX-License-Identifier: MIT
// Systems in parts on two job systems of the guide: a pool of pthreads and, when the compiler has
// OpenMP, its tasks. The result is that of one thread. The pool is also the smoke run for helgrind
// (tools/check_helgrind.sh), which understands it, unlike the atomics of kith's own threads.
#include "kith/snapshot.h"
#include "kith/workers.h"

#include <stdio.h>

enum { THREADS = 2, TICKS = 8, ENTITIES = 20000 };

// --- a pool ----------------------------------------------------------------------------------

#ifndef _OPENMP

    #include <pthread.h>

typedef struct job {
    void (*run)(void *task);
    void *task;
    bool  done;
} job;

typedef struct thread_pool {
    pthread_t       threads[THREADS];
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    job             jobs[KITH_WORKERS_MAX]; // a ring
    uint32_t        next, end;
    bool            ending;
} thread_pool;

static void *pool_work(void *context)
{
    thread_pool *p = context;
    pthread_mutex_lock(&p->lock);
    while (!p->ending) {
        if (p->next == p->end) {
            pthread_cond_wait(&p->changed, &p->lock);
            continue;
        }
        job *j = &p->jobs[p->next++ % KITH_WORKERS_MAX];
        pthread_mutex_unlock(&p->lock);
        j->run(j->task);
        pthread_mutex_lock(&p->lock);
        j->done = true;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void *pool_enqueue(void (*run)(void *task), void *task, void *context)
{
    thread_pool *p = context;
    pthread_mutex_lock(&p->lock);
    job *j = &p->jobs[p->end++ % KITH_WORKERS_MAX];
    *j     = (job){ run, task, false };
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return j;
}

static void pool_finish(void *handle, void *context)
{
    thread_pool *p = context;
    const job   *j = handle;
    pthread_mutex_lock(&p->lock);
    while (!j->done) {
        pthread_cond_wait(&p->changed, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

static bool pool_begin(thread_pool *p)
{
    bool started =
        pthread_mutex_init(&p->lock, NULL) == 0 && pthread_cond_init(&p->changed, NULL) == 0;
    for (uint32_t i = 0; i < THREADS && started; i++) {
        started = pthread_create(&p->threads[i], NULL, pool_work, p) == 0;
    }
    return started;
}

static void pool_end(thread_pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->ending = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(p->threads[i], NULL);
    }
}

#else

// --- tasks of OpenMP -------------------------------------------------------------------------

    #include <stdatomic.h>

static atomic_uint given; // tasks

static void *omp_enqueue(void (*run)(void *task), void *task, void *context)
{
    (void)context;
    given++;
    #pragma omp task firstprivate(run, task)
    run(task);
    return task; // not NULL: finish waits
}

static void omp_finish(void *handle, void *context)
{
    (void)handle;
    (void)context;
    #pragma omp      taskwait
}

#endif

// --- a world ---------------------------------------------------------------------------------

enum { SPOT = 1, DRIFT, AGE };

typedef struct spot {
    float x, y;
} spot;

KITH_COMPONENT_AS(spot, spot, SPOT, plain(4));
KITH_COMPONENT_AS(drift, spot, DRIFT, plain(4));
KITH_COMPONENT_AS(age, uint32_t, AGE, plain(4));
KITH_MODULE(scene, spot, drift, age);

KITH_QUERY(moved, write(spot), read(drift));
KITH_QUERY(aged, write(age));
KITH_QUERY(turned, write(drift), read(spot), changed(spot));

static void move(const kith_part *part)
{
    for (moved m = moved_begin_part(part); moved_next_chunk(&m);) {
        for (uint32_t i = 0; i < m.count; i++) {
            m.spot[i].x += m.drift[i].x * (float)part->turn->dt;
        }
    }
}

static void grow(const kith_part *part)
{
    for (aged a = aged_begin_part(part); aged_next(&a);) {
        *a.age += 1;
        if (*a.age % 64 == 0) {
            kith_entity_destroy_later(part->commands, a.entity);
        } else if (*a.age % 64 == 5) {
            age_set_later(part->commands, kith_entity_create_later(part->commands), *a.age * 3);
        } else if (*a.age % 64 == 9) {
            spot_mut(part->turn->world, a.entity); // refused: an error of the part
        }
    }
}

static void turn(const kith_part *part)
{
    double *sum = part->sum;
    for (turned t = turned_begin_part(part); turned_next(&t);) {
        t.drift->y += 1;
        *sum += (double)t.spot->x * 1.1;
    }
}

static void add(const kith_turn *turn, const void *sum, void *context)
{
    (void)turn;
    *(double *)context += *(const double *)sum;
}

static kith_world *make_scene(double *sum)
{
    const kith_world_desc  quiet     = { .on_error = kith_error_ignore };
    const kith_system_desc systems[] = {
        { .name = "move", .part = move, .query = moved_desc() },
        { .name = "grow", .part = grow, .query = aged_desc() },
        { .name     = "turn",
          .part     = turn,
          .query    = turned_desc(),
          .sum_size = sizeof(double),
          .combine  = add,
          .context  = sum },
    };
    kith_world *world = kith_world_create(&quiet);
    bool        made  = world != NULL && scene_register(world);
    for (uint32_t i = 0; i < ENTITIES && made; i++) {
        kith_entity entity = kith_entity_create(world);
        spot_set(world, entity, (spot){ (float)i, 0 });
        drift_set(world, entity, (spot){ (float)(i % 7), 1 });
        age_set(world, entity, i % 100);
    }
    for (size_t i = 0; i < sizeof systems / sizeof *systems && made; i++) {
        made = kith_system_create(world, &systems[i]) != NULL;
    }
    return made ? world : NULL;
}

static bool run(kith_workers *workers, uint64_t *hash, double *sum)
{
    kith_world *world = make_scene(sum);
    bool        right = world != NULL && kith_world_use_workers(world, workers);
    for (uint32_t i = 0; i < TICKS && right; i++) {
        right = kith_schedule_run(world, 0.5);
    }
    right = right && kith_world_hash_exact(world, hash);
    return kith_world_destroy(world) && right;
}

#ifndef _OPENMP
static bool run_on_pool(uint64_t *hash, double *sum)
{
    thread_pool             p       = { .next = 0 };
    const kith_workers_desc desc    = { THREADS + 1, pool_enqueue, pool_finish, &p, true };
    kith_workers           *workers = kith_workers_create(&desc);
    bool                    right   = workers != NULL && pool_begin(&p) && run(workers, hash, sum);
    pool_end(&p);
    return kith_workers_destroy(workers) && right;
}
#else
// Another thread of the team is free for the tasks while one runs the schedule.
static bool run_on_pool(uint64_t *hash, double *sum)
{
    const kith_workers_desc desc    = { THREADS + 1, omp_enqueue, omp_finish, NULL, true };
    kith_workers           *workers = kith_workers_create(&desc);
    bool                    right   = workers != NULL;
    #pragma omp parallel num_threads(THREADS + 1)
    #pragma omp          single
    right                           = right && run(workers, hash, sum);
    right = right && (given != 0 || kith_workers_count(workers) == 1); // a library without threads
    return kith_workers_destroy(workers) && right;
}
#endif

int main(void)
{
    uint64_t alone = 0, shared = 0;
    double   sum_alone = 0, sum_shared = 0;
    bool     right = run(NULL, &alone, &sum_alone) && run_on_pool(&shared, &sum_shared);
    right          = right && alone == shared && sum_alone - sum_shared == 0;
    puts(right ? "the same on three workers" : "FAILED");
    return right ? 0 : 1;
}
