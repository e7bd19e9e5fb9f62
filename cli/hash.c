// SPDX-License-Identifier: MIT
// kith hash: prints the hash of a snapshot, or of each component.
#include "command.h"
#include "say.h"
#include "snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t list_by_name(const kith_world *world, kith_component *ids)
{
    kith_component id    = 0;
    uint32_t       count = 0;
    while ((id = kith_component_next(world, id)) != 0) {
        const char *name  = kith_component_describe(world, id)->name;
        uint32_t    place = count++;
        for (; place > 0; place--) {
            if (strcmp(kith_component_describe(world, ids[place - 1])->name, name) <= 0) {
                break;
            }
            ids[place] = ids[place - 1];
        }
        ids[place] = id;
    }
    return count;
}

static bool print_components(const kith_world *world)
{
    kith_component ids[KITH_COMPONENT_MAX];
    uint64_t       hash  = 0;
    uint32_t       count = list_by_name(world, ids);
    bool           fine  = true;
    for (uint32_t i = 0; i < count && fine; i++) {
        fine = kith_world_hash_full(world, ids[i], &hash);
        printf("%016" PRIx64 "  ", hash);
        say_text(kith_component_describe(world, ids[i])->name);
        putchar('\n');
    }
    return fine;
}

static bool print_hash(const kith_world *world)
{
    uint64_t hash;
    bool     fine = kith_world_hash_full(world, KITH_ALL, &hash);
    if (fine) {
        printf("%016" PRIx64 "\n", hash);
    }
    return fine;
}

int run_hash(const arguments *given)
{
    kith_world *world;
    int         code = snapshot_open(given->files[0], given->memory, &world);
    if (code == EXIT_FINE && !(given->components ? print_components(world) : print_hash(world))) {
        code = complain(EXIT_TROUBLE, given->files[0], "there is not enough memory");
    }
    kith_world_destroy(world);
    return code;
}
