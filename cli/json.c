// SPDX-License-Identifier: MIT
// kith json: prints a snapshot as JSON, or the entities that match a query.
#include "command.h"
#include "say.h"
#include "snapshot.h"

#include <stdio.h>
#include <string.h>

static bool write_piece(const void *text, size_t size, void *context)
{
    return fwrite(text, 1, size, context) == size;
}

// Prints the entities that match, one a line. Sets `*code` when the text is not a query of the
// components in the file; returns false when memory runs out.
static bool print_matching(kith_world *world, const char *text, int *code)
{
    kith_query *query;
    if (!kith_query_parse(world, text, &query)) {
        char             message[512];
        const kith_error error = kith_world_error(world);
        kith_error_text(world, &error, message, sizeof message);
        *code = complain(EXIT_TROUBLE, "--query", "%s", message + strlen("kith_query_parse: "));
        return true;
    }
    kith_cursor c    = kith_query_begin(query);
    bool        fine = !c.failed;
    while (fine && kith_cursor_next(&c)) {
        fine = kith_json_write_entity(world, c.entity, write_piece, stdout);
        putchar('\n');
    }
    kith_cursor_end(&c);
    return fine;
}

int run_json(const arguments *given)
{
    kith_world *world;
    int         code = snapshot_open(given->files[0], given->memory, &world);
    if (code == EXIT_FINE &&
        !(given->query == NULL ? kith_json_write_world(world, write_piece, stdout)
                               : print_matching(world, given->query, &code)) &&
        !ferror(stdout)) {
        code = complain(EXIT_TROUBLE, given->files[0], "there is not enough memory");
    }
    kith_world_destroy(world);
    return code; // end_output reports a failed write
}
