// SPDX-License-Identifier: MIT
// Reads files and standard input.
#include "input.h"

#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
    #include <fcntl.h>
    #include <io.h>
#endif

#define FIRST_ROOM ((size_t)1 << 16)

bool input_is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool make_room(input *in, size_t *room)
{
    size_t   larger = *room == 0 ? FIRST_ROOM : *room * 2;
    uint8_t *bytes  = larger < *room ? NULL : realloc(in->bytes, larger);
    if (bytes == NULL) {
        return false;
    }
    in->bytes = bytes;
    *room     = larger;
    return true;
}

static int read_all(input *in, FILE *from)
{
    size_t room = 0;
    errno       = 0;
    while (!feof(from)) {
        if (in->size == room && !make_room(in, &room)) {
            return complain(EXIT_TROUBLE, in->name, "there is not enough memory for it");
        }
        in->size += fread(in->bytes + in->size, 1, room - in->size, from);
        if (ferror(from)) {
            return complain(EXIT_TROUBLE, in->name, "%s", strerror(errno));
        }
    }
    return EXIT_FINE;
}

int input_read(input *in, const char *path, size_t memory)
{
    *in = (input){ .name = path, .memory = memory };
    if (input_is_standard(path)) {
        in->name = "standard input";
#if defined(_WIN32)
        _setmode(_fileno(stdin), _O_BINARY); // otherwise it is read as text
#endif
        return read_all(in, stdin);
    }
    FILE *from = fopen(path, "rb");
    if (from == NULL) {
        return complain(EXIT_TROUBLE, path, "%s", strerror(errno));
    }
    int code = read_all(in, from);
    fclose(from);
    return code;
}

void input_end(input *in)
{
    free(in->bytes);
    *in = (input){ 0 };
}
