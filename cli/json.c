// SPDX-License-Identifier: MIT
// kith json: prints a snapshot as JSON.
#include "command.h"
#include "say.h"
#include "snapshot.h"

#include <stdio.h>

static bool write_piece(const void *text, size_t size, void *context)
{
    return fwrite(text, 1, size, context) == size;
}

int run_json(const arguments *given)
{
    kith_world *world;
    int         code = snapshot_open(given->files[0], given->memory, &world);
    if (code == EXIT_FINE && !kith_json_write_world(world, write_piece, stdout) &&
        !ferror(stdout)) {
        code = complain(EXIT_TROUBLE, given->files[0], "there is not enough memory");
    }
    kith_world_destroy(world);
    return code; // end_output reports a failed write
}
