// SPDX-License-Identifier: MIT
// The benchmark: kith against hand-written arrays, case by case.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_OK = 0, EXIT_CHECKSUM = 1, EXIT_USAGE = 2 };

static const bench_suite *const suites[] = {
    &bench_create,  &bench_batch,   &bench_change, &bench_lookup,   &bench_iterate,
    &bench_frame,   &bench_terms,   &bench_sets,   &bench_group,    &bench_loop,
    &bench_sort,    &bench_path,    &bench_stamp,  &bench_react,    &bench_system,
    &bench_workers, &bench_command, &bench_tree,   &bench_link,     &bench_name,
    &bench_clone,   &bench_hash,    &bench_frames, &bench_snapshot, &bench_memory
};

#define SUITES (sizeof suites / sizeof suites[0])

static const uint32_t default_sizes[] = { 65536, 1000000, 0 };

#define PLACES_MAX 10

typedef struct curve_axis {
    const char *name;
    uint32_t    places[PLACES_MAX]; // ends at the first 0
} curve_axis;

static const curve_axis axes[] = {
    [BENCH_ENTITIES]   = { "entities", { 1000, 3000, 10000, 30000, 100000, 300000, 1000000 } },
    [BENCH_COMPONENTS] = { "components", { 8, 16, 32, 64, 128, 256, 512, 1000 } },
    [BENCH_TERMS]      = { "terms", { 1, 2, 3, 4, 5, 6, 7, 8 } },
    [BENCH_SETS]       = { "component sets", { 4, 10, 30, 100, 300, 1000, 4000 } },
};

#define QUICK_SIZE       4096
#define INSTRUCTION_SIZE 16384

#define CURVE_OPERATIONS      2000000
#define CURVE_REPETITIONS_MIN 4
#define CURVE_MORE_MAX        20 // times the usual number of repetitions

typedef enum action { ACTION_MEASURE, ACTION_CURVE, ACTION_COUNT, ACTION_LIST, ACTION_HELP } action;

typedef struct options {
    action         action;
    const char    *cases; // ids with commas between; NULL: all
    const char    *out;   // NULL: no file
    uint32_t       n;     // 0: the sizes of the case; of a curve: its last place
    bool           quick; // a smoke run
    bench_settings settings;
} options;

typedef struct results {
    bench_result *items;
    uint32_t      count;
    bool          failed;
} results;

// --- the command line ------------------------------------------------------------------------

static void print_help(void)
{
    puts("usage: kith_bench [options]\n"
         "  --cases C1,G1    only these cases; --list shows them\n"
         "  --n N            this size instead of the sizes of each case\n"
         "  --turns N        turns of each side (4)\n"
         "  --out FILE       write the results as JSON\n"
         "  --curve          cost by number of entities, components, terms and component sets\n"
         "  --quick          a smoke run: small, few repetitions, times mean nothing\n"
         "  --instructions   one repetition of each side, for bench/instructions.sh\n"
         "  --list           the cases, their sizes and targets\n"
         "BENCH_COLD=1 in the environment makes each repetition pay for fresh pages.\n"
         "The exit code is 1 when two sides computed different things; times never fail.");
}

static bool parse_count(const char *text, uint32_t *count)
{
    char         *end    = NULL;
    unsigned long number = text == NULL ? 0 : strtoul(text, &end, 10);
    if (number == 0 || number > 1u << 30 || *end != '\0') {
        return false;
    }
    *count = (uint32_t)number;
    return true;
}

static bool parse_text(const char *text, const char **value)
{
    *value = text;
    return text != NULL && *text != '\0';
}

static void choose_quick(options *chosen)
{
    chosen->quick                = true;
    chosen->settings.turns       = 1;
    chosen->settings.repetitions = 3;
    chosen->n                    = chosen->n == 0 ? QUICK_SIZE : chosen->n;
}

// Options without a value. Returns whether `name` is one.
static bool parse_switch(const char *name, options *chosen)
{
    if (strcmp(name, "--quick") == 0) {
        choose_quick(chosen);
    } else if (strcmp(name, "--instructions") == 0) {
        chosen->action = ACTION_COUNT;
    } else if (strcmp(name, "--curve") == 0) {
        chosen->action = ACTION_CURVE;
    } else if (strcmp(name, "--list") == 0) {
        chosen->action = ACTION_LIST;
    } else if (strcmp(name, "--help") == 0) {
        chosen->action = ACTION_HELP;
    } else {
        return false;
    }
    return true;
}

