// SPDX-License-Identifier: MIT
// The proof of the loop contract: every program of up to two changes over three entities and three
// components, of three changes over two components, each with and without groups, and programs
// drawn at random, against the model.
//
//     kith_loops                  everything
//     kith_loops --most 1000000   at most 1000000 programs of each part
//     kith_loops --part 1/8       every eighth job, from the second on
//     kith_loops --seed 7         other random programs
//     kith_loops --random 1000    1000 of them
//     kith_loops --only NAME      one part, as the table that is printed calls it
#include "loop_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SWAP_AND_STABLE = 0x3,
    OTHER_FLAVOURS  = 0xFC,
    ALL_FLAVOURS    = 0xFF,
    ALL_VARIANTS    = 0x1F,
    HOLES           = 0x18,
    NO_GROUPS       = 0x1,
    GROUPS          = (1 << LOOP_GROUP_SETS) - 2,
    NOW             = 1 << LOOP_NOW,
    LATER           = 1 << LOOP_RECORDED | 1 << LOOP_ENQUEUED
};

// name, changes, components, listening, chunks, inner, flavours, variants, groups, ways
static const loop_run runs[] = {
    { "1 change", 1, 3, false, false, 1, ALL_FLAVOURS, ALL_VARIANTS, NO_GROUPS, NOW },
    { "1 change, chunks", 1, 3, false, true, 1, ALL_FLAVOURS, ALL_VARIANTS, NO_GROUPS, NOW },
    { "1 later change", 1, 3, false, false, 1, ALL_FLAVOURS, ALL_VARIANTS, NO_GROUPS, LATER },
    { "2 later changes", 2, 3, false, false, 0, ALL_FLAVOURS, HOLES, NO_GROUPS, LATER },
    { "1 later change, listener", 2, 3, true, false, 0, ALL_FLAVOURS, HOLES, NO_GROUPS, LATER },
    { "1 later change, groups", 1, 3, false, false, 0, ALL_FLAVOURS, ALL_VARIANTS, GROUPS, LATER },
    { "2 changes", 2, 3, false, false, 1, SWAP_AND_STABLE, ALL_VARIANTS, NO_GROUPS, NOW },
    { "2 changes, chunks", 2, 3, false, true, 1, SWAP_AND_STABLE, ALL_VARIANTS, NO_GROUPS, NOW },
    { "2 changes, one by a listener", 2, 3, true, false, 1, SWAP_AND_STABLE, ALL_VARIANTS,
      NO_GROUPS, NOW },
    { "3 changes, 2 components", 3, 2, false, false, 0, SWAP_AND_STABLE, HOLES, NO_GROUPS, NOW },
    { "2 changes, other pools", 2, 3, false, false, 1, OTHER_FLAVOURS, ALL_VARIANTS, NO_GROUPS,
      NOW },
    { "1 change, groups", 1, 3, false, false, 1, ALL_FLAVOURS, ALL_VARIANTS, GROUPS, NOW },
    { "1 change, groups, chunks", 1, 3, false, true, 1, ALL_FLAVOURS, ALL_VARIANTS, GROUPS, NOW },
    { "2 changes, groups", 2, 3, false, false, 1, ALL_FLAVOURS, ALL_VARIANTS, GROUPS, NOW },
    { "2 changes, groups, listener", 2, 3, true, false, 1, ALL_FLAVOURS, ALL_VARIANTS, GROUPS,
      NOW },
    { "3 changes, groups", 3, 2, false, false, 0, ALL_FLAVOURS, HOLES, GROUPS, NOW },
    { "3 changes, inner loops", 3, 2, false, false, 1, SWAP_AND_STABLE, HOLES, NO_GROUPS, NOW },
};

enum { RUNS = sizeof runs / sizeof runs[0] };

typedef struct arguments {
    uint64_t    most; // programs of a part; 0: all
    uint64_t    part;
    uint64_t    parts;
    uint64_t    seed;
    uint64_t    random;
    const char *only; // NULL: everything
} arguments;

static int usage(void)
{
    fprintf(stderr, "usage: kith_loops [--most N] [--part I/N] [--seed N] [--random N] "
                    "[--only NAME]\n");
    return 2;
}

static bool read_part(arguments *a, const char *word)
{
    char *rest = NULL;
    a->part    = strtoull(word, &rest, 10);
    a->parts   = *rest == '/' ? strtoull(rest + 1, NULL, 10) : 0;
    return a->part < a->parts;
}

static bool read_argument(arguments *a, const char *name, const char *word)
{
    if (strcmp(name, "--most") == 0) {
        a->most = strtoull(word, NULL, 10);
    } else if (strcmp(name, "--part") == 0) {
        return read_part(a, word);
    } else if (strcmp(name, "--seed") == 0) {
        a->seed = strtoull(word, NULL, 10);
    } else if (strcmp(name, "--random") == 0) {
        a->random = strtoull(word, NULL, 10);
    } else if (strcmp(name, "--only") == 0) {
        a->only = word;
    } else {
        return false;
    }
    return true;
}

static void begin_part(loop_search *search, const arguments *a)
{
    search->jobs    = 0;
    search->cases   = 0;
    search->calls   = 0;
    search->repeats = 0;
    search->cut     = false;
    search->most    = a->most;
}

static bool end_part(loop_search *search, const char *name, bool same)
{
    printf("%-30s %11" PRIu64 " cases %12" PRIu64 " calls %11" PRIu64 " repeats", name,
           search->cases, search->calls, search->repeats);
    if (!same) {
        text program = { .data = NULL };
        printf("\n");
        loop_search_shrink(search);
        loop_search_write(search, &program);
        fprintf(stderr, "%s", program.data == NULL ? "" : program.data);
        text_end(&program);
    }
    return same;
}

static bool is_selected(const arguments *a, const char *name)
{
    return a->only == NULL || strcmp(a->only, name) == 0;
}

static bool prove(loop_search *search, const arguments *a, const loop_run *run)
{
    uint64_t jobs = loop_run_jobs(run) / a->parts;
    if (!is_selected(a, run->name)) {
        return true;
    }
    begin_part(search, a);
    bool same = loop_search_run(search, run, a->part, a->parts);
    same      = end_part(search, run->name, same);
    if (search->cut) {
        printf(", ended early: %" PRIu64 " of %" PRIu64 " jobs", search->jobs, jobs);
    }
    printf("\n");
    fflush(stdout);
    return same;
}

// Each part draws other programs.
static bool draw(loop_search *search, const arguments *a, const char *name, uint64_t count,
                 bool large)
{
    uint64_t seed = a->seed + a->part;
    if (!is_selected(a, name)) {
        return true;
    }
    begin_part(search, a);
    bool same = end_part(search, name, loop_search_random(search, seed, count, large));
    printf(", seed %" PRIu64 "\n", seed);
    fflush(stdout);
    return same;
}

int main(int count, char **words)
{
    static loop_search search;
    arguments          a = { .part = 0, .parts = 1, .seed = 1, .random = 200000 };
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count || !read_argument(&a, words[i], words[i + 1])) {
            return usage();
        }
    }
    bool same = true;
    for (uint32_t i = 0; i < RUNS && same; i++) {
        same = prove(&search, &a, &runs[i]);
    }
    if (a.most != 0 && a.most < a.random) {
        a.random = a.most;
    }
    same = same && draw(&search, &a, "random", a.random, false);
    same = same && draw(&search, &a, "random, large", a.random / 100, true);
    loop_search_end(&search);
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
