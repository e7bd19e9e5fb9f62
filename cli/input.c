// SPDX-License-Identifier: MIT
// Reads files and standard input.
#include "input.h"

#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM ((size_t)1 << 16)
#define READ_MOST  ((size_t)1 << 20) // so that progress moves on

// Returns the @ of FILE@FRAME, or NULL for other names.
static const char *find_frame(const char *path)
{
    const char *sign = strrchr(path, '@');
    bool        is   = sign != NULL && sign != path && sign[1] != '\0' &&
              sign[1 + strspn(sign + 1, "0123456789")] == '\0';
    return is ? sign : NULL;
}

bool input_is_standard(const char *path)
{
    const char *sign   = find_frame(path);
    size_t      length = sign == NULL ? strlen(path) : (size_t)(sign - path);
    return length == 1 && path[0] == '-';
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

// The size of a file; 0 when it is unknown.
static uint64_t size_of(FILE *from)
{
    long size = fseek(from, 0, SEEK_END) == 0 ? ftell(from) : 0;
    bool back = fseek(from, 0, SEEK_SET) == 0;
    return back && size > 0 ? (uint64_t)size : 0;
}

static int read_all(input *in, FILE *from, uint64_t size)
{
    size_t room = 0;
    errno       = 0;
    while (!feof(from)) {
        if (in->size == room && !make_room(in, &room)) {
            return complain(EXIT_TROUBLE, in->name, "there is not enough memory for it");
        }
        size_t most = room - in->size < READ_MOST ? room - in->size : READ_MOST;
        in->size += fread(in->bytes + in->size, 1, most, from);
        if (ferror(from)) {
            return complain(EXIT_TROUBLE, in->name, "%s", strerror(errno));
        }
        terminal_progress(in->name, in->size, in->size < size ? size : 0);
    }
    terminal_progress_end();
    return EXIT_FINE;
}

static void set_frame(input *in, const char *sign)
{
    in->at    = sign != NULL;
    in->frame = sign == NULL ? 0 : strtoull(sign + 1, NULL, 10);
}

// Opens the file of this name, or else the one before the @.
static FILE *open_file(input *in, const char *path)
{
    const char *sign = find_frame(path);
    FILE       *from = fopen(path, "rb");
    if (from != NULL || sign == NULL || errno != ENOENT) {
        return from;
    }
    size_t length = (size_t)(sign - path);
    char  *file   = malloc(length + 1);
    if (file != NULL) {
        memcpy(file, path, length);
        file[length] = '\0';
        set_frame(in, sign);
        from = fopen(file, "rb");
    }
    int reason = errno;
    free(file);
    errno = reason;
    return from;
}

int input_read(input *in, const char *path, size_t memory)
{
    *in = (input){ .name = path, .memory = memory };
    if (input_is_standard(path)) {
        set_frame(in, find_frame(path));
        in->name = "standard input";
        terminal_binary(stdin);
        return read_all(in, stdin, 0);
    }
    FILE *from = open_file(in, path);
    if (from == NULL) {
        return complain(EXIT_TROUBLE, path, "%s", strerror(errno));
    }
    int code = read_all(in, from, size_of(from));
    fclose(from);
    return code;
}

void input_end(input *in)
{
    free(in->bytes);
    *in = (input){ 0 };
}
