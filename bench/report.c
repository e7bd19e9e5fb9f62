// SPDX-License-Identifier: MIT
// Results for people (a table) and for programs (JSON).
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool bench_matches(const bench_result *result)
{
    return result->kith.checksum == result->limit.checksum;
}

double bench_ratio(const bench_result *result)
{
    return result->limit.minimum > 0 ? result->kith.minimum / result->limit.minimum : 0;
}

// By the figure as it is shown: a ratio of 1.004 meets a target of 1.
static bool is_met(const bench_result *result)
{
    return bench_ratio(result) < result->bench->target + 0.005;
}

static const char *verdict(const bench_result *result)
{
    if (!bench_matches(result)) {
        return "CHECKSUMS DIFFER";
    }
    if (result->bench->target <= 0) {
        return "";
    }
    return is_met(result) ? "met" : "missed";
}

#ifdef __clang__
    #define COMPILER __VERSION__
#else
    #define COMPILER "gcc " __VERSION__
#endif

// --- table -----------------------------------------------------------------------------------

void bench_print_head(const bench_settings *settings, int core)
{
    printf("kith_bench, built with %s; ", COMPILER);
    if (core >= 0) {
        printf("core %d", core);
    } else {
        printf("not pinned");
    }
    printf(", %s heap, %u turns of %u repetitions\n", settings->cold ? "cold" : "warm",
           settings->turns, settings->repetitions);
    printf("ns per operation: minimum (median)\n\n");
    printf("%-5s %-18s %9s %18s %18s %7s %7s\n", "case", "form", "n", "kith", "limit", "ratio",
           "target");
    fflush(stdout);
}

void bench_print_row(const bench_result *result)
{
    const bench_case *bench = result->bench;
    printf("%-5s %-18s %9u %8.2f (%7.2f) %8.2f (%7.2f) %7.2f %7.2f  %s\n", bench->id, bench->form,
           result->n, result->kith.minimum, result->kith.median, result->limit.minimum,
           result->limit.median, bench_ratio(result), bench->target, verdict(result));
    if (!bench_matches(result)) {
        printf("     kith computed %.17g, the limit %.17g\n", result->kith.checksum,
               result->limit.checksum);
    }
    fflush(stdout);
}

// --- JSON ------------------------------------------------------------------------------------

static void write_number(FILE *file, const char *name, bool known, double value)
{
    fprintf(file, ", \"%s\": ", name);
    if (known) {
        fprintf(file, "%.4g", value);
    } else {
        fputs("null", file);
    }
}

static void write_figures(FILE *file, const bench_result *result)
{
    bool memory = !bench_is_timed(result->bench->kind);
    write_number(file, "kith_ns", !memory, result->kith.minimum);
    write_number(file, "limit_ns", !memory, result->limit.minimum);
    if (memory) {
        write_number(file, "kith_bytes", true, result->kith.minimum);
        write_number(file, "limit_bytes", true, result->limit.minimum);
    } else {
        write_number(file, "kith_median_ns", true, result->kith.median);
        write_number(file, "limit_median_ns", true, result->limit.median);
    }
    write_number(file, "ratio", true, bench_ratio(result));
    write_number(file, "target", result->bench->target > 0, result->bench->target);
}

static void write_result(FILE *file, const bench_result *result, bool cold)
{
    const bench_case *bench = result->bench;
    fprintf(file, "  {\"case\": \"%s\", \"form\": \"%s\", \"n\": %u", bench->id, bench->form,
            result->n);
    write_figures(file, result);
    fprintf(file, ", \"met\": %s", is_met(result) ? "true" : "false");
    fprintf(file, ", \"checksums_agree\": %s", bench_matches(result) ? "true" : "false");
    fprintf(file, ", \"limit\": \"%s\"",
            bench->baseline == NULL ? "plain arrays" : bench->baseline);
    if (bench_only_curve(bench->axis)) {
        fprintf(file, ", \"n_counts\": \"%s\"", bench_axis_name(bench->axis));
    }
    fprintf(file, ", \"heap\": \"%s\"}", cold ? "cold" : "warm");
}

static bool make_folders(const char *path)
{
    char *part = bench_allocate(strlen(path) + 1, 1);
    strcpy(part, path);
    bool  made  = true;
    char *slash = strchr(part + 1, '/');
    while (made && slash != NULL) {
        *slash = '\0';
        made   = mkdir(part, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        slash  = strchr(slash + 1, '/');
    }
    free(part);
    return made;
}

bool bench_write(const char *path, const bench_result *results, uint32_t count, bool cold)
{
    FILE *file = make_folders(path) ? fopen(path, "w") : NULL;
    if (file == NULL) {
        return false;
    }
    fputs("[\n", file);
    for (uint32_t i = 0; i < count; i++) {
        write_result(file, &results[i], cold);
        fputs(i + 1 < count ? ",\n" : "\n", file);
    }
    fputs("]\n", file);
    bool written = ferror(file) == 0;
    return fclose(file) == 0 && written;
}
