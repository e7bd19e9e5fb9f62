// SPDX-License-Identifier: MIT
// Workers: how threads of kith, or jobs of the program, run a function together.
//
//     gate   the number of workers inside, and CLOSED when no more may enter
//
// The calling thread writes the job, opens the gate, and changes `round`, on which threads wait: a
// while spinning, then asleep. A thread that comes while the gate is open goes in. When the calling
// thread has no work left, it closes the gate and waits until all are out. A thread that wakes too
// late finds the gate closed and waits for the next round; the calling thread does not wait for it.
#include "workers/workers.h"

#include <stdlib.h>

#define CLOSED    0x80000000u
#define SPIN_MOST 4000u // of a thread without work, before it sleeps: some 20 to 100 microseconds

typedef struct kith_hand { // a thread, or a job of the program
    struct kith_crew *crew;
    uint32_t          worker;
    kith_thread      *thread;
    void             *handle; // of `enqueue`
} kith_hand;

typedef struct kith_crew {
    kith_workers   workers; // first
    kith_worker_fn work;
    void          *context;
    atomic_bool    ending;
    atomic_uint    gate;
    atomic_uint    round;
    kith_bed      *bed;
    kith_hand      hands[]; // of the workers 1 .. count - 1, from 0
} kith_crew;

#if defined(__x86_64__) || defined(__i386__)
    #define PAUSE() __builtin_ia32_pause()
#else
    #define PAUSE() ((void)0)
#endif

// Does the job, if the gate is open.
static void go_in(kith_crew *crew, uint32_t worker)
{
    unsigned inside = atomic_load_explicit(&crew->gate, memory_order_relaxed);
    while ((inside & CLOSED) == 0) {
        if (atomic_compare_exchange_weak_explicit(&crew->gate, &inside, inside + 1,
                                                  memory_order_acquire, memory_order_relaxed)) {
            crew->work(crew->context, worker);
            atomic_fetch_sub_explicit(&crew->gate, 1, memory_order_release);
            return;
        }
    }
}

// Opens the gate for a job.
static void open_gate(kith_crew *crew, kith_worker_fn work, void *context)
{
    crew->work    = work;
    crew->context = context;
    atomic_store_explicit(&crew->gate, 0, memory_order_release);
}

// Closes the gate, and waits until all workers are out.
static void close_gate(kith_crew *crew)
{
    unsigned inside = atomic_fetch_or_explicit(&crew->gate, CLOSED, memory_order_acquire) | CLOSED;
    for (unsigned spins = 0; inside != CLOSED; spins++) {
        PAUSE();
        if (spins > SPIN_MOST) {
            kith_thread_yield();
        }
        inside = atomic_load_explicit(&crew->gate, memory_order_acquire);
    }
}

// --- threads ---------------------------------------------------------------------------------

static void live(void *context)
{
    kith_hand *hand  = context;
    kith_crew *crew  = hand->crew;
    unsigned   round = 0;
    while (!crew->ending) {
        go_in(crew, hand->worker);
        for (unsigned spins = 0;
             spins < SPIN_MOST && atomic_load_explicit(&crew->round, memory_order_acquire) == round;
             spins++) {
            PAUSE();
        }
        kith_bed_wait(crew->bed, &crew->round, round);
        round = atomic_load_explicit(&crew->round, memory_order_acquire);
    }
}

static void next_round(kith_crew *crew)
{
    atomic_fetch_add_explicit(&crew->round, 1, memory_order_seq_cst);
    kith_bed_wake(crew->bed);
}

static void run_on_threads(kith_workers *workers, uint32_t count, kith_worker_fn work,
                           void *context)
{
    kith_crew *crew = (kith_crew *)workers;
    (void)count; // a worker that finds nothing to do goes out again
    open_gate(crew, work, context);
    next_round(crew);
    work(context, 0);
    close_gate(crew);
}

