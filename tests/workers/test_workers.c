// SPDX-License-Identifier: MIT
// Workers: what creating them needs may be missing, and worlds come and go while they sleep. The
// linker leads malloc, calloc, free, pthread_create and pthread_cond_wait of the library here.
#include "workers_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void  __real_free(void *memory);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context);
int __real_pthread_cond_wait(pthread_cond_t *signal, pthread_mutex_t *lock);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void  __wrap_free(void *memory);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context);
int __wrap_pthread_cond_wait(pthread_cond_t *signal, pthread_mutex_t *lock);

static atomic_int fail_in; // so many calls on; 0: never
static atomic_int blocks;  // allocated and not freed
static atomic_int asleep;

static bool fails_now(void)
{
    return fail_in != 0 && --fail_in == 0;
}

void *__wrap_malloc(size_t size)
{
    void *memory = fails_now() ? NULL : __real_malloc(size);
    blocks += memory != NULL;
    return memory;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *memory = fails_now() ? NULL : __real_calloc(count, size);
    blocks += memory != NULL;
    return memory;
}

void __wrap_free(void *memory)
{
    blocks -= memory != NULL;
    __real_free(memory);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context)
{
    return fails_now() ? 11 : __real_pthread_create(thread, attributes, run, context);
}

int __wrap_pthread_cond_wait(pthread_cond_t *signal, pthread_mutex_t *lock)
{
    asleep++;
    int result = __real_pthread_cond_wait(signal, lock);
    asleep--;
    return result;
}

static void wait_until_asleep(int count)
{
    while (asleep != count) {
        sched_yield();
    }
}

// --- the tests -------------------------------------------------------------------------------

// A block, a bed, and for each thread a block and the thread itself.
static void creating_fails_without_memory_or_threads(void **state)
{
    int before = blocks;
    (void)state;
    for (int n = 1; n <= 2 + 3 * 2; n++) {
        fail_in = n;
        assert_null(kith_workers_create(&(kith_workers_desc){ .count = 4 }));
        assert_int_equal(blocks, before);
    }
    fail_in               = 2 + 3 * 2 + 1;
    kith_workers *workers = kith_workers_create(&(kith_workers_desc){ .count = 4 });
    fail_in               = 0;
    assert_non_null(workers);
    assert_int_equal(kith_workers_count(workers), 4);
    assert_true(kith_workers_destroy(workers));
    assert_int_equal(blocks, before);
}

static void *never_enqueue(void (*run)(void *task), void *task, void *context)
{
    (void)run;
    (void)task;
    (void)context;
    return NULL;
}

static void never_finish(void *handle, void *context)
{
    (void)handle;
    (void)context;
}

static void jobs_need_no_threads(void **state)
{
    kith_workers_desc desc = { .count = 4, .enqueue = never_enqueue };
    (void)state;
    assert_null(kith_workers_create(&desc)); // without finish
    desc.finish           = never_finish;
    fail_in               = 2; // one block is all
    kith_workers *workers = kith_workers_create(&desc);
    fail_in               = 0;
    assert_non_null(workers);
    assert_true(kith_workers_destroy(workers));
}

static atomic_uint met;

// Ends when all three threads have a chunk.
static void meet_part(const kith_part *part)
{
    (void)part;
    atomic_fetch_add(&met, 1);
    while (atomic_load(&met) < 3) {
        sched_yield();
    }
}

static kith_world *create_world(kith_workers *workers)
{
    kith_world *world = kith_world_create(NULL);
    assert_true(parts_register(world) && kith_world_use_workers(world, workers));
    fill(world, 3 * 4096, 1);
    return world;
}

static void meet_in(kith_world *world)
{
    met = 0;
    assert_true(
        kith_query_parallel(places_query(world), &(kith_parallel_desc){ .part = meet_part }));
}

static void worlds_end_while_workers_sleep(void **state)
{
    kith_workers *workers = kith_workers_create(&(kith_workers_desc){ .count = 3, .eager = true });
    (void)state;
    assert_non_null(workers);
    wait_until_asleep(2);
    kith_world *first  = create_world(workers);
    kith_world *second = create_world(workers);
    meet_in(first); // wakes both
    wait_until_asleep(2);
    kith_world_destroy(first);
    assert_int_equal(asleep, 2);
    meet_in(second);
    meet_in(second);
    wait_until_asleep(2);
    kith_world_destroy(second);
    assert_true(kith_workers_destroy(workers));
    assert_int_equal(asleep, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creating_fails_without_memory_or_threads),
        cmocka_unit_test(jobs_need_no_threads),
        cmocka_unit_test(worlds_end_while_workers_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
