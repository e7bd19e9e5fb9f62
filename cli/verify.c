// SPDX-License-Identifier: MIT
// kith verify: loads each file and prints whether it is whole.
#include "command.h"
#include "recording.h"
#include "say.h"
#include "snapshot.h"

#include <stdio.h>

static int verify_snapshot(const arguments *given, const char *path, input *in)
{
    kith_world *world = NULL;
    int         code  = recording_choose(in);
    code              = code == EXIT_FINE ? snapshot_world(in, &world) : code;
    if (code == EXIT_FINE && !given->quiet) {
        say_text(path);
        fputs(": ", stdout);
        say_coloured("ok", COLOUR_GREEN);
        putchar('\n');
    }
    kith_world_destroy(world);
    return code;
}

int run_verify(const arguments *given)
{
    int worst = EXIT_FINE;
    for (uint32_t i = 0; i < given->file_count; i++) {
        const char *path = given->files[i];
        input       in;
        int         code = input_read(&in, path, given->memory);
        if (code == EXIT_FINE) {
            code = !in.at && recording_is(&in) ? verify_recording(given, path, &in)
                                               : verify_snapshot(given, path, &in);
        }
        worst = code > worst ? code : worst;
        input_end(&in);
    }
    return worst;
}