static void end_threads(kith_crew *crew, uint32_t started)
{
    crew->ending = true;
    next_round(crew);
    for (uint32_t i = 0; i < started; i++) {
        kith_thread_join(crew->hands[i].thread);
    }
}

static bool start_threads(kith_crew *crew)
{
    for (uint32_t i = 0; i + 1 < crew->workers.count; i++) {
        crew->hands[i].thread = kith_thread_start(live, &crew->hands[i]);
        if (crew->hands[i].thread == NULL) {
            end_threads(crew, i);
            return false;
        }
    }
    return true;
}

// --- jobs of the program ---------------------------------------------------------------------

static void run_job(void *task)
{
    kith_hand *hand = task;
    go_in(hand->crew, hand->worker);
}

static void run_as_jobs(kith_workers *workers, uint32_t count, kith_worker_fn work, void *context)
{
    kith_crew               *crew = (kith_crew *)workers;
    const kith_workers_desc *desc = &workers->desc;
    open_gate(crew, work, context);
    for (uint32_t i = 0; i + 1 < count; i++) {
        crew->hands[i].handle = desc->enqueue(run_job, &crew->hands[i], desc->context);
    }
    work(context, 0);
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (crew->hands[i].handle != NULL) {
            desc->finish(crew->hands[i].handle, desc->context);
        }
    }
    close_gate(crew);
}

// --- creating and destroying -----------------------------------------------------------------

kith_workers *kith_workers_create(const kith_workers_desc *desc)
{
    bool     jobs  = desc->enqueue != NULL;
    uint32_t count = desc->count == 0 ? kith_thread_processors() : desc->count;
    if (jobs != (desc->finish != NULL) || desc->count > KITH_WORKERS_MAX) {
        return NULL;
    }
    count           = KITH_HAS_THREADS ? kith_min(count, KITH_WORKERS_MAX) : 1;
    kith_crew *crew = calloc(1, sizeof *crew + count * sizeof *crew->hands);
    if (crew == NULL) {
        return NULL;
    }
    crew->workers.run   = jobs ? run_as_jobs : run_on_threads; // not called for one worker
    crew->workers.desc  = *desc;
    crew->workers.count = count;
    crew->bed           = jobs || count == 1 ? NULL : kith_bed_create();
    atomic_flag_clear(&crew->workers.busy);
    atomic_flag_clear(&crew->workers.lock);
    atomic_init(&crew->gate, CLOSED);
    for (uint32_t i = 0; i + 1 < count; i++) {
        crew->hands[i] = (kith_hand){ .crew = crew, .worker = i + 1 };
    }
    if (!jobs && count > 1 && (crew->bed == NULL || !start_threads(crew))) {
        kith_bed_destroy(crew->bed);
        free(crew);
        return NULL;
    }
    return &crew->workers;
}

bool kith_workers_destroy(kith_workers *workers)
{
    kith_crew *crew = (kith_crew *)workers;
    if (workers != NULL && workers->users != NULL) {
        return kith_world_refuse_because(workers->users, KITH_ERROR_BUSY, __func__, 0,
                                         "a world uses the workers", workers->users->name);
    }
    if (workers != NULL && crew->bed != NULL) {
        end_threads(crew, workers->count - 1);
        kith_bed_destroy(crew->bed);
    }
    free(crew);
    return true;
}

uint32_t kith_workers_count(const kith_workers *workers)
{
    return workers->count;
}

bool kith_world_use_workers(kith_world *world, kith_workers *workers)
{
    if (!kith_require_at_rest(world, __func__) || !kith_world_reserve_stage(world, __func__)) {
        return false;
    }
    if (world->workers != NULL) {
        kith_workers_leave(world->workers, world);
    }
    world->workers = workers;
    if (workers != NULL) {
        kith_spin_lock(&workers->lock);
        world->next_user = workers->users;
        workers->users   = world;
        kith_spin_unlock(&workers->lock);
    }
    return true;
}