// Options with a value. Returns whether `name` is one and the value is good.
static bool parse_value(const char *name, const char *value, options *chosen)
{
    if (strcmp(name, "--cases") == 0) {
        return parse_text(value, &chosen->cases);
    }
    if (strcmp(name, "--out") == 0) {
        return parse_text(value, &chosen->out);
    }
    if (strcmp(name, "--n") == 0) {
        return parse_count(value, &chosen->n);
    }
    if (strcmp(name, "--turns") == 0) {
        return parse_count(value, &chosen->settings.turns);
    }
    return false;
}

static bool parse(int argc, char **argv, options *chosen)
{
    for (int i = 1; i < argc; i++) {
        if (parse_switch(argv[i], chosen)) {
            continue;
        }
        if (!parse_value(argv[i], argv[i + 1], chosen)) {
            fprintf(stderr, "kith_bench: cannot make sense of %s; --help shows the options\n",
                    argv[i]);
            return false;
        }
        i++;
    }
    return true;
}

// --- the choice of cases ---------------------------------------------------------------------

typedef void (*visit_fn)(const bench_case *bench, const options *chosen, results *all);

static const bench_case *case_at(uint32_t index)
{
    for (size_t s = 0; s < SUITES; s++) {
        if (index < suites[s]->count) {
            return &suites[s]->cases[index];
        }
        index -= suites[s]->count;
    }
    return NULL;
}

// `names` continues after a comma.
static bool begins_with_id(const char *names, const char *id)
{
    size_t length = strlen(id);
    return strncmp(names, id, length) == 0 && (names[length] == ',' || names[length] == '\0');
}

static const char *next_name(const char *name)
{
    const char *comma = strchr(name, ',');
    return comma == NULL ? NULL : comma + 1;
}

static bool is_chosen(const char *names, const char *id)
{
    for (const char *name = names; name != NULL; name = next_name(name)) {
        if (begins_with_id(name, id)) {
            return true;
        }
    }
    return names == NULL;
}

static bool is_known(const char *name)
{
    const bench_case *bench = NULL;
    for (uint32_t i = 0; (bench = case_at(i)) != NULL; i++) {
        if (begins_with_id(name, bench->id)) {
            return true;
        }
    }
    return false;
}

static bool are_known(const char *names)
{
    for (const char *name = names; name != NULL; name = next_name(name)) {
        if (!is_known(name)) {
            fprintf(stderr, "kith_bench: no case is called %.*s; --list shows them\n",
                    (int)strcspn(name, ","), name);
            return false;
        }
    }
    return true;
}

static void for_each_case(visit_fn visit, const options *chosen, results *all)
{
    const bench_case *bench = NULL;
    for (uint32_t i = 0; (bench = case_at(i)) != NULL; i++) {
        if (is_chosen(chosen->cases, bench->id)) {
            visit(bench, chosen, all);
        }
    }
}

const char *bench_axis_name(bench_axis axis)
{
    return axes[axis].name;
}

static const uint32_t *sizes_of(const bench_case *bench)
{
    return bench->sizes[0] == 0 ? default_sizes : bench->sizes;
}

// --- what to do with a case ------------------------------------------------------------------

static void list_case(const bench_case *bench, const options *chosen, results *all)
{
    (void)chosen;
    (void)all;
    if (bench_only_curve(bench->axis)) {
        printf("%-5s %-18s only with --curve, by number of %s\n", bench->id, bench->form,
               bench_axis_name(bench->axis));
        return;
    }
    printf("%-5s %-18s target %5.2f  n =", bench->id, bench->form, bench->target);
    for (const uint32_t *n = sizes_of(bench); *n != 0; n++) {
        printf(" %u", *n);
    }
    printf("%s%s\n", bench->baseline == NULL ? "" : "  against ",
           bench->baseline == NULL ? "" : bench->baseline);
}

static void measure_size(const bench_case *bench, uint32_t n, const bench_settings *settings,
                         results *all)
{
    bench_result result;
    bool         done = bench_measure(bench, n, settings, &result);
    if (settings->progress) {
        fputs("\r\033[K", stderr);
    }
    if (!done) {
        fprintf(stderr, "kith_bench: %s %s, n = %u, ended without a result\n", bench->id,
                bench->form, n);
        all->failed = true;
        return;
    }
    bench_print_row(&result);
    all->failed = all->failed || !bench_matches(&result);

    all->items = realloc(all->items, (all->count + 1) * sizeof *all->items);
    bench_require(all->items != NULL, "allocate memory");
    all->items[all->count++] = result;
}

