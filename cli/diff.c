// SPDX-License-Identifier: MIT
// kith diff: prints the differences between two snapshots.
#include "command.h"
#include "input.h"
#include "say.h"
#include "snapshot.h"

#include <inttypes.h>
#include <stdio.h>

enum { SHOWN = 20 };

typedef struct listing {
    const arguments *given;
    uint64_t         count;
} listing;

// What only the first world has is red, what only the second has is green.
static colour colour_of(const kith_difference *it)
{
    return it->second == NULL ? COLOUR_RED : it->first == NULL ? COLOUR_GREEN : COLOUR_YELLOW;
}

static void print_difference(const kith_difference *difference, void *context)
{
    listing *list = context;
    if (!list->given->quiet && (list->given->all || list->count < SHOWN)) {
        say_coloured(difference->text, colour_of(difference));
        putchar('\n');
    }
    list->count++;
}

static void print_end(const listing *list)
{
    if (list->given->quiet || list->count == 0) {
        return;
    }
    if (!list->given->all && list->count > SHOWN) {
        printf("... and %" PRIu64 " more: see --all\n", list->count - SHOWN);
    }
    printf("%" PRIu64 " difference%s\n", list->count, list->count == 1 ? "" : "s");
}

static int compare_worlds(const arguments *given, const kith_world *a, const kith_world *b)
{
    listing   list = { given, 0 };
    kith_diff diff = { .each = print_difference, .context = &list };
    if (!kith_world_diff(a, b, &diff)) {
        return complain(EXIT_TROUBLE, NULL, "there is not enough memory");
    }
    print_end(&list);
    return diff.count == 0 ? EXIT_FINE : EXIT_DIFFERS;
}

int run_diff(const arguments *given)
{
    kith_world *worlds[2] = { NULL, NULL };
    if (input_is_standard(given->files[0]) && input_is_standard(given->files[1])) {
        return complain(EXIT_TROUBLE, "standard input", "it can be read only once");
    }
    int first  = snapshot_open(given->files[0], given->memory, &worlds[0]);
    int second = snapshot_open(given->files[1], given->memory, &worlds[1]);
    int code   = EXIT_TROUBLE; // as in diff(1): 1 means that both files were read
    if (first == EXIT_FINE && second == EXIT_FINE) {
        code = compare_worlds(given, worlds[0], worlds[1]);
    }
    kith_world_destroy(worlds[0]);
    kith_world_destroy(worlds[1]);
    return code;
}
