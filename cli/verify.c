// SPDX-License-Identifier: MIT
// kith verify: loads each file and prints whether it is whole.
#include "command.h"
#include "say.h"
#include "snapshot.h"

#include <stdio.h>

int run_verify(const arguments *given)
{
    int worst = EXIT_FINE;
    for (uint32_t i = 0; i < given->file_count; i++) {
        kith_world *world;
        int         code = snapshot_open(given->files[i], given->memory, &world);
        worst            = code > worst ? code : worst;
        if (code == EXIT_FINE && !given->quiet) {
            say_text(given->files[i]);
            puts(": ok");
        }
        kith_world_destroy(world);
    }
    return worst;
}