static void measure_case(const bench_case *bench, const options *chosen, results *all)
{
    if (bench_only_curve(bench->axis)) {
        return;
    }
    if (chosen->n != 0) {
        measure_size(bench, chosen->n, &chosen->settings, all);
        return;
    }
    for (const uint32_t *n = sizes_of(bench); *n != 0; n++) {
        measure_size(bench, *n, &chosen->settings, all);
    }
}

// About as many operations in a turn at every place, so that small sizes are not left to chance and
// large ones end.
static bench_settings curve_settings(const options *chosen, uint32_t entities)
{
    bench_settings settings = chosen->settings;
    uint32_t       most     = settings.repetitions * CURVE_MORE_MAX;
    uint32_t       count    = CURVE_OPERATIONS / entities;
    count                   = count < CURVE_REPETITIONS_MIN ? CURVE_REPETITIONS_MIN : count;
    count                   = count < most ? count : most;
    settings.repetitions    = chosen->quick ? settings.repetitions : count;
    return settings;
}

static void measure_curve(const bench_case *bench, const options *chosen, results *all)
{
    const uint32_t *place = axes[bench->axis].places;
    for (; *place != 0 && (chosen->n == 0 || *place <= chosen->n); place++) {
        uint32_t       entities = bench_only_curve(bench->axis) ? CURVE_ENTITIES : *place;
        bench_settings settings = curve_settings(chosen, entities);
        measure_size(bench, *place, &settings, all);
    }
}

// The usual size, or the case's own where that is smaller.
static uint32_t instruction_size(const bench_case *bench)
{
    uint32_t own = sizes_of(bench)[0];
    return own < INSTRUCTION_SIZE ? own : INSTRUCTION_SIZE;
}

static void count_case(const bench_case *bench, const options *chosen, results *all)
{
    uint32_t n = chosen->n == 0 ? instruction_size(bench) : chosen->n;
    if (!bench_is_timed(bench->kind) || bench_only_curve(bench->axis) || bench->threads) {
        return;
    }
    if (!bench_count(bench, n)) {
        fprintf(stderr, "kith_bench: %s %s: CHECKSUMS DIFFER\n", bench->id, bench->form);
        all->failed = true;
    }
}

// --- the program -----------------------------------------------------------------------------

static int measure_all(const options *chosen, visit_fn measure)
{
    results all = { 0 };
    bench_print_head(&chosen->settings, bench_pin());
    for_each_case(measure, chosen, &all);
    int code = all.failed ? EXIT_CHECKSUM : EXIT_OK;
    if (chosen->out != NULL &&
        !bench_write(chosen->out, all.items, all.count, chosen->settings.cold)) {
        fprintf(stderr, "kith_bench: cannot write %s\n", chosen->out);
        code = EXIT_USAGE;
    }
    free(all.items);
    return code;
}

static int count_all(const options *chosen)
{
    results all = { 0 };
    if (!bench_can_count()) {
        return EXIT_USAGE;
    }
    for_each_case(count_case, chosen, &all);
    return all.failed ? EXIT_CHECKSUM : EXIT_OK;
}

static options default_options(void)
{
    const char *cold   = getenv("BENCH_COLD");
    options     chosen = { 0 };

    chosen.settings.turns       = 4;
    chosen.settings.repetitions = 15;
    chosen.settings.cold        = cold != NULL && strcmp(cold, "1") == 0;
    chosen.settings.progress    = isatty(STDERR_FILENO) != 0;
    return chosen;
}

int main(int argc, char **argv)
{
    options chosen = default_options();
    if (!parse(argc, argv, &chosen) || !are_known(chosen.cases)) {
        return EXIT_USAGE;
    }
    switch (chosen.action) {
    case ACTION_HELP:
        print_help();
        return EXIT_OK;
    case ACTION_LIST:
        for_each_case(list_case, &chosen, NULL);
        return EXIT_OK;
    case ACTION_COUNT:
        return count_all(&chosen);
    case ACTION_CURVE:
        return measure_all(&chosen, measure_curve);
    case ACTION_MEASURE:
    default:
        return measure_all(&chosen, measure_case);
    }
}
