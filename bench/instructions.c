// SPDX-License-Identifier: MIT
// Counts instructions instead of time. Runs under callgrind, started by instructions.sh.
#include "bench.h"

#include <stdio.h>

#ifdef BENCH_HAVE_CALLGRIND

    #include <valgrind/callgrind.h>

bool bench_can_count(void)
{
    if (!RUNNING_ON_VALGRIND) {
        fputs("kith_bench: --instructions counts only under callgrind: run "
              "bench/instructions.sh\n",
              stderr);
        return false;
    }
    return true;
}

// How many loops a stored query needs until it remembers all that it can.
    #define REMEMBERS 2

static void dump(const bench_case *bench, const char *side, const bench_data *data)
{
    char description[160];
    snprintf(description, sizeof description, "%s|%s|%s|%u|%llu|%g", bench->id, bench->form, side,
             data->n, (unsigned long long)data->ops, bench->instructions);
    CALLGRIND_DUMP_STATS_AT(description);
}

static double count_side(const bench_case *bench, const bench_side *side, const char *name,
                         uint32_t n)
{
    bench_data data = bench_open(bench, side, n);
    for (int i = 0; i < REMEMBERS && bench->kind == BENCH_STEADY; i++) {
        side->run(&data); // what it remembers for the next time is not part of the steady state
    }
    CALLGRIND_TOGGLE_COLLECT;
    side->run(&data);
    CALLGRIND_TOGGLE_COLLECT;
    dump(bench, name, &data);
    double checksum = side->checksum(&data);
    side->teardown(&data);
    return checksum;
}

bool bench_count(const bench_case *bench, uint32_t n)
{
    return count_side(bench, &bench->kith, "kith", n) ==
           count_side(bench, &bench->limit, "limit", n);
}

#else

bool bench_can_count(void)
{
    fputs("kith_bench: built without valgrind/callgrind.h: install valgrind with its headers, "
          "configure and build again\n",
          stderr);
    return false;
}

bool bench_count(const bench_case *bench, uint32_t n)
{
    (void)bench;
    (void)n;
    return false;
}

#endif
