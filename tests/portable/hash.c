// SPDX-License-Identifier: MIT
// The known hash of a long scenario, kept and in full, with pages of several lengths.
#include "hash_scenario.h"

#include <stdio.h>

int main(void)
{
    static const uint32_t rows[] = { 16, 256, 4096 };
    int                   failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kith_world *world = scenario_run(rows[i]);
        uint64_t    full  = 0;
        uint64_t    kept  = 0;
        uint64_t    bare  = 0;
        if (world == NULL || !kith_world_hash_full(world, KITH_ALL, &full) ||
            !kith_world_hash(world, KITH_ALL, &kept) ||
            !kith_world_hash_content(world, NULL, &bare) || full != SCENARIO_HASH || kept != full ||
            bare != SCENARIO_CONTENT) {
            printf("with %u rows a page the hash is 0x%016llx, in full 0x%016llx, of the content "
                   "0x%016llx\n",
                   (unsigned)rows[i], (unsigned long long)kept, (unsigned long long)full,
                   (unsigned long long)bare);
            failed = 1;
        }
        kith_world_destroy(world);
    }
    return failed;
}
