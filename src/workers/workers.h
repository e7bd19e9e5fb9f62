// SPDX-License-Identifier: MIT
// Workers: threads that call one function together, and what they need of the operating system.
#pragma once

#include "world/world.h"

#include "kith/workers.h"

// Called on each thread with the number of its worker; 0: the calling thread.
typedef void (*kith_worker_fn)(void *context, uint32_t worker);

// Stages call workers through a pointer, so that a program without workers does not link threads.
struct kith_workers {
    // Calls `work` on the calling thread and on at most `count` - 1 others, and returns when all
    // calls have returned.
    void (*run)(kith_workers *workers, uint32_t count, kith_worker_fn work, void *context);
    kith_workers_desc desc;
    uint32_t          count;
    atomic_flag       busy;  // a stage is running on them
    atomic_flag       lock;  // of `users`
    kith_world       *users; // the worlds that use them, linked by next_user
};

// Takes the world out of the users of its workers (stage.c).
void kith_workers_leave(kith_workers *workers, kith_world *world);

// Creates what stages of the world keep, if there is none yet. Returns false, with an error, when
// memory runs out (stage.c).
bool kith_world_reserve_stage(kith_world *world, const char *call);

// Waits until the flag is clear, and sets it (stage.c).
void kith_spin_lock(atomic_flag *flag);

static inline void kith_spin_unlock(atomic_flag *flag)
{
    atomic_flag_clear_explicit(flag, memory_order_release);
}

// --- threads (threads.c) ---------------------------------------------------------------------
//
// The only code of workers that differs between operating systems. With KITH_NO_THREADS no thread
// can be started.

#ifdef KITH_NO_THREADS
    #define KITH_HAS_THREADS false
#else
    #define KITH_HAS_THREADS true
#endif

// Lets another thread run; returns how many processors the program may use; returns a number of the
// calling thread, which is not 0 and which no other running thread has.
void      kith_thread_yield(void);
uint32_t  kith_thread_processors(void);
uintptr_t kith_thread_self(void);

typedef struct kith_thread kith_thread;
typedef struct kith_bed    kith_bed;

// Starts a thread; returns NULL when there is none to give. `join` waits for its end.
kith_thread *kith_thread_start(void (*run)(void *context), void *context);
void         kith_thread_join(kith_thread *thread);

// A bed is where threads sleep until a number changes. `wait` returns when *value != old; call
// `wake` after each change. `create` returns NULL when memory runs out.
kith_bed *kith_bed_create(void);
void      kith_bed_destroy(kith_bed *bed);
void      kith_bed_wait(kith_bed *bed, const atomic_uint *value, unsigned old);
void      kith_bed_wake(kith_bed *bed);
