// SPDX-License-Identifier: MIT
// Threads of the operating system, and what to do without them.
#if !defined(_WIN32) && !defined(_GNU_SOURCE)
    #define _GNU_SOURCE // sched_getaffinity NOLINT(bugprone-reserved-identifier)
#endif

#include "workers/workers.h"

#include <errno.h>
#include <stdlib.h>

#if defined(_WIN32)

    #define WIN32_LEAN_AND_MEAN
    #include <windows.h>
    #undef near // windows.h defines both; in the single-file build kith uses them as names
    #undef far

void kith_thread_yield(void)
{
    SwitchToThread();
}

uint32_t kith_thread_processors(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors;
}

#else

    #include <sched.h>
    #include <unistd.h>

void kith_thread_yield(void)
{
    (void)sched_yield();
}

uint32_t kith_thread_processors(void)
{
    #ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return (uint32_t)CPU_COUNT(&set);
    }
    #endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}

#endif

uintptr_t kith_thread_self(void)
{
    return (uintptr_t)&errno; // each thread has its own
}

#if defined(KITH_NO_THREADS)
typedef char system_thread, system_lock, system_signal;
    #define THREAD_RESULT                    void *
    #define THREAD_START(THREAD, RUN, GIVEN) ((void)(RUN), (void)(GIVEN), false)
    #define THREAD_JOIN(THREAD)              ((void)(THREAD))
    #define BED_INIT(BED)                    ((void)(BED))
    #define BED_FREE(BED)                    ((void)(BED))
    #define LOCK(LOCK)                       ((void)(LOCK))
    #define UNLOCK(LOCK)                     ((void)(LOCK))
    #define SIGNAL_WAIT(SIGNAL, LOCK)        ((void)(SIGNAL))
    #define SIGNAL_ALL(SIGNAL)               ((void)(SIGNAL))
#elif defined(_WIN32)
typedef HANDLE             system_thread;
typedef SRWLOCK            system_lock;
typedef CONDITION_VARIABLE system_signal;
    #define THREAD_RESULT DWORD WINAPI
    #define THREAD_START(THREAD, RUN, GIVEN)                                                       \
        ((THREAD = CreateThread(NULL, 0, RUN, GIVEN, 0, NULL)) != NULL)
    #define THREAD_JOIN(T)            (WaitForSingleObject(T, INFINITE), CloseHandle(T))
    #define BED_INIT(BED)             ((void)(BED)) // zeros are valid
    #define BED_FREE(BED)             ((void)(BED))
    #define LOCK(LOCK)                AcquireSRWLockExclusive(LOCK)
    #define UNLOCK(LOCK)              ReleaseSRWLockExclusive(LOCK)
    #define SIGNAL_WAIT(SIGNAL, LOCK) SleepConditionVariableSRW(SIGNAL, LOCK, INFINITE, 0)
    #define SIGNAL_ALL(SIGNAL)        WakeAllConditionVariable(SIGNAL)
#else
    #include <pthread.h>
typedef pthread_t       system_thread;
typedef pthread_mutex_t system_lock;
typedef pthread_cond_t  system_signal;
    #define THREAD_RESULT                    void *
    #define THREAD_START(THREAD, RUN, GIVEN) (pthread_create(&(THREAD), NULL, RUN, GIVEN) == 0)
    #define THREAD_JOIN(THREAD)              pthread_join(THREAD, NULL)
    #define BED_INIT(BED)                                                                          \
        (pthread_mutex_init(&(BED)->lock, NULL), pthread_cond_init(&(BED)->signal, NULL))
    #define BED_FREE(BED)                                                                          \
        (pthread_cond_destroy(&(BED)->signal), pthread_mutex_destroy(&(BED)->lock))
    #define LOCK(LOCK)                pthread_mutex_lock(LOCK)
    #define UNLOCK(LOCK)              pthread_mutex_unlock(LOCK)
    #define SIGNAL_WAIT(SIGNAL, LOCK) pthread_cond_wait(SIGNAL, LOCK)
    #define SIGNAL_ALL(SIGNAL)        pthread_cond_broadcast(SIGNAL)
#endif

struct kith_thread {
    void (*run)(void *context);
    void         *context;
    system_thread thread;
};

struct kith_bed {
    system_lock   lock;
    system_signal signal;
    atomic_uint   sleepers;
};

static THREAD_RESULT run_thread(void *given)
{
    const kith_thread *thread = given;
    thread->run(thread->context);
    return 0;
}

kith_thread *kith_thread_start(void (*run)(void *context), void *context)
{
    kith_thread *thread = malloc(sizeof *thread);
    if (thread != NULL) {
        thread->run     = run;
        thread->context = context;
        if (!THREAD_START(thread->thread, run_thread, thread)) {
            free(thread);
            thread = NULL;
        }
    }
    return thread;
}

void kith_thread_join(kith_thread *thread)
{
    THREAD_JOIN(thread->thread);
    free(thread);
}

kith_bed *kith_bed_create(void)
{
    kith_bed *bed = calloc(1, sizeof *bed);
    if (bed != NULL) {
        BED_INIT(bed);
        atomic_init(&bed->sleepers, 0);
    }
    return bed;
}

void kith_bed_destroy(kith_bed *bed)
{
    if (bed != NULL) {
        BED_FREE(bed);
        free(bed);
    }
}

// A thread counts itself as a sleeper before it looks at the value, and `wake` looks for sleepers
// after the value has changed: one of the two sees the other.
void kith_bed_wait(kith_bed *bed, const atomic_uint *value, unsigned old)
{
    if (atomic_load_explicit(value, memory_order_acquire) != old) {
        return;
    }
    LOCK(&bed->lock);
    atomic_fetch_add(&bed->sleepers, 1);
    while (atomic_load(value) == old) {
        SIGNAL_WAIT(&bed->signal, &bed->lock);
    }
    atomic_fetch_sub(&bed->sleepers, 1);
    UNLOCK(&bed->lock);
}

void kith_bed_wake(kith_bed *bed)
{
    if (atomic_load(&bed->sleepers) != 0) {
        LOCK(&bed->lock); // a thread that counted itself waits for the signal now
        UNLOCK(&bed->lock);
        SIGNAL_ALL(&bed->signal);
    }
}
