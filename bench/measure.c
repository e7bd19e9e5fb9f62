// SPDX-License-Identifier: MIT
// Measures a case: in a process of its own, pinned, kith and limit in turns.
#include "bench.h"

#include <malloc.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct runner {
    const bench_case *bench;
    const bench_side *side;
    uint32_t          n;
    bool              cold;
    bench_data        data;
    double           *samples;
    uint32_t          sample_count;
    uint32_t          verified;
    double            checksum;
} runner;

static cpu_set_t all_cores; // before bench_pin

int bench_pin(void)
{
    int core = sched_getcpu();
    if (core < 0 || sched_getaffinity(0, sizeof all_cores, &all_cores) != 0) {
        return -1;
    }
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET((unsigned)core, &cores);
    return sched_setaffinity(0, sizeof cores, &cores) == 0 ? core : -1;
}

// Lets this process run on all processors again.
static void unpin(void)
{
    (void)sched_setaffinity(0, sizeof all_cores, &all_cores);
}

// What a repetition frees then serves the next one without page faults, so that the library is
// measured and not the kernel.
static void keep_heap_warm(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 0x7fffffff);
    mallopt(M_TOP_PAD, 64 * 1024 * 1024);
    mallopt(M_ARENA_MAX, 1); // another arena takes 64 MB for each piece that a thread allocates
#endif
}

// Returns every free page to the system, so that a repetition gets none that was touched before.
static void cool_heap(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// The compiler may move no access to memory across this.
static void barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

// --- one side --------------------------------------------------------------------------------

bench_data bench_open(const bench_case *bench, const bench_side *side, uint32_t n)
{
    uint64_t   per_entity = bench->ops_per_entity == 0 ? 1 : bench->ops_per_entity;
    bench_data data       = { .n = n, .ops = per_entity * n };
    side->setup(&data);
    return data;
}

static void open_data(runner *r)
{
    if (r->cold) {
        cool_heap();
    }
    r->data = bench_open(r->bench, r->side, r->n);
}

// A repetition that computes something else than the one before makes the checksum NaN, which
// equals nothing.
static void verify_and_close(runner *r)
{
    double checksum = r->side->checksum(&r->data);
    r->checksum     = r->verified == 0 || checksum == r->checksum ? checksum : (double)NAN;
    r->verified++;
    r->side->teardown(&r->data);
}

static double time_body(runner *r)
{
    barrier();
    double start = now_ns();
    barrier();
    r->side->run(&r->data);
    barrier();
    double end = now_ns();
    barrier();
    return (end - start) / (double)r->data.ops;
}

static double repeat(runner *r)
{
    if (r->bench->kind == BENCH_STEADY) {
        return time_body(r);
    }
    open_data(r);
    double ns = time_body(r);
    verify_and_close(r);
    return ns;
}

static void take_turn(runner *r, uint32_t repetitions)
{
    (void)repeat(r);
    for (uint32_t i = 1; i < repetitions; i++) {
        r->samples[r->sample_count++] = repeat(r);
    }
}

static int compare(const void *a, const void *b)
{
    double left  = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static bench_figure summarise(runner *r)
{
    qsort(r->samples, r->sample_count, sizeof *r->samples, compare);
    bench_figure figure = { .minimum  = r->samples[0],
                            .median   = r->samples[r->sample_count / 2],
                            .checksum = r->checksum };
    free(r->samples);
    return figure;
}

// --- both sides in turns ---------------------------------------------------------------------

static runner start(const bench_case *bench, const bench_side *side, uint32_t n,
                    const bench_settings *settings)
{
    runner r  = { .bench = bench, .side = side, .n = n, .cold = settings->cold };
    r.samples = bench_allocate((size_t)settings->turns * settings->repetitions, sizeof *r.samples);
    if (bench->kind == BENCH_STEADY) {
        open_data(&r);
    }
    // Brings code, heap and caches into the state in which they stay.
    (void)repeat(&r);
    return r;
}

static bench_figure finish(runner *r)
{
    if (r->bench->kind == BENCH_STEADY) {
        verify_and_close(r);
    }
    return summarise(r);
}

static void show_progress(const bench_result *result, uint32_t turn, const bench_settings *settings)
{
    if (settings->progress) {
        fprintf(stderr, "\r\033[K%s %s, n = %u: turn %u of %u", result->bench->id,
                result->bench->form, result->n, turn + 1, settings->turns);
    }
}

static void measure_time(bench_result *result, const bench_settings *settings)
{
    runner kith  = start(result->bench, &result->bench->kith, result->n, settings);
    runner limit = start(result->bench, &result->bench->limit, result->n, settings);
    for (uint32_t turn = 0; turn < settings->turns; turn++) {
        show_progress(result, turn, settings);
        take_turn(&kith, settings->repetitions);
        take_turn(&limit, settings->repetitions);
    }
    result->kith  = finish(&kith);
    result->limit = finish(&limit);
}

// --- memory ----------------------------------------------------------------------------------

static double resident_bytes(void)
{
    FILE         *statm = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    bool          known = statm != NULL && fscanf(statm, "%*u %lu", &pages) == 1;
    bench_require(known, "read /proc/self/statm");
    fclose(statm);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static bench_figure measure_bytes(runner *r)
{
    open_data(r);
    double before = resident_bytes();
    r->side->run(&r->data);
    bool   counted = r->bench->kind == BENCH_BYTES;
    double bytes   = counted ? (double)r->data.bytes : resident_bytes() - before;
    bytes /= (double)r->data.ops;
    return (bench_figure){ .minimum = bytes, .median = bytes };
}

// kith's world stays while the limit is measured: memory that it freed would count as free.
static void measure_memory(bench_result *result)
{
    runner kith  = { .bench = result->bench, .side = &result->bench->kith, .n = result->n };
    runner limit = { .bench = result->bench, .side = &result->bench->limit, .n = result->n };

    result->kith  = measure_bytes(&kith);
    result->limit = measure_bytes(&limit);

    verify_and_close(&kith);
    verify_and_close(&limit);
    result->kith.checksum  = kith.checksum;
    result->limit.checksum = limit.checksum;
}

// --- a process per case ----------------------------------------------------------------------

static void work(int output, bench_result *result, const bench_settings *settings)
{
    bool timed = bench_is_timed(result->bench->kind);
    if (result->bench->threads) {
        unpin();
    }
    if (timed && !settings->cold) {
        keep_heap_warm();
    }
    if (timed) {
        measure_time(result, settings);
    } else {
        measure_memory(result);
    }
    bench_require(write(output, result, sizeof *result) == sizeof *result, "report the result");
}

bool bench_measure(const bench_case *bench, uint32_t n, const bench_settings *settings,
                   bench_result *result)
{
    *result = (bench_result){ .bench = bench, .n = n };
    int ends[2];
    bench_require(pipe(ends) == 0, "open a pipe");
    pid_t worker = fork();
    bench_require(worker >= 0, "start a process");
    if (worker == 0) {
        work(ends[1], result, settings);
        _exit(0);
    }
    close(ends[1]);
    bool received = read(ends[0], result, sizeof *result) == sizeof *result;
    close(ends[0]);
    int status = 0;
    return waitpid(worker, &status, 0) == worker && status == 0 && received;
}
